r"""Super-efficiency with a constant input and bounded ratios of output weights.

.. math:: θ_p = \max_u u \cdot y_p \quad \text{s.t.} \quad u \cdot y_j \le 1 \; (j \ne p), \quad
          0 \le u_i \le ρ \, u_k \text{ for all } i, k.

With prices :math:`u_i = t + v_i`, :math:`0 \le v_i \le (ρ - 1) t`, the dual has one more output,
the sum of all, and a trade for each output: a unit of it for ρ - 1 units of the sum. An assurance
region of type I (R. G. Thompson et al., "Comparative site evaluations for locating a high-energy
physics lab in Texas", Interfaces 16(6) (1986) 35-49). ρ = 1 leaves equal prices: the sum of a unit
over the largest other sum; ρ = inf is `super_efficiency`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from deacs.dea.result import EFFICIENCY_TOLERANCE

__all__ = ["assured_best", "assured_score", "assured_scores"]

Floats = NDArray[np.float64]

N_STRONGEST = 8
"""The number of units with the largest sums, which bound all other scores from above."""


def assured_scores(outputs: Floats, ratio: float) -> Floats:
    """Return θ of every unit with an output; 0 for the others.

    Parameters
    ----------
    outputs : ndarray of shape (n_units, n_outputs)
        Not negative; their units matter, since prices are compared.
    ratio : float
        ρ, at least 1 and finite.
    """
    model = _Model(outputs, ratio)
    return np.array([model.score(p) for p in range(len(outputs))])


def assured_score(outputs: Floats, ratio: float, unit: int) -> float:
    """Return θ of one unit: one program."""
    return _Model(outputs, ratio).score(unit)


def assured_best(outputs: Floats, ratio: float) -> tuple[NDArray[np.intp], float]:
    """Return the units whose θ is the largest up to 1e-9 relative, and that θ.

    A program is solved only for units whose upper bound reaches the best value known.
    """
    near = _contenders(outputs, ratio)
    outputs = outputs[near]
    bound = _upper_bounds(outputs, ratio)
    model = _Model(outputs, ratio)
    found = np.full(len(outputs), -np.inf)
    best = -np.inf
    for p in np.argsort(-bound, kind="stable"):
        if bound[p] < best * (1 - EFFICIENCY_TOLERANCE):
            break
        found[p] = model.score(int(p))
        best = max(best, found[p])
    least = best if math.isinf(best) else best * (1 - EFFICIENCY_TOLERANCE)
    return near[found >= least], best


def _contenders(y: Floats, ratio: float) -> NDArray[np.intp]:
    """Return the units that can be best, or rivals of the best.

    With prices between t and ρ t, a unit is worth t times its sum at least and ρ t times its sum at
    most. If that is less than t times the second largest sum, two units outdo it at any prices.
    """
    sums = y.sum(axis=1)
    second = np.partition(sums, -2)[-2] if len(sums) > 1 else 0.0
    return np.flatnonzero(ratio * sums >= second * (1 - EFFICIENCY_TOLERANCE))


def _upper_bounds(y: Floats, ratio: float) -> Floats:
    """The least, over some rivals j, of the largest u.y_p / u.y_j.

    The best prices give ρ to the outputs at which p beats j most, 1 to the others.
    """
    sums = y.sum(axis=1)
    rivals = np.argsort(-sums, kind="stable")[:N_STRONGEST]
    rivals = rivals[sums[rivals] > 0]
    mine, theirs = np.broadcast_arrays(y[:, np.newaxis], y[rivals])
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-np.where(mine > 0, mine / theirs, 0.0), axis=2, kind="stable")
    more = (ratio - 1) * np.cumsum(np.take_along_axis(mine, order, axis=2), axis=2)
    rival = (ratio - 1) * np.cumsum(np.take_along_axis(theirs, order, axis=2), axis=2)
    reached = (sums[:, np.newaxis, np.newaxis] + more) / (sums[rivals, np.newaxis] + rival)
    against = np.maximum(reached.max(axis=2), sums[:, np.newaxis] / sums[rivals])
    against[rivals, np.arange(len(rivals))] = np.inf
    bound: Floats = against.min(axis=1, initial=np.inf)
    return bound


class _Model:
    """One HiGHS model over all units, hot-started from one to the next."""

    def __init__(self, outputs: Floats, ratio: float) -> None:
        self._y = outputs / max(float(outputs.max(initial=0.0)), 1e-300)
        self._ratio = ratio
        self._sums = self._y.sum(axis=1)
        s = self._y.shape[1]
        from deacs.dea.highs import Model  # imported only if a program must be solved

        self._model = Model(s + 1)
        self._model.add_columns(np.column_stack([self._y, self._sums]), 1.0)
        self._model.add_columns(np.column_stack([np.eye(s), np.full(s, 1.0 - ratio)]), 0.0)

    def score(self, p: int) -> float:
        """Return θ of one unit: what its own prices make of it beside the best rival."""
        y, s = self._y, self._y.shape[1]
        if self._sums[p] == 0:
            return 0.0
        others = np.delete(self._sums, p)
        if not others.any():
            return math.inf
        demand = np.append(y[p], self._sums[p])
        self._model.bound_rows(demand, np.full(s + 1, np.inf))
        self._model.open(np.arange(self._model.n_columns) != p)
        self._model.run()
        dual = np.maximum(self._model.solution()[1], 0.0)
        # Move prices back into the region if the solver left it within its tolerance.
        t = dual[s] if dual[s] > 0 else float(dual[:s].max(initial=0.0)) / max(self._ratio, 1.0)
        prices = t + np.minimum(dual[:s], (self._ratio - 1) * t)
        if not prices.any():
            prices = np.ones(s)
        worth = y @ prices
        mine = float(worth[p])
        worth[p] = 0.0
        return mine / float(worth.max())
