import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bcc, ccr, super_efficiency
from tests import naive
from tests.each import each
from tests.unit.dea.strategies import inputs_and_outputs, outputs


def lognormal_units(seed, n, m, s):
    rng = np.random.default_rng(seed)
    return rng.lognormal(size=(n, m)), rng.lognormal(size=(n, s))


def assert_same(actual, expected, rtol=1e-9):
    np.testing.assert_array_equal(np.isinf(actual), np.isinf(expected))
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=1e-12)


@given(outputs())
def test_constant_input_equals_one_linear_program_for_each_unit(y):
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)
    assert_same(super_efficiency(None, y).scores, expected)


@given(inputs_and_outputs())
def test_several_inputs_equal_one_linear_program_for_each_unit(tables):
    result = super_efficiency(*tables)
    assert_same(result.scores, naive.super_efficiency(*tables))
    assert "uncertain" not in result.status


@pytest.mark.parametrize(("n", "m", "s"), [(40, 1, 5), (40, 3, 2), (25, 2, 8), (60, 4, 4)])
def test_random_tables_equal_one_linear_program_for_each_unit(n, m, s):
    x, y = lognormal_units(n + m + s, n, m, s)
    assert_same(super_efficiency(x, y).scores, naive.super_efficiency(x, y))


@each("m", [1, 3])
def test_scores_do_not_depend_on_the_units_of_measurement(m):
    x, y = lognormal_units(1, 30, m, 4)
    y[3:8, 0] = 0
    expected = super_efficiency(x, y).scores
    scaled = super_efficiency(x * 10.0 ** np.array([9, -9, 2])[:m], y * [1e-9, 1e9, 1.0, 1e5])
    assert_same(scaled.scores, expected, rtol=1e-12)


@given(inputs_and_outputs(), st.randoms(use_true_random=False))
def test_permuted_units_have_permuted_scores(tables, random):
    x, y = tables
    order = random.sample(range(len(y)), len(y))
    assert_same(
        super_efficiency(x[order], y[order]).scores, super_efficiency(x, y).scores[order], 1e-12
    )


@given(inputs_and_outputs(), st.floats(1e-6, 1e6))
def test_a_multiple_of_a_unit_has_the_score_of_the_unit(tables, factor):
    """Constant returns to scale."""
    x, y = tables
    expected = super_efficiency(x, y).scores
    x, y = x.copy(), y.copy()
    x[0] *= factor
    y[0] *= factor
    assert_same(super_efficiency(x, y).scores, expected, 1e-10)


@given(outputs())
def test_the_largest_score_is_at_least_one_with_a_constant_input(y):
    """Weigh the outputs by any u: the unit with the largest u.y cannot be beaten."""
    scores = super_efficiency(None, y).scores
    assert scores.max() >= 1 - 1e-12 or not y.any()


@given(outputs())
def test_scores_are_infinite_exactly_for_sole_producers(y):
    sole = ((y > 0) & ((y > 0).sum(axis=0) == 1)).any(axis=1)
    result = super_efficiency(None, y)
    np.testing.assert_array_equal(np.isinf(result.scores), sole)
    np.testing.assert_array_equal(result.status == "infeasible", sole)


@given(inputs_and_outputs())
def test_peers_produce_what_the_unit_does_with_the_share_of_inputs_that_the_score_says(tables):
    x, y = tables
    result = super_efficiency(x, y)
    for p in np.flatnonzero(np.isfinite(result.scores)):
        peers, weights = result.peers[p], result.weights[p]
        assert p not in peers
        assert (weights > 0).all()
        assert (weights @ y[peers] >= y[p] * (1 - 1e-12)).all()
        used, allowed = weights @ x[peers], result.scores[p] * x[p]
        assert (used <= allowed * (1 + 1e-12)).all()
        assert np.isclose(used, allowed, rtol=1e-12)[x[p] > 0].any()


def test_a_unit_without_outputs_scores_zero_and_has_no_peers():
    result = super_efficiency(None, [[0, 0], [1, 2], [2, 1]])
    assert result.scores[0] == 0.0
    assert result.status[0] == "inefficient"
    assert len(result.peers[0]) == len(result.weights[0]) == 0


def test_a_unit_alone_is_beyond_comparison():
    assert super_efficiency([2.0], [3.0]).scores.tolist() == [np.inf]


def test_equal_units_score_one_and_are_peers_of_each_other():
    result = super_efficiency(None, [[1.0, 2.0], [1.0, 2.0], [0.5, 0.5]])
    np.testing.assert_allclose(result.scores[:2], 1.0, rtol=1e-15)
    assert [result.peers[0].tolist(), result.peers[1].tolist()] == [[1], [0]]
    assert result.status.tolist() == ["efficient", "efficient", "inefficient"]


@pytest.mark.parametrize("n", [50, 700])
def test_units_on_a_circle_score_by_the_chord_of_their_neighbours(n):
    angles = np.linspace(0.0, np.pi / 2, n + 2)[1:-1]
    order = np.random.default_rng(0).permutation(n)
    outputs = np.column_stack([np.cos(angles), np.sin(angles)])[order]
    scores = super_efficiency(None, outputs).scores
    within = (order > 0) & (order < n - 1)
    # The chord between both neighbours is cos(delta) away from the centre.
    expected = 1.0 / np.cos(angles[1] - angles[0])
    np.testing.assert_allclose(scores[within], expected, rtol=1e-12)


