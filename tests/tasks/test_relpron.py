"""RELPRON: the format, the counts of the paper, coverage, and every view on a set small enough to rank by hand."""

import numpy as np
import pytest

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import relpron
from cdsm_lib.tasks.relpron import Property, RelPron
from cdsm_lib.vectors.space import Space

LINES = """SBJ kitten_N: animal_N that chase_V yarn_N
OBJ kitten_N: animal_N that family_N adopt_V
SBJ parrot_N: animal_N that mimic_V speech_N
OBJ ladder_N: tool_N that painter_N climb_V
OBJ ladder_N: tool_N that kitten_N fear_V
"""
ITEMS = RelPron(tuple(map(relpron.parse_line, LINES.splitlines())), "dev", "tiny")
SIMILARITY = np.array(  # kitten, parrot, ladder x the five properties
    [
        [0.9, 0.3, 0.5, 0.1, 0.8],  # own: ranks 1 and 4 -> AP (1 + 2/4) / 2 = .75
        [0.6, 0.2, 0.4, 0.1, 0.1],  # own: rank 2 -> .5
        [0.1, 0.2, 0.3, 0.8, 0.9],  # own: ranks 1 and 2 -> 1
    ]
)
NAN = np.nan


def test_read_keeps_order_and_roles(tmp_path):
    (tmp_path / "tiny.dev").write_text(LINES, encoding="utf-8")
    items = relpron.read(tmp_path / "tiny.dev")
    assert items == ITEMS and relpron.load(tmp_path / "tiny.dev", "test").split == "test"
    assert items.terms == ("kitten", "parrot", "ladder") and items.head_of == ("animal", "animal", "tool")
    assert items.items[1] == Property("kitten", "animal", "OBJ", "adopt", "family")
    assert str(items.items[4]) == "ladder: tool that kitten fear"
    assert items.relevant.sum(axis=1).tolist() == [2, 1, 2]
    assert relpron.counts(items) == {"properties": 5, "terms": 3, "head nouns": 2, "SBJ": 2, "OBJ": 3}


@pytest.mark.parametrize(("line", "problem"), [
    ("SBJ kitten_N: animal_N that chase_V", "expected .SBJ term_N"), ("", "expected .SBJ term_N"),
    ("SUBJ kitten_N: animal_N that chase_V yarn_N", "expected .SBJ term_N"),
    ("SBJ kitten_N: animal_N that yarn_N chase_V", "SBJ term_N: head_N that verb_V argument_N"),
    ("OBJ kitten_N: animal_N that chase_V yarn_N", "OBJ term_N: head_N that argument_N verb_V"),
    ("SBJ kitten_N: animal_N which chase_V yarn_N", "that"),
    ("SBJ kitten_N: Animal_N that chase_V yarn_N", "lower case"),
    ("SBJ kitten_N: animal_N that chase_V yarn_N", "already in line 1"),
    ("SBJ kitten_N: tool_N that chase_V rat_N", "head noun"),
])  # fmt: skip
def test_bad_lines_name_file_line_and_problem(tmp_path, line, problem):
    path = tmp_path / "bad.dev"
    path.write_text(LINES + line + "\n", encoding="utf-8")
    with pytest.raises(TaskError, match=rf"^bad\.dev, line 6: .*{problem}"):
        relpron.read(path)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: relpron.load("relpron", "train"), "unknown split"),
        (lambda: relpron.load("no_such_set", "dev"), "no_such_set"),
        (lambda: relpron.validate(ITEMS), "the paper has"),
        (lambda: relpron.score(np.where(SIMILARITY == 0.9, NAN, SIMILARITY), ITEMS), "kitten.*NaN"),
        (lambda: relpron.score(SIMILARITY.T, ITEMS), r"\(3, 5\)"),
        (lambda: relpron.score(np.full((3, 5), NAN), ITEMS), "nothing to rank"),
        (lambda: relpron.score(np.vstack([SIMILARITY[:2], [[NAN] * 5]]), ITEMS), "no vector for the terms ladder"),
        (lambda: relpron.score(SIMILARITY, ITEMS, missing_terms="zero"), "'error' or 'omit', got 'zero'"),
        (lambda: relpron.cosines([[np.inf, 1]], [[1, 1]]), "NaN or infinity"),
    ],
)
def test_refusals(call, problem):
    with pytest.raises(ValueError, match=problem):
        call()


def test_words_are_looked_up_and_what_is_missing_is_listed():
    every = relpron.vocabulary(ITEMS)
    assert relpron.coverage(ITEMS, every) == "3/3 terms, 5/5 properties whole"
    lacking = {"parrot|NOUN", "yarn|NOUN", "tool|NOUN", "painter|NOUN", "climb|VERB"}
    rows = [word for word in every if word not in lacking]
    space = Space(rows, np.arange(1.0, 2 * len(rows) + 1).reshape(-1, 2))
    words = relpron.look_up(ITEMS, space)
    assert words.coverage == relpron.coverage(ITEMS, rows)
    sizes, missing = words.coverage.split("; ")
    assert sizes == "2/3 terms, 2/5 properties whole, 1 without any word"
    assert missing == "no vector: parrot|NOUN, climb|VERB, painter|NOUN, tool|NOUN, yarn|NOUN"
    assert words.argument[0].tolist() == [0, 0] and words.known["argument"].tolist() == [False, True, True, False, True]
    assert words.term[0].tolist() == words.argument[4].tolist() == space["kitten|NOUN"].tolist()


