"""Sentence localisation: every step of White's construction on sentences and facts of our own, the rows of the paper's
Figure 1 through the whole of it, the three shares on distances that can be compared by hand, and every bad file."""

import json
import os
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from cdsm_lib import datasets
from cdsm_lib.tasks import localisation as lo
from cdsm_lib.tasks.errors import TaskError
from cdsm_lib.tasks.localisation import (
    ANTONYM,
    APART,
    CONTROL,
    FAR,
    KINDS,
    NEAR,
    RANDOM_NOUN,
    RANDOM_VERB,
    SYNONYM,
    UNION,
    Case,
    Distances,
    Localisation,
    Pair,
    Rules,
    Version,
)  # fmt: skip
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.lexicon import Excerpt, Sense, WordNetFacts

# ------------------------------------------------------------------------------------------------ facts of our own

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


def excerpt() -> Excerpt:
    lemmas = {
        f"{form}|{kind}": lemma for kind, words in LEMMAS.items() for lemma, forms in words.items()
        for form in forms.split()
    }  # fmt: skip
    senses = {
        key: tuple(
            Sense(name, count, tuple(words.split()), tuple(tuple(pair.split(">")) for pair in " ".join(pairs).split()))
            for name, count, words, *pairs in found
        )
        for key, found in SENSES.items()
    }
    return Excerpt(lemmas, senses, frozenset(PHRASES.split()), frozenset(VALID.split()))


@pytest.fixture
def facts() -> Excerpt:
    return excerpt()


def tagged(text: str, **comments: str) -> Sentence:
    """A sentence of tokens with tags, *cars/NNS*; a lemma may follow."""
    parts = [word.split("/") for word in text.split()]
    return Sentence(
        tuple(
            Token(i, form, (lemma or [form.lower()])[0], "X", tag, "_", i - 1, "dep", "_", "_")
            for i, (form, tag, *lemma) in enumerate(parts, 1)
        ),
        comments,
    )


def altered(text: str, facts, rules: Rules = Rules(), *, level: int = 1, seed: int = 0) -> dict[str, str]:  # noqa: B008
    """The versions of a tagged sentence at a level, through the functions that `build` calls."""
    sentence, made = tagged(text), {}
    for one in (SYNONYM, ANTONYM):
        found = lo.alterations(sentence, facts, rules)
        options = {
            alteration.position: alteration.options for alteration in found if alteration.kind == lo.ALTERED[one]
        }
        versions = lo.versions(sentence, one, options, np.random.default_rng(seed))
        for version in versions:
            if version.level == level:
                made[one] = " ".join(version.tokens)
    return made


def options(text: str, facts, rules: Rules = Rules()) -> dict[str, list[str]]:  # noqa: B008
    """The forms that may stand for each alterable word."""
    sentence = tagged(text)
    return {
        sentence.tokens[one.position].form: [form for _, form in one.options]
        for one in lo.alterations(sentence, facts, rules)
    }


# ------------------------------------------------------------------------------------------------ 3.2 and 3.3: tokens


def test_tokens_are_the_penn_treebanks():
    assert lo.tokenise('He said: "I don\'t, Mr. Low."') == (
        "He", "said", ":", "``", "I", "do", "n't", ",", "Mr.", "Low", ".", "''",
    )  # fmt: skip
    assert lo.tokenise("") == ()


def test_retagged_changes_the_tags_alone():
    sentence = tagged("cars/NNS rise/NN", sent_id="s")
    other = lo.retagged(sentence, ("NNS", "VBP"))
    assert [token.xpos for token in other] == ["NNS", "VBP"] and other.comments == {"sent_id": "s"}
    assert [token.form for token in other] == ["cars", "rise"] and [token.head for token in other] == [0, 1]
    with pytest.raises(TaskError, match="3 tags for 2 tokens"):
        lo.retagged(sentence, ("NNS", "VBP", "."))


AUXILIARIES = """be am are is was were being can could do did does doing have had has having may might must shall
should will would""".split()


def test_the_list_of_auxiliaries_is_the_papers():
    assert sorted(AUXILIARIES) == sorted(lo.AUXILIARIES) and len(AUXILIARIES) == 24


@pytest.mark.parametrize("word", AUXILIARIES)
def test_no_auxiliary_is_altered_whatever_its_tag_and_case(word):
    for form in (word, word.capitalize(), word.upper()):
        for tag in lo.VERB_TAGS:
            assert lo.altered_kind(tagged(f"{form}/{tag}").tokens[0]) is None


@pytest.mark.parametrize("word", ["been", "done", "rise", "'s"])
def test_words_that_the_list_lacks_count_as_verbs(word):
    assert lo.altered_kind(tagged(f"{word}/VBN").tokens[0]) == "verb"


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("NN", "noun"), ("NNS", "noun"), ("NNP", None), ("NNPS", None), ("MD", None), ("JJ", None), ("DT", None),
        *((tag, "verb") for tag in ("VB", "VBD", "VBG", "VBN", "VBZ", "VBP")),
    ],
)  # fmt: skip
def test_what_may_be_altered_by_tag(tag, kind):
    assert lo.altered_kind(tagged(f"rose/{tag}").tokens[0]) == kind


def test_a_noun_like_an_auxiliary_may_be_altered():
    assert lo.altered_kind(tagged("will/NN").tokens[0]) == "noun"  # his last will


