"""The leaderboard: every system on every task, with intervals, and what no single paper could ask.

Does the best system on one task win on another? Do the tasks rank the systems alike? The claims of this ledger are
questions of the compendium's own, posed before the figures were computed; no paper concludes them.

All comparisons rest on one device: `Run.resampled`, a task's figure on resampled items, with the same draws for every
system. An interval, a difference and a rank correlation between tasks all follow from it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cdsm_lib.chapters import sentence_models
from cdsm_lib.chapters.leaderboard_systems import Composers, prepare
from cdsm_lib.chapters.leaderboard_tasks import METRICS, NAMES, PHRASES, RELATIONS, RELPRON, tasks_of
from cdsm_lib.display import Table, figure, result_of, table
from cdsm_lib.evaluation import ledger, metrics
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, committed
from cdsm_lib.evaluation.verdicts import DIGITS, Test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task

RANDOM = "random"
BOARD = "board"
"""The space of figures that say something of several systems or tasks."""

CHAPTER_30 = ("Frobenius", "VArg", "Vhn", "PLF", "SPLF", "FPLF", "RPTensor")
"""Systems that make sense on RELPRON alone: their figures are those of its chapter (skip-gram, the test set)."""

MEAN_RANK, ALIKE = "mean rank", "rank correlation"

TOLERANCE = {"exact": 1e-3, "counted": 0.01, "trained": 0.03, "sampled": 0.05, "derived": 0.3}
"""How far a recomputed figure may lie from the committed one.

Overlap is exact, and .001 is one item of the thousand that the longest task has. Counts and cosines agree between
machines to many digits, but a near tie may fall either way: .01. Skip-gram's updates follow one another by the hundred
million, and a processor that adds in another order drifts to other vectors of the same quality: .03, as in the
chapters. A Gibbs sampler may draw other senses: .05, some five standard deviations between the seeds of 1,200 senses
(`cdsm_lib.chapters.contextual_models.TOLERANCE`). A rank and a correlation of ranks hang on many such figures: .3
(ranks: times ten).
"""


# --------------------------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True, eq=False)
class Run:
    """What a system gives the pairs of a task.

    Attributes
    ----------
    system, space : str
    task : Task
    similarity : float64 array [pairs]
    resamples, seed : int
    cost : dict
        The system's "parameters" and "minutes".
    """

    system: str
    space: str
    task: Task
    similarity: np.ndarray
    resamples: int = 1000
    seed: int = 0
    cost: Mapping[str, float | None] = field(default_factory=dict)

    @cached_property
    def value(self) -> float:
        """The task's figure."""
        return self.task.value(self.similarity)

    @cached_property
    def resampled(self) -> np.ndarray:
        """The figure on resampled items, float64 [resamples]; the same draws for every system."""
        return self.task.resampled(self.similarity, self.resamples, self.seed)


@dataclass(frozen=True, eq=False)
class Board:
    """All runs.

    Attributes
    ----------
    tasks : dict of str to Task
    runs : dict of (system, task) to Run
    """

    tasks: Mapping[str, Task]
    runs: Mapping[tuple[str, str], Run]

    @property
    def systems(self) -> list[str]:
        """In the order in which they ran."""
        return list(dict.fromkeys(system for system, _ in self.runs))

    @property
    def everywhere(self) -> list[str]:
        """Systems that ran on every task."""
        return [system for system in self.systems if all((system, task) in self.runs for task in self.tasks)]

    def on(self, task: str) -> dict[str, Run]:
        """The runs of a task, by system."""
        return {system: run for (system, name), run in self.runs.items() if name == task}

    def best(self, task: str) -> Run:
        """The run of the highest figure; the first of equals."""
        return max(self.on(task).values(), key=lambda run: run.value)


def play(composers: Iterable[Composer], tasks: Mapping[str, Task], resamples: int, seed: int) -> Board:
    """Let every composer compare the pairs of every task on which it makes sense.

    Each composer is let go before the next is made. The same texts in another order give the same similarities.
    """
    runs = {}
    for composer in composers:
        cost = {"parameters": composer.parameters, "minutes": composer.minutes}
        for name, task in tasks.items():
            if composer.fits(task):
                for system, similarity in composer.similarities(task).items():
                    runs[system, name] = Run(system, composer.space, task, similarity, resamples, seed, cost)
    return Board(tasks, runs)


