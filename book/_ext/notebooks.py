"""The book's notebooks: which there are, what a notebook declares, what its run changes.

The committed notebooks hold the outputs of the sample run. `merge` joins a notebook with the outputs of a run.
"""

import ast
import copy
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import nbformat
from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from sphinx_external_toc.parsing import parse_toc_yaml
from traitlets.config import Config

from cdsm_lib.datasets import unknown

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_PROFILE = "sample"


class BuildError(ValueError):
    """The book cannot be built; the message names the notebook or file, the problem and the remedy."""


def pages(root: Path = ROOT) -> list[str]:
    """The pages that ``_toc.yml`` lists, in reading order, without their suffix."""
    return list(parse_toc_yaml(root / "_toc.yml"))


def notebooks(root: Path = ROOT) -> list[Path]:
    """The notebooks that ``_toc.yml`` lists, in reading order; `BuildError` if one of them is not there."""
    paths = [root / f"{page}.ipynb" for page in pages(root) if page.startswith("notebooks/")]
    for path in paths:
        if not path.is_file():
            raise BuildError(f"{shown(path, root)}: listed in _toc.yml, but there is no such file")
    return paths


def read(path: Path) -> NotebookNode:
    """A notebook in format 4; `BuildError` if the file holds none."""
    try:
        return nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise BuildError(f"{path}: there is no such notebook") from None
    except (ValueError, KeyError, AttributeError, RecursionError, nbformat.ValidationError) as error:
        raise BuildError(f"{path}: not a notebook ({str(error).splitlines()[0]})") from None


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells with code, those that papermill injected left out."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and "injected-parameters" not in tags(cell)]


def parameters(notebook: NotebookNode) -> dict[str, object]:
    """Names and default values in the cell tagged ``parameters``; a value that is no literal appears as its source."""
    declared = {}
    for statement in ast.parse("\n".join(cell.source for cell in _declaring(notebook))).body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            try:
                value = ast.literal_eval(statement.value)
            except ValueError:
                value = ast.unparse(statement.value)
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            declared |= dict.fromkeys(map(ast.unparse, targets), value)
    return declared


def _declaring(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in code_cells(notebook) if "parameters" in tags(cell)]


def check_parameters(notebook: NotebookNode, asked: Mapping[str, object], name: str) -> None:
    """Refuse parameters that the notebook does not declare (papermill only warns of them), naming those that exist."""
    known = parameters(notebook)
    for key in asked:
        if key not in known:
            raise BuildError(unknown("parameter", key, known, name))


def find(name: str | Path, root: Path = ROOT) -> Path:
    """The notebook of this name (``30-relpron``) or at this path; `BuildError`, naming the book's, if there is none."""
    asked = Path(name)
    for path in (asked, root / asked, root / "notebooks" / asked):
        for candidate in (path, path.with_name(f"{path.name}.ipynb")):
            if candidate.is_file():
                return candidate
    stems = [path.stem for path in notebooks(root)]
    raise BuildError(unknown("notebook", str(name), stems, "_toc.yml", asked.name.removesuffix(".ipynb")))


def named(only: Sequence[str], root: Path = ROOT) -> list[Path]:
    """The book's notebooks of these names (`find`), in reading order; all of them if none is named."""
    wanted = {find(name, root).stem for name in only}
    return [path for path in notebooks(root) if not only or path.stem in wanted]


# -------------------------------------------------------------------------------------- stored outputs, and fresh ones


