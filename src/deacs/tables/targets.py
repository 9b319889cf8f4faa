"""Targets of label scores: classes, multiple labels per row, or ranges of a number.

A *run* is a set of rows with the same target; an *output* is a binary variable with label scores.
A class is both. For labels, a run is a label set and an output a label; for numbers, a run is an
interval and an output a threshold: [y <= q_1], [y <= q_2], ... Thresholds are values of the target,
at quantiles as equally spaced as possible.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from deacs.tables.columns import Column

__all__ = [
    "ONE_COLUMN_TARGETS",
    "TARGETS",
    "Labels",
    "Target",
    "TargetKind",
    "TargetOption",
    "above_least",
    "nearest_shares",
    "number_labels",
]

TargetKind = Literal["classes", "labels", "numbers"]
TargetOption = Literal["auto", "classes", "labels", "numbers"]
TARGETS: tuple[TargetOption, ...] = get_args(TargetOption)
ONE_COLUMN_TARGETS: tuple[TargetOption, ...] = ("auto", "classes", "numbers")
"""The kinds of a target with one value per row."""

NOUNS: dict[TargetKind, tuple[str, str]] = {
    "classes": ("class", "classes"),
    "labels": ("label", "labels"),
    "numbers": ("threshold", "thresholds"),
}


@dataclass(frozen=True, eq=False)
class Target:
    """The outputs, one for each column of label scores, and the runs that belong to each.

    Attributes
    ----------
    kind : {"classes", "labels", "numbers"}
        The kind of target.
    names : ndarray of shape (n_outputs,)
        Classes, labels or thresholds.
    membership : ndarray of bool of shape (n_runs, n_outputs), or None
        Which outputs each run belongs to. None: run i belongs to output i and to no other, as
        with classes.
    """

    kind: TargetKind
    names: NDArray[Any]
    membership: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.membership is not None:
            self.membership.setflags(write=False)

    @property
    def noun(self) -> str:
        """The noun for one output: class, label or threshold."""
        return NOUNS[self.kind][0]

    @property
    def nouns(self) -> str:
        """The noun for outputs: classes, labels or thresholds."""
        return NOUNS[self.kind][1]

    def rows_of(self, output: int, runs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return a mask of the rows, given by their runs, that belong to an output."""
        if self.membership is None:
            return np.asarray(runs == output)
        return np.asarray(self.membership[runs, output])

    def counts_of(self, by_run: NDArray[Any]) -> NDArray[Any]:
        """Sum counts by run, the last axis, over the runs of each output."""
        return by_run if self.membership is None else np.asarray(by_run @ self.membership)

    def indicators(self, runs: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which outputs each row belongs to, shape (n_rows, n_outputs)."""
        if self.membership is None:
            return np.asarray(runs[:, np.newaxis] == np.arange(len(self.names)))
        return np.asarray(self.membership[runs])


@dataclass(frozen=True, slots=True)
class Labels:
    """The target in codes: the run of each row, and the names of runs and outputs.

    Attributes
    ----------
    codes : ndarray of int32 of shape (n_rows,)
        The run of each row: an index into `classes`.
    classes : ndarray of shape (n_runs,)
        The names of the runs: the sorted classes, sets of labels, or intervals.
    target : Target
        The outputs; by default the classes.
    numbers : ndarray of shape (n_rows,), or None
        The target itself, if it is a number.
    """

    codes: NDArray[np.int32]
    classes: NDArray[Any]
    target: Target = None  # type: ignore[assignment]
    numbers: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", self.target or Target("classes", self.classes))

    def values_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the target of some rows in its original form: classes, a matrix, or numbers."""
        if self.numbers is not None:
            return np.asarray(self.numbers[rows])
        runs = self.codes[rows]
        if self.target.kind == "labels":
            return self.target.indicators(runs).astype(np.int64)
        return np.asarray(self.classes[runs])

    def take(self, rows: NDArray[np.integer[Any]]) -> Labels:
        """Return a subset of the rows, with the runs and classes that occur in it."""
        occurs, codes = np.unique(self.codes[rows], return_inverse=True)
        classes, target = self.classes[occurs], self.target
        if target.kind == "classes":
            target = Target("classes", classes)
        elif target.membership is not None or len(occurs) < len(self.classes):
            target = replace(target, membership=target.indicators(occurs))
        numbers = None if self.numbers is None else self.numbers[rows]
        return Labels(codes.astype(np.int32), classes, target, numbers)


N_INTERVALS = 6
"""The number of intervals of a target's range; fewer if many rows have equal values."""


def number_labels(column: Column, counts: NDArray[np.int64] | None = None) -> Labels:
    """Return numbers, none of them missing, as runs with thresholds as outputs.

    `counts` are row weights.

    Examples
    --------
    >>> y = np.array([0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 60])
    >>> labels = number_labels(Column("y", "integer", y))
    >>> labels.target.names.tolist(), labels.codes.tolist()
    (['<= 0', '<= 2', '<= 4'], [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3])
    """
    values, codes = np.unique(column.values, return_inverse=True)
    of_value = np.bincount(codes, counts).astype(np.int64)
    counted = np.flatnonzero(of_value)
    below = np.cumsum(of_value[counted])
    last = counted[nearest_shares(below[:-1], int(below[-1]), N_INTERVALS)]
    runs = np.searchsorted(last, np.arange(len(values)))[codes].astype(np.int32)
    ends = _written(values[last])
    intervals = np.array(
        [f"<= {ends[0]}", *map("({}, {}]".format, ends, ends[1:]), f"> {ends[-1]}"], dtype=object
    )
    membership = np.arange(len(intervals))[:, np.newaxis] <= np.arange(len(last))
    names = np.array([f"<= {end}" for end in ends], dtype=object)
    return Labels(runs, intervals, Target("numbers", names, membership), column.values)


def nearest_shares(below: NDArray[np.int64], total: int, n_parts: int) -> NDArray[np.intp]:
    """Return the places that divide a total most evenly; the lower one of equally good places.

    `below`, ascending and not empty, is the cumulative count at each possible place.
    """
    reached, wanted = n_parts * below, np.arange(1, n_parts) * total
    after = np.minimum(np.searchsorted(reached, wanted), len(below) - 1)
    before = np.maximum(after - 1, 0)
    nearer = wanted - reached[before] <= reached[after] - wanted
    return np.unique(np.where(nearer, before, after))


def _written(values: NDArray[Any]) -> list[str]:
    """Return numbers with six digits, or with as many as distinguish them."""
    if values.dtype.kind != "f":
        return [str(value) for value in values.tolist()]
    for digits in range(6, 18):
        ends = [f"{value:.{digits}g}" for value in values.tolist()]
        if len(set(ends)) == len(ends):
            break
    return ends


def above_least(numbers: NDArray[Any]) -> NDArray[np.float64]:
    """Return floats as they are, and how far integers of any size are above the least."""
    if numbers.dtype.kind == "f":
        return numbers
    # Unsigned subtraction cannot overflow for any two int64.
    whole = numbers.astype(np.int64)
    above: NDArray[np.uint64] = whole.view(np.uint64) - whole.min().view(np.uint64)
    return above.astype(np.float64)
