"""One table in every format gives one selection, from Python and from the command line."""

import gzip
import json
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from deacs import DEACS
from deacs.cli.app import app
from deacs.tables.files import read_table
from tests.unit.tables.files.arff_writer import arff_text, sparse_arff_text

FORMATS = ["csv", "semicolons", "utf-16", "tsv.gz", "parquet", "arff", "arff.gz", "sparse"]


def wine():
    data = load_wine()
    classes = pl.Series(data.target_names[data.target])
    return pl.DataFrame(data.data, schema=list(data.feature_names)).with_columns(y=classes)


def mixed():
    """Strings, booleans, integers few and many, floats, missing values in each."""
    rng = np.random.default_rng(4)
    n = 300
    y = rng.integers(0, 3, n)
    noise = rng.random((n, 6)) < 0.3
    columns = {
        "a word": np.where(noise[:, 0], "it's, odd", np.array(["low", "mid", "high"])[y]),
        "flag": np.where(noise[:, 1], rng.integers(0, 2, n), y == 1).astype(bool),
        "few": np.where(noise[:, 2], rng.integers(0, 5, n), y),
        "many": rng.integers(0, 900, n) + 200 * y,
        "size": rng.normal(size=n) + y,
        "grade": np.where(noise[:, 3], "3", np.array(["1", "2", "3"])[y]),
    }
    table = pl.DataFrame(columns).with_columns(pl.col("grade").cast(pl.Enum(["1", "2", "3"])))
    holes = {name: pl.Series(rng.random(n) < 0.1) for name in columns}
    return table.with_columns(
        pl.when(~hole).then(pl.col(name)).alias(name) for name, hole in holes.items()
    ).with_columns(y=pl.Series(np.array(["u", "v", "w"])[y]))


def save(table, kind, folder):
    path = folder / f"table.{kind}"
    match kind:
        case "csv":
            table.write_csv(path)
        case "semicolons":
            path = folder / "semicolons.csv"
            table.write_csv(path, separator=";", quote_style="non_numeric", null_value="NA")
        case "utf-16":
            path = folder / "utf-16.csv"
            path.write_bytes(table.write_csv().encode("utf-16"))
        case "tsv.gz":
            path.write_bytes(gzip.compress(table.write_csv(separator="\t").encode()))
        case "parquet":
            table.write_parquet(path)
        case "arff":
            path.write_text(arff_text(table), encoding="utf-8")
        case "arff.gz":
            path.write_bytes(gzip.compress(arff_text(table).encode()))
        case "sparse":
            path = folder / "sparse.arff"
            path.write_text(sparse_arff_text(table), encoding="utf-8")
    return path


@pytest.fixture(params=[wine, mixed], scope="module")
def table(request):
    return request.param()


@pytest.fixture(scope="module")
def reference(table):
    # The grades are digits: in a text format only a declaration, or a word, makes them nominal.
    return DEACS.published(discrete_features=discrete(table)).fit(table.drop("y"), table["y"])


def discrete(table):
    return ["a word", "flag", "few", "grade"] if "grade" in table.columns else "auto"


@pytest.mark.parametrize("kind", FORMATS)
def test_the_estimator_selects_the_same_from_every_format(tmp_path, table, reference, kind):
    path = save(table, kind, tmp_path)
    nominal = ["grade"] if "grade" in table.columns else []
    X, y = read_table(path, target="y", nominal=nominal)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = DEACS.published().fit(X, y)
    assert found.selected_names_ == reference.selected_names_
    np.testing.assert_array_equal(found.scores_, reference.scores_)
    np.testing.assert_array_equal(found.label_scores_, reference.label_scores_)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_command_line_selects_the_same_from_every_format(tmp_path, table, reference, kind):
    path = save(table, kind, tmp_path)
    result = CliRunner().invoke(
        app, ["select", str(path), "--target", "y", "--published", "--json"]
    )
    assert result.exit_code == 0, result.output
    selected = json.loads(result.stdout)["selected"]
    assert [entry["feature"] for entry in selected] == reference.selected_names_
    scores = [float(entry["score"]) for entry in selected]
    np.testing.assert_array_equal(scores, reference.scores_)
