"""X(n) = n log2 n in integers: exact bits, no overflow, one answer everywhere."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs._kernels.fixed_point import LOG_BITS, fixed_point, xlogx_of
from deacs._kernels.logarithm import log2_of
from tests.each import each


def xlogx(n, fixed):
    return int(xlogx_of(np.array([n]), fixed)[0])


@given(st.integers(1, 2**31 - 1))
def test_first_bits_of_the_logarithm_are_exact(n):
    # floor(2**t log2 n) is the bit length of n**(2**t), less one: integers only.
    t = 9
    assert log2_of(n) >> (LOG_BITS - t) == (n ** (2**t)).bit_length() - 1


@given(st.integers(1, 2**31 - 1))
def test_logarithm_agrees_with_floating_point(n):
    assert log2_of(n) / 2**LOG_BITS == pytest.approx(math.log2(n), rel=1e-15, abs=1e-15)


@each("power", range(31))
def test_logarithm_of_a_power_of_two_is_its_exponent(power):
    assert log2_of(2**power) == power << LOG_BITS


def test_the_table_has_the_logarithm_of_each_number():
    logs = fixed_point(5_000, 1).logs
    assert logs.tolist() == [log2_of(n) for n in range(5_001)]


@given(st.integers(2, 2**31 - 1), st.integers(2, 1000))
def test_sum_over_labels_never_overflows(n_rows, n_labels):
    fixed = fixed_point(n_rows, n_labels)
    assert 0 < n_labels * xlogx(n_rows, fixed) < 2**62
    assert fixed.scale_bits <= 40


@given(st.integers(2, 2**31 - 1), st.data())
def test_xlogx_is_the_nearest_unit(n_rows, data):
    fixed = fixed_point(n_rows, 2)
    n = data.draw(st.integers(1, n_rows))
    exact = n * log2_of(n) / 2 ** (LOG_BITS - fixed.scale_bits)
    assert abs(xlogx(n, fixed) - exact) <= 0.5 + 1e-15 * exact


def test_table_and_routine_agree_across_the_end_of_the_table():
    fixed = fixed_point(10**6, 5)
    size = len(fixed.table)
    assert size < 10**6
    for n in (size - 2, size - 1, size, size + 1):
        expected = n * math.log2(n) * 2.0**fixed.scale_bits
        assert xlogx(n, fixed) == pytest.approx(expected, rel=1e-14)


def test_xlogx_of_nothing_and_of_one_is_zero():
    fixed = fixed_point(100, 2)
    assert [xlogx(n, fixed) for n in (0, 1)] == [0, 0]
    assert isinstance(fixed.table, np.ndarray)
