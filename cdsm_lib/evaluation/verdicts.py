"""Tests that decide a claim, each with its evidence as data.

A claim *holds*, *fails* or is *undecided*, by a test on the items and never by comparing two means:

greater     "A is better than B": holds if A is significantly better (two-sided permutation test, p < .05), fails if B
            is, else undecided. With a margin: better by more than the margin. It also fails if the whole 95% interval
            lies below the smallest difference that counts: else no number of items could decide against a claim of
            two systems that do equally well.
resampled   the same for a figure that is no mean over items: the 95% interval of the difference, over bootstrap
            resamples that both share, lies above 0 or below it, or below the smallest difference that counts. So are
            two kinds of items compared that come from the same groups (`across`).
equal       "A matches B": holds if the 95% interval of the difference lies within the margin, fails if it lies outside
            altogether, else undecided.
within      "the figure is about x": likewise for the interval of a mean and a range.

:func:`verdict_of` joins the tests of a claim of several parts: it holds if all do, fails if one fails, else it is
undecided. Where it is tested in several ways, what not all of them give is undecided. Which claim is tested how, and on
which scores, stands in ``data/published/claims.toml``; see `cdsm_lib.evaluation.claims`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace

import numpy as np
from scipy.special import ndtr, ndtri

from cdsm_lib.evaluation import significance

VERDICTS = ("holds", "fails", "undecided")
KINDS = ("greater", "resampled", "equal", "within", "near", "stated")
DIGITS = 3

NORMAL_95 = 1.959964
NORMAL_POWER_80 = 0.841621


class Deviates(float):
    """How far a p may lie from another: the distance of the normal deviates that they stand for, two-sided.

    A distance of p itself would let p = .3 pass for p = .001, or refuse .57 for .5. One deviate is one standard error
    of the difference that was tested.

    Examples
    --------
    >>> Deviates(0.5).cover(0.001, 0.005), Deviates(0.5).cover(0.001, 0.007), Deviates(0.5).cover(0.5, 0.8)
    (True, False, True)
    """

    def cover(self, p: float, other: float) -> bool:
        """Whether one p lies within the tolerance of the other, or a step of the last digit that a claim shows."""
        first, second = (ndtri(max(value, 0.1**DIGITS) / 2) for value in (p, other))
        return bool(abs(first - second) <= self + 1e-9 or abs(p - other) < 1.5 * 0.1**DIGITS)


class OneStep(float):
    """A verdict may lie one step from another: undecided beside holds or fails, but never the one for the other.

    So may the `least` of a test that fails for being below it: stored or not.
    """

    def cover(self, before: str | float | None, now: str | float | None) -> bool:
        """Whether the two are at most a step apart; a verdict that is not there is no step."""
        if None in (before, now):
            return not isinstance(before or now, str)
        return before == now or "undecided" in (before, now)


@dataclass(frozen=True)
class Test:
    """One test of a claim, and what came out.

    Raises `ValueError` for an unknown kind or verdict.

    Parameters
    ----------
    kind : {"greater", "resampled", "equal", "within", "near", "stated"}
        Which test. Two more are the leaderboard's own: "near" (behind the best by at most a margin), and "stated",
        whose `text` says what was counted.
    verdict : {"holds", "fails", "undecided"}
    names : tuple of str
        The two systems, or the one whose figure is to lie in a range.
    values : tuple of float
        Their figures. These and all below have three decimals, as a reader sees them.
    value, low, high : float or None
        The difference of the two, or the figure, with its 95% interval.
    bounds : tuple of float
        What the interval is held against: the margin (0 if there is none), or both ends of a range.
    p : float or None
        Of the permutation test; 0 stands for less than .001.
    n : tuple of int
        How many items, or resamples; of both groups if they were not paired.
    unit : str
        What was counted or drawn: "items", "draws".
    published : tuple of float
        The paper's figures of the same names, if it prints all of them.
    least : float
        The smallest difference that counts, if the test fails for being below it alone; else 0.
    text : str
        Of what is only stated.
    by : tuple of str
        The way in which it tests a claim that is tested in several: by which reading of the paper, what was drawn.
    tolerance : float
        How far the figures may lie from these when they are computed anew: the tolerances of both systems together.
        Not stored, since it is the chapter's code that knows it.
    sought : float
        The smallest difference that counts, whatever the verdict; not stored either.
    """

    kind: str
    verdict: str
    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    value: float | None = None
    low: float | None = None
    high: float | None = None
    bounds: tuple[float, ...] = ()
    p: float | None = None
    n: tuple[int, ...] = ()
    unit: str = "items"
    published: tuple[float, ...] = ()
    least: float = 0.0
    text: str = ""
    by: tuple[str, ...] = ()
    tolerance: float = field(default=0.0, compare=False)
    sought: float = field(default=0.0, compare=False)

    __test__ = False  # for pytest: this is no class of tests

    def __post_init__(self):
        if self.kind not in KINDS or self.verdict not in VERDICTS:
            raise ValueError(f"a test of kind {self.kind!r} with verdict {self.verdict!r}: one is not known")
        for name in ("names", "values", "bounds", "n", "by", "published"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def record(self) -> dict:
        """For the JSON file: the fields that differ from their defaults, in their order."""
        pairs = ((f, getattr(self, f.name)) for f in fields(self) if f.compare)
        return {f.name: list(value) if isinstance(value, tuple) else value for f, value in pairs if value != f.default}

    def __str__(self) -> str:
        """As a sentence of evidence, without the verdict."""
        if self.kind == "stated":
            return self.text
        n = " and ".join(map(str, self.n))
        if self.kind == "within":
            least, most = self.bounds
            return f"{self.effect} for {self.names[0]}, where the claim allows {least:g} to {most:g} ({n} {self.unit})"
        (a, b), (x, y) = self.names, self.values
        if self.kind == "near":
            interval = f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"
            return f"{a}: {x:.3f} against {y:.3f} ({b}); behind by {interval}, margin {self.bounds[0]:.3f}"
        margin = ""
        if self.kind == "equal":
            margin = f", where up to {self.bounds[1]:g} is equal"
        elif self.bounds[0]:
            margin = f", against a margin of {self.bounds[0]:g}"
        elif self.least:
            margin = f", less than the {self.least:g} that would count"
        p = "" if self.p is None else "p < .001, " if self.p == 0 else f"p = {self.p:.3f}, ".replace("0.", ".")
        return f"{x:.3f} for {a} and {y:.3f} for {b}, a difference of {self.effect}{margin} ({p}{n} {self.unit})"

    @property
    def effect(self) -> str:
        """The difference, or the figure, with its interval; empty for what is only stated."""
        if self.value is None:
            return ""
        sign = "" if self.kind == "within" else "+"
        return f"{self.value:{sign}z.3f} [{self.low:{sign}z.3f}, {self.high:{sign}z.3f}]"

    @property
    def tolerances(self) -> dict[str, float]:
        """How far each number, also in the text, may lie from this one when it is computed anew.

        A difference that moves by t moves the normal deviate that p stands for by t / standard error. Where that far
        may take a figure over its bound, the verdict may move by `OneStep`.
        """
        figures = ("values", "value", "low", "high", *(("bounds",) if self.kind == "near" else ()))
        tolerances = dict.fromkeys(figures, self.tolerance)
        if not self.tolerance or self.value is None:
            return tolerances
        tolerances["text"] = self.tolerance
        bounds = (*self.bounds, self.sought) if self.sought else self.bounds
        turns = [abs(end - bound) <= self.tolerance for end in (self.low, self.high) for bound in bounds]
        if self.p is not None:
            error = self.standard_error
            tolerances["p"] = Deviates(self.tolerance / error if error else float("inf"))
            turns.append(tolerances["p"].cover(self.p, 0.05))
        return tolerances | (dict.fromkeys(("verdict", "least"), OneStep()) if any(turns) else {})

    @property
    def standard_error(self) -> float:
        """Half the interval's width, in units of 1.96."""
        return (self.high - self.low) / 2 / NORMAL_95

    @property
    def distance(self) -> float:
        """From the figure to the nearest bound: what the test has to tell from 0. No share can pass 0 or 1."""
        return min(abs(self.value - bound) for bound in self.bounds if self.kind != "within" or bound not in (0, 1))

    @property
    def probability(self) -> float | None:
        """p as a correction for the number of tests takes it; None for what is only stated, or must not differ at all.

        Where no p is known, or it is known to be less than .001, that of the distance from what the interval was held
        against (the bound, or `least`), two-sided, by the normal distribution with the interval's standard error.
        """
        if self.kind == "stated" or self.bounds[:1] == self.bounds[1:]:
            return None
        if self.p and not self.least:
            return self.p
        distance = self.least - self.value if self.least else self.distance
        p = 2 * float(ndtr(-distance / self.standard_error)) if self.standard_error else 0.0
        return min(p, 0.1**DIGITS) if self.p == 0 else p

    @property
    def visible(self) -> float:
        """The distance from a bound that as many items show in four of five samples (80% power, normal)."""
        return (NORMAL_95 + NORMAL_POWER_80) * self.standard_error

    @property
    def times(self) -> float:
        """How many times as many items show *this* distance in four of five samples; infinite for a distance of 0."""
        return (self.visible / self.distance) ** 2 if self.distance else float("inf")


