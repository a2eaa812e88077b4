"""``make sweep``: what becomes of the claims if the corpus is smaller, or the dimensions or the window are others.

``data/sweep.toml`` lists the settings. Each is one run of a chapter's notebook with changed parameters; of its figures
and claims a small ledger is kept in ``data/results/sweep/<chapter>/<setting>.json``, committed like the figures of the
profiles. `steps` then says what becomes of each verdict, and `verdicts_of` shows them side by side.

Many settings are tried, and none of the tests is corrected for their number.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.evaluation.results import Claim, Results, commit, committed, results_folder
from cdsm_lib.settings import expect_among

VARIED = ("corpus", "dimensions", "window")
"""What a setting may vary."""


@dataclass(frozen=True)
class Setting:
    """One run of a chapter's notebook with changed parameters.

    `varied` is one of `VARIED`, `label` says for readers what it is now (``1/16 of the corpus``), and `headline` are
    fields of a result that those kept beside the claims must have.
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
        return results_folder() / "sweep" / self.chapter / f"{name}.json"


def settings() -> list[Setting]:
    """The grid, in the order of the file; a `DataError` if it does not fit its schema, or has a label or parameters
    twice."""
    grid = []
    for chapter, table in datasets.read_toml(datasets.data_root() / "sweep.toml", "sweep").items():
        entries = table.pop("settings")
        grid += [Setting(chapter, **table, **entry) for entry in entries]
    named = Counter((setting.chapter, name) for setting in grid for name in (setting.label, setting.place.name))
    if twice := [" ".join(name) for name, n in named.items() if n > 1]:
        raise datasets.DataError(f"sweep.toml: two settings have one label, or the same parameters: {', '.join(twice)}")
    return grid


def ledger_of(setting: Setting) -> Results | None:
    """What the run with this setting found: its claims, and the figures that `Setting.headline` names; None if it has
    not been run."""
    return Results.read(setting.place) if setting.place.is_file() else None


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
    base = committed(chapter, tried[0].profile)
    runs = {setting.label: run for setting in tried if (run := ledger_of(setting))}
    columns = [_verdicts(run) for run in (base, *runs.values())]
    rows = {claim.text: [column.get((claim.id, claim.text)) for column in columns] for claim in base.claims}
    return [base.profile, *runs], rows


def _verdicts(ledger: Results) -> dict[tuple[str, str], str]:
    """By id and sentence: a claim that says something else now is another one."""
    return {(claim.id, claim.text): claim.verdict for claim in ledger.claims}


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
        before, run = _verdicts(committed(setting.chapter, setting.profile)), ledger_of(setting)
        for claim in run.claims if run else ():
            if was := before.get((claim.id, claim.text)):
                verdicts.append((setting, claim, was, step(was, claim.verdict)))
    return verdicts


def main(run: Callable[[str, Mapping, str], object], force: bool = False, only: Sequence[str] = ()) -> int:
    """Run the settings whose ledger is not there yet (all with `force`), of these chapters or notebooks if any named.

    `run` executes a notebook: its name, its parameters, a name for the executed file. If a run fails, the others are
    run all the same, and what is returned is 1, not 0.
    """
    grid, failed = settings(), 0
    names = dict.fromkeys(name for setting in grid for name in (setting.chapter, setting.notebook))
    for name in only:
        expect_among("CHAPTER", name, names)
    asked = [s for s in grid if not only or s.chapter in only or s.notebook in only]
    waiting = [s for s in asked if force or not s.place.is_file()]
    print(f"{len(asked) - len(waiting)} of {len(asked)} settings are there, {len(waiting)} to run", flush=True)
    for setting in waiting:
        print(f"{setting.chapter}, {setting.label}", flush=True)
        try:
            run_setting(setting, run)
        except ValueError as error:
            failed = 1
            print(f"error: {error}", flush=True)
    return failed


def run_setting(setting: Setting, run: Callable[[str, Mapping, str], object]) -> None:
    """Run the notebook with this setting, and write what is kept of its figures to the ledger's place."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ledger.json"
        parameters = {"profile": setting.profile, **setting.parameters, "keep": str(path)}
        run(setting.notebook, parameters, f"{setting.chapter}/{setting.place.stem}")
        ledger = Results.read(path)
    commit(replace(ledger, results=tuple(ledger.find(**setting.headline))), setting.place)
