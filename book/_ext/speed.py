"""The tables of the page on speed, from what ``make bench RECORD=1`` measured."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from book._ext.templates import table

HEAD = ("contender", "seconds", "times the first", "peak MB")


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/speed.md``: the machine, and every contest but those on clusters, which have a page of their own."""
    record = (root / "benchmarks" / "record.jsonl").read_text("utf8").splitlines()
    machine, *contests = map(json.loads, record)
    said = (
        "Measured on {date} by Python {python} with NumPy {numpy}, on {cores} cores of a shared {processor} (OpenBLAS "
        "with kernels for {blas}), beside other work: {load} processes were running or waiting."
    ).format(**machine)
    parts = [said, *(shown(contest) for contest in contests if "scale" not in contest)]
    return {"generated/speed.md": "\n\n".join(parts) + "\n"}


def shown(contest: Mapping) -> str:
    """A contest as a table under its title."""
    first, note = contest["rows"][0][1], contest["note"]
    rows = [
        (name, f"{seconds:.3g}", f"{seconds / first:.2f}", f"{peak:,.0f}") for name, seconds, peak in contest["rows"]
    ]
    body = table(HEAD, rows, len(HEAD) - 1)
    return "\n\n".join(filter(None, [f"**{contest['title']}**", body, note and f"{note[0].upper()}{note[1:]}."]))
