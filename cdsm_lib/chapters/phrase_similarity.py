"""Kober et al. (2017), section 3: phrase similarity. Similarities, figures and claims of chapter 40."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import sense_vectors, training_counts
from cdsm_lib.chapters.sense_vectors import DEP2VEC, GOOGLE, SENSES, WORD2VEC, Lexicon, Trained
from cdsm_lib.composition import senses as composition
from cdsm_lib.display import Table, figure, plain, printed, result_of, table
from cdsm_lib.display import over_seeds as told_over_seeds
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.claims import evaluate, over_seeds
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, made_with, read_published
from cdsm_lib.evaluation.significance import Interval
from cdsm_lib.settings import Profile
from cdsm_lib.tables import read_table, whole
from cdsm_lib.tasks import phrase_similarity
from cdsm_lib.tasks.phrase_similarity import KINDS, Pair, PhraseSimilarity
from cdsm_lib.text.counts import content_words, count_windows
from cdsm_lib.vectors import weighting
from cdsm_lib.vectors.space import Space

ADDITION, MULTIPLICATION = "addition", "multiplication"
COMPOSE = {ADDITION: composition.sums, MULTIPLICATION: composition.products}
STRATEGIES = tuple(composition.STRATEGIES)
COUNTS = "counts"
AVERAGE = "average"
RESAMPLES = 2000
TOLERANCE = {"given vectors": 0.001, "trained": 0.02, "sampled": 0.08, "part": 0.05, "cost": 1e6}
"""How far a recomputed figure may lie from the committed one.

