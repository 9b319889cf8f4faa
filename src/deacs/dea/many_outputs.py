r"""Super-efficiency with a constant input and as many outputs as units, or more.

.. math:: θ_p = \min \sum_{j \ne p} λ_j \quad \text{s.t.} \quad
          \sum_{j \ne p} λ_j y_{jr} \ge y_{pr} \text{ for every } r, \quad λ \ge 0.

With hundreds or thousands of outputs a full program for each unit is too expensive, but few outputs
bind and few units are peers. One HiGHS model holds the outputs and units that programs have needed
so far. Its prices u give a lower bound on θ, since u / max_j u.y_j is dual feasible; its
intensities λ, scaled to cover the largest shortfall, give an upper bound. The most violated units
and outputs are added until the two bounds meet (row and column generation).
"""

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.dea.data import Floats

__all__ = ["many_outputs_scores"]

GAP = 1e-10
"""The relative difference at which the bounds of a score meet."""

BATCH = 8
"""The most outputs and units added at a time."""

CHUNK = 64
"""The number of units that share a model, for any number of threads."""

MAX_ROUNDS = 500


def many_outputs_scores(outputs: Floats, n_jobs: int | None = None) -> Floats:
    """Return θ of every unit, certified to a relative 1e-10.

    It is 0 for units without outputs, inf for the sole producer of some output.
    """
    scores = np.zeros(len(outputs))
    produced = outputs[:, outputs.any(axis=0)]
    if produced.size == 0:
        return scores
    y = produced / produced.max(axis=0)
    n_producers = (y > 0).sum(axis=0)
    sole = (y[:, n_producers == 1] > 0).any(axis=1)
    scores[sole] = np.inf
    to_do = np.flatnonzero(y.any(axis=1) & ~sole)
    rivals = _best_two(y)
    n_chunks = -(-len(to_do) // CHUNK)

    def work(part: slice) -> None:
        for chunk in range(part.start, part.stop):
            model = _Growing(y, rivals)
            for p in to_do[chunk * CHUNK : (chunk + 1) * CHUNK]:
                scores[p] = model.score(int(p))

    map_blocks(work, n_chunks, n_jobs, 1e9)
    return scores


def _best_two(y: Floats) -> NDArray[np.intp]:
    """Return the two units with the most of each output, of which one or both are not p."""
    if len(y) == 1:
        return np.zeros((1, y.shape[1]), dtype=np.intp)
    return np.argsort(-y, axis=0, kind="stable")[:2]


class _Growing:
    """One model to which rows (outputs) and columns (units) are added as needed."""

    def __init__(self, y: Floats, rivals: NDArray[np.intp]) -> None:
        self._y, self._rivals = y, rivals
        self._outputs = np.empty(0, dtype=np.intp)
        self._units = np.empty(0, dtype=np.intp)
        # The outputs in the model, one row each, of all units.
        self._made = np.empty((0, len(y)))
        from deacs.dea.highs import Model  # loaded only if a program must be solved

        self._model = Model()

    def score(self, p: int) -> float:
        """Return θ of a unit that has an output and is not a sole producer."""
        y = self._y
        target = y[p]
        makes = target > 0
        self._grow(p, np.argsort(-target, kind="stable")[:BATCH], np.empty(0, dtype=np.intp))
        best = np.inf
        for _ in range(MAX_ROUNDS):
            weights, prices = self._solve(p)
            worth = prices @ self._made
            worth[p] = 0.0
            cover = weights @ y[self._units]
            shortfall = np.zeros(len(target))
            with np.errstate(divide="ignore"):
                np.divide(target, cover, out=shortfall, where=makes)
            lower = float(target[self._outputs] @ prices) / max(float(worth.max()), 1e-300)
            if np.isfinite(shortfall.max()):
                best = min(best, float(weights.sum() * shortfall.max()))
            if best <= lower * (1 + GAP):
                break
            units = np.argsort(-worth, kind="stable")[:BATCH]
            outputs = np.argsort(-shortfall, kind="stable")[:BATCH]
            n_before = len(self._units), len(self._outputs)
            self._grow(p, outputs[shortfall[outputs] > 1], units[worth[units] > 1])
            if n_before == (len(self._units), len(self._outputs)):
                break  # nothing to add: the remaining gap is the solver's tolerance
        return best

    def _grow(self, p: int, outputs: NDArray[np.intp], units: NDArray[np.intp]) -> None:
        """Add units, and outputs with the units that bound their prices."""
        outputs = outputs[~np.isin(outputs, self._outputs) & (self._y[p, outputs] > 0)]
        wanted = np.unique(np.concatenate([units, *self._rivals[:, outputs]]))
        units = wanted[~np.isin(wanted, self._units)]
        y = self._y
        if len(outputs):
            self._model.add_rows(y[np.ix_(self._units, outputs)].T)
            self._outputs = np.concatenate([self._outputs, outputs])
            self._made = np.concatenate([self._made, y[:, outputs].T])
        if len(units):
            self._model.add_columns(y[np.ix_(units, self._outputs)], 1.0)
            self._units = np.concatenate([self._units, units])

    def _solve(self, p: int) -> tuple[Floats, Floats]:
        """Return the intensities of the model's units and the prices of its outputs."""
        demand = self._y[p, self._outputs]
        self._model.bound_rows(demand, np.full(len(demand), np.inf))
        self._model.open(self._units != p)
        self._model.run()
        weights, prices = self._model.solution()
        return np.maximum(weights, 0.0), np.maximum(prices, 0.0)
