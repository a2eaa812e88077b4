"""A function of every part of a corpus, on this machine or on a Dask cluster: the same results, in the same order.

Workers map a compiled corpus by its folder, which they must see under the same name; a corpus in memory is sent to
them. What is added up is added on the workers, in a tree that follows the order of the parts, so that the client
receives one result, however long the corpus is. What a lost worker had begun, or held, is done again by another.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from cdsm_lib.text.corpus import Corpus, reopen

_TOGETHER = 4  # results that are added at a time


class ClusterError(ValueError):
    """A Dask cluster cannot do what is asked; the message names its address, the problem and the remedy."""


def over_parts(function: Callable, corpus: Corpus, *shared: Any, tokens: int, client=None) -> Iterator:
    """``function(corpus, (start, stop), *shared)`` of token ranges, cut at sentence borders.

    Parameters
    ----------
    function : callable
        Without side effects; its results must not depend on where the corpus is cut.
    corpus : Corpus
    *shared
        What it needs besides.
    tokens : int
        Of a range, about; on a cluster fewer, if there is not a range for each thread otherwise.
    client : dask.distributed.Client, optional
        Compute on its cluster (extra ``scale``).

    Yields
    ------
    What the function returns, in the order of the corpus. On a cluster two parts for each thread are on their way.

    Raises
    ------
    ClusterError
        If the scheduler goes away, or there are no workers. An error of the function's own is raised as it is.
    """
    if client is None:
        yield from (function(corpus, chunk, *shared) for chunk in corpus.chunks(tokens))
        return
    with _threads_of(client) as threads:
        waiting = deque()
        for task in _tasks(client, threads, function, corpus, shared, tokens):
            waiting.append(task)
            if len(waiting) >= 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def reduced(combine: Callable, function: Callable, corpus: Corpus, *shared: Any, tokens: int, client=None) -> Any:
    """``combine`` of what `over_parts` yields; on a cluster it is combined there, four results at a time, in a tree.

    `combine` makes of an iterable of results one of them, and it must not matter how they are put together: a sum of
    integers. The other parameters and the errors are those of `over_parts`.
    """
    if client is None:
        return combine(over_parts(function, corpus, *shared, tokens=tokens))
    with _threads_of(client) as threads:
        nodes = list(_tasks(client, threads, function, corpus, shared, tokens))
        while len(nodes) > 1:  # before further parts are begun, for what waits takes memory
            some = (nodes[i : i + _TOGETHER] for i in range(0, len(nodes), _TOGETHER))
            nodes = [client.submit(combine, several, pure=False, priority=1) for several in some]
        return nodes[0].result() if nodes else combine([])


def _tasks(client, threads: int, function: Callable, corpus: Corpus, shared: tuple, tokens: int) -> Iterator:
    """Futures of the results of all parts, in the order of the corpus."""
    place = corpus if corpus.folder is None else partial(reopen, corpus.folder, len(corpus.files), corpus.fingerprint)
    # a task, for what is scattered is lost with the workers that hold it
    sent = client.submit(partial(tuple, (place, *shared)), pure=False)
    for chunk in corpus.chunks(min(tokens, corpus.n_tokens // (4 * threads) + 1)):
        yield client.submit(_there, function, chunk, sent, pure=False)


def _there(function: Callable, chunk: tuple[int, int], sent: tuple) -> Any:
    place, *shared = sent
    return function(place() if callable(place) else place, chunk, *shared)


@contextmanager
def _threads_of(client) -> Iterator[int]:
    """How many threads a cluster has; that it has none, or loses its scheduler, is a `ClusterError`."""
    from dask import config

    address, threads = client.scheduler.address, sum(client.nthreads().values())
    if not threads:
        raise ClusterError(f"{address}: the cluster has no workers; start some: dask worker {address}")
    try:
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):  # tables go by the scheduler
            yield threads
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running" and not isinstance(error, asyncio.CancelledError):
            raise  # of the function itself
        problem = "the Dask scheduler went away; start the cluster again and repeat the call: nothing was kept"
        raise ClusterError(f"{address}: {problem}") from error
