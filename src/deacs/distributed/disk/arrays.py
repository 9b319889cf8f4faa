"""Read arrays safely from untrusted `.npy` and `.npz` files.

`numpy.load` believes headers: it unpacks, casts and allocates what they say. Here an array must
fill its file exactly, an archive must not be packed, and what is not a plain array is refused.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from mmap import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["array_in", "arrays_in"]

HEADER_BYTES = 1 << 14
"""More than any header takes; numpy refuses those above 10,000."""
KINDS = "biufmMUS"
"""Booleans, numbers, times and text: what a store keeps as arrays."""


def array_in(raw: bytes | mmap) -> NDArray[Any]:
    """Return the array of a `.npy` file as a read-only view of its bytes.

    Raises
    ------
    ValueError
        If it is not a plain array that fills the file.
    """
    head = io.BytesIO(raw[:HEADER_BYTES])
    if np.lib.format.read_magic(head) != (1, 0):
        raise InputError("its format is not version 1.0")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(head)
    if dtype.kind not in KINDS or dtype.hasobject or (is_fortran and len(shape) > 1):
        raise InputError(f"it holds {dtype}, which a store does not")
    n_items = 1
    for n in shape:  # of Python's integers, which do not wrap around
        n_items *= int(n)
    n_bytes = len(raw) - head.tell()
    if n_items < 0 or n_items * dtype.itemsize != n_bytes:
        raise InputError(f"{dtype} of shape {shape} does not take its {n_bytes:,} bytes")
    if n_items == 0:
        return np.empty(shape, dtype)
    found = np.frombuffer(raw, dtype, n_items, head.tell()).reshape(shape)
    if not found.flags.aligned:
        raise InputError("it does not begin at a multiple of its type")
    return found


def arrays_in(raw: bytes) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a `.npz` file as `numpy.savez` writes it.

    Raises
    ------
    ValueError, zipfile.BadZipFile
        If it is anything else.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
        if any(m.compress_type != zipfile.ZIP_STORED for m in members):
            raise InputError("its arrays are packed")
        if sum(m.file_size for m in members) > len(raw):
            raise InputError("its arrays are larger than itself")
        return {m.filename.removesuffix(".npy"): array_in(archive.read(m)) for m in members}
