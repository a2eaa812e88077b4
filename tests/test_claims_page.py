"""The claims page has every claim, links to the row that computed it, and says why a claim does not hold."""

import re
from functools import cache
from pathlib import Path

import pytest

from book._ext import notebooks
from cdsm_lib.evaluation import claims

ROOT = Path(__file__).resolve().parents[1]
FULL, SAMPLE = claims.all_results(), claims.all_results("sample")
ENTRIES = claims.entries(FULL, SAMPLE)
NAMES = [f"{entry.results.chapter}-{entry.claim.id}" for entry in ENTRIES]


@cache
def notebook(name: str):
    return notebooks.read(ROOT / "notebooks" / f"{name}.ipynb")


@cache
def stored(name: str, kind: str = "text/html") -> str:
    """All of a notebook's stored outputs of a kind."""
    outputs = [output for cell in notebooks.code_cells(notebook(name)) for output in cell.outputs]
    return "\n".join("".join(output.get("data", {}).get(kind, "")) for output in outputs)


@pytest.mark.parametrize("entry", ENTRIES, ids=NAMES)
def test_every_link_has_a_place_to_land(entry):
    """Refresh the chapter if this fails: its claims were stored before they had anchors."""
    page, _, anchor = entry.line.address.partition(".html#")
    assert stored(page).count(f'<details class="claim" id="{anchor}"') == 1


def test_no_claim_is_listed_that_no_ledger_has():
    listed = re.findall(r'<details class="claim" id="all-(claim-[^"]+)"', stored("91-claims"))
    assert sorted(listed) == sorted(entry.anchor for entry in ENTRIES)


CAUSES = {
    (chapter, id): entry["cause"]
    for chapter, entries in claims.registry().items() for id, entry in entries.items() if "cause" in entry
}  # fmt: skip


def test_every_claim_of_a_chapter_that_does_not_hold_has_a_cause_and_no_other():
    """A verdict that changes needs another sentence, or none."""
    open_ones = {
        (entry.results.chapter, entry.claim.id)
        for entry in ENTRIES
        if entry.results.paper in claims.PAPERS and entry.claim.verdict != "holds"
    }
    assert set(CAUSES) == open_ones


def test_no_figure_is_typed_into_a_cause():
    for cause in CAUSES.values():
        assert not re.search(r"\d", re.sub(r"word2vecs?|dep2vec|context2vec", "", cause)), cause
