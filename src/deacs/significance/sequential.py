r"""A sequential Monte Carlo test, with no more shuffles than a decision needs.

Under the null hypothesis, the observed score is one of n + 1 in random order, so the number R of n
shuffles that reach it is at most r with probability :math:`(r + 1) / (n + 1)`. Two early decisions
save most of the work. A score that none of the first :math:`n_1` shuffles reaches is accepted at
once; others need all n, and the p-value is the probability of either event,

.. math:: p(r) = \frac{1}{n_1 + 1} + \frac{1}{n + 1} \sum_{j=0}^{r}
    \left[1 - \binom{n - n_1}{j} \Big/ \binom{n}{j}\right],

the quotient being the probability that j of n shuffles all come after the first :math:`n_1`. As
soon as too many have reached a score, it is rejected (J. Besag, P. Clifford, "Sequential Monte
Carlo p-values", Biometrika 78 (1991) 301-304). Both depend on the order of shuffles alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["Design", "NullScores"]

TIE = 1e-7
"""Scores this close are equal: the same G from other cells differs by rounding alone."""
EARLY, ALL = 1.5, 5.0
"""Shuffles expected to reach a score whose p-value is the level: at the first look, and in all."""

ROUNDING = 1e-12


@dataclass(frozen=True)
class Design:
    """The number of shuffles, and when to decide early.

    Attributes
    ----------
    level : float
        Scores with a p-value up to here are significant.
    n_all : int
        The number of shuffles.
    n_early : int
        The shuffles before the first look; 0: there is none.
    """

    level: float
    n_all: int
    n_early: int = 0

    @classmethod
    def for_level(cls, level: float) -> Design:
        """Return the usual design: a first look after 1.5 / level shuffles, 5 / level in all."""
        return cls(level, math.ceil(ALL / level) - 1, math.ceil(EARLY / level) - 1)

    @cached_property
    def p_values(self) -> NDArray[np.float64]:
        """The p-value where 0, 1, ... of all shuffles reach a score, up to the first too large."""
        n, n_later = self.n_all, self.n_all - self.n_early
        early = 1 / (self.n_early + 1) if self.n_early else 0.0
        later = 1.0 if self.n_early else 0.0
        measured, found = 0.0, []
        for r in range(n + 1):
            measured += 1 - later
            found.append(early + measured / (n + 1))
            if found[-1] > self.level * (1 + ROUNDING):
                break
            later *= max(n_later - r, 0) / max(n - r, 1)
        return np.array(found)

    @property
    def too_many(self) -> int:
        """The number of shuffles reaching a score from which it is not significant."""
        return len(self.p_values) - 1


class NullScores:
    """The largest scores that chance makes, drawn on demand.

    Parameters
    ----------
    draws : iterator of float
        One number for each shuffle.
    design : Design
        When to look.
    """

    def __init__(self, draws: Iterator[float], design: Design) -> None:
        self._draws = draws
        self._design = design
        self._drawn: list[float] = []

    def p_value(self, score: float) -> float:
        """Return the p-value of a score; of those above the level an estimate."""
        design = self._design
        n_reached = 0
        for n in range(design.n_all):
            n_reached += self._draw(n) >= score - TIE
            if n + 1 == design.n_early and n_reached == 0:
                return 1 / (design.n_early + 1)
            if n_reached >= design.too_many:
                return max(n_reached / (n + 1), float(design.p_values[-1]))
        return float(design.p_values[n_reached])

    def is_unreached(self, score: float) -> bool:
        """Whether no shuffle so far has reached a score: its p-value is the least there is."""
        return all(drawn < score - TIE for drawn in self._drawn)

    def _draw(self, n: int) -> float:
        while len(self._drawn) <= n:
            self._drawn.append(next(self._draws))
        return self._drawn[n]
