import numpy as np
import pytest
from hypothesis import given

from deacs.dea import best_unit, super_efficiency
from deacs.dea.constant_input import ConstantInput, normal_form
from deacs.dea.data import read_table
from deacs.dea.solver import ByHighs, radial_programs
from deacs.dea.technology import Technology
from deacs.exceptions import InputError
from tests import naive
from tests.each import each
from tests.unit.dea.failures import fast_paths_fail
from tests.unit.dea.strategies import outputs

KINDS = ("uniform", "whole numbers", "dominated", "label scores")


def table_of(kind, seed, n, s):
    rng = np.random.default_rng(seed)
    if kind == "uniform":
        return rng.random((n, s))
    if kind == "whole numbers":
        return rng.integers(0, 5, (n, s)).astype(float)
    if kind == "dominated":
        return rng.lognormal(sigma=0.5, size=(n, 1)) * rng.uniform(0.5, 1, (n, s))
    scores = rng.gamma(0.3, size=(n, s)) * rng.gamma(0.5, size=(n, 1))
    return scores * (rng.random((n, s)) > 0.1)


def solve(y, **options):
    """The units with a finite positive score, and their answers."""
    units = normal_form(y)
    chosen = np.flatnonzero(~units.sole & ~units.idle)
    return chosen, ConstantInput(units).solve_all(chosen, **options)


def scores_of(answers):
    return np.array([one.objective for one in answers])


def gaps_of(answers):
    return np.array([one.gap for one in answers])


def has_units(y):
    units = normal_form(y)
    return len(y) > 1 and not (units.sole | units.idle).all()


@given(outputs(max_units=9, max_outputs=6).filter(has_units))
def test_scores_equal_one_linear_program_for_each_unit(y):
    chosen, answers = solve(y)
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)[chosen]
    np.testing.assert_allclose(scores_of(answers), expected, rtol=1e-9, atol=1e-12)
    assert (np.abs(gaps_of(answers)) <= 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [3, 8, 26])
def test_random_tables_equal_one_linear_program_for_each_unit(kind, s):
    y = table_of(kind, s, 60, s)
    chosen, answers = solve(y)
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)[chosen]
    np.testing.assert_allclose(scores_of(answers), expected, rtol=1e-9)
    assert (np.abs(gaps_of(answers)) <= 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [3, 8])
def test_references_that_others_dominate_change_no_score(kind, s):
    chosen, answers = solve(table_of(kind, 1, 400, s))
    solver = ConstantInput(normal_form(table_of(kind, 1, 400, s)))
    alone = [solver.solve(p).objective for p in chosen.tolist()]
    np.testing.assert_allclose(scores_of(answers), alone, rtol=1e-12)


def test_a_unit_that_only_the_removed_one_dominates_is_its_peer():
    """(2, 2, 2) hides behind (3, 3, 3), whose θ is 3/2; without it the others would make 9/4."""
    y = [[3.0, 3, 3], [2, 2, 2], [4, 0, 0], [0, 4, 0], [0, 0, 4], [4, 0, 0], [0, 4, 0], [0, 0, 4]]
    result = super_efficiency(None, y)
    assert result.scores[0] == pytest.approx(3 / 2, rel=1e-15)
    assert result.peers[0].tolist() == [1]


@pytest.mark.parametrize("kind", KINDS)
def test_threads_do_not_change_a_bit(kind):
    y = table_of(kind, 2, 500, 7)
    first = super_efficiency(None, y)
    for n_jobs in (2, 3, -1):
        again = super_efficiency(None, y, n_jobs=n_jobs)
        assert again.scores.tobytes() == first.scores.tobytes()
        for p in range(len(y)):
            np.testing.assert_array_equal(again.peers[p], first.peers[p])
            np.testing.assert_array_equal(again.weights[p], first.weights[p])


def test_the_answer_of_a_unit_does_not_depend_on_the_units_solved_before():
    solver = ConstantInput(normal_form(table_of("uniform", 3, 200, 6)))
    together = scores_of(solver.solve_all(np.arange(200)))
    alone = [solver.solve_all(np.array([p]))[0].objective for p in range(200)]
    assert together.tolist() == alone


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_below_enough_is_a_bound(kind):
    y = table_of(kind, 4, 150, 6)
    chosen, answers = solve(y)
    solver = ConstantInput(normal_form(y))
    for p, exact in zip(chosen.tolist(), scores_of(answers).tolist(), strict=True):
        early = solver.solve(p, enough=1.1).objective
        assert early >= exact * (1 - 1e-12)
        assert (early >= 1.1) == (exact >= 1.1)


def test_the_solver_of_all_programs_takes_what_the_first_could_not(monkeypatch):
    y = table_of("uniform", 5, 30, 5)
    asked = ConstantInput(normal_form(y))
    exact = [asked.solve(p).objective for p in range(30)]
    assert asked.n_solved == 30
    fast_paths_fail(monkeypatch)
    np.testing.assert_allclose([asked.solve(p).objective for p in range(30)], exact, rtol=1e-12)
    assert asked.n_solved == 90
    result = super_efficiency(None, y)
    np.testing.assert_allclose(result.scores, exact, rtol=1e-12)
    assert "uncertain" not in result.status


def on_a_circle(rng):
    angle = rng.random(300) * np.pi / 2
    return np.column_stack([np.cos(angle), np.sin(angle)])


def on_a_line(rng):
    share = rng.random(300)
    return np.column_stack([share, 1 - share])


def on_few_rays(rng):
    return rng.random((3, 2))[rng.integers(0, 3, 60)] / rng.integers(1, 9, (60, 1))


@pytest.mark.parametrize("make", [on_a_circle, on_a_line, on_few_rays])
@each("seed", range(3))
def test_units_in_the_plane_score_as_by_highs(make, seed):
    """On a circle every unit is a corner; on a line and on rays rounding decides who is."""
    y = make(np.random.default_rng(seed))
    chosen, answers = solve(y)
    technology = Technology(read_table(None, y), "crs")
    build = radial_programs(technology, "input", itself=True)
    by_highs = ByHighs(technology)
    expected = [by_highs.solve(p, build(np.array([p]))[0]) for p in chosen.tolist()]
    told = (gaps_of(answers) <= 1e-12) & (gaps_of(expected) <= 1e-10)
    assert told.mean() > 0.5
    np.testing.assert_allclose(scores_of(answers)[told], scores_of(expected)[told], rtol=1e-10)


def test_repeated_columns_and_columns_of_zeros_are_dropped():
    column = np.array([1.0, 2.0, 3.0])
    units = normal_form(np.column_stack([column, 0 * column, column, column[::-1]]))
    assert units.outputs.shape == (3, 2)


def test_numbers_far_below_the_largest_of_their_column_are_not_computed_with():
    y = np.array([[1.0, 0.0], [0.0, 1.0], [1e-200, 1e-200]])
    result = super_efficiency(None, y)
    assert result.status.tolist() == ["uncertain"] * 3
    assert np.isnan(result.scores).all()
    with pytest.raises(InputError, match="outputs must be 0 or at least 1e-90 of the largest"):
        best_unit(y)


def test_the_removal_of_a_corner_exposes_what_was_inside():
    """(2, 3.4) is below the link from (3, 3) to (1, 4), where x + 2y = 9; without (3, 3), the ray
    (1, 1) meets the link from (4, 1) to (2, 3.4), where 2.4x + 2y = 11.6.
    """
    result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [2, 3.4]])
    assert result.scores[1] == pytest.approx(13.2 / 11.6, rel=1e-12)
    assert sorted(result.peers[1].tolist()) == [0, 3]
    assert result.status[3] == "inefficient"
