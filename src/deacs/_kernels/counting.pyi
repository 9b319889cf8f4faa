from typing import Any

from numpy.typing import NDArray

from deacs._kernels.arrays import Chance, Columns, Groups, Masks, Parts
from deacs._kernels.fixed_point import FixedPoint

def base_sums(parts: Parts, kind: int, fixed: FixedPoint, sums: NDArray[Any]) -> None: ...
def row_sums(
    columns: Columns,
    groups: Groups,
    parts: Parts,
    weights: NDArray[Any] | None,
    kind: int,
    fixed: FixedPoint,
    chance: Chance | None,
    sums: NDArray[Any],
    dependent: NDArray[Any],
    mixed: NDArray[Any] | None,
) -> None: ...
def mask_sums(
    columns: Columns,
    groups: Groups,
    parts: Parts,
    masks: Masks,
    kind: int,
    fixed: FixedPoint,
    chance: Chance | None,
    sums: NDArray[Any],
) -> None: ...
def plane_sums(
    columns: Columns,
    parts: Parts,
    planes: NDArray[Any],
    kind: int,
    fixed: FixedPoint,
    chance: Chance | None,
    sums: NDArray[Any],
) -> None: ...
def table_sums(
    columns: Columns,
    starts: NDArray[Any],
    widest: int,
    parts: Parts,
    weights: NDArray[Any] | None,
    kind: int,
    fixed: FixedPoint,
    chance: Chance | None,
    sums: NDArray[Any],
    dependent: NDArray[Any],
) -> None: ...
def present_counts(
    columns: Columns, labels: NDArray[Any], weights: NDArray[Any] | None, counts: NDArray[Any]
) -> None: ...
def bias_of(n_g: int, n_i: int, n_f: int, fixed: FixedPoint) -> int: ...
def small_biases(
    parts: Parts, fixed: FixedPoint, biases: NDArray[Any], starts: NDArray[Any]
) -> None: ...
def masks_of(codes: NDArray[Any], value: int) -> tuple[int, int]: ...
