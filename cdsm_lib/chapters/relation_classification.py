"""All figures of the chapter on relation classification, as ``make reproduce`` and ``make verify`` recompute them."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import distil
from cdsm_lib.chapters.contextual_models import OPERATIONS, OVERLAP, PURE, Materials, Parsed, Trained
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.contextual import ErkPado, LatentSenses, Simple, Thater, cosines
from cdsm_lib.construction import relation_classification as construction
from cdsm_lib.evaluation.results import (
    Claim,
    Ledger,
    Result,
    at_size,
    made_with,
    read_published,
    verdict_all,
    verdict_resampled,
)
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import invariance, relation_classification
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.vectors.space import Space

MAIN = "main"
"""The space of the main results: every model with the profile's settings."""

RESAMPLES = 2000
"""Bootstrap resamples of the sentences."""

TOLERANCE = {"exact": 0.01, "senses": 0.06, "time": 10_000.0}
"""How far a recomputed figure may lie from the committed one.

Counts, overlap and cosines agree between machines to many digits, but a near tie may fall either way: .01. A Gibbs
sampler is seeded, and three kinds of vector units (SSE2, AVX2, AVX-512) gave the same senses here; another processor or
version of the library may sample others of the same quality: .06, some three times the standard deviation between
seeds (see `seed_results`). How long a training took is a record of one machine, which no other has to meet.
"""


# --------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    relations : Relations
    materials : Materials
    trained : Trained
    """

    relations: Relations
    materials: Materials
    trained: Trained

    def parsed(self, pair: EntityPair) -> list[Parsed]:
        """The sentences of a pair as the models see them."""
        voice = self.materials.resolve_voice
        return [cheung2012.parsed(s, self.trained.vocabulary, resolve_voice=voice) for s in pair.sentences]


@dataclass(frozen=True)
class Run:
    """What one system gives the sentences of every entity pair.

    Attributes
    ----------
    system, space : str
        As in the ledger.
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

    @property
    def average(self) -> float:
        """Mean AUC over the usable pairs."""
        return self.scores.average

    def resampled(self, seed: int) -> np.ndarray:
        """AUC on resampled sentences: float64 [usable pairs, RESAMPLES]; the same draws for every system."""
        drawn = relation_classification.bootstrap(self.similarity, self.relations, RESAMPLES, seed)
        return np.array([drawn[pair.name] for pair in self.relations.usable])


def material(profile: Profile) -> Materials:
    """Counted windows and triples: from the corpus, or from ``data/distilled`` in the sample profile."""
    if profile.name == "full":
        return cheung2012.gather(wikipedia(profile.get("corpus.files")), profile["contextual"])
    return cheung2012.load_distilled(distil.folder())


def cache() -> Path:
    """Where fitted senses are kept between the two chapters."""
    return datasets.cache_folder() / "senses"


def prepare(profile: Profile, *, senses: Mapping | None = None) -> Prepared:
    """Count, train, load the sentences."""
    materials = material(profile)
    chosen = senses or profile["contextual.senses"]
    trained = cheung2012.train(materials, profile["contextual"], profile["seed"], senses=chosen, cache=cache())
    return Prepared(construction.load(profile["relation_classification.dataset"]), materials, trained)


def runs_of(prepared: Prepared, models: Mapping[str, object], space: str = MAIN) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for pair in prepared.relations.usable:
        for system, similarity in cheung2012.similarities(models, prepared.parsed(pair)).items():
            found.setdefault(system, {})[pair.name] = similarity
    return [Run(system, space, prepared.relations, of_pairs) for system, of_pairs in found.items()]


def model_runs(prepared: Prepared, model, name: str, space: str) -> list[Run]:
    """One model by both operations, pure."""
    wanted = {f"{name} {operation}" for operation in OPERATIONS}
    return [run for run in runs_of(prepared, {name: model}, space) if run.system in wanted]


# --------------------------------------------------------------------------------------------------------- variants


