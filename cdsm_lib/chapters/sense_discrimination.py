"""Kober et al. (2017), section 4: word sense discrimination. Systems, figures and claims of chapter 41."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from operator import attrgetter

import numpy as np
from scipy.special import expit

from cdsm_lib.chapters import context2vec, sense_vectors
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, UNIT, WORD2VEC, Lexicon, Trained
from cdsm_lib.construction import sense_discrimination as construction
from cdsm_lib.construction.sense_discrimination import Inventory
from cdsm_lib.display import plain
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate, mean_of
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, read_published
from cdsm_lib.settings import Profile
from cdsm_lib.tasks import sense_discrimination
from cdsm_lib.tasks.sense_discrimination import SENSES as OPTIONS
from cdsm_lib.tasks.sense_discrimination import WINDOWS, Item, SenseDiscrimination, Usage
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task
from cdsm_lib.text.corpus import corpus_from_sentences
from cdsm_lib.text.counts import numbering
from cdsm_lib.vectors import disambiguation
from cdsm_lib.vectors.similarity import as_rows, unit_rows

RANDOM, OVERLAP = "random", "word overlap"
CONTEXT_ONLY, HALFWAY = "word2vec, context alone", "half-way to word2vec"
TAGGED, GOLD = "senses, tagged", "senses, gold labels"
MEANS = "contexts of mean senses"
"""With the name of the data, where a word of the context is the mean of its senses."""
SHARED = "shared words"
"""Of our own vectors those of words that the subset of GoogleNews has, too."""
SYSTEMS = (RANDOM, OVERLAP, GOOGLE, WORD2VEC, DEP2VEC, SENSES)
"""Those of the paper's tables."""
SEEDED = (*sense_vectors.SEEDED, *(f"{name}, {SHARED}" for name in (WORD2VEC, SENSES)), TAGGED)
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

    @property
    def scale(self) -> float:
        """How much larger the paper's corpus is, by the average frequency of target nouns and verbs."""
        lexemes = {item.lexeme for item in self.items if item.pos != "ADJ"}
        return MEAN_FREQUENCY / float(np.mean([self.trained.frequency[lexeme] for lexeme in lexemes]))

    def frequency(self, items: Iterable[Item]) -> np.ndarray:
        """Occurrences of each item's lexeme in a corpus as large as the paper's, float64 [items].

        `KeyError` for a lexeme that was not counted: it is none of the words for which the vectors were trained.
        """
        return self.scale * np.array([self.trained.frequency[item.lexeme] for item in items])


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

    vector = cache(lexicon.one)

    def vectors(lexeme: str, usage: Usage) -> np.ndarray:
        around = sum(map(vector, context(usage, window)), np.zeros(lexicon.space.d))
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
        lemmas = [set(map(plain, context(usage, window))) for _, usage in texts]
        return {OVERLAP: np.array([len(lemmas[i] & lemmas[j]) for i, j in pairs], dtype=np.float64)}

    return Composer((OVERLAP,), space_name(window), compare)


def shared(lexicons: Mapping[str, Lexicon]) -> Iterator[Lexicon]:
    """Our word2vec and sense vectors without the words that GoogleNews lacks, where that is there."""

    def known(words: Iterable[str]) -> list[str]:
        return [word for word in words if word in lexicons[GOOGLE]]

    for name in (WORD2VEC, SENSES) if GOOGLE in lexicons else ():
        space, senses = lexicons[name].space, lexicons[name].senses
        masked = senses and senses.subset(known(senses.words))
        yield Lexicon(f"{name}, {SHARED}", space.subset(known(space.rows)), masked)


def additions(lexicons: Iterable[Lexicon], windows: Sequence[int | str] = CONTEXTS) -> Iterator[Composer]:
    """Every lexicon by addition, with every context."""
    return (addition(lexicon.name, lexicon, window) for lexicon in lexicons for window in windows)


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
    tagged = trained.tagger.tag(corpus, sense_vectors.unit(space), rows, prior_weight=settings["prior"])
    senses = tagged[corpus.offsets[:-1] + np.array([usage.position for usage in usages])].tolist()
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
    if system in (GOOGLE, "context2vec"):
        return TOLERANCE["given vectors"] + 1 / items
    return TOLERANCE["exact"] if system in (RANDOM, OVERLAP) else TOLERANCE["trained"] + 0.8 / np.sqrt(items)


def scores_of(items: SenseDiscrimination, systems: Iterable[Composer]) -> Iterator[Scores]:
    """Accuracy of systems on items, which may be grouped by part of speech and number of senses."""
    task, windows = task_of(items), {space_name(window): window for window in WINDOWS}
    for system in systems:
        for name, similarity in system.similarities(task).items():
            columns = {"part": items.split, "window": windows.get(system.space)}
            within = tolerance_of(name, len(items))
            yield task.scores(name, system.space, similarity, tolerance=within, columns=columns)


