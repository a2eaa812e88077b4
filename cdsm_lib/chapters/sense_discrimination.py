"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, contextual_models, sense_vectors, training_counts
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.composition import senses as composition
from cdsm_lib.composition.contextual import ErkPado, Thater
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.display import ABSENT, Table, figure, plain, printed, result_of, table
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.significance import Interval, grouped_interval, grouped_means, paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import SENSES as OPTIONS
from cdsm_lib.tasks.sense_discrimination import SPLITS, TAGS, WINDOWS, Item, Scored, SenseDiscrimination, Usage
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.vectors import disambiguation
from cdsm_lib.vectors.similarity import cosines, paired_cosines

RANDOM, OVERLAP = "random", "word overlap"
CONTEXT_ONLY = "word2vec, context alone"
TAGGED, GOLD = "senses, tagged", "senses, gold labels"
SEEDED = (*sense_vectors.SEEDED, CONTEXT_ONLY, TAGGED, GOLD)
"""Systems with vectors that are trained here, and differ from seed to seed."""
DEPENDENCY = "dependency"
CONTEXTS = (*WINDOWS, DEPENDENCY)
MAIN = "semcor+wordnet"
PUBLISHED_SET = "sense2017_semcor"
DRAWN = "accuracy over draws"
"""Of a lexeme's items and of others whose senses and sentences are drawn anew."""
RESAMPLES = 2000
MEAN_FREQUENCY = 45_500
"""Average frequency of the paper's target nouns and verbs, "45k-46k" (section 4.1). The paper does not say how large
its corpus is; by this average, frequency bands are brought to the size of ours."""
BE = 1.8e6
"""Occurrences of *be* there, its most frequent lexeme: another hint at the size, which contradicts the first."""
EDGES = (1_000, 10_000, 50_000, 100_000)
"""Figure 1's bands."""
PUBLISHED_ROWS = {
    RANDOM: "Random", OVERLAP: "Word Overlap", GOOGLE: "word2vec", DEP2VEC: "dep2vec", SENSES: "SENSEMBED",
    TAGGED: "SENSEMBED & Babelfy",
}  # fmt: skip
NAMES = {"ADJ": "adjectives", "NOUN": "nouns", "VERB": "verbs"}
BANDS = ("rare", "middle", "frequent")
FEWEST = 10
"""Lexemes that a frequency band needs for a verdict."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "p": 1.5}
"""How far a recomputed figure may lie from the committed one.

