"""Features of a block with few values as bit-planes, for pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock
from deacs.information.counting import columns_of
from deacs.kernels.fixed_point import FixedPoint, xlogx_of
from deacs.kernels.grouped import MAX_VALUES
from deacs.kernels.pairs import FeaturePlanes, feature_planes
from deacs.kernels.threads import map_blocks

__all__ = ["StoredPlanes", "has_planes"]


def has_planes(block: CodeBlock) -> NDArray[np.bool_]:
    """Which features of a block have few enough values, all of which count."""
    return (block.n_values <= MAX_VALUES) & (block.ignored < 0)


@dataclass(frozen=True)
class StoredPlanes:
    """The bit-planes of a block's features with few values."""

    stored: FeaturePlanes
    by_value: NDArray[np.int64]
    """E: the sum of X over the values of each feature."""
    mean_values: float

    @classmethod
    def of(cls, block: CodeBlock, fixed: FixedPoint, n_jobs: int | None) -> StoredPlanes:
        """Make the planes of those features of a block that `has_planes` names."""
        has = has_planes(block)
        members = np.flatnonzero(has)
        n_planes = np.where(has, block.n_values - 1, 0)
        first = np.cumsum(n_planes) - n_planes
        n_rows = block.codes.shape[1]
        bits = np.empty((int(n_planes.sum()), -(-n_rows // 64)), dtype=np.uint64)
        value_counts = np.zeros((len(first), int(block.n_values[has].max())), dtype=np.int64)

        stored = FeaturePlanes(bits, first, block.n_values, value_counts)

        def work(part: slice) -> None:
            tail = np.zeros(64, dtype=block.codes.dtype)
            feature_planes(columns_of(block, members[part]), tail, stored)

        map_blocks(work, len(members), n_jobs, max(n_rows * 0.2, 1.0))
        by_value = xlogx_of(value_counts, fixed).sum(axis=1)
        return cls(stored, by_value, float(block.n_values[has].mean()))
