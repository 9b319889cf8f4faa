"""What the first pass found: how every column is coded, and which rows each batch has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import FeatureCoding
from deacs.coding.data import narrowest
from deacs.coding.encode import warn_of_identifiers
from deacs.coding.kinds import MAX_DISCRETE_INTEGERS, discrete_mask
from deacs.distributed.files.batches import TableFile
from deacs.distributed.files.merging import Cutter, Runs, distinct_values
from deacs.distributed.files.spill import SpilledBatch
from deacs.distributed.files.text_types import ANYTHING, TEXT, best_type
from deacs.exceptions import InputError
from deacs.kernels.threads import map_blocks
from deacs.tables import Column, Table, read_labels

if TYPE_CHECKING:
    from deacs.distributed.files.journal import Journal

__all__ = ["Plan", "joined_types", "make_plan"]

Progress = Callable[[str, float], None]

A_COLUMN = 1e9
"""Nanoseconds; a column is always worth a thread."""

EXACT_FLOATS = 2**53
SHORT_RANGE = 256


@dataclass(frozen=True)
class Plan:
    """How the table is coded."""

    names: list[str]
    kinds: list[str]
    """What each column is read as: boolean, integer, float or nominal."""
    types: list[str]
    """What the columns of text files are read as."""
    features: list[FeatureCoding]
    widths: NDArray[np.uint8]
    ignored: NDArray[np.int64]
    classes: NDArray[Any]
    batches: list[SpilledBatch]
    label_maps: list[NDArray[Any]]
    """For each batch, the final label of each of its classes."""

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return sum(batch.n_rows for batch in self.batches)

    def labels(self) -> NDArray[np.int32]:
        """Return the class of each row."""
        pairs = zip(self.label_maps, self.batches, strict=True)
        return np.concatenate([labels[batch.rows] for labels, batch in pairs]).astype(np.int32)


def joined_types(
    batches: Sequence[SpilledBatch], owners: Sequence[TableFile], names: Sequence[str]
) -> tuple[dict[str, str], list[int]]:
    """Return the types of columns of text files, and the batches that took one for another."""
    wrong: set[int] = set()
    types: dict[str, str] = {}
    for j, name in enumerate(names):
        noted = [batch.index["columns"][j] for batch in batches]
        here = [
            k
            for k, batch in enumerate(batches)
            if owners[k].is_text and noted[k]["missing"] < batch.n_rows
        ]
        fitting = _common([noted[k]["fitting"] for k in here])
        if not fitting:
            _refuse_mixed(name, here, noted, owners)
        type_ = best_type(fitting)
        misread = [k for k in here if not _holds(noted[k]["type"], type_)]
        if misread:
            types[name] = type_
            wrong.update(misread)
    return types, sorted(wrong)


def _common(fitting: Sequence[str]) -> str:
    return "".join(t for t in ANYTHING if all(t in each for each in fitting)) if fitting else ""


def _holds(noted: str, type_: str) -> bool:
    """Whether what was read as one type may stay so: integers are floats."""
    return noted == type_ or (type_ in "pc" and noted in "ipc")


def _refuse_mixed(
    name: str, here: Sequence[int], noted: Sequence[Any], owners: Sequence[TableFile]
) -> None:
    """A column is text in one file and numbers in another."""
    of_file: dict[int, list[str]] = {}
    for k in here:
        of_file.setdefault(id(owners[k]), []).append(noted[k]["fitting"])
    tables = {id(owners[k]): owners[k] for k in here}
    best = {key: best_type(_common(each)) for key, each in of_file.items()}
    kinds = {key: "text" if t == TEXT else "booleans" if t == "b" else "numbers"
             for key, t in best.items()}  # fmt: skip
    _refuse_different(name, [(str(tables[key].path), kind) for key, kind in kinds.items()])


def _refuse_different(name: str, kinds: Sequence[tuple[str, str]]) -> None:
    (first, kind), *others = kinds or [("", "")]
    for path, other in others:
        if other != kind:
            raise InputError(
                f"column {name!r} holds {kind} in {first} but {other} in {path}; all files must "
                "agree: make it text everywhere with nominal=, or leave it out with exclude="
            )


def make_plan(
    tables: Sequence[TableFile],
    batches: list[SpilledBatch],
    names: list[str],
    discrete_features: Any,
    discretizer: str | None,
    missing: str,
    memory: int,
    journal: Journal,
    n_jobs: int | None,
    tell: Progress,
) -> Plan:
    """Decide kinds, number categories and classes, find cut points."""
    classes, label_maps = _classes(batches)
    n_rows = sum(batch.n_rows for batch in batches)
    indexes = [batch.index["columns"] for batch in batches]
    kinds = [_kind(name, [i[j] for i in indexes], batches) for j, name in enumerate(names)]
    n_missing = [sum(index[j]["missing"] for index in indexes) for j in range(len(names))]
    if missing == "error":
        _refuse_missing(names, n_missing)
    runs = [
        Runs(batches, j, kind == "float", label_maps, len(classes)) if kind != "nominal" else None
        for j, kind in enumerate(kinds)
    ]
    discrete = _discrete(names, kinds, runs, discrete_features, memory)
    cutter = Cutter(discretizer or "mdlp", classes, n_rows, memory, journal.work)
    features: list[Any] = [None] * len(names)
    n_done = 0

    def work(part: slice) -> None:
        nonlocal n_done
        for j in range(part.start, part.stop):
            run = runs[j]
            if run is None:
                features[j] = _by_category([index[j] for index in indexes], n_missing[j])
            elif discrete[j] or discretizer is None:
                dtypes = [i[j]["dtype"] for i in indexes if "dtype" in i[j]]
                features[j] = _by_number(run, kinds[j], dtypes, n_missing[j], n_rows, memory)
            else:
                if j not in journal.cuts:
                    journal.note_cuts(j, cutter.cut_points(run, n_missing[j]))
                cut = _coding("continuous", journal.cuts[j], n_missing[j], 1)
                features[j] = replace(cut, by_classes=discretizer == "mdlp")
            n_done += 1
            tell(f"cutting {names[j]}", n_done / len(names))

    map_blocks(work, len(names), n_jobs, A_COLUMN)
    warn_of_identifiers(names, features, n_rows)
    n_values = [feature.n_values for feature in features]
    ignores = [missing == "ignore" and feature.has_missing for feature in features]
    return Plan(
        names=names,
        kinds=kinds,
        types=[_text_type([i[j] for i in indexes]) for j in range(len(names))],
        features=features,
        widths=np.array([np.dtype(narrowest(n)).itemsize for n in n_values], dtype=np.uint8),
        ignored=np.array([n - 1 if i else -1 for n, i in zip(n_values, ignores, strict=True)]),
        classes=classes,
        batches=batches,
        label_maps=label_maps,
    )


def _classes(batches: Sequence[SpilledBatch]) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    found = [batch.classes for batch in batches if batch.n_rows > 0]
    if not found:
        raise InputError("the files have a header but no rows")
    every = np.concatenate(found)
    labels = read_labels(every, len(every))
    width: Any = np.uint8 if len(labels.classes) <= 256 else np.int32
    maps, begin = [], 0
    for batch in batches:
        n = len(batch.index["classes"])
        maps.append(labels.codes[begin : begin + n].astype(width))
        begin += n
    return labels.classes, maps


def _kind(name: str, noted: Sequence[Any], batches: Sequence[SpilledBatch]) -> str:
    told = [k for k, batch in enumerate(batches) if noted[k]["missing"] < batch.n_rows]
    told = told or [k for k, batch in enumerate(batches) if batch.n_rows > 0]
    kinds = {noted[k]["kind"]: k for k in reversed(told)}
    if set(kinds) == {"integer", "float"}:
        return "float"
    if len(kinds) > 1:
        where = [(f"batch {k + 1}", kind) for kind, k in kinds.items()]
        _refuse_different(name, where)
    return str(next(iter(kinds)))


def _text_type(noted: Sequence[Any]) -> str:
    types = {n["type"] for n in noted if n["type"] not in (None, TEXT)}
    fitting = _common([n["fitting"] for n in noted if n["type"] not in (None, TEXT)])
    return best_type(fitting) if types else TEXT


def _refuse_missing(names: Sequence[str], n_missing: Sequence[int]) -> None:
    for name, n in zip(names, n_missing, strict=True):
        if n:
            raise InputError(
                f"the files must not have missing values with missing='error', but column "
                f"{name!r} has {n}; fill them, or use missing='category' or missing='ignore'"
            )


def _discrete(
    names: Sequence[str],
    kinds: Sequence[str],
    runs: Sequence[Runs | None],
    discrete_features: Any,
    memory: int,
) -> list[bool]:
    if isinstance(discrete_features, str) and discrete_features == "auto":
        return [
            kind != "float"
            and not (run is not None and kind == "integer" and _is_long(run, memory))
            for kind, run in zip(kinds, runs, strict=True)
        ]
    columns = [Column(n, k, np.empty(0)) for n, k in zip(names, kinds, strict=True)]  # type: ignore[arg-type]
    mask: list[bool] = discrete_mask(Table(tuple(columns), 0), discrete_features).tolist()
    return mask


def _is_long(run: Runs, memory: int) -> bool:
    """Whether a column of integers has more values than a discrete one; most show it at once."""
    first = run.read(0).values if run.lengths else np.empty(0)
    if len(np.unique(first)) > MAX_DISCRETE_INTEGERS:
        return True
    return len(distinct_values(run, memory // 80)) > MAX_DISCRETE_INTEGERS


def _by_category(noted: Sequence[Any], n_missing: int) -> FeatureCoding:
    found = {value for each in noted for value in each.get("values", ())}
    declared = [each["declared"] for each in noted if each.get("values")]
    is_ordered = bool(declared) and all(d is not None and d == declared[0] for d in declared)
    ordered = [value for value in declared[0] if value in found] if is_ordered else sorted(found)
    values = np.empty(len(ordered), dtype=object)
    values[:] = ordered
    return _coding("discrete", values, n_missing)


def _by_number(
    run: Runs, kind: str, dtypes: Sequence[str], n_missing: int, n_rows: int, memory: int
) -> FeatureCoding:
    values = distinct_values(run, memory // 80)
    if kind == "float":
        return _coding("discrete", values.astype(np.result_type(*dtypes)), n_missing)
    if kind == "boolean":
        return _coding("discrete", values if len(values) else values.astype(np.uint8), n_missing)
    # As deacs.encode: a short range is looked up and becomes int64; so are integers with gaps.
    low, high = (int(values[0]), int(values[-1])) if len(values) else (0, 0)
    is_short = high - low < max(SHORT_RANGE, n_rows - n_missing)
    holed = n_missing > 0 and max(abs(low), abs(high)) < EXACT_FLOATS
    kept = values if is_short or holed else values.astype(np.result_type(*dtypes))
    return _coding("discrete", kept, n_missing)


def _coding(kind: Any, values: NDArray[Any], n_missing: int, more: int = 0) -> FeatureCoding:
    n_values = len(values) + more + (n_missing > 0)
    return FeatureCoding(kind, values, n_values, n_missing > 0)
