"""Code a table inside its database; only counts of distinct values are transferred.

The distinct values of a column by class are a small table whose weights are their counts;
`deacs.encode` codes it, so kinds, categories and cut points are those of the whole column.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sqlglot import exp

from deacs.coding import CodedData, FeatureCoding, Missing, encode
from deacs.coding.features import uncounted_codes
from deacs.coding.kinds import discrete_mask
from deacs.coding.notes import column_notes, warn_of
from deacs.distributed.sql.codes import (
    MANY_STEPS,
    code_of,
    score_of,
    series_of,
    travelling,
)
from deacs.distributed.sql.database import Database
from deacs.distributed.sql.expressions import Expression, column, literal, total
from deacs.distributed.sql.lookups import Join, Lookups
from deacs.distributed.sql.order import check_counts, count_again, order_of_codes
from deacs.distributed.sql.source import Source, source_of
from deacs.distributed.sql.table import (
    Cells,
    OrderedFeature,
    SQLTable,
    code_name,
    rank_name,
    score_name,
)
from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Table, TargetOption, read_columns
from deacs.tables.names import frames_to_user

if TYPE_CHECKING:
    from deacs.distributed.sql.engine import SQLEngine

__all__ = ["encode_table"]

Integers = NDArray[np.int64]


class Ranks(NamedTuple):
    """Normal scores of a column's ranks."""

    values: NDArray[Any]
    """The distinct values, ascending."""
    scores: Integers
    by_class: Integers
    """The sum of scores in each class."""
    square: int
    """The sum of the squared scores."""


class Kept(NamedTuple):
    """What a table keeps besides codes."""

    order: bool
    """Normal scores of all values."""
    ranks: bool
    """Ranks of the values of columns that were cut using the classes."""
    discretizer: str | None


class Coded(NamedTuple):
    """A column's coding, its cells with S empty, its distinct values, and their ranks."""

    feature: FeatureCoding
    cells: Cells
    column: Column
    n_pairs: int
    ranks: Ranks | None
    is_exact: bool
    """Whether counts are those of all values; otherwise of quantiles."""


def encode_table(
    engine: SQLEngine,
    database: Database,
    table: exp.Table,
    y: Any,
    *,
    discrete_features: Any = "auto",
    discretizer: Any = "mdlp",
    missing: Missing = "category",
    sample_weight: Any = None,
    order: bool = False,
    recodable: bool = False,
    target: TargetOption = "auto",
) -> SQLTable:
    """Code a table in its database; the parameters are those of `deacs.encode`."""
    if target not in ("auto", "classes"):
        raise InputError(
            Parameter("target", target),
            " needs a table in memory, got one in a database, where the target is classes; select "
            "from a sample of the rows, or from a view that cuts numbers into a few classes",
        )
    if not isinstance(discretizer, str | None):
        raise InputError(
            Parameter("discretizer"),
            " must be a name or None for a table in a database, got "
            f"{type(discretizer).__name__}; use 'mdlp', 'equal-width' or 'equal-frequency'",
        )
    began, copy = database.begin(), None
    try:
        copy = database.copied(table)
        source = source_of(database, copy, y, sample_weight, engine.exclude, target == "classes")
        source.check_weights()
        how = {"discretizer": discretizer, "missing": missing, "order": order}
        marks = _marks(source, discrete_features)
        rows = source.rows().subquery("s")
        found = [
            _coded(source, rows, j, {"discrete_features": mark, **how}, engine.quantiles)
            for j, mark in enumerate(marks)
        ]
        keeps = Kept(order, recodable, discretizer)
        made = _table(engine, source, found, keeps, ignores=missing == "ignore", began=began)
    except BaseException:
        if began:
            database.end(keep=False)
        raise
    finally:
        if copy is not None and copy is not table:
            database.drop(copy.name)
    try:
        _warn(source, found, made)
    except BaseException:  # warnings may be errors
        made.close()
        raise
    return made


