"""The multiverse: shares computed by hand, what stands for what, what is computed anew; and the committed tables."""

from dataclasses import replace

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models, multiverse, relpron_models, sense_vectors, training_counts
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import registry
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, check_digests, committed, committed_path
from cdsm_lib.evaluation.verdicts import NORMAL_95, greater
from cdsm_lib.settings import ParameterError, Profile, load_profile

CHOICES = """
[relpron]
claims = ["better"]
part = "SPLF against FPLF"

[relpron.choices]
ratings = { where = "3", said = "No.", options = { each = { metric = "rho" }, mean = { metric = "rho of means" } } }

[relpron.choices.reading]
where = "section 5"
said = "Text and code differ."
among = { space = "Skip-Gram" }
options = { code = { system = "FPLF" }, text = { system = "FPLF (text)" }, ours = { system = "FPLF, ours" } }
one_seed = ["ours"]
"""
BASE = committed("phrase_similarity", "sample")
COMMITTED = {chapter: table for chapter in multiverse.left_open() if (table := committed(chapter, "multiverse"))}


def scores(system: str, value: float, space="Skip-Gram", metric="rho") -> Scores:
    return Scores(system, space, "relpron", "test", metric, np.array([value, value + 0.1, value + 0.2]))


def row(universe: str, seed: int, value: float, error: float, effect="A") -> Result:
    low, high = value - NORMAL_95 * error, value + NORMAL_95 * error
    return Result(effect, universe, "B", f"seed {seed}", "items", value, low, high)


