"""All figures of the RELPRON chapter, and how ``make verify`` compares a chapter's with the committed ones."""

import ast
import copy
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import relpron, relpron_kept, relpron_models
from cdsm_lib.chapters import reproduce as verify
from cdsm_lib.chapters.relpron import ANALYSED, CURVE, SIZES, figures
from cdsm_lib.chapters.relpron_models import FURTHER, METHODS, TEXT, WORDS_ONLY
from cdsm_lib.evaluation import ledger as store
from cdsm_lib.evaluation.results import (
    Claim,
    Result,
    Results,
    ResultsError,
    commit,
    committed,
    committed_path,
    learning_curve,
    made_with,
)
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, Profile, load_profile
from cdsm_lib.storage import StorageError, read_npz, write_npz

# ------------------------------------------------------------------------------------------------------- the figures


def check_complete(ledger: Results, spaces=("Count", "Count-SVD", "Skip-Gram", "PPMI-SVD")) -> None:
    """Every method on every space that has it, both splits; the views; the five steps beyond; the claims."""
    for split in ("dev", "test"):
        for system in METHODS:
            for space in spaces:
                found = ledger.find(metric="MAP", system=system, space=space, split=split)
                assert len(found) == (space != "Count" or system in WORDS_ONLY)
        for system in (*TEXT, *FURTHER):
            assert ledger.one(metric="MAP", system=system, space="Skip-Gram", split=split)
        assert len(ledger.find(space="Ensemble", split=split, metric="MAP")) == 5
    for metric in ("top-ten share", "MAP within head noun: mean", "MRR of properties", "mean rank of the term"):
        assert {(row.system, row.split) for row in ledger.find(metric=metric)} == {(s, "dev") for s in ANALYSED}
    of_buildings = any(row.head == "building" for row in ledger.results)  # the teaching set has none
    assert len(ledger.claims) == 15 + of_buildings
    of_items = [r for r in ledger.results if not r.metric.endswith("of seeds")]
    assert all(r.low <= r.value <= r.high for r in of_items)
    assert all(result.n for result in ledger.results)


@pytest.fixture
def small(tiny, monkeypatch, tmp_path):
    """The tiny tasks and counts in the place of the real ones; the second process is this one."""
    asked = []

    def gather(corpus, needed, profile, *, terms=(), spaces=("Count", "Count-SVD", "Skip-Gram")):
        asked.append((corpus.n_tokens, tuple(spaces)))
        chosen = tiny.counts
        if "Skip-Gram" not in spaces:
            chosen = replace(chosen, vectors=None, phrase_vectors={})
        counts = {name: counts for name, counts in chosen.counts.items() if name in spaces}
        return replace(chosen, counts=counts)

    def wikipedia(files=None):
        return SimpleNamespace(n_tokens=1000 * (files or 16))

    monkeypatch.setattr(relpron_models, "wikipedia", wikipedia)
    monkeypatch.setattr(relpron_models, "gather", gather)
    monkeypatch.setattr(relpron_models, "tasks_of", lambda profile: list(tiny.tasks))
    settings = copy.deepcopy(tiny.profile.settings)
    settings["spaces"]["skipgram"] = {"phrase_epochs": 20, "phrase_rate": 0.05}
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "path", store.latest)
    return Profile("full", settings | {"words": 15}), asked


@pytest.fixture
def full(small) -> Results:
    return figures(small[0])


def test_the_full_profile_gives_every_figure_and_the_learning_curve(full, small, tiny, tmp_path):
    check_complete(full)
    for system in CURVE:
        for split in ("dev", "test"):
            curve = learning_curve(full, system, "Skip-Gram", split=split)
            assert [tokens for tokens, _ in curve] == [1000 * size for size in (*SIZES, 16)]
            assert all(result.published is None and result.metric == "MAP" for _, result in curve)
            last = full.one(system=system, split=split, space="Skip-Gram", metric="MAP")
            assert curve[-1][1].value == last.value
    expected = [(16000, ("Count", "Count-SVD", "Skip-Gram"))]
    assert small[1] == expected + [(1000 * size, ("Skip-Gram",)) for size in SIZES]
    assert full.chapter == "relpron" and full.paper == "rimell2016" and full.profile == "full"
    assert full.made_with["corpus"] == tiny.counts.corpus and full.made_with["seed"] == 3
    assert full.made_with["datasets"] == datasets.used(["relpron", "wikipedia_parsed"])
    full.write(tmp_path / "relpron.json")
    assert len(Results.read(tmp_path / "relpron.json").results) == len(full.results)


