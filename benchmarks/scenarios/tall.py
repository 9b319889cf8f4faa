"""A tall table, until exhausted."""

from benchmarks.counting_race import race
from benchmarks.tables import coded_table

TITLE = "Tall: 1,000,000 x 100 codes of 4 values, 5 classes, until exhausted, from CodedData"
NOTE = """
The whole of DEA-CS, judge included, against NumPy that only counts (`benchmarks/counting_race.py`).
"""


def run() -> list[dict[str, object]]:
    """Race on the tall table."""
    return race(coded_table(1_000_000, 100, 5, (4, 4)), n_sampled=2, repeats=5)
