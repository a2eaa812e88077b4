"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import context2vec
from cdsm_lib.chapters import contextual_models as cheung2012
from cdsm_lib.chapters import sense_vectors as kober2017
from cdsm_lib.chapters import training_counts as materials
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.composition.contextual import cosines as contextual_cosines
from cdsm_lib.composition.senses import closest_sense
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.evaluation.results import (
    Claim,
    Ledger,
    Result,
    made_with,
    read_published,
    verdict_all,
    verdict_equivalent,
    verdict_greater,
)
from cdsm_lib.evaluation.significance import paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import (
    SENSES as OPTIONS,
)
from cdsm_lib.tasks.sense_discrimination import (
    TAGS,
    WINDOWS,
    Item,
    Scored,
    SenseDiscrimination,
    Usage,
    by,
    scores,
)
from cdsm_lib.text.corpus import corpus_from_sentences

RANDOM, OVERLAP = "random", "word overlap"
CONTEXT_ONLY = "word2vec, context alone"
TAGGED, GOLD = "senses, tagged", "senses, gold labels"
DEPENDENCY = "dependency"
CONTEXTS = (*WINDOWS, DEPENDENCY)
MAIN = "semcor+wordnet"
PUBLISHED_SET = "sense2017_semcor"
RESAMPLES = 2000
NON_INFERIOR = 0.02
"""How much worse than the other a system may be and still do "as well"."""
COMPETITIVE = 0.05
"""How much worse a baseline may be and still be "competitive"."""
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
BANDS = ("rare", "middle", "frequent")
FEWEST = 10
"""Items that a frequency band needs for a verdict."""
BEYOND = ("context2vec", "E&P", "TFP", "D&L")
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03, "part": 0.12, "p": 0.5}
"""A tie that rounding turns moves an accuracy by one item; other rounding in skip-gram moves several of them, and of a
part with a hundred items or fewer many a hundredth. A p-value follows."""


# ------------------------------------------------------------------------------------------------- items and systems


def space_name(window: int | str) -> str:
    """How figures name a context."""
    return DEPENDENCY if window == DEPENDENCY else f"window {window}"


def whole(tasks: Iterable[SenseDiscrimination]) -> SenseDiscrimination:
    """Items of several numbers of senses as one task."""
    tasks = list(tasks)
    left_out: dict[str, int] = {}
    for task in tasks:
        for reason, count in task.left_out.items():
            left_out[reason] = left_out.get(reason, 0) + count
    return SenseDiscrimination(
        tasks[0].dataset, tasks[0].split, tuple(item for task in tasks for item in task), left_out
    )


def sampled(inventory: Inventory, seed: int, *, split: bool, at_least: bool = False) -> list[SenseDiscrimination]:
    """The construction of section 4.2 for 2 to 5 senses, divided by lexeme if asked.

    With `at_least` a lexeme with exactly n senses may serve for n, too.
    """
    made = [
        construction.sample(inventory, n, seed, more_than=n - 1 if at_least else n) for n in OPTIONS
    ]  # fmt: skip
    if not split:
        return [whole(task for task in made if len(task))]
    divided = [construction.divide(task, seed) for task in made]
    return [whole(parts[name] for parts in divided) for name in sense_discrimination.SPLITS]


def published_items(inventory: Inventory, seed: int) -> list[SenseDiscrimination]:
    """The published items that come from SemCor."""
    return [
        whole(construction.published_semcor(n, split, inventory, seed) for n in OPTIONS)
        for split in sense_discrimination.SPLITS
    ]  # fmt: skip


