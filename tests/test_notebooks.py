"""The committed notebooks: fit to be committed, and reproduced to the letter; and proof that these checks have teeth.

Strict nbval runs with the session: ``pytest --nbval tests notebooks``, as `make test` does.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbval.kernel as nbval_kernels
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbstripout import strip_output

from book._ext import execution, notebooks

ROOT = Path(__file__).resolve().parents[1]
SANITISE = ROOT / "tests" / "nbval.cfg"
COMMITTED = sorted((ROOT / "notebooks").glob("*.ipynb"))
TINY = ROOT / "tests" / "data" / "tiny_book" / "notebooks" / "tiny.ipynb"


def nbval(path: Path, library: Path = ROOT) -> subprocess.CompletedProcess:
    """Strict nbval on one notebook, with the library that stands in this folder."""
    options = ["-p", "no:cacheprovider", "-p", "tests.kernels", "--nbval", "--nbval-current-env"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", str(path.parent), "-q", *options,
         "--nbval-sanitize-with", str(SANITISE), str(path)], cwd=path.parent, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{library}{os.pathsep}{ROOT}"},
    )  # fmt: skip


# --------------------------------------------------------------------------------------------- the committed notebooks


def test_no_kernel_takes_a_port_that_another_may_take_too():
    one, other = nbval_kernels.KernelManager(), nbval_kernels.KernelManager()
    assert one.transport == other.transport == "ipc" and one.ip != other.ip


def test_the_table_of_contents_lists_every_notebook_and_no_other():
    assert sorted(notebooks.notebooks(ROOT)) == COMMITTED


@pytest.mark.parametrize("path", [*COMMITTED, TINY], ids=lambda path: path.stem)
def test_is_fit_to_be_committed(path):
    assert notebooks.problems(notebooks.read(path)) == []


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_figure_has_a_caption_and_a_name_by_which_the_text_refers_to_it(path):
    cells = notebooks.read(path).cells
    prose = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    figures = [cell.metadata["mystnb"]["figure"] for cell in cells if "figure" in cell.metadata.get("mystnb", {})]
    assert all(figure["caption"].endswith((".", "?")) for figure in figures)
    assert [figure["name"] for figure in figures if f"{{numref}}`{figure['name']}`" not in prose] == []


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_asks_no_other_host_and_is_clean_of_what_a_run_leaves(path):
    notebook = notebooks.read(path)
    assert not {"papermill", "widgets", "cdsm"} & set(notebook.metadata)
    assert not [cell for cell in notebook.cells if {"papermill", "execution", "ExecuteTime"} & set(cell.metadata)]
    for cell in notebooks.code_cells(notebook):
        for output in cell.outputs:
            html = output.get("data", {}).get("text/html", "")
            assert not re.search(r"<(script|link|iframe)\b|\bsrc=[\"']https?:", html), cell.source


# ------------------------------------------------------------------------------------------------------- nbval's teeth


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the tiny notebook, and of the library, in a folder of its own."""
    shutil.copytree(ROOT / "cdsm_lib", tmp_path / "cdsm_lib", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "notebooks").mkdir()
    return Path(shutil.copyfile(TINY, tmp_path / "notebooks" / "tiny.ipynb"))


@pytest.mark.notebook
class TestTeeth:
    @pytest.mark.slow
    def test_tampered_outputs_are_caught_but_pixels_are_not_compared(self, copy):
        def tamper(*pairs):
            text = copy.read_text("utf8")
            for old, new in pairs:
                assert old in text
                text = text.replace(old, new, 1)  # a cell's outputs stand before its source
            copy.write_text(text, "utf8")
            return nbval(copy, copy.parents[1])

        assert tamper(("base64,", "base64,AAAA"), ('"image/png": "', '"image/png": "AAAA')).returncode == 0
        done = tamper(
            ("array([ 1, -1])", "array([ 1, -2])"), ('alt=\\"Two curves', 'alt=\\"Three curves'), ("(1, 3)", "(1, 1.5)")
        )
        assert done.returncode == 1 and "array([ 1, -2])" in done.stdout and "3 failed" in done.stdout

    @pytest.mark.slow
    def test_a_changed_library_function_is_caught(self, copy):
        root = copy.parents[1]
        before = execution.fingerprint(root, copy)
        with (root / "cdsm_lib" / "labels.py").open("a") as file:
            file.write("\n\nLabels.encode = lambda self, names: np.array([self.get(name, 0) for name in names])\n")
        after = execution.fingerprint(root, copy)
        assert {part for part in before if before[part] != after[part]} == {"library"}
        done = nbval(copy, root)
        assert done.returncode == 1 and "array([1, 0])" in done.stdout

    def test_a_stripped_notebook_is_caught(self, copy):
        """nbval alone passes over cells without an execution count: it is `notebooks.problems` that sees them."""
        stripped = strip_output(notebooks.read(copy), keep_output=False, keep_count=False, keep_id=True)
        assert "code cell 1: no execution count, so nbval would not check it" in notebooks.problems(stripped)
        assert notebooks.differences(stripped, notebooks.read(TINY))[0] == "code cell 1: it was never executed"


# -------------------------------------------------------------------------------------------- the static checks' teeth


TABLE = "| parameter | meaning |\n|---|---|\n| `profile` | which data |"


