"""Cheung & Penn 2012, Task 1: do sentences that express the same relation come out as similar?

Which models with which settings, what is varied, and every figure of the chapter. The notebook shows what
``main_figures`` gives; ``make reproduce`` and ``make verify`` take ``figures``, which goes on from there.
"""

import time
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, groupby

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.cache import Timed
from cdsm_lib.chapters import contextual_models, stored
from cdsm_lib.chapters.contextual_models import COLUMNS, MAIN, OVERLAP, PURE, TOLERANCE, Parsed, Trained, TrainingCounts
from cdsm_lib.chapters.training_counts import wikipedia
from cdsm_lib.composition.contextual import ErkPado, LatentSenses, Simple, Thater
from cdsm_lib.construction import relation_classification as construction
from cdsm_lib.display import Table, beside, estimate, figure, table
from cdsm_lib.display import over_seeds as spread_over_seeds
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published, sized
from cdsm_lib.settings import ParameterError, Profile
from cdsm_lib.tasks import invariance, relation_classification
from cdsm_lib.tasks.relation_classification import EntityPair, Relations
from cdsm_lib.text.counts import Counts
from cdsm_lib.vectors.similarity import cosines
from cdsm_lib.vectors.space import Space

RESAMPLES = 2000
"""Bootstrap resamples of the sentences."""


# --------------------------------------------------------------------------------------------------------- the runs


@dataclass(frozen=True)
class Prepared:
    """What is there before anything is scored.

    Attributes
    ----------
    relations : Relations
    counts : TrainingCounts
    trained : Trained
    """

    relations: Relations
    counts: TrainingCounts
    trained: Trained

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
    similarity : mapping of pair name to float64 array [sentences, sentences], or [sentences] to a query
    columns : mapping
        Further columns of its rows.
    metric : str
    """

    system: str
    space: str
    relations: Relations
    similarity: Mapping[str, np.ndarray]
    columns: Mapping = field(default_factory=dict)
    metric: str = "AUC"

    @cached_property
    def scores(self) -> relation_classification.Scores:
        """AUC of each pair and their average."""
        return relation_classification.score_all(self.similarity, self.relations)

    def resampled(self, seed: int) -> np.ndarray:
        """AUC on resampled sentences: float64 [usable pairs, RESAMPLES]; the same draws for every system."""
        return relation_classification.bootstrap(self.similarity, self.relations, RESAMPLES, seed)


def followed(relations: Relations, id: str) -> tuple[EntityPair, int]:
    """The pair of a sentence and its place there; `ParameterError` if there is no such sentence."""
    place = {own: (pair, i) for pair in relations for i, own in enumerate(pair.ids)}
    if id not in place:
        first, *_, last = place
        problem = f"no sentence of the teaching set; its ids run from {first} to {last}"
        raise ParameterError(f"example={id!r}: {problem}")
    return place[id]


def prepare(profile: Profile, *, from_stored: bool = False) -> Prepared:
    """Count, train all models, D&L from stored senses if asked, and load the sentences."""
    counts = contextual_models.training_counts(profile)
    relations = construction.load(profile["relation_classification.dataset"])
    return Prepared(relations, counts, contextual_models.trained_on(counts, profile, from_stored=from_stored))


def runs_of(
    prepared: Prepared, models: Mapping[str, object], space: str = MAIN, among: Container[str] | None = None, **columns
) -> list[Run]:
    """Overlap, every model with both operations, and each of these with the overlap added; or those `among` them."""
    similarities: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for pair in prepared.relations.usable:
        for system, similarity in contextual_models.similarities(models, prepared.parsed(pair)).items():
            if among is None or system in among:
                similarities[system][pair.name] = similarity
    return [Run(system, space, prepared.relations, of_pairs, columns) for system, of_pairs in similarities.items()]


# --------------------------------------------------------------------------------------------------------- variants

ONE_ADDED = "PPMI + 1"
VOICE = "passives as actives"
SIZES = (1, 4)
"""Sixteenths of the corpus at which the models without senses are trained as well."""


def variants(prepared: Prepared, profile: Profile) -> Iterator[Run]:
    """What the paper leaves open, or what one would like to know: one choice changed at a time.

    M&L with the ratio P(c|t) / P(c) in the place of PPMI, with PMI, negative values too, and with 1 added to every
    cell of PPMI, so that no factor of a product is 0; E&P with its neighbours' preferences summed; E&P and TFP with
    other thresholds; D&L with the product of all context words; every model without the entities' own words.
    """
    settings, task = profile["contextual"], profile["relation_classification"]
    triples, models = prepared.counts.triples, prepared.trained.models
    space, neighbours = models["M&L"].space, settings["neighbours"]
    words = sorted({word for sentence in prepared.sentences for word in sentence.words if word})
    one_added = Space(words, space.take(words) + 1, space.dimensions)
    changed = [
        *(
            (f"{name} instead of PPMI", {"M&L": Simple(contextual_models.association(prepared.counts.windows, weight))})
            for name, weight in (("ratio", "ratio"), ("PMI", "pmi"))
        ),
        (ONE_ADDED, {"M&L": Simple(one_added)}),
        ("neighbours summed", {"E&P": ErkPado(space, triples, threshold=settings["threshold"], neighbours="sum")}),
    ]
    for least in task["thresholds"]:
        ep = ErkPado(space, triples, threshold=least, neighbours=neighbours)
        tfp = Thater.of_triples(triples, min_count=least, min_pmi=settings["min_pmi"])
        changed.append((f"threshold {least}", {"E&P": ep, "TFP": tfp}))
    for least in task["pmi_thresholds"]:
        tfp = Thater.of_triples(triples, min_count=settings["min_count"], min_pmi=least)
        changed.append((f"PMI threshold {least:g}", {"TFP": tfp}))
    if "D&L" in models:
        changed.append(("product of contexts", {"D&L": replace(models["D&L"], contexts_as="product")}))
    for name, variant in changed:
        yield from runs_of(prepared, variant, name, PURE)
    blank = construction.without_entities
    pairs = (replace(pair, sentences=tuple(map(blank, pair.sentences))) for pair in prepared.relations)
    bare = replace(prepared, relations=replace(prepared.relations, pairs=tuple(pairs)))
    for run in runs_of(bare, models, "without the entities", (OVERLAP, *PURE)):
        yield replace(run, relations=prepared.relations)


def untrapped_runs(prepared: Prepared) -> list[Run]:
    """The pure systems on the teaching set without its traps, the same words in another relation; else nothing."""
    if not any("trap" in pair.variation for pair in prepared.relations):
        return []
    easier = replace(prepared, relations=construction.without_variation(prepared.relations, "trap"))
    return runs_of(easier, prepared.trained.models, among=(OVERLAP, *PURE))


ALIKE, ASKED = "AUC, births against deaths", "AUC of the query"
AGAINST = {"Other": False, "all others": True}
"""What does not express a relation of SemEval's: the sentences labelled so, or those of all other relations too."""
BORN = {"was born in": "bear|VERB"}
"""The one content word of *X was born in Y*, with both slots masked: the query for births."""
SAMPLED = 2
"""Relations of SemEval's on which `make verify` plays every system."""
CHUNK = 500  # sentences whose vectors are held at a time


