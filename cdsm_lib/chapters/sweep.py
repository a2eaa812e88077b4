"""``make sweep``: what becomes of the claims if the corpus is smaller, or the dimensions or the window are others.

``data/sweep.toml`` lists the settings. Each is one run of a chapter's notebook with changed parameters; of its figures
and claims a small ledger is kept in ``data/results/sweep/<chapter>/<setting>.json``, committed like the figures of the
profiles. `steps` then says what becomes of each verdict, and `verdicts_of` shows them side by side::

    for setting in settings():              # the grid, in the order of the file
        ledger_of(setting)                  # what that run found; None if it has not been run
    for setting, claim, before, step in steps(settings()):
        print(setting.label, claim.text, before, claim.verdict, step)

A verdict is the outcome of a test (see `cdsm_lib.evaluation.results`). From *holds* to *undecided* may be a small
step, so the ledgers keep the evidence too. Many settings are tried, and none of the tests is corrected for their
number.
"""

import re
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.evaluation.results import Claim, Results, commit, results_folder

VARIED = ("corpus", "dimensions", "window")
"""What a setting may vary."""


class SweepError(ValueError):
    """``data/sweep.toml`` or a ledger of a sweep is not as it must be; the message says where, and the remedy."""


@dataclass(frozen=True)
class Setting:
    """One run of a chapter with changed parameters.

    Attributes
    ----------
    chapter : str
        As in the ledgers, such as ``relpron``.
    notebook : str
        Its name, such as ``30-relpron``.
    varied : {"corpus", "dimensions", "window"}
    label : str
        For readers, such as ``1/16 of the corpus``.
    parameters : mapping
        What is given to the notebook beside the profile.
    profile : str
    headline : mapping
        Fields of a result that those kept beside the claims must have.
    """

    chapter: str
    notebook: str
    varied: str
    label: str
    parameters: Mapping[str, object]
    profile: str
    headline: Mapping[str, str]

    @property
    def place(self) -> Path:
        """Where its ledger is committed, named by the parameters: with others it is another run."""
        name = "-".join(re.findall(r"[a-z0-9.]+", str(dict(self.parameters)).lower()))
        return folder() / self.chapter / f"{name}.json"


def folder() -> Path:
    """Where the ledgers of the sweep are committed, a folder a chapter."""
    return results_folder() / "sweep"


def settings() -> list[Setting]:
    """The grid, in the order of the file (``data/sweep.toml``).

    Raises
    ------
    SweepError
        If the file cannot be read, lacks an entry or has an unknown one, varies what is none of `VARIED`, or has a
        label or parameters twice.
    """
    path, grid = datasets.data_root() / "sweep.toml", []
    try:
        for chapter, table in tomllib.loads(path.read_text("utf8")).items():
            entries = table.pop("settings")
            grid += [Setting(chapter, **table, **entry) for entry in entries]
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise SweepError(f"{path.name}: {error}; correct it") from None
    for name in ("label", "place"):
        named = Counter((setting.chapter, getattr(setting, name)) for setting in grid)
        if twice := [str(key) for key, n in named.items() if n > 1]:
            raise SweepError(f"{path.name}: a {name} stands twice: {', '.join(twice)}")
    if unknown := {setting.varied for setting in grid} - set(VARIED):
        raise SweepError(f"{path.name}: varied is {', '.join(unknown)}, not one of {', '.join(VARIED)}")
    return grid


def ledger_of(setting: Setting) -> Results | None:
    """What the run with this setting found: its claims, and the figures that `Setting.headline` names; None if it has
    not been run.

    Raises
    ------
    ResultsError
        If the file is no ledger.
    """
    return Results.read(setting.place) if setting.place.is_file() else None


def base_of(setting: Setting) -> Results:
    """The committed figures with which a setting is compared: those of the same chapter and profile."""
    return Results.read(datasets.data_root() / "results" / setting.profile / f"{setting.chapter}.json")


