r"""Sentence embeddings from tokens alone: bags of words, sums of word vectors, SIF.

A sentence is a sequence of tokens, in their original case; every model here lower-cases them. Counts of tokens that a
model does not know come with its vectors. `cosine_distances` compares vectors. It is rounded, so that equal distances
tie: in a bag of words the swap of one noun is worth the swap of one verb.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

Sentence = Sequence[str]

DECIMALS = 9
"""Decimals of a distance: equal vectors tie, whatever the rounding noise of their cosine."""


# ------------------------------------------------------------------------------------------------------- comparison


def cosine_distances(first, second, *, undefined: float | None = None) -> np.ndarray:
    """Cosine distance 1 - cos of each row of `first` to the same row of `second`, float64 [n], rounded to `DECIMALS`.

    Both are arrays [n, d], dense or sparse; `undefined` is the value where one of two rows is zero.

    Raises `ValueError` if the shapes differ, a value is NaN or infinite, or a row is zero and no value stands for its
    cosine.

    Examples
    --------
    >>> cosine_distances(np.array([[1, 0], [3, 4]]), np.array([[0, 2], [6, 8]]))
    array([1., 0.])
    >>> cosine_distances(np.array([[1, 0], [3, 4]]), np.array([[0, 0], [6, 8]]), undefined=np.nan)
    array([nan,  0.])
    """
    if np.shape(first) != np.shape(second) or np.ndim(first) != 2:
        raise ValueError(f"rows are compared one by one, but the shapes are {np.shape(first)} and {np.shape(second)}")
    cosines = paired_cosines(first, second, undefined=np.nan)
    zero = np.flatnonzero(np.isnan(cosines))
    if len(zero) and undefined is None:
        problem = f"row {zero[0]} of the first or the second vectors is zero ({len(zero)} such rows of {len(cosines)})"
        raise ValueError(f"{problem}: its cosine is undefined; leave out items of which the model knows no token")
    distances = np.round(1 - cosines, DECIMALS) + 0.0  # + 0.0: no negative zero
    distances[zero] = undefined
    return distances


# ------------------------------------------------------------------------------------- bags of words, weighted or not


def lowered(sentence: Sentence) -> list[str]:
    """Its tokens in lower case; a `TypeError` for a string."""
    if isinstance(sentence, str):
        raise TypeError(f"a sentence is a sequence of tokens, not the string {sentence!r}; tokenise it first")
    return [token.lower() for token in sentence]


def _bags(sentences: Sequence[Sentence], words: Labels) -> tuple[sparse.csr_array, np.ndarray]:
    """How often each of `words` occurs in each sentence, int64 [n, words], and how many other tokens, int64 [n]."""
    places = [words.encode(lowered(sentence)) for sentence in sentences]
    sentence = np.repeat(np.arange(len(places)), [len(place) for place in places])
    word = np.concatenate([*places, np.empty(0, dtype=np.int64)])
    known = word >= 0
    cells = sentence[known], word[known]
    counts = sparse.csr_array((np.ones(len(cells[0]), np.int64), cells), shape=(len(places), len(words)))
    return counts, np.bincount(sentence[~known], minlength=len(places)).astype(np.int64)


def bag_of_words(sentences: Sequence[Sentence]) -> sparse.csr_array:
    """Counts of lower-cased tokens, int64 [n, vocabulary], its columns in alphabetical order.

    The vocabulary is that of these sentences, so sentences to be compared go into one call.

    Examples
    --------
    One of four words changes, so the cosine is 3/4:

    >>> bags = bag_of_words(["a b c d".split(), "a b c e".split()])
    >>> cosine_distances(bags[:1], bags[1:])
    array([0.25])
    """
    vocabulary = Labels(sorted({token for sentence in sentences for token in lowered(sentence)}))
    return _bags(sentences, vocabulary)[0]


def _sums(counts: sparse.csr_array, space: Space, weights: np.ndarray | None = None) -> np.ndarray:
    """Sum of the (weighted) vectors of the counted rows of `space`, float64 [n, d]."""
    used = np.unique(counts.indices)
    vectors = space.vectors[used].astype(np.float64)
    vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
    if weights is not None:
        vectors *= weights[used, None]
    return counts[:, used] @ vectors


def additive(sentences: Sequence[Sentence], space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Sum of the vectors of the known tokens (Mitchell & Lapata 2008, for any number of words).

    Returns
    -------
    vectors : ndarray of float64, shape (n, d)
        Zero for a sentence of which no token is a row of `space`; `cosine_distances` refuses it.
    unknown : ndarray of int64, shape (n,)
        How many tokens have no vector.

    Examples
    --------
    >>> vectors, unknown = additive([["Dogs", "bark", "xyzzy"]], Space(["dogs", "bark"], np.array([[1, 2], [3, 4]])))
    >>> vectors.tolist(), unknown.tolist()
    ([[4.0, 6.0]], [1])
    """
    counts, unknown = _bags(sentences, space.rows)
    return _sums(counts, space), unknown


