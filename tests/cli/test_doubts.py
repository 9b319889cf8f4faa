"""Tables that are read without complaint and are not what they seem: the notes say so."""

import shlex
import warnings

import polars as pl
import pytest

from deacs import encode
from deacs.cli.doubts import doubts
from deacs.cli.wording import as_option, listed
from deacs.exceptions import IdentifierWarning

ROWS = range(60)
Y = ["uvw"[k // 20] for k in ROWS]


def told(columns, selected, y=Y, **options):
    X = pl.DataFrame(columns)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)  # the coding says these itself
        data = encode(X, y)
    return doubts(X, data, "y", selected, **options)


def test_row_numbers_that_were_selected_are_told():
    columns = {"": ROWS, "size": [float(k % 7) for k in ROWS]}
    [note] = told(columns, [""])
    assert note.endswith("leave it out with --exclude ''")
    assert told(columns, ["size"]) == []


def test_quantities_that_differ_in_every_row_are_no_row_numbers():
    assert told({"size": [k + 0.5 for k in ROWS]}, ["size"]) == []


@pytest.mark.parametrize(
    ("texts", "advice"),
    [
        (["-" if k % 9 == 0 else f"{k}.5" for k in ROWS], "--missing-marker -"),
        (["n. a." if k % 9 == 0 else f"{k}.5" for k in ROWS], "--missing-marker 'n. a.'"),
        ([f"{max(k, 9)}.5 %" for k in ROWS], "such as '9.5 %'"),
        ([f"$ {max(k, 9)},000" for k in ROWS], "such as '$ 9,000'"),
        ([f"{k},000" if k > 40 else str(k) for k in ROWS], ",000'; write plain numbers"),
    ],
)
def test_numbers_that_were_read_as_text_are_told(texts, advice):
    [note] = told({"size": texts}, [])
    assert "'size'" in note
    assert advice in note


def test_columns_with_the_same_marker_are_told_together():
    texts = ["-" if k % 9 == 0 else f"{k}.5" for k in ROWS]
    [note] = told({"a": texts, "b": texts}, [])
    assert note.startswith("'a', 'b' would be numbers, but for '-'")


def test_declared_categories_and_few_values_are_not_told():
    texts = ["-" if k % 9 == 0 else f"{k}.5" for k in ROWS]
    assert told({"size": texts}, [], declared=["size"]) == []
    assert told({"size": [f"{k % 20} %" for k in ROWS]}, []) == []


def test_categories_of_a_row_or_two_are_told():
    columns = {"remark": [f"remark {k // 2 + 5 * (k % 2)} of" for k in ROWS]}
    [note] = told(columns, ["remark"])
    assert "fewer than 5 rows for each" in note


def test_a_target_with_many_values_may_be_a_quantity():
    [note] = told({"a": [k % 2 for k in ROWS]}, ["a"], y=[k // 1 % 40 for k in ROWS])
    assert "--target y has 40 classes in 60 rows" in note
    assert "cut it into a few classes" in note


@pytest.mark.parametrize("names", [["a"], ["a b", "c,d"], ['say "x"', "it's"], [""]])
def test_advice_can_be_typed_as_it_stands(names):
    assert listed(shlex.split(as_option(names)) or [""]) == names