def variants(prepared: Prepared, profile: Profile) -> Iterator[Run]:
    """What the paper leaves open, or what one would like to know: one choice changed at a time.

    M&L with the ratio P(c|t) / P(c) in the place of PPMI, and with 1 added to every cell, so that no factor of a
    product is 0; E&P with its neighbours' preferences summed; E&P and TFP with other thresholds; D&L with the product
    of all context words; every model without the entities' own words.
    """
    settings = profile["contextual"]
    materials, models = prepared.materials, prepared.trained.models
    ratio = cheung2012.association(materials.windows, "ratio")
    yield from model_runs(prepared, Simple(ratio), "M&L", "ratio instead of PPMI")
    yield from model_runs(prepared, Simple(one_added(prepared)), "M&L", ONE_ADDED)
    space, triples = models["M&L"].space, materials.triples
    yield from model_runs(
        prepared, ErkPado(space, triples, threshold=settings["threshold"], neighbours="sum"), "E&P", "neighbours summed"
    )
    for least in profile["relation_classification.thresholds"]:
        name = f"threshold {least}"
        model = ErkPado(space, triples, threshold=least, neighbours=settings["neighbours"])
        yield from model_runs(prepared, model, "E&P", name)
        yield from model_runs(prepared, Thater(triples, min_count=least, min_pmi=settings["min_pmi"]), "TFP", name)
    for least in profile["relation_classification.pmi_thresholds"]:
        model = Thater(triples, min_count=settings["min_count"], min_pmi=least)
        yield from model_runs(prepared, model, "TFP", f"PMI threshold {least:g}")
    yield from model_runs(prepared, replace(models["D&L"], contexts_as="product"), "D&L", "product of contexts")
    bare = without_entities(prepared.relations)
    for run in runs_of(replace(prepared, relations=bare), models, "without the entities"):
        if run.system in (OVERLAP, *PURE):
            yield replace(run, relations=prepared.relations)


ONE_ADDED = "PPMI + 1"


def one_added(prepared: Prepared) -> Space:
    """M&L's vectors with 1 added to every cell, for the words of the sentences."""
    space = prepared.trained.models["M&L"].space
    seen = {word for pair in prepared.relations for s in prepared.parsed(pair) for word in s.words if word is not None}
    words = sorted(seen)
    return Space(words, space.take(words) + 1, space.dimensions)


def without_entities(relations: Relations) -> Relations:
    """The same sentences with the tokens of the two entities turned into punctuation, which no model reads."""
    blank = construction.without_entities
    return replace(
        relations,
        pairs=tuple(replace(pair, sentences=tuple(map(blank, pair.sentences))) for pair in relations.pairs),
    )


def untrapped_runs(prepared: Prepared) -> list[Run]:
    """The pure systems on the teaching set without its traps, the same words in another relation; else nothing."""
    if not any("trap" in pair.variation for pair in prepared.relations):
        return []
    easier = replace(prepared, relations=construction.without_variation(prepared.relations, "trap"))
    return [run for run in runs_of(easier, prepared.trained.models) if run.system in (OVERLAP, *PURE)]


VOICE = "passives as actives"


def voice_resolved(prepared: Prepared, profile: Profile) -> Prepared:
    """E&P and TFP trained on triples in which a passive counts as its active; sentences are read in the same way."""
    triples = prepared.materials.triples.voice_resolved()
    materials = replace(prepared.materials, triples=triples, resolve_voice=True)
    models = cheung2012.structured(materials, profile["contextual"], prepared.trained.models["M&L"].space)
    return replace(prepared, materials=materials, trained=Trained(prepared.trained.words, models, True))


SIZES = (1, 4)
"""Sixteenths of the corpus at which the models without senses are trained as well."""


def size_runs(profile: Profile, relations: Relations, files: int) -> list[Run]:
    """M&L, E&P and TFP on the first `files` sixteenths of the corpus, with the words most frequent there."""
    corpus, settings = wikipedia(files), profile["contextual"]
    materials = cheung2012.gather(corpus, settings)
    space = cheung2012.association(materials.windows, settings["weight"])
    models = {"M&L": Simple(space), **cheung2012.structured(materials, settings, space)}
    prepared = Prepared(relations, materials, Trained(materials.words, models))
    return [run for run in runs_of(prepared, models, at_size(MAIN, corpus.n_tokens)) if run.system in PURE]


