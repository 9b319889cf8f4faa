"""Forward best-first search for a subset of features.

The best subset not yet expanded is tried with every feature that it lacks, until `max_stale`
expansions in a row have found nothing better. The queue holds at most `max_stale` subsets, as the
search ends after that many fruitless expansions. This is the search of R. Kohavi, G. H. John,
"Wrappers for feature subset selection", Artificial Intelligence 97 (1997) 273-324, with the
conventions of Weka's BestFirst.
"""

from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_GAIN", "Subset", "best_first"]

LEAST_GAIN = 1e-5
"""The least improvement over the best subset that counts, as in Weka."""


class Subset(Protocol):
    """Protocol of subsets for the search."""

    @property
    def merit(self) -> float:
        """The merit of the subset."""

    def merits(self) -> NDArray[np.float64]:
        """Return the merit with each feature added; -inf for features it already has."""

    def with_feature(self, feature: int) -> Self:
        """Return the subset with one feature added."""


S = TypeVar("S", bound=Subset)


def best_first(start: S, max_stale: int) -> S:
    """Search from a subset; among ties, the one found earlier wins, then the lower column.

    A subset reached again by another path is queued and expanded again, as in Weka.
    """
    best, waiting, stale = start, [start], 0
    while waiting and stale < max_stale:
        subset = waiting.pop(0)
        merits = subset.merits()
        better = _last_improvement(merits, best.merit)
        if better is None:
            stale += 1
        else:
            best, stale = subset.with_feature(better), 0
        found = [subset.with_feature(j) for j in _leaders(merits, max_stale)]
        waiting = sorted([*waiting, *found], key=lambda other: -other.merit)[:max_stale]
    return best


def _last_improvement(merits: NDArray[np.float64], best: float) -> int | None:
    """Return the last feature, in column order, that beats the best so far by `LEAST_GAIN`."""
    so_far = np.maximum.accumulate(np.append(best, merits))
    last = None
    for j in np.flatnonzero(merits > so_far[:-1]).tolist():
        if merits[j] - best > LEAST_GAIN:
            best, last = float(merits[j]), j
    return last


def _leaders(merits: NDArray[np.float64], n_leaders: int) -> list[int]:
    """Return the subsets to queue: the best ones, the lower column first among ties."""
    least = np.partition(merits, -n_leaders)[-n_leaders] if n_leaders < len(merits) else -np.inf
    contenders = np.flatnonzero((merits >= least) & (merits > -np.inf))
    order = np.argsort(-merits[contenders], kind="stable")[:n_leaders]
    return [int(j) for j in contenders[order]]
