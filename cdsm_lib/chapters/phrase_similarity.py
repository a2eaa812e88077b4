"""Kober et al. (2017), section 3: phrase similarity. Systems, figures and claims of chapter 40."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import starmap
from operator import itemgetter

import numpy as np
import pandas as pd

from cdsm_lib import datasets
from cdsm_lib.chapters import sense_vectors
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SEEDED, SENSES, UNIT, Lexicon, Trained
from cdsm_lib.composition import senses as composition
from cdsm_lib.display import plain
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, read_published
from cdsm_lib.labels import Labels
from cdsm_lib.settings import Profile
from cdsm_lib.tables import read_table, whole
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import AVERAGE, KINDS, RHO, RHO_OF_MEANS, PhraseSimilarity
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task, Vocabulary, column

ADDITION, MULTIPLICATION = "addition", "multiplication"
COMPOSE = {ADDITION: composition.sums, MULTIPLICATION: composition.products}
STRATEGIES = tuple(composition.STRATEGIES)
COSINE = "mean cosine"
THIRDS = ("dissimilar third", "the others")
PARTS = (*KINDS, AVERAGE)
RESAMPLES = 2000
TOLERANCE = {"given vectors": 0.001, "trained": 0.02, "sampled": 0.08, "part": 0.05}
"""How far a recomputed figure may lie from the committed one.

Vectors that are read move by rounding alone: two of 108 pairs that are neighbours in rank and change places move rho by
.001 at most. Another processor rounds skip-gram's sums otherwise, and what is trained on them follows: .02, where sums
from three seeds have a standard deviation of at most .013. Senses and clusters are decided anew then, and
moved rho by up to .054 on a processor without AVX-512, in November 2026: .08. Cosines, of a pair or as a mean of many,
stayed within .05 there.
"""
PUBLISHED_ROWS = {GOOGLE: "word2vec", DEP2VEC: "dep2vec"} | {f"{SENSES}, {s}": f"SENSEMBED:{s}" for s in STRATEGIES}


# --------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Prepared:
    """The rated pairs and the vectors."""

    items: PhraseSimilarity
    trained: Trained

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """Rho of each kind of phrases, and of all kinds on average; the pairs are the same."""
        vocabulary = Vocabulary(Labels(self.items.words))
        kinds = {kind: (kind,) for kind in KINDS} | {AVERAGE: KINDS}
        return {part: phrase_similarity.task(self.items, vocabulary, some) for part, some in kinds.items()}


def prepare(profile: Profile) -> Prepared:
    """Load the pairs, and train or read the vectors."""
    return Prepared(phrase_similarity.load(profile["phrase_similarity.dataset"]), sense_vectors.vectors(profile))


def composer(name: str, lexicon: Lexicon, operation: str, strategy: str = "max") -> Composer:
    """Compose both phrases for all combinations of senses, then compare.

    Rounded to nine decimals: a pair of equal phrases is exactly as similar as another.
    """

    def compare(texts, pairs):
        composed = [COMPOSE[operation]([*map(lexicon.of, text.words)]) for text in texts]
        return {name: np.round([composition.similarity(composed[i], composed[j], strategy) for i, j in pairs], 9)}

    return Composer((name,), operation, compare)


def systems(lexicons: Mapping[str, Lexicon]) -> Iterator[Composer]:
    """Every lexicon by both operations, with senses by all strategies."""
    for name, lexicon in lexicons.items():
        for strategy in STRATEGIES if lexicon.senses else ("max",):
            for operation in COMPOSE:
                yield composer(f"{name}, {strategy}" if lexicon.senses else name, lexicon, operation, strategy)


def similarities(task: Task, composers: Iterable[Composer]) -> list[np.ndarray]:
    """What each gives every pair of phrases."""
    return [values for composer in composers for values in composer.similarities(task).values()]


# ------------------------------------------------------------------------------------------------------------- scores


def vectors_of(system: str) -> str:
    """The lexicon that a system composes."""
    return system.partition(", ")[0]


def published(system: str, space: str, part: str, dataset: str) -> float | None:
    """The paper's number, where it has one for this data."""
    row = read_published("kober2017_table1")["rows"].get(PUBLISHED_ROWS.get(system, ""))
    return row[PARTS.index(part)] if row and (space, dataset) == (ADDITION, "ml2010") else None


def scores_of(prepared: Prepared, composers: Sequence[Composer], values: Sequence[np.ndarray], seed: int):
    """Rho on average; of addition also by kind, with mean ratings, and the cosines of the thirds."""
    low, tasks = dissimilar(prepared.items), prepared.tasks
    for composer, similarity in zip(composers, values, strict=True):
        (system,), space = composer.names, composer.space
        vectors, added = vectors_of(system), space == ADDITION
        within = "given vectors" if vectors == GOOGLE else "sampled" if vectors == SENSES else "trained"
        about = {"n": RESAMPLES, "seed": seed, "tolerance": TOLERANCE[within]}
        for part in PARTS if added else (AVERAGE,):
            printed = published(system, space, part, prepared.items.dataset)
            yield tasks[part].scores(system, space, similarity, RHO, published=printed, **about)
            if added:
                yield tasks[part].scores(system, space, similarity, RHO_OF_MEANS, **about)
        for third, pairs in zip(THIRDS, (low, ~low), strict=True) if added and vectors in SEEDED else ():
            place = (system, space, prepared.items.dataset, third, COSINE, similarity[pairs])
            yield Scores(*place, tolerance=TOLERANCE["part"])