def test_an_auxiliary_with_an_antonym_stays(facts):
    """The paper's own reason: WordNet has *lack* for *have*."""
    assert altered("He/PRP has/VBZ cars/NNS", facts) == {SYNONYM: "He has automobiles"}
    assert lo.substitutes("have", "verb", facts.senses("have", "verb")) == ("lack",)


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
def test_phrases(facts, text, spans):
    assert lo.blocked(text.split(), facts) == spans


def test_words_in_a_phrase_stay(facts):
    assert options("the/DT police/NN officer/NN met/VBD an/DT officer/NN", facts) == {"officer": ["policeman"]}
    assert altered("the/DT police/NN officer/NN met/VBD an/DT officer/NN", facts) == {
        SYNONYM: "the police officer met a policeman"
    }


def test_a_phrase_substitutes_no_word(facts):
    assert options("ice/NN", facts) == {}
    assert options("begins/VBZ", facts) == {"begins": ["ends"]}  # not go_off
    assert lo.substitutes("union", "noun", facts.senses("union", "noun")[:1]) == ("brotherhood",)


# ------------------------------------------------------------------------------------------------------ 3.6: senses


def test_the_most_frequent_sense_is_not_always_wordnets_first(facts):
    senses = facts.senses("bank", "noun")
    assert [sense.name for sense in lo.chosen_senses(senses)] == ["bank.n.02"]  # of two with 20, the first
    assert lo.chosen_senses(senses, UNION) == senses
    assert lo.chosen_senses(()) == lo.chosen_senses((), UNION) == ()
    with pytest.raises(TaskError, match="sense 'second'; choose 'first'"):
        lo.chosen_senses(senses, "second")


def test_senses_that_semcor_lacks_tie_at_zero(facts):
    assert lo.chosen_senses(facts.senses("tie", "noun"))[0].name == "tie.n.01"
    assert options("tie/NN", facts) == {} and options("tie/NN", facts, Rules(UNION)) == {"tie": ["draw"]}


def test_first_sense_against_all(facts):
    assert options("banks/NNS", facts) == {}  # depositories is not listed
    assert options("bank/NN", facts) == {"bank": ["depository"]}
    assert options("bank/NN", facts, Rules(UNION)) == {"bank": ["shore", "depository", "ridge"]}
    assert options("unions/NNS", facts) == {"unions": ["brotherhoods"]}
    union = lo.substitutes("union", "noun", facts.senses("union", "noun"))
    assert union == ("brotherhood", "North", "coupling", "mating")  # each once; neither the word nor *Union*


def test_another_rule_is_refused(facts):
    with pytest.raises(TaskError, match="antonyms 'word'; choose 'synset' or 'lemma'"):
        lo.substitutes("rise", "verb", (), antonyms="word")
    with pytest.raises(TaskError, match="sense 'last'"):
        lo.alterations(tagged("cars/NNS"), facts, Rules("last"))


# ------------------------------------------------------------------------------------------------- 3.7: substitutes


def test_antonyms_of_the_synset_and_of_the_verb_itself(facts):
    """Section 4: *remained* becomes *changed*, the antonym of its synonym *stay*."""
    lemma = Rules(antonyms=lo.LEMMA)
    assert options("remained/VBD", facts) == {"remained": ["changed"]} and options("remained/VBD", facts, lemma) == {}
    assert options("stayed/VBD", facts) == options("stayed/VBD", facts, lemma) == {"stayed": ["changed"]}
    assert options("rose/VBD", facts, Rules(UNION)) == {"rose": ["fell", "waned"]}
    assert options("rose/VBD", facts, Rules(UNION, lo.LEMMA)) == {"rose": ["fell"]}


def test_a_verb_takes_no_synonym_and_a_noun_no_antonym(facts):
    assert altered("The/DT union/NN remained/VBD", facts) == {
        SYNONYM: "The brotherhood remained",
        ANTONYM: "The union changed",
    }


def test_unknown_words_stay_and_are_counted(facts):
    assert options("The/DT wug/NN wugged/VBD", facts) == {}
    assert facts.unknown == {"wug|noun": 1, "wugged|verb": 1}


# ------------------------------------------------------------------------------------------------------- 3.8: forms

FIGURE_1 = json.loads((datasets.data_root() / "published" / "white2015_figure1.json").read_text("utf-8"))["rows"]
TAGS = {
    "The": "DT", "share": "NN", "price": "NN", "prices": "NNS", "will": "MD", "is": "VBZ", "are": "VBP", "has": "VBZ",
    "normally": "RB", "hot": "JJ", ".": ".",
}  # fmt: skip


def test_figure_1_has_a_row_for_each_tag():
    assert sorted(row[3] for row in FIGURE_1) == sorted((*lo.NOUN_TAGS, *lo.VERB_TAGS))


@pytest.mark.parametrize(("text", "base", "generated", "tag"), [row[:4] for row in FIGURE_1])
def test_the_rows_of_figure_1(facts, text, base, generated, tag):
    tokens = lo.tokenise(text)
    made = altered(" ".join(f"{token}/{tag if token == base else TAGS[token]}" for token in tokens), facts)
    kind = SYNONYM if tag in lo.NOUN_TAGS else ANTONYM
    assert made == {kind: " ".join(generated if token == base else token for token in tokens)}


