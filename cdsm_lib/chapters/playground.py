"""The words and matrices of the book's playground, as ``data/models/playground.npz`` holds them.

`make playground` makes the file (`scripts/playground.py`, which says what the spaces are). Numbers are rounded to a
byte, with a scale for each row, and a matrix is a sum of outer products.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.composition.linear import LexicalFunction
from cdsm_lib.evaluation import ledger
from cdsm_lib.labels import Labels
from cdsm_lib.vectors.space import Space

KIND = "playground"
SPACES, ROLES = ("reduced", "counted", "skip-gram"), ("modifier", "subject", "object")


@dataclass(frozen=True)
class Playground:
    """What the page composes with.

    Attributes
    ----------
    spaces : dict of str to Space
        ``reduced`` and ``skip-gram`` (dense), ``counted`` (sparse, its dimensions named); the same rows in each.
    matrices : dict of str to LexicalFunction
        ``modifier``, ``subject`` and ``object``: float32 [m, d, d], in the reduced space.
    meta : dict
        What it was made with, and ``loss``, the cosines' mean error by rounding.
    """

    spaces: dict[str, Space]
    matrices: dict[str, LexicalFunction]
    meta: dict

    @property
    def words(self) -> Labels:
        """The vocabulary, most frequent first."""
        return self.spaces["reduced"].rows


def unpack(arrays: Mapping[str, np.ndarray], meta: Mapping | None = None) -> Playground:
    """What `pack` packed, as the library's spaces and matrices: the numbers that the page computes with."""
    words, contexts = storage.unpack_labels(arrays["words"]), storage.unpack_labels(arrays["contexts"])
    spaces, matrices = {}, {}
    for name in SPACES:
        vectors = arrays[f"{name}.values"].astype(np.float32) * arrays[f"{name}.scale"][..., None]
        if f"{name}.columns" in arrays:
            places = np.repeat(np.arange(len(words)), vectors.shape[1]), arrays[f"{name}.columns"].ravel()
            vectors = sparse.csr_array((vectors.ravel(), places), shape=(len(words), len(contexts)))
            vectors.eliminate_zeros()
        spaces[name] = Space(words, vectors, contexts if sparse.issparse(vectors) else None)
    for role in ROLES:
        left, right, scale = (arrays[f"{role}.{part}"].astype(np.float32) for part in ("left", "right", "scale"))
        matrices[role] = function = LexicalFunction()
        function.functors = storage.unpack_labels(arrays[f"{role}.words"])
        function.matrices = np.swapaxes(left * scale[..., None], 1, 2) @ right
    return Playground(spaces, matrices, dict(meta or {}))


def stored() -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and `meta` of the committed file, for `unpack`.

    Raises
    ------
    StorageError
        If it is missing or damaged.
    """
    return storage.read_npz(ledger.path(KIND), KIND, 1, ["words"], remedy="Make it again with make playground.")