def test_another_seed_is_trained_once_and_read_from_then_on(small, tiny):
    profile, asked = Profile("full", small[0].settings | {"seeds": {"relpron": 2}}), small[1]
    found = [relpron.of_other_seeds(profile, tiny.tasks, tiny.counts, subset=subset) for subset in (False, True)]
    assert asked == [(16000, ("Skip-Gram",))] and store.latest("relpron-4").is_file()
    own = profile["seed"]
    for again in found:
        assert list(again) == [own + 1] and {space for _, space, _ in again[own + 1]} == {"Skip-Gram"}
        assert again[own + 1].keys() == found[0][own + 1].keys()
        for name, ranking in again[own + 1].items():
            if name[0] not in relpron_models.LEXICAL:  # the tiny words' vectors are no halves
                assert ranking.scores.map == found[0][own + 1][name].scores.map
    rankings, _ = relpron.run(profile, tiny.tasks, tiny.counts)
    name = ("SPLF", "Skip-Gram", "dev")
    worse = replace(rankings[name], similarity=-rankings[name].similarity)
    ledger = relpron.results_of(rankings, [], "corpus", profile, others={own + 1: {name: worse}})
    maps = [rankings[name].scores.map, worse.scores.map]
    where = dict(zip(("system", "space", "split"), name, strict=True))
    assert ledger.one(metric="MAP, mean of seeds", **where).value == pytest.approx(np.mean(maps))
    assert ledger.one(metric="MAP, sd of seeds", **where).value == pytest.approx(np.std(maps, ddof=1))


def test_a_kept_file_of_other_settings_or_words_is_refused(full, small, tiny):
    kept = partial(relpron_kept.read, tiny.counts, tasks=tiny.tasks)
    assert len(kept(small[0]).composed) == 2 * (len(METHODS) - len(relpron_models.LEXICAL) + len(TEXT) + len(FURTHER))
    with pytest.raises(StorageError, match="other settings.*--write"):
        kept(small[0].replace({"relpron.verb_penalty": 9.0}))
    with pytest.raises(StorageError, match="other settings.*clauses"):
        kept(small[0].replace({"clauses.names": True}))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(StorageError, match="other settings.*systems"):
        patch.setattr(relpron_kept, "SYSTEMS", [*relpron_kept.SYSTEMS, "a new one"])
        kept(small[0])
    arrays, meta = read_npz(store.latest("relpron"), "relpron", 1, ["words"])
    write_npz(store.latest("relpron"), "relpron", 1, arrays | {"words": arrays["words"][1:]}, meta)
    with pytest.raises(StorageError, match="it has 14 words, not 15"):
        kept(small[0])


@pytest.mark.parametrize("profile", ["sample", "full"])
def test_the_committed_ledger_has_every_figure(profile):
    """What `figures` gives today, the ledger has; otherwise: python -m cdsm_lib reproduce --write --profile ..."""
    place = committed_path("relpron", profile)
    if not place.is_file():
        pytest.skip(f"{place.name} of the {profile} profile is not there yet")
    ledger = Results.read(place)
    check_complete(ledger)
    assert ledger.profile == profile and ledger.made_with["seed"] == load_profile(profile)["seed"]
    sizes = {len(learning_curve(ledger, system, "Skip-Gram", split="dev")) for system in CURVE}
    assert sizes == ({len(SIZES) + 1} if profile == "full" else {0})


# -------------------------------------------------------------------------------------------------------- comparing


def ledger_of(*values: float, verdict: str = "holds") -> Results:
    results = [
        Result(f"system {i}", "Count", "relpron", "dev", "MAP", value, tolerance=0.01) for i, value in enumerate(values)
    ]
    claims = [Claim("a-claim", "It is so.", None, verdict, [Test("stated", verdict, text="figures")])]
    return Results("relpron", "rimell2016", "full", made_with({}, "corpus", 1), results, claims)


@pytest.fixture
def recomputing(monkeypatch, tmp_path):
    """A checkout with the ledger (.4, .5), and a chapter that gives whatever `fresh` holds."""
    root = datasets.data_root()
    shutil.copy(root / "profiles.toml", tmp_path)
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)
    state = SimpleNamespace(fresh=ledger_of(0.4, 0.5), calls=[], place=tmp_path / "results" / "full" / "relpron.json")
    commit(ledger_of(0.4, 0.5))

    def chapter(profile, *, quick):
        state.calls.append((profile.name, quick))
        return state.fresh

    monkeypatch.setattr(verify, "CHAPTERS", {"relpron": chapter})
    return state


MOVED = "system 1 | Count | relpron | dev | MAP: 0.512, committed as 0.5, beyond the tolerance of 0.01"


