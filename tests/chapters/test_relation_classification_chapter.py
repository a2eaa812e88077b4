"""The chapter on relation classification: runs on planted similarities and random clauses, claims, all figures."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters import relation_classification as chapter
from cdsm_lib.chapters.contextual_models import MAIN, MIXED, OVERLAP, PURE, Trained
from cdsm_lib.chapters.relation_classification import Prepared
from cdsm_lib.composition.contextual import Simple
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.comparison import compare
from cdsm_lib.evaluation.results import Scores
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import invariance, relation_classification
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
        return EntityPair(relation, name, sentences, ids, np.array(expresses, dtype=bool), kinds)

    return Relations("relation_banko2008", (
        pair_of("acquires", "n0", "n1", "v1", ["v0", "v2", "v3"], 4),
        pair_of("was born in", "n2", "n3", "v2", ["v0", "v1"], 4),
        pair_of("acquires", "n4", "n5", "v1", ["v0"], 1),
    ))  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tiny, clauses):
    return Prepared(tiny, (), clauses.general, clauses.trained)


def similarities(relations: Relations, trained: Trained, models=None) -> dict[str, dict[str, np.ndarray]]:
    """What every system gives the pairs of sentences of each entity pair, as matrices."""
    task = relation_classification.task(relations, trained.read)
    by_system = contextual_models.similarities(trained.models if models is None else models, task)
    return {system: relation_classification.matrices(relations, values) for system, values in by_system.items()}


def auc(system: str, value: float, dataset: str, n: int = 2) -> Scores:
    """An average that is the same on every resample."""
    drawn = np.full(chapter.RESAMPLES, value)
    return Scores(system, MAIN, dataset, "average", "AUC", statistic=value, resamples=drawn, n=n)


# ------------------------------------------------------------------------------------------------------------ scores


def test_overlap_on_clauses_by_hand(prepared, tiny):
    """Two sentences with the same nouns and verb share 6 lemmas, with another verb 4; adjectives are not shared."""
    matrix = similarities(tiny, prepared.trained, {})[OVERLAP]["n0/n1"]
    assert matrix[0, 1:].tolist() == [6, 6, 6, 4, 4, 4, 6]
    (*pairs, average), *_ = chapter.scores_of(tiny, replace(prepared.trained, models={}), 3)
    assert [(score.split, score.n) for score in pairs] == [("n0/n1", 8), ("n2/n3", 7)]
    assert pairs[0].value == pytest.approx(0.75 + 0.25 / 2)  # of four others the trap ties
    assert average.value == pytest.approx(np.mean([score.value for score in pairs]))


def test_passives_are_read_as_actives(prepared, profile, tiny):
    """Active and passive of the same words, which are another thing to models that take the subject as it stands."""
    about = prepared.trained, prepared.counts.triples, profile["contextual"]
    both = contextual_models.voice_resolved(*about), prepared.trained
    turned, main = (similarities(tiny, trained)["E&P add"]["n0/n1"][0, 3] for trained in both)
    assert turned == pytest.approx(1) and main < 0.9999


def test_what_the_paper_leaves_open_is_computed_for_every_model_that_it_touches(prepared, profile):
    assert [changed(np.array([0, 3])).tolist() for changed in contextual_models.ZEROS.values()] == [[1, 3], [1, 4]]
    options = {score.key[:2] + score.key[4:] for score in chapter.options(prepared, profile)}
    assert len(options) == 3 * (8 + 2 + 4) + 4 * 2


def test_every_pair_of_every_set_counts_the_same():
    """One set of two pairs with a mean AUC of .5, one of a single place with .25: (2 * .5 + .25) / 3."""
    (score,) = chapter.together([auc("M&L add", 0.5, "two"), auc("M&L add", 0.25, "lives", 1)])
    assert (score.system, score.dataset, score.split, score.n) == ("M&L add", "two + lives", chapter.ALL, 3)
    assert score.value == pytest.approx(1.25 / 3) == score.resamples[0]


def test_a_claim_is_tested_on_both_sets_and_on_each_alone():
    """D&L leads the web sentences, and is last on births and deaths."""
    leads = {"relation_banko2008": 1.0, "google_re": 0.0}
    every = [(name, system) for name in leads for system in (OVERLAP, *PURE)]
    scores = [auc(system, leads[name] if system == "D&L add" else 0.5, name) for name, system in every]
    best = chapter.claims(scores)[0]
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
    prepared = Prepared(relations, (), clauses.general, trained)
    found = {score.system: score.row() for score in chapter.zero_vectors(prepared, trained.models)}
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


# --------------------------------------------------------------------------------- all figures, on clauses and sample


@pytest.fixture
def in_place(tiny, clauses, quadruples, own_cache, monkeypatch):
    """The random clauses in the place of the corpus, and of both sets."""
    sets = {name: replace(tiny, name=name) for name in ("relation_banko2008", "google_re")}
    monkeypatch.setattr(contextual_models, "wikipedia", lambda files=None: clauses.corpus)
    monkeypatch.setattr(chapter.construction, "load", sets.__getitem__)
    monkeypatch.setattr(invariance, "load", lambda name: quadruples)
    monkeypatch.setattr(chapter, "RESAMPLES", 50)
    monkeypatch.setattr(ledger, "path", ledger.latest)


def test_the_full_profile_has_every_figure(profile, in_place, monkeypatch, tmp_path):
    whole = chapter.run(profile, quick=False)
    assert (whole.chapter, whole.paper, whole.profile) == ("relation_classification", "cheung2012", "full")
    assert whole.made_with["datasets"] == datasets.used(["relation_banko2008", "google_re", "wikipedia_parsed"])
    assert whole.made_with["seed"] == 3 and [claim.id for claim in whole.claims] == CLAIMS
    for system in (OVERLAP, *PURE, *MIXED):
        rows = whole.find(system=system, space=MAIN, metric="AUC")
        both = "relation_banko2008 + google_re"
        assert [(r.dataset, r.split) for r in rows] == [
            ("relation_banko2008", "n0/n1"), ("relation_banko2008", "n2/n3"), ("relation_banko2008", "average"),
            ("google_re", "average"), (both, chapter.ALL),
        ]  # fmt: skip
        assert rows[2].value == rows[3].value == pytest.approx(rows[4].value) and rows[3].published is None
    assert whole.find(space=chapter.VOICE)
    assert len(whole.find(metric="AUC, sd of seeds")) == 6
    assert compare(whole, chapter.run(profile, quick=True)) == []  # senses, and those of other seeds, are stored
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "another"))  # so that senses are fitted again
    assert chapter.run(profile, quick=False).to_json() == whole.to_json()
