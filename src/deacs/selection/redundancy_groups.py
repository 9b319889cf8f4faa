r"""Redundancy groups: cluster columns with the same information about the class; keep one of each.

The distance of two columns is the share of their joint information about the class that only one of
them has,

.. math:: d(F, G) = \min\left(1, \frac{I(F; C \mid G) + I(G; C \mid F)}{I(F, G; C)}\right),

0 if neither adds to the other, 1 if they share no information about the class, however correlated
they are. For pairs that are uninformative about the class even together, the distance is

.. math:: d(F, G) = 1 - I(F; G) / \max(H(F), H(G))

the normalised information distance (see A. Kraskov, H. Stögbauer, R. G. Andrzejak, P.
Grassberger, "Hierarchical clustering using mutual information", Europhysics Letters 70 (2005)
278-284). Clustering is by complete linkage: every two columns of a group are within
`max_distance`, so groups do not chain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.utils._param_validation import Interval

from deacs.coding import CodedData
from deacs.counts import Pairs
from deacs.exceptions import InputError
from deacs.selection._filter import InformationFilter, SharedOptions
from deacs.selection.criteria import Criterion
from deacs.selection.loop import Path, Step
from deacs.selection.source import Source

__all__ = ["ColumnGroups", "RedundancyGroups", "column_groups", "information_distances"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MAX_DISTANCE = 0.5
APART = 2.0
"""A distance beyond all others, of columns that must not be in one group."""
DOUBT = math.log(1000.0)
"""-log of the level (by a bound) at which a pair counts as informative about the class."""


class RedundancyGroups(InformationFilter):
    """Group columns with the same information about the class, and keep one of each group.

    The column with the most information about the class is kept. Uninformative columns are grouped
    only if they are nearly the same column.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        The number of groups. None: as many as `max_distance` leaves.
    max_distance : float, default=0.5
        The largest distance within a group: at 0, neither of two columns adds to the other; at 1,
        they share no information about the class.
    discretizer : {"equal-frequency", "mdlp", ...}, transformer or None, default="equal-frequency"
        Discretizes columns of numbers. Cut points that ignore the classes agree between similar
        columns.

    Parameters that all filters have: see `deacs.selection.InformationFilter`; each column in
    `include` is kept, and no two of them are in one group.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_groups,)
        The columns that are kept, the most informative about the class first.
    scores_ : ndarray of shape (n_groups,)
        I(F; C) of each, in bits.
    column_groups_ : ColumnGroups
        The groups, the tree they were cut from, and the columns kept.
    labels_ : ndarray of int of shape (n_features,)
        The group of each column: the place of its representative in `ranking_`.

    Notes
    -----
    Every pair of columns is counted once: time and memory (16 bytes a pair) grow with the square of
    the number of columns.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from deacs import RedundancyGroups
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> groups = RedundancyGroups().fit(X, y)
    >>> len(groups.ranking_), groups.selected_names_[0]
    (19, 'worst perimeter')
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "max_distance": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        max_distance: float = MAX_DISTANCE,
        discretizer: Any = "equal-frequency",
        **options: Unpack[SharedOptions],
    ) -> None:
        super().__init__(n_features_to_select, discretizer=discretizer, **options)
        self.max_distance = max_distance

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        data = source.data
        if not isinstance(data, CodedData):
            raise InputError(
                "RedundancyGroups counts pairs of columns and needs a table in memory, got "
                f"{type(data).__name__}; fit a sample of the rows"
            )
        n_wanted, included = self._asked(source)
        found = column_groups(
            data, self.max_distance, n_groups=n_wanted, keep=included, n_jobs=self.n_jobs
        )
        self.column_groups_ = found
        nothing = np.empty(0)
        steps = [
            Step(j, float(found.relevance[j]), nothing, nothing, data.n_features)
            for j in found.kept.tolist()
        ]
        stop_reason = "one of each group" if n_wanted is None else "n_features_to_select"
        return self._found_at_once(source, steps, stop_reason)

    def _criterion(self, source: Source) -> Criterion:
        raise NotImplementedError  # all groups are formed at once

    def _exchangeable(self, source: Source) -> None:
        return None

    @property
    def labels_(self) -> Integers:
        """The group of each column, or of each unit if `groups` was given."""
        return self.column_groups_.labels


