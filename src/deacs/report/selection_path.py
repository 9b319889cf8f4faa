"""The score of each feature at selection; infinite scores are drawn above the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from deacs.report._axes import ACCENT, WARM, Display, fitted, whole_ticks
from deacs.report.names import unformatted_apart

__all__ = ["SelectionPathDisplay"]


class SelectionPathDisplay(Display):
    """Scores by step.

    Parameters
    ----------
    scores : array of shape (n_selected,)
        The criterion's value at selection; inf allowed.
    feature_names : sequence of length n_selected
        The selected features, in order.
    score_name : str, default="score"
        The name of the scores.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    line_ : matplotlib Line2D
        The finite scores; NaN in place of infinite ones.
    infinite_ : matplotlib Line2D
        The steps whose score is infinite, at the top.

    Examples
    --------
    >>> from deacs.report import SelectionPathDisplay
    >>> SelectionPathDisplay([1.8, float("inf")], ["a", "b"]).plot()  # doctest: +SKIP
    """

    def __init__(
        self, scores: Any, feature_names: Sequence[Any], score_name: str = "score"
    ) -> None:
        self.scores = np.asarray(scores, dtype=np.float64)
        self.feature_names = list(feature_names)
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the scores of a fitted selector.

        Parameters
        ----------
        estimator : fitted selector
            Any selector of deacs.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        scores = fitted(estimator, "scores_", "use a selector of deacs")
        return cls(scores, estimator.selected_names_, estimator.result_.score_name).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        """Draw a point for each selected feature."""
        steps = np.arange(1, len(self.scores) + 1)
        finite = np.isfinite(self.scores)
        shown = np.where(finite, self.scores, np.nan)
        [self.line_] = ax.plot(steps, shown, color=ACCENT, marker="o", markersize=5)
        low, high = (shown[finite].min(), shown[finite].max()) if finite.any() else (0.0, 1.0)
        top = high + 0.15 * ((high - low) or abs(high) or 1.0)
        [self.infinite_] = ax.plot(
            steps[~finite],
            np.full((~finite).sum(), top),
            color=WARM,
            marker="^",
            linestyle="",
            markersize=8,
            label="infinite: no other candidate is informative about some class",
        )
        if len(steps) <= 16:
            names = unformatted_apart(self.feature_names, 18)
            ax.set_xticks(steps, names, rotation=35, ha="right", rotation_mode="anchor")
        else:
            ax.set_xticks(whole_ticks(len(steps)))
        if not finite.all():
            ax.legend(frameon=False, fontsize=8)
        ax.set_xlabel("selected feature, in order")
        ax.set_ylabel(self.score_name)
