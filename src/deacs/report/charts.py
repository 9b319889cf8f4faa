"""What the page's charts draw, as plain data; the script in the page makes plotly draw it.

Names go as they are; the script keeps plotly from reading tags in them. Thinning keeps every corner of every frontier, so that what is drawn is right.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.report._hull import corners, telling_pair
from deacs.report._names import short
from deacs.report.summary import Race, Summary

__all__ = ["chart_data", "drawn"]

LONGEST = 28
"""Characters of a name that a chart shows."""

MOST_NUMBERS = 60_000
"""Numbers that all steps of the frontier may hold together; the page stays below 6 MB."""

FEWEST_DRAWN = 40
"""Candidates that every step may draw, however many steps and classes there are."""


def chart_data(summary: Summary) -> dict[str, Any]:
    """Return everything that is drawn, ready for JSON."""
    features = [short(name, LONGEST) for name in summary.selected_names[: summary.n_shown]]
    steps = np.arange(summary.n_shown + 1)
    return {
        "features": features,
        "classes": [short(label, LONGEST) for label in summary.classes],
        "scoreName": summary.score_name,
        "scores": [_number(score) for score in summary.scores[: summary.n_shown]],
        "labelScores": _numbers(summary.label_scores),
        "residual": _numbers(summary.residual[steps].T),
        "races": _races(summary),
    }


def _races(summary: Summary) -> list[dict[str, Any]]:
    n_classes = summary.data.n_classes
    if n_classes < 2 or not summary.races:
        return []
    most = max(FEWEST_DRAWN, MOST_NUMBERS // (len(summary.races) * n_classes))
    races = []
    for race in summary.races:
        rows = drawn(race, most)
        names = [short(summary.data.feature_names[race.features[row]], LONGEST) for row in rows]
        runner_up = None if race.runner_up is None else rows.tolist().index(race.runner_up)
        races.append(
            {
                "names": names,
                "bits": _numbers(race.label_scores[rows]),
                "winner": rows.tolist().index(race.winner),
                "runnerUp": runner_up,
                "pair": telling_pair(race.label_scores, race.winner),
                "candidates": len(race.features),
            }
        )
    return races


def drawn(race: Race, most: int) -> NDArray[np.intp]:
    """Return the rows to draw: all if few; else winner, runner-up, corners, the largest sums."""
    bits = race.label_scores
    if len(bits) <= most:
        return np.arange(len(bits))
    kept = {race.winner} if race.runner_up is None else {race.winner, race.runner_up}
    others = np.delete(np.arange(len(bits)), race.winner)
    # With the winner the frontier has no corner that it has not without it, but the winner.
    for pair in combinations(range(bits.shape[1]), 2):
        kept.update(others[corners(bits[np.ix_(others, pair)])].tolist())
    for row in np.argsort(-bits.sum(axis=1), kind="stable").tolist():
        if len(kept) >= most:
            break
        kept.add(row)
    return np.array(sorted(kept), dtype=np.intp)


def _number(value: float) -> float | None:
    """JSON has no infinity; the page draws what is null as infinite."""
    return float(f"{value:.5g}") if np.isfinite(value) else None


def _numbers(table: NDArray[np.float64]) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in table.tolist()]
