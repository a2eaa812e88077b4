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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cdsm_lib.composition.context2vec import TAGS, Network
from cdsm_lib.composition.transformer import Transformer, relu
from cdsm_lib.labels import Labels

MASK = "<mask>|X"
"""What stands in the place of a word that is to be guessed."""

SPECIAL = (*(f"<unk>|{tag}" for tag in TAGS), MASK)
"""What a vocabulary ends with: the unknown word of each part of speech, and the mask."""


def positions(n: int, d: int) -> np.ndarray:
    r"""Sinusoids for the places of a sentence (Vaswani et al., section 3.5): float32 [n, d].

    .. math:: p_{i,2k} = \sin(i / 10000^{2k/d}), \qquad p_{i,2k+1} = \cos(i / 10000^{2k/d})

    >>> positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]], dtype=float32)
    """
    angle = np.arange(n)[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(n, -1)[:, :d].astype(np.float32)


@dataclass(frozen=True)
class Encoder(Network, Transformer):
    """A trained encoder of L layers over a vocabulary of n words, to be asked with NumPy alone; all arrays float32.

    ``embeddings`` [n, d] are e of each word, ``bias`` [n] is b of each that is guessed; the others are those of
    `cdsm_lib.composition.transformer.Transformer`. ``meta`` says how it was trained.
    """

    words: Labels
    embeddings: np.ndarray
    bias: np.ndarray
    heads: int
    meta: Mapping
    special, kind = SPECIAL, "encoder"
    norm_first, epsilon, activate = True, 1e-5, staticmethod(relu)

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
        return self.forward(np.sqrt(np.float32(d)) * self.embeddings[read] + positions(n, d))

    def states(self, sentence: Sequence[str], masked: Sequence[int] = ()) -> np.ndarray:
        """h of every word of a sentence: float32 [n, d]. See `layers`."""
        if not len(sentence):
            return np.zeros((0, self.embeddings.shape[1]), dtype=np.float32)
        return self.norm(-1, self.layers(sentence, masked)[-1])


WEIGHTS = Encoder.weights()
