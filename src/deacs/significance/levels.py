r"""The level at which each step of a selection is tested, to control an error rate over all steps.

`AnyFalse` tests every step at :math:`\alpha`. Only the first false step matters, and it passes with
probability :math:`\alpha` at most. `FalseShare` has a budget: a step whose p-value is p costs
:math:`h(p) = -\ln(1 - p)`, and m steps may cost :math:`\alpha m` together, so that step m is tested
at the level :math:`1 - e^{-g}`, g being what is left. That is ForwardStop (M. G. G'Sell, S. Wager,
A. Chouldechova, R. Tibshirani, "Sequential selection procedures and false discovery rate control",
JRSS B 78 (2016) 423-444), ended where it first fails.

*Guarantee.* Call a step false if no candidate depends on the class given S any more, and let its
p-value be valid given the steps before. Then h(p) is at least an exponential variable of mean 1,
so that :math:`E \min(h, g) \ge 1 - e^{-g} \ge P(h \le g)`: a false step spends, on average, as
much as the chance that it is taken. All steps together spend at most :math:`\alpha (R + 1)`, with R
the number of features taken, and one for the step that ended it; hence with V false ones

.. math:: E[V] \le \alpha\, (E[R] + 1).

No step's p-value need be independent of another's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

__all__ = ["LEVELS", "AnyFalse", "FalseShare", "Levels"]


class Levels(Protocol):
    """The level of the next step."""

    @property
    def level(self) -> float:
        """The largest p-value accepted at the next step."""

    @property
    def usual(self) -> float:
        """The level of a step's test while candidates keep passing."""

    @property
    def finest(self) -> float:
        """The level that shuffles should resolve."""

    def take(self, p_value: float) -> None:
        """Record the p-value of an accepted step."""


class AnyFalse:
    """Control the probability that any step is false at alpha."""

    def __init__(self, alpha: float) -> None:
        self.level = self.usual = self.finest = alpha

    def take(self, p_value: float) -> None:
        """Do nothing: every step has the same level."""


class FalseShare:
    """Control the share of false steps at alpha, counting one more step."""

    FINER = 4
    """How far below alpha p-values are resolved: what a step costs depends on them."""

    def __init__(self, alpha: float) -> None:
        self._alpha = alpha
        self._left = alpha
        self.usual = self.level
        self.finest = alpha / self.FINER

    @property
    def level(self) -> float:
        """The largest p-value accepted at the next step."""
        return -math.expm1(-self._left)

    def take(self, p_value: float) -> None:
        """Spend what the step costs, and earn alpha for the next one."""
        self._left += self._alpha + math.log1p(-p_value)


LEVELS: dict[str, Callable[[float], Levels]] = {"any": AnyFalse, "fdr": FalseShare}
"""The levels for each error rate."""
