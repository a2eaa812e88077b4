"""Restricted question answering: find the sentence of a document that answers a question.

The second task of Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant
Inference" (EACL 2012), sections 3.2 and 4.4. A question is a proposition with one argument missing (*What does the pump
drive?*), its document a list of sentences, one of which carries the whole proposition (*The turbine is driven by the
pump*). A model gives every sentence a similarity to the question, and the answer sentence should have the highest.
The paper used 295 pairs that Poon and Domingos's (2009) parser had found in GENIA. They are not to be had, so
:func:`generate` makes such pairs anew from GENIA's gold dependency trees.

Conventions
-----------
Trees are `Sentence`s with labels of Universal Dependencies version 1 (``nsubj nsubjpass dobj nmod case acl:relcl``),
universal tags in UPOS and Penn tags in XPOS. Sentences of a document are numbered from 0, tokens of a sentence from 1.
*Subject* is the argument that acts and *object* the one acted upon, in either voice: in a passive clause the subject is
the phrase with *by*. An argument is the one *missing* from a question, which the answer fills, or the one *known*.
Similarities are a sequence of float arrays, one a question, with one value a sentence of its document; higher is
better.

Construction
------------
to_universal         GENIA's Penn tags as universal tags
documents            sentences grouped into abstracts by their PubMed id
propositions         clauses with subject and object: active, passive, relative, participial, conjoined
noun_phrase          an argument: the head, its premodifiers, and phrases with *of*
mentions             other sentences of the document that might answer too
question_tree        the question of a proposition, in a form and with an argument missing, as a dependency tree
generate             all of it, with a funnel of what each step rejects
read_check           decisions of the hand check of generated questions
precision            share of right ones, with Wilson's interval

Four forms of a question keep apart what changes against the text: ``same`` (nothing), ``voice`` (active for passive or
passive for active), ``verb`` (a verb of like meaning, from `PARAPHRASES`), ``voice+verb`` (both).

Metrics
-------
score                mean normalised rank (equation 14), ties at their median, one-sentence documents left out
heads_only           the same questions with less of the answer sentence in them
ties_by_order        the wrong way with ties, for comparison
"""

import csv
import html
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from scipy.stats import binomtest

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.significance import Interval, bootstrap_interval
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.text.corpus import Sentence, Token, read_conllu

FORMS = ("same", "voice", "verb", "voice+verb")
ARGUMENTS = ("subject", "object")
ALTERNATIONS = ("same", "voice", "verb", "voice and verb", "nominalisation")
"""How a question may differ from its answer sentence. The generator makes the first four."""

GENIA_PARTS = ("dev", "test", "future_use")

PARAPHRASES: Mapping[str, tuple[str, ...]] = {
    "abolish": ("abrogate", "eliminate"),
    "abrogate": ("abolish", "eliminate"),
    "acquire": ("gain",),
    "activate": ("stimulate",),
    "affect": ("influence",),
    "alter": ("change", "modify"),
    "antagonize": ("counteract",),
    "attenuate": ("reduce", "diminish"),
    "augment": ("increase", "enhance"),
    "block": ("inhibit",),
    "carry": ("bear",),
    "cause": ("induce", "trigger"),
    "contain": ("include",),
    "control": ("regulate", "govern"),
    "counteract": ("antagonize",),
    "decrease": ("reduce", "lower"),
    "delay": ("retard",),
    "diminish": ("reduce", "decrease"),
    "display": ("exhibit", "show"),
    "down-regulate": ("decrease", "reduce"),
    "downregulate": ("decrease", "reduce"),
    "elevate": ("raise", "increase"),
    "elicit": ("induce", "trigger"),
    "eliminate": ("abolish",),
    "enhance": ("increase", "augment"),
    "evoke": ("induce", "elicit"),
    "exhibit": ("display", "show"),
    "gain": ("acquire",),
    "generate": ("produce",),
    "govern": ("regulate", "control"),
    "increase": ("enhance", "raise"),
    "induce": ("trigger", "elicit"),
    "influence": ("affect",),
    "inhibit": ("block", "suppress"),
    "initiate": ("start",),
    "lower": ("reduce", "decrease"),
    "maintain": ("sustain", "preserve"),
    "mimic": ("imitate",),
    "modify": ("alter", "change"),
    "modulate": ("regulate", "influence"),
    "need": ("require",),
    "potentiate": ("enhance", "augment"),
    "prevent": ("block",),
    "produce": ("generate",),
    "prolong": ("extend",),
    "raise": ("increase", "elevate"),
    "reduce": ("decrease", "lower"),
    "regulate": ("control", "govern"),
    "repress": ("suppress", "inhibit"),
    "require": ("need",),
    "retain": ("keep",),
    "stimulate": ("activate",),
    "suppress": ("inhibit", "block"),
    "sustain": ("maintain",),
    "transactivate": ("activate",),
    "trigger": ("induce", "elicit"),
    "up-regulate": ("increase", "enhance"),
    "upregulate": ("increase", "enhance"),
    "utilize": ("use", "employ"),
}
"""Verbs that may stand for a verb in a question: near-synonyms in texts on molecular biology."""

