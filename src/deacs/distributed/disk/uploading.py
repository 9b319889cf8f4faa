"""Stores on object storage: built in a local folder, uploaded when complete.

| behind the address | what it holds |
|---|---|
| `manifest.json` | as in a directory, with the name of the folder of the files; written last |
| `files-0123456789abcdef/` | the other files of the store; each attempt has a folder of its own |

Object storage has no rename and no lock, but an object is written whole or not at all. So a store
exists once its manifest does, and is replaced with it. A writer makes its folder at once; others
see it and refuse to begin, unless they may overwrite: then the last manifest wins. A writer that
was killed leaves its folder behind, which one that may overwrite removes in the end.
"""

from __future__ import annotations

import platform
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Self

from deacs.distributed.disk.layout import MANIFEST, PARTS, is_run, is_store
from deacs.distributed.disk.manifest import BEGUN, Manifest, refuse_taken
from deacs.distributed.disk.unfinished import UnfinishedStore
from deacs.exceptions import InputError, Parameter, StorageError
from deacs.storage import Place, Remote

__all__ = ["unfinished_at"]


def unfinished_at(place: Place, overwrite: bool) -> UnfinishedStore:
    """Return the context manager that makes a store, locally or for upload."""
    if isinstance(place, Remote):
        return UploadedStore(place, overwrite)
    return UnfinishedStore(place, overwrite)


class UploadedStore(UnfinishedStore):
    """A store that is made locally and uploaded; a context manager that makes its folders.

    With `overwrite`, it replaces an existing store and the files of other attempts; otherwise
    entering raises InputError if another writer is making a store there, or left one unfinished.
    """

    def __init__(self, remote: Remote, overwrite: bool) -> None:
        where = remote.url.partition("://")[2].strip("/")
        if "/" not in where or set(where) & set("*["):  # drivers remove what a pattern matches
            raise InputError(f"{remote} is no place for a store; name one folder in a bucket")
        self.remote, self.run = remote, f"files-{token_hex(8)}"
        super().__init__(Path(tempfile.gettempdir()) / "deacs", overwrite)

    def __enter__(self) -> Self:
        super().__enter__()
        try:
            self._claim()
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def _claim(self) -> None:
        """Make a folder that others see."""
        current = ""
        with suppress(InputError):  # there is no store
            current = Manifest.load(self.remote).folder
        others = [name for name in self.remote.names() if is_run(name) and name != current]
        if others and not self._overwrite:
            raise InputError(
                f"{self.remote} is being made by another process, or was left by one that ended: "
                f"{', '.join(others)} ({self._begun(others[0])}); wait until it is done, or remove "
                "what was left with ",
                Parameter("overwrite", True),
            )
        self.remote.make_folder()
        (self.remote / self.run).make_folder()
        since = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC on {platform.node()}"
        (self.remote / self.run / BEGUN).write_bytes(since.encode())

    def _begun(self, run: str) -> str:
        with suppress(InputError, StorageError):
            return f"begun {(self.remote / run / BEGUN).read_bytes().decode(errors='replace')}"
        return "start unknown"

    def _move(self) -> None:
        folder = self.remote / self.run
        folder.make_folder()  # another writer may have finished and removed it
        files = [path for path in sorted(self.store.iterdir()) if path.name != MANIFEST]
        for path in files:
            (folder / path.name).put(path)
        for path in files:
            there = folder / path.name
            if there.found_size() != path.stat().st_size:
                raise StorageError(
                    f"{there} did not arrive whole, or was removed by another process that "
                    "overwrites the same store; run it again"
                )
        if not self._overwrite and is_store(self.remote):
            raise InputError(
                f"{self.remote} was made by another process in the meantime; open that store, or "
                "name another"
            )
        refuse_taken(self.remote, self._overwrite)
        (folder / BEGUN).remove()
        (self.remote / MANIFEST).write_bytes((self.store / MANIFEST).read_bytes())
        made, self.run = self.run, ""  # which stays
        for name in self.remote.names() if self._overwrite else ():
            if is_run(name) and name != made:
                self._remove_run(name)
            elif name in PARTS and name != MANIFEST:
                (self.remote / name).remove()

    def _remove_run(self, run: str) -> None:
        """Remove the folder of an attempt, file by file, by their names."""
        for name in (BEGUN, *PARTS):
            (self.remote / run / name).remove()
        (self.remote / run).remove_folder()

    def _clean_up(self) -> None:
        super()._clean_up()
        if self.run:  # it failed
            with suppress(InputError, StorageError):
                self._remove_run(self.run)
