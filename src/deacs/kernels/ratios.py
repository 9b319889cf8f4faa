"""Bounds on super-efficiency from the ratios of two units at a time."""

import numpy as np
from numpy.typing import NDArray

from deacs.kernels.jit import kernel, routine

__all__ = ["upper_bounds"]


@kernel
def upper_bounds(
    outputs: NDArray[np.float64],
    rivals: NDArray[np.int64],
    threshold: float,
    bounds: NDArray[np.float64],
    through: NDArray[np.int64],
) -> None:
    """Bound θ_p by min over j of max over r of y_pr / y_jr, j != p, with 0/0 = 0, x/0 = inf.

    One unit j alone, with intensity max_r y_pr / y_jr, produces what p does.

    Parameters
    ----------
    outputs : IN (n_units, n_outputs) array
        Non-negative outputs y.
    rivals : IN (k,) array
        The units that are tried as j, in this order; strong ones first end the search early.
    threshold : IN
        A unit is left as soon as its bound is below; its entry is then a bound, not the minimum.
    bounds : IN OUT (n_units,) array
        Bounds known before; they are lowered where another unit alone gives a lower one.
    through : OUT (n_units,) array
        The unit j that lowered the bound; -1 where none did.
    """
    n, s = outputs.shape
    sizes = np.zeros(n)
    for p in range(n):
        for r in range(s):
            sizes[p] += outputs[p, r]
    for p in range(n):
        through[p] = -1
        lowest = bounds[p]
        if lowest < threshold:
            continue
        for j in rivals:
            # If j makes y_p / lowest of every output, its sum is as large, too.
            if sizes[j] * lowest < sizes[p] or j == p:
                continue
            ratio = _ratio(outputs[p], outputs[j], lowest)
            if ratio < lowest:
                lowest = ratio
                through[p] = j
                if lowest < threshold:
                    break
        bounds[p] = lowest


@routine
def _ratio(demand, made, enough):
    """Return the largest demand / made, or inf as soon as it reaches `enough`."""
    ratio = 0.0
    for r in range(len(demand)):
        if demand[r] > 0.0:
            if demand[r] >= enough * made[r]:
                return np.inf
            ratio = max(ratio, demand[r] / made[r])
    return ratio