STEERING = frozenset("regulate control govern modulate affect influence alter change modify mediate".split())
RAISING = frozenset(
    "activate stimulate induce trigger elicit evoke cause increase enhance augment elevate raise potentiate promote"
    " upregulate up-regulate amplify transactivate trans-activate initiate start facilitate produce generate"
    " mediate accelerate drive result lead".split()
)
LOWERING = frozenset(
    "inhibit block suppress repress prevent abolish abrogate eliminate decrease reduce diminish lower attenuate"
    " impair downregulate down-regulate antagonize counteract interfere weaken delay retard reverse".split()
)

FAMILIES: tuple[frozenset[str], ...] = (
    RAISING,
    LOWERING,
    frozenset("contain include comprise possess carry bear exhibit display show express have present".split()),
    frozenset("require need depend necessitate".split()),
    frozenset("maintain sustain preserve retain keep".split()),
    frozenset("bind recognize interact associate contact".split()),
    frozenset("utilize use employ".split()),
    frozenset("acquire gain".split()),
    frozenset("prolong extend".split()),
    frozenset("mimic imitate resemble".split()),
)
"""Verbs of near meaning, with which another sentence might answer the same question. What raises or lowers also steers,
so that all three families might answer a question with a verb of `STEERING`."""

GENERAL_VERBS = frozenset(
    "be have do make take get give let become play exert provide suggest indicate propose imply mean analyze analyse"
    " examine investigate study determine measure evaluate assess characterize identify detect test monitor confirm"
    " observe explain describe report compare substitute amplify purify isolate"
    " clone sequence obtain perform construct prepare show reveal demonstrate".split()
)
COMPLEMENTS: Mapping[str, tuple[str, ...]] = {
    "attach": ("to",), "connect": ("to", "with"), "convert": ("into", "to"), "couple": ("to", "with"),
    "direct": ("to",), "distinguish": ("from",), "divide": ("into",), "fuse": ("to", "with"), "join": ("to", "with"),
    "link": ("to", "with"), "prevent": ("from",), "relate": ("to",), "separate": ("from",), "subject": ("to",),
    "transform": ("into",),
}  # fmt: skip
"""Verbs whose meaning is cut short without a phrase with one of these prepositions, if there is one."""

NO_PASSIVE = frozenset(
    "lack resemble undergo share include contain involve show keep use employ mimic imitate have code enter"
    " signal".split()
)
"""Verbs that make no good passive question."""

NEGATIVE = frozenset("no not neither nor never hardly rarely without none few little minimally barely scarcely".split())
DEICTIC = frozenset(
    "this that these those such its their his her our my your it they both either each another other others same"
    " latter former above respective itself themselves here many some most several all any which whose what".split()
)
"""Words that make an argument refer to something outside it, or leave open what it is."""

STUDY_NOUNS = frozenset(
    "result study data datum finding analysis analyse experiment observation report paper work author investigation"
    " evidence examination assay blot test comparison approach model technique hypothesis review article investigator"
    " sequencing measurement method strategy screening possibility methodology option".split()
)
"""Subjects that name the study itself or its methods: what they show is reported, not done."""

VAGUE = frozenset(
    "cell effect protein gene factor level role activity expression change increase decrease response number region"
    " site type form mechanism process complex molecule presence absence ability function part addition treatment"
    " patient agent compound element sequence system event signal amount line subunit member case condition variety"
    " group activation induction production inhibition stimulation regulation binding interaction combination family"
    " product pathway property characteristic feature population domain promoter receptor antibody inhibitor"
    " concentration stimulus component species class kinase drug subject individual control phenomenon state set"
    " defect mutant mutation feature plasmid construct mice mouse onset copy fragment segment subset ligand"
    " cdna portion transcript molecular alpha beta gamma i ii at least only slight clone clones abnormality"
    " alteration difference similarity"
    " the a an one two three four important significant specific different similar new novel various certain"
    " additional major key further high low higher lower strong human several multiple distinct first second".split()
)
"""Words that, alone, say too little for a question to have one answer."""

PROCESSES = frozenset(
    "treatment pretreatment incubation stimulation signaling signalling signal transduction engagement ligation"
    " cross-linking exposure addition administration deletion mutation overexpression coexpression transfection"
    " secretion synthesis transcription translation translocation phosphorylation proliferation differentiation"
    " maturation growth development degradation accumulation binding loss level rate dose number".split()
)
"""Nouns that say what happens to something, not what it is."""

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


