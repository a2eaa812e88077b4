r"""Skip-gram with negative sampling over (target, context) pairs, with frozen contexts if asked (Mikolov et al. 2013).

Each pair of a target *t* and a context *c* contributes

.. math:: \log\sigma(\mathbf{t}\cdot\mathbf{c}) + \sum_{i=1}^{k}\log\sigma(-\mathbf{t}\cdot\mathbf{n}_i),

where the k negatives n_i are drawn from the contexts' frequencies to the power 3/4. What a context is, the caller
decides: the words of a window, dependency contexts (Levy & Goldberg 2014; `pair_groups`), or the surroundings of a
phrase. For a phrase the context vectors are *frozen*, so that its holistic vector lies in the words' own space (Rimell
et al. 2016, section 5.1.3).

Pairs come as `Groups`: one target occurrence with all of its contexts. The kernel draws its negatives once a group and
weights them so that every positive pair still meets `negatives` of them in expectation; a group of 10 contexts then
costs 30 dot products instead of 110. One thread trains one model: the order of updates is part of the result.

`train_words`, `train_phrases` and `train_dependencies` do all of it in one call. Vectors that others trained are read
by `cdsm_lib.vectors.files.read_vectors`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic
from tqdm import tqdm

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.counts import Counts, numbering
from cdsm_lib.text.parts import piece
from cdsm_lib.vectors.space import Space


@dataclass(frozen=True)
class Groups:
    """Target occurrences with their contexts: occurrence g has contexts[starts[g]:starts[g + 1]].

    Attributes
    ----------
    targets : ndarray of int32, shape (n,)
    starts : ndarray of int64, shape (n + 1,)
    contexts : ndarray of int32, shape (starts[-1],)
    done : float
        Share of the pass over the data that lies behind when these groups are done, from 0 to 1 (the learning rate
        follows it).
    """

    targets: np.ndarray
    starts: np.ndarray
    contexts: np.ndarray
    done: float


@dataclass(frozen=True)
class SkipGram:
    """What one training gives.

    Target vectors [len(targets), d] and context vectors [len(contexts), d] are float32. `pairs`, int64
    [len(targets)], counts on how many pairs each target was trained, all epochs together: the vector of a target with
    none is still the noise that it began with; leave it out.
    """

    targets: Labels
    contexts: Labels
    target_vectors: np.ndarray
    context_vectors: np.ndarray
    context_counts: np.ndarray
    pairs: np.ndarray

    def space(self, **meta) -> Space:
        """The target vectors as a `Space`."""
        return Space(self.targets, self.target_vectors, meta=meta)


# ------------------------------------------------------------------------------------------------ the numba kernels

CHUNK = 400_000  # tokens of running text that become groups at a time
AHEAD = 4  # rows that are on their way from memory while one is worked on
_LINE = 16  # numbers that come from memory together
OCCURRENCES = 100_000  # occurrences of phrases, or groups of pairs, at a time
_SATURATED = np.float32(30)  # scores are cut off there, where the sigmoid is all but 0 or 1: exp(88) overflows


def random_state(seed: int) -> np.ndarray:
    """The generator's first state: neighbouring seeds are mixed to states that have nothing in common.

    >>> random_state(1), random_state(2)
    (array([7434755675892716031], dtype=uint64), array([10128210881749538955], dtype=uint64))
    """
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)


@njit(cache=True)
def uniform(state):
    """Step a 64-bit linear congruential generator (Knuth's constants); 53 of its bits as a float in [0, 1).

    >>> state = random_state(1)
    >>> round(uniform(state), 3), round(uniform(state), 3)
    (0.894, 0.014)
    """
    state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return (state[0] >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def alias_table(weights):
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


@intrinsic
def prefetch(typing, array, row, column):
    """Have what stands about ``array[row, column]`` fetched from memory; nothing waits for it, no value changes."""

    def code(context, builder, signature, arguments):
        rows = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, signature.args[0], rows, arguments[1:])
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, *[cgutils.int32_t] * 3])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [cgutils.voidptr_t], kind)
        builder.call(fetch, [builder.bitcast(place, cgutils.voidptr_t), *map(cgutils.int32_t, (1, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), code


@njit(cache=True, fastmath=True)
def _train(targets, starts, contexts, t_vectors, c_vectors, accept, other, negatives, draws, frozen, rates, state):
    """One pass over the groups with stochastic gradient ascent; the rate falls linearly from rates[0] to rates[1]."""
    d, n_contexts, n = t_vectors.shape[1], len(accept), len(targets)
    most = np.diff(starts).max() if n else 0
    step, row = np.empty(d, dtype=np.float32), np.empty(most + draws, dtype=np.int32)
    for g in range(n):
        first, last = starts[g], starts[g + 1]
        if first == last:
            continue
        pairs, against = last - first, last - first + draws
        row[:pairs] = contexts[first:last]
        for k in range(pairs, against):
            u = uniform(state)
            cell = int(u * n_contexts)
            u = uniform(state)
            row[k] = cell if u < accept[cell] else other[cell]
        for k in range(min(AHEAD, against)):
            for j in range(0, d, _LINE):
                prefetch(c_vectors, row[k], j)
        rate = np.float32(rates[0] + (rates[1] - rates[0]) * g / n)
        weight = np.float32(negatives * pairs / draws)
        t = t_vectors[targets[g]]
        step[:] = 0
        for k in range(against):
            if k + AHEAD < against:
                for j in range(0, d, _LINE):
                    prefetch(c_vectors, row[k + AHEAD], j)
            c = c_vectors[row[k]]
            score = np.float32(0)
            for j in range(d):
                score += t[j] * c[j]
            score = min(max(score, -_SATURATED), _SATURATED)
            sigma = np.float32(1) / (np.float32(1) + np.exp(-score))
            error = rate * (np.float32(1) - sigma) if k < pairs else -rate * weight * sigma
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
    line = np.empty(len(row), dtype=np.int32)
    for s in range(len(offsets) - 1):
        length = 0
        for i in range(offsets[s], offsets[s + 1]):
            if row[i] >= 0:
                u = uniform(state)
                if u < keep[row[i]]:
                    line[length] = row[i]
                    length += 1
        for i in range(length):
            u = uniform(state)
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
def _collect(word, row, begin, end, step, phrase, keep, most, contexts, m, state):
    """Append at most `most` subsampled words from begin towards end (exclusive), leaving out the positions `phrase`."""
    appended = 0
    for i in range(begin, end, step):
        if appended == most:
            break
        if row[word[i]] < 0 or (phrase == i).any():
            continue
        u = uniform(state)
        if u < keep[row[word[i]]]:
            contexts[m] = row[word[i]]
            m += 1
            appended += 1
    return m


@njit(cache=True)
def _around(word, row, offsets, phrases, keep, window, starts, contexts, state):
    """Contexts of phrases: `window` words each side of the span and those within it, the phrase's own left out."""
    m = 0
    for p in range(len(phrases)):
        starts[p] = m
        phrase = phrases[p]
        first, last = phrase.min(), phrase.max()
        s = np.searchsorted(offsets, first, side="right")
        m = _collect(word, row, first - 1, offsets[s - 1] - 1, -1, phrase, keep, window, contexts, m, state)
        m = _collect(word, row, first, last, 1, phrase, keep, last - first, contexts, m, state)
        m = _collect(word, row, last + 1, offsets[s], 1, phrase, keep, window, contexts, m, state)
    starts[len(phrases)] = m
    return m


# ---------------------------------------------------------------------------------------------- where pairs come from


def keep_probability(counts: np.ndarray, sample: float) -> np.ndarray:
    r"""Probability of keeping an occurrence of each word, ``sqrt(s/f) + s/f`` with f its relative frequency.

    The rule of word2vec's code; 1 for words rarer than `sample`, and for all if `sample` is 0 (`ValueError` below).

    >>> keep_probability(np.array([9900, 100]), 1e-2).round(3)
    array([0.111, 1.   ])
    """
    if not sample >= 0:
        raise ValueError(f"subsample={sample}: it must be 0 or greater")
    if sample == 0:
        return np.ones(len(counts))
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    return np.minimum(1.0, np.sqrt(ratio) + ratio)


def window_groups(
    corpus: Corpus, row: np.ndarray, keep: np.ndarray, *, window: int
) -> Callable[[int], Iterator[Groups]]:
    """Groups from running text, as `skip_gram` wants them: a function of a seed that gives one pass over the corpus.

    Raises `ValueError` if the window is not positive, or `row` does not fit the corpus's words or `keep`.

    Parameters
    ----------
    row : ndarray of int32, shape (len(corpus.words),)
        Row of each word of the corpus, -1 for words that are left out before windows are taken.
    keep : ndarray, shape (rows,)
        Probability of keeping an occurrence, see `keep_probability`.
    window : int
        The widest window; each occurrence draws its own width from 1 to `window`, as in word2vec.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("a b c")
    >>> group = next(iter(window_groups(corpus, np.arange(3, dtype=np.int32), np.ones(3), window=1)(0)))
    >>> group.targets, group.starts, group.contexts
    (array([0, 1, 2], dtype=int32), array([0, 1, 3, 4]), array([1, 0, 2, 1], dtype=int32))
    """
    if not isinstance(window, Integral) or window < 1:
        raise ValueError(f"window={window!r}: it must be a whole number from 1")
    if len(row) != len(corpus.words):
        raise ValueError(f"row has {len(row)} entries; the corpus has {len(corpus.words)} words")
    if row.max(initial=-1) >= len(keep):
        raise ValueError(f"row runs to {row.max()}, but keep has {len(keep)} entries")

    def groups(seed: int) -> Iterator[Groups]:
        state = random_state(seed)
        for start, stop in corpus.chunks(CHUNK):
            word, borders = piece(corpus, (start, stop))
            targets = np.empty(stop - start, dtype=np.int32)
            starts = np.empty(stop - start + 1, dtype=np.int64)
            contexts = np.empty((stop - start) * 2 * window, dtype=np.int32)
            n, m = _windows(row[word], borders, keep, window, targets, starts, contexts, state)
            yield Groups(targets[:n], starts[: n + 1], contexts[:m], stop / corpus.n_tokens)

    return groups


def phrase_groups(
    corpus: Corpus, row: np.ndarray, keep: np.ndarray, occurrences: np.ndarray, phrase_of: np.ndarray, *, window: int
) -> Callable[[int], Iterator[Groups]]:
    """Groups around the occurrences of phrases (for frozen contexts).

    Parameters
    ----------
    corpus, row, keep
        As in `window_groups`; a `ValueError` if an occurrence lies outside the corpus or crosses a border.
    occurrences : ndarray of int64, shape (n, k)
        Token positions of the phrase's own words; in order they are read fastest.
    phrase_of : ndarray of int64, shape (n,)
        Which phrase each occurrence is of; -1 leaves it out.
    window : int
        Words on each side, counted from both ends of the phrase and not drawn anew.
    """
    occurrences, phrase_of = occurrences[phrase_of >= 0], phrase_of[phrase_of >= 0].astype(np.int32)

    def groups(seed: int) -> Iterator[Groups]:
        state = random_state(seed)
        for first in range(0, len(occurrences), OCCURRENCES):
            some = occurrences[first : first + OCCURRENCES]
            begin, end = np.searchsorted(corpus.offsets, (some.min(), some.max()), side="right")
            borders = corpus.offsets[begin - 1 : end + 1]
            word, some = np.asarray(corpus.word[borders[0] : borders[-1]]), some - borders[0]
            reach = 2 * window * len(some) + int(np.ptp(some, axis=1).sum())
            starts, contexts = np.empty(len(some) + 1, dtype=np.int64), np.empty(reach, dtype=np.int32)
            m = _around(word, row, borders - borders[0], some, keep, window, starts, contexts, state)
            done = min(1.0, (first + len(some)) / len(occurrences))
            yield Groups(phrase_of[first : first + OCCURRENCES], starts, contexts[:m], done)

    return groups


def pair_groups(
    targets: np.ndarray,
    contexts: np.ndarray,
    counts: np.ndarray | None = None,
    *,
    size: int = 10,
    keep: np.ndarray | None = None,
) -> Callable[[int], Iterator[Groups]]:
    """Groups from any (target, context) pairs, such as the dependency contexts of Levy & Goldberg (2014).

    Pairs come shuffled: a target's contexts are dealt into groups of `size`, and the groups follow one another in an
    order drawn from the seed. Skip-gram sees nothing but pairs, so counted pairs do as well as running text.

    Parameters
    ----------
    targets, contexts : ndarray of int, shape (n,)
        Rows of target and context of each pair.
    counts : ndarray of int, shape (n,), optional
        How often each pair occurs; once by default.
    size : int
        The most contexts of a group.
    keep : ndarray, shape (n,), optional
        Probability of keeping an occurrence of each pair, drawn anew in each pass; all are kept by default.

    Returns
    -------
    callable
        Given a seed, it iterates once over the pairs, each as often as it occurs. Takes some 50 bytes for each.

    >>> group = next(iter(pair_groups(np.array([0, 0, 1]), np.array([2, 3, 2]))(0)))
    >>> group.targets, group.starts, group.contexts
    (array([1, 0], dtype=int32), array([0, 1, 3]), array([2, 2, 3], dtype=int32))
    """
    counts = np.ones(len(targets), dtype=np.int64) if counts is None else np.asarray(counts)
    cells = tuple(values.astype(np.int32) for values in (targets, contexts))

    def groups(seed: int) -> Iterator[Groups]:
        rng = np.random.default_rng(seed)
        times = counts if keep is None else rng.binomial(counts, keep)
        targets, contexts = (np.repeat(values, times) for values in cells)
        order = rng.permutation(len(targets))
        order = order[np.argsort(targets[order], kind="stable")]
        runs = np.flatnonzero(np.diff(targets[order], prepend=-1))
        place = np.arange(len(order)) - np.repeat(runs, np.diff(runs, append=len(order)))
        begin = np.flatnonzero(place % size == 0)
        length = np.diff(begin, append=len(order))
        deal = rng.permutation(len(begin))
        begin, length = begin[deal], length[deal]
        done = np.cumsum(length) / len(order)
        for first in range(0, len(begin), OCCURRENCES):
            some = slice(first, first + OCCURRENCES)
            starts = np.concatenate(([0], np.cumsum(length[some])))
            pairs = order[np.repeat(begin[some] - starts[:-1], length[some]) + np.arange(starts[-1])]
            yield Groups(targets[order[begin[some]]], starts, contexts[pairs], float(done[some][-1]))

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
) -> SkipGram:
    """Train skip-gram with negative sampling (Mikolov et al. 2013, equation 4).

    Raises `ValueError` if `frozen` or `context_counts` has another shape or no context has a frequency, if a setting is
    not positive, or if a group names a target or context that does not exist.

    Parameters
    ----------
    groups : callable
        Given a seed, one pass over the training data: `window_groups`, `phrase_groups`, `pair_groups`,
        or your own.
    targets, contexts : Labels
        What the rows of the two matrices stand for.
    context_counts : ndarray, shape (len(contexts),)
        Frequencies of the contexts; negatives are drawn from their power 3/4.
    dimensions : int
        Length of the vectors.
    negatives : int
        Drawn contexts that a pair is set against, in expectation: the paper has 5 to 20 for small corpora, 2 to 5 for
        large ones.
    draws : int
        Negatives drawn for a target occurrence; each counts `negatives` x pairs / `draws`.
    epochs : int
        Passes over the data.
    rate : float
        First learning rate; it falls linearly to a 250th of it.
    seed : int
        Same seed, same vectors, on one machine to the last bit (another processor may round differently).
    frozen : ndarray of float32, shape (len(contexts), dimensions), optional
        Context vectors that are used as they are and not trained (the result holds a copy).

    Returns
    -------
    SkipGram

    >>> groups = pair_groups(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([50, 50, 50]))
    >>> targets, contexts = Labels(["tea", "coffee", "car"]), Labels(["drink", "drive"])
    >>> model = skip_gram(groups, targets, contexts, np.array([100, 50]), dimensions=8, epochs=20, rate=0.2)
    >>> model.space().neighbours("tea", 1)[0][0]
    'coffee'
    """
    given = {"dimensions": dimensions, "negatives": negatives, "draws": draws, "epochs": epochs, "rate": rate}
    kind = dict.fromkeys(given, Integral) | {"negatives": Real, "rate": Real}
    wrong = [f"{name}={value!r}" for name, value in given.items() if not (isinstance(value, kind[name]) and value > 0)]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: must be greater than 0, and whole but for negatives and rate")
    context_counts = np.asarray(context_counts)
    if context_counts.shape != (len(contexts),) or not context_counts.sum() > 0 or context_counts.min() < 0:
        raise ValueError(f"context_counts must be frequencies, one for each of the {len(contexts)} contexts, not all 0")
    rng = np.random.default_rng(seed)
    t_vectors = ((rng.random((len(targets), dimensions)) - 0.5) / dimensions).astype(np.float32)
    c_vectors = np.zeros((len(contexts), dimensions), dtype=np.float32)
    if frozen is not None:
        if frozen.shape != c_vectors.shape:
            raise ValueError(f"frozen contexts have shape {frozen.shape}, {c_vectors.shape} was expected")
        c_vectors[:] = frozen
    accept, other = alias_table(context_counts.astype(np.float64) ** 0.75)
    state, seeds = np.split(np.random.SeedSequence(seed).generate_state(1 + epochs, np.uint64), [1])
    pairs = np.zeros(len(targets), dtype=np.int64)
    with tqdm(total=100, desc="skip-gram", unit="%", disable=None) as bar:
        for epoch in range(epochs):
            before = 0.0
            for some in groups(int(seeds[epoch])):
                _check(some, len(targets), len(contexts))
                rates = [max(rate * (1 - (epoch + done) / epochs), rate / 250) for done in (before, some.done)]
                _train(some.targets, some.starts, some.contexts, t_vectors, c_vectors, accept, other,
                       negatives, draws, frozen is not None, np.array(rates), state)  # fmt: skip
                np.add.at(pairs, some.targets, np.diff(some.starts))
                bar.update((some.done - before) * 100 / epochs)
                before = some.done
    return SkipGram(targets, contexts, t_vectors, c_vectors, context_counts, pairs)


