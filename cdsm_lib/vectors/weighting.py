"""Weighting: from co-occurrence counts to association scores.

Notation: n_tc is the count of target t (row) with context c (column), n_t and n_c the marginals, N the total, and
P(t,c) = n_tc / N, P(t) = n_t / N, P(c) = n_c / N, P(c|t) = n_tc / n_t.

=================  ====================================================  ==========================================
function           weight of a cell that was seen                        source
=================  ====================================================  ==========================================
`ppmi`             max(0, log P(t,c) / (P(t) P(c)))                      Church & Hanks 1990; Levy et al. 2015
`pmi`              log P(t,c) / (P(t) P(c)), negative values too         Church & Hanks 1990
`ttest`            (P(t,c) - P(t) P(c)) / sqrt(P(t) P(c))                Curran 2004
`ratio`            P(c|t) / P(c)                                         Mitchell & Lapata 2008
=================  ====================================================  ==========================================

Cells that were never seen stay zero, whatever the formula says of them (t-test would make them slightly negative),
so the matrix stays sparse. All functions are pure; weights are float64 in a csr_array of the same shape.

*Peripheral rows* (phrases) must not change the space that they are put into: pass `marginals=column_marginals(core)`
and the core's P(c) and N are used, with the peripheral row's own n_t.
"""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy import sparse

from cdsm_lib.vectors.similarity import canonical


@dataclass(frozen=True, eq=False)
class Marginals:
    """What a weight needs to know beside the row: n_c for each context [n_columns], and N."""

    column: np.ndarray
    total: float


def column_marginals(counts) -> Marginals:
    """The column sums and the total of a matrix of counts, for weighting peripheral rows like the core's.

    >>> column_marginals([[2, 1], [0, 1]]).column, column_marginals([[2, 1], [0, 1]]).total
    (array([2., 2.]), 4.0)
    """
    column = np.asarray(sparse.csr_array(getattr(counts, "matrix", counts)).sum(axis=0, dtype=np.float64)).ravel()
    return Marginals(column, float(column.sum()))


def ppmi(counts, *, smoothing: float = 1.0, marginals: Marginals | None = None):
    """Positive pointwise mutual information, max(0, log(P(t,c) / (P(t) P(c)))), natural logarithm.

    >>> ppmi([[2, 1], [0, 1]]).toarray().round(3)  # log 4/3 and log 2; log 2/3 is below 0
    array([[0.288, 0.   ],
           [0.   , 0.693]])

    Parameters
    ----------
    counts : sparse or dense matrix [n, m] of counts, `Counts`, or anything that `scipy.sparse.csr_array` takes
    smoothing : float
        Context distribution smoothing alpha (Levy, Goldberg & Dagan 2015, section 3.1): P(c) is replaced by
        n_c^alpha / sum_c' n_c'^alpha; .75 keeps rare contexts from weighing too much, 1 is no smoothing.
    marginals : Marginals, optional
        See the module's text.

    Returns
    -------
    csr_array [n, m], float64
        Cells that come out at 0 are not stored.
    """
    matrix, row, marginals = _prepare(counts, marginals)
    column, total = _smoothed(marginals, smoothing)
    association = matrix.data * total / (np.repeat(row, np.diff(matrix.indptr)) * column[matrix.indices])
    weights = _like(matrix, np.log(np.maximum(association, 1.0))).copy()
    weights.eliminate_zeros()
    return weights


def pmi(counts, *, marginals: Marginals | None = None):
    """Pointwise mutual information, negative values too; cells never seen, where it would be minus infinity, stay 0.

    >>> pmi([[2, 1], [0, 1]]).toarray().round(3)    # log 4/3, log 2/3; log 2 where both share one of four
    array([[ 0.288, -0.405],
           [ 0.   ,  0.693]])
    """
    weights = ratio(counts, marginals=marginals)
    return _like(weights, np.log(weights.data))


def ratio(counts, *, marginals: Marginals | None = None):
    """P(c|t) / P(c): how much likelier the context is beside the target (Mitchell & Lapata 2008); no logarithm.

    >>> ratio([[2, 1], [0, 1]]).toarray().round(3)  # P(c|t) is 2/3 and 1/3, then 1; P(c) is 1/2
    array([[1.333, 0.667],
           [0.   , 2.   ]])
    """
    matrix, row, marginals = _prepare(counts, marginals)
    return _scaled(matrix, _inverse(row), marginals.total * _inverse(marginals.column))