Overlap is exact. Of given vectors a tie that rounding turns moves an accuracy by one item, and .002 are two more of a
thousand. Other rounding in skip-gram moves several of them: .03 as in the other chapters, and of n items .8 / sqrt(n)
more (`tolerance_of`). A p-value follows, and all are of parts: these bounds are together some 1.5 standard errors of
a difference, .65 / sqrt(n). (It was half a deviate until a processor without AVX-512 moved seven of them by
.55 to .78.)
"""


# ------------------------------------------------------------------------------------------------- items and systems


context = cache(sense_discrimination.context)
"""The context words of a usage in a window, each looked for once."""


def space_name(window: int | str) -> str:
    """How figures name a context."""
    return f"window {window}" if isinstance(window, int) else window


def whole(tasks: Iterable[SenseDiscrimination]) -> SenseDiscrimination:
    """Items of several numbers of senses as one task."""
    tasks = list(tasks)
    left_out = sum((Counter(task.left_out) for task in tasks), Counter())
    items = tuple(item for task in tasks for item in task)
    return SenseDiscrimination(tasks[0].dataset, tasks[0].split, items, dict(left_out))


def sampled(inventory: Inventory, seed: int, *, split: bool, at_least: bool = False) -> list[SenseDiscrimination]:
    """The construction of section 4.2 for 2 to 5 senses, divided by lexeme if asked.

    With `at_least` a lexeme with exactly n senses may serve for n, too.
    """
    tasks = [construction.sample(inventory, n, seed, more_than=n - 1 if at_least else n) for n in OPTIONS]
    if not split:
        return [whole(task for task in tasks if len(task))]
    divided = [construction.divide(task, seed) for task in tasks]
    return [whole(parts[name] for parts in divided) for name in SPLITS]


def published_items(inventory: Inventory, seed: int) -> list[SenseDiscrimination]:
    """The published items that come from SemCor."""
    return [whole(construction.published_semcor(n, split, inventory, seed) for n in OPTIONS) for split in SPLITS]


def additive(lexicon: Lexicon, window: int | str, *, alone: bool = False, labels: Callable | None = None) -> Callable:
    """Add the lexeme's vector to those of its context; the closest senses decide (section 4.3).

    Parameters
    ----------
    lexicon : Lexicon
    window : int or "dependency"
    alone : bool
        Leave the lexeme itself out.
    labels : callable, optional
        The sense of a usage, or None. Its vector then stands for the lexeme; without one all senses compete.
    """

    @cache
    def around(usage: Usage) -> tuple[np.ndarray, bool]:
        words = context(usage, window)
        return lexicon.context(words), any(word in lexicon for word in words)

    def similarity(item: Item) -> np.ndarray | None:
        vectors, known = zip(*map(around, item.usages), strict=True)
        if (alone or item.lexeme not in lexicon) and not any(known):
            return None
        target, *options = vectors
        if labels is None:
            senses = np.zeros((1, lexicon.space.d)) if alone else lexicon.of(item.lexeme)
            return np.round(composition.closest_sense(senses, target, np.array(options)), 9)
        first, *others = (
            lexicon.of(item.lexeme, labels(usage)) + vector
            for usage, vector in zip(item.usages, (target, *options), strict=True)
        )
        return np.round([composition.similarity(first, other) for other in others], 9)

    return similarity


def sense_labels(trained: Trained, usages: Iterable[Usage], settings: Mapping) -> dict[Usage, str]:
    """The sense that the tagger gives each usage, where it gives one."""
    usages = list(dict.fromkeys(usages))
    corpus = corpus_from_sentences([usage.sentence for usage in usages])
    space = trained.lexicons[WORD2VEC].space
    rows = training_counts.rows_of(corpus, space.rows)
    tagged = trained.tagger.tag(
        corpus, sense_vectors.unit(space), rows, window=settings["window"] or None, prior_weight=settings["prior"]
    )
    places = corpus.offsets[:-1] + np.array([usage.position for usage in usages])
    senses = tagged.senses[places].tolist()
    return {usage: trained.tagger.senses[sense] for usage, sense in zip(usages, senses, strict=True) if sense >= 0}


# -------------------------------------------------------------------------------------------------- what is compared


class Run(NamedTuple):
    """What a system with a context made of a task's items: the credit of each, by part of speech and senses."""

    accuracy: Scores
    scored: Scored


@dataclass(frozen=True)
class Prepared:
    """Tasks and vectors.

    Attributes
    ----------
    tasks : sequence of SenseDiscrimination
    task : SenseDiscrimination
        The one of them that claims are tested on.
    again : SenseDiscrimination
        Its items, and more draws of them.
    inventory : Inventory
    trained : Trained
    settings : dict
        ``[*.vectors.tagger]``.
    """

    tasks: Sequence[SenseDiscrimination]
    task: SenseDiscrimination
    again: SenseDiscrimination
    inventory: Inventory
    trained: Trained
    settings: Mapping


def prepare(profile: Profile, trained: Trained | None = None) -> Prepared:
    """Build the tasks, and train or read the vectors (unless they are given).

    The items are a development and a test split of SemCor's, and the published ones; or all of the teaching set.
    """
    settings, seed = profile["sense_discrimination"], profile["seed"]
    real = settings["inventory"] == "semcor"
    inventory = sense_vectors.semcor_and_wordnet() if real else construction.load_inventory()
    own = sampled(inventory, seed, split=real, at_least=settings["at_least"])
    tasks = [*own, *published_items(inventory, seed)] if real else own
    again = construction.drawn_again(own[-1], inventory, settings["draws"], seed)
    trained = trained or sense_vectors.vectors(profile)
    return Prepared(tasks, own[-1], again, inventory, trained, profile["vectors.tagger"])


def lexemes_of(items: Iterable[Item]) -> np.ndarray:
    """The number of each item's lexeme: int64 [items]. Items of one lexeme are drawn together."""
    return np.unique([item.lexeme for item in items], return_inverse=True)[1]


def run_of(system: str, window: int | str, task: SenseDiscrimination, similarity: Callable) -> Run:
    """A system's run on a task."""
    scored = sense_discrimination.scores(task, similarity)
    accuracy = Scores(
        system, space_name(window), task.dataset, task.split, "accuracy", scored.credit,
        tolerance=tolerance_of(system, len(task)),
        groups=lexemes_of(task),
        columns={"part": task.split, "window": window if isinstance(window, int) else None},
        labels={"pos": np.array([item.pos for item in task]), "senses": np.array([item.senses for item in task])},
    )  # fmt: skip
    return Run(accuracy, scored)


