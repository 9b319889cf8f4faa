"""Layout of a coded store on disk: the names of its files, and the error for one that is damaged.

| file | what it holds |
|---|---|
| `manifest.json` | format, version, shape, sizes and CRC-32 of the small files; written last |
| `features.npz` | names, classes, codings, ignored codes, CRC-32 of every column of codes |
| `labels.npy`, `weights.npy` | int32 and int64, one for each row; no weights: no file |
| `codes-1.bin`, `-2`, `-4` | codes of 1, 2, 4 bytes, little-endian, one feature after another |
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from deacs.exceptions import InputError, Parameter

__all__ = [
    "CODES",
    "FEATURES",
    "LABELS",
    "MANIFEST",
    "WEIGHTS",
    "code_type",
    "damaged",
    "is_store",
    "partial_place",
    "reading",
    "refuse_taken",
]

MANIFEST, FEATURES, LABELS, WEIGHTS = "manifest.json", "features.npz", "labels.npy", "weights.npy"
CODES = {width: f"codes-{width}.bin" for width in (1, 2, 4)}
"""The files of codes, by the bytes of a code."""


def is_store(path: str | Path) -> bool:
    """Return whether a directory is a finished store, by its manifest."""
    return (Path(path) / MANIFEST).is_file()


def partial_place(place: Path) -> Path:
    """Return the folder in which a store is made before it is moved to its place."""
    return place.with_name(f"{place.name}.partial")


def code_type(width: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the type of codes of so many bytes."""
    return np.dtype(f"<u{width}")


def refuse_taken(place: Path, overwrite: bool) -> None:
    """Raise InputError if a store may not be made there; nothing but a store is ever replaced."""
    if place.exists() and not (overwrite and is_store(place)):
        taken = f"{place} is there already; name another directory ("
        if is_store(place):
            raise InputError(taken, Parameter("overwrite", True), " replaces it)")
        raise InputError(taken, "it is not a coded store)")


def damaged(place: Path, what: str) -> InputError:
    """Return the error for a store that is not what was written."""
    return InputError(f"the store is damaged: {what} ({place}); encode the files again")


@contextmanager
def reading(place: Path, what: str) -> Iterator[None]:
    """Say that the store is damaged, whatever goes wrong while a part of it is understood.

    Parsers of formats raise all kinds of errors on bytes that nobody wrote.
    """
    try:
        yield
    except Exception as error:
        raise damaged(place, f"{what}: {str(error) or type(error).__name__}") from error
