"""context2vec: contexts per second in NumPy and in PyTorch, and tokens per second in training, on seeded random data.

    python benchmarks/bench_context2vec.py            the sizes of the committed weights; a minute or two
    python benchmarks/bench_context2vec.py --smoke    small, a few seconds: does it run?

The book asks a trained model with NumPy alone, a sentence at a time. PyTorch, if it is installed, reads the same
weights beside it, a sentence at a time and all sentences, which are of one length, as one batch. Training is timed as
a whole, with the vocabulary and the loss on the sentences held out, with the full profile's settings for one epoch.
Without PyTorch only NumPy is measured.
"""

import argparse
from collections.abc import Callable

import numpy as np
from measure import contest
from synthetic import corpus

from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import BEGIN, END, SPECIAL, WEIGHTS, Context2Vec
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile

try:
    import torch

    from cdsm_lib.composition.context2vec_torch import Network
except ImportError:
    torch = None

SIZES = ("words", "hidden", "joint", "dimensions")


def settings(smoke: bool) -> dict:
    """The full profile's, or a small model's."""
    chosen = load_profile("full")["context2vec"] | {"epochs": 1}
    return chosen | {"words": 10, "hidden": 12, "joint": 16, "dimensions": 12, "draws": 50} if smoke else chosen


def random_model(n: int, chosen: dict, seed: int = 0) -> Context2Vec:
    """A model of n words with random weights, small enough that no gate is stuck."""
    rng, (e, h, m, d) = np.random.default_rng(seed), (chosen[name] for name in SIZES)
    words = Labels([*(f"w{i}|NOUN" for i in range(n)), *SPECIAL])
    shapes = [(len(words), e), (4 * h, e), (4 * h, h), (4 * h,)] * 2
    shapes += [(m, 2 * h), (m,), (d, m), (d,), (len(words), d)]
    return Context2Vec(words, *(rng.normal(0, 0.1, size=shape).astype(np.float32) for shape in shapes), {})


def in_torch(model: Context2Vec, chosen: dict) -> "Network":
    """The same model as a PyTorch network."""
    network = Network(len(model.words), *(chosen[name] for name in SIZES))
    arrays = {name: torch.from_numpy(getattr(model, name)) for name in WEIGHTS}
    with torch.no_grad():
        network.targets.weight.copy_(arrays["targets"])
        for side, embedding, lstm in (
            ("left", network.left_words, network.left), ("right", network.right_words, network.right),
        ):  # fmt: skip
            embedding.weight.copy_(arrays[f"{side}_words"])
            lstm.weight_ih_l0.copy_(arrays[f"{side}_input"])
            lstm.weight_hh_l0.copy_(arrays[f"{side}_hidden"])
            lstm.bias_ih_l0.copy_(arrays[f"{side}_bias"])
            lstm.bias_hh_l0.zero_()
        for number, layer in ((1, network.joint[0]), (2, network.joint[2])):
            layer.weight.copy_(arrays[f"joint_{number}"])
            layer.bias.copy_(arrays[f"joint_bias_{number}"])
    return network


def bench_contexts(n: int, sentences: int, length: int, chosen: dict, repeats: int) -> None:
    model = random_model(n, chosen)
    rng = np.random.default_rng(1)
    texts = [[model.words[i] for i in row] for row in rng.integers(n, size=(sentences, length)).tolist()]
    works, gap = {"NumPy, a sentence at a time": lambda: [model.contexts(text) for text in texts]}, ""
    if torch is not None:
        network, marks = in_torch(model, chosen), (model.words.index(BEGIN), model.words.index(END))

        def by_torch(batch: list[list[str]]) -> np.ndarray:
            read = np.stack([context2vec.encode(model.words, text) for text in batch], axis=1).astype(np.int64)
            with torch.no_grad():
                found = network(torch.from_numpy(read), *marks).numpy()
            return found.reshape(length, len(batch), -1).swapaxes(0, 1)

        works["PyTorch, a sentence at a time"] = lambda: [by_torch([text]) for text in texts]
        works["PyTorch, all sentences at once"] = lambda: by_torch(texts)
        difference = np.abs(by_torch(texts) - np.stack([model.contexts(text) for text in texts])).max()
        gap = f"largest difference {difference:.0e}"
    contest(f"Contexts of {sentences} sentences of {length} words, {n} words known", works, repeats, gap)


def bench_training(tokens: int, words: int, held_out: int, chosen: dict) -> None:
    text = corpus(tokens, words)

    def train(half: bool) -> Callable[[], Context2Vec]:
        return lambda: context2vec.train(text, **chosen | {"half": half}, held_out=held_out)

    works = {"products in float32": train(False), "products in bfloat16": train(True)}
    contest(f"Training on {text.n_tokens:,} tokens, one epoch", works)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="small sizes, one run each")
    smoke = parser.parse_args().smoke
    chosen = settings(smoke)
    bench_contexts(*((300, 10, 8) if smoke else (16_500, 200, 20)), chosen, 1 if smoke else 3)
    if torch is None:
        print("\nPyTorch is not installed: training is not measured (pip install torch==2.13.0)")
    else:
        bench_training(*((20_000, 500, 100) if smoke else (200_000, 50_000, 500)), chosen)


if __name__ == "__main__":
    main()
