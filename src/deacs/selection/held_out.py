r"""Uncertainty left on held-out rows: cut points, selection and models are refitted in each fold.

The plug-in H(C_i | S) of the fitted rows falls to zero with enough features, informative or not.
Here the selection is repeated on the training rows of each fold, and the held-out rows are
predicted with its first m features. Two models add up evidence feature by feature: naive Bayes on
codes and a linear discriminant on normal scores of ranks,

.. math:: \log p(c | x) = \log \pi_c + a \sum_j \log \frac{p(x_j | c)}{p(x_j)}
          + b \sum_j (t_j \mu_{jc} - \mu_{jc}^2 / 2) + \text{const},

with :math:`t` the scores whitened by the Cholesky factor of their covariance within classes, so
that the first m terms are the discriminant of the first m features. A class without training rows
keeps its prior probability. The weights a and b of the two
models are chosen for each m on the other folds. The cross-entropy of [C = c_i], divided by that
without any feature, is the share of the class's uncertainty that is left. With multiple labels per
row, each label is predicted separately, as a class of two. Tables with few rows are divided into
folds several times, and losses averaged: there, the estimate of one division depends on its luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "N_FOLDS",
    "FoldEvidence",
    "HeldOut",
    "divisions",
    "evidence_of",
    "held_out",
    "held_out_labels",
    "stratified_folds",
]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

N_FOLDS = 5
MOST_ROWS = 20_000
"""Larger tables are split once, with about half this many rows held out."""
ENOUGH_ROWS = 300
"""Smaller tables are divided several times, until so many rows have been held out."""
MOST_DIVISIONS = 5
TRUST = tuple(product((0.0, 0.25, 0.5, 1.0), (0.0, 0.25, 0.5, 1.0)))
"""Weights of the evidence of each model; 0 leaves it out."""
PRIOR_ROWS = 1.0
"""Pseudo-count, in rows, of a value's overall frequency within each class."""
SHRINK = 0.1
RIDGE = 1e-3
LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True)
class HeldOut:
    """Estimates on rows held out from the selection.

    Attributes
    ----------
    unexplained : ndarray of shape (n_selected + 1, n_classes)
        The share of each class's uncertainty that is left with the first m features; 1 with none.
    gain : ndarray of shape (n_selected,)
        How much each feature lowers the mean log loss of the class, in bits per row.
    gain_error : ndarray of shape (n_selected,)
        The standard error of each gain over rows.
    loss : float
        The mean log loss of the class without any feature, in bits per row.
    """

    unexplained: Floats
    gain: Floats
    gain_error: Floats
    loss: float

    def at(self, steps: NDArray[np.intp]) -> HeldOut:
        """Return the estimates for columns, given the step that selected each."""
        after = np.concatenate(([0], steps + 1))
        gain, error = self.gain[steps], self.gain_error[steps]
        return HeldOut(self.unexplained[after], gain, error, self.loss)


class FoldEvidence(NamedTuple):
    """Evidence for each class from the features selected in one fold.

    rows (n,): the held-out rows; labels and weights (n,) of these; prior (K,) log frequencies;
    is_seen (K,): whether a class has training rows; counted and ordered (m, n, K): what each step
    adds to the log odds in naive Bayes and the linear discriminant.
    """

    rows: Rows
    labels: NDArray[np.int32]
    prior: Floats
    is_seen: NDArray[np.bool_]
    counted: Floats
    ordered: Floats
    weights: Floats

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

    def halves(self) -> list[FoldEvidence]:
        """Return the even and the odd rows."""
        return [
            self._replace(
                rows=self.rows[k::2],
                labels=self.labels[k::2],
                counted=self.counted[:, k::2],
                ordered=self.ordered[:, k::2],
                weights=self.weights[k::2],
            )
            for k in range(2)
        ]


def divisions(labels: NDArray[np.int32]) -> list[list[tuple[Rows, Rows]]]:
    """Return the folds of each division of the rows; one division is enough for many rows."""
    n_divisions = min(-(-ENOUGH_ROWS // len(labels)), MOST_DIVISIONS)
    return [stratified_folds(labels, seed) for seed in range(n_divisions)]


def stratified_folds(labels: NDArray[np.int32], seed: int = 0) -> list[tuple[Rows, Rows]]:
    """Return the training and test rows of each fold, stratified by class."""
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    is_large = len(labels) > MOST_ROWS
    n_folds = 2 * len(labels) // MOST_ROWS if is_large else N_FOLDS
    fold = np.empty(len(labels), dtype=np.int64)
    fold[order] = np.arange(len(labels)) % n_folds
    n_tried = 1 if is_large else n_folds
    splits = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_tried))
    return [(train, test) for train, test in splits if len(train) and len(test)]


def evidence_of(
    rows: Rows,
    codes: tuple[NDArray[np.int64], NDArray[np.int64]],
    scores: tuple[Floats, Floats],
    labels: tuple[NDArray[np.int32], NDArray[np.int32]],
    weights: tuple[Floats, Floats],
    n_classes: int,
    units: Sequence[Sequence[int]],
) -> FoldEvidence:
    """Return the evidence of a fold's features; pairs of arrays are of training and test rows.

    `rows` are the test rows. `codes` and normal `scores` have a column for each of the p selected
    columns: codes absent from the training rows count as unknown, and scores of columns without an
    order are zero. `units` holds the columns, of the p, selected together in each step.
    """
    counts = np.bincount(labels[0], weights[0], n_classes).astype(np.float64)
    prior = np.log((counts + 1.0) / (counts.sum() + n_classes))
    counted = _naive_bayes(codes, labels[0], weights[0], counts)
    ordered = _discriminant(scores, labels[0], weights[0], counts)
    by_step = [np.array(unit, dtype=np.int64) for unit in units]
    return FoldEvidence(
        rows=rows,
        labels=labels[1],
        prior=prior,
        is_seen=counts > 0,
        counted=_by_step(counted, by_step),
        ordered=_by_step(ordered, by_step),
        weights=weights[1],
    )