def test_forms_by_tag():
    forms = {tag: lo.inflected("begin", tag)[0] for tag in lo.VERB_TAGS}
    assert forms == {
        "VB": "begin", "VBD": "began", "VBG": "beginning", "VBN": "begun", "VBZ": "begins", "VBP": "begin",
    }  # fmt: skip
    assert lo.inflected("index", "NN") == ("index",) and lo.inflected("city", "NNS") == ("cities",)
    with pytest.raises(TaskError, match="no form of 'quick' for the tag 'JJ'"):
        lo.inflected("quick", "JJ")


def test_a_form_that_scowl_lacks_is_dropped(facts):
    assert options("gnats/NNS", facts) == {}  # zorps
    assert options("bank/NN", facts, Rules(UNION))["bank"] == ["shore", "depository", "ridge"]
    assert options("banks/NNS", facts, Rules(UNION)) == {"banks": ["shores"]}  # neither depositories nor ridges


def test_the_usual_form_is_taken_if_scowl_has_it_and_another_if_not():
    class Lists(Excerpt):
        def valid(self, form):
            return form in self.forms

    token = tagged("banks/NNS").tokens[0]
    usual, other, *_ = lo.inflected("index", "NNS")
    assert {usual, other} == {"indexes", "indices"}
    for forms, expected in (({usual, other}, usual), ({other}, other), (set(), None)):
        assert lo.fitted("index", token, Lists({}, {}, frozenset(), frozenset(forms))) == expected


@pytest.mark.parametrize(
    ("text", "form"), [("Cars/NNS", "Automobiles"), ("CARS/NNS", "Automobiles"), ("cars/NNS", "automobiles")]
)
def test_the_initial_letter_is_the_words(facts, text, form):
    assert lo.fitted("automobile", tagged(text).tokens[0], facts) == form
    assert altered(f"{text} stop/VBP", facts)[SYNONYM] == f"{form} stop"


def test_a_capital_of_the_substitute_stays(facts):
    """Section 3.8 matches the initial letter either way, but *TV* must not become *tV*."""
    assert lo.fitted("North", tagged("union/NN").tokens[0], facts) == "North"


def test_the_very_word_is_no_substitute():
    class All(Excerpt):
        def valid(self, form):
            return True

    token = tagged("Sheep/NNS").tokens[0]
    assert lo.fitted("sheep", token, All({}, {}, frozenset(), frozenset())) is None


# ---------------------------------------------------------------------------------------------------- 3.9: articles


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a/DT car/NN stops/VBZ", "an automobile stops"),
        ("A/DT car/NN stops/VBZ", "An automobile stops"),  # at the beginning
        ("An/DT oath/NN counts/VBZ", "A unit counts"),  # by sound
        ("It/PRP is/VBZ an/DT oath/NN", "It is a unit"),
        ("an/DT apple/NN fell/VBD", "a pome fell"),
        ("an/DT officer/NN of/IN a/DT honest/JJ club/NN", "a policeman of a honest club"),  # unchanged ones are left
        ("a/DT honest/JJ man/NN", "a honest unit"),  # the article stands before *honest*, which has not changed
        ("a/DT honour/NN", "an award"),
        ("the/DT car/NN", "the automobile"),
        ("car/NN", "automobile"),
    ],
)
def test_articles(facts, text, expected):
    assert altered(text, facts)[SYNONYM] == expected


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
    ],
)
def test_replace(text, changes, expected):
    assert " ".join(lo.replace(text.split(), changes)) == expected


def test_both_articles_of_two_changed_words():
    assert lo.replace("A car hit a tree".split(), {4: "oak", 1: "automobile"}) == tuple(
        "An automobile hit an oak".split()
    )


def test_an_a_that_was_itself_replaced_is_no_article():
    for order in ((1, 2), (2, 1)):
        words = {1: "carotene", 2: "eating"}
        assert lo.replace(("vitamin", "A", "intake"), {i: words[i] for i in order}) == ("vitamin", "carotene", "eating")


@pytest.mark.parametrize("position", [-1, 2])
def test_a_position_outside_the_sentence(position):
    with pytest.raises(TaskError, match=f"position {position} is outside a sentence of 2 tokens"):
        lo.replace(("a", "car"), {position: "bus"})


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("honest", "an"),
        ("unit", "a"),
        ("hour", "an"),
        ("European", "a"),
        ("automobile", "an"),
        ("one", "a"),
        ("MP", "an"),
    ],
)
def test_articles_go_by_sound(word, article):
    assert lo.article_before(word) == article


# ------------------------------------------------------------------------------------------------- levels and versions

LONG = "A/DT car/NN of/IN the/DT union/NN rose/VBD near/IN an/DT oath/NN and/CC men/NNS stayed/VBD by/IN the/DT bank/NN"


def versions(text: str, facts, kind: str, seed: int, rules: Rules = Rules(UNION)) -> tuple[Version, ...]:  # noqa: B008
    found = [one for one in lo.alterations(tagged(text), facts, rules) if one.kind == lo.ALTERED[kind]]
    return lo.versions(tagged(text), kind, {one.position: one.options for one in found}, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(10))
