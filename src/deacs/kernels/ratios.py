"""Bounds on super-efficiency from the ratios of two units at a time."""

import numpy as np

from deacs.kernels.jit import patient_kernel

__all__ = ["assured_bounds", "upper_bounds"]


@patient_kernel
def upper_bounds(outputs, sizes, rivals, threshold, bounds, through):
    """Bound θ_p by min over j of max over r of y_pr / y_jr, j != p, with 0/0 = 0, x/0 = inf.

    A single unit j, with intensity max_r y_pr / y_jr, produces the outputs of p.

    Parameters
    ----------
    outputs : IN (n_units, n_outputs) array
        Non-negative outputs y.
    sizes : IN (n_units,) array
        Their sums.
    rivals : IN (k,) array
        The units tried as j, in this order; strong units first, to end the search early.
    threshold : IN float
        The search for a unit ends once its bound is below; its entry is then not the minimum.
    bounds : IN OUT (n_units,) array
        Known bounds; lowered if a single unit gives a lower one.
    through : OUT (n_units,) array
        The unit j that lowered the bound; -1 if none did.
    """
    for p in range(outputs.shape[0]):
        through[p] = -1
        lowest = bounds[p]
        for k in range(rivals.shape[0]):
            if lowest < threshold:
                break
            j = rivals[k]
            # If j produces y_p / lowest of every output, the same holds for its sum.
            if sizes[j] * lowest < sizes[p] or j == p:
                continue
            ratio = 0.0
            for r in range(outputs.shape[1]):
                demand = outputs[p, r]
                if demand > 0.0:
                    if not demand < lowest * outputs[j, r]:
                        break
                    ratio = max(ratio, demand / outputs[j, r])
            else:
                if ratio < lowest:
                    lowest = ratio
                    through[p] = j
        bounds[p] = lowest


@patient_kernel
def assured_bounds(outputs, sizes, rivals, ratio, bounds):
    """Bound θ_p by min over j of max over u of u.y_p / u.y_j, j != p, 1 <= u_r <= ratio.

    The best prices are `ratio` for outputs in which p exceeds j by more than this maximum, else 1.
    Prices that follow from a lower quotient raise it, until they no longer change (W. Dinkelbach,
    "On nonlinear fractional programming", Management Science 13 (1967) 492-498).

    IN outputs (n_units, n_outputs), sizes (n_units,): their sums, rivals (k,): the units tried as
    j, with positive sums, ratio; OUT bounds (n_units,).
    """
    for p in range(outputs.shape[0]):
        lowest = np.inf
        for k in range(rivals.shape[0]):
            j = rivals[k]
            quotient, raised = -1.0, sizes[p] / sizes[j]
            # The quotient only grows, so this rival may give no lower bound.
            while j != p and quotient < raised < lowest:
                quotient = raised
                mine, theirs = sizes[p], sizes[j]
                for r in range(outputs.shape[1]):
                    if outputs[p, r] > quotient * outputs[j, r]:
                        mine += (ratio - 1.0) * outputs[p, r]
                        theirs += (ratio - 1.0) * outputs[j, r]
                raised = mine / theirs
            if j != p and raised < lowest:
                lowest = quotient
        bounds[p] = lowest
