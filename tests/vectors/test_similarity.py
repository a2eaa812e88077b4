"""Cosines by hand, their laws, and what cannot be compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from cdsm_lib.vectors.similarity import cosines, paired_cosines

KINDS = [np.asarray, sparse.csr_array, sparse.coo_array]
TABLES = hnp.arrays(np.float64, (4, 3), elements=st.integers(-3, 3))


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_cosines_by_hand(first, second):
    """cos((1, 2, 2), (2, 0, 1)) = 4 / (3 sqrt 5); a row of zeros has none."""
    a, b = first(np.array([[1.0, 2, 2], [0, 0, 0]])), second(np.array([[2.0, 0, 1], [3, 0, 4]]))
    np.testing.assert_allclose(cosines(a, b), [[4 / (3 * 5**0.5), 11 / 15], [0, 0]])
    np.testing.assert_allclose(paired_cosines(a, b), [4 / (3 * 5**0.5), 0])
    np.testing.assert_allclose(cosines(a, b, undefined=np.nan), [[4 / (3 * 5**0.5), 11 / 15], [np.nan] * 2])
    np.testing.assert_allclose(paired_cosines(b, a, undefined=np.nan), [4 / (3 * 5**0.5), np.nan])


@given(TABLES, TABLES, st.sampled_from([1e-200, 0.5, 1e200]))
def test_laws_of_the_cosine(a, b, scale):
    """Symmetric, from -1 to 1, the same at any length, for pairs as for all, dense as sparse, alone as in company."""
    every, pairs = cosines(a, b), paired_cosines(a, b)
    assert np.abs(every).max() <= 1
    np.testing.assert_allclose(every, cosines(b, a).T, atol=1e-12)
    np.testing.assert_allclose(every, cosines(scale * a, b), atol=1e-12)
    np.testing.assert_allclose(every, cosines(sparse.csr_array(a), b), atol=1e-12)
    np.testing.assert_allclose(every.diagonal(), pairs, atol=1e-12)
    assert pairs.tolist() == [paired_cosines(u, v).item() for u, v in zip(a, b, strict=True)]
    np.testing.assert_allclose(every[:, 1], paired_cosines(a, b[1]), atol=1e-12)
    np.testing.assert_allclose(cosines(a, a).diagonal(), a.any(axis=1), atol=1e-12)


def test_cosines_of_wide_sparse_tables_equal_those_of_dense_ones():
    rng = np.random.default_rng(0)
    dense = rng.standard_normal((5, 30)) * (rng.random((5, 30)) < 0.4)
    other = rng.standard_normal((3, 30)) * (rng.random((3, 30)) < 0.4)
    other[1] = 0
    wide = []
    for table in (dense, other):
        row, column = np.nonzero(table)
        wide.append(sparse.csr_array((table[row, column], (row, column * 10**10)), shape=(len(table), 10**12)))
    expected = cosines(dense, other)
    np.testing.assert_allclose(cosines(*wide), expected, atol=1e-12)
    np.testing.assert_allclose(cosines(sparse.csr_array(dense), sparse.csr_array(other)), expected, atol=1e-12)
    assert not expected[:, 1].any() and expected.shape == (5, 3)


@pytest.mark.parametrize("compare", [cosines, paired_cosines])
@pytest.mark.parametrize(
    ("a", "b", "problem"),
    [
        (np.ones((1, 2)), np.ones((1, 3)), "rows of 2 and of 3 dimensions"),
        ([[1, np.nan]], [[1, 1]], "the first rows hold NaN"),
        ([[1, 1]], sparse.csr_array([[np.inf, 1]]), "the second rows hold NaN or infinity"),
    ],
)
def test_what_cannot_be_compared_is_refused(compare, a, b, problem):
    with pytest.raises(ValueError, match=problem):
        compare(a, b)
