"""What features cost: inputs of the DEA, and a budget that ends the selection.

A feature that costs nothing has its place before all others: as long as free features tell
something, they compete among themselves, as if all cost the same, and the winner's score is inf.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import named_features
from deacs.exceptions import InputError
from deacs.selection._judges import Judge, TieBreak

__all__ = ["Budget", "WithCosts", "read_budget", "read_costs"]

Floats = NDArray[np.float64]


def read_costs(costs: Any, names: Sequence[str]) -> Floats:
    """Read costs as numbers of shape (n_features, n_kinds).

    Parameters
    ----------
    costs : dict of column name to cost(s), or array-like of shape (n_features,) or (n_features, m)
        Not negative, finite.
    names : sequence of str
        The columns.
    """
    if isinstance(costs, Mapping):
        order = named_features(list(costs), names, "costs")
        missing = [name for j, name in enumerate(names) if j not in set(order)]
        if missing:
            raise InputError(
                f"costs must name every column, got none for {missing[0]!r}"
                + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            )
        given = list(costs.values())
        costs = [given[k] for k in np.argsort(order)]
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"costs must be numbers, got {costs!r:.80}") from None
    table = table[:, np.newaxis] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != len(names) or table.shape[1] == 0:
        raise InputError(
            f"costs must have a row for each of the {len(names)} columns, got shape {table.shape}"
        )
    useless = ~np.isfinite(table) | (table < 0)
    if useless.any():
        row, kind = np.argwhere(useless)[0]
        raise InputError(
            f"costs must be finite and not negative, got {table[row, kind]} for {names[row]!r}"
        )
    return table


def read_budget(budget: Any, costs: Floats | None) -> "Budget | None":
    """Read the budget: one number, or one for each kind of cost."""
    if budget is None:
        return None
    if costs is None:
        raise InputError("budget needs costs=, got no costs; give what each column costs")
    limits = np.asarray(budget, dtype=np.float64).reshape(-1)
    if len(limits) != costs.shape[1] or np.isnan(limits).any() or (limits < 0).any():
        raise InputError(
            f"budget must be {costs.shape[1]} number(s), one for each kind of cost, not negative, "
            f"got {budget!r}"
        )
    return Budget(limits, costs)


@dataclass(frozen=True, slots=True)
class Budget:
    """How much all selected features may cost."""

    limits: Floats
    costs: Floats

    def allows(self, features: Sequence[int]) -> bool:
        """Whether these features together stay within the budget (to one part in 1e9)."""
        total = self.costs[list(features)].sum(axis=0)
        return bool((total <= self.limits * (1 + 1e-9)).all())


@dataclass(frozen=True, slots=True)
class WithCosts:
    """A judge among features of which some cost nothing."""

    judge: Judge

    def best(self, R: Floats, x: Floats | None, tie_break: TieBreak) -> tuple[int, float]:
        """Return the row of the winner and its score."""
        free = _free(x)
        if not free.any():
            return self.judge.best(R, x, tie_break)
        row, _ = self.judge.best(R[free], None, tie_break)
        return int(np.flatnonzero(free)[row]), np.inf

    def score(self, R: Floats, x: Floats | None, row: int) -> float:
        """Return the score of one row."""
        return float(self.scores(R, x)[row])

    def scores(self, R: Floats, x: Floats | None) -> Floats:
        """Return the score of every row: inf for free ones, the others judged without them."""
        free = _free(x)
        scores = np.full(len(R), np.inf)
        if x is not None and not free.all():
            scores[~free] = self.judge.scores(R[~free], x[~free])
        return scores


def _free(x: Floats | None) -> NDArray[np.bool_]:
    return np.zeros(0, dtype=bool) if x is None else ~np.asarray(x.any(axis=1))
