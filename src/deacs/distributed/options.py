"""Checks of the options that engines share."""

from typing import Any

import numpy as np

from deacs.exceptions import InputError, Parameter

__all__ = ["refuse_fewer"]


def refuse_fewer(parameter: str, given: Any, least: int, none: str = "None") -> None:
    """Raise InputError unless an option is None or an integer of at least `least`."""
    is_integer = isinstance(given, int | np.integer) and not isinstance(given, bool)
    if given is not None and not (is_integer and given >= least):
        raise InputError(
            Parameter(parameter),
            f" must be an integer of at least {least}, or {none}, got {given!r}",
        )
