"""Dates, times and spans: seconds, from every library that has them."""

from datetime import UTC, date, datetime, time, timedelta, timezone

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from deacs import DEACS, encode
from deacs.exceptions import InputError
from deacs.tables import read_columns, read_labels

MOMENTS = [datetime(1970, 1, 1, 0, 0, 1), None, datetime(1969, 12, 31, 12), datetime(2024, 2, 29)]
SECONDS = [1.0, None, -43200.0, 1709164800.0]
DAYS = [date(1970, 1, 2), None, date(1969, 12, 31)]
SPANS = [timedelta(hours=1), None, timedelta(seconds=-1.5)]

TABLES = {
    "polars": (pl.DataFrame({"t": MOMENTS}), SECONDS),
    "polars, ns": (pl.DataFrame({"t": MOMENTS}, {"t": pl.Datetime("ns")}), SECONDS),
    "polars, zone": (
        pl.DataFrame({"t": MOMENTS}).with_columns(
            pl.col("t").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
        ),
        SECONDS,
    ),
    "polars, date": (pl.DataFrame({"t": DAYS}), [86400.0, None, -86400.0]),
    "polars, span": (pl.DataFrame({"t": SPANS}), [3600.0, None, -1.5]),
    "polars, time": (pl.DataFrame({"t": [time(0, 1), None, time(1)]}), [60.0, None, 3600.0]),
    "pandas": (pd.DataFrame({"t": MOMENTS}), SECONDS),
    "pandas, zone": (pd.DataFrame({"t": pd.Series(MOMENTS).dt.tz_localize("UTC")}), SECONDS),
    "pandas, span": (pd.DataFrame({"t": SPANS}), [3600.0, None, -1.5]),
    "pandas, objects": (
        pd.DataFrame({"t": pd.Series(DAYS, dtype=object)}),
        [86400.0, None, -86400.0],
    ),
    "arrow": (pa.table({"t": MOMENTS}), SECONDS),
    "arrow, date": (pa.table({"t": DAYS}), [86400.0, None, -86400.0]),
    "arrow, time": (pa.table({"t": [time(0, 1), None, time(1)]}), [60.0, None, 3600.0]),
    "arrow, time in seconds": (
        pa.table({"t": pa.array([60, None, 3600], pa.time32("s"))}),
        [60.0, None, 3600.0],
    ),
    "objects, time": (
        np.array([time(0, 1, tzinfo=UTC), None, time(1)], dtype=object).reshape(-1, 1),
        [60.0, None, 3600.0],
    ),
    "arrow, span": (pa.table({"t": SPANS}), [3600.0, None, -1.5]),
    "numpy": (np.array(MOMENTS, dtype="M8[us]").reshape(-1, 1), SECONDS),
    "numpy, days": (np.array(DAYS, dtype="M8[D]").reshape(-1, 1), [86400.0, None, -86400.0]),
    "numpy, span": (np.array(SPANS, dtype="m8[ms]").reshape(-1, 1), [3600.0, None, -1.5]),
    "objects": (np.array(MOMENTS, dtype=object).reshape(-1, 1), SECONDS),
    "objects, zone": (
        np.array(
            [
                datetime(1970, 1, 1, 9, tzinfo=timezone(timedelta(hours=9))),
                datetime(1970, 1, 1, 0, 1, tzinfo=UTC),
            ],
            dtype=object,
        ).reshape(-1, 1),
        [0.0, 60.0],
    ),
    "objects, span": (np.array(SPANS, dtype=object).reshape(-1, 1), [3600.0, None, -1.5]),
}


@pytest.mark.parametrize("kind", TABLES)
def test_times_are_seconds(kind):
    table, expected = TABLES[kind]
    [column] = read_columns(table).columns
    missing = np.zeros(len(expected), dtype=bool) if column.missing is None else column.missing
    found = [None if m else v for v, m in zip(column.values.tolist(), missing, strict=True)]
    assert column.kind == "float"
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_date_that_parts_the_classes_is_selected(library):
    rng = np.random.default_rng(0)
    begin = np.datetime64("2024-01-01", "us")
    days = begin + (rng.permutation(200) * 3_600_000_000).astype("m8[us]")
    y = (days > np.datetime64("2024-01-05")).astype(int)
    X = library({"noise": rng.standard_normal(200), "day": days})
    assert DEACS(1).fit(X, y).get_support().tolist() == [False, True]


