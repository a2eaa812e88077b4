"""Permutation test and bootstrap against enumeration and known distributions."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdsm_lib.evaluation import significance
from cdsm_lib.evaluation.metrics import auc, spearman
from cdsm_lib.evaluation.significance import bootstrap_interval, by_group, interval


def every_mean(a, b) -> np.ndarray:
    """The mean difference under each of the 2^n ways to swap the two values of items."""
    return np.array([np.mean((a - b) * signs) for signs in product([1, -1], repeat=len(a))])


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize(
    ("a", "b"),
    [([0.9, 0.8, 0.4, 0.7, 0.6], [0.5, 0.7, 0.5, 0.3, 0.4]), ([1, 1, 1, 0, 1], [0, 0, 0, 0, 1]), ([1] * 4, [0] * 4)],
    ids=["no ties", "three ties", "four ties"],
)
def test_p_value_approaches_the_enumerated_one(a, b, ties):
    a, b = np.array(a, dtype=float), np.array(b, dtype=float)
    observed, means = abs((a - b).mean()), np.abs(every_mean(a, b))
    exact = np.mean(means >= observed - 1e-12 if ties else means > observed + 1e-12)
    p = significance.paired_permutation_test(a, b, 20_000, ties=ties)
    assert p == pytest.approx(exact, abs=0.01)


def test_ties_count_unless_told_otherwise():
    """Four equal differences: two of sixteen sign patterns reach their mean, and none exceeds it."""
    assert significance.paired_permutation_test([1] * 4, [0] * 4) == pytest.approx(0.125, abs=0.01)
    assert significance.paired_permutation_test([1] * 4, [0] * 4, 999, ties=False) == 1 / 1000
    assert significance.paired_permutation_test([1.0], [0.5], 99) == 1
    assert significance.paired_permutation_test([1.0, 2.0], [1.0, 2.0], ties=False) == 1


def test_bootstrap_interval_by_hand():
    """Of 0 and 1 two are drawn: 0 and 0 in a quarter of the cases, 1 and 1 in a quarter, else one of each."""
    assert significance.bootstrap_interval([0.0, 1.0]) == (0.5, 0, 1)


def test_groups_of_different_items_by_hand():
    # {1, 2} against {3, 4}: of the 6 ways to part 1, 2, 3, 4 two have a difference of 2 or more
    assert significance.permutation_test([1, 2], [3, 4]) == pytest.approx(2 / 6)
    # drawn with replacement, the means of a run from 0 to 1 and those of b are 5: the difference from -5 to -4
    found = significance.bootstrap_difference([0, 1], [5, 5])
    assert (found.value, found.low, found.high) == (-4.5, -5.0, -4.0)


def test_values_change_places_within_their_groups():
    """Both pairs must stay or both change for the kinds to differ by 2 again, which happens in 2 of 4 ways.

    If values went into the other group, the means would differ by some 50.
    """
    found = significance.permutation_test_within([1, 3, 101, 103], ["N", "V", "N", "V"], [0, 0, 1, 1], seed=3)
    assert found == pytest.approx(0.5, abs=0.02)
    apart = significance.permutation_test_within([3, 101, 1, 103], list("VNNV"), ["b", "a", "b", "a"], seed=3)
    assert apart == pytest.approx(0.5, abs=0.02)
    # of three values the largest is the noun's in one of three orders; the mean of the others is 0 then, else 1.5
    assert significance.permutation_test_within([3, 0, 0], list("NVV"), [7] * 3) == pytest.approx(1 / 3, abs=0.02)
    # alone in their groups the values stay, and every order is as far apart
    assert significance.permutation_test_within([1.0, 2.0, 4.0], list("NVA"), [0, 1, 2]) == 1.0


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: significance.permutation_test_within([1, 2], ["N", "V"], [0, 0], n=0), "n positive"),
        (lambda: significance.permutation_test_within([1, 2], ["N", "V"], [0]), "2 values, 2 kinds and 1 groups"),
        (lambda: significance.permutation_test_within([1, 2], ["N", "N"], [0, 0]), "two different kinds"),
        (lambda: significance.permutation_test_within([1, np.nan], ["N", "V"], [0, 0]), "values holds NaN"),
        (lambda: significance.permutation_test([1], [1, 2]), "at least two items in each"),
        (lambda: significance.bootstrap_difference([1, np.nan], [1, 2]), "NaN"),
        (lambda: significance.paired_permutation_test([1, 2], [1]), "same items"),
        (lambda: significance.paired_permutation_test([1, np.nan], [1, 2]), "NaN"),
        (lambda: significance.paired_permutation_test([1], [2], n=0), "n=0"),
        (lambda: significance.bootstrap_interval([]), "one value an item"),
        (lambda: bootstrap_interval([1, 0], groups=[[1, 2]]), "one group a value"),
        (lambda: bootstrap_interval([1, np.nan], groups=[1, 2]), "NaN"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ------------------------------------------------------------------------------------------------------------- groups


def test_groups_are_drawn_whole_by_hand():
    """Two groups: 1, 1 and 0. Drawn are both (mean 2/3), twice the first (1) or twice the second (0), by 2 : 1 : 1."""
    found = bootstrap_interval([1, 1, 0], groups=[5, 5, 9])
    assert (found.value, found.low, found.high) == (pytest.approx(2 / 3), 0, 1)
    # one group is always all of the items
    assert bootstrap_interval([0.2, 0.4], groups=[1, 1]) == significance.Interval(*[pytest.approx(0.3)] * 3)


def test_kinds_of_items_are_drawn_with_their_groups_by_hand():
    """Group 5 has 1 and 1 of the first kind and 0 of the second, group 9 has 0 and 4: both means go together."""
    first, second = significance.grouped_means([[1, 1, 0], [4, 0]], [[5, 5, 9], [9, 5]], n=2000)
    drawn, times = np.unique(np.stack([first, second], axis=1).round(3), axis=0, return_counts=True)
    assert drawn.tolist() == [[0, 4], [0.667, 2], [1, 0]]  # 9 twice, both, 5 twice
    assert times / 2000 == pytest.approx([0.25, 0.5, 0.25], abs=0.04)


def test_resamples_without_a_kind_are_left_out():
    """Only group 2 has the second kind: of the four ways to draw two groups one lacks it."""
    first, second = significance.grouped_means([[1, 0], [3]], [[1, 2], [2]], n=2000)
    assert set(second.tolist()) == {3} and set(first.tolist()) == {0, 0.5} and 1400 < len(first) < 1600
    for groups in ([[1], [1]], [[1, 2], [[1], [2]]]):
        with pytest.raises(ValueError, match="one group a value|dimension"):
            significance.grouped_means([[1, 2], [3, 4]], groups)


# ------------------------------------------------------------------------------------- any statistic, and its laws


def test_an_interval_of_rho_by_hand():
    """Rho is 1 in the first group, -1/2 in the second and 1 - 6 (4 + 1 + 1) / 210 in both, drawn 1 : 1 : 2."""
    rows, groups = ([1, 2, 3, 4, 5, 6], [1, 2, 3, 6, 4, 5]), list("aaabbb")
    both = pytest.approx(1 - 36 / 210)
    found = interval(spearman, *rows, groups=groups, n=500)
    assert found == (both, -0.5, 1) and str(found) == "0.829 (-0.500 to 1.000)"
    assert interval(spearman, *rows, groups=groups, n=500, level=0.4) == (both, both, both)  # the quantiles .3 and .7


def test_resamples_without_a_statistic_are_left_out_if_they_are_few():
    rows = np.arange(5), np.array([2, 1, 3, 5, 4])  # one row five times: 5 resamples of 5^5, where there is no rho
    assert interval(spearman, *rows, n=2000).value == pytest.approx(0.8)
    with pytest.raises(ValueError, match=r"undefined for \d+ of 500 resamples: 3 rows are too few"):
        interval(spearman, [1, 2, 3], [1, 3, 2], n=500)
    with pytest.raises(ValueError, match="of 500 resamples: 2 groups are too few"):
        interval(auc, [1, 2, 3], [True, False, False], groups=[1, 2, 2], n=500)
    with pytest.raises(ValueError, match="undefined where all values are equal"):
        interval(spearman, [1, 1, 1], [1, 2, 3])


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ([], {}, "at least one"), ([[1, 2], [1]], {}, "same rows"), ([[]], {}, "at least one row"),
        ([3], {}, "at least one row"), ([[1, 2]], {"groups": [1]}, "one group a row"), ([[1, 2]], {"n": 9.5}, "n=9.5"),
        ([[1, 2]], {"level": "1"}, "level='1'"), ([[1, 2]], {"level": 1}, "level=1"),
        ([[1, 2]], {"n": 0}, "n=0"), ([[1, np.nan]], {"n": 5}, "undefined"),
    ],
)  # fmt: skip
def test_rows_that_do_not_fit_are_refused(columns, options, message):
    with pytest.raises(ValueError, match=message):
        interval(np.mean, *columns, **options)


VALUES = st.lists(st.integers(-50, 50).map(float), min_size=2, max_size=12)
PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12)
TWO = PAIRS.map(lambda pairs: np.array(pairs, dtype=float).T)


@settings(max_examples=30)
@given(TWO, st.booleans(), st.integers(0, 99))
def test_permutation_tests_are_symmetric(pair, ties, seed):
    options, (a, b) = {"n": 99, "seed": seed, "ties": ties}, pair
    p = significance.paired_permutation_test(a, b, **options)
    assert 0 < p <= 1 and p == significance.paired_permutation_test(b, a, **options)


@settings(max_examples=30)
@given(VALUES, st.integers(1, 9), st.integers(-9, 9), st.integers(0, 99))
def test_an_interval_lies_among_the_values_and_moves_with_them(values, scale, shift, seed):
    values = np.array(values)
    found = bootstrap_interval(values, n=99, seed=seed)
    moved = bootstrap_interval(scale * values + shift, n=99, seed=seed)
    assert values.min() <= found.low <= found.high <= values.max()
    np.testing.assert_allclose(moved, scale * np.array(found) + shift, atol=1e-9)
    mirrored = significance.paired_bootstrap_difference(values * 0, values, n=99, seed=seed)
    np.testing.assert_allclose(mirrored, [-found.value, -found.high, -found.low], atol=1e-9)


@settings(max_examples=30)
@given(VALUES, st.randoms(use_true_random=False), st.integers(0, 99))
def test_the_three_intervals_agree_whatever_groups_are_called_and_rows_come_in(values, random, seed):
    values, options = np.array(values), {"n": 50, "seed": seed}
    groups = np.array([random.randrange(4) for _ in values])
    found = bootstrap_interval(values, **options, groups=groups)
    order = random.sample(range(len(values)), len(values))
    for other in (groups[order], groups[order] * 10 - 5, groups[order].astype(str)):
        np.testing.assert_allclose(bootstrap_interval(values[order], **options, groups=other)[0], found[0], atol=1e-9)
        same = bootstrap_interval(values[order], **options, groups=other)
        np.testing.assert_allclose(interval(np.mean, values[order], groups=other, **options), same, atol=1e-9)
    alone = bootstrap_interval(values, **options)
    single = bootstrap_interval(values, **options, groups=np.arange(len(values)) * 3)
    np.testing.assert_allclose(single, alone, atol=1e-9)
    assert interval(np.mean, values, **options) == alone


@pytest.mark.parametrize(("values", "groups", "expected"), [
    ([1, 0, 1], [4, 4, 9], [2 / 3, 2 / 3]),  # sums 1 and 1, times 2 groups over 3 items
    ([1, 1, 0, 1], [7, 2, 7, 2], [1, 0.5]),  # sums 2 of group 2 and 1 of group 7, times 2 over 4
    ([], [], []),
])  # fmt: skip
def test_sums_by_group_by_hand(values, groups, expected):
    sums = by_group(np.array(values, dtype=float), np.array(groups, dtype=np.int64))
    assert sums.tolist() == pytest.approx(expected)
    assert not values or sums.mean() == pytest.approx(np.mean(values))  # the mean over groups is the mean over items
