"""Rimell et al. 2016 on a world of fifteen words: spaces, training, rankings, figures and claims."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.chapters import relpron as chapter
from cdsm_lib.chapters import relpron_beyond as beyond
from cdsm_lib.chapters import relpron_models, relpron_training
from cdsm_lib.chapters.relpron_models import FURTHER, LEARNED, METHODS, TENSORS, TEXT, WORDS_ONLY, Ranking
from cdsm_lib.chapters.relpron_training import Trained
from cdsm_lib.chapters.training_counts import Phrases
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.comparison import compare
from cdsm_lib.evaluation.results import NOT_REPEATED, Results, Scores, committed
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.vectors.similarity import cosines
from cdsm_lib.vectors.space import Space


@pytest.fixture(scope="module")
def settings(tiny):
    return tiny.profile["relpron"]


@pytest.fixture(scope="module")
def spaces(tiny):
    return relpron_training.train_spaces(tiny.counts, tiny.profile)


@pytest.fixture(scope="module")
def models(tiny, spaces, settings):
    return {name: relpron_training.train(trained, tiny.counts, settings, seed=1) for name, trained in spaces.items()}


def changed(tiny, **settings) -> dict:
    return tiny.profile["relpron"] | settings


def table(tiny, rows, counts) -> Phrases:
    return Phrases(tiny.words, np.array(rows, dtype=np.int32), np.array(counts))


# ------------------------------------------------------------------------------------------------------- the spaces


def test_count_svd_projects_words_and_phrases_with_the_cores_marginals(tiny, spaces):
    core = tiny.counts.counts["Count-SVD"].matrix.toarray().astype(float)

    def weigh(counts):
        """T-test with the core's marginals, the heaviest 6 positive contexts, unit rows: by the formulas."""
        total, column = core.sum(), core.sum(axis=0)
        chance = counts.sum(axis=1, keepdims=True) / total * column / total
        scores = np.where(counts > 0, (counts / total - chance) / np.sqrt(chance), 0)
        lightest = np.argsort(-scores, axis=1, kind="stable")[:, 6:]  # of equals the first columns stay
        np.put_along_axis(scores, lightest, 0, axis=1)
        scores = np.maximum(scores, 0)
        return scores / np.linalg.norm(scores, axis=1, keepdims=True)

    assert spaces["Count-SVD"].space.rows == tiny.words
    tiny.check_svd(spaces["Count-SVD"], weigh)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_words_spelt_otherwise_get_rows_at_the_end(kind):
    space = Space(["troop|NOUN", "dog|NOUN"], kind([[1.0, 2.0], [3.0, 0.0]]), ["x", "y"], {"made_by": "hand"})
    alike = {"troops|NOUN": "troop|NOUN", "dog|NOUN": "troop|NOUN", "unicorn|NOUN": "horse|NOUN"}
    wider = relpron_training.with_alike(space, alike)
    assert tuple(wider.rows) == ("troop|NOUN", "dog|NOUN", "troops|NOUN")
    assert wider["troops|NOUN"].tolist() == [1, 2] and wider["dog|NOUN"].tolist() == [3, 0]
    assert wider.is_sparse == space.is_sparse and wider.dimensions == space.dimensions and wider.meta == space.meta
    assert relpron_training.with_alike(space, {"dog|NOUN": "troop|NOUN"}) is space


# --------------------------------------------------------------------------------------------------------- training


@pytest.fixture
def clauses(tiny):
    """Four subject and four object clauses (head noun, verb, argument); *feed* stands in the second of each."""
    rows = [(0, 12, 6), (1, 13, 7), (2, 14, 8), (3, 12, 9)]
    phrases = tiny.counts.phrases | {kind: table(tiny, rows, [1, 2, 3, 7]) for kind in ("SBJ", "OBJ")}
    rows = np.arange(1, 17, dtype=np.float32).reshape(4, 4)
    vectors = tiny.counts.phrase_vectors | {"SBJ": rows, "OBJ": -rows}
    trained = Trained("Skip-Gram", tiny.counts.vectors, vectors)
    return trained, replace(tiny.counts, phrases=phrases)


