"""Course kit: a chapter's exercises and solutions, the notebooks and the archive for a class, the sheets for the book.

A chapter marks an exercise with ``{exercise-start}`` and ``{exercise-end}`` and its solution with ``{solution-start}``
and ``{solution-end}`` (sphinx-exercise, which refuses marks that do not fit together when the book is rendered); the
solution's code cells carry the tag ``solution``. `parse` reads these marks. From what it reads come

- `for_class`: the notebook for teachers, with solutions and outputs, or the one for students, without outputs and with
  an empty answer in the place of each solution;
- `sheet`: the exercises alone, or their solutions, as Markdown for a page of the book (`pages`);
- `archives`: these notebooks as zip files, and the library and the data of the sample profile, which both kinds need.

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
from types import MappingProxyType
from typing import NamedTuple

import nbformat
import pooch
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from pybtex.database import parse_string
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from book._ext import execution, exercises, notebooks, quiz, site
from book._ext.templates import fill
from cdsm_lib.storage import whole_file

SOLUTION = "solution"
"""The tag of a solution's code cells."""

GATE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<what>exercise|solution)-(?P<end>start|end)\}[ \t]*(?P<argument>.*?)[ \t]*\n"
    r"(?P<options>(?::[\w-]+:.*\n)*)(?P=fence)[ \t]*$",
    re.M,
)
ANY_GATE = re.compile(r"^[`:]{3,}\{(?:exercise|solution)(?:-start|-end)?\}.*$", re.M)
DOC = re.compile(r"\{doc\}`(?:([^`<>]*?)\s*<([^`<>]+)>|([^`<>]+))`")
CITE = re.compile(r"\{cite(:\w+)?\}`([^`]+)`")


class CourseError(ValueError):
    """A chapter of which no course material can be made; the message names it, the problem and the remedy."""


# ------------------------------------------------------------------------------------------------ what a chapter holds


class Part(NamedTuple):
    """A cell of a chapter, or a copy of a Markdown cell with what a mark leaves of it.

    ``place`` is ``"chapter"``, ``"exercise"`` or ``"solution"``, ``label`` that of the exercise, empty in the chapter.
    """

    place: str
    label: str
    cell: NotebookNode


@dataclass
class Chapter:
    """A chapter read by `parse`: its file's name, its title, its metadata, all parts in order, the exercises' titles.

    The titles stand by label, in the order of the exercises.
    """

    name: str
    title: str
    metadata: Mapping
    parts: list[Part] = field(default_factory=list)
    titles: dict[str, str] = field(default_factory=dict)

    def cells(self, place: str, label: str) -> list[NotebookNode]:
        """The cells of an exercise, or of a solution."""
        return [part.cell for part in self.parts if (part.place, part.label) == (place, label)]

    @property
    def numbers(self) -> dict[str, str]:
        """Each exercise's number by its label: ``"30.4"`` is the fourth of ``30-relpron``, on every page and copy."""
        return {label: ".".join(exercises.number(self.name, place)) for place, label in enumerate(self.titles, 1)}

    def code(self, *places: str) -> list[NotebookNode]:
        """The code cells of these places, in order."""
        return [part.cell for part in self.parts if part.place in places and part.cell.cell_type == "code"]


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
    place, label = "chapter", ""

    def refuse(*problems: tuple[object, str]) -> None:
        for is_so, problem in problems:
            if is_so:
                raise CourseError(f"{name}{f', {label}' if label else ''}: {problem}")

    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    title = re.search(r"(?m)^# +(.+?)\s*$", prose)
    refuse((not title, "no title; its first cell is to begin with '# '"))
    chapter = Chapter(name, title[1], notebook.metadata)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            first, tagged = cell.source.strip().splitlines()[:1], SOLUTION in notebooks.tags(cell)
            refuse(
                (place == SOLUTION and not tagged, f"a code cell lacks the tag 'solution': {first}"),
                (place != SOLUTION and tagged, f"a code cell has the tag 'solution' outside a solution: {first}"),
            )
            chapter.parts.append(Part(place, label, cell))
            continue
        start = 0
        for number, gate in enumerate([*GATE.finditer(cell.source), None]):
            piece = copy.deepcopy(cell)
            piece.source = cell.source[start : gate.start() if gate else None].strip("\n")
            piece["id"] = f"{cell.id}-{number}" if number else cell.id
            stray = ANY_GATE.search(piece.source)
            refuse((stray, f"{stray and stray[0]!r} cannot be read; each mark is closed by a fence of its own length"))
            if piece.source.strip():
                chapter.parts.append(Part(place, label, piece))
            if not gate:
                break
            start, what, solved = gate.end(), gate["what"], chapter.cells(SOLUTION, gate["argument"])
            if gate["end"] == "end":
                refuse(
                    (what != place, f"{{{what}-end}} without {{{what}-start}}"),
                    (not chapter.cells(place, label), f"the {place} is empty"),
                )
                place, label = "chapter", ""
                continue
            refuse(
                (place != "chapter", f"{{{what}-start}} inside an open {place}; close that with {{{place}-end}} first")
            )
            place, label = what, gate["argument"]
            if place == SOLUTION:
                refuse(
                    (label not in chapter.titles, "a solution without its exercise, which is to stand before it"),
                    (solved, "a second solution"),
                )
                continue
            named = re.search(r"(?m)^:label:\s*(\S+)", gate["options"])
            refuse((not named or not label, "an exercise needs a title and a line ':label: ...'"))
            label = named[1]
            refuse((label in chapter.titles, "two exercises have this label"))
            chapter.titles[label] = gate["argument"]
    refuse((place != "chapter", f"{{{place}-start}} without {{{place}-end}}"))
    for label in chapter.titles:
        refuse((not chapter.cells(SOLUTION, label), "an exercise without a solution"))
    return chapter


