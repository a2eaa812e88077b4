"""The tables of the pages on speed and on clusters, from what ``make bench RECORD=1`` measured."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from book._ext.templates import table

HEAD = ("contender", "seconds", "times the first", "peak MB")
ON_CLUSTERS = ("tokens", "workers", "seconds", "at work", "MB moved", "MB of a worker", "MB of the client")


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/speed.md``, the machine and every contest but those on clusters: these are ``generated/scale.md``."""
    record = (root / "benchmarks" / "record.jsonl").read_text("utf8").splitlines()
    machine, *contests = map(json.loads, record)
    said = (
        "Measured on {date} by Python {python} with NumPy {numpy}, on {cores} cores of a shared {processor} (OpenBLAS "
        "with kernels for {blas}), beside other work: {load} processes were running or waiting."
    ).format(**machine)
    parts = [said, *(shown(contest) for contest in contests if "scale" not in contest)]
    clusters = [contest for contest in contests if "scale" in contest]
    loads = [row["load"] for contest in clusters for row in contest["scale"]]
    said = (
        "Measured on {date}, on {cores} cores of a shared {processor}, beside others: {low:g} to {high:g} processes "
        "wanted a core. So the column *seconds* tells of that moment. *At work* were the processors of the "
        "client and of the busiest worker, in seconds, one after the other: about what a machine without others "
        "would take."
    ).format(**clusters[0]["about"], low=min(loads), high=max(loads))
    on_clusters = [said, *map(shown_on_clusters, clusters)]
    return {"generated/speed.md": "\n\n".join(parts) + "\n", "generated/scale.md": "\n\n".join(on_clusters) + "\n"}


def shown(contest: Mapping) -> str:
    """A contest as a table under its title."""
    first, note = contest["rows"][0][1], contest["note"]
    rows = [
        (name, f"{seconds:.3g}", f"{seconds / first:.2f}", f"{peak:,.0f}") for name, seconds, peak in contest["rows"]
    ]
    body = table(HEAD, rows, len(HEAD) - 1)
    return "\n\n".join(filter(None, [f"**{contest['title']}**", body, note and f"{note[0].upper()}{note[1:]}."]))


def shown_on_clusters(contest: Mapping) -> str:
    """A contest on clusters of one and more workers as a table under its task."""
    cells = [
        [f"{row['tokens']:,}", f"{row['workers']}", f"{row['seconds']:.1f}", f"{row['work']:.1f}"]
        + [f"{row[name]:,.0f}" for name in ("moved", "worker", "client")]
        for row in contest["scale"]
    ]
    return f"**{contest['scale'][0]['task'].capitalize()}**\n\n{table(ON_CLUSTERS, cells, len(ON_CLUSTERS))}"
