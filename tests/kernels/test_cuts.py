"""The kernels of the cuts against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.kernels.cuts import FEW_CUTS, count_below, whole_table
from deacs.kernels.fixed_point import TABLE_SIZE, fixed_point, xlogx


def test_the_whole_table_continues_the_small_one():
    n = TABLE_SIZE + 500
    small, _, scale_bits = fixed_point(n, 3)
    table = np.empty(n + 1, dtype=np.int64)
    whole_table(small, scale_bits, table)
    np.testing.assert_array_equal(table[: len(small)], small)
    assert table[n] == xlogx(n, small, scale_bits)


@pytest.mark.parametrize("n_cuts", [0, 1, 3, FEW_CUTS, FEW_CUTS + 1, 100])
@given(seed=st.integers(0, 2**32 - 1))
def test_the_interval_is_the_number_of_cuts_below(n_cuts, seed):
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(1000, n_cuts, replace=False)).astype(np.float64)
    values = rng.integers(-2, 1002, 50).astype(np.float64)
    values[:3] = -np.inf, np.inf, np.nan
    out = np.empty(50)
    count_below(values, cuts, out)
    expected = [np.nan if np.isnan(v) else sum(v > cut for cut in cuts) for v in values]
    np.testing.assert_array_equal(out, expected)
