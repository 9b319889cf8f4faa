"""Values of the user's data are parameters of statements, and never part of their text."""

import math

import numpy as np
import polars as pl
import pytest

pytest.importorskip("sqlglot")
pytest.importorskip("duckdb")

import duckdb
from sqlglot import exp

from deacs import DEACS, JMI
from deacs.distributed import SQLEngine
from deacs.distributed.sql import of_postgres
from deacs.distributed.sql.database import Database, database_of
from deacs.distributed.sql.expressions import case, column, literal, staircase, value, values_table
from tests.system.distributed.postgres_server import server

HOSTILE = [
    "it's",
    'a"b',
    "$1",
    ":p1",
    "%s",
    "%(p1)s",
    "?",
    "'; DROP TABLE t; --",
    "back\\slash",
    "",
]
FLOATS = [0.1, -0.0, 5e-324, 1.7976931348623157e308, -math.inf, math.inf, 1 / 3]


def _asked(monkeypatch):
    """Collect the statements that run, with their values."""
    seen, bound = [], Database.bound

    def noted(self, expression, **how):
        seen.append(bound(self, expression, **how))
        return seen[-1]

    monkeypatch.setattr(Database, "bound", noted)
    return seen


@pytest.fixture
def database():
    with duckdb.connect() as connection:
        yield database_of(connection)


def test_no_value_is_part_of_a_statement_that_runs(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    words = np.array(["zebra's", 'gnu"', "o$1"])
    frame = pl.DataFrame(
        {
            "kind": words[np.where(rng.random(300) < 0.2, 0, y)],
            "size": (y + rng.normal(size=300)).round(3),
            "y": np.array(["won't", "will", "would"])[y],
        }
    )
    here = DEACS(2).fit(frame.drop("y"), frame["y"])
    with duckdb.connect() as connection:
        connection.register("visits", frame)
        seen = _asked(monkeypatch)
        there = DEACS(2, engine=SQLEngine(connection)).fit("visits", "y")
        with SQLEngine(connection).encode("visits", "y") as table:
            shown = table.explain()
    assert there.label_scores_.tobytes() == here.label_scores_.tobytes()
    bound = {each for _, values in seen for each in values}
    cuts = [cut for cut in bound if isinstance(cut, float)]
    assert {*words, "won't", "will", "would"} <= bound
    assert cuts
    for text, _ in seen:
        assert not any(word in text for word in ("zebra", "gnu", "o$1", "won", "will", "would"))
        assert not any(repr(cut) in text for cut in cuts)
    assert "zebra''s" in shown  # `--explain` shows values where they are


@pytest.mark.parametrize("known", [HOSTILE, FLOATS, [1, 2**40, -7, 2**100]])
def test_values_come_back_as_they_were_sent(database, known):
    text, values = database.bound(
        exp.select(*[value(each).as_(f"c{k}") for k, each in enumerate(known)])
    )
    assert len(values) == len(known)
    found = database.connection.execute(
        text, dict(zip([f"p{k + 1}" for k in range(len(known))], values, strict=True))
    )
    back = found.fetchone()
    assert [repr(each) for each in back] == [repr(each) for each in known]


def test_hostile_values_are_told_apart(database):
    rows = values_table([(each, k) for k, each in enumerate(HOSTILE)], "t", ("v", "c"))
    number = case(column("v", "t"), [(each, k) for k, each in enumerate(HOSTILE)], -1)
    found = database.query(exp.select(column("c", "t"), number.as_("n")).from_(rows))
    assert found[0].tolist() == found[1].tolist() == list(range(len(HOSTILE)))


def test_a_float_falls_where_all_its_bits_say(database):
    cuts = sorted({0.1, 1 / 3, 0.5})
    for cut in cuts:
        for x in (np.nextafter(cut, 0), cut, np.nextafter(cut, 1)):
            code = staircase(value(float(x)), cuts, range(4))
            assert int(database.query(exp.select(code.as_("n")))[0][0]) == np.searchsorted(cuts, x)


def test_equal_values_are_one_parameter_and_unequal_ones_are_not(database):
    asked = [1, 1.0, True, "1", 0.0, -0.0, 1, "1", 1.0]
    text, values = database.bound(
        exp.select(*[value(each).as_(f"c{k}") for k, each in enumerate(asked)])
    )
    assert [(type(v), repr(v)) for v in values] == [(type(v), repr(v)) for v in asked[:6]]
    assert text.count("$p1 ") == 2
    assert database.bound(exp.select(literal(1).as_("c")))[1] == []


def test_postgresql_gets_more_values_than_parameters_as_arrays(monkeypatch):
    monkeypatch.setattr(of_postgres, "MOST_PARAMETERS", 20)
    monkeypatch.setattr(of_postgres, "ARRAY", 3)
    known = [*HOSTILE, *FLOATS, 1, 2**40, -7, True, False]
    with server().connect(autocommit=True) as connection:
        database = database_of(connection)
        asked = exp.select(*[value(each).as_(f"c{k}") for k, each in enumerate(known)])
        text, sent = database.bound(asked)
        back = [column[0] for column in database.query(asked)]
    assert len(sent) == 4 + 3 + 1 + 1
    assert not any(each in text for each in HOSTILE if len(each) > 2)
    assert [repr(each) for each in map(_python, back)] == [repr(each) for each in known]


def _python(value):
    return value.item() if isinstance(value, np.generic) else value


def test_long_lists_of_text_are_sent_as_a_table(monkeypatch):
    rng = np.random.default_rng(1)
    tags = np.char.add("it's ", rng.permutation(2500).repeat(2).astype(str))
    frame = pl.DataFrame(
        {"tag": tags, "n": rng.integers(0, 3, 5000), "y": rng.integers(0, 2, 5000)}
    )
    here = JMI(2).fit(frame.drop("y"), frame["y"])
    with duckdb.connect() as connection:
        connection.register("visits", frame)
        seen = _asked(monkeypatch)
        there = JMI(2, engine=SQLEngine(connection)).fit("visits", "y")
        left = connection.execute("SELECT count(*) FROM duckdb_tables()").fetchone()
    assert there.scores_.tobytes() == here.scores_.tobytes()
    assert max(len(values) for _, values in seen) < 100
    assert left == (0,)
