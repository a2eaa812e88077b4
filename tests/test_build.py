"""The build: what is executed again and what is not, what a failure leaves behind, and the command line."""

import copy
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from small_books import CODE, LIBRARY, add, notebook, small_book

from book._ext import __main__ as command
from book._ext import execution, notebooks, site
from book._ext.notebooks import code_cells
from tests import checkouts

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(tmp_path) -> Path:
    return small_book(tmp_path)


def outputs(path: Path) -> str:
    return "".join(output.get("text", "") for cell in code_cells(notebooks.read(path)) for output in cell.outputs)


def files(folder: Path) -> set[str]:
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != ".book.lock")
    return {path.relative_to(folder).as_posix() for path in paths}


def changes(project: Path, change=lambda: None, profile="sample", parameters=()) -> set[str]:
    """The parts of the fingerprint that a change of the project, or arguments of its own, change."""
    path = project / "notebooks" / "one.ipynb"
    before = execution.fingerprint(path, "sample", {}, execution.surroundings(project))
    change()
    after = execution.fingerprint(path, profile, dict(parameters), execution.surroundings(project))
    return {part for part in before if before[part] != after[part]}


class TestFingerprint:
    @pytest.mark.parametrize(
        ("part", "file", "text"),
        [
            ("library", "cdsm_lib/answer.py", "def answer(n):\n    return 15 * n\n"),
            ("library", "cdsm_lib/another.py", ""),
            ("data", "data/published/table.json", "[2]"),
            ("data", "data/results/full/relpron.json", "{}"),
            ("data", "data/registry.toml", "[a]"),
            ("data", "requirements.lock", "numpy==1"),
        ],
    )
    def test_changes_with_every_file_that_a_notebook_reads(self, project, part, file, text):
        assert changes(project, lambda: (project / file).write_text(text)) == {part}

    def test_changes_with_code_profile_parameters_and_installed_versions(self, project, monkeypatch):
        assert changes(project, lambda: None, "full") == {"parameters"}
        assert changes(project, lambda: None, "sample", {"size": 4}) == {"parameters"}
        assert changes(project, lambda: add(project, "one", notebook(CODE + "\n"))) == {"code"}
        none = (execution.importlib.metadata, "distributions", lambda: [])
        assert changes(project, lambda: monkeypatch.setattr(*none)) == {"versions"}


