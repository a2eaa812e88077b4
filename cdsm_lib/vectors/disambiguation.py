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
- A window is laid as in `cdsm_lib.text.counts`: content words take its places, stop words do not; it ends with the
  sentence. A word without a vector keeps its place and adds nothing. The tagged token itself is no part of its context.
- Equal scores: the greater prior wins, then the greater cosine, then the sense that stands first. WordNet's senses
  stand in the order of their frequency in SemCor, so ties that only this order decides are counted.
- Every sentence is tagged by itself, so the result depends neither on the number of threads nor on the chunks.
- Precision is right/answered, recall right/all, F1 their harmonic mean.

readings            how the words of a gloss are read as labels
WordNetGlosses      extended glosses of WordNet's senses
plain_glosses       glosses of one's own
SenseTagger         build, tag
semcor              SemCor as a corpus with gold senses
evaluate            precision, recall and F1 of baselines and tagger, per part of speech
"""

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np
from numba import njit

from cdsm_lib import datasets
from cdsm_lib.labels import Labels
from cdsm_lib.printing import in_words
from cdsm_lib.text import wordnet
from cdsm_lib.text.corpus import Corpus, Sentence, Token, corpus_from_sentences, read_conllu
from cdsm_lib.text.counts import content_mask

NO_SENSE = -1
WHOLE = 1 << 30  # a window that no sentence exceeds
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

    Glosses are plain text, vectors belong to ``lemma|POS``; the corpus knows which lemma and tag a form mostly has.

    Parameters
    ----------
    corpus : Corpus
        Parsed text.
    words : iterable of str, optional
        Labels; those that are no content words (stop words, numbers) are left out. All words of the corpus by default.
    n_tokens : int or None
        How many tokens are looked at; None for all.

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
    name_of, n_words = names.encode(lower), len(corpus.words)
    pairs, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start, stop in corpus.chunks():
        tokens = slice(start, stop if n_tokens is None else min(stop, n_tokens))
        word, form = np.asarray(corpus.word[tokens]), np.asarray(corpus.form[tokens])
        different, times = np.unique((name_of[form] * n_words + word)[wanted[word]], return_counts=True)
        pairs.append(different)
        counts.append(times)
    different, place_of = np.unique(np.concatenate(pairs), return_inverse=True)
    count = np.bincount(place_of, weights=np.concatenate(counts), minlength=len(different))
    name, word = np.divmod(different, max(n_words, 1))
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
    return {
        label: {sense: (Part(0, read_gloss(text, readings)),) for sense, text in senses.items()}
        for label, senses in inventory.items()
    }


class WordNetGlosses(Mapping):
    """The extended glosses of WordNet's senses, made as they are asked for.

    Parameters
    ----------
    labels : iterable of str
        Words, ``lemma|POS``; those without a sense in WordNet are left out.
    readings : mapping of str to str
        From :func:`readings`.
    distance : int
        The greatest distance of related synsets.
    lemmas : bool
        Let the words of a synset count as part of its gloss.
    examples : bool
        Let its example sentences count, too. Leave them out where the tagger meets them again in a test.

    Raises
    ------
    cdsm_lib.datasets.DataError
        If there is no WordNet; the message says how to get it.
    """

    def __init__(
        self,
        labels: Iterable[str],
        readings: Mapping[str, str],
        *,
        distance: int = 1,
        lemmas: bool = True,
        examples: bool = True,
    ):
        self.readings, self.distance, self.lemmas, self.examples = dict(readings), distance, lemmas, examples
        self.senses = {label: senses for label in dict.fromkeys(labels) if (senses := wordnet.senses_of(label))}
        self._read: dict[str, tuple[str, ...]] = {}

    def __repr__(self) -> str:
        return f"WordNetGlosses: {len(self):,} synsets"

    def __len__(self) -> int:
        return len(self.senses)

    def __iter__(self) -> Iterator[str]:
        return iter(self.senses)

    def __getitem__(self, label: str) -> dict[str, tuple[Part, ...]]:
        return {sense: self.parts(sense) for sense in self.senses[label]}

    def parts(self, sense: str) -> tuple[Part, ...]:
        """The parts of one extended gloss, nearest first."""
        return tuple(Part(d, self._words(name)) for name, d in wordnet.related(sense, self.distance).items())

    def _words(self, name: str) -> tuple[str, ...]:
        if name not in self._read:
            text = wordnet.gloss(name, examples=self.examples)
            if self.lemmas:
                text = " ".join([*wordnet.lemmas(name), text]).replace("_", " ")
            self._read[name] = read_gloss(text, self.readings)
        return self._read[name]


def gloss_weights(senses: Mapping[str, Sequence[Part]]) -> dict[str, dict[str, float]]:
    """The weight of each word in the extended gloss of each sense of one word: h x IGF / (1 + d), summed.

    Examples
    --------
    >>> senses = {"a": [Part(0, ("x", "y")), Part(1, ("x",))], "b": [Part(0, ("y",))]}
    >>> gloss_weights(senses)
    {'a': {'x': 3.0, 'y': 1.0}, 'b': {'y': 1.0}}

    *x* stands in one of two glosses, so its IGF is 1 + log2(2/1) = 2, and 2 (1 + 1/2) = 3; *y* stands in both.
    """
    found = Counter(word for parts in senses.values() for word in {word for part in parts for word in part.words})
    weights: dict[str, dict[str, float]] = {}
    for sense, parts in senses.items():
        mine = weights[sense] = {}
        for part in parts:
            for word in part.words:
                inverse = 1 + math.log2(len(senses) / found[word])
                mine[word] = mine.get(word, 0.0) + inverse / (1 + part.distance)
    return weights


# --------------------------------------------------------------------------------------------------------- the tagger


@in_words
@dataclass(frozen=True, eq=False)
class Tags:
    """What tagging gives.

    Attributes
    ----------
    senses : ndarray of int32, shape (n_tokens,)
        The sense's number, or -1.
    no_senses, no_context, monosemous, tied : int
        Tokens whose word has no senses (they get -1); with several senses but no known word around (the prior's
        best, or -1 if the prior has no weight); with one sense (they get it); where only the order of senses decided.
    """

    senses: np.ndarray
    no_senses: int
    no_context: int
    monosemous: int
    tied: int


@in_words
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

    def __post_init__(self):
        n = len(self.senses)
        if len(self.starts) != len(self.words) + 1 or self.starts[0] != 0 or self.starts[-1] != n:
            raise ValueError(f"{len(self.words)} words and {n} senses, but starts of {len(self.starts)} numbers")
        if (np.diff(self.starts) < 1).any():
            raise ValueError("each word needs a sense; leave words without senses out")
        if self.vectors.shape[:1] != (n,) or self.prior.shape != (n,):
            raise ValueError(f"{n} senses, but vectors of shape {self.vectors.shape}, prior of {self.prior.shape}")

    @classmethod
    def build(
        cls,
        glosses: Glosses,
        words: Labels,
        vectors: np.ndarray,
        frequencies: Mapping[str, Mapping[str, int]] | None = None,
    ) -> "SenseTagger":
        """Sense vectors from glosses and word vectors.

        Parameters
        ----------
        glosses : Glosses
        words : Labels
            Words that have vectors.
        vectors : array [len(words), d]
            As the caller wants them summed: bring them to length 1 first if rare words shall not weigh more.
        frequencies : mapping of word to mapping of sense to count, optional
            How often each word was seen with each sense; without it all senses of a word are equally likely.

        Raises
        ------
        ValueError
            If words and vectors differ in number, a gloss has no senses, or a frequency names an unknown sense.
        """
        vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(words):
            raise ValueError(f"{len(words)} words, but vectors of shape {vectors.shape}")
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

        Words that the tagger lacks are passed over; `ValueError` if a word has a sense that the tagger does not know.
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
        """The number of a word's sense; `ValueError` if the word does not have it."""
        senses = self.of(label)
        if sense not in senses:
            raise ValueError(f"{label} has no sense {sense!r}; its senses: {', '.join(senses) or 'none'}")
        return int(self.starts[self.words.index(label)]) + senses.index(sense)

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
        window: int | None = None,
        prior_weight: float = 0.0,
        threads: int | None = None,
    ) -> Tags:
        """Tag each token with the best sense of its word.

        Parameters
        ----------
        corpus : Corpus
        space_vectors : array [n, d]
            Word vectors of the space in which the glosses were summed.
        row_of_word : array of int, shape (len(corpus.words),)
            The row of each word of the corpus, -1 for a word without a vector.
        window : int or None
            So many content words on each side, within the sentence; None for the whole sentence.
        prior_weight : float
            alpha, from 0 (cosine alone) to 1 (prior alone).
        threads : int, optional
            As many as there are cores by default. The tags do not depend on it.

        Returns
        -------
        Tags

        Raises
        ------
        ValueError
            If shapes disagree, a row is out of range, the window is not positive, or the weight is not in [0, 1].
        """
        context = np.ascontiguousarray(space_vectors, dtype=np.float32)
        row = np.ascontiguousarray(row_of_word, dtype=np.int64)
        n_words, highest = len(corpus.words), row.max(initial=-1)
        if context.ndim != 2 or context.shape[1] != self.vectors.shape[1]:
            raise ValueError(f"senses of {self.vectors.shape[1]} dimensions, but word vectors of shape {context.shape}")
        if row.shape != (n_words,) or row.min(initial=-1) < -1 or highest >= len(context):
            raise ValueError(
                f"row_of_word has shape {row.shape} and rows to {highest}; it must give each of the corpus's {n_words} "
                f"words a row of the {len(context)} vectors, or -1"
            )
        if window is not None and window < 1:
            raise ValueError(f"window {window}; it must be 1 or more, or None for the whole sentence")
        if not 0 <= prior_weight <= 1:
            raise ValueError(f"prior_weight {prior_weight}; it must be from 0 to 1")
        word_of = self.words.encode(corpus.words)
        takes_place = np.ascontiguousarray(content_mask(corpus.words))
        width, threads = window or WHOLE, threads or os.cpu_count() or 1
        tagged = np.empty(corpus.n_tokens, dtype=np.int32)

        def work(block: tuple[int, int]) -> np.ndarray:
            start, stop = block
            low, high = np.searchsorted(corpus.offsets, block)
            return _tag(
                np.asarray(corpus.word[start:stop]), np.asarray(corpus.offsets[low : high + 1]) - start, word_of, row,
                takes_place, context, self.starts, self.vectors, self.prior, width, np.float32(prior_weight),
                tagged[start:stop],
            )  # fmt: skip

        with ThreadPoolExecutor(threads) as pool:
            blocks = corpus.chunks(max(1, min(2_000_000, corpus.n_tokens // threads)))
            tally = sum(pool.map(work, blocks), np.zeros(4, dtype=np.int64))
        return Tags(tagged, *tally.tolist())


def _weighted_sum(weights: Mapping[str, float], words: Labels, vectors: np.ndarray) -> np.ndarray:
    """The weighted sum of the known words' vectors, brought to length 1; zero if none is known."""
    known = [(row, weight) for word, weight in weights.items() if (row := words.get(word)) >= 0]
    if not known:
        return np.zeros(vectors.shape[1])
    rows, factors = zip(*known, strict=True)
    total = np.array(factors) @ vectors[list(rows)].astype(np.float64)
    return total / (np.linalg.norm(total) or 1.0)


@njit(nogil=True, cache=True)
def _tag(word, offsets, word_of, row, takes_place, vectors, starts, senses, prior, window, alpha, tagged):
    """Tag the sentences of `word` into `tagged`; returns how many had no senses, no context, one sense, a tie."""
    d = vectors.shape[1]
    tally = np.zeros(4, dtype=np.int64)
    longest = 0
    for s in range(len(offsets) - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    sums = np.zeros((longest + 1, d))  # of the first so many places: float64, so that differences stay exact
    known = np.zeros(longest + 1, dtype=np.int64)
    context = np.empty(d, dtype=np.float32)
    for s in range(len(offsets) - 1):
        first, last = offsets[s], offsets[s + 1]
        n = _sum_places(word[first:last], row, takes_place, vectors, sums, known)
        place = 0
        for i in range(first, last):
            w = word[i]
            here = takes_place[w]
            t = word_of[w]
            if t < 0:
                tagged[i] = NO_SENSE
                tally[0] += 1
            elif starts[t + 1] - starts[t] == 1:
                tagged[i] = starts[t]
                tally[2] += 1
            else:
                low, high = max(0, place - window), min(n, place + here + window)
                own = row[w] if here else -1
                if known[high] - known[low] - (own >= 0) == 0:
                    tally[1] += 1
                    context[:] = 0
                    scored = alpha > 0
                else:
                    _context(sums[low], sums[high], vectors, own, context)
                    scored = True
                tagged[i] = NO_SENSE
                if scored:
                    best, tied = _best(context, senses, prior, starts[t], starts[t + 1], alpha)
                    tagged[i] = best
                    tally[3] += tied
            place += here
    return tally


@njit(nogil=True, cache=True)
def _sum_places(word, row, takes_place, vectors, sums, known):
    """Running sums of the vectors, and counts of the known words, of the words that take places; how many do."""
    n = 0
    for w in word:
        if takes_place[w]:
            known[n + 1] = known[n] + (row[w] >= 0)
            if row[w] >= 0:
                for j in range(vectors.shape[1]):
                    sums[n + 1, j] = sums[n, j] + vectors[row[w], j]
            else:
                sums[n + 1] = sums[n]
            n += 1
    return n


@njit(nogil=True, cache=True)
def _context(below, above, vectors, own, context):
    """What stands between two running sums without the word itself, brought to length 1; zero if it cancels out."""
    length = 0.0
    size = 0.0
    for j in range(len(context)):
        value = above[j] - below[j]
        if own >= 0:
            value -= vectors[own, j]
        context[j] = value
        length += value * value
        size += above[j] * above[j] + below[j] * below[j]
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
    """The sense with the greatest score, then prior, then cosine, then the first; and whether all three are shared."""
    best, top, likely, near, tied = low, np.float32(-np.inf), np.float32(0), np.float32(0), False
    for g in range(low, high):
        cosine = _cosine(context, senses[g])
        score = (np.float32(1) - alpha) * cosine + alpha * prior[g]
        if score == top and prior[g] == likely and cosine == near:
            tied = True
        elif score > top or (score == top and (prior[g] > likely or (prior[g] == likely and cosine > near))):
            best, top, likely, near, tied = g, score, prior[g], cosine, False
    return best, tied


# ------------------------------------------------------------------------------------------------- how good it is

NAMES = ("person", "group", "location")  # what SemCor tags a proper name with that WordNet lacks
TAGS = ("NOUN", "VERB", "ADJ", "ADV")
ALL = "ALL"
WEIGHTS = tuple(i / 10 for i in range(11))


@in_words
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
    left_out : dict of str to int
        Tagged tokens that are no items: ``multiword`` (one sense for several tokens), ``name`` (a proper name tagged
        as person, group or location), ``unreadable`` (keys that WordNet lacks).
    """

    corpus: Corpus
    tokens: np.ndarray
    senses: tuple[str, ...]
    pos: np.ndarray
    documents: np.ndarray
    left_out: dict[str, int]

    def frequencies(self, items: np.ndarray, tagger: SenseTagger) -> dict[str, Counter]:
        """How often each of the tagger's words has each of its senses among these items (a mask)."""
        counts: dict[str, Counter] = defaultdict(Counter)
        for i in np.flatnonzero(items).tolist():
            label = self.corpus.words[self.corpus.word[self.tokens[i]]]
            if self.senses[i] in tagger.of(label):
                counts[label][self.senses[i]] += 1
        return counts


@cache
def semcor(sentences: int | None = None) -> Gold:
    """SemCor 3.0, or its first so many sentences.

    Raises
    ------
    cdsm_lib.datasets.DataError
        If SemCor or WordNet cannot be had; the message says how to get it.
    """
    return read_gold(islice(read_conllu(datasets.fetch("semcor", "semcor.conllu.xz")), sentences))


def marked(sentence: Sentence) -> Iterator[tuple[int, Token, dict[str, str]]]:
    """The tokens with ``Sense=`` in MISC: place, token, and the entries of MISC."""
    for place, token in enumerate(sentence):
        if "Sense=" in token.misc:
            yield place, token, dict(entry.partition("=")[::2] for entry in token.misc.split("|"))


def read_gold(sentences: Iterable[Sentence], synset_of_key=wordnet.synset_of_key) -> Gold:
    """Sentences whose tokens have ``Sense=<sense key>`` in MISC; ``sent_id`` is the document, # and a number.

    Parameters
    ----------
    sentences : iterable of Sentence
    synset_of_key : function of str to str
        Raises ValueError for a key that it does not know.

    Raises
    ------
    ValueError
        If a sentence with senses has no ``sent_id``.
    """
    sentences, at = list(sentences), 0
    items, documents, left_out = [], {}, {"multiword": 0, "name": 0, "unreadable": 0}
    for sentence in sentences:
        for place, token, misc in marked(sentence):
            if "sent_id" not in sentence.comments:
                raise ValueError(f"a sentence with senses has no sent_id, which names its document: {token.form} ...")
            lemma, _, key = misc["Sense"].rpartition("%")
            name = token.upos == "PROPN" and lemma in NAMES and token.lemma != lemma
            reason = "multiword" if "Span" in misc else "name" if name else ""
            try:
                sense = "" if reason else synset_of_key(misc["Sense"])
            except ValueError:
                reason = "unreadable"
            if reason:
                left_out[reason] += 1
                continue
            document = documents.setdefault(sentence.comments["sent_id"].rpartition("#")[0], len(documents))
            items.append((at + place, sense, wordnet.TAG_OF_TYPE[key[0]], document))
        at += len(sentence)
    tokens, senses, pos, numbers = zip(*items, strict=True) if items else ((), (), (), ())
    return Gold(
        corpus_from_sentences(sentences), np.array(tokens, dtype=np.int64), senses, np.array(pos, dtype=str),
        np.array(numbers, dtype=np.int64), left_out,
    )  # fmt: skip


@dataclass(frozen=True)
class Score:
    """Items, how many of them were answered, and how many rightly (a guess among k counts 1/k)."""

    items: int
    answered: int
    correct: float

    @property
    def precision(self) -> float:
        """Right answers among the answers; 0 without any."""
        return self.correct / self.answered if self.answered else 0.0

    @property
    def recall(self) -> float:
        """Right answers among the items; 0 without any."""
        return self.correct / self.items if self.items else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of the two: 2 correct / (items + answered)."""
        return 2 * self.correct / (self.items + self.answered) if self.items else 0.0

    def __add__(self, other: "Score") -> "Score":
        return Score(self.items + other.items, self.answered + other.answered, self.correct + other.correct)


def scores_by_pos(pos: np.ndarray, answered: np.ndarray, credit: np.ndarray) -> dict[str, Score]:
    """Scores of the four parts of speech and of ``ALL`` items; `credit` is what each answer is worth, 0 to 1.

    Examples
    --------
    >>> scores = scores_by_pos(np.array(["NOUN", "NOUN", "VERB"]), np.array([1, 0, 1]), np.array([1, 0, 0.5]))
    >>> scores["NOUN"].precision, scores["NOUN"].recall, round(scores["NOUN"].f1, 3), scores["ALL"].f1
    (1.0, 0.5, 0.667, 0.6)
    """
    return {
        tag: Score(int(here.sum()), int(np.sum(answered[here])), float(np.sum(credit[here])))
        for tag in (*TAGS, ALL)
        for here in [(pos == tag) | (tag == ALL)]
    }


@dataclass(frozen=True)
class Evaluation:
    """Scores of each system by part of speech, and of each weight of the prior.

    Attributes
    ----------
    scores : dict of str to dict of str to Score
        ``random`` (expected value), ``most frequent`` and ``Lesk with prior`` (frequencies from the other half of the
        documents), ``Lesk``, and ``first sense``: that one stands first because it is frequent in SemCor, so on
        SemCor its score is contaminated.
    weights : tuple of float
        The prior's weight in each fold, chosen within the training half.
    curve : dict of float to Score
        Lesk with each weight, the prior from the other half: to look at, not to choose from.
    """

    scores: dict[str, dict[str, Score]]
    weights: tuple[float, ...]
    curve: dict[float, Score]


def evaluate(
    tagger: SenseTagger,
    gold: Gold,
    vectors: np.ndarray,
    row_of_word: np.ndarray,
    *,
    window: int | None = None,
    weights: Sequence[float] = WEIGHTS,
    threads: int | None = None,
) -> Evaluation:
    """How well the tagger and its baselines find the gold senses, in two folds by document.

    Every second document is one half. What a system learns about frequencies on one half is tested on the other,
    both ways, and the items of both are scored together. The prior's weight is chosen inside the training half, with
    frequencies of one half of *its* documents and F1 on the other, both ways; of equals the smallest.

    Parameters
    ----------
    tagger : SenseTagger
        Its own prior is not used.
    gold : Gold
    vectors, row_of_word, window
        As for `SenseTagger.tag`; rows for ``gold.corpus.words``.
    weights : sequence of float
        Weights of the prior to choose from.

    Raises
    ------
    ValueError
        If there are fewer than four documents, or no weight; or as `SenseTagger.tag`.
    """
    if len(np.unique(gold.documents)) < 4 or not len(weights):
        raise ValueError(
            f"{len(np.unique(gold.documents))} documents and {len(weights)} weights; "
            "two folds and a choice within them need four documents or more, and a weight"
        )
    labels = [gold.corpus.words[w] for w in gold.corpus.word[gold.tokens]]
    word, sizes = tagger.words.encode(labels), np.diff(tagger.starts)
    pairs = zip(labels, gold.senses, strict=True)
    right = np.array([tagger.number(w, s) if s in tagger.of(w) else -1 for w, s in pairs], dtype=np.int64)
    known, nothing = word >= 0, np.zeros(len(word))

    def frequent(items: np.ndarray) -> SenseTagger:
        return tagger.with_prior(gold.frequencies(items, tagger))

    def lesk(model: SenseTagger, weight: float) -> tuple[np.ndarray, np.ndarray]:
        tags = model.tag(gold.corpus, vectors, row_of_word, window=window, prior_weight=weight, threads=threads).senses[
            gold.tokens
        ]
        return tags >= 0, ((tags == right) & (tags >= 0)).astype(float)

    def score(model: SenseTagger, weight: float, items: np.ndarray) -> Score:
        answered, credit = lesk(model, weight)
        return scores_by_pos(gold.pos[items], answered[items], credit[items])[ALL]

    half, quarter = gold.documents % 2, gold.documents // 2 % 2
    systems = {
        "random": (known, np.where(right >= 0, 1 / sizes[word], 0.0)),
        "most frequent": (known, nothing.copy()),
        "Lesk": lesk(frequent(nothing), 0.0),
        "Lesk with prior": (nothing.astype(bool), nothing.copy()),
        "first sense": (known, (known & (right == tagger.starts[word])).astype(float)),
    }
    best_weights, curve = [], dict.fromkeys(weights, Score(0, 0, 0))
    for fold in (0, 1):
        train, held = half != fold, half == fold
        model = frequent(train)
        systems["most frequent"][1][held] = _most_frequent(model, word, right)[held]
        inner = [(frequent(train & (quarter == q)), train & (quarter != q)) for q in (0, 1)]
        f1 = {a: sum((score(m, a, items) for m, items in inner), Score(0, 0, 0)).f1 for a in weights}
        best_weights.append(max(weights, key=lambda a: (f1[a], -a)))
        for a in weights:
            curve[a] += score(model, a, held)
        for of_fold, of_all in zip(lesk(model, best_weights[-1]), systems["Lesk with prior"], strict=True):
            of_all[held] = of_fold[held]
    scores = {name: scores_by_pos(gold.pos, *answers) for name, answers in systems.items()}
    return Evaluation(scores, tuple(best_weights), curve)


def _most_frequent(tagger: SenseTagger, word: np.ndarray, right: np.ndarray) -> np.ndarray:
    """1/k if the right sense is one of the k most frequent ones of its word; all are if the word was not seen."""
    most = np.maximum.reduceat(tagger.prior, tagger.starts[:-1])
    best = tagger.prior == most[tagger.word_of]
    shared = np.add.reduceat(best.astype(np.int64), tagger.starts[:-1])
    return np.where((right >= 0) & best[right], 1 / shared[word], 0.0)
