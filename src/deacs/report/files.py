"""Atomic writing of regular files."""

import os
import secrets
import stat
from pathlib import Path

from deacs.exceptions import InputError, Parameter

__all__ = ["regular_file", "replace"]

KINDS = {
    stat.S_IFDIR: "a folder; name a file in it",
    stat.S_IFCHR: "a device; name a regular file",
    stat.S_IFBLK: "a device; name a regular file",
    stat.S_IFIFO: "a pipe; name a regular file",
    stat.S_IFSOCK: "a socket; name a regular file",
}


def regular_file(path: Path, what: str | Parameter = Parameter("path")) -> Path:  # noqa: B008
    """Return the regular file that a path resolves to; it need not exist yet.

    `what` is the option or parameter that errors name.
    """
    place = Path(os.path.realpath(path))
    if not place.parent.is_dir():
        folder = place.parent if path.is_symlink() else path.parent
        raise InputError(what, f": the folder {folder} does not exist; make it first")
    try:
        kind = stat.S_IFMT(place.stat().st_mode)
    except FileNotFoundError:
        return place
    except OSError as error:
        raise InputError(what, f": {path} cannot be written: {error.strerror}") from error
    if kind != stat.S_IFREG:
        raise InputError(what, f": {path} is {KINDS.get(kind, 'no regular file')}")
    return place


def replace(goal: Path, content: bytes) -> None:
    """Write a temporary file next to the target, then rename it, so that no partial file is left.

    A symbolic link is kept. Permissions are those of any new file (the umask), not those of a
    private temporary file.
    """
    place = regular_file(goal)
    part = place.with_name(f".{place.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(place)
    except BaseException as error:
        if not isinstance(error, FileExistsError):  # the file of another
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno:  # a disk-full error names no file
            error.filename, error.filename2 = str(goal), None
        raise
