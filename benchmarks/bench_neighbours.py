"""Neighbours of 100 words among 20,000 of 300 dimensions, beside DISSECT's way, gensim, and plain NumPy.

    python benchmarks/bench_neighbours.py [--smoke]

DISSECT itself is not installed: its steps are written out as its Space.get_neighbours and CosSimilarity take them
(float64; for every query the products with all rows, the lengths of all rows, and a full sort). The memory's floor is
to read the table once, for all queries in one product, or once a query where they are asked one by one.
"""

import argparse

import numpy as np
from gensim.models import KeyedVectors
from measure import contest

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


def plain(unit: np.ndarray, places: range) -> np.ndarray:
    """One product and a full sort, with rows that have length 1 already."""
    return np.argsort(-(unit[places.start : places.stop] @ unit.T), axis=1)[:, :K]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    n, d, queries = (500, 20, range(5)) if options.parse_args().smoke else (20_000, 300, range(100))
    vectors = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    names = [f"word{i}" for i in range(n)]
    asked = [names[i] for i in queries]
    space, keyed, double = Space(names, vectors), KeyedVectors(d), vectors.astype(np.float64)
    keyed.add_vectors(names, vectors)
    keyed.fill_norms()
    unit = vectors / space.norms[:, None].astype(np.float32)
    for near, places in zip(space.neighbours(asked, K - 1), dissect(double, queries), strict=True):
        assert [label for label, _ in near] == [names[i] for i in places[1:]]
    contenders = {
        "Space.neighbours, all at once": lambda: space.neighbours(asked, K),
        "Space.neighbours, one by one": lambda: [space.neighbours(word, K) for word in asked],
        "as DISSECT does it": lambda: dissect(double, queries),
        "gensim most_similar, one by one": lambda: [keyed.most_similar(word, topn=K) for word in asked],
        "plain NumPy: one product, full sort": lambda: plain(unit, queries),
        "the product alone": lambda: unit[: len(queries)] @ unit.T,
        "memory's floor, one by one": lambda: [vectors.max() for _ in queries],
        "memory's floor, all at once": lambda: vectors.max(),
    }
    contest(f"{len(queries)} queries among {n:,} x {d}, {K} neighbours", contenders, 5, key=f"neighbours, {n} x {d}")


if __name__ == "__main__":
    main()
