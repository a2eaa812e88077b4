"""Seeded synthetic data of realistic size and shape for the benchmarks."""

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus

N_ROWS, N_COLUMNS, NON_ZEROS = 20_000, 10_000, 7_000_000


def counts(rows: int = N_ROWS, columns: int = N_COLUMNS, non_zeros: int = NON_ZEROS, seed: int = 0):
    """Co-occurrence counts [rows, columns] with exactly so many cells above 0, as a csr_array of int32.

    Row and column frequencies fall as in Zipf's law; half of a row's counts come from four topics of its own, some
    topics being far commoner than others, so that the singular values of the weighted matrix fall as those of text.
    """
    rng = np.random.default_rng(seed)
    topics, size = 400, columns // 10
    topic_columns = np.array([np.sort(rng.permutation(columns)[:size]) for _ in range(topics)])
    topics_of = np.minimum(topics * rng.random((rows, 4)) ** 2, topics - 1).astype(np.int64)
    general, within = _table(columns, 0.8), _table(size, 0.8)
    share = 1 / np.arange(1, rows + 1) ** 0.4
    per_row = np.maximum(2, (share / share.sum() * non_zeros * 1.5).astype(np.int64))
    keys = np.empty(0, dtype=np.int64)
    while np.count_nonzero(np.diff(keys, prepend=-1)) < non_zeros:
        row = np.repeat(np.arange(rows), per_row)
        column = np.searchsorted(general, rng.random(len(row)))
        topical = np.flatnonzero(rng.random(len(row)) < 0.5)
        topic = topics_of[row[topical], rng.integers(0, 4, len(topical))]
        column[topical] = topic_columns[topic, np.searchsorted(within, rng.random(len(topical)))]
        keys = np.sort(np.concatenate((keys, row * columns + column)))
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.diff(first, append=len(keys)).astype(np.int32)
    chosen = np.sort(rng.permutation(len(first))[:non_zeros])
    cells = keys[first[chosen]]
    return sparse.coo_array((times[chosen], (cells // columns, cells % columns)), shape=(rows, columns)).tocsr()


def _table(n: int, exponent: float) -> np.ndarray:
    """Cumulative probabilities of Zipf's law."""
    weights = 1 / np.arange(1, n + 1) ** exponent
    return np.minimum(np.cumsum(weights) / weights.sum(), 1.0) * (1 + 1e-12)


def corpus(tokens: int = 8_000_000, words: int = 200_000, seed: int = 0) -> Corpus:
    """A corpus in memory of about so many tokens: Zipfian words, half of them content words, flat trees."""
    rng = np.random.default_rng(seed)
    tags = np.where(rng.random(words) < 0.97, "NOUN", "DET")
    tags[rng.permutation(60)] = "DET"  # most of the commonest words are function words
    table = np.cumsum(1 / np.arange(1, words + 1))
    word = np.searchsorted(table / table[-1], rng.random(tokens)).astype(np.int32)
    lengths = rng.integers(6, 45, size=tokens // 20)
    ends = np.cumsum(lengths)
    offsets = np.concatenate(([0], ends[ends < tokens], [tokens]))
    position = np.arange(tokens) - np.repeat(offsets[:-1], np.diff(offsets))
    return Corpus(
        form=word,
        word=word,
        head=-np.minimum(position, 1).astype(np.int16),
        deprel=(position > 0).astype(np.uint16),
        offsets=offsets,
        deprels=Labels(["root", "dep"]),
        files=(("synthetic", 0),),
        fingerprint=f"synthetic {tokens} {words} {seed}",
        tables={"words": Labels(f"w{i:06d}|{tag}" for i, tag in enumerate(tags)), "forms": Labels([])},
    )
