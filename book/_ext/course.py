"""Course kit: a chapter's exercises and solutions, the notebooks and the archive for a class, the quizzes.

A chapter marks an exercise with ``{exercise-start}`` and ``{exercise-end}`` and its solution with ``{solution-start}``
and ``{solution-end}`` (sphinx-exercise); the solution's code cells carry the tag ``solution``. `parse` reads these
marks and refuses a chapter in which they do not fit together. From what it reads come

- `students`: the chapter without outputs, an empty answer in the place of each solution;
- `teachers`: the chapter with solutions and outputs;
- `sheet`: the exercises alone, or their solutions, as Markdown for a page of the book;
- `write_archive`: notebooks, library and data of the sample profile in one zip file, which needs nothing but Jupyter.

The notebooks for a class are read in plain JupyterLab, which knows Markdown and no directives of MyST: `plain` turns
one into the other. A quiz is data (``book/course/quiz/<chapter>.toml``, read by `read_quiz`); `book._ext.course_pages`
makes a page of it.
"""

import ast
import builtins
import copy
import os
import re
import symtable
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

SOLUTION = "solution"
"""The tag of a solution's code cells."""

GATE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<what>exercise|solution)-(?P<end>start|end)\}[ \t]*(?P<argument>.*?)[ \t]*\n"
    r"(?P<options>(?::[\w-]+:.*\n)*)(?P=fence)[ \t]*$",
    re.M,
)
ANY_GATE = re.compile(r"^[`:]{3,}\{(?:exercise|solution)(?:-start|-end)?\}.*$", re.M)
DOC = re.compile(r"\{doc\}`(?:([^`<>]*?)\s*<([^`<>]+)>|([^`<>]+))`")


class CourseError(ValueError):
    """A chapter or a quiz of which no course material can be made; the message names it, the problem and the remedy."""


# ------------------------------------------------------------------------------------------------ what a chapter holds


@dataclass(frozen=True)
class Part:
    """A piece of a chapter: a cell, or what a gate leaves of a Markdown cell.

    Attributes
    ----------
    place : str
        ``"chapter"``, ``"exercise"`` or ``"solution"``.
    label : str
        Of the exercise that it belongs to; empty in the chapter.
    cell : NotebookNode
        A cell; of a divided Markdown cell a copy with this piece alone.
    """

    place: str
    label: str
    cell: NotebookNode


@dataclass(frozen=True)
class Exercise:
    """An exercise: its label, its title, and its text and solution as cells."""

    label: str
    title: str
    text: tuple[NotebookNode, ...]
    solution: tuple[NotebookNode, ...]


@dataclass(frozen=True)
class Chapter:
    """A chapter read by `parse`: its file's name, its title, all parts in order, the exercises, the metadata."""

    name: str
    title: str
    parts: tuple[Part, ...]
    exercises: tuple[Exercise, ...]
    metadata: Mapping = field(default_factory=dict)


def parse(notebook: NotebookNode, name: str) -> Chapter:
    """Read a chapter's exercises and solutions.

    Parameters
    ----------
    notebook : NotebookNode
        Format 4.
    name : str
        Name of its file without suffix, for messages and links.

    Raises
    ------
    CourseError
        Naming the notebook and the label: an exercise without a solution, or the other way round; a gate that is not
        closed, or opens inside another; an exercise without label, title or text; a label used twice; an empty
        solution; a solution's code cell without the tag ``solution``, and a cell with the tag that is in no solution.
    """
    titles = [m[1].strip() for cell in notebook.cells if cell.cell_type == "markdown"
              for m in re.finditer(r"(?m)^# +(.+)$", cell.source)]  # fmt: skip
    if not titles:
        raise CourseError(f"{name}: no title; its first cell is to begin with '# '")
    reader = _Reader(name)
    for cell in notebook.cells:
        reader.read(cell)
    return Chapter(name, titles[0], *reader.finish(), notebook.metadata)


