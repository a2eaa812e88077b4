"""WordNet: senses in its order, keys, glosses and neighbours."""

import pytest

from cdsm_lib import datasets
from cdsm_lib.text import wordnet


@pytest.fixture
def real(mirror):
    """WordNet itself."""
    try:
        datasets.wordnet()
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet: {error}")


def test_senses_stand_in_wordnets_order(real):
    assert wordnet.senses_of("bank|NOUN")[:2] == ("bank.n.01", "depository_financial_institution.n.01")
    assert wordnet.senses_of("bank|VERB")[0] == "bank.v.01"
    assert "late.s.02" in wordnet.senses_of("recent|ADJ")  # a satellite
    assert wordnet.senses_of("friday|PROPN") == ("friday.n.01",)
    assert wordnet.senses_of("primary election|NOUN") == wordnet.senses_of("primary_election|NOUN") != ()


@pytest.mark.parametrize("word", ["bank", "|NOUN", "bank|"])
def test_what_is_no_label_is_refused(word):
    with pytest.raises(ValueError, match=r"lemma\|POS"):
        wordnet.senses_of(word)


def test_keys(real):
    assert wordnet.synset_of_key("bank%1:17:01::") == "bank.n.01"
    assert wordnet.synset_of_key("recent%5:00:00:past:00") == "late.s.02"
    plain = wordnet.synset_of_key("several%5:00:00:some:00")
    assert wordnet.synset_of_key("several%5:00:00:some(a):00") == plain in wordnet.senses_of("several|ADJ")
    for key in ("bank%1:99:99::", "bank", ""):
        with pytest.raises(ValueError, match="no sense key of WordNet 3.0"):
            wordnet.synset_of_key(key)


def test_a_gloss_has_words_and_definition_without_examples(real):
    synset = wordnet.reader().synset("police.n.01")
    expected = "police police force constabulary law the force of policemen and officers"
    assert wordnet.gloss("police.n.01") == expected and synset.examples()


def test_neighbours_stand_along_all_relations_each_once(real):
    near = wordnet.neighbours("bank.n.01")
    assert {"slope.n.01", "riverbank.n.01"} <= set(near) and len(set(near)) == len(near)
    assert "cold.a.01" not in wordnet.neighbours("hot.a.01")  # an antonym
    assert "overheated.s.01" in wordnet.neighbours("hot.a.01")  # a satellite
