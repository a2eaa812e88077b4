"""The invariance probe: known values on quadruples small enough to compare by hand, and every bad file."""

from collections import Counter

import numpy as np
import pytest
from tagged_sentences import write_conllu

from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import invariance
from cdsm_lib.tasks.invariance import Probe, Quadruple
from cdsm_lib.text.corpus import Sentence, sentence

TAGS = {word: f"{word}|{tag}" for word, tag in (("thank", "VERB"), ("hug", "VERB"), ("come", "VERB"), ("be", "AUX"))}
TABLE = "id\tverb\tnoun\tkind\nq1\tthank\tthanks\tderived\nq2\thug\thug\tzero\n"
TEXTS = {
    "q1.active": "nurse thank cook",
    "q1.passive": "cook be thank by nurse",
    "q1.nominal": "thanks of cook by nurse come",
    "q1.swapped": "cook thank nurse",
    "q2.active": "aunt hug clown",
    "q2.passive": "clown be hug by aunt",
    "q2.nominal": "hug|NOUN of clown by aunt come",
    "q2.swapped": "clown hug aunt",
}


def written(folder, texts):
    trees = [(name, sentence(" ".join(TAGS.get(word, word) for word in text.split()))) for name, text in texts]
    return write_conllu(folder / "invariance.conllu", trees)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "quadruples.tsv").write_text(TABLE, encoding="utf-8")
    written(tmp_path, TEXTS.items())
    return tmp_path


@pytest.fixture
def quadruples(folder):
    return invariance.load(folder)


def test_load_takes_the_order_of_the_table_not_of_the_parses(folder):
    written(folder, reversed(TEXTS.items()))
    quadruples = invariance.load(str(folder))
    rows = [(q.id, q.verb, q.noun, q.kind) for q in quadruples]
    assert rows == [("q1", "thank", "thanks", "derived"), ("q2", "hug", "hug", "zero")]
    for q in quadruples:
        for form in invariance.FORMS:
            assert " ".join(t.lemma for t in getattr(q, form)) == TEXTS[f"{q.id}.{form}"].replace("|NOUN", "")


# ---------------------------------------------------------------------------------------------------------------- probe


def dice(a: Sentence, b: Sentence) -> float:
    """Share of common lemmas: blind to order."""
    left, right = (Counter(t.lemma for t in s) for s in (a, b))
    return 2 * (left & right).total() / (left + right).total()


def test_a_bag_of_words_is_blind(quadruples):
    probe = invariance.probe(dice, quadruples)
    np.testing.assert_allclose(probe.passive, [6 / 8, 6 / 8])  # 3 lemmas of 3 + 5 in common
    np.testing.assert_allclose(probe.nominal, [4 / 9, 6 / 9])  # 2 of 3 + 6; the zero noun has the verb's lemma
    np.testing.assert_allclose(probe.swapped, [1, 1])
    np.testing.assert_allclose(probe.unrelated, [0, 0])
    assert probe.passive.dtype == np.float64
    assert probe.invariance == probe.wins("nominal").mean() == 0
    assert probe.means == pytest.approx({"passive": 0.75, "nominal": 5 / 9, "swapped": 1, "unrelated": 0})


def test_unrelated_is_the_next_active_sentence_and_the_active_comes_first(quadruples):
    three = (*quadruples, Quadruple("q3", "thank", "thanks", "derived", *map(sentence, ["a", "b", "c", "d"])))
    pairs = []
    invariance.probe(lambda a, b: pairs.append((a, b)) or 0.0, three)
    assert [a for a, _ in pairs] == [q.active for q in three for _ in range(4)]
    assert [b for _, b in pairs[3::4]] == [three[1].active, three[2].active, three[0].active]
    assert [b for _, b in pairs[:3]] == [three[0].passive, three[0].nominal, three[0].swapped]


def test_ties_are_taken_within_the_tolerance():
    """As between sums of the same vectors in another order: some cosines differ in their last digits."""
    passive, swapped = np.array([0.9, 0.5, 0.3, 0.2]), np.array([0.8, 0.5 + 1e-7, 0.4, 0.2])
    probe = Probe(passive, swapped, swapped, np.zeros(4))
    assert probe.wins("passive").tolist() == [1, 0.5, 0, 0.5] and probe.invariance == 0.5
    assert probe.wins("nominal").tolist() == [0.5] * 4


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_similarity_must_be_finite(quadruples, value):
    with pytest.raises(TaskError, match=r"the similarities of q1\.active are .*'swapped': (nan|inf)"):
        invariance.probe(lambda a, b: value if b is quadruples[0].swapped else 0.0, quadruples)


# ------------------------------------------------------------------------------------------------------------ bad files


@pytest.mark.parametrize(("row", "line", "problem"), [
    ("q3\tgreet\t\tderived", 4, "4 fields"),
    ("q1\tgreet\tgreeting\tderived", 4, "id 'q1' stands already in line 2"),
    ("q3\tgreet\tgreeting\tother", 4, "kind must be one of derived, zero, found 'other'"),
])  # fmt: skip
def test_bad_tables_name_file_line_and_problem(folder, row, line, problem):
    (folder / "quadruples.tsv").write_text(f"{TABLE}{row}\n", encoding="utf-8")
    with pytest.raises(TaskError, match=rf"^quadruples\.tsv, line {line}: .*{problem}"):
        invariance.load(folder)


@pytest.mark.parametrize(("name", "text", "problem"), [
    ("q1.swapped", "cook thank aunt", r"q1\.swapped must have the lemmas of the active"),
    ("q1.swapped", "cook thank nurse nurse", "each as often"),
    ("q1.swapped", "nurse thank cook", "exchange agent and patient"),
    ("q1.passive", "cook be hug by nurse", r"q1\.passive lacks thank\|VERB"),
    ("q2.nominal", "aunt hug clown", r"q2\.nominal lacks hug\|NOUN"),
    ("q9.active", "nurse thank cook", r"'q9\.active' is not in quadruples\.tsv"),
])  # fmt: skip
def test_bad_sentences_name_file_and_problem(folder, name, text, problem):
    written(folder, (TEXTS | {name: text}).items())
    with pytest.raises(TaskError, match=rf"^invariance\.conllu: .*{problem}"):
        invariance.load(folder)
