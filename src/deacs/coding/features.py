"""`FeatureCoding`: how one column was coded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding.cuts import interval_labels

__all__ = ["FeatureCoding", "default_names", "uncounted_codes"]


@lru_cache(maxsize=4)
def default_names(n_features: int) -> tuple[str, ...]:
    """Return default names for columns without names."""
    return tuple(f"x{j}" for j in range(n_features))


@dataclass(frozen=True, slots=True)
class FeatureCoding:
    """Coding of one column, so that codes can be read back.

    Attributes
    ----------
    kind : {"discrete", "continuous"}
        Whether codes stand for values or for intervals.
    values : ndarray
        Discrete: the value of each code. Continuous: the cut points between the codes.
    n_values : int
        The number of codes, missing included.
    has_missing : bool
        Whether the last code stands for "missing".
    by_classes : bool
        Whether the cut points depend on the classes.
    is_uncut : bool
        Whether a column of several values got no cut from the classes. It is then one interval,
        or, with the discretiser "auto", several of equal frequency.
    """

    kind: Literal["discrete", "continuous"]
    values: NDArray[Any]
    n_values: int
    has_missing: bool = False
    by_classes: bool = False
    is_uncut: bool = False

    def describe(self, code: int) -> str:
        """Return what a code stands for, e.g. `'red'`, `'(2.5, 7.1]'` or `'missing'`."""
        if self.has_missing and code == self.n_values - 1:
            return "missing"
        if self.kind == "discrete":
            return str(self.values[code])
        return interval_labels(self.values)[code]


def uncounted_codes(features: Sequence[FeatureCoding], ignores_missing: bool) -> NDArray[np.int64]:
    """Return the code of each feature that is not counted, or -1."""
    skipped = [f.n_values - 1 if ignores_missing and f.has_missing else -1 for f in features]
    return np.array(skipped, dtype=np.int64)
