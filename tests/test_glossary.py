"""The glossary: it has every system of the ledgers."""

import re
from functools import cache
from pathlib import Path

import pytest

from cdsm_lib.evaluation.claims import CHAPTERS
from cdsm_lib.evaluation.results import committed

ROOT = Path(__file__).resolve().parents[1]
SAID = {"construction", "data", "random", "human", "hand check", "v", "verb", "weighted"}


@cache
def glossary() -> list[tuple[str, ...]]:
    """The names of each entry."""
    (listed,) = re.findall(r"(?ms)^```\{glossary\}\n(.*?)^```", (ROOT / "book/glossary.md").read_text("utf8"))
    blocks = [block.splitlines() for block in re.split(r"\n{2,}", listed.strip())]
    return [tuple(line for line in lines if not line.startswith(" ")) for lines in blocks]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_system_with_an_interval_or_a_published_figure_has_an_entry(chapter):
    names = {name.lower() for names in glossary() for name in names} | SAID
    for row in committed(chapter).results:
        if row.space != "board" and (row.low, row.published) != (None, None):
            parts = re.split(r" (?=add|mult)| ?\+ ?[\d. ]*|,? with .*| and .*|,.*| \([\w ]+\)$", row.system.lower())
            assert {part for part in parts if part} <= names, row.system
