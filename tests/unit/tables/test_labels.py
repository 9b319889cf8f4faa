"""Labels: the class column of any library, and what cannot be one is named."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from deacs import encode
from deacs.exceptions import InputError
from deacs.tables import read_labels


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        pd.Series(["b", "a", "b"]),
        pd.Categorical(["b", "a", "b"], categories=["c", "b", "a"]),
        pl.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"])),
        pa.array(["b", "a", "b"]),
        pa.chunked_array([["b", "a"], ["b"]]),
        pa.array(["b", "a", "b"]).dictionary_encode(),
        nw.from_native(pl.Series(["b", "a", "b"]), series_only=True),
        pd.Series(["b", "a", "b"], dtype="string[pyarrow]"),
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
    "y",
    [
        [True, False, True],
        pl.Series([True, False, True]),
        pa.array([True, False, True]),
        pd.array([True, False, True], dtype="boolean"),
    ],
    ids=lambda y: type(y).__name__,
)
def test_labels_may_be_booleans(y):
    labels = read_labels(y, 3)
    assert (labels.classes.tolist(), labels.classes.dtype) == ([False, True], bool)
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_a_frame_of_one_column_is_taken_with_the_warning_of_scikit_learn(make):
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        labels = read_labels(make({"y": ["b", "a", "b"]}), 3)
    assert labels.codes.tolist() == [1, 0, 1]


def test_many_labels_of_text_are_numbered_in_sorted_order():
    y = np.array(["w", "a", "m", "a", "w", "z"], dtype=object)
    labels = read_labels(y, 6)
    assert labels.classes.tolist() == ["a", "m", "w", "z"]
    assert labels.classes[labels.codes].tolist() == y.tolist()


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
        (pl.Series([1, None, 2]), "row 1: nan"),
        (pl.Series([True, None, False]), "row 1: None"),
        (pl.Series(["a", None, "b"], dtype=pl.Categorical), "row 1: None"),
        (pa.array(["a", None, "b"]), "row 1: None"),
        (pd.Series(["a", None, "b"], dtype="category"), "row 1: nan"),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0]), "row 1: None"),
        (np.array(["2020", "NaT", "2021"], dtype="M8[D]"), "row 1: NaT"),
        (np.array([1j, 2, 3]), "Unknown label type: .* got complex128"),
        (pd.Categorical([1, "a", 1]), "labels of one type, got int, str"),
        (
            pd.DataFrame({"y": [1, 2, 3], "z": [1, 2, 3]}),
            "by 0 and 1 .* got 2 in row 1, column 'y'",
        ),
        (["a", "a", "a"], r"at least two classes, got 1 class: 'a' in all 3 rows"),
        (["a", "b"], "equal lengths, got 3 rows in X and 2 in y"),
        (["a", 1, "b"], "labels of one type, got int, str"),
    ],
)
def test_labels_that_cannot_be_used_are_named(y, message):
    with pytest.raises(ValueError, match=message):
        read_labels(y, 3)


@pytest.mark.parametrize(
    "y",
    [
        np.repeat(np.arange(40), 10),
        np.repeat(np.arange(1, 41), 10),
        np.arange(20),
        np.array([f"name {k // 2}" for k in range(100)]),
    ],
    ids=["faces", "from one on", "few", "names"],
)
def test_classes_that_may_well_be_classes_are_not_warned_of(y):
    assert len(read_labels(y, len(y)).classes) == len(np.unique(y))


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("rows", [[4] * 40, [2] * 30, [4, 3, 2] * 10])
def test_integers_numbered_without_gaps_in_similar_rows_are_classes(first, rows):
    y = np.random.default_rng(0).permutation(np.repeat(np.arange(first, first + len(rows)), rows))
    with pytest.warns(UserWarning, match="each is taken for a class"):
        assert read_labels(y, len(y)).target.kind == "classes"


@pytest.mark.parametrize(
    "y",
    [
        np.repeat(np.arange(2, 42), 4),  # from 2
        np.repeat(np.delete(np.arange(41), 7), 4),  # with a gap
        np.repeat(np.arange(40), [1, *[4] * 39]),  # one of them in one row
        np.repeat(np.arange(40), [*[2] * 39, 5]),  # one of them in more than twice the rows
        np.arange(40),
        np.random.default_rng(0).integers(0, 40, 160),
        np.random.default_rng(0).poisson(50, 160),
    ],
)
def test_other_integers_in_few_rows_each_are_numbers(y):
    with pytest.warns(UserWarning, match="are taken for a quantity"):
        assert read_labels(y, len(y)).target.kind == "numbers"


def several(rows):
    return np.array(rows)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (several([[0, 1], [1, 0], [2, 1]]), "by 0 and 1 .* got 2 in row 2, column 0"),
        (several([[0, 0.5], [1, 0], [0, 1]]), "got 0.5 in row 0, column 1"),
        (
            several([[0, np.nan], [1, 0], [0, 1]]),
            r"missing labels, got 1 in column 1 \(the first in row 0",
        ),
        (several([["a", "b"], ["c", "d"], ["a", "d"]]), "got text or categories in column 0"),
        (several([[1, 0], [1, 0], [1, 0]]), "different labels, got the same in all 3 rows"),
        (several([[0, 0], [0, 0], [0, 0]]), "no label at all"),
        (several([[1, 0], [0, 1]]), "equal lengths, got 3 rows in X and 2 in y"),
        ([{"a"}, "b", {"a"}], "the set of each row's labels, got 'b' in row 1"),
        ([{"a"}, {1}, {"a"}], "labels of one type, got int, str"),
        ([set(), set(), set()], "an empty set in every row"),
        (pl.DataFrame({"a": [1, None, 0], "b": [1, 0, 1]}), "missing labels, got 1 .* 'a'"),
        (pl.DataFrame({"a": ["x", "y", "x"], "b": [1, 0, 1]}), "text or categories in column 'a'"),
    ],
)
def test_several_labels_that_cannot_be_used_are_named(y, message):
    with pytest.raises(InputError, match=message):
        read_labels(y, 3)


def test_one_row_has_nothing_to_tell_apart():
    with pytest.raises(InputError, match="got the same in all 1 rows"):
        read_labels(np.array([[1, 0]]), 1)


def test_labels_of_all_rows_or_none_keep_their_place():
    Y = pd.DataFrame({"all": [1, 1, 1], "some": [1, 0, 1], "none": [0, 0, 0], "few": [1, 0, 0]})
    labels = read_labels(Y, 3)
    assert labels.target.names.tolist() == ["all", "some", "none", "few"]
    assert labels.target.indicators(labels.codes).tolist() == Y.astype(bool).to_numpy().tolist()


def test_labels_that_exclude_each_other_are_classes():
    labels = read_labels(np.eye(3, dtype=int)[[2, 0, 1, 0]], 4)
    assert labels.target.kind == "labels"
    assert labels.target.membership is None
    assert labels.codes.tolist() == [2, 0, 1, 0]
    missing_one = labels.take(np.array([0, 1]))
    assert missing_one.target.membership.tolist() == [[True, False, False], [False, False, True]]


def test_a_single_column_of_labels_is_a_label_where_asked():
    labels = read_labels(np.array([[0], [1], [1]]), 3, "labels")
    assert labels.target.membership.tolist() == [[False], [True]]
    with pytest.raises(InputError, match="a column for each label, or hold the set"):
        read_labels([0, 1, 1], 3, "labels")
    with pytest.raises(InputError, match="target must be one of auto, classes, labels, numbers"):
        read_labels([0, 1, 1], 3, "several")


@pytest.mark.parametrize(
    "of", [pl.Series, lambda y: pa.chunked_array([y])], ids=["polars", "arrow"]
)
def test_series_of_lists_are_sets_of_labels(of):
    labels = read_labels(of([["a"], ["a", "b"], []]), 3)
    assert labels.target.kind == "labels"
    assert labels.values_of(np.arange(3)).tolist() == [[1, 0], [1, 1], [0, 0]]


def test_strings_of_numpy_that_are_missing_are_refused():
    y = np.array(["b", None], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(InputError, match=r"missing or infinite values, got 1 \(the first in row 1"):
        read_labels(y, 2)


def test_another_value_in_every_row_is_no_class():
    names, X = [f"name {k}" for k in range(40)], np.arange(80.0).reshape(40, 2)
    with pytest.raises(InputError, match=r"in each of the 40 rows, such as 'name 0'; [a-z ]*$"):
        encode(X, names)
    with pytest.raises(InputError, match=r"in each of the 40 rows.* target='numbers'"):
        encode(X, np.arange(40).astype("M8[D]"))
    assert encode(X, names, target="classes").n_classes == 40  # said so
    assert encode(X[:20], names[:20]).n_classes == 20  # few rows say little


def test_labels_that_cannot_be_in_a_set_are_refused():
    with pytest.raises(InputError, match="must hold labels of one type"):
        read_labels([["x", {}], ["x"]], 2)
