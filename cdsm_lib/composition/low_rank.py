r"""A relative pronoun as a tensor of low rank, which begins as addition and learns by ranking.

The pronoun of RPTensor (Rimell et al. 2016, section 5.5.1) has d^3 numbers, and ridge regression draws them to zero:
what the corpus does not show is lost. Here a clause is the sum of head noun h and the rest c, and a tensor in canonical
form {cite}`kolda2009`, of a rank R, corrects it. All u_r are zero at first, and a penalty draws them there:

.. math:: \mathbf{p} = \mathbf{h} + \mathbf{c} + \sum_{r=1}^{R}
          (\mathbf{a}_r \cdot \mathbf{h}) (\mathbf{b}_r \cdot \mathbf{c}) \, \mathbf{u}_r

Two losses. The *squared error* asks p to be the clause's holistic vector y; *ranking* asks its cosine with y to be
greater than those with the holistic vectors of other clauses, and y's with p greater than those with theirs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from cdsm_lib.vectors.similarity import unit_rows


@dataclass(frozen=True)
class LowRankTensor:
    """Columns a_r and b_r of `head` and `rest` [d, rank], rows u_r of `out` [rank, d].

    >>> tensor = LowRankTensor(np.array([[1.0], [0.0]]), np.array([[0.0], [2.0]]), np.array([[0.0, 1.0]]))
    >>> tensor.compose(np.array([[3.0, 0.0]]), np.array([[0.0, 1.0]]))  # (3, 0) + (0, 1) + 3 * 2 (0, 1)
    array([[3., 7.]])
    """

    head: np.ndarray
    rest: np.ndarray
    out: np.ndarray

    def compose(self, h: np.ndarray, c: np.ndarray) -> np.ndarray:
        """Vectors of the clauses: float [n, d]."""
        return h + c + ((h @ self.head) * (c @ self.rest)) @ self.out

    def gradients(self, h: np.ndarray, c: np.ndarray, of_p: np.ndarray) -> tuple[np.ndarray, ...]:
        """Those of `head`, `rest` and `out`, from that of the composed vectors [n, d]."""
        a, b = h @ self.head, c @ self.rest
        of_products = of_p @ self.out.T
        return h.T @ (of_products * b), c.T @ (of_products * a), (a * b).T @ of_p


def squared_error(p: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Half the mean squared distance of p to y, rows [n, d], and its gradient by p.

    >>> loss, gradient = squared_error(np.array([[3.0, 1.0]]), np.array([[1.0, 1.0]]))
    >>> loss, gradient.tolist()
    (2.0, [[2.0, 0.0]])
    """
    return float(((p - y) ** 2).sum() / 2 / len(p)), (p - y) / len(p)


def ranking_loss(p: np.ndarray, y: np.ndarray, scale: float = 20.0) -> tuple[float, np.ndarray]:
    """Cross-entropy of softmaxes over cosines times `scale`, each row of p with all of y and of y with all of p.

    Gives the mean of both, and its gradient by p.

    >>> loss, _ = ranking_loss(np.eye(2), np.eye(2), scale=1.0)  # the cosines 1 and 0: log (e + 1) - 1
    >>> round(loss, 4)
    0.3133
    """
    unit, length = unit_rows(p), np.linalg.norm(p, axis=1, keepdims=True)
    y, n = unit_rows(y), len(p)
    cosines, loss, error = scale * unit @ y.T, 0.0, np.zeros((n, n))
    for axis in (0, 1):
        chance = np.exp(cosines - cosines.max(axis=axis, keepdims=True))
        chance /= chance.sum(axis=axis, keepdims=True)
        loss -= float(np.log(np.diag(chance)).mean()) / 2
        error += (chance - np.eye(n, dtype=chance.dtype)) / 2 / n
    by_unit = scale * error @ y
    return loss, (by_unit - unit * (unit * by_unit).sum(axis=1, keepdims=True)) / length


LOSSES = {"squared error": squared_error, "ranking": ranking_loss}


def learn_low_rank(
    h: np.ndarray, c: np.ndarray, y: np.ndarray, loss: str, *, penalty: float, epochs: int, rank: int = 20,
    rate: float = 0.05, batch: int = 100, seed: int = 0,
) -> Iterator[LowRankTensor]:  # fmt: skip
    """The tensor after each epoch of Adagrad, from head nouns, rests and holistic vectors of clauses, float32 [n, d].

    `loss` is one of `LOSSES`; `penalty` times each parameter is added to its gradient.
    """
    rng, d = np.random.default_rng(seed), h.shape[1]
    start = (rng.normal(size=(2, d, rank)) / np.sqrt(d)).astype(h.dtype)
    tensor = LowRankTensor(*start, np.zeros((rank, d), dtype=h.dtype))
    parameters = (tensor.head, tensor.rest, tensor.out)
    squares = [np.full_like(values, 0.1) for values in parameters]
    for _ in range(epochs):
        batches = np.array_split(rng.permutation(len(h)), max(1, len(h) // batch))
        for rows in (batches[i] for i in rng.permutation(len(batches))):
            _, of_p = LOSSES[loss](tensor.compose(h[rows], c[rows]), y[rows])
            gradients = tensor.gradients(h[rows], c[rows], of_p.astype(h.dtype))
            for values, square, gradient in zip(parameters, squares, gradients, strict=True):
                gradient = gradient + penalty * values
                square += gradient**2
                values -= rate * gradient / np.sqrt(square)
        yield LowRankTensor(*(values.copy() for values in parameters))
