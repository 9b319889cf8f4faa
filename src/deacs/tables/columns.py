"""Typed columns: a name, a kind, values, and which of them are missing."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "Kind", "Table"]

Kind = Literal["boolean", "integer", "float", "nominal"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        The column's name; `x0`, `x1`, ... for arrays without names.
    kind : {"boolean", "integer", "float", "nominal"}
        What the values are.
    values : ndarray of shape (n_rows,)
        Numbers; for a nominal column, indices into `categories`. Arbitrary where `missing`.
    missing : ndarray of bool of shape (n_rows,), or None
        Which values are missing; None if none is.
    categories : ndarray or None
        The values of a nominal column, sorted, each occurring at least once.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    categories: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Typed columns of equal length."""

    columns: tuple[Column, ...]
    n_rows: int

    @property
    def names(self) -> list[str]:
        """The columns' names, in order."""
        return [column.name for column in self.columns]
