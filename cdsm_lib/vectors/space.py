"""Space: labelled rows in a vector space, and what one asks of them: a vector, a sub-space, the neighbours.

Rows are words or phrases (`dog|NOUN`), columns are dimensions, named ones (context words) or not (after SVD, or
from skip-gram). The file format is versioned `.npz` without pickle.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from pathlib import Path

import numpy as np
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import UPOS, Labels
from cdsm_lib.storage import StorageError
from cdsm_lib.tables import several, shown
from cdsm_lib.vectors.similarity import canonical, paired_cosines, unit_rows

FORMAT_VERSION = 2
_AT_ONCE = 2**24  # cosines in memory at a time
_COMPARED = 4096  # rows compared exactly at a time
_PLAIN = (str, int, float, np.generic, list, tuple, type(None))  # what meta may hold
_REMEDY = "Make the space again and save it with Space.save."


class SpaceError(StorageError):
    """What cannot be a space, or not be asked of one: the file if there is one, the problem, the remedy."""


@dataclass(frozen=True, eq=False)
class Space(Mapping):
    """Vectors with names: a mapping of labels to vectors, and for NumPy the matrix of its rows, dense.

    Parameters
    ----------
    rows : Labels or iterable of str
        One label a row, [n].
    vectors : ndarray or scipy.sparse array [n, d]
        Kept as float32; a sparse one is kept in CSR form (the Count space), each cell once.
    dimensions : Labels or iterable of str, optional
        One label a column, [d].
    meta : dict of str to str, int, float or bool
        How the space was made.

    Raises
    ------
    SpaceError
        If the shapes disagree, a sparse matrix disagrees with itself, or a value is complex, NaN, infinite or too large
        for a float32.
    ValueError
        If a label occurs twice.

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
        vectors = _float32(self.vectors)
        if vectors.ndim != 2 or vectors.shape[0] != len(rows):
            problem = f"{len(rows)} row labels, but vectors of shape {vectors.shape}"
            raise SpaceError(None, problem, "Give one row a label.")
        if dimensions is not None and vectors.shape[1] != len(dimensions):
            problem = f"{len(dimensions)} dimension labels, but vectors of shape {vectors.shape}"
            raise SpaceError(None, problem, "Give one column a label.")
        if not np.isfinite(vectors.data if sparse.issparse(vectors) else vectors).all():
            first = np.flatnonzero(~np.isfinite(vectors.sum(axis=1, dtype=np.float64)))[0]
            problem = f"vectors hold NaN or infinite values (in float32), first in row {rows[first]!r}"
            raise SpaceError(None, problem, "Leave such rows out.")
        if wrong := [name for name, value in self.meta.items() if not isinstance(value, _PLAIN)]:
            raise SpaceError(None, f"meta has no plain value at {wrong[0]!r}", "Give strings, numbers, or lists.")
        checked = {"rows": rows, "vectors": vectors, "dimensions": dimensions, "meta": dict(self.meta)}
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """As words: ``Space: 20,000 words x 300 dimensions, word2vec``."""
        about = ["sparse"] * self.is_sparse + [str(self.meta[key]) for key in ("made_by",) if key in self.meta]
        return ", ".join([f"Space: {len(self):,} words x {self.d:,} dimensions", *about])

    __eq__, __hash__ = object.__eq__, object.__hash__

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __contains__(self, label: object) -> bool:
        return label in self.rows

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.vectors.toarray() if self.is_sparse else self.vectors, dtype=dtype, copy=copy)

    def __getitem__(self, label: str) -> np.ndarray:
        """The vector of one row, float32 [d], or those of several in a list; `KeyError` for a label without one."""
        if isinstance(label, list):
            return self.take(label)
        place = self.rows.get(label)
        if place < 0:
            raise KeyError(f"{label!r} has no vector among these {len(self)}{self._like(label)}; ask coverage() first")
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
            return np.sqrt(self.vectors.astype(np.float64).power(2).sum(axis=1))
        return np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64))

    def coverage(self, labels: Iterable[str]) -> list[str]:
        """Those of `labels` that have no vector here, each once, in the order asked."""
        return [label for label in dict.fromkeys(labels if several(labels) else [labels]) if label not in self.rows]

    def take(self, labels: Sequence[str]) -> np.ndarray:
        """The vectors of `labels` as a dense float32 array [m, d]; `KeyError` that names those without one."""
        return self._dense(self._places(labels))

    def subset(self, labels: Sequence[str]) -> "Space":
        """The Space of these rows only, in this order (a sparse one stays sparse)."""
        return Space(Labels(labels), self.vectors[self._places(labels)], self.dimensions, self.meta)

    def neighbours(
        self, query: str | np.ndarray | Sequence[str], k: int = 10, among: Iterable[str] | None = None
    ) -> list[tuple[str, float]] | list[list[tuple[str, float]]]:
        """The `k` rows of highest cosine with `query`: (label, cosine), highest first, ties in row order.

        Many queries at once are one matrix product in float32, which finds every row that may be among the best; these
        few are compared again in float64. So a query has the same neighbours and cosines in any company.

        Parameters
        ----------
        query : str, array [d], sequence of str, or array [m, d]
            A label (which is then not its own neighbour) or any vector; or several of them.
        k : int
            How many, or fewer if there are not so many.
        among : iterable of str, optional
            Look only among these labels; by default among all. Each must have a vector.

        Returns
        -------
        list of (str, float), or one such list for each of several queries
            The cosine with a zero vector is 0.

        Raises
        ------
        KeyError
            If a label has no vector.
        SpaceError
            If a vector is complex, NaN, infinite, or of another length; or if k is not a whole number of 1 or more.
        """
        if not isinstance(k, Integral) or k < 1:
            raise SpaceError(None, f"k={k!r} neighbours", "Ask for 1 or more, a whole number.")
        labels = [query] if isinstance(query, str) else query
        if all(isinstance(label, str) for label in labels):
            single, own = labels is not query, self._places(labels)
            queries = self._dense(own).astype(np.float64)
        else:
            single, queries = np.ndim(query) == 1, self._queries(query)
            own = np.full(len(queries), -1)
        places = np.arange(len(self))
        if among is not None:
            places = np.unique(self._places(among if isinstance(among, str) else list(among)))
        size = max(1, _AT_ONCE // max(1, len(places)))
        blocks = [slice(start, start + size) for start in range(0, len(queries), size)]
        nearest = [near for block in blocks for near in self._nearest(queries[block], own[block], places, k)]
        return nearest[0] if single else nearest

    def similarity(self, first: str, second: str) -> float:
        """The cosine of two rows; `KeyError` for a label without one.

        >>> round(Space(["dog", "cat"], np.array([[1, 1], [1, 0.5]])).similarity("dog", "cat"), 3)
        0.949
        """
        return float(paired_cosines(self[first], self[second])[0])

    def most_similar(self, positive: str | Sequence[str], negative=(), k: int = 10) -> list[tuple[str, float]]:
        """The `k` rows nearest to the sum of some rows less others, each brought to length 1; these are left out.

        *king* and *woman* less *man*: Mikolov, Yih & Zweig (2013). Labels and errors as of `neighbours`.

        >>> space = Space(["king", "man", "woman", "queen", "car"], np.array([[1, 1], [0, 1], [0, 2], [3, 3], [1, 0]]))
        >>> space.most_similar(["king", "woman"], "man", k=1)[0][0]
        'queen'
        """
        positive, negative = ([labels] if isinstance(labels, str) else [*labels] for labels in (positive, negative))
        labels, signs = [*positive, *negative], np.repeat([1.0, -1.0], [len(positive), len(negative)])
        if not labels:
            raise SpaceError(None, "most_similar has no row to start from", "Give one at least.")
        near = self.neighbours(signs @ unit_rows(self.take(labels).astype(np.float64)), k + len(labels))
        return [(label, cosine) for label, cosine in near if label not in labels][:k]

    @classmethod
    def from_gensim(cls, vectors) -> "Space":
        """The space of gensim's ``KeyedVectors``, or of a model that has them as ``wv``; else a `SpaceError`."""
        vectors = getattr(vectors, "wv", vectors)
        if not hasattr(vectors, "index_to_key"):
            remedy = "Space(list(words), list(words.values())) takes a dict, read_vectors a file."
            raise SpaceError(None, f"a {type(vectors).__name__} is no KeyedVectors of gensim", remedy)
        return cls(map(str, vectors.index_to_key), vectors.vectors, meta={"made_by": "gensim"})

    def to_gensim(self):
        """As gensim's ``KeyedVectors``, whose ``save_word2vec_format`` writes word2vec's files."""
        from gensim.models import KeyedVectors

        vectors = KeyedVectors(self.d)
        vectors.add_vectors(list(self.rows), np.asarray(self))
        return vectors

    @classmethod
    def from_frame(cls, frame) -> "Space":
        """The space of a DataFrame: its index are the rows, its columns the dimensions, if they have names.

        A `SpaceError` for what is no DataFrame, an index of other things than strings, or a column without numbers.
        """
        import pandas as pd  # takes half a second to load

        labels = frame.index if isinstance(frame, pd.DataFrame) else [type(frame)]
        if wrong := [label for label in labels if not isinstance(label, str)]:
            remedy = "Give a DataFrame with words as its index: frame.set_index('word')."
            raise SpaceError(None, f"the index of a DataFrame must be words, not {shown(wrong[0])}", remedy)
        named = not all(isinstance(name, Integral) for name in frame.columns)
        try:
            vectors = frame.astype(np.float64).to_numpy()
        except (TypeError, ValueError) as reason:
            raise SpaceError(None, f"a column holds no numbers ({reason})", "Have the words in the index.") from None
        return cls(frame.index, vectors, frame.columns.map(str) if named else None)

    def to_frame(self):
        """As a DataFrame, a row a label, a column a dimension."""
        import pandas as pd  # takes half a second to load

        return pd.DataFrame(np.asarray(self), index=list(self.rows), columns=self.dimensions and list(self.dimensions))

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

    def _queries(self, query) -> np.ndarray:
        """Vectors as float64 [m, d]."""
        queries = np.asarray(query)
        if queries.dtype.kind not in "biuf" or not np.isfinite(queries).all():
            problem = "a query holds complex numbers, NaN, infinity or no numbers at all"
            raise SpaceError(None, problem, "Ask with real vectors.")
        if queries.ndim not in (1, 2) or queries.shape[-1] != self.d:
            problem = f"the query has shape {queries.shape}; the space has {self.d} dimensions"
            raise SpaceError(None, problem, "Ask with vectors of as many.")
        return np.atleast_2d(queries).astype(np.float64)

    def _nearest(self, queries: np.ndarray, own: np.ndarray, places: np.ndarray, k: int) -> list[list]:
        """The k nearest of some rows to each query, but for its own row."""
        if not len(places):
            return [[] for _ in queries]
        rows = self.vectors if len(places) == len(self) else self.vectors[places]
        norms = self.norms[places]
        odd = (norms > 0) & ((norms < 1e-30) | (norms > 1e30))  # float32 has no good product of these
        inverse = np.divide(1, norms, out=np.zeros_like(norms), where=(norms > 0) & ~odd).astype(np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            directions = unit_rows(queries).astype(np.float32)
            rough = (rows @ directions.T).T.copy() if self.is_sparse else directions @ rows.T
            rough *= inverse
        rough[:, odd] = -1
        rough[own[:, None] == places] = -np.inf
        k = min(k, len(places))
        longest = np.diff(rows.indptr).max(initial=0) if self.is_sparse else self.d
        error = (longest + 4) * np.finfo(np.float32).eps / 2
        least = np.partition(rough, len(places) - k, axis=1)[:, len(places) - k] - 2 * error
        nearest = []
        for query, products, bound in zip(queries, rough, least, strict=True):
            near = np.flatnonzero(((products >= bound) | odd) & (products > -np.inf))
            blocks = np.split(near, range(_COMPARED, len(near), _COMPARED))
            exact = np.concatenate([paired_cosines(rows[block], query) for block in blocks])
            best = np.argsort(-exact, kind="stable")[:k]
            nearest.append([(self.rows[places[near[i]]], float(exact[i])) for i in best])
        return nearest

    def _places(self, labels: Sequence[str]) -> np.ndarray:
        if isinstance(labels, str):
            raise SpaceError(None, f"{labels!r} stands where several labels belong", "Give a list of labels.")
        places = self.rows.encode(labels)
        if (places < 0).any():
            missing = self.coverage(labels)
            shown = ", ".join(map(str, missing[:5])) + (", ..." if len(missing) > 5 else "")
            like = self._like(missing[0])
            raise KeyError(f"{len(missing)} of these labels have no vector: {shown}{like}; ask coverage() first")
        return places

    def _like(self, label: object) -> str:
        """Which rows have the word with another part of speech, or with none, for a message."""
        word = str(label).rpartition("|")[0] or str(label)
        names = dict.fromkeys(name for form in (word, word.lower()) for name in (form, *(f"{form}|{t}" for t in UPOS)))
        near = [name for name in names if name in self.rows]
        return f", which have {', '.join(map(repr, near[:5]))}" if near else ""

    def _dense(self, places):
        if not self.is_sparse:
            return self.vectors[places].copy()
        if np.ndim(places) == 0:  # a slice of a sparse matrix takes fifty times as long
            row, cells = np.zeros(self.d, dtype=np.float32), slice(*self.vectors.indptr[places : places + 2])
            row[self.vectors.indices[cells]] = self.vectors.data[cells]
            return row
        return self.vectors[places].toarray()


def _float32(vectors) -> np.ndarray | sparse.csr_array:
    """Vectors as a space keeps them; a sparse matrix that disagrees with itself, or no real numbers, are refused."""
    is_sparse = sparse.issparse(vectors)
    try:
        vectors = vectors if is_sparse else np.ma.filled(vectors, np.nan)
    except ValueError as reason:
        raise SpaceError(None, f"the rows do not make a table ({reason})", "Give rows of one length.") from None
    if vectors.dtype.kind not in "biuf":
        raise SpaceError(None, f"vectors of {vectors.dtype} are not real numbers", "Give integers or floats.")
    with np.errstate(over="ignore"):
        if not is_sparse:
            return np.ascontiguousarray(vectors, dtype=np.float32)
        try:
            vectors = sparse.csr_array(vectors, dtype=np.float32)
            vectors.check_format(full_check=True)
        except ValueError as reason:
            raise SpaceError(None, f"the sparse matrix disagrees with itself ({reason})", "Make it again.") from reason
    return canonical(vectors)
