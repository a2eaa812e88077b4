r"""Sentence embeddings from tokens alone: bags of words, sums of word vectors, SIF, paragraph vectors.

A sentence is a sequence of tokens, in their original case; every model here lower-cases them. Counts of tokens that a
model does not know come with its vectors.

=====================  ==============================================================================================
`bag_of_words`         counts of tokens
`additive`             the sum of the word vectors (Mitchell & Lapata 2008)
`SIF`                  their weighted mean without its common direction (Arora, Liang & Ma 2017, algorithm 1)
`ParagraphVectors`     PV-DM and PV-DBOW (Le & Mikolov 2014)
=====================  ==============================================================================================

`cosine_distances` compares what they give. It is rounded, so that equal distances tie: in a bag of words the swap of
one noun is worth the swap of one verb.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from scipy import sparse
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from cdsm_lib.labels import Labels
from cdsm_lib.vectors.similarity import paired_cosines
from cdsm_lib.vectors.space import Space

if TYPE_CHECKING:
    from gensim.models.doc2vec import Doc2Vec

Sentence = Sequence[str]

DECIMALS = 9
"""Decimals of a distance: equal vectors tie, whatever the rounding noise of their cosine."""


# ------------------------------------------------------------------------------------------------------- comparison


def cosine_distances(first, second, *, undefined: float | None = None) -> np.ndarray:
    """Cosine distance 1 - cos of each row of `first` to the same row of `second`.

    Parameters
    ----------
    first, second : ndarray or scipy.sparse array, shape (n, d)
    undefined : float, optional
        The value where one of the two is zero; by default that is an error.

    Returns
    -------
    ndarray of float64, shape (n,)
        From 0 to 2, rounded to `DECIMALS`.

    Raises
    ------
    ValueError
        If the shapes differ, a value is NaN or infinite, or a row is zero (its cosine is undefined) and no value stands
        for it.

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
        raise ValueError(
            f"row {zero[0]} of the first or the second vectors is zero ({len(zero)} such rows of {len(cosines)}): its "
            "cosine is undefined; leave out the items of which the model knows no token"
        )
    distances = np.round(1 - cosines, DECIMALS) + 0.0  # + 0.0: no negative zero
    distances[zero] = undefined
    return distances


# ------------------------------------------------------------------------------------- bags of words, weighted or not


def _lower(sentence: Sentence) -> list[str]:
    if isinstance(sentence, str):
        raise TypeError(f"a sentence is a sequence of tokens, not the string {sentence!r}; tokenise it first")
    return [token.lower() for token in sentence]


def _bags(sentences: Sequence[Sentence], words: Labels) -> tuple[sparse.csr_array, np.ndarray]:
    """How often each of `words` occurs in each sentence, int64 [n, words], and how many other tokens, int64 [n]."""
    places = [words.encode(_lower(sentence)) for sentence in sentences]
    sentence = np.repeat(np.arange(len(places)), [len(place) for place in places])
    word = np.concatenate([*places, np.empty(0, dtype=np.int64)])
    known = word >= 0
    cells = sentence[known], word[known]
    counts = sparse.csr_array((np.ones(len(cells[0]), np.int64), cells), shape=(len(places), len(words)))
    return counts, np.bincount(sentence[~known], minlength=len(places)).astype(np.int64)


