"""Files that a command writes: checked before the work, written whole or not at all."""

from pathlib import Path

from deacs.exceptions import InputError
from deacs.report._file import replace

__all__ = ["refuse_goal", "replace"]


def refuse_goal(file: Path | None, goal: Path, option: str, suffixes: tuple[str, ...] = ()) -> None:
    """Raise InputError if the goal of an option cannot be written, or is the input file."""
    if suffixes and goal.suffix not in suffixes:
        raise InputError(f"{option} must end in {' or '.join(suffixes)}, got {goal.name!r}")
    if file is not None and goal.resolve() == file.resolve():
        raise InputError(f"{option} must not be the input file {file}; name another file")
    if not goal.parent.is_dir():
        raise InputError(f"{option}: the folder {goal.parent} does not exist; make it first")
    if goal.is_dir():
        raise InputError(f"{option}: {goal} is a folder; name a file in it")
