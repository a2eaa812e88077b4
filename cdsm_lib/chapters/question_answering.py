"""Cheung & Penn 2012, Task 2: which sentence of a document answers a question?

Which models with which settings, what is varied, and every figure of the chapter. The notebook shows what
``main_figures`` gives; ``make reproduce`` and ``make verify`` take ``figures``, which goes on from there.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, MIXED, OVERLAP, PURE, Trained, TrainingCounts
from cdsm_lib.chapters.relation_classification import ALL
from cdsm_lib.construction import question_answering as construction
from cdsm_lib.display import Table, beside, estimate, over_seeds, table
from cdsm_lib.evaluation import claims as registry
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Document, Question, QuestionSet

GENERAL = "general words only"
"""The space of the models without domain adaptation."""

METRIC = "norm. rank"

BY_ALTERNATION = (OVERLAP, "M&L add", "TFP add", "D&L add")
"""Systems that are looked at by how the question was put."""

STORED = "question-answering"
"""D&L's ranks by senses of other seeds; see `contextual_models.of_other_seeds`."""


# ---------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    task : QuestionSet
    documents : tuple of Document
        Those from which the questions were made; empty if these were written by hand.
    general, domain : TrainingCounts
        Of the general corpus, and of the domain's.
    trained, adapted : Trained
        The models on the general corpus, and with the domain's words.
    """

    task: QuestionSet
    documents: tuple[Document, ...]
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
    """

    system: str
    space: str
    task: QuestionSet
    similarity: tuple[np.ndarray, ...]

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
        columns = COLUMNS.get(self.system, {})
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


def task_of(profile: Profile) -> tuple[QuestionSet, tuple[Document, ...]]:
    """The questions from GENIA's trees with the abstracts that they were made from, or the teaching set."""
    name = profile["question_answering.dataset"]
    return construction.load(name), construction.genia() if name == "genia" else ()


def runs_of(task: QuestionSet, trained: Trained, space: str = MAIN) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added."""
    similarities: dict[str, list] = defaultdict(lambda: [None] * len(task))
    for document in task.documents:
        places = [i for i, question in enumerate(task.questions) if question.document == document.id]
        questions = trained.parsed(task.questions[i].sentence for i in places)
        sentences = trained.parsed(document.sentences)
        for system, rows in contextual_models.similarities(trained.models, questions, sentences).items():
            for i, row in zip(places, rows, strict=True):
                similarities[system][i] = row
    return [Run(system, space, task, tuple(rows)) for system, rows in similarities.items()]


def latent_runs(prepared: Prepared, profile: Profile, seed: int) -> list[Run]:
    """D&L with senses of another seed, pure and mixed."""
    settings, window = profile["contextual"], profile["contextual.window"]
    latent = contextual_models.latent_senses(prepared.general.windows, settings["senses"], seed, window=window)
    trained = replace(prepared.trained, models={**prepared.trained.models, "D&L": latent})
    adapted = contextual_models.adapt(trained, prepared.general, prepared.domain, settings)
    return runs_of(prepared.task, replace(adapted, models={"D&L": adapted.models["D&L"]}))[1:]


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


NOT_READ, WRONG, KEPT = "not drawn to be read", "wrong for one of two readers", "kept"


def construction_rows(documents: Sequence[Document], task: QuestionSet) -> list[Result]:
    """What became of every candidate for a question."""
    outcomes, read = construction.funnel(documents), len(construction.hand_check())
    place = {"system": "construction", "dataset": task.name, "split": "all"}
    propositions = sum(outcomes.values()) // len(construction.ARGUMENTS)
    left = outcomes.pop(construction.ASKABLE)
    outcomes |= {NOT_READ: left - read, WRONG: read - len(task), KEPT: len(task)}
    return [
        Result(**place, space="documents", metric="documents", value=len(documents)),
        Result(**place, space="propositions", metric="propositions", value=propositions),
        *(Result(**place, space=what, metric="candidates", value=n) for what, n in outcomes.items()),
    ]


def unknown_share(task: QuestionSet, trained: Trained) -> float:
    """The share of content tokens, of documents and questions, for which no row stands."""
    sentences = [sentence for document in task.documents for sentence in document.sentences]
    seen = trained.parsed([*sentences, *(question.sentence for question in task.questions)])
    return sum(len(sentence.unknown) for sentence in seen) / sum(len(sentence.lemmas) for sentence in seen)


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
        return registry.over_seeds(
            {seed: claims([*others, *latent], relation_best) for seed, latent in by_seed.items()}
        )
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
    return registry.evaluate("question_answering", scores, computed=computed)


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
        return np.array([run.ranks for run in latent_runs(prepared, profile, seed)])

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
    rows = construction_rows(prepared.documents, task) if prepared.documents else []
    for run in runs:
        rows += rows_of(run, overlap.ranks < 1)
        if run.system in BY_ALTERNATION:
            rows += alternation_rows(run)
    rows += tie_rows(overlap)
    tested = []
    if "D&L" in prepared.trained.models:
        tested = claims([run.scores for run in runs], best_of_relations(profile), by_seed)
    used = ["genia", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.general.corpus, profile["seed"])
    return Results("question_answering", "cheung2012", profile.name, made, tuple(rows), tuple(tested))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter.

    Parameters
    ----------
    profile : Profile
    subset : bool
        As `make verify` has it: latent senses, and the ranks by those of other seeds, are the stored ones.
    """
    full, prepared = profile.name == "full", prepare(profile, from_stored=subset)
    runs = runs_of(prepared.task, prepared.adapted)
    by_seed = seed_scores(runs, prepared, profile, subset) if full else {}
    main = main_figures(prepared, runs, profile, by_seed)
    general = [run for run in runs_of(prepared.task, prepared.trained, GENERAL) if run.system in PURE]
    rows = [*main.results, *(run.scores.row() for run in general)]
    rows += contextual_models.seed_rows(by_seed, **contextual_models.senses_named(profile["contextual.senses"]))
    return replace(main, results=tuple(rows))


