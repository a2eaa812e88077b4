"""Relation classification: pairs, the teaching set's files, H and L, AUC with ties, and the bootstrap against lists
that are really resampled."""

import numpy as np
import pytest
from marked_sentences import conllu, pair_of, sentence, written

from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import relation_classification as rc
from cdsm_lib.tasks.relation_classification import Relations
from cdsm_lib.text.corpus import Sentence, Token


def symmetric(rng, n: int, values: int | None = None) -> np.ndarray:
    """A random similarity; whole numbers below `values` have ties."""
    upper = rng.integers(0, values, (n, n)).astype(float) if values else rng.random((n, n))
    return np.triu(upper) + np.triu(upper, 1).T


# ------------------------------------------------------------------------------------------------- pairs and entities


def test_entity_tokens():
    marked = rc.entity_tokens(sentence("The Acorn/1 Inc./1 of Leeds swallowed Walnut/2 whole"))
    assert marked.tolist() == [False, True, True, False, False, False, True, False]
    assert marked.dtype == bool
    second = rc.entity_tokens(sentence("Acorn/1 Inc./1 swallowed Walnut/2"), which=(2,))
    assert second.tolist() == [False, False, False, True]
    several = Token(1, "Acorn", "acorn", "X", "_", "_", 0, "root", "_", "SpaceAfter=No|Entity=1")
    assert rc.entity_tokens(Sentence((several,))).tolist() == [True]
    with pytest.raises(TaskError, match="Entity=3 on 'Acorn'"):
        rc.entity_tokens(sentence("Acorn/3 buys Walnut/2"))


def test_pairs_of_a_set():
    pairs = (pair_of([1, 1, 0], "A/B"), pair_of([1, 0, 0], "C/D"), pair_of([1, 1], "E/F"))
    relations = Relations("mine", pairs)
    assert len(relations) == 3 and list(relations) == list(pairs)
    assert relations.usable == pairs[:1]
    assert set(relations.unusable) == {"C/D", "E/F"}
    assert relations.unusable["C/D"].startswith("1 sentences that express")
    assert relations.unusable["E/F"] == "0 sentences that do not, 1 needed"
    larger = Relations("mine", (pair_of([1] * 4 + [0] * 3, "A/B"), pair_of([1] * 4 + [0] * 4, "C/D")), fewest=4)
    assert [pair.name for pair in larger.usable] == ["C/D"]
    assert larger.unusable == {"A/B": "3 sentences that do not, 4 needed"}
    with pytest.raises(TaskError, match="A/B occurs twice"):
        Relations("mine", pairs[:1] * 2)


# --------------------------------------------------------------------------------------------------------------- sets


TEACHING = {"acq1.01": "Acorn/1 buys Walnut/2", "acq1.02": "Acorn/1 owns Walnut/2", "born1.01": "Ada/1 of Leeds/2"}
TEACHING_ROWS = (
    "id;relation;pair;expresses;variation",
    "acq1.01;acquires;Acorn/Walnut;1;plain",
    "acq1.02;acquires;Acorn/Walnut;0;verb",
    "born1.01;was born in;Ada/Leeds;1;noun",
)


def teaching_set(tmp_path, rows=TEACHING_ROWS, sentences=TEACHING):
    folder = tmp_path / "relations"
    folder.mkdir()
    written(folder / "sentences.tsv", *(row.replace(";", "\t") for row in rows))
    written(folder / "relations.conllu", conllu(sentences))
    return folder


def test_teaching_set(tmp_path):
    relations = rc.load(teaching_set(tmp_path))
    assert relations.name == "relations"
    assert [(p.relation, p.name, p.ids, p.variation) for p in relations] == [
        ("acquires", "Acorn/Walnut", ("acq1.01", "acq1.02"), ("plain", "verb")),
        ("was born in", "Ada/Leeds", ("born1.01",), ("noun",)),
    ]
    assert relations.pairs[0].expresses.tolist() == [True, False]


