"""How questions for restricted question answering are generated from gold dependency trees, and checked by hand.

Cheung and Penn (2012), section 3.2, took 295 questions that Poon and Domingos's (2009) parser had found in GENIA. They
are not to be had. By the paper's own idea a proposition with one argument missing becomes a question: `propositions`
of a document, why one makes no question (`rejection`, `funnel`), its `question_tree`. Of the candidates that no
objection rejects 600 were drawn at random, the forms about equally often, and read by two readers each
(``data/annotations/genia_questions.tsv``); the book's questions are `rebuilt` from the ids that both found right.

Five forms of a question keep apart what changes against the text: ``same`` (nothing), ``voice`` (active for passive or
passive for active), ``verb`` (a verb of like meaning), ``voice+verb`` (both), ``nominalisation`` (a verb for the noun
or the adjective made from it). Questions are short, so that lemma overlap is put to a test; what a short question asks
for, another sentence may tell as well: that is for the hand check to find.

Trees have labels of Universal Dependencies version 1 (``nsubjpass dobj nmod acl:relcl``), universal tags in UPOS and
Penn tags in XPOS. Sentences of a document are numbered from 0, tokens from 1. *Subject* is the argument that acts and
*object* the one acted upon, in either voice; one is *missing* from a question, which the answer fills, one is *known*.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest

from cdsm_lib import datasets
from cdsm_lib.construction.genia import genia
from cdsm_lib.construction.localisation import inflected
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Document, Question, QuestionSet, text
from cdsm_lib.text.corpus import Sentence, Token

FORMS = ("same", "voice", "verb", "voice+verb", "nominalisation")
ARGUMENTS = ("subject", "object")

LONGEST = 2
"""Tokens that the known argument of a question may have."""


@cache
def listed(name: str):
    """A list of ``data/question_words.toml``: a set of words, or a table from a word to some others.

    >>> "both" in listed("deictic"), listed("paraphrases")["inhibit"]
    (True, ('block', 'suppress'))
    """
    value = datasets.read_toml(datasets.data_root() / "question_words.toml", "question_words")[name]
    if isinstance(value, str):
        return frozenset(value.split())
    return {word: tuple(others.split()) for word, others in value.items()}


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def load(name="questions") -> QuestionSet:
    """The questions "genia", that both of their readers found right, the teaching set "questions", or a folder's.

    A spoilt file is a `TaskError`, an unknown name or what cannot be had a `cdsm_lib.datasets.DataError`.

    >>> text(load("questions").questions[0].sentence)
    'What does Tarsin activate?'
    """
    if name != "genia":
        return question_answering.load(name)
    return rebuilt(genia(), {id: decision.verb for id, decision in hand_check().items() if decision.right})


# ---------------------------------------------------------------------------------------------------------------------
# Propositions


class _Tree:
    """A sentence with the children of each token."""

    def __init__(self, sentence: Sentence):
        self.tokens = sentence.tokens
        self.children: dict[int, list[Token]] = defaultdict(list)
        for token in sentence:
            self.children[token.head].append(token)

    def __getitem__(self, id: int) -> Token:
        return self.tokens[id - 1]

    def those(self, id: int, *labels: str) -> list[Token]:
        """Children with one of the labels."""
        return [child for child in self.children[id] if child.deprel in labels]

    def below(self, id: int) -> list[int]:
        """Ids of the whole subtree, its root included, in order."""
        return sorted([id, *(inner for child in self.children[id] for inner in self.below(child.id))])

    def brackets(self, id: int) -> bool:
        """Whether a token stands alone in brackets."""
        return [token.xpos for token in self.tokens[max(id - 2, 0) : id + 1 : 2]] == ["-LRB-", "-RRB-"]

    def preposition(self, token: Token) -> str:
        """Lemma of the preposition of a nominal modifier; empty if there is none."""
        return " ".join(child.lemma for child in self.those(token.id, "case") if child.xpos != "POS")


@dataclass(frozen=True)
class Argument:
    """An argument of a proposition: its head, the tokens of its `noun_phrase`, all by their ids.

    ``cut`` says whether something was left out that may tell which things are meant: a conjunct, a restrictive clause,
    a phrase with another preposition than *of*.
    """

    head: int
    tokens: tuple[int, ...]
    cut: bool


@dataclass(frozen=True)
class Proposition:
    """A verb with its subject (who acts) and its object (what is acted upon), in either voice.

    ``sentence`` is a place in the document, from 0; ``verb`` a token's id, of the noun or the adjective that is made
    from a verb too; ``voice`` that of the clause in the text, of nouns and adjectives "active"; ``past`` whether the
    clause is in the past tense (participles count as present); ``kind`` is "clause", "relative", "participle",
    "conjunct", "noun" or "adjective".
    """

    document: str
    sentence: int
    verb: int
    lemma: str
    voice: str
    past: bool
    subject: Argument
    object: Argument
    kind: str

    def known(self, missing: str) -> Argument:
        """The argument that a question holds if the other one is missing."""
        return self.object if missing == "subject" else self.subject

    def of(self, document: Document) -> Sentence:
        """Its sentence; where an adjective holds the subject, with the noun for the adjective: *A* for *A-induced*."""
        sentence = document.sentences[self.sentence]
        if self.kind != "adjective":
            return sentence
        whole = sentence.tokens[self.verb - 1]
        form, lemma = whole.form.rpartition("-")[0], whole.lemma.rpartition("-")[0]
        noun = replace(whole, form=form, lemma=lemma, upos="NOUN", xpos="NN")
        return replace(sentence, tokens=(*sentence.tokens[: whole.id - 1], noun, *sentence.tokens[whole.id :]))


def noun_phrase(sentence: Sentence, head: int) -> Argument:
    """The noun phrase of a head (a token's id): its premodifiers with all that hangs on them, and phrases with *of*.

    Left out are appositions, relative clauses, participles, conjuncts of the head, and phrases with other prepositions.

    >>> sentence = load("questions").documents[0].sentences[1]
    >>> text(sentence)
    'After a long infection, Tarsin activates a kinase near the nucleus.'
    >>> argument = noun_phrase(sentence, 9)
    >>> [sentence.tokens[id - 1].form for id in argument.tokens], argument.cut
    (['a', 'kinase'], True)
    """
    tree = _Tree(sentence)
    tokens, cut = _phrase(tree, head)
    depth = np.cumsum([(token.xpos == "-LRB-") - (token.xpos == "-RRB-") for token in sentence])
    plain = (id for id in sorted(tokens) if depth[id - 1] == depth[head - 1] and tree[id].xpos != "-RRB-")
    return Argument(head, tuple(plain), cut)


PREMODIFIERS = ("compound", "amod", "nummod", "det", "det:predet", "nmod:poss", "nmod:npmod", "advmod", "neg")


def _phrase(tree: _Tree, head: int) -> tuple[set[int], bool]:
    """The tokens of a noun phrase, and whether something was cut off that may tell which things are meant."""
    tokens, cut = {head}, False
    for child in tree.children[head]:
        before = child.id < head
        if before and child.deprel in PREMODIFIERS and child.xpos not in ("-LRB-", "-RRB-"):
            premodifier = tree.below(child.id)
            tokens.update(premodifier)
            cut = cut or any(tree[id].xpos in ("IN", "TO") for id in premodifier)
        elif before and child.deprel in ("nmod", "dep"):
            cut = True
        elif (
            before and (child.xpos == "POS" or (child.deprel == "punct" and child.form in ("-", "/", "'")))
            or (child.deprel == "nummod" and child.id == head + 1)
        ):  # fmt: skip
            tokens.add(child.id)
        elif child.deprel == "nmod" and tree.preposition(child) == "of":
            inner, inner_cut = _phrase(tree, child.id)
            tokens |= inner | {case.id for case in tree.those(child.id, "case")}
            cut = cut or inner_cut
        elif child.deprel in ("acl", "acl:relcl"):  # a clause between commas does not restrict the noun
            first = tree.below(child.id)[0]
            cut = cut or "," not in (tree[first].form, tree[max(first - 1, 1)].form)
        elif child.deprel not in ("case", "punct", "cc", "appos", "mark", "advmod", "cop"):
            cut = True
    return tokens, cut


def propositions(document: Document) -> list[Proposition]:
    """Clauses of a document that have a subject and an object, in order of sentence and verb; one for a verb.

    A subject that is a relative pronoun is replaced by the noun that its clause modifies; a participle takes as subject
    or object the noun that it modifies; a conjoined verb without a subject takes that of the first verb, if both are
    finite and of the same voice, or both passive participles. Objects are not shared among verbs. A noun made from a
    verb (``nouns`` in the word lists) has its subject behind *by*, its object behind *of* or as the one compound before
    it; an adjective (*TNF-induced*; ``adjectives``) holds its subject and modifies its object. Arguments may still be
    pronouns.

    >>> clauses = propositions(load("questions").documents[0])[:2]
    >>> [(clause.sentence, clause.lemma, clause.voice) for clause in clauses]
    [(0, 'carry', 'active'), (1, 'activate', 'active')]
    """
    clauses = []
    for number, sentence in enumerate(document.sentences):
        tree = _Tree(sentence)
        for verb in sentence:
            place = (document.id, number, verb.id)
            if verb.xpos.startswith("VB") and verb.deprel not in ("aux", "auxpass", "cop", "amod", "compound"):
                if arguments := _arguments(tree, verb):
                    *heads, voice, kind = arguments
                    phrases = (noun_phrase(sentence, head) for head in heads)
                    clauses.append(Proposition(*place, verb.lemma, voice, _is_past(tree, verb), *phrases, kind))
            elif lemma := listed("nouns").get(verb.lemma, ("",))[0]:
                agents = [child for child in tree.those(verb.id, "nmod") if tree.preposition(child) == "by"]
                themes = [child for child in tree.those(verb.id, "nmod") if tree.preposition(child) == "of"]
                themes = themes or tree.those(verb.id, "compound")
                if verb.xpos.startswith("NN") and len(agents) == len(themes) == 1:
                    phrases = (noun_phrase(sentence, head.id) for head in (*agents, *themes))
                    clauses.append(Proposition(*place, lemma, "active", False, *phrases, "noun"))
            elif lemma := listed("adjectives").get(verb.form.lower().rpartition("-")[2], ("",))[0]:
                inner, whole = tree.below(verb.id), noun_phrase(sentence, verb.head)
                if verb.deprel == "amod" and verb.form[0].isalnum() and verb.id == inner[-1]:
                    rest = tuple(id for id in whole.tokens if id not in inner)
                    phrases = Argument(verb.id, tuple(inner), False), Argument(whole.head, rest, whole.cut)
                    clauses.append(Proposition(*place, lemma, "active", False, *phrases, "adjective"))
    return clauses


def _arguments(tree: _Tree, verb: Token) -> tuple[int, int, str, str] | None:
    """Heads of subject and object, voice, kind; None if one is missing."""
    objects = tree.those(verb.id, "dobj")
    agents = [child for child in tree.those(verb.id, "nmod") if tree.preposition(child) == "by"]
    if verb.deprel == "acl" and tree.those(verb.id, "mark", "case"):
        return None
    if verb.deprel == "acl" and verb.xpos == "VBG" and len(objects) == 1:
        return verb.head, objects[0].id, "active", "participle"
    if verb.deprel == "acl" and verb.xpos == "VBN" and not objects and len(agents) == 1:
        return agents[0].id, verb.head, "passive", "participle"
    subjects, kind, clause = tree.those(verb.id, "nsubj", "nsubjpass", "csubj", "csubjpass"), "clause", verb
    auxiliaries = tree.those(verb.id, "aux", "auxpass")
    passive = bool(tree.those(verb.id, "auxpass", "nsubjpass"))
    if not subjects and verb.deprel == "conj":
        kind, clause = "conjunct", tree[verb.head]
        subjects = tree.those(clause.id, "nsubj", "nsubjpass")
        first_is_passive = bool(tree.those(clause.id, "auxpass", "nsubjpass"))
        finite = ("VBD", "VBP", "VBZ")
        first_is_finite = clause.xpos in finite or tree.those(clause.id, "aux", "auxpass", "cop")
        if verb.xpos == clause.xpos == "VBN" and not auxiliaries:
            passive = first_is_passive
        elif passive != first_is_passive or not (
            any(auxiliary.xpos in finite for auxiliary in auxiliaries) or (verb.xpos in finite and first_is_finite)
        ):
            return None
    if len(subjects) != 1 or subjects[0].deprel.startswith("csubj"):
        return None
    surface = subjects[0].id
    is_relative = subjects[0].lemma in ("which", "that", "who", "whom") and subjects[0].xpos in ("WDT", "WP", "IN")
    if is_relative and clause.deprel == "acl:relcl":
        surface, kind = clause.head, "relative"
    if passive and not objects and len(agents) == 1:
        return agents[0].id, surface, "passive", kind
    if verb.deprel == "conj":  # which may share the auxiliary of a perfect with the first verb
        auxiliaries = auxiliaries + tree.those(verb.head, "aux")
    perfect = any(auxiliary.lemma == "have" for auxiliary in auxiliaries if auxiliary.deprel == "aux")
    if not passive and len(objects) == 1 and (verb.xpos != "VBN" or perfect):
        return surface, objects[0].id, "active", kind
    return None


def _is_past(tree: _Tree, verb: Token) -> bool:
    """Whether the first finite form among the auxiliaries and the verb is a past tense."""
    auxiliaries = tree.those(verb.id, "aux", "auxpass")
    if not auxiliaries and verb.deprel == "conj" and verb.xpos == "VBN":
        auxiliaries = tree.those(verb.head, "aux", "auxpass")
    finite = sorted(auxiliaries, key=lambda token: token.id)[:1] or [verb]
    return finite[0].xpos == "VBD"


# ---------------------------------------------------------------------------------------------------------------------
# Questions


def inflect(lemma: str, tag: str) -> str:
    """The form of a verb for a tag, VB, VBP, VBZ, VBD or VBN, by LemmInflect but for some (``irregular``).

    >>> [inflect(verb, "VBZ") for verb in ("bind", "carry", "suppress", "undergo")]
    ['binds', 'carries', 'suppresses', 'undergoes']
    >>> [inflect(verb, "VBN") for verb in ("bind", "carry", "reduce", "control", "suppress")]
    ['bound', 'carried', 'reduced', 'controlled', 'suppressed']
    """
    if tag in ("VBD", "VBN") and lemma in listed("irregular"):
        return listed("irregular")[lemma][tag == "VBN"]
    return inflected(lemma, tag)[0]


def _word(form: str, lemma: str, upos: str, xpos: str, head: int, label: str) -> Token:
    return Token(0, form, lemma, upos, xpos, "_", head, label, "_", "_")


def question_tree(
    sentence: Sentence,
    proposition: Proposition,
    missing: str,
    form: str,
    verb: str | None = None,
    lower: Collection[str] = frozenset(),
) -> Sentence:
    """The question that asks for the missing argument of a proposition in one of `FORMS`, as a dependency tree.

    *What* takes the place of the missing argument. The known one is copied with its internal structure. The verb, for
    the forms with one the other `verb`, has the tense of the text; *do* and *be* agree with the known argument where it
    is their subject, *what* is singular. Forms in `lower` lose their capital at the beginning of the sentence.

    >>> document = load("questions").documents[0]
    >>> clause = propositions(document)[1]  # Tarsin activates a kinase
    >>> [text(question_tree(document.sentences[1], clause, "object", form)) for form in ("same", "voice")]
    ['What does Tarsin activate?', 'What is activated by Tarsin?']
    """
    passive = (proposition.voice == "passive") != ("voice" in form)
    labels = ("nmod", "nsubjpass") if passive else ("nsubj", "dobj")  # of subject and object
    what_label, known_label = labels if missing == "subject" else labels[::-1]
    what_is_first = passive == (missing == "object")  # What is the grammatical subject
    known, lemma, past = proposition.known(missing), verb or proposition.lemma, proposition.past
    plural = sentence.tokens[known.head - 1].xpos in ("NNS", "NNPS")
    finite = "VBD" if past else "VBZ"
    tag = "VBN" if passive else finite if what_is_first else "VB"

    # Words as (token, key); heads are keys until all have their places. -1 is What, -2 the verb, -3 the auxiliary.
    phrase = _copied(sentence, known, known_label, lower)
    main = [(-2, _word(inflect(lemma, tag), lemma, "VERB", tag, 0, "root"))]
    auxiliary = []
    if passive:
        singular = what_is_first or not plural
        be = (("are", "is"), ("were", "was"))[past][singular]
        auxiliary = [(-3, _word(be, "be", "AUX", finite if singular or past else "VBP", -2, "auxpass"))]
        main += [(-4, _word("by", "by", "ADP", "IN", known.head if what_is_first else -1, "case"))]
    elif not what_is_first:
        do = "did" if past else "do" if plural else "does"
        auxiliary = [(-3, _word(do, "do", "AUX", "VBP" if do == "do" else finite, -2, "aux"))]
    words = [(-1, _word("What", "what", "PRON", "WP", -2, what_label)), *auxiliary]
    words += [*main, *phrase] if what_is_first else [*phrase, *main]
    words.append((-5, _word("?", "?", "PUNCT", ".", -2, "punct")))

    place = {key: i for i, (key, _) in enumerate(words, 1)} | {0: 0}
    tokens = tuple(replace(token, id=place[key], head=place[token.head]) for key, token in words)
    return Sentence(tokens, {"text": text(tokens)})


def _copied(sentence: Sentence, argument: Argument, label: str, lower: Collection[str]) -> Iterator[tuple[int, Token]]:
    """Tokens of an argument with their ids; those whose head was left out hang from the argument's head."""
    for id in argument.tokens:
        token = sentence.tokens[id - 1]
        head, small = token.head if token.head in argument.tokens else argument.head, token.form.lower()
        changes = {"head": -2, "deprel": label} if id == argument.head else {"head": head}
        capitalised = len(small) > 1 and token.form[:1].isupper() and token.form[1:] == small[1:]
        if id == 1 or sentence.tokens[id - 2].form == ":":
            changes["form"] = small if (capitalised and small in lower) or token.form == "A" else token.form
        yield id, replace(token, misc="_", **changes)


def lower_case(documents: Iterable[Document]) -> frozenset[str]:
    """Words that are written in lower case more often than capitalised, inside sentences: these lose their capital.

    >>> words = lower_case(load("questions").documents)
    >>> "protein" in words, "tarsin" in words
    (True, False)
    """
    sentences = chain.from_iterable(document.sentences for document in documents)
    counts = Counter(token.form for sentence in sentences for token in sentence.tokens[1:])
    return frozenset(word for word, n in counts.items() if word == word.lower() and n > counts[word.capitalize()])


# ---------------------------------------------------------------------------------------------------------------------
# Generation


def other_verbs(lemma: str, passive: bool) -> tuple[str, ...]:
    """Verbs that may stand for a verb in a question of the given voice.

    >>> other_verbs("inhibit", passive=False)
    ('block', 'suppress')
    >>> other_verbs("contain", passive=True)
    ()
    """
    others = listed("paraphrases").get(lemma, ())
    return tuple(verb for verb in others if not (passive and verb in listed("no_passive")))


@dataclass(frozen=True)
class Candidate:
    """A proposition with one argument missing, "subject" or "object", and what is asked of it."""

    document: Document
    proposition: Proposition
    missing: str

    @cached_property
    def tree(self) -> _Tree:
        """The sentence of the proposition."""
        return _Tree(self.proposition.of(self.document))

    @property
    def verb(self) -> Token:
        """The proposition's verb, or the noun or adjective made from it."""
        return self.tree[self.proposition.verb]

    @property
    def arguments(self) -> tuple[Argument, Argument]:
        """Subject and object."""
        return self.proposition.subject, self.proposition.object

    @property
    def known(self) -> Argument:
        """The argument that the question holds."""
        return self.proposition.known(self.missing)

    @property
    def heads(self) -> list[Token]:
        """Heads of subject and object."""
        return [self.tree[argument.head] for argument in self.arguments]

    @property
    def around(self) -> list[Token]:
        """What hangs on the verb, and on the one that it is conjoined with, which share what is said of them."""
        shared = [self.verb.head] if self.proposition.kind == "conjunct" else []
        return [child for id in (self.verb.id, *shared) for child in self.tree.children[id]]

    def lemmas(self, argument: Argument) -> list[str]:
        """Of an argument's tokens."""
        return [self.tree[id].lemma for id in argument.tokens]

    def has(self, name: str) -> bool:
        """Whether an argument has a word of a list (:func:`listed`)."""
        return any(not listed(name).isdisjoint(self.lemmas(argument)) for argument in self.arguments)


def _is_negated(candidate: Candidate) -> bool:
    """*not*, *no*, *hardly* beside the verb, in an argument or beside its head."""
    near = [*candidate.around, *(child for head in candidate.heads for child in candidate.tree.children[head.id])]
    beside = any(child.deprel == "neg" or child.lemma in listed("negative") for child in near)
    return beside or candidate.has("negative")


def _is_modal(candidate: Candidate) -> bool:
    """*may*, *if*, *to*."""
    return candidate.verb.xpos == "VB" or any(
        (child.xpos == "MD" and child.deprel in ("aux", "auxpass"))
        or (child.lemma in ("if", "whether", "unless", "to") and child.deprel == "mark")
        for child in candidate.around
    )


def _is_doubtful(candidate: Candidate) -> bool:
    """A verb with more than its arguments, an agent that verbs share, a clause after several nouns, brackets."""
    tree, verb, kind = candidate.tree, candidate.verb, candidate.proposition.kind
    agent, passive = candidate.heads[0], candidate.proposition.voice == "passive"
    modifiers = {tree.preposition(child) for child in tree.those(verb.id, "nmod")}
    clause = tree[verb.head] if verb.deprel == "conj" else verb
    noun = tree[clause.head] if kind in ("relative", "participle") else None
    return bool(
        not re.fullmatch("[a-z]+(-[a-z]+)*", candidate.proposition.lemma)
        or (noun and (noun.deprel == "conj" or tree.those(noun.id, "conj")))
        or tree.those(verb.id, "ccomp", "xcomp", "compound:prt", "iobj", "dep", "expl", "csubj")
        or (passive and any(verb.id < other.id < agent.id for other in tree.those(verb.id, "conj")))
        or modifiers.intersection(listed("complements").get(candidate.proposition.lemma, ()))
        or (_are_nouns(candidate) and any(tree.brackets(head.id) for head in candidate.heads))
    )


def _is_vague(candidate: Candidate) -> bool:
    """The known argument says too little to ask with; beside a participle or in a relative clause, either."""
    vague = {argument: listed("vague").issuperset(candidate.lemmas(argument)) for argument in candidate.arguments}
    return vague[candidate.known] or (candidate.proposition.kind in ("participle", "relative") and any(vague.values()))


def _are_nouns(candidate: Candidate) -> bool:
    return all(head.xpos.startswith("NN") for head in candidate.heads)


OBJECTIONS: dict[str, Callable[[Candidate], bool]] = {
    "document of fewer than three sentences": lambda candidate: len(candidate.document) < 3,
    "negated": _is_negated,
    "modal, conditional or infinitive": _is_modal,
    "verb too general": lambda candidate: candidate.proposition.lemma in listed("general_verbs"),
    "study as its own subject": lambda candidate: candidate.heads[0].lemma in listed("study_nouns"),
    "verb with a clause, a particle or a doubtful tree": _is_doubtful,
    "argument is a pronoun or has no noun": lambda candidate: (
        not (_are_nouns(candidate) and all(any(map(str.isalpha, head.form)) for head in candidate.heads))
    ),
    "argument refers back or is open": lambda candidate: candidate.has("deictic"),
    "known argument too long": lambda candidate: len(candidate.known.tokens) > LONGEST,
    "known argument would be cut short": lambda candidate: candidate.known.cut,
    "argument too vague": _is_vague,
}
"""Why a candidate is rejected, in the order in which it is asked."""

REPEATED, ASKABLE = "question already there", "a question can be made"


def rejection(candidate: Candidate) -> str | None:
    """Why a candidate makes no question: the first of `OBJECTIONS` that applies; None if it makes one.

    >>> document = load("questions").documents[0]
    >>> [rejection(Candidate(document, clause, "object")) for clause in propositions(document)[:2]]
    ['argument is a pronoun or has no noun', None]
    """
    return next((reason for reason, applies in OBJECTIONS.items() if applies(candidate)), None)


def funnel(documents: Iterable[Document]) -> dict[str, int]:
    """What becomes of every proposition with either argument missing: numbers by `OBJECTIONS`, `REPEATED`, `ASKABLE`.

    >>> outcomes = funnel(load("questions").documents)
    >>> sum(outcomes.values()), outcomes["negated"], outcomes[ASKABLE]
    (264, 54, 56)
    """
    outcomes, asked = dict.fromkeys((*OBJECTIONS, REPEATED, ASKABLE), 0), set()
    for document in documents:
        for proposition, missing in product(propositions(document), ARGUMENTS):
            candidate = Candidate(document, proposition, missing)
            question = (document.id, missing, proposition.lemma, *candidate.lemmas(candidate.known))
            reason = rejection(candidate) or (REPEATED if question in asked else ASKABLE)
            outcomes[reason] += 1
            if reason == ASKABLE:
                asked.add(question)
    return outcomes


def rebuilt(documents: Sequence[Document], verbs: Mapping[str, str | None]) -> QuestionSet:
    """Questions by their ids, in that order, and the documents with a question, in their own.

    `verbs` has for each id ``PMID:sentence:verb:argument:form`` (the sentence's place from 0, the verb's token id, the
    missing argument, the form) the lemma of the other verb, None for the text's own. A `TaskError` if an id names no
    proposition of these documents.

    >>> ids = {"d01:1:7:object:voice": None, "d01:1:7:object:verb": "stimulate"}
    >>> [text(question.sentence) for question in rebuilt(load("questions").documents, ids).questions]
    ['What is activated by Tarsin?', 'What does Tarsin stimulate?']
    """
    by_id, lower = {document.id: document for document in documents}, lower_case(documents)
    clauses = {(clause.document, clause.sentence, clause.verb): clause
               for document in documents for clause in propositions(document)}  # fmt: skip
    questions = []
    for id, verb in verbs.items():
        name, sentence, token, missing, form = id.split(":")
        clause = clauses.get((name, int(sentence), int(token)))
        if clause is None:
            raise TaskError(None, None, f"no proposition of the documents has the id {id!r}; fetch them again")
        tree = question_tree(clause.of(by_id[name]), clause, missing, form, verb, lower)
        tree = Sentence(tree.tokens, {"sent_id": id, **tree.comments})
        questions.append(Question(id, tree, name, clause.sentence, form.replace("+", " and ")))
    asked = {question.document for question in questions}
    return QuestionSet("genia", tuple(by_id[name] for name in by_id if name in asked), tuple(questions))


# ---------------------------------------------------------------------------------------------------------------------
# Hand check


RIGHT = "right"
DECISIONS = (
    RIGHT, "not understandable", "another meaning", "not answered by its sentence", "another sentence answers too",
)  # fmt: skip
"""What the hand check finds of a question: the first that applies of what may be wrong with it."""

NOT_READ = "not read"
"""In place of what a reader found who did not read the question."""


class Decision(NamedTuple):
    """What its two readers found of a question, each one of `DECISIONS`; and its verb, if it has another one."""

    first: str
    other: str
    verb: str | None = None

    @property
    def right(self) -> bool:
        """Whether both readers found it right."""
        return self.first == self.other == RIGHT


def hand_check(path=None) -> dict[str, Decision]:
    """Read the hand check of generated questions, by default the committed one of the questions from GENIA.

    Tab-separated, with the columns question (its id), first, second and later, each one of `DECISIONS`, but for one of
    second and later, which is `NOT_READ`; and verb, the other verb of a question that has one, else ``-``. A
    `TaskError` with file and line where that is not so, or a question comes twice.

    >>> len(hand_check())
    600
    """
    allowed = {"first": DECISIONS, **dict.fromkeys(("second", "later"), (*DECISIONS, NOT_READ))}
    path, check = Path(path or datasets.data_root() / "annotations" / "genia_questions.tsv"), {}
    for line, row in read_table(path, ("question", *allowed, "verb"), allowed, key="question"):
        others = [row[reader] for reader in ("second", "later") if row[reader] != NOT_READ]
        if len(others) != 1:
            raise TaskError(path.name, line, "one of the second and the later reader reads a question; see both")
        check[row["question"]] = Decision(row["first"], *others, None if row["verb"] == "-" else row["verb"])
    return check


def precision(check: Mapping[str, Decision]) -> tuple[Interval, int]:
    """Of the questions right for the first reader the share that is so for the other (Wilson 95%), and how many.

    >>> right, wrong = Decision(RIGHT, RIGHT), Decision(RIGHT, "another meaning")
    >>> share, n = precision({"q1": right, "q2": wrong})
    >>> share.value, n
    (0.5, 2)
    """
    other = [decision.other == RIGHT for decision in check.values() if decision.first == RIGHT]
    interval = binomtest(sum(other), len(other)).proportion_ci(0.95, method="wilson")
    return Interval(sum(other) / len(other), float(interval.low), float(interval.high)), len(other)


def agreement(check: Mapping[str, Decision]) -> float:
    """Cohen's kappa of the first reader and the other: right or wrong (`metrics.cohen_kappa`).

    >>> wrong = "another meaning"
    >>> check = {"q1": Decision(RIGHT, RIGHT), "q2": Decision(wrong, wrong)}
    >>> agreement(check | {"q3": Decision(RIGHT, wrong), "q4": Decision(wrong, RIGHT)})
    0.0
    """
    first = [decision.first == RIGHT for decision in check.values()]
    return metrics.cohen_kappa(first, [decision.other == RIGHT for decision in check.values()])
