"""Adapter for selectors of other libraries that follow scikit-learn's interface.

After `fit` such a selector has a mask of columns (`get_support`), or a rank for each of them
(`ranking_`). It takes the number of features as `n_features_to_select`, `k` or `max_features`,
or chooses it.
"""

from __future__ import annotations

from inspect import Parameter as Argument
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter, validate_data

from deacs.coding import CodedTable
from deacs.exceptions import InputError, Parameter
from deacs.selection._base import BaseSelector, ranked_path
from deacs.selection.row_subsets import weights_for
from deacs.tables import Table, TargetOption, in_memory, read_columns, read_labels

__all__ = ["ForeignSelector"]

NUMBERS = ("n_features_to_select", "k", "max_features")
"""Parameter names for the number of features."""


class ForeignSelector(BaseSelector):
    """Adapts a selector of another library to this one.

    `n_features_to_select` is passed to the selector's parameter for the number, if it has one;
    else, if it ranks columns, that many top-ranked columns are taken. `discrete_features` and
    `target` are for callers: the selector gets X and y unchanged. `ranking_` holds the selected
    columns by the selector's ranks, then by its descending `scores_`, then in table order; scores
    are NaN if it has none.
    """

    def __init__(
        self,
        selector: Any,
        n_features_to_select: int | None = None,
        discrete_features: Any = "auto",
        target: TargetOption = "auto",
    ) -> None:
        self.selector = selector
        self.n_features_to_select = n_features_to_select
        self.discrete_features = discrete_features
        self.target = target

    @property
    def takes_number(self) -> bool:
        """Whether the selector takes the number of features to select."""
        return self._number is not None

    @property
    def is_path(self) -> bool:
        """Whether it ranks all columns, so that one fit yields the best 1, 2, ... of them."""
        return not self.takes_number and not hasattr(self.selector, "get_support")

    @property
    def _number(self) -> str | None:
        parameters = self.selector.get_params(deep=False)
        return next((name for name in NUMBERS if name in parameters), None)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the selector and read its selection."""
        if isinstance(X, CodedTable):
            raise InputError(
                f"{self._name} needs the table itself, got {type(X).__name__}, which holds codes; "
                "fit X and y, or use selectors of this library only",
                parameter="selectors",
            )
        X = in_memory(X)
        table = read_columns(X)
        labels = read_labels(y, table.n_rows, self.target)
        self.selector_ = clone(self.selector)
        if self._number is not None and self.n_features_to_select is not None:
            self.selector_.set_params(**{self._number: self.n_features_to_select})
        try:
            self.selector_.fit(X, y, **self._weights(sample_weight))
        except (TypeError, ValueError) as error:
            self._explain(error, table)
            raise
        validate_data(self, X, y, skip_check_array=True)
        source = self._source(X, table.names, labels.target, X=X, y=y, sample_weight=sample_weight)
        ranking, scores = self._selected(len(table.names))
        n_wanted = self.n_features_to_select if self.is_path else None
        reached = n_wanted is not None or len(ranking) == self.n_features_to_select
        stop_reason = "n_features_to_select" if reached else "exhausted"
        ranking = ranking[:n_wanted]
        self.result_ = self._result(source, ranked_path(ranking, scores[ranking], stop_reason))
        return self

    @property
    def _name(self) -> str:
        return type(self.selector).__name__

    def _weights(self, sample_weight: Any) -> dict[str, Any]:
        """Return the weights as keyword arguments of `fit`; some selectors pass them on."""
        kinds = {argument.kind for argument in signature(self.selector.fit).parameters.values()}
        inner = getattr(self.selector, "estimator", None)
        passes_on = Argument.VAR_KEYWORD in kinds and inner is not None
        return weights_for(
            inner if passes_on and has_fit_parameter(inner, "sample_weight") else self.selector,
            sample_weight,
        )

    def _explain(self, error: Exception, table: Table) -> None:
        """Name columns with text or missing values, if any, as the likely cause of an error."""
        odd = {
            column.name: "text" if column.kind == "nominal" else "missing values"
            for column in table.columns
            if column.kind == "nominal" or column.missing is not None
        }
        if odd:
            name, what = next(iter(odd.items()))
            raise InputError(
                f"{self._name} must be able to read every column, but {name!r} holds {what}, and "
                f"it says: {str(error).splitlines()[0]}; leave it out (the selectors of this "
                "library take any table), or fill and encode the columns first",
                parameter="selectors",
                columns=list(odd),
            ) from error

    def _selected(self, n_features: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the selected columns in order, and a score for each column."""
        fitted, everything = self.selector_, np.arange(n_features)
        ranks = np.asarray(getattr(fitted, "ranking_", ()))
        scores = np.asarray(getattr(fitted, "scores_", ()), dtype=np.float64)
        if scores.shape != (n_features,):
            scores = np.full(n_features, np.nan)
        if hasattr(fitted, "get_support"):
            selected = everything[np.asarray(fitted.get_support())]
        elif ranks.ndim == 1 and len(ranks):
            # Column indices in order, rather than a rank for each column: only those contain 0.
            if len(ranks) < n_features or ranks.min() < 1:
                return ranks.astype(np.int64), scores
            selected = everything
        else:
            raise InputError(
                Parameter("selectors"),
                f" must say what they select by get_support or ranking_, got {self._name}",
            )
        keys = ranks[selected] if ranks.shape == (n_features,) else np.zeros(len(selected))
        # NaN, the score of a constant column, comes last.
        return selected[np.lexsort((selected, -scores[selected], keys))], scores
