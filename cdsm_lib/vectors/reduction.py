"""Reduction: from many weighted contexts to a few latent dimensions, by SVD, non-negative factors, or topics.

`SVD` and `NMF` are fitted on the *core* rows of a space and then project any other row with the same columns, so that
peripheral rows (phrases) come to lie in the same space. `LDA` takes plain counts and gives probabilities.
"""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from numba import njit
from scipy import linalg, sparse, special
from tqdm import tqdm

from cdsm_lib.vectors.embeddings import random_state, uniform

_BLOCK = 32  # senses that are summed together
_WIDTH = 32  # vectors of a block
_DENSE = 4_000_000  # a matrix of so few cells is simply handed to LAPACK


@dataclass
class SVD:
    """Truncated singular value decomposition, A ~ U diag(s) V^T, of a large sparse matrix.

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
    threads : int, optional
        For the sparse products; as many as there are cores by default.

    Attributes
    ----------
    singular_values : float64 [k]
        Largest first.
    components : float64 [k, m]
        Rows of V^T. Sign convention: the entry of largest absolute value in each is positive (the first of equals).

    Notes
    -----
    A float64 matrix whose arrays are mapped from disk (``np.load(..., mmap_mode="r")``) stays there, and its transpose
    goes into temporary files, in ``TMPDIR``; an `OSError` says if there is no room for it.

    The sparse products are the same to the last bit whatever the number of threads; BLAS and LAPACK may round
    otherwise with another number of threads, so results agree to about 1e-9 rather than bit for bit.
    """

    dimensions: int
    power: float = 1.0
    seed: int = 0
    tolerance: float = 5e-4
    threads: int | None = None
    singular_values: np.ndarray = field(default=None, init=False)
    components: np.ndarray = field(default=None, init=False)

    def fit(self, matrix) -> "SVD":
        """Find the singular values and the components of `matrix` [n, m] (sparse or dense).

        Raises
        ------
        ValueError
            If there are fewer rows or columns than dimensions, or the matrix holds NaN or infinity.
        """
        matrix = _checked(matrix, self.dimensions)
        if matrix.shape[0] * matrix.shape[1] <= _DENSE:
            _, values, components = np.linalg.svd(matrix.toarray(), full_matrices=False)
            values, components = values[: self.dimensions], components[: self.dimensions]
        else:
            values, components = _block_lanczos(matrix, self.dimensions, self.seed, self.tolerance, self.threads)
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
        matrix = _projectable(matrix, self.components)
        values = self.singular_values
        scale = np.where(values > 0, np.where(values > 0, values, 1.0) ** (self.power - 1.0), 0.0)
        basis = np.ascontiguousarray((self.components * scale[:, None]).T)
        return _product(matrix, basis, self.threads, np.float32)

    def fit_transform(self, matrix) -> np.ndarray:
        """`fit`, then `transform` of the same rows."""
        return self.fit(matrix).transform(matrix)


@dataclass
class NMF:
    """Non-negative matrix factorisation, A ~ W H with no negative entries (Lee & Seung 1999), by scikit-learn.

    >>> rows = NMF(dimensions=1).fit_transform(np.array([[1.0, 2.0], [2.0, 4.0]]))
    >>> (rows[1] / rows[0]).round(2)  # the second row is twice the first
    array([2.], dtype=float32)

    Parameters
    ----------
    dimensions : int
    seed : int
    iterations : int
        At most so many of coordinate descent.

    Attributes
    ----------
    components : float64 [k, m]
        H.
    """

    dimensions: int
    seed: int = 0
    iterations: int = 200
    components: np.ndarray = field(default=None, init=False)
    _model: object = field(default=None, init=False)

    def fit_transform(self, matrix) -> np.ndarray:
        """Factorise `matrix` [n, m] and return W, float32 [n, k]; `ValueError` if it holds a negative value."""
        matrix = _checked(matrix, self.dimensions)
        if matrix.nnz and matrix.data.min() < 0:
            raise ValueError("NMF needs weights of 0 or more; PPMI, or ttest(..., positive=True), gives them")
        from sklearn import decomposition  # takes half a second to load

        self._model = decomposition.NMF(
            self.dimensions, init="nndsvda", random_state=self.seed, max_iter=self.iterations, tol=1e-4
        )
        rows = self._model.fit_transform(sparse.csr_matrix(matrix))
        self.components = self._model.components_
        return rows.astype(np.float32)

    def transform(self, matrix) -> np.ndarray:
        """The non-negative rows that fit best to the components, float32 [n, k]."""
        matrix = _projectable(matrix, self.components)
        return self._model.transform(sparse.csr_matrix(matrix)).astype(np.float32)


