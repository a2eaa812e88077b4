"""How ``make verify`` compares a chapter's with the committed ones."""

import ast
import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from cdsm_lib import datasets
from cdsm_lib.__main__ import main
from cdsm_lib.chapters import localisation, relpron
from cdsm_lib.chapters import reproduce as verify
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import registry
from cdsm_lib.evaluation.results import Claim, Result, Results, ResultsError, commit, committed, made_with
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, load_profile

# -------------------------------------------------------------------------------------------------------- comparing


def ledger_of(*values: float, verdict: str = "holds") -> Results:
    place = ("Count", "relpron", "dev", "MAP")
    results = [Result(f"system {i}", *place, value, tolerance=0.01) for i, value in enumerate(values)]
    claims = [Claim("a-claim", "It is so.", None, verdict, [Test("stated", verdict, text="figures")])]
    return Results("relpron", "rimell2016", "full", made_with({}, "corpus", 1), results, claims)


@pytest.fixture
def recomputing(monkeypatch, tmp_path):
    """A checkout with the ledger (.4, .5), and a chapter that gives whatever `fresh` holds."""
    root = datasets.data_root()
    shutil.copy(root / "profiles.toml", tmp_path)
    registry()  # of the project, from here on
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)
    state = SimpleNamespace(fresh=ledger_of(0.4, 0.5), calls=[], place=tmp_path / "results" / "full" / "relpron.json")
    commit(ledger_of(0.4, 0.5))

    def chapter(profile, *, quick):
        state.calls.append((profile.name, quick))
        return state.fresh

    monkeypatch.setattr(verify, "CHAPTERS", {"relpron": chapter})
    monkeypatch.setattr(verify, "UNREPEATED", {})
    return state


MOVED = "system 1 | Count | relpron | dev | MAP: 0.512, committed as 0.5, beyond the tolerance of 0.01"


@pytest.mark.parametrize(
    ("fresh", "subset", "failed", "said"),
    [
        (ledger_of(0.409, 0.491), False, 0, "2 of 2 figures computed anew; 1 of 1 claims tested, 0 differences"),
        (ledger_of(0.409, 0.491), True, 0, "anew, 0 from stored item values, 0 not recomputed; 1 of 1 claims tested"),
        (ledger_of(0.409, 0.491), True, 0, ", 0 differences\n  2 agree by their tolerance alone, "),
        (ledger_of(0.4, 0.509), True, 0, "MAP: 0.509, committed as 0.5, within the tolerance of 0.01\n"),
        (ledger_of(0.4, 0.512), False, 1, f"1 of 1 claims tested, 1 differences\n  {MOVED}\n"),
        (ledger_of(0.4, 0.512), True, 1, f"1 of 1 claims tested, 1 differences\n  {MOVED}\n"),
        (ledger_of(0.4, 0.5, verdict="undecided"), False, 1, "claim a-claim: undecided, committed as holds"),
        (ledger_of(0.4), True, 1, "1 differences\n  system 1 | Count | relpron | dev | MAP: not recomputed"),
        (ledger_of(0.4), False, 1, "system 1 | Count | relpron | dev | MAP: committed as 0.5, not recomputed"),
        (ledger_of(0.4, 0.5, 0.6), True, 1, "0.6 is not committed"),
    ],
)
def test_what_differs_is_reported(recomputing, capsys, fresh, subset, failed, said):
    recomputing.fresh = fresh
    assert verify.main(subset=subset) == failed
    assert recomputing.calls == [("full", subset)]
    assert said in capsys.readouterr().out


def test_all_data_that_are_missing_are_named_before_anything_is_computed(recomputing, monkeypatch, capsys):
    shutil.copy(Path(verify.__file__).parents[2] / "data/registry.toml", recomputing.place.parents[2])
    made = made_with({"relpron": "0" * 64, "genia": "0" * 64}, "corpus", 1)
    commit(replace(ledger_of(0.4, 0.5), made_with=made))
    assert main(["verify"]) == 1 and recomputing.calls == []
    said = capsys.readouterr().err
    assert "genia/" in said and "relpron/" in said and "cannot be had" in said and "nothing was computed" in said


