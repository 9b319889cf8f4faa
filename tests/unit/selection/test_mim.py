"""MIM against its definition."""

import numpy as np
from hypothesis import given
from sklearn.datasets import load_wine

from deacs import MIM, encode
from tests.naive import filters as naive_filters
from tests.naive import mutual_information
from tests.naive.filters import coded, greedy, same_path
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(MIM().fit(coded(columns, y)), greedy(naive_filters.mim, columns, y))


def test_a_copy_of_the_best_feature_comes_second():
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    assert MIM().fit(coded([other, best, best], y)).ranking_.tolist() == [1, 2, 0]


def test_scores_are_what_each_feature_alone_tells_and_fall():
    data = encode(*load_wine(return_X_y=True))
    selector = MIM().fit(data)
    alone = [
        mutual_information(data.column(j).tolist(), data.labels.tolist()) for j in selector.ranking_
    ]
    np.testing.assert_allclose(selector.scores_, alone, rtol=1e-9, atol=1e-11)
    assert (np.diff(selector.scores_) <= 1e-10).all()


def test_constants_come_last_and_none_is_left_out():
    y = [0, 1] * 4
    selector = MIM().fit(coded([[0] * 8, y, [3] * 8], y))
    assert selector.ranking_.tolist() == [1, 0, 2]
    assert selector.scores_.tolist() == [1.0, 0.0, 0.0]
    assert selector.stop_reason_ == "exhausted"
