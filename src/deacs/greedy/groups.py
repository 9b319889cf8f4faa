"""Groups of columns that are selected together or not at all.

A group with at most 256 joint values is scored by its joint value, a larger one by its best member,
the column with the largest I(F; C). A column outside all groups is a group of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, FeatureCoding, named_features
from deacs.coding.blocks import frozen, stack_blocks
from deacs.exceptions import InputError
from deacs.information import Pairs, joint_codes

__all__ = ["Grouping", "grouped"]

MAX_JOINT_VALUES = 256
"""The largest number of joint values: they fit in a byte."""

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, slots=True)
class Grouping:
    """The columns and the name of each unit of a grouped table, ordered by first columns."""

    members: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]

    def columns_of(self, units: Iterable[int]) -> NDArray[np.int64]:
        """Return the columns of some units, unit by unit."""
        return np.array([j for unit in units for j in self.members[unit]], dtype=np.int64)

    def units_of(self, columns: Iterable[int]) -> list[int]:
        """Return the units of some columns, each once."""
        unit_of = {j: unit for unit, columns in enumerate(self.members) for j in columns}
        return list(dict.fromkeys(unit_of[j] for j in columns))


def grouped(data: CodedData, groups: Any, engine: Any = None) -> tuple[Grouping, CodedData]:
    """Merge the columns of each group into one.

    Parameters
    ----------
    data : CodedData
        The columns.
    groups : dict of name to columns, or list of lists of columns
        Columns by name or index; groups must not overlap.
    engine : Engine, optional
        The engine that counts the result if columns are mapped from files: ungrouped columns then
        stay there, and only joint values are in memory.
    """
    grouping = _units(_read(groups, data.feature_names), data.feature_names)
    relevance = None
    columns: list[Codes] = []
    features: list[FeatureCoding] = []
    unit_of = np.full(data.n_features, -1)  # of columns that stay as they are
    for members in grouping.members:
        joint = _joint(data, members) if len(members) > 1 else None
        if joint is not None:
            columns.append(joint[0])
            features.append(joint[1])
            continue
        if len(members) > 1:
            relevance = Pairs(data).relevance if relevance is None else relevance
            members = (members[int(np.argmax(relevance[list(members)]))],)
        unit_of[members[0]] = len(columns)
        columns.append(data.column(members[0]))
        features.append(data.features[members[0]])
    ignores_missing = any((block.ignored >= 0).any() for block in data.blocks)
    n_values = [feature.n_values for feature in features]
    ignored = [f.n_values - 1 if ignores_missing and f.has_missing else -1 for f in features]
    if engine is None:
        blocks = stack_blocks(columns, n_values, ignored)
    else:
        blocks = _where_they_are(data, unit_of) + _joint_block(columns, unit_of, n_values, ignored)
    return grouping, replace(
        data,
        blocks=blocks,
        features=tuple(features),
        feature_names=grouping.names,
        recoder=None,
        transformed=None,
        order=None,
        engine=engine,
        check_codes=False,
    )


def _where_they_are(data: CodedData, unit_of: NDArray[np.int64]) -> tuple[CodeBlock, ...]:
    """Return ungrouped columns, renumbered but not copied: a block for each contiguous run."""
    blocks = []
    for block in data.blocks:
        kept = np.flatnonzero(unit_of[block.features] >= 0)
        units = unit_of[block.features[kept]]
        ends = np.flatnonzero((np.diff(kept) != 1) | (np.diff(units) < 1)) + 1
        for run in np.split(kept, ends) if len(kept) else ():
            here = slice(int(run[0]), int(run[-1]) + 1)
            made = frozen(unit_of[block.features[here]]), block.codes[here]
            blocks.append(CodeBlock(*made, block.n_values[here], block.ignored[here]))
    return tuple(blocks)


def _joint_block(
    columns: list[Codes], unit_of: NDArray[np.int64], n_values: list[int], ignored: list[int]
) -> tuple[CodeBlock, ...]:
    """Return the joint values, one byte each."""
    units = np.setdiff1d(np.arange(len(columns)), unit_of)
    if len(units) == 0:
        return ()
    codes = np.stack([columns[unit] for unit in units.tolist()])
    return (CodeBlock.frozen(units, codes, np.array(n_values), np.array(ignored)),)


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


def _units(groups: Mapping[str, list[int]], names: Sequence[str]) -> Grouping:
    in_group = {j for columns in groups.values() for j in columns}
    units = [(tuple(columns), name) for name, columns in groups.items()]
    units += [((j,), name) for j, name in enumerate(names) if j not in in_group]
    units.sort(key=lambda unit: min(unit[0]))
    return Grouping(tuple(columns for columns, _ in units), tuple(name for _, name in units))


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
