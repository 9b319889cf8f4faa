"""Repeat a selection on folds of its rows, and evaluate it on the held-out rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

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
from deacs.coding.order import SCORE_SCALE
from deacs.exceptions import InputError
from deacs.greedy.groups import grouped
from deacs.greedy.setting import Setting, dea_cs
from deacs.greedy.stopping import Significant, read_stop
from deacs.selection._evidence import evidence_of
from deacs.selection._ridge import ridge_errors
from deacs.selection.held_out import Fold, HeldOut, divisions, held_out
from deacs.tables import Column, is_frame, read_columns
from deacs.tables.numbers import above_least

__all__ = ["Refits", "TableChanged"]

Rows = NDArray[np.int64]

CODES_AT_ONCE = 4_000_000
"""The most codes that are compared at a time."""


class TableChanged(AttributeError):
    """The table of a fit, which is its caller's own, is not what it was."""

    def __init__(self) -> None:
        super().__init__(
            "unexplained_ needs the table as it was in fit, to select again on parts of its rows, "
            "but X has other values now; fit again, or give fit a copy"
        )


@dataclass(frozen=True, eq=False)
class Refits:
    """The inputs of a selection, kept to repeat it on folds."""

    data: CodedData
    setting: Setting
    """The options; with groups, costs and included features refer to groups."""
    X: Any = None
    """The table itself, to place cut points again; None if only codes are known."""
    sample_weight: Any = None
    coding: dict[str, Any] | None = None
    """Parameters of `encode`."""
    groups: Any = None
    n_jobs: int | None = None

    def held_out(self, selected: Sequence[int]) -> HeldOut:
        """Repeat the selection on folds, and score the held-out rows.

        `selected` are the features of the fit, or the groups.
        """
        data, order = self.data, self._order
        copies = copied_rows(data, self._uncoded())
        copies = np.arange(data.n_rows) if copies is None else copies[order]
        repeats = [
            [self._fold(order, *rows, len(selected)) for rows in folds]
            for folds in divisions(data.labels[order], data.n_features, copies)
        ]
        return held_out(repeats, selected, data.n_classes, copies)

    @cached_property
    def _order(self) -> Rows:
        """The rows by class and content, so that their order in the table changes nothing."""
        data = self.data
        contents = row_contents(data, np.arange(data.n_features), self._uncoded())
        if data.weights is not None:
            contents = mixed(contents ^ data.weights.astype(np.uint64))
        target = data.labels if data.numbers is None else above_least(data.numbers)
        return np.lexsort((contents, target))

    def _uncoded(self) -> dict[int, Column]:
        """Return the columns that are cut again, before they are cut."""
        if not self._cuts_again:
            return {}
        table = self._table
        if self.sample_weight is not None:
            table = take_rows(table, self._places(np.arange(self.data.n_rows)))
        columns = read_columns(table).columns
        kinds = enumerate(self.data.features)
        return {j: columns[j] for j, feature in kinds if feature.kind == "continuous"}

    def _fold(self, order: Rows, train: Rows, test: Rows, n_selected: int) -> Fold:
        """Select on some rows, given by their places in an order, and score the others."""
        data = self.data
        weights = (
            np.ones(data.n_rows) if data.weights is None else data.weights / data.weights.mean()
        )
        places, train, test = test, order[train], order[test]
        coded = self._coded(train)
        steps, units = self._selected(coded, n_selected)
        columns = [j for unit in units for j in unit]
        ends = np.cumsum([0, *map(len, units)])
        of_step = [range(a, b) for a, b in pairwise(ends.tolist())]
        codes = _columns(coded, columns), self._new_codes(coded, test, columns)
        scores = self._scores(train, columns), self._scores(test, columns)
        evidence = [
            evidence_of(
                codes,
                scores,
                (labels[train], labels[test]),
                (weights[train], weights[test]),
                n_classes,
                of_step,
            )
            for labels, n_classes in self._targets()
        ]
        squares = None
        if data.numbers is not None:
            numbers = above_least(data.numbers)
            pair = numbers[train], numbers[test]
            squares = ridge_errors(codes, scores, pair, weights[train], of_step)
        return Fold(places, weights[test], steps, evidence, squares)

    def _targets(self) -> list[tuple[NDArray[np.int32], int]]:
        """Return the targets to predict, with their numbers of classes; one for each label."""
        data = self.data
        if data.membership is None:
            return [(data.labels, data.n_classes)]
        outputs = range(data.n_outputs)
        return [(data.about.rows_of(i, data.labels).astype(np.int32), 2) for i in outputs]

    def _selected(self, coded: CodedData, n_selected: int) -> tuple[list[int], list[Sequence[int]]]:
        """Select on training rows as the fit did; return the steps and the columns of each."""
        grouping, table = (None, coded) if self.groups is None else grouped(coded, self.groups)
        setting, stop = self.setting, deepcopy(self._stop)
        if stop is not None and self._is_tested:
            stop.random_state = 0 if stop.random_state is None else stop.random_state
            setting = replace(setting, stop=stop)
        elif stop is not None:
            # The cut points have seen the classes, and cannot be placed again for a test.
            if n_selected == 0:
                return [], []
            setting = replace(setting, n_features_to_select=n_selected, stop=None)
        setting = replace(setting, store_candidates=False)
        steps = dea_cs(table, setting, n_jobs=self.n_jobs).ranking.tolist()
        return steps, [[j] if grouping is None else grouping.members[j] for j in steps]

    @property
    def _stop(self) -> Significant | None:
        return read_stop(self.setting.stop, self.setting.n_features_to_select)

    @property
    def _is_tested(self) -> bool:
        """Whether folds can be tested: cut points that the classes placed are placed again."""
        return self.X is not None or not any(feature.by_classes for feature in self.data.features)

    @property
    def _cuts_again(self) -> bool:
        """Whether the classes of held-out rows were used to place cut points."""
        return self.X is not None and any(feature.by_classes for feature in self.data.features)

    @cached_property
    def _table(self) -> Any:
        """The columns of `X` that were fitted, which must have the codes that they had then."""
        try:
            table = self._fitted_columns()
            is_same = self._has_the_codes_of_fit(table)
        except (InputError, LookupError, TypeError, ValueError) as error:
            raise TableChanged from error
        if not is_same:
            raise TableChanged
        return table

    def _fitted_columns(self) -> Any:
        """Return `X` without columns that were added after the fit."""
        names = list(self.data.feature_names)
        if not self.data.is_named or not is_frame(self.X):
            return self.X
        known = [str(name) for name in nw.from_native(self.X, eager_only=True).columns]
        if known == names or len({*names}) < len(names):
            return self.X
        return take_columns(self.X, np.array([known.index(name) for name in names]))

    def _has_the_codes_of_fit(self, table: Any) -> bool:
        """Whether a table has the codes of the fit in all rows."""
        data = self.data
        if self.sample_weight is not None:
            table = take_rows(table, self._places(np.arange(data.n_rows)))
        n_at_once = max(CODES_AT_ONCE // data.n_rows, 1)
        if data.transformed is not None:  # the transformer sees all columns
            n_at_once = data.n_features
        for first in range(0, data.n_features, n_at_once):
            which = np.arange(first, min(first + n_at_once, data.n_features))
            part = table if len(which) == data.n_features else take_columns(table, which)
            is_part = data.transformed is None
            codes = code_new_rows(data, part, which.tolist(), are_chosen=is_part)
            known = enumerate(which.tolist())
            if len(codes) != data.n_rows or any(
                (codes[:, k] != data.column(j)).any() for k, j in known
            ):
                return False
        return True

    def _coded(self, rows: Rows) -> CodedData:
        if self._cuts_again:
            places = self._places(rows)
            weights = None if self.sample_weight is None else np.asarray(self.sample_weight)[places]
            targets = self.data.targets.take(rows)
            kinds = np.array([feature.kind == "discrete" for feature in self.data.features])
            how = {**(self.coding or {}), "discrete_features": kinds, "sample_weight": weights}
            how["recodable"] = self._stop is not None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit has already warned
                some = encode(take_rows(self._table, places), targets, n_jobs=self.n_jobs, **how)
        else:
            weights = None if self.data.weights is None else self.data.weights[rows]
            scale = self.data.weight_scale
            some = replace(self.data.take(rows), weights=weights, weight_scale=scale)
        view = order_view(self.data)
        # Ranks do not depend on the classes, so those of all rows are used.
        return replace(some, order=OrderView(view.scores[:, rows], view.features))

    def _places(self, rows: Rows) -> Rows:
        """Return the table positions of coded rows; rows of weight zero are not coded."""
        if self.sample_weight is None:
            return rows
        return np.flatnonzero(np.asarray(self.sample_weight))[rows]

    def _new_codes(self, coded: CodedData, rows: Rows, columns: Sequence[int]) -> NDArray[np.int64]:
        if self._cuts_again and columns:
            places = self._places(rows)
            if coded.transformed is not None:  # the transformer sees all columns
                return code_new_rows(coded, take_rows(self._table, places), columns)
            some = take_rows(take_columns(self._table, np.array(columns, dtype=np.int64)), places)
            return code_new_rows(coded, some, columns, are_chosen=True)
        return _columns(self.data, columns)[rows]

    def _scores(self, rows: Rows, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the normal scores of some columns; 0 for columns without an order."""
        view = order_view(self.data)
        place = {int(feature): k for k, feature in enumerate(view.features)}
        scores = np.zeros((len(rows), len(columns)))
        for k, column in enumerate(columns):
            if column in place:
                scores[:, k] = view.scores[place[column], rows] / SCORE_SCALE
        return scores


def _columns(data: CodedData, columns: Sequence[int]) -> NDArray[np.int64]:
    codes = np.empty((data.n_rows, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        codes[:, k] = data.column(column)
    return codes
