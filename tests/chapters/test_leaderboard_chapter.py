"""The leaderboard: tasks and systems of a few words whose figures are worked out by hand, and the committed ledgers."""

from types import SimpleNamespace

import numpy as np
import pytest

from cdsm_lib.chapters import leaderboard
from cdsm_lib.chapters import leaderboard_systems as systems
from cdsm_lib.chapters import leaderboard_tasks as tasks
from cdsm_lib.chapters.leaderboard import Run
from cdsm_lib.evaluation import ledger
from cdsm_lib.evaluation.results import Result, committed
from cdsm_lib.evaluation.verdicts import verdict_of
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile
from cdsm_lib.storage import StorageError
from cdsm_lib.tasks.system import Composer, blocks, lemma_overlap, of_space
from cdsm_lib.tasks.task import Measure, Task, Vocabulary, phrase
from cdsm_lib.vectors.senses import SenseVectors
from cdsm_lib.vectors.space import Space

WORDS = Vocabulary(["dog|NOUN", "cat|NOUN", "chase|VERB", "big|ADJ", "run|VERB"])
SPACE = Space(
    ["dog|NOUN", "cat|NOUN", "chase|VERB", "big|ADJ"],
    np.array([[1, 0, 1], [0, 1, 1], [2, 0, 0], [0, 0, 3]], dtype=np.float32),
)


def clause(subject: str, verb: str, thing: str):
    return phrase((subject, verb, thing), [1, -1, 1], ["nsubj", "root", "obj"], WORDS)


def toy(values=None, name: str = "toy") -> Task:
    """Two items, each of two pairs; an item's value is 1 if its first pair is the more similar one."""
    texts = [
        clause("dog|NOUN", "chase|VERB", "cat|NOUN"), clause("cat|NOUN", "chase|VERB", "dog|NOUN"),
        phrase(("big|ADJ", "dog|NOUN"), [1, -1], ["amod", "root"], WORDS),
        phrase(("cat|NOUN",), [-1], ["root"], WORDS),
    ]  # fmt: skip

    def of(similarity):
        first, second = similarity[0::2], similarity[1::2]
        return (first > second) + 0.5 * (first == second)

    pairs = np.array([[0, 1], [0, 2], [3, 1], [3, 2]])
    return Task(name, "toys", "all", tuple(texts), pairs, {"mean": Measure(values or of)}, 2, chance=0.5)


# --------------------------------------------------------------------------------------------------------------- texts


def test_a_phrase_is_a_small_tree():
    text = phrase(
        ("dog|NOUN", "that|PRON", "chase|VERB", "cat|NOUN"), [2, 2, -1, 2], ["nsubj", "mark", "root", "obj"], WORDS
    )
    assert text.words == ("dog|NOUN", None, "chase|VERB", "cat|NOUN")
    assert text.lemmas == ("dog", "chase", "cat")
    assert text.forms == ("dog", "that", "chase", "cat")
    assert text.tokens[:2] == ("dog|NOUN", "that|PRON") and text.heads == (2, 2, -1, 2)
    assert {(arc.governor, arc.relation, arc.dependent) for arc in text.arcs} >= {(2, "nsubj", 0), (2, "obj", 3)}


def test_stop_words_and_unknown_words_of_a_phrase_count():
    text = phrase(("other|ADJ", "zebra|NOUN"), [1, -1], ["amod", "root"], WORDS)
    assert text.lemmas == ("other", "zebra") and text.words == (None, None)
    # a word with another tag takes the most frequent word of its lemma
    assert phrase(("chase|NOUN",), [-1], ["root"], WORDS).words == ("chase|VERB",)


# --------------------------------------------------------------------------------------------------------------- tasks


def test_similarities_must_be_finite():
    with pytest.raises(ValueError, match="nan on toy: a similarity is no number"):
        fixed("nan", [0.1, np.nan, 0.2, 0.3]).similarities(toy())


def test_items_are_drawn_alike_for_every_system():
    task = toy()
    right, wrong = np.array([1.0, 0, 1, 0]), np.array([0.0, 1, 0, 1])
    mixed = np.array([1.0, 0, 0, 1])
    assert (task.value(right), task.value(wrong), task.value(mixed)) == (1, 0, 0.5)
    assert task.value(np.zeros(4)) == 0.5  # ties
    drawn = task.resampled(mixed, 400, 3)
    assert set(drawn.tolist()) == {0, 0.5, 1} and abs(drawn.mean() - 0.5) < 0.05
    assert (task.resampled(1 - mixed, 400, 3) == 1 - drawn).all()


