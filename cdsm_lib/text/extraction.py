"""Phrases out of dependency trees: adjective-noun, noun-noun, subject-verb, verb-object, SVO, relative clauses.

Every extractor takes a `Corpus` and returns an int64 array of token positions, one row for each occurrence, the
columns named by the function, the rows in corpus order. With `client`, a ``dask.distributed.Client``, its cluster reads
the trees (`cdsm_lib.text.parts`), and the positions are the same. `count_tuples` turns them into counted word tuples.
The verb matrices and relative-clause models of Rimell, Maillard, Polajnar and Clark (2016), "RELPRON: A Relative
Clause Evaluation Data Set for Compositional Distributional Semantics", Computational Linguistics 42(4), are trained
on such tuples (their section 5.1.3).

The work is done on whole columns, in blocks of half a million tokens, so that memory does not grow with the corpus.

What counts as what
-------------------
Labels
    Universal Dependencies version 2 (``nsubj obj nsubj:pass obl:agent acl:relcl``), version 1 (``nsubjpass dobj
    nmod:agent``) and Stanford/CLEAR as spaCy gives it (``nsubjpass dobj``, ``agent`` + ``pobj``, ``relcl``), collapsed
    too (``agent``, ``prep_by``); capitals make no difference. In a corpus without any label for agents, an oblique or a
    preposition with *by* under a passive verb is the agent.
    Tags must be the universal ones; a corpus without any of them is a `ValueError`.
Arguments
    Nouns and proper nouns. Pronouns, numerals and clauses fill a slot (they make a verb transitive) but are not
    returned.
Verbs
    Universal tag VERB; AUX only where it governs an object (*the house has walls*: some taggers call every *have* an
    auxiliary). So the copula, whose predicate is no object, is never a verb here. A particle verb counts as its verb
    (*carry out plans* gives *carry*, *plans*).
Passives
    The passive subject is the object, the *by* phrase the subject: *cars are driven by men* gives *man drive car*.
    Where a passive verb keeps an object (*he was given a prize*), that object stands and its subject is dropped: it
    is the recipient.
Conjunction
    A conjoined noun takes the role of the first (*dogs and cats chase mice* gives two subjects), a conjoined
    adjective modifies the same noun, and a conjoined verb without a subject of its own takes that of the verb before
    it (*the dog barks and bites men*). Its voice is passive if it has its own passive auxiliary or an agent, active
    if it has an object or the verb before is active, and otherwise unknown (*was seen and left*): then nothing is
    taken over. Objects are not shared between verbs, nor adjectives between nouns: *eats and drinks water*, *old men
    and women* can be read both ways.
Relative pronouns
    *that, who, which, whom* before the verb of a relative clause stand for the noun that the clause modifies: *dog
    that chases cats* gives *dog chase cat*.
Participles (``participles=True``; off by default)
    A clause without a relative pronoun also has its noun as an argument: *pictures painted by artists*, *artists
    painting pictures*.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from cdsm_lib.labels import UPOS, Labels
from cdsm_lib.text.corpus import Corpus
from cdsm_lib.text.dependencies import canonical
from cdsm_lib.text.parts import piece, reduced

KINDS = ("subject", "object")
BLOCK = 1 << 19  # tokens at a time; three positions within a block fit into one int64

# Roles: what a dependency says, by its label or by the one name that `canonical` has for it in all schemes.
_ROLES = {
    "subject": ("nsubj",),
    "passive subject": ("nsubjpass",),
    "other subject": ("csubj", "csubjpass", "csubj:outer", "nsubj:outer", "expl", "expl:pass"),
    "object": ("obj",),
    "agent": ("obl:agent", "nmod:agent"),
    "by": ("agent",),
    "prep_by": ("prep_by",),
    "preposition": ("prep",),
    "object of preposition": ("pobj",),
    "oblique": ("obl", "nmod"),
    "case": ("case",),
    "adjective": ("amod",),
    "compound": ("compound",),
    "relative clause": ("relcl",),
    "participle": ("acl", "vmod"),
    "conjunct": ("conj",),
    "passive auxiliary": ("auxpass",),
    "complement": ("ccomp", "xcomp", "oprd", "acomp"),
}
_ROLE = {name: number for number, name in enumerate(_ROLES, 1)}
_ROLE_OF = {label: _ROLE[name] for name, labels in _ROLES.items() for label in labels}

# Word classes: one bit each.
_NOUN, _ADJ, _VERB, _AUX, _PRON, _RELATIVE, _BY, _TO, _ING = (1 << i for i in range(9))
_LEMMAS: dict[int, tuple[str, ...]] = {_RELATIVE: ("that", "who", "which", "whom"), _BY: ("by",), _TO: ("to",)}
_TAGS = {_NOUN: ("NOUN", "PROPN"), _ADJ: "ADJ", _VERB: "VERB", _AUX: "AUX", _PRON: "PRON"}


@dataclass(frozen=True)
class Phrases:
    """Counted word tuples of one kind, most frequent first, equals in alphabetical order.

    Attributes
    ----------
    words : Labels
        The words, ``lemma|UPOS``.
    ids : ndarray of int32, shape (m, k)
        Each phrase as places in `words`.
    counts : ndarray of int64, shape (m,)
    positions : ndarray of int64, shape (n, k), or None
        Where the phrases occur in the corpus, if it is at hand.
    phrase_of : ndarray of int64, shape (n,), or None
        Which phrase occurs there, -1 for none of these.
    """

    words: Labels
    ids: np.ndarray
    counts: np.ndarray
    positions: np.ndarray | None = field(default=None, repr=False)
    phrase_of: np.ndarray | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def labels(self) -> Labels:
        """Each phrase as its words joined by spaces."""
        return Labels(map(" ".join, self.words.decode(self.ids)))

    def only(self, wanted: np.ndarray) -> "Phrases":
        """Only these phrases (bool [m]), with the places where they occur."""
        place = np.append(np.where(wanted, np.cumsum(wanted) - 1, -1), -1)
        return replace(self, ids=self.ids[wanted], counts=self.counts[wanted], phrase_of=place[self.phrase_of])

    def over(self, words: Labels) -> "Phrases":
        """The same over another table of words, without their places in the corpus."""
        ids = words.encode(self.words.decode(self.ids.ravel())).reshape(self.ids.shape)
        return Phrases(words, ids.astype(np.int32), self.counts)


# ------------------------------------------------------------------------------------------------ trees as columns


@dataclass(frozen=True)
class _Trees:
    """A block of whole sentences: for each token its head (place in the block), role and word class."""

    start: int
    head: np.ndarray
    role: np.ndarray
    kind: np.ndarray
    names_agents: bool
    collapsed: bool

    def is_role(self, *names: str) -> np.ndarray:
        return np.isin(self.role, [_ROLE[name] for name in names])

    def at(self, name: str) -> np.ndarray:
        """Places of the tokens with this role; roots have none."""
        return np.flatnonzero(self.role == _ROLE[name])

    def has_child(self, *names: str) -> np.ndarray:
        """For each token, whether one of its children has one of these roles."""
        return self.mark(self.head[self.is_role(*names)])

    def mark(self, places: np.ndarray) -> np.ndarray:
        marked = np.zeros(len(self.head), dtype=bool)
        marked[places] = True
        return marked

    def of_kind(self, bits: int, places=slice(None)) -> np.ndarray:
        return (self.kind[places] & bits) != 0


class _Tables(NamedTuple):
    """What is known of the corpus's labels, words and forms: the role of a label, the kind of a word, the forms in
    *-ing*, whether labels name agents, and whether no preposition has an object."""

    role_of: np.ndarray
    kind_of: np.ndarray
    ing: np.ndarray | None
    names_agents: bool
    collapsed: bool


def _tables(corpus: Corpus, know_ing: bool) -> _Tables:
    """Word forms in *-ing* are looked up only if `know_ing`."""
    roles = [_ROLE_OF.get(label.lower()) or _ROLE_OF.get(canonical(label), 0) for label in corpus.deprels]
    role_of = np.array(roles, dtype=np.uint8)
    names_agents = bool(np.isin(role_of, (_ROLE["agent"], _ROLE["by"])).any())
    pos = corpus.pos_of
    if len(pos) and not np.isin(pos, UPOS).any():
        some = ", ".join(np.unique(pos)[:5])
        raise ValueError(f"tags such as {some} in UPOS; extraction needs universal tags (NOUN, VERB): convert them")
    kind_of = np.zeros(len(pos), dtype=np.uint16)
    for bit, tags in _TAGS.items():
        kind_of[np.isin(pos, tags)] |= bit
    for bit, lemmas in _LEMMAS.items():
        places = corpus.words.encode(f"{lemma}|{tag}" for lemma in lemmas for tag in UPOS)
        kind_of[places[places >= 0]] |= bit
    ing = np.array([form.endswith(("ing", "ING")) for form in corpus.forms]) if know_ing else None
    return _Tables(role_of, kind_of, ing, names_agents, _ROLE["object of preposition"] not in role_of)


def _first_of(trees: _Trees, member: np.ndarray, first: np.ndarray) -> np.ndarray:
    """For each `member` of a coordination its first one, which may also be a `first`; others: themselves."""
    step = np.arange(len(trees.head))
    places = trees.at("conjunct")
    places = places[member[places] & first[trees.head[places]]]
    step[places] = trees.head[places]
    while not np.array_equal(step[step], step):
        step = step[step]
    return step


def _pairs(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All (i, j) with left[i] == right[j]."""
    order = np.argsort(right, kind="stable")
    low = np.searchsorted(right[order], left, side="left")
    many = np.searchsorted(right[order], left, side="right") - low
    i = np.repeat(np.arange(len(left)), many)
    within = np.arange(len(i)) - np.repeat(np.cumsum(many) - many, many)
    return i, order[np.repeat(low, many) + within]


