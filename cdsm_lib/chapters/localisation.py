"""White (2015), sentence localisation: which systems, on which vectors, and every figure and claim of chapter 20."""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache as once
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import contextual_models, tagger
from cdsm_lib.chapters import sentence_models as models
from cdsm_lib.chapters import stored as files
from cdsm_lib.chapters.sentence_models import ADDITION, BOW, GREEDY, PARSED, PLF, PV_DBOW, PV_DM, WEIGHTED, Embedded
from cdsm_lib.composition.sentence import ParagraphVectors, spread
from cdsm_lib.composition.specialisation import Split
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import LEMMA, NOUN, POOLED, UNION, VERB, Rules
from cdsm_lib.display import figure, result_of
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Result, Results, Scores, made_with, read_published
from cdsm_lib.settings import Profile, load_profile
from cdsm_lib.storage import read_npz, write_npz
from cdsm_lib.tables import YES_NO, TaskError, read_table
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, APART, FAR, NEAR, SHARES, SYNONYM, Distances, Localisation, Texts
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.lexicon import Lexicon
from cdsm_lib.vectors.files import read_vectors
from cdsm_lib.vectors.space import Space

MAIN = {BOW: "counts", ADDITION: "word2vec", WEIGHTED: "word2vec", PV_DM: "text", PV_DBOW: "text",
        PARSED: "word2vec", GREEDY: "word2vec", PLF: "counts"}  # fmt: skip
"""The space on which each system is compared with the others."""
SPECIALISED = (ADDITION, WEIGHTED, PARSED, GREEDY)
"""The systems whose word vectors are specialised."""
SEEDED = (ADDITION, WEIGHTED, PV_DM, PV_DBOW, PARSED, GREEDY)
"""The systems that are trained with several seeds."""
FITTED, MAPPED = models.FITTED, models.MAPPED
GOOGLE, SHORT = "GoogleNews", "text, few passes"
CONTROLLED = "random verb > antonym"
"""What must fall if antonyms go farther and not just all verbs."""
PUBLISHED_TABLES = {
    NEAR: "white2015_later_draft_table4", FAR: "white2015_later_draft_table5", APART: "white2015_later_draft_table6"
}  # fmt: skip
PUBLISHED_COLUMNS = {PARSED: "U-RAE", PV_DM: "PV-DM", PV_DBOW: "PV-DBOW", BOW: "BOW"}
CORPUS_TABLE = "white2015_later_draft_table2"
COUNTED = (SYNONYM, ANTONYM, "both")
DRAFT_READING = "most frequent synset, its antonyms"
READINGS = {
    "most frequent sense, antonyms of the synset": Rules(),
    "most frequent sense, antonyms of the verb itself": Rules(antonyms=LEMMA),
    DRAFT_READING: Rules(POOLED),
    "all senses, antonyms of the synsets": Rules(UNION),
    "all senses, antonyms of the verb itself": Rules(UNION, LEMMA),
}
"""The readings of sections 3.6 and 3.7. The later draft is compared with the one whose counts come nearest."""
OTHER_SENSES = {"most frequent sense": Rules(), "all senses": Rules(UNION)}
"""Readings in which bags of words and sums are scored, too."""
HALVES = ("training pairs", "held-out pairs")
KNOWN, EXPLAINED = "known to all", "explained variance"
THIRDS = ("nearest", "middle", "farthest")
QUANTILES = (5, 25, 50, 75, 95)
RESAMPLES = 2000
STORED, STORED_AGAIN = "localisation", "localisation-again"
"""The full profile's distances, and those by models that were trained again; see `files`."""
LADDER = "p001"
"""The teaching set's pair whose versions are shown one by one."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "few": 0.15, "curve": 0.5, "cost": 1e6}
"""How far a recomputed figure may lie from the committed one.

Bags of words are counted and exact. Sums of given vectors move by rounding alone, which may turn a near tie: .002 are
six to fourteen of the cases of level 1, and none of the few at the highest levels. Trained vectors round otherwise on
other processors, and from there their updates go other ways: .03, as for skip-gram in the other chapters. A share of
fewer than a hundred cases then moves by hundredths: .15 is the standard error of a share of eleven. The autoencoder's
losses are of 550 to 1,360: .5 is less than a thousandth, as long as products are added up in the same order
(`OPENBLAS_CORETYPE`). Minutes are a record of one machine, which no other has to meet; parameters stand beside them.
"""
TRAINING = "117fee894965cf37b9bafe5afb1ff8035e9e80f42abd62a617fc010e7f1b2e4f"
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
    left_out : float or None
        Of PLF: share of the tokens that are function words though tagged as content words.
    """

    system: str
    space: str
    distances: Distances
    unknown: float | None = None
    left_out: float | None = None

    @property
    def is_main(self) -> bool:
        """Whether the vectors are those on which the system is compared with the others."""
        return self.space == MAIN.get(self.system)


