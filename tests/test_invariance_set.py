"""The quadruples of data/sample/invariance: size, form, dependencies, vocabulary, and the figures of the datasheet."""

from collections import Counter

import pytest
from teaching import length, table, wikipedia_counts

from cdsm_lib.tasks import invariance
from cdsm_lib.tasks.invariance import FORMS, Quadruple
from cdsm_lib.text.corpus import Sentence, Token
from cdsm_lib.text.counts import STOP_WORDS

SET = "invariance"
OPEN = ("NOUN", "VERB", "ADJ", "NUM")
LIGHT = {"come", "last", "continue", "happen"}


@pytest.fixture(scope="module")
def quadruples() -> tuple[Quadruple, ...]:
    return invariance.load("invariance")


@pytest.fixture(scope="module")
def sheet(folder) -> str:
    return " ".join((folder / "README.md").read_text(encoding="utf-8").split())


def only(tokens) -> Token:
    found = list(tokens)
    assert len(found) == 1, found
    return found[0]


def below(sentence: Sentence, head: Token, deprel: str) -> Token:
    return only(token for token in sentence if token.head == head.id and token.deprel == deprel)


def predicate(quadruple: Quadruple, sentence: Sentence) -> Token:
    verb = only(token for token in sentence if (token.lemma, token.upos) == (quadruple.verb, "VERB"))
    assert (verb.head, verb.deprel) == (0, "root")
    return verb


def active_roles(quadruple: Quadruple, sentence: Sentence) -> tuple[str, str]:
    """Agent and patient: subject and direct object of the verb."""
    verb = predicate(quadruple, sentence)
    return below(sentence, verb, "nsubj").lemma, below(sentence, verb, "dobj").lemma


def passive_roles(quadruple: Quadruple) -> tuple[str, str]:
    verb = predicate(quadruple, quadruple.passive)
    by = below(quadruple.passive, verb, "agent")
    return below(quadruple.passive, by, "pobj").lemma, below(quadruple.passive, verb, "nsubjpass").lemma


def event(quadruple: Quadruple) -> Token:
    return only(t for t in quadruple.nominal if (t.lemma, t.upos) == (quadruple.noun, "NOUN"))


def nominal_roles(quadruple: Quadruple) -> tuple[str, str, str]:
    """Agent, patient, and the preposition before the patient: the agent is a possessor or stands after *by*."""
    sentence, noun = quadruple.nominal, event(quadruple)
    of = {t.lemma: below(sentence, t, "pobj").lemma for t in sentence if t.head == noun.id and t.deprel == "prep"}
    agent = of.pop("by", None) or below(sentence, noun, "poss").lemma
    ((preposition, patient),) = of.items()
    return agent, patient, preposition


def lemmas(sentence: Sentence) -> Counter:
    return Counter(token.lemma for token in sentence)


def open_words(sentence: Sentence) -> Counter:
    return Counter(f"{token.lemma}|{token.upos}" for token in sentence if token.upos in OPEN)


def arguments(quadruples) -> set[str]:
    return {noun for q in quadruples for noun in active_roles(q, q.active)}


def test_size_and_diversity(quadruples):
    kinds = Counter(q.kind for q in quadruples)
    assert len(quadruples) >= 48 and min(kinds.values()) >= 24 and set(kinds) == set(invariance.KINDS)
    assert [q.id for q in quadruples] == [f"q{i:02d}" for i in range(1, len(quadruples) + 1)]
    assert len({q.verb for q in quadruples}) == len(quadruples)
    assert len(arguments(quadruples)) >= 100
    assert all((q.noun == q.verb) == (q.kind == "zero") for q in quadruples)


def test_roles_are_the_same_but_in_the_swapped_sentence(quadruples):
    for q in quadruples:
        agent, patient = active_roles(q, q.active)
        assert agent != patient
        assert passive_roles(q) == (agent, patient)
        assert nominal_roles(q)[:2] == (agent, patient)
        assert active_roles(q, q.swapped) == (patient, agent)


def test_the_adjunct_belongs_to_the_main_verb(quadruples):
    for q in quadruples:
        for sentence in (getattr(q, form) for form in FORMS):
            root = only(token for token in sentence if token.head == 0)
            assert root.upos == "VERB"
            below(sentence, root, "prep")


def test_passive_and_swapped_differ_from_the_active_by_nothing_else(quadruples):
    for q in quadruples:
        assert lemmas(q.active) == lemmas(q.swapped)
        assert open_words(q.active) == open_words(q.swapped) == open_words(q.passive)
        assert lemmas(q.passive) == lemmas(q.active) + Counter(["be", "by"])
        assert [t.lemma for t in q.passive if t.lemma not in ("be", "by")] == [t.lemma for t in q.swapped]
    assert {"be", "by", "of"} <= STOP_WORDS


def test_the_nominal_has_the_noun_for_the_verb_and_one_light_verb(quadruples):
    for q in quadruples:
        light = only(token for token in q.nominal if token.upos in ("VERB", "AUX"))
        assert light.lemma in LIGHT and event(q).deprel == "nsubj" and event(q).head == light.id
        missing, added = open_words(q.active), open_words(q.nominal)
        assert missing - added == Counter([f"{q.verb}|VERB"])
        assert added - missing == Counter([f"{q.noun}|NOUN", f"{light.lemma}|VERB"])


def test_a_bag_of_content_words_cannot_tell_passive_from_swapped(quadruples):
    def overlap(a, b):
        return float((open_words(a) & open_words(b)).total())

    found = invariance.probe(overlap, quadruples)
    assert found.invariance == 0.5 and not found.wins("nominal").any()
    assert found.means["unrelated"] == 0


def test_the_datasheet_states_the_counts(quadruples, sheet):
    for kind in (*invariance.KINDS, "all"):
        own = [q for q in quadruples if kind in (q.kind, "all")]
        by = sum("by" in lemmas(q.nominal) for q in own)
        other = sum(nominal_roles(q)[2] != "of" for q in own)
        row = [len(own), 4 * len(own), len({q.verb for q in own}), len(arguments(own)), by, len(own) - by, other]
        assert table(kind, *row) in sheet
    light = Counter(only(t for t in q.nominal if t.upos == "VERB").lemma for q in quadruples)
    for lemma in LIGHT:
        assert f"*{lemma}* ({light[lemma]})" in sheet
    for form in FORMS:
        lengths = [length(getattr(q, form)) for q in quadruples]
        assert 7 <= min(lengths) and max(lengths) <= 14 and f"{form} {min(lengths)} to {max(lengths)}" in sheet
    words = {word for q in quadruples for form in FORMS for word in open_words(getattr(q, form))}
    assert f"{len([w for w in words if not w.endswith('|NUM')])} different nouns, verbs and adjectives" in sheet


def test_the_words_are_frequent(mirror, quadruples):
    count = wikipedia_counts()
    for q in quadruples:
        least = {f"{q.verb}|VERB": 300, f"{q.noun}|NOUN": 300}
        words = set().union(*(open_words(getattr(q, form)) for form in FORMS))
        assert [w for w in words if not w.endswith("|NUM") and count(w) < least.get(w, 1000)] == []
