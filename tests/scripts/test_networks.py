"""The trainings of context2vec and the encoder: what they share, and a run of each on a small world."""

import numpy as np
import pytest
from small_context2vec import corpus_of, small_world

from cdsm_lib.composition import context2vec as c2v
from cdsm_lib.composition import encoder as enc
from cdsm_lib.labels import Labels
from cdsm_lib.settings import load_profile
from scripts import context2vec, encoder, training
from scripts.training import Sentences, batches, descend, held_out_loss


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="the extra `neural` is not installed")


def test_batches_hold_every_sentence_once_and_sentences_of_one_length():
    lengths = np.array([3, 5, 3, 3, 5, 2, 3])
    found = list(batches(lengths, 6, np.random.default_rng(0)))
    assert sorted(np.concatenate(found)) == list(range(7))
    assert all(len(set(lengths[batch])) == 1 and lengths[batch].sum() <= 6 for batch in found)
    assert list(batches(np.zeros(0, dtype=int), 6, np.random.default_rng(0))) == []


@pytest.fixture
def sentences():
    """Five sentences of 3, 1, 2, 4 and 2 words, of which the first and the last are held out; the longest is cut."""
    words = "a|X b|X c|X", "a|X", "b|X a|X", "a|X b|X c|X a|X", "c|X b|X"
    corpus = corpus_of(text.split() for text in words)
    row_of = np.array([ord(word[0]) - ord("a") for word in corpus.words], dtype=np.int32)
    return Sentences.of(corpus, row_of, longest=3, held_out=2)


def test_sentences_are_cut_and_some_held_out(sentences):
    assert sentences.lengths.tolist() == [3, 1, 2, 3, 2]
    assert sentences.held_out.tolist() == [0, 4] and sentences.training.tolist() == [2, 3]  # not the one of one word
    assert sentences.batch(np.array([0, 3])).tolist() == [[0, 0], [1, 1], [2, 2]]


def test_the_loss_held_out_is_a_mean_over_tokens(sentences):
    """Losses 3 and 2, of sentences with 3 and 2 tokens: (3 * 3 + 2 * 2) / 5."""
    assert held_out_loss(lambda batch, rng: float(len(batch)), sentences, 3, seed=1) == pytest.approx(13 / 5)
    assert held_out_loss(lambda batch, rng: 3.0 if len(batch) == 3 else None, sentences, 3, seed=1) == 3.0


def test_rates_rise_and_fall_and_checkpoints_come_in_order(torch, sentences, monkeypatch):
    weight, rates = torch.nn.Parameter(torch.ones(2)), []

    class Steps(torch.optim.SGD):
        def step(self):
            rates.append(round(self.param_groups[0]["lr"], 6))
            assert torch.linalg.norm(weight.grad) <= 0.5 + 1e-6
            super().step()

    how = {"seed": 1, "batch": 2, "rate": 1.0, "epochs": 2, "rng": np.random.default_rng(0), "warm_up": 0.5}
    how |= {"longest_step": 0.5}
    monkeypatch.setattr(training, "CHECKPOINTS", (0.5, 1.0))
    seen = descend(lambda batch, rng: (weight**2).sum(), Steps([weight], lr=0.0), sentences, **how)
    # 5 tokens an epoch, in batches of 2 and 3; after 0, 2 or 3, 5, and 7 or 8 of 10 tokens
    assert seen["tokens"] == 10 and rates[0] == 0
    assert rates[1] in (0.4, 0.6) and rates[2] == 0.5 and rates[3] in (0.3, 0.2)
    (half, early), (whole, late) = seen["history"]
    assert (half, whole) == (5, 10) and late < early < 2


def test_the_vocabulary_by_frequency_with_names_apart():
    sentences = [["dog|NOUN", "see|VERB", "Ann|PROPN"], ["dog|NOUN", "see|VERB", "emu|NOUN"], ["dog|NOUN", "Ann|PROPN"]]
    corpus = corpus_of(sentences)
    words, counts, row_of = training.vocabulary(corpus, 2, 3, c2v.SPECIAL)
    assert list(words[:2]) == ["dog|NOUN", "see|VERB"] and len(words) == 2 + len(c2v.SPECIAL)
    assert counts[:2].tolist() == [3, 2]
    assert counts[words.index("<unk>|PROPN")] == 2 and counts[words.index("<unk>|NOUN")] == 1
    assert words[row_of[corpus.words.index("emu|NOUN")]] == "<unk>|NOUN"


def test_eight_of_ten_are_masked_one_replaced_one_left():
    words, mask = np.tile(np.arange(10), (500, 2)), 10
    probability = np.array([0.5] * 5 + [0.0] * 6)  # those from 5 are never asked for
    read, places = encoder.hidden(words, probability, mask, np.random.default_rng(0))
    asked, seen = words.ravel()[places], read.ravel()[places]
    assert set(asked) == set(range(5)) and abs(len(places) / 5000 - 0.5) < 0.02
    masked, left = np.mean(seen == mask), np.mean(seen == asked)
    assert masked == pytest.approx(0.8 + 0.1 / 11, abs=0.02)  # a word at random is the mask once in eleven
    assert left == pytest.approx(0.1 + 0.1 / 11, abs=0.02)
    others = np.setdiff1d(np.arange(words.size), places)
    assert np.array_equal(read.ravel()[others], words.ravel()[others])


# ------------------------------------------------------------------------------------------------------- whole runs

