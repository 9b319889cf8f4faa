r"""Ridge regression of a number on the first m features, for every m at once.

A feature enters by the normal scores of its values, if these have an order, and by an indicator of
each of its frequent codes. With :math:`A` the centred columns in the order of selection and
:math:`L L^\top = A^\top A + \lambda I`, the first m features predict
:math:`\bar y + \sum_{k} (L^{-1} x)_k (L^{-1} A^\top y)_k`, where the sum is over their columns:
:math:`L` is lower triangular, so later columns change no earlier term.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PENALTIES", "ridge_errors"]

Floats = NDArray[np.float64]

PENALTIES = (1.0, 10.0, 100.0, 1000.0, np.inf)
"""Penalties to choose from, in rows; an infinite one predicts the mean."""
MOST_VALUES = 20
MOST_INDICATORS = 2_000
"""The most codes of a feature, and of all features, that have an indicator."""


def ridge_errors(
    codes: tuple[NDArray[np.int64], NDArray[np.int64]],
    scores: tuple[Floats, Floats],
    numbers: tuple[Floats, Floats],
    weights: Floats,
    units: Sequence[Sequence[int]],
) -> Floats:
    """Return squared errors with the first m features, (n_penalties, m + 1, n_test).

    Pairs of arrays are of training and test rows, as in `evidence_of`; `weights` are of training
    rows.
    """
    mean = float(np.average(numbers[0], weights=weights))
    off = numbers[1] - mean
    errors = np.empty((len(PENALTIES), len(units) + 1, len(off)))
    errors[:] = off**2
    if not units:
        return errors
    train, test, ends = _design(codes, scores, weights, units)
    gram = (train * weights[:, np.newaxis]).T @ train
    slope = train.T @ (weights * (numbers[0] - mean))
    for k, penalty in enumerate(PENALTIES):
        if not np.isfinite(penalty):
            continue
        factor = np.linalg.cholesky(gram + penalty * np.eye(len(gram)))
        solved = np.linalg.solve(factor, np.vstack([slope, test]).T)
        terms = solved[:, 1:] * solved[:, :1]
        predicted, begin = np.zeros(len(off)), 0
        for m, end in enumerate(ends, start=1):
            predicted = predicted + terms[begin:end].sum(axis=0)
            errors[k, m], begin = (off - predicted) ** 2, end
    return errors


def _design(
    codes: tuple[NDArray[np.int64], NDArray[np.int64]],
    scores: tuple[Floats, Floats],
    weights: Floats,
    units: Sequence[Sequence[int]],
) -> tuple[Floats, Floats, list[int]]:
    """Return centred columns of training and of test rows, and where those of each step end."""
    most = min(MOST_VALUES, MOST_INDICATORS // codes[0].shape[1])
    columns: list[tuple[NDArray[Any], NDArray[Any]]] = []
    ends = []
    for unit in units:
        for j in unit:
            columns.append((scores[0][:, j], scores[1][:, j]))
            n_each = np.bincount(codes[0][:, j], weights)
            frequent = np.argsort(-n_each, kind="stable")[:most].tolist()
            columns += [(codes[0][:, j] == code, codes[1][:, j] == code) for code in frequent]
        ends.append(len(columns))
    train, test = (np.column_stack(half).astype(np.float64) for half in zip(*columns, strict=True))
    centre = np.average(train, axis=0, weights=weights)
    return train - centre, test - centre, ends
