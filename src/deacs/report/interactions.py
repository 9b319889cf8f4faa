"""Pairs of columns: the information of each about the class, and their synergy."""

from __future__ import annotations

from typing import Any, Self

from deacs.report._axes import ACCENT, FAINT, WARM, Display
from deacs.report.names import unformatted_apart
from deacs.selection import Interactions, p_text

__all__ = ["InteractionsDisplay"]

MOST_DRAWN = 20
"""The most pairs drawn."""


class InteractionsDisplay(Display):
    """Bars for pairs of columns: the bits of each alone, and their synergy.

    Parameters
    ----------
    interactions : Interactions
        The result of `deacs.find_interactions`.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where `plot` drew.

    Examples
    --------
    >>> from deacs import find_interactions
    >>> found = find_interactions(X, y)  # doctest: +SKIP
    >>> InteractionsDisplay.from_interactions(found)  # doctest: +SKIP
    """

    def __init__(self, interactions: Interactions) -> None:
        self.interactions = interactions

    @classmethod
    def from_interactions(cls, interactions: Interactions, *, ax: Any = None) -> Self:
        """Draw the pairs with the largest synergy.

        Parameters
        ----------
        interactions : Interactions
            The result of `deacs.find_interactions`.
        ax : matplotlib Axes, optional
            Where to draw; default: a new figure.
        """
        return cls(interactions).plot(ax=ax)

    def _size(self) -> tuple[float, float]:
        return 7.5, 1.4 + 0.34 * min(max(len(list(self.interactions)), 3), MOST_DRAWN)

    def _draw(self, ax: Any) -> None:
        """Draw a bar for each pair."""
        pairs = list(self.interactions)[:MOST_DRAWN]
        places = range(len(pairs))
        first, second = ([pair.alone[k] for pair in pairs] for k in (0, 1))
        both = [a + b for a, b in zip(first, second, strict=True)]
        synergy = [pair.synergy for pair in pairs]
        ax.barh(places, first, color=FAINT, label="the first alone")
        ax.barh(places, second, left=first, color=ACCENT, label="the second alone")
        ax.barh(places, synergy, left=both, color=WARM, label="both together, beyond that")
        for place, pair in enumerate(pairs):
            end = both[place] + synergy[place]
            p = p_text(pair.p_value)
            ax.text(
                end,
                place,
                f"  p {p}" if p.startswith("<") else f"  p = {p}",
                va="center",
                fontsize=8,
            )
        names = unformatted_apart([" & ".join(pair.names) for pair in pairs], 40)
        ax.set_yticks(list(places), names, fontsize=8)
        ax.invert_yaxis()
        ax.margins(x=0.12)
        ax.set_xlabel("information about the class, bits")
        ax.legend(frameon=False, fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
