"""The committed notebooks: fit to be committed; that these checks have teeth is measured by the sabotages.

Strict nbval runs with the session: ``pytest --nbval tests notebooks``, as `make test` does.
"""

import ast
import copy
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from book._ext import notebooks
from tests.pictures import differing
from tests.prose import plain

ROOT = Path(__file__).resolve().parents[1]
COMMITTED = sorted((ROOT / "notebooks").glob("*.ipynb"))
TINY = ROOT / "tests" / "data" / "tiny_book" / "notebooks" / "tiny.ipynb"


# --------------------------------------------------------------------------------------------- the committed notebooks


def test_the_table_of_contents_lists_every_notebook_and_no_other():
    assert sorted(notebooks.notebooks(ROOT)) == COMMITTED


UNSTABLE = {
    "a path": r"(?<![\w.])(/(home|root|tmp|usr|var|opt|mnt|work|Users|private)/\S|[A-Z]:\\)|site-packages|\.py:\d+",
    "a memory address": r"\b0x[0-9a-f]{6,}\b",
    "a date with a time": r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b",
    "a duration": r"\b\d+(\.\d+)? ?(ms|µs|secs?|seconds?)\b|\b(Wall|CPU) times?\b|\bit/s\b|\bs/it\b",
    "an address on this machine": r"\b(localhost|127\.0\.0\.1)\b",
    "an image without alternative text": r"""<img\b(?![^>]*\balt=("[^"\s][^"]*"|'[^'\s][^']*'))""",
    "what asks another host": r"<(script|link|iframe)\b|\bsrc=[\"']https?:",
}
"""What no output may hold."""
IMAGE_DATA = re.compile(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=\s]+")  # as tests/nbval.cfg has it
UNCHECKED = re.compile(r"(?m)#\s*(NBVAL_|PYTEST_VALIDATE_)|^\s*[!%]|\b(pip|conda|apt(-get)?) install\b")
TABLE = re.compile(r"(?m)^\| *parameter *\| *meaning *\| *\n\|[ :-]+\|[ :-]+\| *\n((?:^\|.*(?:\n|\Z))+)")


def problems(notebook) -> list[str]:
    """What is wrong with a notebook that is to be committed."""
    code = notebooks.code_cells(notebook)
    prose = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    declared = list(notebooks.parameters(notebook).items())
    listed = [name for cell in re.findall(r"(?m)^\|([^|]*)\|", "".join(TABLE.findall(prose))) for name in
              re.findall(r"`(\w+)`", cell)]  # fmt: skip
    levels = [len(mark) for mark in re.findall(r"(?m)^(#{1,6})\s", re.sub(r"(?ms)^(`{3,}).*?^\1\s*$", "", prose))]
    pictures = re.findall(r"(?ms)^[`:]{3,}\{(?:figure|image)\}.*?^[`:]{3,}\s*$", prose)
    wrong = {
        "it does not begin with profile = 'sample'": declared[:1] != [("profile", "sample")],
        "it has several cells of parameters": sum("parameters" in notebooks.tags(cell) for cell in code) != 1,
        "papermill left something": bool({"papermill", "widgets", "cdsm"} & set(notebook.metadata))
        or any({"papermill", "execution"} & set(cell.metadata) for cell in notebook.cells)
        or len(code) < sum(cell.cell_type == "code" for cell in notebook.cells),
        "its table has other parameters": sorted(listed) != sorted(name for name, _ in declared),
        "it was not run from top to bottom": [cell.execution_count for cell in code] != [*range(1, len(code) + 1)],
        "its headings skip a level, or it has not one title": levels.count(1) != 1
        or any(after > before + 1 for before, after in pairwise([0, *levels])),
        "a picture in the prose is not described": "![](" in prose
        or not all(re.search(r"(?m)^:alt:\s*\S", picture) for picture in pictures),
    }
    return [problem for problem, holds in wrong.items() if holds] + [p for cell in code for p in problems_of(cell)]


