"""Texts, tasks and systems: a vocabulary, vectors, similarities and resamples, all by hand."""

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import OVERLAP
from cdsm_lib.composition.contextual import Simple
from cdsm_lib.labels import Labels
from cdsm_lib.tasks.system import significant, vectors
from cdsm_lib.tasks.task import Measure, Task, Text, Vocabulary, together
from cdsm_lib.text.corpus import sentence
from cdsm_lib.text.dependencies import Arc, arcs
from cdsm_lib.vectors.space import Space


def seen(*words) -> Text:
    """A text without dependencies; every word is known, and its lemma what stands before the tag."""
    return Text(tuple(word.split("|")[0] for word in words), words)


def dense(matrix) -> np.ndarray:
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def test_a_word_is_found_by_its_tag_or_else_by_its_lemma():
    words = Vocabulary(Labels(["run|VERB", "dog|NOUN", "run|NOUN"]))
    assert words.find("run", "NOUN") == "run|NOUN"
    assert words.find("run", "ADJ") == "run|VERB"  # the most frequent with this lemma
    assert words.find("dog", "PROPN") == "dog|NOUN"
    assert words.find("cat", "NOUN") is None
    assert Vocabulary(Labels(["a|b|NOUN"])).find("a|b", "VERB") == "a|b|NOUN"


def test_a_sentence_as_the_models_see_it():
    clause = "The|DET/2/det dogs:dog/3/nsubj barked:bark|VERB/0/root"
    tree = sentence(f"{clause} at|ADP/5/case Rex|PROPN/3/obl .|PUNCT/3/punct")
    text = Text.of(tree, Vocabulary(Labels(["bark|NOUN", "dog|NOUN"])))
    assert text.lemmas == ("dog", "bark", "rex")
    assert text.words == (None, "dog|NOUN", "bark|NOUN", None, None, None)
    assert text.unknown == ("rex|PROPN",)
    assert text.arcs == tuple(arcs(tree))
    assert {Arc(2, "nsubj", 1), Arc(2, "prep_at", 4)} <= set(text.arcs)


@pytest.fixture(params=["dense", "sparse"])
def flat(request):
    """Four words of two dimensions; one of them is zero."""
    rows = np.array([[1, 0], [0, 1], [1, 1], [0, 0]], dtype=np.float32)
    words = ["dog|NOUN", "bark|VERB", "cat|NOUN", "zero|NOUN"]
    return Simple(Space(words, rows if request.param == "dense" else sparse.csr_array(rows)))


def test_vectors_by_hand(flat):
    by_operation = vectors(flat, [seen("dog|NOUN", "cat|NOUN"), seen("dog|NOUN", "bark|VERB"), seen("zero|NOUN")])
    assert tuple(by_operation) == ("add", "mult")
    assert dense(by_operation["add"]).tolist() == [[2, 1], [1, 1], [0, 0]]
    assert dense(by_operation["mult"])[:2].tolist() == [[1, 0], [0, 0]]


def mean_of_thirds(similarity):
    return similarity.reshape(-1, 2).mean(axis=1)


def test_similarities_by_hand(flat):
    texts = (seen("dog|NOUN", "bark|VERB"), seen("cat|NOUN", "dog|NOUN"), seen("zero|NOUN"))
    pairs = np.array([(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (2, 2)])
    task = Task("t", "mine", "all", texts, pairs, {"mean": Measure(mean_of_thirds)}, 3)
    by_system = contextual_models.similarities({"M&L": flat}, task)
    assert list(by_system) == [OVERLAP, "M&L add", "M&L mult", "M&L add + overlap", "M&L mult + overlap"]
    shared = by_system[OVERLAP]
    assert shared.tolist() == [4, 2, 2, 0, 4, 2] and shared.dtype == np.float64
    near = 3 / np.sqrt(10)  # (1, 1) and (2, 1)
    np.testing.assert_allclose(by_system["M&L add"], [1, near, near, 0, 1, 0], rtol=1e-6)
    np.testing.assert_allclose(by_system["M&L mult"], [0, 0, 0, 0, 1, 0], rtol=1e-6)
    for system in ("M&L add", "M&L mult"):
        np.testing.assert_array_equal(by_system[f"{system} + overlap"], by_system[system] + shared)
    assert list(contextual_models.similarities({"M&L": flat}, task, ["M&L add"])) == ["M&L add"]
    assert task.value(shared) == pytest.approx((3 + 1 + 3) / 3)


def test_items_of_a_unit_are_drawn_together():
    """Two items of a unit are 0 and 1, the third alone is 1: a resample has 0 to 2 of each unit, never half of one."""
    task = Task("t", "mine", "all", (), np.zeros((3, 2), int), {"x": Measure(np.asarray)}, 3, together("aab"))
    values = np.array([0.0, 1, 1])
    drawn = task.resampled(values, 200, 1)
    assert set(np.round(drawn, 6)) == {0.5, round(2 / 3, 6), 1.0}
    scores = task.scores("s", "none", values)
    assert scores.groups.tolist() == [0, 0, 1] and scores.value == pytest.approx(2 / 3)


def test_items_that_are_statistics_have_scores_of_their_own():
    measure = Measure(np.asarray, lambda similarity, n, seed: np.array([[0.0, 1], [1, 1]]))
    labels = {"kind": np.array(["AN", "NN"])}
    task = Task("t", "mine", "average", (), np.zeros((2, 2), int), {"x": measure}, 30, labels=labels, sizes=(10, 20))
    *kinds, average = task.with_items("s", "none", np.array([0.25, 0.75]), tolerance=0.01)
    assert [(score.split, score.value, score.n) for score in kinds] == [("AN", 0.25, 10), ("NN", 0.75, 20)]
    assert (average.split, average.value, average.n, average.resamples.tolist()) == ("average", 0.5, 30, [0.5, 1])
    assert task.scores("s", "none", np.array([0.25, 0.75])).value == 0.5


def test_significant_digits_keep_small_cosines_apart_and_noise_together():
    values = np.array([0.0123456, 3.14159e-20, 1.0, 0.0, -0.5678])
    assert significant(values, 2).tolist() == pytest.approx([0.012, 3.1e-20, 1.0, 0.0, -0.57], rel=1e-12)
    noisy = np.array([0.1 + 0.2, 0.3, 1e-30, 2e-30])
    rounded = significant(noisy)
    assert noisy[0] != noisy[1] and rounded[0] == rounded[1]
    assert rounded[2] < rounded[3]
