"""Composition of several vectors a word: combinations, the three strategies, closest senses."""

from itertools import product

import numpy as np
import pytest

from cdsm_lib.composition import elementwise
from cdsm_lib.composition.senses import STRATEGIES, closest_sense, products, similarity, sums
from cdsm_lib.vectors.similarity import cosines

TWO, THREE = np.array([[1.0, 2.0], [0.0, -1.0]]), np.array([[3.0, 0.0], [1.0, 1.0], [0.0, 2.0]])


def test_sums_by_hand():
    # (1, 2) + (3, 0), + (1, 1), + (0, 2); then (0, -1) + the same
    assert sums([TWO, THREE]).tolist() == [[4, 2], [2, 3], [1, 4], [3, -1], [1, 0], [0, 1]]


@pytest.mark.parametrize("senses_of_each", [(1,), (1, 1, 1), (2, 3), (2, 3, 2)])
@pytest.mark.parametrize(("compose", "operation"), [(sums, elementwise.add), (products, elementwise.mult)])
def test_words_give_every_combination_in_order(rng, compose, operation, senses_of_each):
    words = [rng.standard_normal((k, 4)) for k in senses_of_each]
    np.testing.assert_allclose(compose(words), [operation(*senses) for senses in product(*words)], rtol=1e-13)


def test_similarity_by_hand():
    # (1, 0) with (3, 4): 3/5; with (0, -2): 0; with (-1, 0): -1
    second = [[3, 4], [0, -2], [-1, 0]]
    found = [similarity([1, 0], second, strategy) for strategy in ("max", "min", "mean")]
    np.testing.assert_allclose(found, [0.6, -1.0, -0.4 / 3], atol=1e-15)


def test_a_zero_vector_has_cosine_zero():
    assert similarity([0, 0], [2, 1], "max") == 0
    # cosines 0 and -1: the unknown sense is the closest one
    assert similarity([1, 0], [[0, 0], [-1, 0]], "max") == 0
    assert similarity([1, 0], [[0, 0], [-1, 0]], "mean") == -0.5
    assert sums([TWO, np.zeros((1, 2))]).tolist() == TWO.tolist() and not products([TWO, np.zeros((1, 2))]).any()
    assert closest_sense([0, 0], [0, 0], [[1, 0], [0, 0], [0, 2]]).tolist() == [0, 0, 0]  # a full tie


@pytest.mark.parametrize("call", [
    lambda: similarity([1, np.nan], [1, 2]), lambda: closest_sense(TWO, [1, np.inf], [[1, 2]]),
    lambda: similarity([1, 2], [1, 2, 3]),
])  # fmt: skip
def test_what_has_no_cosine_is_refused(call):
    with pytest.raises(ValueError, match="NaN or infin|length|dimension|shape"):
        call()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_similarity_against_all_pairs(rng, strategy):
    for n, m in ((6, 4), (1, 1)):
        first, second = rng.standard_normal((n, 5)), rng.standard_normal((m, 5))
        reference = STRATEGIES[strategy](cosines(first, second).ravel())
        assert similarity(first, second, strategy) == pytest.approx(reference, abs=1e-14)
        assert similarity(second, first, strategy) == pytest.approx(reference, abs=1e-14)


def test_closest_sense_by_hand():
    senses, context, options = [[1, 0], [0, 1]], [2, 0], [[0, 2], [-4, 0]]
    # target (3, 0), (2, 1); first option (1, 2), (0, 3): cosines 1/√5, 0, 4/5, 1/√5
    # second option (-3, 0), (-4, 1): cosines -1, -4/√17, -2/√5, -7/√85
    first, second = [5**-0.5, 0, 0.8, 5**-0.5], [-1, -4 / 17**0.5, -2 / 5**0.5, -7 / 85**0.5]
    found = closest_sense(senses, context, options)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [max(first), max(second)], atol=1e-15)


def test_closest_sense_is_the_similarity_of_the_sums(rng):
    context, options = rng.standard_normal(6), rng.standard_normal((5, 6))
    for senses in (rng.standard_normal((3, 6)), rng.standard_normal(6)):
        reference = [similarity(sums([senses, context]), sums([senses, option])) for option in options]
        np.testing.assert_allclose(closest_sense(senses, context, options), reference, atol=1e-14)