def test_levels_are_cumulative(facts, seed):
    made = versions(LONG, facts, SYNONYM, seed)
    assert [version.level for version in made] == [1, 2, 3, 4, 5]
    tokens = [token.form for token in tagged(LONG)]
    for before, after in zip(made, made[1:], strict=False):
        assert after.changes[: before.level] == before.changes and len(after.changes) == after.level
        same = [position for position, _ in before.changes]
        assert [after.tokens[i] for i in same] == [before.tokens[i] for i in same]
    for version in made:
        changed = {i for i, (old, new) in enumerate(zip(tokens, version.tokens, strict=True)) if old != new}
        assert changed - {0, 7} == {position for position, _ in version.changes}  # 0 and 7 are articles
    assert {position for position, _ in made[-1].changes} == {1, 4, 8, 10, 14}


def test_the_order_is_shuffled_and_the_words_are_drawn(facts):
    made = [versions(LONG, facts, SYNONYM, seed) for seed in range(40)]
    assert {of[0].changes[0][0] for of in made} == {1, 4, 8, 10, 14}
    assert {lemma for of in made for position, lemma in of[-1].changes if position == 14} == {
        "shore", "depository", "ridge",
    }  # fmt: skip
    assert made[3] == versions(LONG, facts, SYNONYM, 3)


def test_a_sentence_without_alterable_words_has_no_versions(facts):
    assert versions("It/PRP was/VBD hot/JJ ./.", facts, SYNONYM, 0) == ()
    assert altered("It/PRP was/VBD hot/JJ ./.", facts) == {}
    assert lo.alterations(Sentence(()), facts) == ()


def test_the_funnel_by_hand(facts):
    """Nouns: *cars*, *police officer* (a phrase), *zzz* (unknown), *ice* (only a phrase for it), *gnats* (a form that
    SCOWL lacks). Verbs: *were* (auxiliary), *rising*."""
    funnel = Counter()
    text = (
        "The/DT big/JJ cars/NNS were/VBD rising/VBG near/IN the/DT police/NN officer/NN of/IN Rome/NNP and/CC zzz/NN "
        "and/CC ice/NN and/CC gnats/NNS"
    )
    lo.alterations(tagged(text), facts, funnel=funnel)
    by_kind = {kind: [funnel[step, kind] for step in lo.STEPS] for kind in ("noun", "verb", None)}
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


def toy(pairs=PAIRS, *, seed: int = 5, rules: Rules = Rules(UNION), **others) -> Localisation:  # noqa: B008
    return lo.build("toy", pairs, others.pop("parsed", parsed()), excerpt(), rules=rules, seed=seed, **others)


def by_words(task: Localisation, kinds=(SYNONYM, ANTONYM)) -> dict[tuple[str, ...], list[Version]]:
    return {
        tuple(token.form for token in sentence): [version for version in of if version.kind in kinds]
        for sentence, of in zip(task.sentences, task.versions, strict=True)
    }


def test_both_directions_of_a_pair_are_cases_and_a_repeated_sentence_stands_once():
    task = toy()
    assert [" ".join(token.form for token in sentence)[:5] for sentence in task.sentences] == [
        "A car", "The t", "Cars ", "An ap",
    ]  # fmt: skip
    assert task.cases == (
        Case(0, 0, 1), Case(0, 1, 0), Case(1, 0, 2), Case(1, 2, 0), Case(2, 3, 2), Case(2, 2, 3),
    )  # fmt: skip
    assert len(task) == 6 and len(task.versions) == 4 and task.dataset == "toy" and task.rules == Rules(UNION)


def test_counts_by_hand():
    """Noun synonyms: a 5 (*car, union, oath, men, bank*), b 0, c 2, d 1. Verb antonyms: a 2, b 0, c 1, d 1. Base
    sentences of the six cases: a, b, a, c, d, c."""
    task = toy()
    assert task.counts(6) == {
        1: (5, 5, 5), 2: (4, 2, 2), 3: (2, 0, 0), 4: (2, 0, 0), 5: (2, 0, 0), 6: (0, 0, 0),
    }  # fmt: skip
    for level, (nouns, verbs, _) in task.counts(6).items():
        assert (task.count(SYNONYM, level), task.count(ANTONYM, level)) == (nouns, verbs)
        assert (task.count(RANDOM_NOUN, level), task.count(RANDOM_VERB, level)) == (nouns, verbs)
    assert toy([]).counts(1) == {1: (0, 0, 0)} and len(toy([])) == 0


def test_the_funnel_counts_a_sentence_for_each_of_its_cases():
    """Tokens: a 15 twice, b 3, c 5 twice, d 3."""
    funnel = toy().funnel
    assert sum(n for (step, _), n in funnel.items() if step == "tokens") == 2 * 15 + 3 + 2 * 5 + 3
    assert funnel["tokens", "noun"] == 2 * 5 + 1 + 2 * 2 + 1
    assert funnel["no auxiliary", "verb"] == 2 * 2 + 1 + 2 * 1 + 1
    assert funnel["substitute has a valid form", "noun"] == 2 * 5 + 0 + 2 * 2 + 1
    assert funnel["substitute has a valid form", "verb"] == 2 * 2 + 0 + 2 * 1 + 1