def test_one_input_and_one_output_score_the_ratio_to_the_best_other():
    """Productivities 3, 2 and 1: 3/2, 2/3, 1/3."""
    scores = super_efficiency([1.0, 2.0, 4.0], [3.0, 4.0, 4.0]).scores
    np.testing.assert_allclose(scores, [3 / 2, 2 / 3, 1 / 3], rtol=1e-15)


def test_a_unit_that_lacks_an_input_is_compared_only_with_units_that_lack_it():
    """Unit 0 uses input 0 only; unit 2 alone does too, at twice the cost. Unit 1 needs input 1."""
    result = super_efficiency([[1, 0], [1, 1], [2, 0]], [1.0, 9.0, 1.0])
    np.testing.assert_allclose(result.scores[0], 2.0, rtol=1e-15)
    assert result.peers[0].tolist() == [2]


@pytest.mark.parametrize("tiny", [1e-9, 1e-12, 1e-15, 1e-30])
def test_an_output_far_below_the_largest_still_counts(tiny):
    """(t, t) against (1, 0) and (0, 1) takes t of each: θ = 2t; (1, 0) takes 1/t of (t, t).

    The unit (1, t) needs all of unit 0 and t of unit 1: θ = 1 + t.
    """
    y = np.array([[1.0, 0.0], [0.0, 1.0], [tiny, tiny], [1.0, tiny]])
    scores = super_efficiency(None, y[:3]).scores
    np.testing.assert_allclose(scores, [1 / tiny, 1 / tiny, 2 * tiny], rtol=1e-12)
    np.testing.assert_allclose(super_efficiency(None, y[[0, 1, 3]]).scores[2], 1 + tiny, rtol=1e-15)


def test_an_input_far_below_the_largest_still_counts():
    """Unit 0 needs t of both inputs. Units 1 and 2 need 1 of the one and t of the other.

    Half of each takes (1 + t)/2 of both inputs: θ_0 = (1/2 + t/2)/t.
    """
    tiny = 1e-9
    result = super_efficiency([[tiny, tiny], [1.0, tiny], [tiny, 1.0]], [1.0, 1.0, 1.0])
    np.testing.assert_allclose(result.scores[0], (1 + tiny) / 2 / tiny, rtol=1e-12)
    np.testing.assert_allclose(result.scores[1:], 1.0, rtol=1e-12)
    assert "uncertain" not in result.status


@each("seed", range(8))
def test_one_input_and_outputs_over_thirty_orders_of_magnitude_are_certified(seed):
    rng = np.random.default_rng(seed)
    x, y = 10.0 ** rng.uniform(-15, 15, (30, 1)), 10.0 ** rng.uniform(-15, 15, (30, 5))
    y[rng.random(y.shape) < 0.2] = 0
    assert (super_efficiency(x, y).status == "uncertain").mean() < 0.1


def test_the_same_call_gives_the_same_bits():
    x, y = lognormal_units(5, 50, 2, 4)
    first, second = super_efficiency(x, y), super_efficiency(x, y)
    assert first.scores.tobytes() == second.scores.tobytes()


def test_an_input_that_nobody_uses_changes_nothing():
    x, y = lognormal_units(6, 12, 2, 2)
    unused = np.zeros((12, 1))
    np.testing.assert_allclose(
        super_efficiency(np.hstack([unused, x]), y).scores,
        super_efficiency(x, y).scores,
        rtol=1e-14,
    )


@pytest.mark.system
def test_another_user_of_highs_in_the_process_is_no_obstacle():
    """HiGHS has one thread pool for the process and refuses a run that asks for another size."""
    code = """
import highspy, numpy as np
other = highspy.Highs()
other.silent()
other.setOptionValue("threads", 2)
other.setOptionValue("parallel", "on")
other.addVar(0.0, 1.0)
other.run()
from deacs.dea import bcc, ccr, super_efficiency
print(super_efficiency(None, [[4, 1], [3, 3], [1, 4]]).scores.round(3))
"""
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert printed.stdout.strip() == "[1.333 1.2   1.333]"


@pytest.mark.parametrize("orientation", ["input", "output"])
@pytest.mark.parametrize("scale", ["crs", "vrs", "nirs", "ndrs"])
def test_with_slacks_statuses_are_those_of_the_model_whose_units_may_be_their_own_peers(
    scale, orientation
):
    """A unit that others do not reach is efficient: only it can do what it does."""
    rng, seen = np.random.default_rng(0), set()
    how = {"orientation": orientation}
    for _ in range(25):  # small integers, so that weakly efficient units are frequent
        x, y = rng.integers(1, 4, (8, 2)), rng.integers(0, 4, (8, 2))
        y[~y.any(axis=1), 0] = 1
        plain = ccr(x, y, **how) if scale == "crs" else bcc(x, y, returns_to_scale=scale, **how)
        found = super_efficiency(x, y, returns_to_scale=scale, slacks=True, **how)
        status = np.where(found.status == "infeasible", "efficient", found.status)
        np.testing.assert_array_equal(status, plain.status)
        seen |= set(status)
    assert seen == {"efficient", "weakly efficient", "inefficient"}
