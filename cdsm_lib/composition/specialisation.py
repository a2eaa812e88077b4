"""Word vectors specialised by lexical constraints: counter-fitting, and a linear map that carries it to other words.

Distributional vectors put antonyms close together. Nikola Mrkšić et al., "Counter-fitting Word Vectors to Linguistic
Constraints" (NAACL 2016), push antonym pairs apart and pull synonym pairs together, while words that were near stay
near. Only words that occur in a constraint move. Ivan Vulić et al., "Post-Specialisation: Retrofitting Vectors of Words
Unseen in Lexical Resources" (NAACL 2018), learn from these words a map for all others; theirs is a deep network, ours
is linear.

Conventions: a pair is two row labels of a `Space`, without order. The distance is d(u, w) = 1 - cos(u, w), from 0 to 2.
Only directions change: every vector keeps the length that it had, because sums of word vectors depend on lengths.

- `counter_fit`: moves the words of the constraints; `Fitted` is what it returns; `Objective` is its cost
- `LinearSpecialisation`: a matrix from original to specialised vectors
- `split_pairs`: training and held-out pairs that share no word. An evaluation on the very pairs that were pushed apart
  would be circular; held-out words do not move in counter-fitting, so they need the linear map.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from cdsm_lib.composition.linear import PENALTIES, gcv_ridge, ridge
from cdsm_lib.labels import Labels
from cdsm_lib.vectors.space import Space

Pair = tuple[str, str]

_BLOCK = 256  # words whose distances to the whole space are in memory at a time
_MET = 1e-9  # a term no larger than this is rounding noise and pulls at nothing


# ---------------------------------------------------------------------------------------------------- counter-fitting


@dataclass(frozen=True, eq=False)
class Objective:
    """The cost of counter-fitting (Mrkšić et al. 2016, section 2), on a table of unit vectors V' [n, d].

    ``C = k1 AR + k2 SA + k3 VSP`` with ``tau(x) = max(0, x)`` and

    - antonym repel ``AR = sum over antonyms (u, w) of tau(delta - d(v'_u, v'_w))``
    - synonym attract ``SA = sum over synonyms (u, w) of tau(d(v'_u, v'_w) - gamma)``
    - vector space preservation ``VSP = sum over neighbours (i, j) of tau(d(v'_i, v'_j) - d(v_i, v_j))``

    Each pair counts once in its sum, not once in either direction.

    Parameters
    ----------
    antonyms, synonyms, neighbours : int array [pairs, 2]
        Rows of the table.
    distances : float array [neighbour pairs]
        d(v_i, v_j), the original distances of the neighbours.
    weights : (float, float, float)
        k1, k2, k3.
    delta, gamma : float
        The distance that antonyms should have at least, and synonyms at most.
    """

    antonyms: np.ndarray
    synonyms: np.ndarray
    neighbours: np.ndarray
    distances: np.ndarray
    weights: tuple[float, float, float] = (0.1, 0.1, 0.1)
    delta: float = 1.0
    gamma: float = 0.0

    def _excess(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What stands inside the three tau."""
        return (
            self.delta - distance(vectors, self.antonyms),
            distance(vectors, self.synonyms) - self.gamma,
            distance(vectors, self.neighbours) - self.distances,
        )

    def cost(self, vectors: np.ndarray) -> float:
        """C of these unit vectors [n, d]."""
        return float(sum(k * np.maximum(0, x).sum() for k, x in zip(self.weights, self._excess(vectors), strict=True)))

    def active(self, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The pairs whose term is above zero, int [m, 2], and the slope dC/dd of each, float64 [m]."""
        pairs = np.concatenate([self.antonyms, self.synonyms, self.neighbours])
        signed = zip((-1, 1, 1), self.weights, self._excess(vectors), strict=True)
        slopes = np.concatenate([sign * k * (excess > _MET) for sign, k, excess in signed])
        return pairs[slopes != 0], slopes[slopes != 0]

    def gradient(self, vectors: np.ndarray) -> np.ndarray:
        """dC/dV' at these unit vectors, float64 [n, d]; it is tangent to the sphere, row by row.

        From ``dd(u, w)/du = cos(u, w) u - w`` for unit u and w. It is zero where the two are equal: antonyms with the
        same vector have no direction to part in.
        """
        return _gradient(vectors, *self.active(vectors))


def distance(vectors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """d = 1 - cos of pairs of rows, float64 [m]; the rows have unit length.

    >>> distance(np.eye(2), np.array([[0, 1], [0, 0]]))
    array([1., 0.])
    """
    return 1 - np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]])


def _gradient(vectors: np.ndarray, pairs: np.ndarray, slopes: np.ndarray) -> np.ndarray:
    n = len(vectors)
    cosines = 1 - distance(vectors, pairs)
    first, second = np.concatenate([pairs, pairs[:, ::-1]]).T
    own = np.bincount(first, np.tile(slopes * cosines, 2), n)[:, None] * vectors
    other = sparse.csr_array((np.tile(slopes, 2), (first, second)), shape=(n, n)) @ vectors
    return own - other


class Fitted(NamedTuple):
    """Counter-fitted vectors, and what went into them."""

    space: Space
    """All rows of the original, in its order; those in `words` have new directions and their old lengths."""
    words: Labels
    """The words of the constraints, which could move, in row order."""
    used: dict[str, int]
    """Pairs of each kind in the cost: ``antonyms``, ``synonyms``, ``neighbours``."""
    unknown: dict[str, int]
    """Pairs left out, ``antonyms`` and ``synonyms``, because a word has no vector here, or a zero one."""
    unknown_words: tuple[str, ...]
    """The words without a vector, in order of appearance."""
    contradictory: int
    """Synonym pairs left out because they are given as antonyms, too."""
    history: np.ndarray
    """Cost before the first step and after each, float64 [epochs + 1]."""


def counter_fit(
    space: Space,
    antonyms: Iterable[Pair],
    synonyms: Iterable[Pair] = (),
    *,
    weights: tuple[float, float, float] = (0.1, 0.1, 0.1),
    delta: float = 1.0,
    gamma: float = 0.0,
    radius: float = 0.2,
    most_neighbours: int | None = 100,
    rate: float = 1.0,
    epochs: int = 20,
) -> Fitted:
    """Push antonyms apart and pull synonyms together (Mrkšić et al. 2016).

    Full-batch gradient descent on the cost of `Objective`. As in the authors' code, the gradient of each word is
    divided by the number of terms that act on it, and its vector is brought back to unit length after every step. The
    defaults are theirs; their step has no rate besides the weights, which is a rate of 1. There is nothing random.
    The cost has kinks, so that with long steps and many neighbours it need not fall at every step.

    Two differences: neighbours are kept for the words of the constraints only, and a neighbour outside the constraints
    stays where it is (theirs moves along); and both words of a neighbour pair feel the pull (in theirs one, by a slip).
    As in theirs, a pair that is both synonymous and antonymous counts as antonymous, and neighbours that are antonyms
    need not stay near.

    Parameters
    ----------
    space : Space
        Dense.
    antonyms, synonyms : iterable of (str, str)
        Row labels. A pair given twice, or in both orders, counts once.
    weights : (float, float, float)
        k1 antonym repel, k2 synonym attract, k3 vector space preservation; each 0 or more.
    delta : float
        Antonyms closer than this are pushed apart; 0 to 2.
    gamma : float
        Synonyms farther than this are pulled together; 0 to 2.
    radius : float
        Neighbours of a word are those within this distance in the original space; 0 to 2.
    most_neighbours : int, optional
        Keep only so many, the nearest first, ties in row order; None keeps all.
    rate : float
        Length of a step, above 0.
    epochs : int
        Number of steps, 1 or more.

    Returns
    -------
    Fitted
        Its space is float32; the arithmetic is float64.

    Raises
    ------
    ValueError
        If the space is sparse, a pair joins a word with itself, no pair has both its vectors, or a setting is out of
        its range.

    Examples
    --------
    >>> space = Space(["up", "down", "rise"], [[0.8, 0.6], [1.0, 0.0], [0.0, 1.0]])
    >>> fitted = counter_fit(space, [("up", "down")], [("up", "rise")])
    >>> for up, down, rise in (space.vectors, fitted.space.vectors):
    ...     print(f"antonym {up @ down:.2f}, synonym {up @ rise:.2f}")
    antonym 0.80, synonym 0.60
    antonym -0.18, synonym 1.00
    """
    if space.is_sparse:
        raise ValueError(
            "counter-fitting needs dense vectors: reduce the sparse space first (cdsm_lib.vectors.reduction)"
        )
    if len(weights) != 3 or not all(0 <= k < np.inf for k in weights):
        raise ValueError(f"three weights of 0 or more are needed (antonyms, synonyms, neighbours), not {weights}")
    for name, value in {"delta": delta, "gamma": gamma, "radius": radius}.items():
        if not 0 <= value <= 2:
            raise ValueError(f"{name} is a cosine distance, from 0 to 2, not {value}")
    if most_neighbours is not None and most_neighbours < 1:
        raise ValueError(f"most_neighbours must be 1 or more, or None for all, not {most_neighbours}")
    if not 0 < rate < np.inf or epochs < 1:
        raise ValueError(f"a rate above 0 and 1 epoch or more are needed, not rate={rate}, epochs={epochs}")

    repel, attract = _pairs(space, antonyms, "antonym"), _pairs(space, synonyms, "synonym")
    pull = attract.places[~_among(attract.places, repel.places)]
    moving = np.unique(np.concatenate([repel.places, pull]))
    if not len(moving):
        raise ValueError(
            f"no constraint to fit: {repel.unknown} antonym and {attract.unknown} synonym pairs were given, and "
            "none has a vector for both words; the pairs must be row labels of the space"
        )
    original = space.vectors.astype(np.float64)
    unit = _unit(original)
    near = np.empty((0, 2), dtype=np.int64)
    if weights[2] > 0:
        near = _neighbours(unit, moving, radius, most_neighbours)
        near = near[~_among(near, repel.places)]
    table = np.concatenate([moving, np.setdiff1d(near, moving)])  # the words that move come first
    local = np.zeros(len(space), dtype=np.int64)
    local[table] = np.arange(len(table))
    pairs = local[repel.places], local[pull], local[near]
    objective = Objective(*pairs, distance(unit, near), tuple(weights), delta, gamma)
    rotated, history = _descend(objective, unit[table], len(moving), rate, epochs)
    vectors = space.vectors.copy()
    vectors[moving] = rotated * np.linalg.norm(original[moving], axis=1, keepdims=True)
    return Fitted(
        Space(space.rows, vectors, space.dimensions, space.meta | {"counter_fitted": len(moving)}),
        space.rows.take(moving),
        {"antonyms": len(repel.places), "synonyms": len(pull), "neighbours": len(near)},
        {"antonyms": repel.unknown, "synonyms": attract.unknown},
        tuple(dict.fromkeys(repel.unknown_words + attract.unknown_words)),
        len(attract.places) - len(pull),
        history,
    )


def _descend(
    objective: Objective, vectors: np.ndarray, moving: int, rate: float, epochs: int
) -> tuple[np.ndarray, np.ndarray]:
    """The first `moving` rows after the descent, unit length, and the history of the cost; the other rows stay."""
    history = [objective.cost(vectors)]
    for _ in range(epochs):
        pairs, slopes = objective.active(vectors)
        gradient = _gradient(vectors, pairs, slopes)[:moving]
        terms = np.bincount(pairs.ravel(), minlength=len(vectors))[:moving, None]
        vectors[:moving] = _unit(vectors[:moving] - rate * gradient / np.maximum(terms, 1))
        history.append(objective.cost(vectors))
    return vectors[:moving], np.array(history)


class _Pairs(NamedTuple):
    places: np.ndarray  # int64 [m, 2], the smaller first, each once
    unknown: int
    unknown_words: tuple[str, ...]


def _pairs(space: Space, pairs: Iterable[Pair], kind: str) -> _Pairs:
    distinct: dict[frozenset, Pair] = {}  # each unordered pair once, as first given
    for pair in _checked_pairs(pairs, kind):
        distinct.setdefault(frozenset(pair), pair)
    words = [word for pair in distinct.values() for word in pair]
    places = space.rows.encode(words)
    known = (places >= 0) & (space.norms[places] > 0)
    both, unknown = (
        known.reshape(-1, 2).all(axis=1),
        (word for word, there in zip(words, known, strict=True) if not there),
    )
    return _Pairs(np.sort(places.reshape(-1, 2)[both], axis=1), int((~both).sum()), tuple(dict.fromkeys(unknown)))


def _checked_pairs(pairs: Iterable[Pair], kind: str) -> list[Pair]:
    checked = []
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise ValueError(f"each of the {kind} pairs must be two words, not {pair!r}")
        first, second = pair
        if first == second:
            raise ValueError(f"{first!r} is paired with itself among the {kind} pairs; leave such pairs out")
        checked.append((first, second))
    return checked


def _among(pairs: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Whether each pair of places is one of the others, bool [pairs]; the smaller place stands first in both."""
    return np.isin(pairs @ (1, 2**32), others @ (1, 2**32))


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Rows at unit length; zero rows stay zero.

    `cdsm_lib.vectors.similarity.unit_rows` does the same and rounds otherwise: with it the descent, which comes here
    at each step, would end at other digits than those of the committed figures.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _neighbours(unit: np.ndarray, words: np.ndarray, radius: float, most: int | None) -> np.ndarray:
    """Pairs of a word with each of its neighbours, int64 [m, 2], the smaller place first, each once, sorted."""
    others = np.flatnonzero(unit.any(axis=1))
    pairs = []
    for start in range(0, len(words), _BLOCK):
        block = words[start : start + _BLOCK]
        distances = np.round(1 - unit[block] @ unit[others].T, 9)  # equal whatever the number of BLAS threads
        distances[block[:, None] == others] = np.inf
        row, column = np.nonzero(distances <= radius)
        order = np.lexsort([column, distances[row, column], row])
        row, column = row[order], column[order]
        rank = np.arange(len(row)) - np.searchsorted(row, row)
        near = slice(None) if most is None else rank < most
        pairs.append(np.stack([block[row[near]], others[column[near]]], axis=1))
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


# ----------------------------------------------------------------------------------------- words outside constraints


@dataclass
class LinearSpecialisation:
    """A matrix W that takes a word's original vector to its specialised one (after Vulić et al. 2018).

    W = I + R, and R is learned by ridge regression from the original unit vectors to the *change* that specialisation
    made to them: ``min sum over words |y - x - R x|^2 + penalty |R|_F^2``. A large penalty thus leaves words where they
    were, rather than at zero.

    One matrix serves all words. What it learns from antonyms may well be to move every word away from every other, so
    a growing distance of held-out antonyms says something only beside that of synonyms and of random pairs.

    Attributes
    ----------
    matrix : array [d, d], float64
        W.
    chosen_penalty : float

    Examples
    --------
    >>> before = Space(["up", "down", "rise"], np.array([[1, 0.1], [1, -0.1], [2, 0.2]]))
    >>> after = Space(["up", "down"], np.array([[1, 0.2], [1, -0.2]]))
    >>> linear = LinearSpecialisation().fit(before, after, ["up", "down"], penalty=0)
    >>> linear.apply(before, ["rise"])["rise"].round(2)
    array([1.97, 0.39], dtype=float32)
    """

    matrix: np.ndarray = field(init=False, default=None)
    chosen_penalty: float = field(init=False, default=np.nan)

    def fit(
        self, original: Space, fitted: Space, words: Sequence[str], penalty: float | Sequence[float] = PENALTIES
    ) -> "LinearSpecialisation":
        """Learn W.

        Parameters
        ----------
        original, fitted : Space
            The same words before and after, [., d]; for example the argument of `counter_fit` and ``Fitted.space``.
        words : sequence of str
            The training words; for example ``Fitted.words``.
        penalty : float or sequence of float
            Several: chosen by `cdsm_lib.composition.linear.gcv_ridge`.

        Returns
        -------
        LinearSpecialisation
            Itself.

        Raises
        ------
        KeyError
            If one of the spaces lacks one of the words.
        ValueError
            If there is no word, the spaces differ in dimensions, or as `ridge` and `gcv_ridge`.

        Warns
        -----
        EdgePenaltyWarning
            With several penalties: if the best one stands at the edge.
        """
        if not len(words):
            raise ValueError("no word to learn from: give the words that were specialised")
        if original.d != fitted.d:
            raise ValueError(f"the original space has {original.d} dimensions, the fitted one {fitted.d}")
        X, Y = (_unit(space.take(words).astype(np.float64)) for space in (original, fitted))
        if np.ndim(penalty):
            R, self.chosen_penalty, _ = gcv_ridge(X, Y - X, penalty)
        else:
            R, self.chosen_penalty = ridge(X, Y - X, penalty), float(penalty)
        self.matrix = np.eye(original.d) + R
        return self

    def apply(self, space: Space, words: Sequence[str]) -> Space:
        """The space with the vectors of these words mapped by W and brought back to their old lengths.

        Parameters
        ----------
        space : Space
            Dense, [n, d]. With ``Fitted.space`` and words that are not in ``Fitted.words``, the training words keep
            their counter-fitted vectors and the others get mapped ones.
        words : sequence of str
            Those to map; `Space.coverage` tells which have no vector.

        Returns
        -------
        Space
            All rows, in their order; the other rows are as they were.

        Raises
        ------
        KeyError
            If words have no vector.
        ValueError
            If nothing was learned yet, the dimensions disagree, or the space is sparse.
        """
        if self.matrix is None:
            raise ValueError("nothing was learned yet: call fit first")
        if space.is_sparse or space.d != len(self.matrix):
            raise ValueError(f"a dense space of {len(self.matrix)} dimensions is needed, as in fit")
        old = space.take(words).astype(np.float64)
        vectors = space.vectors.copy()
        places = space.rows.encode(words)
        vectors[places] = _unit(old @ self.matrix.T) * np.linalg.norm(old, axis=1, keepdims=True)
        return Space(space.rows, vectors, space.dimensions, space.meta | {"linearly_specialised": len(set(words))})


# ---------------------------------------------------------------------------------------- training and held-out pairs


class Split(NamedTuple):
    """Pairs for training and held-out pairs, in the order given."""

    training: list[Pair]
    held_out: list[Pair]


def split_pairs(pairs: Iterable[Pair], share: float = 0.5, seed: int = 0) -> Split:
    """Divide pairs so that no word occurs on both sides.

    Pairs that are linked by a common word, directly or through others, are the connected components of the graph of
    pairs, and each component goes to one side as a whole: in random order, to training as long as it does not make
    training larger than its share, else to the held-out side.

    Words are compared as they are. If several forms of a word occur (*rise*, *rose*), split the pairs of lemmas and
    inflect afterwards.

    Parameters
    ----------
    pairs : iterable of (str, str)
    share : float
        Of the pairs, how many are to be for training; above 0 and below 1. Training gets no more than that.
    seed : int
        Of the order of the components.

    Returns
    -------
    Split
        (training, held_out), every given pair in one of them.

    Raises
    ------
    ValueError
        If the share is not between 0 and 1, there is no pair, a pair joins a word with itself, or one side would be
        empty.

    Examples
    --------
    >>> split_pairs([("rise", "fall"), ("open", "close"), ("fall", "climb"), ("close", "begin")], 0.5, seed=0)
    Split(training=[('rise', 'fall'), ('fall', 'climb')], held_out=[('open', 'close'), ('close', 'begin')])
    """
    if not 0 < share < 1:
        raise ValueError(f"the share for training must lie between 0 and 1, not {share}")
    pairs = _checked_pairs(pairs, "antonym")
    if not pairs:
        raise ValueError("no pair to divide")
    words = Labels(dict.fromkeys(word for pair in pairs for word in pair))
    first, second = (words.encode(side) for side in zip(*pairs, strict=True))
    graph = sparse.coo_array((np.ones(len(pairs)), (first, second)), shape=(len(words), len(words)))
    component = connected_components(graph, directed=False)[1][first]
    sizes, room = np.bincount(component), share * len(pairs) + _MET
    in_training = np.zeros(len(sizes), dtype=bool)
    for i in np.random.default_rng(seed).permutation(len(sizes)):
        if sizes[i] <= room:
            in_training[i] = True
            room -= sizes[i]
    sides = [
        [pair for pair, i in zip(pairs, component, strict=True) if in_training[i] == side] for side in (True, False)
    ]
    if not all(sides):
        raise ValueError(
            f"{len(pairs)} pairs in {len(sizes)} groups linked by common words, the largest of {sizes.max()}, cannot "
            f"be divided with a share of {share} for training; change the share or leave out the words that link most"
        )
    return Split(*sides)