def query_runs(prepared: Prepared, sets: Mapping[str, Relations], words: Mapping[str, str]) -> list[Run]:
    """What every system gives every sentence and the query for its relation, of which the masked slots leave one word.

    Parameters
    ----------
    prepared : Prepared
    sets : mapping of metric to Relations
    words : mapping of relation to str
        ``lemma|UPOS``.
    """
    pairs = [pair for relations in sets.values() for pair in relations.usable]
    sentences = {own: one for pair in pairs for own, one in zip(pair.ids, pair.sentences, strict=True)}
    place = {own: i for i, own in enumerate(sentences)}
    queries = [Parsed((word.rpartition("|")[0],), (word,), (), ()) for word in words.values()]
    seen = prepared.trained.parsed(sentences.values())
    parts = [
        contextual_models.similarities(prepared.trained.models, seen[start : start + CHUNK], queries)
        for start in range(0, len(seen), CHUNK)
    ]
    runs, column = [], {relation: i for i, relation in enumerate(words)}
    for metric, relations in sets.items():
        for system in parts[0]:
            given = np.concatenate([part[system] for part in parts])
            of_pairs = {
                pair.name: given[[place[own] for own in pair.ids], column[pair.relation]] for pair in relations.usable
            }
            runs.append(Run(system, MAIN, relations, of_pairs, metric=metric))
    return runs


def further_runs(
    prepared: Prepared, dataset: str, *, against: Mapping[str, bool] = AGAINST, fewest: int | None = None
) -> list[Run]:
    """All systems on a set that has one half of the paper's condition: one place, or one relation.

    On ``google_re`` two births should be more alike than a birth and a death in the same place, as in the paper, and
    births more similar to a query than deaths. On ``semeval2010_task8`` the sentences of a relation and direction
    should be more similar to its query than the others; there `fewest` asks for so many relations alone, those with the
    fewest sentences.
    """
    path = datasets.fetch(dataset, f"{dataset}.conllu.xz")
    if dataset == "google_re":
        relations = construction.births_and_deaths(path, construction.read_lives())
        runs = runs_of(replace(prepared, relations=relations), prepared.trained.models)
        return [*(replace(run, metric=ALIKE) for run in runs), *query_runs(prepared, {ASKED: relations}, BORN)]
    sets = {}
    for name, rest in against.items():
        relations = construction.of_nominals(path, rest=rest)
        some = sorted(relations.usable, key=lambda pair: sum(pair.expresses))[:fewest]
        sets[f"{ASKED}, {name}"] = relations if fewest is None else replace(relations, pairs=tuple(some))
    return query_runs(prepared, sets, construction.read_queries())