def train_words(
    corpus: Corpus,
    words: Labels | Sequence[str],
    *,
    window: int = 5,
    subsample: float = 1e-4,
    **training,
) -> SkipGram:
    """word2vec: skip-gram over running text, words are targets and contexts alike (Mikolov et al. 2013).

    `words` (``lemma|UPOS``) must occur in the corpus (`ValueError`); all others are left out before windows are taken.
    Each occurrence draws its own width of 1 to `window` words on each side, and of words above the relative frequency
    `subsample` some occurrences are left out (see `keep_probability`; 0 for none). `training` has the options of
    `skip_gram`.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text(*["a b c"] * 20)
    >>> train_words(corpus, ["a|NOUN", "c|NOUN"], subsample=0, dimensions=4, seed=1).space()
    Space: 2 words x 4 dimensions
    """
    words, row = Labels(words), numbering(corpus.words, Labels(words))
    counts = np.zeros(len(words), dtype=corpus.word_counts.dtype)
    counts[row[row >= 0]] = corpus.word_counts[row >= 0]
    if not counts.all():
        lacking = [words[i] for i in np.flatnonzero(counts == 0)]
        raise ValueError(f"{len(lacking)} of these words do not occur in the corpus: {', '.join(lacking[:5])}")
    groups = window_groups(corpus, row, keep_probability(counts, subsample), window=window)
    return skip_gram(groups, words, words, counts, **training)


