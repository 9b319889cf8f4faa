r"""Programs that look for the largest weighted slacks: second phases and additive models.

.. math:: \max \sum_i w^-_i s^-_i + \sum_r w^+_r s^+_r \quad \text{s.t.} \quad
          \sum_j λ_j x_j + s^- = \bar x, \quad \sum_j λ_j y_j - s^+ = \bar y, \quad
          λ, s \ge 0, \quad s \le \text{ceiling}.
"""

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.programs import Program
from deacs.dea.technology import Technology

__all__ = ["slack_program"]


def slack_program(
    technology: Technology,
    p: int,
    goal: Floats,
    weights: Floats,
    *,
    steps: Floats | None = None,
    ceiling: Floats | None = None,
    start: NDArray[np.intp] | None = None,
    itself: bool = False,
) -> Program:
    """State the program of unit p.

    Parameters
    ----------
    technology : Technology
    p : int
    goal : (n_columns,) array
        x̄, ȳ, then undesirable outputs, which are treated as inputs; scaled as the technology is.
    weights : (n_columns,) array
        What a step of slack is worth.
    steps : (n_columns,) array or None
        In which steps a slack is measured; None is 1 in the scale of the technology.
    ceiling : (n_columns,) array or None
        Largest slacks, in steps.
    start : int array or None
        References that attain the goal; None is the unit itself.
    itself : bool
        Whether the unit is barred from its references.

    Returns
    -------
    Program
    """
    n_columns = len(goal)
    m, s = technology.inputs.shape[1], technology.outputs.shape[1]
    signs = np.ones(n_columns) if steps is None else steps.copy()
    signs[m : m + s] *= -1.0
    own = np.hstack([np.diag(signs), np.zeros((n_columns, len(technology.least)))])
    return Program(
        cost=-weights,
        own=own,
        floor=np.zeros(n_columns),
        ceiling=np.full(n_columns, np.inf) if ceiling is None else ceiling,
        lower=np.r_[goal, technology.least],
        upper=np.r_[goal, technology.most],
        magnitude=technology.magnitude(p),
        start=np.array([p]) if start is None else start,
        barred=technology.barred(p, itself=itself),
        unit=1.0,
    )
