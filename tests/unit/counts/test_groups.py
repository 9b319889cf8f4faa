"""Rows by group and label, from the definition, on any number of threads."""

from collections import defaultdict
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deacs import CodedData
from deacs._kernels.arrays import SMALL
from deacs.counts import Conditioning
from deacs.counts import groups as grouping
from deacs.counts.groups import one_group, split


def naive_groups(columns, labels, ignored):
    """Each joint value's rows of each label, where there is more than one label."""
    groups = defaultdict(lambda: defaultdict(list))
    for row, label in enumerate(labels):
        key = tuple(column[row] for column in columns)
        if ignored not in key:
            groups[key][label].append(row)
    return sorted(sorted(by_label.items()) for by_label in groups.values() if len(by_label) > 1)


def as_lists(groups):
    """The same shape; rows of a run in the order they have."""
    found = []
    for first, last in zip(groups.group_runs[:-1], groups.group_runs[1:], strict=True):
        runs = range(first, last)
        starts = groups.run_starts
        rows = [groups.rows[starts[run] : starts[run + 1]].tolist() for run in runs]
        found.append(list(zip(groups.run_labels[first:last].tolist(), rows, strict=True)))
    return found


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 7, 64, 300]),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(0, 3),
    st.sampled_from([-1, 0]),
)
def test_groups_equal_the_definition_on_any_number_of_threads(
    seed, n_rows, n_labels, n_values, n_known, ignored
):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_labels, n_rows).astype(np.int32)
    columns = rng.integers(0, n_values, (n_known, n_rows)).astype(np.uint8)
    expected = naive_groups(columns.tolist(), labels.tolist(), ignored)
    first = None
    for n_jobs in (1, 2, 5):
        groups = one_group(labels, n_labels)
        for column in columns:
            with patch.object(grouping, "WORTH_NS", 0):  # in parts, however small
                groups = split(groups, column, n_values, ignored, n_jobs)
        assert sorted(as_lists(groups)) == expected
        assert len(groups.run_starts) == len(groups.run_labels) + 1
        first = groups if first is None else first
        for array, same in zip(first[:4], groups[:4], strict=True):
            np.testing.assert_array_equal(array, same)


def test_one_label_is_no_group():
    groups = one_group(np.full(9, 2, dtype=np.int32), 3)
    assert as_lists(groups) == []
    assert as_lists(split(groups, np.arange(9, dtype=np.uint8), 9)) == []


@pytest.mark.parametrize("n_known", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("n_rows", [2, 50, 900])
def test_groups_come_large_small_and_pairs(n_known, n_rows):
    rng = np.random.default_rng(n_known)
    groups = one_group(np.append([0, 1], rng.integers(0, 3, n_rows - 2)).astype(np.int32), 3)
    for _ in range(n_known):
        groups = split(groups, (9 * rng.random(n_rows) ** 2).astype(np.uint8), 9)
    sizes = np.diff(groups.run_starts[groups.group_runs])
    kinds = np.where(sizes > SMALL, 0, np.where(sizes > 2, 1, 2))
    assert kinds.tolist() == sorted(kinds.tolist())
    assert (groups.n_large, groups.n_small) == ((kinds == 0).sum(), (kinds == 1).sum())


@given(st.integers(0, 2**32 - 1), st.integers(0, 2), st.sampled_from([-1, 0]))
def test_labels_shuffled_within_groups_score_as_if_grouped_anew(seed, n_known, ignored):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 4, 80).astype(np.int32)
    known = rng.integers(0, 3, (n_known, 80)).astype(np.uint8)
    data = CodedData.from_codes(rng.integers(0, 3, (80, 4)).astype(np.uint8), labels)
    shuffled = labels.copy()
    for group in np.unique(known.T @ 3 ** np.arange(n_known)):
        rows = np.flatnonzero(known.T @ 3 ** np.arange(n_known) == group)
        shuffled[rows] = labels[rng.permutation(rows)]
    seen, anew = Conditioning(labels, 4), Conditioning(shuffled, 4)
    for column in known:
        seen.add(column, 3, ignored)
        anew.add(column, 3, ignored)
    again = seen.relabelled(shuffled)
    for kind in ("joint", "one-vs-rest"):
        expected = anew.scores(data.blocks, np.arange(4), kind)
        np.testing.assert_array_equal(again.scores(data.blocks, np.arange(4), kind), expected)
    present = (x.present_counts(data.blocks, np.arange(1)) for x in (again, anew))
    np.testing.assert_array_equal(*present)


def test_parts_are_the_rows_of_each_label_in_each_group_that_has_some_and_not_all():
    Y = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]], dtype=bool)
    column = np.array([0, 0, 0, 1, 1, 1], dtype=np.uint8)
    conditioning = Conditioning.of(CodedData.from_codes(column[:, None], Y))
    conditioning.add(column, 2)
    parts, rows = conditioning._parts_of("one-vs-rest"), conditioning._groups.rows
    found = set()
    for g in range(2):
        for part in range(parts.groups[g], parts.groups[g + 1]):
            members = parts.positions[parts.starts[part] : parts.starts[part + 1]]
            found.add((int(parts.outputs[part]), tuple(sorted(rows[members].tolist()))))
    # All of the first group have label 0.
    assert found == {(1, (0, 2)), (2, (2,)), (0, (4,)), (1, (3,)), (2, (5,))}
    assert sorted(parts.sizes.tolist()) == [1, 1, 1, 1, 2]
    assert parts.group_sizes.tolist() == [3, 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_scores_of_labels_do_not_depend_on_threads_or_on_the_order_of_rows(threads):
    rng = np.random.default_rng(0)
    Y = rng.random((25_000, 6)) < rng.uniform(0.05, 0.6, 6)
    codes = (rng.random((25_000, 8)) * rng.integers(2, 11, 8)).astype(np.uint8)
    order = rng.permutation(25_000)
    data, shuffled = CodedData.from_codes(codes, Y), CodedData.from_codes(codes[order], Y[order])
    scores = Conditioning.of(data).scores(data.blocks, np.arange(8), "one-vs-rest", threads)
    other = Conditioning.of(shuffled).scores(shuffled.blocks, np.arange(8), "one-vs-rest")
    np.testing.assert_array_equal(scores, other)
