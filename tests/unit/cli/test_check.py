"""`deacs check`: a table, one verdict, and an exit code for a job that runs every night."""

import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from deacs.cli.app import app


def run(*arguments, width=100):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": str(width)})


def visits(seed):
    rng = np.random.default_rng(seed)
    ill = rng.random(500) < 0.4
    return pl.DataFrame(
        {
            "dose": (rng.normal(size=500) + 2 * ill).round(3),
            "ward": np.where(rng.random(500) < 0.8, np.where(ill, "south", "north"), "east"),
            "ill": np.where(ill, "yes", "no"),
        }
    )


@pytest.fixture
def rules(tmp_path):
    visits(0).write_csv(tmp_path / "may.csv")
    saved = tmp_path / "rules.json"
    done = run("select", tmp_path / "may.csv", "-t", "ill", "-k", "2", "--save", saved)
    assert done.exit_code == 0, done.output
    assert f"Next: deacs check {saved} NEW.csv\n" in done.output
    return saved


def test_rows_of_the_same_kind_are_as_before(rules, tmp_path):
    visits(1).write_csv(tmp_path / "june.csv")
    for target in ([], ["--target", "ill"]):
        done = run("check", rules, tmp_path / "june.csv", *target)
        assert done.exit_code == 0, done.output
        assert "As before: 500 rows" in done.output
        assert ("target" in done.output) == bool(target)


def test_what_has_changed_is_named_and_is_the_exit_code(rules, tmp_path):
    july = visits(2).with_columns(pl.col("dose") + 1, ward=pl.lit("west"))
    july.write_csv(tmp_path / "july.csv")
    done = run("check", rules, tmp_path / "july.csv")
    assert done.exit_code == 1
    assert "Changed: 2 of 2, 500 rows" in done.output
    assert "such as 'west'" in " ".join(done.output.split())
    printed = run("check", rules, tmp_path / "july.csv", "--json")
    assert printed.exit_code == 1
    assert json.loads(printed.stdout)["has_changed"] is True


def test_a_table_without_the_columns_is_an_error_and_no_verdict(rules, tmp_path):
    visits(3).drop("dose").write_csv(tmp_path / "t.csv")
    done = run("check", rules, tmp_path / "t.csv")
    assert "X must have the selected columns, got none named 'dose'" in str(done.exception)
