"""Weights of small tables by hand, agreement with plain NumPy, peripheral rows, context selection."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors.weighting import (
    Marginals,
    normalise_rows,
    pmi,
    ppmi,
    ratio,
    select_contexts,
    ttest,
)

# n_t = (8, 12), n_c = (5, 5, 10), N = 20
TABLE = np.array([[4, 0, 4], [1, 5, 6]])


def dense(matrix):
    assert isinstance(matrix, sparse.csr_array) and matrix.dtype == np.float64
    return matrix.toarray()


def test_ppmi_by_hand():
    """The positive logs of the ratios; cells at or below chance are not stored."""
    weights = ppmi(TABLE)
    np.testing.assert_allclose(dense(weights), [[log(2), 0, 0], [0, log(5 / 3), 0]])
    assert weights.nnz == 2 and weights.dtype == np.float64
    np.testing.assert_array_equal(dense(ppmi(Counts(TABLE, list("ab"), list("xyz")))), dense(weights))


WEIGHTS = [ppmi, pmi, ratio, ttest, lambda counts, **more: ppmi(counts, smoothing=0.75, **more)]


def test_contexts_that_the_core_lacks_have_no_weight():
    """P(c|t) = 1/4, 1/4, 1/2 and P(c) = 1/4, 0, 3/4."""
    core = Marginals(np.array([5, 0, 15.0]), 20)
    np.testing.assert_allclose(dense(ratio([[1, 1, 2]], marginals=core)), [[1, 0, 2 / 3]])
    for weight in WEIGHTS:
        assert np.isfinite(weight([[1, 1, 2]], marginals=core).data).all()


@pytest.mark.parametrize("weight", WEIGHTS)
def test_empty_and_unsound_input(weight):
    assert dense(weight(sparse.csr_array((2, 3)))).tolist() == [[0] * 3] * 2
    assert dense(weight([[0, 0], [0, 2]]))[0].tolist() == [0, 0]
    for value, problem in ((-1, "negative"), (np.nan, "negative or NaN"), (np.inf, "finite")):
        with pytest.raises(ValueError, match=problem):
            weight([[1, value]])
    for smoothing in (np.nan, "0.75", -1, 2, None):
        with pytest.raises(ValueError, match="smoothing=.*is a number from 0 to 1"):
            ppmi([[1, 2]], smoothing=smoothing)
    with pytest.raises(ValueError, match="marginals of"):
        weight([[1, 2]], marginals=Marginals(np.ones(3), 3))


COUNTS = hnp.arrays(np.int64, (4, 5), elements=st.integers(0, 20)).filter(np.any)


@settings(max_examples=50, deadline=None)
@given(COUNTS, st.sampled_from([1.0, 0.75]))
def test_weights_equal_the_formulas(counts, smoothing):
    total, row, column = counts.sum(), counts.sum(axis=1)[:, None], counts.sum(axis=0)
    smoothed = np.where(column > 0, column.astype(float) ** smoothing, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(counts > 0, counts / row / (smoothed / smoothed.sum()), 0)
        plain = np.where(counts > 0, counts / row / (column / total), 0)
        t = np.where(counts > 0, (counts / total - row * column / total**2) / np.sqrt(row * column / total**2), 0)
    for weights, expected in [
        (pmi(counts), np.log(plain, out=np.zeros_like(plain), where=plain > 0)),
        (ppmi(counts, smoothing=smoothing), np.log(np.maximum(ratios, 1))),
        (ratio(counts), plain),
        (ttest(counts), t),
        (ttest(counts, positive=True), np.maximum(t, 0)),
    ]:
        np.testing.assert_allclose(dense(weights), expected, rtol=1e-9, atol=1e-10)


def test_select_contexts_by_hand():
    weights = np.array([[1, 3, 2, 3, 3], [0, 5, 0, -1, 0], [2, 2, 2, 2, 2], [0, 0, 0, 0, 0.0]])
    two = [[0, 3, 0, 3, 0], [0, 5, 0, 0, 0], [2, 2, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert dense(select_contexts(weights, 2)).tolist() == two
    assert dense(select_contexts(weights, 5)).tolist() == np.maximum(weights, 0).tolist()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_normalise_rows(form):
    table = form(np.array([[3, 4], [0, 0], [0, -2]], dtype=np.float32))
    unit = normalise_rows(table)
    assert unit.dtype == np.float32
    values = unit.toarray() if sparse.issparse(unit) else unit
    np.testing.assert_allclose(values, [[0.6, 0.8], [0, 0], [0, -1]], rtol=1e-6)