def sampled_scores(prepared: Prepared, dataset: str, seed: int) -> tuple[Relations, list[Scores]]:
    """Of the large set what is quick: against *Other* overlap and M&L on all relations, the others on `SAMPLED`; and
    all but TFP on one of these against all other sentences, which takes a minute."""

    def of(names: str, other: str, fewest: int | None) -> tuple[Relations, list[Scores]]:
        models = {name: model for name, model in prepared.trained.models.items() if name in names.split()}
        part = replace(prepared, trained=replace(prepared.trained, models=models))
        relations, scores = further_scores(part, dataset, seed, against={other: AGAINST[other]}, fewest=fewest)
        return relations, [one for one in scores if one.columns.get("model", "M&L") in models]

    relations, whole = of("M&L", "Other", None)
    few = [*of("E&P TFP D&L", "Other", SAMPLED)[1], *of("M&L E&P D&L", "all others", 1)[1]]
    return relations, whole + [one for one in few if one.split != "average"]


def further_scores(prepared: Prepared, dataset: str, seed: int, **options) -> tuple[Relations, list[Scores]]:
    """A further set and what all systems score on it; options as for `further_runs`.

    The relations of the large set share sentences, and these are resampled together.
    """
    runs = further_runs(prepared, dataset, **options)
    relations, scores = runs[0].relations, []
    expressed = {own: pair.name for pair in relations for own in np.array(pair.ids)[pair.expresses]}
    for _, group in groupby(runs, key=lambda run: run.metric):
        alike, drawn = list(group), []
        for pair in (pairs := alike[0].relations.usable):  # one after the other: the draws of a large set fill memory
            shared = [expressed.get(own, "Other") for own in pair.ids] if dataset == "semeval2010_task8" else None
            weights = relation_classification.resample_weights(pair, RESAMPLES, seed, shared)
            of_runs = (run.similarity[pair.name] for run in alike)
            drawn.append([relation_classification.bootstrap_auc(given, pair, weights) for given in of_runs])
        by_run = np.reshape(drawn, (len(pairs), len(alike), -1)).swapaxes(0, 1)
        scores += [of for run, own in zip(alike, by_run, strict=True) for of in scores_of(run, seed, own)]
    return relations, scores


EVERYWHERE = "all relations"
COUNTED = (ALIKE, f"{ASKED}, Other")
"""The metrics of the further sets that count on `EVERYWHERE`: the first of each set."""


def everywhere(scores: Iterable[Scores], further: Iterable[Scores] = ()) -> list[Scores]:
    """Of every system the mean AUC over the pairs and relations of all sets, each counting the same.

    On these the claims are tested. The paper's average is the mean over its pairs of entities, too.

    Parameters
    ----------
    scores : iterable of Scores
        Of the main runs, see `scores_of`.
    further : iterable of Scores
        Of further sets, see `further_scores`; all of a system's relations, or the system is left out.
    """
    averages, parts = defaultdict(list), defaultdict(list)
    for of in (*scores, *(of for of in further if of.metric in COUNTED)):
        (averages if of.split == "average" else parts)[of.system].append(of)
    most, found = max(map(len, averages.values())), []
    for system, (average, *others) in averages.items():
        if 1 + len(others) == most:
            each = parts[system]
            named = {"dataset": " + ".join(of.dataset for of in (average, *others)), "split": EVERYWHERE}
            value, drawn = np.mean([of.value for of in each]), np.mean([of.resamples for of in each], axis=0)
            found.append(replace(average, **named, statistic=float(value), resamples=drawn, n=len(each)))
    return found


def voice_resolved(prepared: Prepared, profile: Profile) -> Prepared:
    """E&P and TFP trained on triples in which a passive counts as its active; sentences are read in the same way."""
    counts = replace(prepared.counts, triples=prepared.counts.triples.voice_resolved(), resolve_voice=True)
    models = contextual_models.structured(counts, profile["contextual"], prepared.trained.models["M&L"].space)
    return replace(prepared, counts=counts, trained=Trained(prepared.trained.words, models, True))


def size_runs(profile: Profile, relations: Relations, files: int) -> list[Run]:
    """M&L, E&P and TFP on the first `files` sixteenths of the corpus, with the words most frequent there."""
    corpus = wikipedia(files)
    counts = contextual_models.gather(corpus, profile["contextual"])
    prepared = Prepared(relations, counts, contextual_models.train(counts, profile["contextual"], profile["seed"]))
    return runs_of(prepared, prepared.trained.models, among=PURE, **sized(MAIN, corpus.n_tokens))


