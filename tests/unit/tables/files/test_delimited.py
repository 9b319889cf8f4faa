"""CSV, TSV and kin: types, missing markers, delimiters, encodings, errors with their line."""

import csv
import gzip
import io

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from deacs.exceptions import InputError
from deacs.tables.files import read_table


def test_every_column_has_a_type_of_its_own(write):
    table = read_table(write("a,b,c,d\n1,1.5,x,true\n2,2.5,y,false\n"))
    assert table.schema == {"a": pl.Int64, "b": pl.Float64, "c": pl.String, "d": pl.Boolean}


@pytest.mark.parametrize("marker", ["", "?", "NA", "nan", "null"])
def test_missing_markers_do_not_make_numbers_text(write, marker):
    table = read_table(write(f"a,b\n1,x\n{marker},y\n3,z\n"))
    assert table["a"].to_list() == [1, None, 3]


def test_missing_markers_can_be_said(write):
    path = write("a,b\n-999,NA\n3,\n")
    assert read_table(path, missing_markers=["-999"]).rows() == [(None, "NA"), (3, None)]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (" 1|2 ", [1, 2]),
        ("1e5|.5", [1e5, 0.5]),
        ("+4|5.", [4.0, 5.0]),
        ("inf|-Infinity", [float("inf"), float("-inf")]),
    ],
)
def test_numbers_in_any_spelling_are_numbers(write, words, numbers):
    first, second = words.split("|")
    assert read_table(write(f"a,b\n{first},x\n{second},y\n"))["a"].to_list() == numbers


LONG = "1234567890" * 4


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (["9" * 39, "-2", "3"], None),
        ([str(2**63), str(2**63 + 5), "1"], None),
        (["1"] * 300 + [LONG], None),
        (["0" * 45 + "7", "1", "2"], [7, 1, 2]),
        ([LONG, "0.5", "3"], [float(LONG), 0.5, 3.0]),
        (["１２", "３４", "５"], None),
        (["1"] * 300 + ["१"], None),
    ],
    ids=["39 digits", "uint64", "late", "leading zeros", "floats", "full-width", "Devanagari"],
)
@pytest.mark.parametrize("kind", ["csv", "arff"])
def test_integers_beyond_64_bits_and_digits_of_other_scripts_are_text(write, fields, values, kind):
    if kind == "arff" and not fields[-1].isascii():
        pytest.skip("a number in ARFF has Latin digits")
    head = {"csv": "x,y\n", "arff": "@attribute x numeric\n@attribute y {a}\n@data\n"}[kind]
    path = write(head + "".join(f"{field},a\n" for field in fields), f"t.{kind}")
    assert read_table(path)["x"].to_list() == (fields if values is None else values)


def test_codes_with_leading_zeros_stay_what_they_are_when_called_nominal(write):
    path = write("zip,y\n00501,u\n10001,v\n")
    assert read_table(path)["zip"].to_list() == [501, 10001]
    assert read_table(path, nominal=["zip"])["zip"].to_list() == ["00501", "10001"]


