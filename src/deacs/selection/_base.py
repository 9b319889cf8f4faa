"""Base class of all selectors: validation, ranking, table of results and truncation."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from functools import cache
from inspect import Parameter as Kind
from inspect import Signature, signature
from os import PathLike
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, ClassVar, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin

# scikit-learn has no public names for constraints of parameters, nor to ask what `set_output` set.
from sklearn.utils._param_validation import (
    InvalidParameterError,
    validate_parameter_constraints,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from deacs._all_or_nothing import AllOrNothing
from deacs._frames import LIBRARIES, frame
from deacs._versioned import Versioned
from deacs.coding import CodedData, CodedTable, named_features
from deacs.exceptions import InputError, Note, shown
from deacs.selection._html import selection_table
from deacs.selection.loop import Path, Step
from deacs.selection.options import is_whole
from deacs.selection.result import Result
from deacs.selection.rules import Check
from deacs.selection.source import Source
from deacs.tables import Target, in_memory, is_frame
from deacs.tables.gate import is_sparse

if TYPE_CHECKING:
    from deacs.selection.explanation import Explanation

__all__ = ["BaseSelector", "ranked_path"]


class BaseSelector(SelectorMixin, AllOrNothing, Versioned, BaseEstimator):
    """A selector with a ranking. At the end of `fit`, subclasses set `result_`.

    Attributes
    ----------
    result_ : Result
        The selection, from which all that is shown is read.
    """

    result_: Result

    _shares_options: ClassVar[bool]
    """Set by classes whose keyword parameters all subclasses take, as `**options`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # scikit-learn and users read parameters from the signature, so `**options` are named there.
        super().__init_subclass__(**kwargs)
        init: Any = vars(cls).get("__init__")
        own = [] if init is None else list(signature(init).parameters.values())
        if own and own[-1].kind is Kind.VAR_KEYWORD:
            parent = next(c for c in cls.__mro__[1:] if "_shares_options" in vars(c))
            shared = signature(vars(parent)["__init__"]).parameters.values()
            named = {p.name for p in own}
            options = [p for p in shared if p.kind is Kind.KEYWORD_ONLY and p.name not in named]
            init.__signature__ = Signature([*own[:-1], *options])

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    @classmethod
    @cache
    def _accepted(cls) -> dict[str, tuple[Any, tuple[type, ...]]]:
        """The default of each parameter, and the classes whose instances are accepted."""
        parameters, constraints = signature(cls.__init__).parameters, cls._parameter_constraints
        return {
            name: (parameters[name].default, tuple(c for c in accepted if isinstance(c, type)))
            for name, accepted in constraints.items()
            if name in parameters
        }

    def _validate_params(self) -> None:
        # scikit-learn's check takes as long as a small fit, and most values plainly pass it.
        if get_config()["skip_parameter_validation"]:
            return
        unusual = {}
        for name, (default, classes) in self._accepted().items():
            value = getattr(self, name)
            if value is not default and not isinstance(value, classes):
                unusual[name] = value
        if unusual:
            try:
                validate_parameter_constraints(
                    self._parameter_constraints, unusual, caller_name=type(self).__name__
                )
            except InvalidParameterError as error:
                words = str(error)
                for value in unusual.values():  # an array would fill the screen
                    words = words.replace(f"Got {value!r} instead", f"Got {shown(value)} instead")
                raise InvalidParameterError(words) from None

    def _name_as(self, data: CodedTable, **given: Any) -> None:
        """Take feature names from coded data, which also holds the other arguments of `fit`."""
        for name, value in given.items():
            if value is not None:
                raise InputError(
                    f"{name} must be None when X is CodedData, which holds the classes and the "
                    f"weights; give {name} to deacs.encode"
                )
        self.n_features_in_ = data.n_features
        self._forget("feature_names_in_")
        if data.is_named:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)

    def _take_names(self, fitted: Any) -> None:
        """Take the names of columns and classes from a fitted selector."""
        self.n_features_in_ = fitted.n_features_in_
        self._forget("feature_names_in_", "classes_")
        for name in ("feature_names_in_", "classes_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _require_target(self, X: Any, y: Any) -> None:
        """Raise scikit-learn's own error if there is no target."""
        if y is None:
            validate_data(self, X, y, skip_check_array=True)

    def _forget(self, *names: str) -> None:
        """Drop attributes of an earlier fit that this one may not have."""
        for name in names:
            self.__dict__.pop(name, None)

    def _source(self, table: Any, /, names: Sequence[str], target: Target, **rows: Any) -> Source:
        """Store the classes; return the names of the table, and its rows."""
        self._forget("classes_")
        if len(target.names):
            self.classes_ = target.names
        if target.membership is not None:  # which sets of labels occur is a part of the data
            target = replace(target, membership=np.zeros((0, len(target.names)), dtype=bool))
        is_plain = isinstance(table, CodedTable) or not is_frame(table)
        library = None if is_plain else nw.get_native_namespace(table).__name__
        return Source(
            tuple(names), target, library=library if library in LIBRARIES else None, **rows
        )

    def _result(self, source: Source, path: Path) -> Result:
        """Return the result of a fit."""
        parameters = self.get_params(deep=False)
        return Result(
            method=type(self).__name__,
            parameters=parameters,
            source=source,
            path=path,
            selector=type(self)(**parameters),
        )

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.ranking_] = True
        return mask

    def transform(self, X: Any) -> Any:
        """Keep the selected columns, in the order of X.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features_in_)
            The columns seen in `fit`; any kind of table.

        Returns
        -------
        array of shape (n_samples, n_selected), or a frame after `set_output`
            The selected columns, values and types untouched.
        """
        check_is_fitted(self)
        if isinstance(X, CodedTable):
            raise InputError("X must be the table itself, got CodedData; transform(table) instead")
        if nw.dependencies.is_dask_dataframe(X):
            return self._lazily(X)
        X = in_memory(X)
        if not is_frame(X):
            return super().transform(X)
        # Frames keep their column types; SelectorMixin would make one object array.
        validate_data(self, X, reset=False, skip_check_array=True)
        if len(self.ranking_) == 0:  # a frame without columns would have no rows
            warnings.warn("No feature was selected: no column is left.", UserWarning, stacklevel=2)
            return np.empty((len(X), 0))
        chosen = nw.from_native(X, eager_only=True)[:, self.get_support(indices=True).tolist()]
        kind = _get_output_config("transform", estimator=self)["dense"]
        if kind == "default":
            return _as_array(chosen)
        # pandas does not read tables of pyarrow.
        is_arrow = kind == "pandas" and nw.dependencies.is_pyarrow_table(X)
        return chosen.to_pandas() if is_arrow else chosen.to_native()

    def inverse_transform(self, X: Any) -> Any:
        """Put zeros in the place of the columns that `transform` left out.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_selected)
            The selected columns, in the order of the table; missing values allowed.

        Returns
        -------
        array or sparse matrix of shape (n_samples, n_features_in_)
        """
        check_is_fitted(self)
        X = in_memory(X)
        if is_sparse(X):
            return super().inverse_transform(X)
        if is_frame(X):
            values = _as_array(nw.from_native(X, eager_only=True))
        else:
            values = check_array(X, dtype=None, ensure_all_finite=False)
        support = self.get_support()
        if values.shape[1] != support.sum():
            raise InputError(
                f"X must have the {support.sum()} selected columns, got {values.shape[1]}"
            )
        whole = np.zeros((len(values), len(support)), dtype=values.dtype)
        whole[:, support] = values
        return whole

    def _lazily(self, X: Any) -> Any:
        """Keep the selected columns of a Dask frame, which stays a query."""
        names = [str(name) for name in X.columns]
        if names != list(self.result_.source.names):
            raise InputError(
                f"X must have the columns that fit saw, {list(self.result_.source.names)[:8]}, got "
                f"{names[:8]}; select them first"
            )
        return X[[X.columns[j] for j in self.get_support(indices=True)]]

    @property
    def ranking_(self) -> NDArray[np.int64]:
        """Column indices in the order they were selected, shape (n_selected,)."""
        return self.result_.column_ranking

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The score of each at selection, shape (n_selected,)."""
        return self.result_.scores[self.result_.step_of]

    @property
    def stop_reason_(self) -> str:
        """Why the selection ended."""
        return self.result_.stop_reason

    @property
    def notes_(self) -> list[Note]:
        """Caveats that a careful reader should know."""
        return self.result_.notes

    @property
    def selected_names_(self) -> list[str]:
        """Names of the selected features, in the order they were selected."""
        check_is_fitted(self)
        return [self.result_.source.names[j] for j in self.ranking_]

    def to_frame(self, library: str | None = None) -> Any:
        """Return one row for each selected feature.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            The kind of frame to return. Default: that of the fitted frame, else pandas if it is
            installed, else polars.
        """
        check_is_fitted(self)
        return frame(self._columns(), library or self.result_.source.library)

    def _columns(self) -> dict[str, Any]:
        return {
            "rank": np.arange(1, len(self.ranking_) + 1),
            "feature": self.selected_names_,
            "index": self.ranking_,
            "score": self.scores_,
        }

    def explain(self, feature: str | int) -> Explanation:
        """Explain why a feature was selected, or why it was not.

        Parameters
        ----------
        feature : str or int
            Any column, by name or index.

        Returns
        -------
        Explanation
            Printed, it is a few sentences; its attributes are the numbers.
        """
        from deacs.selection.explanation import explain

        check_is_fitted(self)
        source = self.result_.source
        if not isinstance(source.table, CodedData):
            raise InputError("explain needs the fitted rows in memory; fit on a sample of them")
        [unit] = source.units_of(named_features([feature], source.names, "feature"))
        return explain(self.result_, unit)

    def check(self, X: Any, y: Any = None, *, alpha: float = 0.05) -> Check:
        """Compare new rows with those of the fit.

        Parameters
        ----------
        X : array or frame
            New rows, with the columns of the fit; of a frame, those that were selected are enough.
        y : array-like, optional
            Their target: what the features say about it is then compared, too.
        alpha : float, default=0.05
            The probability of any false alarm, if nothing has changed.

        Returns
        -------
        Check
            `has_changed`, and for each selected feature what has; as a table by `to_frame()`.
        """
        check_is_fitted(self)
        return self.result_.rules.check(X, y, alpha=alpha)

    def save(self, path: str | PathLike[str]) -> FilePath:
        """Write what new rows are checked by as JSON; `deacs.Rules.load` reads it.

        Parameters
        ----------
        path : path
            The file; an existing one is replaced when the new one is whole.
        """
        check_is_fitted(self)
        return self.result_.rules.save(path)

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many columns to keep, from 1 to the number selected; groups are kept whole.
        """
        check_is_fitted(self)
        result = self.result_
        ends = np.cumsum([len(columns) for columns in result.columns])
        n_selected = len(result.step_of)
        if not (is_whole(n_features) and 1 <= n_features <= n_selected):
            raise InputError(
                f"n_features must be between 1 and {n_selected} (the number selected), "
                f"got {n_features!r}"
            )
        if n_features not in ends:
            raise InputError(
                f"n_features must not cut a group: it must be one of {ends.tolist()}, "
                f"got {n_features}"
            )
        shorter = copy(self)
        shorter.n_features_to_select = int(np.searchsorted(ends, n_features)) + 1
        shorter.result_ = result.first(shorter.n_features_to_select)
        return shorter

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """Show the selection in notebooks, below scikit-learn's diagram."""
        diagram = super()._repr_html_
        return lambda: str(diagram()) + self._shown()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: s + self._shown() if "html" in kind else s for kind, s in bundle.items()}

    def _shown(self) -> str:
        return selection_table(self.result_) if hasattr(self, "result_") else ""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        return tags


def ranked_path(
    ranking: NDArray[np.int64],
    scores: NDArray[np.float64],
    stop_reason: str,
    notes: Sequence[Note] = (),
) -> Path:
    """Return the path of features that were ranked by one score each."""
    nothing = np.empty(0)
    pairs = zip(ranking.tolist(), scores.tolist(), strict=True)
    steps = [Step(feature, score, nothing, nothing, len(scores)) for feature, score in pairs]
    return Path(nothing, steps, stop_reason=stop_reason, notes=list(notes))


def _as_array(table: nw.DataFrame[Any]) -> NDArray[Any]:
    """Return a frame as one array, of objects if its columns have no common type."""
    try:
        return table.to_numpy()
    except TypeError:  # as of dates and nullable numbers
        rows = np.empty(table.shape, dtype=object)
        for k, column in enumerate(table.iter_columns()):
            rows[:, k] = column.to_list()
        return rows