# ------------------------------------------------------------------------------------- tables and sentences of the page

KINDS = {"pure": (OVERLAP, *PURE), "mixed": (OVERLAP, *MIXED)}
"""The systems alone, and with the overlap added."""

WHERE = {"system": "{}", "space": MAIN, "metric": METRIC}
"""Where the main results have a system's mean normalised rank."""


def funnel(outcomes: Mapping[str, int], what: str) -> Table:
    """What became of every candidate, and how many were left after each step; the last outcome is what stays."""
    left = sum(outcomes.values())
    rows = [("candidates: every proposition, with either argument missing", None, left)]
    for reason, n in list(outcomes.items())[:-1]:
        left -= n
        rows.append((reason, n, left))
    return table(("what became of the candidates", "candidates", "left"), rows, what)


def full_funnel(full: Results) -> Table:
    """The funnel of the questions from GENIA."""
    counts = {r.space: int(r.value) for r in full.find(system="construction")}
    documents, propositions = (counts.pop(name) for name in ("documents", "propositions"))
    return funnel(counts, f"Questions from {documents} abstracts of GENIA with {propositions:,} propositions")


def hand_check() -> str:
    """How far two readers of the drawn questions agree."""
    check = construction.hand_check()
    precise, n = construction.precision(check)
    return (
        f"All {len(check)} that were drawn were read twice, and the two readings agree on right or wrong with a kappa "
        f"of {construction.agreement(check):.2f}. Of {n} that the first reader found right the other found "
        f"{precise.value:.1%} [{precise.low:.1%}, {precise.high:.1%}] right, too."
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


def seeds_told(full: Results) -> str:
    """What the seed of the sampler changes for D&L."""
    names = ("D&L add", "D&L mult", "D&L add + overlap", "D&L mult + overlap")
    told = ", ".join(f"{over_seeds(full, METRIC, system=name, split='All')} ({name})" for name in names)
    return f"Over three seeds of the sampler the mean normalised ranks of D&L are {told}: mean and standard deviation."


def alternation_tables(full: Results | None, this_run: Results, kinds: Iterable[str]) -> list[Table]:
    """Mean normalised rank by how the question was put, of the systems by addition but E&P, full and this run."""
    parts = list(dict.fromkeys(kinds))
    tables = []
    for results, what in ((full, "full"), (this_run, "this run")):
        columns = [(results, {**WHERE, "system": system, "split": "{}"}) for system in BY_ALTERNATION]
        if results:
            rows = beside(parts, *columns)
            tables.append(table(("question", *BY_ALTERNATION), rows, f"Mean normalised rank, {what}"))
    return tables
