"""context2vec that was trained on the parsed Wikipedia (`make context2vec`): its committed weights."""

from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.composition.context2vec import Context2Vec


def path() -> Path:
    """``data/models/context2vec.npz``."""
    return datasets.data_root() / "models" / "context2vec.npz"


def load() -> Context2Vec:
    """The committed weights."""
    return Context2Vec.load(path())
