"""RELPRON evaluation, 65 terms x 518 properties: MAP with exact ties, and every view of the paper's tables.

The limit is 50 ms for the MAP. The peer is a plain loop over terms that sorts, ignores ties and sums. It takes a
second or two, also with --smoke.
"""

import resource
import sys
import time

import numpy as np

from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import Property, RelPron

TERMS, PROPERTIES, HEADS = 65, 518, 7
LIMIT_MS = 50


def synthetic() -> tuple[RelPron, np.ndarray]:
    """A set of the development set's size, and similarities with ties."""
    rng = np.random.default_rng(0)
    owners = np.concatenate([np.arange(TERMS), np.sort(rng.integers(0, TERMS, PROPERTIES - TERMS))])
    items = tuple(
        Property(f"term{t}", f"head{t % HEADS}", ("SBJ", "OBJ")[i % 2], f"verb{i}", f"term{(t + 9) % TERMS}")
        for i, t in enumerate(owners)
    )
    task = RelPron(items, "dev", "synthetic")
    similarity = rng.normal(size=(TERMS, PROPERTIES)) + 2 * task.relevant
    return task, np.round(similarity, 2)


def plain_loop(similarity: np.ndarray, relevant: np.ndarray) -> float:
    """MAP as one would write it first."""
    total = 0.0
    for scores, right in zip(similarity, relevant, strict=True):
        found, ap = 0, 0.0
        for place, item in enumerate(sorted(range(len(scores)), key=lambda i: -scores[i]), start=1):
            if right[item]:
                found += 1
                ap += found / place
        total += ap / found
    return total / len(similarity)


def milliseconds(call, repeats: int = 7) -> float:
    """Median time of a call, after one to warm up."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return 1000 * float(np.median(times))


def main() -> int:
    task, similarity = synthetic()
    calls = {
        "MAP (score)": lambda: relpron.score(similarity, task),
        "by function": lambda: relpron.by_function(similarity, task),
        "by head noun, full": lambda: relpron.by_head_noun(similarity, task),
        "by head noun, restricted": lambda: relpron.by_head_noun(similarity, task, restricted=True),
        "top ten share": lambda: relpron.top_ten_share(similarity, task),
        "properties as queries": lambda: relpron.property_queries(similarity, task),
        "lexical confounders": lambda: relpron.lexical_confounders(similarity, task),
        "plausible positives": lambda: relpron.plausible_positives(similarity, task),
        "peer: plain loop, no ties": lambda: plain_loop(similarity, task.relevant),
    }
    print(f"RELPRON evaluation, {TERMS} x {PROPERTIES}")
    times = {name: milliseconds(call) for name, call in calls.items()}
    for name, spent in times.items():
        print(f"  {name:28s} {spent:8.2f} ms")
    reached = times["MAP (score)"] < LIMIT_MS
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  limit {LIMIT_MS} ms: {'reached' if reached else 'MISSED'}; peak memory {peak:.0f} MB")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
