"""Results: every figure of a chapter with its interval, and every claim of a paper with its tests and verdict.

The results of a chapter and profile are one JSON file, ``data/results/{sample,full}/<chapter>.json``::

    {"chapter", "paper", "profile",
     "made_with": {"datasets": {name: sha256}, "corpus", "versions": {package: version}, "seed"},
     "results": [{"system", "space", "dataset", "split", "metric", "value", "low", "high", "n", "published",
                  "tolerance", ... further columns}],
     "claims": [{"id", "text", "published", "verdict", "evidence": [{"kind", "verdict", "names", ...}]}]}

``low`` and ``high`` bound the 95% bootstrap interval over the ``n`` items that ``value`` is the mean of; ``published``
is the paper's number, null where it has none; ``tolerance`` is how far a recomputed value may lie from this one. A
result is known by its system, space, dataset, split and metric. What these names say beside that, such as the size of
the corpus or the level of a substitution, stands in *columns* of its own (the further fields of :class:`Result`), so
that nobody has to read it out of a name. Values are stored with four decimals, keys in a fixed order, so that equal
results are equal files. A verdict's tests are those of `cdsm_lib.evaluation.verdicts`.

From scores to rows
-------------------
A system's output on a task is a :class:`Scores`: one value an item, or a figure with its bootstrap resamples. It makes
the rows, a breakdown is a `Scores.groupby`, and the same objects are what the claims are tested on::

    credit = Scores("word2vec", "window 2", "semcor", "test", "accuracy", values, tolerance=0.02,
                    columns={"window": 2}, labels={"pos": pos, "senses": senses})
    rows = [credit.row(seed)]
    rows += [part.row(seed, split=f"test, {part['pos']}") for part in credit.groupby("pos")]
    Results("sense_discrimination", "kober2017", "full", made, rows, evaluate("sense_discrimination", [credit, ...]))

`Results.rows` is all of them as a pandas frame; `Results.find` and `Results.one` give single rows.
"""

import json
import math
import platform
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.evaluation.significance import Interval, bootstrap_interval, by_group
from cdsm_lib.evaluation.verdicts import VERDICTS, Evidence, Test, verdict_of
from cdsm_lib.storage import alone, whole_file
from cdsm_lib.tables import path_of

PACKAGES = ("numpy", "scipy", "numba", "gensim", "scikit-learn")
MADE_WITH = ("datasets", "corpus", "versions", "seed")
DECIMALS = 4
DIGESTS = "SHA256SUMS"
DIGESTED = {"results": "*.json", "published": "*.json", "models": "*.npz", "annotations": "*.tsv"}
"""The folders below ``data`` that state the digests of their files in ``SHA256SUMS``, and of which files."""
KEY = ("system", "space", "dataset", "split", "metric")
NEVER_NULL = (*KEY, "value", "tolerance")


class ResultsError(ValueError):
    """Results, or a table of published figures, that are not as they must be; names file, place and problem."""

    def __init__(self, path, where: str, problem: str):
        self.path, self.where, self.problem = path, where, problem
        super().__init__(": ".join(str(part) for part in (path, where, problem) if part))


# ---------------------------------------------------------------------------------------------------------------------
# Rows


def is_number(value) -> bool:
    """Whether it is a finite number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


COLUMNS = (
    "series", "tokens", "model", "operation", "mixed", "method", "senses", "iterations", "form", "kind", "level",
    "view", "head", "part", "pos", "band", "position", "window", "similarity", "parameters", "minutes", "behind",
    "recipe", "p", "verdict", "trained",
)  # fmt: skip
"""The further columns that a row may have, in the order in which they are written.

