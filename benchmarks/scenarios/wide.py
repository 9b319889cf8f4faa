"""A wide table, until exhausted."""

from benchmarks.counting_race import race
from benchmarks.tables import coded_table

TITLE = "Wide: 6,000 x 5,000 codes of 2 to 6 values, 2 classes, until exhausted, from CodedData"
NOTE = """
The whole of DEA-CS, judge included, against NumPy that only counts (`benchmarks/counting_race.py`).
"""


def run() -> list[dict[str, object]]:
    """Race on the wide table."""
    return race(coded_table(6000, 5000, 2, (2, 6)), n_sampled=100, repeats=15)
