"""Super-efficiency with more outputs than units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs.dea import super_efficiency
from deacs.dea.many_outputs import CHUNK, many_outputs_scores
from tests import naive


@st.composite
def wide_tables(draw):
    """Few units, many outputs; zeros, ties, duplicates, sole producers, units without outputs."""
    n, s = draw(st.integers(1, 12)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    table = rng.integers(0, draw(st.sampled_from([2, 4, 100])), (n, s)).astype(float)
    table *= 10.0 ** rng.integers(-4, 5, s) if draw(st.booleans()) else 1.0
    if n > 2 and draw(st.booleans()):
        table[1] = table[0]
    return table


@given(wide_tables())
def test_scores_equal_one_linear_program_for_each_unit(table):
    expected = naive.super_efficiency(np.ones((len(table), 1)), table)
    np.testing.assert_allclose(many_outputs_scores(table), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.usefixtures("work_is_shared")
def test_more_units_than_a_chunk_agree_with_the_general_method_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    table = rng.random((CHUNK + 30, 1)) * (1 + 0.3 * rng.random((CHUNK + 30, 150)))
    scores = many_outputs_scores(table)
    np.testing.assert_allclose(scores, super_efficiency(None, table).scores, rtol=1e-9)
    np.testing.assert_array_equal(many_outputs_scores(table, n_jobs=3), scores)


def test_the_only_producer_of_an_output_is_infinitely_efficient():
    table = np.ones((4, 70))
    table[:, 5] = [0, 0, 0.001, 0]
    assert many_outputs_scores(table).tolist() == [1.0, 1.0, np.inf, 1.0]
