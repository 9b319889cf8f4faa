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

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedData, CodedTable, Missing
from deacs.counts import read_estimator
from deacs.counts.counts import Counts, open_counts
from deacs.exceptions import InputError
from deacs.selection._coded import OF_THE_TEST, CodedSelector
from deacs.selection.blocks import CONDITIONINGS, Given, read_conditioning
from deacs.selection.costs import Costs, read_costs, read_prices
from deacs.selection.criteria import LABEL_SCORES, Criterion, LabelScores, read_label_score
from deacs.selection.held_out import HeldOut
from deacs.selection.judges import Judge, Radial, read_judge
from deacs.selection.loop import CandidateTable, Path
from deacs.selection.notes import notes_of
from deacs.selection.result import Result
from deacs.selection.select import select
from deacs.selection.source import Source
from deacs.selection.stopping import read_stop
from deacs.selection.two_views import TwoViewCriterion
from deacs.tables import TargetOption

__all__ = ["DEACS"]

logger = logging.getLogger("deacs")

SHORT_FORMS: dict[str, Callable[[Any], Any]] = {
    "label_score": read_label_score,
    "conditioning": read_conditioning,
    "judge": read_judge,
    "stop": read_stop,
    "costs": read_costs,
}
"""Parameters whose options may be given in short, by a name or as prices, and how to read them."""


