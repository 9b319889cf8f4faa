"""Limits on memory: a number of bytes, or text such as "2GB"."""

import re
from typing import Any

import numpy as np

from deacs.exceptions import InputError, Parameter

__all__ = ["read_size", "size_in_words"]

UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
UNITS |= {"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40}


def read_size(size: Any, parameter: str = "memory") -> int:
    """Return a size in bytes.

    Examples
    --------
    >>> read_size("2GB"), read_size("1.5 MiB"), read_size(4096)
    (2000000000, 1572864, 4096)
    """
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size > 0:
        return int(size)
    if isinstance(size, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*", size.lower())
        if found and found[2] in UNITS and float(found[1]) > 0:
            return max(int(float(found[1]) * UNITS[found[2]]), 1)
    raise InputError(
        Parameter(parameter),
        " must be a positive number of bytes or a size such as '2GB', '500MB' or '1.5GiB', "
        f"got {size!r}",
    )


def size_in_words(n_bytes: float) -> str:
    """Return a size for people to read, e.g. `'1.2 GB'`."""
    for unit in ("B", "kB", "MB", "GB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.3g} TB"