def senses_name(settings: Mapping) -> str:
    """The space of D&L with these senses, as the ledger has it."""
    return f"{settings['method']}, {settings['dimensions']} senses, {settings['iterations']} iterations"


def sense_runs(prepared: Prepared, profile: Profile, grid: Iterable[Mapping]) -> Iterator[Run]:
    """D&L with other senses.

    Parameters
    ----------
    prepared : Prepared
    profile : Profile
    grid : iterable of mapping
        Settings of latent senses; one with ``checkpoints`` gives runs after so many iterations as well.
    """
    windows, window = prepared.materials.windows, profile["contextual.window"]
    for given in grid:
        settings = {**profile["contextual.senses"], **given}
        points, seed = settings.pop("checkpoints", ()), settings.pop("seed", profile["seed"])
        runs: list[Run] = []

        def look(iteration: int, lda, settings=settings, runs=runs):
            if iteration != settings["iterations"]:
                model = LatentSenses(windows.rows, lda.rows, windows.columns, lda.components, window=window)
                runs += model_runs(prepared, model, "D&L", senses_name(settings | {"iterations": iteration}))

        model = cheung2012.latent_senses(
            windows, settings, seed, window=window, callback=look if points else None, checkpoints=points,
            cache=cache(),
        )  # fmt: skip
        yield from [*runs, *model_runs(prepared, model, "D&L", senses_name(settings))]


# ---------------------------------------------------------------------------------------------------------- results

PUBLISHED_GROUP = "trained on AFP section"
"""Of Table 1: there every model was trained on the same part of the corpus, as here."""


def published_average(system: str) -> float | None:
    """The paper's average over its own four entity pairs (Table 1)."""
    table = read_published("cheung2012_table1")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(system)
    return row[table["columns"].index("Average")] if row else None


def tolerance_of(system: str) -> float:
    """By whether the system samples."""
    return TOLERANCE["senses" if system.startswith("D&L") else "exact"]


def run_results(run: Run, seed: int, *, parts: bool = True) -> list[Result]:
    """AUC of every entity pair, if wanted, and their average; intervals by drawing sentences anew."""
    resampled = run.resampled(seed)
    within = tolerance_of(run.system)
    place = {"system": run.system, "space": run.space, "dataset": run.relations.name, "metric": "AUC"}
    found = []
    for pair, drawn in zip(run.relations.usable, resampled, strict=True):
        value = run.scores.per_pair[pair.name].auc
        ends = _ends(drawn, value)
        if parts:
            n = len(pair.sentences)
            found.append(Result(**place, split=pair.name, value=value, **ends, n=n, tolerance=2 * within))
    published = published_average(run.system) if run.space == MAIN and "," not in run.relations.name else None
    ends = _ends(resampled.mean(axis=0), run.average)
    n = len(run.relations.usable)
    average = Result(**place, split="average", value=run.average, **ends, n=n, published=published, tolerance=within)
    return [*found, average]


def _ends(drawn: np.ndarray, value: float) -> dict[str, float]:
    """The 95% percentile interval, widened to hold the value where a resample cannot reach it."""
    low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
    return {"low": min(low, value), "high": max(high, value)}


def data_results(relations: Relations) -> list[Result]:
    """Sentences and expressing sentences of every pair, and which pairs can be scored."""
    found = []
    for pair in relations:
        place = {"system": "data", "space": pair.relation, "dataset": relations.name, "split": pair.name}
        found.append(Result(**place, metric="sentences", value=len(pair.sentences)))
        found.append(Result(**place, metric="expressing", value=int(pair.n_positive)))
        found.append(Result(**place, metric="scored", value=int(pair in relations.usable)))
    return found


def agreement_results(dataset: str) -> list[Result]:
    """How far the two passes of labels agree."""
    if dataset != "relation_banko2008":
        return []
    labels = construction.committed_labels()
    agreed = construction.agreement(labels)
    place = {"system": "labels", "space": "two passes", "dataset": dataset}
    return [
        Result(**place, split=split, metric=metric, value=value, n=of.sentences)
        for split, of in agreed.items()
        for metric, value in (("kappa", of.kappa), ("agreement", of.agreed), ("adjudicated", of.adjudicated))
        if value is not None
    ]


