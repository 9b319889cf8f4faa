"""Kernels run where nothing can be cached, and say once how to get a cache."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src"
FIT = """
import numpy as np, os, sys, warnings
warnings.simplefilter("always")
if sys.argv[1:]:
    # As the system does where all is read-only: also for root, who may write anywhere.
    import tempfile
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")
    tempfile.TemporaryFile = refuse
from deacs import EqualWidth
from deacs.kernels import interpreting
interpreting.MAX_SIZE = -1  # small as the table is, compile
print(EqualWidth(2).fit_transform([[1.0], [2.0], [3.0]]).ravel().tolist())
"""


def fit(cache, *arguments):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", FIT, *arguments], capture_output=True, text=True, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "[0.0, 0.0, 1.0]\n"
    return ran.stderr


def test_without_a_folder_to_write_to_kernels_run_and_say_so_once(tmp_path):
    said = fit(tmp_path, "read-only")
    assert said.count("compiled code is not cached (no folder for it can be written)") == 1
    assert "NUMBA_CACHE_DIR" in said


def test_a_damaged_cache_is_made_anew(tmp_path):
    assert fit(tmp_path) == ""
    damaged = [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc")]
    assert damaged
    for damage in (b"", b"\x80\x05nonsense"):
        for path in damaged:
            path.write_bytes(damage)
        assert fit(tmp_path) == ""
        assert all(path.read_bytes() != damage for path in damaged)


def test_a_cache_that_cannot_be_written_later_is_given_up(tmp_path):
    from deacs.kernels import compiling, jit

    @jit.kernel
    def one():
        return 1

    def full(*_):
        raise OSError(28, "No space left on device")

    one.dispatcher._cache._cache_file.save = full
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "_warned", [])
        with pytest.warns(UserWarning, match="No space left on device.*NUMBA_CACHE_DIR"):
            assert one() == 1


PRESSED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have ignored
class Pressing:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Pressing())
from deacs.kernels.jit import Kernel
kernel = Kernel(lambda x: x + 1, {}, is_cached=False)
try:
    kernel(1)
except KeyboardInterrupt:
    print("heard", kernel(1))
"""


# The package, one of its modules, and one that it imports only when it compiles.
@pytest.mark.parametrize("module", ["numba", "numba.core.ir", "numba.core.typing.builtins"])
def test_ctrl_c_while_numba_loads_is_heard_and_leaves_it_whole(module):
    command = [sys.executable, "-c", PRESSED, module]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (ran.stdout, ran.stderr) == ("heard 2\n", "")
