"""MIFS-U against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from deacs import MIFS, MIFSU, MIM, encode
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables(), st.sampled_from([0.0, 0.5, 1.0]))
def test_ranking_equals_the_naive_twin(table, beta):
    columns, y = table
    twin = greedy(naive_filters.mifsu(beta), columns, y)
    same_path(MIFSU(beta=beta).fit(coded(columns, y)), twin)


def test_without_redundancy_it_is_mim():
    data = encode(*load_wine(return_X_y=True))
    mifsu, mim = MIFSU(beta=0).fit(data), MIM().fit(data)
    np.testing.assert_array_equal(mifsu.ranking_, mim.ranking_)
    np.testing.assert_array_equal(mifsu.scores_, mim.scores_)


def test_a_copy_adds_exactly_nothing():
    # I(s; C) - I(s; C) / H(s) * H(s): where MIFS takes all of H(s) away.
    y = np.repeat([0, 1, 2], 10)
    feature = np.where(np.arange(30) % 5 == 0, 0, y)
    selector = MIFSU().fit(coded([feature, feature], y))
    assert selector.scores_[1] == pytest.approx(0, abs=1e-11)
    assert MIFS().fit(coded([feature, feature], y)).scores_[1] < -0.1


def test_overlap_with_a_feature_that_tells_nothing_costs_nothing():
    c, u, v = np.indices((2, 2, 2)).reshape(3, -1)
    selector = MIFSU(include=[0]).fit(coded([u, u, v], c))
    assert selector.scores_.tolist() == [0, 0, 0]
    assert MIFS(include=[0]).fit(coded([u, u, v], c)).ranking_.tolist() == [0, 2, 1]


def test_a_bad_beta_is_named():
    with pytest.raises(ValueError, match="beta"):
        MIFSU(beta=-1).fit([[0], [1]], [0, 1])
