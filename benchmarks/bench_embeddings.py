"""Skip-gram: tokens a second and peak memory of our kernel and of gensim's Word2Vec (one worker), on the same text.

The text is synthetic and seeded: words by Zipf's law. Both take the settings of the paper (Rimell et al. 2016, 5.1.3:
100 dimensions, a window of 10, 10 negatives, sub-sampling 1e-4). Ours shares the negatives of a target among its
contexts, gensim draws them for each pair. The phrases row is the training of holistic vectors: contexts frozen, a
window of 15 around one occurrence of one of 10,000 phrases in each sentence. Tokens are those of the text, before
sub-sampling, in all epochs; compiling the kernels and reading the text are left out. Peak memory is that of a fresh
process for each row.
"""

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from measure import record

LENGTH = 25  # tokens of a sentence
SETTINGS = {"dimensions": 100, "window": 10, "negatives": 10, "sample": 1e-4}
CONTESTANTS = ("ours, 20 draws", "ours, 40 draws", "ours, phrases", "gensim")


def text(sentences: int, vocabulary: int) -> np.ndarray:
    """Word numbers, shape (sentences, LENGTH): frequency falls with the rank."""
    weights = 1 / np.arange(1, vocabulary + 1)
    draws = np.random.default_rng(0).random((sentences, LENGTH))
    return np.searchsorted(np.cumsum(weights / weights.sum()), draws).clip(max=vocabulary - 1).astype(np.int32)


def corpus_of(numbers: np.ndarray):
    from cdsm_lib.labels import Labels
    from cdsm_lib.text.corpus import Corpus

    words = Labels(f"w{i}|NOUN" for i in range(numbers.max() + 1))
    word = numbers.ravel()
    return Corpus(
        form=word, word=word, head=np.zeros(len(word), np.int16), deprel=np.zeros(len(word), np.uint16),
        offsets=np.arange(0, len(word) + 1, LENGTH), deprels=Labels(["root"]), files=(("memory", 0),),
        fingerprint="synthetic", tables={"words": words, "forms": words},
    )  # fmt: skip


def ours(numbers: np.ndarray, epochs: int, draws: int, phrases: bool) -> float:
    """Seconds of training."""
    from cdsm_lib.labels import Labels
    from cdsm_lib.vectors.embeddings import keep_probability, phrase_groups, skip_gram, window_groups

    def train(numbers, epochs):
        corpus = corpus_of(numbers)
        counts = corpus.word_counts
        row, keep = np.arange(len(counts), dtype=np.int32), keep_probability(counts, SETTINGS["sample"])
        options = {"dimensions": SETTINGS["dimensions"], "negatives": SETTINGS["negatives"], "draws": draws}
        targets, frozen = corpus.words, None
        groups = window_groups(corpus, row, keep, window=SETTINGS["window"])
        if phrases:
            first = corpus.offsets[:-1] + LENGTH // 2
            targets = Labels(f"p{i}" for i in range(10_000))
            frozen = np.random.default_rng(0).normal(size=(len(counts), SETTINGS["dimensions"])).astype(np.float32)
            of = np.arange(len(first)) % len(targets)
            groups = phrase_groups(corpus, row, keep, np.stack((first, first + 2), axis=1), of, window=15)
        start = time.perf_counter()
        skip_gram(groups, targets, corpus.words, counts, epochs=epochs, frozen=frozen, progress=False, **options)
        return time.perf_counter() - start

    train(numbers[:10], 1)  # compiles
    return train(numbers, epochs)


def gensim(numbers: np.ndarray, epochs: int) -> float:
    """Seconds of training."""
    from gensim.models import Word2Vec

    sentences = [[f"w{i}" for i in line] for line in numbers.tolist()]
    model = Word2Vec(
        vector_size=SETTINGS["dimensions"], window=SETTINGS["window"], negative=SETTINGS["negatives"],
        sample=SETTINGS["sample"], min_count=1, sg=1, workers=1, epochs=epochs, seed=0,
    )  # fmt: skip
    model.build_vocab(sentences)
    start = time.perf_counter()
    model.train(sentences, total_examples=len(sentences), epochs=epochs)
    return time.perf_counter() - start


def contest(name: str, sentences: int, vocabulary: int, epochs: int) -> tuple[float, float]:
    """(seconds, peak MB)."""
    numbers = text(sentences, vocabulary)
    if name == "gensim":
        seconds = gensim(numbers, epochs)
    else:
        seconds = ours(numbers, epochs, 40 if "40" in name else 20, "phrases" in name)
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--smoke", action="store_true", help="a small text")
    sentences, vocabulary, epochs = (2_000, 1_000, 1) if parser.parse_args().smoke else (80_000, 30_000, 1)
    tokens = sentences * LENGTH * epochs
    heads = f"{'seconds':>10}{'Ktokens/s':>11}{'peak MB':>10}{'gensim takes':>14}"
    print(f"{tokens:,} tokens, {vocabulary:,} words\n{'':20}{heads}")
    found = {}
    for name in CONTESTANTS:
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found[name] = pool.submit(contest, name, sentences, vocabulary, epochs).result()
    record(script="bench_embeddings", key="", title=f"Skip-gram, {tokens:,} tokens, {vocabulary:,} words", note="",
           rows=[(name, *of) for name, of in found.items()])  # fmt: skip
    for name, (seconds, peak) in found.items():
        times = "" if "phrases" in name else f"{found['gensim'][0] / seconds:.2f} x"  # phrases are other work
        print(f"{name:20}{seconds:10.2f}{tokens / seconds / 1e3:11.0f}{peak:10.0f}{times:>14}")


if __name__ == "__main__":
    main()
