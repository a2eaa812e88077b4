"""Spellings: British and American ones, and what a lemmatiser made of them."""

import pytest

from cdsm_lib.text.corpus import corpus_from_text
from cdsm_lib.text.spelling import american, spelling_variants, spelt_alike


@pytest.mark.parametrize(("word", "other"), [
    ("labour", "labor"), ("programme", "program"), ("centre", "center"), ("emphasise", "emphasize"), ("owl", "owl"),
    ("defence|NOUN", "defense|NOUN"), ("harbor", "harbor"),
])  # fmt: skip
def test_british_and_american(word, other):
    assert american(word) == other
    if word != other:
        assert (spelling_variants(word), spelling_variants(other)) == ((word, other), (other, word))
    assert spelling_variants("owl|NOUN") == ("owl|NOUN",)


def test_words_that_the_lemmatiser_spells_otherwise():
    """troops is only a form, of troop; muslim only a capitalised proper noun; barks does not occur at all."""
    first = "troops:troop planets:planet detected:detect|VERB detects:detect|VERB"
    corpus = corpus_from_text(first, "Muslim:muslim|PROPN planet")
    asked = ["troops|NOUN", "planets|NOUN", "muslim|NOUN", "planet|NOUN", "barks|VERB", "detects|NOUN", "detected|VERB"]
    assert spelt_alike(corpus, asked) == {
        "troops|NOUN": "troop|NOUN", "planets|NOUN": "planet|NOUN", "muslim|NOUN": "muslim|PROPN",
        "detected|VERB": "detect|VERB",
    }  # fmt: skip
