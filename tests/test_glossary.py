"""The glossary: sorted, without doubles, each term defined in other words, used in the book, and linked to a page."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from book._ext import notebooks

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "book" / "glossary.md"
FEWEST, MOST = 70, 130


@cache
def glossary() -> dict[tuple[str, ...], str]:
    """Each entry's definition by its names, the first of which is its place in the order."""
    (listed,) = re.findall(r"(?ms)^```\{glossary\}\n(.*?)^```", GLOSSARY.read_text("utf8"))
    blocks = [block.splitlines() for block in re.split(r"\n{2,}", listed.strip())]
    names = [tuple(line for line in lines if not line.startswith(" ")) for lines in blocks]
    texts = [" ".join(line.strip() for line in lines if line.startswith(" ")) for lines in blocks]
    return dict(zip(names, texts, strict=True))


def squeezed(text: str) -> str:
    """Lower case, hyphens and line ends as single spaces."""
    return re.sub(r"[\s-]+", " ", text).lower()


@cache
def book() -> str:
    """Whatever a reader finds outside the glossary: notebooks, prose, and the docstrings that make the API pages."""
    parts = [path.read_text("utf8") for path in sorted((ROOT / "book").rglob("*.md")) if path != GLOSSARY]
    parts += [cell.source for path in notebooks.notebooks(ROOT) for cell in notebooks.read(path).cells]
    for path in sorted((ROOT / "cdsm_lib").rglob("*.py")):
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
        nodes = [node for node in ast.walk(ast.parse(path.read_text("utf8"))) if isinstance(node, kinds)]
        parts += [ast.get_docstring(node) or "" for node in nodes]
    return squeezed("\n".join(parts))


def used(names: tuple[str, ...], text: str) -> bool:
    """Whether one of the names stands in the text as a word of its own, in the singular or with an ending."""
    return any(re.search(rf"\b{re.escape(squeezed(name))}(s|es|ed)?\b", text) for name in names)


def pages_named(definition: str) -> list[str]:
    """The pages that a definition links to, as _toc.yml names them."""
    return [(GLOSSARY.parent / target).resolve().relative_to(ROOT).as_posix()
            for target in re.findall(r"\{doc\}`([^`<]+)`", definition)]  # fmt: skip


def own_words(names: tuple[str, ...], definition: str) -> list[str]:
    """The definition's words, without links, citations, formulas, and the names themselves."""
    text = re.sub(r"\{term\}`([^`<]+?)( <[^`]*>)?`", r"\1", definition)
    text = re.sub(r"\{[\w:]+\}`[^`]*`|\$[^$]*\$", " ", text)
    text = squeezed(text)
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(squeezed(name), " ")
    return re.findall(r"[a-z]{2,}", text)


def test_terms_are_as_many_as_a_reader_needs_sorted_and_none_stands_twice():
    assert FEWEST <= len(glossary()) <= MOST
    letters = [re.sub(r"[^a-z0-9]", "", names[0].lower()) for names in glossary()]  # as dictionaries sort
    assert letters == sorted(letters)
    every = [name.lower() for names in glossary() for name in names]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("names", glossary(), ids=lambda names: names[0])
def test_the_term_is_used_and_its_definition_short_in_its_own_words_and_linked(names):
    assert used(names, book())
    definition = glossary()[names]
    assert len(own_words(names, definition)) >= 10
    sentences = re.split(r"[.:?] (?=[A-Z*{$])", re.sub(r"\{doc\}`[^`]*`", "", definition))
    assert len(sentences) <= 4 and definition.endswith((".", "?"))
    linked = pages_named(definition)
    assert linked and set(linked) <= set(notebooks.pages(ROOT))