@pytest.fixture(scope="module")
def sample():
    """All tasks of the sample profile, over the distilled words."""
    profile = load_profile("sample")
    found = systems.prepare(profile)
    return profile, found, tasks.tasks_of(profile, found.vocabulary)


def test_the_sample_has_all_seven_tasks(sample):
    _, _, made = sample
    assert tuple(made) == tasks.NAMES
    for task in made.values():
        assert 0 <= task.chance < 1 and task.value(np.zeros(len(task.pairs))) == pytest.approx(task.chance)
        perfect = task.resampled(np.random.default_rng(1).random(len(task.pairs)), 20, 1)
        assert perfect.shape == (20,) and np.isfinite(perfect).all()


# ------------------------------------------------------------------------------------------------------------- systems


def test_overlap_by_hand():
    task = toy()
    found = lemma_overlap(systems.OVERLAP).similarities(task)[systems.OVERLAP]
    assert found.tolist() == [6, 2, 2, 0]


def test_addition_and_multiplication_by_hand():
    task = toy()
    found = of_space(SPACE, "toy", "toys", None).similarities(task)
    # sums: (3, 1, 2), the same, (1, 0, 4), (0, 1, 1); products: 0, 0, (0, 0, 3), (0, 1, 1)
    sums = [1, 11 / np.sqrt(14 * 17), 3 / np.sqrt(28), 4 / np.sqrt(34)]
    np.testing.assert_allclose(found["toy add"], sums, atol=1e-9)
    np.testing.assert_allclose(found["toy mult"], [0, 0, 0, 1 / np.sqrt(2)], atol=1e-9)


def test_a_text_without_a_vector_is_as_similar_to_all():
    texts = (phrase(("zebra|NOUN",), [-1], ["root"], WORDS), *toy().texts)
    composer = of_space(SPACE, "toy", "toys", 1.0)
    assert not composer.compare(texts, np.array([[0, 1], [0, 2]]))["toy add"].any()
    assert (composer.parameters, composer.minutes) == (12, 1.0)


def test_frequent_words_weigh_less():
    frequency = {"dog|NOUN": 90, "cat|NOUN": 10, "chase|VERB": 0, "big|ADJ": 0}
    composer = systems.weighted(SPACE, frequency, 100, np.zeros((0, 3)), 0.1, None)
    dog = phrase(("dog|NOUN", "cat|NOUN"), [1, -1], ["compound", "root"], WORDS)
    cat = phrase(("cat|NOUN",), [-1], ["root"], WORDS)
    value = composer.compare((dog, cat), np.array([[0, 1]]))["SIF"][0]
    a = 0.1 / 1.0 * np.array([1, 0, 1]) + 0.1 / 0.2 * np.array([0, 1, 1])
    b = np.array([0, 1, 1])
    assert value == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-9)
    away = systems.weighted(SPACE, frequency, 100, np.array([[0, 1, 0]]), 0.1, None)
    assert away.compare((dog, cat), np.array([[0, 1]]))["SIF"][0] == pytest.approx(0.6 / np.sqrt(0.37), abs=1e-9)


def test_the_context_chooses_the_sense():
    senses = SenseVectors(Labels(["dog|NOUN"]), [0, 2], ("dog.1", "dog.2"), np.ones(2), np.eye(3)[[0, 2]])
    model = systems.NearestSense(SPACE, senses)
    assert model.in_context(["chase|VERB", None, "dog|NOUN"]).tolist() == [[2, 0, 0], [1, 0, 0]]
    assert model.in_context(["big|ADJ", "dog|NOUN"]).tolist() == [[0, 0, 3], [0, 0, 1]]
    assert model.in_context([None, "run|VERB"]).shape == (0, 3)