def test_all_columns_that_cannot_be_used_are_named_at_once():
    X = pl.DataFrame({"a": [[1], [2]], "b": [1, 2], "c": [b"x", b"y"], "d": [{"e": 1}, {"e": 2}]})
    with pytest.raises(
        InputError, match=r"'a' has type List.*; 'c', 'd' cannot be used either"
    ) as e:
        encode(X, [0, 1])
    assert e.value.columns == ("a", "c", "d")


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_nanoseconds_of_durations_count(library):
    X = library({"t": np.array([100, 350], dtype="m8[ns]")})
    assert read_columns(X).columns[0].values == pytest.approx([1e-7, 3.5e-7])


def test_durations_of_numpy_as_objects_have_their_own_units():
    spans = [np.timedelta64(3, "s"), np.timedelta64(5, "m"), None]
    [column] = read_columns(np.array(spans, dtype=object).reshape(-1, 1)).columns
    assert column.values[:2].tolist() == [3.0, 300.0]
    assert column.missing.tolist() == [False, False, True]


NOW = np.datetime64("2026-11-18T12:00:00.123456789")
INSTANTS = np.array([NOW, NOW + np.timedelta64(400, "ns"), np.datetime64("1969-12-31T23:59:59.7")])


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"t": INSTANTS}),
        pd.DataFrame({"t": pd.Series(INSTANTS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")}),
        pd.DataFrame({"t": pd.Series(INSTANTS).astype(object)}),
        pd.DataFrame({"t": pd.Series(INSTANTS).astype("timestamp[ns][pyarrow]")}),
        pl.DataFrame({"t": INSTANTS}),
        pa.table({"t": INSTANTS}),
        pa.table({"t": pa.array(INSTANTS).cast(pa.timestamp("ns", "UTC"))}),
        np.array(list(INSTANTS), dtype=object).reshape(-1, 1),
    ],
    ids=["pandas", "zone", "objects", "pandas' arrow", "polars", "arrow", "arrow, zone", "numpy"],
)
def test_nanoseconds_are_the_same_in_every_container(table):
    [expected] = read_columns(INSTANTS.reshape(-1, 1)).columns
    [column] = read_columns(table).columns
    np.testing.assert_array_equal(column.values, expected.values)
    assert column.values[1] - column.values[0] == pytest.approx(4e-7, abs=1.2e-7)
    assert column.values[2] == -0.3


@pytest.mark.parametrize("unit", ["us", "ns", "ps", "fs", "as"])
@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_the_unit_of_a_time_does_not_change_it(kind, unit):
    times = np.array([1_234_567, -3, 0], dtype=f"{kind}[us]").reshape(-1, 1)
    [column] = read_columns(times.astype(f"{kind}[{unit}]")).columns
    assert column.values.tolist() == [1.234567, -3e-6, 0.0]


@pytest.mark.parametrize("unit", ["M", "Y"])
def test_months_and_years_are_days_as_dates_and_refused_as_durations(unit):
    dates = np.array([0, 1, "NaT"], dtype=f"M8[{unit}]").reshape(-1, 1)
    [column] = read_columns(dates).columns
    assert column.values[:2].tolist() == [0.0, 86400.0 * {"M": 31, "Y": 365}[unit]]
    spans = np.array([1, 2], dtype=f"m8[{unit}]").reshape(-1, 1)
    for table in (spans, np.array(list(spans[:, 0]), dtype=object).reshape(-1, 1)):
        with pytest.raises(InputError, match=r"'x0' .*months and years differ in length"):
            read_columns(table)
    mixed = np.array([spans[0, 0], np.timedelta64(1, "D")], dtype=object).reshape(-1, 1)
    with pytest.raises(
        InputError, match=r"'x0' has values that cannot be converted \(times in units"
    ):
        read_columns(mixed)
    with pytest.raises(InputError, match="months and years differ"):
        read_labels(spans[:, 0], 2, "numbers")
