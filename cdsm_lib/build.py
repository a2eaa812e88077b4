"""Executes the notebooks, checks them, and renders the book: nothing runs without need, and nothing goes stale.

The road of a notebook:

1. `execute` runs it with papermill in a folder of its own under ``_build/<profile>``, several notebooks side by side,
   each only if its `fingerprint` changed: a SHA-256 over its code, its parameters, the library, the data that it can
   read, the installed versions and the profile.
2. `stage` lays the sources of the site under ``_build/site-<profile>/source``: prose, bibliography, and each
   notebook's present text joined with the outputs just computed. The working tree is never touched.
3. `render` has Jupyter Book build that folder, warnings as errors, removes what no page can load (`prune`), and moves
   the pages to ``_build/html`` when all is well.

The committed notebooks hold the outputs of the sample run. `differences` says where a fresh run departs from them,
`refresh` writes the fresh run back, and `problems` lists what a committed notebook must not contain.
"""

import ast
import contextlib
import copy
import difflib
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml
from nbformat import NotebookNode

from cdsm_lib import site

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_PROFILE = "sample"
INPUTS = (
    "data/registry.toml",
    "data/profiles.toml",
    "data/published",
    "data/sample",
    "data/annotations",
    "data/models",
    "data/distilled",
    "data/results",
    "data/sweep.toml",
    "requirements.lock",
)
"""What a notebook may read beside the library, relative to the root of the checkout."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


REFUSALS = ("ParameterError", "DataError", "UnreachableError")
"""Errors of the library that say all there is to say: what was given cannot be used, or what is needed is not there."""


class BuildError(ValueError):
    """The book cannot be built; the message names the notebook or file, the problem and the remedy."""


# -------------------------------------------------------------------------------------------- what belongs to the book


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
            raise BuildError(f"{_shown(root, path)}: listed in _toc.yml, but there is no such file")
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
    return [cell for cell in notebook.cells if cell.cell_type == "code" and "injected-parameters" not in _tags(cell)]


def parameters(notebook: NotebookNode) -> dict[str, object]:
    """Names and default values in the cell tagged ``parameters``; a value that is no literal appears as its source."""
    found: dict[str, object] = {}
    for cell in code_cells(notebook):
        if "parameters" in _tags(cell):
            for statement in ast.parse(cell.source).body:
                targets = getattr(statement, "targets", [getattr(statement, "target", None)])
                for target in targets:
                    if isinstance(target, ast.Name) and getattr(statement, "value", None) is not None:
                        try:
                            found[target.id] = ast.literal_eval(statement.value)
                        except ValueError:
                            found[target.id] = ast.unparse(statement.value)
    return found


def check_parameters(notebook: NotebookNode, given: Mapping[str, object], name: str) -> None:
    """Refuse parameters that the notebook does not declare (papermill only warns of them).

    Raises
    ------
    BuildError
        Naming the unknown parameters and those that exist.
    """
    known = parameters(notebook)
    unknown = [key for key in given if key not in known]
    if unknown:
        near = [found[0] for key in unknown if (found := difflib.get_close_matches(key, list(known), n=1))]
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


# --------------------------------------------------------------------------------------------------------- fingerprint


def fingerprint(
    root: Path, path: Path, profile: str = DEFAULT_PROFILE, given: Mapping[str, object] | None = None
) -> dict[str, str]:
    """SHA-256 of everything that an executed notebook depends on.

    Parameters
    ----------
    root : Path
        The checkout.
    path : Path
        The notebook. Its code counts, its prose and stored outputs do not.
    profile : str
        Name of the profile.
    given : mapping, optional
        Parameters that replace those of the notebook.

    Returns
    -------
    dict
        ``code``, ``parameters``, ``library``, ``data``, ``versions``: a hash each, so that a changed one can be named.
    """
    return _own(read(path), profile, given) | _surroundings(root)


def _own(notebook: NotebookNode, profile: str, given: Mapping[str, object] | None) -> dict[str, str]:
    """Hashes of what belongs to one run alone: the code and the parameters."""
    code = [(cell.source, sorted(_tags(cell))) for cell in code_cells(notebook)]
    return {
        "code": _hash(json.dumps(code)),
        "parameters": _hash(json.dumps([profile, given or {}], sort_keys=True, default=str)),
    }


def _surroundings(root: Path) -> dict[str, str]:
    """Hashes of what all notebooks share: the library, the data, the installed versions."""
    installed = sorted(f"{item.metadata['Name']}=={item.version}" for item in importlib.metadata.distributions())
    return {
        "library": _hash_files(root, ["cdsm_lib"]),
        "data": _hash_files(root, INPUTS),
        "versions": _hash("\n".join([platform.python_version(), *installed])),
    }


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _hash_files(root: Path, names: Sequence[str]) -> str:
    total = hashlib.sha256()
    for path in _files(root, names):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{path.relative_to(root).as_posix()} {digest}\n".encode())
    return total.hexdigest()


def _files(root: Path, names: Sequence[str]) -> Iterator[Path]:
    """Every file under these names, in a fixed order, without byte code."""
    for name in names:
        top = root / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


# ----------------------------------------------------------------------------------------------------------- execution


@dataclass(frozen=True)
class Executed:
    """One notebook after `execute`: where it stands, whether it ran just now, and how long its run took."""

    source: Path
    path: Path
    ran: bool
    seconds: float


def execute(
    root: Path = ROOT,
    profile: str = DEFAULT_PROFILE,
    *,
    only: Sequence[str] = (),
    jobs: int = 2,
    force: bool = False,
) -> list[Executed]:
    """Run the book's notebooks with papermill, `jobs` of them at a time, and only those whose fingerprint changed.

    Parameters
    ----------
    root : Path
        The checkout.
    profile : str
        Becomes each notebook's parameter ``profile``.
    only : sequence of str
        Names of notebooks (``30-relpron``); none means all.
    jobs : int
        How many run side by side, each in processes of its own.
    force : bool
        Run them even if nothing changed.

    Returns
    -------
    list of Executed
        In reading order. The files stand in ``_build/<profile>``.

    Raises
    ------
    BuildError
        With the failing cell and its error, if a notebook fails; the others that are running are stopped, and what
        was there before stays as it was. Also for a name that is not among the book's notebooks.
    """
    chosen = _choose(root, only)
    folder = root / "_build" / profile
    folder.mkdir(parents=True, exist_ok=True)
    shared = _surroundings(root)
    waiting, done = [], {}
    for source in chosen:
        notebook = read(source)
        given = {} if parameters(notebook).get("profile") == profile else {"profile": profile}
        check_parameters(notebook, given, _shown(root, source))
        wanted = _own(notebook, profile, given) | shared
        target = folder / source.name
        stamp = _stamp(target)
        if not force and stamp.get("fingerprint") == wanted:
            done[source] = Executed(source, target, False, stamp["seconds"])
        else:
            changed = [key for key in wanted if stamp.get("fingerprint", {}).get(key) != wanted[key]]
            reason = "first run" if not stamp else f"changed: {', '.join(changed)}" if changed else "asked for"
            waiting.append((source, target, given, wanted, reason))

    with _Runner(root, threads=max(1, (os.cpu_count() or 1) // max(1, min(jobs, len(waiting))))) as runner:
        with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
            futures = {pool.submit(runner.run, *job): job[0] for job in waiting}
            try:
                pending = set(futures)
                while pending:
                    finished, pending = wait(pending, timeout=0.5, return_when=FIRST_EXCEPTION)
                    for future in finished:
                        done[futures[future]] = future.result()
                    runner.tick()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                runner.stop()
                raise
    return [done[source] for source in chosen]


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


def run(notebook: Path, given: Mapping[str, object], target: Path | None = None, *, root: Path = ROOT) -> Path:
    """Run one notebook with parameters of your own into a file of your own (``_build/run/<name>.ipynb``).

    A relative path for the parameter ``keep`` is one below the folder in which this is called: the notebook itself runs
    in its own.

    Raises
    ------
    BuildError
        For a parameter that the notebook does not declare, and if a cell fails.
    """
    check_parameters(read(notebook), given, _shown(root, notebook))
    if isinstance(given.get("keep"), str):
        given = {**given, "keep": str(Path(given["keep"]).absolute())}
    target = target or root / "_build" / "run" / notebook.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with _Runner(root, threads=os.cpu_count() or 1) as runner:
        wanted = fingerprint(root, notebook, str(given.get("profile", "")), given)
        runner.run(notebook, target, given, wanted, "asked for")
    return target


class _Runner:
    """Runs notebooks in papermill processes, reports on the terminal, and leaves none running behind it."""

    def __init__(self, root: Path, threads: int):
        self.root, self.threads = root, threads
        self.running: dict[Path, tuple[subprocess.Popen, float]] = {}
        self.stopped = False
        self.starting = threading.Lock()  # whoever starts a process registers it before stop() may look

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, source: Path, target: Path, given: Mapping, wanted: dict[str, str], reason: str) -> Executed:
        name = source.stem
        partial = target.with_name(f".{name}.{os.getpid()}.ipynb")
        command = [sys.executable, "-m", "papermill", str(source), str(partial), "--kernel", "python3"]
        command += ["--cwd", str(source.parent), "--no-progress-bar", "--autosave-cell-every", "0"]
        if given:
            command += ["--parameters_yaml", json.dumps(given)]
        self._say(f"{name}: executing ({reason})")
        start = time.monotonic()
        try:
            with self.starting:
                if self.stopped:
                    raise BuildError(f"{name}: stopped")
                process = subprocess.Popen(
                    command, env=self._environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True, start_new_session=True,
                )  # fmt: skip
                self.running[source] = process, start
            log, _ = process.communicate()
            if process.returncode:
                if self.stopped:
                    raise BuildError(f"{name}: stopped")
                raise BuildError(self._failure(source, target, partial, log))
            seconds = time.monotonic() - start
            executed = read(partial)
            executed.metadata["cdsm"] = {"fingerprint": wanted, "seconds": seconds}
            nbformat.write(executed, partial)
            os.replace(partial, target)
        finally:
            self.running.pop(source, None)
            partial.unlink(missing_ok=True)
        self._say(f"{name}: done in {seconds:.0f} s")
        return Executed(source, target, True, seconds)

    def _environment(self) -> dict[str, str]:
        environment = dict(os.environ)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(self.root), os.environ.get("PYTHONPATH")]))
        environment["JUPYTER_PREFER_ENV_PATH"] = environment["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        for name in THREADS:
            environment.setdefault(name, str(self.threads))
        return environment

    def _failure(self, source: Path, target: Path, partial: Path, log: str) -> str:
        """The failing cell and its error; the notebook as far as it came is kept for looking at."""
        name = _shown(self.root, source)
        with contextlib.suppress(BuildError):
            for cell in code_cells(read(partial)):
                for output in cell.outputs:
                    if output.output_type == "error":
                        kept = target.parent / "failed" / source.name
                        kept.parent.mkdir(exist_ok=True)
                        os.replace(partial, kept)
                        if output.ename in REFUSALS:
                            return f"{name}: {output.evalue}"
                        trace = _plain("\n".join(output.traceback)).rstrip()
                        return (
                            f"{name}: a cell failed with {output.ename}: {output.evalue}\n\n{_indent(cell.source)}\n\n"
                            f"{_indent(trace)}\n\nThe notebook as far as it came: {_shown(self.root, kept)}"
                        )
        return f"{name}: could not be executed\n\n{_indent(_plain(log).strip()[-3000:])}"

    def tick(self) -> None:
        """On a terminal, one line that says what is running and since when."""
        if sys.stderr.isatty():
            now = time.monotonic()
            states = [f"{source.stem} {now - start:.0f} s" for source, (_, start) in list(self.running.items())]
            print("\r\x1b[K" + ", ".join(states), end="", file=sys.stderr, flush=True)

    def _say(self, line: str) -> None:
        print(("\r\x1b[K" if sys.stderr.isatty() else "") + line, file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the papermill processes that still run; each takes its kernel with it."""
        with self.starting:
            self.stopped = True
        for process, _ in list(self.running.values()):
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
        for process, _ in list(self.running.values()):
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def _choose(root: Path, only: Sequence[str]) -> list[Path]:
    every = notebooks(root)
    unknown = [name for name in only if name not in {path.stem for path in every}]
    if unknown:
        raise BuildError(f"no notebook {', '.join(unknown)}; the book has {', '.join(path.stem for path in every)}")
    return [path for path in every if not only or path.stem in only]


