"""Cheung & Penn 2012, Task 2: which sentence of a document answers a question?

Which models with which settings, what is varied, and every figure of the chapter. The notebook shows what
``main_figures`` gives; ``make reproduce`` and ``make verify`` take ``figures``, which goes on from there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, MIXED, OVERLAP, PURE, Trained, TrainingCounts
from cdsm_lib.chapters.relation_classification import ALL
from cdsm_lib.construction import question_answering as construction
from cdsm_lib.construction.question_answering import Construction
from cdsm_lib.display import Table, beside, estimate, result_of, table
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Question, QuestionSet

GENERAL = "general words only"
"""The space of the models without domain adaptation."""

METRIC = "norm. rank"

STORED = "question-answering"
"""D&L's ranks by senses of other seeds; see `contextual_models.of_other_seeds`."""


# ---------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    task : QuestionSet
    construction : Construction or None
        How the questions were generated, unless they were written by hand.
    general, domain : TrainingCounts
        Of the general corpus, and of the domain's.
    trained, adapted : Trained
        The models on the general corpus, and with the domain's words.
    """

    task: QuestionSet
    construction: Construction | None
    general: TrainingCounts
    domain: TrainingCounts
    trained: Trained
    adapted: Trained


@dataclass(frozen=True)
class Run:
    """What one system gives the sentences of every question's document.

    Attributes
    ----------
    system, space : str
        As in the results.
    task : QuestionSet
    similarity : tuple of float64 arrays
        For each question a similarity with each sentence of its document.
    columns : mapping
        Further columns of its rows.
    """

    system: str
    space: str
    task: QuestionSet
    similarity: tuple[np.ndarray, ...]
    columns: Mapping = field(default_factory=dict)

    @cached_property
    def ranks(self) -> np.ndarray:
        """Normalised rank of each question."""
        return question_answering.score(self.similarity, self.task)

    @property
    def scores(self) -> Scores:
        """The ranks, with the paper's figure over all questions, and by how each question was put.

        Questions about one document are drawn together.
        """
        labels = {"kind": np.array([question.alternation for question in self.task.questions])}
        documents = np.unique([question.document for question in self.task.questions], return_inverse=True)[1]
        columns = {**COLUMNS.get(self.system, {}), **self.columns}
        published_here = published(self.system, "All") if self.space == MAIN else None
        within = contextual_models.tolerance_of(columns) / 2  # a mean rank over hundreds moves less than an AUC
        return Scores(self.system, self.space, self.task.name, "All", METRIC, self.ranks, documents,
                      published=published_here, tolerance=within, columns=columns, labels=labels)  # fmt: skip


def followed(task: QuestionSet, id: str) -> Question:
    """The question of that id; `ParameterError` if there is none."""
    questions = {question.id: question for question in task.questions}
    if id not in questions:
        problem = f"no question of the teaching set; they go from {min(questions)} to {max(questions)}"
        raise ParameterError(f"example={id!r}: {problem}")
    return questions[id]


def prepare(profile: Profile, *, from_stored: bool = False) -> Prepared:
    """Count, train all models, D&L from stored senses if asked, adapt them, and load the questions."""
    general = contextual_models.training_counts(profile)
    trained = contextual_models.trained_on(general, profile, from_stored=from_stored)
    domain = contextual_models.domain_counts(profile, general)
    adapted = contextual_models.adapt(trained, general, domain, profile["contextual"])
    return Prepared(*task_of(profile), general, domain, trained, adapted)


def task_of(profile: Profile) -> tuple[QuestionSet, Construction | None]:
    """The questions: generated from GENIA's trees, or the teaching set."""
    name = profile["question_answering.dataset"]
    if name != "genia":
        return question_answering.load(name), None
    generated = construction.from_genia()
    return generated.questions, generated


