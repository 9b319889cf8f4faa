"""Grouped codes: refining keeps exactly the rows whose class is still open."""

from collections import Counter

import numpy as np
from hypothesis import given

from deacs.counts import Conditioning
from tests import naive
from tests.tables_of_codes import coded_tables


@given(coded_tables())
def test_rows_retire_when_their_group_has_one_label(table):
    columns, y = table
    conditioning = Conditioning(np.array(y, dtype=np.int32), max(y) + 1)
    for used in range(len(columns)):
        column = np.array(columns[used], dtype=np.uint8)
        conditioning.add(column, int(column.max()) + 1)
        open_rows = sorted(
            row
            for group in naive.groups_of(columns[: used + 1])
            if len({y[r] for r in group}) > 1
            for row in group
        )
        assert sorted(conditioning._groups.rows.tolist()) == open_rows


@given(coded_tables())
def test_groups_hold_equal_values_and_runs_equal_labels(table):
    columns, y = table
    conditioning = Conditioning(np.array(y, dtype=np.int32), max(y) + 1)
    for column in columns:
        conditioning.add(np.array(column, dtype=np.uint8), max(column) + 1)
    groups = conditioning._groups
    seen = Counter()
    for g in range(len(groups.group_runs) - 1):
        values = set()
        for run in range(groups.group_runs[g], groups.group_runs[g + 1]):
            rows = groups.rows[groups.run_starts[run] : groups.run_starts[run + 1]].tolist()
            assert {y[r] for r in rows} == {groups.run_labels[run]}
            values |= {tuple(column[r] for column in columns) for r in rows}
            seen.update(rows)
        assert len(values) == 1
    assert all(count == 1 for count in seen.values())
