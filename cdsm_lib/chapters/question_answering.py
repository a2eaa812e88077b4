"""All figures of the chapter on question answering, as ``make reproduce`` and ``make verify`` recompute them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import distil
from cdsm_lib.chapters.contextual_models import MIXED, OVERLAP, PURE, Materials, Trained
from cdsm_lib.chapters.relation_classification import MAIN, cache, coverage_of, material, senses_name, tolerance_of
from cdsm_lib.construction import question_answering as construction_of
from cdsm_lib.construction.question_answering import Construction
from cdsm_lib.evaluation.results import Claim, Ledger, Result, made_with, read_published, verdict_all, verdict_greater
from cdsm_lib.evaluation.verdicts import Test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import QuestionSet

GENERAL = "general words only"
"""The space of the models without domain adaptation."""

TOLERANCE_FACTOR = 0.5
"""Of the tolerances of the relation chapter: a mean rank over hundreds of questions moves less than an AUC."""


# ---------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    task : QuestionSet
    construction : Construction or None
        How the questions were generated, unless they were written by hand.
    general, domain : Materials
        Of the general corpus, and of the domain's.
    trained, adapted : Trained
        The models on the general corpus, and with the domain's words.
    """

    task: QuestionSet
    construction: Construction | None
    general: Materials
    domain: Materials
    trained: Trained
    adapted: Trained


@dataclass(frozen=True)
class Run:
    """What one system gives the sentences of every question's document.

    Attributes
    ----------
    system, space : str
        As in the ledger.
    task : QuestionSet
    given : tuple of float64 arrays
        For each question a similarity with each sentence of its document.
    """

    system: str
    space: str
    task: QuestionSet
    given: tuple[np.ndarray, ...]

    @cached_property
    def scores(self) -> question_answering.Scores:
        """Normalised rank of each question, and the mean."""
        return question_answering.score(self.given, self.task)

    @property
    def ranks(self) -> np.ndarray:
        """Normalised rank of each question."""
        return self.scores.ranks


def domain_material(profile: Profile, general: Materials) -> Materials:
    """Windows and triples of the domain: from GENIA's raw abstracts, or from ``data/distilled``."""
    if profile.name == "full":
        return cheung2012.gather_domain(cheung2012.genia(), general, profile["contextual"])
    return cheung2012.load_distilled(distil.folder(), domain=True)


def prepare(profile: Profile, *, senses: Mapping | None = None, cached: bool = True) -> Prepared:
    """Count, train, adapt, and load the questions; `cached`: latent senses may come from the cache."""
    settings = profile["contextual"]
    general = material(profile)
    chosen = senses or settings["senses"]
    folder = cache() if cached else None
    trained = cheung2012.train(general, settings, profile["seed"], senses=chosen, cache=folder)
    domain = domain_material(profile, general)
    adapted = cheung2012.adapt(trained, general, domain, settings)
    task, construction = task_of(profile)
    return Prepared(task, construction, general, domain, trained, adapted)


def task_of(profile: Profile) -> tuple[QuestionSet, Construction | None]:
    """The questions: generated from GENIA's trees, or the teaching set."""
    name = profile["question_answering.dataset"]
    if name != "genia":
        return question_answering.load(name), None
    construction = construction_of.generate(construction_of.genia())
    return construction.questions, construction


