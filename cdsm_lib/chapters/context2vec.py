"""context2vec trained on the parsed Wikipedia: the committed weights, and how to make them anew.

``make context2vec`` trains (PyTorch, an hour or so on two cores) and writes ``data/models/context2vec.npz``, float16.
Everything else reads these weights with NumPy.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import Context2Vec
from cdsm_lib.settings import Profile, load_profile

LIMIT = 15_000_000
"""Bytes that the committed weights may take."""

CHECKPOINTS = (1 / 48, 1 / 24, 1 / 12, 1 / 6, 1 / 3, 2 / 3, 1.0)
"""After which shares of the training its history has the loss on sentences held out."""


def path() -> Path:
    """``data/models/context2vec.npz``."""
    return datasets.data_root() / "models" / "context2vec.npz"


def load() -> Context2Vec:
    """The committed weights."""
    return Context2Vec.load(path())


def missing() -> str:
    """What is missing for a training, and the remedy; empty if nothing is."""
    if importlib.util.find_spec("torch") is None:
        return "training needs PyTorch, which is not installed: pip install torch==2.13.0"
    if own := datasets.own_profile():
        return f"what is committed is of our corpus, not of the profile {own['name']}: unset CDSM_PROFILE"
    return ""


def train(profile: Profile, **settings) -> Context2Vec:
    """Train with the profile's settings on the whole corpus; `settings` replace some.

    The model comes back as its file has it, with the precision of float16.
    """
    settings = profile["context2vec"] | settings | {"checkpoints": CHECKPOINTS}
    return halved(context2vec.train(wikipedia(), **settings))


def halved(model: Context2Vec) -> Context2Vec:
    """The weights rounded to float16, as they are stored."""
    arrays = (getattr(model, name).astype(np.float16).astype(np.float32) for name in context2vec.WEIGHTS)
    return Context2Vec(model.words, *arrays, model.meta)


# ------------------------------------------------------------------------------------------------------------- weights


def main() -> int:
    """Train on the whole corpus and write the weights; 1 if they outgrow their limit."""
    return written(missing(), train, path(), "context2vec")


def written(reason: str, train: Callable, place: Path, section: str) -> int:
    """Train a network with the full profile and put its weights into `place`, whole or not at all: an exit code.

    Parameters
    ----------
    reason : str
        Why it cannot be trained; empty if it can.
    train : function (profile) to a model
        With ``save``, and a ``history`` in its `meta`.
    place : Path
    section : str
        Of the profile, for what to do if the weights outgrow `LIMIT`.
    """
    if reason:
        print(reason)
        return 1
    trained = train(load_profile("full"))
    making = place.with_name(f".{place.name}.making")
    try:
        trained.save(making)
        size = making.stat().st_size
        if size > LIMIT:
            print(f"the weights would take {size / 1e6:.1f} MB of {LIMIT / 1e6:.0f}: raise full.{section}.min_count")
            return 1
        making.replace(place)
    finally:
        making.unlink(missing_ok=True)
    for tokens, loss in trained.meta["history"]:
        print(f"{tokens:>12,} tokens  loss {loss:.4f}")
    print(f"{size / 1e6:.1f} MB  {place.name}")
    return 0
