r"""The DEA frontier of one step, drawn for two classes.

Every candidate of a step is a point :math:`(R(F; c_a | S), R(F; c_b | S))`. The frontier is the
convex hull of all candidates and the points they dominate; the frontier without the winner shows by
how much the winner leads. Super-efficiency is measured over all classes, so for some pairs of
classes the winner lies inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.report._axes import ACCENT, FAINT, WARM, Display, fitted
from deacs.report.names import unformatted_apart
from deacs.report.races import outline, runner_up, telling_pair

__all__ = ["FrontierDisplay", "named_pair"]


class FrontierDisplay(Display):
    """The candidates of one step in two outputs.

    Parameters
    ----------
    points : array of shape (n_candidates, 2)
        Bits about two classes.
    winner : int
        The row of the selected feature.
    runner_up : int or None
        The row of the feature that would have been selected otherwise.
    feature_names : sequence of length n_candidates
        The candidates' names.
    labels : two names
        The two classes.
    step : int, optional
        The number of the step, from 1.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    candidates_ : matplotlib PathCollection
        All candidates.
    frontier_, frontier_without_winner_ : matplotlib Line2D
        The two frontiers.
    winner_, runner_up_ : matplotlib PathCollection
        The two points; `runner_up_` is None if there is none.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACS(n_features_to_select=3, store_candidates=True).fit(X, y)
    >>> FrontierDisplay.from_estimator(selector, step=2)  # doctest: +SKIP
    """

    def __init__(
        self,
        points: Any,
        winner: int,
        runner_up: int | None,
        feature_names: Sequence[Any],
        labels: Sequence[Any],
        step: int | None = None,
    ) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.winner = winner
        self.runner_up = runner_up
        self.feature_names = list(feature_names)
        self.labels = list(labels)
        self.step = step

    @classmethod
    def from_estimator(
        cls, estimator: Any, step: int = 1, labels: Sequence[Any] | None = None, *, ax: Any = None
    ) -> Self:
        """Draw one step of a fitted DEACS.

        Parameters
        ----------
        estimator : DEACS fitted with `store_candidates=True`
            The selector.
        step : int, default=1
            The step, from 1 to the number selected.
        labels : two classes, optional
            The two outputs; default: the two in which the winner leads most.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        hint = "fit DEACS(store_candidates=True)"
        tables = fitted(estimator, "candidates_", hint)
        if step not in range(1, len(tables) + 1):
            raise InputError(
                f"step must be between 1 and {len(tables)} (the number of steps), got {step!r}"
            )
        table = tables[step - 1]
        groups = getattr(estimator, "groups_", None)
        selected = estimator.ranking_[step - 1] if groups is None else groups[step - 1][0]
        winner = int(np.flatnonzero(table.features == selected)[0])
        pair = list(telling_pair(table.label_scores, winner))
        if labels is not None:
            pair = named_pair(labels, estimator.classes_)
        return cls(
            table.label_scores[:, pair],
            winner,
            runner_up(table.label_scores, winner),
            _names(estimator, table.features),
            [estimator.classes_[i] for i in pair],
            step,
        ).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        """Draw candidates, both frontiers, the winner and the runner-up."""
        points = self.points
        n = len(points)
        self.candidates_ = ax.scatter(*points.T, s=14, color=FAINT, label=f"{n} candidates")
        without = outline(np.delete(points, self.winner, axis=0))
        [self.frontier_] = ax.plot(
            *outline(points).T, color=ACCENT, label="frontier", linewidth=2.5, alpha=0.6
        )
        [self.frontier_without_winner_] = ax.plot(
            *without.T, color=WARM, linestyle="--", label="frontier without the winner"
        )
        rows = [row for row in (self.winner, self.runner_up) if row is not None]
        names = unformatted_apart([self.feature_names[row] for row in rows], 24)
        marks = (
            (ACCENT, "*", 130, f"winner: {names[0]}"),
            (WARM, "D", 40, f"runner-up: {names[-1]}"),
        )
        self.winner_, self.runner_up_ = self._mark(ax, self.winner, *marks[0]), None
        if self.runner_up is not None:
            self.runner_up_ = self._mark(ax, self.runner_up, *marks[1])
        right, top = points.max(axis=0, initial=0.0)
        ax.set_xlim(0, right * 1.1 or 1.0)
        ax.set_ylim(0, top * 1.1 or 1.0)
        across, up = unformatted_apart(self.labels, 28)
        ax.set_xlabel(f"bits about {across}")
        ax.set_ylabel(f"bits about {up}")
        if self.step is not None:
            ax.set_title(f"Step {self.step}", loc="left")
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))

    def _mark(self, ax: Any, row: int, colour: str, marker: str, size: int, label: str) -> Any:
        where = self.points[row]
        return ax.scatter(*where, s=size, color=colour, marker=marker, zorder=3, label=label)


def _names(estimator: Any, features: NDArray[np.int64]) -> list[str]:
    """Return the candidates' names; a group is named by its first column and how many more."""
    source = estimator.result_.source
    names = [source.names[j] for j in features]
    if source.grouping is None:
        return names
    more = {columns[0]: len(columns) - 1 for columns in source.grouping.members}
    pairs = zip(names, features.tolist(), strict=True)
    return [f"{name} and {more[j]} more" if more[j] else name for name, j in pairs]


def named_pair(labels: Sequence[Any], classes: Sequence[Any] | NDArray[Any]) -> list[int]:
    """Return the indices of two classes given by name."""
    known = [str(label) for label in classes]
    named = [labels] if isinstance(labels, str) else list(labels)
    if len(named) != 2 or not {str(label) for label in named} <= set(known):
        shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
        raise InputError(f"labels must be two of the classes {shown}; got {labels!r}")
    return [known.index(str(label)) for label in named]
