from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

def pack_rows(bits: Integers, words: NDArray[np.uint64]) -> int: ...
def unpack_rows(
    words: NDArray[np.uint64],
    row_bits: int,
    values: NDArray[np.float64],
    rows: NDArray[np.int32],
    ordered: NDArray[np.float64],
    ranks: NDArray[np.int32],
    is_sorted: NDArray[np.bool_],
) -> None: ...
def cut_columns(
    ordered: Any,
    columns: Integers,
    labels: NDArray[np.int32],
    weights: Integers | None,
    rule: Any,
    is_last: NDArray[np.bool_],
) -> None: ...
def number_intervals(
    ordered: Any,
    columns: Integers,
    is_last: NDArray[np.bool_],
    n_values: Integers,
    codes: NDArray[np.unsignedinteger[Any]],
) -> None: ...
def count_below(
    values: NDArray[np.float64], cut_points: NDArray[np.float64], out: Integers
) -> None: ...
def short_codes(
    matrix: NDArray[Any],
    longest: int,
    least: Integers,
    codes: NDArray[np.uint8],
    occurs: NDArray[np.bool_],
    n_values: Integers,
) -> bool: ...
def add_contents(
    values: NDArray[np.unsignedinteger[Any]], column: int, contents: NDArray[np.uint64]
) -> None: ...