def runs_of(task: QuestionSet, trained: Trained, space: str = MAIN, **columns) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added."""
    similarities: dict[str, list] = defaultdict(lambda: [None] * len(task))
    for document in task.documents:
        places = [i for i, question in enumerate(task.questions) if question.document == document.id]
        questions = trained.parsed(task.questions[i].sentence for i in places)
        sentences = trained.parsed(document.sentences)
        for system, rows in contextual_models.similarities(trained.models, questions, sentences).items():
            for i, row in zip(places, rows, strict=True):
                similarities[system][i] = row
    return [Run(system, space, task, tuple(rows), columns) for system, rows in similarities.items()]


def sense_runs(prepared: Prepared, profile: Profile, grid: Mapping) -> list[Run]:
    """D&L with other senses, pure and mixed."""
    settings = {"seed": profile["seed"], **profile["contextual.senses"], **grid}
    seed, window = settings.pop("seed"), profile["contextual.window"]
    latent = contextual_models.latent_senses(prepared.general.windows, settings, seed, window=window)
    trained = replace(prepared.trained, models={**prepared.trained.models, "D&L": latent})
    adapted = contextual_models.adapt(trained, prepared.general, prepared.domain, profile["contextual"])
    only = replace(adapted, models={"D&L": adapted.models["D&L"]})
    return runs_of(prepared.task, only, **contextual_models.senses_named(settings))[1:]


def weighted_runs(task: QuestionSet, overlap: Run, pure: Run, weights: Iterable[float]) -> list[Run]:
    """Overlap plus so many times the semantic score; the paper's mixture has the weight 1."""
    pairs = list(zip(pure.similarity, overlap.similarity, strict=True))
    columns = {**COLUMNS[pure.system], "mixed": True}
    return [
        Run(f"{pure.system} x {weight:g} + overlap", pure.space, task,
            tuple(weight * semantic + shared for semantic, shared in pairs), {**columns, "factor": float(weight)})
        for weight in weights
    ]  # fmt: skip


def overlap_alone_decides(run: Run, overlap: Run) -> np.ndarray:
    """For each question whether a mixed system puts no sentence above one of more overlap: bool [questions].

    A cosine of 1 beside one of 0 can make up for one shared word, but only to a tie; what rounding adds to a cosine
    (less than 1e-9) does not count.
    """
    return np.array([
        (mixed[:, None] >= mixed[None, :] - 1e-9)[shared[:, None] > shared[None, :]].all()
        for mixed, shared in zip(run.similarity, overlap.similarity, strict=True)
    ])  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- rows

PUBLISHED_GROUP = "AFP"
"""Of Table 3: there every model was trained on the same part of the corpus, as here."""


def published(system: str, part: str) -> float | None:
    """The paper's mean normalised rank on its own questions (Table 3), for ``All`` or ``Subset``."""
    table = read_published("cheung2012_table3")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(MIXED.get(system, system))
    parts = ("All", "Subset")
    return row[2 * (system in MIXED) + parts.index(part)] if row and part in parts else None


def parts_of(scores: Scores, imperfect: np.ndarray) -> list[Scores]:
    """The scores of all questions, and of those on which lemma overlap is not perfect, if there are any."""
    of_subset = published(scores.system, "Subset") if scores.published is not None else None
    return [scores, *([scores.subset(imperfect, split="Subset", published=of_subset)] if imperfect.any() else [])]


def rows_of(run: Run, imperfect: np.ndarray) -> list[Result]:
    """Mean normalised rank of `parts_of`."""
    return [part.row() for part in parts_of(run.scores, imperfect)]


def alternation_rows(run: Run) -> list[Result]:
    """Mean normalised rank by how the question was put."""
    scores = replace(run.scores, published=None, tolerance=2 * run.scores.tolerance)
    return [part.row(split=part["kind"], kind=None) for part in scores.groupby("kind")]


def tie_rows(run: Run) -> list[Result]:
    """The mean rank that an order of storage would give, and the share of questions whose answer ties."""
    pairs = [(s, question.answer) for s, question in zip(run.similarity, run.task.questions, strict=True)]
    favour, against = zip(*(question_answering.ties_by_order(*pair) for pair in pairs), strict=True)
    tied = [(similarity == similarity[answer]).sum() > 1 for similarity, answer in pairs]
    values = {f"{METRIC}, ties in favour": favour, f"{METRIC}, ties against": against, "share of answers tied": tied}
    return [replace(run.scores, published=None, metric=name, values=of).row() for name, of in values.items()]


