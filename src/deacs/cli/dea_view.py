"""A result of `deacs dea` as plain numbers, and as a table for the terminal."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.text import Text

from deacs.cli.json_output import document, json_number
from deacs.cli.layout import new_table, split_to_fit

if TYPE_CHECKING:
    from deacs.dea import DEAResult

__all__ = ["SCHEMA_VERSION", "summarize", "view"]

SCHEMA_VERSION = 1
"""Version of the JSON that `deacs dea --json` prints; it grows when a key changes meaning."""

MAX_ROWS = 40
"""The most units shown in the table."""

STYLES = {
    "efficient": "green",
    "weakly efficient": "yellow",
    "inefficient": "",
    "infeasible": "cyan",
    "unbounded": "magenta",
    "uncertain": "bold red",
}


def summarize(result: "DEAResult", notes: Sequence[str]) -> dict[str, Any]:
    """Return the results of each unit as plain numbers, best first."""
    table = result.table
    groups = {
        "inputs": (table.input_names, result.input_slacks, result.input_targets),
        "outputs": (table.output_names, result.output_slacks, result.output_targets),
        "undesirable": (
            table.undesirable_names,
            result.undesirable_slacks,
            result.undesirable_targets,
        ),
    }
    units = []
    for rank, p in enumerate(result.ranking.tolist(), start=1):
        unit: dict[str, Any] = {
            "rank": rank,
            "unit": result.names[p],
            "score": json_number(result.scores[p]),
            "status": str(result.status[p]),
            "peers": [
                {"unit": result.names[peer], "intensity": float(weight)}
                for peer, weight in zip(
                    result.peers[p].tolist(), result.weights[p].tolist(), strict=True
                )
            ],
        }
        for kind, (columns, slacks, targets) in groups.items():
            if columns:
                unit[kind] = {
                    name: {
                        "slack": json_number(slacks[p, c]),
                        "target": json_number(targets[p, c]),
                    }
                    for c, name in enumerate(columns)
                }
        units.append(unit)
    content = {"model": result.model, "best": result.best, "units": units, "notes": notes}
    return document("dea", SCHEMA_VERSION, content)


def view(result: "DEAResult", options: dict[str, Any], console: Console) -> Group:
    """Lay out the ranked table for the terminal."""
    from deacs.dea import STATUSES

    tally = {name: int((result.status == name).sum()) for name in STYLES}
    found = [name for name in STYLES if tally[name]]
    said = ", ".join([result.model, *options.values()])
    headline = Text.assemble((f"{result.n_units} units", "bold"), f" by {said}: ")
    headline.append(", ".join(f"{tally[name]} {name}" for name in found))
    table = new_table()
    table.add_column("rank", justify="right", style="dim")
    table.add_column("unit", style="bold", overflow="fold", max_width=40)
    table.add_column("score", justify="right")
    table.add_column("status")
    table.add_column("peers (intensity)", overflow="fold")
    for rank, p in enumerate(result.ranking[:MAX_ROWS].tolist(), start=1):
        status = str(result.status[p])
        table.add_row(
            str(rank),
            Text(str(result.names[p])),
            _score(result.scores[p]),
            Text(status, style=STYLES[status]),
            Text(_peers(result, p)),
        )
    parts: list[Any] = [Text(), headline, Text(), split_to_fit(table, console, n_keys=2)]
    if result.n_units > MAX_ROWS:
        left = result.n_units - MAX_ROWS
        parts.append(Text(f"... and {left} more; --output writes all of them", style="dim"))
    parts.append(Text())
    if result.best == "smallest":
        parts.append(
            Text.assemble(("Score: ", "bold"), "0 is efficient; the smallest is the best.")
        )
    parts += [
        Text.assemble((f"{name}: ", STYLES[name]), f"{STATUSES[name]}.")
        for name in found
        if name not in ("efficient", "inefficient")
    ]
    return Group(*parts)


def _peers(result: "DEAResult", p: int) -> str:
    if result.peers[p].tolist() == [p]:
        return "itself"
    return result.peers_text(p)


def _score(score: float) -> str:
    return "inf" if math.isinf(score) else f"{score:.4f}"