def test_the_shares_are_those_computed_by_hand():
    """Means .2 and .6, of the seeds that both have: variance .04; within, .02 and .02; errors of .2. Effect C is .1 in
    all universes with the seed that all have, so no choice touches it."""
    rows = [row("u", 1, 0.1, 0.2), row("u", 2, 0.3, 0.2), row("v", 1, 0.5, 0.2), row("v", 2, 0.7, 0.2)]
    alone = [*(row(universe, 1, 0.1, 0.1, "C") for universe in "uvw"), row("v", 2, 0.7, 0.1, "C")]
    table = Results("relpron", "rimell2016", "full", results=[*rows, *alone])
    assert multiverse.variances(table.rows[:4]).round(9).tolist() == [0.04, 0.02, 0.04]
    assert multiverse.variances(table.rows[4:]).round(9).tolist() == [0.0, 0.18, 0.01]
    assert multiverse.variances(table.rows[:1]).round(9).tolist() == [0, 0, 0.04]
    shares = multiverse.shares(table.rows).round(9).to_dict("index")
    assert shares == {("A", "B", "items"): {"choice": 0.4, "seed": 0.2, "item": 0.4}}


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A data folder with two choices, and committed figures."""
    monkeypatch.setattr(datasets, "data_root", lambda: tmp_path)
    (tmp_path / "multiverse.toml").write_text(CHOICES, "utf8")
    multiverse.commit(Results("relpron", "rimell2016", "full"))
    return tmp_path


def test_the_option_stands_for_the_chapters_own_and_the_others_are_left_out(root):
    ratings, reading = multiverse.left_open()["relpron"]["choices"].values()
    three = [scores("FPLF", 0.1), scores("FPLF (text)", 0.2), scores("SPLF", 0.3)]
    others = [scores("FPLF", 0.5, space="Count"), scores("SPLF", 0.6, metric="rho of means")]
    standing = multiverse.standing([*three, *others], [(ratings, "each"), (reading, "text")])
    values = [(score.system, score.space, round(score.value, 9)) for score in standing]
    assert values == [("SPLF", "Skip-Gram", 0.4), ("FPLF", "Count", 0.6), ("FPLF", "Skip-Gram", 0.3)]
    both = {**ratings, "of": ({"metric": "rho"}, {"metric": "mean rank"})}
    assert [s.metric for s in multiverse.standing(others[1:], [(both, "mean")])] == ["rho", "mean rank"]


def test_each_universe_is_computed_once_with_the_seeds_that_are_stored(root, monkeypatch, capsys):
    tested = []

    def claims(standing):
        tested.append(standing)
        ours, other = (next(s for s in standing if (s.system, s.metric) == (name, "rho")) for name in ("SPLF", "FPLF"))
        tests = [greater(ours.values, other.values, ("SPLF", name), n=99) for name in ("FPLF", "another part")]
        return [Claim.of(id, "A claim.", None, tests) for id in ("better", "not followed")]

    def run(profile, quick):
        systems = {"SPLF": 0.4, "FPLF": 0.1, "FPLF (text)": 0.2, "FPLF, ours": 0.3}
        first = [scores(*pair, metric=metric) for pair in systems.items() for metric in ("rho", "rho of means")]
        about = {"claims": claims, "corpus": None, "options": lambda: [first.pop(), scores("FPLF", 9.9), first.pop()]}
        return ledger.run("relpron", profile, first[:-2], {4: [scores("FPLF", 0.15)]}, **about)

    monkeypatch.setattr(multiverse, "load_profile", lambda name: Profile(name, {"seed": 3}))
    monkeypatch.setitem(multiverse.CHAPTERS, "relpron", run)
    assert multiverse.main() == 0
    whole = committed("relpron", "multiverse")
    rows = [(row.space, row.split, row.system, row.value, row.verdict) for row in whole.results]
    assert rows[:4] == [
        ("each; code", "seed 3", "better", 0.3, "undecided"), ("each; code", "seed 4", "better", 0.25, "undecided"),
        ("each; text", "seed 3", "better", 0.2, "undecided"), ("each; text", "seed 4", "better", 0.2, "undecided"),
    ]  # fmt: skip
    assert [row[:2] for row in rows[-2:]] == [("mean; text", "seed 4"), ("mean; ours", "seed 3")] and len(rows) == 10
    assert "0 universes are there, 6 to compute" in capsys.readouterr().out
    check_digests()

    multiverse.commit(replace(whole, results=whole.results[:-1]), committed_path("relpron", "multiverse"))
    tested.clear()
    assert multiverse.main(["relpron"]) == multiverse.main() == 0 and committed("relpron", "multiverse") == whole
    assert len(tested) == 3  # with both seeds of the run itself
    assert "5 universes are there, 1 to compute" in capsys.readouterr().out
    with pytest.raises(ParameterError, match="CHAPTER='relprn': choose"):
        multiverse.main(["relprn"])
    (root / "multiverse.toml").write_text(CHOICES.replace("among", "amnog"), "utf8")
    with pytest.raises(datasets.DataError, match=r"multiverse\.toml, line \d+.*amnog"):
        multiverse.left_open()


@pytest.mark.slow
def test_a_chapter_of_the_sample_profile_has_the_scores_of_every_option(monkeypatch):
    tables = {}
    monkeypatch.setattr(multiverse, "committed", lambda chapter, profile: profile == "sample" and BASE)
    monkeypatch.setattr(multiverse, "commit", lambda table, path: tables.update({path.parent.name: table}))
    about = multiverse.left_open()["phrase_similarity"]
    multiverse.compute("phrase_similarity", load_profile("sample"), **about)
    rows = tables["multiverse"].rows
    assert set(rows.space) == {*multiverse.universes(about["choices"])} and len(rows) == 24


class Enough(Exception):
    """Raised where a pipeline asks for its corpus."""


@pytest.mark.parametrize(("holder", "call"), [
    (contextual_models, contextual_models.training_counts),
    (relpron_models, lambda profile: relpron_models.counts_of(profile, [])),
    (training_counts, sense_vectors.vectors),
])  # fmt: skip
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


def test_choices_are_about_claims_of_their_chapter():
    for chapter, about in multiverse.left_open().items():
        assert set(about["claims"]) <= registry()[chapter].keys(), chapter
        for name, choice in about["choices"].items():
            assert set(choice.get("one_seed", ())) < choice["options"].keys(), name


@pytest.mark.parametrize("chapter", COMMITTED)
def test_a_table_has_every_universe_and_in_the_first_what_the_chapter_has(chapter):
    table, base, about = COMMITTED[chapter], committed(chapter), multiverse.left_open()[chapter]
    first, *others = multiverse.universes(about["choices"])
    assert {row.space for row in table.results} == {first, *others}
    assert {row.system for row in table.results} <= {*about["claims"]}
    effects = {(c.id, " against ".join(t.names), t.unit): t.value for c in base.claims for t in c.evidence}
    own = table.find(space=first, split=f"seed {base.made_with['seed']}")
    values = {row.key[::2]: row.value for row in own}
    same = {effect: values[effect] for effect in values.keys() & effects.keys()}
    assert same and (same == {effect: effects[effect] for effect in same} or chapter == "relation_classification")
