"""What chance adds to a cell, against the hypergeometric law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from deacs._kernels import counting
from deacs._kernels.arrays import Parts
from deacs._kernels.fixed_point import fixed_point
from tests.each import each

FIXED = fixed_point(20_000, 2)


def bias(*sizes):
    return counting.bias_of(*sizes, FIXED) * 2.0**-FIXED.scale_bits


def xlogx(n):
    return n * np.log2(np.maximum(n, 1))


def naive_bias(n_g, n_i, n_f):
    h = np.arange(max(0, n_f + n_i - n_g), min(n_f, n_i) + 1)
    mean = hypergeom(n_g, n_i, n_f).pmf(h) @ (xlogx(h) + xlogx(n_f - h))
    return mean - xlogx(n_f) - n_f / n_g * (xlogx(n_i) + xlogx(n_g - n_i) - xlogx(n_g))


@st.composite
def sizes(draw, most):
    n_g = draw(st.integers(2, most))
    return n_g, draw(st.integers(0, n_g)), draw(st.integers(0, n_g))


@given(sizes(most=200))
def test_small_cells_follow_the_hypergeometric_law(cell):
    assert bias(*cell) == pytest.approx(naive_bias(*cell), rel=1e-4, abs=1e-9)


@pytest.mark.parametrize(
    "cell",
    [(1000, 300, 220), (20_000, 5, 9000), (20_000, 128, 10_000), (20_000, 10_000, 10_000)],
)
def test_large_cells_follow_it_to_four_digits(cell):
    assert bias(*cell) == pytest.approx(naive_bias(*cell), rel=1e-4)


@given(sizes(most=5000))
def test_a_label_and_the_rest_have_the_same_bias_to_the_last_bit(cell):
    n_g, n_i, n_f = cell
    assert bias(n_g, n_i, n_f) == bias(n_g, n_g - n_i, n_f)


@given(sizes(most=5000))
def test_chance_never_takes_information_away(cell):
    assert bias(*cell) >= 0


def test_two_rows_that_any_value_tells_apart_are_all_chance():
    # Both labels, two values: a bit a row whatever the order; b is one bit for each value.
    assert bias(2, 1, 1) == 1.0
    assert bias(2, 1, 2) == 0.0


@each("n_g", [2, 3, 17, 64])
def test_the_table_of_small_groups_is_filled_where_it_is_needed(n_g):
    n_i = np.arange(1, n_g)
    groups = np.array([0, len(n_i), len(n_i) + 1])  # the second group is large
    sizes, group_sizes = np.append(n_i, 5), np.array([n_g, 65])
    parts = Parts(groups, np.zeros(n_g + 1, int), np.zeros(n_g, np.int32), None, sizes, group_sizes)
    table, starts = np.full(65**3, -1), np.empty(n_g, dtype=np.int64)
    counting.small_biases(parts, FIXED, table, starts)
    assert starts[-1] == -1
    for size, start in zip(n_i.tolist(), starts[:-1].tolist(), strict=True):
        expected = [counting.bias_of(n_g, size, n_f, FIXED) for n_f in range(n_g + 1)]
        assert table[start : start + n_g + 1].tolist() == expected
    assert (table >= 0).sum() == len(n_i) * (n_g + 1)
