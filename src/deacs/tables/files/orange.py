"""Headers of Orange: types and roles in two more lines, or before each name (`mS#name`, `cD#iris`).

Reference: Orange Visual Programming, "Loading your data" (Orange 3 documentation).
"""

import csv
import io
import re
import warnings
from dataclasses import dataclass
from itertools import islice

from deacs.exceptions import Drop, Note
from deacs.tables.callers import frames_to_user
from deacs.tables.files.delimiter import records
from deacs.tables.names import listed

__all__ = ["OrangeHeader", "find_header"]

NOMINAL = {"d", "discrete", "categorical", "s", "string", "text"}
TYPES = {"", "c", "continuous", "numeric", "n", "t", "time", *NOMINAL}
ROLES = {"class": "c", "meta": "m", "ignore": "i", "weight": "w"}
VALUES = re.compile(r"\S+( \S+)+")
ATTRIBUTE = re.compile(r"\w+=.*")
PREFIXED = re.compile(r"([CDNST]?[cimw]|[cimw]?[CDNST])#(.+)", re.DOTALL)


@dataclass(frozen=True)
class OrangeHeader:
    """What a header of Orange declares.

    Attributes
    ----------
    text : bytes
        The file with a plain header; its lines have the numbers of before.
    nominal : tuple of str
        The columns that are discrete or text.
    classes : tuple of str
        The class columns.
    apart : tuple of str
        The columns that Orange does not learn from.
    """

    text: bytes
    nominal: tuple[str, ...]
    classes: tuple[str, ...]
    apart: tuple[str, ...]

    def tell(self) -> None:
        """Warn of what the header says beyond names."""
        said = f"the header is Orange's; class: {listed(self.classes) or 'none'}"
        drop = (
            (f"; {listed(self.apart)}: not a feature, so ", Drop(self.apart)) if self.apart else ()
        )
        warnings.warn(Note(said, *drop, kind="orange"), stacklevel=frames_to_user())


def find_header(text: bytes, delimiter: str) -> OrangeHeader | None:
    """Return what a header of Orange declares, or None if the file has a plain one."""
    reader = records(text, delimiter)
    try:
        rows = list(islice(reader, 1))
        if rows and (one := _prefixed(rows[0])):
            names, types, roles = one
        else:
            rows += islice(reader, 2)
            if len(rows) < 3 or not _declares(*rows):
                return None
            names, types, roles = rows
    except csv.Error:
        return None
    header = io.StringIO()
    csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(names)
    n_lines = reader.line_num
    rest = text.split(b"\n", n_lines)[n_lines:]
    # Empty lines, which are skipped, keep the numbers of the others in errors.
    plain = header.getvalue().encode() + b"\n" * (n_lines - 1) + b"".join(rest)
    short = [{ROLES.get(word, word) for word in role.split()} for role in roles]
    return OrangeHeader(
        plain,
        tuple(n for n, t in zip(names, types, strict=True) if t in NOMINAL or VALUES.fullmatch(t)),
        tuple(n for n, role in zip(names, short, strict=True) if "c" in role),
        tuple(n for n, role in zip(names, short, strict=True) if role & {"m", "i", "w"}),
    )


def _prefixed(fields: list[str]) -> tuple[list[str], list[str], list[str]] | None:
    """Return names, types and roles of a header with prefixes.

    Some prefix must name a role, or every column must have one: `C#minor` may be a name.
    """
    found = [PREFIXED.fullmatch(field) for field in fields]
    flags = ["" if match is None else match[1] for match in found]
    if not (all(flags) or any(re.search("[cimw]", flag) for flag in flags)):
        return None
    names = [field if m is None else m[2] for field, m in zip(fields, found, strict=True)]
    types = ["".join(filter(str.isupper, flag)).lower() for flag in flags]
    return names, types, ["".join(filter(str.islower, flag)) for flag in flags]


def _declares(names: list[str], types: list[str], roles: list[str]) -> bool:
    """Whether the second and third line are types and roles, as no line of data would be."""
    words = {word for role in roles for word in role.split() if not ATTRIBUTE.fullmatch(word)}
    return (
        len(names) == len(types) == len(roles)
        and any(types)
        and all(type in TYPES or VALUES.fullmatch(type) for type in types)
        and any(type in TYPES - {""} for type in types)
        and words <= {*ROLES, *ROLES.values()}
        and (not words or bool(words & {*ROLES}))
    )