class _Reader:
    """Walks through the cells of a chapter and keeps in mind inside which exercise or solution it is."""

    def __init__(self, name: str):
        self.name, self.place, self.label = name, "chapter", ""
        self.parts: list[Part] = []
        self.titles: dict[str, str] = {}
        self.solved: list[str] = []

    def read(self, cell: NotebookNode) -> None:
        if cell.cell_type != "markdown":
            self._check_tag(cell)
            self.parts.append(Part(self.place, self.label, cell))
            return
        at, number = 0, 0
        for gate in GATE.finditer(cell.source):
            number = self._keep(cell, cell.source[at : gate.start()], number)
            self._pass(gate)
            at = gate.end()
        self._keep(cell, cell.source[at:], number)

    def _keep(self, cell: NotebookNode, text: str, number: int) -> int:
        if stray := ANY_GATE.search(text):
            self._fail(
                f"{stray[0]!r} cannot be read; write the four gates {{exercise-start}}, {{exercise-end}}, "
                "{solution-start} and {solution-end}, each closed by a fence of its own length"
            )
        if text.strip():
            piece = copy.deepcopy(cell)
            piece.source = text.strip("\n")
            piece["id"] = f"{cell.id}-{number}" if number else cell.id
            self.parts.append(Part(self.place, self.label, piece))
            number += 1
        return number

    def _pass(self, gate: re.Match) -> None:
        what, start = gate["what"], gate["end"] == "start"
        if not start:
            if self.place != what:
                self._fail(f"{{{what}-end}} without {{{what}-start}}")
            if not any(part.place == what and part.label == self.label for part in self.parts):
                self._fail(f"the {what} is empty")
            self.place, self.label = "chapter", ""
            return
        if self.place != "chapter":
            self._fail(f"{{{what}-start}} inside an open {self.place}; close that with {{{self.place}-end}} first")
        if what == "exercise":
            label = re.search(r"(?m)^:label:\s*(\S+)", gate["options"] or "")
            if not label or not gate["argument"]:
                self._fail(f"the exercise {gate['argument']!r} needs a title and a line ':label: ...'")
            self.label = label[1]
            if self.label in self.titles:
                self._fail("two exercises have this label")
            self.titles[self.label] = gate["argument"]
        else:
            self.label = gate["argument"]
            if self.label not in self.titles:
                self._fail("a solution without its exercise, which is to stand before it")
            if self.label in self.solved:
                self._fail("a second solution")
            self.solved.append(self.label)
        self.place = what

    def _check_tag(self, cell: NotebookNode) -> None:
        tagged = SOLUTION in cell.metadata.get("tags", [])
        first = cell.source.strip().splitlines()[:1]
        if self.place == "solution" and cell.cell_type == "code" and not tagged:
            self._fail(f"a code cell of the solution lacks the tag 'solution': {first}")
        if tagged and self.place != "solution":
            self._fail(f"a code cell has the tag 'solution' and stands in no solution: {first}")

    def _fail(self, problem: str):
        raise CourseError(f"{self.name}{f', {self.label}' if self.label else ''}: {problem}")

    def finish(self) -> tuple[tuple[Part, ...], tuple[Exercise, ...]]:
        if self.place != "chapter":
            self._fail(f"{{{self.place}-start}} without {{{self.place}-end}}")
        for label in self.titles:
            if label not in self.solved:
                self.label = label
                self._fail("an exercise without a solution")

        def cells(place, label):
            return tuple(part.cell for part in self.parts if (part.place, part.label) == (place, label))

        exercises = (
            Exercise(label, title, cells("exercise", label), cells("solution", label))
            for label, title in self.titles.items()
        )
        return tuple(self.parts), tuple(exercises)


# ------------------------------------------------------------------------------- does the chapter run without solutions


def names_used(source: str) -> set[str]:
    """The global names that a piece of code reads, those inside its functions and comprehensions too.

    >>> sorted(names_used("total = sum(f(x) for x in items)"))
    ['f', 'items', 'sum']
    """
    return {name for name, used in _symbols(source) if used}


def names_bound(source: str) -> set[str]:
    """The global names that a piece of code binds: by assignment, import, definition, ``for``, ``with`` or ``del``.

    >>> sorted(names_bound("import os\\nfor i in range(3):\\n    last = i"))
    ['i', 'last', 'os']
    """
    return {name for name, used in _symbols(source) if not used}