class Evidence(tuple):
    """The tests of a claim, in order; as text, a test a clause, with their verdicts if there are several."""

    def __str__(self) -> str:
        if len(self) == 1:
            return str(self[0])
        return "; ".join(f"({test.verdict}) {test}" for test in self)


def by_way(tests: Iterable[Test]) -> dict[tuple[str, ...], str]:
    """The verdict of a claim in each way in which it is tested, such as ``("the text", "terms")``; see `Test.by`.

    >>> one = within([0.8] * 9, 0.7, 0.9, "A", n=99)
    >>> by_way([one, replace(one, by=("text",)), replace(one, by=("code",), verdict="fails")])
    {('text',): 'holds', ('code',): 'fails'}
    """
    tests = list(tests)
    ways, verdicts = dict.fromkeys(test.by for test in tests), {}
    for way in ways:
        if not any(set(way) < set(other) for other in ways):
            parts = {test.verdict for test in tests if set(test.by) <= set(way)}
            verdicts[way] = "fails" if "fails" in parts else "undecided" if "undecided" in parts else "holds"
    return verdicts


def verdict_of(tests: Iterable[Test]) -> str:
    """Of a claim of several parts: holds if all of them hold, fails if one fails, else undecided.

    Where it is tested in several ways, such as by two readings of the paper, and these do not agree, it is undecided.

    >>> one, two = within([0.8] * 9, 0.7, 0.9, "A", n=99), within([0.8] * 9, 0.0, 0.5, "B", n=99)
    >>> verdict_of([one]), verdict_of([one, two])
    ('holds', 'fails')
    >>> verdict_of([replace(one, by=("text",)), replace(two, by=("code",))])
    'undecided'
    """
    verdicts = set(by_way(tests).values())
    return verdicts.pop() if len(verdicts) == 1 else "undecided"


