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
    tree = sentence("The Acorn/1 Inc./1 of Leeds swallowed Walnut/2 whole")
    marked, second = rc.entity_tokens(tree), rc.entity_tokens(tree, which=(2,))
    assert (np.flatnonzero(marked).tolist(), np.flatnonzero(second).tolist()) == ([1, 2, 6], [6])
    several = Token(1, "Acorn", "acorn", "X", "_", "_", 0, "root", "_", "SpaceAfter=No|Entity=1")
    assert rc.entity_tokens(Sentence((several,))).tolist() == [True]
    with pytest.raises(TaskError, match="Entity=3 on 'Acorn'"):
        rc.entity_tokens(sentence("Acorn/3 buys Walnut/2"))


def test_pairs_of_a_set():
    pairs = (pair_of([1, 1, 0], "A/B"), pair_of([1, 0, 0], "C/D"), pair_of([1, 1], "E/F"))
    relations = Relations("mine", pairs)
    assert len(relations) == 3 and list(relations) == list(pairs) and relations.usable == pairs[:1]
    larger = Relations("mine", (pair_of([1] * 4 + [0] * 3, "A/B"), pair_of([1] * 4 + [0] * 4, "C/D")), fewest=4)
    assert [pair.name for pair in larger.usable] == ["C/D"]


# --------------------------------------------------------------------------------------------------------------- sets


TEACHING = {"acq1.01": "Acorn/1 buys Walnut/2", "acq1.02": "Acorn/1 owns Walnut/2", "born1.01": "Ada/1 of Leeds/2"}
ROWS = (
    "acq1.01;acquires;Acorn/Walnut;1;plain", "acq1.02;acquires;Acorn/Walnut;0;verb",
    "born1.01;was born in;Ada/Leeds;1;noun",
)  # fmt: skip


def teaching_set(folder, rows=ROWS, sentences=TEACHING):
    written(folder / "sentences.tsv", *(row.replace(";", "\t") for row in (";".join(rc.COLUMNS), *rows)))
    written(folder / "relations.conllu", conllu(sentences))
    return folder


def test_teaching_set(tmp_path):
    relations = rc.load(teaching_set(tmp_path))
    assert relations.name == tmp_path.name
    assert [(p.relation, p.name, p.ids, p.expresses.tolist(), p.variation) for p in relations] == [
        ("acquires", "Acorn/Walnut", ("acq1.01", "acq1.02"), [True, False], ("plain", "verb")),
        ("was born in", "Ada/Leeds", ("born1.01",), [True], ("noun",)),
    ]


@pytest.mark.parametrize(("rows", "sentences", "message"), [
    ((*ROWS, ROWS[0]), TEACHING, "line 5: id 'acq1.01' stands already in"),
    ((*ROWS, "acq1.09;acquires;Acorn/Walnut;1;plain"), TEACHING, "sentences.tsv, line 5: 'acq1.09' has no sentence in"),
    (ROWS[:-1], TEACHING, "relations.conllu: 'born1.01' is not in sentences.tsv"),
    (["acq1.01;acquires;A/B;maybe;plain"], TEACHING, "line 2: expresses must be one of 0, 1"),
    (["acq1.01;owns;A/B;1;plain"], TEACHING, "line 2: relation must be one of acquires"),
    ((*ROWS[:2], "born1.01;was born in;Acorn/Walnut;1;noun"), TEACHING, "the pair Acorn/Walnut occurs twice"),
    (ROWS, {**TEACHING, "acq1.02": "Acorn owns Walnut/2"}, "acq1.02: no token has Entity=1 in MISC"),
])  # fmt: skip
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
    np.testing.assert_allclose(found.false_positive_rate, [0, 0, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(found.true_positive_rate, [0, 1 / 3, 2 / 3, 1, 1])


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


def test_a_set_is_resampled_pair_by_pair_and_alike_for_every_system(rng):
    relations = Relations("mine", (pair_of(np.arange(20) < 12, "A/B"), pair_of(np.arange(15) < 5, "C/D")))
    task = rc.task(relations, tuple)
    similarity = rng.integers(0, 5, len(task.pairs)).astype(float)
    by_pair, measure = rc.matrices(relations, similarity), task.measures["AUC"]
    drawn = measure.resampled(similarity, 300, 2)
    weights = rc.resample_weights(relations.pairs[1], 300, 2)
    np.testing.assert_array_equal(drawn[1], rc.bootstrap_auc(by_pair["C/D"], relations.pairs[1], weights))
    low, high = np.quantile(drawn.mean(axis=0), [0.025, 0.975])
    assert low < rc.score_all(by_pair, relations).average == task.value(similarity) < high
    np.testing.assert_array_equal(measure.resampled(2 * similarity + 1, 300, 2), drawn)  # the same order
