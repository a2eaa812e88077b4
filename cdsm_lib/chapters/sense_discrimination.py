"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np

from cdsm_lib.chapters import context2vec, sense_vectors
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.display import Table, plain, table
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, read_published
from cdsm_lib.evaluation.significance import paired_permutation_test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import SENSES as OPTIONS
from cdsm_lib.tasks.sense_discrimination import TAGS, WINDOWS, SenseDiscrimination, Usage
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.text.counts import numbering
from cdsm_lib.vectors import disambiguation
from cdsm_lib.vectors.similarity import as_rows, unit_rows

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
EDGES = (1_000, 10_000, 50_000, 100_000)
"""Figure 1's bands."""
PUBLISHED_ROWS = {
    RANDOM: "Random", OVERLAP: "Word Overlap", GOOGLE: "word2vec", DEP2VEC: "dep2vec", SENSES: "SENSEMBED",
    TAGGED: "SENSEMBED & Babelfy",
}  # fmt: skip
BANDS = ("rare", "middle", "frequent")
FEWEST = 10
"""Lexemes that a frequency band needs for a verdict."""
TOLERANCE = {"exact": 1e-9, "given vectors": 0.002, "trained": 0.03}
"""How far a recomputed figure may lie from the committed one.

Overlap is exact. Of given vectors a tie that rounding turns moves an accuracy by one item, and .002 are two more of a
thousand. Other rounding in skip-gram moves several of them: .03 as in the other chapters, and of n items .8 / sqrt(n)
more (`tolerance_of`). A p-value follows.
"""

context = cache(sense_discrimination.context)
"""The context words of a usage in a window, each looked for once."""


# -------------------------------------------------------------------------------------------------------------- items


def whole(parts: Iterable[SenseDiscrimination]) -> SenseDiscrimination:
    """Items of several numbers of senses together."""
    first, *others = parts
    return replace(first, items=sum((part.items for part in others), first.items))


def sampled(inventory: Inventory, seed: int, *, split: bool, at_least: bool = False) -> SenseDiscrimination:
    """The construction of section 4.2 for 2 to 5 senses; with `split` the items of the test split, by lexeme.

    With `at_least` a lexeme with exactly n senses may serve for n, too.
    """
    parts = [construction.sample(inventory, n, seed, more_than=n - 1 if at_least else n) for n in OPTIONS]
    return whole(construction.divide(part, seed) if split else part for part in parts)


def task_of(items: SenseDiscrimination) -> Task:
    """The items as a task whose texts are a lexeme and a usage."""
    return sense_discrimination.task(items, lambda lexeme, usage: (lexeme, usage))


@dataclass(frozen=True)
class Prepared:
    """Items and vectors.

    Attributes
    ----------
    items : SenseDiscrimination
        The main ones: a test split of SemCor's and WordNet's, or all of the teaching set.
    further : SenseDiscrimination
        The same, and more draws of them.
    published : SenseDiscrimination or None
        The published items that come from SemCor (full profile).
    inventory : Inventory
    trained : Trained
    settings : mapping
        ``[*.vectors.tagger]``.
    """

    items: SenseDiscrimination
    further: SenseDiscrimination
    published: SenseDiscrimination | None
    inventory: Inventory
    trained: Trained
    settings: Mapping

    @cached_property
    def frequency(self) -> dict[str, float]:
        """Occurrences of the main items' lexemes in a corpus as large as the paper's.

        `KeyError` for a lexeme that was not counted: it is none of the words for which the vectors were trained.
        """
        return {item.lexeme: self.trained.frequency[item.lexeme] * self.scale for item in self.items}

    @cached_property
    def scale(self) -> float:
        """How much larger the paper's corpus is, by the average frequency of target nouns and verbs."""
        lexemes = {item.lexeme: item.pos for item in self.items}
        counts = [self.trained.frequency[lexeme] for lexeme, pos in lexemes.items() if pos in ("NOUN", "VERB")]
        return MEAN_FREQUENCY / float(np.mean(counts))


def main_items(profile: Profile) -> tuple[Inventory, SenseDiscrimination]:
    """The inventory of a profile, and the main items."""
    settings = profile["sense_discrimination"]
    real = settings["inventory"] == "semcor"
    inventory = sense_vectors.semcor_and_wordnet() if real else construction.load_inventory()
    return inventory, sampled(inventory, profile["seed"], split=real, at_least=settings["at_least"])


