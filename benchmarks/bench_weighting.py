"""PPMI beside DISSECT's way and what the memory allows.

DISSECT itself is not installed: its steps are written out as its EpmiWeighting, PpmiWeighting and SparseMatrix take
them (products with diagonal matrices, then the logarithm in place). The memory's floor is to read the counts and to
write as many weights and columns, with nothing computed.
"""

import numpy as np
import synthetic
from measure import SMOKE, contest
from scipy import sparse

from cdsm_lib.vectors.weighting import ppmi


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


counts = synthetic.counts(200, 100, 9_000) if SMOKE else synthetic.counts()
np.testing.assert_allclose(ppmi(counts)[:50].toarray(), ppmi_as_dissect_does_it(counts)[:50].toarray(), atol=1e-9)
n, d = counts.shape
contest(
    f"Weighting {counts.nnz:,} cells of {n:,} x {d:,}",
    {
        "ppmi": lambda: ppmi(counts),
        "PPMI as DISSECT does it": lambda: ppmi_as_dissect_does_it(counts),
        "memory's floor: cells copied": lambda: counts.astype(np.float64),
    },
    repeats=3,
)
