"""The leaderboard: every system on every task, with intervals, costs, and what no single paper could ask.

Does the best system on one task win on another? Do the tasks rank the systems alike? Does a dearer system do better?
The claims of this ledger are questions of the compendium's own, posed before the figures were computed; no paper
concludes them.

All comparisons rest on one device: `Run.resampled`, a task's figure on resampled items, with the same draws for every
system. An interval, a difference, a first place and a rank correlation between tasks all follow from it.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from cdsm_lib import datasets
from cdsm_lib.chapters import stored
from cdsm_lib.chapters.leaderboard_systems import ADD, ADDITIONS, MULT, SYNTACTIC, Composer, Composers, Cost, prepare
from cdsm_lib.chapters.leaderboard_systems import similarities as similarities_of
from cdsm_lib.chapters.leaderboard_tasks import METRICS, NAMES, PHRASES, RELATIONS, RELPRON, Task, tasks_of
from cdsm_lib.display import Table, figure, result_of, table
from cdsm_lib.evaluation import metrics
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores, committed, made_with
from cdsm_lib.evaluation.verdicts import DIGITS, Test
from cdsm_lib.settings import Profile

RANDOM = "random"
BOARD = "board"
"""The space of figures that say something of several systems or tasks."""

CHAPTER_30 = ("Frobenius", "VArg", "Vhn", "PLF", "SPLF", "FPLF", "RPTensor")
"""Systems that make sense on RELPRON alone: their figures are those of its chapter (skip-gram, the test set)."""

CHAPTER_SPACE = "Skip-Gram of chapter 30"
BEST, FIRST, BEHIND, MEAN_RANK = "best", "share of first places", "behind the best", "mean rank"
ALIKE = "rank correlation"
UNKNOWN, ZERO = "share of unknown words", "share of pairs of similarity 0"
COSTS = ("minutes", "parameters", "megabytes", "milliseconds a text")

TOLERANCE = {"exact": 1e-3, "counted": 0.01, "trained": 0.03, "sampled": 0.05, "derived": 0.3, "cost": 1e12}
"""How far a recomputed figure may lie from the committed one.

Overlap is exact, and .001 is one item of the thousand that the longest task has. Counts and cosines agree between
machines to many digits, but a near tie may fall either way: .01. Skip-gram's updates follow one another by the hundred
million, and a processor that adds in another order drifts to other vectors of the same quality: .03, as in the
chapters. A Gibbs sampler may draw other senses: .05, some five standard deviations between the seeds of 1,200 senses
(`cdsm_lib.chapters.contextual_models.TOLERANCE`). A share of first places, a rank and a correlation of ranks hang on
many such figures: .3 (ranks: times ten). A cost is a record of one machine, which no other has to meet.
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
    resamples : int
    """

    system: str
    space: str
    task: Task
    similarity: np.ndarray
    resamples: int = 1000

    @cached_property
    def value(self) -> float:
        """The task's figure."""
        return self.task.measure(self.task.checked(self.similarity))

    @cached_property
    def resampled(self) -> np.ndarray:
        """The figure on resampled items, float64 [resamples]; the same draws for every system."""
        return np.asarray(self.task.resample(self.task.checked(self.similarity), self.resamples))


