r"""Which sense of a word is meant: Lesk's algorithm with glosses extended along WordNet's relations and with vectors.

Basile, Caputo and Semeraro (2014). An Enhanced Lesk Word Sense Disambiguation Algorithm through a Distributional
Semantic Model. COLING, 1591-1600.

A word :math:`w_i` has senses :math:`S_i`. The gloss of sense :math:`s_{ij}` is extended to :math:`g^*_{ij}` by the
glosses of related senses at distance d (its own has d = 0). A word :math:`w_k` that occurs h times in a gloss at
distance d has the weight

.. math:: h \times IGF_k \times \frac{1}{1+d}, \qquad IGF_k = 1 + \log_2\frac{|S_i|}{gf^*_k},

summed over the glosses; :math:`gf^*_k` counts the extended glosses of :math:`w_i`'s senses in which it occurs. A sense
is the weighted sum of its words' vectors, a context the sum of the vectors of the words around. The score of a sense
mixes the cosine of the two with how frequent the sense is,

.. math:: (1 - \alpha)\,\cos(\mathbf{g}^*_{ij}, \mathbf{c}) + \alpha\,p(s_{ij}\mid w_i), \qquad
          p(s_{ij}\mid w_i) = \frac{t(w_i, s_{ij}) + 1}{\#w_i + |S_i|},

where t counts :math:`w_i` with this sense in a tagged corpus. The paper's inventory is BabelNet, its vectors are those
of a reduced co-occurrence matrix; ours are WordNet, or any `Glosses`, and any vectors. A weight
alpha is chosen on tagged text (`evaluate`).

Conventions
-----------
- Words are labels ``lemma|POS``. Senses are numbered through all words: word w has senses starts[w] to starts[w + 1].
- The context is the sentence's content words as in `cdsm_lib.text.counts`, without the tagged token itself. A stop word
  or a word without a vector adds nothing.
- Equal scores: the greater prior wins, then the greater cosine, then the sense that stands first.
- Every sentence is tagged by itself, so the result depends neither on the number of threads nor on the chunks.
- With precision right/answered and recall right/all, F1 is their harmonic mean.
"""

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numba import njit

from cdsm_lib import datasets
from cdsm_lib.labels import Labels
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import Corpus, Sentence, Token, corpus_from_sentences, read_conllu
from cdsm_lib.text.counts import content_mask
from cdsm_lib.text.parts import piece

NO_SENSE = -1
_LETTERS = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


# --------------------------------------------------------------------------------------------------------- glosses


class Part(NamedTuple):
    """A gloss that belongs to an extended gloss: its distance from the sense, and its words as labels."""

    distance: int
    words: tuple[str, ...]


Glosses = Mapping[str, Mapping[str, Sequence[Part]]]
"""For each word its senses in order, for each sense the parts of its extended gloss."""


def readings(
    corpus: Corpus, words: Iterable[str] | None = None, *, n_tokens: int | None = 20_000_000
) -> dict[str, str]:
    """How an untagged word form is read: as that word for which it stands most often in the corpus.

    Glosses are plain text, vectors belong to ``lemma|POS``; the corpus, of which the first `n_tokens` are looked at
    (None for all), knows which lemma and tag a form mostly has. `words` are the labels that may be read; those that are
    no content words (stop words, numbers) are left out.

    Returns
    -------
    dict of str to str
        Label by lower-case form. Of readings that are equally frequent, the word that is more frequent in the corpus
        wins, and then the first in alphabetical order. A lemma that never stands as a form of its own is not in it.
    """
    wanted, lower = np.full(len(corpus.words), words is None), [form.lower() for form in corpus.forms]
    if words is not None:
        words = Labels(words)
        places = corpus.words.encode(words)
        wanted[places[(places >= 0) & content_mask(words)]] = True
    names = Labels(dict.fromkeys(lower))
    name_of, n_words = names.encode(lower), max(1, len(corpus.words))
    word, form = np.asarray(corpus.word[:n_tokens]), np.asarray(corpus.form[:n_tokens])
    chosen = wanted[word]
    pairs, count = np.unique(name_of[form[chosen]] * n_words + word[chosen], return_counts=True)
    name, word = np.divmod(pairs, n_words)
    order = np.lexsort((word, -count, name))  # words are numbered by falling frequency, equals by alphabet
    first = order[np.unique(name[order], return_index=True)[1]]
    return {names[i]: corpus.words[j] for i, j in zip(name[first].tolist(), word[first].tolist(), strict=True)}


