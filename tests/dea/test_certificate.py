import numpy as np
import pytest

from deacs.dea import super_efficiency
from deacs.dea.certificate import certify, view
from deacs.dea.data import units
from deacs.dea.envelopment import Envelopment
from tests.dea.failures import fast_paths_fail, highs_fails


def random_units(seed, n=12, m=2, s=3):
    rng = np.random.default_rng(seed)
    return units(rng.lognormal(size=(n, m)), rng.lognormal(size=(n, s)))


@pytest.mark.parametrize("seed", range(20))
def test_any_answer_of_a_solver_gives_bounds_that_enclose_the_score(seed):
    rng = np.random.default_rng(seed)
    table = random_units(seed)
    truth = Envelopment(table).solve(0)
    seen = view(table, 0)
    (n, m), s = seen.inputs.shape, seen.outputs.shape[1]
    answer = certify(seen, rng.normal(size=n), rng.normal(size=s), rng.random(m))
    assert answer.score * (1 - answer.gap) <= truth.score * (1 + 1e-12)
    assert answer.score >= truth.score * (1 - 1e-12)


def test_an_answer_of_zeros_still_bounds_the_score_from_above():
    """Each output from its best producer: at most the number of inputs times outputs too much."""
    table = random_units(0)
    truth = Envelopment(table).solve(0).score
    seen = view(table, 0)
    answer = certify(seen, np.zeros(11), np.zeros(3), np.ones(2))
    assert truth <= answer.score <= 6 * truth
    assert answer.gap == 1.0


def test_the_view_of_a_unit_has_its_data_between_zero_and_one():
    seen = view(random_units(3), 5)
    assert 5 not in seen.references
    np.testing.assert_array_equal(seen.inputs.max(axis=1), 1.0)
    np.testing.assert_array_equal(seen.outputs.max(axis=0), 1.0)
    np.testing.assert_allclose(seen.demand.sum(), 1.0, rtol=1e-15)


def test_a_wrong_answer_of_the_shared_model_is_solved_again(monkeypatch):
    table = random_units(4)
    expected = Envelopment(table).solve(0).score
    wrong = np.zeros(11), np.zeros(3), np.ones(2)
    monkeypatch.setattr(Envelopment, "_solve_shared", lambda *_: wrong)
    envelopment = Envelopment(table)
    assert envelopment.solve(0).score == pytest.approx(expected, rel=1e-12)
    assert envelopment.n_solved == 1


def test_a_solver_that_fails_makes_the_status_uncertain(monkeypatch):
    fast_paths_fail(monkeypatch)
    highs_fails(monkeypatch)
    result = super_efficiency(None, [[4, 1], [3, 3], [1, 4]])
    assert result.status.tolist() == ["uncertain"] * 3
