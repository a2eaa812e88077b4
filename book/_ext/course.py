"""Course kit: a chapter's exercises and solutions, the notebooks and the archives for a class, the sheets for the book.

A chapter marks an exercise with ``{exercise-start}`` and ``{exercise-end}`` and its solution with ``{solution-start}``
and ``{solution-end}`` (sphinx-exercise, which refuses marks that do not fit together when the book is rendered).
`divided` cuts its cells there and tags the pieces. From these come

- `for_class`: the notebook for teachers, with solutions and outputs, or the one for students, without outputs and with
  an empty answer in the place of each solution;
- `sheet`: the exercises alone, or their solutions, as Markdown for a page of the book (`pages`);
- `archives`: these notebooks as zip files, and the library and the data of the sample profile, which both kinds need.

The notebooks for a class are read in plain JupyterLab, which knows Markdown and no directives of MyST: `plain` turns
one into the other.
"""

import copy
import io
import json
import os
import re
import tomllib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
import numpy as np
import pooch
from nbconvert.preprocessors import ClearOutputPreprocessor, TagRemovePreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from pybtex.database import parse_string
from pybtex.plugin import find_plugin
from pybtex.richtext import Text

from book._ext import execution, notebooks, quiz, site, slides
from book._ext.templates import fill
from book.course.checks import digest
from cdsm_lib.storage import whole_file

GATE = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{(?P<what>exercise|solution)-(?P<end>start|end)\}[ \t]*(?P<argument>.*?)[ \t]*\n"
    r"(?P<options>(?::[\w-]+:.*\n)*)(?P=fence)[ \t]*$",
    re.M,
)
DOC = re.compile(r"\{doc\}`(?:([^`<>]*?)\s*<([^`<>]+)>|([^`<>]+))`")
CITE = re.compile(r"\{cite(:\w+)?\}`([^`]+)`")


# ------------------------------------------------------------------------------------------------ what a chapter holds


@dataclass
class Chapter:
    """A chapter read by `divided`: its file's name, its title, its notebook, the exercises' titles by label, in order.

    Every cell has the metadata ``place``, which is ``"chapter"``, ``"exercise"`` or ``"solution"``, and ``label``.
    """

    name: str
    title: str
    notebook: NotebookNode
    titles: dict[str, str]

    def cells(self, place: str, label: str) -> list[NotebookNode]:
        """The cells of an exercise, or of a solution."""
        wanted = {"place": place, "label": label}
        return [cell for cell in self.notebook.cells if wanted.items() <= cell.metadata.items()]


def divided(notebook: NotebookNode, name: str) -> Chapter:
    """Read the exercises and solutions of a chapter, whose file has this name without suffix."""
    title = re.search(r"(?m)^# +(.+?)\s*$", "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown"))
    chapter = Chapter(name, title[1], copy.deepcopy(notebook), {})
    cells, place, label = [], "chapter", ""
    for cell in chapter.notebook.cells:
        start = 0
        for number, gate in enumerate([*GATE.finditer(cell.source), None]):
            piece = copy.deepcopy(cell)
            piece.metadata |= {"place": place, "label": label}
            if cell.cell_type == "markdown":
                piece.source = cell.source[start : gate.start() if gate else None].strip("\n")
                piece["id"] = f"{cell.id}-{number}" if number else cell.id
            if piece.source.strip():
                cells.append(piece)
            if gate is None:
                break
            start, place, label = gate.end(), gate["what"], gate["argument"]
            if gate["end"] == "end":
                place, label = "chapter", ""
            elif place == "exercise":
                label = re.search(r"(?m)^:label:\s*(\S+)", gate["options"])[1]
                chapter.titles[label] = gate["argument"]
    chapter.notebook.cells = cells
    return chapter


def chapters(root: Path) -> list[Chapter]:
    """The book's chapters, in reading order."""
    return [divided(notebooks.read(path), path.stem) for path in notebooks.notebooks(root)]


# ------------------------------------------------------------------------------------------------ Markdown without MyST


def plain(text: str, titles: Mapping[str, str], works: Mapping[str, str]) -> str:
    """MyST as the Markdown that JupyterLab shows by itself.

    Boxes become quotations under a bold heading, citations author and year, links to chapters links to notebooks;
    another role leaves its text. `titles` has the title of each chapter by the name of its notebook, `works` author and
    year of each work of the bibliography by its key, such as ``"Rimell et al., 2016"``.
    """

    def cited(match: re.Match) -> str:
        names = [works[key.strip()] for key in match[2].split(",")]
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
    prose = "\n".join(cell.source for cell in chapter.notebook.cells if cell.cell_type == "markdown")
    keys = sorted({key.strip() for _, some in CITE.findall(prose) for key in some.split(",")})
    style, backend = find_plugin("pybtex.style.formatting", "plain")(), find_plugin("pybtex.backends", "markdown")()
    entries = style.format_bibliography(parse_string(bibliography, "bibtex"), keys)
    lines = ["- " + " ".join(entry.text.render(backend).split()) for entry in entries]
    return "\n".join(["## References", "", *lines]) if keys else ""


