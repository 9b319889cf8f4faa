"""Rows that stay where they are: what is refused, noticed and removed."""

import os
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from deacs import DEACS, Significant, encode
from deacs.exceptions import DatabaseError, InputError
from deacs.rows.frames import FrameRows

N = 200
Y = np.arange(N) % 3
FRAME = pl.DataFrame({"a": Y + np.arange(N) % 2, "b": np.arange(N) % 7, "y": Y})


def test_what_needs_rows_says_how_many_bytes_they_are():
    with_rows = DEACS.published("auto", stop=Significant(random_state=0))
    there = encode(FRAME.lazy(), "y", stay=True)
    with pytest.raises(InputError, match=r"their codes are 400 bytes; bring them by .*most_bytes"):
        with_rows.fit(there)
    with pytest.raises(InputError, match="their codes are 400 bytes"):
        DEACS(1, groups=[["a", "b"]]).fit(there)
    assert with_rows.fit(FRAME.lazy(), "y").ranking_.tolist() == [0]


def test_a_large_table_stays_where_it_is():
    assert encode(FRAME.lazy(), "y", most_bytes=2 * N).rows_here.n_rows == N
    stays = encode(FRAME.lazy(), "y", most_bytes=2 * N - 1)
    assert repr(stays) == f"<RowsThere: {N} rows, 2 features, 3 classes>"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z",), r"y names 'z'"),
        (("y", "w"), r"sample_weight names 'w'"),
    ],
)
def test_a_column_that_is_not_there_is_named(arguments, message):
    y, *weight = arguments
    with pytest.raises(InputError, match=message):
        encode(FRAME.lazy(), y, sample_weight=weight[0] if weight else None)


def test_frames_with_other_columns_are_refused():
    with pytest.raises(InputError, match="frame 1 has no column 'b', which frame 0 has"):
        encode([FRAME.lazy(), FRAME.drop("b").lazy()], "y")


def test_rows_that_change_while_they_are_coded_are_noticed(monkeypatch):
    connection = duckdb.connect()
    connection.register("given", FRAME.to_arrow())
    connection.execute("create table visits as select * from given")
    coded = FrameRows.coded

    def meddle(self, stands, keep):
        connection.execute("delete from visits where a = 0")
        return coded(self, stands, keep)

    monkeypatch.setattr(FrameRows, "coded", meddle)
    with pytest.raises(DatabaseError, match="the rows changed while they were coded"):
        encode(connection.table("visits"), "y", stay=True)


def test_nothing_that_was_made_there_remains(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    connection = duckdb.connect()
    connection.register("given", FRAME.to_arrow())
    with_codes = encode(connection.table("given"), "y", stay=True)
    DEACS(2).fit(with_codes)
    assert any("deacs_" in name for (name,) in connection.execute("show tables").fetchall())
    with_codes.close()
    assert connection.execute("show tables").fetchall() == [("given",)]
    on_disk = encode(FRAME.lazy(), "y", stay=True)
    DEACS.published(2).fit(on_disk)
    on_disk.close()
    assert os.listdir(tmp_path) == []


def test_a_file_that_is_gone_is_an_error_that_says_so(tmp_path):
    path = Path(tmp_path / "t.parquet")
    FRAME.write_parquet(path)
    scan = pl.scan_parquet(path)
    path.unlink()
    with pytest.raises((DatabaseError, InputError, FileNotFoundError)):
        encode(scan, "y", stay=True)