TASK = relpron.task(ITEMS)
QUERIES = relpron.queries(TASK, ITEMS)


def without(*, term=None, item=None) -> np.ndarray:
    """The similarities without the vector of one term or property."""
    similarity = SIMILARITY.copy()
    similarity[term if item is None else slice(None), slice(None) if item is None else item] = NAN
    return similarity


@pytest.mark.parametrize(
    ("task", "metric", "similarity", "expected"),
    [
        (TASK, "MAP", SIMILARITY, [0.75, 0.5, 1]),
        (TASK, "MAP", without(term=1), [0.75, 1]),
        (TASK, "MAP", without(item=0), [(1 / 3 + 2 / 5) / 2, 1, 1]),  # ranked last
        (TASK, "MAP SBJ", SIMILARITY, [1, 0.5]),
        (TASK, "MAP OBJ", SIMILARITY, [0.5, 1]),
        (TASK, relpron.WITHIN, SIMILARITY, [(1 + 2 / 3) / 2, 0.5, 1]),
        # kitten first; kitten first; parrot second (kitten .5 above); ladder first; ladder first
        (QUERIES, "mean rank of the term", SIMILARITY, [1, 1, 2, 1, 1]),
        (QUERIES, "MRR of properties", SIMILARITY, [1, 1, 0.5, 1, 1]),
        (QUERIES, "mean rank of the term", without(term=0), [1, 1, 1]),
        (QUERIES, "mean rank of the term", without(item=1), [1, 2, 1, 1]),
    ],
)
def test_measures_by_hand(task, metric, similarity, expected):
    scores = task.scores("a system", "a space", similarity, metric)
    np.testing.assert_allclose(scores.values, expected, atol=1e-7)
    assert (scores.dataset, scores.split, scores.metric) == ("tiny", "dev", metric)
    if task is QUERIES:
        assert len(scores.groups) == len(expected)
    elif len(expected) == 3:
        assert scores.labels["head"].tolist() == ["animal", "animal", "tool"]


def test_pairs_are_of_terms_that_both_rank_for():
    scores = [relpron.score(without(term=i), ITEMS, missing_terms="omit") for i in (0, 1)]
    assert [values.tolist() for values in relpron.paired(*scores)] == [[1], [1]]
    with pytest.raises(TaskError, match="share no term"):
        relpron.paired(scores[0].where(term="parrot"), scores[1])


def test_texts_are_clauses():
    first, second = TASK.texts[3:5]
    assert first.words == ("animal|NOUN", None, "chase|VERB", "yarn|NOUN") and first.heads == (2, 2, -1, 2)
    assert second.words == ("animal|NOUN", None, "family|NOUN", "adopt|VERB") and second.heads == (3, 3, 3, -1)
    assert {arc.relation for arc in first.arcs} >= {"nsubj", "obj"}
    assert TASK.pairs[:6].tolist() == [[0, 3], [0, 4], [0, 5], [0, 6], [0, 7], [1, 3]]


def test_lexical_confounders():
    misled = relpron.lexical_confounders(SIMILARITY, ITEMS)
    assert [(term, str(item)) for term, item in misled.pairs] == [("kitten", "ladder: tool that kitten fear")]
    assert misled.rank.tolist() == [2]
    assert misled[2:] == pytest.approx(((3 + 5) / 2, 0.75, (1 + 2 / 3) / 2))


def test_plausible_positives():
    ((term, item, rank),) = relpron.plausible_positives(SIMILARITY, ITEMS)
    assert (term, str(item), rank) == ("parrot", "kitten: animal that chase yarn", 1.0)


def test_vectors_equal_but_for_rounding_tie():
    rng = np.random.default_rng(0)
    terms, properties = rng.normal(size=(5, 200)), np.repeat(rng.normal(size=(7, 200)), 2, axis=0)
    properties[::2] *= 1 + 1e-12
    properties[::2, ::3] += 1e-13
    cosines = relpron.cosines(terms, properties)
    assert (cosines[:, ::2] == cosines[:, 1::2]).all() and len(np.unique(cosines)) == 35
    np.testing.assert_allclose(relpron.cosines([[1, 0], [1, 1]], [[3, 4]]), [[0.6], [7 / np.sqrt(50)]], atol=1e-9)


@pytest.fixture
def real(mirror):
    return [relpron.read(mirror / "relpron" / f"relpron.{split}") for split in ("dev", "test")]


def test_the_papers_counts(real):
    relpron.validate(*real)  # properties, terms, head nouns, functions (Table 4)
    fewer = RelPron((*real[1].items[:-1], real[0].items[0]), "test", "relpron")
    for wrong in ([RelPron(real[0].items[:-1], "dev", "relpron")], [real[0], fewer]):
        with pytest.raises(TaskError, match="the paper has"):
            relpron.validate(*wrong)
    assert [relpron.load("relpron", split) for split in ("dev", "test")] == real
    assert [round(relpron.random_map(items), 4) for items in real] == [0.0265, 0.0240]
