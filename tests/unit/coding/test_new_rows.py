"""New rows get the codes that the same values have in the coded table."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

from deacs import encode
from deacs.coding.new_rows import code_new_rows
from deacs.exceptions import InputError

MIXED = pl.DataFrame(
    {
        "text": ["u", None, "v", "u", "w", "v"],
        "flag": [True, False, True, True, False, False],
        "count": [3, 1, 7, 3, None, 1],
        "number": [0.5, 2.0, None, 4.5, 0.1, 9.0],
        "whole": [1.5, 1.5, 2.5, 1.5, 2.5, 2.5],
    }
)
LABELS = [0, 1, 0, 1, 0, 1]
DISCRETE = ["text", "flag", "count", "whole"]


def test_the_rows_themselves_get_their_own_codes():
    data = encode(MIXED, LABELS, discrete_features=DISCRETE)
    own = np.column_stack([data.column(j) for j in range(data.n_features)])
    np.testing.assert_array_equal(code_new_rows(data, MIXED, range(data.n_features)), own)


@given(st.lists(st.integers(0, 177), min_size=1, max_size=20))
def test_numbers_fall_between_the_old_cut_points(rows):
    X, y = load_wine(return_X_y=True)
    data = encode(X, y)
    features = [12, 0, 6]
    codes = code_new_rows(data, X[rows], features)
    own = np.column_stack([data.column(j)[rows] for j in features])
    np.testing.assert_array_equal(codes, own)
    # Naively: how many cuts lie below.
    for i, j in enumerate(features):
        values, cuts = X[rows][:, j], data.features[j].values
        assert codes[:, i].tolist() == [sum(c < v for c in cuts) for v in values]


def test_what_the_table_lacks_is_unknown():
    data = encode(
        pl.DataFrame({"text": ["a", "b", "a"], "count": [1, 5, 5]}), [0, 1, 1],
        discrete_features=True,
    )  # fmt: skip
    new = pl.DataFrame({"text": ["c", "b", None], "count": [5, 4, None]})
    assert code_new_rows(data, new, [0, 1]).tolist() == [[2, 1], [1, 2], [2, 2]]


def test_missing_is_missing_where_the_table_had_missing_values():
    data = encode(pl.DataFrame({"text": ["a", None, "b", "a"]}), [0, 1, 1, 1])
    new = pl.DataFrame({"text": [None, "z"]})
    assert code_new_rows(data, new, [0]).tolist() == [[2], [3]]  # 2 is missing, 3 unknown
    nothing = pl.DataFrame({"text": pl.Series([None, None], dtype=pl.String)})
    assert code_new_rows(data, nothing, [0]).tolist() == [[2], [2]]


def test_numbers_where_the_table_had_text_are_unknown():
    data = encode(pl.DataFrame({"text": ["1", "2", "1"]}), [0, 1, 1])
    assert code_new_rows(data, pl.DataFrame({"text": [1, 2]}), [0]).tolist() == [[2], [2]]


def test_text_where_the_table_had_quantities_is_refused():
    data = encode(pl.DataFrame({"size": [0.5, 1.5, 2.5]}), [0, 1, 1])
    with pytest.raises(InputError, match=r"'size' must hold numbers.*got text such as 'big'"):
        code_new_rows(data, pl.DataFrame({"size": ["big"]}), [0])
    nothing = pl.DataFrame({"size": pl.Series([None], dtype=pl.String)})
    assert code_new_rows(data, nothing, [0]).tolist() == [[2]]  # unknown
