"""Where the book departs from its papers: the chapters' own tables, joined with what was found beside them.

``generated/differences.md`` has a section for each paper and in it one for each chapter: the table that stands in the
chapter under the heading :data:`HEADING`, as the notebook's run computed it; further departures and the settings of
both profiles from ``book/differences.toml``; and for every row whether its effect was measured, and where.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import nbformat

from cdsm_lib.evaluation.claims import NOTEBOOKS, PAPERS

HEADING = "Where this reproduction differs from the paper"
FILE = "book/differences.toml"
CHAPTERS = {
    "cheung2012": ("relation_classification", "question_answering"),
    "white2015": ("localisation",),
    "rimell2016": ("relpron",),
    "kober2017": ("phrase_similarity", "sense_discrimination"),
    "buljan2018": ("lexical_substitution",),
}
"""The chapters of each paper."""

UNMEASURED = "not measured"
KINDS = ("measured", "in part", UNMEASURED, "nothing to measure")
AS_THERE, NO_DEPARTURE = "as in the paper", "no departure"


class DifferencesError(ValueError):
    """A chapter without its table, or an entry of ``book/differences.toml`` that fits nothing; says which."""


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/differences.md``."""
    ran = {item.source.stem: item.path for item in executed}
    notes = tomllib.loads((root / FILE).read_text("utf8"))
    profiles = tomllib.loads((root / "data" / "profiles.toml").read_text("utf8"))
    lines, counted = [], []
    for paper, chapters in CHAPTERS.items():
        lines += [f"## {PAPERS[paper]}", "", f"The paper: {{cite:t}}`{paper}`.", ""]
        for chapter in chapters:
            name = NOTEBOOKS[chapter]
            notebook = nbformat.read(ran.get(name, root / "notebooks" / f"{name}.ipynb"), as_version=4)
            section, effects = _section(tables(notebook, name), notes.get(chapter, {}), profiles, chapter)
            lines += [f"### {_title(notebook)}", "", f"Chapter: {{doc}}`../notebooks/{name}`.", "", *section]
            kinds = [_kind(effect) for effect in effects]
            counted.append([_title(notebook), f"{len(kinds)}", *(f"{kinds.count(kind)}" for kind in KINDS)])
    summary = ["How many departures each chapter has, and how many of their effects were measured:", ""]
    summary += _table(["chapter", "listed", *KINDS], counted)
    return {"generated/differences.md": "\n".join([*summary, *lines]) + "\n"}


def _kind(effect: str) -> str:
    """Which of :data:`KINDS` an effect is."""
    for start, kind in (("yes", KINDS[0]), ("in part", KINDS[1]), ("no:", KINDS[2]), (UNMEASURED, KINDS[2])):
        if effect.startswith(start):
            return kind
    return KINDS[3]


def tables(notebook, name: str) -> list[list[list[str]]]:
    """The tables under a notebook's heading :data:`HEADING`, a list of rows each, the first of them the head.

    Parameters
    ----------
    notebook : NotebookNode
        With outputs.
    name : str
        For the error.

    Raises
    ------
    DifferencesError
        Naming the notebook, if there is no such heading, or no table below it.
    """
    found, below = [], False
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"(?m)^#+ (.*?)\s*$", re.sub(r"(?ms)^(`{3,}).*?^\1`*\s*$", "", cell.source))
            below = headings[-1] == HEADING if headings else below
        elif below:
            for output in cell.get("outputs", []):
                if rows := _rows(output.get("data", {}).get("text/markdown", "")):
                    found.append(rows)
    if not found:
        raise DifferencesError(f"notebooks/{name}.ipynb: no table below a heading {HEADING!r}; execute it, or add one")
    return found


def _rows(markdown: str | list[str]) -> list[list[str]]:
    """The cells of a Markdown table, line by line, without its ruler; empty if there is none."""
    text = markdown if isinstance(markdown, str) else "".join(markdown)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return [row for row in rows if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def _title(notebook) -> str:
    """The notebook's first heading up to its colon."""
    return re.search(r"(?m)^# (.*?)\s*$", notebook.cells[0].source)[1].partition(":")[0]


def _section(found: list, notes: Mapping, profiles: Mapping, chapter: str) -> tuple[list[str], list[str]]:
    """A chapter's lines (table with effects and the departures beside it, further tables, settings) and the effects."""
    unknown = set(notes) - {"effects", "more", "settings"}
    if unknown:
        raise DifferencesError(f"{FILE}: [{chapter}] has unknown {', '.join(sorted(unknown))}")
    effects = notes.get("effects", {})
    first, *others = found
    rows = []
    for row in first[1:]:
        usual = NO_DEPARTURE if row[-1] == AS_THERE else UNMEASURED
        rows.append([*(_escaped(cell) for cell in row), _linked(effects.get(row[0], usual))])
    for entry in notes.get("more", []):
        cells = [_escaped(_filled(entry[name], profiles)) for name in ("what", "theirs", "ours", "why")]
        rows.append([*cells, _linked(entry.get("effect", UNMEASURED))])
    lines = _table(["what", "theirs", "ours", "why", "effect measured?"], rows)
    for table in others:
        head, *body = table
        lines += _table(head, [[_escaped(cell) for cell in row] for row in body])
    if settings := notes.get("settings"):
        body = []
        for entry in settings:
            values = [
                "; ".join(_shown(_at(profiles, name, path)) for path in entry["paths"]) for name in ("full", "sample")
            ]
            body.append([_escaped(entry["what"]), _escaped(entry["theirs"]), *values])
        lines += ["Settings of the two profiles:", "", *_table(["what", "theirs", "full", "sample"], body)]
    return lines, [row[-1] for row in rows]


def stale(root: Path) -> list[str]:
    """Effects in ``book/differences.toml`` whose row the chapter's stored table does not have (any more)."""
    notes = tomllib.loads((root / FILE).read_text("utf8"))
    found = []
    for chapter, entries in notes.items():
        name = NOTEBOOKS[chapter]
        notebook = nbformat.read(root / "notebooks" / f"{name}.ipynb", as_version=4)
        known = {row[0] for row in tables(notebook, name)[0][1:]}
        found += [f"{chapter}: {what}" for what in entries.get("effects", {}) if what not in known]
    return found


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [*("| " + " | ".join(cells) + " |" for cells in lines), ""]


def _escaped(text: str) -> str:
    """A cell's text as Markdown shows it unchanged; emphasis by asterisks stays."""
    return re.sub(r"([|\\$<>_`\[\]])", r"\\\1", text)


def _linked(text: str) -> str:
    """``[words](30-relpron#section)`` as a link into the chapter."""
    return re.sub(r"\]\((\d\d-[a-z0-9-]+)(#[^)]*)?\)", r"](../notebooks/\1.ipynb\2)", text)


def _at(profiles: Mapping, profile: str, path: str):
    """A setting, such as ``contextual.window`` of ``full``."""
    try:
        return reduce(lambda table, key: table[key], path.split("."), profiles[profile])
    except (KeyError, TypeError):
        raise DifferencesError(f"{FILE}: data/profiles.toml has no setting {path} in [{profile}]") from None


def _shown(value) -> str:
    """A setting as text: thousands marked, whole floats without their point."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else json.dumps(value)
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def _filled(text: str, profiles: Mapping) -> str:
    """``{full:contextual.window}`` replaced by the setting."""
    return re.sub(r"\{(\w+):([\w.]+)\}", lambda hit: _shown(_at(profiles, hit[1], hit[2])), text)
