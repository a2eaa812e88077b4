"""Speed and memory of the regressions, as ratios within one run, on seeded random data.

    python benchmarks/bench_ridge.py            the sizes of the project's targets
    python benchmarks/bench_ridge.py --smoke    small, a second or two: does it run?

Targets: 100 matrices of 300 x 300 from 300 pairs each at least 4 times as fast as a loop over scikit-learn's Ridge;
generalised cross-validation over 11 penalties at most 1.5 times one ridge fit by SVD. Each time is the least of
several runs taken in turn. Peak memory is what NumPy allocates beyond the input, measured in a run of its own.
"""

import argparse
import time
import tracemalloc
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import Ridge
from threadpoolctl import threadpool_limits

from cdsm_lib.composition.linear import PENALTIES, EdgePenaltyWarning, LexicalFunction, gcv_ridge
from cdsm_lib.composition.relative_clause import learn_rptensor


def least_seconds(works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Least wall time of each piece of work, all of them run in turn, so that a busy moment hits them alike."""
    least = dict.fromkeys(works, np.inf)
    for _ in range(repeats):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def peak_mib(work: Callable[[], object]) -> float:
    """Most memory that NumPy held at once during the work, in MiB."""
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def report(title: str, works: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Time, ratio to the last row, and peak memory of each piece of work."""
    seconds = least_seconds(works, repeats)
    *_, base = seconds.values()
    print(f"\n{title}", flush=True)
    for name, work in works.items():
        print(
            f"  {name:48} {1000 * seconds[name]:9.1f} ms {seconds[name] / base:7.2f} x {peak_mib(work):8.1f} MiB",
            flush=True,
        )
    return seconds


def on_one_core(work: Callable[[], object]) -> Callable[[], object]:
    """The same work with a BLAS of one thread."""

    def limited():
        with threadpool_limits(1):
            return work()

    return limited


def bench_batched(matrices: int, d: int, repeats: int) -> None:
    rng = np.random.default_rng(0)
    groups = {str(i): (rng.standard_normal((d, d)), rng.standard_normal((d, d)), None) for i in range(matrices)}

    def loop() -> list[np.ndarray]:
        return [Ridge(alpha=75.0, fit_intercept=False).fit(X, Y).coef_ for X, Y, _ in groups.values()]

    def batched(threads: int | None = None) -> np.ndarray:
        return LexicalFunction(75.0, "none", dtype=np.float64, threads=threads).fit(groups).matrices

    gap = np.abs(batched() - loop()).max()
    seconds = report(
        f"{matrices} matrices of {d} x {d} from {d} pairs each (largest difference {gap:.0e})",
        {
            "loop over scikit-learn's Ridge": loop,
            "loop over scikit-learn's Ridge, one core": on_one_core(loop),
            "LexicalFunction.fit, one core": lambda: batched(threads=1),
            "LexicalFunction.fit": batched,
        },
        repeats,
    )
    ratio = seconds["loop over scikit-learn's Ridge"] / seconds["LexicalFunction.fit"]
    print(f"  LexicalFunction.fit is {ratio:.1f} times as fast as the loop; target 4")


def bench_gcv(n: int, d: int, repeats: int) -> None:
    rng = np.random.default_rng(1)
    X, Y = rng.standard_normal((n, d)), rng.standard_normal((n, d))

    def gcv():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EdgePenaltyWarning)
            return gcv_ridge(X, Y, PENALTIES)

    def one_fit():
        return Ridge(alpha=1.0, fit_intercept=False, solver="svd").fit(X, Y).coef_

    seconds = report(
        f"Generalised cross-validation over {len(PENALTIES)} penalties, {n} pairs, {d} dimensions",
        {
            "gcv_ridge": gcv,
            "one fit, scikit-learn's Ridge(solver='svd')": one_fit,
        },
        repeats,
    )
    gcv_seconds, fit_seconds = seconds.values()
    print(f"  gcv_ridge takes {gcv_seconds / fit_seconds:.2f} times one fit; target 1.5 at most")


def bench_tensor(d: int, n: int, repeats: int) -> None:
    rng = np.random.default_rng(2)
    H, C, P = rng.standard_normal((3, n, d))
    methods = [m for m in ("iterative", "primal", "dual") if m != "primal" or d <= 50]
    report(
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
