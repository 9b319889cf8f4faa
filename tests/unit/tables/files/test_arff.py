"""ARFF: what is declared is kept, what is written comes back, and nothing else gets in."""

import io
import json
import subprocess
import sys
from importlib.util import find_spec
from shutil import which

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from scipy.io import arff as scipy_arff

from deacs.exceptions import InputError
from deacs.tables.files import read_table
from tests.unit.tables.files.arff_writer import arff_text, sparse_arff_text, word

HEADER = """% weather
@RELATION 'the weather'
@Attribute temperature NUMERIC
@attribute 'the wind' {calm, strong, 'it\\'s a storm'}   % three
@attribute\tnote string
@attribute play{yes,no}
@DATA
"""
WIND = ["calm", "strong", "it's a storm"]

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
integers = st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False)
labels = st.lists(texts, min_size=1, max_size=4, unique=True)


@st.composite
def tables(draw, text=texts, names=texts):
    n_rows = draw(st.integers(1, 6))
    names = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    return pl.DataFrame({name: draw(columns(n_rows, text)) for name in names})


@st.composite
def columns(draw, n_rows, text):
    values = draw(st.lists(text, min_size=1, max_size=4, unique=True))
    dtype, elements = draw(
        st.sampled_from(
            [
                (pl.Enum(values), st.sampled_from(values)),
                (pl.String, text),
                (pl.Int64, integers),
                (pl.Float64, floats),
            ]
        )
    )
    cells = draw(st.lists(st.none() | elements, min_size=n_rows, max_size=n_rows))
    return pl.Series(cells, dtype=dtype)


def test_nominal_attributes_are_enumerations_in_the_declared_order(write):
    table = read_table(write(HEADER + "1,calm,x,yes\n2,strong,y,no\n", "t.arff"))
    assert table.schema == {
        "temperature": pl.Int64,
        "the wind": pl.Enum(WIND),
        "note": pl.String,
        "play": pl.Enum(["yes", "no"]),
    }


def test_numbers_that_are_declared_values_stay_nominal(write):
    table = read_table(write("@attribute grade {3,1,2}\n@data\n1\n3\n", "t.arff"))
    assert table["grade"].dtype == pl.Enum(["3", "1", "2"])
    assert table["grade"].to_list() == ["1", "3"]


def test_quotes_spaces_tabs_comments_and_question_marks(write):
    rows = "?, calm , 'a, b' ,no % note\n\n% none\n2\t'it\\'s a storm' \"?\" ?\n"
    table = read_table(write(HEADER + rows, "t.arff"))
    assert table.rows() == [(None, "calm", "a, b", "no"), (2, "it's a storm", "?", None)]


def test_sparse_rows_leave_out_zeros_and_the_first_declared_value(write):
    rows = "{0 5, 1 strong}\n{ }\n{0 ?, 2 'x y', 3 no} % note\n"
    table = read_table(write(HEADER + rows, "t.arff"))
    assert table.rows() == [
        (5, "strong", None, "yes"),
        (0, "calm", None, "yes"),
        (None, "calm", "x y", "no"),
    ]


@pytest.mark.parametrize(
    ("kind", "words", "dtype"),
    [
        ("numeric", "1 2", pl.Int64),
        ("INTEGER", "1 2", pl.Int64),
        ("numeric", "1 2.5", pl.Float64),
        ("integer", "1 2.5", pl.Float64),
        ("real", "1 2", pl.Float64),
    ],
)
def test_numbers_are_integers_where_they_are_written_so(write, kind, words, dtype):
    rows = "\n".join(words.split())
    assert read_table(write(f"@attribute a {kind}\n@data\n{rows}", "t.arff"))["a"].dtype == dtype


