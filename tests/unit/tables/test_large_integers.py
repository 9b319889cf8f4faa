"""Integers beyond floats and beyond int64: no two of them become equal, wherever they come from."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from deacs import DEACS, MDLP, ReliefF, encode
from deacs.coding import normal_scores
from deacs.coding.new_rows import code_new_rows
from deacs.coding.on_disk import write_codes
from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels

BASE = 2**63
FEW = [BASE + 5 * (k % 3) for k in range(60)]
MANY = [BASE + k for k in range(60)]

SOURCES = {
    "numpy": lambda values: np.array(values, dtype=np.uint64).reshape(-1, 1),
    "fortran": lambda values: np.asfortranarray(np.array([values, values], dtype=np.uint64).T),
    "objects": lambda values: np.array(values, dtype=object).reshape(-1, 1),
    "masked": lambda values: np.ma.array(np.array(values, dtype=np.uint64).reshape(-1, 1)),
    "pandas": lambda values: pd.DataFrame({"x0": np.array(values, dtype=np.uint64)}),
    "nullable": lambda values: pd.DataFrame({"x0": pd.array(values, dtype="UInt64")}),
    "polars": lambda values: pl.DataFrame({"x0": values}, schema={"x0": pl.UInt64}),
    "polars 128": lambda values: pl.DataFrame({"x0": values}, schema={"x0": pl.Int128}),
    "arrow": lambda values: pa.table({"x0": pa.array(values, pa.uint64())}),
    "sparse": lambda values: sparse.csr_array(np.array(values, dtype=np.uint64).reshape(-1, 1)),
}


@pytest.fixture(params=SOURCES)
def source(request):
    return SOURCES[request.param]


def test_few_values_are_codes_of_their_own(source):
    data = encode(source(FEW), np.arange(60) % 3)
    assert data.column(0).tolist() == [k % 3 for k in range(60)]
    assert [data.features[0].describe(c) for c in range(3)] == [str(BASE + 5 * c) for c in range(3)]


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_many_values_are_cut_where_the_classes_part(source):
    data = encode(source(MANY), np.arange(60) >= 23, order=True)
    assert data.column(0).tolist() == [int(k >= 23) for k in range(60)]
    assert data.features[0].values.tolist() == [BASE + 22]
    assert data.order.scores[0].tolist() == normal_scores(np.arange(60)).tolist()
    new = [BASE, BASE + 22, BASE + 23, 2**64 - 1]
    assert code_new_rows(data, source(new), [0]).ravel().tolist() == [0, 0, 1, 1]


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_a_column_that_is_the_class_is_selected(source):
    rng = np.random.default_rng(0)
    classes = rng.permutation(np.arange(60) % 3)
    X = source([BASE + 5 * k for k in classes.tolist()])
    assert DEACS(1).fit(X, classes).get_support().tolist()[0]


@pytest.mark.parametrize("base", [2**62, -(2**62), 2**100])
def test_cuts_of_int64_and_wider_are_exact_too(base):
    X = np.array([[base + k] for k in range(100)], dtype=object)
    if abs(base) < 2**63:
        X = X.astype(np.int64)
    y = np.arange(100) // 50
    cut = MDLP().fit(X, y)
    assert cut.cut_points_[0].tolist() == [base + 49]
    assert cut.transform(X).ravel().tolist() == y.tolist()
    named = MDLP(output="labels").fit(X, y).transform(X)
    assert set(named.ravel()) == {f"(-inf, {base + 49}]", f"({base + 49}, inf)"}


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_distances_between_large_integers_are_exact():
    X = np.array([[BASE + k, 7 * k % 13] for k in range(60)], dtype=np.uint64)
    near = X - np.array([BASE, 0], dtype=np.uint64)
    y = np.arange(60) >= 30
    large, small = (ReliefF(1, discrete_features=False).fit(table, y) for table in (X, near))
    assert large.weights_.tolist() == small.weights_.tolist()


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
def test_codes_on_disk_keep_cuts_between_large_integers(tmp_path):
    data = encode(SOURCES["polars"](MANY), np.arange(60) >= 23)
    stored = write_codes(data, tmp_path / "codes")
    assert stored.features[0].values.tolist() == [BASE + 22]


def test_the_whole_range_of_int64_has_an_order():
    values = np.array([-(2**63), 2**63 - 1, 0, -1, 1] * 20).reshape(-1, 1)
    assert encode(values, np.arange(100) % 2).column(0).tolist() == [0, 4, 2, 1, 3] * 20


def test_ordinary_integers_keep_their_type():
    columns = read_columns(np.array([[1, 2], [3, 4]], dtype=np.uint64)).columns
    assert [column.values.dtype for column in columns] == [np.int64, np.int64]


def test_integers_that_are_no_quantities_are_refused():
    X = np.array([[10**400], [10**400 + 1]], dtype=object)
    with pytest.raises(InputError, match="'x0' has integers of more than 300 digits"):
        encode(X, [0, 1])


@pytest.mark.parametrize("others", [[], [1.5]])
def test_lists_keep_integers_apart(others):
    values = [-1, BASE, BASE + 1]
    table = read_columns([[value, *others] for value in values])
    assert table.columns[0].values.tolist() == values


def test_classes_are_kept_apart():
    labels = read_labels([BASE, BASE + 1, -1], 3)
    assert labels.classes.tolist() == [-1, BASE, BASE + 1]


def test_quantities_are_kept_apart():
    labels = read_labels([2**70, 2**70 + 1, 5], 3, "numbers")
    assert labels.codes.tolist() == [1, 2, 0]
    assert labels.target.names.tolist() == ["<= 5", f"<= {2**70}"]


@pytest.mark.parametrize(
    "values",
    [
        np.array([BASE + 5, BASE + 6, BASE + 9], dtype=np.uint64),
        np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64),
        np.array([BASE - 1, BASE - 2]),
        np.array([-BASE, 1 - BASE]),
        np.array([-128, 127, 5], dtype=np.int8),
    ],
)
def test_integers_at_the_ends_of_their_type_are_told_apart(values):
    y = np.tile(values, 20)
    labels = read_labels(y, len(y))
    assert labels.classes.tolist() == sorted(values.tolist())
    assert labels.classes[labels.codes].tolist() == y.tolist()
    data = encode(y[:, np.newaxis], np.arange(len(y)) % 2, discrete_features=True)
    assert data.features[0].values.tolist() == sorted(values.tolist())
    assert data.features[0].values[data.column(0)].tolist() == y.tolist()
