"""Facets of some units settle others: the same answers as a program for each."""

import numpy as np
import pytest
from hypothesis import given, settings

from deacs.dea import programs, rays
from deacs.dea.data import read_table
from deacs.dea.radial import radial
from tests.dea.strategies import inputs_and_outputs

SOLVERS = ("HiGHS",)


def solve(x, y, **options):
    table = read_table(x, y)
    return radial("", table, itself=False, slacks=False, n_jobs=None, **options)


@pytest.fixture
def n_programs(monkeypatch):
    """How many linear programs were solved."""
    solved = []
    usual = programs.Solver.solve

    def count(self, p, program, **options):
        solved.append(p)
        return usual(self, p, program, **options)

    monkeypatch.setattr(programs.Solver, "solve", count)
    return solved


@pytest.mark.parametrize("scale", ["crs", "vrs", "nirs", "ndrs"])
@pytest.mark.parametrize("orientation", ["input", "output"])
def test_most_units_take_no_program_where_facets_are_few(
    scale, orientation, n_programs, monkeypatch
):
    rng = np.random.default_rng(4)
    x, y = rng.lognormal(size=(400, 2)), rng.lognormal(size=(400, 2))
    shared = solve(x, y, returns_to_scale=scale, orientation=orientation)
    assert len(n_programs) < 250
    monkeypatch.setattr(rays, "FIRST", 400)
    alone = solve(x, y, returns_to_scale=scale, orientation=orientation)
    np.testing.assert_allclose(shared.scores, alone.scores, rtol=1e-10)
    assert "uncertain" not in shared.status
    for p in range(400):
        point = shared.weights[p] @ x[shared.peers[p]], shared.weights[p] @ y[shared.peers[p]]
        assert (point[0] <= shared.aims[0][p] * (1 + 1e-9)).all()
        assert (point[1] >= shared.aims[1][p] * (1 - 1e-9)).all()


@settings(max_examples=40)
@given(inputs_and_outputs())
def test_zeros_ties_and_duplicates_are_settled_rightly(tables):
    usual = rays.FIRST
    try:
        rays.FIRST = 1
        shared = solve(*tables, returns_to_scale="vrs", orientation="input").scores
    finally:
        rays.FIRST = usual
    alone = solve(*tables, returns_to_scale="vrs", orientation="input").scores
    np.testing.assert_allclose(shared, alone, rtol=1e-9, atol=1e-10)
