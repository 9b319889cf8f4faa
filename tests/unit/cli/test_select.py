"""`deacs select` as a person and as a program use it."""

import json
import re
import shlex
import subprocess
import sys
import warnings
from io import BytesIO, TextIOWrapper

import numpy as np
import polars as pl
import pytest
from rich.console import Console
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from typer.testing import CliRunner

import deacs
from deacs import DEACS, Blocks, Costs, OneVsRest, Radial, Significant, __version__
from deacs.cli.app import app, main
from deacs.cli.view import show
from deacs.selection.held_out import Refits
from deacs.selection.methods import METHODS
from tests.real_data import _folder as data_folder

WINE = load_wine(return_X_y=True, as_frame=True)


def entropy(y):
    shares = np.bincount(y) / len(y)
    return -(shares * np.log2(shares)).sum()


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
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS(3).fit(X, y)
    adds = selector.held_out_.gain / entropy(y)
    for words in (
        "3 of 13 features selected from 178 rows, 3 classes",
        "flavanoids",
        f"{adds[0]:.1%} ± ",
        f"{selector.held_out_.chosen[2]}/10",
        f"class_2↓ {selector.label_scores_[0, 2]:.3f}",
        f"{selector.unexplained_[-1, 0]:.1%}",
        "unexplained in new rows",
        "Stopped: the requested number of features is reached.",
    ):
        assert words in result.output
    first, second, _ = selector.selected_names_
    assert result.output.index(first) < result.output.index(second)


def test_who_could_stand_in_is_a_column_or_in_a_narrow_terminal_a_sentence(wine_csv):
    selector = DEACS(3).fit(*WINE)
    [hue] = selector.substitutes(n=1)["color_intensity"].substitutes
    assert hue.name == "hue"
    assert f"hue {hue.share:.0%}" in run("select", wine_csv, "--target", "grower", "-k", "3").stdout
    arguments = ["select", str(wine_csv), "--target", "grower", "-k", "3"]
    narrow = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"}).stdout
    assert f"hue for color_intensity ({hue.share:.0%})" in " ".join(narrow.split())


@pytest.mark.parametrize(("width", "n_shown"), [(60, 2), (80, 3), (120, 3)])
def test_tables_of_details_fit_the_terminal(wine_csv, width, n_shown):
    arguments = ["select", str(wine_csv), "--target", "grower", "-k", "4", "--details"]
    lines = CliRunner().invoke(app, arguments, env={"COLUMNS": str(width)}).stdout.splitlines()
    assert max(map(len, lines)) <= width
    [start] = [k for k, line in enumerate(lines) if "efficiency" in line]
    assert lines[start].split()[-n_shown:] == [f"class_{i}" for i in range(n_shown)]
    firsts = [line[7:22].strip() for line in lines[start + 2 : start + 14]]
    views = ["by counts", "by order"]
    assert firsts[:6] == ["flavanoids", *views, "color_intensity", *views]
    assert firsts[9:] == ["alcohol", *views]
    left_out = "The first 2 of 3 classes; a wider terminal shows more, --json has all."
    assert (left_out in " ".join(" ".join(lines).split())) == (n_shown < 3)
    assert not any(line.split() == ["more"] for line in lines)