def trained_senses(windows: Counts, profile: Profile, grid: Mapping) -> tuple[dict, dict[int, Timed]]:
    """The senses of a grid by iterations, see `sense_runs`; and the settings behind them."""
    settings = {**profile["contextual.senses"], **grid}
    points = {*settings.pop("checkpoints", ()), settings["iterations"]}
    seed = settings.pop("seed", profile["seed"])
    return settings, contextual_models.senses_on_the_way(windows, settings, seed, points)


def trainings(profile: Profile) -> list[tuple]:
    """What fills the cache in the full profile, the longest first: function and arguments."""
    own = profile["contextual.senses"]
    others = [{"seed": seed} for seed in contextual_models.seeds(profile)[1:]]
    every = [own | grid for grid in (*profile["relation_classification.sweep"], *others)]
    every.sort(key=lambda of: -of["dimensions"] * of["iterations"])  # the sweep has the profile's own senses too
    return [(train_senses, profile, grid) for grid in every]


def train_senses(profile: Profile, grid: Mapping) -> None:
    """Train latent senses into the cache."""
    trained_senses(contextual_models.training_counts(profile).windows, profile, grid)


def sense_runs(prepared: Prepared, profile: Profile, grid: Mapping) -> tuple[list[Run], float]:
    """D&L with other senses, and the seconds that their training took.

    Parameters
    ----------
    prepared : Prepared
    profile : Profile
    grid : mapping
        Settings of latent senses; one with ``checkpoints`` gives runs after so many iterations as well.
    """
    windows, runs = prepared.counts.windows, []
    settings, trained = trained_senses(windows, profile, grid)
    for iterations, (senses, _) in trained.items():
        reached = settings | {"iterations": iterations}
        model = contextual_models.in_sentences(senses, windows, profile["contextual.window"])
        runs += runs_of(prepared, {"D&L": model}, among=PURE, **contextual_models.senses_named(reached))
    return runs, trained[settings["iterations"]].seconds


# ------------------------------------------------------------------------------------------------------------- rows

PUBLISHED_GROUP = "trained on AFP section"
"""Of Table 1: there every model was trained on the same part of the corpus, as here."""


def published_average(system: str) -> float | None:
    """The paper's average over its own four entity pairs (Table 1)."""
    table = read_published("cheung2012_table1")
    row = {**table["groups"]["baseline"], **table["groups"][PUBLISHED_GROUP]}.get(system)
    return row[table["columns"].index("Average")] if row else None


def scores_of(run: Run, seed: int, resamples: np.ndarray | None = None) -> list[Scores]:
    """AUC of every entity pair, and their average at the end, with the same on sentences that are drawn anew."""
    resamples = run.resampled(seed) if resamples is None else resamples
    pairs, columns = run.relations.usable, {**COLUMNS[run.system], **run.columns}
    names = {"system": run.system, "space": run.space, "dataset": run.relations.name, "metric": run.metric}
    names["columns"], within = columns, contextual_models.tolerance_of(columns)
    in_parts = [
        Scores(**names, split=pair.name, statistic=run.scores.per_pair[pair.name].auc, resamples=drawn, n=len(pair),
               tolerance=2 * within)
        for pair, drawn in zip(pairs, resamples, strict=True)
    ]  # fmt: skip
    as_there = run.space == MAIN and run.metric == "AUC" and "," not in run.relations.name
    published = published_average(run.system) if as_there else None
    average = Scores(**names, split="average", statistic=run.scores.average, resamples=resamples.mean(axis=0),
                     n=len(pairs), published=published, tolerance=within)  # fmt: skip
    return [*in_parts, average]


def average_rows(runs: Iterable[Run], seed: int) -> list[Result]:
    """The average AUC of each run, with its interval."""
    return [scores_of(run, seed)[-1].row() for run in runs]


def data_rows(relations: Relations) -> list[Result]:
    """Sentences and expressing sentences of every pair, and which pairs can be scored."""
    rows = []
    for pair in relations:
        counts = {"sentences": len(pair), "expressing": pair.n_positive, "scored": int(pair in relations.usable)}
        rows += [Result("data", pair.relation, relations.name, pair.name, *count) for count in counts.items()]
    return rows


def agreement_rows(dataset: str) -> list[Result]:
    """How far the two passes of labels agree."""
    labels = {"relation_banko2008": construction.committed_labels, "google_re": construction.read_lives}
    if dataset not in labels:
        return []
    agreed = construction.agreement(labels[dataset]())
    return [
        Result("labels", "two passes", dataset, split, metric, value, n=of.sentences)
        for split, of in agreed.items()
        for metric, value in (("kappa", of.kappa), ("agreement", of.agreed), ("adjudicated", of.adjudicated))
        if value is not None
    ]


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


