r"""Phrase similarity: are two phrases of two words as similar to a model as they are to people?

The data of Mitchell and Lapata, "Composition in Distributional Models of Semantics" (Cognitive Science 34, 2010), as
Kober et al., "One Representation per Word - Does it make Sense for Composition?" (SENSE 2017), section 3, use them.
Participants rated pairs of phrases from 1 (not similar) to 7 (very similar). A model gives every pair a similarity, and
the two are compared by rank. Pairs of any other kind, in a table of your own, are for `cdsm_lib.tasks.rated_pairs`.

Conventions: kinds of phrases are AN adjective and noun, NN noun and noun, VO verb and object, the verb first. Words are
labels, ``lemma|POS``. `similarities` is a float array [pairs], higher for more similar. NaN is refused: an unknown word
is a zero vector, a pair with nothing known has similarity 0.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.task import Measure, Task, Texts, Vocabulary, column, phrase

TAGS = {"AN": ("ADJ", "NOUN"), "NN": ("NOUN", "NOUN"), "VO": ("VERB", "NOUN")}
KINDS = tuple(TAGS)
TREES = {"AN": ([1, -1], ["amod", "root"]), "NN": ([1, -1], ["compound", "root"]), "VO": ([-1, 0], ["root", "obj"])}
TYPES = {"adjectivenouns": "AN", "compoundnouns": "NN", "verbobjects": "VO"}  # as the file of ratings names them
LOWEST, HIGHEST = 1, 7
COLUMNS = ("participant", "type", "phrase1_w1", "phrase1_w2", "phrase2_w1", "phrase2_w2", "rating")
GRADED_COLUMNS = ("number", "kind", "word1", "word2", "word3", "word4", "grade")
EDITORS = "editors"
"""The one rater of the teaching set, whose grades are no participants' ratings."""
AVERAGE = "average"
RHO, RHO_OF_MEANS = "rho", "rho with mean ratings"
_BATCH = 1000  # resamples that are worked on at a time


