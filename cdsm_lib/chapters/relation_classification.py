"""Cheung & Penn 2012, Task 1: do sentences that express the same relation come out as similar?

Which models with which settings, what is varied, and every figure of the chapter. The notebook shows what
``main_figures`` gives; ``make reproduce`` and ``make verify`` take ``figures``, which goes on from there.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, OVERLAP, PURE, Parsed, Trained, TrainingCounts
from cdsm_lib.composition.contextual import LatentSenses, Simple
from cdsm_lib.construction import relation_classification as construction
from cdsm_lib.display import Table, beside, estimate, figure, table
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import invariance, relation_classification
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.vectors.similarity import cosines
from cdsm_lib.vectors.space import Space

RESAMPLES = 2000
"""Bootstrap resamples of the sentences."""

SETS = {"relation_banko2008": "web sentences", "google_re": "births and deaths"}
"""Sets on which the claims are also tested alone, by the names that they have there."""

ALL = "all sentences"
"""Of every set: each pair of entities, and each place, counts the same."""

STORED = "relation-classification"
"""D&L's averages by senses of other seeds; see `contextual_models.of_other_seeds`."""


# --------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    relations : Relations
    counts : TrainingCounts
    trained : Trained
    further : tuple of Relations
        Sets on which the claims are tested as well.
    """

    relations: Relations
    counts: TrainingCounts
    trained: Trained
    further: tuple[Relations, ...] = ()

    def parsed(self, pair: EntityPair) -> list[Parsed]:
        """The sentences of a pair as the models see them."""
        return self.trained.parsed(pair.sentences)

    @property
    def sentences(self) -> list[Parsed]:
        """The sentences of all pairs that are scored."""
        return [sentence for pair in self.relations.usable for sentence in self.parsed(pair)]


@dataclass(frozen=True)
class Run:
    """What one system gives the sentences of every entity pair.

    Attributes
    ----------
    system, space : str
        As in the results.
    relations : Relations
    similarity : mapping of pair name to float64 array [sentences, sentences]
    """

    system: str
    space: str
    relations: Relations
    similarity: Mapping[str, np.ndarray]

    @cached_property
    def scores(self) -> relation_classification.Scores:
        """AUC of each pair and their average."""
        return relation_classification.score_all(self.similarity, self.relations)

    def resampled(self, seed: int) -> np.ndarray:
        """AUC on resampled sentences: float64 [usable pairs, RESAMPLES]; the same draws for every system."""
        return relation_classification.bootstrap(self.similarity, self.relations, RESAMPLES, seed)


def followed(relations: Relations, id: str) -> tuple[EntityPair, int]:
    """The pair of a sentence and its place there; `ParameterError` if there is no such sentence."""
    place = {name: (pair, i) for pair in relations for i, name in enumerate(pair.ids)}
    if id not in place:
        first, *_, last = place
        problem = f"no sentence of the teaching set; its ids run from {first} to {last}"
        raise ParameterError(f"example={id!r}: {problem}")
    return place[id]


def prepare(profile: Profile, *, from_stored: bool = False) -> Prepared:
    """Count, train all models, D&L from stored senses if asked, and load the sentences."""
    counts = contextual_models.training_counts(profile)
    settings = profile["relation_classification"]
    relations, *further = map(construction.load, (settings["dataset"], *settings["further"]))
    trained = contextual_models.trained_on(counts, profile, from_stored=from_stored)
    return Prepared(relations, counts, trained, tuple(further))


def runs_of(
    prepared: Prepared, models: Mapping[str, object], space: str = MAIN, among: Container[str] | None = None
) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added; or those `among` them."""
    similarities: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for pair in prepared.relations.usable:
        for system, similarity in contextual_models.similarities(models, prepared.parsed(pair)).items():
            if among is None or system in among:
                similarities[system][pair.name] = similarity
    return [Run(system, space, prepared.relations, by_pair) for system, by_pair in similarities.items()]


# --------------------------------------------------------------------------------------------------------- variants

ONE_ADDED = "PPMI + 1"
VOICE = "passives as actives"


