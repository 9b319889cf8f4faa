import numpy as np
from hypothesis import given

from deacs.dea import ccr, super_efficiency
from deacs.dea.result import ROUNDING
from tests import naive
from tests.unit.dea.strategies import inputs_and_outputs


def test_stores_of_cooper_seiford_and_tone_table_1_1():
    """Sales per employee over the best, store B's 1: Data Envelopment Analysis, 2nd ed., p. 4."""
    employees, sales = [2, 3, 3, 4, 5, 5, 6, 8], [1, 3, 2, 3, 4, 2, 3, 5]
    result = ccr(employees, sales)
    expected = [1 / 2, 1, 2 / 3, 3 / 4, 4 / 5, 2 / 5, 1 / 2, 5 / 8]
    np.testing.assert_allclose(result.scores, expected, rtol=1e-15)
    assert [peers.tolist() for peers in result.peers] == [[1]] * 8


@given(inputs_and_outputs())
def test_scores_equal_one_linear_program_for_each_unit(tables):
    """The twin keeps p among its references, so this also tests ccr = min(1, super)."""
    scores = ccr(*tables).scores
    np.testing.assert_allclose(scores, naive.ccr(*tables), rtol=1e-9, atol=1e-12)
    assert (scores <= 1).all()


@given(inputs_and_outputs())
def test_inefficient_units_have_their_super_efficiency(tables):
    """Each is a program of its own, so they agree up to rounding; peers may be others in a tie."""
    result, beyond = ccr(*tables, slacks=False), super_efficiency(*tables)
    # Of a unit that is on the frontier but for rounding, ccr is 1.
    for p in np.flatnonzero(beyond.scores < 1 - ROUNDING):
        assert abs(result.scores[p] - beyond.scores[p]) <= ROUNDING
        assert result.status[p] == beyond.status[p]


def test_efficient_units_are_their_own_and_only_peers():
    """Both are sole producers, infinitely super-efficient."""
    result = ccr(None, [[1, 0], [0, 2]])
    assert result.scores.tolist() == [1.0, 1.0]
    assert result.status.tolist() == ["efficient", "efficient"]
    assert [peers.tolist() for peers in result.peers] == [[0], [1]]
    assert [weights.tolist() for weights in result.weights] == [[1.0], [1.0]]
