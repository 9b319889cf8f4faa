"""Cut sorted columns, under any labels of their rows, and number the intervals between the cuts."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.cuts import mdlp_cuts
from deacs.kernels.jit import lean_routine, patient_kernel
from deacs.kernels.weights import weight_of

__all__ = [
    "CutScratch",
    "Equals",
    "Ordered",
    "cut_columns",
    "cut_scratch",
    "equals_of",
    "number_intervals",
    "values_repeat",
]

ROWS_A_VALUE = 8
"""With as many rows for each value, it pays to cut those with equal values and labels together."""


class Ordered(NamedTuple):
    """The order of the values of some columns, which is all that the search for cuts needs."""

    rows: NDArray[np.int32]
    """The rows of each column by ascending value, missing ones last, (n_columns, n_rows)."""
    ranks: NDArray[np.int32]
    """Which of the distinct values these rows have, (n_columns, n_rows)."""
    n_present: NDArray[np.int64]
    """How many rows of each column have a value."""


class CutScratch(NamedTuple):
    """Work space for cutting columns."""

    total: NDArray[np.int64]
    left: NDArray[np.int64]
    """Counts of the labels."""
    labels: NDArray[Any]
    """The label of each row by ascending value, or of rows that are cut together."""
    bits: NDArray[np.float64]
    pending: NDArray[np.int64]
    cuts: NDArray[np.int64]


class Equals(NamedTuple):
    """Work space for rows of equal value and label, which are cut together."""

    values: NDArray[np.int32]
    weights: NDArray[np.int64]
    lasts: NDArray[np.int64]
    """The last row that has the value of such rows."""


def cut_scratch(n_rows: int, n_labels: int, dtype: Any) -> CutScratch:
    """Return a work space for columns of a given length and labels of a given type."""
    total, left = np.empty((2, n_labels), dtype=np.int64)
    labels, bits, pending = np.empty(n_rows, dtype), np.empty(n_rows), np.empty((n_rows + 1, 4))
    return CutScratch(total, left, labels, bits, pending.view(np.int64), np.empty(n_rows, np.int64))


def equals_of(n_rows: int) -> Equals:
    """Return a work space for columns of a given length."""
    return Equals(np.empty(n_rows, np.int32), *np.empty((2, n_rows), dtype=np.int64))


def values_repeat(order: Ordered) -> bool:
    """Whether most columns have so few values that `Equals` pays.

    Without it, numba compiles the search for cuts without weights, which takes less time.
    """
    few = (order.ranks[:, -1] + 1) * ROWS_A_VALUE <= order.rows.shape[1]
    return bool(2 * np.count_nonzero(few) >= len(few))


@patient_kernel
def cut_columns(ordered, columns, labels, weights, rule, scratch, equals, is_last, codes, n_values):
    """Cut columns by Fayyad and Irani's rule, and number the intervals.

    IN ordered, columns (k,) of them, labels (n_rows,), weights (n_rows,) or None, rule; TEMP
    scratch, equals or None, if rows have no weights; IN OUT is_last (k, n_rows): set where an
    interval ends with a row, in the order of the column, else unchanged, codes and n_values: see
    `number_intervals`; unchanged for a column without a cut and without missing values.
    """
    total, left, some_labels, bits, pending, cuts = scratch
    for k in range(columns.shape[0]):
        rows, ranks = ordered.rows[columns[k]], ordered.ranks[columns[k]]
        n = ordered.n_present[columns[k]]
        if equals is None:
            _gather(rows, n, labels, some_labels)
            n_cuts = mdlp_cuts(
                ranks[:n], some_labels[:n], None, rule, total, left, bits, pending, cuts
            )
            for i in range(n_cuts):
                is_last[k, cuts[i]] = True
        else:
            m = _count_equals(rows, ranks, n, labels, weights, total, some_labels, equals)
            n_cuts = mdlp_cuts(
                equals.values[:m], some_labels[:m], equals.weights[:m], rule, total, left, bits,
                pending, cuts,
            )  # fmt: skip
            for i in range(n_cuts):
                is_last[k, equals.lasts[cuts[i]]] = True
        # With shuffled labels most columns have no cut.
        if n_cuts > 0 or n < rows.shape[0]:
            n_values[k] = _number(rows, n, is_last[k], codes[k])


def _gather_by_numpy(rows, n, labels, some_labels):
    np.asarray(labels).take(np.asarray(rows)[:n], out=np.asarray(some_labels)[:n])


@partial(lean_routine, by_numpy=_gather_by_numpy)
def _gather(rows, n, labels, some_labels):
    """OUT some_labels: the labels of the first n rows."""
    for i in range(n):
        some_labels[i] = labels[rows[i]]


def _count_by_numpy(rows, ranks, n, labels, weights, in_label, some_labels, equals):
    rows, ranks, n_labels = np.asarray(rows)[:n], np.asarray(ranks)[:n], in_label.shape[0]
    # Sums of integers below 2**53 are exact in floats.
    counts = np.bincount(
        ranks * np.int64(n_labels) + np.asarray(labels)[rows],
        None if weights is None else np.asarray(weights)[rows],
    )
    found = np.flatnonzero(counts)
    m, (values, of_found, lasts) = len(found), map(np.asarray, equals)
    values[:m], of_found[:m] = found // n_labels, counts[found]
    np.asarray(some_labels)[:m] = found % n_labels
    lasts[:m] = np.append(np.flatnonzero(ranks[1:] > ranks[:-1]), n - 1)[values[:m]]
    return m


@partial(lean_routine, by_numpy=_count_by_numpy)
def _count_equals(rows, ranks, n, labels, weights, in_label, some_labels, equals):
    """Count the rows with equal values and labels; return how many such pairs there are.

    IN rows by ascending value and their ranks, of which n count, labels and weights (n_rows,); TEMP
    in_label (n_labels,); OUT for each pair its label in some_labels, and in equals its value, its
    weight, and the last row that has the value, by ascending value.
    """
    some_values, some_weights, lasts = equals
    for c in range(in_label.shape[0]):
        in_label[c] = 0
    m, begin = np.int64(0), np.int64(0)
    for i in range(n):
        in_label[labels[rows[i]]] += weight_of(weights, rows[i])
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
                some_weights[m], lasts[m] = in_label[label], i
                in_label[label] = 0
                m += 1
        begin = np.int64(i + 1)
    return m


@patient_kernel
def number_intervals(ordered, columns, is_last, codes, n_values):
    """Number the intervals of columns; missing values have the last number.

    IN ordered, columns (k,) of them, is_last (k, n_rows); OUT codes (k, n_rows), n_values (k,): how
    many there are. Codes are arbitrary if they are too narrow for that.
    """
    for k in range(columns.shape[0]):
        rows, n = ordered.rows[columns[k]], ordered.n_present[columns[k]]
        n_values[k] = _number(rows, n, is_last[k], codes[k])


def _number_by_numpy(rows, n, is_last, codes):
    rows, ends = np.asarray(rows), np.asarray(is_last)[:n]
    n_ends, codes = np.count_nonzero(ends), np.asarray(codes)
    codes[rows[:n]] = ends.cumsum() - ends
    codes[rows[n:]] = min(n_ends + 1, np.iinfo(codes.dtype).max)
    return n_ends + 1 + (n < len(rows))


@partial(lean_routine, by_numpy=_number_by_numpy)
def _number(rows, n, is_last, codes):
    code = np.int64(0)
    for i in range(n):
        codes[rows[i]] = code
        code += is_last[i]
    for i in range(n, rows.shape[0]):
        codes[rows[i]] = code + 1
    return code + 1 + (n < rows.shape[0])
