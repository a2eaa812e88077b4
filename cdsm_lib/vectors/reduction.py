"""Reduction: from many weighted contexts to a few latent dimensions, by SVD or by topics.

`SVD` is fitted on the *core* rows of a space and then projects any other row with the same columns, so that peripheral
rows (phrases) come to lie in the same space. `LDA` takes plain counts and gives probabilities.
"""

from dataclasses import dataclass, field
from numbers import Integral

import numpy as np
from numba import njit
from scipy import linalg, sparse
from sklearn.base import BaseEstimator, TransformerMixin
from tqdm import trange

from cdsm_lib.vectors.embeddings import AHEAD, prefetch, random_state, uniform

_BLOCK = 32  # senses that are summed together
_LINE = 16  # cells that come from memory together; of a row the first four lines are asked for
_WIDTH = 32  # vectors of a block
DENSE = 4_000_000  # a matrix of so few cells is simply handed to LAPACK


@dataclass
class SVD(TransformerMixin, BaseEstimator):
    """Truncated singular value decomposition, A ~ U diag(s) V^T, of a large matrix; a transformer of scikit-learn.

    The method is block Lanczos (block Krylov) iteration on A^T A with full reorthogonalisation: Halko, Martinsson &
    Tropp (2011), with the Krylov space of Musco & Musco (2015) in place of mere power iterations. From a random
    block X it builds an orthonormal basis of [X, (A^T A) X, (A^T A)^2 X, ...] and takes the best approximation that
    this basis holds (Rayleigh-Ritz). It stops when no wanted singular value has changed by more than `tolerance`
    (relative) since the basis was last looked at.

    >>> matrix = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    >>> svd = SVD(dimensions=1)
    >>> np.abs(svd.fit_transform(matrix)).round(2).tolist(), svd.singular_values.round(2)
    ([[3.0], [0.0], [0.0]], array([3.]))

    Parameters
    ----------
    dimensions : int
        How many singular triples, k.
    power : float
        Rows are projected to U diag(s)^power: 1 keeps distances, 0 gives every dimension the same variance, .5 lies
        between (Caron 2001; Levy et al. 2015).
    seed : int
        Of the random block.
    tolerance : float
        See above.

    Attributes
    ----------
    singular_values : float64 [k]
        Largest first.
    components : float64 [k, m]
        Rows of V^T. Sign convention: the entry of largest absolute value in each is positive (the first of equals).
    """

    dimensions: int
    power: float = 1.0
    seed: int = 0
    tolerance: float = 5e-4
    singular_values: np.ndarray = field(default=None, init=False)
    components: np.ndarray = field(default=None, init=False)

    def __sklearn_is_fitted__(self) -> bool:
        return self.components is not None

    def fit(self, matrix, y=None) -> "SVD":
        """Find the singular values and the components of `matrix` [n, m] (sparse or dense); `y` is not looked at.

        Raises `ValueError` if there are fewer rows or columns than dimensions, or the matrix holds NaN or infinity.
        """
        matrix = sparse.csr_array(matrix, dtype=np.float64)
        if not isinstance(self.dimensions, Integral) or not 1 <= self.dimensions <= min(matrix.shape):
            exist = f"from 1 to {min(matrix.shape)} exist"
            raise ValueError(f"{self.dimensions!r} dimensions of a matrix of {matrix.shape}: {exist}")
        if not np.isfinite(matrix.data).all() or not matrix.data.any():
            raise ValueError("the matrix holds NaN or infinite values, or is zero everywhere")
        if matrix.shape[0] * matrix.shape[1] <= DENSE:
            _, values, components = np.linalg.svd(matrix.toarray(), full_matrices=False)
            values, components = values[: self.dimensions], components[: self.dimensions]
        else:
            values, components = _block_lanczos(matrix, self.dimensions, self.seed, self.tolerance)
        values = np.where(values > values[0] * 1e-7, values, 0.0)  # below that it is the rounding of A^T A
        largest = np.abs(components).argmax(axis=1)
        signs = np.where(components[np.arange(len(components)), largest] < 0, -1.0, 1.0)
        self.singular_values, self.components = values, components * signs[:, None]
        return self

    def transform(self, matrix) -> np.ndarray:
        """Project rows with the same columns: A V diag(s)^(power - 1), which is U diag(s)^power for the core.

        Returns
        -------
        ndarray [n, k], float32
            A dimension whose singular value is 0 stays 0.
        """
        if self.components is None:
            raise ValueError("fit first, then transform")
        matrix = sparse.csr_array(matrix if sparse.issparse(matrix) else np.atleast_2d(matrix), dtype=np.float64)
        if matrix.shape[1] != self.components.shape[1]:
            raise ValueError(f"rows of {matrix.shape[1]} columns; the model was fitted on {self.components.shape[1]}")
        values = self.singular_values
        scale = np.where(values > 0, np.where(values > 0, values, 1.0) ** (self.power - 1.0), 0.0)
        return (matrix @ (self.components * scale[:, None]).T).astype(np.float32)