def _rows(trees: _Trees, *columns: np.ndarray) -> np.ndarray:
    """Different rows in order, as positions in the corpus."""
    shape = (len(trees.head),) * len(columns)
    different = np.unique(np.ravel_multi_index(columns, shape))
    return np.stack(np.unravel_index(different, shape), axis=1) + trees.start


def _collected(
    corpus: Corpus, columns: Callable[[_Trees], Sequence[np.ndarray]], k: int, client, know_ing: bool = False
) -> np.ndarray:
    """The rows that a function finds in each block, as `k` columns of places."""
    tables = _tables(corpus, know_ing)
    return reduced(partial(_stacked, k), _of_block, corpus, columns, tables, tokens=BLOCK, client=client)


def _stacked(k: int, blocks: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.empty((0, k), dtype=np.int64), *blocks])


def _of_block(corpus: Corpus, chunk: tuple[int, int], columns: Callable, tables: _Tables) -> np.ndarray:
    """The rows of the trees in a part of the corpus."""
    start, stop = chunk
    distance = corpus.head[start:stop]
    role = tables.role_of[corpus.deprel[start:stop]]
    role[distance == 0] = 0  # a root is nobody's argument
    kind = tables.kind_of[corpus.word[start:stop]]
    if tables.ing is not None:
        kind[tables.ing[corpus.form[start:stop]]] |= _ING
    trees = _Trees(start, np.arange(stop - start) + distance, role, kind, tables.names_agents, tables.collapsed)
    return _rows(trees, *columns(trees))