``series`` is the space of a learning curve without its size, ``tokens`` the size of the corpus; ``model``,
``operation`` and ``mixed`` (with word overlap?) are the parts of a name such as TFP add + overlap; ``senses`` counts
latent senses, or the options of an item; ``form``, ``kind`` and ``level`` say how a sentence was altered, and in how
many words; ``view`` and ``head`` how a ranking is restricted to a head noun; ``part`` is the split without its cell,
``pos`` a part of speech, ``band`` one of frequency, ``position`` that of a target in its phrase; ``similarity`` is
cosine where the other rows have dot products; ``parameters`` and ``minutes`` (of one machine, never compared) are what
a system costs; ``behind`` is how far it is at least behind the best, ``recipe`` what a development set chose, ``p``
that of the difference from the simple system; ``verdict`` is that on the claim of an effect
(`cdsm_lib.chapters.multiverse`); ``trained`` is true where `make verify` does not repeat a training, and computes the
row from the values that it left; `NOT_REPEATED` where it does not compute the row.
"""

NOT_REPEATED = "not repeated"


@dataclass(frozen=True)
class Place:
    """What a figure is known by, such as "Addition" on "Skip-Gram", "relpron", "test", "MAP"."""

    system: str
    space: str
    dataset: str
    split: str
    metric: str

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """All five."""
        return tuple(getattr(self, name) for name in KEY)

    def __getitem__(self, name: str):
        """A field or a column by its name; None for a column that is not there."""
        return self.columns.get(name) if name in COLUMNS else getattr(self, name)

    def has(self, fields: Mapping) -> bool:
        """Whether the fields and columns of these names have these values."""
        return all(self[name] == value for name, value in fields.items())


@dataclass(frozen=True)
class Result(Place):
    """One figure: a row of a chapter's table.

    Raises `ValueError` if a number is not finite, the interval does not hold the value, or the tolerance is negative.

    Parameters
    ----------
    system, space, dataset, split, metric
        As in :class:`Place`.
    value : float
    low, high : float or None
        95% interval; None where there are no items to draw from.
    n : int or None
        Items behind the value.
    published : float or None
        The paper's number.
    tolerance : float
        How far a recomputed value may lie from this one; of a p, in deviates
        (`cdsm_lib.evaluation.verdicts.Deviates`).
    columns : mapping
        Further columns, by the names of `COLUMNS`; each is an attribute, too, None where the row lacks it.
    """

    value: float
    low: float | None = None
    high: float | None = None
    n: int | None = None
    published: float | None = None
    tolerance: float = 0.0
    columns: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self):
        columns = {name: self.columns[name] for name in COLUMNS if self.columns.get(name) is not None}
        object.__setattr__(self, "columns", columns)
        for name, value in self.record().items():
            is_text, number = isinstance(value, str | bool), is_number(value)
            fits = is_text if name in KEY else is_text or number if name in COLUMNS else number
            if not fits and (value is not None or name in NEVER_NULL):
                raise ValueError(f"{name} must be {'text' if name in KEY else 'a finite number'}, found {value!r}")
        if (self.low is None) != (self.high is None):
            raise ValueError("low and high must both be given, or both be null")
        slack = 10.0**-DECIMALS
        if self.low is not None and not self.low - slack <= self.value <= self.high + slack:
            raise ValueError(f"the interval [{self.low}, {self.high}] does not hold the value {self.value}")
        if self.tolerance < 0:
            raise ValueError(f"tolerance must not be negative, found {self.tolerance}")

    def __getattr__(self, name: str):
        if name in COLUMNS:
            return self.columns.get(name)
        raise AttributeError(f"a result has no field {name}")

    def record(self) -> dict:
        """For the JSON file: the eleven fields that every row has, and the further columns that this one has."""
        return {name: _rounded(getattr(self, name)) for name in (*ROW, *self.columns)}

    @classmethod
    def of(cls, **names) -> "Result":
        """From fields and further columns alike; `ValueError` for a name that is neither."""
        if unknown := names.keys() - {*ROW, *COLUMNS}:
            raise ValueError(f"a result has no column {', '.join(sorted(unknown))}")
        return cls(**{k: names[k] for k in ROW if k in names}, columns={k: names[k] for k in COLUMNS if k in names})

    def changed(self, **changes) -> "Result":
        """The same with other fields or columns."""
        return Result.of(**{**{name: getattr(self, name) for name in (*ROW, *self.columns)}, **changes})


ROW = tuple(f.name for f in fields(Result))[:11]


def _rounded(value):
    """A float with four decimals, minus zero as zero; all else as it is."""
    return round(float(value), DECIMALS) + 0.0 if isinstance(value, float) else value


@dataclass(frozen=True, eq=False)
class Scores(Place):
    """A system's output on a task: one value an item, or a figure that is no mean, with its bootstrap resamples.

    Parameters
    ----------
    system, space, dataset, split, metric
        As in :class:`Place`.
    values : float array [items], optional
        One value an item, such as the average precision of each term.
    groups : int array [items], optional
        Items of the same group are drawn together.
    statistic : float, optional
        Instead of `values`: a figure such as a correlation, or a number that a paper prints.
    resamples : float array [resamples], optional
        The statistic on bootstrap resamples; systems that are to be compared must share them.
    n : int, optional
        Items behind the statistic; by default the number of values.
    published, tolerance
        As in :class:`Result`.
    columns : mapping
        Further columns of the row, by the names of :class:`Result`.
    labels : mapping of str to array [items]
        Further columns that differ between items, for `groupby`.
    role : str, optional
        A name by which claims ask for the scores where no column says it, such as "the autoencoder of this run".
    trained : bool
        Whether they rest on a training that ``make verify`` does not repeat (`cdsm_lib.evaluation.ledger`).
    """

    values: np.ndarray | None = None
    groups: np.ndarray | None = None
    statistic: float | None = None
    resamples: np.ndarray | None = None
    n: int | None = None
    published: float | None = None
    tolerance: float = 0.0
    columns: Mapping[str, object] = field(default_factory=dict)
    labels: Mapping[str, np.ndarray] = field(default_factory=dict)
    role: str | None = None
    trained: bool = False

    def __post_init__(self):
        if self.values is not None:
            object.__setattr__(self, "values", np.asarray(self.values, dtype=np.float64))

    @property
    def value(self) -> float:
        """The mean of the values, or the statistic."""
        return float(self.statistic if self.values is None else self.values.mean())

    def interval(self, seed: int = 0, n_resamples: int = 10_000) -> Interval | None:
        """The 95% interval: of the mean over items or groups drawn anew, or that of the resamples; None without any.

        A percentile interval of resamples is widened to hold the value where these cannot reach it.
        """
        if self.values is not None:
            return bootstrap_interval(self.values, n_resamples, seed, self.groups)
        if self.resamples is None:
            return None
        low, high = np.quantile(self.resamples, (0.025, 0.975)).tolist()
        return Interval(self.value, min(low, self.value), max(high, self.value))

    def row(self, seed: int = 0, n_resamples: int = 10_000, **changes) -> Result:
        """The figure with its interval; `changes` replace fields of the row, such as its `split`."""
        interval = self.interval(seed, n_resamples)
        ends = {"low": interval.low, "high": interval.high} if interval else {}
        n = len(self.values) if self.n is None and self.values is not None else self.n
        names = {name: getattr(self, name) for name in (*KEY, "value", "published", "tolerance")}
        return Result.of(**{**names, **ends, "n": n, "trained": self.trained or None, **self.columns, **changes})

    def subset(self, wanted: np.ndarray, **changes) -> "Scores":
        """The scores of some items (bool array [items]); `changes` replace fields of the scores."""
        groups = None if self.groups is None else np.asarray(self.groups)[wanted]
        labels = {name: np.asarray(of_items)[wanted] for name, of_items in self.labels.items()}
        return replace(self, **{"values": self.values[wanted], "groups": groups, "labels": labels, **changes})

    def where(self, **labels) -> "Scores":
        """The scores of the items with these labels, which become columns; there may be none."""
        wanted = np.ones(len(self.values), dtype=bool)
        for name, label in labels.items():
            wanted &= np.asarray(self.labels[name]) == label
        return self.subset(wanted, columns={**self.columns, **labels})

    def groupby(self, *names: str) -> Iterator["Scores"]:
        """The scores of the items that share these labels, one after the other, in the order of their first items."""
        table = pd.DataFrame({name: np.asarray(self.labels[name]) for name in names}).drop_duplicates()
        for labels in table.to_dict("records"):
            yield self.where(**labels)

    def by_group(self) -> np.ndarray:
        """The values, or where items have groups `cdsm_lib.evaluation.significance.by_group` of them."""
        return self.values if self.groups is None else by_group(self.values, self.groups)


# ---------------------------------------------------------------------------------------------------------------------
# Claims


@dataclass(frozen=True)
class Claim:
    """A sentence that a paper concludes, with what our data say.

    Raises `ValueError` for an unknown verdict or no tests.

    Parameters
    ----------
    id : str
        Short and stable.
    text : str
        The claim.
    published : str or None
        The paper's figures behind it; None where they are lost.
    verdict : {"holds", "fails", "undecided"}
    evidence : sequence of Test
        The tests behind the verdict; as text by ``str(claim.evidence)``.
    """

    id: str
    text: str
    published: str | None
    verdict: str
    evidence: Evidence

    def __post_init__(self):
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, found {self.verdict!r}")
        if not self.evidence or not isinstance(self.evidence, list | tuple):
            raise ValueError(f"evidence must be a list of tests, found {self.evidence!r}")
        tests = (test if isinstance(test, Test) else Test(**test) for test in self.evidence)
        object.__setattr__(self, "evidence", Evidence(tests))

    @classmethod
    def of(cls, id: str, text: str, published: str | None, tests: Sequence[Test]) -> "Claim":
        """A claim with the verdict that its tests give, see `cdsm_lib.evaluation.verdicts.verdict_of`."""
        return cls(id, text, published, verdict_of(tests), Evidence(tests))

    def record(self) -> dict:
        """For the JSON file."""
        names = {name: getattr(self, name) for name in ("id", "text", "published", "verdict")}
        return {**names, "evidence": [test.record() for test in self.evidence]}


# ---------------------------------------------------------------------------------------------------------------------
# The results of a chapter


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
        With the versions of Python and of the packages that the numbers depend on.
    """
    versions = {"python": platform.python_version()} | {package: metadata.version(package) for package in PACKAGES}
    return {"datasets": dict(sorted(datasets.items())), "corpus": corpus, "versions": versions, "seed": seed}


