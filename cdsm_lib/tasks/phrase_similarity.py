r"""Phrase similarity: are two phrases of two words as similar to a model as they are to people?

The data of Jeff Mitchell and Mirella Lapata, "Composition in Distributional Models of Semantics" (Cognitive Science 34,
2010), as Thomas Kober and others use them in "One Representation per Word - Does it make Sense for Composition?"
(SENSE workshop at EACL 2017), section 3. Participants rated pairs of phrases from 1 (not similar) to 7 (very similar).
A model gives every pair a similarity, the cosine of the two composed vectors, and the two are compared by rank.
Pairs of any other kind, in a table of your own, are read and scored by `cdsm_lib.tasks.rated_pairs`.

Conventions
-----------
Kinds of phrases: AN adjective and noun, NN noun and noun, VO verb and object, the verb first. Words are labels,
``lemma|POS``. Functions take pairs, most often those of one kind (``PhraseSimilarity.of``), and `similarities`, a float
array [pairs] in their order; higher is more similar. NaN is refused: an unknown word is a zero vector, a pair with
nothing known has similarity 0, and the system reports how many words it lacked. A *participant* is a rater.

Data
----
load                        a set by name: ``ml2010``, or the teaching set ``phrase_pairs``
read, read_graded           the files

Metrics
-------
rho_individual              Spearman's rho with all single ratings: the headline, as in both papers
rho_mean                    Spearman's rho with the mean ratings, far higher
human_ceiling               how well participants agree, each with the others
best_possible               what the mean ratings themselves reach with the single ones
resampled_rho               rho of each bootstrap resample of the pairs, the same resamples for every system
mean_ratings_normalised     mean ratings on the scale of cosines (Table 2 of Kober et al.)
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError, read_table

TAGS = {"AN": ("ADJ", "NOUN"), "NN": ("NOUN", "NOUN"), "VO": ("VERB", "NOUN")}
KINDS = tuple(TAGS)
TYPES = {"adjectivenouns": "AN", "compoundnouns": "NN", "verbobjects": "VO"}  # as the file of ratings names them
LOWEST, HIGHEST = 1, 7
COLUMNS = ("participant", "type", "phrase1_w1", "phrase1_w2", "phrase2_w1", "phrase2_w2", "rating")
GRADED_COLUMNS = ("number", "kind", "word1", "word2", "word3", "word4", "grade")
EDITORS = "editors"
"""The one rater of the teaching set, whose grades are no participants' ratings."""
_BATCH = 1000  # resamples that are worked on at a time


@dataclass(frozen=True)
class Pair:
    """Two words, phrases or sentences, and their ratings.

    Parameters
    ----------
    number : int
        From 1, in the order in which the pairs first come up in their file.
    kind : str
        "AN", "NN" or "VO" in the sets of this module; any name in a table of your own.
    first, second : tuple of str
        The words of each text, mostly as labels; in VO the verb comes first.
    ratings : tuple of float
        One for each participant who rated the pair.
    raters : tuple of str
        Their names, in the same order; empty if they are not known.

    Raises
    ------
    TaskError
        For a text without words, no ratings, ratings that are not finite, not one rater a rating, or a rater who comes
        twice.
    """

    number: int
    kind: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    ratings: tuple[float, ...]
    raters: tuple[str, ...] = ()

    def __post_init__(self):
        if not self.first or not self.second:
            raise TaskError(None, None, f"pair {self.number}: a text without words; leave the pair out")
        if not self.ratings or not np.isfinite(self.ratings).all():
            raise TaskError(None, None, f"pair {self.number}: ratings {self.ratings}; at least one, all finite")
        if len(self.raters) not in (0, len(self.ratings)) or len(set(self.raters)) != len(self.raters):
            raise TaskError(None, None, f"pair {self.number}: raters {self.raters}; one a rating, all different")

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
    """A set of rated pairs.

    Parameters
    ----------
    dataset : str
    pairs : tuple of Pair
        In the order of their numbers.
    """

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

    @property
    def words(self) -> tuple[str, ...]:
        """Every label once, in the order of first appearance."""
        return tuple(dict.fromkeys(word for pair in self.pairs for word in pair.words))


# ---------------------------------------------------------------------------------------------------------------------
# Files