def problems_of(cell) -> Iterator[str]:
    """What is wrong with a cell of code and its outputs."""
    if UNCHECKED.search(cell.source) or any(tag.startswith(("nbval", "raises-")) for tag in notebooks.tags(cell)):
        yield "a cell is taken out of nbval's checks, or runs a command"
    described = bool(cell.metadata.get("mystnb", {}).get("image", {}).get("alt"))
    for output in cell.outputs:
        data = output.get("data", {})
        if output.output_type == "error" or output.get("name") == "stderr":
            yield "an error or a warning"
        pictures = [kind for kind in data if kind.startswith("image/")]
        if not all(described or output.metadata.get(kind, {}).get("alt") for kind in pictures):
            yield "an image without alternative text"
        text = "\n".join([output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")])
        text = IMAGE_DATA.sub("IMAGE", text)
        yield from (what for what, pattern in UNSTABLE.items() if re.search(pattern, text))


@pytest.mark.parametrize("path", [*COMMITTED, TINY], ids=lambda path: path.stem)
def test_is_fit_to_be_committed(path):
    assert problems(notebooks.read(path)) == []


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_every_figure_has_a_caption_and_a_name_by_which_the_text_refers_to_it(path):
    cells = notebooks.read(path).cells
    prose = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    figures = [cell.metadata["mystnb"]["figure"] for cell in cells if "figure" in cell.metadata.get("mystnb", {})]
    assert all(figure["caption"].endswith((".", "?")) for figure in figures)
    assert [figure["name"] for figure in figures if f"{{numref}}`{figure['name']}`" not in prose] == []


def test_another_picture_text_or_number_of_outputs_is_told():
    """By nbval's comparison, through `tests.pictures`."""
    outputs = [output for cell in notebooks.code_cells(notebooks.read(COMMITTED[0])) for output in cell.outputs]
    first, second = [output for output in outputs if "image/png" in output.get("data", {})][:2]
    text = copy.deepcopy(first)
    second.metadata, text.metadata["image/png"]["alt"] = first.metadata, "Another text."
    told = [bool(differing([first], other)) for other in ([first], [second], [text], [])]
    assert told == [False, True, True, True]


NUMBER = re.compile(r"(?<![\w.])\d*\.?\d+(?:[.,]\d+)*(?!\w)")
NO_FIGURE = r"(?im)^[+,]*\.\d%$|section [\d.]+|arxiv [\d.]+|\d+ (?=november)|95 ?%|\b(19|20)\d\d\b"
"""What is no figure: a format, a place in a text, a date, the level of intervals."""
TYPED = {
    "02-composition": {"30"},
    "03-evaluation": {".43", ".41", ".99", "256", "999"},
    "10-relation-classification": {"500"},
    "11-question-answering": {"400"},
    "50-lexical-substitution": {"2500"},
}
"""Numbers that no cell computed: of invented examples, of what a paper, an owner of data or an older page says."""


def numbers(*texts: str) -> set[str]:
    """The numbers of two digits and more in texts, those below 1 as .5."""
    every = NUMBER.findall(re.sub(NO_FIGURE, "", "\n".join(texts)))
    return {re.sub(r",|^0(?=\.)", "", number) for number in every if len(number) > 1}


def typed(notebook) -> set[str]:
    """Numbers of the prose that stand in no code and no output, and numbers in what cells say that stand in no code."""
    code = notebooks.code_cells(notebook)
    data = [output.get("data", output) for cell in code for output in cell.outputs]
    shown = [part.get("text/plain", "").partition("\n\n")[0] for part in data]
    shown += [part.get(kind, "") for part in data for kind in ("text", "text/html", "text/markdown")]
    nodes = [node for cell in code for node in ast.walk(ast.parse(cell.source))]
    calls = [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("say", "print")]
    constants = [part.value for call in calls for part in ast.walk(call) if isinstance(part, ast.Constant)]
    literals = numbers(*(str(node.value) for node in nodes if type(getattr(node, "value", None)) in (int, float)))
    prose = [plain(cell.source) for cell in notebook.cells if cell.cell_type == "markdown"]
    computed = numbers(*shown, *(cell.source for cell in code))
    return (numbers(*prose) - computed) | (numbers(*(text for text in constants if isinstance(text, str))) - literals)


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_no_number_is_typed_that_no_cell_computed(path):
    assert typed(notebooks.read(path)) - TYPED.get(path.stem, set()) == set()
