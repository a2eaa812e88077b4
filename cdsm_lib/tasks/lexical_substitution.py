"""Lexical substitution in adjective-noun-verb-adjective-noun phrases (ANVAN-LS).

The task of Buljan, Padó and Šnajder (2018), "Lexical Substitution for Evaluating Compositional Distributional Models"
(NAACL-HLT 2018). In *young cook buy old cheese* one of the five words is the *target*. A system ranks
four words that could stand in its place: two *substitutes* that people gave for the target in its sentence, and two
*confounders*, words near the target in the space and as frequent as the substitutes, but wrong in this context.
`cdsm_lib.construction.lexical_substitution` makes such a set from annotated text.

Conventions
-----------
A word is a label ``lemma|UPOS``, as in a Space. The five positions are numbered in the order of ``POSITIONS``. The
modifiers are adjectives or nouns. Scores are arrays [items, 4] in the order of ``Item.candidates``: both substitutes,
then both confounders; higher is better. ``NaN`` means that a system has no score for a candidate: such candidates are
ranked last, tied.

Evaluation (section 3)
----------------------
score                MAP over all targets
random_map           its expectation for a random ranking, 49/72
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.text.corpus import Token, read_trees

POSITIONS = ("subject modifier", "subject", "verb", "object modifier", "object")
NOUNS = ("NOUN", "PROPN")
PAPER_COUNTS = (165, 732)  # phrases and targets (section 2)
FITS = (("ADJ", *NOUNS), NOUNS, ("VERB",), ("ADJ", *NOUNS), NOUNS)  # universal tags of each position


@dataclass(frozen=True)
class Phrase:
    """A clause as adjective, noun, verb, adjective, noun.

    Parameters
    ----------
    id : str
        The sentence's id; a second phrase of a sentence has ``.2`` after it.
    words : tuple of 5 str
        Labels ``lemma|UPOS``, in the order of `POSITIONS`.
    sentence : tuple of str
        Labels of the whole sentence.
    places : tuple of 5 int
        Where the words stand in `sentence`, from 0. They rise only where the clause has the order of the phrase.
    """

    id: str
    words: tuple[str, ...]
    sentence: tuple[str, ...]
    places: tuple[int, ...]

    def __str__(self) -> str:
        return " ".join(lemma_of(word) for word in self.words)


@dataclass(frozen=True)
class Item:
    """A target with its four candidates.

    Parameters
    ----------
    id : str
        Id of the target's token.
    phrase : Phrase
    position : int
        Of the target, 0 to 4.
    substitutes : tuple of 2 str
        Right ones, the more frequently given first.
    confounders : tuple of 2 str
        Wrong ones, each chosen for its substitute.
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

    def __str__(self) -> str:
        words = [lemma_of(word) for word in self.phrase.words]
        words[self.position] = f"[{words[self.position]}]"
        return f"{' '.join(words)}: {', '.join(map(lemma_of, self.candidates))}"


@dataclass(frozen=True)
class Substitution:
    """A set of items.

    Parameters
    ----------
    name : str
    items : tuple of Item

    Attributes
    ----------
    phrases : tuple of Phrase
        Every phrase once, in order.
    positions : int64 array [items]
    relevant : bool array [items, 4]
        The substitutes among the candidates.
    """

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

    @cached_property
    def relevant(self) -> np.ndarray:
        """Which candidates are right, bool [items, 4]: the two substitutes, which come first."""
        return np.tile([True, True, False, False], (len(self.items), 1))


def lemma_of(word: str) -> str:
    """The lemma of a label.

    Examples
    --------
    >>> lemma_of("build|VERB")
    'build'
    """
    return word.rpartition("|")[0]


def pos_of(word: str) -> str:
    """The universal tag of a label.

    Examples
    --------
    >>> pos_of("build|VERB")
    'VERB'
    """
    return word.rpartition("|")[2]


