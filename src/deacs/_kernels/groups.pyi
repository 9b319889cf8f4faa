from typing import Any

from numpy.typing import NDArray

from deacs._kernels.arrays import Groups, Parts

def refine(
    groups: Groups,
    first_group: int,
    last_group: int,
    column: NDArray[Any],
    n_values: int,
    ignored: int,
    split: Groups,
) -> tuple[int, int, int]: ...
def arrange(groups: Groups, ordered: Groups) -> tuple[int, int]: ...
def fill_parts(
    groups: Groups,
    run_sizes: NDArray[Any],
    starts_of_labels: NDArray[Any],
    outputs_of_labels: NDArray[Any],
    n_outputs: int,
    parts: Parts,
) -> tuple[int, int]: ...
def fill_run_masks(groups: Groups, masks: NDArray[Any]) -> None: ...
def fill_run_planes(groups: Groups, planes: NDArray[Any]) -> None: ...
def fill_part_masks(
    groups: Groups, parts: Parts, mask_starts: NDArray[Any], masks: NDArray[Any]
) -> None: ...
