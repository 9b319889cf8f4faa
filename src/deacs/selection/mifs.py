r"""MIFS: relevance minus redundancy with every selected feature (Battiti, 1994).

.. math:: J(F) = I(F; C) - \beta \sum_{s \in S} I(F; s)

R. Battiti, "Using mutual information for selecting features in supervised neural net learning",
IEEE Transactions on Neural Networks 5(4) (1994) 537-550.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Unpack

from sklearn.utils._param_validation import Interval

from deacs.greedy.pair_criteria import Formula
from deacs.selection._filter import PairFilter, PairOptions

__all__ = ["MIFS"]


class MIFS(PairFilter):
    """Select by information about the class, minus `beta` times redundancy with S.

    The penalty grows with every selected feature, so that late features are chosen for low
    redundancy more than for relevance; `MRMR` divides by the number of selected features.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of redundancy; 0 is `MIM`. Battiti found 0.5 to 1 best.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import MIFS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> MIFS(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'alcohol', 'hue']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairFilter._parameter_constraints,
        "beta": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        beta: float = 1.0,
        **options: Unpack[PairOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.beta = beta

    def _formula(self) -> Formula:
        return Formula(
            term=lambda pair: pair.redundancy,
            score=lambda relevance, total, n_selected: relevance - self.beta * total,
            needs_class=False,
        )
