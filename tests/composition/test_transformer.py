"""The layers of an encoder: attention and BERT's kind of layer by hand, and both kinds beside PyTorch's."""

import numpy as np
import pytest

from cdsm_lib.composition.transformer import Transformer, attention, gelu, relu


def test_attention_of_two_words_by_hand():
    # queries and keys are the rows, values twice the rows, the output adds (0, 1); one head, d = 2
    eye = np.eye(2)
    W, b = np.stack([eye, eye, 2 * eye, eye]), np.zeros((4, 2))
    b[3] = [0, 1]
    # rows (1 0) and (0 2): scores 1, 0 and 0, 4, over sqrt(2). Weights of the first e^.7071 = 2.0281 against 1:
    # .66977 and .33023; of the second 1 against e^2.8284 = 16.919: .05581 and .94419
    # taken: .66977 (2 0) + .33023 (0 4) = (1.33954 1.32092); .05581 (2 0) + .94419 (0 4) = (.11162 3.77676)
    taken, weights = attention(np.array([[1.0, 0.0], [0.0, 2.0]]), W, b, 1)
    assert weights[0] == pytest.approx(np.array([[0.66977, 0.33023], [0.05581, 0.94419]]), abs=1e-4)
    assert taken == pytest.approx(np.array([[1.33954, 2.32092], [0.11162, 4.77676]]), abs=1e-4)


def test_two_heads_are_two_attentions_side_by_side():
    rng = np.random.default_rng(0)
    rows, eye = rng.normal(size=(3, 4)), np.stack([np.eye(4)] * 4)
    taken, weights = attention(rows, eye, np.zeros((4, 4)), 2)
    small = np.stack([np.eye(2)] * 4)
    for head, columns in enumerate((slice(0, 2), slice(2, 4))):
        own, own_weights = attention(rows[:, columns], small, np.zeros((4, 2)), 1)
        np.testing.assert_allclose(taken[:, columns], own)
        np.testing.assert_allclose(weights[head], own_weights[0])


def transformer(norm_first: bool, activate, n_layers: int = 1, d: int = 4, m: int = 6) -> Transformer:
    """Random weights, two heads."""
    rng, L = np.random.default_rng(1), n_layers
    shapes = {"scale": (2 * L + 1, d), "shift": (2 * L + 1, d), "mixing": (L, 4, d, d), "mixing_bias": (L, 4, d)}
    shapes |= {"inner": (L, m, d), "inner_bias": (L, m), "outer": (L, d, m), "outer_bias": (L, d)}
    model = Transformer(**{name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()})
    vars(model).update(heads=2, norm_first=norm_first, activate=activate, epsilon=1e-5)
    return model


def test_berts_layer_normalises_after_each_part():
    model, rows = transformer(False, gelu), np.random.default_rng(2).normal(size=(3, 4)).astype(np.float32)
    u = model.norm(1, rows + attention(rows, model.mixing[0], model.mixing_bias[0], 2)[0])
    x = u @ model.inner[0].T + model.inner_bias[0]
    expected = model.norm(2, u + gelu(x) @ model.outer[0].T + model.outer_bias[0])
    before, after = model.forward(rows)
    assert before is rows and after == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("norm_first", "activate"), [(True, relu), (False, gelu)])
def test_layers_are_those_of_pytorch(norm_first, activate):
    torch = pytest.importorskip("torch")
    model, rows = transformer(norm_first, activate, n_layers=2), np.random.default_rng(2).normal(size=(3, 4))
    rows = rows.astype(np.float32)
    states = torch.from_numpy(rows)[None]
    for layer in range(2):
        options = {"activation": activate.__name__, "batch_first": True, "norm_first": norm_first}
        theirs = torch.nn.TransformerEncoderLayer(4, 2, 6, dropout=0, **options)
        first, weights = 2 * layer + (not norm_first), model.mixing[layer]
        theirs.load_state_dict({name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in {
            "self_attn.in_proj_weight": weights[:3].reshape(12, 4), "self_attn.out_proj.weight": weights[3],
            "self_attn.in_proj_bias": model.mixing_bias[layer, :3].ravel(),
            "self_attn.out_proj.bias": model.mixing_bias[layer, 3],
            "linear1.weight": model.inner[layer], "linear1.bias": model.inner_bias[layer],
            "linear2.weight": model.outer[layer], "linear2.bias": model.outer_bias[layer],
            "norm1.weight": model.scale[first], "norm1.bias": model.shift[first],
            "norm2.weight": model.scale[first + 1], "norm2.bias": model.shift[first + 1],
        }.items()})  # fmt: skip
        states = theirs.eval()(states)
    assert model.forward(rows)[-1] == pytest.approx(states[0].detach().numpy(), abs=1e-5)
