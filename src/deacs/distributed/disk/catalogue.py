"""What a store knows of its columns, beside their codes: one `.npz` without pickles.

Values of all columns lie one after another, one array for each type of values; text and other
Python values are JSON. So a million columns are a dozen arrays.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import FeatureCoding
from deacs.exceptions import InputError

__all__ = ["Catalogue"]

PLAIN = (str, int, float, bool, type(None))
"""What JSON gives back as it was."""


@dataclass(frozen=True, eq=False)
class Catalogue:
    """The classes, and of every feature its name, its coding and the code it ignores (or -1)."""

    classes: NDArray[Any]
    features: tuple[FeatureCoding, ...]
    feature_names: tuple[str, ...]
    is_named: bool
    widths: NDArray[np.uint8]
    """The bytes of a code of each feature."""
    ignored: NDArray[np.int64]
    checks: NDArray[np.uint32]
    """CRC-32 of the codes of each feature."""

    def save(self, path: Path) -> None:
        """Write to a file that must not be there."""
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
            **_pack("classes", [self.classes], ["the classes"]),
            **_pack("values", [f.values for f in self.features], self.feature_names),
        }
        with path.open("xb") as file:
            np.savez(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> Catalogue:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as arrays:
            columns = zip(
                arrays["continuous"].tolist(),
                _unpack("values", arrays),
                arrays["n_values"].tolist(),
                arrays["has_missing"].tolist(),
                arrays["by_classes"].tolist(),
                strict=True,
            )
            return cls(
                classes=_unpack("classes", arrays)[0],
                features=tuple(
                    FeatureCoding("continuous" if is_cut else "discrete", *coding)
                    for is_cut, *coding in columns
                ),
                feature_names=tuple(_from_text(arrays["names"])),
                is_named=bool(arrays["is_named"]),
                widths=arrays["widths"],
                ignored=arrays["ignored"],
                checks=arrays["checks"],
            )


def _to_text(values: Any) -> NDArray[np.uint8]:
    return np.frombuffer(json.dumps(values).encode(), dtype=np.uint8)


def _from_text(array: NDArray[np.uint8]) -> Any:
    return json.loads(array.tobytes())


def _pack(
    key: str, arrays: Sequence[NDArray[Any]], owners: Sequence[str]
) -> dict[str, NDArray[Any]]:
    """Put arrays one after another, those of one type together."""
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


def _unpack(key: str, packed: Any) -> list[NDArray[Any]]:
    wholes = []
    for k, kind in enumerate(_from_text(packed[f"{key}_types"])):
        whole = packed[f"{key}_{k}"]
        if kind == np.dtype(object).str:
            values = _from_text(whole)
            whole = np.empty(len(values), dtype=object)
            whole[:] = values
        wholes.append(whole.astype(kind, copy=False))
    begins = [0] * len(wholes)
    arrays = []
    lengths = packed[f"{key}_length"].tolist()
    for of, length in zip(packed[f"{key}_type"].tolist(), lengths, strict=True):
        arrays.append(wholes[of][begins[of] : begins[of] + length])
        begins[of] += length
    return arrays