class TestExecute:
    def test_once_and_again_only_after_a_change_and_says_why(self, project, capsys):
        [first] = execution.execute(project)
        assert first.ran and outputs(first.path) == "sample 42\n"
        [second] = execution.execute(project)
        assert not second.ran and second.seconds == first.seconds
        (project / "cdsm_lib" / "answer.py").write_text(LIBRARY.replace("14", "15"))
        add(project, "one", notebook(CODE, "print(1)"))
        [third] = execution.execute(project)
        assert third.ran and outputs(third.path) == "sample 45\n1\n"
        assert execution.execute(project, force=True)[0].ran
        reasons = [line for line in capsys.readouterr().err.splitlines() if "executing" in line]
        assert reasons == [f"one: executing ({why})" for why in ("first run", "changed: code, library", "asked for")]

    def test_a_profile_of_ones_own_is_what_it_extends_in_a_folder_of_its_own(self, project, tmp_path, monkeypatch):
        monkeypatch.setenv("CDSM_PROFILE", "")
        monkeypatch.setattr("scripts.distil.own", lambda: made.append("counts"))
        made, file, about = [], tmp_path / "mine.toml", tmp_path / "snails" / "corpus.json"
        about.parent.mkdir()
        about.write_text("{}")
        file.write_text('extends = "full"\ncorpus = "snails"\n')
        [item] = execution.execute(project, str(file))
        assert item.path == project / "_build" / "mine" / "one.ipynb" and outputs(item.path) == "full 42\n"
        assert not execution.execute(project, str(file))[0].ran and not made
        about.write_text('{"another": "corpus"}')
        assert execution.execute(project, str(file))[0].ran
        file.write_text('extends = "sample"\ncorpus = "snails"\nwords = 9\n')
        [item] = execution.execute(project, str(file))
        assert item.ran and outputs(item.path) == "sample 42\n" and made == ["counts"]
        chapter = execution.ROOT / "notebooks" / "30-relpron.ipynb"
        kept = {"keep": str(project / "_build" / "mine" / "results" / "30-relpron.json")}
        assert execution.kept(project, chapter) == kept and execution.kept(project, item.source) == {}
        assert execution.execute(project)[0].path == project / "_build" / "sample" / "one.ipynb"
        assert execution.kept(project, chapter) == {} and made == ["counts"]

    def test_runs_in_a_folder_of_its_profile_and_leaves_the_sources_alone(self, project):
        before = {name: (project / name).read_bytes() for name in files(project)}
        [item] = execution.execute(project, "full")
        assert item.path == project / "_build" / "full" / "one.ipynb" and outputs(item.path) == "full 42\n"
        assert {name: (project / name).read_bytes() for name in before} == before
        added = {name for name in files(project) - set(before) if "__pycache__" not in name}
        assert added == {"_build/full/one.ipynb"}
        source = notebooks.read(item.source)
        source.cells[0].source = "# Another title"
        merged = notebooks.merge(source, notebooks.read(item.path))  # the prose of now, the parameters of the run
        assert merged.cells[0].source == "# Another title"
        assert merged.cells[2].metadata == {"tags": ["injected-parameters"]}
        assert 'profile = "full"' in merged.cells[2].source
        assert merged.cells[3].outputs[0].text == "full 42\n"

    def test_a_failing_cell_stops_it_with_the_cells_error(self, project):
        [good] = execution.execute(project)
        stored = good.path.read_bytes()
        add(project, "one", notebook(CODE, "print('so far')\nraise KeyError('dog|NOUN')"))
        telling = r"(?s)notebooks/one.ipynb.*KeyError: 'dog\|NOUN'.*print\('so far'\)"
        with pytest.raises(notebooks.BuildError, match=telling):
            execution.execute(project)
        assert good.path.read_bytes() == stored
        assert files(project / "_build") == {"sample/one.ipynb", "sample/failed/one.ipynb"}

    def test_a_process_that_is_killed_is_told(self, project):
        add(project, "one", notebook("import os\nos.kill(os.getppid(), 9)"))
        with pytest.raises(notebooks.BuildError, match=r"(?s)one.ipynb: .*status -9 and said nothing"):
            execution.execute(project)

    def test_a_failure_stops_the_others(self, project):
        add(project, "one", notebook("raise ValueError('no')"))
        add(project, "two", notebook("import time\ntime.sleep(300)"))
        add(project, "three", notebook(CODE))
        with pytest.raises(notebooks.BuildError, match="ValueError: no"):
            execution.execute(project)
        assert "sample/two.ipynb" not in files(project / "_build")
        assert not [name for name in files(project / "_build") if "/.o" in name or "/.t" in name]

    @pytest.mark.parametrize(
        ("spoil", "complaint"),
        [(Path.unlink, "notebooks/one.ipynb: listed in _toc.yml"), (lambda p: p.write_text("{"), "not a notebook")],
    )
    def test_a_listed_notebook_that_is_missing_or_none(self, project, spoil, complaint):
        spoil(project / "notebooks" / "one.ipynb")
        with pytest.raises(notebooks.BuildError, match=complaint):
            execution.execute(project)


class TestParameters:
    def test_are_read_from_their_cell(self):
        made = notebook("x = 5", parameters='profile = "sample"\nsize: int = 3\nwords = ["dog"]\nratio = 1 / 3')
        assert notebooks.parameters(made) == {"profile": "sample", "size": 3, "words": ["dog"], "ratio": "1 / 3"}

    def test_theirs_reach_the_notebook_and_keep_is_a_path_of_the_caller(self, project, monkeypatch, tmp_path_factory):
        code = "from pathlib import Path\nPath(keep).write_text('kept')\nprint(profile, size, Path(keep).is_absolute())"
        wanted = notebook(code, parameters='profile = "sample"\nsize = 3\nkeep = None')
        here = tmp_path_factory.mktemp("here")
        monkeypatch.chdir(here)
        parameters = {"keep": "mine.txt", "size": 2, "profile": "full"}
        path = execution.run(add(project, "two", wanted), parameters, root=project)
        assert path == project / "_build" / "run" / "two.ipynb" and outputs(path) == "full 2 True\n"
        assert (here / "mine.txt").read_text() == "kept"

    def test_a_value_that_is_refused_is_told_in_one_line(self, project):
        code = "class ParameterError(ValueError): pass\n"
        code += "raise ParameterError('size=-1: a number of 1 or more is needed')"
        with pytest.raises(notebooks.BuildError) as refused:
            execution.run(add(project, "two", notebook(code)), {"size": -1}, root=project)
        assert str(refused.value) == "notebooks/two.ipynb: size=-1: a number of 1 or more is needed"


