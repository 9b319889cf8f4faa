"""Counts by group as queries: one `GROUP BY` for each feature, all in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.distributed.sql.database import Database
from deacs.distributed.sql.expressions import Expression, column, literal, name, total, union_all
from deacs.distributed.sql.table import Cells, SQLTable, code_name

__all__ = ["Counted", "count_by_run", "portions", "sorted_cells"]

Integers = NDArray[np.int64]
Counted = tuple[Integers, Integers, Integers]
"""Runs, values, and the weight of each pair."""

MOST_FEATURES = 50
"""The most features in one statement: parsers and planners take more than linear time."""

MOST_CELLS = 1 << 22
"""About how many rows of a result are in memory at once."""


def portions(features: Integers, n_cells: Integers) -> Iterator[Integers]:
    """Yield features in portions, each for one statement."""
    begin, held = 0, 0
    for k, size in enumerate(n_cells.tolist()):
        if k > begin and (k - begin == MOST_FEATURES or held + size > MOST_CELLS):
            yield features[begin:k]
            begin, held = k, 0
        held += size
    if begin < len(features):
        yield features[begin:]


def count_by_run(
    table: SQLTable, rows: str, run: Expression, features: Integers, weight: Expression | None
) -> dict[int, Counted]:
    """Count the values of each feature in each run, by weight."""
    statement = statement_of(table.database, rows, run, features, weight)
    numbers, runs, values, counts = (
        np.asarray(found).astype(np.int64) for found in table.ask(statement)
    )
    order = np.argsort(numbers, kind="stable")
    ends = np.searchsorted(numbers[order], [features, features + 1]).T.tolist()
    return {
        feature: (runs[order[begin:end]], values[order[begin:end]], counts[order[begin:end]])
        for feature, (begin, end) in zip(features.tolist(), ends, strict=True)
    }


def sorted_cells(keys: Integers, counts: Integers) -> Cells:
    """Return cells with ascending keys."""
    order = np.argsort(keys)
    return keys[order], counts[order]


def statement_of(
    database: Database,
    rows: str,
    run: Expression,
    features: Integers | Sequence[int],
    weight: Expression | None,
) -> exp.Query:
    """Return the statement that counts, with columns feature j, run r, value v and count n."""
    way = _one_scan if database.one_scan else _scan_by_scan
    return way(rows, run, [int(feature) for feature in features], weight)


def _scan_by_scan(
    rows: str, run: Expression, features: list[int], weight: Expression | None
) -> exp.Query:
    selects = []
    for feature in features:
        columns = [run.copy().as_("r"), column(code_name(feature)).as_("v")]
        if weight is not None:
            columns.append(weight.copy().as_("x"))
        inner = exp.select(*columns).from_(exp.table_(name(rows))).subquery("q")
        selects.append(
            exp.select(literal(feature).as_("j"), "r", "v", _counted(weight).as_("n"))
            .from_(inner)
            .group_by("r", "v")
        )
    return union_all(selects)


def _one_scan(
    rows: str, run: Expression, features: list[int], weight: Expression | None
) -> exp.Query:
    """Count by grouping sets; a set has NULL for all codes but its own, which is never NULL."""
    codes = [column(code_name(feature)) for feature in features]
    columns = [run.copy().as_("r"), *codes]
    if weight is not None:
        columns.append(weight.copy().as_("x"))
    sets = exp.GroupingSets(
        expressions=[exp.Tuple(expressions=[column("r"), code.copy()]) for code in codes]
    )
    counted = (
        exp.select("r", *[code.copy() for code in codes], _counted(weight).as_("n"))
        .from_(exp.select(*columns).from_(exp.table_(name(rows))).subquery("q"))
        .subquery("c")
    )
    counted.this.set("group", exp.Group(grouping_sets=[sets]))
    which = exp.Case()
    for feature, code in zip(features, codes, strict=True):
        which = which.when(code.copy().is_(exp.null()).not_(), literal(feature), copy=False)
    value = (
        codes[0]
        if len(codes) == 1
        else exp.Coalesce(this=codes[0].copy(), expressions=[code.copy() for code in codes[1:]])
    )
    return exp.select(which.as_("j"), "r", value.as_("v"), "n").from_(counted)


def _counted(weight: Expression | None) -> Expression:
    return total(None if weight is None else column("x"))
