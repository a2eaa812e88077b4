"""Restricted question answering: find the sentence of a document that answers a question.

The second task of Cheung and Penn (2012), "Evaluating Distributional Models of Semantics for Syntactically Invariant
Inference" (EACL 2012), sections 3.2 and 4.4. A question is a proposition with one argument missing (*What does the pump
drive?*), its document a list of sentences, one of which carries the whole proposition (*The turbine is driven by the
pump*). A model gives every sentence a similarity to the question, and the answer sentence should have the highest.
The paper used 295 pairs that Poon and Domingos's (2009) parser had found in GENIA. They are not to be had, so
`cdsm_lib.construction.question_answering` makes such pairs anew from GENIA's gold dependency trees.

Conventions
-----------
Sentences of a document are numbered from 0. Similarities are a sequence of float arrays, one a question, with one value
a sentence of its document; higher is better.

Items
-----
load                 a set from its files

Metrics
-------
score                normalised rank of each answer (equation 14), ties at their median
ties_by_order        the wrong way with ties, for comparison
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
from cdsm_lib.tables import TaskError, read_table
from cdsm_lib.tasks.task import Measure, Task, Text, Texts, expect_same, together
from cdsm_lib.text.corpus import Sentence, Token, read_trees

ALTERNATIONS = ("same", "voice", "verb", "voice and verb", "nominalisation")
"""How a question may differ from its answer sentence."""

COLUMNS = ("id", "document", "answer_sentence", "answer", "alternation")


# ---------------------------------------------------------------------------------------------------------------------
# Documents and questions


@dataclass(frozen=True)
class Document:
    """A list of sentences, one of which answers each question on it."""

    id: str
    sentences: tuple[Sentence, ...]

    def __len__(self) -> int:
        return len(self.sentences)


@dataclass(frozen=True)
class Question:
    """A question as a dependency tree, the id of its document, and there the place of the answer sentence, from 0.

    The alternation is one of `ALTERNATIONS`.
    """

    id: str
    sentence: Sentence
    document: str
    answer: int
    alternation: str

    def __str__(self) -> str:
        return text(self.sentence)


@dataclass(frozen=True)
class QuestionSet:
    """Questions and their documents."""

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]

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
    marks = ["SpaceAfter=No" in token.misc.split("|") for token in tokens]
    parts: list[str] = []
    for token, following, close in zip(tokens, (*tokens[1:], None), marks, strict=True):
        if following and not any(marks):
            close = token.form in ("(", "[") or following.form in set(",.;:?!)]%") or following.xpos == "POS"
        parts += [token.form, "" if close or not following else " "]
    return "".join(parts)


# ---------------------------------------------------------------------------------------------------------------------
# Reading


def load(name="questions") -> QuestionSet:
    """The teaching set "questions", or a folder of its format, named after the folder.

    In ``documents.conllu`` every sentence has ``# doc_id`` and ``# sent_id``, in ``questions.conllu`` every question
    ``# sent_id``; ``questions.tsv`` has the columns id, document, answer_sentence (a sent_id), answer, alternation.
    Documents are in order of appearance, questions in that of the table. Raises a `TaskError` (a missing or repeated
    id, a question without a tree or a tree without a question, an answer sentence of another document, an unknown
    alternation), a `cdsm_lib.text.corpus.ConlluError`, or a `cdsm_lib.datasets.DataError` if there is no such set.

    >>> task = load()
    >>> task.questions[0].sentence.comments["text"], len(task.document(task.questions[0]))
    ('What does Tarsin activate?', 9)
    """
    folder = datasets.sample_path(name)
    table = folder / "questions.tsv"
    sentences: dict[str, dict[str, Sentence]] = defaultdict(dict)
    for id, sentence in read_trees(folder / "documents.conllu").items():
        document = sentence.comments.get("doc_id")
        if not document:
            raise TaskError("documents.conllu", None, f"sentence {id!r} has no '# doc_id ='; add one")
        sentences[document][id] = sentence
    rows = read_table(table, COLUMNS, {"alternation": ALTERNATIONS}, key="id")
    trees, questions = read_trees(folder / "questions.conllu"), []
    expect_same(folder / "questions.conllu", trees, table, {row["id"]: line for line, row in rows})
    for line, row in rows:
        document, answer = row["document"], row["answer_sentence"]
        ids = list(sentences[document])
        if answer not in ids:
            problem = f"{answer!r} is no sentence of document {document!r} in documents.conllu"
            raise TaskError(table.name, line, problem)
        questions.append(Question(row["id"], trees[row["id"]], document, ids.index(answer), row["alternation"]))
    documents = tuple(Document(id, tuple(by_id.values())) for id, by_id in sentences.items())
    return QuestionSet(folder.name, documents, tuple(questions))


# ---------------------------------------------------------------------------------------------------------------------
# Scores


def score(similarities: Sequence[np.ndarray], questions: QuestionSet) -> np.ndarray:
    """Normalised rank of each answer sentence, 1 best and 0 worst; their mean is equation 14.

    Of each question there is a float array [sentences of its document], higher is better. Ties are ties: the answer
    stands at their median. Gives float64 [questions], NaN where the document has one sentence only. Raises `TaskError`
    if there are not as many arrays as questions, or an array does not fit its document or holds NaN. The paper states
    its equation for an answer at place 0 to length - 1; see :func:`cdsm_lib.evaluation.metrics.normalised_rank`.

    >>> document = Document("d", (None, None, None))  # sentences do not matter here
    >>> question = Question("q", None, "d", answer=1, alternation="voice")
    >>> score([[0.4, 0.7, 0.9]], QuestionSet("mine", (document,), (question,)))  # second of three
    array([0.5])
    """
    if len(similarities) != len(questions):
        problem = f"{len(similarities)} arrays of similarities for {len(questions)} questions; give one for each"
        raise TaskError(None, None, problem)
    ranks = np.full(len(questions), np.nan)
    for i, (values, question) in enumerate(zip(similarities, questions.questions, strict=True)):
        values = np.asarray(values, dtype=np.float64)
        length = len(questions.document(question))
        if values.shape != (length,) or np.isnan(values).any():
            needed = f"similarities to question {question.id!r} must be {length} numbers, one a sentence"
            raise TaskError(None, None, f"{needed}; got shape {values.shape} with {int(np.isnan(values).sum())} NaN")
        if length > 1:
            ranks[i] = metrics.normalised_rank(values, question.answer)
    return ranks


def ties_by_order(scores, answer: int) -> tuple[float, float]:
    """Normalised rank if the answer came first, and last, among its ties: what breaking ties by order can do.

    :func:`cdsm_lib.evaluation.metrics.normalised_rank` lies midway between, and says what is a `ValueError`.

    >>> ties_by_order([3, 2, 2, 2, 1], 1)
    (0.75, 0.25)
    """
    scores = np.asarray(scores, dtype=np.float64)
    above = int((scores > scores[answer]).sum())
    ties = int((scores == scores[answer]).sum()) - 1
    return 1 - above / (len(scores) - 1), 1 - (above + ties) / (len(scores) - 1)


# ---------------------------------------------------------------------------------------------------------------------
# As a task


def task(questions: QuestionSet, read: Callable[[Sentence], Text]) -> Task:
    """A question with each sentence of its document; the normalised rank of the answer.

    Questions about one document are drawn together. `read` makes of a sentence the text that systems see.
    """
    seen, pairs = Texts(), []
    for question in questions.questions:
        asked = seen.place(("question", question.id), read, question.sentence)
        for i, sentence in enumerate(questions.document(question).sentences):
            pairs.append((asked, seen.place((question.document, i), read, sentence)))

    def ranks(similarity: np.ndarray) -> np.ndarray:
        return score(by_question(questions, similarity), questions)

    return Task(
        "question answering", questions.name, "All", seen.in_order(), np.array(pairs), {"norm. rank": Measure(ranks)},
        len(questions), units=together(question.document for question in questions.questions),
        labels={"kind": np.array([question.alternation for question in questions.questions])}, chance=0.5,
    )  # fmt: skip


def by_question(questions: QuestionSet, similarity: np.ndarray) -> list[np.ndarray]:
    """Similarities of the pairs of `task`, an array [sentences of the document] for each question."""
    lengths = [len(questions.document(question)) for question in questions.questions]
    return np.split(similarity, np.cumsum(lengths)[:-1])
