"""The tables of the page on clusters: what ``make bench RECORD=1`` measured there, and the curves through it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from book._ext.templates import table

HEAD = ("tokens", "workers", "seconds", "at work", "MB moved", "MB of a worker", "MB of the client")
AHEAD = {"English Wikipedia": 1_700_000_000, "a crawl of the web": 100_000_000_000}
MANY = 64
"""Workers of the cluster that the curves are carried on to."""
OFFSET, COLUMNS = 8, 12
"""Bytes of a compiled corpus for each sentence in the client, for each token on disk."""


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/scale.md``: measured, and carried on."""
    record = map(json.loads, (root / "benchmarks" / "record.jsonl").read_text("utf8").splitlines())
    contests = [of for of in record if of.get("script") == "bench_scale"]
    counted = [of for of in contests if "scale" in of]
    loads = [row["load"] for of in counted for row in of["scale"]]
    told = (
        "Measured on {date}, on {cores} cores of a shared {processor}, beside others: {low:g} to {high:g} processes "
        "wanted a core. So the column *seconds* tells of that moment. *At work* were the processors of the "
        "client and of the busiest worker, in seconds, one after the other: about what a machine without others "
        "would take. The curves are drawn through these."
    ).format(**counted[0]["about"], low=min(loads), high=max(loads))
    parts = [told, *map(measured, counted), carried_on(counted), training(contests)]
    return {"generated/scale.md": "\n\n".join(parts) + "\n"}


def curve(rows: Sequence[Mapping]) -> np.ndarray:
    """(a, b, c) of work = a + b * tokens / workers + c * tokens, none below 0, by least squares of relative errors."""
    work, tokens, workers = (np.array([row[name] for row in rows], float) for name in ("work", "tokens", "workers"))
    return nnls(np.stack((np.ones(len(rows)), tokens / workers, tokens), axis=1) / work[:, None], np.ones(len(rows)))[0]


def power(rows: Sequence[Mapping], name: str) -> tuple[float, float]:
    """(c, g) of name = c * tokens ** g, through the logarithms of what most workers gave."""
    most = max(row["workers"] for row in rows)
    rows = [row for row in rows if row["workers"] == most]
    g, c = np.polyfit(np.log([row["tokens"] for row in rows]), np.log([row[name] for row in rows]), 1)
    return float(np.exp(c)), float(g)


def speed_up(rows: Sequence[Mapping], name: str) -> tuple[int, float]:
    """The most workers, and how many times as fast as one they were with the most tokens."""
    last = {row["workers"]: row[name] for row in rows if row["tokens"] == max(of["tokens"] for of in rows)}
    return max(last), last[1] / last[max(last)]


def measured(contest: Mapping) -> str:
    """A task's table and its curves."""
    rows = contest["scale"]
    cells = [
        (
            f"{row['tokens']:,}",
            f"{row['workers']}",
            f"{row['seconds']:.1f}",
            f"{row['work']:.1f}",
            *(f"{row[name]:,.0f}" for name in ("moved", "worker", "client")),
        )
        for row in rows
    ]
    (a, b, c), (_, g), (workers, times) = curve(rows), power(rows, "moved"), speed_up(rows, "work")
    told = (
        f"Seconds at work: {a:.2f}, and for each million tokens {b * 1e6:.3f} of the workers, which they share, and "
        f"{c * 1e6:.3f} of the client. Bytes moved grow as tokens{{sup}}`{g:.2f}`. With most tokens {workers} workers "
        f"are {times:.2f} times as fast as one by the seconds at work, {speed_up(rows, 'seconds')[1]:.2f} by the clock."
    )
    return f"**{rows[0]['task'].capitalize()}**\n\n{table(HEAD, cells, len(HEAD))}\n\n{told}"


def duration(seconds: float) -> str:
    """In the unit that fits.

    >>> duration(9), duration(90), duration(7200), duration(200_000)
    ('9 seconds', '2 minutes', '2 hours', '2 days')
    """
    units = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
    unit, of = next((unit, of) for unit, of in units if seconds >= of or of == 1)
    n = round(seconds / of)
    return f"{n:,} {unit}{'s' * (n != 1)}"


def carried_on(contests: Sequence[Mapping]) -> str:
    """What the curves say of larger corpora."""
    head = ("", *(f"{name}, {tokens / 1e9:g} billion tokens" for name, tokens in AHEAD.items()))
    cells = []
    for contest in contests:
        rows, name = contest["scale"], contest["scale"][0]["task"]
        (a, b, c), (d, g) = curve(rows), power(rows, "moved")
        for n in (2, MANY):
            cells.append((f"{name}, {n} workers", *(duration(a + (b / n + c) * of) for of in AHEAD.values())))
        cells.append((f"{name}, GB moved", *(f"{d * of**g / 1e3:,.1f}" for of in AHEAD.values())))
    c, g = power(contests[0]["scale"], "words")
    sentences = contests[0]["scale"][-1]["sentences"] / contests[0]["scale"][-1]["tokens"]
    cells += [
        ("different words, millions", *(f"{c * of**g / 1e6:,.1f}" for of in AHEAD.values())),
        ("compiled corpus on disk, GB", *(f"{COLUMNS * of / 1e9:,.0f}" for of in AHEAD.values())),
        ("offsets of sentences in the client, GB", *(f"{OFFSET * sentences * of / 1e9:,.1f}" for of in AHEAD.values())),
    ]
    heaps = f"Different words grow as tokens{{sup}}`{g:.2f}` (Heaps' law)."
    return f"**Carried on**\n\n{table(head, cells, len(AHEAD))}\n\n{heaps}"


def training(contests: Sequence[Mapping]) -> str:
    """Seconds and peak memory of what trains on one machine."""
    return "\n\n".join(
        f"**{of['title']}**\n\n"
        + table(
            (of["title"].rpartition(", ")[2], "seconds", "peak MB"),
            ((name, f"{seconds:.1f}", f"{peak:,.0f}") for name, seconds, peak in of["rows"]),
            3,
        )
        + (f"\n\n{of['note']}" if of["note"] else "")
        for of in contests
        if "scale" not in of
    )
