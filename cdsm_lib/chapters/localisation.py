"""White (2015): runs, figures and claims of chapter 20."""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sentence_models as white2015
from cdsm_lib.chapters import tagger
from cdsm_lib.chapters.sentence_models import (
    ADDITION,
    BOW,
    GREEDY,
    PARSED,
    PLF,
    PV_DBOW,
    PV_DM,
    WEIGHTED,
    Embedded,
    Steps,
)
from cdsm_lib.composition import specialisation
from cdsm_lib.composition.sentence import ParagraphVectors, spread
from cdsm_lib.construction import localisation as construction
from cdsm_lib.construction.localisation import FIRST, LEMMA, NOUN, POOLED, STEPS, SYNSET, TAGS, UNION, VERB, Rules
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.results import (
    Claim,
    Ledger,
    Result,
    made_with,
    read_published,
    verdict_all,
    verdict_greater,
    verdict_within,
)
from cdsm_lib.evaluation.significance import grouped_interval
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
    SYNONYM,
    Distances,
    Localisation,
    Share,
    Texts,
    Version,
    by_pair,
)
from cdsm_lib.text import tagger as pos
from cdsm_lib.text.lexicon import Lexicon
from cdsm_lib.vectors.embeddings import read_word2vec
from cdsm_lib.vectors.space import Space

MAIN = {BOW: "counts", ADDITION: "word2vec", WEIGHTED: "word2vec", PV_DM: "text", PV_DBOW: "text",
        PARSED: "word2vec", GREEDY: "word2vec", PLF: "counts"}  # fmt: skip
"""The space on which each system is compared with the others."""
GOOGLE = "GoogleNews"
FITTED, MAPPED = "counter-fitted", "post-specialised"
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
COUNTED = {SYNONYM: 0, ANTONYM: 1, "both": 2}
SHORT, SHORT_PASSES, SHORT_RATE = "text, few passes", 5, 0.1
"""gensim's `infer_vector` of 2015: ``alpha=0.1, min_alpha=0.0001, steps=5``."""
QUANTILES = (5, 25, 50, 75, 95)
RESAMPLES = 2000
HARDLY_EVER = 0.25
"""The largest share that is still "hardly ever"; the later draft has .06 to .09."""
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


def run_of(task: Localisation, texts: Texts, embedded: Embedded) -> Run:
    """The distances of an embedded corpus."""
    found = localisation.distances(task, texts, embedded.distance)
    return Run(embedded.system, embedded.space, found, embedded.unknown)


def google_news() -> Space:
    """The published subset of the GoogleNews vectors."""
    return read_word2vec(datasets.fetch("googlenews_subset", "googlenews_subset_300d.bin"))


def without_training(task: Localisation, texts: Texts) -> Iterator[Embedded]:
    """The systems that need no training of ours: bags of words, and sums of the GoogleNews vectors."""
    yield white2015.bags(texts)
    if task.dataset == "msrpc":
        yield white2015.added(texts, google_news(), GOOGLE)


def trained_systems(
    profile: Profile, steps: Steps, task: Localisation, texts: Texts, facts: Lexicon
) -> Iterator[Embedded]:
    """Every system that is trained on running text, one after the other: their vectors are large.

    The specialised ones come with those whose vectors they replace.
    """
    settings, seed = profile["localisation"], profile["seed"]
    split = specialised_pairs(task, facts, seed)
    spaces = {MAIN[ADDITION]: steps.words, **specialised(steps.words, task, split)}
    for name, space in spaces.items():
        yield white2015.added(texts, space, name)
        yield replace(white2015.weighted(texts, space, steps.text, settings["sif"], seed), space=name)
    for method in (PV_DM, PV_DBOW):
        yield white2015.inferred(texts, steps.paragraph_vectors(method), settings["paragraph_vectors"], seed, workers=2)
    constant = steps.leaves.meta["scaled_by"]
    for trees in settings["autoencoder"]["trees"]:
        model = steps.autoencoder(trees)
        for name, space in spaces.items():
            leaves = Space(space.rows, np.clip(space.vectors / np.float32(constant), -1, 1))
            yield replace(white2015.encoded(task, texts, model, leaves, trees), space=name)


# ------------------------------------------------------------------------------------------------------ specialisation