def run_of(task: Localisation, texts: Texts, embedded: Embedded) -> Run:
    """The distances of an embedded corpus."""
    distances = localisation.distances(task, texts, embedded.distance)
    return Run(embedded.system, embedded.space, distances, embedded.unknown, embedded.left_out)


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
        yield models.inferred(texts, training.paragraph_vectors(method), settings["paragraph_vectors"], seed, workers=2)
    constant = np.float32(training.leaves.meta["scaled_by"])
    for trees in settings["autoencoder"]["trees"]:
        model = training.autoencoder(trees)
        for name, space in spaces.items():
            leaves = Space(space.rows, np.clip(space.vectors / constant, -1, 1))
            for one in models.encoded(task, texts, model, leaves, trees):
                if name == MAIN[ADDITION] or not one.system.endswith(models.MEAN):
                    yield replace(one, space=name)


def half_of_cases(task: Localisation, lexicon: Lexicon, split: Split) -> np.ndarray:
    """In which of `HALVES` the antonym pair of each case's first substitution is, str [cases]; "" for neither."""
    half = {word: name for name, pairs in zip(HALVES, split, strict=True) for pair in pairs for word in pair}
    halves = []
    for number, case in enumerate(task.cases):
        version, name = task.version(number, ANTONYM, 1), None
        if version is not None:
            ((position, other),) = version.changes
            lemma, name = lexicon.lemma(task.sentences[case.base].tokens[position].form, VERB), half.get(other.lower())
            name = name if half.get(lemma, name) == name else None
        halves.append(name or "")
    return np.array(halves, dtype=str)


# -------------------------------------------------------------------------------------------- distances that were kept


def distil(folder: Path) -> None:
    """What the sample's tables take of its training: distances, and the autoencoder with the vectors of its words."""
    profile = load_profile("sample")
    task = models.task_of(profile)
    texts, training = localisation.texts(task), models.training_of(profile)
    measured = _measured(task, texts)
    for one in trained_systems(profile, training, task, texts):
        measured.add(one)
    about = {"key": stored_key(profile, texts), "systems": measured.systems}
    write_npz(folder / models.STORED, "distances", 1, measured.arrays, about)
    models.store_autoencoder(training, texts, folder / models.STORED_MODEL)


def stored_key(profile: Profile, texts: Texts) -> str:
    """Of which texts stored distances are, and by which settings and which training code."""
    settings = json.dumps([profile["localisation"], profile["seed"]], sort_keys=True, default=dict)
    return hashlib.sha256("\n".join([TRAINING, settings, *map(" ".join, texts.tokens)]).encode()).hexdigest()


def compared_texts(task: Localisation, texts: Texts) -> np.ndarray:
    """Every pair of texts whose distance counts, int [m, 2], sorted."""
    pairs = [(case.base, case.paraphrase) for case in task.cases]
    bases = {base for base, _ in pairs}
    pairs += [(sentence, text) for (sentence, _, _), text in texts.at.items() if sentence in bases]
    return np.unique(np.array(pairs, dtype=np.int64), axis=0)


@dataclass
class Measured:
    """The distances of systems between pairs of texts, to be stored.

    Attributes
    ----------
    pairs : int array [m, 2]
    dtype : type
    arrays : dict of str to array [m]
    systems : list of (system, space, share of unknown words)
    """

    pairs: np.ndarray
    dtype: type
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    systems: list[list] = field(default_factory=list)

    def add(self, embedded: Embedded) -> None:
        """Measure one more system."""
        self.arrays[f"distances_{len(self.systems)}"] = embedded.distance(*self.pairs.T).astype(self.dtype)
        self.systems.append([embedded.system, embedded.space, embedded.unknown])


def runs_of(arrays: Mapping[str, np.ndarray], systems: Iterable, task: Localisation, texts: Texts) -> list[Run]:
    """The runs of what `Measured` held."""
    number, runs = compared_texts(task, texts) @ (len(texts), 1), []
    for i, (system, space, unknown) in enumerate(systems):

        def distance(first, second, values=arrays[f"distances_{i}"]):
            return values[np.searchsorted(number, first * len(texts) + second)]

        runs.append(Run(system, space, localisation.distances(task, texts, distance), unknown))
    return runs


@dataclass(frozen=True, eq=False)
class Again:
    """The runs once more, by models that were trained otherwise.

    Attributes
    ----------
    by_seed : dict of int to list of Run
        By the seed of the training, the profile's own first.
    longer : Run, optional
        The autoencoder over parses, of the claims, after twice the passes.
    error : float, optional
        Its error on held-out sentences then.
    """

    by_seed: dict[int, list[Run]]
    longer: Run | None = None
    error: float | None = None


