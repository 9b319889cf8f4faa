r"""DEASelector: features as the units of a DEA, with any criteria as outputs.

With a constant input and outputs R_i, each feature gets its super-efficiency

.. math:: \theta_p = \min \sum_{j \ne p} \lambda_j \quad \text{s.t.} \quad
          \sum_{j \ne p} \lambda_j R_j \ge R_p, \quad \lambda \ge 0,

the largest lead over its best rival that any weighting of the criteria gives it. `DEACS` is the
greedy form with the label scores given S, `DEAFS` the one-shot form with I(F; C) and I(F; C | F_j).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import StrOptions

from deacs.counts.counts import Counts
from deacs.dea import super_efficiency
from deacs.dea.many_outputs import many_outputs_scores
from deacs.exceptions import DiscriminationWarning, InputError, Note
from deacs.selection._filter import FilterOptions, InformationFilter, PairFilter
from deacs.selection.criteria import Criterion, FixedScores, Floats, LabelCriterion
from deacs.selection.judges import Radial, SettledJudge
from deacs.selection.loop import Path, Step
from deacs.selection.own_criterion import CallableCriterion, PairTerms
from deacs.selection.pair_criteria import PairCriterion
from deacs.selection.source import Source
from deacs.selection.ties import ordered_by_tie_rule

__all__ = ["DEAFS", "DEASelector", "rule_of_thumb"]

Outputs = str | PairFilter | Callable[[PairTerms], Floats]

NAMES = ("relevance", "label-scores", "conditional")
MANY_OUTPUTS = 64
"""From this number on, a linear program holds only the binding outputs."""


class DEASelector(InformationFilter):
    """Rank features by super-efficiency over several criteria.

    Parameters
    ----------
    criteria : sequence of names, filters and callables, default=("label-scores",)
        The outputs of the DEA; each criterion gives one or several:

        - `"relevance"`: I(F; C);
        - `"label-scores"`: R(F; c_i | S) for every class, given the joint value of S;
        - `"conditional"`: I(F; C | F_j) for every feature F_j, zero for F itself;
        - a filter such as `CMIM()` or `MRMR()`: its criterion, or zero if that is negative;
        - a function from `deacs.selection.PairTerms` to nonnegative numbers of shape (n,) or
          (n, k).
    n_features_to_select : int, float or None, default=None
        How many to select; None: until no criterion is positive (greedy), all (one-shot).
    mode : {"greedy", "one-shot"}, default="greedy"
        Select one feature after another, with criteria given those selected before; or rank all at
        once.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_` is the super-efficiency at selection; `notes_` lists caveats.

    Notes
    -----
    DEA discriminates weakly when there are fewer than three times as many units as inputs and
    outputs; `notes_` says so if that is the case. Among scores within 1e-9, the larger sum of
    outputs wins, then the lower column.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from deacs import CMIM, DEASelector
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> DEASelector(["relevance", CMIM()], n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **InformationFilter._parameter_constraints,
        "criteria": [list, tuple],
        "mode": [StrOptions({"greedy", "one-shot"})],
    }
    _judge: ClassVar[SettledJudge] = Radial()

    def __init__(
        self,
        criteria: Sequence[Outputs] = ("label-scores",),
        n_features_to_select: float | None = None,
        *,
        mode: Literal["greedy", "one-shot"] = "greedy",
        **options: Unpack[FilterOptions],
    ) -> None:
        super().__init__(n_features_to_select, **options)
        self.criteria = criteria
        self.mode = mode

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        if self.mode == "one-shot":
            return self._rank(source, self._criterion(source))
        path = super()._path(source, begun)
        if path.steps:
            first = path.steps[0]
            path.notes += rule_of_thumb(first.n_competitors, len(first.label_scores))
        return path

    def _criterion(self, source: Source) -> Criterion:
        counts = self._counts(source.data)
        return _Several([_outputs(criterion, counts) for criterion in self.criteria])

    def _rank(self, source: Source, criterion: Criterion) -> Path:
        """Rank all features at once."""
        R = criterion.scores(np.arange(source.n_units))
        many = R.shape[1] > MANY_OUTPUTS
        theta = many_outputs_scores(R, self.n_jobs) if many else super_efficiency(None, R).scores
        order = ordered_by_tie_rule(theta, R)
        n_wanted, included = self._asked(source)
        order = [*included, *(j for j in order if j not in included)][:n_wanted]
        nothing = np.empty(0)
        steps = [Step(j, float(theta[j]), nothing, nothing, len(theta)) for j in order]
        stop_reason = "exhausted" if n_wanted is None else "n_features_to_select"
        path = self._found_at_once(source, steps, stop_reason)
        path.notes += rule_of_thumb(*R.shape)
        return path


class _Several(Criterion):
    """Several criteria, with their outputs in one table."""

    ends_at_zero = True

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        if not criteria:
            raise InputError(f"criteria must name at least one of {', '.join(NAMES)}, got none")
        self._criteria = criteria

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self._criteria[0].n_features

    def scores(self, candidates: NDArray[np.int64]) -> Floats:
        """Return all outputs of every candidate."""
        tables = [criterion.scores(candidates) for criterion in self._criteria]
        return np.maximum(np.hstack(tables), 0.0)

    def add(self, feature: int) -> None:
        """Add a feature to S."""
        for criterion in self._criteria:
            criterion.add(feature)

    def conditions(self) -> list[list[int]]:
        """Return the sets of selected features that the first criterion is given."""
        return self._criteria[0].conditions()


class _Conditional(Criterion):
    """I(F; C | F_j) for every feature F_j, zero for F itself; does not depend on S."""

    ends_at_zero = True

    def __init__(self, counts: Counts) -> None:
        everything = np.arange(counts.n_features)
        self._table = np.empty((counts.n_features, counts.n_features))
        for j in everything:
            self._table[:, j] = counts.pair_information(int(j), everything).conditional
        np.fill_diagonal(self._table, 0.0)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self._table)

    def scores(self, candidates: NDArray[np.int64]) -> Floats:
        """Return a row of conditional informations for each candidate."""
        return self._table[candidates]


def _outputs(criterion: Outputs, counts: Counts) -> Criterion:
    if isinstance(criterion, PairFilter):
        return PairCriterion(counts, criterion._formula, lazy=False)
    if callable(criterion):
        return CallableCriterion(counts, criterion, several=True)
    if criterion == "relevance":
        return FixedScores(counts.relevance())
    if criterion == "label-scores":
        return LabelCriterion(counts)
    if criterion == "conditional":
        return _Conditional(counts)
    raise InputError(
        f"criteria must hold {', '.join(map(repr, NAMES))}, filters of pairs such as CMIM(), or "
        f"callables, got {criterion!r}"
    )


def rule_of_thumb(n_units: int, n_outputs: int) -> list[Note]:
    """Return a note if there are too few units for DEA to separate them."""
    enough = 3 * (n_outputs + 1)
    if n_units >= enough:
        return []
    text = (
        f"{n_units} features compete on {n_outputs} outputs; by DEA's rule of thumb there should "
        f"be at least {enough}, three for each input and output: DEA separates them weakly."
    )
    return [Note(text, kind="crowded")]


class DEAFS(DEASelector):
    """Rank features by information about the class, alone and given every other feature.

    Parameters and attributes that all filters have: see `deacs.selection.InformationFilter`.
    `scores_` is the super-efficiency.

    Warns
    -----
    DiscriminationWarning
        Always: n features compete on n + 1 outputs, where the rule of thumb of DEA requires three
        times as many units as inputs and outputs. `DEACS` has one output for each class instead.

    Notes
    -----
    n(n - 1) / 2 pairs are counted, and the table of outputs takes 8 n**2 bytes: practical up to
    about 5,000 features.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_wine
    >>> from deacs import DEAFS
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     DEAFS(n_features_to_select=3).fit(X, y).selected_names_
    ['flavanoids', 'proline', 'color_intensity']
    """

    def __init__(
        self, n_features_to_select: float | None = None, **options: Unpack[FilterOptions]
    ) -> None:
        super().__init__(
            ("relevance", "conditional"), n_features_to_select, mode="one-shot", **options
        )

    def _path(self, source: Source, begun: Path | None = None) -> Path:
        path = super()._path(source, begun)
        for note in (note for note in path.notes if note.kind == "crowded"):
            # Past _path, fit and scikit-learn's wrapper, to the caller's line.
            warnings.warn(note, DiscriminationWarning, stacklevel=4)
        return path
