"""The Practical Lexical Function model, worked by hand in two dimensions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdsm_lib.composition.elementwise import add
from cdsm_lib.composition.linear import EdgePenaltyWarning
from cdsm_lib.composition.practical import Fallbacks, PLFError, PracticalLexicalFunction
from cdsm_lib.vectors.space import Space

# ------------------------------------------------------------------------------------------------------- a small world

NOUNS = ["sun|NOUN", "sea|NOUN", "sky|NOUN"]
WORDS = Space(
    [*NOUNS, "calm|ADJ", "odd|ADJ", "warm|VERB", "see|VERB", "hum|VERB"],
    np.array([[1, 0], [0, 1], [3, 4], [1, 1], [2, -1], [5, 7], [1, 3], [-2, 1]]),
)
FLOAT32 = 1e-6  # a Space keeps its vectors in single precision
UNIT_NOUNS = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]])  # |(3, 4)| = 5

# All that keep the length of a vector, since bigram vectors are brought to unit length before anything is learned.
SWAP = np.array([[0.0, 1.0], [1.0, 0.0]])
TURN = np.array([[0.0, -1.0], [1.0, 0.0]])  # by a right angle
FLIP = np.array([[1.0, 0.0], [0.0, -1.0]])
MINUS = -np.eye(2)


def bigrams_of(functor: str, matrix: np.ndarray, lengths=(1.0, 1.0, 1.0)):
    """Noise-free bigrams of a functor with the three nouns; `lengths` must make no difference."""
    return [functor] * 3, NOUNS, np.array(lengths)[:, None] * UNIT_NOUNS @ matrix.T


def joined(*parts):
    functors, arguments, vectors = zip(*parts, strict=True)
    return sum(functors, []), sum(arguments, []), np.concatenate(vectors)


BIGRAMS = {
    "adjective_noun": bigrams_of("calm|ADJ", SWAP),
    "noun_noun": bigrams_of("sky|NOUN", FLIP, (7.0, 0.5, 2.0)),
    "subject_verb": joined(bigrams_of("warm|VERB", TURN), bigrams_of("see|VERB", FLIP)),
    "verb_object": bigrams_of("warm|VERB", MINUS, (1.0, 3.0, 1.0)),
}


def learned(data=BIGRAMS, words=WORDS, **options) -> PracticalLexicalFunction:
    options = {"penalties": 1e-10, "min_pairs": 3, "dtype": np.float64} | options
    return PracticalLexicalFunction(**options).fit(words, data)


MODEL = learned()


def phrase(text: str) -> tuple[str, ...]:
    tags = ("ADJ", "NOUN", "VERB", "ADJ", "NOUN")
    return tuple(word if "|" in word else f"{word}|{tag}" for word, tag in zip(text.split(), tags, strict=True))


# --------------------------------------------------------------------------------------------------------- learning


def test_learns_the_true_matrices():
    for model, functor, truth in [
        (MODEL.modifiers, "calm|ADJ", SWAP),
        (MODEL.modifiers, "sky|NOUN", FLIP),  # a noun's matrix, from noun-noun bigrams
        (MODEL.verb_subject, "warm|VERB", TURN),
        (MODEL.verb_subject, "see|VERB", FLIP),
        (MODEL.verb_object, "warm|VERB", MINUS),
    ]:
        np.testing.assert_allclose(model.matrices[model.functors.index(functor)], truth, atol=FLOAT32)
    assert list(MODEL.modifiers.functors) == ["calm|ADJ", "sky|NOUN"]
    assert list(MODEL.verb_object.functors) == ["warm|VERB"]


def test_ridge_by_hand():
    # One bigram, penalty 1: both vectors become (1, 0), W = y x' / (|x|^2 + 1) = [[1/2, 0], [0, 0]].
    words = Space(["sun|NOUN"], np.array([[4.0, 0.0]]))
    data = {"adjective_noun": (["calm|ADJ"], ["sun|NOUN"], np.array([[3.0, 0.0]]))}
    model = PracticalLexicalFunction(penalties=1.0, min_pairs=1).fit(words, data)
    assert model.modifiers.matrices.tolist() == [[[0.5, 0.0], [0.0, 0.0]]]
    assert model.modifiers.matrices.dtype == np.float32


def test_several_penalties_are_chosen_from_by_cross_validation():
    with pytest.warns(EdgePenaltyWarning):  # without noise the smallest is best
        assert learned(penalties=(1e-6, 1.0)).modifiers.penalties.tolist() == [1e-6, 1e-6]


def test_bigrams_of_unknown_arguments_and_of_zeros_are_skipped():
    calm, void = bigrams_of("calm|ADJ", SWAP), (["calm|ADJ"], ["void|NOUN"], np.ones((1, 2)))
    moon, zero = (["calm|ADJ"], ["moon|NOUN"], np.ones((1, 2))), (["mute|ADJ"], ["sun|NOUN"], np.zeros((1, 2)))
    words = Space([*WORDS.rows, "void|NOUN"], np.vstack([WORDS.vectors, np.zeros((1, 2))]))
    model = learned(BIGRAMS | {"adjective_noun": joined(calm, moon, moon, void, zero)}, words)
    assert model.modifiers.pairs.tolist() == [3, 3]
    np.testing.assert_array_equal(model.modifiers.matrices, MODEL.modifiers.matrices)


@pytest.mark.parametrize(
    "data, message",
    [
        ({"noun_verb": BIGRAMS["subject_verb"]}, "unknown kinds of bigrams: noun_verb"),
        ({"noun_noun": (["sky|NOUN"], NOUNS, np.ones((3, 2)))}, "noun_noun: 1 functors and 3 arguments"),
        ({"noun_noun": (["sky|NOUN"], ["sun|NOUN"], np.ones((1, 3)))}, "in the 2 dimensions"),
        ({"verb_object": (["see|VERB"], ["sun|NOUN"], [[1, np.nan]])}, "see|VERB with sun|NOUN"),
        ({"verb_object": (["see|VERB"], ["moon|NOUN"], [[1, 1]])}, "1 arguments have no vector .moon"),
        ({}, "no bigram can be learned from"),
    ],
)
def test_bad_bigrams(data, message):
    with pytest.raises(PLFError, match=message.replace("|", r"\|")):
        PracticalLexicalFunction().fit(WORDS, data)


# -------------------------------------------------------------------------------------------------------- composing

KNOWN = phrase("calm sun warm sky|NOUN sea")


@pytest.mark.parametrize(
    ("text", "gupta", "paperno", "lacking"),
    [
        # S = SWAP (1, 0) = (0, 1).  O = FLIP (0, 1) = (0, -1).
        # V_subject S = TURN (0, 1) = (-1, 0).  V_object O = -(0, -1) = (0, 1).  v = (5, 7)
        ("calm sun warm sky|NOUN sea", [-1, 1], [4, 8], []),
        # odd = (2, -1) has no matrix: S = (2, -1) + (1, 0) = (3, -1), TURN (3, -1) = (1, 3)
        ("odd sun warm sky|NOUN sea", [1, 4], [6, 11], [("modifier", "odd|ADJ")]),
        # see = (1, 3) has a subject matrix only: FLIP (0, 1) = (0, -1); O = FLIP (0, 1) = (0, -1) stays as it is
        ("calm sun see sky|NOUN sea", [0, -2], [1, 1], [("verb_object", "see|VERB")]),
        # without any matrix it is addition: (2, -1) + (1, 0) + (2, -1) + (0, 1) = (5, -1), and hum = (-2, 1)
        ("odd sun hum odd sea", [5, -1], [3, 0],
         [("modifier", "odd|ADJ"), ("subject_verb", "hum|VERB"), ("verb_object", "hum|VERB")]),
    ],
)  # fmt: skip
def test_compose_by_hand(text, gupta, paperno, lacking):
    one = [phrase(text)]
    np.testing.assert_allclose(MODEL.compose(one, "gupta", rows=WORDS), [gupta], atol=FLOAT32)
    np.testing.assert_allclose(MODEL.compose(one, rows=WORDS), [paperno], atol=FLOAT32)
    assert MODEL.fallbacks(one) == Fallbacks(1, bool(lacking), dict.fromkeys(lacking, 1))


# ----------------------------------------------------------------------------------------------------- falling back


NOTHING_KNOWN = phrase("odd sun hum odd sea")


def test_without_any_matrix_paperno_is_addition():
    no_matrices = learned(min_pairs=1000)
    assert not len(no_matrices.modifiers.functors)
    composed = no_matrices.compose([KNOWN, NOTHING_KNOWN], rows=WORDS)
    assert composed.tolist() == add(*(WORDS.take(words) for words in zip(KNOWN, NOTHING_KNOWN, strict=True))).tolist()


def test_fallbacks_are_counted_by_phrase():
    phrases = [KNOWN, NOTHING_KNOWN, phrase("odd sun warm calm sea"), phrase("calm sun see calm sea")]
    assert MODEL.fallbacks(phrases) == Fallbacks(4, 3, {
        ("modifier", "odd|ADJ"): 2,  # twice in one phrase, but it is one phrase
        ("subject_verb", "hum|VERB"): 1, ("verb_object", "hum|VERB"): 1, ("verb_object", "see|VERB"): 1,
    })  # fmt: skip


# ------------------------------------------------------------------------------------------------- rows and bad input

words_of = {
    "modifier": st.sampled_from(["calm|ADJ", "odd|ADJ", "sky|NOUN"]),
    "noun": st.sampled_from(NOUNS),
    "verb": st.sampled_from(["warm|VERB", "see|VERB", "hum|VERB"]),
}
phrases_of_this_world = st.tuples(*(words_of[kind] for kind in ("modifier", "noun", "verb", "modifier", "noun")))


@given(st.lists(phrases_of_this_world, min_size=1, max_size=12), st.randoms())
@settings(deadline=None, max_examples=50)
def test_rows_do_not_depend_on_their_order_or_company(phrases, random):
    parts = MODEL.parts(phrases, rows=WORDS)
    np.testing.assert_array_equal(parts.paperno, parts.gupta + parts.verb)
    places = random.sample(range(len(phrases)), len(phrases))
    shuffled = MODEL.compose([phrases[i] for i in places], rows=WORDS)
    np.testing.assert_allclose(shuffled, parts.paperno[places], atol=1e-12)
    alone = [MODEL.compose([one], rows=WORDS)[0] for one in phrases]
    np.testing.assert_allclose(alone, parts.paperno, atol=1e-12)


def test_equal_phrases_get_equal_vectors():
    rng = np.random.default_rng(3)
    nouns = [f"n{i}|NOUN" for i in range(60)]
    words = Space([*nouns, "calm|ADJ", "warm|VERB"], rng.standard_normal((62, 50)))
    kinds = {"adjective_noun": "calm|ADJ", "subject_verb": "warm|VERB"}
    data = {kind: ([functor] * 60, nouns, rng.standard_normal((60, 50))) for kind, functor in kinds.items()}
    phrases = [("calm|ADJ", noun, "warm|VERB", "calm|ADJ", "n0|NOUN") for noun in [*nouns, *nouns[::-1]]]
    composed = PracticalLexicalFunction(penalties=1.0).fit(words, data).compose(phrases, "gupta", rows=words)
    np.testing.assert_array_equal(composed[:60], composed[:59:-1])


@pytest.mark.parametrize(
    "phrases, options, message",
    [
        ([KNOWN[:4]], {}, "five labels.*phrase 0"),
        (KNOWN, {}, "five labels"),
        ([KNOWN], {"how": "sum"}, "unknown variant 'sum'; choose one of paperno, gupta"),
        ([phrase("calm moon warm calm moon"), KNOWN], {}, r"1 words have no vector \(moon\|NOUN\)"),
        ([KNOWN], {"rows": Space(["sun|NOUN"], np.ones((1, 3)))}, "2 dimensions, but the space has 3"),
    ],
)
def test_bad_phrases(phrases, options, message):
    with pytest.raises(PLFError, match=message):
        MODEL.compose(phrases, **({"rows": WORDS} | options))


def test_composing_needs_learning_first():
    with pytest.raises(PLFError, match="call fit first"):
        PracticalLexicalFunction().compose([KNOWN], rows=WORDS)
    with pytest.raises(PLFError, match="call fit first"):
        PracticalLexicalFunction().fallbacks([KNOWN])