# --------------------------------------------------------------------------------------------- modifiers of a noun


def adjective_noun(corpus: Corpus, *, client=None) -> np.ndarray:
    """Attributive adjectives with their nouns; a conjoined one modifies the same noun: *a big and red ball*.

    Positions of adjective (ADJ) and noun (NOUN, PROPN), int64 [n, 2].

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> adjective_noun(corpus)  # young, dog
    array([[0, 1]])
    """

    def columns(trees: _Trees):
        is_adjective = trees.of_kind(_ADJ)
        first = _first_of(trees, is_adjective, is_adjective)
        adjective = np.flatnonzero(is_adjective & (trees.role[first] == _ROLE["adjective"]))
        noun = trees.head[first[adjective]]
        sound = trees.of_kind(_NOUN, noun)
        return adjective[sound], noun[sound]

    return _collected(corpus, columns, 2, client)


def noun_noun(corpus: Corpus, *, client=None) -> np.ndarray:
    """Noun compounds: a modifying noun with the noun it depends on.

    In *tax law reform* the parser decides whether *tax* modifies *law* or *reform*.

    Positions of modifier and head, both NOUN or PROPN, int64 [n, 2].

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("farm/2/compound dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> noun_noun(corpus)  # farm, dog
    array([[0, 1]])
    """

    def columns(trees: _Trees):
        modifier = trees.at("compound")
        modifier = modifier[trees.of_kind(_NOUN, modifier) & trees.of_kind(_NOUN, trees.head[modifier])]
        return modifier, trees.head[modifier]

    return _collected(corpus, columns, 2, client)


