"""A function of every part of a corpus, on this machine or on a Dask cluster: the same results, in the same order.

Workers open a compiled corpus by its folder, which they must be able to read under the same path; a corpus in memory is
sent to each of them once. A few parts for each worker are on their way at a time, so the client holds no more of the
corpus, however large it is. What a lost worker had begun is done again by another.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from cdsm_lib.text.corpus import Corpus

_LONGEST = 16_000_000  # tokens of a part on a cluster
_MOST = 1_000_000_000  # of any part: places in it are numbers of 32 bits


class ClusterError(ValueError):
    """The Dask cluster went away in the middle."""


def over_parts(
    function: Callable, corpus: Corpus, *shared: Any, tokens: int | None, client=None, here: int = 2_000_000
) -> Iterator:
    """``function(corpus, (start, stop), *shared)`` of consecutive token ranges, cut at sentence borders.

    Parameters
    ----------
    function : callable
        Without side effects.
    corpus : Corpus
    *shared
        What it needs besides.
    tokens : int or None
        Of a range. By default `here` on this machine; on a cluster a share for each worker.
    client : dask.distributed.Client, optional
        Compute on its cluster (extra ``scale``).
    here : int

    Yields
    ------
    What the function returns, in the order of the corpus.

    Raises
    ------
    ClusterError
        If the scheduler goes away.
    """
    if client is None:
        yield from (function(corpus, chunk, *shared) for chunk in corpus.chunks(min(tokens or here, _MOST)))
        return
    at_once = 2 * max(1, sum(client.nthreads().values()))
    tokens = tokens or int(np.clip(corpus.n_tokens // (2 * at_once), 1, _LONGEST))
    try:
        sent = client.scatter([corpus, *shared], broadcast=True, hash=False)
        waiting = deque()
        for chunk in corpus.chunks(tokens):
            waiting.append(client.submit(function, sent[0], chunk, *sent[1:], pure=False))
            if len(waiting) >= at_once:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running" and not isinstance(error, asyncio.CancelledError):
            raise  # of the function itself
        problem = "the Dask scheduler went away; start the cluster again and repeat the call: nothing was kept"
        raise ClusterError(problem) from error
