"""Counting shuffled labels, by masks and row by row, against the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData
from deacs.significance.conditional_test import GroupedRows, standard_score
from tests.naive import independence as naive


def rows_in_groups(seed, n_rows, n_groups, n_values):
    """Groups of any size, also of one label, rows in none, and columns that may copy the class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, n_rows)
    labels[:2] = 0, 1
    codes = rng.integers(0, n_values, (n_rows, 4))
    codes[:, 1] = np.where(rng.random(n_rows) < 0.7, labels % n_values, codes[:, 1])
    codes[:, 2] = 0
    groups = rng.integers(-1, n_groups, n_rows)
    groups[labels == 3] = n_groups  # nothing to shuffle
    return GroupedRows(CodedData.from_codes(codes, labels), groups)


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 5, 30, 60]), st.sampled_from([2, 4, 17, 300]))
def test_scores_under_shuffled_labels_equal_the_naive_twins(seed, n_groups, n_values):
    rows = rows_in_groups(seed, 150, n_groups, n_values)
    data, features = rows.data, np.arange(4)
    kept = rows.groups >= 0
    for labels in rows.shuffled_labels(np.random.SeedSequence(seed), 1):
        found = rows.scores(data.blocks, features, labels)
        rest = labels[kept].tolist(), rows.groups[kept].tolist()
        for j in range(4):
            values = data.column(j)[kept].tolist()
            freedom = naive.degrees_of_freedom(values, *rest)
            expected = naive.standard_score(naive.g_statistic(values, *rest), freedom)
            assert found[j] == pytest.approx(expected, abs=1e-6)


def test_what_is_independent_in_every_group_has_a_statistic_of_zero():
    labels = np.tile([0, 1], 40)
    codes = np.repeat([0, 1], 40)[:, np.newaxis].astype(np.uint8)
    rows = GroupedRows(CodedData.from_codes(codes, labels), np.zeros(80, int))
    found = rows.scores(rows.data.blocks, np.arange(1), rows.data.labels)
    np.testing.assert_allclose(found, standard_score(np.zeros(1), np.ones(1)), rtol=1e-3)