def options(prepared: Prepared, seed: int) -> Iterator[Scores]:
    """Rho of what the paper leaves open: sums of words of length one."""
    lexicons = {name: lexicon.of_length_one() for name, lexicon in prepared.trained.lexicons.items()}
    added = [composer for composer in systems(lexicons) if composer.space == ADDITION]
    for score in scores_of(prepared, added, similarities(prepared.tasks[AVERAGE], added), seed):
        if score.metric in (RHO, RHO_OF_MEANS):
            yield replace(score, space=f"{ADDITION}, {UNIT}")


def dissimilar(items: PhraseSimilarity) -> np.ndarray:
    """Which pairs people find dissimilar: the third of each kind with the lowest mean ratings (bool [pairs])."""
    means = pd.Series(column(items, "mean")).groupby(column(items, "kind"))
    return (means.rank(method="first") <= means.transform("size") // 3).to_numpy()


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
    """Words without a vector, and vectors a word."""
    words = prepared.items.words
    for name, lexicon in prepared.trained.lexicons.items():
        place = {"space": "vocabulary", "dataset": prepared.items.dataset, "split": "all", "n": len(words)}
        yield Result(name, metric="unknown words", value=len(lexicon.lacking(words)), **place)
        if lexicon.senses is not None:
            several = float(np.mean([len(lexicon.of(word)) for word in words]))
            yield Result(name, metric="vectors a word", value=several, tolerance=0.5, **place)


# ------------------------------------------------------------------------------------- the closest sense (Table 2)


def chosen_senses() -> dict[int, tuple[str, str, str, str]]:
    """The senses chosen by hand for the pairs of Table 2, by the pair's number in ``ml2010.tsv``."""
    path = datasets.data_root() / "annotations" / "ml2010_senses.tsv"
    columns = ("number", "sense1", "sense2", "sense3", "sense4")
    rows = read_table(path, columns, {"number": whole}, key="number")
    return {row["number"]: itemgetter(*columns[1:])(row) for _, row in rows}


def of_sums(vectors: Iterable[np.ndarray]) -> float:
    """The similarity of two phrases of two words, added, from the vectors [k, d] of all four."""
    first, second, third, fourth = vectors
    return composition.similarity(composition.sums([first, second]), composition.sums([third, fourth]))


def overestimates(prepared: Prepared, by_hand: Mapping[int, Sequence[str]]) -> Iterator[Result]:
    """Table 2 with our sense vectors, by the numbers of the pairs: what the closest and the right senses say."""
    lexicon, items = prepared.trained.lexicons[SENSES], prepared.items
    table2 = {frozenset(" ".join(row[:2]).split()): row[2:] for row in read_published("kober2017_table2")["rows"]}
    for pair, human in zip(items, phrase_similarity.mean_ratings_normalised(items.pairs).tolist(), strict=True):
        if pair.number not in by_hand:
            continue
        senses = list(zip(pair.words, by_hand[pair.number], strict=True))
        closest, right = of_sums(map(lexicon.of, pair.words)), of_sums(starmap(lexicon.of, senses))
        theirs = table2.get(frozenset(plain(pair.words).split()), (None, None, None))
        place = {"dataset": items.dataset, "split": f"pair {pair.number}", "tolerance": TOLERANCE["part"]}
        rows = ((SENSES, "closest", closest), (SENSES, "chosen by hand", right), ("human", "human", human))
        for (system, space, value), number in zip(rows, theirs, strict=True):
            yield Result(system, space, metric="similarity", value=value, published=number, **place)
        lacking = sum(not lexicon.has(*chosen) for chosen in senses)
        yield Result(SENSES, "chosen by hand", metric="senses without a vector", value=lacking, **place)


# ------------------------------------------------------------------------------------------------------------ the run


def run(profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None) -> Results:
    """Every figure of the chapter; similarities by further seeds' vectors are stored (`cdsm_lib.evaluation.ledger`)."""
    prepared, seed = prepared or prepare(profile), profile["seed"]
    task, trained = prepared.tasks[AVERAGE], prepared.trained
    composers = list(systems(prepared.trained.lexicons))
    seeded = [composer for composer in composers if vectors_of(composer.names[0]) in SEEDED]

    def of_vectors(again: Trained) -> np.ndarray:
        return np.array(similarities(task, systems({name: again.lexicons[name] for name in SEEDED})))

    scores = [*scores_of(prepared, composers, similarities(task, composers), seed), *people(prepared.items)]
    others = sense_vectors.over_seeds(profile, "phrase-similarity", of_vectors, quick)
    by_seed = {other: [*scores_of(prepared, seeded, np.float64(rows), seed)] for other, rows in others.items()}
    by_hand = chosen_senses() if prepared.items.dataset == "ml2010" else {}
    return ledger.run(
        "phrase_similarity", profile, scores, by_seed, claims=partial(claims, seed=seed), corpus=trained.corpus,
        used=["ml2010", "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"],
        rows=[*sizes(prepared), *overestimates(prepared, by_hand)], row=row,
        noisy=lambda score: (score.space, score.metric) == (ADDITION, RHO), options=partial(options, prepared, seed),
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