@dataclass(frozen=True, eq=False)
class Board:
    """All runs, and what the composers need.

    Attributes
    ----------
    tasks : dict of str to Task
    runs : dict of (system, task) to Run
    composers : dict of system to Composer
        With their comparisons and costs.
    seconds : dict of (system, task) to float
        That a composer took for a task, all its systems together.
    unknown : dict of (system, task) to (int, int)
        Content tokens without a vector, and all.
    """

    tasks: Mapping[str, Task]
    runs: Mapping[tuple[str, str], Run]
    composers: Mapping[str, Composer]
    seconds: Mapping[tuple[str, str], float]
    unknown: Mapping[tuple[str, str], tuple[int, int]]

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
        return {system: run for (system, of), run in self.runs.items() if of == task}

    def columns(self, system: str) -> Mapping[str, str]:
        """What a system's name says."""
        return self.composers[system].columns.get(system, {})

    def scores(self, run: Run, metric: str | None = None, value: float | None = None, **changes) -> Scores:
        """A run's figure with its resamples; or another one of its figures, without."""
        names = run.system, run.space, run.task.dataset, run.task.name, metric or run.task.metric
        of = {"statistic": run.value, "resamples": run.resampled} if metric is None else {"statistic": value}
        about = {"n": run.task.items, "tolerance": tolerance_of(run.space), "columns": self.columns(run.system)}
        return Scores(*names, **{**of, **about, **changes})

    def best(self, task: str, among: Iterable[str] | None = None) -> Run:
        """The run of the highest figure; the first of equals."""
        runs = self.on(task)
        return max((runs[name] for name in (runs if among is None else among) if name in runs), key=lambda r: r.value)


def play(composers: Iterable[Composer], tasks: Mapping[str, Task], resamples: int) -> Board:
    """Let every composer compare the pairs of every task on which it makes sense.

    Each composer is let go before the next is made. The same texts in another order give the same similarities.
    """
    runs, played, seconds, unknown = {}, {}, {}, {}
    for composer in composers:
        for name, task in tasks.items():
            if not composer.fits(task):
                continue
            start = time.monotonic()
            lost = sum(composer.unknown(text) for text in task.texts), sum(text.content for text in task.texts)
            for system, values in similarities_of(composer, task).items():
                runs[system, name], unknown[system, name] = Run(system, composer.space, task, values, resamples), lost
            seconds |= {(system, name): time.monotonic() - start for system in composer.names}
        played |= dict.fromkeys(composer.names, replace(composer, compare=_gone, unknown=_gone))
    return Board(tasks, runs, played, seconds, unknown)


def ordered(similarity: np.ndarray) -> np.ndarray:
    """Whole numbers [pairs] in the order of similarities, equal where these are, 0 where they are: what a task sees."""
    values, places = np.unique(similarity, return_inverse=True)
    places = places - (values < 0).sum()
    return places if 0 in values else places + (places >= 0)


def store(board: Board, profile: Profile) -> None:
    """Leave the order in which every system puts the pairs of every task to `stored`, and what the systems cost."""
    arrays = {}
    for (system, name), run in board.runs.items():
        order = ordered(run.similarity)
        arrays[f"{name}/{system}"] = order.astype(np.result_type(*map(np.min_scalar_type, (order.min(), order.max()))))
    composers = {composer.names: composer for composer in board.composers.values()}
    meta = {
        "composers": [
            {"names": names, "space": of.space, "cost": vars(of.cost), "columns": of.columns}
            for names, of in composers.items()
        ],
        "seconds": [[*key, value] for key, value in board.seconds.items()],
        "unknown": [[*key, *values] for key, values in board.unknown.items()],
    }  # fmt: skip
    stored.write("leaderboard", arrays, _about(board.tasks, profile), **meta)


def _about(tasks: Mapping[str, Task], profile: Profile) -> dict:
    """What stored orders depend on, and what tells whether they are of these tasks."""
    return {
        "tasks": {name: [task.dataset, len(task.texts), len(task.pairs), task.items] for name, task in tasks.items()},
        "seed": profile["seed"],
        "settings": {name: profile[name] for name in ("leaderboard", "contextual", "localisation")},
    }


def read_stored(tasks: Mapping[str, Task], profile: Profile) -> Board:
    """The board that `store` left; errors as of `stored.read`."""
    arrays, meta = stored.read("leaderboard", _about(tasks, profile))
    composers = {}
    for of in meta["composers"]:
        names = tuple(of["names"])
        composer = Composer(names, of["space"], _gone, _gone, Cost(**of["cost"]), columns=of["columns"])
        composers |= dict.fromkeys(names, composer)
    runs = {}
    for key, order in arrays.items():
        name, system = key.split("/")
        run = Run(system, composers[system].space, tasks[name], order.astype(float), profile["leaderboard.resamples"])
        runs[system, name] = run
    seconds = {(system, name): value for system, name, value in meta["seconds"]}
    unknown = {(system, name): (lost, n) for system, name, lost, n in meta["unknown"]}
    return Board(tasks, runs, composers, seconds, unknown)


