"""`deacs select` as a person and as a program use it."""

import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs import DEACS, __version__
from deacs.cli.app import app, main


@pytest.fixture(scope="module")
def wine_csv(tmp_path_factory):
    wine = load_wine()
    table = pl.DataFrame(wine.data, schema=list(wine.feature_names)).with_columns(
        grower=pl.Series(wine.target_names[wine.target])
    )
    path = tmp_path_factory.mktemp("data") / "wine.csv"
    table.write_csv(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "120"})


def fails(capsys, *arguments):
    """Run the real entry point; return the one line on the error stream."""
    sys_argv, sys.argv = sys.argv, ["deacs", *map(str, arguments)]
    try:
        with pytest.raises(SystemExit) as stopped:
            main()
    finally:
        sys.argv = sys_argv
    assert stopped.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_table_says_what_why_and_what_is_left(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "-k", "3")
    assert result.exit_code == 0, result.output
    for words in (
        "3 of 13 features selected from 178 rows, 3 classes",
        "flavanoids",
        "1.417",
        "class_2: 0.676",
        "still unexplained",
        "Stopped: the number of features asked for is reached.",
    ):
        assert words in result.output
    assert result.output.index("flavanoids") < result.output.index("proline")


def test_json_holds_the_numbers_of_the_estimator(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "--json")
    summary = json.loads(result.stdout)
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS().fit(X, y)
    assert summary["schema"] == 1
    assert [entry["feature"] for entry in summary["selected"]] == selector.selected_names_
    assert [entry["score"] for entry in summary["selected"]] == selector.scores_.tolist()
    bits = [list(entry["label_scores"].values()) for entry in summary["selected"]]
    np.testing.assert_array_equal(bits, selector.label_scores_)
    left = [entry["residual"] for entry in summary["classes"]]
    np.testing.assert_array_equal(left, selector.residual_[-1])
    assert summary["stop_reason"] == "exhausted"


def test_infinite_theta_is_a_word_in_json(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "0,1,u\n1,1,v\n" * 4)
    summary = json.loads(run("select", path, "--target", "y", "--json").stdout)
    assert summary["selected"][0]["score"] == "inf"


def test_output_holds_the_selected_columns_and_the_target(wine_csv, tmp_path):
    out = tmp_path / "small.csv"
    result = run("select", wine_csv, "--target", "grower", "-k", "2", "--output", out)
    assert "Wrote 2 columns and grower" in result.output
    expected = pl.read_csv(wine_csv).select("flavanoids", "proline", "grower")
    assert pl.read_csv(out).equals(expected)
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv"]


def test_columns_can_be_excluded_included_and_called_discrete(wine_csv):
    result = run(
        *("select", wine_csv, "--target", "grower", "-k", "3", "--json"),
        *("--exclude", "flavanoids,proline", "--include", "ash", "--discrete", "alcohol"),
    )
    names = [entry["feature"] for entry in json.loads(result.stdout)["selected"]]
    assert names[0] == "ash"
    assert not {"flavanoids", "proline"} & set(names)


def test_an_identifier_is_noted_with_advice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,a,y\n" + "".join(f"p{k},{k % 3},c{k % 2}\n" for k in range(40)))
    result = run("select", path, "--target", "y")
    assert "'id': as many values as rows (40)" in result.output
    assert "--exclude" in result.output


def test_constant_columns_select_nothing_and_say_so(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "1,x,u\n1,x,v\n" * 5)
    result = run("select", path, "--target", "y")
    assert result.exit_code == 0
    assert "0 of 2 features" in result.output
    assert "none was selected" in result.output


def test_names_are_text_and_never_markup(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("[red]a[/red],y\n" + "0,[bold]u[/bold]\n1,v\n" * 5)
    result = run("select", path, "--target", "y")
    assert "[red]a[/red]" in result.output
    assert "[bold]u[/bold]" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "growr"], "did you mean 'grower'"),
        (["--target", "grower", "-k", "40"], "between 1 and 13"),
        (["--target", "grower", "--exclude", "alcool"], "--exclude names 'alcool'"),
        (["--target", "grower", "--include", "nope"], "include names 'nope'"),
        (["--target", "alcohol"], "Unknown label type: continuous"),
    ],
)
def test_bad_options_are_one_line(wine_csv, capsys, arguments, message):
    assert message in fails(capsys, "select", wine_csv, *arguments)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,y\n", "no rows"),
        ("a,y\n1,u\n2\n", "line 3: 1 fields"),
        ("y\nu\nv\n", "no columns are left"),
        ("a,y\n1,u\n2,\n3,v\n", "must not have missing values, got 1 (the first in data row 2)"),
        ("a,y\n1,u\n2,u\n", "1 class: 'u'"),
    ],
)
def test_bad_files_are_one_line(tmp_path, capsys, content, message):
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert message in fails(capsys, "select", path, "--target", "y")


def test_a_missing_file_is_one_line(tmp_path, capsys):
    assert "does not exist" in fails(capsys, "select", tmp_path / "no.csv", "--target", "y")


def test_the_input_is_never_overwritten(wine_csv, tmp_path, capsys):
    before = wine_csv.read_bytes()
    fails(capsys, "select", wine_csv, "--target", "grower", "--output", wine_csv)
    fails(capsys, "select", wine_csv, "--target", "grower", "--output", tmp_path / "no" / "o.csv")
    assert wine_csv.read_bytes() == before


def test_help_has_examples_and_version_is_the_package_s():
    assert "deacs select patients.csv" in run("select", "--help").output
    assert run("--version").output.strip() == f"deacs {__version__}"


def test_demo_runs():
    result = run("demo")
    assert result.exit_code == 0
    assert "5 of 13 features" in result.output


def test_the_module_runs_without_its_script():
    done = subprocess.run(
        [sys.executable, "-m", "deacs", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"deacs {__version__}"


def test_notes_speak_of_options(wine_csv):
    everything = "flavanoids,proline,color_intensity,hue,alcohol,malic_acid,ash,magnesium"
    result = run("select", wine_csv, "--target", "grower", "--exclude", everything)
    assert "three times the 3 labels" in " ".join(result.output.split())
    assert "--judge sum" in " ".join(result.output.split())
