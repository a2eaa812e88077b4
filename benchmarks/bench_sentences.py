"""Sentence localisation: making the altered sentences, tagging, and four ways to embed a sentence, on seeded data.

    python benchmarks/bench_sentences.py [--smoke]

Built and tagged are the sentences of the teaching set; everything else is synthetic text with random word vectors, in
the sizes of the full profile. Beside each other stand:

- building from the excerpt of lexicon: the same with a `Recorder`, which writes every answer down;
- inference of paragraph vectors, seeded by the sentence: gensim's own `infer_vector`, seeded by chance;
- the training of the autoencoder on one thread: its steps with as many threads as there are cores, as BLAS has them;
- the recursive autoencoder's loss and gradient over right-branching trees, the deepest there are: the same over trees
  made of dependencies, over greedy trees, and with one sentence at a time;
- the practical lexical function model on all trees at once, where equal parts are composed once: on one tree after
  another.

Everything runs on one core, but for what BLAS does.
"""

import argparse
import warnings
from collections.abc import Sequence

import numpy as np
import synthetic
from bench_practical import world
from measure import measure, table
from threadpoolctl import threadpool_limits

from cdsm_lib.chapters import sentence_models as white2015
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder, binarise, greedy_trees, right_branching
from cdsm_lib.composition.linear import EdgePenaltyWarning
from cdsm_lib.composition.practical import PracticalLexicalFunction
from cdsm_lib.composition.practical_tree import PLFSentences, Tree
from cdsm_lib.composition.sentence import METHODS, ParagraphVectors
from cdsm_lib.construction import localisation as construction
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks import localisation
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.lexicon import Recorder

DRAWS, PASSES = 1, 20


def bench_construction(pairs_taken: int, seeds: int) -> None:
    """Altered sentences a second, controls included, from an excerpt of the lexicon."""
    pairs, parsed = localisation.load("paraphrases")
    pairs = pairs[:pairs_taken]
    lexicon = white2015.lexicon_of("paraphrases")
    construction.build("paraphrases", pairs[:5], parsed, lexicon, seed=0)  # loads LemmInflect's tables

    def made(source) -> int:
        tasks = (construction.build("paraphrases", pairs, parsed, source, seed=seed) for seed in range(seeds))
        return sum(len(of) for task in tasks for of in task.versions)

    lines = []
    for name, source in (("build", lexicon), ("with a Recorder", Recorder(lexicon))):
        seconds, peak, versions = measure(lambda source=source: made(source))
        lines.append((f"{name}: {2 * len(pairs) * seeds / seconds:.0f} sentences/s", seconds, peak))
    table(f"Construction: {2 * len(pairs) * seeds:,} sentences, {versions:,} versions of them", lines)


def bench_tagger(pairs_taken: int) -> None:
    """Tokens tagged a second."""
    pairs, _ = localisation.load("paraphrases")
    sentences = [localisation.tokenise(text) for pair in pairs[:pairs_taken] for text in pair.texts]
    tagger = pos.load()
    tagger.tag(sentences[0])
    n = sum(map(len, sentences))
    seconds, peak, _ = measure(lambda: sum(len(tagger.tag(one)) for one in sentences))
    table("Tagging, Penn tags", [(f"PosTagger.tag: {n / seconds / 1e3:.1f}K tokens/s", seconds, peak)])


def bench_paragraph_vectors(sentences: Sequence[list[str]], inferred: int, dimensions: int) -> None:
    """Training and inference with the settings of the full profile, in one epoch."""
    settings = load_profile("full")["localisation"]["paragraph_vectors"]
    chosen = {name: settings[name] for name in ("window", "min_count", "negatives", "hs", "sample", "rate")}
    tokens, some, training, inference = sum(map(len, sentences)), sentences[:inferred], [], []
    for method in METHODS:

        def fit(method=method) -> ParagraphVectors:
            return ParagraphVectors.fit(
                sentences, method=method, dimensions=dimensions, epochs=1, seed=0, **chosen
            )

        seconds, peak, _ = measure(lambda fit=fit: fit().n_parameters)
        training.append((f"{method}, one epoch: {tokens / seconds / 1e3:.1f}K tokens/s", seconds, peak))
        model = fit()

        model.infer(some[:1], draws=1, epochs=1, seed=0)  # the kernel is loaded once a process

        def ours(model=model) -> int:
            return model.infer(some, draws=DRAWS, epochs=PASSES, seed=0).size

        def gensims(model=model) -> int:
            return sum(model.model.infer_vector(one, epochs=PASSES).size for one in some)

        for name, function in (("infer", ours), ("gensim's infer_vector", gensims)):
            seconds, peak, _ = measure(function)
            inference.append((f"{method}, {name}: {1e3 * seconds / len(some):.2f} ms", seconds, peak))
    table(f"Paragraph vectors, {dimensions} dimensions, {len(sentences):,} sentences of {tokens:,} tokens", training)
    table(f"Inference of {len(some):,} sentences, {PASSES} passes, a sentence in", inference)


def random_heads(n: int, rng) -> list[int]:
    """A projective dependency tree over n tokens: a random token is the head, and so within each side of it."""
    heads = [-1] * n

    def grow(first: int, stop: int, above: int) -> None:
        if first < stop:
            head = int(rng.integers(first, stop))
            heads[head] = above
            grow(first, head, head)
            grow(head + 1, stop, head)

    grow(0, n, -1)
    return heads


