"""OneHotCodes: any table as columns of 0 and 1."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from deacs import MDLP
from deacs.selection.one_hot_codes import OneHotCodes
from tests.contract.test_every_table import KINDS, table_of


def test_every_row_has_one_value_of_every_feature_that_was_seen():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.arange(60) % 2
    X[:, 0] += 3 * y
    columns = OneHotCodes().fit(X, y).transform(X)
    assert set(np.unique(columns)) == {0.0, 1.0}
    np.testing.assert_array_equal(columns.sum(axis=1), 3)


def test_it_is_mdlp_and_scikit_learns_one_hot_in_one():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 150)
    X = rng.normal(size=(150, 4)) + y[:, None]
    train, test = slice(0, 100), slice(100, 150)
    cut = make_pipeline(MDLP(), OneHotEncoder(sparse_output=False)).fit(X[train], y[train])
    coded = OneHotCodes().fit(X[train], y[train])
    np.testing.assert_array_equal(coded.transform(X[test]), cut.transform(X[test]))


def test_unknown_values_are_zero_everywhere():
    coder = OneHotCodes().fit(np.array([["a"], ["b"], ["a"]], dtype=object), [0, 1, 0])
    new = np.array([["b"], ["c"], [None]], dtype=object)
    assert coder.transform(new).tolist() == [[0, 1], [0, 0], [0, 0]]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_table_gives_the_same_columns(kind):
    columns, y = table_of(missing=True)
    expected = OneHotCodes().fit(KINDS["polars"](columns), y)
    coder = OneHotCodes().fit(KINDS[kind](columns), y)
    np.testing.assert_array_equal(
        coder.transform(KINDS[kind](columns)), expected.transform(KINDS["polars"](columns))
    )


def test_a_messy_table_is_classified_without_preparation():
    columns, y = table_of(missing=True)
    X = pd.DataFrame(columns)
    model = make_pipeline(OneHotCodes(), LogisticRegression())
    assert cross_val_score(model, X, y, cv=3).mean() > 0.7
    frame = OneHotCodes().set_output(transform="pandas").fit(X, y).transform(X)
    assert {"colour=red", "colour=missing"} <= set(frame.columns)


def test_every_column_has_a_name_of_its_own():
    X = pd.DataFrame({"a": ["missing", None, "x"], "a=missing": ["u", "v", "u"], "b": [0, 1, 1]})
    X = pd.concat([X, X]).rename(columns={"b": "a=missing=u"})
    coder = OneHotCodes().set_output(transform="pandas").fit(X, [0, 1, 0, 1, 1, 0])
    names = coder.get_feature_names_out().tolist()
    assert names[:3] == ["a=missing", "a=x", "a=missing (2)"]
    assert len(set(names)) == len(names) == coder.transform(X).shape[1]