@pytest.mark.parametrize(("kind", "role"), [("SBJ", "object"), ("OBJ", "subject")])
def test_composed_clauses_leave_out_verbs_without_their_matrix_and_zero_rows(tiny, clauses, settings, kind, role):
    trained, counts = clauses
    verbs = relpron_training.verb_matrices(trained, counts, settings)
    trained.phrases[kind][3] = 0
    kept = [0, 2]  # chase, drink
    fewer = replace(verbs, **{f"{role}_verbs": verbs.subject_verbs.take(kept), role: getattr(verbs, role)[kept]})
    hn, v_arg, rc, weights = relpron_training.clause_training(trained, counts, fewer, kind, settings)
    x = trained.space.vectors
    np.testing.assert_array_equal(hn, x[[0, 2]])
    expected = [tiny.planted[role][verb] @ x[argument] for verb, argument in ((0, 6), (2, 8))]
    np.testing.assert_allclose(v_arg, expected, atol=1e-3)
    np.testing.assert_array_equal(rc, trained.phrases[kind][[0, 2]])
    np.testing.assert_allclose(weights, np.log([2, 4]))  # counts 1, 3 and one more


@pytest.mark.parametrize(("kind", "pairs"), [("SBJ", "object"), ("OBJ", "subject")])
def test_holistic_clauses_leave_out_pairs_without_a_vector(tiny, clauses, kind, pairs):
    """Pairs *chase yarn* and *drink milk* have vectors, *feed ball* was never seen, *chase water* has a zero row."""
    trained, counts = clauses
    rows = np.array([(14, 8), (12, 9), (12, 6), (13, 6)])
    rows = rows if pairs == "object" else rows[:, ::-1]
    vectors = np.array([[1, 2, 3, 4], [0, 0, 0, 0], [5, 6, 7, 8], [9, 9, 9, 9]], dtype=np.float32)
    counts = replace(counts, phrases=counts.phrases | {pairs: table(tiny, rows, [2, 2, 2, 2])})
    trained = replace(trained, phrases=trained.phrases | {pairs: vectors})
    hn, v_arg, rc, weights = relpron_training.clause_training(trained, counts, None, kind, changed(tiny, holistic=True))
    np.testing.assert_array_equal(v_arg, vectors[[2, 0]])
    np.testing.assert_array_equal(hn, trained.space.vectors[[0, 2]])
    np.testing.assert_array_equal(rc, trained.phrases[kind][[0, 2]])
    np.testing.assert_allclose(weights, np.log([2, 4]))


def test_the_heaviest_clauses_are_kept_and_equals_drawn_by_lot():
    weights = np.array([1.0, 5.0, 1.0, 3.0, 1.0, 1.0])

    def heaviest(limit, seed=0, dimensions=3):
        hn = np.repeat(np.arange(6)[:, None], dimensions, axis=1)
        rows, kept = relpron_training.heaviest_clauses((hn, weights), limit, seed)
        assert kept.tolist() == weights[rows[:, 0]].tolist()
        return rows[:, 0].tolist()

    everything = [0, 1, 2, 3, 4, 5]
    assert heaviest(2) == [1, 3] and heaviest(100) == everything
    assert heaviest(2, dimensions=2) == everything  # more clauses than the 4 products
    drawn = [heaviest(4, seed) for seed in range(20)]
    assert all({1, 3} < set(rows) and rows == sorted(rows) for rows in drawn)
    assert set(sum(drawn, [])) == set(everything) and drawn[3] == heaviest(4, 3)


def test_relational_verbs_are_of_pairs_seen_twice_and_frequent_common_nouns(tiny, spaces, settings):
    """The triples: chase (5), chase (2), feed (3), drink (1: too few), drink (4: its object is rare)."""
    rare = replace(tiny.counts, frequency=tiny.counts.frequency | {"water|NOUN": 9})
    verbs = relpron_training.relational_verbs(spaces["Count"], rare, settings)
    assert tuple(verbs.verbs) == ("chase|VERB", "feed|VERB") and verbs.verb_of.tolist() == [0, 0, 1]
    assert verbs.subject_of.tolist() == [0, 1, 2] and verbs.object_of.tolist() == [6, 7, 3]
    verbs = relpron_training.relational_verbs(spaces["Count"], tiny.counts, changed(tiny, relational_pair_count=5))
    assert tuple(verbs.verbs) == ("chase|VERB",) and verbs.subject_of.tolist() == [0]
    words = Labels(["rome|PROPN", "kitten|NOUN", "chase|VERB"])
    svo = Phrases(words, np.array([[0, 2, 1], [1, 2, 1]], dtype=np.int32), np.array([9, 9]))
    names = replace(tiny.counts, svo=svo, frequency=dict.fromkeys(words, 100))
    assert relpron_training.relational_verbs(spaces["Count"], names, settings).subject_of.tolist() == [1]


