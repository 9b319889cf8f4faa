"""Joint values of several columns, against a count of tuples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import encode
from deacs.information import JointValues, joint_codes, mean_group_size

tables = st.integers(0, 40).flatmap(
    lambda n: st.lists(
        st.lists(st.integers(0, 5), min_size=n, max_size=n), min_size=1, max_size=5
    ).map(lambda columns: [np.array(column, dtype=np.uint8) for column in columns])
)


@given(tables)
def test_rows_have_the_same_code_if_and_only_if_they_agree_in_every_column(columns):
    codes, n_values = joint_codes(columns, len(columns[0]))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    order = {row: code for code, row in enumerate(sorted(set(rows)))}
    assert codes.tolist() == [order[row] for row in rows]
    assert n_values == len(order)


def test_without_columns_all_rows_are_equal():
    codes, n_values = joint_codes([], 4)
    assert codes.tolist() == [0, 0, 0, 0]
    assert n_values == 1


def test_wide_codes_are_renumbered_before_their_products_overflow():
    column = np.array([0, 4_000_000_000, 0, 4_000_000_000], dtype=np.uint32)
    codes, n_values = joint_codes([column] * 5, 4)
    assert codes.tolist() == [0, 1, 0, 1]
    assert n_values == 2


@given(tables.filter(lambda columns: len(columns[0]) > 0), st.data())
def test_group_size_counts_weights_on_the_rows_that_are_present(columns, data):
    n_rows = len(columns[0])
    ignored = data.draw(st.lists(st.integers(-1, 5), min_size=len(columns), max_size=len(columns)))
    weights = data.draw(st.lists(st.integers(1, 9), min_size=n_rows, max_size=n_rows))
    rows = [
        (row, weight)
        for row, weight in zip(
            zip(*(column.tolist() for column in columns), strict=True), weights, strict=True
        )
        if all(value != code for value, code in zip(row, ignored, strict=True))
    ]
    n_groups = len({row for row, _ in rows})
    expected = sum(weight for _, weight in rows) / n_groups if rows else 0.0
    found = mean_group_size(columns, ignored, np.array(weights, dtype=np.int64))
    assert found == pytest.approx(expected)


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_lists_that_extend_one_another_have_the_sizes_that_each_has_alone(lists, ignore, weighted):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (40, 5)), rng.integers(0, 2, 40)
    data = encode(
        np.ma.MaskedArray(X, rng.random(X.shape) < 0.2),
        y,
        discrete_features=True,
        missing="ignore" if ignore else "category",
        sample_weight=rng.integers(1, 4, 40) if weighted else None,
    )
    joint = JointValues(data)
    for whole in lists:
        for m in range(1, len(whole) + 1):
            features = whole[:m]
            alone = mean_group_size(
                [data.column(j) for j in features],
                [data.ignored(j) for j in features],
                data.weights,
                data.weights_are_counts,
            )
            assert joint.mean_group_size(features) == alone