# -------------------------------------------------------------------------------------------- arguments of a verb


def _arguments(trees: _Trees, participles: bool) -> np.recarray:
    """Arguments of verbs by meaning: `token` is the subject or object of `verb`, passives turned round.

    `antecedent` is the noun for which a relative pronoun `token` stands, or -1.
    """
    has_object = trees.has_child("object")
    verb = trees.of_kind(_VERB) | (trees.of_kind(_AUX) & has_object)
    passive = trees.has_child("passive subject", "passive auxiliary")

    # Who depends on whom as what: a conjoined noun has the role and the governor of the first.
    first = _first_of(trees, trees.of_kind(_NOUN), trees.of_kind(_NOUN | _PRON))
    obliques = "agent", "object of preposition", "oblique", "prep_by"
    wanted = trees.is_role("subject", "passive subject", "object", *obliques)
    if trees.collapsed:
        wanted |= trees.is_role("by") & trees.of_kind(_NOUN | _PRON)
    token = np.flatnonzero(wanted[first])
    role, governor = trees.role[first[token]], trees.head[first[token]]
    under_by = (role == _ROLE["object of preposition"]) & (trees.role[governor] == _ROLE["by"])
    governor = np.where(under_by, trees.head[governor], governor)
    role = np.where(under_by | (role == _ROLE["by"]), _ROLE["agent"], role)
    if not trees.names_agents:
        by = trees.mark(trees.head[trees.is_role("case") & trees.of_kind(_BY)])
        acted_on = passive | (trees.is_role("participle") & trees.of_kind(_VERB))
        under_by = (role == _ROLE["object of preposition"]) & (trees.role[governor] == _ROLE["preposition"])
        under_by &= trees.of_kind(_BY, governor) & acted_on[trees.head[governor]]
        governor = np.where(under_by, trees.head[governor], governor)
        oblique = ((role == _ROLE["oblique"]) & by[first[token]] | (role == _ROLE["prep_by"])) & acted_on[governor]
        role = np.where(under_by | oblique, _ROLE["agent"], role)
    clause = governor

    # A conjoined verb without a subject takes that of the first verb.
    by_phrase = trees.mark(governor[role == _ROLE["agent"]])
    lender, borrower = _shared_subjects(trees, token, role, governor, verb)
    turned = trees.has_child("passive auxiliary")[borrower] | (by_phrase[borrower] & ~has_object[borrower])
    known = has_object[borrower] | ~passive[governor[lender]]
    borrowed = np.where(turned, _ROLE["passive subject"], np.where(known, _ROLE["subject"], 0))
    token, role = np.concatenate((token, token[lender])), np.concatenate((role, borrowed))
    clause, governor = np.concatenate((clause, clause[lender])), np.concatenate((governor, borrower))

    if participles:
        noun, acl, acl_role = _participles(trees, verb, has_object)
        token, role = np.concatenate((token, noun)), np.concatenate((role, acl_role))
        clause, governor = np.concatenate((clause, acl)), np.concatenate((governor, acl))

    # By meaning: the agent is a subject, the passive subject an object, unless the verb keeps an object.
    active_subject = trees.mark(governor[role == _ROLE["subject"]])
    subject = (role == _ROLE["subject"]) | ((role == _ROLE["agent"]) & ~active_subject[governor])
    object_ = (role == _ROLE["object"]) | ((role == _ROLE["passive subject"]) & ~has_object[governor])
    sound = (subject | object_) & verb[governor]

    modified = trees.head[clause]
    relative = trees.of_kind(_RELATIVE, token) & (token < clause) & (modified < token)
    relative &= (trees.role[clause] == _ROLE["relative clause"]) & trees.of_kind(_NOUN, modified)
    columns = (token, governor, subject, np.where(relative, modified, -1))
    return np.rec.fromarrays([column[sound] for column in columns], names="token, verb, is_subject, antecedent")


