"""Pairs of features, with candidates read in parts and the selected feature in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.distributed.disk.column_blocks import ColumnPart
from deacs.information import PairInformation, Pairs
from deacs.information.pairs import N_SUMS, Runs, Target

__all__ = ["PairsInParts"]

Integers = NDArray[np.int64]

PLANES_OF_CODES = 3
"""The size of codes and their bit-planes, relative to that of the codes."""


class PairsInParts:
    """`Pairs` of a table that is read in parts.

    `parts` takes features and n, and yields them in parts of at most 1 / n of the usual size;
    `n_bytes` is the memory for the rows of selected features that are kept.
    """

    def __init__(
        self,
        data: CodedData,
        parts: Callable[[Integers, int], Iterator[ColumnPart]],
        n_bytes: int,
        n_jobs: int | None = None,
    ) -> None:
        self._data = data
        self._parts = parts
        self._n_jobs = n_jobs
        self._whole = Pairs(data)
        self._fixed = self._whole.fixed
        # Row numbers take 4 bytes a row, and planes about as much.
        self._n_kept = max(n_bytes // (8 * data.n_rows), 1)
        self._targets: dict[tuple[int, bool], Runs] = {}

    @cached_property
    def entropy(self) -> NDArray[np.float64]:
        """H(F) of every feature in bits, on the rows in which it is not ignored."""
        constant = Target(np.zeros(self._data.n_rows, dtype=np.uint8), 1)
        runs = self._whole.runs_of(constant, by_class=False)
        return self._information(runs, np.arange(self._data.n_features)).entropy

    def information(self, selected: int, features: Integers, by_class: bool) -> PairInformation:
        """Return the joint information of features and a selected one, by class if `by_class`."""
        return self._information(self._runs(selected, by_class), features)

    def _information(self, runs: Runs, features: Integers) -> PairInformation:
        sums = np.empty((N_SUMS, len(features)), dtype=np.int64)
        for part in self._parts(features, PLANES_OF_CODES):
            pairs = Pairs(self._only(part), self._n_jobs, self._whole)
            sums[:, part.places] = pairs.sums(runs, part.members)
        return PairInformation(sums, self._data.n_rows, self._fixed.scale_bits)

    def _only(self, part: ColumnPart) -> CodedData:
        """Return a table of the part's columns with all rows."""
        here = part.features.tolist()
        return replace(
            self._data,
            blocks=(part.block,),
            features=tuple(self._data.features[j] for j in here),
            feature_names=tuple(self._data.feature_names[j] for j in here),
            check_codes=False,  # the store has checked them
        )

    def _runs(self, feature: int, by_class: bool) -> Runs:
        """Return the rows by value of a feature; kept, since lazy criteria use them repeatedly."""
        key = feature, by_class
        if key not in self._targets:
            data = self._data
            n_values, ignored = int(data.n_values[feature]), data.ignored(feature)
            if len(self._targets) >= self._n_kept:
                self._targets.pop(next(iter(self._targets)))
            target = Target(data.column(feature), n_values, ignored)
            self._targets[key] = self._whole.runs_of(target, by_class)
        return self._targets[key]
