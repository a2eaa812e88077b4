"""The book's notebooks: which there are, what a notebook declares, what its run changes, what it must not contain.

The committed notebooks hold the outputs of the sample run. `merge` joins a notebook with the outputs of a run,
`differences` says where a run departs from what is stored, and `problems` lists what a committed notebook must not
contain.
"""

import ast
import copy
import difflib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_PROFILE = "sample"


class BuildError(ValueError):
    """The book cannot be built; the message names the notebook or file, the problem and the remedy."""


def pages(root: Path = ROOT) -> list[str]:
    """The pages that ``_toc.yml`` lists, in reading order, without their suffix."""
    toc = yaml.safe_load((root / "_toc.yml").read_text("utf8"))

    def files(entry: dict) -> Iterator[str]:
        if "file" in entry:
            yield entry["file"]
        for below in ("parts", "chapters", "sections"):
            for part in entry.get(below, []):
                yield from files(part)

    return [toc["root"], *files(toc)]


def notebooks(root: Path = ROOT) -> list[Path]:
    """The notebooks that ``_toc.yml`` lists, in reading order.

    Raises
    ------
    BuildError
        If one of them is not there.
    """
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
    except (ValueError, KeyError, AttributeError, nbformat.ValidationError) as error:
        raise BuildError(f"{path}: not a notebook ({str(error).splitlines()[0]})") from None


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The cells with code, those that papermill injected left out."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and "injected-parameters" not in tags(cell)]


def parameters(notebook: NotebookNode) -> dict[str, object]:
    """Names and default values in the cell tagged ``parameters``; a value that is no literal appears as its source."""
    declared: dict[str, object] = {}
    for cell in code_cells(notebook):
        if "parameters" in tags(cell):
            for statement in ast.parse(cell.source).body:
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                for target in targets:
                    if isinstance(target, ast.Name) and getattr(statement, "value", None) is not None:
                        try:
                            declared[target.id] = ast.literal_eval(statement.value)
                        except ValueError:
                            declared[target.id] = ast.unparse(statement.value)
    return declared


def check_parameters(notebook: NotebookNode, asked: Mapping[str, object], name: str) -> None:
    """Refuse parameters that the notebook does not declare (papermill only warns of them).

    Raises
    ------
    BuildError
        Naming the unknown parameters and those that exist.
    """
    known = parameters(notebook)
    unknown = [key for key in asked if key not in known]
    if unknown:
        near = [matches[0] for key in unknown if (matches := difflib.get_close_matches(key, list(known), n=1))]
        raise BuildError(
            f"{name}: no parameter {', '.join(map(repr, unknown))}."
            + (f" Did you mean {', '.join(map(repr, dict.fromkeys(near)))}?" if near else "")
            + " Its parameters cell declares "
            + (", ".join(f"{key} = {value!r}" for key, value in known.items()) or "none")
        )


def listed_parameters(notebook: NotebookNode) -> list[str] | None:
    """The names in the prose's table of parameters, in order; None if there is no table."""
    table = PARAMETER_TABLE.search("\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown"))
    if not table:
        return None
    first_cells = [row.strip().strip("|").split("|")[0] for row in table["rows"].splitlines()]
    return [name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)]


PARAMETER_TABLE = re.compile(
    r"(?m)^\| *parameter *\| *meaning *\| *\n\|[ :-]+\|[ :-]+\| *\n(?P<rows>(?:^\|.*(?:\n|\Z))+)"
)
"""A Markdown table with the headings "parameter" and "meaning"."""


def find(name: str | Path, root: Path = ROOT) -> Path:
    """The notebook of this name (``30-relpron``) or at this path.

    Raises
    ------
    BuildError
        If there is none; the message lists those of the book.
    """
    asked = Path(name)
    for path in (asked, root / asked, root / "notebooks" / asked):
        for candidate in (path, path.with_name(f"{path.name}.ipynb")):
            if candidate.is_file():
                return candidate
    stems = [path.stem for path in notebooks(root)]
    near = difflib.get_close_matches(asked.name.removesuffix(".ipynb"), stems, n=1, cutoff=0.4)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise BuildError(f"{name}: there is no such notebook.{guess} The book has {', '.join(stems)}")


def named(only: Sequence[str], root: Path = ROOT) -> list[Path]:
    """The book's notebooks of these names, in reading order; all of them if none is named.

    Raises
    ------
    BuildError
        For a name that is not among the book's notebooks.
    """
    every = notebooks(root)
    unknown = [name for name in only if name not in {path.stem for path in every}]
    if unknown:
        raise BuildError(f"no notebook {', '.join(unknown)}; the book has {', '.join(path.stem for path in every)}")
    return [path for path in every if not only or path.stem in only]


