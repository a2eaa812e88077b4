"""Lemma overlap against hand-computed values."""

import numpy as np
import pytest

from cdsm_lib.composition.overlap import content_lemmas, overlap, overlap_matrix
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


def test_the_overlap_of_every_two_sentences_by_hand():
    matrix = overlap_matrix([["a", "a", "b"], ["a", "c"], []])
    np.testing.assert_array_equal(matrix, [[6, 3, 0], [3, 4, 0], [0, 0, 0]])
    assert matrix.dtype == np.int64


@pytest.mark.parametrize("call", [
    lambda: overlap("a rose", ["a"]), lambda: overlap(["a"], "a rose"), lambda: overlap_matrix(["a rose", "a tulip"]),
])  # fmt: skip
def test_a_string_is_not_a_list_of_lemmas(call):
    with pytest.raises(TypeError, match="content_lemmas"):
        call()