def _table(
    engine: SQLEngine,
    source: Source,
    found: Sequence[Coded],
    keeps: Kept,
    *,
    ignores: bool,
    began: bool,
) -> SQLTable:
    classes, label_counts, class_rows = source.labels
    is_temporary = engine.uses_temporary_tables(source.database)
    is_sure = source.database.sees_one_state(source.table)
    if not is_sure and not is_temporary:
        raise InputError(
            Parameter("temporary", False),
            " needs a table that cannot change meanwhile, got a view or files; leave it out",
        )
    features = tuple(coded.feature for coded in found)
    with Lookups(source.database, is_temporary) as lookups:
        table = SQLTable(
            source.database,
            engine,
            _codes(source, found, lookups, keeps.ranks),
            classes=classes,
            features=features,
            feature_names=tuple(each.name for each in source.features),
            class_rows=class_rows,
            first_cells=[coded.cells for coded in found],
            label_counts=label_counts,
            ignored=uncounted_codes(features, ignores),
            order=_order(found, keeps.order, len(classes)),
            is_weighted=source.weight is not None,
            is_temporary=is_temporary,
            discretizer=keeps.discretizer,
        )
    is_exact = np.array([coded.is_exact for coded in found])
    try:
        if not is_sure:
            check_counts(table, np.flatnonzero(is_exact))
        if not is_exact.all():
            count_again(table, np.flatnonzero(~is_exact))
        if is_temporary and began:
            source.database.end()
    except BaseException:  # the transaction may be the user's, and not be rolled back
        table.close()
        raise
    table.holds_snapshot = began and not is_temporary
    return table


def _codes(
    source: Source, found: Sequence[Coded], lookups: Lookups, keeps_ranks: bool
) -> exp.Select:
    """Return the query of labels, weights, codes and, if kept, ranks and scores."""
    selected: list[Expression] = [column("y")]
    if source.weight is not None:
        selected.append(column("w"))
    joins: list[Join | None] = []
    for j, coded in enumerate(found):
        value, kind = column(f"c{j}"), source.features[j].kind
        code, joined = code_of(value, kind, coded.feature, lookups, alias=f"m{j}")
        selected.append(code.as_(code_name(j), copy=False))
        joins.append(joined)
        if coded.ranks is not None:
            known = coded.ranks.values, coded.ranks.scores
            score, joined = score_of(value, kind, *known, lookups, alias=f"o{j}")
            selected.append(score.as_(score_name(j), copy=False))
            joins.append(joined)
        if keeps_ranks and coded.feature.by_classes and coded.is_exact:
            numbers, missing = coded.column.values + 0, coded.column.missing  # booleans are 0 and 1
            values = np.unique(numbers if missing is None else numbers[~missing])
            given = value, kind, values, np.arange(len(values)), lookups
            rank, joined = score_of(*given, alias=f"r{j}", type="int")
            selected.append(rank.as_(rank_name(j), copy=False))
            joins.append(joined)
    # These may be thousands of cases, which each step would copy.
    query = exp.select(*selected, copy=False).from_(source.rows().subquery("s"), copy=False)
    for join in joins:
        if join is not None:
            query = query.join(join[0], on=join[1], join_type="left", copy=False)
    return query


def _order(found: Sequence[Coded], is_kept: bool, n_classes: int) -> dict[int, OrderedFeature]:
    """Return the normal scores of each ordered feature: a column, or an expression of codes."""
    order: dict[int, OrderedFeature | None] = {}
    for j, coded in enumerate(found):
        if not is_kept:
            order[j] = order_of_codes(coded.feature, j, coded.cells, n_classes)
        elif coded.ranks is not None:
            order[j] = OrderedFeature(
                column(score_name(j)), coded.ranks.by_class, coded.ranks.square
            )
    return {j: scored for j, scored in order.items() if scored is not None}


