"""A chapter's quiz: read from ``book/course/quiz/<chapter>.toml``, and shown by ``templates/quiz.html``.

The quiz works without JavaScript: each option has an explanation that opens and closes. ``book/assets/quiz.js`` adds a
button that says whether a choice is right, and how many are so far; it needs the attribute ``data-right`` of an option,
and the two places for its words, which are live regions.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
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
        if not (self.text and self.because):
            raise ValueError(f"the option {self.text!r} needs a text and a 'because'")


@dataclass
class Question:
    """A question with its options; ``several`` says that more than one is right, ``check`` is what a test computes."""

    text: str
    option: Sequence[dict]
    several: bool = False
    check: str = ""

    def __post_init__(self):
        self.text = _line(self.text)
        self.options = [Option(**entry) for entry in self.option]
        right = sum(option.correct for option in self.options)
        if not self.text:
            raise ValueError("'text' is empty")
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
    questions = []
    try:
        content = tomllib.loads(path.read_text("utf8"))
        if list(content) != ["question"]:
            raise ValueError(f"it is to hold [[question]] and nothing else, and has {sorted(content)}")
        for entry in content["question"]:
            questions.append(Question(**entry))
    except (TypeError, ValueError) as error:
        raise QuizError(f"{path.name}, question {len(questions) + 1}: {error}") from None
    return questions


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
