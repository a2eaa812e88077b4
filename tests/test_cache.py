"""Tests of cdsm_lib.cache: what is made again and what is not, whole or not at all, one process at a time."""

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from cdsm_lib import cache, datasets
from cdsm_lib.composition.autoencoder import UnfoldingAutoencoder
from cdsm_lib.labels import Labels

calls = []


@dataclass(frozen=True)
class Table:
    """A value as the chapters have them."""

    rows: Labels
    values: np.ndarray


def make(n: int, rows: Sequence[str] = ("a", "b")) -> Table:
    """Make a table."""
    calls.append(n)
    return Table(Labels(rows), np.full(len(rows), float(n)))


@pytest.fixture(autouse=True)
def empty(tmp_path, monkeypatch):
    """An empty cache, and no calls."""
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path / "cache"))
    calls.clear()


def ask(*arguments, **options) -> int:
    """How often the maker has been called after asking for the value."""
    cache.cached(make, *arguments, name="room/table", **options)
    return len(calls)


def test_the_source_of_a_module_and_of_the_rooms_below_it_counts(monkeypatch):
    """Of `vectors.senses`: itself, what it imports, what that imports; not what stands above it, nor what fetches."""

    def code(changed: str) -> str:
        read = Path.read_bytes
        monkeypatch.setattr(Path, "read_bytes", lambda path: read(path) + b"\n#" * (path.name == changed))
        cache.code_of.cache_clear()
        found = cache.code_of("cdsm_lib.vectors.senses")
        monkeypatch.undo()
        return found

    before = code("")
    counted = {name for name in ("senses.py", "embeddings.py", "counts.py", "corpus.py") if code(name) != before}
    assert counted == {"senses.py", "embeddings.py", "counts.py", "corpus.py"}
    assert {code(name) for name in ("datasets.py", "storage.py", "results.py", "sense_vectors.py")} == {before}
    cache.code_of.cache_clear()


def test_what_was_made_before_is_made_again_once_if_so_asked():
    assert ask(5) == 1
    with cache.anew():
        assert [ask(5), ask(5)] == [2, 2]
    assert ask(5) == 2


def test_keys_are_the_same_in_every_process():
    program = (
        "from cdsm_lib import cache; "
        'print(cache.code_of("cdsm_lib.vectors.weighting"), cache.key_of([{"b": {"x", "y", "z"}, "a": 1.5}, None]))'
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
        None, True, 1, 1.0, "1", [1], ["1"], [[1], 2], [1, [2]], {"a": 1}, {"a": 2}, {1}, {1, 2},
        np.array([1, 2]), np.array([1.0, 2.0]), np.array([[1, 2]]), sparse.csr_array([[1, 0]]),
        sparse.csr_array([[0, 1]]), Labels(["a"]), Labels(["a", "b"]), Table(Labels(["a"]), np.zeros(1)),
        Table(Labels(["a"]), np.ones(1)), file,
    ]  # fmt: skip
    keys = [cache.key_of(value) for value in values]
    assert len(set(keys)) == len(values)
    assert keys == [cache.key_of(value) for value in values]
    assert cache.key_of({"a": 1, "b": (2,)}) == cache.key_of({"b": [2], "a": np.int64(1)})


def test_what_has_no_hash_is_refused():
    with pytest.raises(TypeError, match="a TextIOWrapper has no hash; say by depends="):
        ask(open(os.devnull))


def model(seed: int) -> UnfoldingAutoencoder:
    calls.append(seed)
    return UnfoldingAutoencoder(2, seed)


def test_a_class_that_is_no_dataclass_is_kept_by_its_state():
    first, second = (cache.cached(model, 3, name="room/model") for _ in range(2))
    assert calls == [3] and type(second) is UnfoldingAutoencoder and second.seed == 3
    np.testing.assert_array_equal(first.W_e, second.W_e)


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
