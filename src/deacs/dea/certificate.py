r"""Bounds on a radial score that need no trust in the solver.

Seen from unit p, the references j can be scaled so that p's inputs are 1, each reference's largest
input is 1, and each output's largest value is 1. With θ̃ the score in that scale:

.. math:: \tilde θ = \min_{μ \ge 0} \{ \max_i \sum_j μ_j X_{ji} : \sum_j μ_j Y_{jr} \ge b_r \},
          \qquad \sum_r b_r = 1, \quad 1 / (m s) \le \tilde θ \le 1.

Any μ ≥ 0 that meets the demand b bounds θ̃ from above. Any u, v ≥ 0 with Σ v = 1 and
Y_j·u ≤ X_j·v + δ for all j bounds it from below, by b·u / (1 + m δ): the optimal μ has
b·u ≤ Σ μ_j (X_j·v + δ) ≤ θ̃ + δ Σ μ_j, and Σ μ_j ≤ m θ̃ since every row of X has a 1.
All sums are of non-negative floats and δ is a difference of numbers near 1 or below, so the bounds
hold to a few rounding errors.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats, Units

__all__ = ["Certified", "View", "certify", "view"]

NOISE = 1e-13
"""A weight below this share of all weights is rounding of the solver, not a peer."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The references of one unit in the scale that suits it, and how to come back.

    Attributes
    ----------
    references : (n,) int array
        The units that need no input which p does not have, without p.
    needs, makes : int arrays
        The inputs and the outputs that p has.
    inputs, outputs : (n, m) and (n, s) arrays
        X and Y of the module's formula.
    demand : (s,) array
        b of the module's formula.
    unit_scale, output_scale : (n,) and (s,) arrays
        A reference was divided by the first and an output by the second.
    score_scale : float
        θ is this times θ̃.
    """

    references: NDArray[np.intp]
    needs: NDArray[np.intp]
    makes: NDArray[np.intp]
    inputs: Floats
    outputs: Floats
    demand: Floats
    unit_scale: Floats
    output_scale: Floats
    score_scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Certified:
    """A score with its proof: `peers` and `weights` attain it, and θ ≥ score (1 - gap)."""

    score: float
    gap: float
    peers: NDArray[np.intp]
    weights: Floats


def view(units: Units, p: int) -> View:
    """Scale the references of unit p, which has an output and is not a sole producer."""
    x, y = units.inputs, units.outputs
    needs, makes = np.flatnonzero(x[p]), np.flatnonzero(y[p])
    eligible = np.ones(len(x), dtype=np.bool_)
    if len(needs) < x.shape[1]:
        eligible = (x[:, x[p] == 0] == 0).all(axis=1)
    eligible[p] = False
    references = np.flatnonzero(eligible)
    inputs = x[np.ix_(references, needs)] / x[p, needs]
    unit_scale = inputs.max(axis=1)
    outputs = y[np.ix_(references, makes)] / unit_scale[:, None]
    output_scale = outputs.max(axis=0)
    shares = y[p, makes] / output_scale
    score_scale = float(shares.sum())
    return View(
        references,
        needs,
        makes,
        inputs / unit_scale[:, None],
        outputs / output_scale,
        shares / score_scale,
        unit_scale,
        output_scale,
        score_scale,
    )


def certify(view: View, mu: Floats, u: Floats, v: Floats) -> Certified:
    """Turn a solver's answer, in the scale of the view, into a score with its proof.

    Parameters
    ----------
    view : View
    mu : (n,) array
        Intensities of the references; they are cleaned and made to meet the demand.
    u, v : (s,) and (m,) arrays
        Prices of outputs and inputs.

    Returns
    -------
    Certified
    """
    mu = np.where(mu > NOISE * mu.sum(), mu, 0.0)
    # Two repairs of a demand that is missed: more of the same, or a little of the best producer.
    missing = np.maximum(view.demand - mu @ view.outputs, 0.0)
    patched = mu.copy()
    np.add.at(patched, view.outputs.argmax(axis=0), missing)
    mu, upper = min((_enough(view, mu), _enough(view, patched)), key=lambda pair: pair[1])

    u, v = np.maximum(u, 0.0), np.maximum(v, 0.0)
    total = v.sum()
    excess = max(0.0, float(np.max(view.outputs @ u - view.inputs @ v))) / total
    lower = (view.demand @ u) / total / (1 + len(v) * excess)

    used = np.flatnonzero(mu)
    weights = mu[used] * view.score_scale / view.unit_scale[used]
    gap = float((upper - lower) / upper)
    return Certified(upper * view.score_scale, gap, view.references[used], weights)


def _enough(view: View, mu: Floats) -> tuple[Floats, float]:
    """Multiply the intensities until they meet the demand; say what inputs that takes."""
    made = mu @ view.outputs
    if not made.all():
        return mu, np.inf
    mu = mu * (view.demand / made).max()
    return mu, float((mu @ view.inputs).max())
