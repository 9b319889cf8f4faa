"""Brute-force twins of the tests of independence, straight from their definitions."""

import itertools
import math
from collections import Counter

import numpy as np
from scipy.stats import hypergeom

from tests.naive import conditional_mutual_information, groups_of
from tests.naive.cuts import mdlp


def tables(values, labels, groups):
    """The rows of each group that has two values and two labels at least."""
    found = []
    for rows in groups_of([groups]):
        group = [(values[r], labels[r]) for r in rows if values[r] is not None]
        if len({v for v, _ in group}) > 1 and len({c for _, c in group}) > 1:
            found.append(group)
    return found


def degrees_of_freedom(values, labels, groups):
    return sum(
        (len({v for v, _ in group}) - 1) * (len({c for _, c in group}) - 1)
        for group in tables(values, labels, groups)
    )


def least_expected_count(values, labels, groups):
    expected = [math.inf]
    for group in tables(values, labels, groups):
        n_v, n_c = Counter(v for v, _ in group), Counter(c for _, c in group)
        expected += [a * b / len(group) for a in n_v.values() for b in n_c.values()]
    return min(expected)


def williams_excess(values, labels, groups):
    """The sum over groups of (n sum 1/n_v - 1)(n sum 1/n_c - 1) / 6 n."""
    total = 0.0
    for group in tables(values, labels, groups):
        n = len(group)
        by_value = sum(n / count for count in Counter(v for v, _ in group).values())
        by_label = sum(n / count for count in Counter(c for _, c in group).values())
        total += (by_value - 1) * (by_label - 1) / (6 * n)
    return total


def g_statistic(values, labels, groups):
    """2 N ln 2 I(F; C | S), on the rows that have a value."""
    kept = [r for r, value in enumerate(values) if value is not None]
    x, y, z = ([column[r] for r in kept] for column in (values, labels, groups))
    if not kept:
        return 0.0
    return 2 * len(kept) * math.log(2) * conditional_mutual_information(x, y, [z])


def standard_score(statistic, freedom):
    """Wilson and Hilferty's normal score of a chi-square number."""
    if freedom == 0:
        return -math.inf
    spread = 2 / (9 * freedom)
    return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread)


def chance_of_overlap(a, b, n, x):
    """P(X >= x) and P(X <= x), X the sum of hypergeometric overlaps, one for each group."""
    chances = np.ones(1)
    for a_g, b_g, n_g in zip(a, b, n, strict=True):
        chances = np.convolve(chances, hypergeom(n_g, a_g, b_g).pmf(range(min(a_g, b_g) + 1)))
    return chances[x:].sum(), chances[: x + 1].sum()


def sequential_levels(n_early, n_all):
    """For each number r: the chance to be taken early, or to be reached by r of all at most.

    Every order of the seen score among n_all others is as likely: put it at each rank, and try
    every set of shuffles that reach it.
    """
    levels = []
    for r in range(n_all + 1):
        taken = 0.0
        for n_reached in range(n_all + 1):
            places = list(itertools.combinations(range(n_all), n_reached))
            early = sum(all(place >= n_early for place in chosen) for chosen in places)
            share = early / len(places) if n_early else 0.0
            taken += 1.0 if n_reached <= r else share
        levels.append(taken / (n_all + 1))
    return levels


def largest_score(columns, labels, groups, *, cuts):
    """The largest standard score of some columns; with `cuts` these labels cut them first."""
    largest = -math.inf
    for column in columns:
        codes = column
        if cuts:
            points = mdlp([float(v) for v in column], labels)
            codes = [sum(v > point for point in points) for v in column]
        freedom = degrees_of_freedom(codes, labels, groups)
        largest = max(largest, standard_score(g_statistic(codes, labels, groups), freedom))
    return largest
