"""Metrics against hand-computed values and against enumeration of every order of the ties."""

from functools import partial
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cdsm_lib.evaluation import metrics


def average_precision(scores, relevant) -> float:
    return metrics.mean_average_precision(scores, relevant)[0]


def every_order(scores, relevant, statistic):
    """Mean of a statistic of the ranked relevance over every order that agrees with the scores."""
    values = []
    for order in permutations(range(len(scores))):
        ranked = [scores[i] for i in order]
        if all(a >= b for a, b in zip(ranked, ranked[1:], strict=False)):
            values.append(statistic(np.array([relevant[i] for i in order])))
    return np.mean(values)


TIED = [
    ([1, 1], [1, 0]),
    ([3, 2, 2, 1], [0, 1, 0, 1]),
    ([2, 2, 2, 2, 2], [1, 1, 0, 0, 1]),
    ([5, 5, 3, 3, 3, 1], [0, 1, 1, 0, 1, 1]),
    ([4, 4, 4, 1, 1, 1], [0, 0, 0, 1, 1, 0]),
    ([6, 5, 4, 3, 2, 1], [0, 1, 0, 0, 1, 0]),
]


# ranked: wrong, right, then a tie of a right and a wrong one, in places 3 and 4, and a wrong one
TIE = [5, 4, 2, 2, 1], [0, 1, 1, 0, 0]
HALVES = [1] * 25 + [0] * 25, [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
BY_HAND = [
    (metrics.average_precision, [[0, 0, 0, 1]], 1 / 4),
    (metrics.ranks, [TIE[0]], [1, 2, 3.5, 3.5, 5]),
    (metrics.mean_rank, TIE, [(2 + 3.5) / 2]),
    (metrics.reciprocal_rank, TIE, [1 / 2]),
    # the first right one in a tie of three below one wrong item, at 2, 3 or 4 with equal chances
    (metrics.reciprocal_rank, ([9, 3, 3, 3], [0, 0, 1, 0]), [(1 / 2 + 1 / 3 + 1 / 4) / 3]),
    (metrics.share_in_top, (*TIE, 3), [(1 + 1 / 2) / 3]),
    # one of three right: 1, 1/2 or 1/3. Two of four, in six rankings: 49/72
    (metrics.random_average_precision, (3, 1), (1 + 1 / 2 + 1 / 3) / 3),
    (metrics.random_average_precision, (4, 2), 49 / 72),
    (metrics.spearman, ([1, 2, 2, 3], [1, 2, 3, 4]), 4.5 / np.sqrt(4.5 * 5)),
    (metrics.auc, ([1, 1, 1], [1, 0, 0]), 0.5),
    (metrics.roc_curve, ([7, 7, 7], [1, 0, 0]), [[0, 1], [0, 1]]),
    (metrics.normalised_rank, ([3, 2, 2, 2, 1], 0), 1),
    (metrics.normalised_rank, ([3, 2, 2, 2, 1], 4), 0),
    (metrics.normalised_rank, ([5, 5, 1], 1), 0.75),  # between the places 1 and 2
    # agreement 35/50; by chance 25/50 * 30/50 + 25/50 * 20/50 = 1/2
    (metrics.cohen_kappa, HALVES, 0.4),
    (metrics.cohen_kappa, (["a", "b", "c"], ["a", "b", "c"]), 1),
    (metrics.cohen_kappa, ([1, 0], [0, 1]), -1),
    (metrics.cohen_kappa, ([1, 1, 1], [1, 1, 0]), 0),  # one who gives one label only never beats chance
    (metrics.tie_credit, ([2, 2, 1, 2], 3), 1 / 3),
    (metrics.tie_credit, ([0.1, 0.9, 0.3], 2), 0),
    (metrics.tie_credit, ([-3, -2, -2], 2), 0.5),
    (metrics.tie_credit, ([0.3, 0.1 + 0.2], 0), 0.5),  # 0.1 + 0.2 is 0.30000000000000004
    (metrics.tie_credit, ([1.0, 1 + 1e-8], 0), 0),
    (metrics.tie_credit, ([1.0, 1 + 1e-8], 0, 7), 0.5),
    (metrics.tie_credit, ([1e-12, 2e-12], 0), 0),  # the digits are relative: small is not the same as equal
]


@pytest.mark.parametrize(("metric", "arguments", "value"), BY_HAND)
def test_by_hand(metric, arguments, value):
    np.testing.assert_allclose(metric(*arguments), value, atol=1e-12)


@pytest.mark.parametrize("scores, relevant", TIED)
def test_ties_give_the_exact_expectation(scores, relevant):
    for value, of_ranking in (
        (average_precision(scores, relevant), metrics.average_precision),
        (metrics.reciprocal_rank(scores, relevant)[0], lambda hits: 1 / (np.argmax(hits) + 1)),
        (metrics.mean_rank(scores, relevant)[0], lambda hits: np.mean(np.flatnonzero(hits) + 1)),
        (metrics.share_in_top(scores, relevant, k=2)[0], lambda hits: np.mean(hits[:2])),
    ):
        assert value == pytest.approx(every_order(scores, relevant, of_ranking), abs=1e-12)


ITEMS = st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=15)
RANKED = ITEMS.filter(lambda items: any(relevant for _, relevant in items))
"""Scores with ties, and what is relevant: something is."""