@dataclass(frozen=True, eq=False)
class SIF:
    r"""Smooth inverse frequency (Arora, Liang & Ma 2017, algorithm 1).

    The embedding of a sentence *s* is the weighted mean of its word vectors, without its projection onto the common
    directions *u* of a set of sentences:

    .. math:: \mathbf{v}_s = \frac{1}{|s|} \sum_{w \in s} \frac{a}{a + p(w)} \mathbf{v}_w, \qquad
              \mathbf{v}_s \leftarrow \mathbf{v}_s - \mathbf{u}\mathbf{u}^\top \mathbf{v}_s

    The paper finds *u* on the very sentences that are compared. Here it comes from a reference set (`fit`), so that
    the vector of a sentence does not depend on which others are embedded with it.

    Attributes
    ----------
    space : Space
        Its rows are lower-cased words.
    weights : ndarray of float64, shape (len(space),)
        a / (a + p(w)).
    directions : ndarray of float64, shape (components, d)
        Orthonormal.
    """

    space: Space = field(repr=False)
    weights: np.ndarray = field(repr=False)
    directions: np.ndarray = field(repr=False)

    @classmethod
    def fit(
        cls,
        sentences: Sequence[Sentence],
        space: Space,
        frequency: Mapping[str, int],
        a: float = 1e-3,
        components: int = 1,
    ) -> "SIF":
        """Find the common directions of a reference set of sentences, without those of which no token has a vector.

        Raises `ValueError` if there are fewer sentences with known tokens than components, or nothing is counted.

        Parameters
        ----------
        sentences : sequence of sequences of str
        space : Space
            Its rows are lower-cased words.
        frequency : mapping of str to int
            Occurrences of lower-cased words in a corpus; p(w) is a word's share of them all, 0 for one not counted.
        a : float
            Weights fall for words with p(w) beyond it.
        components : int
            How many directions are removed, 1 in the paper.
        """
        total = sum(frequency.values())
        if total <= 0:
            raise ValueError("frequency counts no word at all; give the counts of a corpus")
        p = np.array([frequency.get(word, 0) for word in space.rows]) / total
        unfitted = cls(space, a / (a + p), np.empty((0, space.d)))
        vectors = unfitted.embed(sentences)[0]
        vectors = vectors[vectors.any(axis=1)]
        if min(vectors.shape) < components:
            known = f"{len(vectors)} sentences with known tokens and {space.d} dimensions"
            raise ValueError(f"{components} components cannot be found in {known}; give more sentences")
        directions = np.linalg.svd(vectors, full_matrices=False)[2][:components] if components else unfitted.directions
        return cls(space, unfitted.weights, directions)

    def embed(self, sentences: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of sentences, float64 [n, d], zero without a known token; and unknown tokens, int64 [n]."""
        counts, unknown = _bags(sentences, self.space.rows)
        known = np.asarray(counts.sum(axis=1)).ravel()
        means = _sums(counts, self.space, self.weights) / np.maximum(known, 1)[:, None]
        return means - (means @ self.directions.T) @ self.directions, unknown
