"""Word vectors in context, composed to sentences: the models that Cheung & Penn (2012, section 4.1) compare.

Jackie Chi Kit Cheung and Gerald Penn, "Evaluating Distributional Models of Semantics for Syntactically Invariant
Inference" (EACL 2012). Each model gives every word that it knows a vector, which may depend on the sentence;
`represent` adds or multiplies them to one vector: `Simple` (Mitchell & Lapata, ACL 2008), `ErkPado` (Erk & Padó, EMNLP
2008, eq. 17-18), `Thater` (Thater, Fürstenau & Pinkal, ACL 2010), `LatentSenses` (Dinu & Lapata, EMNLP 2010, eq. 19).

Conventions: `words` has one entry a token, the label `lemma|UPOS` or None for a token that is left out (a stop word,
a name that is masked); `arcs` are `cdsm_lib.text.dependencies.Arc`, with tokens counted from 0. `in_context` returns
one row for each *known* word, in the order of the sentence. A word without a vector, or whose vector is zero, is not
known: it adds nothing and multiplies with nothing, so that one rare word does not wipe out a sentence.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.text.dependencies import Arc, Triples
from cdsm_lib.vectors.similarity import as_rows, cosines, unit_rows
from cdsm_lib.vectors.space import Space

_CACHED = 4096  # preference vectors that ErkPado keeps
_LARGE = 1e100  # products of preferences beyond this, or below its inverse, are rescaled


class Model(Protocol):
    """What `represent` asks of a model."""

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc]) -> np.ndarray | sparse.csr_array:
        """One row for each known word of the sentence, in order."""


# ------------------------------------------------------------------------------------------------------ composition


def compose(vectors: ArrayLike | sparse.sparray, operation: str) -> np.ndarray | sparse.csr_array:
    """Add ("add") or multiply ("mult") the rows, element by element: float64 [d], or csr_array [1, d] for sparse rows.

    A product is divided by its largest absolute value after each factor (the first included), so that a long one does
    not underflow; a cosine does not change with the length. Without rows the result is zero.

    >>> compose([[1, 2], [3, 4]], "add"), compose([[1, 2], [3, 4]], "mult")  # products: 3 and 8, divided by 8
    (array([4., 6.]), array([0.375, 1.   ]))
    """
    vectors = as_rows(vectors)
    if sparse.issparse(vectors):
        return _compose_sparse(vectors, operation)
    if operation == "add" or not len(vectors):
        return vectors.sum(axis=0)
    product = np.ones(vectors.shape[1])
    for row in vectors:
        product = _rescaled(product * _rescaled(row))
    return product


def represent(
    model: Model, words: Sequence[str | None], arcs: Sequence[Arc], operation: str, *, unit: bool = False
) -> np.ndarray | sparse.csr_array:
    """The vector of a sentence: its known words in context, added or multiplied (`compose`); zero if no word is known.

    `unit` brings the words' vectors to length 1 first. It matters for "add" only: the vectors of `ErkPado` and `Thater`
    grow with frequencies and with the number of neighbours, so that one word can outweigh all others. The paper says
    nothing of it; the default adds the vectors as they are.

    >>> model = Simple(Space(["dog", "bark"], [[1, 2], [3, 4]]))
    >>> represent(model, ["dog", None, "bark"], (), "add")
    array([4., 6.])
    """
    vectors = model.in_context(words, arcs)
    return compose(unit_rows(vectors) if unit else vectors, operation)


def _rescaled(vector: np.ndarray) -> np.ndarray:
    largest = np.abs(vector).max(initial=0.0)
    return vector / largest if largest > 0 else vector


def _compose_sparse(table: sparse.csr_array, operation: str) -> sparse.csr_array:
    """Works on the stored cells alone: the columns of a structured space go into the billions."""
    if operation == "add":
        return _sparse_rows([_summed(table.indices, table.data)], table.shape[1])
    rows = [(table.indices[i:j], _rescaled(table.data[i:j])) for i, j in pairwise(table.indptr)]
    columns, values = rows[0] if rows else _joined([])
    for more, factors in rows[1:]:
        columns, mine, theirs = np.intersect1d(columns, more, assume_unique=True, return_indices=True)
        values = _rescaled(values[mine] * factors[theirs])
    return _sparse_rows([(columns, values)], table.shape[1])


def _summed(columns: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each column once, with the sum of its values."""
    columns, place = np.unique(columns, return_inverse=True)
    return columns, np.bincount(place, values, minlength=len(columns))


