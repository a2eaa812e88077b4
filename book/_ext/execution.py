"""Executes notebooks with papermill, as tasks of doit: nothing runs without need, and nothing goes stale.

`execute` runs each notebook in a process and a folder of its own, ``_build/<profile>``, several side by side, and only
if its `fingerprint` changed: a SHA-256 over its code, its parameters, the library, the data that it can read, the
installed versions and the profile. The executed notebook itself holds the one that it was run with. The working tree is
never touched, but by `refresh`, which writes the outputs of the sample profile back.
"""

import contextlib
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from doit.api import run_tasks
from doit.cmd_base import TaskLoader2
from doit.task import Task

from book._ext import notebooks
from book._ext.notebooks import DEFAULT_PROFILE, ROOT, BuildError, shown

INPUTS = (
    "data/registry.toml",
    "data/profiles.toml",
    "data/published",
    "data/question_words.toml",
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


# --------------------------------------------------------------------------------------------------------- fingerprint


def fingerprint(
    root: Path,
    path: Path,
    profile: str = DEFAULT_PROFILE,
    parameters: Mapping[str, object] | None = None,
    shared: Mapping[str, str] | None = None,
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
    parameters : mapping, optional
        Those that replace the notebook's own.
    shared : mapping, optional
        The `surroundings`, if they are known already.

    Returns
    -------
    dict
        ``code``, ``parameters``, ``library``, ``data``, ``versions``: a hash each, so that a changed one can be named.
    """
    return {
        "code": _hash_code(notebooks.read(path)),
        "parameters": _hash(json.dumps([profile, parameters or {}], sort_keys=True, default=str)),
        **(shared or surroundings(root)),
    }


def surroundings(root: Path) -> dict[str, str]:
    """The part of a `fingerprint` that all notebooks share."""
    return {"library": hash_files(root, ["cdsm_lib"]), "data": hash_files(root, INPUTS), "versions": versions()}


def versions() -> str:
    """SHA-256 of the versions of Python and of all packages that are installed."""
    installed = sorted(f"{item.metadata['Name']}=={item.version}" for item in importlib.metadata.distributions())
    return _hash("\n".join([platform.python_version(), *installed]))


def _hash_code(notebook: nbformat.NotebookNode) -> str:
    cells = notebooks.code_cells(notebook)
    return _hash(json.dumps([(cell.source, sorted(notebooks.tags(cell))) for cell in cells]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_files(root: Path, names: Sequence[str]) -> str:
    """SHA-256 of the names and contents of all files under these names, byte code left out."""
    total = hashlib.sha256()
    for path in _files(root, names):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(f"{path.relative_to(root).as_posix()} {digest}\n".encode())
    return total.hexdigest()


def _files(root: Path, names: Sequence[str]) -> Iterator[Path]:
    for name in names:
        top = root / name
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


# ----------------------------------------------------------------------------------------------------------- execution


@dataclass(frozen=True)
class Executed:
    """One notebook after `execute`: where it stands, whether it ran just now, its run's seconds, its fingerprint."""

    source: Path
    path: Path
    ran: bool
    seconds: float
    fingerprint: dict[str, str]


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
    folder = root / "_build" / profile
    folder.mkdir(parents=True, exist_ok=True)
    sources = notebooks.named(only, root)
    shared = surroundings(root)
    tasks, stamps = [], {}
    with Papermill(root, threads=max(1, (os.cpu_count() or 1) // max(1, min(jobs, len(sources))))) as papermill:
        for source in sources:
            notebook = notebooks.read(source)
            parameters = {} if notebooks.parameters(notebook).get("profile") == profile else {"profile": profile}
            notebooks.check_parameters(notebook, parameters, shown(source, root))
            wanted = fingerprint(root, source, profile, parameters, shared)
            stamps[source] = _stamp(folder / source.name)
            before = stamps[source].get("fingerprint", {})
            changed = [part for part in wanted if before.get(part) != wanted[part]]
            reason = "first run" if not before else f"changed: {', '.join(changed)}" if changed else "asked for"
            job = [source, folder / source.name, parameters, wanted, reason]
            task = Task(source.stem, [(papermill.run, job)], uptodate=[not changed], io={"capture": False})
            tasks.append(task)
        settings = {
            "dep_file": ":memory:", "backend": "sqlite3",  # no record beside the notebooks, which know what they hold
            "reporter": "zero", "always": force, "num_process": jobs, "par_type": "thread",
        }  # fmt: skip
        run_tasks(_Tasks(tasks), {task.name: {} for task in tasks}, {"GLOBAL": settings})
        if papermill.errors:
            raise papermill.errors[0]
    stamps |= papermill.done
    return [Executed(source, folder / source.name, source in papermill.done, **stamps[source]) for source in sources]


def _stamp(path: Path) -> dict:
    """Fingerprint and seconds that the last run left in the executed notebook; empty if there was none."""
    try:
        return dict(json.loads(path.read_text("utf8"))["metadata"]["cdsm"])
    except (OSError, ValueError, KeyError, TypeError):
        return {}


class _Tasks(TaskLoader2):
    """Gives doit the tasks that it is to run."""

    def __init__(self, tasks: list[Task]):
        super().__init__()
        self.tasks = tasks

    def setup(self, opt_values):
        pass

    def load_doit_config(self):
        return {}

    def load_tasks(self, cmd, pos_args):
        return self.tasks


class Papermill:
    """Runs notebooks in processes of papermill, says so on standard error, and leaves none running behind it.

    Attributes
    ----------
    done : dict of Path
        The notebooks that ran to their end, each with its stamp: its fingerprint and its seconds.
    errors : list of Exception
        Those of the others, the first that failed before those that were stopped for it.
    """

    def __init__(self, root: Path, threads: int):
        self.root, self.done, self.errors = root, {}, []
        self.environment = {name: str(threads) for name in THREADS} | dict(os.environ)
        self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
        self.environment["JUPYTER_PREFER_ENV_PATH"] = self.environment["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        self._running: dict[subprocess.Popen, tuple[Path, str, float]] = {}  # each with its file, its name, its start
        self._stopped = threading.Event()
        self._starting = threading.Lock()  # whoever starts a process registers it before stop() may look

    def __enter__(self):
        if sys.stderr.isatty():
            threading.Thread(target=self._show_progress, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stop()

    def run(self, source: Path, target: Path, parameters: Mapping, wanted: Mapping, reason: str) -> bool:
        """Execute a notebook into a file that holds its fingerprint; False after a failure, which stops all others.

        What stood in the file before stays there if the notebook fails.
        """
        partial = target.with_name(f".{source.stem}.{os.getpid()}.ipynb")
        command = [sys.executable, "-m", "papermill", str(source), str(partial), "--kernel", "python3"]
        command += ["--cwd", str(source.parent), "--no-progress-bar", "--autosave-cell-every", "0"]
        command += ["--parameters_yaml", json.dumps(dict(parameters))]
        start = time.monotonic()
        try:
            process = self._start(command, source, partial, reason)
            log, _ = process.communicate()
            self._running.pop(process, None)
            if process.returncode:
                stopped = self._stopped.is_set()
                raise BuildError(f"{source.stem}: stopped" if stopped else self._failure(source, partial, log))
            seconds = time.monotonic() - start
            executed = notebooks.read(partial)
            stamp = {"fingerprint": {**wanted, "code": _hash_code(executed)}, "seconds": seconds}
            executed.metadata["cdsm"] = stamp
            nbformat.write(executed, partial)
            os.replace(partial, target)
            self.done[source] = stamp
            self._say(f"{source.stem}: done in {seconds:.0f} s")
        except Exception as error:
            self.errors.append(error)
            self.stop()
            return False
        finally:
            partial.unlink(missing_ok=True)
        return True

    def _start(self, command: list[str], source: Path, partial: Path, reason: str) -> subprocess.Popen:
        with self._starting:
            if self._stopped.is_set():
                raise BuildError(f"{source.stem}: stopped")
            self._say(f"{source.stem}: executing ({reason})")
            process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, start_new_session=True,
            )  # fmt: skip
            self._running[process] = partial, source.stem, time.monotonic()
        return process

    def _failure(self, source: Path, partial: Path, log: str) -> str:
        """The failing cell and its error; the notebook as far as it came is kept for looking at."""
        name = shown(source, self.root)
        with contextlib.suppress(BuildError):
            for cell in notebooks.code_cells(notebooks.read(partial)):
                for output in cell.outputs:
                    if output.output_type == "error":
                        failed = partial.parent / "failed" / source.name
                        failed.parent.mkdir(exist_ok=True)
                        os.replace(partial, failed)
                        if output.ename in REFUSALS:
                            return f"{name}: {output.evalue}"
                        trace = notebooks.without_colours("\n".join(output.traceback)).rstrip()
                        return (
                            f"{name}: a cell failed with {output.ename}: {output.evalue}\n\n"
                            f"{notebooks.indented(cell.source)}\n\n{notebooks.indented(trace)}\n\n"
                            f"The notebook as far as it came: {shown(failed, self.root)}"
                        )
        return f"{name}: could not be executed\n\n{notebooks.indented(notebooks.without_colours(log).strip()[-3000:])}"

    def _show_progress(self) -> None:
        """On a terminal, one line that says what is running and since when."""
        while not self._stopped.wait(0.5):
            now = time.monotonic()
            running = [f"{name} {now - start:.0f} s" for _, name, start in list(self._running.values())]
            print("\r\x1b[K" + ", ".join(running), end="", file=sys.stderr, flush=True)
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _say(self, line: str) -> None:
        print(("\r\x1b[K" if sys.stderr.isatty() else "") + line, file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the processes that still run, each takes its kernel with it; nothing half-done stays."""
        with self._starting:
            self._stopped.set()
            running = dict(self._running)
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            running[process][0].unlink(missing_ok=True)


def run(notebook: Path, parameters: Mapping[str, object], target: Path | None = None, *, root: Path = ROOT) -> Path:
    """Run one notebook with parameters of your own into a file of your own (``_build/run/<name>.ipynb``).

    A relative path for the parameter ``keep`` is one below the folder in which this is called: the notebook itself runs
    in its own.

    Raises
    ------
    BuildError
        For a parameter that the notebook does not declare, and if a cell fails.
    """
    notebooks.check_parameters(notebooks.read(notebook), parameters, shown(notebook, root))
    if isinstance(parameters.get("keep"), str):
        parameters = {**parameters, "keep": str(Path(parameters["keep"]).absolute())}
    target = target or root / "_build" / "run" / notebook.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with Papermill(root, threads=os.cpu_count() or 1) as papermill:
        papermill.run(notebook, target, parameters, {}, "asked for")
    if papermill.errors:
        raise papermill.errors[0]
    return target


def refresh(root: Path = ROOT, *, only: Sequence[str] = (), jobs: int = 2) -> list[Path]:
    """Execute the sample profile and write its outputs back into ``notebooks/``, cleaned; the files that changed.

    The files come out as ``nbstripout --keep-output --keep-count`` leaves them: no papermill metadata, no times, cells
    numbered in order.
    """
    from nbstripout import strip_output

    changed = []
    for item in execute(root, only=only, jobs=jobs):
        fresh = strip_output(
            notebooks.merge(notebooks.read(item.source), notebooks.read(item.path)),
            keep_output=True, keep_count=True, keep_id=False,
            extra_keys=["metadata.papermill", "metadata.widgets", "cell.metadata.papermill", "cell.metadata.execution",
                        "cell.metadata.collapsed", "cell.metadata.scrolled", "metadata.language_info.version"],
        )  # fmt: skip
        text = nbformat.writes(fresh) + "\n"
        if text != item.source.read_text("utf8"):
            notebooks.write(item.source, text)
            changed.append(item.source)
    return changed


def compare(root: Path, executed: Sequence[Executed]) -> list[str]:
    """Where the committed notebooks differ from this run, a line for each cell that does."""
    return [
        f"{shown(item.source, root)}: {line}"
        for item in executed
        for line in notebooks.differences(notebooks.read(item.source), notebooks.read(item.path))
    ]