def test_dates_can_be_left_out_and_otherwise_say_what_to_do(write):
    path = write(
        "@attribute d DATE 'yyyy'\n@attribute c {a,b}\n@data\n2001,a\n'2002',b\n", "t.arff"
    )
    with pytest.raises(InputError, match=r"line 1: attribute 'd' is a date.*exclude=\['d'\]"):
        read_table(path)
    assert read_table(path, exclude=["d"]).rows() == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HEADER + "1,calm,x,maybe\n",
            "line 8: attribute 'play' takes 'yes', 'no', got 'maybe'",
        ),
        (
            HEADER + "1,calm,x,yes\nwarm,calm,x,yes\n",
            "line 9: .* takes a number, got 'warm'",
        ),
        (HEADER + "1,calm,x,yes\n1,calm,x\n", "line 9: 3 values, but 4 attributes"),
        (HEADER + "1,calm,x,yes,{5}\n", "line 8: .*weights of rows"),
        (HEADER + "{0 1},{5}\n", "line 8: a sparse row must look like .* weights of rows"),
        (HEADER + "1,calm,,yes\n", "line 8: a value is empty"),
        (HEADER + "1,'calm,x,yes\n", "line 8: a quote opens here and never closes"),
        (HEADER + "1,calm,don't,yes\n", "line 8: a quote inside .don't"),
        (HEADER + "1,'calm'er,x,yes\n", "line 8: a quote inside"),
        (HEADER + "{0 1 2}\n", "line 8: a sparse row must look like"),
        (HEADER + "{0 1, 3 'no}\n", "line 8: a sparse row must look like"),
        (HEADER + "{0 1}\n1,calm,x,yes\n", "line 9: a dense row among sparse"),
        (HEADER + "1,calm,x,yes\n{0 1}\n", "line 9: a brace in a row"),
        (HEADER + "{3 no, 0 2}\n", "line 8: the index 0 follows 3"),
        (HEADER + "{4 no}\n", "line 8: the index 4 is not below 4"),
        (HEADER + "{0 1, 3 maybe}\n", "line 8: attribute 'play' takes .*, got 'maybe'"),
        ("@relation x\n@attribute a numeric\n", "no line @data"),
        ("@relation x\n@data\n1\n", "line 2: @data comes before"),
        (
            "@attribute a {b,c\n",
            "line 1: the values of attribute 'a' must stand in one pair of braces",
        ),
        ("@attribute a {b,b}\n", "line 1: attribute 'a' declares 'b' twice"),
        ("@attribute a b numeric\n", "line 1: .* a name with a space needs quotes"),
        ("@attribute a\n", "line 1: .*got nothing"),
        ("@attribute\n", "line 1: @attribute needs a name"),
        (
            "@attribute a numeric {5}\n",
            r"line 1: attribute 'a' must have a type, .*got 'numeric\{5\}'.* weights",
        ),
        (
            "@attribute a relational\n@attribute b real\n@end a\n",
            "line 1: .*got 'relational'.* tables within the table",
        ),
        ("@attribute a real\n@attribute a real\n@data\n1,2\n", "unique column names, got 'a'"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(write, content, message):
    path = write(content, "t.arff")
    with pytest.raises(InputError, match=message) as error:
        read_table(path)
    assert str(path) in str(error.value)


def test_a_sparse_file_may_not_unfold_into_all_memory(write):
    attributes = "".join(f"@attribute a{j} real\n" for j in range(3000))
    path = write(f"{attributes}@data\n" + "{}\n" * 200_000, "t.arff")
    with pytest.raises(
        InputError, match=r"200,000 rows and 3,000 columns take 4,\d+,\d+,\d+ bytes"
    ):
        read_table(path)


@given(tables())
@example(pl.DataFrame({"": ["", "?", "%", "{}", "\\", "'", '"', "a b", "\x85\u2028", "\v\f"]}))
def test_what_is_written_comes_back(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("arff") / "t.arff"
    path.write_text(arff_text(table), encoding="utf-8", newline="\n")
    assert_frame_equal(read_table(path), table)


@given(tables())
def test_sparse_rows_give_the_table_that_dense_rows_give(tmp_path_factory, table):
    folder = tmp_path_factory.mktemp("arff")
    (folder / "sparse.arff").write_text(sparse_arff_text(table), encoding="utf-8", newline="\n")
    assert_frame_equal(read_table(folder / "sparse.arff"), table)


def test_dense_rows_are_those_of_scipy(write):  # which knows no quotes in rows
    text = "@relation r\n@attribute a real\n@attribute b {x, yz, w}\n@data\n"
    text += "1.5, x\n?, yz\n-2e-7,?\n% note\n"
    data, meta = scipy_arff.loadarff(io.StringIO(text))
    theirs = [(None if a != a else a, None if b == b"?" else b.decode()) for a, b in data.tolist()]
    table = read_table(write(text, "t.arff"))
    assert table.columns == meta.names()
    assert table.rows() == theirs
    assert table["b"].dtype == pl.Enum(meta["b"][1])


WEKA = """
import json, sys
import weka.core.jvm as jvm
jvm.start()
from weka.core.converters import Loader
loader = Loader(classname="weka.core.converters.ArffLoader")
def value(row, attribute, j):
    if row.is_missing(j):
        return None
    return row.get_value(j) if attribute.is_numeric else row.get_string_value(j)
tables = []
for path in sys.argv[1:]:
    data = loader.load_file(path)
    attributes = [data.attribute(j) for j in range(data.num_attributes)]
    tables.append([[value(row, a, j) for j, a in enumerate(attributes)] for row in data])
print(json.dumps(tables))
jvm.stop()
"""


@pytest.mark.skipif(
    find_spec("weka") is None or which("java") is None,
    reason="python-weka-wrapper3 and Java are needed to ask Weka",
)
@pytest.mark.system
def test_files_are_read_as_weka_reads_them(write):
    escapes = ["a\\tb", "\\\\", "a\\101b", "?", "it\\'s", "50\\%", "\\u0041", "\\477", "\\8", ""]
    contents = [
        HEADER + "1,calm,x,yes\n?, strong , 'a, b' ,no % c\n2\t'it\\'s a storm' \"?\" ?\n",
        "@relation x\n@attribute s string\n@data\n" + "".join(f"'{e}'\n" for e in escapes),
        "@relation x\n@attribute s string\n@data\na\\b\n?\n",
        "@relation x\n@attribute a real\n@attribute c {z,y}\n@data\n{0 5, 1 y}\n{}\n{ 1 ? } % c\n",
        "@relation x\n@attribute c{a,b}\n@attribute d {'?',b}\n@data\na,'?',\nb,?\n",
        "@relation x\n@attribute c numeric\n@data\n1e5\n.5\n5.\n+4\nNaN\n-0\n1e400\n-Infinity\n",
    ]
    paths = [write(content, f"t{k}.arff") for k, content in enumerate(contents)]
    done = subprocess.run(
        [sys.executable, "-c", WEKA, *map(str, paths)], capture_output=True, text=True, check=True
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    assert [[list(row) for row in read_table(path).rows()] for path in paths] == theirs


@pytest.mark.parametrize("value", ["plain", "a b", "it's", "50%", "?", "", "back\\slash", "{x}"])
def test_a_declared_value_of_any_spelling_is_found_in_the_rows(write, value):
    path = write(f"@attribute a {{other, {word(value)}}}\n@data\n{word(value)}\n", "t.arff")
    found = read_table(path)["a"].to_list()
    assert found == ([None] if word(value) == "?" else [value])


KEEL = """@relation iris
@attribute SepalLength real [4.3, 7.9]
@attribute petals integer[1,7]
@attribute colour { red, blue}
@attribute Class{positive,negative}
@inputs SepalLength, petals, colour
@outputs Class
@data
5.1, 3, red, positive
<null>, 4,blue , negative
"""


def test_a_table_of_keel_is_read(write):
    X, y = read_table(write(KEEL, "iris.dat"), target="last")
    assert X.to_dict(as_series=False) == {
        "SepalLength": [5.1, None],
        "petals": [3, 4],
        "colour": ["red", "blue"],
    }
    assert X.schema["SepalLength"] == pl.Float64
    assert y.to_list() == ["positive", "negative"]


@pytest.mark.parametrize("behind", ["real [1, 2", "real 1, 2]", "real [1, 2] 3", "integer[1"])
def test_half_a_range_is_refused(write, behind):
    with pytest.raises(InputError, match=r"line 1: attribute 'a' must have a type"):
        read_table(write(f"@attribute a {behind}\n@data\n1\n", "t.arff"))
