"""Write the figures of an experiment: accuracy curves, critical differences, frontiers.

As in the DEA-CS paper: the average accuracy of each method by number of features, for each data
set, and the frontier of one step in panels; also average ranks with Nemenyi's critical difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from deacs.coding import encode
from deacs.report.accuracy_curve import AccuracyCurveDisplay
from deacs.report.files import replace
from reproduction.critical_difference import CriticalDifferenceDisplay
from reproduction.curves import Comparison
from reproduction.datasets import Dataset
from reproduction.frontier_panels import FrontierPanelsDisplay, panels

__all__ = ["draw_curves", "draw_every_set", "write_figures"]

DPI = 120

LEAST_RANGE = 2.0
"""The least range of an axis in points of accuracy, so that equal curves lie in the middle."""


def draw_curves(comparison: Comparison, name: str, ax: Any = None) -> AccuracyCurveDisplay:
    """Draw the accuracy of each method on a data set by number of features, best points ringed."""
    curves = {
        method: comparison.curves[name, method]
        for method in comparison.methods
        if (name, method) in comparison.curves
    }
    longest = max(map(len, curves.values()))
    padded = {
        method: np.pad(curve, (0, longest - len(curve)), constant_values=np.nan)
        for method, curve in curves.items()
    }
    display = AccuracyCurveDisplay(range(1, longest + 1), padded).plot(ax=ax)
    for i, (method, line) in enumerate(zip(curves, display.lines_, strict=True)):
        line.set(linewidth=1.3, markersize=4, zorder=3 - i / 100)  # the first method lies on top
        m, accuracy = line.get_data()
        # A line continues across numbers of features that were not scored.
        line.set_data(m[~np.isnan(accuracy)], accuracy[~np.isnan(accuracy)])
        best = comparison.best(name, method)
        assert best is not None  # there is a curve
        ring = {"facecolor": "none", "edgecolor": line.get_color(), "zorder": 3}
        # The best point is rounded to two digits; its ring is drawn on the curve.
        display.ax_.scatter(best.n_features, curves[method][best.n_features - 1], s=60, **ring)
    low, high = display.ax_.get_ylim()
    room = max(0.0, LEAST_RANGE - (high - low)) / 2
    display.ax_.set_ylim(low - room, high + room)
    display.ax_.set_ylabel("average accuracy (%)")
    display.ax_.set_title(name, loc="left", fontsize=10)
    return display


def draw_every_set(comparison: Comparison) -> Any:
    """Draw the curves of every data set in a panel of its own, with one legend."""
    sets = _drawable(comparison)
    figure, axes = panels(len(sets))
    for name, ax in zip(sets, axes, strict=True):
        draw_curves(comparison, name, ax)
        ax.set(xlabel="", ylabel="")
        ax.get_legend().remove()
    # Every method is on some data set; one that failed on a data set is missing only there.
    handles = {line.get_label(): line for ax in axes for line in ax.get_lines()}
    figure.legend(
        handles=list(handles.values()),
        loc="outside upper left",
        ncols=min(len(handles), 3 * len({ax.get_position().x0 for ax in axes})),
        frameon=False,
        fontsize=9,
    )
    figure.supxlabel("number of features", fontsize=10)
    figure.supylabel("average accuracy (%)", fontsize=10)
    return figure


def write_figures(
    folder: str | Path,
    comparison: Comparison,
    datasets: Iterable[Dataset] = (),
    *,
    step: int | None = None,
    format: str = "png",
) -> list[Path]:
    """Write the figures of an experiment into a folder.

    Parameters
    ----------
    folder : path
        The folder, which is created if it does not exist.
    comparison : Comparison
        The result of `compare_results`. `curves-SET` is written for each data
        set, `curves` for all, and `critical-difference` if there is more than one.
    datasets : Dataset, optional
        Data sets for which `frontier-SET` is written: DEA-CS on all rows.
    step : int, optional
        The step whose frontier is drawn; default: the first at which the plain sum of scores
        would pick another feature.
    format : str, default="png"
        Any format that matplotlib writes: png, pdf, svg.

    Returns
    -------
    list of Path
        The files.
    """
    home = Path(folder)
    home.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []

    def write(figure: Any, stem: str) -> None:
        import matplotlib.pyplot as plt

        safe, picture = re.sub(r"[^\w.+-]+", "_", stem), BytesIO()
        while (path := home / f"{safe}.{format}") in written:
            safe += "_"
        figure.savefig(picture, format=format, dpi=DPI)
        plt.close(figure)
        replace(path, picture.getvalue())
        written.append(path)

    sets = _drawable(comparison)
    for name in sets:
        write(draw_curves(comparison, name).figure_, f"curves-{name}")
    if len(sets) > 1:
        write(draw_every_set(comparison), "curves")
    if len(comparison.complete_sets) > 1 and len(comparison.methods) > 1:
        display = CriticalDifferenceDisplay.from_comparison(comparison)
        write(display.figure_, "critical-difference")
    for dataset in datasets:
        data = encode(
            dataset.X,
            dataset.classes[dataset.labels],
            discrete_features=dataset.discrete,
            target="classes",
        )
        write(FrontierPanelsDisplay.from_data(data, step).figure_, f"frontier-{dataset.name}")
    return written


def _drawable(comparison: Comparison) -> list[str]:
    return list(dict.fromkeys(name for name, _ in comparison.curves))
