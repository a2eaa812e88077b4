"""Kober et al. (2017), section 3: phrase similarity. Systems, figures and claims of chapter 40."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sense_vectors, training_counts
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SEEDED, SENSES, Lexicon, Trained
from cdsm_lib.composition import senses as composition
from cdsm_lib.display import Table, figure, over_seeds, plain, printed, result_of, table
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, read_published
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tables import read_table, whole
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import AVERAGE, KINDS, RHO, RHO_OF_MEANS, PhraseSimilarity
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task, Vocabulary
from cdsm_lib.text.counts import content_words, count_windows
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.space import Space

ADDITION, MULTIPLICATION = "addition", "multiplication"
COMPOSE = {ADDITION: composition.sums, MULTIPLICATION: composition.products}
STRATEGIES = tuple(composition.STRATEGIES)
COUNTS = "counts"
COSINE = "mean cosine"
THIRDS = ("dissimilar third", "the others")
PARTS = (*KINDS, AVERAGE)
RESAMPLES = 2000
TOLERANCE = {"given vectors": 0.001, "trained": 0.02, "sampled": 0.08, "part": 0.05, "cost": 1e6}
"""How far a recomputed figure may lie from the committed one.

Vectors that are read move by rounding alone: two of 108 pairs that are neighbours in rank and change places move rho by
.001 at most. Another processor rounds skip-gram's sums otherwise, and what is trained on them follows: .02, where sums
from three seeds have a standard deviation of at most .013. Senses and clusters are decided anew then, and
moved rho by up to .054 on a processor without AVX-512, in November 2026: .08. Cosines, of a pair or as a mean of many,
stayed within .05 there. A record of time binds nobody.
"""
PUBLISHED_ROWS = {GOOGLE: "word2vec", DEP2VEC: "dep2vec"} | {f"{SENSES}, {s}": f"SENSEMBED:{s}" for s in STRATEGIES}
ML2010_MULT = {"AN": 0.46, "NN": 0.49, "VO": 0.37}
"""Mitchell and Lapata's (2010) own multiplication of counts."""


# --------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Prepared:
    """The rated pairs and the vectors."""

    items: PhraseSimilarity
    trained: Trained
    counts: Lexicon

    @property
    def lexicons(self) -> dict[str, Lexicon]:
        """All vectors by name."""
        return {**self.trained.lexicons, COUNTS: self.counts}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Rho of each kind of phrases, and of all kinds on average; the pairs are the same."""
        vocabulary = Vocabulary(Labels(self.items.words))
        kinds = {kind: (kind,) for kind in KINDS} | {AVERAGE: KINDS}
        return {part: phrase_similarity.task(self.items, vocabulary, some) for part, some in kinds.items()}


def prepare(profile: Profile) -> Prepared:
    """Load the pairs, and train or read the vectors."""
    items = phrase_similarity.load(profile["phrase_similarity.dataset"])
    return Prepared(items, sense_vectors.vectors(profile), counted(profile, items.words))


def counted(profile: Profile, words: Sequence[str]) -> Lexicon:
    """Mitchell and Lapata's simple semantic space: P(c|t) / P(c) of 2,000 context words in windows of five.

    The sample profile takes the Count space that is distilled for RELPRON (1,000 context words, windows of three).
    """
    if profile.name == "full":
        corpus = training_counts.wikipedia(profile.get("corpus.files"))
        known = [word for word in words if word in corpus.words]
        counts = count_windows(corpus, known, content_words(corpus, 2000), window=5, content_only=False)
    else:
        counts = training_counts.load(datasets.distilled_folder()).counts["Count"]
    return Lexicon(COUNTS, Space(counts.rows, weighting.ratio(counts.matrix).toarray()))


def composer(name: str, lexicon: Lexicon, operation: str, strategy: str = "max") -> Composer:
    """Compose both phrases for all combinations of senses, then compare.

    Rounded to nine decimals: a pair of equal phrases is exactly as similar as another.
    """

    def compare(texts, pairs):
        composed = [COMPOSE[operation]([lexicon.of(word) for word in text.words]) for text in texts]
        return {name: np.round([composition.similarity(composed[i], composed[j], strategy) for i, j in pairs], 9)}

    return Composer((name,), operation, compare)


def systems(lexicons: Mapping[str, Lexicon]) -> Iterator[Composer]:
    """Every lexicon by both operations, with senses by all strategies."""
    for name, lexicon in lexicons.items():
        for strategy in STRATEGIES if lexicon.senses else ("max",):
            for operation in COMPOSE:
                yield composer(f"{name}, {strategy}" if lexicon.senses else name, lexicon, operation, strategy)


# ------------------------------------------------------------------------------------------------------------- scores


def vectors_of(system: str) -> str:
    """The lexicon that a system composes."""
    return system.partition(", ")[0]


def published(system: str, space: str, part: str, dataset: str) -> float | None:
    """The paper's number, where it has one for this data."""
    if dataset != "ml2010":
        return None
    if (system, space) == (COUNTS, MULTIPLICATION):
        return ML2010_MULT.get(part)
    row = read_published("kober2017_table1")["rows"].get(PUBLISHED_ROWS.get(system, ""))
    return row[PARTS.index(part)] if row and space == ADDITION else None


