from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

LOG_BITS: Final = 56
TABLE_SIZE: Final = 65536

class FixedPoint(NamedTuple):
    table: NDArray[np.int64]
    logs: NDArray[np.int64]
    scale_bits: int

def fixed_point(n_rows: int, n_labels: int) -> FixedPoint: ...
def log2_of(n: int) -> int: ...
def xlogx_of(counts: NDArray[Any], fixed: FixedPoint) -> NDArray[np.int64]: ...
