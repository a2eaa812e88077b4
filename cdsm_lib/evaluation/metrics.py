"""Metrics of ranking, correlation and classification.

Conventions
-----------
A *score* says how well an item answers a query; higher is better. A *ranking* is the items in falling order of
score. Where scores tie, the order inside the tie is arbitrary, so every ranking metric here returns its exact
expectation over all orders of the tied items (McSherry and Najork 2008); without ties this is the textbook
metric, and no result depends on the order in which items are stored. Scores tie when they are equal as floating
point numbers; in :func:`tie_credit`, when they agree to nine digits. NaN, and what is masked, is refused. What is
relevant or positive is True or 1, what is not False or 0, and nothing else is taken. All sums are float64.

Metrics
-------
average_precision               AP of a ranking that has no ties
mean_average_precision          AP of every query and their mean, vectorised
random_average_precision        expectation of AP when the ranking is random, in closed form
reciprocal_rank                 reciprocal of the rank of the first relevant item, expected over ties
mean_rank                       expected rank of the relevant items
ranks                           expected rank of every item
share_in_top                    share of relevant items among the first k, expected over ties
spearman                        rank correlation with average ranks for ties
auc                             area under the ROC curve, a tie counting one half
roc_curve                       the curve itself, a slanted segment for each group of ties
auc_ties_by_order               the wrong AUC, ties broken by the order of storage: only to show what that does
normalised_rank                 place of one answer among its candidates, 1 best and 0 worst, the median of its ties
tie_credit                      1 for the right answer alone on top, 1 / number of ties if it shares the top, else 0
cohen_kappa                     agreement of two annotators beyond chance
"""

import reprlib
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from scipy.stats import rankdata


def _numbers(values, name: str) -> np.ndarray:
    """`values` as float64; `ValueError` for NaN, for what is no number and for nothing at all."""
    try:
        array = np.ma.filled(np.ma.asarray(values, dtype=np.float64), np.nan)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, not {reprlib.repr(values)}") from None
    if array.size == 0:
        raise ValueError(f"{name} is empty: there is nothing to measure")
    if np.isnan(array).any():
        raise ValueError(f"{name} holds {int(np.isnan(array).sum())} NaN; items without a score must be left out first")
    return array


def _truths(values, name: str) -> np.ndarray:
    """`values` as bool; `ValueError` for anything but True, False, 1 and 0."""
    array = np.ma.asarray(values)
    if array.dtype.kind not in "biuf" or np.ma.is_masked(array) or not np.isin(array, (0, 1)).all():
        raise ValueError(f"{name} must hold True and False, or 1 and 0, and nothing else; got {reprlib.repr(values)}")
    return np.ma.getdata(array).astype(bool)


