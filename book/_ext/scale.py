"""The tables of the page on clusters: what ``make bench RECORD=1`` measured there."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from book._ext.templates import table

HEAD = ("tokens", "workers", "seconds", "at work", "MB moved", "MB of a worker", "MB of the client")


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/scale.md``: a table a task."""
    record = map(json.loads, (root / "benchmarks" / "record.jsonl").read_text("utf8").splitlines())
    contests = [contest for contest in record if "scale" in contest]
    loads = [row["load"] for contest in contests for row in contest["scale"]]
    said = (
        "Measured on {date}, on {cores} cores of a shared {processor}, beside others: {low:g} to {high:g} processes "
        "wanted a core. So the column *seconds* tells of that moment. *At work* were the processors of the "
        "client and of the busiest worker, in seconds, one after the other: about what a machine without others "
        "would take."
    ).format(**contests[0]["about"], low=min(loads), high=max(loads))
    return {"generated/scale.md": "\n\n".join([said, *map(measured, contests)]) + "\n"}


def measured(contest: Mapping) -> str:
    """A task's table."""
    cells = [
        [f"{row['tokens']:,}", f"{row['workers']}", f"{row['seconds']:.1f}", f"{row['work']:.1f}"]
        + [f"{row[name]:,.0f}" for name in ("moved", "worker", "client")]
        for row in contest["scale"]
    ]
    return f"**{contest['scale'][0]['task'].capitalize()}**\n\n{table(HEAD, cells, len(HEAD))}"
