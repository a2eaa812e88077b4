"""The measure of power itself, on a toy library whose mutants and killers are known."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import power

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = '''
import functools


def larger(a, b):
    return a > b


def joined(words):
    return words + word()


def word():
    return ["x"]


@functools.cache
def steps(most):
    return [n for n in range(most) if n < 2]


def countdown(n):
    while n > 0:
        n -= 1
    return n
'''
TESTS = '''
import pytest

from cdsm_lib.vectors import toy


@pytest.fixture(scope="module")
def two():
    return toy.steps(6)


def test_larger():
    assert toy.larger(2, 1)


def test_larger_too():
    assert toy.larger(3, 1) and not toy.larger(1, 3)


def test_joined():
    assert toy.joined(["y"]) == ["y", "x"]


def test_two(two):
    assert two == [0, 1]


def test_countdown():
    assert toy.countdown(3) == 0
'''


@pytest.fixture(scope="module")
def toy(tmp_path_factory) -> Path:
    """A tree with a library, its tests, and a page."""
    tree = tmp_path_factory.mktemp("toy")
    files = {"cdsm_lib/vectors/toy.py": LIBRARY, "tests/test_toy.py": TESTS, "README.md": "make book\n"}
    files |= {"cdsm_lib/__init__.py": "", "cdsm_lib/vectors/__init__.py": ""}
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    return tree


def run(*options) -> str:
    command = [sys.executable, ROOT / "benchmarks" / "power.py", "--jobs", "1", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == ("--against" in options), done.stderr
    return done.stdout


def test_make_power_finds_the_killers_and_compares_a_later_tree(toy, tmp_path):
    assert re.search(r"(?m)^power: .*\n\t.*benchmarks/power\.py", (ROOT / "Makefile").read_text())
    matrix = tmp_path / "power.json.gz"
    assert "5 tests pass" in run("--tree", toy, "--out", tmp_path / "out", "--record", matrix)
    rows = map(json.loads, gzip.decompress(matrix.read_bytes()).splitlines())
    found = {row["change"]: (row["status"], [test.partition("::")[2] for test in row["killers"]]) for row in rows}
    assert found["a > b -> a <= b"] == ("killed", ["test_larger", "test_larger_too"])
    assert found["a > b -> a >= b"] == ("survived", [])
    assert found["words + word() -> words - word()"] == ("crash", ["test_joined"])
    assert found["n < 2 -> n <= 2"] == ("killed", ["test_two"])  # by the set-up that it may share
    assert found["n -= 1 -> n += 1"] == ("killed", ["test_countdown"])  # it never ends
    later = shutil.copytree(toy, tmp_path / "later")
    tests = TESTS.replace("two == [0, 1]", "two[0] == 0").replace("larger_too", "as_well")
    (later / "tests" / "test_toy.py").write_text(tests)
    text = run("--tree", later, "--out", tmp_path / "later-out", "--against", matrix)
    lost = re.findall(r"(?m)^was killed, survives: .* steps comparison (.*) 0$", text)
    assert lost == ["n < 2 -> n <= 2"]


def test_sixty_sabotages_find_their_places():
    there = [(row, (ROOT / row["file"])) for row in power.LISTS["sabotage"]]
    there = [(row, path.read_bytes()) for row, path in there if path.exists()]
    assert sum(power.sabotaged(content, row) != content for row, content in there) >= 60