class QuestionError(TaskError):
    """A file, a question or a similarity that does not fit restricted question answering; see `TaskError`."""


# ---------------------------------------------------------------------------------------------------------------------
# Documents and questions


@dataclass(frozen=True)
class Document:
    """A list of sentences, one of which answers each question on it.

    Parameters
    ----------
    id : str
    sentences : tuple of Sentence
    """

    id: str
    sentences: tuple[Sentence, ...]

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True)
class Question:
    """A question and where its answer stands.

    Parameters
    ----------
    id : str
    sentence : Sentence
        The question as a dependency tree.
    document : str
        Id of its document.
    answer : int
        Place of the answer sentence in the document, from 0.
    answer_text : str
        The missing argument.
    alternation : str
        One of `ALTERNATIONS`.
    """

    id: str
    sentence: Sentence
    document: str
    answer: int
    answer_text: str
    alternation: str

    def __str__(self) -> str:
        return text(self.sentence)


@dataclass(frozen=True)
class QuestionSet:
    """Questions and their documents.

    Parameters
    ----------
    name : str
    documents : tuple of Document
    questions : tuple of Question

    Raises
    ------
    QuestionError
        If an id occurs twice, a document does not exist, an answer lies outside it, or an alternation is unknown.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

    def __post_init__(self):
        for what, items in (("document", self.documents), ("question", self.questions)):
            twice = [id for id, n in Counter(item.id for item in items).items() if n > 1]
            if twice:
                raise QuestionError(self.name, None, f"{what} {twice[0]!r} occurs twice; give each an id of its own")
        for question in self.questions:
            known = self.by_id.get(question.document)
            if known is None:
                problem = f"question {question.id!r} is on document {question.document!r}, which is not there"
                raise QuestionError(self.name, None, problem)
            if not 0 <= question.answer < len(known):
                problem = f"the answer to {question.id!r} is sentence {question.answer} of {len(known)}, counted from 0"
                raise QuestionError(self.name, None, problem)
            if question.alternation not in ALTERNATIONS:
                problem = (
                    f"alternation {question.alternation!r} of {question.id!r} is none of {', '.join(ALTERNATIONS)}"
                )
                raise QuestionError(self.name, None, problem)

    def __len__(self) -> int:
        return len(self.questions)

    @cached_property
    def by_id(self) -> dict[str, Document]:
        """Documents by id."""
        return {document.id: document for document in self.documents}

    def document(self, question: Question) -> Document:
        """The document of a question."""
        return self.by_id[question.document]


def text(sentence: Sentence | Sequence[Token]) -> str:
    """A sentence as text: spaces where ``SpaceAfter=No`` does not forbid them, or by rule if no token has that mark.

    Examples
    --------
    >>> words = ("a", "(", "b", ")")
    >>> text([Token(i, word, word, "X", "X", "_", 0, "dep", "_", "_") for i, word in enumerate(words, 1)])
    'a (b)'
    """
    tokens = tuple(sentence)
    marked = any("SpaceAfter=No" in token.misc.split("|") for token in tokens)
    parts: list[str] = []
    for i, token in enumerate(tokens):
        parts.append(token.form)
        if i + 1 == len(tokens):
            break
        if marked:
            close = "SpaceAfter=No" in token.misc.split("|")
        else:
            following = tokens[i + 1]
            close = token.form in ("(", "[") or following.form in set(",.;:?!)]%") or following.xpos == "POS"
        parts.append("" if close else " ")
    return "".join(parts)


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def _records(path: Path, header: Sequence[str]) -> list[tuple[int, dict[str, str]]]:
    """Lines of a tab-separated file with a header; `QuestionError` for another header, width or encoding."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            lines = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    except OSError as error:
        raise QuestionError(path, None, f"cannot be read ({error.strerror}); get it again") from None
    except UnicodeDecodeError as error:
        raise QuestionError(path.name, None, f"not UTF-8 ({error.reason}); save it as UTF-8") from None
    if not lines or lines[0] != list(header):
        raise QuestionError(path.name, 1, f"the header must be {' '.join(header)!r}, separated by tabs")
    records = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(header) or not all(cell.strip() for cell in line):
            raise QuestionError(path.name, number, f"expected {len(header)} fields, none of them empty, found {line}")
        records.append((number, dict(zip(header, line, strict=True))))
    return records


