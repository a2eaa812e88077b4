"""How questions for restricted question answering are generated from gold dependency trees, and checked by hand.

Cheung and Penn (2012), section 3.2, took 295 questions that Poon and Domingos's (2009) parser had found in GENIA. They
are not to be had. By the paper's own idea a proposition with one argument missing becomes a question, in steps:

documents            sentences of GENIA's treebank, with universal tags, grouped into abstracts by their PubMed id
propositions         clauses with subject and object: active, passive, relative, participial, conjoined
noun_phrase          an argument: the head, its premodifiers, and phrases with *of*
rejection            why a proposition makes no question: the first of `REASONS` that applies
mentions             other sentences of the document that might answer too
question_tree        the question of a proposition, in a form and with an argument missing, as a dependency tree
generate             all of it, with a funnel of what each step rejects
read_check           decisions of the hand check of generated questions
precision            share of right ones, with Wilson's interval

Four forms of a question keep apart what changes against the text: ``same`` (nothing), ``voice`` (active for passive or
passive for active), ``verb`` (a verb of like meaning), ``voice+verb`` (both).

Conventions
-----------
Trees are `Sentence`s with labels of Universal Dependencies version 1 (``nsubj nsubjpass dobj nmod case acl:relcl``),
universal tags in UPOS and Penn tags in XPOS. Sentences of a document are numbered from 0, tokens of a sentence from 1.
*Subject* is the argument that acts and *object* the one acted upon, in either voice: in a passive clause the subject is
the phrase with *by*. An argument is the one *missing* from a question, which the answer fills, or the one *known*.
The word lists (verbs that may stand for each other, words too vague to ask with, irregular verbs) are
``data/question_words.toml``.
"""

import html
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from cdsm_lib import datasets
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Document, Question, QuestionSet, text
from cdsm_lib.text.corpus import Sentence, Token, read_conllu

FORMS = ("same", "voice", "verb", "voice+verb")
ARGUMENTS = ("subject", "object")
GENIA_PARTS = ("dev", "test", "future_use")

REASONS = (
    "document of fewer than three sentences",
    "negated",
    "modal, conditional or infinitive",
    "verb too general",
    "study as its own subject",
    "verb with a clause, a particle or a doubtful tree",
    "argument is a pronoun or has no noun",
    "argument refers back or is open",
    "known argument too long",
    "known argument would be cut short",
    "argument too vague",
    "another sentence may answer",
    "question already there",
)
"""Why a candidate is rejected, in the order in which it is asked."""

WAITING = "its document has enough questions, or its proposition has one"
NOT_DRAWN = "not drawn"
KEPT = "kept"

UNIVERSAL_TAGS = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN",
    "VB": "VERB", "VBD": "VERB", "VBG": "VERB", "VBN": "VERB", "VBP": "VERB", "VBZ": "VERB", "MD": "AUX",
    "JJ": "ADJ", "JJR": "ADJ", "JJS": "ADJ", "RB": "ADV", "RBR": "ADV", "RBS": "ADV", "WRB": "ADV",
    "IN": "ADP", "TO": "ADP", "RP": "ADP", "DT": "DET", "PDT": "DET", "WDT": "DET", "CD": "NUM", "CC": "CCONJ",
    "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "WP$": "PRON", "EX": "PRON", "POS": "PART",
    "FW": "X", "LS": "X", "SYM": "SYM", "$": "SYM", "UH": "INTJ",
}  # fmt: skip
"""Universal tag of each Penn tag; any other is PUNCT."""


BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]"}


def listed(name: str):
    """A list of ``data/question_words.toml``: a set of words, or a table from a word to some others."""
    return _word_lists()[name]


@cache
def _word_lists() -> dict:
    """All lists of the file."""
    path = datasets.data_root() / "question_words.toml"
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    for name, value in lists.items():
        if isinstance(value, dict):
            lists[name] = {word: tuple(others.split()) for word, others in value.items()}
        elif isinstance(value, list):
            lists[name] = tuple(frozenset(words.split()) for words in value)
        else:
            lists[name] = frozenset(value.split())
    return lists


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def load(name="questions", *, n: int = 400, seed: int = 0) -> QuestionSet:
    """The questions `name`: "genia" (made from GENIA by :func:`generate`), the teaching set "questions", or a folder.

    Parameters
    ----------
    name : str or path
    n, seed : int
        Of :func:`generate`.

    Returns
    -------
    QuestionSet

    Raises
    ------
    TaskError
        As in `cdsm_lib.tasks.question_answering.load` and :func:`documents`.
    cdsm_lib.datasets.DataError
        For an unknown name, or if the data cannot be had.
    """
    return generate(genia(), seed, n).questions if name == "genia" else question_answering.load(name)


