"""The course's generated pieces: for each chapter its sheet, the sheet's solutions, and the quiz as HTML.

``book/course/<chapter>.md`` includes them. The quiz works without JavaScript: each option has an explanation that opens
and closes. ``book/assets/quiz.js`` adds a button that says whether a choice is right, and how many are so far.
"""

import html
from collections.abc import Sequence
from pathlib import Path

import nbformat

from book._ext import course
from book._ext.course import Question


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/course/<chapter>-students.md``, ``-teachers.md`` and ``-quiz.md`` for each page in ``book/course``.

    A chapter whose notebook is not there, or has no page in ``book/course``, gets none.

    Raises
    ------
    CourseError
        If a chapter or a quiz is not in order.
    """
    made = {}
    for page in sorted((root / "book" / "course").glob("[0-9]*.md")):
        notebook = root / "notebooks" / f"{page.stem}.ipynb"
        if notebook.is_file():
            chapter = course.parse(nbformat.read(notebook, as_version=4), page.stem)
            course.check(chapter)
            made[f"generated/course/{page.stem}-students.md"] = course.sheet(chapter, solutions=False)
            made[f"generated/course/{page.stem}-teachers.md"] = course.sheet(chapter, solutions=True)
            questions = course.read_quiz(root / "book" / "course" / "quiz" / f"{page.stem}.toml")
            made[f"generated/course/{page.stem}-quiz.md"] = quiz_html(questions, page.stem)
    return made


def quiz_html(questions: Sequence[Question], name: str) -> str:
    """A quiz as one block of HTML.

    A question is a ``fieldset``, an option a radio button (a checkbox where several are right) with its label and a
    ``details`` that explains it. The script needs the attribute ``data-right`` of an option, and the two places for its
    words, which are live regions.

    Parameters
    ----------
    questions : sequence of Question
    name : str
        Of the chapter; keeps the identifiers apart.
    """
    lines = [f'<div class="quiz" id="quiz-{html.escape(name)}">']
    for number, question in enumerate(questions, start=1):
        lines += _question(question, f"quiz-{html.escape(name)}-{number}", number)
    lines += ['<p class="quiz-score" role="status"></p>', "</div>"]
    return "\n".join(lines) + "\n"  # without an empty line, at which Markdown would end the block


def _question(question: Question, name: str, number: int) -> list[str]:
    kind = "checkbox" if question.several else "radio"
    hint = ' <span class="quiz-several">(more than one)</span>' if question.several else ""
    lines = [
        '<fieldset class="quiz-question">',
        f'<legend><span class="quiz-number">{number}.</span> {inline(question.text)}{hint}</legend>',
    ]
    for letter, option in zip("abcd", question.options, strict=False):
        verdict = "Right." if option.correct else "No."
        lines += [
            f'<div class="quiz-option" data-right="{str(option.correct).lower()}">',
            f'<div class="quiz-choice"><input type="{kind}" name="{name}" id="{name}-{letter}">',
            f'<label for="{name}-{letter}">{inline(option.text)}</label></div>',
            f'<details><summary>Why, or why not<span class="quiz-hidden">: option {letter}</span></summary>',
            f"<p><strong>{verdict}</strong> {inline(option.because)}</p></details>",
            "</div>",
        ]
    return [*lines, '<p class="quiz-verdict" role="status"></p>', "</fieldset>"]


def inline(text: str) -> str:
    """Emphasis and code of Markdown as HTML, with curly quotation marks outside code; anything else is text.

    >>> inline("*red* < `blue`")
    '<em>red</em> &lt; <code>blue</code>'
    """
    from markdown_it import MarkdownIt

    rules = ["emphasis", "backticks", "escape", "smartquotes"]
    return MarkdownIt("zero", {"typographer": True}).enable(rules).renderInline(text)
