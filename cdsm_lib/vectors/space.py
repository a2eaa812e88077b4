"""Space: labelled rows in a vector space, and what one asks of them: a vector, a sub-space, the neighbours.

Rows are words or phrases (`dog|NOUN`), columns are dimensions, named ones (context words) or not (after SVD, or
from skip-gram). The file format is versioned `.npz` without pickle.
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import Labels
from cdsm_lib.storage import StorageError

FORMAT_VERSION = 2
_REMEDY = "Make the space again and save it with Space.save."


class SpaceError(StorageError):
    """A space file that cannot be used: its name, the problem, the remedy."""


@dataclass(frozen=True, eq=False)
class Space:
    """Vectors with names.

    Parameters
    ----------
    rows : Labels or iterable of str
        One label a row, [n].
    vectors : ndarray or scipy.sparse array [n, d]
        Kept as float32; a sparse one is kept in CSR form (the Count space).
    dimensions : Labels or iterable of str, optional
        One label a column, [d].
    meta : dict of str to str, int, float or bool
        How the space was made.

    Raises
    ------
    ValueError
        If the shapes disagree, or if a value is NaN or infinite.

    Examples
    --------
    >>> space = Space(["dog", "cat", "car"], np.array([[1, 1], [1, 0.5], [-1, 1]]))
    >>> space["cat"]
    array([1. , 0.5], dtype=float32)
    >>> [(label, round(cosine, 3)) for label, cosine in space.neighbours("dog", k=2)]
    [('cat', 0.949), ('car', 0.0)]
    """

    rows: Labels
    vectors: np.ndarray | sparse.csr_array
    dimensions: Labels | None = None
    meta: dict[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self):
        rows = Labels(self.rows)
        dimensions = None if self.dimensions is None else Labels(self.dimensions)
        if sparse.issparse(self.vectors):
            vectors = sparse.csr_array(self.vectors, dtype=np.float32)
        else:
            vectors = np.ascontiguousarray(self.vectors, dtype=np.float32)
        if vectors.ndim != 2 or vectors.shape[0] != len(rows):
            raise ValueError(f"{len(rows)} row labels, but vectors of shape {vectors.shape}")
        if dimensions is not None and vectors.shape[1] != len(dimensions):
            raise ValueError(f"{len(dimensions)} dimension labels, but vectors of shape {vectors.shape}")
        if not np.isfinite(vectors.data if sparse.issparse(vectors) else vectors).all():
            first = np.flatnonzero(~np.isfinite(vectors.sum(axis=1, dtype=np.float64)))[0]
            raise ValueError(f"vectors hold NaN or infinite values, first in row {rows[first]!r}")
        checked = {"rows": rows, "vectors": vectors, "dimensions": dimensions, "meta": dict(self.meta)}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.rows)

    def __contains__(self, label: object) -> bool:
        return label in self.rows

    def __getitem__(self, label: str) -> np.ndarray:
        """The vector of one row, float32 [d]; `KeyError` for a label without one."""
        place = self.rows.get(label)
        if place < 0:
            raise KeyError(f"{label!r} has no vector among these {len(self)}; ask coverage() first")
        return self._dense(place)

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return self.vectors.shape[1]

    @property
    def is_sparse(self) -> bool:
        """Whether the vectors are kept as a sparse matrix."""
        return sparse.issparse(self.vectors)

    @cached_property
    def norms(self) -> np.ndarray:
        """Euclidean length of each row, float64 [n]."""
        if self.is_sparse:
            return np.sqrt(np.asarray(self.vectors.multiply(self.vectors).sum(axis=1, dtype=np.float64)).ravel())
        return np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64))

    def coverage(self, labels: Iterable[str]) -> list[str]:
        """Those of `labels` that have no vector here, each once, in the order asked."""
        return [label for label in dict.fromkeys(labels) if label not in self.rows]

    def take(self, labels: Sequence[str]) -> np.ndarray:
        """The vectors of `labels` as a dense float32 array [m, d]; `KeyError` that names those without one."""
        return self._dense(self._places(labels))

    def subset(self, labels: Sequence[str]) -> "Space":
        """The Space of these rows only, in this order (a sparse one stays sparse)."""
        return Space(Labels(labels), self.vectors[self._places(labels)], self.dimensions, self.meta)

    def neighbours(
        self, query: str | np.ndarray, k: int = 10, among: Iterable[str] | None = None
    ) -> list[tuple[str, float]]:
        """The `k` rows of highest cosine with `query`: (label, cosine), highest first, ties in row order.

        Parameters
        ----------
        query : str or array [d]
            A label (which is then not its own neighbour) or any vector.
        k : int
            How many, or fewer if there are not so many.
        among : iterable of str, optional
            Look only among these labels; by default among all. Each must have a vector.

        Returns
        -------
        list of (str, float)
            The cosine with a zero vector is 0.
        """
        vector = self[query] if isinstance(query, str) else np.asarray(query, dtype=np.float32)
        if vector.shape != (self.d,):
            raise ValueError(f"the query has shape {vector.shape}; the space has {self.d} dimensions")
        places = np.arange(len(self)) if among is None else np.unique(self._places(list(among)))
        if isinstance(query, str):
            places = places[places != self.rows.index(query)]
        block = self.vectors if len(places) == len(self) else self.vectors[places]
        products = np.asarray(block @ vector, dtype=np.float64).ravel()
        lengths = self.norms[places] * np.linalg.norm(vector.astype(np.float64))
        cosines = np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)
        best = np.argsort(-cosines, kind="stable")[:k]
        return [(self.rows[places[i]], float(cosines[i])) for i in best]

    def save(self, path: str | os.PathLike) -> Path:
        """Write the space to `path` (`.npz`), atomically; the same space gives the same bytes."""
        return storage.save(self, path, version=FORMAT_VERSION, compress=self.is_sparse)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Space":
        """Read a saved space.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        SpaceError
            If it holds something else (the message says what, and how to open it), is from another version, pickled,
            truncated, incomplete, holds NaN, or disagrees with itself.
        """
        return storage.load(path, cls, version=FORMAT_VERSION, error=SpaceError, remedy=_REMEDY)

    def _places(self, labels: Sequence[str]) -> np.ndarray:
        places = self.rows.encode(labels)
        if (places < 0).any():
            missing = self.coverage(labels)
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise KeyError(f"{len(missing)} of these labels have no vector: {shown}; ask coverage() first")
        return places

    def _dense(self, places):
        if not self.is_sparse:
            return self.vectors[places].copy()
        if np.ndim(places) == 0:
            return self.vectors[[places]].toarray()[0]
        return self.vectors[places].toarray()


def concatenate(spaces: Sequence[Space], weights: Sequence[float] | None = None) -> Space:
    """One space whose vectors are those of several spaces side by side, each brought to unit length first.

    Row x becomes ``[w_1 x_1/|x_1| ; w_2 x_2/|x_2| ; ...]``, so the cosine of two rows is the mean of their cosines in
    the single spaces, weighted by w^2. Only rows that every space has are kept, in the order of the first; `meta`
    says how many rows of the first were dropped (`rows_dropped`). A zero row stays zero.

    Parameters
    ----------
    spaces : sequence of Space
        Sparse ones are made dense.
    weights : sequence of float, optional
        One a space; all 1 by default.
    """
    if not spaces:
        raise ValueError("no space to concatenate")
    weights = [1.0] * len(spaces) if weights is None else list(weights)
    if len(weights) != len(spaces):
        raise ValueError(f"{len(spaces)} spaces, but {len(weights)} weights")
    rows = Labels(label for label in spaces[0].rows if all(label in space for space in spaces[1:]))
    blocks = []
    for space, weight in zip(spaces, weights, strict=True):
        places = space.rows.encode(rows)
        lengths = space.norms[places]
        scale = np.divide(weight, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        blocks.append((space._dense(places) * scale[:, None]).astype(np.float32))
    meta = {
        "made_by": "concatenate",
        "spaces": len(spaces),
        "weights": " ".join(f"{weight:g}" for weight in weights),
        "rows_dropped": len(spaces[0]) - len(rows),
    }
    return Space(rows, np.hstack(blocks), None, meta)
