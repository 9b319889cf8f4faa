"""Recode sorted columns under other labels, without sorting again."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.cuts import MdlpRule, mdlp_cuts
from deacs.kernels.jit import lean_kernel, lean_routine

__all__ = ["Ordered", "RecodingScratch", "recode", "recoding_scratch"]

ROWS_A_VALUE = 8
"""With as many rows for each value, those with equal values and labels are counted first."""


class Ordered(NamedTuple):
    """The order of the values of some columns, and when a cut is made."""

    order: NDArray[np.int32]
    """The rows of each column by ascending value, missing ones last, (n_columns, n_rows)."""
    ranks: NDArray[np.int32]
    """Which of the distinct values these rows have, (n_columns, n_rows)."""
    n_present: NDArray[np.int64]
    """How many rows of each column have a value."""
    rule: MdlpRule


class RecodingScratch(NamedTuple):
    """Work space for recoding."""

    total: NDArray[np.int64]
    left: NDArray[np.int64]
    """Counts of the labels."""
    labels: NDArray[np.unsignedinteger[Any]]
    values: NDArray[np.int32]
    weights: NDArray[np.int64]
    """The label and the value of each row by ascending value, or of several rows together."""
    lasts: NDArray[np.int64]
    """The last row that has the value of such rows."""
    pending: NDArray[np.int64]
    cuts: NDArray[np.int64]


def recoding_scratch(n_rows: int, n_labels: int, dtype: Any) -> RecodingScratch:
    """Return a work space for columns of a given length."""
    total, left = np.empty((2, n_labels), dtype=np.int64)
    weights, lasts, cuts = np.empty((3, n_rows), dtype=np.int64)
    values, pending = np.empty(n_rows, np.int32), np.empty((n_rows + 1, 4), np.int64)
    return RecodingScratch(
        total, left, np.empty(n_rows, dtype), values, weights, lasts, pending, cuts
    )


@lean_kernel
def recode(ordered, columns, labels, scratch, codes, n_values):
    """Cut columns by Fayyad and Irani's rule.

    IN ordered, columns (k,), labels (n_rows,); TEMP scratch; OUT codes (k, n_rows), n_values (k,):
    missing values have the last code. Codes are written only where there is more than one.
    """
    order, ranks, n_present, rule = ordered
    total, left, some_labels, some_values, weights, lasts, pending, cuts = scratch
    bits = cuts[:0].view(np.float64)
    for k in range(columns.shape[0]):
        rows, values = order[columns[k]], ranks[columns[k]]
        n = n_present[columns[k]]
        if n > 0 and (values[n - 1] + 1) * ROWS_A_VALUE <= n:
            m = _counted(rows, values, n, labels, total, some_values, some_labels, weights, lasts)
            n_cuts = mdlp_cuts(
                some_values[:m], some_labels[:m], weights[:m], rule, total, left, bits, pending,
                cuts,
            )  # fmt: skip
            for i in range(n_cuts):
                cuts[i] = lasts[cuts[i]]
        else:
            for i in range(n):
                some_labels[i] = labels[rows[i]]
            n_cuts = mdlp_cuts(
                values[:n], some_labels[:n], None, rule, total, left, bits, pending, cuts
            )
        n_values[k] = n_cuts + 1 + (n < rows.shape[0])
        if n_values[k] == 1 or n_values[k] > np.iinfo(codes.dtype).max:
            continue
        for i in range(n_cuts):  # few: insertion sort
            at, place = cuts[i], i
            while place > 0 and cuts[place - 1] > at:
                cuts[place] = cuts[place - 1]
                place -= 1
            cuts[place] = at
        begin = np.int64(0)
        for code in range(n_cuts + 1):
            end = cuts[code] + 1 if code < n_cuts else n
            for i in range(begin, end):
                codes[k, rows[i]] = code
            begin = end
        for i in range(n, rows.shape[0]):
            codes[k, rows[i]] = n_cuts + 1


@lean_routine
def _counted(rows, ranks, n, labels, in_label, some_values, some_labels, weights, lasts):
    """Count the rows with equal values and labels; return how many such pairs there are.

    IN rows by ascending value and their ranks, of which n count, labels (n_rows,); TEMP in_label
    (n_labels,); OUT for each pair its value, its label, its number of rows, and the last row that
    has the value, by ascending value.
    """
    for c in range(in_label.shape[0]):
        in_label[c] = 0
    m, begin = np.int64(0), np.int64(0)
    for i in range(n):
        in_label[labels[rows[i]]] += 1
        if i + 1 < n and ranks[i] == ranks[i + 1]:
            continue
        # By label where a value has many rows, else by row.
        n_visits = min(np.int64(in_label.shape[0]), i + 1 - begin)
        for visit in range(n_visits):
            label = np.int64(visit)
            if n_visits < in_label.shape[0]:
                label = np.int64(labels[rows[begin + visit]])
            if in_label[label] > 0:
                some_values[m], some_labels[m] = ranks[i], label
                weights[m], lasts[m] = in_label[label], i
                in_label[label] = 0
                m += 1
        begin = np.int64(i + 1)
    return m
