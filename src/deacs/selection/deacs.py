r"""DEA-CS: class-separability scores ranked by super-efficiency DEA (Zhang et al.).

The score of a candidate :math:`F` for label :math:`c_i` given the selected set :math:`S` is
:math:`R(F; c_i | S) = I(F; C_i | S)` with :math:`C_i = [C = c_i]`, in bits. Candidates are units
with one constant input and the scores as outputs, and the one with the largest super-efficiency

.. math::

    \theta_p = \min \sum_{j \ne p} \lambda_j \quad \text{s.t.} \quad
    \sum_{j \ne p} \lambda_j R(F_j; c_i | S) \ge R(F_p; c_i | S) \; \forall i, \quad \lambda \ge 0

joins :math:`S`, until every score left is zero. Y. Zhang, C. Yang, A. Yang, C. Xiong, X. Zhou,
Z. Zhang, "Feature selection for classification with class-separability strategy and data
envelopment analysis", Neurocomputing 166 (2015) 172-184.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions

from deacs.information import LabelScore
from deacs.selection._base import BaseSelector
from deacs.selection._dea_cs import dea_cs
from deacs.selection._judges import JUDGES, TieBreak

__all__ = ["DEACS"]


class DEACS(BaseSelector):
    """Select the features that tell classes apart, and say which class each one serves.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, a share in (0, 1], or None: until nothing is left to tell.
    label_score : {"one-vs-rest", "divergence"}, default="one-vs-rest"
        What a feature is worth to a label: I(F; C_i | S) as in the paper, or Div(F; c_i | S),
        which differs between the labels of a two-class problem too.
    judge : {"radial", "sum"}, default="radial"
        What ranks candidates: super-efficiency DEA, or the plain sum of their label scores.
    tie_break : {"sum", "last"}, default="sum"
        Among scores within 1e-9: the larger sum of label scores, then the lower column; or the
        last candidate, as Algorithm 2 is printed in the paper.
    include : list of names or indices, optional
        Features that come first, in this order, scored as any other step.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`. The others are cut by `MDLP`.
    store_candidates : bool, default=False
        Keep the scores of all candidates of every step in `candidates_`.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The answer does not depend on it.
    progress : callable, optional
        Called with `(step, name)` after each selected feature.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices in the order they were selected.
    scores_ : ndarray of shape (n_selected,)
        The judge's score at selection: theta (inf: the only feature left that tells anything of
        some label), or the sum.
    efficiency_ : ndarray of shape (n_selected,)
        theta, the same as `scores_`; only with `judge="radial"`.
    label_scores_ : ndarray of shape (n_selected, n_classes)
        R(F; c_i | S) at selection, in bits.
    residual_ : ndarray of shape (n_selected + 1, n_classes)
        H(C_i | S) left before the first and after each feature, in bits.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the selection ended.
    notes_ : list of str
        What a careful reader of the result should know.
    candidates_ : list of CandidateTable
        With `store_candidates=True`: for each step every candidate's label scores and score.
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted; the order of all label scores.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    A step costs one pass over the rows that are left for every candidate, not |S| passes; rows
    leave as soon as the selected features settle their class. Of two equal columns neither has
    theta above 1, so a weaker feature may pass both. See docs/papers/dea-cs.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACS(n_features_to_select=3).fit(X, y)
    >>> selector.selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    >>> selector.transform(X).shape
    (178, 3)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_features_to_select": [Real, None],
        "label_score": [StrOptions({"one-vs-rest", "divergence"})],
        "judge": [StrOptions(set(JUDGES))],
        "tie_break": [StrOptions({"sum", "last"})],
        "include": ["array-like", str, Integral, None],
        "discrete_features": ["array-like", str, "boolean"],
        "store_candidates": ["boolean"],
        "n_jobs": [Integral, None],
        "progress": [callable, None],
    }
    _by_rank = ("ranking_", "scores_", "label_scores_")

    def __init__(
        self,
        n_features_to_select: float | None = None,
        *,
        label_score: LabelScore = "one-vs-rest",
        judge: str = "radial",
        tie_break: TieBreak = "sum",
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        store_candidates: bool = False,
        n_jobs: int | None = None,
        progress: Callable[[int, str], None] | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.label_score = label_score
        self.judge = judge
        self.tie_break = tie_break
        self.include = include
        self.discrete_features = discrete_features
        self.store_candidates = store_candidates
        self.n_jobs = n_jobs
        self.progress = progress

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array or frame of shape (n_samples, n_features), or CodedData
            Numbers, strings, categories, booleans; missing values allowed.
        y : array-like of shape (n_samples,)
            The classes; None if X is CodedData, which holds them.
        """
        data = self._read(X, y)
        path = dea_cs(
            data,
            n_features_to_select=self.n_features_to_select,
            label_score=self.label_score,
            judge=self.judge,
            tie_break=self.tie_break,
            include=self.include,
            store_candidates=self.store_candidates,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        self.ranking_ = path.ranking
        self.scores_ = path.scores
        self.label_scores_ = path.label_scores
        self.residual_ = path.residual
        self.stop_reason_ = path.stop_reason
        self.notes_ = path.notes
        if self.store_candidates:
            self.candidates_ = path.candidate_tables
        return self

    @property
    def efficiency_(self) -> NDArray[np.float64]:
        """theta at selection."""
        if self.judge != "radial":
            raise AttributeError(f"efficiency_ needs judge='radial', got judge={self.judge!r}")
        return self.scores_

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many to keep, from 1 to the number selected.
        """
        shorter = super().truncate(n_features)
        shorter.residual_ = self.residual_[: n_features + 1]
        if self.store_candidates:
            shorter.candidates_ = self.candidates_[:n_features]
        return shorter

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if self.judge == "radial":
            table["efficiency"] = self.scores_
        for i, label in enumerate(self.classes_):
            table[f"bits[{label}]"] = self.label_scores_[:, i]
        return table
