"""Storage of files: a local path, or an address such as `s3://bucket/key`.

Addresses are opened by fsspec, with the installed drivers. All requests to storage, and their
errors, are handled here; files, stores and clusters use a `Remote` like a `Path`. The size of every
read is checked: a truncated read, or a file that changed while it was read, raises an error.

An address holds no credentials: those come from the environment or from the driver's own files.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from deacs._extras import import_needing_extras
from deacs.exceptions import InputError, StorageError

__all__ = ["PIECE", "Place", "Remote", "at_hand", "is_url", "place_of", "refuse_full"]

PIECE = 1 << 24
"""The number of bytes read at a time."""
MOST_NAMED = 5
OF_DRIVER = "credentials come from the environment or from the driver's own files"


def is_url(text: str) -> bool:
    """Whether text is an address rather than a path; a drive of Windows has one letter."""
    return re.match(r"[a-z][a-z0-9+.-]+://", text) is not None


@dataclass(frozen=True)
class Remote:
    """A file or a folder behind an address.

    One that holds credentials, or what may be some, raises InputError; the message does not show
    it.
    """

    url: str

    def __post_init__(self) -> None:
        scheme, where = self.url.split("://", 1)
        user, at, _ = where.partition("/")[0].rpartition("@")
        # The name before Azure's @ is a container.
        is_secret = at and (":" in user or scheme.startswith("http"))
        if is_secret or "?" in where or "::" in where:
            raise InputError(
                f"an address {scheme}:// must not hold a password, a query or another address, "
                f"since it would be shown; leave it out: {OF_DRIVER}"
            )

    def __str__(self) -> str:
        return self.url

    @property
    def name(self) -> str:
        """The part after the last slash."""
        return self.url.rstrip("/").rpartition("/")[2]

    def __truediv__(self, name: str) -> Remote:
        return Remote(f"{self.url.rstrip('/')}/{name}")

    def resolve(self) -> Remote:
        """Return itself: an address means the same everywhere."""
        return self

    def stamp(self) -> str:
        """Return the metadata of a file as text: its size, and when it was written or a hash."""
        return repr(sorted(self._info().items(), key=str))

    def _info(self) -> dict[str, Any]:
        with self.asked("read") as (files, path):
            return dict(files.info(path))

    def size(self) -> int:
        """Return the size of a file in bytes; InputError if there is none."""
        info = self._info()
        if info["type"] == "directory":
            raise InputError(f"{self} is a folder; name a file in it")
        if info["size"] is None:
            raise InputError(
                f"the size of {self} is unknown, so a truncated read would go unnoticed; save it "
                "to a file first"
            )
        return int(info["size"])

    def found_size(self) -> int | None:
        """Return the size of a file in bytes; None if there is no file."""
        absent = suppress(FileNotFoundError, NotADirectoryError)
        with self.asked("read") as (files, path), absent:
            info = files.info(path)
            return int(info["size"] or 0) if info["type"] == "file" else None
        return None

    def is_file(self) -> bool:
        """Whether there is a file."""
        return self.found_size() is not None

    def names(self) -> list[str]:
        """Return the names in a folder; none if there is no such folder."""
        with self.asked("read") as (files, path), suppress(FileNotFoundError):
            found = [str(name).rstrip("/") for name in files.ls(path, detail=False)]
            return sorted(n.rpartition("/")[2] for n in found if n != path.rstrip("/"))
        return []

    def read_bytes(self) -> bytes:
        """Read a small file."""
        return self.read(0, self.size())

    def read(self, begin: int, end: int) -> bytes:
        """Read the bytes of a file from `begin` up to `end`; StorageError if some are missing."""
        with self.asked("read") as (files, path):
            data: bytes = files.cat_file(path, start=begin, end=end)
        if len(data) != end - begin:
            raise StorageError(
                f"{self} was truncated: {len(data):,} of {end - begin:,} bytes came from byte "
                f"{begin:,} on; try again"
            )
        return data

    def copy_to(self, path: Path) -> None:
        """Copy a file; StorageError if it is incomplete or changed meanwhile."""
        size, stamp = self.size(), self.stamp()
        refuse_full(path.parent, size, str(self))
        with path.open("xb") as file:
            for begin in range(0, size, PIECE):
                file.write(self.read(begin, min(begin + PIECE, size)))
        if self.stamp() != stamp:
            raise StorageError(f"{self} changed while it was read; try again")

    def make_folder(self) -> None:
        """Make a folder, if this storage has folders; InputError if the bucket does not exist."""
        with self.asked("written") as (files, path), suppress(FileExistsError):
            files.mkdir(path, create_parents=False)

    def write_bytes(self, data: bytes) -> None:
        """Write a small file; object storage writes all of it or nothing."""
        with self.asked("written") as (files, path):
            files.pipe_file(path, data)

    def put(self, path: Path) -> None:
        """Upload a local file."""
        with self.asked("written") as (files, there):
            files.put_file(str(path), there)

    def remove(self) -> None:
        """Remove a file, if there is one."""
        with self.asked("removed") as (files, path), suppress(FileNotFoundError):
            files.rm_file(path)

    def remove_folder(self) -> None:
        """Remove an empty folder, if this storage has folders."""
        with suppress(InputError, StorageError), self.asked("removed") as (files, path):
            files.rmdir(path)

    @contextmanager
    def asked(self, done: str) -> Iterator[tuple[Any, str]]:
        """Yield the driver and its name for this place; translate the errors of a request.

        Drivers raise all kinds of errors. `done` completes "could not be ...".
        """
        try:
            core = import_needing_extras("fsspec.core", "an address")
            files, path = core.url_to_fs(self.url)  # names the driver that is missing
        except Exception as error:
            raise InputError(f"{self} cannot be opened: {_said(error)}") from error
        try:
            files.invalidate_cache()
            yield files, str(path)
        except FileNotFoundError as error:
            raise InputError(f"{self} does not exist{self._near(error)}") from error
        except Exception as error:
            said = _said(error)
            if isinstance(error, PermissionError) or "credential" in said.lower():
                raise InputError(f"{self} may not be {done}: {said}; {OF_DRIVER}") from error
            raise StorageError(f"{self} could not be {done}: {said}") from error

    def _near(self, error: OSError) -> str:
        """Return what exists beside it, or what the driver says is missing above it."""
        near: list[str] = []
        with suppress(Exception):
            near = Remote(self.url.rstrip("/").rpartition("/")[0] + "/").names()[:MOST_NAMED]
        if near:
            return f"; there are {', '.join(near)}"
        is_said = error.errno is None and " " in str(error)  # rather than the name again
        return f": {_said(error)}" if is_said else ""


Place = Path | Remote


def place_of(path: str | Path | Remote) -> Place:
    """Return a path or an address as an object."""
    if isinstance(path, Remote):
        return path
    return Remote(str(path)) if is_url(str(path)) else Path(path)


@contextmanager
def at_hand(place: Place) -> Iterator[Path]:
    """Yield a local file: the one named, or a temporary copy of the one behind an address."""
    if isinstance(place, Path):
        yield place
        return
    with TemporaryDirectory(prefix="deacs-") as folder:
        copy = Path(folder) / (place.name or "file")
        place.copy_to(copy)
        yield copy


def refuse_full(folder: Path, n_bytes: int, what: str) -> None:
    """Raise InputError if a folder's disk has less than `n_bytes` free for a copy of `what`."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise InputError(
            f"{what} has {n_bytes:,} bytes, and {folder} has room for {free:,}; name a folder with "
            "more in the environment variable TMPDIR"
        )


def _said(error: Exception) -> str:
    """Return the first line of a driver's message, without queries: one may hold a signature."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return re.sub(r"\?\S+", "?...", lines[0])
