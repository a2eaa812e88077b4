"""White (2015), sentence localisation: which systems, on which vectors, and every figure and claim of chapter 20."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, reduce
from itertools import product
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.chapters.sentence_models import ADDITION, BOW, GREEDY, PARSED, PV_DBOW, PV_DM, WEIGHTED, Measured
from cdsm_lib.construction import localisation as construction
from cdsm_lib.evaluation import ledger, metrics
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import NOT_REPEATED, Claim, Result, Results, Scores, read_published
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import read_npz, write_npz
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, APART, FAR, NEAR, SHARES, SYNONYM, Localisation

MAIN = {BOW: "counts", ADDITION: "word2vec", WEIGHTED: "word2vec", PV_DM: "text", PV_DBOW: "text",
        PARSED: "word2vec", GREEDY: "word2vec"}  # fmt: skip
"""The space on which each system is compared with the others."""
SEEDED = (ADDITION, WEIGHTED, PV_DM, PV_DBOW, PARSED, GREEDY)
"""The systems that are trained with several seeds."""
SHORT, FEW = "text, few passes", {"draws": 1, "passes": 5, "rate": 0.1}
"""Paragraph vectors from one inference with gensim's default of 2015 (``alpha=0.1, steps=5``)."""
CONTROLLED = "random verb > antonym"
"""What must fall if antonyms go farther and not just all verbs."""
PUBLISHED_TABLES = {
    NEAR: "white2015_later_draft_table4", FAR: "white2015_later_draft_table5", APART: "white2015_later_draft_table6"
}  # fmt: skip
PUBLISHED_COLUMNS = {PARSED: "U-RAE", PV_DM: "PV-DM", PV_DBOW: "PV-DBOW", BOW: "BOW"}
COUNTED = (SYNONYM, ANTONYM, "both")
DRAFT_READING, PAPER_READING = "most frequent synset, its antonyms", "most frequent sense, antonyms of the synset"
"""The reading whose counts come nearest to the later draft's, and that of section 3.6."""
FEWEST = 20
"""Cases on which a share is told."""
QUANTILES = (5, 50, 95)
RESAMPLES = 2000
STORED = "localisation"
"""The full profile's distances, by every seed of the training; see `cdsm_lib.evaluation.ledger`."""
TOLERANCE = {"exact": 1e-9, "trained": 0.03, "few": 0.15, "cost": 1e6}
"""How far a recomputed figure may lie from the committed one.

Bags of words are counted and exact. Trained vectors round otherwise on other processors, and from there their updates
go other ways: .03, as for skip-gram in the other chapters. A share of fewer than a hundred cases then moves by
hundredths: .15 is the standard error of a share of eleven. Minutes are a record of one machine, which no other has to
meet; parameters stand beside them.
"""
TRAINING = "1"
"""The version of the training in the key of what is stored: another where the same settings train other models."""


# ------------------------------------------------------------------------------------------------------------- systems


def is_main(measured: Measured | Scores) -> bool:
    """Whether the vectors are those on which a system is compared with the others."""
    return measured.space == MAIN.get(measured.system)


def trained_systems(profile: Profile, training: models.TrainingCache, task: Localisation) -> Iterator[Measured]:
    """Every system that is trained on running text, one after the other: their vectors are large."""
    settings, seed = profile["localisation"], profile["seed"]
    yield models.added(task, training.words, MAIN[ADDITION])
    yield models.weighted(task, training.words, training.text, settings["sif"], seed)
    for method in (PV_DM, PV_DBOW):
        yield models.inferred(task, training.paragraph_vectors(method), settings["paragraph_vectors"], seed)
    for trees in settings["autoencoder"]["trees"]:
        yield from models.encoded(task, training.autoencoder(trees), training.leaves, trees)


# -------------------------------------------------------------------------------------------- distances that were kept


def stored_key(profile: Profile, task: Localisation) -> str:
    """Of which texts stored distances are, and by which settings and version of the training."""
    settings = json.dumps([profile["localisation"], profile["seed"]], sort_keys=True, default=dict)
    return hashlib.sha256("\n".join([TRAINING, settings, *map(" ".join, task.texts.tokens)]).encode()).hexdigest()


def packed(measured: Sequence[Measured]) -> tuple[np.ndarray, list[list]]:
    """For a file: distances, float32 [systems, m], and what each system is."""
    return np.array([m.distances for m in measured], np.float32), [[m.system, m.space, m.unknown] for m in measured]


def unpacked(distances: np.ndarray, systems: Sequence[Sequence]) -> list[Measured]:
    """What `packed` was given."""
    return [Measured(*system, values) for system, values in zip(systems, distances, strict=True)]


