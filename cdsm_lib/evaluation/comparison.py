"""Are the results of a run those that are committed? And are they the paper's, on the same items?

Of two runs of ours each figure must agree within its tolerance, and all else to the letter (`compare`). From a paper
that ranks, rates or compares the *same items* a figure of ours differs by training alone: it may lie as far off as one
more seed would, and the interval over items says nothing of it (`beside_seeds`).
"""

import math
import re
from dataclasses import dataclass

from scipy import stats

from cdsm_lib import datasets
from cdsm_lib.display import printed
from cdsm_lib.evaluation.results import KEY, Result, Results, committed, is_number
from cdsm_lib.evaluation.verdicts import Deviates, OneStep

DECIMAL = re.compile(r"([+-]?\d*\.\d+)")


@dataclass(frozen=True)
class Difference:
    """A field of the head, of a row or of a claim that did not come out as committed.

    `record` is the row or claim (empty: the head), and `name` the field, empty for the one that the record stands for;
    `committed` or `recomputed` is None where there is none. `tolerated` if it lies within its tolerance.
    """

    record: str
    name: str
    committed: object
    recomputed: object
    tolerance: float | None = None
    tolerated: bool = False

    def __str__(self) -> str:
        what = ", ".join(filter(None, (self.record, self.name)))
        if self.recomputed is None:
            return f"{what}: committed as {self.committed}, not recomputed"
        if self.committed is None:
            return f"{what}: {self.recomputed} is not committed"
        place = "within" if self.tolerated else "beyond"
        reach = "" if self.tolerance is None else f", {place} the tolerance of {self.tolerance:g}"
        return f"{what}: {self.recomputed}, committed as {self.committed}{reach}"


def compare(committed: Results, recomputed: Results, *, subset: bool = False) -> list[Difference]:
    """Where recomputed results differ from the committed ones, in any field of the head, the rows and the claims.

    Values and the ends of their intervals are compared as they are stored, with four decimals, within the tolerance
    that the *recomputed* row has from its chapter's code; figures of evidence within that of the scores behind them,
    see `cdsm_lib.evaluation.verdicts.Test`. A verdict may move by a step where such a figure lies nearer to its bound
    than its tolerance. All else must be equal, the tolerance too. Only versions may differ.

    With `subset`, rows and claims that were not recomputed are passed over.
    """
    return [difference for difference in differences(committed, recomputed, subset) if not difference.tolerated]


def differences(committed: Results, recomputed: Results, subset: bool = False) -> list[Difference]:
    """As `compare`, with what agrees by its tolerance alone (but no minutes), and an exchange of rows or claims."""
    old, new = _records(committed), _records(recomputed)
    differ = []
    for record in new if subset else {**old, **new}:
        (before, _), (now, tolerances) = old.get(record, ({}, {})), new.get(record, ({}, {}))
        names = list({**before, **now})
        if not before or not now:  # on one side only: a difference before any tolerance
            differ.append(Difference(record, "", before.get(names[0]), now.get(names[0])))
            continue
        for name in names:
            was, is_, tolerance = before.get(name), now.get(name), tolerances.get(name)
            if not _agree(was, is_, math.inf if name == "minutes" else 0.0):
                label = "" if record and name == names[0] else name
                tolerated = tolerance is not None and _agree(was, is_, tolerance)
                differ.append(Difference(record, label, was, is_, tolerance, tolerated))
    places = zip(filter(new.get, old), filter(old.get, new), strict=True)
    moved = next((pair for pair in places if pair[0] != pair[1]), None)
    return [*differ, Difference("", "in this place", *moved, tolerated=True)] if moved else differ


def remarks(committed: Results, recomputed: Results) -> list[str]:
    """No differences, but told: packages of other versions."""
    before, now = (results.made_with["versions"] for results in (committed, recomputed))
    return [
        f"{name} is {now.get(name)}, committed with {before.get(name)}"
        for name in {**before, **now} if before.get(name) != now.get(name)
    ]  # fmt: skip


