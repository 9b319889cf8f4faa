"""From options to a fitted selector, the one that Python would make, and to its summary."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import deacs
from deacs.cli.lists import listed
from deacs.cli.setting_options import setting_of
from deacs.exceptions import InputError, Note, Parameter
from deacs.experiments.methods import METHODS
from deacs.report.fits import summarize, summarize_elsewhere
from deacs.report.summary import Summary
from deacs.selection import PUBLISHED, Significant

if TYPE_CHECKING:
    from deacs.cli.select import SelectOptions
    from deacs.cli.selectable import Selectable

__all__ = ["selected"]

Progress = Callable[[int, str], None]
OF_ALL = ("n_features_to_select", "include", "stop")
OF_CODING = ("discretizer", "missing")


def selected(source: "Selectable", options: "SelectOptions", progress: Progress) -> Summary:
    """Select features, and collect what the selection says."""
    made, notes = _deacs(source, options) if _is_deacs(options) else (_other(source, options), [])
    known = made.get_params(deep=False)
    run = {"engine": source.engine, "n_jobs": options.n_jobs, "progress": progress}
    made.set_params(**{name: value for name, value in run.items() if name in known})
    if not source.is_file:
        made.fit(source.X)
        summary = summarize_elsewhere(made, getattr(source.X, "data", source.X))
    elif source.sample_weight is None:
        summary = summarize(made.fit(source.X, source.y), source.X, source.y)
    else:
        made.fit(source.X, source.y, sample_weight=source.sample_weight)
        summary = summarize(made, source.X, source.y, sample_weight=source.sample_weight)
    settings = _settings(summary.settings, source, options)
    name = summary.score_name if _is_deacs(options) else options.method
    return replace(
        summary, score_name=name, settings=settings, notes=(*notes, *summary.notes), snippet=""
    )


def _is_deacs(options: "SelectOptions") -> bool:
    return METHODS[options.method] == "DEACS"


def _deacs(source: "Selectable", options: "SelectOptions") -> tuple[Any, list[Note]]:
    setting = setting_of(options, **_given(options), store_candidates=options.report is not None)
    notes: list[Note] = []
    # Where the table does not hold the order of values, leave it out, unless it was asked for.
    counted = PUBLISHED["label_score"]
    is_asked = options.label_score is not None or options.estimator is not None
    lacks_order = source.engine is not None and not source.engine.capabilities.order
    if lacks_order and not is_asked and setting.label_score != counted:
        setting = replace(setting, label_score=counted)
        what = Parameter("label_score", counted)
        notes = [
            Note(
                "The table is counted where it is, without the order of values, so counts alone "
                "decide, as with ",
                what,
            )
        ]
    made = deacs.DEACS.published() if options.published else deacs.DEACS()
    return made.set_params(**vars(setting), **source.coding), notes


def _other(source: "Selectable", options: "SelectOptions") -> Any:
    """Return a selector with its default parameters and those options that it has."""
    made = getattr(deacs, METHODS[options.method])()
    known = made.get_params(deep=False)
    method = Parameter("method", options.method)
    counts = "missing" in known
    if not counts and not source.is_file:
        raise InputError(method, f" applies to files, not to {options.file}")
    given = _given(options)
    if not counts:
        others = {"sample_weight": options.sample_weight, "missing": options.missing}
        given |= {name: value for name, value in others.items() if value is not None}
    for name in given:
        if name not in known:
            what = Parameter("n_features_to_select", "auto") if name == "stop" else Parameter(name)
            raise InputError(what, " does not apply to ", method)
    coding = {name: value for name, value in source.coding.items() if name in known}
    return made.set_params(**given, **coding)


def _given(options: "SelectOptions") -> dict[str, Any]:
    """Return the options that any selector may take, as far as they were given."""
    given = {
        "n_features_to_select": options.wanted,
        "include": listed(options.include) or None,
        "stop": _stop(options),
    }
    return {name: value for name, value in given.items() if value is not None}


def _stop(options: "SelectOptions") -> Significant | None:
    if options.wanted != "auto":
        return None
    test = Significant(random_state=options.seed or 0)
    given = {"alpha": options.alpha, "rate": options.rate}
    return test.set_params(**{name: value for name, value in given.items() if value is not None})


def _settings(parameters: Any, source: "Selectable", options: "SelectOptions") -> dict[str, Any]:
    """Return the parameters that a reader needs to repeat the selection."""
    from dataclasses import fields

    from deacs.selection import Setting

    if _is_deacs(options):
        names = [field.name for field in fields(Setting)]
    else:
        names = [name for name in OF_ALL if parameters.get(name) is not None]
    if source.is_file:
        names += [name for name in OF_CODING if name in parameters]
    return {name: parameters[name] for name in names}
