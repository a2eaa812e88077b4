"""Words in context: time for a sentence of 25 words by each model, memory of the tables, and counting the triples.

python benchmarks/bench_contextual.py [--smoke] [--corpus FOLDER]
"""

import argparse

import numpy as np
import synthetic
from measure import measure, table
from scipy import sparse

from cdsm_lib.composition.contextual import ErkPado, LatentSenses, Simple, Thater, represent
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import open_corpus
from cdsm_lib.text.counts import content_words, count_windows
from cdsm_lib.text.dependencies import Arc, Triples, count_triples
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import ppmi

LENGTH = 25


def synthetic_triples(words: Labels, m: int, relations: int = 40, seed: int = 0) -> Triples:
    """About `m` triples of Zipfian words that prefer words of their own class, one in fifty."""
    rng = np.random.default_rng(seed)
    n, times = len(words), 30 * m
    table = np.cumsum(1 / np.arange(1, n + 1) ** 0.7)
    governor, dependent = np.searchsorted(table / table[-1], rng.random((2, times)))
    dependent = np.minimum(dependent - dependent % 50 + governor % 50, n - 1)
    relation = (governor // 50 + dependent // 50) % relations
    keys, count = np.unique((governor * relations + relation) * n + dependent, return_counts=True)
    sums = [
        sparse.coo_array((np.ones(times, dtype=np.int64), (relation, word)), shape=(relations, n)).tocsr()
        for word in (governor, dependent)
    ]
    kept = np.sort(np.argsort(-count, kind="stable")[:m])
    governor, rest = np.divmod(keys[kept], relations * n)
    return Triples(words, [f"r{i}" for i in range(relations)], governor, rest // n, rest % n, count[kept], *sums)


def sentences(triples, n: int, seed: int = 0) -> list[tuple[list[str], list[Arc]]]:
    """Sentences of 25 words: triples that occur, the frequent ones more often, each bound to the one before it."""
    rng = np.random.default_rng(seed)
    frequent = np.flatnonzero(triples.count > 10)
    weights = triples.count[frequent] / triples.count[frequent].sum()
    out = []
    for _ in range(n):
        words, arcs = [], []
        while len(words) < LENGTH:
            triple = frequent[rng.choice(len(frequent), p=weights)]
            at = len(words)
            words += [triples.words[triples.governor[triple]], triples.words[triples.dependent[triple]]]
            relation = triples.relations[triples.relation[triple]]
            arcs.append(Arc(at, relation, at + 1))
            if at:
                arcs.append(Arc(at - 1, relation, at))
        out.append((words[:LENGTH], [arc for arc in arcs if max(arc.governor, arc.dependent) < LENGTH]))
    return out


def megabytes(*arrays) -> float:
    return sum(array.nbytes for array in arrays) / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options.add_argument("--corpus", help="folder of a compiled corpus; synthetic text by default")
    options = options.parse_args()
    if options.corpus:
        corpus = open_corpus(options.corpus)
    else:
        corpus = synthetic.corpus(100_000, 2_000) if options.smoke else synthetic.corpus()
    n_words, n_columns, senses, n = (1_000, 200, 20, 5) if options.smoke else (30_000, 3_000, 1_200, 100)
    words, columns = content_words(corpus, n_words), content_words(corpus, n_columns)
    print(f"{corpus.n_tokens:,} tokens, {len(words):,} words")

    count_triples(corpus, words[:2])  # compiles
    seconds, peak, triples = measure(lambda: count_triples(corpus, words, min_count=2, resolve_voice=True))
    table("counting triples", [("count_triples", seconds, peak)])
    if not options.corpus:
        triples = synthetic_triples(words, 5_000 if options.smoke else 1_000_000)
    columns_of = (triples.governor, triples.relation, triples.dependent, triples.count, triples.origin)
    print(f"\n{len(triples):,} triples of {len(triples.relations):,} relations, {megabytes(*columns_of):.0f} MB")

    space = Space(words, ppmi(count_windows(corpus, words, columns, window=5).matrix), columns)
    rng = np.random.default_rng(0)
    theta = rng.dirichlet(np.full(senses, 50 / senses), len(words)).astype(np.float32)
    phi = rng.dirichlet(np.full(len(columns), 0.1), senses).astype(np.float32)
    thater = Thater.of_triples(triples)
    models = {
        "Simple": Simple(space),
        "ErkPado": ErkPado(space, triples),
        "Thater": thater,
        "LatentSenses": LatentSenses(words, theta, Labels(columns), phi),
    }
    cells = (thater.first.data, thater.first.indices, thater.first.indptr, thater.pairs)
    matrix = space.vectors
    print(f"space {megabytes(matrix.data, matrix.indices, matrix.indptr):.0f} MB; first-order vectors of Thater: "
          f"{thater.first.nnz:,} weights on {len(thater.pairs):,} pairs, {megabytes(*cells):.0f} MB; "
          f"senses {megabytes(theta, phi):.0f} MB")  # fmt: skip
    texts = sentences(triples, n)
    lines = []
    for name, model in models.items():
        represent(model, *texts[0], "add")  # compiles
        seconds, peak, _ = measure(lambda model=model: [represent(model, *text, "add").sum() for text in texts])
        lines.append((f"{name}: {1000 * seconds / n:.1f} ms a sentence", seconds, peak))
    table(f"{n} sentences of {LENGTH} words", lines)


if __name__ == "__main__":
    main()
