"""Base of the information filters: parameters, `fit`, and a formula of pairs."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from inspect import Signature, signature
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from deacs.coding import CodedData, CodedTable, Missing
from deacs.exceptions import InputError, Parameter
from deacs.greedy.criteria import Criterion, Exchangeable, FixedScores, Floats
from deacs.greedy.judges import Largest, SettledJudge
from deacs.greedy.labelwise import LabelwiseCriterion
from deacs.greedy.loop import Path
from deacs.greedy.notes import leak_note
from deacs.greedy.pair_criteria import Formula, PairCriterion, PairwiseCriterion
from deacs.greedy.select import select
from deacs.selection._coded import CodedSelector
from deacs.tables import TargetOption

__all__ = [
    "FilterOptions",
    "FormulaFilter",
    "InformationFilter",
    "LabelFilter",
    "PairFilter",
    "PairOptions",
    "SharedOptions",
]


class SharedOptions(TypedDict, total=False):
    """The keyword parameters that all filters share, but for the discretizer."""

    include: Sequence[str | int] | None
    discrete_features: Any
    missing: Missing
    groups: Any
    target: TargetOption
    engine: Any
    n_jobs: int | None


class FilterOptions(SharedOptions, total=False):
    """The keyword parameters that all filters share."""

    discretizer: Any


class PairOptions(FilterOptions, total=False):
    """The keyword parameters that all filters of pairs share."""

    sum_labels: bool


class InformationFilter(CodedSelector):
    """A greedy filter with one score a candidate. Subclasses name the criterion.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, a share in (0, 1], or None: all of them, ranked (`CMI`,
        `FCBF`, `CFS`: until their own end).
    include : list of names or indices, optional
        Features that come first, in this order, scored as any other step.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`.
    discretizer : {"mdlp", "equal-width", "equal-frequency"}, transformer or None, default="mdlp"
        What cuts the other columns; None: every distinct value is one.
    missing : {"category", "ignore", "error"}, default="category"
        A missing value is a value of its own; or every term is estimated on the rows in which its
        variables are present; or an error.
    groups : dict of name to columns, or list of lists of columns, optional
        Columns that are selected or left as one; see `DEACS`.
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        What y is; see `DEACS`.
    engine : Engine, optional
        Where the columns are counted; see `DEACS`.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 all cores. The answer does not depend on it.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices in the order they were selected.
    scores_ : ndarray of shape (n_selected,)
        The criterion at selection.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the selection ended.
    classes_, n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    """

    _judge: ClassVar[SettledJudge] = Largest()
    """Chooses the winner of a step."""
    _scores_relevance: ClassVar[bool] = False
    """Whether the score of the first feature is I(F; C)."""
    _options_for_all: ClassVar[bool] = True
    """Whether all filters below have the keyword parameters of this class."""

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        include: Sequence[str | int] | None = None,
        discrete_features: Any = "auto",
        discretizer: Any = "mdlp",
        missing: Missing = "category",
        groups: Any = None,
        target: TargetOption = "auto",
        engine: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.discrete_features = discrete_features
        self.discretizer = discretizer
        self.missing = missing
        self.groups = groups
        self.target = target
        self.engine = engine
        self.n_jobs = n_jobs

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # A filter with parameters of its own passes the shared ones on as **options. scikit-learn
        # reads parameters off the signature, and people do too: name them all there.
        super().__init_subclass__(**kwargs)
        init = vars(cls).get("__init__")
        if init is not None:
            parent = next(c for c in cls.__mro__[1:] if "_options_for_all" in vars(c))
            own = [p for p in signature(init).parameters.values() if p.kind is not p.VAR_KEYWORD]
            shared = signature(vars(parent)["__init__"]).parameters.values()
            named = {p.name for p in own}
            options = [p for p in shared if p.kind is p.KEYWORD_ONLY and p.name not in named]
            init.__signature__ = Signature([*own, *options])

    def _path(self, data: CodedTable, begun: Path | None = None) -> Path:
        criterion = self._criterion(data)
        path = select(
            data,
            criterion,
            self._judge,
            n_features_to_select=self.n_features_to_select,
            include=self._included(),
            stop=self._test,
            n_jobs=self.n_jobs,
            progress=self._progress,
            begun=begun,
        )
        if isinstance(data, CodedData):
            leak = leak_note(data, self._most_relevant(criterion, path))
            path.notes = [] if leak is None else [leak]
        return path

    def _most_relevant(self, criterion: Criterion, path: Path) -> float:
        """Return the largest I(F; C), or inf where the selection did not need it."""
        if isinstance(criterion, PairwiseCriterion):
            return float(criterion.relevance.max())
        is_free = self._test is None and self.include is None
        is_known = self._scores_relevance and is_free and len(path.steps) > 0
        return path.steps[0].score if is_known else math.inf

    @abstractmethod
    def _criterion(self, data: CodedTable) -> Criterion:
        """Return the criterion that the loop maximises."""

    def _exchangeable(self, data: CodedTable) -> Exchangeable | None:
        criterion = self._criterion(data)
        return criterion if isinstance(criterion, Exchangeable) else None


class FormulaFilter(InformationFilter):
    """A filter whose criterion is a formula of pairs of features."""

    @abstractmethod
    def _formula(self) -> Formula:
        """J(F) from I(F; C) and one term for each selected feature."""

    def _summed_over_labels(self, data: CodedTable, relevance: Floats | None = None) -> Criterion:
        if self._ignores_missing(data):
            raise InputError(
                Parameter("missing", "ignore"),
                " is not for criteria that are summed over labels: their terms would be estimated "
                "on different rows; use ",
                Parameter("missing", "category"),
            )
        return LabelwiseCriterion(self._counts(data), self._formula(), relevance)

    def _exchangeable(self, data: CodedTable) -> Exchangeable | None:
        # A ranking by relevance alone does not know the selected features.
        return None if self._formula().term is None else super()._exchangeable(data)

    def _ignores_missing(self, data: CodedTable) -> bool:
        if isinstance(data, CodedData):
            return any((block.ignored >= 0).any() for block in data.blocks)
        return self.missing == "ignore" and any(feature.has_missing for feature in data.features)


class PairFilter(FormulaFilter):
    """A filter for classes; of several labels a row it takes the set for the class.

    Parameters
    ----------
    sum_labels : bool, default=False
        With several labels a row: False takes the set of a row's labels for its class, True sums
        the criterion over labels, each taken for a class of two.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "sum_labels": ["boolean"],
    }
    _options_for_all: ClassVar[bool] = True

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        sum_labels: bool = False,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.sum_labels = sum_labels

    def _criterion(self, data: CodedTable) -> Criterion:
        if self.sum_labels:
            return self._summed_over_labels(data)
        counts, formula = self._counts(data), self._formula()
        if formula.term is None:
            nothing = np.zeros(counts.n_features)
            return FixedScores(formula.score(counts.relevance(), nothing, 0))
        return PairCriterion(counts, formula)


class LabelFilter(FormulaFilter):
    """A filter for several labels a row; where each row has one class, the classes are labels."""

    def _criterion(self, data: CodedTable) -> Criterion:
        return self._summed_over_labels(data)
