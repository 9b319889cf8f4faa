"""The fit once more, from its settings: how the table was coded, and what scored candidates."""

import warnings
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from deacs.coding import CodedData, CodedTable, encode
from deacs.exceptions import InputError
from deacs.selection import Radial, Setting, label_criterion
from deacs.selection._criteria import Criterion
from deacs.selection._judges import read_judge

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
        return encode(X, y, sample_weight=sample_weight, order="conditioning" in settings, **how)


def is_radial(settings: Mapping[str, Any]) -> bool:
    """Whether super-efficiency decided, with free weights and at equal costs."""
    judge = read_judge(settings.get("judge") or "radial")
    is_free = isinstance(judge, Radial) and judge.weight_ratio is None
    return is_free and settings.get("costs") is None


def criterion_of(data: CodedData, settings: Mapping[str, Any]) -> Criterion | None:
    """Return what scored the candidates, if that was not R given the joint value of S."""
    if "conditioning" not in settings:
        return None
    names = {field.name for field in fields(Setting)}
    setting = Setting(**{name: value for name, value in settings.items() if name in names})
    return label_criterion(data, setting, n_jobs=settings.get("n_jobs"))
