"""Super-efficiency with bounded ratios of output prices."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from deacs.dea import assurance, super_efficiency
from deacs.dea.assurance import assured_best, assured_score, assured_scores


def naive_score(y, ratio, p):
    """max u.y_p with u.y_j <= 1 for the others and u_i <= ratio u_k, by one linear program."""
    n, s = y.shape
    others = np.delete(y, p, axis=0)
    if not y[p].any():
        return 0.0
    if not others.any():
        return math.inf
    bounds = [
        np.eye(s)[i] - ratio * np.eye(s)[k] for i in range(s) for k in range(s) if i != k
    ] or [np.zeros(s)]
    # In units of its largest output, as a price of 1e-9 would be lost among tolerances.
    solution = linprog(
        -y[p],
        A_ub=np.vstack([others, bounds]),
        b_ub=np.r_[np.ones(n - 1), np.zeros(len(bounds))],
        bounds=[(0, None)] * s,
        method="highs-ds",
    )
    assert solution.status == 0, solution.message
    return -solution.fun


@st.composite
def tables(draw):
    n, s = draw(st.integers(1, 10)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = rng.integers(0, draw(st.sampled_from([2, 5, 1000])), (n, s)).astype(float)
    if n > 2 and draw(st.booleans()):
        table[1] = table[0]
    return table / max(table.max(), 1)


@given(tables(), st.sampled_from([1.0, 1.5, 4.0, 100.0]))
def test_scores_equal_the_multiplier_program(table, ratio):
    expected = [naive_score(table, ratio, p) for p in range(len(table))]
    np.testing.assert_allclose(assured_scores(table, ratio), expected, rtol=1e-7)


@given(tables(), st.sampled_from([1.0, 1.2, 4.0, 100.0]))
def test_the_tableau_and_the_programs_of_large_tables_agree(table, ratio):
    quick = assured_scores(table, ratio)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assurance, "MOST_NUMBERS", -1)
        np.testing.assert_allclose(quick, assured_scores(table, ratio), rtol=1e-9)


@given(tables(), st.sampled_from([1.0, 2.0, 30.0]))
def test_the_best_are_found_without_scoring_all(table, ratio):
    table = table[table.any(axis=1)]
    if len(table) == 0:
        return
    scores = assured_scores(table, ratio)
    tied, best = assured_best(table, ratio)
    assert best == pytest.approx(scores.max(), rel=1e-9)
    top = scores.max()
    expected = np.flatnonzero(scores >= (top if math.isinf(top) else top * (1 - 1e-9)))
    np.testing.assert_array_equal(tied, expected)


@given(tables(), st.sampled_from([1.2, 3.0]))
def test_one_unit_is_scored_as_beside_all_others(table, ratio):
    scores = assured_scores(table, ratio)
    for p in range(len(table)):
        assert assured_score(table, ratio, p) == pytest.approx(scores[p], rel=1e-9)


@given(tables())
def test_a_ratio_of_one_is_the_sum_over_the_largest_other_sum(table):
    sums = table.sum(axis=1)
    for p, score in enumerate(assured_scores(table, 1.0)):
        others = np.delete(sums, p).max(initial=0.0)
        if sums[p] > 0:
            assert score == pytest.approx(sums[p] / others if others else math.inf, rel=1e-9)


@given(tables())
def test_scores_rise_with_the_ratio_towards_free_weights(table):
    if not table.any():
        return
    free = super_efficiency(None, table).scores
    before = np.zeros(len(table))
    for ratio in (1.0, 2.0, 8.0, 1e3):
        scores = assured_scores(table, ratio)
        assert (scores >= before * (1 - 1e-8)).all()
        assert (scores <= free * (1 + 1e-8)).all()
        before = scores


def test_a_sole_producer_is_finite_under_any_finite_ratio():
    table = np.array([[1.0, 0.0], [0.2, 0.5], [0.0, 0.0]])
    table[0, 1], table[1, 1] = 0.3, 0.0
    assert np.isinf(super_efficiency(None, table).scores[0])
    scores = assured_scores(table, 10.0)
    # Prices (1, 10): 1 + 3 against 0.2.
    assert scores[0] == pytest.approx(4.0 / 0.2)
    assert scores[2] == 0


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 8),
    st.integers(1, 5),
    st.sampled_from([1.0, 1.2, 9.0]),
)
def test_upper_bounds_are_those_of_the_best_corner_of_prices(seed, n, s, ratio):
    y = np.random.default_rng(seed).integers(0, 4, (n, s)) / 4
    corners = np.array(list(product((1.0, ratio), repeat=s)))
    rivals = np.flatnonzero(y.any(axis=1))
    expected = [
        min((max(corners @ y[p] / (corners @ y[j])) for j in rivals if j != p), default=np.inf)
        for p in range(n)
    ]
    np.testing.assert_allclose(assurance._upper_bounds(y, ratio), expected, rtol=1e-12)