@dataclass(frozen=True)
class Results:
    """The figures and claims of one chapter in one profile.

    Raises `ValueError` if two results have the same key or two claims the same id.

    Parameters
    ----------
    chapter, paper, profile : str
    made_with : dict
        From :func:`made_with`.
    results : tuple of Result
    claims : tuple of Claim
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
        keys = Counter([*(row.key for row in self.results), *(claim.id for claim in self.claims)])
        if twice := [key for key, n in keys.items() if n > 1]:
            raise ValueError(f"{twice[0]} stands twice in the results")

    @cached_property
    def by_key(self) -> dict[tuple, Result]:
        """The results by their keys."""
        return {result.key: result for result in self.results}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All figures, a row each: the fields of :class:`Result`, and the further columns that some row has."""
        frame = pd.DataFrame([{**vars(result), **result.columns} for result in self.results])
        return frame.reindex(columns=[*ROW, *(name for name in COLUMNS if name in frame)])

    def find(self, **wanted) -> list[Result]:
        """Results whose fields equal the wanted ones, in order; such as ``find(system="SPLF", level=2)``."""
        return [result for result in self.results if result.has(wanted)]

    def one(self, **wanted) -> Result:
        """The only result with these fields; `KeyError` if there is none or more than one."""
        rows = self.find(**wanted)
        if len(rows) != 1:
            raise KeyError(f"{len(rows)} results of {self.chapter} ({self.profile}) with {wanted}, expected one")
        return rows[0]

    def claim(self, id: str) -> Claim:
        """The claim with this id; `KeyError` if there is none."""
        return {claim.id: claim for claim in self.claims}[id]

    def to_json(self) -> str:
        """The file's text: fixed key order, four decimals, one record a line."""
        head = {name: getattr(self, name) for name in ("chapter", "paper", "profile", "made_with")}
        head["made_with"] = {name: head["made_with"][name] for name in MADE_WITH}
        parts = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
        for name in ("results", "claims"):
            records = [json.dumps(r.record(), ensure_ascii=False) for r in getattr(self, name)]
            listed = "[\n  " + ",\n  ".join(records) + "\n ]" if records else "[]"
            parts.append(f"{json.dumps(name)}: {listed}")
        return "{\n " + ",\n ".join(parts) + "\n}\n"

    def write(self, path) -> None:
        """Write the file, whole or not at all; the folder is made if it is not there."""
        with whole_file(path) as file:
            file.write(self.to_json())

    @classmethod
    def read(cls, path) -> "Results":
        """Read and check a file of results.

        Raises
        ------
        ResultsError
            Naming the file, the record and the problem: not JSON, a missing or unknown field, a number that is not
            finite, an interval that does not hold its value, an unknown verdict, or a record that stands twice.
        FileNotFoundError
            If there is no such file.
        """
        path, where = path_of(path), "the file"
        try:
            data = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
        except (ValueError, RecursionError) as error:
            raise ResultsError(path.name, "", f"no results: {error}; make them again") from None
        try:
            _expect(data, [f.name for f in fields(cls)])
            where = "made_with"
            _expect(data[where], MADE_WITH)
            of_claims = [f.name for f in fields(Claim)]
            for records, kind, names in (("results", Result.of, ROW), ("claims", Claim, of_claims)):
                where = records
                if not isinstance(data[records], list):
                    raise ValueError("must be a list")
                for i, record in enumerate(data[records]):
                    where = f"{records}[{i}]"
                    _expect(record, names)
                    data[records][i] = kind(**record)
            where = ""
            return cls(**data)
        except (TypeError, ValueError) as error:
            raise ResultsError(path.name, where, str(error)) from None