class Contexts:
    """The context words of usages, each looked for once."""

    def __init__(self):
        self._found: dict[tuple[int, int | str], list[str]] = {}
        self._kept: list[Usage] = []  # a usage that went away could lend its id to another

    def of(self, usage: Usage, window: int | str) -> list[str]:
        """The context words of a usage in a window, found once and kept."""
        key = (id(usage), window)
        if key not in self._found:
            self._kept.append(usage)
            self._found[key] = sense_discrimination.context(usage, window)
        return self._found[key]


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
            found = closest_sense(senses, target, np.array(options))
        else:
            own = [_labelled(lexicon, item.lexeme, labels(usage)) for usage in usages]
            sums = [senses + vector for senses, vector in zip(own, (target, *options), strict=True)]
            found = np.array([_closest(sums[0], other) for other in sums[1:]])
        return np.round(found, 9)

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
        corpus, kober2017.unit(space), rows, window=settings["window"] or None, prior_weight=settings["prior"]
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

    def part(self, pos: str | None = None, senses: int | None = None) -> np.ndarray:
        """Credits of the items of a part of speech and number of senses."""
        kept = [pos in (None, i.pos) and senses in (None, i.senses) for i in self.task]
        return self.scored.credit[np.array(kept, dtype=bool)]


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
        made = sampled(inventory, seed, split=False, at_least=at_least)
    else:
        made = [*sampled(inventory, seed, split=True, at_least=at_least), *published_items(inventory, seed)]
    return {(task.dataset, task.split): task for task in made}


def prepare(profile: Profile, trained: Trained | None = None) -> Prepared:
    """Build the task, and train or read the vectors (unless they are given)."""
    settings, seed = profile["sense_discrimination"], profile["seed"]
    real = settings["inventory"] == "semcor"
    inventory = kober2017.semcor_and_wordnet() if real else construction.load_inventory()
    tasks = tasks_of(inventory, seed, at_least=settings["at_least"])
    main = (inventory.name, "test") if (inventory.name, "test") in tasks else (inventory.name, "all")
    return Prepared(tasks, main, inventory, trained or kober2017.vectors(profile), profile["vectors.tagger"])


