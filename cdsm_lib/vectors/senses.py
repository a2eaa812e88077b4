"""Several vectors a word, one for each of its senses; skip-gram over sense tokens.

`SenseVectors` holds them, a `Lexicon` the vectors of the words beside them. `train_senses` makes sense vectors from a
corpus whose tokens carry sense numbers: skip-gram in which every sense meets the surroundings of its own occurrences,
the context vectors being those of a word model and *frozen* (as Rimell et al. 2016, section 5.1.3, do for phrases), so
that sense vectors lie in the words' own space and can be added to word vectors.

Where the numbers come from is the caller's affair, such as a disambiguator with WordNet's senses.

Senses are numbered through: an *inventory* maps each word to the names of its senses, and number s is the s-th name of
all, word after word, counted from 0.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.spelling import american
from cdsm_lib.vectors.embeddings import SkipGram, train_frozen
from cdsm_lib.vectors.space import Space
from cdsm_lib.vectors.weighting import normalise_rows


@dataclass(frozen=True, eq=False)
class SenseVectors:
    """Words with a vector for each of their senses: word w has rows starts[w] to starts[w + 1].

    Parameters
    ----------
    words : Labels
        The words, ``lemma|UPOS``, [n].
    starts : ndarray of int64, shape (n + 1,)
        Every word has at least one sense.
    names : tuple of str, length m = starts[-1]
        Names of the senses (``bank.n.01`` or ``bank|NOUN#2``), each once a word; two words may share a synset.
    counts : ndarray of int64, shape (m,)
        Occurrences of each sense.
    vectors : ndarray of float32, shape (m, d)
    meta : dict of str to str, int, float or bool
        How they were made, and what was left out.

    Examples
    --------
    >>> names = ("bank.n.01", "bank.n.02", "dog.n.01")
    >>> vectors = np.array([[4, 0], [0, 4], [1, 1]], dtype=np.float32)
    >>> words, starts = Labels(["bank|NOUN", "dog|NOUN"]), np.array([0, 2, 3])
    >>> senses = SenseVectors(words, starts, names, np.array([1, 3, 5]), vectors)
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

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, label: object) -> bool:
        return label in self.words

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
        """The vector of one sense, float32 [d]; `KeyError` for a word that has none, `ValueError` for another sense."""
        span = self._span(label)
        return self.vectors[span.start + self.names[span].index(sense)].copy()

    def mean(self, label: str) -> np.ndarray:
        """The mean of a word's sense vectors, weighted by their occurrences (equally if none occurs), float32 [d]."""
        span = self._span(label)
        weights = self.counts[span] if self.counts[span].any() else np.ones(span.stop - span.start)
        return np.average(self.vectors[span].astype(np.float64), axis=0, weights=weights).astype(np.float32)

    def subset(self, labels: Sequence[str]) -> "SenseVectors":
        """These words only, in this order; `KeyError` for a word without vectors."""
        numbers = [np.arange(len(self.names))[self._span(label)] for label in labels]
        rows, starts = np.concatenate([[], *numbers]).astype(np.int64), np.cumsum([0, *map(len, numbers)])
        names = tuple(self.names[row] for row in rows)
        return SenseVectors(Labels(labels), starts, names, self.counts[rows], self.vectors[rows], self.meta)

    def _span(self, label: str) -> slice:
        place = self.words.index(label)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


PARSED_AS = {"clothes|NOUN": "clothe|NOUN"}
"""What our parser makes of a word."""