def order_row(run: Run, overlap: Run) -> Result:
    """In how many questions a mixed system only decides between sentences of equal overlap."""
    as_overlap, metric = overlap_alone_decides(run, overlap), "order of overlap kept"
    return replace(run.scores, metric=metric, values=as_overlap, published=None, tolerance=0.02).row()


def data_rows(task: QuestionSet) -> list[Result]:
    """Questions, documents and sentences."""
    place, lengths = ("data", "questions", task.name, "all"), [len(document) for document in task.documents]
    kinds = Counter(question.alternation for question in task.questions)
    return [
        Result(*place, "questions", len(task)),
        Result(*place, "documents", len(lengths)),
        Result(*place, "sentences a document", float(np.mean(lengths)), n=len(lengths)),
        *(Result(*place, f"questions: {kind}", n) for kind, n in kinds.items()),
    ]


def construction_rows(generated: Construction) -> list[Result]:
    """What became of every candidate, and how far the readers of the hand check agree."""
    place = {"system": "construction", "dataset": generated.questions.name, "split": "all"}
    check = construction.hand_check()
    precision, n = construction.precision(check)
    ends = {"value": precision.value, "low": precision.low, "high": precision.high, "n": n}
    return [
        Result(**place, space="documents", metric="documents", value=generated.documents),
        Result(**place, space="propositions", metric="propositions", value=len(generated.propositions)),
        *(Result(**place, space=what, metric="candidates", value=n) for what, n in generated.outcomes.items()),
        Result(**place, space="hand check", metric="precision", **ends),
        Result(**place, space="hand check", metric="kappa", value=construction.agreement(check), n=len(check)),
    ]


def coverage_rows(prepared: Prepared) -> list[Result]:
    """Content tokens without a row, and without a vector in each model, before and after adaptation."""
    task = prepared.task
    texts = [s for document in task.documents for s in document.sentences] + [q.sentence for q in task.questions]
    return [
        row
        for space, trained in ((GENERAL, prepared.trained), (MAIN, prepared.adapted))
        for row in contextual_models.coverage(trained, trained.parsed(texts), space=space, dataset=task.name)
    ]


# ------------------------------------------------------------------------------------------------------------ claims


def claims(
    every: Sequence[Scores], relation_best: str | None, by_seed: Mapping[int, Sequence[Scores]] | None = None
) -> list[Claim]:
    """What the paper concludes of Task 2, tested on all questions and on the subset.

    Parameters
    ----------
    every : sequence of Scores
        Of overlap, pure and mixed systems on all questions.
    relation_best : str or None
        The best system of Task 1 here: that no system is best on both tasks is tested on what it does here, with the
        overlap added.
    by_seed : mapping of seed to scores, optional
        Of D&L, pure and mixed, with senses of several seeds (`seed_scores`): the claims are tested with each of them.
    """
    if by_seed:
        others = [of for of in every if of["model"] != "D&L"]
        return over_seeds({seed: claims([*others, *latent], relation_best) for seed, latent in by_seed.items()})
    (overlap,) = (of for of in every if of.system == OVERLAP)
    scores, computed = [part for of in every for part in parts_of(of, overlap.values < 1)], {}
    leader = max(every, key=lambda of: of.value).system
    leader = MIXED.get(leader, leader)
    if relation_best == leader:
        computed["no-single-winner"] = [Test("stated", "fails", text=f"{leader} leads both tasks")]
    elif relation_best:
        role, mixture_of = "best on Task 1", {OVERLAP: OVERLAP, **MIXED}  # by the overlap and by each mixture
        beaten = [of for of in scores if mixture_of.get(of.system) == relation_best]
        scores += [replace(of, system=f"{of.system}, {role}", role=role, published=None) for of in beaten]
    return evaluate("question_answering", scores, computed=computed)


def best_of_relations(profile: Profile) -> str | None:
    """The best pure system on Task 1 by the committed figures, if there are any."""
    place = datasets.data_root() / "results" / profile.name / "relation_classification.json"
    if not place.exists():
        return None
    results = Results.read(place)
    rows = results.find(split=ALL, metric="AUC") or results.find(space=MAIN, split="average", metric="AUC")
    return max((row for row in rows if row.system in (OVERLAP, *PURE)), key=lambda row: row.value).system


