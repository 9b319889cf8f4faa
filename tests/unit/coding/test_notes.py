"""Columns that are not what they seem are noted, and warned of at the user's own line."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from deacs import (
    CFS,
    DEACS,
    DEACSCV,
    FCBF,
    JMI,
    MRMR,
    ReliefF,
    SelectorCV,
    StabilitySelection,
    encode,
)
from deacs.exceptions import IdentifierWarning, TableWarning

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
    *caught, leak = caught
    assert str(leak.message).startswith("'row'")
    assert "possible leak" in str(leak.message)
    assert [str(warning.message).partition(":")[0] for warning in caught] == ["'row'", "'name'"]
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (
            ["a"],
            ["so it gives", "like an identifier, so it separates", "says", "leave it out with"],
        ),
        (
            ["a", "b"],
            ["so they give", "like identifiers, so they separate", "say", "leave them out with"],
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


NUMBERS = {
    "plain": [f"{40 + 3 * k}" for k in range(80)],
    "kilos": [f"{k}.5 kg" for k in range(80)],
    "marked": ["-" if k % 9 == 0 else f"{k}.5" for k in range(80)],
    "visit": [f"2024-{1 + k // 20:02}-{1 + k % 20:02}" for k in range(80)],
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_numbers_and_dates_stored_as_text_are_warned_of_once_and_noted(name, frame):
    X = frame({"text": NUMBERS[name], "size": [float(k % 7) for k in range(80)]})
    with pytest.warns(TableWarning, match="'text'") as caught:
        fitted = MRMR(1, include=["size"]).fit(X, [0, 1] * 40)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    [note] = fitted.notes_
    assert (note.kind, note.columns) == ("read as text", ("text",))
    assert str(caught[0].message) == note
    assert "--" not in note


def test_advice_on_a_marker_is_in_the_words_of_python():
    with pytest.warns(
        TableWarning, match="if that stands for a missing value, add it to missing_markers"
    ):
        encode(pl.DataFrame({"text": NUMBERS["marked"]}), [0, 1] * 40)


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"zip": [f"0{k}" for k in range(1000, 1080)]}),
        pl.DataFrame({"code": [f"p{k // 2}" for k in range(80)]}),
        pl.DataFrame({"few": [f"{k % 20}" for k in range(80)]}),
    ],
    ids=lambda X: X.columns[0],
)
def test_codes_and_few_values_are_no_numbers(X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)
        data = encode(X, [0, 1] * 40)
    assert "read as text" not in {note.kind for note in data.notes}


def test_columns_that_the_user_calls_discrete_are_no_numbers_stored_as_text():
    X = pl.DataFrame({"plain": [f"{40 + 3 * (k // 2)}" for k in range(80)]})
    assert encode(X, [0, 1] * 40, discrete_features=["plain"]).notes == ()


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(2),
        CFS(),
        FCBF(),
        DEACS(2),
        ReliefF(2),
        StabilitySelection(MRMR(2), n_resamples=4, random_state=0),
        DEACSCV(MRMR(2), cv=2),
        SelectorCV([MRMR(), JMI()], [2], cv=2),
    ],
    ids=lambda selector: type(selector).__name__,
)
def test_every_selector_notes_a_selected_near_identifier_and_warns_of_it_once(selector):
    """Names of cars: 320 of 400 rows have their own."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 400)
    names = [f"car {k if k < 320 else k - 80}" for k in range(400)]
    X = pd.DataFrame({"Name": names, "weight": rng.normal(size=400) + y})
    with pytest.warns(IdentifierWarning, match="'Name'") as caught:
        selector.fit(X, y)
    assert len(caught) == 1
    if "Name" in selector.selected_names_:
        [note] = [note for note in selector.notes_ if note.kind == "scattered"]
        assert note.columns == ("Name",)
        assert note.endswith("join values, or leave it out with exclude=['Name']")


def test_a_shorter_selection_keeps_no_note_on_what_it_left_out():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = pd.DataFrame({"weight": rng.normal(size=200) + 3 * y, "id": 10 * rng.permutation(200)})
    fitted = MRMR(2).fit(X, y)
    assert [note.kind for note in fitted.notes_] == ["numbered"]
    assert fitted.truncate(1).notes_ == []


def test_columns_of_one_value_are_noted():
    X = pd.DataFrame({"a": [0, 1] * 30, "b": 1, "c": np.nan, "d": ["x"] * 60})
    [note] = MRMR(1).fit(X, [0, 0, 1] * 20).notes_
    assert note == "'b', 'c', 'd': have one value only, or none, and so cannot be informative"
