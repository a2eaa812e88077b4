r"""Semantic against syntactic localisation: is a sentence put near what means the same, or near what looks alike?

Lyndon White, "A Method for the Evaluation of the Semantic vs Syntactic Localization of Sentence Embeddings" (24 July
2015). Pairs of paraphrases come from the Microsoft Research Paraphrase Corpus. From each sentence, versions are made
with 1, 2, 3 ... nouns replaced by synonyms, which shall mean the same, and with 1, 2, 3 ... verbs replaced by antonyms,
which shall not. A good model puts the synonym versions no farther from the sentence than its paraphrase (<=), and the
antonym versions farther (>).

Conventions
-----------
An item is a *case*: a base sentence and its paraphrase; both directions of a pair are cases. Cases that share a
sentence, directly or through others, are of one *family*: they are not independent. Sentences and texts go by number.
A distance is from 0 to 2 (cosine), rounded, so that what is equal is equal. A *level* is how many words were
replaced, from 1; each level keeps the changes of the one before. `cdsm_lib.construction.localisation` makes the
versions.

Data
----
load                        pairs of paraphrases and their parses: `read_msrpc`, `read_pairs`, `read_sentences`
tokenise                    the tokens of a sentence, as all parses here have them
Localisation                the evaluation corpus: cases, and the versions of each sentence
texts                       what a model must embed

Scores
------
distances                   of paraphrases and versions from their base sentences
share                       one of the shares of section 5 at one level, item by item
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cdsm_lib import datasets
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.text.corpus import Sentence, read_trees

SYNONYM, ANTONYM = "synonym", "antonym"
RANDOM_NOUN, RANDOM_VERB = "random noun", "random verb"
KINDS = (SYNONYM, ANTONYM, RANDOM_NOUN, RANDOM_VERB)
MSRPC_FILES = ("msr_paraphrase_train.txt", "msr_paraphrase_test.txt")
MSRPC_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")
PAIR_COLUMNS = ("id", "first", "second", "topic")


# ----------------------------------------------------------------------------------------------------------- the text


@dataclass(frozen=True)
class Pair:
    """Two sentences that say the same.

    Parameters
    ----------
    id : str
    ids : (str, str)
        Of the two sentences, as their parses have them.
    texts : (str, str)
    """

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

    Raises
    ------
    TaskError
        For an empty file, a line that is not as `MSRPC_COLUMNS` says, a quality other than 0 and 1, a pair that comes
        twice, in either order.
    """
    pairs, line_of = [], {}
    for line, row in read_table(path, MSRPC_COLUMNS, {"Quality": YES_NO}):
        ids, texts = (row["#1 ID"], row["#2 ID"]), (row["#1 String"], row["#2 String"])
        if line_of.setdefault(frozenset(ids), line) != line:
            problem = f"the pair {' '.join(ids)} stands already in line {line_of[frozenset(ids)]}; keep one row"
            raise TaskError(Path(path).name, line, problem)
        if row["Quality"]:
            pairs.append(Pair("-".join(ids), ids, texts))
    return pairs


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a teaching set.

    Raises
    ------
    TaskError
        For a line that is not as `PAIR_COLUMNS` says, or an id that comes twice.
    """
    rows = read_table(path, PAIR_COLUMNS, key="id")
    return [Pair(row["id"], (f"{row['id']}.1", f"{row['id']}.2"), (row["first"], row["second"])) for _, row in rows]


def read_sentences(path: Path, pairs: Iterable[Pair]) -> dict[str, Sentence]:
    """The parses of the pairs' sentences under their ids.

    Raises
    ------
    TaskError
        If one is missing or comes twice, or its tokens are not those that `tokenise` makes of the text.
    """
    parses, parsed = read_trees(path), {}
    for pair in pairs:
        for id, text in zip(pair.ids, pair.texts, strict=True):
            if id not in parses:
                raise TaskError(path, None, f"no parse of sentence {id}; parse the sentences again")
            parsed[id] = parses[id]
            if tuple(token.form for token in parsed[id]) != tokenise(text):
                raise TaskError(path, None, f"the parse of sentence {id} has other tokens; parse the sentences again")
    return parsed


def load(name: str) -> tuple[list[Pair], dict[str, Sentence]]:
    """The positive pairs of ``msrpc``, training and test parts, or the pairs of a teaching set; and their parses.

    Raises
    ------
    TaskError
        For another name, or a file that is not as it should be.
    cdsm_lib.datasets.DataError
        If the data cannot be had.

    Examples
    --------
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
    if name != "paraphrases":
        raise TaskError(None, None, f"no set {name!r}; there are msrpc and paraphrases")
    folder = datasets.sample_path(name)
    pairs = read_pairs(folder / "pairs.tsv")
    return pairs, read_sentences(folder / "paraphrases.conllu", pairs)


