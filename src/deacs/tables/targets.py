"""Targets of label scores: classes, multiple labels per row, or ranges of a number.

A *run* is a set of rows with the same target; an *output* is a binary variable with label scores.
A class is both. For labels, a run is a label set and an output a label; for numbers, a run is an
interval and an output a threshold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

__all__ = ["ONE_COLUMN_TARGETS", "TARGETS", "Labels", "Target", "TargetKind", "TargetOption"]

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