def bench_autoencoder(n: int, dimensions: int, words: int = 5000) -> None:
    """Loss and gradient on mini-batches as large as the full profile's, and the growing of greedy trees."""
    rng, batch = np.random.default_rng(0), load_profile("full")["localisation"]["autoencoder"]["batch"]
    vectors = np.clip(rng.normal(0, 1 / 3, (words, dimensions)), -1, 1).astype(np.float32)
    sentences = [rng.integers(words, size=length) for length in rng.integers(6, 45, size=n)]
    model = UnfoldingAutoencoder(dimensions)
    trees = {
        "right-branching": [right_branching(len(one)) for one in sentences],
        "of dependencies": [binarise(random_heads(len(one), rng)) for one in sentences],
        "greedy": greedy_trees(sentences, vectors, model),
    }
    parts = {name: (of, batch) for name, of in trees.items()}
    parts["of dependencies, one at a time"] = (trees["of dependencies"], 1)

    def forward_and_backward(of: Sequence, size: int) -> float:
        losses = (
            model.loss_and_gradient(sentences[i : i + size], of[i : i + size], vectors)[0]
            for i in range(0, len(sentences), size)
        )
        return sum(losses)

    forward_and_backward(*parts["greedy"])  # compiles
    lines = []
    for name, part in parts.items():
        seconds, peak, _ = measure(lambda part=part: forward_and_backward(*part))
        lines.append((f"{name}: {1e3 * seconds / n:.2f} ms", seconds, peak))
    seconds, peak, _ = measure(lambda: len(greedy_trees(sentences, vectors, model)))
    lines.append((f"growing greedy trees: {1e3 * seconds / n:.2f} ms", seconds, peak))
    table(f"Autoencoder, {dimensions} dimensions, forward and backward: {n:,} sentences, a sentence in", lines)


def train(n: int, dimensions: int, seed: int = 0, threads: int = 1) -> float:
    """Two epochs of the autoencoder on n sentences: the last loss."""
    rng = np.random.default_rng(seed)
    vectors = np.clip(rng.normal(0, 1 / 3, (5000, dimensions)), -1, 1).astype(np.float32)
    sentences = [rng.integers(5000, size=length) for length in rng.integers(6, 45, size=n)]
    trees = [binarise(random_heads(len(one), rng)) for one in sentences]
    with threadpool_limits(threads, "blas"):  # unwrapped: `fit` itself keeps to one thread
        model = UnfoldingAutoencoder.fit.__wrapped__(
            UnfoldingAutoencoder(dimensions, seed), sentences, trees, vectors, epochs=2
        )
    return model.history[-1]["training"]


def clauses(n: int, adjectives: list[str], nouns: list[str], verbs: list[str]) -> list[Tree]:
    """Trees of *the A1 N1 V the A2 N2 in the N3*, every second one with a modifier exchanged of the one before."""
    rng, trees = np.random.default_rng(1), []
    heads = (2, 2, 3, -1, 6, 6, 3, 3, 9, 7)
    deprels = ("det", "amod", "nsubj", "root", "det", "amod", "dobj", "prep", "det", "pobj")
    pools = (None, adjectives, nouns, verbs, None, adjectives, nouns, None, None, nouns)
    fixed = {0: "the|DET", 4: "the|DET", 7: "in|ADP", 8: "the|DET"}
    for i in range(n):
        words = [fixed.get(place) or pool[rng.integers(len(pool))] for place, pool in enumerate(pools)]
        if i % 2:
            words = [words[1] if place == 1 else word for place, word in enumerate(trees[-1].words)]
        trees.append(Tree(tuple(words), heads, deprels))
    return trees


def bench_plf(n: int, sizes: tuple[int, int, int]) -> None:
    """Sentences composed a second."""
    words, kinds, pools = world(*sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EdgePenaltyWarning)
        model = PracticalLexicalFunction().fit(words, kinds)
    trees = clauses(n, *pools)
    composed = PLFSentences(model, words, "gupta")

    def together() -> np.ndarray:
        return composed.embed(trees)[0]

    def one_by_one() -> np.ndarray:
        return np.array([PLFSentences(model, words, "gupta").embed([tree])[0][0] for tree in trees])

    lines, found = [], []
    for name, function in (("all at once", together), ("one after another", one_by_one)):
        seconds, peak, vectors = measure(function)
        lines.append((f"{name}: {n / seconds:.0f} sentences/s", seconds, peak))
        found.append(vectors)
    assert np.allclose(*found)
    table(f"PLF, {words.d} dimensions: {n:,} sentences of ten words", lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--smoke", action="store_true", help="small data: only shows that the script works")
    smoke = options.parse_args().smoke
    text = synthetic.corpus(4_000, 300) if smoke else synthetic.corpus(100_000, 20_000)
    names = [word.partition("|")[0] for word in text.words]
    sentences = [[names[i] for i in text.word[a:b]] for a, b in zip(text.offsets[:-1], text.offsets[1:], strict=True)]
    bench_construction(*((10, 1) if smoke else (170, 3)))
    bench_tagger(10 if smoke else 170)
    bench_paragraph_vectors(sentences, *((20, 20) if smoke else (300, 300)))
    bench_autoencoder(*((40, 10) if smoke else (1_000, 100)))
    bench_plf(*((20, (12, 30, 20)) if smoke else (2_000, (150, 100, 300))))


if __name__ == "__main__":
    main()