class DEACS(CodedSelector):
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
        than 32 distinct integers, or more than 20 with few rows each, unless they number classes
        from 0 or 1 on without a gap; else classes. For a number, the classes below are thresholds
        of its range (docs/numbers.md).
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
        **CodedSelector._parameter_constraints,
        **OF_THE_TEST,
        "label_score": [StrOptions(set(LABEL_SCORES)), LabelScores],
        "conditioning": [StrOptions(set(CONDITIONINGS)), Given],
        "judge": [str, Judge],
        "costs": [dict, "array-like", Costs, None],
        "store_candidates": ["boolean"],
    }

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        label_score: Any = "two-views",
        conditioning: Any = "blocks",
        judge: Any = "bounded",
        stop: Any = None,
        costs: Any = None,
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        discretizer: Any = "auto",
        missing: Missing = "category",
        groups: Any = None,
        target: TargetOption = "auto",
        store_candidates: bool = False,
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
        paper = {
            "label_score": "one-vs-rest",
            "conditioning": "joint",
            "judge": "radial",
            "discretizer": "mdlp",
        }
        return cls(n_features_to_select, **(paper | others))

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `judge__weight_ratio=2` sets an option, also if a word stands for it."""
        for name, read in SHORT_FORMS.items():
            given = params.get(name, getattr(self, name))
            inner = [key for key in params if key.startswith(f"{name}__")]
            if inner and given is None and name == "stop":
                given = read_stop(
                    None, params.get("n_features_to_select", self.n_features_to_select)
                )
            if inner and given is None:
                raise InputError(
                    f"{inner[0]} needs {name}, got None; set {name} first", parameter=inner[0]
                )
            if inner:
                params[name] = read(given)
        super().set_params(**params)
        return self

    @property
    def _needs_order(self) -> bool:  # type: ignore[override]
        return read_label_score(self.label_score).order

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        data, judge = source.data, read_judge(self.judge)
        counts = self._label_counts(data)
        criterion = self._criterion(counts, data)
        path = select(
            data,
            criterion,
            judge.given(data.outputs, criterion.residual()),
            n_features_to_select=self.n_features_to_select,
            include=self._included(source),
            stop=self._test,
            costs=self._unit_costs(source),
            store_candidates=self.store_candidates,
            n_jobs=self.n_jobs,
            progress=self._progress,
            begun=begun,
        )
        n_begun = 0 if begun is None else len(begun.steps)
        path.views = [*(begun.views if begun else ()), *criterion.selected_views[n_begun:]]
        path.criterion = criterion if _is_light(path, data) else None
        path.notes = notes_of(
            path,
            data,
            counts,
            scores=read_label_score(self.label_score),
            given=read_conditioning(self.conditioning),
            judge=judge,
            has_costs=self.costs is not None,
        )
        for note in path.notes:
            logger.info(note)
        return path

    def _label_counts(self, data: CodedTable) -> Counts:
        scores = read_label_score(self.label_score)
        return open_counts(data, scores.kind, self.n_jobs, read_estimator(scores.estimator))

    def _criterion(self, counts: Counts, data: CodedTable) -> Criterion:
        criterion = read_conditioning(self.conditioning).criterion(counts)
        if not read_label_score(self.label_score).order:
            return criterion
        return TwoViewCriterion(criterion, counts.order(), counts, data)

    def _exchangeable(self, source: Source) -> Criterion:
        return self._criterion(self._label_counts(source.data), source.data)

    def _result(self, source: Source, path: Path) -> Result:
        judge = read_judge(self.judge)
        return replace(
            super()._result(source, path),
            score_name=judge.score_name,
            has_label_scores=True,
            label_score=read_label_score(self.label_score).kind,
            is_radial=judge.has_free_weights and self.costs is None,
        )

    def _prices(self, source: Source) -> NDArray[np.float64]:
        return read_prices(read_costs(self.costs).prices, source.names)

    def _unit_costs(self, source: Source) -> Costs | None:
        """Return the costs of units: columns, or groups of columns."""
        if self.costs is None:
            return None
        prices = self._prices(source)
        columns = [list(source.columns_of(unit)) for unit in range(source.n_units)]
        summed = np.array([prices[unit].sum(axis=0) for unit in columns])
        return Costs(summed, read_costs(self.costs).budget)

    @property
    def label_scores_(self) -> NDArray[np.float64]:
        """Information about each label at selection, in bits, (n_selected, n_classes)."""
        return self.result_.label_scores[self.result_.step_of]

    @property
    def views_(self) -> NDArray[np.float64]:
        """The label scores from counts and from ranks, (n_selected, 2, n_classes)."""
        views = self.result_.views
        if views is None:
            raise AttributeError(f"views_ needs two views, got label_score={self.label_score!r}")
        found: NDArray[np.float64] = views[self.result_.step_of]
        return found

    @property
    def residual_(self) -> NDArray[np.float64]:
        """H(C_i | S) before the first feature and after each, in bits."""
        after = np.append(0, self.result_.step_of + 1)
        found: NDArray[np.float64] = self.result_.residual[after]
        return found

    @property
    def held_out_(self) -> HeldOut:
        """Estimates on rows held out from the selection.

        Computed on first access, by repeating the selection on folds, which takes about as long as
        four fits; small tables are divided into folds several times. It needs the fitted rows,
        which pickled selectors do not hold, as they were in `fit`: an `AttributeError` says if X
        was changed since.
        """
        check_is_fitted(self)
        return self.result_.require_held_out().at(self.result_.step_of)

    @property
    def unexplained_(self) -> NDArray[np.float64]:
        """Share of each class's uncertainty left on held-out rows, (n_selected + 1, n_classes)."""
        return self.held_out_.unexplained

    @property
    def costs_(self) -> NDArray[np.float64]:
        """With `costs`: the cost of each selected column, (n_selected, m)."""
        fitted = self.result_.selector
        if fitted.costs is None:
            raise AttributeError("costs_ needs costs")
        prices: NDArray[np.float64] = fitted._prices(self.result_.source)
        return prices[self.ranking_]

    @property
    def candidates_(self) -> list[CandidateTable]:
        """With `store_candidates=True`: the candidates of each step, by their first columns."""
        result = self.result_
        if not result.selector.store_candidates:
            raise AttributeError("candidates_ needs store_candidates=True")
        first = np.array([result.source.columns_of(unit)[0] for unit in range(result.n_features)])
        return [replace(step, features=first[step.features]) for step in result.candidates]

    @property
    def efficiency_(self) -> NDArray[np.float64]:
        """Super-efficiency at selection."""
        if not self._is_radial:
            raise AttributeError(
                "efficiency_ needs a radial judge, got "
                f"judge={self.result_.selector.judge!r}; use scores_"
            )
        return self.scores_

    @property
    def _is_radial(self) -> bool:
        return isinstance(read_judge(self.result_.selector.judge), Radial)

    def _columns(self) -> dict[str, Any]:
        table = super()._columns()
        if self._is_radial:
            table["efficiency"] = self.scores_
        for i, label in enumerate(self.classes_):
            table[f"bits[{label}]"] = self.label_scores_[:, i]
        return table


def _is_light(path: Path, data: CodedTable) -> bool:
    """Whether a criterion takes less than a quarter of the memory of the codes, by feature."""
    numbers = len(path.steps) + len(path.initial_residual) * (len(path.steps) + 6)
    return isinstance(data, CodedData) and 4 * 8 * numbers <= data.n_rows
