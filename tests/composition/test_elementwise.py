"""Composition by arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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


@given(hnp.arrays(np.float64, (3, 4, 2), elements=st.integers(-50, 50)), st.integers(-9, 9), st.integers(-9, 9))
def test_laws(words, a, b):
    """Whole numbers, so that sums are exact."""
    u, v, w = words
    assert (weighted_add([u, v], [a, b]) == add(a * u, b * v)).all()
    assert (dilation(u, v, 1) == (u * u).sum(1)[:, None] * v).all()
    assert (dilation(u, add(v, w), a) == add(dilation(u, v, a), dilation(u, w, a))).all()
    assert (dilation(u, u, a) == a * dilation(u, u, 1)).all()
    for compose in (add, mult, lambda x, y: weighted_add([x, y], [a, b]), lambda x, y: dilation(x, y, a)):
        assert (compose(u, v) == [compose(x, y) for x, y in zip(u, v, strict=True)]).all()
        assert (compose(u[0], v) == [compose(u[0], y) for y in v]).all()


@pytest.mark.parametrize("compose", [add, mult, lambda *vectors: weighted_add(vectors, [1.0] * len(vectors))])
def test_bad_input(compose):
    with pytest.raises(ValueError, match="at least one"):
        compose()
    with pytest.raises(ValueError, match="one length"):
        compose([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="2 vectors but 1 weights"):
        weighted_add([HN, ARG], [1.0])


@pytest.mark.parametrize("compose", [add, mult])
def test_vectors_in_one_sequence_are_refused_and_one_word_is_not(compose):
    for sequence in ([HN, V], (HN, V, ARG)):
        with pytest.raises(ValueError, match=rf"one sequence of {len(sequence)} vectors: .*{compose.__name__}\(u, v\)"):
            compose(sequence)
    assert compose(HN).tolist() == [1.0, 2.0] and compose(np.stack([HN, V])).shape == (2, 2)
