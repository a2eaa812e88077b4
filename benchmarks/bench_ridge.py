"""Ridge regression of many matrices beside scikit-learn and DISSECT's way, with all cores.

DISSECT itself is not installed: its step is written out as its Linalg.ridge_regression takes it (the pseudo-inverse of
the regularised cross-products).
"""

import numpy as np
from measure import SMOKE, contest
from sklearn.linear_model import Ridge

from cdsm_lib.composition.linear import LexicalFunction

ALPHA = 75.0
matrices, d = (5, 40) if SMOKE else (100, 300)
rng = np.random.default_rng(0)
groups = {str(i): (rng.standard_normal((d, d)), rng.standard_normal((d, d)), None) for i in range(matrices)}


def batched() -> np.ndarray:
    return LexicalFunction(ALPHA, "none", dtype=np.float64).fit(groups).matrices


def loop() -> list[np.ndarray]:
    return [Ridge(alpha=ALPHA, fit_intercept=False).fit(X, Y).coef_ for X, Y, _ in groups.values()]


def dissect() -> list[np.ndarray]:
    penalty = ALPHA * np.identity(d)
    return [(np.linalg.pinv(X.T @ X + penalty) @ X.T @ Y).T for X, Y, _ in groups.values()]


ours = batched()
gaps = " and ".join(f"{np.abs(ours - peer()).max():.0e}" for peer in (loop, dissect))
contest(
    f"{matrices} matrices of {d} x {d} from {d} pairs each",
    {"LexicalFunction.fit": batched, "loop over scikit-learn's Ridge": loop, "as DISSECT does it": dissect},
    repeats=3,
    note=f"largest difference from scikit-learn and DISSECT: {gaps}",
)
