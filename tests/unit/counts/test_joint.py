"""Joint values of several columns, against a count of tuples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import encode
from deacs.counts import JointValues, joint_codes

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


@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=5), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
)
def test_group_size_counts_weights_on_the_rows_that_are_present(lists, ignore, weighted):
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
    counts = np.ones(40) if data.weights is None else data.weights
    for whole in lists:
        for m in range(1, len(whole) + 1):  # each list extends the one before
            there = [
                (tuple(int(data.column(j)[row]) for j in whole[:m]), counts[row])
                for row in range(40)
                if all(data.column(j)[row] != data.ignored(j) for j in whole[:m])
            ]
            n_groups = len({values for values, _ in there})
            expected = sum(count for _, count in there) / max(n_groups, 1)
            assert joint.mean_group_size(whole[:m]) == pytest.approx(expected)
