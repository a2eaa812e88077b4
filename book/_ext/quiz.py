"""A chapter's quiz: read from ``book/course/quiz/<chapter>.toml``, and shown by ``templates/quiz.html``.

The quiz works without JavaScript: each option has an explanation that opens and closes. ``book/assets/quiz.js`` adds a
button that says whether a choice is right, and how many are so far; it needs the attribute ``data-right`` of an option,
and the two places for its words, which are live regions.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from markdown_it import MarkdownIt

from book._ext.templates import fill

FEWEST_OPTIONS, MOST_OPTIONS = 3, 4


class QuizError(ValueError):
    """A quiz that is not in order; the message names the file, the question and the problem."""


@dataclass
class Option:
    """An answer that a quiz offers, whether it is right, and why."""

    text: str
    because: str
    correct: bool = False

    def __post_init__(self):
        self.text, self.because = _line(self.text), _line(self.because)


@dataclass
class Question:
    """A question with its options; ``several`` says that more than one is right, ``check`` is what a test computes."""

    text: str
    option: Sequence[Option] = ()
    several: bool = False
    check: str = ""

    def __post_init__(self):
        self.text = _line(self.text)
        self.options = self.option
        right = sum(option.correct for option in self.options)
        if not FEWEST_OPTIONS <= len(self.options) <= MOST_OPTIONS:
            raise ValueError(f"{len(self.options)} options; there are to be {FEWEST_OPTIONS} to {MOST_OPTIONS}")
        if len({option.text for option in self.options}) < len(self.options):
            raise ValueError("two options say the same")
        if (right < 2) if self.several else (right != 1):
            raise ValueError(f"{right} right options, and several = {str(self.several).lower()}")


def _line(text: str) -> str:
    return " ".join(text.split())


def read(path: Path) -> list[Question]:
    """Read a quiz from its TOML file.

    Raises
    ------
    QuizError
        Naming the file and the question: a key that is missing or unknown, an option without an explanation, fewer than
        three options or more than four, two equal ones, and a number of right ones that does not fit ``several``.
    """
    if not path.is_file():
        raise QuizError(f"{path}: there is no such quiz")
    try:
        content = tomllib.loads(path.read_text("utf8"))
    except ValueError as error:
        raise QuizError(f"{path.name}: not TOML ({error})") from None
    if list(content) != ["question"]:
        raise QuizError(f"{path.name}: it is to hold [[question]] and nothing else, and has {sorted(content)}")
    questions = []
    for number, entry in enumerate(content["question"], 1):
        where = f"{path.name}, question {number}"
        lettered = zip("abcdefgh", entry.get("option", []), strict=False)
        options = [_read(Option, option, f"{where}{letter}") for letter, option in lettered]
        questions.append(_read(Question, {**entry, "option": options}, where))
    return questions


def _read(kind: type, entry: dict, where: str) -> Option | Question:
    """An entry of the file, its keys checked."""
    known = [field.name for field in fields(kind)]
    if unknown := sorted(set(entry) - set(known)):
        raise QuizError(f"{where}: unknown keys {unknown}; known are {', '.join(known[:-1])} and {known[-1]}")
    for field in fields(kind):
        if field.default is MISSING and not entry.get(field.name, "").strip():
            raise QuizError(f"{where}: '{field.name}' is missing")
    try:
        return kind(**entry)
    except ValueError as error:
        raise QuizError(f"{where}: {error}") from None


def html(questions: Sequence[Question], name: str) -> str:
    """A quiz as one block of HTML; the chapter's name keeps its identifiers apart."""
    return fill("quiz.html", questions=questions, name=name, inline=inline)


def inline(text: str) -> str:
    """Emphasis and code of Markdown as HTML, with curly quotation marks outside code; anything else is text.

    >>> inline("*red* < `blue`")
    '<em>red</em> &lt; <code>blue</code>'
    """
    rules = ["emphasis", "backticks", "escape", "smartquotes"]
    return MarkdownIt("zero", {"typographer": True}).enable(rules).renderInline(text)
