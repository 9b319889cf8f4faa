"""Options for coding a table; the library's defaults apply to those not given."""

from inspect import signature
from typing import Annotated, Any

from deacs.cli.choices import choice

__all__ = [
    "DiscretizerName",
    "MissingValues",
    "OneColumnTargetKind",
    "TargetKind",
    "coding_by_method",
    "coding_of",
    "target_of",
]

MissingValues = Annotated[str | None, choice("missing", help="How to treat missing values:")]
DiscretizerName = Annotated[
    str | None, choice("discretizer", help="How to cut quantities into intervals:")
]
TargetKind = Annotated[str | None, choice("target_kind", help="The kind of target:")]
OneColumnTargetKind = Annotated[
    str | None, choice("one_column_target", "--target-kind", help="The kind of target:")
]
"""For commands that do not take several labels per row."""


def coding_of(options: Any) -> dict[str, Any]:
    """Return the given options as arguments of `encode`."""
    given = {"missing": options.missing, "discretizer": options.discretizer}
    given = {name: value for name, value in given.items() if value is not None}
    return given | target_of(options)


def target_of(options: Any) -> dict[str, Any]:
    """Return the kind of target, if given, as an argument of `encode`."""
    return {} if options.target_kind is None else {"target": options.target_kind}


def coding_by_method(options: Any) -> dict[str, Any]:
    """Return the coding parameters for a method: those given, else its estimator's defaults."""
    import deacs
    from deacs.greedy.setting import CODING, PUBLISHED_CODING
    from deacs.selection.methods import METHODS

    if METHODS[options.method] == "DEACS":  # which selects without loading its estimator
        return CODING | (PUBLISHED_CODING if options.published else {}) | coding_of(options)
    known = getattr(deacs, METHODS[options.method])().get_params(deep=False)
    defaults = signature(deacs.coding.encode).parameters
    coding = {name: known.get(name, defaults[name].default) for name in CODING}
    return coding | coding_of(options)
