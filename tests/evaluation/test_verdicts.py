"""The tests behind verdicts: what holds, fails or stays undecided, and the numbers and the text of the evidence."""

import math
from dataclasses import replace

import numpy as np
import pytest

from cdsm_lib.evaluation import verdicts
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.evaluation.verdicts import Evidence, Test, verdict_of

AB = ("A", "B")


def test_a_step_is_to_or_from_undecided_and_no_verdict_is_none():
    step = verdicts.OneStep().cover
    assert step("holds", "undecided") and step("undecided", "fails") and step(None, 0.03) and step(0.03, 0.03)
    assert not any((step("holds", "fails"), step(None, "undecided"), step("holds", None), step(0.03, 0.02)))


def test_a_difference_too_small_to_count_decides_against():
    """Two systems that do equally well: [-.02, .02] leaves "better" open, unless it has to be better by .03."""
    differences = np.tile([0.1, -0.1], 50)
    interval = pytest.approx((0.0, -0.02, 0.02), abs=0.002)
    drawn = np.linspace(-0.02, 0.02, 1001)
    for least, verdict in ((0.0, "undecided"), (0.015, "undecided"), (0.03, "fails")):
        for test in (
            verdicts.greater(differences, np.zeros(100), AB, least=least),
            verdicts.resampled(0.5, 0.5, 0.5 + drawn, np.full(1001, 0.5), AB, least=least),
        ):
            assert (test.value, test.low, test.high) == interval
            assert (test.verdict, test.least) == (verdict, least if verdict == "fails" else 0.0)
            assert ("less than the 0.03 that would count" in str(test)) == (verdict == "fails")
            assert Test(**test.record()) == test
    better = verdicts.greater(differences + 0.025, np.zeros(100), AB, least=0.5)
    assert (better.verdict, better.least) == ("holds", 0.0)  # what is better is better, by however little
    two_lost = verdicts.greater([0.0, 0.0], [0.1, 0.2], AB)  # an interval below 0, of two items: no test could see it
    assert (two_lost.verdict, two_lost.high) == ("undecided", -0.1)


def test_kinds_of_items_of_the_same_groups_are_compared_on_the_same_resamples():
    """What lifts all items of a group cancels out: the interval is that of the difference alone."""
    rng, groups = np.random.default_rng(1), np.arange(40)
    of_group = rng.random(40)
    a, b = of_group + 0.1, of_group + 0.01 * rng.random(40)
    test = verdicts.across(a, b, groups, groups, AB, unit="phrases", n=2000)
    assert (test.verdict, test.kind, test.n, test.unit) == ("holds", "resampled", (40,), "phrases")
    assert test.high - test.low < 0.01 and str(test).endswith("(40 phrases)")
    assert verdicts.greater(a, b, AB, paired=False).verdict == "undecided"  # as if they were of different groups
    assert verdicts.across(b, a, groups, groups, AB, n=2000).verdict == "fails"
    small = verdicts.across(a[:9], np.r_[a[:9], a[:9]], groups[:9], np.r_[groups[:9], groups[:9]], AB, least=0.05)
    assert (small.verdict, small.least, small.n) == ("fails", 0.05, (9,))


TEXTS = [
    (Test("greater", "holds", AB, (0.6, 0.5), 0.1, 0.0, 0.196, (0.0,), 0.049, (65,)),
     "0.600 for A and 0.500 for B, a difference of +0.100 [+0.000, +0.196] (p = .049, 65 items)"),
    (Test("greater", "fails", AB, (0.5, 0.7), -0.2, -0.3, -0.1, (-0.02,), 0.0, (9, 7)),
     "0.500 for A and 0.700 for B, a difference of -0.200 [-0.300, -0.100], against a margin of -0.02 "
     "(p < .001, 9 and 7 items)"),
    (Test("equal", "undecided", AB, (0.5, 0.49), 0.01, -0.03, 0.06, (-0.05, 0.05), n=(73,)),
     "0.500 for A and 0.490 for B, a difference of +0.010 [-0.030, +0.060], where up to 0.05 is equal (73 items)"),
    (Test("resampled", "undecided", AB, (0.5, 0.5), -0.0, -0.05, 0.05, (0.0,), n=(2000,), unit="draws"),
     "0.500 for A and 0.500 for B, a difference of +0.000 [-0.050, +0.050] (2000 draws)"),
    (Test("within", "holds", ("share",), (0.777,), 0.777, 0.7, 0.848, (0.7, 0.9), n=(65,)),
     "0.777 [0.700, 0.848] for share, where the claim allows 0.7 to 0.9 (65 items)"),
    (Test("near", "holds", ("RELPRON", "SIF"), (0.4, 0.5), 0.1, 0.05, 0.15, (0.2,), n=(2000,)),
     "RELPRON: 0.400 against 0.500 (SIF); behind by 0.100 [0.050, 0.150], margin 0.200"),
    (Test("stated", "fails", text="nothing to test"), "nothing to test"),
]  # fmt: skip