def with_vectors(prepared: Prepared) -> Iterator[Scores]:
    """Of all that adds vectors on the main items; of what claims compare by addition on more draws, too."""
    lexicons = prepared.trained.lexicons
    masked, google = [*shared(lexicons)], [lexicons[name] for name in lexicons if name == GOOGLE]
    yield from scores_of(prepared.items, chain(additions([*lexicons.values(), *masked]), ablations(prepared)))
    seeded = additions(lexicons[name] for name in sense_vectors.SEEDED)
    compared = scores_of(prepared.further, chain(seeded, additions([*google, *masked], WINDOWS)))
    yield from (replace(score, metric=DRAWN) for score in compared)


def options(prepared: Prepared) -> Iterator[Scores]:
    """What the paper leaves open: with the data stands what sense vectors have as context, with the split the length of
    vectors. Of word2vec, dep2vec and senses in the paper's windows."""
    lexicons = [prepared.trained.lexicons[name] for name in sense_vectors.SEEDED]
    means = [lexicons[-1].of_mean_senses()]
    units, both = ([lexicon.of_length_one() for lexicon in some] for some in (lexicons, means))
    for some, data, split in ((means, f", {MEANS}", ""), (units, "", f", {UNIT}"), (both, f", {MEANS}", f", {UNIT}")):
        drawn = (replace(score, metric=DRAWN) for score in scores_of(prepared.further, additions(some, WINDOWS)))
        for score in chain(scores_of(prepared.items, additions(some, WINDOWS)), drawn):
            yield replace(score, dataset=score.dataset + data, split=score.split + split)


def published(score: Scores) -> float | None:
    """Table 5's accuracy of a part of speech and number of senses, Table 6's for sense labels, Table 7's of a band."""
    pos, band, window = (score[name] for name in ("pos", "band", "window"))
    name = PUBLISHED_ROWS.get(score.system)
    if (score.dataset, score.split) != (MAIN, "test") or not (name and pos):
        return None
    if band:
        return read_published("kober2017_table7")["rows"][name][BANDS.index(band)]
    if score.system == TAGGED:
        return read_published("kober2017_table6")["rows"][name][WINDOWS.index(window)]
    table5 = read_published("kober2017_table5")
    return table5["by_window"][str(window or 1)][name][table5["columns"].index(f"{pos.title()}{score['senses']}")]


def row(score: Scores, seed: int) -> Result:
    """The figure of a system on some items, or a part of them."""
    senses = score["senses"] and f"{score['senses']} senses"
    split = ", ".join(filter(None, (score.split, score["pos"], senses, score["kind"], score["band"])))
    within = tolerance_of(score.system, len(score.values))
    return score.row(seed, RESAMPLES, split=split, part=score.split, published=published(score), tolerance=within)


def parts(score: Scores) -> Iterator[Scores]:
    """Each number of senses (Figure 2), the cells of Tables 5 and 6, the bands of Table 7, the sentences' sources."""
    listed = score.system in SYSTEMS
    if listed and score.system != RANDOM:
        yield from score.groupby("senses")
    for part in score.groupby("pos", "senses") if score.space != DEPENDENCY else ():
        if listed or (score.system, part["pos"], part["senses"]) == (TAGGED, "NOUN", 5):
            yield part
    if listed and score["window"] == 2:
        yield from score.where(pos="NOUN", senses=2).groupby("band")
    if listed and score.dataset == MAIN and score.space in ("none", "window 4"):
        yield from score.groupby("kind")


# ----------------------------------------------------------------------------------------------------------- frequency


def banded(frequency: np.ndarray) -> np.ndarray:
    """The name of the band in which each frequency lies."""
    return np.array(BANDS)[np.digitize(frequency, sense_discrimination.BANDS)]