def ttest(counts, *, positive: bool = False, marginals: Marginals | None = None):
    """Student's t for a co-occurrence, (P(t,c) - P(t) P(c)) / sqrt(P(t) P(c)) (Curran 2004, section 4.2).

    >>> ttest([[2, 1], [0, 1]]).toarray().round(3)  # (1/2 - 3/8) / sqrt(3/8) comes first
    array([[ 0.204, -0.204],
           [ 0.   ,  0.354]])

    With `positive`, negative values (seen, but less often than chance would have it) become 0; csr_array [n, m],
    float64, as from `ppmi`.
    """
    matrix, row, marginals = _prepare(counts, marginals)
    total = marginals.total or 1.0
    expected = _scaled(_like(matrix, np.ones(matrix.nnz)), row / total, marginals.column / total).data
    weights = (matrix.data / total - expected) / np.sqrt(expected)
    return _like(matrix, np.maximum(weights, 0.0) if positive else weights)


def select_contexts(matrix, n: int):
    """Keep the `n` heaviest contexts of each row (Polajnar & Clark 2014); of equals, those of the lowest columns.

    Only positive weights are kept: a context that a target avoids is not one of its own.

    >>> select_contexts([[3, 1, 2], [5, 5, 5]], 2).toarray()
    array([[3, 0, 2],
           [5, 5, 0]])

    A matrix [rows, columns] of weights becomes a csr_array; `n` is at least 1.
    """
    matrix = canonical(matrix)
    sizes = np.diff(matrix.indptr)
    order = np.lexsort((-matrix.data, np.repeat(np.arange(len(sizes)), sizes)))  # by row, the heaviest first
    keep = matrix.data > 0
    keep[order[np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], sizes) >= n]] = False
    indptr = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))[matrix.indptr].astype(matrix.indptr.dtype)
    return sparse.csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)


def normalise_rows(matrix):
    """Bring each row of a matrix, vector or sparse matrix [..., d] to Euclidean length 1; a zero row stays zero.

    Integers become float64; float32 stays float32 (lengths are summed in float64).

    >>> normalise_rows([[3.0, 4.0], [0.0, 0.0]]).round(2)
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if sparse.issparse(matrix):
        matrix = sparse.csr_array(matrix, dtype=np.result_type(matrix.dtype, np.float32))
        lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1, dtype=np.float64)).ravel())
        return _like(matrix, (matrix.data * np.repeat(_inverse(lengths), np.diff(matrix.indptr))).astype(matrix.dtype))
    matrix = np.asarray(matrix)
    matrix = matrix.astype(np.result_type(matrix.dtype, np.float32), copy=False)
    lengths = np.sqrt(np.einsum("...i,...i->...", matrix, matrix, dtype=np.float64))
    return (matrix * _inverse(lengths)[..., None]).astype(matrix.dtype, copy=False)


# ------------------------------------------------------------------------------------------------------ the parts


def _prepare(counts, marginals: Marginals | None) -> tuple[sparse.csr_array, np.ndarray, Marginals]:
    """The counts as int32 or float64 csr_array, n_t of each row, and marginals that fit."""
    matrix = sparse.csr_array(getattr(counts, "matrix", counts))
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"counts are real numbers, not {matrix.dtype}")
    matrix.check_format(full_check=True)
    matrix = canonical(matrix if matrix.dtype == np.int32 else matrix.astype(np.float64, copy=False))
    if not (matrix.data.min(initial=1) >= 0 and matrix.data.max(initial=0) < np.inf):
        raise ValueError("counts must be finite, not negative or NaN")
    row, column = (matrix.sum(axis=axis, dtype=np.float64) for axis in (1, 0))
    marginals = marginals or Marginals(column, float(column.sum()))
    if marginals.column.shape != column.shape:
        raise ValueError(f"marginals of {marginals.column.shape} columns for a matrix of {matrix.shape}")
    absent = (marginals.column <= 0) & (column > 0)  # a context that the core never met has no probability: no weight
    if matrix.data.min(initial=1) == 0 or absent.any():
        matrix = matrix.copy()
        matrix.data[absent[matrix.indices]] = 0
        matrix.eliminate_zeros()
    return matrix, row, marginals


def _like(matrix, data) -> sparse.csr_array:
    return sparse.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def _inverse(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def _smoothed(marginals: Marginals, smoothing: float) -> tuple[np.ndarray, float]:
    """n_c^alpha and what they sum to; without smoothing n_c and N."""
    if not isinstance(smoothing, Real) or not 0 <= smoothing <= 1:
        raise ValueError(f"smoothing={smoothing!r}: the power of context counts is a number from 0 to 1, such as 0.75")
    if smoothing == 1.0:
        return marginals.column, marginals.total
    seen = marginals.column > 0
    powered = np.where(seen, np.where(seen, marginals.column, 1.0) ** smoothing, 0.0)
    return powered, float(powered.sum())


def _scaled(matrix, row_factor: np.ndarray, column_factor: np.ndarray) -> sparse.csr_array:
    """Cell (t, c) times row_factor[t] times column_factor[c]."""
    return _like(matrix, matrix.data * np.repeat(row_factor, np.diff(matrix.indptr)) * column_factor[matrix.indices])
