"""``make verify`` and ``make reproduce``: recompute the full figures and compare them with the committed ones."""

import re
import traceback
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path

from cdsm_lib.chapters import (
    context2vec,
    leaderboard,
    lexical_substitution,
    localisation,
    phrase_similarity,
    question_answering,
    relation_classification,
    relpron,
    sense_discrimination,
    sense_vectors,
    sentence_models,
    stored,
)
from cdsm_lib.evaluation.claims import registry
from cdsm_lib.evaluation.results import (
    Results,
    ResultsError,
    Unavailable,
    check_digests,
    commit,
    committed_path,
    compare,
    near_a_bound,
    other_versions,
)
from cdsm_lib.processes import side_by_side
from cdsm_lib.settings import Profile, load_profile

CHAPTERS = {
    "relation_classification": relation_classification.figures,
    "question_answering": question_answering.figures,
    "localisation": localisation.figures,
    "relpron": relpron.figures,
    "phrase_similarity": phrase_similarity.figures,
    "sense_discrimination": sense_discrimination.figures,
    "lexical_substitution": lexical_substitution.figures,
    "context2vec": context2vec.figures,
    "leaderboard": leaderboard.figures,
}
"""For each chapter the function that computes its figures: (profile, subset) -> Results; or raises `Unavailable`."""

TRAININGS = {
    "phrase_similarity": sense_vectors.trainings,
    "localisation": sentence_models.trainings,
    "relation_classification": relation_classification.trainings,
}
"""What chapters take from the cache in the full profile: ``(function, *arguments)`` for each model.

The first of each chapter begin first, for later ones may wait for them.
"""

FULL_ONLY = ("context2vec",)
"""Chapters that have figures in the full profile alone."""

TURN = {
    "relpron": 0, "localisation": 1, "relation_classification": 1,
    "phrase_similarity": 4, "sense_discrimination": 4, "leaderboard": 4,
}  # fmt: skip
"""When a chapter begins, 3 unless it stands here.

The longest come first, so that the others fit in beside them; those that take the vectors of `sense_vectors` come last,
for a process that waits for them leaves its core idle. `make verify` trains these beside the chapters before: word2vec
at the very beginning, turn -1, and in turn 2 what is trained on it.
"""

STORED = {
    "relpron": ["relpron", "relpron-2017", "relpron-2018"],
    "relation_classification": ["latent-senses", "relation-classification"],
    "question_answering": ["question-answering"], "localisation": ["localisation", "localisation-again"],
    "leaderboard": ["leaderboard"], "phrase_similarity": ["phrase-similarity"],
    "sense_discrimination": ["sense-discrimination"],
}  # fmt: skip
"""The files of `stored` that a chapter's full figures leave, and that are committed with them."""

LEFT_OUT = {
    "question_answering": r"\| (gibbs|nmf|variational), ",
    "localisation": r"^substitutes|\| (paraphrases|text) \| [^|]*$|"
    r"\| (inference|text, few passes|word2vec, .* senses?) \|",
    "relpron": r"\| Skip-Gram(, [^|]*)? @ ",
    "context2vec": r"\| whole corpus @ ",
    "lexical_substitution": r"\| PPMI-SVD, (window|\d+ dimensions)",
}
"""What `make verify` may leave out, as "system | space | dataset | metric" or, with the split, "... | split": it hangs
on a training of its own, with other settings or seeds or on another corpus, or on what only the trained model itself
can tell.

Of all else every system is recomputed in each of its spaces, on every data set: each metric, and each split.
"""

BORROWING = ("question_answering", "leaderboard")
"""Chapters that read the committed figures of others: when all are written, these are computed after the others."""


def train(settings: Profile) -> None:
    """Train the models of the full profile into the cache, so many at a time as there are processes."""
    with side_by_side() as start:
        lists = [trainings(settings) for chapter, trainings in TRAININGS.items() if chapter in CHAPTERS]
        models = [start(*job) for turn in zip_longest(*lists) for job in turn if job]
        for model in models:
            model.result()


def recomputed(chapter: str, profile: str, subset: bool) -> tuple[Results | None, str]:
    """A chapter's figures; or None, and why there are none: what is missing, or what went wrong."""
    try:
        return CHAPTERS[chapter](load_profile(profile), subset=subset), ""
    except Unavailable as reason:
        return None, f"not recomputed, {reason}"
    except Exception as error:  # of whatever kind: the other chapters go on, and the error is told under its chapter
        own = isinstance(error, ValueError) and type(error).__module__.startswith("cdsm_lib")
        return None, f"{FAILED}, {error if own else traceback.format_exc()}"


