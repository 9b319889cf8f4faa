"""Cells by masks and row by row, against counting by hand."""

from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deacs.kernels.cells import deal_rows, find_runs, gathered_cells, plane_cells, row_cells
from deacs.kernels.columns import Columns
from deacs.kernels.grouped import mask_scratch
from deacs.kernels.groups import Groups
from deacs.kernels.planes import fill_planes, plane_scratch


@given(
    n_rows=st.integers(1, 200),
    n_runs=st.integers(1, 6),
    n_values=st.lists(st.integers(1, 16), min_size=1, max_size=4),
    seed=st.integers(0, 2**32 - 1),
)
def test_cells_are_counted_as_by_hand(n_rows, n_runs, n_values, seed):
    rng = np.random.default_rng(seed)
    widths = np.array(n_values)
    codes = (rng.random((len(widths), n_rows)) * widths[:, np.newaxis]).astype(np.uint8)
    run = rng.integers(-1, n_runs, n_rows)  # -1: left out
    weights = rng.integers(1, 5, n_rows)
    rows = np.argsort(run, kind="stable")[(run < 0).sum() :].astype(np.int32)
    starts = np.searchsorted(run[rows], np.arange(n_runs + 1))
    features = np.arange(len(widths))
    ends = np.cumsum(n_runs * widths)
    first = ends - n_runs * widths

    once, weighted = Counter(), Counter()
    for j, width in enumerate(n_values):
        for row in range(n_rows):
            if run[row] >= 0:
                cell = first[j] + run[row] * width + codes[j, row]
                once[cell] += 1
                weighted[cell] += weights[row]

    groups = Groups(rows, starts, np.zeros(n_runs, np.int32), np.array([0, n_runs]), 1, 0)
    planes = np.zeros((n_runs, -(-n_rows // 64)), dtype=np.uint64)
    fill_planes(groups, planes)
    by_planes, gathered, by_rows, by_weight = np.zeros((4, ends[-1]), dtype=np.int64)
    columns = Columns(codes, features, widths, np.full(len(widths), -1))
    plane_cells(columns, planes, starts, first, plane_scratch(n_runs, 16, np.uint8), by_planes)
    gathered_cells(columns, rows, starts, first, mask_scratch(1, n_rows, np.uint8), gathered)
    row_cells(columns, rows, starts, None, first, by_rows)
    row_cells(columns, rows, starts, weights, first, by_weight)
    assert by_planes.tolist() == by_rows.tolist() == [once[k] for k in range(ends[-1])]
    assert gathered.tolist() == by_rows.tolist()
    assert by_weight.tolist() == [weighted[k] for k in range(ends[-1])]


@given(
    n_rows=st.integers(0, 60),
    n_runs=st.integers(1, 4),
    width=st.integers(1, 5),
    n_new=st.integers(0, 6),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_are_dealt_to_the_runs_of_their_cells(n_rows, n_runs, width, n_new, seed):
    rng = np.random.default_rng(seed)
    run, column = rng.integers(0, n_runs, n_rows), rng.integers(0, width, n_rows, dtype=np.uint8)
    rows = np.argsort(run, kind="stable").astype(np.int32)
    starts = np.searchsorted(run[rows], np.arange(n_runs + 1))
    run_of = rng.integers(-1, n_new, n_runs * width, dtype=np.int32)  # -1: leaves
    target, dealt = np.empty((2, n_rows), dtype=np.int32)
    new_starts = np.zeros(n_new + 2, dtype=np.int64)
    find_runs(rows, starts, column, width, run_of, target)
    deal_rows(rows, target, new_starts, dealt)
    by_hand = [
        [row for row in rows.tolist() if run_of[run[row] * width + column[row]] == new]
        for new in range(n_new)
    ]
    ends = new_starts[: n_new + 1].tolist()
    assert [dealt[a:b].tolist() for a, b in pairwise(ends)] == by_hand
