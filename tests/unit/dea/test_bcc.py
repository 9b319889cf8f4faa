import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bcc, ccr, super_efficiency
from tests.each import each
from tests.naive import dea as naive_dea
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = st.sampled_from(["crs", "vrs", "nirs", "ndrs"])
ORIENTATIONS = st.sampled_from(["input", "output"])


@given(inputs_and_outputs(), SCALES, ORIENTATIONS)
def test_scores_equal_one_linear_program_for_each_unit(tables, scale, orientation):
    result = bcc(*tables, returns_to_scale=scale, orientation=orientation)
    expected = naive_dea.radial(*tables, scale, orientation)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-9, atol=1e-9)
    assert "uncertain" not in result.status


@given(inputs_and_outputs(), SCALES, ORIENTATIONS)
def test_super_efficiencies_equal_one_linear_program_for_each_unit(tables, scale, orientation):
    result = super_efficiency(*tables, returns_to_scale=scale, orientation=orientation)
    expected = naive_dea.radial(*tables, scale, orientation, itself=True)
    np.testing.assert_array_equal(result.status == "infeasible", np.isinf(expected))
    np.testing.assert_array_equal(np.isinf(result.scores), np.isinf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(result.scores[finite], expected[finite], rtol=1e-9, atol=1e-9)


@given(inputs_and_outputs(), ORIENTATIONS)
def test_more_returns_to_scale_never_raise_a_score(tables, orientation):
    """Fewer conditions on the sum of intensities leave more to be compared with."""
    by = {
        scale: bcc(*tables, returns_to_scale=scale, orientation=orientation, slacks=False).scores
        for scale in ("crs", "vrs", "nirs", "ndrs")
    }
    plain = ccr(*tables, orientation=orientation, slacks=False).scores
    np.testing.assert_allclose(by["crs"], plain, atol=1e-9)
    for between in ("nirs", "ndrs"):
        assert (by["crs"] <= by[between] + 1e-9).all()
        assert (by[between] <= by["vrs"] + 1e-9).all()
    # One of both is the constant one: the frontier point is scaled up, or down.
    np.testing.assert_allclose(np.minimum(by["nirs"], by["ndrs"]), by["crs"], atol=1e-8)


@given(inputs_and_outputs(), SCALES, ORIENTATIONS)
def test_inefficient_units_have_their_efficiency_as_super_efficiency(tables, scale, orientation):
    options = {"returns_to_scale": scale, "orientation": orientation}
    plain = bcc(*tables, **options).scores
    beyond = super_efficiency(*tables, **options).scores
    below = plain < 1 - 1e-9
    np.testing.assert_allclose(beyond[below], plain[below], rtol=1e-9)
    assert (beyond[~below] >= 1 - 1e-9).all()


def test_a_constant_input_leaves_nothing_to_save_under_variable_returns():
    result = bcc(None, [[1, 2], [3, 1], [0, 1]])
    assert result.scores.tolist() == [1.0, 1.0, 1.0]
    assert result.status.tolist() == ["efficient", "efficient", "weakly efficient"]
    assert result.output_slacks[2].sum() > 0


def test_a_unit_without_outputs_scores_zero_where_outputs_are_asked_for():
    """No factor makes something of nothing; toward inputs it needs half of what it has."""
    result = bcc([2, 1, 2], [[1.0], [1.0], [0.0]], orientation="output")
    assert result.scores[2] == 0.0
    assert result.status[2] == "inefficient"
    assert len(result.peers[2]) == 0
    assert bcc([2, 1, 2], [[1.0], [1.0], [0.0]]).scores[2] == 0.5


def test_infeasible_under_variable_returns_means_the_end_of_the_range():
    """Unit 2 makes more than any mixture of the others, unit 0 needs less than any."""
    x, y = [1.0, 2.0, 3.0], [1.0, 3.0, 4.0]
    toward_inputs = super_efficiency(x, y, returns_to_scale="vrs")
    assert toward_inputs.status.tolist() == ["efficient", "efficient", "infeasible"]
    # Unit 0: unit 1 makes as much and needs 2. Unit 1: 1/3 of unit 0 and 2/3 of unit 2 need 7/3.
    np.testing.assert_allclose(toward_inputs.scores, [2.0, 7 / 6, np.inf])
    toward_outputs = super_efficiency(x, y, returns_to_scale="vrs", orientation="output")
    # Unit 1: half of both others make 2.5. Unit 2: unit 1 makes 3.
    np.testing.assert_allclose(toward_outputs.scores, [np.inf, 3 / 2.5, 4 / 3])


def test_prices_tell_the_score():
    """Toward inputs, v.x = 1 and theta = u.y + u0; toward outputs, u.y = 1 and phi = v.x + v0."""
    rng = np.random.default_rng(3)
    x, y = rng.lognormal(size=(20, 2)), rng.lognormal(size=(20, 3))
    for scale in ("crs", "vrs", "nirs", "ndrs"):
        result = bcc(x, y, returns_to_scale=scale)
        v, u, _, u0 = result.multipliers
        np.testing.assert_allclose((v * x).sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_allclose((u * y).sum(axis=1) + u0, result.scores, rtol=1e-9)
        # At these prices nobody makes a profit.
        assert (u @ y.T - v @ x.T + u0[:, None] <= 1e-9).all()
        result = bcc(x, y, returns_to_scale=scale, orientation="output")
        v, u, _, v0 = result.multipliers
        np.testing.assert_allclose((u * y).sum(axis=1), 1.0, rtol=1e-9)
        np.testing.assert_allclose((v * x).sum(axis=1) + v0, 1 / result.scores, rtol=1e-9)


@pytest.mark.parametrize("scale", ["crs", "vrs"])
@pytest.mark.parametrize("itself", [False, True])
def test_random_tables_equal_one_linear_program_for_each_unit(scale, itself):
    rng = np.random.default_rng(5)
    x, y = rng.lognormal(size=(80, 2)), rng.lognormal(size=(80, 2))
    model = super_efficiency if itself else bcc
    scores = model(x, y, returns_to_scale=scale).scores
    expected = naive_dea.radial(x, y, scale, itself=itself)
    np.testing.assert_array_equal(np.isinf(scores), np.isinf(expected))
    finite = np.isfinite(expected)
    np.testing.assert_allclose(scores[finite], expected[finite], rtol=1e-9)


@each(
    "model, options",
    [(ccr, {})]
    + [
        (model, {"returns_to_scale": scale})
        for model in (bcc, super_efficiency)
        for scale in ("crs", "vrs", "nirs", "ndrs")
    ],
)
@each(
    "x, y",
    [
        ([[2.0, 3.0]], [[1.0]]),
        ([[2.0, 3.0]], [[0.0]]),
        ([[82.0], [96.0], [2.0], [164.0]], [[0.55], [0.0], [0.56], [1.1]]),
    ],
)
def test_inputs_cost_1_and_no_unit_is_worth_more_than_it_costs(model, options, x, y):
    """Also where a bound shows that a unit is efficient, and where its outputs have no price."""
    result = model(x, y, **options)
    v, u, _, total = result.multipliers
    x, y, finite = np.array(x), np.array(y), np.isfinite(result.scores)
    np.testing.assert_allclose((v * x).sum(axis=1)[finite], 1.0)
    np.testing.assert_allclose(((u * y).sum(axis=1) + total)[finite], result.scores[finite])
    profit = u @ y.T + total[:, None] - v @ x.T
    if model is super_efficiency:
        np.fill_diagonal(profit, 0.0)
    assert (profit[finite] <= 1e-9).all()
