"""Relief: one hit, one miss."""

import numpy as np
import pytest
from hypothesis import given

from deacs.selection.relief import Relief
from deacs.selection.relieff import ReliefF
from tests.naive import relief as naive_relief
from tests.selection.test_relieff import matrix, tables


@given(tables())
def test_weights_equal_the_naive_twin(table):
    columns, y = table
    X, discrete = matrix(columns)
    weights = Relief(discrete_features=discrete).fit(X, y).weights_
    np.testing.assert_allclose(weights, naive_relief.relief(columns, y), rtol=0, atol=1e-12)


@given(tables(n_classes=2))
def test_with_two_classes_it_is_relieff_with_one_neighbour(table):
    columns, y = table
    X, discrete = matrix(columns)
    one = Relief(discrete_features=discrete).fit(X, y).weights_
    other = ReliefF(n_neighbors=1, discrete_features=discrete).fit(X, y).weights_
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_the_nearest_miss_may_be_of_any_other_class():
    # From 0 the nearest miss is 0.3 (class 2), from 0.1 as well; hits are 0.1 apart; 0.3 has no
    # hit and the miss 0.1; 1 has no hit and the miss 0.3.
    X, y = [[0.0], [0.1], [1.0], [0.3]], [0, 0, 1, 2]
    expected = ((0.3 - 0.1) + (0.2 - 0.1) + 0.7 + 0.2) / 4
    assert Relief().fit(X, y).weights_ == pytest.approx([expected])


def test_of_equally_near_rows_the_first_counts():
    # Row 0 has misses at distance 1 in each of the two columns; the first differs in column 0.
    X, y = [[0, 0], [0, 0], [1, 0], [0, 1]], [0, 0, 1, 1]
    selector = Relief(n_samples=1, random_state=0).fit(X, y)
    row = np.random.RandomState(0).choice(4, 1, replace=False)[0]
    expected = {0: [1, 0], 1: [1, 0], 2: [0, -1], 3: [-1, 0]}[row]
    np.testing.assert_array_equal(selector.weights_, expected)


def test_threads_do_not_change_a_bit(work_is_shared):
    rng = np.random.default_rng(3)
    X, y = rng.random((200, 9)), rng.integers(0, 3, 200)
    alone = Relief().fit(X, y).weights_
    assert Relief(n_jobs=2).fit(X, y).weights_.tobytes() == alone.tobytes()
