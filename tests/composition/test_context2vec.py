"""context2vec: an LSTM by hand, contexts that leave the target out, substitutes, storage, training in PyTorch."""

from dataclasses import replace

import numpy as np
import pytest
from small_context2vec import context2vec_of, corpus_of, small_world

from cdsm_lib.composition import context2vec
from cdsm_lib.composition.context2vec import BEGIN, END, SPECIAL, WEIGHTS, Context2Vec
from cdsm_lib.labels import Labels

SETTINGS = {
    "words": 8, "hidden": 12, "joint": 16, "dimensions": 8, "min_count": 1, "min_count_names": 1, "negatives": 5,
    "draws": 20, "alpha": 0.75, "subsample": 0.0, "batch": 60, "rate": 0.02, "epochs": 12, "longest": 10, "half": False,
}  # fmt: skip


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
    found = context2vec.encode(words, ["emu|NOUN", "dog|NOUN", "flit|VERB", "x|WEIRD"])
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


@pytest.mark.parametrize(
    ("name", "change", "problem"),
    [
        ("left_hidden", lambda U: U[:, :1], r"left_hidden is \(8, 1\), not \(8, 2\)"),
        ("targets", lambda T: T * np.nan, "targets holds values that are not finite"),
        ("words", lambda words: Labels([*list(words)[:-1], "emu|NOUN"]), "the vocabulary does not end with .*</s>"),
        ("words", lambda words: Labels([*words, "emu|NOUN"]), "24 words for 23 vectors"),
    ],
)
def test_the_arrays_must_fit_each_other(name, change, problem):
    with pytest.raises(ValueError, match=problem):
        replace(model(), **{name: change(getattr(model(), name))})


# ----------------------------------------------------------------------------------------------------------- storage


def test_saved_and_loaded(tmp_path):
    whole = model()
    again = Context2Vec.load(whole.save(tmp_path / "weights.npz"))
    assert list(again.words) == list(whole.words) and again.meta == whole.meta
    for name in WEIGHTS:
        assert getattr(again, name).dtype == np.float32
        np.testing.assert_array_equal(getattr(again, name), getattr(whole, name).astype(np.float16))


# ---------------------------------------------------------------------------------------------------------- training


def test_the_vocabulary_by_frequency_with_names_apart():
    sentences = [["dog|NOUN", "see|VERB", "Ann|PROPN"], ["dog|NOUN", "see|VERB", "emu|NOUN"], ["dog|NOUN", "Ann|PROPN"]]
    made = corpus_of(sentences)
    words, counts, row_of = context2vec.vocabulary(made, 2, 3)
    assert list(words[:2]) == ["dog|NOUN", "see|VERB"] and len(words) == 2 + len(SPECIAL)
    assert counts[:2].tolist() == [3, 2]
    assert counts[words.index("<unk>|PROPN")] == 2 and counts[words.index("<unk>|NOUN")] == 1
    assert words[row_of[made.words.index("emu|NOUN")]] == "<unk>|NOUN"


def test_negatives_are_smoothed():
    # 16^.75 = 8 and 1^.75 = 1: the frequent word is drawn 8 times as often, not 16 times; a mark never
    assert context2vec.negative_distribution([16, 1, 0], 0.75) == pytest.approx([8 / 9, 1 / 9, 0])


class TestTraining:
    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch", reason="the extra `neural` is not installed")

    def test_it_learns_which_words_fit(self):
        trained = context2vec.train(corpus_of(small_world()), **SETTINGS, seed=1, held_out=20, checkpoints=(0.05, 1.0))
        best = trained.substitutes(["the|DET", "thing|NOUN", "eat|VERB", "the|DET", "food|NOUN"], 1, n=10)
        assert all(word.startswith("animal") for word, _ in best)
        (_, early), (_, late) = trained.meta["history"]
        assert late < early

    def test_the_same_seed_gives_the_same_model_and_another_does_not(self):
        quick = SETTINGS | {"epochs": 1}
        one, same, other = (
            context2vec.train(corpus_of(small_world()), **quick, seed=seed, held_out=20) for seed in (1, 1, 2)
        )
        assert all(np.array_equal(getattr(one, name), getattr(same, name)) for name in WEIGHTS)
        assert not np.allclose(one.targets, other.targets)

    def test_where_the_processor_has_no_bfloat16_it_trains_with_float32(self, monkeypatch):
        from cdsm_lib.composition import context2vec_torch

        monkeypatch.setattr(context2vec_torch, "knows_half", lambda device: False)
        quick = SETTINGS | {"epochs": 1, "half": True}
        trained = context2vec.train(corpus_of(small_world()), **quick, seed=1, held_out=20)
        assert trained.meta["settings"]["half"] is False

    def test_an_lstm_in_bfloat16_is_tried_before_it_is_used(self, torch):
        from cdsm_lib.composition.context2vec_torch import knows_half

        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                torch.nn.LSTM(8, 8)(torch.zeros(3, 2, 8))
        except RuntimeError:
            assert not knows_half("cpu")
        else:
            assert knows_half("cpu")

    def test_numpy_reads_the_weights_as_pytorch_does(self, torch):
        from cdsm_lib.composition.context2vec_torch import Network

        torch.manual_seed(3)
        words = Labels(["dog|NOUN", "cat|NOUN", "bark|VERB", *SPECIAL])
        network = Network(len(words), 3, 4, 5, 6)
        exported = Context2Vec(words, *network.arrays(), {})
        sentence = ["dog|NOUN", "bark|VERB", "cat|NOUN", "bark|VERB"]
        read = torch.from_numpy(context2vec.encode(words, sentence).astype(np.int64))[:, None]
        with torch.no_grad():
            expected = network(read, words.index(BEGIN), words.index(END)).numpy()
        assert exported.contexts(sentence) == pytest.approx(expected, abs=1e-6)

    def test_the_loss_by_hand(self, torch):
        from cdsm_lib.composition.context2vec_torch import Network

        network = Network(3, 1, 1, 1, 2)
        network.targets.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
        # context (2, 1), target 0: t.c = 2; negatives 1 and 2: 1 and 3, each weighs 5 / 2
        # -(log s(2) + 2.5 (log s(-1) + log s(-3))) = .126928 + 2.5 (1.313262 + 3.048587) = 11.031551
        loss = network.loss(torch.tensor([[2.0, 1.0]]), torch.tensor([0]), torch.tensor([1, 2]), 2.5)
        assert float(loss.detach()) == pytest.approx(11.031551, abs=1e-5)

    def test_too_few_sentences(self):
        with pytest.raises(ValueError, match="20 of 2 sentences to be held out"):
            context2vec.train(corpus_of(small_world()[:2]), **SETTINGS, seed=1, held_out=20)


def test_without_pytorch_training_says_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "cdsm_lib.composition.context2vec_torch", raising=False)  # read again
    with pytest.raises(ImportError, match="pip install torch"):
        context2vec.train(corpus_of(small_world()), **SETTINGS, seed=1, held_out=20)
