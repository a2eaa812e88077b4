"""data/sample/questions: what the datasheet promises holds of the documents, the questions and their parses."""

import re
from collections import Counter

import numpy as np
import pytest
from teaching import content, length, rows_of, table, wikipedia_counts

from cdsm_lib import datasets
from cdsm_lib.composition.overlap import content_lemmas, overlap
from cdsm_lib.tasks import question_answering as qa
from cdsm_lib.text.corpus import Sentence, read_conllu, read_trees
from cdsm_lib.text.counts import CONTENT_TAGS

SET = "questions"
FOLDER, TASK = datasets.sample_path(SET), qa.load(SET)
ROWS = rows_of(FOLDER / "questions.tsv", "id document answer_sentence answer alternation")
SENTENCES = read_trees(FOLDER / "documents.conllu")
INVENTED = {"tarsin", "calvidone", "mirolin", "palvidin"}
RARE = 300  # occurrences in the parsed Wikipedia
ATTESTED = 30  # occurrences in GENIA's raw abstracts


@pytest.fixture(scope="module")
def domain_words(sheet) -> set[str]:
    """The words of the datasheet's table of domain words."""
    section = sheet.split("## Domain words", 1)[1].split("\n## ", 1)[0]
    return {line.split("|")[1].strip() for line in section.splitlines() if re.match(r"\| [a-z]+ \| \d", line)}


def test_size_and_ids():
    for document in TASK.documents:
        ids = [sentence.comments["sent_id"] for sentence in document.sentences]
        assert ids == [f"{document.id}.s{i}" for i in range(1, len(ids) + 1)] and 8 <= len(ids) <= 11
    assert len(ROWS) >= 64
    assert Counter(row["document"] for row in ROWS) == dict.fromkeys([d.id for d in TASK.documents], 4)
    assert all(8 <= length(sentence) <= 22 for sentence in SENTENCES.values())
    alternations = Counter(row["alternation"] for row in ROWS)
    assert set(alternations) == set(qa.ALTERNATIONS) and min(alternations.values()) >= 10


def is_passive(sentence: Sentence, verb: int | None = None) -> bool:
    return any(token.deprel == "auxpass" and verb in (None, token.head) for token in sentence)


@pytest.mark.parametrize(("row", "question"), [*zip(ROWS, TASK.questions, strict=True)])
def test_answers_and_parses_agree_with_the_alternation(row, question):
    """The answer stands in its sentence alone; the voice of question and sentence, and whether they share the verb."""
    kind, answer = row["alternation"], SENTENCES[row["answer_sentence"]]
    assert row["answer"] in answer.comments["text"]
    assert row["answer"].lower() not in question.sentence.comments["text"].lower()
    assert [(r["answer_sentence"], r["answer"]) for r in ROWS].count((row["answer_sentence"], row["answer"])) == 1
    (asked,) = (token for token in question.sentence if token.head == 0)
    shared = [token for token in answer if (token.lemma, token.upos) == (asked.lemma, "VERB")]
    if kind == "nominalisation":
        assert not any(token.deprel == "root" for token in shared)
        assert {"of", "by"} <= {token.lemma for token in answer}
    else:
        assert asked.upos == "VERB" and bool(shared) == (kind in ("same", "voice"))
        alike = is_passive(question.sentence) == is_passive(answer, shared[0].id if shared else None)
        assert alike == (kind in ("same", "verb"))


def missing(question: Sentence) -> str:
    """Which argument a question asks for, by the dependency of its question word."""
    asked = next(t for t in question if t.lemma in ("what", "which"))
    role = asked.deprel if asked.lemma == "what" else question.tokens[asked.head - 1].deprel
    return {"dobj": "object", "nsubjpass": "object", "nsubj": "subject", "pobj": "subject"}[role]


def rival(question: qa.Question) -> int:
    """-1 if overlap puts the answer sentence alone on top, 0 if another ties, 1 if one beats it."""
    asked = content_lemmas(question.sentence)
    scores = [overlap(asked, content_lemmas(sentence)) for sentence in TASK.document(question).sentences]
    answer = scores.pop(question.answer)
    return (max(scores) > answer) - (max(scores) < answer)


def test_datasheet_states_the_counts(sheet):
    total, text = np.zeros(6, int), " ".join(sheet.split())
    for alternation in qa.ALTERNATIONS:
        alike = [question for question in TASK.questions if question.alternation == alternation]
        asked, rivals = Counter(missing(q.sentence) for q in alike), Counter(map(rival, alike))
        counts = [len(alike), asked["subject"], asked["object"], rivals[-1], rivals[0], rivals[1]]
        assert table(alternation, *counts) in sheet
        total += counts
    assert table("all", *total) in sheet
    assert f"{len(TASK.documents)} documents, {len(SENTENCES)} sentences, {len(ROWS)} questions" in text
    assert f"imperfect on {total[4] + total[5]} of the {total[0]} questions" in text
    assert 0.3 <= (total[4] + total[5]) / total[0] <= 0.7  # word overlap is to be put to a test


def test_domain_words_are_five_to_ten_per_cent_of_the_content_words(sheet, domain_words):
    used = Counter(token.lemma for s in SENTENCES.values() for token in content(s))
    n = sum(used[word] for word in domain_words)
    assert 0.05 <= n / used.total() <= 0.1 and f"{n} of the {used.total()} content words" in " ".join(sheet.split())
    assert [word for word in domain_words if f"| {word} | {used[word]} |" not in sheet or not used[word]] == []
    assert [word for word in INVENTED if word.capitalize() not in sheet or not used[word]] == []


def test_domain_words_are_rare_in_wikipedia_and_all_others_frequent(mirror, domain_words):
    count = wikipedia_counts()
    used = Counter((token.lemma, token.upos) for s in SENTENCES.values() for token in content(s))
    best = {lemma: max(count(f"{lemma}|{tag}") for tag in CONTENT_TAGS) for lemma, _ in used}
    assert {lemma for lemma, n in best.items() if n < RARE} == domain_words | INVENTED
    rare_labels = sum(n for (lemma, tag), n in used.items() if best[lemma] >= RARE and count(f"{lemma}|{tag}") < RARE)
    assert rare_labels <= 0.01 * used.total()  # the tagger's slips


def test_domain_words_are_attested_in_genia(mirror, sheet, domain_words):
    parsed = read_conllu(datasets.fetch("genia", "genia_raw.conllu.xz"))
    used = Counter(token.lemma.lower() for sentence in parsed for token in sentence)
    assert INVENTED.isdisjoint(used)
    for word in domain_words:
        assert used[word] >= ATTESTED and re.search(rf"\| {word} \| \d+ \| \d+ \| {used[word]} \|", sheet), word
