"""Exact chances by listing every table, and moments from them."""

import itertools
import math

import numpy as np


def tables(sizes, n_labelled):
    """Every way to spread the labelled rows over values of these sizes, with its probability."""
    ways = math.comb(sum(sizes), n_labelled)
    for counts in itertools.product(*(range(min(n, n_labelled) + 1) for n in sizes)):
        if sum(counts) == n_labelled:
            yield counts, math.prod(map(math.comb, sizes, counts)) / ways


def information(sizes, counts):
    """N I(F; C) in nats."""
    n, k = sum(sizes), sum(counts)
    total = 0.0
    for size, count in zip(sizes, counts, strict=True):
        for observed, share in ((count, k / n), (size - count, 1 - k / n)):
            if observed:
                total += observed * math.log(observed / size / share)
    return total


def moment(sizes, n_labelled, steepness):
    """E exp(steepness N I(F; C)) under shuffled labels."""
    return sum(
        p * math.exp(steepness * information(sizes, counts))
        for counts, p in tables(sizes, n_labelled)
    )


def chance(groups, observed):
    """The chance that the sum over groups of (sizes, labelled rows) reaches what was observed."""
    values, shares = np.zeros(1), np.ones(1)
    for sizes, n_labelled in groups:
        found = [(information(sizes, counts), p) for counts, p in tables(sizes, n_labelled)]
        more, p = np.array(found).T
        values = np.add.outer(values, more).ravel()
        shares = np.multiply.outer(shares, p).ravel()
    return float(shares[values >= observed - 1e-9].sum())
