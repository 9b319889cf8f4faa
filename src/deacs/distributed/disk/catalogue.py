"""The catalogue of a store: classes, names and codings of its columns, in one `.npz`.

The values of all columns are concatenated, one array for each type; Python objects are JSON. So
even a million columns take about twenty arrays.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from deacs.coding import FeatureCoding
from deacs.distributed.disk.arrays import arrays_in
from deacs.exceptions import InputError
from deacs.tables import TARGETS, Target

__all__ = ["Catalogue"]

PLAIN = (str, int, float, bool, type(None))
"""Types that a round trip through JSON preserves."""

COLUMNS = {
    "widths": "u1",
    "ignored": "i8",
    "checks": "u4",
    "continuous": "?",
    "n_values": "i8",
    "has_missing": "?",
    "by_classes": "?",
    "is_uncut": "?",
}
"""Arrays with an entry for each feature, and their types."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The classes, and the name, coding and ignored code (or -1) of every feature."""

    classes: NDArray[Any]
    features: tuple[FeatureCoding, ...]
    feature_names: tuple[str, ...]
    is_named: bool
    widths: NDArray[np.uint8]
    """Bytes per code of each feature."""
    ignored: NDArray[np.int64]
    checks: NDArray[np.uint32]
    """CRC-32 of the codes of each feature."""
    about: Target | None = None
    """The target of label scores; None: the classes."""
    weight_scale: float = 1.0
    """The integer weight that stands for 1.0 in the caller's weights."""

    def save(self, path: Path) -> None:
        """Write to a file that must not exist."""
        arrays = {
            "names": _to_text(list(self.feature_names)),
            "is_named": np.array(self.is_named),
            "widths": self.widths,
            "ignored": self.ignored,
            "checks": self.checks,
            "continuous": np.array([f.kind == "continuous" for f in self.features]),
            "n_values": np.array([f.n_values for f in self.features], dtype=np.int64),
            "has_missing": np.array([f.has_missing for f in self.features]),
            "by_classes": np.array([f.by_classes for f in self.features]),
            "is_uncut": np.array([f.is_uncut for f in self.features]),
            "weight_scale": np.array(self.weight_scale),
            **_pack("classes", [self.classes], ["the classes"]),
            **_of_target(self.about),
            **_pack("values", [f.values for f in self.features], self.feature_names),
        }
        with path.open("xb") as file:
            np.savez(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, raw: bytes, n_features: int, n_classes: int) -> Catalogue:
        """Read what `save` wrote; anything else raises an exception of any kind."""
        arrays = arrays_in(raw)
        each = {name: _column(arrays[name], kind, n_features) for name, kind in COLUMNS.items()}
        names = _from_text(arrays["names"])
        if len(names) != n_features or not all(type(name) is str for name in names):
            raise InputError(f"there are not {n_features} names")
        [classes] = _unpack("classes", arrays, 1)
        if len(classes) != n_classes:
            raise InputError(f"there are {len(classes)} classes instead of {n_classes}")
        return cls(
            classes=classes,
            features=_codings(each, _unpack("values", arrays, n_features)),
            feature_names=tuple(names),
            is_named=bool(arrays["is_named"].item()),
            widths=each["widths"],
            ignored=each["ignored"],
            checks=each["checks"],
            weight_scale=_scale(arrays["weight_scale"]),
            about=_target(arrays, n_classes),
        )


def _of_target(about: Target | None) -> dict[str, NDArray[Any]]:
    """Return the arrays that describe a target other than classes, which need none."""
    if about is None or about.kind == "classes":
        return {}
    named = {"about_kind": _to_text([about.kind]), **_pack("about", [about.names], ["the labels"])}
    return named if about.membership is None else named | {"membership": about.membership}


def _target(arrays: Mapping[str, NDArray[Any]], n_classes: int) -> Target | None:
    if "about_kind" not in arrays:
        return None
    [kind] = _from_text(arrays["about_kind"])
    [names] = _unpack("about", arrays, 1)
    membership = arrays.get("membership")
    if kind not in TARGETS[1:]:
        raise InputError(f"the target is of the kind {kind!r}")
    if membership is None:
        fits = len(names) == n_classes
    else:
        fits = membership.dtype == bool and membership.shape == (n_classes, len(names))
    if not fits:
        raise InputError(f"{len(names)} outputs do not fit {n_classes} classes")
    return Target(kind, names, membership)


