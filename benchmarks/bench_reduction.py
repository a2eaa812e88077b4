"""SVD: time, memory and accuracy of the library's beside ARPACK and scikit-learn's randomised SVD.

The matrix is the PPMI of synthetic counts, whose singular values lie close together: a hard case for all three.
"""

import numpy as np
import synthetic
from measure import SMOKE, contest
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.utils.extmath import randomized_svd

from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.weighting import ppmi

counts, k = (synthetic.counts(3000, 1500, 200_000), 20) if SMOKE else (synthetic.counts(), 300)
matrix = ppmi(counts)
n, d = matrix.shape
SVD(3).fit(synthetic.counts(3000, 1500, 30_000))  # compile before the clock starts
ARPACK = "ARPACK (scipy svds)"


def gaps(values: dict) -> str:
    """How far the singular values of each lie from ARPACK's."""
    text = ", ".join(f"{np.abs(some / values[ARPACK] - 1).max():.0e}" for some in values.values())
    return f"largest relative difference of a singular value from ARPACK's: {text}"


contest(
    f"SVD-{k} of {n:,} x {d:,} weights, {matrix.nnz:,} of them not zero",
    {
        "SVD (block Lanczos)": lambda: SVD(k).fit(matrix).singular_values,
        ARPACK: lambda: svds(matrix, k, return_singular_vectors=True, rng=0)[1][::-1],
        "randomized_svd, 4 power iterations": lambda: randomized_svd(csr_matrix(matrix), k, random_state=0)[1],
    },
    key=f"svd-{k}, {n} x {d}",
    note=gaps,
)
