"""data/sample/questions: what the datasheet promises holds of the documents, the questions and their parses."""

import re
from collections import Counter

import pytest
from teaching import content, length, rows_of, table, wikipedia_counts

from cdsm_lib import datasets
from cdsm_lib.composition.overlap import content_lemmas, overlap
from cdsm_lib.text.corpus import Sentence, read_conllu
from cdsm_lib.text.counts import CONTENT_TAGS

ALTERNATIONS = ("same", "voice", "verb", "voice and verb", "nominalisation")
SET = "questions"
INVENTED = {"tarsin", "calvidone", "mirolin", "palvidin"}
RARE = 300  # occurrences in the parsed Wikipedia
ATTESTED = 30  # occurrences in GENIA's raw abstracts


@pytest.fixture(scope="module")
def sentences(folder) -> dict[str, Sentence]:
    return {s.comments["sent_id"]: s for s in read_conllu(folder / "documents.conllu")}


@pytest.fixture(scope="module")
def questions(folder) -> dict[str, Sentence]:
    return {s.comments["sent_id"]: s for s in read_conllu(folder / "questions.conllu")}


@pytest.fixture(scope="module")
def documents(sentences) -> dict[str, list[str]]:
    """The ids of each document's sentences."""
    found: dict[str, list[str]] = {}
    for name, sentence in sentences.items():
        found.setdefault(sentence.comments["doc_id"], []).append(name)
    return found


@pytest.fixture(scope="module")
def rows(folder) -> list[dict[str, str]]:
    return rows_of(folder / "questions.tsv", "id document answer_sentence answer alternation")


@pytest.fixture(scope="module")
def domain_words(sheet) -> set[str]:
    """The words of the datasheet's table of domain words."""
    section = sheet.split("## Domain words", 1)[1].split("\n## ", 1)[0]
    return {line.split("|")[1].strip() for line in section.splitlines() if re.match(r"\| [a-z]+ \| \d", line)}


def rivals(rows, sentences, documents, questions) -> dict[str, int]:
    """By question: -1 if overlap puts the answer sentence alone on top, 0 if another ties, 1 if one beats it."""
    by_question = {}
    for row in rows:
        question = content_lemmas(questions[row["id"]])
        scores = {name: overlap(question, content_lemmas(sentences[name])) for name in documents[row["document"]]}
        answer = scores.pop(row["answer_sentence"])
        best = max(scores.values())
        by_question[row["id"]] = (best > answer) - (best < answer)
    return by_question


def test_size_and_ids(documents, rows, sentences, questions):
    assert list(documents) == [f"d{i:02}" for i in range(1, len(documents) + 1)] and len(documents) >= 16
    for name, ids in documents.items():
        assert ids == [f"{name}.s{i}" for i in range(1, len(ids) + 1)] and 8 <= len(ids) <= 11
    assert [row["id"] for row in rows] == [f"q{i:02}" for i in range(1, len(rows) + 1)] == list(questions)
    assert Counter(row["document"] for row in rows) == dict.fromkeys(documents, 4)
    assert all(8 <= length(sentence) <= 22 for sentence in sentences.values())
    alternations = Counter(row["alternation"] for row in rows)
    assert set(alternations) == set(ALTERNATIONS) and min(alternations.values()) >= 10


def test_the_answer_stands_in_its_sentence_and_not_in_the_question(rows, sentences, documents, questions):
    for row in rows:
        assert row["answer_sentence"] in documents[row["document"]]
        assert row["answer"] and row["answer"] in sentences[row["answer_sentence"]].comments["text"]
        assert row["answer"].lower() not in questions[row["id"]].comments["text"].lower()
    assert len({(row["answer_sentence"], row["answer"]) for row in rows}) == len(rows)