def train_frozen(
    corpus: Corpus, model: SkipGram, targets: Labels, positions: np.ndarray, target_of: np.ndarray, *,
    window: int, subsample: float, **training,
) -> SkipGram:  # fmt: skip
    """Skip-gram around the occurrences of `targets`, the context vectors being those of `model`, frozen.

    `positions` and `target_of` are as in `phrase_groups`, the options those of `train_phrases`.
    """
    keep = keep_probability(model.context_counts, subsample)
    groups = phrase_groups(corpus, numbering(corpus.words, model.contexts), keep, positions, target_of, window=window)
    frozen = model.context_vectors
    counts, dimensions = model.context_counts, frozen.shape[1]
    return skip_gram(groups, targets, model.contexts, counts, frozen=frozen, dimensions=dimensions, **training)


def train_phrases(
    corpus: Corpus,
    model: SkipGram,
    phrases: Labels | Sequence[str],
    positions: np.ndarray,
    phrase_of: np.ndarray,
    *,
    window: int = 15,
    subsample: float = 1e-4,
    epochs: int = 5,
    rate: float = 0.1,
    **training,
) -> np.ndarray:
    """Holistic vectors of phrases, in the space of a model of words (Rimell et al. 2016, section 5.1.3).

    Skip-gram around each occurrence of a phrase; the words' context vectors, those of `model`, are frozen. `positions`
    and `phrase_of` say where the phrases occur, as in `phrase_groups`; `window` counts words on each side of the
    phrase; `subsample` is that of `train_words`, and `training` has further options of `skip_gram`.

    Returns
    -------
    ndarray of float32, shape (len(phrases), d)
        Zeros for a phrase that never met a context.
    """
    options = {"window": window, "subsample": subsample, "epochs": epochs, "rate": rate, **training}
    trained = train_frozen(corpus, model, Labels(phrases), positions, phrase_of, **options)
    trained.target_vectors[trained.pairs == 0] = 0  # never met a context: no vector rather than the noise it began as
    return trained.target_vectors


