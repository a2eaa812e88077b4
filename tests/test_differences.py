"""The departures: every chapter's table and the page are made from one list, and what does not fit is named."""

import re
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from book._ext import differences
from cdsm_lib.evaluation import departures
from cdsm_lib.evaluation.claims import NOTEBOOKS, PAPERS
from cdsm_lib.evaluation.departures import COLUMNS, KEY
from cdsm_lib.settings import Profile

ROOT = Path(__file__).resolve().parents[1]
SPACE = {"window": 0, "rate": 0.025, "words": 30000, "power": 1.0, "free": True, "kind": "ppmi"}
PROFILES = {name: differences.Settings({"space": SPACE}) for name in ("full", "sample")}
LISTED = departures.read()
OURS = "{tokens:.1f} million{part}, {settings[senses.k]:,} senses, {names}"
ROW = {"what": "corpus", "theirs": "huge", "ours": OURS, "why": "small"}
CASES = {"names": {"setting": "names", "true": "names", "other": "no names"}}
LIST = {"relpron": {"columns": ["what", "paper", "ours", "why"], "rows": [ROW], "cases": CASES}}


@pytest.fixture(scope="module")
def page() -> str:
    return differences.pages(ROOT, "sample", [])["generated/differences.md"]


def carried(*rows, columns=COLUMNS) -> dict:
    return {"columns": list(columns), "rows": [list(row) for row in rows]}


@pytest.mark.parametrize(
    ("settings", "ours"),
    [
        ({"names": True, "corpus": {"files": 4}}, "43.5 million, 4/16 of it, 1,200 senses, names"),
        ({"corpus": {"files": 0}}, "43.5 million, 1,200 senses, no names"),
    ],
)
def test_the_table_of_a_chapter_is_its_list_with_the_values_of_its_run(settings, ours, monkeypatch):
    monkeypatch.setattr(departures, "read", lambda: LIST)
    run = Profile("full", {"senses": {"k": 1200}, **settings})
    table = departures.table("relpron", run, tokens=43.46)
    assert table.columns == ("what", "paper", "ours", "why")
    assert table.rows == (("corpus", "huge", ours, "small"),)


def test_every_chapter_contributes_every_row(page):
    headed = re.findall(r"(?m)^## (.+)\n\nThe paper: \{cite:t\}`(.+)`\.$", page)
    assert headed == [(title, paper) for paper, title in PAPERS.items()]
    assert set(LISTED) == set(NOTEBOOKS) - {"leaderboard", "reversible"}
    for chapter in LISTED:
        assert f"{{doc}}`../notebooks/{NOTEBOOKS[chapter]}`" in page
        stored = nbformat.read(ROOT / "notebooks" / f"{NOTEBOOKS[chapter]}.ipynb", as_version=4)
        first, *_ = tables = differences.tables(stored)
        assert [row[0] for row in first["rows"]] == [entry["what"] for entry in LISTED[chapter]["rows"]]
        for table in tables:
            for row in table["rows"]:
                cells = [differences._escaped(cell).replace("|", r"\|") for cell in row]
                assert "| " + " | ".join(cells) in page


@pytest.mark.parametrize("row", [row for entry in LISTED.values() for row in (*entry["rows"], *entry.get("more", ()))])
def test_a_departure_says_what_theirs_ours_and_why(row):
    assert all(row[name] for name in COLUMNS)


def test_the_run_of_this_build_is_read_if_there_is_one(tmp_path):
    run = tmp_path / "40-phrase-similarity.ipynb"
    entries = LISTED["phrase_similarity"]["rows"]
    rows = carried(*((entry["what"], "huge", "as small as today's", "why not") for entry in entries))
    output = new_output("display_data", {"text/plain": ""}, metadata={KEY: rows})
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A: b"), new_code_cell("table", outputs=[output])]), run)
    executed = [SimpleNamespace(source=ROOT / "notebooks" / run.name, path=run)]
    page = differences.pages(ROOT, "sample", executed)["generated/differences.md"]
    assert "| word2vec | huge | as small as today's | why not | yes, theirs against ours: [Results]" in page
    assert "../notebooks/40-phrase-similarity.ipynb#results" in page


def test_settings_are_written_alike():
    assert [f"{PROFILES['full']:{f'space.{name}'}}" for name in SPACE] == ["0", "0.025", "30,000", "1", "true", "ppmi"]
