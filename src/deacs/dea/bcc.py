r"""BCC efficiency: like CCR, but under variable returns to scale.

.. math:: θ_p = \min θ \quad \text{s.t.} \quad \sum_j λ_j x_j \le θ x_p, \quad
          \sum_j λ_j y_j \ge y_p, \quad \sum_j λ_j = 1, \quad λ \ge 0.

Non-increasing returns have Σ λ ≤ 1, non-decreasing ones Σ λ ≥ 1.

Banker, R. D., Charnes, A. and Cooper, W. W. (1984). Some models for estimating technical and scale
inefficiencies in data envelopment analysis. Management Science 30(9), 1078-1092.
"""

from collections.abc import Sequence
from typing import Any

from deacs.dea.data import read_table
from deacs.dea.radial import Orientation, radial
from deacs.dea.result import DEAResult
from deacs.dea.technology import ReturnsToScale, one_of

__all__ = ["bcc"]


def bcc(
    inputs: Any,
    outputs: Any,
    *,
    returns_to_scale: ReturnsToScale = "vrs",
    orientation: Orientation = "input",
    slacks: bool = True,
    names: Sequence[Any] | None = None,
    n_jobs: int | None = None,
) -> DEAResult:
    """Score each unit against all units, under variable returns to scale.

    Parameters
    ----------
    inputs, outputs : array-like or frame of shape (n_units, n_columns)
        Non-negative; each unit has a positive input. One dimension means one column, inputs=None a
        constant input of 1.
    returns_to_scale : {"vrs", "nirs", "ndrs", "crs"}
        Variable, non-increasing, non-decreasing or constant.
    orientation : {"input", "output"}
        Input: the score is θ. Output: 1/φ, with φ the factor by which all outputs could grow. Under
        variable returns to scale they differ.
    slacks : bool
        Whether to run the second phase, which separates weakly efficient from efficient units.
    names : sequence or None
        Names of the units.
    n_jobs : int or None
        Number of threads, as in scikit-learn; the result does not depend on it.

    Returns
    -------
    DEAResult
        Scores in [0, 1].

    Notes
    -----
    With a constant input every unit scores 1 in input orientation under variable returns, since
    Σ λ = 1 needs the same input. A unit without any output scores 0 in output orientation, where φ
    is unbounded; in input orientation its score is positive, since Σ λ bounds the inputs of the
    peers from below. A unit without any input raises an error.

    Examples
    --------
    >>> bcc([2, 3, 3, 4], [1, 3, 2, 3]).scores.round(4).tolist()
    [1.0, 1.0, 0.8333, 0.75]
    >>> bcc([2, 3, 3, 4], [1, 3, 2, 3], orientation="output").scores.round(4).tolist()
    [1.0, 1.0, 0.6667, 1.0]
    """
    one_of(orientation, Orientation, "orientation")
    one_of(returns_to_scale, ReturnsToScale, "returns_to_scale")
    return radial(
        {"vrs": "BCC", "crs": "CCR"}.get(returns_to_scale, f"BCC, {returns_to_scale}"),
        read_table(inputs, outputs, names=names),
        returns_to_scale,
        orientation,
        itself=False,
        slacks=slacks,
        n_jobs=n_jobs,
    )