@pytest.mark.parametrize(
    ("rows", "sentences", "message"),
    [
        ((*TEACHING_ROWS, "acq1.01;acquires;Acorn/Walnut;1;plain"), TEACHING, "line 5: id 'acq1.01' stands already in"),
        ((*TEACHING_ROWS, "acq1.09;acquires;Acorn/Walnut;1;plain"), TEACHING, "1 sentences, such as acq1.09, stand"),
        (TEACHING_ROWS[:-1], TEACHING, "1 sentences, such as born1.01, stand there or in relations.conllu alone"),
        ((TEACHING_ROWS[0], "acq1.01;acquires;A/B;maybe;plain"), TEACHING, "line 2: expresses must be one of 0, 1"),
        ((TEACHING_ROWS[0], "acq1.01;owns;A/B;1;plain"), TEACHING, "line 2: relation must be one of acquires"),
        (
            (*TEACHING_ROWS[:3], "born1.01;was born in;Acorn/Walnut;1;noun"),
            TEACHING,
            "the pair Acorn/Walnut occurs twice",
        ),
        (TEACHING_ROWS, {**TEACHING, "acq1.02": "Acorn owns Walnut/2"}, "acq1.02: no token has Entity=1 in MISC"),
        (TEACHING_ROWS, {"": "Acorn/1 owns Walnut/2"}, "sentence 1 has no '# sent_id ='"),
    ],
)
def test_bad_teaching_sets_are_refused(tmp_path, rows, sentences, message):
    with pytest.raises(TaskError, match=message):
        rc.load(teaching_set(tmp_path, rows, sentences))


# --------------------------------------------------------------------------------------------------------- H and L, AUC


def test_high_and_low_by_hand():
    high, low = rc.high_and_low([True, False, True, True, False])
    assert high.tolist() == [[0, 2], [0, 3], [2, 3]]
    assert low.tolist() == [[0, 1], [0, 4], [2, 1], [2, 4], [3, 1], [3, 4]]
    for labels in ([1, 0, 0], [1, 1, 1], [0, 0]):
        with pytest.raises(TaskError, match="AUC is undefined"):
            rc.high_and_low(labels)


