"""A context2vec of random weights, and a small world to train in."""

import numpy as np

from cdsm_lib.composition.context2vec import SPECIAL, Context2Vec
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus, corpus_from_text


def context2vec_of(words, seed: int = 1, *, m: int = 16, **meta) -> Context2Vec:
    """Vectors of three dimensions, states of two, m units in the perceptron."""
    rng, n, (e, h, d) = np.random.default_rng(seed), len(words) + len(SPECIAL), (3, 2, 3)
    shapes = [(n, e), (4 * h, e), (4 * h, h), (4 * h,)] * 2 + [(m, 2 * h), (m,), (d, m), (d,), (n, d)]
    arrays = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return Context2Vec(Labels([*words, *SPECIAL]), *arrays, meta)


def corpus_of(sentences) -> Corpus:
    """Lists of "lemma|TAG"; the first word is the head of all others."""
    return corpus_from_text(*map(" ".join, sentences))


def small_world() -> list[list[str]]:
    """Two kinds of sentences: animals eat, machines break; ten nouns of each kind."""
    rng = np.random.default_rng(0)
    kinds = {"animal": ("eat|VERB", "food|NOUN"), "machine": ("break|VERB", "part|NOUN")}
    return [
        ["the|DET", f"{kind}{rng.integers(10)}|NOUN", verb, "the|DET", thing]
        for _ in range(300) for kind, (verb, thing) in kinds.items()
    ]  # fmt: skip
