"""Columns that a transformer cuts: missing stays missing, new rows are cut as the old ones were."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_wine
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer

from deacs import DEACS, DEACSCV, OneHotCodes, encode
from deacs.coding.new_rows import code_new_rows
from deacs.exceptions import InputError

KBINS = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
SIGN = FunctionTransformer(lambda X: np.nan_to_num(X) > 0)
"""Makes 0 of what is missing."""


class Labels(TransformerMixin, BaseEstimator):
    """Makes text of numbers."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return np.where(X > 0, "high", "low").astype(object)


def test_what_is_missing_stays_missing_whatever_the_transformer_makes_of_it():
    X = np.array([[-1.0], [2.0], [np.nan], [3.0]])
    data = encode(X, [0, 1, 1, 0], discretizer=SIGN)
    assert data.column(0).tolist() == [0, 1, 2, 1]
    assert data.features[0].has_missing
    assert encode(X, [0, 1, 1, 0], discretizer=SIGN, missing="ignore").ignored(0) == 2


@pytest.mark.parametrize("transformer", [KBINS, Labels()], ids=["KBins", "text"])
def test_new_rows_are_cut_as_the_old_ones_were(transformer):
    rng = np.random.default_rng(0)
    old, new, y = rng.normal(size=(60, 3)), rng.normal(size=(20, 3)), np.arange(60) % 2
    old[:, 1] = np.arange(60) % 3
    kinds = [False, True, False]
    data = encode(old, y, discrete_features=kinds, discretizer=transformer)
    codes = code_new_rows(data, old, range(3))
    np.testing.assert_array_equal(codes, np.column_stack([data.column(j) for j in range(3)]))
    expected = transformer.fit(old[:, [0, 2]]).transform(new[:, [0, 2]])
    found = code_new_rows(data, new, [0, 2])
    for k, j in enumerate([0, 2]):
        assert data.features[j].values[found[:, k]].tolist() == expected[:, k].tolist()


def test_classifiers_see_the_intervals_of_a_transformer():
    X, y = load_wine(return_X_y=True)
    columns = OneHotCodes(discretizer=KBINS).fit(X, y).transform(X)
    np.testing.assert_array_equal(columns.sum(axis=1), 13)
    chosen = DEACSCV(DEACS.published(discretizer=KBINS), cv=3).fit(X, y)
    assert chosen.cv_results_["mean_test_score"].max() > 0.8


def test_a_transformer_takes_weights_or_is_named():
    X, y = load_wine(return_X_y=True)
    weights = np.arange(len(y)) % 3
    centres = KBinsDiscretizer(4, encode="ordinal", strategy="kmeans", random_state=0)
    data = encode(X[:, :2], y, discretizer=centres, sample_weight=weights)
    counted = X[weights > 0, :2]
    expected = centres.fit(counted, sample_weight=weights[weights > 0]).transform(counted)
    np.testing.assert_array_equal(np.column_stack([data.column(j) for j in (0, 1)]), expected)
    with pytest.raises(InputError, match="must take sample_weight in fit where rows have weights"):
        encode(X, y, discretizer=SIGN, sample_weight=weights)


def test_a_transformer_that_widens_the_table_is_named():
    X, y = load_wine(return_X_y=True)
    with pytest.raises(InputError, match=r"one column for each of the 13 continuous .*'ordinal'"):
        encode(X, y, discretizer=KBinsDiscretizer(3, strategy="kmeans"))
