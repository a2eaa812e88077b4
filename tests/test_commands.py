"""Every command that the Makefile lists is started by a test or ``.ci/run``; some are started here, in a toy book."""

import ast
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
CI = ".ci/run"
STARTED = {
    "help": "test_environment.py::test_make_help_or_make_alone_lists_every_task",
    "install": CI,
    "book": CI,
    "test": CI,
    "refresh": "test_commands.py::test_a_notebook_is_refreshed_and_run",
    "data": "test_commands.py::test_data_are_fetched_deposited_and_derived",
    "deposit": "test_commands.py::test_data_are_fetched_deposited_and_derived",
    "derive": "test_commands.py::test_data_are_fetched_deposited_and_derived",
    "corpus": "test_guides.py::test_a_corpus_of_ones_own_becomes_a_book_as_its_guide_says",
    "verify": CI,
    "tagger": "text/test_tagger.py::test_the_script_trains_twice_and_writes_the_weights",
    "playground": "test_playground.py::test_gather_counts_and_learns",
    "sweep": "chapters/test_sweep_chapter.py::test_a_chapter_is_run_with_another_setting",
    "reproduce": "chapters/test_reproduce_chapter.py::test_every_row_and_claim_of_the_sample_is_recomputed_exactly",
    "context2vec": "scripts/test_networks.py::test_a_script_writes_weights_that_know_what_fits",
    "encoder": "scripts/test_networks.py::test_a_script_writes_weights_that_know_what_fits",
    "run": "test_commands.py::test_a_notebook_is_refreshed_and_run",
    "lab": "test_commands.py::test_the_lab_opens_copies_of_the_notebooks",
    "serve": "test_commands.py::test_the_book_is_served",
    "pdf": "browser/test_pdf.py::test_pages_are_joined_with_their_links",
    "course": "test_course.py::unpacked",
    "bench": "test_commands.py::test_the_benchmarks_are_recorded_for_the_book",
    "lint": CI,
    "slow-test": CI,
    "mirror-test": CI,
    "browser-test": CI,
    "clean": "test_environment.py::test_make_clean_keeps_what_a_reader_wrote",
}
"""What starts each command: a function of the tests whose text names it, or ``make COMMAND`` in ``.ci/run``."""

MAKERS = {"distil", "power"}
"""Those whose command no test names: `distil.own` is run where a corpus of one's own becomes a book, and `make power`
runs the tests themselves."""


def test_every_command_of_the_makefile_is_started_by_what_the_table_names():
    listed = re.findall(r"(?m)^([a-z0-9-]+):[^#\n]*## ", (ROOT / "Makefile").read_text("utf8"))
    assert set(STARTED) | MAKERS == set(listed)
    for name, place in STARTED.items():
        file, _, function = place.partition("::")
        if place == CI:
            assert re.search(rf'(?m)^ *(run ".*" )?make {name}\b', (ROOT / CI).read_text("utf8")), name
            continue
        text = (ROOT / "tests" / file).read_text("utf8")
        (found,) = (part for part in ast.parse(text).body if getattr(part, "name", "") == function)
        assert re.search(rf"\b{name}\b", ast.unparse(found)), f"{place} does not start {name}"


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
    assert machine["cores"] and {contest["script"] for contest in contests} == {
        path.stem for path in toy.glob("benchmarks/bench_*.py")
    }
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
