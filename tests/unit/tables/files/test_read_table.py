"""`read_table`: which reader reads, what comes back, what is refused before reading."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from deacs.exceptions import InputError
from deacs.tables.files import read_table

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


@pytest.mark.system
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


@pytest.mark.parametrize("target", ["y", "last", -1, 2, "2", "-1", np.int64(2)])
def test_the_class_column_may_be_named_by_its_place(write, target):
    X, y = read_table(write("a,b,y\n1,2,u\n3,4,v\n", "t.csv"), target=target)
    assert (X.columns, y.to_list()) == (["a", "b"], ["u", "v"])


def test_a_name_comes_before_a_place(write):
    path = write("0,last,-1\n1,2,u\n3,4,v\n", "t.csv")
    names = [read_table(path, target=target)[1].name for target in ("0", "last", "-1", -1, 1)]
    assert names == ["0", "last", "-1", "-1", "last"]


def test_places_are_counted_among_the_columns_that_are_left(write):
    path = write("a,b,y\n1,2,u\n3,4,v\n", "t.csv")
    assert read_table(path, target="last", exclude=["y"])[1].name == "b"


@pytest.mark.parametrize("target", [3, "-4", True, 10**30])
def test_a_place_that_is_not_there_is_refused(write, target):
    path = write("a,b,y\n1,2,u\n3,4,v\n", "t.csv")
    with pytest.raises(InputError, match="a position from -3 to 2") as error:
        read_table(path, target=target)
    assert error.value.parameter == "target"


def test_the_classes_of_libsvm_are_its_last_column(write):
    assert read_table(write("1 1:2\n0 1:3\n", "t.libsvm"), target="last")[1].to_list() == [1, 0]


SPACED = "a, b , kind\n1, 2,yes \n3, ?, yes\n 4,5,no\n"


def test_spaces_around_names_and_text_are_taken_off_on_demand(write):
    path = write(SPACED, "t.csv")
    X, y = read_table(path, target="kind", strip=True)
    assert X.to_dict(as_series=False) == {"a": [1, 3, 4], "b": [2, None, 5]}
    assert y.to_list() == ["yes", "yes", "no"]
    assert read_table(path, strip=True, nominal=["b"])["b"].to_list() == ["2", None, "5"]


def test_values_that_only_spaces_part_are_warned_of(write):
    path = write(SPACED, "t.csv")
    with pytest.warns(
        UserWarning, match="' kind': some values differ only .* strip=True"
    ) as warned:
        assert read_table(path)[" kind"].to_list() == ["yes ", " yes", "no"]
    assert warned[0].filename == __file__


@pytest.mark.filterwarnings("ignore:.*some values differ only")
def test_a_name_without_its_spaces_is_explained(write):
    with pytest.raises(InputError, match=r"did you mean ' kind'.*: pass strip=True"):
        read_table(write(SPACED, "t.csv"), target="kind")


def test_names_that_only_spaces_part_are_refused(write):
    with pytest.raises(InputError, match="unique column names, got 'a' more than once"):
        read_table(write("a, a\n1,2\n", "t.csv"), strip=True)
