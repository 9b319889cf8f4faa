"""What is known so far: rows grouped by the joint value of S, and the scores given that."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.kernels.codes import (
    DIVERGENCE,
    JOINT,
    ONE_VS_REST,
    Groups,
    base_sums,
    feature_sums,
    refine,
)
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.threads import map_blocks

__all__ = ["Conditioning", "LabelScore"]

LabelScore = Literal["one-vs-rest", "divergence"]

_KINDS = {"one-vs-rest": ONE_VS_REST, "divergence": DIVERGENCE, "joint": JOINT}


class Conditioning:
    """The rows that are left, by group of S and label; S only grows.

    Parameters
    ----------
    labels : ndarray of int32 of shape (n_rows,)
        The label of each row, from 0.
    n_labels : int
        The number of labels.

    Notes
    -----
    `add` costs one pass over the rows that are left, whatever the size of S. Rows of groups with
    one label are dropped: they add zero to every score for ever.
    """

    def __init__(self, labels: NDArray[np.int32], n_labels: int) -> None:
        self.n_rows = len(labels)
        self._label_counts = np.bincount(labels, minlength=n_labels)
        self._fixed = fixed_point(len(labels), n_labels)
        present = np.flatnonzero(self._label_counts)
        self._groups = Groups(
            rows=np.argsort(labels, kind="stable").astype(np.int32),
            run_starts=np.concatenate(([0], np.cumsum(self._label_counts[present]))),
            run_labels=present.astype(np.int32),
            group_runs=np.array([0, len(present)]),
        )

    @property
    def n_left(self) -> int:
        """The number of rows in groups with more than one label."""
        return len(self._groups.rows)

    def add(self, column: NDArray[np.unsignedinteger[Any]], n_values: int) -> None:
        """Condition on one more column of codes."""
        n = self.n_left
        rows, row_labels = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        run_starts, run_labels = np.empty(n + 1, dtype=np.int64), np.empty(n, dtype=np.int32)
        group_runs = np.empty(n + 1, dtype=np.int64)
        count, start = np.zeros(n_values, dtype=np.int64), np.empty(n_values, dtype=np.int64)
        n_rows, n_runs, n_groups = refine(
            self._groups, column, count, start, rows, row_labels, run_starts, run_labels, group_runs
        )
        self._groups = Groups(
            rows[:n_rows].copy(),
            run_starts[: n_runs + 1].copy(),
            run_labels[:n_runs].copy(),
            group_runs[: n_groups + 1].copy(),
        )

    def scores(
        self,
        blocks: tuple[CodeBlock, ...],
        features: NDArray[np.int64],
        kind: Literal["one-vs-rest", "divergence", "joint"],
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """Score features given S, in bits.

        Parameters
        ----------
        blocks : tuple of CodeBlock
            Where the features' codes are.
        features : ndarray of int of shape (n,)
            Which features to score.
        kind : {"one-vs-rest", "divergence", "joint"}
            I(F; C_i | S) for every label i, Div(F; c_i | S) for every label i, or I(F; C | S).
        n_jobs : int or None
            Threads over features.

        Returns
        -------
        ndarray of shape (n, n_labels), or (n, 1) for "joint"
            Exactly zero where F and the label are independent in every group, else positive.
        """
        code = _KINDS[kind]
        n_outputs = 1 if kind == "joint" else len(self._label_counts)
        sums = np.zeros((len(features), n_outputs), dtype=np.int64)
        dependent = np.zeros((len(features), n_outputs), dtype=np.bool_)
        for block in blocks:
            members, places = _members(block, features)
            self._count(block, members, code, n_jobs, sums, dependent, places)
        base = np.zeros(n_outputs, dtype=np.int64)
        base_sums(self._groups, code, self._fixed, base)
        units = np.where(dependent, np.maximum(sums - base, 1), 0)
        return self._bits(units, self._label_counts if kind == "divergence" else self.n_rows)

    def _count(
        self,
        block: CodeBlock,
        members: NDArray[np.int64],
        kind: int,
        n_jobs: int | None,
        sums: NDArray[np.int64],
        dependent: NDArray[np.bool_],
        places: NDArray[np.int64],
    ) -> None:
        part_sums = np.zeros((len(members), sums.shape[1]), dtype=np.int64)
        part_dependent = np.zeros((len(members), sums.shape[1]), dtype=np.bool_)

        def work(part: slice) -> None:
            feature_sums(
                block.codes,
                members[part],
                block.n_values,
                self._groups,
                kind,
                self._fixed,
                part_sums[part],
                part_dependent[part],
            )

        map_blocks(work, len(members), n_jobs)
        sums[places], dependent[places] = part_sums, part_dependent

    def entropy(self) -> float:
        """Return H(C | S) in bits."""
        base = np.zeros(1, dtype=np.int64)
        base_sums(self._groups, JOINT, self._fixed, base)
        return float(self._bits(np.maximum(-base, 0), self.n_rows)[0])

    def label_entropies(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits for every label i, shape (n_labels,)."""
        base = np.zeros(len(self._label_counts), dtype=np.int64)
        base_sums(self._groups, ONE_VS_REST, self._fixed, base)
        return self._bits(np.maximum(-base, 0), self.n_rows)

    def _bits(self, units: NDArray[np.int64], weight: Any) -> NDArray[np.float64]:
        # A label without rows has no score to divide.
        per_row = units / np.maximum(weight, 1)
        return np.asarray(per_row * 2.0**-self._fixed.scale_bits)


def _members(
    block: CodeBlock, features: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows of the block are asked for, and their places among `features`."""
    _, members, places = np.intersect1d(
        block.features, features, assume_unique=True, return_indices=True
    )
    return members, places