def _joined(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Columns and values of all parts; column numbers may be as large as int64 allows."""
    columns, values = zip((np.empty(0, np.int64), np.empty(0)), *parts, strict=True)
    return np.concatenate(columns).astype(np.int64, copy=False), np.concatenate(values)


def _sparse_rows(rows: list[tuple[np.ndarray, np.ndarray]], width: int) -> sparse.csr_array:
    """A table from (columns, values) of each row."""
    indptr = np.cumsum([0, *(len(columns) for columns, _ in rows)], dtype=np.int64)
    columns, values = _joined(rows)
    return sparse.csr_array((values, columns, indptr), shape=(len(rows), width))


# ---------------------------------------------------------------------------------------------- Mitchell & Lapata


@dataclass(frozen=True, eq=False)
class Simple:
    """The vectors of a space as they are, whatever the context (Mitchell & Lapata 2008).

    In the paper: PMI-weighted context words within a window of 5.

    >>> model = Simple(Space(["dog", "bark"], [[1, 2], [3, 4]]))
    >>> model.in_context(["dog", None, "bark"])
    array([[1., 2.],
           [3., 4.]])
    """

    space: Space

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc] = ()) -> np.ndarray | sparse.csr_array:
        """The rows of the known words [n_known, d]: float64, or sparse if the space is."""
        places = self.space.rows.encode(words)
        known = places[places >= 0]
        rows = self.space.vectors[known[self.space.norms[known] > 0]]
        return sparse.csr_array(rows) if self.space.is_sparse else rows.astype(np.float64)


@dataclass(frozen=True, eq=False)
class OfLengthOne:
    """Another model with each of its vectors in context brought to length 1, so that no word outweighs the others.

    >>> OfLengthOne(Simple(Space(["dog"], [[3, 4]]))).in_context(["dog"], ())
    array([[0.6, 0.8]])
    """

    model: Model

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc]) -> np.ndarray | sparse.csr_array:
        """The model's rows, at length 1."""
        return unit_rows(self.model.in_context(words, arcs))


# ----------------------------------------------------------------------------------------------------- Erk & Padó


@dataclass(frozen=True, eq=False)
class ErkPado:
    """Vectors under the selectional preferences of their neighbours (Erk & Padó 2008; Cheung & Penn, eq. 17-18).

    A neighbour b that is bound to a by a relation asks for certain words in the place of a: the words c that stand
    there in the corpus, weighted by how often (f > threshold, 10 in the paper). Their sum R_b is multiplied into the
    vector of a::

        a' = v_a * R_b(r^-1),    R_b(r) = sum over c with f(c, r, b) > threshold of f(c, r, b) v_c

    Every arc counts for both its words. In *catch a ball*, *ball* meets *catch* with the *verbs* of which it is the
    object (*throw*, *organise*): `preference("ball|NOUN", "obj", inverse=True)`. And *catch* meets *ball* with its
    *objects* (*cold*, *train*): `preference("catch|VERB", "obj", inverse=False)`.

    The paper defines one neighbour only. A word with several meets each of them in turn (v_a * R_1 * R_2 ...,
    "product"), or all at once (v_a * (R_1 + R_2 + ...), "sum"). A neighbour without a preference (no triple is frequent
    enough, or R_b is zero) leaves the vector as it is.
    """

    space: Space
    triples: Triples
    threshold: int = 10
    neighbours: str = "product"
    _sides: tuple = field(init=False)
    _remembered: Callable = field(init=False)

    def __post_init__(self):
        triples = self.triples
        place = self.space.rows.encode(triples.words)  # the row of each of the triples' words
        down = np.flatnonzero((triples.count > self.threshold) & (place[triples.dependent] >= 0))
        up = np.flatnonzero((triples.count > self.threshold) & (place[triples.governor] >= 0))
        up = up[np.lexsort((triples.relation[up], triples.dependent[up]))]  # for the governors of a dependent
        sides, ends = [], (triples.governor, triples.dependent)
        for frequent, near, far in ((down, *ends), (up, *ends[::-1])):
            key = near[frequent].astype(np.int64) * len(triples.relations) + triples.relation[frequent]
            sides.append((key, place[far[frequent]], triples.count[frequent].astype(np.float64)))
        object.__setattr__(self, "_sides", tuple(sides))
        object.__setattr__(self, "_remembered", lru_cache(_CACHED)(self._sum))

    def preference(self, word: str, relation: str, inverse: bool = False) -> np.ndarray:
        """R of a word in a relation, float64 [d]: the sum of f v_c over the words c that stand at its other end.

        These are the dependents of the word (a verb's objects), or with `inverse` its governors (the verbs that take
        the noun as their object). Zero if the word or the relation is unknown, or no triple is frequent enough. Not to
        be written to.
        """
        return self._remembered(self.triples.words.get(word), self.triples.relations.get(relation), bool(inverse))

    def _sum(self, word: int, relation: int, inverse: bool) -> np.ndarray:
        keys, others, counts = self._sides[inverse]
        start, stop = np.searchsorted(keys, np.array([0, 1]) + word * len(self.triples.relations) + relation)
        total = np.zeros(self.space.d)
        if word >= 0 and relation >= 0 and stop > start:
            total = np.asarray(counts[start:stop] @ self.space.vectors[others[start:stop]], dtype=np.float64)
        total.flags.writeable = False
        return total

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc]) -> np.ndarray:
        """a' of each known word, float64 [n_known, d].

        A product that passes 1e100 or falls below 1e-100 is divided by its largest value.
        """
        met: dict[int, list[np.ndarray]] = defaultdict(list)
        for arc in arcs:
            ends = ((arc.governor, arc.dependent, True), (arc.dependent, arc.governor, False))
            for token, neighbour, inverse in ends:
                if words[token] is not None and words[neighbour] is not None:
                    preference = self.preference(words[neighbour], arc.relation, inverse)
                    if preference.any():
                        met[token].append(preference)
        rows = []
        for token, place in enumerate(self.space.rows.encode(words)):
            if place < 0 or not self.space.norms[place]:
                continue
            row, factors = self.space[self.space.rows[place]].astype(np.float64), met[token]
            if factors and self.neighbours == "sum":
                factors = [np.sum(factors, axis=0)]
            for factor in factors:
                row = row * factor
                if not 1 / _LARGE < np.abs(row).max() < _LARGE:
                    row = _rescaled(row)
            rows.append(row)
        return np.array(rows).reshape(len(rows), self.space.d)