def test_a_version_of_a_case():
    task = toy()
    version = task.version(3, ANTONYM, 1)
    assert version.tokens == ("Cars", "of", "a", "union", "changed") and version.changes == ((4, "change"),)
    assert task.version(3, ANTONYM, 2) is None and task.version(1, SYNONYM, 1) is None
    assert task.version(0, SYNONYM, 2) is task.version(2, SYNONYM, 2)


def test_synonyms_and_antonyms_do_not_depend_on_what_stands_around():
    """Small pools of random words, so that the word itself is often drawn there."""
    for seed in range(20):
        whole = by_words(toy(seed=seed))
        for ids in permutations("abcd", 2):
            for words, of in by_words(toy([Pair("1", ids, ("", ""))], seed=seed)).items():
                assert of == whole[words]
        assert by_words(toy(PAIRS[::-1], seed=seed)) == whole


def test_leaving_levels_out_leaves_the_others_as_they_are():
    whole, part = toy(), toy(most=2)
    for all_levels, some in zip(whole.versions, part.versions, strict=True):
        assert some == tuple(version for version in all_levels if version.level <= 2)


def test_another_seed_makes_other_versions():
    assert by_words(toy(seed=1), KINDS) == by_words(toy(seed=1), KINDS) != by_words(toy(seed=2), KINDS)


def fingerprint() -> str:
    return repr([toy(seed=seed) for seed in range(3)])


def test_the_same_whatever_pythons_hash_seed():
    code = "import test_localisation; print(test_localisation.fingerprint())"
    here = Path(__file__).parent
    for seed in ("1", "77"):
        env = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join([str(here), *filter(None, sys.path)])}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == fingerprint()


def test_controls_change_the_same_positions_into_words_of_the_same_tag():
    task = toy()
    pool = lo.words_by_tag(task.sentences)
    for sentence, of in zip(task.sentences, task.versions, strict=True):
        for kind, control in CONTROL.items():
            made = [version for version in of if version.kind == kind]
            random = [version for version in of if version.kind == control]
            assert [version.level for version in random] == [version.level for version in made]
            for version, other in zip(made, random, strict=True):
                assert [p for p, _ in other.changes] == [p for p, _ in version.changes]
                for position, lemma in other.changes:
                    token, form = sentence.tokens[position], other.tokens[position]
                    assert (lemma, form.lower()) in pool[token.xpos]
                    assert form[0].isupper() == token.form[0].isupper()
                    alone = len({form for _, form in pool[token.xpos]}) == 1
                    assert (form.lower() == token.form.lower()) == alone  # the very word only if there is no other
            for before, after in zip(random, random[1:], strict=False):
                assert after.changes[: before.level] == before.changes


def test_controls_mend_articles_too():
    pairs = [Pair("1", ("x", "y"), ("", ""))]
    sentences = {"x": tagged("A/DT car/NN"), "y": tagged("An/DT oath/NN")}
    task = toy(pairs, parsed=sentences)  # each has only the other's noun to draw
    found = {version.tokens for of in task.versions for version in of if version.kind == RANDOM_NOUN}
    assert found == {("An", "oath"), ("A", "car")}


def test_random_words_are_as_frequent_as_in_the_sentences():
    """In order, each as often as it occurs, small letters; no auxiliary and no proper noun."""
    sentences = [tagged("The/DT Cars/NNS/car were/VBD cars/NNS/car"), tagged("Rome/NNP rose/VBD/rise men/NNS/man")]
    assert lo.words_by_tag(sentences) == {
        "NNS": (("car", "cars"), ("car", "cars"), ("man", "men")),
        "VBD": (("rise", "rose"),),
    }


def test_a_sentence_without_a_parse():
    with pytest.raises(TaskError, match="no parse of sentence d of pair 3; parse the sentences again"):
        toy(parsed={id: sentence for id, sentence in parsed().items() if id != "d"})


# ------------------------------------------------------------------------------------------------------------ the texts


def test_texts():
    task = toy()
    of = lo.texts(task)
    n = len(task.sentences)
    assert len(of) == len(of.source) == len(of.changes) == n + sum(map(len, task.versions))
    assert of.tokens[:n] == tuple(tuple(token.form for token in sentence) for sentence in task.sentences)
    assert of.source[:n].tolist() == list(range(n)) and of.changes[:n] == ((),) * n and of.source.dtype == np.int64
    for s, made in enumerate(task.versions):
        for version in made:
            t = of.at[s, version.kind, version.level]
            assert (of.tokens[t], of.source[t], of.changes[t]) == (version.tokens, s, version.changes)
    assert sorted(of.at.values()) == list(range(n, len(of)))


# --------------------------------------------------------------------------------------------------------------- scores


def test_distances():
    """With the distance 100 a + b of texts a and b every call can be told."""
    task = toy()
    of = lo.texts(task)
    found = lo.distances(task, of, lambda a, b: 100.0 * a + b)
    assert found.paraphrase.tolist() == [1, 100, 2, 200, 302, 203]  # a b, b a, a c, c a, d c, c d
    assert set(found.versions) == {
        *((kind, level) for kind in (SYNONYM, RANDOM_NOUN) for level in range(1, 6)),
        *((kind, level) for kind in (ANTONYM, RANDOM_VERB) for level in (1, 2)),
    }
    cases, distance = found.versions[SYNONYM, 2]
    assert cases.tolist() == [0, 2, 3, 5]  # a, a, c, c
    a, c = of.at[0, SYNONYM, 2], of.at[2, SYNONYM, 2]
    assert distance.tolist() == [a, a, 200 + c, 200 + c] and distance.dtype == np.float64
    assert found.of(SYNONYM, 2) is distance
    assert found.of(SYNONYM, 2, np.array([2, 5])).tolist() == [a, 200 + c]


