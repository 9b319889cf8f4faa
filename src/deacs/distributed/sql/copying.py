"""Copy the codes of a table in a database, for tests that shuffle labels.

Rows of a database have no order, but the result of a shuffle depends on it. So rows are sorted by
class, codes and ranks; rows that agree in all of these are interchangeable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from deacs.coding import CodedData
from deacs.coding.blocks import frozen
from deacs.coding.cuts import sort_columns
from deacs.coding.discretizers import find_discretizer
from deacs.coding.order import order_of_coded
from deacs.coding.recoding import Recoder
from deacs.distributed.copies import COPIED_AT_ONCE, copied_codes, with_codes
from deacs.distributed.sql.database import changed
from deacs.distributed.sql.expressions import Expression, column, literal, name
from deacs.distributed.sql.table import SQLTable, code_name, rank_name, score_name
from deacs.tables import Column, Labels

__all__ = ["copy_of"]

BYTES_A_CODE = 64
"""Approximate memory for a code that a driver returns as a Python object."""


def copy_of(table: SQLTable) -> CodedData:
    """Return a local copy of a table in a database, sorted by class, codes and ranks."""
    kept = table.keep(_sorted_rows(table))

    def fetched(*names: str) -> NDArray[np.int64]:
        columns = [column(each) for each in ("i", *names)]
        answer = table.ask(exp.select(*columns).from_(exp.table_(name(kept))))
        places, *values = (each.astype(np.int64) for each in answer)
        if len(places) != table.n_rows:
            raise changed()
        found = np.empty((len(values), len(places)), dtype=np.int64)
        found[:, places] = values
        return found

    def columns() -> Iterator[tuple[int, NDArray[Any]]]:
        at_once = max(1, COPIED_AT_ONCE // (BYTES_A_CODE * table.n_rows))
        for begin in range(0, table.n_features, at_once):
            some = range(begin, min(begin + at_once, table.n_features))
            yield from zip(some, fetched(*map(code_name, some)), strict=True)

    labels = Labels(fetched("y")[0].astype(np.int32), table.classes, table.about)
    blocks = copied_codes(columns(), table.n_rows, table.n_values, table.ignored)
    data = with_codes(table, blocks, labels.codes)
    cut = []
    for j in table.ranked:
        feature, missing = table.features[j], None
        if feature.has_missing:
            missing = data.column(j) == feature.n_values - 1
        cut.append(Column(table.feature_names[j], "integer", fetched(rank_name(j))[0], missing))
    scores = {j: fetched(score_name(j))[0].astype(np.int16) for j in _scored(table)}
    weights = None if table.weight is None else frozen(fetched("w")[0])
    table.abandon(kept)
    recoder = None
    if cut:
        options = find_discretizer(table.discretizer).options
        recoder = Recoder.of(table.ranked, [sort_columns(cut).order], labels, **options)
    data = replace(data, recoder=recoder, weights=weights)
    return replace(data, order=order_of_coded(data, scores)) if scores else data


def _scored(table: SQLTable) -> list[int]:
    """Return the features whose scores by rank are a column of the table."""
    return [j for j in table.order if score_name(j) in table.columns]


def _sorted_rows(table: SQLTable) -> exp.Select:
    """Return the query of rows with their sorted positions i."""
    names = ["y", *map(code_name, range(table.n_features)), *map(rank_name, table.ranked)]
    names += [*map(score_name, _scored(table)), *(["w"] if table.is_weighted else [])]
    order = exp.Order(expressions=[exp.Ordered(this=column(each)) for each in names])
    place: Expression = exp.Window(this=exp.RowNumber(), order=order) - literal(1)
    columns = [column(each) for each in names]
    return exp.select(place.as_("i"), *columns).from_(exp.table_(name(table.relation)))