# -------------------------------------------------------------------------------------------------- evaluation corpus


@dataclass(frozen=True)
class Version:
    """A sentence with so many words replaced.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    level : int
        How many words.
    tokens : tuple of str
    changes : tuple of (position, lemma)
        In the order in which they were made.
    """

    kind: str
    level: int
    tokens: tuple[str, ...]
    changes: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class Case:
    """A sentence with a paraphrase.

    Parameters
    ----------
    base, paraphrase : int
        Numbers of sentences in `Localisation.sentences`.
    """

    base: int
    paraphrase: int


@dataclass(frozen=True)
class Localisation:
    """The evaluation corpus.

    Parameters
    ----------
    dataset : str
    sentences : tuple of Sentence
        Tagged and parsed, each once.
    cases : tuple of Case
        Two a pair of paraphrases.
    versions : tuple of tuple of Version
        Of each sentence, of all kinds.
    funnel : Counter
        Tokens of the cases' base sentences by (step, kind), see `cdsm_lib.construction.localisation.STEPS`.
    sense : str
        Of which the versions were made, see `cdsm_lib.construction.localisation.sense_taken`.
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
    def families(self) -> np.ndarray:
        """The family of each case, int [cases], in the order of their sentences."""
        ends = np.array([(case.base, case.paraphrase) for case in self.cases], dtype=np.int64).reshape(-1, 2)
        shape = (ends.max(initial=-1) + 1,) * 2
        links = sparse.coo_array((np.ones(len(ends)), tuple(ends.T)), shape=shape)
        return connected_components(links, directed=False)[1][ends[:, 0]]

    def counts(self, most: int = 9) -> dict[int, tuple[int, int, int]]:
        """Cases with synonyms, with antonyms, and with both, by level: the later draft's Table 2."""
        deepest = [Counter(version.kind for version in versions) for versions in self.versions]
        depths = [[deepest[case.base][kind] for kind in (SYNONYM, ANTONYM)] for case in self.cases]
        reached = np.array(depths).reshape(-1, 2)
        has = {level: reached >= level for level in range(1, most + 1)}
        return {level: (*map(int, of.sum(axis=0)), int(of.all(axis=1).sum())) for level, of in has.items()}


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


def texts(task: Localisation) -> Texts:
    """What a model must embed. Texts of different sentences are kept apart even where they are the same.

    Examples
    --------
    >>> version = Version(SYNONYM, 1, tokens=("a", "feline"), changes=((1, "feline"),))
    >>> found = texts(Localisation("mine", (Sentence(()),), (), versions=((version,),)))
    >>> found.tokens, found.source, found.at
    (((), ('a', 'feline')), array([0, 0]), {(0, 'synonym', 1): 1})
    """
    tokens = [tuple(token.form for token in sentence) for sentence in task.sentences]
    source, changes, at = list(range(len(tokens))), [()] * len(tokens), {}
    for s, versions in enumerate(task.versions):
        for version in versions:
            at[s, version.kind, version.level] = len(tokens)
            tokens.append(version.tokens)
            source.append(s)
            changes.append(version.changes)
    return Texts(tuple(tokens), np.array(source, dtype=np.int64), tuple(changes), at)


# -------------------------------------------------------------------------------------------------------------- scores


