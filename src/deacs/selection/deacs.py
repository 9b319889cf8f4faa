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

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from deacs.coding import CodedTable, Missing
from deacs.information import ESTIMATORS, Estimator, LabelScore
from deacs.selection._blocks import CONDITIONINGS, Conditioned
from deacs.selection._coded import OF_THE_TEST, CodedSelector
from deacs.selection._costs import read_costs
from deacs.selection._dea_cs import RECOMMENDED, dea_cs
from deacs.selection._engine import check_estimator
from deacs.selection._judges import JUDGES, TieBreak
from deacs.selection._loop import CandidateTable, Path
from deacs.selection._priorities import WeightUnit
from deacs.selection._select import Progress

__all__ = ["DEACS"]


class DEACS(CodedSelector):
    """Select the features that tell classes apart, and say which class each one serves.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many to select: a number, a share in (0, 1], "auto": as long as a candidate depends
        on the class significantly, given S (see docs/papers/stopping.md), or None: until nothing
        is left to tell.
    alpha : float, default=0.05
        With "auto": the chance that a step takes one of those candidates that tell nothing given S.
    n_permutations : int or None, default=None
        With "auto": how often labels are shuffled where counts are small; None: as it takes.
    random_state : int, RandomState, Generator or None, default=None
        With "auto": the seed of the shuffles.
    label_score : {"one-vs-rest", "divergence"}, default="one-vs-rest"
        What a feature is worth to a label: I(F; C_i | S) as in the paper, or Div(F; c_i | S),
        which differs between the labels of a two-class problem too.
    conditioning : {"joint", "jmi", "cmim", "blocks"}, default="joint"
        Given what of S: the joint value of all of it, as in the paper, which small samples cannot
        bear for long; each selected feature by itself, the mean or the least of the scores; or
        blocks of features, joint within, the least over blocks (see docs/conditioning.md).
    min_group_size : float, default=5
        With `conditioning="blocks"`: how many rows the groups of a block hold on average, at least.
    estimator : {"plug-in", "miller-madow", "excess"}, default="plug-in"
        How R is estimated: from frequencies, as in the paper, which takes chance for information
        where counts are small; less Miller and Madow's bias; or less what R is on average when
        labels are shuffled within the groups of S. Never below zero; one-vs-rest only.
    judge : {"radial", "sum", "sbm", "ram", "bam"}, default="radial"
        What ranks candidates: super-efficiency DEA; the plain sum of their label scores; or a model
        that counts slacks (see docs/dea.md), its efficient units ordered by super-efficiency.
    tie_break : {"sum", "slacks", "last"}, default="sum"
        Among scores within 1e-9: the larger sum of label scores, then the lower column; before
        that the least slack; or the last candidate, as Algorithm 2 is printed in the paper.
    weight_ratio : float or None, default=None
        How much the weights may differ that DEA gives to two labels: 1 is the plain sum, None (or
        inf) the paper's free weights, under which a feature that alone serves a rare label wins.
    label_weights : dict of class to weight, or array of shape (n_classes,), optional
        What a bit of each label counts before that, e.g. `{"fraud": 5}` with `weight_ratio=2`.
    weight_unit : {"bits", "share"}, default="bits"
        Whether weights are compared for bits, or for shares of H(C_i): a bit of a rare label is a
        larger part of what there is to know of it.
    costs : dict of column to cost, or array of shape (n_features,) or (n_features, m), optional
        What columns cost (price, latency, risk): the inputs of the DEA. Columns that cost nothing
        come first. A group costs the sum of its columns.
    budget : float or m floats, optional
        The selection ends when the next feature would pass it.
    include : list of names or indices, optional
        Features that come first, in this order, scored as any other step.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`.
    discretizer : {"mdlp", "equal-width", "equal-frequency"}, transformer or None, default="mdlp"
        What cuts the other columns; None: every distinct value is one.
    missing : {"category", "ignore", "error"}, default="category"
        A missing value is a value of its own; or every score is estimated on the rows in which
        its feature and S are present; or an error.
    groups : dict of name to columns, or list of lists of columns, optional
        Columns that are selected or left as one (one-hot, lags): scored by their joint value if
        it has at most 256 values, else by their best member. `n_features_to_select` then counts
        groups, a lone column being one.
    engine : Engine, optional
        Where the columns are counted: `LocalEngine()` (in memory), or those of
        `deacs.distributed`. None: the one that suits the table. The answer does not depend on it.
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
    stop_reason_ : {"n_features_to_select", "exhausted", "budget", "not significant"}
        Why the selection ended.
    p_values_ : ndarray of shape (n_selected,)
        With "auto": the p-value of each at selection, adjusted for all candidates (an upper bound
        where it is tiny); NaN for those in `include`, which are not tested.
    next_p_value_ : float
        With "auto": the least p-value at the step that found nothing significant, else NaN.
    costs_ : ndarray of shape (n_selected, m)
        With `costs`: what each selected column costs.
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
    Given blocks, label scores are the least over blocks and `residual_` is given all of S,
    a plug-in estimate whatever the estimator of scores.

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
        **CodedSelector._parameter_constraints,
        **OF_THE_TEST,
        "label_score": [StrOptions({"one-vs-rest", "divergence"})],
        "conditioning": [StrOptions(set(CONDITIONINGS))],
        "min_group_size": [Real],
        "estimator": [StrOptions(set(ESTIMATORS))],
        "judge": [StrOptions(set(JUDGES))],
        "tie_break": [StrOptions({"sum", "slacks", "last"})],
        "weight_ratio": [Real, None],
        "label_weights": [dict, "array-like", None],
        "weight_unit": [StrOptions({"bits", "share"})],
        "costs": [dict, "array-like", None],
        "budget": [Real, "array-like", None],
        "store_candidates": ["boolean"],
    }
    _by_rank = ("ranking_", "scores_", "label_scores_")

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        alpha: float = 0.05,
        n_permutations: int | None = None,
        random_state: Any = None,
        label_score: LabelScore = "one-vs-rest",
        conditioning: Conditioned = "joint",
        min_group_size: float = 5,
        estimator: Estimator = "plug-in",
        judge: str = "radial",
        tie_break: TieBreak = "sum",
        weight_ratio: float | None = None,
        label_weights: Any = None,
        weight_unit: WeightUnit = "bits",
        costs: Any = None,
        budget: Any = None,
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        discretizer: Any = "mdlp",
        missing: Missing = "category",
        groups: Any = None,
        engine: Any = None,
        store_candidates: bool = False,
        n_jobs: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.alpha = alpha
        self.n_permutations = n_permutations
        self.random_state = random_state
        self.label_score = label_score
        self.conditioning = conditioning
        self.min_group_size = min_group_size
        self.estimator = estimator
        self.judge = judge
        self.tie_break = tie_break
        self.weight_ratio = weight_ratio
        self.label_weights = label_weights
        self.weight_unit = weight_unit
        self.costs = costs
        self.budget = budget
        self.include = include
        self.discrete_features = discrete_features
        self.discretizer = discretizer
        self.missing = missing
        self.groups = groups
        self.engine = engine
        self.store_candidates = store_candidates
        self.n_jobs = n_jobs
        self.progress = progress

    @classmethod
    def recommended(cls, n_features_to_select: float | str | None = None, **others: Any) -> Self:
        """Return the selector to take where accuracy is what counts.

        Conditioned on blocks, chance taken off, classes added up: chosen on nine data sets and
        confirmed on ten others (docs/conditioning.md). The defaults are the paper's.

        Parameters
        ----------
        n_features_to_select, **others
            As everywhere; a parameter of the setting may be given too.

        Examples
        --------
        >>> from deacs import DEACS
        >>> DEACS.recommended(12)  # doctest: +NORMALIZE_WHITESPACE
        DEACS(conditioning='blocks', estimator='excess', judge='sum', min_group_size=10,
              n_features_to_select=12)
        """
        return cls(n_features_to_select, **(RECOMMENDED | others))

    def _read(self, X: Any, y: Any, sample_weight: Any) -> CodedTable:
        check_estimator(self.engine, self.estimator)
        return super()._read(X, y, sample_weight)

    def _path(self, data: CodedTable) -> Path:
        return dea_cs(
            data,
            n_features_to_select=self.n_features_to_select,
            alpha=self.alpha,
            n_permutations=self.n_permutations,
            random_state=self.random_state,
            label_score=self.label_score,
            conditioning=self.conditioning,
            min_group_size=self.min_group_size,
            estimator=self.estimator,
            judge=self.judge,
            tie_break=self.tie_break,
            weight_ratio=self.weight_ratio,
            label_weights=self.label_weights,
            weight_unit=self.weight_unit,
            costs=self._of_units(self._costs()),
            budget=self.budget,
            include=self._included(),
            store_candidates=self.store_candidates,
            engine=self.engine,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def _record(self, path: Path) -> NDArray[np.intp]:
        steps = super()._record(path)
        self.label_scores_ = path.label_scores[steps]
        self.residual_ = path.residual[np.concatenate(([0], steps + 1))]
        costs = self._costs()
        if costs is not None:
            self.costs_ = costs[self.ranking_]
        if self.store_candidates:
            self.candidates_ = [self._table(table) for table in path.candidate_tables]
        return steps

    def _costs(self) -> NDArray[np.float64] | None:
        return None if self.costs is None else read_costs(self.costs, self._feature_names)

    def _of_units(self, costs: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
        """What groups of columns cost."""
        if costs is None or self._grouping is None:
            return costs
        return np.array([costs[list(members)].sum(axis=0) for members in self._grouping.members])

    def _table(self, table: CandidateTable) -> CandidateTable:
        """Name the candidates by their (first) columns."""
        first = [int(self._columns_of([unit])[0]) for unit in table.features]
        return replace(table, features=np.array(first, dtype=np.int64))

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
        if self.costs is not None:
            shorter.costs_ = self.costs_[:n_features]
        if self.store_candidates:
            n_steps = len(shorter.groups_) if self._grouping is not None else n_features
            shorter.candidates_ = self.candidates_[:n_steps]
        return shorter

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if self.judge == "radial":
            table["efficiency"] = self.scores_
        for i, label in enumerate(self.classes_):
            table[f"bits[{label}]"] = self.label_scores_[:, i]
        return table
