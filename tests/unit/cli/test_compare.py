"""`deacs compare` as a person and as a program use it."""

import json

import polars as pl
import pytest
import typer
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs.cli.compare import compare
from deacs.exceptions import InputError

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
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "80"})


SMALL = ("--target", "grower", "--folds", 2, "-k", 3, "--classifiers", "nb,5-nn")


def test_the_table_shows_what_json_holds(wine_csv):
    shown = run(wine_csv, *SMALL, "-m", "published,mrmr")
    assert shown.exit_code == 0, shown.output
    assert "Best accuracy (%) on held-out rows, mean of nb, 5-nn" in shown.output
    answer = json.loads(run(wine_csv, *SMALL, "-m", "published,mrmr", "--json").stdout)
    assert answer["schema"] == {"name": "deacs.compare", "version": 2}
    assert (answer["target"], answer["folds"], answer["metric"]) == ("grower", 2, "accuracy")
    lines = {line.split()[0]: line.split() for line in shown.output.splitlines() if line.split()}
    for entry in answer["methods"]:
        assert len(entry["curve"]) == len(answer["sizes"]) == 3
        assert max(entry["curve"]) == entry["score"]
        line = lines[entry["method"]]
        assert line[1:3] == [f"{100 * entry['score']:.2f}", str(entry["n_features"])]
        agreement = entry["stability"]
        assert line[3] == ("-" if agreement is None else f"{agreement:.2f}")


def test_by_default_the_default_selector_meets_others_all_features_and_chance(wine_csv):
    how = ("--target", "grower", "--folds", 2, "--classifiers", "nb", "--json")
    answer = json.loads(run(wine_csv, *how).stdout)
    methods = {entry["method"]: entry for entry in answer["methods"]}
    names = ["deacs", "published", "cfs", "mrmr", "jmi", "f-test", "all", "chance"]
    assert list(methods) == names
    assert methods["chance"]["score"] == pytest.approx(71 / 178, abs=0.01)  # the largest class
    assert methods["all"]["n_features"] == 13
    assert methods["all"]["stability"] is None  # all columns are chosen in every fold


def test_a_folder_resumes(wine_csv, tmp_path):
    first = run(wine_csv, *SMALL, "-m", "mrmr", "--out", tmp_path / "new").output
    assert run(wine_csv, *SMALL, "-m", "mrmr", "--out", tmp_path / "new").output == first
    assert len((tmp_path / "new" / "comparison.jsonl").read_text().splitlines()) == 2 * 2


def test_numbers_are_compared_by_r2(wine_csv):
    how = ("--target", "proline", "--target-kind", "numbers", "--folds", 2, "-m", "mim,chance")
    shown = run(wine_csv, *how, "--classifiers", "ridge").output
    assert "Best r2 (%) on held-out rows, mean of ridge" in shown


def test_files_are_read_as_select_reads_them_and_doubts_are_told(tmp_path):
    file = tmp_path / "t.txt"
    rows = [f"{k}|{k % 3 + k / 100} kg|{'uvw'[k % 3]}" for k in range(42)]
    file.write_text("\n".join(rows), encoding="utf-16-le")
    how = ["--no-header", "--encoding", "utf-16-le", "--delimiter", "|", "--methods", "mim"]
    more = ["--target", "c3", "--classifiers", "nb", "--folds", 2, "--json"]
    printed = json.loads(run(file, *how, *more).stdout)
    assert printed["methods"][0]["n_features"] in (1, 2)
    assert any("'c2': read as text" in note for note in printed["notes"])
    assert "Note: 'c2': read as text" in run(file, *how, *more[:-1]).output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--methods", "mrmrr"), "--methods must name selectors, got 'mrmrr'"),
        (("--methods", "rrelieff"), "--methods must suit a target of classes"),
        (("--classifiers", "knn"), "--classifiers must be nb, svm"),
        (("--metric", "auc"), "--metric must be one of accuracy"),
    ],
)
def test_mistakes_are_named_by_their_options(wine_csv, arguments, words):
    result = run(wine_csv, "--target", "grower", *arguments)
    assert isinstance(result.exception, InputError)
    assert words in str(result.exception)
