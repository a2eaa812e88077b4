"""Cheung & Penn 2012, Task 1: do sentences that express the same relation come out as similar?

Which models with which settings, what is varied, and every figure of the chapter.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, OVERLAP, PURE, RATIO, VOICE, Trained, TrainingCounts
from cdsm_lib.composition.contextual import LatentSenses, Simple
from cdsm_lib.construction import relation_classification as construction
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Results, Scores, read_published
from cdsm_lib.settings import Profile, expect_among
from cdsm_lib.tasks import invariance, relation_classification
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.tasks.system import by_cosine, vectors
from cdsm_lib.tasks.task import Text
from cdsm_lib.vectors.similarity import cosines

RESAMPLES = 2000
"""Bootstrap resamples of the sentences."""

SETS = {"relation_banko2008": "web sentences", "google_re": "births and deaths"}
"""Sets on which the claims are also tested alone, by the names that they have there."""

ALL = "all sentences"
"""Of every set: each pair of entities, and each place, counts the same."""

ONE_ADDED, BARE = "PPMI + 1", "without the entities"
WEIGHTINGS = {"the ratio": RATIO, "PPMI": MAIN, ONE_ADDED: ONE_ADDED}
"""Of M&L's vectors, with their spaces: the ratio is that of Mitchell and Lapata, and the main results have PPMI."""


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored: the main set and further ones, counts, and models."""

    relations: Relations
    further: tuple[Relations, ...]
    counts: TrainingCounts
    trained: Trained

    @property
    def sets(self) -> tuple[Relations, ...]:
        """All sets, the main one first."""
        return self.relations, *self.further


def followed(relations: Relations, id: str) -> tuple[EntityPair, int]:
    """The pair of a sentence and its place there; `ParameterError` if there is no such sentence."""
    place = {name: (pair, i) for pair in relations for i, name in enumerate(pair.ids)}
    expect_among("example", id, place, "no sentence of the teaching set")
    return place[id]


def prepare(profile: Profile, *, quick: bool = False) -> Prepared:
    """Count, train all models, D&L from stored senses if quick, and load the sentences."""
    counts = contextual_models.training_counts(profile)
    settings = profile["relation_classification"]
    relations, *further = map(construction.load, (settings["dataset"], *settings["further"]))
    latent = contextual_models.latent_senses(counts.windows, profile, stored=quick)
    return Prepared(relations, tuple(further), counts, contextual_models.train(counts, profile["contextual"], latent))


# ------------------------------------------------------------------------------------------------------------ scores

PUBLISHED_GROUP = "trained on AFP section"
"""Of Table 1: there every model was trained on the same part of the corpus, as here."""


def published_average(system: str) -> float | None:
    """The paper's average over its own four entity pairs (Table 1)."""
    table = read_published("cheung2012_table1")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(system)
    return row[table["columns"].index("Average")] if row else None


def scores_of(
    relations: Relations,
    trained: Trained,
    seed: int,
    space: str = MAIN,
    among: Container[str] | None = None,
    by: Callable = by_cosine,
) -> Iterator[list[Scores]]:
    """AUC of each entity pair and at the end their average, of overlap, every model, and each with the overlap added.

    Parameters
    ----------
    relations : Relations
    trained : Trained
    seed : int
        Of the resamples.
    space : str
        As in the results.
    among : container of str, optional
        Only these systems.
    by : callable
        How vectors are compared.
    """
    task = relation_classification.task(relations, trained.read)
    for system, similarity in contextual_models.similarities(trained.models, task, among, by).items():
        columns, within = COLUMNS[system], contextual_models.tolerance_of(COLUMNS[system])
        *pairs, average = task.with_items(system, space, similarity, n=RESAMPLES, seed=seed, columns=columns)
        published = published_average(system) if space == MAIN and relations.name != "google_re" else None
        pairs = [replace(pair, tolerance=2 * within) for pair in pairs]
        yield [*pairs, replace(average, published=published, tolerance=within)]


def averages(sets: Iterable[Relations], *arguments) -> list[Scores]:
    """The averages of `scores_of` on each of the sets."""
    return [scores[-1] for part in sets for scores in scores_of(part, *arguments)]


