r"""The candidates of each step, and the frontier that they form in two outputs.

The corners of a frontier are those of the convex hull of all points and the points they dominate,
:math:`\{y : y \le \sum_j \lambda_j y_j, \; \sum_j \lambda_j \le 1, \; \lambda \ge 0\}`.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.counts import Conditioning, ScoreKind
from deacs.dea import best_unit
from deacs.selection.result import MOST_SHOWN, Result

__all__ = [
    "Race",
    "corners",
    "counted_races",
    "lead",
    "leader",
    "outline",
    "races",
    "runner_up",
    "telling_pair",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Race:
    """One step: the candidates, their bits about each class, and the winner.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The candidates, by column.
    label_scores : ndarray of shape (n, n_classes)
        Their label scores in bits.
    winner : int
        The row of the selected feature.
    """

    features: NDArray[np.int64]
    label_scores: Floats
    winner: int

    @cached_property
    def runner_up(self) -> int | None:
        """The row ranked first by super-efficiency without the winner; None if none has a score."""
        return runner_up(self.label_scores, self.winner)

    @cached_property
    def leader(self) -> int | None:
        """The row ranked first by super-efficiency; None if none has a score."""
        return leader(self.label_scores)


def races(result: Result) -> tuple[Race, ...]:
    """Return the first steps of a selection.

    They come from the fit if it stored them (`store_candidates=True`, as the command line does for
    a report). Otherwise R(F; c_i | S) is counted here, given the joint value of S.
    """
    if not result.candidates:
        return counted_races(result.data.rows_here, result.ranking, result.label_score)
    steps = zip(result.candidates[:MOST_SHOWN], result.ranking.tolist(), strict=False)
    return tuple(
        Race(table.features, table.label_scores, int(np.searchsorted(table.features, feature)))
        for table, feature in steps
    )


def counted_races(
    data: CodedData, ranking: NDArray[np.int64], label_score: ScoreKind
) -> tuple[Race, ...]:
    """Count the label scores of all candidates of the first steps."""
    candidates, races = np.arange(data.n_features), []
    first = ranking[:MOST_SHOWN].tolist()
    conditioning = Conditioning.of(data)
    for feature in first:
        winner = int(np.searchsorted(candidates, feature))
        bits = conditioning.scores(data.blocks, candidates, label_score)
        races.append(Race(candidates, bits, winner))
        candidates = np.delete(candidates, winner)
        conditioning.add(data.column(feature), int(data.n_values[feature]), data.ignored(feature))
    return tuple(races)


def runner_up(label_scores: Floats, winner: int) -> int | None:
    """Return the row ranked first by super-efficiency without the winner, if any has a score."""
    others = np.delete(np.arange(len(label_scores)), winner)
    first = leader(label_scores[others])
    return None if first is None else int(others[first])


def leader(label_scores: Floats) -> int | None:
    """Return the row ranked first by super-efficiency, if any has a score."""
    informative = np.flatnonzero(label_scores.any(axis=1))
    if not len(informative):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few candidates for many classes: noted elsewhere
        return int(informative[best_unit(label_scores[informative]).unit])


def corners(points: Floats) -> NDArray[np.intp]:
    """Return the rows of the corners of `points` (n, 2), left to right; none if all are zero."""
    if not points.any():
        return np.empty(0, dtype=np.intp)
    outer = np.flatnonzero(_is_outside(points))
    order = outer[np.lexsort((-points[outer, 1], -points[outer, 0]))]
    # From right to left, only a new maximum can be a corner.
    height = np.concatenate(([-1.0], np.maximum.accumulate(points[order, 1])))
    rising = order[points[order, 1] > height[:-1]]
    chain: list[int] = []
    for p in rising.tolist():
        while len(chain) > 1 and _is_inside(points[chain[-2]], points[chain[-1]], points[p]):
            chain.pop()
        chain.append(p)
    return np.array(chain[::-1], dtype=np.intp)


def outline(points: Floats) -> Floats:
    """Return the frontier as a line from one axis to the other, shape (n_corners + 2, 2)."""
    hull = points[corners(points)]
    if not len(hull):
        return np.zeros((1, 2))
    return np.vstack([[0.0, hull[0, 1]], hull, [hull[-1, 0], 0.0]])


def lead(points: Floats, winner: int) -> float:
    r"""Return the super-efficiency of one row among the others, in these two outputs.

    :math:`\max u \cdot y_p` with :math:`u \cdot y_j \le 1` for the others: the best u is the normal
    of an edge of their frontier.
    """
    edges = outline(np.delete(points, winner, axis=0))
    right, top = edges.max(axis=0)
    if (right == 0 < points[winner, 0]) or (top == 0 < points[winner, 1]):
        return float("inf")
    across, down = np.abs(np.diff(edges, axis=0)).T
    # Also the axes: if all others have only one output, the frontier has no sloping edge.
    normals = np.vstack([np.eye(2), np.column_stack([down, across])])
    reach = np.concatenate([[right, top], (normals[2:] * edges[:-1]).sum(axis=1)])
    kept = reach > 0
    return float((normals[kept] @ points[winner] / reach[kept]).max(initial=0.0))


def telling_pair(label_scores: Floats, winner: int) -> tuple[int, int]:
    """Return the two outputs in which the winner leads most; among ties, those that differ most."""
    n_outputs = label_scores.shape[1]
    best, pair = (-1.0, -1.0), (0, min(1, n_outputs - 1))
    for a, b in combinations(range(n_outputs), 2):
        gap = float(np.abs(label_scores[:, a] - label_scores[:, b]).sum())
        rank = round(lead(label_scores[:, [a, b]], winner), 9), gap
        if rank > best:
            best, pair = rank, (a, b)
    return pair


def _is_outside(points: Floats) -> NDArray[np.bool_]:
    """Whether points lie on or beyond the line from the rightmost to the highest one."""
    x, y = points.T
    right, top = float(x.max()), float(y.max())
    low, back = float(y[x == right].max()), float(x[y == top].max())
    reach: NDArray[np.bool_] = (x - back) * (top - low) + (y - top) * (right - back) >= -1e-12
    return reach


def _is_inside(right: Floats, middle: Floats, left: Floats) -> bool:
    """Whether the middle point lies on or below the line from the right to the left one."""
    across, up = middle - right
    return bool(across * (left[1] - right[1]) - up * (left[0] - right[0]) <= 0)
