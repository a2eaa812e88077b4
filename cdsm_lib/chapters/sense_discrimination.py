"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, sense_vectors, training_counts
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.composition import senses as composition
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.display import ABSENT, Table, figure, plain, printed, result_of, table
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.significance import grouped_interval, paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import SENSES as OPTIONS
from cdsm_lib.tasks.sense_discrimination import TAGS, WINDOWS, Item, Scored, SenseDiscrimination, Usage
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.vectors import disambiguation
from cdsm_lib.vectors.similarity import paired_cosines

RANDOM, OVERLAP = "random", "word overlap"
CONTEXT_ONLY = "word2vec, context alone"
TAGGED, GOLD = "senses, tagged", "senses, gold labels"
SYSTEMS = (RANDOM, OVERLAP, GOOGLE, WORD2VEC, DEP2VEC, SENSES)
"""Those of the paper's tables."""
SEEDED = (*sense_vectors.SEEDED, TAGGED)
"""Systems with vectors that are trained here: claims are tested with every seed of these."""
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
    return SenseDiscrimination(tasks[0].dataset, tasks[0].split, tuple(item for task in tasks for item in task))


def sampled(inventory: Inventory, seed: int, *, split: bool, at_least: bool = False) -> SenseDiscrimination:
    """The construction of section 4.2 for 2 to 5 senses; with `split` the items of the test split, by lexeme.

    With `at_least` a lexeme with exactly n senses may serve for n, too.
    """
    tasks = [construction.sample(inventory, n, seed, more_than=n - 1 if at_least else n) for n in OPTIONS]
    return whole(construction.divide(task, seed) if split else task for task in tasks)


def published_items(inventory: Inventory, seed: int) -> SenseDiscrimination:
    """The published test items that come from SemCor."""
    return whole(construction.published_semcor(n, inventory, seed) for n in OPTIONS)


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
    senses = tagged[places].tolist()
    return {usage: trained.tagger.senses[sense] for usage, sense in zip(usages, senses, strict=True) if sense >= 0}


# -------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Prepared:
    """Tasks and vectors.

    Attributes
    ----------
    task : SenseDiscrimination
        The main items.
    again : SenseDiscrimination
        The same, and more draws of them.
    published : SenseDiscrimination or None
        The published items (full profile).
    inventory : Inventory
    trained : Trained
    settings : dict
        ``[*.vectors.tagger]``.
    """

    task: SenseDiscrimination
    again: SenseDiscrimination
    published: SenseDiscrimination | None
    inventory: Inventory
    trained: Trained
    settings: Mapping


def prepare(profile: Profile, trained: Trained | None = None) -> Prepared:
    """Build the tasks, and train or read the vectors (unless they are given).

    The main items are a test split of SemCor's; or all of the teaching set.
    """
    settings, seed = profile["sense_discrimination"], profile["seed"]
    real = settings["inventory"] == "semcor"
    inventory = sense_vectors.semcor_and_wordnet() if real else construction.load_inventory()
    task = sampled(inventory, seed, split=real, at_least=settings["at_least"])
    again = construction.drawn_again(task, inventory, settings["draws"], seed)
    published = published_items(inventory, seed) if real else None
    return Prepared(
        task, again, published, inventory, trained or sense_vectors.vectors(profile), profile["vectors.tagger"]
    )


def lexemes_of(items: Iterable[Item]) -> np.ndarray:
    """The number of each item's lexeme: int64 [items]. Items of one lexeme are drawn together."""
    return np.unique([item.lexeme for item in items], return_inverse=True)[1]


def run_of(system: str, window: int | str, task: SenseDiscrimination, similarity: Callable) -> Scores:
    """A system's credit on each item of a task, with its part of speech and number of senses."""
    return Scores(
        system, space_name(window), task.dataset, task.split, "accuracy",
        sense_discrimination.scores(task, similarity).credit,
        tolerance=tolerance_of(system, len(task)),
        groups=lexemes_of(task),
        columns={"part": task.split, "window": window if isinstance(window, int) else None},
        labels={"pos": np.array([item.pos for item in task]), "senses": np.array([item.senses for item in task])},
    )  # fmt: skip


def word_overlap(task: SenseDiscrimination) -> Iterator[Scores]:
    """The baseline with every context."""
    for window in CONTEXTS:
        yield run_of(OVERLAP, window, task, sense_discrimination.word_overlap(window, context))


def additions(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Scores]:
    """Every lexicon by addition, with every context."""
    for name, lexicon in prepared.trained.lexicons.items():
        for window in CONTEXTS:
            yield run_of(name, window, task, additive(lexicon, window))