def read_gloss(text: str, readings: Mapping[str, str]) -> tuple[str, ...]:
    """The words of a gloss that have a reading, in order; the others, stop words among them, are left out.

    >>> read_gloss("a kind of bank", {"bank": "bank|NOUN", "kind": "kind|NOUN"})
    ('kind|NOUN', 'bank|NOUN')
    """
    return tuple(readings[form] for form in _LETTERS.findall(text.lower()) if form in readings)


def plain_glosses(inventory: Mapping[str, Mapping[str, str]], readings: Mapping[str, str]) -> Glosses:
    """Glosses of one's own: ``{lexeme: {sense: gloss}}`` becomes `Glosses` without related senses.

    Examples
    --------
    >>> plain_glosses({"bank|NOUN": {"river": "sloping land"}}, {"land": "land|NOUN"})
    {'bank|NOUN': {'river': (Part(distance=0, words=('land|NOUN',)),)}}
    """
    glosses: dict[str, dict[str, tuple[Part, ...]]] = {}
    for label, senses in inventory.items():
        glosses[label] = {sense: (Part(0, read_gloss(text, readings)),) for sense, text in senses.items()}
    return glosses


def wordnet_glosses(labels: Iterable[str], readings: Mapping[str, str]) -> Glosses:
    """The extended glosses of WordNet's senses: definitions and lemmas of a synset and of those next to it.

    Their example sentences are left out: the tagger would meet them again in the task on sense discrimination.

    Words (labels) without a sense in WordNet are left out; `readings` are those of :func:`readings`. A `DataError` says
    how to get WordNet if there is none.
    """

    @cache
    def words(name: str) -> tuple[str, ...]:
        return read_gloss(wordnet.gloss(name), readings)

    def related(sense: str) -> Iterator[Part]:
        return (Part(1, words(name)) for name in wordnet.neighbours(sense) if name != sense)

    def senses(label: str) -> dict[str, tuple[Part, ...]]:
        return {sense: (Part(0, words(sense)), *related(sense)) for sense in wordnet.senses_of(label)}

    glosses = {label: senses(label) for label in dict.fromkeys(labels)}
    return {label: of_label for label, of_label in glosses.items() if of_label}


def gloss_weights(senses: Mapping[str, Sequence[Part]]) -> dict[str, dict[str, float]]:
    """The weight of each word in the extended gloss of each sense of one word: h x IGF / (1 + d), summed.

    Examples
    --------
    >>> senses = {"a": [Part(0, ("x", "y")), Part(1, ("x",))], "b": [Part(0, ("y",))]}
    >>> gloss_weights(senses)
    {'a': {'x': 3.0, 'y': 1.0}, 'b': {'y': 1.0}}

    *x* stands in one of two glosses, so its IGF is 1 + log2(2/1) = 2, and 2 (1 + 1/2) = 3; *y* stands in both.
    """
    glosses_with: Counter[str] = Counter()
    for parts in senses.values():
        glosses_with.update({word for part in parts for word in part.words})
    weights: dict[str, dict[str, float]] = {}
    for sense, parts in senses.items():
        mine = weights[sense] = {}
        for part in parts:
            for word in part.words:
                inverse = 1 + math.log2(len(senses) / glosses_with[word])
                mine[word] = mine.get(word, 0.0) + inverse / (1 + part.distance)
    return weights


# --------------------------------------------------------------------------------------------------------- the tagger


