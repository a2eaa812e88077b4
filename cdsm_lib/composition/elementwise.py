"""Composition by arithmetic: the operators of Mitchell and Lapata (2008, 2010).

Jeff Mitchell and Mirella Lapata, "Vector-based models of semantic composition" (ACL 2008) and "Composition in
distributional models of semantics" (Cognitive Science 34, 2010).

Conventions: a vector has shape [d]; a table of vectors has shape [n, d], one phrase a row, and every operator works
row by row (NumPy broadcasting: one vector may meet a whole table). Results are float64. Vectors of different lengths
are a `ValueError`, and so are none.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike


def _vectors(vectors: Sequence[ArrayLike]) -> list[np.ndarray]:
    if not vectors:
        raise ValueError("nothing to compose: give at least one vector or table of vectors")
    arrays = [np.asarray(vector, dtype=np.float64) for vector in vectors]
    dimensions = {array.shape[-1:] for array in arrays}
    if len(dimensions) > 1 or () in dimensions:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"vectors of one length are needed, but the shapes are {shapes}; take them from one space")
    return arrays


def _words(name: str, vectors: tuple[ArrayLike, ...]) -> list[np.ndarray]:
    """The arguments of an operator; refused if they are one sequence of vectors, which would come back as it is."""
    arrays = _vectors(vectors)
    if len(arrays) == 1 and isinstance(vectors[0], list | tuple) and arrays[0].ndim > 1:
        problem = f"{name} got one sequence of {len(vectors[0])} vectors"
        raise ValueError(f"{problem}: give each word as an argument of its own, {name}(u, v), or {name}(*vectors)")
    return arrays


def add(*vectors: ArrayLike) -> np.ndarray:
    """Sum of the vectors [d] or [n, d], ``p = u + v``. They come one by one: ``add([u, v])`` is a `ValueError`.

    >>> add([1, 2], [3, -1])
    array([4., 1.])
    """
    return reduce(np.add, _words("add", vectors))


def weighted_add(vectors: Sequence[ArrayLike], weights: Sequence[float]) -> np.ndarray:
    """Weighted sum, ``p = sum_i w_i u_i``, of vectors [d] or [n, d]; a `ValueError` without one weight for each.

    >>> weighted_add([[1, 2], [3, -1]], [2, 1])
    array([5., 3.])
    """
    arrays = _vectors(vectors)
    if len(arrays) != len(weights):
        raise ValueError(f"{len(arrays)} vectors but {len(weights)} weights; give one weight for each vector")
    return reduce(np.add, [weight * array for weight, array in zip(weights, arrays, strict=True)])


def mult(*vectors: ArrayLike) -> np.ndarray:
    """Elementwise product of the vectors [d] or [n, d], ``p = u * v``. They come one by one, as for `add`.

    Meant for vectors without negative components; in a dense space two opposed components look alike.

    >>> mult([1, 2], [3, -1])
    array([ 3., -2.])
    """
    return reduce(np.multiply, _words("mult", vectors))


def dilation(u: ArrayLike, v: ArrayLike, factor: float) -> np.ndarray:
    """The head `v` stretched by `factor` along the modifier `u`: ``p = (u.u) v + (factor - 1)(u.v) u`` (2010).

    With factor 1 it is v, scaled by the squared length of u; above 1 the part of v along u is emphasised.

    >>> dilation([1, 0], [2, 3], 2)
    array([4., 3.])
    """
    u, v = _vectors([u, v])
    squared_length = (u * u).sum(-1, keepdims=True)
    overlap = (u * v).sum(-1, keepdims=True)
    return squared_length * v + (factor - 1) * overlap * u
