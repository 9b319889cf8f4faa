r"""JMI3: joint mutual information with every pair of selected features (Sechidis et al., 2019).

.. math:: J(F) = \sum_{\{s, t\} \subseteq S} I(F, s, t; C), \qquad
          J(F) = I(F, s; C) \text{ for } S = \{s\}, \quad I(F; C) \text{ for } S = \emptyset

Each term is corrected for chance to leading order, by :math:`(V - 1)(K - 1) / (2 N \ln 2)` with V
the number of possible joint values; otherwise noise with many values would win.

K. Sechidis, L. Azzimonti, A. Pocock, G. Corani, J. Weatherall, G. Brown, "Efficient feature
selection using shrinkage estimators", Machine Learning 108 (2019) 1261-1286.
"""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from deacs.coding import CodedData, CodedTable
from deacs.exceptions import InputError
from deacs.greedy.criteria import Criterion, Floats, Integers
from deacs.greedy.engine import LocalCounts
from deacs.greedy.pair_criteria import PairwiseCriterion
from deacs.information import bits_by_chance, values_counted
from deacs.selection._filter import InformationFilter, SharedOptions

__all__ = ["JMI3"]


class JMI3(InformationFilter):
    """Select the feature most informative about the class with each pair of selected ones.

    It detects interactions of three features of which no two are informative.

    Parameters
    ----------
    discretizer : {"auto", "mdlp", ...}, transformer or None, default="auto"
        Discretizes columns of numbers. "auto" also cuts columns that are uninformative alone, which
        other filters leave uncut: they may be informative together.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Notes
    -----
    Step m counts m - 1 pairs of selected features against all candidates, so k features take about
    k / 2 times as long as with JMI.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import JMI3
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> JMI3(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'magnesium']
    """

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        discretizer: Any = "auto",
        **options: Unpack[SharedOptions],
    ) -> None:
        super().__init__(n_features_to_select, discretizer=discretizer, **options)

    def _criterion(self, data: CodedTable) -> Criterion:
        counts = self._counts(data)
        if not (isinstance(counts, LocalCounts) and isinstance(data, CodedData)):
            raise InputError(
                "JMI3 counts three features together and needs a table in memory, got "
                f"{type(data).__name__}; fit a sample of the rows, or use JMI"
            )
        return TripleCriterion(counts, data)


class TripleCriterion(PairwiseCriterion):
    """The sum of I(F, s, t; C) over pairs of selected features, each counted once."""

    def __init__(self, counts: LocalCounts, data: CodedData) -> None:
        super().__init__(counts)
        self._local = counts
        self._data = data
        self._n_values = values_counted(data)
        self._total = np.zeros(self.n_features)
        self._n_seen = 0

    def scores(self, candidates: Integers) -> Floats:
        """Return J in a column."""
        chosen = self._selected
        if len(chosen) < 2:
            return self._joint_information(chosen, candidates)[:, np.newaxis]
        for newest in range(max(self._n_seen, 1), len(chosen)):
            for earlier in range(newest):
                pair = [chosen[earlier], chosen[newest]]
                self._total[candidates] += self._joint_information(pair, candidates)
        self._n_seen = len(chosen)
        return self._total[candidates, np.newaxis]

    def _joint_information(self, group: list[int], candidates: Integers) -> Floats:
        """Return I(F, group; C) of candidates, corrected for chance."""
        joint = self._relevance[candidates]
        if group:
            joint = self._local.group_information(group, candidates).joint
        n_cells = self._n_values[candidates] * self._n_values[group].prod()
        freedom = (n_cells - 1) * (self._data.n_classes - 1)
        return np.asarray(joint - bits_by_chance(self._data, freedom))
