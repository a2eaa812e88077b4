"""The glossary: it has every system that has a published figure."""

import re
from functools import cache
from pathlib import Path

import pytest

from cdsm_lib.evaluation.results import committed

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "book" / "glossary.md"


@cache
def glossary() -> list[tuple[str, ...]]:
    """The names of each entry."""
    (listed,) = re.findall(r"(?ms)^```\{glossary\}\n(.*?)^```", GLOSSARY.read_text("utf8"))
    blocks = [block.splitlines() for block in re.split(r"\n{2,}", listed.strip())]
    return [tuple(line for line in lines if not line.startswith(" ")) for lines in blocks]


@pytest.mark.parametrize("chapter", ["leaderboard", "relpron", "lexical_substitution", "relation_classification"])
def test_every_published_system_and_every_one_of_the_leaderboard_has_an_entry(chapter):
    names = {name.lower() for names in glossary() for name in names} | {"construction", "random", "v", "verb"}
    for row in committed(chapter).results:
        if row.published is not None or row.metric == "mean rank":
            parts = re.split(r" (?=add|mult)| ?\+ ?| \([\w ]+\)$", row.system.lower())
            assert {part for part in parts if part} <= names, row.system
