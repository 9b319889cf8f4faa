"""What the features of a selection say about held-out rows: the models behind `held_out`.

Evidence adds up feature by feature: naive Bayes on codes, a linear discriminant on normal scores,
and for a number ridge regression; `held_out` has the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FoldEvidence", "evidence_of", "ridge_errors"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]

PRIOR_ROWS = 1.0
"""Pseudo-count, in rows, of a value's overall frequency within each class."""
SHRINK = 0.1
RIDGE = 1e-3
PENALTIES = (1.0, 10.0, 100.0, 1000.0, np.inf)
"""Penalties to choose from, in rows; an infinite one predicts the mean."""
MOST_VALUES = 20
MOST_INDICATORS = 2_000
"""The most codes of a feature, and of all features, that have an indicator."""


class FoldEvidence(NamedTuple):
    """Evidence for each class from the features selected in one fold.

    labels (n,) of the held-out rows; prior (K,) log frequencies; is_seen (K,): whether a class has
    training rows; counted and ordered (m, n, K): what each step adds to the log odds in naive Bayes
    and the linear discriminant.
    """

    labels: Labels
    prior: Floats
    is_seen: NDArray[np.bool_]
    counted: Floats
    ordered: Floats

    def probabilities(self, evidence: Floats) -> Floats:
        """Return the probability of each class, (n, K); one without training rows keeps its own."""
        logits = self.prior + evidence
        logits -= logits.max(axis=1, keepdims=True)
        odds = np.exp(logits)
        if self.is_seen.all():
            return np.asarray(odds / odds.sum(axis=1, keepdims=True))
        prior = np.exp(self.prior)
        odds = np.where(self.is_seen, odds, 0.0)
        odds *= prior[self.is_seen].sum() / odds.sum(axis=1, keepdims=True)
        return np.where(self.is_seen, odds, prior)


def evidence_of(
    codes: tuple[Rows, Rows],
    scores: tuple[Floats, Floats],
    labels: tuple[Labels, Labels],
    weights: tuple[Floats, Floats],
    n_classes: int,
    units: Sequence[Sequence[int]],
) -> FoldEvidence:
    """Return the evidence of a fold's features; pairs of arrays are of training and test rows.

    `codes` and normal `scores` have a column for each of the p selected
    columns: codes absent from the training rows count as unknown, and scores of columns without an
    order are zero. `units` holds the columns, of the p, selected together in each step.
    """
    counts = np.bincount(labels[0], weights[0], n_classes).astype(np.float64)
    prior = np.log((counts + 1.0) / (counts.sum() + n_classes))
    counted = _naive_bayes(codes, labels[0], weights[0], counts)
    ordered = _discriminant(scores, labels[0], weights[0], counts)
    by_step = [np.array(unit, dtype=np.int64) for unit in units]
    return FoldEvidence(
        labels=labels[1],
        prior=prior,
        is_seen=counts > 0,
        counted=_by_step(counted, by_step),
        ordered=_by_step(ordered, by_step),
    )


def _by_step(evidence: Floats, steps: Sequence[Rows]) -> Floats:
    """Add up the evidence of columns selected together."""
    found = [evidence[step].sum(axis=0) for step in steps]
    return np.array(found).reshape(len(steps), *evidence.shape[1:])


def _naive_bayes(
    codes: tuple[Rows, Rows],
    labels: Labels,
    weights: Floats,
    counts: Floats,
) -> Floats:
    """Return log p(x_j | c) / p(x_j) of each column and test row, shape (p, n_test, K)."""
    train, test = codes
    evidence = np.zeros((train.shape[1], len(test), len(counts)))
    for j in range(train.shape[1]):
        n_values = int(max(train[:, j].max(), test[:, j].max(initial=0))) + 1
        cells = train[:, j] * len(counts) + labels
        table = np.bincount(cells, weights, n_values * len(counts)).reshape(n_values, -1)
        share = (table.sum(axis=1) + 0.5) / (table.sum() + 0.5 * n_values)
        smooth = (table + PRIOR_ROWS * share[:, np.newaxis]) / (counts + PRIOR_ROWS)
        evidence[j] = np.log(smooth / share[:, np.newaxis])[test[:, j]]
    return evidence


def _discriminant(
    scores: tuple[Floats, Floats], labels: Labels, weights: Floats, counts: Floats
) -> Floats:
    """Return t_j mu_jc - mu_jc^2 / 2 of each column and test row, shape (p, n_test, K)."""
    train, test = scores
    p, n_classes = train.shape[1], len(counts)
    if p == 0:
        return np.zeros((0, len(test), n_classes))
    means = np.zeros((n_classes, p))
    np.add.at(means, labels, train * weights[:, np.newaxis])
    means /= np.maximum(counts, 1e-300)[:, np.newaxis]
    within = train - means[labels]
    free = max(weights.sum() - n_classes, 1.0)
    covariance = (within * weights[:, np.newaxis]).T @ within / free
    # Shrink towards the diagonal, by a share that does not depend on later columns.
    covariance[np.diag_indices(p)] *= 1.0 + SHRINK
    covariance[np.diag_indices(p)] += RIDGE
    factor = np.linalg.cholesky(covariance)
    mu = np.linalg.solve(factor, means.T)
    t = np.linalg.solve(factor, test.T)
    return np.asarray(t[:, :, np.newaxis] * mu[:, np.newaxis, :] - 0.5 * mu[:, np.newaxis, :] ** 2)


def ridge_errors(
    codes: tuple[Rows, Rows],
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
    codes: tuple[Rows, Rows],
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
