r"""The envelopment program of each unit, in one HiGHS model that is hot-started.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_{j \ne p} λ_j x_j \le θ x_p, \quad
          \sum_{j \ne p} λ_j y_j \ge y_p, \quad λ \ge 0.

From one unit to the next only y_p on the right-hand side, the bounds of the excluded λ and, with
several inputs, the column of θ change, so the last basis is a good start. With a constant input
there is no θ column: the objective is Σ λ. Most units are never anyone's peer, so the model starts
with a few and takes in others when the prices ask for them (column generation).
"""

import highspy
import numpy as np
from numpy.typing import NDArray

from deacs.dea.certificate import Certified, View, certify, view
from deacs.dea.data import Floats, Units
from deacs.dea.highs import SMALLEST, silent_highs

__all__ = ["Envelopment"]

RETRY_GAP = 1e-10
"""A relative gap between the two bounds on θ above which the unit gets a model of its own."""

PROFIT_TOLERANCE = 1e-12
"""What a unit must be worth above its costs to join the shared model."""

BATCH = 16
"""How many units may join the shared model at once."""

Answer = tuple[Floats, Floats, Floats]


class Envelopment:
    """Certified scores of single units against all others.

    Parameters
    ----------
    units : Units

    Attributes
    ----------
    n_solved : int
        Linear programs solved so far.
    """

    def __init__(self, units: Units) -> None:
        self.units = units
        self.n_solved = 0
        self._shared: _Model | None = None
        self._members = np.empty(0, dtype=np.intp)
        self._is_member = np.zeros(len(units.outputs), dtype=np.bool_)

    def solve(self, p: int, enough: float = -np.inf) -> Certified:
        """Score unit p, which must have an output and must not be a sole producer.

        An upper bound on the score below `enough` is an answer, too; its gap is then large.
        """
        with np.errstate(all="ignore"):  # an overflow ends in a gap that is not a number
            seen = view(self.units, p)
            if len(seen.needs) == len(seen.makes) == 1:
                # A ratio: the certificate itself takes the best producer.
                return certify(seen, np.zeros(len(seen.references)), np.ones(1), np.ones(1))
            answer = certify(seen, *self._solve_shared(seen, p, enough))
            if not (answer.gap <= RETRY_GAP or answer.score < enough):
                again = certify(seen, *self._solve_alone(seen))
                answer = again if not answer.gap <= again.gap else answer
        return answer

    def _solve_shared(self, seen: View, p: int, enough: float) -> Answer:
        """Solve in the model that all units share; its scale may not suit p.

        The model holds the units that some program has wanted so far. A unit that is worth more
        at the prices of the last answer than it costs joins, until there is none.
        """
        x, y = self.units.inputs, self.units.outputs
        model = self._shared
        if model is None:
            model = self._shared = _Model(x.shape[1], y.shape[1], magnify=128.0)
        self.n_solved += 1
        eligible = np.zeros(len(x), dtype=np.bool_)
        eligible[seen.references] = True
        # With the best producer of each output of p, the program is feasible.
        wanted = np.array(sorted(set(seen.references[seen.outputs.argmax(axis=0)].tolist())))
        while True:
            missing = wanted[~self._is_member[wanted]]
            if len(missing):
                model.add(x[missing], y[missing])
                self._members = np.concatenate((self._members, missing))
                self._is_member[missing] = True
            weights, u, v = model.solve(x[p], y[p] / seen.score_scale, eligible[self._members])
            # Strong duality: what p makes is worth the score among the members.
            if y[p] @ u < enough * (1 - RETRY_GAP):
                break
            profit = np.where(eligible & ~self._is_member, y @ u - x @ v, 0.0)
            if not profit.max() > PROFIT_TOLERANCE:
                break
            wanted = np.argsort(-profit, kind="stable")[:BATCH]
            wanted = wanted[profit[wanted] > PROFIT_TOLERANCE]
        mu = np.zeros(len(x))
        mu[self._members] = weights
        mu = mu[seen.references] * seen.unit_scale
        return mu, u[seen.makes] * seen.output_scale, v[seen.needs] * x[p, seen.needs]

    def _solve_alone(self, seen: View) -> Answer:
        """Solve in a fresh model with the scale of the view, where all data lie in [0, 1]."""
        self.n_solved += 1
        n, m = seen.inputs.shape
        model = _Model(m, len(seen.makes), magnify=1.0)
        model.add(seen.inputs, seen.outputs)
        return model.solve(np.ones(m), seen.demand, np.ones(n, dtype=np.bool_))