def logistic(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Logistic regression of y in [0, 1] on x with several weightings, by Newton's method.

    Parameters
    ----------
    x, y : float arrays [n]
    weights : float array [m, n]

    Returns
    -------
    float64 array [m, 2]
        Intercept and slope.
    """
    design, fitted = np.stack([np.ones(len(x)), x]), np.zeros((len(weights), 2))
    for _ in range(20):
        p = expit(fitted @ design)
        information = np.einsum("mn,in,jn->mij", weights * p * (1 - p), design, design)
        fitted += np.linalg.solve(information, (weights * (y - p) @ design.T)[..., None])[..., 0]
    return fitted


def by_frequency(score: Scores, frequency: np.ndarray, seed: int) -> Iterator[Scores]:
    """Accuracy on 2-sense nouns by logistic regression on the log of the lexeme's frequency: at the mean log frequency
    of the rare ones and of the frequent ones. Lexemes are drawn anew with all their items."""
    wanted = (score.labels["pos"] == "NOUN") & (score.labels["senses"] == 2)
    _, first, lexeme = np.unique(score.groups[wanted], return_index=True, return_inverse=True)
    items, bands = np.bincount(lexeme), banded(frequency[wanted][first])
    right = np.bincount(lexeme, weights=score.values[wanted]) / items
    x = np.log(np.maximum(frequency[wanted][first], 1))
    ends = {band: x[bands == band] for band in (BANDS[0], BANDS[-1])}
    if min(map(len, ends.values())) >= FEWEST:
        drawn = np.random.default_rng(seed).multinomial(len(x), np.full(len(x), 1 / len(x)), RESAMPLES)
        intercept, slope = logistic(x - x.mean(), right, np.vstack([np.ones(len(x)), drawn]) * items).T
        for band, of_band in ends.items():
            fitted = expit(intercept + slope * (of_band.mean() - x.mean()))
            about = {"values": None, "groups": None, "labels": {}, "columns": {**score.columns, "band": band}}
            about |= {"metric": "accuracy by frequency", "statistic": fitted[0], "resamples": fitted[1:], "n": len(x)}
            yield replace(score, **about)


# ------------------------------------------------------------------------------------------- figures that are no scores


def sizes(prepared: Prepared) -> Iterator[Result]:
    """Table 4, test items by part of speech and number of senses; the scale of frequencies; the share of context words
    (window 4) that each lexicon lacks; and how well the sense tagger does on SemCor."""
    items, printed = prepared.items, construction.split_sizes()
    place = {"system": "data", "space": "items", "dataset": items.dataset}
    for (pos, n), count in sorted(Counter((item.pos, item.senses) for item in items).items()):
        number = float(printed[pos, n][1]) if items.dataset == MAIN else None
        columns = {"part": items.split, "pos": pos, "senses": n, "split": f"{items.split}, {pos}, {n} senses"}
        yield Result.of(**place, **columns, metric="items", value=count, published=number)
    yield Result.of(**place, metric="scale", value=prepared.scale, split="all")
    words = [word for item in items for usage in item.usages for word in context(usage, 4)]
    for name, lexicon in prepared.trained.lexicons.items():
        place = (name, "vocabulary", items.dataset, items.split, "share of context words unknown")
        yield Result(*place, sum(word not in lexicon for word in words) / len(words), n=len(words))
    for system, scores in prepared.trained.quality.items():
        for pos, score in scores.items():
            columns = {"pos": None if pos == disambiguation.ALL else pos}
            yield Result(system, "sense tagging", "semcor", pos, "f1", score.f1, n=score.items,
                         tolerance=TOLERANCE["trained"], columns=columns)  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ the run


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter; credits by vectors of further seeds are stored (`cdsm_lib.evaluation.ledger`)."""
    prepared, seed = prepared or prepare(profile), profile["seed"]
    scores = [*scores_of(prepared.items, without_vectors()), *with_vectors(prepared)]
    seeded = [score for score in scores if score.system in SEEDED]
    ends = np.cumsum([len(score.values) for score in seeded])[:-1]

    def credits(again: Trained) -> np.ndarray:
        again = with_vectors(replace(prepared, trained=again))
        return np.concatenate([score.values for score in again if score.system in SEEDED])

    others, by_seed = sense_vectors.over_seeds(profile, "sense-discrimination", credits, quick), {}
    for other, values in others.items():
        split = zip(seeded, np.split(values, ends), strict=True)
        by_seed[other] = [replace(score, values=part) for score, part in split]
    bands, rows = banded(prepared.frequency(prepared.items)), [*sizes(prepared)]
    for score in (score for score in scores if score.metric == "accuracy"):
        rows += [row(part, seed) for part in parts(replace(score, labels={**score.labels, "band": bands}))]
    if prepared.published:
        systems = [*map(overlap, CONTEXTS), *additions(prepared.trained.lexicons.values())]
        rows += [row(score, seed) for score in scores_of(prepared.published, systems)]
    return ledger.run(
        "sense_discrimination", profile, scores, by_seed, claims=partial(claims, prepared=prepared, seed=seed),
        options=partial(options, prepared),
        corpus=prepared.trained.corpus, rows=rows, row=partial(row, seed=seed),
        used=[PUBLISHED_SET, "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"],
        noisy=lambda score: score.metric == "accuracy" and score.system != TAGGED,
    )  # fmt: skip


def claims(scores: Sequence[Scores], prepared: Prepared, seed: int) -> list[Claim]:
    """What the paper concludes in section 4, and whether context2vec does better."""
    tested, items = list(scores), prepared.further.items
    parsed = np.array([all(map(attrgetter("has_tree"), item.usages)) for item in items])
    random = next((score for score in scores if score.system == RANDOM), None)
    for score in (score for score in scores if random and (score.system, score.metric) == (WORD2VEC, "accuracy")):
        tested.append(replace(mean_of([score, random]), system=HALFWAY))
    for score in (score for score in scores if (score.system, score.metric) == (WORD2VEC, DRAWN)):
        if parsed.any():
            tested.append(score.subset(parsed, metric="accuracy where all is parsed"))
        if score["window"] == 2:
            tested += by_frequency(score, prepared.frequency(items), seed)
    return evaluate("sense_discrimination", tested, seed=seed)


def text(usage: Usage) -> str:
    """The sentence of a usage of the teaching set, for the notebook."""
    return usage.sentence.comments["text"]
