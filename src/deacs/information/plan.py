"""Choose how to count pairs. The constants are nanoseconds on one core; only ratios matter."""

from deacs.information.counting import NS_TABLE, rounding

__all__ = ["NS_CELL_WORD", "NS_PAIR_ROW", "NS_TABLE", "counts_by_planes", "rounding"]

NS_CELL_WORD = 0.25
NS_CELL_PART = 8.0
NS_PAIR_ROW = 6.0
"""Pairs: the cost of a word of a cell, of a part of its words, and of a row of a feature with rows
that do not count."""


def counts_by_planes(
    n_rows: int, n_words: int, n_parts: int, n_targets: float, mean_values: float
) -> bool:
    """Whether stored planes count pairs faster than a table does, row by row."""
    by_cell = n_words * NS_CELL_WORD + n_parts * NS_CELL_PART
    return by_cell * (mean_values - 1) * (n_targets - 1) < n_rows * NS_TABLE
