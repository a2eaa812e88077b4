"""The tables of the pages on speed and on clusters, from what ``make bench RECORD=1`` measured."""

import json
from collections.abc import Sequence
from pathlib import Path

from book._ext.templates import fill


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/speed.md``, the machine and every contest but those on clusters: these are ``generated/scale.md``."""
    record = (root / "benchmarks" / "record.jsonl").read_text("utf8").splitlines()
    machine, *contests = map(json.loads, record)
    told = {name: fill(f"{name}.md", machine=machine, contests=contests) for name in ("speed", "scale")}
    return {f"generated/{name}.md": text for name, text in told.items()}
