"""Tables whose numbers span many decades: the right status, or "uncertain"."""

import numpy as np
import pytest

from deacs import dea
from tests.each import each
from tests.system.fuzz import dea as fuzz

SLACK_MODELS = (dea.additive, dea.ram, dea.bam, dea.sbm)


@each("decades", [10, 13, 60])
@each("model", dea.MODELS.values())
def test_a_unit_that_needs_less_and_makes_more_is_the_only_efficient_one(model, decades):
    far = 10.0 ** (decades / 2)
    result = model([1 / far, far], [far, 1 / far])
    assert result.status[0] in ("efficient", "uncertain")
    assert result.status[1] in ("inefficient", "uncertain")


@each("model", dea.MODELS.values())
def test_what_doubles_cannot_certify_is_uncertain(model):
    rng = np.random.default_rng(0)
    x, y = 10.0 ** rng.uniform(-150, 150, (2, 6, 2))
    assert set(model(x, y).status) == {"uncertain"}


def test_rows_are_measured_by_the_numbers_of_a_unit_where_these_are_small():
    """Unit 0 makes more than unit 1 with 1e-5 instead of 1e5."""
    result = dea.bcc([1e-5, 1e5], [1e5, 1e-5])
    assert result.scores.tolist() == [1.0, pytest.approx(1e-10)]
    assert result.status.tolist() == ["efficient", "inefficient"]


@pytest.mark.parametrize("model", [dea.bcc, *SLACK_MODELS])
def test_a_slack_that_is_small_beside_its_column_still_counts(model):
    """Unit 1 needs twice the second input of unit 0; unit 2 needs 1e9 times as much."""
    result = model([[1, 1e-9], [1, 2e-9], [2, 1.0]], [1.0, 1.0, 1.0])
    expected = "weakly efficient" if model is dea.bcc else "inefficient"
    assert result.status.tolist()[:2] == ["efficient", expected]


@pytest.mark.parametrize("model", [dea.ram, dea.bam])
def test_a_range_above_the_largest_double_is_uncertain_and_raises_no_warning(model):
    result = model([-1.7e308, 1.7e308], [1.7e308, -1.7e308])
    assert result.status[1] == "uncertain"
    assert np.isnan(result.scores[1])


def test_random_tables_agree_with_fractions_in_every_model_or_are_uncertain():
    outcomes = fuzz.run(np.random.default_rng(16), 60)
    assert outcomes["settled"] >= 25
