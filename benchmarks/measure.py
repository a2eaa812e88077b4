"""Time and peak memory of contenders, each in a process of its own, and the table of their ratios."""

import multiprocessing
import resource
import time
from collections.abc import Callable


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


def table(title: str, lines: list[tuple[str, float, float]], note: str = "") -> None:
    """Print name, seconds, peak memory, and how many times the first one's time each takes."""
    print(f"\n{title}\n{'':40}{'seconds':>10}{'ratio':>8}{'peak MB':>10}")
    for name, seconds, peak in lines:
        print(f"{name:40}{seconds:10.3f}{seconds / lines[0][1]:8.2f}{peak:10.0f}")
    if note:
        print(note)
