"""`deacs select` from a database: by address, as from a file, and without credentials."""

import json

import pytest

pytest.importorskip("ibis")

import duckdb

from deacs.rows.addresses import is_database, shown_address
from tests.system.rows.postgres_server import server

# Drivers leave connections and cursors to the collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

TABLE = (
    "SELECT i % 3 AS a, i % 7 AS b, i AS id, 1 + i % 2 AS w, "
    "(ARRAY['it''s', 'v', 'w'])[1 + i % 3] AS y FROM generate_series(0, 41) AS r(i)"
)
HOW = ("--target", "y", "--exclude", "id,w", "-k", "2", "--json")


@pytest.fixture(params=["duckdb", "postgresql"])
def address(request, tmp_path):
    if request.param == "duckdb":
        with duckdb.connect(str(tmp_path / "clinic.db")) as connection:
            connection.execute(f"CREATE TABLE patients AS {TABLE}")
        return f"duckdb:{tmp_path / 'clinic.db'}"
    connection = server().connect()
    with connection.con.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS patients")
        cursor.execute(f"CREATE TABLE patients AS {TABLE}".encode())
    connection.con.commit()
    connection.disconnect()
    return server().address


@pytest.mark.parametrize("method", ["jmi", "deacs", "deacs --published"])
def test_the_answer_is_that_of_a_file(deacs, address, method, tmp_path):
    how = (*HOW, "--method", *method.split())
    file = tmp_path / "patients.csv"
    duckdb.sql(TABLE).write_csv(str(file))
    here = json.loads(deacs("select", file, *how).out)
    found = deacs("select", address, "--table", "patients", *how)
    assert found.code == 0, found.err
    there = json.loads(found.out)
    for name in ("rank", "feature", "score", "label_scores"):
        assert [f.get(name) for f in there["selected"]] == [f.get(name) for f in here["selected"]]
    assert there["n_rows"] == here["n_rows"] == 42
    assert there["settings"] == here["settings"]


def test_weights_and_a_test_of_significance(deacs, address):
    how = ("select", address, "--table", "patients", "--target", "y", "--exclude", "id", "--json")
    [only] = json.loads(deacs(*how, "-k", "1", "--weights", "w").out)["selected"]
    assert only["feature"] == "a"
    found = json.loads(deacs(*how, "--exclude", "w", "-k", "auto").out)["selected"]
    assert [entry["feature"] for entry in found] == ["a"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "y"), "--table must be given"),
        (("--table", "patients"), "--target must be given"),
        (("--table", "patients", "--target", "y", "--output", "s.csv"), "--output does not apply"),
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
        (f"duckdb:{tmp_path / 'text.db'}", "text.db, table 't'"),
        (f"postgresql:///none?host={tmp_path}", "postgresql:///none, table 't'"),
    ):
        found = deacs("select", address, "--table", "t", "--target", "y")
        assert found.code == 2
        assert words in found.err


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:hunter2@localhost:1/shop",
        "postgresql://me@localhost:1/shop?password=hunter2",
        "snowflake://me:hunter2@account/shop",
        "nonsense://me:hunter%32@account/shop",
    ],
)
def test_credentials_are_never_shown(deacs, address):
    found = deacs("select", address, "--table", "t", "--target", "y")
    assert found.code == 2
    assert "hunter" not in found.err + found.out


def test_an_address_in_json_holds_no_credentials(deacs, address):
    if not address.startswith("postgresql"):
        pytest.skip("an address of DuckDB holds none")
    given = address.replace("deacs@", "deacs:hunter2@")
    found = deacs("select", given, "--table", "patients", *HOW)
    assert found.code == 0, found.err
    assert "hunter2" not in found.out + found.err
    assert json.loads(found.out)["file"] == shown_address(address)


def test_addresses_of_files_are_not_those_of_databases():
    assert is_database("duckdb:shop.db")
    assert is_database("postgresql://host/shop")
    for file in ("s3://bucket/t.parquet", "https://host/t.csv", "C:/t.csv", "t.csv", "a/b:c.csv"):
        assert not is_database(file)


def test_options_of_databases_are_refused_for_files(deacs, patients):
    found = deacs("select", patients, "--target", "y", "--table", "t")
    assert found.code == 2
    assert "--table applies to databases, not to" in found.err