@dataclass
class LDA:
    """Latent Dirichlet allocation (Blei, Ng & Jordan 2003) of rows of counts, as Dinu & Lapata (2010) use it.

    A document is a *row*, that is all that was seen around one target word; its tokens are context words. Every row
    becomes a distribution over K latent senses, P(z | t), and every sense one over the context words, P(c | z).

    Parameters
    ----------
    dimensions : int
        Senses, K (1,200 in Cheung & Penn 2012).
    seed : int
    iterations : int
        Sweeps of the sampler over all tokens (600 there), or passes over all rows if variational; some 20 passes do.
    method : {"gibbs", "variational"}
        Collapsed Gibbs sampling (Griffiths & Steyvers 2004), or online variational Bayes by gensim (Hoffman, Blei &
        Bach 2010). Both on one core, so that the result does not depend on how many there are.
    alpha, eta : float, optional
        The symmetric Dirichlet priors of the rows and of the senses; 50 / K and 0.01 by default. 50 / K is the
        choice of Griffiths & Steyvers (2004). It weighs like 50 tokens in each row, so with few `tokens` a smaller one
        gives more decided senses. The priors are kept fixed.
    tokens : int, optional
        From a row with more tokens than that, so many are drawn at random without replacement (the multivariate
        hypergeometric distribution), so that the most frequent words do not take all of the sampler's time. None takes
        all.
    every : int
        After so many iterations the log likelihood is noted, and `callback` called.

    Attributes
    ----------
    rows : float32 [n, K]
        theta, P(z | t): sums of 1, and 0 for rows without a count.
    components : float32 [K, m]
        phi, P(c | z): sums of 1.
    empty : int64
        Numbers of the rows without a count.
    log_likelihood : list of (int, float)
        Iteration, and log likelihood a token; if variational, its lower bound.
    """

    dimensions: int
    seed: int = 0
    iterations: int = 600
    method: str = "gibbs"
    alpha: float | None = None
    eta: float | None = None
    tokens: int | None = 100
    every: int = 50
    rows: np.ndarray = field(default=None, init=False)
    components: np.ndarray = field(default=None, init=False)
    empty: np.ndarray = field(default=None, init=False)
    log_likelihood: list[tuple[int, float]] = field(default_factory=list, init=False)

    def fit(
        self,
        counts,
        callback: Callable[[int, "LDA"], None] | None = None,
        checkpoints: Collection[int] | None = None,
    ) -> "LDA":
        """Estimate the senses of `counts` [n, m], whole numbers (sparse, dense, or `Counts.matrix`).

        Parameters
        ----------
        counts : sparse array or array [n, m]
        callback : callable, optional
            Called with the iteration and this object, whose `rows` and `components` then are those of that iteration,
            after each `every` iterations and after the last.
        checkpoints : collection of int, optional
            Call it after these iterations only, multiples of `every`.

        Raises
        ------
        ValueError
            If the counts are no whole numbers of 0 or more, all are 0, or an option is impossible.
        """
        if self.method not in ("gibbs", "variational"):
            raise ValueError(f"method {self.method!r}; there are 'gibbs' and 'variational'")
        if min(self.dimensions, self.iterations, self.every) < 1:
            raise ValueError("dimensions, iterations and every must be 1 or more")
        sample = subsample(counts, self.tokens, self.seed)
        if not sample.nnz:
            raise ValueError("there is not a single count to learn from")
        lengths = np.asarray(sample.sum(axis=1)).ravel()
        self.empty = np.flatnonzero(lengths == 0)
        self.log_likelihood = []
        fitter = _Gibbs if self.method == "gibbs" else _Variational
        alpha = 50 / self.dimensions if self.alpha is None else self.alpha
        eta = 0.01 if self.eta is None else self.eta
        model = fitter(sample, self.dimensions, alpha, eta, self.seed)
        done = 0
        with tqdm(total=self.iterations, desc=f"LDA, {self.method}", disable=None) as bar:
            while done < self.iterations:
                step = min(self.every, self.iterations - done)
                model.advance(step)
                done += step
                bar.update(step)
                self.log_likelihood.append((done, model.log_likelihood()))
                wanted = callback and (checkpoints is None or done in checkpoints)
                if wanted or done == self.iterations:
                    self.rows, self.components = model.rows(), model.components()
                if wanted:
                    callback(done, self)
        return self