def genia() -> tuple[Document, ...]:
    """The abstracts of GENIA's treebank; the files come from the registry.

    Raises
    ------
    TaskError
        As in :func:`documents`.
    cdsm_lib.datasets.DataError
        If the files cannot be had.
    """
    return documents(
        (datasets.fetch("genia", f"{part}.conllu"), datasets.fetch("genia", f"{part}_per_sentence.pmids"))
        for part in GENIA_PARTS
    )


def to_universal(sentence: Sentence) -> Sentence:
    """A sentence of GENIA's treebank with universal tags.

    The treebank has Penn tags in UPOS and XPOS; UPOS becomes universal. Forms of *be*, *have* and *do* are AUX where
    they are labelled as auxiliaries or copulas. Labels stay as they are, and so do lemmas, which are true lemmas
    (*induces* has *induce*, *cells* has *cell*). Character references (``&lt;``) and the treebank's names of brackets
    (``-LSB-``) in form and lemma become characters.

    Parameters
    ----------
    sentence : Sentence

    Returns
    -------
    Sentence
    """

    def tag(token: Token) -> str:
        if token.xpos.startswith("VB") and token.deprel in ("aux", "auxpass", "cop"):
            return "AUX"
        if token.xpos in ("IN", "TO") and token.deprel == "mark":
            return "SCONJ" if token.xpos == "IN" else "PART"
        return UNIVERSAL_TAGS.get(token.xpos, "PUNCT")

    tokens = (
        replace(token, form=_characters(token.form), lemma=_characters(token.lemma), upos=tag(token))
        for token in sentence
    )
    return Sentence(tuple(tokens), dict(sentence.comments))


def _characters(word: str) -> str:
    for name, bracket in BRACKETS.items():
        word = word.replace(name, bracket).replace(name.lower(), bracket)
    return html.unescape(word)


def documents(parts: Iterable[tuple]) -> tuple[Document, ...]:
    """The abstracts of GENIA's treebank.

    Parameters
    ----------
    parts : iterable of (path, path)
        A CoNLL-U file, and the file with the PubMed id of each of its sentences, one a line.

    Returns
    -------
    tuple of Document
        By PubMed id, in order of appearance. Sentences have universal tags, and ``sent_id`` PMID.number.

    Raises
    ------
    TaskError
        If the two files differ in length, or an abstract is interrupted by another.
    cdsm_lib.text.corpus.ConlluError
        If a treebank file is not good CoNLL-U.
    """
    abstracts: dict[str, list[Sentence]] = {}
    latest = None
    for trees, ids in parts:
        sentences = list(read_conllu(trees))
        pmids = Path(ids).read_text(encoding="utf-8").split()
        if len(sentences) != len(pmids):
            problem = f"{len(pmids)} ids for the {len(sentences)} sentences of {Path(trees).name}; fetch both again"
            raise TaskError(Path(ids).name, None, problem)
        for number, (pmid, sentence) in enumerate(zip(pmids, sentences, strict=True), 1):
            if pmid != latest and pmid in abstracts:
                raise TaskError(Path(ids).name, number, f"abstract {pmid} begins a second time; fetch it again")
            latest = pmid
            own = abstracts.setdefault(pmid, [])
            comments = {"doc_id": pmid, "sent_id": f"{pmid}.{len(own)}"}
            own.append(Sentence(to_universal(sentence).tokens, comments))
    return tuple(Document(pmid, tuple(sentences)) for pmid, sentences in abstracts.items())


# ---------------------------------------------------------------------------------------------------------------------
# Propositions


class _Tree:
    """A sentence with the children of each token."""

    def __init__(self, sentence: Sentence):
        self.sentence = sentence
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
        subtree, waiting = [], [id]
        while waiting:
            subtree.append(waiting.pop())
            waiting.extend(child.id for child in self.children[subtree[-1]])
        return sorted(subtree)

    def preposition(self, token: Token) -> str | None:
        """Lemma of the preposition of a nominal modifier."""
        cases = [child.lemma for child in self.those(token.id, "case") if child.xpos != "POS"]
        return " ".join(cases) or None


@dataclass(frozen=True)
class Argument:
    """An argument of a proposition.

    Parameters
    ----------
    head : int
        Token id.
    tokens : tuple of int
        The noun phrase, as of :func:`noun_phrase`.
    cut : bool
        Whether something was left out that may tell which things are meant: a conjunct, a restrictive clause, a phrase
        with another preposition than *of*.
    """

    head: int
    tokens: tuple[int, ...]
    cut: bool


