"""Where the book departs from its papers: the chapters' own tables, joined with what was found beside them.

``generated/differences.md`` has a section for each paper and in it one for each chapter: the rows of
``data/published/differences.toml`` as the chapter's run filled them, which its output carries as data; further
departures and the settings of both profiles from the same file; and for every row whether its effect was measured.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from book._ext.templates import table
from cdsm_lib.evaluation.claims import NOTEBOOKS, PAPER, PAPERS
from cdsm_lib.evaluation.departures import COLUMNS, FILE, KEY, filled

UNMEASURED = "not measured"
KINDS = ("measured", "in part", UNMEASURED, "nothing to measure")
AS_THERE, NO_DEPARTURE = "as in the paper", "no departure"


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/differences.md``."""
    ran = {item.source.stem: item.path for item in executed}
    listed = tomllib.loads((root / "data" / FILE).read_text("utf8"))
    profiles = tomllib.loads((root / "data" / "profiles.toml").read_text("utf8"))
    settings = {name: Settings(profiles[name]) for name in ("full", "sample")}
    sections, counted = [], []
    for chapter in listed:
        paper = PAPER[chapter]
        name, heading = NOTEBOOKS[chapter], f"## {PAPERS[paper]}\n\nThe paper: {{cite:t}}`{paper}`."
        notebook = nbformat.read(ran.get(name, root / "notebooks" / f"{name}.ipynb"), as_version=4)
        title = re.search(r"(?m)^# (.*?)\s*$", notebook.cells[0].source)[1].partition(":")[0]
        section, effects = _section(tables(notebook), listed[chapter], settings, chapter)
        sections += [heading] * (heading not in sections)
        sections += [f"### {title}\n\nChapter: {{doc}}`../notebooks/{name}`.", *section]
        kinds = [_kind(effect) for effect in effects]
        counted.append([title, f"{len(kinds)}", *(f"{kinds.count(kind)}" for kind in KINDS)])
    summary = "How many departures each chapter has, and how many of their effects were measured:"
    text = "\n\n".join([summary, table(["chapter", "listed", *KINDS], counted), *sections])
    return {"generated/differences.md": f"{text}\n\n"}


def _kind(effect: str) -> str:
    """Which of :data:`KINDS` an effect is, by how its text in the list begins."""
    begins = {"yes": KINDS[0], "in part": KINDS[1], "no:": UNMEASURED, UNMEASURED: UNMEASURED}
    return next((kind for start, kind in begins.items() if effect.startswith(start)), KINDS[3])


def tables(notebook: NotebookNode) -> list[dict]:
    """The columns and rows of each table of departures that a notebook's outputs carry."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.metadata[KEY] for output in outputs if KEY in output.get("metadata", {})]


def _section(carried: list[dict], listed: Mapping, settings: Mapping, chapter: str) -> tuple[list[str], list[str]]:
    """A chapter's paragraphs (table with effects, further tables, settings) and the effects."""
    first, *others = carried
    departures = [*zip(first["rows"], listed["rows"], strict=True)]
    for entry in listed.get("more", []):
        departures.append(([filled(entry[name], settings, chapter) for name in COLUMNS], entry))
    rows = []
    for cells, entry in departures:
        usual = NO_DEPARTURE if cells[-1] == AS_THERE else UNMEASURED
        rows.append([*map(_escaped, cells), _linked(entry.get("effect", usual))])
    paragraphs = [table([*COLUMNS, "effect measured?"], rows)]
    paragraphs += [table(more["columns"], [[*map(_escaped, row)] for row in more["rows"]]) for more in others]
    if "settings" in listed:
        body = [
            [_escaped(entry["what"]), _escaped(entry["theirs"])]
            + ["; ".join(format(settings[name], path) for path in entry["paths"]) for name in ("full", "sample")]
            for entry in listed["settings"]
        ]
        paragraphs += ["Settings of the two profiles:", table(["what", "theirs", "full", "sample"], body)]
    return paragraphs, [row[-1] for row in rows]


def _escaped(text: str) -> str:
    """A cell's text as Markdown shows it unchanged; emphasis by asterisks stays, and `table` escapes bars."""
    return re.sub(r"([\\$<>_`\[\]])", r"\\\1", text)


def _linked(text: str) -> str:
    """``[words](30-relpron#section)`` as a link into the chapter."""
    return re.sub(r"\]\((\d\d-[a-z0-9-]+)(#[^)]*)?\)", r"](../notebooks/\1.ipynb\2)", text)


class Settings(dict):
    """A profile whose settings are formatted by their path: ``f"{full:contextual.window}"``."""

    def __format__(self, path: str) -> str:
        """A setting as text: thousands marked, whole floats without their point."""
        value = reduce(lambda inside, key: inside[key], path.split("."), self)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value if isinstance(value, str) else json.dumps(value)
        return f"{int(value):,}" if value == int(value) else f"{value:g}"
