"""Parquet: the types that the file declares, and only the columns that are wanted."""

import os

import pandas as pd
import polars as pl
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_table

MIXED = pl.DataFrame(
    {
        "text": ["a", None, "b"],
        "category": pl.Series(["x", "y", None], dtype=pl.Categorical),
        "level": pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "high"])),
        "flag": [True, None, False],
        "count": [1, 2, None],
        "size": [1.5, None, 2.5],
    }
)


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "t.parquet"
    MIXED.write_parquet(path)
    return path


def test_declared_types_are_kept(parquet):
    table = read_table(parquet)
    assert table.equals(MIXED)
    assert table.schema == MIXED.schema


def test_excluded_columns_are_not_even_read(parquet, monkeypatch):
    wanted = []
    select = pl.LazyFrame.select
    monkeypatch.setattr(
        pl.LazyFrame, "select", lambda self, names: wanted.append(names) or select(self, names)
    )
    table = read_table(parquet, exclude=["text", "size"])
    assert table.columns == wanted[0] == ["category", "level", "flag", "count"]


def test_categories_of_numbers_that_pandas_noted_stay_nominal(tmp_path):
    frame = pd.DataFrame({"code": pd.Categorical([3, 1, 3]), "n": [3, 1, 3]}, index=list("abc"))
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table.to_dict(as_series=False) == {"code": ["3", "1", "3"], "n": [3, 1, 3]}


def test_a_parquet_file_is_known_by_its_first_bytes(parquet):
    assert read_table(parquet.rename(parquet.with_suffix(".data"))).equals(MIXED)


def test_numbers_can_be_called_nominal(parquet):
    assert read_table(parquet, nominal=["count"])["count"].to_list() == ["1", "2", None]


@pytest.mark.parametrize("parameter", ["exclude", "nominal"])
def test_an_unknown_name_is_an_error_with_the_one_that_was_meant(parquet, parameter):
    with pytest.raises(InputError, match=f"{parameter} names 'cuont', .*did you mean 'count'"):
        read_table(parquet, **{parameter: ["cuont"]})


def test_a_file_that_was_cut_off_anywhere_is_refused(parquet, write):
    content = parquet.read_bytes()
    for end in range(1, len(content), 7):
        path = write(content[:end], "cut.parquet")
        with pytest.raises(InputError, match="cannot be read as Parquet") as error:
            read_table(path)
        assert str(path) in str(error.value)


def test_a_broken_footer_is_refused(parquet, write):
    content = parquet.read_bytes()
    broken = content[:-40] + b"\xff" * 32 + content[-8:]
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_table(write(broken, "broken.parquet"))


def test_a_table_without_rows_is_refused(tmp_path):
    MIXED.clear().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match="has columns but no rows"):
        read_table(tmp_path / "t.parquet")


def test_a_stream_is_refused_with_what_to_do(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="it is a stream, and Parquet must be a file"):
        read_table(pipe, format="parquet")


def test_nominal_columns_that_cannot_be_text_are_refused(tmp_path):
    pl.DataFrame({"l": [[1], [2, 3]]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"nominal must name .*, got 'l' of type List\(Int64\)"):
        read_table(tmp_path / "t.parquet", nominal=["l"])
