"""Executes notebooks with papermill, several side by side: nothing runs without need, and nothing goes stale.

`execute` runs each notebook in a process of its own into ``_build/<profile>``, and only if its `fingerprint` changed: a
SHA-256 over its code, its parameters, the library, the data that it can read, the installed versions and the profile.
The executed notebook itself holds the one that it was run with. The working tree is never touched, but by `refresh`,
which writes the outputs of the sample profile back.
"""

import asyncio
import contextlib
import hashlib
import importlib.metadata
import json
import multiprocessing
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing import forkserver
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import nbformat
import papermill
import pooch
from nbconvert.filters import strip_ansi
from nbformat import NotebookNode
from nbstripout import strip_output

from book._ext import notebooks
from book._ext.notebooks import DEFAULT_PROFILE, ROOT, BuildError, shown
from cdsm_lib.datasets import own_profile
from cdsm_lib.settings import KEPT, check_settings, place_for, use_profile
from cdsm_lib.storage import alone as alone_at
from cdsm_lib.storage import whole_file

PAD = "    "
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload([__name__])  # with papermill, which takes as long to import as a small notebook

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

LONGEST = ("20-", "30-", "90-", "01-", "50-", "10-", "11-")
"""How the notebooks begin that take longest: they start first, or one of them would run alone at the end."""

REFUSALS = ("ParameterError", "DataError", "UnreachableError", "TaskError", "ConlluError")
"""Errors of the library that say all there is to say: what was given cannot be used, or what is needed is not there."""


# --------------------------------------------------------------------------------------------------------- fingerprint


