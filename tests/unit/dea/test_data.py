import re
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import dea
from deacs.dea import bcc, super_efficiency
from deacs.dea.data import read_table
from deacs.exceptions import InputError


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (
            None,
            [[1.0, 2.0], [3.0, -0.3]],
            "outputs must not be negative, got -0.3 for unit 1, output 1",
        ),
        ([-1, 1], [1, 1], "inputs must not be negative, got -1.0 for unit 0, input 0"),
        (None, [1.0, np.nan], "outputs must be finite, got nan for unit 1, output 0"),
        ([1.0, np.inf], [1.0, 1.0], "inputs must be finite, got inf for unit 1, input 0"),
        (None, [1.0, None], "outputs must be finite, got nan for unit 1, output 0"),
        ([1, 2, 3], [1, 2], "inputs and outputs must have a row for each unit, got 3 and 2 rows"),
        (
            [[1, 0], [0, 0]],
            [1, 2],
            "must have a positive number for each unit, got only zeros for unit 1",
        ),
        (None, [], "outputs must have one row for each unit and one column for each output"),
        (None, np.ones((3, 0)), "got shape (3, 0)"),
        (None, np.ones((2, 2, 2)), "got shape (2, 2, 2)"),
        (None, 3.0, "got shape ()"),
        (None, [["a", "b"]], "outputs must be a table of numbers, one row for each unit"),
        (None, [[1, 2], [3]], "outputs must be a table of numbers, one row for each unit"),
        (None, [1 + 2j], "outputs must be a table of numbers, one row for each unit"),
        ("abc", [1, 2], "inputs must be a table of numbers, one row for each unit"),
        ([10**400, 1], [1, 2], "got list: int too large to convert to float"),
        (None, np.array([1 + 2j]), "got ndarray: complex128 is not a type of real numbers"),
        (
            pd.DataFrame({"opened": pd.to_datetime(["2020-01-01", "2021-01-01"])}),
            [1, 2],
            "inputs must be a table of numbers, one row for each unit, got DataFrame: datetime64",
        ),
        (
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
            [1, 2],
            "got DataFrame: Expected unique column names",
        ),
    ],
)
def test_bad_tables_are_refused_with_what_came_and_what_is_accepted(inputs, outputs, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(inputs, outputs)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_read_as_arrays_are(frame):
    inputs, outputs = {"a": [1, 2, 3]}, {"b": [1.0, 5.0, 2.0], "c": [True, False, True]}
    expected = super_efficiency([1, 2, 3], np.column_stack(list(outputs.values()))).scores
    np.testing.assert_array_equal(super_efficiency(frame(inputs), frame(outputs)).scores, expected)
    np.testing.assert_array_equal(
        super_efficiency(frame(inputs)["a"], frame(outputs)).scores, expected
    )


def test_a_missing_value_in_a_frame_is_not_finite():
    with pytest.raises(InputError, match="outputs must be finite"):
        read_table(None, pl.DataFrame({"b": [1.0, None]}))


@pytest.mark.parametrize("dtype", [float, int])
@pytest.mark.parametrize("name", ["inputs", "outputs"])
def test_masked_numbers_are_missing(dtype, name):
    """What lies below the mask would otherwise be counted."""
    masked = np.ma.masked_array([[4, 1], [1, 900], [2, 3]], [[0, 0], [0, 1], [0, 0]], dtype)
    table = {"inputs": np.ones((3, 2)), "outputs": np.ones((3, 2))} | {name: masked}
    kind = name.removesuffix("s")
    with pytest.raises(InputError, match=f"{name} must be finite, got nan for unit 1, {kind} 1"):
        dea.ccr(**table)
    table[name] = np.ma.masked_array(masked.data, False)
    plain = table | {name: masked.data}
    assert dea.ccr(**table).scores.tolist() == dea.ccr(**plain).scores.tolist()


def test_masked_directions_are_missing():
    direction = np.ma.masked_array([1.0, 7.0], [False, True])
    with pytest.raises(InputError, match="must be finite and not negative, got nan"):
        dea.directional_distance([[1, 2], [2, 1]], [1, 1], input_direction=direction)


def test_text_in_a_frame_is_refused():
    with pytest.raises(InputError, match="outputs must be a table of numbers"):
        read_table(None, pd.DataFrame({"b": ["x", "y"]}))


def test_the_table_of_the_caller_is_left_alone():
    inputs, outputs = np.array([[1.0, 0.0], [4.0, 2.0]]), np.array([[3.0, 3.0], [5.0, 8.0]])
    copies = inputs.copy(), outputs.copy()
    super_efficiency(inputs, outputs)
    np.testing.assert_array_equal(inputs, copies[0])
    np.testing.assert_array_equal(outputs, copies[1])


@pytest.mark.system
def test_the_package_loads_no_frame_library_and_no_scikit_learn():
    code = "import sys, deacs.dea; print({'sklearn', 'pandas', 'polars'} & set(sys.modules))"
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert printed.stdout.strip() == "set()"


def test_names_of_columns_come_from_frames_and_series_or_are_numbered():
    frame = pl.DataFrame({"staff": [1.0, 2.0], "floor": [3.0, 4.0]})
    table = read_table(frame, frame["staff"], names=pd.Series(["x", "y"]))
    assert table.input_names == ("staff", "floor")
    assert table.output_names == ("staff",)
    assert table.names == ("x", "y")
    table = read_table(None, [[1, 2], [3, 4]])
    assert table.input_names == ("constant",)
    assert table.output_names == ("output_0", "output_1")
    assert table.names is None


@pytest.mark.parametrize("names", [5, pd.DataFrame({"name": ["x", "y"]})])
def test_names_that_are_no_sequence_are_refused(names):
    with pytest.raises(InputError, match=r"names must .* each unit, got (int|DataFrame)"):
        read_table([1, 2], [1, 2], names=names)


@pytest.mark.parametrize("value", [{}, ["input"], np.array(["input", "output"]), None])
def test_options_that_are_not_words_are_refused_like_unknown_words(value):
    for parameter in ("orientation", "returns_to_scale"):
        with pytest.raises(InputError, match=f"{parameter} must be one of "):
            bcc([1, 2], [1, 2], **{parameter: value})


def test_a_number_that_cannot_be_used_is_told_with_the_names_of_unit_and_column():
    inputs = pd.DataFrame({"beds": [3.0, -1.0]})
    with pytest.raises(InputError, match=r"inputs must not be negative, .* 'Mercy', column 'beds'"):
        read_table(inputs, [1.0, 2.0], names=["Hope", "Mercy"])
