"""Kober et al. (2017), section 3: phrase similarity. Similarities, figures and claims of chapter 40."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cdsm_lib import datasets, weighting
from cdsm_lib.composition import senses as composition
from cdsm_lib.counts import content_words, count_windows
from cdsm_lib.ledger import Claim, Ledger, Result, made_with, read_published, verdict_all, verdict_resampled
from cdsm_lib.pipelines import distil, kober2017, materials
from cdsm_lib.pipelines.kober2017 import DEP2VEC, GOOGLE, PROTOTYPES, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.space import Space
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import KINDS, Pair, PhraseSimilarity

ADDITION, MULTIPLICATION = "addition", "multiplication"
COMPOSE = {ADDITION: composition.sums, MULTIPLICATION: composition.products}
STRATEGIES = tuple(composition.STRATEGIES)
COUNTS = "counts"
AVERAGE = "average"
RESAMPLES = 2000
TOLERANCE = {"exact": 1e-9, "given vectors": 0.001, "trained": 0.02, "sampled": 0.03, "cost": 1e6}
"""Vectors that are read move by rounding alone; another processor rounds skip-gram's sums otherwise, and what it is
trained on follows (two trainings from different seeds differ by about as much); a record of time binds nobody."""
PUBLISHED_ROWS = {GOOGLE: "word2vec", DEP2VEC: "dep2vec"} | {f"{SENSES}, {s}": f"SENSEMBED:{s}" for s in STRATEGIES}
ML2010_MULT = {"AN": 0.46, "NN": 0.49, "VO": 0.37}
"""Mitchell and Lapata's own multiplication, as the specification gives it."""


# ------------------------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True)
class Run:
    """The similarities that a system gives to the pairs of a task.

    Attributes
    ----------
    system : str
    space : str
        How the two words are composed.
    task : PhraseSimilarity
    similarity : float64 array [pairs]
    """

    system: str
    space: str
    task: PhraseSimilarity
    similarity: np.ndarray

    def of(self, kind: str) -> tuple[np.ndarray, tuple[Pair, ...]]:
        """The similarities and the pairs of one kind."""
        here = np.array([pair.kind == kind for pair in self.task])
        return self.similarity[here], self.task.of(kind)

    def rho(self, kind: str, which: str = "individual") -> float:
        """Spearman's rho of one kind; the mean of the kinds for "average"."""
        if kind == AVERAGE:
            return float(np.mean([self.rho(one, which) for one in KINDS]))
        values, pairs = self.of(kind)
        measure = phrase_similarity.rho_individual if which == "individual" else phrase_similarity.rho_mean
        return measure(values, pairs)

    def resampled(self, kind: str, which: str, seed: int) -> np.ndarray:
        """Rho of each bootstrap resample; of the average, the kinds are drawn each for itself."""
        if kind == AVERAGE:
            return np.mean([self.resampled(one, which, seed) for one in KINDS], axis=0)
        return phrase_similarity.resampled_rho(*self.of(kind), which, seed, RESAMPLES)


@dataclass(frozen=True)
class Prepared:
    """The task and the vectors."""

    task: PhraseSimilarity
    trained: Trained
    counts: Lexicon


def similarities(lexicon: Lexicon, task: PhraseSimilarity, operation: str, strategy: str = "max") -> np.ndarray:
    """The similarity of every pair: compose both phrases for all combinations of senses, then compare.

    Rounded to nine decimals: a pair of equal phrases is exactly as similar as another.
    """
    compose = COMPOSE[operation]
    vectors = {word: lexicon.of(word) for word in task.words}
    found = [
        composition.similarity(*(compose([vectors[word] for word in phrase]) for phrase in (p.first, p.second)), strategy)
        for p in task
    ]  # fmt: skip
    return np.round(found, 9)


def runs_of(lexicons: Mapping[str, Lexicon], task: PhraseSimilarity) -> Iterator[Run]:
    """Every lexicon by both operations, with senses by all strategies."""
    for name, lexicon in lexicons.items():
        for strategy in STRATEGIES if lexicon.senses else ("max",):
            system = f"{name}, {strategy}" if lexicon.senses else name
            for operation in COMPOSE:
                yield Run(system, operation, task, similarities(lexicon, task, operation, strategy))


