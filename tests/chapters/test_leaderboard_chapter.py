"""The leaderboard: systems of a few words whose figures are worked out by hand, and the committed ledgers."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from usages import senses_of

from cdsm_lib.chapters import leaderboard
from cdsm_lib.chapters import leaderboard_systems as systems
from cdsm_lib.chapters.leaderboard import NAMES, RANDOM
from cdsm_lib.chapters.sense_vectors import Lexicon
from cdsm_lib.composition.contextual import Simple
from cdsm_lib.display import ABSENT
from cdsm_lib.evaluation.results import Scores, committed
from cdsm_lib.evaluation.verdicts import verdict_of
from cdsm_lib.settings import load_profile
from cdsm_lib.tasks.localisation import APART
from cdsm_lib.tasks.system import Composer, blocks, of_model
from cdsm_lib.tasks.task import Measure, Task, Vocabulary, phrase
from cdsm_lib.vectors.space import Space

WORDS = Vocabulary(["dog|NOUN", "cat|NOUN", "chase|VERB", "big|ADJ", "run|VERB"])
SPACE = Space(
    ["dog|NOUN", "cat|NOUN", "chase|VERB", "big|ADJ"],
    np.array([[1, 0, 1], [0, 1, 1], [2, 0, 0], [0, 0, 3]], dtype=np.float32),
)

PAIRS = np.array([[0, 1], [0, 2], [3, 1], [3, 2]])


def text(*words: str, target=None):
    return phrase(words, [-1] * len(words), ["root"] * len(words), WORDS, target)


def toy(name: str = "toy") -> Task:
    """Two items, each of two pairs; an item's value is 1 if its first pair is the more similar one."""
    measure = Measure(lambda similarity: (similarity[0::2] > similarity[1::2]).astype(float))
    return Task(name, "toys", "all", tuple(map(text, WORDS.words[:4])), PAIRS, {"mean": measure}, 2, chance=0.5)


# ------------------------------------------------------------------------------------------------------------- systems


def test_a_text_without_a_vector_is_as_similar_to_all_and_no_similarity_is_nan():
    texts = text("zebra|NOUN"), text("dog|NOUN"), text("cat|NOUN", "big|ADJ")
    assert not of_model(Simple(SPACE), "x", "", 12).compare(texts, PAIRS[:2])["x add"].any()
    with pytest.raises(ValueError, match="nan on toy: a similarity is no number"):
        fixed("nan", [0.1, np.nan, 0.2, 0.3]).similarities(toy())


def test_the_closest_senses_of_the_word_in_question_decide():
    senses = senses_of(["dog|NOUN"], [0, 2], ("dog.1", "dog.2"), np.eye(3)[[0, 2]])
    compare = systems.of_senses(Lexicon("senses", SPACE, senses), None).compare
    # all words: (1, 0, 3) or (0, 0, 4) with (1, 0, 0) or (0, 0, 1)
    assert compare((text("big|ADJ", "dog|NOUN"), text("dog|NOUN")), PAIRS[:1])["senses add"][0] == pytest.approx(1)
    # the first: (3, 1, 1) or (2, 1, 2); where *chase* is in question, the dog has its one vector: (3, 1, 2)
    words = "dog|NOUN", "chase|VERB", "cat|NOUN"
    value = compare((text(*words, target=0), text(*words, target=1)), PAIRS[:1])["senses add"][0]
    assert value == pytest.approx(max(12 / np.sqrt(11 * 14), 11 / np.sqrt(9 * 14)))


def test_blocks_share_no_text_and_lose_no_pair():
    pairs = np.array([[0, 1], [5, 6], [1, 2], [7, 8], [8, 7], [3, 3]])
    for least, n in ((1, 5), (4, 2), (100, 1)):
        parts = list(blocks(pairs, 9, least))
        assert sorted(np.concatenate([places for places, _ in parts]).tolist()) == list(range(9)) and len(parts) == n
        assert sorted(np.concatenate([numbers for _, numbers in parts]).tolist()) == list(range(6))
        assert all(set(pairs[numbers].ravel().tolist()) <= set(places.tolist()) for places, numbers in parts)


@pytest.fixture(scope="module")
def sample():
    """What plays in the sample profile, with few latent senses."""
    few = {"method": "gibbs", "dimensions": 5, "iterations": 2, "tokens": 5}
    return systems.prepare(load_profile("sample").replace({"contextual.senses": few}))