def test_distances_of_nothing():
    task = toy([])
    found = lo.distances(task, lo.texts(task), lambda a, b: np.zeros(len(a)))
    assert len(found.paraphrase) == 0 and found.versions == {}
    assert np.isnan(lo.share(task, found, NEAR, 1).value)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_distance_that_is_not_finite(bad):
    task = toy()
    with pytest.raises(TaskError, match="2 distances are not finite; see the model"):
        lo.distances(task, lo.texts(task), lambda a, b: np.where(b == lo.texts(task).at[0, ANTONYM, 2], bad, 0.0))


@pytest.fixture
def four() -> tuple[Localisation, Distances]:
    """Two pairs: cases 0 and 1 of pair 0, 2 and 3 of pair 1.

    =====  ==========  =======  =======  ===========
    case   paraphrase  synonym  antonym  random noun
    =====  ==========  =======  =======  ===========
    0      0.5         0.5      0.5      0.9
    1      0.5         0.25     0.75     --
    2      0.25        0.5      --       0.5
    3      0.5         --       0.25     --
    =====  ==========  =======  =======  ===========
    """
    cases = (Case(0, 0, 1), Case(0, 1, 0), Case(1, 2, 3), Case(1, 3, 2))
    task = Localisation("four", (), cases, ())
    found = {
        (SYNONYM, 1): (np.array([0, 1, 2]), np.array([0.5, 0.25, 0.5])),
        (ANTONYM, 1): (np.array([0, 1, 3]), np.array([0.5, 0.75, 0.25])),
        (RANDOM_NOUN, 1): (np.array([0, 2]), np.array([0.9, 0.5])),
        (ANTONYM, 2): (np.array([3]), np.array([0.75])),
    }
    return task, Distances(np.array([0.5, 0.5, 0.25, 0.5]), found)


@pytest.mark.parametrize(
    ("metric", "level", "credit", "ties", "pairs"),
    [
        (NEAR, 1, [1, 1, 0], [1, 0, 0], [0, 0, 1]),  # equal counts
        (FAR, 1, [0, 1, 0], [1, 0, 0], [0, 0, 1]),  # equal does not
        (APART, 1, [0, 1], [1, 0], [0, 0]),  # cases 0 and 1 have both
        (FAR, 2, [1], [0], [1]),
        (NEAR, 2, [], [], []),
        (APART, 2, [], [], []),
        (APART, 7, [], [], []),
        ("random noun <= paraphrase", 1, [0, 0], [0, 0], [0, 1]),
        ("random noun > synonym", 1, [1, 0], [0, 1], [0, 1]),
        ("random verb > antonym", 1, [], [], []),
    ],
)
def test_shares_by_hand(four, metric, level, credit, ties, pairs):
    share = lo.share(*four, metric, level)
    assert share.credit.tolist() == credit and share.ties.tolist() == ties and share.pairs.tolist() == pairs
    assert share.value == pytest.approx(sum(credit) / len(credit)) if credit else np.isnan(share.value)


def test_a_near_tie_is_no_tie(four):
    """What is equal must be equal before it comes here: shares are not rounded."""
    task, found = four
    found.versions[SYNONYM, 1][1][0] += 1e-15
    assert lo.share(task, found, NEAR, 1).credit.tolist() == [0, 1, 0]


def test_another_share_is_refused(four):
    with pytest.raises(TaskError, match="no share 'synonym < paraphrase'; there are synonym <= paraphrase, "):
        lo.share(*four, "synonym < paraphrase", 1)


def test_by_pair_by_hand():
    """Three items of two pairs: sums 1 and 1, times 2 pairs over 3 items."""
    values, pairs = np.array([1.0, 0.0, 1.0]), np.array([4, 4, 9])
    assert lo.by_pair(values, pairs).tolist() == pytest.approx([2 / 3, 2 / 3])
    assert lo.by_pair(np.array([1.0, 1.0, 0.0, 1.0]), np.array([7, 2, 7, 2])).tolist() == [
        1.0,
        0.5,
    ]  # 2: 2, 7: 1; x 2/4
    assert lo.by_pair(np.zeros(0), np.zeros(0, dtype=np.int64)).tolist() == []


def test_the_mean_over_pairs_is_the_mean_over_items(rng):
    for n in (1, 5, 60):
        values, pairs = rng.random(n), rng.integers(0, 20, n)
        assert lo.by_pair(values, pairs).mean() == pytest.approx(values.mean())


# ----------------------------------------------------------------------------------------------------------- hand check


def test_for_hand_check():
    task = toy()
    chosen = lo.for_hand_check(task, 2, seed=3)
    assert [version.kind for _, version in chosen] == [SYNONYM] * 2 + [ANTONYM] * 2
    assert all(version.level == 1 and version in task.versions[s] for s, version in chosen)
    for part in (chosen[:2], chosen[2:]):
        numbers = [s for s, _ in part]
        assert numbers == sorted(set(numbers))
    assert chosen == lo.for_hand_check(task, 2, seed=3)
    assert len({tuple(s for s, _ in lo.for_hand_check(task, 2, seed)) for seed in range(20)}) > 1
    assert [s for s, _ in lo.for_hand_check(task, 3, 0)] == [0, 2, 3, 0, 2, 3]  # all there are


