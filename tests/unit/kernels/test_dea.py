import numpy as np
import pytest

from deacs._kernels.dea import maximal_units, upper_bounds
from deacs.dea.constant_input import ConstantInput, Search, normal_form
from tests.each import each


def naive_upper_bound(y, p):
    """U_p = min over j != p of max over r of y_pr / y_jr, with 0/0 = 0 and x/0 = inf."""
    smallest = np.inf
    for j in range(len(y)):
        if j != p:
            pairs = zip(y[p], y[j], strict=True)
            ratios = [0.0 if a == 0 else np.inf if b == 0 else a / b for a, b in pairs]
            smallest = min(smallest, max(ratios))
    return smallest


def bounds_of(y, threshold=0.0, order=None):
    bounds = np.full(len(y), np.inf)
    through = np.empty(len(y), dtype=np.int64)
    rivals = np.arange(len(y)) if order is None else order
    upper_bounds(y, y.sum(axis=1), rivals, threshold, bounds, through)
    for p in np.flatnonzero(np.isfinite(bounds)):
        made = y[through[p]]
        assert through[p] != p
        assert bounds[p] == max(y[p, made > 0] / made[made > 0])
    return bounds


@pytest.mark.parametrize("seed", range(10))
def test_bounds_equal_the_definition_in_any_order(seed):
    rng = np.random.default_rng(seed)
    y = rng.random((15, 4))
    y[rng.random(y.shape) < 0.2] = 0
    expected = [naive_upper_bound(y, p) for p in range(len(y))]
    np.testing.assert_allclose(bounds_of(y), expected, rtol=1e-15)
    np.testing.assert_allclose(bounds_of(y, order=rng.permutation(15)), expected, rtol=1e-15)


def test_below_the_threshold_a_bound_is_still_a_bound():
    y = np.random.default_rng(0).random((40, 3))
    exact, bounds = bounds_of(y), bounds_of(y, threshold=1.0)
    np.testing.assert_array_equal(bounds[exact >= 1.0], exact[exact >= 1.0])
    assert (bounds[exact < 1.0] < 1.0).all()
    assert (bounds >= exact).all()


def test_a_unit_alone_has_no_bound():
    assert bounds_of(np.ones((1, 2))).tolist() == [np.inf]


def test_a_bound_known_before_is_kept_where_it_is_lower():
    y = np.random.default_rng(1).random((20, 3))
    exact, known = bounds_of(y), np.random.default_rng(2).random(20) * 2
    bounds = known.copy()
    through = np.empty(20, dtype=np.int64)
    upper_bounds(y, y.sum(axis=1), np.arange(20), 0.0, bounds, through)
    np.testing.assert_array_equal(bounds, np.minimum(exact, known))
    np.testing.assert_array_equal(through < 0, known <= exact)


def split(y):
    order = np.argsort(-y.sum(axis=1), kind="stable")
    core, shadow = np.empty(len(y), dtype=np.int64), np.empty(len(y), dtype=np.int64)
    return core[: maximal_units(y, order, core, shadow)].tolist(), shadow.tolist(), order.tolist()


@each("seed", range(20))
def test_core_and_shadows_equal_the_definition(seed):
    """Whole numbers, so that units are often equal; the first in order then dominates."""
    y = np.random.default_rng(seed).integers(0, 4, (40, 3)).astype(float)
    core, shadow, order = split(y)
    rank = {p: k for k, p in enumerate(order)}

    def dominators(p):
        return [
            j
            for j in range(len(y))
            if (y[j] >= y[p]).all() and ((y[j] > y[p]).any() or rank[j] < rank[p])
        ]

    assert sorted(core) == [p for p in range(len(y)) if not dominators(p)]
    for p in range(len(y)):
        behind = [j for j in dominators(p) if j in core]
        assert shadow[p] == (behind[0] if len(behind) == 1 else -1)


def test_equal_units_leave_the_first_in_the_core():
    core, shadow, _ = split(np.ones((3, 2)))
    assert core == [0]
    assert shadow == [-1, 0, 0]


def score(y, p):
    return ConstantInput(normal_form(np.array(y, dtype=float))).solve(p)


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
    answers = ConstantInput(normal_form(np.vstack([y, y]))).solve_all(np.arange(12))
    np.testing.assert_allclose([one.objective for one in answers], 1.0, rtol=1e-14)
    assert max(one.gap for one in answers) <= 1e-12


N = 80
NOBODY = np.full(N, -1)
NO_BOUND = np.full(N, np.inf)


@pytest.fixture
def race():
    """Units with nothing known about them, and the scores of all."""
    solver = ConstantInput(normal_form(np.random.default_rng(0).random((N, 5))))
    return solver, np.array([solver.solve(p).objective for p in range(N)])


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


def test_where_a_search_starts_does_not_matter_to_its_end(race):
    """The unit with the largest sum makes some of every output."""
    solver, scores = race
    first = np.full(N, solver.units.outputs.sum(axis=1).argmax())
    first[first[0]] = -1
    _, answers = solver.solve_until(Search(np.arange(N), first, NO_BOUND, enough=0.0, close=1e-12))
    np.testing.assert_allclose(answers.scores, scores, rtol=1e-13)
