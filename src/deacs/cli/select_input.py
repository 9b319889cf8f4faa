"""What `deacs select` fits, and to what: an estimator; a file, codes on disk, a database."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from deacs.cli.options import given_of, listed
from deacs.exceptions import InputError, Parameter

if TYPE_CHECKING:
    import polars as pl

    from deacs.cli.select import SelectOptions

__all__ = ["DEACS", "Input", "make_selector", "read_input", "refuse"]

DEACS = "deacs"

OF_READING = (
    *("output", "groups_out", "format", "delimiter", "encoding", "missing_markers", "header"),
    *("strip", "drop_unlabelled", "targets_matching", "target_kind"),
)
"""Options that apply only to files."""

OF_CODING = ("exclude", "discrete_features", "sample_weight", "missing", "discretizer")
"""Options that apply only to tables that are not yet coded."""

OF_DATABASES = ("table",)

INNER = {
    "judge": ("tie_break", "weight_ratio"),
    "conditioning": ("min_group_size",),
    "label_score": ("estimator",),
}
"""Options of the objects that words of DEACS stand for."""


@dataclass(frozen=True, eq=False)
class Input:
    """What is selected from: a file as read, or a coded table."""

    table: Any
    target: str
    y: "pl.Series | pl.DataFrame | None" = None
    target_columns: "Sequence[pl.Series]" = ()
    sample_weight: "pl.Series | None" = None
    discrete_features: Any = "auto"
    is_coded: bool = False
    unused: tuple[str, ...] = ("n_jobs",)
    """Parameters of the selector on which its result does not depend."""


def read_input(options: "SelectOptions", opened: ExitStack) -> Input:
    """Read a file, map codes, or code a table in a database; `opened` closes what it opens."""
    from deacs.cli.table import kinds_of, table_and_target, without
    from deacs.coding.on_disk import is_codes
    from deacs.rows.addresses import is_database

    if is_database(options.file):
        return _in_database(options, opened)
    refuse(options, OF_DATABASES, f" applies to databases, not to {options.file}; leave it out")
    if is_codes(options.file):
        return _mapped(options)
    X, y, target_columns = table_and_target(options)
    X, sample_weight = without(X, options.sample_weight)
    if X.width == 0:
        raise InputError("no columns are left to select from; the target is not a feature")
    target = ",".join(column.name for column in target_columns)
    kinds = kinds_of(X, options.discrete_features)
    return Input(X, target, y, target_columns, sample_weight, kinds)


def _mapped(options: "SelectOptions") -> Input:
    """Map codes; options fixed when they were made raise an error."""
    from deacs.coding.on_disk import open_codes, target_of

    place, target = options.file, options.target
    words = (
        f" applies to files, not to the codes in {place}; leave it out (deacs encode has options "
        "of its own)"
    )
    refuse(options, (*OF_CODING, *OF_READING), words)
    made_for = target_of(place)
    if target is not None and target != made_for:
        raise InputError(
            Parameter("target"),
            f" is {target!r}, but {place} was made for {made_for!r}; leave it out, or encode the "
            "files for another target",
        )
    unused = (*Input.unused, *OF_CODING, "target")
    return Input(open_codes(place), made_for, is_coded=True, unused=unused)


def _in_database(options: "SelectOptions", opened: ExitStack) -> Input:
    """Code a table of a database."""
    from deacs.rows.addresses import connect
    from deacs.rows.encode import encode

    refuse(options, OF_READING, " does not apply to a table in a database; leave it out")
    for name in ("table", "target"):
        if getattr(options, name) is None:
            raise InputError(Parameter(name), " must be given for a table in a database")
    kinds, target = listed(options.discrete_features) or "auto", str(options.target)
    given = Input(None, target, discrete_features=kinds, is_coded=True)
    selector, targets = make_selector(options, given), listed([target])
    with connect(options.file, str(options.table), opened) as rows:
        data = encode(
            rows,
            targets[0] if len(targets) == 1 else targets,
            exclude=listed(options.exclude),
            discrete_features=kinds,
            sample_weight=options.sample_weight,
            missing=selector.missing,
            discretizer=selector.discretizer,
            recodable=options.wanted == "auto",
            order=selector._needs_order,
            memory=options.memory,
        )
    opened.callback(data.close)
    return replace(given, table=data)


def refuse(options: "SelectOptions", names: Sequence[str], *words: str | Parameter) -> None:
    """Raise an error for given options that do not apply."""
    defaults = {field.name: field.default for field in fields(options)}
    for name in names:
        if getattr(options, name) != defaults[name]:
            raise InputError(Parameter(name), *words)


def make_selector(options: "SelectOptions", source: Input) -> Any:
    """Return the selector of the method, with the given options."""
    import deacs
    from deacs.selection.methods import METHODS

    method, kind = Parameter("method", options.method), getattr(deacs, METHODS[options.method])
    make = kind.published if options.published else kind
    known = kind().get_params(deep=False)
    counts = "missing" in known
    if not counts and source.is_coded:
        raise InputError(method, f" applies to files, not to {options.file}")
    given = {
        "n_features_to_select": options.wanted,
        "include": listed(options.include) or None,
        "stop": _stop(options),
        "missing": options.missing,
        "discretizer": options.discretizer,
    }
    if not counts:
        given["sample_weight"] = options.sample_weight
        _refuse_quantity(kind, source, options, method)
    for name, value in given.items():
        if value is not None and name not in known:
            what = Parameter("n_features_to_select", "auto") if name == "stop" else Parameter(name)
            raise InputError(what, " does not apply to ", method)
    given |= {
        "target": options.target_kind,
        "discrete_features": source.discrete_features,
        "n_jobs": options.n_jobs,
    }
    if options.method == DEACS:
        given |= {name: getattr(options, name) for name in INNER}
        given |= {"costs": _costs(options), "store_candidates": options.report is not None}
    chosen = {name: value for name, value in given.items() if name in known and value is not None}
    return _with_inner(make(**chosen), options) if options.method == DEACS else make(**chosen)


def _with_inner(selector: Any, options: "SelectOptions") -> Any:
    """Set the options of the objects that words of DEACS stand for."""
    from deacs.selection.deacs import SHORT_FORMS

    for name, inner in INNER.items():
        word = getattr(selector, name)
        for key in (key for key in inner if getattr(options, key) is not None):
            if key not in SHORT_FORMS[name](word).get_params():
                raise InputError(Parameter(key), " does not apply to ", Parameter(name, word))
            selector.set_params(**{f"{name}__{key}": getattr(options, key)})
    return selector


def _costs(options: "SelectOptions") -> Any:
    from deacs import Costs
    from deacs.cli.table import read_prices

    if options.costs is not None:
        return Costs(read_prices(options.costs), options.budget)
    if options.budget is not None:
        raise InputError(Parameter("budget"), " needs ", Parameter("costs"))
    return None


def _stop(options: "SelectOptions") -> Any:
    from deacs import Significant

    if options.wanted != "auto":
        return None
    test = Significant(random_state=options.seed or 0)
    return test.set_params(**given_of(options, alpha="alpha", rate="rate"))


def _refuse_quantity(kind: Any, source: Input, options: "SelectOptions", method: Parameter) -> None:
    """Raise an error if the selector needs classes and the target is a number."""
    from deacs.tables import read_labels

    if getattr(kind, "target", None) != "classes":
        return
    target_kind: Any = options.target_kind or "auto"
    if read_labels(source.y, len(source.table), target_kind).numbers is not None:
        raise InputError(
            method,
            f" needs classes, and {source.target!r} is a quantity; use ",
            Parameter("method", "rrelieff"),
            " or a method that counts, or take each number as a class by ",
            Parameter("target_kind", "classes"),
        )
