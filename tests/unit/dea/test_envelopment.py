"""The simplex method for all programs: the answers of HiGHS, proved, and always the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import envelopment, programs, super_efficiency
from deacs.dea.data import read_table
from deacs.dea.programs import Solver
from deacs.dea.radial import radial_rays
from deacs.dea.slacks import slack_programs
from deacs.dea.technology import Technology
from deacs.kernels.interpreting import Interpreted
from tests.each import each
from tests.unit.dea.strategies import inputs_and_outputs

SOLVERS = ("compiled",)
SCALES = ("crs", "vrs", "nirs", "ndrs")


def random_table(kind, seed, n, m, s):
    rng = np.random.default_rng(seed)
    if kind == "whole numbers":
        return rng.integers(1, 5, (n, m)).astype(float), rng.integers(0, 5, (n, s)).astype(float)
    x, y = rng.lognormal(size=(n, m)), rng.lognormal(size=(n, s))
    if kind == "production":
        y *= (np.prod(x, axis=1) ** (1 / m) / np.linalg.norm(y, axis=1))[:, None]
    return x, y


def stated(x, y, scale, orientation, itself):
    technology = Technology(read_table(x, y), scale)
    rays = radial_rays(technology, orientation)
    return technology.references, rays.programs(np.arange(len(x)), itself=itself)


def solve(references, program, enough=np.inf):
    units = np.arange(len(program))
    return envelopment.solve_quickly(references, program, units, enough)


@each("kind", ["random", "production", "whole numbers"])
@pytest.mark.parametrize("scale", SCALES)
@each("orientation", ["input", "output"])
@each("itself", [True, False])
def test_objectives_are_those_of_highs(kind, scale, orientation, itself):
    x, y = random_table(kind, 3, 60, 3, 2)
    y[y.sum(axis=1) == 0] = 1.0
    references, program = stated(x, y, scale, orientation, itself)
    solver = Solver(references)
    for p, one in enumerate(solve(references, program)):
        expected = solver.solve(p, program[p])
        assert one is not None
        assert one.status == expected.status
        if one.status == "optimal":
            assert one.objective == pytest.approx(expected.objective, rel=1e-10)
            assert one.gap <= envelopment.CLOSE


@given(inputs_and_outputs(), st.sampled_from(SCALES), st.booleans())
def test_what_it_answers_is_right_with_zeros_ties_and_duplicates(tables, scale, itself):
    references, program = stated(*tables, scale, "input", itself)
    solver = Solver(references)
    for p, one in enumerate(solve(references, program)):
        if one is not None:
            expected = solver.solve(p, program[p])
            assert one.status == expected.status
            np.testing.assert_allclose(one.objective, expected.objective, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("scale", SCALES)
def test_the_largest_slacks_are_those_of_highs(scale):
    x, y = random_table("random", 5, 60, 2, 3)
    technology = Technology(read_table(x, y), scale)
    points = technology.matrix[:, :5]
    program = slack_programs(technology, np.arange(60), points, np.ones((60, 5)))
    solver = Solver(technology.references)
    found = solve(technology.references, program)
    assert sum(one is None for one in found) <= 1
    for p, one in enumerate(found):
        if one is not None:
            expected = solver.solve(p, program[p]).objective
            assert one.objective == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_an_answer_does_not_depend_on_the_units_solved_before():
    references, program = stated(*random_table("production", 7, 80, 3, 3), "vrs", "input", True)
    together = solve(references, program)
    for p in range(80):
        units = np.array([p])
        (alone,) = envelopment.solve_quickly(references, program[units], units, np.inf)
        assert alone.objective == together[p].objective or alone.status == "infeasible"
        np.testing.assert_array_equal(alone.weights, together[p].weights)


def test_it_gives_the_same_bits_compiled_and_interpreted(monkeypatch):
    references, program = stated(*random_table("random", 1, 30, 2, 3), "vrs", "input", True)
    compiled = solve(references, program)
    for name in ("solve_envelopment", "find_gains"):
        kernel = getattr(envelopment, name)
        monkeypatch.setattr(envelopment, name, Interpreted(kernel.py_func))
    for one, other in zip(compiled, solve(references, program), strict=True):
        assert one.status == other.status
        for mine, theirs in zip(one[1:], other[1:], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_program_may_end_at_a_lower_bound():
    references, program = stated(*random_table("production", 2, 80, 2, 2), "vrs", "input", True)
    exact, early = solve(references, program), solve(references, program, enough=1.0)
    beyond = 0
    for one, other in zip(exact, early, strict=True):
        if other.status == "bounded":
            beyond += 1
            assert other.objective >= 1.0
            assert one.status == "infeasible" or other.objective <= one.objective * (1 + 1e-10)
        else:
            assert one.objective == other.objective
    assert beyond > 0


def test_what_it_cannot_prove_it_leaves_to_others(monkeypatch):
    """Prices that are off by a millionth prove nothing."""
    references, program = stated(*random_table("random", 4, 40, 2, 2), "crs", "input", True)
    usual = envelopment.solve_envelopment

    def spoiled(refs, room, asked, found):
        usual(refs, room, asked, found)
        found.prices[:, 2:] *= 1.0 + 1e-6

    monkeypatch.setattr(envelopment, "solve_envelopment", spoiled)
    open_ = [p for p, one in enumerate(solve(references, program)) if one is None]
    assert len(open_) > 20  # with a single peer, what prices miss is known
    asked = []
    monkeypatch.setattr(programs.Solver, "solve", lambda _, p, program, **options: asked.append(p))
    programs.solve_programs(references, lambda some: program[some], np.arange(40))
    assert asked == open_


def test_a_bound_that_holds_only_where_the_objective_is_attained_is_no_answer(monkeypatch):
    """Without the sum of λ, prices of variable returns let large units gain."""
    references, program = stated(*random_table("production", 2, 80, 2, 2), "vrs", "input", True)
    usual = envelopment.solve_envelopment

    def spoiled(refs, room, asked, found):
        usual(refs, room, asked, found)
        found.prices[:, 2:4] *= 2.0
        found.weights[:] = 0.0

    monkeypatch.setattr(envelopment, "solve_envelopment", spoiled)
    found = solve(references, program, enough=1.0)
    assert {one.status for one in found if one is not None} <= {"infeasible"}


def test_hundreds_of_columns_of_its_own_are_left_to_others():
    technology = Technology(read_table(None, np.random.default_rng(0).random((3, 400))), "crs")
    units = np.arange(3)
    program = slack_programs(technology, units, technology.matrix[:, :401], np.ones((3, 401)))
    assert solve(technology.references, program) == [None] * 3


@each("left", [0.0, 1.0, 7.0])
def test_what_memory_held_before_does_not_count(left, monkeypatch):
    x = np.array([[0.5, 0.5, 0.5], [0.5, 3, 0], [1, 0.5, 0.5], [0.5, 0.5, 0.5], [1, 0.5, 0.5]])
    y = np.full((5, 3), 0.5)
    expected = super_efficiency(x, y).scores
    make_room = envelopment.make_room

    def used_room(*arguments):
        room = make_room(*arguments)
        for part in room:
            part.fill(left)
        return room

    monkeypatch.setattr(envelopment, "make_room", used_room)
    assert super_efficiency(x, y).scores.tobytes() == expected.tobytes()
