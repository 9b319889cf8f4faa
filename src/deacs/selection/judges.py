"""Judges: rank the candidates of a step by their label scores and, if given, their costs.

A judge has options, as in `Radial(weight_ratio=2)`. `Judge.given` resolves them for the classes of
a table and returns the object that scores candidates. To write your own, subclass `Judge` and
define `scores`; `register_judge` gives it a name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from deacs.dea import DEAResult, bam, ram, super_efficiency, super_sbm
from deacs.dea.assurance import assured_best, assured_score, assured_scores
from deacs.dea.best_unit import best_unit, score_of
from deacs.exceptions import InputError, Parameter
from deacs.selection.options import Options, is_number, one_of, options_class, read_options
from deacs.selection.ties import TIE_TOLERANCE, first_among_equals

__all__ = [
    "JUDGES",
    "Judge",
    "Largest",
    "Radial",
    "SettledJudge",
    "SlackBased",
    "Sum",
    "read_judge",
    "register_judge",
]

Floats = NDArray[np.float64]
TieBreak = Literal["sum", "slacks", "last"]
TIE_BREAKS: tuple[TieBreak, ...] = ("sum", "slacks", "last")
SUPER_EFFICIENCY = "super-efficiency"
"""The name of theta, the score of `Radial`, in tables, charts and text."""


class SettledJudge(Protocol):
    """A judge whose options are resolved for the classes of a table, as the loop needs it."""

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row of the winner and its score."""

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""


class Judge(Options):
    """Base of judges: the largest score wins; ties are broken by the tie-breaking rule.

    A subclass only needs to define `scores`. Its parameters, if any, are those of its `__init__`,
    which keeps each under its name, as in scikit-learn.
    """

    tie_break: TieBreak = "sum"
    score_name: ClassVar[str] = "score"
    """The name of the score in tables."""

    @property
    def has_free_weights(self) -> bool:
        """Whether every candidate is scored by the label weights that suit it best."""
        return False

    def given(self, classes: NDArray[Any], entropies: Floats) -> SettledJudge:
        """Resolve the options for the classes and their H(C_i) in bits."""
        one_of("tie_break", self.tie_break, TIE_BREAKS)
        return self

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest score, and its score."""
        scores = np.asarray(self.scores(R, x), dtype=np.float64)
        if scores.shape != (len(R),) or np.isnan(scores).any():
            raise InputError(
                Parameter("judge"),
                f" must score each of the {len(R)} candidates by a number, none of them NaN, got "
                f"{int(np.isnan(scores).sum())} NaN in shape {scores.shape} from "
                f"{type(self).__name__}.scores",
            )
        row = first_among_equals(scores, R, x, self.tie_break)
        return row, float(scores[row])

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""
        return float(self.scores(R, x)[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""
        raise NotImplementedError


@options_class
class Radial(Judge):
    """Super-efficiency DEA: how far a candidate lies ahead of every mix of its rivals.

    Parameters
    ----------
    weight_ratio : float or None, default=None
        The largest ratio between the weights that DEA may give to two labels. 1 is the plain sum;
        None (or inf) leaves them free, as in the paper, so that the only feature informative about
        a rare label wins.
    label_weights : dict of class to weight, or array of shape (n_classes,), optional
        Multiplies the bits about each label beforehand, e.g. `{"fraud": 5}`; needs a finite
        `weight_ratio`.
    unit : {"bits", "share"}, default="bits"
        Whether weights apply to bits or to shares of H(C_i): a bit about a rare label is a larger
        share of its uncertainty.
    tie_break : {"sum", "slacks", "last"}, default="sum"
        Among scores within 1e-9: "sum" takes the larger sum of label scores, then the lower column;
        "slacks" the least slack before that; "last" the last candidate, as in the paper's
        Algorithm 2 as printed.

    Examples
    --------
    >>> from deacs import DEACS, Radial
    >>> DEACS(10, judge=Radial(weight_ratio=4)).get_params()["judge__weight_ratio"]
    4
    """

    weight_ratio: float | None = None
    label_weights: Any = None
    unit: str = "bits"
    tie_break: TieBreak = "sum"
    score_name: ClassVar[str] = SUPER_EFFICIENCY

    @property
    def has_free_weights(self) -> bool:
        """Whether `weight_ratio` sets no bound."""
        return self.weight_ratio in (None, math.inf)

    def given(self, classes: NDArray[Any], entropies: Floats) -> SettledJudge:
        """Resolve the label weights."""
        super().given(classes, entropies)
        ratio = self.weight_ratio
        if ratio is not None and not (is_number(ratio) and ratio >= 1):
            raise InputError(Parameter("weight_ratio"), f" must be at least 1, got {ratio!r}")
        weights = _label_weights(self.label_weights, self.unit, classes, entropies)
        if ratio is not None and not self.has_free_weights:
            bounded = _Assured(float(ratio), self.tie_break)
            return bounded if weights is None else _Weighted(bounded, weights)
        if weights is not None:
            raise InputError(
                Parameter("label_weights"),
                " needs a finite ",
                Parameter("weight_ratio"),
                " (or the judge 'sum'): DEA without bounds gives each label the price that suits "
                "a candidate best, whatever its weight",
            )
        return self

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest super-efficiency, and its score."""
        per_cost = _per_cost(R, x)
        if per_cost is None or self.tie_break == "slacks":
            return super().best(R, x)
        winner = best_unit(per_cost, tie_break=self.tie_break)
        return winner.unit, winner.score

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the super-efficiency of one row."""
        per_cost = _per_cost(R, x)
        return super().score(R, x, row) if per_cost is None else score_of(per_cost, row)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the super-efficiency of every row."""
        per_cost = _per_cost(R, x)
        result = super_efficiency(x, R) if per_cost is None else super_efficiency(None, per_cost)
        return result.scores


