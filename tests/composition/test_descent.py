"""What trainings share: sentences held out, batches of one length, and a rate that rises and falls."""

from types import SimpleNamespace

import numpy as np
import pytest
from small_context2vec import corpus_of

from cdsm_lib.composition.descent import Sentences, batches, descend, held_out_loss


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


@pytest.mark.parametrize("held_out", [0, 3])
def test_too_few_sentences(held_out):
    with pytest.raises(ValueError, match=f"{held_out} of 5 sentences to be held out"):
        Sentences.of(corpus_of([["a|X", "b|X"]] * 5), np.zeros(2, np.int32), longest=3, held_out=held_out)


def test_the_loss_held_out_is_a_mean_over_tokens(sentences):
    """Losses 3 and 2, of sentences with 3 and 2 tokens: (3 * 3 + 2 * 2) / 5."""
    assert held_out_loss(lambda batch, rng: float(len(batch)), sentences, 3, seed=1) == pytest.approx(13 / 5)
    assert held_out_loss(lambda batch, rng: 3.0 if len(batch) == 3 else None, sentences, 3, seed=1) == 3.0


def test_rates_rise_and_fall_and_checkpoints_come_in_order(sentences):
    torch = pytest.importorskip("torch", reason="the extra `neural` is not installed")
    weight, rates, seen = torch.nn.Parameter(torch.ones(2)), [], []

    class Steps(torch.optim.SGD):
        def step(self):
            rates.append(round(self.param_groups[0]["lr"], 6))
            assert torch.linalg.norm(weight.grad) <= 0.5 + 1e-6
            super().step()

    how = {"seed": 1, "batch": 2, "rate": 1.0, "epochs": 2, "rng": np.random.default_rng(0), "warm_up": 0.5}
    how |= {"longest_step": 0.5, "checkpoints": (0.5, 1.0), "at_checkpoint": lambda *told: seen.append(told)}
    read = descend(lambda batch, rng: (weight**2).sum(), Steps([weight], lr=0.0), sentences, **how)
    # 5 tokens an epoch, in batches of 2 and 3; after 0, 2 or 3, 5, and 7 or 8 of 10 tokens
    assert read == 10 and rates[0] == 0 and rates[1] in (0.4, 0.6) and rates[2] == 0.5 and rates[3] in (0.3, 0.2)
    assert [tokens for tokens, _ in seen] == [5, 10] and seen[1][1] < seen[0][1] < 2


def test_where_nothing_is_asked_nothing_is_learned(sentences):
    pytest.importorskip("torch", reason="the extra `neural` is not installed")
    optimiser = SimpleNamespace(param_groups=[{"params": [], "lr": 1.0}])  # it cannot take a step
    how = {"seed": 1, "batch": 9, "rate": 1.0, "epochs": 1, "rng": np.random.default_rng(0)}
    assert descend(lambda batch, rng: None, optimiser, sentences, **how) == 5
