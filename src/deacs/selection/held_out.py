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
row, each label is predicted separately, as a class of two.

A number is also predicted itself, by ridge regression, and its losses are squared errors. A feature
enters by its normal scores, if it has an order, and by an indicator of each frequent code. With
:math:`A` the centred columns in the order of selection and :math:`L L^\top = A^\top A + \lambda I`,
the first m features predict :math:`\bar y + \sum_{k} (L^{-1} x)_k (L^{-1} A^\top y)_k`, where the
sum is over their columns: :math:`L` is lower triangular, so later columns change no earlier term.

Tables with few rows are divided into folds several times: there, the estimate of one division
depends on its luck. A fold may select other features than the fit. So what is left after m features
is said of the procedure, and what a feature adds is taken from the folds that selected it, at the
step at which they did.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, product
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from deacs.coding import (
    CodedData,
    OrderView,
    code_new_rows,
    copied_rows,
    encode,
    mixed,
    order_view,
    row_contents,
    take_columns,
    take_rows,
)
from deacs.coding.new_rows import code_column
from deacs.coding.order import SCORE_SCALE
from deacs.exceptions import InputError
from deacs.selection.evidence import FoldEvidence, evidence_of, ridge_errors
from deacs.selection.source import Source
from deacs.tables import Column, is_frame, read_columns
from deacs.tables.targets import above_least

__all__ = ["Fold", "HeldOut", "Refits", "TableChanged"]

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Labels = NDArray[np.int32]

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
CODING = ("discretizer", "missing", "n_jobs")
"""Parameters of `encode` that apply to parts of the rows too."""


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
    knows_cuts : bool
        Whether columns were cut by the classes of all rows before the fit, as in `CodedData`. The
        estimates are then too favourable.
    """

    unexplained: Floats
    left: Floats
    gain: Floats
    gain_error: Floats
    chosen: Rows
    n_refits: int
    loss: float
    is_number: bool = False
    knows_cuts: bool = False

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


class TableChanged(AttributeError):
    """The table of a fit, which is its caller's own, is not what it was."""

    def __init__(self) -> None:
        super().__init__(
            "unexplained_ needs the table as it was in fit, to select again on parts of its rows, "
            "but X has other values now; fit again, or give fit a copy"
        )