# --------------------------------------------------------------------------------------------------------- rankings


def test_verbs_without_a_matrix_are_listed(tiny, spaces, models):
    """*feed* stands in 2 object clauses (its subject matrix times the argument) and 2 subject clauses."""
    verbs, rest = models["Skip-Gram"].verbs, [0, 2]
    verbs = replace(verbs, subject_verbs=verbs.subject_verbs.take(rest), subject=verbs.subject[rest])
    model = replace(models["Skip-Gram"], verbs=verbs)

    def rank(system):
        return relpron_models.rank(spaces["Skip-Gram"], model, tiny.tasks[0], system)

    for system, properties in {"VArg": 2, "Vhn": 2, "PLF": 4, "Addition": 0, "Frobenius": 0}.items():
        lacking = {("feed|VERB", "subject"): properties} if properties else {}
        assert rank(system).lacking == lacking, system
    space = spaces["Skip-Gram"].space
    instead = space["animal|NOUN"] + (space["feed|VERB"] + space["family|NOUN"])
    similarity = rank("SPLF").similarity
    assert similarity[0, 1] == pytest.approx(cosines(space["kitten|NOUN"], instead).item(), abs=2**-11)  # in halves


# ---------------------------------------------------------------------------------------------------------- figures


def planted(task, similarity, system="Addition", space="Skip-Gram") -> Ranking:
    return Ranking(system, space, task, np.asarray(similarity, dtype=float), np.zeros((0, 0)))


@pytest.fixture
def full(tiny, monkeypatch, tmp_path):
    """A full profile with two seeds, whose corpus gives the tiny counts, and a place for what is stored."""
    rows, vectors = tiny.counts.vectors.rows, tiny.counts.vectors.vectors
    counts = replace(tiny.counts, vectors=Space(rows, relpron_models.halved(vectors)))  # as they come from a corpus
    gathered = []

    def gather(corpus, needed, profile, *, spaces):
        gathered.append((corpus.n_tokens, profile["seed"], spaces))
        turned = Space(rows, counts.vectors.vectors[:, ::-1] if profile["seed"] == 4 else counts.vectors.vectors)
        kept = {name: table for name, table in counts.counts.items() if name in spaces}
        return replace(counts, counts=kept, vectors=turned)

    monkeypatch.setattr(relpron_models, "wikipedia", lambda files=None: SimpleNamespace(n_tokens=1000 * (files or 16)))
    monkeypatch.setattr(relpron_models, "gather", gather)
    terms = sum(len(task.terms) for task in tiny.tasks)
    monkeypatch.setattr(beyond, "quarters", lambda *_: np.arange(8)[:, None] * np.full(terms, 0.1))
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path))
    monkeypatch.setattr(ledger, "path", ledger.latest)
    settings = tiny.profile.settings | {"words": 15, "seeds": {"relpron": 2}}
    settings["spaces"] = settings["spaces"] | {"skipgram": {"phrase_epochs": 20, "phrase_rate": 0.05}}
    return Profile("full", settings), counts, gathered


