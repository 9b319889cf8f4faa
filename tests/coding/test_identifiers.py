"""Columns that name rows, or number them, are warned of at the user's own line."""

import warnings

import numpy as np
import polars as pl
import pytest

from deacs import DEACS, MRMR, encode
from deacs.exceptions import IdentifierWarning

SORTED = np.repeat(["u", "v"], 60)
"""Classes that lie one after the other, as tables often have them."""
ROWS = np.arange(120)


@pytest.mark.parametrize(
    "numbers",
    [ROWS, ROWS + 1, ROWS[::-1], ROWS.astype(np.uint8), ROWS - 50, ROWS + 2**40],
    ids=["from 0", "from 1", "down", "short", "below zero", "large"],
)
def test_row_numbers_of_a_sorted_table_are_warned_of(numbers):
    with pytest.warns(IdentifierWarning, match="'row': the whole numbers of one range"):
        encode(pl.DataFrame({"row": numbers}), SORTED)


def test_the_order_of_rows_does_not_matter():
    order = np.random.default_rng(0).permutation(120)
    with pytest.warns(IdentifierWarning, match="'row'"):
        encode(pl.DataFrame({"row": ROWS[order]}), SORTED[order])


@pytest.mark.parametrize(
    ("numbers", "y"),
    [
        (ROWS, np.tile(["u", "v"], 60)),  # tells nothing, so it is not cut
        (ROWS * 3, SORTED),  # gaps: incomes have them too
        (ROWS.astype(float), SORTED),  # a quantity by its type
        (np.minimum(ROWS, 118), SORTED),  # one value twice
    ],
    ids=["useless", "gaps", "floats", "twice"],
)
def test_other_numbers_are_not_warned_of(numbers, y):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode(pl.DataFrame({"a": numbers}), y)


@pytest.mark.parametrize("selector", [DEACS.published(1), MRMR(1)])
def test_the_warning_points_to_the_line_that_fits(selector):
    names = [f"p{row}" for row in ROWS]
    X = pl.DataFrame({"row": ROWS, "name": names, "a": ROWS % 3})
    with pytest.warns(IdentifierWarning) as caught:
        selector.fit(X, SORTED)
    assert [str(warning.message).partition(":")[0] for warning in caught] == ["'row'", "'name'"]
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], ["so it gives", "like an identifier, so it separates", "says", "drop it before"]),
        (
            ["a", "b"],
            ["so they give", "like identifiers, so they separate", "say", "drop them before"],
        ),
    ],
)
def test_one_column_is_it_and_several_are_they(names, words):
    gives, separates, says, drop = words
    with pytest.warns(IdentifierWarning, match=f"{gives} .* {says} nothing .*; {drop}"):
        encode(pl.DataFrame(dict.fromkeys(names, ROWS)), SORTED)
    texts = [f"p{row}" for row in ROWS]
    with pytest.warns(IdentifierWarning, match=f"{separates} .* {says} nothing .*; {drop}"):
        encode(pl.DataFrame(dict.fromkeys(names, texts)), SORTED)


def test_a_warning_carries_all_its_columns():
    names = [f"n{j}" for j in range(12)]
    X = pl.DataFrame({name: [f"{name} {k}" for k in range(30)] for name in names})
    with pytest.warns(IdentifierWarning, match="'n7' and 4 more") as warned:
        encode(X, np.arange(30) % 2)
    assert warned[0].message.columns == tuple(names)


def test_integers_that_differ_in_a_few_rows_may_be_measured():
    X = pl.DataFrame({"gdp": np.arange(20) ** 3, "name": [f"p{row}" for row in range(20)]})
    with pytest.warns(IdentifierWarning) as caught:
        encode(X, np.tile(["u", "v"], 10))
    of_name, of_gdp = (str(warning.message) for warning in caught)
    assert of_name.startswith("'name': as many values as rows (20), like an identifier")
    assert "if it is measured, name only the other columns in discrete_features" in of_gdp
    assert of_gdp.startswith("'gdp': integers")
    assert caught[1].message.columns == ("gdp",)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what the warning proposes
        encode(X.drop("name"), np.tile(["u", "v"], 10), discrete_features=[])
