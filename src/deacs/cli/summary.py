"""What a selection says, as plain numbers: the table and the JSON read the same summary."""

import math
from typing import Any

import numpy as np

from deacs import CodedData, __version__
from deacs.selection import Path

__all__ = ["SCHEMA", "summarize"]

SCHEMA = 1
"""Version of the JSON that `deacs select --json` prints; it grows when a key changes meaning."""

STOP_REASONS = {
    "n_features_to_select": "the number of features asked for is reached",
    "exhausted": "no feature that is left tells anything more about any class",
}


def summarize(path: Path, data: CodedData, settings: dict[str, Any]) -> dict[str, Any]:
    """Collect what was selected, what each feature serves, and what stays unexplained."""
    classes = [str(label) for label in data.classes]
    counts = np.bincount(data.labels, minlength=len(classes))
    before, after = path.residual[0], path.residual[-1]
    return {
        "schema": SCHEMA,
        "deacs_version": __version__,
        "n_rows": data.n_rows,
        "n_features": data.n_features,
        "settings": settings,
        "selected": [
            {
                "rank": rank,
                "feature": data.feature_names[step.feature],
                "index": step.feature,
                "score": _json_number(step.score),
                "label_scores": dict(zip(classes, step.label_scores.tolist(), strict=True)),
            }
            for rank, step in enumerate(path.steps, start=1)
        ],
        "classes": [
            {
                "class": label,
                "rows": int(count),
                "entropy": float(start),
                "residual": float(end),
                "unexplained": float(end / start) if start > 0 else 0.0,
            }
            for label, count, start, end in zip(classes, counts, before, after, strict=True)
        ],
        "stop_reason": path.stop_reason,
        "stop_reason_text": STOP_REASONS[path.stop_reason],
        "notes": path.notes,
    }


def _json_number(value: float) -> float | str:
    """JSON has no infinity; write the word that every reader of numbers knows."""
    return float(value) if math.isfinite(value) else "inf"
