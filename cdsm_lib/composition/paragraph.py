r"""Paragraph vectors (Le & Mikolov 2014), trained and inferred by gensim.

PV-DM predicts each word from the concatenation of the paragraph's vector with those of the words around it; PV-DBOW
predicts each word from the paragraph's vector alone. Both here by hierarchical softmax, by negative sampling, or (as
White's settings have it) by both at once, whose gradients add up.

gensim's concatenating PV-DM differs from the paper. Its context is `window` words on *each* side, not those before the
word. Where a sentence ends, the context is filled with a null word, ``"\0"``, which has a vector of its own: with
window 8, half of the contexts in a sentence of nine tokens are null words.
"""

import hashlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from cdsm_lib.composition.sentence import Sentence, lowered
from cdsm_lib.labels import Labels

if TYPE_CHECKING:
    from gensim.models.doc2vec import Doc2Vec

METHODS = ("PV-DM", "PV-DBOW")
LAST_RATE = 1e-4
"""Where the learning rate ends, in training and in inference (gensim's default)."""


@dataclass(frozen=True, eq=False)
class State:
    """What inference by `ParagraphVectors` needs, as `cdsm_lib.storage` keeps it."""

    method: str
    words: Labels
    arrays: dict[str, np.ndarray]
    settings: dict[str, int | float]


