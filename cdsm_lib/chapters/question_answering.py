"""Cheung & Penn 2012, Task 2: which sentence of a document answers a question?

Which models with which settings, what is varied, and every figure of the chapter. The notebook shows what
:func:`main_figures` gives; ``make reproduce`` and ``make verify`` take :func:`figures`, which goes on from there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters.contextual_models import (
    COLUMNS,
    MAIN,
    MIXED,
    OVERLAP,
    PURE,
    Trained,
    TrainingCounts,
    senses_columns,
    senses_name,
    tolerance_of,
)  # fmt: skip
from cdsm_lib.construction import question_answering as construction
from cdsm_lib.construction.question_answering import Construction
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Question, QuestionSet

GENERAL = "general words only"
"""The space of the models without domain adaptation."""

METRIC = "norm. rank"


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
        return question_answering.score(self.similarity, self.task).ranks

    @property
    def scores(self) -> Scores:
        """The ranks, with the paper's figure over all questions, and by how each question was put."""
        kinds = np.array([question.alternation for question in self.task.questions])
        published_here = published(self.system, "All") if self.space == MAIN and "," not in self.task.name else None
        return Scores(
            self.system, self.space, self.task.name, "All", METRIC, self.ranks, published=published_here,
            tolerance=tolerance_of(self.system) / 2,  # a mean rank over hundreds of questions moves less than an AUC
            columns={**COLUMNS.get(self.system, {}), **self.columns}, labels={"kind": kinds},
        )  # fmt: skip


def followed(task: QuestionSet, id: str) -> Question:
    """The question of that id; `ParameterError` if there is none."""
    questions = {question.id: question for question in task.questions}
    if id not in questions:
        problem = f"no question of the teaching set; they go from {min(questions)} to {max(questions)}"
        raise ParameterError(f"example={id!r}: {problem}")
    return questions[id]


def prepare(profile: Profile, *, latent: bool = True) -> Prepared:
    """Count, train all models or, without `latent`, all but D&L, adapt them, and load the questions."""
    general = cheung2012.training_counts(profile)
    trained = cheung2012.trained_on(general, profile, latent=latent)
    domain = cheung2012.domain_counts(profile, general)
    adapted = cheung2012.adapt(trained, general, domain, profile["contextual"])
    return Prepared(*task_of(profile), general, domain, trained, adapted)


def task_of(profile: Profile) -> tuple[QuestionSet, Construction | None]:
    """The questions: generated from GENIA's trees, or the teaching set."""
    name = profile["question_answering.dataset"]
    if name != "genia":
        return question_answering.load(name), None
    made = construction.generate(construction.genia())
    return made.questions, made


