"""mRMR against its definitions, difference and quotient."""

import numpy as np
import pytest
from hypothesis import given

from deacs import MIM, MRMR
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(MRMR().fit(coded(columns, y)), greedy(naive_filters.mrmr, columns, y))


@given(coded_tables())
def test_ranking_by_quotient_equals_the_naive_twin(table):
    columns, y = table
    twin = greedy(naive_filters.mrmr_quotient, columns, y)
    # A quotient by 1e-12 bits knows its numerator's rounding.
    same_path(MRMR(scheme="quotient").fit(coded(columns, y)), twin, rtol=1e-6)


def test_a_copy_of_the_best_feature_does_not_come_second():
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    data = coded([other, best, best], y)
    assert MRMR().fit(data).ranking_.tolist() == [1, 0, 2]
    assert MIM().fit(data).ranking_.tolist() == [1, 2, 0]


def test_the_quotient_leads_with_the_most_relevant_of_those_that_share_nothing():
    # c, u, v independent: what tells of c alone shares nothing with u.
    c, u, v = np.tile(np.indices((2, 2, 8)).reshape(3, -1), 2)
    strong = np.where(v < 6, c, 1 - c)
    weak = np.where(v < 5, c, 1 - c)
    shares = u + 2 * (v < 1)
    data = coded([u, shares, weak, strong], c)
    selector = MRMR(scheme="quotient", include=[0]).fit(data)
    assert selector.ranking_.tolist()[:2] == [0, 3]
    assert selector.scores_[1] == pytest.approx(MIM().fit(data).scores_[0] / 1e-12, rel=1e-6)


@pytest.mark.parametrize("n", [3, 5, 10])
def test_the_quotient_takes_the_lower_column_among_equals(n):
    # Both tell the same of y, by different counts, and neither shares anything with `known`.
    y, known, part = np.tile(np.indices((2, 2, n)).reshape(3, -1), 2)
    half = np.repeat([0, 1], 4 * n)
    coarse = np.where(half == 0, 0, 1 + y)
    fine = np.where(half == 0, 3 + part, 1 + y)
    for columns in ([known, coarse, fine], [known, fine, coarse]):
        selector = MRMR(scheme="quotient", include=[0]).fit(coded(columns, y))
        assert selector.ranking_.tolist() == [0, 1, 2]


def test_a_bad_scheme_is_named():
    with pytest.raises(ValueError, match="scheme"):
        MRMR(scheme="ratio").fit([[0], [1]], [0, 1])
