"""No answer of a solver is taken on trust."""

import numpy as np
import pytest

from deacs.dea import bcc, super_efficiency
from deacs.dea.data import read_table
from deacs.dea.program import Program, checked, proves_infeasible
from deacs.dea.solver import radial_programs, solve_programs
from deacs.dea.technology import Technology
from tests.each import each
from tests.unit.dea.failures import fast_paths_fail, highs_fails


def random_technology(seed, n=12, m=2, s=3):
    rng = np.random.default_rng(seed)
    table = read_table(rng.lognormal(size=(n, m)), rng.lognormal(size=(n, s)))
    return Technology(table, "crs")


def super_program(technology):
    """The super-efficiency of unit 0."""
    build = radial_programs(technology, "input", itself=True)
    return build(np.array([0]))[0]


@each("size", [1e-14, 1e-10, 1e-6, 1e-3, 0.3])
@each("seed", range(10))
def test_an_answer_is_wrong_by_no_more_than_its_gap(seed, size):
    """Every part of the optimum is changed a little: θ, the intensities, the prices."""
    rng = np.random.default_rng(seed)
    technology = random_technology(seed)
    program = super_program(technology)
    (truth,) = solve_programs(technology, lambda _: program[None], np.array([0]))
    assert truth.gap <= 1e-12

    def near(values):
        return values * (1 + size * rng.uniform(-1, 1, values.shape))

    answer = checked(
        technology.matrix,
        program,
        near(truth.own),
        truth.peers,
        near(truth.weights),
        near(truth.prices),
        technology.matrix[1:],
    )
    assert abs(answer.objective / truth.objective - 1) <= 4 * answer.gap + 1e-13


def test_an_answer_of_zeros_proves_nothing():
    technology = random_technology(0)
    program = super_program(technology)
    nobody = np.empty(0, dtype=np.intp)
    answer = checked(
        technology.matrix,
        program,
        np.zeros(1),
        nobody,
        np.zeros(0),
        np.zeros(5),
        technology.matrix[1:],
    )
    assert answer.gap == 1.0


def test_infeasibility_is_proved_by_prices_at_which_nobody_is_worth_what_is_asked():
    """Units make 1 and 2, 3 is asked of a mixture of them: u = 1 and -2 for Σ λ."""
    columns = np.array([[1.0, 1.0], [2.0, 1.0]])
    asked = Program(
        cost=np.zeros(0),
        own=np.zeros((0, 2)),
        floor=np.zeros(0),
        ceiling=np.zeros(0),
        lower=np.array([3.0, 1.0]),
        upper=np.array([np.inf, 1.0]),
        start=np.empty(0, dtype=np.intp),
    )
    assert proves_infeasible(np.array([1.0, -2.0]), asked, columns)
    assert not proves_infeasible(np.array([1.0, -1.0]), asked, columns)
    assert not proves_infeasible(np.array([1.0, -2.0]), asked, np.array([[4.0, 1.0]]))


@pytest.mark.parametrize("model", [super_efficiency, bcc])
def test_a_solver_that_fails_makes_the_status_uncertain(model, monkeypatch):
    fast_paths_fail(monkeypatch)
    highs_fails(monkeypatch)
    result = model(None, [[4, 1], [3, 3], [1, 4]])
    assert result.status.tolist() == ["uncertain"] * 3
