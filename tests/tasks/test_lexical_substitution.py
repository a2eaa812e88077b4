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


NAN = np.nan


@pytest.mark.parametrize(("scores", "expected"), [
    # every pair of places of the right ones
    ((4, 3, 2, 1), 1), ((4, 2, 3, 1), (1 + 2 / 3) / 2), ((4, 1, 3, 2), (1 + 2 / 4) / 2),
    ((3, 2, 4, 1), (1 / 2 + 2 / 3) / 2), ((3, 1, 4, 2), (1 / 2 + 2 / 4) / 2), ((2, 1, 4, 3), (1 / 3 + 2 / 4) / 2),
    # ties: any of six orders; the second right one is 2nd or 3rd; each of two is 1st or 2nd, 3rd or 4th
    ((0, 0, 0, 0), 49 / 72), ((2, 1, 1, 0), (1 + 5 / 6) / 2), ((1, 0, 1, 0), (5 / 6 + 3 / 4 + 7 / 12 + 1 / 2) / 4),
    # a missing candidate is tied last: R found, the other one is 2nd, 3rd or 4th; I found: places 23, 24, 34
    ((0.1, NAN, NAN, NAN), 31 / 36), ((NAN, NAN, -3, NAN), (7 / 12 + 1 / 2 + 5 / 12) / 3), ((NAN,) * 4, 49 / 72),
    ((-5, -6, NAN, NAN), 1), ((NAN, NAN, -5, -6), 5 / 12), ((0.3, NAN, 0.2, NAN), (5 / 6 + 3 / 4) / 2),
])  # fmt: skip
def test_average_precision_by_hand(scores, expected):
    rows = np.array([scores], dtype=float)
    assert ls.score(rows, task_of(0))[0] == pytest.approx(expected, abs=1e-15)
    np.testing.assert_array_equal(rows, [scores])  # left as they are
    assert ls.random_map() == pytest.approx(49 / 72, abs=1e-15)


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
