"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec, contextual_models, sense_vectors
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.composition.contextual import cosines as contextual_cosines
from cdsm_lib.composition.senses import closest_sense
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.display import ABSENT, plain, result_of
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.significance import paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import SENSES as OPTIONS
from cdsm_lib.tasks.sense_discrimination import (
    SPLITS,
    TAGS,
    WINDOWS,
    Item,
    Scored,
    SenseDiscrimination,
    Usage,
    frequency_band,
    scores,
)
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.vectors import disambiguation

RANDOM, OVERLAP = "random", "word overlap"
CONTEXT_ONLY = "word2vec, context alone"
TAGGED, GOLD = "senses, tagged", "senses, gold labels"
DEPENDENCY = "dependency"
CONTEXTS = (*WINDOWS, DEPENDENCY)
MAIN = "semcor+wordnet"
PUBLISHED_SET = "sense2017_semcor"
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
_COLUMN = {"ADJ": "Adj", "NOUN": "Noun", "VERB": "Verb"}
_ROW = {"ADJ": "Adjective", "NOUN": "Noun", "VERB": "Verb"}
BANDS = ("rare", "middle", "frequent")
FEWEST = 10
"""Items that a frequency band needs for a verdict."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "part": 0.12, "p": 0.5}
"""A tie that rounding turns moves an accuracy by one item; other rounding in skip-gram moves several of them, and of a
part with a hundred items or fewer many a hundredth. A p-value follows."""


# ------------------------------------------------------------------------------------------------- items and systems


def space_name(window: int | str) -> str:
    """How figures name a context."""
    return f"window {window}" if isinstance(window, int) else window


_WINDOW = {space_name(window): window for window in WINDOWS}


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


class Contexts:
    """The context words of usages, each looked for once."""

    def __init__(self):
        self._words: dict[tuple[int, int | str], list[str]] = {}
        self._usages: list[Usage] = []  # a usage that went away could lend its id to another

    def of(self, usage: Usage, window: int | str) -> list[str]:
        """The context words of a usage in a window."""
        key = (id(usage), window)
        if key not in self._words:
            self._usages.append(usage)
            self._words[key] = sense_discrimination.context(usage, window)
        return self._words[key]


def additive(lexicon: Lexicon, window: int | str, contexts: Contexts, *, alone: bool = False, labels=None) -> Callable:
    """Add the lexeme's vector to those of its context; the closest senses decide (section 4.3).

    Parameters
    ----------
    lexicon : Lexicon
    window : int or "dependency"
    contexts : Contexts
    alone : bool
        Leave the lexeme itself out.
    labels : callable, optional
        The sense of a usage, or None. Its vector then stands for the lexeme; without one all senses compete.
    """

    def similarity(item: Item) -> np.ndarray | None:
        usages = item.usages
        around = [contexts.of(usage, window) for usage in usages]
        known = [word for words in around for word in words if word in lexicon]
        if not known and (alone or item.lexeme not in lexicon):
            return None
        target, *options = (lexicon.context(words) for words in around)
        if labels is None:
            senses = np.zeros((1, lexicon.space.d)) if alone else lexicon.of(item.lexeme)
            similar = closest_sense(senses, target, np.array(options))
        else:
            own = [_labelled(lexicon, item.lexeme, labels(usage)) for usage in usages]
            sums = [senses + vector for senses, vector in zip(own, (target, *options), strict=True)]
            similar = np.array([_closest(sums[0], other) for other in sums[1:]])
        return np.round(similar, 9)

    return similarity


def _labelled(lexicon: Lexicon, lexeme: str, sense: str | None) -> np.ndarray:
    if lexeme in lexicon.senses and sense in lexicon.senses.names_of(lexeme):
        return np.asarray(lexicon.senses.vector(lexeme, sense), dtype=np.float64)[None]
    return lexicon.of(lexeme)


def _closest(first: np.ndarray, second: np.ndarray) -> float:
    norms = np.linalg.norm(first, axis=1)[:, None] * np.linalg.norm(second, axis=1)[None]
    return float(np.divide(first @ second.T, norms, out=np.zeros(norms.shape), where=norms > 0).max())


def sense_labels(trained: Trained, usages: Iterable[Usage], settings: Mapping) -> dict[int, str]:
    """The sense that the tagger gives each usage, by the usage's id."""
    usages = list({id(usage): usage for usage in usages}.values())
    corpus = corpus_from_sentences([usage.sentence for usage in usages])
    space = trained.lexicons[WORD2VEC].space
    rows = materials.rows_of(corpus, space.rows)
    tagged = trained.tagger.tag(
        corpus, sense_vectors.unit(space), rows, window=settings["window"] or None, prior_weight=settings["prior"]
    )
    places = corpus.offsets[:-1] + np.array([usage.position for usage in usages])
    numbers = tagged.senses[places]
    return {
        id(usage): trained.tagger.senses[number]
        for usage, number in zip(usages, numbers.tolist(), strict=True) if number >= 0
    }  # fmt: skip


