"""Systems: each gives the pairs of a task similarities; most embed the texts, and compare by cosine.

A `Composer` is one system, or several that share their work, such as a model of words in context by addition and by
multiplication.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from cdsm_lib.composition.contextual import compose
from cdsm_lib.composition.overlap import overlap
from cdsm_lib.tasks.task import Task, Text
from cdsm_lib.vectors.similarity import cosines

ADD, MULT = "add", "mult"
DIGITS = 9
"""Significant digits of a cosine: what a machine's way of adding up does to the others makes no difference."""
LOOK_AHEAD = 256
"""Texts that are embedded at a time, at least: bounds memory, for the vectors of TFP go into the millions of cells."""


def size(*arrays) -> int:
    """The numbers that these arrays hold, dense or sparse."""
    return sum(array.nnz if sparse.issparse(array) else array.size for array in arrays)


@dataclass(frozen=True, eq=False)
class Composer:
    """One or several systems that share their work.

    Attributes
    ----------
    names : tuple of str
    space : str
        What the vectors are made of.
    compare : callable
        Texts and pairs of them to a similarity [pairs] for each name.
    parameters : int
        Numbers that the systems hold: cells of vectors, matrices, counted triples.
    minutes : float, optional
        To train, on the machine that did; None if nothing is trained, or if it was not noted.
    tasks : tuple of str, optional
        Where they make sense; everywhere by default.
    look_ahead : int
        Texts that are compared at a time, at least: all, where what one is given hangs on the others.
    """

    names: tuple[str, ...]
    space: str
    compare: Callable[[Sequence[Text], np.ndarray], Mapping[str, np.ndarray]]
    parameters: int = 0
    minutes: float | None = None
    tasks: tuple[str, ...] | None = None
    look_ahead: int = LOOK_AHEAD

    def fits(self, task: Task) -> bool:
        """Whether the systems make sense on a task."""
        return self.tasks is None or task.name in self.tasks

    def similarities(self, task: Task) -> dict[str, np.ndarray]:
        """What each of the systems gives every pair of a task: {name: float64 [m]}."""
        values = {name: np.zeros(len(task.pairs)) for name in self.names}
        for places, numbers in blocks(task.pairs, len(task.texts), self.look_ahead):
            if not len(numbers):
                continue
            local = np.zeros(len(task.texts), dtype=np.int64)
            local[places] = np.arange(len(places))
            compared = self.compare([task.texts[i] for i in places], local[task.pairs[numbers]])
            for name in self.names:
                values[name][numbers] = compared[name]
                if not np.isfinite(values[name]).all():
                    raise ValueError(f"{name} on {task.name}: a similarity is no number, or infinite")
        return values


def by_cosine(embed: Callable[[Sequence[Text]], Mapping[str, object]]) -> Callable:
    """A comparison of vectors: `embed` gives texts [n] vectors [n, d], dense or sparse, under each system's name.

    The cosine with a zero vector is 0: such a text is as similar to all others. Cosines are rounded to `DIGITS`
    significant digits, for products of many small numbers have cosines that any number of decimals would make zero.
    """

    def compare(texts: Sequence[Text], pairs: np.ndarray) -> dict[str, np.ndarray]:
        return {name: significant(cosines(rows, rows)[*pairs.T]) for name, rows in embed(texts).items()}

    return compare


def by_dot(embed: Callable[[Sequence[Text]], Mapping[str, object]]) -> Callable:
    """The same by dot product: the cosine times both lengths.

    >>> by_dot(lambda texts: {"sum": np.array([[3.0, 4.0], [1.0, 0.0]])})([None] * 2, np.array([[0, 1], [0, 0]]))
    {'sum': array([ 3., 25.])}
    """

    def compare(texts: Sequence[Text], pairs: np.ndarray) -> dict[str, np.ndarray]:
        embedded = embed(texts)
        cosine = by_cosine(lambda _: embedded)(texts, pairs)
        return {name: significant(cosine[name] * norms(rows)[pairs].prod(axis=1)) for name, rows in embedded.items()}

    return compare


def norms(rows: np.ndarray | sparse.csr_array) -> np.ndarray:
    """Euclidean length of each row of a table, dense or sparse."""
    return (sparse.linalg if sparse.issparse(rows) else np.linalg).norm(rows, axis=1)


def blocks(pairs: np.ndarray, n: int, least: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Parts of a task of n texts that share no text: (places of the texts, numbers of the pairs [m, 2]).

    Texts that are never compared need not be in memory together. Parts are joined while they begin within the same
    `least` texts.
    """
    graph = sparse.coo_array((np.ones(len(pairs)), pairs.T), shape=(n, n))
    part = sparse.csgraph.connected_components(graph, directed=False)[1]
    sizes = np.bincount(part)
    block_of = np.unique((np.cumsum(sizes) - sizes) // least, return_inverse=True)[1][part]
    texts, of_pair = np.argsort(block_of, kind="stable"), np.argsort(block_of[pairs[:, 0]], kind="stable")
    ends = np.cumsum(np.bincount(block_of))[:-1]
    pair_ends = np.cumsum(np.bincount(block_of[pairs[:, 0]], minlength=len(ends) + 1))[:-1]
    yield from zip(np.split(texts, ends), np.split(of_pair, pair_ends), strict=True)


def vectors(
    model, sentences: Sequence[Text], operations: Sequence[str] = (ADD, MULT)
) -> dict[str, np.ndarray | sparse.csr_array]:
    """Each sentence's vector by each operation: {operation: [sentences, d]}, dense or sparse as the model's."""
    in_context = [model.in_context(sentence.words, sentence.arcs) for sentence in sentences]
    stack = sparse.vstack if sparse.issparse(in_context[0]) else np.vstack

    def composed(operation: str) -> np.ndarray | sparse.csr_array:
        return stack([compose(rows, operation) for rows in in_context])

    return {operation: composed(operation) for operation in operations}


def significant(values: np.ndarray, digits: int = DIGITS) -> np.ndarray:
    """Values rounded to so many significant digits: 0.0123456 to two is 0.012. Products give cosines of any size."""
    size = np.abs(values)
    exponent = np.floor(np.log10(np.where(size > 1e-280, size, 1.0)))
    scale = 10.0 ** (digits - 1 - exponent)
    return np.round(values * scale) / scale


def lemma_overlap(name: str) -> Composer:
    """How many lemmas two texts share."""

    def compare(texts, pairs):
        return {name: np.array([overlap(texts[i].lemmas, texts[j].lemmas) for i, j in pairs], dtype=np.float64)}

    return Composer((name,), "none", compare)


def of_model(
    model, name: str, space: str, parameters: int, minutes=None, operations=(ADD, MULT), by=by_cosine
) -> Composer:
    """A model of words in context (`cdsm_lib.composition.contextual`), by addition, multiplication, or both.

    `by` is how vectors are compared, `by_cosine` or `by_dot`.
    """
    names = {f"{name} {operation}": operation for operation in operations}

    def embed(texts):
        composed = vectors(model, texts, operations)
        return {name: composed[operation] for name, operation in names.items()}

    return Composer(tuple(names), space, by(embed), parameters, minutes)
