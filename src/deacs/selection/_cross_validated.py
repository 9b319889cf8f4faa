r"""Cross-validation of candidates, each a selector with a number of features.

With :math:`a_{kc}` the score of candidate :math:`c` on fold :math:`k` of :math:`K`, :math:`a_c` its
mean and :math:`s_c` its standard deviation, the one-standard-error rule takes the candidate with
the fewest features whose score is within noise of the best,

.. math:: a_c \ge a_b - s_b / \sqrt{K}, \quad b = \arg\max_c a_c .

L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, "Classification and regression trees" (1984),
section 3.4.3.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.validation import check_is_fitted

from deacs.coding import CodedData, CodedTable
from deacs.exceptions import InputError, Parameter
from deacs.greedy.stopping import included_features, n_features_wanted
from deacs.selection._base import BaseSelector
from deacs.selection._path_scores import ends, path_scores
from deacs.selection._resampling import each
from deacs.selection._row_subsets import Rows, RowSubsets
from deacs.selection.outcome import Outcome
from deacs.tables import in_memory

__all__ = ["CrossValidated", "Rule", "Split", "Trial", "choose", "fewest", "limit", "results"]

Rule = Literal["one-standard-error", "best"]
Split = tuple[Rows, Rows]
Floats = NDArray[np.float64]

ROUNDING = 1e-12
"""Tolerance for means of the same scores summed in another order."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A selector and the numbers of features to try it with."""

    selector: Any
    """Unfitted; set to the largest number of features, if it takes a number."""
    table: RowSubsets
    path: Any
    """The selector fitted to all rows."""
    numbers: list[int]
    """Ascending; numbers of groups of columns if the selector has groups."""
    is_path: bool = True
    """Whether the first features of a fit are those of a fit with a smaller number. If not, it is
    fitted for every number, and all features that it selects count."""

    def scores(self, split: Split, estimator: Any, scoring: Any) -> list[float]:
        """Select on the training rows of a split; score every number on its test rows."""
        train, test = split
        weights = self.table.weights_of(train)
        how = {"estimator": estimator, "scoring": scoring}
        if self.is_path:
            found = self.table.fit(self.selector, train, weights)
            return path_scores(self.table, found, train, test, numbers=self.numbers, **how)
        scores = []
        for number in self.numbers:
            found = self.table.fit(self.selector, train, weights, n_features_to_select=number)
            all_of_it = [max(len(found.ranking_), 1)]
            scores += path_scores(self.table, found, train, test, numbers=all_of_it, **how)
        return scores