def coverage_results(prepared: Prepared) -> list[Result]:
    """Content tokens, the share of them that no row stands for, and the share for which each model has no vector."""
    sentences = [sentence for pair in prepared.relations.usable for sentence in prepared.parsed(pair)]
    return coverage_of(prepared.trained, sentences, prepared.relations.name, MAIN)


def coverage_of(trained: Trained, sentences: Sequence[Parsed], dataset: str, space: str) -> list[Result]:
    """The same of any sentences, as these models see them."""
    known, unknown = cheung2012.coverage(sentences)
    n = known + unknown
    place = {"space": space, "dataset": dataset, "split": "all"}
    lacking = cheung2012.without_vector(trained.models, sentences)
    return [
        Result("words", metric="content tokens", value=n, **place),
        Result("words", metric="share without a row", value=unknown / n, n=n, **place),
        *(Result(name, metric="share without a vector", value=v, n=n, **place) for name, v in lacking.items()),
    ]


def memory(model) -> int:
    """Bytes of the tables that a model reads."""
    if isinstance(model, LatentSenses):
        return model.senses.nbytes + model.phi.nbytes
    tables = [model.first] if isinstance(model, Thater) else [model.space.vectors]
    bytes_of = sum(part.nbytes for table in tables for part in (table.data, table.indices, table.indptr))
    if isinstance(model, Thater):
        return bytes_of + model.pairs.nbytes
    if isinstance(model, ErkPado):
        triples = model.triples
        return bytes_of + sum(c.nbytes for c in (triples.governor, triples.relation, triples.dependent, triples.count))
    return bytes_of


def cost_results(prepared: Prepared, settings: Mapping) -> list[Result]:
    """For each model the memory of its tables, and the time that 25 content words take in their sentences.

    E&P and TFP are made afresh, since they remember what they have computed. Times are a record of one machine.
    """
    models = prepared.trained.models
    models = models | cheung2012.structured(prepared.materials, settings, models["M&L"].space)
    sentences = [sentence for pair in prepared.relations.usable for sentence in prepared.parsed(pair)]
    place = {"space": MAIN, "dataset": prepared.relations.name, "split": "all"}
    found = []
    for name, model in models.items():
        start = time.perf_counter()
        words = sum(model.in_context(s.words, s.arcs).shape[0] for s in sentences)
        seconds = (time.perf_counter() - start) / words * 25
        found.append(Result(name, metric="MB of tables", value=memory(model) / 1e6, tolerance=1.0, **place))
        found.append(Result(name, metric=TIME_25, value=seconds * 1e3, tolerance=TOLERANCE["time"], **place))
    return found


TIME_25 = "ms for 25 words in context"


def zero_results(prepared: Prepared) -> list[Result]:
    """The share of sentences whose vector is zero, so that they are as similar to one another as to all others."""
    sentences = [sentence for pair in prepared.relations.usable for sentence in prepared.parsed(pair)]
    place = {"space": MAIN, "dataset": prepared.relations.name, "split": "all", "metric": "share of zero vectors"}
    found = []
    for name, model in prepared.trained.models.items():
        for operation, rows in cheung2012.vectors(model, sentences).items():
            zero = np.asarray(abs(rows).sum(axis=1)).ravel() == 0
            within = tolerance_of(name)
            found.append(Result.of_items(zero.astype(float), system=f"{name} {operation}", tolerance=within, **place))
    return found


def tie_results(run: Run) -> list[Result]:
    """The share of comparisons that are ties, and the AUC that an order of storage would give."""
    found = []
    for pair in run.relations.usable:
        score = run.scores.per_pair[pair.name]
        place = {"system": run.system, "space": run.space, "dataset": run.relations.name, "split": pair.name}
        for metric, value in (
            ("share of ties", score.tied),
            ("AUC, ties in favour", score.auc_high_first),
            ("AUC, ties against", score.auc_low_first),
        ):
            found.append(Result(**place, metric=metric, value=value, tolerance=TOLERANCE["exact"]))
    return found


