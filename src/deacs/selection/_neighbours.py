"""Mean differences of rows from their nearest neighbours, on threads over blocks of rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import neighbours
from deacs.kernels.threads import map_blocks
from deacs.selection._instances import Instances

__all__ = ["nearest_differences", "nearest_weights"]

BLOCK = neighbours.BLOCK_ROWS
NS_A_BYTE = 0.05
"""Approximate cost per row, feature and query, for dividing work among threads."""


def nearest_weights(
    instances: Instances,
    rows: NDArray[np.int64],
    groups: NDArray[np.int64],
    gains: NDArray[np.float64],
    n_neighbors: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Return each feature's mean over `rows` of gains times mean differences from neighbours.

    For a row of class c, `groups[c, d]` is the group of rows of class d, and `gains[c, g]` the
    weight of the mean difference from its `n_neighbors` nearest rows of group g.
    """
    n_features, n_rows = instances.columns.shape
    points, sketch = instances.points(), instances.sketch()
    k = min(n_neighbors, n_rows - 1)
    weights = np.zeros((-(-len(rows) // BLOCK), n_features))

    def work(part: slice) -> None:
        where = instances.labels, groups, gains, points, sketch
        neighbours.add_nearest(part.start, part.stop, rows, *where, k, weights)

    map_blocks(work, len(weights), n_jobs, NS_A_BYTE * BLOCK * n_rows * n_features)
    return np.asarray(weights.sum(axis=0) / len(rows))


def nearest_differences(
    instances: Instances,
    rows: NDArray[np.int64],
    n_neighbors: int,
    n_jobs: int | None,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Return mean differences of `rows` from their nearest rows: in the target, features and both.

    The last is the mean product of the two. Among rows equally far away, later ones count first.
    """
    n_features, n_rows = instances.columns.shape
    points, sketch = instances.points(), instances.sketch()
    target = instances.target
    assert target is not None
    k, n_blocks = min(n_neighbors, n_rows - 1), -(-len(rows) // BLOCK)
    of_target = np.zeros(n_blocks)
    of_features, of_both = np.zeros((2, n_blocks, n_features))

    def work(part: slice) -> None:
        means = of_target, of_features, of_both
        neighbours.add_nearest_of_numbers(
            part.start, part.stop, rows, target, points, sketch, k, *means
        )

    map_blocks(work, n_blocks, n_jobs, NS_A_BYTE * BLOCK * n_rows * n_features)
    n = len(rows)
    return of_target.sum() / n, of_features.sum(axis=0) / n, of_both.sum(axis=0) / n
