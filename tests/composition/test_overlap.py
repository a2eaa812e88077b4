"""Lemma overlap against hand-computed values and against the definition, sentence by sentence."""

import numpy as np
import pytest

from cdsm_lib.composition.overlap import content_lemmas, overlap, overlap_between, overlap_matrix
from cdsm_lib.text.corpus import Sentence, Token


def sentence(*words) -> Sentence:
    """A flat sentence of (form, lemma) or of forms that are their own lemmas."""
    pairs = [(word, word.lower()) if isinstance(word, str) else word for word in words]
    return Sentence(tuple(Token(i, *pair, "X", "_", "_", 0, "dep", "_", "_") for i, pair in enumerate(pairs, 1)))


def test_overlap_by_hand():
    assert overlap(["a", "a", "b"], ["a", "c"]) == 3
    assert overlap(["a", "c"], ["a", "a", "b"]) == 3
    assert overlap(["a", "b"], ["c"]) == 0
    assert overlap(["a", "a"], ["a", "a"]) == 4
    assert overlap([], ["a"]) == overlap([], []) == 0


def test_content_lemmas_leave_out_function_words_and_punctuation():
    inflected = (("gardeners", "gardener"), ("were", "be"), ("watering", "water"))
    words = ("The", *inflected, "9", "roses", ",", "--", "$", "It")
    assert content_lemmas(sentence(*words)) == ["gardener", "water", "9", "roses"]


def test_a_token_is_a_function_word_by_its_lemma_or_by_its_form():
    assert content_lemmas(sentence(("ca", "can"), ("n't", "not"), ("Its", "itz"), ("fleurs", "the"))) == []
    assert content_lemmas(sentence(("can", "tin"), ("tins", "tin"))) == ["tin"]
    tagged = (("Can", "can", "NOUN"), ("can", "can", "AUX"), ("needs", "need", "VERB"), ("like", "like", "ADP"))
    tokens = (Token(i, *word, "_", "_", 0, "dep", "_", "_") for i, word in enumerate(tagged, 1))
    assert content_lemmas(Sentence(tuple(tokens))) == ["can", "need"]


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
