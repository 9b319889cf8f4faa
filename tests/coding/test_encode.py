"""Coding: kinds of columns, missing as a value, width of codes, names kept, identifiers named."""

import logging

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine

from deacs import MDLP, CodedData, encode
from deacs.coding import CodeBlock, named_features
from deacs.coding.short_integers import short_integers
from deacs.exceptions import IdentifierWarning, InputError
from deacs.kernels.spans import transpose_bytes

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


def assert_coded_as_columns_are(X, discrete_features="auto", dense=None):
    """Code a matrix whole and as a frame; 37 rows and 545 columns leave parts of tiles."""
    dense = X if dense is None else dense
    y = np.arange(len(dense)) % 2
    names = [f"x{j}" for j in range(dense.shape[1])]
    whole = encode(X, y, discrete_features=discrete_features)
    columns = encode(pl.DataFrame(dense, schema=names), y, discrete_features=discrete_features)
    for j in range(dense.shape[1]):
        np.testing.assert_array_equal(whole.column(j), columns.column(j))
        np.testing.assert_array_equal(whole.features[j].values, columns.features[j].values)
    assert whole.n_values.tolist() == columns.n_values.tolist()


def matrix_of_short_integers(dtype):
    X = np.random.default_rng(0).integers(0, 4, (37, 545)) * np.resize([1, 2, 3, 5, 0, 1], 545)
    return (X - 3 if dtype in (np.int8, np.int64) else X).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32, np.int64, np.uint64, bool])
@pytest.mark.parametrize("discrete_features", ["auto", True])
def test_a_matrix_of_short_integers_is_coded_as_its_columns_are(dtype, discrete_features):
    X = matrix_of_short_integers(dtype)
    assert short_integers(X, discrete_features) is not None
    assert_coded_as_columns_are(X, discrete_features)


def test_the_order_in_memory_changes_no_code():
    X = matrix_of_short_integers(np.int64)
    assert_coded_as_columns_are(np.asfortranarray(X))
    assert_coded_as_columns_are(np.repeat(X, 2, axis=1)[:, ::2])


@pytest.mark.parametrize("dtype", [">i4", ">u8"])
def test_the_order_of_bytes_changes_no_code(dtype):
    X = matrix_of_short_integers(np.int32)
    assert short_integers(X.astype(dtype), "auto") is not None
    assert_coded_as_columns_are(X.astype(dtype), dense=X)


def test_unsigned_integers_beyond_the_signed_ones_are_left_to_their_columns():
    X = matrix_of_short_integers(np.uint64)
    X[20, 530] = 2**64 - 1  # -1 in a signed type
    assert short_integers(X, "auto") is None


@pytest.mark.parametrize("shape", [(32, 8), (33, 700), (70, 1025), (4000, 9)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint32, np.int64])
def test_matrices_of_any_shape_are_transposed_modulo_256(shape, dtype):
    X = np.random.default_rng(0).integers(-300, 300, shape).astype(dtype)
    lowest, codes = X[0].copy(), np.empty(shape[::-1], dtype=np.uint8)
    highest = lowest.copy()
    longest = int(np.ptp(X.astype(np.int64), axis=0).max()) + 1
    assert transpose_bytes(X, longest, lowest, highest, codes)
    np.testing.assert_array_equal(codes, X.T.astype(np.int64) % 256)
    np.testing.assert_array_equal(lowest, X.min(axis=0))
    np.testing.assert_array_equal(highest, X.max(axis=0))
    assert not transpose_bytes(X, longest - 1, lowest, highest, codes)


def test_extremes_whose_difference_overflows_do_not_look_close():
    X = np.zeros((40, 9), dtype=np.int64)
    X[7, 3], X[39, 3] = -(2**63), 2**63 - 1
    codes = np.empty(X.shape[::-1], dtype=np.uint8)
    assert not transpose_bytes(X, 256, X[0].copy(), X[0].copy(), codes)


@pytest.mark.parametrize(
    "shape", [(1, 30_000), (31, 900), (4000, 7), (70, 300), (1023, 21), (1025, 21)]
)
@pytest.mark.parametrize("values", [range(3), range(0, 250, 2), range(250), [0, 7, 255]])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_the_values_that_occur_are_numbered_whatever_the_shape(shape, values, dtype):
    X = np.random.default_rng(0).choice(np.array(values, dtype=dtype), shape)
    X[-1, 0] = 251  # in the last row only
    codes, n_values, features = short_integers(X, True)
    for j, column in enumerate(X.T):
        distinct, places = np.unique(column, return_inverse=True)
        assert codes[j].tolist() == places.tolist()
        assert features[j].values.tolist() == distinct.tolist()
        assert n_values[j] == len(distinct)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, bool])
def test_entries_of_a_sparse_matrix_are_coded_as_its_columns_are(dtype):
    X = matrix_of_short_integers(dtype)
    X[np.random.default_rng(1).random(X.shape) < 0.7] = 0
    X[:, 7] = 1  # no zero is left out
    assert short_integers(csr_array(X), "auto") is not None
    assert_coded_as_columns_are(csr_array(X), dense=X)


def test_integers_that_are_not_short_are_left_to_their_columns():
    X = matrix_of_short_integers(np.int64)
    for far in (40, -(2**40), 2**40):
        X[20, 530] = far
        assert short_integers(X, "auto") is None
        assert short_integers(np.asfortranarray(X), "auto") is None
        assert short_integers(csr_array(X), "auto") is None
    X[20, 530] = 250
    assert_coded_as_columns_are(X, True)


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
