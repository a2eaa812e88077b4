"""The encoder: a layer by hand, masks."""

import numpy as np
import pytest

from cdsm_lib.composition.encoder import SPECIAL, Encoder, positions
from cdsm_lib.composition.transformer import attention
from cdsm_lib.labels import Labels

WORDS = ("dog|NOUN", "cat|NOUN", "bark|VERB")
def model(seed: int = 1, *, n_layers: int = 2, d: int = 4, m: int = 6, heads: int = 2) -> Encoder:
    """Random weights."""
    rng, n, L = np.random.default_rng(seed), len(WORDS) + len(SPECIAL), n_layers
    shapes = [(n, d), (n,), *[(2 * L + 1, d)] * 2, (L, 4, d, d), (L, 4, d), (L, m, d), (L, m), (L, d, m), (L, d)]
    embeddings, bias, *layers = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    return Encoder(*layers, Labels([*WORDS, *SPECIAL]), embeddings, bias, heads, {"made": "by a test"})


# ------------------------------------------------------------------------------------------------------------ formulas


def test_one_layer_put_together():
    one = model(n_layers=1)
    sentence = ["dog|NOUN", "bark|VERB"]
    before, after = one.layers(sentence)
    assert before == pytest.approx(2 * one.embeddings[[0, 2]] + positions(2, 4), abs=1e-6)  # the root of d = 4 is 2
    u = before + attention(one.norm(0, before), one.mixing[0], one.mixing_bias[0], 2)[0]
    inside = np.maximum(one.norm(1, u) @ one.inner[0].T + one.inner_bias[0], 0)
    assert after == pytest.approx(u + inside @ one.outer[0].T + one.outer_bias[0], abs=1e-5)
    assert one.states(sentence) == pytest.approx(one.norm(2, after), abs=1e-5)


# ------------------------------------------------------------------------------------------------------------- reading


def test_a_word_depends_on_the_others_and_on_their_order():
    trained = model()
    alone, beside, turned = (
        trained.states(text.split())[place]
        for text, place in (("dog|NOUN", 0), ("dog|NOUN bark|VERB", 0), ("bark|VERB dog|NOUN", 1))
    )
    assert not np.allclose(alone, beside) and not np.allclose(beside, turned)


def test_a_masked_word_is_not_read():
    trained = model()
    one, other = (trained.states([word, "bark|VERB"], masked=[0]) for word in ("dog|NOUN", "cat|NOUN"))
    assert np.array_equal(one, other)
    with pytest.raises(IndexError, match="place 2 of a sentence of 2 words"):
        trained.states(["dog|NOUN", "bark|VERB"], masked=[2])


def test_a_sentence_without_words():
    states = model().states([])
    assert states.shape == (0, 4) and states.dtype == np.float32
