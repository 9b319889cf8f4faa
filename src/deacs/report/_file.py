"""Files that are written whole or not at all."""

import os
import secrets
from pathlib import Path

__all__ = ["replace"]


def replace(goal: Path, content: bytes) -> None:
    """Write beside the goal, then rename: nothing half-written is left, whatever happens.

    Rights are those that any new file gets (the umask), not those of a private temporary file.
    """
    part = goal.with_name(f".{goal.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(goal)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
