"""What `deacs select` selects from: a file that is read and coded, or a store that is coded."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deacs.cli.columns import kinds_of, without
from deacs.cli.wording import listed
from deacs.exceptions import InputError

if TYPE_CHECKING:
    import polars as pl

    from deacs import CodedData

__all__ = ["Selectable", "coded_file", "coded_store"]


@dataclass(frozen=True)
class Selectable:
    """A coded table, and where it comes from.

    Attributes
    ----------
    table : CodedTable
        What selectors take.
    data : CodedData
        Names, classes and codes of the same.
    target : str
        The class column.
    X, y : polars.DataFrame and polars.Series, or None
        The table as it was read; None for a store.
    engine : Engine or None
        What counts; None: in memory.
    """

    table: Any
    data: "CodedData"
    target: str
    X: "pl.DataFrame | None" = None
    y: "pl.Series | None" = None
    engine: Any = None


def coded_file(
    file: Path,
    target: str | None,
    *,
    exclude: list[str] | None,
    discrete: list[str] | None,
    weights: str | None,
    reading: dict[str, Any],
    coding: dict[str, Any],
) -> Selectable:
    """Read a file and code it.

    `reading` goes to `read_table`, `coding` to `encode`.
    """
    from deacs import encode
    from deacs.tables.files import read_table

    if target is None:
        raise InputError(
            "Missing option '--target' / '-t', the class column; only a coded store knows its own"
        )
    X, y = read_table(file, target=target, exclude=listed(exclude), **reading)
    X, sample_weight = without(X, weights)
    if X.width == 0:
        raise InputError("no columns are left to select from; the target is not a feature")
    kinds = kinds_of(X, discrete)
    data = encode(X, y, discrete_features=kinds, sample_weight=sample_weight, **coding)
    return Selectable(data, data, target, X, y)


def coded_store(
    place: Path, target: str | None, memory: str, not_for_stores: dict[str, Any]
) -> Selectable:
    """Open a store; options that were settled when it was made are refused."""
    from deacs.cli.encode import open_store
    from deacs.distributed import OutOfCoreEngine

    store = open_store(place, target, **not_for_stores)
    name = target or store.target or ""
    return Selectable(store, store.data, name, engine=OutOfCoreEngine(memory))
