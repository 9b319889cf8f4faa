"""Thresholds of a number, from their definition."""

from fractions import Fraction


def naive_thresholds(y, n_intervals=6):
    """For each k the value with as near as possible to k / n of the rows up to it, exactly."""
    values = sorted(set(y))[:-1]
    below = {value: sum(other <= value for other in y) for value in values}
    return sorted(
        {
            min(values, key=lambda v: (abs(below[v] - Fraction(k * len(y), n_intervals)), v))
            for k in range(1, n_intervals)
        }
    )