def sense_results(prepared: Prepared, profile: Profile, grid: Mapping) -> list[Result]:
    """AUC of D&L with other senses; of a training that is looked at on its way, and so never comes from the cache,
    also the minutes that it took on this machine, the looks included.
    """
    start = time.monotonic()
    runs = list(sense_runs(prepared, profile, [grid]))
    seconds = time.monotonic() - start  # without the resamples, which take longer than a short training
    results = [result for run in runs for result in run_results(run, profile["seed"], parts=False)]
    if "checkpoints" in grid:
        results.append(time_result(runs[-1].space, prepared.relations.name, seconds))
    return results


def time_result(space: str, dataset: str, seconds: float) -> Result:
    """How long a training took: a record of one machine, which no other has to meet."""
    place = {"space": space, "dataset": dataset, "split": "all", "metric": "minutes of training"}
    return Result("D&L", value=seconds / 60, tolerance=TOLERANCE["time"], **place)


def seed_results(prepared: Prepared, profile: Profile) -> list[Result]:
    """How far the AUC of D&L moves from seed to seed: mean and standard deviation over seeds."""
    small = profile["relation_classification.seeds_at"]
    grid = [dict(small) | {"seed": seed} for seed in range(profile["relation_classification.seeds"])]
    averages: dict[str, list[float]] = {}
    for run in sense_runs(prepared, profile, grid):
        averages.setdefault(run.system, []).append(run.average)
    space = senses_name({**profile["contextual.senses"], **small})
    place = {"space": space, "dataset": prepared.relations.name, "split": "average"}
    return [
        Result(system, metric=metric, value=value, n=len(values), tolerance=TOLERANCE["senses"], **place)
        for system, values in averages.items()
        for metric, value in (("AUC, mean of seeds", np.mean(values)), ("AUC, sd of seeds", np.std(values, ddof=1)))
    ]


def probe_results(trained: Trained, *, space: str = MAIN, resolve_voice: bool = False) -> list[Result]:
    """The invariance probe: active against passive, nominalisation, swapped roles and an unrelated sentence."""
    quadruples = invariance.load("invariance")
    found = []
    for system, probe in probes(trained, quadruples, resolve_voice=resolve_voice).items():
        place = {"system": system, "space": space, "dataset": "invariance", "split": "all"}
        within = tolerance_of(system)
        for form in ("passive", "nominal", "swapped", "unrelated"):
            found.append(Result.of_items(getattr(probe, form), metric=f"similarity: {form}", tolerance=within, **place))
        for form in ("passive", "nominal"):
            wins = probe.wins(form)
            found.append(Result.of_items(wins, metric=f"{form} above swapped", tolerance=2 * within, **place))
    return found


def probes(trained: Trained, quadruples, *, resolve_voice: bool = False) -> dict[str, invariance.Probe]:
    """What every pure system gives the probe."""
    found = {}
    for name, model in trained.models.items():
        for operation in OPERATIONS:
            known: dict[int, np.ndarray] = {}

            def vector(sentence, model=model, operation=operation, known=known):
                if id(sentence) not in known:
                    seen = cheung2012.parsed(sentence, trained.vocabulary, resolve_voice=resolve_voice)
                    known[id(sentence)] = cheung2012.vectors(model, [seen])[operation]
                return known[id(sentence)]

            def similar(a, b, vector=vector):
                return float(cosines(vector(a), vector(b))[0, 0])

            found[f"{name} {operation}"] = invariance.probe(similar, quadruples)
    return found


# ------------------------------------------------------------------------------------------------------------ claims


def _paper(*systems: str) -> str:
    """What the paper's table has for these systems, for the record of a claim."""
    return "AUC " + ", ".join(f"{published_average(system):.3f} ({system})" for system in systems)