@dataclass(frozen=True)
class Proposition:
    """A verb with its subject and its object.

    Parameters
    ----------
    document : str
    sentence : int
        Place in the document, from 0.
    verb : int
        Token id.
    lemma : str
        Of the verb.
    voice : {"active", "passive"}
        Of the clause in the text.
    past : bool
        Whether the clause is in the past tense (participles count as present).
    subject, object : Argument
        Who acts, and what is acted upon, in either voice.
    kind : {"clause", "relative", "participle", "conjunct"}
        Where the arguments come from.
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


def noun_phrase(sentence: Sentence, head: int) -> Argument:
    """The noun phrase of a head: its premodifiers with all that hangs on them, and phrases with *of*.

    Left out are appositions, relative clauses, participles, conjuncts of the head, and phrases with other prepositions.

    Parameters
    ----------
    sentence : Sentence
    head : int
        Token id.

    Returns
    -------
    Argument
    """
    tree = _Tree(sentence)
    tokens, cut = _phrase(tree, head)
    depth = np.cumsum([(token.xpos == "-LRB-") - (token.xpos == "-RRB-") for token in sentence])
    plain = (id for id in sorted(tokens) if depth[id - 1] == depth[head - 1] and tree[id].xpos != "-RRB-")
    return Argument(head, tuple(plain), cut)


PREMODIFIERS = ("compound", "amod", "nummod", "det", "det:predet", "nmod:poss", "nmod:npmod", "advmod", "neg")


def _phrase(tree: _Tree, head: int) -> tuple[set[int], bool]:
    tokens, cut = {head}, False
    for child in tree.children[head]:
        if child.id < head and child.deprel in (*PREMODIFIERS, "nmod", "dep") and child.xpos not in ("-LRB-", "-RRB-"):
            if child.deprel in ("nmod", "dep"):
                cut = True
                continue
            premodifier = tree.below(child.id)
            cut = cut or any(tree[id].xpos in ("IN", "TO") for id in premodifier)
            tokens.update(premodifier)
        elif child.id < head and child.xpos == "POS":
            tokens.add(child.id)
        elif child.id < head and child.deprel == "punct" and child.form in ("-", "/", "'"):
            tokens.add(child.id)
        elif child.deprel == "nmod" and tree.preposition(child) == "of":
            inner, inner_cut = _phrase(tree, child.id)
            tokens |= inner | {case.id for case in tree.those(child.id, "case")}
            cut = cut or inner_cut
        elif child.deprel == "nummod" and child.id == head + 1:
            tokens.add(child.id)
        elif child.deprel in ("case", "punct", "cc", "appos", "mark", "advmod", "cop", "cc:preconj"):
            cut = cut or child.deprel == "cc:preconj"
        elif child.deprel in ("acl", "acl:relcl") and _between_commas(tree, child):
            continue
        else:
            cut = True
    return tokens, cut


def _between_commas(tree: _Tree, clause: Token) -> bool:
    """Whether a clause after its noun begins with a comma, so that it does not restrict the noun."""
    first = tree.below(clause.id)[0]
    return tree[first].form == "," or (first > 1 and tree[first - 1].form == ",")


RELATIVE = frozenset("which that who whom".split())


def propositions(document: Document) -> list[Proposition]:
    """Clauses of a document that have a subject and an object.

    A subject that is a relative pronoun is replaced by the noun that its clause modifies; a participle takes as subject
    or object the noun that it modifies; a conjoined verb without a subject takes that of the first verb, if both are
    finite and of the same voice, or both passive participles. Objects are not shared among verbs. Arguments may still
    be pronouns.

    Parameters
    ----------
    document : Document
        Gold trees with labels of Universal Dependencies version 1.

    Returns
    -------
    list of Proposition
        In order of sentence and verb; one for a verb.
    """
    clauses = []
    for number, sentence in enumerate(document.sentences):
        tree = _Tree(sentence)
        for verb in sentence:
            if not verb.xpos.startswith("VB") or verb.deprel in ("aux", "auxpass", "cop", "amod", "compound"):
                continue
            arguments = _arguments(tree, verb)
            if arguments:
                subject, object, voice, kind = arguments
                past, phrases = _is_past(tree, verb), (noun_phrase(sentence, head) for head in (subject, object))
                clauses.append(Proposition(document.id, number, verb.id, verb.lemma, voice, past, *phrases, kind))
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
    kind = "clause"
    own = tree.those(verb.id, "nsubj", "nsubjpass", "csubj", "csubjpass")
    passive = bool(tree.those(verb.id, "auxpass", "nsubjpass"))
    if not own and verb.deprel == "conj":
        first = tree[verb.head]
        own = tree.those(first.id, "nsubj", "nsubjpass")
        finite = ("VBD", "VBP", "VBZ")
        auxiliaries = tree.those(verb.id, "aux", "auxpass")
        passive_first = bool(tree.those(first.id, "auxpass", "nsubjpass"))
        if verb.xpos == first.xpos == "VBN" and not auxiliaries:
            passive = passive_first
        elif passive != passive_first or not (
            any(auxiliary.xpos in finite for auxiliary in auxiliaries)
            or (verb.xpos in finite and (first.xpos in finite or tree.those(first.id, "aux", "auxpass", "cop")))
        ):
            return None
        kind = "conjunct"
    if len(own) != 1 or own[0].deprel.startswith("csubj"):
        return None
    surface = own[0].id
    if own[0].lemma in RELATIVE and own[0].xpos in ("WDT", "WP", "IN"):
        clause = verb if kind == "clause" else tree[verb.head]
        if clause.deprel == "acl:relcl":
            surface, kind = clause.head, "relative"
    if passive and not objects and len(agents) == 1:
        return agents[0].id, surface, "passive", kind
    if not passive and len(objects) == 1 and verb.xpos != "VBN" or _is_perfect(tree, verb, passive, objects):
        return surface, objects[0].id, "active", kind
    return None


def _is_perfect(tree: _Tree, verb: Token, passive: bool, objects: Sequence[Token]) -> bool:
    """Whether a past participle is that of an active perfect, its own or shared with the first verb."""
    verbs = [verb, *([tree[verb.head]] if verb.deprel == "conj" else [])]
    has = any(aux.lemma == "have" for one in verbs for aux in tree.those(one.id, "aux"))
    return not passive and len(objects) == 1 and verb.xpos == "VBN" and has


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
    """A form of a verb.

    Parameters
    ----------
    lemma : str
    tag : {"VB", "VBP", "VBZ", "VBD", "VBN"}

    Returns
    -------
    str

    Raises
    ------
    ValueError
        For another tag.

    Examples
    --------
    >>> [inflect(verb, "VBZ") for verb in ("bind", "carry", "suppress", "undergo")]
    ['binds', 'carries', 'suppresses', 'undergoes']
    >>> [inflect(verb, "VBN") for verb in ("bind", "carry", "reduce", "control", "suppress")]
    ['bound', 'carried', 'reduced', 'controlled', 'suppressed']
    """
    y = lemma.endswith("y") and lemma[-2:-1] not in "aeiou"
    if tag in ("VB", "VBP"):
        return lemma
    if tag == "VBZ":
        if y:
            return f"{lemma[:-1]}ies"
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")
    if tag in ("VBD", "VBN"):
        if lemma in listed("irregular"):
            return listed("irregular")[lemma][tag == "VBN"]
        if y:
            return f"{lemma[:-1]}ied"
        if lemma.endswith("e"):
            return f"{lemma}d"
        return lemma + (lemma[-1] if lemma in listed("doubling") else "") + "ed"
    raise ValueError(f"no rule for a verb's tag {tag!r}; there are VB, VBP, VBZ, VBD and VBN")


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
    """The question that asks for one argument of a proposition, as a dependency tree.

    *What* takes the place of the missing argument. The known one is copied with its internal structure. The verb has
    the tense of the text; *do* and *be* agree with the known argument where it is their subject, *what* is singular.

    Parameters
    ----------
    sentence : Sentence
        The proposition's.
    proposition : Proposition
    missing : {"subject", "object"}
    form : {"same", "voice", "verb", "voice+verb"}
    verb : str, optional
        Lemma of the other verb, for the last two forms.
    lower : collection of str
        Lower-case forms that a capitalised word at the beginning of the sentence may have.

    Returns
    -------
    Sentence
        Labels of Universal Dependencies version 1, universal and Penn tags, lemmas; ``text`` in its comments.

    Raises
    ------
    ValueError
        For an unknown argument or form, or if the form needs another verb and none is given.
    """
    if missing not in ARGUMENTS or form not in FORMS:
        raise ValueError(f"missing={missing!r} must be one of {ARGUMENTS}, form={form!r} one of {FORMS}")
    if ("verb" in form) != (verb is not None):
        raise ValueError(f"form {form!r} {'needs' if verb is None else 'takes no'} other verb, got {verb!r}")
    passive = (proposition.voice == "passive") != ("voice" in form)
    known = proposition.known(missing)
    lemma = verb or proposition.lemma
    plural = sentence.tokens[known.head - 1].xpos in ("NNS", "NNPS")
    what_is_first = passive == (missing == "object")  # What is the grammatical subject
    past = proposition.past
    finite = "VBD" if past else "VBZ"

    # Words as (token, key); heads are keys until all have their places. -1 is What, -2 the verb, -3 the auxiliary.
    what_label = {(False, "subject"): "nsubj", (False, "object"): "dobj", (True, "object"): "nsubjpass"}.get(
        (passive, missing), "nmod"
    )
    known_label = {(False, "subject"): "dobj", (False, "object"): "nsubj", (True, "subject"): "nsubjpass"}.get(
        (passive, missing), "nmod"
    )
    what = (-1, _word("What", "what", "PRON", "WP", -2, what_label))
    phrase = _copied(sentence, known, known_label, lower)
    tag = "VBN" if passive else finite if what_is_first else "VB"
    main = (-2, _word(inflect(lemma, tag), lemma, "VERB", tag, 0, "root"))
    if passive:
        singular = what_is_first or not plural
        be = ("was" if singular else "were") if past else ("is" if singular else "are")
        auxiliary = (-3, _word(be, "be", "AUX", finite if singular or past else "VBP", -2, "auxpass"))
        by = (-4, _word("by", "by", "ADP", "IN", known.head if what_is_first else -1, "case"))
        words = [what, auxiliary, main, by, *phrase] if what_is_first else [what, auxiliary, *phrase, main, by]
    elif what_is_first:
        words = [what, main, *phrase]
    else:
        do = "did" if past else "do" if plural else "does"
        auxiliary = (-3, _word(do, "do", "AUX", "VBP" if do == "do" else finite, -2, "aux"))
        words = [what, auxiliary, *phrase, main]
    words.append((-5, _word("?", "?", "PUNCT", ".", -2, "punct")))

    place = {key: i for i, (key, _) in enumerate(words, 1)} | {0: 0}
    tokens = tuple(replace(token, id=place[key], head=place[token.head]) for key, token in words)
    return Sentence(tokens, {"text": text(tokens)})


def _copied(sentence: Sentence, argument: Argument, label: str, lower: Collection[str]) -> list[tuple[int, Token]]:
    """Tokens of an argument with their ids; those whose head was left out hang from the argument's head."""
    ids = set(argument.tokens)
    copied = []
    for id in argument.tokens:
        token = sentence.tokens[id - 1]
        if id == argument.head:
            token = replace(token, head=-2, deprel=label)
        elif token.head not in ids:
            token = replace(token, head=argument.head)
        if id == 1 or sentence.tokens[id - 2].form == ":":
            token = replace(token, form=_uncapitalised(token, lower))
        copied.append((id, replace(token, misc="_")))
    return copied