def fingerprint(path: Path, profile: str, parameters: Mapping, shared: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of everything that an executed notebook depends on, but for its prose and stored outputs.

    ``code``, ``parameters``, ``library``, ``data`` and ``versions`` have a hash each, so that a changed one can be
    named; `shared` has the `surroundings`.
    """
    return {
        "code": hash_code(notebooks.read(path)),
        "parameters": _hash(json.dumps([profile, parameters], sort_keys=True, default=str)),
        **shared,
    }


def surroundings(root: Path) -> dict[str, str]:
    """The part of a `fingerprint` that all notebooks share; with a profile of one's own, its settings and corpus."""
    shared = {"library": hash_files(root, ["cdsm_lib"]), "data": hash_files(root, inputs(root)), "versions": versions()}
    if own := own_profile():
        about = (own["corpus"] / "corpus.json").read_text("utf8")
        shared["profile"] = _hash(json.dumps([own, about], default=str))
    return shared


def inputs(root: Path) -> list[str]:
    """What a notebook may read beside the library: the lock, and all data but profiles of one's own."""
    return ["requirements.lock", *(f"data/{p.name}" for p in (root / "data").glob("[!.]*") if p.name != "profiles")]


def versions() -> str:
    """SHA-256 of the versions of Python and of all packages that are installed."""
    installed = sorted(f"{item.metadata['Name']}=={item.version}" for item in importlib.metadata.distributions())
    return _hash("\n".join([platform.python_version(), *installed]))


def hash_code(notebook: NotebookNode) -> str:
    """SHA-256 of a notebook's code and its tags."""
    cells = notebooks.code_cells(notebook)
    return _hash(json.dumps([(cell.source, sorted(notebooks.tags(cell))) for cell in cells]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def hash_files(root: Path, names: Sequence[str]) -> str:
    """SHA-256 of the names and contents of all files under these names, byte code left out."""
    lines = []
    for top in (root / name for name in sorted(names)):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.is_file() and "__pycache__" not in path.parts:
                lines.append(f"{path.relative_to(root).as_posix()} {pooch.file_hash(path)}\n")
    return _hash("".join(lines))


# ----------------------------------------------------------------------------------------------------------- execution


@dataclass(frozen=True)
class Executed:
    """One notebook after `execute`: where it stands, whether it ran just now, its run's seconds, its fingerprint."""

    source: Path
    path: Path
    ran: bool
    seconds: float
    fingerprint: dict[str, str]


class Job(NamedTuple):
    """A notebook that is to run: its file, where the run goes, its parameters, its fingerprint, why it runs."""

    source: Path
    target: Path
    parameters: Mapping[str, object]
    wanted: Mapping[str, str]
    reason: str


def execute(
    root: Path = ROOT,
    profile: str = DEFAULT_PROFILE,
    *,
    only: Sequence[str] = (),
    jobs: int = 2,
    force: bool = False,
) -> list[Executed]:
    """Run the book's notebooks with papermill, `jobs` of them at a time, and only those whose fingerprint changed.

    In reading order; the files stand in ``_build/<profile>``. `only` has names of notebooks (``30-relpron``), none
    means all; with `force` they run even if nothing changed. The profile becomes each notebook's parameter ``profile``;
    of one's own, that which it extends (`use_profile`).

    Raises
    ------
    BuildError
        With the failing cell and its error, if a notebook fails; the others that are running are stopped, and what
        was there before stays as it was. Also for a name that is not among the book's notebooks.
    """
    base, profile = ready(profile)
    forkserver.ensure_running()  # it loads papermill meanwhile; a script without a main guard is refused
    targets = {source: root / "_build" / profile / source.name for source in notebooks.named(only, root)}
    with alone(root):
        waiting = _changed(root, profile, base, targets, force)
        for left in (root / "_build" / profile).glob(".*.*"):  # by a run that was killed
            shutil.rmtree(left)
        asyncio.run(_run_all(root, waiting, jobs))
    ran = {job.source for job in waiting}
    return [Executed(source, target, source in ran, **_stamp(target)) for source, target in targets.items()]


def ready(profile: str) -> tuple[str, str]:
    """Turn to a profile: what notebooks take for it, and its name. What one's own needs of its corpus is made first."""
    base = use_profile(profile)
    if base == "sample" and own_profile():
        from scripts import distil  # half of the library, which no other run needs

        distil.own()
    return base, own_profile().get("name", profile)


def kept(root: Path, notebook: Path) -> dict[str, str]:
    """Where the figures of a run go, as a parameter: to ``_build/<name>/results`` if the profile is one's own."""
    own = own_profile()
    if not own or "keep" not in notebooks.parameters(notebooks.read(notebook)):
        return {}
    return {"keep": str(root / "_build" / own["name"] / "results" / f"{notebook.stem}.json")}


def alone(root: Path) -> AbstractContextManager[None]:
    """One build of a checkout at a time: a second one says that it waits, and goes on when the first has ended."""
    return alone_at(root / "_build/.book.lock", "another build of this book is running; this one waits for it")


def _changed(root: Path, profile: str, base: str, targets: Mapping[Path, Path], force: bool) -> list[Job]:
    """The notebooks that have to run, the `LONGEST` first."""
    shared = surroundings(root)
    waiting = []
    for source, target in targets.items():
        notebook = notebooks.read(source)
        parameters = {} if notebooks.parameters(notebook).get("profile") == base else {"profile": base}
        parameters |= kept(root, source)
        notebooks.check_parameters(notebook, parameters, shown(source, root))
        wanted = fingerprint(source, profile, parameters, shared)
        before = _stamp(target).get("fingerprint", {})
        changed = [part for part in wanted if before.get(part) != wanted[part]]
        if changed or force:
            reason = "first run" if not before else f"changed: {', '.join(changed)}" if changed else "asked for"
            waiting.append(Job(source, target, parameters, wanted, reason))
    return sorted(waiting, key=lambda job: (*LONGEST, job.source.stem[:3]).index(job.source.stem[:3]))


def _stamp(path: Path) -> dict:
    """Fingerprint and seconds that the last run left in the executed notebook; empty if there was none."""
    return json.loads(path.read_text("utf8"))["metadata"].get("cdsm", {}) if path.is_file() else {}


async def _run_all(root: Path, waiting: Sequence[Job], side_by_side: int) -> None:
    """Run notebooks in processes of papermill; the first that fails, or an interruption, stops all others."""
    slots = asyncio.Semaphore(side_by_side)
    environment = _environment(root, threads=(os.cpu_count() or 1) // max(1, min(side_by_side, len(waiting))))
    try:
        async with asyncio.TaskGroup() as group:
            for job in waiting:
                group.create_task(_run(root, job, environment, slots))
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


def _environment(root: Path, threads: int) -> dict[str, str]:
    """The variables that a notebook's process sees; no empty entry in the path, which would be where it stands."""
    variables = {name: str(max(1, threads)) for name in THREADS} | dict(os.environ)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
    variables["JUPYTER_PREFER_ENV_PATH"] = variables["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    return variables


async def _run(root: Path, job: Job, environment: dict, slots: asyncio.Semaphore) -> None:
    """Execute a notebook into a file that holds its fingerprint; what stood there before stays if it fails."""
    name = job.source.stem
    async with slots, contextlib.AsyncExitStack() as afterwards:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        scratch = tempfile.TemporaryDirectory(prefix=f".{name}.", dir=job.target.parent)
        partial = Path(afterwards.enter_context(scratch)) / job.source.name
        channels = afterwards.enter_context(tempfile.TemporaryDirectory(prefix="cdsm."))
        log = partial.with_suffix(".log")
        print(f"{name}: executing ({job.reason})", file=sys.stderr, flush=True)
        start = time.monotonic()
        process = FORKS.Process(target=_papermill, args=(job, partial, log, environment, f"{channels}/kernel"))
        process.start()
        afterwards.callback(_end, process)
        await asyncio.to_thread(process.join)
        if process.exitcode:
            said = log.read_text(errors="replace") if log.is_file() else ""
            silent = f"it ended with status {process.exitcode} and said nothing: is there room on the disk, in memory?"
            raise BuildError(_failure(root, job, partial, said.strip() or silent))
        executed = notebooks.read(partial)
        fresh = {**job.wanted, "code": hash_code(executed)}
        executed.metadata["cdsm"] = {"fingerprint": fresh, "seconds": time.monotonic() - start}
        nbformat.write(executed, partial)
        os.replace(partial, job.target)
        print(f"{name}: done in {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


def _papermill(job: Job, partial: Path, log: Path, environment: Mapping[str, str], channels: str) -> None:
    """Execute a notebook into a file, in a session of its own; what is printed, a traceback too, goes into the log."""
    os.setsid()
    os.environ.update(environment)
    said = os.open(log, os.O_WRONLY | os.O_CREAT)
    os.dup2(said, 1)
    os.dup2(said, 2)
    papermill.execute_notebook(
        job.source, partial, dict(job.parameters), kernel_name="python3", cwd=job.source.parent, progress_bar=False,
        config=notebooks.sockets(channels),
    )  # fmt: skip


def _end(process: multiprocessing.process.BaseProcess) -> None:
    """End a process that still runs; its kernel ends with it."""
    process.terminate()
    process.join(10)
    if process.exitcode is None:
        process.kill()


def _failure(root: Path, job: Job, partial: Path, log: str) -> str:
    """The failing cell and its error; the notebook as far as it came is kept for looking at."""
    name = shown(job.source, root)
    errors = []
    with contextlib.suppress(BuildError):  # it may not have come to write one
        cells = notebooks.code_cells(notebooks.read(partial))
        errors = [(cell, out) for cell in cells for out in cell.outputs if out.output_type == "error"]
    for cell, error in errors:
        failed = job.target.parent / "failed" / job.source.name
        failed.parent.mkdir(exist_ok=True)
        os.replace(partial, failed)
        if error.ename in REFUSALS:
            return f"{name}: {error.evalue}"
        trace = strip_ansi("\n".join(error.traceback)).rstrip()
        return (
            f"{name}: a cell failed with {error.ename}: {error.evalue}\n\n{indent(cell.source, PAD)}\n\n"
            f"{indent(trace, PAD)}\n\nThe notebook as far as it came: {shown(failed, root)}"
        )
    return f"{name}: could not be executed\n\n{indent(strip_ansi(log)[-3000:], PAD)}"


def run(notebook: Path, parameters: Mapping[str, object], target: Path | None = None, *, root: Path = ROOT) -> Path:
    """Run one notebook with parameters of your own into a file of your own (``_build/run/<name>.ipynb``).

    A relative path among the parameters is one below the folder in which this is called: the notebook itself runs in
    its own.

    Raises
    ------
    BuildError
        For a parameter that the notebook does not declare, and if a cell fails.
    ParameterError, DataError
        Before anything runs: for a value that a parameter cannot have, an unknown profile, or a place for the notebook
        or its figures that is not the user's; see `place_for`.
    """
    source = notebooks.read(notebook)
    notebooks.check_parameters(source, parameters, shown(notebook, root))
    parameters = {name: _from_here(value) for name, value in parameters.items()}
    if "profile" in parameters:
        parameters["profile"], _ = ready(parameters["profile"])
    parameters = kept(root, notebook) | parameters
    check_settings(notebook.stem, notebooks.parameters(source) | parameters)
    if parameters.get("keep"):
        parameters["keep"] = str(place_for("keep", parameters["keep"], KEPT))
    target = place_for("--to", target, '"fingerprint"') if target else root / "_build" / "run" / notebook.name
    asyncio.run(_run_all(root, [Job(notebook, target, parameters, {}, "asked for")], 1))
    return target


def _from_here(value: object) -> object:
    """A path made absolute; anything else as it is."""
    return os.path.abspath(os.path.expanduser(value)) if isinstance(value, str) and os.sep in value else value


def refresh(root: Path = ROOT, *, only: Sequence[str] = (), jobs: int = 2) -> list[Path]:
    """Execute the sample profile and write its outputs back into ``notebooks/``, cleaned; the files that changed.

    The files come out as ``nbstripout --keep-output --keep-count`` leaves them: no papermill metadata, no times, cells
    numbered in order.
    """
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
            with whole_file(item.source) as file:
                file.write(text)
            changed.append(item.source)
    return changed
