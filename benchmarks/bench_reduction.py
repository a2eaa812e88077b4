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

counts, k = (synthetic.counts(3000, 1500, 600_000), 20) if SMOKE else (synthetic.counts(), 300)
matrix = ppmi(counts)
n, d = matrix.shape
ours = SVD(k).fit(matrix).singular_values
gap = np.abs(ours / svds(matrix, k, return_singular_vectors=False, rng=0)[::-1] - 1).max()
contest(
    f"SVD-{k} of {n:,} x {d:,} weights, {matrix.nnz:,} of them not zero",
    {
        "SVD (block Lanczos)": lambda: SVD(k).fit(matrix),
        "ARPACK (scipy svds)": lambda: svds(matrix, k, rng=0),
        "randomized_svd, 4 power iterations": lambda: randomized_svd(csr_matrix(matrix), k, random_state=0),
    },
    note=f"largest relative difference of our singular values from ARPACK's: {gap:.0e}",
)