def prepare(profile: Profile) -> Prepared:
    """Draw the items, and train or read the vectors."""
    settings, seed, (inventory, items) = profile["sense_discrimination"], profile["seed"], main_items(profile)
    further = construction.drawn_again(items, inventory, settings["draws"], seed)
    real = items.dataset == MAIN
    published = whole(construction.published_semcor(n, inventory, seed) for n in OPTIONS) if real else None
    return Prepared(items, further, published, inventory, sense_vectors.vectors(profile), profile["vectors.tagger"])


# ------------------------------------------------------------------------------------------------------------ systems


def closest(name: str, space: str, vectors: Callable[[str, Usage], np.ndarray], decimals: int = 9) -> Composer:
    """The cosine of the closest of the vectors [k, d] that a lexeme has in both usages."""

    def compare(texts, pairs):
        rows = [unit_rows(as_rows(vectors(*text))) for text in texts]
        return {name: np.round([(rows[i] @ rows[j].T).max() for i, j in pairs], decimals)}

    return Composer((name,), space, compare)


def addition(name: str, lexicon: Lexicon, window: int | str, *, alone: bool = False, label=None) -> Composer:
    """Add the lexeme's vectors to those of its context; the closest senses decide (section 4.3).

    Parameters
    ----------
    name : str
    lexicon : Lexicon
    window : int or "dependency"
    alone : bool
        Leave the lexeme itself out.
    label : callable, optional
        The sense of a usage, or None. Its vector then stands for the lexeme; without one all senses compete.
    """

    def vectors(lexeme: str, usage: Usage) -> np.ndarray:
        around = lexicon.context(context(usage, window))
        return around if alone else lexicon.of(lexeme, label and label(usage)) + around

    return closest(name, space_name(window), vectors)


def space_name(window: int | str) -> str:
    """How figures name a context."""
    return f"window {window}" if isinstance(window, int) else window


def overlap(window: int | str) -> Composer:
    """The baseline: the different lemmas that two contexts share.

    The paper counts "the number of words in common", of lemmatised text without tags; here as sets. (As multisets it
    would differ only where a word occurs twice in both contexts.)
    """

    def compare(texts, pairs):
        lemmas = [{plain(word) for word in context(usage, window)} for _, usage in texts]
        return {OVERLAP: np.array([len(lemmas[i] & lemmas[j]) for i, j in pairs], dtype=np.float64)}

    return Composer((OVERLAP,), space_name(window), compare)


def additions(lexicons: Mapping[str, Lexicon]) -> Iterator[Composer]:
    """Every lexicon by addition, with every context."""
    for name, lexicon in lexicons.items():
        for window in CONTEXTS:
            yield addition(name, lexicon, window)


def ablations(prepared: Prepared) -> Iterator[Composer]:
    """word2vec without the lexeme; sense vectors with the tagger's and with the gold labels of all sentences."""
    lexicons, gold = prepared.trained.lexicons, prepared.inventory.synsets
    usages = (usage for item in prepared.items for usage in item.usages)
    tagged = sense_labels(prepared.trained, usages, prepared.settings)
    for window in WINDOWS:
        yield addition(CONTEXT_ONLY, lexicons[WORD2VEC], window, alone=True)
        yield addition(TAGGED, lexicons[SENSES], window, label=tagged.get)
        yield addition(GOLD, lexicons[SENSES], window, label=lambda usage: gold.get(usage.sense, usage.sense))


def sense_labels(trained: Trained, usages: Iterable[Usage], settings: Mapping) -> dict[Usage, str]:
    """The sense that the tagger gives each usage, where it gives one."""
    usages = list(dict.fromkeys(usages))
    corpus = corpus_from_sentences([usage.sentence for usage in usages])
    space = trained.lexicons[WORD2VEC].space
    rows = numbering(corpus.words, space.rows)
    tagged = trained.tagger.tag(
        corpus, sense_vectors.unit(space), rows, window=settings["window"] or None, prior_weight=settings["prior"]
    )
    places = corpus.offsets[:-1] + np.array([usage.position for usage in usages])
    senses = tagged[places].tolist()
    return {usage: trained.tagger.senses[sense] for usage, sense in zip(usages, senses, strict=True) if sense >= 0}


