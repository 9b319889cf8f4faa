"""Tables to measure on, made from a seed."""

import numpy as np

from deacs import CodedData

__all__ = ["coded_table"]


def coded_table(n_rows: int, n_features: int, n_labels: int, values: tuple[int, int]) -> CodedData:
    """Noise, and in every fiftieth feature the label shines through in a third of the rows."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, n_labels, n_rows)
    n_values = rng.integers(values[0], values[1] + 1, n_features)
    codes = np.empty((n_rows, n_features), dtype=np.uint8)
    for j, n in enumerate(n_values):
        codes[:, j] = rng.integers(0, n, n_rows)
        if j % 50 == 0:
            shines = rng.random(n_rows) < 0.3
            codes[shines, j] = labels[shines] % n
    return CodedData.from_codes(codes, labels)
