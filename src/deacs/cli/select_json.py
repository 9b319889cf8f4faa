"""The JSON that `deacs select --json` prints; docs/cli.md describes it key by key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.cli.json_output import document, json_number
from deacs.report.summary import Summary
from deacs.selection import HeldOut, Substitutes

__all__ = ["SCHEMA_VERSION", "select_document"]

SCHEMA_VERSION = 3
"""It grows when a key is removed or changes its meaning."""


VIEW_KEYS = ("label_scores_by_counts", "label_scores_by_order")
"""The two estimates of which `label_scores` is the mean."""


def select_document(
    summary: Summary, *, file: str, target: str, settings: dict[str, Any]
) -> dict[str, Any]:
    """Return the document of a selection."""
    content = {
        "file": file,
        "target": target,
        "target_kind": summary.data.about.kind,
        "n_rows": summary.data.n_rows,
        "n_features": summary.n_features,
        "settings": {name: _json_value(value) for name, value in settings.items()},
        "selected": _selected(summary),
        "classes": _classes(summary),
        "stop_reason": summary.stop_reason,
        "stop_reason_text": summary.ending,
        "notes": list(summary.notes),
    }
    if summary.held_out is not None:
        content["held_out"] = _held_out(summary.held_out)
    if summary.p_values is not None:
        content["next_p_value"] = json_number(summary.next_p_value)
    return document("select", SCHEMA_VERSION, content)


def _held_out(found: HeldOut) -> dict[str, Any]:
    """Return what holds for the procedure, after each number of features."""
    shown = {"refits": found.n_refits, "left": found.left.tolist()}
    return shown if found.r2 is None else shown | {"r2": found.r2.tolist()}


def _selected(summary: Summary) -> list[dict[str, Any]]:
    is_fitted = summary.fitted is not None
    key = "label_scores" if is_fitted else "label_scores_alone"
    bits = summary.label_scores if is_fitted else summary.alone(summary.ranking)
    entries = []
    for step, feature in enumerate(summary.ranking.tolist()):
        entry: dict[str, Any] = {
            "rank": step + 1,
            "feature": summary.selected_names[step],
            "index": feature,
            "score": json_number(summary.scores[step]),
            key: dict(zip(summary.classes, bits[step].tolist(), strict=True)),
        }
        if is_fitted:
            entry["adds"] = json_number(summary.adds[step])
            if summary.adds_error is not None and summary.held_out is not None:
                entry["adds_error"] = json_number(summary.adds_error[step])
                entry["chosen"] = int(summary.held_out.chosen[step])
        views = None if summary.fitted is None else summary.fitted.views
        if views is not None:
            for key_of_view, scores in zip(VIEW_KEYS, views[step].tolist(), strict=True):
                entry[key_of_view] = dict(zip(summary.classes, scores, strict=True))
        if summary.p_values is not None:
            entry["p_value"] = json_number(summary.p_values[step])
            if summary.p_is_bound is not None:
                entry["p_value_is_bound"] = bool(summary.p_is_bound[step])
        if summary.substitutes is not None:
            entry |= _substitutes(summary.substitutes, step)
        entries.append(entry)
    return entries


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


def _classes(summary: Summary) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = [
        {"class": name, "rows": rows}
        for name, rows in zip(summary.classes, summary.class_rows.tolist(), strict=True)
    ]
    if summary.fitted is not None:
        for i, entry in enumerate(entries):
            entry["entropy"] = float(summary.residual[0, i])
            entry["residual"] = float(summary.residual[-1, i])
            entry["unexplained"] = float(summary.unexplained[i])
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
