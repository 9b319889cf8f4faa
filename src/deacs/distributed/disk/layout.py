"""How a coded store lies on disk: names of files, sizes, checksums, and the rename at the end.

| file | what it holds |
|---|---|
| `manifest.json` | format, version, shape, sizes and CRC-32 of the small files; written last |
| `features.npz` | names, classes, codings, ignored codes, CRC-32 of every column of codes |
| `labels.npy`, `weights.npy` | int32 and int64, one for each row; no weights: no file |
| `codes-1.bin`, `-2`, `-4` | codes of 1, 2, 4 bytes, little-endian, one feature after another |

A store is written beside its place and renamed, so a half-written one is never opened. CRC-32
finds damage, not malice.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from deacs.distributed.disk.catalogue import Catalogue
from deacs.exceptions import InputError

__all__ = [
    "FEATURES",
    "LABELS",
    "WEIGHTS",
    "check_file",
    "code_type",
    "codes_file",
    "damaged",
    "finish_store",
    "is_store",
    "partial_place",
    "read_manifest",
    "refuse_taken",
]

FORMAT = "deacs coded store"
VERSION = 1
MANIFEST, FEATURES, LABELS, WEIGHTS = "manifest.json", "features.npz", "labels.npy", "weights.npy"
PIECE = 1 << 24


def is_store(path: str | Path) -> bool:
    """Return whether a directory is a finished store, by its manifest."""
    return (Path(path) / MANIFEST).is_file()


def partial_place(place: Path) -> Path:
    """Return where a store is made before it is renamed to its place."""
    return place.with_name(f"{place.name}.partial")


def codes_file(width: int) -> str:
    """Return the name of the file that holds codes of so many bytes."""
    return f"codes-{width}.bin"


def code_type(width: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the type of codes of so many bytes."""
    return np.dtype(f"<u{width}")


def finish_store(
    partial: Path, place: Path, n_rows: int, catalogue: Catalogue, target: str | None = None
) -> None:
    """Write what describes the store, see that all of it is on the disk, and move it to its place.

    `partial` holds the codes and the labels; files with other names are left out.
    """
    (partial / FEATURES).unlink(missing_ok=True)
    catalogue.save(partial / FEATURES)
    small = [name for name in (FEATURES, LABELS, WEIGHTS) if _there(partial, name)]
    codes = [codes_file(width) for width in np.unique(catalogue.widths).tolist()]
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "n_rows": n_rows,
        "n_features": len(catalogue.features),
        "n_classes": len(catalogue.classes),
        "target": target,
        "sizes": {name: (partial / name).stat().st_size for name in small + codes},
        "checks": {name: _crc(partial / name) for name in small},
    }
    manifest["check"] = zlib.crc32(json.dumps(manifest, sort_keys=True).encode())
    (partial / MANIFEST).write_text(json.dumps(manifest, indent=2))
    for name in (*small, *codes, MANIFEST):
        with (partial / name).open("rb") as file:
            os.fsync(file.fileno())
    if place.exists():
        shutil.rmtree(place)
    partial.rename(place)


def read_manifest(place: Path) -> dict[str, Any]:
    """Read what a store says of itself, or say why it is none."""
    if not is_store(place):
        if partial_place(place).is_dir():
            raise InputError(
                f"{place} is not finished; run the same encode again, and it goes on where it ended"
            )
        raise InputError(f"{place} is not a coded store: it has no {MANIFEST}; see deacs encode")
    try:
        manifest: dict[str, Any] = json.loads((place / MANIFEST).read_bytes())
        check = manifest.pop("check")
        is_whole = check == zlib.crc32(json.dumps(manifest, sort_keys=True).encode())
    except (ValueError, KeyError, AttributeError, TypeError):
        is_whole, manifest = False, {}
    if is_whole and manifest["format"] == FORMAT and manifest["version"] != VERSION:
        raise InputError(
            f"{place} is a coded store of version {manifest['version']}, and this deacs reads "
            f"version {VERSION}; encode the files again, or use the deacs that wrote it"
        )
    if not is_whole or manifest["format"] != FORMAT:
        raise damaged(place, f"{MANIFEST} is not what was written")
    return manifest


def refuse_taken(place: Path, overwrite: bool) -> None:
    """Raise InputError if a store may not be made there; nothing but a store is ever replaced."""
    if place.exists() and not (overwrite and is_store(place)):
        advice = "overwrite=True replaces it" if is_store(place) else "it is not a coded store"
        raise InputError(f"{place} is there already; name another directory ({advice})")


def check_file(place: Path, name: str, manifest: dict[str, Any]) -> None:
    """Raise InputError if a small file is not what was written."""
    if _crc(place / name) != manifest["checks"][name]:
        raise damaged(place, f"{name} has changed")


def damaged(place: Path, what: str) -> InputError:
    """Say what is amiss, and what to do."""
    return InputError(f"{place} is damaged: {what}; encode the files again")


def _crc(path: Path) -> int:
    check = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            check = zlib.crc32(piece, check)
    return check


def _there(folder: Path, name: str) -> bool:
    return (folder / name).is_file()
