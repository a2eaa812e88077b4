"""Lemma overlap against hand-computed values and against the definition, sentence by sentence."""

import numpy as np
import pytest

from cdsm_lib.composition.overlap import content_lemmas, overlap, overlap_between, overlap_matrix
from cdsm_lib.text.corpus import sentence


def test_overlap_by_hand():
    assert overlap(["a", "a", "b"], ["a", "c"]) == 3
    assert overlap(["a", "c"], ["a", "a", "b"]) == 3
    assert overlap(["a", "b"], ["c"]) == 0
    assert overlap(["a", "a"], ["a", "a"]) == 4
    assert overlap([], ["a"]) == overlap([], []) == 0


@pytest.mark.parametrize(("text", "expected"), [
    ("The|X gardeners:gardener|X were:be|X watering:water|X 9|X roses|X ,|X --|X $|X It|X", "gardener water 9 roses"),
    ("ca:can|X n't:not|X Its:itz|X fleurs:the|X", ""),  # a function word by its lemma or by its form
    ("can:tin|X tins:tin|X", "tin"),
    ("Can|NOUN can|AUX needs:need|VERB like|ADP", "can need"),  # with its tag
])  # fmt: skip
def test_content_lemmas_leave_out_function_words_and_punctuation(text, expected):
    assert content_lemmas(sentence(text)) == expected.split()


def random_sentences(rng, n):
    return [rng.choice(list("abcdefgh"), rng.integers(0, 9)).tolist() for _ in range(n)]


def test_matrices_agree_with_the_definition(rng):
    first, second = random_sentences(rng, 12), [*random_sentences(rng, 7), ["unseen", "a"]]
    expected = [[overlap(a, b) for b in second] for a in first]
    between = overlap_between(first, second)
    np.testing.assert_array_equal(between, expected)
    np.testing.assert_array_equal(overlap_between(second, first), between.T)
    matrix = overlap_matrix(first)
    np.testing.assert_array_equal(matrix, [[overlap(a, b) for b in first] for a in first])
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), [2 * len(a) for a in first])
    assert between.dtype == matrix.dtype == np.int64


@pytest.mark.parametrize("call", [
    lambda: overlap("a rose", ["a"]), lambda: overlap(["a"], "a rose"), lambda: overlap_matrix(["a rose", "a tulip"]),
    lambda: overlap_between("ab", [["a"]]),
])  # fmt: skip
def test_a_string_is_not_a_list_of_lemmas(call):
    with pytest.raises(TypeError, match="content_lemmas"):
        call()
