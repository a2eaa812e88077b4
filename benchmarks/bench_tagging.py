"""Sense tagging: tokens per second by window and threads, time to build the sense vectors, memory.

    python benchmarks/bench_tagging.py [--smoke] [--corpus FOLDER [--files N]]

By default text, senses and vectors are synthetic: Zipfian words, of which the frequent ones have more senses, as in
WordNet. With a compiled corpus and WordNet at hand, its own words and senses are taken; the vectors are random either
way, since what they hold does not change the work.
"""

import argparse
import time

import numpy as np
import synthetic
from measure import measure, table

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import open_corpus
from cdsm_lib.text.counts import content_words
from cdsm_lib.vectors.disambiguation import Part, SenseTagger, WordNetGlosses, readings

DIMENSIONS = 100
FULL = 43_500_000  # tokens of the project's parsed Wikipedia


def synthetic_glosses(words: Labels, seed: int = 0) -> dict:
    """From 12 senses for the most frequent word to 1, each with 30 words and as many of related senses."""
    rng, n = np.random.default_rng(seed), len(words)
    glosses = {}
    for rank, word in enumerate(words):
        drawn = rng.integers(n, size=(max(1, round(12 - 2 * np.log10(rank + 1))), 2, 30))
        glosses[word] = {
            f"{word}.{k}": [Part(d, tuple(words[i] for i in part)) for d, part in enumerate(parts)]
            for k, parts in enumerate(drawn.tolist())
        }
    return glosses


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options.add_argument("--corpus", help="folder of a compiled corpus; synthetic text by default")
    options.add_argument("--files", type=int, help="only the first so many files of the corpus")
    options = options.parse_args()
    if options.corpus:
        corpus = open_corpus(options.corpus)
        corpus = corpus.part(options.files) if options.files else corpus
    else:
        corpus = synthetic.corpus(50_000, 1_000) if options.smoke else synthetic.corpus()
    words = content_words(corpus, 500 if options.smoke else 30_000)
    vectors = np.random.default_rng(0).normal(size=(len(words), DIMENSIONS)).astype(np.float32)
    begin = time.perf_counter()
    glosses = WordNetGlosses(words, readings(corpus, words)) if options.corpus else synthetic_glosses(words)
    tagger = SenseTagger.build(glosses, words, vectors)
    print(f"{corpus.n_tokens:,} tokens; {len(tagger.words):,} words with {len(tagger.senses):,} senses, "
          f"{tagger.vectors.nbytes / 1e6:.0f} MB, made in {time.perf_counter() - begin:.1f} s")  # fmt: skip

    rows = words.encode(corpus.words)
    tagger.tag(corpus, vectors, rows, threads=1)  # compiles, and reads the columns
    lines = []
    for window in (None, 5):
        for threads in (1, 2):
            seconds, peak, tags = measure(
                lambda window=window, threads=threads: tagger.tag(
                    corpus, vectors, rows, window=window, threads=threads, prior_weight=0.3
                )
            )
            speed = corpus.n_tokens / seconds
            name = f"window {window}, threads {threads}: {speed / 1e6:.2f}M/s"
            lines.append((name, seconds, peak))
    n = corpus.n_tokens
    table("Tagging senses", lines, f"at the last speed {FULL / 1e6:.1f}M tokens take {FULL / speed:.0f} s")
    print(f"without senses {tags.no_senses / n:.1%}, one sense {tags.monosemous / n:.1%}, "
          f"no known context {tags.no_context / n:.2%}, tied {tags.tied / n:.2%}")  # fmt: skip


if __name__ == "__main__":
    main()