class _Generators(ast.NodeTransformer):
    """Makes generators of comprehensions, whose names Python 3.12 and later count among those around them."""

    def visit_ListComp(self, node):
        self.generic_visit(node)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        return ast.GeneratorExp(ast.Tuple(parts, ast.Load()), node.generators)

    visit_SetComp = visit_DictComp = visit_ListComp


def _symbols(source: str) -> Iterator[tuple[str, bool]]:
    """Pairs of a global name and whether it is read (True) or bound (False)."""
    source = ast.unparse(_Generators().visit(ast.parse(source, "cell")))
    tables = [symtable.symtable(source, "cell", "exec")]
    top = tables[0]
    while tables:
        table = tables.pop()
        for symbol in table.get_symbols():
            if table is top or symbol.is_global():
                if symbol.is_referenced():
                    yield symbol.get_name(), True
                if symbol.is_assigned() or symbol.is_imported():
                    yield symbol.get_name(), False
        tables += table.get_children()


def missing_names(chapter: Chapter) -> list[tuple[str, str, str]]:
    """What the chapter would lack without its solutions.

    Returns
    -------
    list of (str, str, str)
        A name that only a solution binds, the label of the first solution that does, and the first line of the cell
        outside the solutions that reads it afterwards.
    """
    ours, theirs, found = set(dir(builtins)) | {"__name__"}, {}, []
    for part in chapter.parts:
        if part.cell.cell_type != "code":
            continue
        if part.place == "solution":
            for name in names_bound(part.cell.source):
                theirs.setdefault(name, part.label)
            continue
        for statement in ast.parse(part.cell.source).body:
            text = ast.unparse(statement)
            bound = names_bound(text)
            read = names_used(text)
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                lacking = names_used(ast.unparse(statement.value)) - ours  # the right side is read first
            elif isinstance(statement, ast.AugAssign):
                lacking = (read | bound) - ours
            else:
                lacking = read - bound - ours
            first = part.cell.source.strip().splitlines()[0]
            found += [(name, theirs[name], first) for name in sorted(lacking) if name in theirs]
            ours |= bound
    return list({name: (name, label, first) for name, label, first in reversed(found)}.values())[::-1]


def check(chapter: Chapter) -> None:
    """Refuse a chapter that does not run without its solutions.

    Raises
    ------
    CourseError
        Naming the notebook, the solution's label, the name and the cell that needs it.
    """
    for name, label, first in missing_names(chapter):
        raise CourseError(
            f"{chapter.name}, {label}: only this solution defines {name!r}, which a later cell needs ({first!r}); "
            "define it outside the solution"
        )


# ------------------------------------------------------------------------------------------------ Markdown without MyST


def plain(text: str, titles: Mapping[str, str], works: Mapping[str, str]) -> str:
    """MyST as the Markdown that JupyterLab shows by itself.

    Boxes become quotations under a bold heading, citations author and year, links to chapters links to notebooks;
    another role leaves its text.

    Parameters
    ----------
    text : str
    titles : mapping
        Title of each chapter in the archive by the name of its notebook.
    works : mapping
        Author and year of each work of the bibliography by its key, such as ``"Rimell et al., 2016"``.

    Raises
    ------
    CourseError
        For a work that is not in the bibliography.
    """

    def cited(match: re.Match) -> str:
        keys = [key.strip() for key in match[2].split(",")]
        unknown = [key for key in keys if key not in works]
        if unknown:
            raise CourseError(f"no entry {', '.join(map(repr, unknown))} in the bibliography")
        names = [works[key] for key in keys]
        if match[1]:  # cite:t, the names are part of the sentence
            return ", ".join(re.sub(r",? (\d{4})$", r" (\1)", name) for name in names)
        return "(" + "; ".join(names) + ")"

    def linked(match: re.Match) -> str:
        target = (match[2] or match[3]).strip()
        name = target.rpartition("/")[2]
        shown = (match[1] or "").strip() or titles.get(name, name)
        return f"[{shown}]({name}.ipynb)" if name in titles else shown

    text = _without_boxes(text)
    text = re.sub(r"\{cite(:\w+)?\}`([^`]+)`", cited, text)
    text = DOC.sub(linked, text)
    text = re.sub(r"\{math\}`([^`]+)`", r"$\1$", text)
    return re.sub(r"\{[a-z][\w:-]*\}`(?:([^`<]*?)\s*<[^`>]+>|([^`]+))`", lambda m: m[1] or m[2], text)


