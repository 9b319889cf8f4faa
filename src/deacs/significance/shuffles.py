"""Scores of features under labels shuffled within groups of rows.

Codes that were made without the classes stay as they are. Columns that were cut using the classes
are cut again under each shuffle of the labels, as the observed ones were: noise that may choose its
cut points looks like a signal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData
from deacs.information.conditioning import Conditioning
from deacs.kernels.contingency import Strata
from deacs.kernels.shuffling import shuffle_within
from deacs.significance.independence import Margins, margins_of, standard_score, strata_of

__all__ = ["Candidates", "CutColumns", "FixedCodes", "GroupedRows", "largest_scores"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.int32]

CELLS_AT_ONCE = 1 << 23
"""Codes that are scored before checking whether the largest score is already enough."""


class GroupedRows:
    """A table whose rows are in groups, within which labels are exchangeable.

    Parameters
    ----------
    data : CodedData
        The table; every row counts once.
    groups : ndarray of int of shape (n_rows,)
        The group of each row; -1: the row is ignored.
    n_jobs : int or None
        Threads; no answer depends on it.
    """

    def __init__(self, data: CodedData, groups: Integers, n_jobs: int | None = None) -> None:
        self.data = data
        self.n_jobs = n_jobs
        self.groups = groups

    @cached_property
    def strata(self) -> Strata:
        """The rows whose labels are exchangeable."""
        return strata_of(self.groups, self.data.labels)

    def n_present(self, features: Integers) -> Floats:
        """Return the number of rows, of all groups, in which each feature is present."""
        there = self.groups >= 0
        n = np.full(len(features), float(there.sum()))
        for k, j in enumerate(features.tolist()):
            if self.data.ignored(j) >= 0:
                n[k] -= (self.data.column(j)[there] == self.data.ignored(j)).sum()
        return n

    def conditioning(self, labels: Labels) -> Conditioning:
        """Condition on the groups, under labels shuffled within them."""
        return self._conditioning.relabelled(labels)

    @cached_property
    def _conditioning(self) -> Conditioning:
        conditioning = Conditioning(self.data.labels, self.data.n_classes)
        n_groups = int(self.groups.max(initial=0)) + 1
        if self.groups.min(initial=0) < 0:
            groups = np.where(self.groups < 0, n_groups, self.groups).astype(np.uint32)
            conditioning.add(groups, n_groups + 1, n_groups)
        elif n_groups > 1:
            conditioning.add(self.groups.astype(np.uint32), n_groups)
        return conditioning

    def statistics(
        self,
        blocks: tuple[CodeBlock, ...],
        features: Integers,
        n_present: Floats,
        conditioning: Conditioning,
    ) -> Floats:
        """Return G = 2 ln 2 N I(F; C | S) of some features."""
        bits = conditioning.scores(blocks, features, "joint", self.n_jobs)[:, 0]
        return np.asarray(2 * math.log(2) * n_present * bits)

    def margins(self, blocks: tuple[CodeBlock, ...], features: Integers, labels: Labels) -> Margins:
        """Return the margins of some features' tables."""
        return margins_of(blocks, features, self.strata, labels, self.data.n_classes, self.n_jobs)

    def shuffled_labels(self, seed: np.random.SeedSequence, n: int) -> Iterator[Labels]:
        """Shuffle the labels within the groups, n times."""
        for word in seed.generate_state(n, np.uint64):
            labels = self.data.labels.copy()
            shuffle_within(self.strata, word, labels)
            yield labels


class Candidates(Protocol):
    """Features of one kind."""

    n: int

    def scores(self, part: slice, labels: Labels, conditioning: Conditioning) -> Floats:
        """Return standard scores of some candidates under other labels, of those that have one."""


class FixedCodes:
    """Features whose codes, and so their degrees of freedom, do not depend on the labels."""

    def __init__(self, rows: GroupedRows, features: Integers, freedom: Floats) -> None:
        self.n = len(features)
        self._rows = rows
        self._features = features
        self._freedom = freedom
        self._n_present = rows.n_present(features)

    def scores(self, part: slice, labels: Labels, conditioning: Conditioning) -> Floats:
        """Return standard scores under other labels."""
        statistics = self._rows.statistics(
            self._rows.data.blocks, self._features[part], self._n_present[part], conditioning
        )
        return standard_score(statistics, self._freedom[part])


class CutColumns:
    """Features whose cut points depend on the labels."""

    def __init__(self, rows: GroupedRows, features: Integers) -> None:
        recoder = rows.data.recoder
        assert recoder is not None
        self.n = len(features)
        self._rows = rows
        self._recoder = recoder
        self._columns = recoder.columns_of(features)
        self._n_present = rows.n_present(features)
        self._ignores = np.array([rows.data.ignored(j) >= 0 for j in features.tolist()], dtype=bool)

    def scores(self, part: slice, labels: Labels, conditioning: Conditioning) -> Floats:
        """Cut under other labels, and return the standard scores of those that have a cut."""
        codes, n_values = self._recoder.codes(self._columns[part], labels, self._rows.n_jobs)
        ignored = np.where(self._ignores[part], n_values - 1, -1)
        block = CodeBlock(np.arange(len(n_values)), codes, n_values, ignored)
        varied = np.flatnonzero(n_values > 1 + self._ignores[part])
        n_present = self._n_present[part][varied]
        statistics = self._rows.statistics((block,), varied, n_present, conditioning)
        freedom = self._rows.margins((block,), varied, labels).freedom
        return standard_score(statistics, freedom)


def largest_scores(
    rows: GroupedRows,
    candidates: Candidates,
    enough: float,
    seed: np.random.SeedSequence,
    n: int,
) -> Iterator[float]:
    """Yield the largest score of all candidates in each of n shuffles, or the first of `enough`."""
    at_once = max(1, CELLS_AT_ONCE // rows.data.n_rows)
    for labels in rows.shuffled_labels(seed, n):
        conditioning = rows.conditioning(labels)
        largest = -math.inf
        for begin in range(0, candidates.n, at_once):
            part = slice(begin, min(begin + at_once, candidates.n))
            scores = candidates.scores(part, labels, conditioning)
            largest = max(largest, float(scores.max(initial=-math.inf)))
            if largest >= enough:
                break
        yield largest
