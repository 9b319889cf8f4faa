"""Missing values: None, NaN and pandas' markers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["drop_mask", "missing_objects"]

# Recognised by name, so that pandas need not be imported.
_MARKERS = ("NAType", "NaTType")


def drop_mask(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the mask, or None if nothing is missing."""
    return missing if missing.any() else None


def missing_objects(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which entries of an object array are missing, or None if none is."""
    return drop_mask(np.fromiter(map(_is_missing, values.tolist()), bool, len(values)))


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in _MARKERS:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))
