"""context2vec trained on the parsed Wikipedia: the committed weights, their learning curve, and how to make them anew.

``make context2vec`` trains (PyTorch, an hour or so on two cores) and writes ``data/models/context2vec.npz``, float16.
Everything else reads these weights with NumPy.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.corpus import Corpus
from cdsm_lib.pipelines.materials import wikipedia

LIMIT = 15_000_000
"""Bytes that the committed weights may take."""

CHECKPOINTS = (1 / 48, 1 / 24, 1 / 12, 1 / 6, 1 / 3, 2 / 3, 1.0)
"""After which shares of the training the learning curve has a point."""


def path() -> Path:
    """``data/models/context2vec.npz``."""
    return datasets.data_root() / "models" / "context2vec.npz"


def load() -> Context2Vec:
    """The committed weights."""
    return Context2Vec.load(path())


def missing() -> str:
    """What is missing for a training, and the remedy; empty if nothing is."""
    if importlib.util.find_spec("torch") is None:
        return "training context2vec needs PyTorch, which is not installed: pip install torch==2.13.0"
    return ""


def train(
    profile: datasets.Profile,
    corpus: Corpus | None = None,
    at_checkpoint: Callable[[Context2Vec, int], None] | None = None,
    **settings,
) -> Context2Vec:
    """Train with the profile's settings, on the whole corpus unless another is given; `settings` replace some.

    The model comes back as its file has it, with the precision of float16.
    """
    chosen = profile["context2vec"] | settings
    corpus = corpus or wikipedia()
    trained = context2vec.train(
        corpus, chosen, profile["seed"], checkpoints=CHECKPOINTS, at_checkpoint=at_checkpoint
    )
    return halved(trained)


def halved(model: Context2Vec) -> Context2Vec:
    """The weights rounded to float16, as they are stored."""
    arrays = (getattr(model, name).astype(np.float16).astype(np.float32) for name in context2vec.WEIGHTS)
    return Context2Vec(model.words, *arrays, model.meta)


def main() -> int:
    """Train on the whole corpus and write the weights; 1 if they outgrow their limit."""
    reason = missing()
    if reason:
        print(reason)
        return 1
    trained = train(datasets.load_profile("full"))
    making = path().with_name(f".{path().name}.making")
    try:
        trained.save(making)
        size = making.stat().st_size
        if size > LIMIT:
            print(f"the weights would take {size / 1e6:.1f} MB of {LIMIT / 1e6:.0f}: raise full.context2vec.min_count")
            return 1
        making.replace(path())
    finally:
        making.unlink(missing_ok=True)
    for tokens, loss in trained.meta["history"]:
        print(f"{tokens:>12,} tokens  loss {loss:.4f}")
    print(f"{size / 1e6:.1f} MB  {path().name}")
    return 0
