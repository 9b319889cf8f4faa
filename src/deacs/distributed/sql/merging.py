"""Merge columns of a table into units, inside its database."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from deacs.coding.features import uncounted_codes
from deacs.coding.merging import Joint, Unit
from deacs.distributed.sql.expressions import Expression, column, name, total, values_table
from deacs.distributed.sql.order import order_of_codes
from deacs.distributed.sql.table import Cells, SQLTable, code_name

__all__ = ["SQLMerger"]


class SQLMerger:
    """Merges columns in a database; only counts of joint values by class are transferred."""

    def __init__(self, table: SQLTable) -> None:
        self._table = table

    def joint(self, members: Sequence[int], at_most: int) -> Joint | None:
        """Return the joint values of some columns; None if more than `at_most` occur."""
        table = self._table
        codes = [column(code_name(j)) for j in members]
        counted = exp.select(*codes, "y", total(table.weight).as_("n"))
        counted = counted.from_(exp.table_(name(table.relation))).group_by(*codes, "y")
        answer = table.ask(counted.limit(at_most * table.n_classes + 1))
        *found, labels, counts = (values.astype(np.int64) for values in answer)
        values, rows = np.unique(np.column_stack(found), axis=0, return_inverse=True)
        return None if len(values) > at_most else Joint(values, (rows.ravel(), labels, counts))

    def merged(self, units: Sequence[Unit]) -> SQLTable:
        """Return the table of these units, as another temporary table."""
        table = self._table
        codes: list[Expression] = []
        query = exp.select().from_(exp.table_(name(table.relation)).as_("t"))
        for u, unit in enumerate(units):
            members = [column(code_name(j), "t") for j in unit.members]
            code: Expression = members[0]
            if unit.joint is not None:
                known, alias = np.column_stack((unit.joint.values, unit.codes)), f"m{u}"
                names = [*(f"v{k}" for k in range(len(members))), "c"]
                pairs = zip(members, names, strict=False)
                on = exp.and_(*(member.eq(column(each, alias)) for member, each in pairs))
                listed = values_table(known.tolist(), alias, names)
                query = query.join(listed, on=on, join_type="left")
                code = exp.cast(column("c", alias), "smallint")
            codes.append(code.as_(code_name(u)))
        kept = [column(each, "t") for each in (["y", "w"] if table.is_weighted else ["y"])]
        features = tuple(unit.feature for unit in units)
        cells = [_cells(unit, table) for unit in units]
        order = {
            u: order_of_codes(feature, u, cells[u], table.n_classes)
            for u, feature in enumerate(features)
        }
        return SQLTable(
            table.database,
            table.engine,
            query.select(*kept, *codes),
            classes=table.classes,
            features=features,
            feature_names=tuple(unit.name for unit in units),
            class_rows=table.class_rows,
            first_cells=cells,
            label_counts=table.label_counts,
            ignored=uncounted_codes(features, table.ignores_missing),
            order={u: scored for u, scored in order.items() if scored is not None},
            is_weighted=table.is_weighted,
            is_temporary=table.is_temporary,
            parent=table,
        )


def _cells(unit: Unit, table: SQLTable) -> Cells:
    """Return the cells of a unit with S empty."""
    if unit.joint is None:
        return table.first_cells[unit.members[0]]
    rows, labels, counts = unit.joint.rows
    keys, place = np.unique(labels * unit.feature.n_values + unit.codes[rows], return_inverse=True)
    return keys, np.bincount(place, counts, len(keys)).astype(np.int64)