# --------------------------------------------------------------------------------------------- the notebooks of a class


def for_class(
    kind: str, chapter: Chapter, titles: Mapping[str, str], works: Mapping[str, str], answers: Mapping[str, str] = {}
) -> NotebookNode:
    """The chapter as a notebook for a class, in Markdown that JupyterLab shows by itself (`plain`).

    For ``"teachers"`` it has solutions and stored outputs; for the ``"lab"`` the same, solutions folded; for
    ``"students"`` no outputs, and in the place of each solution a cell for words and a cell for code, which are empty
    or begin with what `answers` has for the exercise.
    """
    notebook = copy.deepcopy(chapter.notebook)
    cells, headed = [new_markdown_cell(fill("notebook-note.md", kind=kind), id=f"for-{kind}")], set()
    for cell in notebook.cells:
        place, label = cell.metadata.pop("place"), cell.metadata.pop("label")
        if cell.cell_type == "markdown":
            text = plain(cell.source, titles, works)
            cell.source = notebooks.BELOW.sub("", text) if kind == "students" else text
        cell.metadata.pop("mystnb", None)
        if label and (place, label) not in headed:
            headed.add((place, label))
            cells += _headed(kind, place, label, chapter.titles[label], answers.get(label, "# your answer\n"))
        if place == "solution":
            cell.metadata["tags"] = [*dict.fromkeys([*notebooks.tags(cell), "solution"])]
        cells.append(folded(cell) if kind == "lab" and place == "solution" else cell)
    notebook.cells = cells
    if kind == "students":
        notebook, _ = TagRemovePreprocessor(remove_cell_tags={"solution"}, enabled=True).preprocess(notebook, {})
        notebook, _ = ClearOutputPreprocessor().preprocess(notebook, {})
    notebook.metadata = {
        key: notebook.metadata[key] for key in ("kernelspec", "language_info") if key in notebook.metadata
    }
    return notebook


def _headed(kind: str, place: str, label: str, title: str, answer: str) -> list[NotebookNode]:
    """The cells before an exercise, or before a solution: headings, and for students the cells for their answer."""
    if place == "exercise":
        return [new_markdown_cell(f"### Exercise: {title}", id=f"exercise-{label}"[:64])]
    if kind != "students":
        return [new_markdown_cell(f"**Solution: {title}**", id=f"solution-{label}"[:64])]
    words = new_markdown_cell(f"*Your answer to {title}, in words:*\n", id=f"words-{label}"[:64])
    return [words, new_code_cell(answer, id=f"code-{label}"[:64], metadata={"tags": ["answer"]})]


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
    for name, content in copies(root, "lab", chapters(root)).items():
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
    return tomllib.loads((root / "book" / "course" / "needs.toml").read_text("utf8"))


def sheet(chapter: Chapter, *, solutions: bool, needed: Mapping[str, Mapping]) -> str:
    """The exercises as Markdown, each with what is needed from the chapter and a link to it; or their solutions.

    The sheet with solutions has no headings, so that it may stand in a box that opens and closes. A figure is given in
    the words of its text alternative.
    """
    return fill("course-sheet.md", chapter=chapter, solutions=solutions, for_page=for_page, needed=needed)


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str | bytes]:
    """The archives, the slides, and for each chapter ``<chapter>-students.md``, ``-teachers.md`` and ``-quiz.md``.

    A chapter without a quiz gets none; without solutions there is no archive for teachers (`notebooks.with_solutions`).
    """
    needed, solutions = needs(root), notebooks.with_solutions()
    written = {f"generated/course/{n}": a for n, a in archives(root).items() if solutions or n != "teachers.zip"}
    written["generated/course/for-teachers.md"] = teachers = fill("for-teachers.md", solutions=solutions)
    for name in (name for name in slides.decks(root) if name.endswith(".html")):
        page = slides.decks(root)[name].replace(b'"mathjax.js"', b'"../mathjax/tex-chtml.js"')  # the book's own
        written[f"assets/slides/{name}"] = page
    for chapter, asked in quizzes(root, chapters(root)):
        place = f"generated/course/{chapter.name}"
        written[f"{place}-students.md"] = sheet(chapter, solutions=False, needed=needed)
        written[f"{place}-teachers.md"] = sheet(chapter, solutions=True, needed={}) if solutions else teachers
        written[f"{place}-quiz.md"] = asked
    return written


# ---------------------------------------------------------------------------------------------------------- the archive

FOLDER = "cdsm-course"
"""The folder that an archive unpacks into."""

CARRIED = ("LICENSE", "CITATION.cff", "cdsm_lib")
"""What goes along with the data: relative to the checkout."""

MODELS = ("README.md", "context2vec.npz", "encoder.npz", "pos-tagger.npz")
"""The files of ``data/models`` that chapters read; the others are the playground's and those of ``make verify``."""