def variants(prepared: Prepared) -> Iterator[Run]:
    """What the paper leaves open, one choice changed at a time.

    M&L with the ratio P(c|t) / P(c) in the place of PPMI, and with 1 added to every cell of PPMI, so that no factor of
    a product is 0; every model without the entities' own words.
    """
    models, space = prepared.trained.models, prepared.trained.models["M&L"].space
    words = sorted({word for sentence in prepared.sentences for word in sentence.words if word})
    changed = {
        "ratio instead of PPMI": contextual_models.association(prepared.counts.windows, "ratio"),
        ONE_ADDED: Space(words, space.take(words) + 1, space.dimensions),
    }
    for name, weighted in changed.items():
        yield from runs_of(prepared, {"M&L": Simple(weighted)}, name, PURE)
    blank = construction.without_entities
    pairs = (replace(pair, sentences=tuple(map(blank, pair.sentences))) for pair in prepared.relations)
    bare = replace(prepared, relations=replace(prepared.relations, pairs=tuple(pairs)))
    yield from runs_of(bare, models, "without the entities", (OVERLAP, *PURE))


def untrapped_runs(prepared: Prepared) -> list[Run]:
    """The pure systems on the teaching set without its traps, the same words in another relation; else nothing."""
    if not any("trap" in pair.variation for pair in prepared.relations):
        return []
    easier = replace(prepared, relations=construction.without_variation(prepared.relations, "trap"))
    return runs_of(easier, prepared.trained.models, among=(OVERLAP, *PURE))


def voice_resolved(prepared: Prepared, profile: Profile) -> Trained:
    """E&P and TFP trained on triples in which a passive counts as its active; sentences are read in the same way."""
    counts = replace(prepared.counts, triples=prepared.counts.triples.voice_resolved(), resolve_voice=True)
    models = contextual_models.structured(counts, profile["contextual"], prepared.trained.models["M&L"].space)
    return Trained(prepared.trained.words, models, True)


def train_senses(profile: Profile, seed: int) -> LatentSenses:
    """Latent senses with this seed, kept in the cache."""
    windows, window = contextual_models.training_counts(profile).windows, profile["contextual.window"]
    return contextual_models.latent_senses(windows, profile["contextual.senses"], seed, window=window)


# ------------------------------------------------------------------------------------------------------------- rows

PUBLISHED_GROUP = "trained on AFP section"
"""Of Table 1: there every model was trained on the same part of the corpus, as here."""


def published_average(system: str) -> float | None:
    """The paper's average over its own four entity pairs (Table 1)."""
    table = read_published("cheung2012_table1")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(system)
    return row[table["columns"].index("Average")] if row else None


def scores_of(run: Run, seed: int) -> list[Scores]:
    """AUC of every entity pair, and their average at the end, with the same on sentences that are drawn anew."""
    resamples, pairs, columns = run.resampled(seed), run.relations.usable, COLUMNS[run.system]
    within, dataset = contextual_models.tolerance_of(columns), run.relations.name
    names = {"system": run.system, "space": run.space, "dataset": dataset, "metric": "AUC", "columns": columns}
    parts = [
        Scores(**names, split=pair.name, statistic=run.scores.per_pair[pair.name].auc, resamples=drawn, n=len(pair),
               tolerance=2 * within)
        for pair, drawn in zip(pairs, resamples, strict=True)
    ]  # fmt: skip
    like_the_papers = run.space == MAIN and dataset != "google_re" and "," not in dataset
    published = published_average(run.system) if like_the_papers else None
    average = Scores(**names, split="average", statistic=run.scores.average, resamples=resamples.mean(axis=0),
                     n=len(pairs), published=published, tolerance=within)  # fmt: skip
    return [*parts, average]


def averages(runs: Iterable[Run], seed: int) -> list[Scores]:
    """The average AUC of each run."""
    return [scores_of(run, seed)[-1] for run in runs]


def on_sets(
    prepared: Prepared,
    sets: Iterable[Relations],
    models: Mapping[str, object],
    seed: int,
    among: Container[str] | None = None,
) -> list[Scores]:
    """The average AUC of every system on each of these sets; parameters as of `runs_of`."""
    parts = (replace(prepared, relations=relations) for relations in sets)
    return [score for part in parts for score in averages(runs_of(part, models, among=among), seed)]