def test_gzip_quotes_and_byte_order_mark_are_understood(write):
    content = '\ufeffa,"b, with comma"\n1,"two\nlines"\n'
    plain = read_table(write(content))
    packed = read_table(write(gzip.compress(content.encode()), "table.csv.gz"))
    assert plain.columns == packed.columns == ["a", "b, with comma"]
    assert plain["b, with comma"].to_list() == packed["b, with comma"].to_list() == ["two\nlines"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_every_system(write, end):
    assert read_table(write(f"a,b{end}1,2{end}3,4{end}")).rows() == [(1, 2), (3, 4)]


def test_empty_lines_are_no_rows(write):
    assert read_table(write("a,b\n\n1,x\n\n2,y\n\n\n")).rows() == [(1, "x"), (2, "y")]
    assert read_table(write('a,b\n1,"x\n\nx"\n,\n\n2,y\n')).rows() == [(1, "x\n\nx"), (2, "y")]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found(write, delimiter):
    rows = [["a", "b", "c"], ["1", f"x{delimiter}y", "2,5"], ["2", "z; w|v", "3,5"]]
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    table = read_table(write(text.getvalue()))
    assert table.columns == rows[0]
    assert table["b"].to_list() == [rows[1][1], rows[2][1]]


def test_a_comma_is_preferred_to_the_spaces_in_names_and_text(write):
    table = read_table(write("first name,last name\nAnn Bo,Lee Ray\nCy Di,Roe Fay\n"))
    assert table.columns == ["first name", "last name"]


def test_columns_aligned_by_spaces(write):
    assert read_table(write("  a   bb  \n  1    2\n 10  x \n")).rows() == [(1, "2"), (10, "x")]


def test_decimal_commas_are_numbers_between_semicolons(write):
    table = read_table(write("a;b;c\n1,5;1,5;x\n2;1,5,6;y\n"))
    assert table["a"].to_list() == [1.5, 2.0]
    assert table["b"].to_list() == ["1,5", "1,5,6"]


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        ("1,5|2,25|0,125", [1.5, 2.25, 0.125]),
        ("0,125|1,511|36,500", [0.125, 1.511, 36.5]),
        ("-0,125||+,511", [-0.125, None, 0.511]),
        ("1,511|751|2,5", [1.511, 751.0, 2.5]),
        ("1511,125|2|3", [1511.125, 2.0, 3.0]),
        ("1,511e0|2|NA", [1.511, 2.0, None]),
    ],
)
def test_a_comma_that_cannot_be_thousands_makes_a_column_decimal(write, words, numbers):
    rows = "".join(f"{word};x\n" for word in words.split("|"))
    assert read_table(write(f"a;b\n{rows}"))["a"].to_list() == numbers


@pytest.mark.parametrize(
    "words", ["751|1,511|579", "1,511|2,368|999,999", " -1,511|NA|+751", "0|1e2|1,000"]
)
def test_what_may_be_thousands_is_not_read_as_decimals(write, words):
    rows = "".join(f"{word};0.5\n" for word in words.split("|"))
    table = read_table(write(f"a;b\n{rows}"))
    assert table["a"].to_list() == [None if word == "NA" else word for word in words.split("|")]
    assert table["b"].to_list() == [0.5] * 3


def test_tabs_by_suffix_even_where_commas_would_fit(write):
    assert read_table(write("a,b\n1,2\n", "t.tsv")).columns == ["a,b"]
    assert read_table(write("a\tb,c\n1\t2,3\n", "t.tab")).columns == ["a", "b,c"]


@pytest.mark.parametrize("delimiter", ["tab", "\\t", "\t"])
def test_a_tab_can_be_said_in_words(write, delimiter):
    assert read_table(write("a,b\tc\n1\t2\n"), delimiter=delimiter).columns == ["a,b", "c"]


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "é"])
def test_a_delimiter_is_one_character(write, delimiter):
    with pytest.raises(InputError, match="delimiter must be one ASCII character"):
        read_table(write("a,b\n1,2\n"), delimiter=delimiter)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"]
)
def test_encodings(write, encoding):
    path = write("größe,y\nä,u\nß,v\n".encode(encoding))
    said = encoding if encoding in ("cp1252", "latin-1") else None
    assert read_table(path, encoding=said).to_dict(as_series=False) == {
        "größe": ["ä", "ß"],
        "y": ["u", "v"],
    }


def test_a_letter_that_lies_across_two_pieces_is_read(write, monkeypatch):
    monkeypatch.setattr("deacs.tables.files.source.PIECE", 3)
    assert read_table(write("a,b\nää,ßß\n"))["a"].to_list() == ["ää"]


