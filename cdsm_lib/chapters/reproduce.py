"""``make verify`` and ``make reproduce``: recompute the full figures and compare them with the committed ones."""

from pathlib import Path

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, leaderboard, relpron
from cdsm_lib.chapters import lexical_substitution as buljan2018_figures
from cdsm_lib.chapters import localisation as white2015_figures
from cdsm_lib.chapters import phrase_similarity as kober2017_phrases
from cdsm_lib.chapters import question_answering as cheung2012_questions
from cdsm_lib.chapters import relation_classification as cheung2012_relations
from cdsm_lib.chapters import sense_discrimination as kober2017_senses
from cdsm_lib.evaluation.results import Results, ResultsError, Unavailable, compare
from cdsm_lib.settings import load_profile

CHAPTERS = {
    "relation_classification": cheung2012_relations.figures,
    "question_answering": cheung2012_questions.figures,
    "localisation": white2015_figures.figures,
    "relpron": relpron.figures,
    "phrase_similarity": kober2017_phrases.figures,
    "sense_discrimination": kober2017_senses.figures,
    "lexical_substitution": buljan2018_figures.figures,
    "context2vec": context2vec.figures,
    "leaderboard": leaderboard.figures,
}
"""For each chapter the function that computes its figures: (profile, subset) -> Results; or raises `Unavailable`."""

FULL_ONLY = ("context2vec",)
"""Chapters that have figures in the full profile alone."""


def committed(chapter: str, profile: str = "full") -> Path:
    """Where a chapter's figures are committed."""
    return datasets.data_root() / "results" / profile / f"{chapter}.json"


def full_results(chapter: str) -> Results | None:
    """A chapter's committed figures of the full profile; None if they were not computed yet."""
    place = committed(chapter)
    return Results.read(place) if place.is_file() else None


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
