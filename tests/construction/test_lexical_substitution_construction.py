"""Lexical substitution: CoInCo's format, every construction of the ANVAN search on a tree of its own, the funnel on a
tiny text that can be followed by hand, the teaching set's format, and AP with ties and missing candidates."""

import lzma

import numpy as np
import pytest

from cdsm_lib.construction import lexical_substitution as anvan
from cdsm_lib.construction.lexical_substitution import Annotated, Decision
from cdsm_lib.tables import TaskError
from cdsm_lib.tasks import lexical_substitution as ls
from cdsm_lib.vectors.space import Space

# ---------------------------------------------------------------------------------------------------------------------
# Trees by hand: "form/lemma/UPOS/XPOS/head/deprel", a * after the form marks an annotated token


def conllu(sent_id: str, *tokens: str) -> str:
    lines = [f"# sent_id = {sent_id}"]
    for number, token in enumerate(tokens, 1):
        form, lemma, upos, xpos, head, deprel = token.split("/")
        misc = f"TokenID={sent_id}.t{number}" if form.endswith("*") else "_"
        lines.append("\t".join((str(number), form.rstrip("*"), lemma, upos, xpos, "_", head, deprel, "_", misc)))
    return "\n".join(lines) + "\n\n"


def text_from(tmp_path, *sentences: str, annotated=None) -> anvan.Text:
    path = tmp_path / "text.conllu"
    path.write_text("".join(sentences), encoding="utf-8")
    return anvan.text_of(path, annotated or {})


def found(tmp_path, *tokens: str) -> dict[str, set[str]]:
    """Readings of one sentence: the phrase's lemmas, and the constructions that it takes."""
    readings = anvan.anvan_clauses(text_from(tmp_path, conllu("s", *tokens)))
    return {" ".join(ls.lemma_of(word) for word in reading.words): set(reading.takes) for reading in readings}


SUBJECT = ("young/young/ADJ/JJ/2/amod", "cooks/cook/NOUN/NNS/3/nsubj")


def test_own_subject_and_direct_object(tmp_path):
    tokens = (*SUBJECT, "buy/buy/VERB/VBP/0/root", "fresh/fresh/ADJ/JJ/6/amod", "goat/goat/NOUN/NN/6/compound",
              "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy fresh cheese": set(), "young cook buy goat cheese": set()}


def test_every_noun_needs_a_modifier_before_it(tmp_path):
    assert not found(tmp_path, *SUBJECT, "buy/buy/VERB/VBP/0/root", "cheese/cheese/NOUN/NN/3/dobj")
    tokens = (*SUBJECT, "buy/buy/VERB/VBP/0/root", "cheese/cheese/NOUN/NN/3/dobj", "fresh/fresh/ADJ/JJ/4/amod")
    assert not found(tmp_path, *tokens)