def _gone(*_):
    raise RuntimeError("this composer was let go when its runs were done; make it again")


# ----------------------------------------------------------------------------------------------------------- results


def tolerance_of(space: str) -> float:
    """Of a task's figure, by what the system was made from."""
    if space == "none":
        return TOLERANCE["exact"]
    if space in ("window counts", "triples", "window counts, triples", "PPMI-SVD"):
        return TOLERANCE["counted"]
    return TOLERANCE["sampled" if space == "latent senses" else "trained"]


def score_results(board: Board) -> list[Result]:
    """Every figure with its interval, and what random similarities come to."""
    rows = []
    for name, task in board.tasks.items():
        about = {"n": task.items, "tolerance": TOLERANCE["exact"]}
        rows.append(Result(RANDOM, "expected", task.dataset, name, task.metric, task.chance, **about))
        rows += [board.scores(run).row() for run in board.on(name).values()]
    return rows


def borrowed_results(profile: Profile) -> list[Result]:
    """RELPRON's own composers, from the committed figures of its chapter: the same corpus and test set."""
    chapter = committed("relpron", profile.name)
    rows = chapter.find(space="Skip-Gram", split="test", metric="MAP") if chapter else []
    return [replace(r, space=CHAPTER_SPACE, split=RELPRON, published=None) for r in rows if r.system in CHAPTER_30]


def lack_results(board: Board) -> list[Result]:
    """The share of each task's content tokens for which a system has nothing; and of its pairs that a system finds
    wholly dissimilar: similarity 0."""
    unknown = [board.scores(board.runs[key], UNKNOWN, lost / n, n=n) for key, (lost, n) in board.unknown.items()]
    zeros = [board.scores(r, ZERO, float((r.similarity == 0).mean()), n=len(r.similarity)) for r in board.runs.values()]
    return [scores.row() for scores in (*unknown, *zeros)]


def cost_results(board: Board) -> list[Result]:
    """What each system needs: a record of the machine that trained it."""
    rows = []
    for system, composer in board.composers.items():
        seconds = {name: spent for (of, name), spent in board.seconds.items() if of == system}
        if not seconds:  # none of these tasks is for it
            continue
        texts = sum(len(board.tasks[name].texts) for name in seconds) * len(composer.names)
        values = (*vars(composer.cost).values(), 1000 * sum(seconds.values()) / texts)
        names, about = (system, composer.space, "wikipedia_parsed", "all"), board.columns(system)
        rows += [
            Result(*names, metric, value, tolerance=TOLERANCE["cost"], **about)
            for metric, value in zip(COSTS, values, strict=True) if value is not None
        ]  # fmt: skip
    return rows


def winner_results(board: Board) -> list[Result]:
    """For each task how often each system comes first on resampled items, and how far it is behind the best.

    Equals share a first place. The best system is that of the highest figure; by how much it leads is thus a little
    too much (it is chosen among many).
    """
    rows = []
    for name in board.tasks:
        runs, best = board.on(name), board.best(name)
        drawn = np.array([run.resampled for run in runs.values()])
        top = drawn == drawn.max(axis=0)
        shares = (top / top.sum(axis=0)).mean(axis=1)
        for run, share in zip(runs.values(), shares.tolist(), strict=True):
            behind = {"resamples": best.resampled - run.resampled, "tolerance": 2 * tolerance_of(run.space)}
            rows.append(board.scores(run, FIRST, share, tolerance=TOLERANCE["derived"]).row())
            rows.append(board.scores(run, BEHIND, best.value - run.value, **behind).row())
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
        _over_tasks(system, "all", MEAN_RANK, mean[i], means[:, i], n, tolerance).row(**board.columns(system))
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
    """Texts, pairs and items of every task."""
    return [
        Result("data", BOARD, task.dataset, name, metric, value)
        for name, task in tasks.items()
        for metric, value in (("texts", len(task.texts)), ("pairs", len(task.pairs)), ("items", task.items))
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
        "adding-beats-multiplying": [adding_beats_multiplying(board)],
        "tasks-agree": [tasks_agree(board)],
        "dear-is-good": [dear_is_good(board)],
    }
    return evaluate("leaderboard", sums_and_trees(board), computed=computed)


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