Vectors that are read move by rounding alone: two of 108 pairs that are neighbours in rank and change places move rho by
.001 at most. Another processor rounds skip-gram's sums otherwise, and what is trained on them follows: .02, where sums
from three seeds have a standard deviation of at most .013 (`seed_rows`). Senses and clusters are decided anew then, and
moved rho by up to .054 on a processor without AVX-512, in November 2026: .08. Cosines, of a pair or as a mean of many,
stayed within .05 there. A record of time binds nobody.
"""
PUBLISHED_ROWS = {GOOGLE: "word2vec", DEP2VEC: "dep2vec"} | {f"{SENSES}, {s}": f"SENSEMBED:{s}" for s in STRATEGIES}
ML2010_MULT = {"AN": 0.46, "NN": 0.49, "VO": 0.37}
"""Mitchell and Lapata's (2010) own multiplication of counts."""


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
    vectors : str
        The name of the lexicon that was composed.
    """

    system: str
    space: str
    task: PhraseSimilarity
    similarity: np.ndarray
    vectors: str = ""

    def of(self, kind: str) -> tuple[np.ndarray, tuple[Pair, ...]]:
        """The similarities and the pairs of one kind."""
        here = np.array([pair.kind == kind for pair in self.task])
        return self.similarity[here], self.task.of(kind)

    def rho(self, kind: str, which: str = "individual") -> float:
        """Spearman's rho of one kind, 0 where all similarities are equal (few of the words have a vector); the mean of
        the kinds for "average"."""
        if kind == AVERAGE:
            return float(np.mean([self.rho(one, which) for one in KINDS]))
        similarities, pairs = self.of(kind)
        return phrase_similarity.rho(similarities, pairs, which) if np.ptp(similarities) else 0.0

    def resampled(self, kind: str, which: str, seed: int) -> np.ndarray:
        """Rho of each bootstrap resample, 0 as above; of the average, the kinds are drawn each for itself."""
        if kind == AVERAGE:
            return np.mean([self.resampled(one, which, seed + place) for place, one in enumerate(KINDS, 1)], axis=0)
        return phrase_similarity.resampled_rho(*self.of(kind), which, seed, RESAMPLES, constant=0.0)


@dataclass(frozen=True)
class Prepared:
    """The task and the vectors."""

    task: PhraseSimilarity
    trained: Trained
    counts: Lexicon

    @property
    def lexicons(self) -> dict[str, Lexicon]:
        """All vectors by name."""
        return {**self.trained.lexicons, COUNTS: self.counts}


def similarities(lexicon: Lexicon, task: PhraseSimilarity, operation: str, strategy: str = "max") -> np.ndarray:
    """The similarity of every pair: compose both phrases for all combinations of senses, then compare.

    Rounded to nine decimals: a pair of equal phrases is exactly as similar as another.
    """
    compose = COMPOSE[operation]
    vectors = {word: lexicon.of(word) for word in task.words}
    composed = [[compose([vectors[word] for word in phrase]) for phrase in (pair.first, pair.second)] for pair in task]
    return np.round([composition.similarity(first, second, strategy) for first, second in composed], 9)


def runs_of(lexicons: Mapping[str, Lexicon], task: PhraseSimilarity) -> Iterator[Run]:
    """Every lexicon by both operations, with senses by all strategies."""
    for name, lexicon in lexicons.items():
        for strategy in STRATEGIES if lexicon.senses else ("max",):
            system = f"{name}, {strategy}" if lexicon.senses else name
            for operation in COMPOSE:
                yield Run(system, operation, task, similarities(lexicon, task, operation, strategy), name)


def counted(profile: Profile, words: Sequence[str]) -> Lexicon:
    """Mitchell and Lapata's simple semantic space: P(c|t) / P(c) of 2,000 context words in windows of five.

    The sample profile takes the Count space that is distilled for RELPRON (1,000 context words, windows of three).
    """
    if profile.name == "full":
        corpus = training_counts.wikipedia(profile.get("corpus.files"))
        known = [word for word in words if word in corpus.words]
        table = count_windows(corpus, known, content_words(corpus, 2000), window=5, content_only=False)
    else:
        table = training_counts.load(datasets.distilled_folder()).counts["Count"]
    return Lexicon(COUNTS, Space(table.rows, weighting.ratio(table.matrix).toarray()))


def prepare(profile: Profile, trained: Trained | None = None) -> Prepared:
    """Load the task, and train or read the vectors (unless they are given)."""
    task = phrase_similarity.load(profile["phrase_similarity.dataset"])
    return Prepared(task, trained or sense_vectors.vectors(profile), counted(profile, task.words))


# ---------------------------------------------------------------------------------------------------------- figures


def tolerance_of(vectors: str) -> float:
    """How far a recomputed figure with these vectors may lie from the committed one."""
    if vectors in (GOOGLE, COUNTS):
        return TOLERANCE["given vectors"]
    return TOLERANCE["sampled" if vectors == SENSES else "trained"]


def published(run_system: str, space: str, kind: str, dataset: str) -> float | None:
    """The paper's number, where it has one for this data."""
    if dataset != "ml2010":
        return None
    if (run_system, space) == (COUNTS, MULTIPLICATION):
        return ML2010_MULT.get(kind)
    row = read_published("kober2017_table1")["rows"].get(PUBLISHED_ROWS.get(run_system, ""))
    return row[[*KINDS, AVERAGE].index(kind)] if row and space == ADDITION else None


METRICS = {"individual": "rho", "mean": "rho with mean ratings"}


def scores_of(run: Run, seed: int, kind: str = AVERAGE, which: str = "individual") -> Scores:
    """Rho of one kind of phrases, or on average, with its resamples."""
    return Scores(
        run.system, run.space, run.task.dataset, kind, METRICS[which], statistic=run.rho(kind, which),
        resamples=run.resampled(kind, which, seed), n=len(run.task) if kind == AVERAGE else len(run.task.of(kind)),
        published=published(run.system, run.space, kind, run.task.dataset) if which == "individual" else None,
        tolerance=tolerance_of(run.vectors),
    )  # fmt: skip