def merge(source: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The source's cells as they read now, with the outputs of the run.

    A run with parameters of its own has one cell more, in which papermill set them: it stands behind the parameters.
    Neighbouring pieces of one stream are joined: where they break is a matter of timing.
    """
    executed, _ = CoalesceStreamsPreprocessor(enabled=True)(executed, {})
    merged, ran = copy.deepcopy(source), code_cells(executed)
    if [cell.source for cell in ran] != [cell.source for cell in code_cells(source)]:
        raise BuildError("the executed notebook has other code than its source: run `make book` again")
    for cell, fresh in zip(code_cells(merged), ran, strict=True):
        cell.outputs, cell.execution_count = fresh.outputs, fresh.execution_count
    injected = [cell for cell in executed.cells if "injected-parameters" in tags(cell)]
    for extra in injected:
        extra.metadata = {"tags": ["injected-parameters"]}
    for cell in _declaring(merged) if injected else []:
        place = merged.cells.index(cell) + 1
        merged.cells[place:place] = injected
    return merged


def captioned(notebook: NotebookNode) -> NotebookNode:
    """Give each picture of a cell with a caption an output cell of its own, changed in place; the first has the name.

    MyST-NB would set the caption under every output of the cell, tables and sentences too. Behind a figure with sliders
    come its numbers, for the page's script.
    """
    from cdsm_lib.sliders import MIME  # matplotlib takes its time

    cells = []
    for cell in notebook.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure")
        outputs = cell.get("outputs", [])
        pictures = [any(kind.startswith("image/") for kind in output.get("data", {})) for output in outputs]
        cells.append(cell)
        if figure and len(outputs) > 1 and any(pictures):
            first = pictures.index(True)
            del cell.metadata.mystnb["figure"]
            cell.outputs = outputs[:first]
            for place in range(first, len(outputs)):
                # MyST-NB leaves cells without a source out, with their outputs.
                piece = nbformat.v4.new_code_cell("# see above", id=f"{cell.id}-{place}", outputs=[outputs[place]])
                named = figure if place == first else {"caption": figure["caption"]}
                piece.metadata = {"tags": ["remove-input"]} | ({"mystnb": {"figure": named}} if pictures[place] else {})
                cells.append(piece)
        for frames in (output.data.pop(MIME) for output in outputs if MIME in output.get("data", {})):
            script = frames.replace("<", "\\u003c")  # what ends a script cannot stand in it
            script = f'<script type="application/json" data-figure="{figure["name"]}">\n{script}\n</script>'
            cells.append(nbformat.v4.new_markdown_cell(f"```{{raw}} html\n{script}\n```", id=f"{cell.id}-frames"))
    notebook.cells = cells
    return notebook


SOLUTION = re.compile(r"(?ms)^(`{3,}|:{3,})\{solution-start\}.*?^\1\{solution-end\}.*?^\1[ \t]*$")
BELOW = re.compile(r"\s*Each has its solution below it[^.]*\.")
"""What a chapter says of its solutions."""
BETWEEN = "\n\0\n"  # two cells


def with_solutions() -> bool:
    """Whether the site shows solutions and keys: yes, unless ``SOLUTIONS`` says anything but 1."""
    return os.environ.get("SOLUTIONS", "") in ("", "1")


def unsolved(notebook: NotebookNode) -> None:
    """Take the solutions out of a chapter, changed in place; its exercises keep their marks."""
    whole = BETWEEN.join(cell.source for cell in notebook.cells)
    sources = SOLUTION.sub(lambda found: BETWEEN * found[0].count(BETWEEN), whole).split(BETWEEN)
    for cell, source in zip(notebook.cells, sources, strict=True):
        cell.source = BELOW.sub("", source)
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip()]


def in_course(notebook: NotebookNode, name: str, syllabus: str) -> None:
    """Say under a chapter's heading *Exercises* in which weeks the syllabus has it, changed in place."""
    if weeks := re.findall(rf"(?m)^\| (\d+) \|.*/{name}[`>]", syllabus):
        links = ", ".join(f"{{ref}}`week {week} <week-{week}>`" for week in weeks)
        links = f"In the course: {links}; {{doc}}`quiz and project </book/course/{name}>`."
        for cell in notebook.cells:
            cell.source = re.sub(r"(?m)^## Exercises$", rf"\g<0>\n\n{links}", cell.source)


# ------------------------------------------------------------------------------------------------------- small helpers


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def sockets(prefix: str) -> Config:
    """How a kernel is spoken to: over sockets of this path and a number.

    Of ports Jupyter asks which are free and takes them a second later: of kernels that start side by side, one in a
    hundred found another in its place, and died or never answered. The path is short: a socket's may have 100 letters.
    """
    return Config(KernelManager={"transport": "ipc", "ip": prefix})


def shown(path: Path, root: Path = ROOT) -> str:
    """A path as a reader of the checkout knows it."""
    path = Path(path).resolve()
    return path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else str(path)
