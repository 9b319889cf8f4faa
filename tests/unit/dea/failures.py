"""Solvers that fail, to see that nothing trusts them."""

import numpy as np

from deacs.dea.constant_input import ConstantInput
from deacs.kernels.basis import Answers


def fast_paths_fail(monkeypatch):
    """The compiled methods give scores without any proof."""

    def fail(units):
        shape = len(units), 2
        gaps = np.full(len(units), np.nan)
        return Answers(gaps + 1, gaps, np.full(shape, -1), np.zeros(shape))

    monkeypatch.setattr(ConstantInput, "solve", lambda _, units, *a, **k: fail(units))
    monkeypatch.setattr(ConstantInput, "solve_until", lambda _, search: (0, fail(search.units[:1])))
    monkeypatch.setattr("deacs.dea.programs.solve_quickly", lambda _, some, *a: [None] * len(some))


def highs_fails(monkeypatch):
    """HiGHS finds no optimum, and whole numbers are not asked."""
    monkeypatch.setattr("deacs.dea.highs.Model.run", lambda _: "failed")
    monkeypatch.setattr("deacs.dea.programs.EXACT_BUDGET", 0)
