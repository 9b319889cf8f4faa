"""The gate: every kind of table gives the same typed columns, and what cannot be used is named."""

from datetime import date
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from deacs.exceptions import InputError
from deacs.tables import in_memory, is_frame, read_columns

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
    "polars lazy": pl.LazyFrame,
    "polars object": lambda data: pl.DataFrame(
        {k: pl.Series(k, v, pl.Object) for k, v in data.items()}
    ),
    "narwhals": lambda data: nw.from_native(pl.DataFrame(data)),
    "narwhals lazy": lambda data: nw.from_native(pl.LazyFrame(data)),
    "pandas": pd.DataFrame,
    "pandas nullable": as_pandas_nullable,
    "pandas object": lambda data: pd.DataFrame(data, dtype=object),
    "pandas on arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "pyarrow": pa.table,
    "object array": lambda data: np.array(list(data.values()), dtype=object).T,
    "nested list": lambda data: [list(row) for row in zip(*data.values(), strict=True)],
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_frame_gives_the_same_missing_values_and_categories(make):
    table = read_columns(make(MIXED))
    assert table.names in (list(MIXED), ["x0", "x1", "x2", "x3"])
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


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["lo", None, "hi"], categories=["lo", "mid", "hi"], ordered=True),
        pl.Series(["lo", None, "hi"], dtype=pl.Enum(["lo", "mid", "hi"])),
        pa.DictionaryArray.from_arrays([0, None, 2], ["lo", "mid", "hi"], ordered=True),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_categories_with_an_order_keep_it(column):
    library = {"Categorical": pd.DataFrame, "Series": pl.DataFrame}.get(
        type(column).__name__, pa.table
    )
    [read] = read_columns(library({"c": column})).columns
    assert (read.kind, read.ordered) == ("nominal", True)
    assert read.categories.tolist() == ["lo", "hi"]
    assert (read.values[[0, 2]].tolist(), read.missing.tolist()) == ([0, 1], [False, True, False])


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"c": pd.Categorical([30, None, 4])}),
        pa.table({"c": pa.array([30, None, 4]).dictionary_encode()}),
    ],
    ids=["pandas", "pyarrow"],
)
def test_numbers_that_are_called_categories_are_nominal(frame):
    [read] = read_columns(frame).columns
    assert (read.kind, read.ordered, read.categories.tolist()) == ("nominal", False, [4, 30])
    assert read.missing.tolist() == [False, True, False]


LARGE = 2**53 + 1
NUMBERS = {
    "decimal": (pl.DataFrame({"c": [Decimal("1.5"), None]}), "float", [1.5]),
    "decimal objects": (pd.DataFrame({"c": [Decimal("1.5"), None]}), "float", [1.5]),
    "float16": (pa.table({"c": pa.array([np.float16(1.5), None])}), "float", [1.5]),
    "float32": (pl.DataFrame({"c": pl.Series([1.5, None], dtype=pl.Float32)}), "float", [1.5]),
    "longdouble": (np.array([[1.5], [np.nan]], dtype=np.longdouble), "float", [1.5]),
    "big-endian": (np.array([[1.5], [np.nan]], dtype=">f8"), "float", [1.5]),
    "nullable": (pd.DataFrame({"c": pd.array([7, None], dtype="Int64")}), "integer", [7]),
    "arrow in pandas": (
        pd.DataFrame({"c": pd.array([7, None], dtype="int64[pyarrow]")}),
        "integer",
        [7],
    ),
    "beyond exact floats": (pl.DataFrame({"c": [LARGE, None]}), "integer", [LARGE]),
    "negative and so": (pa.table({"c": [-LARGE, None]}), "integer", [-LARGE]),
    "int128": (pl.DataFrame({"c": pl.Series([7, None], dtype=pl.Int128)}), "integer", [7]),
    "masked": (np.ma.array([[7], [8]], mask=[[False], [True]]), "integer", [7]),
    "masked float": (np.ma.array([[7.0], [8.0]], mask=[[False], [True]]), "float", [7.0]),
    "masked text": (np.ma.array([["a"], ["b"]], mask=[[False], [True]]), "nominal", [0]),
    "masked objects": (
        np.ma.array(np.array([[7], [8]], dtype=object), mask=[[False], [True]]),
        "integer",
        [7],
    ),
}


