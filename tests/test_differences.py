"""The page of differences: every chapter contributes its table, and what does not fit is an error that names it."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from cdsm_lib.evaluation.claims import NOTEBOOKS, PAPERS
from cdsm_lib.evaluation.results import Table
from cdsm_lib.site import differences

ROOT = Path(__file__).resolve().parents[1]
PROFILES = {"full": {"space": {"window": 0, "rate": 0.025, "words": 30000, "power": 1.0, "free": True, "kind": "ppmi"}}}


def chapter(*, heading: str = differences.HEADING, rows=(("corpus", "huge", "small", "a | b"),)):
    """A notebook whose last section is its table of differences."""
    table = Table.of(("what", "theirs", "ours", "why"), rows)
    shown = new_output("display_data", {"text/markdown": table._repr_markdown_(), "text/plain": str(table)})
    return new_notebook(
        cells=[
            new_markdown_cell("# A chapter: about nothing\n\n## Results"),
            new_code_cell("results", outputs=[new_output("display_data", {"text/markdown": "| no |\n| --- |\n| 1 |"})]),
            new_markdown_cell(f"````{{solution-end}}\n````\n\n## Take-away\n\n### {heading}"),
            new_code_cell("table", outputs=[shown]),
            new_markdown_cell("**To go further**: nowhere"),
        ]
    )


def test_every_chapter_contributes_every_row():
    page = differences.pages(ROOT, "sample", [])["generated/differences.md"]
    for paper, chapters in differences.CHAPTERS.items():
        assert f"## {PAPERS[paper]}" in page and f"{{cite:t}}`{paper}`" in page
        for name in (NOTEBOOKS[chapter] for chapter in chapters):
            assert f"{{doc}}`../notebooks/{name}`" in page
            stored = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
            for table in differences.tables(stored, name):
                for row in table[1:]:
                    assert "| " + " | ".join(differences._escaped(cell) for cell in row) in page
    assert set(sum(differences.CHAPTERS.values(), ())) == set(NOTEBOOKS) - {"leaderboard"}


def test_all_lines_of_a_table_have_as_many_cells():
    page = differences.pages(ROOT, "sample", [])["generated/differences.md"]
    blocks = [block.splitlines() for block in page.split("\n\n") if block.startswith("|")]
    assert len(blocks) >= 2 * len(NOTEBOOKS) - 3
    for block in blocks:
        assert len({line.replace("\\|", "").count("|") for line in block}) == 1


def test_no_effect_belongs_to_a_row_that_is_gone():
    assert differences.stale(ROOT) == []


def test_a_table_is_read_from_the_outputs_below_its_heading():
    assert differences.tables(chapter(), "x") == [
        [["what", "theirs", "ours", "why"], ["corpus", "huge", "small", "a | b"]]
    ]


@pytest.mark.parametrize(
    "broken",
    [chapter(heading="Something else"), new_notebook(cells=[new_markdown_cell(f"# A\n\n## {differences.HEADING}")])],
    ids=["no heading", "no table"],
)
def test_a_chapter_without_its_table_is_an_error_that_names_the_notebook(broken):
    with pytest.raises(
        differences.DifferencesError, match=r"notebooks/30-relpron.ipynb: no table below a heading 'Where"
    ):
        differences.tables(broken, "30-relpron")


def test_the_run_of_this_build_is_read_if_there_is_one(tmp_path):
    run = tmp_path / "30-relpron.ipynb"
    nbformat.write(chapter(rows=[("corpus of the vectors", "huge", "as small as today's", "why not")]), run)
    executed = [SimpleNamespace(source=ROOT / "notebooks" / run.name, path=run)]
    page = differences.pages(ROOT, "sample", executed)["generated/differences.md"]
    assert "| huge | as small as today's | why not | in part, downwards: [Data or code?]" in page
    assert "../notebooks/30-relpron.ipynb#data-or-code" in page


def test_rows_take_effects_and_departures_of_no_table():
    notes = {
        "effects": {"corpus": "yes: [here](30-relpron#data-or-code)"},
        "more": [{"what": "power", "theirs": "not said", "ours": "{full:space.power}", "why": "<b>"}],
        "settings": [{"what": "words; window", "theirs": "2; 3", "paths": ["space.words", "space.window"]}],
    }
    found = [
        [["what", "theirs", "ours", "why"], ["corpus", "a|b", "x_y", "as is"], ["rank", "1", "1", "as in the paper"]]
    ]
    lines, effects = differences._section(found, notes, PROFILES | {"sample": PROFILES["full"]}, "relpron")
    assert lines[2:5] == [
        r"| corpus | a\|b | x\_y | as is | yes: [here](../notebooks/30-relpron.ipynb#data-or-code) |",
        "| rank | 1 | 1 | as in the paper | no departure |",
        r"| power | not said | 1 | \<b\> | not measured |",
    ]
    assert [differences._kind(effect) for effect in effects] == ["measured", "nothing to measure", "not measured"]
    assert [differences._kind(e) for e in ("in part, so", "no: it cannot be had")] == ["in part", "not measured"]
    assert lines[-2] == "| words; window | 2; 3 | 30,000; 0 | 30,000; 0 |"


def test_settings_are_written_alike_and_unknown_ones_refused():
    shown = [differences._filled(f"{{full:space.{name}}}", PROFILES) for name in PROFILES["full"]["space"]]
    assert shown == ["0", "0.025", "30,000", "1", "true", "ppmi"]
    with pytest.raises(differences.DifferencesError, match=r"no setting space.depth in \[full\]"):
        differences._filled("{full:space.depth}", PROFILES)
    with pytest.raises(differences.DifferencesError, match=r"\[relpron\] has unknown effect"):
        differences._section([[["what"]]], {"effect": {}}, PROFILES, "relpron")


def test_the_page_is_for_the_chapters_of_this_checkout(tmp_path):
    for name in ("book", "data"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / differences.FILE, tmp_path / differences.FILE)
    shutil.copy(ROOT / "data" / "profiles.toml", tmp_path / "data" / "profiles.toml")
    with pytest.raises(FileNotFoundError, match="10-relation-classification"):
        differences.pages(tmp_path, "sample", [])
