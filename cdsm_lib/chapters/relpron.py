"""All figures of the RELPRON chapter, as ``make reproduce`` and ``make verify`` recompute them.

From the corpus on: only its compiled form is taken from the cache, everything else is made anew.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

from cdsm_lib import datasets
from cdsm_lib.chapters.relpron_beyond import beyond_results, choose, ppmi_svd_space
from cdsm_lib.chapters.relpron_models import (
    CURVE,
    TABLE_6,
    WORDS_ONLY,
    claims,
    main_results,
    materials_of,
    rankings,
    run_spaces,
    tasks_of,
    train,
    train_spaces,
    view_results,
)
from cdsm_lib.chapters.training_counts import Materials, gather, wikipedia
from cdsm_lib.evaluation.results import Claim, Ledger, Result, made_with, sized
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron


def curve_results(
    files: int, profile: Profile, tasks: Sequence[relpron.RelPron], name: str = "Skip-Gram"
) -> list[Result]:
    """One size of the learning curve: everything trained anew on the first `files` sixteenths of the corpus."""
    corpus = wikipedia(files)
    materials = gather(corpus, relpron.vocabulary(*tasks), profile, spaces=("Skip-Gram",))
    ranked = run_spaces(materials, profile, tasks, CURVE)
    place = {**sized(name, corpus.n_tokens), "published": None}
    return [replace(result, **place) for result in main_results(ranked.values())]


def as_the_paper(profile: Profile) -> Profile:
    """The profile with the paper's condition on training pairs: within a transitive construction, no participles."""
    settings = {name: profile[name] for name in profile.settings}
    settings["phrases"] |= {"transitive": True, "participles": False}
    return Profile(profile.name, settings)


SIZES = (1, 2, 4, 8)
"""Sixteenths of the corpus on the learning curve; the whole corpus is the main result."""

TRANSITIVE_ONLY = "Skip-Gram, transitive pairs only"
"""The learning curve's second kind of training pairs, and the size at which it is tried."""
TRANSITIVE_AT = 4

VERIFIED = (1,)
"""The sizes that `make verify` recomputes."""


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        Only the Count space on the whole corpus (all methods of Table 5, both splits), which is exact, and the
        smallest size of the learning curve, which runs through extraction, skip-gram, matrices and tensors.
    """
    tasks = tasks_of(profile)
    if profile.name != "full":
        return _ledger(profile, *_main_figures(profile, tasks))
    wikipedia()  # compiled before two processes ask for it
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:  # a model is one thread: two side by side
        sizes = [beside.submit(curve_results, n, profile, tasks) for n in (VERIFIED if subset else SIZES)]
        if subset:
            materials = gather(wikipedia(), relpron.vocabulary(*tasks), profile, spaces=("Count",))
            results, tested = main_results(run_spaces(materials, profile, tasks, WORDS_ONLY).values()), []
        else:
            sizes.append(beside.submit(curve_results, TRANSITIVE_AT, as_the_paper(profile), tasks, TRANSITIVE_ONLY))
            materials, results, tested = _main_figures(profile, tasks)
            results += whole_curve(results, wikipedia().n_tokens)
        results += [result for size in sizes for result in size.result()]
    return _ledger(profile, materials, results, tested)


def _main_figures(profile: Profile, tasks) -> tuple[Materials, list[Result], list[Claim]]:
    materials = materials_of(profile, tasks, afresh=True)
    spaces = train_spaces(materials, profile)
    spaces["PPMI-SVD"] = ppmi_svd_space(materials, profile)
    models = {name: train(t, materials, profile["relpron"], profile["seed"]) for name, t in spaces.items()}
    ranked = rankings(spaces, models, tasks)
    results = main_results(ranked.values())
    for (system, space, _), ranking in ranked.items():
        if space == "Skip-Gram" and system in TABLE_6:
            results += view_results(ranking)
    both = [spaces["Skip-Gram"], spaces["PPMI-SVD"]]
    results += beyond_results(choose(both, materials, profile, tasks), tasks[0].name)
    return materials, results, claims(ranked, profile["seed"])


def whole_curve(results: Sequence[Result], n_tokens: int) -> list[Result]:
    """The last point of the learning curve: the main results on the whole corpus, under its size."""
    place = {**sized("Skip-Gram", n_tokens), "published": None}
    chosen = [r for r in results if r.space == "Skip-Gram" and r.metric == "MAP" and r.system in CURVE]
    return [replace(result, **place) for result in chosen]


def _ledger(profile, materials: Materials, results: Sequence[Result], tested: Sequence[Claim]) -> Ledger:
    used = ["relpron", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), materials.corpus, profile["seed"])
    return Ledger("relpron", "rimell2016", profile.name, made, tuple(results), tuple(tested))