def test_the_parses_agree_with_the_alternation(rows, questions, sentences):
    """The voice of question and answer sentence, and whether they share the verb."""
    for row in rows:
        question, answer = questions[row["id"]], sentences[row["answer_sentence"]]
        asked = next(t for t in question if t.head == 0)
        assert asked.upos == "VERB", row["id"]
        same_verb = [t for t in answer if t.lemma == asked.lemma and t.upos == "VERB"]
        passive = any(t.deprel == "auxpass" for t in question)
        if row["alternation"] in ("same", "voice"):
            verb_passive = any(t.head == same_verb[0].id and t.deprel == "auxpass" for t in answer)
            assert (passive == verb_passive) == (row["alternation"] == "same"), row["id"]
        elif row["alternation"] == "nominalisation":
            assert not any(t.lemma == asked.lemma and t.deprel == "root" for t in answer), row["id"]
            assert {"of", "by"} <= {t.lemma for t in answer}, row["id"]
        else:
            assert not same_verb, row["id"]
            main_passive = any(t.deprel == "auxpass" for t in answer)
            assert (passive == main_passive) == (row["alternation"] == "verb"), row["id"]


def missing(question: Sentence) -> str:
    """Which argument a question asks for, by the dependency of its question word."""
    asked = next(t for t in question if t.lemma in ("what", "which"))
    role = asked.deprel if asked.lemma == "what" else question.tokens[asked.head - 1].deprel
    return {"dobj": "object", "nsubjpass": "object", "nsubj": "subject", "pobj": "subject"}[role]


def test_datasheet_states_the_counts(sheet, rows, sentences, documents, questions):
    found = rivals(rows, sentences, documents, questions)
    total = Counter()
    for alternation in ALTERNATIONS:
        alike = [row["id"] for row in rows if row["alternation"] == alternation]
        asked = Counter(missing(questions[name]) for name in alike)
        rival = Counter(found[name] for name in alike)
        counts = [len(alike), asked["subject"], asked["object"], rival[-1], rival[0], rival[1]]
        assert table(alternation, *counts) in sheet
        total.update(dict(enumerate(counts)))
    assert table("all", *(total[i] for i in range(6))) in sheet
    assert f"{len(documents)} documents, {len(sentences)} sentences, {len(rows)} questions" in " ".join(sheet.split())
    assert f"imperfect on {total[4] + total[5]} of the {total[0]} questions" in " ".join(sheet.split())
    assert 0.3 <= (total[4] + total[5]) / total[0] <= 0.7  # word overlap is to be put to a test


def test_domain_words_are_five_to_ten_per_cent_of_the_content_words(sheet, sentences, domain_words):
    tokens = [token.lemma for s in sentences.values() for token in content(s)]
    n = sum(lemma in domain_words for lemma in tokens)
    assert 0.05 <= n / len(tokens) <= 0.1
    assert f"{n} of the {len(tokens)} content words" in " ".join(sheet.split())
    used = Counter(tokens)
    assert [word for word in domain_words if f"| {word} | {used[word]} |" not in sheet or not used[word]] == []
    assert [word for word in INVENTED if word.capitalize() not in sheet or not used[word]] == []


def test_domain_words_are_rare_in_wikipedia_and_all_others_frequent(mirror, sheet, sentences, domain_words):
    count = wikipedia_counts()
    used = Counter((token.lemma, token.upos) for s in sentences.values() for token in content(s))
    best = {lemma: max(count(f"{lemma}|{tag}") for tag in CONTENT_TAGS) for lemma, _ in used}
    assert {lemma for lemma, n in best.items() if n < RARE} == domain_words | INVENTED
    rare_labels = sum(n for (lemma, tag), n in used.items() if best[lemma] >= RARE and count(f"{lemma}|{tag}") < RARE)
    assert rare_labels <= 0.01 * sum(used.values())  # the tagger's slips


def test_domain_words_are_attested_in_genia(mirror, sheet, domain_words):
    parsed = read_conllu(datasets.fetch("genia", "genia_raw.conllu.xz"))
    found = Counter(token.lemma.lower() for sentence in parsed for token in sentence)
    assert not INVENTED & set(found)
    for word in domain_words:
        assert found[word] >= ATTESTED and re.search(rf"\| {word} \| \d+ \| \d+ \| {found[word]} \|", sheet), word
