"""White (2015), sentence localisation: which systems, on which vectors, and every figure and claim of chapter 20."""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters import tagger
from cdsm_lib.chapters.sentence_models import (
    ADDITION,
    BOW,
    FITTED,
    GREEDY,
    MAPPED,
    PARSED,
    PLF,
    PV_DBOW,
    PV_DM,
    WEIGHTED,
    Embedded,
    TrainingCache,
)
from cdsm_lib.composition.sentence import ParagraphVectors, spread
from cdsm_lib.composition.specialisation import Split
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import (
    FIRST,
    LEMMA,
    MAIN_RULES,
    NOUN,
    POOLED,
    STEPS,
    SYNSET,
    UNION,
    VERB,
    Rules,
)
from cdsm_lib.display import result_of
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Result, Results, Scores, made_with, read_published
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import read_npz, write_npz
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import (
    ANTONYM,
    APART,
    COMPARED,
    FAR,
    KINDS,
    NEAR,
    SHARES,
    SYNONYM,
    Distances,
    Localisation,
    Texts,
    Version,
)
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.lexicon import Lexicon
from cdsm_lib.vectors.embeddings import read_word2vec
from cdsm_lib.vectors.space import Space

MAIN = {BOW: "counts", ADDITION: "word2vec", WEIGHTED: "word2vec", PV_DM: "text", PV_DBOW: "text",
        PARSED: "word2vec", GREEDY: "word2vec", PLF: "counts"}  # fmt: skip
"""The space on which each system is compared with the others."""
GOOGLE = "GoogleNews"
CONTROLLED = "random verb > antonym"
"""What must fall if antonyms go farther and not just all verbs."""
PUBLISHED_TABLES = {
    NEAR: "white2015_later_draft_table4", FAR: "white2015_later_draft_table5", APART: "white2015_later_draft_table6"
}  # fmt: skip
PUBLISHED_COLUMNS = {PARSED: "U-RAE", PV_DM: "PV-DM", PV_DBOW: "PV-DBOW", BOW: "BOW"}
CORPUS_TABLE = "white2015_later_draft_table2"
READINGS = {
    "most frequent sense, antonyms of the synset": Rules(FIRST, SYNSET),
    "most frequent sense, antonyms of the verb itself": Rules(FIRST, LEMMA),
    "most frequent synset, its antonyms": Rules(POOLED, SYNSET),
    "all senses, antonyms of the synsets": Rules(UNION, SYNSET),
    "all senses, antonyms of the verb itself": Rules(UNION, LEMMA),
}
"""The readings of sections 3.6 and 3.7."""
OTHER_SENSES = {"most frequent synset": Rules(POOLED, SYNSET), "all senses": Rules(UNION, SYNSET)}
"""Readings in which bags of words and sums are scored, too."""
COUNTED = (SYNONYM, ANTONYM, "both")
SHORT, SHORT_PASSES, SHORT_RATE = "text, few passes", 5, 0.1
"""gensim's `infer_vector` of 2015: ``alpha=0.1, min_alpha=0.0001, steps=5``."""
HALVES = ("training pairs", "held-out pairs")
THIRDS = ("nearest", "middle", "farthest")
SPECIALISED = (ADDITION, WEIGHTED, PARSED, GREEDY)
"""The systems whose word vectors are specialised."""
QUANTILES = (5, 25, 50, 75, 95)
RESAMPLES = 2000
LADDER = "p001"
"""The teaching set's pair whose versions are shown one by one."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "few": 0.15, "curve": 0.5, "cost": 1e6}
"""Counts are exact. Sums of given vectors move by rounding alone, which may turn a near tie. Trained vectors round
otherwise on other processors, and a share of fewer than a hundred items moves by hundredths. Time binds nobody."""
FEW = 100
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
    measured = localisation.distances(task, texts, embedded.distance)
    return Run(embedded.system, embedded.space, measured, embedded.unknown)


def google_news() -> Space:
    """The published subset of the GoogleNews vectors."""
    return read_word2vec(datasets.fetch("googlenews_subset", "googlenews_subset_300d.bin"))


def without_training(task: Localisation, texts: Texts) -> Iterator[Embedded]:
    """The systems that need no training of ours: bags of words, and sums of the GoogleNews vectors."""
    yield models.bags(texts)
    if task.dataset == "msrpc":
        yield models.added(texts, google_news(), GOOGLE)


def trained_systems(
    profile: Profile, training: TrainingCache, task: Localisation, texts: Texts
) -> Iterator[Embedded]:  # fmt: skip
    """Every system that is trained on running text, one after the other: their vectors are large.

    The specialised ones come with those whose vectors they replace.
    """
    settings, seed = profile["localisation"], profile["seed"]
    split = models.antonym_pairs(task, models.lexicon_of(task.dataset), seed)
    spaces = {MAIN[ADDITION]: training.words, **models.specialised(training.words, task, split)}
    for name, space in spaces.items():
        yield models.added(texts, space, name)
        yield replace(models.weighted(texts, space, training.text, settings["sif"], seed), space=name)
    for method in (PV_DM, PV_DBOW):
        model = training.paragraph_vectors(method)
        yield models.inferred(texts, model, settings["paragraph_vectors"], seed, workers=2)
    constant = training.leaves.meta["scaled_by"]
    for trees in settings["autoencoder"]["trees"]:
        model = training.autoencoder(trees)
        for name, space in spaces.items():
            leaves = Space(space.rows, np.clip(space.vectors / np.float32(constant), -1, 1))
            yield replace(models.encoded(task, texts, model, leaves, trees), space=name)


def half_of_cases(task: Localisation, lexicon: Lexicon, split: Split) -> np.ndarray:
    """In which of `HALVES` the antonym pair of each case's first substitution is, str [cases]; "" for neither."""
    half = {word: name for name, pairs in zip(HALVES, split, strict=True) for pair in pairs for word in pair}
    halves = []
    for number, case in enumerate(task.cases):
        version, name = task.version(number, ANTONYM, 1), None
        if version is not None:
            position, other = version.changes[0]
            lemma = lexicon.lemma(task.sentences[case.base].tokens[position].form, VERB)
            name = half.get(other.lower())
            name = name if half.get(lemma, name) == name else None
        halves.append(name or "")
    return np.array(halves, dtype=str)


