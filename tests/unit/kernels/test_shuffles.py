"""Shuffles within groups: every order as likely, nothing moves between groups."""

import itertools
from collections import Counter

import numpy as np

from deacs._kernels.shuffles import shuffle_within
from deacs.significance.conditional_test import Strata, strata_of


def test_labels_stay_in_their_groups():
    rng = np.random.default_rng(0)
    groups, labels = rng.integers(-1, 6, 300), rng.integers(0, 4, 300).astype(np.int32)
    shuffled = labels.copy()
    shuffle_within(strata_of(groups, labels), np.uint64(7), shuffled)
    assert (shuffled != labels).any()
    np.testing.assert_array_equal(shuffled[groups < 0], labels[groups < 0])
    for g in range(6):
        assert Counter(shuffled[groups == g]) == Counter(labels[groups == g])


def test_every_order_is_as_likely():
    strata = Strata(np.arange(4, dtype=np.int32), np.array([0, 4]))
    found = Counter()
    for seed in range(12_000):
        labels = np.arange(4, dtype=np.int32)
        shuffle_within(strata, np.uint64(seed), labels)
        found[tuple(labels.tolist())] += 1
    # 24 orders, 500 of each expected, standard deviation below 22.4.
    orders = list(itertools.permutations(range(4)))
    assert all(abs(found[order] - 500) < 4.5 * 22.4 for order in orders)


def test_a_seed_gives_the_same_shuffle_everywhere():
    # SplitMix64 from state 0, by hand: its first outputs are published with the generator.
    words = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    labels = np.arange(4, dtype=np.int32)
    shuffle_within(Strata(np.arange(4, dtype=np.int32), np.array([0, 4])), np.uint64(0), labels)
    expected = [0, 1, 2, 3]
    for word, last in zip(words, (3, 2, 1), strict=True):
        other = ((word >> 32) * (last + 1)) >> 32
        expected[last], expected[other] = expected[other], expected[last]
    assert labels.tolist() == expected
