"""Numbers as a target: which targets are, what is refused, and where thresholds lie."""

import warnings
from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes

from deacs.exceptions import InputError
from deacs.tables import read_labels
from tests.naive.numbers import naive_thresholds


@given(st.lists(st.integers(-3, 9), min_size=2, max_size=60).filter(lambda y: len(set(y)) > 1))
def test_thresholds_part_the_rows_most_evenly(y):
    labels = read_labels(np.array(y), len(y), "numbers")
    thresholds = naive_thresholds(y)
    assert labels.target.names.tolist() == [f"<= {value}" for value in thresholds]
    expected = [[value <= threshold for threshold in thresholds] for value in y]
    assert labels.target.indicators(labels.codes).tolist() == expected
    assert labels.values_of(np.arange(len(y))).tolist() == y


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=2, max_size=40).filter(
        lambda rows: len({value for value, count in rows if count}) > 1
    )
)
def test_a_row_of_weight_w_counts_as_w_rows(rows):
    y, counts = map(np.array, zip(*rows, strict=True))
    weighted = read_labels(y, len(y), "numbers", counts)
    repeated = read_labels(y.repeat(counts), counts.sum(), "numbers")
    assert weighted.target.names.tolist() == repeated.target.names.tolist()
    assert weighted.codes.repeat(counts).tolist() == repeated.codes.tolist()


def test_the_order_of_rows_and_units_do_not_matter():
    y = load_diabetes().target
    labels = read_labels(y, len(y), "numbers")
    rows = np.random.default_rng(0).permutation(len(y))
    assert read_labels(y[rows], len(y), "numbers").codes.tolist() == labels.codes[rows].tolist()
    assert read_labels(y * 2.0**40, len(y), "numbers").codes.tolist() == labels.codes.tolist()


def test_many_zeros_are_one_interval():
    y = np.concatenate([np.zeros(600), np.arange(1, 401) / 8])
    labels = read_labels(y, len(y))
    assert labels.target.names[0] == "<= 0"
    assert np.bincount(labels.codes).tolist()[0] == 600
    assert len(labels.target.names) == 3  # three of the five would be 0


def test_integers_that_floats_cannot_tell_apart_stay_apart():
    y = [2**60, 2**60 + 1, 2**60 + 2]
    labels = read_labels(y, 3, "numbers")
    assert labels.target.names.tolist() == [f"<= {2**60}", f"<= {2**60 + 1}"]
    assert labels.codes.tolist() == [0, 1, 2]


def test_thresholds_have_as_many_digits_as_it_takes():
    y = 1.0 + np.arange(6) * 1e-9
    names = read_labels(y, 6, "numbers").target.names.tolist()
    assert len(set(names)) == 5


@pytest.mark.parametrize(
    "y",
    [
        [1.5, 2.5, 3.5],
        pl.Series([1.5, 2.0, 3.0]),
        pd.array([1.5, 2.0, 3.0], dtype="Float64"),
        np.array([1.5, 2, 3], dtype=np.float16),
        [Decimal("1.5"), Decimal(2), Decimal(3)],
        [Fraction(3, 2), Fraction(2), Fraction(3)],
    ],
    ids=lambda y: type(y).__name__,
)
def test_fractions_are_numbers(y):
    labels = read_labels(y, 3)
    assert labels.target.kind == "numbers"
    assert labels.numbers.tolist()[0] == 1.5


@pytest.mark.parametrize("y", [[Decimal("1.5"), Decimal(2)], [Fraction(1, 2), 2]])
def test_exact_fractions_of_python_are_numbers_where_asked_for(y):
    assert read_labels(y, 2, "numbers").numbers.tolist() == [float(value) for value in y]


@pytest.mark.parametrize("read", [np.int64, np.float64])
def test_whole_numbers_of_which_most_are_rare_are_a_quantity_with_a_note(read):
    y = read(load_diabetes().target)
    said = "214 different whole numbers in 442 rows.*target='numbers' .*target='classes'"
    with pytest.warns(UserWarning, match=said) as warned:
        assert read_labels(y, len(y)).target.kind == "numbers"
    assert warned[0].filename == __file__


