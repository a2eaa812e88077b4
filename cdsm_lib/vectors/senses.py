"""Several vectors a word, one for each of its senses; skip-gram over sense tokens; multi-prototype clustering.

`SenseVectors` holds them. `train_senses` makes them from a corpus whose tokens carry sense numbers: skip-gram in which
every sense meets the surroundings of its own occurrences, the context vectors being those of a word model and *frozen*
(as Rimell et al. 2016, section 5.1.3, do for phrases), so that sense vectors lie in the words' own space and can be
added to word vectors.

Where the numbers come from is the caller's affair: a disambiguator with WordNet's senses, or `prototypes`, which
clusters the contexts of each word (Reisinger & Mooney 2010).

Senses are numbered through: an *inventory* maps each word to the names of its senses, and number s is the s-th name of
all, word after word, counted from 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
from numba import njit
from threadpoolctl import threadpool_limits

from cdsm_lib.labels import Labels
from cdsm_lib.printing import in_words
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.vectors.embeddings import SkipGram, keep_probability, phrase_groups, skip_gram
from cdsm_lib.vectors.space import Space

_BLOCK = 100_000  # contexts whose sums are in memory at a time


@in_words
@dataclass(frozen=True, eq=False)
class SenseVectors:
    """Words with a vector for each of their senses: word w has rows starts[w] to starts[w + 1].

    Parameters
    ----------
    words : Labels or iterable of str
        The words, ``lemma|UPOS``, [n].
    starts : ndarray of int64, shape (n + 1,)
        Every word has at least one sense.
    names : sequence of str, length m = starts[-1]
        Names of the senses (``bank.n.01`` or ``bank|NOUN#2``), each once a word; two words may share a synset.
    counts : ndarray of int64, shape (m,)
        Occurrences of each sense.
    vectors : ndarray of float32, shape (m, d)
    meta : dict of str to str, int, float or bool
        How they were made, and what was left out.

    Raises
    ------
    ValueError
        If the shapes disagree, a word has no sense or the same name twice, a count is negative or not whole, or a
        value is NaN or infinite.

    Examples
    --------
    >>> senses = SenseVectors(["bank|NOUN", "dog|NOUN"], [0, 2, 3], ["bank.n.01", "bank.n.02", "dog.n.01"],
    ...                       [1, 3, 5], np.array([[4, 0], [0, 4], [1, 1]]))
    >>> senses.names_of("bank|NOUN"), senses.vector("bank|NOUN", "bank.n.02").tolist()
    (('bank.n.01', 'bank.n.02'), [0.0, 4.0])
    >>> senses.mean("bank|NOUN").tolist()
    [1.0, 3.0]
    """

    words: Labels
    starts: np.ndarray
    names: tuple[str, ...]
    counts: np.ndarray
    vectors: np.ndarray
    meta: dict[str, str | int | float] = field(default_factory=dict)

    def __post_init__(self):
        words = self.words if isinstance(self.words, Labels) else Labels(self.words)
        starts, counts, names = _whole("starts", self.starts), _whole("counts", self.counts), tuple(self.names)
        vectors, n = np.ascontiguousarray(self.vectors, dtype=np.float32), len(names)
        if starts.shape != (len(words) + 1,) or starts[0] != 0 or starts[-1] != n:
            raise ValueError(f"starts must run from 0 to the {n} senses in {len(words) + 1} steps, one a word")
        for word, first, last in zip(words, starts[:-1], starts[1:], strict=True):
            if last <= first:
                raise ValueError(f"{word!r} has no sense; leave the word out")
            if len(set(names[first:last])) < last - first:
                raise ValueError(f"{word!r} has the same sense twice: {', '.join(names[first:last])}")
        if counts.shape != (n,) or (counts < 0).any():
            raise ValueError(f"counts must be 0 or more, one for each of the {n} senses")
        if vectors.ndim != 2 or len(vectors) != n:
            raise ValueError(f"{n} senses, but vectors of shape {vectors.shape}")
        if not np.isfinite(vectors).all():
            bad = int(np.isfinite(vectors).all(axis=1).argmin())
            raise ValueError(f"vectors hold NaN or infinite values, first in sense {names[bad]!r}")
        checked = {"words": words, "starts": starts, "names": names, "counts": counts, "vectors": vectors}
        for name, value in {**checked, "meta": dict(self.meta)}.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, label: object) -> bool:
        return label in self.words

    @property
    def d(self) -> int:
        """Number of dimensions."""
        return self.vectors.shape[1]

    @property
    def inventory(self) -> dict[str, tuple[str, ...]]:
        """Each word's sense names, in the order of the rows."""
        return {word: self.names_of(word) for word in self.words}

    def of(self, label: str) -> np.ndarray:
        """The vectors of a word's senses, float32 [k, d]; `KeyError` for a word that has none."""
        return self.vectors[self._span(label)].copy()

    def names_of(self, label: str) -> tuple[str, ...]:
        """The names of a word's senses; `KeyError` for a word that has none."""
        return self.names[self._span(label)]

    def counts_of(self, label: str) -> np.ndarray:
        """Occurrences of a word's senses, int64 [k]; `KeyError` for a word that has none."""
        return self.counts[self._span(label)].copy()

    def vector(self, label: str, sense: str) -> np.ndarray:
        """The vector of one sense, float32 [d]; `KeyError` if the word or its sense has none."""
        span = self._span(label)
        if sense not in self.names[span]:
            raise KeyError(f"{label!r} has no vector for {sense!r}; it has {', '.join(self.names[span])}")
        return self.vectors[span.start + self.names[span].index(sense)].copy()

    def mean(self, label: str) -> np.ndarray:
        """The mean of a word's sense vectors, weighted by their occurrences (equally if none occurs), float32 [d]."""
        span = self._span(label)
        weights = self.counts[span] if self.counts[span].any() else np.ones(span.stop - span.start)
        return np.average(self.vectors[span].astype(np.float64), axis=0, weights=weights).astype(np.float32)

    def coverage(self, labels: Iterable[str]) -> list[str]:
        """Those of `labels` that have no sense vector here, each once, in the order asked."""
        return [label for label in dict.fromkeys(labels) if label not in self.words]

    def subset(self, labels: Sequence[str]) -> "SenseVectors":
        """These words only, in this order; `KeyError` that names those without vectors."""
        if missing := self.coverage(labels):
            shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
            raise KeyError(f"{len(missing)} of these words have no sense vectors: {shown}; ask coverage() first")
        numbers = [np.arange(len(self.names))[self._span(label)] for label in labels]
        rows, starts = np.concatenate([[], *numbers]).astype(np.int64), np.cumsum([0, *map(len, numbers)])
        names = [self.names[row] for row in rows]
        return SenseVectors(Labels(labels), starts, names, self.counts[rows], self.vectors[rows], self.meta)

    def _span(self, label: str) -> slice:
        place = self.words.get(label)
        if place < 0:
            raise KeyError(f"{label!r} has no sense vectors among these {len(self)} words; ask coverage() first")
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def _whole(name: str, values) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1 or (values.dtype.kind not in "iu" and len(values)):
        raise ValueError(f"{name} must be a list of whole numbers, not {values.dtype} of shape {values.shape}")
    return values.astype(np.int64)


# ----------------------------------------------------------------------------------- skip-gram over tokens of senses


def sense_occurrences(
    tags: np.ndarray, n_senses: int, *, min_count: int = 1, cap: int | None = None, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each sense occurs, rare senses left out and frequent ones sampled.

    Parameters
    ----------
    tags : ndarray of int, shape (n_tokens,)
        Sense number of each token, -1 for none.
    n_senses : int
    min_count : int
        Senses with fewer occurrences get none.
    cap : int, optional
        The most occurrences of a sense; of more, a sample without replacement is drawn from the seed.
    seed : int

    Returns
    -------
    positions : ndarray of int64, shape (n,)
        Token positions, ascending.
    sense : ndarray of int64, shape (n,)
        The sense at each.
    counts : ndarray of int64, shape (n_senses,)
        All occurrences of each sense, before anything was left out.

    Raises
    ------
    ValueError
        If the tags are not whole numbers from -1 to n_senses - 1, or a setting is not positive.

    Examples
    --------
    >>> sense_occurrences(np.array([0, -1, 1, 0]), 2, min_count=2)
    (array([0, 3]), array([0, 0]), array([2, 1]))
    """
    if tags.ndim != 1 or tags.dtype.kind not in "iu":
        raise ValueError(f"tags must be whole numbers, one a token, not {tags.dtype} of shape {tags.shape}")
    if len(tags) and not -1 <= tags.min() <= tags.max() < n_senses:
        raise ValueError(f"tags run from {tags.min()} to {tags.max()}; -1 to {n_senses - 1} was expected")
    if min_count < 1 or (cap is not None and cap < 1):
        raise ValueError(f"min_count={min_count}, cap={cap}: they must be at least 1")
    positions = np.flatnonzero(tags >= 0)
    sense = tags[positions].astype(np.int64)
    counts = np.bincount(sense, minlength=n_senses)
    kept = (counts >= min_count)[sense]
    if cap is not None and (counts > cap).any():
        order = np.lexsort((np.random.default_rng(seed).random(len(sense)), sense))
        rank = np.arange(len(sense)) - np.repeat(np.cumsum(counts) - counts, counts)
        kept[order[rank >= cap]] = False
    return positions[kept], sense[kept], counts


def train_senses(
    corpus: Corpus,
    model: SkipGram,
    tags: np.ndarray,
    inventory: Mapping[str, Sequence[str]],
    *,
    window: int = 5,
    negatives: int = 10,
    draws: int = 20,
    epochs: int = 3,
    rate: float = 0.025,
    sample: float = 1e-4,
    min_count: int = 10,
    cap: int | None = None,
    seed: int = 0,
    progress: bool | None = None,
) -> SenseVectors:
    """Skip-gram vectors of senses, the context vectors of a word model frozen.

    Parameters
    ----------
    corpus : Corpus
    model : SkipGram
        The words' model; its contexts must be words of the corpus.
    tags : ndarray of int32, shape (corpus.n_tokens,)
        The sense at each token, numbered through as the inventory has them; -1 for none.
    inventory : mapping of str to sequence of str
        Each word's sense names.
    window : int
        Context words each side; words that are not among the model's contexts or fall to sub-sampling take no place.
    negatives, draws, epochs, rate, progress
        As in `skip_gram`.
    sample : float
        Sub-sampling of frequent context words, see `keep_probability`; 0 for none.
    min_count : int
        Senses that occur less often are left out.
    cap : int, optional
        The most occurrences of a sense, see `sense_occurrences`.
    seed : int

    Returns
    -------
    SenseVectors
        The senses that were trained, in the inventory's order, with all of their occurrences as counts. ``meta``
        counts the others: ``senses_rare`` (fewer than `min_count` occurrences), ``senses_alone`` (never met a context
        word) and ``words_left_out`` (no sense remains); and ``occurrences``, those trained on.

    Raises
    ------
    ValueError
        If the tags do not fit the corpus or the inventory, if the inventory has a word without senses or a sense
        twice, if a context of the model is not a word of the corpus, if no sense can be trained, or a setting is out
        of range.
    """
    for word, senses in inventory.items():
        if not len(senses) or isinstance(senses, str) or len(set(senses)) < len(senses):
            raise ValueError(f"{word!r} must have names of senses, at least one and none twice, not {senses!r}")
    words, names = Labels(inventory), [name for senses in inventory.values() for name in senses]
    starts = np.cumsum([0, *map(len, inventory.values())])
    if tags.shape != (corpus.n_tokens,):
        raise ValueError(f"tags have shape {tags.shape}; the corpus has {corpus.n_tokens} tokens")
    positions, sense, counts = sense_occurrences(tags, len(names), min_count=min_count, cap=cap, seed=seed)
    frequent = np.flatnonzero(counts >= min_count)
    if not len(frequent):
        raise ValueError(f"none of the {len(names)} senses occurs {min_count} times; lower min_count")
    place = np.full(len(names), -1, dtype=np.int64)
    place[frequent] = np.arange(len(frequent))
    lacking = [context for context in model.contexts if context not in corpus.words]
    if lacking:
        raise ValueError(f"the corpus lacks {len(lacking)} of the model's contexts: {', '.join(lacking[:5])}")
    groups = phrase_groups(
        corpus, model.contexts.encode(corpus.words).astype(np.int32), keep_probability(model.context_counts, sample),
        positions[:, None], place[sense], window=window,
    )  # fmt: skip
    settings = {"negatives": negatives, "draws": draws, "epochs": epochs, "rate": rate, "seed": seed}
    trained = skip_gram(
        groups, Labels(map(str, frequent)), model.contexts, model.context_counts, frozen=model.context_vectors,
        dimensions=model.context_vectors.shape[1], progress=progress, **settings,
    )  # fmt: skip
    met = trained.pairs > 0
    if not met.any():
        raise ValueError("no sense has a context word with a vector around it; do corpus and model belong together?")
    rows = frequent[met]
    per_word = np.histogram(rows, starts)[0]
    has_sense = np.flatnonzero(per_word)
    meta = {
        "made_by": "train_senses", "window": window, **settings, "sample": sample, "min_count": min_count,
        "cap": cap or 0, "senses_rare": len(names) - len(frequent), "senses_alone": int((~met).sum()),
        "occurrences": len(positions), "words_left_out": len(words) - len(has_sense),
    }  # fmt: skip
    starts = np.cumsum([0, *per_word[has_sense]])
    return SenseVectors(
        words.take(has_sense), starts, [names[i] for i in rows], counts[rows], trained.target_vectors[met], meta
    )


# -------------------------------------------------------------------------------------------------- multi-prototypes


@in_words
@dataclass(frozen=True)
class Prototypes:
    """What clustering the contexts of words gives.

    Attributes
    ----------
    tags : ndarray of int32, shape (n_tokens,)
        The cluster at each token, numbered through as `centroids` has them; -1 elsewhere. With
        ``centroids.inventory`` it is what `train_senses` wants.
    centroids : SenseVectors
        Clusters ``bank|NOUN#1``, ``#2``, ..., the largest first; counts are their occurrences, vectors the centroids
        at unit length.
    """

    tags: np.ndarray
    centroids: SenseVectors


def inverse_document_frequency(corpus: Corpus) -> np.ndarray:
    """``log(S / S_w)``, S sentences of which S_w hold word w: float64, shape (len(corpus.words),); 0 if none does.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import Sentence, Token, corpus_from_sentences
    >>> rows = [("Young", "young", "ADJ", 2, "amod"), ("dogs", "dog", "NOUN", 3, "nsubj"),
    ...         ("chase", "chase", "VERB", 0, "root"), ("cats", "cat", "NOUN", 3, "dobj")]
    >>> tokens = (Token(i, form, lemma, tag, "_", "_", at, label, "_", "_")
    ...           for i, (form, lemma, tag, at, label) in enumerate(rows, 1))
    >>> corpus = corpus_from_sentences([Sentence(tuple(tokens))])
    >>> inverse_document_frequency(corpus)  # one sentence, and all words are in it
    array([0., 0., 0., 0.])
    """
    holding = _sentences_with(np.asarray(corpus.word), np.asarray(corpus.offsets), len(corpus.words))
    return np.where(holding > 0, np.log(corpus.n_sentences / np.maximum(holding, 1)), 0.0)


def prototypes(
    corpus: Corpus,
    space: Space,
    words: Sequence[str],
    k: int | Mapping[str, int],
    *,
    window: int = 5,
    idf: bool = True,
    occurrences: int = 1000,
    min_count: int = 10,
    restarts: int = 2,
    seed: int = 0,
) -> Prototypes:
    """Cluster the contexts of each word (Reisinger & Mooney 2010, section 3).

    A context is the sum of the vectors of the nearest `window` words with a vector on each side within the sentence,
    each times its inverse document frequency, brought to unit length. Up to `occurrences` of them are clustered; then
    every occurrence goes to the centroid of highest cosine.

    It departs from the paper in three ways: contexts are sums of dense word vectors rather than sparse counts;
    k-means on unit vectors, with centroids brought to unit length, stands for the mixture of von Mises-Fisher
    distributions (its limit for equal weights and high concentration); and k-means sees a sample.

    Parameters
    ----------
    corpus : Corpus
    space : Space
        Word vectors, ``lemma|UPOS``, dense.
    words : sequence of str
        The words to cluster.
    k : int or mapping of str to int
        Clusters of each word, or for each word.
    window : int
    idf : bool
    occurrences : int
        The most contexts of a word that are clustered, a sample drawn from the seed and the word.
    min_count : int
        Words with fewer contexts (among those of the sample) are left out. A word with fewer different contexts than
        clusters gets as many clusters, and one to which no occurrence went is dropped.
    restarts : int
        k-means starts so often (k-means++) and keeps the best.
    seed : int
        The result for a word depends on the seed and the word, not on the other words or the number of cores.

    Returns
    -------
    Prototypes
        ``centroids.meta`` counts ``words_left_out`` and ``occurrences_without_context`` (tag -1).

    Raises
    ------
    ValueError
        If the space is sparse or shares no word with the corpus, if a word is asked for twice, if k lacks one, if
        no word has enough contexts, or a setting is not positive.
    """
    words = Labels(words)
    clusters = {word: k if isinstance(k, int) else k.get(word, 0) for word in words}
    settings = {"window": window, "occurrences": occurrences, "min_count": min_count, "restarts": restarts}
    wrong = [f"{name}={value}" for name, value in settings.items() if value < 1]
    wrong += [f"k={n} of {word}" for word, n in clusters.items() if n < 1][:5]
    if wrong:
        raise ValueError(f"{', '.join(wrong)}: must be at least 1")
    if occurrences < min_count:
        raise ValueError(f"occurrences={occurrences} contexts of a word are never min_count={min_count}")
    surroundings = _Surroundings(corpus, space, window, idf)
    tags = np.full(corpus.n_tokens, -1, dtype=np.int32)
    inventory, centroids, starts, alone = {}, [], [0], 0
    with threadpool_limits(limits=1):
        for word, positions in zip(words, _positions(corpus, words), strict=True):
            rng = np.random.default_rng([seed, *word.encode()])
            label, unit = _clusters(surroundings, positions, clusters[word], occurrences, min_count, restarts, rng)
            if not len(unit):
                continue
            tags[positions] = np.where(label >= 0, label + starts[-1], -1)
            alone += int((label < 0).sum())
            inventory[word] = [f"{word}#{j}" for j in range(1, len(unit) + 1)]
            centroids.append(unit)
            starts.append(starts[-1] + len(unit))
    if not inventory:
        raise ValueError(f"none of the {len(words)} words has {min_count} contexts of words with vectors")
    counts, names = np.bincount(tags[tags >= 0], minlength=starts[-1]), list(chain(*inventory.values()))
    meta = {
        "made_by": "prototypes", **settings, "idf": idf, "seed": seed,
        "words_left_out": len(words) - len(inventory), "occurrences_without_context": alone,
    }  # fmt: skip
    return Prototypes(tags, SenseVectors(Labels(inventory), starts, names, counts, np.concatenate(centroids), meta))


class _Surroundings:
    """Context vectors of token positions."""

    def __init__(self, corpus: Corpus, space: Space, window: int, idf: bool):
        if space.is_sparse:
            raise ValueError("the space is sparse; contexts are sums of dense vectors (after SVD, or from skip-gram)")
        row = space.rows.encode(corpus.words)
        if (row < 0).all():
            raise ValueError("the space has no word of the corpus; rows are lemma|UPOS")
        weight = inverse_document_frequency(corpus) if idf else np.ones(len(corpus.words))
        self.row, self.weight = row.astype(np.int32), weight.astype(np.float32)
        self.word, self.offsets = np.asarray(corpus.word), np.asarray(corpus.offsets)
        self.vectors, self.window = space.vectors, window

    def at(self, positions: np.ndarray) -> np.ndarray:
        """Unit vectors, float32 [n, d]; a zero row where no word around has a vector."""
        out = np.zeros((len(positions), self.vectors.shape[1]), dtype=np.float32)
        _sum_around(self.word, self.offsets, self.row, self.weight, self.vectors, positions, self.window, out)
        return _unit(out)


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _positions(corpus: Corpus, words: Labels) -> Iterable[np.ndarray]:
    """Token positions of each word, ascending; those of a word that the corpus lacks are none."""
    of = words.encode(corpus.words)[corpus.word]
    positions = np.flatnonzero(of >= 0)
    order = np.argsort(of[positions], kind="stable")
    ends = np.cumsum(np.bincount(of[positions], minlength=len(words)))
    return np.split(positions[order], ends[:-1])


def _clusters(surroundings, positions, k, occurrences, min_count, restarts, rng) -> tuple[np.ndarray, np.ndarray]:
    """Cluster of each position (-1: no context) and the unit centroids, largest cluster first; none if too few."""
    from sklearn.cluster import KMeans  # takes half a second to load

    some = positions
    if len(positions) > occurrences:
        some = np.sort(rng.choice(positions, occurrences, replace=False))
    contexts = surroundings.at(some)
    contexts = contexts[contexts.any(axis=1)]
    label = np.full(len(positions), -1, dtype=np.int32)
    if len(contexts) < min_count:
        return label, contexts[:0]
    k = min(k, len({context.tobytes() for context in contexts}))
    means = KMeans(k, n_init=restarts, max_iter=50, random_state=int(rng.integers(1 << 31))).fit(contexts)
    unit = _unit(means.cluster_centers_.astype(np.float32))
    for first in range(0, len(positions), _BLOCK):
        block = surroundings.at(positions[first : first + _BLOCK])
        label[first : first + _BLOCK] = np.where(block.any(axis=1), (block @ unit.T).argmax(axis=1), -1)
    sizes = np.bincount(label[label >= 0], minlength=k)
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    number = np.full(k + 1, -1, dtype=np.int32)
    number[order] = np.arange(len(order))
    return number[label], unit[order]


@njit(cache=True)
def _sentences_with(word, offsets, n_words):
    """In how many sentences each word stands."""
    holding, last = np.zeros(n_words, dtype=np.int64), np.full(n_words, -1, dtype=np.int64)
    for s in range(len(offsets) - 1):
        for i in range(offsets[s], offsets[s + 1]):
            if last[word[i]] != s:
                last[word[i]] = s
                holding[word[i]] += 1
    return holding


@njit(cache=True)
def _sum_around(word, offsets, row, weight, vectors, positions, window, out):
    """Add to each row of `out` the weighted vectors of the nearest `window` words with one on each side."""
    for p in range(len(positions)):
        s = np.searchsorted(offsets, positions[p], side="right")
        for step in (-1, 1):
            end = offsets[s - 1] - 1 if step < 0 else offsets[s]
            found = 0
            for i in range(positions[p] + step, end, step):
                if found == window:
                    break
                r = row[word[i]]
                if r >= 0:
                    found += 1
                    w = weight[word[i]]
                    for j in range(vectors.shape[1]):
                        out[p, j] += w * vectors[r, j]
