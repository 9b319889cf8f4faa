"""The second pass over files: every batch to codes, each column's at its place in the store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from time import monotonic
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from deacs.coding import FeatureCoding
from deacs.discretize.intervals import bins
from deacs.distributed.disk.layout import CODES, code_type
from deacs.distributed.files.batches import Batch, TableFile
from deacs.distributed.files.journal import Journal
from deacs.distributed.files.learning import number_column, typed
from deacs.distributed.files.plan import Plan
from deacs.kernels.threads import map_blocks

__all__ = ["code_batches"]

NS_CODE = 50.0
"""About what a field costs to code, for sharing work among threads."""

SECONDS_A_NOTE = 5.0
"""How often codes are brought to the disk; a run that is killed loses no more than that."""


def code_batches(
    batches: Iterable[tuple[int, TableFile, Batch]],
    plan: Plan,
    journal: Journal,
    n_jobs: int | None,
    tell: Callable[[str, float], None],
) -> None:
    """Write the codes of all batches that are not coded yet."""
    n_rows = plan.n_rows
    with ExitStack() as stack:
        files: dict[int, Any] = {}
        places = np.empty(len(plan.names), dtype=np.int64)
        for width in np.unique(plan.widths).tolist():
            path = journal.store / CODES[width]
            path.touch()
            files[width] = stack.enter_context(path.open("r+b"))
            members = np.flatnonzero(plan.widths == width)
            places[members] = np.arange(len(members))
            files[width].truncate(len(members) * n_rows * width)
        first_row, noted = 0, monotonic()
        for number, table, batch in batches:
            begin, first_row = first_row, first_row + plan.batches[number].n_rows
            if number >= journal.n_coded and first_row > begin:
                frame = batch.read()

                def work(part: slice, frame: pl.DataFrame = frame, table: TableFile = table,
                         begin: int = begin) -> None:  # fmt: skip
                    for j in range(part.start, part.stop):
                        width = int(plan.widths[j])
                        codes = _codes(table, frame, plan, j).astype(code_type(width))
                        offset = (int(places[j]) * n_rows + begin) * width
                        os.pwrite(files[width].fileno(), codes.data, offset)

                map_blocks(work, len(plan.names), n_jobs, NS_CODE * frame.height)
                if monotonic() - noted > SECONDS_A_NOTE:
                    for file in files.values():
                        os.fsync(file.fileno())
                    journal.note_coded(number + 1)
                    noted = monotonic()
            tell(f"coding {table.path.name}", first_row / n_rows)


def _codes(table: TableFile, frame: pl.DataFrame, plan: Plan, j: int) -> NDArray[Any]:
    """Code one column of a batch."""
    series = typed(frame[plan.names[j]], plan.types[j] if table.is_text else None)
    feature, kind = plan.features[j], plan.kinds[j]
    if kind == "nominal":
        return _by_category(series, feature)
    if series.null_count() == len(series):
        return np.full(len(series), feature.n_values - 1)
    if kind == "float" and series.dtype.is_integer():
        series = series.cast(pl.Float64)
    column = number_column(series, kind)
    values, missing = column.values, column.missing
    present = values if missing is None else values[~missing]
    codes = (
        bins(present, feature.values)
        if feature.kind == "continuous"
        else np.searchsorted(feature.values, present.astype(feature.values.dtype))
    )
    if missing is None:
        return codes
    whole = np.full(len(values), feature.n_values - 1)
    whole[~missing] = codes
    return whole


def _by_category(series: pl.Series, feature: FeatureCoding) -> NDArray[Any]:
    values = feature.values.tolist()
    if not values or series.null_count() == len(series):
        return np.full(len(series), feature.n_values - 1)
    text = series.cast(pl.String)
    codes = text.replace_strict(values, range(len(values)), default=None, return_dtype=pl.UInt32)
    return codes.fill_null(feature.n_values - 1).to_numpy()
