"""White (2015), sentence localisation: which systems, on which vectors, and every figure and claim of chapter 20."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache as once
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters.sentence_models import ADDITION, BOW, GREEDY, PARSED, PV_DBOW, PV_DM, WEIGHTED, Embedded
from cdsm_lib.composition.paragraph import ParagraphVectors
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import FIRST, NOUN, POOLED, VERB
from cdsm_lib.display import figure, result_of
from cdsm_lib.evaluation import ledger, metrics
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Result, Results, Scores, made_with, read_published
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import read_npz, write_npz
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, APART, FAR, NEAR, SHARES, SYNONYM, Distances, Localisation, Texts
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.space import Space

MAIN = {BOW: "counts", ADDITION: "word2vec", WEIGHTED: "word2vec", PV_DM: "text", PV_DBOW: "text",
        PARSED: "word2vec", GREEDY: "word2vec"}  # fmt: skip
"""The space on which each system is compared with the others."""
SEEDED = (ADDITION, WEIGHTED, PV_DM, PV_DBOW, PARSED, GREEDY)
"""The systems that are trained with several seeds."""
GOOGLE, SHORT = "GoogleNews", "text, few passes"
CONTROLLED = "random verb > antonym"
"""What must fall if antonyms go farther and not just all verbs."""
PUBLISHED_TABLES = {
    NEAR: "white2015_later_draft_table4", FAR: "white2015_later_draft_table5", APART: "white2015_later_draft_table6"
}  # fmt: skip
PUBLISHED_COLUMNS = {PARSED: "U-RAE", PV_DM: "PV-DM", PV_DBOW: "PV-DBOW", BOW: "BOW"}
CORPUS_TABLE = "white2015_later_draft_table2"
COUNTED = (SYNONYM, ANTONYM, "both")
DRAFT_READING, PAPER_READING = "most frequent synset, its antonyms", "most frequent sense, antonyms of the synset"
READINGS = {DRAFT_READING: POOLED, PAPER_READING: FIRST}
"""The reading whose counts come nearest to the later draft's, and that of section 3.6."""
FEWEST = 20
"""Cases on which a share is told."""
QUANTILES = (5, 25, 50, 75, 95)
RESAMPLES = 2000
STORED = "localisation"
"""The full profile's distances, by every seed of the training; see `files`."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "few": 0.15, "curve": 0.5, "cost": 1e6}
"""How far a recomputed figure may lie from the committed one.