def test_for_hand_check_of_too_many():
    with pytest.raises(TaskError, match="3 sentences with one synonym, 4 asked for; ask for fewer"):
        lo.for_hand_check(toy(), 4, 0)


# -------------------------------------------------------------------------------------------------------------- reading

HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String"


def msrpc(tmp_path, *rows: str, end: str = "\r\n", bom: bool = True) -> Path:
    path = tmp_path / "msr_paraphrase.txt"
    path.write_bytes((("\ufeff" if bom else "") + "".join(row + end for row in (HEADER, *rows))).encode("utf-8"))
    return path


@pytest.mark.parametrize(("end", "bom"), [("\r\n", True), ("\n", False)])
def test_msrpcs_format(tmp_path, end, bom):
    path = msrpc(
        tmp_path,
        "1\t11\t12\tA car.\tA bus.",
        "0\t13\t14\tNo.\tYes.",
        '1\t15\t16\tHe said "yes.\t"No"',
        end=end,
        bom=bom,
    )
    assert list(lo.read_msrpc(path)) == [
        Pair("11-12", ("11", "12"), ("A car.", "A bus.")),
        Pair("15-16", ("15", "16"), ('He said "yes.', '"No"')),  # quotation marks are text
    ]


def test_the_last_line_may_lack_its_end(tmp_path):
    path = msrpc(tmp_path, "1\t11\t12\tA\tB")
    path.write_bytes(path.read_bytes().rstrip(b"\r\n"))
    assert [pair.texts for pair in lo.read_msrpc(path)] == [("A", "B")]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("1\t11\t12\tA car.", "4 fields, MSRPC has five between tabs; fetch the file again"),
        ("1\t11\t12\tA car.\tA bus.\t", "6 fields"),
        ("", "1 fields"),
        ("2\t11\t12\tA\tB", "quality '2', MSRPC has 0 and 1; fetch the file again"),
        ("\t11\t12\tA\tB", "quality ''"),
    ],
)
def test_a_bad_line_of_msrpc(tmp_path, row, problem):
    path = msrpc(tmp_path, "1\t11\t12\tA\tB", row)
    with pytest.raises(TaskError) as raised:
        list(lo.read_msrpc(path))
    assert (raised.value.path, raised.value.line) == (path, 3)
    assert f"{path}, line 3: {problem}" in str(raised.value)


def pairs_file(tmp_path, *rows: str, header: str = "id\tfirst\tsecond\ttopic", bom: str = "") -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_bytes((bom + "".join(row + "\n" for row in (header, *rows))).encode("utf-8"))
    return path


@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_a_teaching_sets_pairs(tmp_path, bom):
    path = pairs_file(tmp_path, 'p1\tHe said "no.\tShe left.\ttalk', "p2\tA\tB\ttalk", bom=bom)
    assert list(lo.read_pairs(path)) == [
        Pair("p1", ("p1.1", "p1.2"), ('He said "no.', "She left.")),
        Pair("p2", ("p2.1", "p2.2"), ("A", "B")),
    ]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("p1\tA\tB\ttalk", "pair p1 comes twice; give every pair an id of its own"),
        ("p2\tA\tB", "3 fields; give id first second topic, none empty"),
        ("p2\tA\t\ttalk", "4 fields; give id first second topic, none empty"),
        ("", "1 fields"),
    ],
)
def test_a_bad_line_of_pairs(tmp_path, row, problem):
    path = pairs_file(tmp_path, "p1\tA\tB\ttalk", row)
    with pytest.raises(TaskError) as raised:
        list(lo.read_pairs(path))
    assert f"{path}, line 3: {problem}" in str(raised.value)


def test_pairs_without_their_header(tmp_path):
    with pytest.raises(TaskError, match=r"pairs\.tsv, line 1: header \['p1', .*it must be id first second topic"):
        list(lo.read_pairs(pairs_file(tmp_path, header="p1\tA\tB\ttalk")))
    (tmp_path / "pairs.tsv").write_bytes(b"")
    with pytest.raises(TaskError, match=r"pairs\.tsv, line 1: an empty file; its header must be id first second topic"):
        list(lo.read_pairs(tmp_path / "pairs.tsv"))


def conllu(tmp_path, sentences: list[tuple[str, str]]) -> Path:
    path = tmp_path / "parses.conllu"
    blocks = []
    for id, text in sentences:
        lines = ("\t".join(map(str, vars(token).values())) for token in tagged(text))
        blocks.append(f"# sent_id = {id}\n" + "\n".join(lines) + "\n\n")
    path.write_text("".join(blocks), encoding="utf-8")
    return path


CAR, BUS = "A/DT car/NN ./.", "Two/CD buses/NNS"
TWO = [Pair("1", ("11", "12"), ("A car.", "Two buses")), Pair("2", ("12", "11"), ("Two buses", "A car."))]


