"""Feature costs, as inputs of the DEA, and a budget that ends the selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import named_features
from deacs.exceptions import InputError, Parameter
from deacs.selection.options import Options, options_class

__all__ = ["Budget", "Costs", "read_budget", "read_costs", "read_prices"]

Floats = NDArray[np.float64]

SMALLEST, LARGEST = 1e-100, 1e100
"""Ratios of bits and costs, and of two such ratios, are doubles."""


@options_class
class Costs(Options):
    """Costs of columns (price, latency, risk), and a total budget.

    Parameters
    ----------
    prices : dict of column to cost, or array of shape (n_features,) or (n_features, m)
        Inputs of the DEA, 0 or from 1e-100 to 1e100. Columns that cost nothing come first; a group
        costs the sum of its columns.
    budget : float or m floats, optional
        The selection ends when the next feature would exceed it.
    """

    prices: Any
    budget: Any = None


def read_costs(costs: Any) -> Costs:
    """Return costs as an object; a dict or an array gives the prices alone."""
    return costs if isinstance(costs, Costs) else Costs(costs)


def read_prices(costs: Any, names: Sequence[str]) -> Floats:
    """Read `Costs.prices` as usable numbers of shape (n_features, n_kinds)."""
    if isinstance(costs, Mapping):
        order = named_features(list(costs), names, "costs")
        priced = set(order)
        missing = [name for j, name in enumerate(names) if j not in priced]
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                Parameter("costs"),
                f" must name every column, got none for {missing[0]!r}{more}",
                columns=missing,
            )
        given = list(costs.values())
        costs = [given[k] for k in np.argsort(order)]
    try:
        table = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Parameter("costs"), f" must be numbers, got {costs!r:.80}") from None
    table = table[:, np.newaxis] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != len(names) or table.shape[1] == 0:
        raise InputError(
            Parameter("costs"),
            f" must have a row for each of the {len(names)} columns, got shape {table.shape}",
        )
    usable = (table == 0) | ((table >= SMALLEST) & (table <= LARGEST))
    if not usable.all():
        row, kind = np.argwhere(~usable)[0]
        raise InputError(
            Parameter("costs"),
            f" must be 0 or lie between {SMALLEST} and {LARGEST}, got {table[row, kind]} for "
            f"{names[row]!r}",
            columns=[names[row]],
        )
    return table


def read_budget(budget: Any, costs: Floats) -> Budget:
    """Read the budget: one number, or one for each kind of cost."""
    try:
        limits = np.asarray(budget, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError):
        limits = np.array([np.nan])
    if len(limits) != costs.shape[1] or np.isnan(limits).any() or (limits < 0).any():
        raise InputError(
            Parameter("budget"),
            f" must be {costs.shape[1]} number(s), one for each kind of cost, not negative, "
            f"got {budget!r}",
        )
    return Budget(limits, costs)


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that the selected features may cost together."""

    limits: Floats
    costs: Floats

    def allows(self, features: Sequence[int]) -> bool:
        """Whether these features together stay within the budget (up to one part in 1e9)."""
        total = self.costs[list(features)].sum(axis=0)
        return bool((total <= self.limits * (1 + 1e-9)).all())
