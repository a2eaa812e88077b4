"""PPMI and the other weights, beside plain NumPy and SciPy.

python benchmarks/bench_weighting.py [--smoke]
"""

import argparse

import numpy as np
import synthetic
from measure import measure, table
from scipy import sparse

from cdsm_lib.vectors.weighting import normalise_rows, plmi, ppmi, ratio, select_contexts, ttest


def plain_ppmi(counts):
    """As one would write it with SciPy alone."""
    cells = sparse.coo_array(counts).astype(np.float64)
    row, column = np.asarray(counts.sum(axis=1)).ravel(), np.asarray(counts.sum(axis=0)).ravel()
    i, j = cells.coords
    weights = np.maximum(np.log(cells.data * cells.data.sum() / (row[i].astype(float) * column[j])), 0)
    matrix = sparse.coo_array((weights, (i, j)), shape=counts.shape).tocsr()
    matrix.eliminate_zeros()
    return matrix


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options = options.parse_args()
    counts = synthetic.counts(200, 100, 3_000) if options.smoke else synthetic.counts()
    small = counts[:5]
    print(f"{counts.shape[0]:,} x {counts.shape[1]:,} counts, {counts.nnz:,} non-zeros")
    np.testing.assert_allclose(ppmi(counts).toarray()[:50], plain_ppmi(counts).toarray()[:50], atol=1e-9)
    contenders = {
        "ppmi": ppmi,
        "PPMI by plain SciPy": plain_ppmi,
        "plmi": plmi,
        "ratio": ratio,
        "ttest": ttest,
        "select_contexts(140)": lambda matrix: select_contexts(matrix, 140),
        "normalise_rows": lambda matrix: normalise_rows(matrix, return_zero=True)[0],
    }
    lines = []
    for name, weight in contenders.items():
        weight(small)  # compile before the clock starts
        seconds, peak, _ = measure(lambda weight=weight: weight(counts).nnz, repeats=3)
        lines.append((name, seconds, peak))
    table("Weighting (ratio: times the time of ppmi)", lines)


if __name__ == "__main__":
    main()