@dataclass(frozen=True, eq=False)
class ColumnGroups:
    """Columns in groups.

    Attributes
    ----------
    names : tuple of str
        All columns' names.
    relevance : ndarray of shape (n_features,)
        I(F; C) of every column, in bits.
    tree : ndarray of shape (n_features - 1, 4)
        The linkage matrix of complete linkage, as in scipy.
    kept : ndarray of int of shape (n_groups,)
        One column of each group, the most informative about the class first.
    labels : ndarray of int of shape (n_features,)
        The group of each column: the place of its representative in `kept`.
    """

    names: tuple[str, ...]
    relevance: Floats
    tree: Floats
    kept: Integers
    labels: Integers

    @cached_property
    def members(self) -> tuple[tuple[str, ...], ...]:
        """The column names of each group, starting with the one that is kept."""
        found: list[list[str]] = [[self.names[j]] for j in self.kept.tolist()]
        for j, group in enumerate(self.labels.tolist()):
            if j != self.kept[group]:
                found[group].append(self.names[j])
        return tuple(map(tuple, found))

    def columns(self) -> dict[str, Any]:
        """Return one row for each column: its group (from 1), whether it is kept, and I(F; C)."""
        order = np.lexsort((-self.relevance, self.labels)).tolist()
        kept = set(self.kept.tolist())
        return {
            "column": [self.names[j] for j in order],
            "group": [int(self.labels[j]) + 1 for j in order],
            "kept": [j in kept for j in order],
            "bits": [float(self.relevance[j]) for j in order],
        }


def column_groups(
    data: CodedData,
    max_distance: float = MAX_DISTANCE,
    *,
    n_groups: int | None = None,
    keep: Sequence[int] = (),
    n_jobs: int | None = None,
) -> ColumnGroups:
    """Group the columns of a table by complete linkage.

    Parameters
    ----------
    data : CodedData
        The table.
    max_distance : float
        The largest distance between two columns of a group.
    n_groups : int, optional
        The number of groups to form instead.
    keep : sequence of int
        Columns that represent their groups, each another one.
    n_jobs : int or None
        Threads.
    """
    relevance, distances = information_distances(data, n_jobs)
    for i, j in combinations(sorted(keep), 2):
        distances[data.n_features * i - i * (i + 1) // 2 + j - i - 1] = APART
    tree = linkage(distances, "complete") if data.n_features > 1 else np.empty((0, 4))
    numbers = np.ones(1, dtype=np.int64)
    if data.n_features > 1 and n_groups is not None:
        numbers = _cut(tree, n_groups)
    elif data.n_features > 1:
        numbers = fcluster(tree, max_distance, "distance").astype(np.int64)
    # A column to keep represents its group; else the most relevant one, then the lower column.
    asked = np.zeros(data.n_features)
    asked[list(keep)] = np.arange(len(keep), 0, -1)
    order = np.lexsort((-relevance, -asked))
    _, first = np.unique(numbers[order], return_index=True)
    kept = order[np.sort(first)]
    place = np.empty(int(numbers.max()) + 1, dtype=np.int64)
    place[numbers[kept]] = np.arange(len(kept))
    return ColumnGroups(data.feature_names, relevance, tree, kept, place[numbers])


def _cut(tree: Floats, n_groups: int) -> Integers:
    """Number the groups left before the last merges; ties are merged in the tree's order."""
    n = len(tree) + 1
    group = np.arange(2 * n - 1)
    for k in range(n - n_groups):
        group[tree[k, :2].astype(np.int64)] = n + k
    for j in range(2 * n - 2, -1, -1):
        group[j] = group[group[j]] if group[j] != j else j
    return np.unique(group[:n], return_inverse=True)[1].astype(np.int64)


def information_distances(data: CodedData, n_jobs: int | None = None) -> tuple[Floats, Floats]:
    """Return I(F; C) of every column, and the condensed distance matrix, as in scipy."""
    pairs = Pairs(data, n_jobs)
    relevance, entropy = pairs.relevance, pairs.entropy
    n, n_values = data.n_features, data.n_values.astype(np.float64)
    distances = np.empty(n * (n - 1) // 2)
    n_rows = data.n_rows if data.weights is None else int(data.weights.sum())
    end = 0
    for j in range(n - 1):
        others = np.arange(j + 1, n)
        found = pairs.information(j, others)
        joint, adds = found.joint, found.conditional
        # I(F; C | G) is counted; I(G; C | F) follows by the chain rule.
        lost = adds + np.maximum(joint - relevance[others], 0.0)
        freedom = (n_values[j] * n_values[others] - 1.0) * (data.n_classes - 1.0)
        chance = freedom + 2.0 * np.sqrt(freedom * DOUBT) + 2.0 * DOUBT
        is_informative = joint * (2.0 * n_rows * math.log(2.0)) > chance
        about = np.divide(lost, joint, out=np.zeros(len(others)), where=is_informative)
        widest = np.maximum(entropy[j], entropy[others])
        shared = np.divide(found.redundancy, widest, out=np.ones(len(others)), where=widest > 0)
        begin, end = end, end + len(others)
        distances[begin:end] = np.clip(np.where(is_informative, about, 1.0 - shared), 0.0, 1.0)
    return relevance, distances
