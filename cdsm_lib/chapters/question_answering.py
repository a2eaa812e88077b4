"""Cheung & Penn 2012, Task 2: which sentence of a document answers a question?

Which models with which settings, what is varied, and every figure of the chapter.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, MIXED, OVERLAP, PURE, Trained, TrainingCounts
from cdsm_lib.chapters.relation_classification import ALL
from cdsm_lib.composition.contextual import LatentSenses
from cdsm_lib.construction import question_answering as construction
from cdsm_lib.display import Table, grid, table
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, committed, read_published
from cdsm_lib.settings import Profile, expect_among
from cdsm_lib.tasks import question_answering
from cdsm_lib.tasks.question_answering import Document, Question, QuestionSet
from cdsm_lib.tasks.system import by_cosine
from cdsm_lib.tasks.task import together

GENERAL = "general words only"
"""The space of the models without domain adaptation."""

METRIC = "norm. rank"

HALVINGS = 200
"""Of the abstracts, to choose a system on one half and to test it on the other."""

BY_ALTERNATION = (OVERLAP, "M&L add", "TFP add", "D&L add")
"""Systems that are looked at by how the question was put."""


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    questions : QuestionSet
    documents : tuple of Document
        Those from which the questions were made; empty if these were written by hand.
    general, domain : TrainingCounts
        Of the general corpus, and of the domain's.
    trained, adapted : Trained
        The models on the general corpus, and with the domain's words.
    """

    questions: QuestionSet
    documents: tuple[Document, ...]
    general: TrainingCounts
    domain: TrainingCounts
    trained: Trained
    adapted: Trained


def followed(questions: QuestionSet, id: str) -> Question:
    """The question of that id; `ParameterError` if there is none."""
    by_id = {question.id: question for question in questions.questions}
    expect_among("example", id, by_id, "no question of the teaching set")
    return by_id[id]


def prepare(profile: Profile, *, quick: bool = False) -> Prepared:
    """Count, train all models, D&L from stored senses if quick, adapt them, and load the questions."""
    general = contextual_models.training_counts(profile)
    latent = contextual_models.latent_senses(general.windows, profile, stored=quick)
    trained = contextual_models.train(general, profile["contextual"], latent)
    domain = contextual_models.domain_counts(profile, general)
    adapted = contextual_models.adapt(trained, general, domain, profile["contextual"])
    name = profile["question_answering.dataset"]
    documents = construction.genia() if name == "genia" else ()
    return Prepared(construction.load(name), documents, general, domain, trained, adapted)


Similarities = Mapping[str, np.ndarray]
"""Of each system, with every sentence of every question's document: {system: float64 [m]}."""


def similarities(questions: QuestionSet, trained: Trained, by: Callable = by_cosine) -> Similarities:
    """Of overlap, every model with both operations, and each of these with the overlap added."""
    return contextual_models.similarities(trained.models, question_answering.task(questions, trained.read), by=by)


# ------------------------------------------------------------------------------------------------------------ scores

PUBLISHED_GROUP = "AFP"
"""Of Table 3: there every model was trained on the same part of the corpus, as here."""


def published(system: str, part: str) -> float | None:
    """The paper's mean normalised rank on its own questions (Table 3), for ``All`` or ``Subset``."""
    table = read_published("cheung2012_table3")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(MIXED.get(system, system))
    return row[2 * (system in MIXED) + ("All", "Subset").index(part)] if row else None


def scores_of(questions: QuestionSet, trained: Trained, by_system: Similarities, space: str = MAIN) -> list[Scores]:
    """Normalised ranks by every system, with the paper's figure over all questions, and by how each was put."""
    task = question_answering.task(questions, trained.read)
    return [
        task.scores(
            system, space, similarity, columns=COLUMNS[system],
            published=published(system, "All") if space == MAIN else None,
            tolerance=contextual_models.tolerance_of(COLUMNS[system]) / 2,  # a mean rank moves less than an AUC
        )
        for system, similarity in by_system.items()
    ]  # fmt: skip


def options(prepared: Prepared, profile: Profile) -> Iterator[Scores]:
    """Ranks by what the paper leaves open; what is otherwise, beside the space, stands with the metric."""
    questions, counts = prepared.questions, (prepared.general, prepared.domain)
    about = counts, profile["contextual"], question_answering.task(questions, prepared.adapted.read).texts
    for space, what, trained, by in contextual_models.options(prepared.adapted, *about):
        for score in scores_of(questions, trained, similarities(questions, trained, by), space):
            yield replace(score, metric=", ".join(filter(None, (score.metric, what))))


