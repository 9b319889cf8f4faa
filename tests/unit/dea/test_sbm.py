import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bcc, sbm
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = st.sampled_from(["crs", "vrs", "nirs", "ndrs"])
ORIENTATIONS = st.sampled_from(["none", "input", "output"])


@given(inputs_and_outputs(), SCALES, ORIENTATIONS)
def test_scores_equal_one_linear_program_for_each_unit(tables, scale, orientation):
    result = sbm(*tables, returns_to_scale=scale, orientation=orientation)
    expected = naive_dea.sbm(*tables, scale, orientation)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs(), SCALES)
def test_sbm_is_never_above_the_radial_score(tables, scale):
    """The radial score is one way to count the slacks, and SBM takes the worst."""
    none, toward_inputs, toward_outputs = (
        sbm(*tables, returns_to_scale=scale, orientation=orientation).scores
        for orientation in ("none", "input", "output")
    )
    radial_in = bcc(*tables, returns_to_scale=scale, slacks=False).scores
    radial_out = bcc(*tables, returns_to_scale=scale, orientation="output", slacks=False).scores
    assert (toward_inputs <= radial_in + 1e-9).all()
    assert (toward_outputs <= radial_out + 1e-9).all()
    assert (none <= toward_inputs + 1e-9).all()
    assert (none <= toward_outputs + 1e-9).all()


@given(inputs_and_outputs(), SCALES)
def test_the_score_is_the_ratio_of_the_averages_of_its_slacks(tables, scale):
    x, y = tables
    result = sbm(x, y, returns_to_scale=scale)
    for p in np.flatnonzero(y.any(axis=1)):
        has_x, has_y = x[p] > 0, y[p] > 0
        saved = (result.input_slacks[p, has_x] / x[p, has_x]).mean()
        gained = (result.output_slacks[p, has_y] / y[p, has_y]).mean()
        np.testing.assert_allclose(result.scores[p], (1 - saved) / (1 + gained), atol=1e-8)


@given(inputs_and_outputs(), SCALES)
def test_efficient_means_that_nobody_dominates(tables, scale):
    result = sbm(*tables, returns_to_scale=scale)
    radial = bcc(*tables, returns_to_scale=scale)
    makes = tables[1].any(axis=1)
    np.testing.assert_array_equal(
        result.status[makes] == "efficient", radial.status[makes] == "efficient"
    )


def test_an_output_that_a_unit_does_not_have_is_no_part_of_its_average():
    """Unit 1 makes as much of the first output as unit 0, and nothing of the second."""
    result = sbm([1, 1], [[1, 1], [1, 0]])
    assert result.scores.tolist() == [1.0, 1.0]
    assert result.status.tolist() == ["efficient", "weakly efficient"]
    assert result.output_slacks[1].tolist() == [0.0, 1.0]


def test_a_unit_without_outputs_scores_zero_unless_only_inputs_count():
    for scale in ("crs", "vrs"):
        for orientation in ("none", "output"):
            result = sbm([1, 1], [[1.0], [0.0]], returns_to_scale=scale, orientation=orientation)
            assert result.scores.tolist() == [1.0, 0.0]
            assert result.status.tolist() == ["efficient", "inefficient"]
