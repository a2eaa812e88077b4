"""Lexical substitution: CoInCo's format, every construction of the ANVAN search on a tree of its own, the funnel on a
tiny text that can be followed by hand, the teaching set's format, and AP with ties and missing candidates."""

import lzma
from dataclasses import replace

import numpy as np
import pytest

from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction.lexical_substitution import Annotated, Decision
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import lexical_substitution as ls
from cdsm_lib.text.corpus import Sentence, sentence
from cdsm_lib.vectors.space import Space

# ---------------------------------------------------------------------------------------------------------------------
# Trees by hand


def text_from(*texts: str, annotated=None) -> anvan.Text:
    """A text of the sentences s1, s2 ... with the tokens s1.t1, s1.t2 ..."""
    sentences = []
    for number, tree in enumerate(map(sentence, texts), 1):
        tokens = (replace(token, misc=f"TokenID=s{number}.t{token.id}") for token in tree)
        sentences.append(Sentence(tuple(tokens), {"sent_id": f"s{number}"}))
    return anvan.Text("text", tuple(sentences), annotated or {})


COOKS = "young|ADJ/2/amod cook|NOUN/3/nsubj "
BUY_CHEESE = {"young cook buy old cheese"}
SOLD = "old|ADJ/2/amod cheese|NOUN/4/nsubjpass be|AUX/4/auxpass "
CLAUSES = [  # sentence, its readings, what each of them takes
    # own subject and direct object
    (COOKS + "buy|VERB/0/root fresh|ADJ/6/amod goat|NOUN/6/compound cheese|NOUN/3/dobj",
     {"young cook buy fresh cheese", "young cook buy goat cheese"}, ""),
    # every noun needs a modifier, before it
    (COOKS + "buy|VERB/0/root cheese|NOUN/3/dobj", set(), ""),
    (COOKS + "buy|VERB/0/root cheese|NOUN/3/dobj fresh|ADJ/4/amod", set(), ""),
    # conjoined adjectives modify the same noun
    (COOKS + "buy|VERB/0/root hard|ADJ/7/amod and|CCONJ/4/cc old|ADJ/4/conj cheese|NOUN/3/dobj",
     {"young cook buy hard cheese", "young cook buy old cheese"}, ""),
    # no other objects than direct ones
    (COOKS + "become|VERB/0/root good|ADJ/5/amod baker|NOUN/3/attr", set(), ""),
    (COOKS + "live|VERB/0/root in|ADP/3/prep old|ADJ/6/amod house|NOUN/4/pobj", set(), ""),
    # both of the paper's printed examples have such a subject
    ("alma|PROPN/5/nsubj ,|PUNCT/1/punct young|ADJ/4/amod cook|NOUN/1/appos buy|VERB/0/root bread|NOUN/5/dobj "
     "and|CCONJ/6/cc old|ADJ/9/amod cheese|NOUN/6/conj", BUY_CHEESE, "apposition, coordination"),
    # a relative pronoun stands for its noun, and so does none
    *(("young|ADJ/2/amod cook|NOUN/0/root " + pronoun + "/4/nsubj buy|VERB/2/relcl old|ADJ/6/amod cheese|NOUN/4/dobj",
       BUY_CHEESE, "relative clause") for pronoun in ("who|PRON", "that|DET")),
    ("old|ADJ/2/amod cheese|NOUN/0/root young|ADJ/4/amod cook|NOUN/5/nsubj buy|VERB/2/relcl", BUY_CHEESE,
     "relative clause"),
    # a subject shared with the verb above, also over a preposition; a verb with one of its own shares none
    *((COOKS + f"go|VERB/0/root to|PART/5/aux buy|VERB/3/{relation} old|ADJ/7/amod cheese|NOUN/5/dobj",
       BUY_CHEESE, "shared subject") for relation in ("conj", "xcomp", "advcl")),
    (COOKS + "live|VERB/0/root by|ADP/3/prep sell|VERB|VBG/4/pcomp old|ADJ/7/amod cheese|NOUN/5/dobj",
     {"young cook sell old cheese"}, "shared subject"),
    (COOKS + "talk|VERB/0/root and|CCONJ/3/cc guest|NOUN/6/nsubj buy|VERB/3/conj old|ADJ/8/amod cheese|NOUN/6/dobj",
     set(), ""),
    # participles, but no infinitive: old ways to buy old cheese
    ("young|ADJ/2/amod cook|NOUN/0/root buy|VERB|VBG/2/acl old|ADJ/5/amod cheese|NOUN/3/dobj", BUY_CHEESE,
     "participle"),
    ("old|ADJ/2/amod way|NOUN/0/root to|PART/4/aux buy|VERB/2/acl old|ADJ/6/amod cheese|NOUN/4/dobj", set(), ""),
    # no passives
    (SOLD + "buy|VERB|VBN/0/root small|ADJ/6/amod shop|NOUN/4/dobj", set(), ""),
    # an auxiliary is a verb only with an object
    (COOKS + "have|AUX/0/root old|ADJ/5/amod knife|NOUN/3/dobj", {"young cook have old knife"}, ""),
    (COOKS + "be|AUX/0/root good|ADJ/5/amod baker|NOUN/3/attr", set(), ""),
    ("young|ADJ/2/amod cook|NOUN/0/root old|ADJ/4/amod cheese|NOUN/5/nsubj be|AUX/2/relcl", set(), ""),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "phrases", "takes"), CLAUSES)
