"""Cosines, the one place where the library computes them: of every row with every row, or of pairs of rows.

Rows are dense or sparse; cosines are float64, from -1 to 1. A row of zeros points nowhere: its cosine is 0 with
anything, or whatever `undefined` says (`nan` where a caller has to tell it from a right angle). So two sentences whose
product has vanished are as similar as two unrelated ones, and tied with them. Rows are brought to a largest value of 1
and then to length 1, so that squares neither vanish nor overflow.

- `cosines`: of each row of one table with each row of another
- `paired_cosines`: of each row with the same row of another table, or with one vector
- `unit_rows`, `as_rows`: rows of length 1, and whatever stands for rows as a table
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

_WIDE = 1_000_000  # columns beyond which sparse tables are renumbered before they are multiplied

Rows = ArrayLike | sparse.sparray
"""A table [n, d], or one vector [d] for a table of one row."""


def cosines(a: Rows, b: Rows, *, undefined: float = 0.0) -> np.ndarray:
    """Cosine of each row of `a` [n, d] with each row of `b` [m, d].

    Raises `ValueError` if the rows have different lengths, or hold NaN or infinity.

    Parameters
    ----------
    a, b : arrays or scipy.sparse arrays
    undefined : float
        The value for a row of zeros.

    Returns
    -------
    array [n, m], float64

    Examples
    --------
    >>> cosines([[1, 0], [0, 0]], [[2, 0], [3, 4]])
    array([[1. , 0.6],
           [0. , 0. ]])
    """
    a, b = _comparable(a, b)
    if sparse.issparse(a) and a.shape[1] > _WIDE:  # a transposed table of so many columns would not fit into memory
        used, columns = np.unique(np.concatenate((a.indices, b.indices)), return_inverse=True)
        parts = zip((a, b), np.split(columns, [a.nnz]), strict=True)
        a, b = (sparse.csr_array((t.data, ids, t.indptr), shape=(t.shape[0], len(used))) for t, ids in parts)
    products = a @ b.T
    products = np.clip(products.toarray() if sparse.issparse(products) else products, -1.0, 1.0)
    if undefined != 0.0:
        products[_zero(a)] = undefined
        products[:, _zero(b)] = undefined
    return products


def paired_cosines(a: Rows, b: Rows, *, undefined: float = 0.0) -> np.ndarray:
    """Cosine of each row of `a` [n, d] with the same row of `b` [n, d], or with one vector `b` [d].

    Each row is summed by itself in the order of its columns, so equal rows have equal cosines to the last bit,
    wherever they stand (`cosines` multiplies matrices, which does not promise that).

    Raises `ValueError` if the shapes do not fit, or a row holds NaN or infinity.

    Parameters
    ----------
    a, b : arrays or scipy.sparse arrays
    undefined : float
        The value where one of the two is zero.

    Returns
    -------
    array [n], float64

    Examples
    --------
    >>> paired_cosines([[1, 0], [3, 4]], [[0, 2], [6, 8]]), paired_cosines([[1, 0], [3, 4]], [2, 0])
    (array([0., 1.]), array([1. , 0.6]))
    """
    a, b = _comparable(a, b)
    if b.shape[0] not in (1, a.shape[0]):
        raise ValueError(f"rows are compared one by one, but the shapes are {a.shape} and {b.shape}")
    if sparse.issparse(a):
        products = np.asarray(a.multiply(b).sum(axis=1)).ravel()
    else:
        products = np.einsum("ij,ij->i", a, np.broadcast_to(b, a.shape))
    return np.where(_zero(a) | _zero(b), undefined, np.clip(products, -1.0, 1.0))


def unit_rows(table: np.ndarray | sparse.csr_array) -> np.ndarray | sparse.csr_array:
    """Every row of a table of `as_rows` brought to length 1; a row of zeros stays one.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if not sparse.issparse(table):
        largest = np.abs(table).max(axis=1, keepdims=True, initial=0.0)
        table = np.divide(table, largest, out=np.zeros_like(table), where=largest > 0)
        lengths = np.sqrt(np.einsum("ij,ij->i", table, table))[:, None]
        return np.divide(table, lengths, out=np.zeros_like(table), where=lengths > 0)
    row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    largest = np.zeros(table.shape[0])
    np.maximum.at(largest, row, np.abs(table.data))
    data = np.divide(table.data, largest[row], out=np.zeros(table.nnz), where=largest[row] > 0)
    lengths = np.sqrt(np.bincount(row, data * data, minlength=table.shape[0]))
    data = np.divide(data, lengths[row], out=np.zeros(table.nnz), where=lengths[row] > 0)
    return sparse.csr_array((data, table.indices, table.indptr), shape=table.shape)


def as_rows(vectors: Rows) -> np.ndarray | sparse.csr_array:
    """As a table of float64, one vector as a row; a sparse one with each cell once, in order of the columns.

    >>> as_rows([1, 2]).shape
    (1, 2)
    """
    if not sparse.issparse(vectors):
        return np.atleast_2d(np.asarray(vectors, dtype=np.float64))
    return canonical(vectors.reshape((1, -1)) if vectors.ndim == 1 else vectors, np.float64)


def canonical(matrix, dtype: type | None = None) -> sparse.csr_array:
    """As csr_array with each cell once, in order of the columns; the matrix that was given stays as it is.

    >>> twice = sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 2))
    >>> canonical(twice).data
    array([3.])
    """
    matrix = sparse.csr_array(matrix, dtype=dtype)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _comparable(a: Rows, b: Rows) -> list[np.ndarray | sparse.csr_array]:
    """Both as unit rows of one length, both dense or both sparse."""
    tables = as_rows(a), as_rows(b)
    widths = [table.shape[1] for table in tables]
    if widths[0] != widths[1]:
        raise ValueError(f"rows of {widths[0]} and of {widths[1]} dimensions; take them from one model")
    if sparse.issparse(tables[0]) != sparse.issparse(tables[1]):
        tables = [canonical(table) for table in tables]
    for name, table in zip(("first", "second"), tables, strict=True):
        if not np.isfinite(table.data if sparse.issparse(table) else table).all():
            raise ValueError(f"the {name} rows hold NaN or infinity; leave out what has no vector")
    return [unit_rows(table) for table in tables]


def _zero(table: np.ndarray | sparse.csr_array) -> np.ndarray:
    """Which rows are zero."""
    return np.asarray(abs(table).sum(axis=1)).ravel() == 0
