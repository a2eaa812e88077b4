"""The Makefile: every recipe calls what is there, and what ``.ci/run`` does not run is run here, in a toy book."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from book._ext import __main__ as book
from book._ext import notebooks, speed
from cdsm_lib import __main__ as library
from tests import checkouts, projects

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("tool", "word"), re.findall(r"(?m)^\t\$\((CDSM|BOOK|SCRIPT)\)[ .](\w+)", (ROOT / "Makefile").read_text("utf8"))
)
def test_every_recipe_of_the_makefile_calls_what_is_there(tool, word):
    if tool == "SCRIPT":
        assert (ROOT / "scripts" / f"{word}.py").is_file()
        return
    with pytest.raises(SystemExit) as stopped:
        {"CDSM": library.main, "BOOK": book.main}[tool]([word, "--help"])
    assert stopped.value.code == 0


def test_parameters_reach_papermill_as_they_are():
    values = "word=moon|NOUN note='two words' x=$$HOME y=*;a>(b)&"
    said = checkouts.make(ROOT, "run", "NOTEBOOK=tiny", f"PARAMS={values}", "BOOK=printf '<%s>'")
    assert said == "<run><--profile><sample><tiny><word=moon|NOUN><note=two words><x=$HOME><y=*;a>(b)&>"


pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.fixture
def toy(tmp_path) -> Path:
    return checkouts.toy(tmp_path / "checkout")


@pytest.mark.slow
def test_a_notebook_is_refreshed_and_run(toy):
    path = toy / "notebooks" / "tiny.ipynb"
    stored = path.read_text("utf8")
    path.write_text(stored.replace("array([ 1, -1])", "array([ 2, -1])"), "utf8")
    assert checkouts.make(toy, "refresh").endswith("tiny: outputs written\n")
    assert "array([ 1, -1])" in path.read_text("utf8")
    said = checkouts.make(toy, "run", "NOTEBOOK=tiny", "PARAMS=profile=full")
    assert "Executed: _build/run/tiny.ipynb\n" in said and "make lab OPEN=_build/run/tiny.ipynb" in said
    assert 'profile = "full"' in "".join(cell.source for cell in notebooks.read(toy / "_build/run/tiny.ipynb").cells)


@contextmanager
def started(place: Path, *goal: str, says: str, **environment: str) -> Iterator[str]:
    """A task that goes on until it is stopped: the first address of this form that it tells."""
    variables = os.environ | {"PYTHONPATH": str(place), "PYTHONUNBUFFERED": "1"} | environment
    process = subprocess.Popen(
        checkouts.command(*goal), cwd=place, env=variables, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        lines = []
        while not (address := re.search(says, lines[-1] if lines else "")):
            lines.append(process.stdout.readline())
            assert lines[-1], "".join(lines)[-3000:]
        yield address[0]
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=60)


def answer(address: str) -> str:
    """What a server says; JupyterLab tells its address shortly before it listens."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(address) as said:
                return said.read().decode()
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError(f"{address}: no answer")


@pytest.mark.slow
def test_the_lab_opens_copies_of_the_notebooks(toy, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = f"c.ServerApp.allow_root, c.ServerApp.open_browser, c.ServerApp.port = True, False, {port}\n"
    (tmp_path / "jupyter_server_config.py").write_text(settings)
    places = {f"JUPYTER_{kind}_DIR": str(tmp_path) for kind in ("CONFIG", "DATA", "RUNTIME")}
    with started(toy, "lab", says=r"(?<=^ {8})http://localhost\S+", **places) as address:
        assert "JupyterLab" in answer(address)
        cells = json.loads(answer(re.sub(r"/lab\S*\?", "/api/contents/tiny.ipynb?", address)))["content"]["cells"]
    assert "Your copy of the chapter" in cells[0]["source"]


@pytest.mark.slow
def test_the_book_is_served(toy):
    with started(toy, "serve", "PORT=0", says=r"http://127[^/]+/") as address:
        for page, text in {"book/intro.html": "A tiny book", "notebooks/tiny.html": "A spectrum, sing"}.items():
            assert text in answer(address + page)


@pytest.mark.slow
def test_the_benchmarks_are_recorded_for_the_book(toy):
    said = checkouts.make(toy, "bench", "SMOKE=1", "RECORD=1")
    assert said.count("== benchmarks/bench_") == len([*toy.glob("benchmarks/bench_*.py")]) == 7
    machine, *contests = map(json.loads, (toy / "benchmarks" / "record.jsonl").read_text("utf8").splitlines())
    scripts = {path.stem for path in toy.glob("benchmarks/bench_*.py")}
    assert machine["cores"] and {contest["script"] for contest in contests} == scripts
    page = speed.pages(toy, "sample", ())
    titles = [contest["title"] for contest in contests if "scale" not in contest]
    assert len(titles) == 6 and all(f"**{title}**" in page["generated/speed.md"] for title in titles)
    assert "**Triples**" in page["generated/scale.md"]


@pytest.mark.slow
def test_data_are_fetched_deposited_and_derived(toy, project):
    """Of a registry of small sets, from a mirror; without the owners' files no parse can be derived."""
    places = {"CDSM_DATA_MIRROR": str(project.mirror), "CDSM_DATA_CACHE": str(project.cache)}
    (toy / "data" / "registry.toml").unlink()
    shutil.copy(project.root / "data" / "registry.toml", toy / "data")
    assert re.search(r"open +present", checkouts.make(toy, "data", **places))
    checkouts.make(toy, "deposit", **places)
    assert (toy / "_build" / "deposit" / "open" / "a.txt").read_bytes() == projects.TEXT
    (toy / "data" / "registry.toml").write_bytes((ROOT / "data" / "registry.toml").read_bytes())
    assert "Missing, to be downloaded by hand:" in checkouts.make(toy, "derive", status=2, **places)
