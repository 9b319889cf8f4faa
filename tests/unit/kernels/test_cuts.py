"""The kernels of the cuts against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.kernels import cuts as kernels
from deacs.kernels.cuts import FEW_CUTS, MdlpRule, count_below, mdlp_cuts, whole_table
from deacs.kernels.fixed_point import TABLE_SIZE, fixed_point, xlogx
from deacs.kernels.interpreting import Interpreted


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


def cut_places(how, values, labels, weights, rule, n_labels):
    n = len(values)
    counts, cuts = np.empty((2, n_labels), dtype=np.int64), np.empty(n, dtype=np.int64)
    pending = np.empty((n + 1, 4), dtype=np.int64)
    bits = np.empty(0 if weights is None else n)
    n_cuts = how(values, labels, weights, rule, counts[0], counts[1], bits, pending, cuts)
    return cuts[:n_cuts].tolist()


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 60),
    st.integers(1, 5),
    st.sampled_from([1, 3]),
    st.sampled_from([2, 1 << 62]),
    st.booleans(),
)
def test_numpy_places_the_cuts_of_the_statements(seed, n, n_labels, least, max_cuts, is_weighted):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, n).astype(np.uint8)
    values = rng.integers(0, 30, n) + rng.integers(0, 40) * labels.astype(float)
    order = np.argsort(values)
    weights = rng.integers(1, 9, n) if is_weighted else None
    table, _, scale_bits = fixed_point(9 * n + 2, n_labels)
    log_powers = np.log2([1.0] + [3.0**k - 2 for k in range(1, n_labels + 1)])
    rule = MdlpRule(table, scale_bits, 2.0**-scale_bits, log_powers, 1.0, least, max_cuts)
    column = values[order], labels[order], weights, rule, n_labels
    by_numpy = cut_places(Interpreted(mdlp_cuts.py_func), *column)
    with pytest.MonkeyPatch.context() as patch:
        for routine in [r for r in vars(kernels).values() if getattr(r, "by_numpy", None)]:
            patch.setattr(routine, "by_numpy", None)
        assert by_numpy == cut_places(Interpreted(mdlp_cuts.py_func), *column)