def run_results(run: Run, seed: int) -> list[Result]:
    """Of addition rho by kind and on average, also with mean ratings; of multiplication the average.

    Of multiplied counts each kind, beside Mitchell and Lapata's figures.
    """
    kinds = (*KINDS, AVERAGE) if run.space == ADDITION or run.system == COUNTS else (AVERAGE,)
    scores = [scores_of(run, seed, kind) for kind in kinds]
    if run.space == ADDITION:
        scores += [scores_of(run, seed, kind, "mean") for kind in kinds]
    return [score.row() for score in scores]


def data_results(task: PhraseSimilarity) -> list[Result]:
    """How many ratings there are, and how well people do."""
    results = []
    for kind in KINDS:
        pairs = task.of(kind)
        place = {"space": "data", "dataset": task.dataset, "split": kind}
        results.append(Result("data", metric="ratings", value=sum(len(pair.ratings) for pair in pairs), **place))
        if len(pairs[0].ratings) > 1:
            place["tolerance"] = TOLERANCE["given vectors"]
            people = phrase_similarity.human_ceiling(pairs)
            human = Scores("human", metric="rho with the others", values=people, **place)
            results.append(human.row())
            best = phrase_similarity.best_possible(pairs)
            results.append(Result("mean rating", metric="rho", value=best, n=len(pairs), **place))
    return results


def coverage_results(task: PhraseSimilarity, lexicons: Mapping[str, Lexicon]) -> list[Result]:
    """Words of the task without a vector, and how many vectors a word has."""
    words, results = task.words, []
    for name, lexicon in lexicons.items():
        place = {"space": "vocabulary", "dataset": task.dataset, "split": "all", "n": len(words)}
        results.append(Result(name, metric="unknown words", value=len(lexicon.lacking(words)), **place))
        if lexicon.senses is not None:
            several = float(np.mean([len(lexicon.of(word)) for word in words]))
            results.append(Result(name, metric="vectors a word", value=several, tolerance=0.5, **place))
    return results


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


def spelling_result(lexicon: Lexicon, task: PhraseSimilarity, seed: int) -> Result:
    """GoogleNews without the American spellings: what the British ones cost."""
    spellings = {word: word.rpartition("|")[0] for word in task.words}
    known = {word: spelling for word, spelling in spellings.items() if spelling in lexicon.space}
    british = Lexicon(GOOGLE, Space(list(known), lexicon.space.take(list(known.values()))))
    run = Run(GOOGLE, ADDITION, task, similarities(british, task, ADDITION), GOOGLE)
    return replace(scores_of(run, seed).row(), space="addition, British spellings", published=None)


# ----------------------------------------------------------------------------------------------------------- claims


def runs_by_seed(runs: Sequence[Run], profile: Profile, subset: bool | None) -> dict[int, list[Run]]:
    """All runs, by the seed with which the vectors were trained, the profile's own first."""
    ours = [run for run in runs if run.vectors in sense_vectors.SEEDED]

    def similarity(trained: Trained) -> np.ndarray:
        lexicons = {name: trained.lexicons[name] for name in dict.fromkeys(run.vectors for run in ours)}
        return np.array([run.similarity for run in runs_of(lexicons, ours[0].task)])

    others = sense_vectors.over_seeds(profile, "phrase-similarity", similarity, subset=subset)
    found = {profile["seed"]: list(runs)}
    for seed, rows in others.items():
        again = dict(zip((id(run) for run in ours), np.asarray(rows, dtype=np.float64), strict=True))
        found[seed] = [replace(run, similarity=again.get(id(run), run.similarity)) for run in runs]
    return found


def seed_results(by_seed: Mapping[int, Sequence[Run]], seed: int) -> list[Result]:
    """Mean and standard deviation over the seeds of training: rho of addition by kind of phrases, and on average."""

    def scores(runs: Sequence[Run]) -> list[Scores]:
        added = [run for run in runs if run.vectors in sense_vectors.SEEDED and run.space == ADDITION]
        return [scores_of(run, seed, kind) for run in added for kind in (*KINDS, AVERAGE)]

    return ledger.seed_rows({trained_with: scores(runs) for trained_with, runs in by_seed.items()})


