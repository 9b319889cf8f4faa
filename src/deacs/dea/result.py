"""What a model of data envelopment analysis answers: a score, a status and peers for each unit."""

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError

__all__ = ["EFFICIENCY_TOLERANCE", "DEAResult"]

EFFICIENCY_TOLERANCE = 1e-9
"""A score is at least 1, or at least another score, if it is so up to this relative difference."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DEAResult:
    """Scores of all units under one model.

    Attributes
    ----------
    model : str
        Name of the model.
    scores : (n_units,) float array
        Score of each unit.
    status : (n_units,) str array
        ``"efficient"``: the score is at least 1, up to 1e-9. ``"inefficient"``: it is below.
        ``"infeasible"``: no combination of other units produces what the unit does, its score is
        +inf. ``"uncertain"``: the two bounds on the score differ by more than 1e-9 relative; the
        score is the upper one.
    peers : tuple of int arrays
        For each unit, the units that the model compares it with.
    weights : tuple of float arrays
        Their intensities λ, positive, aligned with `peers`.
    """

    model: str
    scores: NDArray[np.float64]
    status: NDArray[np.str_]
    peers: tuple[NDArray[np.intp], ...]
    weights: tuple[NDArray[np.float64], ...]

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.scores)

    def to_frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Return a frame with the columns unit, score, status, peers, one row for each unit.

        Parameters
        ----------
        library : "pandas", "polars" or None
            None takes pandas if it is installed, else polars.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Peers are readable text, ``"3 (0.62), 7 (0.11)"``: unit and intensity.
        """
        if library not in (None, "pandas", "polars"):
            raise InputError(f"library must be 'pandas', 'polars' or None, got {library!r}")
        columns = {
            "unit": np.arange(self.n_units),
            "score": self.scores,
            "status": self.status.tolist(),
            "peers": [_peers_text(*pair) for pair in zip(self.peers, self.weights, strict=True)],
        }
        if library == "pandas" or (library is None and find_spec("pandas")):
            return import_module("pandas").DataFrame(columns)
        return import_module("polars").DataFrame(columns)

    def __repr__(self) -> str:
        names, counts = np.unique(self.status, return_counts=True)
        tally = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
        return f"<DEAResult {self.model}: {self.n_units} units, {tally}>"


def _peers_text(peers: NDArray[np.intp], weights: NDArray[np.float64]) -> str:
    return ", ".join(f"{peer} ({weight:.3g})" for peer, weight in zip(peers, weights, strict=True))