def _expect(record: Mapping, names: Sequence[str]) -> None:
    if not isinstance(record, dict) or not set(names) <= record.keys():
        missing = [name for name in names if name not in record]
        raise ValueError(f"must be an object with {', '.join(names)}; lacks {', '.join(missing)}")


def committed_path(chapter: str, profile: str = "full") -> Path:
    """Where a chapter's figures are committed."""
    return datasets.data_root() / "results" / profile / f"{chapter}.json"


def committed(chapter: str, profile: str = "full") -> Results | None:
    """The committed figures of a chapter, from ``data/results``; None if there are none."""
    path = committed_path(chapter, profile)
    return Results.read(path) if path.is_file() else None


def commit(results: Results, path: Path | None = None) -> None:
    """Write figures to their place below ``data/results``, with the file's digest."""
    path = path or committed_path(results.chapter, results.profile)
    results.write(path)
    enter_digest(path)


def enter_digest(path: Path) -> None:
    """Write the digest of a file of `DIGESTED` into the ``SHA256SUMS`` of its folder; that of another file nowhere.

    The digests make an altered file known without computing anything, see :func:`check_digests`.
    """
    for name, files in DIGESTED.items():
        folder = datasets.data_root() / name
        if path.is_relative_to(folder) and path.match(files):
            with alone(folder), whole_file(folder / DIGESTS) as file:
                entered = _digests(folder) | {path.relative_to(folder).as_posix(): datasets.sha256_of(path)}
                file.writelines(f"{digest}  {place}\n" for place, digest in sorted(entered.items()))


