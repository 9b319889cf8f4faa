"""MultiSURF: equal to skrebate and to the naive twin."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.datasets import load_wine

from deacs.selection.relief import MultiSURF
from tests.naive import relief as naive_relief
from tests.unit.selection.test_relieff import matrix, tables

# skrebate 0.8.4, MultiSURF(categorical_features=[]).fit(X, y).feature_importances_ on wine, and
# MultiSURF(categorical_features=[0, 1, 2, 3]) with the first four columns rounded to integers.
NUMERIC = [
    0.3743894645226212, 0.1637050183290337, 0.13578276124698277, 0.1559836552244748,
    0.16826947919934876, 0.0901382356999301, 0.1430272351435816, 0.08099064188130428,
    0.08987151185271272, 0.2570536068269381, 0.15398808408368336, 0.16308608267069186,
    0.38235467422988395,
]  # fmt: skip
MIXED = [
    0.49592383505151955, 0.10569197785306791, -0.07812437525548935, 0.2235418404109459,
    0.2846815526981249, 0.36169338049602107, 0.5760768951923702, 0.1848139537173528,
    0.24635867713442866, 0.5606135107458493, 0.4617994038125521, 0.44981279129040025,
    0.6325413261267996,
]  # fmt: skip


def test_weights_equal_those_of_skrebate():
    X, y = load_wine(return_X_y=True)
    np.testing.assert_allclose(MultiSURF().fit(X, y).weights_, NUMERIC, rtol=0, atol=1e-12)
    X[:, :4] = np.round(X[:, :4])
    weights = MultiSURF(discrete_features=[0, 1, 2, 3]).fit(X, y).weights_
    np.testing.assert_allclose(weights, MIXED, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@given(tables())
def test_weights_equal_the_naive_twin(table):
    columns, y = table
    X, discrete = matrix(columns)
    # The twin's standard deviation needs a number.
    kept = discrete | ~np.isnan(X).all(axis=0)
    if not kept.any():
        return
    columns = [column for column, keep in zip(columns, kept, strict=True) if keep]
    weights = MultiSURF(discrete_features=discrete[kept]).fit(X[:, kept], y).weights_
    np.testing.assert_allclose(weights, naive_relief.multisurf(columns, y), rtol=0, atol=1e-9)


def test_two_classes_count_by_their_mean_differences():
    # From 0 the others are at 0.1, 0.2 and 1: mean 0.433, deviation 0.403, threshold 0.232, so
    # 0.1 (a hit) and 0.2 (a miss) are near. Likewise from 0.1: 0 and 0.2; from 0.2: 0 and 0.1
    # (misses), as mean 0.367, deviation 0.309; from 1 (mean 0.9, deviation 0.082): 0.2, a hit.
    X, y = [[0.0], [0.1], [0.2], [1.0]], [0, 0, 1, 1]
    expected = ((0.2 - 0.1) + (0.1 - 0.1) + (0.2 + 0.1) / 2 - 0.8) / 4
    assert MultiSURF().fit(X, y).weights_ == pytest.approx([expected])


def test_a_row_as_far_from_all_others_has_no_near_rows():
    X = np.eye(6).astype(int)
    np.testing.assert_array_equal(MultiSURF().fit(X, [0, 1] * 3).weights_, 0.0)


def test_features_that_only_work_together_rank_first():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 8))
    assert sorted(MultiSURF(2).fit(X, X[:, 3] ^ X[:, 6]).ranking_) == [3, 6]


def test_a_column_of_nothing_weighs_nothing():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random(60), np.full(60, np.nan), rng.integers(0, 3, 60)])
    weights = MultiSURF(discrete_features=[2]).fit(X, rng.integers(0, 2, 60)).weights_
    assert weights[1] == pytest.approx(0.0, abs=1e-12)  # every row has near hits and misses
    assert abs(weights[0]) > 1e-3


def test_threads_do_not_change_a_bit(work_is_shared):
    rng = np.random.default_rng(3)
    X, y = rng.random((200, 9)), rng.integers(0, 3, 200)
    alone = MultiSURF().fit(X, y).weights_
    assert MultiSURF(n_jobs=2).fit(X, y).weights_.tobytes() == alone.tobytes()
