r"""Directions: which values of a feature speak for an output (a class, a label, a threshold).

For an ordered feature the area under the ROC curve,

.. math:: A = P(x > x') + \tfrac12 P(x = x'), \qquad x \text{ of a row with the output}, \;
          x' \text{ of one without},

says whether high or low values do. If one range of values, or both ends of the range, say clearly
more than any threshold, that is the direction; monotone relations never do, as of all splits of the
values in two a threshold is then the most informative one. For categories it is those that are more
frequent with the output than without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, FeatureCoding
from deacs.coding.order import codes_ascend
from deacs.information import joint_codes

__all__ = ["Direction", "Shape", "area_under_curve", "directions"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Shape = Literal["high", "low", "between", "both ends", "values", "none"]

SYMBOLS: dict[Shape, str] = {
    "high": "↑",
    "low": "↓",
    "between": "↔",
    "both ends": "↕",
    "values": "=",
    "none": "",
}

CLEARLY = 1.25
"""How much more a range must say than the best threshold."""

MOST_VALUES = 3
"""Values that are named."""

TURNED = 3.0
"""The least z-score, given what was selected before, at which a direction counts as turned."""


@dataclass(frozen=True)
class Direction:
    """Which values of a feature speak for an output.

    Attributes
    ----------
    shape : {"high", "low", "between", "both ends", "values", "none"}
        "none": the feature alone says nothing about the output.
    values : str
        The values: a range such as `'> 2.31'`, or categories.
    share, share_of_others : float
        How many of the rows with the output have these values, and how many of those without.
    area : float
        The area under the ROC curve; NaN for a feature without an order.
    turns : bool
        Whether the opposite holds given the features selected before.
    """

    shape: Shape
    values: str = ""
    share: float = np.nan
    share_of_others: float = np.nan
    area: float = np.nan
    turns: bool = False

    @property
    def symbol(self) -> str:
        """One character: ↑, ↓, ↔ (between), ↕ (both ends), = (values), or none."""
        return SYMBOLS[self.shape]

    def __str__(self) -> str:
        if self.shape == "none":
            return "nothing alone"
        word = "" if self.shape == "values" else f"{self.shape}: "
        shares = f"{self.share:.0%} of its rows, {self.share_of_others:.0%} of the others"
        turned = "; the opposite, given the features before" if self.turns else ""
        return f"{word}{self.values} ({shares}{turned})"


def directions(data: CodedData, feature: int, given: Sequence[int] = ()) -> tuple[Direction, ...]:
    """Return the direction of a feature for every output.

    Parameters
    ----------
    data : CodedData
        The table.
    feature : int
        The feature.
    given : sequence of int
        Features selected before, jointly few-valued; with them it is asked whether the direction
        turns.
    """
    coding, codes = data.features[feature], data.column(feature)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    by_run = np.zeros((coding.n_values, data.n_classes))
    np.add.at(by_run, (codes, data.labels), weights)
    with_output = data.about.counts_of(by_run)
    without = by_run.sum(axis=1)[:, np.newaxis] - with_output
    areas, turns = _areas(data, feature, given, weights)
    is_range = codes_ascend(coding) and (coding.kind == "continuous" or _n_present(coding) > 2)
    found = []
    for i in range(data.n_outputs):
        yes, no = with_output[:, i], without[:, i]
        if yes.sum() == 0 or no.sum() == 0:
            found.append(Direction("none", area=float(areas[i])))
        elif is_range and _n_present(coding) > 1 and not _missing_says_more(coding, yes, no):
            found.append(_of_range(coding, yes, no, float(areas[i]), bool(turns[i])))
        else:
            found.append(_of_values(coding, yes, no, float(areas[i])))
    return tuple(found)


def _missing_says_more(coding: FeatureCoding, yes: Floats, no: Floats) -> bool:
    """Whether a missing value says more about the output than any threshold."""
    if not coding.has_missing:
        return False
    above = _information(np.cumsum(yes[:-1])[:-1], np.cumsum(no[:-1])[:-1], yes, no)
    return bool(_information(yes[-1:], no[-1:], yes, no)[0] > above.max(initial=0.0))


def area_under_curve(values: NDArray[np.integer], yes: Floats, no: Floats) -> float:
    """Return the area under the ROC curve; `yes` and `no` weigh the rows with and without.

    NaN if there are none of either.
    """
    order = np.unique(values, return_inverse=True)[1]
    n_yes, n_no = np.bincount(order, yes), np.bincount(order, no)
    below = np.cumsum(n_no) - n_no
    with np.errstate(invalid="ignore", divide="ignore"):
        return float((n_yes @ (below + n_no / 2)) / (n_yes.sum() * n_no.sum()))


def _n_present(coding: FeatureCoding) -> int:
    return coding.n_values - coding.has_missing


def _areas(
    data: CodedData, feature: int, given: Sequence[int], weights: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the area of every output, and whether the direction turns given other features."""
    n_outputs, coding = data.n_outputs, data.features[feature]
    areas, turns = np.full(n_outputs, np.nan), np.zeros(n_outputs, dtype=bool)
    values = _ordered_values(data, feature)
    if values is None:
        return areas, turns
    present = np.ones(data.n_rows, dtype=bool)
    if coding.has_missing:
        present = data.column(feature) != coding.n_values - 1
    values, labels, weights = values[present], data.labels[present], weights[present]
    strata = None
    if given:
        strata = joint_codes([data.column(j) for j in given], data.n_rows)[0][present]
    for i in range(n_outputs):
        is_yes = data.about.rows_of(i, labels)
        areas[i] = area_under_curve(values, weights * is_yes, weights * ~is_yes)
        if strata is not None:
            z = _stratified_z(values, is_yes, strata)
            turns[i] = abs(z) >= TURNED and (z > 0) != (areas[i] > 0.5)
    return areas, turns