def ordered(similarity: np.ndarray) -> np.ndarray:
    """Whole numbers [pairs] in the order of similarities, equal where these are, 0 where they are: what a task sees."""
    values, places = np.unique(similarity, return_inverse=True)
    places = places - (values < 0).sum()
    return places if 0 in values else places + (places >= 0)


def store(board: Board, profile: Profile) -> None:
    """Leave the order in which every system puts the pairs of every task to be stored, and what the systems cost."""
    arrays = {}
    for (system, name), run in board.runs.items():
        order = ordered(run.similarity)
        arrays[f"{name}/{system}"] = order.astype(np.result_type(*map(np.min_scalar_type, (order.min(), order.max()))))
    systems = {run.system: [run.space, run.cost] for run in board.runs.values()}
    ledger.write("leaderboard", arrays, _about(board.tasks, profile), systems=systems)


def _about(tasks: Mapping[str, Task], profile: Profile) -> dict:
    """What stored orders depend on, and what tells whether they are of these tasks."""
    return {
        "tasks": {name: [task.dataset, len(task.texts), len(task.pairs), task.items] for name, task in tasks.items()},
        "seed": profile["seed"],
        "settings": {name: profile[name] for name in ("leaderboard", "contextual", "localisation")},
    }


def read_stored(tasks: Mapping[str, Task], profile: Profile) -> Board:
    """The board that `store` left; errors as of `ledger.read`."""
    arrays, meta = ledger.read("leaderboard", _about(tasks, profile))
    runs, resamples, seed = {}, profile["leaderboard.resamples"], profile["seed"]
    for key, order in arrays.items():
        name, system = key.split("/")
        space, cost = meta["systems"][system]
        runs[system, name] = Run(system, space, tasks[name], order.astype(float), resamples, seed, cost)
    return Board(tasks, runs)


# ----------------------------------------------------------------------------------------------------------- results


def tolerance_of(space: str) -> float:
    """Of a task's figure, by what the system was made from."""
    if space == "none":
        return TOLERANCE["exact"]
    if space in ("window counts", "triples", "window counts, triples", "PPMI-SVD"):
        return TOLERANCE["counted"]
    return TOLERANCE["sampled" if space == "latent senses" else "trained"]


def score_results(board: Board) -> list[Result]:
    """Every figure with its interval, and what random similarities come to.

    What is added to each figure are the system's costs, and how far it is at least behind the best, in the column
    ``behind``: the low end of the 95% interval of that distance. The best was chosen among many, so it leads by a
    little too much.
    """
    rows = []
    for name, task in board.tasks.items():
        names, best = (task.dataset, name, task.metric), board.best(name)
        rows.append(Result(RANDOM, "expected", *names, task.chance, n=task.items, tolerance=TOLERANCE["exact"]))
        for run in board.on(name).values():
            low, _ = _difference(best, run)
            scores = Scores(run.system, run.space, *names, statistic=run.value, resamples=run.resampled, n=task.items,
                            tolerance=tolerance_of(run.space))  # fmt: skip
            rows.append(scores.row(**run.cost, behind=low))
    return rows


