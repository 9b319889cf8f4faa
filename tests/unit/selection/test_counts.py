"""The seam between criteria and columns."""

import numpy as np

from deacs.coding import CodedData
from deacs.counts.counts import CountsHere


def test_fresh_counts_know_nothing_of_what_was_selected():
    rng = np.random.default_rng(0)
    data = CodedData.from_codes(rng.integers(0, 3, (60, 4)), rng.integers(0, 2, 60))
    counts, everything = CountsHere(data), np.arange(4)
    before = counts.label_scores(everything)
    counts.condition_on(1)
    assert counts.label_scores(everything).tolist() != before.tolist()
    assert counts.fresh().label_scores(everything).tolist() == before.tolist()