class CrossValidated(BaseSelector):
    """A selector chosen by cross-validation; subclasses define the candidates.

    They set `_path`, the chosen selector fitted to all rows, and `selector_`, the same in the form
    the caller gave it.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "rule": [StrOptions({"one-standard-error", "best"})],
        "n_jobs": [Integral, None],
    }

    cv: Any
    estimator: Any
    scoring: Any
    n_jobs: int | None

    def _require_target(self, X: Any, y: Any) -> None:
        if not isinstance(X, CodedTable):
            super()._require_target(in_memory(X), y)

    def _splits(self, table: RowSubsets) -> list[Split]:
        """Return the training rows and the test rows of every fold."""
        rows = np.arange(table.n_rows)
        is_number = isinstance(self.cv, Integral)
        y = table.strata(int(self.cv)) if is_number else table.classes_of(rows)
        X = rows if isinstance(table.X, CodedData) else table.X
        if is_number and self.cv > table.n_rows:
            raise InputError(
                Parameter("cv"),
                f" must be at most the number of rows, {table.n_rows}, got {self.cv}",
            )
        with warnings.catch_warnings():
            # If a class has fewer rows than there are folds, some folds are tested without it.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        for train, _ in splits if table.kind == "classes" else ():
            trained = np.unique(y[train])
            if len(trained) < 2:
                raise InputError(
                    Parameter("y"),
                    " must have two classes in the training rows of every fold, got only "
                    f"{trained.tolist()} in those of one; leave out rows of rare classes",
                )
        return [(rows[train], rows[test]) for train, test in splits]

    def _scored(self, trials: Sequence[Trial], splits: Sequence[Split], estimator: Any) -> Floats:
        """Return the scores of all candidates, trial by trial; one row per fold."""
        starts = np.cumsum([0, *(len(trial.numbers) for trial in trials)])
        spans = [slice(begin, end) for begin, end in pairwise(starts.tolist())]
        scores = np.empty((len(splits), starts[-1]))

        def score(item: int) -> None:
            fold, which = divmod(item, len(trials))
            if trials[which].numbers:
                scores[fold, spans[which]] = trials[which].scores(
                    splits[fold], estimator, self.scoring
                )

        each(score, len(splits) * len(trials), self.n_jobs)
        if np.isnan(scores).any():
            raise InputError(
                f"scoring must give a number in every fold, got NaN from {self.scoring!r}; check "
                "that every fold has rows of all classes"
            )
        return scores

    def _keep(self, path: Any) -> None:
        """Store the chosen selector and its column names."""
        self._path = self.selector_ = path
        self._feature_names, self._frame_library = path._feature_names, path._frame_library
        self._target_kind, self._outputs_overlap = path._target_kind, path._outputs_overlap

    def __getattr__(self, name: str) -> Any:
        """Return fitted attributes of the chosen selector."""
        if name.endswith("_") and not name.startswith("_") and "_path" in vars(self):
            return getattr(self._path, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def truncate(self, n_features: int) -> Self:
        """Return the same fit with its first `n_features` features; nothing is recomputed.

        Parameters
        ----------
        n_features : int
            How many columns to keep, from 1 to the number selected.
        """
        check_is_fitted(self)
        shorter = copy(self)
        shorter._keep(self._path.truncate(n_features))
        shorter.n_features_ = len(ends(shorter._path))
        if n_features < len(self.ranking_):
            shorter.stop_reason_ = "n_features_to_select"
        return shorter

    def outcome(self) -> Outcome:
        """Return the numbers of the chosen fit that notebook, terminal and report show."""
        check_is_fitted(self)
        chosen: Outcome = self._path.outcome()
        return replace(
            chosen,
            method=type(self).__name__,
            stop_reason=self.stop_reason_,
            notes=tuple(getattr(self, "notes_", ())),
        )

    def _columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = self._path._columns()
        return columns


def results(scores: Floats, **candidates: Any) -> dict[str, NDArray[Any]]:
    """Return the scores as scikit-learn's searches do, with an entry for each candidate."""
    return {
        **{name: np.asarray(values) for name, values in candidates.items()},
        "mean_test_score": scores.mean(axis=0),
        "std_test_score": scores.std(axis=0),
        **{f"split{fold}_test_score": split for fold, split in enumerate(scores)},
    }


def choose(scores: Floats, numbers: Sequence[int] | Rows, rule: Rule) -> int:
    """Return the candidate that the rule takes, from scores of shape (n_folds, n_candidates).

    It has the fewest features among candidates within one standard error of the best mean, or among
    those equal to it. Among equal numbers the best mean wins, then the first.
    """
    mean = scores.mean(axis=0)
    best = int(np.flatnonzero(mean >= mean.max() - ROUNDING)[0])
    slack = ROUNDING
    if rule == "one-standard-error" and len(scores) > 1:
        slack += scores[:, best].std(ddof=1) / np.sqrt(len(scores))
    good = np.flatnonzero(mean >= mean[best] - slack)
    of_fewest = good[np.asarray(numbers)[good] == np.min(np.asarray(numbers)[good])]
    return int(of_fewest[mean[of_fewest] >= mean[of_fewest].max() - ROUNDING][0])


def limit(selector: Any, n_features: int, n_most: int | None) -> dict[str, int]:
    """Return parameters that keep a selection of n columns from being longer than necessary.

    The limit is `n_most`, the largest number to try, or the selector's own number if it is smaller.
    """
    chooses = isinstance(selector, CrossValidated)
    if chooses or "n_features_to_select" not in selector.get_params(deep=False):
        return {}
    n_units = n_features - sum(len(group) - 1 for group in _groups(selector))
    wanted = selector.n_features_to_select
    if isinstance(wanted, str):  # the selector stops by itself
        return {}
    limits = [n_features_wanted(wanted, n_units), n_most]
    given = [one for one in limits if one is not None]
    return {"n_features_to_select": min([*given, n_units])} if given else {}


def fewest(path: Any) -> int:
    """Return the smallest number of features: those in `include` are always kept."""
    included = included_features(getattr(path, "include", None), path._feature_names, None)
    return int(np.searchsorted(ends(path), max(len(included), 1))) + 1


def _groups(selector: Any) -> list[Any]:
    """Return the groups of columns that a selector selects together."""
    groups = getattr(selector, "groups", None)
    if groups is None:
        return []
    return list(groups.values() if isinstance(groups, dict) else groups)
