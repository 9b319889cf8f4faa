"""Draw the idea of DEA-CS on the wine, for light and dark, wide and narrow pages.

Run by `python docs/images/idea.py`.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.colors import LinearSegmentedColormap
from sklearn.datasets import load_wine

from deacs import DEACS
from deacs.report.races import outline
from deacs.selection.judges import read_judge

HERE = Path(__file__).parent
GROWERS = ["grower 0", "grower 1", "grower 2"]
ACROSS, UP = 0, 2
"""The two growers on the axes of the frontier."""

NAMED = {
    "flavanoids": (0, 12, "center"),
    "proline": (7, 5, "left"),
    "od280/od315_of_diluted_wines": (-9, -6, "right"),
    "hue": (9, -5, "left"),
    "alcohol": (9, -4, "left"),
    "color_intensity": (9, -12, "left"),
}
"""Where names stand beside their points, in printer's points."""


@dataclass(frozen=True)
class Theme:
    """The colours of one background."""

    file: str
    page: str
    text: str
    soft: str
    faint: str
    winner: str
    hull: str


LIGHT = Theme("idea.png", "#ffffff", "#1f2328", "#59636e", "#9aa4af", "#1f6feb", "#d9822b")
DARK = Theme("idea-dark.png", "#0d1117", "#e6edf3", "#9da7b3", "#6a737d", "#58a6ff", "#e3a04f")

WIDE = {"width_ratios": (1.28, 1), "wspace": 0.44}
WIDE |= {"left": 0.07, "right": 0.985, "top": 0.775, "bottom": 0.125}
NARROW = {"hspace": 0.52, "left": 0.26, "right": 0.98, "top": 0.885, "bottom": 0.02}


def main():
    """Select three features of the wine, and draw all files."""
    bunch = load_wine(as_frame=True)
    selector = DEACS(n_features_to_select=3, store_candidates=True).fit(bunch.data, bunch.target)
    for theme in (LIGHT, DARK):
        draw(selector, theme, (8.8, 4.5), (1, 2), WIDE)
        draw(selector, theme, (4.7, 8.4), (2, 1), NARROW, "-narrow")


def draw(selector, theme, size, shape, layout, suffix=""):
    """Draw where features compete and, beside or below it, whom the selected ones serve."""
    settings = {
        **dict.fromkeys(["text.color", "axes.titlecolor"], theme.text),
        **dict.fromkeys(["axes.labelcolor", "xtick.color", "ytick.color"], theme.soft),
        "axes.edgecolor": theme.faint,
        "font.size": 9.5,
    }
    with plt.rc_context(settings):
        figure = plt.figure(figsize=size, facecolor=theme.page)
        grid = figure.add_gridspec(*shape, **layout)
        frontier, served = (figure.add_subplot(cell, facecolor="none") for cell in grid)
        draw_frontier(frontier, selector, theme)
        draw_served(served, selector, theme)
        title(frontier, "1  Features compete", "The winner lies farthest beyond the others", theme)
        title(served, "2  Which class each serves", "Bits it adds, given those above it", theme)
        file = HERE / theme.file.replace("idea", f"idea{suffix}")
        figure.savefig(file, dpi=200, facecolor=theme.page)
        plt.close(figure)