def distil(folder: Path) -> None:
    """What the sample's tables take of its training: distances, and the autoencoder with the vectors of its words."""
    profile = load_profile("sample")
    task, training = models.task_of(profile), models.training_of(profile)
    distances, systems = packed([*trained_systems(profile, training, task)])
    about = {"key": stored_key(profile, task), "systems": systems}
    write_npz(folder / models.STORED, "distances", 1, {"distances": distances}, about)
    models.store_autoencoder(training, task, folder / models.STORED_MODEL)


def stored(profile: Profile, task: Localisation, place: Path | None = None) -> list[Measured] | None:
    """The sample's distances that stand in the project, or None if they were made with other settings.

    Training rounds otherwise on another processor, and a share would change in its third decimal.
    """
    place = place or datasets.data_root() / "distilled" / models.STORED
    arrays, about = read_npz(place, "distances", 1, ["distances"], remedy=materials.REMEDY)
    return unpacked(arrays["distances"], about["systems"]) if about["key"] == stored_key(profile, task) else None


def trained_again(profile: Profile, task: Localisation, *, quick: bool) -> dict[int, list[Measured]]:
    """The trained systems by the seed of their training: stored, if `quick`, or trained, and left to be stored."""
    seeds = [*ledger.seeds_of(profile, "seeds.localisation")]
    depends = {"key": stored_key(profile, task), "seeds": seeds}
    if quick:
        distances, meta = ledger.read(STORED, depends)
        return {seed: unpacked(distances[str(seed)], meta["systems"][str(seed)]) for seed in seeds}
    by_seed, distances, systems = {}, {}, {}
    for seed in seeds:
        again = profile.replace({"seed": seed})
        by_seed[seed] = [*trained_systems(again, models.training_of(again), task)]
        distances[str(seed)], systems[str(seed)] = packed(by_seed[seed])
    ledger.write(STORED, distances, depends, systems=systems)
    return by_seed


# -------------------------------------------------------------------------------------------------------------- shares


def is_trained(task: Localisation, measured: Measured) -> bool:
    """Whether the figures of the full profile rest on a training."""
    return task.dataset == "msrpc" and measured.system != BOW


def tolerance_of(measured: Measured, n: int) -> float:
    """How far a share of n items recomputed elsewhere may lie from the committed one."""
    return TOLERANCE["exact" if measured.system == BOW else "few" if n < 100 else "trained"]


published_table = cache(read_published)


def published(system: str, metric: str, level: int) -> float | None:
    """What the author's later draft has."""
    if metric not in PUBLISHED_TABLES:
        return None
    table = published_table(PUBLISHED_TABLES[metric])
    row = table["rows"].get(str(level), [None] * len(table["columns"]))
    return dict(zip(table["columns"], row, strict=True)).get(PUBLISHED_COLUMNS.get(system))


def credit(task: Localisation, measured: Measured, metric: str, level: int, *, ties: bool = False) -> Scores:
    """One share of a system at one level, or its ties, case by case; the cases of a family are drawn together."""
    values = localisation.share(task, measured.distances, metric, level, ties=ties)
    cases = np.flatnonzero(~np.isnan(values))
    beside_the_paper = task.dataset == "msrpc" and task.sense == construction.POOLED and is_main(measured) and not ties
    return Scores(
        measured.system, measured.space, task.dataset, f"level {level}", f"ties: {metric}" if ties else metric,
        values[cases], task.families[cases], labels={"case": cases}, trained=is_trained(task, measured),
        published=published(measured.system, metric, level) if beside_the_paper else None,
        tolerance=TOLERANCE["exact"] if ties else tolerance_of(measured, len(cases)), columns={"level": level},
    )  # fmt: skip


def shares(task: Localisation, *systems: Measured) -> Iterator[Scores]:
    """The shares of systems at every level that have `FEWEST` cases, of bags of words also the ties; on other spaces
    those of level 1."""
    for measured in systems:
        levels = sorted({level for _, level in task.compared} - {0}) if is_main(measured) else [1]
        names = [(metric, False) for metric in (localisation.COMPARED if is_main(measured) else SHARES)]
        names += [(APART, True)] if measured.system == BOW else []
        scores = (credit(task, measured, name, level, ties=ties) for name, ties in names for level in levels)
        yield from (score for score in scores if len(score.values) >= FEWEST)


