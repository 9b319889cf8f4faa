"""Missing values: None, NaN and pandas' markers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["drop_mask", "missing_objects"]

# Recognised by name, so that pandas need not be imported.
_MARKERS = ("NoneType", "NAType", "NaTType")


def drop_mask(missing: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Return the mask, or None if nothing is missing."""
    return missing if missing.any() else None


def missing_objects(values: NDArray[Any]) -> NDArray[np.bool_] | None:
    """Return which entries of an object array are missing, or None if none is."""
    entries = values.tolist()
    # Types are few, and most columns have none of which a value can be missing.
    floats = {t for t in set(map(type, entries)) if issubclass(t, (float, np.floating))}
    markers = {t for t in set(map(type, entries)) if t.__name__ in _MARKERS}
    if not floats and not markers:
        return None
    missing = (type(v) in markers or (type(v) in floats and bool(np.isnan(v))) for v in entries)
    return drop_mask(np.fromiter(missing, bool, len(entries)))
