"""RELPRON: the format, the counts of the paper, coverage, and every view on a set small enough to rank by hand."""

import json

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.evaluation import metrics
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
SIMILARITY = np.array(  # kitten, parrot, ladder x the five properties
    [
        [0.9, 0.3, 0.5, 0.1, 0.8],  # own: ranks 1 and 4 -> AP (1 + 2/4) / 2 = .75
        [0.6, 0.2, 0.4, 0.1, 0.1],  # own: rank 2 -> .5
        [0.1, 0.2, 0.3, 0.8, 0.9],  # own: ranks 1 and 2 -> 1
    ]
)


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "tiny.dev"
    path.write_text(LINES, encoding="utf-8")
    return relpron.read(path)


def test_read_keeps_order_and_roles(task):
    assert task.terms == ("kitten", "parrot", "ladder") and task.head_of == ("animal", "animal", "tool")
    assert task.head_nouns == ("animal", "tool") and (task.split, task.name) == ("dev", "tiny")
    assert task.items[0] == Property("kitten", "animal", "SBJ", "chase", "yarn")
    assert task.items[1] == Property("kitten", "animal", "OBJ", "adopt", "family")
    assert str(task.items[4]) == "ladder: tool that kitten fear"
    assert task.relevant.sum(axis=1).tolist() == [2, 1, 2]
    assert relpron.counts(task) == {"properties": 5, "terms": 3, "head nouns": 2, "SBJ": 2, "OBJ": 3}


def test_write_and_read_again(task, tmp_path):
    relpron.write(task, tmp_path / "again.test")
    assert relpron.read(tmp_path / "again.test").items == task.items
    assert (tmp_path / "again.test").read_text() == LINES
    assert relpron.load(tmp_path / "again.test", "test").split == "test"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["again.test", "tiny.dev"]


@pytest.mark.parametrize(
    "line, problem",
    [
        ("SBJ kitten_N: animal_N that chase_V", "expected .SBJ term_N"),
        ("", "expected .SBJ term_N"),
        ("SUBJ kitten_N: animal_N that chase_V yarn_N", "expected .SBJ term_N"),
        ("SBJ kitten_N: animal_N that yarn_N chase_V", "SBJ term_N: head_N that verb_V argument_N"),
        ("OBJ kitten_N: animal_N that chase_V yarn_N", "OBJ term_N: head_N that argument_N verb_V"),
        ("SBJ kitten_N: animal_N that chase_V yarn_J", "argument_N"),
        ("SBJ kitten: animal_N that chase_V yarn_N", "term_N"),
        ("SBJ kitten_N animal_N that chase_V yarn_N", "that"),
        ("SBJ kitten_N: animal_N which chase_V yarn_N", "that"),
        ("SBJ kitten_N: Animal_N that chase_V yarn_N", "lower case"),
        ("SBJ kitten_N: animal_N that chase_V yarn_N", "already in line 1"),
        ("SBJ kitten_N: tool_N that chase_V rat_N", "head noun"),
    ],
)
def test_bad_lines_name_file_line_and_problem(tmp_path, line, problem):
    path = tmp_path / "bad.dev"
    path.write_text(LINES + line + "\n", encoding="utf-8")
    with pytest.raises(TaskError, match=problem) as caught:
        relpron.read(path)
    assert (caught.value.path, caught.value.line) == ("bad.dev", 6)
    assert str(caught.value).startswith("bad.dev, line 6: ")


def test_bad_names_and_counts(task):
    with pytest.raises(TaskError, match="unknown split"):
        relpron.load("relpron", "train")
    with pytest.raises(ValueError, match="no_such_set"):
        relpron.load("no_such_set", "dev")
    with pytest.raises(TaskError, match="the paper has"):
        relpron.validate(task)


def test_slipping_takes_the_vector_of_slip():
    assert relpron.label("slipping", "NOUN") == "slip|NOUN"


def test_coverage_lists_what_is_missing(task):
    rows = set(relpron.vocabulary(task)) - {"parrot|NOUN", "yarn|NOUN"} - {"tool|NOUN", "painter|NOUN", "climb|VERB"}
    coverage = relpron.coverage(task, rows)
    assert coverage.missing_terms == ("parrot|NOUN",)
    assert coverage.missing_words == ("climb|VERB", "painter|NOUN", "tool|NOUN", "yarn|NOUN")
    assert (coverage.partial_properties, coverage.empty_properties) == (2, 1)
    assert str(coverage) == (
        "2/3 terms, 2/5 properties whole, 1 without any word; "
        "no vector: parrot|NOUN, climb|VERB, painter|NOUN, tool|NOUN, yarn|NOUN"
    )
    assert str(relpron.coverage(task, set(relpron.vocabulary(task)))) == "3/3 terms, 5/5 properties whole"


def test_look_up_marks_missing_words(task):
    rows = [word for word in relpron.vocabulary(task) if word != "yarn|NOUN"]
    space = Space(rows, np.arange(1.0, 2 * len(rows) + 1).reshape(-1, 2))
    words = relpron.look_up(task, space)
    assert words.argument[0].tolist() == [0, 0]
    assert words.known["argument"].tolist() == [False, True, True, True, True]
    assert words.term[0].tolist() == words.argument[4].tolist() == space["kitten|NOUN"].tolist()
    assert words.coverage.missing_words == ("yarn|NOUN",)