def on_subset(scores: Sequence[Scores]) -> Iterator[Scores]:
    """The scores of the questions on which lemma overlap is not perfect, if there are any."""
    (overlap,) = (score for score in scores if score.system == OVERLAP)
    imperfect = overlap.values < 1
    for score in scores if imperfect.any() else ():
        printed = published(score.system, "Subset") if score.published is not None else None
        yield score.subset(imperfect, split="Subset", published=printed)


def by_alternation(scores: Scores) -> Iterator[Scores]:
    """The scores by how the question was put."""
    for part in replace(scores, published=None, tolerance=2 * scores.tolerance).groupby("kind"):
        yield replace(part, split=part["kind"], columns=scores.columns)


def ties(scores: Scores, similarity: np.ndarray, questions: QuestionSet) -> Iterator[Scores]:
    """The ranks that an order of storage would give, and whether the answer ties, for each question."""
    by_question = question_answering.by_question(questions, similarity)
    pairs = [(values, q.answer) for values, q in zip(by_question, questions.questions, strict=True)]
    favour, against = zip(*(question_answering.ties_by_order(*pair) for pair in pairs), strict=True)
    tied = [(values == values[answer]).sum() > 1 for values, answer in pairs]
    named = {f"{METRIC}, ties in favour": favour, f"{METRIC}, ties against": against, "share of answers tied": tied}
    for name, values in named.items():
        yield replace(scores, published=None, metric=name, values=values)


NOT_READ, WRONG, KEPT = "not drawn to be read", "wrong for one of two readers", "kept"


def construction_rows(documents: Sequence[Document], questions: QuestionSet) -> list[Result]:
    """What became of every candidate for a question."""
    outcomes, read = construction.funnel(documents), len(construction.hand_check())
    place = {"system": "construction", "dataset": questions.name, "split": "all"}
    propositions = sum(outcomes.values()) // len(construction.ARGUMENTS)
    left = outcomes.pop(construction.ASKABLE)
    outcomes |= {NOT_READ: left - read, WRONG: read - len(questions), KEPT: len(questions)}
    return [
        Result(**place, space="documents", metric="documents", value=len(documents)),
        Result(**place, space="propositions", metric="propositions", value=propositions),
        *(Result(**place, space=what, metric="candidates", value=n) for what, n in outcomes.items()),
    ]


# ----------------------------------------------------------------------------------------------------------- the run


def run(
    profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None, by_system: Similarities = None
) -> Results:
    """Every figure of the chapter.

    Parameters
    ----------
    profile : Profile
    quick : bool, optional
        True, as `make verify` has it: latent senses, and the ranks by those of other seeds, are the stored ones.
        False, as `make reproduce` has it: all are trained, and stored. By default there is the own seed alone.
    prepared : Prepared, optional
    by_system : mapping of str to array, optional
        `similarities` by the adapted models. By default both are made here.
    """
    prepared = prepared or prepare(profile, quick=bool(quick))
    questions, adapted = prepared.questions, prepared.adapted
    by_system = by_system or similarities(questions, adapted)
    main = scores_of(questions, adapted, by_system)
    of_latent, by_seed = [score for score in main if score["model"] == "D&L"], {}

    def of_senses(latent: LatentSenses) -> list[np.ndarray]:
        again = replace(prepared.trained, models={**prepared.trained.models, "D&L": latent})
        again = contextual_models.adapt(again, prepared.general, prepared.domain, profile["contextual"])
        again = replace(again, models={"D&L": again.models["D&L"]})
        scores = scores_of(questions, again, similarities(questions, again))
        return [score.values for score in scores if score["model"] == "D&L"]

    others = contextual_models.over_seeds("question-answering", of_senses, prepared.general.windows, profile, quick)
    for seed, rows in others.items():
        by_seed[seed] = [replace(score, values=values) for score, values in zip(of_latent, rows, strict=True)]
    general = scores_of(questions, prepared.trained, similarities(questions, prepared.trained), GENERAL)
    shown = [part for score in main if score.system in BY_ALTERNATION for part in by_alternation(score)]
    shown += ties(main[0], by_system[OVERLAP], questions)
    shown += [score for score in general if score.system in PURE]
    return ledger.run(
        "question_answering", profile, [*main, *on_subset(main), *shown], by_seed,
        claims=lambda scores: claims(scores, best_of_relations(profile)),
        rows=construction_rows(prepared.documents, questions) if prepared.documents else (),
        corpus=prepared.general.corpus, used=["genia", "wikipedia_parsed"], options=partial(options, prepared, profile),
        **contextual_models.senses_named(profile["contextual.senses"]),
    )  # fmt: skip