def counted(profile: datasets.Profile, words: Sequence[str]) -> Lexicon:
    """Mitchell and Lapata's simple semantic space: P(c|t) / P(c) of 2,000 context words in windows of five.

    The sample profile takes the Count space that is distilled for RELPRON (1,000 context words, windows of three).
    """
    if profile.name == "full":
        corpus = materials.wikipedia()
        kept = [word for word in words if word in corpus.words]
        table = count_windows(corpus, kept, content_words(corpus, 2000), window=5, content_only=False)
    else:
        table = materials.load(distil.folder()).counts["Count"]
    return Lexicon(COUNTS, Space(table.rows, weighting.ratio(table.matrix).toarray()))


def prepare(profile: datasets.Profile) -> Prepared:
    """Load the task, and train or read the vectors."""
    task = phrase_similarity.load(profile["phrase_similarity.dataset"])
    return Prepared(task, kober2017.vectors(profile), counted(profile, task.words))


# ---------------------------------------------------------------------------------------------------------- figures


def tolerance_of(system: str) -> float:
    """How far a recomputed figure may lie from the committed one."""
    if system in (GOOGLE, COUNTS, "human", "mean rating"):
        return TOLERANCE["given vectors"]
    return TOLERANCE["sampled" if system.startswith((SENSES, PROTOTYPES)) else "trained"]


def published(run_system: str, space: str, kind: str, dataset: str) -> float | None:
    """The paper's number, where it has one for this data."""
    if dataset != "ml2010":
        return None
    if (run_system, space) == (COUNTS, MULTIPLICATION):
        return ML2010_MULT.get(kind)
    row = read_published("kober2017_table1")["rows"].get(PUBLISHED_ROWS.get(run_system, ""))
    return row[[*KINDS, AVERAGE].index(kind)] if row and space == ADDITION else None


def run_results(run: Run, seed: int) -> list[Result]:
    """Rho with individual ratings (the headline) and with mean ratings, by kind and on average."""
    found = []
    for which, metric in (("individual", "rho"), ("mean", "rho with mean ratings")):
        for kind in (*KINDS, AVERAGE):
            low, high = np.quantile(run.resampled(kind, which, seed), [0.025, 0.975]).tolist()
            value = run.rho(kind, which)
            pairs = len(run.task) if kind == AVERAGE else len(run.task.of(kind))
            given = published(run.system, run.space, kind, run.task.dataset) if which == "individual" else None
            found.append(
                Result(run.system, run.space, run.task.dataset, kind, metric, value, min(low, value), max(high, value),
                       pairs, given, tolerance_of(run.system))
            )  # fmt: skip
    return found


def data_results(task: PhraseSimilarity) -> list[Result]:
    """How many pairs and ratings, and how well people do."""
    found = []
    for kind in KINDS:
        pairs = task.of(kind)
        place = {"space": "data", "dataset": task.dataset, "split": kind}
        found.append(Result("data", metric="pairs", value=len(pairs), **place))
        found.append(Result("data", metric="ratings", value=sum(len(pair.ratings) for pair in pairs), **place))
        if len(pairs[0].ratings) > 1:
            ceiling = phrase_similarity.human_ceiling(pairs)
            exact = {"tolerance": TOLERANCE["given vectors"], **place}
            human = Result.of_items(ceiling.correlations, system="human", metric="rho with the others", **exact)
            found.append(human)
            best = phrase_similarity.best_possible(pairs)
            found.append(Result("mean rating", metric="rho", value=best, n=len(pairs), **exact))
    return found


def coverage_results(prepared: Prepared) -> list[Result]:
    """Words of the task without a vector, and words with senses."""
    words, found = prepared.task.words, []
    for name, lexicon in {**prepared.trained.lexicons, COUNTS: prepared.counts}.items():
        place = {"space": "vocabulary", "dataset": prepared.task.dataset, "split": "all", "n": len(words)}
        found.append(Result(name, metric="unknown words", value=len(lexicon.lacking(words)), **place))
        if lexicon.senses is not None:
            many = [len(lexicon.of(word)) for word in words]
            found.append(Result(name, metric="vectors a word", value=float(np.mean(many)), tolerance=0.5, **place))
    return found


