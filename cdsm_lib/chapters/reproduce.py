"""``make verify`` and ``make reproduce``: recompute the full figures and compare them with the committed ones."""

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
)
from cdsm_lib.evaluation.results import Results, ResultsError, Unavailable, compare
from cdsm_lib.evaluation.results import committed as full_results  # noqa: F401
from cdsm_lib.evaluation.results import committed_path as committed
from cdsm_lib.settings import load_profile

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

FULL_ONLY = ("context2vec",)
"""Chapters that have figures in the full profile alone."""


def main(subset: bool = False, write: bool = False, profile: str = "full") -> int:
    """Recompute every chapter's figures and report where they differ from the committed ones.

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
        1 if a figure differs by more than its tolerance, 0 otherwise.

    Raises
    ------
    ResultsError
        Before anything is recomputed, if there are no committed figures to compare with.
    """
    settings = load_profile(profile)
    writing, failed = write and not subset, False
    expected = [chapter for chapter in CHAPTERS if profile == "full" or chapter not in FULL_ONLY]
    before = {} if writing else {chapter: _read(committed(chapter, profile)) for chapter in expected}
    for chapter, figures in CHAPTERS.items():
        try:
            fresh = figures(settings, subset=subset)
        except Unavailable as reason:
            print(f"{chapter}: not recomputed, {reason}")
            continue
        if writing:
            fresh.write(committed(chapter, profile))
            print(f"{chapter}: {len(fresh.results)} figures and {len(fresh.claims)} claims written")
            continue
        differences = compare(before[chapter], fresh, subset=subset)
        failed |= bool(differences)
        print(f"{chapter}: {len(fresh.results)} figures recomputed, {len(differences)} beyond their tolerance")
        for difference in differences:
            print(f"  {difference}")
    return int(failed)


def _read(place: Path) -> Results:
    if not place.is_file():
        raise ResultsError(place, "", "no committed figures; make them with python -m cdsm_lib reproduce --write")
    return Results.read(place)
