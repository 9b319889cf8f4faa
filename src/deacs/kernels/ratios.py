"""Bounds on super-efficiency from the ratios of two units at a time."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["upper_bounds"]


@njit(cache=True, nogil=True)
def upper_bounds(
    outputs: NDArray[np.float64],
    order: NDArray[np.int64],
    threshold: float,
    bounds: NDArray[np.float64],
) -> None:
    """Bound θ_p by U_p = min over j != p of max over r of y_pr / y_jr, with 0/0 = 0, x/0 = inf.

    One unit j alone, with intensity max_r y_pr / y_jr, produces what p does.

    Parameters
    ----------
    outputs : IN (n_units, n_outputs) array
        Non-negative outputs y.
    order : IN (n_units,) array
        Units in the order in which they are tried as j; strong ones first end the search early.
    threshold : IN
        A unit is left as soon as its bound is below; its entry is then a bound, not the minimum.
    bounds : OUT (n_units,) array
        Bound of each unit; inf where no other unit alone will do.
    """
    n, s = outputs.shape
    for p in range(n):
        lowest = np.inf
        for j in order:
            if j == p:
                continue
            ratio = 0.0
            for r in range(s):
                if outputs[p, r] == 0.0:
                    continue
                if outputs[j, r] == 0.0 or outputs[p, r] >= lowest * outputs[j, r]:
                    ratio = np.inf
                    break
                ratio = max(ratio, outputs[p, r] / outputs[j, r])
            if ratio < lowest:
                lowest = ratio
                if lowest < threshold:
                    break
        bounds[p] = lowest
