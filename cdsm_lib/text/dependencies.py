"""Counts over dependencies: the arcs of a sentence, words by their dependency contexts, and triples of two words.

Arcs are read alike from Stanford/CLEAR and Universal Dependencies labels: prepositions collapsed, root and punctuation
left out, an agent known where the labels or its *by* tell it.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus, Sentence, corpus_from_sentences
from cdsm_lib.text.counts import Counts, as_labels, numbering, summed

_PLAIN, _IGNORED, _PREPOSITION, _OBJECT, _CLAUSE, _OBLIQUE, _AGENT, _CASE = range(8)
_ROLES = {
    "root": _IGNORED,
    "punct": _IGNORED,
    "prep": _PREPOSITION,  # Stanford/CLEAR: verb -prep-> with -pobj-> telescope
    "agent": _PREPOSITION,
    "dative": _PREPOSITION,
    "pobj": _OBJECT,
    "pcomp": _CLAUSE,
    "nmod": _OBLIQUE,  # Universal Dependencies: verb -obl-> telescope -case-> with
    "obl": _OBLIQUE,
    "obl:agent": _AGENT,
    "case": _CASE,
}
_PASSIVE = frozenset(("nsubjpass", "csubjpass", "auxpass", "nsubj:pass", "csubj:pass", "aux:pass"))


def count_dependencies(
    corpus: Corpus,
    rows: Labels | Sequence[str],
    columns: Labels | Sequence[str] | None = None,
    *,
    min_count: int = 1,
    collapse_prepositions: bool = True,
    chunk_tokens: int = 2_000_000,
) -> Counts:
    """Count the dependency contexts of Levy and Goldberg (2014, section 3).

    An arc from head h to dependent m with label r gives h the context `r:m` and m the inverse context `r-1:h`, for
    instance `nsubj:dog|NOUN` for *bark* and `nsubj-1:bark|VERB` for *dog*. Root and punctuation arcs are left out.

    With collapsed prepositions, *discover with telescope* is one arc `prep_with` from the verb to the noun, in both
    label schemes: Stanford/CLEAR `prep` + `pobj` (`prepc_with` for a clause, `pcomp`; a preposition on a preposition,
    *out of the house*, is named by the last and hangs from the word above both), and Universal Dependencies `obl` or
    `nmod` with an adposition as its `case` (the first, if there are several; *obl:npmod* and *nmod:poss* stay).
    The agent of a passive is `agent` in both.

    Parameters
    ----------
    corpus : Corpus
    rows : Labels or sequence of str
        Words as `lemma|UPOS`.
    columns : Labels or sequence of str, optional
        Contexts to count; by default all that occur with the rows, most frequent first, equals in alphabetical order.
    min_count : int
        Without `columns`: contexts that occur less often with the rows are dropped.
    collapse_prepositions : bool
    chunk_tokens : int
        Tokens worked on at a time, which bounds the memory. The counts do not depend on it.

    Returns
    -------
    Counts
    """
    rows = as_labels(rows)
    relations = _Relations(corpus, collapse_prepositions)
    row_of = numbering(corpus.words, rows)
    keys, counts, table = _EMPTY_KEYS, np.empty(0, dtype=np.int64), _new_table(1 << 16)
    used = 0
    chunks = list(corpus.chunks(chunk_tokens))
    for chunk in chunks:
        _, found = relations.contexts(corpus, chunk, row_of)
        keys, counts, table, used = _tally(found, keys, counts, table, used)
    keys, counts = keys[:used], counts[:used]
    columns, column_of = relations.columns(keys, counts, columns, min_count)
    matrix = sparse.csr_array((len(rows), len(columns)), dtype=np.int32)
    for chunk in chunks:
        row, found = relations.contexts(corpus, chunk, row_of)
        column = column_of[_look_up(found, keys, table)]
        kept = column >= 0
        ones = np.ones(int(kept.sum()), dtype=np.int32)
        part = sparse.coo_array((ones, (row[kept], column[kept])), shape=matrix.shape).tocsr()
        matrix = summed((matrix, part), matrix.shape)
    return Counts(matrix, rows, columns)


_EMPTY_KEYS = np.empty(0, dtype=np.int64)


class _Relations:
    """Numbers for relations and contexts: key = (relation * 2 + inverse) * n_words + word.

    Relations are the corpus's labels, then `prep_x` and `prepc_x` for each word x, then `agent`. With `find_agents`
    an oblique with *by* is the agent where its verb is seen to be passive: UD version 1 has no label for it.
    """

    def __init__(self, corpus: Corpus, collapse: bool, find_agents: bool = False):
        self.words, self.deprels = corpus.words, corpus.deprels
        self.n_words, self.n_deprels = len(self.words), len(self.deprels)
        self.n_relations = self.n_deprels + 2 * self.n_words + 1
        self.role = np.array([_role(label) if collapse or _role(label) == _IGNORED else _PLAIN
                              for label in self.deprels], dtype=np.int8)  # fmt: skip
        self.adposition = np.array([word.endswith("|ADP") for word in self.words])
        self.agent = self.deprels.get("agent", self.n_deprels + 2 * self.n_words)
        first_with: dict[str, int] = {}
        self.same_lemma = np.array(
            [first_with.setdefault(word.rpartition("|")[0], i) for i, word in enumerate(self.words)], dtype=np.int64
        )
        self.by = first_with.get("by", -1) if collapse and find_agents else -1
        self.voice = np.array([_voice(label) for label in self.deprels], dtype=np.int8)

    def arcs(self, corpus: Corpus, chunk: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(governor, relation, dependent) of every arc in the chunk, the words as token positions within it."""
        start, stop = chunk
        columns = [np.asarray(column[start:stop]) for column in (corpus.word, corpus.head, corpus.deprel)]
        tables = (self.role, self.voice, self.adposition, self.same_lemma)
        governor, dependent = np.empty((2, stop - start), dtype=np.int32)
        relation = np.empty(stop - start, dtype=np.int64)
        numbers = (self.n_deprels, self.n_words, self.agent, self.by)
        n = _collect_arcs(*columns, *tables, *numbers, governor, relation, dependent)
        return governor[:n], relation[:n], dependent[:n]

    def contexts(self, corpus: Corpus, chunk: tuple[int, int], row_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(row, context key) of every arc end in the chunk whose word is a row."""
        word = np.asarray(corpus.word[chunk[0] : chunk[1]])
        return _arc_ends(word, *self.arcs(corpus, chunk), row_of, self.n_words)

    def relation_name(self, relation: int) -> str:
        if relation < self.n_deprels:
            return self.deprels[relation]
        kind, word = divmod(relation - self.n_deprels, self.n_words)
        return ("prep_", "prepc_")[kind] + self.words[word].rpartition("|")[0] if kind < 2 else "agent"

    def name(self, key: int) -> str:
        """The context's label, `relation:word` or `relation-1:word`."""
        arc, word = divmod(int(key), self.n_words)
        relation, inverse = divmod(arc, 2)
        return f"{self.relation_name(relation)}{'-1' if inverse else ''}:{self.words[word]}"

    def columns(self, keys, counts, columns, min_count) -> tuple[Labels, np.ndarray]:
        """The columns, and for each key its column or -1."""
        kept = np.flatnonzero(counts >= min_count) if columns is None else np.arange(len(keys))
        names = [self.name(key) for key in keys[kept]]
        if columns is None:
            columns = Labels(names[i] for i in sorted(range(len(kept)), key=lambda i: (-counts[kept[i]], names[i])))
        columns = as_labels(columns)
        column_of = np.full(len(keys) + 1, -1, dtype=np.int64)
        column_of[kept] = columns.encode(names)
        return columns, column_of


def _role(label: str) -> int:
    if label in _ROLES:
        return _ROLES[label]
    return _OBLIQUE if label.partition(":")[0] in ("nmod", "obl") and label != "nmod:poss" else _PLAIN


def _voice(label: str) -> int:
    if label in _PASSIVE:
        return 1
    return 2 if label == "acl" else 0


@njit(nogil=True, cache=True)
def _collect_arcs(
    word, head, deprel, role, voice, adposition, same_lemma, n_deprels, n_words, agent, by, upper, name, lower
):
    """Write governor, relation and dependent of each arc into the last three; returns how many there are."""
    size = len(word)
    case_of = np.full(size, -1, dtype=np.int64)  # of an oblique: its first adposition
    has_object = np.zeros(size, dtype=np.bool_)  # of a preposition: whether something hangs from it
    passive = np.zeros(size, dtype=np.bool_)  # of a verb: whether it has a passive subject or auxiliary, or is `acl`
    for t in range(size):
        kind = role[deprel[t]]
        above = t + head[t]
        if kind == _CASE and adposition[word[t]] and case_of[above] < 0:
            case_of[above] = t
        elif kind == _OBJECT or kind == _CLAUSE:
            has_object[above] = True
        if by >= 0 and voice[deprel[t]] == 1:
            passive[above] = True
        elif by >= 0 and voice[deprel[t]] == 2:
            passive[t] = True
    n = 0
    for t in range(size):
        kind = role[deprel[t]]
        if head[t] == 0 or kind == _IGNORED:
            continue
        governor = t + head[t]
        relation = np.int64(deprel[t])
        above_kind = role[deprel[governor]]
        if kind == _PREPOSITION and has_object[t]:
            continue
        if kind == _CASE and adposition[word[t]] and (above_kind == _OBLIQUE or above_kind == _AGENT):
            continue
        if (kind == _OBJECT or kind == _CLAUSE) and above_kind == _PREPOSITION and head[governor] != 0:
            preposition = governor
            while role[deprel[governor]] == _PREPOSITION and adposition[word[governor]] and head[governor] != 0:
                governor += head[governor]
            if governor == preposition:
                governor += head[governor]
            if deprel[preposition] == agent:
                relation = agent
            else:
                relation = n_deprels + n_words * (kind == _CLAUSE) + same_lemma[word[preposition]]
        elif kind == _OBLIQUE and case_of[t] >= 0:
            adposition_lemma = same_lemma[word[case_of[t]]]
            if passive[governor] and adposition_lemma == by:
                relation = agent
            else:
                relation = n_deprels + adposition_lemma
        elif kind == _AGENT and case_of[t] >= 0:
            relation = agent
        upper[n], name[n], lower[n] = governor, relation, t
        n += 1
    return n


@njit(nogil=True, cache=True)
def _arc_ends(word, governor, relation, dependent, row_of, n_words):
    rows, keys = np.empty(2 * len(governor), dtype=np.int32), np.empty(2 * len(governor), dtype=np.int64)
    n = 0
    for i in range(len(governor)):
        upper, lower = word[governor[i]], word[dependent[i]]
        if row_of[upper] >= 0:
            rows[n] = row_of[upper]
            keys[n] = relation[i] * 2 * n_words + lower
            n += 1
        if row_of[lower] >= 0:
            rows[n] = row_of[lower]
            keys[n] = (relation[i] * 2 + 1) * n_words + upper
            n += 1
    return rows[:n], keys[:n]


# A hash table from context keys to 0, 1, 2, ... in the order in which they were first seen: open addressing, size a
# power of two, at most half full; `table` holds the numbers, `keys` and `counts` what belongs to them.


@njit(nogil=True, cache=True)
def _new_table(size):
    return np.full(size, -1, dtype=np.int64)


@njit(nogil=True, cache=True)
def _slot_of(key, keys, table):
    mask = np.uint64(len(table) - 1)
    slot = ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table[slot] >= 0 and keys[table[slot]] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(nogil=True, cache=True)
def _tally(found, keys, counts, table, used):
    """Count the keys of `found`; the table grows as it must."""
    for key in found:
        if 2 * (used + 1) > len(table):
            table = _new_table(2 * len(table))
            for i in range(used):
                table[_slot_of(keys[i], keys, table)] = i
        if used == len(keys):
            more = max(1024, len(keys))
            keys = np.concatenate((keys, np.zeros(more, dtype=np.int64)))
            counts = np.concatenate((counts, np.zeros(more, dtype=np.int64)))
        slot = _slot_of(key, keys, table)
        if table[slot] < 0:
            table[slot] = used
            keys[used] = key
            used += 1
        counts[table[slot]] += 1
    return keys, counts, table, used


@njit(nogil=True, cache=True)
def _look_up(found, keys, table):
    """The number of each key, -1 for an unknown one."""
    numbers = np.empty(len(found), dtype=np.int64)
    for i in range(len(found)):
        numbers[i] = table[_slot_of(found[i], keys, table)]
    return numbers


# ------------------------------------------------------------------------------------------------------- triples

# One name for what the label schemes call differently: Stanford/CLEAR, Universal Dependencies 1 and 2.
_CANONICAL = {
    "dobj": "obj",
    "dative": "iobj",
    "nsubj:pass": "nsubjpass",
    "csubj:pass": "csubjpass",
    "aux:pass": "auxpass",
    "nn": "compound",
    "nmod:poss": "poss",
    "acl:relcl": "relcl",
    "rcmod": "relcl",
    "nmod:npmod": "npadvmod",
    "obl:npmod": "npadvmod",
    "nmod:tmod": "npadvmod",
    "obl:tmod": "npadvmod",
    "obl:agent": "agent",
    "nmod:agent": "agent",
    "compound:prt": "prt",
    "cc:preconj": "preconj",
    "det:predet": "predet",
}
_ACTIVE = {"nsubjpass": "obj", "agent": "nsubj"}


class Arc(NamedTuple):
    """One dependency of a sentence: tokens counted from 0, and the canonical name of the relation."""

    governor: int
    relation: str
    dependent: int


@dataclass(frozen=True, eq=False)
class Triples:
    """How often one word governs another in a relation, and the sums that pointwise mutual information needs.

    The sums are over *all* arcs between two words of the table, those too that `pruned` has left out, so that
    `pmi` is the same before and after.

    Parameters
    ----------
    words, relations : Labels
        The relations have canonical names (see `count_triples`).
    governor, relation, dependent : int32 [m]
        Numbers of the words and relations; each triple once, in the order of (governor, relation, dependent).
    count : int64 [m]
        f(w, r, w').
    governor_sums, dependent_sums : scipy.sparse.csr_array [s * R, n], int64
        f(w, r, .) and f(., r, w'), with R relations in s sources (1, or 2 after `backed_off`).
    origin : uint8 [m], optional
        The source of each triple; all 0 by default. Relation r of source s has row s * R + r of the sums.

    Raises
    ------
    ValueError
        If lengths, numbers, order or the shapes of the sums do not fit together.
    """

    words: Labels
    relations: Labels
    governor: np.ndarray
    relation: np.ndarray
    dependent: np.ndarray
    count: np.ndarray
    governor_sums: sparse.csr_array
    dependent_sums: sparse.csr_array
    origin: np.ndarray | None = None

    def __post_init__(self):
        for name in ("words", "relations"):
            object.__setattr__(self, name, as_labels(getattr(self, name)))
        for name in ("governor", "relation", "dependent"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int32))
        object.__setattr__(self, "count", np.asarray(self.count, dtype=np.int64))
        origin = np.zeros(len(self.count), dtype=np.uint8) if self.origin is None else np.asarray(self.origin, np.uint8)
        object.__setattr__(self, "origin", origin)
        columns = (self.governor, self.relation, self.dependent, self.count, origin)
        if len({column.shape for column in columns}) > 1 or self.count.ndim != 1:
            raise ValueError(f"columns of different lengths: {', '.join(str(column.shape) for column in columns)}")
        for name, numbered in (("governor", self.words), ("relation", self.relations), ("dependent", self.words)):
            column, limit = getattr(self, name), len(numbered)
            if len(column) and not 0 <= column.min() <= column.max() < limit:
                raise ValueError(f"{name} must be numbers from 0 to {limit - 1}")
        if len(self) and self.count.min() < 1:
            raise ValueError("a triple that never occurred has no place here: counts must be 1 or more")
        key = self._keys()
        if (np.diff(key) <= 0).any():
            raise ValueError("triples must be in the order of (governor, relation, dependent), each of them once")
        for name in ("governor_sums", "dependent_sums"):
            sums = sparse.csr_array(getattr(self, name), dtype=np.int64)
            sources = sums.shape[0] // max(1, len(self.relations))
            enough = sources > origin.max(initial=0) or not len(self.relations)
            if sums.shape != (sources * len(self.relations), len(self.words)) or not enough:
                raise ValueError(f"{name} of shape {sums.shape} for {len(self.relations)} relations of each source "
                                 f"and {len(self.words)} words")  # fmt: skip
            object.__setattr__(self, name, sums)
        if self.governor_sums.shape != self.dependent_sums.shape:
            raise ValueError("governor_sums and dependent_sums must have the same shape")

    def __len__(self) -> int:
        return len(self.count)

    def _keys(self) -> np.ndarray:
        n, r = len(self.words), len(self.relations)
        return (self.governor.astype(np.int64) * r + self.relation) * n + self.dependent

    @property
    def relation_sums(self) -> np.ndarray:
        """f(., r, .), int64 [s * R]."""
        return np.asarray(self.governor_sums.sum(axis=1, dtype=np.int64)).ravel()

    def pmi(self) -> np.ndarray:
        """log f(w, r, w') f(., r, .) / (f(w, r, .) f(., r, w')) of each triple, natural logarithm, float64 [m].

        The formula of Thater, Fürstenau & Pinkal (2010); they do not say to which base.
        """
        if not len(self):
            return np.empty(0)
        row = self.origin.astype(np.int64) * len(self.relations) + self.relation
        marginals = [_cells(self.governor_sums, row, self.governor), _cells(self.dependent_sums, row, self.dependent)]
        if min(part.min() for part in marginals) < 1:
            raise ValueError("a triple occurs, but one of its sums is 0; count again with count_triples")
        return np.log(self.count) + np.log(self.relation_sums[row]) - sum(np.log(part) for part in marginals)

    def pruned(self, min_count: int) -> "Triples":
        """Only the triples that occur at least `min_count` times; the sums stay, and so does `pmi`."""
        return self._chosen(self.count >= min_count)

    def voice_resolved(self) -> "Triples":
        """A passive counted as its active: `nsubjpass` becomes `obj` and `agent` becomes `nsubj`, counts are added.

        The same as `count_triples` with ``resolve_voice``, but for triples that had been left out as too rare in one
        of the two voices.
        """
        names = [_ACTIVE.get(name, name) for name in self.relations]
        relations = Labels(dict.fromkeys(names))
        becomes, n_sources = relations.encode(names), self.governor_sums.shape[0] // max(1, len(self.relations))
        words, r = len(self.words), len(relations)
        key = (self.governor.astype(np.int64) * r + becomes[self.relation]) * words + self.dependent
        unique, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        count = np.bincount(inverse, weights=self.count, minlength=len(unique)).astype(np.int64)
        row = np.concatenate([source * r + becomes for source in range(n_sources)])
        cells = (np.ones(len(row), dtype=np.int64), (row, np.arange(len(row))))
        merge = sparse.csr_array(cells, shape=(n_sources * r, len(row)))
        return Triples(
            self.words, relations, unique // words // r, unique // words % r, unique % words, count,
            merge @ self.governor_sums, merge @ self.dependent_sums, self.origin[first],
        )  # fmt: skip

    def _chosen(self, kept: np.ndarray) -> "Triples":
        columns = (self.governor, self.relation, self.dependent, self.count)
        return Triples(
            self.words, self.relations, *(column[kept] for column in columns),
            self.governor_sums, self.dependent_sums, self.origin[kept],
        )  # fmt: skip

    def save(self, path: str | os.PathLike) -> Path:
        """Write to `path` (`.npz`, no pickle), atomically and in the narrowest integers that hold the numbers."""
        return storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Triples":
        """Read what `save` wrote; a `StorageError` names a file that cannot be used, and why."""
        return storage.load(path, cls, remedy="Count again and save with Triples.save.")


