"""What a selection says, as plain numbers: words, tables, charts and page read the same summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.exceptions import InputError
from deacs.report._recount import coded, criterion_of, is_radial
from deacs.report.races import Race, walk
from deacs.selection import Path
from deacs.selection._groups import grouped

__all__ = ["MOST_CLASSES", "Summary", "summarize", "summarize_path"]

Floats = NDArray[np.float64]

MOST_CLASSES = 40
"""Classes that are shown one by one; above that, those that are least explained."""

SCORE_NAMES = {
    "radial": "theta",
    "sum": "sum (bits)",
    "sbm": "SBM",
    "ram": "RAM",
    "bam": "BAM",
}
"""What the score is called that a judge of DEA-CS gives."""


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """What was selected, what each feature serves, what is left, and how to repeat it.

    Attributes
    ----------
    method, score_name : str
        The selector, and what its scores are called.
    table : CodedData
        The table as it was coded.
    data : CodedData
        What was selected from: the same table, or one with a column for each group of columns.
    columns : tuple of tuples of int
        The table's columns that each selected feature consists of: one, or those of a group.
    ranking : ndarray of int of shape (n_selected,)
        The selected features, in order, by their place in `data`.
    scores : ndarray of shape (n_selected,)
        The selector's score of each.
    label_scores : ndarray of shape (n_shown, n_classes)
        R(F; c_i | S) of each at selection, in bits; at most the first 60.
    residual : ndarray of shape (n_selected + 1, n_classes)
        H(C_i | S) before the first and after each, in bits.
    alone : ndarray of shape (n_features, n_classes)
        I(F; C_i), what each feature of the table tells by itself, in bits.
    races : tuple of Race
        The candidates of each step that is shown.
    is_radial : bool
        Whether super-efficiency alone decided, so that it also names the runner-up.
    stop_reason : str
        Why the selection ended.
    notes : tuple of str
        What a careful reader should know.
    settings : mapping of str to object
        The parameters.
    snippet : str
        What to type to get the same.
    """

    method: str
    score_name: str
    table: CodedData
    data: CodedData
    columns: tuple[tuple[int, ...], ...]
    ranking: NDArray[np.int64]
    scores: Floats
    label_scores: Floats
    residual: Floats
    alone: Floats
    races: tuple[Race, ...]
    is_radial: bool
    stop_reason: str
    notes: tuple[str, ...]
    settings: Mapping[str, Any]
    snippet: str

    def __repr__(self) -> str:
        return f"<Summary of {self.method}: {self.n_selected} of {self.data.n_features} features>"

    @property
    def n_selected(self) -> int:
        """The number of selected features."""
        return len(self.ranking)

    @property
    def is_grouped(self) -> bool:
        """Whether columns were selected in groups."""
        return self.data is not self.table

    @cached_property
    def n_telling(self) -> int:
        """The number of first features after which nothing is gained any more."""
        left = self.residual.sum(axis=1)
        return int(np.argmax(left <= left[-1] + 1e-9))

    @property
    def n_shown(self) -> int:
        """The number of selected features that are shown one by one."""
        return len(self.label_scores)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes' names."""
        return tuple(str(label) for label in self.data.classes)

    @cached_property
    def selected_names(self) -> tuple[str, ...]:
        """The selected features' names, in order."""
        return tuple(self.data.feature_names[j] for j in self.ranking)

    @cached_property
    def class_rows(self) -> NDArray[np.intp]:
        """The number of rows of each class."""
        return np.bincount(self.data.labels, minlength=self.data.n_classes)

    @cached_property
    def unexplained(self) -> Floats:
        """The share of H(C_i) that is left of each class, from 0 to 1."""
        start, end = self.residual[0], self.residual[-1]
        # Ignored missing values change the rows that count, so what is left may be more.
        shares: Floats = np.divide(end, start, out=np.zeros_like(end), where=start > 0)
        return shares.clip(max=1.0)

    @cached_property
    def shown_classes(self) -> NDArray[np.intp]:
        """The classes that a page shows one by one: all, or those with most left."""
        order = np.argsort(-self.unexplained, kind="stable")[:MOST_CLASSES]
        return np.sort(order)

    @cached_property
    def identifiers(self) -> tuple[str, ...]:
        """Discrete columns with as many values as rows."""
        n_rows = self.table.n_rows
        pairs = zip(self.table.feature_names, self.table.features, strict=True)
        return tuple(
            name
            for name, feature in pairs
            if feature.kind == "discrete" and feature.n_values == n_rows > 2
        )


