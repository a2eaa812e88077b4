r"""The layers of an encoder: every word takes from every other what it attends to (Vaswani et al., NeurIPS 2017).

A layer adds to each word what it attends to in all, and then what a perceptron makes of the sum. Two encoders of the
book are made of such layers, and one class, `Transformer`, reads a sentence with both:

.. math::

    \text{ours:} \quad U &= X + \mathrm{Attention}(\mathrm{LN}(X)), & X' &= U + \mathrm{Perceptron}(\mathrm{LN}(U)) \\
    \text{BERT:} \quad U &= \mathrm{LN}(X + \mathrm{Attention}(X)), & X' &= \mathrm{LN}(U + \mathrm{Perceptron}(U))

with :math:`\mathrm{Perceptron}(X) = \phi(X W_1^\top + \mathbf{b}_1) W_2^\top + \mathbf{b}_2`. Ours normalises before
each part (Xiong et al., ICML 2020), BERT after it (Devlin et al., NAACL 2019); :math:`\phi` is ReLU in ours and GELU in
BERT. See `cdsm_lib.composition.encoder` and `cdsm_lib.composition.pretrained` for what goes into the first layer.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, softmax


def relu(x: np.ndarray) -> np.ndarray:
    """max(x, 0)."""
    return np.maximum(x, 0)


def gelu(x: np.ndarray) -> np.ndarray:
    r""":math:`x\,\Phi(x)`, with the normal distribution's :math:`\Phi` (Hendrycks and Gimpel 2016).

    >>> gelu(np.array([-1.0, 0.0, 1.0])).round(3)
    array([-0.159,  0.   ,  0.841])
    """
    return x * ndtr(x)


def layer_norm(rows: np.ndarray, scale: np.ndarray, shift: np.ndarray, epsilon: float) -> np.ndarray:
    """Rows [n, d] less their mean, divided by their standard deviation; times `scale`, plus `shift` [d].

    >>> layer_norm(np.array([[1.0, 3.0]]), np.array([1.0, 2.0]), np.array([0.0, 10.0]), 1e-5).round(3)
    array([[-1., 12.]])
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + epsilon) * scale + shift


def attention(rows: np.ndarray, W: np.ndarray, b: np.ndarray, heads: int) -> tuple[np.ndarray, np.ndarray]:
    r"""What each row takes from all rows [n, d], and with which weights [heads, n, n] (Vaswani et al., eq. 1).

    .. math:: \mathrm{softmax}\Big(\frac{Q K^\top}{\sqrt{d/H}}\Big) V

    for each of H heads, which have d/H columns each of :math:`Q = X W_Q^\top + \mathbf{b}_Q`, K and V. The results,
    side by side, are multiplied by :math:`W_O`. W [4, d, d] and b [4, d] are those of queries, keys, values, and of the
    output.

    >>> W, b = np.stack([np.zeros((2, 2)), np.zeros((2, 2)), np.eye(2), np.eye(2)]), np.zeros((4, 2))
    >>> attention(np.array([[2.0, 0.0], [0.0, 4.0]]), W, b, 1)[0]  # queries and keys are zero: all weigh the same
    array([[1., 2.],
           [1., 2.]])
    """
    n, d = rows.shape
    Q, K, V = ((rows @ W[i].T + b[i]).reshape(n, heads, d // heads).transpose(1, 0, 2) for i in range(3))
    # math's root is a plain number: NumPy's own would make float64 of float32, which takes three times as long
    weights = softmax(Q @ K.transpose(0, 2, 1) / math.sqrt(d // heads), axis=-1)
    together = (weights @ V).transpose(1, 0, 2).reshape(n, d)
    return together @ W[3].T + b[3], weights


@dataclass(frozen=True)
class Transformer:
    """L layers, d columns wide and m inside the perceptron; all arrays float32.

    ``scale`` and ``shift`` [2 L + 1, d] are those of the normalisations, in the order in which they come: ours ends
    with one, BERT begins with one. A layer has `attention` by ``mixing`` [L, 4, d, d] and ``mixing_bias`` [L, 4, d],
    its perceptron ``inner`` [L, m, d], ``inner_bias`` [L, m], ``outer`` [L, d, m] and ``outer_bias`` [L, d]. A kind
    of transformer also has ``heads``, ``norm_first``, ``activate`` and the ``epsilon`` of `layer_norm`.
    """

    scale: np.ndarray
    shift: np.ndarray
    mixing: np.ndarray
    mixing_bias: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    outer: np.ndarray
    outer_bias: np.ndarray

    def norm(self, i: int, rows: np.ndarray) -> np.ndarray:
        """LN, the i-th."""
        return layer_norm(rows, self.scale[i], self.shift[i], self.epsilon)

    def attend(self, layer: int, rows: np.ndarray) -> np.ndarray:
        """Attention of a layer."""
        return attention(rows, self.mixing[layer], self.mixing_bias[layer], self.heads)[0]

    def perceptron(self, layer: int, rows: np.ndarray) -> np.ndarray:
        """What a layer makes of each row alone."""
        hidden = self.activate(rows @ self.inner[layer].T + self.inner_bias[layer])
        return hidden @ self.outer[layer].T + self.outer_bias[layer]

    def forward(self, rows: np.ndarray) -> list[np.ndarray]:
        """The rows [n, d] before the first layer, after it, and so on to the last: L + 1 arrays."""
        states = [rows]
        for layer in range(len(self.inner)):
            for i, part in enumerate((self.attend, self.perceptron)):
                if self.norm_first:
                    rows = rows + part(layer, self.norm(2 * layer + i, rows))
                else:
                    rows = self.norm(2 * layer + i + 1, rows + part(layer, rows))
            states.append(rows)
        return states
