"""The construction of White's corpus, step by step, on sentences and a lexicon of our own, the rows of the paper's
Figure 1 through the whole of it, and the real data."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tagged_sentences import lexicon_of, tagged

from cdsm_lib import datasets
from cdsm_lib.construction import localisation as co
from cdsm_lib.tasks import localisation
from cdsm_lib.tasks.localisation import ANTONYM, RANDOM_NOUN, SYNONYM, Localisation, Pair
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.lexicon import Excerpt

# ------------------------------------------------------------------------------------------------ a lexicon of our own

LEMMAS = {
    "noun": {
        "car": "car cars", "union": "union unions", "man": "man men", "oath": "oath", "apple": "apple", "ice": "ice",
        "bank": "bank banks", "gnat": "gnat gnats", "officer": "officer officers", "honour": "honour", "tie": "tie",
        "tree": "tree trees",
    },
    "verb": {
        "rise": "rise rose rising rises risen", "stay": "stay stayed", "remain": "remain remained remains",
        "begin": "begin begins began", "have": "has", "walk": "walked",
    },
}  # fmt: skip
SENSES = {
    "car|noun": [("car.n.01", 71, "car automobile"), ("cable_car.n.01", 0, "cable_car car")],
    "union|noun": [
        ("union.n.01", 27, "union labor_union brotherhood"), ("union.n.02", 2, "Union North"),
        ("coupling.n.03", 1, "coupling mating brotherhood union"),
    ],
    "man|noun": [("man.n.01", 9, "man adult_male unit"), ("world.n.08", 3, "man hour")],
    "oath|noun": [("oath.n.01", 4, "oath unit")],
    "apple|noun": [("apple.n.01", 4, "apple pome")],
    "ice|noun": [("ice.n.01", 5, "ice water_ice")],
    "bank|noun": [
        ("bank.n.01", 2, "bank shore"), ("bank.n.02", 20, "bank depository"), ("bank.n.03", 20, "bank ridge"),
    ],
    "gnat|noun": [("gnat.n.01", 1, "gnat zorp")],
    "officer|noun": [("officer.n.01", 1, "officer policeman")],
    "honour|noun": [("honour.n.01", 1, "honour award")],
    "tie|noun": [("tie.n.01", 0, "tie"), ("tie.n.02", 0, "tie draw")],
    "tree|noun": [("tree.n.01", 6, "tree")],
    "rise|verb": [("rise.v.01", 26, "rise lift", "rise>fall"), ("wax.v.02", 4, "rise wax", "wax>wane")],
    "stay|verb": [("stay.v.01", 43, "stay remain", "stay>change"), ("stay.v.02", 9, "stay", "stay>move")],
    "remain|verb": [("stay.v.01", 128, "stay remain", "stay>change")],
    "begin|verb": [("begin.v.01", 375, "begin get_down", "begin>end get_down>go_off")],
    "have|verb": [("have.v.01", 9, "have", "have>lack")],
    "walk|verb": [("walk.v.01", 9, "walk", "")],
}  # fmt: skip
PHRASES = "police_officer chief_police_officer officer_union hot_car_race car_race car_bank ice_age"
VALID = (
    "fall fell falling falls fallen automobile automobiles brotherhood brotherhoods North coupling mating unit units "
    "hour hours pome poma pomes shore shores depository ridge policeman policemen award draw change changed changes "
    "move moved wane waned waning wanes end ended ends lack lacks"
)


@pytest.fixture(name="lexicon")
def excerpt() -> Excerpt:
    return lexicon_of(LEMMAS, SENSES, PHRASES, VALID)


def versions(text: str, lexicon, kind: str, seed: int) -> tuple[localisation.Version, ...]:
    """The versions of a tagged sentence, through the functions that `build` calls."""
    alterable = [word for word in co.alterations(tagged(text), lexicon) if word.kind == co.ALTERED[kind]]
    options = {word.position: word.options for word in alterable}
    return co.versions(tagged(text), kind, options, np.random.default_rng(seed))


def altered(text: str, lexicon) -> dict[str, str]:
    """The sentence with one synonym, and with one antonym."""
    by_kind = {kind: versions(text, lexicon, kind, 0) for kind in (SYNONYM, ANTONYM)}
    return {kind: " ".join(made[0].tokens) for kind, made in by_kind.items() if made}


def options(text: str, lexicon) -> dict[str, list[str]]:
    """The forms that may stand for each alterable word."""
    sentence = tagged(text)
    alterations = co.alterations(sentence, lexicon)
    return {sentence.tokens[one.position].form: [form for _, form in one.options] for one in alterations}


# ------------------------------------------------------------------------------------------------ 3.2 and 3.3: tokens


VERB_TAGS = co.TAGS[co.VERB]


@pytest.mark.parametrize(("words", "tags", "kind"), [
    # no auxiliary is altered, whatever its tag and case
    ([form for word in co.AUXILIARIES for form in (word, word.capitalize(), word.upper())], VERB_TAGS, None),
    (["been", "done", "rise", "'s"], ["VBN"], "verb"),  # the list lacks them
    (["rose"], VERB_TAGS, "verb"),
    (["rose", "will"], ["NN"], "noun"),  # his last will
    (["rose"], ["NNS"], "noun"),
    (["rose"], ["NNP", "NNPS", "MD", "JJ", "DT"], None),
])  # fmt: skip
def test_what_may_be_altered(words, tags, kind):
    assert {co.altered_kind(tagged(f"{word}/{tag}").tokens[0]) for word in words for tag in tags} == {kind}


# ----------------------------------------------------------------------------------------------------- 3.5: phrases


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("a police officer came", ((1, 3),)),
        ("the chief police officer came", ((1, 4),)),  # three before two
        ("chief police officer union", ((0, 3),)),  # officer_union would overlap
        ("police officer union", ((0, 2),)),  # further left first
        ("police officer police officer", ((0, 2), (2, 4))),
        ("car race hot car race", ((0, 2), (2, 5))),  # the three are found first, and told in order
        ("hot car race car bank", ((0, 3), (3, 5))),
        ("police and officer", ()),
        ("officer", ()),
        ("", ()),
    ],
)
def test_phrases(lexicon, text, spans):
    assert co.blocked(text.split(), lexicon) == spans


def test_substitutes(lexicon):
    senses = lexicon.senses("union", "noun")
    assert co.substitutes("union", "noun", senses[:1]) == ("brotherhood",)
    # each once; neither the word nor *Union*
    assert co.substitutes("union", "noun", senses) == ("brotherhood", "North", "coupling", "mating")
    assert co.substitutes("have", "verb", lexicon.senses("have", "verb")) == ("lack",)
    # the most frequent sense is not always WordNet's first; of two with 20, the first
    taken = co.sense_taken(lexicon.senses("bank", "noun")), co.sense_taken(lexicon.senses("tie", "noun"))
    assert [sense.name for sense in taken] == ["bank.n.02", "tie.n.01"] and co.sense_taken(()) is None


def test_unknown_words_stay_and_are_counted(lexicon):
    assert options("The/DT wug/NN wugged/VBD", lexicon) == {}
    assert lexicon.unknown == {"wug|noun": 1, "wugged|verb": 1}
    assert versions("It/PRP was/VBD hot/JJ", lexicon, SYNONYM, 0) == () == co.alterations(Sentence(()), lexicon)


# ------------------------------------------------------------------------------------------------------- 3.8: forms

FIGURE_1 = json.loads((datasets.data_root() / "published" / "white2015_figure1.json").read_text("utf-8"))["rows"]
TAGS = {
    "The": "DT", "share": "NN", "price": "NN", "prices": "NNS", "will": "MD", "is": "VBZ", "are": "VBP", "has": "VBZ",
    "normally": "RB", "hot": "JJ", ".": ".",
}  # fmt: skip


@pytest.mark.parametrize(("text", "base", "generated", "tag"), [row[:4] for row in FIGURE_1])
def test_the_rows_of_figure_1(lexicon, text, base, generated, tag):
    tokens = localisation.tokenise(text)
    made = altered(" ".join(f"{token}/{tag if token == base else TAGS[token]}" for token in tokens), lexicon)
    kind = SYNONYM if tag in co.TAGS[co.NOUN] else ANTONYM
    assert made == {kind: " ".join(generated if token == base else token for token in tokens)}


def test_forms_by_tag():
    forms = [co.inflected("begin", tag)[0] for tag in VERB_TAGS]
    assert forms == ["begin", "began", "beginning", "begun", "begins", "begin"]
    assert co.inflected("index", "NN") == ("index",) and co.inflected("city", "NNS") == ("cities",)


@pytest.mark.parametrize(("lemma", "word", "listed", "form"), [
    ("index", "banks/NNS", {"indexes", "indices"}, co.inflected("index", "NNS")[0]),  # the usual form
    ("index", "banks/NNS", {co.inflected("index", "NNS")[1]}, co.inflected("index", "NNS")[1]),
    ("index", "banks/NNS", set(), None),
    ("automobile", "Cars/NNS", {"automobiles"}, "Automobiles"),  # the initial letter is the word's
    ("automobile", "CARS/NNS", {"automobiles"}, "Automobiles"),
    ("automobile", "cars/NNS", {"automobiles"}, "automobiles"),
    ("North", "union/NN", {"North"}, "North"),  # 3.8 matches it either way, but *TV* must not become *tV*
    ("sheep", "Sheep/NNS", {"sheep", "Sheep"}, None),  # the very word is no substitute
])  # fmt: skip
def test_the_form_of_a_substitute(lemma, word, listed, form):
    lists = Excerpt({}, {}, frozenset(), frozenset(listed))
    assert co.fitted(lemma, tagged(word).tokens[0], lists) == form


# ---------------------------------------------------------------------------------------------------- 3.9: articles


@pytest.mark.parametrize(
    ("text", "changes", "expected"),
    [
        ("a wicked man", {1: "honest"}, "an honest man"),  # the paper's two examples
        ("an item of measure", {1: "unit"}, "a unit of measure"),
        ("a honest man", {1: "honourable"}, "an honourable man"),
        ("a honest man", {2: "fellow"}, "a honest fellow"),
        ("an car and a apple", {}, "an car and a apple"),
        ("AN apple", {1: "pome"}, "A pome"),
        ("A car", {1: "car"}, "A car"),
        ("an car", {1: "motor"}, "a motor"),  # wrong before, right now
        ("a hour", {1: "hour"}, "an hour"),
        ("A car hit a tree", {4: "oak", 1: "automobile"}, "An automobile hit an oak"),
    ],
)
def test_replace(text, changes, expected):
    assert " ".join(co.replace(text.split(), changes)) == expected


def test_an_a_that_was_itself_replaced_is_no_article():
    for words in ({1: "carotene", 2: "eating"}, {2: "eating", 1: "carotene"}):
        assert co.replace(("vitamin", "A", "intake"), words) == ("vitamin", "carotene", "eating")


# ------------------------------------------------------------------------------------------------- levels and versions

LONG = "A/DT car/NN of/IN the/DT union/NN rose/VBD near/IN an/DT oath/NN and/CC men/NNS stayed/VBD by/IN the/DT bank/NN"


def test_the_funnel_by_hand(lexicon):
    """Nouns: *cars*, *police officer* (a phrase), *zzz* (unknown), *ice* (only a phrase for it), *gnats* (a form that
    SCOWL lacks). Verbs: *were* (auxiliary), *rising*."""
    funnel = Counter()
    text = (
        "The/DT big/JJ cars/NNS were/VBD rising/VBG near/IN the/DT police/NN officer/NN of/IN Rome/NNP and/CC zzz/NN "
        "and/CC ice/NN and/CC gnats/NNS"
    )
    co.alterations(tagged(text), lexicon, funnel=funnel)
    by_kind = {kind: [funnel[step, kind] for step in co.STEPS] for kind in ("noun", "verb", None)}
    assert by_kind == {"noun": [6, 6, 6, 4, 3, 2, 1], "verb": [2, 2, 1, 1, 1, 1, 1], None: [9, 0, 0, 0, 0, 0, 0]}


# ------------------------------------------------------------------------------------------------------------ the whole

TEXTS = {
    "a": LONG,
    "b": "The/DT trees/NNS walked/VBD",
    "c": "Cars/NNS of/IN a/DT union/NN remained/VBD",
    "d": "An/DT apple/NN rises/VBZ",
    "a again": LONG,
}
PAIRS = [Pair("1", ("a", "b"), ("", "")), Pair("2", ("a again", "c"), ("", "")), Pair("3", ("d", "c"), ("", ""))]


def parsed() -> dict[str, Sentence]:
    return {id: tagged(text) for id, text in TEXTS.items()}


def toy(pairs=PAIRS, *, seed: int = 5, **others) -> Localisation:
    lexicon = lexicon_of(LEMMAS, SENSES, PHRASES, VALID)
    return co.build("toy", pairs, others.pop("parsed", parsed()), lexicon, seed=seed, **others)


def test_counts_by_hand():
    """Noun synonyms: a 5 (*car, union, oath, men, bank*), b 0, c 2, d 1. Verb antonyms: a 2, b 0, c 1, d 1. Base
    sentences of the six cases: a, b, a, c, d, c."""
    task = toy()
    assert task.counts(6) == {
        1: (5, 5, 5), 2: (4, 2, 2), 3: (2, 0, 0), 4: (2, 0, 0), 5: (2, 0, 0), 6: (0, 0, 0),
    }  # fmt: skip
    assert toy([]).counts(1) == {1: (0, 0, 0)} and len(toy([])) == 0


def test_seeds_and_levels():
    assert toy(seed=1).versions == toy(seed=1).versions != toy(seed=2).versions
    whole, part = toy(), toy(most=2)
    for all_levels, some in zip(whole.versions, part.versions, strict=True):
        assert some == tuple(version for version in all_levels if version.level <= 2)


def fingerprint() -> str:
    return repr([toy(seed=seed) for seed in range(3)])


def test_the_same_whatever_pythons_hash_seed():
    here = Path(__file__).parent
    environment = os.environ | {
        "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join([str(here), str(here.parent), *filter(None, sys.path)]),
    }  # fmt: skip
    code = "import test_localisation_construction as here; print(here.fingerprint())"
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == fingerprint()


def test_controls_mend_articles_too():
    pairs = [Pair("1", ("x", "y"), ("", ""))]
    sentences = {"x": tagged("A/DT car/NN"), "y": tagged("An/DT oath/NN")}
    task = toy(pairs, parsed=sentences)  # each has only the other's noun to draw
    found = {version.tokens for of in task.versions for version in of if version.kind == RANDOM_NOUN}
    assert found == {("An", "oath"), ("A", "car")}


def test_random_words_are_as_frequent_as_in_the_sentences():
    """In order, each as often as it occurs, small letters; no auxiliary and no proper noun."""
    sentences = [tagged("The/DT Cars/NNS/car were/VBD cars/NNS/car"), tagged("Rome/NNP rose/VBD/rise men/NNS/man")]
    nouns = ("car", "cars"), ("car", "cars"), ("man", "men")
    assert co.words_by_tag(sentences) == {"NNS": nouns, "VBD": (("rise", "rose"),)}


# ----------------------------------------------------------------------------------------------------------- hand check


def test_for_hand_check():
    task = toy()
    chosen = co.for_hand_check(task, 2, seed=3)
    assert [version.kind for _, version in chosen] == [SYNONYM] * 2 + [ANTONYM] * 2
    assert all(version.level == 1 and version in task.versions[s] for s, version in chosen)
    assert chosen == co.for_hand_check(task, 2, seed=3)
    assert len({tuple(s for s, _ in co.for_hand_check(task, 2, seed)) for seed in range(20)}) > 1
    assert [s for s, _ in co.for_hand_check(task, 3, 0)] == [0, 2, 3, 0, 2, 3]  # all there are


# -------------------------------------------------------------------------------------------------------- the real data


@pytest.fixture(scope="module")
def real(mirror):
    return localisation.load("msrpc")


def test_msrpcs_cases(real):
    """Without lexicon: no word has a substitute. Two ids have the same tokens."""
    pairs, parsed = real
    task = co.build("msrpc", pairs, parsed, Excerpt({}, {}, frozenset(), frozenset()), seed=0)
    assert len(task) == 7800 and len(task.sentences) == 7488 and not any(task.versions)
    assert all(case.base != case.paraphrase for case in task.cases)
    sizes = Counter(np.bincount(task.families).tolist())  # cases, two a pair
    assert sizes == {2: 3313, 4: 241, 6: 31, 8: 3} and sum(n * size for size, n in sizes.items()) == 7800


@pytest.mark.parametrize(("text", "base", "generated", "tag"), [row[:4] for row in FIGURE_1])
def test_figure_1_with_wordnet_and_scowl(databases, text, base, generated, tag):
    tokens = localisation.tokenise(text)
    found = options(" ".join(f"{token}/{tag if token == base else TAGS[token]}" for token in tokens), databases)
    assert generated in found[base]
