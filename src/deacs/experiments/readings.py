"""A reading that the DEA-CS paper leaves open: what a linear program without a solution is worth.

Where one candidate alone tells anything of a label, its program has no solution. Its
super-efficiency is infinite then, and it wins. Whoever takes a solver's answer as it comes may
count it as nothing instead, and it loses. The other readings are parameters of `DEACS`, and other
typings of the data sets in the registry.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from deacs.coding import CodedTable
from deacs.selection._criteria import Criterion, Floats, LabelCriterion
from deacs.selection._filter import InformationFilter
from deacs.selection._judges import JUDGES, Judge, JudgeByScores

__all__ = ["FiniteDEACS"]


class _Finite(JudgeByScores):
    """Super-efficiency, and 0 where it is infinite."""

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return theta of every row."""
        theta = JUDGES["radial"].scores(R, x)
        return np.where(np.isinf(theta), 0.0, theta)


class FiniteDEACS(InformationFilter):
    """DEA-CS in which a program without a solution scores 0, not infinity.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_` is theta at selection.
    """

    _judge: ClassVar[Judge] = _Finite()

    def _criterion(self, data: CodedTable) -> Criterion:
        return LabelCriterion(self._counts(data))
