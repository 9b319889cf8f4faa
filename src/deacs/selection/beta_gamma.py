r"""BetaGamma: the family of linear criteria (Brown et al., 2012).

.. math:: J(F) = \alpha I(F; C) - \beta \sum_{s \in S} I(F; s)
          + \gamma \sum_{s \in S} I(F; s \mid C)

G. Brown, A. Pocock, M.-J. Zhao, M. Luján, "Conditional likelihood maximisation: a unifying
framework for information theoretic feature selection", Journal of Machine Learning Research 13
(2012) 27-66.
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deacs.greedy.criteria import Floats
from deacs.greedy.pair_criteria import Formula, Pair
from deacs.selection._filter import PairFilter, PairOptions

__all__ = ["BetaGamma"]

Weight = float | Literal["mean"]


class BetaGamma(PairFilter):
    """Select by any linear criterion of relevance, redundancy and redundancy within classes.

    As (alpha, beta, gamma): `MIM` is (1, 0, 0), `MIFS` (1, beta, 0), `MRMR` (1, "mean", 0),
    `CIFE` (1, 1, 1), `CondRed` (1, 0, 1); `JMI` ranks as (1, "mean", "mean") does. `DISR` and
    `MIFSU` are not in the family: their weights depend on the selected feature.

    Parameters
    ----------
    alpha : float, default=1.0
        The weight of I(F; C).
    beta, gamma : float or "mean", default="mean"
        The weights of I(F; s) and I(F; s | C), summed over S; "mean" is 1 / |S|.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import BetaGamma
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> BetaGamma(n_features_to_select=3, beta=0.5, gamma="mean").fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairFilter._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, None, None, closed="neither"), StrOptions({"mean"})],
        "gamma": [Interval(Real, None, None, closed="neither"), StrOptions({"mean"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        alpha: float = 1.0,
        beta: Weight = "mean",
        gamma: Weight = "mean",
        **options: Unpack[PairOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma

    def _formula(self) -> Formula:
        def term(pair: Pair) -> Floats:
            return np.stack(np.broadcast_arrays(pair.redundancy, pair.class_redundancy), axis=-1)

        def score(relevance: Floats, totals: Floats, n_selected: int) -> Floats:
            mean = 1 / max(n_selected, 1)
            beta, gamma = (mean if w == "mean" else float(w) for w in (self.beta, self.gamma))
            return self.alpha * relevance - beta * totals[..., 0] + gamma * totals[..., 1]

        return Formula(term=term, score=score, n_terms=2)
