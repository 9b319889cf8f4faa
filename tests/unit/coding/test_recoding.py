"""Columns cut again: the same codes under the same labels, the definition's under others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from deacs import MDLP, EqualFrequency, encode
from tests.naive.cuts import mdlp


def table(seed, n_rows=120, n_columns=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = rng.normal(size=(n_rows, n_columns)) + np.linspace(0, 2, n_columns) * y[:, None]
    X[:, 1] = np.round(X[:, 1], 1)
    X[rng.random(n_rows) < 0.1, 2] = np.nan
    return X, y, rng


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["category", "ignore"]))
def test_under_the_same_labels_the_codes_are_the_same(seed, missing):
    X, y, _ = table(seed)
    data = encode(X, y, missing=missing, recodable=True)
    codes, n_values = data.recoder.codes(np.arange(4), data.labels)
    assert n_values.tolist() == data.n_values.tolist()
    for j in np.flatnonzero(n_values > 1):
        np.testing.assert_array_equal(codes[j], data.column(j))


def test_under_other_labels_the_cuts_are_those_of_the_definition():
    X, y, rng = table(0)
    data = encode(X, y, recodable=True)
    found = 0
    for _ in range(5):
        other = np.where(rng.random(len(y)) < 0.5, y, rng.permutation(y)).astype(np.int32)
        codes, n_values = data.recoder.codes(np.arange(4), other)
        for j in range(4):
            cuts = mdlp(X[:, j].tolist(), other.tolist())
            has_missing = np.isnan(X[:, j]).any()
            assert n_values[j] == len(cuts) + 1 + has_missing
            if n_values[j] > 1:
                expected = np.searchsorted(cuts, X[:, j])
                expected[np.isnan(X[:, j])] = len(cuts) + 1
                np.testing.assert_array_equal(codes[j], expected)
            found += len(cuts)
    assert found > 0


def test_the_limits_of_a_discretizer_are_kept():
    X, y, _ = table(1)
    data = encode(X, y, discretizer=MDLP(max_cuts=1), recodable=True)
    _, n_values = data.recoder.codes(np.array([3]), data.labels)
    assert n_values.tolist() == [2]
    _, free = encode(X, y, recodable=True).recoder.codes(np.array([3]), data.labels)
    assert free[0] > 2


def test_more_intervals_than_a_byte_holds_are_coded_in_two():
    # Two classes in turn, in stretches of 40 equal labels: each stretch is an interval.
    y = np.repeat(np.arange(300) % 2, 40)
    X = np.arange(len(y), dtype=float)[:, None]
    data = encode(X, y, recodable=True)
    codes, n_values = data.recoder.codes(np.array([0]), data.labels)
    assert n_values[0] == data.n_values[0] > 256
    np.testing.assert_array_equal(codes[0], data.column(0))


def test_bins_part_rows_by_rank_and_never_equal_values():
    X = np.array([[5.0], [1.0], [3.0], [3.0], [np.nan], [2.0], [9.0], [8.0], [7.0]])
    data = encode(X, [0, 1, 0, 1, 0, 1, 0, 1, 0], recodable=True)
    # Eight values, four bins of two: 1 2 | 3 3 | 5 7 | 8 9; the missing one is in a fifth.
    assert data.recoder.bins(0, 4).tolist() == [2, 0, 1, 1, 4, 0, 3, 3, 2]


@pytest.mark.parametrize(
    ("discretizer", "by_classes"),
    [
        ("mdlp", True),
        ("equal-width", False),
        (None, False),
        (MDLP(), True),
        (EqualFrequency(n_bins=3), False),
        (KBinsDiscretizer(3, encode="ordinal", strategy="uniform"), False),
    ],
)
def test_a_coding_tells_whether_the_classes_helped(discretizer, by_classes):
    X, y, _ = table(2)
    X = np.round(X[:, [0, 3]], 1)
    data = encode(X, y, discretizer=discretizer, recodable=True)
    assert [feature.by_classes for feature in data.features] == [by_classes] * 2
    assert (data.recoder is not None) == by_classes


def test_nothing_is_kept_unless_it_is_asked_for():
    X, y, _ = table(3)
    assert encode(X, y).recoder is None
    assert encode(np.round(X[:, :1]).astype(int), y, recodable=True).recoder is None


@pytest.mark.usefixtures("work_is_shared")
def test_threads_do_not_change_the_codes():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 3000)
    X = rng.normal(size=(3000, 12)) + 0.5 * y[:, None]
    data = encode(X, y, recodable=True)
    one, _ = data.recoder.codes(np.arange(12), data.labels)
    two, _ = data.recoder.codes(np.arange(12), data.labels, n_jobs=2)
    np.testing.assert_array_equal(one, two)