# ------------------------------------------------------------------------------- does the chapter run without solutions


def check(chapter: Chapter) -> None:
    """Refuse a chapter that does not run without its solutions, by what ruff finds (F821) with them and without.

    Raises
    ------
    CourseError
        Naming the notebook, the solution's label, the name and the line that needs it; also for a code cell that is no
        Python.
    """
    for cell in chapter.code("chapter", "exercise", SOLUTION):
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            first = cell.source.strip().splitlines()[:1]
            raise CourseError(f"{chapter.name}: a code cell is no Python ({error.msg}): {first}") from None
    unknown = _unknown_names(chapter.code("chapter", "exercise", SOLUTION))
    for name, line in _unknown_names(chapter.code("chapter", "exercise")).items():
        for label in chapter.titles if name not in unknown else ():
            if any(re.search(rf"\b{name}\b", cell.source) for cell in chapter.cells(SOLUTION, label)):
                raise CourseError(
                    f"{chapter.name}, {label}: only this solution defines {name!r}, which a later cell needs "
                    f"({line!r}); define it outside the solution"
                )


def _unknown_names(cells: Iterable[NotebookNode]) -> dict[str, str]:
    """The names that these cells read and do not bind, each with the first line that reads it."""
    code = "\n".join(cell.source for cell in cells)
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "--output-format=json", "-"]
    findings = json.loads(subprocess.run(command, input=code, capture_output=True, text=True).stdout)
    names = {}
    for finding in findings:
        if finding["code"] == "F821":
            line = code.splitlines()[finding["location"]["row"] - 1].strip()
            names.setdefault(finding["message"].split("`")[1], line)
    return names


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
        if unknown := [key for key in keys if key not in works]:
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

    text = DOC.sub(linked, CITE.sub(cited, _without_boxes(text)))
    text = re.sub(r"\{math\}`([^`]+)`", r"$\1$", text)
    text = re.sub(r"\s*\((?:\{numref\}`[^`]+`(?:, | and )?)+\)", "", text)  # where figures have no numbers
    text = re.sub(
        r"(\A|\n\n|[.!?]\s+)?\{numref\}`[^`]+`", lambda m: "the figure" if m[1] is None else f"{m[1]}The figure", text
    )
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


def references(chapter: Chapter, bibliography: str) -> str:
    """The works that a chapter cites as a list in Markdown, under a heading; empty if there are none."""
    prose = "\n".join(part.cell.source for part in chapter.parts if part.cell.cell_type == "markdown")
    keys = sorted({key.strip() for _, some in CITE.findall(prose) for key in some.split(",")})
    style, backend = find_plugin("pybtex.style.formatting", "plain")(), find_plugin("pybtex.backends", "markdown")()
    entries = style.format_bibliography(parse_string(bibliography, "bibtex"), keys)
    lines = ["- " + " ".join(entry.text.render(backend).split()) for entry in entries]
    return "\n".join(["## References", "", *lines]) if keys else ""