def test_score_by_hand():
    # H: (0,1) 3, (0,2) 2, (1,2) 1; L: (0,3) 2, (1,3) 1, (2,3) 0: 6 wins and 2 ties of 9
    similarity = [[9, 3, 2, 2], [3, 9, 1, 1], [2, 1, 9, 0], [2, 1, 0, 9]]
    found = rc.score(similarity, pair_of([1, 1, 1, 0]))
    assert found.auc == pytest.approx(7 / 9)
    assert (found.name, found.high, found.low) == ("Acorn/Walnut", 3, 3)
    assert found.tied == pytest.approx(2 / 9)
    assert found.auc_high_first == pytest.approx(8 / 9)
    assert found.auc_low_first == pytest.approx(6 / 9)
    np.testing.assert_allclose(found.false_positive_rate, [0, 0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(found.true_positive_rate, [0, 1 / 3, 2 / 3, 1, 1])


def test_perfect_constant_and_reversed_systems():
    pair = pair_of([1, 1, 1, 0, 0])
    perfect = np.outer(pair.expresses, pair.expresses).astype(float)
    assert rc.score(perfect, pair).auc == 1
    assert rc.score(-perfect, pair).auc == 0
    constant = rc.score(np.ones((5, 5)), pair)
    assert (constant.auc, constant.tied, constant.auc_high_first, constant.auc_low_first) == (0.5, 1, 1, 0)


def test_the_diagonal_and_the_pairs_of_non_expressing_sentences_do_not_count(rng):
    pair = pair_of([1, 1, 1, 0, 0])
    similarity = symmetric(rng, 5)
    expected = rc.score(similarity, pair).auc
    np.fill_diagonal(similarity, -100)
    similarity[3, 4] = similarity[4, 3] = 100
    assert rc.score(similarity, pair).auc == expected


@pytest.mark.parametrize(
    ("similarity", "labels", "message"),
    [
        (np.zeros((2, 2)), [1, 1, 0], r"Acorn/Walnut: similarity of shape \(2, 2\), \[3, 3\] expected"),
        (np.full((3, 3), np.nan), [1, 1, 0], "9 similarities are NaN or infinite"),
        (np.triu(np.ones((3, 3)), 1), [1, 1, 0], "not symmetric, it differs by 1"),
        (np.zeros((2, 2)), [1, 0], "AUC is undefined: 1 sentences"),
    ],
)
def test_bad_similarities_are_refused(similarity, labels, message):
    with pytest.raises(TaskError, match=message):
        rc.score(similarity, pair_of(labels))
    rounded = np.ones((3, 3))
    rounded[0, 1] += 1e-12
    assert rc.score(rounded, pair_of([1, 1, 0])).high == 1


# ---------------------------------------------------------------------------------------------------------- bootstrap


def by_lists(similarity, expresses, weights) -> float:
    """AUC of sentences that are really repeated; copies of one sentence are not paired."""
    drawn = np.repeat(np.arange(len(weights)), weights)
    yes, no = drawn[expresses[drawn]], drawn[~expresses[drawn]]
    high = [similarity[i, j] for n, i in enumerate(yes) for j in yes[n + 1 :] if i != j]
    low = [similarity[i, j] for i in yes for j in no]
    return metrics.auc([*high, *low], np.arange(len(high) + len(low)) < len(high))


@pytest.mark.parametrize("values", [2, 5, None])
def test_bootstrap_auc_agrees_with_resampled_lists(rng, values):
    pair = pair_of(np.arange(14) % 7 < 3)
    similarity = symmetric(rng, 14, values)
    weights = rc.resample_weights(pair, 40, seed=1)
    expected = [by_lists(similarity, pair.expresses, w) for w in weights]
    np.testing.assert_allclose(rc.bootstrap_auc(similarity, pair, weights), expected, atol=1e-12)


def test_resamples_keep_the_size_of_both_classes():
    pair = pair_of([1, 0, 1, 0, 0, 0, 1])
    weights = rc.resample_weights(pair, 500, seed=3)
    assert weights.shape == (500, 7) and weights.dtype == np.int64
    yes, no = weights[:, pair.expresses], weights[:, ~pair.expresses]
    assert (yes.sum(axis=1) == 3).all() and (no.sum(axis=1) == 4).all() and ((yes > 0).sum(axis=1) >= 2).all()
    np.testing.assert_allclose(weights.mean(axis=0), 1, atol=0.15)
    np.testing.assert_array_equal(rc.resample_weights(pair, 500, seed=3), weights)
    assert (rc.resample_weights(pair, 500, seed=4) != weights).any()
    assert (rc.resample_weights(pair_of(pair.expresses, "other"), 500, seed=3) != weights).any()


@pytest.mark.parametrize("weights", [[[2, 0, 1]], [[1, 1, 0]]])
def test_resamples_without_high_or_low_pairs_are_refused(weights):
    with pytest.raises(TaskError, match="no sentence pair of H or of L"):
        rc.bootstrap_auc(np.zeros((3, 3)), pair_of([1, 1, 0]), np.array(weights))
    with pytest.raises(TaskError, match="cannot be resampled"):
        rc.resample_weights(pair_of([1, 0]))


def test_bootstrap_of_a_set_uses_the_same_resamples_for_every_system(rng):
    relations = Relations("mine", (pair_of(np.arange(20) < 12, "A/B"), pair_of(np.arange(15) < 5, "C/D")))
    system = {pair.name: symmetric(rng, len(pair), 5) for pair in relations}
    drawn = rc.bootstrap(system, relations, 300, seed=2)
    assert drawn.shape == (2, 300)
    weights = rc.resample_weights(relations.pairs[1], 300, 2)
    np.testing.assert_array_equal(drawn[1], rc.bootstrap_auc(system["C/D"], relations.pairs[1], weights))
    low, high = np.quantile(drawn.mean(axis=0), [0.025, 0.975])
    assert low < rc.score_all(system, relations).average < high
    monotone = {name: 2 * similarity + 1 for name, similarity in system.items()}  # the same order: no difference at all
    np.testing.assert_array_equal(rc.bootstrap(monotone, relations, 300, seed=2), drawn)