def _ordered_values(data: CodedData, feature: int) -> NDArray[np.integer] | None:
    """Return numbers in the order of a feature's values, if it has one."""
    if data.order is not None:
        place = np.flatnonzero(data.order.features == feature)
        return data.order.scores[place[0]] if len(place) else None
    return data.column(feature) if codes_ascend(data.features[feature]) else None


def _stratified_z(
    values: NDArray[np.integer], is_yes: NDArray[np.bool_], strata: NDArray[np.integer]
) -> float:
    """Return van Elteren's z: rank sums within strata, each weighted by 1 / (its size + 1)."""
    order = np.lexsort((values, strata))
    sorted_values, sorted_strata, yes = values[order], strata[order], is_yes[order]
    total = variance = 0.0
    ends = np.append(np.flatnonzero(np.diff(sorted_strata)) + 1, len(order))
    for begin, end in zip(np.append(0, ends[:-1]).tolist(), ends.tolist(), strict=True):
        n, n_yes = end - begin, int(yes[begin:end].sum())
        if n_yes == 0 or n_yes == n:
            continue
        _, inverse, ties = np.unique(
            sorted_values[begin:end], return_inverse=True, return_counts=True
        )
        ranks = (np.cumsum(ties) - (ties - 1) / 2)[inverse]
        weight = 1.0 / (n + 1)
        total += weight * (ranks[yes[begin:end]].sum() - n_yes * (n + 1) / 2)
        variance += weight**2 * n_yes * (n - n_yes) / n * ranks.var() * n / max(n - 1, 1)
    return total / variance**0.5 if variance > 0 else 0.0


