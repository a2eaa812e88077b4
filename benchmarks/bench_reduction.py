"""SVD: time, memory and accuracy of the block Lanczos method beside ARPACK and scikit-learn's randomised SVD.

Latent senses: the sparse Gibbs sampler beside one that looks at every sense for every token, on the same counts.

    python benchmarks/bench_reduction.py [--smoke]

The matrix is the PPMI of synthetic counts, whose singular values lie close together: a hard case for all three.
"""

import argparse

import numpy as np
import synthetic
from measure import measure, table
from numba import njit
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import svds
from sklearn.utils.extmath import randomized_svd

from cdsm_lib.vectors.reduction import LDA, SVD, subsample
from cdsm_lib.vectors.weighting import ppmi


@njit(cache=True)
def dense_gibbs(rows, columns, k, alpha, eta, m, iterations, rng):
    """Collapsed Gibbs sampling as it stands in Griffiths & Steyvers (2004): K steps a token."""
    sense = np.array([int(rng.random() * k) for _ in rows])
    of_row, of_column, totals = np.zeros((rows.max() + 1, k)), np.zeros((m, k)), np.zeros(k)
    for i in range(len(rows)):
        of_row[rows[i], sense[i]] += 1
        of_column[columns[i], sense[i]] += 1
        totals[sense[i]] += 1
    for _ in range(iterations):
        for i in range(len(rows)):
            row, column, old = rows[i], columns[i], sense[i]
            of_row[row, old] -= 1
            of_column[column, old] -= 1
            totals[old] -= 1
            sums = np.cumsum((of_row[row] + alpha) * (of_column[column] + eta) / (totals + m * eta))
            new = np.searchsorted(sums, rng.random() * sums[-1])
            sense[i] = new
            of_row[row, new] += 1
            of_column[column, new] += 1
            totals[new] += 1
    return totals


def latent_senses(smoke: bool) -> None:
    """A few sweeps of both samplers."""
    k, iterations = (40, 2) if smoke else (1200, 5)
    counts = synthetic.counts(300, 200, 20_000) if smoke else synthetic.counts(10_000, 3000, 5_000_000)
    sample = subsample(counts, 100)
    cells = sample.tocoo()
    rows, columns = (np.repeat(of, cells.data) for of in cells.coords)
    rng = np.random.default_rng(0)
    contenders = {
        "LDA (sparse Gibbs sampler)": lambda: LDA(k, iterations=iterations).fit(sample),
        "dense Gibbs sampler": lambda: dense_gibbs(rows, columns, k, 50 / k, 0.01, sample.shape[1], iterations, rng),
    }
    LDA(2, iterations=1).fit(sample[:5])  # compile before the clock starts
    dense_gibbs(rows[:5], columns[:5], 2, 1.0, 0.01, sample.shape[1], 1, rng)
    title = f"{k} latent senses of {len(rows):,} tokens in {sample.shape[0]:,} rows, {iterations} sweeps"
    table(title, [(name, *measure(sampler)[:2]) for name, sampler in contenders.items()])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options = options.parse_args()
    latent_senses(options.smoke)
    counts = synthetic.counts(3000, 1500, 200_000) if options.smoke else synthetic.counts()
    k = 20 if options.smoke else 300
    matrix = ppmi(counts)
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
    exact = values["ARPACK (scipy svds)"]
    gaps = ", ".join(f"{np.abs(of / exact - 1).max():.0e}" for of in values.values())
    n, d = matrix.shape
    title = f"SVD-{k} of {n:,} x {d:,} weights, {matrix.nnz:,} of them not zero"
    note = f"largest relative difference of a singular value from ARPACK's: {gaps}"
    table(title, lines, note, f"svd-{k}, {n} x {d}")


if __name__ == "__main__":
    main()