# --------------------------------------------------------------------------------------------- the notebooks of a class

NOTES = {
    "students": "> **Notebook for students.** Outputs are empty and solutions are left out. Run the cells from top to "
    "bottom; the exercises at the end come with an empty cell each for your answer.",
    "teachers": "> **Notebook for teachers.** The chapter with its solutions and the outputs of the sample profile.",
    "lab": "> **Your copy of the chapter.** Change and run what you like. Solutions are folded: a click opens them. "
    "`make lab` writes a copy anew when its chapter changes, and leaves it alone once you have changed it.",
}
"""The kinds of notebook, and how each begins."""

BELOW = re.compile(r"\s*Each has its solution below it[^.]*\.")
"""What a chapter says of its solutions, and a notebook for students may not."""


def for_class(kind: str, chapter: Chapter, titles: Mapping[str, str], works: Mapping[str, str]) -> NotebookNode:
    """The chapter as a notebook for a class, in Markdown that JupyterLab shows by itself.

    Parameters
    ----------
    kind : str
        ``"teachers"``: with solutions and stored outputs. ``"lab"``: the same, solutions folded. ``"students"``:
        without outputs, and in the place of each solution a cell for words and a cell for code, both empty.
    chapter : Chapter
    titles, works : mapping
        As for `plain`.

    Raises
    ------
    CourseError
        As `plain`; and as `check`, for students.
    """
    solved = kind != "students"
    if not solved:
        check(chapter)
    cells, begun = [new_markdown_cell(NOTES[kind], id=f"for-{kind}")], set()
    titled = {label: f"{chapter.numbers[label]}: {title}" for label, title in chapter.titles.items()}
    for place, label, original in chapter.parts:
        cell, title, first = copy.deepcopy(original), titled.get(label), (place, label) not in begun
        begun.add((place, label))
        if place == SOLUTION and first and solved:
            cells.append(new_markdown_cell(f"**Solution {title}**", id=f"solution-{label}"[:64]))
        elif place == SOLUTION and first:
            cells.append(new_markdown_cell(f"*Your answer to {title}, in words:*\n", id=f"words-{label}"[:64]))
            tagged = {"tags": ["answer"]}
            cells.append(new_code_cell("# your answer\n", id=f"code-{label}"[:64], metadata=tagged))
        if place == SOLUTION and not solved:
            continue
        if cell.cell_type == "code":
            cell.metadata.pop("mystnb", None)
            if not solved:
                cell.outputs, cell.execution_count = [], None
        else:
            try:
                text = plain(cell.source, titles, works)
            except CourseError as error:
                raise CourseError(f"{chapter.name}: {error}") from None
            heading = f"### Exercise {title}\n\n" if place == "exercise" and first else ""
            cell.source = heading + (text if solved else BELOW.sub("", text))
        cells.append(folded(cell) if kind == "lab" and place == SOLUTION else cell)
    known = [key for key in ("kernelspec", "language_info") if key in chapter.metadata]
    notebook = new_notebook(cells=cells, metadata={key: copy.deepcopy(chapter.metadata[key]) for key in known})
    nbformat.validate(notebook)
    return notebook


def folded(cell: NotebookNode) -> NotebookNode:
    """A cell that JupyterLab shows as a line to click on."""
    if cell.cell_type == "code":
        cell.metadata["jupyter"] = {"source_hidden": True, "outputs_hidden": True}
    elif cell.source.strip():
        cell.source = f"<details><summary>Show</summary>\n\n{cell.source}\n\n</details>"
    return cell


