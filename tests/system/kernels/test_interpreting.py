"""Kernels as Python: the bits of compiled ones, and only where that is the shorter way."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from deacs.kernels import interpreting
from deacs.kernels.fixed_point import fixed_point
from deacs.kernels.interpreting import Interpreted

SOURCE = Path(__file__).parents[3] / "src"
FITS = """
import json, sys
import numpy as np
from sklearn.datasets import load_iris, load_wine
from deacs import CMI, DEACS, MRMR
from deacs.information import uncompiled
from deacs.kernels import interpreting
uncompiled.PATIENCE = np.inf if sys.argv[1] == "by NumPy" else -1
if sys.argv[1] == "compiled":
    interpreting.MAX_SIZE = -1
else:
    interpreting.PATIENCE = interpreting.PATIENCE_CACHED = interpreting.MAX_SIZE = np.inf
rng = np.random.default_rng(0)
X, y = load_wine(return_X_y=True)
holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
words = np.array(list("abcde"), dtype=object)[rng.integers(0, 5, (150, 6))]
words[:, 0] = words[load_iris().target, 0]
weights = rng.integers(1, 4, len(y))
def found(selector, *table):
    fitted = selector.fit(*table)
    scores = getattr(fitted, "label_scores_", fitted.scores_)
    return [fitted.ranking_.tolist(), scores.tobytes().hex(), fitted.scores_.tobytes().hex()]
answers = [
    found(DEACS(), X, y),
    found(DEACS(), X, y, weights),
    found(DEACS(), holes, y),
    found(DEACS(missing="ignore"), holes, y),
    found(DEACS(5), X, y, weights / 7),
    found(DEACS(4), words, load_iris().target),
    found(DEACS.published(5), X, y),
    found(CMI(), X, y),
    found(MRMR(5), X, y, weights),
]
print(json.dumps(answers))
"""


def answers(how):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", FITS, how], capture_output=True, text=True, env=environment
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def test_without_compiling_answers_have_the_bits_of_compiled_kernels():
    compiled = answers("compiled")
    assert answers("interpreted") == compiled
    assert answers("by NumPy") == compiled


FIRST = """
from numba.core import event
from sklearn.datasets import load_wine
from deacs import DEACS
compiled = []
class Watch(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event):
        pass
with event.install_listener("numba:compile", Watch()):
    print(DEACS().fit(*load_wine(return_X_y=True)).ranking_.tolist())
print(compiled)
"""


def test_a_first_fit_of_a_small_table_compiles_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, env=environment
    )
    assert ran.stdout.splitlines()[1:] == ["[]"], ran.stdout + ran.stderr


UNLOADED = """
import sys
from sklearn.datasets import load_wine
from deacs import DEACS
DEACS().fit(*load_wine(return_X_y=True))
print("numba" in sys.modules)
"""


def test_a_fit_of_a_small_table_does_not_load_numba():
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    ran = subprocess.run(
        [sys.executable, "-c", UNLOADED], capture_output=True, text=True, env=environment
    )
    assert ran.stdout == "False\n", ran.stderr


def test_without_numba_there_is_patience_for_all_kernels_together(monkeypatch):
    small = np.zeros((2, 2))
    monkeypatch.setattr(Interpreted, "seconds_of_all", interpreting.PATIENCE)
    assert not Interpreted(total).suits((small,), is_cached=None)
    assert Interpreted(total).suits((small,), is_cached=False)


def total(numbers, table):
    n = np.int64(0)
    for k in range(numbers.shape[0]):
        for j in range(numbers[k].shape[0]):
            n += numbers[k, j] + table.table[1]
    return n


def test_arrays_and_tuples_of_them_become_views():
    fixed = fixed_point(10, 2)
    assert Interpreted(total)(np.arange(6).reshape(2, 3), fixed) == 15
    filled = np.zeros(3)

    def fill(out):
        out[1] = np.sqrt(4.0)

    Interpreted(fill)(filled)
    assert filled.tolist() == [0.0, 2.0, 0.0]


@pytest.mark.parametrize("is_cached", [True, False])
def test_large_arguments_and_long_lives_are_for_the_compiler(is_cached, monkeypatch):
    kernel = Interpreted(total)
    small, large = np.zeros((2, 2)), np.zeros((2, interpreting.MAX_SIZE))
    assert kernel.suits((small,), is_cached=is_cached)
    assert not kernel.suits((small, (large,)), is_cached=is_cached)
    # What is looked up is not gone through.
    looked_up = fixed_point(10, 2)._replace(table=large)
    assert kernel.suits((small, looked_up), is_cached=is_cached)
    fixed = fixed_point(10, 2)
    clock = iter([0.0, 1.0])  # told, not read
    monkeypatch.setattr(interpreting, "thread_time", clock.__next__)
    kernel(np.zeros((2, 2), dtype=np.int64), fixed)
    assert not kernel.suits((small,), is_cached=is_cached)


@pytest.mark.parametrize("is_cached", [True, False, None])
def test_columns_of_a_large_table_are_for_the_compiler_from_the_first(is_cached, monkeypatch):
    monkeypatch.setattr(Interpreted, "seconds_of_all", 0.0)
    kernel, column = Interpreted(total), np.zeros(10)
    kernel.expect(interpreting.MAX_WORK)
    assert kernel.suits((column,), is_cached=is_cached)
    kernel.expect(interpreting.MAX_WORK + 1)
    assert not kernel.suits((column,), is_cached=is_cached)