# -------------------------------------------------------------------------------------- stored outputs, and fresh ones


def merge(source: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """The source's cells as they read now, with the outputs of the run.

    A run with parameters of its own has one cell more, in which papermill set them: it stands behind the parameters.
    """
    merged = copy.deepcopy(source)
    ran = code_cells(executed)
    if [cell.source for cell in ran] != [cell.source for cell in code_cells(source)]:
        raise BuildError("the executed notebook has other code than its source: run `make book` again")
    outputs = iter(ran)
    injected = [cell for cell in executed.cells if "injected-parameters" in tags(cell)]
    cells = []
    for cell in merged.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            fresh = next(outputs)
            cell.outputs, cell.execution_count = _coalesced(fresh.outputs), fresh.execution_count
            if "parameters" in tags(cell):
                for extra in injected:
                    extra.metadata = {"tags": ["injected-parameters"]}
                    cells.append(extra)
    merged.cells = cells
    return merged


def differences(committed: NotebookNode, executed: NotebookNode) -> list[str]:
    """Where the stored outputs differ from a fresh run, a line for each code cell; images are not compared.

    Figures are tested by the data that they plot: their pixels depend on the machine.
    """
    lines = []
    for number, (old, new) in enumerate(zip(code_cells(committed), code_cells(executed), strict=True), start=1):
        before, after = _comparable(old.outputs), _comparable(new.outputs)
        if old.execution_count is None:
            lines.append(f"code cell {number}: it was never executed")
        elif before != after:
            pairs = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
            a, b = pairs[0] if pairs else (f"{len(before)} outputs", f"{len(after)} outputs")
            lines.append(f"code cell {number}: stored {_first_difference(a, b)}")
    return lines


def _coalesced(outputs: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Outputs with neighbouring pieces of one stream joined: where they break is a matter of timing."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else None
        if output.output_type == "stream" and last and last.output_type == "stream" and last.name == output.name:
            last.text += output.text
        else:
            joined.append(nbformat.from_dict(output))
    return joined


IMAGE_DATA = re.compile(r"data:image/[a-z+]+;base64,[A-Za-z0-9+/=\s]+")
"""An image inside HTML. ``tests/nbval.cfg`` has the same pattern for nbval."""


def _comparable(outputs: Sequence[NotebookNode]) -> list[str]:
    lines = []
    for output in _coalesced(outputs):
        if output.output_type == "stream":
            lines.append(output.text)
        elif output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        else:
            lines += [
                IMAGE_DATA.sub("IMAGE", text if isinstance(text, str) else json.dumps(text, sort_keys=True))
                for kind, text in sorted(output.data.items())
                if not kind.startswith("image/")
            ]
    return lines


def _first_difference(a: str, b: str) -> str:
    old, new = a.splitlines() or [""], b.splitlines() or [""]
    for x, y in zip(old, new, strict=False):
        if x != y:
            return f"{x.strip()[:100]!r}, now {y.strip()[:100]!r}"
    return f"{len(old)} lines, now {len(new)}"


# -------------------------------------------------------------------------- what a committed notebook must not contain

UNSTABLE = {
    "a path": re.compile(
        r"(?<![\w.])(/(home|root|tmp|usr|var|opt|mnt|work|Users|private)/\S|[A-Z]:\\)|site-packages|\.py:\d+"
    ),
    "a memory address": re.compile(r"\b0x[0-9a-f]{6,}\b"),
    "a date with a time": re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b\d\d:\d\d:\d\d\b"),
    "a duration": re.compile(r"\b\d+(\.\d+)? ?(ms|µs|secs?|seconds?)\b|\b(Wall|CPU) times?\b|\bit/s\b|\bs/it\b"),
    "an address on this machine": re.compile(r"\b(localhost|127\.0\.0\.1)\b"),
}
INSTALLS = re.compile(r"(?m)^\s*[!%]|\b(pip|conda|apt(-get)?) install\b|index-url")
UNCHECKED = re.compile(r"#\s*(NBVAL_|PYTEST_VALIDATE_)")


def problems(notebook: NotebookNode) -> list[str]:
    """What is wrong with a notebook that is to be committed, a line each; an empty list if nothing is.

    Asked of it: every code cell executed, in order, without error or warning; one ``parameters`` cell that begins
    with ``profile = "sample"``, and a table in the prose that lists them; outputs without paths, addresses, dates
    and durations; a text alternative for each image; one title, and headings that skip no level; no cell taken out of
    nbval's checks; no shell or installation command.
    """
    return [*_problems_of_code(notebook), *_problems_of_outputs(notebook), *_problems_of_prose(notebook)]


def _problems_of_code(notebook: NotebookNode) -> Iterator[str]:
    cells = code_cells(notebook)
    declared = [cell for cell in cells if "parameters" in tags(cell)]
    if len(declared) != 1:
        yield f"it has {len(declared)} cells tagged 'parameters', not one"
    elif next(iter(parameters(notebook).items()), None) != ("profile", DEFAULT_PROFILE):
        yield f"its parameters cell does not begin with profile = {DEFAULT_PROFILE!r}"
    if len(declared) == 1:
        yield from _problems_of_parameters(notebook)
    if any("injected-parameters" in tags(cell) for cell in notebook.cells):
        yield "it holds a cell that papermill injected: it is a run, not a source"
    for number, cell in enumerate(cells, start=1):
        if cell.execution_count is None:
            yield f"code cell {number}: no execution count, so nbval would not check it"
        elif cell.execution_count != number:
            yield f"code cell {number}: execution count {cell.execution_count}, so not run from top to bottom"
        if UNCHECKED.search(cell.source) or any(tag.startswith(("nbval", "raises-")) for tag in tags(cell)):
            yield f"code cell {number}: taken out of nbval's checks"
        if INSTALLS.search(cell.source):
            yield f"code cell {number}: a shell, magic or installation command"


def _problems_of_parameters(notebook: NotebookNode) -> Iterator[str]:
    declared, listed = list(parameters(notebook)), listed_parameters(notebook)
    if listed is None:
        yield "no table | parameter | meaning | in its prose"
        return
    for name in declared:
        if name not in listed:
            yield f"its parameter table lacks {name!r}"
    for name in dict.fromkeys(listed):
        if name not in declared:
            yield f"its parameter table lists {name!r}, which its parameters cell does not declare"
        elif listed.count(name) > 1:
            yield f"its parameter table lists {name!r} twice"


def _problems_of_outputs(notebook: NotebookNode) -> Iterator[str]:
    for number, cell in enumerate(code_cells(notebook), start=1):
        described = bool(cell.metadata.get("mystnb", {}).get("image", {}).get("alt"))
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"code cell {number}: the error {output.ename}"
            elif output.get("name") == "stderr":
                yield f"code cell {number}: it writes to standard error: {output.text.strip().splitlines()[0][:80]!r}"
            data = output.get("data", {})
            for kind in data:
                if kind.startswith("image/") and not (described or output.metadata.get(kind, {}).get("alt")):
                    yield f"code cell {number}: an image without alternative text"
            for image in re.findall(r"<img\b[^>]*>", _text(data.get("text/html", ""))):
                if not re.search(r"""\balt=("[^"\s][^"]*"|'[^'\s][^']*')""", image):
                    yield f"code cell {number}: an <img> without alternative text"
            shown = [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
            text = "\n".join(map(_text, shown))
            for what, pattern in UNSTABLE.items():
                if hit := pattern.search(IMAGE_DATA.sub("IMAGE", text)):
                    yield f"code cell {number}: its output holds {what}, {hit[0]!r}"


def _problems_of_prose(notebook: NotebookNode) -> Iterator[str]:
    levels = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"(?ms)^(`{3,}|~{3,}).*?^\1\s*$", "", cell.source)
            for mark, title in re.findall(r"(?m)^(#{1,6})\s+(.*)$", prose):
                if levels and len(mark) > levels[-1] + 1:
                    yield f"heading {title!r}: level {len(mark)} follows level {levels[-1]}"
                levels.append(len(mark))
            if re.search(r"!\[\s*\]\(", prose) or re.search(r"<img\b(?![^>]*\balt=[\"'][^\"'\s])", prose):
                yield "an image in the prose without alternative text"
            for directive in re.findall(r"(?ms)^[`:]{3,}\{(?:figure|image)\}.*?^[`:]{3,}\s*$", cell.source):
                if not re.search(r"(?m)^:alt:\s*\S", directive):
                    yield "a figure or image directive without :alt:"
            if INSTALLS.search("\n".join(line for line in prose.splitlines() if "install" in line)):
                yield "the prose tells the reader to install something: that belongs in the README"
    if levels.count(1) != 1 or levels[0] != 1:
        yield f"it has {levels.count(1)} titles; the first heading is to be its only one of level 1"


# ------------------------------------------------------------------------------------------------------- small helpers


def tags(cell: NotebookNode) -> list[str]:
    """The tags of a cell."""
    return cell.metadata.get("tags", [])


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def without_colours(text: str) -> str:
    """Text without the terminal's colour codes."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def indented(text: str) -> str:
    """Text four places to the right."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def shown(path: Path, root: Path = ROOT) -> str:
    """A path as a reader of the checkout knows it."""
    path = Path(path).resolve()
    return path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else str(path)


def write(path: Path, content: str | bytes) -> None:
    """Put a text, or bytes, into the place of a file, whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