class TestFind:
    @pytest.mark.parametrize(
        ("name", "guess"),
        [("notebooks/ones.ipynb", " Did you mean 'one'?"), ("x/one", " Did you mean 'one'?"), ("zebra", "")],
    )
    def test_an_unknown_one_is_told_with_those_there_are(self, project, name, guess):
        with pytest.raises(notebooks.BuildError) as refused:
            notebooks.find(name, project)
        assert str(refused.value) == f"unknown notebook {name!r}.{guess} Known in _toc.yml: one"


def test_figures_are_numbered_by_their_chapters_number():
    numbers = {"notebooks/30-relpron": {"figure": {"b": (7,), "a": (12,)}}, "book/intro": {"figure": {"c": (1,)}}}
    site.number_figures(None, SimpleNamespace(toc_fignumbers=numbers))
    figures, others = (of["figure"] for of in numbers.values())
    assert figures == {"b": (30, 1), "a": (30, 2)} and others == {"c": (1,)}


class TestStoredOutputs:
    def test_refresh_writes_them_clean_and_only_once(self, project):
        assert [path.stem for path in execution.refresh(project)] == ["one"]
        path = project / "notebooks" / "one.ipynb"
        text, stored = path.read_text("utf8"), notebooks.read(path)
        assert "papermill" not in text and 'cdsm"' not in text and 'execution"' not in text
        assert [cell.execution_count for cell in code_cells(stored)] == [1, 2]
        assert [cell.id for cell in stored.cells] == ["0", "1", "2"]
        assert execution.refresh(project) == [] and not execution.execute(project)[0].ran
        path.write_text(text.replace("sample 42", "sample 43"), "utf8")
        assert execution.refresh(project) == [path] and path.read_text("utf8") == text

    def test_a_caption_stands_under_pictures_only(self):
        """A cell that shows a sentence, two pictures and a table; and one that shows its picture alone."""
        figure = {"mystnb": {"figure": {"caption": "Two.", "name": "fig-two"}}}

        def shown(kind):
            return nbformat.v4.new_output("display_data", {kind: ""})

        kinds = ["text/html", "image/png", "image/png", "text/markdown"]
        cells = [
            nbformat.v4.new_code_cell("a", id="a", metadata=copy.deepcopy(figure), outputs=list(map(shown, kinds))),
            nbformat.v4.new_code_cell("b", id="b", metadata=copy.deepcopy(figure), outputs=[shown("image/png")]),
        ]
        page = notebooks.captioned(nbformat.v4.new_notebook(cells=cells))
        assert [cell.id for cell in page.cells] == ["a", "a-1", "a-2", "a-3", "b"]
        assert [list(cell.outputs[0].data) for cell in page.cells] == [[kind] for kind in [*kinds, "image/png"]]
        figures = [cell.metadata.get("mystnb", {}).get("figure") for cell in page.cells]
        assert figures == [None, figure["mystnb"]["figure"], {"caption": "Two."}, None, figure["mystnb"]["figure"]]
        assert [notebooks.tags(cell) for cell in page.cells[1:4]] == [["remove-input"]] * 3
        assert all(cell.source for cell in page.cells), "MyST-NB leaves out what has no source"

    def test_merge_refuses_the_run_of_other_code(self):
        with pytest.raises(notebooks.BuildError, match="other code"):
            notebooks.merge(notebook("print(2)"), notebook(CODE))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    """The tiny book of the test data, with the project's own configuration and pages, rendered once."""
    return checkouts.toy(tmp_path_factory.mktemp("tiny"))


@pytest.mark.slow
class TestBook:
    def test_a_warning_is_an_error_and_the_old_pages_stay(self, tiny):
        index = site.book(tiny)
        page = tiny / "book" / "intro.md"
        text = page.read_text("utf8")
        page.write_text(text + "\n{doc}`nowhere` {cite}`nobody1900`\n", "utf8")
        with pytest.raises(notebooks.BuildError, match=r"(?s)without warnings.*nowhere.*render\.log"):
            site.book(tiny)
        assert index.is_file()
        page.write_text(text, "utf8")


class TestCommandLine:
    def test_parameters_come_as_options_or_behind_them(self, monkeypatch, tmp_path):
        seen = {}
        monkeypatch.setattr(execution, "run", lambda path, given, to: seen.update(given) or tmp_path)
        monkeypatch.setattr(notebooks, "find", Path)
        assert command.main(["run", "a.ipynb", "size=2", "--profile", "full", "word=dog", "ratio=0.5"]) == 0
        assert seen == {"size": 2, "word": "dog", "ratio": 0.5, "profile": "full"}
