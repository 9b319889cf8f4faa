"""Counting shuffled labels by masks, against the definition and against counting row by row."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deacs import CodedData
from deacs.significance.independence import standard_score
from deacs.significance.shuffles import GroupedRows
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
    return GroupedRows(CodedData.from_codes(codes.astype(np.uint8), labels), groups)


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([5, 64, 65, 300]),
    st.sampled_from([1, 2, 9, 60]),
    st.sampled_from([2, 3, 16, 17]),
)
@example(0, 300, 1, 3)
def test_scores_under_shuffled_labels_have_the_bits_of_counting_row_by_row(
    seed, n_rows, n_groups, n_values
):
    rows = rows_in_groups(seed, n_rows, n_groups, n_values)
    blocks, features = rows.data.blocks, np.arange(4)
    n_present = rows.n_present(features)
    for labels in rows.shuffled_labels(np.random.SeedSequence(seed), 3):
        found = rows.scores_under(labels, blocks, features, n_present)
        conditioning = rows.conditioning(labels)
        statistics = rows.statistics(blocks, features, n_present, conditioning)
        freedom = rows.margins(blocks, features, labels).freedom
        np.testing.assert_array_equal(found, standard_score(statistics, freedom))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 5, 30]))
def test_scores_under_shuffled_labels_equal_the_naive_twins(seed, n_groups):
    rows = rows_in_groups(seed, 150, n_groups, 4)
    data, features = rows.data, np.arange(4)
    kept = rows.groups >= 0
    for labels in rows.shuffled_labels(np.random.SeedSequence(seed), 1):
        found = rows.scores_under(labels, data.blocks, features, rows.n_present(features))
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
    found = rows.scores_under(rows.data.labels, rows.data.blocks, np.arange(1), np.array([80.0]))
    assert found.tolist() == standard_score(np.zeros(1), np.ones(1)).tolist()
    assert math.isfinite(found[0])
