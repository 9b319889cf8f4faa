"""Tables of the HTML report, as plain data for the template."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData
from deacs.report.names import plain
from deacs.selection.direction import directions, value_counts
from deacs.selection.result import Result, tenths

__all__ = [
    "class_sections",
    "data_notes",
    "distributions",
    "path_rows",
    "selection_rows",
    "substitute_rows",
]

MOST_SERVED = 3
"""Classes that the selection table names for each feature."""

MOST_RANKED = 10
"""Features in the ranking for one class."""

MOST_VALUES = 12
"""Values shown in the distribution of a feature; the rest are added up."""

MOST_SEGMENTS = 60
"""Values in a strip of the shares of a class."""

MOST_CELLS = 2_000
"""The total number of cells after which no further distribution is shown."""

MOST_COLUMNS = 200
"""Columns listed in the data section."""

MOST_CUTS = 12
"""Cut points listed for each column."""

MOST_TOLD = 8
"""Classes listed in the tooltip of a substitute, those that lose most first."""


def selection_rows(result: Result) -> list[dict[str, Any]]:
    """Return a row for each selected feature: what it adds, about which class, and what remains."""
    rows = []
    errors = result.adds_error
    outputs = list(zip(result.outputs.tolist(), result.output_names, strict=True))
    for step, bits in enumerate(result.label_scores[: result.n_shown]):
        served: list[dict[str, Any]] = [
            {"name": name, "bits": float(bits[i]), "direction": result.direction(step, i)}
            for i, name in outputs
            if bits[i] > 0
        ]
        served.sort(key=lambda entry: -entry["bits"])
        rows.append(
            {
                "rank": step + 1,
                "name": result.selected_names[step],
                "members": _members(result, step),
                "adds": tenths(result.adds[step]),
                "error": "" if errors is None or np.isnan(errors[step]) else tenths(errors[step]),
                "again": result.again(step),
                "p_value": result.p_text(step),
                "served": served[:MOST_SERVED],
                "n_more": len(served[MOST_SERVED:]),
                "left": float(np.clip(result.left[step + 1], 0, 1)),
            }
        )
    return rows


def _members(result: Result, step: int) -> list[str]:
    """Return the columns of a group; an empty list for a single column."""
    columns = result.columns[step]
    names = [result.source.names[j] for j in columns]
    return [] if names == [result.selected_names[step]] else names


def class_sections(result: Result) -> list[dict[str, Any]]:
    """Return a section for each class: its uncertainty, and a ranking of features for it alone."""
    names = result.data.feature_names
    ranks = {int(feature): rank for rank, feature in enumerate(result.ranking, start=1)}
    bits = result.alone(np.arange(result.n_features))
    sections = []
    for i, name in zip(result.outputs.tolist(), result.output_names, strict=True):
        alone = bits[:, i]
        order = np.argsort(-alone, kind="stable")[:MOST_RANKED].tolist()
        entropy = float(result.residual[0, i])
        rows = result.class_rows if result.is_one_variable else result.class_rows[i : i + 1]
        sections.append(
            {
                "name": name,
                "rows": " and ".join(f"{count:,}" for count in rows.tolist()),
                "entropy": entropy,
                "unexplained": float(result.unexplained[i]),
                "ranking": [
                    {
                        "name": names[j],
                        "bits": float(alone[j]),
                        "share": min(float(alone[j]) / entropy, 1.0) if entropy > 0 else 0.0,
                        "rank": ranks.get(j),
                        "speaks": _values(result, j, i),
                    }
                    for j in order
                    if alone[j] > 0
                ],
            }
        )
    return sections


def _values(result: Result, feature: int, output: int) -> str:
    """Return the values of a column, selected or not, that speak for a class."""
    if result.is_grouped or not isinstance(result.data, CodedData):
        return ""
    return str(directions(result.data, feature, outputs=[result.spoken_for(output)])[0])


def distributions(result: Result) -> list[dict[str, Any]]:
    """Return, for each selected feature, the share of each value within each class.

    Only the first features are included, as far as there is room.
    """
    tables: list[dict[str, Any]] = []
    n_cells = 0
    for rank, columns in enumerate(result.columns[: result.n_shown], start=1):
        for column in columns:
            tables.append(_distribution(result, column, rank))
            tables[-1]["strips"] = _strips(result, column, rank - 1)
            tables[-1]["group"] = result.selected_names[rank - 1] if len(columns) > 1 else ""
            n_cells += len(tables[-1]["rows"]) * len(result.shown_classes)
        if n_cells >= MOST_CELLS:
            break
    return tables


def _strips(result: Result, feature: int, step: int) -> list[dict[str, Any]]:
    """Return P(class | value) over the rows in the order of values, for the classes served best."""
    data = result.source.table.rows_here
    counts = value_counts(data, feature)
    if len(counts) > MOST_SEGMENTS:
        return []
    ends = np.cumsum(counts[:, -1]) / max(counts[:, -1].sum(), 1)
    shares = counts[:, :-1] / np.maximum(counts[:, -1:], 1)
    bits = result.label_scores[step]
    best = sorted(result.outputs.tolist(), key=lambda i: -bits[i])
    strips = []
    for i in [i for i in best if bits[i] > 0][:MOST_SERVED]:
        k = result.spoken_for(i)
        segments: list[dict[str, Any]] = [
            {
                "x": float(end - count / counts[:, -1].sum()),
                "width": float(count / counts[:, -1].sum()),
                "share": float(share),
                "value": data.features[feature].describe(value),
            }
            for value, (end, count, share) in enumerate(
                zip(ends, counts[:, -1], shares[:, k], strict=True)
            )
            if count
        ]
        strips.append(
            {
                "name": result.classes[k],
                "segments": segments,
                "top": max(one["share"] for one in segments) or 1.0,
                "direction": str(result.direction(step, i)) if result.directions else "",
            }
        )
    return strips


def _distribution(result: Result, feature: int, rank: int) -> dict[str, Any]:
    data = result.source.table.rows_here
    coding = data.features[feature]
    counts = value_counts(data, feature)
    values_of_rows, counts = counts[:, -1], counts[:, :-1]
    shares = (counts / np.maximum(counts.sum(axis=0), 1))[:, result.shown_classes]
    values = np.arange(coding.n_values)
    if coding.n_values > MOST_VALUES:
        # Cut columns have few values; of categories the most frequent are shown.
        values = np.sort(np.argsort(-values_of_rows, kind="stable")[:MOST_VALUES])
    rows = [(coding.describe(v), shares[v].tolist()) for v in values.tolist()]
    n_others = coding.n_values - len(values)
    if n_others:
        rest = np.delete(shares, values, axis=0).sum(axis=0)
        rows.append((f"{n_others} other values together", rest.tolist()))
    return {
        "rank": rank,
        "name": data.feature_names[feature],
        "is_cut": coding.kind == "continuous",
        "rows": rows,
    }


def data_notes(result: Result) -> dict[str, Any]:
    """Return types, missing values, cut points and identifiers."""
    data = result.source.table.rows_here
    chosen = [j for columns in result.columns for j in columns]
    is_selected = np.zeros(data.n_features, dtype=bool)
    is_selected[chosen] = True
    order = [*chosen, *np.flatnonzero(~is_selected).tolist()]
    kinds = [feature.kind for feature in data.features]
    uncut = [
        name
        for name, feature in zip(data.feature_names, data.features, strict=True)
        if feature.kind == "continuous" and not len(feature.values)
    ]
    return {
        "n_continuous": kinds.count("continuous"),
        "n_discrete": kinds.count("discrete"),
        "n_uncut": len(uncut),
        "n_missing": sum(feature.has_missing for feature in data.features),
        "n_left_out": max(0, data.n_features - MOST_COLUMNS),
        "columns": [
            {
                "name": data.feature_names[j],
                "kind": data.features[j].kind,
                "selected": bool(is_selected[j]),
                "n_values": data.features[j].n_values - data.features[j].has_missing,
                "n_missing": _n_missing(result, j),
                "cuts": _cuts(data.features[j].values) if kinds[j] == "continuous" else "",
            }
            for j in order[:MOST_COLUMNS]
        ],
    }


def _n_missing(result: Result, feature: int) -> int:
    coding = result.source.table.features[feature]
    if not coding.has_missing:
        return 0
    return int((result.source.table.rows_here.column(feature) == coding.n_values - 1).sum())


def _cuts(values: NDArray[Any]) -> str:
    if not len(values):
        return "none: no cut is informative"
    text = ", ".join(f"{value:.5g}" for value in values[:MOST_CUTS].tolist())
    more = len(values) - MOST_CUTS
    return f"{text} and {more} more" if more > 0 else text


def path_rows(result: Result) -> list[tuple[str, str]]:
    """Return the score of each feature shown, as text."""
    scores = result.scores[: result.n_shown].tolist()
    shown = [f"{score:.3f}" if np.isfinite(score) else "∞" for score in scores]
    return list(zip(result.selected_names, shown, strict=False))


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
