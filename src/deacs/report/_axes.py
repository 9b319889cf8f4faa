"""Matplotlib axes and colours shared by all displays; the only module that imports matplotlib."""

from typing import Any, Self

import numpy as np

from deacs.exceptions import InputError

__all__ = [
    "ACCENT",
    "FAINT",
    "PALETTE",
    "WARM",
    "Display",
    "fitted",
    "new_axes",
    "style_of",
    "whole_ticks",
]

PALETTE = (
    *("#3b7dd8", "#d9822b", "#2a9d72", "#c2508f"),
    *("#8064c9", "#1f9fb5", "#b0892b", "#d1524f"),
)
"""Eight distinct colours, on white and on black, for most forms of colour blindness."""

ACCENT, WARM, FAINT = PALETTE[0], PALETTE[1], "0.65"

LINES = ("-", "--", ":", "-.")


def new_axes(ax: Any, width: float, height: float) -> Any:
    """Return the given axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise InputError(
            "displays need matplotlib, which is not installed; pip install 'deacs[report]'"
        ) from error
    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


class Display:
    """Base of displays with one pair of axes. Subclasses define `_draw`."""

    _hidden: tuple[str, ...] = ("top", "right")

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        ax = new_axes(ax, *self._size())
        self._draw(ax)
        for side in self._hidden:
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _size(self) -> tuple[float, float]:
        """Return the width and height of a new figure, in inches."""
        return 7.5, 4.8

    def _draw(self, ax: Any) -> None:
        raise NotImplementedError


def fitted(selector: Any, attribute: str, hint: str) -> Any:
    """Return a fitted attribute, or raise an error that says how to get it."""
    if not hasattr(selector, "ranking_"):
        raise InputError(
            f"the estimator must be a fitted selector, got {type(selector).__name__} without "
            "ranking_; call its fit(X, y) first"
        )
    if not hasattr(selector, attribute):
        raise InputError(
            f"the estimator must have {attribute}, which this {type(selector).__name__} has not; "
            f"{hint}"
        )
    return getattr(selector, attribute)


def style_of(i: int) -> dict[str, Any]:
    """Return the style of the i-th line: eight colours, then the same dashed."""
    n = len(PALETTE)
    return {"color": PALETTE[i % n], "linestyle": LINES[(i // n) % len(LINES)]}


def whole_ticks(n: int) -> Any:
    """Return at most 16 evenly spaced whole numbers from 0 to n."""
    return np.arange(0, n + 1, max(1, -(-n // 15)))