def runs_of(task: QuestionSet, trained: Trained, space: str = MAIN, **columns) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added."""
    similarities: dict[str, list] = {}
    asked: dict[str, list[int]] = {}
    for i, question in enumerate(task.questions):
        asked.setdefault(question.document, []).append(i)
    for name, places in asked.items():
        questions = trained.parsed(task.questions[i].sentence for i in places)
        sentences = trained.parsed(task.by_id[name].sentences)
        for system, rows in cheung2012.similarities(trained.models, questions, sentences).items():
            of_system = similarities.setdefault(system, [None] * len(task))
            for i, row in zip(places, rows, strict=True):
                of_system[i] = row
    return [Run(system, space, task, tuple(rows), columns) for system, rows in similarities.items()]


def sense_runs(prepared: Prepared, profile: Profile, grid: Mapping) -> list[Run]:
    """D&L with other senses, pure and mixed."""
    settings, window = {**profile["contextual.senses"], **grid}, profile["contextual.window"]
    latent = cheung2012.latent_senses(prepared.general.windows, settings, profile["seed"], window=window)
    trained = replace(prepared.trained, models={**prepared.trained.models, "D&L": latent})
    adapted = cheung2012.adapt(trained, prepared.general, prepared.domain, profile["contextual"])
    only = replace(adapted, models={"D&L": adapted.models["D&L"]})
    runs = runs_of(prepared.task, only, senses_name(settings), **senses_columns(settings))
    return [run for run in runs if run.system != OVERLAP]


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
    rows = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}
    row = rows.get(system.removesuffix(" + overlap"))
    if row is None or part not in ("All", "Subset"):
        return None
    return row[2 * system.endswith(" + overlap") + ("All", "Subset").index(part)]


def rows_of(run: Run, imperfect: np.ndarray) -> list[Result]:
    """Mean normalised rank over all questions, and over those on which lemma overlap is not perfect."""
    scores = run.scores
    of_subset = published(run.system, "Subset") if scores.published is not None else None
    return [scores.row(), scores.subset(imperfect, split="Subset", published=of_subset).row()]


def alternation_rows(run: Run) -> list[Result]:
    """Mean normalised rank by how the question was put."""
    scores = replace(run.scores, published=None, tolerance=2 * run.scores.tolerance)
    return [part.row(split=part["kind"], kind=None) for part in scores.groupby("kind")]


def tie_rows(run: Run) -> list[Result]:
    """The mean rank that an order of storage would give, and the share of questions whose answer ties."""
    pairs = [(s, question.answer) for s, question in zip(run.similarity, run.task.questions, strict=True)]
    favour, against = zip(*(question_answering.ties_by_order(*pair) for pair in pairs), strict=True)
    tied = [(similarity == similarity[answer]).sum() > 1 for similarity, answer in pairs]
    scores = replace(run.scores, published=None)
    values = {f"{METRIC}, ties in favour": favour, f"{METRIC}, ties against": against, "share of answers tied": tied}
    return [replace(scores, metric=metric, values=of_items).row() for metric, of_items in values.items()]


def order_row(run: Run, overlap: Run) -> Result:
    """In how many questions a mixed system only decides between sentences of equal overlap."""
    kept, metric = overlap_alone_decides(run, overlap), "order of overlap kept"
    return replace(run.scores, metric=metric, values=kept, published=None, tolerance=0.02).row()


def data_rows(task: QuestionSet) -> list[Result]:
    """Questions, documents and sentences."""
    place = {"system": "data", "space": "questions", "dataset": task.name, "split": "all"}
    lengths = [len(document) for document in task.documents]
    kinds = Counter(question.alternation for question in task.questions)
    return [
        Result(**place, metric="questions", value=len(task)),
        Result(**place, metric="documents", value=len(lengths)),
        Result(**place, metric="sentences a document", value=float(np.mean(lengths)), n=len(lengths)),
        *(Result(**place, metric=f"questions: {kind}", value=n) for kind, n in kinds.items()),
    ]


def construction_rows(made: Construction) -> list[Result]:
    """What became of every candidate, and how many questions in the hand check are right."""
    place = {"system": "construction", "dataset": made.questions.name, "split": "all"}
    check = construction.read_check(datasets.data_root() / "annotations" / "genia_questions.tsv")
    precision, n = construction.precision(check, made.questions)
    ends = {"value": precision.value, "low": precision.low, "high": precision.high, "n": n}
    return [
        Result(**place, space="documents", metric="documents", value=made.documents),
        Result(**place, space="propositions", metric="propositions", value=len(made.propositions)),
        *(Result(**place, space=what, metric="candidates", value=n) for what, n in made.outcomes.items()),
        Result(**place, space="hand check", metric="precision", **ends),
    ]


def coverage_rows(prepared: Prepared) -> list[Result]:
    """Content tokens without a row, and without a vector in each model, before and after adaptation."""
    task = prepared.task
    texts = [s for document in task.documents for s in document.sentences] + [q.sentence for q in task.questions]
    return [
        row
        for space, trained in ((GENERAL, prepared.trained), (MAIN, prepared.adapted))
        for row in cheung2012.coverage(trained, trained.parsed(texts), space=space, dataset=task.name)
    ]


# ------------------------------------------------------------------------------------------------------------ claims


def claims(runs: Sequence[Run], relation_best: str | None) -> list[Claim]:
    """What the paper concludes of Task 2, tested on the questions.

    Parameters
    ----------
    runs : sequence of Run
        Overlap, pure and mixed systems.
    relation_best : str or None
        The best system of Task 1 here: that no system is best on both tasks is tested on what it does here, with the
        overlap added.
    """
    scores, computed = [run.scores for run in runs], {}
    best = max(scores, key=lambda of: of.value).system.removesuffix(" + overlap")
    if relation_best == best:
        computed["no-single-winner"] = [Test("stated", "fails", text=f"{best} leads both tasks")]
    elif relation_best:
        name = OVERLAP if relation_best == OVERLAP else f"{relation_best} + overlap"
        (beaten,) = (of for of in scores if of.system == name)
        role = "best on Task 1"
        scores.append(replace(beaten, system=f"{name}, {role}", role=role, published=None))
    return evaluate("question_answering", scores, computed=computed)


def best_of_relations(profile: Profile) -> str | None:
    """The best pure system on Task 1 by the committed figures, if there are any."""
    place = datasets.data_root() / "results" / profile.name / "relation_classification.json"
    if not place.exists():
        return None
    rows = Results.read(place).find(space=MAIN, split="average", metric="AUC")
    return max((row for row in rows if row.system in (OVERLAP, *PURE)), key=lambda row: row.value).system


# ---------------------------------------------------------------------------------------------------------- together


def main_figures(prepared: Prepared, runs: Sequence[Run], profile: Profile) -> Results:
    """The figures of the main runs and what they rest on, and the claims if D&L is among them; no variants."""
    task, overlap = prepared.task, runs[0]
    rows = [*data_rows(task), *coverage_rows(prepared)]
    if prepared.construction is not None:
        rows += construction_rows(prepared.construction)
    for run in runs:
        rows += [*rows_of(run, overlap.ranks < 1), *alternation_rows(run)]
    rows += [*tie_rows(overlap), *(order_row(run, overlap) for run in runs if run.system in MIXED)]
    tested = claims(runs, best_of_relations(profile)) if "D&L" in prepared.trained.models else []
    used = ["genia", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.general.corpus, profile["seed"])
    return Results("question_answering", "cheung2012", profile.name, made, tuple(rows), tuple(tested))


def weight_rows(runs: Sequence[Run], weights: Iterable[float]) -> list[Result]:
    """Mean normalised rank over all questions when the overlap is mixed with the semantic scores by these weights."""
    overlap, task = runs[0], runs[0].task
    pure = [run for run in runs if run.system in PURE]
    return [of.scores.row() for run in pure for of in weighted_runs(task, overlap, run, weights)]


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        The questions with their funnel and hand check, overlap, M&L, E&P and TFP, pure and mixed, with domain
        adaptation, also with other weights and with the head of the known argument alone; the words without a row
        before and after adaptation. Left out: all figures of D&L, the models without adaptation, and the claims.
    """
    settings = profile["question_answering"]
    prepared = prepare(profile, latent=not subset)
    task, runs = prepared.task, runs_of(prepared.task, prepared.adapted)
    main = main_figures(prepared, runs, profile)
    imperfect, rows = runs[0].ranks < 1, list(main.results)
    shorter = runs_of(question_answering.heads_only(task), prepared.adapted)
    for run in shorter:
        rows += rows_of(run, shorter[0].ranks < 1)
    rows += weight_rows(runs, settings["mixing_weights"])
    further = [] if subset else runs_of(task, prepared.trained, GENERAL)
    if profile.name == "full" and not subset:
        further += [run for grid in settings["sweep"] for run in sense_runs(prepared, profile, grid)]
    for run in further:
        rows += rows_of(run, imperfect)
    return replace(main, results=tuple(rows))