def without_vectors() -> Iterator[Composer]:
    """Random choice; overlap; and context2vec, the vector of the empty place, which does not even read the lexeme."""
    yield Composer((RANDOM,), "none", lambda texts, pairs: {RANDOM: np.zeros(len(pairs))})
    yield from map(overlap, CONTEXTS)
    model = context2vec.load()

    def vector(_, usage: Usage) -> np.ndarray:
        return model.context([f"{token.lemma}|{token.upos}" for token in usage.sentence], usage.position)

    yield closest("context2vec", "sentence", vector, decimals=6)  # float32 weights


# ------------------------------------------------------------------------------------------------------------- scores


def tolerance_of(system: str, items: int) -> float:
    """How far a recomputed accuracy of so many items may lie from the committed one."""
    if system in (RANDOM, OVERLAP):
        return TOLERANCE["exact"]
    if system in (GOOGLE, "context2vec"):
        return TOLERANCE["given vectors"] + 1 / items
    return TOLERANCE["trained"] + 0.8 / np.sqrt(items)


def scores_of(items: SenseDiscrimination, systems: Iterable[Composer]) -> Iterator[Scores]:
    """Accuracy of systems on items, which may be grouped by part of speech and number of senses."""
    task, windows = task_of(items), {space_name(window): window for window in WINDOWS}
    for system in systems:
        for name, similarity in system.similarities(task).items():
            columns = {"part": items.split, "window": windows.get(system.space)}
            within = tolerance_of(name, len(items))
            yield task.scores(name, system.space, similarity, tolerance=within, columns=columns)


def with_vectors(prepared: Prepared) -> Iterator[Scores]:
    """Of all that adds vectors on the main items; of what claims compare, vectors of one corpus, on more draws, too."""
    lexicons = prepared.trained.lexicons
    yield from scores_of(prepared.items, [*additions(lexicons), *ablations(prepared)])
    compared = additions({name: lexicons[name] for name in sense_vectors.SEEDED})
    yield from (replace(score, metric=DRAWN) for score in scores_of(prepared.further, compared))


def published(score: Scores) -> float | None:
    """Table 5's accuracy of a part of speech and number of senses; Table 6's for sense labels at test time."""
    pos, senses, window = (score[name] for name in ("pos", "senses", "window"))
    row = PUBLISHED_ROWS.get(score.system)
    if (score.dataset, score.split) != (MAIN, "test"):
        return None
    if score.system == TAGGED:
        numbers = dict(zip(WINDOWS, read_published("kober2017_table6")["rows"][row], strict=True))
        return numbers.get(window) if (pos, senses) == ("NOUN", 5) else None
    table5 = read_published("kober2017_table5")
    cells = table5["by_window"].get("1" if score.system == RANDOM else str(window), {}).get(row)
    return cells[table5["columns"].index(f"{pos.title()}{senses}")] if cells else None


def cell(whole: SenseDiscrimination | Scores, pos=None, senses: int | None = None, band: str | None = None) -> dict:
    """How figures name a part of some items: dataset and split, and the columns of the part."""
    parts = [whole.split, pos, senses and f"{senses} senses", band]
    columns = {"part": whole.split, "pos": pos, "senses": senses, "band": band}
    return {"dataset": whole.dataset, "split": ", ".join(part for part in parts if part), **columns}


def row(score: Scores, seed: int, **changes) -> Result:
    """The figure of a system on some items, or a part of them."""
    names = cell(score, score["pos"], score["senses"], score["band"])
    names["tolerance"] = tolerance_of(score.system, len(score.values))
    return score.row(seed, RESAMPLES, **{**names, **changes})


def breakdown(scores: Sequence[Scores], seed: int) -> Iterator[Result]:
    """Each number of senses (Figure 2); the cells of Tables 5 and 6, with p against overlap by drawing lexemes."""
    overlaps = {score.space: score for score in scores if score.system == OVERLAP}
    for score in scores:
        if score.system in SYSTEMS[1:]:
            yield from (row(part, seed) for part in score.groupby("senses"))
        if score.space == DEPENDENCY or score.system not in (*SYSTEMS, TAGGED):
            continue
        for part in score.groupby("pos", "senses"):
            which, p = {name: part[name] for name in ("pos", "senses")}, None
            if score.system == TAGGED and which != {"pos": "NOUN", "senses": 5}:
                continue
            if score.system not in (RANDOM, OVERLAP):
                base = overlaps[score.space].where(**which).by_group()
                p = paired_permutation_test(part.by_group(), base, RESAMPLES, seed, ties=True)
            yield row(part, seed, published=published(part), p=p)


