"""The leaderboard: every system on every task, with intervals, and what no single paper could ask.

Does the best system on one task win on another? Do the tasks rank the systems alike? The claims of this ledger are
questions of the compendium's own, posed before the figures were computed; no paper concludes them.

All comparisons rest on one device: the figure of a system on resampled items of a task, with the same draws for every
system. An interval, a difference and a rank correlation between tasks all follow from it.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from cdsm_lib.chapters import since_then
from cdsm_lib.chapters.leaderboard_systems import METRICS, NAMES, STORED, Prepared, composers, prepare
from cdsm_lib.display import Table, figure, table
from cdsm_lib.evaluation import ledger, metrics
from cdsm_lib.evaluation.claims import evaluate
from cdsm_lib.evaluation.results import Claim, Result, Results, Scores
from cdsm_lib.evaluation.verdicts import DIGITS, Test
from cdsm_lib.settings import Profile
from cdsm_lib.tasks.system import Composer
from cdsm_lib.tasks.task import Task

RANDOM, BOARD = "random", "board"
"""The system of chance; and the space of figures that say something of several systems or tasks."""

MEAN_RANK, ALIKE = "mean rank", "rank correlation"
USED = ("coinco", "genia", "ml2010", "msrpc", "relation_banko2008", "relpron", "semcor", "wikipedia_parsed")

TOLERANCE = {"exact": 1e-3, "counted": 0.01, "trained": 0.03, "sampled": 0.05, "derived": 0.3}
"""How far a recomputed figure may lie from the committed one.

