"""Errors and warnings of deacs, which carry data as well as a message.

Each is also the built-in error that scikit-learn would raise. An error keeps its parts, so that
the command line can say `--missing ignore` where Python says `missing='ignore'`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from reprlib import Repr
from typing import Any

__all__ = [
    "DatabaseError",
    "DiscriminationWarning",
    "IdentifierWarning",
    "InputError",
    "Note",
    "Parameter",
    "StorageError",
    "TableWarning",
    "VersionWarning",
    "shown",
]

_NOTHING: Any = object()
SHORT = Repr()
SHORT.maxstring, SHORT.maxother = 80, 200


@dataclass(frozen=True)
class Parameter:
    """A parameter inside a message, with the value that is meant or came, if any.

    Examples
    --------
    >>> str(Parameter("budget")), str(Parameter("missing", "ignore"))
    ('budget', "missing='ignore'")
    """

    name: str
    value: Any = _NOTHING

    @property
    def has_value(self) -> bool:
        """Whether the message states a value."""
        return self.value is not _NOTHING

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.has_value else self.name

    def __reduce__(self) -> Any:
        return type(self), (self.name, self.value) if self.has_value else (self.name,)


class Note(str):
    """A caveat for the reader of a result: text that keeps its parts, and the columns it is about.

    Parameters
    ----------
    *parts : str or Parameter
        The text, in pieces.
    kind : str
        What it is about, e.g. "leak".
    columns : sequence of str
        The columns that it names.

    Examples
    --------
    >>> note = Note("DEA is weak; ", Parameter("judge", "sum"), " is an alternative")
    >>> note == "DEA is weak; judge='sum' is an alternative"
    True
    >>> note.worded(lambda parameter: f"--{parameter.name} {parameter.value}")
    'DEA is weak; --judge sum is an alternative'
    """

    parts: tuple[str | Parameter, ...]
    kind: str
    columns: tuple[str, ...]

    def __new__(cls, *parts: str | Parameter, kind: str = "", columns: Sequence[str] = ()) -> Note:
        """Join the parts in Python's words."""
        note = super().__new__(cls, "".join(map(str, parts)))
        note.parts, note.kind, note.columns = parts, kind, tuple(columns)
        return note

    def worded(self, word: Callable[[Parameter], str]) -> str:
        """Return the text with every parameter as `word` writes it."""
        return _worded(self.parts, word)

    def __getnewargs_ex__(self) -> Any:
        return self.parts, {"kind": self.kind, "columns": self.columns}


def shown(value: Any) -> str:
    """Return a value for a message: arrays by type and shape, long lists and texts cut short.

    Examples
    --------
    >>> import numpy as np
    >>> shown(np.zeros((90, 2))), shown(list(range(1000))), shown("mdlp")
    ('ndarray of shape (90, 2)', '[0, 1, 2, 3, 4, 5, ...]', "'mdlp'")
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{type(value).__name__} of shape {shape}"
    return SHORT.repr(value)


def _worded(parts: Sequence[str | Parameter], word: Callable[[Parameter], str]) -> str:
    """Join parts; a note among them is worded, too."""
    said = []
    for part in parts:
        if isinstance(part, Note):
            said.append(part.worded(word))
        else:
            said.append(part if isinstance(part, str) else word(part))
    return "".join(said)


class InputError(ValueError):
    """Input that cannot be used; the message names it, says what came and what is accepted.

    Parameters
    ----------
    *parts : str or Parameter
        The message, in pieces.
    parameter : str, optional
        The parameter at fault; by default the first one that the message names.
    columns : sequence of str
        The columns at fault.
    accepted : Any, optional
        The values that would be accepted, where they can be listed.

    Examples
    --------
    >>> error = InputError(Parameter("alpha"), " must lie between 0 and 1, got 3")
    >>> str(error), error.parameter
    ('alpha must lie between 0 and 1, got 3', 'alpha')
    >>> error.worded(lambda parameter: f"--{parameter.name}")
    '--alpha must lie between 0 and 1, got 3'
    """

    def __init__(
        self,
        *parts: str | Parameter,
        parameter: str | None = None,
        columns: Sequence[str] = (),
        accepted: Any = None,
    ) -> None:
        super().__init__("".join(map(str, parts)))
        self.parts = parts
        named = next((part.name for part in parts if isinstance(part, Parameter)), None)
        self.parameter = named if parameter is None else parameter
        self.columns = tuple(columns)
        self.accepted = accepted

    def worded(self, word: Callable[[Parameter], str]) -> str:
        """Return the message with every parameter as `word` writes it."""
        return _worded(self.parts, word)

    def __reduce__(self) -> Any:
        how = {"parameter": self.parameter, "columns": self.columns, "accepted": self.accepted}
        return _rebuilt, (type(self), self.parts, how)


def _rebuilt(kind: type[InputError], parts: Sequence[Any], how: dict[str, Any]) -> InputError:
    return kind(*parts, **how)


class DatabaseError(RuntimeError):
    """A database cannot go on; the message says what happened and what to do."""


class StorageError(OSError):
    """Storage failed, was cut off or is full; the message says what happened."""


class TableWarning(UserWarning):
    """Columns that are likely to be misread, or to say more than they will of new rows.

    Attributes
    ----------
    columns : tuple of str
        The suspected columns.
    """

    def __init__(self, message: str = "", columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = tuple(columns)


class IdentifierWarning(TableWarning):
    """Columns that identify rows, by name or number: what they say holds for no other rows."""


class DiscriminationWarning(UserWarning):
    """Too many outputs for so few units: DEA separates them weakly."""


class VersionWarning(UserWarning):
    """An estimator that another version of deacs pickled, which may read it wrongly.

    Attributes
    ----------
    estimator : str
        The class of the estimator.
    written, reading : str or None
        The version that wrote it (None: one before 0.1.0 that did not say) and this one.
    """

    def __init__(self, estimator: str = "", written: str | None = None, reading: str = "") -> None:
        self.estimator, self.written, self.reading = estimator, written, reading
        writer = "a version that did not say which" if written is None else written
        super().__init__(
            f"{estimator} was pickled by deacs {writer}, and this is {reading}: attributes may be "
            "missing or mean something else; fit it again, or install the version that wrote it"
        )

    def __reduce__(self) -> Any:
        return VersionWarning, (self.estimator, self.written, self.reading)
