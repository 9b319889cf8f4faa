"""Uncertainty of each class, H(C_i | S), after each selected feature, in bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from deacs.report._axes import FAINT, PALETTE, Display, fitted, style_of, whole_ticks
from deacs.report.names import unformatted_apart

__all__ = ["ResidualDisplay"]

MOST_NAMED = 2 * len(PALETTE)
"""The most classes with their own colour; the others are grey, and the legend counts them."""


class ResidualDisplay(Display):
    """Uncertainty of each class after each feature.

    Parameters
    ----------
    residual : array of shape (n_selected + 1, n_classes)
        H(C_i | S) in bits, before the first feature and after each.
    classes : sequence of length n_classes
        The classes' names.
    feature_names : sequence of length n_selected, optional
        The selected features, in order.
    noun : str, default="class"
        The name of what has a line: class, label or threshold.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    lines_ : list of matplotlib Line2D
        One for each class.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACS(n_features_to_select=3).fit(X, y)
    >>> display = ResidualDisplay.from_estimator(selector)  # doctest: +SKIP
    """

    def __init__(
        self,
        residual: Any,
        classes: Sequence[Any],
        feature_names: Sequence[Any] | None = None,
        noun: str = "class",
    ) -> None:
        self.residual = np.asarray(residual, dtype=np.float64)
        self.classes = list(classes)
        self.feature_names = None if feature_names is None else list(feature_names)
        self.noun = noun

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the uncertainty that a fitted DEACS leaves.

        Parameters
        ----------
        estimator : fitted DEACS
            Or any selector with `residual_`.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        residual = fitted(estimator, "residual_", "use DEACS")
        names, noun = estimator.selected_names_, estimator.result_.noun
        return cls(residual, estimator.classes_, names, noun).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        """Draw a line for each class."""
        n_steps, n_classes = self.residual.shape
        steps = np.arange(n_steps)
        # The least explained classes are named.
        order = np.argsort(-self.residual[-1], kind="stable")
        named = set(order[:MOST_NAMED].tolist())
        styles = {i: style_of(place) for place, i in enumerate(sorted(named))}
        grey = {"color": FAINT, "linestyle": "-", "linewidth": 0.8, "zorder": 1}
        names = unformatted_apart(self.classes, 24)
        self.lines_: list[Any] = []
        for i in range(n_classes):
            style = styles.get(i, grey)
            label = names[i] if i in named else "_other"
            [line] = ax.plot(steps, self.residual[:, i], marker=".", label=label, **style)
            self.lines_.append(line)
        ax.set_xticks(whole_ticks(n_steps - 1))
        if self.feature_names is not None and n_steps <= 16:
            selected = ["none", *unformatted_apart(self.feature_names, 18)]
            ax.set_xticks(steps, selected, rotation=35, ha="right", rotation_mode="anchor")
        ax.set_ylim(bottom=0)
        ax.set_xlabel("features selected so far")
        ax.set_ylabel("uncertainty left, H(C | S) in bits")
        others = n_classes - len(named)
        title = f"{self.noun} (grey: {others} more)" if others else self.noun
        ax.legend(title=title, frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