def ablations(prepared: Prepared) -> Iterator[Scores]:
    """word2vec without the lexeme; sense vectors with the tagger's and with the gold labels of all sentences."""
    lexicons, task, gold = prepared.trained.lexicons, prepared.task, prepared.inventory.synsets
    tagged = sense_labels(prepared.trained, (usage for item in task for usage in item.usages), prepared.settings)
    labels = {TAGGED: tagged.get, GOLD: lambda usage: gold.get(usage.sense, usage.sense)}
    for window in WINDOWS:
        yield run_of(CONTEXT_ONLY, window, task, additive(lexicons[WORD2VEC], window, alone=True))
        for name, label in labels.items():
            yield run_of(name, window, task, additive(lexicons[SENSES], window, labels=label))


def over_draws(prepared: Prepared) -> Iterator[Scores]:
    """What claims compare, vectors of one corpus by addition, on more draws of the items."""
    for name in (WORD2VEC, DEP2VEC, SENSES):
        for window in CONTEXTS:
            run = run_of(name, window, prepared.again, additive(prepared.trained.lexicons[name], window))
            yield replace(run, metric=DRAWN)


def sentence_model(task: SenseDiscrimination) -> Scores:
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


def parts_of(accuracy: Scores, among: Iterable[tuple[str | None, int | None]]) -> list[Scores]:
    """The parts of a run with a part of speech, a number of senses, or both, that have items."""
    parts = [accuracy.where(**{name: x for name, x in (("pos", pos), ("senses", n)) if x}) for pos, n in among]
    return [part for part in parts if len(part.values)]


def cell_results(accuracy: Scores, overlap: Scores | None, among: Iterable[tuple[str, int]], seed: int) -> list[Result]:
    """Cells of Tables 5 and 6: accuracy, and its test against word overlap, by drawing lexemes."""
    rows = []
    for part in parts_of(accuracy, among):
        row = row_of(part, seed, published=published(part))
        rows.append(row)
        if overlap is not None:
            base = overlap.where(pos=part["pos"], senses=part["senses"]).by_group()
            p = paired_permutation_test(part.by_group(), base, RESAMPLES, seed, ties=True)
            changes = {"value": p, "low": None, "high": None, "published": None, "tolerance": TOLERANCE["p"]}
            rows.append(row.changed(metric="p against word overlap", **changes))
    return rows


def main_results(runs: Iterable[Scores], seed: int) -> list[Result]:
    """All items of the main task, each number of senses (Figure 2), and the cells of Tables 5 and 6."""
    runs, results = list(runs), []
    overlap = {run.space: run for run in runs if run.system == OVERLAP}
    for run in runs:
        results.append(row_of(run, seed))
        if run.system in SYSTEMS[1:]:
            results += [row_of(part, seed) for part in parts_of(run, ((None, n) for n in OPTIONS))]
        cells = [(pos, n) for pos in TAGS for n in OPTIONS] if run.system in SYSTEMS else []
        if run.space != DEPENDENCY:
            against = overlap.get(run.space) if run.system not in (RANDOM, OVERLAP) else None
            results += cell_results(run, against, [("NOUN", 5)] if run.system == TAGGED else cells, seed)
    return results


def coverage_results(prepared: Prepared) -> list[Result]:
    """The share of context words (window 4) that each lexicon lacks."""
    words = [word for item in prepared.task for usage in item.usages for word in context(usage, 4)]
    return [
        Result.of(system=name, space="vocabulary", metric="share of context words unknown", n=len(words),
                  **cell(prepared.task), value=sum(word not in lexicon for word in words) / len(words))
        for name, lexicon in prepared.trained.lexicons.items()
    ]  # fmt: skip


def data_results(task: SenseDiscrimination) -> list[Result]:
    """Table 4: test items by part of speech and number of senses; and sentences that are not parsed."""
    sizes, results = construction.split_sizes(), []
    for (pos, n), items in sorted(Counter((item.pos, item.senses) for item in task).items()):
        printed = float(sizes[pos, n][1]) if task.dataset == MAIN else None
        place = {"system": "data", "space": "items", **cell(task, pos, n)}
        results.append(Result.of(metric="items", value=items, published=printed, **place))
    place = {"system": "data", "space": "items", **cell(task)}
    unparsed = Result.of(metric="usages without tree", value=task.without_tree, **place)
    return [*results, unparsed]


def scaled_frequency(prepared: Prepared) -> tuple[dict[str, float], float]:
    """Occurrences of the main items' lexemes in a corpus as large as the paper's, and how much larger that one is.

    The measure is the average frequency of target nouns and verbs. `KeyError` for a lexeme that was not counted: it is
    none of the words for which the vectors were trained.
    """
    pos = {item.lexeme: item.pos for item in prepared.task}
    counts = {lexeme: prepared.trained.frequency[lexeme] for lexeme in pos}
    size = MEAN_FREQUENCY / float(np.mean([counts[lexeme] for lexeme in pos if pos[lexeme] in ("NOUN", "VERB")]))
    return {lexeme: count * size for lexeme, count in counts.items()}, size


