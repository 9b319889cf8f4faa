from typing import Any

from numpy.typing import NDArray

def feature_planes(
    columns: Any, rows: Any, by_class: NDArray[Any], fixed: Any, buffer: NDArray[Any], planes: Any
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
def fold_contenders(
    columns: Any,
    rows: Any,
    by_class: NDArray[Any],
    fixed: Any,
    buffer: NDArray[Any],
    planes: Any,
    is_made: NDArray[Any],
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
def table_pair_sums(
    columns: Any,
    keys: NDArray[Any],
    n_keys: int,
    n_labels: int,
    weights: NDArray[Any] | None,
    fixed: Any,
    counts: NDArray[Any],
    sums: NDArray[Any],
) -> None: ...
def row_pair_sums(
    columns: Any, groups: Any, weights: NDArray[Any] | None, fixed: Any, sums: NDArray[Any]
) -> None: ...