# ---------------------------------------------------------------------------------------------------------- together


def seed_scores(
    runs: Sequence[Run], prepared: Prepared, profile: Profile, subset: bool = False
) -> dict[int, list[Scores]]:
    """D&L's scores with the profile's senses, pure and mixed, by the seed of their training, the profile's own first.

    Of a subset those of the other seeds are the stored ones; otherwise they are stored.
    """
    own = [run.scores for run in runs if run.scores["model"] == "D&L"]

    def ranks(seed: int) -> np.ndarray:
        return np.array([run.ranks for run in sense_runs(prepared, profile, {"seed": seed})])

    others = contextual_models.of_other_seeds(STORED, prepared.general.windows, profile, ranks, subset=subset)
    again = {seed: [replace(of, values=of_seed) for of, of_seed in zip(own, rows, strict=True)]
             for seed, rows in others.items()}  # fmt: skip
    return {profile["seed"]: own, **again}


def main_figures(
    prepared: Prepared, runs: Sequence[Run], profile: Profile, by_seed: Mapping[int, Sequence[Scores]] | None = None
) -> Results:
    """The figures of the main runs and what they rest on, and the claims if D&L is among them; no variants.

    The claims are tested with D&L of every seed in `by_seed`, see `seed_scores`.
    """
    task, overlap = prepared.task, runs[0]
    rows = [*data_rows(task), *coverage_rows(prepared)]
    if prepared.construction is not None:
        rows += construction_rows(prepared.construction)
    for run in runs:
        rows += [*rows_of(run, overlap.ranks < 1), *alternation_rows(run)]
    rows += [*tie_rows(overlap), *(order_row(run, overlap) for run in runs if run.system in MIXED)]
    tested = []
    if "D&L" in prepared.trained.models:
        tested = claims([run.scores for run in runs], best_of_relations(profile), by_seed)
    used = ["genia", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.general.corpus, profile["seed"])
    return Results("question_answering", "cheung2012", profile.name, made, tuple(rows), tuple(tested))


def weight_rows(runs: Sequence[Run], weights: Iterable[float]) -> list[Result]:
    """Mean normalised rank over all questions when the overlap is mixed with the semantic scores by these weights."""
    pure = [run for run in runs if run.system in PURE]
    return [of.scores.row() for run in pure for of in weighted_runs(run.task, runs[0], run, weights)]


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All but what needs senses trained anew: D&L's are the stored ones, and those of the last grid of the sweep;
        its ranks by senses of other seeds are stored, too. Left out are the other grids.
    """
    settings, prepared = profile["question_answering"], prepare(profile, from_stored=subset)
    task, runs = prepared.task, runs_of(prepared.task, prepared.adapted)
    by_seed = seed_scores(runs, prepared, profile, subset) if profile.name == "full" else {}
    main = main_figures(prepared, runs, profile, by_seed)
    rows = [*main.results]
    rows += weight_rows(runs, settings["mixing_weights"])
    further = runs_of(task, prepared.trained, GENERAL)
    if profile.name == "full":
        grids = settings["sweep"][-1:] if subset else settings["sweep"]
        further += [run for grid in grids for run in sense_runs(prepared, profile, grid)]
    rows += [row for run in further for row in rows_of(run, runs[0].ranks < 1)]
    rows += contextual_models.seed_rows(by_seed, **contextual_models.senses_named(profile["contextual.senses"]))
    return replace(main, results=tuple(rows))


# ------------------------------------------------------------------------------------- tables and sentences of the page

KINDS = {"pure": (OVERLAP, *PURE), "mixed": (OVERLAP, *MIXED)}
"""The systems alone, and with the overlap added."""

WHERE = {"system": "{}", "space": MAIN, "metric": METRIC}
"""Where the main results have a system's mean normalised rank."""


