import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import super_efficiency
from deacs.dea.constant_input import ConstantInput
from deacs.dea.data import read_table, units
from deacs.dea.programs import Solver
from deacs.dea.technology import Technology
from tests import naive
from tests.each import each
from tests.unit.dea.single_programs import super_programs
from tests.unit.dea.strategies import outputs

SOLVERS = ("compiled",)
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


def solve(y, *, cut=True, **options):
    """The units with a finite positive score, and their answers."""
    table = units(None, y)
    chosen = np.flatnonzero(~table.sole & ~table.idle)
    return chosen, ConstantInput(table.outputs, cut=cut).solve(chosen, **options)


def has_units(y):
    table = units(None, y)
    return len(y) > 1 and not (table.sole | table.idle).all()


@given(outputs(max_units=9, max_outputs=6).filter(has_units), st.booleans())
def test_scores_equal_one_linear_program_for_each_unit(y, cut):
    chosen, answers = solve(y, cut=cut)
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)[chosen]
    np.testing.assert_allclose(answers.scores, expected, rtol=1e-9, atol=1e-12)
    assert (np.abs(answers.gaps) <= 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [3, 8, 26])
def test_random_tables_equal_one_linear_program_for_each_unit(kind, s):
    y = table_of(kind, s, 60, s)
    chosen, answers = solve(y)
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)[chosen]
    np.testing.assert_allclose(answers.scores, expected, rtol=1e-9)
    assert (np.abs(answers.gaps) <= 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("s", [3, 8])
def test_the_cut_to_the_core_changes_no_score(kind, s):
    y = table_of(kind, 1, 400, s)
    np.testing.assert_allclose(solve(y)[1].scores, solve(y, cut=False)[1].scores, rtol=1e-12)


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
    table = units(None, table_of("uniform", 3, 200, 6))
    solver = ConstantInput(table.outputs, cut=True)
    together = solver.solve(np.arange(200))
    alone = [solver.solve(np.array([p])).scores[0] for p in range(200)]
    assert together.scores.tolist() == alone


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_below_enough_is_a_bound(kind):
    y = table_of(kind, 4, 150, 6)
    exact, early = solve(y)[1], solve(y, enough=1.1)[1]
    assert (early.scores >= exact.scores * (1 - 1e-12)).all()
    late = early.scores >= 1.1
    np.testing.assert_array_equal(early.scores[late], exact.scores[late])
    assert (exact.scores >= 1.1).sum() == late.sum()


def test_a_gap_tells_how_far_a_score_may_be_off():
    """Over 24 orders of magnitude some programs are left unsettled, and say so."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        y = 10.0 ** rng.uniform(-12, 12, (30, 5)) * (rng.random((30, 5)) > 0.2)
        chosen, answers = solve(y)
        proved = super_efficiency(None, y)
        assert "uncertain" not in proved.status
        truth = proved.scores[chosen]
        told = np.isfinite(answers.gaps)
        assert (answers.scores[told] >= truth[told] * (1 - 1e-9)).all()
        lower = answers.scores[told] * (1 - answers.gaps[told])
        assert (lower <= truth[told] * (1 + 1e-9)).all()


def on_a_circle(rng):
    angle = rng.random(300) * np.pi / 2
    return np.column_stack([np.cos(angle), np.sin(angle)])


def on_a_line(rng):
    share = rng.random(300)
    return np.column_stack([share, 1 - share])


def on_few_rays(rng):
    return rng.random((3, 2))[rng.integers(0, 3, 60)] / rng.integers(1, 9, (60, 1))


def over_thirty_orders(rng):
    return 10.0 ** rng.uniform(-15, 15, (25, 2)) * (rng.random((25, 2)) > 0.2)


@pytest.mark.parametrize("make", [on_a_circle, on_a_line, on_few_rays, over_thirty_orders])
@each("seed", range(3))
def test_units_in_the_plane_score_as_by_highs(make, seed):
    """On a circle every unit is a corner; on a line and on rays rounding decides who is."""
    table = units(None, make(np.random.default_rng(seed)))
    chosen = np.flatnonzero(~table.sole & ~table.idle)
    answers = ConstantInput(table.outputs, cut=True).solve(chosen)
    technology = Technology(read_table(None, table.outputs), "crs")
    build, solver = super_programs(technology), Solver(technology.references)
    expected = [solver.solve(p, build(p)).objective for p in chosen.tolist()]
    told = answers.gaps <= 1e-12
    assert told.mean() > 0.9
    np.testing.assert_allclose(answers.scores[told], np.array(expected)[told], rtol=1e-10)


def test_the_removal_of_a_corner_exposes_what_was_inside():
    """(2, 3.4) is below the link from (3, 3) to (1, 4), where x + 2y = 9; without (3, 3), the ray
    (1, 1) meets the link from (4, 1) to (2, 3.4), where 2.4x + 2y = 11.6.
    """
    result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [2, 3.4]])
    assert result.scores[1] == pytest.approx(13.2 / 11.6, rel=1e-12)
    assert sorted(result.peers[1].tolist()) == [0, 3]
    assert result.status[3] == "inefficient"
