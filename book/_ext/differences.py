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

from book._ext.data_sheets import table
from cdsm_lib.evaluation.claims import NOTEBOOKS, PAPERS
from cdsm_lib.evaluation.departures import COLUMNS, FILE, KEY, DifferencesError, filled

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


def pages(root: Path, profile: str, executed: Sequence) -> dict[str, str]:
    """``generated/differences.md``."""
    ran = {item.source.stem: item.path for item in executed}
    listed = tomllib.loads((root / "data" / FILE).read_text("utf8"))
    profiles = tomllib.loads((root / "data" / "profiles.toml").read_text("utf8"))
    settings = {name: Settings(name, profiles[name]) for name in ("full", "sample")}
    lines, counted = [], []
    for paper, chapters in CHAPTERS.items():
        lines += [f"## {PAPERS[paper]}", "", f"The paper: {{cite:t}}`{paper}`.", ""]
        for chapter in chapters:
            name = NOTEBOOKS[chapter]
            notebook = nbformat.read(ran.get(name, root / "notebooks" / f"{name}.ipynb"), as_version=4)
            section, effects = _section(tables(notebook, name), listed[chapter], settings, chapter)
            lines += [f"### {_title(notebook)}", "", f"Chapter: {{doc}}`../notebooks/{name}`.", "", *section]
            kinds = [_kind(effect) for effect in effects]
            counted.append([_title(notebook), f"{len(kinds)}", *(f"{kinds.count(kind)}" for kind in KINDS)])
    summary = ["How many departures each chapter has, and how many of their effects were measured:", ""]
    summary += [*table(["chapter", "listed", *KINDS], counted), ""]
    return {"generated/differences.md": "\n".join([*summary, *lines]) + "\n"}


def _kind(effect: str) -> str:
    """Which of :data:`KINDS` an effect is."""
    for start, kind in (("yes", KINDS[0]), ("in part", KINDS[1]), ("no:", KINDS[2]), (UNMEASURED, KINDS[2])):
        if effect.startswith(start):
            return kind
    return KINDS[3]


def tables(notebook, name: str) -> list[dict]:
    """The columns and rows of each table of departures that a notebook's outputs carry.

    Raises
    ------
    DifferencesError
        Naming the notebook, if there is none.
    """
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    if carried := [output.metadata[KEY] for output in outputs if KEY in output.get("metadata", {})]:
        return carried
    raise DifferencesError(
        f"notebooks/{name}.ipynb: no output of cdsm_lib.evaluation.departures.table; execute it, or add one"
    )


def _title(notebook) -> str:
    """The notebook's first heading up to its colon."""
    return re.search(r"(?m)^# (.*?)\s*$", notebook.cells[0].source)[1].partition(":")[0]


def _section(carried: list[dict], listed: Mapping, settings: Mapping, chapter: str) -> tuple[list[str], list[str]]:
    """A chapter's lines (table with effects and the departures beside it, further tables, settings) and the effects."""
    unknown = set(listed) - {"columns", "rows", "more", "settings"}
    if unknown:
        raise DifferencesError(f"data/{FILE}: [{chapter}] has unknown {', '.join(sorted(unknown))}")
    first, *others = carried
    if [row[0] for row in first["rows"]] != [entry["what"] for entry in listed["rows"]]:
        raise DifferencesError(f"data/{FILE}: [{chapter}] has other rows than the notebook's output; execute it again")
    rows = []
    for row, entry in zip(first["rows"], listed["rows"], strict=True):
        usual = NO_DEPARTURE if row[-1] == AS_THERE else UNMEASURED
        rows.append([*map(_escaped, row), _linked(entry.get("effect", usual))])
    for entry in listed.get("more", []):
        cells = [_escaped(filled(entry[name], settings, chapter)) for name in COLUMNS]
        rows.append([*cells, _linked(entry.get("effect", UNMEASURED))])
    lines = [*table([*COLUMNS, "effect measured?"], rows), ""]
    for further in others:
        lines += [*table(further["columns"], [list(map(_escaped, row)) for row in further["rows"]]), ""]
    if "settings" in listed:
        body = [
            [_escaped(entry["what"]), _escaped(entry["theirs"])]
            + ["; ".join(format(settings[name], path) for path in entry["paths"]) for name in ("full", "sample")]
            for entry in listed["settings"]
        ]
        lines += ["Settings of the two profiles:", "", *table(["what", "theirs", "full", "sample"], body), ""]
    return lines, [row[-1] for row in rows]


def _escaped(text: str) -> str:
    """A cell's text as Markdown shows it unchanged; emphasis by asterisks stays, and `table` escapes bars."""
    return re.sub(r"([\\$<>_`\[\]])", r"\\\1", text)


def _linked(text: str) -> str:
    """``[words](30-relpron#section)`` as a link into the chapter."""
    return re.sub(r"\]\((\d\d-[a-z0-9-]+)(#[^)]*)?\)", r"](../notebooks/\1.ipynb\2)", text)


class Settings(dict):
    """A profile whose settings are formatted by their path: ``f"{full:contextual.window}"``."""

    def __init__(self, name: str, tables: Mapping):
        super().__init__(tables)
        self.name = name

    def __format__(self, path: str) -> str:
        """A setting as text: thousands marked, whole floats without their point."""
        try:
            value = reduce(lambda inside, key: inside[key], path.split("."), self)
        except (KeyError, TypeError):
            raise DifferencesError(f"data/{FILE}: data/profiles.toml has no setting {path} in [{self.name}]") from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value if isinstance(value, str) else json.dumps(value)
        return f"{int(value):,}" if value == int(value) else f"{value:g}"
