"""Settings for all tests, and the three kinds: unit, contract, system.

`make test` leaves out what is marked `system`: all of tests/system, and single tests of other
folders. Tests that are not marked may start no process.
"""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import joblib
import pytest
from hypothesis import settings

from deacs._kernels import threads
from deacs.counts import groups

# joblib starts a process to count the cores once; here, not in whichever test asks first.
joblib.cpu_count(only_physical_cores=True)

# The first example of a test may compile a kernel, which takes longer than any deadline.
N_EXAMPLES = int(os.environ.get("DEACS_EXAMPLES", "20"))  # more of them for a search at length
settings.register_profile("deacs", deadline=None, max_examples=N_EXAMPLES)
settings.register_profile("quick", deadline=None, max_examples=10)
settings.load_profile("deacs")

HERE = Path(__file__).parent
SYSTEM = HERE / "system"
CORE = [
    *(HERE / "unit" / name for name in ("coding", "counts", "significance")),
    HERE / "unit" / "selection" / "test_deacs.py",
    HERE / "contract" / "test_frozen.py",
]
"""What counts and selects: quick enough to run at every save."""


def pytest_collection_modifyitems(items):
    for item in items:
        if SYSTEM in item.path.parents:
            item.add_marker("system")
            if {"rows", "fuzz"} & set(item.path.parts):
                # Small tables of codes look like identifiers; that is tested elsewhere.
                ignored = "ignore::deacs.exceptions.IdentifierWarning"
                item.add_marker(pytest.mark.filterwarnings(ignored), append=False)
        elif any(place == item.path or place in item.path.parents for place in CORE):
            item.add_marker("core")


@pytest.fixture(autouse=True)
def no_process(request, monkeypatch):
    """Refuse to start processes, but for tests that say so."""
    marks = {mark.name for mark in request.node.iter_markers()}
    if HERE not in request.path.parents or marks & {"system", "starts_processes"}:
        return

    def refuse(*args, **kwargs):
        raise AssertionError("a unit test starts a process: mark it `system`")

    monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture
def work_is_shared(monkeypatch):
    """Share even the smallest work among threads, and see that it was."""
    used = []
    pool = threads._pool
    monkeypatch.setattr(threads, "LEAST_NS", 1.0)
    for module in (threads, groups):
        monkeypatch.setattr(module, "WORTH_NS", 0.0)
    monkeypatch.setattr(threads, "_pool", lambda workers: used.append(workers) or pool(workers))
    yield
    assert used


@pytest.fixture
def deacs(capsys, monkeypatch):
    """Run the command as the shell does; return exit code, output and the error stream."""
    from deacs.cli.app import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["deacs", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        captured = capsys.readouterr()
        return SimpleNamespace(code=stopped.value.code or 0, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def patients(tmp_path):
    """Forty-two rows, three classes; `a` tells them apart, `id` differs in every row."""
    file = tmp_path / "patients.csv"
    rows = "".join(f"p{k},{k % 3},{k % 7},{'uvw'[k % 3]}\n" for k in range(42))
    file.write_text("id,a,b,y\n" + rows)
    return file
