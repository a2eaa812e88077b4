"""Sentence embeddings from tokens, worked out by hand."""

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib.composition.sentence import SIF, additive, bag_of_words, cosine_distances
from cdsm_lib.vectors.space import Space

SPACE = Space(["dogs", "cats", "bark"], np.array([[1, 0], [0, 2], [3, 4]]))

# ------------------------------------------------------------------------------------------------------- comparison


def test_distances_by_hand():
    # cos((1, 0), (1, 1)) = 1 / sqrt 2; opposite vectors; (3, 4) and (4, 3): 24 / 25
    first = np.array([[1, 0], [1, 2], [3, 4]])
    second = np.array([[1, 1], [-1, -2], [4, 3]])
    expected = [round(1 - 2**-0.5, 9), 2.0, 0.04]
    for a in (first, sparse.csr_array(first)):
        for b in (second, sparse.csr_array(second)):
            assert cosine_distances(a, b).tolist() == expected
    assert cosine_distances(first[:0], second[:0]).shape == (0,)


def test_equal_vectors_are_at_distance_zero_whatever_their_length(rng):
    vectors = rng.standard_normal((200, 50)).astype(np.float32)
    distances = cosine_distances(vectors, 3 * vectors)
    assert distances.dtype == np.float64 and distances.tolist() == [0.0] * 200
    assert not np.signbit(distances).any()


@pytest.mark.parametrize(
    "first, second, problem",
    [
        (np.ones((2, 3)), np.ones((3, 2)), "shapes are"),
        (np.ones((3, 2)), [[1, 1], [0, 0], [0, 0]], r"row 1 of .* is zero \(2 such rows of 3\).*leave"),
    ],
)
def test_vectors_that_cannot_be_compared(first, second, problem):
    with pytest.raises(ValueError, match=problem):
        cosine_distances(first, second)


# ----------------------------------------------------------------------------------------------------- bags of words


def test_counts_of_lower_cased_tokens():
    bags = bag_of_words([["The", "dog", "saw", "the", "cat"], [], ["cat"]])
    assert bags.dtype == np.int64
    assert bags.toarray().tolist() == [[1, 1, 1, 2], [0, 0, 0, 0], [1, 0, 0, 0]]  # cat dog saw the


def test_swaps_of_single_words_tie_and_those_of_repeated_words_do_not():
    # a b c d: one word of four changes, wherever it stands: cos = 3 / (2 * 2)
    once = bag_of_words([text.split() for text in ("a b c d", "x b c d", "a b c y")])
    assert cosine_distances(once[[0, 0]], once[[1, 2]]).tolist() == [0.25, 0.25]
    # a a b c: (2, 1, 1), length sqrt 6. One a becomes x: (1, 1, 1, 1): 4 / (sqrt 6 * 2). b becomes x: 5 / 6
    twice = bag_of_words([text.split() for text in ("a a b c", "x a b c", "a a x c")])
    assert cosine_distances(twice[[0, 0]], twice[[1, 2]]).tolist() == [round(1 - 2 / 6**0.5, 9), round(1 / 6, 9)]


def test_ties_in_long_sentences():
    words = [f"w{i}" for i in range(23)]
    swapped = [[*words[:i], "x", *words[i + 1 :]] for i in range(23)]
    bags = bag_of_words([words, *swapped])
    assert len(set(cosine_distances(bags[[0] * 23], bags[1:]).tolist())) == 1


def test_a_string_is_no_sentence():
    for embed in (bag_of_words, lambda sentences: additive(sentences, SPACE)):
        with pytest.raises(TypeError, match="tokenise it first"):
            embed(["the dog barks"])


# ------------------------------------------------------------------------------------------------------ word vectors


def test_sums_by_hand():
    vectors, unknown = additive([["Dogs", "BARK", "bark"], ["xyzzy", "cats"], ["xyzzy"], []], SPACE)
    assert vectors.dtype == np.float64
    assert vectors.tolist() == [[7, 8], [0, 2], [0, 0], [0, 0]]
    assert unknown.tolist() == [0, 1, 1, 0]


def test_a_sentence_has_the_same_sum_in_any_company(rng):
    words = [f"w{i}" for i in range(40)]
    space = Space(words, rng.standard_normal((40, 30)))
    sentences = [list(rng.choice(words, 12)) for _ in range(30)]
    together = additive(sentences, space)[0]
    for i, alone in enumerate(sentences):
        assert (additive([alone], space)[0][0] == together[i]).all()
        assert (additive([alone[::-1]], space)[0][0] == together[i]).all()


def test_smooth_inverse_frequency_by_hand():
    # p: dogs 1/2, cats 1/2, bark 0; a = 1/2: weights 1/2, 1/2, 1
    sif = SIF.fit([["dogs"], ["dogs", "nothing"]], SPACE, {"dogs": 3, "cats": 3}, a=0.5)
    np.testing.assert_allclose(sif.weights, [0.5, 0.5, 1])
    # both reference sentences point along (1, 0), so the first coordinate goes
    np.testing.assert_allclose(np.abs(sif.directions), [[1, 0]], atol=1e-15)
    # (dogs + bark) / 2 = ((0.5, 0) + (3, 4)) / 2 = (1.75, 2); (cats + cats) / 2 = (0, 1)
    vectors, unknown = sif.embed([["dogs", "bark"], ["Cats", "x", "cats"], ["x"]])
    np.testing.assert_allclose(vectors, [[0, 2], [0, 1], [0, 0]], atol=1e-15)
    assert unknown.tolist() == [0, 1, 1]


def test_without_a_component_the_weighted_mean_is_left():
    sif = SIF.fit([], SPACE, {"dogs": 1, "cats": 1}, a=0.5, components=0)
    assert sif.embed([["dogs", "bark"]])[0].tolist() == [[1.75, 2.0]]


def test_the_common_direction_does_not_depend_on_the_sentences_embedded(rng):
    words = [f"w{i}" for i in range(60)]
    space = Space(words, rng.standard_normal((60, 20)) + 1)
    sentences = [list(rng.choice(words, 8)) for _ in range(50)]
    sif = SIF.fit(sentences[:40], space, dict.fromkeys(words, 1), components=2)
    together = sif.embed(sentences)[0]
    np.testing.assert_allclose(together @ sif.directions.T, 0, atol=1e-12)
    np.testing.assert_allclose(sif.embed(sentences[45:])[0], together[45:], atol=1e-13)


@pytest.mark.parametrize(
    "sentences, frequency, settings, problem",
    [
        ([["x"]], {"dogs": 1}, {}, "0 sentences with known tokens"),
        ([["dogs"]], {"dogs": 1}, {"components": 2}, "1 sentences with known tokens"),
        ([["dogs"]], {}, {}, "counts no word"),
    ],
)
def test_common_directions_that_cannot_be_found(sentences, frequency, settings, problem):
    with pytest.raises(ValueError, match=problem):
        SIF.fit(sentences, SPACE, frequency, **settings)