class _Model:
    """One HiGHS model: references that join, one target after another.

    Rows are the outputs, then the inputs; columns θ, then the intensities. A constant input has
    neither row nor θ. HiGHS knows no tolerance below 1e-10; multiplied by `magnify`, values and
    costs get a finer one, which suits tables of ordinary range and harms those of a wide one.
    """

    def __init__(self, n_inputs: int, n_outputs: int, *, magnify: float) -> None:
        self._n_outputs = n_outputs
        self._n_inputs = 0 if n_inputs == 1 else n_inputs
        self._n_thetas = 0 if n_inputs == 1 else 1
        self._magnify = magnify
        self._open = np.zeros(0, dtype=np.bool_)
        self._highs = silent_highs()
        self._rows = np.arange(n_outputs, dtype=np.int32)
        self._no_limits = np.full(n_outputs, highspy.kHighsInf)
        lower = np.r_[np.zeros(n_outputs), np.full(self._n_inputs, -highspy.kHighsInf)]
        upper = np.r_[np.full(n_outputs, highspy.kHighsInf), np.zeros(self._n_inputs)]
        none = np.zeros(0, dtype=np.int32)
        self._highs.addRows(len(lower), lower, upper, 0, none, none, np.zeros(0))
        if self._n_thetas:
            self._add_columns(np.zeros((1, len(lower))), magnify)

    def add(self, x: Floats, y: Floats) -> None:
        """Let units join as references."""
        if self._n_thetas:
            self._add_columns(np.hstack([y, x]), 0.0)
        else:
            self._add_columns(y, self._magnify)
        self._open = np.concatenate((self._open, np.ones(len(y), dtype=np.bool_)))

    def _add_columns(self, matrix: Floats, cost: float) -> None:
        n = len(matrix)
        kept = matrix > SMALLEST
        sizes = kept.sum(axis=1)
        starts = (sizes.cumsum() - sizes).astype(np.int32)
        index = np.nonzero(kept)[1].astype(np.int32)
        top = np.full(n, highspy.kHighsInf)
        costs = np.full(n, cost)
        self._highs.addCols(n, costs, np.zeros(n), top, len(index), starts, index, matrix[kept])

    def solve(self, x_p: Floats, y_p: Floats, eligible: NDArray[np.bool_]) -> Answer:
        """Return intensities, output prices and input prices; zeros and ones if HiGHS fails."""
        highs, s = self._highs, self._n_outputs
        highs.changeRowsBounds(s, self._rows, y_p * self._magnify, self._no_limits)
        for j in np.flatnonzero(eligible != self._open):
            top = highspy.kHighsInf if eligible[j] else 0.0
            highs.changeColBounds(j + self._n_thetas, 0.0, top)
        self._open = eligible
        for i in range(self._n_inputs):
            highs.changeCoeff(s + i, 0, -x_p[i])
        highs.run()
        if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            highs.clearSolver()
            return np.zeros(len(eligible)), np.zeros(s), np.ones(len(x_p))
        solution = highs.getSolution()
        prices = np.array(solution.row_dual) / self._magnify
        v = -prices[s:] if self._n_inputs else np.ones(1)
        return np.array(solution.col_value)[self._n_thetas :] / self._magnify, prices[:s], v