def verdicts_of(chapter: str) -> tuple[list[str], dict[str, list[str | None]]]:
    """All verdicts of a chapter, by claim and setting.

    Returns
    -------
    columns : list of str
        The profile of the committed figures, then the label of each setting that has been run.
    rows : dict of str to list of str or None
        Under the text of each claim its verdict in every column, None where a run does not have the claim.

    """
    tried = [setting for setting in settings() if setting.chapter == chapter]
    base = base_of(tried[0])
    runs = {setting.label: run for setting in tried if (run := ledger_of(setting)) is not None}
    columns = [_verdicts(ledger) for ledger in (base, *runs.values())]
    return [base.profile, *runs], {claim.text: [of.get(claim.id) for of in columns] for claim in base.claims}


def _verdicts(ledger: Results) -> dict[str, str]:
    return {claim.id: claim.verdict for claim in ledger.claims}


STEPS = ("the same", "decided to undecided", "undecided to decided", "reversed")
"""What may become of a verdict in another setting."""


def step(before: str, after: str) -> str:
    """Which of `STEPS` leads from one verdict to another."""
    if before == after:
        return STEPS[0]
    return STEPS[1] if after == "undecided" else STEPS[2] if before == "undecided" else STEPS[3]


def steps(grid: Iterable[Setting]) -> list[tuple[Setting, Claim, str, str]]:
    """Every verdict of the settings that have been run, as (setting, claim there, verdict of the committed figures,
    step), without claims that the committed figures do not have."""
    verdicts = []
    for setting in grid:
        before, run = _verdicts(base_of(setting)), ledger_of(setting)
        verdicts += [
            (setting, claim, before[claim.id], step(before[claim.id], claim.verdict))
            for claim in (run.claims if run else ())
            if claim.id in before
        ]
    return verdicts


def main(run: Callable[[str, Mapping, str], object], force: bool = False, only: Sequence[str] = ()) -> int:
    """Run the settings whose ledger is not there yet (all with `force`), of these chapters or notebooks if any named.

    Parameters
    ----------
    run : callable
        Executes a notebook: its name, its parameters, a name for the executed file.
    force : bool
    only : sequence of str

    Returns
    -------
    int
        0, or 1 if a run failed; the others are run all the same.
    """
    grid = settings()
    names = list(dict.fromkeys(name for setting in grid for name in (setting.chapter, setting.notebook)))
    if unknown := [name for name in only if name not in names]:
        raise SweepError(f"no chapter {', '.join(unknown)} in data/sweep.toml; there are {', '.join(names)}")
    asked = [s for s in grid if not only or s.chapter in only or s.notebook in only]
    waiting = [s for s in asked if force or not s.place.is_file()]
    print(f"{len(asked) - len(waiting)} of {len(asked)} settings are there, {len(waiting)} to run", flush=True)
    failed = 0
    for number, setting in enumerate(waiting, start=1):
        print(f"[{number}/{len(waiting)}] {setting.chapter}, {setting.label}", flush=True)
        try:
            now, before = _verdicts(run_setting(setting, run)), _verdicts(base_of(setting))
        except ValueError as error:
            failed += 1
            print(f"error: {error}", flush=True)
            continue
        others = [f"{id}: {before.get(id, 'absent')}, here {now[id]}" for id in now if now[id] != before.get(id)]
        print("  " + "; ".join([f"{len(now)} claims, {len(others)} with another verdict", *others]), flush=True)
    return int(failed > 0)


def run_setting(setting: Setting, run: Callable[[str, Mapping, str], object]) -> Results:
    """Run the notebook with this setting, and write what is kept of its figures to the ledger's place."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ledger.json"
        parameters = {"profile": setting.profile, **setting.parameters, "keep": str(path)}
        run(setting.notebook, parameters, f"{setting.chapter}/{setting.place.stem}")
        ledger = Results.read(path)
    ledger = replace(ledger, results=tuple(ledger.find(**setting.headline)))
    commit(ledger, setting.place)
    return ledger
