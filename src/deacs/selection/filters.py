r"""The filters whose criterion is a formula over pairs of features, and CMI, given all of S.

A filter adds the feature with the largest J(F). Terms are plug-in estimates in bits for a candidate
F, a selected feature s and the class C; each pair is counted once. Most are points of the family
that G. Brown, A. Pocock, M.-J. Zhao, M. Luján describe in "Conditional likelihood maximisation: a
unifying framework for information theoretic feature selection", Journal of Machine Learning
Research 13 (2012) 27-66.

Examples
--------
>>> from sklearn.datasets import load_wine
>>> from deacs import JMI, MRMR
>>> X, y = load_wine(return_X_y=True, as_frame=True)
>>> JMI(n_features_to_select=3).fit(X, y).selected_names_
['flavanoids', 'alcohol', 'proline']
>>> MRMR(n_features_to_select=3, scheme="quotient").fit(X, y).selected_names_
['flavanoids', 'magnesium', 'alcohol']
"""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from deacs.selection._coded import OF_THE_TEST
from deacs.selection._filter import FilterOptions, InformationFilter, PairFilter, PairOptions
from deacs.selection.criteria import Criterion, Floats, LabelCriterion
from deacs.selection.pair_criteria import Formula, Pair
from deacs.selection.source import Source

__all__ = [
    "CIFE",
    "CMI",
    "CMIM",
    "DISR",
    "ICAP",
    "JMI",
    "JMIM",
    "MIFS",
    "MIFSU",
    "MIM",
    "MRMR",
    "NJMIM",
    "BetaGamma",
]


def _sum_or_relevance(relevance: Floats, total: Floats, n_selected: int) -> Floats:
    return total if n_selected else relevance


class MIM(PairFilter):
    """Rank features by the information of each alone about the class: J(F) = I(F; C).

    Redundancy is ignored: a copy of the best feature comes second. D. D. Lewis, "Feature selection
    and feature extraction for text categorization", Speech and Natural Language 1992, 212-217.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula(score=lambda relevance, _, n_selected: relevance)


class MIFS(PairFilter):
    r"""Select by :math:`I(F; C) - \beta \sum_{s \in S} I(F; s)`, relevance minus redundancy with S.

    The penalty grows with every selected feature, so that late features are chosen for low
    redundancy more than for relevance; `MRMR` divides by the number of selected features. R.
    Battiti, "Using mutual information for selecting features in supervised neural net learning",
    IEEE Transactions on Neural Networks 5(4) (1994) 537-550.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of redundancy; 0 is `MIM`. Battiti found 0.5 to 1 best.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
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

    def _redundancy(self, pair: Pair) -> Floats:
        return pair.redundancy

    @property
    def _formula(self) -> Formula:
        return Formula(
            term=self._redundancy,
            score=lambda relevance, total, n_selected: relevance - self.beta * total,
            needs_class=False,
        )