BOX = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<kind>[\w-]+)\}[ \t]*(?P<title>[^\n]*?)[ \t]*\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)(?P<body>.*?)^(?P=fence)[ \t]*$",
    re.M | re.S,
)


def _without_boxes(text: str) -> str:
    def quoted(match: re.Match) -> str:
        body = match["body"].strip("\n")
        if match["kind"] == "math":
            return f"$$\n{body}\n$$"
        title = match["title"] or match["kind"].capitalize()
        lines = [f"**{title}**", "", *_without_boxes(body).splitlines()]
        return "\n".join(f"> {line}".rstrip() for line in lines)

    return BOX.sub(quoted, text)


def works(bibliography: str) -> dict[str, str]:
    """Author and year of each entry of a BibTeX file, ``"Cheung and Penn, 2012"``; more than two authors, the first."""
    from pybtex.database import parse_string
    from pybtex.richtext import Text

    found = {}
    for key, entry in parse_string(bibliography, "bibtex").entries.items():
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [str(Text.from_latex(" ".join(person.prelast_names + person.last_names))) for person in people]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        found[key] = f"{who}, {entry.fields['year']}"
    return found


def cited(chapter: Chapter) -> list[str]:
    """The keys of all works that a chapter cites, each once, in the order of the alphabet."""
    keys = re.findall(
        r"\{cite(?::\w+)?\}`([^`]+)`",
        "\n".join(part.cell.source for part in chapter.parts if part.cell.cell_type == "markdown"),
    )
    return sorted({key.strip() for some in keys for key in some.split(",")})


def references(bibliography: str, keys: Sequence[str]) -> str:
    """The works of these keys as a list in Markdown, under a heading; empty if there are none."""
    from pybtex.database import parse_string
    from pybtex.plugin import find_plugin

    entries = find_plugin("pybtex.style.formatting", "plain")().format_bibliography(
        parse_string(bibliography, "bibtex"), list(keys)
    )
    backend = find_plugin("pybtex.backends", "markdown")()
    lines = ["- " + " ".join(entry.text.render(backend).split()) for entry in entries]
    return "\n".join(["## References", "", *lines]) if lines else ""


# --------------------------------------------------------------------------------------------- the notebooks of a class

STUDENTS_NOTE = (
    "> **Notebook for students.** Outputs are empty and solutions are left out. Run the cells from top to bottom; the "
    "exercises at the end come with an empty cell each for your answer."
)
TEACHERS_NOTE = "> **Notebook for teachers.** The chapter with its solutions and the outputs of the sample profile."
BELOW = re.compile(r"\s*Each has its solution below it[^.]*\.")
"""What a chapter says of its solutions, and a notebook for students may not."""


def students(chapter: Chapter, titles: Mapping[str, str], works: Mapping[str, str]) -> NotebookNode:
    """The chapter without outputs; in the place of each solution a cell for words and a cell for code, both empty.

    Parameters
    ----------
    chapter : Chapter
    titles, works : mapping
        As for `plain`.
    """
    check(chapter)
    cells, answered = [new_markdown_cell(STUDENTS_NOTE, id="for-students")], set()
    for part in chapter.parts:
        if part.place != "solution":
            cells += _cells(part, chapter, titles, works, outputs=False)
        elif part.label not in answered:
            answered.add(part.label)
            title = _title(chapter, part.label)
            cells += [
                new_markdown_cell(f"*Your answer to “{title}”, in words:*\n", id=f"words-{part.label}"[:64]),
                new_code_cell("# your answer\n", id=f"code-{part.label}"[:64], metadata={"tags": ["answer"]}),
            ]
    return _notebook(cells, chapter)


