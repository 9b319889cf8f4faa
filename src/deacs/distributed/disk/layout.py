"""Layout of a coded store on disk: its file names, and the error for a damaged store.

| file | what it holds |
|---|---|
| `manifest.json` | format, version, shape, sizes and CRC-32 of the small files; written last |
| `features.npz` | names, classes, codings, ignored codes, CRC-32 of every column of codes |
| `labels.npy`, `weights.npy` | int32 and int64, one for each row; no weights: no file |
| `codes-1.bin`, `-2`, `-4` | codes of 1, 2, 4 bytes, little-endian, one feature after another |
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from deacs.exceptions import InputError
from deacs.storage import Place, Remote, place_of

__all__ = [
    "CODES",
    "FEATURES",
    "LABELS",
    "MANIFEST",
    "PARTS",
    "WEIGHTS",
    "code_type",
    "damaged",
    "is_run",
    "is_store",
    "reading",
]

MANIFEST, FEATURES, LABELS, WEIGHTS = "manifest.json", "features.npz", "labels.npy", "weights.npy"
CODES = {width: f"codes-{width}.bin" for width in (1, 2, 4)}
"""The files of codes, by bytes per code."""
PARTS = (MANIFEST, FEATURES, LABELS, WEIGHTS, *CODES.values())


def is_store(path: str | Path | Remote) -> bool:
    """Return whether there is a finished store, by its manifest."""
    return (place_of(path) / MANIFEST).is_file()


def is_run(name: str) -> bool:
    """Return whether this is the name of a folder of files behind an address."""
    return re.fullmatch(r"files-[0-9a-f]{16}", name) is not None


def code_type(width: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the type of codes of `width` bytes."""
    return np.dtype(f"<u{width}")


def damaged(place: Place, what: str) -> InputError:
    """Return the error for a store that differs from what was written."""
    return InputError(f"the store is damaged: {what} ({place}); encode the files again")


@contextmanager
def reading(place: Place, what: str) -> Iterator[None]:
    """Turn any error raised while a store is read into that of a damaged store.

    Parsers raise all kinds of errors on corrupt bytes.
    """
    try:
        yield
    except Exception as error:
        raise damaged(place, f"{what}: {str(error) or type(error).__name__}") from error