def tie_rows(run: Run) -> list[Result]:
    """The share of comparisons that are ties, and the AUC that an order of storage would give."""
    rows = []
    for name, score in run.scores.per_pair.items():
        metrics = {"share of ties": score.tied, "AUC, ties in favour": score.auc_high_first,
                   "AUC, ties against": score.auc_low_first}  # fmt: skip
        place = (run.system, run.space, run.relations.name, name)
        rows += [Result(*place, metric, value, tolerance=TOLERANCE["exact"]) for metric, value in metrics.items()]
    return rows


TIME_25 = "ms for 25 words in context"


def memory(model) -> int:
    """Bytes of the tables that a model reads."""
    if isinstance(model, LatentSenses):
        return model.senses.nbytes + model.phi.nbytes
    table = model.first if isinstance(model, Thater) else model.space.vectors
    parts = [table.data, table.indices, table.indptr]
    if isinstance(model, Thater):
        parts.append(model.pairs)
    if isinstance(model, ErkPado):
        triples = model.triples
        parts += [triples.governor, triples.relation, triples.dependent, triples.count]
    return sum(part.nbytes for part in parts)


def cost_rows(prepared: Prepared, settings: Mapping) -> list[Result]:
    """For each model the memory of its tables, and the time that 25 content words take in their sentences.

    E&P and TFP are made afresh, since they remember what they have computed. Times are a record of one machine.
    """
    models, rows = prepared.trained.models, []
    models = models | contextual_models.structured(prepared.counts, settings, models["M&L"].space)
    for name, model in models.items():
        start = time.perf_counter()
        words = sum(model.in_context(s.words, s.arcs).shape[0] for s in prepared.sentences)
        milliseconds = (time.perf_counter() - start) / words * 25e3
        place = {"space": MAIN, "dataset": prepared.relations.name, "split": "all", **COLUMNS[name]}
        rows.append(Result(name, metric="MB of tables", value=memory(model) / 1e6, tolerance=1.0, **place))
        rows.append(Result(name, metric=TIME_25, value=milliseconds, tolerance=TOLERANCE["time"], **place))
    return rows


def sense_rows(prepared: Prepared, profile: Profile, grid: Mapping) -> list[Result]:
    """AUC of D&L with other senses; of a training that is looked at on its way also the minutes that it took."""
    runs, seconds = sense_runs(prepared, profile, grid)
    rows = average_rows(runs, profile["seed"])
    if "checkpoints" in grid:
        place = (runs[-1].space, prepared.relations.name, "all", "minutes of training")
        rows.append(Result("D&L", *place, seconds / 60, tolerance=TOLERANCE["time"], model="D&L", **runs[-1].columns))
    return rows


def seed_scores(prepared: Prepared, profile: Profile) -> dict[int, list[Scores]]:
    """D&L with the profile's senses, each set's average and `everywhere`, by seed of training, its own first."""
    found, seed = {}, profile["seed"]
    for own in contextual_models.seeds(profile):
        settings, trained = trained_senses(prepared.counts.windows, profile, {"seed": own})
        senses = trained[settings["iterations"]].value
        model = contextual_models.in_sentences(senses, prepared.counts.windows, profile["contextual.window"])
        alone = replace(prepared, trained=replace(prepared.trained, models={"D&L": model}))
        scores = [of for run in runs_of(alone, alone.trained.models, among=PURE) for of in scores_of(run, seed)]
        further = [
            of for dataset in profile["relation_classification"].get("further", ())
            for of in further_scores(alone, dataset, seed, against={"Other": AGAINST["Other"]})[1]
            if of.system in PURE
        ]  # fmt: skip
        of_sets = [*scores, *(of for of in further if of.metric in COUNTED)]
        found[own] = [*(of for of in of_sets if of.split == "average"), *everywhere(scores, further)]
    return found


def tested_scores(on_all: Sequence[Scores], by_seed: Mapping[int, Sequence[Scores]]) -> dict[int | None, list[Scores]]:
    """The pure systems' scores `everywhere`, on which the claims are tested, with D&L of each seed."""
    on_all = [of for of in on_all if of.system in (OVERLAP, *PURE)]
    others = [of for of in on_all if of["model"] != "D&L"]
    latent = {seed: [of for of in scores if of.split == EVERYWHERE] for seed, scores in by_seed.items()}
    return {seed: [*others, *of] for seed, of in latent.items()} or {None: on_all}


TESTED = "relation-classification"
"""The file of what the claims are tested on: all of the large set, and senses of all seeds, take too long to verify."""


