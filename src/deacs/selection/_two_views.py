"""Two views of a label: what counts say given S, plus what the order of values says given S."""

from __future__ import annotations

from deacs.information import OrderConditioning
from deacs.selection._criteria import Criterion, Floats, Integers

__all__ = ["TwoViewCriterion"]


class TwoViewCriterion:
    """The sum of counted label scores and of the order view's, in bits.

    Parameters
    ----------
    counted : Criterion
        Label scores from counts.
    order : OrderConditioning
        Label scores from ranks.
    """

    ends_at_zero = True

    def __init__(self, counted: Criterion, order: OrderConditioning) -> None:
        self._counted = counted
        self._order = order

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._counted.n_features

    def scores(self, candidates: Integers) -> Floats:
        """Return label scores in bits, shape (n_candidates, n_labels)."""
        return self._counted.scores(candidates) + self._order.scores(candidates)

    def add(self, feature: int) -> None:
        """Take a feature into S."""
        self._counted.add(feature)
        self._order.add(feature)

    def conditions(self) -> list[list[int]]:
        """Return the sets of selected features that counts are given."""
        return self._counted.conditions()

    def residual(self) -> Floats:
        """Return H(C_i | S) in bits, counted."""
        return self._counted.residual()
