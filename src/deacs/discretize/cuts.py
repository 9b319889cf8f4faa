"""Functions that find cut points, without estimators.

Every function that finds cut points takes typed columns, labels, weights and threads, and returns
one ascending array for each column: floats, or Python integers if floats cannot represent the
column's integers exactly; `DISCRETIZERS` lists them by name. Missing values and rows of weight zero
are ignored.
"""

import math
import operator
from collections.abc import Callable, Sequence
from itertools import accumulate, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.discretize.intervals import bins, midpoints
from deacs.discretize.rows import ascending, present
from deacs.kernels.cuts import MdlpRule, mdlp_cuts, whole_table
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, Labels
from deacs.tables.numbers import nearest_shares
from deacs.tables.weights import Weights

__all__ = [
    "CutPoints",
    "OnSorted",
    "bins",
    "equal_frequency_cut_points",
    "equal_frequency_places",
    "equal_width_cut_points",
    "mdlp_cut_points",
    "mdlp_rule",
]

CutPoints = list[NDArray[Any]]
OnSorted = Callable[
    [int, NDArray[np.signedinteger[Any]], NDArray[np.float64], NDArray[np.int64] | None], None
]
"""Called with the number of a column, its rows by ascending value, these values, and weights."""

NS_SORT = 50.0
"""Approximate cost of sorting and cutting per row, for dividing work among threads."""

ROWS_AT_ONCE = 20
"""Rows that NumPy cuts in the time that the interpreter takes for one."""

LOOK_UPS_A_ROW = 8
"""About how often a row needs X of a large count; X is tabulated if look-ups outnumber counts."""

NO_LIMIT = 1 << 62


