"""Integers beyond floats stay apart; those beyond 64 bits are text, wherever they come from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from deacs import MDLP, encode
from deacs.coding.new_rows import code_new_rows
from deacs.exceptions import InputError, TableWarning
from deacs.tables import read_columns, read_labels

BASE = 2**63
HASHES = [BASE + 5 * (k % 50) for k in range(100)]

SOURCES = {
    "numpy": lambda values: np.array(values, dtype=np.uint64).reshape(-1, 1),
    "objects": lambda values: np.array(values, dtype=object).reshape(-1, 1),
    "list": lambda values: [[value, -1.5] for value in values],
    "pandas": lambda values: pd.DataFrame({"x0": np.array(values, dtype=np.uint64)}),
    "nullable": lambda values: pd.DataFrame({"x0": pd.array(values, dtype="UInt64")}),
    "polars": lambda values: pl.DataFrame({"x0": values}, schema={"x0": pl.UInt64}),
    "polars 128": lambda values: pl.DataFrame({"x0": values}, schema={"x0": pl.Int128}),
    "arrow": lambda values: pa.table({"x0": pa.array(values, pa.uint64())}),
}


@pytest.mark.parametrize("source", SOURCES)
def test_integers_beyond_64_bits_are_text_and_a_note_says_so(source):
    with pytest.warns(TableWarning, match=r"'x0'.*: integers beyond 64 bits, read as text"):
        data = encode(SOURCES[source](HASHES), np.arange(100) % 3)
    assert data.column(0).tolist() == [k % 50 for k in range(100)]
    assert data.features[0].describe(0) == str(BASE)
    new = code_new_rows(data, SOURCES[source]([BASE + 5, 7]), [0]).ravel().tolist()
    assert new == [1, data.features[0].n_values]


def test_a_few_new_rows_without_a_long_integer_are_looked_up_as_text_too():
    X = np.array([[5], [BASE + 1], [BASE + 1], [9]], dtype=np.uint64)
    data = encode(X, [0, 1, 0, 1])
    assert code_new_rows(data, X[[0, 3]], [0]).ravel().tolist() == data.column(0)[[0, 3]].tolist()


def test_missing_ones_are_missing():
    X = pl.DataFrame({"c": pl.Series([BASE, None, BASE + 1], dtype=pl.UInt64)})
    [column] = read_columns(X).columns
    assert column.categories.tolist() == [str(BASE), str(BASE + 1)]
    assert column.missing.tolist() == [False, True, False]


def test_sparse_ones_are_refused():
    with pytest.raises(InputError, match="X must hold integers of at most 63 bits"):
        read_columns(sparse.csr_array(np.array([[BASE]], dtype=np.uint64)))


@pytest.mark.parametrize(
    "y",
    [
        [BASE, BASE + 1, 5],
        [2**100, 2**100 + 1, 5],
        np.array([BASE, BASE + 1, 5], dtype=np.uint64),
        pl.Series([2**100, 2**100 + 1, 5], dtype=pl.Int128),
    ],
    ids=["list", "longer", "numpy", "polars"],
)
def test_classes_beyond_64_bits_are_text_and_no_numbers(y):
    labels = read_labels(y, 3)
    assert labels.classes[labels.codes].tolist() == [str(int(value)) for value in y]
    with pytest.raises(InputError, match=r"y must hold numbers, got .* that int64 holds"):
        read_labels(y, 3, "numbers")


@pytest.mark.parametrize("base", [2**62, -(2**62)])
def test_cuts_between_integers_beyond_floats_are_exact(base):
    X = np.array([[base + k] for k in range(100)])
    y = np.arange(100) // 50
    cut = MDLP().fit(X, y)
    assert cut.cut_points_[0].tolist() == [base + 49]
    assert cut.transform(X).ravel().tolist() == y.tolist()
    named = MDLP(output="labels").fit(X, y).transform(X)
    assert set(named.ravel()) == {f"(-inf, {base + 49}]", f"({base + 49}, inf)"}


def test_the_whole_range_of_int64_has_an_order():
    values = np.array([-(2**63), 2**63 - 1, 0, -1, 1] * 20).reshape(-1, 1)
    assert encode(values, np.arange(100) % 2).column(0).tolist() == [0, 4, 2, 1, 3] * 20


def test_ordinary_integers_keep_their_type():
    columns = read_columns(np.array([[1, 2], [3, 4]], dtype=np.uint64)).columns
    assert [column.values.dtype for column in columns] == [np.int64, np.int64]


@pytest.mark.parametrize(
    "values",
    [
        np.array([BASE - 1, BASE - 2]),
        np.array([-BASE, 1 - BASE]),
        np.array([-128, 127, 5], dtype=np.int8),
    ],
)
def test_integers_at_the_ends_of_their_type_are_told_apart(values):
    y = np.tile(values, 20)
    labels = read_labels(y, len(y))
    assert labels.classes[labels.codes].tolist() == y.tolist()
    data = encode(y[:, np.newaxis], np.arange(len(y)) % 2, discrete_features=True)
    assert data.features[0].values[data.column(0)].tolist() == y.tolist()