def store_tested(tested: Mapping[int, Sequence[Scores]], prepared: Prepared, profile: Profile) -> None:
    """Store `tested_scores`; see `stored`."""
    arrays = {}
    for seed, scores in tested.items():
        arrays[f"{seed}.value"] = np.array([of.value for of in scores])
        arrays[f"{seed}.resamples"] = np.array([of.resamples for of in scores], dtype=np.float32)
    first, names = tested[profile["seed"]][0], [of.system for of in tested[profile["seed"]]]
    stored.write(TESTED, arrays, _tested_with(prepared, profile), systems=names, dataset=first.dataset, n=first.n)


def stored_tested(averages: Iterable[Scores], prepared: Prepared, profile: Profile) -> dict[int, list[Scores]]:
    """What `store_tested` wrote, with all that does not depend on seeds from each system's average."""
    seeds, of_system = contextual_models.seeds(profile), {of.system: of for of in averages}
    names = [f"{seed}.{part}" for seed in seeds for part in ("value", "resamples")]
    arrays, meta = stored.read(TESTED, _tested_with(prepared, profile), names)
    place = {"dataset": meta["dataset"], "split": EVERYWHERE, "n": meta["n"]}
    return {
        seed: [
            replace(of_system[name], **place, statistic=float(value), resamples=drawn)
            for name, value, drawn in zip(meta["systems"], arrays[f"{seed}.value"], arrays[f"{seed}.resamples"],
                                          strict=True)
        ]
        for seed in seeds
    }  # fmt: skip


def _tested_with(prepared: Prepared, profile: Profile) -> dict:
    sets = [profile["relation_classification.dataset"], *profile["relation_classification"].get("further", ())]
    return {**contextual_models.stored_with(prepared.counts.windows, profile), "sets": datasets.used(sets)}


def claims(tested: Mapping[int | None, Sequence[Scores]]) -> list[Claim]:
    """What the paper concludes of Task 1, tested on `tested_scores`, once with D&L of each seed."""
    return over_seeds({seed: evaluate("relation_classification", scores) for seed, scores in tested.items()})


def probes(trained: Trained, quadruples: Sequence[invariance.Quadruple]) -> dict[str, invariance.Probe]:
    """What every pure system gives the probe: active against passive, nominalisation, swapped roles and another."""
    forms = {id(s): s for quadruple in quadruples for s in (getattr(quadruple, form) for form in invariance.FORMS)}
    seen, place, by_system = trained.parsed(forms.values()), {own: i for i, own in enumerate(forms)}, {}
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
    prepared: Prepared,
    runs: Sequence[Run],
    profile: Profile,
    further: Sequence[Scores] = (),
    by_seed: Mapping[int, Sequence[Scores]] | None = None,
    *,
    subset: bool = False,
) -> Results:
    """The figures of the main runs and what they rest on, and the claims if D&L is among them; no variants or probe.

    The claims are tested on the `further` sets too, and with D&L of every seed in `by_seed`, see `seed_scores`; in the
    full profile these scores are stored, and as a `subset` read.
    """
    relations, seed = prepared.relations, profile["seed"]
    scores = [of for run in runs for of in scores_of(run, seed)]
    on_all = everywhere(scores, further)
    rows = [
        *data_rows(relations),
        *agreement_rows(relations.name),
        *contextual_models.coverage(prepared.trained, prepared.sentences, space=MAIN, dataset=relations.name),
        *(of.row() for of in scores),
        *zero_rows(prepared),
        *tie_rows(runs[0]),
        *average_rows(untrapped_runs(prepared), seed),
        *(of.row() for of in on_all if further),
    ]
    tested = []
    if subset:
        tested = claims(stored_tested([of for of in scores if of.split == "average"], prepared, profile))
    elif "D&L" in prepared.trained.models:
        tested = claims(by_own := tested_scores(on_all, by_seed or {}))
        if by_seed:
            store_tested(by_own, prepared, profile)
    named = profile["relation_classification"].get("further", ()) if further or subset else ()
    used = [relations.name, "wikipedia_parsed", *named] if profile.name == "full" else []
    made = made_with(datasets.used(used), prepared.counts.corpus, seed)
    return Results("relation_classification", "cheung2012", profile.name, made, tuple(rows), tuple(tested))