def test_conjoined_adjectives_modify_the_same_noun(tmp_path):
    tokens = (*SUBJECT, "buy/buy/VERB/VBP/0/root", "hard/hard/ADJ/JJ/7/amod", "and/and/CCONJ/CC/4/cc",
              "old/old/ADJ/JJ/4/conj", "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    assert set(found(tmp_path, *tokens)) == {"young cook buy hard cheese", "young cook buy old cheese"}


OBJECTS = [
    # what, tokens after "young cooks", phrase, constructions
    (
        "predicative",
        ("become/become/VERB/VBP/0/root", "good/good/ADJ/JJ/5/amod", "bakers/baker/NOUN/NNS/3/attr"),
        "young cook become good baker",
    ),
    (
        "preposition",
        ("live/live/VERB/VBP/0/root", "in/in/ADP/IN/3/prep", "old/old/ADJ/JJ/6/amod", "houses/house/NOUN/NNS/4/pobj"),
        "young cook live old house",
    ),
    (
        "preposition",
        ("come/come/VERB/VBP/0/root", "out/out/ADP/IN/3/prep", "of/of/ADP/IN/4/prep", "old/old/ADJ/JJ/7/amod",
         "houses/house/NOUN/NNS/5/pobj"),
        "young cook come old house",
    ),
]  # fmt: skip


@pytest.mark.parametrize("construction, rest, phrase", OBJECTS)
def test_kinds_of_object(tmp_path, construction, rest, phrase):
    assert found(tmp_path, *SUBJECT, *rest) == {phrase: {construction}}


def test_apposition_and_coordination(tmp_path):
    """Both of the paper's printed examples have such a subject."""
    tokens = ("Alma/alma/PROPN/NNP/5/nsubj", ",/,/PUNCT/,/1/punct", "young/young/ADJ/JJ/4/amod",
              "cook/cook/NOUN/NN/1/appos", "bought/buy/VERB/VBD/0/root", "bread/bread/NOUN/NN/5/dobj",
              "and/and/CCONJ/CC/6/cc", "old/old/ADJ/JJ/9/amod", "cheese/cheese/NOUN/NN/6/conj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"apposition", "coordination"}}


def test_relative_pronoun_stands_for_its_noun(tmp_path):
    tokens = ("young/young/ADJ/JJ/2/amod", "cooks/cook/NOUN/NNS/0/root", "who/who/PRON/WP/4/nsubj",
              "buy/buy/VERB/VBP/2/relcl", "old/old/ADJ/JJ/6/amod", "cheese/cheese/NOUN/NN/4/dobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"relative clause"}}
    that = [token.replace("who/who/PRON/WP", "that/that/DET/WDT") for token in tokens]
    assert found(tmp_path, *that) == {"young cook buy old cheese": {"relative clause"}}


def test_bare_relative_clause(tmp_path):
    tokens = ("old/old/ADJ/JJ/2/amod", "cheese/cheese/NOUN/NN/0/root", "young/young/ADJ/JJ/4/amod",
              "cooks/cook/NOUN/NNS/5/nsubj", "buy/buy/VERB/VBP/2/relcl")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"relative clause"}}


@pytest.mark.parametrize("relation", ["conj", "xcomp", "advcl"])
def test_subject_shared_with_the_verb_above(tmp_path, relation):
    tokens = (*SUBJECT, "go/go/VERB/VBP/0/root", "to/to/PART/TO/5/aux", f"buy/buy/VERB/VB/3/{relation}",
              "old/old/ADJ/JJ/7/amod", "cheese/cheese/NOUN/NN/5/dobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"shared subject"}}


def test_subject_shared_over_a_preposition(tmp_path):
    tokens = (*SUBJECT, "live/live/VERB/VBP/0/root", "by/by/ADP/IN/3/prep", "selling/sell/VERB/VBG/4/pcomp",
              "old/old/ADJ/JJ/7/amod", "cheese/cheese/NOUN/NN/5/dobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook sell old cheese": {"shared subject"}}


def test_a_verb_with_a_subject_of_its_own_shares_none(tmp_path):
    tokens = (*SUBJECT, "talk/talk/VERB/VBP/0/root", "and/and/CCONJ/CC/3/cc", "guests/guest/NOUN/NNS/6/nsubj",
              "buy/buy/VERB/VB/3/conj", "old/old/ADJ/JJ/8/amod", "cheese/cheese/NOUN/NN/6/dobj")  # fmt: skip
    assert not found(tmp_path, *tokens)


def test_participles(tmp_path):
    tokens = ("young/young/ADJ/JJ/2/amod", "cooks/cook/NOUN/NNS/0/root", "buying/buy/VERB/VBG/2/acl",
              "old/old/ADJ/JJ/5/amod", "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"participle"}}
    tokens = ("old/old/ADJ/JJ/2/amod", "cheese/cheese/NOUN/NN/0/root", "bought/buy/VERB/VBN/2/acl",
              "by/by/ADP/IN/3/agent", "young/young/ADJ/JJ/6/amod", "cooks/cook/NOUN/NNS/4/pobj")  # fmt: skip
    assert found(tmp_path, *tokens) == {"young cook buy old cheese": {"participle", "passive"}}
    infinitive = ("old/old/ADJ/JJ/2/amod", "ways/way/NOUN/NNS/0/root", "to/to/PART/TO/4/aux",
                  "buy/buy/VERB/VB/2/acl", "old/old/ADJ/JJ/6/amod", "cheese/cheese/NOUN/NN/4/dobj")  # fmt: skip
    assert not found(tmp_path, *infinitive)


def test_passives(tmp_path):
    start = ("old/old/ADJ/JJ/2/amod", "cheese/cheese/NOUN/NN/4/nsubjpass", "is/be/AUX/VBZ/4/auxpass",
             "bought/buy/VERB/VBN/0/root")  # fmt: skip
    agent = ("by/by/ADP/IN/4/agent", "young/young/ADJ/JJ/7/amod", "cooks/cook/NOUN/NNS/5/pobj")
    assert found(tmp_path, *start, *agent) == {"young cook buy old cheese": {"passive"}}
    place = ("in/in/ADP/IN/4/prep", "small/small/ADJ/JJ/7/amod", "shops/shop/NOUN/NNS/5/pobj")
    assert found(tmp_path, *start, *place) == {"old cheese buy small shop": {"passive", "preposition"}}
    object_ = ("small/small/ADJ/JJ/6/amod", "shops/shop/NOUN/NNS/4/dobj")
    assert not found(tmp_path, *start, *object_)


def test_conjoined_participle_shares_the_passive(tmp_path):
    tokens = ("old/old/ADJ/JJ/2/amod", "cheese/cheese/NOUN/NN/4/nsubjpass", "is/be/AUX/VBZ/4/auxpass",
              "made/make/VERB/VBN/0/root", "and/and/CCONJ/CC/4/cc", "sold/sell/VERB/VBN/4/conj",
              "in/in/ADP/IN/6/prep", "small/small/ADJ/JJ/9/amod", "shops/shop/NOUN/NNS/7/pobj")  # fmt: skip
    takes = {"passive", "preposition", "shared subject"}
    assert found(tmp_path, *tokens) == {"old cheese sell small shop": takes}


def test_auxiliary_only_with_an_object(tmp_path):
    tokens = (*SUBJECT, "have/have/AUX/VBP/0/root", "old/old/ADJ/JJ/5/amod", "knives/knife/NOUN/NNS/3/dobj")
    assert set(found(tmp_path, *tokens)) == {"young cook have old knife"}
    copula = (*SUBJECT, "are/be/AUX/VBP/0/root", "good/good/ADJ/JJ/5/amod", "bakers/baker/NOUN/NNS/3/attr")
    assert not found(tmp_path, *copula)


# ---------------------------------------------------------------------------------------------------------------------
# CoInCo's file

COINCO = """<?xml version="1.0"?>
<document>
  <sent MASCfile="made-up.txt" MASCsentID="s-r0" >
    <precontext>Before.</precontext>
    <targetsentence>Cooks shout</targetsentence>
    <postcontext></postcontext>
    <tokens>
      <token id="1" wordform="Cooks" lemma="Cook" posMASC="NNS" posTT="NNS" problematic="no" >
        <substitutions>
          <subst lemma="chef" pos="NN" freq="3" />
          <subst lemma="Chef" pos="NP" freq="1" />
          <subst lemma="kitchen hand" pos="NN NN" freq="2" />
        </substitutions>
      </token>
      <token id="2" wordform="shout" lemma="shout" posMASC="VBP" posTT="NN" problematic="yes" >
        <substitutions>
        </substitutions>
      </token>
      <token id="XXX" wordform="." lemma="." posMASC="XXX" posTT="SENT" />
    </tokens>
  </sent>
</document>
"""


def test_read_coinco(tmp_path):
    path = tmp_path / "coinco.xml"
    path.write_text(COINCO, encoding="utf-8")
    (sentence,) = anvan.read_coinco(path)
    assert (sentence.file, sentence.id) == ("made-up.txt", "s-r0")
    cooks, shout, stop = sentence.tokens
    assert (cooks.id, cooks.form, cooks.lemma, cooks.pos_masc, cooks.pos_tt) == ("1", "Cooks", "Cook", "NNS", "NNS")
    assert cooks.substitutes[2] == anvan.CoincoSubstitute("kitchen hand", "NN NN", 2)
    assert shout.problematic and not cooks.problematic
    assert stop.id is None and not stop.substitutes
    packed = tmp_path / "coinco.xml.xz"
    packed.write_bytes(lzma.compress(COINCO.encode()))
    assert anvan.read_coinco(packed) == [sentence]
    annotated = anvan.annotations_of([sentence])
    assert annotated["1"] == Annotated("1", "cook", ("NOUN", "NOUN"), False, {"chef": 4, "kitchen hand": 2})
    assert annotated["2"].tags == ("VERB", "NOUN") and annotated["2"].problematic


@pytest.mark.parametrize(
    "old, new, line, problem",
    [
        ("</document>", "", 23, "not well-formed"),
        ('<token id="2"', '<token id="1"', 15, "already in line 8"),
        ('<token id="2"', '<token id="two"', 15, "neither a number"),
        ('problematic="yes"', 'problematic="perhaps"', 15, "yes or no"),
        ('freq="3"', 'freq="0"', 10, "number from 1"),
        ('freq="3"', 'freq="many"', 10, "number from 1"),
        ('<token id="1" ', '<token id="XXX" ', 10, "without id"),
        (' posTT="SENT"', "", 19, "lacks posTT"),
        ("<precontext>Before.</precontext>", "<title/>", 4, "not CoInCo's format"),
        ("<document>", "<!DOCTYPE document []><document>", 2, "DOCTYPE"),
    ],
)
def test_bad_coinco_names_file_and_line(tmp_path, old, new, line, problem):
    path = tmp_path / "coinco.xml"
    path.write_text(COINCO.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TaskError, match=problem) as caught:
        anvan.read_coinco(path)
    assert (caught.value.path, caught.value.line) == ("coinco.xml", line)
    assert str(caught.value).startswith(f"coinco.xml, line {line}: ")


def test_empty_and_damaged_coinco(tmp_path):
    path = tmp_path / "coinco.xml"
    path.write_text("<document></document>")
    with pytest.raises(TaskError, match="no sentences"):
        anvan.read_coinco(path)
    packed = tmp_path / "coinco.xml.xz"
    packed.write_bytes(lzma.compress(COINCO.encode())[:-30])
    with pytest.raises(TaskError, match="damaged"):
        anvan.read_coinco(packed)


def test_parsed_text_and_annotations_must_match(tmp_path):
    sentence = conllu("s1", "cooks*/cook/NOUN/NNS/2/nsubj", "shout/shout/VERB/VBP/0/root")
    text = text_from(tmp_path, sentence, annotated={"s1.t1": Annotated("s1.t1", "cook")})
    assert text.of(text.sentences[0].tokens[0]).lemma == "cook" and text.of(text.sentences[0].tokens[1]) is None
    with pytest.raises(TaskError, match="the first s1.t1, are not in the annotations"):
        text_from(tmp_path, sentence)
    both = {"s1.t1": Annotated("s1.t1", "cook"), "s9.t1": Annotated("s9.t1", "cook")}
    with pytest.raises(TaskError, match="the first s9.t1, are not in the parsed text"):
        text_from(tmp_path, sentence, annotated=both)
    with pytest.raises(TaskError, match="of an earlier one"):
        text_from(tmp_path, sentence, sentence)
    with pytest.raises(TaskError, match="no '# sent_id ='"):
        text_from(tmp_path, sentence.replace("# sent_id = s1\n", ""))
    with pytest.raises(TaskError, match="s1.t1 in s2 and in s1"):
        text_from(tmp_path, sentence, sentence.replace("sent_id = s1", "sent_id = s2"))


# ---------------------------------------------------------------------------------------------------------------------
# Tags, modifiers, names


def test_two_of_three_tags_decide():
    token = anvan.Token(1, "x", "x", "NOUN", "NN", "_", 0, "root", "_", "_")
    assert anvan.tag_of(token, None) == "NOUN"
    assert anvan.tag_of(token, Annotated("1", "x")) == "NOUN"
    assert anvan.tag_of(token, Annotated("1", "x", ("NOUN", "ADJ"))) == "NOUN"
    assert anvan.tag_of(token, Annotated("1", "x", ("ADJ", "ADJ"))) == "ADJ"
    assert anvan.tag_of(token, Annotated("1", "x", ("VERB", "ADJ"))) is None
    assert anvan.tag_of(token, Annotated("1", "x", (None, None))) is None


def test_right_tags_relabel_words_and_find_their_lemma(tmp_path):
    tokens = ("dried*/dry/VERB/VBN/2/amod", "fruit*/fruit/NOUN/NN/3/nsubj", "makes*/mak/VERB/VBZ/0/root",
              "good/good/ADJ/JJ/5/amod", "presents/present/NOUN/NNS/3/dobj")  # fmt: skip
    annotated = {
        "s.t1": Annotated("s.t1", "dried", ("ADJ", "ADJ")),
        "s.t2": Annotated("s.t2", "fruit", ("NOUN", "VERB")),
        "s.t3": Annotated("s.t3", "make", ("VERB", "VERB")),
    }
    text = text_from(tmp_path, conllu("s", *tokens), annotated=annotated)
    readings = anvan.anvan_clauses(text)
    assert readings[0].words[0] == "dry|VERB"
    (right,) = anvan.right_tags(readings, text, {"make|VERB": 9})
    assert right.words == ("dried|ADJ", "fruit|NOUN", "make|VERB", "good|ADJ", "present|NOUN")
    annotated["s.t2"] = Annotated("s.t2", "fruit", ("VERB", "ADJ"))
    assert not anvan.right_tags(readings, anvan.Text("t", text.sentences, annotated), {})


@pytest.mark.parametrize("fragment", ["29", "s.", "%", "b", "_"])
def test_fragments_are_no_words(tmp_path, fragment):
    tokens = (f"X/{fragment}/NOUN/NN/2/compound", "cooks/cook/NOUN/NNS/3/nsubj", "buy/buy/VERB/VBP/0/root",
              "fresh/fresh/ADJ/JJ/5/amod", "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    text = text_from(tmp_path, conllu("s", *tokens))
    readings = anvan.anvan_clauses(text)
    assert len(readings) == 1 and not anvan.right_tags(readings, text, {})


def reading(*words: str, takes=()) -> anvan.Reading:
    tokens = [
        anvan.Token(i, "x", *word.split("|"), "_", "_", 0, "root", "_", "_") for i, word in enumerate(words, start=1)
    ]
    return anvan.Reading(0, tuple(tokens), frozenset(takes), words)


def test_noun_modifiers_and_names():
    noun = reading("goat|NOUN", "cheese|NOUN", "win|VERB", "big|ADJ", "prize|NOUN")
    adjective = reading("good|ADJ", "cheese|NOUN", "win|VERB", "big|ADJ", "prize|NOUN")
    name = reading("julia|PROPN", "baker|PROPN", "win|VERB", "big|ADJ", "prize|NOUN")
    place = reading("paris|PROPN", "cook|NOUN", "win|VERB", "big|ADJ", "prize|NOUN")
    assert anvan.robust_modifiers([noun, adjective], {"goat|NOUN": 2}) == [noun, adjective]
    assert anvan.robust_modifiers([noun, adjective], {"goat|NOUN": 1}) == [adjective]
    assert anvan.without_names([noun, name, place]) == [noun, place]
    known = {word: 6 for word in noun.words}
    assert anvan.known_words([noun, adjective], known) == [noun]
    assert anvan.known_words([noun], known | {"goat|NOUN": 5}) == []


def test_modifier_types_counts_frequent_bigrams(tmp_path):
    from cdsm_lib.text.corpus import compile_corpus

    def compound(modifier: str, head: str) -> str:
        return conllu("s", f"{modifier}/{modifier}/NOUN/NN/2/compound", f"{head}/{head}/NOUN/NN/0/root")

    path = tmp_path / "corpus.conllu"
    pairs = [("goat", "cheese")] * 3 + [("goat", "milk")] * 2 + [("cow", "milk")] * 2 + [("cow", "shed")]
    path.write_text("".join(compound(*pair) for pair in pairs), encoding="utf-8")
    corpus = compile_corpus([path], tmp_path / "compiled")
    assert anvan.modifier_types(corpus, 2) == {"goat|NOUN": 2, "cow|NOUN": 1}
    assert anvan.modifier_types(corpus, 3) == {"goat|NOUN": 1}


def test_one_reading_a_clause():
    def at(*places, takes=()):
        tokens = tuple(anvan.Token(i, "x", "x", "NOUN", "_", "_", 0, "root", "_", "_") for i in places)
        return anvan.Reading(0, tokens, frozenset(takes), ("x|NOUN",) * 5)

    rich, plain = at(1, 3, 4, 5, 6, takes={"preposition"}), at(1, 3, 4, 8, 9)
    assert anvan.one_reading([plain, rich], {plain: 4, rich: 5}) == [rich]
    assert anvan.one_reading([rich, plain], {plain: 5, rich: 5}) == [plain]
    near, modifier = at(1, 3, 4, 5, 6), at(2, 3, 4, 5, 6)
    assert anvan.one_reading([plain, near, modifier], {plain: 5, near: 5, modifier: 5}) == [modifier]
    other = at(1, 3, 7, 8, 9)
    assert anvan.one_reading([other, near], {near: 1, other: 1}) == [near, other]


# ---------------------------------------------------------------------------------------------------------------------
# Substitutes and confounders


def test_substitutes_by_votes_then_frequency():
    given = {"chef|NOUN": 2, "baker|NOUN": 2, "caterer|NOUN": 2, "host|NOUN": 1}
    assert anvan.most_given(given, {"chef|NOUN": 5, "baker|NOUN": 9, "caterer|NOUN": 9}) == (
        "baker|NOUN",
        "caterer|NOUN",
    )
    assert anvan.most_given(given | {"host|NOUN": 3}, {"chef|NOUN": 50}) == ("host|NOUN", "chef|NOUN")


def test_targets_need_two_known_single_words(tmp_path):
    tokens = ("young*/young/ADJ/JJ/2/amod", "cooks*/cook/NOUN/NNS/3/nsubj", "buy*/buy/VERB/VBP/0/root",
              "fresh*/fresh/ADJ/JJ/5/amod", "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    annotated = {
        "s.t1": Annotated("s.t1", "young", substitutes={"early": 1, "not old": 3, "young": 2}),
        "s.t2": Annotated("s.t2", "cook", substitutes={"chef": 2, "baker": 1, "kitchen hand": 4}),
        "s.t3": Annotated("s.t3", "buy", substitutes={"purchase": 3, "acquire": 1, "cop": 1}),
        "s.t4": Annotated("s.t4", "fresh", problematic=True, substitutes={"new": 3, "young": 1}),
    }
    text = text_from(tmp_path, conllu("s", *tokens), annotated=annotated)
    (one,) = anvan.anvan_clauses(text)
    assert anvan.targets(one, text) == {
        1: {"chef|NOUN": 2, "baker|NOUN": 1},
        2: {"purchase|VERB": 3, "acquire|VERB": 1, "cop|VERB": 1},
    }
    frequency = {"purchase|VERB": 6, "acquire|VERB": 6, "cop|VERB": 5, "chef|NOUN": 100, "baker|VERB": 100}
    assert anvan.targets(one, text, frequency) == {2: {"purchase|VERB": 3, "acquire|VERB": 1}}


def test_nearest_by_cosine_within_the_part_of_speech():
    rows = ["cook|NOUN", "chef|NOUN", "buy|VERB", "baker|NOUN", "void|NOUN", "rare|NOUN"]
    vectors = [[1, 0], [2, 0.1], [1, 0], [1, 1], [0, 0], [3, 0]]
    space = Space(rows, np.array(vectors))
    near = anvan.nearest(["cook|NOUN", "void|NOUN", "unknown|NOUN"], space, among=rows[:5])
    assert list(near) == ["cook|NOUN"]
    assert [word for word, _ in near["cook|NOUN"]] == ["chef|NOUN", "baker|NOUN", "void|NOUN"]
    assert near["cook|NOUN"][1][1] == pytest.approx(np.sqrt(0.5))
    assert [word for word, _ in anvan.nearest(["cook|NOUN"], space, k=1)["cook|NOUN"]] == ["rare|NOUN"]


def test_pool_leaves_out_whatever_was_given():
    near = ["a|NOUN", "set-up|NOUN", "b|NOUN", "c|NOUN"]
    assert anvan.candidate_pool(near, {"b", "set up"}, size=3) == (["a|NOUN"], ["c|NOUN"])


FREQUENCY = {"s1|NOUN": 100, "s2|NOUN": 10, "a|NOUN": 400, "b|NOUN": 30, "c|NOUN": 9, "d|NOUN": 90}


def test_confounders_match_the_substitutes_in_frequency():
    pool, substitutes = ["a|NOUN", "b|NOUN", "c|NOUN"], ("s1|NOUN", "s2|NOUN")
    # logarithms: b is 1.20 from s1, a is 1.39; then c is .11 from s2
    assert anvan.confounders(pool, [], substitutes, FREQUENCY) == ("b|NOUN", "c|NOUN")
    assert anvan.confounders(pool, [], substitutes, FREQUENCY, {"b|NOUN"}) == ("a|NOUN", "c|NOUN")
    assert anvan.confounders(pool, [], substitutes, FREQUENCY, {"c|NOUN"}) == ("b|NOUN", "a|NOUN")


def test_confounders_from_beyond_only_when_the_pool_is_dry():
    pool, beyond, substitutes = ["a|NOUN", "b|NOUN"], ["d|NOUN", "c|NOUN"], ("s1|NOUN", "s2|NOUN")
    assert anvan.confounders(pool, beyond, substitutes, FREQUENCY) == ("b|NOUN", "a|NOUN")
    assert anvan.confounders(pool, beyond, substitutes, FREQUENCY, {"a|NOUN"}) == ("d|NOUN", "b|NOUN")
    assert anvan.confounders(pool, beyond, substitutes, FREQUENCY, {"a|NOUN", "b|NOUN", "d|NOUN"}) == ("c|NOUN",)


# ---------------------------------------------------------------------------------------------------------------------
# All of it, on a text that can be followed by hand


@pytest.fixture
def tiny(tmp_path):
    """Two clauses; only the first has targets: both modifiers of its object, but not its subject's."""
    first = conllu("s1", "young/young/ADJ/JJ/2/amod", "cooks*/cook/NOUN/NNS/3/nsubj", "buy*/buy/VERB/VBP/0/root",
                   "hard*/hard/ADJ/JJ/6/amod", "goat/goat/NOUN/NN/6/compound",
                   "cheese/cheese/NOUN/NN/3/dobj")  # fmt: skip
    second = conllu("s2", "old/old/ADJ/JJ/2/amod", "cooks/cook/NOUN/NNS/3/nsubj", "live/live/VERB/VBP/0/root",
                    "in/in/ADP/IN/3/prep", "big/big/ADJ/JJ/6/amod", "houses/house/NOUN/NNS/4/pobj")  # fmt: skip
    annotated = {
        "s1.t2": Annotated("s1.t2", "cook", substitutes={"chef": 3, "baker": 1}),
        "s1.t3": Annotated("s1.t3", "buy", substitutes={"purchase": 3, "cop": 1}),
        "s1.t4": Annotated("s1.t4", "hard", substitutes={"firm": 2, "solid": 1, "stiff": 1}),
    }
    text = text_from(tmp_path, first, second, annotated=annotated)
    words = {"young|ADJ", "cook|NOUN", "buy|VERB", "hard|ADJ", "goat|NOUN", "cheese|NOUN", "old|ADJ", "live|VERB",
             "big|ADJ", "house|NOUN", "chef|NOUN", "baker|NOUN", "purchase|VERB", "firm|ADJ", "stiff|ADJ"}  # fmt: skip
    frequency = dict.fromkeys(words, 50) | {"solid|ADJ": 60, "cop|VERB": 2, "waiter|NOUN": 40, "host|NOUN": 70}
    frequency |= {"soft|ADJ": 55, "tough|ADJ": 500, "icy|ADJ": 45}
    rows = ["cook|NOUN", "chef|NOUN", "waiter|NOUN", "host|NOUN", "hard|ADJ", "soft|ADJ", "tough|ADJ", "icy|ADJ",
            "stiff|ADJ"]  # fmt: skip
    angle = np.array([0, 0.1, 0.2, 0.3, 0, 0.1, 0.2, 0.3, 0.15])
    space = Space(rows, np.c_[np.cos(angle), np.sin(angle)])
    return text, frequency, {"goat|NOUN": 2}, space


def test_build_by_hand(tiny):
    made = anvan.build(*tiny, name="tiny")
    steps = {step.name: (step.phrases, step.targets) for step in made.funnel}
    assert steps["own subject and direct object"] == (1, 3)
    assert steps["and passive"] == (1, 3) and steps["and preposition"] == (2, 3)
    assert steps["clauses with an ANVAN"] == steps["right tags"] == steps["no proper names"] == (2, 3)
    assert steps["all words known"] == (2, 3)
    assert steps["two substitutes known"] == (1, 2)  # cop is too rare, and so buy has only one
    assert steps["if every reading counted"] == (2, 3)  # hard cheese: cook and hard; goat cheese: cook
    assert steps["each token once, two confounders"] == (1, 2)
    assert (made.funnel[-1].phrases, made.funnel[-1].targets) == (1, 2)
    cook, hard = made.task.items
    assert cook.phrase is hard.phrase and made.task.phrases == (cook.phrase,)
    assert str(cook) == "young [cook] buy hard cheese: chef, baker, waiter, host"
    assert cook.phrase.places == (0, 1, 2, 3, 5) and cook.phrase.id == "s1"
    assert cook.phrase.sentence[4] == "goat|NOUN"
    assert (hard.id, hard.position, hard.target) == ("s1.t4", 3, "hard|ADJ")
    assert hard.substitutes == ("firm|ADJ", "solid|ADJ")  # firm has two votes, solid is more frequent than stiff
    # ln(50/45) = .105 and ln(55/50) = .095: soft goes to firm; icy, not tough, goes to solid
    assert hard.confounders == ("soft|ADJ", "icy|ADJ")
    assert made.provisional == 4 and made.widened == 0
    assert [c.word for c in made.candidates if c.item == "s1.t4"] == ["soft|ADJ", "icy|ADJ", "tough|ADJ"]


def test_build_follows_the_hand_check(tiny):
    decisions = {
        ("s1.t4", "soft"): Decision("s1.t4", "soft", False, "unrelated"),
        ("s1.t4", "tough"): Decision("s1.t4", "tough", True, "wrong here"),
    }
    made = anvan.build(*tiny, decisions=decisions)
    assert made.task.items[1].confounders == ("icy|ADJ", "tough|ADJ")
    assert made.provisional == 3
    first = made.candidates[2]
    assert first.decision.reason == "unrelated" and not first.chosen
    narrow = anvan.build(*tiny, decisions=decisions, thresholds=anvan.Thresholds(pool=2))
    assert narrow.task.items[1].confounders == ("icy|ADJ", "tough|ADJ") and narrow.widened == 2
    dropped = decisions | {("s1.t4", "icy"): Decision("s1.t4", "icy", False, "appropriate")}
    made = anvan.build(*tiny, decisions=dropped)
    assert [item.id for item in made.task.items] == ["s1.t2"] and made.funnel[-1].targets == 1
    with pytest.raises(TaskError, match="the first s7.t1"):
        anvan.build(*tiny, decisions={("s7.t1", "x"): Decision("s7.t1", "x", True, "wrong here")})


def test_build_of_every_reading(tiny):
    made = anvan.build(*tiny, thresholds=anvan.Thresholds(every_reading=True))
    assert [(item.id, item.phrase.id) for item in made.task.items] == [
        ("s1.t2", "s1"), ("s1.t4", "s1"), ("s1.t2.2", "s1.2"),
    ]  # fmt: skip
    assert (made.funnel[-1].phrases, made.funnel[-1].targets) == (2, 3)
    assert len({(c.item, c.word) for c in made.candidates}) == len(made.candidates)


def test_vocabulary(tiny):
    task = anvan.build(*tiny).task
    words = ls.vocabulary(task)
    assert words == sorted(set(words))
    assert {"cheese|NOUN", "waiter|NOUN", "soft|ADJ", "solid|ADJ"} <= set(words) and "goat|NOUN" not in words


# ---------------------------------------------------------------------------------------------------------------------
# Files


def write_table(path, *rows: str):
    path.write_text("".join("\t".join(row.split(" / ")) + "\n" for row in rows), encoding="utf-8")


def test_read_decisions(tmp_path):
    path = tmp_path / "d.tsv"
    write_table(path, "item / candidate / decision / reason", "7 / soft / rejected / unrelated",
                "7 / tough / kept / wrong here")  # fmt: skip
    assert anvan.read_decisions(path) == {
        ("7", "soft"): Decision("7", "soft", False, "unrelated"),
        ("7", "tough"): Decision("7", "tough", True, "wrong here"),
    }


@pytest.mark.parametrize(
    "row, problem",
    [
        ("7 / soft / kept", "expected 4 fields"),
        ("7 / soft / kept / ", "expected 4 fields"),
        ("7 / tough / maybe / wrong here", "one of kept, rejected"),
        ("7 / tough|ADJ / kept / wrong here", "without tag"),
        ("7 / Tough / kept / wrong here", "lower case"),
        ("7 / soft / kept / wrong here", "stands already in line 2"),
    ],
)
def test_bad_decisions_name_file_and_line(tmp_path, row, problem):
    path = tmp_path / "d.tsv"
    write_table(path, "item / candidate / decision / reason", "7 / soft / rejected / unrelated", row)
    with pytest.raises(TaskError, match=problem) as caught:
        anvan.read_decisions(path)
    assert (caught.value.path, caught.value.line) == ("d.tsv", 3)


def test_bad_tables(tmp_path):
    path = tmp_path / "d.tsv"
    write_table(path, "item / decision / reason")
    with pytest.raises(TaskError, match="d.tsv, line 1: the header must be item<tab>candidate"):
        anvan.read_decisions(path)
    path.write_bytes(b"caf\xe9")
    with pytest.raises(TaskError, match="not UTF-8"):
        anvan.read_decisions(path)


def test_the_projects_decisions_are_readable(root):
    decisions = anvan.read_decisions(root / "data" / "annotations" / "anvan_ls.tsv")
    assert all(item.isdecimal() for item, _ in decisions)  # CoInCo's token ids


HEADER = "item / position / lemma / substitute / votes"


def test_read_substitutes(tmp_path):
    path = tmp_path / "substitutes.tsv"
    write_table(path, HEADER, "s1.t2 / 1 / cook / chef / 3", "s1.t2 / 1 / cook / kitchen hand / 1",
                "s1.t3 / 2 / buy / purchase / 2")  # fmt: skip
    assert anvan.read_substitutes(path) == {
        "s1.t2": Annotated("s1.t2", "cook", substitutes={"chef": 3, "kitchen hand": 1}),
        "s1.t3": Annotated("s1.t3", "buy", substitutes={"purchase": 2}),
    }


@pytest.mark.parametrize(
    "row, problem",
    [
        ("s1.t2 / 5 / cook / baker / 3", "one of 0, 1, 2, 3, 4"),
        ("s1.t2 / 1 / cook / baker / none", "number from 1"),
        ("s1.t2 / 1 / cook / Baker / 1", "lower case"),
        ("s1.t2 / 4 / cook / baker / 1", "above"),
        ("s1.t2 / 1 / chef / baker / 1", "above"),
        ("s1.t2 / 1 / cook / chef / 1", "stands already in line 2"),
    ],
)
def test_bad_substitutes_name_file_and_line(tmp_path, row, problem):
    path = tmp_path / "substitutes.tsv"
    write_table(path, HEADER, "s1.t2 / 1 / cook / chef / 3", row)
    with pytest.raises(TaskError, match=problem) as caught:
        anvan.read_substitutes(path)
    assert (caught.value.path, caught.value.line) == ("substitutes.tsv", 3)


ITEMS = "item / phrase / position / words / substitute1 / substitute2 / confounder1 / confounder2"
WORDS = "young|ADJ cook|NOUN buy|VERB old|ADJ cheese|NOUN"
OLD = f"s1.t4 / s1 / 3 / {WORDS} / ripe|ADJ / aged|ADJ / late|ADJ / early|ADJ"  # says which of two tokens is meant
GOOD = f"s1.t2 / s1 / 1 / {WORDS} / chef|NOUN / baker|NOUN / host|NOUN / waiter|NOUN"


@pytest.fixture
def folder(tmp_path):
    """A teaching set of one sentence: "young cooks buy old cheese, (they) say old friends"."""
    folder = tmp_path / "mini"
    folder.mkdir()
    sentence = conllu("s1", "young/young/ADJ/JJ/2/amod", "cooks*/cook/NOUN/NNS/3/nsubj", "buy*/buy/VERB/VBP/0/root",
                      "old*/old/ADJ/JJ/5/amod", "cheese/cheese/NOUN/NN/3/dobj", "say/say/VERB/VBP/3/parataxis",
                      "old/old/ADJ/JJ/8/amod", "friends/friend/NOUN/NNS/6/nsubj")  # fmt: skip
    other = conllu("s2", "cooks*/cook/NOUN/NNS/2/nsubj", "talk/talk/VERB/VBP/0/root")
    (folder / "mini.conllu").write_text(sentence + other, encoding="utf-8")
    given = ("s1.t2 / 1 / cook / chef", "s1.t3 / 2 / buy / get", "s1.t4 / 3 / old / ripe", "s2.t1 / 1 / cook / chef")
    write_table(folder / "substitutes.tsv", HEADER, *(f"{row} / 1" for row in given))
    old = f"s1.t4 / s1 / 3 / {WORDS} / ripe|ADJ / aged|ADJ / late|ADJ / early|ADJ"
    write_table(
        folder / "items.tsv", ITEMS, GOOD, old, f"s1.0 / s1 / 0 / {WORDS} / new|ADJ / green|ADJ / a|ADJ / b|ADJ"
    )
    return folder


def test_load(folder):
    task = ls.load(folder)
    assert task.name == "mini" and len(task) == 3 and len(task.phrases) == 1
    cook, old, young = task.items
    assert cook.phrase.places == (0, 1, 2, 3, 4)  # "old" stands twice; the item's TokenID says which
    assert cook.phrase.sentence[7] == "friend|NOUN" and len(cook.phrase.sentence) == 8
    assert cook.candidates == ("chef|NOUN", "baker|NOUN", "host|NOUN", "waiter|NOUN")
    assert (old.target, young.target) == ("old|ADJ", "young|ADJ")
    np.testing.assert_array_equal(task.positions, [1, 3, 0])
    np.testing.assert_array_equal(task.relevant, [[True, True, False, False]] * 3)
    assert anvan.teaching_text(folder).annotated["s1.t3"].substitutes == {"get": 1}


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("s1.t2 / s1", "s1.t2", "expected 8 fields"),
        ("s1.t2 / s1 / 1", "s1.t2 / s9 / 1", "no sent_id"),
        ("s1.t2 / s1 / 1", "s1.t2 / s1 / 7", "one of 0, 1, 2, 3, 4"),
        ("s1.t2 / s1 / 1", "s2.t1 / s1 / 1", "token of sentence s2"),
        ("s1.t2 / s1 / 1", "x / s1 / 1", "neither a TokenID nor s1.1"),
        ("s1.t2 / s1 / 1", "s1.t2 / s1 / 4", "not once at the marked token"),
        ("young|ADJ cook|NOUN", "cook|NOUN", "five words"),
        ("young|ADJ", "young|VERB", "must be lemma"),
        ("young|ADJ", "raw|ADJ", "stands 0 times"),
        ("host|NOUN", "chef|NOUN", "five different words"),
        ("host|NOUN", "cook|NOUN", "five different words"),
        ("host|NOUN", "host|VERB", "the target's tag"),
    ],
)
def test_bad_items_name_file_and_line(folder, old, new, problem):
    write_table(folder / "items.tsv", ITEMS, GOOD.replace(old, new), OLD)
    with pytest.raises(TaskError, match=problem) as caught:
        ls.load(folder)
    assert (caught.value.path, caught.value.line) == ("items.tsv", 2)


def test_items_that_disagree(folder):
    def fails(problem, *rows):
        write_table(folder / "items.tsv", ITEMS, *rows)
        with pytest.raises(TaskError, match=problem):
            ls.load(folder)

    fails("line 4: item 's1.t2' stands already in line 3", OLD, GOOD, GOOD.replace("host", "porter"))
    fails("line 3: phrase s1 is .* here and .* above", OLD, GOOD.replace("cheese|NOUN", "friend|NOUN"))
    fails("old.ADJ stands 2 times", GOOD)
    fails("same token", GOOD.replace("old|ADJ", "young|ADJ"))
    fails("no rows")


def test_bad_teaching_text(folder):
    path = folder / "substitutes.tsv"
    path.write_text(path.read_text().replace("\tcook\t", "\tcooks\t"))
    with pytest.raises(TaskError, match="lemma 'cooks', its token 'cook'"):
        anvan.teaching_text(folder)
    (folder / "second.conllu").write_text("")
    with pytest.raises(TaskError, match="one .conllu file expected"):
        ls.load(folder)


# ---------------------------------------------------------------------------------------------------------------------
# The real corpus


@pytest.fixture(scope="module")
def real(mirror):
    return anvan.coinco()


def test_coinco_has_the_sizes_of_its_datasheet(real):
    assert len(real.sentences) == 2474 and len(real.annotated) == 15629
    assert sum(annotated.problematic for annotated in real.annotated.values()) == 214


def test_both_printed_examples_of_the_paper_are_found(real):
    """By token id. Neither is the verb's own subject: both are appositions, and the second is also shared."""
    readings = {tuple(map(ls.token_id, r.tokens)): set(r.takes) for r in anvan.anvan_clauses(real)}
    assert readings["9367", "9368", "9369", "9370", "9371"] == {"apposition"}  # Table 1
    assert readings[None, None, "13889", "13891", "13892"] == {"apposition", "shared subject"}  # section 4


def test_numbers_of_clauses_in_coinco(real):
    """The structure alone, which no corpus or space changes. The bare search finds 60 clauses, a third of the paper's
    165 phrases; all constructions together 255, of which tags, noun modifiers and names then take their share."""
    readings = anvan.anvan_clauses(real)
    numbers = {reading: len(anvan.targets(reading, real)) for reading in readings}
    steps = anvan.by_construction(readings, numbers)
    assert [step.phrases for step in steps] == sorted(step.phrases for step in steps)
    assert 55 <= steps[0].phrases <= 65 and 200 <= steps[0].targets <= 230
    assert 245 <= steps[-1].phrases <= 265 and 940 <= steps[-1].targets <= 1000
