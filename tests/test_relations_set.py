"""The teaching set data/sample/relations: what its datasheet promises holds of its files."""

from collections import Counter
from itertools import combinations

import teaching
from teaching import length, rows_of, table, wikipedia_counts

from cdsm_lib import datasets
from cdsm_lib.text.corpus import Sentence, Token, read_trees

SET = "relations"
POSITIVE = ("plain", "lexical", "subcategorisation", "nominalisation", "passive", "presupposed")
NEGATIVE = ("trap", "other relation", "topic")
FOLDER = datasets.sample_path(SET)
ROWS = rows_of(FOLDER / "sentences.tsv", "id relation pair expresses variation")
SENTENCES = read_trees(FOLDER / "relations.conllu")
PAIRS = list(dict.fromkeys(row["pair"] for row in ROWS))


def content(sentence: Sentence) -> list[Token]:
    """Content words, without the names of the pair."""
    return [token for token in teaching.content(sentence) if token.misc == "_"]


def test_ids_and_relations_agree():
    assert [row["id"] for row in ROWS] == list(SENTENCES) and len(PAIRS) == 4
    assert {(row["id"][:3], row["relation"]) for row in ROWS} == {("acq", "acquires"), ("bor", "was born in")}


def test_classes_are_balanced_and_every_kind_is_there():
    assert all(row["variation"] in (NEGATIVE, POSITIVE)[int(row["expresses"])] for row in ROWS)
    for pair in PAIRS:
        kinds = Counter(row["variation"] for row in ROWS if row["pair"] == pair)
        assert kinds.total() >= 32 and 0.4 <= sum(kinds[kind] for kind in POSITIVE) / kinds.total() <= 0.6
        assert set(kinds) | {"passive"} == {*POSITIVE, *NEGATIVE}
        assert kinds["trap"] >= 8 and min(kinds[kind] for kind in POSITIVE[1:4]) >= 3


def test_both_entities_are_marked_once():
    for row in ROWS:
        sentence = SENTENCES[row["id"]]
        assert {token.misc for token in sentence} == {"_", "Entity=1", "Entity=2"}
        for number, name in enumerate(row["pair"].split("/"), 1):
            tokens = [token for token in sentence if token.misc == f"Entity={number}"]
            assert " ".join(token.form for token in tokens) == name and sentence.comments["text"].count(name) == 1
            assert tokens[-1].id - tokens[0].id == len(tokens) - 1


def test_datasheet_states_the_counts(sheet):
    assert table("pair", *PAIRS, "all") in sheet
    labels = {"0": "not", "1": "expressing"}
    counts = {pair: Counter() for pair in PAIRS}
    for row in ROWS:
        counts[row["pair"]].update(["sentences", labels[row["expresses"]], row["variation"]])
    for name in ("sentences", *labels.values(), *POSITIVE, *NEGATIVE):
        cells = [counts[pair][name] for pair in PAIRS]
        assert table(name, *cells, sum(cells)) in sheet
    lengths = [length(sentence) for sentence in SENTENCES.values()]
    assert 8 <= min(lengths) <= max(lengths) <= 25
    assert f"{len(ROWS)} sentences of {min(lengths)} to {max(lengths)} words" in sheet
    said = Counter(row["expresses"] for row in ROWS)
    assert f"{said['1']} sentences express the relation, {said['0']} do not" in " ".join(sheet.split())
    assert all(f"\n| {kind} | {int(kind in POSITIVE)} |" in sheet for kind in (*POSITIVE, *NEGATIVE))


def test_no_near_duplicates():
    """No two sentences of a pair share more than six tenths of the content lemmas of the one that has fewer."""
    lemmas = {id: {token.lemma for token in content(sentence)} for id, sentence in SENTENCES.items()}
    for a, b in combinations(ROWS, 2):
        first, second = lemmas[a["id"]], lemmas[b["id"]]
        assert a["pair"] != b["pair"] or len(first & second) <= 0.6 * min(len(first), len(second)), (a, b)


def test_content_words_are_frequent(mirror):
    count = wikipedia_counts()
    words = [f"{token.lemma}|{token.upos}" for sentence in SENTENCES.values() for token in content(sentence)]
    assert sum(count(word) >= 300 for word in words) > 0.95 * len(words)
