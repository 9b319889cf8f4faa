import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import additive, ram
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs, outputs


@given(inputs_and_outputs(), st.sampled_from(["crs", "vrs", "nirs", "ndrs"]))
def test_scores_equal_one_linear_program_for_each_unit(tables, scale):
    result = ram(*tables, returns_to_scale=scale)
    expected = naive_dea.ram(*tables, scale)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs(), st.integers(-20, 20), st.sampled_from([0.25, 1.0, 3.0, 64.0]))
def test_neither_unit_nor_zero_of_a_column_matters(tables, shift, factor):
    x, y = tables
    moved = ram(x * factor + shift, y / factor - shift)
    np.testing.assert_allclose(moved.scores, ram(x, y).scores, atol=1e-7)


@given(inputs_and_outputs())
def test_scores_lie_between_0_and_1_and_1_is_efficient(tables):
    result = ram(*tables)
    assert ((result.scores >= -1e-12) & (result.scores <= 1)).all()
    np.testing.assert_array_equal(result.scores == 1, result.status == "efficient")
    np.testing.assert_array_equal(additive(*tables).status, result.status)


@given(outputs())
def test_a_constant_input_adds_nothing_but_counts(y):
    """1 - sum / (m + s) with one input more in m + s."""
    with_constant = ram(None, y)
    assert not with_constant.input_slacks.any()
    expected = naive_dea.ram(np.ones((len(y), 1)), y, "vrs")
    np.testing.assert_allclose(with_constant.scores, expected, atol=1e-9)


def test_a_slack_where_there_is_no_range_makes_weakly_efficient_under_constant_returns():
    """Both make 1 with the same first input; the second has no range, and unit 1 needs it all.

    Unit 1 is twice unit 0 in the first output, so half of it does what unit 0 does.
    """
    result = ram([[1.0], [1.0]], [[1.0], [2.0]], returns_to_scale="crs")
    assert result.status.tolist() == ["inefficient", "efficient"]
    only_input = ram([[2.0, 1.0], [2.0, 2.0]], [[1.0], [2.0]], returns_to_scale="crs")
    assert only_input.status.tolist() == ["weakly efficient", "efficient"]
    np.testing.assert_allclose(only_input.input_slacks[0], [1.0, 0.0], atol=1e-12)