def _rounded(*numbers) -> tuple[float, ...]:
    return tuple(round(float(number), DIGITS) for number in numbers)


def _test(kind: str, verdict: str, names, values, interval: significance.Interval, bounds, n, **more) -> Test:
    bounds = tuple(float(bound) for bound in bounds)
    return Test(kind, verdict, tuple(names), _rounded(*values), *_rounded(*interval), bounds, n=n, **more)


def _in_range(interval: significance.Interval, low: float, high: float) -> str:
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or high < interval.low else "undecided"


def greater(
    a, b, names: tuple[str, str], *, margin: float = 0.0, least: float = 0.0, paired: bool = True, ties: bool = True,
    n: int = 10_000, seed: int = 0,
) -> Test:  # fmt: skip
    """Is system a better than system b, by more than a margin?

    >>> print(greater([0.9] * 12, [0.1, 0.2] * 6, ("A", "B"), n=2000))
    0.900 for A and 0.150 for B, a difference of +0.750 [+0.725, +0.775] (p < .001, 12 items)

    Parameters
    ----------
    a, b : float arrays [items]
        Values of the same items in the same order; of two groups of items if not `paired`.
    names : (str, str)
        Of the two systems.
    margin : float
        For claims such as "far below".
    least : float
        The smallest difference that counts; 0 if that is not known.
    paired : bool
        False compares one kind of items with another, such as adjectives with verbs.
    ties : bool
        See `cdsm_lib.evaluation.significance.paired_permutation_test`.
    n, seed : int
        Permutations and resamples.

    Returns
    -------
    Test
        Holds if a exceeds b by more than the margin significantly (permutation test, two-sided, p < .05), fails if it
        falls short of the margin significantly or if the 95% interval lies below `least`, else undecided.
    """
    above = np.subtract(a, margin)
    if paired:
        p = significance.paired_permutation_test(above, b, n, seed, ties=ties)
        interval = significance.paired_bootstrap_difference(a, b, n, seed)
    else:
        p = significance.permutation_test(above, b, n, seed)
        interval = significance.bootstrap_difference(a, b, n, seed)
    verdict = "undecided" if p >= 0.05 else "holds" if interval.value > margin else "fails"
    items = (len(a),) if paired else (len(a), len(b))
    p = 0.0 if p < 0.001 else round(p, DIGITS)
    test = _test("greater", verdict, names, (np.mean(a), np.mean(b)), interval, (margin,), items, p=p)
    return _too_small(test, least)