@options_class
class Sum(Judge):
    """The sum of label scores (divided by the costs), without DEA.

    Parameters
    ----------
    label_weights, unit, tie_break
        As in `Radial`.
    """

    label_weights: Any = None
    unit: str = "bits"
    tie_break: TieBreak = "sum"
    score_name: ClassVar[str] = "sum"

    def given(self, classes: NDArray[Any], entropies: Floats) -> SettledJudge:
        """Resolve the label weights."""
        super().given(classes, entropies)
        weights = _label_weights(self.label_weights, self.unit, classes, entropies)
        return self if weights is None else _Weighted(self, weights)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the sum of every row, divided by the sum of its costs."""
        totals = R.sum(axis=1)
        return np.asarray(totals if x is None else totals / x.sum(axis=1))


@options_class
class SlackBased(Judge):
    """A slack-based DEA model; units that it scores 1 are ranked by super-efficiency.

    Parameters
    ----------
    model : {"sbm", "ram", "bam"}, default="sbm"
        The slacks-based, range-adjusted or bounded adjusted measure (see docs/dea.md).
    tie_break
        As in `Radial`.
    """

    model: str = "sbm"
    tie_break: TieBreak = "sum"
    score_name: ClassVar[str] = "efficiency"

    def given(self, classes: NDArray[Any], entropies: Floats) -> SettledJudge:
        """Check the options."""
        one_of("model", self.model, SLACK_MODELS)
        return super().given(classes, entropies)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the model's score of every row; at least 1 for efficient ones."""
        model = SLACK_MODELS[self.model]
        scores = model(x, R).scores
        efficient = scores >= 1 - TIE_TOLERANCE
        if model is super_sbm or not efficient.any():
            return scores
        return np.where(efficient, np.maximum(super_efficiency(x, R).scores, 1.0), scores)


SLACK_MODELS: dict[str, Callable[..., DEAResult]] = {"sbm": super_sbm, "ram": ram, "bam": bam}


