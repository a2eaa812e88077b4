"""The quadruples of data/sample/invariance: size, form, dependencies, vocabulary, and the figures of the datasheet."""

from collections import Counter

import pytest
from teaching import length, table, wikipedia_counts

from cdsm_lib.tasks import invariance
from cdsm_lib.tasks.invariance import FORMS, Quadruple
from cdsm_lib.text.corpus import Sentence
from cdsm_lib.text.counts import STOP_WORDS
from cdsm_lib.text.dependencies import arcs

SET = "invariance"
LIGHT = {"come", "last", "continue", "happen"}


@pytest.fixture(scope="module")
def quadruples() -> tuple[Quadruple, ...]:
    return invariance.load("invariance")


def roles(quadruple: Quadruple, form: str) -> dict[str, str]:
    """The lemmas of what hangs on the verb, or on the noun made from it, by relation; passives as actives."""
    tree, event = getattr(quadruple, form), quadruple.noun if form == "nominal" else quadruple.verb
    (place,) = (token.id - 1 for token in tree if token.lemma == event)
    here = [arc for arc in arcs(tree, resolve_voice=True) if arc.governor == place]
    return {arc.relation: tree.tokens[arc.dependent].lemma for arc in here}


def of_noun(quadruple: Quadruple) -> tuple[str, str, str]:
    """Agent and patient of the noun made from the verb, and the patient's relation, agents as *by* or possessors."""
    around = {name: lemma for name, lemma in roles(quadruple, "nominal").items() if name != "det"}
    agent = around.pop("prep_by", None) or around.pop("poss")
    ((relation, patient),) = around.items()
    return agent, patient, relation


def lemmas(sentence: Sentence) -> Counter:
    return Counter(token.lemma for token in sentence)


def open_words(sentence: Sentence) -> Counter:
    return Counter(f"{t.lemma}|{t.upos}" for t in sentence if t.upos in ("NOUN", "VERB", "ADJ", "NUM"))


def arguments(quadruples) -> set[str]:
    return {roles(q, "active")[role] for q in quadruples for role in ("nsubj", "obj")}


def test_size_and_diversity(quadruples):
    kinds = Counter(q.kind for q in quadruples)
    assert len(quadruples) >= 48 and min(kinds.values()) >= 24 and set(kinds) == set(invariance.KINDS)
    assert [q.id for q in quadruples] == [f"q{i:02d}" for i in range(1, len(quadruples) + 1)]
    assert len({q.verb for q in quadruples}) == len(quadruples) and len(arguments(quadruples)) >= 100
    assert all((q.noun == q.verb) == (q.kind == "zero") for q in quadruples)


def test_roles_are_the_same_but_in_the_swapped_sentence(quadruples):
    for q in quadruples:
        active, passive, swapped = (roles(q, form) for form in ("active", "passive", "swapped"))
        assert passive.pop("auxpass") == "be" and active == passive and len(active) == 3
        assert of_noun(q)[:2] == (active["nsubj"], active["obj"])
        assert swapped == active | {"nsubj": active["obj"], "obj": active["nsubj"]} != active


def test_the_forms_differ_from_the_active_by_nothing_else(quadruples):
    """In the nominal the noun stands for the verb, and one light verb is added."""
    for q in quadruples:
        assert lemmas(q.active) == lemmas(q.swapped) and open_words(q.swapped) == open_words(q.passive)
        assert lemmas(q.passive) == lemmas(q.active) + Counter(["be", "by"])
        assert [t.lemma for t in q.passive if t.lemma not in ("be", "by")] == [t.lemma for t in q.swapped]
        (light,) = (token for token in q.nominal if token.upos in ("VERB", "AUX"))
        missing, added = open_words(q.active), open_words(q.nominal)
        assert light.lemma in LIGHT and light.head == 0 and missing - added == Counter([f"{q.verb}|VERB"])
        assert added - missing == Counter([f"{q.noun}|NOUN", f"{light.lemma}|VERB"])
    assert {"be", "by", "of"} <= STOP_WORDS
    found = invariance.probe(lambda a, b: (open_words(a) & open_words(b)).total(), quadruples)
    assert found.invariance == 0.5 and not found.wins("nominal").any() and found.means["unrelated"] == 0


def test_the_datasheet_states_the_counts(quadruples, sheet):
    sheet = " ".join(sheet.split())
    for kind in (*invariance.KINDS, "all"):
        alike = [q for q in quadruples if kind in (q.kind, "all")]
        by = sum("by" in lemmas(q.nominal) for q in alike)
        other = sum(of_noun(q)[2] != "prep_of" for q in alike)
        row = [len(alike), 4 * len(alike), len({q.verb for q in alike}), len(arguments(alike)), by, len(alike) - by]
        assert table(kind, *row, other) in sheet
    light = Counter(token.lemma for q in quadruples for token in q.nominal if token.upos == "VERB")
    assert all(f"*{lemma}* ({light[lemma]})" in sheet for lemma in LIGHT)
    for form in FORMS:
        lengths = [length(getattr(q, form)) for q in quadruples]
        assert 7 <= min(lengths) and max(lengths) <= 14 and f"{form} {min(lengths)} to {max(lengths)}" in sheet
    words = {word for q in quadruples for form in FORMS for word in open_words(getattr(q, form))}
    assert f"{sum(not word.endswith('|NUM') for word in words)} different nouns, verbs and adjectives" in sheet


def test_the_words_are_frequent(mirror, quadruples):
    count = wikipedia_counts()
    for q in quadruples:
        least = {f"{q.verb}|VERB": 300, f"{q.noun}|NOUN": 300}
        words = set().union(*(open_words(getattr(q, form)) for form in FORMS))
        assert [w for w in words if not w.endswith("|NUM") and count(w) < least.get(w, 1000)] == []
