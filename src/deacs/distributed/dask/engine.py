"""`DaskEngine`: columns or rows on the workers of a Dask cluster, with identical results."""

from __future__ import annotations

from typing import Any, get_args

try:
    from dask.distributed import Client
except ImportError as error:
    raise ImportError(
        "DaskEngine needs Dask, which is not installed; pip install 'deacs[dask]'"
    ) from error

from deacs.coding import CodedData, CodedTable, encode
from deacs.distributed.cluster.by_feature import FeatureCounts
from deacs.distributed.cluster.by_row import RowCounts
from deacs.distributed.cluster.counts import By, open_on
from deacs.distributed.cluster.grouping import Score
from deacs.distributed.cluster.source import MemorySource, Source, StoreSource
from deacs.distributed.dask.cluster import DaskCluster
from deacs.distributed.dask.encode import encode_collection, is_collection
from deacs.distributed.dask.table import DaskTable, TableSource
from deacs.distributed.disk.store import CodedStore
from deacs.distributed.options import refuse_fewer
from deacs.exceptions import InputError, Parameter
from deacs.greedy.engine import Capabilities
from deacs.information import Estimator, ScoreKind

__all__ = ["DaskEngine"]


class DaskEngine:
    """Count on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, optional
        The client of the cluster; None: the one created last.
    by : {"auto", "feature", "row"}, default="auto"
        What workers hold: columns (wide tables) or rows (tall ones); "auto" chooses what sends
        fewer bytes in a step (see docs/scale-dask.md).
    n_parts : int, optional
        The number of parts of the table; None: one for each worker.

    Notes
    -----
    Results are bit for bit those of one machine, whatever the parts and whichever workers die.
    """

    capabilities = Capabilities(estimators=True, order=True, order_of_codes=True, overlapping=True)

    def __init__(
        self, client: Client | None = None, by: By = "auto", n_parts: int | None = None
    ) -> None:
        if by not in get_args(By):
            raise InputError(
                Parameter("by"),
                f" must be 'auto', 'feature' or 'row', got {by!r}",
                accepted=get_args(By),
            )
        refuse_fewer("n_parts", n_parts, 1)
        self.client = client
        self.by = by
        self.n_parts = n_parts

    def __deepcopy__(self, memo: dict[int, Any]) -> DaskEngine:
        # scikit-learn clones parameters by deep copies, and a client cannot be copied.
        return DaskEngine(self.client, self.by, self.n_parts)

    def __reduce__(self) -> tuple[Any, ...]:
        # Nor can a client be pickled: whoever loads a selector has their own, or needs none.
        return DaskEngine, (None, self.by, self.n_parts)

    def encode(self, X: Any, y: Any, **how: Any) -> CodedTable:
        """Code a table; the parameters are those of `deacs.encode`.

        Parameters
        ----------
        X : Dask frame or array, path or URL of Parquet files, or any table in memory
            Tables in memory are coded on the client, all others on the workers.
        y : str, Dask series or array, or array-like
            The classes; a name: that column of a Dask frame or of the files.
        **how
            The other parameters of `deacs.encode`.
        """
        if is_collection(X):
            how.pop("order", None)
            return encode_collection(self._cluster(), X, y, self.n_parts, **how)
        return encode(X, y, **how)

    def open(
        self,
        data: Any,
        label_score: ScoreKind = "one-vs-rest",
        n_jobs: int | None = None,
        estimator: Estimator = "plug-in",
    ) -> FeatureCounts | RowCounts:
        """Begin a selection."""
        cluster = self._cluster()
        return open_on(cluster, self._source(data), self.by, Score(label_score, estimator))

    def _cluster(self) -> DaskCluster:
        cluster = DaskCluster(self.client)
        cluster.n_workers()  # these are the homes of parts
        return cluster

    def _source(self, data: Any) -> Source:
        if isinstance(data, CodedData):
            return MemorySource(data, self.n_parts)
        if isinstance(data, DaskTable):
            return TableSource(data, self.n_parts)
        if isinstance(data, CodedStore):
            return StoreSource(data, self.n_parts)
        raise InputError(
            f"DaskEngine counts coded tables, got {type(data).__name__}; encode it first"
        )