@dataclass(frozen=True)
class Pair:
    """Two words, phrases or sentences, and their ratings.

    Attributes
    ----------
    number : int
        From 1, in the order in which the pairs first come up in their file.
    kind : str
        "AN", "NN" or "VO" in the sets of this module; any name in a table of your own.
    first, second : tuple of str
        The words of each text, mostly as labels; in VO the verb comes first.
    ratings : tuple of float
    raters : tuple of str
        One a rating; empty if they are not known.
    """

    number: int
    kind: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    ratings: tuple[float, ...]
    raters: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The labels of both texts."""
        return (*self.first, *self.second)

    @property
    def mean(self) -> float:
        """The mean rating."""
        return float(np.mean(self.ratings))


@dataclass(frozen=True)
class PhraseSimilarity:
    """Rated pairs of a dataset, in the order of their numbers."""

    dataset: str
    pairs: tuple[Pair, ...]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        numbers = Counter(pair.kind for pair in self)
        kinds = f" ({', '.join(f'{n} {kind}' for kind, n in numbers.items())})" if len(numbers) > 1 else ""
        ratings = sum(len(pair.ratings) for pair in self)
        return f"{self.dataset}: {len(self)} pairs{kinds}, {ratings} ratings, {len(self.words)} words"

    def of(self, kind: str) -> tuple[Pair, ...]:
        """The pairs of a kind, in order; `TaskError` for another kind."""
        kinds = sorted({*KINDS, *(pair.kind for pair in self)})
        if kind not in kinds:
            raise TaskError(None, None, f"unknown kind of phrase {kind!r}; there are {', '.join(kinds)}")
        return tuple(pair for pair in self.pairs if pair.kind == kind)

    @classmethod
    def of_ratings(cls, dataset: str, rated: Mapping[tuple, Mapping], named: bool = True) -> "PhraseSimilarity":
        """Pairs from {(kind, first, second): {rater: rating}}, numbered in this order; `named` if raters are known."""
        pairs = (
            Pair(number, *pair, tuple(ratings.values()), tuple(ratings) if named else ())
            for number, (pair, ratings) in enumerate(rated.items(), 1)
        )
        return cls(dataset, tuple(pairs))

    @property
    def words(self) -> tuple[str, ...]:
        """Every label once, in the order of first appearance."""
        return tuple(dict.fromkeys(word for pair in self.pairs for word in pair.words))


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _rated(dataset: str, rows: Iterable[tuple[int, dict]], rater: str | None = None) -> PhraseSimilarity:
    """Pairs from rows of a rater (or the one given), kind, four words and rating; rows of a pair may stand apart."""
    rated: dict[tuple, dict[str, float]] = defaultdict(dict)
    for _, row in rows:
        participant, kind, *words, rating = row.values()
        labels = tuple(f"{word}|{tag}" for word, tag in zip(words, TAGS[kind] * 2, strict=True))
        rated[kind, labels[:2], labels[2:]][rater or participant] = rating
    return PhraseSimilarity.of_ratings(dataset, rated)


def read(path, dataset: str = "ml2010") -> PhraseSimilarity:
    """Read single ratings, one a row: UTF-8, tab-separated, with the header `COLUMNS`.

    Types are ``adjectivenouns``, ``compoundnouns`` and ``verbobjects`` (verb first), words are lemmas, ratings whole
    numbers from 1 to 7. Raises `TaskError` with file and line, also for a participant who rates a pair twice.
    """
    kinds = {"type": TYPES, "rating": {str(rating): float(rating) for rating in range(LOWEST, HIGHEST + 1)}}
    return _rated(dataset, read_table(path, COLUMNS, kinds, key=COLUMNS[:-1]))


def read_graded(path, dataset: str = "phrase_pairs") -> PhraseSimilarity:
    """Read pairs with one grade each, as in the teaching set: tab-separated, with the header `GRADED_COLUMNS`.

    A grade is 3 (paraphrase), 2 (related) or 1 (unrelated): the rating of the rater `EDITORS`. Raises `TaskError` with
    file and line.
    """
    return _rated(dataset, read_table(path, GRADED_COLUMNS, {"kind": KINDS, "grade": float}), EDITORS)


def load(dataset: str = "ml2010") -> PhraseSimilarity:
    """The set "ml2010", or the book's own "phrase_pairs", with grades in place of ratings.

    In Mitchell and Lapata's (2010) set there are 108 pairs of each kind, 18 ratings a pair. Raises
    `cdsm_lib.datasets.DataError` for another name, or if the file cannot be had.

    >>> items = load("phrase_pairs")
    >>> len(items), items.pairs[0].first, items.pairs[0].second
    (108, ('loud|ADJ', 'music|NOUN'), ('quiet|ADJ', 'song|NOUN'))
    """
    if dataset == "ml2010":
        return read(datasets.fetch("ml2010", "ml2010.tsv"))
    return read_graded(datasets.sample_path(dataset) / "pairs.tsv", dataset)


# ---------------------------------------------------------------------------------------------------------------------
# Metrics


def _similarities(similarities, pairs: Sequence[Pair]) -> np.ndarray:
    values = np.asarray(similarities, dtype=np.float64)
    if not len(pairs) or values.shape != (len(pairs),):
        raise ValueError(f"similarities of shape {values.shape} for {len(pairs)} pairs; one a pair, in their order")
    if not np.isfinite(values).all():
        raise ValueError("similarities hold NaN or infinity; give a pair of which nothing is known 0")
    return values


def rho_individual(similarities, pairs: Sequence[Pair]) -> float:
    """Spearman's rho of the similarities with all single ratings: each similarity counts once for each rating.

    This is what Mitchell and Lapata (2010) and Kober et al. (2017) report. Since participants differ, no similarity
    reaches 1; see :func:`best_possible`. Raises `ValueError` for another number of similarities, NaN, or where all
    similarities or all ratings are equal.

    Examples
    --------
    >>> words = ("old", "dog"), ("aged", "hound")
    >>> pairs = [Pair(i, "AN", *words, ratings) for i, ratings in enumerate([(7, 6), (3, 4), (1, 1)], 1)]
    >>> round(rho_individual([0.9, 0.4, 0.2], pairs), 3)
    0.97
    """
    values = _similarities(similarities, pairs)
    ratings = [pair.ratings for pair in pairs]
    return metrics.spearman(np.repeat(values, [*map(len, ratings)]), np.concatenate(ratings))


def averaged(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs with their mean rating as the only one."""
    return tuple(replace(pair, ratings=(pair.mean,), raters=()) for pair in pairs)


