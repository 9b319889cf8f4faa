"""What a selection says, as plain numbers: the table and the JSON read the same summary."""

import math
from typing import Any

import numpy as np

from deacs import DEACS, CodedData, __version__

__all__ = ["SCHEMA", "summarize"]

SCHEMA = 1
"""Version of the JSON that `deacs select --json` prints; it grows when a key changes meaning."""

STOP_REASONS = {
    "n_features_to_select": "the number of features asked for is reached",
    "exhausted": "no feature that is left tells anything more about any class",
}


def summarize(selector: DEACS, data: CodedData) -> dict[str, Any]:
    """Collect what was selected, what each feature serves, and what stays unexplained."""
    classes = [str(label) for label in selector.classes_]
    counts = np.bincount(data.labels, minlength=len(classes))
    before, after = selector.residual_[0], selector.residual_[-1]
    return {
        "schema": SCHEMA,
        "deacs_version": __version__,
        "n_rows": data.n_rows,
        "n_features": data.n_features,
        "settings": {
            name: value
            for name, value in selector.get_params().items()
            if name in ("n_features_to_select", "label_score", "judge", "tie_break")
        },
        "selected": [
            {
                "rank": rank,
                "feature": name,
                "index": int(index),
                "score": _json_number(score),
                "label_scores": dict(zip(classes, bits.tolist(), strict=True)),
            }
            for rank, (name, index, score, bits) in enumerate(
                zip(
                    selector.selected_names_,
                    selector.ranking_,
                    selector.scores_,
                    selector.label_scores_,
                    strict=True,
                ),
                start=1,
            )
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
        "stop_reason": selector.stop_reason_,
        "stop_reason_text": STOP_REASONS[selector.stop_reason_],
        "notes": selector.notes_,
    }


def _json_number(value: float) -> float | str:
    """JSON has no infinity; write the word that every reader of numbers knows."""
    return float(value) if math.isfinite(value) else "inf"
