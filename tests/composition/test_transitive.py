"""Transitive sentences: every formula by hand, and the laws that tie one to the other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdsm_lib.composition.linear import RowMatrices
from cdsm_lib.composition.transitive import (
    METHODS,
    copy_object,
    copy_subject,
    frobenius_add,
    frobenius_mult,
    kronecker,
    relational,
    relational_matrices,
)

S, O, WORD = np.array([[1, 2], [0, 1]]), np.array([[3, -1], [2, 2]]), np.array([[2, 1], [1, -1]])  # noqa: E741
V = np.array([[[2, 4], [0, 3]], [[1, 0], [5, 2]]])
"""Of each sentence: its verb seen with (1, 0) and (2, 1), (1, 1) and (0, 3), say."""

BY_HAND = {
    # V o = (2, -3) and (2, 14); V' s = (2, 10) and (5, 2)
    "relational": [[6, -4, 0, -6], [0, 0, 10, 4]],
    "copy-subject": [[2, -6], [0, 14]],
    "copy-object": [[6, -10], [10, 4]],
    "Frobenius add": [[8, -16], [10, 18]],
    "Frobenius mult": [[12, 60], [0, 56]],
    # v x v = (4, 2 | 2, 1) and (1, -1 | -1, 1); s x o = (3, -1 | 6, -2) and (0, 0 | 2, 2)
    "Kronecker": [[12, -2, 12, -2], [0, 0, -2, 2]],
}


@pytest.mark.parametrize("name", METHODS)
def test_formulas_by_hand(name):
    verb = WORD if name == "Kronecker" else V
    np.testing.assert_allclose(METHODS[name](S, verb, O), BY_HAND[name])
    if name != "Kronecker":
        shared = RowMatrices(V[::-1], np.array([1, 0]))
        np.testing.assert_allclose(METHODS[name](S, shared, O), BY_HAND[name])
        np.testing.assert_allclose(METHODS[name](S[:1], V[0], O[:1]), BY_HAND[name][:1])


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_laws(seed):
    rng = np.random.default_rng(seed)
    s, v, o = rng.standard_normal((3, 5, 4))
    M = rng.standard_normal((5, 4, 4))
    matrices = relational(s, M, o).reshape(5, 4, 4)
    np.testing.assert_allclose(matrices.sum(axis=2), copy_subject(s, M, o))  # what Frobenius' copying sums over
    np.testing.assert_allclose(matrices.sum(axis=1), copy_object(s, M, o))
    np.testing.assert_allclose(kronecker(s, v, o), relational(s, np.einsum("ni,nj->nij", v, v), o))
    np.testing.assert_allclose(copy_object(s, M, o), copy_subject(o, M.swapaxes(1, 2), s))
    for compose in METHODS.values():  # of degree one in each word, but for the product of two sentences
        verb, degree = (v, 2) if compose is kronecker else (M, 2 if compose is frobenius_mult else 1)
        power = degree if compose is frobenius_mult else 1
        np.testing.assert_allclose(compose(-3 * s, verb, o), (-3) ** power * compose(s, verb, o))
        np.testing.assert_allclose(compose(s, 2 * verb, o), 2**degree * compose(s, verb, o))
    for compose in (frobenius_add, frobenius_mult):  # which know no order but through the verb
        np.testing.assert_allclose(compose(o, M.swapaxes(1, 2), s), compose(s, M, o))


def test_matrices_of_verbs_by_hand():
    verbs, matrices = relational_matrices(["see", "eat", "see"], [[1, 0], [1, 2], [1, 1]], [[2, 1], [0, 1], [0, 3]])
    assert list(verbs) == ["see", "eat"]
    np.testing.assert_array_equal(matrices, [[[2, 4], [0, 3]], [[0, 1], [0, 2]]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: relational_matrices(["see"], [[1, 0]] * 2, [[1, 0]] * 2), ValueError, "1 verbs, 2 subjects"),
        (lambda: relational(S, V, O[:1]), ValueError, "a sentence a row"),
        (lambda: relational(S[0], V, O[0]), ValueError, "a sentence a row"),
        (lambda: kronecker(S, WORD[:, :1], O), ValueError, "of one length"),
        (lambda: copy_subject(S, V, O[:1]), ValueError, "2"),
        (lambda: relational(S, RowMatrices(V, np.array([0, -1])), O), KeyError, "1 of 2 sentences"),
        (lambda: copy_object(S, RowMatrices(V, np.array([0, -1])), O), KeyError, "1 of 2 rows"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
