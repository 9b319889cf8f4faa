r"""A linear program of one unit, or those of several, and an answer to one.

.. math:: \min c z \quad \text{s.t.} \quad
          l \le \sum_j λ_j a_j + \sum_k z_k b_k \le u, \quad λ \ge 0.

Rows a_j are the references: inputs, outputs and, where returns to scale are not constant, a 1.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats

__all__ = ["Program", "Solution"]

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
        References with which the program is, as a rule, feasible; where there are several programs,
        -1 where there are fewer.
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
        """Take one of several programs, or some of them; None makes several of one."""
        parts: dict[str, Any] = {name: getattr(self, name) for name in OF_UNITS}
        taken = {name: part[rows] for name, part in parts.items() if part is not None}
        if isinstance(rows, int):
            taken["start"] = taken["start"][taken["start"] >= 0]
        return replace(self, **taken)

    def __len__(self) -> int:
        """Count the programs, if there are several."""
        return len(self.lower)


class Solution(NamedTuple):
    """An answer and how far it can be trusted.

    Attributes
    ----------
    status : str
        "optimal", "infeasible" or "failed"; "bounded" where a lower bound on the objective is the
        answer.
    objective : float
    own : (k,) array
        z.
    peers, weights : arrays
        References with a positive λ.
    prices : (n_rows,) array
        What the objective gains when a row's bound rises.
    gap : float
        By how much primal and dual objective and all constraints are missed, relative.
    """

    status: str
    objective: float = np.nan
    own: Floats = NOTHING
    peers: NDArray[np.intp] = NOBODY
    weights: Floats = NOTHING
    prices: Floats = NOTHING
    gap: float = np.inf
