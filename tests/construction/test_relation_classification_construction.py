"""How the sets of relation classification are made: labels and their agreement, and both sets of sentences."""

import pytest
from marked_sentences import conllu, sentence, written

from cdsm_lib.composition.overlap import content_lemmas
from cdsm_lib.construction import relation_classification as construction
from cdsm_lib.construction.relation_classification import Agreement, Label
from cdsm_lib.tables import TaskError

# ------------------------------------------------------------------------------------------------------------- labels


HEADER = "line\trelation\tpair\tfirst\tsecond\tlabel"


def label_file(tmp_path, *rows: str, name="relations.tsv", header=HEADER):
    return written(tmp_path / name, header, *(row.replace(";", "\t") for row in rows))


def test_labels_and_lives_are_read(tmp_path):
    path = label_file(tmp_path, "7;acquires;Acorn/Walnut;1;0;1", "3;was born in;Ada/Leeds;0;0;0")
    assert construction.read_labels(path) == [
        Label(7, "acquires", "Acorn/Walnut", True, False, True),
        Label(3, "was born in", "Ada/Leeds", False, False, False),
    ]
    header = "sent_id\trelation\tplace\tfirst\tsecond\tlabel"
    path = label_file(tmp_path, "birth-1-1;birth;York;birth;both;neither", name="google_re.tsv", header=header)
    assert construction.read_lives(path) == [Label("birth-1-1", "birth", "York", "birth", "both", "neither")]


def test_agreement_by_hand():
    rows = [("A/B", 1, 1, 1), ("A/B", 1, 0, 1), ("A/B", 0, 0, 0), ("A/B", 0, 0, 1), ("C/D", 1, 1, 1), ("C/D", 1, 1, 1)]
    relation = {"A/B": "acquires", "C/D": "was born in"}
    found = construction.agreement([Label(0, relation[pair], pair, *map(bool, passes)) for pair, *passes in rows])
    assert list(found) == ["overall", "acquires", "was born in", "A/B", "C/D"]
    # 3 of 4 agree; by chance 1/2 1/4 + 1/2 3/4 = 1/2
    assert found["A/B"] == found["acquires"] == Agreement(4, 0.75, 0.5, adjudicated=1, expressing=3)
    assert found["C/D"] == Agreement(2, 1.0, None, adjudicated=0, expressing=2)
    # 5 of 6; by chance 4/6 3/6 + 2/6 3/6 = 1/2
    assert (found["overall"].kappa, found["overall"].sentences) == (pytest.approx(2 / 3), 6)
    passes = [("birth", "birth"), ("birth", "both"), ("death", "death"), ("neither", "death")]
    labels = [Label(str(i), "birth", "Leeds", *both, both[0]) for i, both in enumerate(passes)]
    # 2 of 4 agree; by chance 1/2 1/4 for births and 1/4 1/2 for deaths
    expected = Agreement(4, 0.5, pytest.approx(1 / 3), adjudicated=2, expressing=2)
    assert construction.agreement(labels, "birth")["Leeds"] == expected


# --------------------------------------------------------------------------------------------------------------- sets


def test_births_and_deaths_of_one_place_with_the_person_blanked_out(tmp_path):
    texts = {"d1": "Ada/1 died in York/2", "b1": "she/1 was born in York/2", "b2": "Bo/1 Lee/1 left York/2",
             "b3": "Ida/1 , born in Leeds/2"}  # fmt: skip
    path = written(tmp_path / "google_re.conllu", conllu(texts))
    of = {"d1": ("York", "death"), "b1": ("York", "birth"), "b2": ("York", "neither"), "b3": ("Leeds", "birth")}
    labels = [Label(own, "birth", place, label, label, label) for own, (place, label) in of.items()]
    relations = construction.births_and_deaths(path, labels)
    assert [(pair.relation, pair.name, pair.ids, pair.expresses.tolist()) for pair in relations] == [
        ("was born in", "Leeds", ("b3",), [True]),
        ("was born in", "York", ("d1", "b1"), [False, True]),
    ]
    assert [token.lemma for token in relations.pairs[1].sentences[0]] == ["_", "died", "in", "york"]
    assert relations.usable == () and relations.fewest == construction.FEWEST_FURTHER
    with pytest.raises(TaskError, match=r"google_re.conllu: 1 labelled sentences, the first x9, are not there"):
        construction.births_and_deaths(path, [*labels, Label("x9", "birth", "York", *["birth"] * 3)])


BANKO = {"1": "Acorn/1 buys Walnut/2", "2": "Ada/1 left Leeds/2 early", "3": "nothing of Acorn/1 or Walnut/2",
         "5": "Walnut/2 goes to Acorn/1"}  # fmt: skip


def banko_labels():
    rows = [(2, "was born in", "Ada/Leeds", 0), (5, "acquires", "Acorn/Walnut", 1), (1, "acquires", "Acorn/Walnut", 1)]
    return [Label(line, relation, pair, True, True, bool(final)) for line, relation, pair, final in rows]


def test_from_banko_joins_labels_and_parses(tmp_path):
    path = written(tmp_path / "relation.conllu", conllu(BANKO))
    relations = construction.from_banko(path, banko_labels())
    assert relations.name == "relation_banko2008"
    assert [(pair.relation, pair.name, pair.ids) for pair in relations] == [
        ("acquires", "Acorn/Walnut", ("1", "5")), ("was born in", "Ada/Leeds", ("2",)),
    ]  # fmt: skip
    assert [token.form for token in relations.pairs[0].sentences[1]] == ["Walnut", "goes", "to", "Acorn"]
    assert relations.pairs[1].expresses.tolist() == [False]
    with pytest.raises(TaskError, match=r"relation.conllu: 1 labelled sentences, the first 4, are not there"):
        construction.from_banko(path, [*banko_labels(), Label(4, "acquires", "Acorn/Walnut", True, True, True)])


def test_without_entities_blanks_both_names_and_keeps_the_tree():
    given = sentence("Acorn/1 buys Walnut/2")
    blank = construction.without_entities(given)
    assert [token.lemma for token in blank] == ["_", given.tokens[1].lemma, "_"]
    assert [token.head for token in blank] == [token.head for token in given]
    assert content_lemmas(blank) == content_lemmas(given)[1:2]
