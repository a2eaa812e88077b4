"""Counts over dependencies: the arcs of a sentence, words by their dependency contexts, and triples of two words.

Arcs are read alike from Stanford/CLEAR and Universal Dependencies labels: prepositions collapsed, root and punctuation
left out, an agent known where the labels or its *by* tell it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from cdsm_lib.labels import Labels
from cdsm_lib.text.corpus import Corpus, Sentence, corpus_from_sentences
from cdsm_lib.text.counts import Counts, numbering, summed
from cdsm_lib.text.parts import reduced

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
PART = 2_000_000  # tokens that are worked on at a time
LARGEST_KEY = np.iinfo(np.int64).max  # no context's
_PASSIVE = ("nsubjpass", "csubjpass", "auxpass")
_SYNONYMS = {  # one name for what the label schemes call differently: Stanford/CLEAR, Universal Dependencies 1 and 2
    "obj": ("dobj",),
    "iobj": ("dative",),
    "nsubjpass": ("nsubj:pass",),
    "csubjpass": ("csubj:pass",),
    "auxpass": ("aux:pass",),
    "compound": ("nn",),
    "poss": ("nmod:poss",),
    "relcl": ("acl:relcl", "rcmod"),
    "npadvmod": ("nmod:npmod", "obl:npmod", "nmod:tmod", "obl:tmod"),
    "agent": ("obl:agent", "nmod:agent"),
    "prt": ("compound:prt",),
    "preconj": ("cc:preconj",),
    "predet": ("det:predet",),
}
_CANONICAL = {label: name for name, labels in _SYNONYMS.items() for label in labels}
_ACTIVE = {"nsubjpass": "obj", "agent": "nsubj"}


def canonical(label: str, resolve_voice: bool = False) -> str:
    """The one name of a relation in all label schemes, in lower case; with `resolve_voice` that of the active.

    >>> canonical("nsubj:pass"), canonical("nsubj:pass", resolve_voice=True), canonical("amod")
    ('nsubjpass', 'obj', 'amod')
    """
    name = _CANONICAL.get(label.lower(), label.lower())
    return _ACTIVE.get(name, name) if resolve_voice else name


def count_dependencies(
    corpus: Corpus,
    rows: Labels | Sequence[str],
    *,
    min_count: int = 1,
    client=None,
) -> Counts:
    """Count the dependency contexts of Levy and Goldberg (2014, section 3).

    An arc from head h to dependent m with label r gives h the context `r:m` and m the inverse context `r-1:h`, for
    instance `nsubj:dog|NOUN` for *bark* and `nsubj-1:bark|VERB` for *dog*. Root and punctuation arcs are left out.

    Prepositions are collapsed: *discover with telescope* is one arc `prep_with` from the verb to the noun, in both
    label schemes: Stanford/CLEAR `prep` + `pobj` (`prepc_with` for a clause, `pcomp`; a preposition on a preposition,
    *out of the house*, is named by the last and hangs from the word above both), and Universal Dependencies `obl` or
    `nmod` with an adposition as its `case` (the first, if there are several; *obl:npmod* and *nmod:poss* stay).
    The agent of a passive is `agent` in both.

    Parameters
    ----------
    corpus : Corpus
    rows : Labels or sequence of str
        Words as `lemma|UPOS`.
    min_count : int
        Contexts that occur less often with the rows are dropped; the others are the columns, most frequent first,
        equals in alphabetical order.
    client : dask.distributed.Client, optional
        Count on its cluster instead, see `cdsm_lib.text.parts`. The counts are the same.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> table = count_dependencies(corpus, ["chase|VERB"])
    >>> list(table.columns), table.matrix.toarray()
    (['dobj:cat|NOUN', 'nsubj:dog|NOUN'], array([[1, 1]], dtype=int32))
    """
    rows, relations = Labels(rows), _Relations(corpus)
    row_of = numbering(corpus.words, rows)
    keys, counts = reduced(_tallied, _contexts, corpus, relations, row_of, tokens=PART, client=client)
    keys, counts = keys[counts >= min_count], counts[counts >= min_count]
    names = [relations.name(key) for key in keys]
    columns = Labels(names[i] for i in sorted(range(len(keys)), key=lambda i: (-counts[i], names[i])))
    shape = (len(rows), len(columns))
    tables = (row_of, np.append(keys, LARGEST_KEY), columns.encode(names), shape)
    add = partial(summed, shape=shape)
    return Counts(reduced(add, _counted, corpus, relations, *tables, tokens=PART, client=client), rows, columns)


def _contexts(corpus: Corpus, chunk: tuple[int, int], relations: "_Relations", row_of: np.ndarray) -> tuple:
    """The contexts of the rows in a part of the corpus: (keys, how often)."""
    return np.unique(relations.contexts(corpus, chunk, row_of)[1], return_counts=True)


def _counted(corpus: Corpus, chunk, relations: "_Relations", row_of, keys, column_of, shape) -> sparse.csr_array:
    """The counts of one part of the corpus."""
    row, context = relations.contexts(corpus, chunk, row_of)
    place = np.searchsorted(keys, context)
    counted = keys[place] == context
    ones = np.ones(np.count_nonzero(counted), dtype=np.int32)
    return sparse.coo_array((ones, (row[counted], column_of[place[counted]])), shape=shape).tocsr()


@lru_cache(maxsize=4)
def _lemmas(words: Labels) -> tuple[np.ndarray, np.ndarray, int]:
    """For each label the first of the same lemma, and whether it is an adposition; and the first of *by*, or -1."""
    lemmas, _, tags = zip(*(word.rpartition("|") for word in words), strict=True) if len(words) else ((),) * 3
    first = dict(zip(reversed(lemmas), range(len(words) - 1, -1, -1), strict=True))
    same = np.fromiter(map(first.__getitem__, lemmas), dtype=np.int64, count=len(words))
    return same, np.array([tag == "ADP" for tag in tags], dtype=bool), first.get("by", -1)


class _Tables(NamedTuple):
    """What the kernel asks of labels and words, and the numbers of relations."""

    role: np.ndarray
    passive: np.ndarray
    clause: np.ndarray
    adposition: np.ndarray
    same_lemma: np.ndarray
    n_deprels: int
    n_words: int
    agent: int
    by: int
    by_preposition: int
    prep_by: int


class _Relations:
    """Numbers for relations and contexts: key = (relation * 2 + inverse) * n_words + word.

    Relations are the corpus's labels, then `prep_x` and `prepc_x` for each word x, then `agent`. With `find_agents`
    an oblique with *by* is the agent where its verb is seen to be passive: UD version 1 has no label for it, nor have
    Stanford's basic and collapsed labels. Of the basic ones only a whole corpus shows that, for in CLEAR a preposition
    *by* that is no `agent` is none: `of_prepositions`.
    """

    def __init__(self, corpus: Corpus, find_agents: bool = False, of_prepositions: bool = False):
        self.words, self.deprels = corpus.words, corpus.deprels
        labels = [label.lower() for label in self.deprels]
        n_words, n_deprels = self.n_words, self.n_deprels = len(self.words), len(self.deprels)
        same_lemma, adposition, by = _lemmas(self.words)
        self.tables = _Tables(
            role=np.array([_role(label) for label in labels], dtype=np.int8),
            passive=np.array([canonical(label) in _PASSIVE for label in labels], dtype=bool),
            clause=np.array([label == "acl" for label in labels], dtype=bool),
            adposition=adposition,
            same_lemma=same_lemma,
            n_deprels=n_deprels,
            n_words=n_words,
            agent=labels.index("agent") if "agent" in labels else n_deprels + 2 * n_words,
            by=by if find_agents else -1,
            by_preposition=by if of_prepositions and "agent" not in labels else -1,
            prep_by=labels.index("prep_by") if find_agents and "prep_by" in labels else -1,
        )

    def __getstate__(self) -> dict:
        return {"tables": self.tables, "n_words": self.n_words}  # workers name nothing

    def arcs(self, corpus: Corpus, chunk: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(governor, relation, dependent) of every arc in the chunk, the words as token positions within it."""
        part = slice(*chunk)
        columns = [np.asarray(column[part]) for column in (corpus.word, corpus.head, corpus.deprel)]
        governor, dependent = np.empty((2, len(columns[0])), dtype=np.int32)
        relation = np.empty(len(columns[0]), dtype=np.int64)
        n = _collect_arcs(*columns, self.tables, governor, relation, dependent)
        return governor[:n], relation[:n], dependent[:n]

    def contexts(self, corpus: Corpus, chunk: tuple[int, int], row_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(row, context key) of every arc end in the chunk whose word is a row."""
        governor, relation, dependent = self.arcs(corpus, chunk)
        word = corpus.word[chunk[0] : chunk[1]]
        upper, lower = word[governor], word[dependent]
        above, below = row_of[upper] >= 0, row_of[lower] >= 0
        plain = relation[above] * 2 * self.n_words + lower[above]
        inverse = (relation[below] * 2 + 1) * self.n_words + upper[below]
        row = np.concatenate((row_of[upper[above]], row_of[lower[below]]))
        return row, np.concatenate((plain, inverse))

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


def _role(label: str) -> int:
    if label in _ROLES:
        return _ROLES[label]
    return _OBLIQUE if label.partition(":")[0] in ("nmod", "obl") and label != "nmod:poss" else _PLAIN


@njit(nogil=True, cache=True)
def _collect_arcs(word, head, deprel, tables, upper, name, lower):
    """Write governor, relation and dependent of each arc into the last three; returns how many there are."""
    size, role, adposition, same_lemma = len(word), tables.role, tables.adposition, tables.same_lemma
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
        passive[above] |= tables.passive[deprel[t]]
        passive[t] |= tables.clause[deprel[t]]
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
            by = kind == _OBJECT and same_lemma[word[preposition]] == tables.by_preposition
            if deprel[preposition] == tables.agent or by and passive[governor]:
                relation = tables.agent
            else:
                relation = tables.n_deprels + tables.n_words * (kind == _CLAUSE) + same_lemma[word[preposition]]
        elif kind == _OBLIQUE and case_of[t] >= 0:
            adposition_lemma = same_lemma[word[case_of[t]]]
            if passive[governor] and adposition_lemma == tables.by:
                relation = tables.agent
            else:
                relation = tables.n_deprels + adposition_lemma
        elif kind == _AGENT and case_of[t] >= 0 or relation == tables.prep_by and passive[governor]:
            relation = tables.agent
        upper[n], name[n], lower[n] = governor, relation, t
        n += 1
    return n


def _tallied(parts: Iterable[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers in (numbers, how often), each once, ascending, and how often it stands there all in all: int64.

    >>> _tallied([(np.array([7, 3]), np.array([1, 2])), (np.array([7]), np.array([4]))])
    (array([3, 7]), array([2, 5]))
    """
    numbers, often = map(np.concatenate, zip((np.empty(0, np.int64),) * 2, *parts, strict=True))
    order = np.argsort(numbers, kind="stable")  # merges what is sorted part by part
    numbers = numbers[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    return numbers[starts], np.add.reduceat(often[order], starts)


# ------------------------------------------------------------------------------------------------------- triples

_SUMS = ("governor_sums", "dependent_sums")


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
        Numbers of the words and relations. Whatever order they are given in, they are kept in that of (governor,
        relation, dependent).
    count : int64 [m]
        f(w, r, w'). Of a triple that is given several times, the sum.
    governor_sums, dependent_sums : scipy.sparse.csr_array [s * R, n], int64
        f(w, r, .) and f(., r, w'), with R relations in s sources (1, or 2 after `backed_off`).
    origin : uint8 [m], optional
        The source of each triple; all 0 by default. Relation r of source s has row s * R + r of the sums.
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
        words, relations = Labels(self.words), Labels(self.relations)
        numbers = [np.asarray(column, dtype=np.int32) for column in (self.governor, self.relation, self.dependent)]
        count = np.asarray(self.count, dtype=np.int64)
        origin = np.zeros(len(count), np.uint8) if self.origin is None else np.asarray(self.origin, dtype=np.uint8)
        key = (numbers[0].astype(np.int64) * len(relations) + numbers[1]) * len(words) + numbers[2]
        if (np.diff(key) <= 0).any():
            _, first, place = np.unique(key, return_index=True, return_inverse=True)
            count = np.bincount(place, count).astype(np.int64)
            numbers, origin = [column[first] for column in numbers], origin[first]
        sums = [sparse.csr_array(table, dtype=np.int64) for table in (self.governor_sums, self.dependent_sums)]
        for field, value in zip(fields(self), (words, relations, *numbers, count, *sums, origin), strict=True):
            object.__setattr__(self, field.name, value)

    def __len__(self) -> int:
        return len(self.count)

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
        marginals = [self.governor_sums[row, self.governor], self.dependent_sums[row, self.dependent]]
        return np.log(self.count) + np.log(self.relation_sums[row]) - sum(np.log(part) for part in marginals)

    def pruned(self, min_count: int) -> "Triples":
        """Only the triples that occur at least `min_count` times; the sums stay, and so does `pmi`."""
        frequent = self.count >= min_count
        columns = ("governor", "relation", "dependent", "count", "origin")
        return replace(self, **{name: getattr(self, name)[frequent] for name in columns})

    def voice_resolved(self) -> "Triples":
        """A passive counted as its active: `nsubjpass` becomes `obj` and `agent` becomes `nsubj`, counts are added.

        The same as `count_triples` with ``resolve_voice``, but for triples that had been left out as too rare in one
        of the two voices.
        """
        names = [_ACTIVE.get(name, name) for name in self.relations]
        relations = Labels(dict.fromkeys(names))
        becomes, sources = relations.encode(names), self.governor_sums.shape[0] // max(1, len(self.relations))
        row = np.concatenate([source * len(relations) + becomes for source in range(sources)])
        sums = {
            name: _renumbered(getattr(self, name), row, np.arange(len(self.words)), sources * len(relations))
            for name in _SUMS
        }
        return replace(self, relations=relations, relation=becomes[self.relation], **sums)


def _renumbered(sums: sparse.csr_array, row: np.ndarray, column: np.ndarray, n_rows: int, n_columns=None):
    """The cells of a matrix with other numbers for its rows and columns; cells that fall together are added."""
    cells = sums.tocoo()
    places = (row[cells.coords[0]], column[cells.coords[1]])
    return sparse.coo_array((cells.data, places), shape=(n_rows, n_columns or len(column))).tocsr()


def count_triples(
    corpus: Corpus,
    words: Labels | Sequence[str],
    *,
    min_count: int = 1,
    resolve_voice: bool = False,
    client=None,
) -> Triples:
    """Count dependency triples (governor, relation, dependent) between words.

    The arcs are those of `count_dependencies`: prepositions collapsed, root and punctuation left out. Relations have
    one name whatever the scheme of the parse (Stanford/CLEAR, Universal Dependencies 1 or 2): `obj` (*dobj*),
    `iobj` (*dative*), `nsubjpass` (*nsubj:pass*), `auxpass`, `compound` (*nn*), `poss` (*nmod:poss*), `relcl`
    (*acl:relcl*), `npadvmod` (*nmod:npmod*, *obl:tmod*), `prt`, `preconj`, `predet`, `prep_x`, `agent`; all others
    keep theirs. Universal Dependencies 1 does not mark the agent, nor do all of Stanford's labels: there an oblique
    with *by* is the agent if its verb has a passive subject or auxiliary, or is a clause that modifies a noun (*acl*).

    Parameters
    ----------
    corpus : Corpus
    words : Labels or sequence of str
        Words as `lemma|UPOS`. An arc counts if both its words are among them.
    min_count : int
        Rarer triples are left out, though not of the sums (see `Triples`).
    resolve_voice : bool
        Count a passive as its active: its subject (`nsubjpass`) as `obj`, its `agent` as `nsubj`.
    client : dask.distributed.Client, optional
        Count on its cluster instead, see `cdsm_lib.text.parts`. The counts are the same.

    Returns
    -------
    Triples
        Relations by frequency, equals in alphabetical order.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> table = count_triples(corpus, ["dog|NOUN", "chase|VERB", "cat|NOUN"])
    >>> triples = zip(table.governor, table.relation, table.dependent, strict=True)
    >>> [(table.words[g], table.relations[r], table.words[d]) for g, r, d in triples]
    [('chase|VERB', 'nsubj', 'dog|NOUN'), ('chase|VERB', 'obj', 'cat|NOUN')]
    """
    words, known = Labels(words), _Relations(corpus, find_agents=True, of_prepositions=True)
    bits, row_of = len(words).bit_length(), numbering(corpus.words, words)  # bits of a word's number
    keys, counts = reduced(_tallied, _triples, corpus, known, row_of, bits, tokens=PART, client=client)
    last = (1 << bits) - 1
    governor, dependent = (keys >> bits & last).astype(np.int32), (keys & last).astype(np.int32)
    numbers, place = np.unique(keys >> 2 * bits, return_inverse=True)
    names = [canonical(known.relation_name(number), resolve_voice) for number in numbers.tolist()]
    labels, code = np.unique(np.array(names, dtype=object), return_inverse=True)
    order = np.argsort(-np.bincount(code[place], counts, len(labels)), kind="stable")
    relation = np.argsort(order)[code][place].astype(np.int32)
    shape = (len(labels), len(words))
    sums = [sparse.coo_array((counts, (relation, end)), shape=shape).tocsr() for end in (governor, dependent)]
    return Triples(words, Labels(labels[order]), governor, relation, dependent, counts, *sums).pruned(min_count)


def _triples(corpus: Corpus, chunk: tuple[int, int], known: _Relations, row_of: np.ndarray, bits: int) -> tuple:
    """One number for each triple of known words in a part of the corpus: (numbers, how often)."""
    upper, relation, lower = known.arcs(corpus, chunk)
    row = row_of[corpus.word[chunk[0] : chunk[1]]]
    both = (row[upper] >= 0) & (row[lower] >= 0)
    return np.unique((relation[both] << bits | row[upper[both]]) << bits | row[lower[both]], return_counts=True)


def backed_off(general: Triples, special: Triples) -> Triples:
    """The triples of `general`, and for the words that only `special` has those of `special` in which they take part.

    Cheung & Penn (2012, section 4.4) adapt their models so: a word that the general corpus lacks is looked up in the
    special one. A triple of `special` keeps its count, and `pmi` takes it with the sums of `special`.

    Returns
    -------
    Triples
        Words and relations of `general` first, then the others of `special`; `origin` 1 marks what came from there.
    """
    words = Labels(dict.fromkeys([*general.words, *special.words]))
    relations = Labels(dict.fromkeys([*general.relations, *special.relations]))
    word_of, relation_of = words.encode(special.words), relations.encode(special.relations)
    governor, dependent = word_of[special.governor], word_of[special.dependent]
    new = (governor >= len(general.words)) | (dependent >= len(general.words))
    before = (general.governor, general.relation, general.dependent, general.count)
    further = (governor, relation_of[special.relation], dependent, special.count)
    columns = [np.concatenate((column, more[new])) for column, more in zip(before, further, strict=True)]
    first, everywhere, size = np.arange(len(general.relations)), np.arange(len(words)), (2 * len(relations), len(words))
    sums = [
        _renumbered(getattr(general, name), first, everywhere, *size)
        + _renumbered(getattr(special, name), len(relations) + relation_of, word_of, *size)
        for name in _SUMS
    ]
    return Triples(words, relations, *columns, *sums, np.repeat([0, 1], [len(general), int(new.sum())]))


def arcs(sentence: Sentence, *, resolve_voice: bool = False) -> list[Arc]:
    """The dependencies of one sentence by the rules and names of `count_triples`, in the order of the dependents.

    Examples
    --------
    >>> from cdsm_lib.text.corpus import sentence
    >>> arcs(sentence("dogs:dog/2/nsubj chase|VERB/0/root cats:cat/2/dobj"))
    [Arc(governor=1, relation='nsubj', dependent=0), Arc(governor=1, relation='obj', dependent=2)]
    """
    if not len(sentence):
        return []
    corpus = corpus_from_sentences([sentence])
    relations = _Relations(corpus, find_agents=True)
    rows = np.transpose(relations.arcs(corpus, (0, corpus.n_tokens))).tolist()
    named = ((governor, relations.relation_name(relation), dependent) for governor, relation, dependent in rows)
    return [Arc(governor, canonical(name, resolve_voice), dependent) for governor, name, dependent in named]
