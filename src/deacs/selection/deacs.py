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
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from deacs.coding import CodedTable, Missing
from deacs.greedy.blocks import CONDITIONINGS, Given
from deacs.greedy.costs import Costs, read_costs, read_prices
from deacs.greedy.criteria import Criterion
from deacs.greedy.judges import Judge, Radial, read_judge
from deacs.greedy.label_scores import LABEL_SCORES, LabelScores, read_label_score
from deacs.greedy.loop import CandidateTable, Path
from deacs.greedy.setting import (
    CODING,
    PUBLISHED,
    PUBLISHED_CODING,
    Setting,
    dea_cs,
    label_criterion,
)
from deacs.selection._coded import OF_THE_TEST
from deacs.selection._repeatable import Repeatable
from deacs.selection.held_out import HeldOut
from deacs.tables import TargetOption

__all__ = ["DEACS"]


class DEACS(Repeatable):
    """Select features that separate the classes, and report which class each one separates.

    The defaults are the best setting we know (docs/which-selector.md); `DEACS.published` is the
    method of the paper. Options that belong together are objects, e.g.
    `DEACS(10, judge=Radial(weight_ratio=4), conditioning=Blocks(min_group_size=20))`; the usual
    ones have names.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default=None
        How many to select: a number, or a share in (0, 1]. "auto" stops when no candidate depends
        significantly on the class given S (`stop=Significant()`); None, when none is informative
        about any class given S.
    label_score : {"two-views", "one-vs-rest", "divergence"} or LabelScores, default="two-views"
        How informative a feature is about a label: the mean of two estimates, from counts
        corrected for chance and from partial correlations of ranks
        (`OneVsRest(estimator="excess", order=True)`); I(F; C_i | S) as in the
        paper (`OneVsRest()`); or Div(F; c_i | S) (`Divergence()`), which differs between the labels
        even in a two-class problem.
    conditioning : {"blocks", "joint", "cmim", "jmi"} or object, default="blocks"
        How counts are conditioned on S: on blocks of features, jointly within a block
        (`Blocks(min_group_size=10, caution=0.5)`); on the joint value of all of S, as in the paper
        (`Joint()`); or on each selected feature separately, with the least or the mean of the
        scores (`Each()`, `Each("mean")`).
    judge : {"bounded", "radial", "sum", "sbm", "ram", "bam"} or Judge, default="bounded"
        Ranks candidates: super-efficiency DEA with label weights that differ by a factor of at most
        1.2 (`Radial(weight_ratio=1.2)`) or freely, as in the paper (`Radial()`); the plain sum of
        label scores (`Sum()`); or a slack-based model (`SlackBased("sbm")`).
    stop : {"significant"} or Significant, optional
        The test that the next feature must pass: `Significant(alpha=0.05)`, or
        `Significant(rate="fdr", alpha=0.1)` to control the false discovery rate.
    costs : dict of column to cost, array of shape (n_features,) or (n_features, m), or Costs
        Costs of columns (price, latency, risk): the inputs of the DEA. Columns that cost nothing
        come first; a group costs the sum of its columns. `Costs(prices, budget=20)` ends the
        selection when the next feature would exceed the budget.
    include : list of names or indices, optional
        Features to select first, in this order; they are scored like any other.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`.
    discretizer : word, transformer or None, default="auto"
        Discretizes the other columns: "mdlp"; "auto", which also cuts those that MDLP leaves uncut
        into three intervals with equally many rows; "equal-width"; "equal-frequency"; None keeps
        every distinct value.
    missing : {"category", "ignore", "error"}, default="category"
        Treat missing as a value of its own; estimate every score on the rows in which its feature
        and S are present; or raise an error.
    groups : dict of name to columns, or list of lists of columns, optional
        Columns selected together or not at all (one-hot, lags): scored by their joint value if
        it has at most 256 values, else by their best member. `n_features_to_select` then counts
        groups; a column outside them counts as one.
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        The kind of target: classes, multiple labels per row, or a number. "auto": labels if y has
        several columns or holds sets; numbers if any value has a fraction, or if there are more
        than 20 distinct integers, at least half of them in fewer than 5 rows; else classes.
        For a number, the classes below are thresholds of its range (docs/numbers.md).
    store_candidates : bool, default=False
        Keep the scores of all candidates of every step in `candidates_`.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all cores. The result does not depend on it.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices in the order they were selected.
    scores_ : ndarray of shape (n_selected,)
        The judge's score at selection: the super-efficiency (inf: no rival has a score for some
        label about which this feature is informative), or the sum.
    efficiency_ : ndarray of shape (n_selected,)
        The super-efficiency, theta in the paper: the same as `scores_`; only with radial judges.
    label_scores_ : ndarray of shape (n_selected, n_classes)
        Information about each label at selection, in bits; with two views, the mean.
    views_ : ndarray of shape (n_selected, 2, n_classes)
        With two views: the label scores from counts and from ranks.
    residual_ : ndarray of shape (n_selected + 1, n_classes)
        H(C_i | S) before the first feature and after each, in bits: a plug-in estimate on the
        fitted rows, too small for new rows once groups have few rows.
    unexplained_ : ndarray of shape (n_selected + 1, n_classes)
        The share of each class's uncertainty left on held-out rows, from selections repeated on
        folds (docs/papers/held-out.md); computed on first access.
    held_out_ : HeldOut
        The same, with the gain of each feature on held-out rows and its standard error.
    stop_reason_ : {"n_features_to_select", "chance", "exhausted", "budget", "not significant"}
        Why the selection ended. "chance": no candidate outscores the best of as many
        uninformative ones; "exhausted": none has a score at all.
    p_values_ : ndarray of shape (n_selected,)
        With a test: the p-value of each at selection, adjusted for all candidates; NaN for
        features in `include`, which are not tested.
    p_is_bound_ : ndarray of bool of shape (n_selected,)
        With a test: whether a p-value is only an upper bound, because the permutations cannot
        resolve a smaller one or a bound was enough.
    next_p_value_ : float
        With a test: the least p-value at the step that found none significant, else NaN.
    costs_ : ndarray of shape (n_selected, m)
        With `costs`: the cost of each selected column.
    notes_ : list of str
        Caveats that a careful reader should know.
    candidates_ : list of CandidateTable
        With `store_candidates=True`: the label scores and score of every candidate at each step.
    classes_ : ndarray of shape (n_classes,)
        The sorted classes, in the order of all label scores.
    n_features_in_, feature_names_in_
        As in all scikit-learn estimators.

    Notes
    -----
    A step takes one pass over the column of each candidate, not |S| passes. Neither of two equal
    columns has a super-efficiency above 1, so a weaker feature may overtake both; see
    docs/papers/dea-cs.md.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEACS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> selector = DEACS(n_features_to_select=3).fit(X, y)
    >>> selector.selected_names_
    ['flavanoids', 'color_intensity', 'proline']
    >>> selector.transform(X).shape
    (178, 3)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Repeatable._parameter_constraints,
        **OF_THE_TEST,
        "label_score": [StrOptions(set(LABEL_SCORES)), LabelScores],
        "conditioning": [StrOptions(set(CONDITIONINGS)), Given],
        "judge": [str, Judge],
        "costs": [dict, "array-like", Costs, None],
        "store_candidates": ["boolean"],
    }
    _by_rank = (*Repeatable._by_rank, "label_scores_", "views_", "costs_")
    views_: NDArray[np.float64]

    def __init__(
        self,
        n_features_to_select: float | str | None = Setting.n_features_to_select,
        *,
        label_score: Any = Setting.label_score,
        conditioning: Any = Setting.conditioning,
        judge: Any = Setting.judge,
        stop: Any = Setting.stop,
        costs: Any = Setting.costs,
        include: Sequence[str | int] | None = Setting.include,
        discrete_features: Any = "auto",
        discretizer: Any = CODING["discretizer"],
        missing: Missing = CODING["missing"],
        groups: Any = None,
        target: TargetOption = "auto",
        store_candidates: bool = Setting.store_candidates,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.label_score = label_score
        self.conditioning = conditioning
        self.judge = judge
        self.stop = stop
        self.costs = costs
        self.include = include
        self.discrete_features = discrete_features
        self.discretizer = discretizer
        self.missing = missing
        self.groups = groups
        self.target = target
        self.store_candidates = store_candidates
        self.n_jobs = n_jobs

    @classmethod
    def published(cls, n_features_to_select: float | str | None = None, **others: Any) -> Self:
        """Return the selector exactly as published.

        Parameters
        ----------
        n_features_to_select, **others
            Parameters of `DEACS`; they may override the paper's setting.

        Examples
        --------
        >>> from deacs import DEACS
        >>> DEACS.published(12)
        DEACS(conditioning='joint', discretizer='mdlp', judge='radial',
              label_score='one-vs-rest', n_features_to_select=12)
        """
        return cls(n_features_to_select, **(PUBLISHED_CODING | PUBLISHED | others))

    @property
    def _needs_order(self) -> bool:  # type: ignore[override]
        return read_label_score(self.label_score).order

    def _path(self, data: CodedTable, begun: Path | None = None) -> Path:
        setting = self._setting()
        self._refits = self._repeatable(setting)
        self._held_out: HeldOut | None = None
        return dea_cs(
            data,
            setting,
            n_jobs=self.n_jobs,
            progress=self._progress,
            begun=begun,
        )

    def _setting(self) -> Setting:
        setting = Setting(**{field.name: getattr(self, field.name) for field in fields(Setting)})
        return replace(setting, costs=self._unit_costs(), include=self._included())

    def _exchangeable(self, data: CodedTable) -> Criterion:
        return label_criterion(data, self._setting(), n_jobs=self.n_jobs)

    def _record(self, path: Path) -> NDArray[np.intp]:
        steps = super()._record(path)
        self.label_scores_ = path.label_scores[steps]
        self._forget("views_", "costs_", "candidates_")
        if path.views:
            self.views_ = np.array(path.views)[steps]
        self.residual_ = path.residual[np.concatenate(([0], steps + 1))]
        if self.costs is not None:
            self.costs_ = self._prices()[self.ranking_]
        if self.store_candidates:
            self.candidates_ = [self._table(table) for table in path.candidate_tables]
        return steps

    def _prices(self) -> NDArray[np.float64]:
        return read_prices(read_costs(self.costs).prices, self._feature_names)

    def _unit_costs(self) -> Costs | None:
        """Return the costs of units: columns, or groups of columns."""
        if self.costs is None:
            return None
        prices = self._prices()
        if self._grouping is not None:
            prices = np.array([prices[list(unit)].sum(axis=0) for unit in self._grouping.members])
        return Costs(prices, read_costs(self.costs).budget)

    def _table(self, table: CandidateTable) -> CandidateTable:
        """Name the candidates by their (first) columns."""
        first = [int(self._columns_of([unit])[0]) for unit in table.features]
        return replace(table, features=np.array(first, dtype=np.int64))

    @property
    def efficiency_(self) -> NDArray[np.float64]:
        """Super-efficiency at selection."""
        if not self._is_radial:
            raise AttributeError(
                f"efficiency_ needs a radial judge, got judge={self.judge!r}; use scores_"
            )
        return self.scores_

    @property
    def _is_radial(self) -> bool:
        return isinstance(read_judge(self.judge), Radial)

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many to keep, from 1 to the number selected.
        """
        shorter = super().truncate(n_features)
        shorter.residual_ = self.residual_[: n_features + 1]
        shorter._refits = self._refits
        if self._held_out is not None:
            shorter._held_out = self._held_out.at(np.arange(n_features))
        if self.store_candidates:
            n_steps = len(shorter.groups_) if self._grouping is not None else n_features
            shorter.candidates_ = self.candidates_[:n_steps]
        return shorter

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if self._is_radial:
            table["efficiency"] = self.scores_
        for i, label in enumerate(self.classes_):
            table[f"bits[{label}]"] = self.label_scores_[:, i]
        return table