# ---------------------------------------------------------------------------------------------------- frequency bands


def banded(score: Scores, items: Iterable, frequency: Mapping[str, float], seed: int | None = None) -> list[Scores]:
    """Accuracy on 2-sense nouns in each of the `BANDS` of the lexeme's frequency.

    With a seed on as many lexemes of each band, drawn at random (section 4.4); otherwise on all.
    """
    bands = np.array([BANDS[np.digitize(frequency[item.lexeme], sense_discrimination.BANDS)] for item in items])
    lexemes, nouns = np.array([item.lexeme for item in items]), score.labels["pos"] == "NOUN"
    if seed is not None:
        rng, nouns = np.random.default_rng(seed), nouns & (score.labels["senses"] == 2)
        by_band = [np.unique(lexemes[nouns & (bands == band)]) for band in BANDS]
        n = min((len(some) for some in by_band if len(some)), default=0)
        nouns = nouns & np.isin(lexemes, np.concatenate([rng.permutation(some)[:n] for some in by_band]))
    labels = {**score.labels, "band": np.where(nouns, bands, "")}
    by_frequency = replace(score, metric="accuracy by frequency", labels=labels)
    return [by_frequency.where(pos="NOUN", senses=2, band=band) for band in BANDS]


def by_band(prepared: Prepared, scores: Iterable[Scores], seed: int) -> Iterator[Result]:
    """Table 7: 2-sense nouns, window 2, by the lexeme's frequency."""
    table7, none = read_published("kober2017_table7")["rows"], [None] * len(BANDS)
    for score in scores:
        if score.system in SYSTEMS[1:] and score["window"] == 2:
            numbers = table7.get(PUBLISHED_ROWS.get(score.system), none) if score.dataset == MAIN else none
            bands = banded(score, prepared.items, prepared.frequency, seed)
            for part, number in zip(bands, numbers, strict=True):
                if len(part.values):
                    yield row(part, seed, published=number, metric="accuracy")


# ------------------------------------------------------------------------------------------- figures that are no scores


def sizes(prepared: Prepared) -> Iterator[Result]:
    """Table 4, test items by part of speech and number of senses; Figure 1, lexemes in each band of frequency; and the
    share of context words (window 4) that each lexicon lacks."""
    items, printed = prepared.items, construction.split_sizes()
    data, bands = {"system": "data", "space": "items"}, {"system": "data", "space": "frequency bands"}
    for (pos, n), count in sorted(Counter((item.pos, item.senses) for item in items).items()):
        number = float(printed[pos, n][1]) if items.dataset == MAIN else None
        yield Result.of(metric="items", value=count, published=number, **data, **cell(items, pos, n))
    yield Result.of(metric="scale", value=prepared.scale, dataset=items.dataset, split="all", **bands)
    for pos in TAGS:
        lexemes = {item.lexeme for item in items if item.pos == pos}
        counts = Counter(np.digitize([prepared.frequency[lexeme] for lexeme in sorted(lexemes)], EDGES).tolist())
        for band in range(len(EDGES) + 1):
            yield Result.of(metric=f"lexemes in band {band}", value=counts[band], **bands, **cell(items, pos))
    words = [word for item in items for usage in item.usages for word in context(usage, 4)]
    for name, lexicon in prepared.trained.lexicons.items():
        share = sum(word not in lexicon for word in words) / len(words)
        place = {"system": name, "space": "vocabulary", "metric": "share of context words unknown", **cell(items)}
        yield Result.of(value=share, n=len(words), **place)


def of_vectors(trained: Trained, n: int = 20) -> Iterator[Result]:
    """How well the sense tagger does on SemCor; and Table 8 as a number, the share of neighbours that two phrases with
    one ambiguous word in common share."""
    for system, scores in trained.quality.items():
        for pos, score in scores.items():
            columns = {"pos": None if pos == disambiguation.ALL else pos}
            yield Result(system, "sense tagging", "semcor", pos, "f1", score.f1, n=score.items,
                         tolerance=TOLERANCE["trained"], columns=columns)  # fmt: skip
    for name, lexicon in trained.lexicons.items():
        for pair in sense_vectors.PHRASES if name != SENSES else ():
            if not any(lexicon.lacking(phrase.split()) for phrase in pair):
                first, second = (set(neighbours(lexicon, phrase, n)) for phrase in pair)
                split = " / ".join(plain(phrase.split()) for phrase in pair)
                place = (name, "neighbours", "table 8", split, f"shared of {n}")
                yield Result(*place, len(first & second) / n, n=n, tolerance=0.25)


