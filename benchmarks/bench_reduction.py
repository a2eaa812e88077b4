"""SVD: time, memory and accuracy of the block Lanczos method beside ARPACK and scikit-learn's randomised SVD.

    python benchmarks/bench_reduction.py [--smoke]

The matrix is the PPMI of synthetic counts, whose singular values lie close together: a hard case for all three.
"""

import argparse

import numpy as np
import synthetic
from measure import measure, table
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.utils.extmath import randomized_svd

from cdsm_lib.vectors.reduction import SVD
from cdsm_lib.vectors.weighting import ppmi


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options = options.parse_args()
    counts = synthetic.counts(3000, 1500, 200_000) if options.smoke else synthetic.counts()
    k = 20 if options.smoke else 300
    matrix = ppmi(counts)
    print(f"SVD-{k} of {matrix.shape[0]:,} x {matrix.shape[1]:,} weights, {matrix.nnz:,} non-zeros")
    SVD(3).fit(synthetic.counts(3000, 1500, 30_000))  # compile before the clock starts
    contenders = {
        "SVD (block Lanczos)": lambda: SVD(k).fit(matrix).singular_values,
        "ARPACK (scipy svds)": lambda: svds(matrix, k, return_singular_vectors=True, rng=0)[1][::-1],
        "randomized_svd, 4 power iterations": lambda: randomized_svd(csr_matrix(matrix), k, random_state=0)[1],
    }
    lines, values = [], {}
    for name, solve in contenders.items():
        seconds, peak, values[name] = measure(solve)
        lines.append((name, seconds, peak))
    table("SVD", lines)
    exact = values["ARPACK (scipy svds)"]
    for name, found in values.items():
        print(f"{name:40}largest relative difference from ARPACK {np.abs(found / exact - 1).max():.1e}")


if __name__ == "__main__":
    main()