def _nouns(trees: _Trees, arguments: np.recarray) -> np.recarray:
    """Only nouns, relative pronouns replaced by theirs."""
    relative = arguments.antecedent >= 0
    arguments.token[relative] = arguments.antecedent[relative]
    return arguments[trees.of_kind(_NOUN, arguments.token)]


def _shared_subjects(trees, token, role, governor, verb) -> tuple[np.ndarray, np.ndarray]:
    """(argument, verb): the arguments that are subjects of a coordination's first verb, for its later verbs."""
    has_subject = trees.has_child("subject", "passive subject", "other subject")
    first = _first_of(trees, verb & ~has_subject, verb | has_subject)
    borrower = np.flatnonzero(first != np.arange(len(first)))
    subject = np.flatnonzero(np.isin(role, (_ROLE["subject"], _ROLE["passive subject"])))
    i, j = _pairs(governor[subject], first[borrower])
    lender, borrower = subject[i], borrower[j]
    before = token[lender] < borrower
    return lender[before], borrower[before]


def _participles(trees: _Trees, verb: np.ndarray, has_object: np.ndarray):
    """(noun, verb, role): nouns with a participial clause; *-ing* takes its subject, another its object."""
    has_subject = trees.has_child("subject", "passive subject", "other subject")
    infinitive = trees.mark(trees.head[trees.of_kind(_TO) & ~trees.is_role("case")])
    acl = trees.at("participle")
    acl = acl[(verb & ~has_subject & ~infinitive)[acl]]
    acl = acl[trees.of_kind(_NOUN, trees.head[acl]) & (trees.head[acl] < acl)]
    active = trees.of_kind(_ING, acl)
    acl, active = acl[active | ~has_object[acl]], active[active | ~has_object[acl]]
    return trees.head[acl], acl, np.where(active, _ROLE["subject"], _ROLE["passive subject"])


def _pairs_with_verb(corpus, is_subject, transitive, participles, client) -> np.ndarray:
    def columns(trees: _Trees):
        arguments = _arguments(trees, participles)
        wanted = arguments.is_subject == is_subject
        if transitive:
            wanted &= trees.mark(arguments.verb[~arguments.is_subject])[arguments.verb]
            wanted &= trees.mark(arguments.verb[arguments.is_subject])[arguments.verb]
        nouns = _nouns(trees, arguments[wanted])
        return (nouns.token, nouns.verb) if is_subject else (nouns.verb, nouns.token)

    return _collected(corpus, columns, 2, client, participles)


