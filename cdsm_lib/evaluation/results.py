"""The ledger: every figure of a chapter with its interval, and every claim of a paper with a computed verdict.

A ledger is one JSON file a chapter and profile, ``data/results/{sample,full}/<chapter>.json``::

    {"chapter", "paper", "profile",
     "made_with": {"datasets": {name: sha256}, "corpus", "versions": {package: version}, "seed"},
     "results": [{"system", "space", "dataset", "split", "metric", "value", "low", "high", "n", "published",
                  "tolerance"}],
     "claims": [{"id", "text", "published", "verdict", "evidence"}]}

``low`` and ``high`` bound the 95% bootstrap interval over the ``n`` items that ``value`` is the mean of; ``published``
is the paper's number, null where it has none; ``tolerance`` is how far a recomputed value may lie from this one. A
result is known by its system, space, dataset, split and metric. A learning curve is a series of results whose space
names the size of the corpus (:func:`at_size`). Values are stored with four decimals, keys in a fixed order, so that
equal ledgers are equal files.

Verdicts
--------
A claim *holds*, *fails* or is *undecided*, by a test on the items and never by comparing two means:

verdict_greater     "A is better than B": holds if A is significantly better (two-sided paired permutation test,
                    p < .05), fails if B is, else undecided. With a margin: better by more than the margin.
verdict_equivalent  "A matches B": holds if the 95% interval of the difference lies within the margin, fails if it
                    lies outside altogether, else undecided.
verdict_within      "the figure is about x": likewise for the interval of a mean and a range.
verdict_all         a claim of several parts: holds if all do, fails if one fails, else undecided.
"""

import json
import math
import os
import platform
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from importlib import metadata
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.display import ABSENT, Table, claim_anchor, claims_table, figure, three_column_table  # noqa: F401
from cdsm_lib.evaluation.significance import (
    bootstrap_difference,
    bootstrap_interval,
    grouped_interval,
    paired_bootstrap_difference,
    paired_permutation_test,
    permutation_test,
)

VERDICTS = ("holds", "fails", "undecided")
PACKAGES = ("numpy", "scipy", "numba", "gensim", "scikit-learn")
MADE_WITH = ("datasets", "corpus", "versions", "seed")
DECIMALS = 4


class LedgerError(ValueError):
    """A ledger, or a table of published figures, that is not as it must be; names file, place and problem."""

    def __init__(self, path, where: str, problem: str):
        self.path, self.where, self.problem = path, where, problem
        super().__init__(": ".join(str(part) for part in (path, where, problem) if part))


class Unavailable(RuntimeError):
    """Figures that this machine cannot recompute; says what is missing."""


