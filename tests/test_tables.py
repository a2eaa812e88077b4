"""Tests of cdsm_lib.tables: what is read, and that everything else is refused with file, line and remedy."""

import io

import pytest

import cdsm_lib
from cdsm_lib import datasets
from cdsm_lib.tables import YES_NO, TaskError, number, positive, read_lines, read_table, whole
from cdsm_lib.text import corpus, own_corpus

COLUMNS = ("id", "pos", "count", "kept")
KINDS = {"pos": ("NOUN", "VERB"), "count": whole, "kept": YES_NO}
HEADER = "id\tpos\tcount\tkept\n"


@pytest.fixture
def table(tmp_path):
    """Write a table and read it."""

    def read(text: str | bytes, columns=COLUMNS, kinds=KINDS, **options):
        path = tmp_path / "items.tsv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, columns, kinds, **options)

    return read


def test_rows_with_their_lines(table):
    assert table(f"{HEADER}a\tNOUN\t12\t1\nb\tVERB\t0\t0\n") == [
        (2, {"id": "a", "pos": "NOUN", "count": 12, "kept": True}),
        (3, {"id": "b", "pos": "VERB", "count": 0, "kept": False}),
    ]


def test_fields_are_text_where_no_kind_is_given_quotes_mean_nothing_and_the_header_may_say_otherwise(table):
    assert table('a\tb\n"1\t2"\n', ("a", "b"), None) == [(2, {"a": '"1', "b": '2"'})]
    options = {"header": ("#1 ID", "Text"), "may_be_empty": ["text"]}
    assert table("#1 ID\tText\n7\t\n", ("id", "text"), {"id": whole}, **options) == [(2, {"id": 7, "text": ""})]


@pytest.mark.parametrize("text", ["\ufeffa\tb\n1\t2\n", "a\tb\r\n1\t2\r\n", "a\tb\n1\t2"])
def test_byte_order_mark_line_ends_and_the_last_line_end_make_no_difference(table, text):
    assert table(text, ("a", "b"), None) == [(2, {"a": "1", "b": "2"})]


def test_only_a_line_feed_ends_a_row(table):
    assert table("a\tb\nx\x0by\tz\u2028\x85\n", ("a", "b"), None) == [(2, {"a": "x\x0by", "b": "z\u2028\x85"})]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"items\.tsv, line 1: the header must be id<tab>pos<tab>count<tab>kept; the file is empty"),
        ("id\tpos\n", r"line 1: the header must be .*; the file begins otherwise"),
        (HEADER, r"items\.tsv: no rows below the header"),
        (f"{HEADER}a\tNOUN\t1\n", r"line 2: expected 4 fields between tabs, .*, none empty; found 'a\\tNOUN\\t1'"),
        (f"{HEADER}a\tNOUN\t1\t1\tx\n", "line 2: expected 4 fields"),
        (f"{HEADER}a\tNOUN\t1\t1\n \tNOUN\t1\t1\n", "line 3: expected 4 fields"),
        (f"{HEADER}a\tNOUN\t1\t1\n\n", "line 3: expected 4 fields"),
        (f"{HEADER}a\tADJ\t1\t1\n", "line 2: pos must be one of NOUN, VERB, found 'ADJ'"),
        (f"{HEADER}a\tNOUN\t-1\t1\n", "line 2: count must be a whole number of at most 18 digits, found '-1'"),
        (f"{HEADER}a\tNOUN\t{'9' * 5000}\t1\n", r"at most 18 digits, found '9{100,300} \.\.\. 9{200,300}'$"),
        (f"{HEADER}a\tNOUN\t²\t1\n", "line 2: count must be a whole number"),
        (f"{HEADER}a\tNOUN\t1\tyes\n", "line 2: kept must be one of 0, 1, found 'yes'"),
        (HEADER.encode() + b"\xff", r"items\.tsv, line 2: not UTF-8 \(invalid start byte\); save the file"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(table, text, message):
    with pytest.raises(TaskError, match=message):
        table(text)


DOORS = [
    cdsm_lib.open_corpus, cdsm_lib.read_pairs, cdsm_lib.read_vectors, cdsm_lib.Space.load, datasets.sample_path,
    lambda path: cdsm_lib.compile_corpus(path, "mine"), cdsm_lib.Space(["a"], [[1]]).save, corpus.read_trees,
    own_corpus.sources, lambda path: list(own_corpus.read(path)), read_lines,
]  # fmt: skip


@pytest.mark.parametrize("given", [io.BytesIO(b"a"), b"a.txt", None, 3])
def test_what_is_no_path_is_refused_at_every_door(given):
    for door in DOORS:
        with pytest.raises(TypeError, match=f"is a {type(given).__name__}, where one path is meant"):
            door(given)


def test_a_key_stands_once(table):
    text = "a\tb\n1\tx\n1\ty\n1\tx\n"
    assert len(table(text, ("a", "b"), None)) == 3
    with pytest.raises(TaskError, match=r"line 3: a '1' stands already in line 2; keep one row"):
        table(text, ("a", "b"), None, key="a")
    with pytest.raises(TaskError, match=r"line 4: a '1', b 'x' stands already in line 2"):
        table(text, ("a", "b"), None, key=("a", "b"))


def test_numbers_and_what_is_none():
    assert [number(text) for text in ("-1.5", "3", "1e-3")] == [-1.5, 3, 0.001] and positive("10") == 10
    none = {number: ("x", "", "nan", "inf", "-inf"), positive: ("0", "01", "-1", "x", "")}
    for kind, texts in none.items():
        for text in texts:
            with pytest.raises(ValueError, match="number"):
                kind(text)
