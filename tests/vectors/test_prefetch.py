"""Asking for memory changes no value, whatever the array's type and order."""

import numpy as np
import pytest
from numba import njit

from cdsm_lib.vectors._prefetch import prefetch_row


@njit
def sum_of_rows(array, rows):
    total = 0.0
    for i in range(len(rows)):
        prefetch_row(array, rows[(i + 1) % len(rows)])
        total += array[rows[i]].sum()
    return total


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("columns", [1, 16, 300])
def test_rows_that_were_asked_for_are_as_they_were(rng, dtype, columns):
    array = rng.random((50, columns)).astype(dtype)
    before, rows = array.copy(), rng.integers(0, 50, 40).astype(np.int32)
    assert sum_of_rows(array, rows) == pytest.approx(before[rows].sum(), rel=1e-4)
    assert sum_of_rows(np.asfortranarray(array), rows) == pytest.approx(before[rows].sum(), rel=1e-4)
    np.testing.assert_array_equal(array, before)
