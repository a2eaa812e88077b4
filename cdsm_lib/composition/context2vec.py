r"""context2vec: a vector for the surroundings of a word, from two LSTMs (Melamud, Goldberger and Dagan, CoNLL 2016).

One LSTM reads the sentence from its beginning up to the word before the target, another from its end back to the word
after it; a perceptron joins the two (their section 2.2). The target itself is not read, and the LSTMs share nothing:

.. math::

    \mathrm{biLS}(w_{1:n}, i) = \mathrm{lLS}(l_{1:i-1}) \oplus \mathrm{rLS}(r_{n:i+1}), \qquad
    \mathbf{c} = L_2(\mathrm{ReLU}(L_1(\mathrm{biLS}(w_{1:n}, i)))), \\
    S = \sum_{t,c} \Big( \log\sigma(\mathbf{t}\cdot\mathbf{c}) + \sum_{i=1}^{k} \log\sigma(-\mathbf{t}_i\cdot
    \mathbf{c}) \Big), \qquad \mathbf{t}_i \sim p_\alpha(t) \propto (\#t)^\alpha.

A target word's vector **t** is learned by negative sampling (S; Mikolov et al. 2013), k negatives for each target,
rare words more often than they occur. So both kinds of vectors are in one space: the best substitutes are the targets
of highest cosine with **c**. `scripts/context2vec.py` trains it, with PyTorch (extra ``neural``); `Context2Vec`, the
trained model, is NumPy alone. Words are ``lemma|UPOS``; one outside the vocabulary is read as ``<unk>|UPOS``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from cdsm_lib import storage
from cdsm_lib.labels import Labels

BEGIN, END = "<s>|X", "</s>|X"
"""What the left LSTM reads before the first word, and the right one before the last."""

TAGS = tuple("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SPACE SYM VERB X".split())
SPECIAL = (*(f"<unk>|{tag}" for tag in TAGS), BEGIN, END)
"""What a vocabulary ends with: the unknown word of each part of speech, and the two marks."""


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), without overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def lstm(inputs: np.ndarray, W: np.ndarray, U: np.ndarray, b: np.ndarray) -> np.ndarray:
    r"""The hidden states of a long short-term memory (Hochreiter and Schmidhuber 1997, with forget gate).

    .. math::

        \mathbf{i}, \mathbf{f}, \mathbf{o} &= \sigma(W\mathbf{x}_t + U\mathbf{h}_{t-1} + \mathbf{b}), \quad
        \mathbf{g} = \tanh(W\mathbf{x}_t + U\mathbf{h}_{t-1} + \mathbf{b}) \\
        \mathbf{c}_t &= \mathbf{f} \odot \mathbf{c}_{t-1} + \mathbf{i} \odot \mathbf{g}, \quad
        \mathbf{h}_t = \mathbf{o} \odot \tanh(\mathbf{c}_t)

    Inputs [n, d_in] in the order of reading; W [4 h, d_in], U [4 h, h] and b [4 h] with rows for the gates i, f, g, o,
    in this order (PyTorch's). Gives the state after each input [n, h]; both states begin as zero.

    >>> ones = np.ones((4, 1))
    >>> print(lstm(np.ones((2, 1)), ones, ones, np.zeros(4)).round(3))
    [[0.37 ]
     [0.651]]
    """
    n, h = len(inputs), U.shape[1]
    from_inputs = inputs @ W.T + b
    states, state, cell = np.empty((n, h), dtype=from_inputs.dtype), np.zeros(h), np.zeros(h)
    for t in range(n):
        i, f, g, o = (from_inputs[t] + U @ state).reshape(4, h)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        state = sigmoid(o) * np.tanh(cell)
        states[t] = state
    return states


class Network:
    """What both of our trained networks are: words with float32 arrays, in a file of float16 numbers."""

    special: tuple[str, ...]
    kind: str

    @classmethod
    def weights(cls) -> tuple[str, ...]:
        """Names of the arrays, in the order in which a file has them."""
        return tuple(field.name for field in fields(cls) if field.type is np.ndarray)

    def save(self, path: str | Path) -> Path:
        """Write the weights to an ``.npz`` file, as float16."""
        return storage.save(self, path, kind=self.kind, small=dict.fromkeys(self.weights(), np.float16))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read what `save` wrote; `FileNotFoundError` or `StorageError` (file, problem, remedy) if it cannot."""
        return storage.load(path, cls, kind=cls.kind, remedy=f"Train it again with make {cls.kind}.")

    def encode(self, sentence: Sequence[str]) -> np.ndarray:
        """The sentence's words as places in the vocabulary; unknown ones as the unknown word of their tag: int [n]."""
        places = self.words.encode(sentence)
        for i in np.flatnonzero(places < 0):
            tag = sentence[i].rpartition("|")[2]
            places[i] = self.words.index(f"<unk>|{tag if tag in TAGS else 'X'}")
        return places

    @cached_property
    def places(self) -> Mapping[str | None, np.ndarray]:
        """Where the words of each part of speech stand, and of None those of all but marks and unknown words."""
        tags = np.array([word.rpartition("|")[2] for word in tuple(self.words)[: -len(self.special)]])
        return {None: np.arange(len(tags))} | {tag: np.flatnonzero(tags == tag) for tag in TAGS}


@dataclass(frozen=True)
class Context2Vec(Network):
    """A trained model over a vocabulary of n words, to be asked with NumPy alone; all arrays float32.

    Each LSTM has vectors of the words as it reads them [n, e], input [4 h, e], hidden [4 h, h] and bias [4 h]; then
    come ``joint_1`` [m, 2 h], ``joint_bias_1`` [m], ``joint_2`` [d, m], ``joint_bias_2`` [d], and the ``targets`` [n,
    d], of which the rows of unknown words and marks are never candidates. ``meta`` says how it was trained.
    """

    words: Labels
    left_words: np.ndarray
    left_input: np.ndarray
    left_hidden: np.ndarray
    left_bias: np.ndarray
    right_words: np.ndarray
    right_input: np.ndarray
    right_hidden: np.ndarray
    right_bias: np.ndarray
    joint_1: np.ndarray
    joint_bias_1: np.ndarray
    joint_2: np.ndarray
    joint_bias_2: np.ndarray
    targets: np.ndarray
    meta: Mapping
    special, kind = SPECIAL, "context2vec"

    # ------------------------------------------------------------------------------------------------------ contexts

    def contexts(self, sentence: Sequence[str]) -> np.ndarray:
        """The context vector of every place of a sentence (words ``lemma|UPOS``): float32 [len(sentence), d]."""
        if not len(sentence):
            return np.zeros((0, self.targets.shape[1]), dtype=np.float32)
        read = self.encode(sentence)
        begin, end = self.words.index(BEGIN), self.words.index(END)
        leftwards = self.right_words[np.array([end, *read[:0:-1]])]
        rightwards = self.left_words[np.array([begin, *read[:-1]])]
        left = lstm(rightwards, self.left_input, self.left_hidden, self.left_bias)
        right = lstm(leftwards, self.right_input, self.right_hidden, self.right_bias)[::-1]
        joined = np.hstack([left, right]) @ self.joint_1.T + self.joint_bias_1
        return (np.maximum(joined, 0) @ self.joint_2.T + self.joint_bias_2).astype(np.float32)

    def context(self, sentence: Sequence[str], place: int) -> np.ndarray:
        """The context vector of the word at `place` (from 0), itself not read: float32 [d]; else `IndexError`."""
        if not 0 <= place < len(sentence):
            raise IndexError(f"place {place} of a sentence of {len(sentence)} words")
        return self.contexts(sentence)[place]

    # --------------------------------------------------------------------------------------------------- substitutes

    def fit_of(self, context: np.ndarray, words: Sequence[str]) -> np.ndarray:
        """How well words fit into a context [d], the cosines of their vectors: float64 [len(words)], NaN if unknown."""
        places = self.words.encode(words)
        return np.where(places >= 0, self._directions[places] @ _direction(context), np.nan)

    def substitutes(
        self, sentence: Sequence[str], place: int, n: int = 1000, pos: str | None = None
    ) -> list[tuple[str, float]]:
        """The n words that fit best into a place of a sentence, with their cosines; with `pos` only words of that tag.

        Best first, ties in the order of the vocabulary; never the word that stands there, unknown words or marks.
        Buljan et al. 2018 take 1,000.
        """
        fit = self._directions @ _direction(self.context(sentence, place))
        places = self.places.get(pos, np.arange(0))
        allowed = places[places != self.words.get(sentence[place], -1)]
        best = allowed[np.argsort(-fit[allowed], kind="stable")[:n]]
        return [(self.words[i], float(fit[i])) for i in best.tolist()]

    @cached_property
    def _directions(self) -> np.ndarray:
        lengths = np.linalg.norm(self.targets, axis=1, keepdims=True)
        return self.targets / np.maximum(lengths, np.finfo(np.float32).tiny)


WEIGHTS = Context2Vec.weights()


def _direction(vector: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector)
    return vector / length if length else vector