def band_results(prepared: Prepared, runs: Iterable[Scores], seed: int) -> list[Result]:
    """Table 7 (2-sense nouns, window 2, by the lexeme's frequency) and Figure 1 (lexemes in each band)."""
    frequency, size = scaled_frequency(prepared)
    task = prepared.task
    scales = {"average frequency": size, "be": BE / prepared.trained.frequency["be"]}
    place = {"space": "frequency bands", "dataset": task.dataset, "split": "all"}
    results = [Result("data", metric=f"scale by {what}", value=value, **place) for what, value in scales.items()]
    for pos in TAGS:
        lexemes = {item.lexeme for item in task if item.pos == pos}
        counts = Counter(sense_discrimination.frequency_band(frequency[lexeme], EDGES) for lexeme in lexemes)
        place = {"space": "frequency bands", **cell(task, pos)}
        results += [
            Result.of(system="data", metric=f"lexemes in band {band}", value=counts[band], **place)
            for band in range(len(EDGES) + 1)
        ]
    table = read_published("kober2017_table7")["rows"]
    for run in runs:
        if run.system in SYSTEMS[1:] and run.space == space_name(2):
            numbers = table.get(PUBLISHED_ROWS.get(run.system)) if task.dataset == MAIN else None
            bands = banded(run, task, frequency, seed)
            for accuracy, printed in zip(bands, numbers or [None] * len(BANDS), strict=True):
                if len(accuracy.values):
                    results.append(row_of(accuracy, seed, published=printed, metric="accuracy"))
    return results


def banded(
    run: Scores, items: Iterable[Item], frequency: Mapping[str, float], seed: int | None = None
) -> list[Scores]:
    """Accuracy on 2-sense nouns in each of the `BANDS` of the lexeme's frequency.

    With a seed on as many lexemes of each band, drawn at random (section 4.4); otherwise on all.
    """
    bands = [BANDS[sense_discrimination.frequency_band(frequency[item.lexeme])] for item in items]
    if seed is not None:
        nouns = [(band, item.lexeme) for band, item in zip(bands, items, strict=True)
                 if item.pos == "NOUN" and item.senses == 2]  # fmt: skip
        rng, of_band = np.random.default_rng(seed), {band: sorted({x for b, x in nouns if b == band}) for band in BANDS}
        n = min((len(lexemes) for lexemes in of_band.values() if lexemes), default=0)
        drawn = {lexeme for lexemes in of_band.values() for lexeme in rng.permutation(lexemes)[:n].tolist()}
        bands = [band if item.lexeme in drawn else "" for band, item in zip(bands, items, strict=True)]
    labels = {**run.labels, "band": np.array(bands)}
    by_frequency = replace(run, metric="accuracy by frequency", labels=labels)
    return [by_frequency.where(pos="NOUN", senses=2, band=band) for band in BANDS]


