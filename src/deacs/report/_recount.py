"""The fit once more, from its settings: how the table was coded, and what scored candidates."""

import warnings
from collections.abc import Mapping
from typing import Any

from deacs.coding import CodedData, CodedTable, encode
from deacs.exceptions import InputError
from deacs.selection._blocks import label_criterion
from deacs.selection._criteria import Criterion
from deacs.selection._engine import open_counts

__all__ = ["coded", "criterion_of", "is_radial"]


def coded(X: Any, y: Any, settings: Mapping[str, Any], sample_weight: Any) -> CodedData:
    """Code the table as the fit did."""
    if isinstance(X, CodedData):
        return X
    if isinstance(X, CodedTable):
        raise InputError(
            f"X must be a table in memory, got {type(X).__name__}: a report counts every candidate "
            "again; give a sample of the rows, and a selector fitted on it"
        )
    how = {
        name: settings[name]
        for name in ("discrete_features", "discretizer", "missing")
        if name in settings
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit has warned; the page says it too
        return encode(X, y, sample_weight=sample_weight, **how)


def is_radial(settings: Mapping[str, Any]) -> bool:
    """Whether super-efficiency decided, with free weights and at equal costs."""
    others = ("weight_ratio", "label_weights", "costs")
    judge = settings.get("judge") or "radial"
    return judge == "radial" and all(settings.get(name) is None for name in others)


def criterion_of(data: CodedData, settings: Mapping[str, Any]) -> Criterion | None:
    """Return what scored the candidates, if that was not R given the joint value of S."""
    conditioning: Any = settings.get("conditioning") or "joint"
    estimator: Any = settings.get("estimator") or "plug-in"
    if (conditioning, estimator) == ("joint", "plug-in"):
        return None
    label_score: Any = settings.get("label_score") or "one-vs-rest"
    counts = open_counts(data, None, label_score, settings.get("n_jobs"), estimator)
    return label_criterion(counts, conditioning, settings.get("min_group_size", 5))
