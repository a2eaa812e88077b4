"""The pronoun of low rank: gradients by finite differences, its start, and that it learns what is planted."""

import numpy as np
import pytest

from cdsm_lib.composition.low_rank import LOSSES, LowRankTensor, learn_low_rank, ranking_loss, squared_error

RNG = np.random.default_rng(1)
H, C, Y = RNG.normal(size=(3, 5, 4))


@pytest.mark.parametrize("loss", [squared_error, ranking_loss])
def test_gradients_are_those_of_finite_differences(loss):
    parameters = [RNG.normal(size=shape) for shape in ((4, 2), (4, 2), (2, 4))]
    tensor = LowRankTensor(*parameters)
    gradients = tensor.gradients(H, C, loss(tensor.compose(H, C), Y)[1])
    for values, gradient in zip(parameters, gradients, strict=True):
        for place in np.ndindex(values.shape):
            before, at = values[place], []
            for step in (1e-6, -1e-6):
                values[place] = before + step
                at.append(loss(tensor.compose(H, C), Y)[0])
            values[place] = before
            assert gradient[place] == pytest.approx((at[0] - at[1]) / 2e-6, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_planted_tensor_is_learned(loss):
    """Clauses of four head nouns; after some epochs a clause is nearer to its own vector than the sum was."""
    rng = np.random.default_rng(2)
    h, c = rng.normal(size=(4, 6))[np.arange(400) % 4], rng.normal(size=(400, 6))
    y = LowRankTensor(*rng.normal(size=(2, 6, 1)), 2 * rng.normal(size=(1, 6))).compose(h, c)
    *_, tensor = learn_low_rank(h, c, y, loss, penalty=1e-4, epochs=20, rank=4, batch=40)
    measure = squared_error if loss == "squared error" else ranking_loss
    assert measure(tensor.compose(h, c), y)[0] < 0.8 * measure(h + c, y)[0]
