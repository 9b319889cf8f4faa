"""Heat map of label scores, R(F; c_i | S) in bits, feature by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from deacs.exceptions import InputError
from deacs.report._axes import Display, fitted
from deacs.report.names import unformatted_apart

__all__ = ["LabelScoresDisplay"]

MOST_NUMBERS = 150
"""The largest number of cells with numbers in them."""


LUMINANCE_OF_EQUAL = 0.179
"""The luminance at which black and white have equal contrast: (1.05 x 0.05) ** 0.5 - 0.05."""


class LabelScoresDisplay(Display):
    """Heat map of label scores, feature by class, in bits.

    Parameters
    ----------
    label_scores : array of shape (n_selected, n_classes)
        R(F; c_i | S) at selection, in bits.
    feature_names, classes : sequences
        The names of rows and columns.
    noun : str, default="class"
        The name of a column: class, label or threshold.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    image_ : matplotlib AxesImage
        The cells.
    texts_ : list of matplotlib Text
        Their numbers, row by row; empty if there are too many to read.

    Examples
    --------
    >>> from deacs.report import LabelScoresDisplay
    >>> display = LabelScoresDisplay([[0.9, 0.1]], ["size"], ["a", "b"])
    >>> display.plot()  # doctest: +SKIP
    """

    _hidden = ()

    def __init__(
        self,
        label_scores: Any,
        feature_names: Sequence[Any],
        classes: Sequence[Any],
        noun: str = "class",
    ) -> None:
        self.label_scores = np.asarray(label_scores, dtype=np.float64)
        self.feature_names = list(feature_names)
        self.classes = list(classes)
        self.noun = noun
        if self.label_scores.shape != (len(self.feature_names), len(self.classes)):
            raise InputError(
                f"label_scores must have one row for each of the {len(self.feature_names)} "
                f"features and one column for each of the {len(self.classes)} classes, got shape "
                f"{self.label_scores.shape}"
            )

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the label scores of each selected feature.

        Parameters
        ----------
        estimator : fitted DEACS
            Or any selector with `label_scores_`.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        bits = fitted(estimator, "label_scores_", "use DEACS")
        noun = estimator.result_.noun
        return cls(bits, estimator.selected_names_, estimator.classes_, noun).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        n_rows, n_columns = self.label_scores.shape
        return min(4 + 0.5 * n_columns, 14), min(2 + 0.32 * n_rows, 20)

    def _draw(self, ax: Any) -> None:
        """Draw the cells."""
        n_rows, n_columns = self.label_scores.shape
        top = self.label_scores.max(initial=0.0) or 1.0
        self.image_ = ax.imshow(self.label_scores, cmap="Blues", vmin=0, vmax=top, aspect="auto")
        self.texts_ = []
        if self.label_scores.size <= MOST_NUMBERS:
            for (row, column), bits in np.ndenumerate(self.label_scores):
                colour = _readable(self.image_.to_rgba(bits)[:3])
                text = ax.text(column, row, f"{bits:.2f}", color=colour, ha="center", va="center")
                text.set_fontsize(8)
                self.texts_.append(text)
        classes, features = (
            unformatted_apart(names, longest)
            for names, longest in ((self.classes, 18), (self.feature_names, 28))
        )
        names = [f"{rank}. {name}" for rank, name in enumerate(features, 1)]
        turned = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(n_columns), classes, **(turned if n_columns > 4 else {}))
        every = max(1, n_rows // 60)
        ax.set_yticks(range(0, n_rows, every), names[::every])
        ax.set_xlabel(self.noun)
        ax.figure.colorbar(self.image_, ax=ax, label="bits given what came before", pad=0.02)


def _readable(ground: Sequence[float]) -> str:
    """Return black or white, whichever has more contrast (WCAG 2) on a colour."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in ground)
    return "black" if 0.2126 * r + 0.7152 * g + 0.0722 * b > LUMINANCE_OF_EQUAL else "white"
