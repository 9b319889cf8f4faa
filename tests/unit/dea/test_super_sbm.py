import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import sbm, super_efficiency, super_sbm
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = st.sampled_from(["crs", "vrs", "nirs", "ndrs"])
ORIENTATIONS = st.sampled_from(["none", "input", "output"])


@given(inputs_and_outputs(), SCALES, ORIENTATIONS)
def test_scores_equal_one_linear_program_for_each_unit(tables, scale, orientation):
    result = super_sbm(*tables, returns_to_scale=scale, orientation=orientation)
    expected = naive_dea.super_sbm(*tables, scale, orientation)
    np.testing.assert_array_equal(np.isinf(result.scores), np.isinf(expected))
    np.testing.assert_array_equal(result.status == "infeasible", np.isinf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(result.scores[finite], expected[finite], rtol=1e-8, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs(), SCALES)
def test_inefficient_units_keep_their_sbm_and_efficient_ones_stand_beyond(tables, scale):
    plain = sbm(*tables, returns_to_scale=scale)
    beyond = super_sbm(*tables, returns_to_scale=scale)
    below = plain.scores < 1 - 1e-9
    np.testing.assert_array_equal(beyond.scores[below], plain.scores[below])
    assert (beyond.scores[~below] >= 1).all()


@given(inputs_and_outputs())
def test_toward_inputs_it_is_never_above_the_radial_super_efficiency(tables):
    """Raising all inputs by the radial score is one way to reach the unit."""
    slack_based = super_sbm(*tables, orientation="input").scores
    radial = super_efficiency(*tables).scores
    efficient = slack_based >= 1
    assert (slack_based[efficient] <= radial[efficient] + 1e-8).all()


def test_a_unit_that_needs_less_of_one_input_only():
    """Unit 0 needs (1, 4), unit 1 needs (2, 2), unit 2 needs (4, 1); all make 1.

    Without unit 0, unit 1 is the nearest: the first input doubles, the second is there: (2 + 1)/2.
    To make less is no cheaper: half of unit 1 needs (1, 1) and makes 1/2, a ratio of 1/(1/2) = 2.
    Unit 1 lies between both: half of units 0 and 2 need (2.5, 2.5), a mean of 5/4; or 4/5 of that
    with output 4/5, the same ratio.
    """
    result = super_sbm([[1, 4], [2, 2], [4, 1]], [1, 1, 1])
    np.testing.assert_allclose(result.scores, [1.5, 1.25, 1.5], rtol=1e-12)
    np.testing.assert_allclose(result.input_slacks[0], [-1.0, 2.0], atol=1e-12)


def test_a_sole_producer_of_all_it_makes_is_beyond_comparison():
    result = super_sbm([1, 1], [[1, 0], [0, 1]])
    assert result.scores.tolist() == [np.inf, np.inf]
    assert result.status.tolist() == ["infeasible", "infeasible"]


def test_a_sole_producer_of_one_output_is_compared_by_the_other():
    """Without unit 0 nobody makes the second output: its mean output is (1 + 0)/2, the ratio 2."""
    result = super_sbm([1, 1], [[1, 1], [1, 0]])
    np.testing.assert_allclose(result.scores[0], 2.0)
