"""`read_table`: which reader reads, what comes back, what is refused before reading."""

import subprocess
import sys

import polars as pl
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_csv, read_table

CSV = "a,b,y\n1,x,u\n2,z,v\n"
ARFF = "% note\n@RELATION r\n@attribute a real\n@data\n1\n"


@pytest.mark.parametrize(
    ("name", "content", "columns"),
    [
        ("t.csv", CSV, ["a", "b", "y"]),
        ("T.CSV", CSV, ["a", "b", "y"]),
        ("t", CSV, ["a", "b", "y"]),
        ("t.data", CSV, ["a", "b", "y"]),
        ("t.2024.csv", CSV, ["a", "b", "y"]),
        ("t.tsv", "a\tb\n1\t2\n", ["a", "b"]),
        ("t.arff", ARFF, ["a"]),
        ("t.txt", ARFF, ["a"]),
        ("t.svm", "1 1:1\n", ["f1", "label"]),
    ],
)
def test_the_suffix_or_the_beginning_tells_the_format(write, name, content, columns):
    assert read_table(write(content, name)).columns == columns
    assert read_table(str(write(content, name))).columns == columns


def test_the_format_can_be_said(write):
    assert read_table(write("1 1:1\n", "t.csv"), format="libsvm").columns == ["f1", "label"]
    assert read_table(write(ARFF, "t.csv"), format="arff").columns == ["a"]
    with pytest.raises(InputError, match=r"format must be one of 'csv', .*, got 'xls'"):
        read_table(write(CSV), format="xls")


def test_with_a_target_columns_and_classes_come_apart(write):
    X, y = read_table(write(CSV), target="y")
    assert X.columns == ["a", "b"]
    assert y.to_list() == ["u", "v"]


def test_excluded_columns_are_left_out_but_never_the_target(write):
    X, y = read_table(write(CSV), target="y", exclude=["a", "y"])
    assert X.columns == ["b"]
    assert y.name == "y"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "z"}, "target names 'z', which is not a column; the columns are 'a', 'b', 'y'"),
        ({"target": "Y"}, "target names 'Y', .*did you mean 'y'"),
        ({"exclude": ["A"]}, "exclude names 'A', .*did you mean 'a'"),
        ({"nominal": ["A"]}, "nominal names 'A', .*did you mean 'a'"),
        ({"exclude": "ab"}, r"exclude must be a list of names, got 'ab'; pass \['ab'\]"),
        ({"exclude": [0]}, "exclude must hold names of columns, got 0"),
        ({"encoding": "nope"}, "encoding must be a name that Python knows"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_is_accepted(write, arguments, message):
    with pytest.raises(InputError, match=message):
        read_table(write(CSV), **arguments)


@pytest.mark.parametrize(
    ("name", "content", "arguments"),
    [
        ("t.arff", ARFF, {"delimiter": ";"}),
        ("t.arff", ARFF, {"missing_markers": ["x"]}),
        ("t.libsvm", "1 1:1\n", {"encoding": "utf-8"}),
        ("t.tsv", "a\tb\n1\t2\n", {"delimiter": ","}),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(write, name, content, arguments):
    with pytest.raises(InputError, match=r"applies to CSV.* only"):
        read_table(write(content, name), **arguments)


def test_missing_classes_are_refused_with_their_row(write):
    path = write("a,y\n1,u\n2,\n3,v\n4,\n")
    with pytest.raises(
        InputError, match=r"target 'y' must not .* got 2 \(the first in data row 2\)"
    ):
        read_table(path, target="y")


def test_csv_whatever_the_suffix(write):
    assert read_csv(write(CSV, "t.arff")).equals(read_table(write(CSV)))


def test_only_libsvm_loads_scikit_learn_and_nothing_loads_pandas(write, tmp_path):
    paths = [write(CSV), write(ARFF, "t.arff"), write("a\n1\n", "t.tsv")]
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t.parquet")
    code = (
        "import sys; from deacs.tables.files import read_table; print('polars' in sys.modules)\n"
        "for path in sys.argv[1:]: read_table(path)\n"
        "print([m for m in ('sklearn', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    arguments = [sys.executable, "-c", code, *map(str, paths), str(tmp_path / "t.parquet")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["False", "[]"]
