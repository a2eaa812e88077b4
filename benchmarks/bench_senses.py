"""Sense vectors and dependency contexts, 300 dimensions: occurrences a second and peak memory.

    python benchmarks/bench_senses.py [--smoke] [--corpus FOLDER] [--files N]

The rows: one epoch of `train_senses` over every noun, verb, adjective and adverb seen 50 times or more, five senses
each, drawn at random (which costs what real senses cost); clustering the contexts of every tenth of these words into
three prototypes; one epoch of skip-gram on `dependency_groups`. Word vectors are random. Beside them: the sums of
contexts in plain numpy, an occurrence at a time, as the clustering would take them without its kernel.
"""

import argparse

import numpy as np
import synthetic
from measure import measure, table

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import open_corpus
from cdsm_lib.vectors import senses
from cdsm_lib.vectors.embeddings import SkipGram, dependency_groups, skip_gram
from cdsm_lib.vectors.senses import prototypes, train_senses
from cdsm_lib.vectors.space import Space

SENSES, FEWEST, TAGS = 5, 50, ("NOUN", "VERB", "ADJ", "ADV")


def word_model(corpus, d: int) -> SkipGram:
    """Random vectors for the words seen 10 times or more."""
    seen = np.flatnonzero(corpus.word_counts >= 10)
    words = Labels(corpus.words[i] for i in seen)
    vectors = np.random.default_rng(0).normal(scale=0.1, size=(len(words), d)).astype(np.float32)
    counts = corpus.word_counts[seen]
    return SkipGram(words, words, vectors, vectors, counts, counts)


def random_tags(corpus, words: list[str]) -> np.ndarray:
    place = np.full(len(corpus.words), -1, dtype=np.int32)
    place[corpus.words.encode(words)] = np.arange(len(words))
    word = place[corpus.word]
    sense = np.random.default_rng(0).integers(SENSES, size=len(word), dtype=np.int32)
    return np.where(word >= 0, word * SENSES + sense, -1).astype(np.int32)


def plain_numpy(corpus, space: Space, positions: np.ndarray, window: int) -> np.ndarray:
    """Sums of the vectors around each position."""
    row = space.rows.encode(corpus.words)
    sums = np.zeros((len(positions), space.d), dtype=np.float32)
    for i, place in enumerate(positions):
        s = np.searchsorted(corpus.offsets, place, side="right")
        before = row[corpus.word[corpus.offsets[s - 1] : place]]
        after = row[corpus.word[place + 1 : corpus.offsets[s]]]
        around = np.concatenate((before[before >= 0][-window:], after[after >= 0][:window]))
        sums[i] = space.vectors[around].sum(axis=0)
    return senses._unit(sums)


def by_dependencies(corpus, words, dimensions):
    """One epoch of skip-gram whose contexts are dependencies."""
    groups, table = dependency_groups(corpus, words)
    options = {"dimensions": dimensions, "epochs": 1, "progress": False}
    return skip_gram(groups, table.rows, table.columns, table.column_sums, **options)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options.add_argument("--corpus", help="folder of a compiled corpus; synthetic text by default")
    options.add_argument("--files", type=int, help="only the first files of that corpus")
    options = options.parse_args()
    if options.corpus:
        corpus = open_corpus(options.corpus)
        corpus = corpus.part(options.files) if options.files else corpus
    else:
        corpus = synthetic.corpus(60_000, 3_000) if options.smoke else synthetic.corpus(3_000_000)
    model = word_model(corpus, 20 if options.smoke else 300)
    space = model.space()
    frequent = corpus.word_counts >= FEWEST
    words = [corpus.words[i] for i in np.flatnonzero(frequent & np.isin(corpus.pos_of, TAGS))]
    tags = random_tags(corpus, words)
    inventory = {word: [f"{word}#{i}" for i in range(SENSES)] for word in words}
    some = words[::10]
    occurrences = int(np.isin(corpus.word, corpus.words.encode(some)).sum())
    print(f"{corpus.n_tokens:,} tokens, {len(words):,} words of {SENSES} senses, {space.d} dimensions")

    train_senses(corpus, model, np.where(np.arange(len(tags)) < 500, tags, -1), inventory, epochs=1, min_count=1)
    prototypes(corpus, space, some[:1], 2)  # these compile the kernels
    by_dependencies(corpus, some[:20], dimensions=2)

    def sense_training():
        return train_senses(corpus, model, tags, inventory, epochs=1, progress=False).meta["occurrences"]

    def clustering():
        return int((prototypes(corpus, space, some, 3).tags >= 0).sum())

    def dependencies():
        return int(by_dependencies(corpus, space.rows, dimensions=space.d).pairs.sum())

    lines = []
    for name, unit, function in (
        ("train_senses", "occurrences", sense_training),
        (f"prototypes of {len(some):,} words", "occurrences", clustering),
        ("dependency_groups", "pairs", dependencies),
    ):
        seconds, peak, n = measure(function)
        lines.append((f"{name}: {n / seconds / 1e3:.0f}K {unit}/s", seconds, peak))
    table("one epoch each", lines)

    positions = np.flatnonzero(np.isin(corpus.word, corpus.words.encode(some)))[: 1_000 if options.smoke else 20_000]
    kernel = measure(lambda: senses._Surroundings(corpus, space, 5, False).at(positions))
    plain = measure(lambda: plain_numpy(corpus, space, positions, 5))
    assert np.allclose(kernel[2], plain[2], atol=1e-5)
    table(f"contexts of {len(positions):,} of {occurrences:,} occurrences",
          [("kernel", *kernel[:2]), ("plain numpy", *plain[:2])])  # fmt: skip


if __name__ == "__main__":
    main()