def teachers(chapter: Chapter, titles: Mapping[str, str], works: Mapping[str, str]) -> NotebookNode:
    """The chapter with its solutions and stored outputs, in Markdown that JupyterLab shows by itself."""
    cells, opened = [new_markdown_cell(TEACHERS_NOTE, id="for-teachers")], set()
    for part in chapter.parts:
        if part.place == "solution" and part.label not in opened:
            opened.add(part.label)
            cells.append(
                new_markdown_cell(f"**Solution: {_title(chapter, part.label)}**", id=f"solution-{part.label}"[:64])
            )
        cells += _cells(part, chapter, titles, works, outputs=True)
    return _notebook(cells, chapter)


def _cells(
    part: Part, chapter: Chapter, titles: Mapping[str, str], works: Mapping[str, str], *, outputs: bool
) -> list[NotebookNode]:
    """One part as cells of a notebook for a class; an exercise's first one below a heading."""
    cell = copy.deepcopy(part.cell)
    if cell.cell_type == "code":
        cell.metadata.pop("mystnb", None)
        if not outputs:
            cell.outputs, cell.execution_count = [], None
        return [cell]
    try:
        cell.source = plain(cell.source, titles, works)
    except CourseError as error:
        raise CourseError(f"{chapter.name}: {error}") from None
    if not outputs:
        cell.source = BELOW.sub("", cell.source)
    if part.place == "exercise" and part is next(p for p in chapter.parts if p.label == part.label):
        return [new_markdown_cell(f"### Exercise: {_title(chapter, part.label)}\n\n{cell.source}", id=cell.id)]
    return [cell]


def _title(chapter: Chapter, label: str) -> str:
    return next(exercise.title for exercise in chapter.exercises if exercise.label == label)


def _notebook(cells: list[NotebookNode], chapter: Chapter) -> NotebookNode:
    kept = {key: copy.deepcopy(chapter.metadata[key]) for key in ("kernelspec", "language_info") if key in
            chapter.metadata}  # fmt: skip
    made = nbformat.v4.new_notebook(cells=cells, metadata=kept)
    nbformat.validate(made)
    return made


# ------------------------------------------------------------------------------------------------- sheets for the book


def for_page(text: str) -> str:
    """Markdown of a chapter for a page in another folder: links to other chapters start from the book's root."""

    def absolute(match: re.Match) -> str:
        target = (match[2] or match[3]).strip()
        if not target.startswith("/"):
            target = os.path.normpath(f"/notebooks/{target}")
        return f"{{doc}}`{match[1].strip()} <{target}>`" if match[1] else f"{{doc}}`{target}`"

    return DOC.sub(absolute, text)


def sheet(chapter: Chapter, *, solutions: bool) -> str:
    """The exercises as Markdown, each with a link to its place in the chapter; or their solutions.

    The sheet with solutions has no headings, so that it may stand in a box that opens and closes. A figure is given in
    the words of its text alternative.
    """
    lines = []
    for number, exercise in enumerate(chapter.exercises, start=1):
        if solutions:
            lines += [f"**{number}. {exercise.title}**", ""]
            for cell in exercise.solution:
                lines += _solved(cell)
        else:
            lines += [f"### {number}. {exercise.title}", ""]
            for cell in exercise.text:
                text = cell.source if cell.cell_type == "markdown" else f"```python\n{cell.source}\n```"
                lines += [for_page(text), ""]
            lines += [f"{{ref}}`To be solved in the chapter <{exercise.label}>`.", ""]
    return "\n".join(lines) + "\n"


def _solved(cell: NotebookNode) -> list[str]:
    if cell.cell_type == "markdown":
        return [for_page(cell.source), ""]
    lines = ["```python", cell.source, "```", ""]
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/markdown" in data:
            lines += [data["text/markdown"], ""]
        elif "image/png" in data:
            lines += [f"*The figure in words:* {data['text/plain']}", ""]
        elif text := output.get("text") or data.get("text/plain"):
            lines += ["```text", text.rstrip("\n"), "```", ""]
    return lines


# ------------------------------------------------------------------------------------------------------------- quizzes


@dataclass(frozen=True)
class Option:
    """An answer that a quiz offers, whether it is right, and why."""

    text: str
    because: str
    correct: bool = False


@dataclass(frozen=True)
class Question:
    """A question with its options; ``several`` says that more than one is right, ``check`` is what a test computes."""

    text: str
    options: tuple[Option, ...]
    several: bool = False
    check: str = ""