def runs_of(task: QuestionSet, trained: Trained, space: str = MAIN) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added."""
    found: dict[str, list] = {}
    asked: dict[str, list[int]] = {}
    for i, question in enumerate(task.questions):
        asked.setdefault(question.document, []).append(i)
    documents = {document.id: document for document in task.documents}
    for name, places in asked.items():
        questions, sentences = (
            [cheung2012.parsed(s, trained.vocabulary, resolve_voice=trained.resolve_voice) for s in of]
            for of in ([task.questions[i].sentence for i in places], documents[name].sentences)
        )
        for system, similarity in cheung2012.similarities(trained.models, questions, sentences).items():
            rows = found.setdefault(system, [None] * len(task.questions))
            for i, row in zip(places, similarity, strict=True):
                rows[i] = row
    return [Run(system, space, task, tuple(rows)) for system, rows in found.items()]


def sense_runs(prepared: Prepared, profile: Profile, grid: Mapping) -> list[Run]:
    """D&L with other senses, pure and mixed."""
    settings, window = {**profile["contextual.senses"], **grid}, profile["contextual.window"]
    latent = cheung2012.latent_senses(
        prepared.general.windows, settings, profile["seed"], window=window, cache=cache()
    )  # fmt: skip
    trained = replace(prepared.trained, models={**prepared.trained.models, "D&L": latent})
    adapted = cheung2012.adapt(trained, prepared.general, prepared.domain, profile["contextual"])
    only = replace(adapted, models={"D&L": adapted.models["D&L"]})
    return [run for run in runs_of(prepared.task, only, senses_name(settings)) if run.system != OVERLAP]


def weighted_runs(task: QuestionSet, overlap: Run, pure: Run, weights: Iterable[float]) -> list[Run]:
    """Overlap plus so many times the semantic score; the paper's mixture has the weight 1."""
    return [
        Run(f"{pure.system} x {weight:g} + overlap", pure.space, task,
            tuple(weight * mine + shared for mine, shared in zip(pure.given, overlap.given, strict=True)))
        for weight in weights
    ]  # fmt: skip


def overlap_alone_decides(run: Run, overlap: Run) -> np.ndarray:
    """For each question whether a mixed system puts no sentence above one of more overlap: bool [questions].

    A cosine of 1 beside one of 0 can make up for one shared word, but only to a tie; what rounding adds to a cosine
    (less than 1e-9) does not count.
    """
    kept = []
    for mixed, shared in zip(run.given, overlap.given, strict=True):
        more = shared[:, None] > shared[None, :]
        kept.append(bool((mixed[:, None] >= mixed[None, :] - 1e-9)[more].all()))
    return np.array(kept)


# ----------------------------------------------------------------------------------------------------------- results

PUBLISHED_GROUP = "AFP"
"""Of Table 3: there every model was trained on the same part of the corpus, as here."""


def published(system: str, part: str) -> float | None:
    """The paper's mean normalised rank on its own questions (Table 3), for ``All`` or ``Subset``."""
    return _published_table().get((system, part))


def _published_table() -> dict[tuple[str, str], float]:
    table = read_published("cheung2012_table3")
    rows = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}
    found = {}
    for system, (pure_all, pure_subset, mixed_all, mixed_subset) in rows.items():
        found |= {(system, "All"): pure_all, (system, "Subset"): pure_subset}
        mixed = f"{system} + overlap"
        found |= {(mixed, "All"): mixed_all, (mixed, "Subset"): mixed_subset}
    return found


METRIC = "norm. rank"


def within(system: str) -> float:
    """Tolerance of a mean over all questions."""
    return TOLERANCE_FACTOR * tolerance_of(system)


def run_results(run: Run, subset: np.ndarray) -> list[Result]:
    """Mean normalised rank over all questions, and over those on which lemma overlap is not perfect."""
    place = {"system": run.system, "space": run.space, "dataset": run.task.name, "metric": METRIC}
    found = []
    for part, ranks in (("All", run.ranks), ("Subset", run.ranks[subset])):
        paper = published(run.system, part) if run.space == MAIN and "," not in run.task.name else None
        found.append(Result.of_items(ranks, split=part, published=paper, tolerance=within(run.system), **place))
    return found


def alternation_results(run: Run) -> list[Result]:
    """Mean normalised rank by how the question was put."""
    place = {"system": run.system, "space": run.space, "dataset": run.task.name, "metric": METRIC}
    kinds = np.array([question.alternation for question in run.task.questions])
    return [
        Result.of_items(run.ranks[kinds == kind], split=str(kind), tolerance=2 * within(run.system), **place)
        for kind in dict.fromkeys(kinds.tolist())
    ]


