from typing import Any

from numpy.typing import NDArray

LANES: int
MAX_MEMBERS: int
STATES: tuple[str, ...]

def score_units(refs: Any, search: Any, answers: Any) -> tuple[int, int]: ...
def solve_programs(refs: Any, programs: Any, found: Any) -> None: ...
def find_gains(
    refs: Any, units: NDArray[Any], prices: NDArray[Any], rounding: float, gains: NDArray[Any]
) -> None: ...
def maximal_units(
    outputs: NDArray[Any], order: NDArray[Any], core: NDArray[Any], shadow: NDArray[Any]
) -> int: ...
def upper_bounds(
    outputs: NDArray[Any],
    sizes: NDArray[Any],
    rivals: NDArray[Any],
    threshold: float,
    bounds: NDArray[Any],
    through: NDArray[Any],
) -> None: ...
