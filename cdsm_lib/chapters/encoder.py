"""The encoder that was trained on the parsed Wikipedia (`make encoder`): its committed weights."""

from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.composition.encoder import Encoder


def path() -> Path:
    """``data/models/encoder.npz``."""
    return datasets.data_root() / "models" / "encoder.npz"


def load() -> Encoder:
    """The committed weights."""
    return Encoder.load(path())
