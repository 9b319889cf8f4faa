"""Base of the counts on a cluster, by feature and by row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.cluster.grouping import Score
from deacs.distributed.cluster.protocol import Cluster, resilient
from deacs.distributed.cluster.source import Source
from deacs.distributed.counts import CountsElsewhere
from deacs.information import OrderConditioning
from deacs.information.products_of_codes import ProductsOfCodes

__all__ = ["ClusterCounts"]

Integers = NDArray[np.int64]
T = TypeVar("T")


class ClusterCounts(CountsElsewhere):
    """Counts of a table whose parts a source brings to the workers of a cluster."""

    def __init__(self, cluster: Cluster, source: Source, score: Score) -> None:
        super().__init__(source.table)
        self._cluster, self._source, self._score = cluster, source, score
        self._selected: list[int] = []

    def order(self) -> OrderConditioning:
        """Return the order view of the same table with S empty.

        It is that of the values if the client has them, else that of the codes.
        """
        source = self._source
        if source.ordered is not None:
            return OrderConditioning(source.ordered)
        n_rows = source.total if source.weights_are_counts else source.table.n_rows
        return OrderConditioning(
            ProductsOfCodes(source.table, self._sums_by_code, source.total, n_rows)
        )

    @abstractmethod
    def _sums_by_code(
        self, feature: int, stand_for: NDArray[np.int16], features: Integers
    ) -> Integers:
        """Sum what the codes of one column stand for by the codes of others (`SumsByCode`)."""

    def _resilient(self, ask: Callable[[], T]) -> T:
        return resilient(self._restore, ask)

    @abstractmethod
    def _restore(self) -> None:
        """Send again what was lost with a worker, and forget what was made from it."""
