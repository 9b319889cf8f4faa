"""Counts of a table on a cluster: by feature or by row."""

from __future__ import annotations

from typing import Literal

from deacs.distributed.cluster.by_feature import FeatureCounts
from deacs.distributed.cluster.by_row import RowCounts
from deacs.distributed.cluster.protocol import Cluster
from deacs.distributed.cluster.source import Source
from deacs.information import ScoreKind

__all__ = ["By", "open_on"]

By = Literal["auto", "feature", "row"]


def open_on(
    cluster: Cluster, source: Source, by: By = "auto", label_score: ScoreKind = "one-vs-rest"
) -> FeatureCounts | RowCounts:
    """Bring a table to the workers, and begin a selection.

    Parameters
    ----------
    cluster : Cluster
        Where the workers are.
    source : Source
        Where the table comes from.
    by : {"auto", "feature", "row"}
        Whether a part holds columns or rows; "auto" takes what moves less.
    label_score : {"one-vs-rest", "divergence", "joint"}
        The kind of label scores.
    """
    if by == "auto":
        table = source.table
        # A step by feature sends N bytes to every worker, a step by row |F| x K sums of 9 bytes.
        by = "feature" if table.n_rows < 9 * table.n_features * table.n_classes else "row"
    counts = FeatureCounts if by == "feature" else RowCounts
    return counts(cluster, source, label_score)
