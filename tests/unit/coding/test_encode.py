"""Coding: kinds of columns, missing as a value, width of codes, names kept, identifiers named."""

import logging

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_wine

from deacs import MDLP, CodedData, encode
from deacs.coding import CodeBlock, named_features
from deacs.exceptions import IdentifierWarning, InputError

Y = [0, 1] * 40


def kinds(X, **options):
    return [feature.kind for feature in encode(X, Y, **options).features]


def test_floats_are_continuous_and_everything_else_discrete():
    X = pl.DataFrame(
        {
            "float": np.arange(80.0),
            "bool": [True, False] * 40,
            "text": ["a", "b"] * 40,
            "few": np.arange(80) % 32,
            "many": np.arange(80) % 33,
        }
    )
    assert kinds(X) == ["continuous", "discrete", "discrete", "discrete", "continuous"]


def test_wide_integers_are_logged_by_name(caplog):
    with caplog.at_level(logging.INFO, logger="deacs"):
        encode(pl.DataFrame({"age": range(80), "few": [0, 1] * 40}), Y)
    assert "more than 32 distinct values are continuous: age" in caplog.text
    assert "few" not in caplog.text


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (True, ["discrete", "discrete"]),
        (False, ["continuous", "continuous"]),
        ([True, False], ["discrete", "continuous"]),
        (["b"], ["continuous", "discrete"]),
        ([0], ["discrete", "continuous"]),
        ([-1], ["continuous", "discrete"]),
    ],
)
def test_discrete_features_decides_when_given(given, expected):
    X = pl.DataFrame({"a": [0.5, 1.5] * 40, "b": [0, 1] * 40})
    assert kinds(X, discrete_features=given) == expected


def test_named_discrete_features_leave_text_as_it_is():
    X = pl.DataFrame({"a": ["u", "v"] * 40, "b": [0, 1] * 40, "c": [1.5, 2.5] * 40})
    assert kinds(X, discrete_features=["c"]) == ["discrete", "continuous", "discrete"]


def test_continuous_columns_have_the_codes_of_mdlp():
    X, y = load_wine(return_X_y=True)
    data, expected = encode(X, y), MDLP().fit(X, y)
    for j in range(data.n_features):
        np.testing.assert_array_equal(data.column(j), expected.transform(X)[:, j])
        np.testing.assert_array_equal(data.features[j].values, expected.cut_points_[j])


def test_missing_has_the_last_code_in_every_kind_of_column():
    X = pd.DataFrame(
        {
            "float": [0.0, 1.0, 10.0, 11.0, np.nan] * 16,
            "text": ["a", "b", "a", "b", None] * 16,
            "int": pd.array([5, 6, 5, 6, None] * 16, dtype="Int64"),
        }
    )
    data = encode(X, [0, 0, 1, 1, 0] * 16)
    for j, feature in enumerate(data.features):
        assert feature.has_missing
        is_last = data.column(j) == feature.n_values - 1
        assert np.flatnonzero(is_last).tolist() == list(range(4, 80, 5))
        assert feature.describe(feature.n_values - 1) == "missing"


def test_a_column_that_is_missing_everywhere_tells_nothing():
    X = pl.DataFrame({"a": [None] * 4, "b": [None] * 4}, schema={"a": pl.String, "b": pl.Float64})
    data = encode(X, [0, 1, 0, 1])
    assert [len(set(data.column(j).tolist())) for j in range(2)] == [1, 1]


def test_codes_read_back_as_values_and_intervals():
    X = pl.DataFrame({"size": [1.0] * 8 + [3.0] * 8, "colour": ["red", "blue"] * 8})
    data = encode(X, [0] * 8 + [1] * 8)
    size, colour = data.features
    assert [size.describe(code) for code in range(2)] == ["(-inf, 2]", "(2, inf)"]
    assert [colour.describe(code) for code in range(2)] == ["blue", "red"]
    assert data.feature_names == ("size", "colour")


