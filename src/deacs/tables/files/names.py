"""Names of columns that a caller gave: each must be in the file."""

import re
from collections.abc import Iterable, Sequence

from deacs.exceptions import InputError
from deacs.tables.names import unknown_name

__all__ = ["if_data", "refuse_repeated", "refuse_unknown"]


def refuse_unknown(
    given: Iterable[str], names: Sequence[str], parameter: str, advice: str = ""
) -> None:
    """Raise InputError for a name that is not there, with the one that was perhaps meant."""
    known = set(names)
    for name in given:
        if name not in known:
            raise InputError(f"{parameter} names {name!r}, {unknown_name(name, names)}{advice}")


def if_data(names: Sequence[str]) -> str:
    """Advise what to do if the first line is no header: names that are numbers may be data."""
    if not any(re.fullmatch(r"\s*[+-]?\d[\d.,]*([eE][+-]?\d+)?\s*", name) for name in names):
        return ""
    return (
        "; if the first line is data, not names, put a line of names above it, or pass "
        f"header=False and call the columns c1 to c{len(names)}"
    )


def refuse_repeated(names: Sequence[str], where: str, advice: str = "; rename them") -> None:
    """Raise InputError if a file calls two columns by one name."""
    if len(set(names)) == len(names):
        return
    seen: set[str] = set()
    repeated = sorted({name for name in names if name in seen or seen.add(name)})  # type: ignore[func-returns-value]
    shown = ", ".join(repr(name) for name in repeated[:8])
    raise InputError(f"{where} must have unique column names, got {shown} more than once{advice}")
