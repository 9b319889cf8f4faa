"""Groups of columns that are selected together or not at all.

A group with at most 256 joint values is scored by its joint value, a larger one by its best member,
the column with the largest I(F; C). A column outside all groups is a group of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, FeatureCoding, named_features
from deacs.exceptions import InputError
from deacs.information import Pairs, joint_codes

__all__ = ["Grouping", "grouped"]

MAX_JOINT_VALUES = 256
"""The largest number of joint values: they fit in a byte."""

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The columns of each unit of a grouped table; units are ordered by their first columns."""

    members: tuple[tuple[int, ...], ...]

    def columns_of(self, units: Iterable[int]) -> NDArray[np.int64]:
        """Return the columns of some units, unit by unit."""
        return np.array([j for unit in units for j in self.members[unit]], dtype=np.int64)

    def units_of(self, columns: Iterable[int]) -> list[int]:
        """Return the units of some columns, each once."""
        unit_of = {j: unit for unit, columns in enumerate(self.members) for j in columns}
        return list(dict.fromkeys(unit_of[j] for j in columns))


def grouped(data: CodedData, groups: Any) -> tuple[Grouping, CodedData]:
    """Merge the columns of each group into one.

    Parameters
    ----------
    data : CodedData
        The columns.
    groups : dict of name to columns, or list of lists of columns
        Columns by name or index; groups must not overlap.
    """
    named = _read(groups, data.feature_names)
    grouping, names = _units(named, data.feature_names)
    relevance = None
    columns, features = [], []
    for members in grouping.members:
        if len(members) > 1:
            joint = _joint(data, members)
            if joint is None:
                relevance = Pairs(data).relevance if relevance is None else relevance
                members = (members[int(np.argmax(relevance[list(members)]))],)
            else:
                columns.append(joint[0])
                features.append(joint[1])
                continue
        columns.append(data.column(members[0]))
        features.append(data.features[members[0]])
    ignores_missing = any((block.ignored >= 0).any() for block in data.blocks)
    return grouping, CodedData.from_columns(
        columns,
        features,
        data.targets,
        names,
        data.is_named,
        weights=data.weights,
        weight_scale=data.weight_scale,
        ignores_missing=ignores_missing,
    )


def _read(groups: Any, names: Sequence[str]) -> dict[str, list[int]]:
    """Read `groups` as names and column indices."""
    if isinstance(groups, Mapping):
        given = {str(name): columns for name, columns in groups.items()}
    else:
        given = {f"group {k}": columns for k, columns in enumerate(groups)}
    found: dict[str, list[int]] = {}
    taken: dict[int, str] = {}
    for name, columns in given.items():
        if isinstance(columns, str) or not isinstance(columns, Iterable):
            raise InputError(
                f"groups must be lists of columns, got {columns!r} for {name!r}; "
                "e.g. groups=[['red', 'green'], ['lag1', 'lag2']]"
            )
        found[name] = named_features(list(columns), names, "groups")
        if not found[name]:
            raise InputError(f"groups must not be empty, got no column for {name!r}")
        for j in found[name]:
            if j in taken:
                raise InputError(
                    f"groups must not share columns, got {names[j]!r} in {taken[j]!r} and {name!r}"
                )
            taken[j] = name
    return found


def _units(
    groups: Mapping[str, list[int]], names: Sequence[str]
) -> tuple[Grouping, tuple[str, ...]]:
    in_group = {j for columns in groups.values() for j in columns}
    units = [(tuple(columns), name) for name, columns in groups.items()]
    units += [((j,), name) for j, name in enumerate(names) if j not in in_group]
    units.sort(key=lambda unit: min(unit[0]))
    return Grouping(tuple(columns for columns, _ in units)), tuple(name for _, name in units)


def _joint(data: CodedData, members: Sequence[int]) -> tuple[Codes, FeatureCoding] | None:
    """Code the joint value of some columns; None if it has too many values."""
    columns: list[NDArray[Any]] = []
    missing = np.zeros(data.n_rows, dtype=bool)
    for j in members:
        missing |= data.column(j) == data.ignored(j)
        codes, n_values = joint_codes([*columns, data.column(j)], data.n_rows)
        if n_values > MAX_JOINT_VALUES:
            return None
        columns = [codes]
    first = np.unique(codes, return_index=True)[1]
    values = np.array(
        [
            ", ".join(
                f"{data.feature_names[j]}={data.features[j].describe(int(data.column(j)[row]))}"
                for j in members
            )
            for row in first
        ],
        dtype=object,
    )
    if not missing.any():
        return codes.astype(np.uint8), FeatureCoding("discrete", values, len(values))
    # A joint value with a missing member is missing as a whole.
    kept = np.unique(codes[~missing])
    recoded = np.where(missing, len(kept), np.searchsorted(kept, codes))
    coding = FeatureCoding("discrete", values[kept], len(kept) + 1, has_missing=True)
    return recoded.astype(np.uint8), coding
