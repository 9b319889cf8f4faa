import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bam, ram
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs


@given(inputs_and_outputs(), st.sampled_from(["crs", "vrs", "nirs", "ndrs"]))
def test_scores_equal_one_linear_program_for_each_unit(tables, scale):
    result = bam(*tables, returns_to_scale=scale)
    expected = naive_dea.bam(*tables, scale)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    # A status may be uncertain where the proof is wider than the tolerance; it is never wrong.
    efficient = np.asarray(result.status) == "efficient"
    np.testing.assert_allclose(expected[efficient], 1.0, atol=1e-9)
    assert (expected[np.asarray(result.status) == "inefficient"] < 1).all()


@given(inputs_and_outputs())
def test_bam_is_never_above_ram_under_variable_returns(tables):
    """A unit's distance to the best value is at most the range."""
    low, high = bam(*tables), ram(*tables)
    assert (low.scores <= high.scores + 1e-9).all()
    assert (low.scores >= -1e-12).all()
    np.testing.assert_array_equal(low.status == "efficient", high.status == "efficient")


@given(inputs_and_outputs(), st.sampled_from(["crs", "nirs", "ndrs"]))
def test_targets_stay_within_what_was_seen(tables, scale):
    x, y = tables
    result = bam(x, y, returns_to_scale=scale)
    assert (result.input_targets >= x.min(axis=0) - 1e-9).all()
    assert (result.output_targets <= y.max(axis=0) + 1e-9).all()


@given(inputs_and_outputs(), st.integers(-20, 20), st.sampled_from([0.25, 1.0, 64.0]))
def test_neither_unit_nor_zero_of_a_column_matters(tables, shift, factor):
    x, y = tables
    moved = bam(x * factor + shift, y / factor - shift)
    np.testing.assert_allclose(moved.scores, bam(x, y).scores, atol=1e-7)
