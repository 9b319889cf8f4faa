"""Bounds on super-efficiency from the ratios of two units at a time."""

from deacs.kernels.jit import patient_kernel

__all__ = ["upper_bounds"]


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