def _of_range(
    coding: FeatureCoding, yes: Floats, no: Floats, area: float, turns: bool
) -> Direction:
    """Return the direction of a feature whose codes ascend with its values."""
    n = _n_present(coding)
    above = _information(np.cumsum(yes[:n])[:-1], np.cumsum(no[:n])[:-1], yes[:n], no[:n])
    cut = int(np.argmax(above))
    first, last = np.triu_indices(max(n - 2, 0))
    first, last = first + 1, last + 1  # the range leaves out both ends
    sums = [np.concatenate(([0.0], np.cumsum(part[:n]))) for part in (yes, no)]
    inside = [part[last + 1] - part[first] for part in sums]
    ranges = _information(inside[0], inside[1], yes[:n], no[:n])
    if len(ranges) and ranges.max() > CLEARLY * above[cut]:
        best = int(np.argmax(ranges))
        is_in = np.zeros(coding.n_values, dtype=bool)
        is_in[first[best] : last[best] + 1] = True
        more_inside = inside[0][best] / yes.sum() > inside[1][best] / no.sum()
        chosen = is_in if more_inside else ~is_in
        chosen[n:] = False
        low, high = _bounds(coding, int(first[best]), int(last[best]))
        text = f"{low} to {high}" if more_inside else f"below {low} or above {high}"
        return _shared("between" if more_inside else "both ends", text, chosen, yes, no, area)
    if above[cut] <= 0:
        return Direction("none", area=area)
    is_high = area > 0.5 if area != 0.5 else bool(yes[cut + 1 : n].sum() > 0)
    chosen = np.zeros(coding.n_values, dtype=bool)
    chosen[cut + 1 : n] = True
    if not is_high:
        chosen[: cut + 1], chosen[cut + 1 :] = True, False
    threshold = _bounds(coding, cut, cut)[1]
    text = f"> {threshold}" if is_high else f"<= {threshold}"
    return _shared("high" if is_high else "low", text, chosen, yes, no, area, turns)


def _of_values(coding: FeatureCoding, yes: Floats, no: Floats, area: float) -> Direction:
    """Return the values that are more frequent with the output than without."""
    excess = yes / yes.sum() - no / no.sum()
    order = [v for v in np.argsort(-excess, kind="stable").tolist() if excess[v] > 0]
    if not order:
        return Direction("none", area=area)
    named = order[:MOST_VALUES]
    chosen = np.zeros(coding.n_values, dtype=bool)
    chosen[named] = True
    return _shared("values", ", ".join(map(coding.describe, named)), chosen, yes, no, area)


def _shared(
    shape: Shape,
    values: str,
    chosen: NDArray[np.bool_],
    yes: Floats,
    no: Floats,
    area: float,
    turns: bool = False,
) -> Direction:
    share, of_others = float(yes[chosen].sum() / yes.sum()), float(no[chosen].sum() / no.sum())
    return Direction(shape, values, share, of_others, area, turns)


def _bounds(coding: FeatureCoding, first: int, last: int) -> tuple[str, str]:
    """Return the least and the largest value of a range of codes; cut points for intervals."""
    if coding.kind == "discrete":
        return str(coding.values[first]), str(coding.values[last])
    low = coding.values[first - 1] if first else -np.inf
    high = coding.values[last] if last < len(coding.values) else np.inf
    return f"{low:.4g}", f"{high:.4g}"


def _information(inside_yes: Floats, inside_no: Floats, yes: Floats, no: Floats) -> Floats:
    """Return I([value in U]; output) in bits, for sets U with these counts."""
    total = yes.sum() + no.sum()
    cells = np.array([inside_yes, inside_no, yes.sum() - inside_yes, no.sum() - inside_no])
    margins = np.array([cells[0] + cells[1], cells[2] + cells[3]])
    whole = np.array([yes.sum(), no.sum()])
    return np.asarray((_xlogx(cells) - _xlogx(margins) - _xlogx(whole) + _xlogx(total)) / total)


def _xlogx(n: Floats) -> Floats:
    """Return the sum of n log2 n along the first axis."""
    n = np.maximum(n, 0.0)
    terms = n * np.log2(np.where(n > 0, n, 1.0))
    return np.asarray(terms.sum(axis=0) if terms.ndim else terms)