def _coded(
    source: Source, rows: Expression, j: int, how: dict[str, Any], quantiles: int | None
) -> Coded:
    """Code one column from its distinct values by class."""
    name, kind, _ = source.features[j]
    values, labels, counts, is_exact = _distinct(source, rows, j, quantiles)
    frame = pl.DataFrame([series_of(name, values, kind)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are about rows, and these are not rows
        data = encode(frame, labels, sample_weight=counts, target="classes", **how)
    [feature], codes = data.features, data.column(0)
    keys, place = np.unique(labels * feature.n_values + codes, return_inverse=True)
    cells = keys, np.bincount(place, counts, len(keys)).astype(np.int64)
    [read] = read_columns(frame).columns
    ranks = _ranks(data, read, values, counts, is_exact)
    return Coded(feature, cells, read, len(values), ranks, is_exact)


def _ranks(
    data: CodedData, read: Column, values: NDArray[Any], counts: Integers, is_exact: bool
) -> Ranks | None:
    """Return the scores of values, if an order was requested and they have one."""
    if data.order is None or len(data.order.features) == 0:
        return None
    scores = data.order.scores[0].astype(np.int64)
    by_class = np.zeros(data.n_classes, dtype=np.int64)
    np.add.at(by_class, data.labels, scores * counts)
    square = int((scores * scores * counts).sum())
    present = slice(None) if read.missing is None else ~read.missing
    known = values if read.kind == "nominal" else read.values + 0  # booleans are 0 and 1
    distinct, first = np.unique(known[present], return_index=True)
    scores = scores[present][first]
    if not is_exact:  # as many steps as bisection takes
        ends = np.arange(MANY_STEPS) * len(distinct) // MANY_STEPS
        distinct, scores = distinct[ends], scores[ends]
    return Ranks(distinct, scores, by_class, square)


def _distinct(
    source: Source, rows: Expression, j: int, quantiles: int | None
) -> tuple[NDArray[Any], Integers, Integers, bool]:
    """Return the values of a column with their classes and counts, and whether they are exact."""
    kind = source.features[j].kind
    value = column(f"c{j}")
    weight = None if source.weight is None else column("w")
    columns = [travelling(value, kind).as_("v"), column("y")]
    if weight is not None:
        columns.append(weight)
    if kind == "enum":
        columns.append(value.as_("o"))  # in the order in which they were declared
    exact = inner = exp.select(*columns).from_(rows.copy())
    if quantiles is not None and kind in ("integer", "float", "moment"):
        inner = _by_quantile(source, exact, quantiles)
    query = (
        exp.select("v", "y", total(weight).as_("n")).from_(inner.subquery("q")).group_by("v", "y")
    )
    if kind == "enum":
        query = query.group_by("o").order_by("o")
    values, labels, counts = source.database.query(query)
    return values, labels.astype(np.int64), counts.astype(np.int64), inner is exact


def _by_quantile(source: Source, inner: exp.Select, quantiles: int) -> exp.Select:
    """Replace values by the greatest one of their quantile, if more than `quantiles` differ."""
    n_distinct = exp.Count(this=exp.Distinct(expressions=[column("v")]))
    [found] = source.database.query(exp.select(n_distinct.as_("n")).from_(inner.subquery("q")))
    if int(found[0]) <= quantiles:
        return inner
    kept = [column(each.alias_or_name) for each in inner.selects[1:]]
    part = exp.Window(
        this=exp.Anonymous(this="NTILE", expressions=[literal(quantiles)]),
        partition_by=[column("v").is_(exp.null())],
        order=exp.Order(expressions=[column("v")]),
    )
    parts = exp.select(column("v"), part.as_("p"), *kept).from_(inner.subquery("q"))
    greatest = exp.Window(
        this=exp.Max(this=column("v")), partition_by=[column("p"), column("v").is_(exp.null())]
    )
    return exp.select(greatest.as_("v"), *kept).from_(parts.subquery("q"))


def _marks(source: Source, discrete_features: Any) -> list[Any]:
    """Return `discrete_features` for each column."""
    if isinstance(discrete_features, str) and discrete_features == "auto":
        return ["auto"] * len(source.features)
    nothing = np.empty(0)
    columns = tuple(
        Column(each.name, "nominal" if each.kind in ("text", "enum") else "float", nothing)
        for each in source.features
    )
    return [bool(mark) for mark in discrete_mask(Table(columns, 0), discrete_features)]


def _warn(source: Source, found: Sequence[Coded], made: SQLTable) -> None:
    """Warn of columns that identify rows, and of a connection that may only read."""
    names = [each.name for each in source.features]
    in_every_row = [coded.column for coded in found if coded.n_pairs == made.n_rows]
    features = [coded.feature for coded in found]
    made.notes = column_notes(names, features, made.n_rows, columns=in_every_row)
    warn_of(made.notes)
    if not made.is_temporary and made.engine.temporary is None:
        warnings.warn(
            "the connection may only read, so every statement codes the table again, which is "
            "slower than counting temporary tables",
            stacklevel=frames_to_user(),
        )