def _stamp(path: Path) -> dict:
    """Fingerprint and seconds that the last run left in the executed notebook; empty if there was none."""
    try:
        return dict(json.loads(path.read_text("utf8"))["metadata"]["cdsm"])
    except (OSError, ValueError, KeyError):
        return {}


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
    injected = [cell for cell in executed.cells if "injected-parameters" in _tags(cell)]
    cells = []
    for cell in merged.cells:
        cells.append(cell)
        if cell.cell_type == "code":
            fresh = next(outputs)
            cell.outputs, cell.execution_count = _coalesced(fresh.outputs), fresh.execution_count
            if "parameters" in _tags(cell):
                for extra in injected:
                    extra.metadata = {"tags": ["injected-parameters"]}
                    cells.append(extra)
    merged.cells = cells
    return merged


def differences(committed: NotebookNode, executed: NotebookNode) -> list[str]:
    """Where the stored outputs differ from a fresh run, a line for each code cell; images are not compared.

    Figures are tested by the data that they plot: their pixels depend on the machine.
    """
    found = []
    for number, (old, new) in enumerate(zip(code_cells(committed), code_cells(executed), strict=True), start=1):
        before, after = _comparable(old.outputs), _comparable(new.outputs)
        if old.execution_count is None:
            found.append(f"code cell {number}: it was never executed")
        elif before != after:
            pairs = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
            a, b = pairs[0] if pairs else (f"{len(before)} outputs", f"{len(after)} outputs")
            found.append(f"code cell {number}: stored {_first_difference(a, b)}")
    return found


