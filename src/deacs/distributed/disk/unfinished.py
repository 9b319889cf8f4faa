"""Write a store to `NAME.partial`, one writer at a time, and rename it when it is complete.

| in `NAME.partial` | what it holds |
|---|---|
| `store/` | the files of the store; moved to its place when all of them are on disk |
| `work/` | what the writer needs to resume after it was killed |
| `lock` | locked by the writer; the system unlocks it when the process ends in any way |

A store that is replaced is exchanged with the new one in one step where the system supports it
(Linux). Elsewhere it is moved aside first, and the next writer moves it back if this one is killed
before the new store is in place. So no kill loses both the old store and the new one.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
import zlib
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from deacs.distributed.disk.catalogue import Catalogue
from deacs.distributed.disk.layout import (
    CODES,
    FEATURES,
    LABELS,
    WEIGHTS,
    code_type,
    partial_place,
)
from deacs.distributed.disk.manifest import Manifest
from deacs.exceptions import InputError
from deacs.storage import Place

__all__ = ["UnfinishedStore", "to_disk"]

PIECE = 1 << 24
AT_FDCWD, RENAME_EXCHANGE = -100, 2
"""From fcntl.h and fs.h of Linux."""


class UnfinishedStore:
    """A store that is being made; a context manager that holds its lock.

    A symbolic link in its place is followed. Entering raises InputError if another process is
    making the same store.
    """

    run = ""
    """The folder of the files, if they are not beside the manifest."""

    def __init__(self, place: Path) -> None:
        self.place = place.resolve() if place.is_symlink() else place
        self.shown: Place = self.place
        self.folder = partial_place(self.place)
        self.store = self.folder / "store"
        self.work = self.folder / "work"

    def __enter__(self) -> Self:
        self._lock = self._locked()
        if not self.place.exists() and self._aside.is_dir():
            self._aside.rename(self.place)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, InputError):  # which the next attempt would raise again
            self._clean_up()
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = str(self.folder)  # "No space left on device": where?
        self._lock.close()

    def _locked(self) -> IO[str]:
        path = self.folder / "lock"
        while True:
            self.folder.mkdir(parents=True, exist_ok=True)
            try:
                file = path.open("w")
            except FileNotFoundError:  # another writer has just finished and cleaned up
                continue
            if not _try_lock(file):
                file.close()
                raise InputError(
                    f"{self.shown} is being made by another process, which has locked "
                    f"{self.folder}; wait until it ends, or name another directory"
                )
            if _is_at(file, path):
                return file
            file.close()

    @property
    def _aside(self) -> Path:
        return self.place.with_name(f"{self.place.name}.replaced")

    def begin(self) -> None:
        """Remove what an earlier run left, and make empty folders."""
        for entry in self.folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != "lock":
                entry.unlink()
        self.store.mkdir()
        self.work.mkdir()

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
            for file in files.values():
                file.flush()
                os.fsync(file.fileno())
        return np.array(widths, dtype=np.uint8), np.array(checks, dtype=np.uint32)

    def finish(self, n_rows: int, catalogue: Catalogue, target: str | None = None) -> None:
        """Write the catalogue and the manifest, sync all files, and move the store to its place.

        The folder `store` already holds the codes, the labels and any weights.
        """
        (self.store / FEATURES).unlink(missing_ok=True)
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
            to_disk(entry)
        self._move()
        to_disk(self.place.parent)
        self._clean_up()

    def _clean_up(self) -> None:
        for folder in (self.store, self.work, self._aside):
            shutil.rmtree(folder, ignore_errors=True)
        with suppress(OSError):  # another writer may enter as soon as the lock is gone
            (self.folder / "lock").unlink()
            self.folder.rmdir()

    def _move(self) -> None:
        if not self.place.exists():
            self.store.rename(self.place)
        elif not _exchange(self.store, self.place):
            self.place.rename(self._aside)
            self.store.rename(self.place)


def _crc(path: Path) -> int:
    check = 0
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            check = zlib.crc32(piece, check)
    return check


def to_disk(path: Path) -> None:
    """Wait until a file or directory is on disk, so that it survives a power failure."""
    if path.is_dir() and sys.platform == "win32":  # directories cannot be opened there
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two directories in one step; return whether the system could."""
    if not sys.platform.startswith("linux"):
        return False
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    paths = os.fsencode(one), os.fsencode(other)
    return bool(rename(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE) == 0)


def _try_lock(file: IO[str]) -> bool:
    """Return whether this process may write: it locked the file, or there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
    return True


def _is_at(file: IO[str], path: Path) -> bool:
    """Return whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False