Overlap is exact, and .001 is an item or two of the thousands that the longest tasks have. Counts and cosines agree
between machines to many digits, but a near tie may fall either way: .01. Skip-gram's updates follow one another by the
hundred million, and a processor that adds in another order drifts to other vectors of the same quality: .03, as in the
chapters. A Gibbs sampler may draw other senses: .05, some five standard deviations between the seeds of 1,200 senses
(`cdsm_lib.chapters.contextual_models.TOLERANCE`). A rank and a correlation of ranks hang on many such figures: .3
(ranks: times ten).
"""
MADE = {"none": "exact", "latent senses": "sampled"}
MADE |= dict.fromkeys(("window counts", "window counts, triples", "triples", "PPMI-SVD"), "counted")
"""How a system of a space is made; all others are trained."""

Board = Mapping[str, Mapping[str, Scores]]
"""Of each task the scores of each system, all with resamples."""


# ------------------------------------------------------------------------------------------------------------ playing


def play(systems: Iterable[Composer], tasks: Mapping[str, Task], profile: Profile) -> tuple[Board, dict[str, dict]]:
    """Let every system compare the pairs of every task on which it makes sense: the board, and these similarities.

    Each composer is let go before the next is made. The same texts in another order give the same similarities, by task
    and system float64 [m].
    """
    board, compared = {name: {} for name in tasks}, {name: {} for name in tasks}
    n, seed = profile["leaderboard.resamples"], profile["seed"]
    for composer in systems:
        about = {"columns": {"parameters": composer.parameters, "minutes": composer.minutes}}
        about["tolerance"] = TOLERANCE[MADE.get(composer.space, "trained")]
        for name, task in tasks.items():
            similarities = composer.similarities(task) if composer.fits(task) else {}
            for system, similarity in similarities.items():
                place = (system, composer.space, task.dataset, name, task.metric)
                drawn, trained = task.resampled(similarity, n, seed), profile.name == "full" and system in STORED
                about |= {"statistic": task.value(similarity), "resamples": drawn, "n": task.items, "trained": trained}
                compared[name][system], board[name][system] = similarity, Scores(*place, **about)
    return board, compared


def everywhere(board: Board) -> list[str]:
    """Systems that ran on every task, in the order in which they ran."""
    return [system for system in next(iter(board.values())) if all(system in scores for scores in board.values())]


def best(board: Board, task: str) -> Scores:
    """The scores of the highest figure; the first of equals."""
    return max(board[task].values(), key=lambda score: score.value)


# ----------------------------------------------------------------------------------------------------------- results


def score_rows(board: Board, tasks: Mapping[str, Task]) -> Iterator[Result]:
    """Every figure with its interval, and what random similarities come to.

    What is added to each figure are the system's costs, and how far it is at least behind the best, in the column
    ``behind``: the low end of the 95% interval of that distance. The best was chosen among many, so it leads by a
    little too much.
    """
    for name, task in tasks.items():
        place, first = (task.dataset, name, task.metric, task.chance), best(board, name)
        yield Result(RANDOM, "expected", *place, n=task.items, tolerance=TOLERANCE["exact"])
        yield from (score.row(behind=difference(first, score)[0]) for score in board[name].values())


def difference(a: Scores, b: Scores) -> tuple[float, float]:
    """The 95% interval of a - b."""
    return tuple(np.quantile(a.resamples - b.resamples, (0.025, 0.975)).tolist())


def over_tasks(board: Board) -> list[Scores]:
    """The mean rank of the systems that ran on every task; and how alike every two tasks rank these, and on average.

    Ranks go from 1 for the best, and equals share the mean of theirs; a task that ranks all alike correlates with none.
    Resampled are the items of each task for itself, not the systems.
    """
    names, systems, scores = list(board), everywhere(board), []
    in_order = [of_task[system] for of_task in board.values() for system in systems]
    figures = np.array([[score.value, *score.resamples] for score in in_order]).reshape(len(names), len(systems), -1)
    ranks = np.array([metrics.ranks(drawn) for drawn in np.round(figures, 9).transpose(2, 0, 1)])  # first the figures'
    with np.errstate(invalid="ignore"):
        rho = np.nan_to_num([np.corrcoef(drawn) for drawn in ranks])
    trained = any(score.trained for score in in_order)

    def add(system: str, split: str, metric: str, values: np.ndarray, n: int, tolerance: float) -> None:
        about = {"statistic": float(values[0]), "resamples": values[1:], "n": n, "tolerance": tolerance}
        scores.append(Scores(system, BOARD, "all tasks", split, metric, trained=trained, **about))

    for i, system in enumerate(systems):
        add(system, "all", MEAN_RANK, ranks[:, :, i].mean(axis=1), len(names), 10 * TOLERANCE["derived"])
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    for i, j in pairs:
        add(names[j], names[i], ALIKE, rho[:, i, j], len(systems), TOLERANCE["derived"])
    mean = np.mean([rho[:, i, j] for i, j in pairs], axis=0)
    add("all tasks", "all", ALIKE, mean, len(systems), TOLERANCE["derived"])
    return scores


# ------------------------------------------------------------------------------------------------------------ claims

NEAR, ALIKE_ABOVE = 0.1, 0.5
"""Within so much of the way from chance to the best counts as near the best; the mean rho above which tasks agree."""


def claims(board: Board, tasks: Mapping[str, Task], over_all: Iterable[Scores]) -> list[Claim]:
    """Our own questions, as claims with computed verdicts; `over_all` is what `over_tasks` gives."""
    computed = {"best-travels": [one_winner(board)], "addition-near-best": addition_is_enough(board, tasks)}
    return evaluate("leaderboard", (), computed=computed | {"tasks-agree": [tasks_agree(over_all)]})


def one_winner(board: Board) -> Test:
    """Is one system the best everywhere?

    It holds if a system is significantly ahead of all others on every task, and fails if each system is significantly
    behind some other on some task. A system of a few tasks (context2vec) can win there, and beat the others, but cannot
    be the one. The many tests are not corrected for their number.
    """
    beaten, ahead = {}, False
    for system in everywhere(board):
        gaps = {
            name: [difference(scores[system], other) for key, other in scores.items() if key != system]
            for name, scores in board.items()
        }
        beaten[system] = [name for name, of_task in gaps.items() if any(high < 0 for _, high in of_task)]
        ahead |= all(low > 0 for of_task in gaps.values() for low, _ in of_task)
    least = min(beaten, key=lambda system: len(beaten[system]))
    verdict = "holds" if ahead else "fails" if beaten[least] else "undecided"
    winners = "; ".join(f"{name}: {best(board, name).system} {best(board, name).value:.3f}" for name in board)
    text = f"highest figures: {winners}. {least} is beaten significantly on the fewest tasks: "
    return Test("stated", verdict, text=f"{text}{len(beaten[least])} of {len(board)} ({', '.join(beaten[least])})")


def addition_is_enough(board: Board, tasks: Mapping[str, Task], system: str = "word2vec add") -> Iterator[Test]:
    """Are plain sums of word vectors near the best everywhere? A test for each task."""
    for name, task in tasks.items():
        first, added = best(board, name), board[name][system]
        margin, (low, high) = NEAR * (first.value - task.chance), difference(first, added)
        verdict = "holds" if high <= margin else "fails" if low > margin else "undecided"
        numbers = (added.value, first.value, first.value - added.value, low, high, margin)
        values = [round(float(number), DIGITS) for number in numbers]
        about = {"n": (len(added.resamples),), "unit": "resamples", "tolerance": added.tolerance + first.tolerance}
        yield Test("near", verdict, (name, first.system), values[:2], *values[2:5], values[5:], **about)


def tasks_agree(over_all: Iterable[Scores]) -> Test:
    """Do the tasks rank the systems alike?"""
    *pairs, mean = (score for score in over_all if score.metric == ALIKE)
    pairs.sort(key=lambda score: score.value)
    lowest, highest = (f"{pairs[i].split} with {pairs[i].system} {pairs[i].value:.2f}" for i in (0, -1))
    interval = mean.interval()
    verdict = "holds" if interval.low > ALIKE_ABOVE else "fails" if interval.high < ALIKE_ABOVE else "undecided"
    value, low, high = (round(number, DIGITS) for number in (mean.value, interval.low, interval.high))
    text = f"mean rho over {len(pairs)} pairs of tasks {value:.3f} [{low:.3f}, {high:.3f}], {mean.n} systems; "
    text += f"lowest: {lowest}, highest: {highest}"
    return Test("stated", verdict, (), (), value, low, high, (ALIKE_ABOVE,), n=(mean.n,), unit="systems",
                text=text, tolerance=TOLERANCE["derived"])  # fmt: skip


# ------------------------------------------------------------------------------------------------- reading results -

SERIES = {"best": "highest figure", "level": "not significantly behind it", "behind": "behind it"}
MARKS = {"best": " ★", "level": " ●", "behind": ""}
"""The highest figure of a task, and those not significantly behind it."""


def scores_of(results: Results) -> dict[tuple[str, str], Result]:
    """The figure of each (system, task) that is ranked, and of "random"."""
    ranked = (row for row in results.results if row.behind is not None or row.system == RANDOM)
    return {(row.system, row.split): row for row in ranked if METRICS.get(row.split) == row.metric}


def order_of(results: Results) -> list[str]:
    """The systems that ran on every task, best mean rank first; then those of some tasks."""
    ranked = sorted(results.find(metric=MEAN_RANK), key=lambda row: row.value)
    systems = [*(row.system for row in ranked), *(system for system, _ in scores_of(results))]
    return [system for system in dict.fromkeys(systems) if system != RANDOM]


def standings(results: Results) -> dict[tuple[str, str], str]:
    """Of each (system, task): "best", "level" (the 95% interval of its distance to the best holds 0) or "behind"."""
    scores = {key: row for key, row in scores_of(results).items() if row.system != RANDOM}
    highest = {name: max(row.value for row in scores.values() if row.split == name) for _, name in scores}
    return {
        key: "best" if row.value >= highest[row.split] else "level" if row.behind <= 0 else "behind"
        for key, row in scores.items()
    }


def panels_of(results: Results) -> tuple[list[str], dict[str, dict], dict]:
    """What `cdsm_lib.plots.charts.dot_chart` draws: systems, a panel a task with a series a standing; options."""
    scores, standing = scores_of(results), standings(results)
    panels: dict[str, dict] = {name: {label: {} for label in SERIES.values()} for name in NAMES}
    for (system, name), kind in standing.items():
        panels[name][SERIES[kind]][system] = scores[system, name]
    panels = {name: {label: series for label, series in panel.items() if series} for name, panel in panels.items()}
    chance = {name: scores[RANDOM, name].value for name in NAMES}
    return order_of(results), panels, {"reference": ("chance", chance), "measure": METRICS}


def tasks_table(tasks: Mapping[str, Task]) -> Table:
    """Sizes of the tasks and what similarities at random come to."""
    rows = [(t.name, t.metric, len(t.texts), len(t.pairs), t.items, t.chance) for t in tasks.values()]
    return table(("task", "measure", "texts", "pairs", "items", "chance"), rows, "The seven tasks, this run")


def board_table(results: Results, caption: str) -> Table:
    """Every system on every task with the marks of `MARKS`, best mean rank first, and its costs; then chance."""
    scores, ranks = scores_of(results), {row.system: f"{row.value:.1f}" for row in results.find(metric=MEAN_RANK)}
    marked = {key: figure(scores[key]) + MARKS[standing] for key, standing in standings(results).items()}
    cost = {system: (row.parameters, row.minutes and f"{row.minutes:.1f}") for (system, _), row in scores.items()}
    rows = [
        (system, ranks.get(system), *(marked.get((system, name)) for name in NAMES), *cost[system])
        for system in order_of(results)
    ]
    rows.append((RANDOM, None, *(scores[RANDOM, name].value for name in NAMES), None, None))
    columns = ("system", "mean rank", *(f"{name} ({METRICS[name]})" for name in NAMES), "parameters", "minutes")
    return table(columns, rows, caption, sortable=True)


def apart_table(results: Results, caption: str) -> Table:
    """What was trained on other text, with what it read and its parameters, on every task; ranked with nothing."""
    apart = {(row.system, row.split): row for row in results.find(space=since_then.SPACE)}
    costs = {row.system: (row.tokens, row.parameters) for row in apart.values()}
    rows = [(name, *cost, *(figure(apart.get((name, task))) for task in NAMES)) for name, cost in costs.items()]
    return table(("system", "read", "parameters", *(f"{name} ({METRICS[name]})" for name in NAMES)), rows, caption)


# ---------------------------------------------------------------------------------------------------------- together


def run(
    profile: Profile, *, quick: bool | None = None, prepared: Prepared | None = None, board: Board | None = None
) -> Results:
    """Every figure of the leaderboard.

    Parameters
    ----------
    profile : Profile
    quick : bool, optional
        True, as `make verify` has it: what the systems of `STORED` give the pairs is read. False, as
        `make reproduce` has it: they are trained, too, and it is stored anew.
    prepared : Prepared, optional
    board : Board, optional
        What is prepared and what is played there; by default both are made here.
    """
    prepared = prepared or prepare(profile, quick=bool(quick))
    board = board or play(composers(prepared, quick=bool(quick)), prepared.tasks, profile)[0]
    over_all = over_tasks(board)
    apart = since_then.rows(profile, prepared.tasks, bool(quick))
    return ledger.run(
        "leaderboard", profile, (), claims=lambda _: claims(board, prepared.tasks, over_all),
        rows=[*score_rows(board, prepared.tasks), *(score.row() for score in over_all), *apart],
        corpus=prepared.questions.general.corpus, used=USED,
    )  # fmt: skip
