"""Neighbours of 100 words among 20,000 of 300 dimensions, beside DISSECT's way and gensim.

DISSECT itself is not installed: its steps are written out as its Space.get_neighbours and CosSimilarity take them
(float64; for every query the products with all rows, the lengths of all rows, and a full sort).
"""

import numpy as np
from gensim.models import KeyedVectors
from measure import SMOKE, contest

from cdsm_lib.vectors.space import Space

K = 10


def dissect(vectors: np.ndarray, places: range) -> list[np.ndarray]:
    """The places of the K nearest to each, its own among them."""
    nearest = []
    for place in places:
        vector = vectors[place]
        lengths = np.sqrt(np.multiply(vectors, vectors).sum(1)) * np.sqrt((vector**2).sum())
        similarity = (vectors @ vector) * np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        nearest.append(np.argsort(-similarity)[:K])
    return nearest


n, d, queries = (500, 20, range(5)) if SMOKE else (20_000, 300, range(100))
vectors = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
names = [f"word{i}" for i in range(n)]
asked = [names[i] for i in queries]
space, keyed, double = Space(names, vectors), KeyedVectors(d), vectors.astype(np.float64)
keyed.add_vectors(names, vectors)
keyed.fill_norms()
for near, places in zip(space.neighbours(asked, K - 1), dissect(double, queries), strict=True):
    assert [label for label, _ in near] == [names[i] for i in places[1:]]
contest(
    f"{len(queries)} queries among {n:,} x {d}, {K} neighbours",
    {
        "Space.neighbours, all at once": lambda: space.neighbours(asked, K),
        "Space.neighbours, one by one": lambda: [space.neighbours(word, K) for word in asked],
        "as DISSECT does it": lambda: dissect(double, queries),
        "gensim most_similar, one by one": lambda: [keyed.most_similar(word, topn=K) for word in asked],
    },
    repeats=5,
)