def _records(results: Results) -> dict[str, tuple[dict, dict]]:
    """The head, each row and each claim: its fields, the telling one first, and the tolerances of its figures."""
    head = {name: getattr(results, name) for name in ("chapter", "paper", "profile")}
    head |= {name: results.made_with[name] for name in ("corpus", "seed")}
    head |= {f"dataset {name}": digest for name, digest in results.made_with["datasets"].items()}
    records: dict[str, tuple[dict, dict]] = {"": (head, {})}
    for row in results.results:
        stored = {name: value for name, value in row.record().items() if name not in KEY}
        is_p = row.metric == "p" or row.metric.startswith("p ")
        tolerances = dict.fromkeys(("value", "low", "high"), Deviates(row.tolerance) if is_p else row.tolerance)
        tolerances |= {"behind": 2 * row.tolerance, "minutes": math.inf}
        if row.p is not None and row.high:  # the deviate behind it moves by as many standard errors as the value may
            tolerances["p"] = Deviates(row.tolerance / ((row.high - row.low) / 3.92 or 0.5 / math.sqrt(row.n)))
        records[" | ".join(filter(None, row.key))] = stored, tolerances
    for claim in results.claims:
        stored, tolerances = {name: getattr(claim, name) for name in ("verdict", "text", "published")}, {}
        for i, test in enumerate(claim.evidence, start=1):
            stored |= {f"test {i}, {name}": value for name, value in test.record().items()}
            tolerances |= {f"test {i}, {name}": tolerance for name, tolerance in test.tolerances.items()}
        if any(isinstance(tolerance, OneStep) for tolerance in tolerances.values()):
            tolerances["verdict"] = OneStep()
        records[f"claim {claim.id}"] = stored, tolerances
    return records


def _parted(text: str) -> list[str | float]:
    """A text's decimal numbers, and in turn what stands between them."""
    return [float(part) if i % 2 else part for i, part in enumerate(DECIMAL.split(text))]


def _agree(before, now, tolerance: float) -> bool:
    if isinstance(tolerance, OneStep):
        return tolerance.cover(before, now)
    if tolerance and isinstance(before, str) and isinstance(now, str) and DECIMAL.search(now):
        before, now = _parted(before), _parted(now)
    if isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        return all(_agree(a, b, tolerance) for a, b in zip(before, now, strict=True))
    if is_number(before) and is_number(now):
        if isinstance(tolerance, Deviates):
            return tolerance.cover(before, now)
        return abs(before - now) <= tolerance + 1e-9
    return before == now


def beside_committed(results: Results) -> str:
    """A sentence: do the figures and verdicts of a run agree with those committed for its profile?"""
    if profile := datasets.own_profile():
        return f"This run is of the corpus of the profile {profile['name']}; the full figures are of our Wikipedia."
    before, names = committed(results.chapter, results.profile), f"committed for the {results.profile} profile"
    if before is None:
        return f"No figures are {names}."
    n, differences = len(results.results) + len(results.claims), compare(before, results, subset=True)
    if not differences:
        return f"All {n:,} figures and verdicts of this run agree with those {names}."
    differ, first = len({difference.record for difference in differences}), f"{differences[0]}".replace("|", ",")
    return f"Of the {n:,} figures and verdicts of this run {differ:,} are not those {names}. First: {first}."


# ---------------------------------------------------------------------------------------------------------------------
# Ours beside the paper's, on the same items


@dataclass(frozen=True)
class BesideSeeds:
    """A published figure and ours, trained with several seeds, on the same items.

    `ours` is the row with the profile's own seed; `mean`, `deviation` and `n` are of the seeds, `rounding` is half a
    unit of the last digit that the paper prints.
    """

    ours: Result
    mean: float
    deviation: float
    n: int
    rounding: float = 0.0

    @property
    def difference(self) -> float:
        """Ours less theirs."""
        return self.mean - self.ours.published

    @property
    def reach(self) -> float:
        """How far one more seed may lie from the mean: half of Student's 95% prediction interval, and the rounding.

        Its half width is t s sqrt(1 + 1/n), with s the deviation over n seeds and t of n - 1 degrees of freedom.
        """
        t = float(stats.t.ppf(0.975, self.n - 1))
        return t * self.deviation * math.sqrt(1 + 1 / self.n) + self.rounding

    @property
    def outside(self) -> bool:
        """Whether the published figure is none that one more seed of our training would be expected to give."""
        return abs(self.difference) > self.reach


def beside_seeds(results: Results, **wanted) -> list[BesideSeeds]:
    """Every published figure that our training has several seeds for, of rows with these fields, in their order."""
    pairs = []
    for row in results.find(**wanted):
        mean, sd = (results.by_key.get((*row.key[:4], f"{row.metric}, {name} of seeds")) for name in ("mean", "sd"))
        if row.published is not None and mean and sd:
            pairs.append((row, mean.value, sd.value, mean.n))
    digits = max((len(printed(row).partition(".")[2]) for row, *_ in pairs), default=0)
    return [BesideSeeds(*pair, rounding=0.5 * 10.0**-digits) for pair in pairs]