def _task(dataset: str, rows: Iterable[tuple]) -> PhraseSimilarity:
    """Pairs from rows of kind, four words, rater and rating; the rows of a pair need not stand together."""
    rated: dict[tuple, dict[str, float]] = defaultdict(dict)
    for kind, words, rater, rating in rows:
        labels = tuple(f"{word}|{tag}" for word, tag in zip(words, TAGS[kind] * 2, strict=True))
        rated[kind, labels[:2], labels[2:]][rater] = rating
    pairs = (
        Pair(number, *pair, tuple(ratings.values()), tuple(ratings))
        for number, (pair, ratings) in enumerate(rated.items(), 1)
    )
    return PhraseSimilarity(dataset, tuple(pairs))


def read(path, dataset: str = "ml2010") -> PhraseSimilarity:
    """Read single ratings, one a row.

    Parameters
    ----------
    path : path
        UTF-8, tab-separated, with the header ``participant type phrase1_w1 phrase1_w2 phrase2_w1 phrase2_w2 rating``.
        Types are ``adjectivenouns``, ``compoundnouns`` and ``verbobjects`` (verb first), words are lemmas, ratings
        whole numbers from 1 to 7. The rows of a pair need not stand together.
    dataset : str
        Name of the set.

    Returns
    -------
    PhraseSimilarity

    Raises
    ------
    TaskError
        With file and line, as `read_table`; also for a participant who rates a pair twice.
    """
    kinds = {"type": TYPES, "rating": {str(rating): float(rating) for rating in range(LOWEST, HIGHEST + 1)}}
    rows = (row for _, row in read_table(path, COLUMNS, kinds, key=COLUMNS[:-1]))
    ratings = ((row["type"], [row[name] for name in COLUMNS[2:6]], row["participant"], row["rating"]) for row in rows)
    return _task(dataset, ratings)


def read_graded(path, dataset: str = "phrase_pairs") -> PhraseSimilarity:
    """Read pairs with one grade each, as in the teaching set.

    Parameters
    ----------
    path : path
        UTF-8, tab-separated, with the header ``number kind word1 word2 word3 word4 grade``. Numbers count from 1; kinds
        are AN, NN and VO; grades are 3 (paraphrase), 2 (related) and 1 (unrelated).
    dataset : str
        Name of the set.

    Returns
    -------
    PhraseSimilarity
        Each pair with one rating, its grade, of the rater `EDITORS`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv")
    ...     header = "number kind word1 word2 word3 word4 grade"
    ...     _ = path.write_text("\\n".join([header, "1 AN old dog aged hound 3"]).replace(" ", "\\t") + "\\n")
    ...     print(read_graded(path).pairs[0].second)
    ('aged|ADJ', 'hound|NOUN')
    """
    rows = (row for _, row in read_table(path, GRADED_COLUMNS, {"grade": float}))
    grades = ((row["kind"], [row[name] for name in GRADED_COLUMNS[2:6]], EDITORS, row["grade"]) for row in rows)
    return _task(dataset, grades)


def load(dataset: str = "ml2010") -> PhraseSimilarity:
    """A set by name.

    Parameters
    ----------
    dataset : {"ml2010", "phrase_pairs"}
        The ratings of Mitchell and Lapata (2010): 108 pairs of each kind, 18 ratings a pair. Or the book's own
        teaching set, with grades in place of ratings.

    Returns
    -------
    PhraseSimilarity

    Raises
    ------
    TaskError
        For another name or a spoilt file.
    cdsm_lib.datasets.DataError
        If the file cannot be had.

    Examples
    --------
    >>> task = load("phrase_pairs")
    >>> pair = task.pairs[0]
    >>> len(task), pair.first, pair.second
    (108, ('loud|ADJ', 'music|NOUN'), ('quiet|ADJ', 'song|NOUN'))
    """
    if dataset == "ml2010":
        return read(datasets.fetch("ml2010", "ml2010.tsv"))
    if dataset == "phrase_pairs":
        return read_graded(datasets.sample_path("phrase_pairs") / "pairs.tsv")
    raise TaskError(None, None, f"unknown set of phrase pairs {dataset!r}; there are ml2010 and phrase_pairs")


# ---------------------------------------------------------------------------------------------------------------------
# Metrics


