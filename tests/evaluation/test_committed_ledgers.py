"""What every committed ledger must be, of each chapter and profile; `Results.read` refuses what stands twice in one."""

import re

import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters.multiverse import left_open
from cdsm_lib.chapters.reproduce import CHAPTERS
from cdsm_lib.evaluation import claims
from cdsm_lib.evaluation.results import check_digests, committed
from cdsm_lib.settings import load_profile
from tests.evaluation.test_planted_claims import comparisons

LEDGERS = {(profile, chapter): committed(chapter, profile) for profile in ("full", "sample") for chapter in CHAPTERS}
TABLES = {path: path.read_text("utf8") for path in (datasets.data_root() / "published").glob("*.json")}
every = pytest.mark.parametrize("ledger", LEDGERS.values(), ids=map("-".join, LEDGERS))


def test_the_files_are_these_and_as_they_were_written():
    files = {tuple(path.with_suffix("").parts[-2:]) for path in (datasets.data_root() / "results").glob("*/*.json")}
    assert {file for file in files if file[0] != "multiverse"} == set(LEDGERS)
    assert {chapter for folder, chapter in files if folder == "multiverse"} <= left_open().keys()
    check_digests()


@every
def test_it_is_of_its_chapter_and_made_with_registered_data_and_a_seed(ledger):
    assert LEDGERS[ledger.profile, ledger.chapter] is ledger and ledger.paper == claims.PAPER[ledger.chapter]
    made, named = ledger.made_with, set(ledger.made_with["datasets"])
    assert made["seed"] == load_profile(ledger.profile)["seed"] and "numpy" in made["versions"]
    assert named <= datasets.load_registry().keys() and bool(named) == (ledger.profile == "full")
    pinned = named - {"wordnet"}  # of which two editions are accepted
    assert {name: made["datasets"][name] for name in pinned} == datasets.used(pinned)


@every
def test_a_published_figure_stands_in_a_table_of_the_paper(ledger):
    of_paper = [text for path, text in TABLES.items() if path.name.startswith(ledger.paper)]
    numbers = {round(float(number), 4) for text in of_paper for number in re.findall(r"-?\d*\.?\d+", text)}
    assert {row.key for row in ledger.results if row.published is not None and row.published not in numbers} == set()


@every
def test_a_figure_over_seeds_rests_on_a_training(ledger):
    assert all(row.trained for row in ledger.results if row.metric.endswith("of seeds"))


@every
def test_its_claims_are_those_of_the_registry_in_order_and_every_test_finds_its_scores(ledger):
    entries = claims.registry()[ledger.chapter]
    ids = [claim.id for claim in ledger.claims]
    assert ids == [id for id in entries if id in ids] and (ledger.profile == "sample" or ids == [*entries])
    for claim in ledger.claims:
        entry, tests = entries[claim.id], entries[claim.id]["tests"]
        assert (claim.text, claim.published) == (entry["text"], entry.get("published"))
        assert "where" not in entry or ledger.paper in claims.PAPERS
        if ledger.profile == "full" and all(test["test"] != "computed" for test in tests):
            assert len(claim.evidence) == sum(len(comparisons(test)) for test in tests), claim.id
            bounds = {bound for test in claim.evidence for bound in test.bounds}
            assert {test["margin"] for test in tests if "margin" in test} <= bounds, claim.id
