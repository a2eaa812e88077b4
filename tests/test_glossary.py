"""The glossary: sorted, without doubles, each term's definition short and linked to a page."""

import re
from functools import cache
from pathlib import Path

import pytest

from book._ext import notebooks
from cdsm_lib.evaluation.results import committed

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "book" / "glossary.md"


@cache
def glossary() -> dict[tuple[str, ...], str]:
    """Each entry's definition by its names, the first of which is its place in the order."""
    (listed,) = re.findall(r"(?ms)^```\{glossary\}\n(.*?)^```", GLOSSARY.read_text("utf8"))
    blocks = [block.splitlines() for block in re.split(r"\n{2,}", listed.strip())]
    names = [tuple(line for line in lines if not line.startswith(" ")) for lines in blocks]
    texts = [" ".join(line.strip() for line in lines if line.startswith(" ")) for lines in blocks]
    return dict(zip(names, texts, strict=True))


def pages_named(definition: str) -> list[str]:
    """The pages that a definition links to, as _toc.yml names them."""
    return [(GLOSSARY.parent / target).resolve().relative_to(ROOT).as_posix()
            for target in re.findall(r"\{doc\}`([^`<]+)`", definition)]  # fmt: skip


def test_terms_are_as_many_as_a_reader_needs_sorted_and_none_stands_twice():
    assert len(glossary()) >= 70
    letters = [re.sub(r"[^a-z0-9]", "", names[0].lower()) for names in glossary()]  # as dictionaries sort
    assert letters == sorted(letters)
    every = [name.lower() for names in glossary() for name in names]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("definition", glossary().values(), ids=[names[0] for names in glossary()])
def test_a_definition_is_short_and_linked(definition):
    sentences = re.split(r"[.:?] (?=[A-Z*{$])", re.sub(r"\{doc\}`[^`]*`", "", definition))
    assert len(sentences) <= 4 and definition.endswith((".", "?"))
    linked = pages_named(definition)
    assert linked and set(linked) <= set(notebooks.pages(ROOT))


@pytest.mark.parametrize("chapter", ["leaderboard", "relpron", "lexical_substitution", "relation_classification"])
def test_every_published_system_and_every_one_of_the_leaderboard_has_an_entry(chapter):
    names = {name.lower() for names in glossary() for name in names} | {"construction", "random", "v", "verb"}
    for row in committed(chapter).results:
        if row.published is not None or row.metric == "mean rank":
            parts = re.split(r" (?=add|mult)| ?\+ ?| \([\w ]+\)$", row.system.lower())
            assert {part for part in parts if part} <= names, row.system