def test_clauses(tree, phrases, takes):
    readings = anvan.anvan_clauses(text_from(tree))
    assert {" ".join(map(ls.lemma_of, reading.words)) for reading in readings} == phrases
    assert {", ".join(sorted(reading.takes)) for reading in readings} <= {takes}


# ---------------------------------------------------------------------------------------------------------------------
# CoInCo's file

COINCO = """<?xml version="1.0"?>
<document><sent MASCfile="made-up.txt" MASCsentID="s-r0"><targetsentence>Cooks shout</targetsentence><tokens>
  <token id="1" wordform="Cooks" lemma="Cook" posMASC="NNS" posTT="NNS" problematic="no"><substitutions>
    <subst lemma="chef" pos="NN" freq="3" /><subst lemma="Chef" pos="NP" freq="1" />
    <subst lemma="kitchen hand" pos="NN NN" freq="2" /></substitutions></token>
  <token id="2" wordform="shout" lemma="shout" posMASC="VBP" posTT="NN" problematic="yes"><substitutions /></token>
  <token id="XXX" wordform="." lemma="." posMASC="XXX" posTT="SENT" />
</tokens></sent></document>
"""


def test_read_coinco(tmp_path):
    path, packed = tmp_path / "coinco.xml", tmp_path / "coinco.xml.xz"
    path.write_text(COINCO, encoding="utf-8")
    packed.write_bytes(lzma.compress(COINCO.encode()))
    assert anvan.read_coinco(path) == anvan.read_coinco(packed) == {
        "1": Annotated("1", "cook", ("NOUN", "NOUN"), False, {"chef": 4, "kitchen hand": 2}),
        "2": Annotated("2", "shout", ("VERB", "NOUN"), True),
    }  # fmt: skip


# ---------------------------------------------------------------------------------------------------------------------
# Tags, modifiers, names


@pytest.mark.parametrize(
    ("tags", "expected"),
    [((), "NOUN"), (("NOUN", "ADJ"), "NOUN"), (("ADJ", "ADJ"), "ADJ"), (("VERB", "ADJ"), None), ((None, None), None)],
)
def test_two_of_three_tags_decide(tags, expected):
    (token,) = sentence("x")
    assert anvan.tag_of(token, Annotated("1", "x", tags)) == expected
    assert anvan.tag_of(token, None) == "NOUN"


