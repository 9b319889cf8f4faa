"""`--method`: every selector under the name that people type."""

from enum import StrEnum
from typing import Any

import deacs
from deacs.exceptions import InputError
from deacs.experiments.methods import METHODS

__all__ = ["Method", "rank"]

Method = StrEnum("Method", {name.replace("-", "_"): name for name in METHODS})  # type: ignore[misc]
"""The names, as the command line offers them."""


def rank(method: str, data: Any, table: tuple[Any, Any], settings: dict[str, Any]) -> Any:
    """Fit a selector with its default parameters and those settings that it has.

    Parameters
    ----------
    method : str
        A name of `Method`.
    data : CodedData
        The coded table, for selectors that count.
    table : tuple of X and y
        The table itself, for those that measure distances.
    settings : dict
        Parameters; one that the selector lacks must be None.
    """
    selector_class = getattr(deacs, METHODS[method])
    known = selector_class().get_params()
    for name, value in settings.items():
        if name not in known and value is not None:
            raise InputError(f"--{name.replace('_', '-')} does not apply to --method {method}")
    selector = selector_class(
        **{name: v for name, v in settings.items() if name in known and v is not None}
    )
    return selector.fit(data) if "missing" in known else selector.fit(*table)
