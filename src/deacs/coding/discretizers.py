"""Discretisers by name, and those of a user: transformers that are fitted once.

Every function of one takes typed columns, labels, weights and threads, and returns one ascending
array of cut points for each column.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.coding.cuts import (
    CutPoints,
    OnCut,
    equal_frequency_cut_points,
    equal_width_cut_points,
    mdlp_cut_points,
)
from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Labels, Weights, read_columns

__all__ = [
    "DISCRETIZERS",
    "Discretizer",
    "TransformedColumns",
    "find_discretizer",
    "register_discretizer",
]


FALLBACK_BINS = 3
"""The intervals of "auto" for a column that MDLP leaves uncut."""


@dataclass(frozen=True)
class Discretizer:
    """A method to place cut points.

    Attributes
    ----------
    name : str
        Its name for `discretizer=` and `--discretizer`.
    title : str
        Its name in documentation.
    find : callable
        `find(columns, labels, n_jobs=..., weights=...)` returns the cut points of each column.
    needs_classes : bool
        Whether cut points depend on the classes.
    options : mapping
        Keyword arguments of `find`.
    reports : bool
        Whether `find` also takes `on_cut`, and calls it with all columns, a few at a time, once
        they are sorted and cut (`deacs.coding.cuts.CutColumns`).
    """

    name: str
    title: str
    find: Callable[..., CutPoints]
    needs_classes: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    reports: bool = False

    def __call__(
        self,
        columns: Sequence[Column],
        labels: Labels | None,
        n_jobs: int | None = None,
        weights: Weights | None = None,
        *,
        on_cut: OnCut | None = None,
    ) -> CutPoints:
        """Return the cut points of each column."""
        more = {"on_cut": on_cut, **self.options} if self.reports else self.options
        return self.find(columns, labels, n_jobs=n_jobs, weights=weights, **more)


DISCRETIZERS: dict[str, Discretizer] = {}
"""All discretisers, by name."""


def register_discretizer(discretizer: Discretizer) -> Discretizer:
    """Register a discretiser by name, for Python and the command line.

    Parameters
    ----------
    discretizer : Discretizer
        Its name must be new.

    Examples
    --------
    >>> import numpy as np
    >>> from deacs import encode
    >>> from deacs.coding import DISCRETIZERS, Discretizer, register_discretizer
    >>> def at_zero(columns, labels, n_jobs=None, weights=None):
    ...     return [np.array([0.0]) for _ in columns]
    >>> _ = register_discretizer(Discretizer("sign", "The sign", at_zero))
    >>> encode(np.array([[-1.5], [2.5]]), [0, 1], discretizer="sign").column(0).tolist()
    [0, 1]
    >>> _ = DISCRETIZERS.pop("sign")
    """
    if discretizer.name in DISCRETIZERS:
        raise InputError(
            f"discretizers must have different names, got {discretizer.name!r} again; choose "
            "another name"
        )
    DISCRETIZERS[discretizer.name] = discretizer
    return discretizer


def find_discretizer(given: Any) -> Discretizer:
    """Return a discretiser by name, or that of `MDLP` and its like with their parameters."""
    if hasattr(given, "as_discretizer"):
        method: Discretizer = given.as_discretizer()
        return method
    if given not in DISCRETIZERS:
        raise InputError(
            Parameter("discretizer"),
            f" must be one of {', '.join(DISCRETIZERS)}, a transformer or None, got {given!r}",
            accepted=tuple(DISCRETIZERS),
        )
    return DISCRETIZERS[given]


for _known in (
    Discretizer(
        "mdlp", "MDLP (Fayyad and Irani)", mdlp_cut_points, needs_classes=True, reports=True
    ),
    Discretizer("equal-width", "Equal width", equal_width_cut_points),
    Discretizer("equal-frequency", "Equal frequency", equal_frequency_cut_points),
    # MDLP cuts a column only if it is informative about the classes by itself; what it says
    # together with others is then lost. Three intervals keep it, at the price of noise.
    Discretizer(
        "auto",
        "MDLP; equal frequency where it makes no cut",
        mdlp_cut_points,
        needs_classes=True,
        options={"fallback_bins": FALLBACK_BINS},
        reports=True,
    ),
):
    register_discretizer(_known)


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
