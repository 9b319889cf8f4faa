"""`DaskTable`: a coded table stored on workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from dask.distributed import Client, Future
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, CodedTable, FeatureCoding
from deacs.coding.features import uncounted_codes
from deacs.coding.merging import Merger
from deacs.coding.recoding import Recoder
from deacs.distributed.cluster.parts import CodedPart, part_of_rows
from deacs.distributed.cluster.protocol import Cluster, resilient
from deacs.distributed.cluster.source import Source
from deacs.distributed.copies import COPIED_AT_ONCE, copied_codes, with_codes
from deacs.distributed.dask.cluster import DaskCluster
from deacs.exceptions import ClusterError
from deacs.tables import Target

if TYPE_CHECKING:
    from deacs.distributed.dask.engine import DaskEngine

__all__ = ["DaskTable", "RowFacts", "TableSource"]

Integers = NDArray[np.int64]
T = TypeVar("T")


class RowFacts(NamedTuple):
    """What the client knows about the rows of a table, whatever its columns."""

    classes: NDArray[Any]
    about: Target
    n_rows: int
    total: int
    """The total weight of all rows."""
    weight_scale: float
    per_row: float | None
    """The weight that amounts to one row, if weights have fractions."""
    is_weighted: bool
    is_named: bool
    """Whether the columns have names."""
    ignores_missing: bool


class DaskTable(CodedTable):
    """A coded table on a Dask cluster. Every selector's `fit` takes it.

    Made by `DaskEngine.encode`. The client has only the attributes of `CodedTable`; codes stay on
    the workers as long as this object lives.
    """

    def __init__(
        self,
        client: Client,
        blocks: list[Future],
        starts: Integers,
        features: tuple[FeatureCoding, ...],
        feature_names: tuple[str, ...],
        rows: RowFacts,
        recoders: list[Future] | None = None,
    ) -> None:
        self.client = client
        self.blocks, self.starts = blocks, starts
        self.features, self.feature_names = features, feature_names
        self.rows = rows
        self.classes, self.about, self.is_named = rows.classes, rows.about, rows.is_named
        self._recoders = recoders

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self.rows.n_rows

    @property
    def engine(self) -> DaskEngine:
        """The engine that counts the table on its workers."""
        from deacs.distributed.dask.engine import DaskEngine

        return DaskEngine(self.client)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.rows.is_weighted

    @property
    def ignores_missing(self) -> bool:
        """Whether missing values are ignored; otherwise they are a value."""
        return self.rows.ignores_missing and any(feature.has_missing for feature in self.features)

    @cached_property
    def ignored(self) -> Integers:
        """The ignored code of each feature, or -1."""
        return uncounted_codes(self.features, self.rows.ignores_missing)

    @cached_property
    def rows_here(self) -> CodedData:
        """A copy of the table on the client, its codes in temporary files; fetched by columns."""
        source, cluster = TableSource(self), DaskCluster(self.client)

        def fetched(name: str, work: Callable[..., T], *args: Any) -> T:
            found: T = resilient(
                lambda: source.restore(cluster, []),
                lambda: cluster.gather(cluster.submit(name, work, *args)),
            )
            return found

        def columns() -> Iterator[tuple[int, NDArray[Any]]]:
            ends = [*self.starts[1:].tolist(), self.n_features]
            at_once = max(1, COPIED_AT_ONCE // self.n_rows)
            for block, start, end in zip(self.blocks, self.starts.tolist(), ends, strict=True):
                for begin in range(start, end, at_once):
                    some = range(begin - start, min(begin + at_once, end) - start)
                    codes = fetched("copy-columns", _columns_in, block, some)
                    yield from zip([start + j for j in some], codes, strict=True)

        labels, weights = fetched("copy-labels", _labels_and_weights, self.blocks[0])
        recoder = None
        if self._recoders is not None:
            parts = [fetched("copy-recoder", _itself, each) for each in self._recoders]
            recoder = Recoder.beside(parts, self.starts, labels)
        return with_codes(
            self,
            copied_codes(columns(), self.n_rows, self.n_values, self.ignored),
            labels,
            weights=weights,
            weight_scale=self.rows.weight_scale,
            recoder=recoder,
            check_codes=False,
        )

    @property
    def merger(self) -> Merger:
        """The merger of columns on the workers."""
        from deacs.distributed.dask.merging import DaskMerger

        return DaskMerger(self)


def _columns_in(part: CodedPart, columns: Sequence[int]) -> list[NDArray[Any]]:
    """Return some columns of a part."""
    return [part.column(j) for j in columns]


def _labels_and_weights(part: CodedPart) -> tuple[NDArray[np.int32], Integers | None]:
    return part.labels, part.weights


def _itself(recoder: Recoder | None) -> Recoder | None:
    return recoder


class TableSource(Source):
    """The parts of a `DaskTable`: its blocks of columns, or `n_parts` cut from its rows."""

    def __init__(self, table: DaskTable, n_parts: int | None = None) -> None:
        super().__init__(table, n_parts)
        self._table = table
        self.total, self.per_row = table.rows.total, table.rows.per_row
        self.weights_are_counts = table.rows.weight_scale == 1.0
        self.ignored = table.ignored

    def column_blocks(self, cluster: Cluster) -> tuple[list[Future], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        return list(self._table.blocks), self._table.starts

    def row_parts(self, cluster: Cluster) -> list[Future]:
        """Return parts of rows: every worker sends the rows of its columns to every other."""
        slices = self._slices(cluster, self._table.n_rows)
        starts = self._table.starts.tolist()
        parts = []
        for place, rows in enumerate(slices):
            pieces = cluster.map("cut-rows", part_of_rows, self._table.blocks, given=[rows])
            parts.append(cluster.submit("join-columns", _beside, pieces, starts, home=place))
        return parts

    def restore(self, cluster: Cluster, parts: list[Future]) -> None:
        """Check that Dask can compute the table again; it does so by itself."""
        if any(cluster.is_lost(block) for block in self._table.blocks):
            raise ClusterError(
                "a worker died with data that came from the client's memory, so the coded table "
                "cannot be made again; give X, y and sample_weight as Dask collections or files, "
                "and encode again"
            )


def _beside(parts: list[CodedPart], starts: list[int]) -> CodedPart:
    """Join columns of the same rows."""
    by_width: dict[Any, list[tuple[int, CodeBlock]]] = {}
    for part, start in zip(parts, starts, strict=True):
        for block in part.blocks:
            by_width.setdefault(block.codes.dtype, []).append((start, block))
    blocks = tuple(
        CodeBlock(
            np.concatenate([block.features + start for start, block in members]),
            np.concatenate([block.codes for _, block in members]),
            np.concatenate([block.n_values for _, block in members]),
            np.concatenate([block.ignored for _, block in members]),
        )
        for members in by_width.values()
    )
    return CodedPart.of(parts[0], blocks)