def scores_of(prepared: Prepared, composers: Sequence[Composer], values: Sequence[np.ndarray], seed: int):
    """Rho on average; of addition by kind, with mean ratings, and the cosines of the thirds; of multiplied counts by
    kind, beside Mitchell and Lapata's figures."""
    low, tasks = dissimilar(prepared.items), prepared.tasks
    for composer, similarity in zip(composers, values, strict=True):
        (system,), space = composer.names, composer.space
        vectors, added = vectors_of(system), space == ADDITION
        within = "given vectors" if vectors in (GOOGLE, COUNTS) else "sampled" if vectors == SENSES else "trained"
        about = {"n": RESAMPLES, "seed": seed, "tolerance": TOLERANCE[within]}
        for part in PARTS if added or system == COUNTS else (AVERAGE,):
            printed = published(system, space, part, prepared.items.dataset)
            yield tasks[part].scores(system, space, similarity, RHO, published=printed, **about)
            if added:
                yield tasks[part].scores(system, space, similarity, RHO_OF_MEANS, **about)
        for third, pairs in zip(THIRDS, (low, ~low), strict=True) if added and vectors in SEEDED else ():
            place = (system, space, prepared.items.dataset, third, COSINE, similarity[pairs])
            yield Scores(*place, tolerance=TOLERANCE["part"])