def _cells(matrix: sparse.csr_array, row: np.ndarray, column: np.ndarray) -> np.ndarray:
    """The values of many cells of a sparse matrix with sorted rows, 0 where nothing is stored."""
    matrix.sort_indices()
    keys = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) * matrix.shape[1] + matrix.indices
    wanted = row * matrix.shape[1] + column
    place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    if not len(keys):
        return np.zeros(len(wanted), dtype=matrix.dtype)
    return np.where(keys[place] == wanted, matrix.data[place], 0)


def count_triples(
    corpus: Corpus,
    words: Labels | Sequence[str],
    *,
    min_count: int = 1,
    collapse_prepositions: bool = True,
    resolve_voice: bool = False,
    chunk_tokens: int = 2_000_000,
) -> Triples:
    """Count dependency triples (governor, relation, dependent) between words.

    The arcs are those of `count_dependencies`: prepositions collapsed, root and punctuation left out. Relations have
    one name whatever the scheme of the parse (Stanford/CLEAR, Universal Dependencies 1 or 2): `obj` (*dobj*),
    `iobj` (*dative*), `nsubjpass` (*nsubj:pass*), `auxpass`, `compound` (*nn*), `poss` (*nmod:poss*), `relcl`
    (*acl:relcl*), `npadvmod` (*nmod:npmod*, *obl:tmod*), `prt`, `preconj`, `predet`, `prep_x`, `agent`; all others
    keep theirs. Universal Dependencies 1 does not mark the agent: there an oblique with *by* is the agent if its verb
    has a passive subject or auxiliary, or is a clause that modifies a noun (*acl*).

    Parameters
    ----------
    corpus : Corpus
    words : Labels or sequence of str
        Words as `lemma|UPOS`. An arc counts if both its words are among them.
    min_count : int
        Rarer triples are left out, though not of the sums (see `Triples`).
    collapse_prepositions : bool
    resolve_voice : bool
        Count a passive as its active: its subject (`nsubjpass`) as `obj`, its `agent` as `nsubj`.
    chunk_tokens : int
        Tokens worked on at a time, which bounds the memory. The counts do not depend on it.

    Returns
    -------
    Triples
        Relations by frequency, equals in alphabetical order.

    Raises
    ------
    ValueError
        If `min_count` is below 1.
    """
    if min_count < 1:
        raise ValueError(f"min_count={min_count}: it must be 1 or more")
    words = as_labels(words)
    n = len(words)
    row_of = numbering(corpus.words, words)
    found_relations = _Relations(corpus, collapse_prepositions, find_agents=True)
    code_of = np.full(found_relations.n_relations, -1, dtype=np.int64)
    names: dict[str, int] = {}
    keys, counts, table, used = _EMPTY_KEYS, np.empty(0, dtype=np.int64), _new_table(1 << 16), 0
    for chunk in corpus.chunks(chunk_tokens):
        upper, relation, lower = found_relations.arcs(corpus, chunk)
        row = row_of[corpus.word[chunk[0] : chunk[1]]]
        both = (row[upper] >= 0) & (row[lower] >= 0)
        upper, relation, lower = row[upper[both]], relation[both], row[lower[both]]
        for new in np.unique(relation[code_of[relation] < 0]):
            name = _canonical(found_relations.relation_name(int(new)), resolve_voice)
            code_of[new] = names.setdefault(name, len(names))
        keys, counts, table, used = _tally((code_of[relation] * n + upper) * n + lower, keys, counts, table, used)
    del table
    keys, counts = keys[:used], counts[:used]
    pair, dependent = np.divmod(keys, max(n, 1))
    relation, governor = np.divmod(pair, max(n, 1))
    del keys, pair
    totals = np.bincount(relation, counts, minlength=len(names)).astype(np.int64)
    labels = list(names)
    order = sorted(range(len(labels)), key=lambda code: (-totals[code], labels[code]))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    relation = rank[relation]
    shape = (len(labels), n)
    sums = [sparse.coo_array((counts, (relation, word)), shape=shape).tocsr() for word in (governor, dependent)]
    kept = counts >= min_count
    columns = [column[kept] for column in (governor, relation, dependent, counts)]
    return _in_order(words, Labels(labels[code] for code in order), *columns, *sums, None)


