"""The gate: every kind of table gives the same typed columns, and what cannot be used is named."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels

MIXED = {
    "flag": [True, False, None],
    "count": [3, None, 5],
    "size": [1.5, float("nan"), 2.5],
    "colour": ["red", None, "blue"],
}


def as_pandas_nullable(data):
    return pd.DataFrame(data).convert_dtypes()


FRAMES = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pandas nullable": as_pandas_nullable,
    "pandas object": lambda data: pd.DataFrame(data, dtype=object),
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_frame_gives_the_same_missing_values_and_categories(make):
    table = read_columns(make(MIXED))
    assert table.names == ["flag", "count", "size", "colour"]
    assert table.n_rows == 3
    missing = [column.missing.tolist() for column in table.columns]
    assert missing == [[False, False, True]] + 3 * [[False, True, False]]
    colour = table.columns[3]
    assert colour.kind == "nominal"
    assert colour.categories.tolist() == ["blue", "red"]
    assert colour.values[[0, 2]].tolist() == [1, 0]


@pytest.mark.parametrize("make", [pl.DataFrame, as_pandas_nullable, pa.table])
def test_typed_frames_keep_the_kinds_of_their_columns(make):
    kinds = [column.kind for column in read_columns(make(MIXED)).columns]
    assert kinds == ["boolean", "integer", "float", "nominal"]


def test_categories_are_those_that_occur():
    column = pd.Categorical(["b", "a", "b"], categories=["z", "a", "b"], ordered=True)
    [read] = read_columns(pd.DataFrame({"c": column})).columns
    assert (read.kind, read.categories.tolist(), read.values.tolist()) == (
        "nominal",
        ["a", "b"],
        [1, 0, 1],
    )


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (np.array([[True], [False]]), "boolean"),
        (np.array([[1], [2]], dtype=np.int8), "integer"),
        (np.array([[1.0], [2.0]], dtype=np.float32), "float"),
        (np.array([["a"], ["b"]]), "nominal"),
        (np.array([[1], [None]], dtype=object), "integer"),
        (np.array([[1], [2.5]], dtype=object), "float"),
        (np.array([["a"], [None]], dtype=object), "nominal"),
        ([[1, 2], [3, 4]], "integer"),
    ],
)
def test_arrays_say_their_kind(array, kind):
    table = read_columns(array)
    assert {column.kind for column in table.columns} == {kind}
    assert table.names[0] == "x0"


def test_numbers_of_a_plain_array_are_not_copied():
    X = np.asfortranarray(np.arange(12.0).reshape(4, 3))
    assert all(np.shares_memory(column.values, X) for column in read_columns(X).columns)


def test_a_column_of_nothing_is_missing_everywhere():
    [column] = read_columns(pl.DataFrame({"n": [None, None]})).columns
    assert column.kind == "nominal"
    assert column.missing.all()
    assert len(column.categories) == 0


def test_integer_names_are_read_as_text():
    assert read_columns(pd.DataFrame({0: [1, 2], 1: [3, 4]})).names == ["0", "1"]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (pl.DataFrame({"a": []}), InputError, r"at least one row, got a frame of shape \(0, 1\)"),
        (pl.DataFrame(), InputError, "at least one column"),
        (np.empty((0, 3)), ValueError, r"0 sample\(s\)"),
        (np.empty((3, 0)), ValueError, r"0 feature\(s\)"),
        (np.arange(3), ValueError, "Expected 2D array"),
        (pl.LazyFrame({"a": [1]}), InputError, r"call X\.collect\(\) first"),
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            InputError,
            "unique column names, got 'a' more than once",
        ),
        (
            pl.DataFrame({"when": [dt.date(2020, 1, 1)]}),
            InputError,
            "'when' has type Date, .* derive numbers",
        ),
        (
            pd.DataFrame({"when": pd.to_datetime(["2020-01-01"])}),
            InputError,
            "'when' has type Datetime",
        ),
        (pl.DataFrame({"l": [[1, 2]]}), InputError, "'l' has type List"),
        (
            pd.DataFrame({"m": pd.Series(["a", 1.5, "b"], dtype=object)}),
            TypeError,
            r"'m' mixes types: it begins with str and holds 1\.5 \(float\)",
        ),
        (
            np.array([[True], [1]], dtype=object),
            TypeError,
            r"'x0' mixes types: it begins with bool and holds 1 \(int\)",
        ),
    ],
)
def test_what_cannot_be_used_is_named(X, error, message):
    with pytest.raises(error, match=message):
        read_columns(X)


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        pd.Series(["b", "a", "b"]),
        pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]),
        pl.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        np.array(["b", "a", "b"], dtype=object),
    ],
    ids=lambda y: type(y).__name__,
)
def test_labels_of_every_kind(y):
    labels = read_labels(y, 3)
    assert labels.classes.tolist() == ["a", "b"]
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize("y", [[True, False], [1.0, 2.0], [7, 3], pd.array([1, 2], dtype="Int64")])
def test_labels_may_be_numbers(y):
    assert len(read_labels(y, 2).classes) == 2


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (
            [1.0, float("nan"), 2.0],
            r"missing or infinite values, got 1 \(the first in row 1: nan\)",
        ),
        (["a", None, "b"], r"got 1 \(the first in row 1: None\)"),
        ([1.0, 2.0, float("inf")], r"row 2: inf"),
        (pd.array([1, None, 2], dtype="Int64"), "got 1"),
        (["a", "a", "a"], r"at least two classes, got 1 class: 'a' in all 3 rows"),
        (["a", "b"], "equal lengths, got 3 rows in X and 2 in y"),
        ([1.5, 2.5, 3.7], "Unknown label type"),
        (["a", 1, "b"], "labels of one type, got int, str"),
    ],
)
def test_labels_that_cannot_be_used_are_named(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y, 3)
