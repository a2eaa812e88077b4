"""The sweep: its grid, what is kept of a run, and which verdicts change; and the committed ledgers of its runs."""

import pytest

from book._ext import execution, notebooks
from cdsm_lib import datasets
from cdsm_lib.chapters import (
    contextual_models,
    relpron_models,
    sense_vectors,
    sweep,
    training_counts,
)
from cdsm_lib.evaluation.results import Claim, Result, Results, ResultsError, committed
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, load_profile

GRID = """
[relpron]
notebook = "30-relpron"
profile = "full"
headline = {split = "test", metric = "MAP"}
settings = [
    {varied = "corpus", label = "1/16 of the corpus", parameters = {corpus = 1}},
    {varied = "window", label = "window 2", parameters = {window = 2}},
]
"""


def ledger(*verdicts: str, profile: str = "full", split: str = "test") -> Results:
    """Claims c0, c1, ... with these verdicts, and a figure of each split."""
    claims = [
        Claim.of(f"c{i}", f"Claim {i}.", None, [Test("stated", verdict, text="0.5")])
        for i, verdict in enumerate(verdicts)
    ]
    results = [Result("SPLF", "Skip-Gram", "relpron", part, "MAP", 0.5) for part in ("dev", split)]
    return Results("relpron", "rimell2016", profile, results=results, claims=claims)


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data folder with a grid of two settings and committed figures of three claims."""
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)
    (tmp_path / "sweep.toml").write_text(GRID, "utf8")
    ledger("holds", "fails", "undecided").write(tmp_path / "results" / "full" / "relpron.json")
    return tmp_path


def test_verdicts_are_compared_with_those_of_the_committed_figures(root):
    small, narrow = sweep.settings()
    assert sweep.ledger_of(small) is None and sweep.steps([small, narrow]) == []
    assert sweep.verdicts_of("relpron")[0] == ["full"]
    ledger("undecided", "fails", "holds").write(small.place)
    ledger("fails", "fails").write(narrow.place)  # the third claim could not be tested
    steps = [(setting, claim.id, before, step) for setting, claim, before, step in sweep.steps([small, narrow])]
    same, to_undecided, to_decided, reversed_ = sweep.STEPS
    assert steps == [
        (small, "c0", "holds", to_undecided), (small, "c1", "fails", same), (small, "c2", "undecided", to_decided),
        (narrow, "c0", "holds", reversed_), (narrow, "c1", "fails", same),
    ]  # fmt: skip
    assert sweep.verdicts_of("relpron") == (
        ["full", "1/16 of the corpus", "window 2"],
        {
            "Claim 0.": ["holds", "undecided", "fails"],
            "Claim 1.": ["fails"] * 3,
            "Claim 2.": ["undecided", "holds", None],
        },
    )
    small.place.write_text("{}")
    with pytest.raises(ResultsError, match=r"corpus-1\.json"):
        sweep.steps([small])


def test_running_keeps_claims_and_headline_resumes_and_goes_on_after_a_failure(root, capsys):
    asked = []

    def run(notebook, given, name):
        asked.append(name)
        if name.endswith("window-2"):
            assert (notebook, given["profile"], given["window"]) == ("30-relpron", "full", 2)
            raise notebooks.BuildError("a cell failed")
        ledger("holds", "fails", "holds").write(given["keep"])

    assert sweep.main(run) == sweep.main(run, only=["30-relpron"]) == 1
    assert asked == ["relpron/corpus-1", "relpron/window-2", "relpron/window-2"]
    shown = capsys.readouterr().out
    assert "1 of 2 settings are there, 1 to run" in shown and "error: a cell failed" in shown
    kept = sweep.ledger_of(sweep.settings()[0])
    assert [result.split for result in kept.results] == ["test"] and len(kept.claims) == 3
    assert sweep.main(run, force=True) == 1 and len(asked) == 5
    assert sweep.main(lambda notebook, given, name: ledger("holds").write(given["keep"])) == 0
    with pytest.raises(ParameterError, match="CHAPTER='relprn': choose one of 'relpron', '30-relpron'"):
        sweep.main(print, only=["relprn"])


@pytest.mark.slow
def test_a_chapter_is_run_with_another_setting(tmp_path, monkeypatch):
    """Chapter 50 on the teaching set, with few dimensions."""
    base = committed("lexical_substitution", "sample")
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)

    def run(notebook, parameters, name):
        return execution.run(notebooks.find(notebook), parameters, tmp_path / f"{name}.ipynb")

    headline, few = {"split": "all", "metric": "MAP"}, {"dimensions": 20}
    notebook = "50-lexical-substitution"
    setting = sweep.Setting("lexical_substitution", notebook, "dimensions", "few", few, "sample", headline)
    sweep.run_setting(setting, run)
    ledger = sweep.ledger_of(setting)
    assert {claim.id for claim in ledger.claims} == {claim.id for claim in base.claims}
    assert {row.key for row in ledger.results} == {row.key for row in base.find(**headline)}
    assert ledger.results != tuple(base.find(**headline))


class Enough(Exception):
    """Raised where a pipeline asks for its corpus."""


@pytest.mark.parametrize(
    ("holder", "call"),
    [
        (contextual_models, contextual_models.training_counts),
        (relpron_models, lambda profile: relpron_models.counts_of(profile, [])),
        (training_counts, sense_vectors.vectors),
    ],
)
@pytest.mark.parametrize(("replaced", "files"), [({"corpus.files": 4}, 4), ({}, 0)])
def test_the_share_of_the_corpus_reaches_the_pipelines(monkeypatch, holder, call, replaced, files):
    asked = []

    def wikipedia(files=None):
        asked.append(files)
        raise Enough

    monkeypatch.setattr(holder, "wikipedia", wikipedia)
    with pytest.raises(Enough):
        call(load_profile("full").replace(replaced))
    assert asked == [files]


# ------------------------------------------------------------------------------------------------- what is committed


def test_every_setting_names_a_notebook_and_parameters_that_are_there():
    for setting in sweep.settings():
        declared = notebooks.parameters(notebooks.read(notebooks.find(setting.notebook)))
        assert {*setting.parameters, "keep", "profile"} <= set(declared), setting
        assert setting.varied in setting.parameters, setting


def test_every_committed_ledger_is_of_a_setting_and_has_claims_of_its_base():
    places = {setting.place: setting for setting in sweep.settings()}
    ledgers = sorted((datasets.data_root() / "results" / "sweep").rglob("*.json"))
    assert ledgers and set(ledgers) <= set(places)
    for place in ledgers:
        run, base = Results.read(place), committed(places[place].chapter, places[place].profile)
        assert (run.chapter, run.profile) == (base.chapter, base.profile), place
        assert {claim.id for claim in run.claims} & {claim.id for claim in base.claims}, place  # rules change
        assert run.results and run.results == tuple(run.find(**places[place].headline)), place
        assert run.made_with["seed"] == base.made_with["seed"], place
        if "corpus" in places[place].parameters:  # a smaller corpus is another corpus
            assert run.made_with["corpus"] != base.made_with["corpus"], place
