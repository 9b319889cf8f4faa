import numpy as np
import pytest

from deacs.dea.constant_input import ConstantInput, solutions_of
from deacs.kernels.simplex import Search


def score(y, p):
    (answer,) = solutions_of(
        ConstantInput(np.array(y, dtype=float), cut=False).solve(np.array([p]))
    )
    return answer


def test_the_ray_through_a_unit_meets_the_plane_of_three_others():
    """(3, 0, 0), (0, 3, 0) and (0, 0, 3) span x + y + z = 3; (2, 1, 3) is worth 6."""
    answer = score([[2, 1, 3], [3, 0, 0], [0, 3, 0], [0, 0, 3]], 0)
    assert answer.objective == pytest.approx(2.0, rel=1e-15)
    assert dict(zip(answer.peers.tolist(), answer.weights.tolist(), strict=True)) == pytest.approx(
        {1: 2 / 3, 2: 1 / 3, 3: 1.0}, rel=1e-15
    )


def test_an_output_that_the_peers_make_too_much_of_has_price_zero():
    """(1, 1, 9) takes 1/5 of (5, 5, 1) for two outputs, but (0, 0, 9) for the third."""
    answer = score([[1, 1, 9], [5, 5, 1], [0, 0, 9], [1, 1, 1]], 0)
    assert answer.objective == pytest.approx(1 / 5 + (9 - 1 / 5) / 9, rel=1e-15)


def test_outputs_that_the_unit_lacks_do_not_matter():
    assert score([[1, 0, 0], [2, 0, 5], [1, 7, 0]], 0).objective == 0.5


def test_a_degenerate_program_ends():
    """All units are permutations of one another."""
    y = [np.roll([1.0, 2, 3, 4, 5, 6], k) for k in range(6)]
    answers = ConstantInput(np.vstack([y, y]), cut=True).solve(np.arange(12))
    np.testing.assert_allclose(answers.scores, 1.0, rtol=1e-14)
    assert answers.gaps.max() <= 1e-12


N = 80
NOBODY = np.full(N, -1)
NO_BOUND = np.full(N, np.inf)


@pytest.fixture
def race():
    """Units with nothing known about them, and the scores of all."""
    solver = ConstantInput(np.random.default_rng(0).random((N, 5)), cut=False)
    return solver, solver.solve(np.arange(N)).scores


def test_a_rising_bar_ends_at_the_largest_score(race):
    solver, scores = race
    k, answers = solver.solve_until(
        Search(
            np.arange(N),
            NOBODY,
            NO_BOUND,
            bar=0.0,
            enough=0.0,
            raise_bar=1.0,
            raise_enough=1 - 1e-9,
            close=1e-12,
        )
    )
    assert k == len(answers.scores) == N
    assert answers.scores.max() == scores.max()
    assert (answers.scores >= scores * (1 - 1e-12)).all()
    rising = np.maximum.accumulate(scores)
    settled = answers.gaps <= 1e-12
    assert settled[scores == rising].all()
    np.testing.assert_array_equal(answers.scores[settled], scores[settled])
    assert (answers.scores[~settled] < rising[~settled]).all()


def test_a_unit_that_promises_no_more_than_the_bar_ends_the_search(race):
    solver, scores = race
    order = np.argsort(-scores)
    bar = scores[order[3]]
    k, answers = solver.solve_until(
        Search(
            order,
            NOBODY,
            scores[order],
            bar=bar,
            enough=0.0,
            raise_bar=0.0,
            raise_enough=0.0,
            close=1e-12,
        )
    )
    assert (k, len(answers.scores)) == (N, 3)


def test_with_no_gap_accepted_the_first_score_that_is_enough_stops(race):
    solver, scores = race
    order = np.random.default_rng(1).permutation(N)
    k, answers = solver.solve_until(
        Search(
            order,
            NOBODY,
            NO_BOUND,
            bar=0.0,
            enough=1.05,
            raise_bar=0.0,
            raise_enough=0.0,
            close=-1.0,
        )
    )
    assert k == np.flatnonzero(scores[order] >= 1.05)[0]
    assert len(answers.scores) == k + 1
    assert answers.scores[k] == scores[order[k]]
    assert (answers.scores[:k] < 1.05).all()


@pytest.mark.parametrize("cut", [True, False])
def test_where_a_search_starts_does_not_matter_to_its_end(race, cut):
    """The unit with the largest sum makes some of every output."""
    solver, scores = race
    outputs = solver.references.columns
    first = np.full(N, outputs.sum(axis=1).argmax())
    first[first[0]] = -1
    _, answers = ConstantInput(outputs, cut=cut).solve_until(
        Search(
            np.arange(N),
            first,
            NO_BOUND,
            bar=0.0,
            enough=0.0,
            raise_bar=0.0,
            raise_enough=0.0,
            close=1e-12,
        )
    )
    np.testing.assert_allclose(answers.scores, scores, rtol=1e-13)


def test_after_a_search_that_fails_the_next_unit_is_solved():
    """Units 0 and 1 make infinitely much of what 2 and 3 do not demand: only their scores fail."""
    y = np.array([[np.inf, 1, 0], [np.inf, 1, 0], [0, 1, 1], [0, 2, 1]])
    answers = ConstantInput(y, cut=False).solve(np.array([0, 2, 1, 3]))
    assert np.isnan(answers.gaps[[0, 2]]).all()
    assert answers.scores[[1, 3]].tolist() == [1.0, 2.0]
    assert answers.gaps[[1, 3]].max() <= 1e-15
