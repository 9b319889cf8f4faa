"""`OutOfCoreEngine`: columns read from disk one block at a time, with identical results.

Scores are sums of integers for each feature separately, so a block of columns gets the same bits as
the whole table. Memory holds the rows grouped by S, one block of columns, and |F| x K scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, encode
from deacs.distributed.counts import CountsElsewhere
from deacs.distributed.disk.column_blocks import ColumnPart, column_parts, rows_of
from deacs.distributed.disk.memory import read_size, size_in_words
from deacs.distributed.disk.pairs_in_parts import PairsInParts
from deacs.distributed.disk.store import CodedStore
from deacs.distributed.options import refuse_fewer
from deacs.exceptions import InputError, Parameter
from deacs.greedy.engine import Capabilities, Counts, LocalCounts
from deacs.information import (
    Conditioning,
    Estimator,
    OrderConditioning,
    PairInformation,
    ScoreKind,
    mean_group_size,
)
from deacs.information.counting import MAX_VALUES
from deacs.information.products_of_codes import (
    LABELS,
    ProductsOfCodes,
    ReadColumns,
    add_by_code,
)

__all__ = ["OutOfCoreCounts", "OutOfCoreEngine"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BYTES_A_ROW = 64
"""Memory for the groups of S: 20 bytes a row at rest, more while a feature is added to S."""

BYTES_A_FEATURE = 1100
"""Memory for a feature's name, coding and scores."""

BYTES_A_CODE = 3
"""Memory for one byte of codes and the bit-planes made from it."""