def refresh(root: Path = ROOT, *, only: Sequence[str] = (), jobs: int = 2) -> list[Path]:
    """Execute the sample profile and write its outputs back into ``notebooks/``, cleaned; the files that changed.

    The files come out as ``nbstripout --keep-output --keep-count`` leaves them: no papermill metadata, no times, cells
    numbered in order.
    """
    from nbstripout import strip_output

    changed = []
    for item in execute(root, DEFAULT_PROFILE, only=only, jobs=jobs):
        fresh = strip_output(
            merge(read(item.source), read(item.path)), keep_output=True, keep_count=True, keep_id=False,
            extra_keys=["metadata.papermill", "metadata.widgets", "metadata.cdsm", "cell.metadata.papermill",
                        "cell.metadata.execution", "cell.metadata.collapsed", "cell.metadata.scrolled",
                        "metadata.language_info.version"],
        )  # fmt: skip
        text = nbformat.writes(fresh) + "\n"
        if text != item.source.read_text("utf8"):
            _write(item.source, text)
            changed.append(item.source)
    return changed


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
    declared = [cell for cell in cells if "parameters" in _tags(cell)]
    if len(declared) != 1:
        yield f"it has {len(declared)} cells tagged 'parameters', not one"
    elif next(iter(parameters(notebook).items()), None) != ("profile", DEFAULT_PROFILE):
        yield f"its parameters cell does not begin with profile = {DEFAULT_PROFILE!r}"
    if len(declared) == 1:
        yield from _problems_of_parameters(notebook)
    if any("injected-parameters" in _tags(cell) for cell in notebook.cells):
        yield "it holds a cell that papermill injected: it is a run, not a source"
    for number, cell in enumerate(cells, start=1):
        if cell.execution_count is None:
            yield f"code cell {number}: no execution count, so nbval would not check it"
        elif cell.execution_count != number:
            yield f"code cell {number}: execution count {cell.execution_count}, so not run from top to bottom"
        if UNCHECKED.search(cell.source) or any(tag.startswith(("nbval", "raises-")) for tag in _tags(cell)):
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


