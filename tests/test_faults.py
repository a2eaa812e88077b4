"""What may go wrong in a user's hands, by the commands: one clear error, nothing half-written, nothing of hers lost."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from book._ext import execution
from book._ext.__main__ import main as book
from cdsm_lib.__main__ import main
from cdsm_lib.settings import CHECKOUT
from cdsm_lib.text import corpus
from cdsm_lib.vectors.space import Space, SpaceError


def refusal(capsys, *command: str, module_main=main) -> str:
    """Run a command that must be refused; what it says, on one line that begins with "error:"."""
    assert module_main([str(word) for word in command]) == 1
    said = capsys.readouterr().err.strip()
    assert said.startswith("error: ") and "Traceback" not in said, said
    return said


def refused(*paths: Path, to: Path) -> str:
    """Compile files that must be refused; what is said."""
    with pytest.raises(ValueError) as said:
        corpus.compile_corpus(paths, to, threads=1)
    return str(said.value)


# ---------------------------------------------------------------------------------------------------------------------
# Compiling a corpus

GOOD = "1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"


@pytest.fixture
def text(tmp_path):
    """A small CoNLL-U file in a folder of its own."""
    path = tmp_path / "trees" / "text.conllu"
    path.parent.mkdir()
    path.write_text(GOOD * 5, encoding="utf-8")
    return path


def everything(folder):
    """What lies below a folder, with its bytes; files by which processes wait for one another left out."""
    paths = (path for path in folder.rglob("*") if path.suffix != ".lock")
    return {path: path.is_file() and path.read_bytes() for path in paths}


PLACES = {  # what stands in the folder, its place, what is said
    "a thesis": ({"thesis.tex": "four years"}, "work", "it holds thesis.tex"),
    "a folder within": ({"deep/thesis.tex": "four years"}, "work", "it holds deep"),
    "names as ours, but not ours": ({"corpus.json": "{}", "words.txt": "mine"}, "work", "it holds corpus.json, words"),
    "the source itself": ({}, "trees", "text.conllu is in it"),
    "above the source": ({}, ".", "here is in it"),
    "a file": ({"../work.txt": "four years"}, "work.txt", "it is a file"),
    "the working directory": ({}, "here", "here is in it"),
}


@pytest.mark.parametrize("case", PLACES)
def test_compile_deletes_nothing_that_it_did_not_make(tmp_path, text, monkeypatch, case):
    files, place, problem = PLACES[case]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for name, content in files.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    before = everything(tmp_path)
    said = refused(text, to=tmp_path / place)
    assert problem in said and "choose a new or empty" in said and everything(tmp_path) == before


def test_compile_writes_into_a_new_an_empty_and_its_own_folder(tmp_path, text):
    (tmp_path / "empty").mkdir()
    for folder in ("new/below", "empty"):
        for _ in range(2):
            corpus.compile_corpus([text], tmp_path / folder)
            (tmp_path / folder / "code.txt").write_text("as an earlier version left it")
    (tmp_path / "empty" / "notes.txt").write_text("mine")
    assert "it holds notes.txt" in refused(text, to=tmp_path / "empty")


UNREADABLE = {  # a file's name, its bytes (None: a folder, "": nothing there), what is said
    "missing": ("gone.conllu", "", "gone.conllu: cannot be read: there is no such file; see"),
    "a folder": ("sub.conllu", None, "sub.conllu: cannot be read: it is a folder; name a file"),
    "corrupt bz2": ("a.conllu.bz2", b"BZh9 no", "a.conllu.bz2:1: the archive is damaged or cut short (Invalid"),
    "ID of 5,000": ("a.conllu", GOOD.replace("2\tbark", "2" * 5000 + "\tbark").encode(), "a.conllu:2: token ID '222"),
    "relations": (
        "a.conllu",
        "".join(GOOD.replace("nsubj", f"r{i}") for i in range(70_000)).encode(),
        "70,001 different relations",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_compile_names_what_it_cannot_read(tmp_path, text, case):
    name, content, problem = UNREADABLE[case]
    path = tmp_path / name
    if content is None:
        path.mkdir()
    elif content:
        path.write_bytes(content)
    before = everything(tmp_path)
    said = refused(text, path, to=tmp_path / "corpus")
    assert problem in said and len(said) < 400 and everything(tmp_path) == before


def test_a_corpus_of_another_version_or_making_is_not_opened(tmp_path, text):
    corpus.compile_corpus([text], tmp_path / "corpus")
    about = tmp_path / "corpus" / "corpus.json"
    later = about.read_bytes().replace(b"us-2", b"us-9")
    for content, problem in ((later, "'cdsm-corpus-9'"), (b"[1]", "or not whole"), (b"[" * 10**6, "or not whole")):
        about.write_bytes(content)
        with pytest.raises(corpus.CorpusError, match=f"{problem}.*; compile it again"):
            corpus.open_corpus(tmp_path / "corpus")


# ---------------------------------------------------------------------------------------------------------------------
# Names of profiles, data sets, parameters; files that cannot be read


@pytest.fixture
def nothing_runs(monkeypatch):
    """Whoever starts a notebook fails; and no folder is made where an unknown profile would have one."""

    def refuse(*_):
        raise AssertionError("a notebook was started")

    monkeypatch.setattr(execution.asyncio, "run", refuse)
    yield
    assert not (CHECKOUT / "x").exists() and not (CHECKOUT.parent / "x").exists()
    assert not (CHECKOUT / "_build" / "bogus").exists()


@pytest.mark.parametrize("profile", ["bogus", "../../x", "", "samp\0le", "9" * 5000])
@pytest.mark.parametrize("command", [(main, "reproduce"), (book, "book"), (book, "run", "30-relpron")])
def test_an_unknown_profile_is_refused_before_anything_runs(capsys, nothing_runs, command, profile):
    said = refusal(capsys, *command[1:], f"--profile={profile}", module_main=command[0])
    assert "unknown profile" in said and "sample, full" in said and len(said) < 300


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("sed=1", "unknown parameter 'sed'. Did you mean 'seed'?"),
        (f"seed=0x{'f' * 5000}", "a whole number of 0 or more is needed"),
        (f"seed={'[' * 5000}", "a whole number of 0 or more is needed"),
        ("dataset=relprom", "choose one of 'relpron', 'relpron_mini'. Did you mean 'relpron' or"),
        ("dataset=nowhere/relpron.dev", "there is no such file"),
        ("keep=README.md", "the project's own files are not written over"),
        ("keep=data/results/full/relpron.json", "the project's own files are not written over"),
        ("keep=/dev/null/figures.json", "/dev/null is no folder"),
        (f"keep={'x' * 5000}", "is no path to write to"),
        ("--to=notebooks/30-relpron.ipynb", "--to=notebooks/30-relpron.ipynb: the project's own files"),
    ],
)  # fmt: skip
def test_a_parameter_is_refused_before_the_notebook_runs(capsys, nothing_runs, monkeypatch, parameter, said):
    monkeypatch.chdir(CHECKOUT)
    message = refusal(capsys, "run", "30-relpron", parameter, module_main=book)
    assert said in message and parameter.partition("=")[0] in message and len(message) < 900


@pytest.mark.parametrize("folder", ["data/sample", "notebooks", "cdsm_lib/compiled", "_build", "."])
def test_a_corpus_is_not_made_in_the_project(capsys, text, folder):
    said = refusal(capsys, "corpus", text, "--to", CHECKOUT / folder)
    assert f"TO={CHECKOUT / folder}: the project's own files are not written over" in said


@pytest.mark.parametrize("option", ["keep={}", "--to={}"])
def test_what_a_run_keeps_writes_over_nothing_but_another_run(capsys, nothing_runs, tmp_path, option):
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("years of work")
    (tmp_path / "link").symlink_to(CHECKOUT / "README.md")
    for place, said in (
        (thesis, "another file stands there"),
        (tmp_path, "a folder"),
        (tmp_path / "link", "project's own"),
    ):
        assert said in refusal(capsys, "run", "30-relpron", option.format(place), module_main=book)
    assert thesis.read_text() == "years of work"


# ---------------------------------------------------------------------------------------------------------------------
# Spaces

FALLING = sparse.csr_array((np.ones(2, np.float32), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
FALLING.indptr = np.array([0, 2, 1])
OUTSIDE = sparse.csr_array((np.ones(2, np.float32), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
OUTSIDE.indices = np.array([0, 7])


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (np.eye(2) * 1j, "complex128 are not real numbers"),
        ([["1", "0"], ["0", "1"]], "not real numbers"),
        ([[1, 0], [np.nan, 1]], "NaN.*'cat'"),
        (sparse.csr_array([[1, 0], [0, np.inf]]), "infinite.*'cat'"),
        ([[1, 0], [1e39, 0]], "float32.*'cat'"),
        ([[1, 0], [1]], "the rows do not make a table .*rows of one length"),
        (np.ma.masked_array(np.eye(2), mask=np.eye(2)), "NaN.*'dog'"),
        (FALLING, "disagrees with itself.*indptr"),
        (OUTSIDE, "disagrees with itself.*ind"),
        (np.ones((3, 2)), "2 row labels"),
        (np.ones((2, 3)), "2 dimension labels"),
    ],
)
def test_vectors_that_cannot_be_a_space_are_refused(vectors, problem):
    with pytest.raises(SpaceError, match=problem):
        Space(["dog", "cat"], vectors, ["x", "y"])


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (lambda space: space.neighbours([np.nan, 1]), "NaN"),
        (lambda space: space.neighbours(np.array([1, 1j])), "complex"),
        (lambda space: space.neighbours([None, 1]), "no numbers"),
        (lambda space: space.neighbours([1, 2, 3]), r"shape \(3,\)"),
        *((lambda space, k=k: space.neighbours("dog", k), f"k={k}") for k in (0, -3, 2.5)),
        (lambda space: space.neighbours("dog", among="cat"), "several labels"),
        (lambda space: space.take("dog"), "'dog' stands where several labels"),
    ],
)
def test_questions_that_a_space_cannot_answer_are_refused(question, problem):
    with pytest.raises(SpaceError, match=problem):
        question(Space(["dog", "cat"], np.eye(2)))
