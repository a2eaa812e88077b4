"""``make verify`` and ``make reproduce``: recompute the full figures and compare them with the committed ones."""

import os
import subprocess
import sys
import traceback
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import date
from functools import partial
from importlib import import_module
from pathlib import Path

from cdsm_lib import cache, datasets
from cdsm_lib.chapters import localisation, relpron
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import PAPER, registry
from cdsm_lib.evaluation.comparison import differences, remarks
from cdsm_lib.evaluation.results import Results, ResultsError, check_digests, commit, committed_path
from cdsm_lib.settings import ParameterError, Profile, expect_among, load_profile

CHAPTERS = {name: import_module(f"cdsm_lib.chapters.{name}").run for name in PAPER}
"""For each chapter its module's function that computes the figures: (profile, quick) -> Results."""

UNREPEATED = {"localisation": localisation.unrepeated, "relpron": relpron.unrepeated}
"""Of chapters whose quick run leaves out rows that rest on a training: a function from the profile to their keys."""

LONGEST = ("phrase_similarity", "relpron", "localisation", "relation_classification", "leaderboard")
"""The chapters that begin first: one that trains the vectors that others wait for; and so that the rest fit in."""

IN_TURN = ("relation_classification", "question_answering")
"""The chapters of which ``make verify RETRAIN=auto`` takes one a day, and repeats its trainings too.

Their latent senses are sampled three times, four minutes each. The vectors of two further seeds, of phrase_similarity
and sense_discrimination, would take half an hour, and relpron, localisation and the leaderboard longer;
lexical_substitution trains no more than a space, in a minute, beside context2vec, which a script trains.
"""

BORROWING = ("question_answering",)
"""Chapters that read the committed figures of others: when all are written, these are computed after the others."""


def main(
    subset: bool = False, write: bool = False, profile: str = "full", chapters: Sequence[str] = (), retrain: str = "",
    exact: bool = False,
) -> int:  # fmt: skip
    """Recompute the figures of chapters, and report where they differ from the committed ones.

    Several chapters are computed by a command each, as many at a time as there are cores or as ``CDSM_PROCESSES`` says;
    each is told when it is through.

    Parameters
    ----------
    subset : bool
        Only the subset that each chapter states, a few minutes each.
    write : bool
        Put the new figures in the place of the committed ones (all of them, never a subset).
    profile : str
    chapters : sequence of str
        All if there are none.
    retrain : str
        A chapter that is computed whole, and without the cache, where the others are a subset; "auto": the one of
        `IN_TURN` whose day it is.
    exact : bool
        What agrees by its tolerance alone counts as different, too: the versions and the kernel are those of the
        committed figures.

    Returns
    -------
    int
        1 if anything differs (`cdsm_lib.evaluation.comparison.compare`) or a chapter fails, 0 otherwise.

    Raises
    ------
    ResultsError
        Before anything is recomputed, if there are no committed figures to compare with, or if they are not as they
        were written (`cdsm_lib.evaluation.results.check_digests`).
    DataError
        Before anything is recomputed, naming all data that the committed figures were made with and that are not here.
    ParameterError
        For a chapter that is none, or a number of processes that is none.
    """
    settings, write, chapters = load_profile(profile), write and not subset, list(chapters or CHAPTERS)
    for chapter in chapters:
        expect_among("CHAPTER", chapter, CHAPTERS)
    if retrain == "auto":
        retrain = IN_TURN[date.today().toordinal() % len(IN_TURN)]
    if retrain:
        expect_among("RETRAIN", retrain, chapters)
    if not write:
        check_digests()
        have_data([_read(committed_path(chapter, profile)) for chapter in chapters])
    chapters.sort(key=lambda chapter: write and chapter in BORROWING)
    n = at_a_time()
    if n == 1 or len(chapters) == 1:
        of_all = [recomputed(chapter, settings, subset, write, chapter == retrain, exact) for chapter in chapters]
        return int(any(of_all))
    apart = partial(_apart, n=n, subset=subset, write=write, profile=profile, retrain=retrain, exact=exact)
    later = [chapter for chapter in chapters if write and chapter in BORROWING]
    failed = False
    for some in ([chapter for chapter in chapters if chapter not in later], later):
        some.sort(key=lambda chapter: (retrain, *LONGEST, chapter).index(chapter))
        with ThreadPoolExecutor(n) as pool:
            failed |= any(list(pool.map(apart, some)))
    return int(failed)