def trained_again(profile: Profile, task: Localisation, texts: Texts, runs: Sequence[Run], *, subset: bool) -> Again:
    """The runs of models of further seeds, and of a longer training.

    Their distances are kept (`files`): they are read as long as texts, settings and code of the training are the same,
    by a subset always, and otherwise made anew.
    """
    own, epochs = profile["seed"], 2 * profile["localisation.autoencoder.epochs"]
    by_seed, others = {own: list(runs)}, [*contextual_models.seeds(profile, "seeds.localisation")[1:]]
    if not others:
        return Again(by_seed)
    about = {"key": stored_key(profile, texts), "seeds": others, "epochs": epochs}
    if subset or files.fits(STORED_AGAIN, about):
        arrays, meta = files.read(STORED_AGAIN, about)
    else:
        arrays, meta = _train_again(profile, task, texts, others, epochs)
        files.write(STORED_AGAIN, arrays, about, **meta)
    *of_seeds, (longer,) = (
        runs_of({f"distances_{k}": arrays[f"{i} distances_{k}"] for k in range(len(systems))}, systems, task, texts)
        for i, systems in enumerate(meta["systems"])
    )
    for seed, again in zip(others, of_seeds, strict=True):
        named = {(run.system, run.space): run for run in again}
        by_seed[seed] = [named.get((run.system, run.space), run) for run in runs]
    return Again(by_seed, replace(longer, space=f"{longer.space}, {epochs} passes"), meta["error"])


def _train_again(
    profile: Profile, task: Localisation, texts: Texts, seeds: Sequence[int], epochs: int
) -> tuple[dict[str, np.ndarray], dict]:
    """The distances of `trained_again`, those of each training under its number, and what else its file says."""
    measured = []
    for seed in seeds:
        training, of_seed = models.training_of(profile.replace({"seed": seed})), _measured(task, texts)
        for one in trained_systems(profile, training, task, texts):
            if not one.system.endswith(models.MEAN):
                of_seed.add(one)
        measured.append(of_seed)
    training = models.training_of(profile.replace({"localisation.autoencoder.epochs": epochs}))
    model, longer = training.autoencoder("parsed"), _measured(task, texts)
    longer.add(next(models.encoded(task, texts, model, training.leaves, "parsed")))
    measured.append(longer)
    arrays = {f"{i} {name}": values for i, of in enumerate(measured) for name, values in of.arrays.items()}
    return arrays, {"systems": [of.systems for of in measured], "error": model.history[-1]["held_out"]}


def _measured(task: Localisation, texts: Texts) -> Measured:
    return Measured(compared_texts(task, texts), np.float32)


