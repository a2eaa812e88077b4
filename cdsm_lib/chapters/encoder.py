"""The encoder that was trained on the parsed Wikipedia: its committed weights, and how to make them anew.

``make encoder`` trains (PyTorch, an hour and a quarter on two cores) and writes ``data/models/encoder.npz``, float16.
Everything else reads these weights with NumPy.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters.context2vec import CHECKPOINTS, missing, written
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition import encoder
from cdsm_lib.composition.encoder import Encoder
from cdsm_lib.settings import Profile
from cdsm_lib.text.corpus import Corpus


def path() -> Path:
    """``data/models/encoder.npz``."""
    return datasets.data_root() / "models" / "encoder.npz"


def load() -> Encoder:
    """The committed weights."""
    return Encoder.load(path())


def train(
    profile: Profile, corpus: Corpus | None = None, at_checkpoint: Callable[[Encoder, int], None] | None = None
) -> Encoder:
    """Train with the profile's settings, on the whole corpus unless another is given.

    The model comes back as its file has it, with the precision of float16; its `meta` has the ``minutes``, too.
    """
    start = time.monotonic()
    settings = profile["encoder"] | {"checkpoints": CHECKPOINTS, "at_checkpoint": at_checkpoint}
    trained = encoder.train(corpus or wikipedia(), **settings)
    halved = {name: getattr(trained, name).astype(np.float16).astype(np.float32) for name in encoder.WEIGHTS}
    return replace(trained, **halved, meta=trained.meta | {"minutes": round((time.monotonic() - start) / 60, 1)})


def main() -> int:
    """Train on the whole corpus and write the weights; 1 if they outgrow their limit."""
    return written(missing(), train, path(), "encoder")