def _scores_and_relevance(scores, relevant) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays [queries, items], checked: equal shapes, no NaN, something relevant in every row."""
    scores = _numbers(scores, "scores")
    relevant = _truths(relevant, "relevant")
    if scores.shape != relevant.shape or scores.ndim not in (1, 2):
        shapes = f"scores {scores.shape} and relevant {relevant.shape}"
        raise ValueError(f"{shapes} must have the same shape, [items] or [queries, items]")
    scores, relevant = np.atleast_2d(scores), np.atleast_2d(relevant)
    empty = np.flatnonzero(~relevant.any(axis=1))
    if empty.size:
        raise ValueError(f"no relevant item for query {empty.tolist()}: leave such queries out, they have no AP")
    return scores, relevant


@dataclass(frozen=True)
class _Ties:
    """Rankings with their tied groups; every array [queries, items], in rank order.

    above     places above the item's tied group (p)      size        size of the group (t)
    hits      relevant items in the group (r)             hits_above  relevant items above the group (h)
    """

    above: np.ndarray
    size: np.ndarray
    hits: np.ndarray
    hits_above: np.ndarray


def _ties(scores: np.ndarray, relevant: np.ndarray) -> _Ties:
    """Sort each row by falling score and find its groups of equal scores."""
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = -np.take_along_axis(scores, order, axis=1)
    first, last = (rankdata(ranked, method, axis=1).astype(np.int64) - 1 for method in ("min", "max"))
    hits_before = np.pad(np.cumsum(np.take_along_axis(relevant, order, axis=1), axis=1), ((0, 0), (1, 0)))
    hits_above = np.take_along_axis(hits_before, first, axis=1)
    return _Ties(first, last - first + 1, np.take_along_axis(hits_before, last + 1, axis=1) - hits_above, hits_above)


def average_precision(relevant) -> float:
    r"""Average precision of a ranking: the mean of the precision at each relevant item.

    .. math:: AP = \frac{1}{R} \sum_{k \,:\, \text{item } k \text{ relevant}} \frac{\text{relevant items up to } k}{k}

    Raises `ValueError` if nothing is relevant.

    Parameters
    ----------
    relevant : bool array [n]
        Whether each item is relevant, best ranked first.

    Returns
    -------
    float
        Between 0 (excluded) and 1.

    Examples
    --------
    >>> round(average_precision([True, False, True]), 4)    # (1/1 + 2/3) / 2
    0.8333
    """
    relevant = _truths(relevant, "relevant")
    if relevant.ndim != 1 or not relevant.any():
        raise ValueError(f"average precision needs one ranking with a relevant item, got shape {relevant.shape}")
    places = np.flatnonzero(relevant) + 1
    return float(np.mean(np.arange(1, len(places) + 1) / places))


def mean_average_precision(scores, relevant) -> tuple[float, np.ndarray]:
    r"""Mean average precision over queries, each AP expected over the orders of tied items.

    In a group of :math:`t` tied items, :math:`r` of them relevant, below :math:`p` items with :math:`h` relevant,
    place :math:`j` holds a relevant item with probability :math:`r/t`, and then :math:`(j-1)(r-1)/(t-1)` relevant
    items of the group are expected before it, so that the group adds

    .. math:: \frac{1}{R} \sum_{j=1}^{t} \frac{r}{t} \cdot \frac{h + 1 + (j-1)\frac{r-1}{t-1}}{p + j}

    >>> mean_average_precision([[3, 2, 1], [3, 2, 1]], [[1, 0, 1], [0, 1, 0]])  # (1/1 + 2/3) / 2, and 1/2
    (0.6666666666666666, array([0.83333333, 0.5       ]))

    Raises `ValueError` for NaN, unequal shapes, or a query without a relevant item.

    Parameters
    ----------
    scores : float array [queries, items]
    relevant : bool array [queries, items]
        At least one relevant item in every row.

    Returns
    -------
    mean : float
    ap : float64 array [queries]
    """
    scores, relevant = _scores_and_relevance(scores, relevant)
    ties = _ties(scores, relevant)
    place = np.arange(1, scores.shape[1] + 1)
    before = (place - ties.above - 1) * (ties.hits - 1) / np.maximum(ties.size - 1, 1)
    gain = ties.hits / ties.size * (ties.hits_above + 1 + before) / place
    ap = gain.sum(axis=1) / relevant.sum(axis=1)
    return float(ap.mean()), ap


def random_average_precision(n: int, r: int) -> float:
    r"""Expected average precision of a random ranking of `n` items, `r` of them relevant.

    .. math:: E[AP] = \frac{1}{n}\left(\frac{r-1}{n-1}(n - H_n) + H_n\right), \quad H_n = \sum_{k=1}^{n} \frac{1}{k}

    Raises `ValueError` if `r` is not between 1 and `n`.

    Parameters
    ----------
    n, r : int
        1 <= r <= n.

    Examples
    --------
    >>> random_average_precision(2, 1)
    0.75
    """
    if not (isinstance(n, Integral) and isinstance(r, Integral) and 1 <= r <= n):
        raise ValueError(f"random AP needs 1 <= r <= n, got n={n}, r={r}")
    harmonic = float(np.sum(1.0 / np.arange(1, n + 1)))
    return ((r - 1) / max(n - 1, 1) * (n - harmonic) + harmonic) / n


def ranks(scores) -> np.ndarray:
    """Expected rank of every item, 1 the best; tied items share the mean of their places.

    Raises `ValueError` for NaN or an empty array.

    Parameters
    ----------
    scores : float array [items] or [queries, items]

    Returns
    -------
    float64 array of the same shape

    Examples
    --------
    >>> ranks([0.2, 0.9, 0.2])
    array([2.5, 1. , 2.5])
    """
    return rankdata(-_numbers(scores, "scores"), axis=-1)


def mean_rank(scores, relevant) -> np.ndarray:
    """Mean expected rank of the relevant items of each query.

    >>> mean_rank([[3, 2, 1], [3, 2, 1]], [[1, 0, 1], [0, 1, 0]])
    array([2., 2.])

    Raises `ValueError` as in :func:`mean_average_precision`.

    Parameters
    ----------
    scores, relevant : arrays [queries, items]

    Returns
    -------
    float64 array [queries]
    """
    scores, relevant = _scores_and_relevance(scores, relevant)
    return np.where(relevant, ranks(scores), 0).sum(axis=1) / relevant.sum(axis=1)


def reciprocal_rank(scores, relevant) -> np.ndarray:
    r"""Reciprocal of the rank of the first relevant item, expected over the orders of tied items.

    With the first relevant items in a group of :math:`t` ties (:math:`r` relevant) below :math:`p` items, none of
    the first :math:`j` of the group is relevant with probability
    :math:`S_j = \prod_{i<j} \frac{t-r-i}{t-i}`, and the expectation is :math:`\sum_j (S_{j-1} - S_j) / (p + j)`.

    >>> reciprocal_rank([[3, 2, 1], [3, 2, 1]], [[1, 0, 1], [0, 1, 0]])
    array([1. , 0.5])

    Raises `ValueError` as in :func:`mean_average_precision`.

    Parameters
    ----------
    scores, relevant : arrays [queries, items]

    Returns
    -------
    float64 array [queries]
    """
    scores, relevant = _scores_and_relevance(scores, relevant)
    ties = _ties(scores, relevant)
    first = np.argmax(ties.hits > 0, axis=1)
    result = np.empty(len(scores))
    for query, place in enumerate(first):
        p, t, r = ties.above[query, place], ties.size[query, place], ties.hits[query, place]
        i = np.arange(t)
        none_yet = np.concatenate([[1.0], np.cumprod(np.maximum(t - r - i, 0) / (t - i))])
        result[query] = np.sum((none_yet[:-1] - none_yet[1:]) / (p + i + 1))
    return result


def share_in_top(scores, relevant, k: int = 10) -> np.ndarray:
    """Share of relevant items among the `k` best of each query, expected over the orders of tied items.

    >>> share_in_top([[3, 2, 1], [3, 2, 1]], [[1, 0, 1], [0, 1, 0]], k=2)
    array([0.5, 0.5])

    Raises `ValueError` if `k` exceeds the number of items, and as in :func:`mean_average_precision`.

    Parameters
    ----------
    scores, relevant : arrays [queries, items]
    k : int
        Places looked at; at most the number of items.

    Returns
    -------
    float64 array [queries]
    """
    scores, relevant = _scores_and_relevance(scores, relevant)
    if not isinstance(k, Integral) or not 1 <= k <= scores.shape[1]:
        raise ValueError(f"k={k} must be a whole number between 1 and the number of items, {scores.shape[1]}")
    ties = _ties(scores, relevant)
    return (ties.hits / ties.size)[:, :k].sum(axis=1) / k


def spearman(x, y) -> float:
    """Spearman's rank correlation: Pearson's correlation of the ranks, tied values at their average rank.

    Raises `ValueError` for NaN, unequal lengths, or a constant input, whose correlation is undefined.

    Parameters
    ----------
    x, y : float arrays [n]

    Returns
    -------
    float
        Between -1 and 1.

    Examples
    --------
    >>> round(spearman([1, 2, 3], [10, 30, 20]), 4)    # 1 - 6 (0 + 1 + 1) / (3 * 8)
    0.5
    """
    x, y = _numbers(x, "x"), _numbers(y, "y")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"x and y must be arrays [n] of equal length, got {x.shape} and {y.shape}")
    x, y = rankdata(x), rankdata(y)
    x, y = x - x.mean(), y - y.mean()
    norm = np.sqrt((x @ x) * (y @ y))
    if norm == 0:
        raise ValueError("Spearman's correlation is undefined where all values are equal")
    return float(x @ y / norm)


def _scores_of_two_classes(scores, positive) -> tuple[np.ndarray, np.ndarray]:
    """Both as arrays [n], checked: equal lengths, no NaN, both classes."""
    scores, positive = _numbers(scores, "scores"), _truths(positive, "positive")
    if scores.shape != positive.shape or scores.ndim != 1:
        raise ValueError(f"scores {scores.shape} and positive {positive.shape} must be arrays [n] of equal length")
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if n_positive == 0 or n_negative == 0:
        raise ValueError(f"AUC needs both classes, got {n_positive} positive and {n_negative} negative items")
    return scores, positive


def auc(scores, positive) -> float:
    """Area under the ROC curve: the chance that a positive item scores above a negative one, a tie being a half.

    Raises `ValueError` for NaN, unequal lengths, or items of one class only.

    Parameters
    ----------
    scores : float array [n]
    positive : bool array [n]

    Examples
    --------
    >>> auc([0.9, 0.5, 0.5, 0.1], [True, True, False, False])    # 4 pairs: 3 wins and a tie
    0.875
    """
    scores, positive = _scores_of_two_classes(scores, positive)
    from sklearn.metrics import roc_auc_score  # takes a second to load

    return float(roc_auc_score(positive, scores))


def roc_curve(scores, positive) -> tuple[np.ndarray, np.ndarray]:
    """The ROC curve: what share of the negatives and of the positives scores at least a threshold.

    There is one point for each distinct score, so that items that tie are taken in together and make a slanted
    segment. The area under the curve by the trapezoid rule is :func:`auc`.

    Raises `ValueError` as in :func:`auc`.

    Parameters
    ----------
    scores : float array [n]
    positive : bool array [n]

    Returns
    -------
    false_positive_rate, true_positive_rate : float64 arrays [distinct scores + 1]
        From (0, 0) to (1, 1), the threshold falling.

    Examples
    --------
    >>> roc_curve([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    scores, positive = _scores_of_two_classes(scores, positive)
    from sklearn.metrics import roc_curve as curve

    false_rate, true_rate, _ = curve(positive, scores, drop_intermediate=False)
    return false_rate, true_rate


def auc_ties_by_order(scores, positive) -> float:
    """AUC of a ranking that breaks ties by the order of storage: **wrong**, and here only to show the effect.

    Of two items with the same score, the one that is stored first counts as the better one. With many ties, as integer
    scores have, the figure says more about the order of the file than about the scores; :func:`auc` is right.

    Raises `ValueError` as in :func:`auc`.

    Parameters
    ----------
    scores : float array [n]
    positive : bool array [n]

    Examples
    --------
    >>> auc_ties_by_order([1, 1], [True, False]), auc_ties_by_order([1, 1], [False, True])    # auc: 0.5 both times
    (1.0, 0.0)
    """
    scores, positive = _scores_of_two_classes(scores, positive)
    rank = np.empty(len(scores))
    rank[np.argsort(-scores, kind="stable")] = np.arange(len(scores), 0, -1)
    return auc(rank, positive)


def normalised_rank(scores, answer: int) -> float:
    r"""Place of one answer among its candidates, from 1, the best, to 0 (Cheung and Penn 2012, eq. 14).

    .. math:: 1 - \frac{r - 1}{n - 1}

    where :math:`n` candidates are ranked by falling score and :math:`r` is the answer's rank; among ties that is the
    median of their places.

    Raises `ValueError` for NaN, a single candidate, whose rank says nothing, or an answer that is not among them.

    Parameters
    ----------
    scores : float array [n]
        At least two.
    answer : int
        Place of the answer in `scores`, from 0.

    Examples
    --------
    >>> normalised_rank([3, 2, 2, 2, 1], 1)    # the median of the places 2, 3 and 4 is 3: 1 - 2/4
    0.5
    """
    scores = _numbers(scores, "scores")
    if scores.ndim != 1 or len(scores) < 2:
        raise ValueError(f"a normalised rank needs an array of two scores or more, got shape {scores.shape}")
    if not isinstance(answer, Integral) or not 0 <= answer < len(scores):
        raise ValueError(f"answer {answer} is not among the {len(scores)} candidates, numbered from 0")
    return float(1 - (ranks(scores)[answer] - 1) / (len(scores) - 1))


def tie_credit(scores, answer: int, digits: int = 9) -> float:
    r"""Credit of a choice by the highest score, expected over a fair draw among those that tie for it.

    .. math:: \frac{[a \in T]}{|T|}, \quad T = \{i : s_i = \max_j s_j\}

    A cosine of the very same vectors may differ in its last bits with the order in which a linear algebra library sums.
    So a score counts as the maximum if it is below it by no more than :math:`10^{-digits}` of the largest magnitude
    among the scores.

    Raises `ValueError` for no scores, NaN or infinity, or an answer that is not among them.

    Parameters
    ----------
    scores : float array [n]
        One an option, higher is better.
    answer : int
        Place of the right option, from 0.
    digits : int
        Digits that must agree for a tie.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> tie_credit([0.2, 0.7, 0.7], 1), tie_credit([0.2, 0.7, 0.7], 0), tie_credit([0, 0, 0, 0], 3)
    (0.5, 0.0, 0.25)
    """
    scores = _numbers(scores, "scores")
    if scores.ndim != 1 or not np.isfinite(scores).all():
        raise ValueError(f"the scores of the options must be a finite array [n], got shape {scores.shape}")
    if not isinstance(answer, Integral) or not 0 <= answer < len(scores):
        raise ValueError(f"answer {answer} is not among the {len(scores)} options, numbered from 0")
    tied = scores >= scores.max() - 10.0**-digits * np.abs(scores).max()
    return float(tied[answer] / tied.sum())


def cohen_kappa(first, second) -> float:
    r"""Cohen's kappa: how far two annotators agree beyond what their own label frequencies make likely.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \quad p_e = \sum_l p_1(l)\, p_2(l)

    with :math:`p_o` the share of items on which they agree and :math:`p_i(l)` the share of items that annotator
    :math:`i` gave label :math:`l` (Cohen 1960).

    Raises `ValueError` for no items, unequal lengths, NaN, or when both gave one and the same label throughout (0/0).

    Parameters
    ----------
    first, second : arrays [n]
        Labels of the same items in the same order.

    Returns
    -------
    float
        1 for full agreement, 0 for what chance gives.

    Examples
    --------
    >>> cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0])    # agreement 3/4, by chance 1/2 1/4 + 1/2 3/4 = 1/2
    0.5
    """
    from sklearn.metrics import cohen_kappa_score  # which refuses NaN, and unequal lengths

    if any(label is None for label in (*first, *second)):
        raise ValueError("a label is None; leave out items that one of the two has not annotated")
    if len(np.union1d(first, second)) == 1:
        raise ValueError(f"kappa is undefined where both gave the label {first[0]} throughout")
    return float(cohen_kappa_score(first, second))
