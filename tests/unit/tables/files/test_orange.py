"""Headers of Orange: three lines, or prefixes of names."""

import warnings

import polars as pl
import pytest

from deacs import encode, read_table
from deacs.exceptions import InputError

THREE_LINES = (
    "name\tsize\tcolour\tlegs\tkind\n"
    "string\tc\tred blue\td\tdiscrete\n"
    "meta\t\t\ti\tclass\n"
    "7\t1.5\tred\t4\t0\n"
    "8\t2\tblue\t2\t1\n"
)
PREFIXES = "mS#name\tC#size\tD#colour\tiD#legs\tcD#kind\n7\t1.5\tred\t4\t0\n8\t2\tblue\t2\t1\n"


@pytest.mark.parametrize("text", [THREE_LINES, PREFIXES], ids=["three lines", "prefixes"])
@pytest.mark.parametrize(("mark", "name"), [("\t", "t.tab"), (",", "t.csv")])
def test_types_and_roles_are_read_and_told(write, text, mark, name):
    path = write(text.replace("\t", mark), name)
    with pytest.warns(UserWarning, match="header is Orange's; class: 'kind'") as noted:
        table = read_table(path)
    assert "'name', 'legs': not a feature, so leave out with exclude=['name', 'legs']" in str(
        noted[0].message
    )
    assert table.rows() == [("7", 1.5, "red", "4", "0"), ("8", 2.0, "blue", "2", "1")]
    assert table.columns == ["name", "size", "colour", "legs", "kind"]


@pytest.mark.filterwarnings("ignore:the header is Orange's")
def test_what_is_said_of_lines_and_names_holds_in_such_files(write):
    path = write(THREE_LINES + "9\t1\n", "t.tab")
    with pytest.raises(InputError, match="line 6: 2 fields, but the header has 5"):
        read_table(path)
    X, y = read_table(write(THREE_LINES, "u.tab"), target="kind", exclude=["name", "legs"])
    assert X.columns == ["size", "colour"]
    assert y.to_list() == ["0", "1"]


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\nc\td\nclassy\tx\n",  # letters, but no roles below
        "a\tb\nc\td\nc\tc\n",  # letters in every line
        "C#minor\tpiano\nx\ty\n",  # a name
        "a\tb\nred\tblue\n\tclass\n",  # no types
    ],
)
def test_other_tables_keep_their_lines(write, text):
    with warnings.catch_warnings(action="error"):
        table = read_table(write(text, "t.tab"))
    lines = [line.split("\t") for line in text.splitlines()]
    assert table.columns == lines[0]
    assert table.rows() == [tuple(field or None for field in line) for line in lines[1:]]


def test_a_first_line_that_is_data_is_no_header(write):
    assert read_table(write(THREE_LINES, "t.tab"), header=False).height == 5
    assert read_table(write("1\t2\n3\t4\n", "t.tab"), header=False).dtypes == [pl.Int64] * 2


def test_files_larger_than_memory_refuse_such_headers(write, tmp_path):
    with pytest.raises(InputError, match="its header is Orange's"):
        encode([write(THREE_LINES, "t.tab")], "kind", out=tmp_path / "codes")