def read(folder) -> QuestionSet:
    """Read a set of questions: ``documents.conllu``, ``questions.conllu`` and ``questions.tsv``.

    Parameters
    ----------
    folder : path
        Every sentence of the documents has ``# doc_id`` and ``# sent_id``, every question ``# sent_id``. The table has
        the columns id, document, answer_sentence (a sent_id), answer, alternation.

    Returns
    -------
    QuestionSet
        Named after the folder; documents in order of appearance, questions in that of the table.

    Raises
    ------
    QuestionError
        With file and line where there is one: for a missing or repeated id, a question without a tree or a tree without
        a question, an answer sentence of another document, an unknown alternation.
    cdsm_lib.text.corpus.ConlluError
        If a file is not good CoNLL-U.
    """
    folder = Path(folder)
    sentences: dict[str, list[Sentence]] = defaultdict(list)
    place: dict[str, tuple[str, int]] = {}
    for sentence in _trees(folder / "documents.conllu"):
        id, document = sentence.comments["sent_id"], sentence.comments.get("doc_id")
        if not document:
            raise QuestionError("documents.conllu", None, f"sentence {id!r} has no '# doc_id ='; add one")
        place[id] = (document, len(sentences[document]))
        sentences[document].append(sentence)
    trees = {sentence.comments["sent_id"]: sentence for sentence in _trees(folder / "questions.conllu")}
    table = folder / "questions.tsv"
    questions = []
    for number, row in _records(table, ("id", "document", "answer_sentence", "answer", "alternation")):
        if row["id"] not in trees:
            problem = f"question {row['id']!r} has no tree (left) in questions.conllu; add one, and one line a question"
            raise QuestionError(table.name, number, problem)
        document, answer = place.get(row["answer_sentence"], (None, -1))
        if document != row["document"]:
            problem = f"{row['answer_sentence']!r} is no sentence of document {row['document']!r} in documents.conllu"
            raise QuestionError(table.name, number, problem)
        if row["alternation"] not in ALTERNATIONS:
            problem = f"alternation {row['alternation']!r} is none of {', '.join(ALTERNATIONS)}"
            raise QuestionError(table.name, number, problem)
        tree = trees.pop(row["id"])
        questions.append(Question(row["id"], tree, document, answer, row["answer"], row["alternation"]))
    if trees:
        raise QuestionError("questions.conllu", None, f"{next(iter(trees))!r} is not in questions.tsv; add its line")
    if not questions:
        raise QuestionError(table.name, None, "no questions in the file; get it again")
    documents = tuple(Document(id, tuple(found)) for id, found in sentences.items())
    return QuestionSet(folder.name, documents, tuple(questions))


def _trees(path: Path) -> list[Sentence]:
    """Sentences of a file, each with a ``sent_id`` of its own."""
    if not path.exists():
        raise QuestionError(path, None, "the file is missing; a question set has it beside questions.tsv")
    found, ids = [], set()
    for number, sentence in enumerate(read_conllu(path), 1):
        id = sentence.comments.get("sent_id")
        if not id or id in ids:
            problem = f"has the sent_id {id!r} of an earlier one" if id else "has no '# sent_id ='"
            raise QuestionError(path.name, None, f"sentence {number} {problem}; give each its own")
        ids.add(id)
        found.append(sentence)
    return found


def load(name="questions", *, n: int = 400, seed: int = 0) -> QuestionSet:
    """The questions `name`.

    Parameters
    ----------
    name : str or path
        "questions" (the teaching set), "genia" (made from GENIA by :func:`generate`), or a path to a folder.
    n, seed : int
        Of :func:`generate`.

    Returns
    -------
    QuestionSet

    Raises
    ------
    QuestionError
        As in :func:`read` and :func:`documents`.
    cdsm_lib.datasets.DataError
        For an unknown name, or if the data cannot be had.
    """
    if isinstance(name, Path) or os.sep in str(name):
        return read(name)
    if name == "genia":
        return generate(genia(), seed, n).questions
    return read(datasets.sample_path(name))


def genia() -> tuple[Document, ...]:
    """The abstracts of GENIA's treebank; the files come from the registry.

    Raises
    ------
    QuestionError
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
    QuestionError
        If the two files differ in length, or an abstract is interrupted by another.
    cdsm_lib.text.corpus.ConlluError
        If a treebank file is not good CoNLL-U.
    """
    found: dict[str, list[Sentence]] = {}
    latest = None
    for trees, ids in parts:
        sentences = list(read_conllu(trees))
        pmids = Path(ids).read_text(encoding="utf-8").split()
        if len(sentences) != len(pmids):
            problem = f"{len(pmids)} ids for the {len(sentences)} sentences of {Path(trees).name}; fetch both again"
            raise QuestionError(Path(ids).name, None, problem)
        for number, (pmid, sentence) in enumerate(zip(pmids, sentences, strict=True), 1):
            if pmid != latest and pmid in found:
                raise QuestionError(Path(ids).name, number, f"abstract {pmid} begins a second time; fetch it again")
            latest = pmid
            own = found.setdefault(pmid, [])
            comments = {"doc_id": pmid, "sent_id": f"{pmid}.{len(own)}"}
            own.append(Sentence(to_universal(sentence).tokens, comments))
    return tuple(Document(pmid, tuple(sentences)) for pmid, sentences in found.items())


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
        found, waiting = [], [id]
        while waiting:
            found.append(waiting.pop())
            waiting.extend(child.id for child in self.children[found[-1]])
        return sorted(found)

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
    found, cut = _phrase(tree, head)
    depth = np.cumsum([(token.xpos == "-LRB-") - (token.xpos == "-RRB-") for token in sentence])
    plain = (id for id in sorted(found) if depth[id - 1] == depth[head - 1] and tree[id].xpos != "-RRB-")
    return Argument(head, tuple(plain), cut)


