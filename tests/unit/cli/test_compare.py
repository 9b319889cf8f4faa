"""`deacs compare` as a person and as a program use it."""

import json

import numpy as np
import polars as pl
import pytest
import typer
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs.cli.compare import compare
from deacs.exceptions import InputError
from deacs.experiments import compare_results, read_results

app = typer.Typer()
app.command()(compare)


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


SMALL = ("--target", "grower", "--methods", "dea-cs,mrmr", "--folds", 2, "-k", 3,
         "--classifiers", "nb,1-nn")  # fmt: skip


def test_the_table_shows_the_best_of_each_method(wine_csv, tmp_path):
    result = run(wine_csv, *SMALL, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "Best average accuracy (%) of nb, 1-nn @ number of features; protocol nested" in (
        result.output
    )
    comparison = compare_results(read_results(tmp_path))
    for method in ("dea-cs", "mrmr"):
        best = comparison.best("wine.csv", method)
        assert f"{best.accuracy:.2f} @{best.n_features}" in result.output


def test_json_holds_whole_curves(wine_csv):
    result = run(wine_csv, *SMALL, "--json", "--exclude", "proline")
    answer = json.loads(result.stdout)
    assert answer["schema"] == {"name": "deacs.compare", "version": 1}
    assert (answer["target"], answer["protocol"]) == ("grower", "nested")
    assert [entry["method"] for entry in answer["bests"]] == ["dea-cs", "mrmr"]
    for entry in answer["bests"]:
        assert len(entry["curve"]) == 3
        assert max(entry["curve"]) == pytest.approx(entry["accuracy"], abs=0.005)
    assert answer["errors"] == []


def test_json_holds_the_stability_that_the_table_shows(wine_csv, tmp_path):
    """Of two folds' selections at the best number k of 13 features: Kuncheva's index."""
    answer = json.loads(run(wine_csv, *SMALL, "--out", tmp_path, "--json").stdout)
    shown = run(wine_csv, *SMALL, "--out", tmp_path).output
    line = next(line for line in shown.splitlines() if line.startswith("stability"))
    selections = read_results(tmp_path).selections
    for entry in answer["bests"]:
        k = entry["n_features"]
        one, other = (set(r["ranking"][:k]) for r in selections if r["method"] == entry["method"])
        expected = (len(one & other) * 13 - k**2) / (k * 13 - k**2)
        assert entry["stability"] == pytest.approx(expected)
        assert f"{entry['stability']:.2f}" in line


def test_by_default_the_default_selector_meets_others_all_features_and_chance(wine_csv):
    how = ("--target", "grower", "--folds", 2, "--classifiers", "nb", "--json")
    answer = json.loads(run(wine_csv, *how).stdout)
    methods = {entry["method"]: entry for entry in answer["bests"]}
    assert list(methods) == ["deacs", "published", "cfs", "mrmr", "jmi", "f-test", "all"]
    assert answer["measure"] == "accuracy"
    assert answer["chance"] == pytest.approx(100 * 71 / 178)  # the largest class of 178 rows
    everything = methods["all"]
    assert everything["n_features"] == 13
    assert [accuracy is None for accuracy in everything["curve"]] == [True] * 12 + [False]
    assert everything["stability"] is None  # all columns are chosen in every fold
    shown = run(wine_csv, *how[:-1]).output
    assert "Chance, the commonest class of the training rows: 39.89" in shown
    assert next(line for line in shown.splitlines() if line.startswith("stability")).endswith("-")


@pytest.fixture(scope="module")
def numbers_csv(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    table = pl.DataFrame(X, schema=list("abcd")).with_columns(y=pl.Series(2 * X[:, 1] + X[:, 3]))
    path = tmp_path_factory.mktemp("data") / "numbers.csv"
    table.write_csv(path)
    return path


def test_numbers_are_compared_by_r2_with_methods_for_numbers(numbers_csv):
    how = ("--target", "y", "--folds", 2, "--classifiers", "ridge", "-m", "rrelieff,f-test,all")
    answer = json.loads(run(numbers_csv, *how, "--json").stdout)
    assert answer["errors"] == []
    assert answer["measure"] == "R2"
    assert answer["chance"] < 5
    assert all(entry["accuracy"] > 40 for entry in answer["bests"])


@pytest.mark.parametrize(("file", "method"), [("wine_csv", "rrelieff"), ("numbers_csv", "relieff")])
def test_a_method_for_another_kind_of_target_is_refused_at_once(request, file, method):
    target = "grower" if file == "wine_csv" else "y"
    result = run(request.getfixturevalue(file), "--target", target, "--methods", f"mrmr,{method}")
    assert isinstance(result.exception, InputError)
    assert "--methods must suit the target" in str(result.exception)
    assert f"got {method!r}" in str(result.exception)


def test_one_selection_has_no_stability(wine_csv):
    answer = json.loads(run(wine_csv, *SMALL, "--protocol", "paper", "--json").stdout)
    assert [entry["stability"] for entry in answer["bests"]] == [None, None]


def test_the_paper_s_protocol_is_called_optimistic(wine_csv):
    result = run(wine_csv, *SMALL, "--protocol", "paper")
    assert "paper (optimistic)" in result.output
    assert "--protocol nested is honest" in result.output


def test_files_are_read_as_select_reads_them_and_doubts_are_told(tmp_path):
    file = tmp_path / "t.txt"
    rows = [f"{k}|{k % 3 + k / 100} kg|{'uvw'[k % 3]}" for k in range(42)]
    file.write_text("\n".join(rows), encoding="utf-16-le")
    how = ["--no-header", "--encoding", "utf-16-le", "--delimiter", "|", "--methods", "mim"]
    more = ["--target", "c3", "--classifiers", "nb", "--folds", 2, "--json"]
    printed = json.loads(run(file, *how, *more).stdout)
    assert printed["bests"][0]["n_features"] in (1, 2)
    assert any("'c2': read as text" in note for note in printed["notes"])
    assert "Note: 'c2': read as text" in run(file, *how, *more[:-1]).output


def test_figures_and_few_sizes(wine_csv, tmp_path):
    result = run(wine_csv, *SMALL, "--sizes", "1,3", "--figures", tmp_path, "--json")
    assert {path.name for path in tmp_path.iterdir()} == {
        "curves-wine.csv.png",
        "frontier-wine.csv.png",
    }
    for entry in json.loads(result.stdout)["bests"]:
        assert entry["curve"][1] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--methods", "mrmrr"), "got 'mrmrr'; known names are deacs"),
        (("--classifiers", "knn"), "got 'knn'"),
        (("--folds", 1), "--folds must be 2 or more"),
        (("--sizes", "1,two"), "--sizes must be whole numbers such as 1,2,5, got 1,two"),
        (("--sizes", "1,40"), "sizes must be numbers between 1 and 13"),
    ],
)
def test_mistakes_are_named(wine_csv, arguments, words):
    result = run(wine_csv, "--target", "grower", *arguments)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)


def test_a_step_that_cannot_be_drawn_does_not_cost_the_results(wine_csv, tmp_path):
    result = run(wine_csv, *SMALL, "--figures", tmp_path, "--step", 99)
    assert isinstance(result.exception, InputError)
    assert "--step must be between 1 and" in str(result.exception)
    assert "Best average accuracy (%)" in result.stdout
