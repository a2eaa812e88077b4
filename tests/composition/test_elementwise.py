"""Composition by arithmetic."""

import numpy as np
import pytest

from cdsm_lib.composition.elementwise import add, dilation, mult, weighted_add

HN, V, ARG = np.array([1.0, 2.0]), np.array([0.5, -1.0]), np.array([3.0, -1.0])


def test_by_hand():
    # 1 + .5 + 3 = 4.5 and 2 - 1 - 1 = 0; 1 * .5 * 3 = 1.5 and 2 * -1 * -1 = 2; 2*1 + 3 = 5 and 2*2 - 1 = 3
    assert add(HN, V, ARG).tolist() == [4.5, 0.0]
    assert mult(HN, V, ARG).tolist() == [1.5, 2.0]
    assert weighted_add([HN, ARG], [2, 1]).tolist() == [5.0, 3.0]


def test_dilation_by_hand():
    # u.u = 5, u.v = 3 - 2 = 1, factor 3: 5 (3, -1) + 2 * 1 * (1, 2) = (17, -1)
    assert dilation(HN, ARG, 3).tolist() == [17.0, -1.0]
    # factor 1 leaves the direction of v alone
    assert dilation(HN, ARG, 1).tolist() == (5 * ARG).tolist()


def test_rows_are_composed_one_by_one():
    rng = np.random.default_rng(0)
    u, v = rng.standard_normal((2, 7, 4))
    for compose in (add, mult, lambda a, b: weighted_add([a, b], [0.3, 2]), lambda a, b: dilation(a, b, 1.7)):
        np.testing.assert_allclose(compose(u, v), [compose(a, b) for a, b in zip(u, v, strict=True)], rtol=1e-14)
        np.testing.assert_allclose(compose(u[0], v), [compose(u[0], b) for b in v], rtol=1e-14)


def test_float32_is_summed_in_float64():
    assert add(np.float32([1e8]), np.float32([1.0])).tolist() == [100000001.0]


@pytest.mark.parametrize("compose", [add, mult, lambda *vectors: weighted_add(vectors, [1.0] * len(vectors))])
def test_bad_input(compose):
    with pytest.raises(ValueError, match="at least one"):
        compose()
    with pytest.raises(ValueError, match="one length"):
        compose([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="one length"):
        compose(1.0, 2.0)


@pytest.mark.parametrize("compose", [add, mult])
def test_vectors_in_one_sequence_are_refused_and_one_word_is_not(compose):
    for sequence in ([HN, V], (HN, V, ARG)):
        with pytest.raises(ValueError, match=rf"one sequence of {len(sequence)} vectors: .*{compose.__name__}\(u, v\)"):
            compose(sequence)
    assert compose(HN).tolist() == [1.0, 2.0] and compose(np.stack([HN, V])).shape == (2, 2)


def test_one_weight_each():
    with pytest.raises(ValueError, match="2 vectors but 1 weights"):
        weighted_add([HN, ARG], [1.0])