def test_what_rounds_to_zero_has_no_minus():
    test = Test("greater", "undecided", AB, (0.5, 0.5), -0.0001, -0.0412, -0.0, (-0.02,), n=(65,))
    assert test.effect == "+0.000 [-0.041, +0.000]"
    assert replace(test, kind="within", low=-0.0004).effect == "0.000 [0.000, 0.000]"
    assert str(Interval(-0.0004, -0.01, -0.0002)) == "0.000 (-0.010 to 0.000)"


@pytest.mark.parametrize(("test", "text"), TEXTS, ids=[test.kind for test, _ in TEXTS])
def test_evidence_as_text(test, text):
    assert str(test) == str(Evidence([test])) == text
    assert Test(**test.record()) == test


def test_what_a_test_can_see():
    (greater, _), (margin, _), (equal, _), (drawn, _), (within, _) = TEXTS[:5]
    assert greater.standard_error == pytest.approx(0.05, abs=1e-6)
    # 80% power at the 5% level needs 2.8 standard errors: .14 here, and (1.4)^2 times as many items for .1
    assert greater.visible == pytest.approx(0.1401, abs=1e-4) and greater.times == pytest.approx(1.962, abs=1e-2)
    assert [test.distance for test in (margin, equal, within)] == pytest.approx([0.18, 0.04, 0.077])
    assert drawn.times == math.inf


def test_several_tests_make_one_verdict():
    holds, fails, undecided = (Test("stated", verdict, text=verdict) for verdict in verdicts.VERDICTS)
    assert verdict_of([holds, holds]) == "holds"
    assert verdict_of([holds, undecided]) == "undecided"
    assert verdict_of([undecided, fails, holds]) == "fails"
    assert str(Evidence([holds, fails])) == "(holds) holds; (fails) fails"
    with pytest.raises(ValueError, match="not known"):
        Test("stated", "true")


def test_a_range_draws_groups():
    """Forty items, 26 of them 1: .65. As items the interval excludes .5; as ten groups of four it does not, since 6.5
    groups of ten are 1."""
    values = np.array([1.0] * 26 + [0.0] * 14)
    groups = np.repeat(np.arange(10), 4)
    alone, grouped = (verdicts.within(values, 0.5, 1, "share", groups=of) for of in (None, groups))
    assert (alone.verdict, grouped.verdict) == ("holds", "undecided")
    assert str(grouped).startswith("0.650 [") and str(grouped).endswith("0.5 to 1 (40 items)")
    assert verdicts.within(np.ones(8), 0.5, 1, "share", groups=np.repeat([0, 1], 4)).verdict == "holds"
    assert verdicts.within(np.zeros(8), 0.5, 1, "share", groups=np.repeat([0, 1], 4)).verdict == "fails"


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.2, "holds"), (-0.2, "fails"), (0.0, "undecided")], ids=["above", "below", "around"]
)
def test_verdict_from_resamples_looks_at_the_interval_of_the_difference(shift, verdict):
    b = np.linspace(0.4, 0.6, 101)
    a = b[::-1] * 0.1 + b * 0.9 + shift  # differences of at most .02 around the shift
    test = verdicts.resampled(0.5 + shift, 0.5, a, b, ("a", "b"), unit="draws")
    # the percentiles by hand: a - b = shift + .1 (1 - 2b), evenly spaced from shift + .02 to shift - .02
    assert (test.verdict, test.n, test.unit) == (verdict, (101,), "draws")
    assert (test.value, test.low, test.high) == pytest.approx((shift, shift - 0.019, shift + 0.019))


def test_verdicts_on_zeros_and_ones_count_ties():
    """Of sixty items one differs: no evidence, though no permutation exceeds it."""
    a, b = np.ones(60), np.r_[0, np.ones(59)]
    assert [verdicts.greater(a, b, AB, ties=ties).verdict for ties in (False, True)] == ["holds", "undecided"]


@pytest.mark.parametrize(
    ("test", "p"),
    [
        (Test("greater", "holds", AB, (0.6, 0.5), 0.1, 0.0, 0.2, (0.0,), 0.04), 0.04),
        (Test("resampled", "holds", AB, (0.6, 0.5), 0.196, 0.0, 0.392, (0.0,)), 0.05),  # 1.96 standard errors of .1
        (Test("equal", "holds", AB, (0.6, 0.5), 0.304, 0.108, 0.5, (-0.5, 0.5)), 0.05),  # to the nearer end
        (Test("greater", "fails", AB, (0.5, 0.5), 0.0, -0.196, 0.196, (0.0,), 0.9, least=0.196), 0.05),
        (Test("greater", "holds", AB, (0.6, 0.5), 0.196, 0.0, 0.392, (0.0,), 0.0), 0.001),  # less than that
        (Test("stated", "holds", text="counted"), None),
        (Test("equal", "fails", AB, (0.6, 0.5), 0.1, -0.1, 0.3, (0.0, 0.0)), None),  # another order refutes it
    ],
)
def test_the_p_that_a_correction_takes(test, p):
    assert test.probability == (p and pytest.approx(p, abs=1e-5))
