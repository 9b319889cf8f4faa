"""The files of a store, mapped into memory; those behind an address come a range at a time."""

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
    """Map the files of a store, which have the sizes they were written with."""
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
    """A file of this machine."""

    map: mmap.mmap

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def fetch(self, begin: int, end: int) -> None:
        """See that some of the bytes are there: all of them are."""

    def release(self) -> None:
        """Tell the system that the bytes need not stay in this process's memory."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self.map.madvise(mmap.MADV_DONTNEED)


class FetchedFile(MappedFile):
    """A file behind an address: a temporary file without a name holds what was fetched of it.

    Bytes that nobody asked for take no space, where the file system can leave holes. What views of
    the map have been given out stays true: bytes never leave the file.
    """

    def __init__(self, remote: Remote, size: int) -> None:
        self._remote = remote
        self._file = TemporaryFile(buffering=0)  # noqa: SIM115  (until this object goes)
        finalize(self, self._file.close)
        self._file.truncate(size)
        self._writing = Lock()
        self.map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    def fetch(self, begin: int, end: int) -> None:
        """Read some of the bytes; who asks sees that it happens once."""
        for at in range(begin, end, PIECE):
            data = self._remote.read(at, min(at + PIECE, end))
            # Through the file: a disk that is full is an error here, and ends the process there.
            with self._writing:
                self._file.seek(at)
                self._file.write(data)
