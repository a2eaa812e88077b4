"""Seeded synthetic data of realistic size and shape for the benchmarks."""

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus


def counts(rows: int = 20_000, columns: int = 10_000, tokens: int = 10_000_000, seed: int = 0) -> sparse.csr_array:
    """Co-occurrence counts [rows, columns] of so many tokens, int32.

    Row and column frequencies fall as in Zipf's law; half of a row's counts come from one of 400 topics, so that the
    singular values of the weighted matrix fall as those of text.
    """
    rng = np.random.default_rng(seed)
    topics = np.array([rng.permutation(columns)[: columns // 10] for _ in range(400)])
    row, column, within = (zipf(rng, n, s, tokens) for n, s in ((rows, 0.4), (columns, 0.8), (columns // 10, 0.8)))
    column = np.where(rng.random(tokens) < 0.5, column, topics[row % len(topics), within])
    return sparse.coo_array((np.ones(tokens, np.int32), (row, column)), shape=(rows, columns)).tocsr()


def zipf(rng: np.random.Generator, n: int, exponent: float, size: int) -> np.ndarray:
    """So many whole numbers below n, int32, the i-th with a probability as (i + 1) to the power of - exponent."""
    table = np.cumsum(1 / np.arange(1, n + 1) ** exponent)
    return np.searchsorted(table / table[-1], rng.random(size)).astype(np.int32)


def corpus(tokens: int = 8_000_000, words: int = 200_000, seed: int = 0) -> Corpus:
    """A corpus in memory of so many tokens: Zipfian words, flat trees, sentences of 25."""
    word = zipf(np.random.default_rng(seed), words, 1, tokens)
    offsets, position = np.append(np.arange(0, tokens, 25), tokens), np.arange(tokens) % 25
    return Corpus(
        form=word,
        word=word,
        head=-np.minimum(position, 1).astype(np.int16),
        deprel=(position > 0).astype(np.uint16),
        offsets=offsets,
        deprels=Labels(["root", "dep"]),
        files=(("synthetic", 0),),
        fingerprint=f"synthetic {tokens} {words} {seed}",
        tables={"words": Labels(f"w{i:06d}|NOUN" for i in range(words)), "forms": Labels([])},
    )
