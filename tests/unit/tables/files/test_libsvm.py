"""libsvm files: columns by the file's own indices, the classes in `label`."""

import bz2

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from deacs.exceptions import InputError
from deacs.tables.files import read_table


def test_columns_are_called_by_their_index_and_left_out_entries_are_zero(write):
    table = read_table(write("# a note\n+1 1:2 3:0.5 # more\n\n-1 2:1\n", "t.libsvm"))
    assert table.to_dict(as_series=False) == {
        "f1": [2, 0],
        "f2": [0, 1],
        "f3": [0.5, 0.0],
        "label": [1, -1],
    }
    assert table.dtypes == [pl.Int64, pl.Int64, pl.Float64, pl.Int64]


def test_an_index_of_zero_is_a_column_too(write):
    assert read_table(write("1 0:3 2:1\n2 1:1\n", "t.svm")).columns == ["f0", "f1", "f2", "label"]


def test_columns_can_be_left_out_and_called_nominal(write):
    path = write(bz2.compress(b"1 1:2 2:1\n2 2:4\n"), "t.svmlight.bz2")
    X, y = read_table(path, target="label", exclude=["f1"], nominal=["f2"])
    assert X.to_dict(as_series=False) == {"f2": ["1", "4"]}
    assert y.to_list() == [1, 2]
    assert read_table(path, exclude=["label"]).columns == ["f1", "f2"]


def test_nan_is_missing(write):
    assert read_table(write("1 1:nan\n2 1:3\n", "t.libsvm"))["f1"].to_list() == [None, 3]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "1 1:2\n1,2 1:1\n",
            "line 2: could not convert string to float: b'1,2'; a line must look like",
        ),
        ("1 1:2\nspam 1:1\n", "line 2: could not convert .*spam"),
        ("1 1:2\n1 qid:3 1:1\n", "qid: is for ranking"),
        ("1 1:2\n1 2:1 1:1\n", "line 2: .* should be sorted and unique"),
        ("1 1:2\n1 1\n", "line 2: .* a line must look like 'label index:value"),
        ("1 1:2\n1 -1:1\n", "line 2: Invalid index -1"),
        ("1 1:2\n1 1:x\n", "line 2: could not convert .*x"),
        ("1 1:2\n1 3000000000:1\n", "line 2: value too large"),
        (f"1 1:2\n1 {'9' * 5000}:1\n", "line 2: "),
        ("1\n2\n", "no entries"),
        ("# nothing\n", "no entries"),
        ("1 2000000000:1\n", "1 rows and 2,000,000,000 columns take .* the limit is 4,294,967,296"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(write, content, message):
    path = write(content, "t.libsvm")
    with pytest.raises(InputError, match=message) as error:
        read_table(path)
    assert str(path) in str(error.value)


cells = st.one_of(
    st.just(0.0), st.integers(-3, 3).map(float), st.integers(-999, 999).map(lambda k: k / 8)
)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=5)
    ),
    st.booleans(),
)
def test_what_scikit_learn_writes_comes_back(tmp_path_factory, rows, zero_based):
    matrix = np.array(rows)
    # An entry in the first and last column says how wide the table is, and where it begins.
    matrix[0, [0, -1]] = 1
    path = tmp_path_factory.mktemp("libsvm") / "t.libsvm"
    dump_svmlight_file(matrix, np.arange(len(matrix)), str(path), zero_based=zero_based)
    X, y = read_table(path, target="label")
    np.testing.assert_array_equal(X.to_numpy(), matrix)
    assert X.columns[0] == ("f0" if zero_based else "f1")
    assert y.to_list() == list(range(len(matrix)))


@pytest.mark.parametrize("content", [b"\xef\xbb\xbf1 1:2\r\n2 1:3\r\n", b"1 1:2\r2 1:3\r"])
def test_byte_order_marks_and_line_ends_of_other_systems_are_understood(write, content):
    assert read_table(write(content, "t.libsvm")).rows() == [(2, 1), (3, 2)]