def test_right_tags_relabel_words_and_find_their_lemma():
    tree = "dry|VERB/2/amod fruit|NOUN/3/nsubj mak|VERB/0/root good|ADJ/5/amod present|NOUN/3/dobj"
    annotated = {
        "s1.t1": Annotated("s1.t1", "dried", ("ADJ", "ADJ")),
        "s1.t2": Annotated("s1.t2", "fruit", ("NOUN", "VERB")),
        "s1.t3": Annotated("s1.t3", "make", ("VERB", "VERB")),
    }
    text = text_from(tree, annotated=annotated)
    readings = anvan.anvan_clauses(text)
    assert readings[0].words[0] == "dry|VERB"
    (right,) = anvan.right_tags(readings, text, {"make|VERB": 9})
    assert right.words == ("dried|ADJ", "fruit|NOUN", "make|VERB", "good|ADJ", "present|NOUN")
    annotated["s1.t2"] = Annotated("s1.t2", "fruit", ("VERB", "ADJ"))
    assert not anvan.right_tags(readings, anvan.Text("t", text.sentences, annotated), {})


@pytest.mark.parametrize("fragment", ["29", "s.", "%", "b", "_"])
def test_fragments_are_no_words(fragment):
    text = text_from(f"{fragment}|NOUN/2/compound cook|NOUN/3/nsubj buy|VERB/0/root fresh|ADJ/5/amod cheese/3/dobj")
    readings = anvan.anvan_clauses(text)
    assert len(readings) == 1 and not anvan.right_tags(readings, text, {})


def reading_at(places=(1, 2, 3, 4, 5), words=("x|NOUN",) * 5, takes=()) -> anvan.Reading:
    tokens = (replace(token, id=id) for token, id in zip(sentence("x x x x x"), places, strict=True))
    return anvan.Reading(0, tuple(tokens), frozenset(takes), tuple(words))


def test_one_reading_a_clause():
    rich, plain = reading_at((1, 3, 4, 5, 6), takes={"apposition"}), reading_at((1, 3, 4, 8, 9))
    assert anvan.one_reading([plain, rich], {plain: 4, rich: 5}) == [rich]
    assert anvan.one_reading([rich, plain], {plain: 5, rich: 5}) == [plain]
    near, modifier = reading_at((1, 3, 4, 5, 6)), reading_at((2, 3, 4, 5, 6))
    assert anvan.one_reading([plain, near, modifier], {plain: 5, near: 5, modifier: 5}) == [modifier]
    other = reading_at((1, 3, 7, 8, 9))
    assert anvan.one_reading([other, near], {near: 1, other: 1}) == [near, other]


# ---------------------------------------------------------------------------------------------------------------------
# Substitutes and confounders


def test_targets_need_two_known_single_words():
    tree = "young|ADJ/2/amod cook|NOUN/3/nsubj buy|VERB/0/root fresh|ADJ/5/amod cheese|NOUN/3/dobj"
    annotated = {
        "s1.t1": Annotated("s1.t1", "young", substitutes={"early": 1, "not old": 3, "young": 2}),
        "s1.t2": Annotated("s1.t2", "cook", substitutes={"chef": 2, "baker": 1, "kitchen hand": 4}),
        "s1.t3": Annotated("s1.t3", "buy", substitutes={"purchase": 3, "acquire": 1, "cop": 1}),
        "s1.t4": Annotated("s1.t4", "fresh", problematic=True, substitutes={"new": 3, "young": 1}),
    }
    text = text_from(tree, annotated=annotated)
    (reading,) = anvan.anvan_clauses(text)
    assert anvan.targets(reading, text) == {
        1: {"chef|NOUN": 2, "baker|NOUN": 1},
        2: {"purchase|VERB": 3, "acquire|VERB": 1, "cop|VERB": 1},
    }
    frequency = {"purchase|VERB": 6, "acquire|VERB": 6, "cop|VERB": 5, "chef|NOUN": 100, "baker|VERB": 100}
    assert anvan.targets(reading, text, frequency) == {2: {"purchase|VERB": 3, "acquire|VERB": 1}}