@pytest.mark.parametrize(("n_values", "width"), [(256, 1), (257, 2), (65536, 2), (65537, 4)])
def test_wide_columns_get_wider_codes_and_do_not_widen_the_others(n_values, width):
    n_rows = n_values + 1
    wide = np.minimum(np.arange(n_rows), n_values - 1)
    data = encode(
        pl.DataFrame({"narrow": wide % 2, "wide": wide}), wide % 2, discrete_features=True
    )
    assert data.column(0).dtype.itemsize == 1
    assert data.column(1).dtype.itemsize == width
    np.testing.assert_array_equal(data.column(1), wide)
    assert data.n_values.tolist() == [2, n_values]


def test_an_identifier_is_named_in_a_warning():
    X = pl.DataFrame({"id": [f"p{k}" for k in range(80)], "size": [1, 2] * 40})
    with pytest.warns(IdentifierWarning, match=r"'id': as many values as rows \(80\)"):
        encode(X, Y)


def test_codes_are_frozen():
    data = encode([[0, 1], [1, 0]] * 40, Y)
    with pytest.raises(ValueError, match="read-only"):
        data.column(0)[0] = 1
    with pytest.raises(AttributeError):
        data.labels = None


def test_a_matrix_of_codes_is_taken_as_it_is():
    codes = np.array([[0, 300], [2, 5], [1, 0]])
    data = CodedData.from_codes(codes, ["a", "b", "a"], feature_names=["u", "v"])
    assert data.n_values.tolist() == [3, 301]
    assert np.column_stack([data.column(0), data.column(1)]).tolist() == codes.tolist()
    assert data.is_named


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: encode([[1], [2]], [0, 1], discrete_features="colour"), "to name one column"),
        (lambda: encode([[1], [2]], [0, 1], discrete_features=[True, False]), "one entry for each"),
        (lambda: encode([[1], [2]], [0, 1], discrete_features=[3]), "indices from 0 to 0, got 3"),
        (lambda: encode([[1], [2]], [0, 1], discrete_features=[0, 0]), "'x0' twice"),
        (lambda: encode([[1], [2]], [0, 1], discrete_features=[1.5]), "names or indices, got 1.5"),
        (
            lambda: encode(pl.DataFrame({"price": [1, 2]}), [0, 1], discrete_features=["prise"]),
            "names 'prise', which is not a column; did you mean 'price'",
        ),
        (
            lambda: encode(pl.DataFrame({"c": ["a", "b"]}), [0, 1], discrete_features=False),
            "'c' continuous, but it holds text",
        ),
        (lambda: CodedData.from_codes([[0.5], [1.0]], [0, 1]), "codes must be integers"),
        (lambda: CodedData.from_codes([[-1], [1]], [0, 1]), "must not be negative, got -1"),
        (lambda: CodedData.from_codes([[1], [1]], [0, 1], ["a", "b"]), "must name 1 features"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_columns_are_named_or_counted_from_either_end():
    assert named_features(["b", -4, 3], ["a", "b", "c", "d"], "include") == [1, 0, 3]
    with pytest.raises(InputError, match="include must name each column once, got 'd' twice"):
        named_features([-1, 3], ["a", "b", "c", "d"], "include")


def test_a_block_of_codes_lies_in_memory_as_kernels_read_it():
    codes = np.asfortranarray(np.zeros((2, 5), dtype=np.uint8))
    with pytest.raises(InputError, match="codes must be C-contiguous"):
        CodeBlock(np.arange(2), codes, np.ones(2, dtype=np.int64), np.full(2, -1))


def test_discrete_features_may_be_names_and_indices():
    X = pl.DataFrame({"a": [0.5, 1.5, 0.5], "b": [1.5, 2.5, 1.5], "c": [3.5, 4.5, 3.5]})
    kinds = [f.kind for f in encode(X, [0, 1, 0], discrete_features=[0, "b"]).features]
    assert kinds == ["discrete", "discrete", "continuous"]


@pytest.mark.parametrize("given", [None, 3])
def test_discrete_features_that_list_nothing_are_refused(given):
    with pytest.raises(InputError, match=f"or a list of names or indices, got {given}"):
        encode([[0.5], [1.5]], [0, 1], discrete_features=given)