def test_parses_are_found_by_id(tmp_path):
    path = conllu(tmp_path, [("12", BUS), ("99", "Spare/NN"), ("11", CAR)])
    found = lo.read_sentences(path, TWO)
    assert {id: [token.xpos for token in sentence] for id, sentence in found.items()} == {
        "11": ["DT", "NN", "."],
        "12": ["CD", "NNS"],
    }


@pytest.mark.parametrize(
    ("sentences", "problem"),
    [
        ([("11", CAR)], "no parse of sentence 12; parse the sentences again"),
        ([("11", CAR), ("12", "Two/CD bus/NN es/NNS")], "the parse of sentence 12 has other tokens; parse the sen"),
        ([("11", "a/DT car/NN ./."), ("12", BUS)], "the parse of sentence 11 has other tokens"),
        ([("11", CAR), ("12", BUS), ("11", CAR)], "sentence 11 has two parses; give every sentence an id of its own"),
    ],
)
def test_parses_that_do_not_fit(tmp_path, sentences, problem):
    with pytest.raises(TaskError) as raised:
        lo.read_sentences(conllu(tmp_path, sentences), TWO)
    assert "parses.conllu: " + problem in str(raised.value)


def test_load_of_another_set():
    with pytest.raises(TaskError, match="no set 'quora'; there are msrpc and paraphrases"):
        lo.load("quora")


# -------------------------------------------------------------------------------------------------------- the real data


@pytest.fixture(scope="module")
def real(mirror):
    return lo.load("msrpc")


@pytest.fixture(scope="module")
def databases(mirror) -> WordNetFacts:
    try:
        datasets.wordnet()
        datasets.fetch("scowl")
    except datasets.DataError as error:
        pytest.skip(f"needs WordNet and SCOWL: {error}")
    return WordNetFacts()


def test_msrpc_has_the_papers_7800_sentences_of_which_311_are_repeated(real):
    """`read_sentences` has compared the tokens of all of them with their parses'."""
    pairs, parsed = real
    ids = [id for pair in pairs for id in pair.ids]
    assert len(pairs) == 3900 and len(ids) == 7800
    assert len(ids) - len(set(ids)) == 311  # section 3.1
    assert set(ids) == set(parsed)
    texts = {id: text for pair in pairs for id, text in zip(pair.ids, pair.texts, strict=True)}
    assert all(tuple(token.form for token in parsed[id]) == lo.tokenise(text) for id, text in texts.items())
    assert all(pair.ids[0] != pair.ids[1] for pair in pairs)


def test_msrpcs_cases(real):
    """Without facts: no word has a substitute. Two ids have the same tokens."""
    pairs, parsed = real
    task = lo.build("msrpc", pairs, parsed, Excerpt({}, {}, frozenset(), frozenset()), seed=0)
    assert len(task) == 7800 and len(task.sentences) == 7488 and not any(task.versions)
    assert all(case.base != case.paraphrase for case in task.cases)
    assert Counter(case.pair for case in task.cases) == Counter({p: 2 for p in range(3900)})


@pytest.mark.slow
def test_versions_of_part_of_msrpc(real, databases):
    """The shape of the later draft's Table 2: most sentences have a synonym, two in five an antonym, few have more."""
    pairs, parsed = real
    task = lo.build("msrpc", pairs[:400], parsed, databases, seed=2016)
    (nouns, verbs, both), two = task.counts()[1], task.counts()[2]
    assert 0.8 < nouns / 800 < 0.95 and 0.3 < verbs / 800 < 0.5 and both <= min(nouns, verbs)
    assert two[0] < nouns and two[1] < verbs / 2
    for sentence, of in zip(task.sentences, task.versions, strict=True):
        assert all(len(version.tokens) == len(sentence) for version in of)


def test_wordnet_facts_of_the_example_in_section_4(databases):
    """*unions* become *brotherhoods* and *the government* the *authorities* by the most frequent sense, *remained*
    *changed* by the antonym of its synonym; *demanded* becomes *obviated* only by the union of all senses."""
    assert options("unions/NNS", databases) == {"unions": ["brotherhoods"]}
    assert "authorities" in options("government/NN", databases)["government"]
    assert "dialogues" in options("negotiations/NNS", databases)["negotiations"]
    assert options("remained/VBD", databases) == {"remained": ["changed"]}
    assert options("remained/VBD", databases, Rules(antonyms=lo.LEMMA)) == {}
    assert options("begin/VB", databases) == {"begin": ["end"]}
    assert options("including/VBG", databases) == {"including": ["excluding"]}
    assert options("demanded/VBD", databases) == {}
    assert options("demanded/VBD", databases, Rules(UNION)) == {"demanded": ["obviated"]}


@pytest.mark.parametrize(("text", "base", "generated", "tag"), [row[:4] for row in FIGURE_1])
def test_figure_1_with_wordnet_and_scowl(databases, text, base, generated, tag):
    tokens = lo.tokenise(text)
    found = options(" ".join(f"{token}/{tag if token == base else TAGS[token]}" for token in tokens), databases)
    assert generated in found[base]


def test_phrases_of_section_3_5(databases):
    assert lo.blocked("the chief financial officer met a police officer".split(), databases) == ((1, 4), (6, 8))


def test_forms_of_section_3_8(databases):
    token = tagged("cars/NNS").tokens[0]
    assert lo.fitted("automobile", token, databases) == "automobiles"
    assert lo.fitted("zorp", token, databases) is None
