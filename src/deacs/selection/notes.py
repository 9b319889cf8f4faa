"""Caveats that a careful reader of a selection should know."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodedData, CodedTable
from deacs.coding.notes import MANY, numbered_note
from deacs.counts.counts import Counts
from deacs.exceptions import Note, Parameter
from deacs.selection.blocks import Given, Joint
from deacs.selection.criteria import LabelScores
from deacs.selection.judges import Judge
from deacs.selection.leaks import leak_notes, leak_notes_elsewhere
from deacs.tables.names import listed

if TYPE_CHECKING:
    from deacs.selection.loop import Path

__all__ = ["notes_left", "notes_of", "table_notes"]

FEW_ROWS = 5
"""Rows per class, category or group below which chance alone separates classes."""

MOST_READ = 1000
"""The most values of a column that are compared as a reader would."""

MOST_NAMED = 5


def notes_of(
    path: Path,
    data: CodedTable,
    counts: Counts,
    *,
    scores: LabelScores,
    given: Given,
    judge: Judge,
    has_costs: bool,
) -> list[Note]:
    """Return the caveats of a selection by DEA-CS."""
    notes = [_nothing(path, data), _uncut(data, scores)]
    if isinstance(given, Joint):
        notes.append(_starved(path, counts))
    notes.append(_sole(path, data, judge))
    notes.append(_crowded(path, data, scores, judge, has_costs=has_costs))
    about_table = table_notes(data, path.ranking.tolist())
    if not isinstance(data, CodedData):
        about_table += leak_notes_elsewhere(path, data)
    return [*about_table, *(note for note in notes if note is not None)]


def table_notes(
    data: CodedTable,
    ranking: Sequence[int],
    most: float = math.inf,
    n_features: int | None = None,
) -> list[Note]:
    """Return the caveats of any selection from a table: of its target, columns and leaks.

    `most` is the largest I(F; C) in bits, if known. If only some columns are at hand, `n_features`
    is the number of all.
    """
    names = [data.feature_names[j] for j in ranking]
    numbered = {name for note in data.notes if note.kind == "numbered" for name in note.columns}
    explained = {
        name for note in data.notes if note.kind == "read as text" for name in note.columns
    }
    scattered = [j for j in ranking if data.feature_names[j] not in explained]
    notes = [
        _many_classes(data),
        _constant_labels(data),
        *_written_in_two_ways(data),
        *(note for note in data.notes if note.kind != "numbered"),
        numbered_note([name for name in names if name in numbered]),
        _scattered(data, scattered),
        _constant(data),
        *(leak_notes(data, most, n_features) if isinstance(data, CodedData) else ()),
    ]
    return [note for note in notes if note is not None]


def notes_left(notes: Sequence[Note], gone: Sequence[str]) -> list[Note]:
    """Return the notes of a selection that lost some features."""
    of_selected = {"scattered", "numbered"}
    return [
        note for note in notes if note.kind not in of_selected or not set(note.columns) <= set(gone)
    ]


def _many_classes(data: CodedTable) -> Note | None:
    """Question classes of few rows each; of numbers, reading the target warns."""
    n_rows, n_classes = data.n_rows, data.n_classes
    is_named = data.about.kind == "classes" and data.classes.dtype.kind in "MOTU"
    if not is_named or n_classes <= MANY or n_rows >= FEW_ROWS * n_classes:
        return None
    return Note(
        Parameter("y"),
        f" has {n_classes} classes in {n_rows:,} rows, fewer than {FEW_ROWS} rows a class; if it "
        "is a quantity, cut it into a few classes first",
        kind="many classes",
    )


def _constant_labels(data: CodedTable) -> Note | None:
    """Return a note on labels that no row or every row has."""
    if data.about.kind != "labels":
        return None
    rows, n_rows = data.class_rows, data.n_rows
    told = [
        f"{who} {listed(data.outputs[constant].tolist())}"
        for who, constant in (
            ("no row has the label", rows == 0),
            (f"all {n_rows:,} rows have the label", rows == n_rows),
        )
        if constant.any()
    ]
    if not told:
        return None
    constant = data.outputs[(rows == 0) | (rows == n_rows)].tolist()
    scores = "this label scores" if len(constant) == 1 else "these labels score"
    return Note(
        f"{' and '.join(told)}: there is nothing to tell apart, so {scores} zero",
        kind="constant labels",
        columns=[str(name) for name in constant],
    )


def _written_in_two_ways(data: CodedTable) -> list[Note]:
    """Return notes on classes and categories that differ only in case or spaces."""
    notes = []
    if twins := _twins(data.outputs):
        words = (
            f" has {data.about.nouns} that differ only in case or spaces, such as {twins}; they "
            "count as different: write them alike"
        )
        notes.append(Note(Parameter("y"), words, kind="written in two ways"))
    found = {
        name: twins
        for name, feature in zip(data.feature_names, data.features, strict=True)
        if feature.kind == "discrete"
        and 2 * feature.n_values < data.n_rows
        and (twins := _twins(feature.values))
    }
    if found:
        words = (
            f"{listed(list(found))}: values that differ only in case or spaces, such as "
            f"{next(iter(found.values()))}, count as different; write them alike"
        )
        notes.append(Note(words, kind="written in two ways", columns=list(found)))
    return notes


def _twins(values: NDArray[Any]) -> str:
    """Name the first two texts that a reader would take for one; of many values, none is read."""
    if values.dtype.kind not in "OUT" or len(values) > MOST_READ:
        return ""
    seen: dict[str, str] = {}
    for value in values.tolist():
        if isinstance(value, str):
            first = seen.setdefault(" ".join(value.casefold().split()), value)
            if first != value:
                return f"{first!r} and {value!r}"
    return ""


def _scattered(data: CodedTable, ranking: Sequence[int]) -> Note | None:
    """Return a note on selected categories of a row or two, as identifiers have."""
    found = [
        data.feature_names[j]
        for j in ranking
        if data.features[j].kind == "discrete"
        and MANY < data.features[j].n_values < data.n_rows < FEW_ROWS * data.features[j].n_values
    ]
    if not found:
        return None
    return Note(
        f"{listed(found)}: with that many values there are fewer than {FEW_ROWS} rows for each, "
        "which separates the classes by chance; join values, or "
        f"leave {'it' if len(found) == 1 else 'them'} out with ",
        Parameter("exclude", found),
        kind="scattered",
        columns=found,
    )


def _constant(data: CodedTable) -> Note | None:
    found = [
        data.feature_names[j]
        for j in np.flatnonzero(data.n_values <= 2).tolist()
        if _has_one_value(data, j)
    ]
    if not found:
        return None
    has = "has" if len(found) == 1 else "have"
    words = f"{listed(found)}: {has} one value only, or none, and so cannot be informative"
    return Note(words, kind="constant", columns=found)


def _has_one_value(data: CodedTable, j: int) -> bool:
    feature = data.features[j]
    # Intervals of equal frequency may be one where values are not.
    if feature.is_uncut or not (feature.kind == "discrete" or feature.by_classes):
        return False
    if feature.n_values < 2:
        return True
    is_hollow = isinstance(data, CodedData) and feature.has_missing and len(feature.values) == 0
    return is_hollow and bool((data.rows_here.column(j) == 1).all())


def _nothing(path: Path, data: CodedTable) -> Note | None:
    if path.steps:
        return None
    if path.stop_reason == "not significant":
        return Note("No feature is significant, so none was selected.", kind="nothing")
    return Note(
        f"No feature is informative about the {data.about.nouns} beyond chance, so none was "
        "selected.",
        kind="nothing",
    )


def _uncut(data: CodedTable, scores: LabelScores) -> Note | None:
    numbers = [feature for feature in data.features if feature.kind == "continuous"]
    uncut = data.uncut_features
    if 2 * len(uncut) < max(len(numbers), 1):
        return None
    is_one = len(uncut) == 1
    which = "it is not" if is_one else "none of them is"
    if max(data.features[j].n_values - data.features[j].has_missing for j in uncut) > 1:
        were = "it was" if is_one else "they were"
        seen = f"{were} cut into intervals with equally many rows"
    else:
        # Without ranks, the order of codes shows no more than counts do.
        has_ranks = isinstance(data, CodedData) and data.order is not None
        if scores.order and has_ranks:
            seen = f"only {'its' if is_one else 'their'} order is seen"
        else:
            seen = f"counts cannot see {'it' if is_one else 'them'}"
    columns = f"{len(uncut):,} of {len(numbers):,} columns"
    return Note(
        f"MDLP finds no cut point in {'the only column' if len(numbers) == 1 else columns} of "
        f"numbers, as {which} informative enough by itself: {seen}.",
        kind="uncut",
        columns=[data.feature_names[j] for j in uncut],
    )


def _starved(path: Path, counts: Counts) -> Note | None:
    ranking = path.ranking.tolist()
    # Groups only get smaller, so bisection finds the first step with too few rows.
    m = 1 + bisect_left(
        range(1, len(ranking) + 1),
        True,
        key=lambda m: counts.mean_group_size(ranking[:m]) < FEW_ROWS,
    )
    if m > len(ranking):
        return None
    size = counts.mean_group_size(ranking[:m])
    return Note(
        f"From feature {m} on, groups with equal values have {size:.1f} rows on average: "
        "scores from there on are largely chance; ",
        Parameter("conditioning", "blocks"),
        " keeps groups large enough.",
        kind="starved",
    )


def _sole(path: Path, data: CodedTable, judge: Judge) -> Note | None:
    # With bounded weights, inf only means that no other candidate competed.
    infinite = [k + 1 for k, step in enumerate(path.steps) if np.isinf(step.score)]
    if not judge.has_free_weights or not infinite:
        return None
    where = ", ".join(map(str, infinite[:MOST_NAMED])) + (", ..." if infinite[MOST_NAMED:] else "")
    return Note(
        f"The score of step {where} is infinite: no other candidate was informative about some "
        f"{data.about.noun} by then.",
        kind="sole",
    )


def _crowded(
    path: Path, data: CodedTable, scores: LabelScores, judge: Judge, *, has_costs: bool
) -> Note | None:
    # Two classes are one variable: super-efficiency is then a ratio of bits and ranks like the sum.
    is_pair = data.n_outputs == 1 or (data.n_outputs == 2 and data.membership is None)
    is_a_ratio = is_pair and scores.kind == "one-vs-rest" and not has_costs
    enough = 3 * (data.n_outputs + 1)
    crowded = [step.n_competitors < enough for step in path.steps]
    if not judge.has_free_weights or is_a_ratio or not any(crowded):
        return None
    return Note(
        f"From step {crowded.index(True) + 1} on fewer than {enough} candidates compete (three "
        f"for each of the {data.n_outputs} labels and the input): by DEA's rule of thumb "
        "super-efficiency then separates them weakly; ",
        Parameter("judge", "sum"),
        " is an alternative.",
        kind="crowded",
    )
