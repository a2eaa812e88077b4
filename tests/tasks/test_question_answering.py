"""Restricted question answering: question sets and their files, scores."""

from dataclasses import replace

import numpy as np
import pytest

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import question_answering as qa
from cdsm_lib.text.corpus import Sentence, Token


def tree(*lines: str) -> Sentence:
    """A tree from lines 'form lemma tag head label'."""
    fields = enumerate((line.split() for line in lines), 1)
    return Sentence(tuple(Token(i, f, lemma, t, t, "_", int(h), d, "_", "_") for i, (f, lemma, t, h, d) in fields))


VALVES = tree("Valves valve NNS 3 nsubjpass", "were be VBD 3 auxpass", "controlled control VBN 0 root", ". . . 3 punct")


class TestText:
    def test_by_rule(self):
        assert qa.text(VALVES) == "Valves were controlled."

    def test_by_marks(self):
        tokens = [replace(token, misc="SpaceAfter=No" if token.id == 1 else "_") for token in VALVES.tokens[:3]]
        assert qa.text(tokens) == "Valveswere controlled"


def question(**changes) -> qa.Question:
    values = dict(id="q", sentence=VALVES, document="d", answer=0, answer_text="it", alternation="same")
    return qa.Question(**(values | changes))


LINE = "1\t{word}\t{word}\tNOUN\tNN\t_\t0\troot\t_\t_\n"


class TestReading:
    @staticmethod
    def write(folder, table="q1\td1\td1.s2\tit\tsame\n", documents=None, questions=None):
        documents = documents or "".join(
            f"# doc_id = d1\n# sent_id = d1.s{i}\n" + LINE.format(word=word) + "\n" for i, word in enumerate("ab", 1)
        )
        questions = questions or "# sent_id = q1\n" + LINE.format(word="what") + "\n"
        (folder / "documents.conllu").write_text(documents, encoding="utf-8")
        (folder / "questions.conllu").write_text(questions, encoding="utf-8")
        header = "id\tdocument\tanswer_sentence\tanswer\talternation\n"
        (folder / "questions.tsv").write_text(header + table, encoding="utf-8")
        return folder

    def test_good(self, tmp_path):
        found = qa.load(self.write(tmp_path))
        (question,) = found.questions
        assert (question.id, question.answer, question.answer_text) == ("q1", 1, "it")
        assert len(found.document(question)) == 2

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ("q1\td1\td1.s3\tit\tsame\n", "questions.tsv, line 2: 'd1.s3' is no sentence of document 'd1'"),
            ("q1\td2\td1.s2\tit\tsame\n", "line 2: 'd1.s2' is no sentence of document 'd2'"),
            ("q1\td1\td1.s2\tit\tmood\n", "line 2: alternation must be one of same"),
            ("q1\td1\td1.s2\tit\n", "line 2: expected 5 fields"),
            ("q1\td1\td1.s2\tit\tsame\n" * 2, "line 3: id 'q1' stands already in line 2"),
            ("q1\td1\td1.s2\tit\tsame\nq2\td1\td1.s2\tit\tsame\n", "line 3: question 'q2' has no tree"),
            ("", "no rows below the header"),
        ],
    )
    def test_bad_table(self, tmp_path, table, message):
        with pytest.raises(TaskError, match=message):
            qa.load(self.write(tmp_path, table))

    def test_bad_trees(self, tmp_path):
        with pytest.raises(TaskError, match="sentence 1 has no '# sent_id ='"):
            qa.load(self.write(tmp_path, questions=LINE.format(word="what")))
        twice = ("# sent_id = q1\n" + LINE.format(word="what") + "\n") * 2
        with pytest.raises(TaskError, match="sentence 2 has the sent_id 'q1' of an earlier one"):
            qa.load(self.write(tmp_path, questions=twice))
        with pytest.raises(TaskError, match="no '# doc_id ='"):
            qa.load(self.write(tmp_path, documents="# sent_id = d1.s1\n" + LINE.format(word="a")))


class TestScores:
    @pytest.fixture
    def questions(self) -> qa.QuestionSet:
        """Three questions on documents of five, five and one sentences."""
        long, short = qa.Document("long", (VALVES,) * 5), qa.Document("short", (VALVES,))
        return qa.QuestionSet(
            "set",
            (long, short),
            (
                question(id="a", document="long", answer=1),
                question(id="b", document="long", answer=0, alternation="voice"),
                question(id="c", document="short", answer=0),
            ),
        )

    def test_worked(self, questions):
        ranks = qa.score([[3, 2, 2, 2, 1], [3, 2, 2, 2, 1], [0.0]], questions)
        np.testing.assert_array_equal(ranks, [0.5, 1.0, np.nan])

    def test_bad_input(self, questions):
        with pytest.raises(TaskError, match="2 arrays of similarities for 3 questions"):
            qa.score([[1.0], [2.0]], questions)
        with pytest.raises(TaskError, match="question 'a' must be 5 numbers"):
            qa.score([[1.0], [2.0], [3.0]], questions)
        with pytest.raises(TaskError, match="with 1 NaN"):
            qa.score([[1, 2, 3, 4, np.nan], np.ones(5), [0.0]], questions)


def test_the_teaching_set_loads_and_has_one_answer_each():
    task = qa.load("questions")
    assert {question.alternation for question in task.questions} <= set(qa.ALTERNATIONS)
    assert min(len(document) for document in task.documents) >= 8
    assert len(task.questions) == 72