def subject_verb(corpus: Corpus, *, transitive: bool = False, participles: bool = False, client=None) -> np.ndarray:
    """Nouns with the verb whose subject they are; the *by* phrase of a passive is its subject.

    With `transitive` only of verbs that have both a subject and an object in the sentence, whatever fills these slots:
    the condition under which Rimell et al. (2016, 5.1.3) collect the training pairs of verb matrices. A passive needs
    its agent. `participles` are described above. Positions of subject and verb, int64 [n, 2].

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> subject_verb(corpus)  # dog, chase
    array([[1, 2]])
    """
    return _pairs_with_verb(corpus, True, transitive, participles, client)


def verb_object(corpus: Corpus, *, transitive: bool = False, participles: bool = False, client=None) -> np.ndarray:
    """Verbs with the nouns that are their object; the subject of a passive is its object.

    Positions of verb and object, int64 [n, 2]; the options are those of `subject_verb`.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> verb_object(corpus)  # chase, cat
    array([[2, 3]])
    """
    return _pairs_with_verb(corpus, False, transitive, participles, client)


def subject_verb_object(corpus: Corpus, *, participles: bool = False, client=None) -> np.ndarray:
    """Subject, verb and object, from actives and from passives with their agent.

    Positions of subject, verb and object, int64 [n, 3]; conjoined subjects and objects give every combination.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> subject_verb_object(corpus)  # dog, chase, cat
    array([[1, 2, 3]])
    """

    def columns(trees: _Trees):
        nouns = _nouns(trees, _arguments(trees, participles))
        subject, object_ = nouns[nouns.is_subject], nouns[~nouns.is_subject]
        i, j = _pairs(subject.verb, object_.verb)
        different = subject.token[i] != object_.token[j]
        return [column[different] for column in (subject.token[i], subject.verb[i], object_.token[j])]

    return _collected(corpus, columns, 3, client, participles)


# ------------------------------------------------------------------------------------------------ relative clauses


