"""Options for coding a table; the library's defaults apply to those not given."""

from typing import Annotated, Any

from deacs.cli.choices import choice

__all__ = [
    "DiscretizerName",
    "MissingValues",
    "OneColumnTargetKind",
    "TargetKind",
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