def claims(runs: Sequence[Run], seed: int) -> list[Claim]:
    """What the paper concludes of Task 1, tested on resampled sentences."""
    by_name = {run.system: run for run in runs}
    drawn = {name: run.resampled(seed).mean(axis=0) for name, run in by_name.items()}
    values = {name: run.average for name, run in by_name.items()}
    part = {"id": "part", "text": "one part of a claim"}

    def mean_of(*names: str) -> str:
        label = "mean of " + ", ".join(names)
        values[label] = float(np.mean([values[name] for name in names]))
        drawn[label] = np.mean([drawn[name] for name in names], axis=0)
        return label

    def better(a: str, b: str, **about) -> Claim:
        kind = {"names": (a, b), "what": "draws"}
        return verdict_resampled(values[a], values[b], drawn[a], drawn[b], **kind, **(about or part))

    syntactic = [name for name in PURE if name.startswith(("E&P", "TFP"))]
    windowed = [name for name in PURE if name not in syntactic]
    weaker = [name for name in PURE if name != "D&L add"]
    return [
        verdict_all(
            [better("D&L add", other) for other in (OVERLAP, *PURE) if other != "D&L add"],
            id="dl-add-best",
            text="D&L with addition performs best of all.",
            published=_paper("D&L add", OVERLAP, *(name for name in PURE if name != "D&L add")),
        ),
        verdict_all(
            [better(OVERLAP, other) for other in weaker],
            id="overlap-strong",
            text="Lemma overlap is a surprisingly strong baseline: better than all but D&L with addition.",
            published=_paper(OVERLAP, *weaker),
        ),
        better(
            "M&L mult", "M&L add", id="ml-mult-beats-add",
            text="For M&L, multiplication outperforms addition.", published=_paper("M&L mult", "M&L add"),
        ),
        better(
            "D&L add", "D&L mult", id="dl-mult-no-better",
            text="In the space of latent senses multiplication does not outperform addition.",
            published=_paper("D&L add", "D&L mult"),
        ),
        better(
            mean_of(*windowed), mean_of(*syntactic), id="syntax-falls-behind",
            text="The models that use syntax, E&P and TFP, perform worse than M&L and D&L on the same corpus.",
            published=_paper(*syntactic, *windowed),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- together


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        Counts, labels, overlap, M&L, E&P and TFP with their variants, on triples in which a passive counts as its
        active, and on smaller corpora, the probe of these three, and D&L with the first senses of the sweep. Left out:
        D&L with the profile's senses and all that is computed from them, the other senses of the sweep, the seeds, and
        the claims.
    """
    task, seed = profile["relation_classification"], profile["seed"]
    senses = task["sweep"][0] if subset else None
    chosen = {**profile["contextual.senses"], **{k: v for k, v in (senses or {}).items() if k != "checkpoints"}}
    prepared = prepare(profile, senses=chosen)
    relations, models = prepared.relations, prepared.trained.models

    def kept(found: Iterable[Result]) -> list[Result]:
        return [r for r in found if not (subset and r.system.startswith("D&L"))]

    results = [*data_results(relations), *agreement_results(relations.name), *kept(coverage_results(prepared))]
    runs = runs_of(prepared, models)
    if subset:
        runs = [run for run in runs if not run.system.startswith("D&L")]
    for run in runs:
        results += run_results(run, seed)
    results += kept(zero_results(prepared))
    results += tie_results(runs[0])
    for run in untrapped_runs(prepared):
        if not (subset and run.system.startswith("D&L")):
            results += run_results(run, seed, parts=False)
    for run in variants(prepared, profile):
        if not (subset and run.system.startswith("D&L")):
            results += run_results(run, seed, parts=False)
    probed = prepared.trained
    if subset:
        probed = replace(probed, models={name: model for name, model in models.items() if name != "D&L"})
    results += probe_results(probed, resolve_voice=probed.resolve_voice)
    turned = voice_resolved(prepared, profile)
    results += probe_results(turned.trained, space=VOICE, resolve_voice=True)
    for run in runs_of(turned, turned.trained.models, VOICE):
        if run.system in PURE:
            results += run_results(run, seed, parts=False)
    if profile.name == "full":
        results += kept(cost_results(prepared, profile["contextual"]))
        for run in (run for files in SIZES for run in size_runs(profile, relations, files)):
            results += run_results(run, seed, parts=False)
        for grid in task["sweep"][:1] if subset else task["sweep"]:
            results += sense_results(prepared, profile, grid)
        if not subset:
            results += seed_results(prepared, profile)
    used = [relations.name, "wikipedia_parsed"] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.materials.corpus, seed)
    tested = [] if subset else claims([run for run in runs if run.system in (OVERLAP, *PURE)], seed)
    return Ledger("relation_classification", "cheung2012", profile.name, made, tuple(results), tuple(tested))
