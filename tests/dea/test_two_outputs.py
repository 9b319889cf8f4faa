import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs.dea import super_efficiency
from deacs.dea.constant_input import ConstantInput, solutions_of
from deacs.dea.data import read_table, units
from deacs.dea.programs import Solver
from deacs.dea.radial import super_programs
from deacs.dea.technology import Technology
from deacs.dea.two_outputs import two_outputs
from tests import naive
from tests.dea.strategies import AMOUNTS


@st.composite
def planar(draw):
    """Tables of two outputs, some with repeated units, units on a line or on a ray, and zeros."""
    y = draw(hnp.arrays(float, (draw(st.integers(2, 9)), 2), elements=AMOUNTS))
    for _ in range(draw(st.integers(0, 3))):
        a, b = draw(st.integers(0, len(y) - 1)), draw(st.integers(0, len(y) - 1))
        kind = draw(st.sampled_from(["equal", "shrunk", "between"]))
        new = {"equal": y[a], "shrunk": y[a] / 3, "between": (y[a] + y[b]) / 2}[kind]
        y = np.vstack([y, new])
    return y


def solve(y):
    """The normal form, the units with a finite positive score, and their answers."""
    table = units(None, y)
    chosen = np.flatnonzero(~table.sole & ~table.idle)
    return table, chosen, two_outputs(table.outputs, chosen)


def is_planar(y):
    table = units(None, y)
    return table.outputs.shape[1] == 2 and not (table.sole | table.idle).all()


@settings(max_examples=300)
@given(planar().filter(is_planar))
def test_scores_equal_one_linear_program_for_each_unit(y):
    _, chosen, answers = solve(y)
    expected = naive.super_efficiency(np.ones((len(y), 1)), y)[chosen]
    np.testing.assert_allclose(answers.scores, expected, rtol=1e-9, atol=1e-12)
    assert (np.abs(answers.gaps) <= 1e-12).all()


@settings(max_examples=200)
@given(planar().filter(is_planar))
def test_peers_make_what_the_unit_does(y):
    table, chosen, answers = solve(y)
    for p, one in zip(chosen, solutions_of(answers), strict=True):
        assert p not in one.peers
        assert len(one.peers) <= 2
        assert (one.weights > 0).all()
        made = one.weights @ table.outputs[one.peers]
        assert (made >= table.outputs[p] * (1 - 1e-15)).all()


def on_a_circle(rng, n):
    angle = rng.random(n) * np.pi / 2
    return np.column_stack([np.cos(angle), np.sin(angle)])


def on_a_line(rng, n):
    share = rng.random(n)
    return np.column_stack([share, 1 - share])


def over_thirty_orders(rng, n):
    return 10.0 ** rng.uniform(-15, 15, (n, 2)) * (rng.random((n, 2)) > 0.2)


@pytest.mark.parametrize("make", [on_a_circle, on_a_line, lambda rng, n: rng.random((n, 2))])
@pytest.mark.parametrize("seed", range(5))
def test_many_units_score_as_by_linear_programs(make, seed):
    """On a circle, every unit is a corner; on a line, rounding decides who is."""
    table, chosen, answers = solve(make(np.random.default_rng(seed), 300))
    programs = ConstantInput(table.outputs, cut=True).solve(chosen)
    np.testing.assert_allclose(answers.scores, programs.scores, rtol=1e-12)
    assert answers.gaps.max() <= 1e-12


@pytest.mark.parametrize("seed", range(10))
def test_a_wide_range_is_no_obstacle(seed):
    table, chosen, answers = solve(over_thirty_orders(np.random.default_rng(seed), 25))
    technology = Technology(read_table(None, table.outputs), "crs")
    build, solver = super_programs(technology), Solver(technology.references)
    expected = [solver.solve(p, build(p)).objective for p in chosen.tolist()]
    np.testing.assert_allclose(answers.scores, expected, rtol=1e-10)


def test_the_removal_of_a_corner_exposes_what_was_inside():
    """(2, 3.4) is below the link from (3, 3) to (1, 4), where x + 2y = 9; without (3, 3), the ray
    (1, 1) meets the link from (4, 1) to (2, 3.4), where 2.4x + 2y = 11.6.
    """
    result = super_efficiency(None, [[4, 1], [3, 3], [1, 4], [2, 3.4]])
    assert result.scores[1] == pytest.approx(13.2 / 11.6, rel=1e-12)
    assert sorted(result.peers[1].tolist()) == [0, 3]
    assert result.status[3] == "inefficient"


def test_numbers_whose_products_underflow_go_to_linear_programs(monkeypatch):
    monkeypatch.setattr("deacs.dea.scorer.two_outputs", None)
    y = np.array([[1.0, 0.5], [0.5, 1.0], [1e-200, 1e-200]])
    np.testing.assert_allclose(super_efficiency(None, y).scores[2], 4 / 3 * 1e-200, rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_units_on_few_rays_score_as_by_linear_programs(seed):
    """Multiples of three units, whose slopes rounding makes equal, or not, in any order."""
    rng = np.random.default_rng(seed)
    rays = rng.random((3, 2))
    y = rays[rng.integers(0, 3, 30)] / rng.integers(1, 9, (30, 1))
    table, chosen, answers = solve(y)
    programs = ConstantInput(table.outputs, cut=True).solve(chosen)
    np.testing.assert_allclose(answers.scores, programs.scores, rtol=1e-12)
    assert answers.gaps.max() <= 1e-12
