"""context2vec: an LSTM by hand, contexts that leave the target out, substitutes, storage, training in PyTorch."""

import numpy as np
import pytest
from small_context2vec import context2vec_of

from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import BEGIN, END, WEIGHTS, Context2Vec


def model(*more: str) -> Context2Vec:
    return context2vec_of(("dog|NOUN", "cat|NOUN", "bark|VERB", *more), m=4, made="by a test")


# --------------------------------------------------------------------------------------------------------- inference


def test_an_lstm_of_one_unit_by_hand():
    # one input, one unit; gates i, f, g, o read the input with weights 1, 0, 2, 0 and the state with 0, 0, 0, 3
    W, U, b = np.array([[1.0], [0.0], [2.0], [0.0]]), np.array([[0.0], [0.0], [0.0], [3.0]]), np.zeros(4)
    # t=1, x=1: i = s(1) = .731059, f = s(0) = .5, g = tanh(2) = .964028, o = s(0) = .5
    #   c = .731059 * .964028 = .704761;  h = .5 * tanh(.704761) = .5 * .607381 = .303690
    # t=2, x=0: i = .5, f = .5, g = 0, o = s(3 * .303690) = s(.911071) = .713219
    #   c = .5 * .704761 = .352380;  h = .713219 * tanh(.352380) = .713219 * .338485 = .241414
    states = context2vec.lstm(np.array([[1.0], [0.0]]), W, U, b)
    assert states[:, 0] == pytest.approx([0.303690, 0.241414], abs=1e-6)


def test_the_sigmoid_does_not_overflow():
    assert context2vec.sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]


def test_a_context_does_not_read_its_target():
    trained = model()
    one = trained.context(["dog|NOUN", "bark|VERB", "cat|NOUN"], 1)
    other = trained.context(["dog|NOUN", "cat|NOUN", "cat|NOUN"], 1)
    assert np.array_equal(one, other)
    assert not np.allclose(one, trained.context(["dog|NOUN", "bark|VERB", "dog|NOUN"], 1))


def test_a_context_reads_what_stands_before_from_the_left_and_what_follows_from_the_right():
    trained = model()
    left = context2vec.lstm(
        trained.left_words[trained.words.encode([BEGIN, "dog|NOUN"])],
        trained.left_input, trained.left_hidden, trained.left_bias,
    )[-1]  # fmt: skip
    right = context2vec.lstm(
        trained.right_words[trained.words.encode([END, "dog|NOUN", "cat|NOUN"])],
        trained.right_input, trained.right_hidden, trained.right_bias,
    )[-1]  # fmt: skip
    joined = np.maximum(trained.joint_1 @ np.concatenate([left, right]) + trained.joint_bias_1, 0)
    expected = trained.joint_2 @ joined + trained.joint_bias_2
    found = trained.context(["dog|NOUN", "bark|VERB", "cat|NOUN", "dog|NOUN"], 1)
    assert found == pytest.approx(expected, abs=1e-5)


def test_an_unknown_word_is_read_as_the_unknown_word_of_its_tag():
    words = model().words
    found = model().encode(["emu|NOUN", "dog|NOUN", "flit|VERB", "x|WEIRD"])
    assert [words[i] for i in found] == ["<unk>|NOUN", "dog|NOUN", "<unk>|VERB", "<unk>|X"]


def test_substitutes_are_ranked_by_cosine_and_never_the_word_itself_or_a_mark():
    trained = model("run|VERB")
    sentence = ["dog|NOUN", "bark|VERB"]
    every = trained.substitutes(sentence, 0)
    assert {word for word, _ in every} == {"cat|NOUN", "bark|VERB", "run|VERB"}
    assert [fit for _, fit in every] == sorted((fit for _, fit in every), reverse=True)
    context = trained.context(sentence, 0).astype(float)
    cat = trained.targets[trained.words.index("cat|NOUN")].astype(float)
    cosine = context @ cat / np.linalg.norm(context) / np.linalg.norm(cat)
    assert dict(every)["cat|NOUN"] == pytest.approx(cosine, abs=1e-5)
    assert trained.substitutes(sentence, 0, pos="NOUN") == [("cat|NOUN", pytest.approx(cosine, abs=1e-5))]
    assert len(trained.substitutes(sentence, 0, n=1)) == 1


def test_unknown_candidates_are_nan_not_zero():
    trained = model()
    fit = trained.fit_of(trained.context(["dog|NOUN", "bark|VERB"], 0), ["cat|NOUN", "emu|NOUN"])
    assert np.isfinite(fit[0]) and np.isnan(fit[1])


def test_a_place_outside_the_sentence_and_a_sentence_without_places():
    with pytest.raises(IndexError, match="place 2 of a sentence of 2 words"):
        model().context(["dog|NOUN", "bark|VERB"], 2)
    assert model().contexts([]).shape == (0, 3)


# ----------------------------------------------------------------------------------------------------------- storage


def test_saved_and_loaded(tmp_path):
    whole = model()
    again = Context2Vec.load(whole.save(tmp_path / "weights.npz"))
    assert list(again.words) == list(whole.words) and again.meta == whole.meta
    for name in WEIGHTS:
        assert getattr(again, name).dtype == np.float32
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name).astype(np.float16))