@dataclass(frozen=True, eq=False)
class ParagraphVectors:
    """A model that infers vectors of sentences.

    Attributes
    ----------
    method : str
        ``PV-DM`` or ``PV-DBOW``.
    model : gensim.models.doc2vec.Doc2Vec
        Without the vectors of the training documents, which inference does not read. PV-DM has (2 window + 1) d
        numbers a word in each of its two output layers: 41 kB a word with window 8 and 300 dimensions.
    settings : dict
        How it was trained.
    """

    method: str
    model: "Doc2Vec"
    settings: dict[str, int | float]

    @classmethod
    def fit(cls, documents: Iterable[Sentence], *, method: str, seed: int, **settings) -> "ParagraphVectors":
        """Train on documents, each cut after 10,000 tokens; words outside the vocabulary are taken out before.

        One thread trains: the order of updates is part of the result, which depends on nothing but the arguments.

        Raises `ValueError` if no word is frequent enough.

        Parameters
        ----------
        documents : iterable of sequences of str
        method : str
            ``PV-DM`` (concatenating) or ``PV-DBOW``.
        seed : int
        **settings
            ``dimensions``; ``window``, words on each side (PV-DM); ``min_count``, below which a word is left out;
            ``hs``, whether there is hierarchical softmax; ``negatives``, samples a word, 0 for none; ``sample``, the
            relative frequency beyond which words are subsampled, 0 for none; ``epochs``; ``rate``, at first, which
            falls linearly to `LAST_RATE`.
        """
        from gensim.models.doc2vec import TaggedDocument

        settings["seed"] = seed
        model = _untrained(method, settings)
        tagged = [TaggedDocument(lowered(document), [number]) for number, document in enumerate(documents)]
        model.build_vocab(tagged)
        if set(model.wv.index_to_key) <= {"\0"}:
            raise ValueError(f"no word occurs {settings['min_count']} times in these {len(tagged)} documents")
        with threadpool_limits(1, "blas"):  # a dot product split over threads rounds differently
            model.train(tagged, total_examples=len(tagged), epochs=settings["epochs"])
        model.dv.vectors = np.empty((0, model.vector_size), np.float32)
        model.dv.key_to_index, model.dv.index_to_key = {}, []
        return cls(method, model, settings)

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return self.model.vector_size

    @property
    def n_parameters(self) -> int:
        """Numbers that inference reads: word vectors (PV-DM) and output layers."""
        return sum(array.size for name, array in self.state().arrays.items() if name != "counts")

    def unknown(self, sentences: Sequence[Sentence]) -> np.ndarray:
        """How many tokens of each sentence are outside the vocabulary, int64 [n]."""
        return np.array([len(sentence) - len(self._known(sentence)) for sentence in sentences], dtype=np.int64)

    def embed(
        self, sentences: Sequence[Sentence], *, draws: int, epochs: int, rate: float, seed: int, workers: int = 1
    ) -> np.ndarray:
        """Vectors of sentences that were not trained on, by gradient descent with the words' parameters frozen.

        Inference is random: it starts from a random vector and draws negative samples. So it runs `draws` times, each
        with `epochs` passes over the sentence and a rate that falls linearly from `rate` to `LAST_RATE`, and the mean
        is taken. Each time has a random seed of its own, made from `seed`, the draw and the sentence's known words.
        Sentences that the model cannot tell apart therefore get equal vectors, whatever stands around them and however
        many threads (`workers`) work side by side.

        Raises `ValueError` if a sentence has no known token (see `unknown`): its vector would be noise.

        Returns
        -------
        ndarray of float64, shape (n, d)
        """
        known = [self._known(sentence) for sentence in sentences]
        if empty := [i for i, words in enumerate(known) if not words]:
            such = f"{len(empty)} such sentences of {len(known)}"
            problem = f"sentence {empty[0]} has no token that the model knows ({such})"
            raise ValueError(f"{problem}: its vector would be noise; leave these out")

        def mean(words: tuple[str, ...]) -> np.ndarray:
            vectors = [self._infer(words, epochs, rate, seed, draw) for draw in range(draws)]
            return np.mean(vectors, axis=0, dtype=np.float64)

        distinct = dict.fromkeys(known)
        with ThreadPoolExecutor(workers) as pool, threadpool_limits(1, "blas"):
            means = tqdm(pool.map(mean, distinct), "infer", len(distinct), disable=None, leave=False)
            vectors = dict(zip(distinct, means, strict=True))
        return np.array([vectors[words] for words in known]).reshape(-1, self.d)

    def _infer(self, words: tuple[str, ...], epochs: int, rate: float, seed: int, draw: int) -> np.ndarray:
        """A sentence's vector, float32 [d]: gensim's `infer_vector` from a start that is the same in every process.

        `Doc2Vec.infer_vector` takes the start vector from Python's `hash` of the words, which differs from process to
        process whatever ``hashfxn`` the model has, and the negative samples from the model's generator, which remembers
        every sentence before. Here both come from one generator for this sentence and draw; the steps are gensim's.
        """
        from gensim.models.doc2vec import train_document_dbow, train_document_dm_concat

        step, layers = (train_document_dm_concat, 2) if self.method == "PV-DM" else (train_document_dbow, 1)
        digest = int.from_bytes(hashlib.sha256(" ".join(words).encode()).digest())
        rng = np.random.default_rng([seed, draw, digest])
        vectors = ((rng.random((1, self.d)) - 0.5) / self.d).astype(np.float32)
        model = copy(self.model)  # its arrays are shared, its generator is not
        model.random, model.sample = np.random.RandomState(rng.bit_generator), 0.0
        work = [np.zeros(model.layer1_size, np.float32) for _ in range(layers)]  # gensim would free its own too early
        options = {"learn_words": False, "learn_hidden": False, "doctag_vectors": vectors}
        for alpha in np.linspace(rate, LAST_RATE, epochs).tolist():
            step(model, words, [0], alpha, *work, **options)
        return vectors[0]

    def _known(self, sentence: Sentence) -> tuple[str, ...]:
        """The lower-cased tokens of a sentence that are in the vocabulary."""
        return tuple(word for word in lowered(sentence) if word in self.model.wv.key_to_index)

    def state(self) -> State:
        """What a file of it holds."""
        model, arrays = self.model, {"counts": self.model.wv.expandos["count"].astype(np.int64)}
        arrays |= {"vectors": model.wv.vectors} if self.method == "PV-DM" else {}
        arrays |= {name: getattr(model, name) for name in ("syn1", "syn1neg") if hasattr(model, name)}
        return State(self.method, Labels(model.wv.index_to_key), arrays, self.settings)

    @classmethod
    def of_state(cls, state: State) -> "ParagraphVectors":
        """A model that infers the vectors which the one of this state inferred."""
        model, arrays = _untrained(state.method, state.settings), dict(state.arrays)
        model.wv.index_to_key = list(state.words)
        model.wv.key_to_index = {word: i for i, word in enumerate(state.words)}
        model.wv.expandos = {"count": arrays.pop("counts")}
        model.wv.vectors = arrays.pop("vectors", np.empty((0, model.vector_size), np.float32))
        for name, layer in arrays.items():
            setattr(model, name, layer)
        if model.hs:
            model.create_binary_tree()
        if model.negative:
            model.make_cum_table()
        return cls(state.method, model, state.settings)


def _untrained(method: str, settings: dict[str, int | float]) -> "Doc2Vec":
    """gensim's model, without a vocabulary."""
    from gensim.models.doc2vec import Doc2Vec

    same = {name: settings[name] for name in ("window", "min_count", "hs", "sample", "epochs", "seed")}
    return Doc2Vec(
        dm=int(method == "PV-DM"), dm_concat=int(method == "PV-DM"), vector_size=settings["dimensions"],
        negative=settings["negatives"], alpha=settings["rate"], min_alpha=LAST_RATE, workers=1, **same,
    )  # fmt: skip
