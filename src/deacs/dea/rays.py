r"""Programs with one unknown besides the intensities: how far along a ray the frontier lies.

.. math:: \min c\,τ \quad \text{s.t.} \quad l_p \le \sum_j λ_j a_j + τ d_p \le u_p, \quad λ \ge 0,
          \quad τ \ge 0,

with one finite bound b_p in each row. Prices π of one unit's program hold for every unit: scaled to
π·d_q = c they bound the objective of q from below by π·b_q, and if the peers behind them also reach
the point of q, that bound is its score. So a few units are solved, all others are tried on the
facets that were found, and only the rest is solved, in rounds that double.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deacs.dea.data import Floats
from deacs.dea.program import NOBODY, Program, Solution
from deacs.dea.programs import solve_programs
from deacs.dea.technology import Technology

__all__ = ["Rays", "solve_rays"]

FIRST = 64
"""Units solved before any facet is shared, or a sixteenth of all if that is more."""

SHARED_GAP = 1e-11
"""Relative miss up to which peers are taken over; other units are solved."""

PRICED = 1e-9
"""A row binds if its price is above this share of the largest."""

ATTEMPTS = 3
"""Facets that a unit is tried on in a round."""

BLOCK = 1 << 22
"""Numbers in a table of units by facets."""


@dataclass(frozen=True, slots=True, eq=False)
class Rays:
    """The rays of all units.

    Attributes
    ----------
    technology : Technology
    cost : float
        c, 1 or -1.
    directions : (n_units, n_rows) array
        d.
    lower, upper : (n_units, n_rows) arrays
        l and u; where both are finite they are equal.
    ceiling : (n_units,) array
        The largest τ.
    unit : float
        As in `Program`.
    """

    technology: Technology
    cost: float
    directions: Floats
    lower: Floats
    upper: Floats
    ceiling: Floats
    unit: float = 0.0

    def program(self, p: int, *, itself: bool) -> Program:
        """State the program of unit p; `itself` bars it from its own references."""
        return Program(
            cost=np.array([self.cost]),
            own=self.directions[p][None, :],
            floor=np.zeros(1),
            ceiling=self.ceiling[p : p + 1],
            lower=self.lower[p],
            upper=self.upper[p],
            start=NOBODY,  # those who are there mostly do; if not, their absence asks for others
            barred=self.technology.barred(p, itself=itself),
            unit=self.unit,
            limit=self.technology.limit(p),
        )


def solve_rays(
    rays: Rays, units: NDArray[np.intp], n_jobs: int | None, *, share: bool = True
) -> list[Solution]:
    """Solve the programs of some units, each with itself among its references."""
    references = rays.technology.references
    found: list[Solution | None] = [None] * len(units)
    sharing = _Sharing(rays, units) if share else None
    left = np.arange(len(units))
    size = max(FIRST, len(units) // 16) if share else len(units)
    while len(left):
        size = min(size, len(left))
        now = left[np.linspace(0, len(left) - 1, size).astype(np.intp)]
        solved = solve_programs(
            references, lambda p: rays.program(p, itself=False), units[now], n_jobs
        )
        for k, solution in zip(now.tolist(), solved, strict=True):
            found[k] = solution
        left = np.setdiff1d(left, now, assume_unique=True)
        if sharing is not None and len(left):
            for k, solution in sharing.offer(solved, left):
                found[k] = solution
            left = np.array([k for k in left.tolist() if found[k] is None], dtype=np.intp)
        size *= 2
    return [solution for solution in found if solution is not None]


def _distinct(facets: list[Solution]) -> list[Solution]:
    """Keep one of the facets that have the same peers and the same rows that bind."""
    kept: dict[tuple[bytes, bytes], Solution] = {}
    for one in facets:
        kept.setdefault((np.sort(one.peers).tobytes(), _binds(one).tobytes()), one)
    return list(kept.values())


def _binds(facet: Solution) -> NDArray[np.bool_]:
    sizes = np.abs(facet.prices)
    return np.asarray(sizes > PRICED * sizes.max())


class _Sharing:
    """Facets found so far, and the best bound that they give each unit."""

    def __init__(self, rays: Rays, units: NDArray[np.intp]) -> None:
        self._rays = rays
        self._directions = rays.directions[units]
        lower, upper = rays.lower[units], rays.upper[units]
        self._lower, self._upper = lower, upper
        self._bounds = np.where(np.isfinite(lower), lower, upper)
        technology = rays.technology
        self._units = units
        self._magnitude = np.array([technology.magnitude(p) for p in units.tolist()])
        self._alone = technology.lacks[units].any(axis=1)
        self._best = np.full(len(units), -np.inf)

    def offer(self, solved: list[Solution], left: NDArray[np.intp]) -> list[tuple[int, Solution]]:
        """Try the facets of new solutions on the units that are left; return who is settled."""
        references = self._rays.technology.references
        facets = _distinct(
            [one for one in solved if one.status == "optimal" and one.gap <= SHARED_GAP]
        )
        left = left[~self._alone[left]]
        if not facets or not len(left):
            return []
        prices = np.array([one.prices for one in facets])
        # Prices that were found without some references might not hold against those.
        worth = np.array([(references.columns @ row).max() for row in prices])
        sizes = np.abs(prices).max(axis=1)
        kept = np.flatnonzero(worth <= 1e-12 * sizes)
        prices, worth = prices[kept], worth[kept]
        facets = [facets[k] for k in kept.tolist()]
        if not facets:
            return []
        settled: list[tuple[int, Solution]] = []
        step = max(1, BLOCK // len(facets))
        for start in range(0, len(left), step):
            block = left[start : start + step]
            with np.errstate(divide="ignore", invalid="ignore"):
                scale = self._rays.cost / (self._directions[block] @ prices.T)
                objective = scale * (self._bounds[block] @ prices.T)
            objective[~(scale > 0) | ~np.isfinite(objective)] = -np.inf
            row = np.arange(len(block))
            best = objective.max(axis=1)
            better = best > self._best[block]
            self._best[block[better]] = best[better]
            open_ = better & np.isfinite(best)
            # Where several facets meet, or one has several sets of peers, more than one is tried.
            for _ in range(ATTEMPTS):
                facet = objective.argmax(axis=1)
                value = objective[row, facet]
                open_ &= value >= best - 1e-12 * np.abs(best)
                for f in np.unique(facet[open_]).tolist():
                    members = row[open_ & (facet == f)]
                    reached = self._reach(
                        facets[f], block[members], value[members], scale[members, f], worth[f]
                    )
                    settled += reached
                    open_[np.isin(block, [k for k, _ in reached])] = False
                objective[row, facet] = -np.inf
        return settled

    def _reach(
        self,
        facet: Solution,
        units: NDArray[np.intp],
        objective: Floats,
        scale: Floats,
        worth: float,
    ) -> list[tuple[int, Solution]]:
        """Settle those of the units that the peers behind a facet reach, too."""
        rays = self._rays
        length = objective / rays.cost
        columns = rays.technology.matrix[facet.peers]
        needed = self._bounds[units] - length[:, None] * self._directions[units]
        binds = _binds(facet) | (self._lower[units[0]] == self._upper[units[0]])
        weights = needed[:, binds] @ np.linalg.pinv(columns[:, binds])
        weights = np.where(weights > 1e-13 * weights.max(axis=1, keepdims=True), weights, 0.0)
        made = weights @ columns + length[:, None] * self._directions[units]
        missed = np.maximum(self._lower[units] - made, made - self._upper[units])
        gap = (np.maximum(missed, 0.0) / self._magnitude[units]).max(axis=1)
        gap += np.maximum(worth, 0.0) * scale * weights.sum(axis=1)
        settled = []
        within = (length >= 0) & (length <= rays.ceiling[self._units[units]])
        for k in np.flatnonzero((gap <= SHARED_GAP) & within).tolist():
            used = np.flatnonzero(weights[k])
            settled.append(
                (
                    int(units[k]),
                    Solution(
                        "optimal",
                        float(objective[k]),
                        length[k : k + 1],
                        facet.peers[used],
                        weights[k, used],
                        facet.prices * scale[k],
                        float(gap[k]),
                    ),
                )
            )
        return settled