FEWEST_OPTIONS, MOST_OPTIONS = 3, 4


def read_quiz(path: Path) -> list[Question]:
    """Read a quiz from its TOML file.

    Raises
    ------
    CourseError
        Naming the file and the question: a key that is missing or unknown, an option without an explanation, fewer than
        three options or more than four, two equal ones, and a number of right ones that does not fit ``several``.
    """
    name = path.name
    try:
        content = tomllib.loads(path.read_text("utf8"))
    except FileNotFoundError:
        raise CourseError(f"{path}: there is no such quiz") from None
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{name}: not TOML ({error})") from None
    if list(content) != ["question"]:
        raise CourseError(f"{name}: it is to hold [[question]] and nothing else, and has {sorted(content)}")
    return [_question(entry, f"{name}, question {number}") for number, entry in enumerate(content["question"], 1)]


def _question(entry: dict, where: str) -> Question:
    if unknown := sorted(set(entry) - {"text", "option", "several", "check"}):
        raise CourseError(f"{where}: unknown keys {unknown}; known are text, option, several and check")
    options = []
    for letter, option in zip("abcdefgh", entry.get("option", []), strict=False):
        if unknown := sorted(set(option) - {"text", "because", "correct"}):
            raise CourseError(f"{where}{letter}: unknown keys {unknown}; known are text, because and correct")
        for key in ("text", "because"):
            if not option.get(key, "").strip():
                raise CourseError(f"{where}{letter}: '{key}' is missing")
        options.append(Option(_line(option["text"]), _line(option["because"]), option.get("correct", False)))
    if not entry.get("text", "").strip():
        raise CourseError(f"{where}: 'text' is missing")
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        raise CourseError(f"{where}: {len(options)} options; there are to be {FEWEST_OPTIONS} to {MOST_OPTIONS}")
    if len({option.text for option in options}) < len(options):
        raise CourseError(f"{where}: two options say the same")
    right = sum(option.correct for option in options)
    several = entry.get("several", False)
    if (right < 2) if several else (right != 1):
        raise CourseError(f"{where}: {right} right options, and several = {str(several).lower()}")
    return Question(_line(entry["text"]), tuple(options), several, entry.get("check", "").strip())


def _line(text: str) -> str:
    return " ".join(text.split())


# ---------------------------------------------------------------------------------------------------------- the archive

FOLDER = "cdsm-course"
"""The folder that an archive unpacks into."""

LIMIT = 60
"""Megabytes (10^6 bytes) that an archive may have at most."""

CARRIED = ("LICENSE", "CITATION.cff", "cdsm_lib")
"""What an archive holds beside notebooks and data: relative to the checkout."""

PACKED = {".npz", ".png", ".gz", ".xz", ".bz2"}  # compressed already
WRITTEN_AT = (2026, 1, 1, 0, 0, 0)  # of every file, so that an archive depends on nothing but its content
KINDS = {"students": students, "teachers": teachers}


def requirements(root: Path) -> str:
    """What a class installs: the library's dependencies and JupyterLab, at the versions of ``requirements.lock``.

    Raises
    ------
    CourseError
        If the lock has no version of one of them.
    """
    declared = tomllib.loads((root / "pyproject.toml").read_text("utf8"))["project"]["dependencies"]
    lock = (root / "requirements.lock").read_text("utf8").splitlines()
    pins = {line.partition("==")[0].lower(): line for line in lock if "==" in line and not line.startswith("#")}
    names = [re.match(r"[\w.-]+", line)[0] for line in declared] + ["ipykernel", "jupyterlab"]
    if lacking := [name for name in names if name.lower() not in pins]:
        raise CourseError(f"requirements.lock has no version of {', '.join(lacking)}")
    lines = ["# python -m pip install -r requirements.txt", "-c constraints.txt"]
    return "\n".join(lines + sorted((pins[name.lower()] for name in names), key=str.lower)) + "\n"