def relative_clauses(corpus: Corpus, kind: str, *, client=None) -> np.ndarray:
    """Nouns modified by a relative clause, with its verb and its other argument.

    ============================  =================  =====================================
    clause                        kind               (head noun, verb, argument)
    ============================  =================  =====================================
    machine that counts coins     subject            machine, count, coin
    planet that telescopes see    object             planet, see, telescope
    car that is driven by men     object             car, drive, man
    man by whom cars are driven   subject            man, drive, car
    ============================  =================  =====================================

    The argument is a noun within the clause, not a pronoun. As Rimell et al. (2016, 5.1.3) do, verbs with a clausal
    complement are left out (*an incident that left one government embarrassed*, *people that want to leave*). A passive
    with its agent counts by meaning; conjoined verbs share the head noun: *machine that finds coins and counts them*
    gives two tuples. Positions of head noun, verb and argument, int64 [n, 3]; a `ValueError` if `kind` is unknown.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("dogs:dog/0/root that|PRON/3/nsubj chase|VERB/1/relcl cats:cat/3/dobj")
    >>> relative_clauses(corpus, "subject")  # dog, chase, cat
    array([[0, 2, 3]])
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r}: choose one of {', '.join(KINDS)}")

    def columns(trees: _Trees):
        arguments = _arguments(trees, False)
        arguments = arguments[~trees.has_child("complement")[arguments.verb]]
        in_situ = arguments[(arguments.antecedent < 0) & trees.of_kind(_NOUN, arguments.token)]
        gap = arguments[(arguments.antecedent >= 0) & (arguments.is_subject == (kind == "subject"))]
        argument = in_situ[in_situ.is_subject != (kind == "subject")]
        i, j = _pairs(gap.verb, argument.verb)
        return gap.antecedent[i], gap.verb[i], argument.token[j]

    return _collected(corpus, columns, 3, client)


def relative_head_pattern(corpus: Corpus, *, client=None) -> Phrases:
    """Nouns in the pattern "a(n) NOUN that|who|which", counted: candidate head nouns (Rimell et al. 2016, 3.1).

    The pattern runs over neighbouring word forms and knows no trees, as in the paper. The tuples have one column, the
    noun's word id; `occurrence` is in the order of the text.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("a|DET/2/det dog/0/root that|PRON/4/nsubj barks:bark|VERB/2/relcl")
    >>> heads = relative_head_pattern(corpus)
    >>> list(heads.labels), heads.counts
    (['dog|NOUN'], array([1]))
    """
    article, noun = corpus.forms.mask(("a", "an", "A", "An")), corpus.pos_of == "NOUN"
    pronoun = corpus.forms.mask(("that", "who", "which"))
    places = reduced(partial(_stacked, 1), _in_pattern, corpus, article, noun, pronoun, tokens=BLOCK, client=client)
    return count_tuples(corpus, places)


def _in_pattern(corpus: Corpus, chunk: tuple[int, int], article, noun, pronoun) -> np.ndarray:
    """Places [n, 1] of the nouns in a part of the corpus."""
    form, (word, offsets) = corpus.form[slice(*chunk)], piece(corpus, chunk)
    begins = np.zeros(len(word) + 1, dtype=bool)
    begins[offsets] = True
    match = article[form[:-2]] & noun[word[1:-1]] & pronoun[form[2:]] & ~begins[1:-2] & ~begins[2:-1]
    return (np.flatnonzero(match) + chunk[0] + 1)[:, None]


# -------------------------------------------------------------------------------------------------------- counting


def count_tuples(
    corpus: Corpus,
    positions: np.ndarray,
    *,
    pos: Sequence[str | Collection[str] | None] | None = None,
    min_count: int = 1,
) -> Phrases:
    """Count the word tuples at some positions.

    Parameters
    ----------
    positions : ndarray of int, shape (n, k)
        As the extractors of this module give them.
    pos : sequence, optional
        For each column the universal tag, or a collection of tags, that its words must have; None for any.
        ``("NOUN", ("VERB", "AUX"), "NOUN")`` leaves out proper nouns and keeps *have* as an auxiliary with an object.
    min_count : int
        Tuples seen less often are dropped.

    >>> from cdsm_lib.text.corpus import corpus_from_text
    >>> corpus = corpus_from_text("Young|ADJ/2/amod dogs:dog/3/nsubj chase|VERB/0/root cats:cat/3/dobj")
    >>> tuples = count_tuples(corpus, subject_verb_object(corpus))
    >>> list(tuples.labels), tuples.counts
    (['dog|NOUN chase|VERB cat|NOUN'], array([1]))
    """
    words = np.asarray(corpus.word)[positions]
    chosen = np.ones(len(words), dtype=bool)
    for column, tags in enumerate(pos or ()):
        if tags is not None:
            chosen &= np.isin(corpus.pos_of, [tags] if isinstance(tags, str) else list(tags))[words[:, column]]

    words = words[chosen]
    different, place = np.unique(words, return_inverse=True)
    alphabet = np.argsort(corpus.words.decode(different))
    shape = (max(1, len(different)),) * words.shape[1]
    keys = np.ravel_multi_index(np.argsort(alphabet)[place].reshape(words.shape).T, shape)
    keys, number, counts = np.unique(keys, return_inverse=True, return_counts=True)  # in alphabetical order
    order = np.argsort(-counts, kind="stable")
    order = order[counts[order] >= min_count]
    new = np.full(len(counts), -1, dtype=np.int64)
    new[order] = np.arange(len(order))
    occurrence = np.full(len(positions), -1, dtype=np.int64)
    occurrence[chosen] = new[number]
    ids = different[alphabet][np.stack(np.unravel_index(keys[order], shape), axis=1)]
    return Phrases(corpus.words, ids.astype(np.int32), counts[order].astype(np.int64), positions, occurrence)