@pytest.mark.parametrize(
    ("pool", "beyond", "rejected", "expected"),
    [
        # logarithms: b is 1.20 from s1, a is 1.39; then c is .11 from s2
        ("abc", "", "", "bc"),
        ("abc", "", "b", "ac"),
        ("abc", "", "c", "ba"),
        # from beyond only when the pool is dry
        ("ab", "dc", "", "ba"),
        ("ab", "dc", "a", "db"),
        ("ab", "dc", "dab", "c"),
    ],
)
def test_confounders_match_the_substitutes_in_frequency(pool, beyond, rejected, expected):
    frequency = {"s1": 100, "s2": 10, "a": 400, "b": 30, "c": 9, "d": 90}
    assert anvan.confounders(list(pool), list(beyond), ("s1", "s2"), frequency, set(rejected)) == tuple(expected)


# ---------------------------------------------------------------------------------------------------------------------
# All of it, on a text that can be followed by hand


@pytest.fixture
def tiny():
    """Two clauses; only the first has targets: both modifiers of its object, but not its subject's."""
    first = ("young|ADJ/2/amod cook|NOUN/3/nsubj buy|VERB/0/root hard|ADJ/6/amod goat|NOUN/6/compound "
                   "cheese|NOUN/3/dobj")  # fmt: skip
    second = ("old|ADJ/2/amod cook|NOUN/0/root who|PRON/4/nsubj own|VERB/2/relcl big|ADJ/6/amod "
                    "house|NOUN/4/dobj")  # fmt: skip
    annotated = {
        "s1.t2": Annotated("s1.t2", "cook", substitutes={"chef": 3, "baker": 1}),
        "s1.t3": Annotated("s1.t3", "buy", substitutes={"purchase": 3, "cop": 1}),
        "s1.t4": Annotated("s1.t4", "hard", substitutes={"firm": 2, "solid": 1, "stiff": 1}),
    }
    text = text_from(first, second, annotated=annotated)
    words = ("young|ADJ cook|NOUN buy|VERB hard|ADJ goat|NOUN cheese|NOUN old|ADJ own|VERB big|ADJ house|NOUN "
             "chef|NOUN baker|NOUN purchase|VERB firm|ADJ stiff|ADJ").split()  # fmt: skip
    frequency = dict.fromkeys(words, 50) | {"solid|ADJ": 60, "cop|VERB": 2, "waiter|NOUN": 40, "host|NOUN": 70}
    frequency |= {"soft|ADJ": 55, "tough|ADJ": 500, "icy|ADJ": 45}
    rows = "cook|NOUN chef|NOUN waiter|NOUN host|NOUN hard|ADJ soft|ADJ tough|ADJ icy|ADJ stiff|ADJ".split()
    angle = np.array([0, 0.1, 0.2, 0.3, 0, 0.1, 0.2, 0.3, 0.15])
    space = Space(rows, np.c_[np.cos(angle), np.sin(angle)])
    return text, frequency, {"goat|NOUN": 2}, space


def test_build_by_hand(tiny):
    built = anvan.build(*tiny, {})
    steps = {step.name: (step.phrases, step.targets) for step in built.funnel}
    assert steps["own subject and direct object"] == (1, 3)
    assert steps["clauses with an ANVAN"] == steps["right tags"] == (2, 3)
    assert steps["all words known"] == (2, 3)
    assert steps["two substitutes known"] == (1, 2)  # cop is too rare, and so buy has only one
    assert steps["each token once, two confounders"] == (1, 2)
    assert (built.funnel[-1].phrases, built.funnel[-1].targets) == (1, 2)
    cook, hard = built.task.items
    assert cook.phrase is hard.phrase and built.task.phrases == (cook.phrase,)
    assert cook.target == "cook|NOUN" and str(cook.phrase) == "young cook buy hard cheese"
    assert cook.candidates == ("chef|NOUN", "baker|NOUN", "waiter|NOUN", "host|NOUN")
    assert cook.phrase.places == (0, 1, 2, 3, 5) and cook.phrase.id == "s1"
    assert cook.phrase.sentence[4] == "goat|NOUN"
    assert (hard.id, hard.position, hard.target) == ("s1.t4", 3, "hard|ADJ")
    assert hard.substitutes == ("firm|ADJ", "solid|ADJ")  # firm has two votes, solid is more frequent than stiff
    # ln(50/45) = .105 and ln(55/50) = .095: soft goes to firm; icy, not tough, goes to solid
    assert hard.confounders == ("soft|ADJ", "icy|ADJ")
    assert built.provisional == 4
    words = ls.vocabulary(built.task)
    assert words == sorted(set(words))
    assert {"cheese|NOUN", "waiter|NOUN", "soft|ADJ", "solid|ADJ"} <= set(words) and "goat|NOUN" not in words


