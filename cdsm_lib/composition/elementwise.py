"""Composition by arithmetic: the operators of Mitchell and Lapata (2008, 2010).

Jeff Mitchell and Mirella Lapata, "Vector-based models of semantic composition" (ACL 2008) and "Composition in
distributional models of semantics" (Cognitive Science 34, 2010).

Conventions: a vector has shape [d]; a table of vectors has shape [n, d], one phrase a row, and every operator works
row by row (NumPy broadcasting: one vector may meet a whole table). Arithmetic is done and returned in float64.
Operators do not know word order, except for `weighted_add` and `dilation`.

- `add`: p = u + v
- `weighted_add`: p = a u + b v
- `mult`: p = u * v, element by element
- `dilation`: stretches v along u
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
        raise ValueError(
            f"{name} got one sequence of {len(vectors[0])} vectors: give each word as an argument of its own, "
            f"{name}(u, v), or {name}(*vectors)"
        )
    return arrays


def add(*vectors: ArrayLike) -> np.ndarray:
    """Sum of the vectors (Mitchell and Lapata 2008).

    Parameters
    ----------
    *vectors : array [d] or [n, d]
        The words of the phrase.

    Returns
    -------
    array [d] or [n, d], float64

    Raises
    ------
    ValueError
        If there is no vector, their lengths differ, or they come as one sequence, ``add([u, v])``.

    Examples
    --------
    >>> add([1, 2], [3, -1])
    array([4., 1.])
    """
    return reduce(np.add, _words("add", vectors))


def weighted_add(vectors: Sequence[ArrayLike], weights: Sequence[float]) -> np.ndarray:
    """Weighted sum, ``p = sum_i w_i u_i`` (Mitchell and Lapata 2008).

    Parameters
    ----------
    vectors : sequence of arrays [d] or [n, d]
    weights : sequence of float
        One for each vector.

    Returns
    -------
    array [d] or [n, d], float64

    Raises
    ------
    ValueError
        If there is no vector, their lengths differ, or there is not one weight for each.

    Examples
    --------
    >>> weighted_add([[1, 2], [3, -1]], [2, 1])
    array([5., 3.])
    """
    arrays = _vectors(vectors)
    if len(arrays) != len(weights):
        raise ValueError(f"{len(arrays)} vectors but {len(weights)} weights; give one weight for each vector")
    return reduce(np.add, [weight * array for weight, array in zip(weights, arrays, strict=True)])


def mult(*vectors: ArrayLike) -> np.ndarray:
    """Elementwise product of the vectors (Mitchell and Lapata 2008).

    Meant for vectors without negative components; in a dense space two opposed components look alike.

    Parameters
    ----------
    *vectors : array [d] or [n, d]

    Returns
    -------
    array [d] or [n, d], float64

    Raises
    ------
    ValueError
        If there is no vector, their lengths differ, or they come as one sequence, ``mult([u, v])``.

    Examples
    --------
    >>> mult([1, 2], [3, -1])
    array([ 3., -2.])
    """
    return reduce(np.multiply, _words("mult", vectors))


def dilation(u: ArrayLike, v: ArrayLike, factor: float) -> np.ndarray:
    """`v` stretched by `factor` along `u`: p = (u.u) v + (factor - 1)(u.v) u (Mitchell and Lapata 2010).

    With factor 1 it is v, scaled by the squared length of u.

    Parameters
    ----------
    u : array [d] or [n, d]
        The word along which to stretch (the modifier).
    v : array [d] or [n, d]
        The word that is stretched (the head).
    factor : float
        How much; above 1 the part of v along u is emphasised.

    Returns
    -------
    array [d] or [n, d], float64

    Raises
    ------
    ValueError
        If the lengths differ.

    Examples
    --------
    >>> dilation([1, 0], [2, 3], 2)
    array([4., 3.])
    """
    u, v = _vectors([u, v])
    squared_length = (u * u).sum(-1, keepdims=True)
    overlap = (u * v).sum(-1, keepdims=True)
    return squared_length * v + (factor - 1) * overlap * u
