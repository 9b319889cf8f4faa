"""The test of candidates given groups, against a loop over shuffles from the definition."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from deacs import CodedData, encode
from deacs.significance.conditional_test import TEST_SHARE, ConditionalTest
from deacs.significance.shuffles import GroupedRows
from tests.naive import independence as naive

N_SHUFFLES = 39


def conditional_test(data, groups, *, n_shuffles=N_SHUFFLES, n_jobs=None, alpha=0.9):
    """With a level so high that no candidate is given up before the last shuffle."""
    seed = np.random.SeedSequence(0)
    candidates = np.arange(data.n_features)
    return ConditionalTest(GroupedRows(data, groups, n_jobs), candidates, alpha, n_shuffles, seed)


def shuffles(data, groups, n=N_SHUFFLES):
    rows = GroupedRows(data, groups)
    return [labels.tolist() for labels in rows.shuffled_labels(np.random.SeedSequence(0), n)]


def without_bound(test):
    test._bound = lambda candidate: 1.0
    return test


def expected(columns, labels, groups, shuffled, *, cuts):
    """(1 + shuffles whose largest score reaches the candidate's) / (1 + shuffles), for each."""
    largest = [naive.largest_score(columns, other, groups, cuts=cuts) for other in shuffled]
    found = []
    for column in columns:
        score = naive.largest_score([column], labels, groups, cuts=cuts)
        reached = sum(value >= score - 1e-9 for value in largest)
        found.append((1 + reached) / (1 + len(shuffled)) / TEST_SHARE)
    return found


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
@example(353, 3)  # a shuffle ties with what was seen, by other cells
def test_p_values_of_codes_equal_the_naive_twin(seed, n_groups):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 50)
    codes = rng.integers(0, [2, 3, 5], (50, 3))
    codes[:, 0] = np.where(rng.random(50) < 0.5, y % 2, codes[:, 0])
    groups = rng.integers(0, n_groups, 50)
    data = CodedData.from_codes(codes, y)
    test = without_bound(conditional_test(data, groups))
    twin = expected(
        codes.T.tolist(), y.tolist(), groups.tolist(), shuffles(data, groups), cuts=False
    )
    for k in range(3):
        if twin[k] <= 0.9:
            assert test.p_value(k) == pytest.approx(twin[k])
        else:
            assert test.p_value(k) > 0.9


@settings(max_examples=4)
@given(st.integers(0, 2**32 - 1))
def test_p_values_of_cut_columns_equal_the_naive_twin(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 2)) + [1.5, 0] * y[:, None]
    groups = rng.integers(0, 2, 60)
    data = encode(X, y, recodable=True)
    test = without_bound(conditional_test(data, groups))
    twin = expected(X.T.tolist(), y.tolist(), groups.tolist(), shuffles(data, groups), cuts=True)
    for k in range(2):
        if twin[k] <= 0.9 and data.n_values[k] > 1:
            assert test.p_value(k) == pytest.approx(twin[k])
        else:
            assert test.p_value(k) > 0.9


def test_two_kinds_share_the_level_by_their_numbers():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    frame = {"cut": rng.normal(size=80) + 2 * y}
    frame |= {f"fixed{k}": np.where(rng.random(80) < 0.3, y, rng.integers(0, 2, 80)) for k in "abc"}
    X = np.column_stack(list(frame.values()))
    data = encode(X, y, discrete_features=[False, True, True, True], recodable=True)
    together = without_bound(conditional_test(data, np.zeros(80, int), n_shuffles=19))
    rows = GroupedRows(data, np.zeros(80, int))
    alone = ConditionalTest(rows, np.array([0]), 0.9, 79, np.random.SeedSequence(0))
    # One of four candidates: four times as many shuffles, a quarter of the level.
    assert together.p_value(0) == pytest.approx(4 * without_bound(alone).p_value(0))
    assert together.p_value(0) < 1


def test_large_tables_are_tested_by_chi_square_times_the_number_of_candidates():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 2000)
    codes = np.column_stack([np.where(rng.random(2000) < 0.07, y, 1 - y), rng.integers(0, 2, 2000)])
    codes[:, 0] = np.where(rng.random(2000) < 0.9, rng.integers(0, 2, 2000), codes[:, 0])
    data = CodedData.from_codes(codes, y)
    test = conditional_test(data, np.zeros(2000, int))
    assert test._is_large.all()
    G = naive.g_statistic(codes[:, 0].tolist(), y.tolist(), [0] * 2000)
    factor = 1 + naive.williams_excess(codes[:, 0].tolist(), y.tolist(), [0] * 2000)
    p = 2 * math.erfc(math.sqrt(G / factor / 2)) / TEST_SHARE
    assert 0 < p < 0.9
    assert test.p_value(0) == pytest.approx(p)


def test_strong_dependence_needs_no_shuffle(monkeypatch):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 5)) + [3, 0, 0, 0, 0] * y[:, None]
    data = encode(X, y, recodable=True)
    test = conditional_test(data, rng.integers(0, 4, 300), alpha=0.05)
    monkeypatch.setattr(GroupedRows, "shuffled_labels", None)
    assert test.p_value(0) < 1e-10


@pytest.mark.parametrize("missing", ["category", "ignore"])
def test_missing_values_take_part_as_they_are_coded(missing):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 6))
    X[(y == 1) & (rng.random(400) < 0.5), 0] = np.nan  # to be missing tells the class
    data = encode(X, y, missing=missing, recodable=True)
    p = conditional_test(data, np.zeros(400, int), alpha=0.05).p_values
    assert (p[0] < 1e-6) == (missing == "category")
    assert (p[1:] > 0.05).all()


def test_rows_without_a_group_take_no_part():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 200)
    codes = rng.integers(0, 3, (200, 4))
    codes[:100, 0] = y[:100]
    data = CodedData.from_codes(codes, y)
    groups = np.where(np.arange(200) < 100, -1, rng.integers(0, 3, 200))
    assert conditional_test(data, np.zeros(200, int), alpha=0.05).p_value(0) < 0.05
    p = without_bound(conditional_test(data, groups)).p_value(0)
    rest = CodedData.from_codes(codes[100:], y[100:])
    alone = without_bound(conditional_test(rest, groups[100:])).p_value(0)
    assert p == pytest.approx(alone)


def test_groups_of_one_row_leave_nothing_to_find():
    y = np.arange(30) % 3
    data = CodedData.from_codes(np.column_stack([y, y]), y)
    assert conditional_test(data, np.arange(30)).p_values.tolist() == [1.0, 1.0]


def test_threads_do_not_change_a_p_value():
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, 3000)
    X = rng.normal(size=(3000, 8)) + 0.07 * y[:, None]
    data, groups = encode(X, y, recodable=True), rng.integers(0, 5, 3000)
    one = without_bound(conditional_test(data, groups, alpha=0.5)).p_values
    two = without_bound(conditional_test(data, groups, alpha=0.5, n_jobs=2)).p_values
    np.testing.assert_array_equal(one, two)