@given(RANKED, st.randoms(use_true_random=False))
def test_the_order_of_storage_does_not_matter(items, random):
    """However tied items are permuted, and whatever strictly rising map the scores go through."""
    orders = (items, random.sample(items, len(items)))
    (scores, relevant), (others, of_others) = (np.array(rows, dtype=float).T for rows in orders)
    for metric, options in (
        (average_precision, {}), (metrics.mean_rank, {}), (metrics.reciprocal_rank, {}),
        (metrics.share_in_top, {"k": len(items) // 2 + 1}),
    ):  # fmt: skip
        one, other = metric(scores, relevant, **options), metric(others**3, of_others, **options)
        np.testing.assert_allclose(one, other, atol=1e-12)


@given(RANKED)
def test_average_precision_lies_between_its_bounds(items):
    """1 with all that is relevant on top, and only then; least with all of it at the bottom."""
    scores, relevant = np.array(items, dtype=float).T
    hits, rest = np.arange(1, int(relevant.sum()) + 1), scores[relevant == 0]
    least = np.mean(hits / (len(rest) + hits))
    found = average_precision(scores, relevant)
    assert least - 1e-12 <= found <= 1 + 1e-12
    assert (found > 1 - 1e-9) == (not len(rest) or scores[relevant == 1].min() > rest.max())
    at_the_bottom = np.where(relevant == 1, -np.inf, scores)
    assert average_precision(at_the_bottom, relevant) == pytest.approx(least)
    both = metrics.mean_average_precision([scores, at_the_bottom], [relevant, relevant])
    np.testing.assert_allclose(both[1], [found, least], atol=1e-12)
    assert both[0] == pytest.approx((found + least) / 2)


POINTS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=20)


@given(POINTS.filter(lambda points: all(len(set(values)) > 1 for values in zip(*points, strict=True))))
def test_spearman_is_invariant_under_rising_maps(points):
    x, y = np.array(points, dtype=float).T
    rho = pytest.approx(metrics.spearman(x, y), abs=1e-12)
    assert stats.spearmanr(x, y).statistic == rho
    assert metrics.spearman(np.exp(x), y**3 + y) == rho == metrics.spearman(y, x)
    assert -metrics.spearman(-x, y) == rho and abs(metrics.spearman(x, y)) <= 1 + 1e-12


@given(RANKED.filter(lambda items: not all(positive for _, positive in items)))
def test_auc_is_a_count_of_pairs_and_turns_with_the_scores(items):
    scores, positive = np.array([score for score, _ in items]), np.array([positive for _, positive in items])
    difference = scores[positive][:, None] - scores[~positive]
    share = pytest.approx(np.mean((difference > 0) + (difference == 0) / 2))
    assert metrics.auc(scores, positive) == metrics.auc(scores**3, positive) == share
    assert 1 - metrics.auc(-scores, positive) == share


def test_random_average_precision_is_the_ap_of_one_big_tie():
    for n, r in [(1, 1), (5, 2), (518, 8), (7, 7)]:
        tied = average_precision(np.zeros(n), np.arange(n) < r)
        assert metrics.random_average_precision(n, r) == pytest.approx(tied, abs=1e-12)


def test_area_under_the_roc_curve_is_auc(rng):
    for values in (2, 5, 1000):
        scores, positive = rng.integers(0, values, 60), rng.random(60) < 0.4
        false, true = metrics.roc_curve(scores, positive)
        assert np.trapezoid(true, false) == pytest.approx(metrics.auc(scores, positive), abs=1e-12)
        assert len(false) == len(true) == len(np.unique(scores)) + 1
        assert (false[0], true[0], false[-1], true[-1]) == (0, 0, 1, 1)


def test_ties_by_order_follow_the_order_and_nothing_else(rng):
    assert metrics.auc_ties_by_order([2, 1, 1, 1], [0, 1, 0, 0]) == pytest.approx(2 / 3)  # below 1, above 2 by order
    assert metrics.auc_ties_by_order([2, 1, 1, 1], [0, 0, 0, 1]) == 0
    scores, positive = rng.integers(0, 4, 80), np.arange(80) < 30
    forward = metrics.auc_ties_by_order(scores, positive)
    backward = metrics.auc_ties_by_order(scores[::-1], positive[::-1])
    right = metrics.auc(scores, positive)
    assert backward < right < forward
    assert (forward + backward) / 2 == pytest.approx(right, abs=1e-12)
    untied = rng.permutation(80)
    assert metrics.auc_ties_by_order(untied, positive) == pytest.approx(metrics.auc(untied, positive), abs=1e-12)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6))
