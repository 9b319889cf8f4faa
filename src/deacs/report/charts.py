"""Data of the report's charts, which the page's script draws.

Names are passed unchanged; the script draws them as text. Thinning keeps every corner of every
frontier, so that frontiers are drawn exactly.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.report.names import apart
from deacs.report.races import corners, races, telling_pair
from deacs.selection.result import Result

__all__ = ["chart_data", "drawn"]

LONGEST = 28
"""The longest name in a chart, in characters."""

MOST_NUMBERS = 50_000
"""The most numbers in all steps of the frontier, so that the page stays below 600 KB."""

FEWEST_DRAWN = 40
"""The candidates that each step may always draw, whatever the number of steps and classes."""

LEVELS = 9_999
"""Bits of a step are rounded to its largest value divided by this: finer than any screen."""


def chart_data(result: Result) -> dict[str, Any]:
    """Return the data of all charts, ready for JSON."""
    shown, outputs, steps = result.n_shown, result.outputs, _races(result)
    raced = sorted({feature for race in steps for feature in race["features"]})
    names = result.data.feature_names
    return {
        "features": apart(result.selected_names[:shown], LONGEST),
        "classes": apart(result.output_names, LONGEST),
        "noun": result.noun,
        "scoreName": result.score_name,
        "scores": [_number(score) for score in result.scores[:shown].tolist()],
        "labelScores": _numbers(result.label_scores[:shown, outputs]),
        "unexplained": _numbers(result.unexplained_path[: shown + 1, outputs].T),
        "isHeldOut": result.held_out is not None,
        "isRadial": result.is_radial,
        "races": steps,
        "names": dict(zip(raced, apart([names[j] for j in raced], LONGEST), strict=True)),
        "nIncluded": n_included(result),
    }


def n_included(result: Result) -> int:
    """Return the number of features selected first because of `include`."""
    include = result.parameters.get("include")
    if include is None:
        return 0
    return 1 if isinstance(include, str | int) else len(include)


def _races(result: Result) -> list[dict[str, Any]]:
    """Return the first steps of the frontier, as many as there is room for."""
    classes = result.outputs
    steps = races(result) if len(classes) > 1 else ()
    if not steps:
        return []
    most = max(FEWEST_DRAWN, MOST_NUMBERS // (len(steps) * len(classes)))
    drawn_steps: list[dict[str, Any]] = []
    n_numbers = 0
    for race in steps:
        bits = race.label_scores[:, classes]
        rival = race.runner_up if result.is_radial else race.leader
        rows = drawn(bits, race.winner, rival, most)
        n_numbers += len(rows) * len(classes)
        if drawn_steps and n_numbers > MOST_NUMBERS:
            break
        place = {row: i for i, row in enumerate(rows.tolist())}
        unit = (bits.max(initial=0.0) or 1.0) / LEVELS
        drawn_steps.append(
            {
                "features": race.features[rows].tolist(),
                "unit": unit,
                "bits": np.rint(bits[rows] / unit).astype(int).tolist(),
                "winner": place[race.winner],
                "rival": None if rival is None else place[rival],
                "pair": telling_pair(bits[rows], place[race.winner]),
                "candidates": len(race.features),
            }
        )
    return drawn_steps


def drawn(bits: NDArray[np.float64], winner: int, rival: int | None, most: int) -> NDArray[np.intp]:
    """Return the rows to draw: all if few; else winner, rival, corners and the largest sums."""
    if len(bits) <= most:
        return np.arange(len(bits))
    kept = {winner} if rival is None else {winner, rival}
    others = np.delete(np.arange(len(bits)), winner)
    # Adding the winner to the frontier adds no corner but the winner itself.
    for pair in combinations(range(bits.shape[1]), 2):
        kept.update(others[corners(bits[others][:, pair])].tolist())
    for row in np.argsort(-bits.sum(axis=1), kind="stable").tolist():
        if len(kept) >= most:
            break
        kept.add(row)
    return np.array(sorted(kept), dtype=np.intp)


def _number(value: float) -> float | None:
    """Return null for infinity, which JSON lacks; the page draws null as infinite."""
    return float(f"{value:.4g}") if np.isfinite(value) else None


def _numbers(table: NDArray[np.float64]) -> list[list[float | None]]:
    return [[_number(value) for value in row] for row in table.tolist()]
