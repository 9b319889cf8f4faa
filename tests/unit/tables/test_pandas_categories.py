"""Categories of pandas are read by their codes, and are the columns that values would give."""

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from deacs.tables import read_columns
from deacs.tables.frames import _column

COLUMNS = {
    "words": pd.Categorical(["b", "a", "b", "c"]),
    "missing": pd.Categorical(["b", None, "a", None]),
    "unused": pd.Categorical(["b", "a", "b", "b"], categories=["z", "b", "y", "a"]),
    "ordered": pd.Categorical(["low", "high", "low", None], ["low", "mid", "high"], ordered=True),
    "numbers": pd.Categorical([3, 1, 1, 2]),
    "floats": pd.Categorical([0.5, 0.25, 0.5, np.nan]),
    "times": pd.Categorical(pd.to_datetime(["2020-01-02", "2020-01-01", None, "2020-01-02"])),
    "nothing": pd.Categorical([None] * 4, categories=["a"]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_codes_and_values_give_the_same_column(name):
    frame = pd.DataFrame({name: COLUMNS[name]})
    [read] = read_columns(frame).columns
    by_value = _column(name, nw.from_native(frame[name], series_only=True))
    assert read.kind == by_value.kind == "nominal"
    assert read.ordered == by_value.ordered
    assert read.categories.tolist() == by_value.categories.tolist()
    present = np.ones(4, bool) if by_value.missing is None else ~by_value.missing
    assert (read.missing is None) == (by_value.missing is None)
    if read.missing is not None:
        np.testing.assert_array_equal(read.missing, ~present)
    np.testing.assert_array_equal(read.values[present], by_value.values[present])


def test_categories_without_an_order_among_themselves_are_refused_as_before():
    frame = pd.DataFrame({"mixed": pd.Categorical(["a", 1, "a", 2.5])})
    with pytest.raises(TypeError, match="mixed"):
        read_columns(frame)
