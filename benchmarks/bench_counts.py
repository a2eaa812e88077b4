"""Window counting: tokens a second and peak memory, on 1 and 2 threads, beside a plain Python loop.

python benchmarks/bench_counts.py [--smoke] [--corpus FOLDER]
"""

import argparse
from collections import Counter

import numpy as np
import synthetic
from measure import measure, table

from cdsm_lib.text.corpus import open_corpus
from cdsm_lib.text.counts import content_mask, content_words, count_windows


def plain_python(corpus, rows, columns, window, sentences) -> int:
    """The same counts by the definition, word by word, over the first sentences; returns their sum."""
    content = content_mask(corpus.words)
    is_row, is_column = np.zeros((2, len(corpus.words)), dtype=bool)
    is_row[corpus.words.encode(rows)] = True
    is_column[corpus.words.encode(columns)] = True
    counts = Counter()
    for i in range(sentences):
        words = corpus.word[corpus.offsets[i] : corpus.offsets[i + 1]]
        words = [word for word in words.tolist() if content[word]]
        for place, word in enumerate(words):
            if is_row[word]:
                around = words[max(0, place - window) : place] + words[place + 1 : place + 1 + window]
                counts.update((word, other) for other in around if is_column[other])
    return sum(counts.values())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    options.add_argument("--corpus", help="folder of a compiled corpus; synthetic text by default")
    options = options.parse_args()
    if options.corpus:
        corpus = open_corpus(options.corpus)
    else:
        corpus = synthetic.corpus(100_000, 5_000) if options.smoke else synthetic.corpus()
    n_rows, n_columns = (500, 200) if options.smoke else (40_000, 10_000)
    rows, columns = content_words(corpus, n_rows), content_words(corpus, n_columns)
    print(f"{corpus.n_tokens:,} tokens, {len(rows):,} x {len(columns):,}")
    count_windows(corpus, rows[:2], columns[:2], window=1)
    for window in (5, None):
        lines, totals = [], set()
        for threads in (2, 1):
            seconds, peak, total = measure(
                lambda threads=threads, window=window: (
                    count_windows(corpus, rows, columns, window=window, threads=threads).total
                )
            )
            name = f"{threads} threads: {corpus.n_tokens / seconds / 1e6:.1f}M tokens/s"
            lines.append((name, seconds, peak))
            totals.add(total)
        assert len(totals) == 1
        table(f"Counting {corpus.n_tokens:,} tokens, window {window or 'sentence'}", lines)
    sentences = min(corpus.n_sentences, 20_000)
    tokens = int(corpus.offsets[sentences])
    seconds, peak, _ = measure(lambda: plain_python(corpus, rows, columns, 5, sentences))
    print(f"\nplain Python, window 5, {tokens:,} tokens: {tokens / seconds / 1e6:.3f}M tokens/s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
