"""Tests over data sets against published numbers and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reproduction.statistics import (
    average_ranks,
    friedman,
    holm,
    nemenyi_distance,
    pairwise_wilcoxon,
)
from scipy import stats

from deacs.exceptions import InputError

# Demšar (2006), Table 6: AUC of C4.5, C4.5+m, C4.5+cf and C4.5+m+cf on 14 data sets.
# Voting has one more digit for C4.5+cf: in print it ties with C4.5+m+cf, while Demšar's ranks of
# the two, made before rounding, are 2 and 3.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


def test_demsar_s_example_has_its_ranks_and_its_verdict():
    np.testing.assert_allclose(average_ranks(DEMSAR), [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    test = friedman(DEMSAR)
    assert test.chi_square == pytest.approx(9.28, abs=0.005)
    assert test.f == pytest.approx(3.69, abs=0.005)
    assert test.p_f < 0.05


def test_demsar_s_wilcoxon_has_its_sums():
    pair = pairwise_wilcoxon(DEMSAR[:, :2])[0]
    # Section 3.1.3: R+ = 93 for C4.5+m, R- = 12; the two zeros are split.
    assert (pair.sum_second, pair.sum_first) == (93, 12)
    assert pair.p < 0.05


@pytest.mark.parametrize(
    ("n_methods", "q"),
    # Demšar (2006), Table 5(a), alpha = 0.05.
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (8, 3.031), (10, 3.164)],
)
def test_critical_distances_are_the_published_ones(n_methods, q):
    expected = q * np.sqrt(n_methods * (n_methods + 1) / (6 * 14))
    assert nemenyi_distance(n_methods, 14) == pytest.approx(expected, abs=1e-3)


@given(st.integers(0, 1000), st.integers(3, 8), st.integers(3, 6))
def test_without_ties_friedman_is_scipy_s(seed, n_sets, n_methods):
    table = np.random.default_rng(seed).random((n_sets, n_methods))
    expected = stats.friedmanchisquare(*table.T)
    test = friedman(table)
    assert test.chi_square == pytest.approx(expected.statistic, abs=1e-9)
    assert test.p_chi_square == pytest.approx(expected.pvalue, abs=1e-9)


@given(st.integers(0, 1000))
def test_wilcoxon_is_scipy_s_and_holm_never_lowers_it(seed):
    table = np.random.default_rng(seed).random((9, 4))
    tests = pairwise_wilcoxon(table)
    assert len(tests) == 6
    for pair in tests:
        expected = stats.wilcoxon(table[:, pair.first], table[:, pair.second])
        assert pair.p == pytest.approx(expected.pvalue)
        assert min(pair.sum_first, pair.sum_second) == expected.statistic
        assert pair.p <= pair.p_holm <= min(1.0, 6 * pair.p)


def test_equal_pairs_count_half_on_either_side():
    # Ranks 1 (equal), 2, 3, 4 (the other way), 5, 6. Of 32 ways to sign those above 1, four have
    # a sum of 4 or less on one side: none, 2, 3 and 4.
    table = np.column_stack([[5, 6, 7, 5, 9, 10], [5, 5, 5, 8, 5, 5]])
    [pair] = pairwise_wilcoxon(table)
    assert (pair.sum_first, pair.sum_second) == (16.5, 4.5)
    assert pair.p == pytest.approx(2 * 4 / 32)


def test_holm_s_correction_by_hand():
    # 3 * 0.01, 2 * 0.02, then never below the one before.
    np.testing.assert_allclose(holm(np.array([0.02, 0.03, 0.01])), [0.04, 0.04, 0.03])


def test_equal_methods_do_not_differ():
    table = np.tile([[0.5, 0.5, 0.5]], (4, 1))
    assert average_ranks(table).tolist() == [2, 2, 2]
    assert friedman(table).p_f == pytest.approx(1.0)
    assert {pair.p_holm for pair in pairwise_wilcoxon(table)} == {1.0}


def test_one_order_on_all_sets_is_as_sure_as_can_be():
    test = friedman(np.tile([[0.9, 0.8, 0.7]], (5, 1)))
    assert test.chi_square == pytest.approx(10.0)  # N (k - 1), its largest value
    assert test.f == np.inf
    assert test.p_f == 0.0


@pytest.mark.parametrize("table", [[0.5, 0.6], [[0.5], [0.6]], [[0.5, np.nan], [0.1, 0.2]]])
def test_other_tables_are_refused(table):
    with pytest.raises(InputError, match="accuracies must be of shape"):
        friedman(table)
    with pytest.raises(InputError, match="n_methods must be 2 or more"):
        nemenyi_distance(1, 5)
