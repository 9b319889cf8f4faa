"""CondRed against its definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_wine

from deacs import MRMR, CondRed, encode
from tests.naive import conditional_mutual_information
from tests.naive import filters as naive_filters
from tests.naive.filters import coded, columns_of, greedy, same_path
from tests.tables_of_codes import coded_tables


@settings(max_examples=50)
@given(coded_tables())
def test_ranking_equals_the_naive_twin(table):
    columns, y = table
    same_path(CondRed().fit(coded(columns, y)), greedy(naive_filters.condred, columns, y))


def test_included_features_lead():
    data = encode(*load_wine(return_X_y=True))
    twin = greedy(naive_filters.condred, columns_of(data), data.labels.tolist(), include=[4, 2])
    same_path(CondRed(include=[4, 2]).fit(data), twin)


def test_a_copy_of_a_noisy_feature_is_welcome():
    # What a feature shares with its copy inside a class is all that is left of its entropy.
    y = np.repeat([0, 1], 20)
    best = np.where(np.arange(40) % 10 == 0, 1 - y, y)
    other = np.where(np.arange(40) % 5 == 1, 1 - y, y)
    selector = CondRed().fit(coded([other, best, best], y))
    assert selector.ranking_.tolist() == [1, 2, 0]
    within = conditional_mutual_information(best.tolist(), best.tolist(), [y.tolist()])
    assert selector.scores_[1] == pytest.approx(selector.scores_[0] + within, abs=1e-10)
    assert MRMR().fit(coded([other, best, best], y)).ranking_.tolist() == [1, 0, 2]