PREMODIFIERS = ("compound", "amod", "nummod", "det", "det:predet", "nmod:poss", "nmod:npmod", "advmod", "neg")


def _phrase(tree: _Tree, head: int) -> tuple[set[int], bool]:
    found, cut = {head}, False
    for child in tree.children[head]:
        if child.id < head and child.deprel in (*PREMODIFIERS, "nmod", "dep") and child.xpos not in ("-LRB-", "-RRB-"):
            if child.deprel in ("nmod", "dep"):
                cut = True
                continue
            premodifier = tree.below(child.id)
            cut = cut or any(tree[id].xpos in ("IN", "TO") for id in premodifier)
            found.update(premodifier)
        elif child.id < head and child.xpos == "POS":
            found.add(child.id)
        elif child.id < head and child.deprel == "punct" and child.form in ("-", "/", "'"):
            found.add(child.id)
        elif child.deprel == "nmod" and tree.preposition(child) == "of":
            inner, inner_cut = _phrase(tree, child.id)
            found |= inner | {case.id for case in tree.those(child.id, "case")}
            cut = cut or inner_cut
        elif child.deprel == "nummod" and child.id == head + 1:
            found.add(child.id)
        elif child.deprel in ("case", "punct", "cc", "appos", "mark", "advmod", "cop", "cc:preconj"):
            cut = cut or child.deprel == "cc:preconj"
        elif child.deprel in ("acl", "acl:relcl") and _between_commas(tree, child):
            continue
        else:
            cut = True
    return found, cut


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
    found = []
    for number, sentence in enumerate(document.sentences):
        tree = _Tree(sentence)
        for verb in sentence:
            if not verb.xpos.startswith("VB") or verb.deprel in ("aux", "auxpass", "cop", "amod", "compound"):
                continue
            arguments = _arguments(tree, verb)
            if arguments:
                subject, object, voice, kind = arguments
                found.append(
                    Proposition(
                        document=document.id,
                        sentence=number,
                        verb=verb.id,
                        lemma=verb.lemma,
                        voice=voice,
                        past=_is_past(tree, verb, voice),
                        subject=noun_phrase(sentence, subject),
                        object=noun_phrase(sentence, object),
                        kind=kind,
                    )
                )
    return found


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


def _is_past(tree: _Tree, verb: Token, voice: str) -> bool:
    """Whether the first finite form among the auxiliaries and the verb is a past tense."""
    auxiliaries = tree.those(verb.id, "aux", "auxpass")
    if not auxiliaries and verb.deprel == "conj" and verb.xpos == "VBN":
        auxiliaries = tree.those(verb.head, "aux", "auxpass")
    finite = sorted(auxiliaries, key=lambda token: token.id)[:1] or [verb]
    return finite[0].xpos == "VBD"


# ---------------------------------------------------------------------------------------------------------------------
# Questions

