"""Cut points of columns, and the intervals between them.

Every function that finds cut points takes typed columns, labels, weights and threads, and returns
one ascending array for each column: floats, or integers if floats cannot represent the
column's integers exactly; `DISCRETIZERS` lists them by name. Missing values and rows of weight
zero are ignored. An interval is closed above: with cuts 1 and 2 the value 1 lies in interval 0. The
outer intervals have no end.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts as kernel
from deacs._kernels.fixed_point import FixedPoint, fixed_point, xlogx_of
from deacs._kernels.threads import map_blocks
from deacs.coding.blocks import narrowest
from deacs.tables import Column, Labels, Target
from deacs.tables.targets import nearest_shares
from deacs.tables.weights import Weights

__all__ = [
    "Codes",
    "CutColumns",
    "CutPoints",
    "MdlpRule",
    "OnCut",
    "Ordered",
    "Recoder",
    "SortedColumns",
    "bins",
    "columns_to_cut_by",
    "equal_frequency_cut_points",
    "equal_frequency_places",
    "equal_width_cut_points",
    "interval_labels",
    "mdlp_cut_points",
    "mdlp_rule",
    "number_columns",
    "sort_columns",
]

Codes = NDArray[np.unsignedinteger[Any]]
CutPoints = list[NDArray[Any]]

NS_SORT = 50.0
"""Approximate cost of sorting and cutting per row, for dividing work among threads."""

LOOK_UPS_A_ROW = 8
"""About how often a row needs X of a large count; X is tabulated if look-ups outnumber counts."""

VALUES_AT_ONCE = 16_384
"""Columns of so many values in all are cut in one call; they stay in the second cache."""

NO_LIMIT = 1 << 62

LARGE = 1e15
"""Numbers below are written out to the unit: timestamps in seconds and milliseconds."""


class Ordered(NamedTuple):
    """The order of the values of some columns, which is all that the search for cuts needs."""

    rows: NDArray[np.int32]
    """The rows of each column by ascending value, missing ones last, (n_columns, n_rows)."""
    ranks: NDArray[np.int32]
    """Which of the distinct values these rows have, (n_columns, n_rows)."""
    n_present: NDArray[np.int64]
    """How many rows of each column have a value."""


class SortedColumns(NamedTuple):
    """Columns by ascending value; missing ones, and rows of weight zero, come last."""

    order: Ordered
    values: NDArray[np.float64]
    """The values in this order, arbitrary where there is none, (n_columns, n_rows)."""

    @property
    def is_whole(self) -> bool:
        """Whether all columns have all rows."""
        return bool((self.order.n_present == self.values.shape[1]).all())


class MdlpRule(NamedTuple):
    """The rule that accepts a cut."""

    fixed: FixedPoint
    """X of counts."""
    unit: float
    """A unit of fixed point in bits."""
    log_powers: NDArray[np.float64]
    """log2(3**k - 2) for k labels."""
    scale: float
    """Counts per unit of weight."""
    least: int
    """The least count on each side of a cut."""
    max_cuts: int


class CutColumns(NamedTuple):
    """Some columns, sorted and cut."""

    place: slice
    """Which columns of the table they are."""
    sorted: SortedColumns
    is_last: NDArray[np.bool_]
    """Whether an interval ends with a row, in the order of the column, (n_columns, n_rows)."""
    is_uncut: NDArray[np.bool_]
    """Whether a column has several values but no cut by the classes, (n_columns,)."""


OnCut = Callable[[CutColumns], None]


def sort_columns(columns: Sequence[Column], weights: Weights | None = None) -> SortedColumns:
    """Sort columns of equal length; the order of equal values is arbitrary."""
    shape = len(columns), columns[0].n_rows
    unsorted, n_present = np.empty(shape), np.full(len(columns), shape[1])
    for k, column in enumerate(columns):
        unsorted[k] = column.floats()
        absent = _absent(column, weights)
        if absent is not None:
            unsorted[k, absent] = np.nan  # sorted last
            n_present[k] -= np.count_nonzero(absent)
    words, values = np.empty(shape, dtype=np.uint64), np.empty(shape)
    rows, ranks = np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.int32)
    is_sorted = np.empty(len(columns), dtype=np.bool_)
    row_bits = kernel.pack_rows(unsorted.view(np.int64), words)
    words.sort(axis=1)
    kernel.unpack_rows(words, row_bits, unsorted, rows, values, ranks, is_sorted)
    for k in np.flatnonzero(~is_sorted).tolist():
        rows[k] = np.argsort(unsorted[k])
        values[k] = unsorted[k, rows[k]]
        ranks[k] = np.append(0, np.cumsum(values[k, 1:] > values[k, :-1]))
    return SortedColumns(Ordered(rows, ranks, n_present), values)


def _absent(column: Column, weights: Weights | None) -> NDArray[np.bool_] | None:
    """Return which values are missing or of weight zero; None if none is."""
    if weights is None or weights.counts.all():
        return column.missing
    is_zero: NDArray[np.bool_] = weights.counts == 0
    return is_zero if column.missing is None else column.missing | is_zero


def mdlp_cut_points(
    columns: Sequence[Column],
    labels: Labels,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    max_cuts: int | None = None,
    min_samples: int = 1,
    fallback_bins: int = 1,
    on_cut: OnCut | None = None,
) -> CutPoints:
    """Return the cut points of each numeric column, by Fayyad and Irani's rule (see `MDLP`).

    A column without a cut is cut into `fallback_bins` intervals of equal frequency. `on_cut` is
    called with all columns, a few at a time, so that they need not be sorted again.

    With multiple labels per row, a column has the cuts of each label separately: sets of labels are
    too many for the rule, which charges every cut for each of them.
    """
    n_rows, targets = len(labels.codes), columns_to_cut_by(labels.target, labels.codes)
    rule = mdlp_rule(labels, weights, max_cuts, min_samples, len(columns))
    counts = None if weights is None else weights.counts
    cut_points: CutPoints = [np.empty(0)] * len(columns)
    n_at_once = max(VALUES_AT_ONCE // n_rows, 1)

    def cut(place: slice) -> None:
        some = columns[place]
        found = sort_columns(some, weights)
        order, is_last = found.order, np.zeros(found.values.shape, dtype=np.bool_)
        for target in targets:
            kernel.cut_columns(order, np.arange(len(some)), target, counts, rule, is_last)
        is_uncut = (order.ranks[:, -1] > 0) & ~is_last.any(axis=1)
        if fallback_bins > 1:
            for k in np.flatnonzero(is_uncut).tolist():
                rows, n = order.rows[k], order.n_present[k]
                weighted = None if counts is None else counts[rows[:n]]
                if weighted is None and order.ranks[k, n - 1] == n - 1:
                    places = _places_of_distinct(int(n), fallback_bins)
                else:
                    places = equal_frequency_places(found.values[k, :n], weighted, fallback_bins)
                is_last[k, places] = True
        cut_points[place] = map(_from_offset, _at_ends(found, is_last), some)
        if on_cut is not None:
            on_cut(CutColumns(place, found, is_last, is_uncut))

    def work(part: slice) -> None:
        for first in range(part.start, part.stop, n_at_once):
            cut(slice(first, min(first + n_at_once, part.stop)))

    map_blocks(work, len(columns), n_jobs, NS_SORT * n_rows)
    return cut_points


def columns_to_cut_by(target: Target, codes: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Return the class columns to cut by: the classes, or each label."""
    if target.membership is None:
        return [codes]
    outputs = range(target.membership.shape[1])
    return [target.rows_of(i, codes).astype(np.int32) for i in outputs]


