"""Selectors that can select again on some of their rows, to say what holds for others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedData, CodedTable
from deacs.selection._coded import CodedSelector
from deacs.selection._refits import Refits
from deacs.selection._setting import Setting
from deacs.selection.held_out import HeldOut

__all__ = ["Repeatable"]


class Repeatable(CodedSelector):
    """A selector by one `Setting` that keeps its rows in memory while it is not pickled."""

    _refits: Refits | None
    _held_out: HeldOut | None

    def _repeatable(self, data: CodedTable, setting: Setting) -> Refits | None:
        """Keep what it takes to select again on some of the rows, where they are in memory."""
        if not hasattr(self, "_table_given"):  # a selection that goes on
            return None if self._refits is None else replace(self._refits, setting=setting)
        X, sample_weight = self._table_given
        del self._table_given
        table = self._ungrouped if self._grouping is not None else data
        if not isinstance(table, CodedData):
            return None
        coding = {"discretizer": self.discretizer, "missing": self.missing}
        return Refits(table, setting, X, sample_weight, coding, self.groups, self.n_jobs)

    def coded_table(self, X: Any, y: Any, sample_weight: Any = None) -> CodedData | None:
        """Return the coded table of the fit, if this is the table it was fitted on.

        Parameters
        ----------
        X, y, sample_weight
            As they were given to `fit`: the same objects, or equal classes.

        Returns
        -------
        CodedData or None
            None: another table, or one that is not in memory any more.
        """
        check_is_fitted(self)
        kept = self._refits
        if kept is None or X is not kept.X or sample_weight is not kept.sample_weight:
            return None
        target = kept.data.targets.values_of(np.arange(kept.data.n_rows))
        return kept.data if np.array_equal(target, np.asarray(y)) else None

    @property
    def held_out_(self) -> HeldOut:
        """How the first features do on rows that took no part in selecting them.

        Computed when it is first asked for, by selecting again on parts of the rows: about as long
        as four fits. It needs the fitted rows, which pickled selectors do not hold.
        """
        check_is_fitted(self)
        if self._held_out is None:
            if self._refits is None:
                raise AttributeError(
                    "unexplained_ needs the fitted rows in memory; ask for it before pickling, and "
                    "where a store or a cluster holds the rows, fit a sample of them"
                )
            n_steps = len(self.ranking_) if self._grouping is None else len(self.groups_)
            self._held_out = self._refits.held_out(n_steps).at(self._steps())
        return self._held_out

    @property
    def unexplained_(self) -> NDArray[np.float64]:
        """Share of each class's uncertainty left for rows not seen, (n_selected + 1, n_classes)."""
        return self.held_out_.unexplained

    def _steps(self) -> NDArray[np.intp]:
        """Return, for each selected column, the step that selected it."""
        if self._grouping is None:
            return np.arange(len(self.ranking_))
        return np.repeat(np.arange(len(self.groups_)), [len(group) for group in self.groups_])

    def __getstate__(self) -> Any:
        return {**super().__getstate__(), "_refits": None}
