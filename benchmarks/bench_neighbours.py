"""Neighbours of 100 words among 20,000 of 300 dimensions, beside gensim."""

import numpy as np
from gensim.models import KeyedVectors
from measure import SMOKE, contest

from cdsm_lib.vectors.space import Space

K = 10
n, d, queries = (500, 20, range(5)) if SMOKE else (20_000, 300, range(100))
vectors = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
names = [f"word{i}" for i in range(n)]
asked = [names[i] for i in queries]
space, keyed = Space(names, vectors), KeyedVectors(d)
keyed.add_vectors(names, vectors)
keyed.fill_norms()
contest(
    f"{len(queries)} queries among {n:,} x {d}, {K} neighbours",
    {
        "Space.neighbours, all at once": lambda: space.neighbours(asked, K),
        "Space.neighbours, one by one": lambda: [space.neighbours(word, K) for word in asked],
        "gensim most_similar, one by one": lambda: [keyed.most_similar(word, topn=K) for word in asked],
    },
    repeats=5,
)
