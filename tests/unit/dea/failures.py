"""Solvers that fail, to see that nothing trusts them."""

import numpy as np

from deacs.dea.constant_input import Answers, ConstantInput
from deacs.dea.program import Solution


def fast_paths_fail(monkeypatch):
    """The compiled methods give scores without any proof."""

    def fail(search):
        nan = np.array([np.nan])
        return 0, Answers(nan + 1, nan, np.full((1, 2), -1), np.zeros((1, 2)))

    monkeypatch.setattr(
        ConstantInput,
        "_solutions",
        lambda _, __, units, *a, **k: [Solution("optimal", gap=np.nan)] * len(units),
    )
    monkeypatch.setattr(ConstantInput, "solve_until", lambda _, search: fail(search))
    monkeypatch.setattr("deacs.dea.solver.solve_quickly", lambda _, some, *a: [None] * len(some))


def highs_fails(monkeypatch):
    """HiGHS finds no optimum."""
    monkeypatch.setattr("deacs.dea.highs.Model.run", lambda _: "failed")