def sums_and_trees(board: Board) -> list[Scores]:
    """On every task the best sum of word vectors and the best system that reads the tree."""
    return [
        replace(board.scores(board.best(name, among)), role=role)
        for name in board.tasks
        for role, among in (("sum", ADDITIONS), ("tree", SYNTACTIC))
        if any(system in among for system in board.on(name))
    ]


def adding_beats_multiplying(board: Board) -> Test:
    """Is addition better than multiplication, by every model and on every task?

    One case in which multiplication is significantly better makes it fail; the tests are not corrected for their
    number.
    """
    systems = {tuple(names.values()): system for system in board.composers if (names := board.columns(system))}
    models = [model for model, operation in systems if operation == ADD and (model, MULT) in systems]
    better, exceptions, n = 0, [], len(models) * len(board.tasks)
    for model in models:
        for name in board.tasks:
            low, high = _difference(*(board.runs[systems[model, operation], name] for operation in (ADD, MULT)))
            better += low > 0
            exceptions += [f"{model} on {name}"] if high < 0 else []
    worse = len(exceptions)
    text = (
        f"{len(models)} models on {len(board.tasks)} tasks: addition is significantly better in {better} of {n} cases, "
        f"multiplication in {worse}" + (f" ({', '.join(exceptions)})" if exceptions else "")
    )
    return Test("stated", "fails" if worse else "holds" if better == n else "undecided", text=text)


def _held_against(bound: float, value: float, drawn: np.ndarray, systems: int, text: str) -> Test:
    """A figure over the systems with the interval of its resamples: above the bound, below it, or undecided.

    `text` has a place for the figure with its interval.
    """
    low, high = np.quantile(drawn, (0.025, 0.975)).tolist()
    verdict = "holds" if low > bound else "fails" if high < bound else "undecided"
    value, low, high = (round(float(v), DIGITS) for v in (value, low, high))
    text = text.format(f"{value:.3f} [{low:.3f}, {high:.3f}]")
    return Test("stated", verdict, (), (), value, low, high, (bound,), n=(systems,), unit="systems", text=text,
                tolerance=TOLERANCE["derived"])  # fmt: skip


def tasks_agree(board: Board) -> Test:
    """Do the tasks rank the systems alike?"""
    value, drawn = correlations(board)
    upper, names = np.triu_indices(len(value), 1), list(board.tasks)
    pairs = sorted(zip(value[upper].tolist(), *(u.tolist() for u in upper), strict=True))
    lowest, highest = (f"{names[i]} with {names[j]} {rho:.2f}" for rho, i, j in (pairs[0], pairs[-1]))
    text = (
        f"mean rho over {len(pairs)} pairs of tasks {{}}, {len(board.everywhere)} systems; lowest: {lowest}, highest: "
        f"{highest}"
    )
    mean, means = float(mean_correlation(value)), mean_correlation(drawn)
    return _held_against(ALIKE_ABOVE, mean, means, len(board.everywhere), text)


def dear_is_good(board: Board, seed: int = 0) -> Test:
    """Do systems that hold more numbers stand higher?"""
    systems = board.everywhere
    mean = ranks(board, systems)[0].mean(axis=0)
    size = np.array([board.composers[system].cost.parameters for system in systems], dtype=np.float64)
    rng, drawn = np.random.default_rng(seed), []
    while len(drawn) < 2000:
        some = rng.integers(0, len(systems), len(systems))
        if len(set(size[some])) > 1 and len(set(mean[some])) > 1:
            drawn.append(metrics.spearman(size[some], -mean[some]))
    text = f"rho of parameters with mean standing {{}} over {len(systems)} systems"
    return _held_against(0.0, metrics.spearman(size, -mean), drawn, len(systems), text)