AGES = load_diabetes(scaled=False).data[:, 0].astype(int)
INTEGERS = {
    "58 ages of 442 patients": (AGES, "numbers"),
    "ages of Carseats, 25 to 80 in 400 rows": (np.arange(400) % 56 + 25, "numbers"),
    "ages of Wage, 18 to 80 in 3,000 rows": (np.arange(3000) % 61 + 18, "numbers"),
    "40 persons, ten pictures each": (np.repeat(np.arange(40), 10), "classes"),
    "40 persons, eight pictures each": (np.repeat(np.arange(40), 8), "classes"),
    "102 flowers from 1 on, 40 to 258 pictures": (
        np.repeat(np.arange(1, 103), np.linspace(40, 258, 102).astype(int)),
        "classes",
    ),
    "25 wards, not numbered one by one": (np.repeat(10 * np.arange(25), 20), "classes"),
    "31 grades in 400 rows": (np.arange(400) % 31 + 5, "classes"),
}


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.filterwarnings("ignore:y has .* different whole numbers")
def test_more_than_32_whole_numbers_are_a_quantity_unless_they_number_classes(name):
    y, kind = INTEGERS[name]
    assert read_labels(y, len(y)).target.kind == kind


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("58 ages of 442 patients", "are taken for a quantity"),
        ("40 persons, eight pictures each", "each is taken for a class"),
        ("25 wards, not numbered one by one", "each is taken for a class"),
    ],
)
def test_what_many_whole_numbers_are_taken_for_is_said(name, taken):
    y, _ = INTEGERS[name]
    with pytest.warns(UserWarning, match=f"different whole numbers in {len(y)} rows, .*{taken}"):
        read_labels(y, len(y))


@pytest.mark.parametrize("y", [np.arange(30), np.repeat(10 * np.arange(40), 20)])
@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_who_says_what_the_target_is_is_not_warned(y, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_labels(y, len(y), kind).target.kind == kind


@pytest.mark.parametrize(
    ("y", "complaint"),
    [
        ([2.5, 2.5, 2.5], "at least two different numbers, got 2.5 in all 3 rows"),
        ([1.5, np.nan, 2.0], r"missing or infinite values, got 1 \(the first in row 1: nan\)"),
        ([1.5, 2.0, -np.inf], r"missing or infinite values, got 1 \(the first in row 2: -inf\)"),
        ([1.5, None, 2.0], r"missing or infinite values, got 1 \(the first in row 1: "),
        (["1.5", "2", "3"], "must hold numbers, got '1.5'"),
        ([1.5, "2", 3], "must hold numbers, got '2'"),
        ([1.5, 10**400, 3], "has values that cannot be converted"),
        (np.array([1j, 2, 3]), "must hold numbers"),
        ([1.5, 2.5], "equal lengths, got 3 rows in X and 2 in y"),
        ([[1.5, 2.5]] * 3, "must be one column|by 0 and 1"),
    ],
)
def test_numbers_that_cannot_be_used_are_named(y, complaint):
    with pytest.raises(InputError, match=complaint):
        read_labels(y, 3, "numbers")


def test_one_row_is_not_enough():
    with pytest.raises(InputError, match="at least two different numbers, got 1 sample"):
        read_labels([1.5], 1)


def test_classes_that_are_fractions_are_refused():
    with pytest.raises(InputError, match=r"Unknown label type.*such as 1\.5; use target='numbers'"):
        read_labels([1.5, 2.5, 2.5], 3, "classes")


def test_dates_of_python_are_numbers_where_asked_for():
    labels = read_labels([date(1970, 1, 2), date(1970, 1, 3)], 2, "numbers")
    assert labels.numbers.tolist() == [86400.0, 172800.0]