def cost_results(trained: Trained) -> list[Result]:
    """What each training took, as recorded when it ran."""
    place = {"space": "training", "dataset": "wikipedia_parsed", "split": "all", "tolerance": TOLERANCE["cost"]}
    return [
        Result(cost.system, metric=metric, value=value, **place)
        for cost in trained.costs
        for metric, value in (
            ("minutes", cost.seconds / 60), ("vectors", cost.vectors), ("words", cost.words),
            ("megabytes", cost.megabytes),
        )
    ]  # fmt: skip


def spelling_results(prepared: Prepared, seed: int) -> list[Result]:
    """GoogleNews without the American spellings: what the British ones cost."""
    lexicon = prepared.trained.lexicons[GOOGLE]
    bare = replace(lexicon, plain=False, space=_labelled(lexicon.space, prepared.task.words))
    run = Run(GOOGLE, "addition, British spellings", prepared.task, similarities(bare, prepared.task, ADDITION))
    return run_results(run, seed)


def _labelled(space: Space, words: Sequence[str]) -> Space:
    """The rows of plain spellings under the labels of these words."""
    kept = [word for word in words if word.rpartition("|")[0] in space]
    return Space(kept, space.take([word.rpartition("|")[0] for word in kept]))


# ----------------------------------------------------------------------------------------------------------- claims


def claims(runs: Sequence[Run], seed: int) -> list[Claim]:
    """What the paper concludes in section 3, tested on the average over the kinds of phrases."""
    by_name = {(run.system, run.space): run for run in runs}

    def better(a: tuple[str, str], b: tuple[str, str], **about) -> Claim:
        first, second = by_name[a], by_name[b]
        drawn = (run.resampled(AVERAGE, "individual", seed) for run in (first, second))
        names = tuple(f"{system} ({space})" for system, space in (a, b))
        return verdict_resampled(first.rho(AVERAGE), second.rho(AVERAGE), *drawn, names=names, **about)

    def over(single: str, senses: str) -> Claim:
        return better((single, ADDITION), (f"{senses}, mean", ADDITION), id="part", text="part")

    singles = [name for name in (GOOGLE, WORD2VEC, DEP2VEC) if (name, ADDITION) in by_name]
    return [
        verdict_all(
            [over(single, SENSES) for single in singles],
            id="single-vectors-beat-senses",
            text="One vector a word does better than sense vectors by their best strategy, the mean.",
            published="word2vec and dep2vec .46, SENSEMBED:mean .39 (Table 1, average)",
        ),
        better(
            (f"{SENSES}, mean", ADDITION), (f"{SENSES}, max", ADDITION), id="mean-beats-closest",
            text="The average over all combinations of senses does better than the closest one.",
            published="SENSEMBED mean .39, max .37 (Table 1, average)",
        ),
        better(
            (f"{SENSES}, max", ADDITION), (f"{SENSES}, min", ADDITION), id="closest-beats-farthest",
            text="The closest combination of senses does better than the farthest.",
            published="SENSEMBED max .37, min .19 (Table 1, average)",
        ),
        verdict_all(
            [better((single, ADDITION), (single, MULTIPLICATION), id="part", text="part") for single in singles],
            id="multiplication-fails",
            text="Multiplying dense vectors does far worse than adding them.",
            published='"very poor (results not reported)" (section 2)',
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------------------------------------------------- together


def all_runs(prepared: Prepared, *, given_only: bool = False) -> list[Run]:
    """Every system; with `given_only` those whose vectors need no training."""
    lexicons = {**prepared.trained.lexicons, COUNTS: prepared.counts}
    chosen = {name: lexicon for name, lexicon in lexicons.items() if name in (GOOGLE, COUNTS) or not given_only}
    return list(runs_of(chosen, prepared.task))
