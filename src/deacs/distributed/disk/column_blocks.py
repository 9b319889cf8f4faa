"""Columns of a coded table in parts, or some of their rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deacs._kernels.threads import map_blocks
from deacs.coding import CodeBlock, CodedData
from deacs.information.counting import members_of

__all__ = ["ColumnPart", "column_parts", "rows_of"]

Integers = NDArray[np.int64]

NS_TAKE = 2.0
"""Approximate cost of copying a code from a random row, for dividing work among threads."""


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """Some of the requested features."""

    block: CodeBlock
    """Their codes and perhaps those of a few others, numbered from 0."""
    features: Integers
    """The features of the table that are in the block."""
    members: Integers
    """The places of the requested features in the block."""
    places: Integers
    """Their places among all requested features."""


def column_parts(
    data: CodedData,
    features: Integers,
    n_columns: int,
    n_bytes: int,
    check: Callable[[Integers], object],
) -> Iterator[ColumnPart]:
    """Yield the requested features, in the order in which the table stores them.

    A part has at most `n_columns` of them, and at most `n_bytes` of their codes (but at least one
    column). Columns that are close together are not copied; those in between come along. `check`
    gets the features of a part before their codes are read.
    """
    for block in data.blocks:
        members, places = members_of(block, features)
        order = np.argsort(members, kind="stable")
        members, places = members[order], places[order]
        at_once = min(n_columns, max(n_bytes // (block.codes.itemsize * data.n_rows), 1))
        for begin in range(0, len(members), at_once):
            chosen = members[begin : begin + at_once]
            first, last = int(chosen[0]), int(chosen[-1]) + 1
            is_close = last - first <= len(chosen) * 5 // 4
            here: Any = slice(first, last) if is_close else chosen
            check(block.features[here])
            codes = block.codes[here]
            yield ColumnPart(
                _frozen(block, here, np.arange(len(codes)), codes),
                block.features[here],
                chosen - first if is_close else np.arange(len(chosen)),
                places[begin : begin + at_once],
            )


def rows_of(
    blocks: tuple[CodeBlock, ...],
    features: Integers,
    rows: NDArray[np.int32],
    n_jobs: int | None = None,
) -> tuple[CodeBlock, ...]:
    """Copy some rows of some features."""
    taken = []
    for block in blocks:
        members = np.sort(members_of(block, features)[0])
        if len(members):
            codes = np.empty((len(members), len(rows)), dtype=block.codes.dtype)

            def work(
                part: slice, block: CodeBlock = block, members: Integers = members, out: Any = codes
            ) -> None:
                for k in range(part.start, part.stop):
                    np.take(block.codes[members[k]], rows, out=out[k])

            map_blocks(work, len(members), n_jobs, NS_TAKE * len(rows))
            taken.append(_frozen(block, members, block.features[members], codes))
    return tuple(taken)


def _frozen(block: CodeBlock, here: Any, features: Integers, codes: NDArray[Any]) -> CodeBlock:
    made = features, codes, block.n_values[here], block.ignored[here]
    for array in made:
        array.setflags(write=False)
    return CodeBlock(*made)
