import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bcc, directional_distance
from deacs.exceptions import InputError
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = st.sampled_from(["crs", "vrs", "nirs", "ndrs"])


@given(inputs_and_outputs(), SCALES)
def test_scores_equal_one_linear_program_for_each_unit(tables, scale):
    x, y = tables
    result = directional_distance(x, y, returns_to_scale=scale)
    none = np.zeros((len(x), 0))
    expected = naive_dea.directional_distance(x, y, none, x, y, none, scale, weak=False)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs(), SCALES, st.sampled_from(["weak", "strong"]))
def test_undesirable_outputs_equal_one_linear_program_for_each_unit(tables, scale, disposability):
    x, y = tables
    if disposability == "weak" and scale in ("vrs", "ndrs"):
        scale = "crs"
    bads = y[:, :1] + x[:, :1]
    result = directional_distance(
        x, y, undesirable=bads, disposability=disposability, returns_to_scale=scale
    )
    weak = disposability == "weak"
    expected = naive_dea.directional_distance(x, y, bads, 0 * x, y, bads, scale, weak)
    np.testing.assert_array_equal(np.isinf(result.scores), np.isinf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(result.scores[finite], expected[finite], rtol=1e-8, atol=1e-9)


@given(inputs_and_outputs(), SCALES)
def test_the_direction_of_the_inputs_is_one_minus_the_radial_score(tables, scale):
    beta = directional_distance(*tables, output_direction="zeros", returns_to_scale=scale).scores
    theta = bcc(*tables, returns_to_scale=scale, slacks=False).scores
    np.testing.assert_allclose(1 - beta, theta, atol=1e-9)


def test_a_direction_of_zeros_is_unbounded_and_says_so():
    result = directional_distance([1, 1], [[1.0], [0.0]], input_direction="zeros")
    assert result.status.tolist() == ["efficient", "unbounded"]
    assert result.scores[1] == np.inf
    assert np.isnan(result.output_targets[1]).all()


def test_weakly_disposable_bads_have_no_slack():
    """Less of the bad costs output: the frontier point must have exactly b - beta g."""
    rng = np.random.default_rng(2)
    x, y, b = rng.lognormal(size=(20, 1)), rng.lognormal(size=(20, 2)), rng.lognormal(size=(20, 1))
    weak = directional_distance(x, y, undesirable=b)
    strong = directional_distance(x, y, undesirable=b, disposability="strong")
    assert not weak.undesirable_slacks.any()
    assert (weak.scores <= strong.scores + 1e-9).all()
    np.testing.assert_allclose(weak.undesirable_targets, b * (1 - weak.scores[:, None]), rtol=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"returns_to_scale": "vrs"}, "must be 'crs' or 'nirs' with weakly disposable"),
        ({"disposability": "free"}, "disposability must be one of 'weak', 'strong'"),
        ({"output_direction": "up"}, "output_direction must be one of 'observed', 'ones'"),
        ({"output_direction": [1, 2, 3]}, r"output_direction must be .* of shape \(2, 1\)"),
        ({"output_direction": [-1]}, "output_direction must be finite and not negative"),
        (
            {"undesirable": [1]},
            "undesirable and outputs must have a row for each unit, got 1 and 2",
        ),
    ],
)
def test_bad_options_are_refused(options, message):
    options = {"undesirable": [1, 1], **options}
    with pytest.raises(InputError, match=message):
        directional_distance([1, 1], [1, 2], **options)


def test_numbers_near_the_largest_double_raise_no_warning():
    result = directional_distance([1e308, 1.7e308], [1.7e308, 1e308])
    assert result.scores[0] == 0
    assert result.status.tolist() == ["efficient", "inefficient"]
