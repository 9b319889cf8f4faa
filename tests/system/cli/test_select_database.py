"""`deacs select` from a database: by address, with the SQL to look at, and without passwords."""

import json

import pytest

pytest.importorskip("sqlglot")

import duckdb

from tests.system.distributed.postgres_server import server

TABLE = (
    "SELECT i % 3 AS a, i % 7 AS b, i AS id, 1 + i % 2 AS w, "
    "(ARRAY['it''s', 'v', 'w'])[1 + i % 3] AS y FROM generate_series(0, 41) AS r(i)"
)


@pytest.fixture(params=["duckdb", "postgresql", "postgresql words"])
def address(request, tmp_path):
    if request.param == "duckdb":
        with duckdb.connect(str(tmp_path / "clinic.db")) as connection:
            connection.execute(f"CREATE TABLE patients AS {TABLE}")
        return f"duckdb:{tmp_path / 'clinic.db'}"
    with server().connect(autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS patients")
        connection.execute(f"CREATE TABLE patients AS {TABLE}".encode())
    if request.param == "postgresql words":
        return f"postgresql:{server().address}"
    return f"postgresql:///postgres?host={server().folder}&user=deacs"


def test_a_table_in_a_database_is_selected_from(deacs, address):
    how = ("--table", "patients", "--target", "y", "--exclude", "id,w")
    found = deacs("select", address, *how, "-k", "1")
    assert found.code == 0, found.err
    assert "1 of 2 features selected from 42 rows, 3 classes" in found.out
    assert "   1   a" in found.out


def test_as_many_as_are_significant_are_selected(deacs, address):
    how = ("--table", "patients", "--target", "y", "--exclude", "id,w", "-k", "auto", "--json")
    [only] = json.loads(deacs("select", address, *how).out)["selected"]
    assert only["feature"] == "a"  # which y is made of
    assert only["p_value"] < 0.05


@pytest.mark.parametrize("method", ["jmi", "cmi", "deacs", "deacs --published"])
def test_the_answer_is_that_of_a_file(deacs, address, method, tmp_path):
    how = ("--target", "y", "--exclude", "id,w", "-k", "2", "--method", *method.split(), "--json")
    file = tmp_path / "patients.csv"
    duckdb.sql(TABLE).write_csv(str(file))
    here = json.loads(deacs("select", file, *how).out)
    there = json.loads(deacs("select", address, "--table", "patients", *how).out)
    for name in ("rank", "feature", "score", "label_scores"):
        assert [f.get(name) for f in there["selected"]] == [f.get(name) for f in here["selected"]]
    assert there["n_rows"] == here["n_rows"] == 42
    assert there["settings"] == here["settings"]
    assert not any("store" in note for note in there["notes"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_read_by_duckdb(deacs, ending, tmp_path):
    file = tmp_path / f"patients.{ending}"
    getattr(duckdb.sql(TABLE), f"write_{ending}")(str(file))
    how = ("--target", "y", "--exclude", "id,w", "-k", "2", "--json")
    here, there = (json.loads(deacs("select", f, *how).out) for f in (file, f"duckdb:{file}"))
    assert there["selected"][0]["label_scores"] == here["selected"][0]["label_scores"]
    assert there["settings"] == here["settings"]
    refused = deacs("select", f"duckdb:{file}", "--table", "patients", *how)
    assert (refused.code, "--table applies to databases" in refused.err) == (2, True)


def test_weights_of_a_database_count(deacs, address):
    found = deacs(
        *("select", address, "--table", "patients", "--target", "y", "--exclude", "id"),
        *("-k", "1", "--weights", "w", "--json"),
    )
    assert found.code == 0, found.err
    assert json.loads(found.out)["selected"][0]["feature"] == "a"


def test_explain_shows_the_sql_and_selects_nothing(deacs, address):
    found = deacs("select", address, "--table", "patients", "--target", "y", "--explain")
    assert found.code == 0, found.err
    assert "-- A step: counts n of" in found.out
    assert "-- Its order: products with a." in found.out
    assert "GROUP BY" in found.out
    assert "'it''s'" in found.out
    assert "selected" not in found.out


@pytest.mark.parametrize(
    "where",
    ["//me:hunter2@host/db", "host=h password=hunter2", "//host/db?password=hunter2"],
)
def test_a_password_in_an_address_is_refused_and_not_repeated(deacs, where):
    found = deacs("select", f"postgresql:{where}", "--table", "t", "--target", "y")
    assert found.code == 2
    assert "must not hold a password" in found.err
    assert "hunter2" not in found.err + found.out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "y"), "--table must be given"),
        (("--table", "patients"), "--target must be given"),
        (
            ("--table", "patients", "--target", "y", "--output", "small.csv"),
            "--output does not app",
        ),
        (("--table", "patients", "--target", "y", "--report", "r.html"), "--report does not apply"),
        (("--table", "patient", "--target", "y"), "patient"),
        (("--table", "patients", "--target", "z"), "names 'z'"),
    ],
)
def test_what_cannot_be_done_is_one_line(deacs, address, options, words):
    found = deacs("select", address, *options)
    assert found.code == 2
    assert words in found.err
    assert "defect" not in found.err


def test_a_database_that_is_not_there_is_one_line(deacs, tmp_path):
    (tmp_path / "text.db").write_text("no database")
    for address, words in (
        (f"duckdb:{tmp_path / 'none.db'}", "there is no DuckDB database"),
        (f"duckdb:{tmp_path / 'text.db'}", "DuckDB cannot open"),
        (f"postgresql:host={tmp_path} dbname=none", "PostgreSQL cannot be reached"),
    ):
        found = deacs("select", address, "--table", "t", "--target", "y")
        assert found.code == 2
        assert words in found.err


def test_options_of_databases_are_refused_for_files(deacs, patients):
    found = deacs("select", patients, "--target", "y", "--table", "t")
    assert found.code == 2
    assert "--table applies to databases, not to" in found.err