Bags of words are counted and exact. Sums of given vectors move by rounding alone, which may turn a near tie: .002 are
six to fourteen of the cases of level 1, and none of the few at the highest levels. Trained vectors round otherwise on
other processors, and from there their updates go other ways: .03, as for skip-gram in the other chapters. A share of
fewer than a hundred cases then moves by hundredths: .15 is the standard error of a share of eleven. The autoencoder's
losses are of 550 to 1,360: .5 is less than a thousandth, as long as products are added up in the same order
(`OPENBLAS_CORETYPE`). Minutes are a record of one machine, which no other has to meet; parameters stand beside them.
"""
TRAINING = "1"
"""The version of the training in the key of what is stored: another where the same settings train other models."""
CHECKED = 50
"""Sentences of each kind in the hand check."""
CHECK_COLUMNS = ("item", "sentence", "kind", "position", "text", "grammatical_1", "meaning_1", "grammatical_2",
                 "meaning_2", "grammatical", "meaning")  # fmt: skip
ANNOTATIONS = "msrpc_altered.tsv"


# ---------------------------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True, eq=False)
class Run:
    """What a system made of an evaluation corpus.

    Attributes
    ----------
    system, space : str
    distances : Distances
    unknown : float or None
        Share of the tokens without a vector.
    """

    system: str
    space: str
    distances: Distances
    unknown: float | None = None

    @property
    def is_main(self) -> bool:
        """Whether the vectors are those on which the system is compared with the others."""
        return self.space == MAIN.get(self.system)


def run_of(task: Localisation, texts: Texts, embedded: Embedded) -> Run:
    """The distances of an embedded corpus."""
    distances = localisation.distances(task, texts, embedded.distance)
    return Run(embedded.system, embedded.space, distances, embedded.unknown)


def google_news() -> Space:
    """The published subset of the GoogleNews vectors."""
    return read_vectors(datasets.fetch("googlenews_subset", "googlenews_subset_300d.bin"))


def without_training(task: Localisation, texts: Texts) -> Iterator[Embedded]:
    """The systems that need no training of ours: bags of words, and sums of the GoogleNews vectors."""
    yield models.bags(texts)
    if task.dataset == "msrpc":
        yield models.added(texts, google_news(), GOOGLE)


def trained_systems(
    profile: Profile, training: models.TrainingCache, task: Localisation, texts: Texts
) -> Iterator[Embedded]:
    """Every system that is trained on running text, one after the other: their vectors are large."""
    settings, seed = profile["localisation"], profile["seed"]
    yield models.added(texts, training.words, MAIN[ADDITION])
    yield models.weighted(texts, training.words, training.text, settings["sif"], seed)
    for method in (PV_DM, PV_DBOW):
        yield models.inferred(texts, training.paragraph_vectors(method), settings["paragraph_vectors"], seed)
    for trees in settings["autoencoder"]["trees"]:
        yield from models.encoded(task, texts, training.autoencoder(trees), training.leaves, trees)


# -------------------------------------------------------------------------------------------- distances that were kept


def compared_texts(task: Localisation, texts: Texts) -> np.ndarray:
    """Every pair of texts whose distance counts, int [m, 2], sorted."""
    pairs = [(case.base, case.paraphrase) for case in task.cases]
    bases = {base for base, _ in pairs}
    pairs += [(sentence, text) for (sentence, _, _), text in texts.at.items() if sentence in bases]
    return np.unique(np.array(pairs, dtype=np.int64), axis=0)


@dataclass(frozen=True, eq=False)
class Measured:
    """The distances of systems between the pairs of `compared_texts`.

    Attributes
    ----------
    systems : list of (system, space, share of unknown words)
    distances : float array [systems, pairs]
    """

    systems: list[list]
    distances: np.ndarray

    @classmethod
    def of(cls, embedded: Iterable[Embedded], task: Localisation, texts: Texts) -> "Measured":
        """What systems give."""
        first, second = compared_texts(task, texts).T
        systems, distances = [], []
        for one in embedded:
            systems.append([one.system, one.space, one.unknown])
            distances.append(one.distance(first, second))
        return cls(systems, np.array(distances))

    def runs(self, task: Localisation, texts: Texts) -> list[Run]:
        """The systems' runs."""
        number = compared_texts(task, texts) @ (len(texts), 1)
        runs = []
        for (system, space, unknown), values in zip(self.systems, self.distances, strict=True):

            def distance(first, second, values=values):
                return values[np.searchsorted(number, first * len(texts) + second)]

            runs.append(Run(system, space, localisation.distances(task, texts, distance), unknown))
        return runs


def stored_key(profile: Profile, texts: Texts) -> str:
    """Of which texts stored distances are, and by which settings and version of the training."""
    settings = json.dumps([profile["localisation"], profile["seed"]], sort_keys=True, default=dict)
    return hashlib.sha256("\n".join([TRAINING, settings, *map(" ".join, texts.tokens)]).encode()).hexdigest()


def distil(folder: Path) -> None:
    """What the sample's tables take of its training: distances, and the autoencoder with the vectors of its words."""
    profile = load_profile("sample")
    task = models.task_of(profile)
    texts, training = localisation.texts(task), models.training_of(profile)
    measured = Measured.of(trained_systems(profile, training, task, texts), task, texts)
    arrays = {"distances": measured.distances.astype(np.float32)}
    about = {"key": stored_key(profile, texts), "systems": measured.systems}
    write_npz(folder / models.STORED, "distances", 1, arrays, about)
    models.store_autoencoder(training, texts, folder / models.STORED_MODEL)


def stored(profile: Profile, task: Localisation, texts: Texts, place: Path | None = None) -> list[Run] | None:
    """The sample's runs whose distances stand in the project, or None if they were made with other settings.

    Training rounds otherwise on another processor, and a share would change in its third decimal.
    """
    place = place or datasets.data_root() / "distilled" / models.STORED
    arrays, about = read_npz(place, "distances", 1, ["distances"], remedy=models.REMEDY)
    if about["key"] != stored_key(profile, texts):
        return None
    return Measured(about["systems"], arrays["distances"]).runs(task, texts)


