"""Dates in CSV and TSV: which forms are dates, and what is said of them."""

import warnings
from datetime import UTC, date, datetime

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from deacs import DEACS, encode, read_table

NOVEMBER = date(2007, 11, 25)


@pytest.mark.parametrize(
    "words",
    [
        "2007-11-25|2007-1-5",
        "2007/11/25|2007/01/05",
        "2007.11.25|2007.01.05",
        "25/11/2007|5/1/2007",
        "11/25/2007|1/5/2007",
        "25.11.07|05.01.07",
        "25 Nov 2007|5 January 2007",
        "25-Nov-2007|05-Jan-2007",
        "November 25, 2007|Jan 5, 2007",
        " 2007-11-25|2007-01-05 ",
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_dates_of_common_forms_are_dates_and_a_note_says_so(write, words, suffix):
    mark = {"csv": ";", "tsv": "\t"}[suffix]
    rows = "".join(f"{word}{mark}x\n" for word in ["", *words.split("|")])
    with pytest.warns(UserWarning, match="'day': read as dates, which count as numbers") as noted:
        table = read_table(write(f"day{mark}y\n{rows}", f"t.{suffix}"))
    assert table["day"].to_list() == [None, NOVEMBER, date(2007, 1, 5)]
    assert noted[0].message.args[0].columns == ("day",)


@pytest.mark.parametrize(
    ("word", "moment"),
    [
        ("2007-11-25T14:30", datetime(2007, 11, 25, 14, 30)),
        ("2007-11-25 14:30:05.25", datetime(2007, 11, 25, 14, 30, 5, 250_000)),
        ("2007-11-25T14:30:05Z", datetime(2007, 11, 25, 14, 30, 5, tzinfo=UTC)),
        ("2007-11-25T14:30:05+02:00", datetime(2007, 11, 25, 12, 30, 5, tzinfo=UTC)),
        ("2007-11-25 14:30:05 -0130", datetime(2007, 11, 25, 16, 0, 5, tzinfo=UTC)),
        ("11/25/2007 02:30 PM", datetime(2007, 11, 25, 14, 30)),
        ("11/25/2007 2:30:00pm", datetime(2007, 11, 25, 14, 30)),
    ],
)
@pytest.mark.filterwarnings("ignore:'t'. read as dates")
def test_times_keep_their_hour_and_are_utc_where_a_zone_is_written(write, word, moment):
    assert read_table(write(f"t,y\n{word},a\n{word},b\n"))["t"].to_list() == [moment] * 2


@pytest.mark.parametrize(
    "words", ["11/10/07|9/10/07", "11/10/2007|9/10/2007", "25-11-07|20-10-07", "05-11-07|05-10-07"]
)
def test_dates_of_several_readings_stay_text_and_a_note_says_how_to_write_them(write, words):
    path = write("day,y\n" + "".join(f"{word},a\n" for word in words.split("|")))
    with pytest.warns(UserWarning, match=r"'day': dates such as .* write them as year-month-day"):
        assert read_table(path)["day"].to_list() == words.split("|")


def test_day_and_month_that_are_equal_in_every_row_have_one_reading(write):
    with pytest.warns(UserWarning, match="read as dates"):
        days = read_table(write("day,y\n11/11/2007,a\n10/10/2007,b\n"))["day"]
    assert days.to_list() == [date(2007, 11, 11), date(2007, 10, 10)]


@pytest.mark.parametrize(
    "words",
    [
        "2007-11-25|soon",  # one value is not a date
        "2007-02-28|2007-02-30",  # no such day
        "25/11/2007|11/25/2007",  # no one order
        "2007-11-25|07-11-25",  # two forms
        "25.11.07|25.11.45",  # 1945 or 2045
        "2007-08|2008-09",  # months, or seasons from one year to the next
        "12:30|13:30",  # a time of day, or a duration
        "1.2.3|1.2.4",  # versions
        "030-12-34|030-13-35",  # telephones
        "192.168.0.1|192.168.0.2",
    ],
)
def test_everything_else_stays_text_in_silence(write, words):
    with warnings.catch_warnings(action="error"):
        table = read_table(write("a,y\n" + "".join(f"{word},x\n" for word in words.split("|"))))
    assert table["a"].to_list() == words.split("|")


def test_numbers_and_codes_with_leading_zeros_stay_numbers(write):
    assert read_table(write("a,b\n20071125,007\n20071126,008\n")).dtypes == [pl.Int64, pl.Int64]


def test_nominal_columns_keep_their_text_and_excluded_ones_are_not_named(write):
    path = write("day,y\n2007-11-25,a\n2007-11-26,b\n")
    with warnings.catch_warnings(action="error"):
        assert read_table(path, nominal=["day"])["day"].dtype == pl.String
        assert read_table(path, exclude=["day"]).columns == ["y"]


@pytest.mark.filterwarnings("ignore:'day'. read as dates")
def test_dates_of_csv_select_as_those_of_parquet(tmp_path):
    rows = range(120)
    days = pl.Series("day", [date(2007, 1 + k % 12, 1 + k % 28) for k in rows])
    table = pl.DataFrame([days, pl.Series("x", [float(k * 7 % 31) for k in rows])])
    y = ["late" if day.month > 6 else "early" for day in days]
    table.write_csv(tmp_path / "t.csv")
    table.write_parquet(tmp_path / "t.parquet")
    text, typed = read_table(tmp_path / "t.csv"), read_table(tmp_path / "t.parquet")
    assert_frame_equal(text, typed)
    assert encode(text, y).features[0].kind == "continuous"
    assert DEACS(1).fit(text, y).selected_names_ == ["day"]