# ------------------------------------------------------------------------------------- Thater, Fürstenau & Pinkal


class Thater:
    """Second-order syntactic vectors (Thater, Fürstenau & Pinkal 2010, section 3).

    The *first-order* vector ``[w]`` has a dimension for each ``(r, w')``, with the weight ``w(w, r, w')`` there: PMI,
    see `Triples.pmi`. Relations are used in both directions; `obj-1` leads from the noun to its verb. The
    *second-order* vector ``[[w]]`` has a dimension for each ``(r, r', w'')``, the words that one reaches over two
    relations. In context, a neighbour ``w'`` in relation ``r`` keeps those dimensions on which it has weight itself::

        [[w]](r, r', w'') = sum over w' of w(w, r, w') w(w', r', w'')
        [[w_{r:w'}]] = [[w]] * L_r([w']),    L_r([w'])(r, r', w'') = w(w', r', w'')

    So ``[[eat]]`` says with ``(obj, obj-1, bake)`` how much of what is eaten is baked. Several neighbours are summed. A
    word without a known neighbour keeps ``[[w]]``, and so does, by our reading, a word of which its neighbours leave
    nothing.

    It is made from triples by the numbers of words and relations, with a weight each. ``relations`` then has those that
    are used, and their inverses with `-1` at the end; ``pairs`` (int64 [m], ascending) has the pairs that some word
    has, as ``relation * n + word``, and ``first`` (csr_array [n, m]) the first-order vectors. Columns of the result,
    ``(r * R + r') * n + w''`` with R relations and n words, are far too many for a column index: `compose` and
    `cosines` work on the stored cells alone, and in context only those columns are multiplied that ``[w']`` has.
    """

    def __init__(
        self,
        words: Labels | Sequence[str],
        relations: Labels | Sequence[str],
        governor: ArrayLike,
        relation: ArrayLike,
        dependent: ArrayLike,
        weight: ArrayLike,
    ):
        governor, relation, dependent = (np.asarray(part, dtype=np.int64) for part in (governor, relation, dependent))
        weight = np.asarray(weight, dtype=np.float64)
        used, relation = np.unique(relation, return_inverse=True)  # others, without a weight, need no number
        names, self.words, n = [relations[i] for i in used], Labels(words), len(words)
        self.relations = Labels([*names, *(f"{name}-1" for name in names)])
        pairs = np.concatenate((relation * n + dependent, (relation + len(names)) * n + governor))
        self.pairs, columns = np.unique(pairs, return_inverse=True)
        cells = (np.concatenate((weight, weight)), (np.concatenate((governor, dependent)), columns))
        first = sparse.coo_array(cells, shape=(n, len(self.pairs))).tocsr()
        first.sort_indices()
        parts = (first.data, first.indices.astype(np.int32), first.indptr.astype(np.int64))
        self.first = sparse.csr_array(parts, shape=first.shape)

    @classmethod
    def of_triples(cls, triples: Triples, min_count: int = 10, min_pmi: float = 2.0) -> "Thater":
        """A model whose weights are the PMI of triples that occur `min_count` times and have so much PMI or more.

        The paper has 10, and 2 without naming a base; we take natural logarithms.
        """
        frequent = triples.pruned(min_count)
        pmi = frequent.pmi()
        sure = pmi >= min_pmi
        columns = (column[sure] for column in (frequent.governor, frequent.relation, frequent.dependent, pmi))
        return cls(frequent.words, frequent.relations, *columns)

    @property
    def width(self) -> int:
        """Number of dimensions ``(r, r', w'')``."""
        return max(1, len(self.relations) ** 2 * len(self.words))

    def second_order(self, word: str) -> dict[tuple[str, str, str], float]:
        """``[[w]]`` as a mapping from (relation, relation, word) to its weight; `KeyError` for an unknown word."""
        return self.named(_sparse_rows([self._second(self.words.index(word))], self.width))

    def named(self, row: sparse.csr_array) -> dict[tuple[str, str, str], float]:
        """A row of `in_context` or of `represent`, [1, d], as a mapping from (relation, relation, word)."""
        out = {}
        for column, value in zip(row.indices.tolist(), row.data.tolist(), strict=True):
            relations, word = divmod(column, len(self.words))
            r, s = divmod(relations, len(self.relations))
            out[self.relations[r], self.relations[s], self.words[word]] = value
        return out

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc]) -> sparse.csr_array:
        """``[[w]]`` in its context, for each word with a first-order vector: csr_array [n_known, d], int64 columns."""
        places = self.words.encode(words)
        places[np.diff(self.first.indptr)[places] == 0] = -1
        half = len(self.relations) // 2
        neighbours: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for arc in arcs:
            relation = self.relations.get(arc.relation, -1)
            if 0 <= relation < half and places[arc.governor] >= 0 and places[arc.dependent] >= 0:
                neighbours[arc.governor].append((relation, places[arc.dependent]))
                neighbours[arc.dependent].append((relation + half, places[arc.governor]))
        rows = []
        for token in np.flatnonzero(places >= 0).tolist():
            columns, values = _summed(*_joined(self._met(places[token], *pair) for pair in neighbours[token]))
            rows.append((columns, values) if len(columns) else self._second(places[token]))
        return _sparse_rows(rows, self.width)

    def _first(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        cells = slice(self.first.indptr[place], self.first.indptr[place + 1])
        return self.first.indices[cells], self.first.data[cells]

    def _second(self, place: int) -> tuple[np.ndarray, np.ndarray]:
        """(columns, values) of [[w]]."""
        relations = np.unique(self.pairs[self._first(place)[0]] // len(self.words))
        return _joined(self._met(place, relation) for relation in relations.tolist())

    def _met(self, place: int, relation: int, other: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(columns, values) of [[w]] over one relation, times L_r([w']) if a neighbour w' is met in it."""
        n = len(self.words)
        columns, weights = self._first(place)
        cells = slice(*np.searchsorted(self.pairs[columns], [relation * n, (relation + 1) * n]))
        others = self.pairs[columns[cells]] - relation * n
        begin, sizes = self.first.indptr[others], np.diff(self.first.indptr)[others]
        reached = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        products = np.repeat(weights[cells], sizes) * self.first.data[reached]
        pairs, values = self.pairs, np.bincount(self.first.indices[reached], products, len(self.pairs))
        if other is not None:
            columns, weights = self._first(other)
            pairs, values = pairs[columns], weights * values[columns]
        where = np.flatnonzero(values != 0)
        return relation * len(self.relations) * n + pairs[where], values[where]


# -------------------------------------------------------------------------------------------------- Dinu & Lapata


@dataclass(frozen=True, eq=False)
class LatentSenses:
    """Words as distributions over latent senses, which their context words shift (Dinu & Lapata 2010; eq. 19).

    All words share K senses z. A word is P(z | t), a context word says with P(c | z) which senses it goes with::

        v(t, c) = P(z_1 | t, c), ..., P(z_K | t, c),    P(z_k | t, c) proportional to P(z_k | t) P(c | z_k)

    Both are estimated by LDA (`cdsm_lib.vectors.reduction.LDA`), in which a "document" is all that was seen around one
    target word. Eq. 19 has one context word. Which words of a sentence are the context (a window, as in the counts),
    and that several of them are averaged without weights, is our reading. A context word that goes with none of the
    word's senses is passed over. Without context words a word is theta.

    ``senses`` [n, K] is theta = P(z | t) of the n target ``words``, rows of sum 1, or 0 for a word without senses,
    which contributes nothing; ``phi`` [K, m] is P(c | z) of the m ``contexts``. A token up to `window` tokens away is a
    context word, if it is among these; tokens that are left out (None) take their place.
    """

    words: Labels
    senses: np.ndarray
    contexts: Labels
    phi: np.ndarray
    window: int = 5

    def __post_init__(self):
        for name in ("words", "contexts"):
            object.__setattr__(self, name, Labels(getattr(self, name)))

    def sense(self, word: str, context: Sequence[str]) -> np.ndarray:
        """v(t, c_1, ..., c_n) of one word among its context words, float64 [K]; `KeyError` for an unknown word."""
        return self._shifted(self.words.index(word), self.contexts.encode(context))

    def in_context(self, words: Sequence[str | None], arcs: Sequence[Arc] = ()) -> np.ndarray:
        """v of each word with senses, float64 [n_known, K], rows of sum 1."""
        contexts, rows = self.contexts.encode(words), []
        for token, place in enumerate(self.words.encode(words)):
            if place >= 0 and self.senses[place].any():
                start, end = max(0, token - self.window), token + 1 + self.window
                rows.append(self._shifted(place, np.concatenate((contexts[start:token], contexts[token + 1 : end]))))
        return np.array(rows).reshape(len(rows), self.senses.shape[1])

    def _shifted(self, place: int, contexts: np.ndarray) -> np.ndarray:
        """v of a word among the context words with these places, -1 for those that are none."""
        theta = self.senses[place].astype(np.float64)
        theta /= theta.sum() or 1.0
        likelihoods = self.phi[:, contexts[contexts >= 0]].T.astype(np.float64)
        shifted = theta * likelihoods
        shifted = shifted[shifted.any(axis=1)]
        return (shifted / shifted.sum(axis=1, keepdims=True)).mean(axis=0) if len(shifted) else theta

    def with_nearest(
        self, words: Labels | Sequence[str], vectors_unknown: ArrayLike, vectors_known: ArrayLike, n: int = 5
    ) -> "LatentSenses":
        """Senses for words of another domain (Cheung & Penn 2012, section 4.4).

        Such a word takes the mean theta of the `n` words with senses that are nearest to it by cosine, in a space of
        co-occurrences counted in the other domain: `vectors_unknown` [words, d], and `vectors_known` of `self.words`,
        with zeros for those that the domain lacks. A word that has senses keeps them; a word of cosine 0 or less is no
        neighbour, so that there may be fewer than `n`, and none for a word with a zero vector: it has no senses. Ties
        go to the order of `self.words`.
        """
        words, unknown, known = list(words), as_rows(vectors_unknown), as_rows(vectors_known)
        labels = Labels([*self.words, *(word for word in words if word not in self.words)])
        senses = np.zeros((len(labels), self.senses.shape[1]), dtype=self.senses.dtype)
        senses[: len(self.words)] = self.senses
        candidates, places = np.flatnonzero(self.senses.any(axis=1)), labels.encode(words)
        known = known[candidates]
        new = np.flatnonzero(~senses[places].any(axis=1))
        for rows in np.split(new, range(512, len(new), 512)):
            for place, similar in zip(places[rows], cosines(unknown[rows], known), strict=True):
                order = np.argsort(-similar, kind="stable")[:n]
                nearest = candidates[order[similar[order] > 0]]
                if len(nearest):
                    senses[place] = self.senses[nearest].mean(axis=0, dtype=np.float64)
        return replace(self, words=labels, senses=senses)
