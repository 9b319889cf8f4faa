"""Check that the named columns are in the file."""

import operator
import re
from collections.abc import Iterable, Sequence

from deacs.exceptions import InputError, Note, Parameter
from deacs.tables.names import unknown_name

__all__ = ["if_data", "refuse_repeated", "refuse_unknown", "target_column"]


def refuse_unknown(
    given: Iterable[str], names: Sequence[str], parameter: str, advice: str = ""
) -> None:
    """Raise an error for a name that is not a column, with a suggestion."""
    known = set(names)
    for name in given:
        if name not in known:
            raise InputError(
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
        refuse_unknown([str(target)], names, "target", advice)
        raise
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


def refuse_repeated(names: Sequence[str], where: str, advice: str = "; rename them") -> None:
    """Raise an error if two columns have the same name."""
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    repeated = sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    shown = ", ".join(repr(name) for name in repeated[:8])
    raise InputError(f"{where} must have unique column names, got {shown} more than once", advice)
