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
row, each label is predicted separately, as a class of two. A number is also predicted itself, by
ridge regression (`_ridge.py`), and its losses are squared errors. Tables with few rows are divided
into folds several times: there, the estimate of one division depends on its luck.

A fold may select other features than the fit. So what is left after m features is said of the
procedure, and what a feature adds is taken from the folds that selected it, at the step at which
they did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.selection._evidence import FoldEvidence

__all__ = [
    "N_FOLDS",
    "Fold",
    "HeldOut",
    "divisions",
    "held_out",
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
CHEAP = 100_000
"""The most values of a table that is divided more than once."""
TRUST = tuple(product((0.0, 0.25, 0.5, 1.0), (0.0, 0.25, 0.5, 1.0)))
"""Weights of the evidence of each model; 0 leaves it out."""
LEAST_PROBABILITY = 1e-6


@dataclass(frozen=True)
class HeldOut:
    """Estimates on rows held out from the selection.

    `unexplained` and `left` are of the procedure: of the first m features of each refit, whatever
    they are; a refit that ended earlier counts with all of its features. `gain`, `gain_error` and
    `chosen` are of the features that the fit selected.

    Attributes
    ----------
    unexplained : ndarray of shape (n_selected + 1, n_classes)
        The share of each class's uncertainty that is left after m features; 1 with none.
    left : ndarray of shape (n_selected + 1,)
        The share of the loss that is left after m features; 1 with none.
    gain : ndarray of shape (n_selected,)
        How much each feature lowers the mean loss in the refits that selected it, at the step at
        which they did; NaN if none did.
    gain_error : ndarray of shape (n_selected,)
        The standard error of each gain.
    chosen : ndarray of int of shape (n_selected,)
        The number of refits that selected each feature.
    n_refits : int
        How often the selection was repeated.
    loss : float
        The mean loss without any feature.
    is_number : bool
        Whether the target is a number. Losses are then squared errors as shares of the variance,
        else log losses of the class in bits per row.
    """

    unexplained: Floats
    left: Floats
    gain: Floats
    gain_error: Floats
    chosen: Rows
    n_refits: int
    loss: float
    is_number: bool = False

    @property
    def r2(self) -> Floats | None:
        """R2 on held-out rows after m features, (n_selected + 1,); None if not for a number."""
        return 1.0 - self.left if self.is_number else None

    def at(self, steps: NDArray[np.intp]) -> HeldOut:
        """Return the estimates for columns, given the step that selected each."""
        after = np.concatenate(([0], steps + 1))
        return replace(
            self,
            unexplained=self.unexplained[after],
            left=self.left[after],
            gain=self.gain[steps],
            gain_error=self.gain_error[steps],
            chosen=self.chosen[steps],
        )


class Fold(NamedTuple):
    """The held-out rows of a refit, and what they say about the features that it selected."""

    rows: Rows
    """The rows, by their place in the canonical order of the table."""
    weights: Floats
    steps: Sequence[int]
    """The selected features, in order."""
    evidence: Sequence[FoldEvidence]
    """For the classes, or for each label or threshold as a class of two."""
    squares: Floats | None = None
    """For numbers: squared errors with the first m features, (n_penalties, m + 1, n)."""


def divisions(
    labels: NDArray[np.int32], n_features: int = 1, copies: NDArray[np.intp] | None = None
) -> list[list[tuple[Rows, Rows]]]:
    """Return the folds of each division; small tables are divided often if that is cheap."""
    n_divisions = min(-(-ENOUGH_ROWS // len(labels)), MOST_DIVISIONS)
    if len(labels) * n_features > CHEAP:
        n_divisions = 1
    return [stratified_folds(labels, seed, copies) for seed in range(n_divisions)]


def stratified_folds(
    labels: NDArray[np.int32], seed: int = 0, copies: NDArray[np.intp] | None = None
) -> list[tuple[Rows, Rows]]:
    """Return the training and test rows of each fold, stratified by class.

    Rows with the same number in `copies` are in the same fold.
    """
    units = np.arange(len(labels)) if copies is None else copies
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    order = np.random.default_rng(seed).permutation(len(first))
    order = order[np.argsort(labels[first][order], kind="stable")]
    is_large = len(labels) > MOST_ROWS
    n_folds = 2 * len(labels) // MOST_ROWS if is_large else N_FOLDS
    of_unit = np.empty(len(first), dtype=np.int64)
    of_unit[order] = np.arange(len(first)) % n_folds
    fold = of_unit[unit]
    n_tried = 1 if is_large else n_folds
    splits = ((np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_tried))
    return [(train, test) for train, test in splits if len(train) and len(test)]


def held_out(
    repeats: Sequence[Sequence[Fold]], selected: Sequence[int], n_classes: int, copies: Rows
) -> HeldOut:
    """Score the held-out rows of each division with what its folds selected.

    `selected` are the features of the fit; rows with the same number in `copies` count as one
    where the standard error is concerned.
    """
    n, n_refits = len(selected), sum(map(len, repeats))
    of_outputs = []
    total, weight = np.zeros(n + 1), 0.0
    gains: list[list[Gain]] = [[] for _ in selected]
    is_number = any(fold.squares is not None for folds in repeats for fold in folds)
    for division, folds in enumerate(repeats):
        n_steps = max(n, *(len(fold.steps) for fold in folds))
        outputs, row_losses = _losses(folds, n_steps, n_classes)
        of_outputs.append(outputs[: n + 1])
        of_rows = np.split(row_losses, np.cumsum([len(fold.rows) for fold in folds])[:-1], axis=1)
        for fold, losses in zip(folds, of_rows, strict=True):
            total += losses[: n + 1] @ fold.weights
            weight += float(fold.weights.sum())
            for j, feature in enumerate(selected):
                if feature in fold.steps:
                    step = fold.steps.index(feature)
                    less = losses[step] - losses[step + 1]
                    gains[j].append(Gain(division, copies[fold.rows], fold.weights, less))
    shares = np.mean(of_outputs, axis=0)
    unit = total[0] / weight if is_number else 1.0
    found = np.array([_mean_gain(each, n_refits) for each in gains]).reshape(n, 2)
    return HeldOut(
        unexplained=np.minimum(shares / np.maximum(shares[0], 1e-300), 1.0),
        left=total / max(total[0], 1e-300),
        gain=found[:, 0] / unit,
        gain_error=found[:, 1] / unit,
        chosen=np.array([len(each) for each in gains], dtype=np.int64),
        n_refits=n_refits,
        loss=float(total[0] / weight / unit),
        is_number=is_number,
    )


class Gain(NamedTuple):
    """By how much a feature lowers the losses of a fold's rows."""

    division: int
    copies: Rows
    weights: Floats
    less: Floats


def _mean_gain(folds: Sequence[Gain], n_refits: int) -> tuple[float, float]:
    """Return the mean over the rows of the folds that selected a feature, and its standard error.

    The rows of a fold share a refit, and copies share their content, so the error is the larger
    one of those that regard copies, and the folds of a division, as what varies independently. The
    refits that did not select the feature are a part of the population that was not seen: it may
    add nothing there, as noise does whose luck in the held-out rows helped the fit to select it.
    """
    if not folds:
        return np.nan, np.nan
    copies = np.concatenate([fold.copies for fold in folds])
    weights = np.concatenate([fold.weights for fold in folds])
    less = np.concatenate([fold.less for fold in folds])
    mean = float(less @ weights / weights.sum())
    off = (less - mean) * weights
    by_copy = np.bincount(np.unique(copies, return_inverse=True)[1], off).astype(np.float64)
    errors = [_error(by_copy, float(weights.sum()))]
    by_fold = [float((fold.less - mean) @ fold.weights) for fold in folds]
    in_division = np.array([fold.division for fold in folds])
    for division in np.unique(in_division):
        mine = np.flatnonzero(in_division == division).tolist()
        total = sum(float(folds[k].weights.sum()) for k in mine)
        errors.append(_error(np.array([by_fold[k] for k in mine]), total))
    spread = float(np.sqrt(np.mean(np.square(errors[1:]))))
    unseen = abs(mean) * np.sqrt(1 / len(folds) - 1 / n_refits)
    return mean, float(np.hypot(max(errors[0], spread), unseen))


def _error(sums: Floats, total: float) -> float:
    """Return the standard error of a mean, given sums over what varies independently."""
    return float(np.sqrt((sums**2).sum() * len(sums) / max(len(sums) - 1, 1)) / total)


def _losses(folds: Sequence[Fold], n_steps: int, n_classes: int) -> tuple[Floats, Floats]:
    """Return mean losses of outputs, (n_steps + 1, K), and losses of rows, (n_steps + 1, n).

    Rows are those of one fold after the other. A fold whose selection ended early counts with all
    its features. Of a single fold, one half chooses for the other.
    """
    weights = np.concatenate([fold.weights for fold in folds])
    part = np.repeat(np.arange(len(folds)), [len(fold.rows) for fold in folds])
    if len(folds) == 1:
        part = np.arange(len(part)) % 2
    n_targets = len(folds[0].evidence)
    how = weights / weights.sum(), part, n_steps
    each = [
        _log_losses([fold.evidence[i] for fold in folds], *how, n_classes if n_targets == 1 else 2)
        for i in range(n_targets)
    ]
    if n_targets == 1:
        return each[0]
    outputs = np.column_stack([of_classes[:, 1] for of_classes, _ in each])
    if folds[0].squares is not None:
        return outputs, _squared_errors(folds, *how)
    return outputs, np.sum([of_rows for _, of_rows in each], axis=0)


def _log_losses(
    folds: Sequence[FoldEvidence], weights: Floats, part: Rows, n_steps: int, n_classes: int
) -> tuple[Floats, Floats]:
    """Return the mean log losses of each class against the others, and those of rows, in bits."""
    labels = np.concatenate([fold.labels for fold in folds])
    is_class = labels[:, np.newaxis] == np.arange(n_classes)
    totals = [
        (np.zeros((len(fold.labels), n_classes)), np.zeros((len(fold.labels), n_classes)))
        for fold in folds
    ]
    class_losses = np.empty((n_steps + 1, n_classes))
    row_losses = np.empty((n_steps + 1, len(labels)))
    for m in range(n_steps + 1):
        for fold, (counted, ordered) in zip(folds, totals, strict=True):
            if 0 < m <= len(fold.counted):
                counted += fold.counted[m - 1]
                ordered += fold.ordered[m - 1]
        options = TRUST if m else TRUST[:1]
        tried = [
            np.concatenate(
                [
                    fold.probabilities(a * counted + b * ordered)
                    for fold, (counted, ordered) in zip(folds, totals, strict=True)
                ]
            )
            for a, b in options
        ]
        clipped = np.clip(np.array(tried), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
        found = -np.log2(clipped[:, np.arange(len(labels)), labels])
        best = _best_elsewhere(found * weights, part)
        rows = np.arange(len(labels))
        probabilities = clipped[best, rows]
        row_losses[m] = found[best, rows]
        losses = -np.log2(np.where(is_class, probabilities, 1.0 - probabilities))
        class_losses[m] = weights @ losses
    return class_losses, row_losses


def _squared_errors(folds: Sequence[Fold], weights: Floats, part: Rows, n_steps: int) -> Floats:
    """Return the squared errors of rows, (n_steps + 1, n)."""
    squares = [fold.squares for fold in folds if fold.squares is not None]
    found = np.empty((n_steps + 1, len(weights)))
    for m in range(n_steps + 1):
        tried = np.concatenate([fold[:, min(m, fold.shape[1] - 1)] for fold in squares], axis=1)
        found[m] = tried[_best_elsewhere(tried * weights, part), np.arange(len(weights))]
    return found


def _best_elsewhere(losses: Floats, part: Rows) -> Rows:
    """Return, for each row, which of some options has the least loss in the other parts."""
    by_part = np.array([np.bincount(part, option) for option in losses])
    best: Rows = (by_part.sum(axis=1, keepdims=True) - by_part).argmin(axis=0)
    return best[part]