def claims(scores: Sequence[Scores], relation_best: str | None) -> list[Claim]:
    """What the paper concludes of Task 2, tested on all questions and on the subset.

    Parameters
    ----------
    scores : sequence of Scores
        Of overlap, pure and mixed systems on all questions.
    relation_best : str or None
        The best of these on Task 1 here: that no system is best on both tasks is tested on what it does here.
    """
    every = [score for score in scores if (score.space, score.split, score.metric) == (MAIN, "All", METRIC)]
    parts, role = [every, list(on_subset(every))], "best on Task 1"
    tested = [score for part in parts for score in part]
    best = [score for score in tested if score.system == relation_best]
    tested += [replace(s, system=f"{s.system}, {role}", role=role, published=None) for s in best]
    tested += [chosen_elsewhere(part) for part in parts if part and len(np.unique(part[0].groups)) > 1]
    return evaluate("question_answering", tested)


def chosen_elsewhere(scores: Sequence[Scores], seed: int = 0) -> Scores:
    """Of each item the mean value that the best system has, if it is chosen on halves of the groups without the item's.

    The best of many on the very items on which it is tested would look better than it is.
    """
    values, group = np.array([s.values for s in scores]), together(scores[0].groups)
    rng, times = np.random.default_rng(seed), np.zeros(values.shape)
    for _ in range(HALVINGS):
        half = rng.permutation(group.max() + 1)[group] % 2 == 0
        for here, elsewhere in ((half, ~half), (~half, half)):
            times[values[:, elsewhere].mean(axis=1).argmax(), here] += 1
    chosen = (times / HALVINGS * values).sum(axis=0)
    system, within = "best on other abstracts", max(s.tolerance for s in scores)
    return replace(scores[0], system=system, role=system, values=chosen, published=None, tolerance=within, columns={})


def best_of_relations(profile: Profile) -> str | None:
    """The best system on Task 1 by the committed figures, alone or with overlap added, if there are any."""
    results = committed("relation_classification", profile.name)
    rows = results.find(space=MAIN, metric="AUC") if results else []
    rows = [row for row in rows if row.split == ALL] or [row for row in rows if row.split == "average"]
    return max(rows, key=lambda row: row.value).system if rows else None


def overlap_alone_decides(similarity: np.ndarray, shared: np.ndarray, questions: QuestionSet) -> np.ndarray:
    """For each question whether a mixed system puts no sentence above one of more overlap: bool [questions].

    A cosine of 1 beside one of 0 can make up for one shared word, but only to a tie; what rounding adds to a cosine
    (less than 1e-9) does not count.
    """
    both = (question_answering.by_question(questions, values) for values in (similarity, shared))
    return np.array([
        (mixed[:, None] >= mixed[None, :] - 1e-9)[overlap[:, None] > overlap[None, :]].all()
        for mixed, overlap in zip(*both, strict=True)
    ])  # fmt: skip


def unknown_share(questions: QuestionSet, trained: Trained) -> float:
    """The share of content tokens, of documents and questions, for which no row stands."""
    sentences = [sentence for document in questions.documents for sentence in document.sentences]
    sentences += [question.sentence for question in questions.questions]
    texts = list(map(trained.read, sentences))
    return sum(len(text.unknown) for text in texts) / sum(len(text.lemmas) for text in texts)


# ------------------------------------------------------------------------------------- tables and sentences of the page

KINDS = {names: dict(zip((OVERLAP, *PURE), (OVERLAP, *systems), strict=True))
         for names, systems in {"pure": PURE, "mixed": MIXED}.items()}  # fmt: skip
"""The systems alone, and with the overlap added, by the name of the system alone."""

WHERE = {"space": MAIN, "metric": METRIC}
"""Where the main results have a system's mean normalised rank."""


def full_funnel(full: Results) -> Table:
    """What became of every candidate from GENIA, and how many each step left; the last outcome is what stays."""
    counts = {r.space: int(r.value) for r in full.find(system="construction")}
    documents, propositions = (counts.pop(name) for name in ("documents", "propositions"))
    left = sum(counts.values())
    rows = [("candidates: every proposition, with either argument missing", None, left)]
    for reason, n in list(counts.items())[:-1]:
        left -= n
        rows.append((reason, n, left))
    caption = f"Questions from {documents} abstracts of GENIA with {propositions:,} propositions"
    return table(("what became of the candidates", "candidates", "left"), rows, caption)


def hand_check() -> str:
    """How far two readers of the drawn questions agree."""
    check = construction.hand_check()
    precise, n = construction.precision(check)
    return (
        f"All {len(check)} that were drawn were read twice, and the two readings agree on right or wrong with a kappa "
        f"of {construction.agreement(check):.2f}. Of {n} that the first reader found right the other found "
        f"{precise.value:.1%} [{precise.low:.1%}, {precise.high:.1%}] right, too."
    )


def pure_and_mixed(results: Results, part: str) -> dict[str, dict]:
    """Each system's mean normalised rank alone and with the overlap added, as charts take it."""
    return {kind: grid(results, {"split": [part]}, {"system": names}, **WHERE)[part] for kind, names in KINDS.items()}