def rho_mean(similarities, pairs: Sequence[Pair]) -> float:
    """`rho_individual` with the mean rating of each pair.

    Averaging removes the participants' disagreement, so this is far higher, and not to be compared with the other.
    """
    return rho_individual(similarities, averaged(pairs))


def best_possible(pairs: Sequence[Pair]) -> float:
    """`rho_individual` of the mean ratings themselves: about what a perfect model can reach.

    It is below 1 by the participants' disagreement. It is no strict bound: the order of the mean *ranks* may do better
    in the third decimal.
    """
    return rho_individual([pair.mean for pair in pairs], pairs)


def human_ceiling(pairs: Sequence[Pair]) -> np.ndarray:
    """How well people do: each participant against the mean of the others (leave one out).

    For each participant and kind, Spearman's rho of their ratings with the mean of the others' ratings, over the
    pairs that they rated; left out are pairs that nobody else rated, and participants without a correlation. It is a
    correlation *within* a participant, so it is not hurt by participants who use the scale differently, as
    :func:`rho_individual` is: a model can be below the mean of the correlations, and still near :func:`best_possible`.

    Returns
    -------
    float array [participants and kinds]

    Raises
    ------
    ValueError
        If no participant has a correlation, as in the teaching set with its one grade a pair, or without names.

    Examples
    --------
    >>> rated = enumerate([(7, 6), (3, 4), (1, 1)], 1)  # Ann and Bob order them alike
    >>> human_ceiling([Pair(i, "AN", ("old", "dog"), ("aged", "hound"), both, ("ann", "bob")) for i, both in rated])
    array([1., 1.])
    """
    alone, others = defaultdict(list), defaultdict(list)
    for pair in pairs:
        total, n = sum(pair.ratings), len(pair.ratings)
        for rater, rating in zip(pair.raters, pair.ratings, strict=bool(pair.raters)) if n > 1 else ():
            alone[rater, pair.kind].append(rating)
            others[rater, pair.kind].append((total - rating) / (n - 1))
    varied = [key for key in alone if np.ptp(alone[key]) and np.ptp(others[key])]
    correlations = [metrics.spearman(alone[key], others[key]) for key in varied]
    if not correlations:
        raise ValueError("no participant can be compared with others: ratings of several participants are needed")
    return np.array(correlations)


def mean_ratings_normalised(pairs: Sequence[Pair]) -> np.ndarray:
    r"""Mean ratings [pairs] divided by the highest rating, :math:`\bar{r} / 7`, to be put beside cosines.

    Table 2 of Kober et al. (2017) shows human scores "normalised and averaged" and does not say how. Of the ways that
    were tried (by 7; by each participant's highest rating; 1 to 7, or each participant's own range, onto 0 to 1) this
    comes nearest to its figures: within .03 in five of its six rows, .06 off in the other.
    """
    return column(pairs, "mean") / HIGHEST


# ---------------------------------------------------------------------------------------------------------------------
# Bootstrap over pairs


def _one_hot(values: np.ndarray) -> np.ndarray:
    """Which of its sorted different values each entry has: float64 [n, values]."""
    levels, place = np.unique(values, return_inverse=True)
    return np.eye(len(levels))[place]


def _centred_ranks(counts: np.ndarray) -> np.ndarray:
    """Ranks of tied groups of these sizes, in order, less the mean rank: [resamples, groups]."""
    return np.cumsum(counts, axis=1) - (counts + counts.sum(axis=1, keepdims=True)) / 2