class OutOfCoreEngine:
    """Count tables larger than memory: a `CodedStore`, or `CodedData` with large bit-planes.

    Parameters
    ----------
    memory : int or str, default="2GB"
        About how much memory a selection may take, in bytes or as text.
    columns_at_once : int or None, default=None
        How many columns are read together; None: as many as fit in `memory`.

    Notes
    -----
    A step reads every candidate's column once. Rows whose class S settles are no longer counted; as
    soon as they are half of the rows and the other rows of all candidates fit in memory, those are
    read one last time and kept there. A table that fits as a whole is counted as by `LocalEngine`.

    Examples
    --------
    >>> from deacs import DEACS
    >>> from deacs.distributed import OutOfCoreEngine
    >>> selector = DEACS.published(engine=OutOfCoreEngine("500MB"))
    >>> selector.fit([["a"], ["b"], ["a"]], [0, 1, 0]).ranking_
    array([0])
    """

    capabilities = Capabilities(estimators=True, order=True, order_of_codes=True, overlapping=True)

    def __init__(self, memory: int | str = "2GB", columns_at_once: int | None = None) -> None:
        self.memory = memory
        self.columns_at_once = columns_at_once

    def __repr__(self) -> str:
        return f"OutOfCoreEngine(memory={self.memory!r}, columns_at_once={self.columns_at_once!r})"

    def encode(self, X: Any, y: Any, **how: Any) -> CodedData:
        """Code a table in memory; for larger files use `deacs.distributed.encode_files`."""
        return encode(X, y, **how)

    def open(
        self,
        data: Any,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> Counts:
        """Begin a selection from a `CodedStore` or `CodedData`."""
        if not isinstance(data, CodedStore | CodedData):
            raise InputError(
                f"OutOfCoreEngine counts a CodedStore or CodedData, got {type(data).__name__}; "
                "make one with encode_files, CodedStore.write or deacs.encode"
            )
        refuse_fewer("columns_at_once", self.columns_at_once, 1)
        # An eighth is reserved for the program itself.
        memory = read_size(self.memory) * 7 // 8
        free = memory - BYTES_A_ROW * data.n_rows - BYTES_A_FEATURE * data.n_features
        how = label_score, n_jobs, estimator
        if self.columns_at_once is not None:
            return OutOfCoreCounts(data, self.columns_at_once, max(free, 1), *how)
        if _bytes_of_columns(data) <= free:
            return _LocalStore(_checked(data, range(data.n_features), n_jobs), *how)
        widest = max(block.codes.itemsize for block in _mapped(data).blocks)
        lacking = 2 * BYTES_A_CODE * widest * data.n_rows - free
        if lacking > 0:
            raise InputError(
                Parameter("memory"),
                f" must be at least {size_in_words((memory + lacking) * 8 / 7)} for "
                f"{data.n_rows:,} rows and {data.n_features:,} features, got {self.memory!r}: "
                f"a row takes {BYTES_A_ROW} bytes and a feature {BYTES_A_FEATURE}, beside "
                "the codes",
            )
        return OutOfCoreCounts(data, data.n_features, free, *how)


class _LocalStore(LocalCounts):
    """Counts of a table that fits in memory; without ranks, its order view is that of codes."""

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        data = self._data
        if data.order is not None:
            return super().order()

        def read(features: Integers) -> Iterator[tuple[Integers, list[NDArray[Any]]]]:
            yield np.arange(len(features)), [data.column(j) for j in features.tolist()]

        return _order_of_codes(data, read, self._n_jobs)


class OutOfCoreCounts(CountsElsewhere):
    """Counts of a table whose columns are read in parts of at most `n_columns`.

    Of the `n_bytes` of memory for columns, half is for a part, half for rows or features that are
    kept.
    """

    _table: CodedStore | CodedData

    def __init__(
        self,
        table: CodedStore | CodedData,
        n_columns: int,
        n_bytes: int,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> None:
        super().__init__(table)
        self._how = n_columns, n_bytes, label_score, n_jobs, estimator
        self._data = _mapped(table)
        self._n_columns, self._n_bytes = n_columns, n_bytes // 2
        self._score: tuple[ScoreKind, int | None, Estimator] = label_score, n_jobs, estimator
        self._n_jobs = n_jobs
        self._rows: NDArray[np.int32] | None = None
        """The rows of `_conditioning`; None: all."""
        self._kept: tuple[CodeBlock, ...] = ()
        """Those rows of the candidates' columns, in memory."""
        self._is_kept = np.zeros(table.n_features, dtype=bool)
        # Settled rows still matter for the weight of present rows, and for the weight per row.
        self._needs_all_rows = self._data.ignores_missing or (
            estimator != "plug-in" and not self._data.weights_are_counts
        )

    @cached_property
    def _widths(self) -> Integers:
        """Bytes per code of each feature."""
        widths = np.empty(self.n_features, dtype=np.int64)
        for block in self._data.blocks:
            widths[block.features] = block.codes.itemsize
        return widths

    @cached_property
    def _conditioning(self) -> Conditioning:
        return Conditioning.of(self._data)

    @cached_property
    def _pairs(self) -> PairsInParts:
        return PairsInParts(self._data, self._parts, self._n_bytes, self._n_jobs)

    def label_scores(self, candidates: Integers) -> Floats:
        """Return R(F; c_i | S) in bits, shape (n_candidates, n_labels)."""
        conditioning = self._conditioning
        self._keep(candidates)
        if self._kept and self._is_kept[candidates].all():
            return conditioning.scores(self._kept, candidates, *self._score)
        n_outputs = 1 if self._score[0] == "joint" else self._data.n_outputs
        # In Fortran order as in `Conditioning`: judges sum in that order.
        scores = np.zeros((len(candidates), n_outputs), order="F")
        for part in self._parts(candidates):
            blocks: tuple[CodeBlock, ...] = (part.block,)
            if self._rows is not None:
                blocks = rows_of(blocks, part.members, self._rows, self._n_jobs)
            scores[part.places] = conditioning.scores(blocks, part.members, *self._score)
        return scores

    def _keep(self, candidates: Integers) -> None:
        """Keep only unsettled rows, in memory, if they are at most half and fit."""
        conditioning = self._conditioning
        n_left, n_bytes = conditioning.n_left, self._widths[candidates].sum()
        if self._needs_all_rows or not 0 < 2 * n_left <= conditioning.n_rows:
            return
        if n_left * n_bytes > self._n_bytes:
            return
        left = conditioning.forget_settled()
        self._rows = left if self._rows is None else self._rows[left]
        if self._kept and self._is_kept[candidates].all():
            self._kept = rows_of(self._kept, candidates, left, self._n_jobs)
        else:
            blocks = self._checked(candidates).blocks
            self._kept = rows_of(blocks, candidates, self._rows, self._n_jobs)
        self._is_kept[:] = False
        self._is_kept[candidates] = True
        self._release()

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, shape (n_labels,)."""
        return self._conditioning.label_entropies()

    def condition_on(self, feature: int) -> None:
        """Add a feature to S, in one pass over the unsettled rows."""
        data = self._checked([feature])
        column = data.column(feature)
        if self._rows is not None:
            column = column[self._rows]
        n_values, ignored = int(data.n_values[feature]), data.ignored(feature)
        self._conditioning.add(column, n_values, ignored, self._n_jobs)

    def fresh(self) -> OutOfCoreCounts:
        """Return counts of the same table with S empty."""
        return OutOfCoreCounts(self._table, *self._how)

    def mean_group_size(self, features: Sequence[int]) -> float:
        """Return N divided by the number of joint values of some features that occur."""
        data = self._checked(features)
        return mean_group_size(
            [data.column(j) for j in features],
            [data.ignored(j) for j in features],
            data.weights,
            data.weights_are_counts,
        )

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty."""
        if self._data.order is not None:
            return OrderConditioning(self._data, self._n_jobs)

        def read(features: Integers) -> Iterator[tuple[Integers, list[NDArray[Any]]]]:
            for part in self._parts(features):
                yield part.places, [part.block.codes[k] for k in part.members.tolist()]

        return _order_of_codes(self._data, read, self._n_jobs)

    def _count_relevance(self) -> Floats:
        counts = OutOfCoreCounts(
            self._table, self._n_columns, 2 * self._n_bytes, "joint", self._n_jobs
        )
        return counts.label_scores(np.arange(self.n_features))[:, 0]

    def _count_entropy(self) -> Floats:
        return self._pairs.entropy

    def class_entropy(self) -> float:
        """Return H(C) in bits."""
        return Conditioning.of(self._data).entropy()

    def _pair(self, selected: int, candidates: Integers, by_class: bool) -> PairInformation:
        self._checked([selected])
        return self._pairs.information(selected, candidates, by_class)

    def _parts(self, features: Integers, share: int = 1) -> Iterator[ColumnPart]:
        """Yield columns in parts of at most 1 / `share` of the memory for a part."""
        n_bytes = self._n_bytes // share
        for part in column_parts(self._data, features, self._n_columns, n_bytes, self._checked):
            yield part
            self._release()

    def _checked(self, features: Sequence[int] | Integers) -> CodedData:
        return _checked(self._table, features, self._n_jobs)

    def _release(self) -> None:
        if isinstance(self._table, CodedStore):
            self._table.release()


def _mapped(table: CodedStore | CodedData) -> CodedData:
    """Return the table; columns of a store may not have been checked yet."""
    return table.mapped if isinstance(table, CodedStore) else table


def _checked(
    table: CodedStore | CodedData, features: Sequence[int] | Integers, n_jobs: int | None
) -> CodedData:
    """Return the table after checking these columns, if it is a store."""
    return table.checked(features, n_jobs) if isinstance(table, CodedStore) else table


def _bytes_of_columns(table: CodedStore | CodedData) -> int:
    """Return the size of the codes and of the bit-planes of features with few values."""
    n_rows, n_values = table.n_rows, table.n_values
    codes = sum(block.codes.nbytes for block in _mapped(table).blocks)
    planes = int((n_values[n_values <= MAX_VALUES] - 1).sum()) * n_rows // 8
    return codes + planes


def _order_of_codes(data: CodedData, read: ReadColumns, n_jobs: int | None) -> OrderConditioning:
    """Return the order view of a table whose columns are read in parts, with S empty."""

    def sums_by_code(column: Any, stand_for: NDArray[np.int16], features: Integers) -> Integers:
        if isinstance(column, int):
            column = data.labels if column == LABELS else next(read(np.array([column])))[1][0]
        return add_by_code(data, read(features), features, column, stand_for, n_jobs)

    total = data.n_rows if data.weights is None else int(data.weights.sum())
    n_rows = total if data.weights_are_counts else data.n_rows
    return OrderConditioning(ProductsOfCodes(data, sums_by_code, total, n_rows))
