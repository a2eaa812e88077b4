"""Restricted question answering: question sets and their files, scores."""

from dataclasses import replace

import numpy as np
import pytest

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import question_answering as qa
from cdsm_lib.text.corpus import sentence

VALVES = sentence("Valves|NNS|NNS were:be|VBD|VBD controlled:control|VBN|VBN .|.|.")


@pytest.mark.parametrize(("marked", "text"), [(0, "Valves were controlled."), (1, "Valveswere controlled .")])
def test_text_by_rule_or_by_marks(marked, text):
    tokens = [replace(token, misc="SpaceAfter=No" if token.id == marked else "_") for token in VALVES]
    assert qa.text(tokens) == text


DOCUMENTS = "".join(sentence(word, doc_id="d1", sent_id=f"d1.s{i}").conllu() for i, word in enumerate("ab", 1))
QUESTION, ROW = sentence("what", sent_id="q1").conllu(), "q1\td1\td1.s2\tit\tsame\n"


def written(folder, table=ROW, documents=DOCUMENTS, questions=QUESTION):
    (folder / "documents.conllu").write_text(documents, encoding="utf-8")
    (folder / "questions.conllu").write_text(questions, encoding="utf-8")
    (folder / "questions.tsv").write_text("\t".join(qa.COLUMNS) + "\n" + table, encoding="utf-8")
    return folder


def test_a_set_is_read(tmp_path):
    task = qa.load(written(tmp_path))
    (question,) = task.questions
    assert (question.id, question.answer, len(task.document(question))) == ("q1", 1, 2)


@pytest.mark.parametrize(("files", "message"), [
    ({"table": "q1\td1\td1.s3\tit\tsame\n"}, "questions.tsv, line 2: 'd1.s3' is no sentence of document 'd1'"),
    ({"table": "q1\td2\td1.s2\tit\tsame\n"}, "line 2: 'd1.s2' is no sentence of document 'd2'"),
    ({"table": "q1\td1\td1.s2\tit\tmood\n"}, "line 2: alternation must be one of same"),
    ({"table": ROW * 2}, "line 3: id 'q1' stands already in line 2"),
    ({"table": ROW + "q2\td1\td1.s2\tit\tsame\n"}, "questions.tsv, line 3: 'q2' has no sentence in questions.conllu"),
    ({"questions": QUESTION + sentence("what", sent_id="q9").conllu()}, "questions.conllu: 'q9' is not in questions"),
    ({"documents": sentence("a", sent_id="d1.s1").conllu()}, "no '# doc_id ='"),
])  # fmt: skip
def test_bad_sets(tmp_path, files, message):
    with pytest.raises(TaskError, match=message):
        qa.load(written(tmp_path, **files))


def test_scores_by_hand():
    """Three questions on documents of five, five and one sentences."""
    documents = qa.Document("long", (VALVES,) * 5), qa.Document("short", (VALVES,))
    places = ("long", 1), ("long", 0), ("short", 0)
    questions = tuple(qa.Question("abc"[i], VALVES, *place, "same") for i, place in enumerate(places))
    task = qa.QuestionSet("set", documents, questions)
    ranks = qa.score([[3, 2, 2, 2, 1], [3, 2, 2, 2, 1], [0.0]], task)
    np.testing.assert_array_equal(ranks, [0.5, 1.0, np.nan])
    for similarities, message in (
        ([[1.0], [2.0]], "2 arrays of similarities for 3 questions"),
        ([[1.0], [2.0], [3.0]], "question 'a' must be 5 numbers"),
        ([[1, 2, 3, 4, np.nan], np.ones(5), [0.0]], "with 1 NaN"),
    ):
        with pytest.raises(TaskError, match=message):
            qa.score(similarities, task)
