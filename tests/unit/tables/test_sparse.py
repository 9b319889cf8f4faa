"""Sparse matrices give the columns that the dense ones give, and stay sparse until looked at."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels
from tests.each import each

FORMATS = ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"]
DENSE = np.array([[0, 3, 0], [-1, 0, 0]])


@pytest.mark.parametrize("layout", FORMATS)
@each("make", [sp.csr_array, sp.csr_matrix])
@each("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, np.float64])
def test_every_layout_gives_the_columns_of_the_dense_matrix(layout, make, dtype):
    dense = DENSE.astype(dtype)
    for sparse, plain in zip(
        read_columns(make(dense).asformat(layout)).columns,
        read_columns(dense).columns,
        strict=True,
    ):
        assert (sparse.name, sparse.kind, sparse.missing) == (plain.name, plain.kind, None)
        assert (sparse.values.tolist(), sparse.n_rows) == (plain.values.tolist(), 2)


SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)


@given(hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 1.5, -2.0, np.nan, np.inf])))
def test_stored_nan_is_missing(dense):
    sparse = read_columns(sp.csr_array(dense)).columns
    for j, column in enumerate(sparse):
        np.testing.assert_array_equal(column.values, dense[:, j])
        missing = np.isnan(dense[:, j])
        assert (column.missing is None) == (not missing.any())
        if column.missing is not None:
            np.testing.assert_array_equal(column.missing, missing)


def test_entries_stored_twice_are_added_and_the_matrix_is_left_alone():
    X = sp.csc_array((np.array([1, 2]), np.array([0, 0]), np.array([0, 2])), shape=(2, 1))
    [column] = read_columns(X).columns
    assert column.values.tolist() == [3, 0]
    assert X.nnz == 2


def test_a_wide_matrix_is_read_without_its_zeros():
    # Dense, it would take 8 TB.
    X = sp.csr_array((np.ones(3), ([0, 1, 2], [0, 7, 99_999])), shape=(10_000_000, 100_000))
    table = read_columns(X)
    assert (len(table.columns), table.n_rows) == (100_000, 10_000_000)
    assert table.columns[7].values.sum() == 1


def test_columns_are_frozen():
    [column] = read_columns(sp.csr_array([[1]])).columns
    with pytest.raises(AttributeError):
        column.name = "other"


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (sp.csr_array((0, 3)), r"at least one row and one column, got shape \(0, 3\)"),
        (sp.csr_array((3, 0)), r"got shape \(3, 0\)"),
        (sp.coo_array(np.array([1, 0])), r"two dimensions, .* got shape \(2,\)"),
        (sp.csr_array([[1j]]), "type complex128"),
    ],
)
def test_what_cannot_be_used_is_named(X, message):
    with pytest.raises(InputError, match=message):
        read_columns(X)


def damaged(kind, indices, indptr):
    matrix = kind((6, 4))
    matrix.data = np.ones(len(indices))
    matrix.indices, matrix.indptr = np.array(indices, np.int32), np.array(indptr, np.int32)
    return matrix


@pytest.mark.parametrize("kind", [sp.csc_array, sp.csr_array])
@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([1, 2, 99], [0, 1, 2]), ([1, 2, -9], [0, 1, 2]), ([1, 2, 3], [0, 3, 1]), ([1, 2], [0, 1, 9])],
)
def test_indices_outside_the_matrix_are_refused(kind, indices, indptr):
    n = {sp.csc_array: 5, sp.csr_array: 7}[kind]
    matrix = damaged(kind, indices, indptr + [max(len(indices), indptr[-1])] * (n - len(indptr)))
    with pytest.raises(InputError, match=r"X must be a sparse matrix .* got a damaged one"):
        read_columns(matrix)
    with pytest.raises(InputError, match=r"y must be a sparse matrix .* got a damaged one"):
        read_labels(matrix, 6)


def test_coordinates_outside_the_matrix_are_refused():
    matrix = sp.coo_array((np.ones(2), ([1, 5], [0, 1])), shape=(6, 4))
    matrix.coords[0][1] = 6
    with pytest.raises(InputError, match="indices must lie between 0 and 5"):
        read_columns(matrix)
