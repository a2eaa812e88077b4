"""A chapter's quiz: read from ``book/course/quiz/<chapter>.toml``, and shown by ``templates/quiz.html``.

The whole of it stands on the chapter's page of the course. In the chapter each question stands at the end of the
section that its ``after`` names, or before the section that its ``before`` names: a guess before the result.

The quiz works without JavaScript: each option has an explanation that opens and closes. ``book/assets/quiz.js`` adds a
button that says whether a choice is right, and how many are so far; it needs the attribute ``data-right`` of an option,
and the two places for its words, which are live regions.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from nbformat import NotebookNode, v4

from book._ext.templates import fill
from cdsm_lib.datasets import DataError, read_toml

MARKDOWN = MarkdownIt("zero", {"typographer": True}).enable(["emphasis", "backticks", "escape", "smartquotes"])


class QuizError(ValueError):
    """A quiz that is not in order; the message names the file, the question and the problem."""


def read(path: Path) -> list[dict]:
    """Read a quiz from its TOML file.

    Returns
    -------
    list of dict
        Questions: ``text``, ``option``, one of ``after`` and ``before`` (a heading of the chapter), and where it is
        given ``several`` (more than one option is right) and ``check`` (what a test computes). Each option is a
        dictionary of ``text``, ``because`` and ``correct``, if it is right.

    Raises
    ------
    QuizError
        If the file does not fit its schema, ``cdsm_lib/schemas/quiz.json``; or naming the question that has two equal
        options, or a number of right ones that does not fit ``several``.
    """
    try:
        questions = read_toml(path, "quiz")["question"]
    except DataError as error:
        raise QuizError(str(error)) from None
    for number, question in enumerate(questions, 1):
        for entry in (question, *question["option"]):
            entry |= {key: " ".join(entry[key].split()) for key in ("text", "because") if key in entry}
        several, options = question.get("several", False), question["option"]
        right = sum(option.get("correct", False) for option in options)
        problems = {
            "two options say the same": len({option["text"] for option in options}) < len(options),
            f"{right} right options, and several = {str(several).lower()}": right < 2 if several else right != 1,
        }
        if problem := next((problem for problem, applies in problems.items() if applies), ""):
            raise QuizError(f"{path.name}, question {number}: {problem}")
    return list(questions)


def html(questions: Sequence[dict], name: str, title: str | None = None, *, open: bool = False) -> str:
    """A quiz as one block of HTML; the name keeps its identifiers apart, a title makes it a box that folds."""
    return fill("quiz.html", questions=questions, name=name, title=title, open=open, inline=inline)


HEADING = re.compile(r"(?m)^(#{2,3}) (.+)$")
TITLES = {"after": "Check yourself", "before": "Guess before you look"}


def place(notebook: NotebookNode, questions: Sequence[dict], name: str) -> None:
    """Put the questions into a chapter, each where its ``after`` or ``before`` says; those that meet share a box.

    Raises
    ------
    QuizError
        If the chapter has no such heading, or two.
    """
    boxes = defaultdict(list)
    for question in questions:
        where = next(where for where in TITLES if where in question)
        boxes[_place_of(notebook, where, question[where], name), where].append(question)
    for number, ((at, where), asked) in enumerate(sorted(boxes.items(), key=lambda box: box[0], reverse=True), 1):
        title = TITLES[where] + (f" ({len(asked)} questions)" if len(asked) > 1 else "")
        box = f"```{{raw}} html\n{html(asked, f'{name}-{number}', title, open=where == 'before')}\n```"
        cell, start = at
        if cell == len(notebook.cells):
            notebook.cells.append(v4.new_markdown_cell(id=f"quiz-{number}"))
        source = notebook.cells[cell].source
        notebook.cells[cell].source = f"{source[:start]}{box}\n\n{source[start:]}".strip()


def _place_of(notebook: NotebookNode, where: str, title: str, name: str) -> tuple[int, int]:
    """Cell and character of a heading, or of the next one that ends its section."""
    headings = [
        (number, heading.start(), len(heading[1]), heading[2].strip())
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "markdown"
        for heading in HEADING.finditer(cell.source)
    ]
    places = [i for i, (*_, text) in enumerate(headings) if text == title]
    if len(places) != 1:
        raise QuizError(f"{name}.toml: the chapter has {len(places)} headings {title!r}, and is to have one")
    number, start, level, _ = headings[places[0]]
    if where == "before":
        return number, start
    following = (heading[:2] for heading in headings[places[0] + 1 :] if heading[2] <= level)
    return next(following, (len(notebook.cells), 0))


def inline(text: str) -> str:
    """Emphasis and code of Markdown as HTML, with curly quotation marks outside code; anything else is text.

    >>> inline("*red* < `blue`")
    '<em>red</em> &lt; <code>blue</code>'
    """
    return MARKDOWN.renderInline(text)