def vocabulary(*tasks: Substitution) -> list[str]:
    """Every word of the phrases and every candidate, once, sorted: these get vectors however rare they are.

    >>> words = vocabulary(load())
    >>> len(words), words[:3]
    (1135, ['abrupt|ADJ', 'absurd|ADJ', 'abundant|ADJ'])
    """
    words: set[str] = set()
    for item in (item for task in tasks for item in task.items):
        words.update(item.phrase.words, item.candidates)
    return sorted(words)


def token_id(token: Token) -> str | None:
    """The ``TokenID`` in a token's MISC column, or None.

    Examples
    --------
    >>> token_id(Token(1, "paint", "paint", "NOUN", "NN", "_", 0, "root", "_", "SpaceAfter=No|TokenID=7"))
    '7'
    """
    for entry in token.misc.split("|"):
        key, _, value = entry.partition("=")
        if key == "TokenID":
            return value
    return None


ITEM_COLUMNS = "item phrase position words substitute1 substitute2 confounder1 confounder2".split()


def parse_in(folder: Path) -> Path:
    """The one parsed text in a folder; `TaskError` if there is none, or another."""
    texts = sorted(folder.glob("*.conllu"))
    if len(texts) != 1:
        raise TaskError(folder.name, None, f"one .conllu file expected in the folder, found {len(texts)}")
    return texts[0]


def load(name="anvan_mini") -> Substitution:
    """A finished data set: the teaching set, or one of the same format.

    CoInCo's items are not stored anywhere: `cdsm_lib.construction.lexical_substitution` makes them.

    Parameters
    ----------
    name : str or path
        "anvan_mini", or a folder with ``items.tsv`` and one ``.conllu`` file. ``items.tsv`` has the header
        ``item phrase position words substitute1 substitute2 confounder1 confounder2``. The item is a ``TokenID`` of
        the parsed text, or phrase and position joined by a dot; the phrase is a ``sent_id``, perhaps with ``.2``
        after it; the five words are labels ``lemma|UPOS`` joined by spaces, and the candidates are such labels.

    Returns
    -------
    Substitution
        In file order.

    Examples
    --------
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


@dataclass(frozen=True)
class Scores:
    """Average precision of each target.

    Parameters
    ----------
    map : float
        Mean of `ap`.
    ap : float64 array [items]
    """

    map: float
    ap: np.ndarray


def score(scores, task: Substitution) -> Scores:
    """Mean average precision of a system (section 3).

    Average precision has its exact expectation over the orders of tied candidates. Candidates without a score are
    tied behind all others: with one substitute found and all else missing it is .8611, with one confounder found
    .5, with nothing found .6806, that of a random ranking.

    Parameters
    ----------
    scores : float array [items, 4]
        In the order of ``Item.candidates``; NaN where a candidate has none.
    task : Substitution

    Returns
    -------
    Scores

    Raises
    ------
    TaskError
        If the shape is another, a score is infinite, or there are no items.

    Examples
    --------
    >>> task = load()
    >>> print(round(score(np.full((len(task), 4), np.nan), task).map, 4))  # nothing found
    0.6806
    """
    scores = np.array(scores, dtype=np.float64)
    if not len(task):
        raise TaskError(task.name, None, "no items, so there is nothing to score")
    if scores.shape != (len(task), 4):
        raise TaskError(task.name, None, f"scores {scores.shape}, expected one row of 4 for {len(task)} items")
    if np.isinf(scores).any():
        raise TaskError(task.name, None, "infinite scores; a missing candidate is NaN")
    scores[np.isnan(scores)] = -np.inf  # behind all others, tied
    return Scores(*metrics.mean_average_precision(scores, task.relevant))


def random_map() -> float:
    """Expected MAP of a random ranking of two right and two wrong candidates: 49/72, which the paper gives as .680.

    Examples
    --------
    >>> round(random_map(), 4)
    0.6806
    """
    return metrics.random_average_precision(4, 2)
