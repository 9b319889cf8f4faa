"""Open counts of a table on a cluster, by feature or by row."""

from __future__ import annotations

from typing import Literal

from deacs.distributed.cluster.by_feature import FeatureCounts
from deacs.distributed.cluster.by_row import RowCounts
from deacs.distributed.cluster.grouping import Score
from deacs.distributed.cluster.protocol import Cluster
from deacs.distributed.cluster.source import Source
from deacs.exceptions import InputError, Parameter
from deacs.information.bias import check_corrected

__all__ = ["By", "open_on"]

By = Literal["auto", "feature", "row"]

PUBLISHED = Score("one-vs-rest")


def open_on(
    cluster: Cluster, source: Source, by: By = "auto", score: Score = PUBLISHED
) -> FeatureCounts | RowCounts:
    """Bring a table to the workers and begin a selection.

    Parts hold columns or rows; `by="auto"` chooses what sends fewer bytes in a step.
    """
    check_corrected(score.kind, score.estimator)
    # Cells hold weights, not numbers of rows.
    needs_rows = source.per_row is not None and score.estimator != "plug-in"
    if by == "row" and needs_rows:
        raise InputError(
            Parameter("by", "row"),
            f" adds up weights and cannot count rows, as estimator={score.estimator!r} must if ",
            Parameter("sample_weight"),
            " has fractions; use ",
            Parameter("by", "feature"),
            ", or whole numbers as weights",
            parameter="by",
        )
    if by == "auto":
        table = source.table
        # Per worker, a step by feature sends N bytes, a step by row |F| x K sums of 9 bytes.
        is_wide = table.n_rows < 9 * table.n_features * table.n_outputs
        by = "feature" if is_wide or needs_rows else "row"
    counts = FeatureCounts if by == "feature" else RowCounts
    return counts(cluster, source, score)
