"""Files that are written: regular ones only, whole or not at all."""

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
    """Return the regular file that a path leads to, through links; it need not exist yet.

    Parameters
    ----------
    path : Path
        Where a file is to be written.
    what : str or Parameter
        The option or the parameter that names it.
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
    """Write beside the goal, then rename: nothing half-written is left, whatever happens.

    A link stays a link to the file that is written. Rights are those that any new file gets (the
    umask), not those of a private temporary file.
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
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno:  # a full disk does not say for which file
            error.filename, error.filename2 = str(goal), None
        raise
