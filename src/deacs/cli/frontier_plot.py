"""Plot the frontier of units with one input and two outputs."""

from io import BytesIO
from typing import TYPE_CHECKING, Any

from deacs.exceptions import InputError
from deacs.report.races import corners, outline

if TYPE_CHECKING:
    from deacs.dea import DEAResult

__all__ = ["check_plot", "plot_frontier"]

MAX_NAMES = 30
"""The most efficient units labelled with their names."""


def check_plot(n_inputs: int, n_outputs: int) -> None:
    """Raise an error for a plot that cannot be drawn, before anything is computed."""
    if n_outputs != 2 or n_inputs > 1:
        raise InputError(
            f"--plot draws two outputs of one input (or a constant one), got {n_inputs} inputs and "
            f"{n_outputs} outputs; leave --plot out, or name two outputs"
        )
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InputError("--plot needs matplotlib; pip install 'deacs[report]'") from error


def plot_frontier(result: "DEAResult", kind: str) -> bytes:
    """Draw each unit's outputs per unit of input, and the frontier under constant returns.

    `kind` is "png", "svg" or "pdf".
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    points = result.table.outputs / result.table.inputs
    figure = Figure(figsize=(7, 6), layout="constrained")
    FigureCanvasAgg(figure)
    axes: Any = figure.subplots()
    top = points.max(axis=0)
    line = outline(points)
    axes.plot(line[:, 0], line[:, 1], color="tab:green", linewidth=1.5, label="frontier")
    efficient = result.status == "efficient"
    for chosen, colour, label in (
        (~efficient, "0.6", "others"),
        (efficient, "tab:green", "efficient"),
    ):
        axes.scatter(points[chosen, 0], points[chosen, 1], s=22, color=colour, label=label)
    for p in corners(points)[:MAX_NAMES].tolist():
        # A backslash keeps matplotlib from reading names as formulas.
        name = str(result.names[p]).replace("$", r"\$")
        axes.annotate(name, points[p], xytext=(4, 4), textcoords="offset points", fontsize=8)
    axes.set_xlim(0, top[0] * 1.08 or 1.0)
    axes.set_ylim(0, top[1] * 1.08 or 1.0)
    per = "" if result.table.input_names == ("constant",) else f" / {result.table.input_names[0]}"
    axes.set_xlabel(result.table.output_names[0] + per)
    axes.set_ylabel(result.table.output_names[1] + per)
    axes.set_title(f"{result.n_units} units by {result.model}")
    axes.legend(frameon=False, fontsize=8)
    picture = BytesIO()
    figure.savefig(picture, format=kind, dpi=150)
    return picture.getvalue()