# -------------------------------------------------------------------------------------------- distances that were kept


def distil(folder: Path) -> None:
    """What the sample's tables take of its training: distances, and the autoencoder with the vectors of its words."""
    profile = load_profile("sample")
    task = models.task_of(profile)
    texts, training = localisation.texts(task), models.training_of(profile)
    store(profile, task, texts, trained_systems(profile, training, task, texts), folder / models.STORED)
    models.store_autoencoder(training, texts, folder / models.STORED_MODEL)


def stored_key(profile: Profile, texts: Texts) -> str:
    """What the stored distances of the sample depend on."""
    settings = json.dumps([profile["localisation"], profile["seed"]], sort_keys=True, default=dict)
    words = "\n".join(" ".join(tokens) for tokens in texts.tokens)
    return hashlib.sha256(f"{settings}\n{words}".encode()).hexdigest()


def compared_texts(task: Localisation, texts: Texts) -> np.ndarray:
    """Every pair of texts whose distance counts, int [m, 2], sorted."""
    pairs = []

    def note(first, second):
        pairs.append(np.column_stack([first, second]))
        return np.zeros(len(first))

    localisation.distances(task, texts, note)
    return np.unique(np.vstack(pairs), axis=0)


def store(profile: Profile, task: Localisation, texts: Texts, embedded: Iterable[Embedded], place: Path) -> None:
    """Write the distances of systems that were trained, for `stored`."""
    pairs, arrays, about = compared_texts(task, texts), {}, []
    for number, one in enumerate(embedded):
        arrays[f"distances_{number}"] = one.distance(*pairs.T).astype(np.float32)
        about.append([one.system, one.space, one.unknown])
    write_npz(place, "distances", 1, arrays, {"key": stored_key(profile, texts), "systems": about})


def stored(profile: Profile, task: Localisation, texts: Texts, place: Path | None = None) -> list[Run] | None:
    """The runs whose distances stand in the project, or None if they were made with other settings.

    Training rounds otherwise on another processor, and a share would change in its third decimal.
    """
    place = place or datasets.data_root() / "distilled" / models.STORED
    arrays, meta = read_npz(place, "distances", 1, [], remedy=models.REMEDY)
    if meta.get("key") != stored_key(profile, texts):
        return None
    pairs = compared_texts(task, texts)
    number = pairs[:, 0] * len(texts) + pairs[:, 1]
    runs = []
    for i, (system, space, unknown) in enumerate(meta["systems"]):
        values = arrays[f"distances_{i}"].astype(np.float64)

        def distance(first, second, values=values):
            return values[np.searchsorted(number, first * len(texts) + second)]

        runs.append(Run(system, space, localisation.distances(task, texts, distance), unknown))
    return runs


