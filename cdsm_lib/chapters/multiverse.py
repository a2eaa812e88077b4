r"""``make multiverse``: a claim's effect hangs on what the paper leaves open, on seeds, and on items. How much on each?

``data/multiverse.toml`` lists for each chapter *choices* that the paper leaves open, and for each choice two *options*
or more. A combination of options is a *universe*. A chapter computes an option in any case, as another system or in
another space, or when it is asked for its ``options`` (`cdsm_lib.evaluation.ledger.run`); in a universe the scores of
its options stand for those of the chapter, and the claims are tested again on the same items, with each seed of which
enough is stored. A row of
``data/results/multiverse/<chapter>.json`` is one test: its effect with the interval over items, and the verdict on the
claim. A universe that stands there is not computed again.

Let :math:`e_{us}` be the effect in universe u with seed s, :math:`\bar e_u` its mean over the seeds that all universes
have, and :math:`\sigma_{us}` the standard error over items, half the width of the interval divided by 1.96. Then

.. math:: choice = \mathrm{Var}_u(\bar e_u), \quad seed = \overline{\mathrm{Var}_s(e_{us})}, \quad
          item = \overline{\sigma_{us}^2}

The first is the variance of all universes that there are, the second that of a sample of seeds (one less in the
divisor), a mean over the universes with several. A *share* is one of the three divided by their sum; an effect that is
the same in all universes has none, for no choice touches it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.chapters.reproduce import CHAPTERS
from cdsm_lib.evaluation.results import Claim, Result, Scores, commit, committed, committed_path
from cdsm_lib.evaluation.verdicts import NORMAL_95
from cdsm_lib.settings import Profile, expect_among, load_profile

NAME = "multiverse"
"""Of the file of choices, of its schema, and of the folder of the tables."""
PARTS = ("choice", "seed", "item")
EFFECT = ["system", "dataset", "metric"]
"""The fields of a row that say which effect it is: the claim's id, what is compared, and what is drawn."""


def left_open() -> dict[str, dict]:
    """For each chapter ``claims``, ``choices``, perhaps ``part``; a `DataError` if the file does not fit its schema."""
    return datasets.read_toml(datasets.data_root() / f"{NAME}.toml", NAME)


def universes(choices: Mapping[str, Mapping]) -> dict[str, dict[str, str]]:
    """Every combination of options, {choice: option}, under the options' names; in the first are the chapter's own."""
    combinations = product(*(choice["options"] for choice in choices.values()))
    return {"; ".join(options): dict(zip(choices, options, strict=True)) for options in combinations}


def main(chapters: Sequence[str] = ()) -> int:
    """Compute the universes of these chapters, or of all, that are not there yet; `ParameterError` for another name."""
    every = left_open()
    for chapter in chapters:
        expect_among("CHAPTER", chapter, every)
    for chapter in chapters or every:
        compute(chapter, load_profile("full"), **every[chapter])
    return 0


def compute(chapter: str, profile: Profile, claims: Sequence[str], choices: Mapping, part: str = "") -> None:
    """Compute what a chapter's table lacks, and write it after each universe; the last three are those of `left_open`.

    Of several parts of the data a table may have the effects of one: those whose names hold `part`.
    """
    table = committed(chapter, NAME) or replace(committed(chapter, profile.name), results=(), claims=())
    there = {row.space for row in table.results}
    waiting = {name: universe for name, universe in universes(choices).items() if name not in there}
    print(f"{chapter}: {len(there)} universes are there, {len(waiting)} to compute", flush=True)
    run = CHAPTERS[chapter](profile, quick=True) if waiting else None
    further = {score.key: score for score in run.options()} if waiting else {}
    for name, universe in waiting.items():
        chosen, results = [(choices[choice], option) for choice, option in universe.items()], [*table.results]
        own_seed_alone = any(option in choice.get("one_seed", ()) for choice, option in chosen)
        for seed, scores in list(run.scores.items())[: 1 if own_seed_alone else None]:
            scores = further | {score.key: score for score in scores}
            followed = [claim for claim in run.test(standing(scores.values(), chosen)) if claim.id in claims]
            results += [row for row in effects(name, f"seed {seed}", followed) if part in row.dataset]
        table = replace(table, results=results)
        commit(table, committed_path(chapter, NAME))


def standing(scores: Iterable[Scores], chosen: Iterable[tuple[Mapping, str]]) -> list[Scores]:
    """The scores in a universe: of each (choice, option) those of the option stand for what the choice is ``of``, by
    default its first option, and those of its other options are left out.
    """
    scores = list(scores)
    for choice, option in chosen:
        options = {name: choice.get("among", {}) | fields for name, fields in choice["options"].items()}
        first = next(iter(choice["options"].values()))
        rest = [score for score in scores if not any(fits(score, fields) for fields in options.values())]
        taken = [score for score in scores if fits(score, options[option])]
        scores = rest + [replace(score, **fields) for fields in choice.get("of", [first]) for score in taken]
    return scores


def fits(score: Scores, fields: Mapping[str, str | tuple[str, ...]]) -> bool:
    """Whether scores have these fields, or one of several values that a field may have."""
    return all(score[name] in (value if isinstance(value, tuple) else (value,)) for name, value in fields.items())


def effects(universe: str, seed: str, claims: Iterable[Claim]) -> Iterator[Result]:
    """A row for each test of the claims that measures something."""
    for claim in claims:
        for test in (test for test in claim.evidence if test.value is not None):
            place = (claim.id, universe, " against ".join(test.names), seed, test.unit)
            ends = min(test.low, test.value), max(test.high, test.value)
            yield Result(*place, test.value, *ends, n=sum(test.n), columns={"verdict": claim.verdict})


def variances(rows: pd.DataFrame) -> pd.Series:
    """The variance of one effect by `PARTS`, from its `rows` of a table; 0 for seeds if no universe has several."""
    effect, error = rows.pivot(index="space", columns="split", values="value"), (rows.high - rows.low) / 2 / NORMAL_95
    means = effect.dropna(axis="columns").mean(axis="columns")
    return pd.Series([means.var(ddof=0), effect.var(axis="columns").mean(), (error**2).mean()], PARTS).fillna(0)


def shares(rows: pd.DataFrame) -> pd.DataFrame:
    """The shares of those effects in the `rows` of a table that a choice touches, [effects, `PARTS`], by `EFFECT`."""
    every = rows.groupby(EFFECT, sort=False)[["space", "split", "value", "low", "high"]].apply(variances)
    touched = every[every.choice > 1e-9]  # equal numbers have a variance of 1e-34 or so
    return touched.div(touched.sum(axis="columns"), axis="index")
