"""Build a `Summary` from a fitted selector, or from the path that `dea_cs` returns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from inspect import signature
from typing import Any

import numpy as np

from deacs.coding import CodedData, CodedTable, encode
from deacs.exceptions import InputError
from deacs.greedy.groups import grouped
from deacs.greedy.loop import Path
from deacs.greedy.setting import Setting
from deacs.report.races import given
from deacs.report.summary import Summary
from deacs.selection import OPTIONS, HeldOut, Outcome, Substitutes
from deacs.selection.outcome import Fitted, facts_of

__all__ = ["summarize", "summarize_elsewhere", "summarize_path"]


def summarize(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    notes: Sequence[str] = (),
    snippet: str | None = None,
) -> Summary:
    """Summarize a fitted selector and the table it was fitted on.

    Parameters
    ----------
    selector : fitted selector of deacs
        DEACS, MRMR, JMI, ReliefF, ...
    X : table or CodedData
        The table it was fitted on.
    y : array-like of shape (n_rows,)
        The classes; None if X is CodedData.
    sample_weight : array-like of shape (n_rows,), optional
        The weights it was fitted with.
    notes : sequence of str, optional
        Further notes to show.
    snippet : str, optional
        Code that reproduces the selection; default: the fit, in Python.

    Returns
    -------
    Summary
        For selectors other than DEACS, label scores and residuals are counted on first access.

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
    chosen = _chosen(selector)
    table = _coded(chosen, X, y, sample_weight)
    known = getattr(selector, "classes_", table.outputs)
    if table.n_features != selector.n_features_in_ or table.outputs.tolist() != known.tolist():
        raise InputError(
            f"X, y must be what the selector was fitted on: {selector.n_features_in_} features and "
            f"{len(known)} {table.about.nouns}, got {table.n_features} and {table.n_outputs}"
        )
    summary = summarize_elsewhere(selector, table)
    summary = replace(
        summary,
        settings=settings,
        notes=(*summary.notes, *notes),
        snippet=_snippet(selector, settings) if snippet is None else snippet,
    )
    _refuse_another_table(summary)
    return summary


def summarize_elsewhere(selector: Any, table: Any) -> Summary:
    """Summarize a fit of a coded table, which need not be in memory: for a terminal, not a page."""
    outcome: Outcome = selector.outcome()
    values = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    groups = outcome.settings.get("groups")
    chosen = _chosen(selector)
    return Summary(
        **(values | {"target": table.about}),
        table=table,
        data=table if groups is None else grouped(table, groups)[1],
        find_substitutes=cache(chosen.substitutes) if chosen.can_exchange else None,
    )


def _chosen(selector: Any) -> Any:
    """Return the fitted selector that cross-validation chose, whose options made the selection."""
    chosen = getattr(selector, "selector_", None)
    return chosen if hasattr(chosen, "truncate") else selector  # else another library's


def summarize_path(
    path: Path,
    data: CodedData,
    setting: Setting,
    *,
    held_out: Callable[[], HeldOut | None] | None = None,
    substitutes: Callable[[], Substitutes] | None = None,
    notes: Sequence[str] = (),
    snippet: str = "",
) -> Summary:
    """Summarize the result of `deacs.selection.dea_cs`.

    Parameters
    ----------
    path : Path
        The path that it returned.
    data : CodedData
        The table it selected from.
    setting : Setting
        The options of the selection.
    held_out : callable, optional
        Returns estimates on held-out rows; see `Refits.held_out`.
    substitutes : callable, optional
        Returns the substitutes of each feature; see `find_substitutes`.
    notes, snippet
        As in `Summary`.
    """
    return Summary(
        method="DEACS",
        settings={field.name: getattr(setting, field.name) for field in fields(setting)},
        target=data.about,
        n_features=data.n_features,
        ranking=path.ranking,
        columns=tuple((j,) for j in path.ranking.tolist()),
        selected_names=tuple(data.feature_names[j] for j in path.ranking),
        scores=path.scores,
        stop_reason=path.stop_reason,
        fitted=Fitted(
            path.label_scores,
            path.residual,
            held_out,
            candidates=tuple(path.candidate_tables),
            views=np.array(path.views) if path.views else None,
        ),
        p_values=path.p_values if _is_tested(path) else None,
        p_is_bound=path.p_is_bound,
        next_p_value=path.next_p_value,
        notes=tuple(notes or path.notes),
        table=data,
        data=data,
        snippet=snippet,
        find_substitutes=substitutes,
        **facts_of(setting),
    )


def _is_tested(path: Path) -> bool:
    return not np.isnan([*path.p_values, path.next_p_value]).all()


def _coded(selector: Any, X: Any, y: Any, sample_weight: Any) -> CodedData:
    """Return the coded table of the fit if it is in memory; else code the table."""
    if isinstance(X, CodedData):
        return X
    kept: CodedData | None = None
    if hasattr(selector, "coded_table"):
        kept = selector.coded_table(X, y, sample_weight)
    if kept is not None:
        return kept
    if isinstance(X, CodedTable):
        raise InputError(
            f"X must be a table in memory, got {type(X).__name__}: a report shows the values of "
            "features; give a sample of the rows, and a selector fitted on it"
        )
    names = ("discrete_features", "discretizer", "missing", "target")
    settings = selector.get_params(deep=False)
    how = {name: settings[name] for name in names if name in settings}
    how.setdefault("target", getattr(selector, "target", "auto"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has warned, and the page says so too
        return encode(X, y, sample_weight=sample_weight, **how)


def _refuse_another_table(summary: Summary) -> None:
    """Raise an error for a table whose class entropies differ from those of the fit."""
    if summary.fitted is None:
        return
    first = summary.ranking[:1].tolist()
    for known, conditioning in zip(
        summary.fitted.residual, given(summary.data, first), strict=False
    ):
        if not np.allclose(known, conditioning.label_entropies(), rtol=1e-6, atol=1e-9):
            raise InputError(
                "X, y must be what the selector was fitted on, and sample_weight too, but the bits "
                "of its features are others here; fit it on this table first"
            )


def _snippet(selector: Any, settings: Mapping[str, Any]) -> str:
    """Return the fit as code, with the parameters that differ from the defaults."""
    name = type(selector).__name__
    defaults = signature(type(selector)).parameters
    changed = [
        f"{key}={value!r}"
        for key, value in settings.items()
        if repr(value) != repr(defaults[key].default)
    ]
    options = sorted({type(value).__name__ for value in settings.values()} & set(OPTIONS))
    return (
        f"from deacs import {', '.join([name, *options])}\n\n"
        f"selector = {name}({', '.join(changed)}).fit(X, y)\n"
        "selector.to_frame()  # one row for each selected feature\n"
        "X_selected = selector.transform(X)"
    )