def test_details_of_two_classes_have_the_bits_by_counts_and_by_order(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{k % 7},{k * 5 % 3},{'uv'[k % 7 > 3]}\n" for k in range(80))
    path.write_text("a,b,y\n" + rows)
    arguments = ("select", path, "--target", "y", "-k", "1")
    [feature] = json.loads(run(*arguments, "--json").stdout)["selected"]
    lines = [" ".join(line.split()) for line in run(*arguments, "--details").stdout.splitlines()]
    for view in ("counts", "order"):
        assert f"by {view} {feature[f'label_scores_by_{view}']['u']:.3f}" in lines


def test_long_names_leave_room_for_classes(wine_csv, tmp_path):
    path = tmp_path / "t.csv"
    long = {"flavanoids": "flavanoids in milligrams per litre"}
    pl.read_csv(wine_csv).rename(long).write_csv(path)
    arguments = ["select", str(path), "--target", "grower", "-k", "2", "--details"]
    output = CliRunner().invoke(app, arguments, env={"COLUMNS": "60"}).stdout
    assert "efficiency   class_0   class_1" in output


def test_lists_of_classes_break_between_classes(wine_csv):
    arguments = ["select", str(wine_csv), "--target", "grower", "-k", "3"]
    for width, ending in (
        (100, "↓ 0.595, class_0↑ 0.455, 1 more"),
        (80, "↓ 0.595, class_0↑ 0.455"),
        (70, " class_2↓ 0.595,"),
    ):
        output = CliRunner().invoke(app, arguments, env={"COLUMNS": str(width)}).stdout
        assert any(line.rstrip().endswith(ending) for line in output.splitlines())


def test_features_without_substitutes_get_a_sentence_at_any_width(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{k % 7},{k * 5 % 3},{'uv'[k % 7 > 3]}\n" for k in range(80))
    path.write_text("a,b,y\n" + rows)
    output = run("select", path, "--target", "y", "-k", "1").output
    assert "substitutes: none keeps half of a feature's information" in output
    assert "bits   substitutes" not in output


def test_long_class_names_leave_bars_whole(tmp_path):
    path = tmp_path / "t.csv"
    classes = ("healthy at every visit of the study", "ill at some visit of the study")
    path.write_text("a,y\n" + "".join(f"{k % 3},{classes[k % 2]}\n" for k in range(40)))
    arguments = ["select", str(path), "--target", "y"]
    output = CliRunner().invoke(app, arguments, env={"COLUMNS": "60"}).stdout
    assert "█" * 10 + " 100.0%" in output
    assert "unexplained in new rows" in output


def test_two_classes_have_one_number_of_bits_up_to_rounding(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    x = y + rng.integers(0, 2, 40) * 0.5
    one, other = DEACS(1).fit(x[:, np.newaxis], y).label_scores_[0]
    assert one != other  # by an ulp or two
    path = tmp_path / "pair.csv"
    pl.DataFrame({"x": x, "y": y}).write_csv(path)
    output = run("select", path, "-t", "y", "-k", "1").output
    assert re.search(rf" x .*% +\d+/25 +1↑ {one:.3f}\s", output)
    assert "0↓" not in output


def test_of_codes_it_is_said_that_their_cuts_know_all_rows(wine_codes, wine_csv):
    said = "columns were cut by the classes of all rows before: new rows are explained less well"
    assert said in run("select", wine_codes, "-k", "2").output
    assert json.loads(run("select", wine_codes, "-k", "2", "--json").stdout)["held_out"][
        "knows_cuts"
    ]
    assert said not in run("select", wine_csv, "-t", "grower", "-k", "2").output


def test_details_show_scores_and_explain_an_infinite_one(wine_csv, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "0,1,u\n1,1,v\n" * 4)
    infinite = run("select", path, "--target", "y", "--details", "--published").output
    assert "inf: no other candidate of that step is informative about some class." in infinite
    for options, is_there in ([], False), (["--details"], True):
        output = run("select", wine_csv, "-t", "grower", "-k", "3", "--published", *options).output
        assert ("super-efficiency   " in output) == ("1.417" in output) == is_there
        assert "inf:" not in output


def test_two_classes_are_shown_once(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "0,u\n0,v\n1,v\n" * 4)
    output = run("select", path, "--target", "y").output
    assert output.count("unexplained in") == 1
    assert output.count("u or v") == 1
    assert "4 + 8" in output


def test_json_holds_the_numbers_of_the_estimator(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "--published", "--json")
    summary = json.loads(result.stdout)
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS.published().fit(X, y)
    assert summary["schema"] == {"name": "deacs.select", "version": 3}
    assert [entry["feature"] for entry in summary["selected"]] == selector.selected_names_
    assert [entry["score"] for entry in summary["selected"]] == selector.scores_.tolist()
    bits = [list(entry["label_scores"].values()) for entry in summary["selected"]]
    np.testing.assert_array_equal(bits, selector.label_scores_)
    left = [entry["residual"] for entry in summary["classes"]]
    np.testing.assert_array_equal(left, selector.residual_[-1])
    shares = [entry["unexplained"] for entry in summary["classes"]]
    np.testing.assert_array_equal(shares, selector.unexplained_[-1])
    assert summary["stop_reason"] == "exhausted"


def test_an_infinite_score_is_a_word_in_json(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n" + "0,1,u\n1,1,v\n" * 4)
    summary = json.loads(run("select", path, "--target", "y", "--published", "--json").stdout)
    assert summary["selected"][0]["score"] == "inf"


def test_output_holds_the_selected_columns_and_the_target(wine_csv, tmp_path):
    out = tmp_path / "small.csv"
    result = run("select", wine_csv, "--target", "grower", "-k", "2", "--output", out)
    assert "Wrote 2 columns and grower" in result.output
    expected = pl.read_csv(wine_csv).select(*DEACS(2).fit(*WINE).selected_names_, "grower")
    assert pl.read_csv(out).equals(expected)
    assert [path.name for path in tmp_path.iterdir()] == ["small.csv"]
    one = run("select", wine_csv, "--target", "grower", "-k", "1", "--out", tmp_path / "one.csv")
    assert "Wrote 1 column and grower" in one.output


@pytest.mark.parametrize(
    ("suffix", "read"),
    [
        (".tsv", lambda path: pl.read_csv(path, separator="\t")),
        (".parquet", pl.read_parquet),
    ],
)
def test_output_is_written_as_its_suffix_says(suffix, read, wine_csv, tmp_path):
    out = tmp_path / f"small{suffix}"
    run("select", wine_csv, "--target", "grower", "-k", "2", "--output", out)
    assert read(out).equals(
        pl.read_csv(wine_csv).select(*DEACS(2).fit(*WINE).selected_names_, "grower")
    )


def test_output_spells_codes_with_leading_zeros_as_the_file_does(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "small.csv"
    lines = [
        f"{7 * (k % 3):05d},{k % 2},{('no', 'yes', '')[k * (k + 1) % 5 % 3]}" for k in range(90)
    ]
    path.write_text("\n".join(["zip,plain,y", *lines]) + "\n")
    how = ("--method", "mim", "-k", "2", "--drop-unlabelled")
    run("select", path, "--target", "y", *how, "--output", out)
    assert out.read_text().splitlines() == [
        "zip,plain,y",
        *(line for line in lines if not line.endswith(",")),
    ]


def test_an_output_that_cannot_be_written_is_refused_before_the_work(wine_csv, tmp_path, capsys):
    arguments = ("select", wine_csv, "--target", "grower", "--output")
    assert "must end in .csv or .tsv" in fails(capsys, *arguments, tmp_path / "small.xlsx")
    (tmp_path / "small.csv").mkdir()
    assert "is a folder" in fails(capsys, *arguments, tmp_path / "small.csv")


def test_many_classes_are_thinned_and_it_is_said(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"{k % 5},c{k % 60}\n" for k in range(600)))
    result = run("select", path, "--target", "y")
    assert "The 40 of 60 classes that are least explained; --json has all." in result.output
    assert sum("\u2591" in line or "\u2588" in line for line in result.output.splitlines()) == 40


def test_columns_can_be_excluded_included_and_called_discrete(wine_csv):
    result = run(
        *("select", wine_csv, "--target", "grower", "-k", "3", "--json"),
        *("--exclude", "flavanoids,proline", "--include", "ash", "--discrete", "alcohol"),
    )
    names = [entry["feature"] for entry in json.loads(result.stdout)["selected"]]
    assert names[0] == "ash"
    assert not {"flavanoids", "proline"} & set(names)


def test_an_identifier_is_noted_with_the_option_that_leaves_it_out(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,a,y\n" + "".join(f"p{k},{k % 3},c{k % 2}\n" for k in range(40)))
    result = run("select", path, "--target", "y")
    assert "'id': as many values as rows (40)" in result.output
    assert "leave it out with --exclude id" in " ".join(result.output.split())


def test_several_identifiers_are_suggested_as_the_option_takes_them(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"p{k},q {k},{k % 3},c{k % 2}\n" for k in range(40))
    path.write_text('id,"name, first",a,y\n' + rows)
    notes = json.loads(run("select", path, "--target", "y", "--json").stdout)["notes"]
    [advice] = re.findall(r"leave them out with (--exclude '.*')$", "\n".join(notes), re.MULTILINE)
    result = run("select", path, "--target", "y", "--json", *shlex.split(advice))
    assert json.loads(result.stdout)["n_features"] == 1


def test_what_a_fit_warns_of_and_notes_is_said_once(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "--method", "deafs", "--json")
    notes = json.loads(result.stdout)["notes"]
    assert [note for note in notes if "rule of thumb" in note] == notes[:1]


def test_costs_of_an_unknown_column_are_refused_by_its_name(capsys, wine_csv, tmp_path):
    costs = tmp_path / "costs.csv"
    costs.write_text("column,price\nash,1\nhues,2\n")
    said = fails(capsys, "select", wine_csv, "--target", "grower", "--costs", costs)
    assert said == "error: --costs names 'hues', which is not a column; did you mean 'hue'?\n"


def test_a_column_cannot_be_included_and_excluded(capsys, wine_csv):
    both = ("--include", "ash,hue", "--exclude", "hue")
    said = fails(capsys, "select", wine_csv, "--target", "grower", *both)
    assert "--include and --exclude both name 'hue'; leave it out of one" in said


def test_weights_that_are_text_are_refused_by_their_name(capsys, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,w,y\n" + "".join(f"{k % 3},{k} kg,c{k % 2}\n" for k in range(40)))
    said = fails(capsys, "select", path, "--target", "y", "--weights", "w")
    assert "--weights names 'w', which is not a column of numbers: it holds '0 kg'" in said


def test_exclude_may_come_several_times(wine_csv):
    excluded = ("--exclude", "flavanoids, proline", "--exclude", "hue")
    result = run("select", wine_csv, "--target", "grower", "--json", *excluded)
    assert json.loads(result.stdout)["n_features"] == 10


def test_a_file_is_read_as_the_options_say(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("größe:y\n0:u\n-:ä\n".encode("cp1252") + "1:u\n1:ä\n".encode("cp1252"))
    options = ("--delimiter", ":", "--encoding", "cp1252", "--missing-marker", "-", "--published")
    summary = json.loads(run("select", path, "--target", "y", "--json", *options).stdout)
    assert [entry["class"] for entry in summary["classes"]] == ["u", "ä"]
    assert summary["selected"][0]["feature"] == "größe"


def test_declared_values_of_an_arff_file_stay_nominal(tmp_path):
    path = tmp_path / "t.dat"
    # Forty codes are too many for integers to be discrete, unless they are declared.
    codes = ",".join(map(str, range(40)))
    rows = "".join(f"{k % 40},{'ab'[k % 2]}\n" for k in range(400))
    path.write_text(f"@attribute code {{{codes}}}\n@attribute y {{a,b}}\n@data\n{rows}")
    options = ("--target", "y", "--json", "--format", "arff", "--published")
    [selected] = json.loads(run("select", path, *options).stdout)["selected"]
    assert selected["label_scores"] == {"a": 1.0, "b": 1.0}
    numbers = tmp_path / "t.csv"
    numbers.write_text("code,y\n" + rows)
    counted = run("select", numbers, "--target", "y", "--json", "--published")
    assert json.loads(counted.stdout)["selected"] == []


def test_libsvm_files_have_their_classes_in_label(tmp_path):
    path = tmp_path / "t.libsvm"
    path.write_text("+1 3:1\n-1 7:1\n" * 10)
    summary = json.loads(run("select", path, "--target", "label", "--json").stdout)
    assert [entry["class"] for entry in summary["classes"]] == ["-1", "1"]
    assert summary["selected"][0]["feature"] == "f3"


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
        (["--target", "grower", "--include", "nope"], "error: --include names 'nope'"),
        (
            ["--target", "alcohol", "--target-kind", "classes"],
            "--target must hold classes, got numbers such as 14.23",
        ),
        (["--target", "grower", "--target-kind", "numbers"], "--target must hold numbers, got"),
        (["--target", "grower", "--delimiter", "ab"], "--delimiter must be one ASCII character"),
        (["--target", "grower", "--encoding", "nope"], "--encoding must be a name that Python"),
        (["--target", "grower", "--encoding", "utf-16"], "is not utf-16"),
        (["--target", "grower", "--format", "arff"], "line 1: 'alcohol,malic_acid"),
        (
            ["--target", "grower", "--format", "libsvm", "--delimiter", ";"],
            "--delimiter applies to CSV only, and this is libsvm; leave it out, or say which "
            "format the file has with --format",
        ),
    ],
)
def test_bad_options_are_one_line(wine_csv, capsys, arguments, message):
    assert message in fails(capsys, "select", wine_csv, *arguments)


def test_a_wrong_encoding_suggests_the_option(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,y\n1,\xe4\n")
    error = fails(capsys, "select", path, "--target", "y")
    assert "line 2: byte 3 (0xe4) is not utf-8: pass --encoding cp1252" in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("a,y\n", "no rows"),
        ("a,y\n1,u\n2\n", "line 3: 1 field"),
        ("y\nu\nv\n", "no columns are left"),
        ("a,y\n1,u\n2,\n3,v\n", "must not have missing values, got 1 (the first in data row 2)"),
        ("a,y\n1,u\n2,u\n", "--target must have at least two classes, got 1 class: 'u'"),
    ],
)
def test_bad_files_are_one_line(tmp_path, capsys, content, message):
    path = tmp_path / "t.csv"
    path.write_text(content)
    assert message in fails(capsys, "select", path, "--target", "y")


@pytest.mark.parametrize("target", ["last", "-1", "13"])
def test_the_target_may_be_given_by_its_place(wine_csv, target):
    printed = json.loads(run("select", wine_csv, "--target", target, "-k", "1", "--json").stdout)
    assert printed["target"] == "grower"
    assert printed["n_features"] == 13


def test_spaces_around_names_are_taken_off_on_demand(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a, y\n" + "0, u\n1, v\n" * 20)
    done = run("select", path, "--target", "y", "--strip", "--json")
    assert [entry["class"] for entry in json.loads(done.stdout)["classes"]] == ["u", "v"]
    assert "pass --strip to take spaces off" in str(run("select", path, "-t", "y").exception)


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


def test_the_demo_selects_draws_and_judges(tmp_path):
    page = tmp_path / "wine.html"
    result = run("demo", "--report", page)
    assert result.exit_code == 0
    X, y = load_wine(return_X_y=True)
    assert f"{len(DEACS().fit(X, y).ranking_)} of 13 features" in result.output
    few = cross_val_score(make_pipeline(DEACS(), StandardScaler(), SVC()), X, y).mean()
    assert "make_pipeline(DEACS(), StandardScaler(), SVC())" in result.output
    assert f"{few:.1%} accuracy with as many as it selects in each fold" in result.output
    assert page.as_uri() in result.output
    assert "flavanoids" in page.read_text()


def test_the_demo_is_introduced_in_lines_that_fit_a_terminal():
    from deacs.cli.demo import DEMOS

    for words, *_ in DEMOS.values():
        assert max(map(len, words.splitlines())) <= 80


def test_the_demo_says_what_a_page_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    result = run("demo", "--report", tmp_path / "wine.html")
    assert result.exit_code == 0
    assert "pip install 'deacs[report]'" in result.output


@pytest.mark.system
def test_the_module_runs_without_its_script():
    done = subprocess.run(
        [sys.executable, "-m", "deacs", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == f"deacs {__version__}"


def test_notes_speak_of_options(wine_csv):
    everything = "flavanoids,proline,color_intensity,hue,alcohol,malic_acid,ash,magnesium"
    options = ("--target", "grower", "--exclude", everything, "--judge", "radial")
    result = run("select", wine_csv, *options)
    assert "three for each of the 3 labels" in " ".join(result.output.split())
    assert "--judge sum" in " ".join(result.output.split())


SETS = [
    *("arrhythmia", "dna", "flags", "gisette-standin-basehock", "gisette-standin-mnist4v9"),
    *("isolet5", "kr-vs-kp", "mfeat-zernike", "musk2", "splice", "synthetic-control"),
]


@pytest.mark.real_data
@pytest.mark.parametrize("name", SETS)
def test_the_sets_of_the_paper_need_only_the_target(name):
    path = data_folder() / f"{name}.csv.gz"
    result = run("select", path, "--target", "class", "-k", "2", "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    advice = [note for note in summary["notes"] if "--exclude" in note]
    if name != "flags":
        assert len(summary["selected"]) == 2
        assert not advice
    else:
        assert advice[0].endswith("--exclude name")
        result = run("select", path, "--target", "class", "--exclude", "name", "--json")
        assert not any("--exclude" in note for note in json.loads(result.stdout)["notes"])


OTHERS = [method for method in METHODS if method not in ("deacs", "rrelieff")]


@pytest.mark.parametrize("method", OTHERS)
def test_every_method_selects_what_its_estimator_selects(method, wine_csv):
    result = run("select", wine_csv, "--target", "grower", "-k", "3", "-m", method, "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    X, y = load_wine(return_X_y=True, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = getattr(deacs, METHODS[method])(n_features_to_select=3).fit(X, y)
    assert [entry["feature"] for entry in summary["selected"]] == fitted.selected_names_
    assert [entry["score"] for entry in summary["selected"]] == fitted.scores_.tolist()
    assert set(summary["selected"][0]["label_scores_alone"]) == {"class_0", "class_1", "class_2"}
    assert summary["settings"]["method"] == method


def test_the_default_selects_what_its_estimator_selects(tmp_path):
    # MDLP finds no cut in any of these columns, so the answer hangs on what is done about that.
    rng = np.random.default_rng(3)
    X = pl.DataFrame(rng.normal(size=(400, 6)), schema=[f"x{j}" for j in range(6)])
    y = (X["x0"] ** 2 + rng.normal(size=400) > 1).cast(int).alias("y")
    path = tmp_path / "uncut.csv"
    X.with_columns(y).write_csv(path)
    here = DEACS(4).fit(X, y.to_numpy())
    there = json.loads(run("select", path, "-t", "y", "-k", "4", "--json").stdout)
    assert [entry["feature"] for entry in there["selected"]] == here.selected_names_
    bits = [list(entry["label_scores"].values()) for entry in there["selected"]]
    assert bits == here.label_scores_.tolist()
    assert there["settings"]["discretizer"] == here.discretizer
    published = json.loads(run("select", path, "-t", "y", "--published", "--json").stdout)
    assert published["settings"]["discretizer"] == DEACS.published().discretizer


def test_the_best_method_is_shown_with_its_own_codes_and_numbers(tmp_path):
    # MDLP finds no cut in four of these columns; DEACS, chosen as the first of equals, cuts them.
    rng = np.random.default_rng(3)
    X = pl.DataFrame(rng.normal(size=(400, 6)), schema=[f"x{j}" for j in range(6)])
    y = (X["x0"] + X["x1"] + rng.normal(scale=0.5, size=400) > 0).cast(int).alias("y")
    path = tmp_path / "uncut.csv"
    X.with_columns(y).write_csv(path)
    result = run("select", path, "-t", "y", "-k", "2", "-m", "best", "--json")
    assert result.exit_code == 0, result.output
    answer = json.loads(result.stdout)
    chosen = DEACS(2).fit(X, y.to_numpy())
    assert "Chosen: deacs with 2" in " ".join(answer["notes"])
    assert "nested=True of deacs.SelectorCV estimates" in " ".join(answer["notes"])
    assert [entry["feature"] for entry in answer["selected"]] == chosen.selected_names_
    assert [entry["adds"] for entry in answer["selected"]] == pytest.approx(
        (chosen.held_out_.gain / chosen.held_out_.loss).tolist()
    )
    assert answer["settings"]["discretizer"] == chosen.discretizer
    shown = run("select", path, "-t", "y", "-k", "1", "-m", "best", "--details").output
    assert " best " not in shown  # the score is that of the chosen one


def test_another_methods_table_names_its_score_and_what_features_tell_alone(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "-m", "mrmr")
    assert result.exit_code == 0, result.output
    for words in (
        "13 of 13 features",
        "mrmr",
        "informative alone about",
        "all features are ranked",
        "mrmr by itself leaves out none of these features; -k sets how many to keep",
    ):
        assert words in result.output
    assert "still unexplained" not in result.output


def test_weights_come_from_a_column_that_is_no_feature(wine_csv, tmp_path):
    table = pl.read_csv(wine_csv)
    counts = np.arange(len(table)) % 3
    path = tmp_path / "weighted.csv"
    table.with_columns(count=counts).write_csv(path)
    result = run("select", path, "-t", "grower", "-k", "4", "--weights", "count", "--json")
    summary = json.loads(result.stdout)
    X, y = table.drop("grower"), table["grower"]
    fitted = DEACS(4).fit(X, y, sample_weight=counts)
    assert [entry["feature"] for entry in summary["selected"]] == fitted.selected_names_
    assert summary["n_features"] == 13


def test_costs_come_from_a_file_and_a_budget_ends_the_selection(wine_csv, tmp_path):
    names = [name for name in pl.read_csv(wine_csv).columns if name != "grower"]
    prices = tmp_path / "costs.csv"
    pl.DataFrame({"feature": names, "cost": range(1, 14)}).write_csv(prices)
    result = run("select", wine_csv, "-t", "grower", "--costs", prices, "--budget", "12", "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    costs = dict(zip(names, range(1, 14), strict=True))
    X, y = load_wine(return_X_y=True, as_frame=True)
    fitted = DEACS(costs=Costs(costs, budget=12)).fit(X, y)
    assert [entry["feature"] for entry in summary["selected"]] == fitted.selected_names_
    assert sum(costs[name] for name in fitted.selected_names_) <= 12
    assert summary["stop_reason"] == fitted.stop_reason_


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "mrmr", "--judge", "sum"], "--judge does not apply to --method mrmr"),
        (["-m", "best", "--discretizer", "mdlp"], "--discretizer does not apply to --method best"),
        (["-m", "relieff", "--weights", "ash"], "--weights does not apply to --method relieff"),
        (["--weights", "ahs"], "did you mean 'ash'"),
        (
            ["--judge", "radial", "--weight-ratio", "0.5"],
            "--weight-ratio must be at least 1, got 0.5",
        ),
        (["--budget", "5"], "--budget needs --costs"),
        (["--judge", "sum", "--weight-ratio", "2"], "--weight-ratio does not apply to --judge sum"),
    ],
)
def test_options_that_do_not_apply_are_refused(arguments, message, wine_csv, capsys):
    assert message in fails(capsys, "select", wine_csv, "--target", "grower", *arguments)


@pytest.mark.parametrize("method", ["deacs", "mrmr", "relieff"])
def test_a_report_is_one_page_that_names_what_was_selected(method, wine_csv, tmp_path):
    page = tmp_path / "page.html"
    result = run("select", wine_csv, "-t", "grower", "-k", "3", "-m", method, "--report", page)
    assert result.exit_code == 0, result.output
    assert page.name in result.output.replace("\n", "")
    text = page.read_text()
    X, y = load_wine(return_X_y=True, as_frame=True)
    for feature in (
        getattr(deacs, METHODS[method])(n_features_to_select=3).fit(X, y).selected_names_
    ):
        assert feature in text


def test_a_report_that_cannot_be_written_is_refused_before_the_work(wine_csv, tmp_path, capsys):
    page = tmp_path / "nowhere" / "page.html"
    error = fails(capsys, "select", wine_csv, "-t", "grower", "--report", page)
    assert "--report" in error
    assert "does not exist" in error


@pytest.fixture(scope="module")
def wine_codes(wine_csv, tmp_path_factory):
    codes = tmp_path_factory.mktemp("codes") / "wine.codes"
    result = run("encode", wine_csv, "--target", "grower", "--out", codes)
    assert result.exit_code == 0, result.output
    return codes


@pytest.mark.parametrize("method", ["deacs", "mrmr"])
def test_codes_on_disk_give_what_its_file_gives(method, wine_csv, wine_codes):
    options = ("-k", "3", "-m", method, "--json")
    from_file = json.loads(run("select", wine_csv, "--target", "grower", *options).stdout)
    from_codes = json.loads(run("select", wine_codes, *options).stdout)
    for key in ("target", "n_rows", "n_features", "stop_reason"):
        assert from_codes[key] == from_file[key]
    for one, other in zip(from_codes["selected"], from_file["selected"], strict=True):
        estimated = {"adds": 0, "adds_error": 0, "chosen": 0}
        assert one | estimated == other | estimated


def test_codes_on_disk_have_a_report(wine_codes, tmp_path):
    page = tmp_path / "page.html"
    result = run("select", wine_codes, "-k", "3", "--report", page)
    assert result.exit_code == 0, result.output
    assert "flavanoids" in page.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--exclude", "ash"], "--exclude applies to files"),
        (["--missing-marker", "-"], "--missing-marker applies to files"),
        (["--method", "relieff"], "--method relieff applies to files"),
        (["--target", "ash"], "--target is 'ash', but"),
    ],
)
def test_options_of_files_are_refused_for_codes(arguments, message, wine_codes, capsys):
    assert message in fails(capsys, "select", wine_codes, *arguments)


def test_a_file_needs_a_target(wine_csv, capsys):
    assert "Missing option '--target'" in fails(capsys, "select", wine_csv)


def test_as_many_as_are_significant_with_their_p_values(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "-k", "auto", "--json")
    printed = json.loads(result.stdout)
    X, y = load_wine(return_X_y=True, as_frame=True)
    selector = DEACS("auto", stop=Significant(random_state=0)).fit(X, y)
    assert [entry["feature"] for entry in printed["selected"]] == selector.selected_names_
    assert [entry["p_value"] for entry in printed["selected"]] == selector.p_values_.tolist()
    assert printed["next_p_value"] == selector.next_p_value_
    assert printed["stop_reason"] == "not significant"


def test_the_published_setting_is_that_of_the_library(wine_csv):
    result = run("select", wine_csv, "--target", "grower", "-k", "4", "--published", "--json")
    X, y = load_wine(return_X_y=True, as_frame=True)
    expected = DEACS.published(4).fit(X, y)
    printed = json.loads(result.stdout)
    assert [entry["feature"] for entry in printed["selected"]] == expected.selected_names_
    assert [entry["score"] for entry in printed["selected"]] == expected.scores_.tolist()


def test_options_make_the_setting_that_the_library_takes(wine_csv):
    options = ("--judge", "radial", "--weight-ratio", "3", "--min-group-size", "20")
    more = ("--label-score", "one-vs-rest", "--estimator", "miller-madow", "-k", "4", "--json")
    printed = json.loads(run("select", wine_csv, "-t", "grower", *options, *more).stdout)
    X, y = load_wine(return_X_y=True, as_frame=True)
    expected = DEACS(
        4,
        judge=Radial(weight_ratio=3),
        conditioning=Blocks(min_group_size=20),
        label_score=OneVsRest(estimator="miller-madow"),
    ).fit(X, y)
    assert [entry["feature"] for entry in printed["selected"]] == expected.selected_names_
    assert printed["settings"]["judge"] == {
        "type": "Radial",
        "weight_ratio": 3.0,
        "label_weights": None,
        "unit": "bits",
        "tie_break": "sum",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "few"], "-k must be a whole number, a share such as 0.5, or 'auto', got 'few'"),
        (["-k", "3", "--alpha", "0.1"], "--alpha is for -k auto"),
        (["-k", "auto", "--alpha", "3"], "--alpha must lie between 0 and 1"),
        (["-k", "auto", "-m", "mrmr"], "-k auto does not apply to --method mrmr"),
        (["-m", "mrmr", "--published"], "--published does not apply to --method mrmr"),
        (["--conditioning", "blocks", "--min-group-size", "-3"], "--min-group-size must be"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options_that_cannot_be_met_are_named(wine_csv, capsys, options, words):
    assert words in fails(capsys, "select", wine_csv, "--target", "grower", *options)


def test_rows_without_a_class_are_left_out_if_that_is_said(deacs, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,y\n" + "0,u\n1,v\n1,\n" * 4)
    refused = deacs("select", file, "-t", "y")
    assert refused.code == 2
    assert "or pass --drop-unlabelled to leave these rows out" in refused.err
    assert "from 8 rows, 2 classes" in deacs("select", file, "-t", "y", "--drop-unlabelled").out


def test_a_file_without_a_header_line_is_told_and_read(deacs, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("0,5.5,u\n1,5.5,v\n" * 4)
    refused = deacs("select", file, "-t", "y")
    assert refused.code == 2
    assert "pass --no-header and call the columns c1 to c3" in refused.err
    done = deacs("select", file, "-t", "c3", "--no-header", "--published")
    assert done.code == 0
    assert "1 of 2 features selected from 8 rows" in done.out
    assert "c1" in done.out


def test_bytes_of_parquet_are_refused_with_how_to_leave_them_out(deacs, tmp_path):
    file = tmp_path / "t.parquet"
    pl.DataFrame({"last seen": [b"u", b"v"], "y": ["u", "v"]}).write_parquet(file)
    refused = deacs("select", file, "-t", "y")
    assert refused.err.endswith("or leave it out with --exclude 'last seen'\n")


def test_what_is_wrong_with_the_table_is_noted_before_what_is_weak_in_the_method(deacs, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b,y\n" + "".join(f"{k},{k % 2},{'uvw'[k // 20]}\n" for k in range(60)))
    out = deacs("select", file, "-t", "y", "--published").out
    notes = [line for line in out.splitlines() if "Note: " in line]
    assert notes[0].startswith("Note: 'a': the whole numbers of one range")
    assert notes[-1].startswith("Note: From step 1 on fewer than 12 candidates")


def test_a_share_of_the_features_can_be_asked_for(deacs, wine_csv):
    for method in ("deacs", "mrmr"):
        done = deacs("select", wine_csv, "-t", "grower", "-k", "0.25", "-m", method)
        assert "3 of 13 features" in done.out
    refused = deacs("select", wine_csv, "-t", "grower", "-k", "1.5")
    assert "-k must be" in refused.err
    assert "a whole number between 1 and 13 (the number of features) or a share" in refused.err


def test_a_number_as_target_has_thresholds(wine_csv, tmp_path):
    page = tmp_path / "page.html"
    result = run("select", wine_csv, "--target", "alcohol", "-k", "3", "--report", page)
    assert result.exit_code == 0, result.output
    for words in ("3 of 13 features", "5 thresholds", "<= 12.", "unexplained in new rows"):
        assert words in result.output
    shown = page.read_text()
    assert "of the variance of the target (R² " in shown
    assert "Which feature is informative about which threshold" in shown
    same = run("select", wine_csv, "--target", "alcohol", "-k", "3", "--json")
    document = json.loads(same.stdout)
    assert document["target_kind"] == "numbers"
    X = pl.read_csv(wine_csv)
    data = deacs.encode(X.drop("alcohol"), X["alcohol"], order=True)
    fitted = DEACS(3).fit(data)
    assert [entry["class"] for entry in document["classes"]] == fitted.classes_.tolist()
    scores = [list(entry["label_scores"].values()) for entry in document["selected"]]
    assert scores == fitted.label_scores_.tolist()


def test_a_bar_agrees_with_the_share_written_beside_it(tmp_path):
    path = tmp_path / "copies.csv"
    path.write_text("copy,kind\n" + "a,u\nb,v\nc,w\n" * 5000)
    lines = [line for line in run("select", path, "-t", "kind").output.splitlines() if "░" in line]
    assert len(lines) == 3
    for line in lines:
        share = float(line.rstrip().rpartition(" ")[2].rstrip("%"))
        assert ("█" in line) == (share > 0)
    assert any("█" not in line for line in lines)


def test_a_method_for_classes_names_another_where_whole_numbers_are_a_quantity(tmp_path, capsys):
    path = tmp_path / "marks.csv"
    path.write_text("mark,hours\n" + "".join(f"{k},{k % 7}\n" for k in range(40)))
    message = fails(capsys, "select", path, "--target", "mark", "-m", "relieff")
    assert "--method relieff needs classes, and 'mark' is a quantity" in message
    assert "--method rrelieff" in message
    # What the message offers works.
    assert run("select", path, "-t", "mark", "-m", "rrelieff", "-k", "1").exit_code == 0
    classes = run("select", path, "-t", "mark", "-m", "relieff", "--target-kind", "classes")
    assert classes.exit_code == 0


def test_rrelieff_selects_for_numbers(wine_csv):
    result = run("select", wine_csv, "--target", "alcohol", "-k", "3", "-m", "rrelieff", "--json")
    assert result.exit_code == 0, result.output
    X = pl.read_csv(wine_csv)
    fitted = deacs.RReliefF(3).fit(X.drop("alcohol"), X["alcohol"])
    selected = json.loads(result.stdout)["selected"]
    assert [entry["feature"] for entry in selected] == fitted.selected_names_


def test_a_target_that_may_be_either_says_how_to_decide(tmp_path):
    path = tmp_path / "ages.csv"
    rng = np.random.default_rng(0)
    ages = rng.integers(18, 90, 300)
    pl.DataFrame({"x": ages + rng.normal(size=300), "age": ages}).write_csv(path)
    result = run("select", path, "--target", "age", "-k", "1")
    said = " ".join(result.output.split())
    assert "--target-kind numbers" in said
    assert "--target-kind classes" in said
    quiet = run("select", path, "--target", "age", "-k", "1", "--target-kind", "numbers")
    assert "--target-kind" not in quiet.output
    assert "thresholds" in quiet.output


def test_the_demo_of_numbers_selects_draws_and_judges(tmp_path):
    page = tmp_path / "diabetes.html"
    result = run("demo", "--numbers", "--report", page)
    assert result.exit_code == 0, result.output
    assert "4 of 10 features selected from 442 rows, 5 thresholds" in result.output
    X, y = load_diabetes(return_X_y=True)
    model = make_pipeline(DEACS(4, target="numbers"), StandardScaler(), SVR(C=30))
    assert "make_pipeline(DEACS(4), StandardScaler(), SVR(C=30))" in result.output
    few = cross_val_score(model, X, y).mean()
    assert f"{few:.1%} of the variance explained with 4 features" in result.output
    assert "The course of diabetes" in page.read_text()


def test_one_demonstration_at_a_time(capsys):
    assert "--labels and --numbers" in fails(capsys, "demo", "--labels", "--numbers")


@pytest.mark.parametrize("words", [("true", "false"), ("True", "False"), ("TRUE", "FALSE")])
@pytest.mark.parametrize("method", ["deacs", "relieff"])
def test_boolean_classes_are_spelled_as_in_the_file(tmp_path, words, method):
    file, out = tmp_path / "t.csv", tmp_path / "small.parquet"
    file.write_text("a,b,y\n" + "".join(f"{k % 4},{k % 7},{words[k % 2]}\n" for k in range(60)))
    result = run("select", file, "-t", "y", "-k", "1", "-m", method, "--json", "-o", out)
    assert result.exit_code == 0, result.output
    assert [entry["class"] for entry in json.loads(result.stdout)["classes"]] == [*words[::-1]]
    assert pl.read_parquet(out).schema["y"] == pl.Boolean


def test_boolean_classes_of_several_spellings_are_two_all_the_same(tmp_path):
    file = tmp_path / "t.csv"
    words = ("true", "FALSE", "True", "false")
    file.write_text("a,y\n" + "".join(f"{k % 2},{words[k % 4]}\n" for k in range(60)))
    printed = json.loads(run("select", file, "-t", "y", "--json").stdout)
    assert [entry["class"] for entry in printed["classes"]] == ["False", "True"]


OF_VERBS = {
    "select": ("-k", "1"),
    "compare": ("-m", "mim", "--folds", "2", "--classifiers", "nb", "-q"),
    "encode": ("--out", "wine.codes"),
}


@pytest.mark.parametrize("verb", OF_VERBS)
def test_an_excluded_target_is_noted(verb, wine_csv, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(verb, wine_csv, "-t", "grower", "--exclude", "ash,grower", *OF_VERBS[verb])
    assert result.exit_code == 0, result.output
    note = "--exclude names the target 'grower', which is never a feature: it has no effect"
    assert note in result.output.replace("\n", " ")


def test_excluding_the_last_column_makes_another_one_the_last(wine_csv):
    result = run("select", wine_csv, "-t", "last", "--exclude", "grower", "-k", "1", "--json")
    printed = json.loads(result.stdout)
    assert printed["target"] == "proline"
    assert not any("--exclude names" in note for note in printed["notes"])


def test_unlabelled_rows_are_left_out_also_if_the_target_has_a_comma(tmp_path):
    file = tmp_path / "t.csv"
    rows = "".join(f"{k % 2},{'uv'[k % 2] if k else ''}\n" for k in range(60))
    file.write_text(f'a,"kind, old"\n{rows}')
    for target in ("kind, old", '"kind, old"'):
        result = run("select", file, "-t", target, "--drop-unlabelled", "--json")
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["n_rows"] == 59


def test_groups_of_codes_are_refused_before_the_work(wine_codes, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("deacs.cli.select.make_selector", None)
    out = tmp_path / "groups.csv"
    error = fails(capsys, "select", wine_codes, "-k", "2", "--groups-out", out)
    assert "--groups-out applies to files, not to the codes in" in error


@pytest.mark.parametrize("option", [[], ["--json"]])
def test_held_out_rows_are_estimated_once(wine_csv, monkeypatch, option):
    calls = []
    estimate = Refits.held_out

    def counted(self, selected):
        calls.append(len(selected))
        return estimate(self, selected)

    monkeypatch.setattr(Refits, "held_out", counted)
    assert run("select", wine_csv, "--target", "grower", "-k", "2", *option).exit_code == 0
    assert calls == [2]


def test_a_feature_that_no_refit_chose_has_no_number_but_says_so(tmp_path):
    rng = np.random.default_rng(5)
    X = pl.DataFrame(rng.normal(size=(120, 900)), schema=[f"x{j}" for j in range(900)])
    path = tmp_path / "noise.csv"
    X.with_columns(pl.Series("y", np.arange(120) % 2)).write_csv(path)
    answer = json.loads(run("select", path, "-t", "y", "-k", "5", "--json").stdout)
    never = [entry for entry in answer["selected"] if entry["chosen"] == 0]
    assert never
    assert all(entry["adds"] is None and entry["adds_error"] is None for entry in never)
    assert answer["held_out"]["refits"] == 5
    assert "not chosen again" in run("select", path, "-t", "y", "-k", "5").output


def test_r2_leads_where_the_target_is_a_number(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=300)
    path = tmp_path / "numbers.csv"
    names = [f"x{j}" for j in range(5)]
    pl.DataFrame(X, schema=names).with_columns(pl.Series("y", y)).write_csv(path)
    answer = json.loads(run("select", path, "-t", "y", "-k", "2", "--json").stdout)
    r2 = answer["held_out"]["r2"]
    assert len(r2) == 3
    assert r2[-1] == pytest.approx(2 / 2.25, abs=0.05)  # the variance of both, and of the noise
    lines = run("select", path, "-t", "y", "-k", "2").output.split("\n")
    [first] = [line for line in lines if line.startswith("2 of 5 features")]
    assert lines[lines.index(first) + 1].startswith(f"R² {r2[-1]:.2f} in new rows")


def test_arrows_are_plain_signs_where_the_terminal_has_no_others(wine_csv):
    X, y = WINE
    file = TextIOWrapper(BytesIO(), encoding="ascii", errors="replace")
    show(DEACS(1).fit(X, "class_" + y.astype(str)).result_, Console(file=file, width=120), [])
    file.seek(0)
    output = file.read()
    assert "class_2 v 0.595, class_0 ^ 0.455" in output
    assert "values that speak for it: ^ high, v low, <> a range" in output


def test_details_name_the_values_that_speak_for_a_class(wine_csv):
    output = run("select", wine_csv, "--target", "grower", "-k", "1", "--details").output
    assert re.search(r"1 +flavanoids +class_2 +low: <= 1\.575 +100% +11%", output)
    assert re.search(r"class_0 +high: > 2\.31 +98% +16%", output)
