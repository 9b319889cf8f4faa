from typing import Any

from numpy.typing import NDArray

def refine(
    groups: Any,
    first_group: int,
    last_group: int,
    column: NDArray[Any],
    ignored: int,
    scratch: Any,
    split: Any,
) -> tuple[int, int, int]: ...
def arrange(groups: Any, ordered: Any) -> tuple[int, int]: ...