IRREGULAR = {  # lemma: past tense, past participle
    "arise": ("arose", "arisen"), "bear": ("bore", "borne"), "become": ("became", "become"),
    "begin": ("began", "begun"), "bind": ("bound", "bound"), "break": ("broke", "broken"),
    "bring": ("brought", "brought"), "build": ("built", "built"), "choose": ("chose", "chosen"),
    "come": ("came", "come"), "cut": ("cut", "cut"), "draw": ("drew", "drawn"), "drive": ("drove", "driven"),
    "fall": ("fell", "fallen"), "feed": ("fed", "fed"), "find": ("found", "found"), "give": ("gave", "given"),
    "go": ("went", "gone"), "grow": ("grew", "grown"), "hold": ("held", "held"), "keep": ("kept", "kept"),
    "know": ("knew", "known"), "lead": ("led", "led"), "leave": ("left", "left"), "lie": ("lay", "lain"),
    "lose": ("lost", "lost"), "make": ("made", "made"), "mean": ("meant", "meant"), "meet": ("met", "met"),
    "overcome": ("overcame", "overcome"), "override": ("overrode", "overridden"), "put": ("put", "put"),
    "rise": ("rose", "risen"), "say": ("said", "said"), "see": ("saw", "seen"), "seek": ("sought", "sought"),
    "send": ("sent", "sent"), "set": ("set", "set"), "show": ("showed", "shown"), "shut": ("shut", "shut"),
    "speak": ("spoke", "spoken"), "spend": ("spent", "spent"), "split": ("split", "split"),
    "spread": ("spread", "spread"), "stand": ("stood", "stood"), "take": ("took", "taken"),
    "teach": ("taught", "taught"), "tell": ("told", "told"), "think": ("thought", "thought"),
    "undergo": ("underwent", "undergone"), "underlie": ("underlay", "underlain"),
    "mimic": ("mimicked", "mimicked"), "freeze": ("froze", "frozen"), "undertake": ("undertook", "undertaken"),
    "understand": ("understood", "understood"), "withdraw": ("withdrew", "withdrawn"), "write": ("wrote", "written"),
}  # fmt: skip
DOUBLING = frozenset(
    "abut commit compel confer control drop equip incur infer map occur omit plan permit prefer program propel refer"
    " recur rub ship span step stop strip submit transfer transmit trap".split()
)
"""Verbs that double their last consonant before *-ed*."""


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
        if lemma in IRREGULAR:
            return IRREGULAR[lemma][tag == "VBN"]
        if y:
            return f"{lemma[:-1]}ied"
        if lemma.endswith("e"):
            return f"{lemma}d"
        return lemma + (lemma[-1] if lemma in DOUBLING else "") + "ed"
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
    known = proposition.object if missing == "subject" else proposition.subject
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
    kept = set(argument.tokens)
    found = []
    for id in argument.tokens:
        token = sentence.tokens[id - 1]
        if id == argument.head:
            token = replace(token, head=-2, deprel=label)
        elif token.head not in kept:
            token = replace(token, head=argument.head)
        if id == 1 or sentence.tokens[id - 2].form == ":":
            token = replace(token, form=_uncapitalised(token, lower))
        found.append((id, replace(token, misc="_")))
    return found


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
    return tuple(verb for verb in PARAPHRASES.get(lemma, ()) if not (passive and verb in NO_PASSIVE))


def family(lemma: str) -> frozenset[str]:
    """The verb with those that may stand for it and those near it in meaning, of `PARAPHRASES` and `FAMILIES`."""
    near = {lemma, *PARAPHRASES.get(lemma, ())} | {verb for verb, others in PARAPHRASES.items() if lemma in others}
    wider = (STEERING, RAISING, LOWERING) if lemma in STEERING else ()
    return frozenset(near.union(*wider, *(members for members in FAMILIES if lemma in members)))


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
        Its argument that the question holds. Its words are its nouns, less those of `VAGUE` and `PROCESSES` (if none is
        left, its head), and the abbreviations that the document gives for them in brackets.
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
    words = nouns - VAGUE - PROCESSES or {own.tokens[known.head - 1].lemma}
    words |= {
        token.lemma
        for sentence in document.sentences
        for token in sentence
        if token.deprel == "appos" and sentence.tokens[token.head - 1].lemma in words
    }
    verbs, stems = family(proposition.lemma), _stems(proposition.lemma)
    found = []
    for number, sentence in enumerate(document.sentences):
        if number == proposition.sentence:
            continue
        starts = [token.id for token in sentence if any(_same_word(token.lemma, word) for word in words)]
        near = _within(sentence, starts, steps)
        if any(_is_of_family(sentence.tokens[id - 1], stems, verbs) for id in near):
            found.append(number)
    return found


def _same_word(lemma: str, head: str) -> bool:
    """Whether two lemmas are equal, or one is a part of the other between hyphens or slashes."""
    return lemma == head or head in re.split(r"[/]|-(?=[a-z]{4})", lemma) or lemma in head.split("/")