def lab(root: Path) -> tuple[Path, list[str]]:
    """Write the chapters for JupyterLab into ``_build/lab``; the folder, and the names of those left as they are.

    A copy that somebody has changed is left alone: it is not the one that ``.written.json`` there has the digest of.
    """
    folder, kept = root / "_build" / "lab", []
    folder.mkdir(parents=True, exist_ok=True)
    note = folder / ".written.json"
    written = json.loads(note.read_text("utf8")) if note.is_file() else {}
    read = [parse(notebooks.read(path), path.stem) for path in notebooks.notebooks(root)]
    for name, content in copies(root, "lab", read).items():
        path = folder / name
        if path.exists() and written.get(name) != pooch.file_hash(path):
            kept.append(name)
            continue
        with whole_file(path, "wb") as file:
            file.write(content)
        written[name] = pooch.file_hash(path)
    with whole_file(note) as file:
        json.dump(written, file, indent=1)
    return folder, kept


# ------------------------------------------------------------------------------------------------- sheets for the book


def for_page(text: str) -> str:
    """Markdown of a chapter for a page in another folder: links to other chapters start from the book's root."""

    def absolute(match: re.Match) -> str:
        target = os.path.normpath(os.path.join("/notebooks", (match[2] or match[3]).strip()))
        return f"{{doc}}`{match[1].strip()} <{target}>`" if match[1] else f"{{doc}}`{target}`"

    return DOC.sub(absolute, text)


def needs(root: Path) -> dict[str, dict]:
    """What exercises take from their chapters, by label: ``text`` for the sheet, ``stands`` for a test."""
    path = root / "book" / "course" / "needs.toml"
    return tomllib.loads(path.read_text("utf8")) if path.is_file() else {}


def sheet(chapter: Chapter, *, solutions: bool, needed: Mapping[str, Mapping] = MappingProxyType({})) -> str:
    """The exercises as Markdown, each with what is needed from the chapter and a link to it; or their solutions.

    The sheet with solutions has no headings, so that it may stand in a box that opens and closes. A figure is given in
    the words of its text alternative.
    """
    return fill("course-sheet.md", chapter=chapter, solutions=solutions, for_page=for_page, needed=needed)


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """The archives, and for each page the files ``<chapter>-students.md``, ``-teachers.md`` and ``-quiz.md``.

    A chapter whose notebook is not there, or has no page in ``book/course``, gets none.
    """
    packed, needed = archives(root, notebooks.notebooks(root), execution.INPUTS), needs(root)
    written = {f"generated/course/{name}": archive for name, archive in packed.items()}
    for page in sorted((root / "book" / "course").glob("[0-9]*.md")):
        notebook = root / "notebooks" / f"{page.stem}.ipynb"
        if notebook.is_file():
            chapter = parse(notebooks.read(notebook), page.stem)
            check(chapter)
            place = f"generated/course/{page.stem}"
            written[f"{place}-students.md"] = sheet(chapter, solutions=False, needed=needed)
            written[f"{place}-teachers.md"] = sheet(chapter, solutions=True)
            questions = quiz.read(page.parent / "quiz" / f"{page.stem}.toml")
            written[f"{place}-quiz.md"] = quiz.html(questions, page.stem)
    return written


# ---------------------------------------------------------------------------------------------------------- the archive

FOLDER = "cdsm-course"
"""The folder that an archive unpacks into."""

LIMIT = 60_000_000
"""Bytes that an archive may have at most."""

CARRIED = ("LICENSE", "CITATION.cff", "cdsm_lib")
"""What goes along with the data: relative to the checkout."""

PACKED = {".npz", ".png", ".gz", ".xz", ".bz2"}  # compressed already
WRITTEN_AT = (2026, 1, 1, 0, 0, 0)  # of every file, so that an archive depends on nothing but its content


def requirements(root: Path) -> str:
    """What a class installs: the library's dependencies and JupyterLab, at the versions of ``requirements.lock``.

    Raises
    ------
    CourseError
        If the lock has no version of one of them.
    """
    pins = {name.lower(): f"{name}=={version}" for name, version in site.locked(root).items()}
    names = [*site.dependencies(root), "ipykernel", "jupyterlab"]
    if lacking := [name for name in names if name.lower() not in pins]:
        raise CourseError(f"requirements.lock has no version of {', '.join(lacking)}")
    lines = sorted((pins[name.lower()] for name in names), key=str.lower)
    return "\n".join(["# python -m pip install -r requirements.txt", "-c constraints.txt", *lines, ""])


