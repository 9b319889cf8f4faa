r"""Linear programs of one or several units, and their solutions.

.. math:: \min c z \quad \text{s.t.} \quad
          l \le \sum_j λ_j a_j + \sum_k z_k b_k \le u, \quad λ \ge 0.

Rows a_j are the references: inputs, outputs and, unless returns to scale are constant, a 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.result import EFFICIENCY_TOLERANCE

__all__ = ["NOBODY", "NOTHING", "Program", "Solution", "are_unsure", "prices_of"]

NOBODY = np.empty(0, dtype=np.intp)
NOTHING = np.empty(0)

OF_UNITS = ("cost", "own", "floor", "ceiling", "lower", "upper", "start", "barred", "limit")


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The part of a linear program that belongs to one unit.

    Programs of several units have one more axis, the first, in every array.

    Attributes
    ----------
    cost, floor, ceiling : (k,) arrays
        Cost and bounds of the own columns z; floors are 0 or -inf.
    own : (k, n_rows) array
        Coefficients b of the own columns.
    lower, upper : (n_rows,) arrays
        Bounds of the rows.
    start : int array
        References with which the program is usually feasible; -1 pads the shorter lists of several
        programs.
    barred : (n_references,) bool array or None
        The references that must not be peers.
    itself : bool
        Whether the unit must not be its own peer.
    unit : float
        The error of the objective is relative to its size, or to this if that is larger.
    limit : (n_rows,) array or None
        At an optimum, Σ λ a is at most this in each row, times the objective if that exceeds 1.
    """

    cost: Floats
    own: Floats
    floor: Floats
    ceiling: Floats
    lower: Floats
    upper: Floats
    start: NDArray[np.intp]
    barred: NDArray[np.bool_] | None = None
    itself: bool = False
    unit: float = 0.0
    limit: Floats | None = None

    def __getitem__(self, rows: int | NDArray[np.intp] | None) -> "Program":
        """Return one or some of several programs; None adds the first axis to a single one."""
        parts: dict[str, Any] = {name: getattr(self, name) for name in OF_UNITS}
        taken = {name: part[rows] for name, part in parts.items() if part is not None}
        if isinstance(rows, int):
            taken["start"] = taken["start"][taken["start"] >= 0]
        return replace(self, **taken)

    def __len__(self) -> int:
        """Return the number of programs."""
        return len(self.lower)


class Solution(NamedTuple):
    """A solution and its error bound.

    Attributes
    ----------
    status : str
        "optimal", "infeasible" or "failed"; "bounded" if the objective is only a lower bound.
    objective : float
    own : (k,) array
        z.
    peers, weights : arrays
        References with a positive λ.
    prices : (n_rows,) array
        The derivative of the objective by a row's bound.
    gap : float
        The relative violation of the constraints and gap between primal and dual objectives.
    """

    status: str
    objective: float = np.nan
    own: Floats = NOTHING
    peers: NDArray[np.intp] = NOBODY
    weights: Floats = NOTHING
    prices: Floats = NOTHING
    gap: float = np.inf


def are_unsure(found: Sequence[Solution]) -> NDArray[np.bool_]:
    """Mark solutions whose bounds do not meet."""
    return np.array([not one.gap <= EFFICIENCY_TOLERANCE for one in found], dtype=np.bool_)


def prices_of(found: Sequence[Solution], n_rows: int) -> Floats:
    """Return the prices of all solutions, (n, n_rows); NaN for those without."""
    missing = np.full(n_rows, np.nan)
    return np.array([one.prices if len(one.prices) else missing for one in found])