@dataclass(frozen=True, eq=False)
class SenseTagger:
    """Words with their senses as unit vectors.

    Attributes
    ----------
    words : Labels
    starts : ndarray of int64, shape (len(words) + 1,)
        Word w has senses ``starts[w]`` to ``starts[w + 1]``.
    senses : tuple of str
        The name of each sense; a synset that belongs to several words stands once for each.
    vectors : ndarray of float32, shape (len(senses), d)
        Of length 1; zero for a sense of whose gloss no word is known.
    prior : ndarray of float32, shape (len(senses),)
        p(s|w), add-one smoothed; sums to 1 over the senses of each word.
    """

    words: Labels
    starts: np.ndarray
    senses: tuple[str, ...]
    vectors: np.ndarray
    prior: np.ndarray

    @classmethod
    def build(
        cls,
        glosses: Glosses,
        words: Labels,
        vectors: np.ndarray,
        frequencies: Mapping[str, Mapping[str, int]] | None = None,
    ) -> "SenseTagger":
        """Sense vectors from glosses and word vectors.

        `vectors` [len(words), d] are summed as they are: bring them to length 1 first if rare words shall not weigh
        more. `frequencies` say how often each word was seen with each sense; without them all senses of a word are
        equally likely.
        """
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        labels, starts, names, rows = list(glosses), [0], [], []
        for label in labels:
            weights = gloss_weights(glosses[label])
            names += weights
            starts.append(len(names))
            rows += [_weighted_sum(mine, words, vectors) for mine in weights.values()]
        table = np.array(rows, dtype=np.float32).reshape(len(names), vectors.shape[1])
        prior = np.zeros(len(names), dtype=np.float32)
        tagger = cls(Labels(labels), np.array(starts, dtype=np.int64), tuple(names), table, prior)
        return tagger.with_prior(frequencies or {})

    def with_prior(self, frequencies: Mapping[str, Mapping[str, int]]) -> "SenseTagger":
        """The same senses with ``p(s|w) = (t(w, s) + 1) / (#w + |S|)`` of these counts.

        Words that the tagger lacks are passed over.
        """
        times = np.zeros(len(self.senses))
        for label, seen in frequencies.items():
            if label in self.words:
                for sense, count in seen.items():
                    times[self.number(label, sense)] = count
        sizes = np.diff(self.starts)
        totals = np.add.reduceat(times, self.starts[:-1]) if len(times) else np.zeros(0)
        prior = (times + 1) / np.repeat(totals + sizes, sizes)
        return replace(self, prior=prior.astype(np.float32))

    def of(self, label: str) -> tuple[str, ...]:
        """The senses of a word in order; none for a word that the tagger lacks."""
        w = self.words.get(label)
        return self.senses[self.starts[w] : self.starts[w + 1]] if w >= 0 else ()

    def number(self, label: str, sense: str) -> int:
        """The number of a word's sense; `KeyError` or `ValueError` if the word does not have it."""
        return int(self.starts[self.words.index(label)]) + self.of(label).index(sense)

    @cached_property
    def word_of(self) -> np.ndarray:
        """The word of each sense: int64, shape (len(senses),)."""
        return np.repeat(np.arange(len(self.words)), np.diff(self.starts))

    def tag(
        self,
        corpus: Corpus,
        space_vectors: np.ndarray,
        row_of_word: np.ndarray,
        *,
        prior_weight: float = 0.0,
        threads: int | None = None,
    ) -> np.ndarray:
        """Tag each token with the best sense of its word.

        Parameters
        ----------
        corpus : Corpus
        space_vectors : array [n, d]
            Word vectors of the space in which the glosses were summed.
        row_of_word : array of int, shape (len(corpus.words),)
            The row of each word of the corpus, -1 for a word without a vector.
        prior_weight : float
            alpha, from 0 (cosine alone) to 1 (prior alone).
        threads : int, optional
            As many as there are cores by default. The tags do not depend on it.

        Returns
        -------
        int32 array [n_tokens]
            The sense's number, or -1: for a word without senses, and for a word of several senses with no known word
            around it if the prior has no weight (otherwise the prior's best).
        """
        vectors = np.ascontiguousarray(space_vectors, dtype=np.float32)
        row = np.where(content_mask(corpus.words), row_of_word, -1).astype(np.int64)
        word_of, threads = self.words.encode(corpus.words), threads or os.cpu_count() or 1
        tagged = np.empty(corpus.n_tokens, dtype=np.int32)

        def work(block: tuple[int, int]) -> None:
            _tag(*piece(corpus, block), word_of, row, vectors, self.starts, self.vectors, self.prior,
                 np.float32(prior_weight), tagged[slice(*block)])  # fmt: skip

        with ThreadPoolExecutor(threads) as pool:
            blocks = corpus.chunks(max(1, min(2_000_000, corpus.n_tokens // threads)))
            list(pool.map(work, blocks))
        return tagged


def _weighted_sum(weights: Mapping[str, float], words: Labels, vectors: np.ndarray) -> np.ndarray:
    """The weighted sum of the known words' vectors, brought to length 1; zero if none is known."""
    known = [(row, weight) for word, weight in weights.items() if (row := words.get(word)) >= 0]
    if not known:
        return np.zeros(vectors.shape[1])
    rows, factors = zip(*known, strict=True)
    total = np.array(factors) @ vectors[list(rows)].astype(np.float64)
    return total / (np.linalg.norm(total) or 1.0)


@njit(nogil=True, cache=True)
def _tag(word, offsets, word_of, row, vectors, starts, senses, prior, alpha, tagged):
    """Tag the sentences of `word` into `tagged`."""
    d = vectors.shape[1]
    context = np.empty(d, dtype=np.float32)
    for s in range(len(offsets) - 1):
        first, last = offsets[s], offsets[s + 1]
        total, known = np.zeros(d), 0  # float64, so that differences stay exact
        for w in word[first:last]:
            if row[w] >= 0:
                known += 1
                for j in range(d):
                    total[j] += vectors[row[w], j]
        for i in range(first, last):
            vector_row, t = row[word[i]], word_of[word[i]]
            if t < 0:
                tagged[i] = NO_SENSE
            elif starts[t + 1] - starts[t] == 1:
                tagged[i] = starts[t]
            else:
                alone = known == (vector_row >= 0)
                if alone:
                    context[:] = 0
                else:
                    _context(total, vectors, vector_row, context)
                tagged[i] = NO_SENSE
                if alpha > 0 or not alone:
                    tagged[i] = _best(context, senses, prior, starts[t], starts[t + 1], alpha)


@njit(nogil=True, cache=True)
def _context(total, vectors, vector_row, context):
    """The direction of a sentence's sum less the token's own vector (-1: none); 0 if they cancel out."""
    length = 0.0
    size = 0.0
    for j in range(len(context)):
        value = total[j]
        if vector_row >= 0:
            value -= vectors[vector_row, j]
        context[j] = value
        length += value * value
        size += total[j] * total[j]
    if length <= 1e-20 * size:
        context[:] = 0
    else:
        context *= np.float32(1 / np.sqrt(length))


@njit(nogil=True, cache=True, fastmath=True)
def _cosine(a, b):
    total = np.float32(0)
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@njit(nogil=True, cache=True)
def _best(context, senses, prior, low, high, alpha):
    """The sense with the greatest score, then prior, then cosine, then the first."""
    best, top, likely, near = low, np.float32(-np.inf), np.float32(0), np.float32(0)
    for g in range(low, high):
        cosine = _cosine(context, senses[g])
        score = (np.float32(1) - alpha) * cosine + alpha * prior[g]
        if score > top or (score == top and (prior[g] > likely or (prior[g] == likely and cosine > near))):
            best, top, likely, near = g, score, prior[g], cosine
    return best


# ------------------------------------------------------------------------------------------------- how good it is

NAMES = ("person", "group", "location")  # what SemCor tags a proper name with that WordNet lacks
TAGS = ("NOUN", "VERB", "ADJ", "ADV")
ALL = "ALL"
WEIGHTS = tuple(i / 10 for i in range(11))


@dataclass(frozen=True, eq=False)
class Gold:
    """Running text in which some tokens have a sense.

    Attributes
    ----------
    corpus : Corpus
    tokens : ndarray of int64, shape (n,)
        The tokens that have one.
    senses : tuple of str
        Their synsets.
    pos : ndarray of str, shape (n,)
        Part of speech of the sense; the tagger's may differ.
    documents : ndarray of int64, shape (n,)
        Number of the document in which each stands.
    """

    corpus: Corpus
    tokens: np.ndarray
    senses: tuple[str, ...]
    pos: np.ndarray
    documents: np.ndarray

    def frequencies(self, items: np.ndarray, tagger: SenseTagger) -> dict[str, Counter]:
        """How often each of the tagger's words has each of its senses among these items (a mask)."""
        counts: dict[str, Counter] = defaultdict(Counter)
        for i in np.flatnonzero(items).tolist():
            label = self.corpus.words[self.corpus.word[self.tokens[i]]]
            if self.senses[i] in tagger.of(label):
                counts[label][self.senses[i]] += 1
        return counts


@cache
def semcor() -> Gold:
    """SemCor 3.0.

    Raises `DataError` if SemCor or WordNet cannot be had; the message says how to get it.
    """
    return read_gold(read_conllu(datasets.fetch("semcor", "semcor.conllu.xz")))


def marked(sentence: Sentence) -> Iterator[tuple[int, Token, dict[str, str]]]:
    """The tokens with ``Sense=`` in MISC: place, token, and the entries of MISC."""
    for place, token in enumerate(sentence):
        if "Sense=" in token.misc:
            yield place, token, dict(entry.partition("=")[::2] for entry in token.misc.split("|"))


def read_gold(sentences: Iterable[Sentence], synset_of_key=wordnet.synset_of_key) -> Gold:
    """Sentences whose tokens have ``Sense=<sense key>`` in MISC; ``sent_id`` is the document, # and a number.

    No items are tokens that share one sense (``Span``), proper names tagged as person, group or location, and keys that
    WordNet lacks.

    Parameters
    ----------
    sentences : iterable of Sentence
    synset_of_key : function of str to str
        Raises ValueError for a key that it does not know.
    """
    sentences, start = list(sentences), 0
    items, documents = [], {}
    for sentence in sentences:
        for place, token, misc in marked(sentence):
            lemma, _, key = misc["Sense"].rpartition("%")
            is_name = token.upos == "PROPN" and lemma in NAMES and token.lemma != lemma
            if "Span" in misc or is_name:
                continue
            with suppress(ValueError):
                sense = synset_of_key(misc["Sense"])
                document = documents.setdefault(sentence.comments["sent_id"].rpartition("#")[0], len(documents))
                items.append((start + place, sense, wordnet.TAG_OF_TYPE[key[0]], document))
        start += len(sentence)
    tokens, senses, pos, numbers = zip(*items, strict=True) if items else ((), (), (), ())
    return Gold(
        corpus_from_sentences(sentences), np.array(tokens, dtype=np.int64), senses, np.array(pos, dtype=str),
        np.array(numbers, dtype=np.int64),
    )  # fmt: skip


@dataclass(frozen=True)
class Score:
    """Items, how many of them were answered, and how many rightly (a guess among k counts 1/k)."""

    items: int
    answered: int
    correct: float

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall: 2 correct / (items + answered); 0 without items."""
        return 2 * self.correct / (self.items + self.answered) if self.items else 0.0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.items + other.items, self.answered + other.answered, self.correct + other.correct)


def scores_by_pos(pos: np.ndarray, answered: np.ndarray, credit: np.ndarray) -> dict[str, Score]:
    """Scores of the four parts of speech and of ``ALL`` items; `credit` is what each answer is worth, 0 to 1.

    Examples
    --------
    >>> scores = scores_by_pos(np.array(["NOUN", "NOUN", "VERB"]), np.array([1, 0, 1]), np.array([1, 0, 0.5]))
    >>> round(scores["NOUN"].f1, 3), scores["ALL"].f1
    (0.667, 0.6)
    """
    scores = {}
    for tag in (*TAGS, ALL):
        here = (pos == tag) | (tag == ALL)
        scores[tag] = Score(int(here.sum()), int(np.sum(answered[here])), float(np.sum(credit[here])))
    return scores


def evaluate(
    tagger: SenseTagger,
    gold: Gold,
    vectors: np.ndarray,
    row_of_word: np.ndarray,
    *,
    weights: Sequence[float] = WEIGHTS,
) -> dict[str, dict[str, Score]]:
    """How well the tagger and its baselines find the gold senses, in two folds by document.

    Every second document is one half. What a system learns about frequencies on one half is tested on the other,
    both ways, and the items of both are scored together. The prior's weight is chosen inside the training half, with
    frequencies of one half of *its* documents and F1 on the other, both ways; of equals the smallest.

    Parameters
    ----------
    tagger : SenseTagger
        Its own prior is not used.
    gold : Gold
        Of four documents or more.
    vectors, row_of_word
        As for `SenseTagger.tag`; rows for ``gold.corpus.words``.
    weights : sequence of float
        Weights of the prior to choose from.

    Returns
    -------
    dict of str to dict of str to Score
        By system and part of speech: ``random`` (expected value), ``most frequent`` and ``Lesk with prior``
        (frequencies from the other half of the documents), ``Lesk``, and ``first sense``: that one stands first
        because it is frequent in SemCor, so on SemCor its score is contaminated.
    """
    labels = [gold.corpus.words[w] for w in gold.corpus.word[gold.tokens]]
    word, sizes = tagger.words.encode(labels), np.diff(tagger.starts)
    pairs = zip(labels, gold.senses, strict=True)
    right = np.array([tagger.number(w, s) if s in tagger.of(w) else -1 for w, s in pairs], dtype=np.int64)
    known = word >= 0

    def learned(items: np.ndarray) -> SenseTagger:
        return tagger.with_prior(gold.frequencies(items, tagger))

    def tagged(model: SenseTagger, weight: float) -> tuple[np.ndarray, np.ndarray]:
        tags = model.tag(gold.corpus, vectors, row_of_word, prior_weight=weight)[gold.tokens]
        return tags >= 0, ((tags == right) & (tags >= 0)).astype(float)

    def random(training: np.ndarray):
        return known, np.where(right >= 0, 1 / sizes[word], 0.0)

    def lesk(training: np.ndarray):
        return tagged(learned(np.zeros_like(training)), 0.0)

    def first_sense(training: np.ndarray):
        return known, (known & (right == tagger.starts[word])).astype(float)

    def most_frequent(training: np.ndarray):
        prior = learned(training).prior
        best = prior == np.maximum.reduceat(prior, tagger.starts[:-1])[tagger.word_of]
        shared = np.add.reduceat(best.astype(np.int64), tagger.starts[:-1])
        return known, np.where((right >= 0) & best[right], 1 / shared[word], 0.0)  # a guess among the k most frequent

    def lesk_with_prior(training: np.ndarray):
        quarter = gold.documents // 2 % 2
        halves = [(learned(training & (quarter == q)), training & (quarter != q)) for q in (0, 1)]

        def f1(weight: float) -> float:
            total = Score(0, 0, 0)
            for model, items in halves:
                answered, credit = tagged(model, weight)
                total += scores_by_pos(gold.pos[items], answered[items], credit[items])[ALL]
            return total.f1

        return tagged(learned(training), max(weights, key=lambda weight: (f1(weight), -weight)))

    scores = {}
    for system in (random, lesk, first_sense, most_frequent, lesk_with_prior):
        answered, credit = np.zeros(len(word), dtype=bool), np.zeros(len(word))
        for fold in (0, 1):
            held = gold.documents % 2 == fold
            answers, credits = system(training=~held)
            answered[held], credit[held] = answers[held], credits[held]
        name = system.__name__.replace("_", " ").replace("lesk", "Lesk")
        scores[name] = scores_by_pos(gold.pos, answered, credit)
    return scores
