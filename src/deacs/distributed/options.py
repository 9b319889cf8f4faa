"""Options that several engines take."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from deacs.coding.kinds import discrete_mask
from deacs.exceptions import InputError, Parameter
from deacs.tables import Column, Table

__all__ = ["discrete_among", "refuse_fewer"]


def discrete_among(given: Any, names: Sequence[str], columns: Any) -> Any:
    """Return `discrete_features` for some of the columns, as `deacs.encode` takes it.

    `columns` is a slice or a list of positions among all columns, which have the `names`.
    """
    if isinstance(given, str | bool | np.bool_):
        return given
    everything = tuple(Column(name, "float", np.empty(0)) for name in names)
    mask = discrete_mask(Table(everything, 0), given)[columns]
    # A mask decides on text, too; in a list, text need not be named.
    return mask if np.asarray(given).dtype == bool else np.flatnonzero(mask).tolist()


def refuse_fewer(parameter: str, given: Any, least: int, none: str = "None") -> None:
    """Raise InputError unless an option is None or an integer of at least `least`."""
    is_integer = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if given is not None and not (is_integer and given >= least):
        raise InputError(
            Parameter(parameter),
            f" must be an integer of at least {least}, or {none}, got {given!r}",
        )
