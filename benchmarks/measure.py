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


def measure(function: Callable[[], object], repeats: int = 1) -> tuple[float, float, object]:
    """(best wall-clock seconds, peak memory in MB with the data included, what `function` returned)."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(function, repeats, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise RuntimeError("a contender failed; its error stands above") from None
    finally:
        process.join()


def _work(function, repeats, sender) -> None:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
    sender.send((min(seconds), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, result))


def contest(
    title: str, works: Mapping[str, Callable], repeats: int = 1, note: str = "", key: str = ""
) -> dict[str, float]:
    """The least seconds of each, all of them run in turn, so that a busy moment hits them alike; prints the table."""
    best = dict.fromkeys(works, (np.inf, 0.0))
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], measure(lambda work=work: work() is None)[:2])
    table(title, [(name, *of) for name, of in best.items()], note, key)
    return {name: seconds for name, (seconds, _) in best.items()}


def table(title: str, lines: list[tuple[str, float, float]], note: str = "", key: str = "") -> None:
    """Print name, seconds, peak memory, and how many times the first one's time each takes.

    `key` is what ``before.json`` knows the contest by, if it was measured before: its sizes are part of it.
    """
    print(f"\n{title}\n{'':48}{'seconds':>10}{'ratio':>8}{'peak MB':>10}")
    for name, seconds, peak in lines:
        print(f"{name:48}{seconds:10.3f}{seconds / lines[0][1]:8.2f}{peak:10.0f}", flush=True)
    if note:
        print(note)
    record(script=Path(sys.argv[0]).stem, key=key, title=title, note=note, rows=lines)


def record(**entry) -> None:
    """Add an entry to the file that ``CDSM_BENCH`` names, if it does."""
    if place := os.environ.get("CDSM_BENCH"):
        with open(place, "a", encoding="utf8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")


def processor() -> str:
    """What the system calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    record(
        date=str(date.today()), processor=processor(), cores=os.cpu_count(), load=round(os.getloadavg()[0], 1),
        python=platform.python_version(), numpy=np.__version__, blas=os.environ.get("OPENBLAS_CORETYPE", "as it comes"),
    )  # fmt: skip
