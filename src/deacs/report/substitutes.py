"""Substitutes as plain data for the template of the HTML report."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.report.names import plain
from deacs.selection.result import Result

__all__ = ["substitute_rows"]

MOST_TOLD = 8
"""Classes listed in a tooltip, those that lose most first."""


def substitute_rows(result: Result) -> list[dict[str, Any]]:
    """Return a row for each selected feature: its bits given the rest, and its substitutes."""
    found = result.substitutes
    if found is None:
        return []
    outputs = found.outputs
    if result.is_one_variable and len(outputs) == 2:
        outputs = (" or ".join(outputs),)  # both classes have the same scores
    return [
        {
            "name": entry.name,
            "is_needed": entry.is_needed,
            "bits": float(entry.scores[: len(outputs)].sum()),
            "substitutes": [
                {
                    "name": other.name,
                    "share": None if np.isnan(other.share) else other.share,
                    "worst": _worst(other.lost, outputs),
                    "told": _told(other.kept, other.lost, outputs),
                }
                for other in entry.substitutes
            ],
        }
        for entry in found.entries[: result.n_shown]
    ]


def _worst(lost: NDArray[np.float64], outputs: tuple[str, ...]) -> tuple[str, float] | None:
    """Return the class that loses most, and how much, if any does."""
    i = int(np.argmax(lost[: len(outputs)]))
    return (outputs[i], float(lost[i])) if lost[i] > 0 else None


def _told(kept: NDArray[np.float64], lost: NDArray[np.float64], outputs: tuple[str, ...]) -> str:
    """Return a text of what is kept and lost for each class."""
    order = np.argsort(-lost[: len(outputs)], kind="stable")[:MOST_TOLD].tolist()
    parts = [f"{plain(outputs[i])}: keeps {kept[i]:.3f}, loses {lost[i]:.3f}" for i in order]
    more = len(outputs) - len(order)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")
