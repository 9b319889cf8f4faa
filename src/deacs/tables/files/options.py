"""Options for reading a file, and whether the columns that they name are in it."""

import operator
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.names import unknown_name

__all__ = ["Options", "ReadOptions", "if_data", "refuse_unknown", "target_column"]


class ReadOptions(TypedDict, total=False):
    """The keywords of `read_table` besides `target`, for type checkers."""

    exclude: Iterable[str]
    nominal: Iterable[str]
    format: str | None
    delimiter: str | None
    encoding: str | None
    missing_markers: Iterable[str] | None
    header: bool
    strip: bool
    drop_unlabelled: bool


@dataclass(frozen=True, slots=True)
class Options:
    """The parameters of `read_table` that a reader needs; None: detected."""

    exclude: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    delimiter: str | None = None
    encoding: str | None = None
    missing_markers: tuple[str, ...] | None = None
    header: bool | None = None
    strip: bool | None = None


def refuse_unknown(options: Options, names: Sequence[str], advice: str = "") -> None:
    """Raise an error if `exclude` or `nominal` names a column that is not in the file."""
    known = set(names)
    for parameter in ("exclude", "nominal"):
        for name in getattr(options, parameter):
            if name not in known:
                raise _unknown(parameter, name, names, advice)


def _unknown(parameter: str, name: str, names: Sequence[str], advice: str) -> InputError:
    return InputError(
        Parameter(parameter),
        f" names {name!r}, {unknown_name(name, names)}",
        advice,
        accepted=tuple(names),
    )


def target_column(target: str | int, names: Sequence[str], advice: str = "") -> str:
    """Return the target column, given by its name, `"last"` or a Python index.

    Text is a name if a column has it, else an index.
    """
    if target in names:
        return str(target)
    if target == "last":
        return names[-1]
    try:
        position = operator.index(target) if not isinstance(target, str) else int(target, 10)
    except (TypeError, ValueError):
        raise _unknown("target", str(target), names, advice) from None
    if isinstance(target, bool) or not -len(names) <= position < len(names):
        raise InputError(
            Parameter("target"),
            f" must be the name of a column, 'last', or a position from {-len(names)} to "
            f"{len(names) - 1} (0 is the first, -1 the last), got {target!r}",
            advice,
        )
    return names[position]


def if_data(names: Sequence[str]) -> Note:
    """Return advice in case the names are data, or text with spaces."""
    if any(name != name.strip() for name in names):
        return Note(
            "; some names have spaces around them: pass ",
            Parameter("strip", True),
            " to take spaces off",
        )
    if not any(re.fullmatch(r"\s*[+-]?\d[\d.,]*([eE][+-]?\d+)?\s*", name) for name in names):
        return Note()
    return Note(
        "; if the first line is data, not names, put a line of names above it, or pass ",
        Parameter("header", False),
        f" and call the columns c1 to c{len(names)}",
    )