def claims(by_seed: Mapping[int, Sequence[Run]], seed: int) -> list[Claim]:
    """What the paper concludes in section 3, on the average over the kinds of phrases, tested with every seed."""
    return over_seeds({own: _claims(runs, seed) for own, runs in by_seed.items()})


def _claims(runs: Sequence[Run], seed: int) -> list[Claim]:
    by_strategy = {run.system: run for run in runs if run.space == ADDITION}
    closest, average = (by_strategy[f"{SENSES}, {strategy}"] for strategy in ("max", "mean"))
    lift, low = closest.similarity - average.similarity, dissimilar(closest.task)
    thirds = [
        Scores(name, ADDITION, closest.task.dataset, AVERAGE, "lift", values=lift[pairs], tolerance=TOLERANCE["part"])
        for name, pairs in (("dissimilar third", low), ("the others", ~low))
    ]
    return evaluate("phrase_similarity", [*(scores_of(run, seed) for run in runs), *thirds], seed=seed)


# ------------------------------------------------------------------------------------- the closest sense (Table 2)


def chosen_senses() -> dict[int, tuple[str, str, str, str]]:
    """The senses chosen by hand for the pairs of Table 2, by the pair's number in ``ml2010.tsv``."""
    path = datasets.data_root() / "annotations" / "ml2010_senses.tsv"
    columns = ("number", "sense1", "sense2", "sense3", "sense4")
    rows = read_table(path, columns, {"number": whole}, key="number")
    return {row["number"]: tuple(row[name] for name in columns[1:]) for _, row in rows}


def overestimate_results(prepared: Prepared) -> list[Result]:
    """Table 2 with our sense vectors, by the numbers of the pairs: what the closest and the right senses say."""
    lexicon, task, by_hand = prepared.trained.lexicons[SENSES], prepared.task, chosen_senses()
    table = {frozenset(" ".join(row[:2]).split()): row[2:] for row in read_published("kober2017_table2")["rows"]}
    results = []
    for pair, human in zip(task, phrase_similarity.mean_ratings_normalised(task.pairs), strict=True):
        if pair.number not in by_hand:
            continue
        senses = list(zip(pair.words, by_hand[pair.number], strict=True))
        closest, right = (
            composition.similarity(composition.sums(vectors[:2]), composition.sums(vectors[2:]))
            for vectors in (
                [lexicon.of(word) for word in pair.words],
                [lexicon.of(word, sense) for word, sense in senses],
            )
        )
        theirs = table.get(frozenset(plain(pair.words).split()), (None, None, None))
        place = {"dataset": task.dataset, "split": f"pair {pair.number}", "tolerance": TOLERANCE["part"]}
        rows = ((SENSES, "closest", closest), (SENSES, "chosen by hand", right), ("human", "human", float(human)))
        results += [
            Result(system, how, metric="similarity", value=value, published=number, **place)
            for (system, how, value), number in zip(rows, theirs, strict=True)
        ]
        lacking = sum(not lexicon.has(word, sense) for word, sense in senses)
        results.append(Result(SENSES, "chosen by hand", metric="senses without a vector", value=lacking, **place))
    return results