@dataclass(frozen=True)
class Lexicon:
    """The vectors of words, one or several a word.

    Attributes
    ----------
    name : str
    space : Space
        One vector a word. Of a word with senses it is the vector in the context of another word.
    senses : SenseVectors, optional
        Several vectors of a word, in the same space.
    plain : bool
        The rows of `space` are spellings without parts of speech, American ones (GoogleNews).
    """

    name: str
    space: Space
    senses: SenseVectors | None = None
    plain: bool = False

    def row(self, word: str) -> str | None:
        """The row for a word ``lemma|POS``, None if there is none."""
        lemma = word.rpartition("|")[0]
        rows = (lemma, american(lemma)) if self.plain else (word, PARSED_AS.get(word))
        return next((row for row in rows if row in self.space), None)

    def __contains__(self, word: str) -> bool:
        return self.row(word) is not None or (self.senses is not None and word in self.senses)

    def has(self, word: str, sense: str | None) -> bool:
        """Whether this sense of the word has a vector of its own."""
        return self.senses is not None and word in self.senses and sense in self.senses.names_of(word)

    def one(self, word: str) -> np.ndarray:
        """The word's vector, float64 [d]; zeros for an unknown word, as the paper has it (section 2)."""
        row = self.row(word)
        return np.zeros(self.space.d) if row is None else np.asarray(self.space[row], dtype=np.float64)

    def of(self, word: str, sense: str | None = None) -> np.ndarray:
        """The word's sense vectors, float64 [k, d], or that of one of its senses, if it has one.

        Of a word without senses it is its one vector; zeros if it is unknown.
        """
        if self.has(word, sense):
            return np.asarray(self.senses.vector(word, sense), dtype=np.float64)[None]
        if self.senses is not None and word in self.senses:
            return np.asarray(self.senses.of(word), dtype=np.float64)
        return self.one(word)[None]

    def context(self, words: Iterable[str]) -> np.ndarray:
        """The sum of the words' vectors, float64 [d]."""
        return sum(map(self.one, words), np.zeros(self.space.d))

    def of_length_one(self) -> "Lexicon":
        """The same vectors at length one, those of senses, too."""
        space = Space(self.space.rows, normalise_rows(self.space.vectors), self.space.dimensions)
        senses = self.senses and replace(self.senses, vectors=normalise_rows(self.senses.vectors))
        return replace(self, space=space, senses=senses)

    def of_mean_senses(self) -> "Lexicon":
        """In the context of another word, each word that has senses is their mean, by occurrences.

        >>> bank = SenseVectors(["bank"], [0, 2], ("shore", "firm"), np.array([1, 3]), np.array([[4, 0], [0, 4]]))
        >>> Lexicon("senses", Space(["bank"], [[1, 1]]), bank).of_mean_senses().one("bank")
        array([1., 3.])
        """
        rows = [self.senses.mean(word) if word in self.senses else self.space[word] for word in self.space.rows]
        return replace(self, space=Space(self.space.rows, np.array(rows), self.space.dimensions))

    def lacking(self, words: Collection[str]) -> list[str]:
        """The words without a vector, in order."""
        return [word for word in dict.fromkeys(words) if word not in self]


# ----------------------------------------------------------------------------------- skip-gram over tokens of senses


def sense_occurrences(
    tags: np.ndarray, n_senses: int, *, min_count: int = 1, cap: int | None = None, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each sense occurs, rare senses left out and frequent ones sampled.

    `tags` has the sense number of each token, or -1. Senses with fewer than `min_count` occurrences get none; of more
    than `cap` a sample without replacement is drawn from the seed.

    Returns
    -------
    positions, sense : ndarray of int64, shape (n,)
        Token positions, ascending, and the sense at each.
    counts : ndarray of int64, shape (n_senses,)
        All occurrences of each sense, before anything was left out.

    >>> sense_occurrences(np.array([0, -1, 1, 0]), 2, min_count=2)
    (array([0, 3]), array([0, 0]), array([2, 1]))
    """
    positions = np.flatnonzero(tags >= 0)
    sense = tags[positions].astype(np.int64)
    counts = np.bincount(sense, minlength=n_senses)
    chosen = (counts >= min_count)[sense]
    if cap is not None and (counts > cap).any():
        order = np.lexsort((np.random.default_rng(seed).random(len(sense)), sense))
        rank = np.arange(len(sense)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen[order[rank >= cap]] = False
    return positions[chosen], sense[chosen], counts


def train_senses(
    corpus: Corpus,
    model: SkipGram,
    tags: np.ndarray,
    inventory: Mapping[str, Sequence[str]],
    *,
    window: int = 5,
    sample: float = 1e-4,
    min_count: int = 10,
    cap: int | None = None,
    seed: int = 0,
    **training,
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
    sample : float
        Sub-sampling of frequent context words, see `keep_probability`; 0 for none.
    min_count, cap : int
        Senses that occur less often are left out; the most occurrences of a sense, see `sense_occurrences`.
    training
        Further options of `skip_gram`.

    Returns
    -------
    SenseVectors
        The senses that were trained and met a context word, in the inventory's order, with all of their occurrences as
        counts. A `ValueError` if there is none.
    """
    words, names = Labels(inventory), [name for senses in inventory.values() for name in senses]
    starts = np.cumsum([0, *map(len, inventory.values())])
    positions, sense, counts = sense_occurrences(tags, len(names), min_count=min_count, cap=cap, seed=seed)
    frequent = np.flatnonzero(counts >= min_count)
    place = np.full(len(names), -1, dtype=np.int64)
    place[frequent] = np.arange(len(frequent))
    options = {"window": window, "subsample": sample, "seed": seed, **training}
    trained = train_frozen(corpus, model, Labels(map(str, frequent)), positions[:, None], place[sense], **options)
    met = trained.pairs > 0
    if not met.any():
        problem = f"occurs {min_count} times and has a context word with a vector around it"
        raise ValueError(f"none of the {len(names)} senses {problem}; do corpus and model belong together?")
    rows = frequent[met]
    per_word = np.histogram(rows, starts)[0]
    has_sense = np.flatnonzero(per_word)
    meta = {"made_by": "train_senses", **options, "min_count": min_count, "cap": cap or 0}
    starts = np.cumsum([0, *per_word[has_sense]])
    names_of_rows, vectors = tuple(names[i] for i in rows), trained.target_vectors[met]
    return SenseVectors(words.take(has_sense), starts, names_of_rows, counts[rows], vectors, meta)
