"""A function of every part of a corpus, on this machine or on a Dask cluster: the same results, in the same order.

Workers read their parts of a compiled corpus where it lies, by its folder or its address, which they must be able to
read under the same name; only a corpus in memory is sent to them. What is added up is added on the workers, in a tree
whose shape follows from the order of the parts, so that the client receives one result, however long the corpus is.
What a lost worker had begun, or held, is done again by another.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import chain, pairwise
from typing import Any

import numpy as np
from scipy import sparse

from cdsm_lib.text.cluster import ClusterError, in_order, on_cluster, this_worker
from cdsm_lib.text.corpus import Corpus, CorpusError, in_place

_LONGEST = 4_000_000  # tokens of a part on a cluster: some 100 MB of a worker's memory
_MOST = 1_000_000_000  # of any part: places in it are numbers of 32 bits
_RUN = 16  # parts that one task takes one after the other, at most
_TOGETHER = 4  # results that are added at a time


def _nothing(start: int, stop: int) -> tuple:
    return ()


def over_parts(
    function: Callable,
    corpus: Corpus,
    *shared: Any,
    tokens: int | None,
    client=None,
    here: int = 2_000_000,
    own: Callable[[int, int], tuple] = _nothing,
) -> Iterator:
    """``function(corpus, (start, stop), *own(start, stop), *shared)`` of token ranges, cut at sentence borders.

    Parameters
    ----------
    function : callable
        Without side effects. On a cluster its corpus has columns of which it can take slices of the range, and the
        offsets of the range alone.
    corpus : Corpus
    *shared
        What it needs besides.
    tokens : int or None
        Of a range. By default `here` on this machine; on a cluster a share for each worker.
    client : dask.distributed.Client, optional
        Compute on its cluster (extra ``scale``).
    here : int
    own : callable
        What the function needs of that range, or on a cluster of a longer one around it.

    Yields
    ------
    What the function returns, in the order of the corpus. On a cluster a few parts for each worker are on their way at
    a time.

    Raises
    ------
    ClusterError
        If the scheduler goes away, there are no workers, all die of a part, or they cannot read this corpus.
    """
    if client is None:
        chunks = corpus.chunks(min(tokens or here, _MOST))
        yield from (function(corpus, chunk, *own(*chunk), *shared) for chunk in chunks)
        return
    with on_cluster(client) as threads:
        tasks = _tasks(client, list, function, corpus, shared, tokens, threads, own)
        yield from chain.from_iterable(in_order(tasks, threads))


def reduced(
    combine: Callable,
    function: Callable,
    corpus: Corpus,
    *shared: Any,
    tokens: int | None,
    client=None,
    own: Callable[[int, int], tuple] = _nothing,
    join: Callable | None = None,
    **here: int,
) -> Any:
    """``combine`` of what `over_parts` yields; on a cluster it is combined there, four results at a time, in a tree.

    Parameters
    ----------
    combine : callable
        From an iterable of results to one of them, and it must not matter how they are put together: a sum of integers.
    join : callable, optional
        Such a function for what `combine` gave on the cluster, if there is a quicker one.
    function, corpus, *shared, tokens, client, own, **here
        As in `over_parts`, and the same errors.
    """
    if client is None:
        return combine(over_parts(function, corpus, *shared, tokens=tokens, own=own, **here))
    with on_cluster(client) as threads:
        nodes, level = list(_tasks(client, combine, function, corpus, shared, tokens, threads, own)), 0
        while len(nodes) > 1:
            level += 1  # before further parts are begun, for what waits takes memory
            some = (nodes[i : i + _TOGETHER] for i in range(0, len(nodes), _TOGETHER))
            nodes = [client.submit(join or combine, several, pure=False, priority=level) for several in some]
        return nodes[0].result() if nodes else combine([])


def _tasks(client, combine: Callable, function: Callable, corpus: Corpus, shared, tokens, threads, own) -> Iterator:
    """Futures of the combined results of runs of parts, in the order of the corpus."""
    tokens = tokens or int(np.clip(corpus.n_tokens // (8 * threads), 1, _LONGEST))
    run = int(np.clip(corpus.n_tokens // tokens // (4 * threads), 1, _RUN))
    place = corpus if corpus.folder is None else (str(corpus.folder), len(corpus.files), corpus.fingerprint)
    # a task, for what is scattered is lost with the workers that hold it
    sent = client.submit(partial(tuple, [place, *shared]), pure=False)
    borders = np.array([0, *(stop for _, stop in corpus.chunks(tokens))])
    for i in range(0, len(borders) - 1, run):
        some = borders[i : i + run + 1]
        work = partial(_run, combine, function, some.tolist(), np.searchsorted(corpus.offsets, some).tolist())
        yield client.submit(work, own(int(some[0]), int(some[-1])), sent, pure=False)


def _run(combine: Callable, function: Callable, borders: list[int], sentences: list[int], own, sent: tuple) -> Any:
    """The combined results of consecutive parts, on a worker."""
    _weigh_matrices()
    place, *shared = sent
    corpus = place if isinstance(place, Corpus) else _opened(*place)
    parts = zip(pairwise(borders), pairwise(sentences), strict=True)
    return combine(
        function(replace(corpus, offsets=corpus.offsets[low : high + 1]), chunk, *own, *shared)
        for chunk, (low, high) in parts
    )


@cache
def _weigh_matrices() -> None:
    """Tell Dask how large a sparse array is, or it takes each for some bytes and moves them about."""
    from dask.sizeof import sizeof

    sizeof.register(sparse.csr_array, lambda matrix: matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)


def _opened(folder: str, files: int, fingerprint: str) -> Corpus:
    try:
        corpus = in_place(folder)
        if corpus.first(files) != fingerprint:
            raise CorpusError(f"{folder}: another corpus stands here")
        return corpus
    except (CorpusError, OSError) as error:
        problem = f"{this_worker()} cannot read the client's corpus ({error})"
        raise ClusterError(f"{problem}; give every worker the same corpus under the same name") from error