def test_only_rows_that_the_chapter_leaves_out_may_be_missing(recomputing, monkeypatch, capsys):
    """Whatever a row says of itself: one that no run makes is a difference, and so is one that is gone."""
    whole = ledger_of(0.4, 0.5)
    key = whole.results[1].key
    for left, n, trained, failed in (([key], 2, True, 0), ([], 2, True, 1), ([key], 2, None, 0), ([key], 1, None, 1)):
        monkeypatch.setattr(verify, "UNREPEATED", {"relpron": lambda profile, left=left: left})
        commit(replace(whole, results=[row.changed(trained=trained) for row in whole.results[:n]]))
        recomputing.fresh = replace(whole, results=[whole.results[0].changed(trained=trained)])
        assert verify.main(subset=True) == failed
    told = capsys.readouterr().out
    assert "0 of 2 figures computed anew, 1 from stored item values, 1 not recomputed" in told
    assert told.count("  system 1 | Count | relpron | dev | MAP: not recomputed\n") == 2
    monkeypatch.setattr(verify, "UNREPEATED", {})
    recomputing.fresh = replace(whole, results=[row.changed(trained=True) for row in whole.results])
    commit(recomputing.fresh)
    assert verify.main(subset=True) == 0
    assert "0 of 2 figures computed anew, 2 from stored item values, 0 not recomputed" in capsys.readouterr().out


def test_a_chapter_leaves_out_what_stands_in_its_figures(monkeypatch):
    """By its keys, which it knows without a training."""
    profile, ledgers = load_profile("full"), {name: committed(name).results for name in verify.UNREPEATED}
    sizes = sorted({row.tokens for row in ledgers["relpron"] if row.tokens})
    parts = {files: SimpleNamespace(n_tokens=n) for files, n in zip((*relpron.SIZES, 16), sizes, strict=True)}
    monkeypatch.setattr(relpron.models, "wikipedia", parts.get)
    left = {name: {*function(profile)} for name, function in verify.UNREPEATED.items()}
    assert left["relpron"] == {row.key for row in ledgers["relpron"] if row.tokens in sizes[1:-1]}
    there = {row.key for row in ledgers["localisation"] if row.space in ("training", localisation.SHORT)}
    assert left["localisation"] == there and len(there) == 16


def test_a_committed_claim_without_an_entry_is_told_by_a_subset():
    whole = ledger_of(0.4)
    assert verify.untouched(whole, replace(whole, claims=())) == ["claim a-claim: not recomputed"]


CHAPTERS = {path.stem: path.read_text("utf8") for path in Path(verify.__file__).parent.glob("*.py")}


@pytest.mark.parametrize("chapter", [name for name, code in CHAPTERS.items() if "\nTOLERANCE = " in code])
def test_every_tolerance_is_used_and_its_size_has_a_reason(chapter):
    table, reason = re.search(r'^TOLERANCE = (\{.*?\})\n"""(.*?)"""', CHAPTERS[chapter], re.S | re.M).groups()
    code = "".join(CHAPTERS.values()).replace(table, "")
    for name, size in ast.literal_eval(table).items():
        assert f'"{name}"' in code, name
        if 1e-8 < size < 1e3:  # the others are for what is exact, and for times, which bind nobody
            assert re.search(rf"(?<![\d.]){re.escape(f'{size:g}'.removeprefix('0'))}(?![\d])", reason), name


def test_figures_are_written_to_the_place_of_their_profile_and_never_from_a_subset(recomputing, capsys):
    recomputing.fresh = ledger_of(0.1, 0.2, 0.3)
    before = recomputing.place.read_bytes()
    assert verify.main(subset=True, write=True) == 1 and recomputing.place.read_bytes() == before
    assert verify.main(write=True) == 0 and "3 figures and 1 claims written" in capsys.readouterr().out
    recomputing.fresh = replace(ledger_of(0.7), profile="sample")
    assert verify.main(write=True, profile="sample") == 0
    values = [[row.value for row in committed("relpron", name).results] for name in ("full", "sample")]
    assert values == [[0.1, 0.2, 0.3], [0.7]]
    assert verify.main(profile="sample") == 0 and recomputing.calls[-1] == ("sample", False)


def test_one_chapter_is_trained_anew_and_what_it_stores_is_written_with_figures(recomputing, monkeypatch, own_cache):
    def chapter(profile, *, quick):
        recomputing.calls.append(quick)
        ledger.trained("values", [1], lambda seed: [0.5], {"of": profile.name}, quick)
        return ledger_of(0.4, 0.5)

    monkeypatch.setattr(verify, "CHAPTERS", {"relpron": chapter})
    monkeypatch.setattr(verify, "IN_TURN", ("relpron",))
    assert verify.main(subset=True) == 1  # nothing is stored
    assert verify.main(subset=True, retrain="auto") == 0 and not ledger.path("values").exists()
    assert verify.main(write=True) == 0 and ledger.path("values").is_file() and not ledger.WRITTEN
    assert verify.main(subset=True) == 0 and recomputing.calls == [True, False, False, True]
    with pytest.raises(ParameterError, match="RETRAIN='phrase_similarity'"):
        verify.main(subset=True, retrain="phrase_similarity")


