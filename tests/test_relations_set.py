"""The teaching set data/sample/relations: what its datasheet promises holds of its files."""

import re
from collections import Counter
from itertools import combinations

import pytest
import teaching
from teaching import length, rows_of, runs, texts_of, wikipedia_counts

from cdsm_lib.text.corpus import Sentence, Token, read_conllu

SET = "relations"
RELATIONS = {"acq": "acquires", "born": "was born in"}
POSITIVE = ("plain", "lexical", "subcategorisation", "nominalisation", "passive", "presupposed")
NEGATIVE = ("trap", "other relation", "topic")
RUN = 4  # so many running words are quoted from somewhere


@pytest.fixture(scope="module")
def rows(folder) -> list[dict[str, str]]:
    return rows_of(folder / "sentences.tsv", "id relation pair expresses variation")


@pytest.fixture(scope="module")
def sentences(folder) -> list[Sentence]:
    return list(read_conllu(folder / "relations.conllu"))


def entity(sentence: Sentence, number: int) -> list[Token]:
    return [token for token in sentence if token.misc == f"Entity={number}"]


def content(sentence: Sentence) -> list[Token]:
    """Content words, without the names of the pair."""
    return [token for token in teaching.content(sentence) if token.misc == "_"]


def shared(first: Sentence, second: Sentence) -> float:
    """Share of common lemmas among the content lemmas of the sentence that has fewer."""
    a, b = ({token.lemma for token in content(sentence)} for sentence in (first, second))
    return len(a & b) / min(len(a), len(b))


def test_ids_texts_and_order_agree(rows, sentences):
    assert [row["id"] for row in rows] == [sentence.comments["sent_id"] for sentence in sentences]
    number = Counter()
    for row in rows:
        part = row["id"].split(".")[0]
        number[part] += 1
        assert row["id"] == f"{part}.{number[part]:02}"
    texts_of(sentences)


def test_two_relations_with_two_pairs_each(rows):
    parts = {(row["id"].split(".")[0], row["relation"], row["pair"]) for row in rows}
    assert sorted(part for part, *_ in parts) == ["acq1", "acq2", "born1", "born2"]
    assert all(relation == RELATIONS[part[:-1]] for part, relation, _ in parts)
    assert len({pair for *_, pair in parts}) == 4


def test_size_and_classes(rows):
    assert len(rows) >= 128
    for pair in {row["pair"] for row in rows}:
        labels = [row["expresses"] for row in rows if row["pair"] == pair]
        assert len(labels) >= 32
        assert set(labels) == {"0", "1"}
        assert 0.4 <= labels.count("1") / len(labels) <= 0.6


def test_variation_types(rows):
    assert all(row["variation"] in (POSITIVE if row["expresses"] == "1" else NEGATIVE) for row in rows)
    for pair in {row["pair"] for row in rows}:
        counts = Counter(row["variation"] for row in rows if row["pair"] == pair)
        assert set(counts) | {"passive"} == {*POSITIVE, *NEGATIVE}
        assert counts["trap"] >= 8
        assert min(counts[kind] for kind in POSITIVE[1:4]) >= 3


def test_both_entities_are_marked_once(rows, sentences):
    for row, sentence in zip(rows, sentences, strict=True):
        assert {token.misc for token in sentence} == {"_", "Entity=1", "Entity=2"}
        for number, name in enumerate(row["pair"].split("/"), 1):
            tokens = entity(sentence, number)
            assert " ".join(token.form for token in tokens) == name
            assert [token.id for token in tokens] == list(range(tokens[0].id, tokens[0].id + len(tokens)))
            assert sentence.comments["text"].count(name) == 1


def test_datasheet_states_the_counts(sheet, rows, sentences):
    def counts(of: list[dict[str, str]]) -> list[int]:
        kinds = Counter(row["variation"] for row in of)
        labels = Counter(row["expresses"] for row in of)
        return [len(of), labels["1"], labels["0"], *(kinds[kind] for kind in (*POSITIVE, *NEGATIVE))]

    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    columns = [counts([row for row in rows if row["pair"] == pair]) for pair in pairs] + [counts(rows)]
    assert f"| pair | {' | '.join(pairs)} | all |" in sheet
    names = ("sentences", "expressing", "not", *POSITIVE, *NEGATIVE)
    for name, cells in zip(names, zip(*columns, strict=True), strict=True):
        assert f"| {name} | {' | '.join(map(str, cells))} |" in sheet
    lengths = [length(sentence) for sentence in sentences]
    assert 8 <= min(lengths) <= max(lengths) <= 25
    assert f"{len(rows)} sentences of {min(lengths)} to {max(lengths)} words" in sheet
    labels = Counter(row["expresses"] for row in rows)
    assert f"{labels['1']} sentences express the relation, {labels['0']} do not" in " ".join(sheet.split())
    for kind in (*POSITIVE, *NEGATIVE):
        assert f"\n| {kind} | {int(kind in POSITIVE)} |" in sheet
    assert Counter(row["variation"] for row in rows)["trap"] > len(rows) / 4


def test_no_near_duplicates(rows, sentences):
    found = [
        (a["id"], b["id"])
        for (a, first), (b, second) in combinations(zip(rows, sentences, strict=True), 2)
        if a["pair"] == b["pair"] and shared(first, second) > 0.6
    ]
    assert found == []


def test_nothing_is_quoted_from_the_real_sentences(mirror, rows, sentences):
    lines = (mirror / "relation_banko2008" / "hlt-naacl08-data.txt").read_text(encoding="utf-8").splitlines()
    with_names = {run for line in lines for run in runs(re.sub(r"</?p\d>", " ", line), RUN)}
    without = {run for line in lines for run in runs(re.sub(r"<p(\d)>.*?</p\1>", " ", line), RUN)}
    assert min(len(with_names), len(without)) > 1000
    for row, sentence in zip(rows, sentences, strict=True):
        text = sentence.comments["text"]
        assert not runs(text, RUN) & with_names, row["id"]
        for name in row["pair"].split("/"):
            text = text.replace(name, " ")
        assert not runs(text, RUN) & without, row["id"]


def test_content_words_are_frequent(mirror, sentences):
    count = wikipedia_counts()
    words = [f"{token.lemma}|{token.upos}" for sentence in sentences for token in content(sentence)]
    frequent = [word for word in words if count(word) >= 300]
    assert len(frequent) > 0.95 * len(words)