# ------------------------------------------------------------------------------------------------- reading results -


def order_of(results: Results) -> list[str]:
    """The systems that ran on every task, best mean rank first; then those of some tasks."""
    return list(dict.fromkeys([*mean_ranks(results), *(row.system for row in results.find(metric=BEHIND))]))


def mean_ranks(results: Results) -> dict[str, float]:
    """The mean rank of each system that ran on every task, the best first."""
    return {row.system: row.value for row in sorted(results.find(metric=MEAN_RANK), key=lambda row: row.value)}


def standings(results: Results) -> dict[tuple[str, str], str]:
    """Of each (system, task): "best", "level" (the 95% interval of its distance to the best holds 0) or "behind"."""

    def standing(row: Result) -> str:
        return "best" if row.value <= 0 else "level" if row.low <= 0 else "behind"

    return {(row.system, row.split): standing(row) for row in results.find(metric=BEHIND)}


def scores_of(results: Results) -> dict[tuple[str, str], Result]:
    """The figure of each (system, task) that ran here, "random" included; without those of chapter 30."""
    rows = [row for row in results.results if METRICS.get(row.split) == row.metric and row.space != CHAPTER_SPACE]
    return {(row.system, row.split): row for row in rows}


def panels_of(results: Results) -> tuple[list[str], dict[str, dict], dict]:
    """What `cdsm_lib.plots.board_chart` draws: systems, panels, and its options `chance` and `measures`."""
    scores, standing = scores_of(results), standings(results)
    chance = {name: scores[RANDOM, name].value for name in NAMES if (RANDOM, name) in scores}
    panels: dict[str, dict] = {name: {} for name in chance}
    for (system, name), row in scores.items():
        if system != RANDOM:
            panels[name][system] = row.value, row.low, row.high, standing[system, name]
    return order_of(results), panels, {"chance": chance, "measures": {name: METRICS[name] for name in chance}}


# ------------------------------------------------------------------------------------------------ tables of the page

MARKS = {"best": " ★", "level": " ●", "behind": ""}
"""The highest figure of a task, and those not significantly behind it."""


def tasks_table(tasks: Mapping[str, Task], full: Results | None) -> Table:
    """Sizes of the tasks and what similarities at random come to, in this run and in the full profile."""
    rows = []
    for name, task in tasks.items():
        there = [result_of(full, system="data", split=name, metric=metric) for metric in ("texts", "pairs", "items")]
        chance = result_of(full, system=RANDOM, split=name)
        sizes = len(task.texts), len(task.pairs), task.items, task.chance
        rows.append((name, task.metric, *sizes, *(r and int(r.value) for r in there), chance and chance.value))
    columns = ("task", "measure", "texts", "pairs", "items", "chance", "full: texts", "pairs", "items", "chance")
    return table(columns, rows, "The seven tasks, this run and the full profile")


def board_table(results: Results, caption: str) -> Table:
    """Every system on every task, best mean rank first, with the marks of `MARKS`; then chapter 30's, then chance."""
    scores, ranks_ = scores_of(results), mean_ranks(results)
    marked = {key: figure(scores[key]) + MARKS[standing] for key, standing in standings(results).items()}
    rows = [
        (system, f"{ranks_[system]:.1f}" if system in ranks_ else None, *(marked.get((system, name)) for name in NAMES))
        for system in order_of(results)
    ]
    for row in results.find(space=CHAPTER_SPACE):
        cells = (figure(row) if name == row.split else None for name in NAMES)
        rows.append((f"{row.system} (chapter 30)", None, *cells))
    rows.append((RANDOM, None, *(scores[RANDOM, name].value for name in NAMES)))
    columns = ("system", "mean rank", *(f"{name} ({METRICS[name]})" for name in NAMES))
    return table(columns, rows, caption, sortable=True)