def together(scores: Iterable[Scores]) -> Iterator[Scores]:
    """Of every system in every space the mean AUC over the pairs of all sets, each counting the same."""
    by_system = defaultdict(list)
    for average in scores:
        by_system[average.system, average.space].append(average)
    for parts in by_system.values():
        pairs = [part.n for part in parts]
        value = np.average([part.value for part in parts], weights=pairs)
        drawn = np.average([part.resamples for part in parts], weights=pairs, axis=0)
        named = {"dataset": " + ".join(part.dataset for part in parts), "split": ALL, "n": sum(pairs)}
        yield replace(parts[0], **named, statistic=float(value), resamples=drawn)


def weighted(prepared: Prepared) -> dict[str, Simple]:
    """M&L with the ratio P(c|t) / P(c), and with 1 added to every cell of PPMI, so that no factor of a product is 0."""
    space, texts = prepared.trained.models["M&L"].space, texts_of(prepared, *prepared.sets)
    ones = contextual_models.full(space, texts, "one added")
    return {RATIO: Simple(contextual_models.association(prepared.counts.windows, "ratio")), ONE_ADDED: ones}


def bare(prepared: Prepared, seed: int) -> list[Scores]:
    """Every model without the entities' own words."""
    relations, trained = prepared.relations, prepared.trained
    blank = construction.without_entities
    pairs = tuple(replace(pair, sentences=tuple(map(blank, pair.sentences))) for pair in relations)
    return averages([replace(relations, pairs=pairs)], trained, seed, BARE, (OVERLAP, *PURE))


def options(prepared: Prepared, profile: Profile) -> Iterator[Scores]:
    """Averages of what the paper leaves open; what is otherwise, beside the space, stands with the metric."""
    about = [prepared.counts], profile["contextual"], texts_of(prepared, *prepared.sets)
    for space, what, trained, by in contextual_models.options(prepared.trained, *about):
        for score in averages(prepared.sets, trained, profile["seed"], space, PURE, by):
            yield replace(score, metric=", ".join(filter(None, (score.metric, what))))


def zero_vectors(prepared: Prepared, models: Mapping[str, object], space: str = MAIN) -> Iterator[Scores]:
    """The share of sentences whose vector is zero, so that they are as similar to one another as to all others."""
    texts = texts_of(prepared, prepared.relations)
    for name, model in models.items():
        for operation, rows in vectors(model, texts).items():
            zero = np.asarray(abs(rows).sum(axis=1)).ravel() == 0
            system = f"{name} {operation}"
            place = (system, space, prepared.relations.name, "all", "share of zero vectors", zero)
            yield Scores(*place, tolerance=contextual_models.tolerance_of(COLUMNS[system]), columns=COLUMNS[system])


def texts_of(prepared: Prepared, *sets: Relations) -> list[Text]:
    """The sentences of all pairs that are scored, as the models see them."""
    return [prepared.trained.read(s) for part in sets for pair in part.usable for s in pair.sentences]


# ------------------------------------------------------------------------------------------------------------- probe


def probes(trained: Trained, quadruples: Sequence[invariance.Quadruple]) -> dict[str, invariance.Probe]:
    """What every pure system gives the probe: active against passive, nominalisation, swapped roles and another."""
    sentences = [getattr(quadruple, form) for quadruple in quadruples for form in invariance.FORMS]
    texts, place, by_system = list(map(trained.read, sentences)), {id(s): i for i, s in enumerate(sentences)}, {}
    for name, model in trained.models.items():
        for operation, rows in vectors(model, texts).items():

            def similar(a, b, rows=rows):
                return float(cosines(rows[[place[id(a)]]], rows[[place[id(b)]]])[0, 0])

            by_system[f"{name} {operation}"] = invariance.probe(similar, quadruples)
    return by_system


def probe_scores(trained: Trained, space: str = MAIN) -> Iterator[Scores]:
    """The invariance probe: mean similarities, and in how many quadruples a form is above the swapped sentence."""
    for system, probe in probes(trained, invariance.load("invariance")).items():
        within = contextual_models.tolerance_of(COLUMNS[system])
        metrics = [(f"similarity: {form}", form, getattr(probe, form), within) for form in invariance.COMPARED]
        metrics += [(f"{form} above swapped", form, probe.wins(form), 2 * within) for form in ("passive", "nominal")]
        for metric, form, values, tolerance in metrics:
            about = {"tolerance": tolerance, "columns": {**COLUMNS[system], "form": form}}
            yield Scores(system, space, "invariance", "all", metric, values, **about)