PACKED = {".npz", ".png", ".gz", ".xz", ".bz2"}  # compressed already
WRITTEN_AT = (2026, 1, 1, 0, 0, 0)  # of every file, so that an archive depends on nothing but its content


def requirements(root: Path) -> str:
    """What a class installs: the library's dependencies and JupyterLab, at the versions of ``requirements.lock``."""
    pins = site.locked(root)
    lines = sorted(f"{name}=={pins[name]}" for name in [*site.dependencies(root), "ipykernel", "jupyterlab"])
    return "\n".join(["# python -m pip install -r requirements.txt", "-c constraints.txt", *lines, ""])


def copies(root: Path, kind: str, chapters: Sequence[Chapter]) -> dict[str, bytes]:
    """The chapters' notebooks as `for_class` has them, each with the works that it cites; by their files' names."""
    titles = {chapter.name: chapter.title for chapter in chapters}
    bibliography = (root / "book" / "references.bib").read_text("utf8")
    known, files = works(bibliography), {}
    answers = {
        entry["exercise"]: f'from checks import check\n\nanswer = ...  # {entry["ask"]}\ncheck("{name}", answer)\n'
        for name, entry in (checks(root) if kind == "students" else {}).items()
    }
    for chapter in chapters:
        notebook = for_class(kind, chapter, titles, known, answers)
        if listed := references(chapter, bibliography):
            notebook.cells.append(new_markdown_cell(listed, id="references"))
        files[f"{chapter.name}.ipynb"] = (nbformat.writes(notebook) + "\n").encode()
    return files


@cache
def checks(root: Path) -> dict[str, dict]:
    """What `check` knows of each exercise by its number: what is asked, a hint, and replies by an answer's digest."""
    entries = tomllib.loads((root / "book" / "course" / "checks.toml").read_text("utf8"))
    for name, entry in entries.items():
        right = eval(entry.pop("answer"), {"np": np})
        entry["replies"] = {digest(name, right, 2): "Nearly: three significant digits are asked."}
        for mistake, reply in entry.pop("nearly"):
            entry["replies"][digest(name, eval(mistake, {"np": np}), 3)] = f"Nearly: {reply}"
        entry["replies"][digest(name, right, 3)] = "Right."
    return entries


def quizzes(root: Path, chapters: Sequence[Chapter]) -> Iterator[tuple[Chapter, str]]:
    """Each chapter that has a quiz, and its quiz as HTML."""
    for chapter in chapters:
        if (path := root / "book" / "course" / "quiz" / f"{chapter.name}.toml").is_file():
            yield chapter, quiz.html(quiz.read(path), chapter.name)


def exam(root: Path) -> dict[str, bytes]:
    """The questions of an exam as Markdown, without their keys and with them."""
    asked = tomllib.loads((root / "book" / "course" / "exam.toml").read_text("utf8"))["question"]
    return {f"exam{'-keys' * keys}.md": fill("exam.md", asked=asked, keys=keys).encode() for keys in (False, True)}


def materials(root: Path) -> dict[str, bytes | Path]:
    """What notebooks for students and for teachers need beside them, by its place: bytes, or the file to copy."""
    files: dict[str, bytes | Path] = {"requirements.txt": requirements(root).encode()}
    files["constraints.txt"] = "".join(f"{name}=={pin}\n" for name, pin in site.locked(root).items()).encode()
    for name in (*CARRIED, *execution.inputs(root)[1:]):
        top = root / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            place = path.relative_to(root)
            hidden = any(part.startswith(".") or part == "__pycache__" for part in place.parts)
            unread = place.match("data/models/*") and path.name not in MODELS
            if path.is_file() and not hidden and not unread:
                files[place.as_posix()] = path
    return files


def archives(root: Path) -> dict[str, bytes]:
    """``students.zip``, ``teachers.zip``, ``materials.zip``, which both need, and ``slides.zip``: each a `FOLDER`."""
    read = chapters(root)
    lectures = {f"slides/{name}": page for name, page in slides.decks(root).items()}
    packed = {"materials.zip": pack(materials(root)), "slides.zip": pack(lectures)}
    known, checker = json.dumps(checks(root), indent=1).encode(), root / "book" / "course" / "checks.py"
    look = {kind: (root / "book" / "assets" / f"quiz.{kind}").read_text("utf8") for kind in ("css", "js")}
    asked = {
        f"quiz/{chapter.name}.html": fill("quiz-page.html", title=chapter.title, quiz=html, **look).encode()
        for chapter, html in quizzes(root, read)
    }
    for kind, more in {"students": {"checks.json": known, "checks.py": checker}, "teachers": exam(root)}.items():
        readme = fill("course-readme.md", kind=kind, chapters=read).encode()
        packed[f"{kind}.zip"] = pack({"README.md": readme} | more | copies(root, kind, read) | asked)
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
