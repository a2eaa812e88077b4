"""Spelling: British in all prose, and every word of the pages in a dictionary or in ``tests/data/words.txt``."""

import re
from functools import cache
from pathlib import Path

import prose
import pytest

DICTIONARY = Path("/usr/share/dict/british-english-insane")
ACCEPTED = prose.ROOT / "tests" / "data" / "words.txt"

AMERICAN = re.compile(
    r"(?!(?:re|over|under|down|out|cap|as)?siz|priz|seiz|maiz|citiz|deniz)\w+iz(?:e[ds]?|ing|ations?|able|ers?)"
    r"|\w*(?:analy|paraly|cataly)z(?:e[ds]?|ing|ers?)"
    r"|(?:\w*col|neighb|behavi|fav|hon|lab|flav|hum|rum|vig|endeav|harb)or(?:s|ed|ing|al|hoods?|able|ful|ite|ly|less)?"
    r"|(?:cent|theat|fib)er(?:s|ed|ing)?"
    r"|\w*(?:model|label|travel|cancel|signal|channel|tunnel|total|fuel|marvel|quarrel|equal)(?:ed|ing|ers?)"
    r"|(?:catal|dial|anal|monol)ogs?|(?:defen|offen|preten)ses?|gray(?:s|ish|scale)?|skeptic\w*|artifacts?"
    r"|fulfills?|skillful|enrolls?|enrollments?|judgments?|acknowledgments?|cozy|plow(?:s|ed)?|maneuver\w*",
    re.IGNORECASE,
)
"""American forms with a British one in their place."""


def american(text: str) -> list[str]:
    """The American forms in a piece of prose."""
    return [word for word in prose.words(text) if AMERICAN.fullmatch(word)]


@cache
def accepted() -> list[str]:
    return ACCEPTED.read_text("utf8").splitlines()


@cache
def dictionary() -> frozenset[str]:
    if not DICTIONARY.is_file():
        pytest.skip(f"there is no {DICTIONARY} (Debian's package wbritish-insane)")
    return frozenset(DICTIONARY.read_text("utf8").splitlines())


def known(word: str, more=frozenset()) -> bool:
    """Whether the dictionary, or `more`, has a word; a capital at its start and an 's at its end do not matter."""
    bare = re.sub(r"'s?$", "", word.replace("\u2019", "'"))
    return any(w in dictionary() or w in more for w in (word, bare, bare[0].lower() + bare[1:], bare.lower()))


def unknown(text: str) -> list[str]:
    """Words of a piece of prose that neither the dictionary nor the list of accepted words has; initials are none."""
    more = frozenset(accepted())
    return [word for word in prose.words(text) if len(word) > 1 and not word.isupper() and not known(word, more)]


def test_prose_is_british():
    found = [f"{place}: {form}" for place, text in [*prose.pages(), *prose.code()] for form in american(text)]
    assert found == []


def test_every_word_of_the_pages_is_known():
    found: dict[str, str] = {}
    for place, text in prose.pages():
        for word in unknown(text):
            found.setdefault(word, place)
    assert found == {}, "mend them, or add terms of the field and names to tests/data/words.txt"
