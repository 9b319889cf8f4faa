"""Label weights: how much a bit about each label counts, applied before the judge ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError, Parameter
from deacs.greedy.options import one_of

if TYPE_CHECKING:
    from deacs.greedy.judges import SettledJudge

__all__ = ["Weighted", "label_weights"]

Floats = NDArray[np.float64]
WEIGHT_UNITS = ("bits", "share")


class Weighted:
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


def label_weights(given: Any, unit: Any, classes: NDArray[Any], entropies: Floats) -> Floats | None:
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
