"""Tables that are read without complaint and are not what they seem: the notes say so."""

import json
import shlex
import warnings

import polars as pl
import pytest

from deacs import encode
from deacs.cli.options import as_option, listed, worded_by
from deacs.cli.output import collected_notes, worded
from deacs.cli.select import SelectOptions
from deacs.cli.table import told_once
from deacs.exceptions import TableWarning
from deacs.selection.notes import table_notes

ROWS = range(60)
Y = ["uvw"[k // 20] for k in ROWS]


OTHERS = {"identifiers", "integers", "row numbers", "leak", "constant"}


def told(columns, selected, y=Y, declared="auto", how_to_read=None):
    """Return the notes on a selection as the command line says them, but those in OTHERS."""
    X = pl.DataFrame(columns)
    with warnings.catch_warnings(), worded_by(SelectOptions):
        warnings.simplefilter("ignore", TableWarning)
        data = encode(X, y, discrete_features=declared)
        found = table_notes(data, [X.columns.index(name) for name in selected])
        notes = [worded(note) for note in found if note.kind not in OTHERS]
    return told_once(notes, X, how_to_read or {})


def test_quantities_with_units_are_not_called_identifiers():
    X = pl.DataFrame({"size": [f"{k}.5 kg" for k in ROWS], "id": [f"p{k}" for k in ROWS]})
    for names in (["size"], ["size", "id"]):
        with worded_by(SelectOptions), collected_notes() as warned:
            encode(X[names], Y)
        *identifiers, as_text = warned
        assert as_text.startswith("'size': read as text")
        assert [note.columns for note in identifiers] == [("id",)] * (len(names) - 1)
        for note in identifiers:
            assert note.startswith("'id': as many values as rows (60), like an identifier")
            assert note.endswith("leave it out with --exclude id")


def test_whole_numbers_of_every_row_are_told_if_they_were_selected():
    columns = {"": [100 + 3 * k for k in ROWS], "size": [float(k % 7) for k in ROWS]}
    [note] = told(columns, [""])
    assert note.endswith("leave it out with --exclude ''")
    assert told(columns, ["size"]) == []


def test_several_columns_are_not_called_it():
    numbers = {name: [100 + (3 + j) * k for k in ROWS] for j, name in enumerate("ab")}
    [note] = told(numbers, ["a", "b"])
    assert note.endswith("have; if they are, leave them out with --exclude a,b")
    remarks = {
        name: [f"{name} {(k + j) // 2 + 5 * (k % 2)} of" for k in ROWS]
        for j, name in enumerate("ab")
    }
    [note] = told(remarks, ["a", "b"])
    assert note.endswith("or leave them out with --exclude a,b")


def test_row_numbers_are_left_to_the_warning_of_the_coding():
    assert told({"row": ROWS}, ["row"]) == []


def test_quantities_that_differ_in_every_row_are_no_row_numbers():
    assert told({"size": [k + 0.5 for k in ROWS]}, ["size"]) == []


@pytest.mark.parametrize(
    ("texts", "advice"),
    [
        (["-" if k % 9 == 0 else f"{k}.5" for k in ROWS], "for '-'; if that stands"),
        (["n. a." if k % 9 == 0 else f"{k}.5" for k in ROWS], "a.'; if that stands"),
        ([f"{max(k, 9)}.5 %" for k in ROWS], "such as '9.5 %'"),
        ([f"$ {max(k, 9)},000" for k in ROWS], "such as '$ 9,000'"),
        ([f"{max(k, 9)} mg/dl" for k in ROWS], "such as '9 mg/dl'"),
        ([f"{k},000" if k > 40 else str(k) for k in ROWS], "such as '41,000'; write plain numbers"),
        ([f"${k},000" if k < 20 else "n. a." if k < 25 else str(k) for k in ROWS], "as '$0,000'"),
    ],
)
def test_numbers_that_were_read_as_text_are_told(texts, advice):
    [note] = told({"size": texts}, [])
    assert "'size'" in note
    assert advice in note


@pytest.mark.parametrize(
    "texts",
    [
        [f"2024-{1 + k // 20:02}-{1 + k % 20:02}" for k in ROWS],
        [f"{1 + k % 20}.{1 + k // 20}.1999" for k in ROWS],
        [f"{1 + k // 20}/{1 + k % 20}/99 12:30" for k in ROWS],
    ],
    ids=lambda texts: texts[0],
)
def test_dates_are_called_dates(texts):
    [note] = told({"visit": texts}, ["visit"])
    assert note.startswith("'visit': dates, read as text")
    assert note.endswith("--exclude visit")


def test_names_with_numbers_in_them_are_no_numbers():
    assert told({"id": [f"p{k}" for k in ROWS]}, []) == []


def test_versions_and_phone_numbers_are_no_dates():
    for texts in ([f"v1.{k}.{k}" for k in ROWS], [f"030-{k}-{k}" for k in ROWS]):
        assert not any("dates" in note for note in told({"a": texts}, []))


def test_categories_that_differ_only_in_case_or_spaces_are_told_together():
    columns = {"smoker": ["yes", "Yes", "no"] * 20, "ward": ["A 1", "A  1", "B"] * 20}
    [note] = told(columns, [])
    assert note.startswith("'smoker', 'ward': values that differ only in case or spaces")
    assert "such as 'Yes' and 'yes'" in note
    assert told({"smoker": ["yes", "no", "not asked"] * 20}, []) == []


def test_classes_that_differ_only_in_case_or_spaces_are_told():
    y = [("ill", "Ill", "healthy ")[k % 3] for k in ROWS]
    [note] = told({"a": [k % 2 for k in ROWS]}, ["a"], y=y)
    assert note.startswith("--target has classes that differ only in case or spaces")
    assert "'Ill' and 'ill'" in note


def test_columns_with_the_same_marker_are_told_together():
    texts = ["-" if k % 9 == 0 else f"{k}.5" for k in ROWS]
    [note] = told({"a": texts, "b": texts}, [])
    assert note.startswith("'a', 'b' would be numbers, but for '-'")


def test_many_markers_have_few_notes_that_name_few_columns():
    def marked(marker):
        return [marker if k % 9 == 0 else f"{k}.5" for k in ROWS]

    columns = {f"u{j}": marked(f"u{j}") for j in range(40)} | {
        f"a{j}": marked("-") for j in range(12)
    }
    first, *others, last = told(columns, [], how_to_read={"header": False})
    assert first.startswith("'a0', 'a1', 'a2', 'a3', 'a4' and 7 more would be numbers, but for '-'")
    assert len(others) == 4
    assert last == "36 more columns would be numbers, but for other such values"
    assert last.columns == tuple(f"u{j}" for j in range(4, 40))


def test_a_header_that_was_read_as_data_is_told_once(deacs, tmp_path):
    names = [f"size {j}" for j in range(40)]
    rows = [",".join([*(f"{(k + j) % 60}.5" for j in range(40)), Y[k]]) for k in ROWS]
    file = tmp_path / "t.csv"
    file.write_text("\n".join([",".join([*names, "y"]), *rows]))
    command = ("select", file, "--target", "last", "-k", "2", "--json")
    notes = json.loads(deacs(*command, "--no-header").out)["notes"]
    [note] = [note for note in notes if "would be numbers" in note]
    assert note.startswith(
        "the first line looks like a header: 'c1', 'c2', 'c3', 'c4', 'c5' and 35"
    )
    assert "but for 'size 0', " in note
    assert note.endswith("leave out --no-header")
    assert "would be numbers" not in deacs(*command).out


@pytest.mark.parametrize("header", [True, False])
def test_units_below_the_header_are_not_taken_for_it(header):
    texts = ["kg" if k in (0, 9) else f"{k}.5" for k in ROWS]
    [note] = told({"size": texts}, [], how_to_read={"header": header})
    assert note.startswith("'size' would be numbers, but for 'kg'; if that stands for a missing")


def test_declared_categories_and_few_values_are_not_told():
    texts = ["-" if k % 9 == 0 else f"{k}.5" for k in ROWS]
    assert told({"size": texts}, [], declared=["size"]) == []
    assert told({"size": [f"{k % 20} %" for k in ROWS]}, []) == []


def test_categories_of_a_row_or_two_are_told():
    columns = {"remark": [f"remark {k // 2 + 5 * (k % 2)} of" for k in ROWS]}
    [note] = told(columns, ["remark"])
    assert "fewer than 5 rows for each" in note


def test_a_target_with_many_values_may_be_a_quantity():
    [note] = told({"a": [k % 2 for k in ROWS]}, ["a"], y=[f"{k % 40} mm" for k in ROWS])
    assert "--target has 40 classes in 60 rows" in note
    assert "cut it into a few classes" in note


@pytest.mark.parametrize(
    "names", [["a"], ["a b", "c,d"], ['say "x"', "it's"], [""], list("abcdefghijkl")]
)
def test_advice_can_be_typed_as_it_stands(names):
    assert listed(shlex.split(as_option(names)) or [""]) == names


@pytest.mark.parametrize("names", [["row"], ["Unnamed: 0", "it's"], [f"id{j}" for j in range(12)]])
def test_warnings_of_the_coding_say_what_to_type(names):
    for column in (list(ROWS), [f"p{k}" for k in ROWS]):
        with worded_by(SelectOptions), collected_notes() as notes:
            encode(pl.DataFrame(dict.fromkeys(names, column)), Y)
        [note] = notes
        it = "it" if len(names) == 1 else "them"
        assert note.endswith(f"; leave {it} out with --exclude {as_option(names)}")
        assert note.columns == tuple(names)


@pytest.mark.parametrize("as_given", [list, pl.Series, lambda y: pl.Series(y).to_numpy()])
def test_texts_with_few_rows_each_are_questioned_as_classes(as_given):
    y = [f"{k % 40} km" for k in range(120)]
    columns = {"size": [float(k % 7) for k in range(120)]}
    [note] = told(columns, [], as_given(y))
    assert note.startswith("--target has 40 classes in 120 rows, fewer than 5 rows a class")
    assert told(columns, [], as_given([f"{k % 20} km" for k in range(120)])) == []


def test_dates_as_classes_are_questioned():
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
    days = days.gather([min(k, len(days) - 2) for k in range(len(days))])
    [note] = told({"size": [float(k % 7) for k in ROWS]}, [], days)
    assert note.startswith("--target has 59 classes in 60 rows")
