"""`DaskTable`: a coded table stored on workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from dask.distributed import Client, Future
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, CodedTable, FeatureCoding
from deacs.distributed.cluster.parts import Part, part_of_rows
from deacs.distributed.cluster.protocol import Cluster
from deacs.distributed.cluster.source import even_slices
from deacs.exceptions import ClusterError
from deacs.tables import Target

if TYPE_CHECKING:
    from deacs.distributed.dask.engine import DaskEngine

__all__ = ["DaskTable", "TableSource"]

Integers = NDArray[np.int64]


class DaskTable(CodedTable):
    """A coded table on a Dask cluster. Every selector's `fit` takes it.

    Made by `DaskEngine.encode`. Attributes are those of `CodedTable`; only they are here, codes
    stay on the workers as long as this object lives.
    """

    def __init__(
        self,
        client: Client,
        blocks: list[Future],
        starts: Integers,
        *,
        classes: NDArray[Any],
        features: tuple[FeatureCoding, ...],
        feature_names: tuple[str, ...],
        is_named: bool,
        n_rows: int,
        total: int,
        weight_scale: float,
        per_row: float | None,
        ignores_missing: bool,
        about: Target,
    ) -> None:
        self.classes = classes
        self.about = about
        self.features = features
        self.feature_names = feature_names
        self.is_named = is_named
        self.total = total
        self.weight_scale = weight_scale
        self.per_row = per_row
        self.ignores_missing = ignores_missing
        self.blocks, self.starts = blocks, starts
        self._client = client
        self._n_rows = n_rows

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return self._n_rows

    @property
    def engine(self) -> DaskEngine:
        """The engine that counts it where it is."""
        from deacs.distributed.dask.engine import DaskEngine

        return DaskEngine(self._client)


class TableSource:
    """The columns of a `DaskTable`; rows are cut out of them where they are asked for.

    Parameters
    ----------
    table : DaskTable
        The table.
    n_parts : int, optional
        How many parts of rows; None: one for each worker.
    """

    ordered: CodedData | None = None

    def __init__(self, table: DaskTable, n_parts: int | None = None) -> None:
        self.table: CodedTable = table
        self._table = table
        self._n_parts = n_parts
        self.total = table.total
        self.weights_are_counts = table.weight_scale == 1.0
        self.per_row = table.per_row
        skipped = [
            feature.n_values - 1 if table.ignores_missing and feature.has_missing else -1
            for feature in table.features
        ]
        self.ignored: Integers = np.array(skipped, dtype=np.int64)

    def column_blocks(self, cluster: Cluster) -> tuple[list[Future], Integers]:
        """Return parts of neighbouring columns, and the first column of each."""
        return list(self._table.blocks), self._table.starts

    def row_parts(self, cluster: Cluster) -> list[Future]:
        """Return parts of rows: every worker sends every other its share of its columns."""
        slices = even_slices(self._table.n_rows, self._n_parts or cluster.n_workers())
        starts, n = self._table.starts.tolist(), len(self._table.blocks)
        parts = []
        for place, rows in enumerate(slices):
            pieces = cluster.map("cut-rows", part_of_rows, self._table.blocks, [rows] * n)
            parts.append(cluster.submit("join-columns", _beside, pieces, starts, home=place))
        return parts

    def restore(self, cluster: Cluster, parts: list[Future]) -> None:
        """See that the table can be made again; Dask itself does so."""
        if any(cluster.is_lost(block) for block in self._table.blocks):
            raise ClusterError(
                "a worker died with data that came from the client's memory, so the coded table "
                "cannot be made again; give X, y and sample_weight as Dask collections or files, "
                "and encode again"
            )


def _beside(parts: list[Part], starts: list[int]) -> Part:
    """Put columns of the same rows together."""
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
    first = parts[0]
    labels, weights = first.labels, first.weights
    return Part.of(blocks, labels, first.n_classes, weights, first.weight_scale, first.about)