def together(averages: Sequence[Scores]) -> list[Scores]:
    """Of every system the mean AUC over the pairs of all sets, each counting the same."""
    by_system = defaultdict(list)
    for average in averages:
        by_system[average.system].append(average)
    scores = []
    for parts in by_system.values():
        pairs = [part.n for part in parts]
        value = np.average([part.value for part in parts], weights=pairs)
        drawn = np.average([part.resamples for part in parts], weights=pairs, axis=0)
        named = {"dataset": " + ".join(part.dataset for part in parts), "split": ALL, "n": sum(pairs)}
        scores.append(replace(parts[0], **named, statistic=float(value), resamples=drawn))
    return scores


def zero_rows(prepared: Prepared) -> list[Result]:
    """The share of sentences whose vector is zero, so that they are as similar to one another as to all others."""
    rows = []
    for name, model in prepared.trained.models.items():
        for operation, vectors in contextual_models.vectors(model, prepared.sentences).items():
            zero = np.asarray(abs(vectors).sum(axis=1)).ravel() == 0
            system = f"{name} {operation}"
            place = (system, MAIN, prepared.relations.name, "all", "share of zero vectors", zero)
            within = contextual_models.tolerance_of(COLUMNS[system])
            rows.append(Scores(*place, tolerance=within, columns=COLUMNS[system]).row())
    return rows


def seed_scores(
    prepared: Prepared, averages: Iterable[Scores], profile: Profile, *, subset: bool
) -> dict[int, list[Scores]]:
    """D&L's average on each set, by seed of training, the profile's own first.

    Parameters
    ----------
    prepared : Prepared
    averages : iterable of Scores
        Of all systems on each set, with the profile's own senses.
    profile : Profile
    subset : bool
        Take what senses of other seeds give from the stored file.
    """
    seed, sets = profile["seed"], (prepared.relations, *prepared.further)
    first = [score for score in averages if score["model"] == "D&L" and not score["mixed"]]

    def again(other: int) -> np.ndarray:
        scores = on_sets(prepared, sets, {"D&L": train_senses(profile, other)}, seed, PURE)
        return np.array([[score.value, *score.resamples] for score in scores])

    by_seed = {seed: first}
    others = contextual_models.of_other_seeds(STORED, prepared.counts.windows, profile, again, subset=subset)
    for other, rows in others.items():
        by_seed[other] = [
            replace(score, statistic=float(value), resamples=drawn)
            for score, (value, *drawn) in zip(first, rows, strict=True)
        ]
    return by_seed


# ----------------------------------------------------------------------------------------------------------- claims


def claims(averages: Sequence[Scores], by_seed: Mapping[int, Sequence[Scores]] | None = None) -> list[Claim]:
    """What the paper concludes of Task 1, tested on all sets together and on each alone.

    Parameters
    ----------
    averages : sequence of Scores
        Of overlap and the models on each set.
    by_seed : mapping of seed to scores, optional
        Of D&L with senses of several seeds (`seed_scores`): the claims are tested with each of them.
    """
    if by_seed:
        others = [score for score in averages if score["model"] != "D&L"]
        return over_seeds({seed: claims([*others, *latent]) for seed, latent in by_seed.items()})
    alone = [replace(score, split=SETS[score.dataset]) for score in averages if score.dataset in SETS]
    tested = [replace(score, published=published_average(score.system)) for score in (*alone, *together(averages))]
    return evaluate("relation_classification", tested)


# ------------------------------------------------------------------------------------------------------- the probe


def probes(trained: Trained, quadruples: Sequence[invariance.Quadruple]) -> dict[str, invariance.Probe]:
    """What every pure system gives the probe: active against passive, nominalisation, swapped roles and another."""
    forms = {id(s): s for quadruple in quadruples for s in (getattr(quadruple, form) for form in invariance.FORMS)}
    seen, place, by_system = trained.parsed(forms.values()), {id_: i for i, id_ in enumerate(forms)}, {}
    for name, model in trained.models.items():
        for operation, vectors in contextual_models.vectors(model, seen).items():

            def similar(a, b, vectors=vectors):
                return float(cosines(vectors[[place[id(a)]]], vectors[[place[id(b)]]])[0, 0])

            by_system[f"{name} {operation}"] = invariance.probe(similar, quadruples)
    return by_system