def _weighted_rho(draws: np.ndarray, similar: np.ndarray, rated: np.ndarray) -> np.ndarray:
    """Spearman's rho if pair p comes draws[:, p] times, with similarity `similar` and ratings `rated`, both one-hot."""
    similar_counts, rated_counts = draws @ (similar * rated.sum(axis=1, keepdims=True)), draws @ rated
    x, y = _centred_ranks(similar_counts), _centred_ranks(rated_counts)
    covariance = np.einsum("np,np,np->n", draws, x @ similar.T, y @ rated.T)
    norms = np.sqrt((similar_counts * x * x).sum(axis=1) * (rated_counts * y * y).sum(axis=1))
    return np.divide(covariance, norms, out=np.zeros(len(draws)), where=norms > 0)


def resampled_rho(similarities, pairs: Sequence[Pair], n: int = 10_000, seed: int = 0) -> np.ndarray:
    """`rho_individual` of each bootstrap resample of the pairs, float64 [n].

    Pairs are drawn with replacement, each with all its ratings: ratings of one pair are not independent, and the
    question is what would come of other pairs. The same seed, n and number of pairs draw the same resamples for every
    system. A resample of equal similarities, or ratings, throughout orders nothing: its rho is 0.

    Examples
    --------
    >>> pairs = [Pair(i, "AN", ("old", "dog"), ("aged", "hound"), (rating,)) for i, rating in enumerate([6, 3, 1])]
    >>> resampled_rho([0.9, 0.2, 0.4], pairs, n=4).round(3)
    array([-1.,  0.,  0., -1.])
    """
    values, rng, batches = _similarities(similarities, pairs), np.random.default_rng(seed), []
    owner = np.repeat(np.arange(len(pairs)), [len(pair.ratings) for pair in pairs])
    rated = np.eye(len(pairs))[:, owner] @ _one_hot(np.concatenate([pair.ratings for pair in pairs]))
    for start in range(0, n, _BATCH):
        size = (min(_BATCH, n - start), len(pairs))
        drawn = rng.integers(0, len(pairs), size) + np.arange(size[0])[:, None] * len(pairs)
        draws = np.bincount(drawn.ravel(), minlength=size[0] * len(pairs)).reshape(size).astype(np.float64)
        batches.append(_weighted_rho(draws, _one_hot(values), rated))
    return np.concatenate(batches)


# ---------------------------------------------------------------------------------------------------------------------
# As a task


def task(items: PhraseSimilarity, vocabulary: Vocabulary, kinds: Sequence[str] = KINDS) -> Task:
    """Two phrases of two words; Spearman's rho with single ratings, and with their means, averaged over the kinds.

    All pairs are asked for, whatever the kinds. A system to which all pairs of a kind are equally similar orders
    nothing: its rho is 0. Resampled are the pairs of each kind.
    """
    seen, places = Texts(), []
    for pair in items:
        tree = *TREES[pair.kind], vocabulary
        places.append([seen.place((pair.kind, words), phrase, words, *tree) for words in (pair.first, pair.second)])
    measures = {RHO: _measure(items.pairs, kinds), RHO_OF_MEANS: _measure(averaged(items), kinds)}
    sizes = [len(items.of(kind)) for kind in kinds]
    return Task(
        "phrase similarity", items.dataset, AVERAGE if len(kinds) > 1 else kinds[0], seen.in_order(), np.array(places),
        measures, sum(sizes), labels={"kind": np.array(kinds)}, sizes=sizes,
    )  # fmt: skip


def _measure(pairs: Sequence[Pair], kinds: Sequence[str]) -> Measure:
    """Rho of each kind; the seed is that of a single kind, and of several each has one of its own."""
    of_kind = np.array(kinds)[:, None] == column(pairs, "kind")
    parts = [(here, list(compress(pairs, here))) for here in of_kind]

    def values(similarity: np.ndarray) -> np.ndarray:
        return np.array([
            rho_individual(similarity[here], rated) if np.ptp(similarity[here]) else 0.0 for here, rated in parts
        ])  # fmt: skip

    def resampled(similarity: np.ndarray, n: int, seed: int) -> np.ndarray:
        first = seed + (len(parts) > 1)
        return np.array([resampled_rho(similarity[here], rated, n, first + i) for i, (here, rated) in enumerate(parts)])

    return Measure(values, resampled)