def quality_results(trained: Trained) -> list[Result]:
    """How well the sense tagger does on SemCor, by part of speech."""
    return [
        Result(system, "sense tagging", "semcor", pos, "f1", score.f1, n=score.items, tolerance=TOLERANCE["trained"],
               columns={"pos": None if pos == disambiguation.ALL else pos})
        for system, scores in trained.quality.items() for pos, score in scores.items()
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


def levels_table(run: Scores, items: Sequence[Item], caption: str = "") -> Table:
    """Accuracy by the level of the right option and by that of the target, with 95% intervals."""
    credit, lexemes, rows = run.values, lexemes_of(items), []
    for part in ("right option", "target"):
        levels = levels_of(items, part)
        for level in construction.LEVELS:
            here = levels == level
            rows.append((part, level, here.sum(), figure(grouped_interval(credit[here], lexemes[here]))))
    return table(("sentence", "level", "items", "accuracy"), rows, caption, 2)


def levels_of(items: Iterable[Item], part: str) -> np.ndarray:
    """The level of the "target" or of the "right option" of each item of the teaching set."""
    usages = (item.target if part == "target" else item.options[item.answer] for item in items)
    return np.array([usage.sentence.comments["level"] for usage in usages])


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
        cells = [result_of(full, senses=n, **wanted) for n in OPTIONS]
        theirs = [printed(cell, 0) for cell in cells]
        in_full = [ABSENT if cell is None else f"{cell.value:.0f}" for cell in cells]
        here = [str(len(task.of(pos, n))) for n in OPTIONS]
        named = (("published", theirs), ("full", in_full), ("this run", here))
        rows += [(NAMES[pos], source, *items) for source, items in named]
    caption = f"Items of the test split (Table 4); this run: all of {task.dataset}"
    return table(("", "", *(f"{n} senses" for n in OPTIONS)), rows, caption, 2)


def bands_table(full: Results | None, systems: Iterable[str], caption: str = "") -> Table:
    """Table 7: published and ours, nouns with 2 senses in a window of 2, by the lexeme's frequency."""
    rows = []
    for name in systems if full else ():
        cells = (result_at(full, name, 2, "NOUN", 2, band=band) for band in BANDS)
        rows.append((name, *(f"{printed(cell)} / {figure(cell)}" for cell in cells)))
    return table(("published / full", "below 10k", "10k to 50k", "50k and more"), rows, caption)


# ----------------------------------------------------------------------------------------------------------- claims


def runs_by_seed(
    runs: Sequence[Scores], prepared: Prepared, profile: Profile, subset: bool | None
) -> dict[int, list[Scores]]:
    """The runs on the main items by the seed with which the vectors were trained, the profile's own first."""
    places = [place for place, run in enumerate(runs) if run.system in SEEDED]

    def credit(trained: Trained) -> np.ndarray:
        lexicons = {name: trained.lexicons[name] for name in sense_vectors.SEEDED}
        again = replace(prepared, trained=replace(trained, lexicons=lexicons))
        trained_runs = (*additions(again, again.task), *ablations(again), *over_draws(again))
        return np.concatenate([run.values for run in trained_runs if run.system in SEEDED])

    ends = np.cumsum([len(runs[place].values) for place in places])
    by_seed = {profile["seed"]: list(runs)}
    for seed, credits in sense_vectors.over_seeds(profile, "sense-discrimination", credit, subset=subset).items():
        by_seed[seed] = list(runs)
        for place, values in zip(places, np.split(credits, ends[:-1]), strict=True):
            by_seed[seed][place] = replace(runs[place], values=values)
    return by_seed


def claims(by_seed: Mapping[int, Sequence[Scores]], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, and whether context2vec does better: tested with every seed."""
    return over_seeds({trained_with: _claims(runs, prepared, seed) for trained_with, runs in by_seed.items()})


def _claims(runs: Sequence[Scores], prepared: Prepared, seed: int) -> list[Claim]:
    tested, items = list(runs), prepared.again.items
    parsed = np.array([all(usage.has_tree for usage in item.usages) for item in items], dtype=bool)
    for run in (run for run in runs if (run.system, run.metric) == (WORD2VEC, DRAWN)):
        if parsed.any():
            tested.append(run.subset(parsed, metric="accuracy where all is parsed"))
        if run["window"] == 2:
            rare, middle, frequent = banded(run, items, scaled_frequency(prepared)[0])
            if min(len(np.unique(band.groups)) for band in (rare, frequent)) >= FEWEST:
                tested += [rare, middle, frequent]
    return evaluate("sense_discrimination", tested, seed=seed)


# ---------------------------------------------------------------------------------------------------------- together


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All of them, but that the credits by the vectors of further seeds are the stored ones.
    """
    return results_of(prepare(profile, sense_vectors.vectors(profile)), profile, subset=subset)[0]


def results_of(prepared: Prepared, profile: Profile, *, subset: bool | None = None) -> tuple[Results, list[Scores]]:
    """The figures of what was prepared, and the runs on the main items behind them.

    `subset` as for `figures`; without it the vectors' own seed is the only one.
    """
    seed, task = profile["seed"], prepared.task
    chance = run_of(RANDOM, "none", task, lambda item: np.zeros(item.senses))
    runs = [chance, *word_overlap(task), *additions(prepared, task), *ablations(prepared), sentence_model(task)]
    draws = list(over_draws(prepared))
    results = [*data_results(task), *coverage_results(prepared), *main_results(runs, seed)]
    results += [row_of(run, seed) for run in draws]
    if published := prepared.published:
        results += [row_of(run, seed) for run in (*word_overlap(published), *additions(prepared, published))]
    results += [*band_results(prepared, runs, seed), *quality_results(prepared.trained)]
    results += neighbour_results(prepared.trained)
    by_seed = runs_by_seed([*runs, *draws], prepared, profile, subset)
    shown = {
        trained_with: [run for run in again if run.system in sense_vectors.SEEDED and run.metric == "accuracy"]
        for trained_with, again in by_seed.items()
    }
    results += ledger.seed_rows(shown)
    names = [PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"]
    provenance = made_with(datasets.used(names if profile.name == "full" else []), prepared.trained.corpus, seed)
    tested = claims(by_seed, prepared, seed)
    return Results("sense_discrimination", "kober2017", profile.name, provenance, results, tested), runs
