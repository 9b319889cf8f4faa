"""Write a store to a folder of its own with a random name, and rename it when it is complete.

| in `NAME.xxxxxxxx.unfinished` | what it holds |
|---|---|
| `store/` | the files of the store; moved to its place when all of them are on disk |
| `work/` | what else the writer needs on disk |
| `old/` | the store that is replaced, where directories cannot be exchanged in one step |

Nothing is removed, replaced or written to but this folder and, if it may be overwritten, a store
that is recognised by its contents. Its files are removed one by one, by their names.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import CODES, FEATURES, LABELS, PARTS, WEIGHTS, code_type
from deacs.distributed.disk.manifest import Manifest, refuse_taken
from deacs.exceptions import InputError, StorageError

__all__ = ["UnfinishedStore"]

PIECE = 1 << 24
FULL = (errno.ENOSPC, errno.EDQUOT) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""From fcntl.h and fs.h of Linux."""


class UnfinishedStore:
    """A store that is being made; a context manager that makes its folder, and removes it.

    Each writer has a folder of its own. Of two that may not overwrite, the first to finish has
    the place; of two that may, the last.
    """

    run = ""
    """The folder of the files, if they are not beside the manifest."""

    def __init__(self, place: Path, overwrite: bool) -> None:
        self.place, self._overwrite = place, overwrite

    def __enter__(self) -> Self:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        name = f"{self.place.name[:100]}."
        self.folder = Path(tempfile.mkdtemp(".unfinished", name, self.place.parent))
        self.store, self.work = self.folder / "store", self.folder / "work"
        self.store.mkdir()
        self.work.mkdir()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        disk = self.folder.parent
        self._clean_up()
        if error is not None and _is_of_a_full_disk(error):
            raise StorageError(
                f"no space is left on the disk of {disk}; free some, or write to a folder on "
                "another disk"
            ) from error

    def append(
        self, columns: Iterable[NDArray[np.unsignedinteger[Any]]]
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
        """Append columns of codes to the files of their widths.

        Returns the width of each in bytes, and the CRC-32 of its codes.
        """
        widths, checks = [], []
        with ExitStack() as opened:
            files: dict[int, IO[bytes]] = {}
            for codes in columns:
                width = codes.itemsize
                if width not in files:
                    files[width] = opened.enter_context((self.store / CODES[width]).open("ab"))
                written = codes.astype(code_type(width), copy=False).data
                files[width].write(written)
                widths.append(width)
                checks.append(zlib.crc32(written))
        return np.array(widths, dtype=np.uint8), np.array(checks, dtype=np.uint32)

    def finish(self, n_rows: int, catalogue: Catalogue, target: str | None = None) -> None:
        """Write the catalogue and the manifest, sync all files, and move the store to its place.

        The folder `store` already holds the codes, the labels and any weights.
        """
        catalogue.save(self.store / FEATURES)
        small = [name for name in (FEATURES, LABELS, WEIGHTS) if (self.store / name).is_file()]
        codes = [CODES[width] for width in np.unique(catalogue.widths).tolist()]
        Manifest(
            n_rows=n_rows,
            n_features=len(catalogue.features),
            n_classes=len(catalogue.classes),
            target=target,
            sizes={name: (self.store / name).stat().st_size for name in small + codes},
            checks={name: _crc(self.store / name) for name in small},
            folder=self.run,
        ).save(self.store)
        for entry in [*self.store.iterdir(), self.store]:
            _to_disk(entry)
        self._move()

    def _move(self) -> None:
        refuse_taken(self.place, self._overwrite)  # once more: others may have written there
        if not os.path.lexists(self.place):
            _rename_to_free(self.store, self.place)
        elif not _exchange(self.store, self.place):
            old = self.folder / "old"
            self.place.rename(old)
            try:
                self.store.rename(self.place)
            except BaseException:
                if not os.path.lexists(self.place):
                    old.rename(self.place)
                raise
        _to_disk(self.place.parent)

    def _clean_up(self) -> None:
        """Remove what this writer made and the store that it replaced, and nothing else."""
        shutil.rmtree(self.work, ignore_errors=True)
        for store in (self.store, self.folder / "old"):
            for name in PARTS:
                with suppress(OSError):
                    (store / name).unlink()
            with suppress(OSError):
                store.rmdir()
        with suppress(OSError):
            self.folder.rmdir()


def _crc(path: Path) -> int:
    check = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            check = zlib.crc32(piece, check)
    return check


def _to_disk(path: Path) -> None:
    """Wait until a file or directory is on disk, so that it survives a power failure."""
    if path.is_dir() and sys.platform == "win32":  # directories cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _rename_to_free(folder: Path, place: Path) -> None:
    """Rename a folder to a name that nobody has taken; InputError if someone has."""
    try:
        if sys.platform != "win32":
            place.mkdir()  # takes the name: a rename alone would replace another's empty folder
    except FileExistsError as error:
        raise InputError(f"{place} was made by another in the meantime; name another") from error
    try:
        folder.rename(place)
    except BaseException:
        with suppress(OSError):  # what the rename has put there, or another, is not empty
            place.rmdir()
        raise


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two directories in one step; return whether the system could."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return bool(rename(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE) == 0)


def _is_of_a_full_disk(error: BaseException) -> bool:
    """Return whether a disk was full; polars says so in text only, NumPy that it wrote less."""
    if isinstance(error, OSError) and (error.errno in FULL or "requested and" in str(error)):
        return True
    return isinstance(error, Exception) and f"os error {errno.ENOSPC}" in str(error)
