import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import additive, bcc
from deacs.exceptions import InputError
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = st.sampled_from(["crs", "vrs", "nirs", "ndrs"])


@given(inputs_and_outputs(), SCALES, st.sampled_from(["ones", "mip"]))
def test_scores_equal_one_linear_program_for_each_unit(tables, scale, weights):
    result = additive(*tables, returns_to_scale=scale, weights=weights)
    expected = naive_dea.additive(*tables, scale, weights)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs())
def test_a_unit_is_efficient_exactly_where_the_second_phase_of_bcc_leaves_no_slack(tables):
    """Both say that nobody dominates the unit."""
    np.testing.assert_array_equal(
        additive(*tables).status == "efficient", bcc(*tables).status == "efficient"
    )


@given(inputs_and_outputs(), st.integers(-50, 50))
def test_the_zero_of_a_column_does_not_matter_under_variable_returns(tables, shift):
    x, y = tables
    plain = additive(x, y)
    moved = additive(x + shift, y - shift)
    np.testing.assert_allclose(moved.scores, plain.scores, atol=1e-8)


def test_the_score_is_the_weighted_sum_of_the_slacks():
    rng = np.random.default_rng(0)
    x, y = rng.lognormal(size=(25, 2)), rng.lognormal(size=(25, 2))
    result = additive(x, y, weights=([1.0, 2.0], [3.0, 0.5]))
    total = result.input_slacks @ [1.0, 2.0] + result.output_slacks @ [3.0, 0.5]
    np.testing.assert_allclose(result.scores, total, rtol=1e-9, atol=1e-9)
    assert result.best == "smallest"
    assert result.scores[result.ranking[0]] == 0.0


def test_a_slack_without_weight_makes_weakly_efficient():
    """Unit 1 is as unit 0, but makes nothing of the second output: 1/0 is no weight."""
    result = additive([1, 1], [[1, 1], [1, 0]], weights="mip")
    assert result.scores.tolist() == [0.0, 0.0]
    assert result.status.tolist() == ["efficient", "weakly efficient"]
    assert result.output_slacks[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("twos", "weights must be 'ones', 'mip', 'normalized' or a pair of arrays"),
        (([1, 2, 3], [1]), "weights must be a number for each input, and one for each output"),
        (([-1], [1]), "weights must be finite and not negative"),
    ],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(InputError, match=message):
        additive([1, 2], [2, 1], weights=weights)


def test_negative_numbers_are_refused_where_the_zero_matters():
    with pytest.raises(InputError, match="outputs must not be negative"):
        additive([1, 2], [-2, 1], returns_to_scale="crs")
    with pytest.raises(InputError, match="outputs must not be negative"):
        additive([1, 2], [-2, 1], weights="mip")


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_normalized_slacks_do_not_depend_on_extreme_units_of_measurement(unit):
    """The standard deviation of 1 and 2 is 1 / sqrt(2)."""
    result = additive(np.array([1.0, 2.0]) * unit, [1, 1], weights="normalized")
    np.testing.assert_allclose(result.scores, [0.0, np.sqrt(2)], atol=1e-12)
    assert result.status.tolist() == ["efficient", "inefficient"]


def test_weights_of_one_column_can_be_a_number_for_each_unit():
    """Unit 2 has a slack of 2 in its input, unit 1 of 1."""
    result = additive([1, 2, 3], [1, 1, 1], weights=([5, 6, 7], 1))
    np.testing.assert_allclose(result.scores, [0.0, 6.0, 14.0], atol=1e-12)