def test_a_whole_run_and_then_a_quick_one(full, tiny):
    profile, counts, gathered = full
    whole = chapter.run(profile, quick=False, prepared=relpron_models.trained_on(counts, profile, tiny.tasks))
    both = ("Skip-Gram", "Count")
    assert set(gathered) == {*((1000 * size, 3, both) for size in chapter.SIZES), (16000, 4, ("Skip-Gram",))}
    check_complete(whole)
    effects = {row.metric: row.value for row in whole.find(space="Skip-Gram @ a quarter", split="test")}
    assert list(effects.values()) == pytest.approx([0.4, 0.2, 0.1])  # as the bits of a row's number
    for space, trained in {"Skip-Gram": True, "Ensemble": True, "Count-SVD": None}.items():
        assert {row.trained for row in whole.find(space=space)} == {trained}
    curve = whole.find(system="PLF", series="Skip-Gram", split="dev")
    left = dict.fromkeys((2000, 4000, 8000), NOT_REPEATED)
    assert {row.tokens: row.trained for row in curve} == {1000: None, **left, 16000: True}
    assert [row.published for row in curve] == [None] * 5
    assert any(row.value > 0 for row in whole.find(metric="MAP, sd of seeds"))
    gathered.clear()
    without = replace(counts, vectors=None, phrase_vectors={})
    quick = chapter.run(profile, quick=True, prepared=relpron_models.trained_on(without, profile, tiny.tasks))
    assert gathered == [(1000, 3, both)] and compare(whole, quick, subset=True) == []
    left = {row.key for row in whole.results} - {row.key for row in quick.results}
    assert len(left) == 3 * 2 * 6 and {key[1].split()[2] for key in left} == {"2000", "4000", "8000"}
    for name, value in {"relpron.verb_penalty": 9.0, "beyond.nouns": 2}.items():
        with pytest.raises(StorageError, match=f"other settings.*{name.partition('.')[0]}"):
            relpron_models.trained_on(without, profile.replace({name: value}), tiny.tasks)


def check_complete(results: Results) -> None:
    """Every method on every space that has it, both splits; the five steps beyond; the claims."""
    ranked = {(row.system, row.space) for row in results.find(metric="MAP", tokens=None)}
    expected = {(system, space) for system in METHODS for space in ("Count-SVD", "Skip-Gram", "PPMI-SVD")}
    expected |= {(system, "Count") for system in WORDS_ONLY} | {(s, "Skip-Gram") for s in (*TEXT, *FURTHER, *TENSORS)}
    further = ("Ensemble", "low rank", "a quarter")
    assert {place for place in ranked if not any(name in "".join(place) for name in further)} == expected
    assert len(results.find(space="Ensemble", metric="MAP")) == 10
    assert len(results.claims) == 18  # there are no buildings


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_stored_vectors_are_of_todays_settings(seed):
    profile = load_profile("full")
    name = f"{relpron_models.NAME}-{profile['seed'] + seed}" if seed else relpron_models.NAME
    made = SimpleNamespace(corpus=committed("relpron").made_with["corpus"])
    depends = relpron_models.depends(made, profile.replace({"seed": profile["seed"] + seed}))
    arrays, _ = ledger.read(name, depends, ["words"])
    systems = len(LEARNED) + (0 if seed else len(TENSORS))
    assert len(arrays) == 1 + 2 * systems and all(np.isfinite(rows).all() for rows in arrays.values())


# ----------------------------------------------------------------------------------------------------------- claims


def test_claims_are_tested_by_terms_and_by_head_nouns():
    """Four terms of two head nouns; what the paper prints of dev alone stands in for what it does not print of test."""
    labels = {"term": np.array(list("abcd")), "head": np.array(["x", "y", "x", "x"])}
    place = ("Addition", "Count", "d")
    dev = Scores(*place, "dev", "MAP", [1, 0], labels={name: of[:2] for name, of in labels.items()}, published=0.7)
    test = Scores(*place, "test", "MAP", [0, 1, 1, 0], labels=labels)
    terms, heads = [score for score in chapter.by_units([dev, test]) if score.split == "test"]
    assert (terms.role, heads.role, terms.published) == ("terms", "head nouns", 0.7)
    assert terms.by_group().tolist() == [0, 1, 1, 0] and heads.by_group().tolist() == [0.5, 0.5]  # sums, by 2 / 4
    own = replace(test, published=0.6)
    assert {score.published for score in chapter.by_units([own])} == {0.6}


@pytest.mark.parametrize(("values", "verdict"), [([0.5, 1.0, 0.2], "holds"), ([1.0, 0.5, 0.2], "fails")])
def test_one_other_order_within_a_head_noun_refutes_that_two_systems_are_one(values, verdict):
    of = {"SPLF": [0.5, 1.0, 0.2], "VArg": values}
    place = ("Skip-Gram", "d", "dev", "MAP within head noun: mean")
    (test,) = chapter.same_order([Scores(system, *place, values) for system, values in of.items()], seed=0)
    assert test.verdict == verdict and test.n == (3,)
