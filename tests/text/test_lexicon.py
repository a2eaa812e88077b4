"""What altering sentences asks: an excerpt answers as the databases do, counts what it does not know, and says what is
wrong with a broken file; and WordNet's and SCOWL's own answers to the questions of White's examples."""

import json

import pytest

from cdsm_lib.text.lexicon import Excerpt, LexiconError, Sense

RISE = Sense("rise.v.01", 26, ("rise", "lift"), (("rise", "fall"),), 40)
CAR = Sense("car.n.01", 71, ("car", "auto", "motorcar"))
CABLE = Sense("cable_car.n.01", 0, ("cable_car", "car"))


def excerpt() -> Excerpt:
    return Excerpt(
        {"rose|verb": "rise", "rose|noun": "rose", "cars|noun": "car", "zzz|verb": None},
        {"rise|verb": (RISE,), "car|noun": (CAR, CABLE), "rose|noun": ()},
        frozenset({"police_officer", "Police_officer"}),
        frozenset({"fell", "autos"}),
    )


# ------------------------------------------------------------------------------------------------- excerpt and recorder


def test_unknown_words_are_counted():
    one = excerpt()
    assert one.lemma("Motorbike", "noun") is None and one.lemma("motorbike", "noun") is None
    assert one.senses("motorbike", "noun") == () and one.lemma("rose", "verb") == "rise"
    assert not one.valid("motorbikes") and not one.phrase(("motor", "bike"))  # what is not listed is none
    assert one.unknown == {"motorbike|noun": 3}
    assert excerpt().unknown == {}  # each has counts of its own


# ------------------------------------------------------------------------------------------------------------ bad files


FACTS = {"format": "cdsm-facts-1", "lemmas": {}, "senses": {}, "phrases": [], "forms": []}


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        FACTS | {"format": "cdsm-facts-0"},
        FACTS | {"senses": {"rise|verb": [["rise.v.01", 26, ["rise"]]]}},  # no antonyms
        FACTS | {"senses": {"rise|verb": [["rise.v.01", "many", ["rise"], [], 40]]}},
    ],
)
def test_a_broken_file(tmp_path, content):
    path = tmp_path / "facts.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(LexiconError, match=r"facts\.json: no excerpt in the format cdsm-facts-1 \(.+\); take"):
        Excerpt.load(path)


# --------------------------------------------------------------------------------------------------- the real databases


def test_a_lemma_depends_on_the_part_of_speech(databases):
    assert (databases.lemma("rose", "verb"), databases.lemma("rose", "noun")) == ("rise", "rose")
    assert (databases.lemma("Unions", "noun"), databases.lemma("remained", "verb")) == ("union", "remain")
    assert databases.lemma("zyxwv", "noun") is None and databases.lemma("'s", "verb") is None


def test_senses_have_counts_words_and_antonyms_in_wordnets_order(databases):
    union = databases.senses("union", "noun")
    assert [sense.name for sense in union[:3]] == ["union.n.01", "union.n.02", "coupling.n.03"]
    assert [sense.count for sense in union[:3]] == [27, 2, 1] and len(union) == 11
    assert "brotherhood" in union[0].lemmas and "labor_union" in union[0].lemmas
    assert databases.senses("rise", "verb")[0].antonyms == (("rise", "fall"),)
    assert databases.senses("remain", "verb")[0].antonyms == (("stay", "change"),)  # its synonym's
    assert databases.senses("unions", "noun") == () == databases.senses("zyxwv", "noun")  # lemmas only


def test_scowl(databases):
    for form in ("automobiles", "brotherhood", "fell", "colour", "obviated"):
        assert databases.valid(form), form
    for form in ("falled", "brotherhoodes", "", "police_officer"):
        assert not databases.valid(form), form
    assert len(databases.forms) > 600_000
