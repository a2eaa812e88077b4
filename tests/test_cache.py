"""Tests of cdsm_lib.cache: what is made again and what is not, whole or not at all, one process at a time."""

import functools
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numba import njit
from scipy import sparse

from cdsm_lib import cache, datasets
from cdsm_lib.labels import Labels
from cdsm_lib.storage import StorageError

calls = []
FACTOR = 3
TABLE = {"double": lambda x: 2 * x}
computed = {}


@dataclass(frozen=True)
class Table:
    """A value as the chapters have them."""

    rows: Labels
    values: np.ndarray

    def scaled(self, by: float) -> "Table":
        """A method on which a value depends."""
        return Table(self.rows, self.values * by)


@njit
def compiled(x):
    return x + 1


@functools.cache
def remembered(x):
    return x + FACTOR


def helper(x):
    """A function far below the maker."""
    return remembered(x) + compiled(x) + TABLE["double"](x)


def make(n: int, rows: Sequence[str] = ("a", "b")) -> Table:
    """Make a table."""
    calls.append(n)
    computed[n] = True
    return Table(Labels(rows), np.full(len(rows), float(helper(n)))).scaled(1.0)


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """An empty cache, and no calls."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    calls.clear()


def ask(*arguments, **options) -> int:
    """How often the maker has been called after asking for the value."""
    cache.cached(make, *arguments, name="room/table", **options)
    return len(calls)


def files() -> list[str]:
    folder = datasets.cache_folder() / "room"
    return sorted(path.suffix for path in folder.iterdir() if path.suffix != ".lock")


def test_a_value_is_made_once_and_read_from_then_on():
    first, second = (cache.timed(make, 5, name="room/table") for _ in range(2))
    assert calls == [5]
    assert second.value.rows == first.value.rows == Labels(["a", "b"])
    np.testing.assert_array_equal(second.value.values, [24.0, 24.0])
    assert second.seconds == first.seconds >= 0
    assert files() == [".json", ".npz"]


def test_settings_and_data_count():
    counts = [ask(5), ask(6), ask(5, ["a"]), ask(5, rows=["a", "b"]), ask(5, rows=("a", "b")), ask(5)]
    assert counts == [1, 2, 3, 4, 4, 4]


def test_what_it_depends_on_takes_the_place_of_the_arguments(tmp_path):
    file = tmp_path / "data.txt"
    file.write_text("one")
    assert [ask(5, depends=["seed", file]), ask(6, depends=["seed", file])] == [1, 1]
    file.write_text("two, and longer")
    assert [ask(5, depends=["seed", file]), ask(5, depends=["other", file])] == [2, 3]


def changed_helper(x):
    return remembered(x) + compiled(x) + TABLE["double"](x) + 0


@functools.cache
def changed_remembered(x):
    return x + FACTOR + 0


@njit
def changed_compiled(x):
    return x + 1 + 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("helper", changed_helper),
        ("remembered", changed_remembered),
        ("compiled", changed_compiled),
        ("FACTOR", 4),
        ("TABLE", {"double": lambda x: x + x}),
    ],
)
def test_a_change_of_anything_below_the_maker_makes_it_again(monkeypatch, name, value):
    ask(5)
    monkeypatch.setitem(globals(), name, value)
    assert ask(5) == 2


def test_a_changed_method_and_a_changed_base_count(monkeypatch):
    ask(5)
    monkeypatch.setattr(Table, "scaled", lambda self, by: self)
    assert ask(5) == 2


def test_what_was_computed_does_not_count_but_versions_do(monkeypatch):
    before = cache.code_of(make)
    computed[0] = "something else"
    assert cache.code_of(make) == before
    monkeypatch.setattr(cache, "version", lambda name: "0.0")
    assert cache.code_of(make) != before


SOURCE = '''
from cdsm_lib import labels
from cdsm_lib.storage import pack_labels
LEAST = 2
class Base:
    def least(self): return LEAST
class Counter(Base):
    start = 1
    @property
    def double(self): return 2 * self.start
    @staticmethod
    def plain(x): return x
def below(x, by=2):
    return [labels.Labels(x), pack_labels(x), Counter().least(), by]
def make(x) -> list:
    """Make it."""
    from cdsm_lib.tables import whole
    def inner(y): return below(y), whole("1")
    return [inner(y) for y in x if y in {"a", "b", "c"}]
'''


def code(text: str = SOURCE) -> str:
    space = {"__name__": "a_chapter"}
    exec(compile(text, "a_chapter.py", "exec"), space)
    return cache.code_of(space["make"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Make it."""', '"""Make it,\n\n    differently said."""  # and a comment'),
        ("def below(x, by=2):\n", "# above\n\n\ndef below(x, by=2):\n    'A docstring where none was.'\n"),
        ("class Base:\n", "class Base:\n    'The base.'\n"),
        ("return [labels.Labels(x), pack_labels(x)", "return [\n        labels.Labels(x),\n        pack_labels(x)"),
        ("LEAST = 2\n", "LEAST = 2\nUNUSED = 3\n"),
    ],
)  # fmt: skip
def test_docstrings_comments_and_layout_do_not_count(old, new):
    assert old in SOURCE
    assert code(SOURCE.replace(old, new)) == code()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LEAST = 2", "LEAST = 3"),
        ("by=2", "by=3"),
        ("start = 1", "start = 2"),
        ("2 * self.start", "3 * self.start"),
        ("def plain(x): return x", "def plain(x): return -x"),
        ("class Counter(Base):", "class Counter:"),
        ('"c"}', '"d"}'),
        ('whole("1")', 'whole("2")'),
        ("below(y), whole", "below([*y]), whole"),
    ],
)
def test_everything_else_counts(old, new):
    assert old in SOURCE
    assert code(SOURCE.replace(old, new)) != code()


