"""A function of every part of a corpus, put together: on this machine or on a Dask cluster, with the same result.

Workers map a compiled corpus by its folder, which they must see under the same name; a corpus in memory is sent to
them. Results are put together on the workers, in a tree that follows the order of the parts, so that the client
receives one, however long the corpus is. What a lost worker had begun, or held, is done again by another.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.text.corpus import Corpus, CorpusError, reopen

_TOGETHER = 4  # results that are put together at a time


class ClusterError(ValueError):
    """A Dask cluster cannot do what is asked; the message names its address, the problem and the remedy."""


def reduced(combine: Callable, function: Callable, corpus: Corpus, *shared: Any, tokens: int, client=None) -> Any:
    """``combine`` of the results of ``function(corpus, (start, stop), *shared)``, in the order of the corpus.

    Raises `ClusterError` if the scheduler goes away, or there are no workers, and `CorpusError` if a column was written
    since the corpus was opened. An error of the function's own is raised as it is.

    Parameters
    ----------
    combine : callable
        Makes of an iterable of results one of them, a sum or a concatenation: neighbours are put together first.
    function : callable
        Without side effects; where the corpus is cut, always at a sentence border, must not matter.
    tokens : int
        Of a part, about; on a cluster fewer, if there is not a part for each thread otherwise.
    client : dask.distributed.Client, optional
        Compute on its cluster (extra ``scale``).
    """
    if client is None:
        return combine(function(corpus, chunk, *shared) for chunk in corpus.chunks(tokens))
    from dask import config

    if corpus.folder and storage.last_written(corpus.folder.glob("*.npy")) != corpus.written:
        raise CorpusError(f"{corpus.folder}: a column was written since the corpus was opened; open it again")
    address, threads = client.scheduler.address, sum(client.nthreads().values())
    if not threads:
        raise ClusterError(f"{address}: the cluster has no workers; start some: dask worker {address}")
    place = corpus if corpus.folder is None else partial(reopen, corpus.folder, len(corpus.files), corpus.fingerprint)
    try:
        with config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):  # tables go by the scheduler
            # a task, for what is scattered is lost with the workers that hold it
            sent = client.submit(partial(tuple, (place, *shared)), pure=False)
            chunks = corpus.chunks(min(tokens, corpus.n_tokens // (4 * threads) + 1))
            nodes = [client.submit(_there, function, chunk, sent, pure=False) for chunk in chunks]
            while len(nodes) > 1:  # before further parts are begun, for what waits takes memory
                some = (nodes[i : i + _TOGETHER] for i in range(0, len(nodes), _TOGETHER))
                nodes = [client.submit(combine, several, pure=False, priority=1) for several in some]
            return nodes[0].result() if nodes else combine([])
    except (Exception, asyncio.CancelledError) as error:
        if client.status == "running" and not isinstance(error, asyncio.CancelledError):
            raise  # of the function itself
        problem = "the Dask scheduler went away; start the cluster again and repeat the call: nothing was kept"
        raise ClusterError(f"{address}: {problem}") from error


def piece(corpus: Corpus, chunk: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """The words of a part, and where its sentences begin and end, from 0: `Corpus.word` and `Corpus.offsets` of it."""
    low, high = np.searchsorted(corpus.offsets, chunk)
    return np.asarray(corpus.word[slice(*chunk)]), np.asarray(corpus.offsets[low : high + 1]) - chunk[0]


def _there(function: Callable, chunk: tuple[int, int], sent: tuple) -> Any:
    from dask.sizeof import sizeof

    sizeof.register(sparse.csr_array, lambda m: m.data.nbytes + m.indices.nbytes + m.indptr.nbytes)  # Dask: 56 bytes
    place, *shared = sent
    return function(place() if callable(place) else place, chunk, *shared)
