import numpy as np
import pytest

from deacs.dea.data import units
from deacs.dea.envelopment import Envelopment


@pytest.fixture
def table():
    return units(None, np.random.default_rng(2).random((40, 5)))


def test_the_score_of_a_unit_does_not_depend_on_the_units_solved_before(table):
    shared = Envelopment(table)
    scores = [shared.solve(p).score for p in range(40)]
    fresh = [Envelopment(table).solve(p).score for p in range(40)]
    np.testing.assert_allclose(scores, fresh, rtol=1e-12)
    assert shared.n_solved == 40


def test_a_bound_below_enough_is_a_bound(table):
    early = Envelopment(table)
    for p in range(40):
        exact = Envelopment(table).solve(p)
        bound = early.solve(p, enough=1.1)
        assert bound.score >= exact.score * (1 - 1e-12)
        if bound.score >= 1.1:
            assert bound.score == pytest.approx(exact.score, rel=1e-12)


def test_a_unit_with_one_input_and_one_output_takes_no_program():
    """Unit 0 makes the first output only, half of what unit 1 makes of it."""
    envelopment = Envelopment(units(None, [[1.0, 0.0], [2.0, 1.0], [1.0, 3.0]]))
    assert envelopment.solve(0).score == 0.5
    assert envelopment.n_solved == 0
