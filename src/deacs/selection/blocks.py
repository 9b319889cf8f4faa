"""Conditioning on S in blocks, each jointly, so that scores remain reliable in small samples.

With S split into blocks B, the score of F for label i is min over B of R(F; c_i | B), or the mean.
One unbounded block is the paper's R(F; c_i | S); a block for each feature is label-wise CMIM
(F. Fleuret, JMLR 5 (2004) 1531-1555), or JMI with the mean (H. H. Yang, J. Moody, NIPS 12 (1999)).
Between them, a block grows while its groups keep `min_group_size` rows on average.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.counts.counts import Counts
from deacs.exceptions import InputError, Parameter
from deacs.selection.criteria import Criterion, Floats, Integers, LabelCriterion
from deacs.selection.options import Options, is_number, one_of, options_class, read_options

__all__ = [
    "CONDITIONINGS",
    "BlockCriterion",
    "Blocks",
    "Each",
    "Given",
    "Joint",
    "read_conditioning",
]

Block = tuple[int, ...]


class Given(Options):
    """Base of conditionings: how candidates are scored given S."""

    def criterion(self, counts: Counts) -> Criterion:
        """Return label scores given S in this way, from counts with S empty."""
        raise NotImplementedError


@options_class
class Joint(Given):
    """Condition on the joint value of S, as in the paper; groups soon have few rows."""

    def criterion(self, counts: Counts) -> Criterion:
        """Return label scores given S jointly."""
        return LabelCriterion(counts)


@options_class
class Blocks(Given):
    """Condition on blocks of S, jointly within a block, and combine the scores over blocks.

    Parameters
    ----------
    min_group_size : float, default=10
        A block grows while its groups keep this many rows on average.
    caution : float, default=0.5
        1 takes the minimum over blocks, which rejects a feature that is redundant given any of
        them; 0 the mean, which keeps a feature that interacts with any; values between weigh the
        two.
    """

    min_group_size: float = 10
    caution: float = 0.5

    def criterion(self, counts: Counts) -> Criterion:
        """Return label scores given S block by block."""
        try:
            size = float(self.min_group_size)
        except (TypeError, ValueError):
            size = -1.0
        if not size >= 0:
            raise InputError(
                Parameter("min_group_size"),
                f" must be a number of rows, 0 or more (10 is usual), got {self.min_group_size!r}",
            )
        caution: Any = self.caution
        if not (is_number(caution) and 0 <= caution <= 1):
            raise InputError(Parameter("caution"), f" must lie between 0 and 1, got {caution!r}")
        return BlockCriterion(counts, min_group_size=size, caution=float(caution))


@options_class
class Each(Given):
    """Condition on each feature of S separately: label-wise CMIM, or JMI.

    Parameters
    ----------
    fold : {"least", "mean"}, default="least"
        The least score over the features of S (CMIM), or the mean (JMI).
    """

    fold: str = "least"

    def criterion(self, counts: Counts) -> Criterion:
        """Return label scores given S feature by feature."""
        caution = {"least": 1.0, "mean": 0.0}[one_of("fold", self.fold, ("least", "mean"))]
        return BlockCriterion(counts, min_group_size=inf, caution=caution)


CONDITIONINGS: dict[str, Callable[[], Given]] = {
    "blocks": Blocks,
    "joint": Joint,
    "cmim": Each,
    "jmi": lambda: Each("mean"),
}
"""Conditionings by name."""


def read_conditioning(conditioning: Any) -> Given:
    """Read the parameter `conditioning`: a name, or an object."""
    return read_options("conditioning", conditioning, CONDITIONINGS, Given)


class BlockCriterion(Criterion):
    """Scores given each block of S, folded.

    A block takes the newest feature while its groups hold `min_group_size` rows on average; else it
    is closed without that feature, which begins the next block, even if it is too wide by itself.
    Scores given closed blocks do not change, so a step scores the candidates given the open block
    only, in one pass over the rows.

    A `min_group_size` up to 1 means one block, inf one for each feature; `caution` is that of
    `Blocks`. S of `counts` must be empty.
    """

    ends_at_zero = True
    can_exchange = True

    def __init__(self, counts: Counts, *, min_group_size: float, caution: float = 1.0) -> None:
        self._min_group_size = min_group_size
        self._caution = caution
        self._counts = counts  # given all of S, for `residual`
        self._open = counts.fresh()
        self._blocks: list[list[int]] = []
        shape = self.n_features, len(counts.residual())
        self._least = np.full(shape, inf)  # given the closed blocks
        self._total = np.zeros(shape)
        self._latest = np.full(shape, np.nan)  # given the open block; NaN if not counted
        self._is_left = np.ones(self.n_features, dtype=bool)
        # Blocks closed since the last scores.
        self._pending: list[tuple[Block, Counts, Floats]] = []
        self._tables: dict[Block, Floats] = {}  # scores given whole blocks; NaN if not counted

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        self._fold_in()
        latest = self._open.label_scores(candidates)
        self._latest[candidates] = latest
        least: Floats = np.minimum(self._least[candidates], latest)
        if self._caution == 1.0:
            return least
        mean = (self._total[candidates] + latest) / max(len(self._blocks), 1)
        return self._folded(least, mean)

    def _folded(self, least: Floats, mean: Floats) -> Floats:
        return np.asarray(self._caution * least + (1.0 - self._caution) * mean)

    def least_scores(self, candidates: Integers) -> Floats:
        """Return the least scores over blocks, of candidates that were scored last."""
        least: Floats = np.minimum(self._least[candidates], self._latest[candidates])
        return least

    def add(self, feature: int) -> None:
        """Take a feature into the open block, or begin the next one with it."""
        self._counts.condition_on(feature)
        self._is_left[feature] = False
        if not self._blocks:
            self._blocks.append([feature])
        elif self._fits([*self._blocks[-1], feature]):
            self._blocks[-1].append(feature)
        else:
            self._pending.append((tuple(self._blocks[-1]), self._open, self._latest))
            self._open = self._open.fresh()
            self._blocks.append([feature])
        self._open.condition_on(feature)
        self._latest = np.full_like(self._latest, np.nan)

    def _fits(self, block: Sequence[int]) -> bool:
        if self._min_group_size == inf:
            return False
        return self._counts.mean_group_size(block) >= self._min_group_size

    def without(self, feature: int) -> Callable[[Integers], Floats]:
        """Return scores given the rest of S, in the blocks that S has."""
        rest = [tuple(j for j in block if j != feature) for block in self._blocks]
        blocks = [block for block in rest if block] or [()]
        return lambda candidates: self._over([self._given(block, candidates) for block in blocks])

    def _given(self, block: Block, candidates: Integers) -> Floats:
        """Return label scores given a block; those given a whole one are kept for the next."""
        is_whole = list(block) in self._blocks
        table = self._tables.get(block) if is_whole else None
        if table is None:
            table = np.full_like(self._least, np.nan)
        unknown = np.isnan(table[:, 0])
        unknown[list(block)] = False
        if unknown[candidates].any():
            given = self._counts.fresh()
            for feature in block:
                given.condition_on(feature)
            asked = np.flatnonzero(unknown) if is_whole else candidates
            table[asked] = given.label_scores(asked)
        if is_whole:
            self._tables[block] = table
        return np.asarray(table[candidates])

    def _over(self, parts: Sequence[Floats]) -> Floats:
        """Combine the scores given each block."""
        least, total = np.full(parts[0].shape, inf), np.zeros(parts[0].shape)
        for scores in parts:
            np.minimum(least, scores, out=least)
            total += scores
        return least if self._caution == 1.0 else self._folded(least, total / len(parts))

    def _fold_in(self) -> None:
        """Fold in the scores given closed blocks."""
        for block, given, scores in self._pending:
            unasked = np.flatnonzero(self._is_left & np.isnan(scores[:, 0]))
            if len(unasked):
                scores[unasked] = given.label_scores(unasked)
            self._least = np.minimum(self._least, scores)
            self._total += scores
            self._tables[block] = scores
        self._pending.clear()

    def conditions(self) -> list[list[int]]:
        """Return the blocks of S."""
        return self._blocks or [[]]

    def residual(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits, given all of S jointly."""
        return self._counts.residual()
