"""Dendrogram of redundancy groups: which columns merge, and at what distance."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.report._axes import FAINT, PALETTE, Display, fitted
from deacs.report.names import unformatted_apart
from deacs.selection import ColumnGroups

__all__ = ["RedundancyGroupsDisplay"]

MOST_DRAWN = 60
"""The most columns drawn; of more, those in groups of two or more."""


class RedundancyGroupsDisplay(Display):
    """Dendrogram of complete linkage, with a colour for each group of two or more columns.

    Parameters
    ----------
    groups : ColumnGroups
        `column_groups_` of a fitted `RedundancyGroups`.
    max_distance : float, optional
        Where the tree was cut; marked by a line.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.

    Examples
    --------
    >>> from deacs import RedundancyGroups
    >>> groups = RedundancyGroups().fit(X, y)  # doctest: +SKIP
    >>> RedundancyGroupsDisplay.from_selector(groups)  # doctest: +SKIP
    """

    _hidden = ("top", "left", "right")

    def __init__(self, groups: ColumnGroups, max_distance: float | None = None) -> None:
        self.groups = groups
        self.max_distance = max_distance

    @classmethod
    def from_selector(cls, selector: Any, *, ax: Any = None) -> Self:
        """Draw the groups of a fitted `RedundancyGroups`.

        Parameters
        ----------
        selector : fitted RedundancyGroups
            The selector.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        groups = fitted(selector, "column_groups_", "use RedundancyGroups")
        is_cut = selector.n_features_to_select is None
        return cls(groups, selector.max_distance if is_cut else None).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return 7.5, 1.2 + 0.22 * max(len(self._drawn()), 4)

    def _draw(self, ax: Any) -> None:
        """Draw the tree, columns from top to bottom."""
        from scipy.cluster.hierarchy import dendrogram

        leaves = self._drawn()
        tree = _pruned(self.groups.tree, leaves)
        if len(leaves) > 1:
            labels = self.groups.labels[leaves]
            dendrogram(
                tree,
                orientation="left",
                labels=unformatted_apart([self.groups.names[j] for j in leaves], 30),
                link_color_func=lambda node: _colour(tree, node, labels),
                ax=ax,
                leaf_font_size=8,
            )
        n_left_out = len(self.groups.names) - len(leaves)
        if n_left_out:
            ax.set_title(f"{n_left_out:,} more columns are not drawn", fontsize=9, loc="left")
        if self.max_distance is not None:
            ax.axvline(self.max_distance, color=FAINT, linestyle=":", linewidth=1)
        ax.set_xlim(1.02, 0.0)
        ax.set_xlabel("distance: 0, neither adds to the other; 1, nothing in common")

    def _drawn(self) -> list[int]:
        """Return the columns to draw: all, or those in groups, the largest groups first."""
        labels = self.groups.labels
        if len(labels) <= MOST_DRAWN:
            return list(range(len(labels)))
        sizes = np.bincount(labels)
        order = np.lexsort((labels, -sizes[labels]))[:MOST_DRAWN]
        return sorted(j for j in order.tolist() if sizes[labels[j]] > 1)


def _pruned(tree: NDArray[np.float64], leaves: list[int]) -> NDArray[np.float64]:
    """Return the tree restricted to some leaves, renumbered."""
    n = len(tree) + 1
    number = {leaf: place for place, leaf in enumerate(leaves)}
    sizes = dict.fromkeys(range(len(leaves)), 1)
    joins: list[list[float]] = []
    for k, (one, other, distance, _) in enumerate(tree.tolist()):
        parts = [number[int(node)] for node in (one, other) if int(node) in number]
        if len(parts) == 2:
            new = len(leaves) + len(joins)
            sizes[new] = sizes[parts[0]] + sizes[parts[1]]
            joins.append([*parts, distance, sizes[new]])
            number[n + k] = new
        elif parts:
            number[n + k] = parts[0]
    return np.array(joins, dtype=np.float64).reshape(-1, 4)


def _colour(tree: NDArray[np.float64], node: int, labels: NDArray[np.int64]) -> str:
    """Return the colour of a merge: that of its group, or grey above the groups."""
    n, waiting, inside = len(labels), [node], set()
    while waiting:
        one = waiting.pop()
        if one < n:
            inside.add(int(labels[one]))
        else:
            waiting += [int(child) for child in tree[one - n, :2]]
    return PALETTE[inside.pop() % len(PALETTE)] if len(inside) == 1 else FAINT