SMALL = {"min_count": 1, "min_count_names": 1, "subsample": 0.0, "batch": 60, "longest": 10, "held_out": 20}
SETTINGS = {
    context2vec: SMALL | {"words": 8, "hidden": 12, "joint": 16, "dimensions": 8, "negatives": 5, "draws": 20,
                          "rate": 0.02, "epochs": 12},
    encoder: SMALL | {"dimensions": 16, "inner": 32, "heads": 2, "rate": 0.01, "warm_up": 0.1, "decay": 0.0,
                      "epochs": 8, "half": False, "threads": 1},
}  # fmt: skip
SENTENCE = ["the|DET", "thing|NOUN", "eat|VERB", "the|DET", "food|NOUN"]


def masked(model: enc.Encoder, sentence: list[str], place: int) -> list[tuple[str, float]]:
    """The ten words of the highest score in the place of a mask."""
    scores = model.embeddings @ model.states(sentence, [place])[place] + model.bias
    return [(model.words[i], scores[i]) for i in np.argsort(-scores)[:10].tolist()]


@pytest.mark.parametrize(
    ("script", "model", "fitting"),
    [
        (context2vec, c2v.Context2Vec, lambda model: model.substitutes(SENTENCE, 1, n=10)),
        (encoder, enc.Encoder, lambda model: masked(model, SENTENCE, 1)),
    ],
)
def test_a_script_writes_weights_that_know_what_fits(torch, tmp_path, script, model, fitting):
    def trained(name: str, **settings):
        script.main(corpus=corpus_of(small_world()), place=tmp_path / name, **SETTINGS[script] | settings)
        return model.load(tmp_path / name)

    whole = trained("weights.npz")
    assert all(word.startswith("animal") for word, _ in fitting(whole))
    losses = [loss for _, loss in whole.meta["history"]]
    assert len(losses) == len(training.CHECKPOINTS) and losses[-1] < losses[0]
    declared = load_profile("full")[script.__name__.rpartition(".")[2]]
    assert set(whole.meta["settings"]) | {"seed"} == set(declared)
    one, same, other = (trained(f"{i}.npz", epochs=1, seed=seed) for i, seed in enumerate((1, 1, 2)))
    weights = [name for name, value in vars(one).items() if isinstance(value, np.ndarray)]
    assert weights and all(np.array_equal(getattr(one, name), getattr(same, name)) for name in weights)
    assert not all(np.array_equal(getattr(one, name), getattr(other, name)) for name in weights)


def test_numpy_reads_context2vec_as_pytorch_does(torch):
    from scripts.networks import BothSides

    torch.manual_seed(3)
    words = Labels(["dog|NOUN", "cat|NOUN", "bark|VERB", *c2v.SPECIAL])
    network = BothSides(len(words), 3, 4, 5, 6)
    exported = c2v.Context2Vec(words, *network.arrays(), {})
    sentence = ["dog|NOUN", "bark|VERB", "cat|NOUN", "bark|VERB"]
    read = torch.from_numpy(exported.encode(sentence).astype(np.int64))[:, None]
    with torch.no_grad():
        expected = network(read, words.index(c2v.BEGIN), words.index(c2v.END)).numpy()
    assert exported.contexts(sentence) == pytest.approx(expected, abs=1e-6)


def test_numpy_reads_the_encoder_as_pytorch_does(torch):
    from scripts.networks import Transformer

    torch.manual_seed(3)
    words = Labels(["dog|NOUN", "cat|NOUN", "bark|VERB", *enc.SPECIAL])
    network = Transformer(len(words), enc.positions(10, 8), 2, 2, 12)
    for norm in (network.last, *(layer.after for layer in network.layers)):
        torch.nn.init.normal_(norm.weight)
        torch.nn.init.normal_(norm.bias)
    embeddings, bias, *layers = network.arrays()
    exported = enc.Encoder(*layers, words, embeddings, bias, 2, {})
    sentences = [["dog|NOUN", "bark|VERB", "cat|NOUN"], ["cat|NOUN", enc.MASK, "emu|NOUN"]]
    rows = np.stack([exported.encode(sentence) for sentence in sentences]).astype(np.int64)
    with torch.no_grad():
        expected = network(torch.from_numpy(rows)).numpy().reshape(2, 3, 8)
        some = network(torch.from_numpy(rows), torch.tensor([4])).numpy()
    for sentence, states in zip(sentences, expected, strict=True):
        assert exported.states(sentence) == pytest.approx(states, abs=1e-5)
    assert some[0] == pytest.approx(expected[1, 1], abs=1e-6)


def test_the_losses_by_hand(torch):
    from scripts.networks import BothSides, Transformer

    network = BothSides(3, 1, 1, 1, 2)
    network.targets.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    # context (2, 1), target 0: t.c = 2; negatives 1 and 2: 1 and 3, each weighs 5 / 2
    # -(log s(2) + 2.5 (log s(-1) + log s(-3))) = .126928 + 2.5 (1.313262 + 3.048587) = 11.031551
    loss = network.loss(torch.tensor([[2.0, 1.0]]), torch.tensor([0]), torch.tensor([1, 2]), 2.5)
    assert float(loss.detach()) == pytest.approx(11.031551, abs=1e-5)
    network = Transformer(3, enc.positions(1, 2), 1, 1, 1)
    network.words.weight.data = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    network.bias.data = torch.tensor([0.0, 1.0, 0.0])
    # state (2 1): scores 2, 1 + 1 and 3, so -log p of the last is log(2 e^2 + e^3) - 3 = .551445
    loss = network.loss(torch.tensor([[2.0, 1.0]]), torch.tensor([2]))
    assert float(loss.detach()) == pytest.approx(0.551445, abs=1e-5)
