"""Options that say how a table is coded; what is not given is left to the library."""

from inspect import signature
from typing import Annotated, Any

from deacs.cli.choices import choice

__all__ = [
    "DiscretizerName",
    "MissingValues",
    "TargetKind",
    "coding_by_method",
    "coding_of",
    "target_of",
]

MissingValues = Annotated[str | None, choice("missing", help="How missing values are treated:")]
DiscretizerName = Annotated[
    str | None, choice("discretizer", help="What cuts quantities into intervals:")
]
TargetKind = Annotated[str | None, choice("target_kind", help="What the target is:")]


def coding_of(options: Any) -> dict[str, Any]:
    """Return the options that were given, as `encode` takes them."""
    given = {"missing": options.missing, "discretizer": options.discretizer}
    given = {name: value for name, value in given.items() if value is not None}
    return given | target_of(options)


def target_of(options: Any) -> dict[str, Any]:
    """Return what the target is, if that was given, as `encode` takes it."""
    kind = getattr(options, "target_kind", None)
    return {} if kind is None else {"target": kind}


def coding_by_method(options: Any) -> dict[str, Any]:
    """Return how the table is coded for a method: what was given, else what its estimator does."""
    import deacs
    from deacs.experiments.methods import METHODS
    from deacs.greedy.setting import CODING, PUBLISHED_CODING

    if METHODS[options.method] == "DEACS":  # which selects without loading its estimator
        return CODING | (PUBLISHED_CODING if options.published else {}) | coding_of(options)
    known = getattr(deacs, METHODS[options.method])().get_params(deep=False)
    defaults = signature(deacs.encode).parameters
    coding = {name: known.get(name, defaults[name].default) for name in CODING}
    return coding | coding_of(options)