class MIFSU(MIFS):
    r"""Select by :math:`I(F; C) - \beta \sum_{s \in S} I(F; s) I(s; C) / H(s)`.

    The share of I(F; s) that concerns the class is taken to be that of s itself, I(s; C) / H(s),
    which holds if information about the class is uniform over s. N. Kwak, C.-H. Choi, "Input
    feature selection for classification problems", IEEE Transactions on Neural Networks 13(1)
    (2002) 143-159.

    Parameters
    ----------
    beta : float, default=1.0
        The weight of redundancy; 0 is `MIM`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    def _redundancy(self, pair: Pair) -> Floats:
        entropy = pair.selected_entropy
        return pair.redundancy * (pair.selected_relevance / entropy if entropy > 0 else 0.0)


class MRMR(PairFilter):
    r"""Select by relevance minus (or divided by) mean redundancy with S.

    .. math:: I(F; C) - \frac{1}{|S|} \sum_{s \in S} I(F; s)
              \quad\text{or}\quad I(F; C) \Big/ \frac{1}{|S|} \sum_{s \in S} I(F; s)

    H. Peng, F. Long, C. Ding, "Feature selection based on mutual information: criteria of
    max-dependency, max-relevance, and min-redundancy", IEEE Transactions on Pattern Analysis and
    Machine Intelligence 27(8) (2005) 1226-1238. The quotient: C. Ding, H. Peng, "Minimum redundancy
    feature selection from microarray gene expression data", CSB 2003.

    Parameters
    ----------
    scheme : {"difference", "quotient"}, default="difference"
        MID or MIQ. A redundancy below 1e-12 bits counts as 1e-12, so that among features
        independent of S the most relevant wins.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairFilter._parameter_constraints,
        "scheme": [StrOptions({"difference", "quotient"})],
    }

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        scheme: Literal["difference", "quotient"] = "difference",
        **options: Unpack[PairOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.scheme = scheme

    @property
    def _formula(self) -> Formula:
        if self.scheme == "difference":
            return Formula.relevance_less("redundancy", mean=True)
        return Formula(term=lambda pair: pair.redundancy, score=_quotient, needs_class=False)


LEAST_REDUNDANCY = 1e-12
"""In bits: one unit of the fixed-point numbers in which counts are summed."""


def _quotient(relevance: Floats, total: Floats, n_selected: int) -> Floats:
    if n_selected == 0:
        return relevance
    return relevance / np.maximum(total / n_selected, LEAST_REDUNDANCY)


class CIFE(PairFilter):
    r"""Select by relevance, minus redundancy with S, plus synergy.

    .. math:: I(F; C) - \sum_{s \in S} \big( I(F; s) - I(F; s \mid C) \big)

    D. Lin, X. Tang, "Conditional infomax learning: an integrated framework for feature extraction
    and fusion", ECCV 2006, 68-82.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula(
        term=lambda pair: pair.redundancy - pair.class_redundancy,
        score=lambda relevance, total, n_selected: relevance - total,
    )


class ICAP(PairFilter):
    r"""Select by relevance minus what each selected feature already provides: CIFE without synergy.

    .. math:: I(F; C) - \sum_{s \in S} \max \big( 0, I(F; s) - I(F; s \mid C) \big)

    A. Jakulin, "Machine learning based on attribute interactions", PhD thesis, University of
    Ljubljana, 2005.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula.relevance_less("overlap")


class JMI(PairFilter):
    r"""Select by joint information with each selected feature, :math:`\sum_{s \in S} I(F, s; C)`.

    The first feature is the most relevant. Complementarity counts: a feature uninformative alone
    may be informative with another. H. H. Yang, J. Moody, "Data visualization and feature
    selection: new algorithms for non-Gaussian data", NIPS 12 (1999) 687-693.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula(term=lambda pair: pair.joint, score=_sum_or_relevance)


class DISR(PairFilter):
    r"""Select by :math:`\sum_{s \in S} I(F, s; C) / H(F, s, C)`: JMI relative to the joint entropy.

    The first feature is the most relevant. `JMI` favours features with many values; dividing by the
    joint entropy corrects for that. P. E. Meyer, G. Bontempi, "On the use of variable
    complementarity for feature selection in cancer classification", EvoWorkshops 2006, 91-102.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula(term=lambda pair: pair.symmetrical_relevance, score=_sum_or_relevance)


class JMIM(PairFilter):
    r"""Select by the least informative pair with a selected feature.

    .. math:: \min_{s \in S} I(F, s; C)

    The first feature is the most relevant. M. Bennasar, Y. Hicks, R. Setchi, "Feature selection
    using joint mutual information maximisation", Expert Systems with Applications 42(22) (2015)
    8520-8532.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula.least_of("joint")


class NJMIM(PairFilter):
    r"""Select by the least informative pair, relative to the entropy of the pair and the class.

    .. math:: \min_{s \in S} I(F, s; C) / H(F, s, C)

    The first feature is the most relevant. The reference is that of `JMIM`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula.least_of("symmetrical_relevance")


class CMIM(PairFilter):
    r"""Select by information about the class given the selected feature that leaves least of it.

    .. math:: \min \big( I(F; C), \min_{s \in S} I(F; C \mid s) \big)

    F. Fleuret, "Fast binary feature selection with conditional mutual information", Journal of
    Machine Learning Research 5 (2004) 1531-1555.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    """

    _formula = Formula.least_of("conditional", at_most_relevance=True)


Weight = float | Literal["mean"]


class BetaGamma(PairFilter):
    r"""Select by any linear criterion of relevance, redundancy and redundancy within classes.

    .. math:: \alpha I(F; C) - \beta \sum_{s \in S} I(F; s) + \gamma \sum_{s \in S} I(F; s \mid C)

    As (alpha, beta, gamma): `MIM` is (1, 0, 0), `MIFS` (1, beta, 0), `MRMR` (1, "mean", 0),
    `CIFE` (1, 1, 1), CondRed (1, 0, 1); `JMI` ranks as (1, "mean", "mean") does. `DISR` and
    `MIFSU` are not in the family: their weights depend on the selected feature.

    Parameters
    ----------
    alpha : float, default=1.0
        The weight of I(F; C).
    beta, gamma : float or "mean", default="mean"
        The weights of I(F; s) and I(F; s | C), summed over S; "mean" is 1 / |S|.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
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

    @property
    def _formula(self) -> Formula:
        def term(pair: Pair) -> Floats:
            return np.stack(np.broadcast_arrays(pair.redundancy, pair.class_redundancy), axis=-1)

        def score(relevance: Floats, totals: Floats, n_selected: int) -> Floats:
            mean = 1 / max(n_selected, 1)
            beta, gamma = (mean if w == "mean" else float(w) for w in (self.beta, self.gamma))
            return self.alpha * relevance - beta * totals[..., 0] + gamma * totals[..., 1]

        return Formula(term=term, score=score, n_terms=2)


class CMI(InformationFilter):
    r"""Select the feature that adds most to the information of S about the class: I(F; C | S).

    DEA-CS without DEA: the same conditioning on the joint value of S, but one score for all
    classes. The other filters approximate it. It ends when no feature adds any, which is soon on
    small tables: after about log N features every joint value of S has one row.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many to select; "auto" stops when no candidate depends significantly on the class given
        S, None when no candidate adds information.
    stop : {"significant"} or Significant, optional
        The test that ends the selection; "auto" means `Significant()`.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`; with
    "auto" also `p_values_` and `next_p_value_`, as in `DEACS`.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        **OF_THE_TEST,
    }

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        stop: Any = None,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.stop = stop

    def _criterion(self, source: Source) -> Criterion:
        return LabelCriterion(self._counts(source.data, "joint"))