def train_dependencies(table: Counts, *, most: int | None = None, subsample: float = 0.0, **training) -> SkipGram:
    """Skip-gram of words with their dependency contexts (Levy & Goldberg 2014, section 3); see `count_dependencies`.

    A pair counts `most` times at the most. With a `subsample` above 0, an occurrence of a pair is kept with the product
    of the `keep_probability` of its word and that of its context among the pairs, so that `det:the|DET` and its like do
    not fill the training. `training` has the options of `skip_gram`. A table without a pair is a `ValueError`.
    """
    if not table.matrix.nnz:
        raise ValueError(f"none of the {len(table.rows)} words has a dependency context that is frequent enough")
    row, column = table.matrix.tocoo().coords
    counts = table.matrix.data if most is None else np.minimum(table.matrix.data, most)
    keep = keep_probability(table.row_sums, subsample)[row] * keep_probability(table.column_sums, subsample)[column]
    groups = pair_groups(row, column, counts, keep=keep if subsample else None)
    return skip_gram(groups, table.rows, table.columns, table.column_sums, **training)


def _check(groups: Groups, n_targets: int, n_contexts: int) -> None:
    """The kernel writes where a group points."""
    for name, values, n in (("target", groups.targets, n_targets), ("context", groups.contexts, n_contexts)):
        if len(values) and not 0 <= values.min() <= values.max() < n:
            raise ValueError(f"a group names {name} {values.min()} or {values.max()}, but there are {n} of them")