def _column(array: NDArray[Any], kind: str, n_features: int) -> NDArray[Any]:
    if array.dtype != np.dtype(kind) or array.shape != (n_features,):
        raise InputError(f"{array.dtype} of shape {array.shape} does not describe the features")
    return array


def _scale(array: NDArray[Any]) -> float:
    """Return the scale of weights, after checking that it is a power of two."""
    scale = array.item()
    if type(scale) is not float or not 0 < scale < math.inf or math.frexp(scale)[0] != 0.5:
        raise InputError(f"weights have the scale {scale}")
    return scale


def _codings(
    each: dict[str, NDArray[Any]], values: list[NDArray[Any]]
) -> tuple[FeatureCoding, ...]:
    """Return the coding of each feature: a value, an interval or "missing" for every code."""
    features = []
    facts = ("continuous", "n_values", "has_missing", "by_classes", "is_uncut")
    rows = zip(*(each[name].tolist() for name in facts), values, strict=True)
    for is_cut, n_values, has_missing, by_classes, is_uncut, known in rows:
        if n_values != len(known) + is_cut + has_missing:
            raise InputError(f"a feature of {n_values} values describes {len(known)} of them")
        # Cut points are Python integers where floats cannot separate large integers.
        if is_cut and known.dtype.kind != "f" and any(type(cut) is not int for cut in known):
            raise InputError(f"cut points are {known.dtype}")
        kind: Literal["discrete", "continuous"] = "continuous" if is_cut else "discrete"
        features.append(FeatureCoding(kind, known, n_values, has_missing, by_classes, is_uncut))
    return tuple(features)


def _to_text(values: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def _from_text(array: NDArray[Any]) -> list[Any]:
    found = json.loads(array.tobytes())
    if not isinstance(found, list):
        raise InputError("text is not a list")
    return found


def _pack(
    key: str, arrays: Sequence[NDArray[Any]], owners: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Concatenate arrays by type."""
    kinds: dict[str, list[NDArray[Any]]] = {}
    of = np.empty(len(arrays), dtype=np.int32)
    for k, (array, owner) in enumerate(zip(arrays, owners, strict=True)):
        if array.dtype == object and not all(type(value) in PLAIN for value in array.tolist()):
            strange = next(value for value in array.tolist() if type(value) not in PLAIN)
            raise InputError(
                f"{owner!r} has the value {strange!r} of type {type(strange).__name__}, which a "
                "store does not hold; a store takes text, numbers and booleans: convert the column"
            )
        kinds.setdefault(array.dtype.str, []).append(array)
        of[k] = list(kinds).index(array.dtype.str)
    packed: dict[str, NDArray[Any]] = {
        f"{key}_types": _to_text(list(kinds)),
        f"{key}_type": of,
        f"{key}_length": np.array([len(array) for array in arrays], dtype=np.int64),
    }
    for k, (kind, members) in enumerate(kinds.items()):
        if kind == np.dtype(object).str:
            packed[f"{key}_{k}"] = _to_text([value for array in members for value in array])
        else:
            packed[f"{key}_{k}"] = np.concatenate(members)
    return packed


def _unpack(key: str, packed: Mapping[str, NDArray[Any]], n_arrays: int) -> list[NDArray[Any]]:
    """Split the arrays that `_pack` concatenated."""
    wholes = [
        _values(packed[f"{key}_{k}"], np.dtype(kind))
        for k, kind in enumerate(_from_text(packed[f"{key}_types"]))
    ]
    types = _column(packed[f"{key}_type"], "i4", n_arrays).tolist()
    lengths = _column(packed[f"{key}_length"], "i8", n_arrays).tolist()
    begins = [0] * len(wholes)
    arrays = []
    for of, length in zip(types, lengths, strict=True):
        if of < 0 or length < 0:
            raise InputError(f"an array has {length} values of type {of}")
        arrays.append(wholes[of][begins[of] : begins[of] + length])
        begins[of] += length
    if begins != [len(whole) for whole in wholes]:
        raise InputError("the lengths of its arrays do not add up")
    return arrays


def _values(stored: NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the values of one type; Python objects are stored as JSON."""
    if not kind.hasobject:
        if stored.dtype != kind or stored.ndim != 1:
            raise InputError(f"it has {stored.dtype} of shape {stored.shape} for {kind}")
        return stored
    values = _from_text(stored)
    if not all(type(value) in PLAIN for value in values):
        raise InputError("a value is neither text nor a number")
    whole = np.empty(len(values), dtype=object)
    whole[:] = values
    return whole