def at_a_time() -> int:
    """How many chapters are computed at a time: ``CDSM_PROCESSES``, or the cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    value = os.environ.get(VARIABLE) or str(cores)
    if not value.isdecimal() or not int(value):
        raise ParameterError(f"{VARIABLE}={value!r}: give a whole number of 1 or more, or leave it unset")
    return int(value)


VARIABLE = "CDSM_PROCESSES"


def have_data(ledgers: Sequence[Results]) -> None:
    """Fetch and check all data that figures were made with; one `DataError` for all that cannot be had."""
    problems = []
    for name in sorted({name for results in ledgers for name in results.made_with["datasets"]}):
        try:
            datasets.wordnet() if name == "wordnet" else datasets.fetch(name)
        except datasets.DataError as problem:
            problems.append(str(problem))
    if problems:
        raise datasets.DataError("\n".join([*problems, "nothing was computed"]))


def _apart(chapter: str, n: int, subset: bool, write: bool, profile: str, retrain: str, exact: bool) -> bool:
    """Compute a chapter by a command of its own, with its share of the cores; whether it failed."""
    task = ["reproduce", f"--profile={profile}", *(["--write"] * write)]
    if subset:
        task = ["verify", *(["--exact"] * exact), *(["--retrain", chapter] if chapter == retrain else ())]
    threads = str(max(1, (os.cpu_count() or 1) // n))
    variables = {VARIABLE: "1", "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
    command = [sys.executable, "-m", "cdsm_lib", *task, chapter]
    done = subprocess.run(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    return done.returncode != 0


def recomputed(chapter: str, settings: Profile, subset: bool, write: bool, retrain: bool, exact: bool = False) -> bool:
    """Compute a chapter here, and write its figures or report how they differ; whether it failed, or anything does."""
    subset = subset and not retrain
    ledger.WRITTEN.clear()
    try:
        with cache.anew() if retrain else nullcontext():
            fresh = CHAPTERS[chapter](settings, quick=subset)
    except Exception as error:  # of whatever kind: the other chapters go on, and the error is told under its chapter
        ours = isinstance(error, ValueError) and type(error).__module__.startswith("cdsm_lib")
        print(f"{chapter}: failed, {error if ours else traceback.format_exc()}", flush=True)
        return True
    if not write:
        left = [*UNREPEATED[chapter](settings)] if subset and chapter in UNREPEATED else ()
        return report(_read(committed_path(chapter, settings.name)), fresh, subset, exact, left)
    commit(fresh)
    while ledger.WRITTEN:
        ledger.commit(ledger.WRITTEN.pop())
    print(f"{chapter}: {len(fresh.results)} figures and {len(fresh.claims)} claims written", flush=True)
    return False


def report(before: Results, fresh: Results, subset: bool, exact: bool = False, left: Collection = ()) -> bool:
    """Print what differs in a chapter, and what the rows rest on; whether anything differs. `left` is of `untouched`.

    Rows are computed anew from the corpus on, or from item values that a training left and that are stored; or they are
    only compared with themselves, for their training is neither repeated nor stored. What agrees by its tolerance alone
    is listed and counted, and differs if all is to be `exact`.
    """
    listed = differences(before, fresh, subset)
    near = [difference for difference in listed if difference.tolerated and not exact]
    differ = [difference for difference in listed if exact or not difference.tolerated]
    differ += untouched(before, fresh, left) if subset else []
    stored = sum(row.trained is True for row in fresh.results) if subset else 0
    figures = f"{len(fresh.results) - stored:,} of {len(before.results):,} figures computed anew"
    if subset:
        figures += f", {stored:,} from stored item values, {len(left):,} not recomputed"
    claims = f"{len(fresh.claims)} of {len(before.claims)} claims tested"
    print(f"{fresh.chapter}: {figures}; {claims}, {len(differ)} differences")
    for line in (*differ, *remarks(before, fresh)):
        print(f"  {line}", flush=True)
    if n := len({difference.record for difference in near if difference.record}):
        print(f"  {n} agree by their tolerance alone, {NEAR}")
        print(*(f"    {difference}" for difference in near), sep="\n", flush=True)
    return bool(differ)


NEAR = "as with other versions or on another processor they may; else look for what moved them:"


def untouched(before: Results, fresh: Results, left: Iterable[tuple[str, ...]] = ()) -> list[str]:
    """Committed rows that no run makes, rows that are missing, and claims that no run can test.

    `left` are the keys of the rows that this run leaves out, whatever a row says of itself.
    """
    missing = set(before.by_key).symmetric_difference(left).difference(fresh.by_key)
    rows = [" | ".join(key) for key in sorted(missing)]
    untested = {claim.id for claim in before.claims}.difference(claim.id for claim in fresh.claims)
    rows += [f"claim {id}" for id in sorted(untested - registry().get(fresh.chapter, {}).keys())]
    return [f"{name}: not recomputed" for name in rows]


def _read(place: Path) -> Results:
    if not place.is_file():
        raise ResultsError(place, "", "no committed figures; make them with python -m cdsm_lib reproduce --write")
    return Results.read(place)