def test_tie_credits_of_all_options_sum_to_one(scores):
    credits = [metrics.tie_credit(scores, i) for i in range(len(scores))]
    assert sum(credits) == pytest.approx(1)
    assert [c > 0 for c in credits] == [s == max(scores) for s in scores]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: metrics.tie_credit([], 0), "empty"),
        (lambda: metrics.tie_credit([1, np.nan], 0), "NaN"),
        (lambda: metrics.tie_credit([1, np.inf], 0), "finite"),
        (lambda: metrics.tie_credit([1, 2], -1), "not among the 2"),
        (lambda: metrics.mean_average_precision([[np.nan, 1]], [[1, 0]]), "NaN"),
        (lambda: metrics.mean_average_precision([[0.0, 1]], [[1, 0, 1]]), "same shape"),
        (lambda: metrics.mean_average_precision([[0.0, 1], [1, 2]], [[1, 0], [0, 0]]), r"query \[1\]"),
        (lambda: metrics.average_precision([0, 0]), "relevant"),
        (lambda: metrics.random_average_precision(3, 0), "1 <= r <= n"),
        (lambda: metrics.share_in_top([[1.0, 2]], [[1, 0]], k=3), "k=3"),
        (lambda: metrics.spearman([1, 1], [1, 2]), "undefined"),
        (lambda: metrics.spearman([1, 2, 3], [1, 2]), "equal length"),
        (lambda: metrics.auc([1, 2], [1, 1]), "both classes"),
        (lambda: metrics.spearman([[1, 2], [3, 4]], [[1, 2], [4, 3]]), "equal length"),
        (lambda: metrics.spearman(np.ma.array([1, 9, 3], mask=[0, 1, 0]), [1, 2, 3]), "x holds 1 NaN"),
        (lambda: metrics.spearman(["a", "b"], [1, 2]), "x must be an array of numbers"),
        (lambda: metrics.share_in_top([[1, 2]], [[1, 0]], 1.5), "a whole number between"),
        (lambda: metrics.normalised_rank([1, 2], 0.5), "not among the 2"),
        (lambda: metrics.random_average_precision(2.5, 1), "1 <= r <= n"),
        (lambda: metrics.cohen_kappa(["a", None], ["a", "b"]), "a label is None"),
        (lambda: metrics.normalised_rank([1.0], 0), "two scores or more"),
        (lambda: metrics.normalised_rank([1, np.nan], 0), "NaN"),
        (lambda: metrics.normalised_rank([1, 2], -1), "not among the 2"),
        (lambda: metrics.cohen_kappa([1, 1], [1, 1]), "undefined"),
        (lambda: metrics.cohen_kappa([1.0, np.nan], [1.0, 0.0]), "NaN"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


SCORES = [0.9, 0.5, 0.4, 0.1]
TRUTHS = [metrics.average_precision, *(partial(metric, SCORES) for metric in (
    metrics.auc, metrics.roc_curve, metrics.auc_ties_by_order, average_precision, metrics.mean_rank,
    metrics.reciprocal_rank, partial(metrics.share_in_top, k=2),
))]  # fmt: skip
NO_TRUTHS = [[1, np.nan, 0, 0], [1, 2, 1, 2], [1, -1, 1, -1], [1, 0.5, 0, 0], [True, None, False, False], list("yyny"),
             np.ma.array([1, 1, 0, 0], mask=[0, 1, 0, 0])]  # fmt: skip


@pytest.mark.parametrize("metric", TRUTHS)
def test_what_is_relevant_is_1_and_what_is_not_is_0(metric):
    for truths in NO_TRUTHS:
        with pytest.raises(ValueError, match="must hold True and False, or 1 and 0, and nothing else"):
            metric(truths)
    for truths in ([1.0, 0.0, 1.0, 0.0], [True, False, True, False]):
        np.testing.assert_array_equal(metric(truths), metric(np.array([1, 0, 1, 0])))
