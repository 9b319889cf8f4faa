from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS_AT_ONCE: int
BLOCK_ROWS: int
NEAR_ROWS: int

def add_nearest(
    first: int,
    last: int,
    rows: Integers,
    labels: NDArray[np.int32],
    groups: Integers,
    gains: Floats,
    points: Any,
    sketch: Any,
    k: int,
    weights: Floats,
) -> None: ...
def add_nearest_of_numbers(
    first: int,
    last: int,
    rows: Integers,
    target: Floats,
    points: Any,
    sketch: Any,
    k: int,
    of_target: Floats,
    of_features: Floats,
    of_both: Floats,
) -> None: ...
def add_near(
    first: int,
    last: int,
    labels: NDArray[np.int32],
    n_labels: int,
    columns: Floats,
    scales: Floats,
    points: Any,
    weights: Floats,
) -> None: ...
