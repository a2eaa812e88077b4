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
from cdsm_lib.composition.contextual import ErkPado, Simple, Thater
from cdsm_lib.construction.relation_classification import Label
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Result, Results, committed, compare, sized
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.tasks import invariance, relation_classification
from cdsm_lib.tasks.invariance import Quadruple
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.vectors.space import Space

TIME = "minutes of training"
CLAIMS = ["dl-add-best", "overlap-strong", "ml-mult-beats-add", "dl-mult-no-better", "syntax-falls-behind"]
SEQUENCE = {
    "dataset": "relation_banko2008", "thresholds": [4], "pmi_thresholds": [0.5],
    "sweep": [
        {"dimensions": 2, "iterations": 4, "checkpoints": [2]},
        {"method": "nmf", "dimensions": 2, "iterations": 5},
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def profile(clauses):
    settings = {"seed": 3, "contextual": clauses.settings | {"seeds": 3}, "relation_classification": SEQUENCE}
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


def test_the_average_is_over_the_usable_pairs(two):
    run = Run("x", MAIN, two, {"A/B": planted(two.pairs[0], "perfect"), "C/D": planted(two.pairs[1], "chance")})
    assert {name: score.auc for name, score in run.scores.per_pair.items()} == {"A/B": 1, "C/D": 0.5}
    assert run.scores.average == 0.75
    assert run.resampled(1).tolist() == [[1] * chapter.RESAMPLES, [0.5] * chapter.RESAMPLES]


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


def test_variants_change_one_choice_at_a_time(prepared, profile):
    found = {(run.system, run.space): run for run in chapter.variants(prepared, profile)}
    expected = {
        "ratio instead of PPMI": ["M&L add", "M&L mult"],
        "PMI instead of PPMI": ["M&L add", "M&L mult"],
        chapter.ONE_ADDED: ["M&L add", "M&L mult"],
        "neighbours summed": ["E&P add", "E&P mult"],
        "threshold 4": ["E&P add", "E&P mult", "TFP add", "TFP mult"],
        "PMI threshold 0.5": ["TFP add", "TFP mult"],
        "product of contexts": ["D&L add", "D&L mult"],
        "without the entities": [OVERLAP, *PURE],
    }
    for space, systems in expected.items():
        assert [system for system, of in found if of == space] == systems
    assert MAIN not in {space for _, space in found}
    assert all(run.relations is prepared.relations for run in found.values())
    pair = prepared.relations.pairs[0]
    text = prepared.parsed(pair)
    ratio = {"M&L": Simple(contextual_models.association(prepared.counts.windows, "ratio"))}
    strict = {"TFP": Thater.of_triples(prepared.counts.triples, min_count=4, min_pmi=0.0)}
    space = prepared.trained.models["M&L"].space
    added = {"M&L": Simple(Space(space.rows, space.vectors.toarray() + 1))}
    for space, models in (("ratio instead of PPMI", ratio), ("threshold 4", strict), (chapter.ONE_ADDED, added)):
        for system, values in contextual_models.similarities(models, text).items():
            if system in PURE:
                np.testing.assert_array_equal(found[system, space].similarity[pair.name], values)
    main = {run.system: run for run in chapter.runs_of(prepared, prepared.trained.models)}
    for system, space in found:
        if "threshold" not in space and system in ("M&L add", "E&P add", "D&L add"):
            assert (found[system, space].similarity[pair.name] != main[system].similarity[pair.name]).any(), space
    bare = found[OVERLAP, "without the entities"].similarity[pair.name]
    np.testing.assert_array_equal(bare, main[OVERLAP].similarity[pair.name] - 4)  # two names, counted on both sides


def test_variants_keep_the_other_settings(prepared, profile):
    contextual = profile["contextual"] | {"neighbours": "sum"}
    chosen = Profile("full", profile.settings | {"contextual": contextual})
    found, before = (
        next(run for run in chapter.variants(prepared, of) if (run.system, run.space) == ("E&P add", "threshold 4"))
        for of in (chosen, profile)
    )
    summed = ErkPado(prepared.trained.models["M&L"].space, prepared.counts.triples, threshold=4, neighbours="sum")
    expected, _ = chapter.runs_of(prepared, {"E&P": summed}, "threshold 4", PURE)
    np.testing.assert_array_equal(found.similarity["n0/n1"], expected.similarity["n0/n1"])
    assert (found.similarity["n0/n1"] != before.similarity["n0/n1"]).any()


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
    assert turned.counts.resolve_voice and turned.trained.resolve_voice
    models = contextual_models.structured(counted, settings, prepared.trained.models["M&L"].space)
    again = replace(turned, trained=Trained(prepared.trained.words, models, True))
    runs, expected = (chapter.runs_of(of, of.trained.models, chapter.VOICE) for of in (turned, again))
    main = {run.system: run for run in chapter.runs_of(prepared, prepared.trained.models)}
    assert {run.system.split()[0] for run in runs[1:]} == {"E&P", "TFP"}
    for run, other in zip(runs, expected, strict=True):
        np.testing.assert_allclose(run.similarity["n0/n1"], other.similarity["n0/n1"], atol=1e-9)
        if run.system == "E&P add":
            assert run.similarity["n0/n1"][0, 3] == pytest.approx(1)  # active and passive of the same words
            assert main[run.system].similarity["n0/n1"][0, 3] < 0.9999


def test_senses_at_checkpoints(prepared, profile, own_cache):
    looked, nmf = (chapter.sense_runs(prepared, profile, grid)[0] for grid in SEQUENCE["sweep"])
    gibbs = "gibbs, 2 senses, {} iterations"
    spaces = [gibbs.format(2), gibbs.format(4), "nmf, 2 senses, 5 iterations"]
    assert [(r.system, r.space) for r in [*looked, *nmf]] == [
        (f"D&L {operation}", space) for space in spaces for operation in ("add", "mult")
    ]
    assert looked[0].columns == {"method": "gibbs", "senses": 2, "iterations": 2}
    assert (looked[2].similarity["n0/n1"] != looked[0].similarity["n0/n1"]).any()
    last = SEQUENCE["sweep"][0] | {"checkpoints": [4]}  # the last iteration is no run of its own
    assert [run.space for run in chapter.sense_runs(prepared, profile, last)[0]] == [spaces[1]] * 2
    settings = {**profile["contextual.senses"], "dimensions": 2}
    for iterations, run in ((2, looked[0]), (4, looked[2])):  # what chapter 11 asks for is read, and what one stops at
        again, afresh = (
            contextual_models.latent_senses(prepared.counts.windows, settings | {"iterations": iterations}, 3,
                                            window=2, keep=keep)
            for keep in (True, False)
        )  # fmt: skip
        np.testing.assert_array_equal(again.senses, afresh.senses)
        (same, _) = chapter.runs_of(prepared, {"D&L": again}, "x", PURE)
        np.testing.assert_array_equal(run.similarity["n0/n1"], same.similarity["n0/n1"])
    assert len(list(own_cache.glob("*.npz"))) == 3


def test_seeds_by_mean_and_deviation(prepared, profile, own_cache):
    senses = profile["contextual.senses"]
    by_seed = chapter.seed_scores(prepared, profile)
    averages = [of[0].value for of in by_seed.values()]  # of D&L add
    rows = {
        (r.system, r.split, r.metric): r
        for r in contextual_models.seed_rows(by_seed, **contextual_models.senses_named(senses))
    }
    assert list(by_seed) == [3, 4, 5] and len(set(averages)) > 1
    mean, deviation = (rows["D&L add", "average", f"AUC, {what} of seeds"] for what in ("mean", "sd"))
    assert mean.value == pytest.approx(sum(averages) / 3)
    assert deviation.value == pytest.approx((sum((value - mean.value) ** 2 for value in averages) / 2) ** 0.5)
    assert {(r.space, r.n, r.published) for r in rows.values()} == {
        (contextual_models.senses_named(senses)["space"], 3, None)
    }


def test_claims_are_tested_with_every_seed(prepared, profile):
    runs = chapter.runs_of(prepared, prepared.trained.models)
    scores = chapter.everywhere(of for run in runs for of in chapter.scores_of(run, 3))

    def latent(add):  # always 0 by multiplication, always this by addition
        values = {"D&L add": add, "D&L mult": 0.0}
        return [replace(of, statistic=values[of.system], resamples=np.full(len(of.resamples), values[of.system]))
                for of in scores if of.system in values]  # fmt: skip

    def tested(by_seed):
        return chapter.claims(chapter.tested_scores(scores, by_seed))

    best, worst = ({c.id: c.verdict for c in tested({3: latent(add)})} for add in (2.0, -1.0))
    both = {c.id: c for c in tested({3: latent(2.0), 4: latent(-1.0)})}
    assert best["dl-add-best"] == best["dl-mult-no-better"] == "holds"
    assert worst["dl-add-best"] == worst["dl-mult-no-better"] == "fails"
    assert both["dl-mult-no-better"].verdict == "undecided"
    assert both["dl-mult-no-better"].evidence[0].names == ("D&L add (seed 3)", "D&L mult (seed 3)")
    assert both["ml-mult-beats-add"] == tested({})[2]


def test_every_relation_of_every_set_counts_the_same(two):
    """One set of two pairs with AUC 1 and 0, one of a single relation with .25: (1 + 0 + .25) / 3, resamples alike."""
    values = {"A/B": planted(two.pairs[0], "perfect"), "C/D": planted(two.pairs[1], "worst")}
    main = [of for system in ("M&L add", OVERLAP) for of in chapter.scores_of(Run(system, MAIN, two, values), 5)]
    drawn = {"statistic": 0.25, "resamples": np.full(chapter.RESAMPLES, 0.25), "n": 9}
    one = replace(main[0], dataset="lives", metric=chapter.ALIKE, split="York", **drawn)
    further = [one, replace(one, split="average", n=1), replace(one, metric=chapter.ASKED, statistic=0.9)]
    (found,) = chapter.everywhere(main, further)  # overlap has not been on the second set
    assert (found.system, found.dataset, found.split, found.n) == ("M&L add", "two + lives", chapter.EVERYWHERE, 3)
    assert (found.metric, found.published) == ("AUC", 0.5845)
    assert found.value == pytest.approx(1.25 / 3)
    both = np.mean([of.resamples for of in main[:2]] + [one.resamples], axis=0)
    np.testing.assert_allclose(found.resamples, both)
    alone = chapter.everywhere(main)
    assert [(of.system, of.value, of.dataset, of.n) for of in alone] == [
        ("M&L add", 0.5, "two", 2),
        (OVERLAP, 0.5, "two", 2),
    ]


# ----------------------------------------------------------------------------------------------------------- results


def rows_of(run: Run, seed: int) -> list:
    return [scores.row() for scores in chapter.scores_of(run, seed)]


def test_results_of_a_run(two):
    run = Run("D&L add", MAIN, two, {"A/B": planted(two.pairs[0], "perfect"), "C/D": planted(two.pairs[1], "worst")})
    found = rows_of(run, 5)
    assert [(r.split, r.value, r.n, r.tolerance) for r in found] == [
        ("A/B", 1.0, 6, 0.12), ("C/D", 0.0, 5, 0.12), ("average", 0.5, 2, 0.06),
    ]  # fmt: skip
    assert {(r.system, r.space, r.dataset, r.metric) for r in found} == {("D&L add", MAIN, "two", "AUC")}
    assert [r.published for r in found] == [None, None, 0.8061]
    easier = replace(two, name="two, without traps")
    assert chapter.scores_of(replace(run, relations=easier), 5)[-1].published is None
    assert chapter.average_rows([run], 5) == found[-1:]
    exact = rows_of(replace(run, system="E&P add"), 5)
    assert [r.tolerance for r in exact] == [0.02, 0.02, 0.01]


@pytest.mark.parametrize("system", [OVERLAP, "M&L mult"])
def test_intervals_hold_the_value(system, rng):
    relations = Relations("r", (pair_of("1111100000"), pair_of("1110000000", "C/D")))
    similarity = {}
    for pair in relations:
        values = rng.random((10, 10)) + 0.1 * np.outer(pair.expresses, pair.expresses)
        similarity[pair.name] = values + values.T
    run = Run(system, MAIN, relations, similarity)
    found, drawn = rows_of(run, 5), run.resampled(5)
    assert all(r.low <= r.value <= r.high and r.low < r.high for r in found)
    low, high = np.quantile(drawn.mean(axis=0), [0.025, 0.975])
    assert (found[-1].low, found[-1].high) == (min(low, run.scores.average), max(high, run.scores.average))
    assert found[-1].high - found[-1].low < found[1].high - found[1].low  # the average moves less than one pair


def test_only_the_main_space_has_published_figures(two):
    systems = (OVERLAP, *PURE, *MIXED)
    published = [0.7427, 0.5845, 0.6904, 0.5414, 0.6067, 0.6398, 0.632, 0.8061, 0.7072, *[None] * 8]
    assert [chapter.published_average(system) for system in systems] == published
    for space, expected in ((MAIN, 0.7427), ("threshold 2", None)):
        (run, *_) = runs_with(two, space)
        assert rows_of(run, 1)[-1].published == expected


def test_counts_of_the_data(two):
    found = {(r.space, r.split, r.metric): r.value for r in chapter.data_rows(two)}
    assert found == {
        ("acquires", "A/B", "sentences"): 6, ("acquires", "A/B", "expressing"): 4, ("acquires", "A/B", "scored"): 1,
        ("was born in", "C/D", "sentences"): 5, ("was born in", "C/D", "expressing"): 2,
        ("was born in", "C/D", "scored"): 1,
        ("acquires", "E/F", "sentences"): 3, ("acquires", "E/F", "expressing"): 1, ("acquires", "E/F", "scored"): 0,
    }  # fmt: skip


def test_agreement_of_two_passes_by_hand(monkeypatch):
    """Three of four agree; by chance half would (.5 * .25 + .5 * .75): kappa is (.75 - .5) / .5."""
    passes = [(True, True), (True, False), (False, False), (False, False)]
    labels = [Label(i, "acquires", "A/B", *both, both[0]) for i, both in enumerate(passes, 1)]
    labels += [Label(9, "was born in", "C/D", True, True, True)]
    monkeypatch.setattr(chapter.construction, "committed_labels", lambda: labels)
    rows = {(r.split, r.metric): (r.value, r.n) for r in chapter.agreement_rows("relation_banko2008")}
    four = [rows["A/B", metric] for metric in ("kappa", "agreement", "adjudicated")]
    assert four == [(pytest.approx(0.5), 4), (0.75, 4), (1, 4)] and rows["overall", "agreement"] == (0.8, 5)
    assert ("C/D", "kappa") not in rows and rows["C/D", "agreement"] == (1, 1)  # no kappa of a single label
    assert chapter.agreement_rows("relations") == []


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


def test_ties_by_hand():
    relations = Relations("one", (pair_of("1110"),))
    found = {r.metric: r.value for r in chapter.tie_rows(run_of(OVERLAP, relations, BY_HAND))}
    assert found == {
        "share of ties": pytest.approx(1 / 9),
        "AUC, ties in favour": pytest.approx(6 / 9),
        "AUC, ties against": pytest.approx(5 / 9),
    }


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


def test_results_of_the_probe(clauses, quadruples, monkeypatch):
    monkeypatch.setattr(invariance, "load", lambda name: {"invariance": quadruples}[name])
    rows = {(r.system, r.metric): r for r in chapter.probe_rows(clauses.trained, "a space")}
    forms = ("passive", "nominal", "swapped", "unrelated")
    metrics = [*(f"similarity: {form}" for form in forms), "passive above swapped", "nominal above swapped"]
    assert list(rows) == [(system, metric) for system in PURE for metric in metrics]
    assert {(r.space, r.dataset, r.split, r.n) for r in rows.values()} == {("a space", "invariance", "all", 3)}
    for system, probe in chapter.probes(clauses.trained, quadruples).items():
        within = contextual_models.TOLERANCE["senses" if "D&L" in system else "exact"]
        expected = [(getattr(probe, form).mean(), within) for form in forms]
        expected += [(probe.wins(form).mean(), 2 * within) for form in forms[:2]]
        assert [(rows[system, metric].value, rows[system, metric].tolerance) for metric in metrics] == [
            (pytest.approx(value), tolerance) for value, tolerance in expected
        ]


# ------------------------------------------------------------------------------------------------------------ claims


def test_the_minutes_are_those_of_the_training_alone(prepared, profile, own_cache, monkeypatch):
    """A clock that a resampling moves by an hour; nobody looks at the second training, and it has no minutes."""
    now, lda = [0.0], contextual_models.reduction.LDA
    monkeypatch.setattr(chapter.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(Run, "resampled", lambda run, seed: now.__setitem__(0, now[0] + 3600) or np.zeros((2, 9)))
    fit = lda.fit

    def slowly(*arguments, **options):
        now[0] += 90
        return fit(*arguments, **options)

    monkeypatch.setattr(lda, "fit", slowly)
    rows = chapter.sense_rows(prepared, profile, SEQUENCE["sweep"][0])
    assert [(r.system, r.metric) for r in rows] == [*[("D&L add", "AUC"), ("D&L mult", "AUC")] * 2, ("D&L", TIME)]
    assert rows[-1].value == 1.5 and rows[-1].space == "gibbs, 2 senses, 4 iterations"
    assert {r.metric for r in chapter.sense_rows(prepared, profile, SEQUENCE["sweep"][1])} == {"AUC"}


def claims_of(runs: list[Run]) -> list:
    scores = (scores for run in runs for scores in chapter.scores_of(run, 4))
    return evaluate("relation_classification", chapter.everywhere(scores))


@pytest.mark.parametrize(
    ("kinds", "verdicts"),
    [
        ({}, ["fails"] * 5),
        ({"DL_add": "perfect"}, ["holds", "fails", "fails", "holds", "holds"]),
        ({"ML_add": "perfect", "DL_add": "worst"}, ["fails", "fails", "fails", "fails", "fails"]),
        ({"Overlap": "perfect", "ML_mult": "perfect"}, ["fails", "fails", "holds", "fails", "holds"]),
        ({"DL_mult": "worst", "Overlap": "perfect"}, ["fails", "holds", "fails", "holds", "fails"]),
        ({"TFP_add": "perfect", "EP_mult": "perfect"}, ["fails", "fails", "fails", "fails", "fails"]),
    ],
)
def test_claims_on_planted_similarities(two, kinds, verdicts):
    """Of two systems at chance none is better: the interval is a point, less than half of what the paper prints."""
    found = claims_of(runs_with(two, **kinds))
    assert [claim.id for claim in found] == CLAIMS
    assert [claim.verdict for claim in found] == verdicts
    assert all(claim.published and f"{chapter.RESAMPLES} draws" in str(claim.evidence) for claim in found)


# --------------------------------------------------------------------------------- all figures, on clauses and sample


@pytest.fixture
def in_place(tiny, clauses, quadruples, own_cache, monkeypatch):
    """The random clauses in the place of the corpus; parts of it are random clauses of their own."""

    def wikipedia(files=None):
        words = (clauses.nouns, clauses.verbs, clauses.adjectives)
        return corpus_from_sentences(clauses.random(files, 40 * files, *words)) if files else clauses.corpus

    for module in (chapter, contextual_models):
        monkeypatch.setattr(module, "wikipedia", wikipedia)
    monkeypatch.setattr(chapter.construction, "load", lambda name: {"relation_banko2008": tiny}[name])
    monkeypatch.setattr(invariance, "load", lambda name: quadruples)
    monkeypatch.setattr(chapter, "RESAMPLES", 50)
    monkeypatch.setattr(stored, "path", stored.latest)


def test_the_full_profile_has_every_figure(profile, in_place, tmp_path):
    whole = chapter.figures(profile)
    assert (whole.chapter, whole.paper, whole.profile) == ("relation_classification", "cheung2012", "full")
    assert whole.made_with["datasets"] == datasets.used(["relation_banko2008", "wikipedia_parsed"])
    assert whole.made_with["seed"] == 3 and [claim.id for claim in whole.claims] == CLAIMS
    for system in (OVERLAP, *PURE, *MIXED):
        splits = [r.split for r in whole.find(system=system, space=MAIN, dataset="relation_banko2008", metric="AUC")]
        assert splits == ["n0/n1", "n2/n3", "average"]
    gibbs = ["gibbs, 2 senses, 2 iterations", "gibbs, 2 senses, 4 iterations"]
    nmf = "nmf, 2 senses, 5 iterations"
    for space in (chapter.VOICE, *gibbs, nmf, "neighbours summed", "without the entities"):
        assert whole.find(space=space, split="average") and {r.published for r in whole.find(space=space)} == {None}
    assert len(whole.find(metric="AUC, sd of seeds")) == 2
    assert [r.space for r in whole.find(metric=TIME)] == gibbs[1:]  # which is looked at on its way
    sizes = {r.space for r in whole.results if r.tokens}
    assert sizes == {sized(MAIN, chapter.wikipedia(files).n_tokens)["space"] for files in chapter.SIZES}
    assert whole.find(system="labels", split="overall", metric="kappa")
    whole.write(tmp_path / "whole.json")
    assert compare(Results.read(tmp_path / "whole.json"), whole) == []
    subset = chapter.figures(profile, subset=True)
    assert {r.key for r in subset.results} < {r.key for r in whole.results}
    assert [(c.id, c.verdict) for c in subset.claims] == [(c.id, c.verdict) for c in whole.claims]  # of stored scores
    assert compare(whole, subset, subset=True) == []
    left_out = {r.key for r in whole.results} - {r.key for r in subset.results}
    assert {key[1] for key in left_out} == {
        nmf, contextual_models.senses_named(profile["contextual.senses"])["space"],
    }  # fmt: skip


def test_queries_are_of_one_word_and_asked_of_every_sentence(prepared, monkeypatch):
    monkeypatch.setattr(chapter, "CHUNK", 3)
    sets = {"plain": prepared.relations, "again": replace(prepared.relations, pairs=prepared.relations.pairs[:1])}
    runs = chapter.query_runs(prepared, sets, {"was born in": "v2|VERB", "acquires": "v1|VERB"})
    assert [(run.metric, run.system) for run in runs] == [
        (metric, system) for metric in sets for system in (OVERLAP, *PURE, *MIXED)
    ]
    shared = runs[0].similarity  # the verb alone is shared, and counts on both sides
    assert {name: values.tolist() for name, values in shared.items()} == {
        "n0/n1": [2, 2, 2, 2, 0, 0, 0, 2], "n2/n3": [2, 2, 2, 2, 0, 0, 2],
    }  # fmt: skip
    assert runs[0].scores.per_pair["n0/n1"].auc == pytest.approx(0.75 + 0.25 / 2)  # the trap ties
    (whole,) = [run for run in runs[:9] if run.system == "M&L add"]
    space, (sentence, *_) = prepared.trained.models["M&L"].space, prepared.parsed(prepared.relations.pairs[0])
    summed, asked = sum(space[word] for word in sentence.words if word), space["v1|VERB"]
    cosine = summed @ asked / np.linalg.norm(summed) / np.linalg.norm(asked)
    assert whole.similarity["n0/n1"][0] == pytest.approx(cosine)


def test_further_sets(prepared, tiny, monkeypatch):
    """Of the large set's subset overlap and M&L remain whole, against one kind of sentences, and of the rest one
    relation, for TFP against one kind; draws as if alone."""
    monkeypatch.setattr(chapter, "RESAMPLES", 20)
    monkeypatch.setattr(chapter.datasets, "fetch", lambda *names: names)
    monkeypatch.setattr(chapter.construction, "births_and_deaths", lambda path, labels: replace(tiny, name=path[0]))
    monkeypatch.setattr(chapter.construction, "of_nominals", lambda path, rest: replace(tiny, name=path[0]))
    monkeypatch.setattr(chapter.construction, "read_lives", lambda: [Label("1", "birth", "York", *["birth"] * 3)])
    words = {"was born in": "v2|VERB", "acquires": "v1|VERB"}
    monkeypatch.setattr(chapter.construction, "read_queries", lambda: words)
    monkeypatch.setattr(chapter, "BORN", words)
    systems, splits = (OVERLAP, *PURE, *MIXED), ("n0/n1", "n2/n3", "average")
    (_, lives), (_, nominals) = (
        (of, [one.row() for one in scores])
        for of, scores in (chapter.further_scores(prepared, name, 3) for name in ("google_re", "semeval2010_task8"))
    )
    for rows, metrics in (
        (lives, (chapter.ALIKE, chapter.ASKED)), (nominals, [f"{chapter.ASKED}, {name}" for name in chapter.AGAINST]),
    ):  # fmt: skip
        assert [(r.metric, r.system, r.split) for r in rows if r.low is not None] == [
            (metric, system, split) for metric in metrics for system in systems for split in splits
        ]
    assert {r.published for r in lives} == {None}
    found = {(r.metric, r.system, r.split): r for r in lives}
    for run in chapter.runs_of(prepared, prepared.trained.models):
        (*_, average) = rows_of(run, 3)
        here = found[chapter.ALIKE, run.system, "average"]
        assert (here.value, here.low, here.high) == (average.value, average.low, average.high)
    monkeypatch.setattr(chapter, "SAMPLED", 1)
    subset = [of.row() for of in chapter.sampled_scores(prepared, "semeval2010_task8", 3)[1]]
    assert set(subset) < set(nominals) and len({r.key for r in subset}) == len(subset)
    of_other, of_all = ({s: {r.split for r in subset if (r.system, r.metric) == (s, metric)} for s in systems}
                        for metric in (f"{chapter.ASKED}, {name}" for name in chapter.AGAINST))  # fmt: skip
    one = {"n0/n1"}  # they have as many sentences of their relation, and it is the first
    assert of_other == {s: {*splits} if "M&L" in s or s == OVERLAP else one for s in systems}
    assert of_all == {s: set() if "TFP" in s else one for s in systems}


def test_the_same_figures_twice(profile, in_place, monkeypatch, tmp_path):
    """But for the minutes that a training took, and the time of words in context."""

    def computed() -> str:
        found = chapter.figures(profile)
        return replace(found, results=[r for r in found.results if r.metric not in (TIME, chapter.TIME_25)]).to_json()

    first = computed()
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "another"))  # so that senses are fitted again
    assert computed() == first


def test_the_sample_profile_has_every_figure():
    """As committed; the notebook shows that a run gives the same."""
    sample = committed("relation_classification", "sample")
    profile, relations = load_profile("sample"), relation_classification.load("relations")
    for system in (OVERLAP, *PURE, *MIXED):
        of = sample.find(system=system, space=MAIN, dataset="relations", metric="AUC")
        assert [r.split for r in of] == [*(pair.name for pair in relations.usable), "average"]
        assert all(0 <= r.low <= r.value <= r.high <= 1 for r in of)
        assert (of[-1].published is None) == (system in MIXED)
    spaces = {r.space for r in sample.results}
    assert {chapter.VOICE, *(f"threshold {n}" for n in profile["relation_classification.thresholds"])} <= spaces
    assert not any(r.senses or r.tokens for r in sample.results)
    assert [claim.id for claim in sample.claims] == CLAIMS
    assert sample.made_with["datasets"] == {} and sample.made_with["seed"] == profile["seed"]
    assert sample.made_with["corpus"] == contextual_models.load_distilled(datasets.distilled_folder()).corpus
    easier = sample.one(system=OVERLAP, dataset="relations, without traps", split="average")
    assert easier.value > sample.one(system=OVERLAP, space=MAIN, dataset="relations", split="average").value


# ------------------------------------------------------------------------------------------------------ the real data


def test_the_five_scored_pairs(mirror):
    relations = chapter.construction.load("relation_banko2008")
    assert len(relations.usable) == 5
    found = {(r.split, r.metric): r.value for r in chapter.data_rows(relations)}
    for pair in relations:
        scored = found[pair.name, "expressing"] >= 4 and found[pair.name, "sentences"] - pair.n_positive >= 4
        assert found[pair.name, "scored"] == scored
    agreed = {r.split: r.value for r in chapter.agreement_rows(relations.name) if r.metric == "kappa"}
    assert agreed["overall"] > 0.6


def test_cost_names_memory_and_time_of_every_model(prepared, profile):
    found = chapter.cost_rows(prepared, profile["contextual"])
    assert {(r.system, r.metric) for r in found} == {
        (name, metric) for name in contextual_models.MODELS for metric in ("MB of tables", chapter.TIME_25)
    }
    assert all(r.value > 0 for r in found)
    latent = prepared.trained.models["D&L"]
    cells = latent.senses.size + latent.phi.size
    assert chapter.memory(latent) == cells * latent.senses.itemsize  # both tables have numbers of one size


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


def test_the_highest_figures_of_further_sets():
    of = {"dataset": "further", "metric": "AUC of the query", "model": "M&L"}
    rows = average("M&L add", 0.8, operation="add", **of), average("M&L mult", 0.5, operation="mult", **of)
    mixed = average("M&L add + overlap", 0.7, operation="add", mixed=True, **of)
    told = chapter.of_further_sets(figures_of(average("D&L add", 0.9), *rows, mixed), "mine")
    assert "M&L add 0.800 (AUC of the query)" in told and "in 1 of 1 comparisons, and below it in 0" in told


def test_what_the_page_tells_of_the_committed_figures():
    full = committed("relation_classification")
    assert [len(chapter.costs(full).rows[0]), len(chapter.further_table(full, "relation_banko2008").rows)] == [3, 17]
    (first, *_), *_ = chapter.while_sampling(full).values()
    assert len(first) == 4 and set(chapter.probed_means(full)) == set(PURE)
    of_all = (chapter.sampled, chapter.minutes, chapter.readers_of_roles, chapter.best_nominal)
    told = [chapter.with_more_text(full, "M&L mult"), *(of(full) for of in of_all)]
    told.append(chapter.width(full, "relation_banko2008"))
    assert all(text.endswith(".") and "nan" not in text and "–" not in text for text in told)
    assert "36 differences" in told[-1] and "5 pairs" in told[-1]
    assert len(chapter.estimations(full).rows) == 5