def stored_or_trained(profile: Profile, task: Localisation, texts: Texts) -> list[Run]:
    """The runs that stand in the project; trained now if they were made with other settings."""
    runs = stored(profile, task, texts)
    if runs is not None:
        return runs
    return [run_of(task, texts, one) for one in trained_systems(profile, models.training_of(profile), task, texts)]


# -------------------------------------------------------------------------------------------------------------- shares


def tolerance_of(run: Run, n: int) -> float:
    """How far a share recomputed elsewhere may lie from the committed one."""
    kind = "exact" if run.system == BOW else "given vectors" if run.space == GOOGLE else "trained"
    return TOLERANCE["few"] if kind == "trained" and n < FEW else TOLERANCE[kind]


@cache
def _tables() -> dict[str, dict]:
    return {metric: read_published(name) for metric, name in PUBLISHED_TABLES.items()}


def published(system: str, metric: str, level: int) -> float | None:
    """What the author's later draft has."""
    if metric not in PUBLISHED_TABLES or system not in PUBLISHED_COLUMNS:
        return None
    table = _tables()[metric]
    row = table["rows"].get(str(level))
    return None if row is None else row[table["columns"].index(PUBLISHED_COLUMNS[system])]


def credit(
    task: Localisation, run: Run, metric: str, level: int, *, called: str = "", among: np.ndarray | None = None,
    ties: bool = False, **columns,
) -> Scores:  # fmt: skip
    """One share of a run at one level, item by item; the items of a pair are drawn together.

    Parameters
    ----------
    task : Localisation
    run : Run
    metric : str
    level : int
    called : str
        What the cases in `among` are called.
    among : bool array [cases], optional
        All cases without it.
    ties : bool
        Count equal distances instead.
    **columns
        Further columns of the row.
    """
    share = localisation.share(task, run.distances, metric, level, among)
    beside_the_paper = task.dataset == "msrpc" and task.rules == MAIN_RULES and run.is_main and not (called or ties)
    return Scores(
        run.system, run.space, task.dataset, f"level {level}, {called}" if called else f"level {level}",
        f"ties: {metric}" if ties else metric,
        share.ties if ties else share.credit, share.pairs,
        published=published(run.system, metric, level) if beside_the_paper else None,
        tolerance=TOLERANCE["exact"] if ties else tolerance_of(run, len(share.credit)),
        columns={"level": level, **columns},
    )  # fmt: skip


def rows_of(scores: Iterable[Scores], seed: int) -> list[Result]:
    """The rows of all scores that have items."""
    return [one.row(seed, RESAMPLES) for one in scores if len(one.values)]


def shares(task: Localisation, run: Run) -> Iterator[Scores]:
    """Every share of a run at every level; of bags of words also the ties."""
    for metric in COMPARED:
        for level in sorted({level for _, level in run.distances.versions}):
            yield credit(task, run, metric, level)
            if run.system == BOW and metric in SHARES:
                yield credit(task, run, metric, level, ties=True)


def shares_by_half(task: Localisation, runs: Iterable[Run], halves: np.ndarray) -> Iterator[Scores]:
    """What specialisation does: shares of single antonyms by half, and of random verbs, which nobody specialised."""
    for run in runs:
        if run.system in SPECIALISED and run.space in (MAIN[run.system], FITTED, MAPPED):
            for metric in (FAR, APART, CONTROLLED):
                for half in HALVES:
                    yield credit(task, run, metric, 1, called=half, among=halves == half, part=half)


def shares_by_wording(task: Localisation, runs: Sequence[Run]) -> Iterator[Scores]:
    """The shares of single substitutions by how much the paraphrase's wording differs: thirds of its distance as a bag
    of words."""
    bags = next(run for run in runs if run.system == BOW).distances.paraphrase
    third = np.searchsorted(np.quantile(bags, (1 / 3, 2 / 3)), bags, side="left")
    for run in runs:
        if run.is_main:
            for metric in (NEAR, FAR):
                for place, name in enumerate(THIRDS):
                    yield credit(task, run, metric, 1, called=f"{name} third", among=third == place, third=name)


