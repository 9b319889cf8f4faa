r"""One step in panels: the frontier, the frontier without each efficient feature, the plain sum.

The ray from the origin through a feature p leaves the frontier of the others at
:math:`p / \theta_p`: the further p lies beyond, the better it is. The last panel shows the feature
with the largest :math:`\sum_i R(F; c_i | S)`, the choice by the plain sum over classes.

The DEA-CS paper draws this for the 13th step on gisette, which has two classes. There
:math:`R(F; c_1 | S) = R(F; c_2 | S)`, and all candidates lie on the diagonal; divergences
(`label_score="divergence"`) differ between two classes, as the paper's figure does.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, Literal, Self

import numpy as np

from deacs.coding import CodedData
from deacs.exceptions import InputError, Parameter
from deacs.report._axes import ACCENT, FAINT, WARM, new_axes
from deacs.report.frontier import named_pair
from deacs.report.names import unformatted
from deacs.report.races import corners, lead, outline, telling_pair
from deacs.selection import CandidateTable
from deacs.selection.deacs import DEACS

__all__ = ["FrontierPanelsDisplay", "panels"]

LabelScore = Literal["one-vs-rest", "divergence"]

MOST_STEPS = 30
"""The number of steps searched for one to draw."""

COLUMNS, WIDTH, HEIGHT = 3, 3.6, 3.3
"""Panels in a row, and the size of each in inches."""


class FrontierPanelsDisplay:
    """The candidates of one step in two outputs, a panel for each efficient feature.

    Parameters
    ----------
    candidates : CandidateTable
        The candidates of a step and their bits for every class (`DEACS.candidates_`).
    winner : int
        The row of the selected feature.
    pair : two int
        The classes to draw.
    feature_names : sequence of length n_candidates
        The candidates' names.
    classes : sequence of length n_classes
        The classes' names.
    step : int, default=1
        The number of the step.
    what : str, default="bits about"
        The axis label before the name of the class.

    Attributes
    ----------
    efficient : ndarray of int
        The corners of the frontier, from left to right.
    scores : ndarray of float
        The super-efficiency of each, in the two classes.
    sum_pick : int
        The candidate with the largest sum over all classes.
    axes_ : ndarray of matplotlib Axes
        The frontier, then one for each of `efficient`, then the sum.
    figure_ : matplotlib Figure
        Their figure.
    frontiers_ : list of matplotlib Line2D
        The frontier of all in the first panel, then the new one in each of the next.
    removed_ : list of matplotlib PathCollection
        The feature removed from the frontier in each panel.
    summed_, winner_ : matplotlib PathCollection
        In the last panel: the choice of the sum, and the selected feature.

    Examples
    --------
    >>> from deacs import encode
    >>> from sklearn.datasets import load_wine
    >>> data = encode(*load_wine(return_X_y=True))
    >>> FrontierPanelsDisplay.from_data(data, step=2)  # doctest: +SKIP
    """

    def __init__(
        self,
        candidates: CandidateTable,
        winner: int,
        pair: Sequence[int],
        feature_names: Sequence[Any],
        classes: Sequence[Any],
        step: int = 1,
        what: str = "bits about",
    ) -> None:
        self.points = candidates.label_scores[:, list(pair)]
        self.winner = winner
        self.feature_names = list(feature_names)
        self.labels = [classes[i] for i in pair]
        self.n_classes = len(classes)
        self.step = step
        self.what = what
        self.efficient = corners(self.points)
        self.scores = np.array([lead(self.points, p) for p in self.efficient.tolist()])
        self.sum_pick = _largest_sum(candidates)

    @classmethod
    def from_data(
        cls,
        data: CodedData,
        step: int | None = None,
        *,
        label_score: LabelScore | None = None,
        labels: Sequence[Any] | None = None,
    ) -> Self:
        """Select features by DEA-CS and draw one step.

        Parameters
        ----------
        data : CodedData
            A table coded by `deacs.encode`.
        step : int, optional
            The step, from 1 to the number of features that DEA-CS selects; default: the first of
            at most thirty at which the plain sum picks another feature, or else the first.
        label_score : {"one-vs-rest", "divergence"}, optional
            The scores; default: divergence for two classes, as their one-vs-rest scores are equal.
        labels : two classes, optional
            The two outputs; default: the two in which the winner leads most.
        """
        is_pair = data.n_outputs == 2 and data.membership is None
        kind: LabelScore = label_score or ("divergence" if is_pair else "one-vs-rest")
        n_steps = min(MOST_STEPS if step is None else max(step, 1), data.n_features)
        selector = DEACS.published(n_steps, label_score=kind, store_candidates=True).fit(data)
        steps = [
            (table, int(np.searchsorted(table.features, feature)))
            for table, feature in zip(selector.candidates_, selector.ranking_, strict=True)
        ]
        if step is None:
            differ = (k for k, (table, won) in enumerate(steps, 1) if _largest_sum(table) != won)
            step = next(differ, 1)
        if step not in range(1, len(steps) + 1):
            raise InputError(
                Parameter("step"),
                f" must be between 1 and {len(steps)} (the number of features that DEA-CS "
                f"selects here), got {step!r}",
            )
        candidates, winner = steps[step - 1]
        pair = list(telling_pair(candidates.label_scores, winner))
        if labels is not None:
            pair = named_pair(labels, data.outputs)
        names = [data.feature_names[j] for j in candidates.features]
        what = "divergence (bits) of" if kind == "divergence" else "bits about"
        return cls(candidates, winner, pair, names, data.outputs.tolist(), step, what).plot()

    def plot(self) -> Self:
        """Draw all panels in a new figure."""
        self.figure_, self.axes_ = panels(len(self.efficient) + 2, share=True)
        first, *others, last = self.axes_
        for ax in self.axes_:
            ax.scatter(*self.points.T, s=9, color=FAINT, linewidth=0, alpha=0.7)
        self._draw_frontier(first)
        self.removed_: list[Any] = []
        for i, (ax, p, score) in enumerate(
            zip(others, self.efficient, self.scores, strict=True), 1
        ):
            self._draw_without(ax, _letter(i), int(p), float(score))
        self._draw_sum(last, _letter(len(others) + 1))
        right, top = self.points.max(axis=0, initial=0.0)
        first.set_xlim(0, right * 1.12 or 1.0)
        first.set_ylim(0, top * 1.12 or 1.0)
        first.locator_params(nbins=5)
        for ax in self.axes_:
            ax.spines[["top", "right"]].set_visible(False)
        self.figure_.supxlabel(f"{self.what} {unformatted(self.labels[0])}", fontsize=10)
        self.figure_.supylabel(f"{self.what} {unformatted(self.labels[1])}", fontsize=10)
        if self.n_classes > 2:
            note = f"Two of {self.n_classes} classes; θ here is in these two alone"
            self.figure_.suptitle(note, fontsize=9, color="0.4", x=0.01, ha="left")
        return self

    def _draw_frontier(self, ax: Any) -> None:
        ax.set_title(f"(a) step {self.step}: {len(self.points)} candidates", **TITLE)
        self.frontiers_ = ax.plot(*outline(self.points).T, color=ACCENT, linewidth=1.8)
        ax.scatter(*self.points[self.efficient].T, s=22, color=ACCENT, zorder=3)
        for i, p in enumerate(self.efficient, 1):
            place = {"xytext": (4, 4), "textcoords": "offset points"}
            ax.annotate(_letter(i), self.points[p], **place, fontsize=9)

    def _draw_without(self, ax: Any, letter: str, p: int, score: float) -> None:
        """Draw the frontier of the others and how far p lies beyond it."""
        others = np.delete(self.points, p, axis=0)
        ax.plot(*outline(self.points).T, color=ACCENT, linewidth=1, alpha=0.35)
        self.frontiers_ += ax.plot(*outline(others).T, color=WARM, linewidth=1.8)
        ax.plot(*np.vstack([[0, 0], self.points[p]]).T, color=ACCENT, linewidth=0.8, linestyle=":")
        if np.isfinite(score):
            ax.scatter(*(self.points[p] / score), s=18, color=WARM, zorder=3)
        self.removed_.append(ax.scatter(*self.points[p], s=30, color=ACCENT, zorder=4))
        theta = f"{score:.3f}" if np.isfinite(score) else "∞"
        selected = ", selected" if p == self.winner else ""
        ax.set_title(f"({letter}) without {self._name(p)}: θ = {theta}{selected}", **TITLE)

    def _draw_sum(self, ax: Any, letter: str) -> None:
        """Draw the choice of the sum over classes beside the selected feature."""
        ax.plot(*outline(self.points).T, color=ACCENT, linewidth=1, alpha=0.35)
        if self.n_classes == 2:
            total = self.points[self.sum_pick].sum()
            ax.plot([0, total], [total, 0], color=WARM, linewidth=1.2, linestyle="--")
        self.winner_ = ax.scatter(*self.points[self.winner], s=30, color=ACCENT, zorder=4)
        self.summed_ = ax.scatter(
            *self.points[self.sum_pick], s=90, facecolor="none", edgecolor=WARM, linewidth=1.8
        )
        too = "too" if self.sum_pick == self.winner else f"not {self._name(self.winner)}"
        ax.set_title(f"({letter}) plain sum: {self._name(self.sum_pick)}, {too}", **TITLE)

    def _name(self, row: int) -> str:
        return unformatted(self.feature_names[row], 16)


def _letter(i: int) -> str:
    return ascii_lowercase[i] if i < len(ascii_lowercase) else str(i + 1)


def _largest_sum(candidates: CandidateTable) -> int:
    return int(candidates.label_scores.sum(axis=1).argmax())


TITLE: dict[str, Any] = {"loc": "left", "fontsize": 9}


def panels(n: int, *, share: bool = False) -> tuple[Any, Any]:
    """Return a new figure and `n` axes in rows of three, with or without common limits."""
    n_columns = 2 if n == 4 else min(n, COLUMNS)
    n_rows = -(-n // n_columns)
    figure = new_axes(None, WIDTH * n_columns, HEIGHT * n_rows).figure
    figure.clear()
    axes = figure.subplots(n_rows, n_columns, squeeze=False, sharex=share, sharey=share).ravel()
    for i, ax in enumerate(axes[n:], n):
        ax.remove()
        axes[i - n_columns].tick_params(labelbottom=True)
    return figure, axes[:n]
