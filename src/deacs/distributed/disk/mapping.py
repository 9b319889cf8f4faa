"""The files of a store, mapped into memory; those behind an address are fetched by ranges."""

from __future__ import annotations

import mmap
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from weakref import finalize

from deacs.distributed.disk.layout import CODES, damaged
from deacs.storage import PIECE, Place, Remote, refuse_full

__all__ = ["MappedFile", "mapped_files"]


def mapped_files(place: Place, sizes: dict[str, int]) -> dict[str, MappedFile]:
    """Map the files of a store, after checking their sizes."""
    if isinstance(place, Remote):
        refuse_full(Path(gettempdir()), sum(sizes.values()), str(place))
    files = {}
    for name, size in sizes.items():
        path = place / name
        found = _found_size(path)
        if found != size:
            came = "it is not there" if found is None else f"it has {found:,}"
            raise damaged(place, f"{name} should have {size:,} bytes, but {came}")
        files[name] = FetchedFile(path, size) if isinstance(path, Remote) else MappedFile(path)
        if name not in CODES.values():
            files[name].fetch(0, size)
    return files


def _found_size(path: Place) -> int | None:
    if isinstance(path, Remote):
        return path.found_size()
    return path.stat().st_size if path.is_file() else None


class MappedFile:
    """A local file."""

    map: mmap.mmap

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def fetch(self, begin: int, end: int) -> None:
        """Do nothing: all bytes of a local file are there."""

    def release(self) -> None:
        """Tell the system that the bytes need not stay in memory."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.map.madvise(mmap.MADV_DONTNEED)


class FetchedFile(MappedFile):
    """A file behind an address, fetched into an unnamed temporary file.

    Bytes that were not fetched take no space if the file system supports sparse files. Views of the
    map stay valid: bytes never leave the file.
    """

    def __init__(self, remote: Remote, size: int) -> None:
        self._remote = remote
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115  (lives as long as this object)
        finalize(self, self._file.close)
        self._file.truncate(size)
        self._writing = Lock()
        self.map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def fetch(self, begin: int, end: int) -> None:
        """Fetch some of the bytes; the caller must ensure that it does so only once."""
        for at in range(begin, end, PIECE):
            data = self._remote.read(at, min(at + PIECE, end))
            # Not through the map: there, a full disk would kill the process.
            with self._writing:
                self._file.seek(at)
                self._file.write(data)