def readme(kind: str, chapters: Sequence[Chapter]) -> str:
    """The archive's README: what to install, how to open it, which notebooks there are."""
    what = {
        "students": "The notebooks come without outputs and without solutions; each exercise has empty cells for your "
        "answer.",
        "teachers": "The notebooks hold the solutions and the outputs of the sample profile. Keep this archive from "
        "your class.",
    }[kind]
    rows = [f"| `{c.name}.ipynb` | {c.title} | {len(c.exercises) or 'none'} |" for c in chapters]
    return "\n".join(
        [
            "# Compositional distributional semantics: notebooks for a class",
            "",
            what,
            "",
            "## Install and open",
            "",
            "You need Python 3.11 or later. In this folder:",
            "",
            "```",
            "python3 -m venv venv",
            "venv/bin/python -m pip install -r requirements.txt",
            "venv/bin/jupyter lab",
            "```",
            "",
            "On Windows write `py -m venv venv` and `venv\\Scripts\\...` for `venv/bin/...`. The installation needs",
            "the network; afterwards nothing does. JupyterLab opens in your browser: double-click a notebook on the",
            "left, then *Run*, *Run All Cells*.",
            "",
            "Leave the notebooks in this folder: they find the library in `cdsm_lib/` and the data in `data/` beside",
            "them. Every notebook has a cell of parameters near its top; change one, run everything below, and see",
            "what follows. The profile `full` needs real datasets that are not part of this archive.",
            "",
            "## Notebooks",
            "",
            "| file | chapter | exercises |",
            "|---|---|---|",
            *rows,
            "",
            "## Licence",
            "",
            "Code MIT, prose and teaching sets CC BY 4.0, counts and vectors from Wikipedia CC BY-SA 3.0; see",
            "`LICENSE` and the data sheets beside the data.",
            "",
        ]
    )


def contents(root: Path, kind: str, notebooks: Iterable[Path], data: Iterable[str]) -> dict[str, bytes | Path]:
    """Every file of an archive, by its place in it: bytes that are made here, or the file to copy.

    Parameters
    ----------
    root : Path
        The checkout.
    kind : str
        ``"students"`` or ``"teachers"``.
    notebooks : iterable of Path
        The chapters in reading order.
    data : iterable of str
        Files and folders of the checkout that a chapter may read.

    Raises
    ------
    CourseError
        As `parse` and `check`; also if a file that is to be carried is missing.
    """
    chapters = [parse(nbformat.read(path, as_version=4), path.stem) for path in notebooks]
    titles = {chapter.name: chapter.title for chapter in chapters}
    bibliography = (root / "book" / "references.bib").read_text("utf8")
    known = works(bibliography)
    found: dict[str, bytes | Path] = {}
    for chapter in chapters:
        made = KINDS[kind](chapter, titles, known)
        if keys := cited(chapter):
            made.cells.append(new_markdown_cell(references(bibliography, keys), id="references"))
        found[f"{chapter.name}.ipynb"] = (nbformat.writes(made) + "\n").encode()
    found["README.md"] = readme(kind, chapters).encode()
    found["requirements.txt"] = requirements(root).encode()
    found["constraints.txt"] = root / "requirements.lock"
    for name in (*CARRIED, *(name for name in data if name.startswith("data/"))):
        top = root / name
        if not top.exists():
            raise CourseError(f"{name}: not in the checkout, and the notebooks need it")
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root).parts)
            if path.is_file() and not hidden:
                found[path.relative_to(root).as_posix()] = path
    return found


def write_archive(path: Path, files: Mapping[str, bytes | Path], limit: float = LIMIT) -> Path:
    """Write the files into a zip file that depends on nothing but them: sorted, of one date, with one set of rights.

    Parameters
    ----------
    path : Path
    files : mapping
        As from `contents`.
    limit : float
        Megabytes that the archive may have.

    Raises
    ------
    CourseError
        If it grows beyond the limit; no file is left then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(partial, "w") as archive:
            for place in sorted(files):
                content = files[place]
                entry = zipfile.ZipInfo(f"{FOLDER}/{place}", WRITTEN_AT)
                entry.external_attr, entry.create_system = 0o100644 << 16, 3
                stored = Path(place).suffix in PACKED
                entry.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
                archive.writestr(entry, content if isinstance(content, bytes) else content.read_bytes())
        if (size := partial.stat().st_size / 1e6) > limit:
            raise CourseError(f"{path.name}: {size:.1f} MB, more than the {limit:g} MB that it may have")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    return path
