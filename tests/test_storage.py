"""Tests of cdsm_lib.storage: every kind of value comes back as it was, and what is not as it should be is refused."""

import io
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, is_dataclass

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import storage
from cdsm_lib.labels import Labels
from cdsm_lib.storage import StorageError, load, pack_labels, read_npz, save, unpack_labels, write_npz


@dataclass(frozen=True, eq=False)
class Cost:
    name: str
    seconds: float
    words: int | None = None


@dataclass(frozen=True, eq=False)
class Part:
    rows: Labels
    vectors: np.ndarray | sparse.csr_array
    columns: Labels | None = None

    def __post_init__(self):
        if len(self.rows) != self.vectors.shape[0]:
            raise ValueError(f"{len(self.rows)} rows, vectors {self.vectors.shape}")


@dataclass(frozen=True, eq=False)
class Tables:
    """One field of each kind."""

    corpus: str
    frequency: dict[str, int]
    by_number: dict[int, tuple[str, ...]]
    costs: list[Cost]
    parts: dict[str, Part]
    more: Mapping[str, Mapping[str, np.ndarray]]
    matrix: sparse.csr_array
    names: Sequence[str]
    pair: tuple[int, Part]
    ids: np.ndarray | None
    settings: dict
    share: float
    kept: bool = True
    nothing: Part | None = None
    meta: dict[str, str | int | float] = field(default_factory=dict)
    derived: int = field(default=0, init=False)


def dense(dtype=np.float32) -> Part:
    return Part(Labels(["a", "b"]), np.array([[1.5, -2], [0.1, 3]], dtype=dtype))


def tables(**change) -> Tables:
    values = {
        "corpus": "abc",
        "frequency": {"zebra": 3, "ant": 70_000},
        "by_number": {7: ("x", "y"), 2: ()},
        "costs": [Cost("one", 1.5, 3), Cost("two", 2.0)],
        "parts": {
            "dense": dense(),
            "sparse": Part(Labels(["c"]), sparse.csr_array(np.array([[0, 2.5, 0]])), Labels(["x", "y", "z"])),
        },
        "more": {"Count": {"a b": np.arange(3), "c.d": np.array(["é", "ö"])}, "empty": {}},
        "matrix": sparse.csr_array(np.array([[0, 300], [0, 0]], dtype=np.int32)),
        "names": ("s", "s"),
        "pair": (4, dense(np.float64)),
        "ids": None,
        "settings": {"window": 3, "deep": {"list": [1, None]}},
        "share": 0.1,
    }
    return Tables(**(values | change))


