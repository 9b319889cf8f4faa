"""Files that a command writes: checked before the work, written whole or not at all."""

import os
import tempfile
from pathlib import Path

from deacs.exceptions import InputError

__all__ = ["refuse_goal", "replace"]


def refuse_goal(file: Path, goal: Path, option: str, suffixes: tuple[str, ...] = ()) -> None:
    """Raise InputError if the goal of an option cannot be written, or is the input file."""
    if suffixes and goal.suffix not in suffixes:
        raise InputError(f"{option} must end in {' or '.join(suffixes)}, got {goal.name!r}")
    if goal.resolve() == file.resolve():
        raise InputError(f"{option} must not be the input file {file}")
    if not goal.parent.is_dir():
        raise InputError(f"{option}: the folder {goal.parent} does not exist")


def replace(goal: Path, content: bytes) -> None:
    """Write beside the goal, then rename: nothing half-written is left behind."""
    handle, name = tempfile.mkstemp(dir=goal.parent, prefix=goal.name, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(name, goal)
    except BaseException:
        os.unlink(name)
        raise
