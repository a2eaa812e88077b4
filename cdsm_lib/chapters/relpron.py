"""Rimell et al. 2016: relative clauses on RELPRON. Three spaces, every method, both splits, every view of the paper."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain, product

import numpy as np

from cdsm_lib.chapters import relpron_beyond as beyond
from cdsm_lib.chapters import relpron_models as models
from cdsm_lib.chapters.relpron_models import Prepared, Ranking, Rankings
from cdsm_lib.chapters.training_counts import TrainingCounts
from cdsm_lib.display import Table, table
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import NOT_REPEATED, Claim, Result, Results, Scores, read_published
from cdsm_lib.evaluation.verdicts import Test, equal
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.task import Task, together

TABLE_6 = ("SPLF", "Addition", "PLF", "FPLF", "RPTensor", "VArg", "Vhn")
ANALYSED = ("SPLF", "Addition", "FPLF", "VArg")
"""The systems of the paper's error analysis (section 7)."""
TESTED = (*ANALYSED, "FPLF (text)")
"""Those and the other reading of one of them: what the paper says of their errors is tested."""

CURVE = {"Skip-Gram": ("Addition", "PLF", "SPLF", "FPLF", "RPTensor"), "Count": ("Frobenius",)}
"""The systems of the learning curves."""
SIZES = (1, 2, 4, 8)
"""Sixteenths of the corpus on the learning curve; the whole corpus is the main result."""
VERIFIED = (1,)
"""The sizes that `make verify` recomputes."""

TABLE_5 = {"hn*v*arg (mult)": "Mult", "hn+v+arg": "Addition"}
"""Our names of the paper's rows, where they differ."""


@cache
def published() -> dict[tuple[str, str, str, str], float]:
    """The paper's figures (Tables 5, 6 and 7) by system, space, split and metric."""
    figures = {}
    for system, values in read_published("rimell2016_table6")["rows"].items():
        figures |= {(system, "Skip-Gram", split, "MAP"): v for split, v in zip(("dev", "test"), values, strict=True)}
    for _, system, *values, _ in read_published("rimell2016_table5")["rows"]:
        name = TABLE_5.get(system, system)
        figures |= {(name, space, "dev", "MAP"): v for space, v in zip(models.SPACES, values, strict=True)}
    table_7 = read_published("rimell2016_table7")
    systems = [column.partition(" ")[0] for column in table_7["columns"]]
    for metric, row in (("MAP SBJ", "Subject"), ("MAP OBJ", "Object")):
        values = zip(systems, table_7["rows"][row], strict=True)
        figures |= {(system, "Skip-Gram", "dev", metric): value for system, value in values}
    return figures


# ------------------------------------------------------------------------------------------------------------- scores


@cache
def _task_of(items: relpron.RelPron) -> dict[str, Task]:
    """The task of each measure."""
    by_term = relpron.task(items)
    return {metric: task for task in (by_term, relpron.queries(by_term, items)) for metric in task.measures}


def score(ranking: Ranking, metric: str, scale: float = 1.0, role: str | None = None, **columns) -> Scores:
    """A ranking by a measure, with the paper's figure; the teaching set is another task and has none.

    A view of one head noun or one function is a mean of few terms and moves more than the mean of all: `scale` 3.
    """
    task, place = _task_of(ranking.task)[metric], (ranking.system, ranking.space)
    printed = (models.TEXT.get(ranking.system, ranking.system), ranking.space, task.split, metric)
    return task.scores(
        *place, ranking.similarity, metric, tolerance=scale * models.TOLERANCE[ranking.space], columns=columns,
        published=published().get(printed) if task.dataset == "relpron" else None, role=role,
    )  # fmt: skip


EVIDENCE = "evidence"
"""The role of scores that claims are tested on, and that are no figures."""


