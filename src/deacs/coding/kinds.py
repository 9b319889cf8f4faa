"""Decide which columns are discrete and which continuous."""

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Table
from deacs.tables.names import unknown_name

__all__ = ["MAX_DISCRETE_INTEGERS", "discrete_mask", "named_features"]

MAX_DISCRETE_INTEGERS = 32
"""An integer column with more distinct values is continuous, unless the caller says otherwise."""

logger = logging.getLogger("deacs")


def discrete_mask(table: Table, discrete_features: Any = "auto") -> NDArray[np.bool_]:
    """Decide for each column whether it is discrete.

    `"auto"`: floats are continuous; booleans and nominal columns discrete; integers discrete up
    to 32 distinct values. True or False decide for every column, a mask for each; names or
    indices list the discrete columns, the other numbers are continuous, and nominal columns stay
    nominal.
    """
    n = len(table.columns)
    nominal = np.array([column.kind == "nominal" for column in table.columns])
    if isinstance(discrete_features, str):
        if discrete_features != "auto":
            raise _not_features(discrete_features)
        return _auto(table)
    if isinstance(discrete_features, (bool, np.bool_)):
        mask = np.full(n, bool(discrete_features))
        return _refuse_continuous_text(table, mask, nominal)
    if not isinstance(discrete_features, Iterable):
        raise _not_features(discrete_features)
    given = list(discrete_features)
    if given and all(isinstance(item, (bool, np.bool_)) for item in given):
        if len(given) != n:
            raise InputError(
                f"discrete_features as a mask must have one entry for each of the {n} columns, "
                f"got {len(given)}"
            )
        return _refuse_continuous_text(table, np.array(given), nominal)
    mask = nominal.copy()
    mask[named_features(given, table.names, "discrete_features")] = True
    return mask


def _not_features(given: Any) -> InputError:
    return InputError(
        Parameter("discrete_features"),
        " must be 'auto', a bool, a mask, or a list of names or indices, got "
        f"{given!r}; to name one column, pass a list",
    )


def named_features(given: Sequence[Any], names: Sequence[str], parameter: str) -> list[int]:
    """Turn names or indices into indices; unknown or repeated ones raise an error."""
    position = {name: j for j, name in enumerate(names)} if given else {}
    found: list[int] = []
    for item in given:
        if isinstance(item, str):
            if item not in position:
                raise InputError(
                    Parameter(parameter),
                    f" names {item!r}, {unknown_name(item, names)}",
                    accepted=tuple(names),
                )
            found.append(position[item])
        elif isinstance(item, (int, np.integer)) and not isinstance(item, bool):
            if not -len(names) <= item < len(names):
                raise InputError(
                    Parameter(parameter),
                    f" must hold indices from 0 to {len(names) - 1}, got {item}",
                )
            found.append(int(item) % len(names))
        else:
            raise InputError(
                Parameter(parameter), f" must hold column names or indices, got {item!r}"
            )
    if len(set(found)) < len(found):
        twice = next(names[j] for j in found if found.count(j) > 1)
        raise InputError(Parameter(parameter), f" must name each column once, got {twice!r} twice")
    return found


def _auto(table: Table) -> NDArray[np.bool_]:
    mask = np.ones(len(table.columns), dtype=bool)
    wide = []
    for j, column in enumerate(table.columns):
        if column.kind == "float":
            mask[j] = False
        elif column.kind == "integer" and _has_many_values(column):
            mask[j] = False
            wide.append(column.name)
    if wide:
        shown = ", ".join(wide[:8]) + (f" and {len(wide) - 8} more" if len(wide) > 8 else "")
        logger.info(
            "integer columns with more than %d distinct values are continuous: %s",
            MAX_DISCRETE_INTEGERS,
            shown,
        )
    return mask


def _has_many_values(column: Column) -> bool:
    values = column.present
    if len(values) == 0 or int(values.max()) - int(values.min()) < MAX_DISCRETE_INTEGERS:
        return False
    # Most wide columns show more than 32 values among their first rows.
    if len(np.unique(values[:256])) > MAX_DISCRETE_INTEGERS:
        return True
    return len(np.unique(values)) > MAX_DISCRETE_INTEGERS


def _refuse_continuous_text(
    table: Table, mask: NDArray[np.bool_], nominal: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    for j in np.flatnonzero(nominal & ~mask):
        raise InputError(
            f"discrete_features makes column {table.names[j]!r} continuous, but it holds text; "
            "include it in discrete_features, or convert it to numbers"
        )
    return mask
