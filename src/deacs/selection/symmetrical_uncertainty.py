r"""Symmetrical uncertainty: mutual information with the class, normalised by the entropies.

.. math:: SU(F, C) = 2 \, I(F; C) / (H(F) + H(C))

W. H. Press, S. A. Teukolsky, W. T. Vetterling, B. P. Flannery, "Numerical Recipes in C", 2nd
edition, Cambridge University Press (1992), section 14.4; as a filter: M. A. Hall, L. A. Smith,
"Feature subset selection: a correlation based filter approach", ICONIP 1997, 855-858.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deacs.greedy.counts import Counts
from deacs.greedy.criteria import Criterion, FixedScores
from deacs.selection._filter import InformationFilter
from deacs.selection.result import Source

__all__ = ["SymmetricalUncertainty", "Uncertainties"]

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

    def _criterion(self, source: Source) -> Criterion:
        return FixedScores(Uncertainties(self._counts(source.data)).with_class)


class Uncertainties:
    """Symmetrical uncertainty of every feature with the class, and of pairs of features.

    If missing values are ignored, an entropy is estimated on the rows in which its variable is
    present, and information on the rows in which both are; the quotient is clipped at 1.
    """

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._class_entropy = counts.class_entropy()

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counts.n_features

    @cached_property
    def with_class(self) -> Floats:
        """SU(F, C) of every feature."""
        return _uncertainty(self._counts.relevance(), self._counts.entropy() + self._class_entropy)

    def with_feature(self, feature: int, features: Integers) -> Floats:
        """Return SU(F, G) of features F and one feature G."""
        entropy = self._counts.entropy()
        shared = self._counts.redundancy(feature, features)
        return _uncertainty(shared, entropy[features] + entropy[feature])


def _uncertainty(shared: Floats, entropies: Floats) -> Floats:
    """Return 2 I / (H + H); 0 if both entropies are zero."""
    quotient = shared / np.where(entropies > 0, entropies / 2, np.inf)
    return np.minimum(quotient, 1.0, out=quotient)
