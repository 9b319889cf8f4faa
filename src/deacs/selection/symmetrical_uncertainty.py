r"""Symmetrical uncertainty: mutual information with the class, normalised by the entropies.

.. math:: SU(F, C) = 2 \, I(F; C) / (H(F) + H(C))

W. H. Press, S. A. Teukolsky, W. T. Vetterling, B. P. Flannery, "Numerical Recipes in C", 2nd
edition, Cambridge University Press (1992), section 14.4; as a filter: M. A. Hall, L. A. Smith,
"Feature subset selection: a correlation based filter approach", ICONIP 1997, 855-858.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedTable
from deacs.greedy.criteria import Criterion, FixedScores
from deacs.greedy.engine import BatchedCounts, Counts
from deacs.selection._filter import InformationFilter

__all__ = ["RowsAhead", "SymmetricalUncertainty", "Uncertainties", "likeliest"]

MOST_AHEAD = 64
"""Features that are counted at once."""

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class SymmetricalUncertainty(InformationFilter):
    """Rank features by the information shared with the class, relative to both entropies.

    Mutual information favours features with many values; dividing by the entropies corrects for
    that. 0 means independence, 1 that each determines the other. Redundancy is ignored; see
    `FCBF` and `CFS`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import SymmetricalUncertainty
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> SymmetricalUncertainty(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'od280/od315_of_diluted_wines', 'color_intensity']
    """

    def _criterion(self, data: CodedTable) -> Criterion:
        return FixedScores(Uncertainties(self._counts(data)).with_class)


class Uncertainties:
    """Symmetrical uncertainty of every feature with the class, and of pairs of features.

    If missing values are ignored, an entropy is estimated on the rows in which its variable is
    present, and information on the rows in which both are; the quotient is clipped at 1.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._batched = counts if isinstance(counts, BatchedCounts) else None
        self._class_entropy = counts.class_entropy()

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    @cached_property
    def with_class(self) -> Floats:
        """SU(F, C) of every feature."""
        return _uncertainty(self._counts.relevance(), self._counts.entropy() + self._class_entropy)

    @property
    def at_once(self) -> int:
        """The number of features that are counted at once at little more than the cost of one."""
        return 1 if self._batched is None else MOST_AHEAD

    def with_features(self, some: Integers, features: Integers) -> Floats:
        """Return SU(F, G) of features F and some features G, (n_some, n_features)."""
        entropy = self._counts.entropy()
        if self._batched is not None:
            shared = self._batched.redundancies(some, features)
        else:
            shared = np.array([self._counts.redundancy(j, features) for j in some.tolist()])
        return _uncertainty(shared, entropy[features] + entropy[some, np.newaxis])


class RowsAhead:
    """Rows of SU(F, G), G one feature, requested one by one and counted several at once.

    Twice as many rows are counted as were requested since rows were counted the last time. With
    `transform`, which is applied to what was counted, all rows are kept, and SU(F, G) is not
    counted again if SU(G, F) is known; without it, rows are kept until others are counted.
    """

    def __init__(
        self, uncertainties: Uncertainties, transform: Callable[[Floats], Floats] | None = None
    ) -> None:
        self._uncertainties = uncertainties
        self._transform = transform
        self._rows: dict[int, Floats] = {}
        self._known: list[tuple[Integers, Floats]] = []
        self._is_known = np.zeros(uncertainties.n_features, dtype=bool)
        self._n_taken = 0

    def take(
        self,
        feature: int,
        features: Callable[[], Integers],
        next_ones: Callable[[], list[int]],
    ) -> Floats:
        """Return SU(F, G) of all features F; zero for those that are not requested.

        `features` returns the features F, later ones among earlier ones; `next_ones` the features G
        that are most likely to follow, the likeliest first.
        """
        if feature not in self._rows:
            n_more = min(2 * self._n_taken, self._uncertainties.at_once) - 1
            if self._transform is None:
                self._rows.clear()
            guessed = next_ones() if n_more > 0 else []
            guessed = [j for j in guessed if j != feature and j not in self._rows][:n_more]
            some = np.array([feature, *guessed])
            found = self._counted(some, features())
            self._rows.update(zip(some.tolist(), found, strict=True))
            self._n_taken = 0
        self._n_taken += 1
        return self._rows.pop(feature)

    def _counted(self, some: Integers, features: Integers) -> Floats:
        """Return the rows of some features, zero for those that are not asked for."""
        found = np.zeros((len(some), self._uncertainties.n_features))
        if self._transform is None:
            found[:, features] = self._uncertainties.with_features(some, features)
            return found
        for before, rows in self._known:
            found[:, before] = rows[:, some].T
        new = features[~self._is_known[features]]
        found[:, new] = self._transform(self._uncertainties.with_features(some, new))
        self._known.append((some, found))
        self._is_known[some] = True
        return found


def likeliest(promise: Floats) -> list[int]:
    """Return as many features as are counted at once, those with the largest numbers first."""
    order: list[int] = np.argsort(-promise, kind="stable").tolist()
    return order[:MOST_AHEAD]


def _uncertainty(shared: Floats, entropies: Floats) -> Floats:
    """Return 2 I / (H + H); 0 if both entropies are zero."""
    quotient = shared / np.where(entropies > 0, entropies / 2, np.inf)
    return np.minimum(quotient, 1.0, out=quotient)