def _is_number(value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@dataclass(frozen=True)
class Result:
    """One figure.

    Parameters
    ----------
    system, space : str
        Such as "Addition" on "Skip-Gram".
    dataset, split, metric : str
        Such as "relpron", "test", "MAP".
    value : float
    low, high : float or None
        95% interval; None where there are no items to draw from.
    n : int or None
        Items behind the value.
    published : float or None
        The paper's number.
    tolerance : float
        How far a recomputed value may lie from this one.

    Raises
    ------
    ValueError
        If a number is not finite, the interval does not hold the value, or the tolerance is negative.
    """

    system: str
    space: str
    dataset: str
    split: str
    metric: str
    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None
    tolerance: float = 0.0

    def __post_init__(self):
        for name in ("system", "space", "dataset", "split", "metric"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be text, found {getattr(self, name)!r}")
        for name in ("value", "tolerance"):
            if not _is_number(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number, found {getattr(self, name)!r}")
        for name in ("low", "high", "n", "published"):
            if getattr(self, name) is not None and not _is_number(getattr(self, name)):
                raise ValueError(f"{name} must be a finite number or null, found {getattr(self, name)!r}")
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high must both be given, or both be null")
        slack = 10.0**-DECIMALS
        if self.low is not None and not self.low - slack <= self.value <= self.high + slack:
            raise ValueError(f"the interval [{self.low}, {self.high}] does not hold the value {self.value}")
        if self.tolerance < 0:
            raise ValueError(f"tolerance must not be negative, found {self.tolerance}")

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """What the result is known by: system, space, dataset, split, metric."""
        return (self.system, self.space, self.dataset, self.split, self.metric)

    @classmethod
    def of_items(cls, values, *, seed: int = 0, n_resamples: int = 10_000, **names) -> "Result":
        """The mean of one value an item, with its 95% bootstrap interval.

        Parameters
        ----------
        values : float array [items]
        seed, n_resamples : int
            Of the bootstrap.
        **names
            The other fields of the result.
        """
        found = bootstrap_interval(values, np.mean, n_resamples, 0.95, seed)
        return cls(value=found.value, low=found.low, high=found.high, n=len(values), **names)


@dataclass(frozen=True)
class Claim:
    """A sentence that a paper concludes, with what our data say.

    Parameters
    ----------
    id : str
        Short and stable.
    text : str
        The claim.
    published : str or None
        The paper's figures behind it; None where they are lost.
    verdict : {"holds", "fails", "undecided"}
    evidence : str
        Our figures behind the verdict.

    Raises
    ------
    ValueError
        For an unknown verdict or a field that is not text.
    """

    id: str
    text: str
    published: str | None
    verdict: str
    evidence: str

    def __post_init__(self):
        for name in ("id", "text", "evidence"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise ValueError(f"{name} must be text, found {getattr(self, name)!r}")
        if not isinstance(self.published, str | None):
            raise ValueError(f"published must be text or null, found {self.published!r}")
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, found {self.verdict!r}")


@dataclass(frozen=True)
class Ledger:
    """The figures and claims of one chapter in one profile.

    Parameters
    ----------
    chapter, paper, profile : str
    made_with : dict
        From :func:`made_with`.
    results : tuple of Result
    claims : tuple of Claim

    Raises
    ------
    ValueError
        If two results have the same key or two claims the same id.
    """

    chapter: str
    paper: str
    profile: str
    made_with: dict = field(default_factory=lambda: made_with({}, None, None))
    results: tuple[Result, ...] = ()
    claims: tuple[Claim, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "results", tuple(self.results))
        object.__setattr__(self, "claims", tuple(self.claims))
        for what, keys in (("result", [r.key for r in self.results]), ("claim", [c.id for c in self.claims])):
            twice = {key for key in keys if keys.count(key) > 1} if len(set(keys)) < len(keys) else set()
            if twice:
                raise ValueError(f"{what} {sorted(twice)[0]} stands twice in the ledger")

    def find(self, **wanted: str) -> list[Result]:
        """Results whose fields equal the wanted ones, in order; such as ``find(system="SPLF", split="test")``."""
        unknown = set(wanted) - {f.name for f in fields(Result)}
        if unknown:
            raise KeyError(f"a result has no field {sorted(unknown)}")
        return [r for r in self.results if all(getattr(r, name) == value for name, value in wanted.items())]

    def one(self, **wanted: str) -> Result:
        """The only result with these fields; `KeyError` if there is none or more than one."""
        found = self.find(**wanted)
        if len(found) != 1:
            raise KeyError(f"{len(found)} results of {self.chapter} ({self.profile}) with {wanted}, expected one")
        return found[0]

    def claim(self, id: str) -> Claim:
        """The claim with this id; `KeyError` if there is none."""
        for claim in self.claims:
            if claim.id == id:
                return claim
        raise KeyError(f"no claim {id!r} in {self.chapter} ({self.profile})")

    def to_json(self) -> str:
        """The file's text: fixed key order, four decimals, one record a line."""
        head = {name: getattr(self, name) for name in ("chapter", "paper", "profile", "made_with")}
        head["made_with"] = {name: head["made_with"][name] for name in MADE_WITH}
        parts = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
        for name in ("results", "claims"):
            records = [json.dumps(_rounded(asdict(r)), ensure_ascii=False) for r in getattr(self, name)]
            listed = "[\n  " + ",\n  ".join(records) + "\n ]" if records else "[]"
            parts.append(f"{json.dumps(name)}: {listed}")
        return "{\n " + ",\n ".join(parts) + "\n}\n"

    def write(self, path) -> None:
        """Write the file, whole or not at all; the folder is made if it is not there."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(self.to_json())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    @classmethod
    def read(cls, path) -> "Ledger":
        """Read and check a ledger file.

        Raises
        ------
        LedgerError
            Naming the file, the record and the problem: not JSON, a missing or unknown field, a number that is not
            finite, an interval that does not hold its value, an unknown verdict, or a record that stands twice.
        FileNotFoundError
            If there is no such file.
        """
        path = Path(path)

        def constant(name: str):
            raise ValueError(f"{name} is no finite number")

        try:
            data = json.loads(path.read_text(encoding="utf-8"), parse_constant=constant)
        except ValueError as error:
            raise LedgerError(path.name, "", f"not a ledger: {error}; make it again") from None
        _expect_fields(path.name, "the ledger", data, [f.name for f in fields(cls)])
        _expect_fields(path.name, "made_with", data["made_with"], MADE_WITH)
        records = {"results": [], "claims": []}
        for name, kind in (("results", Result), ("claims", Claim)):
            if not isinstance(data[name], list):
                raise LedgerError(path.name, name, "must be a list")
            for i, record in enumerate(data[name]):
                _expect_fields(path.name, f"{name}[{i}]", record, [f.name for f in fields(kind)])
                try:
                    records[name].append(kind(**record))
                except ValueError as error:
                    raise LedgerError(path.name, f"{name}[{i}]", str(error)) from None
        for name in ("chapter", "paper", "profile"):
            if not isinstance(data[name], str) or not data[name]:
                raise LedgerError(path.name, name, f"must be text, found {data[name]!r}")
        try:
            return cls(data["chapter"], data["paper"], data["profile"], data["made_with"], **records)
        except ValueError as error:
            raise LedgerError(path.name, "", str(error)) from None


def _expect_fields(path, where: str, record, names: Sequence[str]) -> None:
    if not isinstance(record, dict):
        raise LedgerError(path, where, f"must be an object with {', '.join(names)}")
    missing, unknown = [n for n in names if n not in record], [n for n in record if n not in names]
    if missing or unknown:
        found = [f"{word} {', '.join(what)}" for word, what in (("lacks", missing), ("has unknown", unknown)) if what]
        raise LedgerError(path, where, " and ".join(found))


def _rounded(record: dict) -> dict:
    """Floats with four decimals, minus zero as zero."""
    return {k: round(float(v), DECIMALS) + 0.0 if isinstance(v, float) else v for k, v in record.items()}


def made_with(datasets: Mapping[str, str], corpus: str | None, seed: int | None) -> dict:
    """What a run was made with.

    Parameters
    ----------
    datasets : mapping of name to SHA-256
    corpus : str or None
        Fingerprint or name of the corpus.
    seed : int or None

    Returns
    -------
    dict
        With the versions of Python and of the packages that the numbers depend on, where installed.
    """
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return {"datasets": dict(sorted(datasets.items())), "corpus": corpus, "versions": versions, "seed": seed}


# ---------------------------------------------------------------------------------------------------------------------
# Comparing


@dataclass(frozen=True)
class Difference:
    """A figure, a claim or a dataset that did not come out as committed.

    Parameters
    ----------
    what : str
    committed, recomputed : float, str or None
        None where there is none.
    tolerance : float or None
    """

    what: str
    committed: float | str | None
    recomputed: float | str | None
    tolerance: float | None = None

    def __str__(self) -> str:
        if self.recomputed is None:
            return f"{self.what}: committed as {self.committed}, not recomputed"
        if self.committed is None:
            return f"{self.what}: {self.recomputed} is not committed"
        beyond = f", beyond the tolerance of {self.tolerance}" if self.tolerance is not None else ""
        return f"{self.what}: {self.recomputed}, committed as {self.committed}{beyond}"


def compare(committed: Ledger, recomputed: Ledger, *, subset: bool = False) -> list[Difference]:
    """Where a recomputed ledger differs from the committed one.

    Values are compared as they are stored, with four decimals, within the tolerance of the committed result; verdicts
    of claims and hashes of datasets must be equal.

    Parameters
    ----------
    committed, recomputed : Ledger
    subset : bool
        True: only what was recomputed is compared, and committed figures that were not are passed over.

    Returns
    -------
    list of Difference
        Empty if the ledgers agree.
    """
    found = []
    old, new = ({r.key: r for r in ledger.results} for ledger in (committed, recomputed))
    for key in [*old, *(key for key in new if key not in old)]:
        what = " | ".join(part for part in key if part)
        if key not in new:
            if not subset:
                found.append(Difference(what, old[key].value, None))
        elif key not in old:
            found.append(Difference(what, None, round(new[key].value, DECIMALS)))
        else:
            before, now = round(old[key].value, DECIMALS), round(new[key].value, DECIMALS)
            if abs(before - now) > old[key].tolerance + 1e-9:
                found.append(Difference(what, before, now, old[key].tolerance))
    old_claims, new_claims = ({c.id: c.verdict for c in ledger.claims} for ledger in (committed, recomputed))
    for id in [*old_claims, *(id for id in new_claims if id not in old_claims)]:
        before, now = old_claims.get(id), new_claims.get(id)
        if before != now and not (subset and now is None):
            found.append(Difference(f"claim {id}", before, now))
    old_data, new_data = committed.made_with["datasets"], recomputed.made_with["datasets"]
    found += [
        Difference(f"dataset {name}", old_data[name], new_data[name])
        for name in old_data
        if name in new_data and old_data[name] != new_data[name]
    ]
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Learning curves


def at_size(space: str, n_tokens: int) -> str:
    """Name of a space trained on part of the corpus.

    Examples
    --------
    >>> at_size("Skip-Gram", 2_000_000)
    'Skip-Gram @ 2000000 tokens'
    """
    return f"{space} @ {n_tokens} tokens"


def learning_curve(ledger: Ledger, system: str, space: str, **wanted: str) -> list[tuple[int, Result]]:
    """The results of a system by size of corpus, smallest first.

    Parameters
    ----------
    ledger : Ledger
    system, space : str
        The space without its size.
    **wanted
        Further fields, such as ``split="dev"``.

    Returns
    -------
    list of (tokens, Result)
    """
    curve = []
    for result in ledger.find(system=system, **wanted):
        name, _, size = result.space.partition(" @ ")
        if name == space and size:
            curve.append((int(size.removesuffix(" tokens")), result))
    return sorted(curve, key=lambda point: point[0])


# ---------------------------------------------------------------------------------------------------------------------
# Published figures


def read_published(name: str, folder=None) -> dict:
    """A table of a paper, from ``data/published``.

    Parameters
    ----------
    name : str
        Such as "rimell2016_table5".
    folder : path, optional

    Returns
    -------
    dict
        As in the file.

    Raises
    ------
    LedgerError or cdsm_lib.datasets.DataError
        If there is no such table.
    """
    path = datasets.published(name) if folder is None else Path(folder) / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.json")))
        raise LedgerError(path.name, "", f"no such published table; there are: {known}")
    return json.loads(path.read_text(encoding="utf-8"))


RIMELL_ROWS = {  # our names of systems: rows of Table 5
    "arg": "arg",
    "verb": "verb",
    "Mult": "hn*v*arg (mult)",
    "Addition": "hn+v+arg",
    "v+arg": "v+arg",
    "hn+arg": "hn+arg",
    "hn+v": "hn+v",
    "Frobenius": "Frobenius",
}


def published_rimell2016(system: str, space: str, split: str, metric: str = "MAP", folder=None) -> float | None:
    """Rimell et al.'s figure (Tables 5, 6 and 7), or None where the paper has none.

    Parameters
    ----------
    system : str
        "Addition", "Mult", "arg", "verb", "hn+arg", "hn+v", "v+arg", "Frobenius", "SPLF", "PLF", "FPLF",
        "RPTensor", "VArg" or "Vhn".
    space : str
        "Count", "Count-SVD" or "Skip-Gram".
    split : {"dev", "test"}
    metric : str
        "MAP"; "MAP SBJ" and "MAP OBJ" for Table 7.
    folder : path, optional
        Of the tables.

    Returns
    -------
    float or None
    """
    if metric == "MAP" and split == "dev" and system in RIMELL_ROWS:
        table = read_published("rimell2016_table5", folder)
        row = next(row for row in table["rows"] if row[1] == RIMELL_ROWS[system])
        return row[table["columns"].index(space)] if space in table["columns"][2:5] else None
    if space != "Skip-Gram":
        return None
    if metric == "MAP" and split in ("dev", "test"):
        row = read_published("rimell2016_table6", folder)["rows"].get(system)
        return row[("dev", "test").index(split)] if row else None
    if metric in ("MAP SBJ", "MAP OBJ") and split == "dev":
        table = read_published("rimell2016_table7", folder)
        columns = [column.split(" ")[0] for column in table["columns"]]
        row = table["rows"]["Subject" if metric == "MAP SBJ" else "Object"]
        return row[columns.index(system)] if system in columns else None
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Claims


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _p(value: float) -> str:
    return "p < .001" if value < 0.001 else f"p = {value:.3f}".replace("0.", ".")


def verdict_greater(
    a,
    b,
    *,
    id: str,
    text: str,
    names: tuple[str, str],
    published: str | None = None,
    margin: float = 0.0,
    n: int = 10_000,
    seed: int = 0,
    paired: bool = True,
    ties: bool = False,
) -> Claim:
    """The claim that system a is better than system b, by more than a margin.

    Parameters
    ----------
    a, b : float arrays [items]
        Values of the same items in the same order; of two groups of items if not `paired`.
    id, text, published
        As in :class:`Claim`.
    names : (str, str)
        Of the two systems, for the evidence.
    margin : float
        For claims such as "far below".
    n, seed : int
        Permutations and resamples.
    paired : bool
        False compares one kind of items with another, such as adjectives with verbs.
    ties : bool
        For values of 0 and 1, see `cdsm_lib.evaluation.significance.paired_permutation_test`.

    Returns
    -------
    Claim
        Holds if a exceeds b by more than the margin significantly (permutation test, two-sided, p < .05), fails if it
        falls short of the margin significantly, else undecided.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if paired:
        p = paired_permutation_test(a - margin, b, n, seed, ties=ties)
    else:
        p = permutation_test(a - margin, b, n, seed)
    interval = (paired_bootstrap_difference if paired else bootstrap_difference)(a, b, n, 0.95, seed)
    verdict = "undecided" if p >= 0.05 else "holds" if interval.value > margin else "fails"
    beyond = f" against a margin of {margin:g}" if margin else ""
    items = f"{len(a)}" if paired else f"{len(a)} and {len(b)}"
    evidence = (
        f"{names[0]} {a.mean():.3f}, {names[1]} {b.mean():.3f}; difference {_signed(interval.value)} "
        f"[{_signed(interval.low)}, {_signed(interval.high)}]{beyond}, {_p(p)}, {items} items"
    )
    return Claim(id, text, published, verdict, evidence)


def verdict_resampled(
    a: float,
    b: float,
    resampled_a,
    resampled_b,
    *,
    id: str,
    text: str,
    names: tuple[str, str],
    published: str | None = None,
    what: str = "resamples",
) -> Claim:
    """The claim that system a is better than system b, for a figure that is no mean over independent items.

    Parameters
    ----------
    a, b : float
        The figures of the two systems.
    resampled_a, resampled_b : float arrays [n]
        The same figures on the same n bootstrap resamples.
    id, text, names, published
        As in :func:`verdict_greater`.
    what : str
        What was drawn, for the evidence.

    Returns
    -------
    Claim
        Holds if the 95% percentile interval of the difference lies above 0, fails if it lies below, else undecided.

    Raises
    ------
    ValueError
        If the resamples differ in number, are none, or hold NaN.
    """
    drawn_a, drawn_b = (np.asarray(drawn, dtype=np.float64) for drawn in (resampled_a, resampled_b))
    if drawn_a.ndim != 1 or drawn_a.shape != drawn_b.shape or not len(drawn_a):
        raise ValueError(f"resamples of shapes {drawn_a.shape} and {drawn_b.shape}: take the same for both systems")
    differences = drawn_a - drawn_b
    if not np.isfinite(differences).all():
        raise ValueError(f"{names[0]} or {names[1]} has resamples that are NaN or infinite")
    low, high = np.quantile(differences, (0.025, 0.975)).tolist()
    verdict = "holds" if low > 0 else "fails" if high < 0 else "undecided"
    evidence = (
        f"{names[0]} {a:.3f}, {names[1]} {b:.3f}; difference {_signed(a - b)} [{_signed(low)}, {_signed(high)}], "
        f"{len(differences)} {what}"
    )
    return Claim(id, text, published, verdict, evidence)


def _range_verdict(interval, low: float, high: float) -> str:
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or high < interval.low else "undecided"


def verdict_equivalent(
    a,
    b,
    *,
    id: str,
    text: str,
    names: tuple[str, str],
    published: str | None = None,
    margin: float = 0.05,
    n: int = 10_000,
    seed: int = 0,
) -> Claim:
    """The claim that two systems match: equal up to a margin.

    Parameters
    ----------
    a, b, id, text, names, published, n, seed
        As in :func:`verdict_greater`.
    margin : float
        Largest difference that counts as none.

    Returns
    -------
    Claim
        Holds if the 95% bootstrap interval of the mean difference lies within the margin either way, fails if it lies
        outside altogether, else undecided.
    """
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    interval = paired_bootstrap_difference(a, b, n, 0.95, seed)
    evidence = (
        f"{names[0]} {a.mean():.3f}, {names[1]} {b.mean():.3f}; difference {_signed(interval.value)} "
        f"[{_signed(interval.low)}, {_signed(interval.high)}], equal up to {margin:g}, {len(a)} items"
    )
    return Claim(id, text, published, _range_verdict(interval, -margin, margin), evidence)


def verdict_within(
    values,
    low: float,
    high: float,
    *,
    id: str,
    text: str,
    name: str,
    published: str | None = None,
    n: int = 10_000,
    seed: int = 0,
    groups=None,
) -> Claim:
    """The claim that a mean lies in a range, such as "about eight of the top ten".

    Parameters
    ----------
    values : float array [items]
    low, high : float
        The range that the claim's words stand for.
    id, text, published, n, seed
        As in :func:`verdict_greater`.
    name : str
        Of the figure, for the evidence.
    groups : int array [items], optional
        Items that are drawn together, see `cdsm_lib.evaluation.significance.grouped_interval`.

    Returns
    -------
    Claim
        Holds if the 95% bootstrap interval of the mean lies in the range, fails if it lies outside altogether, else
        undecided.
    """
    if groups is None:
        interval = bootstrap_interval(values, np.mean, n, 0.95, seed)
    else:
        interval = grouped_interval(values, groups, n, 0.95, seed)
    evidence = (
        f"{name} {interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}], "
        f"claimed range {low:g} to {high:g}, {len(values)} items"
    )
    return Claim(id, text, published, _range_verdict(interval, low, high), evidence)


def verdict_all(parts: Sequence[Claim], *, id: str, text: str, published: str | None = None) -> Claim:
    """A claim of several parts: holds if all of them hold, fails if one fails, else undecided.

    Parameters
    ----------
    parts : sequence of Claim
        At least one.
    id, text, published
        As in :class:`Claim`.

    Returns
    -------
    Claim
        With the parts' evidence in order.

    Raises
    ------
    ValueError
        If there are no parts.
    """
    if not parts:
        raise ValueError(f"claim {id!r} has no parts")
    found = {part.verdict for part in parts}
    verdict = "fails" if "fails" in found else "undecided" if "undecided" in found else "holds"
    return Claim(id, text, published, verdict, "; ".join(f"({part.verdict}) {part.evidence}" for part in parts))
