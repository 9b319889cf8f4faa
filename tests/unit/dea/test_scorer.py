import os
import subprocess
import sys

import numpy as np
import pytest

from deacs.dea import best_unit, super_efficiency
from deacs.dea.data import units
from deacs.dea.scorer import Scorer
from tests.unit.dea.failures import fast_paths_fail

SOLVERS = ("compiled",)


@pytest.mark.parametrize("s", [2, 5])
def test_highs_solves_what_the_fast_path_could_not(s, monkeypatch):
    y = np.random.default_rng(s).random((30, s))
    expected = super_efficiency(None, y).scores
    fast_paths_fail(monkeypatch)
    result = super_efficiency(None, y)
    assert "uncertain" not in result.status
    np.testing.assert_allclose(result.scores, expected, rtol=1e-12)


def test_one_program_more_is_counted_where_highs_is_asked(monkeypatch):
    asked = Scorer(units(None, np.random.default_rng(0).random((20, 4))))
    asked.solve(0)
    assert asked.n_solved == 1
    fast_paths_fail(monkeypatch)
    asked.solve(1)
    assert asked.n_solved == 3


@pytest.mark.parametrize("tie_break", ["sum", "last"])
@pytest.mark.system
def test_the_winner_is_the_same_where_the_race_cannot_settle_a_unit(tie_break, monkeypatch):
    """With no gap accepted, every unit of the race goes through `Scorer.solve`."""
    y = np.random.default_rng(1).integers(1, 6, (40, 5)).astype(float)
    expected = best_unit(y, tie_break=tie_break)
    monkeypatch.setattr("deacs.dea.scorer.CLOSE", -1.0)
    winner = best_unit(y, tie_break=tie_break)
    assert winner.unit == expected.unit
    assert winner.score == pytest.approx(expected.score, rel=1e-12)
    assert winner.n_solved > expected.n_solved


def printed(code, **environment):
    answer = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    return answer.stdout.split()


@pytest.mark.system
def test_small_tables_do_not_wait_for_the_compiler(tmp_path):
    code = """
import numpy as np
from deacs.dea import bcc, best_unit, super_efficiency
from deacs.kernels.jit import on_compile
compiled = []
with on_compile(lambda: compiled.append(1)):
    y = np.random.default_rng(0).random((30, 4))
    best_unit(y), super_efficiency(None, y), bcc(y[:, :2], y[:, 2:])
print(len(compiled))
"""
    assert printed(code, NUMBA_CACHE_DIR=str(tmp_path)) == ["0"]


@pytest.mark.system
def test_highs_is_not_loaded_where_nobody_needs_it():
    code = """
import sys, numpy as np
from deacs.dea import bcc, best_unit, cross_efficiency, super_efficiency
y = np.random.default_rng(0).random((500, 10))
best_unit(y), super_efficiency(None, y), bcc(y[:20, :2], y[:20])
print("highspy" in sys.modules)
cross_efficiency(y[:20, :2], y[:20])
print("highspy" in sys.modules)
"""
    assert printed(code) == ["False", "True"]