def test_map_by_hand(task):
    scores = relpron.score(SIMILARITY, task)
    np.testing.assert_allclose(scores.ap, [0.75, 0.5, 1])
    assert scores.map == pytest.approx(0.75)
    assert scores.terms == task.terms and scores.omitted == ()
    assert scores.of("parrot") == 0.5


def test_by_head_noun_full_and_restricted(task):
    full = relpron.by_head_noun(SIMILARITY, task)
    assert {head: ap.tolist() for head, ap in full.items()} == {"animal": [0.75, 0.5], "tool": [1]}
    restricted = relpron.by_head_noun(SIMILARITY, task, restricted=True)
    np.testing.assert_allclose(restricted["animal"], [(1 + 2 / 3) / 2, 0.5])


def test_top_share(task):
    np.testing.assert_allclose(relpron.top_ten_share(SIMILARITY, task, k=2), [0.5, 1, 1])


def test_properties_as_queries(task):
    # columns: kitten first; kitten first; parrot second (kitten .5 above); ladder first; ladder first
    reciprocal, rank = relpron.property_queries(SIMILARITY, task)
    assert rank.tolist() == [1, 1, 2, 1, 1] and reciprocal.tolist() == [1, 1, 0.5, 1, 1]


def test_lexical_confounders(task):
    misled = relpron.lexical_confounders(SIMILARITY, task)
    assert [(term, str(item)) for term, item in misled.pairs] == [("kitten", "ladder: tool that kitten fear")]
    assert misled.rank.tolist() == [2]
    maps = misled.mean_rank_others, misled.map_confounded, misled.map_without
    assert maps == pytest.approx(((3 + 5) / 2, 0.75, (1 + 2 / 3) / 2))


def test_plausible_positives(task):
    plausible = relpron.plausible_positives(SIMILARITY, task)
    assert [(c.term, str(c.item), c.rank) for c in plausible] == [("parrot", "kitten: animal that chase yarn", 1.0)]
    assert relpron.plausible_positives(SIMILARITY, task, same_head=False) == plausible


@pytest.mark.parametrize(
    ("similarity", "problem"),
    [
        (np.where(SIMILARITY == 0.9, np.nan, SIMILARITY), "kitten.*NaN"),
        (SIMILARITY.T, r"\(3, 5\)"),
        (np.full((3, 5), np.nan), "nothing to rank"),
    ],
)
def test_stray_nan_and_wrong_shape(task, similarity, problem):
    with pytest.raises(TaskError, match=problem):
        relpron.score(similarity, task)


def test_random_map_is_that_of_an_all_tied_ranking(task):
    assert relpron.random_map(task) == pytest.approx(relpron.score(np.zeros((3, 5)), task).map, abs=1e-12)
    assert relpron.random_map(task) == pytest.approx(
        np.mean([metrics.random_average_precision(5, r) for r in (2, 1, 2)])
    )


def test_vectors_equal_but_for_rounding_tie():
    rng = np.random.default_rng(0)
    terms, properties = rng.normal(size=(5, 200)), np.repeat(rng.normal(size=(7, 200)), 2, axis=0)
    properties[::2] *= 1 + 1e-12
    properties[::2, ::3] += 1e-13
    cosines = relpron.cosines(terms, properties)
    assert (cosines[:, ::2] == cosines[:, 1::2]).all() and len(np.unique(cosines)) == 35


def test_cosines_by_hand():
    np.testing.assert_allclose(relpron.cosines([[1, 0], [1, 1]], [[3, 4]]), [[0.6], [7 / np.sqrt(50)]], atol=1e-9)
    assert np.isnan(relpron.cosines([[0, 0]], [[1, 1]])).all()
    with pytest.raises(ValueError, match="NaN or infinity"):
        relpron.cosines([[np.inf, 1]], [[1, 1]])


@pytest.fixture
def real(mirror):
    return [relpron.read(mirror / "relpron" / f"relpron.{split}") for split in ("dev", "test")]


def test_the_papers_counts(real):
    relpron.validate(*real)  # properties, terms, head nouns, functions (Table 4)
    with pytest.raises(TaskError, match="the paper has"):
        relpron.validate(RelPron(real[0].items[:-1], "dev", "relpron"))
    fewer = RelPron((*real[1].items[:-1], real[0].items[0]), "test", "relpron")
    with pytest.raises(TaskError, match="the paper has"):
        relpron.validate(real[0], fewer)
    assert [relpron.load("relpron", split) for split in ("dev", "test")] == real
    assert [round(relpron.random_map(task), 4) for task in real] == [0.0265, 0.0240]


def test_table_3_recounted(real):
    path = datasets.data_root() / "published" / "rimell2016_table3.json"
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"]
    for task, split in zip(real, ("development", "test"), strict=True):
        heads = [item.head for item in task.items]
        assert {head: [task.head_of.count(head), heads.count(head)] for head in task.head_nouns} == rows[split]


def test_the_files_are_written_as_they_were_read(real, mirror, tmp_path):
    for task in real:
        relpron.write(task, tmp_path / "copy")
        original = (mirror / "relpron" / f"relpron.{task.split}").read_text(encoding="utf-8")
        assert (tmp_path / "copy").read_text(encoding="utf-8").split() == original.split()