def copies(root: Path, kind: str, chapters: Sequence[Chapter]) -> dict[str, bytes]:
    """The chapters' notebooks as `for_class` has them, each with the works that it cites; by their files' names."""
    titles = {chapter.name: chapter.title for chapter in chapters}
    bibliography = (root / "book" / "references.bib").read_text("utf8")
    known, files = works(bibliography), {}
    for chapter in chapters:
        notebook = for_class(kind, chapter, titles, known)
        if listed := references(chapter, bibliography):
            notebook.cells.append(new_markdown_cell(listed, id="references"))
        files[f"{chapter.name}.ipynb"] = (nbformat.writes(notebook) + "\n").encode()
    return files


def models_read(root: Path, chapters: Iterable[Chapter]) -> set[str]:
    """The files of ``data/models`` that a module names which these chapters import, or which such a module imports.

    The others are the playground's, which is a page, and those of `cdsm_lib.chapters.stored`, for ``make verify``.
    """
    code = [cell.source for chapter in chapters for cell in chapter.code("chapter", "exercise", SOLUTION)]
    imported, named = set(), set()
    for source in code:
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                imports = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            else:
                imports = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for path in (root / f"{name.replace('.', '/')}.py" for name in imports):
                if path.is_file() and path not in imported:
                    imported.add(path)
                    code.append(path.read_text("utf8"))
            if isinstance(node, ast.Constant) and str(node.value).endswith(".npz"):
                named.add(node.value)
    return {path.name for path in (root / "data" / "models").glob("*.npz")} & named


def materials(root: Path, chapters: Iterable[Chapter], data: Iterable[str]) -> dict[str, bytes | Path]:
    """What notebooks for students and for teachers need beside them, by its place: bytes, or the file to copy.

    Parameters
    ----------
    root : Path
        The checkout.
    chapters : iterable of Chapter
    data : iterable of str
        Files and folders of the checkout that a chapter may read.

    Raises
    ------
    CourseError
        If a file that is to be carried is missing.
    """
    files: dict[str, bytes | Path] = {"requirements.txt": requirements(root).encode()}
    files["constraints.txt"] = root / "requirements.lock"
    models = models_read(root, chapters)
    for name in (*CARRIED, *(name for name in data if name.startswith("data/"))):
        top = root / name
        if not top.exists():
            raise CourseError(f"{name}: not in the checkout, and the notebooks need it")
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            place = path.relative_to(root)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in place.parts)
            unread = place.match("data/models/*.npz") and path.name not in models
            if path.is_file() and not hidden and not unread:
                files[place.as_posix()] = path
    return files


def archives(root: Path, chapters: Iterable[Path], data: Iterable[str]) -> dict[str, bytes]:
    """``students.zip`` and ``teachers.zip``, the notebooks, and ``materials.zip``, which both need; all fill `FOLDER`.

    Parameters
    ----------
    root : Path
        The checkout.
    chapters : iterable of Path
        Their notebooks in reading order.
    data : iterable of str
        Files and folders of the checkout that a chapter may read.

    Raises
    ------
    CourseError
        As `parse`, `check` and `materials`; also if an archive is larger than `LIMIT`.
    """
    read = [parse(notebooks.read(path), path.stem) for path in chapters]
    packed = {"materials.zip": pack(materials(root, read, data))}
    for kind in ("students", "teachers"):
        readme = fill("course-readme.md", kind=kind, chapters=read).encode()
        packed[f"{kind}.zip"] = pack({**copies(root, kind, read), "README.md": readme})
    for name, archive in packed.items():
        if len(archive) > LIMIT:
            raise CourseError(f"{name}: {len(archive) / 1e6:.1f} MB, more than the {LIMIT / 1e6:g} MB it may have")
    return packed


def pack(files: Mapping[str, bytes | Path]) -> bytes:
    """A zip file that depends on nothing but what is in it: sorted, of one date, with one set of rights."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for place, content in sorted(files.items()):
            entry = zipfile.ZipInfo(f"{FOLDER}/{place}", WRITTEN_AT)
            entry.external_attr, entry.create_system = 0o100644 << 16, 3
            entry.compress_type = zipfile.ZIP_STORED if Path(place).suffix in PACKED else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content if isinstance(content, bytes) else content.read_bytes())
    return packed.getvalue()