# -------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Run:
    """What a system with a context made of a task's items."""

    system: str
    space: str
    task: SenseDiscrimination
    scored: Scored

    def where(self, pos: str | None = None, senses: int | None = None) -> np.ndarray:
        """Which items are of a part of speech and number of senses (bool array [items])."""
        return np.array([pos in (None, i.pos) and senses in (None, i.senses) for i in self.task], dtype=bool)

    def accuracy(
        self,
        pos: str | None = None,
        senses: int | None = None,
        band: str | None = None,
        items: np.ndarray | None = None,
        metric: str = "accuracy",
    ) -> Scores:
        """The credits of the items of a part of speech and number of senses, or of these (bool array [items])."""
        credit = self.scored.credit[self.where(pos, senses) if items is None else items]
        names = cell(self.task, pos, senses, band)
        return Scores(
            self.system, self.space, names.pop("dataset"), names.pop("split"), metric, credit,
            tolerance=tolerance_of(self.system, len(credit)) if len(credit) else 0.0,
            columns={**names, "window": _WINDOW.get(self.space)},
        )  # fmt: skip


@dataclass(frozen=True)
class Prepared:
    """Tasks, vectors, and the contexts found so far.

    Attributes
    ----------
    tasks : dict of (dataset, split) to SenseDiscrimination
    main : (str, str)
        The one that claims are tested on.
    inventory : Inventory
    trained : Trained
    settings : dict
        ``[*.vectors.tagger]``.
    contexts : Contexts
    """

    tasks: Mapping[tuple[str, str], SenseDiscrimination]
    main: tuple[str, str]
    inventory: Inventory
    trained: Trained
    settings: Mapping
    contexts: Contexts = field(default_factory=Contexts)

    @property
    def task(self) -> SenseDiscrimination:
        """The items that claims are tested on."""
        return self.tasks[self.main]


def tasks_of(inventory: Inventory, seed: int, *, at_least: bool = False) -> dict:
    """The items: a development and a test split of SemCor's, and the published ones; all of the teaching set."""
    if inventory.name == "senses":
        tasks = sampled(inventory, seed, split=False, at_least=at_least)
    else:
        tasks = [*sampled(inventory, seed, split=True, at_least=at_least), *published_items(inventory, seed)]
    return {(task.dataset, task.split): task for task in tasks}


def prepare(profile: Profile, trained: Trained | None = None) -> Prepared:
    """Build the task, and train or read the vectors (unless they are given)."""
    settings, seed = profile["sense_discrimination"], profile["seed"]
    real = settings["inventory"] == "semcor"
    inventory = sense_vectors.semcor_and_wordnet() if real else construction.load_inventory()
    tasks = tasks_of(inventory, seed, at_least=settings["at_least"])
    main = (inventory.name, "test") if (inventory.name, "test") in tasks else (inventory.name, "all")
    return Prepared(tasks, main, inventory, trained or sense_vectors.vectors(profile), profile["vectors.tagger"])


