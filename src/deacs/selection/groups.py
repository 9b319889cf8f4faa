"""Groups of columns that are selected together or not at all.

A group with at most 256 joint values is scored by its joint value, a larger one by its best member,
the column with the largest I(F; C). A column outside all groups is a group of its own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable, FeatureCoding, named_features
from deacs.coding.blocks import narrowest, stack_blocks
from deacs.coding.data import uncounted_codes
from deacs.coding.order import OrderView, order_of_coded
from deacs.counts import joint_codes
from deacs.counts.counts import open_counts
from deacs.exceptions import InputError, Parameter, shown

__all__ = ["Grouping", "grouped", "joint_of"]

MAX_JOINT_VALUES = 256
"""The largest number of joint values: they fit in a byte."""

Codes = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
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


class Joint(NamedTuple):
    """The joint values of some columns."""

    values: NDArray[np.int64]
    """The codes of the columns in each joint value that occurs, (n_values, n_columns), sorted by
    the first column, then the second, ..."""
    rows: Codes
    """The joint value of each row."""


class Unit(NamedTuple):
    """A column of the merged table."""

    name: str
    members: tuple[int, ...]
    """Its columns; a single one is kept as it is."""
    feature: FeatureCoding
    joint: Joint | None = None
    codes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    """The code of each joint value."""

    def column(self, rows: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
        """Return the code of each row, given its joint value, or its code in a single column."""
        if len(self.members) == 1:
            return rows
        codes: NDArray[np.unsignedinteger[Any]]
        codes = self.codes.astype(narrowest(self.feature.n_values))[rows]
        return codes


def grouped(table: CodedTable, groups: Any) -> tuple[Grouping, CodedData]:
    """Merge the columns of each group into one.

    `groups` is a dict of name to columns, or a list of lists of columns, by name or index.
    """
    data = table.rows_here
    grouping = _units(_read(groups, table.feature_names), table.feature_names)
    relevance = None
    units = []
    for name, members in zip(grouping.names, grouping.members, strict=True):
        joint = None
        if len(members) > 1:
            joint = joint_of([data.column(j) for j in members], MAX_JOINT_VALUES)
        if joint is not None:
            units.append(_unit_of(data, name, members, joint))
            continue
        best = members[0]
        if len(members) > 1:
            if relevance is None:
                relevance = open_counts(data).relevance()
            best = members[int(np.argmax(relevance[list(members)]))]
        units.append(Unit(name, (best,), table.features[best]))
    return grouping, _merged(data, units)


def _unit_of(table: CodedData, name: str, members: Sequence[int], joint: Joint) -> Unit:
    """Describe joint values; one with a missing member that does not count is missing itself."""
    features = [table.features[j] for j in members]
    named = [(table.feature_names[j], table.features[j]) for j in members]
    described = [
        [f"{of}={f.describe(code)}" for (of, f), code in zip(named, row, strict=True)]
        for row in joint.values.tolist()
    ]
    values = np.array([", ".join(parts) for parts in described], dtype=object)
    missing = (joint.values == uncounted_codes(features, table.ignores_missing)).any(axis=1)
    present = np.flatnonzero(~missing)
    codes = np.where(missing, len(present), np.cumsum(~missing) - 1)
    has_missing = bool(missing.any())
    feature = FeatureCoding("discrete", values[present], len(present) + has_missing, has_missing)
    return Unit(name, tuple(members), feature, joint, codes)


def _merged(data: CodedData, units: Sequence[Unit]) -> CodedData:
    """Return the table of these units."""
    columns = [
        unit.column(data.column(unit.members[0]) if unit.joint is None else unit.joint.rows)
        for unit in units
    ]
    features = [unit.feature for unit in units]
    n_values = [feature.n_values for feature in features]
    ignored = uncounted_codes(features, data.ignores_missing)
    merged = replace(
        data,
        blocks=stack_blocks(columns, n_values, ignored),
        features=tuple(features),
        feature_names=tuple(unit.name for unit in units),
        recoder=None,
        transformed=None,
        order=None,
        check_codes=False,
    )
    if data.order is None:
        return merged
    return replace(merged, order=_order_of(units, merged, data.order), check_codes=False)


def _order_of(units: Sequence[Unit], merged: CodedData, view: OrderView) -> OrderView:
    """Return the order of units: single columns keep theirs, joint values have that of codes."""
    scores_of = dict(zip(view.features.tolist(), view.scores, strict=True))
    known = {
        u: scores_of.get(unit.members[0]) for u, unit in enumerate(units) if unit.joint is None
    }
    return order_of_coded(merged, known)


def joint_of(columns: Sequence[Codes], at_most: int) -> Joint | None:
    """Return the joint value of some columns of all rows; None if more values than this occur."""
    merged: list[NDArray[Any]] = []
    for column in columns:
        codes, n_values = joint_codes([*merged, column], len(column))
        if n_values > at_most:
            return None
        merged = [codes]
    first = np.unique(codes, return_index=True)[1]
    values = np.column_stack([column[first] for column in columns]).astype(np.int64)
    return Joint(values, codes.astype(narrowest(n_values)))


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
                Parameter("groups"),
                f" must be lists of columns, got {shown(columns)} for {name!r}; "
                "e.g. groups=[['red', 'green'], ['lag1', 'lag2']]",
            )
        found[name] = named_features(list(columns), names, "groups")
        if not found[name]:
            raise InputError(Parameter("groups"), f" must not be empty, got no column for {name!r}")
        for j in found[name]:
            if j in taken:
                raise InputError(
                    Parameter("groups"),
                    f" must not share columns, got {names[j]!r} in {taken[j]!r} and {name!r}",
                )
            taken[j] = name
    for j, name in enumerate(names):
        if name in found and j not in taken:
            raise InputError(
                Parameter("groups"),
                f" must have names of their own, got {name!r}, which is a column outside of all "
                "groups; rename the group, or put the column into one",
            )
    return found


def _units(groups: Mapping[str, list[int]], names: Sequence[str]) -> Grouping:
    in_group = {j for columns in groups.values() for j in columns}
    units = [(tuple(columns), name) for name, columns in groups.items()]
    units += [((j,), name) for j, name in enumerate(names) if j not in in_group]
    units.sort(key=lambda unit: min(unit[0]))
    return Grouping(tuple(columns for columns, _ in units), tuple(name for _, name in units))