@pytest.mark.parametrize(
    ("content", "encoding", "message"),
    [
        (b"a,b\n1,x\n2,\xe4\n", None, r"line 3: byte 3 \(0xe4\) is not utf-8: .*encoding='cp1252'"),
        ("a,b\n1,ä\n".encode(), "ascii", r"line 2: byte 3 \(0xc3\) is not ascii: encoding='ascii'"),
        ("a,b\n1,x\n".encode("utf-16-le"), None, "zero bytes.*encoding='utf-16-le'"),
        (b"a,b\n1,2\n", "utf-16", "is not utf-16"),
        (b"a,b\n1,+2AA-\n", "utf-7", "is not utf-7"),
        (b"a,b\n1,2\n", "zlib", "encoding must be a name that Python knows"),
        (b"a,b\n1,2\n", "utf-99", "encoding must be a name that Python knows"),
    ],
)
def test_a_wrong_encoding_is_named_with_the_place(write, content, encoding, message):
    with pytest.raises(InputError, match=message):
        read_table(write(content), encoding=encoding)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "begins with an empty line"),
        ("a,b\n", "has a header but no rows"),
        ("a,b\n1,2\n3\n", "line 3: 1 field, but the header has 2"),
        ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields, but the header has 2"),
        ('a,b\n1,"2\n2"\n3\n', "line 4: 1 field, but the header has 2"),
        ('a,b\n1,2\n3,"x\n4,y\n', "line 3: a quote opens here and never closes"),
        ('a,b\n1,"x"y\n', "line 2: text follows a closing quote"),
        ('a,b\n1,"x"\n2,y"z\n3,"p,q"\n', "line 3: a quote inside a field without quotes"),
        ('a,"b\n1,2\n', "cannot be read as CSV: line 1"),
        ("a,b,a\n1,2,3\n", "unique column names, got 'a' more than once"),
        (b"\x00\x01\x02\xff\xfe\x89PNG", "cannot be read as CSV"),
        (b"PK\x03\x04\x14\x00\x06\x00\x08\xff\xff", "cannot be read as CSV: .*spreadsheet"),
        (b"PAR1\x00\x01", "cannot be read as CSV: .*format='parquet'"),
    ],
)
def test_malformed_files_are_named(write, content, message):
    path = write(content)
    with pytest.raises(InputError, match=message) as error:
        read_table(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "Export of ward 7\n\na,b\n1,2\n",
            "header has 4; if line 1 is a title, remove",
        ),
        ('[{"a": 1}]', "it is JSON; save it as CSV or Parquet"),
        ('{\n "a": 1}', "it is JSON"),
        ("<!DOCTYPE html>\n<html>", "it is a web page or XML"),
    ],
)
def test_what_is_no_table_is_told_with_what_to_do(write, content, message):
    with pytest.raises(InputError, match=message):
        read_table(write(content))


def test_columns_without_a_header_line_are_numbered(write):
    file = write("1.5,x,u\n2.5,x,v\n2.5,?,v\n")
    X, y = read_table(file, target="c3", header=False)
    assert X.columns == ["c1", "c2"]
    assert X.rows() == [(1.5, "x"), (2.5, "x"), (2.5, None)]
    assert y.to_list() == ["u", "v", "v"]
    whole = read_table(write("p;q\n1,5;u\n"), header=False, nominal=["c1"])
    assert whole.rows() == [("p", "q"), ("1,5", "u")]


def test_lines_are_counted_from_the_first_with_and_without_a_header(write):
    for header in (True, False):
        with pytest.raises(InputError, match="line 3: 1 field"):
            read_table(write('1,"2"\n3,4\n5\n'), header=header)


@pytest.mark.parametrize(
    "options", [{"target": "y"}, {"exclude": ["id"]}], ids=["target", "exclude"]
)
def test_a_first_line_of_data_is_suspected_where_a_name_is_not_found(write, options):
    for content in ("5.1,3.5,rose\n4.9,3.0,tulip\n", "5\trose\n4\ttulip\n"):
        message = r"if the first line is data.*header=False and call the columns c1 to c[23]$"
        with pytest.raises(InputError, match=message):
            read_table(write(content), **options)
    with pytest.raises(InputError) as error:
        read_table(write("size,kind\n1,rose\n2,tulip\n"), **options)
    assert "header" not in str(error.value)


