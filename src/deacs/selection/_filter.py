"""Base classes of the information filters: shared parameters, and formulas over pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np

from deacs.coding import Missing
from deacs.exceptions import InputError, Parameter
from deacs.selection._coded import CodedSelector
from deacs.selection.criteria import Criterion, FixedScores
from deacs.selection.judges import Largest, SettledJudge
from deacs.selection.loop import Path, Step
from deacs.selection.notes import table_notes
from deacs.selection.pair_criteria import Formula, LabelwiseCriterion, PairCriterion
from deacs.selection.select import select
from deacs.selection.source import Source
from deacs.selection.stopping import included_features, n_features_wanted
from deacs.tables import TargetOption

__all__ = [
    "FilterOptions",
    "InformationFilter",
    "PairFilter",
    "PairOptions",
    "SharedOptions",
]


class SharedOptions(TypedDict, total=False):
    """The keyword parameters that all filters share, except the discretizer."""

    include: Sequence[str | int] | None
    discrete_features: Any
    missing: Missing
    groups: Any
    target: TargetOption
    n_jobs: int | None


class FilterOptions(SharedOptions, total=False):
    """The keyword parameters that all filters share."""

    discretizer: Any


class PairOptions(FilterOptions, total=False):
    """The keyword parameters that all filters of pairs share."""

    sum_labels: bool


class InformationFilter(CodedSelector):
    """A greedy filter with one score per candidate. Subclasses define the criterion.

    Parameters
    ----------
    n_features_to_select : int, float or None, default=None
        How many to select: a number, or a share in (0, 1]. None ranks them all (`CMI`, `FCBF` and
        `CFS` stop by themselves).
    include : list of names or indices, optional
        Features to select first, in this order; they are scored like any other.
    discrete_features : "auto", bool, mask, names or indices, default="auto"
        Which columns are discrete; see `deacs.encode`.
    discretizer : {"mdlp", "equal-width", "equal-frequency"}, transformer or None, default="mdlp"
        Discretizes the other columns; None keeps every distinct value.
    missing : {"category", "ignore", "error"}, default="category"
        Treat missing as a value of its own; estimate every term on the rows in which its variables
        are present; or raise an error.
    groups : dict of name to columns, or list of lists of columns, optional
        Columns selected together or not at all; see `DEACS`.
    target : {"auto", "classes", "labels", "numbers"}, default="auto"
        The kind of target; see `DEACS`.
    n_jobs : int or None, default=None
        Number of threads; None means 1, -1 all cores. The result does not depend on it.
    sum_labels : bool, default=False
        Only of filters over pairs, such as `JMI` and `MRMR`. With multiple labels per row: False
        takes the set of a row's labels as its class, True sums the criterion over labels, each as a
        binary class.

    Attributes
    ----------
    ranking_ : ndarray of int of shape (n_selected,)
        Column indices in the order they were selected.
    scores_ : ndarray of shape (n_selected,)
        The value of the criterion at selection.
    notes_ : list of str
        Caveats that a careful reader should know.
    stop_reason_ : {"n_features_to_select", "exhausted"}
        Why the selection ended.
    classes_, n_features_in_, feature_names_in_
        As in all scikit-learn estimators.
    """

    _judge: ClassVar[SettledJudge] = Largest()
    """Chooses the winner of a step."""
    _shares_options = True

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
        n_jobs: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.include = include
        self.discrete_features = discrete_features
        self.discretizer = discretizer
        self.missing = missing
        self.groups = groups
        self.target = target
        self.n_jobs = n_jobs

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        criterion = self._criterion(source)
        path = select(
            source.data,
            criterion,
            self._judge,
            n_features_to_select=self.n_features_to_select,
            include=self._included(source),
            stop=self._test,
            n_jobs=self.n_jobs,
            progress=self._progress,
            begun=begun,
        )
        path.notes = table_notes(source.data, path.ranking.tolist(), criterion.most_relevant)
        return path

    def _asked(self, source: Source) -> tuple[int | None, list[int]]:
        """Return how many features to select, and which of them first."""
        n_wanted = n_features_wanted(self.n_features_to_select, source.n_units)
        return n_wanted, included_features(self._included(source), source.unit_names, n_wanted)

    def _found_at_once(self, source: Source, steps: Sequence[Step], stop_reason: str) -> Path:
        """Return the path of features that were not selected one by one, and report its steps."""
        for number, step in enumerate(steps, start=1):
            if self._progress is not None:
                self._progress(number, source.unit_names[step.feature])
        path = Path(np.empty(0), list(steps), stop_reason=stop_reason)
        path.notes = table_notes(source.data, path.ranking.tolist())
        return path

    @abstractmethod
    def _criterion(self, source: Source) -> Criterion:
        """Return the criterion that the loop maximises."""

    def _exchangeable(self, source: Source) -> Criterion | None:
        criterion = self._criterion(source)
        return criterion if criterion.can_exchange else None


class PairFilter(InformationFilter):
    """A filter whose criterion is a formula over pairs of features.

    With multiple labels per row, their set is the class, or the formula is summed over labels.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "sum_labels": ["boolean"],
    }
    _shares_options = True

    def __init__(
        self,
        n_features_to_select: float | str | None = None,
        *,
        sum_labels: bool = False,
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.sum_labels = sum_labels

    @property
    @abstractmethod
    def _formula(self) -> Formula:
        """J(F) as a formula of I(F; C) and one term for each selected feature."""

    def _criterion(self, source: Source) -> Criterion:
        counts, formula = self._counts(source.data), self._formula
        if self.sum_labels:
            if source.data.ignores_missing:
                raise InputError(
                    Parameter("missing", "ignore"),
                    " is not for criteria that are summed over labels: their terms would be "
                    "estimated on different rows; use ",
                    Parameter("missing", "category"),
                )
            return LabelwiseCriterion(counts, formula)
        if formula.term is None:
            relevance, nothing = counts.relevance(), np.zeros(counts.n_features)
            return FixedScores(formula.score(relevance, nothing, 0), float(relevance.max()))
        return PairCriterion(counts, formula)