def bag_of_words(sentences: Sequence[Sentence]) -> sparse.csr_array:
    """Counts of lower-cased tokens.

    The vocabulary is that of these sentences, so sentences to be compared go into one call.

    Parameters
    ----------
    sentences : sequence of sequences of str

    Returns
    -------
    scipy.sparse.csr_array of int64, shape (n, vocabulary)
        Columns in alphabetical order.

    Examples
    --------
    One of four words changes, so the cosine is 3/4:

    >>> bags = bag_of_words(["a b c d".split(), "a b c e".split()])
    >>> cosine_distances(bags[:1], bags[1:])
    array([0.25])
    """
    vocabulary = Labels(sorted({token for sentence in sentences for token in _lower(sentence)}))
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

    Parameters
    ----------
    sentences : sequence of sequences of str
    space : Space
        Its rows are lower-cased words.

    Returns
    -------
    vectors : ndarray of float64, shape (n, d)
        Zero for a sentence of which no token has a vector; `cosine_distances` refuses it.
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
        """Find the common directions of a reference set of sentences.

        Parameters
        ----------
        sentences : sequence of sequences of str
            Those of which no token has a vector are left out.
        space : Space
            Its rows are lower-cased words.
        frequency : mapping of str to int
            Occurrences of lower-cased words in a corpus; p(w) is a word's share of them all, 0 for a word that is not
            counted (its weight is then 1).
        a : float
            The paper's a; weights fall for words with p(w) beyond it.
        components : int
            How many directions are removed, 1 in the paper; 0 removes none.

        Raises
        ------
        ValueError
            If there are fewer sentences with known tokens than components, or nothing is counted.
        """
        total = sum(frequency.values())
        if total <= 0:
            raise ValueError("frequency counts no word at all; give the counts of a corpus")
        p = np.array([frequency.get(word, 0) for word in space.rows]) / total
        unfitted = cls(space, a / (a + p), np.empty((0, space.d)))
        vectors = unfitted.embed(sentences)[0]
        vectors = vectors[vectors.any(axis=1)]
        if min(vectors.shape) < components:
            raise ValueError(
                f"{components} components cannot be found in {len(vectors)} sentences with known tokens and "
                f"{space.d} dimensions; give more sentences"
            )
        directions = np.linalg.svd(vectors, full_matrices=False)[2][:components] if components else unfitted.directions
        return cls(space, unfitted.weights, directions)

    def embed(self, sentences: Sequence[Sentence]) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of sentences, and how many of their tokens have none.

        Returns
        -------
        vectors : ndarray of float64, shape (n, d)
            Means over the known tokens; zero if there is none.
        unknown : ndarray of int64, shape (n,)
        """
        counts, unknown = _bags(sentences, self.space.rows)
        known = np.asarray(counts.sum(axis=1)).ravel()
        means = _sums(counts, self.space, self.weights) / np.maximum(known, 1)[:, None]
        return means - (means @ self.directions.T) @ self.directions, unknown


# --------------------------------------------------------------------------------------------------- paragraph vectors

METHODS = ("PV-DM", "PV-DBOW")
LAST_RATE = 1e-4
"""Where the learning rate ends, in training and in inference (gensim's default)."""


class _Tagged:
    """Documents as gensim wants them, numbered and lower-cased, each pass with a progress bar."""

    def __init__(self, documents: Iterable[Sentence], name: str):
        self.documents, self.name = documents, name

    def __iter__(self):
        from gensim.models.doc2vec import TaggedDocument

        for number, document in enumerate(tqdm(self.documents, self.name, disable=None, leave=False)):
            yield TaggedDocument(_lower(document), [number])


@dataclass(frozen=True, eq=False)
class State:
    """What inference by `ParagraphVectors` needs, as `cdsm_lib.storage` keeps it."""

    method: str
    words: Labels
    layers: dict[str, np.ndarray]
    meta: dict[str, str | int | float]


class ParagraphVectors:
    r"""Paragraph vectors (Le & Mikolov 2014), trained by gensim, and inferred as gensim does it.

    PV-DM predicts each word from the concatenation of the paragraph's vector with those of the words around it;
    PV-DBOW predicts each word from the paragraph's vector alone. Both here by hierarchical softmax, by negative
    sampling, or (as White's settings have it) by both at once, whose gradients add up.

    How gensim's concatenating PV-DM differs from the paper: its context is `window` words on *each* side, not those
    before the word; and where a sentence ends, the context is filled with a null word, ``"\0"``, which has a vector
    of its own. With window 8, half of the contexts in a sentence of nine tokens are null words. Words outside the
    vocabulary are taken out before contexts are formed. Documents are cut after 10,000 tokens.

    Memory: PV-DM keeps (2 window + 1) d numbers a word in each of its two output layers, 41 kB a word with the
    settings of the paper and both losses; in training, d numbers a document besides.

    Attributes
    ----------
    method : str
        ``PV-DM`` or ``PV-DBOW``.
    model : gensim.models.doc2vec.Doc2Vec
        Without the vectors of the training documents, which inference does not read.
    meta : dict of str to str, int or float
        How it was trained.
    """

    def __init__(self, method: str, model: "Doc2Vec", meta: dict[str, str | int | float]):
        self.method, self.model, self.meta = method, model, meta

    @classmethod
    def fit(
        cls,
        documents: Iterable[Sentence],
        *,
        method: str = "PV-DM",
        dimensions: int = 300,
        window: int = 8,
        min_count: int = 5,
        hs: bool = True,
        negatives: int = 5,
        sample: float = 0.0,
        epochs: int,
        rate: float = 0.025,
        seed: int,
    ) -> "ParagraphVectors":
        """Train on documents.

        One thread trains: the order of updates is part of the result, which depends on nothing but the arguments
        (gensim hashes words in `infer_vector` only, which is not used here).

        Parameters
        ----------
        documents : iterable of sequences of str
            Iterated ``epochs + 1`` times, so no generator; an object whose ``__iter__`` streams a corpus will do.
        method : str
            ``PV-DM`` (concatenating) or ``PV-DBOW``.
        dimensions : int
            Of the paragraphs' vectors and the words'.
        window : int
            Words on each side (PV-DM).
        min_count : int
            Rarer words are left out.
        hs : bool
            Hierarchical softmax.
        negatives : int
            Negative samples a word, 0 for no negative sampling.
        sample : float
            Threshold of relative frequency beyond which words are subsampled in training, 0 for none.
        epochs : int
        rate : float
            First learning rate; it falls linearly to `LAST_RATE`.
        seed : int

        Raises
        ------
        ValueError
            For documents that can be iterated only once, or no word frequent enough.
        """
        if iter(documents) is documents:
            raise ValueError("documents can be iterated only once; give a list, or an object with its own __iter__")
        meta = {"dimensions": dimensions, "window": window, "min_count": min_count, "hs": int(hs)}
        meta |= {"negatives": negatives, "sample": sample, "epochs": epochs, "rate": rate, "seed": seed}
        model = _untrained(method, meta)
        tagged = _Tagged(documents, method)
        model.build_vocab(tagged)
        if not any(word != "\0" for word in model.wv.index_to_key):
            raise ValueError(f"no word occurs {min_count} times in these {model.corpus_count} documents")
        with threadpool_limits(1, "blas"):  # a dot product split over threads rounds differently
            model.train(tagged, total_examples=model.corpus_count, epochs=epochs)
        meta |= {"documents": int(model.corpus_count), "tokens": int(model.corpus_total_words)}
        model.dv.vectors, model.dv.key_to_index, model.dv.index_to_key = np.empty((0, dimensions), np.float32), {}, []
        return cls(method, model, meta)

    @property
    def vocabulary(self) -> Labels:
        """The words the model knows, most frequent first."""
        return Labels(word for word in self.model.wv.index_to_key if word != "\0")

    @property
    def n_parameters(self) -> int:
        """Numbers that inference reads: word vectors (PV-DM) and output layers."""
        return sum(layer.size for layer in self._layers().values())

    def _layers(self) -> dict[str, np.ndarray]:
        """What inference reads, under the names that it has in a file."""
        layers = {"word_vectors": self.model.wv.vectors} if self.method == "PV-DM" else {}
        layers |= {"syn1": self.model.syn1} if self.model.hs else {}
        return layers | ({"syn1neg": self.model.syn1neg} if self.model.negative else {})

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return self.model.vector_size

    def unknown(self, sentences: Sequence[Sentence]) -> np.ndarray:
        """How many tokens of each sentence are outside the vocabulary, int64 [n]."""
        return np.array([len(sentence) - len(self._known(sentence)) for sentence in sentences], dtype=np.int64)

    def infer(
        self,
        sentences: Sequence[Sentence],
        *,
        draws: int = 5,
        epochs: int = 20,
        rate: float = 0.025,
        seed: int,
        workers: int = 1,
    ) -> np.ndarray:
        """Vectors of sentences that were not trained on, by gradient descent with the words' parameters frozen.

        Inference is random: it starts from a random vector and draws negative samples. Each sentence has a seed of
        its own, made from `seed`, the draw, and the sentence's known words; so sentences that the model cannot tell
        apart get equal vectors, whatever stands around them.

        Parameters
        ----------
        sentences : sequence of sequences of str
        draws : int
            How often each sentence is inferred.
        epochs : int
            Passes over the sentence in each.
        rate : float
            First learning rate; it falls linearly to `LAST_RATE`.
        seed : int
        workers : int
            How many threads infer side by side; the result is the same.

        Returns
        -------
        ndarray of float32, shape (draws, n, d)

        Raises
        ------
        ValueError
            If a sentence has no known token (see `unknown`).
        """
        known = [self._known(sentence) for sentence in sentences]
        if empty := [i for i, words in enumerate(known) if not words]:
            raise ValueError(
                f"sentence {empty[0]} has no token that the model knows ({len(empty)} such sentences of {len(known)}): "
                "its vector would be noise; leave these out"
            )
        frozen = _Frozen(self.model)

        def infer_one(words: tuple[str, ...]) -> np.ndarray:
            return frozen.infer(words, draws, epochs, rate, seed)

        distinct = dict.fromkeys(known)
        with ThreadPoolExecutor(workers) as pool:
            inferred = tqdm(pool.map(infer_one, distinct), "infer", len(distinct), disable=None, leave=False)
            vectors = dict(zip(distinct, inferred, strict=True))
        return np.array([vectors[words] for words in known]).reshape(-1, draws, self.d).swapaxes(0, 1)

    def embed(self, sentences: Sequence[Sentence], **settings) -> np.ndarray:
        """The mean of the draws, float64 [n, d]; parameters as `infer`."""
        return self.infer(sentences, **settings).mean(axis=0, dtype=np.float64)

    def state(self) -> State:
        """What a file of it holds: what inference needs."""
        counts = {"counts": self.model.wv.expandos["count"].astype(np.int64)}
        return State(self.method, Labels(self.model.wv.index_to_key), counts | self._layers(), self.meta)

    @classmethod
    def of_state(cls, state: State) -> "ParagraphVectors":
        """A model that infers the vectors which the one of this state inferred."""
        model, layers = _untrained(state.method, state.meta), state.layers
        model.wv.index_to_key = list(state.words)
        model.wv.key_to_index = {word: i for i, word in enumerate(state.words)}
        model.wv.expandos = {"count": layers["counts"]}
        model.wv.vectors = layers.get("word_vectors", np.empty((0, model.vector_size), np.float32))
        if model.hs:
            model.syn1 = layers["syn1"]
            model.create_binary_tree()
        if model.negative:
            model.syn1neg = layers["syn1neg"]
            model.make_cum_table()
        return cls(state.method, model, state.meta)

    def _known(self, sentence: Sentence) -> tuple[str, ...]:
        """The lower-cased tokens of a sentence that are in the vocabulary."""
        return tuple(word for word in _lower(sentence) if word in self.model.wv.key_to_index)


def _untrained(method: str, settings: Mapping) -> "Doc2Vec":
    """gensim's model, without a vocabulary."""
    from gensim.models.doc2vec import Doc2Vec

    return Doc2Vec(
        dm=int(method == "PV-DM"),
        dm_concat=int(method == "PV-DM"),
        vector_size=settings["dimensions"],
        window=settings["window"],
        min_count=settings.get("min_count", 1),
        hs=settings["hs"],
        negative=settings["negatives"],
        sample=settings["sample"],
        epochs=settings.get("epochs", 1),
        alpha=settings.get("rate", 0.025),
        min_alpha=LAST_RATE,
        seed=settings["seed"],
        workers=1,
    )


_REACH, _STEPS = 6, 83
_SIGMOID = (1 / (1 + np.exp(-np.linspace(-_REACH, _REACH, 1000, endpoint=False)))).astype(np.float32)
"""gensim's table of the logistic function: beyond `_REACH` nothing is learnt, and a unit is divided in `_STEPS`."""


@njit(nogil=True, cache=True, fastmath=True)
def _dot(first, second):
    total = np.float32(0)
    for j in range(len(first)):
        total += first[j] * second[j]
    return total


@njit(nogil=True, cache=True, fastmath=True)
def _climb(step, row, score, label, rate):
    """Add to `step` the gradient of an output's log likelihood, times the rate."""
    if -_REACH < score < _REACH:
        error = (label - _SIGMOID[int((score + np.float32(_REACH)) * np.float32(_STEPS))]) * rate
        for j in range(len(step)):
            step[j] += error * row[j]


@njit(nogil=True, cache=True, fastmath=True)
def _ascend(vectors, rates, states, words, contexts, starts, nodes, codes, tree, outputs, cumulative, negatives):
    """Move the vectors of a sentence, one a draw, in passes over its words; all else is frozen.

    An output reads the sentence's vector and, in PV-DM, the words around: what these add to its score is the same in
    every pass and draw, and is computed once for the nodes above a word and for the word itself.
    """
    d, n = vectors.shape[1], len(words)
    step, around = np.zeros(d, dtype=np.float32), contexts.shape[1] > 0
    above = [np.zeros(starts[word + 1] - starts[word], dtype=np.float32) for word in words]
    own = np.zeros(n, dtype=np.float32)
    if around:
        for i in range(n):
            for k in range(len(above[i])):
                above[i][k] = _dot(tree[nodes[starts[words[i]] + k], d:], contexts[i])
            if negatives:
                own[i] = _dot(outputs[words[i], d:], contexts[i])
    for draw in range(len(vectors)):
        vector = vectors[draw]
        for epoch in range(len(rates)):
            rate, state = rates[epoch], states[draw, epoch]
            for i in range(n):
                first = starts[words[i]]
                for k in range(len(above[i])):
                    row = tree[nodes[first + k]]
                    label = np.float32(1 - codes[first + k])
                    _climb(step, row, above[i][k] + _dot(vector, row[:d]), label, rate)
                if not around:  # gensim's PV-DBOW takes one step for each loss, its PV-DM one for both
                    vector += step
                    step[:] = 0
                if negatives:
                    row = outputs[words[i]]
                    _climb(step, row, own[i] + _dot(vector, row[:d]), np.float32(1), rate)
                for _ in range(negatives):
                    drawn = np.searchsorted(cumulative, (state >> np.uint64(16)) % np.uint64(cumulative[-1]))
                    state = (state * np.uint64(25214903917) + np.uint64(11)) & np.uint64(2**48 - 1)
                    if drawn != words[i]:
                        row = outputs[drawn]
                        score = _dot(vector, row[:d])
                        if around:
                            score += _dot(row[d:], contexts[i])
                        _climb(step, row, score, np.float32(0), rate)
                vector += step
                step[:] = 0


class _Frozen:
    """What inference reads of a model, as `_ascend` takes it."""

    def __init__(self, model: "Doc2Vec"):
        self.d, self.window, self.wv = model.vector_size, 0 if model.sg else model.window, model.wv
        nothing = np.empty((0, model.layer1_size), dtype=np.float32)
        paths = [model.wv.expandos[name] if model.hs else [()] * len(model.wv) for name in ("point", "code")]
        self.starts = np.cumsum([0, *map(len, paths[1])])
        self.nodes, self.codes = np.concatenate(paths[0]).astype(np.uint32), np.concatenate(paths[1]).astype(np.uint8)
        self.tree = model.syn1 if model.hs else nothing
        self.outputs = model.syn1neg if model.negative else nothing
        self.cumulative = model.cum_table if model.negative else np.ones(1, np.uint32)
        self.negatives = model.negative

    def contexts(self, rows: np.ndarray) -> np.ndarray:
        """The vectors of the words around each, side by side, float32 [n, 2 window d]; the null word's at the ends."""
        if not self.window:
            return np.empty((len(rows), 0), dtype=np.float32)
        null = np.full(self.window, self.wv.key_to_index["\0"])
        padded = np.concatenate((null, rows, null))
        around = np.lib.stride_tricks.sliding_window_view(padded, 2 * self.window + 1)
        return self.wv.vectors[np.delete(around, self.window, axis=1)].reshape(len(rows), -1)

    def infer(self, words: tuple[str, ...], draws: int, epochs: int, rate: float, seed: int) -> np.ndarray:
        """A sentence's vectors, float32 [draws, d]: what `Doc2Vec.infer_vector` does, with a seed for each draw.

        gensim takes the start vector from Python's `hash` of the words, which differs from process to process, and
        the negative samples from the model's generator, which remembers every sentence before. Here both come from a
        generator for this sentence and draw.
        """
        digest = int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest())
        rows = np.array([self.wv.key_to_index[word] for word in words], dtype=np.int64)
        vectors, states = np.empty((draws, self.d), np.float32), np.empty((draws, epochs), np.uint64)
        for draw in range(draws):
            rng = np.random.default_rng([seed, draw, digest])
            vectors[draw] = (rng.random(self.d) - 0.5) / self.d
            states[draw] = np.random.RandomState(rng.bit_generator).randint(0, 2**24, (epochs, 2)) @ (2**24, 1)
        rates = np.linspace(rate, LAST_RATE, epochs, dtype=np.float32)
        _ascend(vectors, rates, states, rows, self.contexts(rows), self.starts, self.nodes, self.codes,
                 self.tree, self.outputs, self.cumulative, self.negatives)  # fmt: skip
        return vectors
