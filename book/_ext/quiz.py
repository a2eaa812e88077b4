"""A chapter's quiz: read from ``book/course/quiz/<chapter>.toml``, and shown by ``templates/quiz.html``.

The quiz works without JavaScript: each option has an explanation that opens and closes. ``book/assets/quiz.js`` adds a
button that says whether a choice is right, and how many are so far; it needs the attribute ``data-right`` of an option,
and the two places for its words, which are live regions.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt

from book._ext.templates import fill

FEWEST_OPTIONS, MOST_OPTIONS = 3, 4


class QuizError(ValueError):
    """A quiz that is not in order; the message names the file, the question and the problem."""


def read(path: Path) -> list[dict]:
    """Read a quiz from its TOML file.

    Returns
    -------
    list of dict
        Questions: ``text``, ``option``, and where it is given ``several`` (more than one option is right) and ``check``
        (what a test computes). Each option is a dictionary of ``text``, ``because`` and ``correct``, if it is right.

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
    for number, question in enumerate(content["question"], 1):
        where = f"{path.name}, question {number}"
        options, several = question.get("option", []), question.get("several", False)
        for letter, option in zip("abcdefgh", options, strict=False):
            _check_keys(option, f"{where}{letter}", needed=("text", "because"), others=("correct",))
        _check_keys(question, where, needed=("text",), others=("option", "several", "check"))
        right = sum(option.get("correct", False) for option in options)
        for wrong, problem in (
            (
                not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS,
                f"{len(options)} options; there are to be {FEWEST_OPTIONS} to {MOST_OPTIONS}",
            ),
            (len({option["text"] for option in options}) < len(options), "two options say the same"),
            (right < 2 if several else right != 1, f"{right} right options, and several = {str(several).lower()}"),
        ):
            if wrong:
                raise QuizError(f"{where}: {problem}")
    return content["question"]


def _check_keys(entry: dict, where: str, needed: Sequence[str], others: Sequence[str]) -> None:
    """Refuse an entry whose keys are not those there are to be; texts become one line."""
    *known, last = *needed, *others
    if unknown := sorted(set(entry) - {*known, last}):
        raise QuizError(f"{where}: unknown keys {unknown}; known are {', '.join(known)} and {last}")
    for key in needed:
        entry[key] = " ".join(entry.get(key, "").split())
        if not entry[key]:
            raise QuizError(f"{where}: '{key}' is missing")


def html(questions: Sequence[dict], name: str) -> str:
    """A quiz as one block of HTML; the chapter's name keeps its identifiers apart."""
    return fill("quiz.html", questions=questions, name=name, inline=inline)


def inline(text: str) -> str:
    """Emphasis and code of Markdown as HTML, with curly quotation marks outside code; anything else is text.

    >>> inline("*red* < `blue`")
    '<em>red</em> &lt; <code>blue</code>'
    """
    rules = ["emphasis", "backticks", "escape", "smartquotes"]
    return MarkdownIt("zero", {"typographer": True}).enable(rules).renderInline(text)
