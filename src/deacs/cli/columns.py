"""Columns with a special role: weights, costs, and numbers that are categories."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from deacs.cli.lists import listed
from deacs.exceptions import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["kinds_of", "read_prices", "without"]


def kinds_of(X: "pl.DataFrame", discrete: list[str] | None) -> Any:
    """Return which columns are discrete: those named, and those that `encode` would choose."""
    if not discrete:
        return "auto"
    from deacs.coding import named_features
    from deacs.coding.kinds import discrete_mask
    from deacs.tables import read_columns

    mask = discrete_mask(read_columns(X))
    mask[named_features(listed(discrete), X.columns, "--discrete")] = True
    return mask


def without(X: "pl.DataFrame", column: str | None) -> "tuple[pl.DataFrame, pl.Series | None]":
    """Split the column of weights off the table."""
    if column is None:
        return X, None
    import polars as pl

    from deacs.coding import named_features

    named_features([column], X.columns, "--weights")
    weights = X[column]
    if not (weights.dtype.is_numeric() or weights.dtype == pl.Boolean):
        example = next((value for value in weights if value is not None), None)
        raise InputError(
            f"--weights names {column!r}, which is not a column of numbers: it holds "
            f"{str(example)!r}; name another, or write plain numbers"
        )
    return X.drop(column), weights


def read_prices(file: Path) -> dict[str, Any]:
    """Read the costs of columns from a file."""
    from deacs.tables.files import read_table

    table = read_table(file)
    if table.width < 2:
        raise InputError(f"--costs {file} must have a column of names and one of costs or more")
    names, prices = table.to_series(0).cast(str).to_list(), table[:, 1:].rows()
    return dict(zip(names, prices, strict=True))