def on_further_sets(prepared: Prepared, profile: Profile, *, subset: bool = False) -> dict[str, tuple]:
    """For each further set of the profile its relations and the scores on it; of the large one a part if `subset`."""
    return {
        dataset: (sampled_scores if subset and dataset == "semeval2010_task8" else further_scores)(
            prepared, dataset, profile["seed"]
        )
        for dataset in profile["relation_classification"].get("further", ())
    }


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All but what needs senses trained anew: D&L's are the stored ones, and those of the first grid of the sweep.
        Left out: its other grids, the other seeds, and most of the large further set (see `sampled_scores`). The claims
        are tested on stored scores.
    """
    task, seed, subset = profile["relation_classification"], profile["seed"], subset and profile.name == "full"
    prepared = prepare(profile, from_stored=subset)
    runs = runs_of(prepared, prepared.trained.models)
    by_seed = seed_scores(prepared, profile) if profile.name == "full" and not subset else {}
    further = on_further_sets(prepared, profile, subset=subset)
    main = main_figures(prepared, runs, profile, [of for _, scores in further.values() for of in scores], by_seed,
                        subset=subset)  # fmt: skip
    turned = voice_resolved(prepared, profile)
    rows = [
        *main.results,
        *average_rows(variants(prepared, profile), seed),
        *probe_rows(prepared.trained),
        *probe_rows(turned.trained, VOICE),
        *average_rows(runs_of(turned, turned.trained.models, VOICE, PURE), seed),
    ]
    for dataset, (relations, scores) in further.items():
        rows += [*data_rows(relations), *agreement_rows(dataset), *(of.row() for of in scores)]
    if profile.name == "full":
        if not subset and profile["contextual.senses.method"] == "gibbs":
            contextual_models.store_senses(prepared.trained.models["D&L"], prepared.counts.windows, profile)
        rows += cost_rows(prepared, profile["contextual"])
        for files in SIZES:
            rows += average_rows(size_runs(profile, prepared.relations, files), seed)
        for grid in task["sweep"][:1] if subset else task["sweep"]:
            rows += sense_rows(prepared, profile, grid)
        shown = ("average", EVERYWHERE) if further else ("average",)
        of_seeds = {own: [of for of in scores if of.split in shown] for own, scores in by_seed.items()}
        rows += contextual_models.seed_rows(of_seeds, **contextual_models.senses_named(profile["contextual.senses"]))
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


def costs(full: Results) -> Table:
    """Memory and time of each model: whole megabytes, tenths of a millisecond."""
    columns = ("MB of tables", TIME_25)
    measured = beside(contextual_models.MODELS, *((full, {"system": "{}", "metric": metric}) for metric in columns))
    rows = [(model, f"{memory:.0f}", f"{time:.1f}") for model, memory, time in measured]
    what = "memory, and the time of one of our machine's cores for a long sentence, full results"
    return table(("model", *columns), rows, f"Costs: {what}")


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


def with_more_text(full: Results, system: str) -> str:
    """A system's average AUC on parts of the corpus and on all of it."""
    of_system = {"system": system, "split": "average", "metric": "AUC"}
    sizes = sorted((r.tokens, r.value) for r in full.find(series=MAIN, **of_system))
    parts = [f"{value:.3f} ({n / 1e6:.1f} million tokens)" for n, value in sizes]
    whole = next(iter(full.find(space=MAIN, **of_system))).value
    return f"{system} with more text: {', '.join(parts)}, {whole:.3f} (all of it)."


def above_chance(results: Results, dataset: str) -> int:
    """For how many systems, overlap and the models alone, the interval of the average AUC lies above one half."""
    averages = results.find(dataset=dataset, space=MAIN, split="average", metric="AUC")
    return sum(r.low > 0.5 for r in averages if r.system in (OVERLAP, *PURE))


def of_further_sets(full: Results, dataset: str) -> str:
    """The highest figures on the sets other than `dataset`, and how addition's intervals lie to multiplication's."""
    rows = full.rows.query("split == 'average' and dataset != @dataset")
    best = rows.loc[rows.groupby("metric", sort=False).value.idxmax()].itertuples()
    highest = "; ".join(f"{r.system} {r.value:.3f} ({r.metric})" for r in best)
    alone = rows[rows.model.notna() & rows.mixed.isna()]
    ends = alone.pivot(index=["metric", "model"], columns="operation", values=["low", "high"])
    better = (ends["low"]["add"] > ends["high"]["mult"]).sum()
    worse = (ends["high"]["add"] < ends["low"]["mult"]).sum()
    return (
        f"The highest figures are: {highest}. The interval of addition lies above that of multiplication in {better} "
        f"of {len(ends)} comparisons, and below it in {worse}."
    )


def further_table(full: Results, dataset: str) -> Table:
    """Every system on every set other than `dataset`, and on all relations together."""
    wanted = {"system": "{}", "space": MAIN}
    others = [r for r in full.find(system=OVERLAP, split="average") if r.dataset != dataset]
    sets = {r.metric: {"dataset": r.dataset, "metric": r.metric, "split": "average"} for r in others}
    sets[EVERYWHERE] = {"metric": "AUC", "split": EVERYWHERE}
    cells = ((full, wanted | of) for of in sets.values())
    rows = beside((OVERLAP, *PURE, *contextual_models.MIXED), *cells, as_figure=True)
    return table(("system", *sets), rows, "Full results: further sets, and all")