def test_the_sample_has_all_seven_tasks(sample):
    assert tuple(sample.tasks) == NAMES == tuple(task.name for task in sample.tasks.values())
    for name, task in sample.tasks.items():
        ties = 0 if name == "localisation" else task.chance  # the antonym must be farther
        assert task.metric == leaderboard.METRICS[name] and task.value(np.zeros(len(task.pairs))) == pytest.approx(ties)
        drawn = task.resampled(np.random.default_rng(1).random(len(task.pairs)), 20, 1)
        assert drawn.shape == (20,) and np.isfinite(drawn).all()


def test_every_system_gives_the_same_on_any_order_of_the_texts(sample):
    """Texts and pairs shuffled: the figures stay."""
    rng, names = np.random.default_rng(1), []
    task = sample.tasks[systems.SUBSTITUTION]
    pairs = task.pairs[rng.choice(len(task.pairs), 12, replace=False)]
    used = np.union1d(pairs, rng.choice(len(task.texts), 8, replace=False))  # and some that no pair needs
    texts, pairs = [task.texts[i] for i in used], np.searchsorted(used, pairs)
    order = rng.permutation(len(texts))
    straight = Task(task.name, "toys", "all", tuple(texts), pairs, {}, 12)
    shuffled = Task(task.name, "toys", "all", tuple(texts[i] for i in order), np.argsort(order)[pairs], {}, 12)
    for composer in filter(lambda composer: composer.fits(task), systems.composers(sample)):
        one, other = (composer.similarities(task) for task in (straight, shuffled))
        for name in composer.names:
            np.testing.assert_allclose(one[name], other[name], atol=2e-9)
            names.append(name)
    assert len(set(names)) == len(names) >= 15


# --------------------------------------------------------------------------------------------------------------- board


def fixed(name: str, values, parameters: int = 1, only=None) -> Composer:
    """A system with given similarities."""
    values = np.asarray(values, dtype=float)
    return Composer((name,), "none", lambda texts, pairs: {name: values[: len(pairs)]}, parameters, 2.0, only)


RIGHT, WRONG, MIXED = [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]


def test_a_system_plays_where_it_makes_sense_and_its_figure_has_costs_and_a_distance_to_the_best():
    tasks = {name: toy(name) for name in ("one", "two")}
    playing = (("good", RIGHT, 30), ("bad", WRONG, 10), ("half", MIXED, 20), ("few", RIGHT, 1, ("one",)))
    profile = load_profile("sample").replace({"leaderboard.resamples": 200})
    board, given = leaderboard.play([fixed(*of) for of in playing], tasks, profile)
    assert leaderboard.everywhere(board) == ["good", "bad", "half"] and "few" not in given["two"]
    assert leaderboard.best(board, "two").system == "good" and given["one"]["half"].tolist() == MIXED
    rows = {(row.system, row.split): row for row in leaderboard.score_rows(board, tasks)}
    half = rows["half", "two"]
    assert (half.value, half.parameters, half.minutes) == (0.5, 20, 2.0)
    # half is level when only its good item is drawn
    assert [rows[system, "one"].behind for system in ("good", "few", "half", "bad")] == [0, 0, 0, 1]
    assert rows[RANDOM, "one"].value == 0.5 and rows[RANDOM, "one"].behind is None
    named = {key: replace(row, split="RELPRON", metric="MAP") for key, row in rows.items() if "one" in key}
    standings = leaderboard.standings(SimpleNamespace(results=named.values()))
    assert [*standings.values()] == ["best", "behind", "level", "best"]


def of_draws(**tasks: dict[str, list[float]]) -> leaderboard.Board:
    """A board of these resamples, whose means are the figures."""

    def scores(task, system, drawn):
        drawn = np.asarray(drawn, dtype=float)
        return Scores(system, "none", "toys", task, "mean", statistic=drawn.mean(), resamples=drawn)

    return {task: {system: scores(task, system, drawn) for system, drawn in of.items()} for task, of in tasks.items()}


HIGH, LOW, SPREAD = [0.9, 0.91, 0.92], [0.5, 0.51, 0.52], [0.4, 0.9, 1.4]


@pytest.mark.parametrize(
    ("drawn", "verdict"), [((HIGH, LOW), "holds"), ((LOW, HIGH), "fails"), ((SPREAD, HIGH), "undecided")]
)
def test_one_winner_and_addition_near_the_best(drawn, verdict):
    first, second = (dict(zip(("word2vec add", "b"), values, strict=True)) for values in ((HIGH, LOW), drawn))
    board = of_draws(one=first, two=second)
    assert leaderboard.one_winner(board).verdict == verdict
    assert verdict_of([*leaderboard.addition_is_enough(board, {"two": toy()})]) == verdict