def probe_rows(trained: Trained, space: str = MAIN) -> list[Result]:
    """The invariance probe: mean similarities, and in how many quadruples a form is above the swapped sentence."""
    rows = []
    for system, probe in probes(trained, invariance.load("invariance")).items():
        within = contextual_models.tolerance_of(COLUMNS[system])
        metrics = [(f"similarity: {form}", form, getattr(probe, form), within) for form in invariance.COMPARED]
        metrics += [(f"{form} above swapped", form, probe.wins(form), 2 * within) for form in ("passive", "nominal")]
        for metric, form, values, tolerance in metrics:
            columns = {**COLUMNS[system], "form": form}
            place = (system, space, "invariance", "all", metric, values)
            rows.append(Scores(*place, tolerance=tolerance, columns=columns).row())
    return rows


# ---------------------------------------------------------------------------------------------------------- together


def main_figures(
    prepared: Prepared, runs: Sequence[Run], profile: Profile, *, seeded: bool = False, subset: bool = False
) -> Results:
    """The figures of the main runs and of the further sets, and the claims if D&L is there; no variants or probe.

    Parameters
    ----------
    prepared : Prepared
    runs : sequence of Run
        All systems on the main set.
    profile : Profile
    seeded : bool
        Test the claims with D&L of every seed, and say how far its figures move.
    subset : bool
        As in `seed_scores`.
    """
    relations, seed, models = prepared.relations, profile["seed"], prepared.trained.models
    scores = [scores_of(run, seed) for run in runs]
    further = on_sets(prepared, prepared.further, models, seed)
    every = [*(parts[-1] for parts in scores), *further]
    rows = [
        *contextual_models.coverage(prepared.trained, prepared.sentences, space=MAIN, dataset=relations.name),
        *(score.row() for parts in scores for score in parts),
        *zero_rows(prepared),
        *(score.row() for score in averages(untrapped_runs(prepared), seed)),
        *(score.row() for score in (further and [*further, *together(every)])),
    ]
    by_seed = seed_scores(prepared, every, profile, subset=subset) if seeded else {}
    of_seeds = {other: [*scores, *together(scores)] for other, scores in by_seed.items()}
    rows += contextual_models.seed_rows(of_seeds, **contextual_models.senses_named(profile["contextual.senses"]))
    tested = claims(every, by_seed) if "D&L" in models else []
    full = profile.name == "full"
    used = [relations.name, "wikipedia_parsed", *(lives.name for lives in prepared.further)] if full else []
    made = made_with(datasets.used(used), prepared.counts.corpus, seed)
    return Results("relation_classification", "cheung2012", profile.name, made, tuple(rows), tuple(tested))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter.

    Parameters
    ----------
    profile : Profile
    subset : bool
        As `make verify` has it: latent senses, and what those of other seeds give, are the stored ones.
    """
    full = profile.name == "full"
    prepared = prepare(profile, from_stored=subset)
    runs = runs_of(prepared, prepared.trained.models)
    main = main_figures(prepared, runs, profile, seeded=full, subset=subset)
    rows = [*main.results, *probe_rows(prepared.trained), *probe_rows(voice_resolved(prepared, profile), VOICE)]
    if full:
        rows += [score.row() for score in averages(variants(prepared), profile["seed"])]
    if full and not subset:
        contextual_models.store_senses(prepared.trained.models["D&L"], prepared.counts.windows, profile)
    return replace(main, results=tuple(rows))


# ------------------------------------------------------------------------------------- tables and sentences of the page


def learned(prepared: Prepared, this_run: Results, threshold: float) -> Table:
    """What a run's models have learned from, and the share of content tokens for which they have no vector."""
    counts, models = prepared.counts, prepared.trained.models
    windows, lacking = counts.windows.matrix, this_run.find(metric="share without a vector")
    rows = [
        ("words", len(counts.words)),
        ("context words", len(counts.windows.columns)),
        ("window counts: cells that are not zero", int(windows.nnz)),
        ("share of the cells that are zero", 1 - windows.nnz / np.prod(windows.shape)),
        ("dependency triples", len(counts.triples)),
        ("of these frequent enough for E&P", int((counts.triples.count > threshold).sum())),
        ("weights of TFP's first-order vectors, both directions", int(models["TFP"].first.nnz)),
        ("latent senses", int(models["D&L"].senses.shape[1])),
        ("content tokens in the sentences", lacking[0].n),
        *((f"share of them without a vector: {r.system}", r.value) for r in lacking),
    ]
    return table(("what", "how much"), rows, "Learned from: what this run has read, and what the vectors lack")