def views(ranking: Ranking, role: str | None) -> Iterator[Scores]:
    """The other views of the paper on one ranking (Tables 7 to 11) that are shown or that a claim takes."""
    for function in relpron.FUNCTIONS:
        yield score(ranking, f"MAP {function}", 3, role, view=function)
    if ranking.system not in TESTED:
        return
    role = role if ranking.system in ANALYSED else EVIDENCE
    for metric in ("MAP", relpron.WITHIN, "top-ten share"):
        name = "MAP of head noun" if metric == "MAP" else metric.removesuffix(": mean")
        every = score(ranking, metric, 1, role, view=name.removeprefix("MAP "))
        parts = list(every.groupby("head"))
        for part in parts:
            yield replace(part, metric=f"{name} {part['head']}", tolerance=3 * every.tolerance, published=None)
        if metric == relpron.WITHIN:  # resamples are drawn in the order of the head nouns
            every = replace(every, values=np.concatenate([part.values for part in parts]), labels={})
        if metric != "MAP":
            yield every
    yield score(ranking, "MRR of properties", 1, role)
    yield score(ranking, "mean rank of the term", 20, role)  # ranks run to 65 or 73, not to 1


def scores(rankings: Rankings, analysed: str = "Skip-Gram") -> Iterator[Scores]:
    """MAP of all rankings (Tables 5 and 6), the paper's views of some on dev in the space `analysed`, and evidence."""
    for (system, space, split), ranking in rankings.items():
        yield score(ranking, "MAP")
        shown = (space, split) == (analysed, "dev")
        if system in (*TESTED, "RPTensor", "RPTensor (text)") and (shown or space == "Skip-Gram"):
            yield from (view for view in views(ranking, None if shown else EVIDENCE) if len(view.values))


# ------------------------------------------------------------------------------------------------------------- claims

UNITS = {"terms": "term", "head nouns": "head"}
"""What is drawn together in the tests of a claim: what is said of a term; and, since terms compete within their head
noun, all terms of one. A verdict needs both."""


def by_units(scores: Iterable[Scores]) -> Iterator[Scores]:
    """The scores by each of `UNITS`, which is their role; published figures of dev where the paper prints no others.

    MAP on subject and on object properties only of the terms that have both, to compare in pairs.
    """
    by_key, partner = {score.key: score for score in scores}, {"MAP SBJ": "MAP OBJ", "MAP OBJ": "MAP SBJ"}
    for (*place, split, metric), score in by_key.items():
        dev = by_key.get((*place, "dev", metric), score)
        printed = dev.published if score.published is None else score.published
        if other := by_key.get((*place, split, partner.get(metric))):
            terms = np.isin(score.labels["term"], other.labels["term"])
            score = score.subset(terms, tolerance=models.TOLERANCE[score.space])
        for unit, label in UNITS.items() if "head" in score.labels else ():
            yield replace(score, role=unit, groups=together(score.labels[label]), published=printed)


def same_order(scores: Iterable[Scores], seed: int) -> list[Test]:
    """Does SPLF rank the properties of a head noun as VArg does? Then every term has the same average precision."""
    place = {"metric": relpron.WITHIN, "space": "Skip-Gram", "split": "dev"}
    within = {score.system: score for score in scores if score.has(place)}
    splf, varg = within["SPLF"], within["VArg"]
    test = equal(splf.values, varg.values, ("SPLF (Skip-Gram, dev)", "VArg"), margin=0.0, seed=seed)
    verdict = "holds" if np.array_equal(splf.values, varg.values) else "fails"
    return [replace(test, verdict=verdict, unit="terms", tolerance=2 * splf.tolerance)]


def claims(scores: Sequence[Scores], seed: int) -> list[Claim]:
    """What the paper concludes (``data/published/claims.toml``): tested on the test split, for on the development split
    penalties, rates and passes were chosen.
    """
    return evaluate("relpron", by_units(scores), seed=seed, computed={"splf-is-varg": same_order(scores, seed)})


# ------------------------------------------------------------------------------------------------------------ the run