def subsample(counts, tokens: int | None, seed: int = 0) -> sparse.csr_array:
    """At most so many tokens of each row, drawn without replacement: csr_array [n, m], int64, no zeros stored.

    >>> subsample([[3, 1], [900, 100]], tokens=4).sum(axis=1)
    array([4, 4])

    Parameters
    ----------
    counts : sparse array or array [n, m]
        Whole numbers of 0 or more.
    tokens : int or None
        A row of no more tokens than that stays as it is; None for all rows.
    seed : int

    Raises
    ------
    ValueError
        If a count is negative or no whole number, or `tokens` is below 1.
    """
    counts = sparse.csr_array(counts, copy=True)
    counts.sum_duplicates()
    data = counts.data.astype(np.int64)
    if (data != counts.data).any() or data.min(initial=0) < 0:
        raise ValueError("LDA counts tokens: whole numbers of 0 or more are needed, not weights")
    if tokens is not None and tokens < 1:
        raise ValueError(f"tokens={tokens}: at least one a row, or None for all")
    rng = np.random.default_rng(seed)
    for start, stop in zip(counts.indptr[:-1], counts.indptr[1:], strict=True):
        if tokens is not None and data[start:stop].sum() > tokens:
            data[start:stop] = rng.multivariate_hypergeometric(data[start:stop], tokens, method="marginals")
    sample = sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)
    sample.eliminate_zeros()
    return sample


class _Gibbs:
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

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            _sweep(
                self.of_row,
                self.ends,
                self.sense,
                self.starts,
                self.cells,
                self.totals,
                self.alpha,
                self.eta,
                self.state,
            )

    def log_likelihood(self) -> float:
        """Of tokens and senses together, a token (Griffiths & Steyvers 2004, equations 2 and 3)."""
        of_columns = _log_dirichlet_multinomial(self._by_sense(self._columns(), len(self.ends)), self.eta)
        of_rows = _log_dirichlet_multinomial(self._by_sense(self.of_row, len(self.lengths)).T, self.alpha)
        return float((of_columns + of_rows) / len(self.of_row))

    def rows(self) -> np.ndarray:
        return _smoothed(self._by_sense(self.of_row, len(self.lengths)).T, self.alpha) * (self.lengths > 0)[:, None]

    def components(self) -> np.ndarray:
        return _smoothed(self._by_sense(self._columns(), len(self.ends)), self.eta)

    def _columns(self) -> np.ndarray:
        """The column of each token."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.ends, prepend=0))

    def _by_sense(self, places: np.ndarray, n: int) -> sparse.csr_array:
        """How many tokens each sense has in each place: [K, n]."""
        one = np.ones(len(places))
        return sparse.csr_array(sparse.coo_array((one, (self.sense, places)), shape=(len(self.totals), n)))


def _smoothed(counts: sparse.csr_array, prior: float) -> np.ndarray:
    """Each row's shares, the prior added to each count: float32, C order."""
    shares = np.ascontiguousarray(counts.toarray() + prior)
    return (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)