# ----------------------------------------------------------------------------------------------------------- the run


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter.

    Parameters
    ----------
    profile : Profile
    quick : bool, optional
        True, as `make verify` has it: latent senses, and what those of other seeds give, are the stored ones. False, as
        `make reproduce` has it: all are trained, and stored. By default there is the profile's own seed alone.
    prepared : Prepared, optional
        By default it is prepared here.
    """
    seed = profile["seed"]
    prepared = prepared or prepare(profile, quick=bool(quick))
    relations, trained, windows = prepared.relations, prepared.trained, prepared.counts.windows

    def on_sets(models: Mapping, space: str = MAIN) -> list[Scores]:
        return averages(prepared.sets, replace(trained, models=models), seed, space, PURE)

    def of_senses(latent: LatentSenses) -> list[list[float]]:
        return [[score.value, *score.resamples] for score in on_sets({"D&L": latent})]

    main = list(scores_of(relations, trained, seed))
    every = [scores[-1] for scores in main]
    every += averages(prepared.further, trained, seed)
    of_latent = [score for score in every if score["model"] == "D&L" and not score["mixed"]]
    others, by_seed = contextual_models.over_seeds("relation-classification", of_senses, windows, profile, quick), {}
    for other, rows in others.items():
        again = [
            replace(score, statistic=float(value), resamples=drawn)
            for score, (value, *drawn) in zip(of_latent, rows, strict=True)
        ]
        by_seed[other] = [*again, *together(again)]
    shown = [*zero_vectors(prepared, trained.models), *probe_scores(trained)]
    voiced = contextual_models.voice_resolved(trained, prepared.counts.triples, profile["contextual"])
    shown += probe_scores(voiced, VOICE)
    for name, model in weighted(prepared).items():
        every += on_sets({"M&L": model}, name)
        shown += zero_vectors(prepared, {"M&L": model}, name)
    shown += bare(prepared, seed)
    all_sets = together(every) if prepared.further else ()
    if profile.name == "full" and quick is False:
        contextual_models.store_senses(windows, profile)
    return ledger.run(
        "relation_classification", profile,
        [*(score for scores in main for score in scores), *every[len(main) :], *all_sets, *shown],
        by_seed, claims=claims, corpus=prepared.counts.corpus, options=partial(options, prepared, profile),
        rows=contextual_models.coverage(trained, texts_of(prepared, relations), space=MAIN, dataset=relations.name),
        used=[*(part.name for part in prepared.sets), "wikipedia_parsed"],
        **contextual_models.senses_named(profile["contextual.senses"]),
    )  # fmt: skip


def claims(scores: Sequence[Scores]) -> list[Claim]:
    """What the paper concludes of Task 1, tested on all sets together and on each alone."""
    averages = [s for s in scores if (s.split, s.metric) == ("average", "AUC") and s.space in (MAIN, RATIO)]
    alone = [replace(score, split=SETS[score.dataset]) for score in averages if score.dataset in SETS]
    tested = [replace(score, published=published_average(score.system)) for score in (*alone, *together(averages))]
    return evaluate("relation_classification", tested)


# ------------------------------------------------------------------------------------- tables and sentences of the page


def leader(figures: Mapping[str, float]) -> str:
    """Which system has the highest figure, and how many of the models have a higher one than lemma overlap.

    Examples
    --------
    >>> leader({"Overlap": 0.6, "M&L add": 0.5, "M&L mult": 0.7})
    'M&L mult has the highest figure, and 1 of 2 models has a higher one than lemma overlap'
    """
    models = [system for system in figures if system != OVERLAP]
    above = sum(figures[system] > figures[OVERLAP] for system in models)
    text = f"{above} of {len(models)} models {'has' if above == 1 else 'have'} a higher one than lemma overlap"
    return f"{max(figures, key=figures.get)} has the highest figure, and {text}"