def distance_rows(task: Localisation, measured: Measured) -> Iterator[Result]:
    """The distribution of the distances: quantiles of paraphrases, and of every kind of version up to level 2."""
    about = {"system": measured.system, "space": measured.space, "dataset": task.dataset}
    about |= {"tolerance": tolerance_of(measured, 100), "trained": is_trained(task, measured) or None}
    for kind, level in task.compared:
        distances = task.distances(measured.distances, kind, level)
        known = distances[~np.isnan(distances)]
        about |= {"kind": kind, "level": level or None, "split": f"{kind} {level}" if level else kind}
        for q in QUANTILES if level <= 2 and len(known) else ():
            yield Result.of(**about, metric=f"distance, {q}%", value=float(np.percentile(known, q)), n=len(known))


def unknown_row(task: Localisation, measured: Measured) -> Result:
    """The share of tokens without a vector."""
    place = measured.system, measured.space, task.dataset, "all texts", "unknown tokens"
    return Result(*place, measured.unknown, tolerance=0.005, columns={"trained": is_trained(task, measured) or None})


# ------------------------------------------------------------------------------------------------ the corpus in figures


def corpus_rows(task: Localisation, in_paper: Localisation) -> Iterator[Result]:
    """The evaluation corpus: its size, its funnel, and how many cases have so many substitutions in either reading.

    Parameters
    ----------
    task, in_paper : Localisation
        MSRPC in the reading of the later draft, and in that of section 3.6.
    """
    printed = read_published("white2015_table_section4")["counts_in_text"]
    pairs, _ = models.tagged(task.dataset)
    repeated = len(task) - len({id for pair in pairs for id in pair.ids})
    size, funnel = ("data", "size", task.dataset, "all"), ("data", "funnel", task.dataset)
    yield Result(*size, "cases", len(task), published=printed["MSRPC sentences with a paraphrase"])
    yield Result(*size, "repeated", repeated, published=printed["repeated"])
    for kind, step in product((construction.NOUN, construction.VERB), construction.STEPS[1:]):
        yield Result(*funnel, kind, step, task.funnel[step, kind])
    yield from count_rows(task, DRAFT_READING) + count_rows(in_paper, PAPER_READING)


def count_rows(task: Localisation, reading: str) -> list[Result]:
    """How many cases have so many substitutions; beside the later draft's counts in its own reading."""
    table = published_table("white2015_later_draft_table2")["rows"] if reading == DRAFT_READING else {}
    return [
        Result("data", reading, task.dataset, f"level {level}", f"cases with {kind}", count,
               published=table[str(level)][place] if str(level) in table else None, columns={"level": level})
        for level, counts in task.counts().items()
        for place, (kind, count) in enumerate(zip(COUNTED, counts, strict=True))
    ]  # fmt: skip


def check_rows(judged: Sequence[Mapping], seed: int) -> Iterator[Result]:
    """Rates of the hand check, and how well its two annotators agree."""
    for question in ("grammatical", "meaning"):
        for kind in (SYNONYM, ANTONYM):
            answers = np.array([float(row[question]) for row in judged if row["kind"] == kind])
            scores = Scores("hand check", "settled", "msrpc", kind, question, answers, columns={"kind": kind})
            yield scores.row(seed, RESAMPLES)
        first, second = zip(*[(row[f"{question}_1"], row[f"{question}_2"]) for row in judged], strict=True)
        kappa = metrics.cohen_kappa(first, second)
        yield Result("hand check", "two passes", "msrpc", question, "kappa", kappa, n=len(judged))


# -------------------------------------------------------------------------------------------------------------- models


def model_rows(training: models.TrainingCache, trees: Sequence[str]) -> list[Result]:
    """What the models cost: parameters, and training time on the machine that made them."""
    parameters = {"words": training.words.vectors.size}
    parameters |= {method: training.paragraph_vectors(method).n_parameters for method in (PV_DM, PV_DBOW)}
    parameters |= {f"urae-{kind}": training.autoencoder(kind).n_parameters for kind in trees}
    about = {"tolerance": TOLERANCE["cost"], "columns": {"trained": NOT_REPEATED}}
    return [
        Result(name, "training", "text", "all", metric, value, **about)
        for name, n in parameters.items()
        for metric, value in (("parameters", n), ("minutes", training.seconds[name] / 60))
    ]


def unrepeated(profile: Profile) -> Iterator[tuple[str, ...]]:
    """The keys of the rows of `model_rows` and of `few_passes`, which a quick run does not make."""
    names = ["words", PV_DM, PV_DBOW, *(f"urae-{kind}" for kind in profile["localisation"]["autoencoder"]["trees"])]
    yield from product(names, ["training"], ["text"], ["all"], ["parameters", "minutes"])
    yield from product([PV_DM, PV_DBOW], [SHORT], ["msrpc"], ["level 1"], SHARES)