def _in_order(words, relations, governor, relation, dependent, count, governor_sums, dependent_sums, origin) -> Triples:
    order = np.lexsort((dependent, relation, governor))
    columns = [column[order] for column in (governor, relation, dependent, count)]
    origin = None if origin is None else origin[order]
    return Triples(words, relations, *columns, governor_sums, dependent_sums, origin)


def _canonical(relation: str, resolve_voice: bool) -> str:
    relation = _CANONICAL.get(relation, relation)
    return _ACTIVE.get(relation, relation) if resolve_voice else relation


def backed_off(general: Triples, special: Triples) -> Triples:
    """The triples of `general`, and for the words that only `special` has those of `special` in which they take part.

    Cheung & Penn (2012, section 4.4) adapt their models so: a word that the general corpus lacks is looked up in the
    special one. A triple of `special` keeps its count, and `pmi` takes it with the sums of `special`.

    Returns
    -------
    Triples
        Words and relations of `general` first, then the others of `special`; `origin` 1 marks what came from there.

    Raises
    ------
    ValueError
        If one of them is itself the result of backing off.
    """
    for triples in (general, special):
        if triples.governor_sums.shape[0] != len(triples.relations):
            raise ValueError("backed_off joins two tables that were counted; one of these is joined already")
    new_words = [word for word in special.words if word not in general.words]
    words = Labels([*general.words, *new_words])
    relations = Labels([*general.relations, *(name for name in special.relations if name not in general.relations)])
    word_of, relation_of = words.encode(special.words), relations.encode(special.relations)
    governor, dependent = word_of[special.governor], word_of[special.dependent]
    kept = (governor >= len(general.words)) | (dependent >= len(general.words))
    columns = [
        np.concatenate((ours, theirs[kept]))
        for ours, theirs in (
            (general.governor, governor),
            (general.relation, relation_of[special.relation]),
            (general.dependent, dependent),
            (general.count, special.count),
        )
    ]
    shape = (2 * len(relations), len(words))
    sums = []
    for name in ("governor_sums", "dependent_sums"):
        ours, theirs = getattr(general, name).tocoo(), getattr(special, name).tocoo()
        row = np.concatenate((ours.coords[0], len(relations) + relation_of[theirs.coords[0]]))
        column = np.concatenate((ours.coords[1], word_of[theirs.coords[1]]))
        sums.append(sparse.coo_array((np.concatenate((ours.data, theirs.data)), (row, column)), shape=shape).tocsr())
    origin = np.repeat(np.array([0, 1], dtype=np.uint8), [len(general), int(kept.sum())])
    return _in_order(words, relations, *columns, *sums, origin)


def arcs(sentence: Sentence, *, collapse_prepositions: bool = True, resolve_voice: bool = False) -> list[Arc]:
    """The dependencies of one sentence by the rules and names of `count_triples`, in the order of the dependents.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import Token
    >>> rows = [("dogs", "dog", "NOUN", 2, "nsubj"), ("chase", "chase", "VERB", 0, "root"),
    ...         ("cats", "cat", "NOUN", 2, "dobj")]
    >>> tokens = [Token(i, form, lemma, tag, "_", "_", head, label, "_", "_")
    ...           for i, (form, lemma, tag, head, label) in enumerate(rows, 1)]
    >>> arcs(Sentence(tuple(tokens)))
    [Arc(governor=1, relation='nsubj', dependent=0), Arc(governor=1, relation='obj', dependent=2)]
    """
    if not len(sentence):
        return []
    corpus = corpus_from_sentences([sentence])
    relations = _Relations(corpus, collapse_prepositions, find_agents=True)
    found = relations.arcs(corpus, (0, corpus.n_tokens))
    return [
        Arc(governor, _canonical(relations.relation_name(relation), resolve_voice), dependent)
        for governor, relation, dependent in zip(*(column.tolist() for column in found), strict=True)
    ]