def _by_step(evidence: Floats, steps: Sequence[NDArray[np.int64]]) -> Floats:
    """Add up the evidence of columns selected together."""
    found = [evidence[step].sum(axis=0) for step in steps]
    return np.array(found).reshape(len(steps), *evidence.shape[1:])


def _naive_bayes(
    codes: tuple[NDArray[np.int64], NDArray[np.int64]],
    labels: NDArray[np.int32],
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
    scores: tuple[Floats, Floats], labels: NDArray[np.int32], weights: Floats, counts: Floats
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


Folds = Sequence[FoldEvidence]
"""One division of the rows."""


def held_out(repeats: Sequence[Folds], n_selected: int, n_classes: int) -> HeldOut:
    """Score the held-out rows with the first 0, 1, ... features of their fold's selection.

    A fold whose selection ended early counts with all its features. A single fold is halved, so
    that the model weights can be chosen on the other half.
    """
    return _summary(_averaged([_losses(folds, n_selected, n_classes) for folds in repeats]))


def held_out_labels(labels: Sequence[Sequence[Folds]], n_selected: int) -> HeldOut:
    """Do the same as `held_out` for multiple labels per row, from each label's evidence by fold.

    Class 1 is having the label, class 0 is not. The loss of a row is the sum over labels.
    """
    each = [_averaged([_losses(folds, n_selected, 2) for folds in repeats]) for repeats in labels]
    return _summary(
        Losses(
            np.column_stack([losses.of_classes[:, 1] for losses in each]),
            np.sum([losses.of_rows for losses in each], axis=0),
            each[0].weights,
        )
    )


class Losses(NamedTuple):
    """Log losses in bits with the first m features."""

    of_classes: Floats
    """Of each class against the others, (n_selected + 1, n_classes)."""
    of_rows: Floats
    """Of each row, (n_selected + 1, n_rows)."""
    weights: Floats
    """Of rows; they sum to 1."""


def _averaged(repeats: Sequence[Losses]) -> Losses:
    of_classes, of_rows, weights = (sum(part) / len(repeats) for part in zip(*repeats, strict=True))
    return Losses(of_classes, of_rows, weights)


def _summary(losses: Losses) -> HeldOut:
    weights, first = losses.weights, losses.of_classes[0]
    steps = losses.of_rows[:-1] - losses.of_rows[1:]
    gain = steps @ weights
    spread = ((steps - gain[:, np.newaxis]) ** 2) @ weights
    return HeldOut(
        unexplained=np.minimum(losses.of_classes / np.maximum(first, 1e-300), 1.0),
        gain=gain,
        gain_error=np.sqrt(spread * (weights @ weights)),
        loss=float(losses.of_rows[0] @ weights),
    )


def _losses(folds: Folds, n_selected: int, n_classes: int) -> Losses:
    """Return the losses of all held-out rows, in the order of the table."""
    folds = folds[0].halves() if len(folds) == 1 else folds
    labels = np.concatenate([fold.labels for fold in folds])
    weights = np.concatenate([fold.weights for fold in folds])
    of_fold = np.repeat(np.arange(len(folds)), [len(fold.labels) for fold in folds])
    weights = weights / weights.sum()
    is_class = labels[:, np.newaxis] == np.arange(n_classes)
    totals = [
        (np.zeros((len(fold.labels), n_classes)), np.zeros((len(fold.labels), n_classes)))
        for fold in folds
    ]
    class_losses = np.empty((n_selected + 1, n_classes))
    row_losses = np.empty((n_selected + 1, len(labels)))
    for m in range(n_selected + 1):
        for fold, (counted, ordered) in zip(folds, totals, strict=True):
            if 0 < m <= len(fold.counted):
                counted += fold.counted[m - 1]
                ordered += fold.ordered[m - 1]
        probabilities = _trusted(folds, totals, of_fold, labels, weights, any_features=m > 0)
        row_losses[m] = -np.log2(probabilities[np.arange(len(labels)), labels])
        losses = -np.log2(np.where(is_class, probabilities, 1.0 - probabilities))
        class_losses[m] = weights @ losses
    order = np.argsort(np.concatenate([fold.rows for fold in folds]))
    return Losses(class_losses, row_losses[:, order], weights[order])


def _trusted(
    folds: Folds,
    totals: Sequence[tuple[Floats, Floats]],
    of_fold: NDArray[np.int64],
    labels: NDArray[np.int32],
    weights: Floats,
    *,
    any_features: bool,
) -> Floats:
    """Return class probabilities of all rows, with model weights chosen on the other folds."""
    options = TRUST if any_features else TRUST[:1]
    tried = [
        np.concatenate(
            [
                fold.probabilities(a * counted + b * ordered)
                for fold, (counted, ordered) in zip(folds, totals, strict=True)
            ]
        )
        for a, b in options
    ]
    clipped = [np.clip(p, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY) for p in tried]
    losses = np.array([-np.log(p[np.arange(len(labels)), labels]) * weights for p in clipped])
    chosen: Floats = np.empty_like(clipped[0])
    for k in range(len(folds)):
        mine = of_fold == k
        best = int(np.argmin(losses[:, ~mine].sum(axis=1)))
        chosen[mine] = clipped[best][mine]
    return chosen