def dissimilar(task: PhraseSimilarity) -> np.ndarray:
    """Which pairs people find dissimilar: the third of each kind with the lowest mean ratings (bool [pairs])."""
    low = np.zeros(len(task), dtype=bool)
    for kind in KINDS:
        here = np.array([i for i, pair in enumerate(task) if pair.kind == kind])
        means = np.array([task.pairs[i].mean for i in here])
        low[here[np.argsort(means, kind="stable")[: len(here) // 3]]] = True
    return low


def lift_results(runs: Sequence[Run]) -> list[Result]:
    """Mean cosine of dissimilar and of the other pairs: the closest sense lifts both, the former more?"""
    return [
        Result(run.system, run.space, run.task.dataset, name, "mean cosine", float(run.similarity[pairs].mean()),
               n=int(pairs.sum()), tolerance=TOLERANCE["part"])
        for run in runs
        if run.space == ADDITION and run.vectors in (SENSES, WORD2VEC, DEP2VEC)
        for low in [dissimilar(run.task)]
        for name, pairs in (("dissimilar third", low), ("the others", ~low))
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------- together


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the chapter, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        Everything, but that the similarities by the vectors of further seeds are the stored ones.
    """
    return results_of(prepare(profile, sense_vectors.vectors(profile)), profile, subset=subset)[0]


def results_of(prepared: Prepared, profile: Profile, *, subset: bool | None = None) -> tuple[Results, list[Run]]:
    """The figures of what was prepared, and the runs behind them.

    `subset` as for `figures`; without it the vectors' own seed is the only one.
    """
    seed, task, lexicons = profile["seed"], prepared.task, prepared.lexicons
    runs = list(runs_of(lexicons, task))
    results = [*data_results(task), *coverage_results(task, lexicons)]
    for run in runs:
        results += run_results(run, seed)
    by_seed = runs_by_seed(runs, profile, subset)
    results += seed_results(by_seed, seed)
    if GOOGLE in lexicons:
        results.append(spelling_result(lexicons[GOOGLE], task, seed))
    results += [*lift_results(runs), *cost_results(prepared.trained)]
    if task.dataset == "ml2010":
        results += overestimate_results(prepared)
    names = ["ml2010", "googlenews_subset", "semcor", "wikipedia_parsed", "wordnet"] if profile.name == "full" else []
    provenance = made_with(datasets.used(names), prepared.trained.corpus, seed)
    return Results("phrase_similarity", "kober2017", profile.name, provenance, results, claims(by_seed, seed)), runs


# ------------------------------------------------------------------------------------------------- for the notebook


def rho_in(
    results: Results | None, system: str, space: str = ADDITION, split: str = AVERAGE, metric: str = "rho"
) -> Result | None:
    """A system's figure, on average over the kinds of phrases unless another split is named."""
    return result_of(results, system=system, space=space, split=split, metric=metric)


def scores_table(full: Results | None, ours: Results, systems: Sequence[str], kind: str = AVERAGE) -> Table:
    """Published figures beside those of the full profile, its seeds and this run, for phrases of one kind."""
    rows, (dataset,) = [], {row.dataset for row in ours.find(space=ADDITION, metric="rho")}
    for name in systems:
        in_full, here = (rho_in(results, name, split=kind) for results in (full, ours))
        seeds = told_over_seeds(full, "rho", system=name, space=ADDITION, split=kind)
        rows.append((name, printed(in_full), figure(in_full), seeds, figure(here)))
    columns = ("addition", "published", "full: rated pairs", "its seeds", f"this run: {dataset}")
    return table(columns, rows, f"{kind}: Spearman's rho with single ratings, 95% interval by drawing pairs")


def overestimates(full: Results | None) -> list[tuple]:
    """Rows of Table 2: phrases, the paper's figures and ours (closest, by hand, human), senses without a vector."""
    table2 = read_published("kober2017_table2")["rows"]
    phrases = {tuple(numbers): f"{one} / {other}" for one, other, *numbers in table2}
    rows = []
    for closest in full.find(space="closest", metric="similarity") if full else ():
        ways = ("closest", "chosen by hand", "human")
        three = [full.one(split=closest.split, metric="similarity", space=way) for way in ways]
        lacking = full.one(split=closest.split, metric="senses without a vector").value
        theirs = tuple(result.published for result in three)
        rows.append((phrases[theirs], *theirs, *(result.value for result in three), int(lacking)))
    return rows


def rho_difference(one: Run, other: Run, seed: int) -> str:
    """How far one rho lies above another on the same pairs, with its interval: ``+0.032 [-0.010, +0.081]``."""
    lead = one.resampled(AVERAGE, "individual", seed) - other.resampled(AVERAGE, "individual", seed)
    return figure(Interval(one.rho(AVERAGE) - other.rho(AVERAGE), *np.quantile(lead, [0.025, 0.975])), signed=True)
