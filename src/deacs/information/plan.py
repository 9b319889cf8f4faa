"""Choose how to count a step, and decide when a score near zero is zero.

**Counting.** Features with more than `MAX_VALUES` values are counted row by row, and so are small
tables (18 milliseconds instead of 14 on scikit-learn's digits) and, if nothing has compiled the
other ways yet, middling ones, for which they save a tenth to a quarter of the time: a first call
then compiles one kernel instead of four. For the others there are three ways, and the cheapest one
is taken, step by step:

- *in place*: every 64 rows, for each value but the last and every two runs a mask and popcounts;
- *gathered*: rows into group order, then masks inside groups;
- *one table* of values and labels, row by row, while S is empty.

The constants are nanoseconds on one core of a 2020s x86-64 server with AVX2; they need not be
right, only their ratios near enough: `make bench` (scenario `counting`) measures both ways at every
step beside the choice that was made.

**Zero.** Sums carry rounding: at most 9 units for each row that is left. A score above that is
certainly positive. Below that, exact integers decide, but mostly they are not needed: if a label
depends on a feature in a group of n rows, then n_fi n_g and n_f n_i differ by at least 1 in some
cell, and by Pinsker's inequality the group adds at least 2.8 / n**3 bits. If that exceeds the
rounding, the sum itself decides.
"""

__all__ = [
    "MIDDLING",
    "NS_CELL_WORD",
    "NS_NARROW",
    "NS_PAIR_ROW",
    "NS_REFINE",
    "NS_TABLE",
    "NS_WIDE",
    "TINY",
    "counts_by_planes",
    "counts_in_place",
    "rounding",
    "sum_tells_zero",
]

TINY = 200_000
MIDDLING = 4_000_000
"""The most codes of a table that is always counted row by row, and of one that is counted so unless
the other kernels are compiled."""

NS_MASK = 4.0
NS_TWO_RUNS = 2.0
NS_GATHER = 0.65

NS_NARROW = 1.5
NS_WIDE = 5.0
NS_TABLE = 0.7
NS_REFINE = 15.0
"""Approximate cost of a row and feature, or of a row that is split, for dividing work among
threads."""

NS_CELL_WORD = 0.25
NS_CELL_PART = 8.0
NS_PAIR_ROW = 6.0
"""Pairs: the cost of a word of a cell, of a part of its words, and of a row of a feature with rows
that do not count."""

MAX_PLANE_BYTES = 1 << 18
"""Planes that do not stay in the second cache cost several times as much."""

ROUNDING_UNITS = 9


def counts_in_place(
    n_rows: int, n_left: int, n_runs: int, mean_values: float, is_whole: bool = False
) -> bool:
    """Whether masks in the order of the table beat gathering, or a table of each feature."""
    n_words = -(-n_rows // 64)
    if n_runs * n_words * 8 > MAX_PLANE_BYTES and n_runs > 8:
        return False
    n_masks = max(mean_values - 1, 1)
    in_place = n_words * n_masks * -(-n_runs // 2) * NS_TWO_RUNS
    if is_whole:
        return in_place < n_rows * NS_TABLE
    gathered = n_left * NS_GATHER + n_left / 64 * n_masks * NS_MASK
    return in_place < gathered


def counts_by_planes(
    n_rows: int, n_words: int, n_parts: int, n_targets: float, mean_values: float
) -> bool:
    """Whether stored planes count pairs faster than a table does, row by row."""
    by_cell = n_words * NS_CELL_WORD + n_parts * NS_CELL_PART
    return by_cell * (mean_values - 1) * (n_targets - 1) < n_rows * NS_TABLE


def rounding(n_left: int) -> int:
    """The most that a sum may be off, in fixed-point units."""
    return ROUNDING_UNITS * n_left


def sum_tells_zero(n_left: int, largest_group: int, scale_bits: int) -> bool:
    """Whether the least positive score is too large to be taken for rounding."""
    least = 2.8 * 2.0**scale_bits / float(largest_group) ** 3
    return least > 2 * rounding(n_left)
