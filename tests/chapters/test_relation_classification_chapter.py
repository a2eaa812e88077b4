"""The chapter on relation classification: runs on planted similarities and random clauses, claims, all figures."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models, stored
from cdsm_lib.chapters import relation_classification as chapter
from cdsm_lib.chapters.contextual_models import MAIN, MIXED, OVERLAP, PURE, Trained
from cdsm_lib.chapters.relation_classification import Prepared, Run
from cdsm_lib.composition.contextual import Simple
from cdsm_lib.evaluation.results import Result, Results, compare
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import invariance
from cdsm_lib.tasks.invariance import Quadruple
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.vectors.space import Space

CLAIMS = ["dl-add-best", "overlap-strong", "ml-mult-beats-add", "dl-mult-no-better", "syntax-falls-behind"]


@pytest.fixture(scope="module")
def profile(clauses):
    sets = {"dataset": "relation_banko2008", "further": ["google_re"]}
    settings = {"seed": 3, "contextual": clauses.settings | {"seeds": 3}, "relation_classification": sets}
    return Profile("full", settings)


@pytest.fixture(scope="module")
def tiny(clauses):
    """Two pairs of which each has two kinds of sentences, some a trap, and one pair that cannot be scored."""

    def pair_of(relation, first, second, verb, others, n):
        marked = {2: "Entity=1", 5: "Entity=2"}
        with_adjective, turned = {2: "Entity=1", 6: "Entity=2"}, {7: "Entity=1", 2: "Entity=2"}
        found = [(clauses.active(first, verb, second, misc=marked), True, "plain")]
        found += [(clauses.active(first, verb, second, a, misc=with_adjective), True, "plain") for a in ("a0", "a1")]
        found += [(clauses.passive(first, verb, second, misc=turned), True, "voice")]
        found += [(clauses.active(first, other, second, misc=marked), False, "plain") for other in others]
        found += [(clauses.active(second, verb, first, misc={2: "Entity=2", 5: "Entity=1"}), False, "trap")]
        sentences, expresses, kinds = zip(*(found[:1] + found[4:] if n == 1 else found), strict=True)
        name = f"{first}/{second}"
        ids = tuple(f"{name}.{i}" for i in range(len(sentences)))
        return EntityPair(relation, name, sentences, ids, np.array(expresses), kinds)

    return Relations("relation_banko2008", (
        pair_of("acquires", "n0", "n1", "v1", ["v0", "v2", "v3"], 4),
        pair_of("was born in", "n2", "n3", "v2", ["v0", "v1"], 4),
        pair_of("acquires", "n4", "n5", "v1", ["v0"], 1),
    ))  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tiny, clauses):
    return Prepared(tiny, clauses.general, clauses.trained)


def pair_of(expresses: str, name="A/B", relation="acquires", **options) -> EntityPair:
    """A pair by its labels, such as "1100", with sentences that nobody looks at."""
    n = len(expresses)
    return EntityPair(relation, name, (None,) * n, tuple(map(str, range(n))), [c == "1" for c in expresses], **options)


def run_of(system: str, relations: Relations, similarity, space: str = MAIN) -> Run:
    """The same similarity for every pair."""
    return Run(system, space, relations, {pair.name: np.asarray(similarity, float) for pair in relations.usable})


def planted(pair: EntityPair, kind: str) -> np.ndarray:
    """1 for two sentences of the relation and 0 for all others; the opposite; or always the same."""
    both = np.outer(pair.expresses, pair.expresses).astype(float)
    return {"perfect": both, "chance": np.zeros_like(both), "worst": 1 - both}[kind]


def runs_with(relations: Relations, space: str = MAIN, **kinds: str) -> list[Run]:
    """Overlap and all pure systems, at chance unless said otherwise."""
    by_name = {name.replace(" ", "_").replace("&", ""): name for name in (OVERLAP, *PURE)}
    chosen = dict.fromkeys(by_name.values(), "chance") | {by_name[key]: kind for key, kind in kinds.items()}
    return [
        Run(system, space, relations, {pair.name: planted(pair, kind) for pair in relations.usable})
        for system, kind in chosen.items()
    ]


@pytest.fixture
def two() -> Relations:
    """Two scored pairs and one of which only a single sentence expresses the relation."""
    pairs = (pair_of("111100"), pair_of("11000", "C/D", "was born in"), pair_of("100", "E/F"))
    return Relations("two", pairs)


# -------------------------------------------------------------------------------------------------------------- runs

BY_HAND = [
    [0, 0.9, 0.5, 0.5],
    [0.9, 0, 0.1, 0.3],
    [0.5, 0.1, 0, 0.2],
    [0.5, 0.3, 0.2, 0],
]
"""H is .9, .5 and .1, L is .5, .3 and .2: of nine comparisons five are won, and one is a tie."""


def test_a_run_by_hand():
    relations = Relations("one", (pair_of("1110"),))
    run = run_of("M&L add", relations, BY_HAND)
    assert run.scores.average == pytest.approx(5.5 / 9)
    drawn = run.resampled(0)
    assert drawn.shape == (1, chapter.RESAMPLES) and 0 <= drawn.min() < drawn.max() <= 1


def test_runs_are_the_similarities_of_each_usable_pair(prepared, tiny):
    runs = chapter.runs_of(prepared, prepared.trained.models)
    assert [run.system for run in runs] == [OVERLAP, *PURE, *MIXED]
    assert {run.space for run in runs} == {MAIN} and runs[0].relations is tiny
    text = [contextual_models.parsed(s, prepared.trained.vocabulary) for s in tiny.pairs[1].sentences]
    expected = contextual_models.similarities(prepared.trained.models, text)
    for run in runs:
        assert list(run.similarity) == ["n0/n1", "n2/n3"]
        np.testing.assert_array_equal(run.similarity["n2/n3"], expected[run.system])


def test_overlap_on_clauses_by_hand(prepared, tiny):
    """Two sentences with the same nouns and verb share 6 lemmas, with another verb 4; adjectives are not shared."""
    (run,) = [run for run in chapter.runs_of(prepared, {}) if run.system == OVERLAP]
    assert run.similarity["n0/n1"][0].tolist() == [6, 6, 6, 6, 4, 4, 4, 6]
    assert run.scores.per_pair["n0/n1"].auc == pytest.approx(0.75 + 0.25 / 2)  # of four others the trap ties


# ---------------------------------------------------------------------------------------------------------- variants


def test_runs_without_traps(prepared, tiny):
    runs = chapter.untrapped_runs(prepared)
    assert [run.system for run in runs] == [OVERLAP, *PURE]
    assert {run.relations.name for run in runs} == {"relation_banko2008, without traps"}
    assert runs[0].scores.per_pair["n0/n1"].auc == 1  # without the one that tied
    whole = {run.system: run for run in chapter.runs_of(prepared, prepared.trained.models)}
    for run in runs:
        np.testing.assert_allclose(run.similarity["n0/n1"], whole[run.system].similarity["n0/n1"][:7, :7], atol=1e-12)
    plain = Relations("x", tuple(replace(pair, variation=()) for pair in tiny))
    assert chapter.untrapped_runs(replace(prepared, relations=plain)) == []


def test_passives_as_actives(prepared, profile, clauses):
    """Turning the triples that were counted is counting them anew with the voice resolved."""
    turned = chapter.voice_resolved(prepared, profile)
    settings = clauses.settings | {"resolve_voice": True}
    counted = contextual_models.gather(clauses.corpus, settings, windows=clauses.general.windows)
    models = contextual_models.structured(counted, settings, prepared.trained.models["M&L"].space)
    again = Trained(prepared.trained.words, models, True)
    runs, expected = (
        chapter.runs_of(replace(prepared, trained=trained), trained.models, chapter.VOICE)
        for trained in (turned, again)
    )
    main = {run.system: run for run in chapter.runs_of(prepared, prepared.trained.models)}
    assert turned.resolve_voice and {run.system.split()[0] for run in runs[1:]} == {"E&P", "TFP"}
    for run, other in zip(runs, expected, strict=True):
        np.testing.assert_allclose(run.similarity["n0/n1"], other.similarity["n0/n1"], atol=1e-9)
        if run.system == "E&P add":
            assert run.similarity["n0/n1"][0, 3] == pytest.approx(1)  # active and passive of the same words
            assert main[run.system].similarity["n0/n1"][0, 3] < 0.9999


def test_seeds_by_mean_and_deviation(prepared, profile, in_place):
    averages = chapter.averages(chapter.runs_of(prepared, prepared.trained.models), 3)
    by_seed = chapter.seed_scores(prepared, averages, profile, subset=False)
    values = [scores[0].value for scores in by_seed.values()]  # of D&L add
    rows = {(r.system, r.metric): r for r in contextual_models.seed_rows(by_seed)}
    assert list(by_seed) == [3, 4, 5] and len(set(values)) > 1
    assert {score.system for score in by_seed[3]} == {"D&L add", "D&L mult"}
    mean, deviation = (rows["D&L add", f"AUC, {what} of seeds"] for what in ("mean", "sd"))
    assert mean.value == pytest.approx(sum(values) / 3)
    assert deviation.value == pytest.approx((sum((value - mean.value) ** 2 for value in values) / 2) ** 0.5)
    stored = chapter.seed_scores(prepared, averages, profile, subset=True)
    for seed, scores in by_seed.items():
        for fresh, read in zip(scores, stored[seed], strict=True):
            assert read.value == pytest.approx(fresh.value, abs=1e-7)
            np.testing.assert_allclose(read.resamples, fresh.resamples, atol=1e-7)


def test_claims_are_tested_with_every_seed(prepared):
    averages = chapter.averages(chapter.runs_of(prepared, prepared.trained.models), 3)

    def latent(add):  # always 0 by multiplication, always this by addition
        values = {"D&L add": add, "D&L mult": 0.0}
        return [
            replace(score, statistic=values[score.system], resamples=np.full(chapter.RESAMPLES, values[score.system]))
            for score in averages if score.system in values
        ]  # fmt: skip

    best, worst = ({c.id: c.verdict for c in chapter.claims(averages, {3: latent(add)})} for add in (2.0, -1.0))
    both = {c.id: c for c in chapter.claims(averages, {3: latent(2.0), 4: latent(-1.0)})}
    assert best["dl-add-best"] == best["dl-mult-no-better"] == "holds"
    assert worst["dl-add-best"] == worst["dl-mult-no-better"] == "fails"
    assert both["dl-mult-no-better"].verdict == "undecided"
    names = tuple(f"D&L {how} (all sentences) (seed 3)" for how in ("add", "mult"))
    assert both["dl-mult-no-better"].evidence[0].names == names
    assert both["ml-mult-beats-add"] == chapter.claims(averages)[2]


def test_every_pair_of_every_set_counts_the_same(two):
    """One set of two pairs with AUC 1 and 0, one of a single place with .25: (1 + 0 + .25) / 3, resamples alike."""
    values = {"A/B": planted(two.pairs[0], "perfect"), "C/D": planted(two.pairs[1], "worst")}
    (web,) = chapter.averages([Run("M&L add", MAIN, two, values)], 5)
    place = {"statistic": 0.25, "resamples": np.full(chapter.RESAMPLES, 0.25), "n": 1}
    (found,) = chapter.together([web, replace(web, dataset="lives", **place)])
    assert (found.system, found.dataset, found.split, found.n) == ("M&L add", "two + lives", chapter.ALL, 3)
    assert found.value == pytest.approx(1.25 / 3)
    np.testing.assert_allclose(found.resamples, (2 * web.resamples + 0.25) / 3)


def test_a_claim_is_tested_on_both_sets_and_on_each_alone(two):
    """D&L leads the web sentences, and is last on births and deaths."""
    sets = [replace(two, name=name) for name in ("relation_banko2008", "google_re")]
    averages = [
        score for relations, kind in zip(sets, ("perfect", "worst"), strict=True)
        for score in chapter.averages(runs_with(relations, DL_add=kind), 4)
    ]  # fmt: skip
    best = chapter.claims(averages)[0]
    parts = [(test.names[0], test.verdict) for test in best.evidence[::8]]
    assert parts == [
        ("D&L add (all sentences)", "fails"), ("D&L add (web sentences)", "holds"),
        ("D&L add (births and deaths)", "fails"),
    ]  # fmt: skip
    assert best.verdict == "fails" and all(test.published for test in best.evidence)


# ----------------------------------------------------------------------------------------------------------- results


def test_sentences_whose_product_vanishes(tiny, clauses):
    """Of six words each with one context of its own every sum is something, and every product of two is nothing."""
    words = [f"{word}|{tag}" for tag, of in (("NOUN", ("n0", "n1", "n2", "n3")), ("VERB", ("v1", "v2"))) for word in of]
    trained = Trained(Labels(words), {"M&L": Simple(Space(words, sparse.csr_array(np.eye(6, dtype=np.float32))))})
    alone = clauses.sentence("v1|VERB/0/root")  # one word is its own product
    pair = replace(tiny.pairs[0], sentences=(*tiny.pairs[0].sentences[:-1], alone))
    relations = Relations("x", (pair,))
    found = {r.system: r for r in chapter.zero_rows(Prepared(relations, clauses.general, trained))}
    assert {system: (r.value, r.n) for system, r in found.items()} == {"M&L add": (0, 8), "M&L mult": (7 / 8, 8)}
    assert {(r.metric, r.split, r.space) for r in found.values()} == {("share of zero vectors", "all", MAIN)}


# --------------------------------------------------------------------------------------------------------- the probe


@pytest.fixture
def quadruples(clauses):
    def nominal(agent, noun, patient):
        return clauses.sentence(f"{agent}|NOUN/2/poss {noun}|NOUN/0/root of|ADP/4/case {patient}|NOUN/2/nmod")

    def of(id, agent, verb, patient, noun):
        forms = clauses.active(agent, verb, patient), clauses.passive(agent, verb, patient)
        return Quadruple(id, verb, noun, "derived", *forms, nominal(agent, noun, patient),
                         clauses.active(patient, verb, agent))  # fmt: skip

    return (of("q1", "n0", "v1", "n1", "n5"), of("q2", "n2", "v0", "n3", "n6"), of("q3", "n1", "v3", "n4", "n0"))


def test_a_bag_of_words_cannot_tell_who_did_what(clauses, quadruples):
    found = chapter.probes(clauses.trained, quadruples)
    assert list(found) == list(PURE)
    for system in ("M&L add", "M&L mult"):
        np.testing.assert_allclose(found[system].passive, found[system].swapped)
        assert found[system].invariance == 0.5
    np.testing.assert_allclose(found["M&L add"].swapped, 1)
    assert (found["M&L add"].unrelated < 1).all()
    for system in ("E&P add", "TFP add"):  # these see the roles
        assert (found[system].swapped < 0.9999).any()


# ------------------------------------------------------------------------------------------------------------ claims


# --------------------------------------------------------------------------------- all figures, on clauses and sample


@pytest.fixture
def in_place(tiny, clauses, quadruples, own_cache, monkeypatch):
    """The random clauses in the place of the corpus, and of both sets."""
    sets = {name: replace(tiny, name=name) for name in ("relation_banko2008", "google_re")}
    monkeypatch.setattr(contextual_models, "wikipedia", lambda files=None: clauses.corpus)
    monkeypatch.setattr(chapter.construction, "load", sets.__getitem__)
    monkeypatch.setattr(invariance, "load", lambda name: quadruples)
    monkeypatch.setattr(chapter, "RESAMPLES", 50)
    monkeypatch.setattr(stored, "path", stored.latest)


def test_the_full_profile_has_every_figure(profile, in_place, monkeypatch, tmp_path):
    whole = chapter.figures(profile)
    assert (whole.chapter, whole.paper, whole.profile) == ("relation_classification", "cheung2012", "full")
    assert whole.made_with["datasets"] == datasets.used(["relation_banko2008", "google_re", "wikipedia_parsed"])
    assert whole.made_with["seed"] == 3 and [claim.id for claim in whole.claims] == CLAIMS
    for system in (OVERLAP, *PURE, *MIXED):
        rows = [r for r in whole.find(system=system, space=MAIN, metric="AUC") if "traps" not in r.dataset]
        both = "relation_banko2008 + google_re"
        assert [(r.dataset, r.split) for r in rows] == [
            ("relation_banko2008", "n0/n1"), ("relation_banko2008", "n2/n3"), ("relation_banko2008", "average"),
            ("google_re", "average"), (both, chapter.ALL),
        ]  # fmt: skip
        assert rows[2].value == rows[3].value == pytest.approx(rows[4].value) and rows[3].published is None
    for space in (chapter.VOICE, "ratio instead of PPMI", "without the entities"):
        assert whole.find(space=space) and {r.published for r in whole.find(space=space)} == {None}
    assert len(whole.find(metric="AUC, sd of seeds")) == 6
    assert compare(whole, chapter.figures(profile, subset=True)) == []  # senses, and those of other seeds, are stored
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "another"))  # so that senses are fitted again
    assert chapter.figures(profile).to_json() == whole.to_json()


# ------------------------------------------------------------------------------------------------------ the real data


def test_five_pairs_and_nine_places_are_scored(mirror):
    web, lives = map(chapter.construction.load, ("relation_banko2008", "google_re"))
    assert [len(web), len(web.usable), len(lives), len(lives.usable)] == [9, 5, 17, 9]
    for pair in (*web, *lives):
        fewest = {"relation_banko2008": 4, "google_re": 10}[web.name if pair in web.pairs else lives.name]
        scored = min(pair.n_positive, len(pair) - pair.n_positive) >= fewest
        assert scored == (pair in web.usable or pair in lives.usable)


# ------------------------------------------------------------------------------------- tables and sentences of the page


def figures_of(*rows: Result) -> Results:
    return Results("relation_classification", "cheung2012", "full", {}, rows)


def average(system: str, value: float, half: float = 0.1, dataset: str = "mine", **columns) -> Result:
    ends = {"low": value - half, "high": value + half}
    return Result(system, MAIN, dataset, "average", columns.pop("metric", "AUC"), value, **ends, **columns)


def test_intervals_above_one_half_are_counted_of_one_set_and_of_systems_alone():
    rows = average("M&L add", 0.7), average("TFP add", 0.55), average(OVERLAP, 0.65)
    others = average("M&L add + overlap", 0.9), average("D&L add", 0.8, dataset="other")
    assert chapter.above_chance(figures_of(*rows, *others), "mine") == 2


def test_how_wide_the_intervals_are():
    full = figures_of(average("M&L add", 0.6, 0.05, operation="add"), average("TFP add", 0.6, 0.07, operation="add"))
    told = chapter.width(full, "mine", [4, 21])
    assert "2 pairs have 4 to 21 sentences" in told and "**0.12** wide" in told and "36 differences" in told