# ------------------------------------------------------------------------------------------------------------ the site


def stage(root: Path, profile: str, executed: Sequence[Executed]) -> Path:
    """Lay out the sources of the site under ``_build/site-<profile>/source``; the folder.

    Prose and bibliography are copied, notebooks are joined with the outputs of this run, and `cdsm_lib.site` writes
    the rest.
    """
    folder = root / "_build" / f"site-{profile}" / "source"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "notebooks").mkdir(parents=True)
    for name in ("_config.yml", "_toc.yml"):
        shutil.copyfile(root / name, folder / name)
    shutil.copytree(root / "book", folder / "book")
    for item in executed:
        nbformat.write(merge(read(item.source), read(item.path)), folder / "notebooks" / item.source.name)
    site.write(folder / "book", root, profile, executed)
    return folder


def render(root: Path, profile: str, folder: Path) -> Path:
    """Have Jupyter Book render a staged folder, from scratch, every warning an error; the finished ``index.html``.

    The pages move to ``_build/html`` only when all of them are there; nothing is rendered if the staged sources and the
    installed versions are those of the pages that already stand there.

    Raises
    ------
    BuildError
        With Jupyter Book's warnings, if it has any.
    """
    pages_at = root / "_build" / "html"
    wanted = _hash_files(folder, ["."]) + _surroundings(root)["versions"] + profile
    stamp = root / "_build" / "html.fingerprint"
    if (pages_at / "index.html").is_file() and stamp.is_file() and stamp.read_text() == wanted:
        return pages_at / "index.html"
    output = folder.parent / "output"
    shutil.rmtree(output, ignore_errors=True)
    program = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()"]
    process = subprocess.Popen(
        [*program, "build", str(folder), "--path-output", str(output), "-W", "-n", "--keep-going"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))},
    )  # fmt: skip
    try:
        log, _ = process.communicate()
    except BaseException:
        process.terminate()
        process.wait(timeout=10)
        raise
    (folder.parent / "render.log").write_text(log, "utf8")
    built = output / "_build" / "html"
    if process.returncode or not (built / "index.html").is_file():
        telling = [line for line in _plain(log).splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL):|Error: ", line)]
        raise BuildError(
            "Jupyter Book could not render the book without warnings:\n"
            + _indent("\n".join(dict.fromkeys(telling)) or _plain(log)[-3000:])
            + f"\nThe whole log: {_shown(root, folder.parent / 'render.log')}"
        )
    prune(built)
    stamp.unlink(missing_ok=True)
    shutil.rmtree(pages_at, ignore_errors=True)
    os.replace(built, pages_at)
    _write(stamp, wanted)
    return pages_at / "index.html"