def test_a_first_line_of_data_is_suspected_where_names_are_repeated(write):
    with pytest.raises(InputError, match="got '0' more than once; if the first line is data"):
        read_table(write("0,0,u\n1,0,v\n"), target="y")
    with pytest.raises(InputError, match="got 'a' more than once; rename them"):
        read_table(write("a,a,u\n1,0,v\n"))


def test_rows_without_a_class_are_left_out_if_that_is_said(write):
    file = write("a,y\n1,u\n2,\n3,v\n4,?\n")
    with pytest.raises(
        InputError, match=r"got 2 \(the first in data row 2\).*drop_unlabelled=True"
    ):
        read_table(file, target="y")
    X, y = read_table(file, target="y", drop_unlabelled=True)
    assert X["a"].to_list() == [1, 3]
    assert y.to_list() == ["u", "v"]


def test_formats_with_names_of_their_own_take_no_header(write):
    with pytest.raises(InputError, match="header applies to CSV and TSV only"):
        read_table(write("1 1:2\n", "t.libsvm"), header=False)


def test_inches_are_not_quotes(write):
    assert read_table(write('a,b\n1,5" pipe\n2,6"\n'))["b"].to_list() == ['5" pipe', '6"']


def test_a_short_line_with_an_empty_last_field_is_not_ragged(write):
    assert read_table(write("a,b\n1,\n2,x\n"))["b"].to_list() == [None, "x"]


@given(st.text('a1",\n\r ', max_size=20))
@example(",1,")
@example('1",""""')
@pytest.mark.filterwarnings("ignore:.*differ only by the spaces")
def test_rows_are_those_of_the_csv_module(tmp_path_factory, body):
    """The standard library's strict reader is the twin: what it refuses, we refuse."""
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text(f"p,q\n{body}", newline="")
    expected = rows_of_two(body.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        table = read_table(path, delimiter=",", nominal=["p", "q"])
    except InputError as error:
        # Beyond it we refuse quotes inside fields that are not quoted, among fields that are.
        assert not expected or "a quote inside a field without quotes" in str(error)  # noqa: PT017
    else:
        assert [[value or "" for value in row] for row in table.rows()] == expected


WORDS = [
    "",
    "1",
    "-7",
    "2.5",
    "1e5",
    " 3",
    "+4",
    ".5",
    "inf",
    "true",
    "False",
    "x",
]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=2), min_size=1, max_size=8))
def test_types_do_not_depend_on_how_many_rows_were_looked_at_first(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text("p,q\n" + "".join(f"{p},{q}\n" for p, q in rows) + "1,x\n")
    with pytest.MonkeyPatch.context() as patch:
        tables = []
        for first_rows in (1, 10_000):
            patch.setattr("deacs.tables.files.delimited.FIRST_ROWS", first_rows)
            tables.append(read_table(path))
    assert_frame_equal(*tables)


def rows_of_two(body):
    """The rows with something in them; None if one is malformed or has not two fields."""
    try:
        rows = [row for row in csv.reader(io.StringIO(body, newline=""), strict=True) if row]
    except csv.Error:
        return None
    return [row for row in rows if any(row)] if all(len(row) == 2 for row in rows) else None


def test_quotes_in_names_are_those_that_they_stand_for(write):
    path = write('"size ""L""",n\n01,2\n1,3\n')
    assert read_table(path).columns == ['size "L"', "n"]
    assert read_table(path, exclude=['size "L"']).columns == ["n"]
    assert read_table(path, nominal=['size "L"'])['size "L"'].to_list() == ["01", "1"]


def test_an_instruction_to_excel_is_no_header(write):
    with pytest.raises(InputError, match="line 1: sep= is an instruction to Excel"):
        read_table(write("sep=;\na;b\n1;2\n"))


def test_a_decimal_comma_may_begin_or_end_a_number(write):
    assert read_table(write("a;b\n,5;x\n-1,;y\n"))["a"].to_list() == [0.5, -1.0]


def test_an_encoding_must_be_a_name(write):
    with pytest.raises(InputError, match=r"encoding must be a name that Python knows.*got 5"):
        read_table(write("a,b\n1,2\n"), encoding=5)