def tie_results(run: Run) -> list[Result]:
    """The mean rank that an order of storage would give, and the share of questions whose answer ties."""
    place = {"system": run.system, "space": run.space, "dataset": run.task.name, "split": "All"}
    answers = [question.answer for question in run.task.questions]
    pairs = list(zip(run.given, answers, strict=True))
    favour, against = zip(*(question_answering.ties_by_order(given, answer) for given, answer in pairs), strict=True)
    tied = [bool((given == given[answer]).sum() > 1) for given, answer in pairs]
    return [
        Result.of_items(np.array(values, dtype=float), metric=metric, tolerance=within(run.system), **place)
        for metric, values in (
            (f"{METRIC}, ties in favour", favour),
            (f"{METRIC}, ties against", against),
            ("share of answers tied", tied),
        )
    ]


def order_results(runs: Sequence[Run], overlap: Run) -> list[Result]:
    """In how many questions a mixed system only decides between sentences of equal overlap."""
    return [
        Result.of_items(
            overlap_alone_decides(run, overlap).astype(float), system=run.system, space=run.space,
            dataset=run.task.name, split="All", metric="order of overlap kept", tolerance=0.02,
        )
        for run in runs
    ]  # fmt: skip


def data_results(task: QuestionSet) -> list[Result]:
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


def construction_results(construction: Construction) -> list[Result]:
    """What became of every candidate, and how many questions in the hand check are right."""
    task = construction.questions
    place = {"system": "construction", "dataset": task.name, "split": "all"}
    found = [Result(**place, space=what, metric="candidates", value=n) for what, n in construction.outcomes.items()]
    check = construction_of.read_check(datasets.data_root() / "annotations" / "genia_questions.tsv")
    precision, n = construction_of.precision(check, task)
    ends = {"value": precision.value, "low": precision.low, "high": precision.high, "n": n}
    return [
        Result(**place, space="documents", metric="documents", value=construction.documents),
        Result(**place, space="propositions", metric="propositions", value=len(construction.propositions)),
        *found,
        Result(**place, space="hand check", metric="precision", **ends),
    ]


def coverage_results(prepared: Prepared) -> list[Result]:
    """Content tokens without a row, and without a vector in each model, before and after adaptation."""
    task, found = prepared.task, []
    texts = [s for document in task.documents for s in document.sentences] + [q.sentence for q in task.questions]
    for space, trained in ((GENERAL, prepared.trained), (MAIN, prepared.adapted)):
        seen = [cheung2012.parsed(s, trained.vocabulary, resolve_voice=trained.resolve_voice) for s in texts]
        found += coverage_of(trained, seen, task.name, space)
    return found


# ------------------------------------------------------------------------------------------------------------ claims


MIXTURES = "mean of the mixed systems"


def _paper(*systems: str) -> str:
    """What the paper's table has for these systems over all questions, for the record of a claim."""
    return f"{METRIC} " + ", ".join(f"{published(system, 'All'):.3f} ({system})" for system in systems)


def claims(runs: Sequence[Run], relation_best: str | None) -> list[Claim]:
    """What the paper concludes of Task 2, tested on the questions.

    Parameters
    ----------
    runs : sequence of Run
        Overlap, pure and mixed systems.
    relation_best : str or None
        The best system of Task 1 here, for the claim across both tasks.

    Notes
    -----
    Not every mixed system beats the overlap in the paper's own Table 3, so that claim is tested on their mean.
    """
    ranks = {run.system: run.ranks for run in runs}
    part = {"id": "part", "text": "one part of a claim"}

    def better(a: str, b: str, **about) -> Claim:
        return verdict_greater(ranks[a], ranks[b], names=(a, b), **(about or part))

    best = max(ranks, key=lambda name: ranks[name].mean())
    ranks[MIXTURES] = np.mean([ranks[name] for name in MIXED], axis=0)
    return [
        verdict_all(
            [better(OVERLAP, name) for name in PURE],
            id="overlap-hard-to-beat",
            text="Lemma overlap is a strong baseline: no semantic model alone comes near it.",
            published=_paper(OVERLAP, *PURE),
        ),
        better(
            MIXTURES, OVERLAP, id="mixed-beat-overlap",
            text="Mixed with lemma overlap, the models outperform lemma overlap: on average over the eight.",
            published=_paper(*MIXED, OVERLAP),
        ),
        verdict_all(
            [better("TFP add + overlap", name) for name in (OVERLAP, *MIXED) if name != "TFP add + overlap"],
            id="tfp-add-mixed-best",
            text="TFP with addition, mixed with overlap, is the best of all.",
            published=_paper("TFP add + overlap", OVERLAP, *(name for name in MIXED if name != "TFP add + overlap")),
        ),
        better(
            "M&L add", "D&L add", id="dl-add-not-here",
            text="D&L with addition, the paper's best on Task 1, does less well here than M&L with addition.",
            published=_paper("M&L add", "D&L add"),
        ),
        *([_no_winner(ranks, best, relation_best, part)] if relation_best else []),
    ]  # fmt: skip