def _too_small(test: Test, least: float) -> Test:
    """An undecided test fails if its whole interval, to the digits that a reader sees, lies below `least`; 0: never."""
    test = replace(test, sought=least)
    too_small = test.verdict == "undecided" and least > 0 and test.high < least
    return replace(test, verdict="fails", least=round(least, DIGITS)) if too_small else test


def resampled(
    a: float, b: float, resamples_a, resamples_b, names: tuple[str, str], *, least: float = 0.0, unit: str = "resamples"
) -> Test:
    """Is system a better than system b, for a figure that is no mean over independent items?

    >>> print(resampled(0.8, 0.6, [0.79, 0.80, 0.81], [0.58, 0.60, 0.61], ("A", "B")).verdict)
    holds

    Raises `ValueError` if the resamples differ in number, are none, or hold NaN.

    Parameters
    ----------
    a, b : float
        The figures of the two systems.
    resamples_a, resamples_b : float arrays [n]
        The same figures on the same n bootstrap resamples.
    names : (str, str)
    least : float
        The smallest difference that counts; 0 if that is not known.
    unit : str
        What was drawn.

    Returns
    -------
    Test
        Holds if the 95% percentile interval of the difference lies above 0, fails if it lies below 0 or below `least`,
        else undecided.
    """
    differences = np.subtract(resamples_a, resamples_b, dtype=np.float64)
    low, high = np.quantile(differences, (0.025, 0.975)).tolist()
    verdict = "holds" if low > 0 else "fails" if high < 0 else "undecided"
    interval = significance.Interval(a - b, low, high)
    test = _test("resampled", verdict, names, (a, b), interval, (0.0,), (len(differences),), unit=unit)
    return _too_small(test, least)


def across(
    a, b, groups_a, groups_b, names: tuple[str, str], *, least: float = 0.0, unit: str = "groups", n: int = 10_000,
    seed: int = 0,
) -> Test:  # fmt: skip
    """Is a figure higher on one kind of items than on another, where both kinds come from the same groups?

    >>> print(across([0.9, 0.8, 0.9], [0.2, 0.1], [0, 1, 2], [0, 2], ("nouns", "verbs"), n=2000))
    0.867 for nouns and 0.150 for verbs, a difference of +0.717 [+0.633, +0.800] (3 groups)

    Parameters
    ----------
    a, b : float arrays [items of a], [items of b]
    groups_a, groups_b : int arrays [items of a], [items of b]
        The group of each item. Groups are drawn with all their items, of both kinds.
    names, least, n, seed
        As in :func:`greater`.
    unit : str
        What the groups are called.

    Returns
    -------
    Test
        As of :func:`resampled`.
    """
    drawn = significance.grouped_means((a, b), (groups_a, groups_b), n, seed)
    test = resampled(np.mean(a), np.mean(b), *drawn, names, least=least, unit=unit)
    return replace(test, n=(len(np.union1d(groups_a, groups_b)),))


def equal(a, b, names: tuple[str, str], *, margin: float = 0.05, n: int = 10_000, seed: int = 0) -> Test:
    """Do two systems match, up to a margin?

    >>> print(equal([0.50, 0.52, 0.48], [0.51, 0.51, 0.49], ("A", "B"), n=2000).verdict)
    holds

    Parameters
    ----------
    a, b, names, n, seed
        As in :func:`greater`.
    margin : float
        Largest difference that counts as none.

    Returns
    -------
    Test
        Holds if the 95% bootstrap interval of the mean difference lies within the margin either way, fails if it lies
        outside altogether, else undecided.
    """
    interval = significance.paired_bootstrap_difference(a, b, n, seed)
    verdict = _in_range(interval, -margin, margin)
    return _test("equal", verdict, names, (np.mean(a), np.mean(b)), interval, (-margin, margin), (len(a),))


def within(values, low: float, high: float, name: str, *, groups=None, n: int = 10_000, seed: int = 0) -> Test:
    """Does a mean lie in a range, such as "about eight of the top ten"?

    >>> print(within([0.7, 0.8, 0.9], 0.75, 0.85, "top ten", n=2000).verdict)
    undecided

    Parameters
    ----------
    values : float array [items]
    low, high : float
        The range that the claim's words stand for.
    name : str
        Of the figure.
    groups : int array [items], optional
        Items that are drawn together, see `cdsm_lib.evaluation.significance.bootstrap_interval`.
    n, seed : int
        As in :func:`greater`.

    Returns
    -------
    Test
        Holds if the 95% bootstrap interval of the mean lies in the range, fails if it lies outside altogether, else
        undecided.
    """
    interval = significance.bootstrap_interval(values, n, seed, groups)
    verdict = _in_range(interval, low, high)
    return _test("within", verdict, (name,), (interval.value,), interval, (low, high), (len(values),))