UNUSED = (
    "**/*.map",  # of the minified scripts and styles, for their developers' tools
    "_static/locales",  # what the theme says in other languages
    "_static/mathjax/mml-*.js",  # MathJax in other combinations than tex-chtml.js, which holds all that it needs
    "_static/mathjax/tex-*-*.js",
    "_static/mathjax/tex-svg.js",
    "_static/mathjax/latest.js",
    "_static/mathjax/loader.js",
    "_static/mathjax/startup.js",
    "_static/mathjax/core.js",
    "_static/mathjax/node-main.js",
    "_static/mathjax/adaptors",
    "_static/mathjax/input/tex.js",
    "_static/mathjax/input/tex-*.js",
    "_static/mathjax/input/asciimath.js",
    "_static/mathjax/input/mml",
    "_static/mathjax/output/chtml.js",
)
"""What Sphinx and its extensions copy into the site and no page can load; as patterns."""


def prune(html: Path) -> int:
    """Remove from a rendered site what no page can load (`UNUSED`); the bytes that it took.

    What MathJax loads when a reader asks for it in the menu of a formula stays: pictures in place of text, the
    explorer with its speech, and the extensions of TeX.
    """
    freed = 0
    for pattern in UNUSED:
        for path in list(html.glob(pattern)):
            freed += sum(file.stat().st_size for file in _files(path.parent, [path.name]))
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return freed


def book(
    root: Path = ROOT, profile: str = DEFAULT_PROFILE, *, jobs: int = 2, force: bool = False
) -> tuple[Path, list[str]]:
    """Execute, compare, render; the place of the first page, and where the committed notebooks depart from this run.

    Only the sample profile is compared: it is the one whose outputs are committed.
    """
    executed = execute(root, profile, jobs=jobs, force=force)
    departures = compare(root, executed) if profile == DEFAULT_PROFILE else []
    return render(root, profile, stage(root, profile, executed)), departures


def compare(root: Path, executed: Sequence[Executed]) -> list[str]:
    """Where the committed notebooks differ from this run, a line for each cell that does."""
    return [
        f"{_shown(root, item.source)}: {line}"
        for item in executed
        for line in differences(read(item.source), read(item.path))
    ]


# ------------------------------------------------------------------------------------------------------- small helpers


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else "".join(value)


def _plain(text: str) -> str:
    """Text without the terminal's colour codes."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _indent(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _shown(root: Path, path: Path) -> str:
    """A path as a reader of the checkout knows it."""
    path = Path(path).resolve()
    return path.relative_to(root.resolve()).as_posix() if path.is_relative_to(root.resolve()) else str(path)


def _write(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, "utf8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)