def _block_lanczos(matrix: sparse.csr_array, k: int, seed: int, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """The k largest singular values and their right singular vectors [k, m]."""
    if matrix.shape[0] < matrix.shape[1]:  # the smaller Gram matrix is cheaper: A A^T gives U, and V = A^T U / s
        values, left = _block_lanczos(sparse.csr_array(matrix.T), k, seed, tolerance)
        inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > values[0] * 1e-7)
        return values, (matrix.T @ left.T * inverse).T
    transposed, m = sparse.csr_array(matrix.T), matrix.shape[1]
    width = min(_WIDTH, m)
    basis = np.empty((m, min(m, 2 * k + 4 * width)), order="F")
    projected = np.zeros((basis.shape[1], basis.shape[1]))  # basis^T A^T A basis, block tridiagonal
    rng = np.random.default_rng(seed)
    block = np.linalg.qr(rng.standard_normal((m, width)))[0]
    size, earlier, scale = 0, slice(0, 0), 0.0
    previous, next_look = np.zeros(k), min(m, 2 * k)
    while True:
        if size + block.shape[1] > basis.shape[1]:
            more = min(m, 3 * basis.shape[1] // 2 + width) - basis.shape[1]
            basis, projected = np.pad(basis, ((0, 0), (0, more))), np.pad(projected, (0, more))
        here = slice(size, size + block.shape[1])
        size = here.stop
        basis[:, here] = block
        image = transposed @ (matrix @ block)
        projected[here, here] = block.T @ image
        if earlier.stop:
            projected[earlier, here] = basis[:, earlier].T @ image
            projected[here, earlier] = projected[earlier, here].T
        near = slice(earlier.start, size)
        rest = (image - basis[:, near] @ projected[near, here])[:, : m - size]
        scale = max(scale, np.linalg.norm(image, axis=0).max())
        spent = size == m or np.linalg.norm(rest, axis=0).max() < 1e-12 * scale  # all that A can reach is in the basis
        if size >= next_look or spent and size >= k:
            values = np.sqrt(np.maximum(np.linalg.eigvalsh(projected[:size, :size])[::-1][:k], 0.0))
            change = np.max(np.abs(values - previous) / np.maximum(values, 1e-7 * values[0]))
            if spent or change <= tolerance:
                _, vectors = linalg.eigh(projected[:size, :size], subset_by_index=(size - k, size - 1))
                return values, (basis[:, :size] @ vectors[:, ::-1]).T
            ahead = max(128, int(64 * np.log(change / tolerance)))  # looking costs as much as several steps
            previous, next_look = values, min(m, size + ahead)
        rest = rng.standard_normal(rest.shape) * scale if spent else rest
        block = _orthonormal_beside(basis[:, :size], rest, scale)
        earlier = here


def _orthonormal_beside(basis: np.ndarray, block: np.ndarray, scale: float) -> np.ndarray:
    """An orthonormal basis of `block` that is orthogonal to `basis`.

    Where less than a millionth of `scale` is left beside the basis, that is mostly rounding; it is then made
    orthogonal again, from length 1, until hardly anything is lost.
    """
    least = 1e-6 * scale
    while True:
        block, triangle = np.linalg.qr(block - basis @ (basis.T @ block))
        if np.abs(np.diag(triangle)).min() > least:
            return block
        least = 0.5


@dataclass
class LDA:
    """Latent Dirichlet allocation (Blei, Ng & Jordan 2003) of rows of counts, as Dinu & Lapata (2010) use it.

    A document is a *row*, that is all that was seen around one target word; its tokens are context words. Every row
    becomes a distribution over K latent senses, P(z | t), and every sense one over the context words, P(c | z), by
    collapsed Gibbs sampling (Griffiths & Steyvers 2004).

    >>> lda = LDA(1, iterations=1, eta=0.5).fit(np.array([[3, 1, 0]]))
    >>> lda.rows, lda.components.round(2)  # (3 + 0.5) / (4 + 3 * 0.5), ...
    (array([[1.]], dtype=float32), array([[0.64, 0.27, 0.09]], dtype=float32))

    Parameters
    ----------
    dimensions : int
        Senses, K (1,200 in Cheung & Penn 2012).
    seed : int
    iterations : int
        Sweeps of the sampler over all tokens (600 there).
    alpha, eta : float, optional
        The symmetric Dirichlet priors of the rows and of the senses; 50 / K and 0.01 by default. 50 / K is the
        choice of Griffiths & Steyvers (2004). It weighs like 50 tokens in each row, so with few `tokens` a smaller one
        gives more decided senses. The priors are kept fixed.
    tokens : int, optional
        From a row with more tokens than that, so many are drawn at random without replacement (the multivariate
        hypergeometric distribution), so that the most frequent words do not take all of the sampler's time. None takes
        all.

    Attributes
    ----------
    rows : float32 [n, K]
        theta, P(z | t): sums of 1, and 0 for rows without a count.
    components : float32 [K, m]
        phi, P(c | z): sums of 1.
    counts : arrays of whole numbers [n, K] and [K, m]
        The tokens behind both: of each row by sense, of each sense by context word.
    """

    dimensions: int
    seed: int = 0
    iterations: int = 600
    alpha: float | None = None
    eta: float = 0.01
    tokens: int | None = 100
    rows: np.ndarray = field(default=None, init=False)
    components: np.ndarray = field(default=None, init=False)
    counts: tuple[np.ndarray, np.ndarray] = field(default=None, init=False)

    def fit(self, counts) -> "LDA":
        """Estimate the senses of `counts` [n, m], whole numbers (sparse, dense, or `Counts.matrix`).

        Raises `ValueError` if the counts are no whole numbers of 0 or more.
        """
        sample = subsample(counts, self.tokens, self.seed)
        model = Gibbs(sample, self.dimensions, self._alpha(), self.eta, self.seed)
        for _ in trange(self.iterations, desc="LDA", disable=None):
            model.advance()
        return self.from_counts(*model.counts())

    def from_counts(self, rows: np.ndarray, components: np.ndarray) -> "LDA":
        """The senses of `counts` that were fitted before."""
        self.counts = rows, components
        self.rows = _smoothed(rows, self._alpha()) * rows.any(axis=1)[:, None]
        self.components = _smoothed(components, self.eta)
        return self

    def _alpha(self) -> float:
        return 50 / self.dimensions if self.alpha is None else self.alpha


def subsample(counts, tokens: int | None, seed: int = 0) -> sparse.csr_array:
    """At most so many tokens of each row, drawn without replacement: csr_array [n, m], int64, no zeros stored.

    >>> subsample([[3, 1], [900, 100]], tokens=4).sum(axis=1)
    array([4, 4])

    Raises `ValueError` if a count is negative or no whole number.

    Parameters
    ----------
    counts : sparse array or array [n, m]
        Whole numbers of 0 or more.
    tokens : int or None
        A row of no more tokens than that stays as it is; None for all rows.
    seed : int
    """
    counts = sparse.csr_array(counts, copy=True)
    counts.sum_duplicates()
    data = counts.data.astype(np.int64)
    if (data != counts.data).any() or data.min(initial=0) < 0:
        raise ValueError("LDA counts tokens: whole numbers of 0 or more are needed, not weights")
    rng = np.random.default_rng(seed)
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        if tokens is not None and data[start:stop].sum() > tokens:
            data[start:stop] = rng.multivariate_hypergeometric(data[start:stop], tokens, method="marginals")
    sample = sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
    sample.eliminate_zeros()
    return sample


class Gibbs:
    r"""Collapsed Gibbs sampling (Griffiths & Steyvers 2004, equation 5), one context word after the other.

    The token of context c in row t takes sense z, all others given, with

        P(z) proportional to (n_tz + alpha) q_z,    q_z = (n_zc + eta) / (n_z + m eta)

    The sum of the right-hand side falls into two parts (Yu et al. 2015): of n_tz q_z over the few senses of the row,
    and of alpha q_z over all senses, which is kept up to date. A draw mostly looks at the senses of the row alone.
    """

    def __init__(self, sample: sparse.csr_array, k: int, alpha: float, eta: float, seed: int):
        columns = sparse.csc_array(sample)
        self.of_row = np.repeat(columns.indices, columns.data)  # tokens, those of a column together
        self.ends = np.cumsum(columns.sum(axis=0))
        self.sense = np.random.default_rng(seed).integers(k, size=len(self.of_row), dtype=np.int32)
        self.lengths = np.bincount(self.of_row, minlength=sample.shape[0])
        self.starts = np.concatenate(([0], np.cumsum(self.lengths)))  # of each row's cells: a sense and its tokens
        narrow = np.min_scalar_type(max(k, self.lengths.max(), 256))
        self.cells = np.zeros((len(self.of_row), 2), dtype=narrow)
        self.totals = np.bincount(self.sense, minlength=k)
        self.alpha, self.eta, self.state = float(alpha), float(eta), random_state(seed)
        _count_all(self.of_row, self.sense, self.starts, self.cells)

    def advance(self) -> None:
        """Draw the sense of every token once."""
        tokens = (self.of_row, self.ends, self.sense, self.starts, self.cells, self.totals)
        _sweep(*tokens, self.alpha, self.eta, self.state)

    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Tokens of each row by sense [n, K], and of each sense by context word [K, m], in the narrowest type."""
        column = np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))
        shape = len(self.lengths), len(self.totals), len(self.ends)
        return _crossed(self.of_row, self.sense, shape[:2]), _crossed(self.sense, column, shape[1:])


def _crossed(first: np.ndarray, second: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How many tokens have each pair of numbers."""
    ones = np.ones(len(first), dtype=np.int64)
    counts = sparse.coo_array((ones, (first, second)), shape=shape).tocsr()
    return counts.astype(np.min_scalar_type(counts.data.max())).toarray()


def _smoothed(counts: np.ndarray, prior: float) -> np.ndarray:
    """Each row's shares, the prior added to each count: float32."""
    shares = counts + prior
    return (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)


@njit(cache=True)
def _count(z, cells):
    """One more token of sense z among a row's cells (sense, tokens), which end at the first without tokens."""
    j = 0
    while cells[j, 1] and cells[j, 0] != z:
        j += 1
    cells[j, 0] = z
    cells[j, 1] += 1


@njit(cache=True)
def _count_all(of_row, sense, starts, cells):
    """Enter every token among its row's cells."""
    for i in range(len(of_row)):
        _count(sense[i], cells[starts[of_row[i]] :])


@njit(cache=True)
def _sweep(of_row, ends, sense, starts, cells, totals, alpha, eta, state):
    """Draw the sense of every token once; `q` has its sums over blocks of senses and over all beside it."""
    k, m_eta = len(totals), eta * len(ends)
    q, in_column = np.empty(k), np.empty(k, dtype=np.int64)
    blocks, sums = np.empty((k - 1) // _BLOCK + 1), np.empty(k)
    for c in range(len(ends)):
        first, last = ends[c - 1] if c else 0, ends[c]
        if first == last:
            continue
        in_column[:] = 0
        for i in range(first, last):
            in_column[sense[i]] += 1
        for z in range(k):
            q[z] = (in_column[z] + eta) / (totals[z] + m_eta)
        for b in range(len(blocks)):
            blocks[b] = q[b * _BLOCK : (b + 1) * _BLOCK].sum()
        mass = blocks.sum()
        for i in range(first, last):
            if i + AHEAD < last:
                later = of_row[i + AHEAD]
                for j in range(starts[later], min(starts[later + 1], starts[later] + 4 * _LINE), _LINE):
                    prefetch(cells, j, 0)
            row_cells, old = cells[starts[of_row[i]] : starts[of_row[i] + 1]], sense[i]
            in_column[old] -= 1
            totals[old] -= 1
            value = (in_column[old] + eta) / (totals[old] + m_eta)
            blocks[old // _BLOCK] += value - q[old]
            mass += value - q[old]
            q[old] = value
            n, gone, total = 0, 0, 0.0
            while n < len(row_cells) and row_cells[n, 1]:
                if row_cells[n, 0] == old:
                    row_cells[n, 1] -= 1
                    gone = n
                total += row_cells[n, 1] * q[row_cells[n, 0]]
                sums[n] = total
                n += 1
            point = uniform(state) * (total + alpha * mass)
            if point < total:
                j = 0
                while sums[j] <= point:
                    j += 1
                new = row_cells[j, 0]
            else:
                point, b = (point - total) / alpha, 0
                while b < len(blocks) - 1 and point >= blocks[b]:
                    point -= blocks[b]
                    b += 1
                new = b * _BLOCK
                while new < min(k, (b + 1) * _BLOCK) - 1 and point >= q[new]:
                    point -= q[new]
                    new += 1
            if row_cells[gone, 1] == 0:  # the last of the row's senses takes the place of one that has no tokens left
                row_cells[gone], row_cells[n - 1, 1] = row_cells[n - 1].copy(), 0
            _count(new, row_cells)
            sense[i] = new
            in_column[new] += 1
            totals[new] += 1
            value = (in_column[new] + eta) / (totals[new] + m_eta)
            blocks[new // _BLOCK] += value - q[new]
            mass += value - q[new]
            q[new] = value
