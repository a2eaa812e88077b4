"""The tables of the page on speed, from what ``make bench RECORD=1`` measured."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from book._ext.templates import table

HEAD = ("contender", "seconds", "times the first", "peak MB", "before")


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/speed.md``: the machine, the contests that were measured before, and in folds all others."""
    folder = root / "benchmarks"
    machine, *contests = map(json.loads, (folder / "record.jsonl").read_text("utf8").splitlines())
    before = json.loads((folder / "before.json").read_text("utf8"))
    told = (
        "Measured on {date} by Python {python} with NumPy {numpy}, on {cores} cores of a shared {processor} (OpenBLAS "
        "with kernels for {blas}), beside other work: {load} processes were running or waiting. The column *before* "
        "has the seconds of {before}, on another day of a machine of this kind: compare them with one another only."
    ).format(**machine, before=before["date"])
    known = [of for of in contests if of["key"] in before]
    parts = [told, *(shown(of, before) for of in known)]
    others = groupby((of for of in contests if of not in known), key=itemgetter("script"))
    parts += [fold(script, [shown(of, before) for of in some]) for script, some in others]
    return {"generated/speed.md": "\n\n".join(parts) + "\n"}


def shown(contest: Mapping, before: Mapping) -> str:
    """A contest as a table under its title."""
    was, first, note = dict(before.get(contest["key"], {})), contest["rows"][0][1], contest["note"]
    rows = [
        (name, f"{seconds:.3g}", f"{seconds / first:.2f}", f"{peak:,.0f}", f"{was.pop(name):g}" if name in was else "")
        for name, seconds, peak in contest["rows"]
    ]
    rows += [(name, "", "", "", f"{seconds:g}") for name, seconds in was.items()]
    head = HEAD if any(row[-1] for row in rows) else HEAD[:-1]
    body = table(head, (row[: len(head)] for row in rows), len(head) - 1)
    return "\n\n".join(filter(None, [f"**{contest['title']}**", body, note and f"{note[0].upper()}{note[1:]}."]))


def fold(script: str, tables: Sequence[str]) -> str:
    """The contests of a script, closed until they are asked for."""
    return "\n\n".join([f"````{{dropdown}} `benchmarks/{script}.py`", *tables, "````"])