def baselines(task: SenseDiscrimination) -> Iterator[Run]:
    """Random choice, whose accuracy is known, and word overlap."""
    yield run_of(RANDOM, "none", task, lambda item: np.zeros(item.senses))
    for window in CONTEXTS:
        yield run_of(OVERLAP, window, task, sense_discrimination.word_overlap(window, context))


def additions(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """Every lexicon by addition, with every context."""
    for name, lexicon in prepared.trained.lexicons.items():
        for window in CONTEXTS:
            yield run_of(name, window, task, additive(lexicon, window))


def ablations(prepared: Prepared) -> Iterator[Run]:
    """word2vec without the lexeme; sense vectors with the tagger's and with the gold labels of all sentences."""
    lexicons, task, gold = prepared.trained.lexicons, prepared.task, prepared.inventory.synsets
    tagged = sense_labels(prepared.trained, (usage for item in task for usage in item.usages), prepared.settings)
    labels = {TAGGED: tagged.get, GOLD: lambda usage: gold.get(usage.sense, usage.sense)}
    for window in CONTEXTS:
        yield run_of(CONTEXT_ONLY, window, task, additive(lexicons[WORD2VEC], window, alone=True))
        for name, label in labels.items():
            yield run_of(name, window, task, additive(lexicons[SENSES], window, labels=label))


def over_draws(prepared: Prepared) -> Iterator[Run]:
    """What claims compare, vectors of one corpus by addition, on more draws of the items."""
    for name in (WORD2VEC, DEP2VEC, SENSES):
        for window in CONTEXTS:
            run = run_of(name, window, prepared.again, additive(prepared.trained.lexicons[name], window))
            yield run._replace(accuracy=replace(run.accuracy, metric=DRAWN))


# --------------------------------------------------------------------------------------------- beyond: other composers


def contextual(
    models: Mapping[str, object], known: contextual_models.Vocabulary, task: SenseDiscrimination
) -> Iterator[Run]:
    """The lexeme's vector in the context of its sentence, by models of chapter 10, compared by cosine.

    M&L is left out: it leaves the lexeme's vector as it is, so that all options tie.
    """
    parsed = {usage: contextual_models.parsed(usage.sentence, known) for item in task for usage in item.usages}
    for name, model in models.items():
        vectors = {usage: _in_context(model, sentence, usage.position) for usage, sentence in parsed.items()}

        def similarity(item: Item, vectors=vectors) -> np.ndarray | None:
            target, *options = (vectors[usage] for usage in item.usages)
            if target is None or all(option is None for option in options):
                return None
            return np.round([0.0 if option is None else cosines(target, option)[0, 0] for option in options], 9)

        yield run_of(name, "sentence", task, similarity)


def _in_context(model, sentence: contextual_models.Parsed, position: int):
    """The vector of one word of a sentence in context, None if it has none."""
    words, arcs = sentence.words, sentence.arcs
    if words[position] is None:
        return None
    if isinstance(model, ErkPado | Thater):  # for which nothing matters but its neighbours in the tree
        arcs = [arc for arc in arcs if position in (arc.governor, arc.dependent)]
        near = {position}.union(*((arc.governor, arc.dependent) for arc in arcs))
        words = [word if i in near else None for i, word in enumerate(words)]
    rows = model.in_context(words, arcs)
    known = [i for i, word in enumerate(words) if word is not None]
    if rows.shape[0] < len(known):  # the model leaves out words of which it has no data
        known = [i for i in known if model.in_context([words[i]], ()).shape[0]]
    return rows[[known.index(position)]] if position in known else None


def sentence_model(task: SenseDiscrimination) -> Run:
    """context2vec: the vector of the empty place in the sentence, compared by cosine; the lexeme is not even read."""
    model = context2vec.load()

    @cache
    def vector(usage: Usage) -> np.ndarray:
        words = [f"{token.lemma}|{token.upos}" for token in usage.sentence]
        return np.asarray(model.context(words, usage.position), dtype=np.float64)

    def similarity(item: Item) -> np.ndarray:
        target, *options = (vector(usage) for usage in item.usages)
        return np.round(paired_cosines(options, target), 6)  # float32 weights

    return run_of("context2vec", "sentence", task, similarity)


# ---------------------------------------------------------------------------------------------------------- figures


def tolerance_of(system: str, items: int) -> float:
    """How far a recomputed accuracy of so many items may lie from the committed one."""
    if system in (RANDOM, OVERLAP):
        return TOLERANCE["exact"]
    if system in (GOOGLE, "context2vec"):
        return TOLERANCE["given vectors"] + 1 / items
    return TOLERANCE["trained"] + 0.8 / np.sqrt(items)


def published(accuracy: Scores) -> float | None:
    """Table 5's accuracy of a part of speech and number of senses; Table 6's for sense labels at test time."""
    pos, senses, window = (accuracy[name] for name in ("pos", "senses", "window"))
    row = PUBLISHED_ROWS.get(accuracy.system)
    if pos is None or (accuracy.dataset, accuracy.split) != (MAIN, "test"):
        return None
    if accuracy.system == TAGGED:
        numbers = dict(zip(WINDOWS, read_published("kober2017_table6")["rows"][row], strict=True))
        return numbers.get(window) if (pos, senses) == ("NOUN", 5) else None
    table = read_published("kober2017_table5")
    cells = table["by_window"].get("1" if accuracy.system == RANDOM else str(window), {}).get(row)
    return cells[table["columns"].index(f"{pos.title()}{senses}")] if cells else None


def cell(whole: SenseDiscrimination | Scores, pos=None, senses: int | None = None, band: str | None = None) -> dict:
    """How figures name a part of a task's items: dataset and split, and the columns of the part."""
    parts = [whole.split, pos, senses and f"{senses} senses", band]
    columns = {"part": whole.split, "pos": pos, "senses": senses, "band": band}
    return {"dataset": whole.dataset, "split": ", ".join(part for part in parts if part), **columns}


def row_of(accuracy: Scores, seed: int, **changes) -> Result:
    """The figure of a part of a run's items."""
    names = cell(accuracy, accuracy["pos"], accuracy["senses"], accuracy["band"])
    tolerance = tolerance_of(accuracy.system, len(accuracy.values))
    return accuracy.row(seed, RESAMPLES, **{**names, "tolerance": tolerance, **changes})


def run_results(run: Run, seed: int, base: Run | None = None, *, cells: bool = True) -> list[Result]:
    """Accuracy of all items, of each number of senses, and of each of Table 5's cells, there with the test."""
    results = []
    for pos in (None, *(TAGS if cells else ())):
        for senses in (None, *OPTIONS) if pos is None else OPTIONS:
            part = {name: value for name, value in (("pos", pos), ("senses", senses)) if value}
            accuracy = run.accuracy.where(**part)
            if not len(accuracy.values):
                continue
            row = row_of(accuracy, seed, published=published(accuracy))
            results.append(row)
            if base is not None and pos:
                other = base.accuracy.where(**part).by_group()
                p = paired_permutation_test(accuracy.by_group(), other, RESAMPLES, seed, ties=True)
                changes = {"value": p, "low": None, "high": None, "published": None, "tolerance": TOLERANCE["p"]}
                results.append(replace(row, metric="p against word overlap", **changes))
    return results


def unknown_results(run: Run) -> list[Result]:
    """Items of which the system knows no word, and items in which several options tie for the best."""
    accuracy, n = run.accuracy, len(run.scored.items)
    names = {**cell(accuracy), "window": accuracy["window"], "n": n, "tolerance": max(2, n // 50)}
    counts = {"items unknown": run.scored.unknown.sum(), "items tied": run.scored.tied.sum()}
    return [
        Result(accuracy.system, accuracy.space, metric=name, value=int(value), **names)
        for name, value in counts.items()
    ]


def coverage_results(prepared: Prepared) -> list[Result]:
    """The share of context words (window 4), and of lexemes, that each lexicon lacks."""
    task = prepared.task
    needed = {
        "context words": [word for item in task for usage in item.usages for word in context(usage, 4)],
        "lexemes": sorted({item.lexeme for item in task}),
    }
    return [
        Result(name, "vocabulary", metric=f"share of {what} unknown", n=len(words), **cell(task),
               value=sum(word not in lexicon for word in words) / len(words))
        for name, lexicon in prepared.trained.lexicons.items() for what, words in needed.items()
    ]  # fmt: skip


def data_results(prepared: Prepared) -> list[Result]:
    """Table 4: items by part of speech and number of senses; and the inventory."""
    sizes, results = construction.split_sizes(), []
    for task in prepared.tasks:
        for (pos, n), items in sorted(Counter((item.pos, item.senses) for item in task).items()):
            printed = float(sizes[pos, n][SPLITS.index(task.split)]) if task.dataset == MAIN else None
            results.append(
                Result("data", "items", metric="items", value=items, published=printed, **cell(task, pos, n))
            )
        results.append(Result("data", "items", metric="usages without tree", value=task.without_tree, **cell(task)))
        results += [Result("data", "left out", metric=why, value=n, **cell(task)) for why, n in task.left_out.items()]
    inventory = prepared.inventory
    counts = {"lexemes": len(inventory), "usages": inventory.n_usages}
    counts |= {f"left out: {reason}": count for reason, count in inventory.left_out.items()}
    place = {"space": "inventory", "dataset": inventory.name, "split": "all"}
    return results + [Result("data", metric=metric, value=value, **place) for metric, value in counts.items()]


def scaled_frequency(prepared: Prepared) -> tuple[dict[str, float], float]:
    """Occurrences of the main items' lexemes in a corpus as large as the paper's, and how much larger that one is.

    The measure is the average frequency of target nouns and verbs. `KeyError` for a lexeme that was not counted: it is
    none of the words for which the vectors were trained.
    """
    pos = {item.lexeme: item.pos for item in prepared.task}
    counts = {lexeme: prepared.trained.frequency[lexeme] for lexeme in pos}
    size = MEAN_FREQUENCY / float(np.mean([counts[lexeme] for lexeme in pos if pos[lexeme] in ("NOUN", "VERB")]))
    return {lexeme: count * size for lexeme, count in counts.items()}, size


def band_results(prepared: Prepared, runs: Iterable[Run], seed: int) -> list[Result]:
    """Table 7 (2-sense nouns, window 2, by the lexeme's frequency) and Figure 1 (lexemes in each band)."""
    frequency, size = scaled_frequency(prepared)
    task = prepared.task
    scales = {"average frequency": size, "be": BE / prepared.trained.frequency["be"]}
    place = {"space": "frequency bands", "dataset": task.dataset, "split": "all"}
    results = [Result("data", metric=f"scale by {what}", value=value, **place) for what, value in scales.items()]
    for pos in TAGS:
        lexemes = {item.lexeme for item in task if item.pos == pos}
        counts = Counter(sense_discrimination.frequency_band(frequency[lexeme], EDGES) for lexeme in lexemes)
        results += [
            Result("data", "frequency bands", metric=f"lexemes in band {band}", value=counts[band], **cell(task, pos))
            for band in range(len(EDGES) + 1)
        ]
    table = read_published("kober2017_table7")["rows"]
    for run in runs:
        if run.accuracy.space in ("none", space_name(2)):
            numbers = table.get(PUBLISHED_ROWS.get(run.accuracy.system)) if task.dataset == MAIN else None
            for accuracy, printed in zip(banded(run, frequency, seed), numbers or [None] * len(BANDS), strict=True):
                if len(accuracy.values):
                    results.append(row_of(accuracy, seed, published=printed, metric="accuracy"))
    return results


def banded(run: Run, frequency: Mapping[str, float], seed: int | None = None) -> list[Scores]:
    """Accuracy on 2-sense nouns in each of the `BANDS` of the lexeme's frequency.

    With a seed on as many lexemes of each band, drawn at random (section 4.4); otherwise on all.
    """
    items = run.scored.items
    bands = [BANDS[sense_discrimination.frequency_band(frequency[item.lexeme])] for item in items]
    if seed is not None:
        nouns = [(band, item.lexeme) for band, item in zip(bands, items, strict=True)
                 if item.pos == "NOUN" and item.senses == 2]  # fmt: skip
        rng, of_band = np.random.default_rng(seed), {band: sorted({x for b, x in nouns if b == band}) for band in BANDS}
        n = min((len(lexemes) for lexemes in of_band.values() if lexemes), default=0)
        drawn = {lexeme for lexemes in of_band.values() for lexeme in rng.permutation(lexemes)[:n].tolist()}
        bands = [band if item.lexeme in drawn else "" for band, item in zip(bands, items, strict=True)]
    labels = {**run.accuracy.labels, "band": np.array(bands)}
    by_frequency = replace(run.accuracy, metric="accuracy by frequency", labels=labels)
    return [by_frequency.where(pos="NOUN", senses=2, band=band) for band in BANDS]


def quality_results(trained: Trained) -> list[Result]:
    """How well the sense tagger does on SemCor, by part of speech."""
    return [
        Result(row["system"], "sense tagging", "semcor", row["pos"], metric, row[metric], n=row["items"],
               tolerance=TOLERANCE["trained"], prior=row.get("prior"),
               pos=None if row["pos"] == disambiguation.ALL else row["pos"])
        for row in trained.quality for metric in ("precision", "recall", "f1")
    ]  # fmt: skip


def neighbours(lexicon: Lexicon, phrase: str, n: int = 10) -> list[str]:
    """The words nearest to a composed phrase, its own words left out."""
    words = phrase.split()
    rows = [lexicon.row(word) for word in words]
    nearest = lexicon.space.neighbours(lexicon.context(words), n + len(words))
    return [label for label, _ in nearest if label not in rows][:n]


def neighbour_results(trained: Trained, n: int = 20) -> list[Result]:
    """Table 8 as a number: the share of neighbours that two phrases with one ambiguous word in common share."""
    results = []
    for name in (GOOGLE, WORD2VEC, DEP2VEC):
        lexicon = trained.lexicons.get(name)
        for pair in sense_vectors.PHRASES:
            if lexicon is None or any(lexicon.lacking(phrase.split()) for phrase in pair):
                continue
            first, second = (set(neighbours(lexicon, phrase, n)) for phrase in pair)
            split = " / ".join(plain(phrase.split()) for phrase in pair)
            results.append(Result(name, "neighbours", "table 8", split, f"shared of {n}", len(first & second) / n, n=n,
                                  tolerance=0.25))  # fmt: skip
    return results


# ------------------------------------------------------------------------------------------------- for the notebook


def text(usage: Usage) -> str:
    """The sentence of a usage of the teaching set."""
    return usage.sentence.comments["text"]


def result_at(
    results: Results | None, system: str, window=None, pos=None, senses=None, *, band=None, dataset=None,
    metric="accuracy",
) -> Result | None:  # fmt: skip
    """A system's figure with a context, on all main items of the run or a part of them, or on another dataset's."""
    if results is None:
        return None
    main, part = (MAIN, "test") if results.profile == "full" else ("senses", "all")
    space = "none" if system == RANDOM else space_name(window)
    names = {"part": part, "pos": pos, "senses": senses, "band": band, "metric": metric}
    return result_of(results, system=system, space=space, dataset=dataset or main, **names)


def drawn(results: Results | None) -> int | None:
    """How many draws of each item the claims see."""
    once, often = (result_at(results, WORD2VEC, 1, metric=metric) for metric in ("accuracy", DRAWN))
    return often and often.n // once.n


def cell_text(results: Results | None, system: str, window: int, pos: str, senses: int) -> str:
    """A cell of Table 5: the paper's figure and ours, with the mark of a difference from word overlap."""
    row, test = (
        result_at(results, system, window, pos, senses, metric=metric)
        for metric in ("accuracy", "p against word overlap")
    )
    if row is None:
        return ABSENT
    mark = "" if test is None or test.value >= 0.05 else "‡" if test.value < 0.01 else "†"
    return f"{printed(row)} / {row.value:.2f}{mark}"


def levels_table(scored: Scored, caption: str = "") -> Table:
    """Accuracy by the level of the right option and by that of the target, with 95% intervals."""
    credit, lexemes, rows = scored.credit, lexemes_of(scored.items), []
    for part in ("right option", "target"):
        of_part = levels_of(scored, part)
        for level in construction.LEVELS:
            here = of_part == level
            rows.append((part, level, here.sum(), figure(grouped_interval(credit[here], lexemes[here]))))
    return table(("sentence", "level", "items", "accuracy"), rows, caption, 2)


def levels_of(scored: Scored, part: str) -> np.ndarray:
    """The level of the "target" or of the "right option" of each item of the teaching set."""
    usages = (item.target if part == "target" else item.options[item.answer] for item in scored.items)
    return np.array([usage.sentence.comments["level"] for usage in usages])


def told_levels(scored: Scored) -> str:
    """What the levels have to do with accuracy, and how far the way in which items are drawn explains it."""
    target, option = (levels_of(scored, part) for part in ("target", "right option"))
    easy, lexemes = target != "hard", lexemes_of(scored.items)
    clear, medium, hard = (option == level for level in construction.LEVELS)

    def gap(*parts: np.ndarray) -> str:
        first, second = grouped_means([scored.credit[part] for part in parts], [lexemes[part] for part in parts])
        value = scored.credit[parts[0]].mean() - scored.credit[parts[1]].mean()
        return figure(Interval(value, *np.quantile(first - second, (0.025, 0.975))), signed=True)

    return (
        f"A hard target costs accuracy: hard minus clear is {gap(~easy, target == 'clear')}. With the right option the "
        "order is odd: items in which it is clear score lower than those in which it is medium, "
        f"{gap(clear, medium)}, and lower than those in which it is hard, {gap(clear, hard)}. Part of the reason is "
        "how items are drawn. A sense has one hard sentence at most, so a hard target never meets a hard right option "
        f"({(hard & ~easy).sum()} items), but {(clear & ~easy).sum()} of the {clear.sum()} clear ones. Without the "
        f"items with a hard target, clear minus hard is {gap(clear & easy, hard & easy)}, which may be chance, and "
        f"clear minus medium {gap(clear & easy, medium & easy)}, whose cause we do not know."
    )


def lead_of(scored: Scored, other: Scored) -> str:
    """How far one accuracy lies above another on the same items, with its 95% interval."""
    return figure(grouped_interval(scored.credit - other.credit, lexemes_of(scored.items)), signed=True)


def neighbours_table(lexicons: Mapping[str, Lexicon], caption: str = "") -> Table:
    """Table 8 as words: the paper's neighbours of each phrase, and those by each of our vectors."""
    paper = {row[0]: row[1] for row in read_published("kober2017_table8")["rows"]}
    rows = []
    for phrase in (phrase for pair in sense_vectors.PHRASES for phrase in pair):
        words = phrase.split()
        rows.append((plain(words), "published, word2vec", paper[plain(words)]))
        for name in (name for name in (GOOGLE, WORD2VEC, DEP2VEC) if name in lexicons):
            missing = lexicons[name].lacking(words)
            near = [] if missing else neighbours(lexicons[name], phrase, 8)
            lemmas = dict.fromkeys(label.rpartition("|")[0] or label for label in near)
            others = ", ".join([lemma for lemma in lemmas if lemma not in plain(words).split()][:5])
            rows.append((plain(words), name, f"no vector of {plain(missing, ', ')}" if missing else others))
    return table(("phrase", "vectors", "nearest words; of ours the phrase's own left out"), rows, caption, 2)


def items_table(full: Results | None, task: SenseDiscrimination) -> Table:
    """Table 4: how many items there are by part of speech and number of senses, published and ours."""
    rows = []
    for pos in TAGS:
        wanted = {"dataset": MAIN, "pos": pos, "metric": "items"}
        cells = [full.find(senses=n, **wanted) if full else () for n in OPTIONS]
        theirs = ["/".join(printed(row, 0) for row in both) or ABSENT for both in cells]
        in_full = ["/".join(f"{row.value:.0f}" for row in both) or ABSENT for both in cells]
        here = [str(len(task.of(pos, n))) for n in OPTIONS]
        named = (("published", theirs), ("full", in_full), ("this run", here))
        rows += [(NAMES[pos], of, *items) for of, items in named]
    caption = f"Items, development/test (Table 4); this run: all of {task.dataset}"
    return table(("", "", *(f"{n} senses" for n in OPTIONS)), rows, caption, 2)


def told_shares(full: Results | None) -> str:
    """Table 8 as a number: how many neighbours two phrases share by each kind of vectors."""
    shares: dict[str, dict[str, float]] = {}
    for row in full.find(space="neighbours") if full else ():
        shares.setdefault(row.system, {})[row.split] = row.value
    told = (
        f"{name} {np.mean([*of.values()]):.2f} on average and {max(of.values()):.2f} at most"
        for name, of in shares.items()
    )
    google = shares.get(GOOGLE, {})
    most = (f"*{split}* ({google[split]:.2f})" for split in sorted(google, key=google.get, reverse=True)[:3])
    return f"Shared neighbours: {', '.join(told)}. GoogleNews shares most in {', '.join(most)}." if shares else ""


def bands_table(full: Results | None, systems: Iterable[str], caption: str = "") -> Table:
    """Table 7: published and ours, nouns with 2 senses in a window of 2, by the lexeme's frequency."""
    rows = []
    for name in systems if full else ():
        cells = (result_at(full, name, 2, "NOUN", 2, band=band) for band in BANDS)
        rows.append((name, *(f"{printed(cell)} / {figure(cell)}" for cell in cells)))
    return table(("published / full", "below 10k", "10k to 50k", "50k and more"), rows, caption)


# ----------------------------------------------------------------------------------------------------------- claims


def runs_by_seed(
    runs: Sequence[Run], prepared: Prepared, profile: Profile, subset: bool | None
) -> dict[int, list[Run]]:
    """The runs on the main items by the seed with which the vectors were trained, the profile's own first."""
    ours = [place for place, run in enumerate(runs) if run.accuracy.system in SEEDED]

    def credit(trained: Trained) -> np.ndarray:
        lexicons = {name: trained.lexicons[name] for name in sense_vectors.SEEDED}
        again = replace(prepared, trained=replace(trained, lexicons=lexicons))
        made = (*additions(again, again.task), *ablations(again), *over_draws(again))
        return np.concatenate([run.accuracy.values for run in made])

    ends = np.cumsum([len(runs[place].accuracy.values) for place in ours])
    found = {profile["seed"]: list(runs)}
    for seed, credits in sense_vectors.over_seeds(profile, "sense-discrimination", credit, subset=subset).items():
        found[seed] = list(runs)
        for place, values in zip(ours, np.split(credits, ends[:-1]), strict=True):
            found[seed][place] = runs[place]._replace(accuracy=replace(runs[place].accuracy, values=values))
    return found


def claims(by_seed: Mapping[int, Sequence[Run]], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, and whether other composers do better: tested with every seed."""
    return over_seeds({own: _claims(runs, prepared, seed) for own, runs in by_seed.items()})


def _claims(runs: Sequence[Run], prepared: Prepared, seed: int) -> list[Claim]:
    tested = [run.accuracy for run in runs]
    parsed = np.array([all(usage.has_tree for usage in item.usages) for item in prepared.again], dtype=bool)
    for run in (run for run in runs if (run.accuracy.system, run.accuracy.metric) == (WORD2VEC, DRAWN)):
        if parsed.any():
            tested.append(run.accuracy.subset(parsed, metric="accuracy where all is parsed"))
        if run.accuracy["window"] == 2:
            rare, middle, frequent = banded(run, scaled_frequency(prepared)[0])
            if min(len(np.unique(band.groups)) for band in (rare, frequent)) >= FEWEST:
                tested += [rare, middle, frequent]
    return evaluate("sense_discrimination", tested, seed=seed)


# ---------------------------------------------------------------------------------------------------------- together


def beyond_runs(prepared: Prepared, profile: Profile) -> Iterator[Run]:
    """The contextual models of other chapters on the main items."""
    yield sentence_model(prepared.task)
    if profile.name == "full":
        counted = contextual_models.training_counts(profile)
        senses = profile["sense_discrimination.latent"]
        trained = contextual_models.train(counted, profile["contextual"], profile["seed"], senses=senses, keep=True)
        models = {name: model for name, model in trained.models.items() if name != "M&L"}
        yield from contextual(models, contextual_models.Vocabulary(counted.words), prepared.task)


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All of them, but that the credits by the vectors of further seeds are the stored ones.
    """
    return results_of(prepare(profile, sense_vectors.vectors(profile)), profile, subset=subset)[0]


def results_of(prepared: Prepared, profile: Profile, *, subset: bool | None = None) -> tuple[Results, list[Run]]:
    """The figures of what was prepared, and the runs on the main items behind them.

    `subset` as for `figures`; without it the vectors' own seed is the only one.
    """
    seed, mine = profile["seed"], []
    results = [*data_results(prepared), *coverage_results(prepared)]
    for task in prepared.tasks:
        main = task is prepared.task
        runs = [*baselines(task), *additions(prepared, task)]
        if main:
            runs += ablations(prepared)
        base = {run.accuracy.space: run for run in runs if run.accuracy.system == OVERLAP}
        for run in runs:
            against = base.get(run.accuracy.space) if main and run.accuracy.system not in (RANDOM, OVERLAP) else None
            results += run_results(run, seed, against, cells=task.split != "dev")
            results += unknown_results(run) if main else []
        mine += runs if main else []
    beyond = list(beyond_runs(prepared, profile))
    for run in beyond:
        results += [*run_results(run, seed), *unknown_results(run)]
    mine += beyond
    often = list(over_draws(prepared))
    for run in often:
        results += run_results(run, seed, cells=False)
    results += [*band_results(prepared, mine, seed), *quality_results(prepared.trained)]
    results += neighbour_results(prepared.trained)
    names = [PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"]
    provenance = made_with(datasets.used(names if profile.name == "full" else []), prepared.trained.corpus, seed)
    by_seed = runs_by_seed([*mine, *often], prepared, profile, subset)
    scores = {own: [of.accuracy for of in runs if of.accuracy.system in SEEDED] for own, runs in by_seed.items()}
    results += contextual_models.seed_rows(scores)
    tested = claims(by_seed, prepared, seed)
    return Results("sense_discrimination", "kober2017", profile.name, provenance, results, tested), mine
