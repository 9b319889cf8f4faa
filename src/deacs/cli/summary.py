"""What a selection says, as plain numbers: the table and the JSON read the same summary."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs import CodedData
from deacs.cli.json_output import json_number
from deacs.information import Conditioning
from deacs.report.stop_reasons import ending
from deacs.selection import Path

__all__ = ["SCHEMA_VERSION", "summarize", "summarize_ranking"]

SCHEMA_VERSION = 1
"""Of the JSON that `deacs select --json` prints; it grows when a key changes meaning."""


def summarize(path: Path, data: CodedData, settings: dict[str, Any]) -> dict[str, Any]:
    """Collect what DEA-CS selected, what each feature serves, and what stays unexplained."""
    classes = [str(label) for label in data.classes]
    before, after = path.residual[0], path.residual[-1]
    how = {"method": "dea-cs", **settings}
    summary = _summary(data, how, path.ranking, path.scores, path.stop_reason)
    for entry, scores in zip(summary["selected"], path.label_scores, strict=True):
        entry["label_scores"] = dict(zip(classes, scores.tolist(), strict=True))
    for entry, start, end in zip(summary["classes"], before, after, strict=True):
        entry["entropy"], entry["residual"] = float(start), float(end)
        entry["unexplained"] = float(end / start) if start > 0 else 0.0
    return {**summary, **_test(summary, path.p_values, path.next_p_value), "notes": path.notes}


def summarize_ranking(
    selector: Any, data: CodedData, method: str, settings: dict[str, Any]
) -> dict[str, Any]:
    """Collect what another selector ranked, and what each feature tells of the classes alone."""
    classes = [str(label) for label in data.classes]
    ranking = selector.ranking_
    given = {name: v for name, v in settings.items() if v is not None and name != "progress"}
    how = {"method": method, **given}
    summary = _summary(data, how, ranking, selector.scores_, selector.stop_reason_)
    conditioning = Conditioning(data.labels, data.n_classes, data.weights)
    alone = conditioning.scores(data.blocks, ranking, "one-vs-rest")
    for entry, scores in zip(summary["selected"], alone, strict=True):
        entry["label_scores_alone"] = dict(zip(classes, scores.tolist(), strict=True))
    tested = getattr(selector, "p_values_", np.empty(0)), getattr(selector, "next_p_value_", np.nan)
    return {**summary, **_test(summary, *tested), "notes": []}


def _test(
    summary: dict[str, Any], p_values: NDArray[np.float64], following: float
) -> dict[str, Any]:
    """Add the p-values of the selected features; return that of the best one that was left."""
    if summary["settings"].get("n_features_to_select") != "auto":
        return {}
    for entry, p in zip(summary["selected"], p_values, strict=True):
        entry["p_value"] = None if np.isnan(p) else float(p)
    return {"next_p_value": None if np.isnan(following) else float(following)}


def _summary(
    data: CodedData,
    settings: dict[str, Any],
    ranking: NDArray[np.int64],
    scores: NDArray[np.float64],
    stop_reason: str,
) -> dict[str, Any]:
    counts = np.bincount(data.labels, minlength=data.n_classes).tolist()
    is_all = len(ranking) == data.n_features
    return {
        "n_rows": data.n_rows,
        "n_features": data.n_features,
        "settings": settings,
        "selected": [
            {
                "rank": rank,
                "feature": data.feature_names[feature],
                "index": int(feature),
                "score": json_number(score),
            }
            for rank, (feature, score) in enumerate(zip(ranking, scores, strict=True), start=1)
        ],
        "classes": [
            {"class": str(label), "rows": count}
            for label, count in zip(data.classes, counts, strict=True)
        ],
        "stop_reason": stop_reason,
        "stop_reason_text": ending(stop_reason, is_all=is_all),
    }
