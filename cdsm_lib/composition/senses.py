"""Composition of words that have several vectors each, one a sense.

Thomas Kober, Julie Weeds, John Wilkie, Jeremy Reffin and David Weir, "One Representation per Word - Does it make Sense
for Composition?" (SENSE workshop at EACL 2017), sections 3 and 4. A phrase is composed once for every combination of
its words' senses. Two phrases are compared by the cosines of all their combinations, of which a *strategy* makes one
number: the closest pair of combinations (``max``), the farthest (``min``) or the average (``mean``).

Conventions: the sense vectors of a word are an array [k, d], one sense a row; a word with one vector may be given as
[d]. The composed vectors of a phrase are an array [n, d]. An unknown word is a row of zeros (as in the paper, section
3), which adds nothing; a composed vector of zeros has cosine 0 with anything. Arithmetic is in float64.
"""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike

from cdsm_lib.vectors.similarity import cosines

STRATEGIES: dict[str, Callable] = {"max": np.max, "min": np.min, "mean": np.mean}


def _combined(words: Sequence[ArrayLike], operation: np.ufunc) -> np.ndarray:
    tables = [np.atleast_2d(np.asarray(word, dtype=np.float64)) for word in words]
    return reduce(lambda a, b: operation(a[:, None], b[None]).reshape(-1, a.shape[1]), tables)


def sums(words: Sequence[ArrayLike]) -> np.ndarray:
    """Sum of the words' vectors for every combination of senses, [k_1 k_2 ..., d]; the last word's change fastest.

    >>> sums([[[1, 0], [0, 1]], [2, 2]])  # a word of two senses, a word of one
    array([[3., 2.],
           [2., 3.]])
    """
    return _combined(words, np.add)


def products(words: Sequence[ArrayLike]) -> np.ndarray:
    """The product for every combination of senses, as `sums`; an unknown word's zeros make zero of it: leave it out.

    >>> products([[[1, 0], [0, 1]], [2, 3]])
    array([[2., 0.],
           [0., 3.]])
    """
    return _combined(words, np.multiply)


def similarity(first: ArrayLike, second: ArrayLike, strategy: str = "max") -> float:
    r"""Similarity of two phrases [n, d] and [m, d] over all combinations of their senses, between -1 and 1.

    .. math:: \max_{i,j} \cos(\vec{p}_i, \vec{q}_j), \quad \min_{i,j} \cos(\vec{p}_i, \vec{q}_j) \quad\text{or}\quad
              \frac{1}{nm} \sum_{i,j} \cos(\vec{p}_i, \vec{q}_j)

    >>> first, second = [[1, 0], [0, 1]], [[1, 0], [3, 4]]  # cosines 1, 3/5 and 0, 4/5
    >>> [round(similarity(first, second, strategy), 2) for strategy in ("max", "min", "mean")]
    [1.0, 0.0, 0.6]
    """
    return float(STRATEGIES[strategy](cosines(first, second)))


def closest_sense(target_senses: ArrayLike, context: ArrayLike, options: ArrayLike) -> np.ndarray:
    r"""Similarity of a word in its context to the same word in the contexts of o options (section 4): float64 [o].

    With :math:`\vec{s}_i` the senses of the word [k, d], :math:`\vec{c}` the context of the target sentence [d] and
    :math:`\vec{c}\,'` that of an option [o, d], each a sum of context words without the lexeme, it is

    .. math:: \max_{i,j} \cos(\vec{s}_i + \vec{c},\; \vec{s}_j + \vec{c}\,')

    All are 0 where nothing is known, which `cdsm_lib.evaluation.metrics.tie_credit` takes for a tie.

    >>> closest_sense([[1, 0], [0, 1]], [3, 0], [[3, 0], [0, 3]]).round(3)  # 1, and cos((3, 1), (1, 3)) = 6/10
    array([1. , 0.6])
    """
    senses = np.atleast_2d(np.asarray(target_senses, dtype=np.float64))
    among = cosines(sums([context, senses]), sums([options, senses]))
    return among.reshape(len(senses), len(options), len(senses)).max(axis=(0, 2))
