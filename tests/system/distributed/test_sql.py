"""Tables in databases: coded there as in memory, whatever they hold, and nothing left behind."""

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

pytest.importorskip("sqlglot")

import duckdb

from deacs import CMI, DEACS, JMI, Significant, encode
from deacs.coding import CodedData
from deacs.distributed import SQLEngine
from deacs.distributed.sql import lookups
from deacs.distributed.sql.database import database_of
from deacs.distributed.sql.of_duckdb import DuckDB
from deacs.exceptions import DatabaseError, IdentifierWarning, InputError
from tests.system.distributed.postgres_server import server


def _frame(n_rows=400, seed=0):
    """Columns of every kind, some of them missing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    holes = rng.random((n_rows, 4)) < 0.1
    columns = {
        "weight in kg": np.where(holes[:, 0], np.nan, y + rng.normal(size=n_rows)),
        'the "best" page': np.array(["it's", 'a"b', "back\\slash", "100%"])[
            np.where(rng.random(n_rows) < 0.4, rng.integers(0, 4, n_rows), y)
        ],
        "items": rng.integers(0, 4, n_rows) + y,
        "cents": rng.integers(0, 5000, n_rows) + 900 * y,
        "; DROP TABLE visits": rng.random(n_rows) < 0.3 + y / 5,
        "noise": rng.normal(size=n_rows).round(1),
        "tag": np.char.add("t", (rng.integers(0, 40, n_rows) * 3 + y).astype(str)),
    }
    frame = pl.DataFrame(columns).with_columns(
        pl.when(~pl.Series(holes[:, 1])).then(pl.col("items")).alias("items"),
        pl.when(~pl.Series(holes[:, 2])).then(pl.col("tag")).alias("tag"),
        outcome=pl.Series(np.array(["won't", "will", "'; --"])[y]),
    )
    return frame.with_columns(pl.col("weight in kg").fill_nan(None))


def _fill(connection, frame, table="visits"):
    quoted = f'"{table.replace(chr(34), chr(34) * 2)}"'
    if isinstance(connection, duckdb.DuckDBPyConnection):
        connection.register("frame", frame)
        connection.execute(f"CREATE TABLE {quoted} AS FROM frame")
        connection.unregister("frame")
        return
    types = {
        pl.Float64: "float8",
        pl.Int64: "int8",
        pl.String: "text",
        pl.Boolean: "bool",
    }
    columns = ", ".join(
        '"{}" {}'.format(name.replace('"', '""'), types[type(kind)])
        for name, kind in frame.schema.items()
    )
    connection.execute(f"CREATE TABLE {quoted} ({columns})".encode())
    with connection.cursor() as cursor, cursor.copy(f"COPY {quoted} FROM STDIN".encode()) as copy:
        for row in frame.iter_rows():
            copy.write_row(row)


@pytest.fixture(params=["DuckDB", "PostgreSQL"])
def connection(request):
    if request.param == "DuckDB":
        with duckdb.connect() as connection:
            yield connection
        return
    with server().connect(autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS here CASCADE; CREATE SCHEMA here")
        connection.execute("SET search_path TO here")
        yield connection
        connection.execute("ROLLBACK")


@pytest.fixture
def duck():
    with duckdb.connect() as connection:
        yield connection


def _tables(connection):
    """Every table of the database that this connection can have made, temporary ones included."""
    if isinstance(connection, duckdb.DuckDBPyConnection):
        found = connection.execute("SELECT table_name FROM duckdb_tables()")
    else:
        found = connection.execute(
            "SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
            "WHERE relkind = 'r' AND (nspname = 'here' OR n.oid = pg_my_temp_schema())"
        )
    return sorted(name for (name,) in found.fetchall())


def _assert_same_coding(here: CodedData, there):
    assert there.feature_names == here.feature_names
    assert there.classes.tolist() == here.classes.tolist()
    assert there.n_rows == here.n_rows
    for name, one, other in zip(here.feature_names, here.features, there.features, strict=True):
        assert (one.kind, one.n_values, one.has_missing, one.is_uncut) == (
            other.kind,
            other.n_values,
            other.has_missing,
            other.is_uncut,
        ), name
        assert one.values.tolist() == other.values.tolist(), name


@pytest.mark.filterwarnings("ignore::deacs.exceptions.IdentifierWarning")
@pytest.mark.parametrize("temporary", [True, False])
@pytest.mark.parametrize("discretizer", ["mdlp", "auto", "equal-width", "equal-frequency", None])
def test_columns_are_coded_as_in_memory(connection, temporary, discretizer):
    frame = _frame(200)
    _fill(connection, frame)
    X, y = frame.drop("outcome"), frame["outcome"]
    engine = SQLEngine(connection, temporary=temporary)
    with engine.encode("visits", "outcome", discretizer=discretizer) as table:
        _assert_same_coding(encode(X, y, discretizer=discretizer), table)
    how = {"discretizer": discretizer}
    here = DEACS.published(**how).fit(X, y)
    there = DEACS.published(engine=engine, **how).fit("visits", "outcome")
    assert there.selected_names_ == here.selected_names_
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
    assert there.feature_names_in_.tolist() == list(X.columns)
    assert there.classes_.tolist() == here.classes_.tolist()
    assert _tables(connection) == ["visits"]


def _assert_same_default(there, here):
    assert there.selected_names_ == here.selected_names_
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
    assert there.views_.tobytes() == here.views_.tobytes()
    assert there.residual_.tobytes() == here.residual_.tobytes()
    assert there.stop_reason_ == here.stop_reason_


@pytest.mark.parametrize("how", [{}, {"missing": "ignore"}, {"discretizer": None}])
def test_the_default_is_selected_as_in_memory(connection, how):
    frame = _frame()
    _fill(connection, frame)
    there = DEACS(engine=SQLEngine(connection), **how).fit("visits", "outcome")
    _assert_same_default(there, DEACS(**how).fit(frame.drop("outcome"), frame["outcome"]))
    assert _tables(connection) == ["visits"]


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_the_default_is_selected_without_temporary_tables(connection, missing):
    frame = _frame(150)  # every statement lists every value
    _fill(connection, frame)
    there = DEACS(3, engine=SQLEngine(connection, temporary=False), missing=missing)
    there.fit("visits", "outcome")
    here = DEACS(3, missing=missing).fit(frame.drop("outcome"), frame["outcome"])
    _assert_same_default(there, here)
    assert _tables(connection) == ["visits"]


@pytest.mark.parametrize("how", [{}, {"missing": "ignore"}, {"temporary": False}])
def test_a_column_without_any_value_is_coded_as_in_memory(connection, how):
    frame = _frame(150).select(
        "items",
        "tag",
        "outcome",
        no_text=pl.lit(None, dtype=pl.String),
        no_number=pl.lit(None, dtype=pl.Int64),
        no_flag=pl.lit(None, dtype=pl.Boolean),
    )
    _fill(connection, frame)
    X, y, how = frame.drop("outcome"), frame["outcome"], dict(how)
    engine = SQLEngine(connection, temporary=how.pop("temporary", None))
    with engine.encode("visits", "outcome", **how) as table:
        _assert_same_coding(encode(X, y, **how), table)
        _assert_same_default(DEACS(2, **how).fit(table), DEACS(2, **how).fit(X, y))


def test_a_table_that_was_closed_is_refused(duck):
    _fill(duck, _frame(60))
    with SQLEngine(duck).encode("visits", "outcome") as table:
        pass
    with pytest.raises(InputError, match="closed, which removed its codes; call SQLEngine"):
        DEACS(2).fit(table)


def test_weighted_rows_have_the_ranks_that_they_have_in_memory(connection):
    frame = _frame().with_columns(times=pl.Series(np.arange(400) % 4))
    _fill(connection, frame)
    there = DEACS(5, engine=SQLEngine(connection))
    there.fit("visits", "outcome", sample_weight="times")
    here = DEACS(5).fit(
        frame.drop("outcome", "times"), frame["outcome"], sample_weight=frame["times"].to_numpy()
    )
    _assert_same_default(there, here)


@pytest.mark.parametrize("order", [True, False])
def test_a_coded_table_keeps_its_order_if_it_was_asked_to(connection, order):
    frame = _frame()
    _fill(connection, frame)
    data = encode(frame.drop("outcome"), frame["outcome"], order=order)
    with SQLEngine(connection).encode("visits", "outcome", order=order) as table:
        _assert_same_default(DEACS(5).fit(table), DEACS(5).fit(data))


@pytest.mark.parametrize("temporary", [True, False])
def test_columns_of_many_values_are_looked_up(connection, temporary, monkeypatch):
    rng = np.random.default_rng(3)
    monkeypatch.setattr(lookups, "MANY", 100)
    n = 400
    y = rng.integers(0, 2, n)
    frame = pl.DataFrame(
        {
            "a": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n) + y),
            "b": rng.permutation(n) * 3 + 900 * y,
            "c": rng.normal(size=n).round(1),
            "y": y,
        }
    ).with_columns(pl.col("a").fill_nan(None))
    _fill(connection, frame, "t")
    engine = SQLEngine(connection, temporary=temporary)
    how = {"discrete_features": ["b"]} if temporary else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IdentifierWarning)
        there = DEACS(3, engine=engine, **how).fit("t", "y")
        _assert_same_default(there, DEACS(3, **how).fit(frame.drop("y"), frame["y"]))
        assert _tables(connection) == ["t"]
        if not temporary:
            monkeypatch.setattr(lookups, "MOST_LITERALS", 300)
            with pytest.raises(InputError, match="distinct values, too many to be written into"):
                DEACS(3, engine=engine).fit("t", "y")


def test_lookup_tables_are_gone_after_an_error(connection, monkeypatch):
    frame = pl.DataFrame({"a": np.arange(3000.0) ** 2, "y": np.arange(3000) % 2})
    _fill(connection, frame, "t")
    monkeypatch.setattr(
        "deacs.distributed.sql.encode.SQLTable", lambda *args, **how: 1 / 0, raising=True
    )
    with pytest.raises(ZeroDivisionError):
        DEACS(1, engine=SQLEngine(connection)).fit("t", "y")
    assert _tables(connection) == ["t"]


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_missing_values_count_as_they_do_in_memory(connection, missing):
    frame = _frame()
    _fill(connection, frame)
    here = CMI(5, missing=missing).fit(frame.drop("outcome"), frame["outcome"])
    there = CMI(5, missing=missing, engine=SQLEngine(connection)).fit("visits", "outcome")
    assert there.selected_names_ == here.selected_names_
    assert there.scores_.tobytes() == here.scores_.tobytes()


def test_missing_values_are_refused_where_that_was_asked(connection):
    _fill(connection, _frame())
    with pytest.raises(InputError, match="missing='error', but column 'weight in kg' has"):
        JMI(2, missing="error", engine=SQLEngine(connection)).fit("visits", "outcome")
    assert _tables(connection) == ["visits"]


def test_weights_are_a_column(connection):
    frame = _frame()
    weights = np.random.default_rng(3).integers(0, 4, len(frame))
    _fill(connection, frame.with_columns(times=pl.Series(weights)))
    here = DEACS.published(4).fit(frame.drop("outcome"), frame["outcome"], sample_weight=weights)
    there = DEACS.published(4, engine=SQLEngine(connection))
    there.fit("visits", "outcome", sample_weight="times")
    assert there.selected_names_ == here.selected_names_
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


@pytest.mark.parametrize("weights", ["0.5", "-1", "NULL"])
def test_weights_that_are_no_numbers_of_rows_are_refused(connection, weights):
    connection.execute(
        f"CREATE TABLE visits AS SELECT 1 AS a, 'x' AS y, CAST({weights} AS float8) AS w"
    )
    with pytest.raises(InputError, match="sample_weight must hold whole numbers of rows, 0 or"):
        JMI(1, engine=SQLEngine(connection)).fit("visits", "y", sample_weight="w")


@pytest.mark.parametrize(
    "table", ['"; DROP TABLE x; --', "my visits", "it's", "a.b", "ta\\ble", "Ünï"]
)
def test_any_name_of_a_table_is_quoted(connection, table):
    frame = _frame(60)
    _fill(connection, frame, table)
    found = JMI(2, engine=SQLEngine(connection)).fit((table,), "outcome")
    assert (
        found.selected_names_ == JMI(2).fit(frame.drop("outcome"), frame["outcome"]).selected_names_
    )
    assert _tables(connection) == [table]


@pytest.mark.parametrize("table", ["", "a.b.c.d", (), ("a", 1), 'a."b'])
def test_what_is_no_name_is_refused(duck, table):
    with pytest.raises(InputError, match="table must be the name of a table or view"):
        JMI(1, engine=SQLEngine(duck)).fit(table, "y")


def test_a_schema_and_a_view_may_be_named(connection):
    _fill(connection, _frame())
    connection.execute("CREATE SCHEMA IF NOT EXISTS other")
    connection.execute("DROP VIEW IF EXISTS other.seen")
    connection.execute("CREATE VIEW other.seen AS SELECT * FROM visits")
    one, other = (
        JMI(3, engine=SQLEngine(connection)).fit(name, "outcome")
        for name in ("visits", "other.seen")
    )
    assert one.scores_.tobytes() == other.scores_.tobytes()
    connection.execute("DROP VIEW other.seen")


def test_nan_and_null_are_both_missing(connection):
    kind = "DOUBLE" if isinstance(connection, duckdb.DuckDBPyConnection) else "float8"
    connection.execute(f"CREATE TABLE visits (a {kind}, y text)")
    connection.execute(
        "INSERT INTO visits VALUES ('NaN', 'p'), (NULL, 'q'), (1, 'p'), (2, 'q'), "
        "('Infinity', 'p'), ('-Infinity', 'q')"
    )
    with SQLEngine(connection).encode("visits", "y", discretizer="equal-frequency") as table:
        [feature] = table.features
        counts = {int(key): int(n) for key, n in zip(*table.first_cells[0], strict=True)}
    here = encode(
        pl.DataFrame({"a": [None, None, 1.0, 2.0, np.inf, -np.inf]}),
        list("pqpqpq"),
        discretizer="equal-frequency",
    )
    assert feature.has_missing
    assert feature.values.tolist() == here.features[0].values.tolist()
    last = feature.n_values - 1
    assert counts[last] == counts[feature.n_values + last] == 1  # one of class p, one of class q


def test_dates_decimals_times_and_enumerations_are_coded_as_in_memory(duck):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    days = [
        dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 90, 300) + 60 * y
    ]
    frame = pl.DataFrame(
        {
            "day": days,
            "moment": [dt.datetime(2021, 1, 1) + dt.timedelta(seconds=int(s) / 7) for s in y * 99],
            "price": [Decimal(int(c)) / 100 for c in rng.integers(100, 900, 300) + 500 * y],
            "size": pl.Series(
                np.array(["small", "large", "medium"])[rng.integers(0, 2, 300) + y],
                dtype=pl.Enum(["small", "medium", "large"]),
            ),
            "huge": pl.Series(
                [10**30 + int(v) for v in rng.integers(0, 99, 300) + 50 * y], dtype=pl.Int128
            ),
            "short": pl.Series(rng.normal(size=300) + y, dtype=pl.Float32),
        }
    )
    duck.execute("CREATE TYPE sizes AS ENUM ('small', 'medium', 'large')")
    copy = frame.with_columns(
        pl.col("size").cast(pl.String), pl.col("huge").cast(pl.String), y=pl.Series(y)
    )
    duck.register("copy", copy)
    duck.execute(
        "CREATE TABLE t AS SELECT * REPLACE (size::sizes AS size, huge::HUGEINT AS huge) FROM copy"
    )
    with SQLEngine(duck).encode("t", "y") as table:
        _assert_same_coding(encode(frame, y), table)


def test_enumerations_and_dates_of_postgresql_keep_their_order():
    with server().connect(autocommit=True) as connection:
        connection.execute(
            "CREATE TEMP TABLE t AS SELECT i % 2 AS y, date '2020-01-01' + i AS day, "
            "(i * 1.25)::numeric AS price FROM generate_series(0, 99) AS i"
        )
        connection.execute("DROP TYPE IF EXISTS sizes CASCADE")
        connection.execute("CREATE TYPE sizes AS ENUM ('small', 'medium', 'large')")
        connection.execute(
            "ALTER TABLE t ADD size sizes; UPDATE t SET size = "
            "(ARRAY['large', 'small', 'medium'])[1 + price::int % 3]::sizes"
        )
        with SQLEngine(connection, exclude=["price"]).encode(
            "t", "y", discretizer="equal-width"
        ) as table:
            day, size = table.features
        connection.execute("DROP TYPE sizes CASCADE")
    assert size.values.tolist() == ["small", "medium", "large"]
    assert day.kind == "continuous"
    assert len(day.values) == 9


def test_types_that_are_no_values_are_named_together(duck):
    duck.execute(
        "CREATE TABLE t AS SELECT [1] AS a, {'b': 2} AS c, '\\x00'::BLOB AS d, 1 AS e, 1 AS y"
    )
    with pytest.raises(InputError, match=r"column 'a' has type INTEGER\[\].*'c', 'd' cannot be"):
        JMI(1, engine=SQLEngine(duck)).fit("t", "y")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("outcom", "y names 'outcom'.*'outcome'"),
        (None, "y must name a column of the table, got NoneType"),
        (np.zeros(3), "y must name a column of the table, got ndarray"),
    ],
)
def test_the_class_must_be_a_column(duck, y, message):
    _fill(duck, _frame(30))
    with pytest.raises(InputError, match=message):
        JMI(1, engine=SQLEngine(duck)).fit("visits", y)


def test_missing_classes_and_a_single_class_are_refused(connection):
    connection.execute("CREATE TABLE t AS SELECT 1 AS a, 'x' AS y UNION ALL SELECT 2, NULL")
    with pytest.raises(InputError, match="y must not have missing values, but 'y' has 1;"):
        JMI(1, engine=SQLEngine(connection)).fit("t", "y")
    connection.execute("DELETE FROM t WHERE y IS NULL")
    with pytest.raises(
        InputError, match="y must have at least two classes, got 1 class: 'x' in all 1"
    ):
        JMI(1, engine=SQLEngine(connection)).fit("t", "y")
    assert _tables(connection) == ["t"]


def test_targets_that_are_no_classes_are_refused(connection):
    connection.execute(
        "CREATE TABLE t AS SELECT i % 3 AS a, i / 7.0 AS y, i AS n "
        "FROM generate_series(1, 100) AS r(i)"
    )
    for y in ("y", "n"):
        with pytest.raises(InputError, match="must hold classes where the table is in a database"):
            JMI(1, engine=SQLEngine(connection)).fit("t", y)
    for target in ("labels", "numbers"):
        with pytest.raises(InputError, match=f"target='{target}' needs a table in memory, got one"):
            JMI(1, target=target, engine=SQLEngine(connection)).fit("t", "n")
    sure = JMI(1, target="classes", engine=SQLEngine(connection, exclude=["y"])).fit("t", "n")
    assert len(sure.classes_) == 100


def test_many_classes_and_many_values_are_joined(duck):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 60, 4000)
    X = pl.DataFrame(
        {"a": np.char.add("v", (y * 7 + rng.integers(0, 9, 4000)).astype(str)), "b": y // 3}
    )
    copy = X.with_columns(y=pl.Series(np.char.add("class ", y.astype(str))))
    _fill(duck, copy, "t")
    here = DEACS.published(2).fit(X, copy["y"])
    there = DEACS.published(2, engine=SQLEngine(duck)).fit("t", "y")
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()


def test_identifiers_and_row_numbers_are_warned_of(duck):
    duck.execute(
        "CREATE TABLE t AS SELECT 'c' || i AS key, i AS nr, i > 49 AS y FROM range(100) r(i)"
    )
    with pytest.warns(IdentifierWarning) as warned:
        JMI(1, engine=SQLEngine(duck)).fit("t", "y")
    assert [each.message.columns for each in warned] == [("nr",), ("key",)]


def test_a_warning_that_is_an_error_leaves_no_table(duck):
    duck.execute("CREATE TABLE t AS SELECT 'c' || i AS key, i % 2 AS y FROM range(50) r(i)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(IdentifierWarning):
            JMI(1, engine=SQLEngine(duck)).fit("t", "y")
    assert _tables(duck) == ["t"]


def test_numbers_are_cut_again_under_shuffled_classes(connection):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    numbers = {
        "noise": rng.normal(size=200).round(1),
        "signal": (y + rng.normal(size=200)).round(1),
    }
    frame = pl.DataFrame({**numbers, "few": rng.integers(0, 3, 200), "y": y})
    frame = frame.with_columns(noise=pl.when(pl.col("few") == 1).then(None).otherwise("noise"))
    how = {"stop": Significant(random_state=3), "missing": "ignore"}
    selector = DEACS.published("auto", discretizer="auto", **how)
    # Rows have no order there: they are shuffled in the order of their codes, then of their values.
    codes = encode(frame.drop("y"), y, discretizer="auto", missing="ignore")
    by = [
        *[codes.column(j) for j in range(3)],
        frame["noise"].to_numpy(),
        frame["signal"].to_numpy(),
    ]
    ordered = frame[np.lexsort([*by[::-1], y])]
    here = clone(selector).fit(ordered.drop("y"), ordered["y"])
    _fill(connection, frame.sample(fraction=1, shuffle=True, seed=0), "t")
    there = clone(selector).set_params(engine=SQLEngine(connection)).fit("t", "y")
    assert there.selected_names_ == here.selected_names_
    assert there.p_values_.tobytes() == here.p_values_.tobytes()
    assert there.next_p_value_ == here.next_p_value_


def test_groups_that_cannot_be_made_leave_no_table(duck):
    duck.execute("CREATE TABLE t AS SELECT i % 3 AS a, i % 2 AS y FROM range(30) AS r(i)")
    with pytest.raises(InputError, match="groups"):
        JMI(1, groups=[["a", "b"]], engine=SQLEngine(duck)).fit("t", "y")
    assert _tables(duck) == ["t"]
    assert JMI(1, groups=[["a"]], engine=SQLEngine(duck)).fit("t", "y").selected_names_ == ["a"]
    assert _tables(duck) == ["t"]


def test_groups_of_many_features_are_numbered_anew_before_numbers_overflow(connection):
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 900, (1500, 9))
    y = rng.integers(0, 2, 1500)
    codes[:1400] = codes[:1400] % 2 * 899  # groups that stay large, and numbers that grow fast
    frame = pl.DataFrame({f"x{j}": codes[:, j] for j in range(9)}).with_columns(y=pl.Series(y))
    _fill(connection, frame, "t")
    how = {"discrete_features": True}
    here = encode(frame.drop("y"), y, **how)
    from deacs.greedy.engine import LocalEngine

    for temporary in (True, False):
        engine = SQLEngine(connection, temporary=temporary)
        with engine.encode("t", "y", **how) as table:
            one, other = LocalEngine().open(here), engine.open(table)
            for feature in range(8):
                one.condition_on(feature)
                other.condition_on(feature)
                asked = np.array([8, feature])
                assert other.label_scores(asked).tobytes() == one.label_scores(asked).tobytes()
                assert other.residual().tobytes() == one.residual().tobytes()


def test_quantiles_stand_for_values_only_where_these_are_more(duck):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 5000)
    frame = pl.DataFrame(
        {"a": rng.normal(size=5000) + y, "b": rng.integers(0, 90, 5000) + 40 * y, "y": y}
    )
    _fill(duck, frame, "t")
    with SQLEngine(duck).encode("t", "y") as exact:
        pass
    with SQLEngine(duck, quantiles=200).encode("t", "y") as near:
        pass
    assert near.features[1].values.tolist() == exact.features[1].values.tolist()
    assert len(near.features[0].values) > 0
    apart = np.abs(near.features[0].values[:, np.newaxis] - exact.features[0].values).min(axis=1)
    assert apart.max() < 0.2
    for selector in (DEACS, DEACS.published, JMI):
        there = selector(2, engine=SQLEngine(duck, quantiles=200)).fit("t", "y")
        here = selector(2).fit(frame.drop("y"), frame["y"])
        assert there.selected_names_ == here.selected_names_
    views = DEACS(2).fit(frame.drop("y"), frame["y"]).views_
    near = DEACS(2, engine=SQLEngine(duck, quantiles=200)).fit("t", "y").views_
    assert near[:, 1] == pytest.approx(views[:, 1], rel=0.02, abs=1e-4)
    with pytest.raises(InputError, match="must be an integer of at least 100, or None for ex"):
        SQLEngine(duck, quantiles=5)


# Files, by DuckDB's own readers.


@pytest.mark.parametrize("ending", ["parquet", "csv", "csv.gz", "json"])
def test_files_are_selected_from_by_path(duck, tmp_path, ending):
    frame = _frame().drop("; DROP TABLE visits")
    place = tmp_path / f"it's (1).{ending}"
    duck.register("frame", frame)
    form = {"parquet": "PARQUET", "json": "JSON"}.get(ending, "CSV")
    quoted = str(place).replace("'", "''")
    duck.execute(f"COPY (FROM frame) TO '{quoted}' (FORMAT {form})")
    duck.unregister("frame")
    there = DEACS(4, engine=SQLEngine(duck)).fit(place, "outcome")
    _assert_same_default(there, DEACS(4).fit(frame.drop("outcome"), frame["outcome"]))
    assert _tables(duck) == []


def test_several_files_are_one_table(duck, tmp_path):
    frame = _frame()
    for k in range(2):
        frame[200 * k : 200 * k + 200].write_parquet(tmp_path / f"part-{k}.parquet")
    there = JMI(3, engine=SQLEngine(duck)).fit(tmp_path / "*.parquet", "outcome")
    here = JMI(3).fit(frame.drop("outcome"), frame["outcome"])
    assert there.scores_.tobytes() == here.scores_.tobytes()


def test_files_that_cannot_be_read_are_told(duck, tmp_path):
    engine = SQLEngine(duck)
    with pytest.raises(InputError, match=r"a path must end in .parquet, .csv, .*make a view"):
        JMI(1, engine=engine).fit(tmp_path / "visits", "y")
    with pytest.raises(DatabaseError, match=r"none\.parquet"):
        JMI(1, engine=engine).fit(tmp_path / "none.parquet", "y")
    with server().connect() as connection, pytest.raises(InputError, match="got the path"):
        JMI(1, engine=SQLEngine(connection)).fit(tmp_path / "none.parquet", "y")


@pytest.mark.parametrize("changes", ["rows", "order within intervals"])
@pytest.mark.parametrize("way", ["path", "view", "view within a transaction"])
def test_files_that_change_while_they_are_coded_are_an_error(duck, tmp_path, way, changes):
    frame = _frame().select("cents", "items", "outcome")
    place = tmp_path / "visits.parquet"
    frame.write_parquet(place)
    duck.execute(f"CREATE VIEW visits AS FROM '{place}'")
    other = frame.head(300)
    if changes != "rows":  # codes stay what they are
        data = encode(frame.drop("outcome"), frame["outcome"])
        least = pl.DataFrame({"cents": frame["cents"], "code": data.column(0)})
        other = frame.with_columns(cents=least.select(pl.col("cents").min().over("code"))["cents"])
    engine = Meddling(duck, lambda: other.write_parquet(place))
    if way == "view within a transaction":
        duck.begin()
    where = place if way == "path" else "visits"
    with pytest.raises(DatabaseError, match="the table changed while features were selected"):
        DEACS(2, engine=engine).fit(where, "outcome")
    assert _tables(duck) == []
    engine = SQLEngine(duck, temporary=False)
    with pytest.raises(InputError, match="temporary=False needs a table that cannot change"):
        DEACS(2, engine=engine).fit(where, "outcome")


# Snapshots, and nothing left behind.


class Meddling(SQLEngine):
    """Somebody changes the table after its first question was answered."""

    def __init__(self, connection, meddle, **how):
        super().__init__(connection, **how)
        self._meddle = meddle

    def uses_temporary_tables(self, database):
        self._meddle()
        return super().uses_temporary_tables(database)


@pytest.mark.parametrize("temporary", [True, False])
def test_a_table_that_changes_meanwhile_is_seen_as_it_was(connection, temporary, tmp_path):
    frame = _frame()
    if isinstance(connection, duckdb.DuckDBPyConnection):
        _fill(connection, frame)
        other = connection.cursor()
    else:
        _fill(connection, frame)
        other = server().connect(autocommit=True)
        other.execute("SET search_path TO here")

    def meddle():
        other.execute("DELETE FROM visits WHERE items > 2")
        other.execute("INSERT INTO visits SELECT * FROM visits LIMIT 100")

    engine = Meddling(connection, meddle, temporary=temporary)
    there = DEACS.published(5, engine=engine).fit("visits", "outcome")
    here = DEACS.published(5).fit(frame.drop("outcome"), frame["outcome"])
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
    assert connection.execute("SELECT count(*) FROM visits").fetchone() != (len(frame),)
    other.close()


def test_a_transaction_that_may_see_changes_is_refused():
    with server().connect() as connection:
        connection.execute("SELECT 1")
        with pytest.raises(InputError, match="within a transaction at isolation level read commi"):
            JMI(1, engine=SQLEngine(connection)).fit("visits", "outcome")


def test_a_transaction_of_the_users_goes_on(connection):
    _fill(connection, _frame())
    isolated = (
        ""
        if isinstance(connection, duckdb.DuckDBPyConnection)
        else (" ISOLATION LEVEL REPEATABLE READ")
    )
    connection.execute("BEGIN TRANSACTION" + isolated)
    connection.execute("CREATE TABLE mine AS SELECT 1 AS a")
    JMI(2, engine=SQLEngine(connection)).fit("visits", "outcome")
    assert _tables(connection) == ["mine", "visits"]
    connection.execute("ROLLBACK")
    assert _tables(connection) == ["visits"]


def test_a_connection_that_may_only_read_counts_all_the_same(tmp_path):
    frame = _frame()
    here = JMI(3).fit(frame.drop("outcome"), frame["outcome"])
    with duckdb.connect(str(tmp_path / "shop.db")) as writer:
        _fill(writer, frame)
    with duckdb.connect(str(tmp_path / "shop.db"), read_only=True) as reader:
        there = JMI(3, engine=SQLEngine(reader)).fit("visits", "outcome")
    assert there.scores_.tobytes() == here.scores_.tobytes()
    with server().connect(autocommit=True) as writer:
        writer.execute("DROP TABLE IF EXISTS public.visits")
        _fill(writer, frame)
    with server().connect() as reader:
        reader.read_only = True
        engine = SQLEngine(reader)
        with pytest.warns(UserWarning, match="may only read"):
            there = JMI(3, engine=engine).fit("visits", "outcome")
        assert reader.info.transaction_status == 0  # idle
    assert there.scores_.tobytes() == here.scores_.tobytes()


def test_psycopg_without_autocommit_is_left_idle():
    with server().connect(autocommit=True) as writer:
        writer.execute("DROP TABLE IF EXISTS public.visits")
        _fill(writer, _frame())
    with server().connect() as connection:
        JMI(2, engine=SQLEngine(connection)).fit("visits", "outcome")
        assert connection.info.transaction_status == 0
        assert "deacs" not in " ".join(_tables(connection))


def test_an_interrupt_leaves_no_table(connection):
    _fill(connection, _frame())

    def stop(n_selected, name):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DEACS.published(5, engine=SQLEngine(connection)).set_progress(stop).fit("visits", "outcome")
    assert _tables(connection) == ["visits"]
    JMI(1, engine=SQLEngine(connection)).fit("visits", "outcome")


@pytest.mark.parametrize("point", ["columns", "_fetch", "_execute", "put", "end"])
def test_ctrl_c_at_a_call_of_the_database_leaves_no_table(connection, point, monkeypatch):
    _fill(connection, _frame(20_000))  # with more values than a statement lists
    adapter = type(database_of(connection))
    call, presses = getattr(adapter, point), iter([KeyboardInterrupt])

    def pressed(self, *arguments, **how):
        found = call(self, *arguments, **how)
        for press in presses:
            raise press
        return found

    monkeypatch.setattr(adapter, point, pressed)
    with pytest.raises(KeyboardInterrupt):
        DEACS(7, engine=SQLEngine(connection)).fit("visits", "outcome")
    assert _tables(connection) == ["visits"]
    if not isinstance(connection, duckdb.DuckDBPyConnection):
        assert connection.info.transaction_status.name == "IDLE"


def test_ctrl_c_while_values_are_sent_is_not_hidden_by_the_aborted_transaction(duck, monkeypatch):
    _fill(duck, _frame(20_000))  # with more values than a statement lists
    execute = DuckDB._execute

    def interrupted(self, statement):
        if "_sent" in statement[0]:
            with pytest.raises(duckdb.Error):
                self.connection.execute("SELECT error('as an interrupt does')")
            raise KeyboardInterrupt
        execute(self, statement)

    monkeypatch.setattr(DuckDB, "_execute", interrupted)
    with pytest.raises(KeyboardInterrupt):
        DEACS(2, engine=SQLEngine(duck)).fit("visits", "outcome")
    assert _tables(duck) == ["visits"]
    views = duck.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    assert views == []


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (RuntimeError("Query interrupted"), KeyboardInterrupt),  # Ctrl-C
        (duckdb.InterruptException("INTERRUPT Error"), DatabaseError),
    ],
)
def test_a_question_that_is_interrupted_leaves_no_table(duck, monkeypatch, raised, told):
    _fill(duck, _frame())
    _breaks_in_the_fifth_question(monkeypatch, DuckDB, raised)
    with pytest.raises(told):
        JMI(7, engine=SQLEngine(duck)).fit("visits", "outcome")
    assert _tables(duck) == ["visits"]


def test_a_time_out_of_the_server_is_told_and_leaves_no_table(monkeypatch):
    from psycopg.errors import QueryCanceled

    with server().connect(autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS public.visits")
        _fill(connection, _frame())
        adapter = type(database_of(connection))
        late = QueryCanceled("canceling statement due to statement timeout")
        _breaks_in_the_fifth_question(monkeypatch, adapter, late)
        with pytest.raises(DatabaseError, match=r"statement timeout.*fit again"):
            DEACS.published(engine=SQLEngine(connection)).fit("visits", "outcome")
        assert "deacs" not in " ".join(_tables(connection))


def _breaks_in_the_fifth_question(monkeypatch, adapter, error):
    run, errors = adapter._run, iter([None] * 4 + [error])

    def broken(self, statement):
        if (raised := next(errors, None)) is not None:
            raise raised
        return run(self, statement)

    monkeypatch.setattr(adapter, "_run", broken)


def test_a_lost_connection_is_told():
    with server().connect(autocommit=True) as admin:
        admin.execute("DROP TABLE IF EXISTS public.visits")
        _fill(admin, _frame())
        count = "SELECT count(*) FROM pg_class WHERE relname LIKE 'deacs_%'"
        before = admin.execute(count).fetchone()  # other tests keep tables of theirs open
        connection = server().connect(autocommit=True)
        number = connection.info.backend_pid

        def kill(n_selected, name):
            admin.execute("SELECT pg_terminate_backend(%s, 60000)", [number])  # waits for its end

        selector = DEACS.published(5, engine=SQLEngine(connection)).set_progress(kill)
        with pytest.raises(DatabaseError, match=r"AdminShutdown|terminat"):
            selector.fit("visits", "outcome")
        assert admin.execute(count).fetchone() == before


def test_substitutes_need_a_table_that_is_still_coded(duck):
    _fill(duck, _frame())
    engine = SQLEngine(duck)
    fitted = DEACS.published(2, engine=engine).fit("visits", "outcome")
    assert not fitted.can_exchange
    with pytest.raises(InputError, match=r"substitutes needs the coded table.*engine\.encode"):
        fitted.substitutes()
    with engine.encode("visits", "outcome") as table:
        there = DEACS.published(2).fit(table)
        assert there.selected_names_ == fitted.selected_names_
        found = there.substitutes(n=1)
    here = DEACS.published(2).fit(_frame().drop("outcome"), _frame()["outcome"]).substitutes(n=1)
    assert repr(found) == repr(here)


def test_an_unknown_table_is_told(connection):
    with pytest.raises(DatabaseError, match="no_such"):
        JMI(1, engine=SQLEngine(connection)).fit("no_such", "y")


# The engine as a parameter.


def test_a_selector_with_an_engine_is_cloned_printed_and_pickled(duck):
    import pickle

    selector = JMI(2, engine=SQLEngine(duck, quantiles=500))
    assert clone(selector).engine.connection is duck
    assert "connection" not in repr(selector)
    assert pickle.loads(pickle.dumps(selector)).engine.quantiles == 500


def test_what_is_no_table_of_a_database_is_refused(duck):
    with pytest.raises(
        InputError, match="SQLEngine selects from a table of its database, got ndar"
    ):
        JMI(1, engine=SQLEngine(duck)).fit(np.zeros((3, 1)), [0, 1, 0])
    data = CodedData.from_codes([[0], [1]], [0, 1])
    with pytest.raises(InputError, match="SQLEngine counts a table of its database, got CodedData"):
        JMI(1, engine=SQLEngine(duck)).fit(data)
    with pytest.raises(InputError, match="connection must be a connection of DuckDB"):
        JMI(1, engine=SQLEngine("duckdb:shop.db")).fit("visits", "y")


def test_a_table_that_is_coded_once_serves_many_fits(duck):
    frame = _frame()
    _fill(duck, frame)
    with warnings.catch_warnings(), SQLEngine(duck).encode("visits", "outcome") as table:
        for selector in (JMI(3), CMI(3), DEACS.published(3)):
            fitted = clone(selector).fit(table)
            here = clone(selector).fit(frame.drop("outcome"), frame["outcome"])
            assert fitted.scores_.tobytes() == here.scores_.tobytes()
    assert _tables(duck) == ["visits"]
