"""PPMI beside plain SciPy, DISSECT's way, and what the memory allows.

DISSECT itself is not installed: its steps are written out as its EpmiWeighting, PpmiWeighting and SparseMatrix take
them (products with diagonal matrices, then the logarithm in place). The memory's floor is to read the counts and to
write as many weights and columns, with nothing computed.
"""

import numpy as np
import synthetic
from measure import SMOKE, contest
from scipy import sparse

from cdsm_lib.vectors.weighting import ppmi


def plain_ppmi(counts):
    """As one would write it with SciPy alone."""
    cells = sparse.coo_array(counts).astype(np.float64)
    row, column = np.asarray(counts.sum(axis=1)).ravel(), np.asarray(counts.sum(axis=0)).ravel()
    i, j = cells.coords
    weights = np.maximum(np.log(cells.data * cells.data.sum() / (row[i].astype(float) * column[j])), 0)
    matrix = sparse.coo_array((weights, (i, j)), shape=counts.shape).tocsr()
    matrix.eliminate_zeros()
    return matrix


def ppmi_as_dissect_does_it(counts):
    """Rows and columns scaled by products with diagonal matrices, then max(0, log)."""
    counts = sparse.csr_matrix(counts)
    row, column = (np.asarray(counts.sum(axis), dtype=np.float64).ravel() for axis in (1, 0))
    inverse_row, inverse_column = (
        np.divide(1, total, out=np.zeros_like(total), where=total > 0) for total in (row, column)
    )
    weights = sparse.diags(inverse_row, format="csr") * counts
    weights = weights * sparse.diags(inverse_column * column.sum(), format="csr")
    weights.data[weights.data <= 1] = 1
    weights.data = np.log(weights.data)
    weights.eliminate_zeros()
    return weights


counts = synthetic.counts(200, 100, 3_000) if SMOKE else synthetic.counts()
for peer in (plain_ppmi, ppmi_as_dissect_does_it):
    np.testing.assert_allclose(ppmi(counts)[:50].toarray(), peer(counts)[:50].toarray(), atol=1e-9)
n, d = counts.shape
contest(
    f"Weighting {counts.nnz:,} cells of {n:,} x {d:,}",
    {
        "ppmi": lambda: ppmi(counts),
        "PPMI by plain SciPy": lambda: plain_ppmi(counts),
        "PPMI as DISSECT does it": lambda: ppmi_as_dissect_does_it(counts),
        "memory's floor: cells copied": lambda: counts.astype(np.float64),
    },
    3,
    f"weighting, {n} x {d}",
)