def dissimilar(items: PhraseSimilarity) -> np.ndarray:
    """Which pairs people find dissimilar: the third of each kind with the lowest mean ratings (bool [pairs])."""
    kinds, means = (np.array([getattr(pair, name) for pair in items]) for name in ("kind", "mean"))
    low = np.zeros(len(items), dtype=bool)
    for kind in KINDS:
        here = np.flatnonzero(kinds == kind)
        low[here[np.argsort(means[here], kind="stable")[: len(here) // 3]]] = True
    return low


def british(prepared: Prepared, seed: int) -> Scores:
    """GoogleNews without the American spellings: what the British ones cost."""
    space, spelt = prepared.lexicons[GOOGLE].space, {word: plain(word) for word in prepared.items.words}
    known = {word: spelling for word, spelling in spelt.items() if spelling in space}
    lexicon = Lexicon(GOOGLE, Space(list(known), space.take(list(known.values()))))
    task, system = prepared.tasks[AVERAGE], composer(GOOGLE, lexicon, ADDITION)
    about = {"n": RESAMPLES, "seed": seed, "tolerance": TOLERANCE["given vectors"]}
    return task.scores(GOOGLE, "addition, British spellings", system.similarities(task)[GOOGLE], **about)


def people(items: PhraseSimilarity) -> Iterator[Scores]:
    """How well people do, where there are several ratings of a pair."""
    for kind in KINDS:
        pairs, place = items.of(kind), ("data", items.dataset, kind)
        if len(pairs[0].ratings) > 1:
            within = {"tolerance": TOLERANCE["given vectors"]}
            yield Scores("human", *place, "rho with the others", phrase_similarity.human_ceiling(pairs), **within)
            best = phrase_similarity.best_possible(pairs)
            yield Scores("mean rating", *place, RHO, statistic=best, n=len(pairs), **within)


def sizes(prepared: Prepared) -> Iterator[Result]:
    """Ratings; words without a vector, vectors a word; and what each training took when it ran."""
    items, words = prepared.items, prepared.items.words
    for kind in KINDS:
        ratings = sum(len(pair.ratings) for pair in items.of(kind))
        yield Result("data", "data", items.dataset, kind, "ratings", ratings)
    for name, lexicon in prepared.lexicons.items():
        place = {"space": "vocabulary", "dataset": items.dataset, "split": "all", "n": len(words)}
        yield Result(name, metric="unknown words", value=len(lexicon.lacking(words)), **place)
        if lexicon.senses is not None:
            several = float(np.mean([len(lexicon.of(word)) for word in words]))
            yield Result(name, metric="vectors a word", value=several, tolerance=0.5, **place)
    for cost in prepared.trained.costs:
        place = (cost.system, "training", "wikipedia_parsed", "all")
        yield Result(*place, "minutes", cost.seconds / 60, tolerance=TOLERANCE["cost"])
        for metric in ("vectors", "words", "megabytes"):
            yield Result(*place, metric, getattr(cost, metric), tolerance=TOLERANCE["cost"])


# ------------------------------------------------------------------------------------- the closest sense (Table 2)


def chosen_senses() -> dict[int, tuple[str, str, str, str]]:
    """The senses chosen by hand for the pairs of Table 2, by the pair's number in ``ml2010.tsv``."""
    path = datasets.data_root() / "annotations" / "ml2010_senses.tsv"
    columns = ("number", "sense1", "sense2", "sense3", "sense4")
    rows = read_table(path, columns, {"number": whole}, key="number")
    return {row["number"]: tuple(row[name] for name in columns[1:]) for _, row in rows}


def overestimates(prepared: Prepared, by_hand: Mapping[int, Sequence[str]]) -> Iterator[Result]:
    """Table 2 with our sense vectors, by the numbers of the pairs: what the closest and the right senses say."""
    lexicon, items = prepared.trained.lexicons[SENSES], prepared.items
    table2 = {frozenset(" ".join(row[:2]).split()): row[2:] for row in read_published("kober2017_table2")["rows"]}
    for pair, human in zip(items, phrase_similarity.mean_ratings_normalised(items.pairs).tolist(), strict=True):
        if pair.number not in by_hand:
            continue
        senses = list(zip(pair.words, by_hand[pair.number], strict=True))
        closest, right = (
            composition.similarity(composition.sums(vectors[:2]), composition.sums(vectors[2:]))
            for vectors in ([*map(lexicon.of, pair.words)], [lexicon.of(*chosen) for chosen in senses])
        )
        theirs = table2.get(frozenset(plain(pair.words).split()), (None, None, None))
        place = {"dataset": items.dataset, "split": f"pair {pair.number}", "tolerance": TOLERANCE["part"]}
        rows = ((SENSES, "closest", closest), (SENSES, "chosen by hand", right), ("human", "human", human))
        for (system, space, value), number in zip(rows, theirs, strict=True):
            yield Result(system, space, metric="similarity", value=value, published=number, **place)
        lacking = sum(not lexicon.has(*chosen) for chosen in senses)
        yield Result(SENSES, "chosen by hand", metric="senses without a vector", value=lacking, **place)


# ------------------------------------------------------------------------------------------------------------ the run


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter.

    Parameters
    ----------
    profile : Profile
    quick : bool, optional
        True, as `make verify` has it: the similarities by vectors of further seeds are the stored ones. False, as
        `make reproduce` has it: all are trained, and stored. By default there is the profile's own seed alone.
    prepared : Prepared, optional
        By default it is prepared here.
    """
    prepared, seed = prepared or prepare(profile), profile["seed"]
    task, trained = prepared.tasks[AVERAGE], prepared.trained
    composers = list(systems(prepared.lexicons))
    seeded = [composer for composer in composers if vectors_of(composer.names[0]) in SEEDED]

    def similarities(lexicons: Mapping[str, Lexicon]) -> list[np.ndarray]:
        return [values for system in systems(lexicons) for values in system.similarities(task).values()]

    def of_vectors(again: Trained) -> np.ndarray:
        return np.array(similarities({name: again.lexicons[name] for name in SEEDED}))

    scores = [*scores_of(prepared, composers, similarities(prepared.lexicons), seed), *people(prepared.items)]
    if GOOGLE in trained.lexicons:
        scores.append(british(prepared, seed))
    others = sense_vectors.over_seeds(profile, "phrase-similarity", of_vectors, quick)
    by_seed = {other: [*scores_of(prepared, seeded, np.float64(rows), seed)] for other, rows in others.items()}
    by_hand = chosen_senses() if prepared.items.dataset == "ml2010" else {}
    return ledger.run(
        "phrase_similarity", profile, scores, by_seed, claims=partial(claims, seed=seed), corpus=trained.corpus,
        used=["ml2010", "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"],
        rows=[*sizes(prepared), *overestimates(prepared, by_hand)], row=row,
        noisy=lambda score: (score.space, score.metric) == (ADDITION, RHO),
    )  # fmt: skip


def row(score: Scores) -> Result:
    """The row of scores; of cosines without an interval, for the claim is about their difference."""
    return score.row().changed(low=None, high=None) if score.metric == COSINE else score.row()


def claims(scores: Sequence[Scores], seed: int) -> list[Claim]:
    """What the paper concludes in section 3, on the average over the kinds of phrases."""
    cosines = {(score.system, score.split): score for score in scores if score.metric == COSINE}
    lifts = []
    for third in THIRDS:
        closest, average = (cosines[f"{SENSES}, {strategy}", third] for strategy in ("max", "mean"))
        lift = replace(closest, system=third, split=AVERAGE, metric="lift", values=closest.values - average.values)
        lifts.append(lift)
    return evaluate("phrase_similarity", [*scores, *lifts], seed=seed)


# -------------------------------------------------------------------------------------------------- tables of the page


def rho_in(results: Results | None, system: str, space=ADDITION, split=AVERAGE, metric=RHO) -> Result | None:
    """A system's figure, on average over the kinds of phrases unless another split is named."""
    return result_of(results, system=system, space=space, split=split, metric=metric)


def scores_table(full: Results | None, this_run: Results, systems: Sequence[str], kind: str = AVERAGE) -> Table:
    """Published figures beside those of the full profile, its seeds and this run, for phrases of one kind."""
    rows, (dataset,) = [], {row.dataset for row in this_run.find(space=ADDITION, metric=RHO)}
    for name in systems:
        in_full, here = (rho_in(results, name, split=kind) for results in (full, this_run))
        seeds = over_seeds(full, RHO, system=name, space=ADDITION, split=kind)
        rows.append((name, printed(in_full), figure(in_full), seeds, figure(here)))
    columns = ("addition", "published", "full: rated pairs", "its seeds", f"this run: {dataset}")
    return table(columns, rows, f"{kind}: Spearman's rho with single ratings, 95% interval by drawing pairs")


def overestimated(full: Results | None) -> list[tuple]:
    """Rows of Table 2: phrases, the paper's figures and ours (closest, by hand, human), senses without a vector."""
    phrases = {tuple(row[2:]): " / ".join(row[:2]) for row in read_published("kober2017_table2")["rows"]}
    rows = []
    for closest in full.find(space="closest", metric="similarity") if full else ():
        spaces = ("closest", "chosen by hand", "human")
        three = [full.one(split=closest.split, metric="similarity", space=space) for space in spaces]
        lacking = full.one(split=closest.split, metric="senses without a vector").value
        theirs = tuple(result.published for result in three)
        rows.append((phrases[theirs], *theirs, *(result.value for result in three), int(lacking)))
    return rows


def lead(task: Task, first: np.ndarray, second: np.ndarray, seed: int) -> str:
    """How far the rho of similarities lies above that of others, with its interval: ``+0.032 [-0.010, +0.081]``."""
    drawn = task.resampled(first, RESAMPLES, seed) - task.resampled(second, RESAMPLES, seed)
    ends = np.quantile(drawn, [0.025, 0.975])
    return figure(Interval(task.value(first) - task.value(second), *ends), signed=True)