def leader(of: Mapping[str, float]) -> str:
    """Which system has the highest figure, and how many of the models have a higher one than lemma overlap.

    Examples
    --------
    >>> leader({"Overlap": 0.6, "M&L add": 0.5, "M&L mult": 0.7})
    'M&L mult has the highest figure, and 1 of 2 models has a higher one than lemma overlap'
    """
    models = [system for system in of if system != OVERLAP]
    above = sum(of[system] > of[OVERLAP] for system in models)
    verb = "has" if above == 1 else "have"
    text = f"{above} of {len(models)} models {verb} a higher one than lemma overlap"
    return f"{max(of, key=of.get)} has the highest figure, and {text}"


def above_chance(results: Results, dataset: str) -> int:
    """For how many systems, overlap and the models alone, the interval of the average AUC lies above one half."""
    averages = results.find(dataset=dataset, space=MAIN, split="average", metric="AUC")
    return sum(r.low > 0.5 for r in averages if r.system in (OVERLAP, *PURE))


def further_table(full: Results) -> Table:
    """Every system on births and deaths, and on both sets together."""
    wanted = {"system": "{}", "space": MAIN, "metric": "AUC"}
    columns = ({"dataset": "google_re", "split": "average"}, {"split": ALL})
    systems = (OVERLAP, *PURE, *contextual_models.MIXED)
    rows = beside(systems, *((full, wanted | column) for column in columns), as_figure=True)
    return table(("system", SETS["google_re"], ALL), rows, "Full results: AUC")


def width(full: Results, dataset: str, others: Sequence[int]) -> str:
    """How wide an interval on the pairs of entities is, beside the differences that the paper prints.

    Parameters
    ----------
    full : Results
    dataset : str
    others : sequence of int
        For each scored pair the sentences that do not express the relation.
    """
    averages = full.find(space=MAIN, dataset=dataset, split="average", metric="AUC", operation="add")
    wide = np.mean([r.high - r.low for r in averages if not r.mixed])
    published = [published_average(system) for system in (OVERLAP, *PURE)]
    gaps = [abs(a - b) for a, b in combinations(published, 2)]
    fewest = min(n for n, _ in construction.PAPER_COUNTS.values())
    return (
        f"The full set's {len(others)} pairs have {min(others)} to {max(others)} sentences that do not express the "
        f"relation, and the interval of an average AUC is **{wide:.2f}** wide. Of the paper's {len(gaps)} differences "
        f"between two systems {sum(gap < wide for gap in gaps)} are smaller. The paper gives no intervals; in its "
        f"smallest set {fewest} sentences express the relation."
    )


def probed_means(results: Results) -> dict[str, dict[str, tuple]]:
    """By form of the probe each pure system's mean similarity with it, as charts take it."""
    means = {}
    for r in results.find(dataset="invariance", space=MAIN):
        if r.metric == f"similarity: {r.form}":
            means.setdefault(r.form, {})[r.system] = estimate(r)
    return means


def readers_of_roles(results: Results) -> str:
    """How often the models that read dependencies put the passive above the swapped sentence, with intervals."""
    wanted = {"space": MAIN, "dataset": "invariance", "metric": "passive above swapped"}
    rows = [r for r in results.find(**wanted) if r.model in ("E&P", "TFP")]
    told = ", ".join(f"{figure(r)} ({r.system})" for r in rows)
    return (
        "E&P and TFP read the syntax. They put the passive above the swapped sentence in this share of the quadruples: "
        f"{told}. The whole interval lies above one half for {sum(r.low > 0.5 for r in rows)} of these {len(rows)}."
    )