def _uncapitalised(token: Token, lower: Collection[str]) -> str:
    small = token.form.lower()
    capitalised = token.form[:1].isupper() and token.form[1:] == small[1:]
    return small if capitalised and small in lower and len(small) > 1 or token.form == "A" else token.form


def lower_case(documents: Iterable[Document]) -> frozenset[str]:
    """Words that are written in lower case more often than capitalised, inside sentences: these lose their capital."""
    counts: Counter[str] = Counter(
        token.form for document in documents for sentence in document.sentences for token in sentence.tokens[1:]
    )
    return frozenset(word for word, n in counts.items() if word == word.lower() and n > counts[word.capitalize()])


# ---------------------------------------------------------------------------------------------------------------------
# Generation


def other_verbs(lemma: str, passive: bool) -> tuple[str, ...]:
    """Verbs that may stand for a verb in a question of the given voice."""
    others = listed("paraphrases").get(lemma, ())
    return tuple(verb for verb in others if not (passive and verb in listed("no_passive")))


def family(lemma: str) -> frozenset[str]:
    """The verb with those that may stand for it and those near it in meaning.

    What raises or lowers also steers, so that all three families might answer a question with a verb that steers.
    """
    paraphrases, main = listed("paraphrases"), [listed(name) for name in ("raising", "lowering", "steering")]
    near = {lemma, *paraphrases.get(lemma, ())} | {verb for verb, others in paraphrases.items() if lemma in others}
    wider = main if lemma in listed("steering") else [verbs for verbs in main[:2] if lemma in verbs]
    return frozenset(near.union(*wider, *(verbs for verbs in listed("families") if lemma in verbs)))


