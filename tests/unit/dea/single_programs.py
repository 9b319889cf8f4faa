"""Programs of single units, for tests of solvers and of proofs."""

import numpy as np

from deacs.dea.radial import radial_rays


def super_programs(technology):
    """Return a function that builds input-oriented super-efficiency programs."""
    rays = radial_rays(technology, "input")
    return lambda p: rays.programs(np.array([p]), itself=True)[0]