def funnel(full: Results) -> Table:
    """What became of every candidate for a question, and how many were left after each step."""
    outcomes = full.find(system="construction", metric="candidates")
    of = {"system": "construction"}
    documents, propositions = (result_of(full, metric=name, **of).value for name in ("documents", "propositions"))
    left = int(sum(r.value for r in outcomes))
    rows = [("candidates: every proposition, with either argument missing", None, left)]
    for r in outcomes[:-1]:  # the last are those that stay
        left -= int(r.value)
        rows.append((r.space, int(r.value), left))
    what = f"Questions from {documents:.0f} abstracts of GENIA with {propositions:,.0f} propositions"
    return table(("what became of the candidates", "candidates", "left"), rows, what)


def hand_check(full: Results) -> str:
    """How many candidates became questions, and how far two readers agree on them."""
    candidates = [int(r.value) for r in full.find(system="construction", metric="candidates")]
    check, kappa = (result_of(full, system="construction", metric=name) for name in ("precision", "kappa"))
    return (
        f"Of {sum(candidates):,} candidates {candidates[-1]} became questions: those that two readers found right. All "
        f"{kappa.n} that were drawn were read twice, and the two readings agree on right or wrong with a kappa of "
        f"{kappa.value:.2f}. Of {check.n} that the first reader found right the other found {check.value:.1%} "
        f"[{check.low:.1%}, {check.high:.1%}] right, too."
    )


def easiness(full: Results | None, imperfect: np.ndarray) -> str:
    """On how many questions lemma overlap is not perfect, here, on the full set and on the paper's.

    The paper prints the means over all its questions and over the imperfect ones; the others have 1, so the two means
    say how many there are.
    """
    here = f"Lemma overlap is not perfect on {imperfect.mean():.0%} of the questions of this run"
    if full is None:
        return f"{here}."
    every, rest = (
        full.one(system=OVERLAP, space=MAIN, metric=METRIC, dataset="genia", split=part) for part in ("All", "Subset")
    )
    of_all, of_rest = (published(OVERLAP, part) for part in ("All", "Subset"))
    return (
        f"{here}, and on {rest.n / every.n:.0%} of the full set, a *Subset* of {rest.n}. The paper's two means for "
        f"overlap imply that it is not perfect on {(1 - of_all) / (1 - of_rest):.0%} of the paper's. So our questions "
        f"remain easier for it: overlap has {every.value:.3f} on all of the full set and {rest.value:.3f} on its "
        f"subset, beside the paper's {of_all:.3f} and {of_rest:.3f}."
    )


def rank_tables(full: Results | None, this_run: Results) -> list[Table]:
    """Mean normalised ranks, published, full and this run: of all questions and the subset, each pure and mixed."""
    tables = []
    for part in ("All", "Subset"):
        wanted = WHERE | {"split": part}
        for kind, names in KINDS.items():
            shown = beside(names, (full, wanted | {"dataset": "genia"}), (this_run, wanted), as_figure=True)
            rows = [
                (system, published(name, part), *ours)
                for system, (name, *ours) in zip(KINDS["pure"], shown, strict=True)
            ]
            columns = ("system", "published", "full", "this run")
            tables.append(table(columns, rows, f"{part}, {kind}: mean normalised rank"))
    return tables


def pure_and_mixed(results: Results, dataset: str, part: str) -> dict[str, dict[str, tuple]]:
    """Each system's mean normalised rank alone and with the overlap added, as charts take it."""
    wanted = {"space": MAIN, "metric": METRIC, "dataset": dataset, "split": part}
    return {
        kind: {
            system: estimate(results.one(system=name, **wanted))
            for system, name in zip(KINDS["pure"], names, strict=True)
        }
        for kind, names in KINDS.items()
    }


def ties_table(full: Results | None, this_run: Results) -> Table:
    """How often the answer ties under lemma overlap, and between which means a mixture can move it."""
    says = {
        "share of answers tied": "answer ties with another sentence",
        METRIC: "overlap, the answer in the middle of its ties",
        f"{METRIC}, ties in favour": "overlap, the answer first among its ties: the most that a mixture can reach",
        f"{METRIC}, ties against": "overlap, the answer last among its ties: the least",
    }
    wanted = {"system": OVERLAP, "space": MAIN, "split": "All", "metric": "{}"}
    rows = [(says[metric], *values) for metric, *values in beside(says, (full, wanted), (this_run, wanted))]
    return table(("lemma overlap, all questions", "full", "this run"), rows)


