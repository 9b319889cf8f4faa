"""Footers and page headers: those of every writer pass, and damaged counts are refused.

Without this check polars asks for 2**61 bytes, and the process ends.
"""

import io

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_table
from deacs.tables.files.parquet_pages import DamagedParquet, check_pages

N = 10
FRAME = pl.DataFrame(
    {
        "integer": range(N),
        "text": [f"v{k % 3}" for k in range(N)],
        "holes": [None if k % 2 else k * 0.5 for k in range(N)],
        "flag": [k % 3 == 0 for k in range(N)],
        "list": [[k] * (k % 4) for k in range(N)],
        "struct": [{"a": k, "b": [str(k)]} for k in range(N)],
        "nothing": [None] * N,
    }
)
DELTAS = {"integer": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}


def written(table, **options):
    buffer = io.BytesIO()
    if isinstance(table, pl.DataFrame):
        table.write_parquet(buffer, **options)
    else:
        pq.write_table(table, buffer, **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        written(FRAME),
        written(FRAME, compression="uncompressed", data_page_size=1, row_group_size=3),
        written(FRAME.clear()),
        written(FRAME.with_columns(pl.col("text").cast(pl.Categorical))),
        written(FRAME.to_arrow(), data_page_version="2.0"),
        written(FRAME.to_arrow(), use_dictionary=False, compression="none"),
        written(FRAME.to_arrow(), write_page_index=True, row_group_size=4),
        written(FRAME.select(*DELTAS).to_arrow(), use_dictionary=False, column_encoding=DELTAS),
        written(pa.table({f"c{j}": np.arange(2000) for j in range(300)}), data_page_size=100),
        written(pa.table({"long": ["x" * 5000, "y" * 9000]}), compression="none"),
    ],
)
def test_what_writers_write_passes(content, write):
    check_pages(content)
    table = read_table(write(content, "t.parquet")) if b"long" in content else None
    assert table is None or table.height == 2


ONE = written(
    pa.table({"x": np.arange(N)}), use_dictionary=False, compression="none", write_statistics=False
)
PAGE = b"\x2c\x15\x14"
"""In a page header: a structure whose first field, the number of values, is zigzag(10) = 20."""


def damaged(old, new, content=ONE):
    assert content.count(old) == 1
    return content.replace(old, new)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(b"\x13", "a number of values is -10"), (b"\x16", "announces 11 values, .* 10 at most")],
)
def test_a_page_with_a_wrong_number_of_values_is_refused(number, reason, write):
    content = damaged(PAGE, PAGE[:2] + number)
    with pytest.raises(InputError, match=f"t.parquet cannot be read .* it is damaged: .*{reason}"):
        read_table(write(content, "t.parquet"))


def test_sizes_that_do_not_fit_are_refused():
    at = ONE.index(PAGE)
    sizes = ONE[4:at]
    assert sizes[:3] == b"\x15\x00\x15"  # a data page; then twice its size, two bytes each
    assert sizes[3:5] == sizes[6:8]
    for place in (3, 6):
        larger = sizes[:place] + bytes([sizes[place] | 0x7E, 0x7F]) + sizes[place + 2 :]
        with pytest.raises(DamagedParquet, match="a page of column 'x' is larger"):
            check_pages(ONE[:4] + larger + ONE[at:])


def test_a_footer_that_announces_more_than_it_holds_is_refused():
    length = int.from_bytes(ONE[-8:-4], "little")
    footer = ONE[-8 - length : -8]
    # Version, then the schema: a list of two structures.
    assert footer[2:4] == b"\x19\x2c"
    for announced in (b"\x19\xfc\xff\xff\xff\xff\x0f", b"\x19\x3c", b"\x19\x1c", b"\x19\x2f"):
        broken = footer[:2] + announced + footer[4:]
        content = ONE[: -8 - length] + broken + len(broken).to_bytes(4, "little") + b"PAR1"
        with pytest.raises(DamagedParquet):
            check_pages(content)


def test_every_single_bit_of_the_footer_may_flip():
    length = int.from_bytes(ONE[-8:-4], "little")
    for bit in range(8 * length):
        content = bytearray(ONE)
        content[len(ONE) - 8 - length + bit // 8] ^= 1 << bit % 8
        try:
            check_pages(bytes(content))
        except DamagedParquet:
            continue
        try:
            assert pl.read_parquet(bytes(content)).height <= N
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            continue