def trained_runs(profile: Profile, task: Localisation, texts: Texts, *, subset: bool) -> dict[int, list[Run]]:
    """The runs of the trained systems by the seed of their training, the profile's own first.

    The distances are stored (`cdsm_lib.evaluation.ledger`). A subset reads them all.
    """
    seeds = [*ledger.seeds_of(profile, "seeds.localisation")]
    about = {"key": stored_key(profile, texts), "seeds": seeds}
    distances, meta = ledger.read(STORED, about) if subset else ({}, {"systems": {}})
    systems, by_seed = meta["systems"], {}
    for seed in seeds:
        name = str(seed)
        own = seed == profile["seed"]
        if subset:
            measured = Measured(systems[name], distances[name])
        else:
            measured = _trained(profile.replace({"seed": seed}), task, texts, readouts=own)
            systems[name], distances[name] = measured.systems, measured.distances.astype(np.float32)
        by_seed[seed] = measured.runs(task, texts)
    if not subset:
        ledger.write(STORED, distances, about, systems=systems)
    return by_seed


def _trained(profile: Profile, task: Localisation, texts: Texts, *, readouts: bool) -> Measured:
    """The trained systems of one seed; the autoencoder's second readout only if asked."""
    embedded = trained_systems(profile, models.training_of(profile), task, texts)
    return Measured.of((one for one in embedded if readouts or not one.system.endswith(models.MEAN)), task, texts)


# -------------------------------------------------------------------------------------------------------------- shares


def tolerance_of(run: Run, n: int) -> float:
    """How far a share of n items recomputed elsewhere may lie from the committed one."""
    trained = "few" if n < 100 else "trained"
    return TOLERANCE["exact" if run.system == BOW else "given vectors" if run.space == GOOGLE else trained]


published_table = once(read_published)


def published(system: str, metric: str, level: int) -> float | None:
    """What the author's later draft has."""
    if metric not in PUBLISHED_TABLES:
        return None
    table = published_table(PUBLISHED_TABLES[metric])
    row = table["rows"].get(str(level), [None] * len(table["columns"]))
    return dict(zip(table["columns"], row, strict=True)).get(PUBLISHED_COLUMNS.get(system))


def credit(
    task: Localisation, run: Run, metric: str, level: int, *, among: np.ndarray | None = None, ties: bool = False
) -> Scores:
    """One share of a run at one level, item by item; those of a family are drawn together.

    Parameters
    ----------
    task : Localisation
    run : Run
    metric : str
    level : int
    among : bool array [cases], optional
        All cases without it.
    ties : bool
        Count equal distances instead.
    """
    share = localisation.share(task, run.distances, metric, level, among)
    beside_the_paper = task.dataset == "msrpc" and task.sense == POOLED and run.is_main and not ties
    return Scores(
        run.system, run.space, task.dataset, f"level {level}", f"ties: {metric}" if ties else metric,
        share.ties if ties else share.credit, share.families,
        published=published(run.system, metric, level) if beside_the_paper else None,
        tolerance=TOLERANCE["exact"] if ties else tolerance_of(run, len(share.credit)), columns={"level": level},
    )  # fmt: skip


def rows_of(scores: Iterable[Scores], seed: int) -> list[Result]:
    """The rows of all scores that have `FEWEST` items."""
    return [one.row(seed, RESAMPLES) for one in scores if len(one.values) >= FEWEST]


def shares(task: Localisation, run: Run) -> Iterator[Scores]:
    """Every share of a run at every level, of bags of words also the ties; on other spaces those of level 1."""
    if not run.is_main:
        yield from (credit(task, run, metric, 1) for metric in SHARES)
        return
    for metric in localisation.COMPARED:
        for level in sorted({level for _, level in run.distances.versions}):
            yield credit(task, run, metric, level)
            if run.system == BOW and metric == APART:
                yield credit(task, run, metric, level, ties=True)


def steps(distances: Distances, most: int) -> Iterator[tuple[str, np.ndarray, dict]]:
    """Names, distances and columns: of the paraphrases, then of each kind of version at the first levels."""
    yield "paraphrase", distances.paraphrase, {"kind": "paraphrase"}
    for (kind, level), values in distances.versions.items():
        if level <= most:
            yield f"{kind} {level}", values, {"kind": kind, "level": level}


