"""The test of candidates given groups, against a loop over shuffles from the definition."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import xlogy
from scipy.stats import chi2, hypergeom

from deacs import CodedData, encode
from deacs.significance.conditional_test import (
    LARGE,
    TEST_SHARE,
    ConditionalTest,
    Design,
    GroupedRows,
    Margins,
    NullScores,
    g_test,
    standard_score,
    strata_of,
)
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
            assert test.measured(k).value == pytest.approx(twin[k])
        else:
            assert test.measured(k).value > 0.9


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
            assert test.measured(k).value == pytest.approx(twin[k])
        else:
            assert test.measured(k).value > 0.9


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
    assert together.measured(0).value == pytest.approx(4 * without_bound(alone).measured(0).value)
    assert together.measured(0).value < 1


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
    assert test.measured(0).value == pytest.approx(p)


def test_strong_dependence_needs_no_shuffle(monkeypatch):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 5)) + [3, 0, 0, 0, 0] * y[:, None]
    data = encode(X, y, recodable=True)
    test = conditional_test(data, rng.integers(0, 4, 300), alpha=0.05)
    monkeypatch.setattr(GroupedRows, "shuffled_labels", None)
    assert test.measured(0).value < 1e-10


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
    assert conditional_test(data, np.zeros(200, int), alpha=0.05).measured(0).value < 0.05
    p = without_bound(conditional_test(data, groups)).measured(0).value
    rest = CodedData.from_codes(codes[100:], y[100:])
    alone = without_bound(conditional_test(rest, groups[100:])).measured(0).value
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


def table(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, rng.integers(2, 5), n_rows).astype(np.int32)
    groups = rng.integers(-1, rng.integers(1, 12), n_rows)
    return rng.integers(0, 5, (3, n_rows)), labels, groups


@given(st.integers(0, 2**32 - 1), st.sampled_from(["category", "ignore"]))
def test_margins_equal_the_naive_twins(seed, missing):
    codes, labels, groups = table(seed)
    values = [[None if v == 2 else str(v) for v in column] for column in codes.tolist()]
    data = encode(np.array(values, dtype=object).T, labels, missing=missing)
    found = GroupedRows(data, groups).margins(data.blocks, np.arange(3), data.labels)
    kept = groups >= 0
    for k, column in enumerate(codes):
        is_open = missing == "ignore"
        named = [None if is_open and v == 2 else v for v in column[kept].tolist()]
        rest = labels[kept].tolist(), groups[kept].tolist()
        assert found.freedom[k] == naive.degrees_of_freedom(named, *rest)
        assert found.least[k] == pytest.approx(naive.least_expected_count(named, *rest))
        assert found.excess[k] == pytest.approx(naive.williams_excess(named, *rest))


def test_strata_hold_the_rows_whose_label_is_open():
    groups = np.array([2, 0, -1, 1, 0, 2, 1, -1])
    labels = np.array([0, 1, 0, 1, 0, 0, 1, 1], dtype=np.int32)
    # Group 0 has rows 1 and 4 with labels 1 and 0; groups 1 and 2 have one label each.
    strata = strata_of(groups, labels)
    assert strata.rows.tolist() == [1, 4]
    assert strata.starts.tolist() == [0, 2]


def test_no_open_row_leaves_no_stratum():
    strata = strata_of(np.array([0, 1, 2]), np.array([0, 1, 0], dtype=np.int32))
    assert strata.rows.tolist() == []
    assert strata.starts.tolist() == [0]


def test_g_test_is_chi_square_of_the_statistic_over_williams_factor():
    found = Margins(*(np.array([v]) for v in (4.0, 0.5, 30.0)))
    assert g_test(np.array([12.0]), found)[0] == pytest.approx(chi2.sf(12.0 / (1 + 0.5 / 4), 4))


def test_without_freedom_nothing_is_significant():
    found = Margins(*(np.array([v]) for v in (0.0, 0.0, math.inf)))
    assert g_test(np.array([0.0]), found).tolist() == [1.0]
    assert standard_score(np.array([0.0]), found.freedom).tolist() == [-math.inf]


@pytest.mark.parametrize(
    ("n", "share"), [(400, 0.5), (1000, 0.5), (1000, 0.3), (4000, 0.5), (4000, 0.3), (4000, 0.1)]
)
def test_where_counts_are_large_half_of_the_level_covers_what_chi_square_lacks(n, share):
    # Two values, two labels: the overlap is hypergeometric, so the tail is a sum. The worst level
    # is one that is just attained: the overlap is a whole number.
    n_value = int(share * n)
    n_label = math.ceil(LARGE * n / n_value)
    overlap = np.arange(max(0, n_value + n_label - n), min(n_value, n_label) + 1)
    cells = np.array([overlap, n_value - overlap, n_label - overlap])
    cells = np.vstack([cells, n - cells.sum(axis=0)])
    sides = xlogy(*2 * [np.array([n_value, n - n_value, n_label, n - n_label])]).sum()
    G = np.maximum(2 * (xlogy(cells, cells).sum(axis=0) - sides + xlogy(n, n)), 0)
    inverse = (n / n_value + n / (n - n_value) - 1) * (n / n_label + n / (n - n_label) - 1)
    one = np.ones(len(G))
    p = g_test(G, Margins(one, one * inverse / (6 * n), one))
    chances = hypergeom(n, n_value, n_label).pmf(overlap)
    levels = p[(p > 1e-6) & (p < 1e-2)] * (1 + 1e-9)
    assert len(levels) > 10
    assert all(chances[p <= level].sum() <= level / TEST_SHARE for level in levels)


@given(st.floats(0, 500), st.integers(1, 300))
def test_score_equals_the_naive_twin_and_ascends(statistic, freedom):
    found = standard_score(np.array([statistic, statistic + 1]), np.full(2, float(freedom)))
    assert found[0] == pytest.approx(naive.standard_score(statistic, freedom), abs=1e-9)
    assert found[0] < found[1]


@pytest.mark.parametrize(("n_early", "n_all"), [(0, 5), (2, 6), (3, 9), (4, 5)])
def test_p_values_are_the_chances_of_all_orders(n_early, n_all):
    found = Design(1.0, n_all, n_early).p_values
    np.testing.assert_allclose(found, naive.sequential_levels(n_early, n_all), rtol=1e-12)


@pytest.mark.parametrize("level", [0.05, 0.01, 0.2, 1 / 3])
@pytest.mark.parametrize("early", [True, False])
def test_the_level_holds_in_every_order_of_the_scores(level, early):
    # The score seen is the k-th largest of n + 1; each set of k - 1 shuffles reaches it as often.
    design = Design(level, 9, 4 if early else 0)
    taken = []
    for n_reached in range(10):
        places = list(itertools.combinations(range(9), n_reached))
        small = [
            NullScores(iter([1.0 if k in chosen else -1.0 for k in range(9)]), design).p_value(0.0)
            <= level
            for chosen in places
        ]
        taken.append(np.mean(small))
    assert np.mean(taken) <= level + 1e-12


def test_the_usual_design_spends_most_of_its_level():
    design = Design.for_level(0.025)
    assert (design.n_early, design.n_all) == (59, 199)
    last = design.p_values[design.too_many - 1]
    assert 0.02 < last <= 0.025 < design.p_values[-1]


def test_a_score_beyond_all_is_taken_at_the_first_look():
    drawn = []
    chance = NullScores((drawn.append(k) or 0.0 for k in range(199)), Design.for_level(0.025))
    assert chance.p_value(1.0) == 1 / 60
    assert len(drawn) == 59


def test_a_score_among_many_is_given_up_soon():
    drawn = []
    chance = NullScores((drawn.append(k) or 1.0 for k in range(199)), Design.for_level(0.025))
    assert chance.p_value(1.0) == 1.0
    assert len(drawn) == Design.for_level(0.025).too_many


def test_without_an_early_look_all_shuffles_measure():
    # The score is reached by 3 of 99 shuffles.
    chance = NullScores(iter([2.0] * 3 + [0.0] * 96), Design(0.05, 99))
    assert chance.p_value(1.0) == pytest.approx(4 / 100)


def test_answers_do_not_depend_on_who_asks_first():
    rng = np.random.default_rng(0)
    scores, draws = rng.normal(2, 1, 20), rng.normal(size=199)
    up, down = (NullScores(iter(draws), Design.for_level(0.025)) for _ in range(2))
    ascending = [up.p_value(score) for score in np.sort(scores)]
    descending = [down.p_value(score) for score in -np.sort(-scores)]
    assert ascending == descending[::-1]
