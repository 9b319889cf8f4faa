"""Matrices of integers in short ranges: coded whole as their columns are one by one."""

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

from deacs import encode
from deacs.coding.short_integers import short_integers
from tests.each import each


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


@each("dtype", [np.uint8, np.int8, np.int32, np.int64, np.uint64, bool])
@pytest.mark.parametrize("discrete_features", ["auto", True])
def test_a_matrix_of_short_integers_is_coded_as_its_columns_are(dtype, discrete_features):
    X = matrix_of_short_integers(dtype)
    assert short_integers(X, discrete_features) is not None
    assert_coded_as_columns_are(X, discrete_features)


def test_the_order_in_memory_changes_no_code():
    X = matrix_of_short_integers(np.int64)
    assert_coded_as_columns_are(np.asfortranarray(X))
    assert_coded_as_columns_are(np.repeat(X, 2, axis=1)[:, ::2])


def test_a_short_range_may_lie_anywhere_in_32_bits():
    X = matrix_of_short_integers(np.uint32) + np.uint32(2**32 - 20)
    assert short_integers(X, "auto") is not None
    assert_coded_as_columns_are(X)


@pytest.mark.parametrize("dtype", [">i4", ">u8"])
def test_the_order_of_bytes_changes_no_code(dtype):
    X = matrix_of_short_integers(np.int32)
    assert short_integers(X.astype(dtype), "auto") is not None
    assert_coded_as_columns_are(X.astype(dtype), dense=X)


def test_unsigned_integers_beyond_the_signed_ones_are_left_to_their_columns():
    X = matrix_of_short_integers(np.uint64)
    X[20, 530] = 2**64 - 1  # -1 in a signed type
    assert short_integers(X, "auto") is None


@pytest.mark.parametrize(
    "shape", [(1, 30_000), (31, 900), (4000, 7), (70, 300), (1023, 21), (1025, 21)]
)
@each("values", [range(3), range(0, 250, 2), range(250), [0, 7, 255]])
@each("dtype", [np.uint8, np.int32])
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