def distance_rows(task: Localisation, run: Run) -> list[Result]:
    """The distribution of the distances: quantiles of paraphrases, and of every kind of version up to level 2."""
    return [
        Result(run.system, run.space, task.dataset, name, f"distance, {q}%", float(np.nanpercentile(distances, q)),
               n=int(np.isfinite(distances).sum()), tolerance=TOLERANCE["exact" if run.system == BOW else "trained"],
               columns={"quantile": q, **columns})
        for name, distances, columns in steps(run.distances, 2) if np.isfinite(distances).any() for q in QUANTILES
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ the corpus in figures


def corpus_rows(task: Localisation, in_paper: Localisation) -> list[Result]:
    """The evaluation corpus: its size, its funnel, and how many cases have so many substitutions in either reading.

    Parameters
    ----------
    task, in_paper : Localisation
        MSRPC in the reading of the later draft, and in that of section 3.6.
    """
    printed = read_published("white2015_table_section4")["counts_in_text"]
    pairs, _ = models.tagged(task.dataset)
    repeated = len(task) - len({id for pair in pairs for id in pair.ids})
    sizes = {"cases": (len(task), printed["MSRPC sentences with a paraphrase"]),
             "repeated": (repeated, printed["repeated"])}  # fmt: skip
    rows = [
        Result("data", "size", task.dataset, "all", what, n, published=theirs) for what, (n, theirs) in sizes.items()
    ]
    for kind in (NOUN, VERB):
        rows += [
            Result("data", "funnel", task.dataset, kind, step, task.funnel[step, kind])
            for step in construction.STEPS[1:]
        ]
    return rows + count_rows(task, DRAFT_READING) + count_rows(in_paper, PAPER_READING)


def count_rows(task: Localisation, reading: str) -> list[Result]:
    """How many cases have so many substitutions; beside the later draft's counts in its own reading."""
    table = published_table(CORPUS_TABLE)["rows"] if reading == DRAFT_READING else {}
    return [
        Result("data", reading, task.dataset, f"level {level}", f"cases with {kind}", count,
               published=table[str(level)][place] if str(level) in table else None, columns={"level": level})
        for level, counts in task.counts().items()
        for place, (kind, count) in enumerate(zip(COUNTED, counts, strict=True))
    ]  # fmt: skip


def hand_check(task: Localisation, path: Path | None = None, seed: int = 2016) -> list[dict]:
    """The judgements of `CHECKED` sentences of each kind, by `CHECK_COLUMNS`, if they are about the sentences made now.

    The file names sentences by MSRPC's ids, and has a hash of the altered text, not the text. Two annotators judged
    each sentence; the last two columns hold what was settled on.

    Raises
    ------
    TaskError
        For a line that is not as it should be, or sentences that are no longer those that were judged.
    """
    path = path or datasets.data_root() / "annotations" / ANNOTATIONS
    rows = read_table(path, CHECK_COLUMNS, dict.fromkeys(CHECK_COLUMNS[5:], YES_NO))
    judged = construction.for_hand_check(task, CHECKED, seed)
    if len(rows) != len(judged):
        raise TaskError(path.name, None, f"{len(rows)} judgements, {len(judged)} sentences; take the file again")
    for item, ((line, row), (sentence, version)) in enumerate(zip(rows, judged, strict=True), 1):
        if list(row.values())[:5] != check_fields(item, task, sentence, version):
            raise TaskError(path.name, line, "the construction now makes another sentence; judge it again")
    return [row for _, row in rows]


def check_fields(item: int, task: Localisation, sentence: int, version: localisation.Version) -> list[str]:
    """What says which sentence was judged."""
    text = hashlib.sha256(" ".join(version.tokens).encode()).hexdigest()[:12]
    id = task.sentences[sentence].comments.get("sent_id", "")
    return [str(item), id, version.kind, str(version.changes[0][0]), text]


def check_rows(judged: Sequence[Mapping], seed: int) -> list[Result]:
    """Rates of the hand check, and how well its two annotators agree."""
    rows = []
    for question in ("grammatical", "meaning"):
        for kind in (SYNONYM, ANTONYM):
            answers = np.array([float(one[question]) for one in judged if one["kind"] == kind])
            scores = Scores("hand check", "settled", "msrpc", kind, question, answers, columns={"kind": kind})
            rows.append(scores.row(seed, RESAMPLES))
        first, second = ([one[f"{question}_{i}"] for one in judged] for i in (1, 2))
        kappa = metrics.cohen_kappa(first, second)
        rows.append(Result("hand check", "two passes", "msrpc", question, "kappa", kappa, n=len(judged)))
    return rows


# -------------------------------------------------------------------------------------------------------------- models


def model_rows(training: models.TrainingCache, trees: Sequence[str]) -> list[Result]:
    """What the models cost: parameters, training time on the machine that made them; the autoencoder's losses."""
    parameters, rows = {"words": training.words.vectors.size}, []
    for method in (PV_DM, PV_DBOW):
        parameters[method] = training.paragraph_vectors(method).n_parameters
    for kind in trees:
        model = training.autoencoder(kind)
        parameters[f"urae-{kind}"] = model.n_parameters
        rows += [
            Result(models.AUTOENCODERS[kind], "loss", "text", f"epoch {entry['epoch']}", part.replace("_", " "),
                   entry[part], tolerance=TOLERANCE["curve"], columns={"epoch": entry["epoch"]})
            for entry in model.history for part in ("training", "held_out")
        ]  # fmt: skip
    return rows + [
        Result(name, "training", "text", "all", metric, value, tolerance=TOLERANCE["cost"])
        for name, n in parameters.items()
        for metric, value in (("parameters", n), ("minutes", training.seconds[name] / 60))
    ]


def short_inference_rows(task: Localisation, model: ParagraphVectors, seed: int) -> list[Result]:
    """The shares of single substitutions with one inference of few passes, gensim's default in 2015
    (``alpha=0.1, steps=5``).

    A paragraph vector that has hardly left its random start is as far from a sentence with one word changed as from
    any other: does this explain the later draft's figures?
    """
    single = [tuple(v for v in of if v.level == 1 and v.kind in (SYNONYM, ANTONYM)) for of in task.versions]
    task = replace(task, versions=tuple(single))
    texts, settings = localisation.texts(task), {"draws": 1, "passes": 5, "rate": 0.1}
    run = replace(run_of(task, texts, models.inferred(texts, model, settings, seed)), space=SHORT)
    scores = (credit(task, run, metric, 1) for metric in SHARES)
    return rows_of((replace(one, published=published(run.system, one.metric, 1)) for one in scores), seed)


def seed_rows(task: Localisation, by_seed: Mapping[int, Sequence[Run]]) -> list[Result]:
    """Shares of single substitutions: mean and standard deviation over the seeds of a training."""
    scores = {}
    for seed, runs in by_seed.items():
        seeded = [run for run in runs if run.is_main and run.system in SEEDED]
        scores[seed] = [credit(task, run, metric, 1) for run in seeded for metric in SHARES]
    return ledger.seed_rows(scores)


# ------------------------------------------------------------------------------------------------------------ together


def known_cases(runs: Iterable[Run]) -> np.ndarray:
    """Of which cases every run measured the distances, up to three substitutes, that any run did: bool [cases]."""
    measured = np.array([~np.isnan([values for _, values, _ in steps(run.distances, 3)]) for run in runs])
    return (measured.all(axis=0) == measured.any(axis=0)).all(axis=0)


def claim_scores(task: Localisation, runs: Sequence[Run]) -> list[Scores]:
    """What the claims are tested on; those about the autoencoder on the one over parses, if there is one.

    Single substitutions, and one to three synonyms of the same sentences. Of the cases only those whose texts every
    system knows; nothing where no such case is left.
    """
    main = {run.system: run for run in runs if run.is_main}
    if PARSED in main:
        main.pop(GREEDY, None)
    known = known_cases(main.values())
    deep = ~np.isnan(main[BOW].distances.of(SYNONYM, 3)) & known
    scores = []
    for system, run in main.items():
        role = "autoencoder" if system in (PARSED, GREEDY) else None
        scores += [replace(credit(task, run, metric, 1, among=known), role=role) for metric in (*SHARES, CONTROLLED)]
        for level in (1, 2, 3):
            same = credit(task, run, NEAR, level, among=deep)
            scores.append(replace(same, metric=f"{NEAR}, the same sentences", role=role, published=None))
    return [one for one in scores if len(one.values)]


def results(
    profile: Profile, task: Localisation, by_seed: Mapping[int, Sequence[Run]], *, rows: Sequence[Result] = (),
    corpus: str | None = None,
) -> Results:  # fmt: skip
    """All figures and claims that runs give.

    Parameters
    ----------
    profile : Profile
    task : Localisation
    by_seed : mapping of int to sequence of Run
        By the seed of the training, the profile's own first; the claims are tested with every seed.
    rows : sequence of Result
        Figures that stand before them.
    corpus : str, optional
        Name of the text on which models were trained.
    """
    seed, rows, full = profile["seed"], [*rows], profile.name == "full"
    tested = {own: evaluate("localisation", claim_scores(task, runs), seed=seed) for own, runs in by_seed.items()}
    for run in by_seed[seed]:
        if not (full or run.is_main):
            continue
        rows += rows_of(shares(task, run), seed)
        if full and run.is_main:
            rows += distance_rows(task, run)
        if run.unknown is not None:
            place = run.system, run.space, task.dataset, "all texts"
            rows.append(Result(*place, "unknown tokens", run.unknown, tolerance=0.005))
    rows += seed_rows(task, by_seed)
    sets = ["googlenews_subset", "msrpc", "scowl", "wikipedia_parsed", "wordnet"] if full else []
    made = made_with(datasets.used(sets), corpus, seed)
    return Results("localisation", "white2015", profile.name, made, rows, over_seeds(tested))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        The evaluation corpus in both readings, the hand check, and every system with the claims: of those that are
        trained on running text the distances are stored. Left out is what else is said of the trainings.
    """
    task = models.task_of(profile)
    texts = localisation.texts(task)
    untrained = [run_of(task, texts, one) for one in without_training(task, texts)]
    if profile.name != "full":
        trained = stored(profile, task, texts) or _trained(profile, task, texts, readouts=False).runs(task, texts)
        return results(profile, task, {profile["seed"]: [*untrained, *trained]}, corpus="gensim")
    in_paper = models.task_of(profile, sense=FIRST)  # the sentences were judged in this reading
    rows = corpus_rows(task, in_paper) + check_rows(hand_check(in_paper, seed=profile["seed"]), profile["seed"])
    by_seed = trained_runs(profile, task, texts, subset=subset)
    training = models.training_of(profile)
    if not subset:
        for method in (PV_DM, PV_DBOW):
            rows += short_inference_rows(task, training.paragraph_vectors(method), profile["seed"])
        rows += model_rows(training, profile["localisation"]["autoencoder"]["trees"])
    by_seed = {seed: [*untrained, *trained] for seed, trained in by_seed.items()}
    return results(profile, task, by_seed, rows=rows, corpus=training.text.name)


# ------------------------------------------------------------------------------------------------ for tables and charts


def share_of(results: Results | None, system: str, metric: str, level: int, dataset: str) -> Result | None:
    """The share of a system on its main space."""
    names = {"system": system, "space": MAIN[system], "metric": metric, "split": f"level {level}", "dataset": dataset}
    return result_of(results, **names)


def level_series(results: Results, metric: str) -> tuple[dict, dict]:
    """Shares with their intervals by system and level, and the published ones; systems with published shares first."""
    series, printed = {}, {}
    rows = (share_of(results, system, metric, level, "msrpc") for system in MAIN for level in range(1, 10))
    for row in filter(None, rows):
        series.setdefault(row.system, {})[row.level] = (row.value, row.low, row.high)
        if row.published is not None:
            printed.setdefault(row.system, {})[row.level] = row.published
    return dict(sorted(series.items(), key=lambda item: item[0] not in printed)), printed


def quantile_panels(results: Results) -> dict[str, dict[str, dict[str, list[float]]]]:
    """The quantiles of the distances, 50, 5, 95, 25 and 75%, by system, kind of version, and version ("synonym 2")."""
    panels = {}
    for system, space in MAIN.items():
        rows = [row for row in results.find(system=system, space=space, dataset="msrpc") if row.quantile]
        for row in sorted(rows, key=lambda row: (50, 5, 95, 25, 75).index(row.quantile)):
            version = f"{row.kind} {row.level}" if row.level else row.kind
            panels.setdefault(system, {}).setdefault(row.kind, {}).setdefault(version, []).append(row.value)
    return panels


def counted_lines(results: Results) -> tuple[tuple[str, ...], list[tuple]]:
    """Columns and rows: how many cases have one to nine words replaced, in the later draft and in both readings."""
    columns = [f"{kind}: {whose}" for kind in COUNTED for whose in ("published", "nearest", "section 3.6")]
    rows = []
    for level in range(1, 10):
        row = [level]
        for kind in COUNTED:
            nearest, paper = (results.one(space=name, level=level, metric=f"cases with {kind}") for name in READINGS)
            row += [int(nearest.published), int(nearest.value), int(paper.value)]
        rows.append(tuple(row))
    return ("level", *columns), rows


def main_lines(systems: Iterable[str], results: Results | None) -> tuple[tuple[str, ...], list[tuple]]:
    """Columns and rows: every share of single substitutions on the real sentences, published and ours."""
    rows = []
    for system in systems:
        row = [system]
        for metric in SHARES:
            printed, ours = published(system, metric, 1), share_of(results, system, metric, 1, "msrpc")
            row += [None if printed is None else f"{printed:.2f}", figure(ours)]
        rows.append(tuple(row))
    return ("system", *(name for metric in SHARES for name in (f"published: {metric}", f"ours: {metric}"))), rows
