r"""Semantic against syntactic localisation: is a sentence put near what means the same, or near what looks alike?

Lyndon White, "A Method for the Evaluation of the Semantic vs Syntactic Localization of Sentence Embeddings" (24 July
2015). Pairs of paraphrases come from the Microsoft Research Paraphrase Corpus. From each sentence, versions are made
with 1, 2, 3 ... nouns replaced by synonyms, which shall mean the same, and with 1, 2, 3 ... verbs replaced by antonyms,
which shall not. A good model puts the synonym versions no farther from the sentence than its paraphrase (<=), and the
antonym versions farther (>).

An item is a *case*: a base sentence and its paraphrase; both directions of a pair are cases. Sentences and texts go by
number. A *level* is how many words were replaced, from 1; each level keeps the changes of the one before
(`cdsm_lib.construction.localisation` makes the versions). A model gives distances of the `Localisation.pairs`, from 0
to 2 (cosine), rounded, so that what is equal is equal; `share` says what they are worth.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cdsm_lib import datasets
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks.task import Measure, Task, Text, together
from cdsm_lib.text.corpus import Sentence, read_trees

PARAPHRASE, SYNONYM, ANTONYM = "paraphrase", "synonym", "antonym"
RANDOM_NOUN, RANDOM_VERB = "random noun", "random verb"
KINDS = (SYNONYM, ANTONYM, RANDOM_NOUN, RANDOM_VERB)
NEAR, FAR, APART = "synonym <= paraphrase", "antonym > paraphrase", "antonym > synonym"
SHARES = (NEAR, FAR, APART)
"""The metrics of section 5 and the tables of the later draft: larger is better."""
COMPARED = {
    NEAR: (SYNONYM, PARAPHRASE), FAR: (ANTONYM, PARAPHRASE), APART: (ANTONYM, SYNONYM),
    "random noun > synonym": (RANDOM_NOUN, SYNONYM), "random verb > antonym": (RANDOM_VERB, ANTONYM),
}  # fmt: skip
"""What each share compares: a kind of version with another, or with the paraphrase."""
MSRPC_FILES = ("msr_paraphrase_train.txt", "msr_paraphrase_test.txt")
MSRPC_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
PAIR_COLUMNS = ("id", "first", "second", "topic")


# ----------------------------------------------------------------------------------------------------------- the text


@dataclass(frozen=True)
class Pair:
    """Two sentences that say the same: its id, theirs as their parses have them, and their texts."""

    id: str
    ids: tuple[str, str]
    texts: tuple[str, str]


def tokenise(text: str) -> tuple[str, ...]:
    """Penn Treebank tokens (section 3.2): *don't* becomes *do n't*, and full stops stand alone.

    >>> tokenise("They don't agree.")
    ('They', 'do', "n't", 'agree', '.')
    """
    from nltk.tokenize import TreebankWordTokenizer  # takes a second to load

    return tuple(TreebankWordTokenizer().tokenize(text))


def read_msrpc(path: Path) -> list[Pair]:
    """The pairs of a file of MSRPC that its raters held to be paraphrases (quality 1).

    `TaskError` for a line that is not as `MSRPC_COLUMNS` says, or a pair that comes twice.
    """
    table = read_table(path, MSRPC_COLUMNS, {"Quality": YES_NO}, key=("#1 ID", "#2 ID"))
    rows = [list(row.values())[1:] for _, row in table if row["Quality"]]
    return [Pair(f"{first}-{second}", (first, second), tuple(texts)) for first, second, *texts in rows]


def read_paraphrases(path: Path) -> list[Pair]:
    """The pairs of a teaching set; `TaskError` for a line not as `PAIR_COLUMNS` says, or an id that comes twice."""
    rows = read_table(path, PAIR_COLUMNS, key="id")
    return [Pair(row["id"], (f"{row['id']}.1", f"{row['id']}.2"), (row["first"], row["second"])) for _, row in rows]


def forms(sentence: Sentence) -> tuple[str, ...]:
    """The tokens of a sentence as they are written."""
    return tuple(token.form for token in sentence)


def read_sentences(path: Path, pairs: Iterable[Pair]) -> dict[str, Sentence]:
    """The parses of the pairs' sentences under their ids.

    `TaskError` if one is missing or comes twice, or its tokens are not those that `tokenise` makes of the text.
    """
    parses, parsed = read_trees(path), {}
    for pair in pairs:
        for id, text in zip(pair.ids, pair.texts, strict=True):
            if id not in parses:
                raise TaskError(path, None, f"no parse of sentence {id}; parse the sentences again")
            parsed[id] = parses[id]
            if forms(parsed[id]) != tokenise(text):
                raise TaskError(path, None, f"the parse of sentence {id} has other tokens; parse the sentences again")
    return parsed


def load(name: str) -> tuple[list[Pair], dict[str, Sentence]]:
    """The positive pairs of ``msrpc``, training and test parts, or those of ``paraphrases``; and their parses.

    Raises `TaskError` for a file that is not as it should be, `cdsm_lib.datasets.DataError` for another name, or if the
    data cannot be had.

    >>> pairs, parsed = load("paraphrases")
    >>> len(pairs), len(parsed)
    (170, 340)
    >>> print(pairs[0].texts[0])
    The court accepted that the list of voters included mistakes, but permitted the election to continue.
    """
    if name == "msrpc":
        files = datasets.fetch("msrpc")
        pairs = [pair for file in MSRPC_FILES for pair in read_msrpc(files[file])]
        return pairs, read_sentences(files["msrpc.conllu.xz"], pairs)
    folder = datasets.sample_path(name)
    pairs = read_paraphrases(folder / "pairs.tsv")
    return pairs, read_sentences(folder / "paraphrases.conllu", pairs)


# -------------------------------------------------------------------------------------------------- evaluation corpus


@dataclass(frozen=True)
class Version:
    """A sentence with `level` words replaced; the changes, (position, lemma), are in the order in which they were made.

    `kind` is one of `KINDS`.
    """

    kind: str
    level: int
    tokens: tuple[str, ...]
    changes: tuple[tuple[int, str], ...]


class Case(NamedTuple):
    """A sentence with a paraphrase: numbers of sentences in `Localisation.sentences`."""

    base: int
    paraphrase: int


@dataclass(frozen=True)
class Texts:
    """Every token sequence of an evaluation corpus once, so that each is embedded once.

    Attributes
    ----------
    tokens : tuple of tuple of str
        The sentences first, in their order, then the versions.
    source : int array [texts]
        The sentence from which the text was made: its tree serves for the text.
    changes : tuple of tuple of (position, lemma)
    at : dict of (sentence, kind, level) to int
        The number of a version's text.
    """

    tokens: tuple[tuple[str, ...], ...]
    source: np.ndarray
    changes: tuple[tuple[tuple[int, str], ...], ...]
    at: Mapping[tuple[int, str, int], int]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Localisation:
    """The evaluation corpus: sentences, each once; two cases a pair of paraphrases; the versions of each sentence.

    `funnel` has the tokens of the cases' base sentences by (step, kind); `sense` says of which sense the versions were
    made (`STEPS` and `sense_taken` of `cdsm_lib.construction.localisation`).
    """

    dataset: str
    sentences: tuple[Sentence, ...]
    cases: tuple[Case, ...]
    versions: tuple[tuple[Version, ...], ...]
    funnel: Counter = field(default_factory=Counter)
    sense: str = "first"

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def _ends(self) -> np.ndarray:
        """Base and paraphrase of each case, int64 [cases, 2]."""
        return np.array(self.cases, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def families(self) -> np.ndarray:
        """The family of each case, int [cases]: cases that share a sentence, directly or through others, are of one,
        for they are not independent."""
        shape = (self._ends.max(initial=-1) + 1,) * 2
        links = sparse.coo_array((np.ones(len(self)), tuple(self._ends.T)), shape=shape)
        return connected_components(links, directed=False)[1][self._ends[:, 0]]

    @cached_property
    def texts(self) -> Texts:
        """What a model must embed. Texts of different sentences are kept apart even where they are the same."""
        tokens = [*map(forms, self.sentences)]
        source, changes, at = list(range(len(tokens))), [()] * len(tokens), {}
        for s, versions in enumerate(self.versions):
            for version in versions:
                at[s, version.kind, version.level] = len(tokens)
                tokens.append(version.tokens)
                source.append(s)
                changes.append(version.changes)
        return Texts(tuple(tokens), np.array(source, dtype=np.int64), tuple(changes), at)

    @cached_property
    def compared(self) -> dict[tuple[str, int], np.ndarray]:
        """With which text the base of each case is compared, by kind and level: int64 [cases], -1 for none.

        The paraphrase is at level 0; of versions there are the kinds and levels that some case has.
        """
        deepest = max((version.level for versions in self.versions for version in versions), default=0)
        texts = {(PARAPHRASE, 0): self._ends[:, 1]}
        for kind, level in product(KINDS, range(1, deepest + 1)):
            texts[kind, level] = np.array([self.texts.at.get((case.base, kind, level), -1) for case in self.cases])
        return {step: numbers for step, numbers in texts.items() if (numbers >= 0).any()}

    @cached_property
    def pairs(self) -> np.ndarray:
        """Every pair of texts whose distance counts, int64 [m, 2], sorted: a base, and its paraphrase or version."""
        pairs = [np.stack([self._ends[:, 0], texts], axis=1)[texts >= 0] for texts in self.compared.values()]
        return np.unique(np.concatenate([*pairs, np.empty((0, 2), np.int64)]), axis=0)

    def distances(self, values: np.ndarray, kind: str, level: int) -> np.ndarray:
        """Of all cases, float64 [cases], from those of `pairs`; NaN where there is none."""
        texts = self.compared.get((kind, level), np.full(len(self), -1))
        places = np.searchsorted(self.pairs @ (len(self.texts), 1), self._ends[:, 0] * len(self.texts) + texts)
        return np.where(texts < 0, np.nan, np.append(values, np.nan)[places])

    def counts(self, most: int = 9) -> dict[int, tuple[int, int, int]]:
        """Cases with synonyms, with antonyms, and with both, by level: the later draft's Table 2."""
        counts = {}
        for level in range(1, most + 1):
            there = [self.compared.get((kind, level), np.full(len(self), -1)) >= 0 for kind in (SYNONYM, ANTONYM)]
            counts[level] = (*(int(cases.sum()) for cases in there), int((there[0] & there[1]).sum()))
        return counts

    def altered(self) -> Iterator[Sentence]:
        """The parse of every text: that of its source, with the lemmas that were put in."""
        texts = self.texts
        for tokens, source, changes in zip(texts.tokens, texts.source.tolist(), texts.changes, strict=True):
            base, lemmas = self.sentences[source], dict(changes)
            put_in = (
                replace(token, form=form, lemma=lemmas[i].lower() if i in lemmas else token.lemma)
                for i, (token, form) in enumerate(zip(base, tokens, strict=True))
            )
            yield Sentence(tuple(put_in), base.comments)


