"""Copies of coded tables from elsewhere, in temporary files mapped by this process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs.coding import CodeBlock, CodedData, CodedTable
from deacs.coding.blocks import CODE_WIDTHS, narrowest
from deacs.storage import refuse_full

__all__ = ["COPIED_AT_ONCE", "copied_codes", "with_codes"]

COPIED_AT_ONCE = 1 << 27
"""About how many codes are copied at once, and at least one column."""

Integers = NDArray[np.int64]


def copied_codes(
    columns: Iterable[tuple[int, NDArray[Any]]], n_rows: int, n_values: Integers, ignored: Integers
) -> tuple[CodeBlock, ...]:
    """Copy features, which come with their codes in any order, as narrow as `encode` makes them."""
    widths = np.array([np.dtype(narrowest(n)).itemsize for n in n_values.tolist()])
    refuse_full(Path(gettempdir()), int(widths.sum()) * n_rows, "the copy of the codes")
    members = {width: np.flatnonzero(widths == width) for width in np.unique(widths).tolist()}
    files = {width: _file(len(of), n_rows, width) for width, of in members.items()}
    for feature, codes in columns:
        width = int(widths[feature])
        files[width][np.searchsorted(members[width], feature)] = codes
    return tuple(
        CodeBlock.frozen(members[width], np.asarray(codes), n_values, ignored)
        for width, codes in files.items()
    )


def with_codes(
    table: CodedTable, blocks: tuple[CodeBlock, ...], labels: NDArray[np.int32], **how: Any
) -> CodedData:
    """Return a table with codes that this process can read; `how` has other fields."""
    return CodedData(
        blocks=blocks,
        labels=labels,
        classes=table.classes,
        features=table.features,
        feature_names=table.feature_names,
        is_named=table.is_named,
        about=table.about,
        **how,
    )


def _file(n_columns: int, n_rows: int, width: int) -> NDArray[Any]:
    """Return an array in an unnamed file, which is deleted together with the array."""
    dtype = next(kind for kind in CODE_WIDTHS if np.dtype(kind).itemsize == width)
    with TemporaryFile() as file:
        return np.memmap(file, dtype, "w+", shape=(n_columns, n_rows))
