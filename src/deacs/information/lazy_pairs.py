"""Lazy evaluation of pair criteria that can only fall: only possible winners are updated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.information.plan import rounding
from deacs.kernels.fixed_point import fixed_point, xlogx_of
from deacs.kernels.lazily import MANY_CELLS, TERMS, Contest, Criterion, fold_contenders

__all__ = ["Falling", "LazyPairs"]

MAX_CELLS = 1 << 20
"""The most cells of a pair: a larger table would not fit the caches."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Falling:
    """A criterion that can only fall: min(start, least term), or start - sum / divisor.

    Attributes
    ----------
    term : str
        The term of a selected feature, never negative; one of `deacs.kernels.lazily.TERMS`.
    is_least : bool
        Whether terms are folded by their minimum, else by their sum.
    from_relevance : bool
        Whether the start is I(F; C), else infinite.
    mean : bool
        Whether the sum is divided by |S|.
    """

    term: str
    is_least: bool
    from_relevance: bool
    mean: bool = False


class LazyPairs:
    """The terms of every feature of a table that `suits`, folded as far as needed.

    `start` are the initial scores; `folded` and `seen` (OUT) the folded terms, and the number of
    selected features in them, each of shape (n_features,).
    """

    def __init__(
        self, data: CodedData, falling: Falling, start: Floats, folded: Floats, seen: Integers
    ) -> None:
        by_class = data.run_counts
        fixed = fixed_point(int(by_class.sum()), 1)
        self._falling = falling
        self._contest = Contest(
            codes=data.blocks[0].codes,
            n_values=data.blocks[0].n_values,
            labels=data.labels,
            n_labels=1 if falling.term == "redundancy" else data.n_classes,
            weights=data.weights,
            total=int(by_class.sum()),
            by_class=int(xlogx_of(by_class, fixed).sum()),
            table=fixed.table,
            scale_bits=fixed.scale_bits,
            rounding=rounding(data.n_rows),
            unit=2.0**-fixed.scale_bits,
            own=np.full((data.n_features, 2), -1, dtype=np.int64),
            start=start,
            fold=folded,
            seen=seen,
        )
        dtype = np.int32 if data.weights is None else np.int64
        self._counts = np.zeros(_n_cells(data), dtype=dtype)

    @staticmethod
    def suits(data: CodedData) -> bool:
        """Whether all rows count, in one block of codes, and pairs have few enough cells."""
        plain = len(data.blocks) == 1 and bool((data.blocks[0].ignored < 0).all())
        if data.weights is None:
            fits = data.n_rows < len(fixed_point(data.n_rows, 1).table)
        else:
            fits = _n_cells(data) <= MANY_CELLS * data.n_rows
        return plain and fits and _n_cells(data) <= MAX_CELLS

    def bring_up(
        self, candidates: Integers, bounds: Floats, selected: Sequence[int], slack: float
    ) -> None:
        """Fold in the missing terms of candidates, while they may have the largest score.

        `bounds` are their scores from the terms folded so far, and are updated; `selected` is S in
        the order of selection; `slack` the difference from the best that still ties, relative if
        the best exceeds 1.
        """
        given = np.array(selected, dtype=np.int64)
        rule = self._falling
        criterion = Criterion(TERMS[rule.term], rule.is_least, len(given) if rule.mean else 1)

        def fold(order: Integers, best: float) -> float:
            known = criterion, best, slack, self._counts
            found: float = fold_contenders(self._contest, candidates, order, given, *known, bounds)
            return found

        # The leader first: most of the others fall behind it and need not be sorted.
        best = fold(np.array([bounds.argmax()]), -np.inf)
        doubtful = np.flatnonzero(bounds >= best - slack * max(1.0, abs(best)))
        fold(doubtful[np.argsort(-bounds[doubtful], kind="stable")], best)


def _n_cells(data: CodedData) -> int:
    return int(data.n_values.max()) ** 2 * (data.n_classes + 1)
