"""Significance: paired permutation tests and bootstrap intervals over items.

Every function but `interval` takes one value an item (a term's average precision, a participant's correlation); all
are deterministic for a given seed. Pure functions; sums in float64.

Functions
---------
paired_permutation_test       is the mean difference of two systems larger than chance?
interval                      percentile interval of any statistic of rows, grouped if asked
bootstrap_interval            the same of a mean over items, or items in groups, fast
grouped_means                 means of several kinds of items, on the same resamples of their groups
by_group                      sums over the items of each group, with the mean of the items
paired_bootstrap_difference   percentile interval of the mean difference of two systems
permutation_test              is the mean difference of two groups of items larger than chance?
permutation_test_within       do the means of several kinds of items differ more than chance, within groups?
bootstrap_difference          percentile interval of the mean difference of two groups

References
----------
Noreen, E. W. (1989). Computer-Intensive Methods for Testing Hypotheses. Efron, B. and Tibshirani, R. J. (1993). An
Introduction to the Bootstrap.
"""

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from scipy import stats

_CHUNK = 1_000_000  # random numbers drawn at a time: at most 8 MB of them


class Interval(NamedTuple):
    """An estimate and its interval.

    Parameters
    ----------
    value, low, high : float
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:z.3f} ({self.low:z.3f} to {self.high:z.3f})"


def _values(values, name: str) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one value an item, got shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name} holds NaN or infinity; leave such items out of both systems first")
    return values


def _pairs(a, b) -> np.ndarray:
    a, b = _values(a, "a"), _values(b, "b")
    if a.shape != b.shape:
        raise ValueError(f"a and b must be of the same items in the same order, got {len(a)} and {len(b)} values")
    return a - b


def _batches(n: int, width: int):
    """Sizes of batches that make up n rows of `width` random numbers."""
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} must be positive, a whole number")
    step = max(1, _CHUNK // width)
    return [min(step, n - start) for start in range(0, n, step)]


def paired_permutation_test(a, b, n: int = 10_000, seed: int = 0, *, ties: bool = True) -> float:
    r"""Two-sided paired permutation test of the mean difference of two systems on the same items.

    Under the null hypothesis the two systems' values of an item are exchangeable, so every difference may change
    its sign. The statistic :math:`s` is the magnitude of the mean difference. Permutations are counted whose statistic
    is at least the observed one; what differs from it by less than 1e-12 is rounding and counts as equal:

    .. math:: p = \frac{1 + \#\{\text{permutations with } s \geq s_{\text{observed}}\}}{1 + n}

    Identical systems have no difference to test and give p = 1.

    Raises `ValueError` for unequal lengths, NaN, or n < 1.

    Parameters
    ----------
    a, b : float arrays [items]
        Values of the two systems, items in the same order.
    n : int
        Random permutations.
    seed : int
    ties : bool
        False counts only permutations whose statistic is *strictly* greater (Rimell et al. 2016). Among values of 0
        and 1 many are equal: where two systems differ in a single item, all are, and p would be near 0.

    Returns
    -------
    float
        The p value, in (0, 1].

    Examples
    --------
    >>> round(paired_permutation_test([1, 1, 1, 1], [0, 0, 0, 0]), 2)  # exactly 2/16: all four signs alike
    0.12
    """
    difference = _pairs(a, b)
    batches = _batches(n, len(difference))
    if not difference.any():
        return 1.0
    observed = np.abs(difference.mean())
    rng = np.random.default_rng(seed)
    least = observed - 1e-12 if ties else observed + 1e-12
    above = 0
    for rows in batches:
        signs = rng.integers(0, 2, (rows, len(difference)), dtype=np.int8) * 2.0 - 1.0
        above += int(np.sum(np.abs(signs @ difference / len(difference)) > least))
    return (1 + above) / (1 + n)


def _ends(resampled: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _draws(items: int, n: int, seed: int) -> Iterator[np.ndarray]:
    """Places of `items` drawn with replacement, n times, some resamples at a time: int64 [resamples, items]."""
    rng = np.random.default_rng(seed)
    for rows in _batches(n, items):
        yield rng.integers(0, items, (rows, items))


def interval(
    statistic: Callable[..., float], *columns, groups=None, n: int = 10_000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Percentile bootstrap interval of any statistic of rows, drawn one by one or in groups.

    Where several rows come from one thing (the ratings of a pair, the properties of a term), they are not independent:
    give `groups`, and whole groups are drawn, with all their rows. A resample on which the statistic is undefined, such
    as a correlation with values that are all equal, is left out if there are few of these.

    Raises `ValueError` for columns that are empty or of unequal length, n < 1, a level outside (0, 1), or a statistic
    that is undefined for the columns themselves or for more than 1 in 20 resamples.

    Parameters
    ----------
    statistic : callable
        Takes the columns and gives a number: `metrics.spearman`, `metrics.auc`, ``np.mean``, or your own.
    *columns : arrays [rows] or [rows, ...]
        What the statistic is of, such as similarities and ratings, row by row.
    groups : array [rows], optional
        The group of each row, by number or name.
    n : int
        Resamples.
    level : float
        Coverage, between 0 and 1.
    seed : int

    Returns
    -------
    Interval
        The statistic of the columns themselves, with the interval's ends.

    Examples
    --------
    >>> from cdsm_lib.evaluation.metrics import spearman
    >>> print(interval(spearman, [1, 2, 3, 4, 5, 6], [1, 2, 3, 6, 4, 5], groups=list("aaabbb"), n=999))
    0.829 (-0.500 to 1.000)

    Drawn are both groups (rho .829), the first one twice (1) or the second one twice (-.5), by 2 : 1 : 1. For the
    difference of two systems, let the statistic take both::

        interval(lambda a, b, ratings: spearman(a, ratings) - spearman(b, ratings), first, second, ratings)
    """
    arrays = [np.asarray(column) for column in columns]
    shapes = [array.shape for array in arrays]
    if not arrays or len({shape[:1] for shape in shapes}) > 1 or shapes[0][:1] in ((), (0,)):
        raise ValueError(f"columns of shape {shapes}: give at least one, all with the same rows, at least one row")
    which = np.arange(len(arrays[0])) if groups is None else np.asarray(groups)
    if which.shape != shapes[0][:1]:
        raise ValueError(f"{len(arrays[0])} rows and groups of shape {which.shape}: give one group a row")
    _, which = np.unique(which, return_inverse=True)
    rows_of = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    if not isinstance(level, Real) or not 0 < level < 1:
        raise ValueError(f"level={level!r} must lie between 0 and 1")
    value, resampled = float(statistic(*arrays)), []
    for batch in _draws(len(rows_of), n, seed):
        for groups_drawn in batch:
            rows = np.concatenate([rows_of[group] for group in groups_drawn])
            try:
                resampled.append(float(statistic(*(array[rows] for array in arrays))))
            except ValueError:
                resampled.append(np.nan)
    resampled = np.array(resampled)
    defined = ~np.isnan(resampled)
    if np.isnan(value) or defined.mean() < 0.95:
        problem = f"the statistic is undefined for {n - defined.sum()} of {n} resamples"
        drawn = "rows" if groups is None else "groups"
        raise ValueError(f"{problem}: {len(rows_of)} {drawn} are too few for an interval")
    return Interval(value, *_ends(resampled[defined], level))


def bootstrap_interval(values, n: int = 10_000, seed: int = 0, groups=None) -> Interval:
    """The 95% `interval` of a mean over items, which may come in groups: two from each pair of sentences. And fast.

    >>> print(bootstrap_interval([0.2, 0.4, 0.9], n=2000))
    0.500 (0.200 to 0.900)
    >>> print(bootstrap_interval([0.2, 0.4, 0.9, 0.7], n=2000, groups=[0, 0, 1, 1]))
    0.550 (0.300 to 0.800)

    Raises `ValueError` for no values, NaN, n < 1, or if there is not one group a value.

    Parameters
    ----------
    values : float array [items]
    n, seed
        As in :func:`interval`.
    groups : array [items], optional
        The group of each item.
    """
    groups = np.arange(len(values)) if groups is None else groups
    (resampled,) = grouped_means([values], [groups], n, seed)
    return Interval(float(np.mean(values)), *_ends(resampled))


def grouped_means(values: Sequence, groups: Sequence, n: int = 10_000, seed: int = 0) -> np.ndarray:
    """Means of several kinds of items that come from the same groups, such as a phrase's adjectives and its verb.

    >>> grouped_means([[1, 1], [0, 4]], [[0, 1], [0, 1]], n=500).mean(axis=1).round()
    array([1., 2.])

    Raises `ValueError` as in :func:`bootstrap_interval`.

    Parameters
    ----------
    values : sequence of float arrays [items of a kind]
        One array a kind.
    groups : sequence of int arrays [items of a kind]
        The group of each item; all kinds number the groups alike. A kind may lack some.
    n, seed
        As in :func:`interval`.

    Returns
    -------
    float64 array [kinds, resamples]
        Whole groups are drawn, the same for all kinds. Resamples that have no item of some kind are left out.
    """
    groups = list(map(np.asarray, groups))
    names, places = np.unique(np.concatenate(groups)), []
    for of_kind, group_of in zip(values, groups, strict=True):
        of_kind = _values(of_kind, "values")
        if group_of.shape != of_kind.shape:
            raise ValueError(f"{len(of_kind)} values and groups of shape {group_of.shape}: give one group a value")
        places.append((np.searchsorted(names, group_of), of_kind))
    sums = np.array([np.bincount(which, weights=of_kind, minlength=len(names)) for which, of_kind in places])
    sizes = np.array([np.bincount(which, minlength=len(names)) for which, _ in places])
    resampled = []
    for drawn in _draws(len(names), n, seed):
        counts = sizes[:, drawn].sum(axis=2)
        there = (counts > 0).all(axis=0)
        resampled.append(sums[:, drawn].sum(axis=2)[:, there] / counts[:, there])
    return np.concatenate(resampled, axis=1)


def by_group(values, groups) -> np.ndarray:
    """Sums over the items of each group, scaled so that their mean is the mean over items; float64 [groups].

    For tests between systems whose items must be drawn together: the two directions of a pair of sentences, or all
    pairs that share a sentence.

    >>> by_group([1, 0, 1], groups=[4, 4, 9]).round(3)
    array([0.667, 0.667])

    Parameters
    ----------
    values : float array [items]
    groups : array [items]
        The group of each item.
    """
    _, which = np.unique(groups, return_inverse=True)
    sums = np.bincount(which, weights=values)
    return sums * (len(sums) / len(values)) if len(values) else sums


def paired_bootstrap_difference(a, b, n: int = 10_000, seed: int = 0) -> Interval:
    """The 95% percentile bootstrap interval of the mean difference a - b, items drawn in pairs.

    >>> print(paired_bootstrap_difference([3, 4, 5], [1, 2, 3], n=2000))  # 2 at each item
    2.000 (2.000 to 2.000)

    Raises `ValueError` for unequal lengths, and as in :func:`bootstrap_interval`.

    Parameters
    ----------
    a, b : float arrays [items]
        Values of the two systems, items in the same order.
    n, seed
        As in :func:`interval`.
    """
    return bootstrap_interval(_pairs(a, b), n, seed)


def _difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    return a.mean(axis=axis) - b.mean(axis=axis)


def permutation_test(a, b, n: int = 10_000, seed: int = 0) -> float:
    """Two-sided permutation test of the mean difference of two groups of different items (SciPy's).

    Under the null hypothesis the items could be in either group. Where there are fewer than `n` ways to part them, all
    are tried.

    Raises `ValueError` for a group of fewer than two, NaN, or n < 1.

    Parameters
    ----------
    a, b : float arrays [items of a], [items of b]
        One value an item, such as the average precision of adjectives and of verbs. At least two in each.
    n : int
        Random permutations.
    seed : int

    Returns
    -------
    float
        The p value, in (0, 1].

    Examples
    --------
    >>> round(permutation_test([1, 2], [3, 4]), 4)  # 6 ways to part four values, 2 of them as far apart as these
    0.3333
    """
    groups, options = _for_scipy(a, b, n, seed)
    return float(stats.permutation_test(groups, _difference, **options).pvalue)


def permutation_test_within(values, kinds, groups, n: int = 10_000, seed: int = 0) -> float:
    r"""Permutation test of the means of several kinds of items, whose values change places within their groups only.

    Under the null hypothesis the kind of an item makes no difference to its value, but its group may: the systems' lead
    on each word of a phrase does not depend on the word's position, and does on the phrase. The statistic is the
    largest mean of a kind less the smallest; what differs from the observed one by less than 1e-12 counts as equal. p
    is as for :func:`paired_permutation_test`.

    Raises `ValueError` for unequal lengths, fewer than two kinds, NaN, or n < 1.

    Parameters
    ----------
    values : float array [items]
        One value an item.
    kinds, groups : array [items]
        Labels of any type that can be sorted, at least two kinds. An item alone in its group keeps its value.
    n : int
        Random permutations.
    seed : int

    Returns
    -------
    float
        The p value, in (0, 1].

    Examples
    --------
    >>> p = permutation_test_within([3, 0, 0], ["verb", "noun", "noun"], [1, 1, 1])
    >>> round(p, 2)  # exactly 1/3: the largest value at the verb; elsewhere the means are 0 and 1.5
    0.33
    """
    values = _values(values, "values")
    (names, kinds), (_, groups) = (np.unique(labels, return_inverse=True) for labels in (kinds, groups))
    if not len(values) == len(kinds) == len(groups) or len(names) < 2 or n < 1:
        lengths = f"{len(values)} values, {len(kinds)} kinds and {len(groups)} groups"
        raise ValueError(f"{lengths}, n={n}: one kind and group an item, two different kinds, and n positive")
    order = np.argsort(groups, kind="stable")
    values, groups = values[order], groups[order]
    means = kinds[order, None] == np.arange(len(names))
    means = means / means.sum(axis=0)
    rng, least, above = np.random.default_rng(seed), np.ptp(values @ means) - 1e-12, 0
    for rows in _batches(n, len(values)):
        keys = groups + rng.random((rows, len(values)))  # sorted, they mix the items of a group
        above += int(np.sum(np.ptp(values[np.argsort(keys, axis=1)] @ means, axis=1) >= least))
    return (1 + above) / (1 + n)


def bootstrap_difference(a, b, n: int = 10_000, seed: int = 0) -> Interval:
    """The 95% bootstrap interval of the mean difference a - b of two groups, each drawn from its own (SciPy's).

    >>> print(bootstrap_difference([2, 2, 2, 2], [1, 1, 1], n=200))
    1.000 (1.000 to 1.000)

    Raises `ValueError` as in :func:`permutation_test`.

    Parameters
    ----------
    a, b : float arrays
        As in :func:`permutation_test`.
    n, seed
        As in :func:`interval`.
    """
    groups, options = _for_scipy(a, b, n, seed)
    low, high = stats.bootstrap(groups, _difference, method="percentile", **options).confidence_interval
    return Interval(float(_difference(*groups, axis=0)), float(low), float(high))


def _for_scipy(a, b, n: int, seed: int) -> tuple[tuple[np.ndarray, np.ndarray], dict]:
    """Both groups, checked, and what SciPy's tests of them have in common."""
    a, b = _values(a, "a"), _values(b, "b")
    if min(len(a), len(b)) < 2 or n < 1:
        raise ValueError(f"groups of {len(a)} and {len(b)} items, n={n}: at least two items in each, and n positive")
    return (a, b), {"vectorized": True, "n_resamples": n, "batch": max(1, _CHUNK // (len(a) + len(b))), "rng": seed}


def holm(p: Sequence[float]) -> np.ndarray:
    """P values of several tests, corrected for their number: the chance of any false alarm stays below .05 at .05.

    The smallest is multiplied by their number m, the next by m - 1, and so on; none becomes smaller than the one before
    it, or larger than 1 (Holm, "A simple sequentially rejective multiple test procedure", 1979).

    >>> holm([0.02, 0.004, 0.3, 0.012])
    array([0.04 , 0.016, 0.3  , 0.036])
    """
    p = np.asarray(p, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1)
    return corrected
