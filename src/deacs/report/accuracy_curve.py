"""Accuracy curves by number of features, with a band of one standard error over folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from deacs.exceptions import InputError
from deacs.report._axes import Display, style_of
from deacs.report.names import unformatted_apart

__all__ = ["AccuracyCurveDisplay"]


class AccuracyCurveDisplay(Display):
    """Accuracy curves with error bands.

    Parameters
    ----------
    n_features : array of shape (m,)
        Numbers of features.
    accuracies : mapping of name to array of shape (n_folds, m)
        The accuracy of each method by fold and number of features; NaN beyond the end of a fold's
        selection. Means and errors are of the folds that have the number.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.
    lines_ : list of matplotlib Line2D
        The means, one line for each method.
    bands_ : list of matplotlib PolyCollection
        Mean plus and minus the standard error; empty with one fold.

    Examples
    --------
    >>> from deacs.report import AccuracyCurveDisplay
    >>> display = AccuracyCurveDisplay([1, 2], {"DEACS": [[0.8, 0.9], [0.7, 0.9]]})
    >>> display.plot()  # doctest: +SKIP
    """

    def __init__(self, n_features: Sequence[int], accuracies: Mapping[str, Any]) -> None:
        self.n_features = np.asarray(n_features)
        self.accuracies = {
            name: np.atleast_2d(np.asarray(values, dtype=np.float64))
            for name, values in accuracies.items()
        }
        for name, values in self.accuracies.items():
            if values.shape[1] != len(self.n_features):
                raise InputError(
                    f"accuracies of {name!r} must have {len(self.n_features)} columns, one for "
                    f"each number of features, got shape {values.shape}"
                )

    def _draw(self, ax: Any) -> None:
        """Draw a line and a band for each method."""
        self.lines_, self.bands_ = [], []
        labels = unformatted_apart(list(self.accuracies), 24)
        for i, values in enumerate(self.accuracies.values()):
            style, label, n = style_of(i), labels[i], np.count_nonzero(~np.isnan(values), axis=0)
            with np.errstate(invalid="ignore", divide="ignore"):  # NaN where no fold is left
                mean = np.nansum(values, axis=0) / n
                error = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / (n - 1) / n)
            [line] = ax.plot(self.n_features, mean, marker=".", label=label, **style)
            self.lines_.append(line)
            if len(values) > 1:
                low, high = mean - error, mean + error
                band = ax.fill_between(
                    self.n_features, low, high, color=style["color"], alpha=0.2, linewidth=0
                )
                self.bands_.append(band)
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("number of features")
        ax.set_ylabel("accuracy")
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1))
