"""Several labels a row from the command line, to the table, the JSON, the page and the file."""

import json

import polars as pl
import pytest
from sklearn.datasets import make_multilabel_classification
from typer.testing import CliRunner

from deacs import DEACS
from deacs.cli.app import app
from deacs.exceptions import InputError
from deacs.tables.files import read_table

NAMES = ["tag_sad", "tag_quiet", "tag_fast"]


def run(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture
def songs(tmp_path):
    X, Y = make_multilabel_classification(90, 6, n_classes=3, random_state=0)
    table = pl.DataFrame(X, schema=[f"f{j}" for j in range(6)]).hstack(
        pl.DataFrame(Y, schema=NAMES)
    )
    table.write_csv(tmp_path / "songs.csv")
    return tmp_path / "songs.csv"


@pytest.mark.parametrize("target", [("--target", ",".join(NAMES)), ("--targets-matching", "tag_*")])
def test_labels_are_named_or_matched(songs, target):
    result = run("select", songs, *target, "-k", "2", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    table = read_table(songs)
    fitted = DEACS(2).fit(table.drop(NAMES), table.select(NAMES))
    assert [entry["feature"] for entry in answer["selected"]] == fitted.selected_names_
    assert (answer["target"], answer["target_kind"]) == (",".join(NAMES), "labels")
    assert [entry["class"] for entry in answer["classes"]] == NAMES
    assert answer["classes"][0]["rows"] == int(table["tag_sad"].sum())
    scores = answer["selected"][0]["label_scores"]
    assert list(scores.values()) == pytest.approx(fitted.label_scores_[0].tolist())


def test_an_excluded_label_is_noted(songs):
    result = run("select", songs, "-t", ",".join(NAMES), "--exclude", "tag_sad,f0", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    assert [entry["class"] for entry in answer["classes"]] == NAMES
    assert answer["n_features"] == 5
    assert any("--exclude names the target 'tag_sad'" in note for note in answer["notes"])


def test_of_a_label_without_rows_nothing_is_left_unexplained(songs, tmp_path):
    path, page = tmp_path / "more.csv", tmp_path / "more.html"
    pl.read_csv(songs).with_columns(tag_never=pl.lit(0)).write_csv(path)
    result = run("select", path, "--targets-matching", "tag_*", "-k", "1", "--report", page)
    assert result.exit_code == 0, result.output
    [line] = [line for line in result.output.splitlines() if line.startswith("tag_never")]
    assert line.split() == ["tag_never", "0", "0.000", "bits", "-"]
    assert "no row has the label 'tag_never'" in result.output
    assert "by the first feature of each refit" in result.output
    assert "of \u2068tag_never" not in page.read_text()


def test_the_table_the_page_and_the_file_show_labels(songs, tmp_path):
    page, out = tmp_path / "songs.html", tmp_path / "small.csv"
    result = run(
        "select", songs, "--targets-matching", "tag_*", "-k", "2", "--report", page, "-o", out
    )
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "90 rows, 3 labels" in shown
    assert "tag_quiet" in shown
    assert "Wrote 2 columns and 3 labels" in shown
    assert read_table(out).columns[2:] == NAMES
    html = page.read_text()
    assert "Label by label" in html
    assert "Class by class" not in html
    assert "Which feature is informative about which label" in html


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--targets-matching", "x_*"], "matches none of the 9 columns"),
        (["--target", "f0", "--targets-matching", "tag_*"], "got both; leave one of them out"),
        (["--target", "tag_sad,nothing"], "names 'nothing', which is not a column"),
        (["--target", "tag_sad,f0"], "by 0 and 1 (or booleans) which labels a row has"),
        (["--targets-matching", "tag_*", "-m", "relieff"], "must be one column, the class of"),
    ],
)
def test_what_cannot_be_labels_is_said(songs, options, message):
    result = run("select", songs, *options, "-k", "2")
    assert isinstance(result.exception, InputError)
    assert message in str(result.exception)


def test_a_column_whose_name_has_a_comma_is_one_target(tmp_path):
    table = pl.DataFrame({"a": [1, 2, 3, 4] * 5, "b,c": ["x", "y", "y", "x"] * 5})
    table.write_csv(tmp_path / "t.csv")
    result = run("select", tmp_path / "t.csv", "--target", "b,c", "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["target_kind"] == "classes"


def test_rows_without_all_labels_are_left_out_where_asked(songs):
    table = read_table(songs).with_columns(
        tag_sad=pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise(pl.col("tag_sad"))
    )
    table.write_csv(songs)
    refused = run("select", songs, "--targets-matching", "tag_*", "-k", "1")
    assert "--target must not have missing labels, got 1" in str(refused.exception)
    result = run(
        "select", songs, "--targets-matching", "tag_*", "-k", "1", "--json", "--drop-unlabelled"
    )
    assert json.loads(result.stdout)["n_rows"] == 89


def test_the_demo_of_labels_selects_and_draws(tmp_path):
    result = run("demo", "--labels", "--report", tmp_path / "digits.html")
    assert result.exit_code == 0, result.output
    assert "4 labels" in result.stdout
    assert "straight strokes" in result.stdout
    assert (tmp_path / "digits.html").stat().st_size > 10_000
