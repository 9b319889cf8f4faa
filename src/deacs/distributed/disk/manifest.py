"""`manifest.json`: the shape of a store, and the sizes and checksums of its files."""

from __future__ import annotations

import json
import os
import stat
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from deacs.distributed.disk.layout import (
    CODES,
    FEATURES,
    LABELS,
    MANIFEST,
    PARTS,
    WEIGHTS,
    damaged,
    is_run,
    is_store,
)
from deacs.exceptions import InputError, Parameter
from deacs.storage import Place, Remote

__all__ = ["BEGUN", "Manifest", "refuse_taken"]

FORMAT = "deacs coded store"
BEGUN = "begun.txt"
"""In the folder of a run behind an address, until it is finished."""
VERSION = 2
ALWAYS, PERHAPS = {FEATURES, LABELS}, {WEIGHTS, *CODES.values()}


@dataclass(frozen=True)
class Manifest:
    """Description of a store."""

    n_rows: int
    n_features: int
    n_classes: int
    target: str | None
    """The name of the class column, if it came from files."""
    sizes: dict[str, int]
    """The size of every file in bytes."""
    checks: dict[str, int]
    """CRC-32 of every file except those of codes."""
    folder: str = ""
    """Behind an address, the folder of the files; in a directory, they are beside the manifest."""

    def save(self, folder: Path) -> None:
        """Write it into the folder of a store."""
        manifest = {"format": FORMAT, "version": VERSION, **asdict(self)}
        if not self.folder:
            del manifest["folder"]
        manifest["check"] = _check_of(manifest)
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=2))

    @classmethod
    def load(cls, place: Place) -> Manifest:
        """Read it from a store; InputError if there is none, or if it is damaged."""
        if not is_store(place):
            if isinstance(place, Remote) and any(is_run(name) for name in place.names()):
                raise InputError(
                    f"{place} is not finished: its writer is at work, or was stopped; then encode "
                    "again with ",
                    Parameter("overwrite", True),
                )
            raise InputError(
                f"{place} is not a coded store: it has no {MANIFEST}; see deacs encode"
            )
        raw = (place / MANIFEST).read_bytes()
        try:
            found = json.loads(raw)
            is_whole = found.pop("check") == _check_of(found) and found.pop("format") == FORMAT
            version = found.pop("version")
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError, MemoryError):
            is_whole, version = False, None
        if not is_whole:
            raise damaged(place, f"{MANIFEST} is not what was written")
        if version != VERSION:
            raise InputError(
                f"{place} is a coded store of version {version}, and this deacs reads version "
                f"{VERSION}; encode the files again, or use the deacs that wrote it"
            )
        if (fault := _fault(found)) is not None:
            raise damaged(place, f"{MANIFEST} {fault}")
        return cls(**found)


def refuse_taken(place: Place, overwrite: bool) -> None:
    """Raise InputError if a store may not be made there; nothing but a store is ever replaced."""
    if isinstance(place, Remote):
        is_taken = place.is_file() or not all(is_run(name) for name in place.names())
    else:
        is_taken = os.path.lexists(place)
    if not is_taken:
        return
    taken = f"{place} exists already; name another directory ("
    if (reason := _why_kept(place)) is not None:
        raise InputError(taken, reason, ")")
    if not overwrite:
        raise InputError(taken, Parameter("overwrite", True), " replaces it)")


def _why_kept(place: Place) -> str | None:
    """Return why what is there may not be replaced; None if it is a store and nothing else."""
    if isinstance(place, Path) and place.is_symlink():
        return "it is a symbolic link, which is not followed"
    try:
        manifest = Manifest.load(place)
    except (InputError, OSError):
        return f"it is not a coded store with a valid {MANIFEST}"
    listed = {MANIFEST} if manifest.folder else {MANIFEST, *manifest.sizes}
    if isinstance(place, Remote):
        found = set(place.names())
        runs = {name for name in found if is_run(name)}
        strange = sorted(found - runs - listed)
        for run in sorted(runs):
            inside = set((place / run).names()) - {BEGUN, *PARTS}
            strange += [f"{run}/{name}" for name in sorted(inside)]
    else:
        modes = {entry.name: entry.lstat().st_mode for entry in place.iterdir()}
        kinds = {name for name in modes if not stat.S_ISREG(modes[name])}
        strange = sorted(set(modes) - listed | listed - set(modes) | kinds)
    if strange:
        return f"it is not just a coded store: see {', '.join(strange[:3])}"
    return None


def _check_of(manifest: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(manifest, sort_keys=True).encode())


def _fault(found: dict[str, Any]) -> str | None:
    """Return what is wrong with a manifest whose checksum is valid; None if nothing is."""
    if set(found) | {"folder"} != set(Manifest.__dataclass_fields__):
        return f"has the entries {', '.join(sorted(found))}"
    if "folder" in found and not (isinstance(found["folder"], str) and is_run(found["folder"])):
        return f"names the folder {found['folder']!r}"
    for name in ("n_rows", "n_features", "n_classes"):
        if not _is_count(found[name]):
            return f"says that {name} is {found[name]!r}"
    if not isinstance(found["target"], str | None):
        return "names a target that is not text"
    sizes, checks = found["sizes"], found["checks"]
    if not isinstance(sizes, dict) or not ALWAYS <= set(sizes) <= ALWAYS | PERHAPS:
        return "does not list the files of a store"
    if not all(_is_count(size) for size in sizes.values()):
        return "has a size that is not a positive whole number"
    if not isinstance(checks, dict) or set(checks) != set(sizes) - set(CODES.values()):
        return "does not list the checksums of its files"
    return None


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1