def _no_winner(ranks: Mapping[str, np.ndarray], best: str, relation_best: str, part: Mapping) -> Claim:
    """No system is best on both tasks: Task 1's best is beaten here."""
    pure = relation_best.removesuffix(" + overlap")
    about = {
        "id": "no-single-winner",
        "text": "No single model or operation performs best on all tasks.",
        "published": "Task 1: D&L add; Task 2: TFP add mixed with overlap",
    }
    if pure == best.removesuffix(" + overlap"):
        return Claim.of(tests=[Test("stated", "fails", text=f"{pure} leads both tasks")], **about)
    here = pure if pure == OVERLAP else f"{pure} + overlap"
    found = verdict_greater(ranks[best], ranks[here], names=(f"{best}, best here", f"{here}, best on Task 1"), **part)
    return replace(found, **about)


# ---------------------------------------------------------------------------------------------------------- together


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        The questions with their funnel and hand check, overlap, M&L, E&P and TFP, pure and mixed, with domain
        adaptation, also with other weights and with the head of the known argument alone; the words without a row
        before and after adaptation. Left out: all figures of D&L (a small one is trained, so that all else takes the
        same way), the models without adaptation, and the claims.
    """
    task, seed = profile["question_answering"], profile["seed"]
    small = profile["relation_classification.sweep"][0] if subset else {}
    senses = {**profile["contextual.senses"], **{k: v for k, v in small.items() if k != "checkpoints"}}
    prepared = prepare(profile, senses=senses)
    questions = prepared.task
    covered = [r for r in coverage_results(prepared) if not (subset and r.system == "D&L")]
    results = [*data_results(questions), *covered]
    if prepared.construction is not None:
        results += construction_results(prepared.construction)

    def kept(trained: Trained) -> Trained:
        models = {name: model for name, model in trained.models.items() if not (subset and name == "D&L")}
        return replace(trained, models=models)

    runs = runs_of(questions, kept(prepared.adapted))
    overlap = next(run for run in runs if run.system == OVERLAP)
    imperfect = overlap.ranks < 1
    mixed = [run for run in runs if run.system in MIXED]
    for run in runs:
        results += [*run_results(run, imperfect), *alternation_results(run)]
    results += [*tie_results(overlap), *order_results(mixed, overlap)]
    shorter = runs_of(question_answering.heads_only(questions), kept(prepared.adapted))
    for run in shorter:
        results += run_results(run, shorter[0].ranks < 1)
    for run in runs:
        if run.system in PURE:
            for weighted in weighted_runs(questions, overlap, run, task["mixing_weights"]):
                results += run_results(weighted, imperfect)[:1]
    tested = []
    if not subset:
        for run in runs_of(questions, prepared.trained, GENERAL):
            results += run_results(run, imperfect)
        tested = claims(runs, best_of_relations(profile))
    if profile.name == "full" and not subset:
        for grid in task["sweep"]:
            for run in sense_runs(prepared, profile, grid):
                results += run_results(run, imperfect)
    used = ["genia", "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.general.corpus, seed)
    return Ledger("question_answering", "cheung2012", profile.name, made, tuple(results), tuple(tested))


def best_of_relations(profile: Profile) -> str | None:
    """The best pure system on Task 1 by the committed figures, if there are any."""
    place = datasets.data_root() / "results" / profile.name / "relation_classification.json"
    if not place.exists():
        return None
    rows = Ledger.read(place).find(space=MAIN, split="average", metric="AUC")
    return max((row for row in rows if row.system in (OVERLAP, *PURE)), key=lambda row: row.value).system
