"""Lexical substitution: average precision with ties and missing candidates, by position. Loading is tested with the
construction, whose sentences it shares."""

import numpy as np
import pytest

from cdsm_lib.labels import Labels
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import lexical_substitution as ls
from cdsm_lib.tasks.lexical_substitution import Item, Phrase, Substitution
from cdsm_lib.tasks.task import Vocabulary


def task_of(*positions: int) -> Substitution:
    words = ("young|ADJ", "cook|NOUN", "buy|VERB", "old|ADJ", "cheese|NOUN")
    phrase = Phrase("s", words, words, (0, 1, 2, 3, 4))
    candidates = ("a|NOUN", "b|NOUN"), ("c|NOUN", "d|NOUN")
    items = [Item(str(i), phrase, position, *candidates) for i, position in enumerate(positions)]
    return Substitution("made up", tuple(items))


def one(*scores: float) -> float:
    return ls.score([scores], task_of(0))[0]


@pytest.mark.parametrize(
    "first, second, expected",
    [(1, 2, 1), (1, 3, 0.8333), (1, 4, 0.75), (2, 3, 0.5833), (2, 4, 0.5), (3, 4, 0.4167)],
)
def test_ap_of_every_pair_of_places(first, second, expected):
    wrong = [place for place in (1, 2, 3, 4) if place not in (first, second)]
    assert one(-first, -second, -wrong[0], -wrong[1]) == pytest.approx(expected, abs=5e-5)


def test_random_is_the_mean_over_all_places_and_the_value_of_a_tie():
    assert ls.random_map() == pytest.approx(49 / 72, abs=1e-15)
    assert one(0, 0, 0, 0) == pytest.approx(49 / 72, abs=1e-15)


def test_missing_candidates_are_tied_last():
    nan = np.nan
    # R found: first; the other one is 2nd, 3rd or 4th: (1 + 5/6 + 3/4) / 3
    assert one(0.1, nan, nan, nan) == pytest.approx(31 / 36, abs=1e-15) == pytest.approx(0.8611, abs=5e-5)
    # I found: places 23, 24, 34 for the right ones: (7/12 + 1/2 + 5/12) / 3
    assert one(nan, nan, -3, nan) == pytest.approx(0.5, abs=1e-15)
    assert one(nan, nan, nan, nan) == pytest.approx(49 / 72, abs=1e-15)
    assert one(-5, -6, nan, nan) == 1  # however low a score, what is missing comes after it
    assert one(nan, nan, -5, -6) == pytest.approx(5 / 12, abs=1e-15)
    assert one(0.3, nan, 0.2, nan) == pytest.approx((5 / 6 + 3 / 4) / 2, abs=1e-15)


def test_ties_have_their_expectation():
    assert one(2, 1, 1, 0) == pytest.approx((1 + 5 / 6) / 2, abs=1e-15)  # the second right one is 2nd or 3rd
    assert one(1, 0, 1, 0) == pytest.approx((5 / 6 + 3 / 4 + 7 / 12 + 1 / 2) / 4, abs=1e-15)


def test_a_task_is_the_phrase_against_its_four_replacements():
    words = ("young|ADJ", "cook|NOUN", "buy|VERB", "old|ADJ", "cheese|NOUN")
    items = task_of(4, 0)
    task = ls.task(items, Vocabulary(Labels([*words, "a|NOUN"])))
    assert task.pairs.tolist() == [[0, 1], [0, 2], [0, 3], [0, 4], [5, 6], [5, 7], [5, 8], [5, 9]]
    assert [text.words for text in task.texts[:3]] == [words, (*words[:4], "a|NOUN"), (*words[:4], None)]
    assert [text.target for text in task.texts[4:6]] == [4, 0]
    assert task.texts[0].heads == (1, 2, -1, 4, 2)
    assert {arc.relation for arc in task.texts[0].arcs} >= {"amod", "nsubj"}
    assert task.units.tolist() == [0, 0] and task.labels["position"].tolist() == ["object", "subject modifier"]
    right, wrong = [4, 3, 2, 1], [1, 2, np.nan, 4]
    similarity = np.array([*right, *wrong])
    np.testing.assert_allclose(task.scores("a system", "a space", similarity).values, [1, (1 / 2 + 2 / 3) / 2])
    assert task.value(similarity) == pytest.approx((1 + 7 / 12) / 2)


@pytest.mark.parametrize(
    ("scores", "items", "message"),
    [
        ([[1, 2, 3]], task_of(0), "expected one row of 4 for 1 items"),
        ([[1, 2, 3, np.inf]], task_of(0), "infinite"),
        (np.empty((0, 4)), task_of(), "nothing to score"),
    ],
)
def test_bad_scores(scores, items, message):
    with pytest.raises(TaskError, match=message):
        ls.score(scores, items)


def test_scores_are_left_as_they_are():
    scores = np.array([[1, np.nan, 2, 3]])
    ls.score(scores, task_of(0))
    assert np.isnan(scores[0, 1])