class Refits:
    """The selection of a fit, to repeat on parts of its rows.

    `selector` is the estimator before the fit, `source` the table of the fit.
    """

    def __init__(self, selector: Any, source: Source) -> None:
        if not isinstance(source.coded, CodedData):
            raise AttributeError(
                "unexplained_ needs the fitted rows here: ask for it before pickling, and bring "
                "the codes of rows that stay elsewhere, by deacs.encode(frame, target, out=...)"
            )
        self._selector, self._X, weights = selector, source.X, source.sample_weight
        # Rows of weight zero are not coded.
        self._kept = None if weights is None else np.flatnonzero(weights)
        self._weights = None if weights is None else weights[self._kept]
        self._coding = {name: source.coding[name] for name in CODING if name in source.coding}
        self.data: CodedData = source.coded

    def held_out(self, selected: Sequence[int]) -> HeldOut:
        """Repeat the selection on folds, and score the held-out rows.

        `selected` are the features of the fit, or the groups.
        """
        data, order = self.data, self.order
        copies = copied_rows(data, self._uncoded())
        copies = np.arange(data.n_rows) if copies is None else copies[order]
        repeats = [
            [self.fold(*rows, len(selected)) for rows in folds]
            for folds in divisions(data.labels[order], data.n_features, copies)
        ]
        found = held_out(repeats, selected, data.n_classes, copies)
        is_cut = any(feature.by_classes for feature in data.features)
        return replace(found, knows_cuts=is_cut and not self._cuts_again)

    @cached_property
    def order(self) -> Rows:
        """The rows by class and content, so that their order in the table changes nothing."""
        data = self.data
        contents = row_contents(data, np.arange(data.n_features), self._uncoded())
        if data.weights is not None:
            contents = mixed(contents ^ data.weights.astype(np.uint64))
        target = data.labels if data.numbers is None else above_least(data.numbers)
        return np.lexsort((contents, target))

    def fold(self, train: Rows, test: Rows, n_selected: int) -> Fold:
        """Select on some rows, given by their places in `order`, and score the others."""
        data, places = self.data, test
        train, test = self.order[train], self.order[test]
        weights = (
            np.ones(data.n_rows) if data.weights is None else data.weights / data.weights.mean()
        )
        coded = self._coded(train)
        steps, units = self._selected(coded, n_selected)
        columns = [j for unit in units for j in unit]
        ends = np.cumsum([0, *map(len, units)])
        of_step = [range(a, b) for a, b in pairwise(ends.tolist())]
        codes = _columns(coded, columns), self._new_codes(coded, test, columns)
        scores = self._scores(train, columns), self._scores(test, columns)
        halves = weights[train], weights[test]
        evidence = [
            evidence_of(codes, scores, (labels[train], labels[test]), halves, n_classes, of_step)
            for labels, n_classes in self._targets()
        ]
        squares = None
        if data.numbers is not None:
            numbers = above_least(data.numbers)
            pair = numbers[train], numbers[test]
            squares = ridge_errors(codes, scores, pair, weights[train], of_step)
        return Fold(places, weights[test], steps, evidence, squares)

    def _targets(self) -> list[tuple[Labels, int]]:
        """Return the targets to predict, with their numbers of classes; one for each label."""
        data = self.data
        if data.membership is None:
            return [(data.labels, data.n_classes)]
        outputs = range(data.n_outputs)
        return [(data.about.rows_of(i, data.labels).astype(np.int32), 2) for i in outputs]

    def _selected(
        self, coded: CodedData, n_selected: int
    ) -> tuple[list[int], Sequence[Sequence[int]]]:
        """Select on training rows as the fit did; return the steps and the columns of each."""
        selector = clone(self._selector).set_params(store_candidates=False)
        stop = selector._test
        if stop is not None and self._is_tested:
            stop.random_state = 0 if stop.random_state is None else stop.random_state
            selector.set_params(stop=stop)
        elif stop is not None:
            # The cut points have seen the classes, and cannot be placed again for a test.
            if n_selected == 0:
                return [], []
            selector.set_params(n_features_to_select=n_selected, stop=None)
        with warnings.catch_warnings(action="ignore"):  # the fit has already warned
            result = selector.fit(coded).result_
        return result.ranking.tolist(), result.columns

    @property
    def _is_tested(self) -> bool:
        """Whether folds can be tested: cut points that the classes placed are placed again."""
        return self._X is not None or not any(feature.by_classes for feature in self.data.features)

    @property
    def _cuts_again(self) -> bool:
        """Whether the classes of held-out rows were used to place cut points."""
        return self._X is not None and any(feature.by_classes for feature in self.data.features)

    @cached_property
    def _table(self) -> Any:
        """The columns and rows of `X` that were fitted, which must have the codes they had then."""
        data = self.data
        try:
            table = self._fitted_columns()
            table = table if self._kept is None else take_rows(table, self._kept)
            columns: Sequence[Column] = read_columns(table).columns
            if data.transformed is not None:
                columns = data.transformed.of(columns)
            is_same = all(
                np.array_equal(code_column(column, feature), data.column(j))
                for j, (column, feature) in enumerate(zip(columns, data.features, strict=True))
            )
        except (InputError, LookupError, TypeError, ValueError) as error:
            raise TableChanged from error
        if not is_same:
            raise TableChanged
        return table

    def _fitted_columns(self) -> Any:
        """Return `X` without columns that were added after the fit."""
        names = list(self.data.feature_names)
        if not self.data.is_named or not is_frame(self._X):
            return self._X
        known = [str(name) for name in nw.from_native(self._X, eager_only=True).columns]
        if known == names or len({*names}) < len(names):
            return self._X
        return take_columns(self._X, np.array([known.index(name) for name in names]))

    def _uncoded(self) -> dict[int, Column]:
        """Return the columns that are cut again, before they are cut."""
        if not self._cuts_again:
            return {}
        columns = read_columns(self._table).columns
        kinds = enumerate(self.data.features)
        return {j: columns[j] for j, feature in kinds if feature.kind == "continuous"}

    def _coded(self, rows: Rows) -> CodedData:
        data = self.data
        if self._cuts_again:
            weights = None if self._weights is None else self._weights[rows]
            kinds = np.array([feature.kind == "discrete" for feature in data.features])
            how = {**self._coding, "discrete_features": kinds, "sample_weight": weights}
            how["recodable"] = self._selector._test is not None
            with warnings.catch_warnings(action="ignore"):  # the fit has already warned
                some = encode(take_rows(self._table, rows), data.targets.take(rows), **how)
        else:
            weights = None if data.weights is None else data.weights[rows]
            some = replace(data.take(rows), weights=weights, weight_scale=data.weight_scale)
        view = order_view(data)
        # Ranks do not depend on the classes, so those of all rows are used.
        return replace(some, order=OrderView(view.scores[:, rows], view.features))

    def _new_codes(self, coded: CodedData, rows: Rows, columns: Sequence[int]) -> Rows:
        if not self._cuts_again or not columns:
            return _columns(self.data, columns)[rows]
        if coded.transformed is not None:  # the transformer sees all columns
            return code_new_rows(coded, take_rows(self._table, rows), columns)
        some = take_rows(take_columns(self._table, np.array(columns, dtype=np.int64)), rows)
        return code_new_rows(coded, some, columns, are_chosen=True)

    def _scores(self, rows: Rows, columns: Sequence[int]) -> Floats:
        """Return the normal scores of some columns; 0 for columns without an order."""
        view = order_view(self.data)
        place = {int(feature): k for k, feature in enumerate(view.features)}
        scores = np.zeros((len(rows), len(columns)))
        for k, column in enumerate(columns):
            if column in place:
                scores[:, k] = view.scores[place[column], rows] / SCORE_SCALE
        return scores


def _columns(data: CodedData, columns: Sequence[int]) -> Rows:
    codes = np.empty((data.n_rows, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        codes[:, k] = data.column(column)
    return codes


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
    labels: Labels, n_features: int = 1, copies: NDArray[np.intp] | None = None
) -> list[list[tuple[Rows, Rows]]]:
    """Return the folds of each division; small tables are divided often if that is cheap."""
    n_divisions = min(-(-ENOUGH_ROWS // len(labels)), MOST_DIVISIONS)
    if len(labels) * n_features > CHEAP:
        n_divisions = 1
    return [stratified_folds(labels, seed, copies) for seed in range(n_divisions)]


def stratified_folds(
    labels: Labels, seed: int = 0, copies: NDArray[np.intp] | None = None
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