def _stems(lemma: str) -> tuple[str, ...]:
    """Beginnings by which a verb of the family, or a noun or adjective made from it, is known."""
    stems = {verb.removesuffix("e").removesuffix("y") for verb in family(lemma)}
    return tuple(sorted(stem for stem in stems if len(stem) >= 3))


def _is_of_family(token: Token, stems: tuple[str, ...], verbs: frozenset[str]) -> bool:
    """Whether a token is a verb of the family, or is made from one (*inhibition*, *IL-2-induced*)."""
    if token.lemma in verbs:
        return True
    parts = [token.lemma, *token.lemma.split("-")]
    return any(part.startswith(stem) for part in parts for stem in stems if len(stem) >= 5 or token.lemma == stem)


def mentions(document: Document, proposition: Proposition, known: Argument, steps: int = 4) -> list[int]:
    """Other sentences in which a word of the known argument stands near a verb that might answer the same question.

    Parameters
    ----------
    document : Document
    proposition : Proposition
    known : Argument
        Its argument that the question holds. Its words are its nouns, less those too vague and those of processes (if
        none is left, its head), and the abbreviations that the document gives for them in brackets.
    steps : int
        A verb of the family, or a noun or adjective made from one, is near if at most so many steps of the dependency
        tree lie between.

    Returns
    -------
    list of int
        Places in the document.
    """
    own = document.sentences[proposition.sentence]
    nouns = {own.tokens[id - 1].lemma for id in known.tokens if own.tokens[id - 1].upos in ("NOUN", "PROPN", "X")}
    words = nouns - listed("vague") - listed("processes") or {own.tokens[known.head - 1].lemma}
    words |= {
        token.lemma
        for sentence in document.sentences
        for token in sentence
        if token.deprel == "appos" and sentence.tokens[token.head - 1].lemma in words
    }
    verbs, stems = family(proposition.lemma), _stems(proposition.lemma)
    places = []
    for number, sentence in enumerate(document.sentences):
        if number == proposition.sentence:
            continue
        starts = [token.id for token in sentence if any(_same_word(token.lemma, word) for word in words)]
        near = _within(sentence, starts, steps)
        if any(_is_of_family(sentence.tokens[id - 1], stems, verbs) for id in near):
            places.append(number)
    return places


