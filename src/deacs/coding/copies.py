r"""Rows by their content: a number for each row's values, and rows that are copies of others.

Equal rows are copies where their equality is surprising. Three columns of two values have eight
rows that differ, so equal ones are natural; two rows that agree in forty columns of measurements
are one row twice. With :math:`c_j` the share of pairs of rows that agree in column :math:`j`,
independent columns have :math:`n (n - 1) / 2 \prod_j c_j` equal pairs. Columns that depend on each
other have more: the logarithm of the product is shrunk by the factor by which the variance of the
agreement between rows, :math:`\sum_j -\log c_j [x_j = x'_j]`, exceeds that of independent columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels import cuts as compiled
from deacs.coding.data import CodedData
from deacs.exceptions import Note, Parameter
from deacs.tables import Column

__all__ = ["copied_rows", "copies_note", "mixed", "row_contents"]

Words = NDArray[np.uint64]
Codes = NDArray[np.int64]

FIRST_COLUMNS = 64
"""If rows differ in so many columns, those of most values, others need not be compared."""
MOST_COLUMNS = 1_000
MOST_COMPARED = 300
"""The columns, and the rows, from which the agreement of rows is estimated."""
FEW_PAIRS = 5
FEWEST_MEASURED, FEWEST_ROWS = 5, 30
MOST_NEAR, MOST_ANCHORS, MOST_ALIKE = 3_000, 40, 100
"""Whether rows are nearly alike is asked of tables of so many columns and rows, for some rows among
so many; groups may have so many rows there."""
LEAP = 3.0
"""How much farther than its group the nearest row of another is, at least."""
SURPRISING = 10.0
"""Equal pairs are copies if there are more than these, and many times more than expected."""


def row_contents(
    data: CodedData, features: NDArray[np.int64], raw: Mapping[int, Column] | None = None
) -> Words:
    """Return a number of 64 bits for the values of each row; equal rows have equal numbers.

    Values are codes and normal scores, or those of the columns in `raw`, which must have been
    sorted in the same order. The numbers do not depend on the order of rows.
    """
    raw = raw or {}
    contents = np.zeros(data.n_rows, dtype=np.uint64)
    coded = [j for j in features.tolist() if j not in raw]
    for j in coded:
        compiled.add_contents(data.column(j), j, contents)
    if data.order is not None:  # codes tell all that an order derived from them does
        view = data.order
        for k in np.flatnonzero(np.isin(view.features, coded)).tolist():
            key = int(view.features[k]) + data.n_features
            compiled.add_contents(view.scores[k].view(np.uint16), key, contents)
    for j, column in raw.items():
        compiled.add_contents(_bits(column), j, contents)
    return contents


def _bits(column: Column) -> Words:
    """Return the values of a column as words, equal for equal values."""
    floats = column.floats() + 0.0  # there are two zeros
    if column.missing is not None:
        floats[column.missing] = np.nan
    return floats.view(np.uint64)


def mixed(words: Words) -> Words:
    """Return a bijection of words under which similar ones are far apart (SplitMix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def copied_rows(
    data: CodedData, raw: Mapping[int, Column] | None = None
) -> NDArray[np.intp] | None:
    """Return the number of each row's content, equal for copies; None if no rows are copies.

    `raw` are columns as they were before they were cut: rows of equal codes may differ there.
    Whether rows are copies does not depend on their classes or weights.
    """
    raw = raw or {}
    n_values = np.array(data.n_values)
    n_values[list(raw)] = data.n_rows
    by_values = np.argsort(-n_values, kind="stable")
    # As few columns as could tell all rows apart, then more of them.
    n_told_apart = np.cumsum(np.log(np.maximum(n_values[by_values[:FIRST_COLUMNS]], 1)))
    n_few = int(np.searchsorted(n_told_apart, 2 * np.log(data.n_rows))) + 1
    contents, n_seen = np.zeros(data.n_rows, dtype=np.uint64), 0
    while n_seen < min(FIRST_COLUMNS, data.n_features):
        some = by_values[n_seen : max(n_few, 2 * n_seen)]
        first = {j: raw[j] for j in some.tolist() if j in raw}
        contents += row_contents(data, some, first)
        n_seen += len(some)
        if _n_pairs(_counts(contents)) <= FEW_PAIRS:
            return None
    contents = row_contents(data, np.arange(data.n_features), raw)
    if not _is_surprising(data, contents, raw, np.ones(data.n_rows)):
        return None
    return np.asarray(np.unique(contents, return_inverse=True)[1])


def copies_note(data: CodedData, raw: Mapping[int, Column] | None = None) -> Note | None:
    """Return a note if rows are copies of others, or are counted often by their weights.

    `raw` is as in `copied_rows`.
    """
    copies = copied_rows(data, raw)
    if copies is not None:
        n_more = data.n_rows - len(np.unique(copies))
        return Note(
            f"{n_more:,} of {data.n_rows:,} rows repeat another row in every column, which chance "
            "does not explain, and each counts as evidence. Held-out estimates keep copies "
            "together. Keep one row of each; if rows of one person or device are alike, "
            "cross-validate over persons or devices (scikit-learn's GroupKFold).",
            kind="copies",
        )
    if (n_alike := _n_alike(data, raw or {})) > 0:
        return Note(
            f"Most rows have about {n_alike} others that are nearly alike in every measured "
            "column, as visits of one person or readings of one device are. Held-out estimates are "
            "then too good, and each row counts as evidence. Keep one row of each, or "
            "cross-validate over persons or devices (scikit-learn's GroupKFold).",
            kind="copies",
        )
    if data.weights is None or not data.weights_are_counts:
        return None
    contents = row_contents(data, np.arange(data.n_features), raw)
    if not _is_surprising(data, contents, raw or {}, data.weights):
        return None
    return Note(
        Parameter("sample_weight"),
        f" holds whole numbers, so {data.n_rows:,} rows count as {data.total:,}, more than chance "
        "makes alike in every column, and each counts as evidence. If weights say how much rows "
        "matter and not how many there were, divide them by their mean.",
        kind="copies",
    )


def _n_alike(data: CodedData, raw: Mapping[int, Column]) -> int:
    """Return how many others are nearly like a row, if most rows have such; else 0.

    Of some rows the distances to others are sorted: where rows come in groups, the distance leaps
    behind the last of the group. Among rows in general position it grows smoothly, the more so the
    more columns there are: of k + 1 neighbours the last is 3 times as far as the one before with
    probability 1 / 3^k at most.
    """
    measured = np.array(sorted(raw))[_spread(len(raw), FIRST_COLUMNS)] if raw else np.empty(0, int)
    if len(measured) < FEWEST_MEASURED or data.n_rows < FEWEST_ROWS:
        return 0
    of_rows = row_contents(data, measured, {j: raw[j] for j in measured.tolist()})
    rows = np.argsort(mixed(of_rows), kind="stable")[:MOST_NEAR]
    values = np.stack([raw[j].floats()[rows] for j in measured.tolist()])
    ranks = np.argsort(np.argsort(values, axis=1, kind="stable"), axis=1, kind="stable")
    places = (ranks / len(rows)).astype(np.float32)
    most = min(MOST_ALIKE, len(rows) // 4)
    sizes = []
    for one in range(min(MOST_ANCHORS, len(rows))):
        distances = np.sort(np.abs(places - places[:, one : one + 1]).mean(axis=0))[1 : most + 2]
        leaps = distances[2:] / np.maximum(distances[1:-1], 1 / len(rows))
        largest = int(np.argmax(leaps))
        sizes.append(largest + 2 if leaps[largest] >= LEAP else 0)
    typical = int(np.median(sizes))
    return typical * data.n_rows // len(rows)


def _is_surprising(
    data: CodedData, contents: Words, raw: Mapping[int, Column], n_rows: NDArray[Any]
) -> bool:
    """Whether more pairs of rows are equal than is natural, each being so many rows."""
    n_each = np.bincount(np.unique(contents, return_inverse=True)[1], n_rows)
    n_pairs = _n_pairs(n_each)
    if n_pairs <= FEW_PAIRS or len(n_each) == 1:
        return False
    n = float(n_rows.sum())
    expected = _share_expected(data, contents, raw) * n * (n - 1) / 2
    return n_pairs > FEW_PAIRS + SURPRISING * expected


def _spread(n: int, most: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64))


def _counts(contents: Words) -> NDArray[np.intp]:
    ordered = np.sort(contents)
    ends = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    return np.diff(ends, prepend=-1)


def _n_pairs(n_each: NDArray[Any]) -> float:
    return float((n_each * (n_each - 1.0) / 2).sum())


def _share_expected(data: CodedData, contents: Words, raw: Mapping[int, Column]) -> float:
    """Return the share of pairs of rows whose equality is natural in a table of such columns.

    Repeated values of measurements are due to copies, so these are compared in rows that differ;
    those of other columns are natural, and compared in all rows.
    """
    features = _spread(data.n_features, MOST_COLUMNS)
    is_measured = np.array([data.features[j].kind == "continuous" for j in features.tolist()])
    distinct = np.unique(contents, return_index=True)[1]
    surprise = 0.0
    for which, rows in ((is_measured, distinct), (~is_measured, np.arange(data.n_rows))):
        if which.any():
            values = _values(data, features[which], raw)
            surprise += _surprise(values[:, rows], contents[rows], len(distinct))
    return float(np.exp(-surprise))


def _values(data: CodedData, features: NDArray[np.int64], raw: Mapping[int, Column]) -> Codes:
    """Return numbers for the values of some columns: their ranks if known, else their codes."""
    scores = {}
    if data.order is not None:
        scores = dict(zip(data.order.features.tolist(), data.order.scores, strict=True))
    found = [
        np.unique(_bits(raw[j]), return_inverse=True)[1] if j in raw else scores.get(j)
        for j in features.tolist()
    ]
    columns = zip(features.tolist(), found, strict=True)
    return np.stack([data.column(j) if x is None else x for j, x in columns]).astype(np.int64)


def _surprise(values: Codes, contents: Words, n_distinct: int) -> float:
    """Return minus the logarithm of the share of pairs that agree in all columns."""
    n = values.shape[1]
    agree = np.array([2 * _n_pairs(np.unique(column, return_counts=True)[1]) for column in values])
    agree = np.clip(agree / max(n * (n - 1), 1), 1 / n_distinct, 1.0)
    weight = -np.log(agree)
    # Rows in an order of chance that is the same for any order of the table.
    by_content = np.argsort(contents, kind="stable")
    first = np.searchsorted(contents[by_content], contents[by_content])
    repeat = (np.arange(n) - first).astype(np.uint64)
    at_random = by_content[np.argsort(mixed(contents[by_content] ^ mixed(repeat)), kind="stable")]
    sample = np.ascontiguousarray(values[:, at_random[:MOST_COMPARED]])
    total = np.zeros((sample.shape[1], sample.shape[1]))
    for w, column in zip(weight.tolist(), sample, strict=True):
        total += w * (column[:, np.newaxis] == column)
    observed = total[np.triu_indices(len(total), 1)].var() if len(total) > 1 else 0.0
    independent = float((weight**2 * agree * (1 - agree)).sum())
    shrunk = min(1.0, independent / observed) if observed > 0 else 1.0
    return float(weight.sum()) * shrunk