def test_blocks_share_no_text_and_lose_no_pair():
    pairs = np.array([[0, 1], [5, 6], [1, 2], [7, 8], [8, 7], [3, 3]])
    for least in (1, 4, 100):
        found = list(blocks(pairs, 9, least))
        texts = np.concatenate([places for places, _ in found])
        assert sorted(texts.tolist()) == list(range(9))
        numbers = np.concatenate([numbers for _, numbers in found])
        assert sorted(numbers.tolist()) == list(range(6))
        for places, of in found:
            assert set(pairs[of].ravel().tolist()) <= set(places.tolist())
    assert len(list(blocks(pairs, 9, 1))) == 5 and len(list(blocks(pairs, 9, 100))) == 1


def test_every_system_gives_the_same_on_any_order_of_the_texts(sample):
    """Texts and pairs shuffled: the figures stay."""
    profile, found, made = sample
    rng = np.random.default_rng(1)
    task = made[tasks.SUBSTITUTION]
    pairs = task.pairs[rng.choice(len(task.pairs), 12, replace=False)]
    used = np.union1d(pairs, rng.choice(len(task.texts), 8, replace=False))  # and some that no pair needs
    texts, pairs = [task.texts[i] for i in used], np.searchsorted(used, pairs)
    order = rng.permutation(len(texts))
    place = np.argsort(order)
    straight = Task("toy", "toys", "all", tuple(texts), pairs, {}, 12)
    shuffled = Task("toy", "toys", "all", tuple(texts[i] for i in order), place[pairs], {}, 12)
    few = {"method": "gibbs", "dimensions": 5, "iterations": 2, "tokens": 5}
    composers = systems.Composers(profile.replace({"contextual.senses": few}), found, made)
    names = []
    for composer in composers:
        one, other = (composer.similarities(of) for of in (straight, shuffled))
        for name in composer.names:
            np.testing.assert_allclose(one[name], other[name], atol=2e-9)
            names.append(name)
    assert len(set(names)) == len(names) >= 15


# --------------------------------------------------------------------------------------------------------------- board


def fixed(name: str, values, parameters: int = 1, only=None) -> Composer:
    """A system with given similarities."""
    return Composer(
        (name,), "none", lambda texts, pairs: {name: np.asarray(values, dtype=float)[: len(pairs)]}, parameters, 2.0,
        only,
    )  # fmt: skip


RIGHT, WRONG, MIXED = [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]


def board() -> leaderboard.Board:
    playing = (("good", RIGHT, 30), ("bad", WRONG, 10), ("half", MIXED, 20), ("few", RIGHT, 1, ("one",)))
    return leaderboard.play([fixed(*of) for of in playing], {name: toy(name=name) for name in ("one", "two")}, 200, 3)


def test_a_system_plays_where_it_makes_sense():
    found = board()
    assert found.everywhere == ["good", "bad", "half"] and found.systems == ["good", "bad", "half", "few"]
    assert found.best("two").system == "good" and found.runs["half", "one"].value == 0.5


def test_the_order_of_similarities_is_what_tasks_look_at():
    assert leaderboard.ordered(np.array([0.5, -2, 0, 0.25, 0.5, -3])).tolist() == [2, -1, 0, 1, 2, -2]
    assert leaderboard.ordered(np.array([0.5, -2, 0.25])).tolist() == [2, -1, 1]  # none is 0


def test_a_stored_board_gives_every_figure_again(tmp_path, monkeypatch):
    monkeypatch.setenv("CDSM_DATA_CACHE", str(tmp_path))
    monkeypatch.setattr(ledger, "path", ledger.latest)
    board_now, profile = board(), load_profile("sample").replace({"leaderboard.resamples": 200})
    leaderboard.store(board_now, profile)
    read = leaderboard.read_stored(board_now.tasks, profile)
    parts = leaderboard.score_results, leaderboard.rank_results, leaderboard.correlation_results
    for rows in parts:
        assert rows(read) == rows(board_now)
    with pytest.raises(StorageError, match="leaderboard.npz: it was made with other settings"):
        leaderboard.read_stored({"one": toy(name="one")}, profile)


def test_a_figure_comes_with_its_costs_and_its_distance_to_the_best():
    rows = leaderboard.score_results(board())
    by_name = {(r.system, r.split): r for r in rows}
    assert (by_name["half", "two"].parameters, by_name["half", "two"].minutes) == (20, 2.0)
    # half is level when only its good item is drawn
    assert [by_name[system, "one"].behind for system in ("good", "few", "half", "bad")] == [0, 0, 0, 1]
    assert by_name[leaderboard.RANDOM, "one"].value == 0.5 and by_name[leaderboard.RANDOM, "one"].behind is None


