"""The result of a DEA model: score, status and peers of each unit."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs._frames import frame
from deacs._html import html_table
from deacs.dea.data import Columns, Floats, Table

__all__ = ["EFFICIENCY_TOLERANCE", "ROUNDING", "STATUSES", "DEAResult", "Multipliers", "targets"]

EFFICIENCY_TOLERANCE = 1e-9
"""The relative tolerance in comparisons of a score with 1 or with another score."""

ROUNDING = 1e-12
"""Scores this close to that of an efficient unit are set to it, so that ties are exact."""

STATUSES = {
    "efficient": "no combination of units does better: the score is at least 1, without slacks",
    "weakly efficient": "the score is that of an efficient unit, but some slack is possible",
    "inefficient": "a combination of units does better",
    "infeasible": "no combination of other units reaches the unit: the score is +inf",
    "unbounded": "the score has no limit: the direction of the unit is zero",
    "uncertain": "the bounds on the score do not meet to 1e-9: the data span too wide a range",
}
"""Every status, and its meaning."""


class Multipliers(NamedTuple):
    """Optimal prices of a unit: of inputs, outputs, undesirable outputs, and of Σ λ."""

    inputs: Floats
    outputs: Floats
    undesirable: Floats
    total: Floats


@dataclass(frozen=True, eq=False, repr=False)
class DEAResult:
    """Scores of all units under one model.

    Attributes
    ----------
    model : str
        Name of the model.
    scores : (n_units,) float array
        Score of each unit.
    status : (n_units,) str array
        A key of `deacs.dea.STATUSES` for each unit: ``"efficient"``, ``"weakly efficient"``,
        ``"inefficient"``, ``"infeasible"``, ``"unbounded"`` or ``"uncertain"``.
    peers : tuple of int arrays
        For each unit, the units that the model compares it with.
    weights : tuple of float arrays
        Their intensities λ, positive, aligned with `peers`.
    table : Table
        The units as given, with their names.
    aims : tuple of three arrays
        Inputs, outputs and undesirable outputs from which slacks are measured: the projection of
        the unit (θ x for a radial score), or the unit itself.
    best : {"largest", "smallest"}
        Which score is the best one.
    matrix : (n_units, n_units) array or None
        Cross-efficiency only: the score of each column's unit at the prices of each row's.
    """

    model: str
    scores: Floats
    status: NDArray[np.str_]
    peers: tuple[NDArray[np.intp], ...]
    weights: tuple[Floats, ...]
    table: Table
    aims: Columns
    best: Literal["largest", "smallest"] = "largest"
    matrix: Floats | None = None
    _prices: Callable[[], Multipliers] = field(kw_only=True)

    def __getstate__(self) -> dict[str, Any]:
        # Prices that have not been solved for are solved for now: the program cannot be pickled.
        return {**vars(self), "multipliers": self.multipliers, "_prices": None}

    @property
    def n_units(self) -> int:
        """Number of units."""
        return len(self.scores)

    @property
    def names(self) -> tuple[Any, ...]:
        """Names of the units; their indices if none were given."""
        return tuple(range(self.n_units)) if self.table.names is None else self.table.names

    @property
    def ranking(self) -> NDArray[np.intp]:
        """Units from the best to the worst score; ties in the order of the table."""
        sign = -1.0 if self.best == "largest" else 1.0
        return np.argsort(sign * self.scores, kind="stable")

    @cached_property
    def multipliers(self) -> Multipliers:
        """Prices of inputs and outputs, (n_units, n_columns) each; some models solve for them here.

        If optimal prices are not unique, one of the solutions.
        """
        return self._prices()

    @cached_property
    def _targets(self) -> Columns:
        found = targets(self.table, self.peers, self.weights)
        nothing = np.isin(self.status, ("infeasible", "unbounded")) | np.isnan(self.scores)
        for columns in found:
            columns[nothing] = np.nan
        return found

    @property
    def input_targets(self) -> Floats:
        """Target inputs: those of the weighted peers. NaN if there are no peers."""
        return self._targets[0]

    @property
    def output_targets(self) -> Floats:
        """Target outputs: those of the weighted peers."""
        return self._targets[1]

    @property
    def undesirable_targets(self) -> Floats:
        """Target undesirable outputs: those of the weighted peers."""
        return self._targets[2]

    @property
    def input_slacks(self) -> Floats:
        """Input slacks: the excess over the inputs of the peers, in the units of the input."""
        return _difference(self.aims[0], self._targets[0])

    @property
    def output_slacks(self) -> Floats:
        """Output slacks: the shortfall from the outputs of the peers."""
        return _difference(self._targets[1], self.aims[1])

    @property
    def undesirable_slacks(self) -> Floats:
        """Slacks of undesirable outputs: the excess over those of the peers."""
        return _difference(self.aims[2], self._targets[2])

    def to_frame(
        self, library: Literal["pandas", "polars"] | None = None, *, details: bool = False
    ) -> Any:
        """Return a frame with the columns unit, score, status, peers, one row for each unit.

        Parameters
        ----------
        library : "pandas", "polars" or None
            None: pandas if it is installed, else polars.
        details : bool
            Whether to add a slack and a target for each input and output: "slack of staff"; "slack
            of input staff" if an output has the same name.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            Peers are readable text, ``"3 (0.62), 7 (0.11)"``: unit and intensity.
        """
        columns: dict[str, Any] = {
            "unit": list(self.names),
            "score": self.scores,
            "status": self.status.tolist(),
            "peers": [self.peers_text(p) for p in range(self.n_units)],
        }
        if details:
            parts = self.by_column()
            n_uses = Counter(name for _, name, _, _ in parts)
            for kind, name, slacks, targets in parts:
                of = name if n_uses[name] == 1 else f"{kind} {name}"
                columns |= {f"slack of {of}": slacks, f"target of {of}": targets}
        return frame(columns, library)

    def peers_text(self, p: int) -> str:
        """Return the peers of unit p with their intensities, the largest first, as text."""
        names = self.names
        order = np.lexsort((self.peers[p], -self.weights[p]))
        pairs = zip(self.peers[p][order].tolist(), self.weights[p][order], strict=True)
        return ", ".join(f"{names[peer]} ({weight:.3g})" for peer, weight in pairs)

    def by_column(self) -> list[tuple[str, str, Floats, Floats]]:
        """Return the kind and the name of each input and output, its slacks and its targets."""
        table, parts = self.table, []
        for kind, names, slacks, targets in (
            ("input", table.input_names, self.input_slacks, self.input_targets),
            ("output", table.output_names, self.output_slacks, self.output_targets),
            (
                "undesirable output",
                table.undesirable_names,
                self.undesirable_slacks,
                self.undesirable_targets,
            ),
        ):
            columns = zip(names, slacks.T, targets.T, strict=True)
            parts += [(kind, *column) for column in columns]
        return parts

    def _repr_html_(self) -> str:
        """Show the best units in notebooks."""
        best = self.ranking.tolist()
        columns = {
            "unit": (self.names[p] for p in best),
            "score": (float(self.scores[p]) for p in best),
            "status": (self.status[p] for p in best),
            "peers": (self.peers_text(p) for p in best),
        }
        return html_table(repr(self)[1:-1], columns, self.n_units)

    def __repr__(self) -> str:
        names, counts = np.unique(self.status, return_counts=True)
        tally = ", ".join(f"{count} {name}" for name, count in zip(names, counts, strict=True))
        return f"<DEAResult {self.model}: {self.n_units} units, {tally}>"


def targets(table: Table, peers: Sequence[NDArray[np.intp]], weights: Sequence[Floats]) -> Columns:
    """Return what the weighted peers of each unit use and produce together."""
    unit = np.repeat(np.arange(len(peers)), [len(some) for some in peers])
    peer = np.concatenate([*peers, np.empty(0, dtype=np.intp)])
    weight = np.concatenate([*weights, np.empty(0)])[:, None]

    def reached(columns: Floats) -> Floats:
        total = np.zeros(columns.shape)
        with np.errstate(over="ignore", invalid="ignore"):  # out of the range of doubles
            np.add.at(total, unit, weight * columns[peer])
        return total

    return reached(table.inputs), reached(table.outputs), reached(table.undesirable)


def _difference(more: Floats, less: Floats) -> Floats:
    """Subtract; differences below the accuracy of a score are zero."""
    with np.errstate(invalid="ignore"):
        gained = more - less
    size = np.maximum(np.abs(more), np.abs(less))
    return np.where(np.abs(gained) <= EFFICIENCY_TOLERANCE * size, 0.0, gained)