def summarize(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    notes: Sequence[str] = (),
    snippet: str | None = None,
) -> Summary:
    """Collect what a fitted selector says about the table it was fitted on.

    Parameters
    ----------
    selector : fitted selector of deacs
        DEACS, MRMR, JMI, ReliefF, ...
    X : table or CodedData
        What it was fitted on.
    y : array-like of shape (n_rows,)
        The classes; None if X is CodedData.
    sample_weight : array-like of shape (n_rows,), optional
        The weights it was fitted with.
    notes : sequence of str, optional
        Further notes to show.
    snippet : str, optional
        What to type to get the same; default: the fit, in Python.

    Returns
    -------
    Summary
        For selectors other than DEACS, bits and what is left are counted here.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> summarize(DEACS(n_features_to_select=2).fit(X, y), X, y)
    <Summary of DEACS: 2 of 13 features>
    """
    if not hasattr(selector, "ranking_"):
        raise InputError(
            f"selector must be a fitted selector of deacs, got {type(selector).__name__} without "
            "ranking_; call its fit(X, y) first"
        )
    settings: dict[str, Any] = selector.get_params(deep=False)
    table = coded(X, y, settings, sample_weight)
    if (
        table.n_features != selector.n_features_in_
        or table.classes.tolist() != selector.classes_.tolist()
    ):
        raise InputError(
            f"X, y must be what the selector was fitted on: {selector.n_features_in_} features and "
            f"{len(selector.classes_)} classes, got {table.n_features} and {table.n_classes}"
        )
    method = type(selector).__name__
    counts_bits = hasattr(selector, "label_scores_")
    judge = settings.get("judge", "") if counts_bits else ""
    groups = getattr(selector, "groups_", None)
    if groups is None:
        data, ranking = table, selector.ranking_
        groups = [[j] for j in ranking.tolist()]
    else:
        grouping, data = grouped(table, settings["groups"])
        ranking = np.array(grouping.units_of(selector.ranking_.tolist()), dtype=np.int64)
    # A group's columns have the same scores: the first stands for it.
    sizes = [len(group) for group in groups]
    first = np.cumsum([0, *sizes])[:-1].astype(np.intp)
    known = None
    if counts_bits:
        last = first + np.array(sizes, dtype=np.intp)
        known = selector.label_scores_[first], selector.residual_[[0, *last.tolist()]]
    made = walk(
        data,
        ranking,
        settings.get("label_score", "one-vs-rest"),
        known=known,
        criterion=criterion_of(data, settings),
    )
    return Summary(
        method=method,
        score_name=SCORE_NAMES.get(judge, "score"),
        table=table,
        data=data,
        columns=tuple(tuple(int(j) for j in group) for group in groups),
        ranking=ranking,
        scores=selector.scores_[first],
        is_radial=counts_bits and is_radial(settings),
        stop_reason=selector.stop_reason_,
        notes=(*getattr(selector, "notes_", ()), *notes),
        settings=settings,
        snippet=_snippet(selector, settings) if snippet is None else snippet,
        **made,
    )


def summarize_path(
    path: Path,
    data: CodedData,
    settings: Mapping[str, Any],
    *,
    notes: Sequence[str] = (),
    snippet: str = "",
) -> Summary:
    """Collect what `deacs.selection.dea_cs` did; the parameters are those of `Summary`."""
    label_score = settings.get("label_score") or "one-vs-rest"
    known = path.label_scores, path.residual
    return Summary(
        method="DEACS",
        score_name=SCORE_NAMES.get(settings.get("judge") or "radial", "score"),
        table=data,
        data=data,
        columns=tuple((int(j),) for j in path.ranking),
        ranking=path.ranking,
        scores=path.scores,
        is_radial=is_radial(settings),
        stop_reason=path.stop_reason,
        notes=tuple(notes or path.notes),
        settings=settings,
        snippet=snippet,
        **walk(
            data, path.ranking, label_score, known=known, criterion=criterion_of(data, settings)
        ),
    )


def _snippet(selector: Any, settings: Mapping[str, Any]) -> str:
    """Write the fit as code, with the parameters that are not the defaults."""
    name = type(selector).__name__
    defaults = signature(type(selector)).parameters
    changed = [
        f"{key}={value!r}"
        for key, value in settings.items()
        if key != "progress" and repr(value) != repr(defaults[key].default)
    ]
    return (
        f"from deacs import {name}\n\n"
        f"selector = {name}({', '.join(changed)}).fit(X, y)\n"
        "selector.to_frame()  # one row for each selected feature\n"
        "X_selected = selector.transform(X)"
    )
