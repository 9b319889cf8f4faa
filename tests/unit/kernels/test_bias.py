"""What chance adds to a cell, against the hypergeometric law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from deacs.information.bias import _small_biases
from deacs.kernels.bias import cell_bias, cell_biases
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.jit import lean_kernel

FIXED = fixed_point(20_000, 2)


@lean_kernel
def bias_of(n_g, n_i, n_f, table, scale_bits):
    return cell_bias(n_g, n_i, n_f, table, scale_bits)


def bias(*sizes):
    return bias_of(*sizes, FIXED.table, FIXED.scale_bits) * 2.0**-FIXED.scale_bits


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


@given(st.lists(sizes(most=200) | sizes(most=20_000), min_size=1, max_size=20))
def test_many_cells_by_numpy_have_the_bits_of_each(cells):
    expected = [bias_of(*cell, FIXED.table, FIXED.scale_bits) for cell in cells]
    assert cell_biases(*np.array(cells).T, FIXED.table).tolist() == expected


def test_the_table_of_small_groups_has_every_cell():
    table = _small_biases(FIXED.scale_bits).reshape(65, 65, 65)
    for n_g in (2, 3, 17, 64):
        cells = [(n_g, n_i, n_f) for n_i in range(n_g + 1) for n_f in range(n_g + 1)]
        expected = [bias_of(*cell, FIXED.table, FIXED.scale_bits) for cell in cells]
        assert [table[cell] for cell in cells] == expected