def first_places_table(results: Results) -> Table:
    """For each task who comes first how often on resampled items, and how many are level with the highest figure."""
    rows, standing = [], standings(results)
    for name in NAMES:
        places = sorted(results.find(split=name, metric=FIRST), key=lambda row: -row.value)
        leading = ", ".join(f"{row.system} {row.value:.0%}" for row in places[:4] if row.value >= 0.005)
        level = sum(task == name and kind != "behind" for (_, task), kind in standing.items())
        rows.append((name, places[0].system, f"{places[0].value:.0%}", leading, level))
    last = "systems not significantly behind the highest figure"
    columns = ("task", "most often first", "share", "first places", last)
    return table(columns, rows, f"First places on resampled items, {results.profile} profile")


def winners_table(results: Results) -> Table:
    """The rank of each task's best system on the other tasks, among the systems that ran on all."""
    scores, standing, systems, rows = scores_of(results), standings(results), list(mean_ranks(results)), []
    values = np.array([[scores[system, name].value for system in systems] for name in NAMES])
    places = metrics.ranks(values)
    for name, best in zip(NAMES, values.argmax(axis=1), strict=True):
        there = zip(places[:, best], NAMES, strict=True)
        rows.append((name, systems[best], *(f"{rank:g}{MARKS[standing[systems[best], task]]}" for rank, task in there)))
    caption = f"Ranks of the winners elsewhere, of {len(systems)} systems, {results.profile} profile"
    return table(("winner of", "system", *NAMES), rows, caption, 2)


def costs_table(full: Results) -> Table:
    """What each system took and holds, as recorded when the full profile's figures were made."""
    cells, rows = {(row.system, row.metric): row.value for row in full.results}, []
    for system in order_of(full):
        values = [cells.get((system, metric)) for metric in (MEAN_RANK, *COSTS)]
        rank, minutes, _, size, each = (value if value is None else f"{value:.1f}" for value in values)
        rows.append((system, rank, minutes, int(values[2]), size, each))
    columns = ("system", "mean rank", "minutes of training", "parameters", "megabytes", "milliseconds a text")
    return table(columns, rows, "Costs, full profile", sortable=True)


def lack_tables(results: Results) -> tuple[Table, Table]:
    """Content tokens without a vector, systems that share their words in one row; and pairs of similarity 0, of systems
    that have more than one in a hundred on some task."""

    def shares(system: str, metric: str) -> tuple[str | None, ...]:
        cells = (result_of(results, system=system, split=name, metric=metric) for name in NAMES)
        return tuple(cell and f"{cell.value:.1%}" for cell in cells)

    of_words: dict[tuple, list[str]] = {}
    for system in order_of(results):
        of_words.setdefault(shares(system, UNKNOWN), []).append(system)
    words = [(", ".join(systems), *cells) for cells, systems in of_words.items()]
    zeros = [
        (system, *shares(system, ZERO)) for system in order_of(results)
        if any(row.value > 0.01 and f"{row.value:.1%}" != "1.0%" for row in results.find(system=system, metric=ZERO))
    ]  # fmt: skip
    return (
        table(("systems", *NAMES), words, f"Content tokens without a vector, {results.profile} profile"),
        table(("system", *NAMES), zeros, f"Pairs of similarity 0, {results.profile} profile"),
    )


