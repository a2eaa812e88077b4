"""Computations side by side, each in a process of its own: models, chapters.

A training is one thread, for the order of its updates is part of the result; but two models can be trained at once.
How many processes compute at a time stands in ``CDSM_PROCESSES``, otherwise it is the number of cores. Whatever was
started side by side starts nothing further beside itself, and its matrix products keep to its share of the cores: with
more threads than cores OpenBLAS takes ten times as long.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from cdsm_lib.settings import ParameterError

VARIABLE = "CDSM_PROCESSES"


class Later(NamedTuple):
    """A computation that waits until its result is asked for."""

    result: Callable[[], Any]


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processes() -> int:
    """How many processes may compute at a time; `ParameterError` if ``CDSM_PROCESSES`` is no number of them."""
    value = os.environ.get(VARIABLE) or str(cores())
    if not value.isdecimal() or not int(value):
        raise ParameterError(f"{VARIABLE}={value!r}: give a whole number of 1 or more, or leave it unset")
    return int(value)


@contextmanager
def side_by_side(*, here: bool = False) -> Iterator[Callable]:
    """Start computations in processes of their own.

    With one process, each is computed here, when its result is asked for.

    Parameters
    ----------
    here : bool
        Whether this process computes as well meanwhile, and is counted.

    Yields
    ------
    callable
        ``start(function, *arguments)`` for a function of a module; what it returns has ``result()``. They begin in the
        order in which they are started. An error ends those that have begun, and leaves out the others.

    Examples
    --------
    ::

        with side_by_side() as start:
            models = [start(train, name) for name in names]
            scores = [score(model.result()) for model in models]
    """
    n = processes()
    if n == 1:
        yield lambda function, *arguments: Later(cache(partial(function, *arguments)))
        return
    share, before = max(1, cores() // n), set(active_children())
    with ProcessPoolExecutor(n - here, get_context("spawn"), _alone, (share,)) as pool, threadpool_limits(share):
        try:
            yield pool.submit
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(active_children()) - before:
                child.terminate()
            raise


def _alone(threads: int) -> None:
    """One of several processes: nothing further beside it, so many threads for its matrix products; ends with all."""
    Thread(target=_end_with_parent, daemon=True).start()
    os.environ |= {VARIABLE: "1", "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    threadpool_limits(threads)


def _end_with_parent() -> None:
    """A process that was killed takes along what it started."""
    parent_process().join()
    os._exit(1)
