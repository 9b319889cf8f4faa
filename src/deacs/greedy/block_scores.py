"""Label scores of all features given blocks of S, counted on first use."""

from __future__ import annotations

import numpy as np

from deacs.greedy.counts import Counts, table_of
from deacs.greedy.criteria import Floats, Integers

__all__ = ["BlockScores"]

Block = tuple[int, ...]

ROWS_A_NUMBER = 32
"""Scores are kept while they take at most a quarter of the memory of the codes."""


class BlockScores:
    """Tables of label scores, one for each block; NaN marks scores not yet counted."""

    def __init__(self, counts: Counts, n_outputs: int) -> None:
        self._counts = counts
        self._n_outputs = n_outputs
        self._tables: dict[Block, Floats] = {}
        self._is_held: set[Block] = set()
        self._latest: tuple[Block, Counts] | None = None
        data = table_of(counts)
        n_rows = 0 if data is None else data.n_rows
        self._n_kept = n_rows // (ROWS_A_NUMBER * n_outputs)

    def __contains__(self, block: Block) -> bool:
        """Whether scores given this block are known, or counted for all features at once."""
        return block in self._is_held or block in self._tables

    def hold(self, often: set[Block], ever: set[Block]) -> None:
        """Count scores of all features together, on first use, for blocks that are needed often.

        Tables of blocks that are no longer needed are dropped.
        """
        self._is_held = often
        self._tables = {block: self._tables[block] for block in ever & self._tables.keys()}

    def keep(self, block: Block, scores: Floats, *, is_closed: bool) -> None:
        """Keep known scores if there is room; half of it is reserved for closed blocks."""
        if len(self._tables) < (self._n_kept if is_closed else self._n_kept // 2):
            self._tables[block] = scores

    def scores(self, block: Block, features: Integers) -> Floats:
        """Return the label scores of features that are not in the block."""
        table = self._tables.get(block)
        if table is None:
            if block not in self:
                return self._given(block).label_scores(features)
            table = np.full((self._counts.n_features, self._n_outputs), np.nan)
            self._tables[block] = table
        if np.isnan(table[features, 0]).any():
            unknown = np.isnan(table[:, 0])
            unknown[list(block)] = False
            table[unknown] = self._given(block).label_scores(np.flatnonzero(unknown))
        return np.asarray(table[features])

    def most(self, block: Block) -> Floats:
        """Return an upper bound on the label scores of any feature."""
        return self._given(block).most()

    def _given(self, block: Block) -> Counts:
        if self._latest is None or self._latest[0] != block:
            given = self._counts.fresh()
            for feature in block:
                given.condition_on(feature)
            self._latest = block, given
        return self._latest[1]