@pytest.mark.parametrize(
    ("fresh", "subset", "failed", "said"),
    [
        (ledger_of(0.409, 0.491), False, 0, "2 of 2 figures computed anew; 1 of 1 claims tested, 0 differences"),
        (ledger_of(0.409, 0.491), True, 0, "anew, 0 from stored item values, 0 not recomputed; 1 of 1 claims tested"),
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


def test_only_rows_that_rest_on_a_training_may_be_left_out(recomputing, capsys):
    """A training that is stored gives rows again, one that is not leaves its own; any other row must be computed."""
    whole = ledger_of(0.4, 0.5)
    for trained, failed in ((True, 0), (None, 1)):
        commit(replace(whole, results=[whole.results[0], whole.results[1].changed(trained=trained)]))
        recomputing.fresh = replace(whole, results=[whole.results[0]])
        assert verify.main(subset=True) == failed
    told = capsys.readouterr().out
    assert "1 of 2 figures computed anew, 0 from stored item values, 1 not recomputed" in told
    assert "  system 1 | Count | relpron | dev | MAP: not recomputed\n" in told
    recomputing.fresh = replace(whole, results=[row.changed(trained=True) for row in whole.results])
    commit(recomputing.fresh)
    assert verify.main(subset=True) == 0
    assert "0 of 2 figures computed anew, 2 from stored item values, 0 not recomputed" in capsys.readouterr().out


def test_a_committed_claim_without_an_entry_is_told_by_a_subset():
    whole = ledger_of(0.4)
    assert verify.untouched(whole, replace(whole, claims=())) == ["claim a-claim: not recomputed"]


CHAPTERS = {path.stem: path.read_text("utf8") for path in Path(verify.__file__).parent.glob("*.py")}


@pytest.mark.parametrize("chapter", [name for name, code in CHAPTERS.items() if "\nTOLERANCE = " in code])
def test_every_tolerance_is_used_and_its_size_has_a_reason(chapter):
    table, reason = re.search(r'^TOLERANCE = (\{.*?\})\n"""(.*?)"""', CHAPTERS[chapter], re.S | re.M).groups()
    users = (code for code in CHAPTERS.values() if re.search(rf"chapters\.{chapter} import .*TOLERANCE", code))
    code = "".join((CHAPTERS[chapter].replace(table, ""), *users))
    for name, size in ast.literal_eval(table).items():
        assert f'"{name}"' in code, name
        if 1e-8 < size < 1e3:  # the others are for what is exact, and for times, which bind nobody
            assert re.search(rf"(?<![\d.]){re.escape(f'{size:g}'.removeprefix('0'))}(?![\d])", reason), name


def test_writing_puts_the_new_figures_in_place(recomputing, capsys):
    recomputing.fresh = ledger_of(0.1, 0.2, 0.3)
    assert verify.main(write=True) == 0
    assert [result.value for result in Results.read(recomputing.place).results] == [0.1, 0.2, 0.3]
    assert "3 figures and 1 claims written" in capsys.readouterr().out
    assert verify.main() == 0


def test_a_subset_is_never_written(recomputing):
    recomputing.fresh = ledger_of(0.1)
    before = recomputing.place.read_bytes()
    assert verify.main(subset=True, write=True) == 1
    assert recomputing.place.read_bytes() == before


def test_figures_of_another_profile_have_their_own_place(recomputing):
    recomputing.fresh = replace(ledger_of(0.7), profile="sample")
    assert verify.main(write=True, profile="sample") == 0
    assert Results.read(committed_path("relpron", "sample")).results[0].value == 0.7
    assert Results.read(recomputing.place).results[0].value == 0.4
    assert verify.main(profile="sample") == 0 and recomputing.calls[-1] == ("sample", False)


def test_without_committed_figures_nothing_is_recomputed(recomputing):
    recomputing.place.unlink()
    with pytest.raises(ResultsError, match="full/relpron.json: not as they were written.*reproduce --write"):
        verify.main()
    assert recomputing.calls == []
    assert verify.main(write=True) == 0 and recomputing.place.is_file()


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
    assert verify.main(subset=True) == 1 and {command[0] for command in commands} == {"verify"}
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
    from cdsm_lib.__main__ import main

    assert main(["verify"]) == 0 and recomputing.calls == [("full", True)]
    recomputing.fresh = ledger_of(0.9, 0.5)
    assert main(["verify"]) == 1 and main(["reproduce"]) == 1
    assert main(["reproduce", "--write"]) == 0 and main(["reproduce"]) == 0
    recomputing.place.unlink()
    assert main(["reproduce"]) == 1