def draw_frontier(ax, selector, theme):
    """Draw the first step: candidates, the frontier of the others, and the winner beyond it."""
    step = selector.candidates_[0]
    points = step.label_scores[:, [ACROSS, UP]]
    names = np.asarray(selector.feature_names_in_)[step.features]
    winner = int(np.flatnonzero(step.features == selector.ranking_[0])[0])
    ratio = read_judge(selector.judge).weight_ratio
    edge = frontier_of(np.delete(points, winner, axis=0), ratio)
    ax.fill(*np.vstack([edge, [0, 0]]).T, color=theme.hull, alpha=0.13, linewidth=0)
    ax.plot(*edge.T, color=theme.hull, linewidth=1.8)
    ax.scatter(*np.delete(points, winner, axis=0).T, s=26, color=theme.faint, zorder=3)
    reached = points[winner] / lead(points[winner], edge)
    ax.annotate(
        "", points[winner], reached, zorder=4,
        arrowprops={"arrowstyle": "-|>", "color": theme.winner, "lw": 2, "shrinkB": 6},
    )  # fmt: skip
    ax.scatter(*points[winner], s=190, marker="*", color=theme.winner, zorder=5)
    for name, (right, up, side) in NAMED.items():
        at = points[list(names).index(name)]
        first = name == names[winner]
        style = {"weight": "bold", "color": theme.winner} if first else {"color": theme.soft}
        said = name.split("_of_")[0].replace("_", " ")
        ax.annotate(said, at, (right, up), textcoords="offset points", ha=side, fontsize=9, **style)
    ax.text(0.285, 0.15, "no better than\nthe other features", color=theme.hull, fontsize=9)
    ax.text(0.435, 0.505, "its lead", color=theme.winner, fontsize=9, style="italic")
    ax.set(xlim=(0, 0.85), ylim=(0, 0.84), xticks=np.arange(0, 0.9, 0.2))
    ax.set_yticks(np.arange(0.2, 0.9, 0.2))
    ax.set_xlabel(f"bits about {GROWERS[ACROSS]}")
    ax.set_ylabel(f"bits about {GROWERS[UP]}")
    ax.spines[["top", "right"]].set_visible(False)


def frontier_of(points, ratio):
    """Return the corners of what no weights that differ by this ratio prefer to all points."""
    right = [(points[:, 0] + points[:, 1] / ratio).max(), 0]
    top = [0, (points[:, 1] + points[:, 0] / ratio).max()]
    return outline(np.vstack([points, right, top]))


def lead(at, edge):
    """Return by what factor a point lies beyond a frontier, along its ray."""
    # A side through a and b is the line where the normal n has n.x = n.a.
    normals = [(np.array([b[1] - a[1], a[0] - b[0]]), a) for a, b in pairwise(edge)]
    return max((n @ at) / (n @ a) for n, a in normals if n @ a)


def draw_served(ax, selector, theme):
    """Draw feature by class in bits, and below it what is left of each class in rows not seen."""
    bits = selector.label_scores_
    shades = LinearSegmentedColormap.from_list("bits", [theme.page, theme.winner])
    ax.imshow(bits, cmap=shades, vmin=0, vmax=bits.max() * 1.15, aspect="auto")
    for (row, column), value in np.ndenumerate(bits):
        most = value == bits[row].max()
        strong = value > 0.9 * bits.max()
        ax.text(
            column, row, f"{value:.2f}", ha="center", va="center",
            weight="bold" if most else "normal",
            color=theme.page if strong else theme.text,
        )  # fmt: skip
    left = selector.unexplained_[-1]
    row = {"y": len(bits) + 0.02, "va": "center", "color": theme.hull}
    for column, share in enumerate(left):
        ax.text(column, s=f"{share:.0%}", ha="center", weight="bold", **row)
    ax.text(-0.56, s="unexplained", ha="right", **row)
    ax.set_xticks(range(len(GROWERS)), GROWERS)
    ax.set_yticks(range(len(bits)), [n.replace("_", "\n") for n in selector.selected_names_])
    ax.tick_params(length=0, labelcolor=theme.text, top=False, labeltop=True, labelbottom=False)
    ax.set_ylim(len(bits) + 0.32, -0.5)
    ax.spines[:].set_visible(False)


def title(ax, head, line, theme):
    """Write a heading and a line under it, above the axes and their labels."""
    grid = ax.get_subplotspec().get_gridspec()
    left = -35 if grid.ncols == 2 and ax.get_subplotspec().is_first_col() else -84
    place = {"xy": (0, 1), "xycoords": "axes fraction", "textcoords": "offset points"}
    ax.annotate(head, xytext=(left, 50), fontsize=14, weight="bold", color=theme.text, **place)
    ax.annotate(line, xytext=(left, 31), fontsize=10, color=theme.soft, **place)


if __name__ == "__main__":
    main()
