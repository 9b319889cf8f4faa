"""Conditioning that survives small samples: S in blocks, each conditioned on jointly.

With S split into blocks B, the score of F for label i is min over B of R(F; c_i | B), or the mean.
One unbounded block is the paper's R(F; c_i | S); a block for each feature is label-wise CMIM
(F. Fleuret, JMLR 5 (2004) 1531-1555), or JMI with the mean (H. H. Yang, J. Moody, NIPS 12 (1999)).
Between them, a block grows while its groups keep `min_group_size` rows on average.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.selection._criteria import Criterion, Floats, Integers, LabelCriterion
from deacs.selection._engine import Counts

__all__ = ["CONDITIONINGS", "BlockCriterion", "Conditioned", "label_criterion"]

Conditioned = Literal["joint", "jmi", "cmim", "blocks"]
CONDITIONINGS: tuple[Conditioned, ...] = ("joint", "jmi", "cmim", "blocks")


def label_criterion(
    counts: Counts, conditioning: Conditioned = "joint", min_group_size: Any = 5
) -> Criterion:
    """Return the criterion of DEA-CS: label scores given S, in the way that is asked for."""
    if conditioning not in CONDITIONINGS:
        raise InputError(
            f"conditioning must be one of {', '.join(CONDITIONINGS)}, got {conditioning!r}"
        )
    try:
        size = float(min_group_size)
    except (TypeError, ValueError):
        size = -1.0
    if not size >= 0:
        raise InputError(
            "min_group_size must be a number of rows, 0 or more (5 is usual), got "
            f"{min_group_size!r}"
        )
    if conditioning == "joint":
        return LabelCriterion(counts)
    if conditioning == "blocks":
        return BlockCriterion(counts, min_group_size=size)
    return BlockCriterion(counts, min_group_size=inf, fold=MEAN if conditioning == "jmi" else MIN)


@dataclass(frozen=True)
class Fold:
    """How scores given one block after another are put together.

    Attributes
    ----------
    start : float
        What no block at all amounts to.
    join : callable
        From what was folded so far and the scores given one more block to what is folded now.
    is_mean : bool
        Whether the result is divided by the number of blocks.
    """

    start: float
    join: Callable[[Floats, Floats], Floats]
    is_mean: bool = False


MIN = Fold(inf, np.minimum)
MEAN = Fold(0.0, np.add, is_mean=True)


class BlockCriterion:
    """Scores given each block of S, folded.

    A block takes the newest feature while its groups hold `min_group_size` rows on average; else
    it is closed without that feature, which begins the next one, be it too wide itself. Given
    closed blocks nothing changes any more, so a step scores the candidates given the open block
    alone: one pass over its rows.

    Parameters
    ----------
    counts : Counts
        Counts with S empty.
    min_group_size : float
        Rows a group on average, at least; up to 1 there is one block, with inf one a feature.
    fold : Fold, default=MIN
        How blocks are put together.
    """

    ends_at_zero = True

    def __init__(self, counts: Counts, *, min_group_size: float, fold: Fold = MIN) -> None:
        self._min_group_size = min_group_size
        self._fold = fold
        self._counts = counts  # given all of S, for what is left unknown
        self._open = counts.fresh()
        self.blocks: list[list[int]] = []
        shape = self.n_features, len(counts.residual())
        self._closed = np.full(shape, fold.start)
        self._latest = np.full(shape, np.nan)  # given the open block; NaN where nobody asked
        self._is_left = np.ones(self.n_features, dtype=bool)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        latest = self._open.label_scores(candidates)
        self._latest[candidates] = latest
        folded = self._fold.join(self._closed[candidates], latest)
        return folded / max(len(self.blocks), 1) if self._fold.is_mean else folded

    def add(self, feature: int) -> None:
        """Take a feature into the open block, or begin the next one with it."""
        self._counts.condition_on(feature)
        self._is_left[feature] = False
        if not self.blocks:
            self.blocks.append([feature])
        elif self._fits([*self.blocks[-1], feature]):
            self.blocks[-1].append(feature)
        else:
            self._close()
            self.blocks.append([feature])
        self._open.condition_on(feature)
        self._latest[:] = np.nan

    def _fits(self, block: Sequence[int]) -> bool:
        size = self._min_group_size
        return size < inf and self._counts.mean_group_size(block) >= size

    def _close(self) -> None:
        """Fold in the scores given the open block, and begin an empty one."""
        unasked = np.flatnonzero(self._is_left & np.isnan(self._latest[:, 0]))
        if len(unasked):
            self._latest[unasked] = self._open.label_scores(unasked)
        self._closed = self._fold.join(self._closed, self._latest)
        self._open = self._open.fresh()

    def residual(self) -> NDArray[np.float64]:
        """Return H(C_i | S) in bits, given all of S jointly."""
        return self._counts.residual()