def ranks(board: Board, systems: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The rank of each system on each task, 1 for the best: float64 [tasks, systems], and [tasks, resamples, systems].

    Equals share the mean of their ranks. All these systems must have run on every task.
    """
    values = np.array([[board.runs[system, name].value for system in systems] for name in board.tasks])
    drawn = np.array([[board.runs[system, name].resampled for system in systems] for name in board.tasks])
    return metrics.ranks(np.round(values, 9)), np.array([metrics.ranks(np.round(of.T, 9)) for of in drawn])


def _over_tasks(system: str, split: str, metric: str, value: float, drawn: np.ndarray, n: int, tolerance: float):
    """The row of a figure over all tasks."""
    return Scores(system, BOARD, "all tasks", split, metric, statistic=float(value), resamples=drawn, n=n,
                  tolerance=tolerance)  # fmt: skip


def rank_results(board: Board) -> list[Result]:
    """The mean rank of the systems that ran on every task."""
    values, drawn = ranks(board, board.everywhere)
    mean, means, n = values.mean(axis=0), drawn.mean(axis=0), len(values)
    tolerance = 10 * TOLERANCE["derived"]
    return [
        _over_tasks(system, "all", MEAN_RANK, mean[i], means[:, i], n, tolerance).row()
        for i, system in enumerate(board.everywhere)
    ]


def correlations(board: Board) -> tuple[np.ndarray, np.ndarray]:
    """Spearman's rho between the tasks' rankings of the systems: float64 [tasks, tasks], and [resamples, tasks, tasks].

    Over the systems that ran on every task. Resampled are the items of each task for itself, not the systems.
    """
    values, drawn = ranks(board, board.everywhere)
    return _correlated(values), np.array([_correlated(of) for of in drawn.swapaxes(0, 1)])


def _correlated(of_tasks: np.ndarray) -> np.ndarray:
    """Correlation of rows; 0 with a row that ranks all alike."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.corrcoef(of_tasks))


def correlation_results(board: Board) -> list[Result]:
    """How alike every two tasks rank the systems."""
    names, n, tolerance = list(board.tasks), len(board.everywhere), TOLERANCE["derived"]
    value, drawn = correlations(board)
    rows = [
        _over_tasks(names[j], names[i], ALIKE, value[i, j], drawn[:, i, j], n, tolerance).row()
        for i in range(len(names)) for j in range(i)
    ]  # fmt: skip
    mean = _over_tasks("all tasks", "all", ALIKE, mean_correlation(value), mean_correlation(drawn), n, tolerance)
    return [*rows, mean.row()]


def mean_correlation(matrices: np.ndarray) -> np.ndarray:
    """The mean over all pairs of tasks of a matrix [tasks, tasks] or of several [n, tasks, tasks]."""
    upper = np.triu_indices(matrices.shape[-1], 1)
    return matrices[..., upper[0], upper[1]].mean(axis=-1)


def data_results(tasks: Mapping[str, Task]) -> list[Result]:
    """Texts and pairs of every task."""
    return [
        Result("data", BOARD, task.dataset, name, metric, value)
        for name, task in tasks.items()
        for metric, value in (("texts", len(task.texts)), ("pairs", len(task.pairs)))
    ]


# ------------------------------------------------------------------------------------------------------------ claims

QUESTION = "a question of the compendium; no paper has figures on it"
NEAR = 0.1
"""Within so much of the way from chance to the best counts as near the best."""
ALIKE_ABOVE = 0.5


def claims(board: Board) -> list[Claim]:
    """Our own questions, as claims with computed verdicts."""
    computed = {
        "best-travels": [one_winner(board)],
        "addition-near-best": addition_is_enough(board),
        "tasks-agree": [tasks_agree(board)],
    }
    return evaluate("leaderboard", (), computed=computed)


def _difference(a: Run, b: Run, margin: float = 0.0) -> tuple[float, float]:
    """The 95% interval of a - b - margin."""
    low, high = np.quantile(a.resampled - b.resampled - margin, (0.025, 0.975)).tolist()
    return low, high


def one_winner(board: Board) -> Test:
    """Is one system the best everywhere?

    It holds if a system is significantly ahead of all others on every task, and fails if each system is significantly
    behind some other on some task. A system of a few tasks (context2vec) can win there, and beat the others, but cannot
    be the one. The many tests are not corrected for their number.
    """
    beaten: dict[str, list[str]] = {system: [] for system in board.everywhere}
    behind: dict[str, list[str]] = {system: [] for system in board.everywhere}
    for name in board.tasks:
        runs = board.on(name)
        for system in beaten:
            gaps = [_difference(runs[system], other) for key, other in runs.items() if key != system]
            if any(high < 0 for _, high in gaps):
                beaten[system].append(name)
            if not all(low > 0 for low, _ in gaps):
                behind[system].append(name)
    least = min(beaten, key=lambda system: len(beaten[system]))
    if any(not tasks for tasks in behind.values()):
        verdict = "holds"
    else:
        verdict = "fails" if beaten[least] else "undecided"
    winners = "; ".join(f"{name}: {board.best(name).system} {board.best(name).value:.3f}" for name in board.tasks)
    text = (
        f"highest figures: {winners}. {least} is beaten significantly on the fewest tasks: {len(beaten[least])} of "
        f"{len(board.tasks)}" + (f" ({', '.join(beaten[least])})" if beaten[least] else "")
    )
    return Test("stated", verdict, text=text)


def addition_is_enough(board: Board, system: str = "word2vec add") -> list[Test]:
    """Are plain sums of word vectors near the best everywhere? A test for each task."""
    tests = []
    for name, task in board.tasks.items():
        best, own = board.best(name), board.runs[system, name]
        margin = NEAR * (best.value - task.chance)
        low, high = _difference(best, own)
        verdict = "holds" if high <= margin else "fails" if low > margin else "undecided"
        values = [round(float(v), DIGITS) for v in (own.value, best.value, best.value - own.value, low, high, margin)]
        tests.append(
            Test("near", verdict, (name, best.system), values[:2], *values[2:5], values[5:], n=(best.resamples,),
                 unit="resamples", tolerance=sum(tolerance_of(run.space) for run in (own, best)))
        )  # fmt: skip
    return tests


def tasks_agree(board: Board) -> Test:
    """Do the tasks rank the systems alike?"""
    value, drawn = correlations(board)
    upper, names = np.triu_indices(len(value), 1), list(board.tasks)
    pairs = sorted(zip(value[upper].tolist(), *(u.tolist() for u in upper), strict=True))
    lowest, highest = (f"{names[i]} with {names[j]} {rho:.2f}" for rho, i, j in (pairs[0], pairs[-1]))
    mean, (low, high) = float(mean_correlation(value)), np.quantile(mean_correlation(drawn), (0.025, 0.975)).tolist()
    verdict = "holds" if low > ALIKE_ABOVE else "fails" if high < ALIKE_ABOVE else "undecided"
    mean, low, high = (round(number, DIGITS) for number in (mean, low, high))
    text = (
        f"mean rho over {len(pairs)} pairs of tasks {mean:.3f} [{low:.3f}, {high:.3f}], {len(board.everywhere)} "
        f"systems; lowest: {lowest}, highest: {highest}"
    )
    return Test("stated", verdict, (), (), mean, low, high, (ALIKE_ABOVE,), n=(len(board.everywhere),), unit="systems",
                text=text, tolerance=TOLERANCE["derived"])  # fmt: skip


# ------------------------------------------------------------------------------------------------- reading results -


def order_of(results: Results) -> list[str]:
    """The systems that ran on every task, best mean rank first; then those of some tasks."""
    systems = [*mean_ranks(results), *(system for system, _ in scores_of(results))]
    return [system for system in dict.fromkeys(systems) if system != RANDOM]


def mean_ranks(results: Results) -> dict[str, float]:
    """The mean rank of each system that ran on every task, the best first."""
    return {row.system: row.value for row in sorted(results.find(metric=MEAN_RANK), key=lambda row: row.value)}


def standings(results: Results) -> dict[tuple[str, str], str]:
    """Of each (system, task): "best", "level" (the 95% interval of its distance to the best holds 0) or "behind"."""
    scores, standing = scores_of(results), {}
    for (system, task), row in scores.items():
        if system != RANDOM:
            highest = max(other.value for (name, of), other in scores.items() if of == task and name != RANDOM)
            standing[system, task] = "best" if row.value >= highest else "level" if row.behind <= 0 else "behind"
    return standing


def scores_of(results: Results) -> dict[tuple[str, str], Result]:
    """The figure of each (system, task), "random" included."""
    return {(row.system, row.split): row for row in results.results if METRICS.get(row.split) == row.metric}


def panels_of(results: Results) -> tuple[list[str], dict[str, dict], dict]:
    """What `cdsm_lib.plots.charts.dot_chart` draws: systems, a panel a task with a series a standing; options."""
    scores, standing = scores_of(results), standings(results)
    chance = {name: scores[RANDOM, name].value for name in NAMES if (RANDOM, name) in scores}
    panels: dict[str, dict] = {name: {} for name in chance}
    for kind, label in SERIES.items():
        for (system, name), row in scores.items():
            if system != RANDOM and standing[system, name] == kind:
                panels[name].setdefault(label, {})[system] = row
    return order_of(results), panels, {"reference": ("chance", chance), "measure": METRICS}


SERIES = {"best": "highest figure", "level": "not significantly behind it", "behind": "behind it"}


# ------------------------------------------------------------------------------------------------ tables of the page

MARKS = {"best": " ★", "level": " ●", "behind": ""}
"""The highest figure of a task, and those not significantly behind it."""


def tasks_table(tasks: Mapping[str, Task], full: Results | None) -> Table:
    """Sizes of the tasks and what similarities at random come to, in this run and in the full profile."""
    rows = []
    for name, task in tasks.items():
        there = [result_of(full, system="data", split=name, metric=metric) for metric in ("texts", "pairs")]
        chance = result_of(full, system=RANDOM, split=name)
        sizes = len(task.texts), len(task.pairs), task.items, task.chance
        of_full = *(r and int(r.value) for r in there), chance and chance.n, chance and chance.value
        rows.append((name, task.metric, *sizes, *of_full))
    columns = ("task", "measure", "texts", "pairs", "items", "chance", "full: texts", "pairs", "items", "chance")
    return table(columns, rows, "The seven tasks, this run and the full profile")


def board_table(results: Results, caption: str) -> Table:
    """Every system on every task with the marks of `MARKS`, best mean rank first, and its costs; then the composers of
    RELPRON's own chapter, then chance."""
    scores, ranks_ = scores_of(results), mean_ranks(results)
    marked = {key: figure(scores[key]) + MARKS[standing] for key, standing in standings(results).items()}
    cost = {system: (row.parameters, row.minutes and f"{row.minutes:.1f}") for (system, _), row in scores.items()}
    rows = []
    for system in order_of(results):
        cells = (marked.get((system, name)) for name in NAMES)
        rows.append((system, f"{ranks_[system]:.1f}" if system in ranks_ else None, *cells, *cost[system]))
    chapter = committed("relpron", results.profile)
    for row in chapter.find(space="Skip-Gram", split="test", metric="MAP") if chapter else ():
        if row.system in CHAPTER_30:
            cells = (figure(row) if name == RELPRON else None for name in NAMES)
            rows.append((f"{row.system} (chapter 30)", None, *cells, None, None))
    rows.append((RANDOM, None, *(scores[RANDOM, name].value for name in NAMES), None, None))
    columns = ("system", "mean rank", *(f"{name} ({METRICS[name]})" for name in NAMES), "parameters", "minutes")
    return table(columns, rows, caption, sortable=True)


# ---------------------------------------------------------------------------------------------------------- together


SUBSET_TASKS = (RELATIONS, RELPRON, PHRASES)
"""On which a quick run lets systems compare anew."""


def is_repeated(row: Result) -> bool:
    """Whether a quick run computes a row's similarities anew, and does not read in which order they put the pairs."""
    trained = row.system.split()[0] in ("D&L", sentence_models.PV_DM, sentence_models.PV_DBOW, "URAE")
    return row.system == RANDOM or row.split in SUBSET_TASKS and row.space != BOARD and not trained


def board_of(profile: Profile, *, quick: bool = False) -> tuple[Board, str]:
    """Play the composers of a profile on its tasks; and the corpus's fingerprint.

    In a quick run some composers play on some tasks, and the other runs are those that were stored.
    """
    trained = prepare(profile)
    tasks = tasks_of(profile, trained.vocabulary)
    options = profile["leaderboard.resamples"], profile["seed"]
    composers = Composers(profile, trained, tasks)
    if not quick:
        return play(composers, tasks, *options), trained.corpus
    played = play(composers.playing(quick=True), {name: tasks[name] for name in SUBSET_TASKS}, *options)
    return Board(tasks, read_stored(tasks, profile).runs | played.runs), trained.corpus


def results(profile: Profile, board: Board, corpus: str | None) -> Results:
    """Every figure of a board, and the claims."""
    rows = [*score_results(board), *rank_results(board), *correlation_results(board)]
    if profile.name == "full":
        rows = [row if is_repeated(row) else row.changed(trained=True) for row in rows]
    rows = [*data_results(board.tasks), *rows]
    used = ["coinco", "genia", "ml2010", "msrpc", "relation_banko2008", "relpron", "semcor", "wikipedia_parsed"]
    return ledger.run(
        "leaderboard", profile, (), rows=rows, claims=lambda _: claims(board), corpus=corpus, used=used
    )


def run(profile: Profile, *, quick: bool | None = None) -> Results:
    """Every figure of the leaderboard.

    Parameters
    ----------
    profile : Profile
    quick : bool, optional
        True, as `make verify` has it: similarities are computed anew only for relation classification, RELPRON and
        phrase similarity, without D&L, paragraph vectors and the autoencoder, whose training takes long. Of the others
        the order is stored in which they put the pairs of each task. False: that order is stored anew.
    """
    full = profile.name == "full"
    board, corpus = board_of(profile, quick=full and bool(quick))
    if full and quick is False:
        store(board, profile)
    return results(profile, board, corpus)
