"""Columns discretised by a user's transformer, fitted once and reused for new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Labels, Weights, read_columns

__all__ = ["TransformedColumns"]


@dataclass(frozen=True, eq=False)
class TransformedColumns:
    """The continuous columns of a table, cut by a transformer.

    Attributes
    ----------
    features : tuple of int
        The columns that it transforms together.
    transformer : a transformer
        Fitted; it returns one column of few values for each.
    by_classes : bool
        Whether it uses the classes.
    """

    features: tuple[int, ...]
    transformer: Any
    by_classes: bool

    @classmethod
    def fit(
        cls,
        transformer: Any,
        features: Sequence[int],
        columns: Sequence[Column],
        labels: Labels,
        weights: Weights | None,
    ) -> Self:
        """Fit a clone of a transformer to some of the columns of a table."""
        from sklearn.base import clone
        from sklearn.utils.validation import has_fit_parameter

        given = {} if weights is None else {"sample_weight": weights.counts / weights.scale}
        if given and not has_fit_parameter(transformer, "sample_weight"):
            raise InputError(
                Parameter("discretizer"),
                " must take ",
                Parameter("sample_weight"),
                f" in fit where rows have weights, got {type(transformer).__name__}; use "
                "'mdlp', or leave the weights out",
            )
        fitted = clone(transformer)
        of_table = _matrix([columns[j] for j in features])
        fitted.fit(of_table, labels.values_of(np.arange(len(labels.codes))), **given)
        return cls(tuple(features), fitted, _uses_classes(transformer))

    def of(self, columns: Sequence[Column]) -> list[Column]:
        """Return all columns of a table, with those of the transformer cut.

        Missing values stay missing, whatever the transformer returns for them.
        """
        cut = list(columns)
        matrix = _matrix([columns[j] for j in self.features])
        made = self.transformer.transform(matrix)
        made = np.asarray(made.toarray() if hasattr(made, "toarray") else made)
        if made.shape != matrix.shape:
            raise InputError(
                Parameter("discretizer"),
                f" must return one column for each of the {matrix.shape[1]} continuous "
                f"columns, got shape {made.shape} for {matrix.shape}; KBinsDiscretizer needs "
                "encode='ordinal'",
            )
        for j, found in zip(self.features, read_columns(made).columns, strict=True):
            masks = [m for m in (columns[j].missing, found.missing) if m is not None]
            missing = np.logical_or.reduce(masks) if masks else None
            cut[j] = replace(found, name=columns[j].name, missing=missing)
        return cut


def _matrix(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Stack columns of numbers; NaN is missing."""
    matrix = np.column_stack([column.values.astype(np.float64) for column in columns])
    for j, column in enumerate(columns):
        if column.missing is not None:
            matrix[column.missing, j] = np.nan
    return matrix


def _uses_classes(transformer: Any) -> bool:
    """Whether a transformer requires classes, by its tags or by the signature of `fit`."""
    from sklearn.utils import get_tags

    y = signature(transformer.fit).parameters.get("y")
    return bool(get_tags(transformer).target_tags.required) or (
        y is not None and y.default is y.empty
    )
