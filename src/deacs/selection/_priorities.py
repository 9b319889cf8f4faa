"""Which classes count more: bounds on the prices that DEA may give to labels."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.exceptions import InputError
from deacs.selection._judges import JUDGES, Assured, Judge, WeightedSum

__all__ = ["WeightUnit", "judge_with_priorities", "read_label_weights"]

Floats = NDArray[np.float64]
WeightUnit = Literal["bits", "share"]


def judge_with_priorities(
    judge: str,
    weight_ratio: float | None,
    label_weights: Floats | None,
) -> Judge:
    """Return the judge of that name, with bounded or weighted labels where asked.

    Parameters
    ----------
    judge : str
        A key of `JUDGES`.
    weight_ratio : float or None
        How much the prices of two labels may differ; None or inf: without bound.
    label_weights : ndarray of shape (n_labels,), or None
        What a bit of each label counts before that.
    """
    bounded = weight_ratio is not None and np.isfinite(weight_ratio)
    if weight_ratio is not None and not weight_ratio >= 1:
        raise InputError(f"weight_ratio must be at least 1, got {weight_ratio}")
    if judge == "sum":
        return JUDGES["sum"] if label_weights is None else WeightedSum(label_weights)
    if not bounded:
        if label_weights is not None:
            raise InputError(
                "label_weights needs a finite weight_ratio (or judge='sum'): DEA without bounds "
                "gives each label the price that suits a candidate best, whatever its weight"
            )
        return JUDGES[judge]
    if judge != "radial":
        raise InputError(f"weight_ratio needs judge='radial', got judge={judge!r}")
    assert weight_ratio is not None
    return Assured(float(weight_ratio), np.ones(1) if label_weights is None else label_weights)


def read_label_weights(
    label_weights: Any, classes: NDArray[Any], entropies: Floats, unit: WeightUnit
) -> Floats | None:
    """Read weights as an array in the order of the classes; shares of H(C_i) if asked.

    Parameters
    ----------
    label_weights : dict of class to weight, array-like of shape (n_classes,), or None
        Positive; classes that a dict does not name have weight 1.
    classes : ndarray of shape (n_classes,)
        The classes.
    entropies : ndarray of shape (n_classes,)
        H(C_i) in bits.
    unit : {"bits", "share"}
        Whether weights apply to bits, or to R / H(C_i).
    """
    if label_weights is None and unit == "bits":
        return None
    weights = np.ones(len(classes))
    if isinstance(label_weights, Mapping):
        known = {label: i for i, label in enumerate(classes.tolist())}
        for label, weight in label_weights.items():
            if label not in known:
                raise InputError(
                    f"label_weights must name classes, got {label!r}; the classes are "
                    + ", ".join(repr(c) for c in list(known)[:8])
                )
            weights[known[label]] = weight
    elif label_weights is not None:
        weights = np.asarray(label_weights, dtype=np.float64)
    if weights.shape != (len(classes),) or not (np.isfinite(weights) & (weights > 0)).all():
        raise InputError(
            f"label_weights must be a positive number for each of the {len(classes)} classes, "
            f"got {label_weights!r}"
        )
    return weights if unit == "bits" else weights / np.maximum(entropies, 1e-300)