@pytest.mark.parametrize(("X", "kind", "present"), NUMBERS.values(), ids=NUMBERS)
def test_types_of_all_widths_are_read(X, kind, present):
    [column] = read_columns(X).columns
    assert column.kind == kind
    assert column.missing.tolist() == [False, True]
    assert column.values[:1].tolist() == present


def test_numbers_beside_text_in_a_list_stay_numbers():
    kinds = [column.kind for column in read_columns([["a", 1, True], ["b", 2, False]]).columns]
    assert kinds == ["nominal", "integer", "boolean"]


def test_columns_of_many_types_come_out_in_order():
    frame = pd.DataFrame({"i": [1, 2], "s": ["a", "b"], "f": [1.5, np.nan], "b": [True, False]})
    table = read_columns(frame)
    assert table.names == list("isfb")
    assert [c.kind for c in table.columns] == ["integer", "nominal", "float", "boolean"]
    assert table.columns[2].missing.tolist() == [False, True]


def test_infinities_are_not_missing():
    [column] = read_columns(np.array([[np.inf], [-np.inf]])).columns
    assert column.missing is None


@pytest.mark.parametrize(
    ("X", "frame", "lazy"),
    [
        (pl.DataFrame({"a": [1]}), True, False),
        (pl.LazyFrame({"a": [1]}), False, True),
        (nw.from_native(pl.DataFrame({"a": [1]})), True, False),
        (nw.from_native(pl.LazyFrame({"a": [1]})), False, True),
        (pa.table({"a": [1]}), True, False),
        (np.ones((1, 1)), False, False),
        (sp.csr_array(np.ones((1, 1))), False, False),
        ([[1]], False, False),
    ],
)
def test_frames_are_told_from_other_tables(X, frame, lazy):
    assert is_frame(X) == frame
    assert is_frame(in_memory(X)) == (frame or lazy)
    assert (
        in_memory(in_memory(X)) is in_memory(X) or lazy or nw.dependencies.is_narwhals_dataframe(X)
    )


def test_some_rows_have_the_categories_that_occur_in_them():
    text = [None, "b", "a", "c", "b", None]
    [column] = read_columns(pl.DataFrame({"x": text})).columns
    rows = np.array([5, 4, 3])
    some = column.take(rows)
    assert some.categories.tolist() == ["b", "c"]
    assert some.missing.tolist() == [True, False, False]
    assert some.categories[some.values[1:]].tolist() == ["b", "c"]
    assert column.take(np.array([3])).missing is None
    assert len(column.take(np.array([0, 5])).categories) == 0


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