def stored(profile: Profile, task: Localisation, texts: Texts, place: Path | None = None) -> list[Run] | None:
    """The runs whose distances stand in the project, or None if they were made with other settings.

    Training rounds otherwise on another processor, and a share would change in its third decimal.
    """
    place = place or datasets.data_root() / "distilled" / models.STORED
    arrays, meta = read_npz(place, "distances", 1, [], remedy=models.REMEDY)
    same = meta.get("key") == stored_key(profile, texts)
    return runs_of(arrays, meta["systems"], task, texts) if same else None


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
    task: Localisation, run: Run, metric: str, level: int, *, called: str = "", among: np.ndarray | None = None,
    ties: bool = False, **columns,
) -> Scores:  # fmt: skip
    """One share of a run at one level, item by item; those of a family are drawn together.

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
    as_in_draft = task.dataset == "msrpc" and task.rules == READINGS[DRAFT_READING]
    beside_the_paper = as_in_draft and run.is_main and not (called or ties)
    return Scores(
        run.system, run.space, task.dataset, f"level {level}, {called}" if called else f"level {level}",
        f"ties: {metric}" if ties else metric, share.ties if ties else share.credit, share.families,
        published=published(run.system, metric, level) if beside_the_paper else None,
        tolerance=TOLERANCE["exact"] if ties else tolerance_of(run, len(share.credit)),
        columns={"level": level, **columns},
    )  # fmt: skip


def rows_of(scores: Iterable[Scores], seed: int) -> list[Result]:
    """The rows of all scores that have items."""
    return [one.row(seed, RESAMPLES) for one in scores if len(one.values)]


def shares(task: Localisation, run: Run) -> Iterator[Scores]:
    """Every share of a run at every level; of bags of words also the ties."""
    for metric in localisation.COMPARED:
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


def known_to(texts: Texts, systems: Iterable[Embedded]) -> np.ndarray:
    """Which texts have as many words without a vector as the sentence that they are made from, in every system."""
    lost = np.array([one.lost for one in systems if one.lost is not None]).reshape(-1, len(texts))
    return (lost == lost[:, texts.source]).all(axis=0)


def shares_where_known(task: Localisation, texts: Texts, runs: Iterable[Run], known: np.ndarray) -> Iterator[Scores]:
    """The shares of single substitutions by which no system loses a word, or gains one."""
    for run in (run for run in runs if run.is_main):
        for metric in SHARES:
            kinds = [kind for kind in localisation.COMPARED[metric] if kind is not None]
            places = [[texts.at.get((case.base, kind, 1), -1) for case in task.cases] for kind in kinds]
            yield credit(task, run, metric, 1, called=KNOWN, among=known[places].all(axis=0), part=KNOWN)


def known_cases(runs: Iterable[Run]) -> np.ndarray:
    """Of which cases every run measured the distances, up to three substitutes, that any run did: bool [cases]."""
    measured = np.array([~np.isnan([values for _, values, _ in steps(run.distances, 3)]) for run in runs])
    return (measured.all(axis=0) == measured.any(axis=0)).all(axis=0)


def steps(distances: Distances, most: int | None = None) -> Iterator[tuple[str, np.ndarray, dict]]:
    """Names, distances and columns: of the paraphrases, then of each kind of version and level, or the first levels."""
    yield "paraphrase", distances.paraphrase, {"kind": "paraphrase"}
    for (kind, level), values in distances.versions.items():
        if most is None or level <= most:
            yield f"{kind} {level}", values, {"kind": kind, "level": level}


def distance_rows(task: Localisation, run: Run) -> list[Result]:
    """The distribution of the distances: quantiles of paraphrases and of every kind of version, up to level 3."""
    return [
        Result(run.system, run.space, task.dataset, name, f"distance, {q}%", float(np.nanpercentile(distances, q)),
               n=int(np.isfinite(distances).sum()), tolerance=TOLERANCE["exact" if run.system == BOW else "trained"],
               quantile=q, **columns)
        for name, distances, columns in steps(run.distances, 3) if np.isfinite(distances).any() for q in QUANTILES
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
    return [
        Result(run.system, run.space, task.dataset, f"{pair}: {name}", "distance", float(distances[number]),
               tolerance=TOLERANCE["exact"] if run.system == BOW else 0.05, pair=pair, **columns)
        for name, distances, columns in steps(run.distances)
        if columns["kind"] in ("paraphrase", SYNONYM, ANTONYM) and np.isfinite(distances[number])
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------ the corpus in figures


def count_rows(task: Localisation, reading: str) -> list[Result]:
    """How many cases have so many substitutions; beside the later draft's counts where the data are the paper's."""
    table = read_published(CORPUS_TABLE)["rows"] if (task.dataset, reading) == ("msrpc", DRAFT_READING) else {}
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
        rows += [Result("data", "funnel", name, kind, step, task.funnel[step, kind]) for step in construction.STEPS[1:]]
    # all levels are counted, however many of them are embedded
    for reading, rules in READINGS.items():
        rows += count_rows(construction.build(name, pairs, tagged, lexicon, rules=rules, seed=seed), reading)
    if name == "msrpc":
        matches = construction.structural_matches(pairs, tagged)
        found = {"sentences": sum(map(len, matches)), "classes": len(matches)}
        rows += [
            Result("data", "same structure", name, "all", what, n, published=printed[f"of the same structure: {what}"])
            for what, n in found.items()
        ]
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
    """Rates of the hand check, and how well its two passes agree."""
    rows = []
    for question in ("grammatical", "meaning"):
        for kind in (SYNONYM, ANTONYM):
            answers = np.array([float(one[question]) for one in judged if one["kind"] == kind])
            scores = Scores("hand check", "settled", "msrpc", kind, question, answers, columns={"kind": kind})
            rows.append(scores.row(seed, RESAMPLES))
        first, second = ([one[f"{question}_{i}"] for one in judged] for i in (1, 2))
        same = float(np.mean(np.equal(first, second)))
        for metric, value in (("agreement", same), ("kappa", metrics.cohen_kappa(first, second))):
            rows.append(Result("hand check", "two passes", "msrpc", question, metric, value, n=len(judged)))
    return rows


# -------------------------------------------------------------------------------------------------------------- models


def model_rows(training: models.TrainingCache, trees: Sequence[str]) -> list[Result]:
    """What the models are and cost: parameters, training time on the machine that made them; the autoencoder's
    training curve, and how much it keeps of phrases."""
    parameters, rows = {"words": training.words.vectors.size}, []
    for method in (PV_DM, PV_DBOW):
        parameters[method] = training.paragraph_vectors(method).n_parameters
    for kind in trees:
        model = training.autoencoder(kind)
        parameters[f"urae-{kind}"] = model.n_parameters
        rows += [
            Result(models.AUTOENCODERS[kind], "loss", "text", f"epoch {entry['epoch']}", part.replace("_", " "),
                   entry[part], tolerance=TOLERANCE["curve"], epoch=entry["epoch"])
            for entry in model.history for part in ("training", "held_out")
        ]  # fmt: skip
        rows += [
            Result(models.AUTOENCODERS[kind], EXPLAINED, "text", f"{size} words", EXPLAINED, share, n=n,
                   tolerance=TOLERANCE["trained"])
            for size, (share, n) in training.explained(kind).items()
        ]  # fmt: skip
    return rows + [
        Result(name, "training", "text", "all", metric, value, tolerance=TOLERANCE["cost"])
        for name, n in parameters.items()
        for metric, value in (("parameters", n), ("minutes", training.seconds[name] / 60))
    ]


def substitute_rows(task: Localisation, name: str, known: Container[str]) -> list[Result]:
    """How many single substitutes have no vector: such a version is the sentence less one word."""
    rows = []
    for kind in localisation.KINDS:
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
    """The shares of single substitutions with one inference of few passes, gensim's default in 2015
    (``alpha=0.1, steps=5``).

    A paragraph vector that has hardly left its random start is as far from a sentence with one word changed as from
    any other: does this explain the later draft's figures?
    """
    single = [tuple(v for v in of if v.level == 1 and v.kind in (SYNONYM, ANTONYM)) for of in task.versions]
    task = replace(task, versions=tuple(single))
    texts, settings = localisation.texts(task), {"draws": 1, "passes": 5, "rate": 0.1}
    run = replace(run_of(task, texts, models.inferred(texts, model, settings, seed, workers=2)), space=SHORT)
    scores = (credit(task, run, metric, 1) for metric in SHARES)
    return rows_of((replace(one, published=published(run.system, one.metric, 1)) for one in scores), seed)


def other_senses_rows(profile: Profile, training: models.TrainingCache | None) -> list[Result]:
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


def teaching_rows(profile: Profile, training: models.TrainingCache) -> list[Result]:
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


def again_rows(task: Localisation, again: Again, seed: int) -> list[Result]:
    """Shares of single substitutions: mean and standard deviation over seeds; and of the longer training, whose error
    on held-out sentences comes with them."""

    def single(runs: Iterable[Run]) -> list[Scores]:
        return [credit(task, run, metric, 1) for run in runs for metric in (*SHARES, CONTROLLED)]

    trained = {
        own: single(run for run in runs if run.is_main and run.system in SEEDED) for own, runs in again.by_seed.items()
    }
    rows = contextual_models.seed_rows(trained)
    if again.longer:
        place = again.longer.system, again.longer.space, "text", "last epoch", "held out"
        rows += [*rows_of(single([again.longer]), seed), Result(*place, again.error, tolerance=TOLERANCE["curve"])]
    return rows


# ------------------------------------------------------------------------------------------------------------ together


def claim_scores(task: Localisation, runs: Sequence[Run], halves: np.ndarray) -> list[Scores]:
    """What the claims are tested on; those about the autoencoder on the one over parses, if there is one.

    Single substitutions; one to three synonyms of the same sentences; and single antonyms by half. Of the cases only
    those whose texts every system knows; nothing where no such case is left.
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
            names = {"split": f"level {level}", "metric": f"{NEAR}, the same sentences", "role": role}
            same = credit(task, run, NEAR, level, called="the same sentences", among=deep)
            scores.append(replace(same, **names))
    scores = [of for of in scores if len(of.values)]
    by_half = list(shares_by_half(task, runs, np.where(known, halves, "")))
    measured = {one.split for one in by_half if one.space == MAPPED and one.metric == APART and len(one.values)}
    return scores + by_half if len(measured) == len(HALVES) else scores


