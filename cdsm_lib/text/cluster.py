"""A Dask cluster: results in the order in which they were asked for, and what goes wrong as one clear error."""

import asyncio
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class ClusterError(ValueError):
    """A Dask cluster cannot do what is asked; the message names its address, the problem and the remedy."""


@contextmanager
def on_cluster(client) -> Iterator[int]:
    """How many threads the cluster of a client has; what happens to it inside becomes a `ClusterError`.

    Raises
    ------
    ClusterError
        If the scheduler goes away, there are no workers, or all die of a task. An error of the task's own is raised as
        it is.
    """
    from dask import config
    from distributed import KilledWorker

    address = client.scheduler.address
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"{address}: the cluster has no workers; start some: dask worker {address}")
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):  # tables go by the scheduler
            yield threads
    except KilledWorker as error:
        died = f"workers died of one part, {error.allowed_failures + 1} in all, the last {error.last_worker.address}"
        raise ClusterError(f"{address}: {died}; give workers more memory, or take smaller parts") from error
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running" and not isinstance(error, asyncio.CancelledError):
            raise  # of the task itself
        problem = "the Dask scheduler went away; start the cluster again and repeat the call: nothing was kept"
        raise ClusterError(f"{address}: {problem}") from error


def in_order(tasks: Iterable, threads: int) -> Iterator[Any]:
    """The results of futures, of which two for each thread are taken from the iterable before they are waited for."""
    waiting = deque()
    for task in tasks:
        waiting.append(task)
        if len(waiting) >= 2 * threads:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


@contextmanager
def connected(address: str | None) -> Iterator:
    """A client of the scheduler at an address such as ``tcp://node:8786``, closed afterwards; None without one.

    Raises
    ------
    ClusterError
        If Dask is not installed, or no scheduler answers.
    """
    if not address:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise ClusterError(f"{address}: Dask is not installed; python -m pip install -e '.[scale]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        problem = f"no scheduler answers ({error}); start one, dask scheduler, and name the address that it prints"
        raise ClusterError(f"{address}: {problem}") from None
    with client:
        yield client


def this_worker() -> str:
    """``worker`` and its address, on a worker."""
    from distributed import get_worker

    return f"worker {get_worker().address}"


def must_see(folder: Path) -> None:
    """On a worker, a `ClusterError` unless a folder of the client's is there."""
    if not folder.is_dir():
        remedy = "choose a place that every worker can write to under the same name"
        raise ClusterError(f"{this_worker()} sees no {folder}; {remedy}")
