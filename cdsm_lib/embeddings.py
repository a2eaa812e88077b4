r"""Skip-gram with negative sampling over (target, context) pairs, with frozen contexts if asked (Mikolov et al. 2013).

Each pair of a target *t* and a context *c* contributes

.. math:: \log\sigma(\mathbf{t}\cdot\mathbf{c}) + \sum_{i=1}^{k}\log\sigma(-\mathbf{t}\cdot\mathbf{n}_i),

where the k negatives n_i are drawn from the contexts' frequencies to the power 3/4. What a context is, the caller
decides: the words of a window, dependency contexts (Levy & Goldberg 2014), or the surroundings of a phrase. For a
phrase the context vectors are *frozen*, so that its holistic vector lies in the words' own space (Rimell et al. 2016,
section 5.1.3).

Pairs come as `Groups`: one target occurrence with all of its contexts. The kernel draws its negatives once a group and
weights them so that every positive pair still meets `negatives` of them in expectation; a group of 10 contexts then
costs some 40 dot products instead of 110. One thread trains one model: the order of updates is part of the result.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from tqdm.auto import tqdm

from cdsm_lib.corpus import Corpus
from cdsm_lib.labels import Labels
from cdsm_lib.space import Space


@dataclass(frozen=True)
class Groups:
    """Target occurrences with their contexts: occurrence g has contexts[starts[g]:starts[g + 1]].

    Attributes
    ----------
    targets : ndarray of int32, shape (n,)
    starts : ndarray of int64, shape (n + 1,)
    contexts : ndarray of int32, shape (starts[-1],)
    done : float
        Share of the pass over the data that lies behind when these groups are done (the learning rate follows it).
    """

    targets: np.ndarray
    starts: np.ndarray
    contexts: np.ndarray
    done: float


@dataclass(frozen=True)
class SkipGram:
    """Target and context vectors of one training: float32, shapes (targets, d) and (contexts, d)."""

    targets: Labels
    contexts: Labels
    target_vectors: np.ndarray
    context_vectors: np.ndarray
    context_counts: np.ndarray

    def space(self, **meta) -> Space:
        """The target vectors as a `Space`."""
        return Space(self.targets, self.target_vectors, meta=meta)


# ------------------------------------------------------------------------------------------------ the numba kernels


@njit(cache=True)
def _random(state):
    """Step a 64-bit linear congruential generator (Knuth's constants); 53 of its bits as a float in [0, 1)."""
    state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return (state[0] >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _alias_table(weights):
    """Walker's alias method: draw i = floor(u n), keep i with probability accept[i], else take other[i]."""
    n = len(weights)
    scaled = weights * (n / weights.sum())
    accept, other = np.ones(n), np.arange(n)
    small = [i for i in range(n) if scaled[i] < 1.0]
    large = [i for i in range(n) if scaled[i] >= 1.0]
    while len(small) and len(large):
        low, high = small.pop(), large.pop()
        accept[low], other[low] = scaled[low], high
        scaled[high] -= 1.0 - scaled[low]
        if scaled[high] < 1.0:
            small.append(high)
        else:
            large.append(high)
    return accept.astype(np.float32), other.astype(np.int32)


@njit(cache=True, fastmath=True)
def _train(targets, starts, contexts, t_vectors, c_vectors, accept, other, negatives, draws, frozen, rates, state):
    """One pass over the groups with stochastic gradient ascent; the rate falls linearly from rates[0] to rates[1]."""
    d, n_contexts, n = t_vectors.shape[1], len(accept), len(targets)
    step = np.empty(d, dtype=np.float32)
    for g in range(n):
        first, last = starts[g], starts[g + 1]
        if first == last:
            continue
        rate = np.float32(rates[0] + (rates[1] - rates[0]) * g / n)
        weight = np.float32(negatives * (last - first) / draws)
        t = t_vectors[targets[g]]
        step[:] = 0
        for k in range(last - first + draws):
            if k < last - first:
                c = c_vectors[contexts[first + k]]
            else:
                u = _random(state)
                cell = int(u * n_contexts)
                u = _random(state)
                c = c_vectors[cell if u < accept[cell] else other[cell]]
            score = np.float32(0)
            for j in range(d):
                score += t[j] * c[j]
            sigma = np.float32(1) / (np.float32(1) + np.exp(-score))
            error = rate * (np.float32(1) - sigma) if k < last - first else -rate * weight * sigma
            for j in range(d):
                step[j] += error * c[j]
            if not frozen:
                for j in range(d):
                    c[j] += error * t[j]
        for j in range(d):
            t[j] += step[j]


@njit(cache=True)
def _windows(row, offsets, keep, window, targets, starts, contexts, state):
    """Groups of word windows: rare-word subsampling, then 1..window words each side (both as in word2vec)."""
    n, m = 0, 0
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    line = np.empty(longest, dtype=np.int32)
    for s in range(len(offsets) - 1):
        length = 0
        for i in range(offsets[s], offsets[s + 1]):
            if row[i] >= 0:
                u = _random(state)
                if u < keep[row[i]]:
                    line[length] = row[i]
                    length += 1
        for i in range(length):
            u = _random(state)
            reach = 1 + int(u * window)
            targets[n] = line[i]
            starts[n] = m
            n += 1
            for j in range(max(0, i - reach), min(length, i + reach + 1)):
                if j != i:
                    contexts[m] = line[j]
                    m += 1
    starts[n] = m
    return n, m


@njit(cache=True)
def _collect(row, begin, end, step, own, keep, most, contexts, m, state):
    """Append at most `most` subsampled words from begin towards end (exclusive), leaving out the positions `own`."""
    found = 0
    for i in range(begin, end, step):
        if found == most:
            break
        if row[i] < 0 or (own == i).any():
            continue
        u = _random(state)
        if u < keep[row[i]]:
            contexts[m] = row[i]
            m += 1
            found += 1
    return m


@njit(cache=True)
def _around(row, offsets, phrases, keep, window, starts, contexts, state):
    """Contexts of phrases: `window` words each side of the span and those within it, the phrase's own left out."""
    m = 0
    for p in range(len(phrases)):
        starts[p] = m
        own = phrases[p]
        first, last = own.min(), own.max()
        s = np.searchsorted(offsets, first, side="right")
        m = _collect(row, first - 1, offsets[s - 1] - 1, -1, own, keep, window, contexts, m, state)
        m = _collect(row, first, last, 1, own, keep, last - first, contexts, m, state)
        m = _collect(row, last + 1, offsets[s], 1, own, keep, window, contexts, m, state)
    starts[len(phrases)] = m
    return m


# --------------------------------------------------------------------------------------------------- where pairs come from


def keep_probability(counts: np.ndarray, sample: float) -> np.ndarray:
    r"""Probability of keeping an occurrence of each word, ``sqrt(s/f) + s/f`` with f its relative frequency.

    The rule of word2vec's code; 1 for words rarer than `sample`, and for all if `sample` is 0.

    Examples
    --------
    >>> keep_probability(np.array([9900, 100]), 1e-2).round(3)
    array([0.111, 1.   ])
    """
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


def window_groups(corpus: Corpus, row: np.ndarray, keep: np.ndarray, window: int) -> Callable[[int], Iterator[Groups]]:
    """Groups from running text, as `skip_gram` wants them.

    Parameters
    ----------
    corpus : Corpus
    row : ndarray of int32, shape (len(corpus.words),)
        Row of each word of the corpus, -1 for words that are left out before windows are taken.
    keep : ndarray, shape (rows,)
        Probability of keeping an occurrence, see `keep_probability`.
    window : int
        The widest window; each occurrence draws its own width from 1 to `window`, as in word2vec.

    Returns
    -------
    callable
        Given a seed, it iterates once over the corpus.
    """
    longest = 400_000

    def groups(seed: int) -> Iterator[Groups]:
        state = np.array([seed], dtype=np.uint64)
        for start, stop in corpus.chunks(longest):
            rows = row[corpus.word[start:stop]]
            borders = corpus.offsets[np.searchsorted(corpus.offsets, start) :]
            borders = borders[: np.searchsorted(borders, stop) + 1] - start
            targets = np.empty(stop - start, dtype=np.int32)
            starts = np.empty(stop - start + 1, dtype=np.int64)
            contexts = np.empty((stop - start) * 2 * window, dtype=np.int32)
            n, m = _windows(rows, borders, keep, window, targets, starts, contexts, state)
            yield Groups(targets[:n], starts[: n + 1], contexts[:m], stop / corpus.n_tokens)

    return groups


def phrase_groups(
    corpus: Corpus, row: np.ndarray, keep: np.ndarray, window: int, occurrences: np.ndarray, phrase_of: np.ndarray
) -> Callable[[int], Iterator[Groups]]:
    """Groups around the occurrences of phrases (for frozen contexts).

    Parameters
    ----------
    corpus, row, keep, window
        As in `window_groups`; the window is counted from both ends of the phrase and is not drawn anew.
    occurrences : ndarray of int64, shape (n, k)
        Token positions of the phrase's own words.
    phrase_of : ndarray of int64, shape (n,)
        Which phrase each occurrence is of; -1 leaves it out.
    """
    kept = phrase_of >= 0
    occurrences, phrase_of = occurrences[kept], phrase_of[kept].astype(np.int32)

    def groups(seed: int) -> Iterator[Groups]:
        state = np.array([seed], dtype=np.uint64)
        rows = row[corpus.word]
        for first in range(0, len(occurrences), 100_000):
            some = occurrences[first : first + 100_000]
            reach = 2 * window * len(some) + int(np.ptp(some, axis=1).sum())
            starts, contexts = np.empty(len(some) + 1, dtype=np.int64), np.empty(reach, dtype=np.int32)
            m = _around(rows, corpus.offsets, some, keep, window, starts, contexts, state)
            done = min(1.0, (first + len(some)) / len(occurrences))
            yield Groups(phrase_of[first : first + 100_000], starts, contexts[:m], done)

    return groups


# ------------------------------------------------------------------------------------------------------------ training


def skip_gram(
    groups: Callable[[int], Iterable[Groups]],
    targets: Labels,
    contexts: Labels,
    context_counts: np.ndarray,
    *,
    dimensions: int = 100,
    negatives: int = 10,
    draws: int = 20,
    epochs: int = 3,
    rate: float = 0.025,
    seed: int = 0,
    frozen: np.ndarray | None = None,
    progress: bool | None = None,
) -> SkipGram:
    """Train skip-gram with negative sampling (Mikolov et al. 2013, equation 4).

    Parameters
    ----------
    groups : callable
        Given a seed, one pass over the training data: `window_groups`, `phrase_groups`, or your own.
    targets, contexts : Labels
        What the rows of the two matrices stand for.
    context_counts : ndarray, shape (len(contexts),)
        Frequencies of the contexts; negatives are drawn from their power 3/4.
    dimensions, negatives, epochs : int
    draws : int
        Negatives drawn for a target occurrence; each counts `negatives` x pairs / `draws`.
    rate : float
        First learning rate; it falls linearly to a 250th of it.
    seed : int
        Same seed, same vectors, on one machine to the last bit (another processor may round differently).
    frozen : ndarray of float32, shape (len(contexts), dimensions), optional
        Context vectors that are used as they are and not trained.
    progress : bool, optional
        Show a progress bar; by default only on a terminal.

    Returns
    -------
    SkipGram

    Raises
    ------
    ValueError
        If `frozen` has another shape, or a group names a target or context that does not exist.
    """
    rng = np.random.default_rng(seed)
    t_vectors = ((rng.random((len(targets), dimensions)) - 0.5) / dimensions).astype(np.float32)
    c_vectors = np.zeros((len(contexts), dimensions), dtype=np.float32)
    if frozen is not None:
        if frozen.shape != c_vectors.shape:
            raise ValueError(f"frozen contexts have shape {frozen.shape}, {c_vectors.shape} was expected")
        c_vectors = np.ascontiguousarray(frozen, dtype=np.float32)
    accept, other = _alias_table(np.asarray(context_counts, dtype=np.float64) ** 0.75)
    state = np.array([seed + 1], dtype=np.uint64)
    bar = tqdm(total=100, desc="skip-gram", unit="%", disable=None if progress is None else not progress)
    with bar:
        for epoch in range(epochs):
            before = 0.0
            for some in groups(seed * epochs + epoch + 1):
                _check(some, len(targets), len(contexts))
                rates = [max(rate * (1 - (epoch + done) / epochs), rate / 250) for done in (before, some.done)]
                _train(some.targets, some.starts, some.contexts, t_vectors, c_vectors, accept, other,
                       negatives, draws, frozen is not None, np.array(rates), state)  # fmt: skip
                bar.update((some.done - before) * 100 / epochs)
                before = some.done
    return SkipGram(targets, contexts, t_vectors, c_vectors, np.asarray(context_counts))


def _check(groups: Groups, n_targets: int, n_contexts: int) -> None:
    for name, values, n in (("target", groups.targets, n_targets), ("context", groups.contexts, n_contexts)):
        if len(values) and not 0 <= values.min() <= values.max() < n:
            raise ValueError(f"a group names {name} {values.min()} or {values.max()}, but there are {n} of them")