def results(
    profile: Profile, task: Localisation, runs: Sequence[Run], *, rows: Sequence[Result] = (),
    corpus: str | None = None, pair: str = LADDER, again: Again | None = None,
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
    again : Again, optional
        The runs by models that were trained again: the claims are tested with every seed.
    """
    seed, lexicon = profile["seed"], models.lexicon_of(task.dataset)
    halves = half_of_cases(task, lexicon, models.antonym_pairs(task, lexicon, seed))
    rows = [*rows, *rows_of(shares_by_half(task, runs, halves), seed)]
    again = again or Again({seed: list(runs)})
    tested = {
        own: evaluate("localisation", claim_scores(task, of, halves), seed=seed) for own, of in again.by_seed.items()
    }
    for run in runs:
        if run.space in (FITTED, MAPPED):
            continue
        rows += [*rows_of(shares(task, run), seed), *distance_rows(task, run)]
        for metric, share in (("unknown tokens", run.unknown), ("function words left out", run.left_out)):
            if share is not None:
                place = run.system, run.space, task.dataset, "all texts"
                rows.append(Result(*place, metric, share, tolerance=0.005))
        if task.dataset == "paraphrases":
            rows += ladder_rows(task, run, pair)
    rows += [*rows_of(shares_by_wording(task, runs), seed), *again_rows(task, again, seed)]
    sets = ["googlenews_subset", "msrpc", "scowl", "ud_ewt", "wikipedia_parsed", "wordnet"]
    made = made_with(datasets.used(sets if profile.name == "full" else []), corpus, seed)
    return Results("localisation", "white2015", profile.name, made, rows, over_seeds(tested))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        The evaluation corpus in all its readings, the taggers, the hand check, and every system on it with the claims:
        of those that are trained on running text the distances are stored. Left out: what else is said of these, which
        are the trainings, the spread of inferences, other senses, and the teaching set.
    """
    seed, full = profile["seed"], profile.name == "full"
    training = models.training_of(profile) if full else None  # the sample's distances are stored
    task = models.task_of(profile)
    texts = localisation.texts(task)
    rows = corpus_rows(profile, task)
    if task.dataset == "msrpc":
        judged = models.task_of(profile, rules=Rules())  # the sentences were judged in this reading
        rows += check_rows(hand_check(judged, seed=seed), seed)
    runs = [run_of(task, texts, one) for one in without_training(task, texts)]
    plf, about = models.practical(profile, task, texts), {"key": stored_key(profile, texts)}
    if full and subset:
        arrays, meta = files.read(STORED, about, [KNOWN])
        known = arrays[KNOWN].astype(bool)
        runs += runs_of(arrays, meta["systems"], task, texts)
    elif full:
        measured, known = _measured(task, texts), known_to(texts, [plf])
        for one in trained_systems(profile, training, task, texts):
            runs.append(run_of(task, texts, one))
            measured.add(one)
            known &= known_to(texts, [one])
            if one.draws is not None:
                rows += spread_rows(task, texts, one)
        files.write(STORED, measured.arrays | {KNOWN: known}, about, systems=measured.systems)
        for method in (PV_DM, PV_DBOW):
            rows += short_inference_rows(task, training.paragraph_vectors(method), seed)
        rows += substitute_rows(task, MAIN[ADDITION], training.words)
        rows += substitute_rows(task, "paragraph vectors", training.paragraph_vectors(PV_DBOW).vocabulary)
        rows += model_rows(training, profile["localisation"]["autoencoder"]["trees"])
    else:
        runs += stored(profile, task, texts) or [
            run_of(task, texts, one) for one in trained_systems(profile, models.training_of(profile), task, texts)
        ]
    runs.append(run_of(task, texts, plf))
    again = trained_again(profile, task, texts, runs, subset=subset)
    corpus = training.text.name if full else "gensim"
    whole = results(profile, task, runs, rows=rows, corpus=corpus, again=again)
    further = []
    if full:
        further += rows_of(shares_where_known(task, texts, runs, known), seed)
        further += other_senses_rows(profile, None if subset else training)
    further += teaching_rows(profile, training) if full and not subset else []
    return replace(whole, results=(*whole.results, *further))


# ------------------------------------------------------------------------------------------------ for tables and charts


def share_of(results: Results | None, system: str, metric: str, level: int, dataset: str) -> Result | None:
    """The share of a system on its main space."""
    names = {"system": system, "space": MAIN[system], "metric": metric, "split": f"level {level}", "dataset": dataset}
    return result_of(results, **names)


def level_series(results: Results, metric: str) -> tuple[dict, dict]:
    """Shares with their intervals by system and level, where there are twenty sentences; and the published ones.

    Systems with published shares come first.
    """
    series, printed = {}, {}
    rows = (share_of(results, system, metric, level, "msrpc") for system in MAIN for level in range(1, 10))
    for row in rows:
        if row and row.n >= 20:
            series.setdefault(row.system, {})[row.level] = (row.value, row.low, row.high)
            if row.published is not None:
                printed.setdefault(row.system, {})[row.level] = row.published
    return dict(sorted(series.items(), key=lambda item: item[0] not in printed)), printed


def quantile_panels(results: Results, dataset: str) -> dict[str, dict[tuple[str, int | None], list[float]]]:
    """The quantiles of the distances, by system and kind of version with its level."""
    panels = {}
    for system, space in MAIN.items():
        for row in results.find(system=system, space=space, dataset=dataset):
            if row.quantile:
                panels.setdefault(system, {}).setdefault((row.kind, row.level), []).append(row.value)
    return panels


def ladders(results: Results | None, pair: str) -> dict[str, dict[tuple[str, int | None], float]]:
    """The distances of a pair's paraphrase and versions, by system."""
    steps = {}
    for system, space in MAIN.items():
        for row in results.find(system=system, space=space, pair=pair) if results else ():
            steps.setdefault(system, {})[row.kind, row.level] = row.value
    return steps


def counted_lines(results: Results | None, kind: str) -> tuple[tuple[str, ...], list[tuple]]:
    """Columns and rows: how many cases have one to five words replaced in each reading, beside the later draft's count.

    Whose antonyms are meant is no matter to synonyms, so their table has a column for each sense.
    """
    names = {name: name.partition(", ")[0] if kind == SYNONYM else name for name in READINGS}
    shown = [name for name, rules in READINGS.items() if kind == ANTONYM or rules.antonyms != LEMMA]
    rows = []
    for level in range(1, 6):
        cells = [result_of(results, space=name, level=level, metric=f"cases with {kind}") for name in shown]
        printed = next((int(cell.published) for cell in cells if cell and cell.published is not None), None)
        rows.append((level, printed, *(cell and int(cell.value) for cell in cells)))
    return ("level", "published", *(names[name] for name in shown)), rows


def corpus_remarks(results: Results) -> tuple[str, str, str]:
    """What the counts say of the readings and of natural matches, and what the tagger does to them, as sentences."""
    nearest = []
    for kind in (SYNONYM, ANTONYM):
        rows = [row for row in results.find(metric=f"cases with {kind}", level=1) if row.space in READINGS]
        (draft,) = (row.published for row in rows if row.space == DRAFT_READING)
        nearest.append(min(rows, key=lambda row: abs(row.value - draft)).space)
    repeated = results.one(space="size", metric="repeated")
    parser, mine = (
        int(results.one(space=name, level=1, metric=f"cases with {ANTONYM}").value)
        for name in (DRAFT_READING, "our tagger")
    )
    right, verbs = (results.one(dataset="ud_ewt test", metric=metric).value for metric in ("right", "verb recall"))
    same = results.one(dataset="msrpc, against the parser", metric="right").value
    alike, classes = (results.one(space="same structure", metric=metric) for metric in ("sentences", "classes"))
    return (
        f"Nearest to the count published for one synonym: *{nearest[0]}*; for one antonym: *{nearest[1]}*. The "
        f"full profile takes *{DRAFT_READING}*. {int(repeated.value)} sentences come more than once "
        f"(published: {int(repeated.published)}).",
        f"**Could one look for such pairs instead of making them?** {int(alike.value)} real sentences share the "
        f"structure of another, in {int(classes.value)} classes (published: {int(alike.published)} in "
        f"{int(classes.published)}). Paraphrases, and sentences that differ in numbers alone, are not counted.",
        f"**The tagger** is right in {right:.1%} of the tokens of web text with gold tags, and finds {verbs:.1%} of "
        f"the verbs there. On the real sentences it agrees with the parser in {same:.1%} of the tokens. With its tags, "
        f"{mine:,} cases get an antonym; with the parser's, {parser:,} do.",
    )


def cost_lines(results: Results) -> list[tuple[str, int, str]]:
    """Models with their parameters and the minutes that they took to train, whole ones."""
    names = {"words": "word2vec", PV_DM: PV_DM, PV_DBOW: PV_DBOW}
    names |= {f"urae-{trees}": system for trees, system in models.AUTOENCODERS.items()}
    costs = ([results.one(system=name, metric=metric).value for metric in ("parameters", "minutes")] for name in names)
    return [(shown, int(n), f"{minutes:.0f}") for shown, (n, minutes) in zip(names.values(), costs, strict=True)]


def token_shares(system: str, metric: str, full: Results | None, mine: Results, dataset: str) -> str:
    """A share of tokens, of the real sentences in the full profile and of this run's."""
    names = {"system": system, "space": MAIN[system], "metric": metric}
    rows = (result_of(of, dataset=on, **names) for of, on in ((full, "msrpc"), (mine, dataset)))
    return " / ".join("–" if row is None else f"{row.value:.1%}" for row in rows)


def share_lines(systems: Iterable[str], metric: str, full: Results | None, mine: Results, dataset: str) -> list[tuple]:
    """Systems with a share of single substitutions: published, on the real sentences, on those known to all systems, in
    this run; and the shares of tokens without a vector, full and here."""
    lines = []
    for system in systems:
        printed = published(system, metric, 1)
        names = {"system": system, "space": MAIN[system], "metric": metric, "part": KNOWN}
        real, here = share_of(full, system, metric, 1, "msrpc"), share_of(mine, system, metric, 1, dataset)
        shares = map(figure, (real, result_of(full, **names), here))
        told = token_shares(system, "unknown tokens", full, mine, dataset)
        lines.append((system, None if printed is None else f"{printed:.2f}", *shares, told))
    return lines


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


def convergence_remark(results: Results) -> str:
    """What the autoencoder's last pass changes, and twice as many passes of the one over parses, as sentences."""
    last = []
    for system in (GREEDY, PARSED):
        *_, before, error = (row.value for row in results.find(system=system, space="loss", metric="held out"))
        last.append(f"{error / before - 1:+.1%} ({system})")
    longer = results.one(system=PARSED, split="last epoch", metric="held out")
    moved = {
        metric: (share_of(results, PARSED, metric, 1, "msrpc").value,
                 results.one(system=PARSED, space=longer.space, metric=metric).value)
        for metric in SHARES
    }  # fmt: skip
    told = ", ".join("*{}* from {:.3f} to {:.3f}".format(metric, *values) for metric, values in moved.items())
    return (
        f"**Was the autoencoder trained long enough?** Its last pass changed the error on held-out sentences by "
        f"{' and '.join(last)}. Twice as many passes change that of {PARSED} by {longer.value / error - 1:+.1%}, and "
        f"the shares of single substitutions so: {told}."
    )


def choices_remark(results: Results) -> str:
    """What other senses, vectors and readouts do to the shares of single substitutions, as sentences."""

    def values(system: str, space: str = "", metrics: Sequence[str] = SHARES, **more) -> np.ndarray:
        names = {"system": system, "space": space, "dataset": "msrpc", "split": "level 1", **more}
        return np.array([results.one(metric=metric, **names).value for metric in metrics])

    moved = max(
        np.abs(values(name, f"{MAIN[name]}, {sense}") - values(name, MAIN[name])).max()
        for name in (BOW, ADDITION) for sense in OTHER_SENSES
    )  # fmt: skip
    google = np.abs(values(ADDITION, GOOGLE) - values(ADDITION, MAIN[ADDITION])).max()
    readout = []
    for name in (PARSED, GREEDY):
        (near, _, apart), (near_mean, _, apart_mean) = (values(name + more, MAIN[name]) for more in ("", models.MEAN))
        readout.append(
            f"for {name} the share of *{NEAR}* goes from {near:.3f} to {near_mean:.3f} and that of *{APART}* from "
            f"{apart:.3f} to {apart_mean:.3f}"
        )
    known = {
        name: values(name, MAIN[name], split=f"level 1, {KNOWN}") - values(name, MAIN[name])
        for name in MAIN if result_of(results, system=name, space=MAIN[name], part=KNOWN)
    }  # fmt: skip
    first_two = max(np.abs(change[:2]).max() for change in known.values())
    third = ", ".join(f"{known[name][2]:+.3f} for {name}" for name in (PV_DM, PV_DBOW, PARSED))
    teaching = {name: [share_of(results, name, metric, 1, "paraphrases") for metric in (NEAR, FAR)] for name in MAIN}
    lowest = min((near.value, name) for name, (near, _) in teaching.items() if near)
    highest = max((far.value, name) for name, (_, far) in teaching.items() if far)
    return (
        f"- **Senses.** Substitutes from other senses move the three shares by at most {moved:.3f}.\n"
        f"- **Vectors.** GoogleNews in place of our vectors moves a share of the sum by up to {google:.3f}.\n"
        f"- **Readout.** With the mean of all nodes in the place of the root, {'; '.join(readout)}.\n"
        f"- **Known words.** On the cases that are known to all, the first two shares move by at most {first_two:.3f}. "
        f"The third moves by {third}, so a part of the distance between these systems is about which words are known.\n"
        f"- **Sentences.** On the teaching set the full models keep a synonym within the paraphrase in at least "
        f"{lowest[0]:.3f} of the cases ({lowest[1]}) and put an antonym beyond it in at most {highest[0]:.3f} "
        f"({highest[1]})."
    )


def controls_remark(results: Results) -> str:
    """For which systems a random word lies beyond the substitute in most cases, with one and with more words, as a
    sentence."""
    below = {level: [] for level in (1, 2, 3)}
    for level, found in below.items():
        for kind, metric in ((NOUN, "random noun > synonym"), (VERB, CONTROLLED)):
            rows = (share_of(results, name, metric, level, "msrpc") for name in MAIN if name != BOW)
            found += [f"{row.system} ({row.value:.3f}, {kind}s)" for row in rows if row and row.value <= 0.5]
    but = " and ".join([f"the {BOW}", *below[1]])
    more = "; ".join(f"with {level} words not for {' and '.join(below[level])}" for level in (2, 3) if below[level])
    return (
        f"With one substitution, on the real sentences, a random word lies beyond the substitute in more than half of "
        f"the cases for every system but {but}{f'; {more}' if more else ''}. For the {BOW} nearly all comparisons are "
        f"ties."
    )


def specialised_remark(results: Results) -> str:
    """How far counter-fitting and the map move the shares of both halves of the antonyms, as sentences."""

    def changes(metric: str, half: str, space: str) -> str:
        names = {"metric": metric, "dataset": "msrpc", "part": half}
        pairs = (
            [results.one(system=name, space=one, **names).value for one in (space, MAIN[name])] for name in SPECIALISED
        )
        values = [after - before for after, before in pairs]
        return f"{min(values):+.3f} to {max(values):+.3f}"

    train, held = HALVES
    return (
        f"- *{APART.capitalize()}* on the {train}: {changes(APART, train, FITTED)} with counter-fitting.\n"
        f"- *{APART.capitalize()}* on the {held}: {changes(APART, held, FITTED)} with counter-fitting, which moves "
        f"none of their words, and {changes(APART, held, MAPPED)} with the map, which moves all verbs.\n"
        f"- *{CONTROLLED.capitalize()}*, the control, with the map: {changes(CONTROLLED, train, MAPPED)} on the "
        f"{train} and {changes(CONTROLLED, held, MAPPED)} on the {held}."
    )
