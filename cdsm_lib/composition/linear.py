"""Composition by linear maps that are learned from holistic phrase vectors.

Marco Baroni and Roberto Zamparelli, "Nouns are vectors, adjectives are matrices" (EMNLP 2010): a functor (adjective,
verb) is a matrix, learned by ridge regression from the vectors of its arguments to the observed vectors of the
phrases. Emiliano Guevara (GEMS 2010), Fabio Massimo Zanzotto et al. (COLING 2010) and, under the name *full
additive*, Georgiana Dinu et al. (CVSC 2013): one pair of matrices for all phrases of a construction.

Conventions: data come as rows, `X` [n, d_in] the arguments and `Y` [n, d_out] the phrases; a learned matrix `W` has
shape [d_out, d_in], so that the phrase of an argument x is ``W @ x``, as the papers write it. There is no intercept.
All arithmetic is in float64; stacks of matrices can be kept in float32.

Ridge (Hoerl and Kennard 1970) with weights w and penalty l minimises ``sum_n w_n |y_n - W x_n|^2 + l |W|_F^2``. Shapes
that do not fit, values that are not finite, negative weights and penalties are a `ValueError`.
"""

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits

from cdsm_lib.labels import Labels

PENALTIES = tuple(10.0**power for power in range(-4, 7))
"""Eleven penalties from 1e-4 to 1e6: wide enough for unit rows and for unnormalised embeddings."""

WELL_CONDITIONED = 1e-9
"""A penalty below this share of the Gram matrix's trace is too small for the normal equations."""


class EdgePenaltyWarning(UserWarning):
    """The best penalty is the first or the last of those tried."""


# ---------------------------------------------------------------------------------------------------- one regression


def log_count_weights(counts: ArrayLike, how: str = "code") -> np.ndarray:
    """Weights on the squared error from occurrence counts, 1 or more (Rimell et al. 2016, section 5.2.2).

    The text says that each pair is weighted by the logarithm of its count ("text"); the authors' code multiplies the
    rows of both X and Y by it, which weights the squared error by its square ("code"). Either way a pair seen once
    weighs nothing. With "none" every pair weighs 1.

    >>> log_count_weights([1, 10], "text").round(4)
    array([0.    , 2.3026])
    """
    counts = np.asarray(counts, dtype=np.float64)
    if not np.all(counts >= 1):
        raise ValueError("counts must be 1 or more: a pair that was never seen cannot be trained on")
    powers = {"code": 2, "text": 1, "none": 0}
    if how not in powers:
        raise ValueError(f"unknown weighting {how!r}; choose one of {', '.join(powers)}")
    return np.log(counts) ** powers[how]


def _weights(counts: ArrayLike | None, weighting: str) -> np.ndarray | None:
    """Weights of a model's training pairs; None if they weigh the same."""
    if weighting == "none":
        return None
    if counts is None:
        raise ValueError(f"weighting {weighting!r} needs counts; or take weighting='none'")
    return log_count_weights(counts, weighting)


