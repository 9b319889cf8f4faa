"""Scores of features under labels shuffled within groups of rows.

Codes that were made without the classes stay as they are. Columns that were cut using the classes
are cut again under each shuffle of the labels, as the observed ones were: noise that may choose its
cut points looks like a signal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import shuffles
from deacs._kernels.fixed_point import FixedPoint, fixed_point
from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock, CodedData
from deacs.information.conditioning import Conditioning
from deacs.information.counting import MAX_VALUES, columns_of, members_of, rounding
from deacs.significance.independence import (
    N_MARGINS,
    Margins,
    Strata,
    margins_of,
    standard_score,
    strata_of,
)

__all__ = ["Candidates", "CutColumns", "FixedCodes", "GroupedRows", "largest_scores"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Labels = NDArray[np.int32]

CELLS_AT_ONCE = 1 << 23
"""Codes that are scored before checking whether the largest score is already enough."""

FIRST_SHUFFLES = 1024
"""Shuffles whose seeds are made at once, to begin with."""

NS_STRATA = 3.0
"""Approximate cost per row of a feature, for dividing work among threads."""


class Runs(NamedTuple):
    """The labels that each group has."""

    starts: Integers
    """The first run of each group; one more entry closes the last."""
    labels: Integers
    """The label of each run."""
    planes: Integers
    """Where the plane of each run begins; one more entry closes the last."""


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
        self._observed = np.full((1 + N_MARGINS, data.n_features), np.nan)

    @cached_property
    def strata(self) -> Strata:
        """The rows whose labels are exchangeable."""
        return strata_of(self.groups, self.data.labels)

    def observed(self, features: Integers) -> tuple[Floats, Margins]:
        """Return G and the margins of some features under the labels as they are.

        Every feature is counted once, however often it is tested given these groups.
        """
        new = features[np.isnan(self._observed[0, features])]
        if len(new):
            blocks, labels = self.data.blocks, self.data.labels
            margins = self.margins(blocks, new, labels)
            self._observed[:, new] = (
                self.statistics(blocks, new, self.n_present(new), self._conditioning),
                margins.freedom,
                margins.excess,
                margins.least,
            )
        statistics, *found = self._observed[:, features]
        return statistics, Margins(*found)

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

    def scores_under(
        self, labels: Labels, blocks: tuple[CodeBlock, ...], features: Integers, n_present: Floats
    ) -> Floats:
        """Return the standard scores of some features under labels shuffled within the groups."""
        units, freedom = np.zeros(len(features), dtype=np.int64), np.zeros(len(features))
        is_open = np.ones(len(features), dtype=np.bool_)
        planes = self._label_planes(labels)
        for block in blocks:
            members, places = members_of(block, features)
            narrow = (block.n_values[members] <= MAX_VALUES) & (block.ignored[members] < 0)
            if narrow.any():
                mine = places[narrow]
                units[mine], freedom[mine] = self._sums(planes, block, members[narrow])
                # What may be zero is decided in integers, unless there is no freedom.
                is_open[mine] = (units[mine] <= rounding(len(self.strata.rows))) & (
                    freedom[mine] > 0
                )
        bits = units / np.maximum(n_present, 1) * 2.0**-self._fixed.scale_bits
        statistics = 2 * math.log(2) * n_present * bits
        if is_open.any():
            some = features[is_open]
            conditioning = self.conditioning(labels)
            statistics[is_open] = self.statistics(blocks, some, n_present[is_open], conditioning)
            freedom[is_open] = self.margins(blocks, some, labels).freedom
        return standard_score(statistics, freedom)

    def _sums(
        self, planes: NDArray[np.uint64], block: CodeBlock, members: Integers
    ) -> tuple[Integers, Integers]:
        """Return N I(F; C | S) in fixed point, up to rounding, and the degrees of freedom."""
        sums, freedom = np.empty((2, len(members)), dtype=np.int64)

        def work(part: slice) -> None:
            columns = columns_of(block, members[part])
            how = self.strata, self._runs, planes, self._fixed
            shuffles.strata_sums(columns, *how, sums[part], freedom[part])

        map_blocks(work, len(members), self.n_jobs, NS_STRATA * max(len(self.strata.rows), 1))
        return sums - self._conditioning.base_sums("joint"), freedom

    def _label_planes(self, labels: Labels) -> NDArray[np.uint64]:
        planes = np.empty(self._runs.planes[-1], dtype=np.uint64)
        shuffles.fill_label_planes(self.strata, self._runs, labels, self.data.n_classes, planes)
        return planes

    @cached_property
    def _fixed(self) -> FixedPoint:
        return fixed_point(self.data.n_rows, self.data.n_classes)

    @cached_property
    def _runs(self) -> Runs:
        """The labels of each group, which no shuffle changes."""
        rows, starts = self.strata
        n_labels, sizes = self.data.n_classes, np.diff(starts)
        places = np.arange(len(sizes)).repeat(sizes) * n_labels + self.data.labels[rows]
        found = np.unique(places)
        n_words = (sizes + 63) // 64
        return Runs(
            np.searchsorted(found, np.arange(len(starts)) * n_labels),
            found % n_labels,
            np.append(0, np.cumsum(n_words[found // n_labels])),
        )

    def shuffled_labels(self, seed: np.random.SeedSequence, n: int) -> Iterator[Labels]:
        """Shuffle the labels within the groups, n times at most."""
        done = 0
        while done < n:  # few are mostly enough; a longer state begins with the shorter one
            words = seed.generate_state(min(max(2 * done, FIRST_SHUFFLES), n), np.uint64)
            for word in words[done:]:
                labels = self.data.labels.copy()
                shuffles.shuffle_within(self.strata, word, labels)
                yield labels
            done = len(words)


class Candidates(Protocol):
    """Features of one kind."""

    n: int

    def scores(self, part: slice, labels: Labels) -> Floats:
        """Return standard scores of some candidates under other labels, of those that have one."""


class FixedCodes:
    """Features whose codes do not depend on the labels."""

    def __init__(self, rows: GroupedRows, features: Integers) -> None:
        self.n = len(features)
        self._rows = rows
        self._features = features
        self._n_present = rows.n_present(features)

    def scores(self, part: slice, labels: Labels) -> Floats:
        """Return standard scores under other labels."""
        blocks, features = self._rows.data.blocks, self._features[part]
        return self._rows.scores_under(labels, blocks, features, self._n_present[part])


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

    def scores(self, part: slice, labels: Labels) -> Floats:
        """Cut under other labels, and return the standard scores of those that have a cut."""
        codes, n_values = self._recoder.codes(self._columns[part], labels, self._rows.n_jobs)
        ignored = np.where(self._ignores[part], n_values - 1, -1)
        block = CodeBlock(np.arange(len(n_values)), codes, n_values, ignored)
        varied = np.flatnonzero(n_values > 1 + self._ignores[part])
        return self._rows.scores_under(labels, (block,), varied, self._n_present[part][varied])


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
        largest = -math.inf
        for begin in range(0, candidates.n, at_once):
            part = slice(begin, min(begin + at_once, candidates.n))
            scores = candidates.scores(part, labels)
            largest = max(largest, float(scores.max(initial=-math.inf)))
            if largest >= enough:
                break
        yield largest
