"""Weights of rows."""

import numpy as np

from deacs.kernels.jit import lean_routine

__all__ = ["weight_of"]


@lean_routine
def weight_of(weights, row):
    """Return the weight of a row, or 1 where `weights` is None.

    None is a type of its own: numba compiles a kernel without weights, and one with them if they
    are ever given. Row by row, the first counts two to three times faster than from an array of
    ones.
    """
    if weights is None:
        return np.int64(1)
    return weights[row]