def _same_word(lemma: str, head: str) -> bool:
    """Whether two lemmas are equal, or one is a part of the other between hyphens or slashes."""
    return lemma == head or head in re.split(r"[/]|-(?=[a-z]{4})", lemma) or lemma in head.split("/")


def _within(sentence: Sentence, starts: Iterable[int], steps: int) -> set[int]:
    """Token ids at most so many steps of the tree from any of `starts`."""
    tree = _Tree(sentence)
    reached = frontier = set(starts)
    for _ in range(steps):
        around = {child.id for id in frontier for child in tree.children[id]}
        around |= {tree[id].head for id in frontier if tree[id].head}
        frontier = around - reached
        reached = reached | around
    return reached


@dataclass(frozen=True)
class Construction:
    """Generated questions, and what became of every candidate.

    Parameters
    ----------
    questions : QuestionSet
    documents : int
        With how many the construction began.
    propositions : tuple of Proposition
        All that were found.
    outcomes : dict of str to int
        Candidates, two for each proposition, by what became of them: `REASONS` in their order, then `WAITING`,
        `NOT_DRAWN` and `KEPT`.
    """

    questions: QuestionSet
    documents: int
    propositions: tuple[Proposition, ...]
    outcomes: Mapping[str, int]

    def by_form(self) -> dict[tuple[str, str], int]:
        """Questions by (form, missing argument), in the order of `FORMS` and `ARGUMENTS`."""
        counts = Counter(tuple(question.id.split(":")[:-3:-1]) for question in self.questions.questions)
        return {(form, missing): counts[form, missing] for form in FORMS for missing in ARGUMENTS}


@dataclass(frozen=True)
class _Candidate:
    proposition: Proposition
    missing: str
    forms: Mapping[str, str | None] = field(default_factory=dict)  # form: the other verb, None for the text's own


def generate(
    documents: Sequence[Document], seed: int = 0, n: int = 400, *, most: int = 4, longest: int = 8
) -> Construction:
    """Questions from the propositions of documents, a form and a missing argument each.

    Every proposition is a candidate twice, with either argument missing. A candidate is rejected for the first of
    `REASONS` that applies. Of the rest, in random order, the next one that allows it takes the form of which there are
    the fewest questions so far, until there are `n`. The other candidate of its
    proposition then stands back. The same documents and seed give the same questions.

    Parameters
    ----------
    documents : sequence of Document
        With gold trees, as from :func:`genia`.
    seed : int
    n : int
        Questions wanted; there are fewer if candidates run out.
    most : int
        Questions on a document.
    longest : int
        Tokens of the known argument.

    Returns
    -------
    Construction
        Question ids are ``PMID:sentence:verb:argument:form``: the sentence's place from 0, the verb's token id, the
        missing argument, the form. The documents are those with a question, in their own order.

    Raises
    ------
    TaskError
        If an id occurs twice among the documents, or n, most or longest is less than 1.
    """
    if min(n, most, longest) < 1:
        raise TaskError(None, None, f"n={n}, most={most} and longest={longest} must each be 1 or more")
    by_id = {document.id: document for document in documents}
    if len(by_id) < len(documents):
        raise TaskError(None, None, "two documents have the same id; give each its own")
    lower = lower_case(documents)
    clauses = tuple(proposition for document in documents for proposition in propositions(document))
    rng = np.random.default_rng(seed)
    outcomes = dict.fromkeys((*REASONS, WAITING, NOT_DRAWN, KEPT), 0)
    candidates: list[_Candidate] = []
    asked: set[tuple] = set()
    for proposition in clauses:
        for missing in ARGUMENTS:
            reason = rejection(by_id[proposition.document], proposition, missing, longest)
            key = (proposition.document, missing, proposition.lemma, _known_words(by_id, proposition, missing))
            if reason is None and key in asked:
                reason = REASONS[-1]
            if reason is not None:
                outcomes[reason] += 1
                continue
            asked.add(key)
            candidates.append(_Candidate(proposition, missing, _forms(proposition, rng)))
    order = [candidates[i] for i in rng.permutation(len(candidates))]
    drawn, waiting = _drawn(order, n, most)
    outcomes[WAITING], outcomes[KEPT] = waiting, len(drawn)
    outcomes[NOT_DRAWN] = len(candidates) - waiting - len(drawn)
    rank = {document.id: i for i, document in enumerate(documents)}
    drawn.sort(key=lambda pair: (rank[pair[0].proposition.document], pair[0].proposition.sentence,
                                 pair[0].proposition.verb, pair[0].missing))  # fmt: skip
    questions = tuple(_question(by_id[one.proposition.document], one, form, lower) for one, form in drawn)
    used = {question.document for question in questions}
    with_questions = tuple(document for document in documents if document.id in used)
    return Construction(QuestionSet("genia", with_questions, questions), len(documents), clauses, outcomes)


