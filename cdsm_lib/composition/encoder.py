r"""A small encoder: the vectors of words in their sentence, by attention, learned from guessing words that are masked.

The layers are those of Vaswani et al., "Attention is all you need" (NeurIPS 2017), the training is that of Devlin et
al., "BERT" (NAACL 2019). Each layer adds to every word what it attends to in the others, and then what a perceptron
makes of it; a word is guessed from its *state* **h**, the normalised vector after the last layer:

.. math::

    \mathbf{x}_i &= \sqrt{d}\,\mathbf{e}_{w_i} + \mathbf{p}_i \\
    \mathbf{u}_i &= \mathbf{x}_i + \mathrm{Attention}(\mathrm{LN}(X))_i \\
    \mathbf{x}'_i &= \mathbf{u}_i + W_2\,\mathrm{ReLU}(W_1\,\mathrm{LN}(\mathbf{u}_i) + \mathbf{b}_1) + \mathbf{b}_2 \\
    p(w \mid \mathbf{h}_i) &\propto \exp(\mathbf{e}_w \cdot \mathbf{h}_i + b_w)

with a vector **e** for each word, sinusoids **p** for each place, and layer normalisation LN before each part, not
after it (Xiong et al., ICML 2020). `scripts/encoder.py` trains it, with PyTorch (extra ``neural``); `Encoder`, the
trained model, is NumPy alone. Words are ``lemma|UPOS``; one outside the vocabulary is read as ``<unk>|UPOS``.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from cdsm_lib.composition.context2vec import TAGS, Network
from cdsm_lib.labels import Labels

MASK = "<mask>|X"
"""What stands in the place of a word that is to be guessed."""

SPECIAL = (*(f"<unk>|{tag}" for tag in TAGS), MASK)
"""What a vocabulary ends with: the unknown word of each part of speech, and the mask."""

_EPSILON = 1e-5  # of layer normalisation, PyTorch's


def positions(n: int, d: int) -> np.ndarray:
    r"""Sinusoids for the places of a sentence (Vaswani et al., section 3.5): float32 [n, d].

    .. math:: p_{i,2k} = \sin(i / 10000^{2k/d}), \qquad p_{i,2k+1} = \cos(i / 10000^{2k/d})

    >>> positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]], dtype=float32)
    """
    angle = np.arange(n)[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(n, -1)[:, :d].astype(np.float32)


def layer_norm(rows: np.ndarray, scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Rows [n, d] less their mean, divided by their standard deviation; times `scale`, plus `shift` [d].

    >>> layer_norm(np.array([[1.0, 3.0]]), np.array([1.0, 2.0]), np.array([0.0, 10.0])).round(3)
    array([[-1., 12.]])
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + _EPSILON)
    return centred / deviation * scale + shift


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
    Q, K, V = (
        (rows @ W[i].T + b[i]).reshape(n, heads, d // heads).transpose(1, 0, 2) for i in range(3)
    )  # [heads, n, d / heads]
    # math's root is a plain number: NumPy's own would make float64 of float32, which takes three times as long
    weights = softmax(Q @ K.transpose(0, 2, 1) / math.sqrt(d // heads), axis=-1)
    together = (weights @ V).transpose(1, 0, 2).reshape(n, d)
    return together @ W[3].T + b[3], weights


@dataclass(frozen=True)
class Encoder(Network):
    """A trained encoder of L layers over a vocabulary of n words, to be asked with NumPy alone; all arrays float32.

    ``embeddings`` [n, d] are e of each word, ``bias`` [n] is b of each that is guessed, ``scale`` and ``shift`` [2 L +
    1, d] are those of the normalisations: before attention and perceptron of each layer, and after the last. A layer
    has `attention` by ``mixing`` [L, 4, d, d] and ``mixing_bias`` [L, 4, d], its perceptron ``inner`` [L, m, d],
    ``inner_bias`` [L, m], ``outer`` [L, d, m] and ``outer_bias`` [L, d]. ``meta`` says how it was trained.
    """

    words: Labels
    embeddings: np.ndarray
    bias: np.ndarray
    scale: np.ndarray
    shift: np.ndarray
    mixing: np.ndarray
    mixing_bias: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    outer: np.ndarray
    outer_bias: np.ndarray
    heads: int
    meta: Mapping
    special, kind = SPECIAL, "encoder"

    def layers(self, sentence: Sequence[str], masked: Sequence[int] = ()) -> list[np.ndarray]:
        """The vectors of a sentence's words before the first layer, after it, and so on to the last: L + 1 of [n, d].

        The mask is read at the places in `masked` (from 0; `IndexError` where the sentence has no such place). Places
        beyond the longest sentence of the training are read too.
        """
        n, d = len(sentence), self.embeddings.shape[1]
        for place in masked:
            if not 0 <= place < n:
                raise IndexError(f"place {place} of a sentence of {n} words")
        read = self.encode(sentence)
        read[list(masked)] = self.words.index(MASK)
        rows = np.sqrt(np.float32(d)) * self.embeddings[read] + positions(n, d)
        states = [rows]
        for layer in range(len(self.inner)):
            before, after = ((self.scale[i], self.shift[i]) for i in (2 * layer, 2 * layer + 1))
            normal, (W, b) = layer_norm(rows, *before), (self.mixing[layer], self.mixing_bias[layer])
            rows = rows + attention(normal, W, b, self.heads)[0]
            hidden = np.maximum(layer_norm(rows, *after) @ self.inner[layer].T + self.inner_bias[layer], 0)
            rows = rows + hidden @ self.outer[layer].T + self.outer_bias[layer]
            states.append(rows)
        return states

    def states(self, sentence: Sequence[str], masked: Sequence[int] = ()) -> np.ndarray:
        """h of every word of a sentence: float32 [n, d]. See `layers`."""
        if not len(sentence):
            return np.zeros((0, self.embeddings.shape[1]), dtype=np.float32)
        return layer_norm(self.layers(sentence, masked)[-1], self.scale[-1], self.shift[-1])

    def guesses(
        self, sentence: Sequence[str], place: int, n: int = 10, pos: str | None = None
    ) -> list[tuple[str, float]]:
        """The n words that are most probable at a place, where the mask is read, with their probabilities.

        Most probable first; never an unknown word or the mask. With `pos` only words of that tag; the probabilities
        remain those among all.
        """
        state = self.states(sentence, [place])[place]
        probabilities = softmax(self.embeddings @ state + self.bias)
        allowed = self.places.get(pos, np.arange(0))
        best = allowed[np.argsort(-probabilities[allowed], kind="stable")[:n]]
        return [(self.words[i], float(probabilities[i])) for i in best.tolist()]


WEIGHTS = Encoder.weights()