def test_who_is_best_and_who_is_level():
    def row(system, value, behind=None):
        return Result(system, "none", "set", tasks.RELPRON, "MAP", value, columns={"behind": behind})

    rows = [row(leaderboard.RANDOM, 0.9), row("a", 0.5, 0.0), row("b", 0.4, -0.01), row("c", 0.3, 0.1)]
    ledger = SimpleNamespace(results=rows)
    expected = {"a": "best", "b": "level", "c": "behind"}
    assert {system: standing for (system, _), standing in leaderboard.standings(ledger).items()} == expected


def test_a_ranking_without_an_order_correlates_with_nothing():
    flat = leaderboard._correlated(np.array([[2.0, 2, 2], [1, 2, 3]]))
    assert flat.tolist() == [[0, 0], [0, pytest.approx(1)]]


def run_of(name: str, task: Task, drawn) -> Run:
    """A run with given resamples."""
    drawn = np.asarray(drawn, dtype=float)
    run = Run(name, "none", task, np.zeros(4), len(drawn))
    run.__dict__.update(value=float(drawn.mean()), resampled=drawn)
    return run


def of_draws(table: dict[tuple[str, str], list[float]]) -> leaderboard.Board:
    made = {task: toy(name=task) for task in dict.fromkeys(task for _, task in table)}
    runs = {(name, task): run_of(name, made[task], drawn) for (name, task), drawn in table.items()}
    return leaderboard.Board(made, runs)


HIGH, LOW, SPREAD = [0.9, 0.91, 0.92], [0.5, 0.51, 0.52], [0.4, 0.9, 1.4]


@pytest.mark.parametrize(
    ("second", "verdict"),
    [((HIGH, LOW), "holds"), ((LOW, HIGH), "fails"), ((SPREAD, HIGH), "undecided")],
)
def test_one_winner(second, verdict):
    found = of_draws({("a", "one"): HIGH, ("b", "one"): LOW, ("a", "two"): second[0], ("b", "two"): second[1]})
    assert leaderboard.one_winner(found).verdict == verdict


def test_addition_near_the_best():
    def claim(word2vec):
        table = {("word2vec add", "one"): word2vec, ("b", "one"): HIGH}
        return verdict_of(leaderboard.addition_is_enough(of_draws(table)))

    assert (claim(HIGH), claim(LOW), claim(SPREAD)) == ("holds", "fails", "undecided")


def test_tasks_that_agree():
    low_to_high = zip("abc", ([0, 0, 0], LOW, HIGH), strict=True)
    same = {(name, task): drawn for name, drawn in low_to_high for task in ("one", "two")}
    assert leaderboard.tasks_agree(of_draws(same)).verdict == "holds"
    turned = same | {("c", "two"): [0, 0, 0], ("a", "two"): HIGH}
    assert leaderboard.tasks_agree(of_draws(turned)).verdict == "fails"


# ------------------------------------------------------------------------------------------------ the committed ledger


@pytest.mark.parametrize("profile", ["full", "sample"])
def test_the_committed_ledger_has_twelve_systems_on_every_task(profile):
    ledger = committed("leaderboard", profile)
    found = leaderboard.scores_of(ledger)
    for task in tasks.NAMES:
        rows = [row for (system, of), row in found.items() if of == task and system != leaderboard.RANDOM]
        assert len(rows) >= 12
        assert all(row.low is not None and row.low <= row.value <= row.high for row in rows)
        assert len({(row.dataset, row.metric, row.n) for row in rows}) == 1  # the same items
        assert len([row for row in rows if leaderboard.standings(ledger)[row.system, task] == "best"]) >= 1
    assert len(ledger.claims) == 3 and all(claim.published == leaderboard.QUESTION for claim in ledger.claims)


def test_a_picture_of_the_committed_ledger():
    ledger = committed("leaderboard")
    rows, panels, options = leaderboard.panels_of(ledger)
    assert tuple(panels) == tasks.NAMES and set(options["reference"][1]) == set(tasks.NAMES)
    assert {system for of in panels.values() for series in of.values() for system in series} == set(rows)
