"""WordNet: senses in its order, keys, glosses and neighbours; and what is said where it cannot be had."""

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


def test_gloss_has_definition_and_examples(real):
    synset = wordnet.reader().synset("bank.n.01")
    text = wordnet.gloss("bank.n.01")
    assert text.startswith(synset.definition()) and len(synset.examples()) > 0
    assert all(example in text for example in synset.examples())
    with pytest.raises(ValueError, match="no synset 'bank.n.99'"):
        wordnet.gloss("bank.n.99")


def test_related_synsets_have_distances(real):
    assert wordnet.related("bank.n.01", 0) == {"bank.n.01": 0}
    near = wordnet.related("bank.n.01")
    assert near["slope.n.01"] == near["riverbank.n.01"] == 1 and near["bank.n.01"] == 0
    far = wordnet.related("bank.n.01", 2)
    assert far["geological_formation.n.01"] == 2 and list(far.values()) == sorted(far.values())
    assert {name: d for name, d in far.items() if d < 2} == near
    assert any(wordnet.related(name) for name in wordnet.senses_of("hot|ADJ"))
    with pytest.raises(ValueError, match="no synset"):
        wordnet.related("bank")


def test_without_wordnet_the_remedy_is_named(monkeypatch, tmp_path):
    def nowhere():
        raise datasets.DataError("wordnet cannot be had. Install Debian's packages")

    monkeypatch.setattr(datasets, "wordnet", nowhere)
    wordnet.reader.cache_clear()
    for ask in (lambda: wordnet.senses_of("bank|NOUN"), lambda: wordnet.gloss("bank.n.01")):
        with pytest.raises(datasets.DataError, match="Install"):
            ask()
