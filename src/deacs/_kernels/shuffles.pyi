from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Labels = NDArray[np.int32]

def shuffle_within(strata: Any, seed: int | np.uint64, labels: Labels) -> None: ...
def table_margins(
    columns: Any, strata: Any, labels: Labels, n_labels: int, margins: NDArray[np.float64]
) -> None: ...
def fill_label_planes(
    strata: Any, runs: Any, labels: Labels, n_labels: int, planes: NDArray[np.uint64]
) -> None: ...
def strata_sums(
    columns: Any,
    strata: Any,
    runs: Any,
    planes: NDArray[np.uint64],
    fixed: Any,
    sums: Integers,
    freedom: Integers,
) -> None: ...
