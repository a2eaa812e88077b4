"""Ridge regression of many matrices, and its cross-validation, beside scikit-learn and DISSECT's way.

DISSECT itself is not installed: its steps are written out as its RidgeRegressionLearner and Linalg.ridge_regression
take them (the pseudo-inverse of the regularised cross-products; for cross-validation anew for each penalty, and once
more for the best).
"""

import warnings

import numpy as np
from measure import SMOKE, contest
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from cdsm_lib.composition.linear import PENALTIES, EdgePenaltyWarning, LexicalFunction, gcv_ridge

DISSECT, ALPHA = "as DISSECT does it", 75.0
warnings.simplefilter("ignore", EdgePenaltyWarning)


def dissect_ridge(X: np.ndarray, Y: np.ndarray, penalty: float) -> tuple[np.ndarray, float, float]:
    """The solution [d, d], the trace of the hat matrix, and the length of the residuals."""
    inverse = np.linalg.pinv(X.T @ X + penalty * np.identity(X.shape[1])) @ X.T
    solution = inverse @ Y
    return solution, float((X.T * inverse).sum()), float(np.linalg.norm(X @ solution - Y))


def dissect_gcv(X: np.ndarray, Y: np.ndarray) -> tuple[np.ndarray, float]:
    """The solution at the penalty with the least error by generalised cross-validation, and that penalty."""
    fits = (dissect_ridge(X, Y, penalty) for penalty in PENALTIES)
    errors = [residual**2 / (len(X) * (1 - trace / len(X)) ** 2) for _, trace, residual in fits]
    best = PENALTIES[int(np.argmin(errors))]
    return dissect_ridge(X, Y, best)[0], best


def bench_batched(matrices: int, d: int) -> None:
    rng = np.random.default_rng(0)
    groups = {str(i): (rng.standard_normal((d, d)), rng.standard_normal((d, d)), None) for i in range(matrices)}

    def loop(threads: int | None = None) -> list[np.ndarray]:
        with threadpool_limits(threads):
            return [Ridge(alpha=ALPHA, fit_intercept=False).fit(X, Y).coef_ for X, Y, _ in groups.values()]

    def dissect() -> list[np.ndarray]:
        return [dissect_ridge(X, Y, ALPHA)[0].T for X, Y, _ in groups.values()]

    def batched(threads: int | None = None) -> np.ndarray:
        return LexicalFunction(ALPHA, "none", dtype=np.float64, threads=threads).fit(groups).matrices

    ours = batched()
    gaps = " and ".join(f"{np.abs(ours - peer()).max():.0e}" for peer in (loop, dissect))
    contest(
        f"{matrices} matrices of {d} x {d} from {d} pairs each",
        {
            "LexicalFunction.fit": batched,
            "LexicalFunction.fit, one core": lambda: batched(1),
            "loop over scikit-learn's Ridge": loop,
            "loop over scikit-learn's Ridge, one core": lambda: loop(1),
            DISSECT: dissect,
        },
        3,
        f"ridge, {matrices} x {d} x {d}",
        f"largest difference from scikit-learn and DISSECT: {gaps}",
    )


def bench_gcv(n: int, d: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((n, d))
    Y = X @ rng.standard_normal((d, d)) + 9 * rng.standard_normal((n, d))
    contest(
        f"Generalised cross-validation over {len(PENALTIES)} penalties, {n} pairs, {d} dimensions",
        {
            "gcv_ridge": lambda: gcv_ridge(X, Y, PENALTIES),
            "one fit, scikit-learn's Ridge(solver='svd')": lambda: Ridge(fit_intercept=False, solver="svd").fit(X, Y),
            DISSECT: lambda: dissect_gcv(X, Y),
        },
        3,
        f"gcv, {n} x {d}",
        f"DISSECT's steps choose the penalty {dissect_gcv(X, Y)[1]:g}, ours {gcv_ridge(X, Y, PENALTIES).penalty:g}",
    )


bench_batched(*((5, 40) if SMOKE else (100, 300)))
for n, d in [(60, 20)] if SMOKE else [(300, 300), (2000, 300)]:
    bench_gcv(n, d)
