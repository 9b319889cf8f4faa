"""Units that no other dominates, and units that only one of those dominates."""

from deacs.kernels.jit import patient_kernel

__all__ = ["maximal_units"]


@patient_kernel
def maximal_units(outputs, order, core, shadow):
    """Split units into a core and the units that some member of the core dominates.

    Unit j dominates k if it has at least as much of every output; of equal units, the first in
    `order` dominates the others.

    Parameters
    ----------
    outputs : IN (n_units, n_outputs) array
    order : IN (n_units,) array
        Units by descending sum of outputs, so that no unit is dominated only by a later one.
    core : OUT (n_units,) array
        Its first entries are the core, in `order`.
    shadow : OUT (n_units,) array
        The only member of the core that dominates the unit; -1 if there are several or none.

    Returns
    -------
    int
        Size of the core.
    """
    n_core = 0
    for at in range(order.shape[0]):
        p = order[at]
        n_dominators = 0
        shadow[p] = -1
        for k in range(n_core):
            r = 0
            while r < outputs.shape[1] and outputs[core[k], r] >= outputs[p, r]:
                r += 1
            if r == outputs.shape[1]:
                n_dominators += 1
                shadow[p] = core[k]
                if n_dominators == 2:
                    shadow[p] = -1
                    break
        if n_dominators == 0:
            core[n_core] = p
            n_core += 1
    return n_core