def mdlp_cut_points(
    columns: Sequence[Column],
    labels: Labels,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    max_cuts: int | None = None,
    min_samples: int = 1,
    fallback_bins: int = 1,
    on_sorted: OnSorted | None = None,
    on_uncut: Callable[[int], None] | None = None,
) -> CutPoints:
    """Return the cut points of each numeric column, by Fayyad and Irani's rule (see `MDLP`).

    `on_sorted(k, rows, values, counts)` is called with every column once it is sorted, so that
    it need not be sorted again. A column without a cut is cut into `fallback_bins` intervals of
    equal frequency, and `on_uncut(k)` is called if it has several values.

    With multiple labels per row, a column has the cuts of each label separately: sets of labels are
    too many for the rule, which charges every cut for each of them.
    """
    targets, n_labels = _columns_to_cut_by(labels)
    rule = mdlp_rule(n_labels, len(labels.codes), weights, max_cuts, min_samples, len(columns))
    mdlp_cuts.expect(len(labels.codes) * len(columns) * len(targets) // ROWS_AT_ONCE)

    def cut(k: int) -> NDArray[np.float64]:
        rows, values, counts = ascending(columns[k], weights)
        if on_sorted is not None:
            on_sorted(k, rows, values, counts)
        n = len(values)
        total, left = np.empty(n_labels, dtype=np.int64), np.empty(n_labels, dtype=np.int64)
        pending, cuts = np.empty((n + 1, 4), dtype=np.int64), np.empty(n, dtype=np.int64)
        bits = np.empty(0 if counts is None else n)
        found = []
        for codes in targets:
            n_cuts = mdlp_cuts(values, codes[rows], counts, rule, total, left, bits, pending, cuts)
            found.append(np.sort(cuts[:n_cuts]))
        at = found[0] if len(found) == 1 else np.unique(np.concatenate(found))
        if len(at) == 0 and n > 0 and values[0] < values[-1]:
            if on_uncut is not None:
                on_uncut(k)
            if fallback_bins > 1:
                at = equal_frequency_places(values, counts, fallback_bins)
        return _between(values, at)

    return _each(columns, cut, n_jobs)


def equal_width_cut_points(
    columns: Sequence[Column],
    labels: Labels | None = None,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    n_bins: int = 10,
) -> CutPoints:
    """Return cut points that divide the range of each column evenly (see `EqualWidth`)."""
    upper = np.arange(1, n_bins) / n_bins

    def cut(k: int) -> NDArray[np.float64]:
        values, _ = present(columns[k], weights)
        values = values[np.isfinite(values)]
        if len(values) == 0:
            return np.empty(0)
        low, high = values.min(), values.max()
        # Not low + upper * (high - low): the width of a range may overflow, its parts do not.
        cuts = np.unique(low * (1 - upper) + high * upper)
        inside: NDArray[np.float64] = cuts[(cuts >= low) & (cuts < high)]
        return inside

    return _each(columns, cut, n_jobs)


def equal_frequency_cut_points(
    columns: Sequence[Column],
    labels: Labels | None = None,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    n_bins: int = 10,
) -> CutPoints:
    """Return cut points that divide the rows of each column evenly (see `EqualFrequency`)."""

    def cut(k: int) -> NDArray[np.float64]:
        if weights is None:
            values, counts = np.sort(present(columns[k])[0]), None
        else:
            _, values, counts = ascending(columns[k], weights)
        return _between(values, equal_frequency_places(values, counts, n_bins))

    return _each(columns, cut, n_jobs)


def equal_frequency_places(
    values: NDArray[np.float64], counts: NDArray[np.int64] | None, n_bins: int
) -> NDArray[np.int64]:
    """Return the places i with a cut between ascending values i and i + 1 (see `EqualFrequency`).

    `counts` are the weights of the rows, or None where each counts once.
    """
    at = np.flatnonzero(values[:-1] < values[1:])
    if len(at) == 0:
        return at
    below = np.arange(1, len(values) + 1) if counts is None else np.cumsum(counts)
    return at[nearest_shares(below[at], int(below[-1]), n_bins)]


def _each(
    columns: Sequence[Column],
    cut: Callable[[int], NDArray[np.float64]],
    n_jobs: int | None,
) -> CutPoints:
    cut_points: CutPoints = [np.empty(0)] * len(columns)

    def work(part: slice) -> None:
        for j in range(part.start, part.stop):
            cut_points[j] = _from_offset(cut(j), columns[j])

    map_blocks(work, len(columns), n_jobs, NS_SORT * (columns[0].n_rows if columns else 1))
    return cut_points


def _from_offset(cuts: NDArray[np.float64], column: Column) -> NDArray[Any]:
    """Return cuts of values minus their offset as cuts of the values, in Python integers."""
    if len(cuts) == 0 or (offset := column.offset) == 0:
        return cuts
    # An interval is closed above, so between integers a cut may lie on the lower one.
    whole = sorted({int(cut) + offset for cut in np.floor(cuts).tolist()})
    exact = np.empty(len(whole), dtype=object)
    exact[:] = whole
    return exact


def _between(values: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
    return midpoints(values[at], values[at + 1])


def _columns_to_cut_by(labels: Labels) -> tuple[list[NDArray[Any]], int]:
    """Return the class columns to cut by, and their number of classes."""
    membership, n_labels = labels.target.membership, len(labels.classes)
    if membership is not None:
        outputs = range(membership.shape[1])
        return [labels.target.rows_of(i, labels.codes).astype(np.uint8) for i in outputs], 2
    # A byte a label stays in the cache when rows are gathered in the order of a column.
    return [labels.codes.astype(np.uint8) if n_labels <= 256 else labels.codes], n_labels


def mdlp_rule(
    n_labels: int,
    n_rows: int,
    weights: Weights | None,
    max_cuts: int | None,
    min_samples: int,
    n_columns: int,
) -> MdlpRule:
    """Return the rule for cuts: the costs in fixed point, and the limits."""
    total = n_rows if weights is None else weights.total
    scale = 1.0 if weights is None else weights.scale
    table, _, scale_bits = fixed_point(total, n_labels)
    looked_up = LOOK_UPS_A_ROW * n_rows * n_columns
    if len(table) <= total and (weights is None or total <= looked_up):
        small, table = table, np.empty(total + 1, dtype=np.int64)
        whole_table(small, scale_bits, table)
    # Each power from the one before: with thousands of classes they have thousands of digits.
    powers = accumulate(repeat(3, n_labels), operator.mul)
    return MdlpRule(
        table=table,
        scale_bits=scale_bits if len(table) <= total else None,
        unit=2.0**-scale_bits,
        log_powers=np.array([0.0, *(math.log2(power - 2) for power in powers)]),
        scale=scale,
        least=math.ceil(min_samples * scale),
        max_cuts=NO_LIMIT if max_cuts is None else max_cuts,
    )