def run(
    profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None, analysed: str = "Skip-Gram"
) -> Results:
    """Every figure of the chapter; what skip-gram made of the corpus is stored (`cdsm_lib.evaluation.ledger`), and of
    the learning curve a quick run trains the smallest size alone.

    `analysed` is the space of which the paper's views are figures.
    """
    if prepared is None:
        tasks = models.tasks_of(profile)
        prepared = models.trained_on(models.counts_of(profile, tasks, quick), profile, tasks)
    tasks, counts, full = prepared.tasks, prepared.counts, profile.name == "full"
    every = [*scores(prepared.rankings, analysed), *beyond.tune(prepared, profile)]
    every = [replace(score, trained=full and score.space in ("Skip-Gram", "Ensemble")) for score in every]
    by_seed, trained_anew = {}, []
    if full and quick is not None:
        for rows in (learning_curve, beyond.low_rank_rows, beyond.quarter_rows):
            trained_anew += rows(prepared, profile, quick)
        for seed in ledger.seeds_of(profile, "seeds.relpron")[1:]:
            again = models.of_seed(seed, prepared, profile, quick)
            by_seed[seed] = [replace(score, trained=True) for score in scores(again.rankings, analysed)]
    if full and quick is False:
        models.store(models.NAME, prepared.rankings, counts, profile, tasks)
    return ledger.run(
        "relpron", profile, every, by_seed, rows=trained_anew, claims=partial(claims, seed=profile["seed"]),
        corpus=counts.corpus, used=["relpron", "wikipedia_parsed"],
        noisy=lambda score: score.metric in ("MAP", "MAP SBJ", "MAP OBJ") and score.role != EVIDENCE,
        row=lambda score: None if score.role == EVIDENCE else score.row(),
    )  # fmt: skip


def learning_curve(prepared: Prepared, profile: Profile, quick: bool) -> Iterator[Result]:
    """MAP of `CURVE`, in a space that names the size of the corpus, everything made anew on its first parts."""
    ranked, tasks = {None: prepared.rankings}, prepared.tasks
    for files in VERIFIED if quick else SIZES:
        counts = models.counts_of_part(profile, tasks, files, tuple(CURVE))
        ranked[files] = models.trained_on(counts, profile, tasks, systems=[*chain(*CURVE.values())]).rankings
    for files, rankings in ranked.items():
        n, trained = models.wikipedia(files).n_tokens, None if files in VERIFIED else NOT_REPEATED if files else True
        for (system, space, _), ranking in rankings.items():
            if system in CURVE.get(space, ()):
                place = {"space": f"{space} @ {n} tokens", "series": space, "tokens": n, "published": None}
                yield score(ranking, "MAP").row(**place, trained=trained)


def unrepeated(profile: Profile) -> Iterator[tuple[str, ...]]:
    """The keys of the rows of the learning curve that a quick run does not make."""
    for files in sorted({*SIZES}.difference(VERIFIED)):
        for space, systems in CURVE.items():
            place = f"{space} @ {models.wikipedia(files).n_tokens} tokens"
            yield from product(systems, [place], ["relpron"], ["dev", "test"], ["MAP"])


# -------------------------------------------------------------------------------------------------- tables of the page


def training_phrases(counts: TrainingCounts, paper: Mapping[str, int]) -> Table:
    """How many phrases of each kind have a holistic vector, in the paper and here."""
    kinds = {"subject": "subject-verb pairs", "object": "verb-object pairs"}
    kinds |= {"SBJ": "subject relative clauses", "OBJ": "object relative clauses"}
    rows = []
    for kind, name in kinds.items():
        phrases, printed = counts.phrases[kind], (paper.get(f"{kind} {what}") for what in ("types", "occurrences"))
        rows.append((name, *printed, len(phrases), int(phrases.counts.sum())))
    both = (rows[0][column] + rows[1][column] for column in (3, 4))
    rows.append(("both kinds of pairs", paper["pair types"], paper["pair occurrences"], *both))
    what = [f"{n} ({where})" for where in ("paper", "this run") for n in ("types", "occurrences")]
    return table(("training phrases", *what), rows)