def by_weight(results: Results, weights: Iterable[float]) -> dict[str, list]:
    """The mean normalised rank of each mixture by the weight of its cosine, as charts take it."""
    weights, series = list(weights), {}
    for pure in PURE[::2]:
        points = series[pure] = []
        for weight in weights:
            names = (f"{pure} x {weight:g} + overlap", *([f"{pure} + overlap"] if weight == 1 else []))
            found = (result_of(results, **{**WHERE, "system": name, "split": "All"}) for name in names)
            points.append(estimate(next(filter(None, found), None)))
    return series


def weighed(series: Mapping[str, Sequence[tuple]], weights: Sequence[float]) -> str:
    """What `by_weight` shows: each mixture at its best weight and at the last, and how many are best above 1.

    Examples
    --------
    >>> weighed({"M&L add": [(0.5, None, None), (0.75, None, None), (0.6, None, None)]}, (1.0, 2.0, 20.0))
    'M&L add is highest at the weight 2 (0.750), with 0.600 at 20. Of 1 models, 1 is highest above 1.'
    """
    told, above = [], 0
    for system, points in series.items():
        values = [value for value, *_ in points]
        best = int(np.argmax(values))
        above += weights[best] > 1
        highest = f"at the weight {weights[best]:g} ({values[best]:.3f})"
        told.append(f"{system} is highest {highest}, with {values[-1]:.3f} at {weights[-1]:g}")
    verb = "is" if above == 1 else "are"
    return f"{'; '.join(told)}. Of {len(series)} models, {above} {verb} highest above 1."


def adaptation_gains(rows: Iterable[tuple]) -> str:
    """For which systems the figure is higher after adaptation: rows of a name, the figure before and the one after.

    Examples
    --------
    >>> adaptation_gains([("M&L add", 0.5, 0.625, None), ("M&L mult", 0.5, 0.25, None)])
    'After adaptation the figure is higher for M&L add, lower for M&L mult, the same for none.'
    """
    signs = {system: np.sign(round(after, 3) - round(before, 3)) for system, before, after, *_ in rows}
    told = [
        f"{word} for {', '.join(system for system in signs if signs[system] == sign) or 'none'}"
        for word, sign in (("higher", 1), ("lower", -1), ("the same", 0))
    ]
    return f"After adaptation the figure is {', '.join(told)}."


def senses_table(full: Results, main: str) -> Table:
    """D&L by how its senses were estimated, those of the main results, named `main`, first."""
    others = (r.space for r in full.find(system="D&L add", metric=METRIC) if r.method and r.space != main)
    names = ("add", "mult", "add + overlap", "mult + overlap")
    columns = ({**WHERE, "system": f"D&L {name}", "space": "{}", "split": "All", "dataset": "genia"} for name in names)
    rows = beside(dict.fromkeys([MAIN, *others]), *((full, wanted) for wanted in columns))
    rows = [(f"{main} (main)" if space == MAIN else space, *values) for space, *values in rows]
    return table(("senses", *names), rows, "Full results, All: mean normalised rank")


def seeds_told(full: Results) -> str:
    """What the seed of the sampler changes for D&L by addition."""
    of = {"system": "D&L add", "split": "All"}
    mean, sd = (result_of(full, **of, metric=f"{METRIC}, {name} of seeds") for name in ("mean", "sd"))
    return (
        f"{mean.n} seeds of the sampler give D&L by addition {mean.value:.3f} on average, with a standard deviation of "
        f"{sd.value:.3f}."
    )


def alternation_tables(full: Results | None, this_run: Results, kinds: Iterable[str]) -> list[Table]:
    """Mean normalised rank by how the question was put, of the systems by addition but E&P, full and this run."""
    systems, parts = (OVERLAP, "M&L add", "TFP add", "D&L add"), list(dict.fromkeys(kinds))
    tables = []
    for results, what in ((full, "full"), (this_run, "this run")):
        columns = [(results, {**WHERE, "system": system, "split": "{}"}) for system in systems]
        if results:
            tables.append(table(("question", *systems), beside(parts, *columns), f"Mean normalised rank, {what}"))
    return tables