def few_passes(task: Localisation, profile: Profile) -> Iterator[Scores]:
    """Shares of paragraph vectors with one inference of `FEW` passes.

    A paragraph vector that has hardly left its random start is as far from a sentence with one word changed as from
    any other: does this explain the later draft's figures? Those of single substitutions are rows.
    """
    training = models.training_of(profile)
    for method in (PV_DM, PV_DBOW):
        measured = models.inferred(task, training.paragraph_vectors(method), FEW, profile["seed"])
        yield from (replace(score, space=SHORT) for score in shares(task, measured))


# ------------------------------------------------------------------------------------------------------------- the run


def run(
    profile: Profile, *, quick: bool | None = None, task: Localisation | None = None,
    trained: Sequence[Measured] | None = None,
) -> Results:  # fmt: skip
    """Every figure of the chapter, of the full profile's systems that are trained on running text by stored distances
    (`cdsm_lib.evaluation.ledger`); with `quick` given also the evaluation corpus in both readings, and the hand check.

    `trained` are the trained systems with the own seed; by default the stored ones of the sample, or trained now.
    """
    task, seed, full = task or models.task_of(profile), profile["seed"], profile.name == "full"
    whole, rows, by_seed = full and quick is not None, [], {}
    if whole:
        in_paper = models.task_of(profile, sense=construction.FIRST)  # the sentences were judged in this reading
        rows += corpus_rows(task, in_paper)
        rows += check_rows(construction.read_hand_check(in_paper, seed=seed), seed)
        by_seed = trained_again(profile, task, quick=quick)
        trained = by_seed.pop(seed)
    if whole and not quick:
        single = [score for score in few_passes(task, profile) if score["level"] == 1 and score.metric in SHARES]
        rows += [score.row(seed, RESAMPLES, trained=NOT_REPEATED) for score in single]
        rows += model_rows(models.training_of(profile), profile["localisation"]["autoencoder"]["trees"])
    trained = trained or stored(profile, task) or trained_systems(profile, models.training_of(profile), task)
    measured = [m for m in (models.bags(task), *trained) if full or is_main(m)]
    rows += [row for m in measured if full and is_main(m) for row in distance_rows(task, m)]
    rows += [unknown_row(task, m) for m in measured]
    others = {s: [*shares(task, *filter(is_main, again))] for s, again in by_seed.items()}
    return ledger.run(
        "localisation", profile, [*shares(task, *measured)], others, rows=rows,
        claims=lambda scores: claims(scores, seed), row=lambda score: score.row(seed, RESAMPLES),
        noisy=lambda score: score.metric in SHARES and score["level"] == 1,
        corpus=materials.wikipedia().fingerprint if full else "gensim",
        used=["msrpc", "scowl", "wikipedia_parsed", "wordnet"], options=partial(few_passes, task, profile),
    )  # fmt: skip


def known_cases(scores: Iterable[Scores]) -> np.ndarray:
    """The cases without those that count in a share of one system and, for a word that it does not know, not in the
    same of another: sorted numbers."""
    cases = {}
    for score in scores:
        cases.setdefault((score.metric, score["level"]), []).append(score.labels["case"])
    every = [reduce(np.union1d, counted) for counted in cases.values()]
    lost = [np.setdiff1d(reduce(np.union1d, counted), reduce(np.intersect1d, counted)) for counted in cases.values()]
    return np.setdiff1d(reduce(np.union1d, every), reduce(np.union1d, lost))


def claims(scores: Sequence[Scores], seed: int) -> list[Claim]:
    """What the later draft concludes, and more, on single substitutions and on one to three synonyms of some sentences.

    Of the cases only those whose texts every system knows; of the autoencoders the one over parses, if there is one.
    """
    passed = GREEDY if any(score.system == PARSED for score in scores) else None
    main = [score for score in scores if is_main(score) and score["level"] <= 3 and score.system != passed]
    main = [score for score in main if score.metric in localisation.COMPARED]
    known = known_cases(main)
    deep = [score.labels["case"] for score in main if (score.system, score.metric, score["level"]) == (BOW, NEAR, 3)]
    same, tested = np.intersect1d(known, deep), []
    for score in main:
        score = replace(score, role="autoencoder" if score.system in models.AUTOENCODERS.values() else None)
        case = score.labels["case"]
        if score["level"] == 1 and score.metric in (*SHARES, CONTROLLED):
            tested.append(score.subset(np.isin(case, known)))
        if score.metric == NEAR:
            tested.append(score.subset(np.isin(case, same), metric=f"{NEAR}, the same sentences", published=None))
    return evaluate("localisation", [score for score in tested if len(score.values)], seed=seed)
