from typing import Any

from numpy.typing import NDArray

def feature_planes(
    columns: Any, rows: Any, by_class: NDArray[Any], fixed: Any, buffer: NDArray[Any], planes: Any
) -> None: ...
def column_planes(
    codes: NDArray[Any], n_values: int, rows: Any, buffer: NDArray[Any], bits: NDArray[Any]
) -> None: ...
def plane_pair_sums(
    planes: Any,
    features: NDArray[Any],
    runs: Any,
    rows: Any,
    fixed: Any,
    cells: NDArray[Any],
    sums: NDArray[Any],
) -> None: ...
def table_pair_sums(
    columns: Any,
    runs: Any,
    weights: NDArray[Any] | None,
    fixed: Any,
    cells: NDArray[Any],
    sums: NDArray[Any],
) -> None: ...
def fold_contenders(
    columns: Any,
    planes: Any,
    is_made: NDArray[Any],
    rows: Any,
    by_class: NDArray[Any],
    buffer: NDArray[Any],
    weights: NDArray[Any] | None,
    fixed: Any,
    targets: list[Any],
    totals: tuple[int, int, int, int, float],
    term: int,
    divisor: float,
    best: float,
    slack: float,
    start: NDArray[Any],
    fold: NDArray[Any],
    seen: NDArray[Any],
    cells: NDArray[Any],
    bounds: NDArray[Any],
) -> float: ...
def row_pair_sums(
    columns: Any, groups: Any, weights: NDArray[Any] | None, fixed: Any, sums: NDArray[Any]
) -> None: ...
