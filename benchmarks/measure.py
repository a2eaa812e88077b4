"""Time and peak memory of contenders, each in a process of its own, and the table of their ratios.

With ``CDSM_BENCH`` naming a file, every table is also added to it, a JSON object a line; run by itself, this module
begins such a file with what the machine is. The book's page on speed is made from it.
"""

import json
import multiprocessing
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import numpy as np

SMOKE = "--smoke" in sys.argv[1:]
"""Whether small data are asked for, which only show that a script works."""


def _work(function, sender) -> None:
    start = time.perf_counter()
    function()
    seconds = time.perf_counter() - start
    sender.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def measure(function: Callable[[], object]) -> tuple[float, float]:
    """(wall-clock seconds, peak memory in MB with the data included)."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(function, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise RuntimeError("a contender failed; its error stands above") from None
    finally:
        process.join()


def contest(title: str, works: Mapping[str, Callable], repeats: int = 1, note: str = "") -> None:
    """The least seconds of each, all of them run in turn, so that a busy moment hits them alike; prints the table."""
    best = dict.fromkeys(works, (np.inf, 0.0))
    for _ in range(1 if SMOKE else repeats):
        for name, work in works.items():
            best[name] = min(best[name], measure(work))
    lines = [(name, *costs) for name, costs in best.items()]
    print(f"\n{title}\n{'':48}{'seconds':>10}{'ratio':>8}{'peak MB':>10}")
    for name, seconds, peak in lines:
        print(f"{name:48}{seconds:10.3f}{seconds / lines[0][1]:8.2f}{peak:10.0f}", flush=True)
    print(note)
    record(script=Path(sys.argv[0]).stem, title=title, note=note, rows=lines)


def record(**entry) -> None:
    """Add an entry to the file that ``CDSM_BENCH`` names, if it does."""
    if place := os.environ.get("CDSM_BENCH"):
        with open(place, "a", encoding="utf8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def machine() -> dict:
    """What the system calls its processor, and the day."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {"date": str(date.today()), "processor": [*names, platform.machine()][0], "cores": os.cpu_count()}


if __name__ == "__main__":
    record(
        **machine(), load=round(os.getloadavg()[0], 1), python=platform.python_version(), numpy=np.__version__,
        blas=os.environ.get("OPENBLAS_CORETYPE", "as it comes"),
    )  # fmt: skip
