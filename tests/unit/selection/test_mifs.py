"""MIFS against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from deacs import MIFS, MIM, encode
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables(), st.sampled_from([0.0, 0.5, 1.0, 2.5]))
def test_ranking_equals_the_naive_twin(table, beta):
    columns, y = table
    twin = greedy(naive_filters.mifs(beta), columns, y)
    same_path(MIFS(beta=beta).fit(coded(columns, y)), twin)


def test_without_redundancy_it_is_mim():
    data = encode(*load_wine(return_X_y=True))
    mifs, mim = MIFS(beta=0).fit(data), MIM().fit(data)
    np.testing.assert_array_equal(mifs.ranking_, mim.ranking_)
    np.testing.assert_array_equal(mifs.scores_, mim.scores_)


def test_the_penalty_of_a_copy_grows_with_every_copy_selected():
    # A fair bit that tells nothing of y shares one bit with each of its copies.
    y, bit = [0, 1, 0, 1], [0, 0, 1, 1]
    assert MIFS(beta=0.5).fit(coded([bit] * 4, y)).scores_.tolist() == [0, -0.5, -1, -1.5]


@pytest.mark.parametrize("beta", [-0.1, "mean", None])
def test_a_bad_beta_is_named(beta):
    with pytest.raises(ValueError, match="beta"):
        MIFS(beta=beta).fit([[0], [1]], [0, 1])