def equal(first, second) -> bool:
    """Whether two values are alike in every value and type; tuples and lists of names count alike."""
    if is_dataclass(first):
        names = [field.name for field in fields(first)]
        return type(first) is type(second) and all(equal(getattr(first, n), getattr(second, n)) for n in names)
    if sparse.issparse(first):
        return first.shape == second.shape and first.dtype == second.dtype and (first != second).nnz == 0
    if isinstance(first, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(first, second)
    if isinstance(first, dict):
        return list(first) == list(second) and all(equal(first[name], second[name]) for name in first)
    if isinstance(first, list | tuple):
        return type(first) is type(second) and len(first) == len(second) and all(map(equal, first, second))
    return type(first) is type(second) and first == second


def test_rows_in_a_byte_a_number(tmp_path):
    rows = np.array([[1.0, -0.5, 0.001], [0, 0, 0], [-254, 3, 127]], dtype=np.float32)
    path = save(Part(Labels(list("abc")), rows), tmp_path / "part.npz", small={"vectors": np.int8})
    arrays, _ = read_npz(path, "part", 1, [])
    assert arrays["vectors"].dtype == np.int8
    np.testing.assert_array_equal(arrays["vectors"], [[127, -64, 0], [0, 0, 0], [-127, 2, 64]])
    back = load(path, Part).vectors
    assert back.dtype == np.float32
    np.testing.assert_array_equal(back[1:], [[0, 0, 0], [-254, 4, 128]])
    np.testing.assert_allclose(back[0], rows[0], atol=0.5 / 127)


def test_what_stands_twice_is_stored_once(tmp_path):
    words, vectors = Labels(["a", "b"]), np.ones((2, 2))
    value = {"one": Part(words, vectors, words), "two": Part(Labels(["a", "b"]), vectors)}
    path = save(value, tmp_path / "parts.npz", kind="parts")
    assert sorted(read_npz(path, "parts", 1, [])[0]) == ["one.rows", "one.vectors"]
    back = load(path, dict[str, Part], kind="parts")
    assert equal(back, value)
    assert back["one"].rows is back["one"].columns is back["two"].rows
    assert back["one"].vectors is back["two"].vectors


def test_every_kind_of_field_comes_back_as_it_was(tmp_path):
    for compress in (True, False):
        assert equal(load(save(tables(), tmp_path / "t.npz", compress=compress), Tables), tables())
    arrays, _ = read_npz(save(tables(), tmp_path / "t.npz"), "tables", 1, [])
    assert list(tmp_path.iterdir()) == [tmp_path / "t.npz"]
    assert arrays["more.Count.a b"].dtype == np.uint8 and arrays["data"].dtype == np.uint16


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path):
    (path := tmp_path / "a.txt").write_text("old")
    with pytest.raises(KeyboardInterrupt), storage.whole_file(path) as file:
        file.write("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_type_that_cannot_be_stored_is_named(tmp_path):
    with pytest.raises(TypeError, match=r"settings\.deep is a set, which cannot be stored"):
        save(tables(settings={"deep": {1}}), tmp_path / "t.npz")
    assert list(tmp_path.iterdir()) == []


def stored(tmp_path, change, drop):
    """A file of `tables` with some arrays changed or left out."""
    path = save(tables(), tmp_path / "tables.npz")
    arrays, meta = read_npz(path, "tables", 1, [])
    arrays = {name: array for name, array in (arrays | (change or {})).items() if name not in drop}
    return write_npz(path, "tables", 1, arrays, {name: v for name, v in meta.items() if name not in drop})


@pytest.mark.parametrize(
    ("change", "drop", "message"),
    [
        ({}, ["parts.dense.vectors"], r"tables\.npz: it lacks parts\.dense\.vectors\. Make it again\."),
        ({}, ["row_lengths"], "it lacks row_lengths"),
        ({}, ["parts.sparse.rows"], r"it lacks parts\.sparse\.rows"),
        ({}, ["frequency"], "it lacks frequency"),
        ({}, ["ids"], "it lacks ids"),
        ({"other": np.zeros(1)}, [], "it also holds other, for which there is no place"),
        ({"parts.dense.rows": pack_labels(["a"])}, [], "1 rows, vectors"),
        ({"parts.dense.rows": np.frombuffer(b"a\na\n", dtype=np.uint8)}, [], "'a' occurs twice"),
        ({"indices": np.array([9], dtype=np.uint8)}, [], "indices"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused(tmp_path, change, drop, message):
    with pytest.raises(StorageError, match=message):
        load(stored(tmp_path, change, drop), Tables)


def test_a_plain_value_of_another_type_is_refused(tmp_path):
    path = write_npz(tmp_path / "cost.npz", "cost", 1, {}, {"name": 3, "seconds": 1.0, "words": None})
    with pytest.raises(StorageError, match="name is 3, not of type str"):
        load(path, Cost)


def test_another_kind_another_version_and_a_missing_file_are_refused(tmp_path):
    path = save(Cost("a", 1.0), tmp_path / "cost.npz")
    with pytest.raises(StorageError, match="it holds 'cost', not 'part'"):
        load(path, Part)
    with pytest.raises(StorageError, match="its format is version 1; this library reads version 2"):
        load(path, Cost, version=2)
    with pytest.raises(FileNotFoundError, match=r"absent\.npz: no such file\. Count again"):
        load(tmp_path / "absent.npz", Cost, remedy="Count again.")


def flipped(whole: bytes) -> bytes:
    """One bit of the vectors turned over."""
    place = whole.index(b"vectors.npy") + 160
    return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


def packed(meta: str) -> bytes:
    """A file of ours with another header."""
    np.savez(sink := io.BytesIO(), kind=storage.pack_text("part"), version=1, meta=storage.pack_text(meta))
    return sink.getvalue()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda whole: whole[:-40], "truncated"),
        (lambda whole: whole[:100], "truncated"),
        (flipped, "truncated or altered"),
        (lambda _: b"dog 0.1 0.2\n", "no .npz file of ours"),
        (lambda _: b"\x80\x04K\x01.", "no .npz file of ours"),
        *((lambda _, meta=meta: packed(meta), "no .npz") for meta in ("[" * 100_000, "9" * 5000, "no JSON")),
    ],
)
def test_a_damaged_or_foreign_file_is_refused(tmp_path, damage, message):
    path = save(dense(), tmp_path / "part.npz", compress=False)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(StorageError, match=message):
        load(path, Part)


def test_labels_are_one_a_line():
    assert unpack_labels(pack_labels(["é", ""])) == Labels(["é", ""])
    with pytest.raises(ValueError, match=r"'a\\nb' holds a line break"):
        pack_labels(["a\nb"])


def test_of_two_that_make_the_same_folder_the_second_waits(tmp_path):
    def made(text: str) -> None:
        with storage.whole_folder(tmp_path / "corpus") as fresh:
            for name in "ab":
                (fresh / name).write_text(text)

    with ThreadPoolExecutor() as pool:
        list(pool.map(made, map(str, range(20))))
    a, b = ((tmp_path / "corpus" / name).read_text() for name in "ab")
    assert a == b and [path.name for path in tmp_path.iterdir()] == ["corpus"]


def test_nothing_beside_a_folder_is_touched_that_is_not_of_its_making(tmp_path):
    for name in (".work.old", ".work.making", ".homework.cdsm-making"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis.tex").write_text("years of work")
    for text in ("one", "two"):
        with storage.whole_folder(tmp_path / "work") as fresh:
            (fresh / "part").write_text(text)
    assert len(list(tmp_path.rglob("thesis.tex"))) == 3 and (tmp_path / "work" / "part").read_text() == "two"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no device that is always full")
@pytest.mark.parametrize("write", [lambda full: full.write(bytes(99_999)), np.ones(99_999).tofile])
def test_without_room_the_place_is_named_and_nothing_is_left(tmp_path, write):
    with pytest.raises(OSError) as told, storage.whole_folder(tmp_path / "deposit"), open("/dev/full", "wb") as full:
        write(full)
    assert told.value.filename == str(tmp_path / "deposit") and list(tmp_path.iterdir()) == []
