"""Every selector on every kind of table, with and without missing values: the same selection."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from deacs import DEACS, MRMR
from tests.contract.all_selectors import ALL, quick
from tests.each import each

pytestmark = pytest.mark.filterwarnings("ignore::deacs.exceptions.DiscriminationWarning")


def table_of(missing):
    """Strings, booleans, integers and floats; lists of plain Python values."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, 150)
    columns = {
        "colour": np.where(rng.random(150) < 0.8, np.array(["red", "green", "blue"])[y], "red"),
        "flag": np.where(rng.random(150) < 0.9, y == 1, rng.random(150) < 0.5),
        "count": np.where(rng.random(150) < 0.5, y, rng.integers(0, 4, 150)),
        "weight": y + rng.normal(size=150),
        "noise": rng.normal(size=150),
    }
    columns = {name: values.tolist() for name, values in columns.items()}
    if missing:
        for k, name in enumerate(columns):
            for row in range(k, 150, 11):
                columns[name][row] = None
    return columns, np.array(["a", "b", "c"])[y]


def as_pandas(columns):
    return pd.DataFrame({name: pd.array(values) for name, values in columns.items()})


def as_pandas_objects(columns):
    return pd.DataFrame({name: pd.Series(v, dtype=object) for name, v in columns.items()})


def as_array(columns):
    return np.array(list(columns.values()), dtype=object).T


KINDS = {
    "pandas": as_pandas,
    "pandas objects": as_pandas_objects,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
    "array of objects": as_array,
}


@each("missing", [False, True])
@pytest.mark.parametrize("name", ALL)
def test_every_kind_of_table_gives_the_same_selection(name, missing):
    columns, y = table_of(missing)
    if name == "RReliefF":  # a number as target
        y = np.unique(y, return_inverse=True)[1] / 2
    selector = quick(name)
    expected = selector.fit(pl.DataFrame(columns), y)
    ranking, scores = expected.ranking_, expected.scores_
    assert len(ranking) >= 2
    for kind, make in KINDS.items():
        fitted = selector.fit(make(columns), y)
        np.testing.assert_array_equal(fitted.ranking_, ranking, err_msg=kind)
        np.testing.assert_array_equal(fitted.scores_, scores, err_msg=kind)


@each("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
@pytest.mark.parametrize("name", ALL)
def test_sparse_counts_are_read_as_dense_ones(name, make):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    counts = rng.poisson(0.4, (120, 6))
    counts[:, 2] += 2 * y * rng.integers(0, 2, 120)
    selector = quick(name)
    dense = selector.fit(counts, y)
    ranking, scores = dense.ranking_, dense.scores_
    fitted = selector.fit(make(counts), y)
    np.testing.assert_array_equal(fitted.ranking_, ranking)
    np.testing.assert_array_equal(fitted.scores_, scores)
    kept = fitted.transform(make(counts))
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), counts[:, fitted.get_support()])


@pytest.mark.parametrize("other", ["polars", "polars lazy", "pyarrow", "pandas"])
def test_what_is_fitted_on_one_kind_transforms_another(other):
    columns, y = table_of(missing=False)
    selector = DEACS.published(2).fit(as_pandas(columns), y)
    expected = selector.transform(as_pandas(columns))
    kept = selector.transform(KINDS[other](columns))
    np.testing.assert_array_equal(np.asarray(kept, dtype=object), np.asarray(expected, object))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_pipeline_searches_a_grid_on_a_messy_table_without_preparation(kind):
    columns, y = table_of(missing=True)
    columns["flag"] = table_of(missing=False)[0]["flag"]
    X = {"pandas": pd.DataFrame, "polars": pl.DataFrame}[kind](columns)
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), is_text),
        remainder="passthrough",
    )
    pipeline = make_pipeline(
        DEACS.published().set_output(transform=kind),
        encoder,
        DecisionTreeClassifier(random_state=0),
    )
    search = GridSearchCV(pipeline, {"deacs__n_features_to_select": [1, 2, 3]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.6


def is_text(X):
    return [name for name in X.columns if nw.from_native(X)[name].dtype == nw.String]


def test_columns_without_a_common_type_become_objects():
    days = pd.to_datetime(["2020-01-01", "2020-01-02", None] * 20)
    X = pd.DataFrame({"n": pd.array([1, 2, None] * 20, dtype="Int64"), "day": days})
    found = MRMR().fit(X, [0, 1, 1] * 20).transform(X)
    assert found.shape == (60, 2)
    assert found[:2, 0].tolist() == [1, 2]
    assert found[0, 1] == pd.Timestamp("2020-01-01")
