"""Course kit: a chapter's exercises and solutions, the notebooks and the archive for a class, the sheets for the book.

A chapter marks an exercise with ``{exercise-start}`` and ``{exercise-end}`` and its solution with ``{solution-start}``
and ``{solution-end}`` (sphinx-exercise, which refuses marks that do not fit together when the book is rendered); the
solution's code cells carry the tag ``solution``. `parse` reads these marks. From what it reads come

- `students`: the chapter without outputs, an empty answer in the place of each solution;
- `teachers`: the chapter with solutions and outputs;
- `sheet`: the exercises alone, or their solutions, as Markdown for a page of the book (`pages`);
- `write_archive`: notebooks, library and data of the sample profile in one zip file, which needs nothing but Jupyter.

The notebooks for a class are read in plain JupyterLab, which knows Markdown and no directives of MyST: `plain` turns
one into the other.
"""

import ast
import copy
import io
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from pybtex.database import parse_string
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from book._ext import notebooks, quiz
from book._ext.templates import fill

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
    """A chapter of which no course material can be made; the message names it, the problem and the remedy."""


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
        Naming the notebook and the label: an exercise without a solution, or the other way round; an exercise without
        label or title; a label used twice; an empty exercise or solution; a mark that cannot be read, is not closed, or
        stands inside another; a solution's code cell without the tag ``solution``, and a cell with the tag that is in
        no solution.
    """
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    title = re.search(r"(?m)^# +(.+?)\s*$", prose)
    if not title:
        raise CourseError(f"{name}: no title; its first cell is to begin with '# '")
    parts, titles, solved, place, label = [], {}, set(), "chapter", ""

    def fail(problem: str):
        raise CourseError(f"{name}{f', {label}' if label else ''}: {problem}")

    for cell in notebook.cells:
        if cell.cell_type == "code":
            first = cell.source.strip().splitlines()[:1]
            if (SOLUTION in notebooks.tags(cell)) != (place == SOLUTION):
                lacks = "lacks the tag 'solution'" if place == SOLUTION else "has the tag 'solution' outside a solution"
                fail(f"a code cell {lacks}: {first}")
            parts.append(Part(place, label, cell))
            continue
        for number, (text, gate) in enumerate(_pieces(cell.source)):
            if stray := ANY_GATE.search(text):
                fail(f"{stray[0]!r} cannot be read; each mark is closed by a fence of its own length")
            if text.strip():
                piece = copy.deepcopy(cell)
                piece.source = text.strip("\n")
                piece["id"] = f"{cell.id}-{number}" if number else cell.id
                parts.append(Part(place, label, piece))
            if gate and gate["end"] == "end":
                if gate["what"] != place:
                    fail(f"{{{gate['what']}-end}} without {{{gate['what']}-start}}")
                if not any((part.place, part.label) == (place, label) for part in parts):
                    fail(f"the {place} is empty")
                place, label = "chapter", ""
            elif gate:
                if place != "chapter":
                    fail(f"{{{gate['what']}-start}} inside an open {place}; close that with {{{place}-end}} first")
                place, label = gate["what"], gate["argument"]
                if place == "exercise":
                    named = re.search(r"(?m)^:label:\s*(\S+)", gate["options"])
                    if not named or not gate["argument"]:
                        fail("an exercise needs a title and a line ':label: ...'")
                    label = named[1]
                    if label in titles:
                        fail("two exercises have this label")
                    titles[label] = gate["argument"]
                elif label not in titles:
                    fail("a solution without its exercise, which is to stand before it")
                elif label in solved:
                    fail("a second solution")
                else:
                    solved.add(label)
    if place != "chapter":
        fail(f"{{{place}-start}} without {{{place}-end}}")
    cells = {key: tuple(part.cell for part in parts if (part.place, part.label) == key)
             for key in dict.fromkeys((part.place, part.label) for part in parts)}  # fmt: skip
    if unsolved := [label for label in titles if label not in solved]:
        label = unsolved[0]
        fail("an exercise without a solution")
    exercises = (
        Exercise(label, title, cells["exercise", label], cells[SOLUTION, label]) for label, title in titles.items()
    )
    return Chapter(name, title[1], tuple(parts), tuple(exercises), notebook.metadata)


def _pieces(source: str) -> list[tuple[str, re.Match | None]]:
    """The text before each mark of a cell with that mark, and the text behind the last."""
    marks = list(GATE.finditer(source))
    starts = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(source)]
    return [(source[a:b], mark) for a, b, mark in zip(starts, ends, [*marks, None], strict=True)]


# ------------------------------------------------------------------------------- does the chapter run without solutions


def missing_names(chapter: Chapter) -> list[tuple[str, str, str]]:
    """What the chapter would lack without its solutions, as ruff finds it (F821).

    Returns
    -------
    list of (str, str, str)
        A name that only a solution binds, the label of the first solution that does, and the line outside the solutions
        that reads it afterwards.

    Raises
    ------
    CourseError
        For a code cell that is no Python.
    """
    bound = {}
    for part in chapter.parts:
        if part.cell.cell_type == "code":
            try:
                names = _names_bound(part.cell.source)
            except SyntaxError as error:
                first = part.cell.source.strip().splitlines()[:1]
                raise CourseError(f"{chapter.name}: a code cell is no Python ({error.msg}): {first}") from None
            if part.place == SOLUTION:
                bound = dict.fromkeys(names, part.label) | bound
    rest = "\n".join(p.cell.source for p in chapter.parts if p.place != SOLUTION and p.cell.cell_type == "code")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "--output-format=json", "-"]
    findings = json.loads(subprocess.run(command, input=rest, capture_output=True, text=True).stdout)
    lines = rest.splitlines()
    lacking = {}
    for finding in findings:
        name = finding["message"].split("`")[1] if finding["code"] == "F821" else ""
        if name in bound:
            lacking.setdefault(name, (name, bound[name], lines[finding["location"]["row"] - 1].strip()))
    return list(lacking.values())


def _names_bound(source: str) -> set[str]:
    """The names that a piece of code binds, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


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
    names_of = {}
    for key, entry in parse_string(bibliography, "bibtex").entries.items():
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        names = [str(Text.from_latex(" ".join(person.prelast_names + person.last_names))) for person in people]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        names_of[key] = f"{who}, {entry.fields['year']}"
    return names_of


