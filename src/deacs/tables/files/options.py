"""Options for reading a file."""

from dataclasses import dataclass

__all__ = ["Options"]


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
