"""Which units nobody outdoes in every output, and who hides behind one of them alone."""

from deacs.kernels.jit import kernel, routine

__all__ = ["maximal_units"]


@kernel
def maximal_units(outputs, order, core, shadow):
    """Split units into a core and the units that some member of the core dominates.

    Unit j dominates k if it makes at least as much of every output; of equal units, the first in
    `order` dominates the others.

    Parameters
    ----------
    outputs : IN (n_units, n_outputs) array
    order : IN (n_units,) array
        Units by falling sum of outputs, so that no unit is dominated by a later one alone.
    core : OUT (n_units,) array
        Its first entries are the core, in `order`.
    shadow : OUT (n_units,) array
        The one member of the core that dominates the unit; -1 where there are two or more, or none.

    Returns
    -------
    int
        Size of the core.
    """
    n_core = 0
    for p in order:
        n_dominators = 0
        shadow[p] = -1
        for k in range(n_core):
            if _dominates(outputs[core[k]], outputs[p]):
                n_dominators += 1
                if n_dominators == 2:
                    shadow[p] = -1
                    break
                shadow[p] = core[k]
        if n_dominators == 0:
            core[n_core] = p
            n_core += 1
    return n_core


@routine
def _dominates(strong, weak):
    r = 0
    while r < len(strong) and strong[r] >= weak[r]:
        r += 1
    return r == len(strong)