def _known_words(by_id: Mapping[str, Document], proposition: Proposition, missing: str) -> tuple[str, ...]:
    sentence = by_id[proposition.document].sentences[proposition.sentence]
    return tuple(sentence.tokens[id - 1].lemma for id in proposition.known(missing).tokens)


def _forms(proposition: Proposition, rng: np.random.Generator) -> dict[str, str | None]:
    """The forms that a question may take, with the other verb drawn where there is one."""
    passive = proposition.voice == "passive"
    forms: dict[str, str | None] = {"same": None}
    if passive or proposition.lemma not in listed("no_passive"):
        forms["voice"] = None
    for form, voice in (("verb", passive), ("voice+verb", not passive)):
        others = other_verbs(proposition.lemma, voice)
        if others:
            forms[form] = others[rng.integers(len(others))]
    return forms


def _drawn(order: Sequence[_Candidate], n: int, most: int) -> tuple[list[tuple[_Candidate, str]], int]:
    """Candidates with a form each, the forms as equally often as can be; how many others have to stand back.

    A document has at most `most` questions, a proposition one.
    """
    left = list(order)
    counts, of_document = dict.fromkeys(FORMS, 0), Counter()
    drawn = []
    while len(drawn) < n:
        rarest_first = sorted(FORMS, key=counts.__getitem__)
        choices = ((i, form) for form in rarest_first for i, one in enumerate(left) if form in one.forms)
        i, form = next(choices, (None, None))
        if form is None:
            break
        one = left[i]
        drawn.append((one, form))
        counts[form] += 1
        document = one.proposition.document
        of_document[document] += 1
        full = of_document[document] >= most
        left = [
            other for other in left
            if other.proposition is not one.proposition and not (full and other.proposition.document == document)
        ]  # fmt: skip
    return drawn, len(order) - len(left) - len(drawn)


def _question(document: Document, candidate: _Candidate, form: str, lower: Collection[str]) -> Question:
    proposition, missing = candidate.proposition, candidate.missing
    sentence = document.sentences[proposition.sentence]
    answer = proposition.subject if missing == "subject" else proposition.object
    id = f"{document.id}:{proposition.sentence}:{proposition.verb}:{missing}:{form}"
    tree = question_tree(sentence, proposition, missing, form, candidate.forms[form], lower)
    return Question(
        id=id,
        sentence=Sentence(tree.tokens, {"sent_id": id, **tree.comments}),
        document=document.id,
        answer=proposition.sentence,
        answer_text=text([sentence.tokens[i - 1] for i in answer.tokens]),
        alternation=form.replace("+", " and "),
    )


def rejection(document: Document, proposition: Proposition, missing: str, longest: int = 8) -> str | None:
    """Why a proposition with one argument missing makes no question, or None if it makes one.

    Parameters
    ----------
    document : Document
    proposition : Proposition
    missing : {"subject", "object"}
    longest : int
        Tokens of the known argument.

    Returns
    -------
    str or None
        One of `REASONS`.
    """
    sentence = document.sentences[proposition.sentence]
    tree = _Tree(sentence)
    known = proposition.known(missing)
    both = (proposition.subject, proposition.object)
    words = [[tree[id] for id in argument.tokens] for argument in both]
    if len(document) < 3:
        return REASONS[0]
    if _is_negated(tree, proposition) or any(token.lemma in listed("negative") for phrase in words for token in phrase):
        return REASONS[1]
    if _is_hypothetical(tree, proposition):
        return REASONS[2]
    if proposition.lemma in listed("general_verbs"):
        return REASONS[3]
    if tree[proposition.subject.head].lemma in listed("study_nouns"):
        return REASONS[4]
    beside = ("ccomp", "xcomp", "compound:prt", "iobj", "dep", "expl", "csubj")
    others = {tree.preposition(child) for child in tree.those(proposition.verb, "nmod")}
    agent_is_shared = proposition.voice == "passive" and any(
        proposition.verb < child.id < proposition.subject.head for child in tree.those(proposition.verb, "conj")
    )
    if not re.fullmatch("[a-z]+(-[a-z]+)*", proposition.lemma) or _has_coordinated_noun(tree, proposition):
        return REASONS[5]
    if (
        tree.those(proposition.verb, *beside)
        or agent_is_shared
        or others & {*listed("complements").get(proposition.lemma, ())}
    ):
        return REASONS[5]
    if not all(tree[argument.head].xpos.startswith("NN") for argument in both):
        return REASONS[6]
    if any(_in_brackets(tree, argument.head) for argument in both):
        return REASONS[5]
    if not all(any(character.isalpha() for character in tree[argument.head].form) for argument in both):
        return REASONS[6]
    if any(token.lemma in listed("deictic") for phrase in words for token in phrase):
        return REASONS[7]
    if len(known.tokens) > longest:
        return REASONS[8]
    if known.cut:
        return REASONS[9]
    vague = [all(tree[id].lemma in listed("vague") for id in argument.tokens) for argument in both]
    if vague[missing == "subject"] or (any(vague) and proposition.kind in ("participle", "relative")):
        return REASONS[10]
    if mentions(document, proposition, known):
        return REASONS[11]
    return None


