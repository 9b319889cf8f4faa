"""References for the counting: a plain grouped-byte kernel, and NumPy.

Both score every candidate at every step of a given selection, so that the work is equal. The
plain kernel is what one writes first: rows ordered by group, a small table of counts for each
group, logarithms from a table; rows of groups with one label are dropped. NumPy's way counts each
feature with `bincount` over (group, value, label).
"""

import time

import numpy as np
from numba import njit

from deacs import CodedData

__all__ = ["numpy_seconds", "plain_seconds"]


def plain_seconds(data: CodedData, ranking: np.ndarray) -> float:
    """Time all steps of the plain kernel."""
    [block] = data.blocks
    table = np.array([0.0] + [n * np.log2(n) for n in range(1, data.n_rows + 1)])
    labels = data.labels
    rows, starts = np.arange(data.n_rows), np.array([0, data.n_rows])
    candidates = np.arange(data.n_features)
    out = np.zeros((len(candidates), data.n_classes))
    _scores(block.codes[:1], block.n_values, labels, rows, starts, table, candidates[:1], out)
    seconds = 0.0
    for feature in ranking:
        start = time.perf_counter()
        out = np.zeros((len(candidates), data.n_classes))
        _scores(block.codes, block.n_values, labels, rows, starts, table, candidates, out)
        rows, starts = _split(rows, starts, data.column(int(feature)), labels)
        candidates = candidates[candidates != feature]
        seconds += time.perf_counter() - start
    return seconds


def _split(rows, starts, column, labels):
    group = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    key = group * (int(column.max()) + 1) + column[rows]
    order = np.argsort(key, kind="stable")
    rows, key = rows[order], key[order]
    begins = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    ends = np.r_[begins[1:], len(rows)]
    lowest = np.minimum.reduceat(labels[rows], begins)
    highest = np.maximum.reduceat(labels[rows], begins)
    keep = lowest != highest
    sizes = (ends - begins)[keep]
    rows = rows[np.repeat(keep, ends - begins)]
    return rows, np.r_[0, np.cumsum(sizes)]


@njit(cache=True, nogil=True)
def _scores(codes, n_values, labels, rows, starts, table, candidates, out):
    n_labels = out.shape[1]
    counts = np.zeros((n_values.max(), n_labels), dtype=np.int64)
    for k in range(len(candidates)):
        column = codes[candidates[k]]
        width = n_values[candidates[k]]
        for g in range(len(starts) - 1):
            for r in range(starts[g], starts[g + 1]):
                counts[column[rows[r]], labels[rows[r]]] += 1
            for value in range(width):
                n_f = 0
                for label in range(n_labels):
                    n_f += counts[value, label]
                if n_f == 0:
                    continue
                for label in range(n_labels):
                    n_fi = counts[value, label]
                    if n_fi > 0:
                        out[k, label] += table[n_fi] + table[n_f - n_fi] - table[n_f]
                        counts[value, label] = 0


def numpy_seconds(data: CodedData, ranking: np.ndarray, n_sampled: int) -> float:
    """Time all steps in NumPy, for a sample of the candidates, and scale up to all of them."""
    group = np.zeros(data.n_rows, dtype=np.int64)
    sample = np.linspace(0, data.n_features - 1, n_sampled).astype(int)
    seconds = 0.0
    for step, feature in enumerate(ranking):
        start = time.perf_counter()
        for j in sample:
            _numpy_scores(group, data.column(int(j)), data.labels, data.n_classes)
        elapsed = time.perf_counter() - start
        seconds += elapsed / n_sampled * (data.n_features - step)
        column = data.column(int(feature))
        group = np.unique(group * (int(column.max()) + 1) + column, return_inverse=True)[1]
    return seconds


def _numpy_scores(group, x, y, n_labels):
    cell = np.unique(group * (int(x.max()) + 1) + x, return_inverse=True)[1]
    n_fi = np.bincount(cell * n_labels + y, minlength=(cell.max() + 1) * n_labels)
    n_fi = n_fi.reshape(-1, n_labels)
    n_f = n_fi.sum(axis=1, keepdims=True)
    return (_xlogx(n_fi) + _xlogx(n_f - n_fi) - _xlogx(n_f)).sum(axis=0)


def _xlogx(n):
    return n * np.log2(np.maximum(n, 1))