def share(task: Localisation, distances: np.ndarray, metric: str, level: int, *, ties: bool = False) -> np.ndarray:
    """One share (of `COMPARED`) at one level, case by case; its mean, without the NaN, is the share.

    Distances are float [m], of the task's `pairs`, NaN where a model knows no word of one of the two texts; rounded,
    for noise must not break a tie. Gives float64 [cases]: 1 where the sentences lie as they should (equal counts for
    ``<=`` and not for ``>``), 0 where not, NaN where a distance is missing. With `ties` equal distances count instead.

    >>> words = Version(SYNONYM, 1, tokens=("a",), changes=((0, "a"),)), Version(ANTONYM, 1, ("b",), ((0, "b"),))
    >>> task = Localisation("mine", (Sentence(()),) * 2, cases=(Case(0, 1), Case(1, 0)), versions=(words, ()))
    >>> task.pairs.tolist()
    [[0, 1], [0, 2], [0, 3], [1, 0]]
    >>> distances = np.array([0.3, 0.3, 0.5, 0.3])
    >>> share(task, distances, NEAR, level=1), share(task, distances, APART, level=1)
    (array([ 1., nan]), array([ 1., nan]))
    """
    first, second = (task.distances(distances, kind, level * (kind != PARAPHRASE)) for kind in COMPARED[metric])
    credit = first == second if ties else first <= second if "<=" in metric else first > second
    return np.where(np.isnan(first) | np.isnan(second), np.nan, credit)


def task(corpus: Localisation, read: Callable[[Sentence], Text]) -> Task:
    """A sentence with its version of one synonym and of one antonym: the antonym should be the less similar.

    The figure is the `share` of `APART` at level 1 over the cases that have both versions, by similarities in the
    place of distances. `read` makes of a sentence the text that systems see.
    """
    versions = np.stack([corpus.compared[kind, 1] for kind in (SYNONYM, ANTONYM)], axis=1)
    cases = np.flatnonzero((versions >= 0).all(axis=1))
    pairs = [(corpus.cases[case].base, version) for case in cases.tolist() for version in versions[case].tolist()]
    needed = {number: i for i, number in enumerate(dict.fromkeys(chain.from_iterable(pairs)))}
    sentences = {i: sentence for i, sentence in enumerate(corpus.altered()) if i in needed}
    texts = tuple(read(sentences[number]) for number in needed)
    places = np.array([[needed[base], needed[version]] for base, version in pairs])
    measures = {"share": Measure(lambda similarity: (similarity[0::2] > similarity[1::2]).astype(np.float64))}
    units = together(corpus.families[cases])
    return Task("localisation", corpus.dataset, "level 1", texts, places, measures, len(cases), units, chance=0.5)
