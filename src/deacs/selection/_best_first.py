"""Best-first search for a subset of features, forward.

The most promising subset that was not yet expanded is tried with every feature that it lacks, until
`max_stale` expansions in a row have found nothing better. At most `max_stale` subsets wait, for no
more can be expanded in vain. This is the search of R. Kohavi, G. H. John, "Wrappers for feature
subset selection", Artificial Intelligence 97 (1997) 273-324, with the conventions of Weka's
BestFirst.
"""

from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_GAIN", "Subset", "best_first"]

LEAST_GAIN = 1e-5
"""By how much a subset must be better than the best, as in Weka."""


class Subset(Protocol):
    """A subset as the search sees it."""

    @property
    def merit(self) -> float:
        """The merit of the subset."""

    def merits(self) -> NDArray[np.float64]:
        """Return how good it is with each feature more; -inf for those that it has."""

    def with_feature(self, feature: int) -> Self:
        """Return the subset with one feature more."""


S = TypeVar("S", bound=Subset)


def best_first(start: S, max_stale: int) -> S:
    """Search from a subset; among equals, what was found earlier and the lower column lead.

    A subset that is found again by another way waits again, and is expanded in vain, as in Weka.
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
    """Return the winner when, in column order, each must beat the best so far by `LEAST_GAIN`."""
    so_far = np.maximum.accumulate(np.append(best, merits))
    last = None
    for j in np.flatnonzero(merits > so_far[:-1]).tolist():
        if merits[j] - best > LEAST_GAIN:
            best, last = float(merits[j]), j
    return last


def _leaders(merits: NDArray[np.float64], n_leaders: int) -> list[int]:
    """Return the subsets that may wait: the best, the lower column first among equals."""
    least = np.partition(merits, -n_leaders)[-n_leaders] if n_leaders < len(merits) else -np.inf
    contenders = np.flatnonzero((merits >= least) & (merits > -np.inf))
    order = np.argsort(-merits[contenders], kind="stable")[:n_leaders]
    return [int(j) for j in contenders[order]]