def cited(chapter: Chapter) -> list[str]:
    """The keys of all works that a chapter cites, each once, in the order of the alphabet."""
    keys = re.findall(
        r"\{cite(?::\w+)?\}`([^`]+)`",
        "\n".join(part.cell.source for part in chapter.parts if part.cell.cell_type == "markdown"),
    )
    return sorted({key.strip() for some in keys for key in some.split(",")})


def references(bibliography: str, keys: Sequence[str]) -> str:
    """The works of these keys as a list in Markdown, under a heading; empty if there are none."""
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
    metadata = {key: copy.deepcopy(chapter.metadata[key]) for key in ("kernelspec", "language_info") if key in
            chapter.metadata}  # fmt: skip
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(notebook)
    return notebook


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


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/course/<chapter>-students.md``, ``-teachers.md`` and ``-quiz.md`` for each page in ``book/course``.

    A chapter whose notebook is not there, or has no page in ``book/course``, gets none.
    """
    pieces_of = {}
    for page in sorted((root / "book" / "course").glob("[0-9]*.md")):
        notebook = root / "notebooks" / f"{page.stem}.ipynb"
        if notebook.is_file():
            chapter = parse(notebooks.read(notebook), page.stem)
            check(chapter)
            questions = quiz.read(page.parent / "quiz" / f"{page.stem}.toml")
            pieces = {
                "students": sheet(chapter, solutions=False),
                "teachers": sheet(chapter, solutions=True),
                "quiz": quiz.html(questions, page.stem),
            }
            pieces_of |= {f"generated/course/{page.stem}-{kind}.md": text for kind, text in pieces.items()}
    return pieces_of


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
    return fill("course-readme.md", kind=kind, chapters=chapters)


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
    files: dict[str, bytes | Path] = {}
    for chapter in chapters:
        notebook = KINDS[kind](chapter, titles, known)
        if keys := cited(chapter):
            notebook.cells.append(new_markdown_cell(references(bibliography, keys), id="references"))
        files[f"{chapter.name}.ipynb"] = (nbformat.writes(notebook) + "\n").encode()
    files["README.md"] = readme(kind, chapters).encode()
    files["requirements.txt"] = requirements(root).encode()
    files["constraints.txt"] = root / "requirements.lock"
    for name in (*CARRIED, *(name for name in data if name.startswith("data/"))):
        top = root / name
        if not top.exists():
            raise CourseError(f"{name}: not in the checkout, and the notebooks need it")
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(root).parts)
            if path.is_file() and not hidden:
                files[path.relative_to(root).as_posix()] = path
    return files


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
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for place in sorted(files):
            content = files[place]
            entry = zipfile.ZipInfo(f"{FOLDER}/{place}", WRITTEN_AT)
            entry.external_attr, entry.create_system = 0o100644 << 16, 3
            entry.compress_type = zipfile.ZIP_STORED if Path(place).suffix in PACKED else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content if isinstance(content, bytes) else content.read_bytes())
    if (size := len(whole.getvalue()) / 1e6) > limit:
        raise CourseError(f"{path.name}: {size:.1f} MB, more than the {limit:g} MB that it may have")
    path.parent.mkdir(parents=True, exist_ok=True)
    notebooks.write(path, whole.getvalue())
    return path
