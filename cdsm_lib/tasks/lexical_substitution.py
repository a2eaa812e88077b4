"""Lexical substitution in adjective-noun-verb-adjective-noun phrases (ANVAN-LS).

The task of Buljan, Padó and Šnajder (2018), "Lexical Substitution for Evaluating Compositional Distributional Models"
(NAACL-HLT 2018). In *young cook buy old cheese* one of the five words is the *target*. A system ranks
four words that could stand in its place: two *substitutes* that people gave for the target in its sentence, and two
*confounders*, words near the target in the space and as frequent as the substitutes, but wrong in this context.
`cdsm_lib.construction.lexical_substitution` makes such a set from annotated text.

A word is a label ``lemma|UPOS``, as in a Space. The modifiers are adjectives or nouns. The figure is MAP over all
targets (section 3); `random_map` is its expectation for a random ranking.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.task import Measure, Task, Text, Texts, Vocabulary, phrase
from cdsm_lib.text.corpus import Token, read_trees

POSITIONS = ("subject modifier", "subject", "verb", "object modifier", "object")
NOUNS = ("NOUN", "PROPN")
PAPER_COUNTS = (165, 732)  # phrases and targets (section 2)
FITS = (("ADJ", *NOUNS), NOUNS, ("VERB",), ("ADJ", *NOUNS), NOUNS)  # universal tags of each position


@dataclass(frozen=True)
class Phrase:
    """A clause as five words in the order of `POSITIONS`, and the sentence in which they have their places (from 0).

    The places rise only where the clause has the order of the phrase. A second phrase of a sentence has ``.2`` after
    the sentence's id.
    """

    id: str
    words: tuple[str, ...]
    sentence: tuple[str, ...]
    places: tuple[int, ...]

    def __str__(self) -> str:
        return " ".join(map(lemma_of, self.words))


@dataclass(frozen=True)
class Item:
    """A target, known by its token's id and its position in the phrase (0 to 4), with its four candidates.

    The substitute that more people gave comes first; each confounder is chosen for its substitute.
    """

    id: str
    phrase: Phrase
    position: int
    substitutes: tuple[str, str]
    confounders: tuple[str, str]

    @property
    def target(self) -> str:
        """The word to be replaced."""
        return self.phrase.words[self.position]

    @property
    def candidates(self) -> tuple[str, str, str, str]:
        """Both substitutes, then both confounders."""
        return (*self.substitutes, *self.confounders)


@dataclass(frozen=True)
class Substitution:
    """A set of items."""

    name: str
    items: tuple[Item, ...]

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def phrases(self) -> tuple[Phrase, ...]:
        """The phrases, each once, in the order of first appearance."""
        return tuple({item.phrase.id: item.phrase for item in self.items}.values())

    @cached_property
    def positions(self) -> np.ndarray:
        """The position of each target in its phrase, 0 to 4, int64 [items]."""
        return np.array([item.position for item in self.items], dtype=np.int64)


def lemma_of(word: str) -> str:
    """The lemma of a label: *build* of ``build|VERB``."""
    return word.rpartition("|")[0]


def pos_of(word: str) -> str:
    """The universal tag of a label."""
    return word.rpartition("|")[2]


def vocabulary(*sets: Substitution) -> list[str]:
    """Every word of the phrases and every candidate, once, sorted: these get vectors however rare they are.

    >>> words = vocabulary(load())
    >>> len(words), words[:3]
    (1135, ['abrupt|ADJ', 'absurd|ADJ', 'abundant|ADJ'])
    """
    items = (item for substitution in sets for item in substitution.items)
    return sorted({word for item in items for word in (*item.phrase.words, *item.candidates)})


def token_id(token: Token) -> str | None:
    """The ``TokenID`` in a token's MISC column, or None.

    >>> token_id(Token(1, "paint", "paint", "NOUN", "NN", "_", 0, "root", "_", "SpaceAfter=No|TokenID=7"))
    '7'
    """
    named = re.search(r"(?:^|\|)TokenID=([^|]*)", token.misc)
    return named and named[1]


def parse_in(folder: Path) -> Path:
    """The one parsed text in a folder; `TaskError` if there is none, or another."""
    texts = sorted(folder.glob("*.conllu"))
    if len(texts) != 1:
        raise TaskError(folder.name, None, f"one .conllu file expected in the folder, found {len(texts)}")
    return texts[0]


ITEM_COLUMNS = "item phrase position words substitute1 substitute2 confounder1 confounder2".split()


def load(name="anvan_mini") -> Substitution:
    """A finished data set: the teaching set, or one of the same format.

    CoInCo's items are not stored anywhere: `cdsm_lib.construction.lexical_substitution` makes them.

    Parameters
    ----------
    name : str or path
        "anvan_mini", or a folder with ``items.tsv`` (header: `ITEM_COLUMNS`) and one ``.conllu`` file. The item is a
        ``TokenID`` of the parsed text, or phrase and position joined by a dot; the phrase is a ``sent_id``, perhaps
        with ``.2`` after it; the five words are labels joined by spaces, and the candidates are such labels.

    >>> item = load().items[0]
    >>> " ".join(item.phrase.words), item.target
    ('bitter|ADJ dispute|NOUN split|VERB small|ADJ party|NOUN', 'bitter|ADJ')
    >>> item.candidates
    ('fierce|ADJ', 'heated|ADJ', 'sweet|ADJ', 'sour|ADJ')
    """
    folder = datasets.sample_path(name)
    sentences = read_trees(parse_in(folder))
    place_of = {token_id(token): token.id - 1 for sentence in sentences.values() for token in sentence}
    kinds = {"position": {str(i): i for i in range(len(POSITIONS))}}
    rows = [row for _, row in read_table(folder / "items.tsv", ITEM_COLUMNS, kinds, key="item")]
    marked = {(row["phrase"], row["position"]): place_of.get(row["item"]) for row in rows}
    phrases: dict[str, Phrase] = {}
    items = []
    for row in rows:
        name, words = row["phrase"], tuple(row["words"].split(" "))
        if name not in phrases:
            sentence = sentences[name if name in sentences else re.sub(r"\.\d+$", "", name)]
            labels = tuple(f"{token.lemma}|{token.upos}" for token in sentence)
            known = (marked.get((name, position)) for position in range(len(POSITIONS)))
            places = (labels.index(word) if at is None else at for word, at in zip(words, known, strict=True))
            phrases[name] = Phrase(name, words, labels, tuple(places))
        substitutes, confounders = ((row[f"{kind}1"], row[f"{kind}2"]) for kind in ("substitute", "confounder"))
        items.append(Item(row["item"], phrases[name], row["position"], substitutes, confounders))
    return Substitution(folder.name, tuple(items))


# ----------------------------------------------------------------------------------------------------------- scoring


def score(scores, substitution: Substitution) -> np.ndarray:
    """Average precision of each target, float64 [items]; its mean is MAP (section 3).

    Average precision has its exact expectation over the orders of tied candidates. Candidates without a score are
    tied behind all others: with one substitute found and all else missing it is .8611, with one confounder found
    .5, with nothing found .6806, that of a random ranking.

    Parameters
    ----------
    scores : float array [items, 4]
        In the order of ``Item.candidates``, higher is better; NaN where a candidate has none. With another shape, an
        infinite score, or no items it is a `TaskError`.
    substitution : Substitution

    >>> items = load()
    >>> print(round(score(np.full((len(items), 4), np.nan), items).mean(), 4))  # nothing found
    0.6806
    """
    scores, n = np.array(scores, dtype=np.float64), len(substitution)
    if not n:
        raise TaskError(substitution.name, None, "no items, so there is nothing to score")
    if scores.shape != (n, 4):
        raise TaskError(substitution.name, None, f"scores {scores.shape}, expected one row of 4 for {n} items")
    if np.isinf(scores).any():
        raise TaskError(substitution.name, None, "infinite scores; a missing candidate is NaN")
    scores[np.isnan(scores)] = -np.inf  # behind all others, tied
    return metrics.mean_average_precision(scores, np.tile([True, True, False, False], (n, 1)))[1]


def random_map() -> float:
    """Expected MAP of a random ranking of two right and two wrong candidates: 49/72, which the paper gives as .680."""
    return metrics.random_average_precision(4, 2)


def task(substitution: Substitution, known: Vocabulary) -> Task:
    """A phrase with the same after each candidate has replaced the target: four pairs an item; MAP.

    A model composes the targets of one phrase from nearly the same words, so they are drawn together.
    """
    seen, pairs = Texts(), []

    def place(words: tuple[str, ...], target: int) -> int:
        return seen.place((words, target), clause, words, known, target)

    for item in substitution.items:
        words, i = item.phrase.words, item.position
        first = place(words, i)
        pairs += [[first, place((*words[:i], candidate, *words[i + 1 :]), i)] for candidate in item.candidates]
    return Task(
        "lexical substitution", substitution.name, "all", seen.in_order(), np.array(pairs),
        {"MAP": Measure(lambda similarity: score(similarity.reshape(-1, 4), substitution))}, len(substitution),
        units=pd.Index([item.phrase.id for item in substitution.items]).factorize()[0], chance=random_map(),
        labels={
            "position": np.array(POSITIONS)[substitution.positions],
            "tag": np.array([pos_of(item.target) for item in substitution.items]),
        },
    )  # fmt: skip


def clause(words: tuple[str, ...], known: Vocabulary, target: int) -> Text:
    """Five words as a tree: the nouns hang from the verb, and the modifiers from their nouns."""
    first, second = ("compound" if pos_of(words[i]) in NOUNS else "amod" for i in (0, 3))
    return phrase(words, [1, 2, -1, 4, 2], [first, "nsubj", "root", second, "obj"], known, target)