def committed(*cells, parameters='profile = "sample"', title="# A title", table=TABLE, outputs=()):
    """A notebook in order, but for what is asked for."""
    head = [new_markdown_cell(f"{title}\n\n{table}"), new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    made = new_notebook(cells=[*head, *cells])
    if outputs:
        made.cells.append(new_code_cell("1", outputs=list(outputs)))
    for number, cell in enumerate(notebooks.code_cells(made), start=1):
        cell.execution_count = number
    return made


def folded(*captions: str):
    """A cell that folds tables with these captions away."""
    tables = (html(f"<table>{f'<caption>{caption}</caption>' if caption else ''}</table>") for caption in captions)
    return new_code_cell("1", metadata={"tags": ["hide-cell"]}, outputs=list(tables))


def text(shown: str):
    return new_output("stream", text=shown)


def html(shown: str):
    return new_output("display_data", {"text/html": shown})


@pytest.mark.parametrize(
    ("made", "complaint"),
    [
        (committed(parameters="size = 3"), "does not begin with profile = 'sample'"),
        (committed(parameters='profile = "full"'), "does not begin with profile = 'sample'"),
        (committed(table=""), "no table | parameter | meaning |"),
        (committed(table=TABLE.replace("profile", "profil")), "lacks 'profile'"),
        (
            committed(table=f"{TABLE}\n| `size` | how many |"),
            "lists 'size', which its parameters cell does not declare",
        ),
        (committed(table=f"{TABLE}\n| `profile` | again |"), "lists 'profile' twice"),
        (committed(parameters='profile = "sample"\nsize = 3'), "its parameter table lacks 'size'"),
        (committed(new_code_cell("x = 1", metadata={"tags": ["parameters"]})), "2 cells tagged 'parameters'"),
        (committed(new_code_cell("x = 1", metadata={"tags": ["injected-parameters"]})), "papermill injected"),
        (committed(new_code_cell("!ls")), "a shell, magic or installation command"),
        (committed(new_code_cell("%timeit 1")), "a shell, magic or installation command"),
        (committed(new_code_cell("# NBVAL_IGNORE_OUTPUT\n1")), "taken out of nbval's checks"),
        (committed(new_code_cell("1", metadata={"tags": ["nbval-skip"]})), "taken out of nbval's checks"),
        (committed(new_code_cell("1", metadata={"tags": ["raises-exception"]})), "taken out of nbval's checks"),
        (committed(outputs=[new_output("error", ename="KeyError", evalue="dog", traceback=[])]), "the error KeyError"),
        (committed(outputs=[new_output("stream", name="stderr", text="a warning")]), "standard error: 'a warning'"),
        (committed(outputs=[text("saved /home/ada/space.npz")]), "a path"),
        (committed(outputs=[text("C:\\Users\\ada")]), "a path"),
        (committed(outputs=[text("<Space object at 0x7f3b7c7987c0>")]), "a memory address"),
        (committed(outputs=[text("2026-11-20 10:00")]), "a date with a time"),
        (committed(outputs=[text("took 3.2 seconds")]), "a duration"),
        (committed(outputs=[text("100%|###| 5/5 [00:01<00:00, 4.2 it/s]")]), "a duration"),
        (committed(outputs=[html('<img src="data:image/png;base64,AAAA">')]), "an <img> without alternative text"),
        (committed(outputs=[html('<img alt=" " src="data:image/png;base64,AAAA">')]), "an <img> without alternative"),
        (committed(outputs=[new_output("display_data", {"image/png": "AAAA"})]), "an image without alternative text"),
        (committed(folded("One", "")), "it folds several tables, and not each has a caption of its own"),
        (committed(folded("One", "One")), "it folds several tables, and not each has a caption of its own"),
        (committed(new_markdown_cell("![](figure.png)")), "an image in the prose without alternative text"),
        (committed(new_markdown_cell('<img src="figure.png">')), "an image in the prose without alternative text"),
        (committed(new_markdown_cell("```{figure} a.png\nCaption\n```")), "without :alt:"),
        (committed(new_markdown_cell("#### Too deep")), "level 4 follows level 1"),
        (committed(new_markdown_cell("# Another title")), "2 titles"),
        (committed(title="No heading"), "0 titles"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_must_not_be_committed_is_named(made, complaint):
    assert complaint in "\n".join(notebooks.problems(made))


def test_what_may_be_committed_passes():
    made = committed(
        new_markdown_cell("## Part\n\n### Section\n\n```python\n# a comment, no heading\n```\n\nA rate of 3/4."),
        new_markdown_cell("```{figure} a.png\n:alt: A curve.\nCaption\n```"),
        new_code_cell("'%d'"),
        folded("One", "Two"),
        folded(""),
        outputs=[
            text("MAP 0.497, 3 of 10 words, dog|NOUN 12:30, p < 0.001"),
            html('<img src="data:image/png;base64,0xabcdef12/home/a" alt="A curve that rises.">'),
            new_output("execute_result", {"text/plain": "array([1, 2])"}),
            new_output("display_data", {"image/png": "AAAA"}, metadata={"image/png": {"alt": "A curve that rises."}}),
        ],
    )
    assert notebooks.problems(made) == []


def test_a_cell_run_out_of_order_is_named():
    made = committed(new_code_cell("1"), new_code_cell("2"))
    made.cells[2].execution_count, made.cells[3].execution_count = 3, 2
    assert [line for line in notebooks.problems(made) if "from top to bottom" in line]


def test_nbval_and_the_build_leave_out_the_same_thing():
    config = SANITISE.read_text("utf8")
    assert notebooks.IMAGE_DATA.pattern in config