def _similarities(similarities, pairs: Sequence[Pair]) -> np.ndarray:
    values = np.asarray(similarities, dtype=np.float64)
    if not len(pairs) or values.shape != (len(pairs),):
        raise ValueError(f"similarities of shape {values.shape} for {len(pairs)} pairs; one a pair, in their order")
    if not np.isfinite(values).all():
        raise ValueError("similarities hold NaN or infinity; give a pair of which nothing is known 0")
    return values


def _ratings(pairs: Sequence[Pair], which: str) -> list[tuple[float, ...]]:
    """For each pair the ratings that rho is with."""
    if which not in ("individual", "mean"):
        raise ValueError(f"which={which!r}; rho is with the individual ratings or with their mean")
    return [pair.ratings if which == "individual" else (pair.mean,) for pair in pairs]


def rho(similarities, pairs: Sequence[Pair], which: str) -> float:
    """`rho_individual` or `rho_mean`, by `which`: "individual" or "mean".

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> rho([0.9, 0.2, 0.4], pairs, "mean")
    0.5
    """
    values, ratings = _similarities(similarities, pairs), _ratings(pairs, which)
    return metrics.spearman(np.repeat(values, [len(own) for own in ratings]), np.concatenate(ratings))


def rho_individual(similarities, pairs: Sequence[Pair]) -> float:
    """Spearman's rho of the similarities with all single ratings: each similarity counts once for each rating.

    This is what Mitchell and Lapata (2010) and Kober et al. (2017) report. Since participants differ, no similarity
    reaches 1; see :func:`best_possible`.

    Parameters
    ----------
    similarities : float array [pairs]
    pairs : sequence of Pair

    Returns
    -------
    float

    Raises
    ------
    ValueError
        For another number of similarities, NaN, or where all similarities or all ratings are equal.

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> round(rho_individual([0.9, 0.4, 0.2], pairs), 3)
    0.97
    """
    return rho(similarities, pairs, "individual")


def rho_mean(similarities, pairs: Sequence[Pair]) -> float:
    """Spearman's rho of the similarities with the mean rating of each pair.

    Averaging removes the participants' disagreement, so this is far higher than :func:`rho_individual`, and not to be
    compared with it.

    Parameters, result and errors as for :func:`rho_individual`.

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> rho_mean([0.9, 0.4, 0.2], pairs)
    1.0
    """
    return rho(similarities, pairs, "mean")


def best_possible(pairs: Sequence[Pair]) -> float:
    """`rho_individual` of the mean ratings themselves: about what a perfect model can reach.

    It is below 1 by the participants' disagreement. It is no strict bound, since Spearman's rho works on ranks: the
    order of the mean *ranks* may do better in the third decimal.

    Parameters
    ----------
    pairs : sequence of Pair

    Returns
    -------
    float
        1 if all raters of every pair agree, and hence for the teaching set.

    Raises
    ------
    ValueError
        Without pairs, or where all mean ratings are equal.

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> round(best_possible(pairs), 3)
    0.97
    """
    return rho_individual([pair.mean for pair in pairs], pairs)


def human_ceiling(pairs: Sequence[Pair]) -> np.ndarray:
    """How well people do: each participant against the mean of the others (leave one out).

    For each participant and kind, Spearman's rho of their ratings with the mean of the others' ratings, over the
    pairs that they rated. Pairs that nobody else rated are left out, and so are participants (and kinds) without a
    correlation: their ratings, or the others' means, are all equal, or nobody else rated two of their pairs. It is a
    correlation *within* a participant, so it is not hurt by participants who use the scale differently, as
    :func:`rho_individual` is: a model can be below this ceiling, the mean of the correlations, and still near the other
    limit, :func:`best_possible`.

    Parameters
    ----------
    pairs : sequence of Pair

    Returns
    -------
    float array [participants and kinds]

    Raises
    ------
    ValueError
        If no participant has a correlation, as in the teaching set with its one grade a pair, or without names.

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> human_ceiling(pairs)  # Ann and Bob order them alike
    array([1., 1.])
    """
    own, others = defaultdict(list), defaultdict(list)
    for pair in pairs:
        total, n = sum(pair.ratings), len(pair.ratings)
        for rater, rating in zip(pair.raters, pair.ratings, strict=bool(pair.raters)) if n > 1 else ():
            own[rater, pair.kind].append(rating)
            others[rater, pair.kind].append((total - rating) / (n - 1))
    correlations = [metrics.spearman(own[key], others[key]) for key in own if np.ptp(own[key]) and np.ptp(others[key])]
    if not correlations:
        raise ValueError("no participant can be compared with others: ratings of several participants are needed")
    return np.array(correlations)