def decided(**kept) -> dict[tuple[str, str], Decision]:
    return {("s1.t4", word): Decision(yes, "a reason") for word, yes in kept.items()}


@pytest.mark.parametrize(
    ("decisions", "confounders", "provisional"),
    [
        (decided(soft=False, tough=True), ("icy|ADJ", "tough|ADJ"), 3),
        (decided(soft=False, tough=True, icy=False), None, 2),  # one alone makes no item
    ],
)
def test_build_follows_the_hand_check(tiny, decisions, confounders, provisional):
    built = anvan.build(*tiny, decisions)
    cook, *hard = built.task.items
    assert cook.id == "s1.t2" and [item.confounders for item in hard] == ([confounders] if confounders else [])
    assert (built.provisional, built.funnel[-1].targets) == (provisional, 1 + len(hard))


# ---------------------------------------------------------------------------------------------------------------------
# Files

DECISIONS, SUBSTITUTES = "item / candidate / decision / reason", "item / position / lemma / substitute / votes"


def table(path, *rows: str):
    path.write_text("".join("\t".join(row.split(" / ")) + "\n" for row in rows), encoding="utf-8")
    return path


def test_read_decisions_and_substitutes(tmp_path):
    path = table(tmp_path / "d.tsv", DECISIONS, "7 / soft / rejected / unrelated", "7 / tough / kept / wrong here")
    soft, tough = Decision(False, "unrelated"), Decision(True, "wrong here")
    assert anvan.read_decisions(path) == {("7", "soft"): soft, ("7", "tough"): tough}
    rows = ("s1.t2 / 1 / cook / chef / 3", "s1.t2 / 1 / cook / kitchen hand / 1", "s1.t3 / 2 / buy / purchase / 2")
    assert anvan.read_substitutes(table(tmp_path / "s1.tsv", SUBSTITUTES, *rows)) == {
        "s1.t2": Annotated("s1.t2", "cook", substitutes={"chef": 3, "kitchen hand": 1}),
        "s1.t3": Annotated("s1.t3", "buy", substitutes={"purchase": 2}),
    }


def test_one_parsed_text_in_a_folder(tmp_path):
    for name in ("first.conllu", "second.conllu"):
        (tmp_path / name).touch()
    with pytest.raises(TaskError, match="one .conllu file expected"):
        ls.parse_in(tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# The real corpus


def test_coinco(mirror):
    """Its sizes are those of the datasheet. Both printed examples of the paper are among its clauses, by token id.
    Neither subject is the verb's own, for both are appositions, and the second is also shared; both objects are direct.

    The structure alone changes with no corpus or space. Tags, noun modifiers and names then take their share."""
    text = anvan.coinco()
    assert len(text.sentences) == 2474 and len(text.annotated) == 15629
    assert sum(annotated.problematic for annotated in text.annotated.values()) == 214
    readings = anvan.anvan_clauses(text)
    takes = {tuple(map(ls.token_id, reading.tokens)): reading.takes for reading in readings}
    assert takes["9367", "9368", "9369", "9370", "9371"] == {"apposition"}  # Table 1
    assert takes[None, None, "13889", "13891", "13892"] == {"apposition", "shared subject"}  # section 4
    assert 110 <= len({reading.clause for reading in readings}) <= 130