def distance_rows(task: Localisation, run: Run, most: int = 3) -> list[Result]:
    """The distribution of the distances: quantiles of paraphrases and of every kind of version."""
    parts = [("paraphrase", run.distances.paraphrase, {"kind": "paraphrase"})]
    for kind in KINDS:
        for level in range(1, most + 1):
            values = run.distances.of(kind, level)
            parts.append((f"{kind} {level}", values[~np.isnan(values)], {"kind": kind, "level": level}))
    tolerance = TOLERANCE["exact" if run.system == BOW else "trained"]
    return [
        Result(run.system, run.space, task.dataset, split, f"distance, {q}%", float(np.percentile(values, q)),
               n=len(values), tolerance=tolerance, quantile=q, **columns)
        for split, values, columns in parts if len(values) for q in QUANTILES
    ]  # fmt: skip


def ladder_rows(task: Localisation, run: Run, pair: str = LADDER) -> list[Result]:
    """The distances of one pair's paraphrase and versions, as in section 4.

    Raises
    ------
    TaskError
        If the set has no such pair.
    """
    bases = [task.sentences[case.base].comments.get("sent_id") for case in task.cases]
    if f"{pair}.1" not in bases:
        raise TaskError(None, None, f"no pair {pair!r} in {task.dataset}; its ids are those of its sentences")
    number = bases.index(f"{pair}.1")
    steps = [("paraphrase", run.distances.paraphrase, {"kind": "paraphrase"})]
    for kind in (SYNONYM, ANTONYM):
        for version in task.versions[task.cases[number].base]:
            if version.kind == kind:
                distances = run.distances.of(kind, version.level)
                steps.append((f"{kind} {version.level}", distances, {"kind": kind, "level": version.level}))
    tolerance = TOLERANCE["exact"] if run.system == BOW else 0.05
    return [
        Result(run.system, run.space, task.dataset, f"{pair}: {name}", "distance", float(distances[number]),
               tolerance=tolerance, pair=pair, **columns)
        for name, distances, columns in steps
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ the corpus in figures


def count_rows(task: Localisation, reading: str) -> list[Result]:
    """How many cases have so many substitutions; beside the later draft's counts where the data are the paper's."""
    main = next(name for name, rules in READINGS.items() if rules == MAIN_RULES)
    table = read_published(CORPUS_TABLE)["rows"] if task.dataset == "msrpc" and reading == main else {}
    return [
        Result("data", reading, task.dataset, f"level {level}", f"cases with {kind}", count,
               published=table[str(level)][place] if str(level) in table else None, level=level)
        for level, counts in task.counts().items()
        for place, (kind, count) in enumerate(zip(COUNTED, counts, strict=True))
    ]  # fmt: skip


def corpus_rows(profile: Profile, task: Localisation) -> list[Result]:
    """The evaluation corpus: its size, its funnel, all readings of the text and, of MSRPC, our own tagger in the
    parser's place."""
    name, seed, lexicon = task.dataset, profile["seed"], models.lexicon_of(task.dataset)
    pairs, tagged = models.tagged(name)
    printed = read_published("white2015_table_section4")["counts_in_text"] if name == "msrpc" else {}
    sizes = {"cases": len(task), "repeated": len(task) - len({id for pair in pairs for id in pair.ids})}
    there = {"cases": printed.get("MSRPC sentences with a paraphrase"), "repeated": printed.get("repeated")}
    rows = [Result("data", "size", name, "all", what, n, published=there[what]) for what, n in sizes.items()]
    for kind in (NOUN, VERB):
        rows += [Result("data", "funnel", name, kind, step, task.funnel[step, kind]) for step in STEPS[1:]]
    # all levels are counted, however many of them are embedded
    for reading, rules in READINGS.items():
        rows += count_rows(construction.build(name, pairs, tagged, lexicon, rules=rules, seed=seed), reading)
    if name == "msrpc":
        mine = models.retagged(tagged)
        rows += count_rows(construction.build(name, pairs, mine, lexicon, rules=task.rules, seed=seed), "our tagger")
        rows += tagger_rows(tagged, mine)
    return rows


def tagger_rows(parsed: Mapping, mine: Mapping) -> list[Result]:
    """How good our tagger is: on gold tags, and against the parser on MSRPC."""
    right = pos.accuracy(pos.load(), tagger.gold("test"))
    same = pos.agreement(*([[token.xpos for token in table[id]] for id in parsed] for table in (parsed, mine)))
    return [
        Result("our tagger", "tagging", dataset, "all", metric.replace("_", " "), getattr(accuracy, metric),
               n=accuracy.tokens)
        for dataset, accuracy in (("ud_ewt test", right), ("msrpc, against the parser", same))
        for metric in ("right", "noun_precision", "noun_recall", "verb_precision", "verb_recall")
    ]  # fmt: skip


@dataclass(frozen=True)
class Judgement:
    """One altered sentence as two annotators saw it, and what was settled on.

    Attributes
    ----------
    item : int
    kind : str
    grammatical, meaning : (bool, bool, bool)
        The first annotator's answer, the second's, and the settled one.
    """

    item: int
    kind: str
    grammatical: tuple[bool, bool, bool]
    meaning: tuple[bool, bool, bool]


def hand_check(task: Localisation, path: Path | None = None, seed: int = 2016) -> list[Judgement]:
    """The judgements of `CHECKED` sentences of each kind, if they are about the sentences that were made now.

    The file names sentences by MSRPC's ids, and has a hash of the altered text, not the text.

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
    judgements = []
    for item, ((line, row), (sentence, version)) in enumerate(zip(rows, judged, strict=True), 1):
        values = list(row.values())
        if values[:5] != check_fields(item, task, sentence, version):
            raise TaskError(path.name, line, "the construction now makes another sentence; judge it again")
        judgements.append(Judgement(item, version.kind, tuple(values[5::2]), tuple(values[6::2])))
    return judgements


def check_fields(item: int, task: Localisation, sentence: int, version: Version) -> list[str]:
    """What says which sentence was judged."""
    text = hashlib.sha256(" ".join(version.tokens).encode()).hexdigest()[:12]
    id = task.sentences[sentence].comments.get("sent_id", "")
    return [str(item), id, version.kind, str(version.changes[0][0]), text]


def check_rows(judged: Sequence[Judgement], seed: int) -> list[Result]:
    """Rates of the hand check, and how well its two passes agree."""
    rows = []
    for question in ("grammatical", "meaning"):
        for kind in (SYNONYM, ANTONYM):
            answers = [getattr(one, question)[2] for one in judged if one.kind == kind]
            rows.append(Result.of_items(np.array(answers, dtype=float), seed=seed, n_resamples=RESAMPLES,
                                        system="hand check", space="settled", dataset="msrpc", split=kind,
                                        metric=question, kind=kind))  # fmt: skip
        first, second = ([getattr(one, question)[i] for one in judged] for i in (0, 1))
        same = float(np.mean(np.array(first) == np.array(second)))
        for metric, value in (("agreement", same), ("kappa", metrics.cohen_kappa(first, second))):
            rows.append(Result("hand check", "two passes", "msrpc", question, metric, value, n=len(judged)))
    return rows


# -------------------------------------------------------------------------------------------------------------- models


def model_rows(training: TrainingCache, trees: Sequence[str]) -> list[Result]:
    """What the models are and cost: parameters, training time on the machine that made them; the training curve."""
    parameters, rows = {"words": training.words.vectors.size}, []
    for method in (PV_DM, PV_DBOW):
        parameters[method] = training.paragraph_vectors(method).n_parameters
    for kind in trees:
        model = training.autoencoder(kind)
        parameters[f"urae-{kind}"] = sum(getattr(model, name).size for name in ("W_e", "b_e", "W_d", "b_d"))
        rows += [
            Result(models.AUTOENCODERS[kind], "loss", "text", f"epoch {entry['epoch']}", part.replace("_", " "),
                   entry[part], tolerance=TOLERANCE["curve"], epoch=entry["epoch"])
            for entry in model.history for part in ("training", "held_out")
        ]  # fmt: skip
    for name, n in parameters.items():
        cost = {"parameters": n, "minutes": training.seconds[name] / 60}
        rows += [
            Result(name, "training", "text", "all", metric, value, tolerance=TOLERANCE["cost"])
            for metric, value in cost.items()
        ]
    return rows


def substitute_rows(task: Localisation, name: str, known: Container[str]) -> list[Result]:
    """How many single substitutes have no vector: such a version is the sentence less one word."""
    rows = []
    for kind in KINDS:
        single = [v for versions in task.versions for v in versions if (v.kind, v.level) == (kind, 1)]
        lacking = [version.tokens[version.changes[0][0]].lower() not in known for version in single]
        if lacking:
            rows.append(Result("substitutes", name, task.dataset, kind, "without a vector", float(np.mean(lacking)),
                               n=len(lacking), tolerance=0.005, kind=kind))  # fmt: skip
    return rows


def spread_rows(task: Localisation, texts: Texts, embedded: Embedded) -> list[Result]:
    """How random inference is: distance between two inferences of a sentence, and shares that single ones give."""
    n = len(task.sentences)
    place = {"system": embedded.system, "space": "inference", "dataset": task.dataset, "tolerance": 0.03}
    between = float(spread(embedded.draws[:, :n]).mean())
    rows = [Result(split="sentences", metric="distance between draws", value=between, n=n, **place)]
    measured = [run_of(task, texts, replace(embedded, vectors=draw)).distances for draw in embedded.draws[:2]]
    for metric in SHARES:
        first, second = (localisation.share(task, distances, metric, 1) for distances in measured)
        changed = float(np.mean(first.credit != second.credit))
        for what, value in (("one draw", first.value), ("changed by another draw", changed)):
            rows.append(Result(split="level 1", metric=f"{metric}, {what}", value=value, level=1, **place))
    return rows


def short_inference_rows(task: Localisation, model: ParagraphVectors, seed: int) -> list[Result]:
    """The shares of single substitutions with one inference of few passes, gensim's default in 2015.

    A paragraph vector that has hardly left its random start is as far from a sentence with one word changed as from
    any other: does this explain the later draft's figures?
    """
    kinds = {SYNONYM, ANTONYM}
    single = [tuple(v for v in versions if v.level == 1 and v.kind in kinds) for versions in task.versions]
    small = replace(task, versions=tuple(single))
    texts = localisation.texts(small)
    settings = {"draws": 1, "passes": SHORT_PASSES, "rate": SHORT_RATE}
    run = replace(run_of(small, texts, models.inferred(texts, model, settings, seed, workers=2)), space=SHORT)
    scores = (credit(small, run, metric, 1) for metric in SHARES)
    return rows_of((replace(one, published=published(run.system, one.metric, 1)) for one in scores), seed)


def other_senses_rows(profile: Profile, training: TrainingCache | None) -> list[Result]:
    """The shares of bags of words and of sums, if the substitutes come from other senses."""
    rows = []
    for sense, rules in OTHER_SENSES.items():
        task = models.task_of(profile, rules=rules)
        texts = localisation.texts(task)
        embedded = [models.bags(texts)]
        if training is not None:
            embedded.append(models.added(texts, training.words, MAIN[ADDITION]))
        for one in embedded:
            run = replace(run_of(task, texts, one), space=f"{one.space}, {sense}")
            rows += rows_of(shares(task, run), profile["seed"])
    return rows


def teaching_rows(profile: Profile, training: TrainingCache) -> list[Result]:
    """The models of the full profile on the teaching set: shares, and the ladder of one sentence."""
    sample = load_profile("sample")["localisation"]
    here = profile.replace({f"localisation.{name}": sample[name] for name in ("dataset", "most")})
    task = models.task_of(here)
    texts, rows = localisation.texts(task), []
    trained = trained_systems(here, training, task, texts)
    for one in (*without_training(task, texts), *trained, models.practical(here, task, texts)):
        if one.space not in (FITTED, MAPPED):
            run = run_of(task, texts, one)
            rows += [*rows_of(shares(task, run), profile["seed"]), *ladder_rows(task, run)]
    return rows


# ------------------------------------------------------------------------------------------------------------ together


def claim_scores(task: Localisation, runs: Sequence[Run], halves: np.ndarray) -> list[Scores]:
    """What the claims are tested on; those about the autoencoder on the one over parses, if there is one.

    Single substitutions; one to three synonyms of the same sentences; and single antonyms by half.
    """
    main = {run.system: run for run in runs if run.is_main}
    if PARSED in main:
        main.pop(GREEDY, None)
    deep = ~np.isnan(main[BOW].distances.of(SYNONYM, 3))
    scores = []
    for system, run in main.items():
        role = "autoencoder" if system in (PARSED, GREEDY) else None
        scores += [replace(credit(task, run, metric, 1), role=role) for metric in (*SHARES, CONTROLLED)]
        for level in (1, 2, 3):
            same = credit(task, run, NEAR, level, called="the same sentences", among=deep)
            names = {"split": f"level {level}", "metric": f"{NEAR}, the same sentences", "role": role}
            scores.append(replace(same, **names))
    by_half = list(shares_by_half(task, runs, halves))
    measured = {one.split for one in by_half if one.space == MAPPED and one.metric == APART and len(one.values)}
    return scores + by_half if len(measured) == len(HALVES) else scores


def results(
    profile: Profile, task: Localisation, runs: Sequence[Run], *, rows: Sequence[Result] = (),
    corpus: str | None = None, pair: str = LADDER, with_claims: bool = True,
) -> Results:  # fmt: skip
    """All figures and claims that runs give.

    Parameters
    ----------
    profile : Profile
    task : Localisation
    runs : sequence of Run
    rows : sequence of Result
        Figures that stand before them.
    corpus : str, optional
        Name of the text on which models were trained.
    pair : str
        Of the teaching set, for its ladder.
    with_claims : bool
    """
    seed, rows, claims = profile["seed"], list(rows), []
    if with_claims:
        lexicon = models.lexicon_of(task.dataset)
        halves = half_of_cases(task, lexicon, models.antonym_pairs(task, lexicon, seed))
        rows += rows_of(shares_by_half(task, runs, halves), seed)
        claims = evaluate("localisation", claim_scores(task, runs, halves), seed=seed)
    for run in runs:
        if run.space in (FITTED, MAPPED):
            continue
        rows += [*rows_of(shares(task, run), seed), *distance_rows(task, run)]
        if run.unknown is not None:
            rows.append(Result(run.system, run.space, task.dataset, "all texts", "unknown tokens", run.unknown,
                               tolerance=0.005))  # fmt: skip
        if task.dataset == "paraphrases":
            rows += ladder_rows(task, run, pair)
    rows += rows_of(shares_by_wording(task, runs), seed)
    sets = ["googlenews_subset", "msrpc", "scowl", "ud_ewt", "wikipedia_parsed", "wordnet"]
    made = made_with(datasets.used(sets if profile.name == "full" else []), corpus, seed)
    return Results("localisation", "white2015", profile.name, made, rows, claims)


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        What needs no training: the evaluation corpus in all its readings, the taggers, the hand check, bags of words,
        and sums of the GoogleNews vectors. Left out: all that is trained on running text, and the claims.
    """
    seed, full, training = profile["seed"], profile.name == "full", None
    task = models.task_of(profile)
    texts = localisation.texts(task)
    rows = corpus_rows(profile, task)
    if task.dataset == "msrpc":
        rows += check_rows(hand_check(task, seed=seed), seed)
    runs = [run_of(task, texts, one) for one in without_training(task, texts)]
    if full and not subset:
        training = models.training_of(profile)
        for one in trained_systems(profile, training, task, texts):
            runs.append(run_of(task, texts, one))
            if one.draws is not None:
                rows += spread_rows(task, texts, one)
        for method in (PV_DM, PV_DBOW):
            rows += short_inference_rows(task, training.paragraph_vectors(method), seed)
        rows += substitute_rows(task, MAIN[ADDITION], training.words)
        rows += substitute_rows(task, "paragraph vectors", training.paragraph_vectors(PV_DBOW).vocabulary)
        rows += model_rows(training, profile["localisation"]["autoencoder"]["trees"])
    elif not subset:
        runs += stored_or_trained(profile, task, texts)
    if not subset:
        runs.append(run_of(task, texts, models.practical(profile, task, texts)))
    corpus = None if training is None else training.text.name
    whole = results(profile, task, runs, rows=rows, corpus=corpus, with_claims=not subset)
    further = other_senses_rows(profile, training) if full else []
    further += teaching_rows(profile, training) if training is not None else []
    return replace(whole, results=(*whole.results, *further))


# ------------------------------------------------------------------------------------------------ for tables and charts


def share_of(results: Results | None, system: str, metric: str, level: int, dataset: str) -> Result | None:
    """The share of a system on its main space."""
    names = {"system": system, "space": MAIN[system], "metric": metric, "split": f"level {level}", "dataset": dataset}
    return result_of(results, **names)


def level_series(results: Results, metric: str, dataset: str = "msrpc", at_least: int = 20) -> tuple[dict, dict]:
    """Shares with their intervals by system and level, where there are so many items; and the published ones.

    Systems with published shares come first.
    """
    series, printed = {}, {}
    for system in MAIN:
        rows = [share_of(results, system, metric, level, dataset) for level in range(1, 10)]
        rows = [row for row in rows if row and row.n >= at_least]
        if rows:
            series[system] = {row.level: (row.value, row.low, row.high) for row in rows}
            printed[system] = {row.level: row.published for row in rows if row.published is not None}
    printed = {system: values for system, values in printed.items() if values}
    return dict(sorted(series.items(), key=lambda item: item[0] not in printed)), printed


def quantile_panels(results: Results, dataset: str) -> dict[str, dict[tuple[str, int | None], tuple[float, ...]]]:
    """The quantiles of the distances, by system and kind of version with its level."""
    panels = {}
    for system, space in MAIN.items():
        rows = [row for row in results.find(system=system, space=space, dataset=dataset) if row.quantile]
        if rows:
            versions = dict.fromkeys((row.kind, row.level) for row in rows)
            panels[system] = {
                version: tuple(row.value for row in rows if (row.kind, row.level) == version) for version in versions
            }
    return panels


def ladders(results: Results | None, pair: str) -> dict[str, dict[tuple[str, int | None], float]]:
    """The distances of a pair's paraphrase and versions, by system."""
    steps = {}
    for system, space in MAIN.items():
        rows = results.find(system=system, space=space, pair=pair) if results else []
        if rows:
            steps[system] = {(row.kind, row.level): row.value for row in rows}
    return steps


def corpus_remarks(results: Results) -> tuple[str, str]:
    """What the counts say of the readings, and what the tagger does to them, as sentences."""
    nearest = []
    for kind in (SYNONYM, ANTONYM):
        rows = [row for row in results.find(metric=f"cases with {kind}", level=1) if row.space in READINGS]
        nearest.append(min(rows, key=lambda row: abs(row.value - rows[0].published)).space)
    repeated = results.one(space="size", metric="repeated")
    main = next(name for name, rules in READINGS.items() if rules == MAIN_RULES)
    parser, mine = (
        int(results.one(space=name, level=1, metric=f"cases with {ANTONYM}").value) for name in (main, "our tagger")
    )
    right, verbs = (results.one(dataset="ud_ewt test", metric=metric).value for metric in ("right", "verb recall"))
    same = results.one(dataset="msrpc, against the parser", metric="right").value
    return (
        f"Nearest to the count published for one synonym: *{nearest[0]}*; for one antonym: *{nearest[1]}*. This "
        f"chapter takes *{main}*. {int(repeated.value)} sentences come more than once "
        f"(published: {int(repeated.published)}).",
        f"**The tagger** is right in {right:.1%} of the tokens of web text with gold tags, and finds {verbs:.1%} of "
        f"the verbs there; web text is harder than news. On the real sentences it agrees with the parser in "
        f"{same:.1%}. With its tags, {mine:,} cases get an antonym instead of {parser:,}.",
    )


def cost_lines(results: Results) -> list[tuple[str, int, float]]:
    """Models with their parameters and the minutes that they took to train."""
    names = {"words": "word2vec", PV_DM: PV_DM, PV_DBOW: PV_DBOW}
    names |= {f"urae-{trees}": system for trees, system in models.AUTOENCODERS.items()}
    costs = {name: [results.one(system=name, metric=metric).value for metric in ("parameters", "minutes")]
             for name in names}  # fmt: skip
    return [(shown, int(costs[name][0]), costs[name][1]) for name, shown in names.items()]


def unknown_lines(full: Results | None, mine: Results) -> list[tuple[str, float | None, float | None]]:
    """Systems with their shares of tokens without a vector, on MSRPC and in this run."""
    lines = []
    for system, space in MAIN.items():
        names = {"system": system, "space": space, "metric": "unknown tokens"}
        rows = result_of(full, dataset="msrpc", **names), result_of(mine, **names)
        if any(rows):
            lines.append((system, *(row and row.value for row in rows)))
    return lines