class Largest(Judge):
    """The largest of a single score, which may be negative; ties go to the lower column."""

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest score, and its score."""
        row = first_among_equals(R[:, 0])
        return row, float(R[row, 0])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""
        return R[:, 0]


class _Assured(Judge):
    """Super-efficiency with label weights whose ratios are bounded."""

    def __init__(self, ratio: float, tie_break: TieBreak) -> None:
        self._ratio = ratio
        self.tie_break = tie_break

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row with the largest super-efficiency, and its score."""
        per_cost = self._per_cost(R, x)
        tied, best = assured_best(per_cost, self._ratio)
        scores = np.full(len(R), -np.inf)
        scores[tied] = best
        return first_among_equals(scores, per_cost, None, self.tie_break), best

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the super-efficiency of one row."""
        return assured_score(self._per_cost(R, x), self._ratio, row)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the super-efficiency of every row."""
        return assured_scores(self._per_cost(R, x), self._ratio)

    def _per_cost(self, R: Floats, x: Floats | None) -> Floats:
        per_cost = _per_cost(R, x)
        if per_cost is None:
            raise InputError(
                Parameter("weight_ratio"),
                f" takes one kind of costs, got {len(x[0]) if x is not None else 0}; add them up, "
                "or leave the weights free",
            )
        return per_cost


def _per_cost(R: Floats, x: Floats | None) -> Floats | None:
    """Return scores per unit of a single positive cost: the same DEA, without an input."""
    if x is None:
        return R
    return R / x if x.shape[1] == 1 else None


JUDGES: dict[str, Callable[[], Judge]] = {
    "bounded": lambda: Radial(weight_ratio=1.2),
    "radial": Radial,
    "sum": Sum,
    "sbm": lambda: SlackBased("sbm"),
    "ram": lambda: SlackBased("ram"),
    "bam": lambda: SlackBased("bam"),
}
"""Judges by name; `register_judge` adds to it."""


def register_judge(name: str, judge: Callable[[], Judge]) -> None:
    """Register a judge by name, for Python (`judge="name"`) and the command line.

    Parameters
    ----------
    name : str
        The name.
    judge : callable
        Makes the judge: a subclass of `Judge`, or a function without arguments.
    """
    JUDGES[name] = judge


def read_judge(judge: Any) -> Judge:
    """Read the parameter `judge`: a name in `JUDGES`, or a judge."""
    return read_options("judge", judge, JUDGES, Judge)


WEIGHT_UNITS = ("bits", "share")


class _Weighted:
    """A judge whose label scores are weighted first."""

    def __init__(self, judge: SettledJudge, weights: Floats) -> None:
        self._judge = judge
        self._weights = weights

    def best(self, R: Floats, x: Floats | None) -> tuple[int, float]:
        """Return the row of the winner and its score."""
        return self._judge.best(R * self._weights, x)

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""
        return self._judge.score(R * self._weights, x, row)

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row."""
        return self._judge.scores(R * self._weights, x)


def _label_weights(
    given: Any, unit: Any, classes: NDArray[Any], entropies: Floats
) -> Floats | None:
    """Read label weights as an array in the order of the classes, or None if all are 1.

    Classes that a dict does not name have weight 1. With `unit="share"`, weights apply to
    R / H(C_i), the `entropies` being H(C_i) in bits.
    """
    one_of("unit", unit, WEIGHT_UNITS)
    if given is None and unit == "bits":
        return None
    listed = np.ones(len(classes)) if given is None else given
    if isinstance(given, Mapping):
        known = classes.tolist()
        unknown = [label for label in given if label not in known]
        if unknown:
            raise InputError(
                Parameter("label_weights"),
                f" must name classes, got {unknown[0]!r}; the classes are "
                + ", ".join(map(repr, known[:8])),
                accepted=known,
            )
        listed = [given.get(label, 1.0) for label in known]
    try:
        weights = np.asarray(listed, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.empty(0)
    if weights.shape != (len(classes),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(
            Parameter("label_weights"),
            f" must be a positive number for each of the {len(classes)} classes, got {given!r}",
        )
    return weights if unit == "bits" else weights / np.maximum(entropies, 1e-300)
