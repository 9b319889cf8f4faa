"""CSV files: types, missing markers, and errors that name the file and the line."""

import gzip

import polars as pl
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_csv


def write(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_every_column_has_a_type_of_its_own(tmp_path):
    table = read_csv(write(tmp_path, "a,b,c,d\n1,1.5,x,true\n2,2.5,y,false\n"))
    assert table.schema == {"a": pl.Int64, "b": pl.Float64, "c": pl.String, "d": pl.Boolean}


@pytest.mark.parametrize("marker", ["", "?", "NA", "nan", "null"])
def test_missing_markers_do_not_make_numbers_text(tmp_path, marker):
    table = read_csv(write(tmp_path, f"a,b\n1,x\n{marker},y\n3,z\n"))
    assert table["a"].to_list() == [1, None, 3]


def test_gzip_quotes_and_byte_order_mark_are_understood(tmp_path):
    content = '\ufeffa,"b, with comma"\n1,"two\nlines"\n'
    plain = read_csv(write(tmp_path, content))
    packed = read_csv(write(tmp_path, gzip.compress(content.encode()), "table.csv.gz"))
    assert plain.columns == packed.columns == ["a", "b, with comma"]
    assert plain["b, with comma"].to_list() == packed["b, with comma"].to_list() == ["two\nlines"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "begins with an empty line"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 fields, but the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields, but the header has 2"),
        ("a,b,a\n1,2,3\n", "unique column names, got 'a' more than once"),
        (b"a,b\n1,\xff\xfe\n", "cannot be read as CSV"),
        (b"\x00\x01\x02\xff\xfe\x89PNG", "cannot be read as CSV"),
        (b"PK\x03\x04\x14\x00\x06\x00\x08\xff\xff", "cannot be read as CSV"),
    ],
)
def test_malformed_files_are_named(tmp_path, content, message):
    path = write(tmp_path, content)
    with pytest.raises(InputError, match=message) as error:
        read_csv(path)
    assert str(path) in str(error.value)


def test_a_short_line_with_an_empty_last_field_is_not_ragged(tmp_path):
    assert read_csv(write(tmp_path, "a,b\n1,\n2,x\n"))["b"].to_list() == [None, "x"]


def test_a_missing_file_suggests_what_is_there(tmp_path):
    write(tmp_path, "a\n1\n", "wine.csv")
    with pytest.raises(InputError, match=r"vine\.csv does not exist; there are wine\.csv"):
        read_csv(tmp_path / "vine.csv")


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_csv(tmp_path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.99])
def test_a_truncated_archive_is_refused_and_never_a_shorter_table(tmp_path, share):
    rows = "".join(f"{k * 7919 % 10007},{k * 104729 % 10009}\n" for k in range(3000))
    packed = gzip.compress(b"a,b\n" + rows.encode())
    cut = packed[: int(len(packed) * share)]
    with pytest.raises(InputError, match="cannot be read as CSV"):
        read_csv(write(tmp_path, cut, "table.csv.gz"))


def test_a_corrupt_archive_is_refused(tmp_path):
    packed = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 2000))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(InputError, match="cannot be read as CSV"):
        read_csv(write(tmp_path, bytes(packed), "table.csv.gz"))