def mdlp_rule(
    labels: Labels,
    weights: Weights | None,
    max_cuts: int | None,
    min_samples: int,
    n_columns: int,
) -> MdlpRule:
    """Return the rule for cuts: the costs in fixed point, and the limits."""
    n_labels = len(labels.classes) if labels.target.membership is None else 2
    n_rows = len(labels.codes)
    total = n_rows if weights is None else weights.total
    scale = 1.0 if weights is None else weights.scale
    fixed = fixed_point(total, n_labels)
    looked_up = LOOK_UPS_A_ROW * n_rows * n_columns
    if len(fixed.table) <= total and (weights is None or total <= looked_up):
        fixed = fixed._replace(table=xlogx_of(np.arange(total + 1), fixed))
    # Each power from the one before: with thousands of classes they have thousands of digits.
    powers = accumulate(repeat(3, n_labels), operator.mul)
    return MdlpRule(
        fixed,
        unit=2.0**-fixed.scale_bits,
        log_powers=np.array([0.0, *(math.log2(power - 2) for power in powers)]),
        scale=scale,
        least=math.ceil(min_samples * scale),
        max_cuts=NO_LIMIT if max_cuts is None else max_cuts,
    )


@dataclass(frozen=True, eq=False)
class Recoder:
    """Cuts columns again by other classes, for tests with shuffled ones.

    Such a test must not take the cuts as given, since they were placed where the classes differ.

    Attributes
    ----------
    features : ndarray of int of shape (n,)
        The indices of the features.
    order : Ordered
        The order of their values.
    rule : MdlpRule
        The rule for cuts.
    targets : Labels
        The classes by which the columns were cut; labels that overlap each make their own cuts.
    fallback_bins : int
        Into how many intervals of equal frequency columns without a cut are divided.
    """

    features: NDArray[np.int64]
    order: Ordered
    rule: MdlpRule
    targets: Labels
    fallback_bins: int = 1

    @classmethod
    def of(
        cls,
        features: Sequence[int] | NDArray[np.int64],
        orders: Sequence[Ordered],
        targets: Labels,
        *,
        max_cuts: int | None = None,
        min_samples: int = 1,
        fallback_bins: int = 1,
    ) -> Recoder | None:
        """Keep the order of columns that `mdlp_cut_points` cut with these options, if any."""
        if len(features) == 0:
            return None
        order = Ordered(*map(np.concatenate, zip(*orders, strict=True)))
        rule = mdlp_rule(targets, None, max_cuts, min_samples, len(features))
        return cls(np.array(features, dtype=np.int64), order, rule, targets, fallback_bins)

    @cached_property
    def _fallback(self) -> tuple[Codes, NDArray[np.int64]]:
        """The codes of columns that get no cut, and their number."""
        is_last = np.zeros(self.order.rows.shape, dtype=np.bool_)
        for k, n in enumerate(self.order.n_present.tolist()):
            ranks = self.order.ranks[k, :n]
            is_last[k, equal_frequency_places(ranks, None, self.fallback_bins)] = True
        return number_columns(self.order, np.arange(len(is_last)), is_last)

    def bins(self, feature: int, n_bins: int) -> NDArray[np.int64]:
        """Divide the rows of a feature by rank into about equal bins; missing values are the last.

        Equal values share the bin of the first of them.
        """
        column = self.columns_of(np.array([feature]))[0]
        n = int(self.order.n_present[column])
        ranks = self.order.ranks[column, :n]
        bins = np.full(self.order.rows.shape[1], n_bins, dtype=np.int64)
        bins[self.order.rows[column, :n]] = np.searchsorted(ranks, ranks) * n_bins // max(n, 1)
        return bins

    def columns_of(self, features: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the positions of some features among these columns."""
        return np.searchsorted(self.features, features)

    def codes(
        self, columns: NDArray[np.int64], labels: NDArray[np.int32], n_jobs: int | None = None
    ) -> tuple[Codes, NDArray[np.int64]]:
        """Cut k of the columns by other labels of the same rows.

        Return codes of shape (k, n_rows) and the number of codes of each column. A missing value
        has the last code.
        """
        targets = columns_to_cut_by(self.targets.target, labels)
        is_last = np.zeros((len(columns), len(labels)), dtype=np.bool_)

        def work(part: slice) -> None:
            for target in targets:
                how = target, None, self.rule, is_last[part]
                kernel.cut_columns(self.order, columns[part], *how)

        map_blocks(work, len(columns), n_jobs, NS_SORT * len(labels))
        codes, n_values = number_columns(self.order, columns, is_last)
        if self.fallback_bins > 1:
            fallback, n_codes = self._fallback
            uncut = np.flatnonzero(~is_last.any(axis=1))
            codes[uncut], n_values[uncut] = fallback[columns[uncut]], n_codes[columns[uncut]]
        return codes, n_values


def equal_width_cut_points(
    columns: Sequence[Column],
    labels: Labels | None = None,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    n_bins: int = 10,
) -> CutPoints:
    """Return cut points that divide the range of each column evenly (see `EqualWidth`)."""
    upper = np.arange(1, n_bins) / n_bins

    def cut(k: int) -> NDArray[np.float64]:
        values, absent = columns[k].floats(), _absent(columns[k], weights)
        values = values[np.isfinite(values) if absent is None else np.isfinite(values) & ~absent]
        if len(values) == 0:
            return np.empty(0)
        low, high = values.min(), values.max()
        # Not low + upper * (high - low): the width of a range may overflow, its parts do not.
        cuts = np.unique(low * (1 - upper) + high * upper)
        inside: NDArray[np.float64] = cuts[(cuts >= low) & (cuts < high)]
        return inside

    return _each(columns, cut, n_jobs)


def equal_frequency_cut_points(
    columns: Sequence[Column],
    labels: Labels | None = None,
    n_jobs: int | None = None,
    weights: Weights | None = None,
    *,
    n_bins: int = 10,
) -> CutPoints:
    """Return cut points that divide the rows of each column evenly (see `EqualFrequency`)."""

    def cut(k: int) -> NDArray[np.float64]:
        (rows, _, n_present), values = sort_columns(columns[k : k + 1], weights)
        n = n_present[0]
        counts = None if weights is None else weights.counts[rows[0, :n]]
        values = values[0, :n]
        return _between(values, equal_frequency_places(values, counts, n_bins))

    return _each(columns, cut, n_jobs)


def equal_frequency_places(
    values: NDArray[Any], counts: NDArray[np.int64] | None, n_bins: int
) -> NDArray[np.int64]:
    """Return the places i with a cut between ascending values i and i + 1 (see `EqualFrequency`).

    `counts` are the weights of the rows, or None where each counts once.
    """
    at = np.flatnonzero(values[:-1] < values[1:])
    if len(at) == 0:
        return at
    below = np.arange(1, len(values) + 1) if counts is None else np.cumsum(counts)
    return at[nearest_shares(below[at], int(below[-1]), n_bins)]


@lru_cache(maxsize=8)
def _places_of_distinct(n: int, n_bins: int) -> NDArray[np.int64]:
    """Return the places between n different values; most columns of a wide table have as many."""
    return equal_frequency_places(np.arange(float(n)), None, n_bins)


def _each(
    columns: Sequence[Column],
    cut: Callable[[int], NDArray[np.float64]],
    n_jobs: int | None,
) -> CutPoints:
    cut_points: CutPoints = [np.empty(0)] * len(columns)

    def work(part: slice) -> None:
        for j in range(part.start, part.stop):
            cut_points[j] = _from_offset(cut(j), columns[j])

    map_blocks(work, len(columns), n_jobs, NS_SORT * (columns[0].n_rows if columns else 1))
    return cut_points


def _from_offset(cuts: NDArray[np.float64], column: Column) -> NDArray[Any]:
    """Return cuts of values minus their offset as cuts of the values, in integers."""
    if len(cuts) == 0 or (offset := column.offset) == 0:
        return cuts
    # An interval is closed above, so between integers a cut may lie on the lower one.
    whole = sorted({int(cut) + offset for cut in np.floor(cuts).tolist()})
    return np.array(whole, dtype=np.int64)


def _at_ends(columns: SortedColumns, is_last: NDArray[np.bool_]) -> CutPoints:
    """Return the cut points of sorted columns, given the last row of each interval."""
    cuts = _between(columns.values.ravel(), np.flatnonzero(is_last))
    ends = np.cumsum(np.count_nonzero(is_last, axis=1)).tolist()
    return [cuts[begin:end] for begin, end in zip([0, *ends], ends, strict=False)]


def _between(values: NDArray[np.float64], at: NDArray[np.int64]) -> NDArray[np.float64]:
    return midpoints(values[at], values[at + 1])


def number_columns(
    order: Ordered, columns: NDArray[np.int64], is_last: NDArray[np.bool_]
) -> tuple[Codes, NDArray[np.int64]]:
    """Number the intervals of k sorted columns, given the last row of each interval.

    Return codes of shape (k, n_rows) and the number of codes of each column. A missing value has
    the last code.
    """
    has_missing = order.n_present[columns] < is_last.shape[1]
    n_values = np.count_nonzero(is_last, axis=1) + 1 + has_missing
    codes = np.empty(is_last.shape, dtype=narrowest(int(n_values.max(initial=1))))
    kernel.number_intervals(order, columns, is_last, n_values, codes)
    return codes, n_values


def midpoints(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cuts half-way between neighbours, never at or above the upper one.

    An interval is closed above, so where the half-way point does not exist in floating point
    (adjacent numbers, infinities) the lower neighbour itself is the cut.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        cuts = (lower + upper) / 2
    return np.where((cuts >= lower) & (cuts < upper), cuts, lower)


def bins(values: NDArray[Any], cut_points: NDArray[Any]) -> NDArray[np.int64]:
    """Return the interval of each value, the number of cut points below it; arbitrary for NaN."""
    if cut_points.dtype.kind == "i":  # beyond what floats tell apart
        return np.searchsorted(cut_points, values).astype(np.int64)
    found = np.empty(len(values), dtype=np.int64)
    floats = np.ascontiguousarray(values, dtype=np.float64)
    kernel.count_below(floats, cut_points, found)
    return found


def interval_labels(cut_points: NDArray[Any]) -> list[str]:
    """Return distinct labels of the intervals, e.g. `'(2.5, 7.1]'`.

    Cut points have six digits; more where they are large, or where rounding would move one by more
    than a hundredth of the way to its neighbours.

    Examples
    --------
    >>> interval_labels(np.array([2.5, 7.1]))
    ['(-inf, 2.5]', '(2.5, 7.1]', '(7.1, inf)']
    >>> interval_labels(np.array([1600000000.5, 1600086400.5]))[1]
    '(1600000000, 1600086400]'
    """
    ends = _rounded(cut_points)
    return [
        f"({low}, {high}{')' if high == 'inf' else ']'}"
        for low, high in zip(["-inf", *ends], [*ends, "inf"], strict=True)
    ]


def _rounded(cut_points: NDArray[Any]) -> list[str]:
    if cut_points.dtype.kind == "i":
        return [str(cut) for cut in cut_points]
    largest = np.abs(cut_points).max(initial=0)
    with np.errstate(over="ignore"):  # cuts of either sign may be further apart than a float
        gaps = np.diff(cut_points)
    for digits in range(max(6, len(str(int(largest)))) if largest < LARGE else 6, 18):
        ends = [f"{cut:.{digits}g}" for cut in cut_points]
        moved = np.abs(np.array(ends, dtype=np.float64) - cut_points)
        if len(set(ends)) == len(ends) and (np.maximum(moved[1:], moved[:-1]) <= gaps / 100).all():
            break
    return ends