@dataclass(frozen=True)
class Distances:
    """How far a model puts paraphrases and versions from the base sentences.

    Attributes
    ----------
    paraphrase : float64 array [cases]
    versions : dict of (kind, level) to float64 array [cases]
        NaN for cases that have no such version; kinds and levels that some case has.

    Each is NaN, too, where the model knows no word of one of the two texts.
    """

    paraphrase: np.ndarray
    versions: Mapping[tuple[str, int], np.ndarray]

    def of(self, kind: str | None, level: int) -> np.ndarray:
        """Of all cases, float64 [cases], NaN where there is none; of paraphrases for None."""
        if kind is None:
            return self.paraphrase
        return self.versions.get((kind, level), np.full(len(self.paraphrase), np.nan))


def distances(task: Localisation, of: Texts, distance: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Distances:
    """The distances of an evaluation corpus.

    Parameters
    ----------
    task : Localisation
    of : Texts
        Its texts.
    distance : callable
        Takes two int arrays of texts and gives their distances, row by row; NaN where the model knows no word of one of
        the two: no share counts these.

    """
    base, other = np.array([(case.base, case.paraphrase) for case in task.cases], dtype=np.int64).reshape(-1, 2).T
    deepest = max((version.level for versions in task.versions for version in versions), default=0)
    by_kind = {}
    for kind, level in product(KINDS, range(1, deepest + 1)):
        place = np.array([of.at.get((s, kind, level), -1) for s in base.tolist()], dtype=np.int64)
        there = place >= 0
        if there.any():
            by_kind[kind, level] = np.full(len(base), np.nan)
            by_kind[kind, level][there] = distance(base[there], place[there])
    return Distances(np.asarray(distance(base, other), dtype=np.float64), by_kind)


@dataclass(frozen=True)
class Share:
    """One of the shares at one level.

    Attributes
    ----------
    credit : float64 array [items]
        1 where the sentences lie as they should.
    ties : float64 array [items]
        1 where the two distances are equal.
    families : int array [items]
        The family of each item.
    """

    credit: np.ndarray
    ties: np.ndarray
    families: np.ndarray

    @property
    def value(self) -> float:
        """The share; NaN where there is no item."""
        return float(self.credit.mean()) if len(self.credit) else math.nan


NEAR, FAR, APART = "synonym <= paraphrase", "antonym > paraphrase", "antonym > synonym"
SHARES = (NEAR, FAR, APART)
"""The metrics of section 5 and the tables of the later draft: larger is better."""
COMPARED = {
    NEAR: (SYNONYM, None), FAR: (ANTONYM, None), APART: (ANTONYM, SYNONYM),
    "random noun > synonym": (RANDOM_NOUN, SYNONYM), "random verb > antonym": (RANDOM_VERB, ANTONYM),
}  # fmt: skip
"""What each share compares: a kind of version with another, or with the paraphrase."""


def share(task: Localisation, measured: Distances, metric: str, level: int, among: np.ndarray | None = None) -> Share:
    """One share at one level: equal counts for ``<=`` and not for ``>``.

    Parameters
    ----------
    task : Localisation
    measured : Distances
        Rounded, so that what is equal is equal: rounding noise must not break a tie.
    metric : str
        One of `COMPARED`.
    level : int
        Of both kinds, where two are compared.
    among : bool array [cases], optional
        Only these cases.

    Raises
    ------
    TaskError
        For another metric.

    Examples
    --------
    >>> task = Localisation("mine", (), cases=(Case(0, 1), Case(1, 0)), versions=())
    >>> measured = Distances(paraphrase=np.array([0.3, 0.3]), versions={(SYNONYM, 1): np.array([0.3, 0.5])})
    >>> near = share(task, measured, NEAR, level=1)
    >>> near.value, near.ties
    (0.5, array([1., 0.]))
    """
    if metric not in COMPARED:
        raise TaskError(None, None, f"no share {metric!r}; there are {', '.join(COMPARED)}")
    first, second = (measured.of(kind, level) for kind in COMPARED[metric])
    there = ~np.isnan(first) & ~np.isnan(second)
    cases = np.flatnonzero(there if among is None else there & among)
    first, second = first[cases], second[cases]
    credit = first <= second if "<=" in metric else first > second
    return Share(credit.astype(np.float64), (first == second).astype(np.float64), task.families[cases])