def width(full: Results, dataset: str) -> str:
    """How wide an interval on the pairs of entities is, beside the differences that the paper prints."""
    rows = full.find(system="data", dataset=dataset)
    of = {metric: {r.split: r.value for r in rows if r.metric == metric} for metric in ("sentences", "expressing")}
    scored = [r.split for r in rows if r.metric == "scored" and r.value]
    rest = [int(of["sentences"][pair] - of["expressing"][pair]) for pair in scored]
    averages = full.find(space=MAIN, dataset=dataset, split="average", metric="AUC", operation="add")
    wide = np.mean([r.high - r.low for r in averages if not r.mixed])
    published = [published_average(system) for system in (OVERLAP, *PURE)]
    gaps = [abs(a - b) for a, b in combinations(published, 2)]
    fewest = min(n for n, _ in construction.PAPER_COUNTS.values())
    return (
        f"The full set's {len(rest)} pairs have {min(rest)} to {max(rest)} sentences that do not express the relation, "
        f"and the interval of an average AUC is **{wide:.2f}** wide. Of the paper's {len(gaps)} differences between "
        f"two systems {sum(gap < wide for gap in gaps)} are smaller. The paper gives no intervals; in its smallest set "
        f"{fewest} sentences express the relation."
    )


def while_sampling(full: Results) -> dict[str, list[tuple]]:
    """D&L by addition while the sampler runs: for each number of senses (iterations, AUC and its interval)."""
    curves = defaultdict(list)
    for r in full.find(system="D&L add", split="average", metric="AUC", method="gibbs"):
        curves[r.senses].append((r.iterations, r.value, r.low, r.high))
    return {f"{n:,} senses": sorted(points) for n, points in sorted(curves.items())}


def sampled(full: Results) -> str:
    """How far the figures of `while_sampling` lie apart, how wide their intervals are, and what a seed changes."""
    points = [point for line in while_sampling(full).values() for point in line]
    values = [value for _, value, _, _ in points]
    web, births = (
        spread_over_seeds(full, metric, system="D&L add", split="average", dataset=dataset)
        for metric, dataset in (("AUC", "relation_banko2008"), (ALIKE, "google_re"))
    )
    return (
        f"The figures of the chart lie between {min(values):.3f} and {max(values):.3f}. Their intervals come from the "
        f"sentences, and the narrowest is {min(high - low for *_, low, high in points):.2f} wide. Over several seeds "
        f"of the sampler D&L add has {web} (mean and standard deviation), on births against deaths {births}."
    )


def minutes(full: Results) -> str:
    """How long each number of senses took to train."""
    took = full.find(system="D&L", metric="minutes of training")
    told = "; ".join(f"{r.space}: {r.value:.1f}" for r in took)
    return f"Minutes of training, on a core of a machine with other work: {told}."


def estimations(full: Results) -> Table:
    """D&L with a hundred senses, by how they are estimated."""
    senses = [
        r.space
        for method in ("gibbs", "variational", "nmf")
        for r in full.find(system="D&L add", metric="AUC", method=method, senses=100)
    ]
    both = ("D&L add", "D&L mult")
    wanted = {"space": "{}", "split": "average", "metric": "AUC"}
    rows = beside(senses, *((full, wanted | {"system": system}) for system in both))
    return table(("how the senses are estimated", *both), rows, "Full results: AUC, average")


def probed_means(results: Results) -> dict[str, dict[str, tuple]]:
    """Of each pure system the mean similarity with each form of the probe, as charts take it."""
    means = {system: {} for system in PURE}
    for r in results.find(dataset="invariance", space=MAIN):
        if r.metric == f"similarity: {r.form}":
            means[r.system][r.form] = estimate(r)
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


def voices(rows: Sequence[tuple], at: int) -> str:
    """What resolving the voice changes: rows by twos, as parsed and resolved, with a share at the place `at`.

    Examples
    --------
    >>> voices([("E&P add", "as parsed", 0.46), ("E&P add", "passives as actives", 1.0)], 2)
    'The passive is above the swapped sentence in this share of the quadruples: E&P add 0.460, then 1.000.'
    """
    pairs = zip(rows[::2], rows[1::2], strict=True)
    told = "; ".join(f"{before[0]} {before[at]:.3f}, then {after[at]:.3f}" for before, after in pairs)
    return f"The passive is above the swapped sentence in this share of the quadruples: {told}."


def best_nominal(full: Results) -> str:
    """The highest share of quadruples whose nominalisation is above the swapped sentence."""
    shares = full.find(metric="nominal above swapped", dataset="invariance")
    top, above = max(shares, key=lambda r: r.value), sum(r.low > 0.5 for r in shares)
    parsed = "as parsed" if top.space == MAIN else top.space
    return (
        f"The nominalisation has a share of at most {figure(top)} ({top.system}, {parsed}); the whole interval lies "
        f"above one half for {above} of {len(shares)} systems and ways of parsing."
    )