FAILED = "failed"


def main(subset: bool = False, write: bool = False, profile: str = "full") -> int:
    """Recompute every chapter's figures, side by side, and report where they differ from the committed ones.

    Parameters
    ----------
    subset : bool
        Only the subset that each chapter states, a few minutes each.
    write : bool
        Put the new figures in the place of the committed ones (all of them, never a subset).
    profile : str

    Returns
    -------
    int
        1 if anything differs (`cdsm_lib.evaluation.results.compare`) or a chapter fails, 0 otherwise.

    Raises
    ------
    ResultsError
        Before anything is recomputed, if there are no committed figures to compare with, or if they are not as they
        were written (`cdsm_lib.evaluation.results.check_digests`).
    """
    settings = load_profile(profile)
    writing, failed = write and not subset, False
    before = {}
    if not writing:
        check_digests()
        expected = [chapter for chapter in CHAPTERS if profile == "full" or chapter not in FULL_ONLY]
        before = {chapter: _read(committed_path(chapter, profile)) for chapter in expected}
    if profile == "full" and not subset:
        train(settings)
    later = [chapter for chapter in CHAPTERS if writing and chapter in BORROWING]
    for chapters in ([chapter for chapter in CHAPTERS if chapter not in later], later):
        with side_by_side() as start:
            jobs = [(TURN.get(chapter, 3), chapter, (recomputed, chapter, profile, subset)) for chapter in chapters]
            if profile == "full" and subset and "phrase_similarity" in chapters:  # an error is told by the chapters
                first, *others = sense_vectors.trainings(settings, [settings["seed"]])
                jobs += [(-1, None, first), *((2, None, job) for job in others)]
            running = {chapter: start(*job) for _, chapter, job in sorted(jobs, key=itemgetter(0))}
            for chapter in chapters:
                fresh, problem = running[chapter].result()
                failed |= problem.startswith(FAILED)
                if fresh is None:
                    print(f"{chapter}: {problem}", flush=True)
                elif writing:
                    commit(fresh)
                    for name in STORED.get(chapter, ()) if profile == "full" else ():
                        stored.commit(name)
                    print(f"{chapter}: {len(fresh.results)} figures and {len(fresh.claims)} claims written", flush=True)
                else:
                    failed |= report(before[chapter], fresh, subset)
    return int(failed)


def report(before: Results, fresh: Results, subset: bool) -> bool:
    """Print what differs in a chapter; whether anything does."""
    differences = [*compare(before, fresh, subset=subset), *(untouched(before, fresh) if subset else ())]
    counted = f"{len(fresh.results):,} of {len(before.results):,} figures and {len(fresh.claims)} of"
    print(f"{fresh.chapter}: {counted} {len(before.claims)} claims recomputed, {len(differences)} differences")
    for line in (*differences, *near_a_bound(before, fresh), *other_versions(before, fresh)):
        print(f"  {line}", flush=True)
    return bool(differences)


def untouched(before: Results, fresh: Results) -> list[str]:
    """What a subset has nothing of, but for `LEFT_OUT`: a metric or a split of a system in a space on a data set.

    And committed claims without an entry in ``claims.toml``, which no run can test.
    """
    allowed, lacking = LEFT_OUT.get(fresh.chapter, "^$"), {}
    for key in (itemgetter(0, 1, 2, 4), itemgetter(0, 1, 2, 3)):  # of system, space, dataset, split, metric
        touched = {key(row.key) for row in fresh.results}
        lacking |= dict.fromkeys(" | ".join(key(row.key)) for row in before.results if key(row.key) not in touched)
    lacking = [name for name in lacking if not re.search(allowed, name)]
    if untested := {claim.id for claim in before.claims}.difference(claim.id for claim in fresh.claims):
        lacking += [f"claim {id}" for id in sorted(untested - registry().get(fresh.chapter, {}).keys())]
    return [f"{name}: nothing of it is recomputed" for name in lacking]


def _read(place: Path) -> Results:
    if not place.is_file():
        raise ResultsError(place, "", "no committed figures; make them with python -m cdsm_lib reproduce --write")
    return Results.read(place)