def _is_negated(tree: _Tree, proposition: Proposition) -> bool:
    verb = tree[proposition.verb]
    near = [*tree.children[verb.id], *(tree.children[verb.head] if proposition.kind == "conjunct" else [])]
    near += [child for argument in (proposition.subject, proposition.object) for child in tree.children[argument.head]]
    return any(child.deprel == "neg" or child.lemma in listed("negative") for child in near)


def _in_brackets(tree: _Tree, id: int) -> bool:
    return 1 < id < len(tree.tokens) and tree[id - 1].xpos == "-LRB-" and tree[id + 1].xpos == "-RRB-"


def _has_coordinated_noun(tree: _Tree, proposition: Proposition) -> bool:
    """Whether a relative clause or a participle modifies one of several conjoined nouns: which one is doubtful."""
    clause = tree[proposition.verb]
    if proposition.kind not in ("relative", "participle"):
        return False
    if clause.deprel == "conj":
        clause = tree[clause.head]
    noun = tree[clause.head]
    return noun.deprel == "conj" or bool(tree.those(noun.id, "conj"))


def _is_hypothetical(tree: _Tree, proposition: Proposition) -> bool:
    """Whether the clause is not asserted: under a modal, *if* or *whether*, or an infinitive."""
    verb = tree[proposition.verb]
    shared = [verb] + ([tree[verb.head]] if proposition.kind == "conjunct" else [])
    around = [child for one in shared for child in tree.children[one.id]]
    modal = any(child.xpos == "MD" for child in around if child.deprel in ("aux", "auxpass"))
    doubt = any(child.lemma in ("if", "whether", "unless", "to") for child in around if child.deprel == "mark")
    return modal or doubt or verb.xpos == "VB"


# ---------------------------------------------------------------------------------------------------------------------
# Hand check


@dataclass(frozen=True)
class Decision:
    """What the hand check found of a question: "right" or "wrong", and why."""

    decision: str
    reason: str


def read_check(path) -> dict[str, Decision]:
    """Read the hand check of generated questions.

    Parameters
    ----------
    path : path
        Tab-separated, with the columns question (its id), decision (right or wrong), reason.

    Returns
    -------
    dict of str to Decision

    Raises
    ------
    TaskError
        With file and line: for another header or width, an empty field, an unknown decision, a question decided twice.
    """
    rows = read_table(path, ("question", "decision", "reason"), {"decision": ("right", "wrong")}, key="question")
    return {row["question"]: Decision(row["decision"], row["reason"]) for _, row in rows}


def precision(check: Mapping[str, Decision], questions: QuestionSet, level: float = 0.95) -> tuple[Interval, int]:
    """Share of the checked questions that are right, with Wilson's interval.

    Parameters
    ----------
    check : dict of str to Decision
    questions : QuestionSet
        That from which the checked ones were drawn.
    level : float
        Coverage.

    Returns
    -------
    Interval
    int
        Questions checked.

    Raises
    ------
    TaskError
        If nothing was checked, or a checked question is not among the questions: then the check is of other ones.
    """
    ids = {question.id for question in questions.questions}
    strange = [id for id in check if id not in ids]
    if strange or not check:
        what = f"{len(strange)} checked questions, the first {strange[0]}, are" if strange else "no checked question is"
        raise TaskError(None, None, f"{what} not among those of {questions.name!r}; draw and check again")
    right = sum(decision.decision == "right" for decision in check.values())
    interval = binomtest(right, len(check)).proportion_ci(level, method="wilson")
    return Interval(right / len(check), float(interval.low), float(interval.high)), len(check)


def sample_for_check(questions: QuestionSet, n: int = 60, seed: int = 295) -> tuple[str, ...]:
    """Ids of `n` questions drawn for the hand check, sorted as the questions are."""
    rng = np.random.default_rng(seed)
    places = sorted(rng.choice(len(questions), size=min(n, len(questions)), replace=False).tolist())
    return tuple(questions.questions[i].id for i in places)
