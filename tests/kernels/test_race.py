import numpy as np
import pytest

from deacs.dea.constant_input import ConstantInput
from deacs.kernels.race import first_to_attain, raise_the_bar

N = 80
NOBODY = np.full(N, -1)


@pytest.fixture
def race():
    """References, the scores of all units, and bounds that say nothing."""
    solver = ConstantInput(np.random.default_rng(0).random((N, 5)), cut=False)
    scores = solver.solve(np.arange(N)).scores
    return solver.references, scores, np.zeros(N), np.full(N, np.inf)


def test_the_bar_ends_at_the_largest_score(race):
    refs, scores, lower, upper = race
    k, n_solved = raise_the_bar(refs, np.arange(N), NOBODY, 0.0, 1e-9, 1e-12, 1e-12, lower, upper)
    assert (k, n_solved) == (N, N)
    assert lower.max() == scores.max()
    assert (upper >= scores * (1 - 1e-12)).all()
    assert (upper <= scores.max()).all()


def test_units_below_the_bar_are_left_alone(race):
    refs, scores, lower, upper = race
    lower[:] = upper[:] = scores
    order = np.argsort(-upper)
    assert raise_the_bar(refs, order, NOBODY, lower.max(), 1e-9, 1e-12, 1e-12, lower, upper) == (
        N,
        0,
    )


def test_the_first_to_attain_a_floor_is_the_first(race):
    refs, scores, lower, upper = race
    order = np.random.default_rng(1).permutation(N)
    k, n_solved = first_to_attain(refs, order, NOBODY, 1.05, 1e-12, lower, upper)
    assert k == np.flatnonzero(scores[order] >= 1.05)[0]
    assert n_solved == k + 1
    assert lower[order[k]] == scores[order[k]]


def test_a_program_that_cannot_be_settled_stops_the_race(race):
    """No gap is below -1."""
    refs, _, lower, upper = race
    assert raise_the_bar(refs, np.arange(N), NOBODY, 0.0, 1e-9, -1.0, 1e-12, lower, upper) == (0, 1)
    assert first_to_attain(refs, np.arange(N), NOBODY, 0.0001, -1.0, lower, upper) == (0, 1)
    assert (lower == 0).all()
    assert np.isinf(upper).all()
