"""The simplex method for all programs: the answers of HiGHS, proved, and always the same."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import bcc, ram, solver, super_efficiency, super_sbm, technology
from deacs.dea.data import read_table
from deacs.dea.slacks import slack_programs
from deacs.dea.solver import ByHighs, radial_programs
from deacs.dea.technology import Technology
from tests.each import each
from tests.unit.dea.failures import fast_paths_fail
from tests.unit.dea.strategies import inputs_and_outputs

SCALES = ("crs", "vrs", "nirs", "ndrs")


def random_table(kind, seed, n, m, s):
    rng = np.random.default_rng(seed)
    if kind == "whole numbers":
        return rng.integers(1, 5, (n, m)).astype(float), rng.integers(0, 5, (n, s)).astype(float)
    x, y = rng.lognormal(size=(n, m)), rng.lognormal(size=(n, s))
    if kind == "production":
        y *= (np.prod(x, axis=1) ** (1 / m) / np.linalg.norm(y, axis=1))[:, None]
    return x, y


def spoiling(solve_programs):
    """The kernels with another solver."""
    return SimpleNamespace(**(vars(solver.kernels) | {"solve_programs": solve_programs}))


def stated(x, y, scale, orientation, itself):
    technology = Technology(read_table(x, y), scale)
    build = radial_programs(technology, orientation, itself=itself)
    return technology, build(np.arange(len(x)))


def solve(technology, program):
    return solver.solve_quickly(technology, program, np.arange(len(program)))


@each("kind", ["random", "production", "whole numbers"])
@pytest.mark.parametrize("scale", SCALES)
@each("orientation", ["input", "output"])
@each("itself", [True, False])
def test_objectives_are_those_of_highs(kind, scale, orientation, itself):
    x, y = random_table(kind, 3, 60, 3, 2)
    y[y.sum(axis=1) == 0] = 1.0
    technology, program = stated(x, y, scale, orientation, itself)
    by_highs = ByHighs(technology)
    for p, one in enumerate(solve(technology, program)):
        expected = by_highs.solve(p, program[p])
        assert one is not None
        assert expected.status in ("failed", one.status)
        if expected.status == "optimal":
            assert one.objective == pytest.approx(expected.objective, rel=1e-10)
            assert one.gap <= solver.CLOSE


@given(inputs_and_outputs(), st.sampled_from(SCALES), st.booleans())
def test_what_it_answers_is_right_with_zeros_ties_and_duplicates(tables, scale, itself):
    technology, program = stated(*tables, scale, "input", itself)
    by_highs = ByHighs(technology)
    for p, one in enumerate(solve(technology, program)):
        if one is not None:
            expected = by_highs.solve(p, program[p])
            if expected.gap <= 1e-9:
                assert one.status == expected.status
                np.testing.assert_allclose(one.objective, expected.objective, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
def test_the_largest_slacks_are_those_of_highs(scale):
    x, y = random_table("random", 5, 60, 2, 3)
    technology = Technology(read_table(x, y), scale)
    points = technology.matrix[:, :5]
    program = slack_programs(technology, np.arange(60), points, np.ones((60, 5)))
    by_highs = ByHighs(technology)
    found = solve(technology, program)
    assert sum(one is None for one in found) <= 1
    for p, one in enumerate(found):
        if one is not None:
            expected = by_highs.solve(p, program[p]).objective
            assert one.objective == pytest.approx(expected, rel=1e-10, abs=1e-10)


def test_an_answer_does_not_depend_on_the_units_solved_before():
    technology, program = stated(*random_table("production", 7, 80, 3, 3), "vrs", "input", True)
    together = solve(technology, program)
    for p in range(80):
        units = np.array([p])
        (alone,) = solver.solve_quickly(technology, program[units], units)
        assert alone.objective == together[p].objective or alone.status == "infeasible"
        np.testing.assert_array_equal(alone.weights, together[p].weights)


def test_what_it_cannot_prove_it_leaves_to_others(monkeypatch):
    """Prices that are off by a millionth prove nothing."""
    technology, program = stated(*random_table("random", 4, 40, 2, 2), "crs", "input", True)
    usual = solver.kernels.solve_programs

    def spoiled(refs, asked, found):
        usual(refs, asked, found)
        found.prices[:, 2:] *= 1.0 + 1e-6

    monkeypatch.setattr(solver, "kernels", spoiling(spoiled))
    open_ = [p for p, one in enumerate(solve(technology, program)) if one is None]
    assert len(open_) > 20  # with a single peer, what prices miss is known
    asked = []
    monkeypatch.setattr(ByHighs, "solve", lambda _, p, program: asked.append(p))
    solver.solve_programs(technology, lambda some: program[some], np.arange(40))
    assert asked == open_


def test_hundreds_of_columns_of_its_own_are_left_to_others():
    technology = Technology(read_table(None, np.random.default_rng(0).random((3, 400))), "crs")
    units = np.arange(3)
    program = slack_programs(technology, units, technology.matrix[:, :401], np.ones((3, 401)))
    assert solve(technology, program) == [None] * 3


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (bcc, {}),
        (ram, {}),
        (super_efficiency, {"returns_to_scale": "vrs"}),
        (super_efficiency, {"returns_to_scale": "vrs", "orientation": "output"}),
        (super_sbm, {"returns_to_scale": "vrs"}),
    ],
)
def test_leaving_out_dominated_references_changes_nothing(model, options, monkeypatch):
    """Small integers, so that units are equal and one hides behind another alone."""
    rng = np.random.default_rng(1)
    x, y = rng.integers(1, 6, (60, 2)).astype(float), rng.integers(0, 6, (60, 2)).astype(float)
    cut = model(x, y, **options)
    usual = technology.possible_peers
    monkeypatch.setattr(technology, "possible_peers", lambda columns, _: usual(columns, None))
    whole = model(x, y, **options)
    np.testing.assert_array_equal(np.isinf(cut.scores), np.isinf(whole.scores))
    finite = np.isfinite(whole.scores)
    np.testing.assert_allclose(cut.scores[finite], whole.scores[finite], atol=1e-10)
    np.testing.assert_array_equal(cut.status, whole.status)


@pytest.mark.parametrize("model", [bcc, super_efficiency, ram, super_sbm])
def test_highs_alone_gives_the_same_scores_and_statuses(model, monkeypatch):
    x, y = random_table("random", 6, 40, 3, 3)
    expected = model(x, y)
    fast_paths_fail(monkeypatch)
    result = model(x, y)
    np.testing.assert_allclose(result.scores, expected.scores, rtol=1e-9, atol=1e-10)
    np.testing.assert_array_equal(result.status, expected.status)