def test_tasks_that_agree_and_one_that_orders_nothing():
    first = {"a": [0, 0, 0], "b": LOW, "c": HIGH}
    same, turned, flat = (
        leaderboard.over_tasks(of_draws(one=first, two=dict(zip("abc", map(first.get, order), strict=True))))
        for order in ("abc", "cba", "aaa")
    )
    assert [leaderboard.tasks_agree(scores).verdict for scores in (same, turned)] == ["holds", "fails"]
    assert {score.system: score.value for score in same[:3]} == {"a": 3, "b": 2, "c": 1}
    assert [score.value for score in turned] == [2, 2, 2, -1, -1] and [score.value for score in flat[3:]] == [0, 0]


# ------------------------------------------------------------------------------------------------ the committed ledger


@pytest.mark.parametrize("profile", ["full", "sample"])
def test_the_committed_ledger_has_twelve_systems_on_every_task(profile):
    results = committed("leaderboard", profile)
    scores, standings = leaderboard.scores_of(results), leaderboard.standings(results)
    for task in NAMES:
        rows = [row for (system, name), row in scores.items() if name == task and system != RANDOM]
        assert len(rows) >= 12 and len({(row.dataset, row.metric, row.n) for row in rows}) == 1  # the same items
        assert all(row.low is not None and row.low <= row.value <= row.high for row in rows)
        assert "best" in {standings[row.system, task] for row in rows}
    names, panels, options = leaderboard.panels_of(results)
    assert tuple(panels) == NAMES and set(options["reference"][1]) == set(NAMES)
    assert {system for of in panels.values() for series in of.values() for system in series} == set(names)


@pytest.mark.parametrize(("profile", "systems"), [("full", 3), ("sample", 1)])
def test_what_read_other_text_stands_apart_and_is_ranked_with_nothing(profile, systems):
    ledger = committed("leaderboard", profile)
    apart = leaderboard.apart_table(ledger, "").rows
    assert len(apart) == systems and ABSENT not in apart[0]
    assert not {row[0] for row in apart} & {system for system, _ in leaderboard.scores_of(ledger)}


IN_CONTEXT = {f"{model} {how}": f"{model} {how}" for model in systems.MODELS for how in ("add", "mult")}
VECTORS = {"word2vec add": "word2vec", "dep2vec add": "dep2vec", "senses add": "senses"}
LEARNED = {"PV-DM": "PV-DM", "PV-DBOW": "PV-DBOW"}
CHAPTERS = [
    ("relation classification", {"space": "main", "split": "average"}, {"lemma overlap": "Overlap", **IN_CONTEXT}),
    ("question answering", {"space": "main", "split": "All"}, {"lemma overlap": "Overlap", **IN_CONTEXT}),
    ("localisation", {"space": "text", "split": "level 1", "metric": APART}, LEARNED),
    ("localisation", {"space": "word2vec", "split": "level 1", "metric": APART}, {"URAE": "URAE, parsed"}),
    ("phrase similarity", {"space": "addition", "split": "average"}, VECTORS | {"senses add": "senses, max"}),
    ("sense discrimination", {"space": "window 4"}, {"lemma overlap": "word overlap", **VECTORS}),
    ("sense discrimination", {"space": "sentence"}, {"context2vec": "context2vec"}),
    ("lexical substitution", {"space": "PPMI-SVD"}, {"SVD add": "Add"}),
    ("lexical substitution", {"space": "context2vec, all candidates scored"}, {"context2vec": "context2vec (phrase)"}),
]


@pytest.mark.parametrize("profile", ["full", "sample"])
@pytest.mark.parametrize(("task", "place", "names"), CHAPTERS)
def test_its_figures_are_those_of_the_chapters(profile, task, place, names):
    """The sample profile has the vectors of the full one, and nothing that learned from running text."""
    board = leaderboard.scores_of(committed("leaderboard", profile))
    chapter = committed(task.replace(" ", "_"), profile)
    place = {"dataset": board[RANDOM, task].dataset, "metric": leaderboard.METRICS[task], **place}
    if task == "sense discrimination":
        place["split"] = {"full": "test", "sample": "all"}[profile]
    for system, theirs in names.items():
        if profile == "full" or system not in {*VECTORS, *systems.STORED[2:]}:
            own = chapter.one(system=theirs, **place)
            assert board[system, task].value == pytest.approx(own.value, abs=1e-4), system