def specialised_pairs(task: Localisation, facts: Lexicon, seed: int) -> specialisation.Split:
    """The antonyms of the verbs of a set, as lemmas, in two halves without a common word."""
    found = {}
    for sentence in task.sentences:
        for token in sentence:
            if construction.altered_kind(token) != VERB or (lemma := facts.lemma(token.form, VERB)) is None:
                continue
            for sense in facts.senses(lemma, VERB):
                for word, other in sense.antonyms:
                    if "_" not in word + other and word.lower() != other.lower():
                        found[tuple(sorted((word.lower(), other.lower())))] = None
    return specialisation.split_pairs(sorted(found), seed=seed)


def in_all_forms(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of verbs in each of their forms: *rise*, *fall*; *rose*, *fell*; ..."""
    found = {}
    for pair in pairs:
        for tag in TAGS[VERB]:
            forms = [construction.inflected(lemma, tag)[:1] for lemma in pair]
            if all(forms) and forms[0] != forms[1]:
                found[forms[0][0], forms[1][0]] = None
    return list(found)


def specialised(space: Space, task: Localisation, split: specialisation.Split) -> dict[str, Space]:
    """Word vectors that know the antonyms of one half: counter-fitted; and with what that taught applied to all verbs.

    Returns
    -------
    dict of str to Space
        ``counter-fitted`` moves the words of the training half alone. ``post-specialised`` maps the forms of all other
        verbs of the set, those of the held-out half among them, by a matrix learnt from the words that moved.
    """
    pairs = [pair for pair in in_all_forms(split.training) if all(word in space for word in pair)]
    if not pairs:
        return {}
    fitted = specialisation.counter_fit(space, pairs)
    verbs = dict.fromkeys(token.form.lower() for one in task.sentences for token in one if token.xpos in TAGS[VERB])
    others = dict.fromkeys([*verbs, *(word for pair in in_all_forms(split.held_out) for word in pair)])
    moved = set(fitted.words)
    mapped = specialisation.LinearSpecialisation().fit(space, fitted.space, fitted.words)
    rest = [word for word in others if word in space and word not in moved]
    return {FITTED: fitted.space, MAPPED: mapped.apply(fitted.space, rest)}


def half_of(task: Localisation, facts: Lexicon, split: specialisation.Split) -> dict[int, str]:
    """Whether the antonym pair of a case's first substitution was trained on, by case; others are left out."""
    halves = {}
    for name, pairs in (("training pairs", split.training), ("held-out pairs", split.held_out)):
        halves |= dict.fromkeys((frozenset(pair) for pair in pairs), name)
    words = {word: name for pair, name in halves.items() for word in pair}
    found = {}
    for number, case in enumerate(task.cases):
        version = task.version(number, ANTONYM, 1)
        if version is not None:
            position, other = version.changes[0]
            lemma = facts.lemma(task.sentences[case.base].tokens[position].form, VERB)
            name = words.get(other.lower())
            if name is not None and words.get(lemma, name) == name:
                found[number] = name
    return found


def specialisation_results(task: Localisation, runs: Sequence[Run], halves: Mapping[int, str], seed: int):
    """What specialisation does: shares of single antonyms by half, and of random verbs, which nobody specialised."""
    found = []
    for run in runs:
        if run.system not in (ADDITION, WEIGHTED, PARSED, GREEDY) or run.space not in (
            MAIN[run.system], FITTED, MAPPED
        ):  # fmt: skip
            continue
        for metric in (FAR, APART, CONTROLLED):
            for half in HALVES:
                share = localisation.share(task, run.distances, metric, 1, among=in_half(task, halves, half))
                found += share_result(share, run, seed, dataset=task.dataset, split=f"level 1, {half}", metric=metric)
    return found


HALVES = ("training pairs", "held-out pairs")


def in_half(task: Localisation, halves: Mapping[int, str], half: str) -> np.ndarray:
    """Which cases belong to a half of the antonym pairs, bool [cases]."""
    return np.array([halves.get(case) == half for case in range(len(task))], dtype=bool)


def other_senses(profile: Profile, steps: Steps | None) -> list[Result]:
    """The shares of bags of words and of sums, if the substitutes come from other senses."""
    found = []
    for sense, rules in OTHER_SENSES.items():
        task = white2015.task_of(profile, rules=rules)
        texts = localisation.texts(task)
        embedded = [white2015.bags(texts)]
        if steps is not None:
            embedded.append(white2015.added(texts, steps.words, MAIN[ADDITION]))
        for one in embedded:
            run = replace(run_of(task, texts, one), space=f"{one.space}, {sense}")
            found += share_results(task, run, profile["seed"])
    return found


# -------------------------------------------------------------------------------------------- distances that were kept


def distil(folder: Path) -> None:
    """What the sample's tables take of its training: distances, and the autoencoder with the vectors of its words."""
    profile = load_profile("sample")
    task = white2015.task_of(profile)
    texts, steps = localisation.texts(task), white2015.steps_of(profile)
    keep(profile, task, texts, trained_systems(profile, steps, task, texts, white2015.lexicon_of(task.dataset)),
         folder / white2015.STORED)  # fmt: skip
    white2015.keep_autoencoder(steps, texts, folder / white2015.KEPT_MODEL)


def stored_key(profile: Profile, texts: Texts) -> str:
    """What the kept distances of the sample depend on."""
    settings = json.dumps([profile["localisation"], profile["seed"]], sort_keys=True, default=dict)
    words = "\n".join(" ".join(tokens) for tokens in texts.tokens)
    return hashlib.sha256(f"{settings}\n{words}".encode()).hexdigest()


def paired(task: Localisation, texts: Texts) -> np.ndarray:
    """Every pair of texts whose distance counts, int [m, 2], sorted."""
    found = []

    def note(first, second):
        found.append(np.column_stack([first, second]))
        return np.zeros(len(first))

    localisation.distances(task, texts, note)
    return np.unique(np.vstack(found), axis=0)


def keep(profile: Profile, task: Localisation, texts: Texts, embedded: Iterable[Embedded], place: Path) -> None:
    """Write the distances of systems that were trained, for `kept`."""
    pairs, arrays, about = paired(task, texts), {}, []
    for number, one in enumerate(embedded):
        arrays[f"distances_{number}"] = one.distance(*pairs.T).astype(np.float32)
        about.append([one.system, one.space, one.unknown])
    write_npz(place, "distances", 1, arrays, {"key": stored_key(profile, texts), "systems": about})


def kept(profile: Profile, task: Localisation, texts: Texts, place: Path | None = None) -> list[Run] | None:
    """The runs whose distances stand in the project, or None if they were made with other settings.

    Training rounds otherwise on another processor, and a share would change in its third decimal.
    """
    place = place or datasets.data_root() / "distilled" / white2015.STORED
    arrays, meta = read_npz(place, "distances", 1, [], remedy=white2015.REMEDY)
    if meta.get("key") != stored_key(profile, texts):
        return None
    pairs = paired(task, texts)
    number = pairs[:, 0] * len(texts) + pairs[:, 1]
    runs = []
    for i, (system, space, unknown) in enumerate(meta["systems"]):
        values = arrays[f"distances_{i}"].astype(np.float64)

        def distance(first, second, values=values):
            return values[np.searchsorted(number, first * len(texts) + second)]

        runs.append(Run(system, space, localisation.distances(task, texts, distance), unknown))
    return runs


def kept_or_made(profile: Profile, task: Localisation, texts: Texts, facts: Lexicon) -> list[Run]:
    """The runs that stand in the project; trained now if they were made with other settings."""
    runs = kept(profile, task, texts)
    if runs is None:
        made = trained_systems(profile, white2015.steps_of(profile), task, texts, facts)
        runs = [run_of(task, texts, one) for one in made]
    return runs


# ------------------------------------------------------------------------------------------------------------- figures


def tolerance_of(run: Run, n: int) -> float:
    """How far a share recomputed elsewhere may lie from the committed one."""
    kind = "exact" if run.system == BOW else "given vectors" if run.space == GOOGLE else "trained"
    return TOLERANCE["few"] if kind == "trained" and n < FEW else TOLERANCE[kind]


def share_result(share: Share, run: Run, seed: int, *, ties: bool = False, **names) -> list[Result]:
    """A share, or its ties, with its interval by drawing pairs; nothing if there is no item."""
    if not len(share.credit):
        return []
    interval = grouped_interval(share.ties if ties else share.credit, share.pairs, RESAMPLES, 0.95, seed)
    tolerance = TOLERANCE["exact"] if ties else tolerance_of(run, len(share.credit))
    return [
        Result(run.system, run.space, value=interval.value, low=interval.low, high=interval.high, n=len(share.credit),
               tolerance=tolerance, **names)
    ]  # fmt: skip


def level_name(level: int) -> str:
    """How figures name a level."""
    return f"level {level}"


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


def beside_the_paper(task: Localisation, run: Run) -> bool:
    """Whether a run is on the paper's data, in our main reading, with a system's main space."""
    return task.dataset == "msrpc" and task.rules == Rules() and run.space == MAIN.get(run.system)


def share_results(task: Localisation, run: Run, seed: int) -> list[Result]:
    """Every share of a run at every level that has items; of bags of words also the ties."""
    found = []
    levels = sorted({level for _, level in run.distances.versions})
    for metric in COMPARED:
        for level in levels:
            share = localisation.share(task, run.distances, metric, level)
            place = {"dataset": task.dataset, "split": level_name(level)}
            given = published(run.system, metric, level) if beside_the_paper(task, run) else None
            found += share_result(share, run, seed, metric=metric, published=given, **place)
            if run.system == BOW and metric in localisation.SHARES:
                found += share_result(share, run, seed, metric=f"ties: {metric}", ties=True, **place)
    return found


def distance_results(task: Localisation, run: Run, most: int = 3) -> list[Result]:
    """The distribution of the distances: quantiles of paraphrases and of every kind of version."""
    parts = {"paraphrase": run.distances.paraphrase}
    parts |= {f"{kind} {level}": run.distances.of(kind, level) for kind in KINDS for level in range(1, most + 1)}
    parts = {name: values[~np.isnan(values)] for name, values in parts.items()}
    return [
        Result(run.system, run.space, task.dataset, name, f"distance, {q}%", float(np.percentile(values, q)),
               n=len(values), tolerance=1e-9 if run.system == BOW else 0.03)
        for name, values in parts.items() if len(values) for q in QUANTILES
    ]  # fmt: skip


THIRDS = ("nearest third", "middle third", "farthest third")


def wording_results(task: Localisation, runs: Sequence[Run], seed: int) -> list[Result]:
    """The shares of single substitutions by how much the paraphrase's wording differs: thirds of its distance as a bag
    of words."""
    bags = next(run for run in runs if run.system == BOW).distances.paraphrase
    edges = np.quantile(bags, (1 / 3, 2 / 3))
    third = np.searchsorted(edges, bags, side="left")
    found = []
    for run in runs:
        if run.space != MAIN.get(run.system):
            continue
        for metric in (NEAR, FAR):
            for place, name in enumerate(THIRDS):
                share = localisation.share(task, run.distances, metric, 1, among=third == place)
                found += share_result(share, run, seed, dataset=task.dataset, split=f"level 1, {name}", metric=metric)
    return found


def unknown_results(task: Localisation, run: Run) -> list[Result]:
    """The share of tokens without a vector."""
    if run.unknown is None:
        return []
    return [Result(run.system, run.space, task.dataset, "all texts", "unknown tokens", run.unknown, tolerance=0.005)]


def ladder_results(task: Localisation, run: Run, pair: str = LADDER) -> list[Result]:
    """The distances of one pair's versions, as in section 4."""
    return [
        Result(run.system, run.space, task.dataset, f"{pair}: {name}", "distance", value,
               tolerance=1e-9 if run.system == BOW else 0.05)
        for name, _, value in ladder(task, run, pair)
    ]  # fmt: skip


def ladder(task: Localisation, run: Run, pair: str = LADDER) -> list[tuple[str, tuple[str, ...], float]]:
    """A sentence's paraphrase and versions, with their tokens and distances.

    Raises
    ------
    TaskError
        If the set has no such pair.
    """
    ids = [(number, task.sentences[case.base].comments.get("sent_id")) for number, case in enumerate(task.cases)]
    found = next((number for number, id in ids if id == f"{pair}.1"), None)
    if found is None:
        raise TaskError(None, None, f"no pair {pair!r} in {task.dataset}; its ids are those of its sentences")
    case = task.cases[found]
    other = tuple(token.form for token in task.sentences[case.paraphrase])
    rows = [("paraphrase", other, float(run.distances.paraphrase[found]))]
    for kind in (SYNONYM, ANTONYM):
        for version in task.versions[case.base]:
            if version.kind == kind:
                value = float(run.distances.of(kind, version.level)[found])
                rows.append((f"{kind} {version.level}", version.tokens, value))
    return rows


# ------------------------------------------------------------------------------------------------ the corpus in figures


def count_results(task: Localisation, reading: str, given: bool = False) -> list[Result]:
    """How many cases have so many substitutions; beside the later draft's counts if `given`."""
    table = read_published(CORPUS_TABLE)["rows"] if given else {}
    found = []
    for level, counts in task.counts().items():
        for kind, place in COUNTED.items():
            row = table.get(str(level))
            found.append(Result("data", reading, task.dataset, level_name(level), f"cases with {kind}", counts[place],
                                published=None if row is None else row[place]))  # fmt: skip
    return found


def funnel_results(task: Localisation) -> list[Result]:
    """Nouns and verbs that are left after each step."""
    return [
        Result("data", "funnel", task.dataset, kind, step, task.funnel[step, kind])
        for kind in (NOUN, VERB) for step in STEPS[1:]
    ]  # fmt: skip


def corpus_results(profile: Profile, task: Localisation) -> list[Result]:
    """The evaluation corpus: its size, all readings of the text and, of MSRPC, our own tagger in the parser's place."""
    name, seed = task.dataset, profile["seed"]
    facts = white2015.lexicon_of(name)
    pairs, tagged = white2015.tagged(name)
    given = read_published("white2015_table_section4")["counts_in_text"] if name == "msrpc" else {}
    sizes = {
        "cases": (len(task), given.get("MSRPC sentences with a paraphrase")),
        "repeated": (len(task) - len({id for pair in pairs for id in pair.ids}), given.get("repeated")),
    }
    found = [Result("data", "size", name, "all", what, n, published=there) for what, (n, there) in sizes.items()]
    found += funnel_results(task)
    # all levels are counted, however many of them are embedded
    for reading, rules in READINGS.items():
        made = construction.build(name, pairs, tagged, facts, rules=rules, seed=seed)
        found += count_results(made, reading, given=name == "msrpc" and rules == Rules())
    if name == "msrpc":
        mine = white2015.retagged(tagged)
        made = construction.build(name, pairs, mine, facts, rules=task.rules, seed=seed)
        found += count_results(made, "our tagger")
        found += tagger_results(tagged, mine)
    return found


def tagger_results(parsed: Mapping, mine: Mapping) -> list[Result]:
    """How good our tagger is: on gold tags, and against the parser on MSRPC."""
    right = pos.accuracy(pos.load(), tagger.gold("test"))
    same = pos.agreement(*([[token.xpos for token in table[id]] for id in parsed] for table in (parsed, mine)))
    found = []
    for dataset, accuracy in (("ud_ewt test", right), ("msrpc, against the parser", same)):
        for metric in ("right", "noun_precision", "noun_recall", "verb_precision", "verb_recall"):
            found.append(Result("our tagger", "tagging", dataset, "all", metric.replace("_", " "),
                                getattr(accuracy, metric), n=accuracy.tokens))  # fmt: skip
    return found


# ---------------------------------------------------------------------------------------------------------- hand check


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


def hand_check(task: Localisation, path: Path | None = None, seed: int | None = None) -> list[Judgement]:
    """The judgements of `CHECKED` sentences of each kind, if they are about the sentences that were made now.

    The file names sentences by MSRPC's ids, and has a hash of the altered text, not the text.

    Raises
    ------
    TaskError
        For a line that is not as it should be, or sentences that are no longer those that were judged.
    """
    path = path or datasets.data_root() / "annotations" / ANNOTATIONS
    rows = read_table(path, CHECK_COLUMNS, dict.fromkeys(CHECK_COLUMNS[5:], YES_NO))
    judged = construction.for_hand_check(task, CHECKED, 2016 if seed is None else seed)
    if len(rows) != len(judged):
        raise TaskError(path, None, f"{len(rows)} judgements, {len(judged)} sentences; take the file again")
    judgements = []
    for item, ((line, row), (sentence, version)) in enumerate(zip(rows, judged, strict=True), 1):
        values = list(row.values())
        if values[:5] != check_fields(item, task, sentence, version):
            raise TaskError(path, line, "the construction now makes another sentence; judge it again")
        judgements.append(Judgement(item, version.kind, tuple(values[5::2]), tuple(values[6::2])))
    return judgements


def check_fields(item: int, task: Localisation, sentence: int, version: Version) -> list[str]:
    """What says which sentence was judged."""
    text = hashlib.sha256(" ".join(version.tokens).encode()).hexdigest()[:12]
    id = task.sentences[sentence].comments.get("sent_id", "")
    return [str(item), id, version.kind, str(version.changes[0][0]), text]


def check_results(judged: Sequence[Judgement], seed: int) -> list[Result]:
    """Rates of the hand check, and how well its two passes agree."""
    found = []
    for question in ("grammatical", "meaning"):
        for kind in (SYNONYM, ANTONYM):
            answers = [getattr(one, question)[2] for one in judged if one.kind == kind]
            found.append(Result.of_items(np.array(answers, dtype=float), seed=seed, n_resamples=RESAMPLES,
                                         system="hand check", space="settled", dataset="msrpc", split=kind,
                                         metric=question))  # fmt: skip
        first, second = ([getattr(one, question)[i] for one in judged] for i in (0, 1))
        same = float(np.mean(np.array(first) == np.array(second)))
        for metric, value in (("agreement", same), ("kappa", metrics.cohen_kappa(first, second))):
            found.append(Result("hand check", "two passes", "msrpc", question, metric, value, n=len(judged)))
    return found


# -------------------------------------------------------------------------------------------------------------- models


def model_results(steps: Steps, trees: Sequence[str]) -> list[Result]:
    """What the models are and cost: parameters, training time on the machine that made them; the training curve."""
    found = []
    parameters = {"words": steps.words.vectors.size}
    for method in (PV_DM, PV_DBOW):
        parameters[method] = steps.paragraph_vectors(method).n_parameters
    for kind in trees:
        model = steps.autoencoder(kind)
        parameters[f"urae-{kind}"] = sum(getattr(model, name).size for name in ("W_e", "b_e", "W_d", "b_d"))
        system = PARSED if kind == "parsed" else GREEDY
        for entry in model.history:
            for part in ("training", "held_out"):
                found.append(Result(system, "loss", "text", f"epoch {entry['epoch']}", part.replace("_", " "),
                                    entry[part], tolerance=TOLERANCE["curve"]))  # fmt: skip
    for name, n in parameters.items():
        found.append(Result(name, "training", "text", "all", "parameters", n, tolerance=TOLERANCE["cost"]))
        seconds = steps.seconds.get(name)
        if seconds is not None:
            found.append(Result(name, "training", "text", "all", "minutes", seconds / 60, tolerance=TOLERANCE["cost"]))
    return found


def substitute_results(task: Localisation, name: str, known: Container[str]) -> list[Result]:
    """How many single substitutes have no vector: such a version is the sentence less one word."""
    found = []
    for kind in KINDS:
        single = [v for of in task.versions for v in of if (v.kind, v.level) == (kind, 1)]
        lacking = [version.tokens[version.changes[0][0]].lower() not in known for version in single]
        if lacking:
            found.append(Result("substitutes", name, task.dataset, kind, "without a vector", float(np.mean(lacking)),
                                n=len(lacking), tolerance=0.005))  # fmt: skip
    return found


def spread_results(task: Localisation, texts: Texts, embedded: Embedded) -> list[Result]:
    """How random inference is: distance between two inferences of a sentence, and shares that single ones give."""
    n = len(task.sentences)
    place = {"system": embedded.system, "space": "inference", "dataset": task.dataset}
    values = spread(embedded.draws[:, :n])
    found = [Result(split="sentences", metric="distance between draws", value=float(values.mean()), n=n, tolerance=0.03,
                    **place)]  # fmt: skip
    for metric in localisation.SHARES:
        shares, flips = [], []
        for draw in embedded.draws[:2]:
            one = replace(embedded, vectors=draw)
            share = localisation.share(task, localisation.distances(task, texts, one.distance), metric, 1)
            shares.append(share.value)
            flips.append(share.credit)
        found.append(
            Result(split=level_name(1), metric=f"{metric}, one draw", value=shares[0], tolerance=0.03, **place)
        )
        changed = float(np.mean(flips[0] != flips[1]))
        found.append(Result(split=level_name(1), metric=f"{metric}, changed by another draw", value=changed,
                            tolerance=0.03, **place))  # fmt: skip
    return found


def short_inference_results(task: Localisation, model: ParagraphVectors, seed: int) -> list[Result]:
    """The shares of single substitutions with one inference of few passes, gensim's default in 2015.

    A paragraph vector that has hardly left its random start is as far from a sentence with one word changed as from
    any other: does this explain the later draft's figures?
    """
    kinds = {SYNONYM, ANTONYM}
    single = [tuple(v for v in of if v.level == 1 and v.kind in kinds) for of in task.versions]
    small = replace(task, versions=tuple(single))
    few = localisation.texts(small)
    settings = {"draws": 1, "passes": SHORT_PASSES, "rate": SHORT_RATE}
    run = run_of(small, few, white2015.inferred(few, model, settings, seed, workers=2))
    found = []
    for metric in localisation.SHARES:
        share = localisation.share(small, run.distances, metric, 1)
        found += share_result(share, replace(run, space=SHORT), seed, dataset=task.dataset, split=level_name(1),
                              metric=metric, published=published(run.system, metric, 1))  # fmt: skip
    return found


# -------------------------------------------------------------------------------------------------------------- claims


def autoencoder_in(systems: Iterable[str]) -> str:
    """The autoencoder of a run: over parses if there is one, as in the paper."""
    return PARSED if PARSED in systems else GREEDY


def claims(task: Localisation, runs: Sequence[Run], seed: int) -> list[Claim]:
    """What the paper's author concludes, in the later draft, and what we add.

    Items of one pair are drawn together.
    """
    mine = {run.system: run for run in runs if run.space == MAIN[run.system]}
    tree = autoencoder_in(mine)
    papers = [name for name in (tree, PV_DM, PV_DBOW, BOW) if name in mine]
    others = [name for name in (ADDITION, WEIGHTED) if name in mine]

    def credit(system: str, metric: str, level: int, among: np.ndarray | None = None) -> np.ndarray:
        share = localisation.share(task, mine[system].distances, metric, level, among)
        return by_pair(share.credit, share.pairs)

    def within(system: str, metric: str, low: float, high: float) -> Claim:
        share = localisation.share(task, mine[system].distances, metric, 1)
        return verdict_within(
            share.credit, low, high, id="part", text="part", name=system, seed=seed, groups=share.pairs
        )  # fmt: skip

    def better(first: np.ndarray, second: np.ndarray, *names: str) -> Claim:
        return verdict_greater(first, second, id="part", text="part", names=names, seed=seed, ties=True)

    deep = ~np.isnan(mine[BOW].distances.of(SYNONYM, 3))
    falling = [
        better(credit(name, NEAR, level, deep), credit(name, NEAR, level + 1, deep),
               f"{name}, {level_name(level)}", level_name(level + 1))
        for name in papers for level in (1, 2)
    ]  # fmt: skip
    made = [
        verdict_all(
            [within(name, NEAR, 0.5, 1.0) for name in papers], id="one-synonym-stays-near",
            text="With one noun synonym, a sentence stays as near as its paraphrase in most cases, for every model.",
            published="U-RAE .95, PV-DM .91, PV-DBOW .90, BOW 1.00 (later draft, Table 4)",
        ),
        verdict_all(
            falling, id="more-synonyms-drift-away",
            text="The more synonyms, the less often; levels 1, 2 and 3 of the same sentences, for every model.",
            published="U-RAE .95, .91, .87; BOW 1.00, .99, .95 (later draft, Table 4)",
        ),
        verdict_all(
            [within(name, FAR, 0.0, HARDLY_EVER) for name in papers], id="antonyms-hardly-ever-farther",
            text="With one verb antonym, a sentence is hardly ever farther than its paraphrase "
            f"(at most {HARDLY_EVER:g} of the cases), for every model: all fail.",
            published="U-RAE .06, PV-DM .08, PV-DBOW .09, BOW 0 (later draft, Table 5)",
        ),
        verdict_all(
            [better(credit(tree, APART, 1), credit(name, APART, 1), tree, name) for name in papers if name != tree],
            id="autoencoder-separates-best",
            text="The recursive autoencoder puts an antonym farther than a synonym more often than the others do.",
            published="U-RAE .61, PV-DM .49, PV-DBOW .50, BOW .01 (later draft, Table 6)",
        ),
        replace(
            within(BOW, APART, 0.0, 0.05), id="bag-of-words-cannot-separate",
            text="A bag of words does not separate antonyms from synonyms at all.",
            published="BOW .01 (later draft, Table 6)",
        ),
    ]  # fmt: skip
    if others:
        made.append(
            verdict_all(
                [better(credit(tree, APART, 1), credit(name, APART, 1), tree, name) for name in others],
                id="autoencoder-beats-sums",
                text="Beyond the paper: the recursive autoencoder separates them better than sums of its word vectors.",
            )
        )  # fmt: skip
    spread_apart = [name for name in (*papers, *others) if name != BOW]
    made.append(
        verdict_all(
            [within(name, CONTROLLED, 0.5, 1.0) for name in spread_apart],
            id="random-verb-farther-than-antonym",
            text="Beyond the paper: for most sentences a random verb is farther than an antonym, for every embedding.",
        )
    )  # fmt: skip
    return made


def specialisation_claims(task: Localisation, runs: Sequence[Run], halves: Mapping[int, str], seed: int) -> list[Claim]:
    """Does a model that knows some antonyms place others farther?"""
    at = {(run.system, run.space): run for run in runs}

    def part(system: str, half: str, space: str, metric: str) -> Claim:
        after, before = (half_credit(task, at[system, name], halves, half, metric) for name in (space, MAIN[system]))
        names = [f"{system}, {space}: {metric}", "before"]
        if metric == APART:
            return verdict_greater(after, before, id="part", text="part", names=tuple(names), seed=seed, ties=True)
        return verdict_greater(before, after, id="part", text="part", names=tuple(names[::-1]), seed=seed, ties=True)

    systems = [name for name in (ADDITION, WEIGHTED, PARSED, GREEDY) if (name, MAPPED) in at]
    if not systems:
        return []
    measured = localisation.share(task, at[systems[0], MAPPED].distances, APART, 1).cases.tolist()
    if not set(HALVES) <= {halves.get(case) for case in measured}:
        return []
    both = (APART, CONTROLLED)
    return [
        verdict_all(
            [part(name, "training pairs", FITTED, metric) for name in systems for metric in both],
            id="counter-fitting-places-its-antonyms-farther",
            text="Beyond the paper: with vectors counter-fitted to antonyms, these are more often farther than a "
            "synonym, and more often farther than a random verb, than with the vectors as they were.",
        ),
        verdict_all(
            [part(name, "held-out pairs", MAPPED, metric) for name in systems for metric in both],
            id="specialisation-carries-over",
            text="Beyond the paper: so are antonyms that were held out, by a linear map of all other verbs.",
        ),
    ]  # fmt: skip


def half_credit(task: Localisation, run: Run, halves: Mapping[int, str], half: str, metric: str) -> np.ndarray:
    """The credits of single substitutions by an antonym of one half, those of a pair drawn together."""
    share = localisation.share(task, run.distances, metric, 1, among=in_half(task, halves, half))
    return by_pair(share.credit, share.pairs)


# ------------------------------------------------------------------------------------------------------------ together


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        What needs no training: the evaluation corpus in all its readings, the taggers, the hand check, bags of words,
        and sums of the GoogleNews vectors. Left out: all that is trained on running text, and the claims.
    """
    seed, full = profile["seed"], profile.name == "full"
    task = white2015.task_of(profile)
    texts = localisation.texts(task)
    results = corpus_results(profile, task)
    if task.dataset == "msrpc":
        results += check_results(hand_check(task, seed=seed), seed)
    runs = [run_of(task, texts, one) for one in without_training(task, texts)]
    steps = corpus = None
    tested: list[Claim] = []
    if not subset:
        facts = white2015.lexicon_of(task.dataset)
        if full:
            steps = white2015.steps_of(profile)
            corpus = steps.text.name
            for one in trained_systems(profile, steps, task, texts, facts):
                runs.append(run_of(task, texts, one))
                if one.draws is not None:
                    results += spread_results(task, texts, one)
            for method in (PV_DM, PV_DBOW):
                results += short_inference_results(task, steps.paragraph_vectors(method), seed)
            results += substitute_results(task, MAIN[ADDITION], steps.words)
            results += substitute_results(task, "paragraph vectors", steps.paragraph_vectors(PV_DBOW).vocabulary)
            results += model_results(steps, profile["localisation"]["autoencoder"]["trees"])
        else:
            runs += kept_or_made(profile, task, texts, facts)
        runs.append(run_of(task, texts, white2015.practical(profile, task, texts)))
        halves = half_of(task, facts, specialised_pairs(task, facts, seed))
        results += specialisation_results(task, runs, halves, seed)
        tested = [*claims(task, runs, seed), *specialisation_claims(task, runs, halves, seed)]
    for run in runs:
        if run.space in (FITTED, MAPPED):
            continue
        results += [*share_results(task, run, seed), *distance_results(task, run), *unknown_results(task, run)]
        if task.dataset == "paraphrases":
            results += ladder_results(task, run)
    results += wording_results(task, runs, seed)
    if full:
        results += other_senses(profile, steps)
    if full and not subset:
        results += teaching_results(profile, steps)
    names = ["googlenews_subset", "msrpc", "scowl", "ud_ewt", "wikipedia_parsed", "wordnet"] if full else []
    made = made_with(datasets.used(names), corpus, seed)
    return Ledger("localisation", "white2015", profile.name, made, tuple(results), tuple(tested))


def teaching_results(profile: Profile, steps: Steps) -> list[Result]:
    """The models of the full profile on the teaching set: shares, and the ladder of one sentence."""
    sample = load_profile("sample")
    small = {**profile["localisation"], **{name: sample["localisation"][name] for name in ("dataset", "most")}}
    here = replace(profile, settings={**profile.settings, "localisation": small})
    task = white2015.task_of(here)
    texts = localisation.texts(task)
    found = []
    systems = trained_systems(here, steps, task, texts, white2015.lexicon_of(task.dataset))
    for one in (*without_training(task, texts), *systems, white2015.practical(here, task, texts)):
        if one.space not in (FITTED, MAPPED):
            run = run_of(task, texts, one)
            found += [*share_results(task, run, profile["seed"]), *ladder_results(task, run)]
    return found
