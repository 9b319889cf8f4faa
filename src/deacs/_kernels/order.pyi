from typing import Any

from numpy.typing import NDArray

def inner_products(scores: NDArray[Any], column: NDArray[Any], products: NDArray[Any]) -> None: ...
def code_sums(codes: NDArray[Any], column: NDArray[Any], sums: NDArray[Any]) -> None: ...
def block_shares(
    blocks: NDArray[Any],
    counts: NDArray[Any],
    total: float,
    factor: NDArray[Any],
    n_done: int,
    cross: NDArray[Any],
    tolerance: float,
    work: NDArray[Any],
    shares: NDArray[Any],
    ranks: NDArray[Any],
) -> None: ...
