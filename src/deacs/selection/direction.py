r"""Directions: which values of a feature speak for an output (a class, a label, a threshold).

For an ordered feature the area under the ROC curve of its coded values,

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
from deacs.counts import joint_codes

__all__ = ["Direction", "Shape", "directions", "value_counts"]

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

LEAST_ROWS, MOST_STRATA = 10, 256
"""The rows in a group of those selected before, on average, and the number of groups."""

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
        The area under the ROC curve of the coded values; NaN for a feature without an order.
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

    @property
    def words(self) -> str:
        """The values in words, such as `'low: <= 1.5'`."""
        if self.shape == "none":
            return "none alone"
        return self.values if self.shape == "values" else f"{self.shape}: {self.values}"

    def __str__(self) -> str:
        if self.shape == "none":
            return self.words
        shares = f"{self.share:.0%} of its rows, {self.share_of_others:.0%} of the others"
        turned = "; the opposite, given the features before" if self.turns else ""
        return f"{self.words} ({shares}{turned})"


def directions(
    data: CodedData,
    feature: int,
    given: Sequence[int] = (),
    outputs: Sequence[int] | None = None,
) -> tuple[Direction, ...]:
    """Return the direction of a feature for every output.

    Parameters
    ----------
    data : CodedData
        The table.
    feature : int
        The feature.
    given : sequence of int
        Features selected before: is the direction the opposite given these? The last of them that
        leave groups of ten rows and more are used.
    outputs : sequence of int, optional
        The outputs; default: all.
    """
    coding = data.features[feature]
    counts = value_counts(data, feature)
    areas = _areas(coding, counts)
    turns = _turns(data, feature, given, areas)
    is_range = codes_ascend(coding) and (coding.kind == "continuous" or _n_present(coding) > 2)
    found = []
    for i in range(data.n_outputs) if outputs is None else outputs:
        yes, no = counts[:, i], counts[:, -1] - counts[:, i]
        if yes.sum() == 0 or no.sum() == 0:
            found.append(Direction("none", area=float(areas[i])))
        elif is_range and _n_present(coding) > 1 and not _missing_says_more(coding, yes, no):
            found.append(_of_range(coding, yes, no, float(areas[i]), bool(turns[i])))
        else:
            found.append(_of_values(coding, yes, no, float(areas[i])))
    return tuple(found)


def value_counts(data: CodedData, feature: int) -> Floats:
    """Count the rows of each value of a feature: those of each output, then all of them.

    Shape (n_values, n_outputs + 1).
    """
    n_values = data.features[feature].n_values
    cells = data.column(feature).astype(np.int64) * data.n_classes + data.labels
    counts = np.bincount(cells, data.weights, n_values * data.n_classes).astype(np.float64)
    by_run = counts.reshape(n_values, data.n_classes)
    return np.column_stack([data.about.counts_of(by_run), by_run.sum(axis=1)])


def _missing_says_more(coding: FeatureCoding, yes: Floats, no: Floats) -> bool:
    """Whether a missing value says more about the output than any threshold."""
    if not coding.has_missing:
        return False
    above = _information(np.cumsum(yes[:-1])[:-1], np.cumsum(no[:-1])[:-1], yes, no)
    return bool(_information(yes[-1:], no[-1:], yes, no)[0] > above.max(initial=0.0))


def _n_present(coding: FeatureCoding) -> int:
    return coding.n_values - coding.has_missing


def _areas(coding: FeatureCoding, counts: Floats) -> Floats:
    """Return the area of every output; NaN for a feature without an order."""
    if not codes_ascend(coding):
        return np.full(counts.shape[1] - 1, np.nan)
    present = counts[: _n_present(coding)]
    yes, no = present[:, :-1], present[:, -1:] - present[:, :-1]
    pairs = (yes * (np.cumsum(no, axis=0) - no / 2)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(pairs / (yes.sum(axis=0) * no.sum(axis=0)))


def _turns(data: CodedData, feature: int, given: Sequence[int], areas: Floats) -> NDArray[np.bool_]:
    """Return for which outputs the direction is the opposite given other features."""
    coding, strata = data.features[feature], _strata(data, given)
    if not codes_ascend(coding) or not strata.any():
        return np.zeros(len(areas), dtype=bool)
    values = data.column(feature).astype(np.int64)
    present = values < _n_present(coding)
    z = _stratified_z(values[present], data.labels[present], strata[present], data)
    return np.asarray((np.abs(z) >= TURNED) & ((z > 0) != (areas > 0.5)))


def _strata(data: CodedData, given: Sequence[int]) -> Integers:
    """Number the joint values of the last of some features, so many that groups stay large."""
    strata: Integers = np.zeros(data.n_rows, dtype=np.int64)
    for n in range(1, len(given) + 1):
        finer, n_strata = joint_codes([data.column(j) for j in given[-n:]], data.n_rows)
        if n_strata > min(data.n_rows // LEAST_ROWS, MOST_STRATA):
            break
        strata = finer
    return strata


def _stratified_z(
    values: Integers, labels: NDArray[np.int32], strata: Integers, data: CodedData
) -> Floats:
    """Return van Elteren's z for each output: rank sums of strata, weighted by 1 / (size + 1)."""
    size = np.bincount(strata)
    cells = strata * (int(values.max()) + 1) + values
    _, place, ties = np.unique(cells, return_inverse=True, return_counts=True)
    before = np.cumsum(size) - size
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place] - before[strata] - (size[strata] + 1) / 2
    spread = np.bincount(strata, ranks**2)  # of the ranks, which are centred
    n_cells = len(size) * data.n_classes
    runs = np.bincount(strata * data.n_classes + labels, minlength=n_cells)
    yes = data.about.counts_of(runs.reshape(len(size), data.n_classes)).astype(np.float64)
    by_run = np.bincount(labels, ranks / (size + 1)[strata], data.n_classes)
    total = data.about.counts_of(by_run[np.newaxis])[0]
    pairs = np.maximum(size * (size - 1.0), 1.0) * (size + 1.0) ** 2
    variance = (spread / pairs) @ (yes * (size[:, np.newaxis] - yes))
    return np.asarray(np.divide(total, np.sqrt(variance), where=variance > 0, out=total * 0.0))


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
    return f"{low:.5g}", f"{high:.5g}"


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
