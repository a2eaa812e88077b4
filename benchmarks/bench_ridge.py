"""Speed and memory of the regressions, as ratios within one run, on seeded random data.

    python benchmarks/bench_ridge.py            the sizes of the project's targets
    python benchmarks/bench_ridge.py --smoke    small, a second or two: does it run?

Targets: 100 matrices of 300 x 300 from 300 pairs each at least 4 times as fast as a loop over scikit-learn's Ridge;
generalised cross-validation over 11 penalties at most 1.5 times one ridge fit by SVD. DISSECT itself is not installed:
its steps are written out as its RidgeRegressionLearner and Linalg.ridge_regression take them (the pseudo-inverse of
the regularised cross-products; for cross-validation anew for each penalty, and once more for the best).
"""

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from measure import contest
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from cdsm_lib.composition.linear import PENALTIES, EdgePenaltyWarning, LexicalFunction, gcv_ridge
from cdsm_lib.composition.relative_clause import learn_rptensor

DISSECT, ALPHA = "as DISSECT does it", 75.0


def on_one_core(work: Callable[[], object]) -> Callable[[], object]:
    """The same work with a BLAS of one thread."""

    def limited():
        with threadpool_limits(1):
            return work()

    return limited


def dissect_ridge(X: np.ndarray, Y: np.ndarray, penalty: float) -> tuple[np.ndarray, float, float]:
    """The solution [d, d], the trace of the hat matrix, and the length of the residuals."""
    inverse = np.linalg.pinv(X.T @ X + penalty * np.identity(X.shape[1])) @ X.T
    solution = inverse @ Y
    return solution, float((X.T * inverse).sum()), float(np.linalg.norm(X @ solution - Y))


def dissect_gcv(X: np.ndarray, Y: np.ndarray, penalties=PENALTIES) -> tuple[np.ndarray, float]:
    """The solution at the penalty with the least error by generalised cross-validation, and that penalty."""
    fits = (dissect_ridge(X, Y, penalty) for penalty in penalties)
    errors = [residual**2 / (len(X) * (1 - trace / len(X)) ** 2) for _, trace, residual in fits]
    best = penalties[int(np.argmin(errors))]
    return dissect_ridge(X, Y, best)[0], best


def bench_batched(matrices: int, d: int, repeats: int) -> None:
    rng = np.random.default_rng(0)
    groups = {str(i): (rng.standard_normal((d, d)), rng.standard_normal((d, d)), None) for i in range(matrices)}

    def loop() -> list[np.ndarray]:
        return [Ridge(alpha=ALPHA, fit_intercept=False).fit(X, Y).coef_ for X, Y, _ in groups.values()]

    def dissect() -> list[np.ndarray]:
        return [dissect_ridge(X, Y, ALPHA)[0].T for X, Y, _ in groups.values()]

    def batched(threads: int | None = None) -> np.ndarray:
        return LexicalFunction(ALPHA, "none", dtype=np.float64, threads=threads).fit(groups).matrices

    ours = batched()
    gaps = " and ".join(f"{np.abs(ours - peer()).max():.0e}" for peer in (loop, dissect))
    seconds = contest(
        f"{matrices} matrices of {d} x {d} from {d} pairs each",
        {
            "LexicalFunction.fit": batched,
            "LexicalFunction.fit, one core": lambda: batched(threads=1),
            "loop over scikit-learn's Ridge": loop,
            "loop over scikit-learn's Ridge, one core": on_one_core(loop),
            DISSECT: dissect,
        },
        repeats,
        f"largest difference from scikit-learn and DISSECT: {gaps}",
        f"ridge, {matrices} x {d} x {d}",
    )
    ratio = seconds["loop over scikit-learn's Ridge"] / seconds["LexicalFunction.fit"]
    print(f"LexicalFunction.fit is {ratio:.1f} times as fast as the loop; target 4")


def bench_gcv(n: int, d: int, repeats: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    Y = X @ rng.standard_normal((d, d)) + 9 * rng.standard_normal((n, d))

    def gcv():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EdgePenaltyWarning)
            return gcv_ridge(X, Y, PENALTIES)

    def one_fit():
        return Ridge(alpha=1.0, fit_intercept=False, solver="svd").fit(X, Y).coef_

    seconds = contest(
        f"Generalised cross-validation over {len(PENALTIES)} penalties, {n} pairs, {d} dimensions",
        {
            "gcv_ridge": gcv,
            "one fit, scikit-learn's Ridge(solver='svd')": one_fit,
            DISSECT: lambda: dissect_gcv(X, Y),
        },
        repeats,
        f"DISSECT's steps choose the penalty {dissect_gcv(X, Y)[1]:g}, ours {gcv().penalty:g}",
        f"gcv, {n} x {d}",
    )
    gcv_seconds, fit_seconds, _ = seconds.values()
    print(f"gcv_ridge takes {gcv_seconds / fit_seconds:.2f} times one fit; target 1.5 at most")


def bench_tensor(d: int, n: int, repeats: int) -> None:
    rng = np.random.default_rng(2)
    H, C, P = rng.standard_normal((3, n, d))
    methods = [m for m in ("iterative", "primal", "dual") if m != "primal" or d <= 50]
    contest(
        f"Tensor regression, {n} clauses, {d} dimensions",
        {method: lambda method=method: learn_rptensor(H, C, P, None, 80.0, method) for method in methods},
        repeats,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes, one run each")
    smoke = parser.parse_args().smoke
    repeats = 1 if smoke else 3
    bench_batched(*((5, 40) if smoke else (100, 300)), repeats)
    for n, d in [(60, 20)] if smoke else [(300, 300), (2000, 300)]:
        bench_gcv(n, d, repeats)
    for d, n in [(8, 50)] if smoke else [(40, 3000), (100, 3000)]:
        bench_tensor(d, n, 1)


if __name__ == "__main__":
    main()