@pytest.mark.parametrize("dtype", [float, "int64"])
def test_numbers_of_a_plain_frame_are_not_copied(dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    series = [pl.Series(f"c{j}", X[:, j].copy()) for j in range(3)]
    for frame, source in (
        (pd.DataFrame(X, copy=False), [X] * 3),
        (pl.DataFrame(series), [s.to_numpy() for s in series]),
    ):
        columns = read_columns(frame).columns
        assert all(np.shares_memory(c.values, s) for c, s in zip(columns, source, strict=True))


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
        (
            pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
            InputError,
            "unique column names, got 'a' more than once",
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
        (
            pl.DataFrame({"m": pl.Series([None, 1, 2.5, "a"], dtype=pl.Object)}),
            TypeError,
            r"'m' mixes types: it begins with int and holds 'a' \(str\) in row 3",
        ),
        (
            pd.DataFrame({"m": pd.Categorical(["a", 1])}),
            TypeError,
            r"'m' mixes types: it begins with str and holds 1 \(int\) in row 1",
        ),
        (
            pd.DataFrame({"b": pd.Series([None, b"a"], dtype=object)}),
            TypeError,
            r"'b' has type bytes, .* decode it to text, .* holds b'a' in row 1",
        ),
        (np.array([[b"a"]]), InputError, r"'x0' has type bytes \(|S1\), .* decode it"),
        (np.array([[1j]]), ValueError, "Complex data not supported"),
        (pd.DataFrame({"z": [1j]}), InputError, "'z' has type complex128"),
        (pl.DataFrame({"b": [b"a"]}), InputError, "'b' has type Binary, .* decode it"),
        (
            pd.DataFrame({"p": pd.period_range("2020", periods=1, freq="D")}),
            InputError,
            r"'p' has type period\[D\], .* derive numbers",
        ),
        (pl.DataFrame({"s": [{"a": 1}]}), InputError, "'s' has type Struct.* a column of its own"),
        (
            pa.table({"m": pa.array([[("a", 1)]], type=pa.map_(pa.string(), pa.int64()))}),
            InputError,
            "'m' has type map",
        ),
        (
            np.array([(1, 2.0)], dtype=[("a", int), ("b", float)]),
            InputError,
            "structured array with the fields 'a', 'b'; make it a frame",
        ),
        (
            np.array([[date(2020, 1, 1)], ["later"]], dtype=object),
            TypeError,
            r"'x0' mixes types: it begins with date and holds 'later' \(str\) in row 1",
        ),
        (
            np.array([[1.5], [10**400]], dtype=object),
            InputError,
            "'x0' has values that cannot be converted .*; turn it into floats or text",
        ),
        (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
        (pd.Series([1, 2]), ValueError, "2-dimensional container"),
        ("abc", ValueError, "Expected 2D array"),
    ],
)
def test_what_cannot_be_used_is_named(X, error, message):
    with pytest.raises(error, match=message):
        read_columns(X)


def test_a_column_may_be_called_column_names():
    X = pd.DataFrame({"column_names": [1, 2], "columns": [3, 4]})
    assert read_columns(X).names == ["column_names", "columns"]


def test_strings_of_numpy_may_be_missing():
    X = np.array([["b"], [None], ["a"]], dtype=np.dtypes.StringDType(na_object=None))
    [column] = read_columns(X).columns
    assert (column.categories.tolist(), column.missing.tolist()) == (
        ["a", "b"],
        [False, True, False],
    )


CATEGORIES = {
    "words": pd.Categorical(["b", "a", "b", "c"]),
    "missing": pd.Categorical(["b", None, "a", None]),
    "unused": pd.Categorical(["b", "a", "b", "b"], categories=["z", "b", "y", "a"]),
    "ordered": pd.Categorical(["low", "high", "low", None], ["low", "mid", "high"], ordered=True),
    "numbers": pd.Categorical([3, 1, 1, 2]),
    "times": pd.Categorical(pd.to_datetime(["2020-01-02", "2020-01-01", None, "2020-01-02"])),
    "nothing": pd.Categorical([None] * 4, categories=["a"]),
}


@pytest.mark.parametrize("name", CATEGORIES)
def test_categories_of_pandas_and_of_arrow_give_the_same_column(name):
    frame = pd.DataFrame({name: CATEGORIES[name]})
    [by_code] = read_columns(frame).columns
    [by_value] = read_columns(pa.Table.from_pandas(frame)).columns
    assert (by_code.kind, by_code.ordered) == ("nominal", by_value.ordered)
    assert by_code.categories.tolist() == by_value.categories.tolist()
    assert by_code.present.tolist() == by_value.present.tolist()
    assert (by_code.missing is None) == (by_value.missing is None)
    if by_code.missing is not None:
        assert by_code.missing.tolist() == by_value.missing.tolist()