def neighbours(lexicon: Lexicon, phrase: str, n: int = 10) -> list[str]:
    """The words nearest to a composed phrase, its own words left out."""
    words = phrase.split()
    rows = [lexicon.row(word) for word in words]
    nearest = lexicon.space.neighbours(lexicon.context(words), n + len(words))
    return [label for label, _ in nearest if label not in rows][:n]


# ------------------------------------------------------------------------------------------------------------ the run


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter; credits by vectors of further seeds are stored (`cdsm_lib.evaluation.ledger`)."""
    prepared, seed = prepared or prepare(profile), profile["seed"]
    scores = [*scores_of(prepared.items, without_vectors()), *with_vectors(prepared)]
    seeded = [score for score in scores if score.system in SEEDED]
    ends = np.cumsum([len(score.values) for score in seeded])[:-1]

    def credits(again: Trained) -> np.ndarray:
        lexicons = {name: again.lexicons[name] for name in sense_vectors.SEEDED}
        again = with_vectors(replace(prepared, trained=replace(again, lexicons=lexicons)))
        return np.concatenate([score.values for score in again if score.system in SEEDED])

    others, by_seed = sense_vectors.over_seeds(profile, "sense-discrimination", credits, quick), {}
    for other, values in others.items():
        parts = zip(seeded, np.split(values, ends), strict=True)
        by_seed[other] = [replace(score, values=part) for score, part in parts]
    rows, main = [*sizes(prepared), *of_vectors(prepared.trained)], [s for s in scores if s.metric == "accuracy"]
    rows += [*breakdown(main, seed), *by_band(prepared, main, seed)]
    if prepared.published:
        systems = [*map(overlap, CONTEXTS), *additions(prepared.trained.lexicons)]
        rows += [row(score, seed) for score in scores_of(prepared.published, systems)]
    return ledger.run(
        "sense_discrimination", profile, scores, by_seed, claims=partial(claims, prepared=prepared, seed=seed),
        corpus=prepared.trained.corpus, rows=rows, row=partial(row, seed=seed),
        used=[PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"],
        noisy=lambda score: score.metric == "accuracy" and score.system != TAGGED,
    )  # fmt: skip


def claims(scores: Sequence[Scores], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, and whether context2vec does better."""
    tested, items = list(scores), prepared.further.items
    parsed = np.array([all(usage.has_tree for usage in item.usages) for item in items])
    for score in (score for score in scores if (score.system, score.metric) == (WORD2VEC, DRAWN)):
        if parsed.any():
            tested.append(score.subset(parsed, metric="accuracy where all is parsed"))
        if score["window"] == 2:
            bands = banded(score, items, prepared.frequency)
            if min(len(np.unique(band.groups)) for band in (bands[0], bands[-1])) >= FEWEST:
                tested += bands
    return evaluate("sense_discrimination", tested, seed=seed)


# ------------------------------------------------------------------------------------------------- for the notebook


def text(usage: Usage) -> str:
    """The sentence of a usage of the teaching set."""
    return usage.sentence.comments["text"]


def neighbours_table(lexicons: Mapping[str, Lexicon], caption: str = "") -> Table:
    """Table 8 as words: the paper's neighbours of each phrase, and those by each of our vectors."""
    paper, rows = {row[0]: row[1] for row in read_published("kober2017_table8")["rows"]}, []
    for phrase in (phrase for pair in sense_vectors.PHRASES for phrase in pair):
        spelt = plain(phrase.split())
        rows.append((spelt, "published, word2vec", paper[spelt]))
        for name in (name for name in (GOOGLE, WORD2VEC, DEP2VEC) if name in lexicons):
            missing = plain(lexicons[name].lacking(phrase.split()), ", ")
            lemmas = [] if missing else (label.partition("|")[0] for label in neighbours(lexicons[name], phrase, 8))
            others = [lemma for lemma in dict.fromkeys(lemmas) if lemma not in spelt.split()]
            rows.append((spelt, name, f"no vector of {missing}" if missing else ", ".join(others[:5])))
    return table(("phrase", "vectors", "nearest words; of ours the phrase's own left out"), rows, caption, 2)