def _within(sentence: Sentence, starts: Iterable[int], steps: int) -> set[int]:
    """Token ids at most so many steps of the tree from any of `starts`."""
    tree = _Tree(sentence)
    found = frontier = set(starts)
    for _ in range(steps):
        around = {child.id for id in frontier for child in tree.children[id]}
        around |= {tree[id].head for id in frontier if tree[id].head}
        frontier = around - found
        found = found | around
    return found


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
    QuestionError
        If an id occurs twice among the documents, or n, most or longest is less than 1.
    """
    if min(n, most, longest) < 1:
        raise QuestionError(None, None, f"n={n}, most={most} and longest={longest} must each be 1 or more")
    by_id = {document.id: document for document in documents}
    if len(by_id) < len(documents):
        raise QuestionError(None, None, "two documents have the same id; give each its own")
    lower = lower_case(documents)
    found = tuple(proposition for document in documents for proposition in propositions(document))
    rng = np.random.default_rng(seed)
    outcomes = dict.fromkeys((*REASONS, WAITING, NOT_DRAWN, KEPT), 0)
    candidates: list[_Candidate] = []
    asked: set[tuple] = set()
    for proposition in found:
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
    kept = tuple(document for document in documents if document.id in used)
    return Construction(QuestionSet("genia", kept, questions), len(documents), found, outcomes)


def _known(proposition: Proposition, missing: str) -> Argument:
    return proposition.object if missing == "subject" else proposition.subject


def _known_words(by_id: Mapping[str, Document], proposition: Proposition, missing: str) -> tuple[str, ...]:
    sentence = by_id[proposition.document].sentences[proposition.sentence]
    return tuple(sentence.tokens[id - 1].lemma for id in _known(proposition, missing).tokens)


def _forms(proposition: Proposition, rng: np.random.Generator) -> dict[str, str | None]:
    """The forms that a question may take, with the other verb drawn where there is one."""
    passive = proposition.voice == "passive"
    forms: dict[str, str | None] = {"same": None}
    if passive or proposition.lemma not in NO_PASSIVE:
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
    known = _known(proposition, missing)
    both = (proposition.subject, proposition.object)
    words = [[tree[id] for id in argument.tokens] for argument in both]
    if len(document) < 3:
        return REASONS[0]
    if _is_negated(tree, proposition) or any(token.lemma in NEGATIVE for phrase in words for token in phrase):
        return REASONS[1]
    if _is_hypothetical(tree, proposition):
        return REASONS[2]
    if proposition.lemma in GENERAL_VERBS:
        return REASONS[3]
    if tree[proposition.subject.head].lemma in STUDY_NOUNS:
        return REASONS[4]
    beside = ("ccomp", "xcomp", "compound:prt", "iobj", "dep", "expl", "csubj")
    others = {tree.preposition(child) for child in tree.those(proposition.verb, "nmod")}
    agent_is_shared = proposition.voice == "passive" and any(
        proposition.verb < child.id < proposition.subject.head for child in tree.those(proposition.verb, "conj")
    )
    if not re.fullmatch("[a-z]+(-[a-z]+)*", proposition.lemma) or _has_coordinated_noun(tree, proposition):
        return REASONS[5]
    if tree.those(proposition.verb, *beside) or agent_is_shared or others & {*COMPLEMENTS.get(proposition.lemma, ())}:
        return REASONS[5]
    if not all(tree[argument.head].xpos.startswith("NN") for argument in both):
        return REASONS[6]
    if any(_in_brackets(tree, argument.head) for argument in both):
        return REASONS[5]
    if not all(any(character.isalpha() for character in tree[argument.head].form) for argument in both):
        return REASONS[6]
    if any(token.lemma in DEICTIC for phrase in words for token in phrase):
        return REASONS[7]
    if len(known.tokens) > longest:
        return REASONS[8]
    if known.cut:
        return REASONS[9]
    vague = [all(tree[id].lemma in VAGUE for id in argument.tokens) for argument in both]
    if vague[missing == "subject"] or (any(vague) and proposition.kind in ("participle", "relative")):
        return REASONS[10]
    if mentions(document, proposition, known):
        return REASONS[11]
    return None


def _is_negated(tree: _Tree, proposition: Proposition) -> bool:
    verb = tree[proposition.verb]
    near = [*tree.children[verb.id], *(tree.children[verb.head] if proposition.kind == "conjunct" else [])]
    near += [child for argument in (proposition.subject, proposition.object) for child in tree.children[argument.head]]
    return any(child.deprel == "neg" or child.lemma in NEGATIVE for child in near)


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
    QuestionError
        With file and line: for another header or width, an empty field, an unknown decision, a question decided twice.
    """
    path = Path(path)
    found: dict[str, Decision] = {}
    for number, row in _records(path, ("question", "decision", "reason")):
        if row["decision"] not in ("right", "wrong"):
            problem = f"decision {row['decision']!r} of {row['question']} must be right or wrong"
            raise QuestionError(path.name, number, problem)
        if row["question"] in found:
            raise QuestionError(path.name, number, f"{row['question']} is decided twice; keep one line")
        found[row["question"]] = Decision(row["decision"], row["reason"])
    if not found:
        raise QuestionError(path.name, None, "no decisions in the file; get it again")
    return found


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
    QuestionError
        If nothing was checked, or a checked question is not among the questions: then the check is of other ones.
    """
    ids = {question.id for question in questions.questions}
    strange = [id for id in check if id not in ids]
    if strange or not check:
        what = f"{len(strange)} checked questions, the first {strange[0]}, are" if strange else "no checked question is"
        raise QuestionError(None, None, f"{what} not among those of {questions.name!r}; draw and check again")
    right = sum(decision.decision == "right" for decision in check.values())
    found = binomtest(right, len(check)).proportion_ci(level, method="wilson")
    return Interval(right / len(check), float(found.low), float(found.high)), len(check)


def sample_for_check(questions: QuestionSet, n: int = 60, seed: int = 295) -> tuple[str, ...]:
    """Ids of `n` questions drawn for the hand check, sorted as the questions are."""
    rng = np.random.default_rng(seed)
    places = sorted(rng.choice(len(questions), size=min(n, len(questions)), replace=False).tolist())
    return tuple(questions.questions[i].id for i in places)


# ---------------------------------------------------------------------------------------------------------------------
# Scores


@dataclass(frozen=True)
class Scores:
    """Normalised ranks and their mean.

    Parameters
    ----------
    ranks : float64 array [questions]
        1 best, 0 worst; NaN where the document has one sentence only.
    mean : Interval or None
        Over the questions that have a rank, by bootstrap; None if there are none.
    n : int
        Questions that have a rank.
    skipped : int
        Questions on documents of one sentence.
    """

    ranks: np.ndarray
    mean: Interval | None
    n: int
    skipped: int


def score(
    similarities: Sequence[np.ndarray], questions: QuestionSet, *, seed: int = 0, resamples: int = 10_000
) -> Scores:
    """Mean normalised rank of the answer sentences (equation 14).

    Parameters
    ----------
    similarities : sequence of float arrays [sentences of the document]
        One a question, in their order; higher is better. Ties are ties: the answer stands at their median.
    questions : QuestionSet
    seed, resamples : int
        Of the bootstrap over questions.

    Returns
    -------
    Scores

    Raises
    ------
    QuestionError
        If there are not as many arrays as questions, or an array does not fit its document or holds NaN.

    Notes
    -----
    The paper states its equation for an answer at place 0 to length - 1 in a ranking; see
    :func:`cdsm_lib.evaluation.metrics.normalised_rank`.
    """
    if len(similarities) != len(questions):
        problem = f"{len(similarities)} arrays of similarities for {len(questions)} questions; give one for each"
        raise QuestionError(None, None, problem)
    ranks = np.full(len(questions), np.nan)
    skipped = 0
    for i, (values, question) in enumerate(zip(similarities, questions.questions, strict=True)):
        values = np.asarray(values, dtype=np.float64)
        length = len(questions.document(question))
        if values.shape != (length,) or np.isnan(values).any():
            problem = (
                f"similarities to question {question.id!r} must be {length} numbers, one a sentence of its document, "
                f"none of them NaN; got shape {values.shape} with {int(np.isnan(values).sum())} NaN"
            )
            raise QuestionError(None, None, problem)
        if length == 1:
            skipped += 1
        else:
            ranks[i] = metrics.normalised_rank(values, question.answer)
    known = ranks[~np.isnan(ranks)]
    mean = bootstrap_interval(known, np.mean, resamples, 0.95, seed) if len(known) else None
    return Scores(ranks, mean, len(known), skipped)


def heads_only(questions: QuestionSet) -> QuestionSet:
    """The same questions with the head noun alone of the known argument.

    *What does the protein of the virus block?* becomes *What does protein block?*

    Generated questions copy the known argument from the answer sentence, which helps whoever counts shared words. Less
    of it makes the search harder; another sentence may then answer as well. Kept are the verb, its dependents, and
    their prepositions and auxiliaries.
    """
    return replace(
        questions,
        name=f"{questions.name}, heads only",
        questions=tuple(replace(one, sentence=_heads_only(one.sentence)) for one in questions.questions),
    )


def _heads_only(sentence: Sentence) -> Sentence:
    root = next(token.id for token in sentence if token.head == 0)
    kept = [token for token in sentence if token.head in (0, root)]
    near = {token.id for token in kept}
    kept = [token for token in sentence if token.id in near or token.head in near and token.deprel in ("case", "prep")]
    place = {0: 0} | {token.id: i for i, token in enumerate(kept, start=1)}
    tokens = (replace(token, id=place[token.id], head=place[token.head]) for token in kept)
    return replace(sentence, tokens=tuple(tokens))


def ties_by_order(scores, answer: int) -> tuple[float, float]:
    """Normalised rank if the answer came first, and last, among its ties: what breaking ties by order can do.

    Parameters
    ----------
    scores : float array [sentences]
    answer : int

    Returns
    -------
    first, last : float
        :func:`cdsm_lib.evaluation.metrics.normalised_rank` lies midway between.

    Raises
    ------
    ValueError
        As :func:`cdsm_lib.evaluation.metrics.normalised_rank`.

    Examples
    --------
    >>> ties_by_order([3, 2, 2, 2, 1], 1)
    (0.75, 0.25)
    """
    metrics.normalised_rank(scores, answer)  # refuses what cannot be ranked
    scores = np.asarray(scores, dtype=np.float64)
    above = int((scores > scores[answer]).sum())
    ties = int((scores == scores[answer]).sum()) - 1
    return 1 - above / (len(scores) - 1), 1 - (above + ties) / (len(scores) - 1)
