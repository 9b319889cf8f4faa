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

__all__ = ["LEVELS", "AnyFalse", "FalseShare"]


class AnyFalse:
    """Control the probability that any step is false at alpha."""

    FINER = 1
    """How far below alpha p-values are resolved."""

    def __init__(self, alpha: float) -> None:
        self.level = alpha
        """The largest p-value accepted at the next step."""
        self.usual = alpha
        """The level of a step's test while candidates keep passing."""
        self.finest = alpha / self.FINER
        """The level that shuffles should resolve."""

    def take(self, p_value: float) -> None:
        """Record the p-value of an accepted step: every step has the same level."""


class FalseShare(AnyFalse):
    """Control the share of false steps at alpha, counting one more step."""

    FINER = 4
    """What a step costs depends on its p-value."""

    def __init__(self, alpha: float) -> None:
        super().__init__(alpha)
        self._alpha = self._left = alpha
        self.level = self.usual = -math.expm1(-alpha)

    def take(self, p_value: float) -> None:
        """Spend what the step costs, and earn alpha for the next one."""
        self._left += self._alpha + math.log1p(-p_value)
        self.level = -math.expm1(-self._left)


LEVELS: dict[str, type[AnyFalse]] = {"any": AnyFalse, "fdr": FalseShare}
"""The levels for each error rate."""
