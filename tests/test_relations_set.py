"""The teaching set data/sample/relations: what its datasheet promises holds of its files."""

from collections import Counter
from itertools import combinations

import pytest
import teaching
from teaching import length, rows_of, table, wikipedia_counts

from cdsm_lib.text.corpus import Sentence, Token, read_conllu

SET = "relations"
RELATIONS = {"acq": "acquires", "born": "was born in"}
POSITIVE = ("plain", "lexical", "subcategorisation", "nominalisation", "passive", "presupposed")
NEGATIVE = ("trap", "other relation", "topic")


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


def test_ids_and_order_agree(rows, sentences):
    assert [row["id"] for row in rows] == [sentence.comments["sent_id"] for sentence in sentences]
    number = Counter()
    for part, _, last in (row["id"].partition(".") for row in rows):
        number[part] += 1
        assert last == f"{number[part]:02}"


def test_two_relations_with_two_pairs_each_and_balanced_classes(rows):
    parts = {(row["id"].split(".")[0], row["relation"], row["pair"]) for row in rows}
    assert sorted(part for part, *_ in parts) == ["acq1", "acq2", "born1", "born2"]
    assert all(relation == RELATIONS[part[:-1]] for part, relation, _ in parts)
    assert all(row["variation"] in (POSITIVE if row["expresses"] == "1" else NEGATIVE) for row in rows)
    for pair in (pair for *_, pair in parts):
        kinds = Counter(row["variation"] for row in rows if row["pair"] == pair)
        assert kinds.total() >= 32 and 0.4 <= sum(kinds[kind] for kind in POSITIVE) / kinds.total() <= 0.6
        assert set(kinds) | {"passive"} == {*POSITIVE, *NEGATIVE}
        assert kinds["trap"] >= 8 and min(kinds[kind] for kind in POSITIVE[1:4]) >= 3


def test_both_entities_are_marked_once(rows, sentences):
    for row, sentence in zip(rows, sentences, strict=True):
        assert {token.misc for token in sentence} == {"_", "Entity=1", "Entity=2"}
        for number, name in enumerate(row["pair"].split("/"), 1):
            tokens = entity(sentence, number)
            assert " ".join(token.form for token in tokens) == name
            assert [token.id for token in tokens] == list(range(tokens[0].id, tokens[0].id + len(tokens)))
            assert sentence.comments["text"].count(name) == 1


def test_datasheet_states_the_counts(sheet, rows, sentences):
    pairs = list(dict.fromkeys(row["pair"] for row in rows))
    assert table("pair", *pairs, "all") in sheet
    labels = {"0": "not", "1": "expressing"}
    of = {pair: Counter() for pair in pairs}
    for row in rows:
        of[row["pair"]].update(["sentences", labels[row["expresses"]], row["variation"]])
    for name in ("sentences", *labels.values(), *POSITIVE, *NEGATIVE):
        cells = [of[pair][name] for pair in pairs]
        assert table(name, *cells, sum(cells)) in sheet
    lengths = [length(sentence) for sentence in sentences]
    assert 8 <= min(lengths) <= max(lengths) <= 25
    assert f"{len(rows)} sentences of {min(lengths)} to {max(lengths)} words" in sheet
    said = Counter(row["expresses"] for row in rows)
    assert f"{said['1']} sentences express the relation, {said['0']} do not" in " ".join(sheet.split())
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


def test_content_words_are_frequent(mirror, sentences):
    count = wikipedia_counts()
    words = [f"{token.lemma}|{token.upos}" for sentence in sentences for token in content(sentence)]
    frequent = [word for word in words if count(word) >= 300]
    assert len(frequent) > 0.95 * len(words)
