"""Read arrays safely from untrusted `.npy` and `.npz` files.

`numpy.load` trusts headers: it decompresses, casts and allocates what they say. Here an array must
fill its file exactly, an archive must not be compressed, and only plain arrays are accepted.
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
"""Longer than any header: numpy refuses headers above 10,000 bytes."""
KINDS = "biufmMUS"
"""The kinds of arrays in a store: booleans, numbers, times and text."""


def array_in(raw: bytes | mmap) -> NDArray[Any]:
    """Return the array of a `.npy` file as a read-only view of its bytes.

    ValueError, if it is not a plain array that fills the file.
    """
    head = io.BytesIO(raw[:HEADER_BYTES])
    if np.lib.format.read_magic(head) != (1, 0):
        raise InputError("its format is not version 1.0")
    shape, is_fortran, dtype = np.lib.format.read_array_header_1_0(head)
    if dtype.kind not in KINDS or dtype.hasobject or (is_fortran and len(shape) > 1):
        raise InputError(f"it holds {dtype}, which a store does not")
    n_items = 1
    for n in shape:  # as Python integers, which do not overflow
        n_items *= int(n)
    n_bytes = len(raw) - head.tell()
    if n_items < 0 or n_items * dtype.itemsize != n_bytes:
        raise InputError(f"{dtype} of shape {shape} does not take its {n_bytes:,} bytes")
    if n_items == 0:
        return np.empty(shape, dtype)
    found = np.frombuffer(raw, dtype, n_items, head.tell()).reshape(shape)
    if not found.flags.aligned:
        raise InputError("its values are not aligned")
    return found


def arrays_in(raw: bytes) -> Mapping[str, NDArray[Any]]:
    """Return the arrays of a `.npz` file as `numpy.savez` writes it.

    ValueError or zipfile.BadZipFile, if it is not such a file.
    """
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        members = archive.infolist()
        if any(m.compress_type != zipfile.ZIP_STORED for m in members):
            raise InputError("its arrays are compressed")
        if sum(m.file_size for m in members) > len(raw):
            raise InputError("its arrays are larger than the file")
        return {m.filename.removesuffix(".npy"): array_in(archive.read(m)) for m in members}
