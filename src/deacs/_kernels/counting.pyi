from typing import Any

from numpy.typing import NDArray

def fill_run_masks(groups: Any, run_masks: NDArray[Any]) -> None: ...
