"""Options for reading a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypedDict

__all__ = ["Options", "ReadOptions"]


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