def run_of(system: str, window: int | str, task: SenseDiscrimination, similarity: Callable) -> Run:
    """A system's run on a task."""
    return Run(system, space_name(window), task, scores(task, similarity))


def baselines(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """Random choice, whose accuracy is known, and word overlap."""
    yield run_of(RANDOM, "none", task, lambda item: np.zeros(item.senses))
    for window in CONTEXTS:
        yield run_of(OVERLAP, window, task, sense_discrimination.word_overlap(window, prepared.contexts.of))


def additions(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """Every lexicon by addition, with every context."""
    for name, lexicon in prepared.trained.lexicons.items():
        for window in CONTEXTS:
            yield run_of(name, window, task, additive(lexicon, window, prepared.contexts))


def ablations(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """word2vec without the lexeme; sense vectors with the tagger's and with the gold labels of all sentences."""
    lexicons = prepared.trained.lexicons
    usages = [usage for item in task for usage in item.usages]
    tagged = sense_labels(prepared.trained, usages, prepared.settings)
    gold = prepared.inventory.synsets or {}
    labels = {TAGGED: lambda usage: tagged.get(id(usage)), GOLD: lambda usage: gold.get(usage.sense, usage.sense)}
    for window in CONTEXTS:
        yield run_of(CONTEXT_ONLY, window, task, additive(lexicons[WORD2VEC], window, prepared.contexts, alone=True))
        for name, label in labels.items():
            similarity = additive(lexicons[SENSES], window, prepared.contexts, labels=label)
            yield run_of(name, window, task, similarity)


# --------------------------------------------------------------------------------------------- beyond: other composers


def contextual(
    models: Mapping[str, object], known: contextual_models.Vocabulary, task: SenseDiscrimination
) -> Iterator[Run]:
    """The lexeme's vector in the context of its sentence, by models of chapter 10, compared by cosine.

    M&L is left out: it leaves the lexeme's vector as it is, so that all options tie.
    """
    usages = {id(usage): usage for item in task for usage in item.usages}
    seen = {key: contextual_models.parsed(usage.sentence, known) for key, usage in usages.items()}
    for name, model in models.items():
        vectors = {key: _in_context(model, seen[key], usages[key].position) for key in usages}

        def similarity(item: Item, vectors=vectors) -> np.ndarray | None:
            target, *options = (vectors[id(usage)] for usage in item.usages)
            if target is None or all(option is None for option in options):
                return None
            return np.array(
                [0.0 if o is None else round(float(contextual_cosines(target, o)[0, 0]), 9) for o in options]
            )

        yield run_of(name, "sentence", task, similarity)


def _in_context(model, sentence: contextual_models.Parsed, position: int):
    """The vector of one word of a sentence in context, None if it has none."""
    if sentence.words[position] is None:
        return None
    rows = model.in_context(sentence.words, sentence.arcs)
    known = [i for i, word in enumerate(sentence.words) if word is not None]
    if rows.shape[0] < len(known):  # the model leaves out words of which it has no data
        known = [i for i in known if model.in_context([sentence.words[i]], ()).shape[0]]
    return rows[[known.index(position)]] if position in known else None


def sentence_model(task: SenseDiscrimination) -> Run:
    """context2vec: the vector of the empty place in the sentence, compared by cosine; the lexeme is not even read."""
    model = context2vec.load()
    vectors: dict[int, np.ndarray] = {}

    def vector(usage: Usage) -> np.ndarray:
        if id(usage) not in vectors:
            words = [f"{token.lemma}|{token.upos}" for token in usage.sentence]
            row = np.asarray(model.context(words, usage.position), dtype=np.float64)
            vectors[id(usage)] = row / np.linalg.norm(row)
        return vectors[id(usage)]

    def similarity(item: Item) -> np.ndarray:
        target, *options = (vector(usage) for usage in item.usages)
        return np.round([target @ option for option in options], 6)  # float32 weights

    return run_of("context2vec", "sentence", task, similarity)


# ---------------------------------------------------------------------------------------------------------- figures


def tolerance_of(system: str, items: int) -> float:
    """How far a recomputed accuracy of so many items may lie from the committed one."""
    if system in (RANDOM, OVERLAP):
        return TOLERANCE["exact"]
    if system in (GOOGLE, "context2vec"):
        return TOLERANCE["given vectors"] + 1 / items
    return TOLERANCE["trained"] + 0.8 / np.sqrt(items)


def published(system: str, space: str, pos: str, n: int) -> float | None:
    """Table 5's accuracy; Table 6's for sense labels at test time."""
    row, window = PUBLISHED_ROWS.get(system), _WINDOW.get(space)
    if system == TAGGED:
        windows = dict(zip(WINDOWS, read_published("kober2017_table6")["rows"][row], strict=True))
        return windows.get(window) if (pos, n) == ("NOUN", 5) else None
    table = read_published("kober2017_table5")
    cells = table["by_window"].get("1" if system == RANDOM else str(window), {}).get(row)
    return cells[table["columns"].index(f"{_COLUMN[pos]}{n}")] if cells else None


def cell(task: SenseDiscrimination, pos: str | None = None, senses: int | None = None, band: str | None = None) -> dict:
    """How figures name a part of a task's items: dataset and split, and the columns of the part."""
    parts = [task.split, pos, senses and f"{senses} senses", band]
    columns = {"part": task.split, "pos": pos, "senses": senses, "band": band}
    return {"dataset": task.dataset, "split": ", ".join(part for part in parts if part), **columns}


def run_results(run: Run, seed: int, base: Run | None = None, *, cells: bool = True) -> list[Result]:
    """Accuracy of all items, of each number of senses, and of each of Table 5's cells, there with the test."""
    parts = [(None, None), *((None, n) for n in OPTIONS), *((pos, n) for pos in TAGS if cells for n in OPTIONS)]
    comparable = (run.task.dataset, run.task.split) == (MAIN, "test")
    results = []
    for pos, n in parts:
        accuracy = run.accuracy(pos, n)
        if not len(accuracy.values):
            continue
        printed = published(run.system, run.space, pos, n) if pos and comparable else None
        row = accuracy.row(seed, RESAMPLES, published=printed)
        results.append(row)
        if base is not None and pos:
            p = paired_permutation_test(accuracy.values, base.accuracy(pos, n).values, RESAMPLES, seed, ties=True)
            changes = {"value": p, "low": None, "high": None, "published": None, "tolerance": TOLERANCE["p"]}
            results.append(replace(row, metric="p against word overlap", **changes))
    return results


def unknown_results(run: Run) -> list[Result]:
    """Items of which the system knows no word, and items in which several options tie for the best."""
    names = {**cell(run.task), "n": len(run.task), "window": _WINDOW.get(run.space)}
    names["tolerance"] = max(2, len(run.task) // 50)
    counts = {"items unknown": run.scored.unknown.sum(), "items tied": run.scored.tied.sum()}
    return [Result(run.system, run.space, metric=name, value=int(n), **names) for name, n in counts.items()]


def coverage_results(prepared: Prepared, window: int = 4) -> list[Result]:
    """The share of context words, and of lexemes, that each lexicon lacks."""
    usages = [usage for item in prepared.task for usage in item.usages]
    needed = {
        "context words": [word for usage in usages for word in prepared.contexts.of(usage, window)],
        "lexemes": sorted({item.lexeme for item in prepared.task}),
    }
    return [
        Result(name, "vocabulary", metric=f"share of {what} unknown", n=len(words), **cell(prepared.task),
               value=sum(word not in lexicon for word in words) / len(words))
        for name, lexicon in prepared.trained.lexicons.items() for what, words in needed.items()
    ]  # fmt: skip


def data_results(prepared: Prepared) -> list[Result]:
    """Table 4: items by part of speech and number of senses; and the inventory."""
    table = read_published("kober2017_table4")["counted_in_released_data"]
    results = []
    for task in prepared.tasks.values():
        for (pos, n), items in sorted(Counter((item.pos, item.senses) for item in task).items()):
            both = table[_ROW[pos]][OPTIONS.index(n)].split("/")
            printed = float(both[SPLITS.index(task.split)]) if task.dataset == MAIN else None
            names = {"metric": "items", "value": items, "published": printed}
            results.append(Result("data", "items", **names, **cell(task, pos, n)))
        results.append(Result("data", "items", metric="usages without tree", value=task.without_tree, **cell(task)))
        results += [Result("data", "left out", metric=why, value=n, **cell(task)) for why, n in task.left_out.items()]
    inventory = prepared.inventory
    counts = {"lexemes": len(inventory), "usages": inventory.n_usages}
    counts |= {f"left out: {reason}": count for reason, count in inventory.left_out.items()}
    place = {"space": "inventory", "dataset": inventory.name, "split": "all"}
    return results + [Result("data", metric=metric, value=value, **place) for metric, value in counts.items()]


def counted_lexemes(prepared: Prepared) -> dict[str, int]:
    """Occurrences of the main items' lexemes in our corpus.

    Raises
    ------
    ValueError
        If a lexeme was not counted: it is none of the words for which the vectors were trained.
    """
    frequency, lexemes = prepared.trained.frequency, {item.lexeme for item in prepared.task}
    lacking = sorted(lexemes - frequency.keys())
    if lacking:
        raise ValueError(f"{len(lacking)} lexemes were not counted: {', '.join(lacking[:5])}; train the vectors again")
    return {lexeme: frequency[lexeme] for lexeme in sorted(lexemes)}


def scaled_frequency(prepared: Prepared) -> tuple[dict[str, float], float]:
    """Occurrences of the main items' lexemes in a corpus as large as the paper's, and how much larger that one is.

    The measure is the average frequency of target nouns and verbs.
    """
    counts = counted_lexemes(prepared)
    ours = np.mean([n for word, n in counts.items() if word.endswith(("|NOUN", "|VERB"))])
    size = MEAN_FREQUENCY / float(ours)
    return {lexeme: count * size for lexeme, count in counts.items()}, size


def band_results(prepared: Prepared, runs: Sequence[Run], seed: int) -> list[Result]:
    """Table 7 (2-sense nouns, window 2, by the lexeme's frequency) and Figure 1 (lexemes in each band)."""
    frequency, size = scaled_frequency(prepared)
    scales = {"average frequency": size, "be": BE / prepared.trained.frequency["be"]}
    place = {"space": "frequency bands", "dataset": prepared.main[0], "split": "all"}
    results = [Result("data", metric=f"scale by {what}", value=value, **place) for what, value in scales.items()]
    for pos in TAGS:
        lexemes = {item.lexeme for item in prepared.task if item.pos == pos}
        counts = Counter(frequency_band(frequency[lexeme], EDGES) for lexeme in lexemes)
        for band in range(len(EDGES) + 1):
            names = {"metric": f"lexemes in band {band}", "value": counts[band]}
            results.append(Result("data", "frequency bands", **names, **cell(prepared.task, pos)))
    table = read_published("kober2017_table7")["rows"]
    for run in runs:
        if run.space in ("none", "window 2"):
            numbers = table.get(PUBLISHED_ROWS.get(run.system, "")) if run.task.dataset == MAIN else None
            for band, accuracy in banded(run, frequency).items():
                printed = numbers[BANDS.index(band)] if numbers else None
                if len(accuracy.values):
                    results.append(accuracy.row(seed, RESAMPLES, published=printed, metric="accuracy"))
    return results


def banded(run: Run, frequency: Mapping[str, float], pos: str | None = "NOUN", senses: int | None = 2) -> dict:
    """Accuracy by the band of the lexeme's frequency, of 2-sense nouns unless told otherwise."""
    bands = np.array([BANDS[frequency_band(frequency[item.lexeme])] for item in run.task])
    kind = run.where(pos, senses)
    return {
        band: run.accuracy(pos, senses, band, kind & (bands == band), metric="accuracy by frequency") for band in BANDS
    }


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


def cell_text(results: Results | None, system: str, window: int, pos: str, senses: int) -> str:
    """A cell of Table 5: the paper's figure and ours, with the mark of a difference from word overlap."""
    row, test = (
        result_at(results, system, window, pos, senses, metric=metric)
        for metric in ("accuracy", "p against word overlap")
    )
    if row is None:
        return ABSENT
    mark = "" if test is None or test.value >= 0.05 else "‡" if test.value < 0.01 else "†"
    return f"{ABSENT if row.published is None else f'{row.published:.2f}'} / {row.value:.2f}{mark}"


# ----------------------------------------------------------------------------------------------------------- claims


def claims(runs: Sequence[Run], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, on the items of `prepared.main`; and whether other composers do better."""
    mine = [run for run in runs if (run.task.dataset, run.task.split) == prepared.main]
    tested = [run.accuracy() for run in mine]
    parsed = np.array([all(usage.has_tree for usage in item.usages) for item in prepared.task], dtype=bool)
    for run in mine:
        if run.system == WORD2VEC and parsed.any():
            tested.append(run.accuracy(items=parsed, metric="accuracy where all is parsed"))
        if (run.system, run.space) == (WORD2VEC, space_name(2)):
            bands = banded(run, scaled_frequency(prepared)[0])
            if min(len(bands[band].values) for band in ("rare", "frequent")) >= FEWEST:
                tested += bands.values()
    return evaluate("sense_discrimination", tested, seed=seed)


# ---------------------------------------------------------------------------------------------------------- together


def beyond_runs(prepared: Prepared, profile: Profile) -> Iterator[Run]:
    """The contextual models of other chapters on the main items."""
    yield sentence_model(prepared.task)
    if profile.name == "full":
        counted = contextual_models.gather(materials.wikipedia(profile.get("corpus.files")), profile["contextual"])
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
        What needs no training of ours: the items, random choice, word overlap, GoogleNews, and context2vec. Left out:
        all vectors that we train, the sense tagger, frequency bands, the models of chapter 10, and the claims.
    """
    if subset:
        corpus = materials.wikipedia()
        trained = Trained(corpus.fingerprint, corpus.n_tokens, {}, {GOOGLE: sense_vectors.google_news()}, tagger=None)
    else:
        trained = sense_vectors.vectors(profile)
    return results_of(prepare(profile, trained), profile, subset=subset)[0]


def results_of(prepared: Prepared, profile: Profile, *, subset: bool = False) -> tuple[Results, list[Run]]:
    """The figures of what was prepared, and the runs on the main items behind them."""
    seed, mine = profile["seed"], []
    results = [*data_results(prepared), *coverage_results(prepared)]
    for place, task in prepared.tasks.items():
        main = place == prepared.main
        runs = [*baselines(prepared, task), *additions(prepared, task)]
        if main and not subset:
            runs += ablations(prepared, task)
        base = {run.space: run for run in runs if run.system == OVERLAP}
        for run in runs:
            against = base.get(run.space) if main and run.system not in (RANDOM, OVERLAP) else None
            results += run_results(run, seed, against, cells=task.split != "dev")
            results += unknown_results(run) if main else []
        mine += runs if main else []
    beyond = [sentence_model(prepared.task)] if subset else list(beyond_runs(prepared, profile))
    for run in beyond:
        results += [*run_results(run, seed), *unknown_results(run)]
    mine += beyond
    if not subset:
        results += [*band_results(prepared, mine, seed), *quality_results(prepared.trained)]
        results += neighbour_results(prepared.trained)
    names = [PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"]
    provenance = made_with(datasets.used(names if profile.name == "full" else []), prepared.trained.corpus, seed)
    tested = [] if subset else claims(mine, prepared, seed)
    return Results("sense_discrimination", "kober2017", profile.name, provenance, results, tested), mine