@pytest.mark.parametrize(
    ("error", "told"),
    [(ResultsError("table.json", "", "no such table"), "failed, table.json: no such table\n"),
     (KeyError("dog"), "failed, Traceback")],
)  # fmt: skip
def test_a_chapter_that_fails_is_named_and_the_others_go_on(recomputing, monkeypatch, capsys, error, told):
    def chapter(profile, *, quick):
        raise error

    monkeypatch.setattr(verify, "CHAPTERS", {"phrase_similarity": chapter, **verify.CHAPTERS})
    commit(replace(ledger_of(0.3), chapter="phrase_similarity"))
    assert verify.main(subset=True) == 1
    shown = capsys.readouterr().out
    assert shown.startswith(f"phrase_similarity: {told}") and shown.endswith("claims tested, 0 differences\n")


def test_chapters_that_borrow_figures_wait_until_those_are_written(recomputing, monkeypatch):
    def borrower(profile, *, quick):
        values = (result.value for result in committed("relpron").results)
        return replace(ledger_of(*values), chapter="question_answering")

    monkeypatch.setattr(verify, "CHAPTERS", {"question_answering": borrower, **verify.CHAPTERS})
    recomputing.fresh = ledger_of(0.1, 0.2)
    assert verify.main(write=True) == 0
    assert [result.value for result in committed("question_answering").results] == [0.1, 0.2]


def test_several_chapters_are_a_command_each_the_longest_first_and_borrowers_last(recomputing, monkeypatch, capsys):
    commands = []

    def run(command, *, env, **_):
        commands.append((*command[3:], env[verify.VARIABLE]))
        return SimpleNamespace(stdout=f"{command[-1]}: told\n", returncode=int(command[-1] == "relpron"))

    names = ("phrase_similarity", "question_answering", "relpron")
    monkeypatch.setattr(verify, "CHAPTERS", dict.fromkeys(names))
    monkeypatch.setattr(verify.subprocess, "run", run)
    monkeypatch.setenv(verify.VARIABLE, "2")
    for name in names:
        commit(replace(recomputing.fresh, chapter=name))
    assert verify.main(subset=True, retrain="relpron", exact=True) == 1
    assert {command[:2] for command in commands} == {("verify", "--exact")}
    assert [command[2:] for command in commands if "--retrain" in command] == [("--retrain", "relpron", "relpron", "1")]
    assert sorted(capsys.readouterr().out.splitlines()) == [f"{name}: told" for name in names]
    commands.clear()
    assert verify.main(write=True) == 1
    assert commands[-1] == ("reproduce", "--profile=full", "--write", "question_answering", "1")
    assert {command[-2] for command in commands} == set(names)
    assert verify.main(chapters=["question_answering", "phrase_similarity"]) == 0
    for value in ("0", "two"):
        monkeypatch.setenv(verify.VARIABLE, value)
        with pytest.raises(ParameterError, match=f"CDSM_PROCESSES='{value}'.*whole number"):
            verify.main()
    with pytest.raises(ParameterError, match="Did you mean 'relpron'"):
        verify.main(chapters=["relpon"])


@pytest.mark.slow
@pytest.mark.parametrize("chapter", verify.CHAPTERS)
def test_every_row_and_claim_of_the_sample_is_recomputed_exactly(chapter):
    """As ``python -m cdsm_lib reproduce --profile sample`` does, but to the last digit."""
    before, fresh = committed(chapter, "sample"), verify.CHAPTERS[chapter](load_profile("sample"), quick=False)
    now, was = ({row.key: row.record() for row in of.results} for of in (fresh, before))
    assert now == was
    assert [claim.record() for claim in fresh.claims] == [claim.record() for claim in before.claims]
    now, was = (dict(of.made_with, versions={}) for of in (fresh, before))
    assert now == was


def test_the_command_line_tells_success_from_failure(recomputing):
    recomputing.fresh = ledger_of(0.409, 0.5)
    assert main(["verify"]) == 0 and main(["verify", "--exact"]) == 1
    recomputing.fresh = ledger_of(0.4, 0.5)
    assert main(["verify", "--exact"]) == 0 and recomputing.calls == [("full", True)] * 3
    recomputing.fresh = ledger_of(0.9, 0.5)
    assert main(["reproduce"]) == 1 and main(["reproduce", "--write"]) == 0 and main(["reproduce"]) == 0
