"""Tables whose numbers span many decades: the right status, or "uncertain"."""

import numpy as np
import pytest

from deacs import dea
from deacs.dea import programs
from deacs.dea.exact import minimise
from tests.each import each
from tests.system.fuzz import dea as fuzz

MODELS = (
    dea.ccr,
    dea.bcc,
    dea.super_efficiency,
    dea.additive,
    dea.sbm,
    dea.super_sbm,
    dea.ram,
    dea.bam,
    dea.directional_distance,
    dea.cross_efficiency,
)


@each("decades", [10, 13, 100, 200, 300, 600])
@each("model", MODELS)
def test_a_unit_that_needs_less_and_makes_more_is_the_only_efficient_one(model, decades):
    far = 10.0 ** (decades / 2)
    result = model([1 / far, far], [far, 1 / far])
    if model is dea.cross_efficiency and decades >= 200:  # the score of unit 1 is no double
        assert result.status.tolist() == ["uncertain", "uncertain"]
    else:
        assert result.status.tolist() == ["efficient", "inefficient"]


def test_the_score_of_a_dominated_unit_is_the_ratio_of_inputs_under_variable_returns():
    """Unit 0 makes more than unit 1 with 1e-5 instead of 1e5."""
    assert dea.bcc([1e-5, 1e5], [1e5, 1e-5]).scores.tolist() == [1.0, pytest.approx(1e-10)]


@pytest.mark.parametrize("model", [dea.bcc, dea.additive, dea.ram, dea.bam, dea.sbm])
def test_a_slack_that_is_small_beside_its_column_still_counts(model):
    """Unit 1 needs twice the second input of unit 0; unit 2 needs 1e12 times as much."""
    result = model([[1, 1e-12], [1, 2e-12], [2, 1.0]], [1.0, 1.0, 1.0])
    expected = "weakly efficient" if model is dea.bcc else "inefficient"
    assert result.status.tolist()[:2] == ["efficient", expected]


@pytest.mark.parametrize("model", [dea.ram, dea.bam, dea.additive, dea.sbm])
def test_a_dominated_unit_is_inefficient_though_the_optimum_leaves_only_trifles(model):
    # Unit 3 is unit 1 with twice the second input. The weights would rather have a share of 1e-23
    # of unit 2, which spends all of that input on next to nothing of the first.
    x = [[4e-92, 5e-44], [4e85, 2e-85], [1.6e-62, 1.6e-62], [4e85, 4e-85]]
    y = [[7e37], [5e-6], [1.8e-68], [5e-6]]
    assert model(x, y, returns_to_scale="vrs").status[3] == "inefficient"


def test_a_sum_of_slacks_beyond_the_largest_double_is_infinite_without_a_warning():
    x = [[1e-126], [4e148], [3e-89]]
    y = [[2e45], [9e-87], [1e133]]
    result = dea.additive(x, y, returns_to_scale="ndrs")
    assert result.scores[1] == np.inf
    assert result.status[1] == "inefficient"


def test_a_score_beyond_the_largest_double_is_infinite_and_not_infeasible():
    """Unit 0 makes 1e300 with 1e-300, unit 1 the reverse: the score is 1e1200."""
    result = dea.super_efficiency([1e-300, 1e300], [1e300, 1e-300])
    assert result.scores.tolist() == [np.inf, 5e-324]
    assert result.status.tolist() == ["efficient", "inefficient"]
    assert result.ranking.tolist() == [0, 1]


@each("least", [1e-308, 5e-324])
@each("model", MODELS)
def test_the_least_and_the_largest_doubles_fit_in_one_column(model, least):
    """Unit 1 makes less with the same: a score of 1e-616 is the least double above 0."""
    result = model([1e308, 1e308], [1e308, least])
    if model is dea.cross_efficiency:  # the score of unit 1 is no double
        assert result.status.tolist() == ["uncertain", "uncertain"]
    elif model is dea.bcc:
        assert result.status.tolist() == ["efficient", "weakly efficient"]
        assert result.scores.tolist() == [1.0, 1.0]
    else:
        assert result.status.tolist() == ["efficient", "inefficient"]
        assert not np.isnan(result.scores).any()
    if model in (dea.ccr, dea.sbm):
        assert result.scores.tolist() == [1.0, 5e-324]
    fewer = model([1e308, least], [1e308, 1e308])
    assert fewer.status[1] == ("uncertain" if model is dea.cross_efficiency else "efficient")


@each("model", MODELS)
def test_what_is_too_large_for_whole_numbers_is_uncertain(model, monkeypatch):
    monkeypatch.setattr(programs, "EXACT_BUDGET", 0)
    rng = np.random.default_rng(0)
    x, y = 10.0 ** rng.uniform(-150, 150, (2, 6, 2))
    assert set(model(x, y).status) == {"uncertain"}


def test_random_tables_agree_with_fractions_in_every_model():
    outcomes = fuzz.run(np.random.default_rng(16), 60)
    assert outcomes["settled"] >= 58


def test_the_simplex_method_in_whole_numbers_tells_its_three_ends_apart():
    """min x + y with 3x + y >= 2 and x + 3y >= 2 has x = y = 1/2."""
    one = np.ones(2)
    matrix = np.array([[3.0, 1.0], [1.0, 3.0]])
    found = minimise(one, matrix, np.ones(2, dtype=np.int8), 2 * one)
    assert (found.status, found.objective) == ("optimal", 1.0)
    assert found.values.tolist() == [0.5, 0.5]
    assert found.prices.tolist() == [0.25, 0.25]
    senses = np.array([1, -1], dtype=np.int8)
    assert minimise(one, matrix, senses, np.array([2.0, 0.0])).status == "infeasible"
    assert minimise(-one, matrix, np.ones(2, dtype=np.int8), 2 * one).status == "unbounded"


@pytest.mark.parametrize("model", [dea.ram, dea.bam])
def test_a_range_above_the_largest_double_is_uncertain_and_raises_no_warning(model):
    result = model([-1.7e308, 1.7e308], [1.7e308, -1.7e308])
    assert result.status[1] == "uncertain"
    assert np.isnan(result.scores[1])
