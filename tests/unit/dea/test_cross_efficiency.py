import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs.dea import ccr, cross_efficiency
from tests.naive import dea as naive_dea


@st.composite
def positive_tables(draw):
    n, m, s = draw(st.integers(2, 6)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    amounts = st.sampled_from([1.0, 2.0, 3.0, 0.5, 7.0, 0.1])
    x = draw(hnp.arrays(float, (n, m), elements=amounts))
    return x, draw(hnp.arrays(float, (n, s), elements=amounts))


@given(positive_tables(), st.sampled_from(["benevolent", "aggressive"]))
def test_prices_suit_their_unit_and_meet_the_goal_of_the_linear_program(tables, goal):
    """The prices may have alternatives; what they are chosen for has none."""
    x, y = tables
    result = cross_efficiency(x, y, goal=goal)
    v, u = result.multipliers.inputs, result.multipliers.outputs
    theta = ccr(x, y).scores
    assert (u @ y.T <= v @ x.T + 1e-9).all()
    for p in range(len(x)):
        rest = [j for j in range(len(x)) if j != p]
        np.testing.assert_allclose(u[p] @ y[p], theta[p] * (v[p] @ x[p]), atol=1e-9)
        worth = u[p] @ y[rest].mean(axis=0) / (v[p] @ x[rest].mean(axis=0))
        expected = naive_dea.cross_goal(x, y, p, theta[p], goal)
        np.testing.assert_allclose(worth, expected, rtol=1e-7, atol=1e-8)


@given(positive_tables())
def test_scores_are_means_of_the_matrix_whose_diagonal_is_ccr(tables):
    result = cross_efficiency(*tables)
    np.testing.assert_array_equal(np.diag(result.matrix), ccr(*tables).scores)
    np.testing.assert_allclose(result.scores, result.matrix.mean(axis=0))
    assert (result.scores <= ccr(*tables).scores + 1e-9).all()
    without = cross_efficiency(*tables, with_own=False)
    n = len(result.scores)
    np.testing.assert_allclose(
        without.scores, (result.matrix.sum(axis=0) - np.diag(result.matrix)) / (n - 1), atol=1e-12
    )


def test_one_input_and_one_output_leave_no_choice_of_prices():
    """All agree on output over input, relative to the best: 1/2, 1, 2/3."""
    for goal in ("benevolent", "aggressive"):
        result = cross_efficiency([2, 3, 3], [1, 3, 2], goal=goal)
        np.testing.assert_allclose(result.scores, [1 / 2, 1, 2 / 3])


def test_friends_and_foes_by_hand():
    """Units 0 and 1 make (2, 1) and (1, 2) from 1; both are efficient with prices u.(2, 1) = 1.

    Unit 0's prices are (1/2 - a/2, a) with 0 <= a <= 1/3 (unit 1 must not exceed 1). Unit 1 is
    worth 1/2 - a/2 + 2a: 1 at a = 1/3 for a friend, 1/2 at a = 0 for a foe. And vice versa.
    """
    y = [[2, 1], [1, 2]]
    np.testing.assert_allclose(cross_efficiency(None, y).matrix, [[1, 1], [1, 1]])
    np.testing.assert_allclose(
        cross_efficiency(None, y, goal="aggressive").matrix, [[1, 0.5], [0.5, 1]], atol=1e-12
    )


def test_inputs_that_cost_nothing_leave_a_score_undefined():
    """Unit 0 alone uses the first input, unit 1 alone the second: each costs what it uses."""
    result = cross_efficiency([[1, 0], [0, 1]], [1.0, 1.0])
    assert np.isnan(result.matrix[0, 1]) or result.matrix[0, 1] <= 1
    assert np.isfinite(result.scores).all()


@pytest.mark.parametrize("goal", ["benevolent", "aggressive"])
def test_random_tables_have_scores_between_the_goals(goal):
    rng = np.random.default_rng(0)
    x, y = rng.lognormal(size=(30, 3)), rng.lognormal(size=(30, 2))
    kind, harsh = cross_efficiency(x, y).scores, cross_efficiency(x, y, goal="aggressive").scores
    assert harsh.mean() < kind.mean()