DEPARTURES = {
    "vectors counted for the common vocabulary, which is larger":
        ("PPMI add", "relation_classification", {"system": "M&L add", "space": "main", "split": "average",
                                                 "metric": "AUC"}),
    "no vectors from the domain; the chapter's words of GENIA are unknown here":
        ("PPMI add", "question_answering", {"system": "M&L add", "space": "main", "split": "All"}),
    "a part of the cases, one substitution, and a tie counts one half; content words alone":
        ("word2vec add", "localisation", {"system": "addition", "space": "word2vec", "dataset": "msrpc",
                                          "split": "level 1", "metric": "antonym > synonym"}),
    "word2vec of chapter 40 in the place of the chapter's skip-gram":
        ("word2vec add", "relpron", {"system": "Addition", "space": "Skip-Gram", "split": "test"}),
    "a word without a vector takes that of its lemma under another tag":
        ("word2vec add", "phrase_similarity", {"system": "word2vec", "space": "addition", "split": "average"}),
    "a part of the items; the whole sentence in the place of a window; the word itself among the others":
        ("word2vec add", "sense_discrimination", {"system": "word2vec", "space": "window 4",
                                                  "dataset": "semcor+wordnet", "split": "test"}),
    "the cosine in the place of the dot product":
        ("SVD add", "lexical_substitution", {"system": "Add", "space": "PPMI-SVD", "dataset": "anvan_ls",
                                             "split": "all"}),
}  # fmt: skip
"""What differs on each task from its chapter, and one system there (system here, chapter, figure there)."""


def departures_table(full: Results | None) -> Table:
    """The systems of `DEPARTURES` in their chapters and here, full profile."""
    rows = []
    for task, (what, (system, chapter, names)) in zip(NAMES, DEPARTURES.items(), strict=True):
        there = result_of(committed(chapter), **{"metric": METRICS[task], **names})
        rows.append((task, what, system, there and there.value, full and scores_of(full)[system, task].value))
    return table(("task", "what differs", "system", "in its chapter", "here"), rows)


# ---------------------------------------------------------------------------------------------------------- together


SUBSET_TASKS = (RELATIONS, RELPRON, PHRASES)


def board_of(profile: Profile, *, subset: bool = False) -> tuple[Board, str]:
    """Play the composers of a profile on its tasks; and the corpus's fingerprint.

    As a subset some composers play on some tasks, and the other runs are those that were stored.
    """
    trained = prepare(profile)
    tasks = tasks_of(profile, trained.vocabulary)
    resamples, some = profile["leaderboard.resamples"], {name: tasks[name] for name in SUBSET_TASKS}
    if not subset:
        return play(Composers(profile, trained, tasks), tasks, resamples), trained.corpus
    played = play(Composers(profile, trained, some, tasks).playing(quick=True), some, resamples)
    whole = read_stored(tasks, profile)
    parts = {part: {**getattr(whole, part), **getattr(played, part)} for part in ("runs", "seconds", "unknown")}
    return replace(whole, **parts), trained.corpus


def single_results(board: Board, borrowed: Iterable[Result] = ()) -> list[Result]:
    """What is said of each system by itself, some of it borrowed from a chapter."""
    return [
        *data_results(board.tasks), *score_results(board), *lack_results(board), *borrowed, *cost_results(board),
    ]  # fmt: skip


def results(profile: Profile, board: Board, corpus: str | None, *, borrowed: Iterable[Result] = ()) -> Results:
    """Every figure of a board, those borrowed from a chapter, and the claims."""
    rows = [*single_results(board, borrowed), *winner_results(board), *rank_results(board), *correlation_results(board)]
    used = ["coinco", "genia", "ml2010", "msrpc", "relation_banko2008", "relpron", "semcor", "wikipedia_parsed"]
    made = made_with(datasets.used(used if profile.name == "full" else []), corpus, profile["seed"])
    return Results("leaderboard", "compendium", profile.name, made, rows, claims(board))


def figures(profile: Profile, *, subset: bool = False) -> Results:
    """Every figure of the leaderboard, or the subset that `make verify` recomputes.

    Parameters
    ----------
    profile : Profile
    subset : bool
        All figures, but the similarities behind them are computed anew only for relation classification, RELPRON and
        phrase similarity, without D&L, paragraph vectors and the autoencoder, whose training takes long. Of the others
        the order is stored in which they put the pairs of each task.
    """
    board, corpus = board_of(profile, subset=subset and profile.name == "full")
    if profile.name == "full" and not subset:
        store(board, profile)
    return results(profile, board, corpus, borrowed=borrowed_results(profile))