@pytest.mark.parametrize(
    "target", ["cdsm_lib.labels.Labels.encode", "cdsm_lib.storage.pack_text", "cdsm_lib.tables.whole"]
)
def test_the_walk_goes_through_modules_and_imports_inside_functions(monkeypatch, target):
    before = code()
    monkeypatch.setattr(target, lambda *_: None)
    assert code() != before


def test_keys_are_the_same_in_every_process():
    program = (
        "from cdsm_lib import cache; from cdsm_lib.vectors import weighting; "
        'print(cache.code_of(weighting.ppmi), cache.key_of([{"b": {"x", "y", "z"}, "a": 1.5}, None]))'
    )
    root = Path(datasets.__file__).parents[1]
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1] != ""


def test_values_have_the_same_key_only_if_they_are_the_same(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    values = [
        None, True, 1, 1.0, "1", b"1", [1], ["1"], [[1], 2], [1, [2]], {"a": 1}, {"a": 2}, {1}, {1, 2},
        np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1, 2]]), sparse.csr_array([[1, 0]]),
        sparse.csr_array([[0, 1]]), Labels(["a"]), Labels(["a", "b"]), Table(Labels(["a"]), np.zeros(1)),
        Table(Labels(["a"]), np.ones(1)),
        file, make, helper, Table,
    ]  # fmt: skip
    keys = [cache.key_of(value) for value in values]
    assert len(set(keys)) == len(values)
    assert keys == [cache.key_of(value) for value in values]
    assert cache.key_of({"a": 1, "b": (2,)}) == cache.key_of({"b": [2], "a": np.int64(1)})


@pytest.mark.parametrize(
    ("maker", "arguments", "message"),
    [
        (lambda x: x, (1,), "<lambda>: a function of a module is needed"),
        (helper, (1,), "helper: a function of a module is needed, with the type that it returns"),
        (make, (open(os.devnull),), "a TextIOWrapper has no hash; say by depends="),
    ],
)
def test_what_could_hide_what_it_depends_on_is_refused(maker, arguments, message):
    with pytest.raises(TypeError, match=message):
        cache.cached(maker, *arguments, name="x")


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 and no more", b"\x80\x04 a pickle"])
def test_a_file_that_cannot_be_read_is_made_again(damage):
    ask(5)
    (file,) = datasets.cache_folder().glob("room/*.npz")
    file.write_bytes(damage)
    with pytest.warns(UserWarning, match=r"table-.*\.npz: .* It is made again now\."):
        assert ask(5) == 2
    assert ask(5) == 2


def test_an_interruption_leaves_nothing(monkeypatch):
    def interrupted(value, path, **options):
        Path(path).write_bytes(b"PK half of it")
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cache.storage, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ask(5)
    assert files() == []
    assert ask(5) >= 1


class Own:
    """A model with a format of its own."""

    def save(self, path):
        Path(path).write_text("a model")

    @classmethod
    def load(cls, path):
        if not Path(path).exists():
            raise FileNotFoundError(path)
        if Path(path).read_text() != "a model":
            raise StorageError(path, "it is no model", "Make it again.")
        return cls()


def make_own() -> Own:
    calls.append("own")
    return Own()


def test_a_type_may_save_itself(tmp_path):
    for _ in range(2):
        assert isinstance(cache.cached(make_own, name="own", folder=tmp_path), Own)
    assert calls == ["own"]


def slow(place: str) -> int:
    with open(place, "a") as file:
        file.write("x")
    time.sleep(0.5)
    return 7


def ask_slowly(place: str) -> int:
    return cache.cached(slow, place, name="slow")


def test_processes_that_want_the_same_wait_for_the_first(tmp_path):
    place = str(tmp_path / "calls")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(ask_slowly, [place, place], chunksize=1) == [7, 7]
    assert Path(place).read_text() == "x"


LIMIT = 3


def documented() -> Callable:
    def limited(x):
        """What it does."""
        return LIMIT if x else [x]  # a comment

    return limited


def bare() -> Callable:
    def limited(x):
        return LIMIT if x else [x]

    return limited


def other() -> Callable:
    def limited(x):
        return LIMIT if x else [x, x]

    return limited


def test_the_source_of_a_function_is_its_syntax_and_that_of_what_it_uses(monkeypatch):
    """A key that is committed: the same under every Python, and another when the code is another."""
    first, second, third = (cache.source_of(make(), among=[__name__]) for make in (documented, bare, other))
    assert first == second != third
    monkeypatch.setattr(sys.modules[__name__], "LIMIT", 4)
    assert cache.source_of(bare(), among=[__name__]) != first