def check_digests() -> None:
    """Hold every committed file of `DIGESTED` against the digest that it was written with.

    Raises `ResultsError` naming each file that differs, is missing, or has no digest.
    """
    wrong = []
    for name, files in DIGESTED.items():
        folder = datasets.data_root() / name
        there = {path.relative_to(folder).as_posix(): datasets.sha256_of(path) for path in folder.rglob(files)}
        entered = _digests(folder)
        wrong += [f"{name}/{file}" for file in sorted({**there, **entered}) if there.get(file) != entered.get(file)]
    if wrong:
        remedy = "git checkout data restores them, reproduce --write makes figures and what is stored for them again"
        meant = f"; if the change is meant, sha256sum FILE gives the line for the {DIGESTS} of its folder"
        raise ResultsError("data", ", ".join(wrong), f"not as they were written; {remedy}{meant}")


def _digests(folder: Path) -> dict[str, str]:
    path = folder / DIGESTS
    lines = path.read_text("utf8").splitlines() if path.is_file() else []
    return {name: digest for digest, name in map(str.split, lines)}


def _refuse(name: str):
    raise ValueError(f"{name} is no finite number")


def read_published(name: str) -> dict:
    """A table of a paper, such as "rimell2016_table5", from ``data/published``."""
    return json.loads((datasets.data_root() / "published" / f"{name}.json").read_text("utf-8"))
