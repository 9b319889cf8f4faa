r"""Critical difference diagram: average ranks on a line, bars join methods that do not differ.

Methods :math:`a` and :math:`b` differ when :math:`|R_a - R_b| \ge CD`, with :math:`R` the average
ranks and :math:`CD` Nemenyi's critical difference (:mod:`reproduction.statistics`). A bar is a
longest run of methods of which no two differ.

J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of Machine
Learning Research 7 (2006) 1-30, figure 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.report._axes import ACCENT, WARM, new_axes
from deacs.report.names import unformatted
from reproduction.curves import Comparison
from reproduction.statistics import average_ranks, nemenyi_distance

__all__ = ["CriticalDifferenceDisplay"]

NAME, ROW, LETTER = 26, 0.27, 0.078
"""Longest name in characters; height of a row and width of a letter in inches."""

ABOVE = 2.6
"""Rows above the line of ranks, for its numbers and the critical difference."""


class CriticalDifferenceDisplay:
    """Average ranks of methods, and which of them differ.

    Parameters
    ----------
    names : sequence of length k
        The methods.
    ranks : array of shape (k,)
        Their average ranks; 1 is the best.
    distance : float
        The critical difference of ranks.

    Attributes
    ----------
    groups : list of lists of int
        The methods that each bar joins, best first.
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    lines_ : list of matplotlib Line2D
        From the rank of each method to its name.
    texts_ : list of matplotlib Text
        Name and rank of each method.
    bars_ : list of matplotlib Line2D
        One for each of `groups`.
    distance_ : matplotlib Line2D
        The critical difference, on the scale of the ranks.

    Examples
    --------
    >>> from reproduction.critical_difference import CriticalDifferenceDisplay
    >>> display = CriticalDifferenceDisplay(["JMI", "CMIM", "MIM"], [1.9, 1.2, 2.9], distance=1.2)
    >>> display.groups
    [[1, 0], [0, 2]]
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(self, names: Sequence[Any], ranks: Any, distance: float) -> None:
        self.names = list(names)
        self.ranks = np.asarray(ranks, dtype=np.float64)
        self.distance = float(distance)
        k = len(self.names)
        if k < 2 or self.ranks.shape != (k,):
            raise InputError(
                f"names and ranks must be of two or more methods, one rank for each, got {k} names "
                f"and ranks of shape {self.ranks.shape}"
            )
        if not ((self.ranks >= 1) & (self.ranks <= k)).all():
            raise InputError(
                f"ranks must be between 1 and {k} (the number of methods), got "
                f"{self.ranks.tolist()}; reproduction.statistics.average_ranks gives them"
            )
        if not 0 < self.distance < np.inf:
            raise InputError(
                f"distance must be a positive number, got {distance}; "
                "reproduction.statistics.nemenyi_distance gives it"
            )
        self.groups = _groups(self.ranks, self.distance)

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, ax: Any = None, *, alpha: float = 0.05
    ) -> Self:
        """Draw the average ranks of methods in an experiment, by best accuracy.

        Parameters
        ----------
        comparison : Comparison
            The result of `compare_results`; only data sets on which every method
            has a curve count.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        alpha : float
            The level of the test.
        """
        n_methods, n_sets = len(comparison.methods), len(comparison.complete_sets)
        if n_methods < 2 or n_sets < 1:
            raise InputError(
                "comparison must have two or more methods and a set on which all of them have a "
                f"curve, got {n_methods} methods and {n_sets} such sets; finish the run, or give "
                "compare_results fewer methods"
            )
        distance = nemenyi_distance(n_methods, n_sets, alpha)
        ranks = average_ranks(comparison.accuracies())
        return cls.from_ranks(comparison.methods, ranks, distance, ax)

    @classmethod
    def from_ranks(cls, names: Sequence[Any], ranks: Any, distance: float, ax: Any = None) -> Self:
        """Draw given average ranks; see the class for the parameters."""
        return cls(names, ranks, distance).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the line of ranks, the methods on its two sides, and the bars.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        k = len(self.names)
        order = np.argsort(self.ranks, kind="stable")
        better, worse = order[: (k + 1) // 2], order[(k + 1) // 2 :][::-1]
        levels = _levels([(self.ranks[group[0]], self.ranks[group[-1]]) for group in self.groups])
        first = 1.2 + 0.5 * (max(levels, default=-1) + 1)
        left, right = self._room(better), self._room(worse)
        ax = new_axes(ax, max(7.5, left + right + 4.5), ROW * (ABOVE + first + len(better)))
        ax.set_ylim(-first - len(better), ABOVE)
        self._draw_scale(ax, left, right)
        self.lines_, self.texts_ = [None] * k, [None] * k
        self._draw_methods(ax, better, 1, -1, first)
        self._draw_methods(ax, worse, k, 1, first)
        self.bars_ = []
        for group, level in zip(self.groups, levels, strict=True):
            ends = self.ranks[group[0]], self.ranks[group[-1]]
            bar = {"linewidth": 4, "solid_capstyle": "round", "color": ACCENT, "zorder": 3}
            self.bars_ += ax.plot(ends, [-0.7 - 0.5 * level] * 2, **bar)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _room(self, methods: NDArray[np.intp]) -> float:
        """Return the approximate width of these methods' names, in inches."""
        return LETTER * (8 + max(len(unformatted(self.names[m], NAME)) for m in methods))

    def _draw_scale(self, ax: Any, left: float, right: float) -> None:
        """Draw the line of ranks and, above it, the distance; leave room for names beside it."""
        k = len(self.names)
        width = ax.get_window_extent().width / ax.figure.dpi
        inch = (k - 1) / max(width - left - right, width / 4)
        ax.set_xlim(1 - left * inch, k + right * inch)
        ax.spines[["left", "right", "bottom"]].set_visible(False)
        ax.spines["top"].set_position(("data", 0))
        ax.spines["top"].set_bounds(1, k)
        ax.xaxis.tick_top()
        ax.tick_params(labelsize=9)
        ax.set_xticks(range(1, k + 1, 1 + k // 16))
        ax.set_yticks([])
        end = min(1 + self.distance, k)
        [self.distance_] = ax.plot([1, end], [1.7, 1.7], color=WARM, marker="|", linewidth=1.5)
        said = "" if self.distance <= k - 1 else ", more than ranks can differ"
        text: dict[str, Any] = {"fontsize": 8, "va": "center"}
        ax.text(1, 2.3, f"critical distance {self.distance:.2f}{said}", color=WARM, **text)
        text |= {"ha": "right", "color": "0.5"}
        ax.text(ax.get_xlim()[1], 0.75, "average rank\n(1 is best)", **text)

    def _draw_methods(
        self, ax: Any, methods: NDArray[np.intp], end: int, side: int, first: float
    ) -> None:
        """Draw methods from top to bottom, with their names beside this end of the line."""
        left, right = ax.get_xlim()
        gap = side * (right - left) / 100
        for row, method in enumerate(methods, 1):
            rank, y = self.ranks[method], 1 - first - row
            xs, ys = [rank, rank, end + 2 * gap], [0, y, y]
            [self.lines_[method]] = ax.plot(xs, ys, color="0.5", linewidth=1)
            name = unformatted(self.names[method], NAME)
            said = f"{name}  {rank:.2f}" if side < 0 else f"{rank:.2f}  {name}"
            place = {"ha": "right" if side < 0 else "left", "va": "center", "fontsize": 9}
            self.texts_[method] = ax.text(end + 3 * gap, y, said, **place)


def _groups(ranks: NDArray[np.float64], distance: float) -> list[list[int]]:
    """Return the longest runs, of two or more methods, that differ by less than the distance."""
    order = np.argsort(ranks, kind="stable")
    sorted_ranks = ranks[order]
    ends = [int(np.sum(sorted_ranks - rank < distance)) for rank in sorted_ranks]
    starts = range(len(order))
    return [
        order[start:end].tolist()
        for start, end in zip(starts, ends, strict=True)
        if end - start > 1 and (start == 0 or end > ends[start - 1])
    ]


def _levels(spans: Sequence[tuple[float, float]]) -> list[int]:
    """Return the first level for each bar, left to right, at which it touches no other."""
    reached: list[float] = []
    levels = []
    for low, high in spans:
        free = (level for level, end in enumerate(reached) if end < low - 0.05)
        level = next(free, len(reached))
        reached[level : level + 1] = [high]
        levels.append(level)
    return levels