def _log_dirichlet_multinomial(counts: sparse.sparray, prior: float) -> float:
    """log P(tokens) of the rows of counts [n, m], multinomials with a symmetric Dirichlet prior, in their order."""
    n, m = counts.shape
    cells = (special.gammaln(counts.data + prior) - special.gammaln(prior)).sum()
    return cells + n * special.gammaln(m * prior) - special.gammaln(counts.sum(axis=1) + m * prior).sum()


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
            own, old = cells[starts[of_row[i]] : starts[of_row[i] + 1]], sense[i]
            in_column[old] -= 1
            totals[old] -= 1
            value = (in_column[old] + eta) / (totals[old] + m_eta)
            blocks[old // _BLOCK] += value - q[old]
            mass += value - q[old]
            q[old] = value
            n, gone, total = 0, 0, 0.0
            while n < len(own) and own[n, 1]:
                if own[n, 0] == old:
                    own[n, 1] -= 1
                    gone = n
                total += own[n, 1] * q[own[n, 0]]
                sums[n] = total
                n += 1
            point = uniform(state) * (total + alpha * mass)
            if point < total:
                j = 0
                while sums[j] <= point:
                    j += 1
                new = own[j, 0]
            else:
                point, b = (point - total) / alpha, 0
                while b < len(blocks) - 1 and point >= blocks[b]:
                    point -= blocks[b]
                    b += 1
                new = b * _BLOCK
                while new < min(k, (b + 1) * _BLOCK) - 1 and point >= q[new]:
                    point -= q[new]
                    new += 1
            if own[gone, 1] == 0:  # the last of the row's senses takes the place of one that has no tokens left
                own[gone], own[n - 1, 1] = own[n - 1].copy(), 0
            _count(new, own)
            sense[i] = new
            in_column[new] += 1
            totals[new] += 1
            value = (in_column[new] + eta) / (totals[new] + m_eta)
            blocks[new // _BLOCK] += value - q[new]
            mass += value - q[new]
            q[new] = value


class _Variational:
    """gensim's online variational Bayes on rows of counts."""

    def __init__(self, sample: sparse.csr_array, k: int, alpha: float, eta: float, seed: int):
        from gensim.models import LdaModel

        self.shape = (sample.shape[0], k, sample.shape[1])
        self.full = np.flatnonzero(np.diff(sample.indptr))
        self.documents = [
            list(zip(sample.indices[start:stop].tolist(), sample.data[start:stop].tolist(), strict=True))
            for start, stop in zip(sample.indptr[self.full], sample.indptr[self.full + 1], strict=True)
        ]
        self.model = LdaModel(
            id2word={column: str(column) for column in range(sample.shape[1])},
            num_topics=k,
            alpha=np.full(k, alpha, dtype=np.float32),
            eta=eta,
            random_state=seed,
            eval_every=None,
            dtype=np.float32,
        )

    def advance(self, iterations: int) -> None:
        for _ in range(iterations):
            self.model.state.numdocs = 0  # update() adds to it; a further pass is over the same documents
            self.model.update(self.documents, passes=1)

    def log_likelihood(self) -> float:
        return float(self._aside(self.model.log_perplexity))

    def rows(self) -> np.ndarray:
        gamma, _ = self._aside(self.model.inference)
        rows = np.zeros(self.shape[:2], dtype=np.float32)
        rows[self.full] = gamma / gamma.sum(axis=1, keepdims=True)
        return rows

    def _aside(self, look: Callable):
        """What `look` says of the documents; the passes that follow do not miss the random numbers that it draws."""
        state = self.model.random_state.get_state()
        answer = look(self.documents)
        self.model.random_state.set_state(state)
        return answer

    def components(self) -> np.ndarray:
        return self.model.get_topics().astype(np.float32)


def senses_from_nmf(rows, components) -> tuple[np.ndarray, np.ndarray]:
    """The factors of `NMF` as the probabilities of `LDA`: the NMF variant of Dinu & Lapata (2010).

    With h_k = sum over c of H_kc, the product is W H = sum over k of (W_tk h_k) (H_kc / h_k), so

        P(c | z_k) = H_kc / h_k,    P(z_k | t) = W_tk h_k / sum over j of W_tj h_j

    >>> senses_from_nmf(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [1.0, 3.0]]))
    (array([[1. , 0. ],
           [0.2, 0.8]], dtype=float32), array([[1.  , 0.  ],
           [0.25, 0.75]], dtype=float32))

    Parameters
    ----------
    rows : array [n, K]
        W, 0 or more.
    components : array [K, m]
        H, 0 or more.

    Returns
    -------
    (theta, phi) : float32 [n, K] and [K, m]
        Rows of sum 1; a row of W, or of H, that is zero stays zero.

    Raises
    ------
    ValueError
        If a value is negative or the shapes do not fit.
    """
    rows, components = np.asarray(rows, dtype=np.float64), np.asarray(components, dtype=np.float64)
    if rows.ndim != 2 or components.ndim != 2 or rows.shape[1] != len(components):
        raise ValueError(f"W of shape {rows.shape} and H of shape {components.shape} are not factors of one matrix")
    if min(rows.min(initial=0), components.min(initial=0)) < 0:
        raise ValueError("factors of 0 or more are needed")
    tables = (rows * components.sum(axis=1), components)
    totals = [table.sum(axis=1, keepdims=True) for table in tables]
    return tuple((table / np.where(total > 0, total, 1)).astype(np.float32)
                 for table, total in zip(tables, totals, strict=True))  # fmt: skip


# ------------------------------------------------------------------------------------------------------ the parts


def _checked(matrix, dimensions: int) -> sparse.csr_array:
    matrix = sparse.csr_array(matrix, dtype=np.float64)
    if not 1 <= dimensions <= min(matrix.shape):
        raise ValueError(f"{dimensions} dimensions of a matrix of {matrix.shape}: from 1 to {min(matrix.shape)} exist")
    if not all(np.isfinite(some).all() for some in np.array_split(matrix.data, matrix.nnz // 1_000_000 + 1)):
        raise ValueError("the matrix holds NaN or infinite values")
    if not matrix.nnz or not matrix.data.any():
        raise ValueError("the matrix is zero everywhere")
    return matrix


def _projectable(matrix, components) -> sparse.csr_array:
    if components is None:
        raise ValueError("fit first, then transform")
    matrix = sparse.csr_array(np.atleast_2d(matrix) if not sparse.issparse(matrix) else matrix, dtype=np.float64)
    if matrix.shape[1] != components.shape[1]:
        raise ValueError(f"rows of {matrix.shape[1]} columns; the model was fitted on {components.shape[1]}")
    return matrix


def _block_lanczos(matrix, k: int, seed: int, tolerance: float, threads) -> tuple[np.ndarray, np.ndarray]:
    """The k largest singular values and their right singular vectors [k, m]."""
    with _transposed(matrix) as transposed:
        if matrix.shape[0] >= matrix.shape[1]:
            return _largest(matrix, transposed, k, seed, tolerance, threads)
        values, left = _largest(transposed, matrix, k, seed, tolerance, threads)  # the smaller Gram matrix is cheaper:
        inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values > values[0] * 1e-7)
        return values, (_product(transposed, left.T, threads) * inverse).T  # A A^T gives U, and V = A^T U / s


@contextmanager
def _transposed(matrix: sparse.csr_array) -> Iterator[sparse.csr_array]:
    """The transpose in memory or, of a matrix that is mapped from disk, in files that go when it is done with."""
    if not _is_mapped(matrix.data):
        yield sparse.csr_array(matrix.T)
        return
    n, m = matrix.shape
    indptr = np.zeros(m + 1, dtype=matrix.indptr.dtype)
    with tempfile.TemporaryFile() as numbers, tempfile.TemporaryFile() as places:
        for file, array in ((numbers, matrix.data), (places, matrix.indices)):
            os.posix_fallocate(file.fileno(), 0, array.nbytes)  # where there is no room, an OSError, not a bus error
        data = np.memmap(numbers, matrix.data.dtype, shape=matrix.nnz)
        indices = np.memmap(places, matrix.indices.dtype, shape=matrix.nnz)
        _transpose(matrix.data, matrix.indices, matrix.indptr, data, indices, indptr)
        yield sparse.csr_array((data, indices, indptr), shape=(m, n))


def _is_mapped(array) -> bool:
    """Whether it is a view of an array that is mapped from disk, as SciPy has them."""
    mapped = getattr(array, "_mmap", None) is not None
    return mapped or isinstance(array, np.ndarray) and _is_mapped(array.base)


def _largest(matrix, transposed, k: int, seed: int, tolerance: float, threads) -> tuple[np.ndarray, np.ndarray]:
    """`_block_lanczos` for a matrix of at least as many rows as columns."""
    m = matrix.shape[1]
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
        image = _product(transposed, _product(matrix, block, threads), threads)
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


def _product(matrix: sparse.csr_array, dense: np.ndarray, threads=None, dtype=np.float64) -> np.ndarray:
    """Sparse times dense on several threads; every row is summed by one thread in the order of its columns."""
    dense = np.ascontiguousarray(dense, dtype=np.float64)
    out = np.empty((matrix.shape[0], dense.shape[1]), dtype=dtype)
    threads = threads or os.cpu_count() or 1
    share = max(1, matrix.nnz // (8 * threads))
    cuts = np.searchsorted(matrix.indptr, np.arange(0, matrix.nnz, share)[1:])
    borders = np.unique(np.concatenate(([0], cuts, [matrix.shape[0]]))).tolist()

    def work(start, stop):
        _multiply_rows(matrix.data, matrix.indices, matrix.indptr, dense, out, start, stop)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, borders[:-1], borders[1:]))
    return out


@njit(cache=True)
def _transpose(data, indices, indptr, to_data, to_indices, to_indptr):
    """The rows of the transpose one after another, each in the order of the matrix's rows."""
    for column in indices:
        to_indptr[column + 1] += 1
    for column in range(len(to_indptr) - 1):
        to_indptr[column + 1] += to_indptr[column]
    place = to_indptr[:-1].copy()
    for row in range(len(indptr) - 1):
        for i in range(indptr[row], indptr[row + 1]):
            at = place[indices[i]]
            to_data[at], to_indices[at] = data[i], row
            place[indices[i]] = at + 1


@njit(nogil=True, cache=True, error_model="numpy")
def _multiply_rows(data, indices, indptr, dense, out, start, stop):
    """Rows start to stop of sparse times dense; four cells at a time, so that the sum stays in registers longer."""
    width = dense.shape[1]
    total = np.empty(width, dtype=np.float64)
    for row in range(start, stop):
        total[:] = 0.0
        i, end = indptr[row], indptr[row + 1]
        while i + 4 <= end:
            a, b, c, d = data[i], data[i + 1], data[i + 2], data[i + 3]
            p, q, r, s = dense[indices[i]], dense[indices[i + 1]], dense[indices[i + 2]], dense[indices[i + 3]]
            for j in range(width):
                total[j] += a * p[j] + b * q[j] + c * r[j] + d * s[j]
            i += 4
        while i < end:
            a, p = data[i], dense[indices[i]]
            for j in range(width):
                total[j] += a * p[j]
            i += 1
        for j in range(width):
            out[row, j] = total[j]
