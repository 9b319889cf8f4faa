"""The JSON that `deacs select --json` prints; docs/cli.md describes it key by key."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.cli.output import document, json_number
from deacs.selection import HeldOut, Result, Substitutes
from deacs.selection.direction import Direction

__all__ = ["SCHEMA_VERSION", "select_document"]

SCHEMA_VERSION = 3
"""It grows when a key is removed or changes its meaning."""


OF_DIRECTIONS = "share", "share_of_others", "area"

VIEW_KEYS = ("label_scores_by_counts", "label_scores_by_order")
"""The two estimates of which `label_scores` is the mean."""


def select_document(
    result: Result, notes: Sequence[str], *, file: str, target: str, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the document of a selection."""
    content = {
        "file": file,
        "target": target,
        "target_kind": result.source.target.kind,
        "n_rows": result.data.n_rows,
        "n_features": result.n_features,
        "settings": {name: _json_value(value) for name, value in settings.items()},
        "selected": _selected(result),
        "classes": _classes(result),
        "stop_reason": result.stop_reason,
        "stop_reason_text": result.ending,
        "notes": list(notes),
    }
    if result.held_out is not None:
        content["held_out"] = _held_out(result.held_out)
    if result.p_values is not None:
        content["next_p_value"] = json_number(result.next_p_value)
    return document("select", SCHEMA_VERSION, content)


def _held_out(found: HeldOut) -> dict[str, Any]:
    """Return what holds for the procedure, after each number of features."""
    shown = {
        "refits": found.n_refits,
        "left": found.left.tolist(),
        "knows_cuts": found.knows_cuts,
    }
    return shown if found.r2 is None else shown | {"r2": found.r2.tolist()}


def _selected(result: Result) -> list[dict[str, Any]]:
    is_fitted = result.has_label_scores
    key = "label_scores" if is_fitted else "label_scores_alone"
    bits = result.label_scores if is_fitted else result.alone(result.ranking)
    entries = []
    for step, feature in enumerate(result.ranking.tolist()):
        entry: dict[str, Any] = {
            "rank": step + 1,
            "feature": result.selected_names[step],
            "index": feature,
            "score": json_number(result.scores[step]),
            key: dict(zip(result.classes, bits[step].tolist(), strict=True)),
        }
        if step < len(result.directions) and result.directions[step]:
            shown = map(_direction, result.directions[step])
            entry["directions"] = dict(zip(result.classes, shown, strict=True))
        if is_fitted:
            entry["adds"] = json_number(result.adds[step])
            if result.adds_error is not None and result.held_out is not None:
                entry["adds_error"] = json_number(result.adds_error[step])
                entry["chosen"] = int(result.held_out.chosen[step])
        views = result.views
        if views is not None:
            for key_of_view, scores in zip(VIEW_KEYS, views[step].tolist(), strict=True):
                entry[key_of_view] = dict(zip(result.classes, scores, strict=True))
        if result.p_values is not None:
            entry["p_value"] = json_number(result.p_values[step])
            if result.p_is_bound is not None:
                entry["p_value_is_bound"] = bool(result.p_is_bound[step])
        if result.substitutes is not None:
            entry |= _substitutes(result.substitutes, step)
        entries.append(entry)
    return entries


def _direction(found: Direction) -> dict[str, Any]:
    numbers = {name: json_number(getattr(found, name)) for name in OF_DIRECTIONS}
    return {"shape": found.shape, "values": found.values, **numbers, "turns": found.turns}


def _substitutes(found: Substitutes, step: int) -> dict[str, Any]:
    replaceable = found.entries[step]

    def by_output(values: NDArray[np.float64]) -> dict[str, float]:
        return dict(zip(found.outputs, values.tolist(), strict=True))

    return {
        "scores_given_rest": by_output(replaceable.scores),
        "substitutes": [
            {
                "feature": other.name,
                "index": other.feature,
                "share": json_number(other.share),
                "kept": by_output(other.kept),
                "lost": by_output(other.lost),
            }
            for other in replaceable.substitutes
        ],
    }


def _classes(result: Result) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"class": name, "rows": rows}
        for name, rows in zip(result.classes, result.class_rows.tolist(), strict=True)
    ]
    if result.has_label_scores:
        for i, entry in enumerate(entries):
            entry["entropy"] = float(result.residual[0, i])
            entry["residual"] = float(result.residual[-1, i])
            entry["unexplained"] = float(result.unexplained[i])
    return entries


def _json_value(value: Any) -> Any:
    """Return a setting for JSON: options as a mapping with their type, arrays as lists."""
    if hasattr(value, "get_params"):
        parameters = value.get_params(deep=False)
        kind = {"type": type(value).__name__}
        return kind | {name: _json_value(v) for name, v in parameters.items()}
    if isinstance(value, float):
        return json_number(value)
    if isinstance(value, dict):
        return {str(name): _json_value(v) for name, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(v) for v in value]
    return value if value is None or isinstance(value, str | int) else repr(value)
