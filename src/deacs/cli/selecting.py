"""Run a selection by its options and return its summary, for DEACS or any other selector."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import deacs
from deacs.cli.lists import listed
from deacs.cli.setting_options import setting_of
from deacs.coding import CodedData
from deacs.exceptions import InputError, Parameter
from deacs.greedy.label_scores import read_label_score
from deacs.greedy.setting import Setting, dea_cs, label_criterion
from deacs.greedy.stopping import Significant
from deacs.report.fits import summarize, summarize_elsewhere, summarize_path
from deacs.report.summary import Summary
from deacs.selection import HeldOut, Refits, Substitutes, find_substitutes
from deacs.selection.methods import METHODS

if TYPE_CHECKING:
    from deacs.cli.select import SelectOptions
    from deacs.cli.selectable import Selectable

__all__ = ["needs_order", "selected"]

Progress = Callable[[int, str], None]


def selected(source: "Selectable", options: "SelectOptions", progress: Progress) -> Summary:
    """Select features, and summarize the selection."""
    if METHODS[options.method] == "DEACS":
        return _by_deacs(source, options, progress)
    return _by_another(source, options, progress)


def needs_order(options: "SelectOptions") -> bool:
    """Whether the selection needs the order of values besides their codes."""
    is_deacs = METHODS[options.method] == "DEACS"
    return is_deacs and read_label_score(_setting(options).label_score).order


def _setting(options: "SelectOptions") -> Setting:
    return setting_of(
        options,
        n_features_to_select=options.wanted,
        include=listed(options.include) or None,
        stop=_stop(options),
        store_candidates=options.report is not None,
    )


def _stop(options: "SelectOptions") -> Significant | None:
    if options.wanted != "auto":
        return None
    test = Significant(random_state=options.seed or 0)
    given = {"alpha": options.alpha, "rate": options.rate}
    return test.set_params(**{name: value for name, value in given.items() if value is not None})


def _by_deacs(source: "Selectable", options: "SelectOptions", progress: Progress) -> Summary:
    setting = _setting(options)
    path = dea_cs(source.table, setting, n_jobs=options.n_jobs, progress=progress)

    # A summary with more notes is another one: what takes as long as fits is kept here.
    @cache
    def held_out() -> HeldOut | None:
        if source.X is None:
            return None
        refits = Refits(
            source.data,
            setting,
            source.X,
            source.sample_weight,
            source.coding,
            n_jobs=options.n_jobs,
        )
        return refits.held_out(path.ranking.tolist())

    @cache
    def substitutes() -> Substitutes:
        criterion = path.criterion or label_criterion(source.table, setting, n_jobs=options.n_jobs)
        is_given = path.criterion is not None
        return find_substitutes(criterion, path.ranking.tolist(), source.data, is_given=is_given)

    return summarize_path(
        path,
        source.data,
        setting,
        held_out=held_out,
        substitutes=substitutes,
        notes=path.notes,
    )


def _by_another(source: "Selectable", options: "SelectOptions", progress: Progress) -> Summary:
    """Fit a selector with its default parameters and the options that it accepts."""
    selector_class = getattr(deacs, METHODS[options.method])
    known = selector_class().get_params(deep=False)
    counts = "missing" in known
    method = Parameter("method", options.method)
    if not counts and source.X is None:
        raise InputError(method, f" applies to files, not to {options.file}")
    if getattr(selector_class, "target", None) == "classes" and source.data.about.kind == "numbers":
        raise InputError(
            method,
            f" needs classes, and {source.target!r} is a quantity; use ",
            Parameter("method", "rrelieff"),
            " or a method that counts, or take each number as a class by ",
            Parameter("target_kind", "classes"),
        )
    given: dict[str, Any] = {
        "n_features_to_select": options.wanted,
        "include": listed(options.include) or None,
        "stop": _stop(options),
    }
    if not counts:
        given |= {
            "sample_weight": options.sample_weight,
            "missing": options.missing,
            "discretizer": options.discretizer,
        }
    for name, value in given.items():
        if value is not None and name not in known:
            what = Parameter("n_features_to_select", "auto") if name == "stop" else Parameter(name)
            raise InputError(what, " does not apply to ", method)
    given["n_jobs"] = options.n_jobs
    selector = selector_class(
        **{name: value for name, value in given.items() if name in known and value is not None}
    )
    if counts:
        selector.set_progress(progress)
    fitted = selector.fit(source.table) if counts else selector.fit(source.X, source.y)
    is_here = isinstance(source.data, CodedData)
    if hasattr(fitted, "selector_"):  # cross-validation chose one, which codes rows in its own way
        summary = summarize(fitted, source.X, source.y)
        chosen = fitted.selector_.get_params(deep=False)
        given |= {name: chosen.get(name) for name in ("discretizer", "missing")}
    else:
        summary = (summarize if is_here else summarize_elsewhere)(fitted, source.data)
    settings = {
        name: value for name, value in given.items() if value is not None and name != "n_jobs"
    }
    chose = hasattr(fitted, "selector_")  # the scores are those of the chosen one
    score_name = summary.score_name if chose else options.method
    return replace(summary, score_name=score_name, settings=settings)