def baselines(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """Random choice, whose accuracy is known, and word overlap."""
    yield Run(RANDOM, "none", task, scores(task, lambda item: np.zeros(item.senses)))
    for window in CONTEXTS:
        yield Run(
            OVERLAP,
            space_name(window),
            task,
            scores(task, sense_discrimination.word_overlap(window, prepared.contexts.of)),
        )


def additions(prepared: Prepared, task: SenseDiscrimination, names: Iterable[str] | None = None) -> Iterator[Run]:
    """Every lexicon by addition, with every context."""
    lexicons = prepared.trained.lexicons
    for name in lexicons if names is None else names:
        for window in CONTEXTS:
            system = additive(lexicons[name], window, prepared.contexts)
            yield Run(name, space_name(window), task, scores(task, system))


def ablations(prepared: Prepared, task: SenseDiscrimination) -> Iterator[Run]:
    """word2vec without the lexeme; sense vectors with the tagger's and with the gold labels of all sentences."""
    lexicons = prepared.trained.lexicons
    usages = [usage for item in task for usage in item.usages]
    tagged = sense_labels(prepared.trained, usages, prepared.settings)
    gold = prepared.inventory.synsets or {}
    for window in CONTEXTS:
        systems = {
            CONTEXT_ONLY: additive(lexicons[WORD2VEC], window, prepared.contexts, alone=True),
            TAGGED: additive(
                lexicons[SENSES], window, prepared.contexts, labels=lambda usage: tagged.get(id(usage))
            ),
            GOLD: additive(
                lexicons[SENSES], window, prepared.contexts, labels=lambda usage: gold.get(usage.sense, usage.sense)
            ),
        }  # fmt: skip
        for name, system in systems.items():
            yield Run(name, space_name(window), task, scores(task, system))


# --------------------------------------------------------------------------------------------- beyond: other composers


def contextual(models: Mapping[str, object], known: cheung2012.Vocabulary, task: SenseDiscrimination) -> Iterator[Run]:
    """The lexeme's vector in the context of its sentence, by models of chapter 10, compared by cosine.

    M&L is left out: it leaves the lexeme's vector as it is, so that all options tie.
    """
    usages = {id(usage): usage for item in task for usage in item.usages}
    seen = {key: cheung2012.parsed(usage.sentence, known) for key, usage in usages.items()}
    for name, model in models.items():
        vectors = {key: _in_context(model, seen[key], usages[key].position) for key in usages}

        def similarity(item: Item, vectors=vectors) -> np.ndarray | None:
            target, *options = (vectors[id(usage)] for usage in item.usages)
            if target is None or all(option is None for option in options):
                return None
            return np.array([0.0 if o is None else round(_cosine(target, o), 9) for o in options])

        yield Run(name, "sentence", task, scores(task, similarity))


def _in_context(model, sentence: cheung2012.Parsed, position: int):
    """The vector of one word of a sentence in context, None if it has none."""
    if sentence.words[position] is None:
        return None
    rows = model.in_context(sentence.words, sentence.arcs)
    known = [i for i, word in enumerate(sentence.words) if word is not None]
    if rows.shape[0] < len(known):  # the model leaves out words of which it has no data
        known = [i for i in known if model.in_context([sentence.words[i]], ()).shape[0]]
    return rows[[known.index(position)]] if position in known else None


def _cosine(a, b) -> float:
    return float(contextual_cosines(a, b)[0, 0])


def sentence_model(task: SenseDiscrimination) -> Run:
    """context2vec: the vector of the empty place in the sentence, compared by cosine; the lexeme is not even read."""
    model = context2vec.load()
    vectors: dict[int, np.ndarray] = {}

    def vector(usage: Usage) -> np.ndarray:
        if id(usage) not in vectors:
            words = [f"{token.lemma}|{token.upos}" for token in usage.sentence]
            found = np.asarray(model.context(words, usage.position), dtype=np.float64)
            vectors[id(usage)] = found / np.linalg.norm(found)
        return vectors[id(usage)]

    def similarity(item: Item) -> np.ndarray:
        target, *options = (vector(usage) for usage in item.usages)
        return np.round([target @ option for option in options], 6)  # float32 weights

    return Run("context2vec", "sentence", task, scores(task, similarity))


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
    row = PUBLISHED_ROWS.get(system)
    window = space.removeprefix("window ")
    if system == TAGGED:
        windows = dict(zip("124", read_published("kober2017_table6")["rows"][row], strict=True))
        return windows.get(window) if (pos, n) == ("NOUN", 5) else None
    table = read_published("kober2017_table5")
    cells = table["by_window"].get("1" if system == RANDOM else window, {}).get(row)
    return cells[table["columns"].index(f"{_COLUMN[pos]}{n}")] if cells else None


def cell_name(split: str, pos: str | None = None, n: int | None = None) -> str:
    """How figures name a part of the items."""
    parts = [split, *([pos] if pos else []), *([f"{n} senses"] if n else [])]
    return ", ".join(parts)


def run_results(run: Run, seed: int, base: Run | None = None, *, cells: bool = True) -> list[Result]:
    """Accuracy of all items, of each number of senses, and of each of Table 5's cells, there with the test."""
    named = run.task.dataset in (MAIN, "senses", PUBLISHED_SET) and run.task.split == "test"
    parts: list[tuple] = [(None, None), *((None, n) for n in OPTIONS)]
    if cells:
        parts += [(pos, n) for pos in TAGS for n in OPTIONS]
    found = []
    for pos, n in parts:
        credit = run.part(pos, n)
        if not len(credit):
            continue
        place = {"space": run.space, "dataset": run.task.dataset, "split": cell_name(run.task.split, pos, n)}
        given = published(run.system, run.space, pos, n) if named and pos and run.task.dataset == MAIN else None
        tolerance = tolerance_of(run.system, len(credit))
        found.append(
            Result.of_items(credit, seed=seed, n_resamples=RESAMPLES, system=run.system, metric="accuracy",
                            published=given, tolerance=tolerance, **place)
        )  # fmt: skip
        if base is not None and pos:
            p = paired_permutation_test(credit, base.part(pos, n), RESAMPLES, seed, ties=True)
            found.append(
                Result(run.system, metric="p against word overlap", value=p, n=len(credit),
                       tolerance=TOLERANCE["p"], **place)
            )  # fmt: skip
    return found


def unknown_results(run: Run) -> list[Result]:
    """Items of which the system knows no word, and items in which several options tie for the best."""
    place = {"space": run.space, "dataset": run.task.dataset, "split": run.task.split, "n": len(run.task)}
    return [
        Result(run.system, metric=metric, value=int(values.sum()), tolerance=max(2, len(run.task) // 50), **place)
        for metric, values in (("items unknown", run.scored.unknown), ("items tied", run.scored.tied))
    ]  # fmt: skip


def coverage_results(prepared: Prepared, window: int = 4) -> list[Result]:
    """The share of context words, and of lexemes, that each lexicon lacks."""
    usages = [usage for item in prepared.task for usage in item.usages]
    words = [word for usage in usages for word in prepared.contexts.of(usage, window)]
    lexemes = sorted({item.lexeme for item in prepared.task})
    place = {"space": "vocabulary", "dataset": prepared.main[0], "split": prepared.main[1]}
    return [
        Result(name, metric=f"share of {what} unknown", value=sum(w not in lexicon for w in these) / len(these),
               n=len(these), **place)
        for name, lexicon in prepared.trained.lexicons.items()
        for what, these in (("context words", words), ("lexemes", lexemes))
    ]  # fmt: skip


def data_results(prepared: Prepared) -> list[Result]:
    """Table 4: items by part of speech and number of senses; and the inventory."""
    inventory, found = prepared.inventory, []
    table = read_published("kober2017_table4")["counted_in_released_data"]
    for (dataset, split), task in prepared.tasks.items():
        groups = by(scores(task, lambda item: np.zeros(item.senses)))
        for (pos, n), group in groups.items():
            given = None
            if dataset == MAIN:
                row = table[{"ADJ": "Adjective", "NOUN": "Noun", "VERB": "Verb"}[pos]]
                given = float(row[OPTIONS.index(n)].split("/")[sense_discrimination.SPLITS.index(split)])
            found.append(Result("data", "items", dataset, cell_name(split, pos, n), "items", group.items,
                                published=given))  # fmt: skip
        found.append(Result("data", "items", dataset, split, "usages without tree", task.without_tree))
        found += [
            Result("data", "left out", dataset, split, reason, count) for reason, count in task.left_out.items()
        ]  # fmt: skip
    place = {"space": "inventory", "dataset": inventory.name, "split": "all"}
    found.append(Result("data", metric="lexemes", value=len(inventory), **place))
    found.append(Result("data", metric="usages", value=inventory.n_usages, **place))
    return found + [Result("data", metric=f"left out: {r}", value=c, **place) for r, c in inventory.left_out.items()]


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


def scale(prepared: Prepared) -> float:
    """How much larger the paper's corpus is than ours, by the average frequency of target nouns and verbs."""
    counts = [n for word, n in counted_lexemes(prepared).items() if word.endswith(("|NOUN", "|VERB"))]
    return MEAN_FREQUENCY / float(np.mean(counts))


def scaled_frequency(prepared: Prepared) -> dict[str, float]:
    """Occurrences of the main items' lexemes in a corpus as large as the paper's."""
    size = scale(prepared)
    return {lexeme: count * size for lexeme, count in counted_lexemes(prepared).items()}


def band_results(prepared: Prepared, runs: Sequence[Run], seed: int) -> list[Result]:
    """Table 7 (2-sense nouns, window 2, by the lexeme's frequency) and Figure 1 (lexemes in each band)."""
    frequency, found = scaled_frequency(prepared), []
    place = {"space": "frequency bands", "dataset": prepared.main[0], "split": "all"}
    found.append(Result("data", metric="scale by average frequency", value=scale(prepared), **place))
    found.append(Result("data", metric="scale by be", value=BE / prepared.trained.frequency["be"], **place))
    for pos in TAGS:
        lexemes = {item.lexeme for item in prepared.task if item.pos == pos}
        bands = [sense_discrimination.frequency_band(frequency[lexeme], EDGES) for lexeme in lexemes]
        for band in range(len(EDGES) + 1):
            found.append(Result("data", "frequency bands", prepared.main[0], f"{prepared.main[1]}, {pos}",
                                f"lexemes in band {band}", bands.count(band)))  # fmt: skip
    table = read_published("kober2017_table7")["rows"]
    for run in runs:
        if run.space not in ("none", "window 2"):
            continue
        for band, credit in banded(run, frequency).items():
            if not len(credit):
                continue
            given = table.get(PUBLISHED_ROWS.get(run.system, ""))
            published_here = given[BANDS.index(band)] if given and run.task.dataset == MAIN else None
            split = f"{cell_name(run.task.split, 'NOUN', 2)}, {band}"
            found.append(
                Result.of_items(credit, seed=seed, n_resamples=RESAMPLES, system=run.system, space=run.space,
                                dataset=run.task.dataset, split=split, metric="accuracy", published=published_here,
                                tolerance=tolerance_of(run.system, len(credit)))
            )  # fmt: skip
    return found


def banded(run: Run, frequency: Mapping[str, float], *, pos: str | None = "NOUN", senses: int | None = 2) -> dict:
    """Credits by the band of the lexeme's frequency, of 2-sense nouns unless told otherwise."""
    found: dict[str, list[float]] = {band: [] for band in BANDS}
    for item, credit in zip(run.task, run.scored.credit, strict=True):
        if pos in (None, item.pos) and senses in (None, item.senses):
            found[BANDS[sense_discrimination.frequency_band(frequency[item.lexeme])]].append(credit)
    return {band: np.array(credits) for band, credits in found.items()}


def quality_results(trained: Trained) -> list[Result]:
    """How well the sense tagger does on SemCor, by part of speech."""
    return [
        Result(row["system"], "sense tagging", "semcor", row["pos"], metric, row[metric], n=row["items"],
               tolerance=TOLERANCE["trained"])
        for row in trained.quality for metric in ("precision", "recall", "f1")
    ]  # fmt: skip


def neighbours(lexicon: Lexicon, phrase: str, n: int = 10) -> list[str]:
    """The words nearest to a composed phrase, its own words left out."""
    words = phrase.split()
    rows = [lexicon.row(word) for word in words]
    found = lexicon.space.neighbours(lexicon.context(words), n + len(words))
    return [label for label, _ in found if label not in rows][:n]


def neighbour_results(trained: Trained, n: int = 20) -> list[Result]:
    """Table 8 as a number: the share of neighbours that two phrases with one ambiguous word in common share."""
    found = []
    for name in (GOOGLE, WORD2VEC, DEP2VEC):
        lexicon = trained.lexicons.get(name)
        for pair in kober2017.PHRASES:
            if lexicon is None or any(word not in lexicon for phrase in pair for word in phrase.split()):
                continue
            first, second = (set(neighbours(lexicon, phrase, n)) for phrase in pair)
            split = " / ".join(phrase.replace("|NOUN", "").replace("|ADJ", "") for phrase in pair)
            found.append(Result(name, "neighbours", "table 8", split, f"shared of {n}", len(first & second) / n, n=n,
                                tolerance=0.25))  # fmt: skip
    return found


# ----------------------------------------------------------------------------------------------------------- claims


def claims(runs: Sequence[Run], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, on the items of `prepared.main`; and whether other composers do better."""
    mine = {(run.system, run.space): run for run in runs if (run.task.dataset, run.task.split) == prepared.main}

    def credit(system: str, window: int | str | None = 4, **part) -> np.ndarray:
        return mine[system, "none" if window is None else space_name(window)].part(**part)

    def better(a, b, margin: float = 0.0, **part) -> Claim:
        names = tuple(f"{system}, {space_name(w)}" if w else system for system, w in (a, b))
        return verdict_greater(credit(*a, **part), credit(*b, **part), id="part", text="part", names=names,
                               margin=margin, seed=seed, ties=True)  # fmt: skip

    singles = [name for name in (GOOGLE, WORD2VEC, DEP2VEC) if name in prepared.trained.lexicons]
    models = [*singles, SENSES]
    bands = banded(mine[WORD2VEC, space_name(2)], scaled_frequency(prepared))
    parsed = np.array([all(usage.has_tree for usage in (i.target, *i.options)) for i in prepared.task], dtype=bool)
    made = [
        verdict_all(
            [better((WORD2VEC, w), (SENSES, w), -NON_INFERIOR) for w in WINDOWS],
            id="word2vec-as-well-as-senses",
            text=f"word2vec does as well as sense vectors of the same corpus, or better "
            f"(at most {NON_INFERIOR:g} worse).",
            published="at 5 senses, window 4: word2vec .57 .57 .53, SENSEMBED .55 .53 .47 (Table 5)",
        ),
        verdict_all(
            [better((DEP2VEC, w), (SENSES, w), -NON_INFERIOR) for w in WINDOWS],
            id="dep2vec-as-well-as-senses",
            text=f"dep2vec does as well as sense vectors of the same corpus, or better "
            f"(at most {NON_INFERIOR:g} worse).",
            published="at 5 senses, window 4: dep2vec .54 .53 .50, SENSEMBED .55 .53 .47 (Table 5)",
        ),
        verdict_all(
            [better((name, w), (RANDOM, None)) for name in (*models, OVERLAP) for w in WINDOWS],
            id="all-beat-random",
            text="Every model, and word overlap, does better than random choice.",
            published="Table 5",
        ),
        verdict_all(
            [better((WORD2VEC, w), (OVERLAP, w)) for w in WINDOWS],
            id="vectors-beat-overlap",
            text="Adding word2vec vectors does better than word overlap.",
            published="nouns, 2 senses, window 2: word2vec .71, overlap .59 (Table 5)",
        ),
        verdict_all(
            [better((OVERLAP, w), (WORD2VEC, w), -COMPETITIVE) for w in WINDOWS],
            id="overlap-competitive",
            text=f"Word overlap is competitive: less than {COMPETITIVE:g} below word2vec.",
            published="nouns, 2 senses, window 4: overlap .62, word2vec .73; adjectives .67 and .71 (Table 5)",
        ),
        verdict_all(
            [better((name, 4), (name, 1)) for name in models],
            id="wider-window-helps",
            text="A window of 4 does better than a window of 1.",
            published="nouns, 2 senses: word2vec .66, .71, .73 with windows 1, 2, 4 (Table 5)",
        ),
        verdict_equivalent(
            credit(TAGGED, 4), credit(SENSES, 4), id="labels-help-little",
            text="Sense labels at test time change little.",
            published="nouns, 5 senses: .45, .49, .54 with labels, .43, .51, .53 without (Table 6)",
            names=("senses, tagged", "senses, closest"), margin=0.03, seed=seed,
        ),
    ]  # fmt: skip
    if GOOGLE in prepared.trained.lexicons:
        google = verdict_all(
            [better((GOOGLE, w), (SENSES, w), -NON_INFERIOR) for w in WINDOWS],
            id="googlenews-as-well-as-senses",
            text="The subset of GoogleNews, which lacks many context words, does as well as sense vectors, or better "
            f"(at most {NON_INFERIOR:g} worse).",
            published="word2vec with the whole vocabulary: .57 .57 .53, SENSEMBED .55 .53 .47 (Table 5)",
        )
        made.insert(2, google)
    if parsed.any():
        dependency = verdict_equivalent(
            credit(WORD2VEC, DEPENDENCY)[parsed], credit(WORD2VEC, 2)[parsed], id="dependency-like-window-2",
            text="First-order dependency contexts do about as well as a window of 2 (where all sentences are parsed).",
            published='"performed almost identical" (section 4.3)',
            names=("word2vec, dependency", "word2vec, window 2"), margin=0.03, seed=seed,
        )  # fmt: skip
        made.append(dependency)
    made += [
        verdict_greater(
            mine[name, "sentence"].part(), credit(WORD2VEC, 4), id=f"{name}-beats-addition",
            text=f"Beyond the paper: {name} tells senses apart better than adding word2vec vectors.",
            names=(name, "word2vec, window 4"), seed=seed, ties=True,
        )
        for name in BEYOND if (name, "sentence") in mine
    ]  # fmt: skip
    if min(len(bands["rare"]), len(bands["frequent"])) >= FEWEST:
        made.append(
            verdict_greater(
                bands["rare"], bands["frequent"], id="rare-lexemes-easier",
                text="Less frequent lexemes are easier (nouns with 2 senses, word2vec, window 2).",
                published="2 senses: .81 below 10,000 occurrences, .64, .66 from 50,000 (Table 7)",
                names=("rare", "frequent"), seed=seed, paired=False,
            )
        )  # fmt: skip
    return made


# ---------------------------------------------------------------------------------------------------------- together


def beyond_runs(prepared: Prepared, profile: Profile) -> Iterator[Run]:
    """The contextual models of other chapters on the main items."""
    yield sentence_model(prepared.task)
    if profile.name == "full":
        counted = cheung2012.gather(materials.wikipedia(profile.get("corpus.files")), profile["contextual"])
        senses = profile["sense_discrimination.latent"]
        trained = cheung2012.train(counted, profile["contextual"], profile["seed"], senses=senses, keep=True)
        models = {name: model for name, model in trained.models.items() if name != "M&L"}
        yield from contextual(models, cheung2012.Vocabulary(counted.words), prepared.task)


def figures(profile: Profile, *, subset: bool = False) -> Ledger:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        What needs no training of ours: the items, random choice, word overlap, GoogleNews, and context2vec. Left out:
        all vectors that we train, the sense tagger, frequency bands, the models of chapter 10, and the claims.
    """
    seed = profile["seed"]
    if subset:
        lexicons = {GOOGLE: kober2017.google_news()}
        corpus = materials.wikipedia()
        trained = Trained(corpus.fingerprint, corpus.n_tokens, {}, lexicons, tagger=None)
    else:
        trained = kober2017.vectors(profile)
    prepared = prepare(profile, trained)
    results, runs = [*data_results(prepared), *coverage_results(prepared)], []
    for place, task in prepared.tasks.items():
        main = place == prepared.main
        mine = list(baselines(prepared, task))
        base = {run.space: run for run in mine if run.system == OVERLAP}
        mine += additions(prepared, task)
        if main and not subset:
            mine += ablations(prepared, task)
        for run in mine:
            against = base.get(run.space) if main and run.system not in (RANDOM, OVERLAP) else None
            results += run_results(run, seed, against, cells=task.split != "dev")
            if main:
                results += unknown_results(run)
        runs += mine
    beyond = [sentence_model(prepared.task)] if subset else list(beyond_runs(prepared, profile))
    for run in beyond:
        results += [*run_results(run, seed), *unknown_results(run)]
    runs += beyond
    if not subset:
        mine = [run for run in runs if (run.task.dataset, run.task.split) == prepared.main]
        results += band_results(prepared, mine, seed)
        results += quality_results(trained)
        results += neighbour_results(trained)
    names = [PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"]
    made = made_with(datasets.used(names if profile.name == "full" else []), trained.corpus, seed)
    tested = [] if subset else claims(runs, prepared, seed)
    return Ledger("sense_discrimination", "kober2017", profile.name, made, tuple(results), tuple(tested))
