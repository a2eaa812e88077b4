"""One run of a chapter: from scores to rows and verdicts, over the seeds of what is trained.

A chapter makes scores of its systems, again with every further seed, and says how its claims are tested on them::

    arrays = ledger.trained("question-answering", seeds, ranks_of_seed, depends, quick)
    by_seed = {seed: [...] for seed, ... in arrays.items()}
    return ledger.run("question_answering", profile, scores, by_seed, claims=claims, corpus=..., used=...)

What training gave is stored, one value an item: ``data/models/NAME.npz`` has for every seed an array, or several by
name, and says what they depend on. A chapter's ``run(profile, quick=True)`` (``make verify``) reads it; with
``quick=False`` (``make reproduce``) all seeds are trained, and the file is left in the cache, from where ``make
reproduce --write`` puts it beside the committed ones; with None, as in the notebook, there is the profile's own seed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from cdsm_lib import datasets, storage
from cdsm_lib.evaluation.claims import PAPER, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, enter_digest, made_with
from cdsm_lib.settings import Profile

REMEDY = "Make it again with python -m cdsm_lib reproduce --write."


@dataclass(frozen=True, kw_only=True)
class Run(Results):
    """The results of a run, its scores by seed, what tests the claims on scores, and what computes further scores."""

    scores: Mapping[int, Sequence[Scores]] = field(compare=False, repr=False)
    test: Callable[[Sequence[Scores]], Sequence[Claim]] | None = field(compare=False, repr=False)
    options: Callable[[], Iterable[Scores]] = field(compare=False, repr=False)


def run(
    chapter: str,
    profile: Profile,
    scores: Iterable[Scores],
    by_seed: Mapping[int, Sequence[Scores]] | None = None,
    *,
    corpus: str | None,
    used: Sequence[str] = (),
    rows: Iterable[Result] = (),
    claims: Callable[[Sequence[Scores]], Sequence[Claim]] | None = None,
    row: Callable[[Scores], Result | None] = Scores.row,
    noisy: Callable[[Scores], bool] = lambda score: True,
    options: Callable[[], Iterable[Scores]] = tuple,
    **noise: object,
) -> Run:
    """The figures and claims of a chapter.

    Parameters
    ----------
    chapter : str
    profile : Profile
    scores : iterable of Scores
        With the profile's own seed; those with a `row` are figures, and on all of them the claims are tested.
    by_seed : mapping of seed to scores, optional
        Of further seeds: they stand, in the claims, in the place of the scores of the same key.
    corpus : str or None
        Its fingerprint.
    used : sequence of str
        Data sets of the full profile.
    rows : iterable of Result
        Figures that are no scores: sizes, counts, costs.
    claims : callable, optional
        Tests the claims on scores.
    row : callable
        Makes the row of scores; None for those that are only evidence for claims.
    noisy : callable
        Of which scores the mean and the deviation over all seeds are rows.
    options : callable
        Computes scores that are no figures, of what the paper leaves open, for `cdsm_lib.chapters.multiverse`.
    **noise
        Fields and columns of these rows.
    """
    first = {score.key: score for score in scores}
    every = {profile["seed"]: first}
    every |= {seed: first | {score.key: score for score in again} for seed, again in (by_seed or {}).items()}
    changed = [score.key for score in next(iter((by_seed or {}).values()), ()) if noisy(score)]
    moved = {seed: [of_seed[key] for key in changed] for seed, of_seed in every.items()}
    figures = [*filter(None, map(row, first.values())), *rows, *seed_rows(moved, row, **noise)]
    scores_of = {seed: list(of_seed.values()) for seed, of_seed in every.items()}
    tested = over_seeds({seed: claims(scores) for seed, scores in scores_of.items()}) if claims else ()
    made = made_with(datasets.used(used if profile.name == "full" else []), corpus, profile["seed"])
    about = {"scores": scores_of, "test": claims, "options": options}
    return Run(chapter, PAPER[chapter], profile.name, made, figures, tested, **about)


def seed_rows(
    by_seed: Mapping[int, Sequence[Scores]], row: Callable[[Scores], Result] = Scores.row, **changes
) -> Iterator[Result]:
    """How far figures move from seed to seed of a training: mean and standard deviation, if there are several seeds.

    Parameters
    ----------
    by_seed : mapping of seed to scores
        Of the same systems in the same order.
    row : callable
        As of `run`.
    **changes
        Fields and columns of the rows.
    """
    for same in zip(*by_seed.values(), strict=True) if len(by_seed) > 1 else ():
        values = [score.value for score in same]
        changes |= {"low": None, "high": None, "published": None, "n": len(values), "trained": True}
        place = row(same[0]).changed(**changes)
        for name, value in (("mean", np.mean(values)), ("sd", np.std(values, ddof=1))):
            yield replace(place, metric=f"{place.metric}, {name} of seeds", value=float(value))


def seeds_of(profile: Profile, setting: str, first: str = "seed") -> range:
    """The seeds with which a profile trains, its own first: as many as a setting says, one if it is not there."""
    return range(profile[first], profile[first] + profile.get(setting, 1))


# ------------------------------------------------------------------------------------------------------------- storing


def trained(
    name: str, seeds: Iterable[int], make: Callable[[int], np.ndarray], depends: Mapping, quick: bool
) -> dict[int, np.ndarray]:
    """What training with each seed gives, {seed: float32 array}: stored, if `quick`, or made, and left to be stored.

    Parameters
    ----------
    name : str
        Of the file.
    seeds : iterable of int
    make : callable
        A seed to one value an item.
    depends : mapping
        Settings, corpus and items on which the values depend; stored ones of others are a `StorageError`.
    quick : bool
    """
    if quick:
        arrays, _ = read(name, depends, map(str, seeds))
        return {seed: arrays[str(seed)] for seed in seeds}
    values = {seed: np.asarray(make(seed), dtype=np.float32) for seed in seeds}
    if values:
        write(name, {str(seed): array for seed, array in values.items()}, depends)
    return values


def path(name: str) -> Path:
    """Where the committed file is."""
    return datasets.data_root() / "models" / f"{name}.npz"


def latest(name: str) -> Path:
    """Where a whole run leaves its file, until it is committed."""
    return datasets.cache_folder() / "stored" / f"{name}.npz"


WRITTEN: set[str] = set()
"""The files that a chapter's run has left in the cache."""


def write(name: str, arrays: Mapping[str, np.ndarray], depends: Mapping, **meta) -> None:
    """Write the file of `latest`; `depends` is what it must be read with, `meta` what else it holds."""
    storage.write_npz(latest(name), name, 1, arrays, {"about": depends, **meta})
    WRITTEN.add(name)


def commit(name: str) -> None:
    """Put the latest file into the place of the committed one, with its digest."""
    with storage.whole_file(path(name), "wb") as file:
        file.write(latest(name).read_bytes())
    enter_digest(path(name))


def read(
    name: str, depends: Mapping, required: Iterable[str] = (), remedy: str = REMEDY
) -> tuple[dict[str, np.ndarray], dict]:
    """The arrays and `meta` of the committed file; a `StorageError` if it is damaged or of other settings."""
    arrays, meta = storage.read_npz(path(name), name, 1, required, remedy=remedy)
    before, now = meta.pop("about"), json.loads(json.dumps(depends))
    if before != now:
        other = ", ".join(key for key in {**before, **now} if before.get(key) != now.get(key))
        problem = f"it was made with other settings, or of another corpus ({other})"
        raise storage.StorageError(path(name), problem, remedy)
    return arrays, meta