def weighted_rows(X: ArrayLike, Y: ArrayLike, weights: ArrayLike | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows of X and Y times the root of their weight, rows of weight 0 left out, as float64.

    Unweighted regression on these rows is weighted regression on the given ones.

    >>> weighted_rows([[1.0], [2.0]], [[3.0], [4.0]], [4.0, 0.0])
    (array([[2.]]), array([[6.]]))
    """
    X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
    if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y):
        raise ValueError(f"X [n, d_in] and Y [n, d_out] are needed, but the shapes are {X.shape} and {Y.shape}")
    if not (np.isfinite(X).all() and np.isfinite(Y).all()):
        raise ValueError("X or Y holds NaN or infinity; leave out words and phrases without a vector first")
    if weights is None:
        return X, Y
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(X),) or not np.all(weights >= 0) or not np.isfinite(weights).all():
        raise ValueError(f"{len(X)} finite weights of 0 or more are needed, one for each row")
    used = weights > 0
    root = np.sqrt(weights[used])[:, None]
    return root * X[used], root * Y[used]


def check_penalty(penalty: float) -> float:
    """The penalty as a float; `ValueError` if it is negative or not finite.

    >>> check_penalty(75)
    75.0
    """
    if not 0 <= penalty < np.inf:
        raise ValueError(f"the penalty must be 0 or more and finite, not {penalty}")
    return float(penalty)


def _solve_ridge(X: np.ndarray, Y: np.ndarray, penalty: float) -> np.ndarray:
    """W of the ridge on rows that carry their weights."""
    if not len(X) or not penalty:
        return np.linalg.lstsq(X, Y, rcond=None)[0].T  # with 0 rows, zeros
    from sklearn.linear_model import Ridge  # takes half a second to load

    solver = "svd" if penalty <= WELL_CONDITIONED * (X**2).sum() else "cholesky"
    return np.atleast_2d(Ridge(penalty, fit_intercept=False, solver=solver).fit(X, Y).coef_)


def ridge(X: ArrayLike, Y: ArrayLike, penalty: float, weights: ArrayLike | None = None) -> np.ndarray:
    """Weighted ridge regression without intercept (Hoerl and Kennard 1970): W [d_out, d_in], float64.

    By scikit-learn: from the normal equations or, where the penalty is too small for these, the singular values. 0
    gives the least squares solution of least norm, as the pseudo-inverse does.

    >>> ridge([[1.], [2.]], [[2.], [3.]], penalty=1)          # (1*2 + 2*3) / (1*1 + 2*2 + 1)
    array([[1.33333333]])
    """
    return _solve_ridge(*weighted_rows(X, Y, weights), check_penalty(penalty))


# ------------------------------------------------------------------------------------- generalised cross-validation


class GCV(NamedTuple):
    """A ridge with its penalty chosen by generalised cross-validation."""

    matrix: np.ndarray
    """W, [d_out, d_in], float64."""
    penalty: float
    """The penalty of least score."""
    scores: np.ndarray
    """Score of each penalty tried, in their order."""


def _gcv(X: np.ndarray, Y: np.ndarray, penalties: np.ndarray) -> GCV:
    n = len(X)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    along = U.T @ Y
    explained = (along**2).sum(axis=1)
    beyond = max((Y**2).sum() - explained.sum(), 0.0) if n > len(s) else 0.0
    kept_back = penalties[:, None] / (s**2 + penalties[:, None])  # 1 minus the filter factors, [penalties, rank]
    residual = beyond + kept_back**2 @ explained  # |(I - A) Y|^2
    freedom = n - len(s) + kept_back.sum(axis=1)  # tr(I - A)
    scores = (residual / n) / (freedom / n) ** 2
    penalty = penalties[int(np.argmin(scores))]
    return GCV((along.T * (s / (s**2 + penalty))) @ Vt, float(penalty), scores)


def _check_penalties(penalties: Sequence[float]) -> np.ndarray:
    penalties = np.asarray(penalties, dtype=np.float64)
    if penalties.ndim != 1 or not len(penalties) or not np.all((penalties > 0) & np.isfinite(penalties)):
        raise ValueError("generalised cross-validation needs a list of penalties, each above 0 and finite")
    return np.sort(penalties)


def _warn_at_edge(chosen: Sequence[float], penalties: np.ndarray) -> None:
    low, high = (int(np.sum(np.asarray(chosen) == edge)) for edge in (penalties[0], penalties[-1]))
    if len(penalties) > 1 and low + high:
        where = f"{low + high} of {len(chosen)} regressions ({low} at {penalties[0]:g}, {high} at {penalties[-1]:g})"
        message = f"the best penalty stands at the edge of the grid in {where}: widen the grid"
        warnings.warn(message, EdgePenaltyWarning, stacklevel=3)


def gcv_ridge(
    X: ArrayLike, Y: ArrayLike, penalties: Sequence[float] = PENALTIES, weights: ArrayLike | None = None
) -> GCV:
    """Ridge whose penalty minimises the generalised cross-validation score (Golub, Heath and Wahba 1979).

    ``V(l) = (|(I - A) Y|^2 / n) / (tr(I - A) / n)^2`` with ``A = X (X' X + l I)^-1 X'`` (their penalty is ours divided
    by n, the number of rows of positive weight). One singular value decomposition serves all penalties; there are no
    refits. The columns of Y share one penalty, their residuals are summed. Penalties, each above 0, are taken in
    ascending order, and the scores are in it. An `EdgePenaltyWarning` if the best is the smallest or the largest of
    several: the optimum may lie beyond the grid.

    >>> x, y = np.array([[1.0], [2.0], [3.0]]), np.array([[2.5], [3.0], [6.5]])
    >>> best = gcv_ridge(x, y, penalties=[0.01, 0.1, 1.0, 10.0])
    >>> best.penalty, best.matrix.round(2)
    (0.1, array([[1.99]]))
    """
    penalties = _check_penalties(penalties)
    X, Y = weighted_rows(X, Y, weights)
    if not len(X):
        raise ValueError("no row has a positive weight: there is nothing to cross-validate")
    best = _gcv(X, Y, penalties)
    _warn_at_edge([best.penalty], penalties)
    return best


# ------------------------------------------------------------------------------------------------- many regressions

Group = tuple[ArrayLike, ArrayLike, ArrayLike | None]
"""Arguments X [n, d_in], phrases Y [n, d_out], and weights or counts [n]."""

Otherwise = Callable[[np.ndarray, np.ndarray], np.ndarray] | None
"""``otherwise(x_rows, rows)``: the product for the rows that have no matrix."""


def _side_by_side(work: Callable[[int], object], n: int) -> list:
    """work(0), ..., work(n - 1), each on one core, as many at a time as `OMP_NUM_THREADS` or the process's cores."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with threadpool_limits(1), ThreadPoolExecutor(int(os.environ.get("OMP_NUM_THREADS") or usable)) as pool:
        return list(pool.map(work, range(n)))


# ------------------------------------------------------------------------------------------ data and rows by functor


@dataclass(frozen=True)
class PairGroups(Mapping):
    """Training pairs of many functors, by functor; a group's rows are gathered only when it is asked for.

    A mapping from functor to (arguments [m, d_in], phrases [m, d_out], counts [m]); a functor without any pair is not
    in it. It holds the two tables of vectors once, however many pairs there are: ``functor_of``, ``argument_of`` and
    ``phrase_of`` are places in ``functors``, ``arguments`` and ``phrases``. A negative one is a `ValueError`.
    """

    functors: Labels
    functor_of: np.ndarray
    arguments: np.ndarray
    argument_of: np.ndarray
    phrases: np.ndarray
    phrase_of: np.ndarray
    counts: np.ndarray

    def __post_init__(self):
        if min(getattr(self, name).min(initial=0) for name in ("functor_of", "argument_of", "phrase_of")) < 0:
            raise ValueError("-1 stands for no vector: leave out pairs without one first, and report them")

    @cached_property
    def _rows(self) -> dict[str, np.ndarray]:
        return {self.functors[place]: rows for place, rows in by_place(self.functor_of)}

    def __getitem__(self, functor: str) -> Group:
        rows = self._rows[functor]
        return self.arguments[self.argument_of[rows]], self.phrases[self.phrase_of[rows]], self.counts[rows]

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def by_place(places: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Each place of 0 or more with the rows that have it, in ascending order.

    >>> [(place, rows.tolist()) for place, rows in by_place(np.array([1, 0, 1, -1]))]
    [(0, [1]), (1, [0, 2])]
    """
    order = np.argsort(places, kind="stable")
    values, starts = np.unique(places[order], return_index=True)
    for value, rows in zip(values, np.split(order, starts[1:]), strict=False):
        if value >= 0:
            yield int(value), rows


@dataclass(frozen=True)
class RowMatrices:
    """One matrix for each row of a table, out of a shared stack [m, d_out, d_in]: ``M @ x`` multiplies row by row.

    Stands for an array [n, d_out, d_in] without building it. A row takes the matrix at its place; where that is -1, the
    product is ``otherwise(x_rows, rows)``, or a `KeyError` if there is no `otherwise`.
    """

    stack: np.ndarray
    places: np.ndarray
    otherwise: Otherwise = None

    def __matmul__(self, x: ArrayLike) -> np.ndarray:
        x = np.asarray(x, dtype=np.float64)
        out = np.empty((len(self.places), self.stack.shape[1]))
        for place, rows in by_place(self.places):
            out[rows] = x[rows] @ self.stack[place].T.astype(np.float64, copy=False)
        without = np.flatnonzero(self.places < 0)
        if len(without):
            if self.otherwise is None:
                raise KeyError(f"{len(without)} of {len(self.places)} rows have no matrix; say what stands in for it")
            out[without] = self.otherwise(x[without], without)
        return out

    def __getitem__(self, rows: np.ndarray) -> "RowMatrices":
        """The matrices of some of the rows (bool or int array)."""
        places = np.arange(len(self.places))[rows]
        otherwise = self.otherwise and (lambda x, without: self.otherwise(x, places[without]))
        return RowMatrices(self.stack, self.places[places], otherwise)

    @property
    def T(self) -> "RowMatrices":
        """The transposed matrices, for the same rows."""
        return RowMatrices(self.stack.swapaxes(1, 2), self.places, self.otherwise)


# ------------------------------------------------------------------------------------------------------------ models


@dataclass
class LexicalFunction(BaseEstimator):
    """A matrix for each functor (Baroni and Zamparelli 2010): phrase = F @ argument.

    Parameters
    ----------
    penalty : float or sequence of float
        One penalty for all functors; or several, of which each functor takes its own by `gcv_ridge`.
    weighting : {"code", "text", "none"}
        How a pair's count weights its squared error, see `log_count_weights`.
    min_pairs : int
        A functor with fewer pairs of positive weight has no matrix.
    dtype : float32 or float64
        In which the matrices are kept.

    Attributes
    ----------
    functors, matrices, pairs, penalties
        Labels in the order of the training data, [m, d_out, d_in], and how many pairs and which penalty each has, [m].
    """

    penalty: float | Sequence[float] = 75.0
    weighting: str = "code"
    min_pairs: int = 1
    dtype: type = np.float32
    functors: Labels = field(init=False, default=Labels(()))
    matrices: np.ndarray = field(init=False, default=None)
    pairs: np.ndarray = field(init=False, default=None)
    penalties: np.ndarray = field(init=False, default=None)

    def fit(self, functors: Sequence[str] | Mapping[str, Group], arguments=None, phrases=None, counts=None):
        """Learn a matrix for every functor from `arguments` [n, d_in], `phrases` [n, d_out] and counts, row by row.

        Or from a mapping of each functor to (arguments, phrases, counts or None), for example `PairGroups`. A
        `ValueError` if a group is malformed (the message names the functor) or no functor has enough pairs; an
        `EdgePenaltyWarning` as of `gcv_ridge`.
        """
        training = functors
        if not isinstance(functors, Mapping):
            _weights(counts, self.weighting)
            (arguments, phrases), labels = weighted_rows(arguments, phrases), Labels(dict.fromkeys(functors))
            if len(functors) != len(phrases):
                raise ValueError(f"{len(functors)} functors for {len(phrases)} rows; give each row its own")
            rows, counts = np.arange(len(functors)), np.ones(len(functors)) if counts is None else np.asarray(counts)
            training = PairGroups(labels, labels.encode(functors), arguments, rows, phrases, rows, counts)
        several = np.ndim(self.penalty) > 0
        penalty = _check_penalties(self.penalty) if several else check_penalty(self.penalty)
        names = list(training)

        def work(i: int) -> tuple[np.ndarray, float, int] | None:
            try:
                X, Y, counts = training[names[i]]
                X, Y = weighted_rows(X, Y, _weights(counts, self.weighting))
            except ValueError as problem:
                raise ValueError(f"functor {names[i]!r}: {problem}") from None
            if len(X) < max(1, self.min_pairs):
                return None
            W, best = _gcv(X, Y, penalty)[:2] if several else (_solve_ridge(X, Y, penalty), penalty)
            return W.astype(self.dtype, copy=False), best, len(X)

        results = dict(zip(names, _side_by_side(work, len(names)), strict=True))
        learned = {name: result for name, result in results.items() if result}
        if not learned:
            raise ValueError(f"none of {len(names)} functors has {max(1, self.min_pairs)} pairs of positive weight")
        matrices, penalties, pairs = zip(*learned.values(), strict=True)
        self.functors, self.matrices = Labels(learned), np.stack(matrices)
        self.penalties, self.pairs = np.array(penalties), np.array(pairs)
        if several:
            _warn_at_edge(self.penalties, penalty)
        return self

    def rows(self, functors: Sequence[str], otherwise: Otherwise = None) -> RowMatrices:
        """The matrices of these functors, one a row; `otherwise` as in `RowMatrices`."""
        return RowMatrices(self.matrices, self.functors.encode(functors), otherwise)

    def compose(
        self, functor: str | Sequence[str], argument: ArrayLike, *, fallback: ArrayLike | None = None
    ) -> np.ndarray:
        """Phrase vectors F @ argument [d_in] or [n, d_in], float64, with one functor for all rows or one for each.

        `fallback` [d_out] or [n, d_out] is the phrase wherever a functor has no matrix, for example the sum of the two
        words (Buljan et al. 2018). Without it a functor that has none is a `KeyError`.
        """
        argument = np.asarray(argument, dtype=np.float64)
        table = np.atleast_2d(argument)
        functors = [functor] * len(table) if isinstance(functor, str) else functor
        missing = count_missing(functors, self.functors)
        if missing and fallback is None:
            named = ", ".join(sorted(missing)[:5])
            raise KeyError(f"{len(missing)} functors have no matrix ({named}); leave them out or give a fallback")
        rows = np.atleast_2d(np.asarray(0.0 if fallback is None else fallback, dtype=np.float64))
        phrase = self.rows(functors, lambda _, without: np.broadcast_to(rows, (len(table), rows.shape[1]))[without])
        return (phrase @ table).reshape(argument.shape[:-1] + (-1,))


def count_missing(names: Sequence[str], known: Labels) -> dict[str, int]:
    """Names that are not known, in order of appearance, and how often each occurs.

    >>> count_missing(["eat", "zap", "zap"], Labels(["eat"]))
    {'zap': 2}
    """
    return dict(Counter(name for name in names if name not in known))


@dataclass
class FullAdditive(BaseEstimator):
    """p = A u + B v with the same two matrices for all phrases (Guevara 2010; Zanzotto et al. 2010; Dinu et al. 2013).

    Ridge regression on the two words' vectors side by side; of several penalties the best by `gcv_ridge`.

    >>> u, v = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]])
    >>> model = FullAdditive(penalty=0.0)
    >>> _ = model.fit(u, v, 2 * u + v)
    >>> model.compose([[1.0, 0.0]], [[0.0, 1.0]]).round(2)
    array([[2., 1.]])
    """

    penalty: float | Sequence[float] = PENALTIES
    weighting: str = "none"
    A: np.ndarray = field(init=False, default=None)
    B: np.ndarray = field(init=False, default=None)

    def fit(self, U: ArrayLike, V: ArrayLike, P: ArrayLike, counts: ArrayLike | None = None) -> "FullAdditive":
        """Learn A and B from first words U, second words V, holistic phrase vectors P, row by row; returns itself."""
        U, V = np.asarray(U), np.asarray(V)
        both, weights = np.hstack([U, V]), _weights(counts, self.weighting)
        several = np.ndim(self.penalty) > 0
        W = gcv_ridge(both, P, self.penalty, weights).matrix if several else ridge(both, P, self.penalty, weights)
        self.A, self.B = W[:, : U.shape[1]], W[:, U.shape[1] :]
        return self

    def compose(self, u: ArrayLike, v: ArrayLike) -> np.ndarray:
        """A u + B v, row by row: array [d_out] or [n, d_out], float64."""
        return np.asarray(u, dtype=np.float64) @ self.A.T + np.asarray(v, dtype=np.float64) @ self.B.T