def mean_ratings_normalised(pairs: Sequence[Pair]) -> np.ndarray:
    r"""Mean ratings divided by the highest rating, :math:`\bar{r} / 7`, to be put beside cosines.

    Table 2 of Kober et al. (2017) shows human scores "normalised and averaged" and does not say how. Of the ways that
    were tried (by 7; by each participant's highest rating; 1 to 7, or each participant's own range, onto 0 to 1) this
    comes nearest to its figures: within .03 in five of its six rows, .06 off in the other. The lowest rating becomes
    1/7 and not 0.

    Parameters
    ----------
    pairs : sequence of Pair
        With ratings from 1 to 7.

    Returns
    -------
    float array [pairs]

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> mean_ratings_normalised(pairs).round(3)
    array([0.929, 0.5  , 0.143])
    """
    return np.array([pair.mean for pair in pairs]) / HIGHEST


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
    return np.divide(covariance, norms, out=np.full(len(draws), np.nan), where=norms > 0)


def resampled_rho(
    similarities,
    pairs: Sequence[Pair],
    which: str = "individual",
    seed: int = 0,
    n: int = 10_000,
    constant: float | None = None,
) -> np.ndarray:
    """Rho of each bootstrap resample of the pairs.

    Pairs are drawn with replacement, each with all its ratings: ratings of one pair are not independent, and the
    question is what would come of other pairs. The same seed, n and number of pairs draw the same resamples for every
    system.

    Parameters
    ----------
    similarities : float array [pairs]
    pairs : sequence of Pair
    which : {"individual", "mean"}
        As :func:`rho_individual` or :func:`rho_mean`.
    seed, n : int
        Of the draws, and how many.
    constant : float, optional
        What a resample with equal similarities throughout gets; an error by default.

    Returns
    -------
    float array [n]

    Raises
    ------
    ValueError
        As for :func:`rho_individual`; for another `which`, n < 1, or if a resample has equal similarities or ratings
        throughout, as happens with few pairs.

    Examples
    --------
    >>> pairs = [
    ...     Pair(1, "AN", ("old", "dog"), ("aged", "hound"), (7, 6), ("ann", "bob")),
    ...     Pair(2, "AN", ("old", "dog"), ("old", "car"), (3, 4), ("ann", "bob")),
    ...     Pair(3, "AN", ("old", "dog"), ("new", "law"), (1, 1), ("ann", "bob")),
    ... ]
    >>> resampled_rho([0.9, 0.2, 0.4], pairs, "mean", n=4, constant=0.0).round(3)
    array([-1.,  0.,  0., -1.])
    """
    values, ratings = _similarities(similarities, pairs), _ratings(pairs, which)
    if n < 1:
        raise ValueError(f"n={n} resamples; at least one")
    if constant is None:
        rho(values, pairs, which)  # is it defined at all?
    owner = np.repeat(np.arange(len(pairs)), [len(own) for own in ratings])
    rated = np.eye(len(pairs))[:, owner] @ _one_hot(np.concatenate(ratings))
    similar, rng, batches = _one_hot(values), np.random.default_rng(seed), []
    for start in range(0, n, _BATCH):
        size = (min(_BATCH, n - start), len(pairs))
        drawn = rng.integers(0, len(pairs), size) + np.arange(size[0])[:, None] * len(pairs)
        draws = np.bincount(drawn.ravel(), minlength=size[0] * len(pairs)).reshape(size).astype(np.float64)
        batches.append(_weighted_rho(draws, similar, rated))
    rhos = np.concatenate(batches)
    if constant is not None:
        rhos[np.isnan(rhos)] = constant
    if np.isnan(rhos).any():
        problem = f"{int(np.isnan(rhos).sum())} of {n} resamples have equal similarities or ratings throughout"
        raise ValueError(f"{problem}; {len(pairs)} pairs are too few for an interval")
    return rhos
